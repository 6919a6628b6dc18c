"""sort, argsort and unique against NumPy: every type, layout and axis; on the CPU and, where there is one, the GPU."""
import cuprite as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
          "float64", "complex64", "complex128"]
SPECIAL = [0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1.0, -1.0, 2.5]


def data(rng, n, dtype, kind):
    """n elements: any bits (NaNs with payloads among them), few distinct values, or numbers on many scales."""
    dtype = np.dtype(dtype)
    if kind == "bits" and dtype != bool:
        return rng.integers(0, 256, n * dtype.itemsize, dtype=np.uint8).view(dtype)
    if dtype.kind == "f":
        x = rng.choice(SPECIAL, n) if kind == "few" else rng.standard_normal(n) * 10.0 ** rng.integers(-3, 4, n)
        return x.astype(dtype)
    if dtype.kind == "c":
        part = "float32" if dtype == "complex64" else "float64"
        x = np.empty(n, dtype)
        x.real, x.imag = data(rng, n, part, kind), data(rng, n, part, kind)
        return x
    if kind == "few":
        return rng.integers(0, 3, n).astype(dtype)
    return rng.integers(0, 2, n).astype(dtype) if dtype == bool else rng.integers(-10**6, 10**6, n).astype(dtype)


def same(got, want):
    got = cp.asnumpy(got)
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    if want.dtype.kind == "c":
        np.testing.assert_array_equal(got.real, want.real)
        np.testing.assert_array_equal(got.imag, want.imag)
    else:
        np.testing.assert_array_equal(got, want)


def ordered(x, axis=-1):
    """NumPy's stable sort: its unstable one misplaces a few elements of some float16 arrays."""
    return np.sort(x, axis, kind="stable")


def bits(x):
    """The multiset of an array's elements, bit for bit."""
    return np.sort(np.ascontiguousarray(x).reshape(-1).view(f"u{x.dtype.itemsize}"))


lengths = st.one_of(st.integers(1, 40), st.integers(41, 700), st.sampled_from([1024, 1025, 2049, 4096, 4097, 16384, 16385, 32769, 66000]))
kinds = st.sampled_from(["bits", "few", "scales"])


@settings(max_examples=300, deadline=None)
@given(lengths, st.sampled_from(DTYPES), kinds, st.sampled_from([1, -1, 2, -3]), st.integers(0, 2**32 - 1))
def test_one_row(n, dtype, kind, step, seed):
    x = data(np.random.default_rng(seed), n, dtype, kind)
    y = cp.asarray(x)[::step]
    x = x[::step]
    same(cp.sort(y), ordered(x))
    same(cp.argsort(y), np.argsort(x, kind="stable"))
    if x.dtype.kind == "f":
        np.testing.assert_array_equal(bits(cp.asnumpy(cp.sort(y))), bits(x))
    y.sort()
    same(y, ordered(x))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 12), min_size=1, max_size=4), st.sampled_from(DTYPES), kinds, st.integers(-5, 4),
       st.booleans(), st.booleans(), st.integers(0, 2**32 - 1))
def test_axes(shape, dtype, kind, axis, turned, reversed_, seed):
    x = data(np.random.default_rng(seed), int(np.prod(shape)), dtype, kind).reshape(shape)
    y = cp.asarray(x)
    if turned:
        x, y = x.T, y.T
    if reversed_:
        x, y = x[::-1], y[::-1]
    if not -x.ndim <= axis < x.ndim:
        for f in (cp.sort, cp.argsort):
            with pytest.raises(np.exceptions.AxisError):
                f(y, axis)
        with pytest.raises(np.exceptions.AxisError):
            y.sort(axis)
        return
    same(cp.sort(y, axis), ordered(x, axis))
    same(cp.argsort(y, axis), np.argsort(x, axis, kind="stable"))
    same(cp.sort(y, None), ordered(x, None))
    same(cp.argsort(y, None), np.argsort(x, None, kind="stable"))
    y.sort(axis)
    same(y, ordered(x, axis))


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shape", [(5000, 31), (700, 1000), (60, 4096), (20, 5000), (10, 70000), (2, 300000)])
def test_many_rows(dtype, shape, device):
    if np.dtype(dtype).kind == "c" and shape[1] > 5000:
        shape = shape[0], shape[1] // 8
    x = data(np.random.default_rng(1), shape[0] * shape[1], dtype, "scales").reshape(shape)
    y = cp.asarray(x)
    for axis in (0, 1):
        same(cp.sort(y, axis), ordered(x, axis))
        same(cp.argsort(y, axis), np.argsort(x, axis, kind="stable"))


