"""jit.cg: groups of threads that wait for each other."""
from cuprite._compiler.jit.cg import (  # noqa: F401
    memcpy_async, sync, this_grid, this_thread_block, wait, wait_prior)
