"""What backends have in common: the collectives' arguments, what ranks must agree on, and what follows an error.

A call is prepared (its arguments are checked), agreed on (the ranks compare what they are about to do) and done.
Invariants: a rank whose arguments are wrong says so to the others, which raise too and do not wait; after a time-out
or a lost rank a group is of no use any more, and every call says why.
"""
import operator
import threading

import cuprite
from cuprite.distributed import _sparse
from cuprite.distributed._errors import DistributedError

OPERATIONS = ("sum", "prod", "max", "min")


def checked_rank(n_devices, rank):
    """The two numbers of a rank.

    Parameters: n_devices: ranks of a group; rank: one's number, from 0.
    Errors: TypeError for what is no integer; ValueError for numbers that are none of a rank."""
    n_devices, rank = operator.index(n_devices), operator.index(rank)
    if n_devices <= 0:
        raise ValueError(f"Invalid number of devices {n_devices}")
    if not 0 <= rank < n_devices:
        raise ValueError(f"Invalid number of rank {rank} {n_devices}")
    return n_devices, rank


def checked_timeout(seconds):
    """A time limit.

    Parameters: seconds: a number.
    Errors: TypeError for what is no number; ValueError where nothing can wait so long."""
    if isinstance(seconds, (str, bytes)) or not hasattr(seconds, "__float__") and not hasattr(seconds, "__index__"):
        raise TypeError(f"timeout must be a number of seconds, not {type(seconds).__name__}")
    if not 0 < float(seconds) <= threading.TIMEOUT_MAX:  # false for nan, which no time is later than
        raise ValueError(f"timeout must be more than 0 seconds and at most {threading.TIMEOUT_MAX:.0f}, not {seconds}")
    return float(seconds)


def checked_layout(name, x):
    """The memory of an array must be one block.

    Parameters: name: of the argument; x: the array.
    Errors: TypeError for what is no array, RuntimeError where it is not contiguous."""
    if not isinstance(x, cuprite.ndarray):
        raise TypeError(f"{name} must be a cuprite.ndarray, not {type(x).__name__}")
    if not (x.flags.c_contiguous or x.flags.f_contiguous):
        raise RuntimeError(f"{name} must be C- or F-contiguous")


def described(x, *more):
    """An array in words that must be the same on all ranks.

    Parameters: x: an array; more: further words."""
    return " ".join([f"{_layout(x)}{x.dtype} of shape {x.shape}", *map(str, more)])


def _layout(x):
    return "" if x.flags.c_contiguous else "F "


