"""numba.np: NumPy's types and Numba's."""
from cuprite.numba.np import numpy_support  # noqa: F401
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)
