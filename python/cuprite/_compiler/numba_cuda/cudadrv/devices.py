"""numba.cuda.cudadrv.devices: the devices and their contexts."""
from cuprite._compiler.numba_cuda._api import close as reset  # noqa: F401
from cuprite._compiler.numba_cuda._api import current_context as get_context  # noqa: F401
from cuprite._compiler.numba_cuda._api import gpus, require_context  # noqa: F401
