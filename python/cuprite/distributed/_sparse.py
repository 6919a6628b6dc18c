"""Collectives of sparse matrices: messages of the arrays that a matrix consists of.

Ranks tell one another the formats, types, shapes and sizes of what they send, then send what is not empty. Formats are
csr, csc and coo, as in CuPy. Invariant: an argument that gets a matrix is changed when all of it is there, to one of
its own format; it keeps its class."""
import functools
import itertools
import json
import operator

import numpy

import cuprite

_FORMATS = ("csr", "csc", "coo")
_HEADER = 6  # numbers that say what a message holds: format, type, index type, two lengths, elements


def among(*arguments):
    """Whether a sparse matrix, or a list of them, is among the arguments."""
    for x in arguments:
        if type(x) is not cuprite.ndarray:
            x = x[0] if isinstance(x, (list, tuple)) and x else x
            if hasattr(x, "format") and hasattr(x, "tocsr"):
                return True
    return False


# --- matrices as arrays ---

def _check(name, m):
    if getattr(m, "format", None) not in _FORMATS:
        raise TypeError(f"{name} must be a csr, csc or coo matrix of cuprite.scipy.sparse, not "
                        f"{getattr(m, 'format', None) or type(m).__name__}")
    if m.ndim != 2:
        raise TypeError(f"{name} must have two axes, not {m.ndim}")


def _parts(m):
    """The arrays of a matrix."""
    if m is None:
        return ()
    parts = (m.data, *m.coords) if m.format == "coo" else (m.data, m.indices, m.indptr)
    return tuple(map(cuprite.ascontiguousarray, parts))


def _described(m):
    """[format, type, index type, rows, columns, elements], as numbers; None of None."""
    if m is None:
        return None
    parts = _parts(m)
    return [_FORMATS.index(m.format), ord(m.dtype.char), parts[1].dtype.itemsize, *m.shape, parts[0].size]


def _made(like, header):
    """A matrix of this description, whose arrays are to be filled, of the kind (matrix or array) of `like`."""
    if header is None:
        return None
    code, char, index, rows, columns, n = header
    kind = numpy.dtype(f"i{index}")
    data, first = cuprite.empty(n, numpy.dtype(chr(char))), cuprite.empty(n, kind)
    format = _FORMATS[code]
    to = _of_format(like, format)
    if format == "coo":
        return to._new(data, (first, cuprite.empty(n, kind)), (rows, columns))
    return to._new(data, first, cuprite.empty((rows if format == "csr" else columns) + 1, kind), (rows, columns))


def _of_format(like, format):
    from cuprite.scipy.sparse import _base
    return _base.class_of(format, isinstance(like, _base.sparray))


def _set(out, m):
    """Makes an argument the matrix."""
    out.__dict__.update(_of_format(out, out.format)(m.asformat(out.format)).__dict__)


def _together(matrices, op):
    """The matrices' sum or product, in the order of ranks."""
    return functools.reduce(operator.add if op == "sum" else lambda a, b: a.multiply(b), matrices)


# --- messages ---

def _pass(group, sent, got, peer, stream):
    """Arrays to another rank and from it; both know which are empty."""
    for x, y in itertools.zip_longest(sent, got):
        out, into = x is not None and x.size, y is not None and y.size
        if out and into:
            group._send_recv(x, y, peer, stream)
        elif out:
            group._send(x, peer, stream)
        elif into:
            group._recv(y, peer, stream)


def _exchanged(group, name, sent, like, stream):
    """What all ranks have for this one.

    Parameters: sent: a matrix, or None, for each rank; like: what decides between matrices and arrays."""
    told = [json.loads(v) for v in group._meet(name, json.dumps([_described(m) for m in sent]).encode())]
    got = [m if r == group.rank else _made(like, told[r][group.rank]) for r, m in enumerate(sent)]
    for a, b in itertools.combinations(range(group.size), 2):  # one order on all ranks: nobody waits in a circle
        if group.rank in (a, b):
            peer = a + b - group.rank
            _pass(group, _parts(sent[peer]), _parts(got[peer]), peer, stream)
    return got


def _spread(group, name, m, roots, like, stream):
    """The matrices of these ranks, on all.

    Parameters: m: this rank's, or None."""
    told = [json.loads(v) for v in group._meet(name, json.dumps(_described(m)).encode())]
    found = [m if r == group.rank else _made(like, told[r]) for r in roots]
    for r, of_r in zip(roots, found):
        for x in _parts(of_r):
            if x.size:
                group._broadcast(x, r, stream)
    return found


def _collective(group, name, prepare, action, stream):
    """A call that all ranks make, after they have compared it."""
    with group._lock:
        group._usable(name)
        try:
            words, error = prepare(), None
        except Exception as e:
            words, error = "", e
        group._agree(name, words, error, always=True)
        action(stream if stream is not None else cuprite.cuda.get_current_stream())


def _op(m, op):
    _check("in_array", m)
    if op not in ("sum", "prod"):
        raise ValueError(f"sparse matrices have the operations 'sum' and 'prod', not {op!r}")
    return f"sparse {m.format} {m.dtype} of shape {m.shape} {op}"


def _list(group, name, x):
    if not isinstance(x, (list, tuple)) or len(x) != group.size:
        raise RuntimeError(f"{name} must be a list of {group.size} sparse matrices, one for each rank")
    for m in x:
        _check(name, m)


