"""Performance on Huawei Ascend NPUs as a test result."""

__version__ = "0.1.0"
