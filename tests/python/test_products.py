"""matmul, dot and their like, tensordot, kron, einsum: against NumPy, for every type, layout and shape.

Integers and booleans are compared exactly. Floating results are compared with the exact ones (long double) by the bound
of a sum of k products in any order: k eps |a| |b|."""
import cuprite as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

INTEGERS = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64", "complex64", "complex128"]
DTYPES = INTEGERS + FLOATS
EPS = {"float16": 2.0**-24, "float32": 2.0**-24, "float64": 2.0**-53, "complex64": 2.0**-22, "complex128": 2.0**-51}
SIZES = [0, 1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 32, 33, 64, 100, 129]


def values(rng, shape, dtype):
    """The whole range of an integer type; normal numbers."""
    if dtype == "bool":
        return rng.random(shape) < 0.3
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    x = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return np.asarray(x).astype(dtype)


def laid(rng, a):
    """The same values in a layout by chance: C, Fortran, every second element, one axis backwards, a stride of zero."""
    how = rng.integers(5)
    if a.ndim == 0 or how == 0:
        return cp.asarray(a)
    if how == 1:
        return cp.asarray(np.asfortranarray(a))
    if how == 2:
        wide = np.zeros([2 * n for n in a.shape], a.dtype)
        every = (slice(None, None, 2),) * a.ndim
        wide[every] = a
        return cp.asarray(wide)[every]
    if how == 3:
        axis = int(rng.integers(a.ndim))
        return cp.flip(cp.asarray(np.flip(a, axis).copy()), axis)
    return cp.broadcast_to(cp.asarray(a), (1, *a.shape))[0]


def big(a):
    return np.asarray(a).astype("G" if np.asarray(a).dtype.kind == "c" else "g")


def check(got, want, exact, magnitude, k):
    """Integers equal NumPy's; else |got - exact| <= (k + 2) eps |a||b|, and a rounding where float16 is stored."""
    got = cp.asnumpy(got)
    assert got.dtype == want.dtype and got.shape == want.shape
    if want.dtype.kind in "biu":
        np.testing.assert_array_equal(got, want)
        return
    bound = (k + 2) * EPS[want.dtype.name] * magnitude
    if want.dtype == "float16":
        bound = bound + 2.0**-11 * np.abs(exact) + 2.0**-25
        fits = np.abs(exact) < 65000
        assert np.all(np.where(fits, np.abs(np.where(fits, got, 0) - exact) <= bound, True))
    else:
        assert np.all(np.abs(got - exact) <= bound)


def check_matmul(rng, a, b, f=None, want=None, **options):
    f = f or cp.matmul
    want = np.matmul(a, b) if want is None else want
    got = f(laid(rng, a), laid(rng, b), **options)
    check(got, want, np.matmul(big(a), big(b)), np.matmul(np.abs(big(a)), np.abs(big(b))), a.shape[-1])


def shapes(rng):
    """A batch of matrices or a vector, and one that fits it."""
    m, n, k = (int(rng.choice(SIZES)) for _ in range(3))
    batch = [int(rng.choice([1, 2, 3])) for _ in range(int(rng.integers(4)))]
    left, right = ([n if rng.random() < 0.7 else 1 for n in batch] for _ in range(2))
    left = left[int(rng.integers(len(left) + 1)):]
    a = (*left, m, k) if rng.random() < 0.85 else (k,)
    b = (*right, k, n) if rng.random() < 0.85 else (k,)
    return a, b


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(DTYPES), st.integers(0, 2**32 - 1))
def test_matmul(dtype, seed):
    rng = np.random.default_rng(seed)
    a, b = shapes(rng)
    check_matmul(rng, values(rng, a, dtype), values(rng, b, dtype))


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(DTYPES), st.sampled_from(DTYPES), st.integers(0, 2**32 - 1))
def test_types_promote(left, right, seed):
    rng = np.random.default_rng(seed)
    a, b = shapes(rng)
    check_matmul(rng, values(rng, a, left), values(rng, b, right))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(513, 700, 300), (1, 1, 100_003), (2, 3, 70_001), (2000, 1, 130), (1, 2000, 130),
                                   (33, 40, 9000), (1025, 5, 17), (700, 500, 1), (513, 300, 2)])
