"""numba.types: the types of numbers, arrays and tuples, and signatures."""
from cuprite._compiler.numba._types import *  # noqa: F401,F403
from cuprite._compiler.numba._types import Array, Signature, Tuple, Type, UniTuple, none, void  # noqa: F401
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)
