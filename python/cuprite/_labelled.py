"""scipy.ndimage's measurements that are made of other functions: any function of each label, medians, histograms, and
where each value lies."""
import cuprite
from cuprite import _regions
from cuprite._core import ndarray
from cuprite._element_types import type_of
from cuprite._interpolation import need_array


def _is_scalar(index):
    return not isinstance(index, (ndarray, list, tuple)) and getattr(index, "ndim", 0) == 0


def _together(input, labels):
    """Both in one shape."""
    if not isinstance(labels, ndarray):
        labels = cuprite.array(labels, device=input._device)
    try:
        return cuprite.broadcast_arrays(input, labels)
    except ValueError as why:
        raise ValueError("input and labels must have the same shape (excepting dimensions with width 1)") from why


def _index_array(index, labels):
    """The index as labels' type, in at least one axis, where that keeps its values."""
    if not isinstance(index, ndarray):
        index = cuprite.array(index, device=labels._device)
    index = cuprite.atleast_1d(index)
    same = index.astype(type_of(labels))
    if bool((same.astype(type_of(index)) != index).any()):
        raise ValueError(f"Cannot convert index values from <{index.dtype}> to <{labels.dtype}> (labels' type) without "
                         "loss of precision")
    return same


def labeled_comprehension(input, labels, index, func, out_dtype, default, pass_positions=False) -> "ndarray | object":
    """A function of the elements of each label.

    Parameters: input: an array; labels: an array that broadcasts with it; None: all elements are one region; index: the
        labels, one or several; None: all above 0 are one region; func: called with the elements of a label, a 1-d
        array; out_dtype: the type of the results; object: NumPy's array of what the calls give; default: of labels
        without elements; pass_positions: the function is called with the elements' linear indices too.
    Errors: ValueError for an index without labels, labels of another shape, an index that labels cannot have; TypeError
        for anything but Cuprite's arrays."""
    need_array(input)
    columns = [input]
    if pass_positions:
        columns.append(cuprite.arange(input.size, dtype="int64").reshape(input.shape))
    if labels is None:
        if index is not None:
            raise ValueError("index without defined labels")
        return func(*[c.ravel() for c in columns])
    labels = _together(input, labels)[1]
    columns = [_together(c, labels)[0] for c in columns]
    if index is None:
        return func(*[c[labels > 0] for c in columns])
    wanted = _index_array(index, labels)
    flat = labels.ravel()
    order = cuprite.argsort(flat, kind="stable")
    ordered = flat[order]
    columns = [c.ravel()[order] for c in columns]
    low = cuprite.searchsorted(ordered, wanted.ravel(), side="left").tolist()
    high = cuprite.searchsorted(ordered, wanted.ravel(), side="right").tolist()
    results = [func(*[c[a:b] for c in columns]) if a < b else default for a, b in zip(low, high)]
    return _gathered(results, wanted, out_dtype, _is_scalar(index))


def _gathered(results, index, dtype, alone):
    """The calls' results in the index' shape."""
    if cuprite.dtype(dtype).kind == "O":
        import numpy
        made = numpy.empty(index.shape, object)
        for i, result in enumerate(results):
            made.flat[i] = result
        return made.flat[0] if alone else made
    made = cuprite.empty(index.size, dtype, device=index._device)
    for i, result in enumerate(results):
        made[i] = result
    return made[0] if alone else made.reshape(index.shape)


def histogram(input, min, max, bins, labels=None, index=None) -> "ndarray | object":
    """The histogram of the elements of each label.

    Parameters: input: an array; min, max: the range; bins: how many; labels: an array that broadcasts with it; None:
        all elements are one region; index: the labels, one or several; None: all above 0 are one region.
    Errors: ValueError for an index without labels, and for labels of another shape; TypeError for anything but
        Cuprite's arrays."""
    edges = cuprite.linspace(min, max, bins + 1)
    return labeled_comprehension(input, labels, index, lambda x: cuprite.histogram(x, edges)[0], object, None)


def median(input, labels=None, index=None) -> ndarray:
    """The median of the elements of each label.

    Parameters: input: an array; labels: an array that broadcasts with it; None: all elements are one region; index: the
        labels, one or several; None: all above 0 are one region.
    Errors: ValueError for labels of another shape; TypeError for anything but Cuprite's arrays."""
    need_array(input)
    if labels is None:
        return cuprite.median(input)
    input, labels = _together(input, labels)
    if index is None:
        return cuprite.median(input[labels > 0])
    if _is_scalar(index):
        return cuprite.median(input[labels == index])
    wanted = index if isinstance(index, ndarray) else cuprite.array(index, device=labels._device)
    order = cuprite.argsort(input.ravel(), kind="stable")  # by values, then by labels, whose type may be another
    values, flat = input.ravel()[order], labels.ravel()[order]
    order = cuprite.argsort(flat, kind="stable")
    values, flat = values[order], flat[order]
    low = cuprite.searchsorted(flat, wanted, side="left")
    high = cuprite.searchsorted(flat, wanted, side="right") - 1
    missing = high < low  # SciPy gives the first element of the first label
    low, high = cuprite.where(missing, 0, low), cuprite.where(missing, 0, high)
    step = (high - low) // 2
    if type_of(values).kind in "biu":
        values = values.astype("float64")
    return (values[low + step] + values[high - step]) / 2.0


def value_indices(arr, *, ignore_value=None, adaptive_index_dtype=False) -> "dict[int, tuple[ndarray, ...]]":
    """Where each value lies.

    Parameters: arr: an array of integers; ignore_value: a value that is left out; adaptive_index_dtype: True: indices
        of the smallest type that holds them.
    Errors: ValueError for anything but integers; TypeError for anything but Cuprite's arrays."""
    if type_of(need_array(arr)).kind not in "iu":
        raise ValueError("Parameter 'arr' must be an integer array")
    values, ends, places = _regions.value_indices(arr)
    if adaptive_index_dtype:
        places = [p.astype(cuprite.min_scalar_type(max(n - 1, 0))) for p, n in zip(places, arr.shape)]
    begins = [0, *ends.tolist()]
    return {value: tuple(p[a:b] for p in places)
            for value, a, b in zip(values.tolist(), begins, begins[1:]) if value != ignore_value}