def test_large(dtype, shape):
    m, n, k = shape
    rng = np.random.default_rng(m + n + k)
    if np.dtype(dtype).kind in "biu":  # NumPy's own loops are slow: through whole numbers that float64 holds
        top = 2 if dtype == "bool" else 50
        a, b = rng.integers(0, top, (m, k)).astype(dtype), rng.integers(0, top, (k, n)).astype(dtype)
        exact = (a.astype("f8") @ b.astype("f8"))
        want = exact > 0 if dtype == "bool" else exact.astype("u8").astype(dtype)
        for x in (cp.asarray(a), cp.asarray(np.asfortranarray(a))):
            for y in (cp.asarray(b), cp.asarray(np.asfortranarray(b))):
                np.testing.assert_array_equal(cp.asnumpy(x @ y), want)
        return
    a, b = values(rng, (m, k), dtype), values(rng, (k, n), dtype)
    wide = "complex128" if np.dtype(dtype).kind == "c" else "float64"
    exact = a.astype(wide) @ b.astype(wide)
    magnitude = np.abs(a).astype("f8") @ np.abs(b).astype("f8")
    for x in (cp.asarray(a), cp.asarray(np.asfortranarray(a))):
        for y in (cp.asarray(b), cp.asarray(np.asfortranarray(b))):
            check(x @ y, np.empty((m, n), dtype), exact, magnitude, 2 * k)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int16", "bool"])
