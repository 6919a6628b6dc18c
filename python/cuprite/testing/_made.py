"""Arrays of a shape for tests, the same ones for both modules."""
import math

import numpy

import cuprite


def shaped_arange(shape, xp=cuprite, dtype=numpy.float32, order="C"):
    """1, 2, ... in a shape; booleans: whether these are even, complex numbers: with themselves as imaginary parts.

    Parameters: shape: the lengths of the axes; xp: the module, cuprite or numpy; dtype: an element type; order: 'C' or
    'F'."""
    a = numpy.arange(1, math.prod(shape) + 1, dtype=numpy.int64)
    return _in(a, shape, xp, dtype, order)


def shaped_reverse_arange(shape, xp=cuprite, dtype=numpy.float32):
    """..., 2, 1 in a shape, otherwise as shaped_arange.

    Parameters: shape: the lengths of the axes; xp: the module, cuprite or numpy; dtype: an element type."""
    return _in(numpy.arange(math.prod(shape), 0, -1, dtype=numpy.int64), shape, xp, dtype, "C")


def _in(a, shape, xp, dtype, order):
    kind = numpy.dtype(dtype).kind
    a = a % 2 == 0 if kind == "b" else a + a * 1j if kind == "c" else a
    return xp.array(a.astype(dtype).reshape(shape), order=order)


def shaped_linspace(start, stop, shape, xp=cuprite, dtype=numpy.float32):
    """numpy.linspace in a shape.

    Parameters: start: the first value; stop: the last one; shape: the lengths of the axes, or one length; xp: the
        module, cuprite or numpy; dtype: an element type."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return xp.asarray(numpy.linspace(start, stop, math.prod(shape), dtype=dtype).reshape(shape))


def shaped_random(shape, xp=cuprite, dtype=numpy.float32, scale=10, seed=0, order="C"):
    """Random numbers between 0 and `scale` in a shape, by NumPy's generator of that seed.

    Parameters: shape: the lengths of the axes; xp: the module, cuprite or numpy; dtype: an element type; scale: the
        upper bound; seed: an integer; order: 'C' or 'F'."""
    rng, dtype = numpy.random.RandomState(seed), numpy.dtype(dtype)
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if dtype.kind == "b":
        a = rng.randint(2, size=shape)
    elif dtype.kind == "c":
        a = (rng.uniform(size=shape) + 1j * rng.uniform(size=shape)) * scale
    else:
        a = rng.uniform(size=shape) * scale
    return xp.asarray(numpy.asarray(a).astype(dtype), order=order)


def shaped_sparse_random(shape, sp=None, dtype=numpy.float32, density=0.01, format="coo", seed=0):
    """A sparse matrix with random elements, of scipy.sparse or, by default, of cuprite.scipy.sparse.

    Parameters: shape: the lengths of the axes; sp: a module of sparse matrices; dtype: an element type; density: how
        much of it is not 0; format: SciPy's name of a format; seed: an integer."""
    import scipy.sparse
    rows, columns = shape
    a = scipy.sparse.random(rows, columns, density=density, format=format, dtype=dtype,
                            random_state=numpy.random.RandomState(seed))
    if sp is None:
        import cuprite.scipy.sparse as sp
    return a if sp is scipy.sparse else getattr(sp, format + "_matrix")(a)


def generate_matrix(shape, xp=cuprite, dtype=numpy.float32, *, singular_values=None):
    """A random matrix, or a stack of them, with the given singular values.

    Parameters: shape: the lengths of the axes, two or more; xp: the module, cuprite or numpy; dtype: a floating or
        complex type; singular_values: a number or an array.
    Errors: TypeError without singular_values; ValueError for another shape or type."""
    if singular_values is None:
        raise TypeError("singular_values is not specified")
    shape, dtype = tuple(shape), numpy.dtype(dtype)
    if len(shape) < 2:
        raise ValueError(f"shape must have at least two axes, not {shape}")
    if dtype.kind not in "fc":
        raise ValueError(f"dtype must be a floating or complex type, not {dtype}")
    values = numpy.broadcast_to(numpy.asarray(singular_values, "f8"), shape[:-2] + (min(shape[-2:]),))
    a = numpy.random.standard_normal(shape)
    if dtype.kind == "c":
        a = a + 1j * numpy.random.standard_normal(shape)
    if 0 not in shape:
        u, _, v = numpy.linalg.svd(a, full_matrices=False)
        a = (u * values[..., None, :]) @ v
    return xp.asarray(a.astype(dtype))