# --- collectives: arguments are those of Backend's ---

def all_reduce(group, x, out, op, stream):
    """The sum or product of all ranks' matrices, to all ranks."""
    def prepare():
        _check("out_array", out)
        return _op(x, op)

    def action(stream):
        got = _exchanged(group, "all_reduce", [x if r == 0 else None for r in range(group.size)], x, stream)
        result = _together(got, op).asformat(x.format) if group.rank == 0 else None
        _set(out, _spread(group, "all_reduce", result, [0], x, stream)[0])
    _collective(group, "all_reduce", prepare, action, stream)


def reduce(group, x, out, root, op, stream):
    """The sum or product of all ranks' matrices, to one rank."""
    def prepare():
        group._root("root", root)
        if group.rank == root:
            _check("out_array", out)
        return f"{_op(x, op)} to rank {root}"

    def action(stream):
        got = _exchanged(group, "reduce", [x if r == root else None for r in range(group.size)], x, stream)
        if group.rank == root:
            _set(out, _together(got, op))
    _collective(group, "reduce", prepare, action, stream)


def broadcast(group, x, root, stream):
    """One rank's matrix, to all ranks."""
    def prepare():
        group._root("root", root)
        _check("in_out_array", x)
        return f"sparse from rank {root}"

    def action(stream):
        m = _spread(group, "broadcast", x if group.rank == root else None, [root], x, stream)[0]
        if group.rank != root:
            _set(x, m)
    _collective(group, "broadcast", prepare, action, stream)


def reduce_scatter(group, x, out, op, stream):
    """The sum or product of all ranks' matrices for a rank, to that rank."""
    def prepare():
        _list(group, "in_array", x)
        _check("out_array", out)
        return " and ".join(_op(m, op) for m in x)
    _collective(group, "reduce_scatter", prepare, lambda s: _set(out, _together(
        _exchanged(group, "reduce_scatter", x, out, s), op)), stream)


def all_gather(group, x, out, stream):
    """All ranks' matrices, to all ranks."""
    def prepare():
        _check("in_array", x)
        _list(group, "out_array", out)
        return "sparse"

    def action(stream):
        for to, m in zip(out, _spread(group, "all_gather", x, range(group.size), x, stream)):
            _set(to, m)
    _collective(group, "all_gather", prepare, action, stream)


def scatter(group, x, out, root, stream):
    """A matrix of one rank, to each rank."""
    def prepare():
        group._root("root", root)
        _check("out_array", out)
        if group.rank == root:
            _list(group, "in_array", x)
        return f"sparse from rank {root}"
    _collective(group, "scatter", prepare, lambda s: _set(out, _exchanged(
        group, "scatter", x if group.rank == root else [None] * group.size, out, s)[root]), stream)


def gather(group, x, out, root, stream):
    """All ranks' matrices, to one rank."""
    def prepare():
        group._root("root", root)
        _check("in_array", x)
        if group.rank == root:
            _list(group, "out_array", out)
        return f"sparse to rank {root}"

    def action(stream):
        got = _exchanged(group, "gather", [x if r == root else None for r in range(group.size)], x, stream)
        if group.rank == root:
            for to, m in zip(out, got):
                _set(to, m)
    _collective(group, "gather", prepare, action, stream)


def all_to_all(group, x, out, stream):
    """Matrix j of rank i becomes matrix i of rank j."""
    def prepare():
        _list(group, "in_array", x)
        _list(group, "out_array", out)
        return "sparse"

    def action(stream):
        for to, m in zip(out, _exchanged(group, "all_to_all", x, out[0], stream)):
            _set(to, m)
    _collective(group, "all_to_all", prepare, action, stream)


# --- calls of two ranks: a header goes first ---

def send(group, x, peer, stream):
    """A matrix to another rank, which calls recv."""
    def prepare():
        group._root("peer", peer)
        _check("array", x)

    def action(stream):
        group._send(cuprite.asarray(_described(x), "i8"), peer, stream)
        _pass(group, _parts(x), (), peer, stream)
    group._alone("send", prepare, action, stream)


def recv(group, out, peer, stream):
    """A matrix from another rank, which calls send."""
    def prepare():
        group._root("peer", peer)
        _check("out_array", out)

    def action(stream):
        header = cuprite.empty(_HEADER, "i8")
        group._recv(header, peer, stream)
        m = _made(out, _told(header, stream))
        _pass(group, (), _parts(m), peer, stream)
        _set(out, m)
    group._alone("recv", prepare, action, stream)


def send_recv(group, x, out, peer, stream):
    """A matrix to another rank and one from it, which calls the same."""
    def prepare():
        group._root("peer", peer)
        _check("in_array", x)
        _check("out_array", out)

    def action(stream):
        header = cuprite.empty(_HEADER, "i8")
        group._send_recv(cuprite.asarray(_described(x), "i8"), header, peer, stream)
        m = _made(out, _told(header, stream))
        _pass(group, _parts(x), _parts(m), peer, stream)
        _set(out, m)
    group._alone("send_recv", prepare, action, stream)


def _told(header, stream):
    """The numbers of a header that the stream brings."""
    stream.synchronize()
    return header.get().tolist()
