"""jit.cg: groups of threads that wait for each other."""
from cuprite._compiler.jit.cg import (  # noqa: F401
    memcpy_async, sync, this_grid, this_thread_block, wait, wait_prior)
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)
