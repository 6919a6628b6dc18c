"""scipy.ndimage's distance transforms and watershed: arguments as SciPy takes them, for cuprite._geometry."""
import cuprite
from cuprite import _geometry
from cuprite._core import ndarray
from cuprite._element_types import type_of
from cuprite._interpolation import _per_axis, need_array, output_of

_TAXICAB = ("taxicab", "cityblock", "manhattan")


def _check(distances, indices, return_distances, return_indices):
    wrong = []
    if not return_distances and not return_indices:
        wrong.append("at least one of return_distances/return_indices must be True")
    if distances is not None and not return_distances:
        wrong.append("return_distances must be True if distances is supplied")
    if indices is not None and not return_indices:
        wrong.append("return_indices must be True if indices is supplied")
    if wrong:
        raise RuntimeError(", ".join(wrong))


# What holds indices, as CuPy has it: of up to two dimensions 16 bits are enough
_INTEGERS = ("int32", "int64", "uint32", "uint64", "int16", "uint16")


def _check_outputs(input, distances, indices, dtype, error=RuntimeError, integers=("int32",)):
    shape = input.shape or (1,)
    for out, what, wanted, names in ((distances, "distances", shape, (dtype,)),
                                     (indices, "indices", (len(shape), *shape), integers)):
        if out is None:
            continue
        need_array(out)
        if out.shape != wanted:
            raise error(f"{what} array has wrong shape")
        if type_of(out).name not in names:
            raise error(f"{what} array must be {' or '.join(names)}")


def _results(made, distances, indices, return_distances, return_indices):
    """What was made goes to the outputs; the rest is returned: a tuple, one array, or None."""
    found, where = made if return_indices else (made, None)
    results = []
    for value, out, wanted in ((found, distances, return_distances), (where, indices, return_indices)):
        if not wanted:
            continue
        if out is None:
            results.append(value)
        else:
            out[...] = value
    return tuple(results) if len(results) == 2 else results[0] if results else None


def distance_transform_edt(image, sampling=None, return_distances=True, return_indices=False, distances=None,
                           indices=None, *, block_params=None, float64_distances=True) -> "ndarray | tuple | None":
    """The Euclidean distances to the nearest zero, and where it is.

    Parameters: image: an array; sampling: the distance of neighbours, one or one for each axis; return_distances,
        return_indices: what is wanted; distances, indices: arrays that take them; block_params: CuPy's, without effect;
        float64_distances: False for float32.
    Errors: RuntimeError where nothing is wanted, outputs do not fit, or sampling is not one for each axis; TypeError
        for anything but Cuprite's arrays."""
    _check(distances, indices, return_distances, return_indices)
    dtype = "float64" if float64_distances else "float32"
    need_array(image)
    if sampling is not None:
        sampling = _per_axis(sampling, image.ndim or 1)
    if indices is not None and max(image.shape, default=1) > 2 ** 15:
        integers = _INTEGERS[:4]  # 16 bits do not hold them all
    else:
        integers = _INTEGERS if image.ndim < 3 else _INTEGERS[:4]
    _check_outputs(image, distances, indices, dtype, integers=integers)
    made = _geometry.distance_transform_edt(image, sampling, return_indices)
    if not float64_distances:
        made = (made[0].astype(dtype), made[1]) if return_indices else made.astype(dtype)
    return _results(made, distances, indices, return_distances, return_indices)


def _structure(metric, ndim):
    """The structure of a metric's name, on the host, or the one given."""
    if not isinstance(metric, str):
        structure = metric if isinstance(metric, ndarray) else cuprite.array(metric, device="cpu")
        if any(n != 3 for n in structure.shape):
            raise ValueError("metric sizes must be equal to 3")
        return structure
    if metric != "chessboard" and metric not in _TAXICAB:
        raise ValueError("invalid metric provided")
    axes = cuprite.array([1, 0, 1], device="cpu")
    steps = cuprite.zeros((3,) * ndim, "int64", device="cpu")
    for axis in range(ndim):
        steps = steps + axes.reshape((3,) + (1,) * (ndim - 1 - axis))
    return steps <= (ndim if metric == "chessboard" else 1)


def distance_transform_cdt(input, metric="chessboard", return_distances=True, return_indices=False, distances=None,
                           indices=None) -> "ndarray | tuple | None":
    """The numbers of steps to the nearest zero, and where it is.

    Parameters: input: an array; metric: 'chessboard', 'taxicab', or a structure of 3 along each axis; return_distances,
        return_indices: what is wanted; distances, indices: arrays that take them.
    Errors: RuntimeError where nothing is wanted; ValueError for an unknown metric, a structure of another shape,
        outputs that do not fit; TypeError for anything but Cuprite's arrays."""
    _check(distances, indices, return_distances, return_indices)
    need_array(input)
    structure = _structure(metric, input.ndim or 1)
    _check_outputs(input, distances, indices, "int32", ValueError)
    made = _geometry.distance_transform_cdt(input, structure, return_indices)
    return _results(made, distances, indices, return_distances, return_indices)


def distance_transform_bf(input, metric="euclidean", sampling=None, return_distances=True, return_indices=False,
                          distances=None, indices=None) -> "ndarray | tuple | None":
    """The distances to the nearest zero by trying all at an edge, and where it is.

    Parameters: input: an array; metric: 'euclidean', 'taxicab' or 'chessboard'; sampling: the distance of neighbours,
        one or one for each axis; return_distances, return_indices: what is wanted; distances, indices: arrays that take
        them.
    Errors: RuntimeError where nothing is wanted, for an unknown metric, outputs that do not fit, or sampling that is
        not one for each axis; TypeError for anything but Cuprite's arrays."""
    _check(distances, indices, return_distances, return_indices)
    need_array(input)
    metric = metric.lower()
    if metric not in ("euclidean", "chessboard", *_TAXICAB):
        raise RuntimeError("distance metric not supported")
    if sampling is not None:
        sampling = _per_axis(sampling, input.ndim or 1)
    _check_outputs(input, distances, indices, "float64" if metric == "euclidean" else "uint32")
    made = _geometry.distance_transform_bf(input, metric, sampling, return_indices)
    return _results(made, distances, indices, return_distances, return_indices)


def watershed_ift(input, markers, structure=None, output=None) -> ndarray:
    """The labels of the markers from which each element is flooded.

    Parameters: input: an array of uint8 or uint16; markers: an array of signed integers, not 0 where flooding begins;
        structure: 3 along each axis, not 0 where neighbours connect; None: a cross; output: an array, a dtype or its
        name.
    Errors: TypeError for an input of another type, and for anything but Cuprite's arrays; RuntimeError for markers, a
        structure or an output that do not fit."""
    need_array(input), need_array(markers)
    if structure is not None and not isinstance(structure, ndarray):
        structure = cuprite.array(structure, device=input._device)
    options = output_of(output, False)
    made = _geometry.watershed_ift(input, markers, structure, options.get("out"))
    return made.astype(options["dtype"]) if "dtype" in options and type_of(markers) != options["dtype"] else made
