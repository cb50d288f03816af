"""The results as one page that needs no network; imported only where it is asked for."""

from pytest_npuperf.report.html.page import page

__all__ = ["page"]
