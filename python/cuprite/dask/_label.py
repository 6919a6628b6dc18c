"""Connected components of an array in chunks, and measurements of them.

Each chunk is labelled alone. Its outermost layers of labels say which components of neighbouring chunks touch: edges of
a graph, whose connected components are those of the whole. A component's number follows from its first element, so
labels are scipy.ndimage.label's, however the array was cut."""
import itertools
import types

import dask.array
import numpy
from dask._task_spec import List, Task, TaskRef
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph

import cuprite
from cuprite.dask._chunks import Chunks, check_chunks, origins, task
from cuprite.scipy import ndimage


def _structure(structure, ndim):
    """The offsets of the neighbours of an element, one of each pair."""
    if structure is None:
        return [tuple(int(i == k) for i in range(ndim)) for k in range(ndim)]
    s = numpy.asarray(cuprite.asnumpy(structure) if isinstance(structure, cuprite.ndarray) else structure) != 0
    if s.shape != (3,) * ndim:
        raise RuntimeError(f"structure must have 3 elements along each of {ndim} axes, not shape {s.shape}")
    if not numpy.array_equal(s, s[(slice(None, None, -1),) * ndim]):
        raise RuntimeError("Input structure must be symmetric")
    return [v for v in itertools.product((-1, 0, 1), repeat=ndim) if v > (0,) * ndim and s[tuple(i + 1 for i in v)]]


def _layer(side):
    return tuple({-1: slice(0, 1), 0: slice(None), 1: slice(-1, None)}[c] for c in side)


def _sides(numblocks):
    """Where chunks can have neighbours."""
    return [c for c in itertools.product(*[(-1, 0, 1) if n > 1 else (0,) for n in numblocks]) if any(c)]


def _label(block, structure):
    """A chunk's own labels."""
    return ndimage.label(cuprite.asarray(block), structure)[0]


def _places(at, shape, origin):
    """The indices in the whole of elements of a chunk, a line for each.

    Parameters: at: their numbers in the chunk; shape: the chunk's; origin: of the chunk."""
    at = cuprite.asnumpy(at)
    if not shape:  # which NumPy's functions of indices do not take
        return numpy.empty((at.size, 0), int)
    return numpy.stack(numpy.unravel_index(at, shape), axis=1) + numpy.array(origin, int)


def _labelled(labels, origin, shape, sides):
    """The labels' number, the index in the whole of each one's first element, and the outermost layers on these sides;
    and where the labelled elements are, and their labels."""
    at = cuprite.flatnonzero(labels)
    taken = labels.reshape(-1)[at]
    found, first = cuprite.unique(taken, return_index=True)
    inside = _places(at[first], labels.shape, origin)
    whole = numpy.ravel_multi_index(inside.T, shape) if found.size and shape else numpy.zeros(found.size, int)
    layers = {c: cuprite.asnumpy(labels[_layer(c)]) for c in sides}
    return types.SimpleNamespace(count=found.size, first=whole, layers=layers), at, taken


def _outline(labels, origin, shape, sides):
    return _labelled(labels, origin, shape, sides)[0]


def _touching(a, b, side, v):
    """Pairs of labels that touch, of two neighbouring chunks: b lies on this side of a; v is the elements' offset."""
    p, q = a.layers[side], b.layers[tuple(-c for c in side)]
    if not p.size or not q.size:
        return numpy.empty((2, 0), int)
    cut_p, cut_q = [], []
    for c, step in zip(side, v):
        step = 0 if c else step
        cut_p.append(slice(max(0, -step), None if step <= 0 else -step))
        cut_q.append(slice(max(0, step), None if step >= 0 else step))
    p, q = p[tuple(cut_p)].ravel(), q[tuple(cut_q)].ravel()
    both = numpy.flatnonzero(p)
    both = both[q[both] != 0]
    pairs = numpy.stack([p[both], q[both]]).astype(int)
    differs = numpy.ones(both.size, bool)  # from the pair before: most repeat it
    differs[1:] = (pairs[:, 1:] != pairs[:, :-1]).any(axis=0)
    return pairs[:, differs]


def _roots(n, edges):
    """The smallest vertex of each vertex's component."""
    root = numpy.arange(n)
    while edges.size:
        a, b = root[edges]
        low = numpy.minimum(a, b)
        before = root.copy()
        numpy.minimum.at(root, numpy.maximum(a, b), low)
        while True:
            next_root = root[root]
            if numpy.array_equal(next_root, root):
                break
            root = next_root
        if numpy.array_equal(before, root):
            break
    return root


def _grid(chunks):
    """{place: number of a chunk} of those that have elements: empty ones lie between neighbours and do not part them.

    Parameters: chunks: their lengths along each axis."""
    filled = itertools.product(*[[i for i, n in enumerate(c) if n] for c in chunks])
    places = itertools.product(*[range(sum(n > 0 for n in c)) for c in chunks])
    number = {place: i for i, place in enumerate(numpy.ndindex(*[len(c) for c in chunks]))}
    return {place: number[of] for place, of in zip(places, filled)}


