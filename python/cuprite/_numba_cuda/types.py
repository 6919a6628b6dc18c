"""numba.cuda.types."""
from cuprite.numba.types import *  # noqa: F401,F403
