"""Every row of the table of elementwise operations against NumPy: types, values within the row's ULP bound, special
values, strides, broadcasting, out=, where=, dtype=, weak scalars. Driven by the table; every device."""
import zlib

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import cuprite as cp

UFUNC = type(cp.add)
TABLE = {f.__name__: f for f in vars(cp).values() if isinstance(f, UFUNC)}
ROWS = sorted(TABLE)
TYPES = [np.dtype(t) for t in "? b B h H i I q Q e f d F D".split()]
REALS = [t for t in TYPES if t.kind != "c"]
SPECIAL = [0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 1.5, 2.5, -1.5, 3, 0.1, 100, -100, 1e-3, np.inf, -np.inf, np.nan, 7, -7,
           0.9999999, 1.0000001, 88.5, -88.5, 709.5, 1e4, 6e4, 1e-8]
#: NumPy itself decides the sign of a zero there by its instruction set
ANY_ZERO = {"maximum", "minimum", "fmax", "fmin"}
#: NumPy's own formulas lose digits or its special values are no rule's: moderate values only
LOOSE = {"power", "exp2", "expm1", "log1p", "square", "divide", "sign", "reciprocal", "multiply"}

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


def reference(name):
    return (lambda x: np.arctan2(np.imag(x), np.real(x))) if name == "angle" else getattr(np, name)


def sample(rng, t, n, wild=True):
    """n values of a type: special ones, ordinary ones, any bits."""
    if t.kind == "b":
        return rng.integers(0, 2, n).astype(bool)
    if t.kind in "iu":
        low, high = np.iinfo(t).min, np.iinfo(t).max
        r = np.where(rng.random(n) < 0.5, rng.integers(low, high, n, dtype=t, endpoint=True),
                     rng.integers(max(low, -9), 10, n).astype(t))
        r[:5] = np.array([low, high, 0, 1, 2]).astype(t)[:n]
        return r
    if t.kind == "f":
        ordinary = rng.normal(size=n) * 10.0 ** rng.integers(-3, 2 if not wild else 3, n)
        if not wild:
            return ordinary.astype(t)
        f = np.finfo(t)
        special = np.array(SPECIAL + [f.max, -f.max, f.tiny, f.smallest_subnormal, f.eps])
        bits = rng.integers(0, 256, (n, t.itemsize), dtype=np.uint8).view(t)[:, 0]
        r = np.where(rng.random(n) < 0.4, rng.choice(special, n), ordinary).astype(t)
        return np.where(rng.random(n) < 0.15, bits, r)
    part = np.dtype("f4" if t.itemsize == 8 else "f8")
    r = np.empty(n, t)
    r.real, r.imag = sample(rng, part, n, wild), sample(rng, part, n, wild)
    return r


def tame(name, arrays):
    """Integers to negative integer powers are an error."""
    if name == "power" and arrays[1].dtype.kind in "iu" and arrays[0].dtype.kind in "biu":
        arrays[1] = (np.abs(arrays[1].astype("i8")) % 9).astype(arrays[1].dtype)
    return arrays


def outcome(f, *arrays, **options):
    try:
        return f(*arrays, **options)
    except (TypeError, ValueError, OverflowError) as e:
        return type(e)


def error(got, want):
    """Distance in units in the last place of `want`; of complex numbers by their magnitude."""
    got, want = np.asarray(got), np.asarray(want)
    if got.dtype.kind == "c":
        same = (np.isnan(got) & np.isnan(want)) | (got == want)
        unit = np.maximum(np.abs(want.astype("G")), np.finfo(got.real.dtype).tiny) * np.finfo(got.real.dtype).eps
        distance = np.abs(got.astype("G") - want.astype("G")) / unit
    else:
        same = (got == want) | (np.isnan(got) & np.isnan(want))
        distance = np.abs(got.astype("g") - want.astype("g")) / np.spacing(np.abs(want.astype(got.dtype))).astype("g")
    return np.where(same, 0.0, np.where(np.isfinite(distance), distance, np.inf)).astype(float)


