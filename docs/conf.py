"""How Sphinx makes the site of these pages; ``tox -e docs`` builds it, and takes no warning."""

from __future__ import annotations

project = "pytest-npuperf"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "pytest-npuperf"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
myst_heading_anchors = 3  # a heading is found by the name that it has on GitHub
pygments_dark_style = "github-dark"
