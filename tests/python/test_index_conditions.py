"""Selection by conditions against NumPy; on the CPU and each GPU."""
import cuprite as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
          "float64", "complex64", "complex128"]


def data(rng, shape, dtype):
    dtype = np.dtype(dtype)
    x = rng.standard_normal(shape) if dtype.kind == "f" else rng.integers(1, 100, shape)
    return np.asarray(np.where(rng.random(shape) < rng.choice([0, 0.02, 0.5, 0.97, 1]), x, 0)).astype(dtype)


@st.composite
def arrays(draw):
    """(random generator, host array, the same on the device): any type, some strides"""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = draw(st.one_of(
        st.lists(st.sampled_from([0, 1, 2, 3, 5, 8, 17, 64, 70]), min_size=1, max_size=3).map(tuple),
        st.sampled_from([(65,), (4096,), (4097,), (16385,), (200001,), (1000, 333), (333, 1000), (7, 50, 99)])))
    x = data(rng, shape, draw(st.sampled_from(DTYPES)))
    steps = tuple(slice(None, None, draw(st.sampled_from([1, 1, 1, -1, 2]))) for _ in shape)
    turn = draw(st.booleans())
    a = cp.asarray(x)[steps]
    x = x[steps]
    return (rng, x.T, a.T) if turn else (rng, x, a)


def flags(rng, shape):
    return np.asarray(rng.random(shape) < rng.choice([0, 0.1, 0.5, 0.99, 1]))


def same(got, want):
    got = cp.asnumpy(got)
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    np.testing.assert_array_equal(got, want)


@settings(max_examples=200, deadline=None)
@given(arrays())
def test_places(given_):
    _, x, a = given_
    got, want = cp.nonzero(a), np.nonzero(x)
    assert len(got) == len(want)
    for g, w in zip(got, want):
        same(g, w)
    same(cp.argwhere(a), np.argwhere(x))
    same(cp.flatnonzero(a), np.flatnonzero(x))


@settings(max_examples=300, deadline=None)
@given(arrays(), st.integers(0, 3), st.sampled_from([0, 0, 1]))
def test_compress(given_, which, short):
    rng, x, a = given_
    axis = None if which == 3 or which >= x.ndim else which
    n = x.size if axis is None else x.shape[axis]
    c = flags(rng, max(0, n - short))
    same(cp.compress(cp.asarray(c), a, axis=axis), np.compress(c, x, axis=axis))
    same(a.compress(cp.asarray(c), axis=axis), x.compress(c, axis=axis))


@settings(max_examples=300, deadline=None)
@given(arrays(), st.integers(1, 3))
def test_masks(given_, depth):
    rng, x, a = given_
    m = flags(rng, x.shape[:min(depth, x.ndim)])
    d = cp.asarray(m)
    same(a[d], x[m])
    rest, count = x.shape[m.ndim:], int(m.sum())
    for shape in ((), rest, (1,) + rest, (count,) + rest):
        v = data(rng, shape, x.dtype)
        y, b = x.copy(), a.copy()
        y[m] = v
        b[d] = cp.asarray(v)
        same(b, y)
        b = a.copy().T.copy().T if x.ndim > 1 else a.copy()   # columns in memory order
        b[d] = cp.asarray(v)
        same(b, y)


def test_errors():
    a = cp.zeros((3, 4))
    with pytest.raises(IndexError):
        a[cp.ones((3, 5), dtype=bool)]
    with pytest.raises(IndexError):
        a[cp.ones((4,), dtype=bool)] = 1
    with pytest.raises(ValueError):
        a[cp.ones((3,), dtype=bool)] = cp.zeros((2, 4))
    with pytest.raises(ValueError):
        cp.nonzero(cp.zeros(()))
    with pytest.raises(ValueError):
        cp.compress(cp.ones((2, 2), dtype=bool), a)
    with pytest.raises(np.exceptions.AxisError):
        cp.compress(cp.ones(3, dtype=bool), a, axis=2)
    with pytest.raises(IndexError):
        cp.compress(cp.ones(9, dtype=bool), a, axis=0)
    assert float(a.sum()) == 0


def test_input_that_is_its_own_mask():
    x = np.array([True, False, True, True])
    a = cp.asarray(x)
    a[a] = cp.asarray(np.array([False, True, False]))
    x[x] = np.array([False, True, False])
    same(a, x)
    v = np.arange(6.0)
    b = cp.asarray(v)
    b[b > 2] = b[::-1][:3]
    v[v > 2] = v[::-1][:3].copy()
    same(b, v)
