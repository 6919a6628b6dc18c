"""scatter_add, scatter_max, scatter_min: to the bit what numpy.add.at, maximum.at and minimum.at do, for every type and
kind of index; and where NumPy's bfloat16 is not, what its float32 does."""
import numpy as np
import pytest

import cuprite as cp

TYPES = "?bBhHiIlLefdFD"
ORACLE = {"add": np.add, "max": np.maximum, "min": np.minimum}
rng = np.random.default_rng(7)
I, J, MANY = rng.integers(-7, 7, (4, 30)), rng.integers(-5, 5, 30).astype("i2"), rng.integers(0, 7, (9, 1, 1), "u1")
ROWS = np.array([True, False, True, True, False, False, True])
INDICES = [I, (I, J), (I, slice(None), 2), (I, slice(1, 4), J % 3), (slice(None), J), (slice(None), J, J), (3, J),
           (slice(None, None, 2), None, J, slice(4, 0, -2)), (Ellipsis, J), ([0, 1, 1],), (2, 3, 1), 4, slice(1, 3),
           (Ellipsis,), (ROWS, 1), (ROWS, slice(None), J[:4]), (None, I, None), (MANY, J[:20].reshape(20, 1), J[:3]),
           (slice(0, 0), J), np.empty((0, 2), "i8"), (np.int64(-1), Ellipsis, -2), [[0, 6], [6, 0]]]


def numbers(shape, t):
    if t in "efdFD":
        x = rng.standard_normal(shape) * 10
        if t in "FD":
            x = x + 1j * rng.integers(-2, 2, shape)
        return np.asarray(x).astype(t)
    return np.asarray(rng.integers(0, 2 if t == "?" else 100, shape)).astype(t)


def ours(index):
    if isinstance(index, tuple):
        return tuple(map(ours, index))
    return cp.asarray(index) if isinstance(index, np.ndarray) else index


def bits(x):
    """The bytes, with one NaN for all: which of two that are added a processor keeps is its own affair."""
    if x.dtype.kind not in "fc":
        return x.tobytes()
    parts = x.view(x.real.dtype)
    return np.where(parts != parts, parts.dtype.type(np.nan), parts).tobytes()


def check(op, a, index, v):
    x, expected = cp.asarray(a), a.copy()
    with np.errstate(all="ignore"):
        ORACLE[op].at(expected, index, v)
    assert getattr(cp, "scatter_" + op)(x, ours(index), cp.asarray(v)) is None
    assert bits(x.get()) == bits(expected)


@pytest.mark.parametrize("op", ["max", "min"])
def test_booleans_are_not_ordered(op):
    with pytest.raises(TypeError, match="booleans are not ordered"):
        getattr(cp, "scatter_" + op)(cp.zeros(3, "?"), 1, True)


@pytest.mark.parametrize("op, t", [(op, t) for t in TYPES for op in ORACLE if op == "add" or t != "?"])
def test_every_type_and_index(op, t):
    a = numbers((7, 5, 6), t)
    if t in "efdFD":
        a[0, 0, 0], a[1, 2] = np.nan, -0.0
    for index in INDICES:
        v = numbers(a[index].shape, t)
        if t in "efdFD" and v.size > 3:
            v.ravel()[::7] = np.nan
        check(op, a, index, v)
    for k in range(3):  # masks of the first axes
        mask = np.asarray(rng.integers(0, 2, a.shape[:k + 1]), bool)
        check(op, a, mask, numbers(a[mask].shape, t))


def test_layouts_and_broadcasting():
    for view in (lambda x: x[::2, ::-1], lambda x: x.T, lambda x: x[..., 1], lambda x: x.swapaxes(0, 2)[1:]):
        a = numbers((7, 5, 6), "d")
        x = cp.asarray(a)
        index = rng.integers(0, view(a).shape[0], (8,))
        for v in (2.5, numbers(view(a).shape[1:], "d"), numbers((1, 8) + view(a).shape[1:], "d"),
                  numbers(view(a).shape[-1:], "d")):
            np.add.at(view(a), index, v[0] if np.ndim(v) > view(a).ndim else v)
            cp.scatter_add(view(x), cp.asarray(index), cp.asarray(v) if np.ndim(v) else v)
        assert x.get().tobytes() == a.tobytes()


def test_value_is_converted():
    x = cp.zeros(4, "i4")
    cp.scatter_add(x, [0, 0, 3], np.array([1.9, 2.9, -1.5]))
    assert x.tolist() == [3, 0, 0, -1]


def test_many_on_one_place():
    n = 100000
    index = np.where(rng.random(n) < 0.9, 5, rng.integers(0, 50, n))
    v = rng.standard_normal(n).astype("f")
    check("add", np.zeros(50, "f"), index, v)


def test_bfloat16():
    x = cp.zeros(5, "f4").astype(cp.bfloat16)
    cp.scatter_add(x, [0, 0, 4, 2, 4], cp.asarray([1.5, 2, 3, 4, -5]))
    cp.scatter_max(x, [1, 1], cp.asarray([7.0, 6.0]))
    assert x.astype("f4").tolist() == [3.5, 7, 4, 0, -2]


def test_errors():
    x = cp.zeros((3, 4))
    for index, text in (((0, 0, 0), "too many indices for array: array is 2-dimensional, but 3 were indexed"),
                        ((Ellipsis, Ellipsis), "an index can only have a single ellipsis"),
                        (3, "index 3 is out of bounds for axis 0 with size 3"),
                        ((0, [1, -5]), "index -5 is out of bounds for axis 1 with size 4"),
                        (cp.asarray([1, 3]), "index 3 is out of bounds for axis 0 with size 3"),
                        (cp.zeros(2), "arrays used as indices must be of integer"),
                        (1.5, "only integers, slices"),
                        (cp.ones(4, "?"), "boolean index did not match indexed array along axis 0; size of axis is 3 "
                                          "but size of corresponding boolean axis is 4")):
        with pytest.raises(IndexError) as e:
            cp.scatter_add(x, index, 1)
        assert text in str(e.value)
    with pytest.raises(ValueError):
        cp.scatter_add(x, ([0, 1],), cp.ones((3, 4)))
    with pytest.raises(TypeError, match="an array of Cuprite's expected, not ndarray"):
        cp.scatter_max(np.zeros(3), 0, 1)
    assert not x.any()


@pytest.mark.once
@pytest.mark.parametrize("op", ORACLE)
def test_no_compiler_is_asked(op, monkeypatch):
    monkeypatch.setenv("CUPRITE_CXX", "/there/is/none")
    with pytest.raises(NotImplementedError, match="which is no program"):
        cp.RawKernel(f'extern "C" __global__ void asks_{op}() {{}}', f"asks_{op}")((1,), (1,), ())
    check(op, numbers((3, 4), "d"), I % 3, numbers((30, 4), "d"))
