"""numba.core: errors, types and switches under their other names."""
import sys as _sys

from cuprite._compiler.numba import config

_sys.modules[__name__ + ".config"] = config  # one module under both names: programs set its switches

from cuprite.numba.core import errors, types, typing, utils  # noqa: E402,F401
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)
