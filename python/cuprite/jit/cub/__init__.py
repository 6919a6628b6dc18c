"""jit.cub: reductions over the threads of a warp and of a block. The result is that of the first thread."""
from cuprite._compiler.jit.cub import (  # noqa: F401
    BlockReduce, Max, Min, Sum, WarpReduce)
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)
