"""get_window, which `windows` has too."""
from cuprite._windows import get_window  # noqa: F401
