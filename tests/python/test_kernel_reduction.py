"""ReductionKernel against NumPy: types, axes, layouts, identities, raw operands, errors and their messages."""
import numpy as np
import pytest

import cuprite as cp

TYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64",
         "complex64", "complex128"]


def values(shape, dtype, seed=0):
    r = np.random.default_rng(seed)
    x = r.integers(0, 4, shape)
    return (x + 1j * r.integers(0, 4, shape) if dtype.startswith("complex") else x).astype(dtype)


@pytest.fixture(scope="module")
def total():
    return cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")


@pytest.fixture(scope="module")
def largest():
    return cp.ReductionKernel("T x", "T y", "x", "a > b ? a : b", "y = a", None, "largest")


@pytest.mark.parametrize("dtype", TYPES)
def test_types(total, dtype):
    x = values((6, 9), dtype)
    for axis in (None, 0, 1):
        y = total(cp.asarray(x), axis=axis)
        assert y.dtype == dtype
        np.testing.assert_array_equal(y.get(), x.sum(axis, dtype=dtype))


def test_bool_and_bfloat16():
    any_of = cp.ReductionKernel("bool x", "bool y", "x", "a || b", "y = a", "false", "any_of")
    x = np.random.default_rng(0).random((30, 20)) > 0.95
    np.testing.assert_array_equal(any_of(cp.asarray(x), axis=1).get(), x.any(1))
    best = cp.ReductionKernel("T x", "T y", "x", "max(a, b)", "y = a", None, "best")
    assert float(best(cp.arange(50).astype("bfloat16"))) == 49


SHAPES = [(5,), (1,), (70001,), (300, 257), (2, 3, 4, 5), (1000, 3), (3, 1000), (40000, 2), (2, 40000), (1, 7, 1),
          (64, 65, 66)]


@pytest.mark.parametrize("shape", SHAPES)
def test_axes(total, largest, shape):
    x = values(shape, "int64")
    n = len(shape)
    axes = [None, *range(-n, n)] + [tuple(range(n)), ()] + ([(0, n - 1), (n - 1, 0)] if n > 1 else [])
    for axis in axes:
        for keepdims in (False, True):
            y = total(cp.asarray(x), axis=axis, keepdims=keepdims)
            expected = x.sum(axis, keepdims=keepdims)
            assert y.shape == expected.shape
            np.testing.assert_array_equal(y.get(), expected)
        np.testing.assert_array_equal(largest(cp.asarray(x), axis=axis).get(), x.max(axis))


LAYOUTS = [lambda x: x[::-1], lambda x: x[:, ::2], lambda x: x.T, lambda x: x[:, ::-1], lambda x: x[::3, 5:-7:-2],
           lambda x: x.reshape(5, 20, 90).transpose(2, 0, 1), lambda x: x[:, :0]]


@pytest.mark.parametrize("layout", range(len(LAYOUTS)))
def test_layouts(total, layout):
    base = values((100, 90), "int32")
    x, mine = LAYOUTS[layout](base), LAYOUTS[layout](cp.asarray(base))
    for axis in [None, *range(x.ndim)]:
        np.testing.assert_array_equal(total(mine, axis=axis).get(), x.sum(axis, dtype="i4"))


def test_floats_have_the_same_bits_every_time(total):
    x = cp.asarray(np.random.default_rng(1).random((400, 1000)).astype("f4"))
    for axis in (None, 0, 1):
        first = total(x, axis=axis).get()
        np.testing.assert_allclose(first, x.get().sum(axis, dtype="f8"), rtol=1e-5)
        for _ in range(3):
            np.testing.assert_array_equal(total(x, axis=axis).get(), first)


def test_large():
    mean_square = cp.ReductionKernel("T x", "float64 y", "(double)x * x", "a + b", "y = a / (_in_ind.size() / "
                                     "_out_ind.size())", "0", "mean_square")
    x = np.random.default_rng(2).random((1500, 1400)).astype("f4")
    for axis in (None, 0, 1):
        np.testing.assert_allclose(mean_square(cp.asarray(x), axis=axis).get(), (x.astype("f8") ** 2).mean(axis))


def test_broadcast_operands_and_numbers():
    k = cp.ReductionKernel("T x, T y, T p", "T z", "x * y + p", "a + b", "z = a", "0", "dot")
    x, y = values((40, 1, 30), "float64"), values((20, 30), "float64", 1)
    for axis in (None, 0, 1, 2, (0, 2)):
        np.testing.assert_array_equal(k(cp.asarray(x), cp.asarray(y), 2, axis=axis).get(), (x * y + 2).sum(axis))


