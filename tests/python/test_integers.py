"""Integers as arguments: axes, lengths, indices, offsets. What is one, and what is too large, is what NumPy says.

NumPy has two readers: Python's own, which takes True for 1 and refuses what a C int cannot hold with OverflowError, and
that of its C functions, which takes no truth values and raises ValueError. A call of every function with such an
argument is in one of the lists below."""
import numpy as np
import pytest

import cuprite as cp
from oracle import as_numpy_does

X = np.arange(24.).reshape(2, 3, 4)

AXES = ["sum", "prod", "max", "min", "any", "all", "mean", "std", "var", "nansum", "nanprod", "nanmax", "nanmin",
        "nanstd", "nanvar", "argmax", "argmin", "ptp", "count_nonzero", "median", "sort", "argsort", "unique",
        "squeeze", "expand_dims", "flip", "diff", "trapezoid"]
METHODS = ["sum", "prod", "max", "min", "any", "all", "mean", "std", "var", "argmax", "argmin", "argsort", "squeeze"]

CALLS = {
    "partition": lambda x, v, xp: xp.partition(x, 1, axis=v), "kth": lambda x, v, xp: xp.partition(x, v),
    "compress": lambda x, v, xp: xp.compress([False, True], x, axis=v),
    "concatenate": lambda x, v, xp: xp.concatenate([x, x], axis=v), "append": lambda x, v, xp: xp.append(x, x, axis=v),
    "stack": lambda x, v, xp: xp.stack([x, x], axis=v), "rollaxis": lambda x, v, xp: xp.rollaxis(x, v),
    "start": lambda x, v, xp: xp.rollaxis(x, 0, v), "source": lambda x, v, xp: xp.moveaxis(x, v, 0),
    "destination": lambda x, v, xp: xp.moveaxis(x, 0, v), "swapaxes": lambda x, v, xp: xp.swapaxes(x, 0, v),
    "transpose": lambda x, v, xp: xp.transpose(x, (0, v, 2)), "transpose method": lambda x, v, xp: x.transpose(0, v, 2),
    "diagonal": lambda x, v, xp: xp.diagonal(x, 0, 0, v), "offset": lambda x, v, xp: xp.diagonal(x, v),
    "trace": lambda x, v, xp: xp.trace(x, 0, v, 0), "trace offset": lambda x, v, xp: xp.trace(x, v),
    "linspace axis": lambda x, v, xp: xp.linspace(x[0], x[1], 4, axis=v),
    "linspace": lambda x, v, xp: xp.linspace(0, 1, v), "arange": lambda x, v, xp: xp.arange(v),
    "eye": lambda x, v, xp: xp.eye(v), "eye columns": lambda x, v, xp: xp.eye(3, v),
    "eye diagonal": lambda x, v, xp: xp.eye(3, 3, v), "eye diagonal F": lambda x, v, xp: xp.eye(2, 3, v, order="F"),
    "identity": lambda x, v, xp: xp.identity(v), "tril": lambda x, v, xp: xp.tril(x, v),
    "triu": lambda x, v, xp: xp.triu(x, v), "zeros": lambda x, v, xp: xp.zeros(v),
    "ones": lambda x, v, xp: xp.ones((v, 2)), "full": lambda x, v, xp: xp.full(v, 1.),
    "empty": lambda x, v, xp: xp.empty(v).shape[0], "zeros_like": lambda x, v, xp: xp.zeros_like(x, shape=v),
    "full_like": lambda x, v, xp: xp.full_like(x, 1, shape=(v, 2)), "reshape": lambda x, v, xp: xp.reshape(x, (v, 24)),
    "reshape method": lambda x, v, xp: x.reshape(v, 24),
    "broadcast_to": lambda x, v, xp: xp.broadcast_to(xp.ones(1), v), "item": lambda x, v, xp: x.item(v),
    "item of several": lambda x, v, xp: x.item(v, v, v), "reduce": lambda x, v, xp: xp.add.reduce(x, axis=v),
    "reduce all": lambda x, v, xp: xp.logical_and.reduce(x, v), "std method": lambda x, v, xp: x.std(axis=v),
    "sort method": lambda x, v, xp: x.copy().sort(axis=v),
    "partition method": lambda x, v, xp: x.copy().partition(1, axis=v), "round": lambda x, v, xp: xp.round(x, v),
    "ndmin": lambda x, v, xp: xp.array(1., ndmin=v), "tile": lambda x, v, xp: xp.tile(x, v),
    **{name: lambda x, v, xp, name=name: getattr(xp, name)(x, axis=v) for name in AXES},
    **{f"{name} method": lambda x, v, xp, name=name: getattr(x, name)(axis=v) for name in METHODS},
}
# NumPy takes what its Python code compares or multiplies, integers or not; numbers of elements that nobody has memory
# for
LOOSE = {"tile", "tril", "triu", "start"}
MAKES = {"arange", "linspace", "eye", "eye columns", "identity", "zeros", "ones", "full", "empty", "zeros_like",
         "full_like", "tile", "broadcast_to", "round", "ndmin"}
