"""sort, argsort and unique against NumPy: every type, layout and axis; on the CPU and, where there is one, the GPU."""
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cuprite as cp

from oracle import outcome

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


lengths = st.one_of(st.integers(1, 40), st.integers(41, 700),
                    st.sampled_from([1024, 1025, 2049, 4096, 4097, 16384, 16385, 32769, 66000]))
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


@pytest.mark.parametrize("distinct", [3, 10**5, 10**7])
@pytest.mark.parametrize("dtype", ["int32", "uint64"])
def test_unique_wide_table(distinct, dtype, device):
    """Close together, but further apart than a block's shared memory has bits; few values many times, and many once."""
    rng = np.random.default_rng(11)
    values = rng.integers(0, 5 * 10**5, distinct)
    values[:2] = 0, 5 * 10**5
    x = (values[rng.integers(0, distinct, 2**21 + 3)] + 77).astype(dtype)
    x[-2:] = 77, 77 + 5 * 10**5
    y, wanted = cp.asarray(x), np.unique(x, **ALL)
    same(cp.unique(y), wanted[0])
    for got, want in zip(cp.unique(y, return_inverse=True), (wanted[0], wanted[2]), strict=True):
        same(got, want)
    for got, want in zip(cp.unique(y, **ALL), wanted, strict=True):
        same(got, want)


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


# --- unique along an axis ---

FLAGS = ["return_index", "return_inverse", "return_counts"]
ALL = dict.fromkeys(FLAGS, True)


def numpys_unique(x, axis, **kw):
    """NumPy's answer; of float16 that of float32: NumPy's comparison of records has NaN first there, its sort last."""
    with np.errstate(invalid="ignore"):
        values, *rest = np.unique(x.astype("f4") if x.dtype == "f2" else x, axis=axis, **ALL, **kw)
    return [values.astype(x.dtype), *rest]


def by_lexsort(x, axis):
    """NumPy's answer by its lexsort, which takes a tenth of the time that it takes to sort records."""
    rows = np.moveaxis(x, axis, 0)
    flat = rows.reshape(len(rows), -1)
    order = np.lexsort(flat.T[::-1])
    ascending = flat[order]
    first = np.append(True, (ascending[1:] != ascending[:-1]).any(1))
    inverse = np.empty_like(order)
    inverse[order] = np.cumsum(first) - 1
    values = ascending[first].reshape(-1, *rows.shape[1:])
    return [np.moveaxis(values, 0, axis), order[first], inverse, np.diff(np.append(np.flatnonzero(first), len(flat)))]


def check_axis(x, y, axis, equal_nan=True, combinations=False):
    if x.ndim > 1 and x.size > 40000:
        want = by_lexsort(x, axis)
    else:
        want = numpys_unique(x, axis, equal_nan=equal_nan)
        for a, w in zip(by_lexsort(x, axis) if x.ndim > 1 and x.size else want, want, strict=True):
            same(a, w)
    for g, w in zip(cp.unique(y, axis=axis, equal_nan=equal_nan, **ALL), want, strict=True):
        same(g, w)
    for flags in range(7) if combinations else ():
        kw = {f: True for i, f in enumerate(FLAGS) if flags >> i & 1}
        got = cp.unique(y, axis=axis, equal_nan=equal_nan, **kw)
        some = [want[0]] + [w for i, w in enumerate(want[1:]) if flags >> i & 1]
        for g, w in zip(got if kw else (got,), some, strict=True):
            same(g, w)


@st.composite
def tables(draw):
    """An array whose sub-arrays along an axis repeat and share what they begin with; and that axis."""
    shape = draw(st.lists(st.integers(0, 9), min_size=2, max_size=4))
    axis = draw(st.integers(-len(shape), len(shape) - 1))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    x = data(rng, int(np.prod(shape)), draw(st.sampled_from(DTYPES)), draw(kinds)).reshape(shape)
    if shape[axis]:
        x = np.take(x, rng.integers(0, shape[axis], draw(st.integers(1, 40))), axis)
        rows = np.moveaxis(x, axis, 0)
        flat = rows.reshape(len(rows), -1).copy()
        shared = draw(st.integers(0, flat.shape[1]))
        flat[:, :shared] = flat[:1, :shared]
        x = np.moveaxis(flat.reshape(rows.shape), 0, axis)
    return x, axis


@settings(max_examples=500, deadline=None)
@given(tables(), st.sampled_from(["as it is", "contiguous", "turned", "reversed", "stepped"]), st.booleans(),
       st.booleans())
def test_unique_axis(table, layout, equal_nan, combinations):
    x, axis = table
    if layout == "contiguous":
        x = np.ascontiguousarray(x)
    y = cp.asarray(x)
    if layout == "turned":
        x, y = x.T, y.T
    elif layout == "reversed":
        x, y = x[::-1, ::-1], y[::-1, ::-1]
    elif layout == "stepped":
        x, y = x[..., ::2], y[..., ::2]
    check_axis(x, y, axis, equal_nan, combinations)


