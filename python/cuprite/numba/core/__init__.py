"""numba.core: errors and types under their other names."""
from cuprite.numba.core import errors, types  # noqa: F401