def _join(outlines, chunks, offsets):
    """For each chunk the whole's labels of its own ones (0 first), and their number."""
    index = _grid(chunks)
    begin = numpy.concatenate([[0], numpy.cumsum([o.count for o in outlines])]).astype(int)
    edges = [numpy.empty((2, 0), int)]
    for v in offsets:
        moved = [i for i, step in enumerate(v) if step]
        for k in range(1, len(moved) + 1):
            for axes in itertools.combinations(moved, k):
                side = tuple(step if i in axes else 0 for i, step in enumerate(v))
                for place, i in index.items():
                    j = index.get(tuple(p + c for p, c in zip(place, side)))
                    if j is not None:
                        pairs = _touching(outlines[i], outlines[j], side, v)
                        edges.append(pairs - 1 + [[begin[i]], [begin[j]]])
    first = numpy.concatenate([o.first for o in outlines]) if outlines else numpy.empty(0, int)
    order = numpy.argsort(first, kind="stable")  # vertices by their first elements: a root has its component's
    rank = numpy.empty_like(order)
    rank[order] = numpy.arange(order.size)
    root = _roots(order.size, rank[numpy.concatenate(edges, axis=1)])
    number = numpy.cumsum(root == numpy.arange(root.size))[root] if root.size else root
    number = number[rank]
    return ([numpy.concatenate([[0], number[begin[i]:begin[i + 1]]]) for i in range(len(outlines))],
            int(number.max(initial=0)))


def _count(joined):
    return numpy.int64(joined[1])


def _renamed(labels, joined, i, dtype):
    return cuprite.asarray(joined[0][i].astype(dtype))[labels]


def label(input, structure=None):
    """scipy.ndimage.label of an array of Dask's: nothing is computed yet.

    Parameters: input: an array of Dask's, of which non-zero elements are labelled; structure: 3 elements along each
        axis, non-zero where neighbours connect (elements that share a face by default).

    Errors: TypeError for what is no array of Dask's, and for complex numbers; ValueError for unknown chunks;
        RuntimeError for a structure that is not symmetric.

    Result: (labels, count), arrays of Dask's; the labels are int32, int64 where the array has 2^31 elements.
    """
    check_chunks(input)
    offsets = _structure(structure, input.ndim)
    ndimage.label(cuprite.empty((1,) * input.ndim, input.dtype), structure)  # checks the type
    chunks, token = Chunks(input), tokenize(input.name, structure)
    dtype = numpy.dtype(numpy.int32 if input.size < 2**31 else numpy.int64)
    own, outline, joined, name, number = (f"{n}-{token}" for n in ("own", "outline", "joined", "label", "count"))
    tasks, renamed, sides = chunks.tasks(own, _label, structure), {}, _sides(input.numblocks)
    for i, (place, at) in enumerate(zip(numpy.ndindex(*input.numblocks), origins(input))):
        tasks[outline, i] = task((outline, i), _outline, TaskRef((own, i)), at, input.shape, sides)
        renamed[name, *place] = task((name, *place), _renamed, TaskRef((own, i)), TaskRef(joined), i, dtype)
    tasks[joined] = Task(joined, _join, List(*[TaskRef((outline, i)) for i in range(len(chunks.keys))]),
                         input.chunks, offsets)
    before = HighLevelGraph.from_collections(joined, tasks, [input])
    counted = {(number,): Task((number,), _count, TaskRef(joined))}
    graph = HighLevelGraph({**before.layers, name: renamed, number: counted},
                           {**before.dependencies, name: {joined}, number: {joined}})
    return (dask.array.Array(graph, name, input.chunks, meta=cuprite.empty((0,) * input.ndim, dtype)),
            dask.array.Array(graph, number, (), numpy.int64))


# --- measurements ---

_SUMS = ("pixels", "flux", "sum")


def _measured(block, segments, origin, structure, shape, sides, background, noise):
    """A chunk's outline, the measurements of its components, and the elements of those that touch its border."""
    if callable(segments):
        segments = segments(block)
        if segments.shape != block.shape:
            raise ValueError(f"segments returned the shape {segments.shape} of a chunk of {block.shape}")
    x, labels = cuprite.asarray(block), _label(segments, structure)
    outline, at, taken = _labelled(labels, origin, shape, sides)
    m = ndimage.measure(x, labels, outline.count, background, noise)
    m = {k: None if v is None else cuprite.asnumpy(v) for k, v in m._asdict().items()}
    for k in ("centroid", "position"):
        m[k] = m[k] + numpy.array(origin, m[k].dtype)
    which = numpy.zeros(outline.count + 1, bool)
    for layer in outline.layers.values():
        which[layer] = True
    which[0] = False
    border = numpy.flatnonzero(which)
    if border.size < outline.count:
        chosen = cuprite.asarray(which)[taken]
        at, taken = at[chosen], taken[chosen]
    outline.measured, outline.border = m, border
    outline.elements = (cuprite.asnumpy(taken), cuprite.asnumpy(x.reshape(-1)[at]),
                        _places(at, labels.shape, origin))
    return outline


