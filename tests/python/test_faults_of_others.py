"""What other libraries of arrays on GPUs get wrong, and this one must not: the results are NumPy's, and the same in
every run."""
import numpy as np
import pytest

import cuprite as cp
from oracle import raises


@pytest.mark.parametrize("function", ["percentile", "quantile"])
def test_quantiles_of_nothing(function):
    """An error, after which the device still works."""
    with raises(IndexError):
        getattr(cp, function)(cp.empty(0), 0.5)
    assert cp.arange(5).sum() == 10


def test_quantile_of_nothing_along_an_axis():
    with raises(IndexError):
        cp.percentile(cp.empty((3, 0)), 50, axis=1)
    assert cp.percentile(cp.empty((0, 3)), 50, axis=1).shape == (0,)


@pytest.mark.parametrize("dtype", ["f4", "f8", "F"])
def test_a_thousand_scans_are_one(dtype):
    rng = np.random.default_rng(7)
    x = cp.asarray(rng.standard_normal(100_003).astype(dtype))
    first = cp.cumsum(x).get().tobytes()
    products = cp.cumprod(1 + x / 1000).get().tobytes()
    for _ in range(1000):
        assert cp.cumsum(x).get().tobytes() == first
    for _ in range(100):
        assert cp.cumprod(1 + x / 1000).get().tobytes() == products


def test_sums_are_one():
    x = cp.asarray(np.random.default_rng(8).standard_normal((301, 997)).astype("f4"))
    for f in (cp.sum, cp.mean, cp.std, cp.nansum):
        for axis in (None, 0, 1):
            assert len({f(x, axis).get().tobytes() for _ in range(200)}) == 1


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "F", "D", "bfloat16"])
def test_the_sign_of_zero_arrives(dtype):
    x = cp.ones(5, dtype)
    x.fill(-0.0)
    signs = [x.copy()]
    x[:] = 1
    x[...] = -0.0
    signs.append(x.copy())
    x[:] = 1
    x[2:] = -0.0
    x[cp.asarray([0, 1])] = -0.0
    signs.append(x.copy())
    signs.append(cp.full(5, -0.0, dtype))
    signs.append(cp.where(cp.ones(5, bool), cp.asarray(-0.0, dtype), x))
    y = cp.ones(5, dtype)
    cp.copyto(y, -0.0)
    signs.append(y)
    for s in signs:
        assert cp.signbit(s.real).all() and (s == 0).all()


def test_an_index_out_of_bounds_is_an_error():
    for at in ([7], [5], [-6], [0, 1, 5]):
        with raises(IndexError):
            cp.arange(5)[at].get()
        with raises(IndexError):
            cp.arange(5)[cp.asarray(at)].get()
        with raises(IndexError):
            cp.take(cp.arange(5), cp.asarray(at)).get()
        x = cp.arange(5)
        with raises(IndexError):
            x[cp.asarray(at)] = 1
            x.get()
        assert x.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("n", [1000, 100_000])
def test_of_many_values_for_one_element_the_last_stays(n):
    values = np.random.default_rng(n).standard_normal(n)
    for _ in range(50):
        x = cp.zeros(3)
        x[cp.ones(n, int)] = cp.asarray(values)
        assert x.tolist() == [0, values[-1], 0]
        y = cp.zeros(3)
        cp.put(y, cp.ones(n, int), cp.asarray(values))
        assert y.tolist() == [0, values[-1], 0]


def test_products_of_integers_are_whole():
    """Not by way of floating-point numbers: sums beyond 2^53 are right, and wrap as NumPy's."""
    rng = np.random.default_rng(1)
    a, b = rng.integers(-2**62, 2**62, (2, 37, 41))
    assert (cp.tensordot(cp.asarray(a), cp.asarray(b), ([1], [1])).get() == np.tensordot(a, b, ([1], [1]))).all()
    assert (cp.dot(cp.asarray(a), cp.asarray(b.T)).get() == np.dot(a, b.T)).all()
    i, j = rng.integers(-128, 128, (2, 9, 300)).astype("i1")
    assert (cp.tensordot(cp.asarray(i), cp.asarray(j), ([1], [1])).get() == np.tensordot(i, j, ([1], [1]))).all()


@pytest.mark.parametrize("k", [-3, 0, 2, 9])
@pytest.mark.parametrize("shape", [(4, 4), (2, 5, 3), (3, 0), (0, 3), (6,)])
def test_triangles(shape, k):
    x = np.arange(1, 1 + int(np.prod(shape))).reshape(shape)
    for f in ("tril", "triu"):
        want, got = getattr(np, f)(x, k), getattr(cp, f)(cp.asarray(x), k)
        assert got.shape == want.shape and got.dtype == want.dtype and (got.get() == want).all()
