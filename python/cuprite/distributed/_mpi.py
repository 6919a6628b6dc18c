"""MPIBackend: collectives of arrays by MPI (mpi4py), for ranks that mpiexec started.

Arrays of the CPU go to MPI where they lie, arrays of a GPU too where MPI knows CUDA; else they go through page-locked
memory of the host, since an MPI that does not know CUDA ends the process at the first access. Every call is one that
does not block, with a wait that ends after a time limit and then finds out which ranks did not come. Invariant: memory
that MPI may still access is not freed: after a time-out it is kept.
"""
import atexit
import ctypes
import struct
import threading
import time

import cuprite
from cuprite.distributed._backend import Backend
from cuprite.distributed._errors import DistributedError, DistributedTimeout, ranks_in_words

_OPERATIONS = {"sum": "SUM", "prod": "PROD", "max": "MAX", "min": "MIN"}
_OF_BOOL = {"sum": "LOR", "prod": "LAND", "max": "LOR", "min": "LAND"}
_TYPES = {"bool": "C_BOOL", "int8": "INT8_T", "uint8": "UINT8_T", "int16": "INT16_T", "uint16": "UINT16_T",
          "int32": "INT32_T", "uint32": "UINT32_T", "int64": "INT64_T", "uint64": "UINT64_T", "float32": "FLOAT",
          "float64": "DOUBLE", "complex64": "C_FLOAT_COMPLEX", "complex128": "C_DOUBLE_COMPLEX"}
_NAMES = list(_TYPES) + ["float16", "bfloat16"]
_HEAD = struct.Struct("<H")
_MEETING = 256   # bytes of a rank's words when all meet
_MOST = 1 << 30  # elements of one call: MPI counts in int
_MISSING = 31000  # the tag of "I wait"; those of arrays are small
_one_call = threading.Lock()  # where MPI was initialized for one thread at a time
_broken = []


class _NoLock:
    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None


def _mpi():
    try:
        from mpi4py import MPI
    except ImportError as e:
        raise NotImplementedError(f"the backend mpi needs mpi4py and an MPI (pip install mpi4py; on Debian "
                                  f"apt-get install openmpi-bin): {e}") from None
    if MPI.Is_finalized():
        raise RuntimeError("MPI has been finalized")
    return MPI


def _pause(waited):
    """Between two looks: none at first, then shorter than a message takes, so that ranks that share a processor get it.

    Parameters: waited: seconds so far."""
    if waited > 0.0003:
        time.sleep(0.00002 if waited < 0.05 else 0.0001 if waited < 2 else 0.002)


def is_cuda_aware():
    """Whether MPI takes pointers to a GPU's memory, by its own words.

    Errors: NotImplementedError without mpi4py."""
    MPI = _mpi()
    library = ctypes.CDLL(MPI.__file__)  # whose symbols include those of the MPI that it is linked with
    for name in ("MPIX_Query_cuda_support", "MPIX_Query_cuda_support_"):
        try:
            return bool(getattr(library, name)())
        except AttributeError:
            pass
    try:
        answer = ctypes.c_int(0)
        library.MPIX_GPU_query_support(ctypes.c_int(0), ctypes.byref(answer))  # MPICH: 0 is MPIX_GPU_SUPPORT_CUDA
        return bool(answer.value)
    except AttributeError:
        return False


def _end_where_broken():
    """MPI's own end waits for ranks that do not come: a process that has seen a time-out ends the job instead."""
    if _broken:
        try:
            _mpi().COMM_WORLD.Abort(1)
        except Exception:  # finalized, or half gone
            pass


