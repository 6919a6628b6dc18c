"""numba.np.numpy_support: from NumPy's dtypes to Numba's types and back."""
import numpy as _numpy

from cuprite._compiler.numba._types import as_dtype, from_dtype  # noqa: F401
from cuprite._missing import getter as _getter

numpy_version = tuple(map(int, _numpy.__version__.split(".")[:2]))
__getattr__ = _getter(__name__)