def test_many_small_ones(dtype):
    rng = np.random.default_rng(5)
    for n in range(1, 34):
        check_matmul(rng, values(rng, (37, n, n), dtype), values(rng, (37, n, n), dtype))
        check_matmul(rng, values(rng, (5, n, 3), dtype), values(rng, (3, n), dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("m,n,k", [(1, 1, 9), (2, 2, 2), (5, 1, 7), (17, 9, 33), (65, 70, 20), (130, 3, 2)])
def test_batches_in_any_order(dtype, m, n, k):
    """Matrices one after the other backwards, many axes of the batch that do not join, one operand for all."""
    rng = np.random.default_rng(m + n + k)
    a, b = values(rng, (3, 5, 7, m, k), dtype), values(rng, (3, 5, 7, k, n), dtype)
    x, y = cp.asarray(a), cp.asarray(b)
    for i, j in ((np.s_[::-1], np.s_[:]), (np.s_[:], np.s_[:, ::-1]), (np.s_[:, :, ::-1], np.s_[::-1]),
                 (np.s_[:, ::2, ::-2], np.s_[:, ::2, ::2]), (np.s_[:1, ::-1], np.s_[:, :, :1]),
                 (np.s_[0, 0, ::-1], np.s_[0, 0, ::-1])):
        check(x[i] @ y[j], a[i] @ b[j], big(a[i]) @ big(b[j]), np.abs(big(a[i])) @ np.abs(big(b[j])), k)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("shapes", [((9,), (9,)), ((5, 9), (9,)), ((40, 30), (30, 20)), ((4, 6, 3), (4, 3, 2))])
def test_complex_at_any_part(dtype, shapes):
    """Complex numbers whose addresses are multiples of a part alone."""
    rng = np.random.default_rng(1)
    part = "f4" if dtype == "complex64" else "f8"

    def put(z):
        room = cp.zeros(2 * z.size + 1, part)
        room[1:] = cp.asarray(z.ravel().view(part))
        return room[1:].view(dtype).reshape(z.shape)
    a, b = (values(rng, s, dtype) for s in shapes)
    for x in (cp.asarray(a), put(a)):
        for y in (cp.asarray(b), put(b)):
            got = x @ y
            check(got, a @ b, big(a) @ big(b), np.abs(big(a)) @ np.abs(big(b)), a.shape[-1])
            if got.ndim:
                out = put(np.zeros(got.shape, dtype))
                cp.matmul(x, y, out=out)
                check(out, a @ b, big(a) @ big(b), np.abs(big(a)) @ np.abs(big(b)), a.shape[-1])


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("n", [3, 40, 300])
def test_not_finite(dtype, n):
    """A NaN or an infinity reaches its row or column and no other element; a zero beside it does not hide it."""
    rng = np.random.default_rng(n)
    for bad in (np.nan, np.inf, -np.inf):
        a, b = values(rng, (n, n), dtype), values(rng, (n, n), dtype)
        a[1, 2] = bad
        b[2, 0] = 0
        got = cp.asnumpy(cp.asarray(a) @ cp.asarray(b))
        assert np.isnan(got[1, 0])
        assert not np.isfinite(got[1]).any()
        rest = np.delete(got, 1, 0)
        assert np.isfinite(rest).all()
        b = values(rng, (n, n), dtype)
        b[2, 1] = bad
        got = cp.asnumpy(cp.asarray(values(rng, (n, n), dtype)) @ cp.asarray(b))
        assert not np.isfinite(got[:, 1]).any() and np.isfinite(np.delete(got, 1, 1)).all()


def test_bfloat16():
    rng = np.random.default_rng(3)
    a, b = (cp.asarray(rng.standard_normal(s)).astype("bfloat16") for s in ((70, 300), (300, 50)))
    a8, b8 = (cp.asnumpy(x.astype("f8")) for x in (a, b))
    got = a @ b
    assert got.dtype == a.dtype
    exact = a8 @ b8
    bound = 302 * 2.0**-24 * (np.abs(a8) @ np.abs(b8)) + 2.0**-8 * np.abs(exact)
    assert np.all(np.abs(cp.asnumpy(got.astype("f8")) - exact) <= bound)


def test_half_adds_in_float32():
    """4096 ones and then small ones: float16 would stop at 2048."""
    x = cp.ones((1, 5000), "f2")
    assert float((x @ x.T)[0, 0]) == 5000 == float(cp.dot(x[0], x[0]))
    assert float(cp.einsum("ij,ij->", x, x)) == 5000


def test_the_same_bits_each_time():
    rng = np.random.default_rng(1)
    for left, right in (((30, 40_000), (40_000, 7)), ((900, 900), (900, 900)), ((64, 8, 8), (64, 8, 65))):
        a, b = cp.asarray(rng.standard_normal(left)), cp.asarray(rng.standard_normal(right))
        first = cp.asnumpy(a @ b)
        for _ in range(5):
            np.testing.assert_array_equal(cp.asnumpy(a @ b), first)


def test_the_same_bits_by_any_number_of_threads(device):
    from cuprite import _device
    if device != "cpu":
        pytest.skip("the CPU's threads")
    rng = np.random.default_rng(2)
    a, b, v = (cp.asarray(rng.standard_normal(s)) for s in ((700, 3000), (3000, 500), 3000))
    before = _device.threads()
    try:
        results = []
        for n in (1, 2, 5):
            _device.threads(n)
            results.append([cp.asnumpy(x) for x in (a @ b, a @ v, v @ b, v @ v, a.T @ a)])
    finally:
        _device.threads(before)
    for other in results[1:]:
        for x, y in zip(results[0], other):
            np.testing.assert_array_equal(x, y)


# --- out, types, axes ---

@settings(max_examples=60, deadline=None)
@given(st.sampled_from(DTYPES), st.integers(0, 2**32 - 1))
def test_out(dtype, seed):
    rng = np.random.default_rng(seed)
    a, b = shapes(rng)
    a, b = values(rng, a, dtype), values(rng, b, dtype)
    want = np.matmul(a, b)
    out = laid(rng, np.zeros(want.shape, dtype))
    if not out.flags.writeable:
        out = out.copy()
    got = cp.matmul(laid(rng, a), laid(rng, b), out=out)
    assert got is out
    check(out, want, np.matmul(big(a), big(b)), np.matmul(np.abs(big(a)), np.abs(big(b))), a.shape[-1])


@pytest.mark.parametrize("dtype", ["int32", "float64", "complex64", "float16"])
def test_out_over_an_operand(dtype):
    x = np.arange(9 * 9).reshape(9, 9).astype(dtype) / 16
    x = x.astype(dtype)
    for change in (lambda m, a: m.matmul(a, a, out=a), lambda m, a: m.matmul(a, a.T, out=a),
                   lambda m, a: m.matmul(a[:4, :4], a[4:8, 4:8], out=a[2:6, 2:6]),
                   lambda m, a: m.matmul(a[::-1], a, out=a.T)):
        ours, theirs = cp.asarray(x.copy()), x.copy()
        change(cp, ours)
        change(np, theirs)
        np.testing.assert_allclose(cp.asnumpy(ours), theirs, rtol=100 * EPS.get(dtype, 0) + (1e-3 if dtype == "float16"
                                                                                           else 0))
    ours, theirs = cp.asarray(x.copy()), x.copy()
    ours @= ours
    theirs @= theirs
    np.testing.assert_allclose(cp.asnumpy(ours), theirs, rtol=1e-6 if dtype != "float16" else 1e-3)


def x(m, *shape, dtype="f8"):
    return m.arange(1, 1 + int(np.prod(shape))).reshape(shape).astype(dtype)


ERRORS = {
    "few": (lambda m: m.matmul(m.asarray(1.0), x(m, 3)), "matmul: Input operand 0 does not have enough dimensions "
            "(has 0, gufunc core with signature (n?,k),(k,m?)->(n?,m?) requires 1)"),
    "core": (lambda m: m.matmul(x(m, 2, 3), x(m, 4, 5)), "matmul: Input operand 1 has a mismatch in its core dimension "
             "0, with gufunc signature (n?,k),(k,m?)->(n?,m?) (size 4 is different from 3)"),
    "vector": (lambda m: x(m, 3) @ x(m, 4), "matmul: Input operand 1 has a mismatch in its core dimension 0, with "
               "gufunc signature (n?,k),(k,m?)->(n?,m?) (size 4 is different from 3)"),
    "number": (lambda m: x(m, 3) @ 3, "matmul: Input operand 1 does not have enough dimensions (has 0, gufunc core "
               "with signature (n?,k),(k,m?)->(n?,m?) requires 1)"),
    "vecdot": (lambda m: m.vecdot(x(m, 3), x(m, 4)), "vecdot: Input operand 1 has a mismatch in its core dimension 0, "
               "with gufunc signature (n),(n)->() (size 4 is different from 3)"),
    "matvec": (lambda m: m.matvec(x(m, 3), x(m, 3)), "matvec: Input operand 0 does not have enough dimensions (has 1, "
               "gufunc core with signature (m,n),(n)->(m) requires 2)"),
    "dot": (lambda m: m.dot(x(m, 2, 3), x(m, 2, 3)), "shapes (2,3) and (2,3) not aligned: 3 (dim 1) != 2 (dim 0)"),
    "inner": (lambda m: m.inner(x(m, 2, 3), x(m, 4)), "shapes (2,3) and (4,) not aligned: 3 (dim 1) != 4 (dim 0)"),
    "mismatch": (lambda m: m.tensordot(x(m, 2, 3), x(m, 4, 5), 1), "shape-mismatch for sum"),
    "dot out": (lambda m: m.dot(x(m, 2, 2), x(m, 2, 2), out=x(m, 2, 2, dtype="f4")),
                "output array is not acceptable (must have the right datatype, number of dimensions, and be a "
                "C-Array)"),
    "einsum letter": (lambda m: m.einsum("i%", x(m, 2, 2)),
                      "invalid subscript '%' in einstein sum subscripts string, subscripts must be letters"),
    "einsum few": (lambda m: m.einsum("ij,jk", x(m, 2, 2)),
                   "fewer operands provided to einstein sum function than specified in the subscripts string"),
    "einsum many": (lambda m: m.einsum("ij", x(m, 2, 2), x(m, 2, 2)),
                    "more operands provided to einstein sum function than specified in the subscripts string"),
    "einsum output": (lambda m: m.einsum("ij->ik", x(m, 2, 2)), "einstein sum subscripts string included output "
                      "subscript 'k' which never appeared in an input"),
    "einsum twice": (lambda m: m.einsum("ij->ii", x(m, 2, 2)),
                     "einstein sum subscripts string includes output subscript 'i' multiple times"),
    "einsum axes": (lambda m: m.einsum("i", x(m, 2, 2)), "operand has more dimensions than subscripts given in "
                    "einstein sum, but no '...' ellipsis provided to broadcast the extra dimensions."),
    "einsum subscripts": (lambda m: m.einsum("ijk", x(m, 2, 2)),
                          "einstein sum subscripts string contains too many subscripts for operand 0"),
    "einsum nothing": (lambda m: m.einsum(), None),
    "einsum extents": (lambda m: m.einsum("ij,jk", x(m, 2, 3), x(m, 2, 3)), None),
}


@pytest.mark.parametrize("which", ERRORS)
def test_errors(which):
    call, text = ERRORS[which]
    try:
        call(np)
    except Exception as e:
        expected = type(e)
    else:
        raise AssertionError("NumPy does it")
    with pytest.raises(expected) as got:
        call(cp)
    if text:
        squeezed = str(got.value).replace(", ", ",")
        assert text.replace(", ", ",") in squeezed


def test_casting():
    a = x(cp, 2, 2)
    with pytest.raises(TypeError, match="Cannot cast"):
        cp.matmul(a, a, out=cp.zeros((2, 2), "i4"))
    with pytest.raises(TypeError, match="Cannot cast"):
        cp.matmul(a, a, dtype="f4", casting="safe")
    for options in ({"dtype": "f4"}, {"dtype": "c8"}, {"dtype": "i8", "casting": "unsafe"}, {"order": "F"},
                    {"signature": "ff->f"}):
        got, want = cp.matmul(a, a, **options), np.matmul(x(np, 2, 2), x(np, 2, 2), **options)
        assert got.dtype == want.dtype and got.flags.f_contiguous == want.flags.f_contiguous
        np.testing.assert_array_equal(cp.asnumpy(got), want)
    out = cp.zeros((2, 2), "f4")
    cp.matmul(a, a, out=out, casting="same_kind")
    np.testing.assert_array_equal(cp.asnumpy(out), cp.asnumpy(a @ a))


AXES = [("matmul", (3, 4, 2), (2, 5, 4), {"axes": [(0, 2), (0, 2), (0, 1)]}),
        ("matmul", (2, 3, 4), (2, 4, 5), {"axes": [(-2, -1), (-2, -1), (2, 0)]}),
        ("matmul", (4,), (4, 5), {"axes": [(0,), (0, 1), (0,)]}),
        ("vecdot", (4, 3), (4, 3), {"axis": 0}), ("vecdot", (4, 3), (4, 3), {"axis": 0, "keepdims": True}),
        ("vecdot", (4, 3), (3, 4), {"axes": [0, 1]}), ("vecdot", (4, 3), (4, 3), {"keepdims": True}),
        ("matvec", (4, 2, 3), (3, 5), {"axes": [(0, 2), 0, 0]}),
        ("vecmat", (3, 5), (4, 5, 3), {"axes": [0, (2, 0), 1]})]


@pytest.mark.parametrize("name,a,b,options", AXES)
def test_axes(name, a, b, options):
    try:
        want = getattr(np, name)(x(np, *a), x(np, *b), **options)
    except ValueError as e:
        with pytest.raises(type(e)):
            getattr(cp, name)(x(cp, *a), x(cp, *b), **options)
        return
    got = getattr(cp, name)(x(cp, *a), x(cp, *b), **options)
    assert got.shape == want.shape
    np.testing.assert_array_equal(cp.asnumpy(got), want)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["vecdot", "matvec", "vecmat"]), st.sampled_from(DTYPES), st.integers(0, 2**32 - 1))