class Backend:
    """A group of ranks. All of them make the same calls in the same order.

    Parameters: n_devices: ranks of the group; rank: this one's number, from 0; timeout: seconds that a rank waits for
        others; check: whether ranks compare their calls, or None: as the backend does by itself.
    Errors: TypeError for what is no number; ValueError for numbers that are none of a rank, or no time."""

    def __init__(self, n_devices, rank, timeout, check):
        self.size, self.rank = checked_rank(n_devices, rank)
        self.timeout, self._check = checked_timeout(timeout), check
        self._lock, self._why = threading.RLock(), None

    # what a backend has to have, besides the collectives of arrays that are prepared
    def _meet(self, name, value):
        """The bytes of all ranks."""
        raise NotImplementedError

    def _failed(self, why):
        """This rank will make no further call."""

    def _needs_check(self, words):
        return True

    def _where(self, name):
        return f"{name} on rank {self.rank} of {self.size}: "

    def _break(self, why):
        """The group is of no use any more."""
        self._why = self._why or why

    def _usable(self, name):
        if self._why:
            raise DistributedError(self._where(name) + self._why)

    def _agree(self, name, words, error=None, always=False):
        """All ranks compare their calls; raises where they differ, or where one of them could not be made."""
        mine = f"{name} of {words}" if error is None else f"!{type(error).__name__}: {error}"
        if error is None and not always and not self._needs_check(mine):
            return
        try:
            all_calls = [c.decode(errors="replace") for c in self._meet(name, mine.encode()[:240])]
        except DistributedError as e:
            if error is not None:
                raise error from None
            self._break(str(e))
            raise
        if error is not None:
            raise error
        mine = mine.encode()[:240].decode(errors="replace")
        for rank, call in enumerate(all_calls):
            if call.startswith("!"):
                raise DistributedError(f"{self._where(name)}rank {rank} could not make its call: {call[1:]}")
        for rank, call in enumerate(all_calls):
            if call != mine:
                raise DistributedError(f"{self._where(name)}rank {rank} called {call}, this rank {mine}")

    _quick = ()  # keys of calls that were made before, which need neither checks nor words

    def _key(self, name, *parts):
        return None

    def _collective(self, name, prepare, action, stream, key=None):
        with self._lock:
            self._usable(name)
            if key in self._quick:
                return action(stream if stream is not None else cuprite.cuda.get_current_stream())
            try:
                words, error = prepare(), None
            except Exception as e:
                words, error = "", e
            self._agree(name, words, error)
            action(stream if stream is not None else cuprite.cuda.get_current_stream())
            if key is not None:
                self._quick.add(key)

    def _alone(self, name, prepare, action, stream):
        """A call that other ranks do not make with this one."""
        with self._lock:
            self._usable(name)
            prepare()
            action(stream if stream is not None else cuprite.cuda.get_current_stream())

    # --- checks ---
    def _root(self, name, root):
        if not 0 <= operator.index(root) < self.size:
            raise ValueError(f"{name} {root} is no rank of {self.size}")

    def _array(self, name, x):
        checked_layout(name, x)

    def _reduced(self, x, op):
        if op not in OPERATIONS:
            raise RuntimeError(f"Unknown op {op} for {self.NAME}")
        if x.dtype.kind == "c" and op != "sum":
            raise ValueError("Only sum is supported for complex arrays")

    def _alike(self, x, out):
        """Elements go as they lie in memory: an array in another order would get them at other places."""
        self._array("in_array", x)
        self._array("out_array", out)
        if x.dtype != out.dtype:
            raise ValueError(f"in_array is of {x.dtype}, out_array of {out.dtype}")
        a, b = x.flags, out.flags
        if not (a.c_contiguous and b.c_contiguous or a.f_contiguous and b.f_contiguous):
            raise ValueError(f"in_array is in {'C' if a.c_contiguous else 'F'} order, out_array in "
                             f"{'C' if b.c_contiguous else 'F'} order")

    def _pair(self, x, out, sizes=(1, 1)):
        """in_array and out_array: one type and order, and x.size * sizes[1] == out.size * sizes[0]."""
        self._alike(x, out)
        if x.size * sizes[1] != out.size * sizes[0]:
            raise ValueError(f"in_array has {x.size} elements, so out_array has {x.size * sizes[1] // sizes[0]}, "
                             f"not {out.size}")

    def _counted(self, x, out, count, large):
        """in_array and out_array of a call with a count of elements a rank; `large` is the one with all ranks'."""
        self._alike(x, out)
        small, count = out if large is x else x, operator.index(count)
        if count < 0 or small.size < count or large.size < count * self.size:
            raise ValueError(f"count is {count}: the arrays have {small.size} and {large.size} elements, where "
                             f"{count} and {count * self.size} are needed")

    def _rows(self, x):
        if x.ndim == 0 or x.shape[0] != self.size:
            raise RuntimeError(f"the first axis must have a length of {self.size}, one for each rank, not "
                               f"{x.shape[0] if x.ndim else 'none'}")
        if not x.flags.c_contiguous:
            raise RuntimeError("an array with a part for each rank must be C-contiguous")

    # --- collectives ---
    def all_reduce(self, in_array, out_array, op="sum", stream=None):
        """The sum (or another operation) of all ranks' arrays, to all ranks.

        Parameters: in_array: this rank's; out_array: gets the result, and may be in_array; op: 'sum', 'prod', 'max' or
            'min'; stream: a Stream, or None: the current one.
        Errors: DistributedError where ranks' calls differ or a rank is lost; ValueError for arrays that do not fit."""
        if _sparse.among(in_array):
            _sparse.all_reduce(self, in_array, out_array, op, stream)
            return

        def prepare():
            self._pair(in_array, out_array)
            self._reduced(in_array, op)
            return described(in_array, op)
        self._collective("all_reduce", prepare, lambda s: self._all_reduce(in_array, out_array, op, s), stream,
                         self._key("all_reduce", in_array, out_array, op))

    def reduce(self, in_array, out_array, root=0, op="sum", stream=None):
        """The sum (or another operation) of all ranks' arrays, to one rank.

        Parameters: in_array: this rank's; out_array: gets the result at the root; root: that rank; op: 'sum', 'prod',
            'max' or 'min'; stream: a Stream, or None: the current one.
        Errors: DistributedError where ranks' calls differ or a rank is lost; ValueError for arrays that do not fit."""
        if _sparse.among(in_array):
            _sparse.reduce(self, in_array, out_array, root, op, stream)
            return

        def prepare():
            self._root("root", root)
            if self.rank == root:
                self._pair(in_array, out_array)
            self._array("in_array", in_array)
            self._reduced(in_array, op)
            return described(in_array, op, "to rank", root)
        self._collective("reduce", prepare, lambda s: self._reduce(in_array, out_array, root, op, s), stream,
                         self._key("reduce", in_array, out_array, root, op))

    def broadcast(self, in_out_array, root=0, stream=None):
        """One rank's array, to all ranks.

        Parameters: in_out_array: at the root what is sent, elsewhere gets it; root: that rank; stream: a Stream, or
            None: the current one.
        Errors: DistributedError where ranks' calls differ or a rank is lost."""
        if _sparse.among(in_out_array):
            _sparse.broadcast(self, in_out_array, root, stream)
            return

        def prepare():
            self._root("root", root)
            self._array("in_out_array", in_out_array)
            return described(in_out_array, "from rank", root)
        self._collective("broadcast", prepare, lambda s: self._broadcast(in_out_array, root, s), stream,
                         self._key("broadcast", in_out_array, root))

    def reduce_scatter(self, in_array, out_array, count, op="sum", stream=None):
        """The sum (or another operation) of all ranks' arrays; each rank gets its share.

        Parameters: in_array: count elements for each rank; out_array: gets the share; count: elements of a share; op:
            'sum', 'prod', 'max' or 'min'; stream: a Stream, or None: the current one.
        Errors: DistributedError where ranks' calls differ or a rank is lost; ValueError for arrays that do not fit."""
        if _sparse.among(in_array):
            _sparse.reduce_scatter(self, in_array, out_array, op, stream)
            return

        def prepare():
            self._counted(in_array, out_array, count, in_array)
            self._reduced(in_array, op)
            return f"{_layout(in_array)}{in_array.dtype}, {count} a rank, {op}"
        self._collective("reduce_scatter", prepare,
                         lambda s: self._reduce_scatter(in_array, out_array, count, op, s), stream,
                         self._key("reduce_scatter", in_array, out_array, count, op))

    def all_gather(self, in_array, out_array, count, stream=None):
        """All ranks' arrays, one after another, to all ranks.

        Parameters: in_array: this rank's; out_array: gets those of all ranks; count: elements of one rank; stream: a
            Stream, or None: the current one.
        Errors: DistributedError where ranks' calls differ or a rank is lost; ValueError for arrays that do not fit."""
        if _sparse.among(in_array):
            _sparse.all_gather(self, in_array, out_array, stream)
            return

        def prepare():
            self._counted(in_array, out_array, count, out_array)
            return f"{_layout(in_array)}{in_array.dtype}, {count} a rank"
        self._collective("all_gather", prepare, lambda s: self._all_gather(in_array, out_array, count, s), stream,
                         self._key("all_gather", in_array, out_array, count))

    def scatter(self, in_array, out_array, root=0, stream=None):
        """Rows of one rank's array, one to each rank.

        Parameters: in_array: at the root the rows, as many as ranks; out_array: gets this rank's; root: that rank;
            stream: a Stream, or None: the current one.
        Errors: DistributedError where ranks' calls differ or a rank is lost; RuntimeError for another number of rows;
            ValueError for arrays that do not fit."""
        if _sparse.among(in_array, out_array):
            _sparse.scatter(self, in_array, out_array, root, stream)
            return

        def prepare():
            self._root("root", root)
            self._array("out_array", out_array)
            if self.rank == root:
                self._array("in_array", in_array)
                self._rows(in_array)
                self._pair(in_array, out_array, (self.size, 1))
            return described(out_array, "from rank", root)
        self._collective("scatter", prepare, lambda s: self._scatter(in_array, out_array, root, s), stream)

    def gather(self, in_array, out_array, root=0, stream=None):
        """All ranks' arrays as rows of one rank's array.

        Parameters: in_array: this rank's; out_array: at the root gets the rows; root: that rank; stream: a Stream, or
            None: the current one.
        Errors: DistributedError where ranks' calls differ or a rank is lost; RuntimeError for another number of rows;
            ValueError for arrays that do not fit."""
        if _sparse.among(in_array):
            _sparse.gather(self, in_array, out_array, root, stream)
            return

        def prepare():
            self._root("root", root)
            self._array("in_array", in_array)
            if self.rank == root:
                self._array("out_array", out_array)
                self._rows(out_array)
                self._pair(in_array, out_array, (1, self.size))
            return described(in_array, "to rank", root)
        self._collective("gather", prepare, lambda s: self._gather(in_array, out_array, root, s), stream)

    def all_to_all(self, in_array, out_array, stream=None):
        """Row j of rank i becomes row i of rank j.

        Parameters: in_array: a row for each rank; out_array: gets a row of each rank; stream: a Stream, or None: the
            current one.
        Errors: DistributedError where ranks' calls differ or a rank is lost; RuntimeError for another number of rows;
            ValueError for arrays that do not fit."""
        if _sparse.among(in_array):
            _sparse.all_to_all(self, in_array, out_array, stream)
            return

        def prepare():
            self._pair(in_array, out_array)
            self._rows(in_array)
            self._rows(out_array)
            return described(in_array)
        self._collective("all_to_all", prepare, lambda s: self._all_to_all(in_array, out_array, s), stream)

    def send(self, array, peer, stream=None):
        """An array to another rank, which calls recv.

        Parameters: array: what is sent; peer: the other rank; stream: a Stream, or None: the current one.
        Errors: DistributedError where the other rank is lost."""
        if _sparse.among(array):
            _sparse.send(self, array, peer, stream)
            return

        def prepare():
            self._root("peer", peer)
            self._array("array", array)
        self._alone("send", prepare, lambda s: self._send(array, peer, s), stream)

    def recv(self, out_array, peer, stream=None):
        """An array from another rank, which calls send.

        Parameters: out_array: gets it; peer: the other rank; stream: a Stream, or None: the current one.
        Errors: DistributedError where another array comes, or the other rank is lost."""
        if _sparse.among(out_array):
            _sparse.recv(self, out_array, peer, stream)
            return

        def prepare():
            self._root("peer", peer)
            self._array("out_array", out_array)
        self._alone("recv", prepare, lambda s: self._recv(out_array, peer, s), stream)

    def send_recv(self, in_array, out_array, peer, stream=None):
        """An array to another rank and one from it, which calls the same.

        Parameters: in_array: what is sent; out_array: gets the other's; peer: the other rank; stream: a Stream, or
            None: the current one.
        Errors: DistributedError where another array comes, or the other rank is lost."""
        if _sparse.among(in_array):
            _sparse.send_recv(self, in_array, out_array, peer, stream)
            return

        def prepare():
            self._root("peer", peer)
            self._array("in_array", in_array)
            self._array("out_array", out_array)
        self._alone("send_recv", prepare, lambda s: self._send_recv(in_array, out_array, peer, s), stream)

    def barrier(self):
        """Waits until all ranks have come here. Work in streams goes on.

        Errors: DistributedError, which names the ranks that did not come or called something else."""
        with self._lock:
            self._usable("barrier")
            self._agree("barrier", "all ranks", always=True)
