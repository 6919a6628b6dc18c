"""cupy.cuda.nccl: collectives between GPUs by NVIDIA's NCCL. libnccl.so.2 is opened at the first call: the system's, or
that of a wheel (nvidia-nccl-cu12, nvidia-nccl-cu13).

Functions take addresses, counts of elements and a stream's handle, as CuPy's do; what they start runs in that stream.
`cuprite.distributed` takes arrays. Invariant: a call that NCCL refuses names itself and its rank.
"""
from __future__ import annotations

from ctypes import POINTER, Structure, byref, c_char, c_char_p, c_int, c_size_t, c_uint, c_void_p, sizeof
from operator import index as _index

from cuprite._missing import missing as _missing, listing as _listing
from cuprite.cuda import _nccl_library as _library

NCCL_INT8 = NCCL_CHAR = 0
NCCL_UINT8 = 1
NCCL_INT32 = NCCL_INT = 2
NCCL_UINT32, NCCL_INT64, NCCL_UINT64 = 3, 4, 5
NCCL_FLOAT16 = NCCL_HALF = 6
NCCL_FLOAT32 = NCCL_FLOAT = 7
NCCL_FLOAT64 = NCCL_DOUBLE = 8
NCCL_BFLOAT16 = 9
NCCL_SUM, NCCL_PROD, NCCL_MAX, NCCL_MIN, NCCL_AVG = range(5)

_UNIQUE_ID_BYTES = 128
_STATES = ("SUCCESS", "UNHANDLED_CUDA_ERROR", "SYSTEM_ERROR", "INTERNAL_ERROR", "INVALID_ARGUMENT", "INVALID_USAGE",
           "REMOTE_ERROR", "IN_PROGRESS", "TIMEOUT")
__dir__ = _listing(__name__, "available")


def __getattr__(name):
    if name == "available":  # asked of the machine when it is asked for, so that an import opens nothing
        return _library.found()
    raise _missing(__name__, name, 2)


class _UniqueId(Structure):
    _fields_ = [("internal", c_char * _UNIQUE_ID_BYTES)]


class _Config(Structure):
    """ncclConfig_t as of NCCL 2.18: a newer library fills in what it has more."""
    _fields_ = [("size", c_size_t), ("magic", c_uint), ("version", c_uint), ("blocking", c_int),
                ("cgaClusterSize", c_int), ("minCTAs", c_int), ("maxCTAs", c_int), ("netName", c_char_p),
                ("splitShare", c_int)]
    VERSION, MAGIC, UNSET = 21800, 0xcafebeef, -2 ** 31


_call = _library.caller({
    "ncclGetVersion": [POINTER(c_int)],
    "ncclGetUniqueId": [POINTER(_UniqueId)],
    "ncclCommInitRank": [POINTER(c_void_p), c_int, _UniqueId, c_int],
    "ncclCommInitRankConfig": [POINTER(c_void_p), c_int, _UniqueId, c_int, POINTER(_Config)],
    "ncclCommInitAll": [POINTER(c_void_p), c_int, POINTER(c_int)],
    "ncclCommSplit": [c_void_p, c_int, c_int, POINTER(c_void_p), POINTER(_Config)],
    "ncclCommDestroy": [c_void_p],
    "ncclCommAbort": [c_void_p],
    "ncclCommGetAsyncError": [c_void_p, POINTER(c_int)],
    "ncclCommCount": [c_void_p, POINTER(c_int)],
    "ncclCommCuDevice": [c_void_p, POINTER(c_int)],
    "ncclCommUserRank": [c_void_p, POINTER(c_int)],
    "ncclGroupStart": [],
    "ncclGroupEnd": [],
    "ncclAllReduce": [c_void_p, c_void_p, c_size_t, c_int, c_int, c_void_p, c_void_p],
    "ncclReduce": [c_void_p, c_void_p, c_size_t, c_int, c_int, c_int, c_void_p, c_void_p],
    "ncclBroadcast": [c_void_p, c_void_p, c_size_t, c_int, c_int, c_void_p, c_void_p],
    "ncclBcast": [c_void_p, c_size_t, c_int, c_int, c_void_p, c_void_p],
    "ncclReduceScatter": [c_void_p, c_void_p, c_size_t, c_int, c_int, c_void_p, c_void_p],
    "ncclAllGather": [c_void_p, c_void_p, c_size_t, c_int, c_void_p, c_void_p],
    "ncclSend": [c_void_p, c_size_t, c_int, c_int, c_void_p, c_void_p],
    "ncclRecv": [c_void_p, c_size_t, c_int, c_int, c_void_p, c_void_p],
})


