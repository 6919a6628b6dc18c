"""Convolution against NumPy and SciPy: values, types, shapes, errors; on the CPU and, where there is one, the GPU."""
import cuprite as cp
import numpy as np
import pytest
import scipy.signal
from cuprite.scipy import signal
from hypothesis import given, settings
from hypothesis import strategies as st

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
          "float64", "complex64", "complex128"]
SCIPY_DTYPES = [t for t in DTYPES if t not in ("bool", "float16")]
MODES = ["full", "same", "valid"]
BOUNDARIES = ["fill", "wrap", "symm"]


def small(rng, shape, dtype):
    """Small integers: sums are exact in every type, so that any order of adding gives the same."""
    kind = np.dtype(dtype).kind
    x = rng.integers(0 if kind in "bu" else -4, 2 if kind == "b" else 5, shape)
    if kind == "c":
        return (x + 1j * rng.integers(-3, 4, shape)).astype(dtype)
    return x.astype(dtype)


def same(got, want):
    got = cp.asnumpy(got)
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    np.testing.assert_array_equal(got, want)


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 70), st.integers(1, 70), st.sampled_from(DTYPES), st.sampled_from(DTYPES), st.sampled_from(MODES),
       st.sampled_from([1, 2, -1, -3]), st.integers(0, 2**32 - 1))
def test_convolve(n, k, left, right, mode, step, seed):
    rng = np.random.default_rng(seed)
    a, v = small(rng, n * abs(step), left)[::step], small(rng, k, right)
    want = np.convolve(a, v, mode)
    same(cp.convolve(cp.asarray(a), cp.asarray(v), mode), want)
    whole = cp.asarray(small(np.random.default_rng(seed), n * abs(step), left))
    same(cp.convolve(whole[::step], cp.asarray(v), mode), want)


def by_definition(a, v, mode):
    """Complex sums of products: numpy.convolve's may be NaN where every product of numpy.multiply is infinite."""
    if v.size > a.size:
        a, v = v, a
    full = np.zeros(a.size + v.size - 1, a.dtype)
    for k in range(v.size):
        full[k:k + a.size] += a * v[k]
    lost = 0 if mode == "full" else (v.size - 1) // 2 if mode == "same" else v.size - 1
    size = full.size if mode == "full" else a.size if mode == "same" else a.size - v.size + 1
    return full[lost:lost + size]


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 60), st.integers(1, 60), st.sampled_from(["float16", "float32", "float64", "complex64",
                                                                "complex128"]),
       st.sampled_from(MODES), st.sampled_from(["a", "v", "both"]), st.integers(0, 2**32 - 1))
def test_infinities_stay_where_they_are(n, k, dtype, mode, where, seed):
    """Nothing beyond the ends takes part: 0 times an infinity would be NaN."""
    rng = np.random.default_rng(seed)
    a, v = small(rng, n, dtype), small(rng, k, dtype)
    for x, name in ((a, "a"), (v, "v")):
        if where in (name, "both"):
            x[rng.integers(0, x.size, 2)] = rng.choice([np.inf, -np.inf, np.nan], 2)
    with np.errstate(all="ignore"):
        want = np.convolve(a, v, mode) if np.dtype(dtype).kind == "f" else by_definition(a, v, mode)
    same(cp.convolve(cp.asarray(a), cp.asarray(v), mode), want)


@pytest.mark.parametrize("n, k", [(5, 4), (5000, 900), (900, 5000), (70000, 3)])
def test_infinities_at_the_ends(n, k):
    a, v = np.ones(n), np.ones(k)
    v[-1], a[0] = np.inf, 2
    same(cp.convolve(cp.asarray(a), cp.asarray(v)), np.convolve(a, v))
    v[0] = np.nan
    same(cp.convolve(cp.asarray(a), cp.asarray(v)), np.convolve(a, v))


@pytest.mark.parametrize("n, k, dtype", [(100000, 10000, "float64"), (30000, 3000, "float32"),
                                         (3000, 700, "complex128"), (3000, 700, "complex64"), (3000, 700, "uint8"),
                                         (3000, 700, "bool")])
@pytest.mark.parametrize("mode", MODES)
def test_many_taps(n, k, dtype, mode):
    rng = np.random.default_rng(n)
    a, v = small(rng, n, dtype), small(rng, k, dtype)
    same(cp.convolve(cp.asarray(a), cp.asarray(v), mode), np.convolve(a, v, mode))


@settings(max_examples=300, deadline=None)
@given(st.tuples(*[st.integers(1, 24)] * 2), st.tuples(*[st.integers(1, 24)] * 2), st.sampled_from(SCIPY_DTYPES),
       st.sampled_from(SCIPY_DTYPES), st.sampled_from(MODES), st.sampled_from(BOUNDARIES),
       st.sampled_from(["convolve2d", "correlate2d"]), st.booleans(), st.integers(0, 2**32 - 1))
