"""matmul, dot and their like, tensordot, kron, einsum: against NumPy, for every type, layout and shape.

Integers and booleans are compared exactly. Floating results are compared with the exact ones (long double) by the bound
of a sum of k products in any order: k eps |a| |b|."""
import cuprite as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from cuprite import _device
from oracle import kind, outcome, raises

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
    """Wide enough for products and sums of a's elements: float64, by BLAS, for those of 32 bits and less."""
    a = np.asarray(a)
    return a.astype({"e": "d", "f": "d", "F": "D"}.get(a.dtype.char, "G" if a.dtype.kind == "c" else "g"))


def bounds(a, b, f=np.matmul):
    """The exact result and its magnitude; nothing for integers, which equal NumPy's."""
    if np.result_type(a, b).kind in "biu":
        return None, None
    return f(big(a), big(b)), f(np.abs(big(a)), np.abs(big(b)))


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
    check(got, want, *bounds(a, b), a.shape[-1])


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
    if np.dtype(dtype).kind in "biu":  # NumPy's own loops are slow: through integers that float64 holds
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


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_small_ones_of_any_shape(dtype):
    """Each number of rows, of vectors side by side and of vectors that overlap; sums in vectors whose end is cut
    off."""
    rng = np.random.default_rng(6)
    for n in range(1, 36):
        for m, k in ((1, n), (n, 3), (7, n), (n, n)):
            a, b = values(rng, (3, m, k), dtype), values(rng, (3, k, n), dtype)
            exact, magnitude = bounds(a, b)
            for x in (cp.asarray(a), cp.swapaxes(cp.asarray(np.swapaxes(a, 1, 2).copy()), 1, 2)):
                for y in (cp.asarray(b), cp.swapaxes(cp.asarray(np.swapaxes(b, 1, 2).copy()), 1, 2)):
                    check(x @ y, a @ b, exact, magnitude, k)
        a, v = values(rng, (5, 9, n), dtype), values(rng, (5, n), dtype)
        check(cp.vecdot(cp.asarray(a), cp.asarray(v)[:, None]), np.vecdot(a, v[:, None]),
              np.vecdot(big(a), big(v)[:, None]), np.vecdot(np.abs(big(a)), np.abs(big(v))[:, None]), n)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("n", [4, 8])
def test_squares(dtype, n, device):
    """Dense ones one behind the other, which kernels of their own do: also with one for all on either side, of two
    batch axes, with what is not finite. On the CPU their bits are those of the same numbers in another layout."""
    rng = np.random.default_rng(n)
    a, b = values(rng, (3, 301, n, n), dtype), values(rng, (3, 301, n, n), dtype)
    a[1, 7, 2, 1], b[2, 300, 0, 3] = np.nan, -np.inf
    a[0, 0] = 0
    for x, y in ((a, b), (a[1, 5], b), (a, b[2, 9]), (a[:, :1], b), (a, b[:, 5:6]), (a[0], b[0]), (a[:1], b),
                 (a[2, :, :, ::-1], b[2]), (a[0], b[0, ::-1]), (a[0, ::3], b[0, ::3])):
        apart = [np.full((*z.shape[:-1], n + 1), np.nan, dtype) for z in (x, y)]
        for z, room in zip((x, y), apart):
            room[..., :n] = z
        got = cp.asnumpy(cp.asarray(x) @ cp.asarray(y))
        other = cp.asnumpy(cp.asarray(apart[0])[..., :n] @ cp.asarray(apart[1])[..., :n])
        if not device.startswith("cuda"):
            np.testing.assert_array_equal(got, other)
        with np.errstate(invalid="ignore"):
            exact, magnitude = bounds(x, y)
        good = np.isfinite(magnitude)
        np.testing.assert_array_equal(np.isfinite(got), good)
        assert np.all(np.abs(got[good] - exact[good]) <= (n + 2) * EPS[dtype] * magnitude[good])


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("n", [3, 8, 17])
def test_small_ones_touch_nothing_else(dtype, n):
    """What is not finite beside an operand does not come in, what lies beside the result stays."""
    rng = np.random.default_rng(n)
    a, b = values(rng, (4, n, n), dtype), values(rng, (4, n, n), dtype)
    room = np.full((2, 4, n + 2, n + 3), np.nan, dtype)
    room[0, :, 1:-1, 1:-2], room[1, :, 1:-1, 1:-2] = a, b
    x, y = (cp.asarray(r)[:, 1:-1, 1:-2] for r in room)
    out = cp.full((4 * n * n + 8,), 77, dtype)
    cp.matmul(x, y, out=out[4:-4].reshape(4, n, n))
    got = cp.asnumpy(out)
    check(got[4:-4].reshape(4, n, n), a @ b, *bounds(a, b), n)
    assert (got[:4] == 77).all() and (got[-4:] == 77).all()
    v = cp.asarray(room[1])[:, 1:-1, 1]
    check(cp.matvec(x, v), np.matvec(a, b[..., 0]), np.matvec(big(a), big(b)[..., 0]),
          np.matvec(np.abs(big(a)), np.abs(big(b))[..., 0]), n)


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize("m,n,k", [(5000, 8, 8), (4097, 3, 60), (3, 5001, 9), (8, 4099, 64), (20_001, 2, 2),
                                   (2, 2305, 20), (8, 4097, 64), (4097, 2, 20)])