@pytest.mark.parametrize("kind", ["constant", "ascending", "descending", "two", "far", "low bits", "exponents"])
@pytest.mark.parametrize("dtype", ["int64", "float32", "float64"])
def test_long_rows(kind, dtype, device):
    n = 200001
    rng = np.random.default_rng(2)
    i = np.arange(n)
    x = {"constant": i * 0, "ascending": i, "descending": -i, "two": i % 2,
         "far": np.where(i == 77, 2**50, rng.integers(0, 100, n)), "low bits": 2**40 + rng.integers(0, 8, n),
         "exponents": 2**rng.integers(0, 60, n)}[kind].astype(dtype)
    if kind == "low bits" and dtype == "float64":
        x = 1 + x * 2.0**-52
    same(cp.sort(cp.asarray(x)), ordered(x))
    same(cp.argsort(cp.asarray(x)), np.argsort(x, kind="stable"))
    check_unique(x, True)


def check_unique(x, equal_nan):
    y = cp.asarray(x)
    # NumPy by sorting: with an index it does not take the path that hashes, which orders NaNs of its own
    want = np.unique(x, return_index=True, return_inverse=True, return_counts=True, equal_nan=equal_nan)
    got = cp.unique(y, return_index=True, return_inverse=True, return_counts=True, equal_nan=equal_nan)
    for g, w in zip(got, want):
        same(g, w)
    alone = cp.unique(y, equal_nan=equal_nan)
    values, counts = cp.unique(y, return_counts=True, equal_nan=equal_nan)
    same(counts, want[3])
    for v in (alone, values):
        if x.dtype.kind == "c":  # which of the NaNs stands for all is left open here
            whole = ~np.isnan(want[0])
            np.testing.assert_array_equal(cp.asnumpy(v)[whole], want[0][whole])
            assert v.size == want[0].size
        else:
            same(v, want[0])


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.just(0), lengths), st.sampled_from(DTYPES), kinds, st.booleans(), st.integers(0, 2**32 - 1))
def test_unique(n, dtype, kind, equal_nan, seed):
    x = data(np.random.default_rng(seed), n, dtype, kind)
    check_unique(x, equal_nan)
    if n % 6 == 0 and n:
        check_unique(x.reshape(2, 3, -1).T, equal_nan)


@pytest.mark.parametrize("spread", [1, 1000, 10**5, 10**6, 10**12])
@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
def test_unique_ranges(spread, dtype, device):
    x = np.random.default_rng(3).integers(0, min(spread, 2**31), 300000)
    check_unique((x - (spread // 2 if dtype[0] == "i" else 0)).astype(dtype), True)
    check_unique((np.iinfo(dtype).max - x.astype("u8") % 2**31).astype(dtype), True)


def test_zero_dimensions(device):
    x = cp.asarray(np.float32(3))
    with pytest.raises(np.exceptions.AxisError):
        cp.sort(x)
    same(cp.sort(x, None), ordered(np.float32(3), None))
    same(cp.argsort(x), np.argsort(np.float32(3)))
    same(cp.unique(x, return_inverse=True)[1], np.unique(np.float32(3), return_inverse=True)[1])


def test_bfloat16(device):
    x = np.random.default_rng(4).standard_normal(3000).astype("f4")
    x[::100] = np.nan
    y = cp.asarray(x).astype("bfloat16")
    wide = cp.asnumpy(y.astype("f4"))
    same(cp.sort(y).astype("f4"), ordered(wide))
    same(cp.argsort(y), np.argsort(wide, kind="stable"))
    same(cp.unique(y).astype("f4"), np.unique(wide, return_index=True)[0])