def test_norm():
    l2norm = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
    x = np.arange(10, dtype=np.float32).reshape(2, 5)
    np.testing.assert_allclose(l2norm(cp.asarray(x), axis=1).get(), np.sqrt((x * x).sum(1)), rtol=1e-6)


def test_reduce_type():
    k = cp.ReductionKernel("int8 x", "float32 y", "x", "a + b", "y = a / 2.0", "0", "wide", reduce_type="long long")
    x = np.full(100000, 100, "i1")
    assert float(k(cp.asarray(x))) == 5e6
    k = cp.ReductionKernel("T x", "float64 y", "x", "a + b", "y = a", "0", "own", reduce_type="T")
    assert float(k(cp.asarray(np.full(300, 1, "u1")))) == 300 % 256


def test_type_of_the_user():
    first_of = cp.ReductionKernel(
        "T x", "T y, int64 at", "(place{x, _J})", "a.x < b.x || (a.x == b.x && a.at < b.at) ? a : b",
        "y = a.x, at = a.at", None, "argmin", reduce_type="place",
        preamble="struct place { double x; long long at; };")
    x = np.random.default_rng(3).permutation(5000).reshape(50, 100).astype("f8")
    for axis in (None, 0, 1):
        y, at = first_of(cp.asarray(x), axis=axis)
        np.testing.assert_array_equal(y.get(), x.min(axis))
        np.testing.assert_array_equal(at.get(), x.argmin(axis))


def test_raw():
    k = cp.ReductionKernel("T x, raw T w", "T y", "x * w[_J]", "a + b", "y = a", "0", "weighted")
    x, w = values((30, 40), "int64"), values((40,), "int64", 1)
    np.testing.assert_array_equal(k(cp.asarray(x), cp.asarray(w), axis=1).get(), x @ w)
    np.testing.assert_array_equal(k(cp.asarray(x), cp.asarray(w)[::-1], axis=1).get(), x @ w[::-1])


def test_out(total):
    x = values((30, 40), "float64")
    out = cp.zeros((80,))[::2]
    assert total(cp.asarray(x), out=out, axis=0) is out
    np.testing.assert_array_equal(out.get(), x.sum(0))
    out = cp.zeros((30, 1))
    assert total(cp.asarray(x), out, axis=1, keepdims=True) is out
    np.testing.assert_array_equal(out.get(), x.sum(1, keepdims=True))
    with pytest.raises(ValueError, match="Out shape is mismatched"):
        total(cp.asarray(x), out=cp.zeros(30), axis=0)
    with pytest.raises(TypeError, match="Type is mismatched"):
        total(cp.asarray(x), out=cp.zeros(40, "f4"), axis=0)


def test_empty(total, largest):
    assert total(cp.zeros((0,))).get() == 0
    np.testing.assert_array_equal(total(cp.zeros((3, 0)), axis=1).get(), np.zeros(3))
    assert total(cp.zeros((3, 0)), axis=0).shape == (0,)
    with pytest.raises(ValueError, match="zero-size array to reduction operation largest which has no identity"):
        largest(cp.zeros((3, 0)), axis=1)
    assert largest(cp.zeros((3, 0)), axis=0).shape == (0,)


def test_identity_is_a_number():
    product = cp.ReductionKernel("T x", "T y", "x", "a * b", "y = a", 1, "product")
    assert float(product(cp.full((5,), 2.0))) == 32 and float(product(cp.zeros(0))) == 1


@pytest.mark.parametrize("identity, wanted", [(True, 1), (np.True_, 1), (np.float32(0.5), 0.5), (-np.inf, -np.inf),
                                              (1 - 2j, 1 - 2j), (np.complex64(3j), 3j), ("T(2)", 2)])
def test_identities_of_any_type(identity, wanted):
    k = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", identity, "of_nothing")
    assert complex(k(cp.zeros(0, "c8"))) == wanted


def test_operands_of_a_join_may_change():
    """`a` and `b` are the join's own, as in CuPy."""
    k = cp.ReductionKernel("T x", "T y", "x", "a += b", "y = a", "0", "adding")
    named = cp.ReductionKernel("T x", "T y", "x", "larger(a, b)", "y = a", None, "named",
                               preamble="template <class T> __device__ T &larger(T &a, T &b) { return a < b ? b : a; }")
    for shape in ((7,), (1000, 3), (3, 1000), (70001,)):
        x = values(shape, "int64")
        for axis in (None, 0, len(shape) - 1):
            np.testing.assert_array_equal(k(cp.asarray(x), axis=axis).get(), x.sum(axis))
            np.testing.assert_array_equal(named(cp.asarray(x), axis=axis).get(), x.max(axis))