def _most_labelled():
    """Elements of chunks that a GPU labels and measures at once: it waits some twenty times. Memory of a hundred bytes
    for each must be free."""
    free = cuprite.cuda.runtime.memGetInfo()[0] if cuprite.cuda.is_available() else 0
    return max(1 << 24, min(1 << 28, free // 100))


def _together(label, value, place, shape, background, noise):
    """The measurements of components from their elements, as one dictionary with the components' numbers."""
    order = numpy.lexsort((numpy.ravel_multi_index(place.T, shape), label)) if label.size else numpy.empty(0, int)
    label, value, place = label[order], value[order], place[order]
    number, begin = numpy.unique(label, return_index=True)
    if not number.size:
        return number, None
    v = value.astype(float)
    flux = v - background
    add = numpy.add.reduceat
    pixels = numpy.diff(numpy.append(begin, label.size))
    total = add(flux, begin)
    with numpy.errstate(all="ignore"):
        origin = place[begin]  # sums of small numbers lose less
        near = place - numpy.repeat(origin, pixels, axis=0)
        centroid = add(flux[:, None] * near, begin) / total[:, None]
    peak = numpy.maximum.reduceat(value, begin)
    top = numpy.repeat(peak, pixels)
    at = numpy.flatnonzero((value == top) | (value != value))  # a nan is the peak
    at = at[numpy.unique(label[at], return_index=True)[1]]
    m = {"pixels": pixels, "flux": total, "sum": add(v, begin), "centroid": origin + centroid, "peak": peak,
         "position": place[at], "flux_error": None, "centroid_error": None}
    if noise:
        distance = near - numpy.repeat(centroid, pixels, axis=0)
        with numpy.errstate(all="ignore"):
            m["flux_error"] = noise * numpy.sqrt(pixels)
            m["centroid_error"] = noise * numpy.sqrt(add(distance**2, begin)) / abs(total[:, None])
    return number, m


def _gathered(outlines, chunks, offsets, shape, background, noise):
    joined, count = _join(outlines, chunks, offsets)
    label = numpy.concatenate([joined[i][o.elements[0]] for i, o in enumerate(outlines)])
    value, place = (numpy.concatenate([o.elements[k] for o in outlines]) for k in (1, 2))
    number, crossing = _together(label, value, place, shape, background, noise)
    result = {}
    for key, one in outlines[0].measured.items():
        if one is not None:
            result[key] = numpy.zeros((count, *one.shape[1:]), one.dtype)
            for i, o in enumerate(outlines):
                inner = numpy.ones(o.count, bool)
                inner[o.border - 1] = False
                result[key][joined[i][1:][inner] - 1] = o.measured[key][inner]
            if number.size:
                result[key][number - 1] = crossing[key]
    return result


def measure(x, segments, structure=None, background=0, noise=0):
    """Labels connected elements of an array of Dask's and measures them, passing once over the chunks; only the
    measurements are kept. They are those of cuprite.scipy.ndimage.measure of the whole, on the host.

    Parameters: x: an array of Dask's; segments: one of the same chunks, non-zero where an element belongs to a
        component, or a function that returns this of a chunk, which costs less; structure: as label's; background:
        what is taken off each element for flux and centroid; noise: the standard deviation of an element, 0: no errors.

    Errors: TypeError for what is no array of Dask's, and for complex numbers; ValueError for chunks that differ or are
        unknown, and for a background or noise that is not finite.

    Result: a named tuple of NumPy's arrays.
    """
    check_chunks(x)
    by_chunk = callable(segments)  # Dask's arrays are not
    one = cuprite.zeros((1,) * x.ndim, x.dtype)
    if not by_chunk:
        check_chunks(segments)
        if x.chunks != segments.chunks:
            raise ValueError("the two arrays have different chunks")
    offsets = _structure(structure, x.ndim)
    labels = ndimage.label(segments(one) if by_chunk else cuprite.zeros(one.shape, segments.dtype), structure)[0]
    empty = ndimage.measure(one, labels, 0, background, noise)  # checks types and numbers
    background, noise = float(background), float(noise)
    chunks, at = Chunks(*((x,) if by_chunk else (x, segments))), origins(x)
    bands, lengths, parts = chunks.bands(_most_labelled()), x.chunks, x.numblocks
    if len(bands) < len(at):  # along the first axis, and the others are not cut
        lengths = (tuple(sum(lengths[0][i:j]) for i, j in bands), *lengths[1:])
        parts = (len(bands), *parts[1:])
    own = [(segments, at[i]) if by_chunk else (at[i],) for i, _ in bands]
    outlines = chunks.compute(_measured, structure, x.shape, _sides(parts), background, noise, each=own, bands=bands)
    result = _gathered(outlines, lengths, offsets, x.shape, background, noise)
    return type(empty)(**{k: result.get(k) for k in empty._fields})
