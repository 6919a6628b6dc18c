"""Products of distributed matrices, block by block; the result is a sum of the products of blocks (mode SUM)."""
import itertools

import cuprite
from cuprite.distributed.array import _modes
from cuprite.distributed.array._index import lengths, within


def _borders(name, n, chunks, axis):
    """The blocks into which chunks cut an axis.

    Errors: RuntimeError for chunks with a step."""
    if any(c.ranges[axis].step != 1 and len(c.ranges[axis]) > 1 for c in chunks):
        raise RuntimeError(f"matmul: a chunk of {name} has a step; reshard it to blocks")
    return sorted({0, n, *(c.ranges[axis].start for c in chunks), *(c.ranges[axis].stop for c in chunks)})


def _blocks(borders):
    return [range(a, b) for a, b in zip(borders, borders[1:])]


def _holders(chunks, block):
    """device: a chunk of it that has the whole block."""
    found = {}
    for c in chunks:
        if all(r.start <= b.start and b.stop <= r.stop for r, b in zip(c.ranges, block)):
            found.setdefault(c.device, c)
    return found


def _matrix(x, axis):
    """A vector as a matrix with an axis of length 1."""
    if x.ndim != 1:
        return x
    return x._map(lambda a: cuprite.expand_dims(a, axis), x.shape[:axis] + (1,) + x.shape[axis:],
                  lambda r: r[:axis] + (range(1),) + r[axis:])


def _without(x, axis):
    axis %= x.ndim
    return x._map(lambda a: a.reshape(a.shape[:axis] + a.shape[axis + 1:]), x.shape[:axis] + x.shape[axis + 1:],
                  lambda r: r[:axis] + r[axis + 1:])


def product(array, chunk, a, b, out=None, **kwargs):
    """The product of two distributed arrays, matrices in their last two axes. A device multiplies blocks that it has
    both of. The result is in mode SUM.

    Parameters: array, chunk: the classes DistributedArray and Chunk; a, b: DistributedArrays; out: None.
    Errors: RuntimeError where no device has both blocks of a product, for chunks with steps, and for out; ValueError
        for shapes that do not fit; TypeError for other arrays."""
    if out is not None or kwargs:
        raise RuntimeError("matmul: Argument `out` and other options are not supported")
    for x in (a, b):
        if not isinstance(x, array):
            raise TypeError(f"matmul: DistributedArrays are multiplied, not {type(x).__name__}")
        if x.ndim == 0:
            raise ValueError("matmul: an operand has no axis")
    left, right = a.ndim == 1, b.ndim == 1
    a, b = _matrix(a.change_mode(_modes.REPLICA), 0), _matrix(b.change_mode(_modes.REPLICA), 1)
    if a.shape[:-2] != b.shape[:-2] or a.shape[-1] != b.shape[-2]:
        raise ValueError(f"matmul: shapes {a.shape} and {b.shape} do not fit")
    result = _product(array, chunk, a, b)
    if left:
        result = _without(result, -2)
    return _without(result, -1) if right else result


def _product(array, chunk, a, b):
    of_a, of_b, nb = a._chunks(), b._chunks(), a.ndim - 2
    batch = [_blocks(sorted({*_borders("a", a.shape[i], of_a, i), *_borders("b", b.shape[i], of_b, i)}))
             for i in range(nb)]
    rows, columns = _blocks(_borders("a", a.shape[-2], of_a, nb)), _blocks(_borders("b", b.shape[-1], of_b, nb + 1))
    inner = _blocks(sorted({*_borders("a", a.shape[-1], of_a, nb + 1), *_borders("b", b.shape[-2], of_b, nb)}))
    dtype, made, work = cuprite.result_type(a.dtype, b.dtype), {}, {}
    for where in itertools.product(*batch):
        for i, k, j in itertools.product(rows, inner, columns):
            block_a, block_b = (*where, i, k), (*where, k, j)
            with_a, with_b = _holders(of_a, block_a), _holders(of_b, block_b)
            both = sorted(set(with_a) & set(with_b), key=lambda d: (work.get(d, 0), d))
            if not both:
                raise RuntimeError(f"There is no device that can perform multiplication between block {block_a} and "
                                   f"{block_b}")
            device = both[0]
            work[device] = work.get(device, 0) + len(i) * len(k) * len(j)
            target = made.setdefault(device, {}).setdefault((where, i, j), None)
            if not a._places.owns(device):
                continue
            with a._places.device(device):
                x = with_a[device].array[within(block_a, with_a[device].ranges)]
                y = with_b[device].array[within(block_b, with_b[device].ranges)]
                term = cuprite.matmul(x, y)
                made[device][where, i, j] = term if target is None else target + term
    chunks = {}
    for device, blocks in made.items():
        chunks[device] = [chunk(device, (*where, i, j), x, dtype) for (where, i, j), x in blocks.items()]
    shape = a.shape[:-2] + (a.shape[-2], b.shape[-1])
    if not inner and 0 not in shape:
        raise ValueError("matmul: the matrices have no columns and rows to sum over")
    assert all(c.array is None or c.array.shape == lengths(c.ranges) for cs in chunks.values() for c in cs)
    return array(shape, dtype, chunks, _modes.SUM)
