"""What the functions of signals share: arguments as arrays, slices along an axis, extensions, NumPy's side."""
from numbers import Number
from operator import index

import cuprite
from cuprite import _numpy as numpy
from cuprite import _device, ndarray
from cuprite._element_types import type_of


def array(x) -> ndarray:
    """x as an array of ours."""
    return x if isinstance(x, ndarray) else cuprite.asarray(x)


def floating(x) -> ndarray:
    """The same of a floating type: half types are float32, integers float64."""
    x = array(x)
    kind = type_of(x).kind
    if kind in "fc" and type_of(x).itemsize > 2:
        return x
    half = kind == "f" or kind not in "biu" and type_of(x).name == "bfloat16"  # names take NumPy long
    return x.astype("float32" if half else "float64")


def promoted(x) -> ndarray:
    """As `floating`, but float16 is float64, as where SciPy computes in float64 what has no type of its own."""
    x = array(x)
    return x.astype("float64") if type_of(x).char == "e" else floating(x)


def host(x):
    """x as a NumPy array."""
    return x.get() if isinstance(x, ndarray) else numpy.asarray(x)


def near(x) -> ndarray:
    """x in the host's memory, where few numbers take no launches and waits."""
    return cuprite.asarray(x, device="cpu")


def numbers(x):
    """Python's numbers of x, one or a list."""
    if hasattr(x, "tolist"):
        return x.tolist()
    return x if isinstance(x, Number) else [v.item() if hasattr(v, "item") else v for v in x]


def here(x) -> ndarray:
    """x on the current device."""
    return cuprite.asarray(x, device=_device.current())


def axis_of(x, axis) -> int:
    """The axis, counted from 0. Errors: AxisError."""
    axis = index(axis)
    if not -x.ndim <= axis < x.ndim:
        raise cuprite.exceptions.AxisError(axis, x.ndim)
    return axis % x.ndim


def along(x, axis, *limits) -> ndarray:
    """x[slice(*limits)] along an axis."""
    key = [slice(None)] * x.ndim
    key[axis] = slice(*limits)
    return x[tuple(key)]


def on_axis(values, ndim, axis) -> ndarray:
    """A 1-d array in a shape that broadcasts along an axis."""
    shape = [1] * ndim
    shape[axis] = values.size
    return values.reshape(shape)


def padded(x, n, axis, how) -> ndarray:
    """x with n elements before and behind along an axis, n below its length: 'odd', 'even' or 'constant'."""
    if n < 1:
        return x
    if n > x.shape[axis] - 1:
        raise ValueError(f"The extension length n ({n}) is too big. It must not exceed x.shape[axis]-1, which is "
                         f"{x.shape[axis] - 1}.")
    first, last = along(x, axis, 0, 1), along(x, axis, -1, None)
    if how == "constant":
        shape = list(x.shape)
        shape[axis] = n
        before, behind = cuprite.broadcast_to(first, shape), cuprite.broadcast_to(last, shape)
    else:
        before, behind = along(x, axis, n, 0, -1), along(x, axis, -2, -(n + 2), -1)
        if how == "odd":
            before, behind = 2 * first - before, 2 * last - behind
    return cuprite.concatenate([before, x, behind], axis)
