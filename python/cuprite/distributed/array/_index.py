"""Which part of the whole a chunk is: a tuple of ranges, one for each axis.

Ranges with steps intersect in ranges; a range inside another is a slice of it.
"""
import math
from operator import index as _integer


def ranges_of(shape, index):
    """An index as ranges. An integer keeps its axis, with a length of 1.

    Parameters: shape: of the whole; index: a slice or an integer, or a tuple of them for the first axes.
    Errors: IndexError for too many axes or an integer out of bounds, ValueError for a step that is not positive,
        TypeError for another kind of index."""
    index = index if isinstance(index, tuple) else (index,)
    if len(index) > len(shape):
        raise IndexError(f"too many indices: the array has {len(shape)} axes, there are {len(index)} indices")
    ranges = []
    for axis, n in enumerate(shape):
        i = index[axis] if axis < len(index) else slice(None)
        if isinstance(i, slice):
            start, stop, step = i.indices(n)
            if step <= 0:
                raise ValueError("the step of an index map must be positive")
            ranges.append(range(start, max(start, stop), step))
        elif hasattr(i, "__index__"):
            k = _integer(i)
            if not -n <= k < n:
                raise IndexError(f"index {k} is out of bounds for axis {axis} with size {n}")
            ranges.append(range(k % n, k % n + 1))
        else:
            raise TypeError(f"an index map has slices and integers, not {type(i).__name__}")
    return tuple(ranges)


def slices_of(ranges):
    """The same as slices of the whole.

    Parameters: ranges: one for each axis."""
    return tuple(slice(r.start, r.stop, r.step) for r in ranges)


def lengths(ranges):
    """The shape of a chunk.

    Parameters: ranges: one for each axis."""
    return tuple(len(r) for r in ranges)


def _common(a, b):
    """What two ranges share, a range; by the Chinese remainder theorem."""
    g = math.gcd(a.step, b.step)
    if not a or not b or (b.start - a.start) % g:
        return range(0)
    step = a.step // g * b.step
    k = (b.start - a.start) // g * pow(a.step // g, -1, b.step // g) % (b.step // g) if b.step // g > 1 else 0
    first = a.start + k * a.step  # the least element of a's progression that is b's too
    low = max(a.start, b.start)
    first += -(-max(0, low - first) // step) * step
    return range(first, max(first, min(a[-1], b[-1]) + 1), step)


def common(a, b):
    """What two chunks share: ranges, or None.

    Parameters: a, b: ranges, one for each axis."""
    shared = tuple(_common(x, y) for x, y in zip(a, b))
    return shared if all(len(r) for r in shared) else None


def within(inner, outer):
    """The slices of the chunk `outer` that are `inner`.

    Parameters: inner, outer: ranges, one for each axis."""
    return tuple(slice((i.start - o.start) // o.step, (i[-1] - o.start) // o.step + 1, max(1, i.step // o.step))
                 for i, o in zip(inner, outer))


def is_covered(shape, chunks):
    """Whether every element lies in a chunk.

    Parameters: shape: of the whole; chunks: tuples of ranges."""
    import numpy
    if math.prod(shape) == 0:
        return True
    kinds = []  # along each axis indices that are in the same chunks are one
    for axis, n in enumerate(shape):
        inside = numpy.zeros((n, len(chunks)), bool)
        for c, ranges in enumerate(chunks):
            inside[ranges[axis].start:ranges[axis].stop:ranges[axis].step, c] = True
        kinds.append(numpy.unique(inside, axis=0))
    covered = numpy.ones([len(k) for k in kinds] + [len(chunks)], bool)
    for axis, kind in enumerate(kinds):
        covered &= kind.reshape([1] * axis + [len(kind)] + [1] * (len(shape) - axis - 1) + [len(chunks)])
    return bool(covered.any(axis=-1).all())


def make_2d_index_map(i_partitions, j_partitions, devices) -> "dict[int, list[tuple[slice, ...]]]":
    """An index map of blocks: block (i, j) on each device of devices[i][j].

    Parameters: i_partitions: borders of the rows of blocks, from 0 to the number of rows; j_partitions: those of the
        columns; devices: for each block a set of devices.
    Errors: ValueError where borders and devices do not fit.

    Example:
        >>> cp.distributed.array.make_2d_index_map([0, 2, 4], [0, 5], [[{0}], [{1}]])
        {0: [(slice(0, 2, None), slice(0, 5, None))], 1: [(slice(2, 4, None), slice(0, 5, None))]}
    """
    for name, borders in (("i_partitions", i_partitions), ("j_partitions", j_partitions)):
        if not borders or borders[0] != 0 or list(borders) != sorted(borders):
            raise ValueError(f"{name} must rise from 0")
    if len(devices) != len(i_partitions) - 1 or any(len(row) != len(j_partitions) - 1 for row in devices):
        raise ValueError(f"devices must have {len(i_partitions) - 1} rows of {len(j_partitions) - 1} sets")
    found = {}
    for i, row in enumerate(devices):
        for j, of_block in enumerate(row):
            block = slice(i_partitions[i], i_partitions[i + 1]), slice(j_partitions[j], j_partitions[j + 1])
            for device in sorted(of_block):
                found.setdefault(device, []).append(block)
    return found
