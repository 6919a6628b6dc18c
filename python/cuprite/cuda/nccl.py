"""cupy.cuda.nccl: its numbers, and its error. Cuprite has no interface to NCCL: communicators raise
NotImplementedError."""
from __future__ import annotations

from cuprite.cuda._absent import function, type_
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)

available = False
NCCL_INT8 = NCCL_CHAR = 0
NCCL_UINT8 = 1
NCCL_INT32 = NCCL_INT = 2
NCCL_UINT32, NCCL_INT64, NCCL_UINT64 = 3, 4, 5
NCCL_FLOAT16 = NCCL_HALF = 6
NCCL_FLOAT32 = NCCL_FLOAT = 7
NCCL_FLOAT64 = NCCL_DOUBLE = 8
NCCL_BFLOAT16 = 9
NCCL_SUM, NCCL_PROD, NCCL_MAX, NCCL_MIN, NCCL_AVG = range(5)

_STATES = ("SUCCESS", "UNHANDLED_CUDA_ERROR", "SYSTEM_ERROR", "INTERNAL_ERROR", "INVALID_ARGUMENT", "INVALID_USAGE",
           "REMOTE_ERROR", "IN_PROGRESS")


class NcclError(RuntimeError):
    """NCCL refused; `status` is its number."""

    def __init__(self, status):
        self.status = status
        super().__init__(f"NCCL_ERROR_{_STATES[status]}" if 0 < status < len(_STATES) else f"NCCL error {status}")

    def __reduce__(self):
        return type(self), (self.status,)


def check_status(status):
    """Raises NcclError for every number but 0.

    Parameters: status: an integer."""
    if status:
        raise NcclError(status)


_INSTEAD = "arrays go from device to device by copies (to_device, runtime.memcpyPeer)"
for _name in "get_unique_id get_version get_build_version groupStart groupEnd".split():
    globals()[_name] = function("NCCL", f"nccl.{_name}", _INSTEAD)
NcclCommunicator, NcclConfig = (type_("NCCL", name, _INSTEAD) for name in ("NcclCommunicator", "NcclConfig"))
