"""Axes of 0-d arrays: the numbers 0 and -1 pass where NumPy lets them, tuples of them do not."""
import numpy as np
import pytest

from oracle import as_numpy_does

AXES = [None, (), (0,), (-1,), (1,), (-2,), (0, 0), (0, 1), 0, -1, 1, -2, np.int64(0), (np.int8(-1),)]
REDUCTIONS = ("sum prod max min any all mean var std median ptp count_nonzero nansum nanprod nanmax nanmin nanvar "
              "nanstd").split()
METHODS = "sum prod max min any all mean var std squeeze".split()
VIEWS = ["squeeze", "flip", "expand_dims"]


@pytest.mark.parametrize("dtype", ["f4", "i4", "D", "?"])
@pytest.mark.parametrize("name", REDUCTIONS + VIEWS)
def test_functions(name, dtype):
    for axis in AXES:
        as_numpy_does(lambda xp: getattr(xp, name)(xp.asarray(3).astype(dtype), axis=axis))
        as_numpy_does(lambda xp: getattr(xp, name)(xp.asarray([3, 4]).astype(dtype), axis=axis))
        if name in REDUCTIONS:
            as_numpy_does(lambda xp: getattr(xp, name)(xp.asarray(3).astype(dtype), axis=axis, keepdims=True))


@pytest.mark.parametrize("name", METHODS)
def test_methods(name):
    for axis in AXES:
        as_numpy_does(lambda xp: getattr(xp.asarray(3.5), name)(axis=axis))


def test_others():
    for axis in AXES:
        as_numpy_does(lambda xp: xp.add.reduce(xp.asarray(3.5), axis=axis))
        as_numpy_does(lambda xp: xp.maximum.reduce(xp.asarray(3.5), axis))
        as_numpy_does(lambda xp: xp.sum(xp.asarray(3.5), axis, where=xp.asarray(True)))
        for f in ("moveaxis", "swapaxes"):
            as_numpy_does(lambda xp: getattr(xp, f)(xp.asarray(3.5), axis, axis))
    as_numpy_does(lambda xp: xp.add.reduce(xp.asarray(3.5)))
    for axis in (None, 0, -1, 1, -2):
        for f in ("argmax", "argmin", "sort", "argsort", "unique"):
            as_numpy_does(lambda xp: getattr(xp, f)(xp.asarray(3.5), axis=axis))
        as_numpy_does(lambda xp: xp.compress([True], xp.asarray(3.5), axis=axis))
        as_numpy_does(lambda xp: xp.concatenate([xp.asarray(3.5)], axis=axis))
        as_numpy_does(lambda xp: xp.partition(xp.asarray(3.5), 0, axis=axis))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", ["mean", "var", "std", "nanvar", "nanstd", "sum", "max"])
def test_masked(name):
    """What a mask lets take part is counted by a loop, not from the shape."""
    for dtype in ("f4", "i4", "D", "?"):
        for axis in AXES + [2**31]:
            for where in (True, False, 1, np.True_, [True], [False]):
                def call(xp):
                    options = {"initial": 3} if name == "max" else {}
                    mask = xp.asarray(where[0]) if isinstance(where, list) else where
                    return getattr(xp, name)(xp.asarray(3).astype(dtype), axis=axis, where=mask, **options)
                as_numpy_does(call)


@pytest.mark.parametrize("dtype", ["d", "i8", "?"])
def test_truth_values_are_counted_before_they_are_refused(dtype):
    for shape in ((), (3,), (2, 3), (0,)):
        for axis in (True, False, (True,), (True, 0)):
            for name in ("mean", "var", "std", "nanvar", "sum"):
                if dtype != "?" or name in ("mean", "sum"):
                    as_numpy_does(lambda xp: getattr(xp, name)(xp.ones(shape, dtype), axis=axis))
            as_numpy_does(lambda xp: xp.ones(shape, dtype).mean(axis=axis))
