"""numba.cuda.vector_types: the short vectors by their names."""
from cuprite._compiler.numba_cuda._vectors import TYPES as vector_types  # noqa: F401