def precise(name, arrays, dtype):
    """NumPy's result from long double, where there is such a loop."""
    wide = "G" if dtype.kind == "c" or any(a.dtype.kind == "c" for a in arrays) else "g"
    try:
        return reference(name)(*[a.astype(wide) for a in arrays]).astype(dtype)
    except TypeError:
        return None


def check(name, arrays, got, want):
    assert isinstance(got, cp.ndarray)
    got, want = got.get(), np.asarray(want)
    assert got.dtype == want.dtype, (name, [a.dtype for a in arrays])
    assert got.shape == want.shape
    if got.dtype.kind not in "fc":
        np.testing.assert_array_equal(got, want)
        return
    bound = TABLE[name].ulp
    e = error(got, want)
    if bound > 0 or got.dtype.kind == "c":
        best = precise(name, arrays, want.dtype)
        if best is not None:
            e = np.minimum(e, error(got, best))
    if got.dtype == np.float16:
        bound = min(bound, 1)
    if got.dtype.kind == "c":
        bound = 8 if name not in LOOSE else 300
    bad = np.flatnonzero(~(e <= bound).ravel())
    at = [np.broadcast_to(a, got.shape).ravel()[bad[:1]] for a in arrays]
    assert not len(bad), f"{name}{at}: {got.ravel()[bad[:1]]}, NumPy {want.ravel()[bad[:1]]}, {e.ravel()[bad[:1]]} ULP"
    if got.dtype.kind == "f" and bound == 0 and name not in ANY_ZERO:
        zero = (got == 0) & (want == 0)
        assert (np.signbit(got) == np.signbit(want))[zero].all(), name


def compare(name, arrays, **options):
    want = outcome(reference(name), *arrays, **options)
    got = outcome(TABLE[name], *[cp.asarray(a) for a in arrays], **options)
    if isinstance(want, type) or isinstance(got, type):
        assert isinstance(want, type) and isinstance(got, type), (name, [a.dtype for a in arrays], got, want)
        return
    check(name, arrays, got, want)


@pytest.mark.parametrize("name", ROWS)
def test_row(name, device):
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    nin = TABLE[name].nin
    for t in TYPES:
        for _ in range(2 if nin == 1 else 1):
            compare(name, tame(name, [sample(rng, t, 300, not (t.kind == "c" and name in LOOSE)) for _ in range(nin)]))
    for _ in range(8 if nin > 1 else 0):
        types = [TYPES[i] for i in rng.integers(0, len(TYPES), nin)]
        loose = name in LOOSE and any(t.kind == "c" for t in types)
        compare(name, tame(name, [sample(rng, t, 120, not loose) for t in types]))


@st.composite
def strided(draw, shape):
    """An array of that shape, its type and strides drawn."""
    t = draw(st.sampled_from(TYPES))
    rng = np.random.default_rng(draw(st.integers(0, 2**20)))
    steps = [draw(st.sampled_from([1, 1, 2, -1, -3])) for _ in shape]
    order = draw(st.permutations(range(len(shape))))
    base = sample(rng, t, int(np.prod([n * abs(s) for n, s in zip(shape, steps)], dtype=int)) or 0, wild=False)
    base = base.reshape([shape[i] * abs(steps[i]) for i in order]).transpose(np.argsort(order))
    return base, tuple(slice(None, None, s) for s in steps)


@st.composite
def operands(draw):
    name = draw(st.sampled_from(ROWS))
    full = draw(st.lists(st.sampled_from([0, 1, 2, 3, 5, 17, 130]), max_size=4).filter(lambda s: np.prod(s) < 2e4))
    arrays = []
    for k in range(TABLE[name].nin):
        skip = draw(st.integers(0, len(full))) if k else 0
        shape = [n if draw(st.booleans()) or not k else 1 for n in full[skip:]]
        arrays.append(draw(strided(shape)))
    return name, arrays


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(operands())
def test_strides_and_broadcasting(device, drawn):
    name, pairs = drawn
    theirs = tame(name, [a[s] for a, s in pairs])
    want = outcome(reference(name), *theirs)
    ours = [cp.asarray(a)[s] if t.base is not None and np.shares_memory(t, a) else cp.asarray(t)
            for (a, s), t in zip(pairs, theirs)]
    got = outcome(TABLE[name], *ours)
    if isinstance(want, type) or isinstance(got, type):
        assert isinstance(want, type) and isinstance(got, type)
        return
    check(name, theirs, got, want)


