"""median and partition against NumPy: every type, layout and axis; on the CPU and, where there is one, the GPU."""
import cuprite as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import as_numpy_does

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
          "float64", "complex64", "complex128"]
SPECIAL = [0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, -1.0, 2.5]
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def data(rng, n, dtype, kind):
    """n elements: few distinct values (NaN and infinities among them), numbers on many scales, ascending, or equal."""
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        x = np.empty(n, dtype)
        part = "float32" if dtype == "complex64" else "float64"
        x.real, x.imag = data(rng, n, part, "few" if kind == "special" else kind), data(rng, n, part, kind)
        return x
    if kind == "equal":
        return np.full(n, 1).astype(dtype)
    if kind == "special" and dtype.kind == "f":
        return rng.choice(SPECIAL, n).astype(dtype)
    if kind in ("few", "special"):
        return rng.integers(0, 3, n).astype(dtype)
    if dtype == bool:
        return rng.integers(0, 2, n).astype(bool)
    if dtype.kind == "f":
        x = rng.standard_normal(n) * 10.0 ** rng.integers(-3, 4, n)
    else:
        low = 0 if dtype.kind == "u" else -1000
        x = rng.integers(low, 1000, n) if dtype.itemsize > 1 else rng.integers(low // 10, 101, n)
    return (np.sort(x) if kind == "ascending" else x).astype(dtype)


def same(got, want):
    want = np.asarray(want)
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    np.testing.assert_array_equal(cp.asnumpy(got), want)


kinds = st.sampled_from(["special", "few", "scales", "ascending", "equal"])
lengths = st.one_of(st.integers(1, 70), st.integers(71, 1500), st.sampled_from([3001, 32768, 50021, 131072, 140001]))


@settings(max_examples=300, deadline=None)
@given(lengths, st.sampled_from(DTYPES), kinds, st.sampled_from([1, -1, 3]), st.integers(0, 2**32 - 1))
def test_one_lane(n, dtype, kind, step, seed):
    x = data(np.random.default_rng(seed), n, dtype, kind)
    same(cp.median(cp.asarray(x)[::step]), np.median(x[::step]))


@st.composite
def shapes_axes(draw):
    shape = draw(st.lists(st.integers(0, 7), min_size=1, max_size=4))
    axes = draw(st.one_of(st.none(), st.integers(-len(shape), len(shape) - 1),
                          st.lists(st.integers(0, len(shape) - 1), unique=True, min_size=1).map(tuple)))
    return shape, axes


@settings(max_examples=300, deadline=None)
@given(shapes_axes(), st.sampled_from(DTYPES), kinds, st.booleans(), st.booleans(), st.integers(0, 2**32 - 1))
def test_axes(shape_axes, dtype, kind, keepdims, transposed, seed):
    shape, axes = shape_axes
    x = data(np.random.default_rng(seed), int(np.prod(shape)), dtype, kind).reshape(shape)
    y = cp.asarray(x)
    if transposed:
        x, y = x.T, y.T
    got = cp.median(y, axis=axes, keepdims=keepdims)
    if isinstance(axes, tuple) and 0 in shape:  # NumPy cannot reshape some of these
        assert got.shape == np.sum(x, axis=axes, keepdims=keepdims).shape
        assert np.isnan(cp.asnumpy(got)).all()
    else:
        same(got, np.median(x, axis=axes, keepdims=keepdims))


@pytest.mark.parametrize("shape", [(1000, 9), (300, 64), (300, 65), (40, 3000), (3, 40000), (7, 200000)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int16"])
def test_many_lanes(shape, dtype, device):
    rng = np.random.default_rng(3)
    x = data(rng, shape[0] * shape[1], dtype, "scales").reshape(shape)
    if dtype != "int16":
        x[1, 5] = np.nan
    same(cp.median(cp.asarray(x), axis=1), np.median(x, axis=1))
    same(cp.median(cp.asarray(x.T.copy()), axis=0), np.median(x, axis=1))


@pytest.mark.parametrize("dtype", ["uint8", "float16", "int32", "float32", "float64"])
@pytest.mark.parametrize("kind", ["scales", "few", "ascending", "equal"])
def test_long_lane(dtype, kind, device):
    x = data(np.random.default_rng(5), 2_000_001, dtype, kind)
    same(cp.median(cp.asarray(x)), np.median(x))
    same(cp.median(cp.asarray(x[:-1])), np.median(x[:-1]))


def test_out_and_errors(device):
    x = np.arange(12.0).reshape(3, 4)
    y, out = cp.asarray(x), cp.zeros(3, "float32")
    assert cp.median(y, axis=1, out=out) is out
    np.testing.assert_array_equal(cp.asnumpy(out), np.median(x, axis=1))
    with pytest.raises(np.exceptions.AxisError):
        cp.median(y, axis=2)
    with pytest.raises(ValueError):
        cp.median(y, axis=(0, 0))
    with pytest.raises(ValueError):
        cp.median(y, axis=1, out=cp.zeros(4))


# --- partition ---

def check_partition(p, x, kth, axis):
    p, s = cp.asnumpy(p), np.sort(x, axis, kind="stable")
    assert p.dtype == x.dtype and p.shape == x.shape
    np.testing.assert_array_equal(np.sort(p, axis, kind="stable"), s)
    p, s = np.moveaxis(p, axis, -1), np.moveaxis(s, axis, -1)
    for k in kth:
        np.testing.assert_array_equal(p[..., k], s[..., k])
        k %= p.shape[-1]
        np.testing.assert_array_equal(np.sort(p[..., :k], -1, kind="stable"), s[..., :k])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=3), st.sampled_from(DTYPES), kinds, st.data(),
       st.integers(0, 2**32 - 1))
def test_partition(shape, dtype, kind, draw, seed):
    axis = draw.draw(st.integers(-len(shape), len(shape) - 1))
    kth = draw.draw(st.lists(st.integers(-shape[axis], shape[axis] - 1), min_size=1, max_size=3))
    x = data(np.random.default_rng(seed), int(np.prod(shape)), dtype, kind).reshape(shape)
    y = cp.asarray(x)
    check_partition(cp.partition(y, kth, axis), x, kth, axis)
    np.testing.assert_array_equal(cp.asnumpy(y), x)
    y.partition(kth, axis)
    check_partition(y, x, kth, axis)


@pytest.mark.parametrize("dtype", ["uint8", "float16", "int32", "float32", "float64", "complex64", "complex128"])
def test_partition_long(dtype, device):
    x = data(np.random.default_rng(7), 100_003, dtype, "special")
    check_partition(cp.partition(cp.asarray(x), [3, 50_000, -1]), x, [3, 50_000, -1], -1)
    check_partition(cp.partition(cp.asarray(x), 77_777), x, [77_777], -1)


def test_partition_errors(device):
    x = cp.arange(6.0)
    with pytest.raises(ValueError, match=r"kth\(=6\) out of bounds \(6\)"):
        cp.partition(x, 6)
    with pytest.raises(np.exceptions.AxisError):
        cp.partition(x, 1, axis=1)
    assert cp.partition(cp.zeros((0,)), 3).shape == (0,)
    assert cp.partition(x.reshape(2, 3), 4, axis=None).shape == (6,)


@pytest.mark.parametrize("out", ["?", "i4", "i8", "u8", "f2", "f4", "f8", "F", "D"])
@pytest.mark.parametrize("dtype", ["?", "u1", "i4", "f2", "f4", "f8", "D"])
def test_out_of_another_type(dtype, out):
    """Values whose sums of two every type holds, and of odd numbers of elements any."""
    for x in (np.array([[1, 7, 2], [4, 9, 30]]), np.array([[1.375, 7.25, 2], [5.5, 9, 0.5], [3, 2.75, 0.25]])):
        for axis in (None, 0, 1, (0, 1), ()):
            for keepdims in (False, True):
                def median(xp):
                    a = xp.asarray(x.astype(dtype))
                    r = xp.ones(np.median(x, axis=axis, keepdims=keepdims).shape, out)
                    assert xp.median(a, axis=axis, out=r, keepdims=keepdims) is r
                    return r
                complex_of_whole = dtype in "?u1i4f2" and out in "FD"  # of which NumPy says that it discards something
                if not complex_of_whole and (len(x) == 3 or axis == 1 or out in "f8FD" or dtype in "?u1i4"):
                    as_numpy_does(median)
    third = np.array([1 / 3, 2 / 3]).astype(dtype)  # half a sum in the wider type
    if (dtype, out) in (("f2", "f8"), ("f4", "f8"), ("f4", "F"), ("f4", "D")):
        as_numpy_does(lambda xp: xp.median(xp.asarray(third), out=xp.ones((), out)))


@pytest.mark.parametrize("out", ["?", "u1", "i4", "i8", "f2", "f4", "d", "D"])
@pytest.mark.parametrize("dtype", ["?", "i4", "f2", "f4", "d", "D"])
def test_median_into_another_type(dtype, out):
    """NumPy writes a NaN once more, by a stricter rule."""
    for last in (5, np.nan if dtype in "f2f4dD" else 7):
        for values, shape, axis in ((last, (), None), ([1, last], (), None), ([1, 2, last], (), 0),
                                    ([[1, last], [2, 3]], (), None), ([[1, last], [2, 3]], (2,), 0),
                                    ([[1, last], [2, 3]], (), (0, 1)), (np.ones((0, 2)), (2,), 0)):
            x = np.array(values).astype(dtype)
            if dtype == "D" != out and last != last and x.size:  # NumPy warns as well as it refuses
                with pytest.raises(TypeError):
                    cp.median(cp.asarray(x), axis=axis, out=cp.zeros(shape, out))
            elif x.size or out in ("f4", "d"):
                as_numpy_does(lambda xp: xp.median(xp.asarray(x), axis=axis, out=xp.zeros(shape, out)))


class ByArray:
    def __init__(self, value):
        self.value = value

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.value)


class ByIndex:
    def __index__(self):
        return 1


class ByBoth(ByArray, ByIndex):
    pass


KTHS = [ByArray(1), ByArray([1, 2]), ByArray(True), ByArray([True]), ByArray(1.0), ByArray([]), ByArray("a"), ByBoth(2),
        ByArray(np.zeros(0, int)), ByIndex(), [ByIndex()], (ByIndex(), 1), [np.array(1)], [np.int8(1), np.array(2)], [],
        (), [1.0], None, True, [True], 2**70, "a", 1, [1, -1], 9, np.array([1, 2])]


@pytest.mark.parametrize("kth", range(len(KTHS)))
def test_kth_is_what_numpy_makes_an_array_of(kth):
    for shape in ((4,), (2, 4), ()):
        as_numpy_does(lambda xp: xp.partition(xp.ones(shape), KTHS[kth], axis=None))
        for axis in (-1, 5, True, (0,), "a"):  # the axis is asked for first
            as_numpy_does(lambda xp: xp.partition(xp.ones(shape), KTHS[kth], axis=axis))
            as_numpy_does(lambda xp: xp.ones(shape).partition(KTHS[kth], axis=axis))
