"""ElementwiseKernel against NumPy: types, layouts, broadcasting, raw operands, options, errors and their texts."""
import threading

import numpy as np
import pytest

import cuprite as cp

TYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
         "float64", "complex64", "complex128"]


def values(shape, dtype, seed=0):
    r = np.random.default_rng(seed)
    x = r.integers(0, 2 if dtype == "bool" else 9, shape).astype(dtype)
    if dtype.startswith("complex"):
        x = x + 1j * r.integers(0, 9, shape)
    return x.astype(dtype)


@pytest.fixture(scope="module")
def twice():
    return cp.ElementwiseKernel("T x, T y", "T z", "z = x * y + x", "twice")


@pytest.mark.parametrize("dtype", TYPES)
def test_types(twice, dtype):
    x, y = values((7, 33), dtype), values((7, 33), dtype, 1)
    z = twice(cp.asarray(x), cp.asarray(y))
    assert z.dtype == dtype and z.shape == x.shape
    expected = x | (x & y) if dtype == "bool" else x * y + x
    np.testing.assert_array_equal(z.get(), expected)


def test_bfloat16(twice):
    x = cp.arange(100).astype("bfloat16")
    z = twice(x, x)
    assert z.dtype == cp.bfloat16
    expected = cp.asarray((np.arange(100.0) ** 2 + np.arange(100)).astype("f4")).astype("bfloat16")
    assert (z == expected).all()


def test_half_rounds_once():
    k = cp.ElementwiseKernel("float64 x", "float16 y", "y = x", "narrow")
    x = np.concatenate([np.random.default_rng(0).normal(size=5000) * 10.0 ** np.arange(-10, 10).repeat(250),
                        [1 + 2.0 ** -11, 1 + 2.0 ** -11 + 2.0 ** -40, np.inf, -np.inf, np.nan, 65519.999, 65520]])
    with np.errstate(over="ignore"):
        expected = x.astype("f2")
    np.testing.assert_array_equal(k(cp.asarray(x)).get(), expected)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_functions_of_floating_numbers(dtype):
    """What asks for an element's kind, and the neighbours of its own type; carray.cuh has them for float16."""
    host = np.array([0.0, -0.0, 1.5, -2.0, np.inf, -np.inf, np.nan, 2.0 ** -14, -2.0 ** -14])
    x = cp.asarray(host).astype(dtype)
    for name in ("isnan", "isinf", "isfinite", "signbit"):
        k = cp.ElementwiseKernel("T x", "bool y", f"y = {name}(x)", "ask", preamble="/* a compiler's at once */")
        np.testing.assert_array_equal(k(x).get(), getattr(np, name)(host))
    to = cp.asarray(host[::-1].copy()).astype(dtype)
    k = cp.ElementwiseKernel("T x, T y", "T next, T same", "next = nextafter(x, y); same = copysign(x, y)", "beside",
                             preamble="/* a compiler's at once */")
    following, signed = k(x, to)
    np.testing.assert_array_equal(signed.get().astype("f8"), np.copysign(host, host[::-1]))
    if dtype == "bfloat16":  # its neighbours are those of float32, 2^16 bits on
        got = following.view("uint16").get()
        a, b = x.view("uint16").get(), to.view("uint16").get()
        here, there = host, host[::-1]
        wanted = np.where(here == 0, b & 0x8000 | 1, a + np.where((here < there) == (here > 0), 1, -1))
        wanted = np.where(here == there, b, wanted)
        known = ~np.isnan(here + there) | np.isinf(here) & np.isinf(there)
        np.testing.assert_array_equal(got[known], wanted[known])
        assert np.isnan(following.get())[~known].all()
    else:
        h = host.astype(dtype)
        np.testing.assert_array_equal(following.get(), np.nextafter(h, h[::-1]))


SHAPES = [(), (1,), (5,), (0,), (3, 0, 2), (2, 3, 4, 5), (300, 257), (70001,)]


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(twice, shape):
    x, y = values(shape, "float32"), values(shape, "float32", 1)
    z = twice(cp.asarray(x), cp.asarray(y))
    assert z.shape == shape
    np.testing.assert_array_equal(z.get(), x * y + x)


LAYOUTS = {"reversed": lambda x: x[::-1], "columns": lambda x: x[:, ::2], "transposed": lambda x: x.T,
           "reversed columns": lambda x: x[:, ::-1], "fortran": lambda x: x.T.copy().T if hasattr(x, "T") else x,
           "middle": lambda x: x[3:-3, 5:40], "steps": lambda x: x[::3, ::-7]}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["int8", "float64", "complex64"])