def test_gufuncs(name, dtype, seed):
    rng = np.random.default_rng(seed)
    n, m = (int(rng.choice(SIZES)) for _ in range(2))
    left, right = ([int(k) for k in rng.choice([1, 3], int(rng.integers(3)))] for _ in range(2))
    own = {"vecdot": ((n,), (n,)), "matvec": ((m, n), (n,)), "vecmat": ((n,), (n, m))}[name]
    a, b = values(rng, (*left, *own[0]), dtype), values(rng, (*right, *own[1]), dtype)
    want = getattr(np, name)(a, b)
    f = getattr(np, name)
    exact = f(big(a), big(b))
    check(getattr(cp, name)(laid(rng, a), laid(rng, b)), want, exact, f(np.abs(big(a)), np.abs(big(b))), n)


@pytest.mark.parametrize("dtype", ["complex64", "complex128", "float64"])
@pytest.mark.parametrize("fortran", [False, True])
@pytest.mark.parametrize("name,a,b", [
    ("vecdot", (3, 13), (13,)), ("vecdot", (13,), (3, 13)), ("vecdot", (3, 1, 13), (1, 13)),
    ("vecdot", (700, 900), (900,)), ("vecdot", (1, 900), (700, 900)), ("vecdot", (5, 4, 13), (5, 1, 13)),
    ("vecmat", (13,), (13, 1)), ("vecmat", (13,), (13, 5)), ("vecmat", (1,), (1, 5)), ("vecmat", (4, 13), (13, 5)),
    ("vecmat", (4, 13), (13, 1)), ("vecmat", (4, 13), (4, 13, 1)), ("vecmat", (700, 900), (900, 1)),
    ("vecmat", (900,), (900, 700)), ("vecmat", (4, 13), (4, 13, 5))])