def test_tall_and_wide(dtype, m, n, k):
    rng = np.random.default_rng(m)
    a, b = values(rng, (m, k), dtype), values(rng, (k, n), dtype)
    check_matmul(rng, a, b)
    check(cp.asarray(a) @ cp.asarray(b), a @ b, *bounds(a, b), k)


@pytest.mark.parametrize("m, n, k", [(2, 2, 3), (2, 33, 40), (3, 70, 1), (10, 10, 4099), (16, 8, 255), (17, 9, 256),
                                     (31, 32, 520), (32, 32, 1000), (33, 5, 127), (40, 64, 20011), (64, 64, 129),
                                     (65, 64, 130), (100, 128, 1300), (128, 128, 1024),
                                     (128, 127, 1040), (100, 257, 90), (512, 2, 300), (512, 512, 70), (513, 513, 70),
                                     (200, 130, 600)])
def test_few_rows_and_columns(m, n, k):
    """What float64's own kernel of a GPU takes, and its neighbours: however operands lie, the same bits each time."""
    rng = np.random.default_rng(m * n + k)
    a, b = rng.standard_normal((m, k)), rng.standard_normal((k, n))
    exact, magnitude = big(a) @ big(b), abs(a) @ abs(b)
    for left in (cp.asarray(a), cp.asarray(np.asfortranarray(a)), cp.asarray(np.hstack([a, a]))[:, k:]):
        for right in (cp.asarray(b), cp.asarray(np.asfortranarray(b)), cp.asarray(np.vstack([b, b]))[1:][k - 1:]):
            got = left @ right
            check(got, a @ b, exact, magnitude, k)
            np.testing.assert_array_equal((left @ right).get(), got.get())
    x = cp.asarray(a)
    check(x @ x.T, a @ a.T, big(a) @ big(a).T, abs(a) @ abs(a).T, k)
    bad = a.copy()
    bad[m - 1, k // 2] = np.nan
    assert (np.isnan((cp.asarray(bad) @ cp.asarray(b)).get()).any(axis=1) == (np.arange(m) == m - 1)).all()


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 2), ()])
def test_dot_with_a_number_into(shape):
    """Where NumPy multiplies, out may be of another type; where it calls BLAS, it may not."""
    for own, dtype in ((t, to) for t in ("i4", "f2", "f4", "c16") for to in ("f8", "c16", "f4", "i4")):
        a, n = x(np, *shape, dtype=own) if shape else np.array(3, own), np.array(2, own)
        ours, theirs = cp.zeros(shape, dtype), np.zeros(shape, dtype)
        try:
            np.dot(n, a, out=theirs)
        except (TypeError, ValueError) as e:
            with raises(TypeError if isinstance(e, TypeError) else ValueError):
                cp.dot(cp.asarray(n), cp.asarray(a), out=ours)
        else:
            assert cp.dot(cp.asarray(n), cp.asarray(a), out=ours) is ours
            equal(ours, theirs)


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
        check(x[i] @ y[j], a[i] @ b[j], *bounds(a[i], b[j]), k)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("shapes", [((9,), (9,)), ((5, 9), (9,)), ((40, 30), (30, 20)), ((4, 6, 3), (4, 3, 2))])
