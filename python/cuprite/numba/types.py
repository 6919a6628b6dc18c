"""numba.types: the types of numbers, arrays and tuples, and signatures."""
from cuprite._compiler.numba._types import *  # noqa: F401,F403
from cuprite._compiler.numba._types import (  # noqa: F401
    Array, Integer, Float, Complex, Boolean, Number, Record, Signature, Tuple, Type, UniTuple, complex_domain,
    integer_domain, none, number_domain, real_domain, signed_domain, unsigned_domain, void)
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)