@pytest.mark.parametrize("name", ROWS)
def test_python_scalars(name, device):
    if TABLE[name].nin != 2:
        return
    for t in TYPES:
        x = np.array([1, 2, 3]).astype(t)
        for value in (2, -3, 300, 70000, 2.5, 1 + 1j, True):
            for turn in (False, True):
                if name in ("left_shift", "right_shift") and turn:
                    continue
                a, b = ([value, x] if turn else [x, value])
                want = outcome(reference(name), a, b)
                got = outcome(TABLE[name], *[cp.asarray(v) if v is x else v for v in (a, b)])
                if isinstance(want, type) or isinstance(got, type):
                    assert isinstance(want, type) and isinstance(got, type), (name, t, value, turn, want, got)
                else:
                    assert got.dtype == want.dtype, (name, t, value, turn)
                    if want.dtype.kind in "biu":
                        np.testing.assert_array_equal(got.get(), want)


@pytest.mark.parametrize("name", ROWS)
def test_options(name, device):
    """out of another type, a mask, dtype=: the values and errors of NumPy."""
    rng = np.random.default_rng(7)
    nin = TABLE[name].nin
    mask = rng.random(200) < 0.5
    for t in (np.dtype("i4"), np.dtype("f4")):
        x = tame(name, [np.abs(sample(rng, t, 200, False)) for _ in range(nin)])
        natural = outcome(reference(name), *x)
        if isinstance(natural, type):
            continue
        for o in TYPES:
            for casting in ("same_kind", "unsafe"):
                if name == "angle" or (casting == "unsafe" and natural.dtype.kind == "f" and o.kind in "iu"):
                    continue
                base = np.ones(200, o)
                want = outcome(reference(name), *x, out=base.copy(), where=mask, casting=casting)
                mine = cp.asarray(base)
                got = outcome(TABLE[name], *[cp.asarray(a) for a in x], out=mine, where=cp.asarray(mask), casting=casting)
                if isinstance(want, type) or isinstance(got, type):
                    assert isinstance(want, type) and isinstance(got, type), (name, t, o, casting, want, got)
                    np.testing.assert_array_equal(mine.get(), base)
                    continue
                assert got is mine
                assert (got.get()[~mask] == 1).all()
                np.testing.assert_allclose(got.get().astype("c16"), want.astype("c16"), rtol=2e-2 if o == "e" else 1e-5)
        if name == "angle":
            continue
        for d in TYPES:
            want = outcome(reference(name), *x, dtype=d)
            got = outcome(TABLE[name], *[cp.asarray(a) for a in x], dtype=d)
            assert isinstance(want, type) == isinstance(got, type), (name, t, d, want, got)
            if not isinstance(want, type):
                assert got.dtype == want.dtype, (name, t, d)


@pytest.mark.parametrize("name", ROWS)
def test_in_place_and_overlap(name, device):
    rng = np.random.default_rng(3)
    for t in (np.dtype("i4"), np.dtype("f8")):
        x = np.abs(sample(rng, t, 500, False)) % 7
        nin = TABLE[name].nin
        want = outcome(reference(name), *[x[:-1]] * nin)
        if isinstance(want, type) or want.dtype != t:
            continue
        a = cp.asarray(x)
        fresh = TABLE[name](*[cp.asarray(x[:-1])] * nin).get()
        TABLE[name](*[a[:-1]] * nin, out=a[1:])
        np.testing.assert_array_equal(a.get()[1:], fresh)
        b = cp.asarray(x[:-1])
        TABLE[name](*[b] * nin, out=b)
        np.testing.assert_array_equal(b.get(), fresh)


