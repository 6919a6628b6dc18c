"""numba.core.extending."""
from cuprite._compiler.numba._extending import (  # noqa: F401
    intrinsic, is_jitted, overload, overload_attribute, overload_method, register_jitable)
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)