def test_complex_at_any_part(dtype, shapes):
    """Complex numbers whose addresses are multiples of a part alone."""
    rng = np.random.default_rng(1)
    part = "f4" if dtype == "complex64" else "f8"
    if dtype == "complex64" and _device.current() >= 0:
        with raises(ValueError, "must lie at multiples of 8 bytes"):
            cp.zeros(3, part)[1:].view(dtype)
        return

    def put(z):
        room = cp.zeros(2 * z.size + 1, part)
        room[1:] = cp.asarray(z.ravel().view(part))
        return room[1:].view(dtype).reshape(z.shape)
    a, b = (values(rng, s, dtype) for s in shapes)
    for x in (cp.asarray(a), put(a)):
        for y in (cp.asarray(b), put(b)):
            got = x @ y
            check(got, a @ b, *bounds(a, b), a.shape[-1])
            if got.ndim:
                out = put(np.zeros(got.shape, dtype))
                cp.matmul(x, y, out=out)
                check(out, a @ b, *bounds(a, b), a.shape[-1])


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


# --- large float32 products, which come from bfloat16 parts on tensor cores where a GPU has them (Hopper) ---

@pytest.fixture
def by_parts(monkeypatch):
    monkeypatch.setenv("CUPRITE_PRODUCTS", "own")


SCALES = {
    "uniform": lambda rng, s: rng.uniform(-1, 1, s),
    "normal": lambda rng, s: rng.standard_normal(s),
    "positive": lambda rng, s: rng.random(s),
    "exponential": lambda rng, s: np.exp(5 * rng.standard_normal(s)),
}


def plain_sums(a, b):
    """a b by a float32 sum along k for each element."""
    s = np.zeros((a.shape[0], b.shape[1]), "f4")
    for i in range(a.shape[1]):
        s += a[:, i:i + 1] * b[i]
    return s


def errors(got, exact, scale):
    e = (got - exact) / scale
    return np.abs(e).max(), np.sqrt(np.mean(e * e))


@pytest.mark.parametrize("data", [*SCALES, "columns", "inner"])
def test_large_float32(data, by_parts):
    """The largest error and the root of the mean square are no larger than those of plain float32 sums, of every
    eleventh row; so too where columns of b, or what is summed over, are of sizes 10^-20 to 10^20."""
    rng = np.random.default_rng(4)
    m, n, k = 1090, 1030, 777
    draw = SCALES.get(data, SCALES["normal"])
    a, b = draw(rng, (m, k)), draw(rng, (k, n))
    if data == "columns":
        b *= 10 ** rng.uniform(-20, 20, n)
    elif data == "inner":
        by = 10 ** rng.uniform(-17, 17, k)
        a, b = a * by, b / by[:, None]
    a, b = a.astype("f4"), b.astype("f4")
    some = slice(None, None, 11)
    exact = a.astype("f8") @ b.astype("f8")
    scale = np.abs(a.astype("f8")) @ np.abs(b.astype("f8"))
    if data in ("uniform", "normal", "positive"): # sizes that vary little: absolute errors
        scale[:] = 1
    plain = errors(plain_sums(a[some], b), exact[some], scale[some])
    for left in "CF":
        for right in "CF":
            got = cp.asnumpy(cp.asarray(np.asarray(a, order=left)) @ cp.asarray(np.asarray(b, order=right)))
            ours = errors(got[some], exact[some], scale[some])
            assert ours[0] <= plain[0] and ours[1] <= plain[1], (ours, plain)
            assert errors(got, exact, scale)[0] <= 2 * plain[0]


@pytest.mark.parametrize("m, n, k", [(1024, 1024, 256), (1025, 1100, 257), (300, 4000, 1000), (4000, 300, 290)])
def test_large_float32_is_exact_where_float32_is(m, n, k, by_parts):
    """Sums of integers below 2^24, numbers of 24 bits times one, the identity: not a bit is lost."""
    rng = np.random.default_rng(5)
    a, b = rng.integers(-99, 100, (m, k)), rng.integers(-99, 100, (k, n))
    np.testing.assert_array_equal(cp.asnumpy(cp.asarray(a, "f4") @ cp.asarray(b, "f4")), a @ b)
    for bits in (4, 12, 20): # one product, of all 24 bits, in each sum
        a, b = np.zeros((m, k), "f4"), rng.integers(1, 1 << (24 - bits), (k, n)).astype("f4")
        which = rng.integers(k, size=m)
        a[np.arange(m), which] = factors = rng.integers(1, 1 << bits, m).astype("f4")
        np.testing.assert_array_equal(cp.asnumpy(cp.asarray(a) @ cp.asarray(b)), factors[:, None] * b[which])
    whole = rng.integers(0, 1 << 32, (k, n), dtype="u4").view("f4") # any bits, subnormal numbers and infinities too
    whole[~np.isfinite(whole)] = 3.4028235e38
    got = cp.asnumpy(cp.eye(m, k, dtype="f4") @ cp.asarray(whole))
    np.testing.assert_array_equal(got[:min(m, k)], whole[:min(m, k)])
    assert not got[k:].any()


