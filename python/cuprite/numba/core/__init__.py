"""numba.core: errors and types under their other names."""
from cuprite.numba.core import errors, types  # noqa: F401
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)
