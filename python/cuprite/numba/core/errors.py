"""numba.core.errors."""
from cuprite.numba.errors import *  # noqa: F401,F403