def test_large_float32_of_any_size(by_parts):
    """Infinities, NaN, what overflows, the smallest numbers, zeros' signs: as float32 has them, others undisturbed."""
    rng = np.random.default_rng(6)
    m, n, k = 1100, 1050, 300
    a, b = rng.standard_normal((m, k)).astype("f4"), rng.standard_normal((k, n)).astype("f4")
    usual = a.astype("f8") @ b.astype("f8")
    a[3, 5], a[4, 6], a[5, 7], b[8, 900], b[9, 901] = np.inf, -np.inf, np.nan, np.nan, np.inf
    a[700] = 1e-42 * np.arange(k)
    a[701] = -0.0
    a[702], a[702, 20], a[703] = 0, 3e38, 1e30
    a[704] = 1e-25
    a[1099, :], b[:, 1040] = 0, 0
    a[1099, 11] = b[11, 1040] = np.float32(2) ** 64 * (1 - np.float32(2) ** -24) # 2^128 - 2^105
    b[:, 800], b[:, 801] = 2e-38, np.float32(1e-18)
    got = cp.asnumpy(cp.asarray(a) @ cp.asarray(b))
    with np.errstate(over="ignore", invalid="ignore"):
        exact = a.astype("f8") @ b.astype("f8")
        want = exact.astype("f4")
        magnitude = np.abs(a.astype("f8")) @ np.abs(b.astype("f8"))
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    sure = np.isfinite(want) & (magnitude <= np.finfo("f4").max)
    assert sure[1099, 1040] and got[1099, 1040] == want[1099, 1040]
    bound = 302 * 2.0**-24 * magnitude[sure] + 301 * 2.0**-150
    assert np.all(np.abs(got[sure] - exact[sure]) <= bound)
    infinite = np.isinf(want) & ~np.isfinite(a).all(1)[:, None]
    assert infinite[3:5].any() and np.all(got[infinite] == want[infinite])
    np.testing.assert_array_equal(np.signbit(got[701, :800]), False)
    calm = np.ones_like(got, bool)
    calm[[3, 4, 5, 700, 701, 702, 703, 704, 1099]] = False
    calm[:, [800, 801, 900, 901, 1040]] = False
    assert np.all(np.abs(got - usual)[calm] <= 1e-4)


@pytest.mark.parametrize("batch", ["both", "left", "right", "grid"])
def test_large_float32_in_batches(batch, by_parts):
    rng = np.random.default_rng(7)
    left = {"both": (3, 600, 400), "left": (3, 600, 400), "right": (1, 600, 400), "grid": (2, 1, 600, 400)}[batch]
    right = {"both": (3, 400, 700), "left": (400, 700), "right": (3, 400, 700), "grid": (1, 3, 400, 700)}[batch]
    a, b = rng.standard_normal(left).astype("f4"), rng.standard_normal(right).astype("f4")
    exact = a.astype("f8") @ b.astype("f8")
    turned = cp.asarray(a.swapaxes(-1, -2).copy()).swapaxes(-1, -2)
    for x in (cp.asarray(a), turned, turned[..., ::-1, :]):
        want = exact[..., ::-1, :] if x is not turned and x.strides[-2] < 0 else exact
        got = cp.asnumpy(x @ cp.asarray(b))
        assert np.abs(got - want).max() <= 1e-4
    np.testing.assert_array_equal(cp.asnumpy(turned @ cp.asarray(b)), cp.asnumpy(turned @ cp.asarray(b)))


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
    check(out, want, *bounds(a, b), a.shape[-1])


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
    "batch": (lambda m: m.matmul(x(m, 3, 4, 2), x(m, 2, 5, 4), axes=[(0, 2), (0, 2), (0, 1)]),
              "operands could not be broadcast together"),
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
    "which of two": (lambda m: m.tensordot(x(m, 17, 5), x(m, 5)), "shape-mismatch for sum"),
    "no such axis": (lambda m: m.tensordot(x(m, 5, 2), x(m, 5)), None),
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
        expected = kind(e)
    else:
        raise AssertionError("NumPy does it")
    with raises(expected) as got:
        call(cp)
    if text:
        squeezed = str(got.value).replace(", ", ",")
        assert text.replace(", ", ",") in squeezed