class Messages:
    """Ranks that meet, and calls with a time limit, on a communicator of their own.

    Parameters: size, rank: what the program says of the group; timeout: seconds; comm: MPI's communicator, or None:
        all ranks."""

    def __init__(self, size, rank, timeout, comm=None):
        self.MPI = MPI = _mpi()
        comm = MPI.COMM_WORLD if comm is None else comm
        if comm.Get_size() != size or comm.Get_rank() != rank:
            raise DistributedError(
                f"init_process_group: this process is rank {comm.Get_rank()} of {comm.Get_size()} of MPI, not rank "
                f"{rank} of {size}; `mpiexec -n {size} python PROGRAM` starts the ranks")
        self.size, self.rank, self.kept = size, rank, []
        self.heard = set()  # ranks that have said that they wait
        self.lock = _NoLock() if MPI.Query_thread() == MPI.THREAD_MULTIPLE else _one_call
        with self.lock:
            made, request = comm.Idup()
        self.wait("init_process_group", [request], timeout, made)
        self.comm = made  # not before: MPI ends a process that sends by a communicator which is not complete
        with self.lock:
            self.comm.Set_errhandler(MPI.ERRORS_RETURN)

    def stop(self):
        """Frees the communicator, where nothing is under way."""
        comm, self.comm = self.comm, None
        if comm is not None and not self.kept and not self.MPI.Is_finalized():
            with self.lock:
                comm.Free()

    def start(self, function, *args):
        """A call that does not block: its request.

        Parameters: function: of mpi4py; args: its own."""
        with self.lock:
            return function(*args)

    def wait(self, call, requests, timeout, keep=(), peer=None):
        """Waits for requests.

        Parameters: call: what the rank is doing; requests: of it; timeout: seconds; keep: what has to live until then;
            peer: the one rank that this one waits for, or None: for all.
        Errors: DistributedTimeout, which names the ranks that did not come."""
        start = time.monotonic()
        MPI = self.MPI
        while True:
            with self.lock:
                if MPI.Request.Testall(requests):
                    return
            waited = time.monotonic() - start
            if waited > timeout:
                break
            _pause(waited)
        self.kept.append((requests, keep))  # MPI may still write there
        self.late(call, timeout, peer)

    def late(self, call, timeout, peer=None):
        """Raises DistributedTimeout, which names the ranks that did not come.

        Parameters: call: what the rank is doing; timeout: the seconds that it waited; peer: the rank that it waited
            for, or None: for all."""
        if not _broken:
            atexit.register(_end_where_broken)
        _broken.append(call)
        missing = self._missing()
        if peer is not None:
            missing = [peer]
        who = ranks_in_words(missing) if missing else "a rank"
        raise DistributedTimeout(f"{call} on rank {self.rank} of {self.size}: {who} did not come within {timeout:g} s")

    def _missing(self):
        """Ranks that do not wait too: those that do say so to all others, and have half a second for it."""
        MPI, comm = self.MPI, getattr(self, "comm", None)
        if comm is None:
            return []
        word, heard = bytearray(1), {self.rank, *self.heard}
        until = time.monotonic() + 0.5
        with self.lock:
            self.kept.append([comm.Isend([word, MPI.BYTE], r, _MISSING) for r in range(self.size) if r != self.rank])
        while time.monotonic() < until and len(heard) < self.size:
            with self.lock:
                status = MPI.Status()
                if comm.Iprobe(MPI.ANY_SOURCE, _MISSING, status):
                    comm.Recv([bytearray(1), MPI.BYTE], status.Get_source(), _MISSING)
                    heard.add(status.Get_source())
                    continue
            time.sleep(0.005)
        return [r for r in range(self.size) if r not in heard]

    def meet(self, call, value, timeout):
        """All ranks' bytes, at most 254 of each.

        Parameters: call: what the rank is doing; value: its bytes; timeout: seconds.
        Errors: DistributedTimeout."""
        mine = bytearray(_HEAD.pack(len(value)) + value.ljust(_MEETING - _HEAD.size))
        every = bytearray(_MEETING * self.size)
        request = self.start(self.comm.Iallgather, [mine, self.MPI.BYTE], [every, self.MPI.BYTE])
        self.wait(call, [request], timeout, (mine, every))
        parts = [every[i:i + _MEETING] for i in range(0, len(every), _MEETING)]
        return [bytes(p[_HEAD.size:_HEAD.size + _HEAD.unpack_from(p)[0]]) for p in parts]


def _bytes_of(x):
    """A contiguous array's memory as a flat array of bytes, in its own order."""
    return (x if x.flags.c_contiguous else x.T).reshape(-1).view("uint8")


class _Memory:
    """An array's memory for MPI: its own, or a copy of it on the host.

    Parameters: x: a contiguous array; direct: whether MPI may access it; stream: what the copies are ordered by; read:
        whether MPI reads it."""

    def __init__(self, x, direct, stream, read=True):
        self.x, self.stream, self.host = x, stream, None
        if direct:
            self.address = x.data.ptr
        else:
            self.host = cuprite.empty_pinned(max(x.nbytes, 1), "uint8")
            self.address = self.host.ctypes.data
            if read and x.size:
                _bytes_of(x).get(stream=stream, out=self.host[:x.nbytes])

    def write(self):
        """What MPI wrote, to the array."""
        if self.host is not None and self.x.size:
            _bytes_of(self.x).set(self.host[:self.x.nbytes], stream=self.stream)
            self.stream.synchronize()  # the copy on the host ends with this object