def test_errors(total):
    x = cp.ones((2, 3))
    with pytest.raises(cp.AxisError, match="axis 2 is out of bounds for array of dimension 2"):
        total(x, axis=2)
    with pytest.raises(ValueError, match="duplicate value in 'axis'"):
        total(x, axis=(0, -2))
    with pytest.raises(TypeError, match="Wrong number of arguments for total"):
        total()
    with pytest.raises(TypeError, match="Wrong arguments {'size': 3}"):
        total(x, size=3)
    with pytest.raises(TypeError, match="Unsupported type <class 'list'>"):
        total([1, 2])
    with pytest.raises(TypeError, match="Unsupported type <class 'numpy.ndarray'>"):
        total(np.ones(3))
    for word in ("map_expr", "reduce_expr", "post_map_expr", "preamble"):
        texts = {"map_expr": "x", "reduce_expr": "a + b", "post_map_expr": "y = a", "identity": "0", word: None}
        with pytest.raises(TypeError, match=f"^{word} must be str, not NoneType"):
            cp.ReductionKernel("T x", "T y", **texts)
    with pytest.raises(TypeError, match="reduce_type must be str, not type"):
        cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", reduce_type=np.float32)
    with pytest.raises(ValueError, match="output"):
        cp.ReductionKernel("T x", "", "x", "a + b", "", "0")
    broken = cp.ReductionKernel("T x", "T y", "x", "a + nothing", "y = a", "0", "broken")
    with pytest.raises(cp.cuda.compiler.CompileException, match="nothing"):
        broken(x)


def test_attributes(total):
    assert (total.nin, total.nout, total.nargs, total.name) == (1, 1, 2, "total")
    assert (total.map_expr, total.reduce_expr, total.post_map_expr, total.identity) == ("x", "a + b", "y = a", "0")
    assert total.reduce_type is None and total.reduce_dims and total.preamble == "" and total.options == ()


def test_stream(total):
    s = cp.cuda.Stream()
    x = cp.ones((100, 100))
    s.wait_event(cp.cuda.get_current_stream().record())
    r = total(x, axis=0, stream=s)
    s.synchronize()
    np.testing.assert_array_equal(r.get(), np.full(100, 100.0))


@pytest.mark.parametrize("dtype", ["int8", "int32", "float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("n", [4095, 4096, 4097, 8191, 8196, 100003])
def test_neighbours(dtype, n):
    """Rows that are long enough for a thread to take neighbours: rests, rows that are not aligned, one number for all,
    beside raw operands; where results cannot be wrong by rounding they are exact."""
    k = cp.ReductionKernel("T x, T y", "float64 z", "(double)abs(x * y) + (_j % 2)" if dtype.startswith("c") else
                           "(double)(x * y) + (_j % 2)", "a + b", "z = a", "0", "neighbours")
    r = np.random.default_rng(n)
    x = r.integers(0, 3, (3, n + 5)).astype(dtype)
    y = r.integers(0, 3, n + 5).astype(dtype)
    for start in (0, 1, 4):
        u, v = x[:, start:start + n], y[5 - start:5 - start + n]
        odd = np.arange(3 * n).reshape(3, n) % 2
        products = np.abs(u.astype("c16") * v.astype("c16"))
        z = k(cp.asarray(x)[:, start:start + n], cp.asarray(y)[5 - start:5 - start + n], axis=1)
        np.testing.assert_array_equal(z.get(), (products + odd).sum(1))
        dense = k(cp.asarray(np.ascontiguousarray(u)), cp.asarray(v), axis=1)  # rows end where the next ones begin
        np.testing.assert_array_equal(dense.get(), (products + odd).sum(1))
        one = k(cp.asarray(x)[:, start:start + n], cp.asarray(y)[:1], axis=1)
        np.testing.assert_array_equal(one.get(), (np.abs(u.astype("c16") * y[0]) + odd).sum(1))
        whole = k(cp.asarray(x)[:, start:start + n], 1)
        assert whole.get() == (np.abs(u.astype("c16")) + odd).sum()


def test_same_bits_wherever_rows_lie():
    """Alignment changes how elements are read, not the order in which they are joined."""
    k = cp.ReductionKernel("T x", "T z", "x", "a + b", "z = a", "0", "lies")
    host = np.random.default_rng(3).standard_normal(70001).astype("f4")
    results = set()
    for start in range(5):
        room = cp.zeros(70010, "f4")
        room[start:start + 70001] = cp.asarray(host)
        results.add(k(room[start:start + 70001]).get().tobytes())
    assert len(results) == 1