def test_the_first_is_conjugated_once(name, a, b, fortran, dtype):
    """However products are cut and turned inside: many vectors with one, one column, matrices by columns."""
    rng = np.random.default_rng(sum(a) + sum(b))
    x, y = values(rng, a, dtype), values(rng, b, dtype)
    f = getattr(np, name)
    put = (lambda z: cp.asarray(np.swapaxes(np.swapaxes(z, -1, -2).copy(), -1, -2)) if z.ndim > 1
           else cp.asarray(z)) if fortran else cp.asarray
    check(getattr(cp, name)(put(x), put(y)), f(x, y), f(big(x), big(y)), f(np.abs(big(x)), np.abs(big(y))), a[-1])


# --- dot and its like ---

def whole(rng, shape, dtype):
    """Small whole numbers, of which every order of adding gives the same."""
    kind = np.dtype(dtype).kind
    y = rng.integers(0 if kind in "bu" else -4, 2 if kind == "b" else 5, shape)
    return np.asarray(y + 1j * rng.integers(-3, 4, shape) if kind == "c" else y).astype(dtype)


def equal(got, want):
    got = cp.asnumpy(got)
    assert got.dtype == want.dtype and got.shape == np.shape(want), (got.dtype, want.dtype, got.shape, np.shape(want))
    np.testing.assert_array_equal(got, want)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(["dot", "inner", "vdot", "kron", "outer", "tensordot"]), st.sampled_from(DTYPES),
       st.sampled_from(DTYPES), st.integers(0, 2**32 - 1))