class NcclError(RuntimeError):
    """NCCL refused; `status` is its number."""

    def __init__(self, status):
        self.status = status
        name = f"NCCL_ERROR_{_STATES[status]}" if 0 <= status < len(_STATES) else f"NCCL error {status}"
        said = _library.words_of(status)
        super().__init__(f"{name}: {said}" if said else name)

    def __reduce__(self):
        return type(self), (self.status,), {"args": self.args}

    def __setstate__(self, state):
        self.args = state["args"]


def check_status(status):
    """Raises NcclError for every number but 0.

    Parameters: status: an integer.
    Errors: NcclError for every number but 0."""
    if status:
        raise NcclError(status)


def _check(status, call, comm=None):
    """Raises what NCCL said of a call, with the call, the rank and NCCL's last words on it."""
    if status:
        error = NcclError(status)
        rank = f", rank {comm._rank} of {comm._ranks}" if comm is not None else ""
        last = _library.last_words(comm._handle if comm is not None else None)
        error.args = (f"{error.args[0]} ({call}{rank})" + (f": {last}" if last else ""),)
        raise error


def get_version() -> int:
    """The library's version: 22105 is 2.21.5.

    Errors: NotImplementedError where there is no library."""
    v = c_int()
    _check(_call("ncclGetVersion", byref(v)), "get_version")
    return v.value


def get_build_version() -> int:
    """The library's version, as get_version; 0 where there is none. Nothing is compiled for one version."""
    return get_version() if _library.found() else 0


def get_unique_id() -> bytes:
    """128 bytes that name a new group. One rank makes them, and all ranks give them to NcclCommunicator.

    Errors: NotImplementedError where there is no library; NcclError."""
    unique = _UniqueId()
    _check(_call("ncclGetUniqueId", byref(unique)), "get_unique_id")
    return bytes(unique)


def groupStart() -> None:
    """Begins a group of calls, which NCCL starts together at groupEnd: sends with their receives, or the calls for
    several devices by one thread."""
    _check(_call("ncclGroupStart"), "groupStart")


def groupEnd() -> None:
    """Ends the group, and starts its calls.

    Errors: NcclError for a call of the group that was refused."""
    _check(_call("ncclGroupEnd"), "groupEnd")


class NcclConfig:
    """How communicators are made.

    Parameters: split_share: 1: a communicator that is split off shares the resources of the one it is made of."""

    def __init__(self, split_share=0):
        self.split_share = _index(split_share)

    def _native(self):
        unset = _Config.UNSET
        return _Config(sizeof(_Config), _Config.MAGIC, _Config.VERSION, unset, unset, unset, unset, None,
                       self.split_share)


def _unique_id_of(commId):
    commId = bytes(c & 0xff for c in commId) if isinstance(commId, tuple) else bytes(memoryview(commId))
    if len(commId) != _UNIQUE_ID_BYTES:
        raise ValueError(f"commId has {_UNIQUE_ID_BYTES} bytes, not {len(commId)}")
    return _UniqueId.from_buffer_copy(commId)