# NumPy counts the elements before it reduces (OverflowError instead of ValueError), indexes lists, cuts integers to 32
# bits
# NumPy reads beyond the array (offset), or takes the least C int for None
NO_LEAST = {"offset", "trace offset", "argmax", "argmin", "argmax method", "argmin method", "argsort", "argsort method",
            "compress", "concatenate", "append"}
COUNTS = {"mean", "std", "var", "mean method", "std method", "var method", "trapezoid", "transpose", "transpose method"}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("layout", ["C", "F"])
def test_truth_values(call, layout):
    for v in (True, False, 1, 0):
        as_numpy_does(lambda xp: call(xp.asarray(X, order=layout), v, xp))


@pytest.mark.parametrize("name", CALLS)
def test_what_is_none(name):
    for v in ("1", 1j) if name in ("arange", "linspace axis", "unique") else ("1", 1j, [None]):
        if name == "arange" and v == 1j:
            continue  # real numbers only
        as_numpy_does(lambda xp: CALLS[name](xp.asarray(X), v, xp))
    for v in () if name in LOOSE | {"arange"} else (1.0, np.float64(1), np.bool_(True) if name != "kth" else 1.0):
        as_numpy_does(lambda xp: CALLS[name](xp.asarray(X), v, xp))


@pytest.mark.parametrize("name", [n for n in CALLS if n not in MAKES | {"trapezoid"}])
def test_beyond_a_c_int(name):
    call = CALLS[name]
    near = (2**31 - 1, 5, -5) if name in NO_LEAST else (2**31 - 1, -2**31, 5, -5)
    for v in near + (() if name in COUNTS else (2**31, -2**31 - 1, 2**40, -2**40)):
        as_numpy_does(lambda xp: call(xp.asarray(X), v, xp))


LARGE = [2**64, -2**64, 2**70, 2**63, -2**63 - 1]
# NumPy makes unsigned integers and floating-point numbers of the least of them
FLOATING = {(n, v) for n in ("kth", "linspace", "arange", "tril", "triu") for v in (2**63, -2**63 - 1)}


@pytest.mark.parametrize("name, v", [(n, v) for n in CALLS if n not in ("tile", "trapezoid") for v in LARGE
                                     if (n, v) not in FLOATING])
def test_beyond_int64(name, v):
    as_numpy_does(lambda xp: CALLS[name](xp.asarray(X), v, xp))


SEVERAL = [(1,), [1], (True,), [True], (0, 1), [0, 1], (2**40,), (2**70,), [], (), (1.0,), range(1, 2)]
TAKEN_BY = {"moveaxis": lambda x, xp, v: xp.moveaxis(x, v, v), "transpose": lambda x, xp, v: xp.transpose(x, v),
            "item": lambda x, xp, v: x.item(v), "partition": lambda x, xp, v: xp.partition(x, v),
            "zeros": lambda x, xp, v: xp.zeros(v), "tile": lambda x, xp, v: xp.tile(x, v)}
AXES = ["sum", "mean", "max", "argmax", "any", "median", "sort", "squeeze", "expand_dims", "flip", "count_nonzero",
        "ptp"]
# NumPy's own: a range of axes, kth of nothing, memory that is not there, repetitions that are floats.
LEFT = {"expand_dims": ["range(1, 2)"], "partition": ["[]", "()"], "zeros": [repr((2**40,))],
        "tile": [repr((2**40,)), repr((2**70,)), "(1.0,)"]}


@pytest.mark.parametrize("name, several", [(n, v) for n in AXES + list(TAKEN_BY) for v in SEVERAL
                                           if repr(v) not in LEFT.get(n, [])])