def test_products(name, left, right, seed):
    rng = np.random.default_rng(seed)
    k, na, nb = int(rng.integers(0, 6)), int(rng.integers(0, 4)), int(rng.integers(0, 4))
    a, b = [int(n) for n in rng.integers(0, 5, na)], [int(n) for n in rng.integers(0, 5, nb)]
    options = {}
    if na and nb:
        if name == "dot":
            a[-1] = b[max(nb - 2, 0)] = k
        elif name == "inner":
            a[-1] = b[-1] = k
        elif name == "vdot":
            b = [int(np.prod(a))]
        elif name == "tensordot":
            n = int(rng.integers(0, min(na, nb) + 1))
            ax, bx = rng.permutation(na)[:n], rng.permutation(nb)[:n]
            for i, j in zip(ax, bx):
                a[i] = b[j] = int(rng.integers(1, 5))
            options = {"axes": (ax.tolist(), (bx - nb).tolist())}
    elif name in ("tensordot", "vdot"):
        a = b = []
        options = {"axes": 0} if name == "tensordot" else {}
    a, b = whole(rng, a, left), whole(rng, b, right)
    equal(getattr(cp, name)(laid(rng, a), laid(rng, b), **options), np.asarray(getattr(np, name)(a, b, **options)))


def test_dot_method_and_numbers():
    a = x(cp, 2, 3)
    equal(a.dot(a.T), x(np, 2, 3).dot(x(np, 2, 3).T))
    equal(a.dot(2.0), x(np, 2, 3).dot(2.0))
    equal(cp.dot(3, a), np.dot(3, x(np, 2, 3)))
    equal(cp.vdot(cp.asarray(1 + 2j), cp.asarray(3j)), np.asarray(np.vdot(1 + 2j, 3j)))
    out = cp.zeros((2, 2))
    assert a.dot(a.T, out=out) is out
    equal(out, x(np, 2, 3) @ x(np, 2, 3).T)
    assert cp.dot(a, a.T, out=out) is out


def test_numpys_functions():
    a = x(cp, 3, 3)
    for call in (lambda m: np.matmul(a, a), lambda m: np.dot(a, a), lambda m: np.einsum("ij,jk", a, a),
                 lambda m: np.tensordot(a, a, 1), lambda m: np.kron(a, a), lambda m: np.inner(a, a),
                 lambda m: np.vecdot(a, a)):
        got = call(np)
        assert isinstance(got, cp.ndarray)
    equal(np.matmul(a, a), x(np, 3, 3) @ x(np, 3, 3))
    with pytest.raises(TypeError):
        a @ np.ones(3)
    with pytest.raises(TypeError):
        a @ "abc"


# --- einsum ---

@settings(max_examples=300, deadline=None)
@given(st.integers(1, 5), st.sampled_from(["float64", "int64", "complex64", "bool", "int8", "float32", "float16"]),
       st.sampled_from([True, False, "greedy", "optimal"]), st.integers(0, 2**32 - 1))
