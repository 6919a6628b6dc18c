"""numba.core.types."""
from cuprite.numba.types import *  # noqa: F401,F403
from cuprite._missing import listing as _listing


__dir__ = _listing(__name__)
