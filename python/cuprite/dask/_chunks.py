"""Functions of each chunk of an array: graphs of one task a chunk, which cost Dask less than its general ones do."""
import itertools
import operator

import dask.array
import numpy
from dask._task_spec import Task, TaskRef
from dask.array.dispatch import concatenate_lookup
from dask.array.overlap import ensure_minimum_chunksize
from dask.base import compute_as_if_collection, tokenize
from dask.highlevelgraph import HighLevelGraph, MaterializedLayer

import cuprite


_TOGETHER = 1 << 24  # elements of chunks that a GPU takes at once, where it waits once a pass


def check_chunks(x):
    """Checks that it is an array of Dask's whose chunks have known sizes."""
    if not isinstance(x, dask.array.Array):
        raise TypeError(f"an array of Dask's is needed, not {type(x).__name__}")
    if any(numpy.isnan(n) for n in x.shape):
        raise ValueError("the chunks' sizes are not known; call compute_chunk_sizes")


def origins(x):
    """The index of each chunk's first element."""
    starts = [numpy.concatenate([[0], numpy.cumsum(c)[:-1]]).astype(int) for c in x.chunks]
    return [tuple(int(s[k]) for s, k in zip(starts, place)) for place in numpy.ndindex(*x.numblocks)]


def _keys(x):
    return [(x.name, *place) for place in numpy.ndindex(*x.numblocks)]


def _on_its_device(function, block, *args):
    """The function on the device of the chunk: the current one is each thread's own."""
    if not isinstance(block, cuprite.ndarray):
        return function(block, *args)
    with block.device:
        return function(block, *args)


def task(key, function, block, *args):
    """A task of Dask's: function(chunk, args) on the device of the chunk.

    Parameters: key: of the task; block: a TaskRef of the chunk; args: values and TaskRefs."""
    return Task(key, _on_its_device, function, block, *args)


def _joined(blocks):
    """Several chunks of each array as one, along the first axis."""
    if len(blocks) == 1:
        return blocks[0]
    with blocks[0][0].device:
        return tuple(cuprite.concatenate(some) for some in zip(*blocks))


class Chunks:
    """The chunks of arrays that are cut in the same way, in C order.

    Parameters: arrays: of Dask's."""

    def __init__(self, *arrays):
        self.arrays = arrays
        self.keys = list(zip(*[_keys(x) for x in arrays]))

    def tasks(self, name, function, *args, each=()):
        """{key: a task}: function(chunks, its own arguments, args) of each chunk.

        Parameters: name: of the tasks; each: what each chunk gets alone."""
        each = each or [()] * len(self.keys)
        return {(name, i): task((name, i), function, *[TaskRef(k) for k in keys], *own, *args)
                for i, (keys, own) in enumerate(zip(self.keys, each))}

    def graph(self, tasks):
        """The tasks and what they need."""
        return HighLevelGraph.from_collections(next(iter(tasks))[0], tasks, dependencies=self.arrays)

    def at_hand(self):
        """The chunks, where all of them lie in this process already, as persist() leaves them; else None."""
        found = []
        for x, keys in zip(self.arrays, zip(*self.keys)):
            layer = getattr(x.dask, "layers", {}).get(x.name)
            if not isinstance(layer, MaterializedLayer):
                return None
            blocks = [getattr(layer.mapping.get(k), "value", layer.mapping.get(k)) for k in keys]
            if not all(isinstance(b, cuprite.ndarray) for b in blocks):
                return None
            found.append(blocks)
        return list(zip(*found))

    def bands(self, most=None):
        """Numbers of chunks (begin, end) that are best taken together: each alone, but bands of lines at hand on one
        GPU, where a pass over few elements takes as long as the waiting for it.

        Parameters: most: elements of a band of several chunks; _TOGETHER."""
        most = most or _TOGETHER
        blocks, first = self.at_hand(), self.arrays[0]
        alone = [(i, i + 1) for i in range(len(self.keys))]
        if not blocks or any(n > 1 for n in first.numblocks[1:]) or not first.ndim or \
                len({b.device for some in blocks for b in some}) > 1 or blocks[0][0].device.name == "cpu":
            return alone
        bands, size = [(0, 0)], 0
        for i, (b, *_) in enumerate(blocks):
            begin, end = bands[-1]
            if end > begin and size + b.size > most:
                bands.append((i, i + 1))
                size = 0
            else:
                bands[-1] = begin, i + 1
            size += b.size
        return bands

    def compute(self, function, *args, each=(), bands=None):
        """What `tasks` would return, computed now.

        Parameters: bands: chunks that are joined for one call, as `bands` returns them, which `each` is of then."""
        blocks = self.at_hand()
        if blocks:  # a task of Dask's takes as long as a pass over a million elements
            bands = bands or [(i, i + 1) for i in range(len(blocks))]
            each = each or [()] * len(bands)
            return [_on_its_device(function, *_joined(blocks[i:j]), *own, *args) for (i, j), own in zip(bands, each)]
        tasks = self.tasks(f"{function.__name__.strip('_')}-{tokenize(self.keys, args, each)}", function, *args,
                           each=each)
        return compute_as_if_collection(dask.array.Array, self.graph(tasks), list(tasks))


