"""var, std and their like about a mean that is given (mean=), and correction=."""
import numpy as np
import pytest

from oracle import as_numpy_does, outcome

import cuprite as cp

X = {"f8": np.array([[1.5, 7.25, -2], [4, 1e3, 300.7]]), "f4": np.array([[1.5, 7.25, -2], [4, 100, 30.5]], "f4"),
     "f2": np.array([[1.5, 7.25, -2], [4, 10, 3.5]], "f2"), "i4": np.array([[1, 7, -2], [4, 2**30, 300]], "i4"),
     "D": np.array([[1 + 2j, 3, 4], [2, 1j, 5]]), "F": np.array([[1 + 2j, 3, 4], [2, 1j, 5]], "F"),
     "?": np.array([[True, False, True], [True, True, False]]), "empty": np.zeros((2, 0)),
     "nan": np.array([[1, np.nan, 4], [np.nan, np.nan, 7]])}
NAMES = ["var", "std", "nanvar", "nanstd"]


def close(ours, theirs, size):
    if isinstance(theirs, type) or isinstance(ours, type):
        assert ours is theirs
        return
    ours, theirs = ours.get(), np.asarray(theirs)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    if theirs.dtype.kind in "fc":  # sums of the same squares, in another order
        eps = np.finfo(theirs.dtype).eps
        np.testing.assert_allclose(ours, theirs, rtol=4 * size * eps)
    else:
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("x", X)
def test_mean(x, name):
    a = X[x]
    for axis in (None, 0, 1, (0, 1), ()):
        kept = np.mean(a, axis=axis, keepdims=True)
        for mean in (kept, kept.astype("f4") if kept.dtype.kind == "f" else kept, 2.5, 3, 1j, np.float32(2),
                     np.zeros(5)):
            for options in ({}, {"ddof": 1}, {"correction": 1}, {"keepdims": True}, {"dtype": "f4"}, {"dtype": "i8"},
                            {"ddof": 9}, {"where": [[True, False, True], [True, True, False]]}, {"where": False}):
                def call(xp):
                    o = dict(options)
                    if isinstance(o.get("where"), list):
                        o["where"] = xp.asarray(o["where"])
                    m = xp.asarray(mean) if isinstance(mean, np.ndarray) else mean
                    return getattr(xp, name)(xp.asarray(a), axis=axis, mean=m, **o)
                close(outcome(call, cp), outcome(call, np), a.size)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_arguments():
    x = np.array([[1.0, 3, 8], [4, 2, 6]])
    for name in NAMES:
        as_numpy_does(lambda xp: getattr(xp, name)(xp.asarray(x), axis=0, mean=xp.asarray(x[:1]), out=xp.ones(3)))
        as_numpy_does(lambda xp: getattr(xp, name)(xp.asarray(x), axis=0, mean=xp.asarray(x[:1]), out=xp.ones(4)))
        as_numpy_does(lambda xp: getattr(xp, name)(xp.asarray(x), 0, mean=3.0, ddof=1, correction=1))
        as_numpy_does(lambda xp: getattr(xp, name)(xp.asarray(x), axis=1, mean=xp.ones(2)))
        for mean in (np.ones((2, 2, 3)), np.ones((1, 2, 3)), np.ones((0, 2, 3))):  # var's elements, not nanvar's, grow
            as_numpy_does(lambda xp: getattr(xp, name)(xp.asarray(x), axis=0, mean=xp.asarray(mean)))
        for out in ("i4", "f4", "D"):
            as_numpy_does(lambda xp: getattr(xp, name)(xp.asarray(x), 1, mean=3.0, out=xp.ones(2, out)))
    for name in ("var", "std"):
        as_numpy_does(lambda xp: getattr(xp, name)(xp.asarray(x[:, :2]), mean=None))  # exact in any order
        as_numpy_does(lambda xp: getattr(xp.asarray(x), name)(axis=1, mean=xp.ones((2, 1))))
        as_numpy_does(lambda xp: getattr(xp.asarray(x), name)(1, mean=2.0, where=xp.asarray(x > 2)))
    as_numpy_does(lambda xp: xp.sum(xp.asarray(x), mean=3.0))


@pytest.mark.parametrize("name", ["var", "std", "nanvar", "nanstd"])
@pytest.mark.parametrize("mean", ["d", "F", "D"])
@pytest.mark.parametrize("dtype", ["f4", "d", "D"])
def test_complex_means_of_real_elements_are_warned_of(name, mean, dtype):
    for axis in (None, 0):
        as_numpy_does(lambda xp: getattr(xp, name)(xp.asarray([1, 2, 4]).astype(dtype), axis=axis,
                                                   mean=xp.asarray([2]).astype(mean)))
