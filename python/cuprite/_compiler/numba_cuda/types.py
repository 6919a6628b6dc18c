"""numba.cuda.types."""
from cuprite._compiler.numba._types import *  # noqa: F401,F403
from cuprite._compiler.numba._types import Array, Signature, Tuple, Type, UniTuple, none, void  # noqa: F401