def test_2d(shape, kernel, left, right, mode, boundary, name, fill, seed):
    rng = np.random.default_rng(seed)
    a, b = small(rng, shape, left), small(rng, kernel, right)
    options = {"fillvalue": 3} if fill else {}
    try:
        want = getattr(scipy.signal, name)(a, b, mode, boundary, **options)
    except ValueError:
        with pytest.raises(ValueError):
            getattr(signal, name)(cp.asarray(a), cp.asarray(b), mode, boundary, **options)
        return
    same(getattr(signal, name)(cp.asarray(a), cp.asarray(b), mode, boundary, **options), want)
    same(getattr(signal, name)(cp.asarray(a.T.copy()).T, cp.asarray(b[::-1])[::-1], mode, boundary, **options), want)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shape, kernel", [((300, 700), (15, 15)), ((64, 64), (70, 150)), ((1, 9000), (1, 3000)),
                                           ((200, 3), (31, 2)), ((2500, 1), (99, 1))])
def test_accuracy(dtype, shape, kernel):
    rng = np.random.default_rng(7)
    a, b = rng.normal(size=shape).astype(dtype), rng.normal(size=kernel).astype(dtype)
    want = scipy.signal.convolve2d(a.real.astype(np.float64), b.real.astype(np.float64))
    if np.dtype(dtype).kind == "c":  # whose products are exact: SciPy takes four times as long for complex numbers
        a, b, want = a * np.array(1 + 2j, dtype), b * np.array(2 - 1j, dtype), want * (4 + 3j)
    bound = scipy.signal.fftconvolve(abs(a).astype(np.float64), abs(b).astype(np.float64))
    got = cp.asnumpy(signal.convolve2d(cp.asarray(a), cp.asarray(b)))
    eps = np.finfo(dtype).eps * min(b.size, 2000)
    assert (abs(got - want) <= eps * bound).all()


@pytest.mark.parametrize("word", ["fill", "wrap", "symm", "pad", "circular", "symmetric"])
def test_words_for_boundaries(word):
    a = np.arange(12.0).reshape(3, 4)
    same(signal.convolve2d(cp.asarray(a), cp.asarray(a), boundary=word), scipy.signal.convolve2d(a, a, boundary=word))


def test_half_types_add_in_float32():
    a = np.ones(4000, np.float16)
    same(cp.convolve(cp.asarray(a), cp.asarray(a), "valid"), np.array([4000], np.float16))


@pytest.mark.parametrize("name", ["convolve2d", "correlate2d"])
@pytest.mark.parametrize("dtype", ["bool", "float16"])
def test_types_that_2d_has_not(name, dtype):
    a = np.ones((2, 2), dtype)
    with pytest.raises(ValueError):
        getattr(scipy.signal, name)(a, a)
    with pytest.raises(ValueError):
        getattr(signal, name)(cp.asarray(a), cp.asarray(a))


def test_same_bits_every_time():
    rng = np.random.default_rng(3)
    a, b = cp.asarray(rng.normal(size=(500, 900))), cp.asarray(rng.normal(size=(9, 12)))
    first = cp.asnumpy(signal.convolve2d(a, b)).tobytes()
    for _ in range(3):
        assert cp.asnumpy(signal.convolve2d(a, b)).tobytes() == first


@pytest.mark.parametrize("dtype, fill", [("uint8", -1), ("uint8", 256), ("int8", 200), ("int32", 1e30),
                                         ("int64", np.nan), ("float64", 1j)])
def test_fill_value_must_fit(dtype, fill):
    a = cp.asarray(np.ones((2, 2), dtype))
    with pytest.raises(ValueError, match="could not cast `fillvalue`"):
        scipy.signal.convolve2d(a.get(), a.get(), fillvalue=fill)
    with pytest.raises(ValueError, match="could not cast `fillvalue`"):
        signal.convolve2d(a, a, fillvalue=fill)


def test_errors():
    a, x = cp.asarray(np.ones(3)), cp.asarray(np.ones((2, 3)))
    with pytest.raises(ValueError, match="v cannot be empty"):
        cp.convolve(a, cp.asarray(np.ones(0)))
    with pytest.raises(ValueError, match="a cannot be empty"):
        cp.convolve(cp.asarray(np.ones(0)), a)
    with pytest.raises(ValueError, match="too deep"):
        cp.convolve(a, x)
    with pytest.raises(ValueError, match="convolve2d inputs must both be 2-D arrays"):
        signal.convolve2d(a, x)
    with pytest.raises(ValueError, match="correlate2d inputs must both be 2-D arrays"):
        signal.correlate2d(x, a)
    with pytest.raises(ValueError, match="mode"):
        signal.convolve2d(x, x, mode="fuller")
    with pytest.raises(ValueError, match="boundary"):
        signal.convolve2d(x, x, boundary="full")


@pytest.mark.parametrize("name", ["convolve2d", "correlate2d"])
@pytest.mark.parametrize("a, b, mode", [((0, 3), (2, 2), "full"), ((2, 2), (0, 3), "full"), ((2, 2), (0, 3), "same"),
                                        ((0, 3), (3, 0), "full"), ((1, 3), (0, 3), "valid"), ((0, 0), (0, 0), "valid")])
def test_empty(name, a, b, mode):
    want = getattr(scipy.signal, name)(np.ones(a), np.ones(b), mode)
    same(getattr(signal, name)(cp.asarray(np.ones(a)), cp.asarray(np.ones(b)), mode), want)
