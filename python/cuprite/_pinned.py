"""cupyx's NumPy arrays in page-locked memory."""

__all__ = ["empty_like_pinned", "empty_pinned", "zeros_like_pinned", "zeros_pinned"]


def element_type(dtype):
    """numpy.dtype(dtype). TypeError where elements are references to Python's objects: whatever such memory holds at
    first would be taken for references."""
    import numpy
    dtype = numpy.dtype(dtype)
    if dtype.hasobject:
        raise TypeError(f"dtype {dtype} cannot lie in page-locked memory: its elements are Python objects")
    return dtype


def _array(shape, dtype, order=None, strides=None):
    import numpy
    from cuprite.cuda import alloc_pinned_memory
    dtype = element_type(dtype)
    shape = (shape,) if hasattr(shape, "__index__") else tuple(shape)
    count = 1
    for n in shape:
        count *= n
    return numpy.ndarray(shape, dtype, alloc_pinned_memory(count * dtype.itemsize), 0, strides, order)


def empty_pinned(shape, dtype=float, order="C"):
    """A numpy.ndarray in page-locked memory, contents undefined.

    Parameters: shape: the lengths of the axes; dtype: an element type; order: 'C', 'F' or None, 'C'.
    Errors: TypeError for elements that are Python objects."""
    return _array(shape, dtype, order)


def zeros_pinned(shape, dtype=float, order="C"):
    """A numpy.ndarray of zeros in page-locked memory.

    Parameters: shape: the lengths of the axes; dtype: an element type; order: 'C', 'F' or None, 'C'.
    Errors: TypeError for elements that are Python objects."""
    x = _array(shape, dtype, order)
    x[...] = 0
    return x


def empty_like_pinned(a, dtype=None, order="K", subok=None, shape=None):
    """A numpy.ndarray in page-locked memory with the shape and type of an array of either library. `subok` must be None
    or False.

    Parameters: a: an array; dtype: an element type; order: 'C', 'F', 'A' or 'K'; subok: None or False; shape: the
        lengths.
    Errors: TypeError for another subok, and for elements that are Python objects."""
    if subok:
        raise TypeError("subok is not supported")
    import numpy
    dtype = element_type(a.dtype if dtype is None else dtype)
    # NumPy decides on the layout, by an array of a's strides over a single element, which nothing reads.
    strides = [s // a.dtype.itemsize * dtype.itemsize for s in a.strides]
    layout = numpy.lib.stride_tricks.as_strided(numpy.empty(1, dtype), a.shape, strides)
    like = numpy.empty_like(layout, order="K" if order is None else order, shape=shape)
    return _array(like.shape, dtype, strides=like.strides)


def zeros_like_pinned(a, dtype=None, order="K", subok=None, shape=None):
    """A numpy.ndarray of zeros in page-locked memory with the shape and type of an array of either library.

    Parameters: a: an array; dtype: an element type; order: 'C', 'F', 'A' or 'K'; subok: None or False; shape: the
        lengths.
    Errors: TypeError for another subok, and for elements that are Python objects."""
    x = empty_like_pinned(a, dtype, order, subok, shape)
    x[...] = 0
    return x
