"""numba.cuda.compiler."""
from cuprite._compiler.numba_cuda._dispatcher import (  # noqa: F401
    compile, compile_for_current_device, compile_ptx, compile_ptx_for_current_device, declare_device)