def test_layouts(twice, layout, dtype):
    f = LAYOUTS[layout]
    base, other = values((60, 60), dtype), values((60, 60), dtype, 2)
    x, y = f(base), f(other)
    z = twice(f(cp.asarray(base)), f(cp.asarray(other)))
    np.testing.assert_array_equal(z.get(), x * y + x)
    z = twice(f(cp.asarray(base)), cp.asarray(np.ascontiguousarray(y)))
    np.testing.assert_array_equal(z.get(), x * y + x)


BROADCAST = [((5, 1), (1, 7)), ((300, 1), (257,)), ((3, 1, 5), (4, 1)), ((1,), (2, 3)), ((), (4,)), ((2, 0), (1, 1)),
             ((4, 1, 1, 6), (1, 5, 1, 6)), ((1, 1), (3, 3))]


@pytest.mark.parametrize("shapes", BROADCAST)
def test_broadcasting(twice, shapes):
    x, y = values(shapes[0], "int32"), values(shapes[1], "int32", 1)
    np.testing.assert_array_equal(twice(cp.asarray(x), cp.asarray(y)).get(), x * y + x)


def test_outputs_of_any_layout(twice):
    x, y = values((40, 50), "float32"), values((40, 50), "float32", 1)
    base = cp.zeros((50, 120), "float32")
    out = base[:, ::-3].T
    r = twice(cp.asarray(x), cp.asarray(y), out)
    assert r is out
    np.testing.assert_array_equal(out.get(), x * y + x)
    untouched = base.get()
    untouched[:, ::-3] = 0
    assert not untouched.any()


def test_in_place():
    k = cp.ElementwiseKernel("T x", "T y", "y += x", "add_to")
    x = cp.arange(10000.0)
    assert k(x, x) is x
    np.testing.assert_array_equal(x.get(), 2 * np.arange(10000.0))
    y = cp.zeros((3, 4))
    k(cp.arange(4.0), y)
    np.testing.assert_array_equal(y.get(), np.tile(np.arange(4.0), (3, 1)))


def test_several_outputs():
    k = cp.ElementwiseKernel("T x", "T y, int64 k", "y = x + 1; k = i", "two")
    y, at = k(cp.arange(6, dtype="f4").reshape(2, 3))
    assert y.dtype == "f4" and at.dtype == "i8"
    np.testing.assert_array_equal(at.get(), np.arange(6).reshape(2, 3))
    one = cp.ElementwiseKernel("T x", "T y", "y = x", "one", return_tuple=True)
    assert isinstance(one(y), tuple)
    none = cp.ElementwiseKernel("T x", "T y", "y = x", "none", no_return=True)
    out = cp.zeros((2, 3), "f4")
    assert none(y, out) is None
    np.testing.assert_array_equal(out.get(), y.get())


@pytest.mark.parametrize("dtype", TYPES)
def test_numbers(dtype):
    k = cp.ElementwiseKernel("T x, T p", "T y", "y = x * p", "times")
    x = values((20,), dtype)
    for p in [True, 2, np.int8(3), np.float32(1.0), np.float64(2.0)] + [1 + 1j] * dtype.startswith("complex"):
        np.testing.assert_array_equal(k(cp.asarray(x), p).get(), (x * np.asarray(p).astype(dtype)).astype(dtype))


def test_numbers_do_not_decide_types():
    k = cp.ElementwiseKernel("T x, T p", "T y", "y = x * p", "times")
    assert k(cp.arange(3, dtype="f4"), 2.5).dtype == "f4"
    assert k(cp.arange(3, dtype="i1"), np.float64(2)).dtype == "i1"
    with pytest.raises(ValueError, match="parameter"):
        k(1, 2, size=3)


def test_raw():
    k = cp.ElementwiseKernel("raw T x, raw T y", "T z", "z = x[i] + y[n - i - 1]", "reverse_add")
    x, y = values((64,), "float32"), values((64,), "float32", 1)
    np.testing.assert_array_equal(k(cp.asarray(x), cp.asarray(y), size=64).get(), x + y[::-1])
    np.testing.assert_array_equal(k(cp.asarray(x), cp.asarray(y)[::-1], size=64).get(), x + y)
    out = cp.zeros(64, "float32")
    assert k(cp.asarray(x), cp.asarray(y), out) is out


@pytest.mark.parametrize("turn", [lambda x: x, lambda x: x.T, lambda x: x[::-1, ::2]])
def test_raw_index_is_in_c_order(turn):
    k = cp.ElementwiseKernel("raw T x", "T y", "y = x[i]", "take_flat")
    x = values((12, 10), "int32")
    np.testing.assert_array_equal(k(turn(cp.asarray(x)), size=turn(x).size).get(), turn(x).ravel())