@pytest.mark.parametrize("dtype", DTYPES)
def test_unique_axis_many_rows(dtype, device):
    """Long runs that fall into long runs, and short ones of every size, whole rows and parts of a chunk at the end."""
    rng = np.random.default_rng(5)
    n = 90000
    columns = [np.zeros(n), rng.integers(0, 2, n), rng.integers(0, 2, n), rng.random(n) < 1e-3,
               rng.geometric(0.3, n) % 7, rng.integers(0, 3, n)]
    widths = {"bool": (2, 9), "int32": (5, 27), "float64": (2, 27), "complex64": (5, 9)}  # NumPy takes long
    for width in widths.get(dtype, (5,)):
        x = np.stack([columns[(i if width < 9 else i // (width // 5)) % 6] for i in range(width)], axis=1).astype(dtype)
        if x.dtype.kind in "fc":
            x[rng.integers(0, n, n // 2), rng.integers(0, width, n // 2)] *= -1  # zeros of both signs
            x[rng.integers(0, n, 50), rng.integers(0, width, 50)] = np.nan
        check_axis(x, cp.asarray(x), 0)
    check_axis(x.T, cp.asarray(x).T, 1)


LONG = ["uint8", "int16", "float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("rows, width, dtype", [
    (2, 70000, "uint8"), (2, 70000, "complex64"), *itertools.product([9], [5000], LONG),
    *itertools.product([300], [3000], LONG[::2]), *itertools.product([20000], [40], LONG[1::2])])
def test_unique_axis_long_rows(rows, width, dtype, device):
    """Rows that are equal but for a few elements, near the beginning, in the middle, at the very end."""
    rng = np.random.default_rng(6)
    x = np.ones((rows, width), dtype)
    check_axis(x, cp.asarray(x), 0)
    for at in (width - 1, width // 2, width // 2 + 1, 1):
        x[:, at] = rng.integers(0, 4, rows)
        check_axis(x, cp.asarray(x), 0)
    check_axis(x.reshape(rows, 2, -1, 5), cp.asarray(x.reshape(rows, 2, -1, 5)), 0)


@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_unique_axis_distinct_and_equal(dtype, device):
    x = np.random.default_rng(7).integers(0, 2**31 - 1, (70000, 3)).astype(dtype)
    for rows in (x, np.repeat(x[:7], 9000, 0), np.sort(x, axis=0), np.sort(x, axis=0)[::-1]):
        check_axis(rows, cp.asarray(rows), 0)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
def test_unique_axis_nan(dtype, device):
    nan = np.nan
    x = np.array([[1, nan], [nan, 1], [0, -0.0], [-0.0, 0], [1, nan], [nan, 1], [1, 2], [-np.inf, nan], [1, 2]], dtype)
    for equal_nan in (True, False):
        check_axis(x, cp.asarray(x), 0, equal_nan, True)
        check_axis(x[:, :1], cp.asarray(x)[:, :1], 0, equal_nan, True)  # one element each: still apart
        check_axis(x[:, 0], cp.asarray(x)[:, 0], 0, equal_nan)            # 1-d: flattened
    values, counts = cp.unique(cp.asarray(x), axis=0, return_counts=True)
    assert counts.tolist() == [1, 2, 2, 1, 1, 1, 1]
    if dtype[0] == "f":
        assert bool(cp.isnan(values[-2:, 0]).all()) and not bool(cp.isnan(values[:-2, 0]).any())


def test_unique_axis_complex_nan(device):
    parts = [0.0, -0.0, 1.0, np.nan, -1.0]
    pairs = np.array([complex(re, im) for re in parts for im in parts])
    x = pairs[np.random.default_rng(8).integers(0, 25, (20000, 3))]
    for dtype in ("complex64", "complex128"):
        check_axis(x.astype(dtype), cp.asarray(x.astype(dtype)), 0)


def test_unique_axis_bfloat16(device):
    x = np.random.default_rng(9).integers(-2, 3, (3000, 5)).astype("f4")
    x[::100, 2] = np.nan
    y = cp.asarray(x).astype("bfloat16")
    want = numpys_unique(x, 0)
    values, *rest = cp.unique(y, axis=0, **ALL)
    assert values.dtype == "bfloat16"
    for g, w in zip([values.astype("f4"), *rest], want, strict=True):
        same(g, w)


@pytest.mark.parametrize("shape, axis", [((3, 0), 0), ((3, 0), 1), ((0, 3), 0), ((0, 3), 1), ((0, 0), 0),
                                         ((2, 0, 3), 2), ((2, 0, 3), 1), ((1, 1), 0), ((5, 1, 1), 0), ((1, 4), 0),
                                         ((1, 4), 1), ((0,), 0)])
@pytest.mark.parametrize("dtype", ["uint8", "float64", "complex128"])
def test_unique_axis_empty(shape, axis, dtype, device):
    x = np.zeros(shape, dtype)
    check_axis(x, cp.asarray(x), axis, True, True)
    check_axis(x, cp.asarray(x), axis - x.ndim, False)


def test_unique_axis_dimensions(device):
    x = np.random.default_rng(10).integers(0, 2, (2, 3, 1, 4) + (1,) * 60)
    assert x.ndim == 64
    for axis in (0, 1, 3, 63, -64):
        check_axis(x, cp.asarray(x), axis)
    grid = np.random.default_rng(11).integers(0, 2, (6, 7, 8)).astype("f4")
    for axis in range(-3, 3):
        for view in ((slice(None),) * 3, (0,), (slice(None), slice(1, 6, 2), slice(None, None, -1))):
            if -grid[view].ndim <= axis < grid[view].ndim:
                check_axis(grid[view], cp.asarray(grid)[view], axis)


def test_unique_axis_strides(device):
    """The axis of the result stands where NumPy has it: in memory in front."""
    x = np.arange(24).reshape(2, 3, 4) % 5
    for axis in range(3):
        assert cp.unique(cp.asarray(x), axis=axis).strides == np.unique(x, axis=axis).strides


def test_unique_axis_broadcast(device):
    x = np.arange(3)
    check_axis(np.broadcast_to(x, (50, 3)), cp.broadcast_to(cp.asarray(x), (50, 3)), 0)
    check_axis(np.broadcast_to(x, (50, 3)), cp.broadcast_to(cp.asarray(x), (50, 3)), 1)


def test_unique_axis_errors(device):
    x = cp.ones((3, 4))
    for y, axis in ((x, 2), (x, -3), (x[0], 1), (x[0], -2), (x[0, 0], 0), (x[0, 0], -1), (x, 2**31 - 1), (x, -2**31)):
        with pytest.raises(np.exceptions.AxisError, match="unique"):
            cp.unique(y, axis=axis, **ALL)
    for axis in (1.0, (0,), "0", (0, 1)):
        with pytest.raises(TypeError):
            cp.unique(x, axis=axis)
    assert cp.unique(x, axis=0, sorted=False).shape == (1, 4)
    assert cp.unique(x, axis=None).shape == (1,) and cp.unique(x[0], axis=-1).shape == (1,)


def test_unique_axis_through_numpy(device):
    x = np.random.default_rng(12).integers(0, 2, (20, 3))
    got = np.unique(cp.asarray(x), axis=0, **ALL)
    for g, w in zip(got, np.unique(x, axis=0, **ALL), strict=True):
        assert isinstance(g, cp.ndarray)
        same(g, w)
    same(np.unique(cp.asarray(x), axis=1), np.unique(x, axis=1))


def test_unique_axis_leaves_its_input(device):
    x = np.random.default_rng(13).integers(0, 9, (500, 4)).astype("f4")
    y = cp.asarray(x)
    cp.unique(y, axis=0, **ALL)
    cp.unique(y, axis=1, **ALL)
    same(y, x)


KTH = [0, 1, -1, 2, 3, -3, -4, True, np.True_, [0, 1], (1, 0), [-1, 0], [True], [True, 0], [], (), [[0, 1]],
       [[0], [1]], 1.0, [1.0], "a", "01", b"a", None, [None], [0, None], np.int8(1), np.uint64(1), np.array(1),
       np.array([0, 2]), np.array([True, False, True]), np.array([1.0]), np.array(1.5), np.array(True),
       np.array([], int), np.array([]), np.array([[0]]), np.array([2], "u8"), 2**63, [2**63], -2**63 - 1,
       2**64, range(2), [0, 5], np.float64(1), 1j, {0}]


@pytest.mark.parametrize("shape", [(3,), (2, 3), (0,), (0, 3), (3, 0)])
def test_what_kth_may_be(shape):
    x = np.arange(np.prod(shape, dtype=int))[::-1].reshape(shape)
    for k in KTH:
        for ours in (k, cp.asarray(k)) if isinstance(k, np.ndarray) else (k,):
            for axis in (-1, 0, None):
                got = outcome(lambda: cp.partition(cp.asarray(x), ours, axis=axis).get())
                want = outcome(lambda: np.partition(x, k, axis=axis))
                if isinstance(want, type):
                    assert got is want, (k, axis)
                else:  # the elements at other indices are unspecified
                    lane = -1 if axis is None else axis
                    at = np.asarray(k, int).ravel() if want.size else np.zeros(0, int)
                    assert got.dtype == want.dtype and got.shape == want.shape
                    if want.size:
                        np.testing.assert_array_equal(np.take(got, at, lane), np.take(want, at, lane))
                    np.testing.assert_array_equal(np.sort(got, lane), np.sort(want, lane))
    for name in ("shape", "ndim"):  # a derived class has what it likes there
        class Strange(np.ndarray):
            locals()[name] = property(lambda self: None)
        assert cp.partition(cp.arange(4)[::-1], np.arange(2).view(Strange)).tolist() == [0, 1, 2, 3]
        made = outcome(lambda: cp.zeros(np.array([2, 3]).view(Strange)))
        assert made is TypeError if name == "ndim" else made.shape == (2, 3)
    many = list(range(0, 300, 2))
    y = np.random.default_rng(1).permutation(400)
    assert cp.partition(cp.asarray(y), many).get()[many].tolist() == many
    z = cp.asarray(y)
    z.partition(many)
    assert z.get()[many].tolist() == many
