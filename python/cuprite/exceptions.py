"""NumPy's exceptions and warnings, which are Cuprite's too."""
from __future__ import annotations

from numpy.exceptions import (  # noqa: F401
    AxisError, ComplexWarning, DTypePromotionError, ModuleDeprecationWarning, RankWarning, TooHardError,
    VisibleDeprecationWarning)
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)

__all__ = ["AxisError", "ComplexWarning", "DTypePromotionError", "ModuleDeprecationWarning", "RankWarning",
           "TooHardError", "VisibleDeprecationWarning"]
