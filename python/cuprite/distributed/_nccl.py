"""NCCLBackend: collectives of arrays by NCCL, in the order of streams.

The ranks meet in a store (TCP, or MPI) to make the communicator, at barriers, and to compare a call that is made for
the first time. A thread (_Watch) ends the communicator when a call is not done in time or another rank is lost: what
waits for it in NCCL or in a stream goes on, and the next call says why. Invariant: a complex number is a pair, a bool
a byte of 0 or 1, whose sum is `or` and whose product is `and`, as NumPy's.
"""
import contextlib
import threading
import time

import cuprite
from cuprite.cuda import nccl
from cuprite.distributed._backend import Backend
from cuprite.distributed._errors import DistributedError, DistributedTimeout
from cuprite.distributed._store import TCPStore

_TYPES = {"int8": (nccl.NCCL_INT8, 1), "uint8": (nccl.NCCL_UINT8, 1), "bool": (nccl.NCCL_UINT8, 1),
          "int32": (nccl.NCCL_INT32, 1), "uint32": (nccl.NCCL_UINT32, 1), "int64": (nccl.NCCL_INT64, 1),
          "uint64": (nccl.NCCL_UINT64, 1), "float16": (nccl.NCCL_FLOAT16, 1), "bfloat16": (nccl.NCCL_BFLOAT16, 1),
          "float32": (nccl.NCCL_FLOAT32, 1), "float64": (nccl.NCCL_FLOAT64, 1), "complex64": (nccl.NCCL_FLOAT32, 2),
          "complex128": (nccl.NCCL_FLOAT64, 2)}
_OPERATIONS = {"sum": nccl.NCCL_SUM, "prod": nccl.NCCL_PROD, "max": nccl.NCCL_MAX, "min": nccl.NCCL_MIN}
_OF_BOOL = {**_OPERATIONS, "sum": nccl.NCCL_MAX, "prod": nccl.NCCL_MIN}


class _Watch:
    """What the communicator is doing, and since when; a thread that ends it when that takes too long.

    A call notes that it began and in which stream it went, and no more, since it may take less time than an event does:
    the thread, which looks a few times a second while there is anything to look at, records the events. Invariant:
    whoever notes something and finds the thread idle wakes it; it looks once more after it has said that it is idle."""

    def __init__(self, backend):
        self.backend, self.changed, self.ended, self.idle = backend, threading.Condition(), False, False
        self.calling, self.issued, self.pending = {}, {}, []
        threading.Thread(target=self._watch, daemon=True, name="cuprite NCCL watch").start()

    def begin(self, name):
        """A call of NCCL begins, in this thread."""
        self.calling[threading.get_ident()] = name, time.monotonic() + self.backend.timeout
        if self.idle:
            with self.changed:
                self.changed.notify()

    def end_call(self, stream):
        """It has returned; its work is in the stream, or, with None, there is none."""
        name, until = self.calling.pop(threading.get_ident())
        if stream is not None:
            self.issued.setdefault(stream.ptr, (name, until, stream))

    def _watch(self):
        while True:
            with self.changed:
                self.idle = True
                while not (self.ended or self.calling or self.issued or self.pending):
                    self.changed.wait()
                self.idle = False
                if self.ended:
                    return
            self._record()
            self.pending = [e for e in self.pending if not _done(e[2])]
            now, watched = time.monotonic(), [*list(self.calling.values()), *self.pending]
            late = next((e for e in watched if now > e[1]), None)
            if late is not None:
                break
            with self.changed:
                if not self.ended:
                    self.changed.wait(min(0.2, max(0.005, min((e[1] for e in watched), default=now) - now)))
        self.ended = True
        self.backend._lost(f"{late[0]} was not done within {self.backend.timeout:g} s: a rank has ended, hangs, or "
                           "called something else")

    def _record(self):
        """An event for each stream that got work since the last look. What is captured has no time."""
        for at in list(self.issued):
            name, until, stream = self.issued.pop(at)
            try:
                with self.backend._here:
                    if stream.is_capturing():
                        continue
                    event = cuprite.cuda.Event(disable_timing=True)
                    event.record(stream)
            except RuntimeError:  # the device failed, or the stream has ended with its work
                continue
            self.pending.append((name, until, event))

    def end(self):
        with self.changed:
            self.ended = True
            self.changed.notify()


def _done(event):
    try:
        return event.done
    except RuntimeError:  # the device failed: who waits for the stream is told
        return True