def test_casting():
    a = x(cp, 2, 2)
    with raises(TypeError, match="Cannot cast"):
        cp.matmul(a, a, out=cp.zeros((2, 2), "i4"))
    with raises(TypeError, match="Cannot cast"):
        cp.matmul(a, a, dtype="f4", casting="safe")
    for options in ({"dtype": "f4"}, {"dtype": "c8"}, {"dtype": "i8", "casting": "unsafe"}, {"order": "F"},
                    {"signature": "ff->f"}):
        got, want = cp.matmul(a, a, **options), np.matmul(x(np, 2, 2), x(np, 2, 2), **options)
        assert got.dtype == want.dtype and got.flags.f_contiguous == want.flags.f_contiguous
        np.testing.assert_array_equal(cp.asnumpy(got), want)
    assert cp.vecdot(a[:1], a[:1], out=cp.zeros(())).shape == ()  # axes of 1 that a batch adds may be missing
    with raises(ValueError):
        cp.vecdot(a, a, out=cp.zeros(()))
    out = cp.zeros((2, 2), "f4")
    cp.matmul(a, a, out=out, casting="same_kind")
    np.testing.assert_array_equal(cp.asnumpy(out), cp.asnumpy(a @ a))


AXES = [("matmul", (3, 4, 2), (2, 4, 5), {"axes": [(0, 2), (0, 2), (0, 1)]}),
        ("matmul", (2, 3, 4), (2, 4, 5), {"axes": [(-2, -1), (-2, -1), (2, 0)]}),
        ("matmul", (4,), (4, 5), {"axes": [(0,), (0, 1), (0,)]}),
        ("vecdot", (4, 3), (4, 3), {"axis": 0}), ("vecdot", (4, 3), (4, 3), {"axis": 0, "keepdims": True}),
        ("vecdot", (4, 3), (3, 4), {"axes": [0, 1]}), ("vecdot", (4, 3), (4, 3), {"keepdims": True}),
        ("matvec", (4, 2, 3), (3, 2), {"axes": [(0, 2), 0, 0]}),
        ("vecmat", (3, 5), (4, 5, 3), {"axes": [0, (2, 0), 1]})]


@pytest.mark.parametrize("name,a,b,options", AXES)
def test_axes(name, a, b, options):
    want = getattr(np, name)(x(np, *a), x(np, *b), **options)
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
    """However products are tiled and transposed inside: many vectors with one, one column, matrices by columns."""
    rng = np.random.default_rng(sum(a) + sum(b))
    x, y = values(rng, a, dtype), values(rng, b, dtype)
    f = getattr(np, name)
    put = (lambda z: cp.asarray(np.swapaxes(np.swapaxes(z, -1, -2).copy(), -1, -2)) if z.ndim > 1
           else cp.asarray(z)) if fortran else cp.asarray
    check(getattr(cp, name)(put(x), put(y)), f(x, y), f(big(x), big(y)), f(np.abs(big(x)), np.abs(big(y))), a[-1])


# --- dot and its like ---

def whole(rng, shape, dtype):
    """Small integers, of which every order of adding gives the same."""
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
    with raises(TypeError):
        a @ np.ones(3)
    with raises(TypeError):
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
    want = outcome(np.einsum, text, *arrays)
    if isinstance(want, type):
        assert outcome(cp.einsum, text, *map(cp.asarray, arrays)) is want
        return
    got = cp.einsum(text, *(laid(rng, a) for a in arrays), optimize=optimize)
    assert got.dtype == want.dtype and got.shape == want.shape
    rounds = {"float16": 2.0**-8, "float32": 2.0**-18, "complex64": 2.0**-16}.get(dtype, 0)
    exact = np.einsum(text, *(np.abs(a).astype("f8") for a in arrays))
    if exact.size and exact.max() < 2**10:
        rounds = 0  # integers that each type holds
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
    with raises(TypeError):
        cp.einsum("ij,jk", a, b, dtype="f4")
    assert cp.einsum("ij->ij", a, order="F").flags.f_contiguous
    with raises(ValueError):
        cp.einsum("ij,jk,kl->il", a, b, c, optimize=[(0, 5)])
    for bad, error in (("worst", KeyError), (("worst", 100), KeyError), ((), TypeError), (["path", (0, 1)], TypeError),
                       (3, TypeError)):
        with pytest.raises(error):
            np.einsum("ij,jk,kl->il", na, nb, nc, optimize=bad)
        with raises(error):
            cp.einsum("ij,jk,kl->il", a, b, c, optimize=bad)