def test_bfloat16(device):
    """Computes in float32, rounds once."""
    rng = np.random.default_rng(5)
    for name in ROWS:
        f = TABLE[name]
        x = [cp.asarray(np.abs(sample(rng, np.dtype("f4"), 100, False))).astype("bfloat16") for _ in range(f.nin)]
        want = outcome(f, *[a.astype("f4") for a in x])
        got = outcome(f, *x)
        if isinstance(want, type):
            assert isinstance(got, type)
        elif name != "nextafter":
            if want.dtype == np.float32:
                assert str(got.dtype) == "bfloat16", name
                want = want.astype("bfloat16")
            np.testing.assert_array_equal(got.astype("f8").get(), want.astype("f8").get())


def test_order_of_axes(device):
    x = np.arange(24.0).reshape(2, 3, 4)
    for axes in ((0, 1, 2), (2, 1, 0), (1, 0, 2), (2, 0, 1)):
        a = x.transpose(axes)
        want = a + a
        got = cp.asarray(x).transpose(axes) + cp.asarray(x).transpose(axes)
        assert got.strides == want.strides
        np.testing.assert_array_equal(got.get(), want)


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_where(device, data):
    shape = data.draw(st.lists(st.integers(0, 40), max_size=3))
    (a, sa), (b, sb) = data.draw(strided(shape)), data.draw(strided(shape))
    mask = np.random.default_rng(1).random(shape) < 0.5
    want = np.where(mask, a[sa], b[sb])
    got = cp.where(cp.asarray(mask), cp.asarray(a)[sa], cp.asarray(b)[sb]).get()
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got, want)
    for pair in ((1, 0), (a[sa], 0), (2.5, b[sb]), (True, False)):
        want = np.where(mask, *pair)
        got = cp.where(cp.asarray(mask), *[cp.asarray(p) if isinstance(p, np.ndarray) else p for p in pair]).get()
        assert got.dtype == want.dtype, (a.dtype, pair)
        np.testing.assert_array_equal(got, want)


def test_clip(device):
    rng = np.random.default_rng(4)
    for t in TYPES:
        x = sample(rng, t, 300)
        low, high = np.sort(sample(rng, t, 2, False))
        np.testing.assert_array_equal(cp.clip(cp.asarray(x), cp.asarray(low), cp.asarray(high)).get(), np.clip(x, low, high))
        if t.kind in "iu":
            np.testing.assert_array_equal(cp.clip(cp.asarray(x), -5, 300).get(), np.clip(x, -5, 300))


def test_closeness(device):
    rng = np.random.default_rng(2)
    for t in TYPES:
        x = sample(rng, t, 2000)
        y = x.copy()
        y[::7] = sample(rng, t, len(y[::7]))
        if t.kind in "fc":
            y[1::5] = y[1::5] * t.type(1 + 5e-6)
        a, b = cp.asarray(x), cp.asarray(y)
        for nan in (False, True):
            if t != np.float16 and t != np.complex64 and t.kind != "i":
                np.testing.assert_array_equal(cp.isclose(a, b, equal_nan=nan).get(), np.isclose(x, y, equal_nan=nan))
            assert bool(cp.array_equal(a, b, equal_nan=nan)) == np.array_equal(x, y, equal_nan=nan)
            assert bool(cp.array_equal(a, a.copy(), equal_nan=nan)) == np.array_equal(x, x.copy(), equal_nan=nan)
        assert bool(cp.allclose(a, b)) == np.allclose(x, y)
    assert not cp.array_equal(cp.zeros(3), cp.zeros(4))


@pytest.mark.parametrize("source", TYPES, ids=str)
def test_conversion(source, device):
    """astype between all types, contiguous and strided; out-of-range values as x86-64 gives them."""
    rng = np.random.default_rng(6)
    x = sample(rng, source, 3001, wild=source.kind not in "fc")
    for t in TYPES:
        want = x.astype(t)
        np.testing.assert_array_equal(cp.asarray(x).astype(t).get(), want)
        np.testing.assert_array_equal(cp.asarray(x)[::-3].astype(t).get(), want[::-3])