class _MPIMeetings:
    """The store's meetings, by MPI: a program that mpiexec started needs no port."""

    def __init__(self, size, rank, timeout):
        from cuprite.distributed._mpi import Messages
        self.messages = Messages(size, rank, timeout)

    def meet(self, key, value, timeout, call):
        return self.messages.meet(call, value, timeout)

    def failed(self, why):
        """MPI has no word for it; the others' time-out ends their wait."""

    def watch(self, lost):
        """mpiexec ends the other ranks of one that dies."""

    def stop(self):
        self.messages.stop()


class NCCLBackend(Backend):
    """Collectives of arrays between GPUs, a rank each, by NCCL: work of the current stream, or of that which is given.
    The current device is the rank's. The arrays are contiguous; all ranks make the same calls in the same order.

    Parameters: n_devices: ranks; rank: this one's number, from 0; host, port: where rank 0 listens for the others, who
        meet there before NCCL; use_mpi: they meet by MPI instead; timeout: seconds after which a call that is not done
        is an error; check: True: ranks compare each call before it; False: none; None: each that is new.
    Errors: NotImplementedError where there is no NCCL; DistributedError where ranks do not come, or have other
        versions of NCCL."""
    NAME = "NCCL"

    def __init__(self, n_devices, rank, host="127.0.0.1", port=13333, use_mpi=False, *, timeout=600, check=None):
        super().__init__(n_devices, rank, timeout, check)
        self._meetings, self._known, self._comm = 0, set(), None
        self._quick, self._kinds, self._here = set(), {}, cuprite.cuda.Device()
        version = nccl.get_version()
        self._store = _MPIMeetings(n_devices, rank, timeout) if use_mpi else TCPStore(n_devices, rank, host, port,
                                                                                      timeout)
        self._watcher = _Watch(self)
        try:
            unique = nccl.get_unique_id() if rank == 0 else b""
            found = self._meet("init_process_group", b"%d " % version + unique)
            versions = [int(v.partition(b" ")[0]) for v in found]
            if len(set(versions)) > 1:
                raise DistributedError(f"{self._where('init_process_group')}NCCL has one version on all ranks: " +
                                       ", ".join(f"rank {r} has {v}" for r, v in enumerate(versions)))
            self._store.watch(self._lost)
            with self._guarded("init_process_group", cuprite.cuda.get_current_stream()):
                self._comm = nccl.NcclCommunicator(n_devices, found[0].partition(b" ")[2], rank)
            self._device = self._comm.device_id()
        except BaseException as e:
            self._store.failed(f"init_process_group: {type(e).__name__}: {e}")
            self.stop()
            raise

    def stop(self):
        """Ends the group for this rank: its communicator and its connection."""
        self._watcher.end()
        comm, self._comm = self._comm, None
        if comm is not None and not self._why:
            comm.destroy()
        self._break("it was stopped")
        self._store.stop()

    # --- errors ---
    def _lost(self, why):
        """Ends what waits for a lost rank: from a thread."""
        if self._why:
            return
        self._break(why)
        self._store.failed(why)
        comm = self._comm
        if comm is not None:
            try:
                comm.abort()
            except RuntimeError:  # it is broken, which is why
                pass

    def _failed(self, why):
        self._store.failed(why)

    @contextlib.contextmanager
    def _guarded(self, name, stream):
        """NCCL's calls of one collective; what it refuses names the collective and the rank."""
        issued = None
        self._watcher.begin(name)
        try:
            try:
                yield
                issued = stream
            finally:
                self._watcher.end_call(issued)
        except (nccl.NcclError, RuntimeError) as e:
            if isinstance(e, NotImplementedError):
                raise
            if self._why:  # the watch ended it
                kind = DistributedTimeout if "was not done within" in self._why else DistributedError
                raise kind(self._where(name) + self._why) from e
            self._break(f"{name} failed: {e}")
            self._failed(self._why)
            raise DistributedError(f"{self._where(name)}{e}") from e

    def _usable(self, name):
        super()._usable(name)
        if self._comm is not None:
            try:
                self._comm.check_async_error()
            except nccl.NcclError as e:
                self._lost(f"NCCL failed since the last call: {e}")
                super()._usable(name)

    def _meet(self, name, value):
        self._meetings += 1
        return self._store.meet(str(self._meetings), value, self.timeout, name)

    def _needs_check(self, words):
        if self._check is not None:
            return self._check
        new = words not in self._known
        self._known.add(words)
        return new

    def _agree(self, name, words, error=None, always=False):
        if error is not None:  # the others may have gone on to NCCL without a meeting
            self._failed(f"{name}: it could not make its call: {type(error).__name__}: {error}")
            self._break(f"{name} could not be called: {error}")
            raise error
        super()._agree(name, words, None, always)

    # --- arrays ---
    def _array(self, name, x):
        super()._array(name, x)
        if x.device.id != self._device:
            raise ValueError(f"{name} is on {x.device}, the rank's device is {self._device}")

    def _reduced(self, x, op):
        super()._reduced(x, op)
        if str(x.dtype) not in _TYPES:
            raise TypeError(f"Unknown dtype {x.dtype} for NCCL")

    def _key(self, name, *parts):
        """What tells a call from all others, where that is quickly said: it is checked once. Else None."""
        if self._check:
            return None
        key = [name]
        for x in parts:
            if type(x) is cuprite.ndarray:
                if not x._c_contiguous:
                    return None
                key += (x._address, x.shape, x.dtype)
            elif type(x) in (int, str):
                key.append(x)
            else:  # 1.0 is equal to 1, and a list is no key
                return None
        if len(self._quick) > 1000:
            self._quick.clear()
        return tuple(key)

    def _moved(self, x, share=1):
        """Type and count of elements that are moved and not computed with: of any type, as bytes at worst."""
        found = self._kinds.get(x.dtype)
        if found is None:
            found = self._kinds[x.dtype] = _TYPES.get(str(x.dtype), (nccl.NCCL_UINT8, x.dtype.itemsize))
        kind, pair = found
        return kind, x.size // share * pair

    @staticmethod
    def _operation(x, op):
        return (_OF_BOOL if x.dtype.kind == "b" else _OPERATIONS)[op]

    def _all_reduce(self, x, out, op, stream):
        kind, n = self._moved(x)
        with self._guarded("all_reduce", stream):
            self._comm.allReduce(x._address, out._address, n, kind, self._operation(x, op), stream.ptr)

    def _reduce(self, x, out, root, op, stream):
        kind, n = self._moved(x)
        to = out._address if self.rank == root else x._address
        with self._guarded("reduce", stream):
            self._comm.reduce(x._address, to, n, kind, self._operation(x, op), root, stream.ptr)

    def _broadcast(self, x, root, stream):
        kind, n = self._moved(x)
        with self._guarded("broadcast", stream):
            self._comm.broadcast(x._address, x._address, n, kind, root, stream.ptr)

    def _reduce_scatter(self, x, out, count, op, stream):
        kind, pair = _TYPES[str(x.dtype)]
        with self._guarded("reduce_scatter", stream):
            self._comm.reduceScatter(x._address, out._address, count * pair, kind, self._operation(x, op), stream.ptr)

    def _all_gather(self, x, out, count, stream):
        kind, pair = _TYPES.get(str(x.dtype), (nccl.NCCL_UINT8, x.dtype.itemsize))
        with self._guarded("all_gather", stream):
            self._comm.allGather(x._address, out._address, count * pair, kind, stream.ptr)

    @contextlib.contextmanager
    def _group(self, name, stream):
        with self._guarded(name, stream):
            nccl.groupStart()
            try:
                yield
            finally:
                nccl.groupEnd()

    def _scatter(self, x, out, root, stream):
        kind, n = self._moved(out)
        with self._group("scatter", stream):
            if self.rank == root:
                for r in range(self.size):
                    self._comm.send(x._address + r * out.nbytes, n, kind, r, stream.ptr)
            self._comm.recv(out._address, n, kind, root, stream.ptr)

    def _gather(self, x, out, root, stream):
        kind, n = self._moved(x)
        with self._group("gather", stream):
            self._comm.send(x._address, n, kind, root, stream.ptr)
            if self.rank == root:
                for r in range(self.size):
                    self._comm.recv(out._address + r * x.nbytes, n, kind, r, stream.ptr)

    def _all_to_all(self, x, out, stream):
        kind, n = self._moved(x, self.size)
        row = x.nbytes // self.size
        with self._group("all_to_all", stream):
            for r in range(self.size):
                self._comm.send(x._address + r * row, n, kind, r, stream.ptr)
                self._comm.recv(out._address + r * row, n, kind, r, stream.ptr)

    def _send(self, x, peer, stream):
        kind, n = self._moved(x)
        with self._guarded(f"send to rank {peer}", stream):
            self._comm.send(x._address, n, kind, peer, stream.ptr)

    def _recv(self, out, peer, stream):
        kind, n = self._moved(out)
        with self._guarded(f"recv from rank {peer}", stream):
            self._comm.recv(out._address, n, kind, peer, stream.ptr)

    def _send_recv(self, x, out, peer, stream):
        with self._group(f"send_recv with rank {peer}", stream):
            kind, n = self._moved(x)
            self._comm.send(x._address, n, kind, peer, stream.ptr)
            kind, n = self._moved(out)
            self._comm.recv(out._address, n, kind, peer, stream.ptr)