class NcclCommunicator:
    """One rank of a group of GPUs: the current device. Making it waits for all other ranks.

    Parameters: ndev: ranks of the group; commId: what get_unique_id gave one of them; rank: this one's number, from 0;
        config: an NcclConfig, or None.
    Errors: NcclError; NotImplementedError where there is no library."""

    def __init__(self, ndev, commId, rank, config=None):
        self._handle, self._rank, self._ranks, self._from = None, _index(rank), _index(ndev), None
        unique, made = _unique_id_of(commId), c_void_p()
        if config is None:
            status = _call("ncclCommInitRank", byref(made), self._ranks, unique, self._rank)
        else:
            status = _call("ncclCommInitRankConfig", byref(made), self._ranks, unique, self._rank,
                           byref(config._native()))
        _check(status, "NcclCommunicator", self)
        self._handle, self._from = made.value, _library.found_library()

    @classmethod
    def _of(cls, handle, rank, ranks):
        c = cls.__new__(cls)
        c._handle, c._rank, c._ranks, c._from = handle, rank, ranks, _library.found_library()
        return c

    @staticmethod
    def initAll(devices) -> "list[NcclCommunicator]":
        """A communicator for each device, by one process.

        Parameters: devices: a number of devices, or a list of their numbers.
        Errors: NcclError; NotImplementedError where there is no library."""
        numbers = list(range(devices)) if hasattr(devices, "__index__") else [_index(d) for d in devices]
        made, wanted = (c_void_p * len(numbers))(), (c_int * len(numbers))(*numbers)
        _check(_call("ncclCommInitAll", made, len(numbers), wanted), f"initAll of devices {numbers}")
        return [NcclCommunicator._of(made[i], i, len(numbers)) for i in range(len(numbers))]

    def commSplit(self, color, key, config=None) -> "NcclCommunicator":
        """A communicator of those ranks that give the same colour, in the order of their keys; None for colour -1. All
        ranks call it.

        Parameters: color: a number, or -1: in none; key: a number that orders the ranks; config: an NcclConfig.
        Errors: NcclError; NotImplementedError by a library older than 2.18."""
        made = c_void_p()
        self._do("ncclCommSplit", "commSplit", self._handle, color, key, byref(made),
                 None if config is None else byref(config._native()))
        if not made.value:
            return None
        new = NcclCommunicator._of(made.value, 0, 1)
        new._rank, new._ranks = new.rank_id(), new.size()
        return new

    @property
    def comm(self) -> int:
        """NCCL's handle, a number; 0 after destroy and abort."""
        return self._handle or 0

    def __del__(self):
        try:
            if self._from is _library.found_library():  # which alone knows the handle
                self.destroy()
        except Exception:  # the interpreter ends
            pass

    def destroy(self) -> None:
        """Waits for the communicator's work and frees it; it cannot be used any more.

        Errors: NcclError."""
        handle, self._handle = self._handle, None
        if handle:
            _check(_call("ncclCommDestroy", handle), "destroy", self)

    def abort(self) -> None:
        """Ends the communicator's work without waiting for other ranks, and frees it.

        Errors: NcclError."""
        handle, self._handle = self._handle, None
        if handle:
            _check(_call("ncclCommAbort", handle), "abort", self)

    def _do(self, function, name, *args):
        if not self._handle:
            raise RuntimeError(f"{name}: the communicator of rank {self._rank} of {self._ranks} was destroyed")
        _check(_call(function, *args), name, self)

    def _number(self, function, name):
        v = c_int()
        self._do(function, name, self._handle, byref(v))
        return v.value

    def device_id(self) -> int:
        """The number of the communicator's GPU."""
        return self._number("ncclCommCuDevice", "device_id")

    def rank_id(self) -> int:
        """The number of this rank."""
        return self._number("ncclCommUserRank", "rank_id")

    def size(self) -> int:
        """The number of ranks."""
        return self._number("ncclCommCount", "size")

    def check_async_error(self) -> None:
        """Raises what went wrong since a call returned.

        Errors: NcclError."""
        _check(self._number("ncclCommGetAsyncError", "check_async_error"), "check_async_error", self)

    def allReduce(self, sendbuf, recvbuf, count, datatype, op, stream) -> None:
        """The sum (or another operation) of all ranks' elements, to all ranks.

        Parameters: sendbuf: the address of the elements; recvbuf: that of the result, which may be the same; count: of
            elements; datatype: NCCL_FLOAT and so on; op: NCCL_SUM and so on; stream: a stream's `ptr`.
        Errors: NcclError."""
        self._do("ncclAllReduce", "allReduce", sendbuf, recvbuf, count, datatype, op, self._handle, stream)

    def reduce(self, sendbuf, recvbuf, count, datatype, op, root, stream) -> None:
        """The sum (or another operation) of all ranks' elements, to one rank.

        Parameters: sendbuf: the address of the elements; recvbuf: that of the result at the root; count: of elements;
            datatype: NCCL_FLOAT and so on; op: NCCL_SUM and so on; root: that rank; stream: a stream's `ptr`.
        Errors: NcclError."""
        self._do("ncclReduce", "reduce", sendbuf, recvbuf, count, datatype, op, root, self._handle, stream)

    def broadcast(self, sendbuff, recvbuff, count, datatype, root, stream) -> None:
        """One rank's elements, to all ranks.

        Parameters: sendbuff: the address of the elements at the root; recvbuff: where they go; count: of elements;
            datatype: NCCL_FLOAT and so on; root: that rank; stream: a stream's `ptr`.
        Errors: NcclError."""
        self._do("ncclBroadcast", "broadcast", sendbuff, recvbuff, count, datatype, root, self._handle, stream)

    def bcast(self, buff, count, datatype, root, stream) -> None:
        """One rank's elements, to the same address of all ranks.

        Parameters: buff: the address; count: of elements; datatype: NCCL_FLOAT and so on; root: that rank; stream: a
            stream's `ptr`.
        Errors: NcclError."""
        self._do("ncclBcast", "bcast", buff, count, datatype, root, self._handle, stream)

    def reduceScatter(self, sendbuf, recvbuf, recvcount, datatype, op, stream) -> None:
        """The sum (or another operation) of all ranks' elements; each rank gets its share.

        Parameters: sendbuf: the address of the elements, recvcount for each rank; recvbuf: where the share goes;
            recvcount: of elements of a share; datatype: NCCL_FLOAT and so on; op: NCCL_SUM and so on; stream: a
            stream's `ptr`.
        Errors: NcclError."""
        self._do("ncclReduceScatter", "reduceScatter", sendbuf, recvbuf, recvcount, datatype, op, self._handle, stream)

    def allGather(self, sendbuf, recvbuf, count, datatype, stream) -> None:
        """All ranks' elements, one rank's after another's, to all ranks.

        Parameters: sendbuf: the address of the elements; recvbuf: where those of all ranks go; count: of elements of
            one rank; datatype: NCCL_FLOAT and so on; stream: a stream's `ptr`.
        Errors: NcclError."""
        self._do("ncclAllGather", "allGather", sendbuf, recvbuf, count, datatype, self._handle, stream)

    def send(self, sendbuf, count, datatype, peer, stream) -> None:
        """Elements to another rank, which receives as many.

        Parameters: sendbuf: the address; count: of elements; datatype: NCCL_FLOAT and so on; peer: the other rank;
            stream: a stream's `ptr`.
        Errors: NcclError."""
        self._do("ncclSend", "send", sendbuf, count, datatype, peer, self._handle, stream)

    def recv(self, recvbuf, count, datatype, peer, stream) -> None:
        """Elements from another rank, which sends as many.

        Parameters: recvbuf: the address; count: of elements; datatype: NCCL_FLOAT and so on; peer: the other rank;
            stream: a stream's `ptr`.
        Errors: NcclError."""
        self._do("ncclRecv", "recv", recvbuf, count, datatype, peer, self._handle, stream)
