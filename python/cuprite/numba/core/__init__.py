"""numba.core: errors, types and switches under their other names."""
from cuprite.numba.core import config, errors, types, typing, utils  # noqa: F401
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)
