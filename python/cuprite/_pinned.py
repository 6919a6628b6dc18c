"""cupyx's NumPy arrays in page-locked memory."""

__all__ = ["empty_like_pinned", "empty_pinned", "zeros_like_pinned", "zeros_pinned"]


def _array(shape, dtype, order):
    import numpy
    from cuprite.cuda import alloc_pinned_memory
    dtype = numpy.dtype(dtype)
    shape = (shape,) if hasattr(shape, "__index__") else tuple(shape)
    count = 1
    for n in shape:
        count *= n
    memory = alloc_pinned_memory(count * dtype.itemsize)
    flat = numpy.frombuffer(memory, dtype, count)
    if order not in ("C", "F"):
        raise ValueError(f"order must be 'C' or 'F' (got {order!r})")
    return flat.reshape(shape, order=order)


def empty_pinned(shape, dtype=float, order="C"):
    """A numpy.ndarray in page-locked memory, contents undefined.

    Parameters: shape: the extents; dtype: an element type; order: 'C', 'F', 'A' or 'K'."""
    return _array(shape, dtype, order)


def zeros_pinned(shape, dtype=float, order="C"):
    """A numpy.ndarray of zeros in page-locked memory.

    Parameters: shape: the extents; dtype: an element type; order: 'C', 'F', 'A' or 'K'."""
    x = _array(shape, dtype, order)
    x[...] = 0
    return x


def _order_like(a, order, shape):
    if order in (None, "A", "K"):
        flags = a.flags
        return "F" if flags.f_contiguous and not flags.c_contiguous and shape is None else "C"
    return order


def empty_like_pinned(a, dtype=None, order="K", subok=None, shape=None):
    """A numpy.ndarray in page-locked memory with the shape and type of an array of either library. `subok` must be None
    or False.

    Parameters: a: an array; dtype: an element type; order: 'C', 'F', 'A' or 'K'; subok: None or False; shape: the
        extents.
    Errors: TypeError for another subok."""
    if subok:
        raise TypeError("subok is not supported")
    return _array(a.shape if shape is None else shape, a.dtype if dtype is None else dtype,
                  _order_like(a, order, shape))


def zeros_like_pinned(a, dtype=None, order="K", subok=None, shape=None):
    """A numpy.ndarray of zeros in page-locked memory with the shape and type of an array of either library.

    Parameters: a: an array; dtype: an element type; order: 'C', 'F', 'A' or 'K'; subok: None or False; shape: the
        extents.
    Errors: TypeError for another subok."""
    x = empty_like_pinned(a, dtype, order, subok, shape)
    x[...] = 0
    return x
