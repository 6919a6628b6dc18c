"""numba.cuda.types."""
from cuprite._compiler.numba._types import *  # noqa: F401,F403
from cuprite._compiler.numba._types import (  # noqa: F401
    Array, Integer, Float, Complex, Boolean, Number, Record, Signature, Tuple, Type, UniTuple, complex_domain,
    integer_domain, none, number_domain, real_domain, signed_domain, unsigned_domain, void)