# --- chunks with a rim of their neighbours ---

def _depth(depth, ndim):
    if isinstance(depth, dict):
        if not set(depth) <= set(range(ndim)):
            raise ValueError(f"depth names axes {list(depth)} of an array that has {ndim}")
        depth = [depth.get(a, 0) for a in range(ndim)]
    depth = depth if isinstance(depth, (tuple, list)) else [depth] * ndim
    try:
        depth = [operator.index(d) for d in depth]
    except TypeError:
        raise TypeError(f"depth must be integers, not {depth}") from None
    if len(depth) != ndim or any(d < 0 for d in depth):
        raise ValueError(f"depth must be a number of elements for each of {ndim} axes, 0 or more, not {depth}")
    return tuple(depth)


def _sides(depth, numblocks):
    """Where there are neighbours: -1, 0 or 1 for each axis."""
    reach = [(-1, 0, 1) if d and n > 1 else (0,) for d, n in zip(depth, numblocks)]
    return [c for c in itertools.product(*reach) if any(c)]


def _layers(block, depth, sides):
    """The outermost layers of a chunk, as views."""
    part = {-1: lambda d: slice(0, d), 0: lambda d: slice(None), 1: lambda d: slice(-d, None)}
    return {side: block[tuple(part[c](d) for c, d in zip(side, depth))] for side in sides}


def _rims(block, depth, sides):
    """Copies of them: a view would keep the whole chunk in memory."""
    return {side: layer.copy() for side, layer in _layers(block, depth, sides).items()}


def _with_rims(block, function, depth, sides, *rims):
    """The function of a chunk and what lies around it, without what it returns of the latter."""
    pieces = {side: rim[tuple(-c for c in side)] for side, rim in zip(sides, rims)}
    pieces[(0,) * block.ndim] = block
    joined = concatenate_lookup.dispatch(type(block))  # of the chunks' kind: NumPy's remain NumPy's
    for axis in reversed(range(block.ndim)):  # lines of pieces become pieces
        lines = {}
        for side in sorted(pieces):
            lines.setdefault(side[:axis], []).append(pieces[side])
        pieces = {side: line[0] if len(line) == 1 else joined(line, axis=axis) for side, line in lines.items()}
    whole = pieces[()]
    result = function(whole)
    if not hasattr(result, "shape"):
        raise TypeError(f"the function returned {type(result).__name__}, no array")
    if result.shape != whole.shape:
        raise ValueError(f"the function returned the shape {result.shape} of a chunk of {whole.shape}")
    before = [d if any(s[i] < 0 for s in sides) else 0 for i, d in enumerate(depth)]
    return result[tuple(slice(b, b + n) for b, n in zip(before, block.shape))]


def map_overlap(function, x, depth, dtype=None):
    """A function of each chunk and the elements that lie within `depth` of it, as a convolution needs: what
    dask.array.map_overlap does with boundary="none", with two tasks for each chunk. Nothing is computed yet.

    Parameters: function: of an array, returns one of its shape; x: an array of Dask's; depth: elements, one number, or
        one for each axis, as a tuple or {axis: elements}; dtype: of what the function returns, by default x's.

    Errors: TypeError for what is no function, no array of Dask's or no integer; ValueError for unknown chunks, or a
        depth that is negative or of other axes; from the task ValueError where the function returns another shape.

    Result: an array of Dask's. Chunks narrower than the depth are joined with others.
    """
    if not callable(function):
        raise TypeError(f"a function is needed, not {type(function).__name__}")
    check_chunks(x)
    depth = _depth(depth, x.ndim)
    x = x.rechunk(tuple(c if len(c) == 1 or not d else ensure_minimum_chunksize(d, c) if d < sum(c) else (sum(c),)
                        for d, c in zip(depth, x.chunks)))
    sides = _sides(depth, x.numblocks)
    token = tokenize(function, x.name, depth)
    name, rim = f"overlap-{token}", f"rims-{token}"
    blocks, below = Chunks(x).at_hand(), [x]
    if blocks:  # which stay in memory: their layers need neither copies nor tasks, and Dask orders no graph for each
        own, below = {k: b for k, (b,) in zip(_keys(x), blocks)}, []
        rims, tasks = {k[1:]: _layers(b, depth, sides) for k, b in own.items()}, {}
    else:
        own = {k: TaskRef(k) for k in _keys(x)}
        rims = {k[1:]: TaskRef((rim, *k[1:])) for k in _keys(x)}
        tasks = {(rim, *k[1:]): task((rim, *k[1:]), _rims, TaskRef(k), depth, sides) for k in _keys(x) if sides}
    for k in _keys(x):
        near = {side: tuple(p + c for p, c in zip(k[1:], side)) for side in sides}
        near = {side: p for side, p in near.items() if all(0 <= i < n for i, n in zip(p, x.numblocks))}
        tasks[(name, *k[1:])] = task((name, *k[1:]), _with_rims, own[k], function, depth, tuple(near),
                                     *[rims[p] for p in near.values()])
    meta = x._meta if dtype is None else x._meta.astype(dtype)
    return dask.array.Array(HighLevelGraph.from_collections(name, tasks, below), name, x.chunks, meta=meta)