class MPIBackend(Backend):
    """Collectives of arrays by MPI, for a program that mpiexec started: on the CPU, and on GPUs. On a GPU a call waits
    for the stream, and is done when it returns.

    Parameters: n_devices: ranks; rank: this one's number; host, port, use_mpi: of no use here; timeout: seconds that a
        rank waits for others; check: whether ranks compare each call before it, or None: they do; comm: an
        mpi4py.MPI.Comm, or None: all ranks.
    Errors: NotImplementedError without mpi4py; DistributedError where this is no such rank."""
    NAME = "MPI"

    def __init__(self, n_devices, rank, host=None, port=None, use_mpi=True, *, timeout=600, check=None, comm=None):
        super().__init__(n_devices, rank, timeout, check)
        self._messages = Messages(n_devices, rank, timeout, comm)
        self.MPI = self._messages.MPI
        self._aware = None

    def stop(self):
        """Ends the group for this rank."""
        with self._lock:
            if self._messages.comm is not None:
                self._messages.stop()
            self._break("it was stopped")

    def _meet(self, name, value):
        return self._messages.meet(name, value, self.timeout)

    def _needs_check(self, words):
        return self._check is not False

    # --- memory ---
    def _memory(self, x, stream, read=True):
        backend = x.device.backend
        if backend == "cuda" and self._aware is None:
            self._aware = is_cuda_aware()
        direct = backend == "cpu" or backend == "cuda" and self._aware
        if direct and backend == "cuda":
            stream.synchronize()
        return _Memory(x, direct, stream, read)

    def _spec(self, memory, x, start=0, count=None):
        """What mpi4py takes: memory and the type of its elements. Their count, and a rank's part of it, it finds."""
        count = x.size - start if count is None else count
        size = x.dtype.itemsize
        kind = _TYPES.get(str(x.dtype))
        buffer = self.MPI.buffer.fromaddress(memory.address + start * size, count * size)
        return [buffer, getattr(self.MPI, kind) if kind else self.MPI.BYTE]

    def _wait(self, name, requests, *keep, peer=None):
        try:
            self._messages.wait(name, requests, self.timeout, keep, peer)
        except DistributedTimeout as e:
            self._break(str(e))
            raise

    def _start(self, name, function, *args):
        try:
            return self._messages.start(getattr(self._messages.comm, function), *args)
        except self.MPI.Exception as e:
            self._break(f"{name} failed: {e}")
            raise DistributedError(f"{self._where(name)}{e}") from e

    def _op(self, x, op):
        return getattr(self.MPI, (_OF_BOOL if x.dtype.kind == "b" else _OPERATIONS)[op])

    def _widened(self, x, out, reduce):
        """Small floating types, which MPI has no sums of, are summed as float32 and rounded once."""
        wide = x.astype("float32")
        result = cuprite.empty_like(out, dtype="float32") if out is not None else None  # in the same order
        reduce(wide, result)
        if result is not None:
            out[...] = result.astype(out.dtype)

    # --- collectives ---
    def _all_reduce(self, x, out, op, stream):
        if str(x.dtype) not in _TYPES:
            with stream:
                return self._widened(x, out, lambda a, b: self._all_reduce(a, b, op, stream))
        a, b = self._memory(x, stream), self._memory(out, stream, read=False)
        for at in range(0, max(x.size, 1), _MOST):
            n = min(_MOST, x.size - at)
            of = self.MPI.IN_PLACE if a.address == b.address else self._spec(a, x, at, n)
            self._wait("all_reduce", [self._start("all_reduce", "Iallreduce", of, self._spec(b, out, at, n),
                                                  self._op(x, op))], a, b)
        b.write()

    def _reduce(self, x, out, root, op, stream):
        here = self.rank == root
        if str(x.dtype) not in _TYPES:
            with stream:
                return self._widened(x, out if here else None, lambda a, b: self._reduce(a, b, root, op, stream))
        a, b = self._memory(x, stream), self._memory(out, stream, read=False) if here else None
        for at in range(0, max(x.size, 1), _MOST):
            n = min(_MOST, x.size - at)
            of = self.MPI.IN_PLACE if here and a.address == b.address else self._spec(a, x, at, n)
            to = self._spec(b, out, at, n) if here else None
            self._wait("reduce", [self._start("reduce", "Ireduce", of, to, self._op(x, op), root)], a, b)
        if here:
            b.write()

    def _broadcast(self, x, root, stream):
        m = self._memory(x, stream, read=self.rank == root)
        for at in range(0, max(x.size, 1), _MOST):
            self._wait("broadcast", [self._start("broadcast", "Ibcast",
                                                 self._spec(m, x, at, min(_MOST, x.size - at)), root)], m)
        if self.rank != root:
            m.write()

    def _reduce_scatter(self, x, out, count, op, stream):
        x = _flat(x)[:count * self.size]
        out = _flat(out)[:count]
        if str(x.dtype) not in _TYPES:
            with stream:
                return self._widened(x, out, lambda a, b: self._reduce_scatter(a, b, count, op, stream))
        a, b = self._memory(x, stream), self._memory(out, stream, read=False)
        of = self._spec(a, x)
        if _overlap(a, x, b, out):  # MPI allows none
            x = x.copy()
            a = self._memory(x, stream)
            of = self._spec(a, x)
        self._wait("reduce_scatter", [self._start("reduce_scatter", "Ireduce_scatter_block", of, self._spec(b, out),
                                                  self._op(x, op))], a, b)
        b.write()

    def _all_gather(self, x, out, count, stream):
        x, out = _flat(x)[:count], _flat(out)[:count * self.size]
        a, b = self._memory(x, stream), self._memory(out, stream, read=False)
        if _overlap(a, x, b, out):
            x = x.copy()
            a = self._memory(x, stream)
        self._wait("all_gather", [self._start("all_gather", "Iallgather", self._spec(a, x), self._spec(b, out))], a, b)
        b.write()

    def _scatter(self, x, out, root, stream):
        here = self.rank == root
        a, b = self._memory(x, stream) if here else None, self._memory(out, stream, read=False)
        of = self._spec(a, x) if here else None
        self._wait("scatter", [self._start("scatter", "Iscatter", of, self._spec(b, out), root)], a, b)
        b.write()

    def _gather(self, x, out, root, stream):
        here = self.rank == root
        a, b = self._memory(x, stream), self._memory(out, stream, read=False) if here else None
        to = self._spec(b, out) if here else None
        self._wait("gather", [self._start("gather", "Igather", self._spec(a, x), to, root)], a, b)
        if here:
            b.write()

    def _all_to_all(self, x, out, stream):
        a, b = self._memory(x, stream), self._memory(out, stream, read=False)
        if _overlap(a, x, b, out):
            x = x.copy()
            a = self._memory(x, stream)
        self._wait("all_to_all", [self._start("all_to_all", "Ialltoall", self._spec(a, x), self._spec(b, out))], a, b)
        b.write()

    # --- two ranks: the tag says the type, and the length is looked at before anything is written ---
    def _sends(self, name, x, peer, m):
        tag = _NAMES.index(str(x.dtype)) + 1
        return [self._start(name, "Isend", self._spec(m, x, at, min(_MOST, x.size - at)), peer, tag)
                for at in range(0, max(x.size, 1), _MOST)]

    def _send(self, x, peer, stream):
        m = self._memory(x, stream)
        self._wait(f"send to rank {peer}", self._sends("send", x, peer, m), m, peer=peer)

    def _incoming(self, name, peer, sending):
        """The message that comes next from the peer, without its elements."""
        MPI, start, status = self.MPI, time.monotonic(), self.MPI.Status()
        while True:
            with self._messages.lock:
                message = self._messages.comm.Improbe(peer, MPI.ANY_TAG, status)  # of any type: in the order sent
                if message is not None and status.Get_tag() != _MISSING:
                    return message, status
                if message is not None:
                    message.Recv([bytearray(1), MPI.BYTE])
                    self._messages.heard.add(peer)
                MPI.Request.Testall(sending)
            waited = time.monotonic() - start
            if waited > self.timeout:
                try:
                    self._messages.late(name, self.timeout, peer)
                except DistributedTimeout as e:
                    self._break(str(e))
                    raise
            _pause(waited)

    def _receive(self, name, out, peer, stream, sending=()):
        b = self._memory(out, stream, read=False)
        for at in range(0, max(out.size, 1), _MOST):
            n = min(_MOST, out.size - at)
            message, status = self._incoming(name, peer, sending)
            kind, got = _NAMES[status.Get_tag() - 1], status.Get_count(self.MPI.BYTE)
            if kind != str(out.dtype) or got != n * out.dtype.itemsize:
                rest = bytearray(got)
                self._wait(name, [message.Irecv([rest, self.MPI.BYTE])], rest, peer=peer)
                raise DistributedError(f"{self._where(name)}{got} bytes of {kind} came, where {n} elements of "
                                       f"{out.dtype} are expected ({n * out.dtype.itemsize} bytes)")
            self._wait(name, [self._messages.start(message.Irecv, self._spec(b, out, at, n))], b, peer=peer)
        b.write()

    def _recv(self, out, peer, stream):
        self._receive(f"recv from rank {peer}", out, peer, stream)

    def _send_recv(self, x, out, peer, stream):
        name = f"send_recv with rank {peer}"
        if x.data.ptr < out.data.ptr + out.nbytes and out.data.ptr < x.data.ptr + x.nbytes:
            x = x.copy(order="K")
        m = self._memory(x, stream)
        sending = self._sends(name, x, peer, m)
        self._receive(name, out, peer, stream, sending)
        self._wait(name, sending, m, peer=peer)


def _flat(x):
    return (x if x.flags.c_contiguous else x.T).reshape(-1)


def _overlap(a, x, b, out):
    return a.address < b.address + out.nbytes and b.address < a.address + x.nbytes