def test_einsum(n, dtype, optimize, seed):
    rng = np.random.default_rng(seed)
    labels = "abcdeXY"
    extent = {c: int(rng.choice([0, 1, 2, 3, 4], p=[0.04, 0.21, 0.25, 0.25, 0.25])) for c in labels}
    wide = [int(rng.integers(1, 4)) for _ in range(int(rng.integers(3)))]
    arrays, texts = [], []
    for _ in range(n):
        own = [str(c) for c in rng.choice(list(labels), int(rng.integers(4 if n > 3 else 5)))]
        shape = [extent[c] if rng.random() < 0.9 or own.count(c) > 1 else 1 for c in own]
        if wide and rng.random() < 0.6:
            at, m = int(rng.integers(len(own) + 1)), int(rng.integers(len(wide) + 1))
            shape[at:at] = [e if rng.random() < 0.8 else 1 for e in wide[len(wide) - m:]]
            own.insert(at, "...")
        arrays.append(np.minimum(whole(rng, shape, dtype), 2).astype(dtype) if dtype != "complex64"
                      else whole(rng, shape, dtype))
        texts.append("".join(own))
    text = ",".join(texts)
    if rng.random() < 0.7:
        there = sorted(set(text) - set(",."))
        out = [c for c in there if rng.random() < 0.5]
        rng.shuffle(out)
        if "..." in text:
            out.insert(int(rng.integers(len(out) + 1)), "...")
        text += "->" + "".join(out)
    try:
        want = np.einsum(text, *arrays)
    except ValueError:
        with pytest.raises(ValueError):
            cp.einsum(text, *map(cp.asarray, arrays))
        return
    got = cp.einsum(text, *(laid(rng, a) for a in arrays), optimize=optimize)
    assert got.dtype == want.dtype and got.shape == want.shape
    rounds = {"float16": 2.0**-8, "float32": 2.0**-18, "complex64": 2.0**-16}.get(dtype, 0)
    exact = np.einsum(text, *(np.abs(a).astype("f8") for a in arrays))
    if exact.size and exact.max() < 2**10:
        rounds = 0  # whole numbers that each type holds
    assert np.all(np.abs(cp.asnumpy(got).astype("D") - want) <= rounds * exact)


def test_einsum_lists_views_and_paths():
    a, b, c = x(cp, 3, 4), x(cp, 4, 5), x(cp, 5, 2)
    na, nb, nc = (cp.asnumpy(y) for y in (a, b, c))
    equal(cp.einsum(a, [0, 1], b, [1, 2], [2, 0]), np.einsum(na, [0, 1], nb, [1, 2], [2, 0]))
    equal(cp.einsum(a, [0, 1], b, [1, 2]), np.einsum(na, [0, 1], nb, [1, 2]))
    equal(cp.einsum(a, [Ellipsis, 1], b, [1, 2]), np.einsum(na, [Ellipsis, 1], nb, [1, 2]))
    for path in (["einsum_path", (0, 1), (0, 1)], [(1, 2), (0, 1)], [(0, 1, 2)], ["einsum_path", (0, 2), (0, 1)]):
        equal(cp.einsum("ij,jk,kl->il", a, b, c, optimize=path), na @ nb @ nc)
    square = x(cp, 3, 3)
    diagonal = cp.einsum("ii->i", square)
    diagonal[:] = 0
    equal(square, np.where(np.eye(3, dtype=bool), 0, x(np, 3, 3)))
    view = cp.einsum("ij->ji", a)
    view[0, 0] = 77
    assert float(a[0, 0]) == 77
    out = cp.zeros((3, 5))
    assert cp.einsum("ij,jk", a, b, out=out) is out
    equal(out, cp.asnumpy(a) @ nb)
    assert cp.einsum("ij,jk", a, b, dtype="f4", casting="same_kind").dtype == "f4"
    with pytest.raises(TypeError):
        cp.einsum("ij,jk", a, b, dtype="f4")
    assert cp.einsum("ij->ij", a, order="F").flags.f_contiguous
    with pytest.raises(ValueError):
        cp.einsum("ij,jk,kl->il", a, b, c, optimize=[(0, 5)])
    with pytest.raises(TypeError):
        cp.einsum("ij,jk,kl->il", a, b, c, optimize="worst")