def test_sequences(name, several):
    f = TAKEN_BY.get(name, lambda x, xp, v: getattr(xp, name)(x, axis=v))
    as_numpy_does(lambda xp: f(xp.asarray(X[:, :1]), xp, several))


def test_an_unknown_extent():
    for shape in ((-1, 4), (-5, 4), (4, -2**40), (-1, -5), (-5, 5), (-3,)):
        as_numpy_does(lambda xp: xp.asarray(X).reshape(shape))
        as_numpy_does(lambda xp: xp.reshape(xp.asarray(X, order="F"), shape))


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "any", "all", "mean", "std", "var", "ptp", "nansum",
                                  "nanmax", "nanstd", "argmax", "reduce"])
def test_keepdims(name):
    for v in (1, 0, True, False, None, 1.0, [], "a", 2**40, 2**70, np.True_, np.int8(1), np.array(1), np.array([1]),
              -3):
        if name == "argmax" and v == "a":
            continue  # a string is no truth value
        as_numpy_does(lambda xp: (xp.add.reduce if name == "reduce" else getattr(xp, name))(xp.asarray(X), keepdims=v))


def test_words_are_text():
    for call in (lambda v, xp: xp.zeros(3, order=v), lambda v, xp: xp.asarray(X).copy(order=v),
                 lambda v, xp: xp.asarray(X).reshape(24, order=v), lambda v, xp: xp.asarray(X).ravel(order=v),
                 lambda v, xp: xp.asarray(X).astype("f4", order=v), lambda v, xp: xp.asarray(X).astype("f4", casting=v),
                 lambda v, xp: xp.copyto(xp.zeros(3), xp.ones(3), casting=v),
                 lambda v, xp: xp.concatenate([xp.zeros(3)], casting=v), lambda v, xp: xp.add(xp.ones(3), 1, casting=v),
                 lambda v, xp: xp.can_cast("i4", "i8", casting=v), lambda v, xp: xp.meshgrid(xp.ones(3), indexing=v)):
        for v in (1, 1.5, "bogus", ""):
            as_numpy_does(lambda xp: call(v, xp))


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"])
def test_exponents(dtype):
    for n in (3, -3, True, 2**31 - 1, -2**31, 2**31, -2**31 - 1, 2**40, 2**63, -2**63, 2**64, -2**70, np.int64(2**40),
              np.int32(3), 2.5):
        as_numpy_does(lambda xp: xp.ldexp(xp.asarray([1, 0], dtype=dtype), n))
        as_numpy_does(lambda xp: xp.ldexp(xp.asarray([[1, 0]] * 3, dtype=dtype)[::2], n))


def test_exponents_of_numbers():
    for a in (1.0, 1, True, np.float32(1), np.bool_(True)):
        for n in (3, 2**31, 2**40, -2**40, 2**70):
            as_numpy_does(lambda xp: xp.ldexp(a, n))
    for options in ({"casting": "safe"}, {"dtype": "f8"}, {"where": True}):
        as_numpy_does(lambda xp: xp.ldexp(xp.ones(2), 2**40, **options))


def test_a_range_to_an_array():
    for stop in (np.int8(3), True, 3, 3.5, np.float32(3)):
        as_numpy_does(lambda xp: xp.arange(stop))
    for dtype in ("i1", "u2", "i8", "u8", "f4"):
        as_numpy_does(lambda xp: xp.arange(xp.asarray(3, dtype=dtype)))
        as_numpy_does(lambda xp: xp.arange(xp.asarray(3, dtype=dtype), xp.asarray(7, dtype=dtype)))


def test_what_comes_after_equal_numbers():
    """C's nextafter gives the second; so does NumPy from 2.5 on in float16 too, where it gave the first."""
    for dtype in ("f2", "f4", "f8"):
        for a in (0., -0., 1., -1.):
            for b in (0., -0., 1., -1.):
                after = cp.nextafter(cp.asarray([a], dtype=dtype), cp.asarray([b], dtype=dtype)).get()
                if a == b:
                    assert np.signbit(after[0]) == np.signbit(b) and after[0] == b, (dtype, a, b)
                else:
                    np.testing.assert_array_equal(after, np.nextafter(np.asarray([a], dtype), np.asarray([b], dtype)))