def test_raw_members():
    k = cp.ElementwiseKernel("raw T x", "raw int64 out", """
        ptrdiff_t at[2] = {1, 2};
        out[0] = x.size(); out[1] = x.ndim; out[2] = x.shape()[0]; out[3] = x.shape()[1]; out[4] = x.strides()[0];
        out[5] = x.strides()[1]; out[6] = x[at]; out[7] = x[0]; const T *p = &x[0]; out[8] = p[0];
    """, "members")
    x = np.arange(20, dtype="i4").reshape(4, 5)
    out = cp.zeros(9, "i8")
    k(cp.asarray(x), out, size=1)
    assert out.get().tolist() == [20, 2, 4, 5, 20, 4, 7, 0, 0]


def test_indexer():
    k = cp.ElementwiseKernel("T x", "int64 y", "y = _ind.get()[0] * 100 + _ind.get()[1] + 0 * _ind.size()", "where",
                             reduce_dims=False)
    y = k(cp.zeros((3, 4)))
    np.testing.assert_array_equal(y.get(), np.add.outer(np.arange(3) * 100, np.arange(4)))
    k = cp.ElementwiseKernel("T x, raw T w", "T y", "y = x + w[_ind.get()]", "same_position", reduce_dims=False)
    x, w = values((5, 6), "int32"), values((6, 5), "int32", 1)
    np.testing.assert_array_equal(k(cp.asarray(x), cp.asarray(w).T).get(), x + w.T)


def test_operation_may_change_its_index():
    """It is the element's own: the loop goes on, and outputs stay where they were."""
    k = cp.ElementwiseKernel("raw T x", "T y", "i += 1; y = x[i]", "next")
    x = np.arange(9.0)
    for out in (cp.zeros(8), cp.zeros(16)[::2], cp.zeros((4, 2)).T):
        np.testing.assert_array_equal(k(cp.asarray(x), out).get(), x[1:].reshape(out.shape))
    k = cp.ElementwiseKernel("T x", "int64 y", "for (; i > 2; i -= 2) {} y = i", "parity")
    np.testing.assert_array_equal(k(cp.zeros(1000)).get(), np.r_[0, (np.arange(999) % 2) + 1])


def test_return_leaves_one_element():
    k = cp.ElementwiseKernel("T x", "T y", "if (x < 0) { y = 0; return; } y = x", "relu")
    x = np.random.default_rng(0).normal(size=1000)
    np.testing.assert_array_equal(k(cp.asarray(x)).get(), np.maximum(x, 0))


def test_preamble_loop_prep_after_loop_options():
    k = cp.ElementwiseKernel("T x", "T y", "y = shifted(x) + more", "texts", loop_prep="T more = MORE",
                             after_loop="(void)more", options=("-DMORE=5",),
                             preamble="template <typename A> __device__ A shifted(A x) { return x + 1; }")
    np.testing.assert_array_equal(k(cp.arange(5)).get(), np.arange(5) + 6)


def test_numpy_names_of_types():
    k = cp.ElementwiseKernel("f x, d y, float32 z", "T w", "w = x + y + z", "words")
    assert k.params[0].dtype is None  # one letter: a placeholder
    k = cp.ElementwiseKernel("f4 x", "f8 y", "y = x", "short_words")
    assert k(cp.ones(2, "f4")).dtype == "f8"


@pytest.mark.parametrize("text", ["", "  ", ";", "\n", "/* nothing */", "// nothing", "{}"])
def test_empty_operation(text):
    """It compiles, and does nothing."""
    k = cp.ElementwiseKernel("T x", "T y", text, "nothing")
    x, y = cp.ones((3, 5)), cp.full((3, 5), 7.0)
    assert k(x, y) is y and (y == 7).all() and (x == 1).all()
    assert k(x).shape == (3, 5) and k(x[:, ::2]).dtype == x.dtype
    assert k.cached_code
    assert cp.ElementwiseKernel("T x", "", text, "nothing", no_return=True)(x) is None
    assert cp.ElementwiseKernel("raw T x", "", text, "nothing")(x, size=4) == ()


def test_block_size_and_stream():
    k = cp.ElementwiseKernel("T x", "T y", "y = x + 1", "plus")
    s, x = cp.cuda.Stream(), cp.arange(1000)
    s.wait_event(cp.cuda.get_current_stream().record())
    r = k(x, block_size=64, stream=s)
    s.synchronize()
    np.testing.assert_array_equal(r.get(), np.arange(1000) + 1)


def test_attributes():
    k = cp.ElementwiseKernel("T x, raw float32 y", "T z", "z = x", "named", preamble="/* p */")
    assert (k.nin, k.nout, k.nargs, k.name, k.operation) == (2, 1, 3, "named", "z = x")
    assert k.preamble == "/* p */" and k.reduce_dims and not k.no_return and not k.return_tuple
    assert [p.name for p in k.in_params] == ["x", "y"] and k.params[1].raw and k.params[1].dtype is np.float32
    with pytest.warns(UserWarning, match="deferred"):
        assert k.cached_code == ""
    k(cp.ones(3), cp.ones(1, "f4"))
    assert "named" in k.cached_code and len(k.cached_codes) == 1