def test_negative_powers_of_integers(device):
    """An error as in NumPy; on a GPU at the latest where somebody looks, and then it is over."""
    a, b = cp.asarray(np.arange(1, 100001)), cp.asarray(np.where(np.arange(100000) == 77777, -1, 2))
    for t in ("i1", "i2", "i4", "i8"):
        with pytest.raises(ValueError, match="power: integers to negative integer powers"):
            cp.asnumpy(a ** b.astype(t))
    with pytest.raises(ValueError, match="power"):
        cp.asnumpy(a[:, None][:300] ** b[77770:77780].astype("i4")[::-1])
    mask = b > 0
    np.testing.assert_array_equal(cp.power(a, b, out=cp.zeros_like(a), where=mask).get(),
                                  np.power(a.get(), 2) * mask.get())
    assert int(a[3] ** b[3]) == 16


LONG = [(1, 3), (7, 4), (130, 64), (33, 40, 8), (5, 6, 7, 4), (1000, 3), (4099,), (8200,), (2, 3, 1, 5, 2, 12)]


@pytest.mark.parametrize("shape", LONG, ids=str)
def test_broadcasting_of_all_types(shape, device):
    """Rows, columns and single elements against whole arrays, aligned and not, every pair of types."""
    rng = np.random.default_rng(len(shape) + shape[-1])
    pick = rng.permutation(len(TYPES) ** 2)[:40]
    for at in pick:
        t, u = TYPES[at // len(TYPES)], TYPES[at % len(TYPES)]
        for row in (shape[-1:], (1,) * (len(shape) - 1) + shape[-1:], shape[:-1] + (1,), shape, (1,), ()):
            x, y = (sample(rng, np.dtype(w), int(np.prod(s)) + 1, wild=False)[1:] for w, s in ((t, shape), (u, row)))
            for name in ("add", "greater", "logical_and"):
                theirs = [x.reshape(shape), y.reshape(row)]
                ours = [cp.asarray(x)[:].reshape(shape), cp.asarray(np.append(y[:1], y))[1:].reshape(row)]
                check(name, theirs, TABLE[name](*ours), reference(name)(*theirs))
                check(name, theirs[::-1], TABLE[name](*ours[::-1]), reference(name)(*theirs[::-1]))


@pytest.mark.parametrize("shape", LONG, ids=str)
def test_closeness_of_broadcast_operands(shape, device):
    """isclose and allclose of rows, columns and single elements, mixed types, aligned and not, strided."""
    rng = np.random.default_rng(shape[-1])
    x = rng.integers(-3, 4, shape).astype("f8") + rng.choice([0, 1e-9, 1e-3], shape)
    for t, u in (("f8", "f8"), ("f4", "f8"), ("i4", "f2"), ("c16", "f4"), ("u8", "i8"), ("?", "i2")):
        for row in (shape, shape[-1:], shape[:-1] + (1,), ()):
            a, b = x.astype(t), rng.integers(-3, 4, row).astype(u)
            mine, other = cp.asarray(np.append(a.ravel()[:1], a))[1:].reshape(shape), cp.asarray(b)
            for swap in (False, True):
                p, q = ((b, a), (other, mine)) if swap else ((a, b), (mine, other))
                want = np.isclose(*p)
                np.testing.assert_array_equal(cp.isclose(*q).get(), want, err_msg=f"{t} {u} {row} {swap}")
                assert bool(cp.allclose(*q)) == bool(want.all())
        back = x.astype(t)[..., ::-1]
        assert cp.allclose(cp.asarray(x.astype(t))[..., ::-1], cp.asarray(np.ascontiguousarray(back)))
    y = x.copy()
    y[(-1,) * y.ndim] += 1
    assert not cp.allclose(cp.asarray(x), cp.asarray(y)) and cp.allclose(cp.asarray(x), cp.asarray(x.copy()))