def test_types_must_agree(twice):
    with pytest.raises(TypeError, match=r"Type is mismatched. y <class 'numpy.float64'> <class 'numpy.float32'> T"):
        twice(cp.ones(2, "f4"), cp.ones(2, "f8"))
    k = cp.ElementwiseKernel("float32 x", "float32 y", "y = x", "fixed")
    with pytest.raises(TypeError, match=r"Type is mismatched. x <class 'numpy.int64'> <class 'numpy.float32'>"):
        k(cp.arange(3))


def test_errors(twice):
    with pytest.raises(TypeError, match="Wrong number of arguments for twice"):
        twice(cp.ones(2))
    with pytest.raises(TypeError, match="Wrong arguments {'axis': 0}"):
        twice(cp.ones(2), cp.ones(2), axis=0)
    with pytest.raises(ValueError, match=r"operands could not be broadcast together with shapes \(2,\) \(3,\)"):
        twice(cp.ones(2), cp.ones(3))
    with pytest.raises(ValueError, match="Out shape is mismatched"):
        twice(cp.ones(2), cp.ones(2), cp.ones(1))
    with pytest.raises(TypeError, match="Unsupported type <class 'numpy.ndarray'>"):
        twice(np.ones(2), cp.ones(2))
    with pytest.raises(TypeError, match="Unsupported type <class 'str'>"):
        twice("x", cp.ones(2))
    with pytest.raises(TypeError, match="Output arguments type must be"):
        twice(cp.ones(2), cp.ones(2), 1)
    with pytest.raises(ValueError, match="block_size must be greater than zero"):
        twice(cp.ones(2), cp.ones(2), block_size=0)
    raw = cp.ElementwiseKernel("raw T x", "raw T y", "y[i] = x[i]", "raws")
    with pytest.raises(ValueError, match="Loop size is undecided"):
        raw(cp.ones(2), cp.ones(2))
    with pytest.raises(ValueError, match="Specified 'size' can be used only if all of the ndarray are 'raw'."):
        twice(cp.ones(2), cp.ones(2), size=2)
    mixed = cp.ElementwiseKernel("T x", "raw T y", "y[i] = x", "mixed")
    with pytest.raises(ValueError, match="Output array size is Undecided"):
        mixed(cp.ones(2))
    locked = cp.ones(2)
    locked.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        twice(cp.ones(2), cp.ones(2), locked)


@pytest.mark.parametrize("text", ["T i", "T n", "T _x", "T 1x"])
def test_reserved_names(text):
    with pytest.raises(ValueError, match="Invalid parameter name"):
        cp.ElementwiseKernel(text, "T y", "y = 0")


def test_wrong_declarations():
    with pytest.raises(Exception, match="Syntax error"):
        cp.ElementwiseKernel("x", "T y", "y = x")
    with pytest.raises(Exception, match='Unknown keyword "row"'):
        cp.ElementwiseKernel("row T x", "T y", "y = x")
    with pytest.raises(ValueError, match="twice"):
        cp.ElementwiseKernel("T x", "T x", "x = 0")
    with pytest.raises(ValueError, match="kernel name"):
        cp.ElementwiseKernel("T x", "T y", "y = x", "a b")
    with pytest.raises(TypeError, match="unexpected keyword"):
        cp.ElementwiseKernel("T x", "T y", "y = x", "k", speed=3)
    for word in ("in_params", "out_params", "operation", "name", "preamble", "loop_prep", "after_loop"):
        texts = {"in_params": "T x", "out_params": "T y", "operation": "y = x", "name": "k", word: None}
        with pytest.raises(TypeError, match=f"^{word} must be str, not NoneType"):
            cp.ElementwiseKernel(**texts)
    with pytest.raises(TypeError, match="options must be a tuple of str"):
        cp.ElementwiseKernel("T x", "T y", "y = x", "k", options="-DX")


def test_compile_error():
    k = cp.ElementwiseKernel("T x", "T y", "y = nothing_of_that_name(x)", "broken")
    with pytest.raises(cp.cuda.compiler.CompileException, match="nothing_of_that_name"):
        k(cp.ones(2))


def test_threads(twice):
    x = values((100,), "float32")
    found = []

    def work(dtype):
        a = cp.asarray(x.astype(dtype))
        found.append((dtype, twice(a, a).get()))
    threads = [threading.Thread(target=work, args=(t,)) for t in ["f4", "f8", "i4", "i8"] * 3]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(found) == 12
    for dtype, r in found:
        np.testing.assert_array_equal(r, (x * x + x).astype(dtype))


def test_no_leak(twice, no_leak):
    a = cp.ones((30, 30))
    for _ in range(50):
        twice(a, a[::-1])
        with pytest.raises(TypeError):
            twice(a, cp.ones(30, "f4"))
