"""Every row of the table of elementwise operations against NumPy: types, values within the row's ULP bound, special
values, strides, broadcasting, out=, where=, dtype=, weak scalars. Driven by the table; every device."""
import functools
import importlib
import math
import pathlib
import re
import sys
import zlib

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import cuprite as cp
from oracle import outcome

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "generate"))
import module_folders  # noqa: E402
from table import read  # noqa: E402


def module_of(row):
    return importlib.import_module("cuprite." + row.module) if row.get("module") else cp


TEXT = module_folders.file("elementwise/elementwise.def").read_text()
ROW = {row.args[0]: row for row in read(TEXT, "elementwise.def") if row.kind == "operation" and not row.get("hidden")}
TABLE = {name: getattr(module_of(row), name) for name, row in ROW.items() if name not in ("angle", "clip")}  # functions
ROWS = sorted(TABLE)
TYPES = [np.dtype(t) for t in "? b B h H i I q Q e f d F D".split()]
REALS = [t for t in TYPES if t.kind != "c"]
SPECIAL = [0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 1.5, 2.5, -1.5, 3, 0.1, 100, -100, 1e-3, np.inf, -np.inf, np.nan, 7, -7,
           0.9999999, 1.0000001, 88.5, -88.5, 709.5, 1e4, 6e4, 1e-8]
#: NumPy itself decides the sign of a zero there by its instruction set
ANY_ZERO = {"maximum", "minimum", "fmax", "fmin"}
#: complex functions whose intermediate results overflow in NumPy, or whose special values are no rule's
MODERATE = {"power", "exp2", "expm1", "log1p", "square", "divide", "sign", "reciprocal", "multiply", "float_power",
            "sinc", "xlogy"}

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


def foreign(name, x):
    """Operands for functions that NumPy lacks, in the type that CuPy computes them in: the first that each casts to,
    float32 upwards, where SciPy's are sorted otherwise. A Python number is of the type that NumPy gives it beside the
    others."""
    if ROW[name].get("rule") == "double":  # SciPy's own types; a Python number is as wide as what is beside it
        beside = [v.dtype if v.dtype.kind in "fc" else np.dtype("d") for v in x if hasattr(v, "dtype")]
        if not any(isinstance(v, complex) for v in x):
            return [v if hasattr(v, "dtype") else np.asarray(v) if isinstance(v, bool) else
                    np.asarray(v, np.result_type(np.float32, *beside)) for v in x]
    t = np.result_type(np.float32, *[np.result_type(v if hasattr(v, "dtype") else np.result_type(*x), np.float32)
                                     for v in x])
    if t.kind == "c" and not ROW[name].get("complex"):
        raise TypeError("complex numbers are not taken")
    return [np.asarray(v).astype(t) for v in x]


def reference(name):
    """What the row is compared with: NumPy's function of its name, or the row's oracle."""
    oracle = ROW[name].get("oracle")
    if oracle is None:
        return getattr(np, name)
    if re.fullmatch(r"[\w.]+", oracle):
        module, _, function = oracle.rpartition(".")
        f = getattr(importlib.import_module(module), function)
        return lambda *x: f(*foreign(name, x))
    return lambda *x: expression(oracle, x)


def expression(text, x):
    """What a row's oracle says of x. Halves are rounded once, as ours are, however many steps the expression has."""
    def of(x):
        return eval(text, {"np": np}, dict(zip("abc", x)))
    r = of(x)
    if not isinstance(r, (np.ndarray, np.generic)) or r.dtype != np.float16:
        return r
    return np.asarray(of([np.asarray(v).astype(np.float32) for v in x])).astype(np.float16)


def ufunc(name):
    """The reference as a ufunc; of a function that is none, out, where and casting are copyto's."""
    f = reference(name)
    if isinstance(f, np.ufunc):
        return f

    def call(*x, out=None, where=True, casting="same_kind"):
        r = f(*x)
        if out is None:
            return r
        np.copyto(out, r, where=where, casting=casting)
        return out

    return call


def several(v):
    return v if isinstance(v, tuple) else (v,)


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


def failed(got, want, *about):
    """True where both failed, in the same way."""
    if isinstance(want, type) or isinstance(got, type):
        assert got is want, (*about, got, want)
        return True
    return False


def error(got, want):
    """Distance in ulps of `want`; of complex numbers by their magnitude."""
    got, want = np.asarray(got), np.asarray(want)
    if got.dtype.kind == "c":
        same = (np.isnan(got) & np.isnan(want)) | (got == want)
        unit = np.maximum(np.abs(want.astype("G")), np.finfo(got.real.dtype).tiny) * np.finfo(got.real.dtype).eps
        distance = np.abs(got.astype("G") - want.astype("G")) / unit
    else:
        same = (got == want) | (np.isnan(got) & np.isnan(want))
        distance = np.abs(got.astype("g") - want.astype("g")) / np.spacing(np.abs(want.astype(got.dtype))).astype("g")
    return np.where(same, 0.0, np.where(np.isfinite(distance), distance, np.inf)).astype(float)


#: what is nearer to the truth than the oracle (SciPy's erf is up to 3 ulps off)
BETTER = {"erf": np.vectorize(math.erf, otypes=[np.float64])}


def precise(name, arrays, index, dtype):
    """NumPy's result from long double, where there is such a loop, or that of BETTER."""
    if name in BETTER:
        return BETTER[name](arrays[0]).astype(dtype)
    wide = "G" if dtype.kind == "c" or any(a.dtype.kind == "c" for a in arrays) else "g"
    try:
        with np.errstate(all="ignore"):
            return np.asarray(several(reference(name)(*[a.astype(wide) for a in arrays]))[index]).astype(dtype)
    except TypeError:
        return None


def bound_of(name, dtype):
    """The row's, in ulps; a float16 computes in float32."""
    bound = TABLE[name].ulp
    if dtype.kind == "c":
        return ROW[name].get("complex_ulp", max(bound, 2))
    return min(bound, 1) if dtype == np.float16 else bound


def check(name, arrays, got, want):
    got, want = several(got), several(want)
    assert len(got) == len(want) == TABLE[name].nout
    for k in range(len(got)):
        check_one(name, arrays, k, got[k], want[k])


CANCELS = {"logaddexp", "logaddexp2"}


def check_one(name, arrays, index, got, want):
    assert isinstance(got, cp.ndarray)
    got, want = got.get(), np.asarray(want)
    assert got.dtype == want.dtype, (name, [a.dtype for a in arrays])
    assert got.shape == want.shape
    if got.dtype.kind not in "fc":
        np.testing.assert_array_equal(got, want)
        return
    bound = bound_of(name, got.dtype)
    if name in CANCELS:  # the sum of the larger argument and a logarithm, each rounded
        with np.errstate(all="ignore"):
            largest = functools.reduce(np.maximum, [np.where(np.isfinite(a), abs(a), 0) for a in arrays])
            bound = bound * np.fmax(1, largest / np.maximum(abs(want), np.finfo(want.dtype).tiny))
    e = error(got, want)
    if np.max(bound, initial=0) > 0:
        best = precise(name, arrays, index, want.dtype)
        if best is not None:
            e = np.minimum(e, error(got, best))
    bad = np.flatnonzero(~(e <= bound).ravel())
    at = [np.broadcast_to(a, got.shape).ravel()[bad[:1]] for a in arrays]
    assert not len(bad), f"{name}{at}: {got.ravel()[bad[:1]]}, NumPy {want.ravel()[bad[:1]]}, {e.ravel()[bad[:1]]} ULP"
    if got.dtype.kind == "f" and np.max(bound, initial=0) == 0 and name not in ANY_ZERO:
        zero = (got == 0) & (want == 0)
        assert (np.signbit(got) == np.signbit(want))[zero].all(), name


def compare(name, arrays, **options):
    want = outcome(reference(name), *arrays, **options)
    got = outcome(TABLE[name], *[cp.asarray(a) for a in arrays], **options)
    if not failed(got, want, name, [a.dtype for a in arrays]):
        check(name, arrays, got, want)


@pytest.mark.parametrize("name", ROWS)
def test_row(name, device):
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    nin = TABLE[name].nin
    for t in TYPES:
        for _ in range(2 if nin == 1 else 1):
            compare(name,
                    tame(name, [sample(rng, t, 300, not (t.kind == "c" and name in MODERATE)) for _ in range(nin)]))
    for _ in range(8 if nin > 1 else 0):
        types = [TYPES[i] for i in rng.integers(0, len(TYPES), nin)]
        loose = name in MODERATE and any(t.kind == "c" for t in types)
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
    if not failed(got, want, name):
        check(name, theirs, got, want)


SCALARS = (2, -3, 300, 70000, 2.5, 1 + 1j, True)


@pytest.mark.parametrize("name", ROWS)
def test_python_scalars(name, device):
    """Types, errors and values with Python's numbers as every operand."""
    nin = TABLE[name].nin
    if nin == 1:
        cases = [(v,) for v in SCALARS]
    else:
        arrays = [np.array([1, 2, 3]).astype(t) for t in TYPES]
        cases = [(x,) + (v,) * (nin - 1) for x in arrays for v in SCALARS]
        if "shift" not in name:  # NumPy's C shifts a Python number by what its processor makes of it
            cases += [(v,) * (nin - 1) + (x,) for x in arrays for v in SCALARS]
    for case in cases:
        want = outcome(reference(name), *case)
        got = outcome(TABLE[name], *[cp.asarray(v) if isinstance(v, np.ndarray) else v for v in case])
        if not failed(got, want, name, case):
            check(name, [np.asarray(v) for v in case], got, want)


def ones(types, n, f):
    return tuple(f(np.ones(n, t)) for t in types)


@pytest.mark.parametrize("name", ROWS)
def test_options(name, device):
    """out of another type, a mask, dtype=: the values and errors of NumPy."""
    rng = np.random.default_rng(7)
    nin, nout = TABLE[name].nin, TABLE[name].nout
    mask = rng.random(200) < 0.5
    for t in (np.dtype("i4"), np.dtype("f2"), np.dtype("f4")):
        x = tame(name, [np.abs(sample(rng, t, 200, False)) for _ in range(nin)])
        if outcome(reference(name), *x) is TypeError:
            continue
        natural = several(outcome(reference(name), *x))
        for o in TYPES:
            for casting in ("same_kind", "unsafe"):
                if casting == "unsafe" and any(r.dtype.kind == "f" for r in natural) and o.kind in "iu":
                    continue  # what does not fit is no rule's
                base = [np.full(200, 1.2345678).astype(o) for _ in range(nout)]
                theirs, mine = [b.copy() for b in base], [cp.asarray(b) for b in base]
                pick = (lambda v: v[0]) if nout == 1 else tuple
                want = outcome(ufunc(name), *x, out=pick(theirs), where=mask, casting=casting)
                got = outcome(TABLE[name], *[cp.asarray(a) for a in x], out=pick(mine), where=cp.asarray(mask),
                              casting=casting)
                if failed(got, want, name, t, o, casting):
                    assert all((m.get() == b).all() for m, b in zip(mine, base))
                    continue
                for k, (g, w) in enumerate(zip(several(got), several(want))):
                    assert g is mine[k]
                    np.testing.assert_array_equal(g.get()[~mask], base[k][~mask])
                    loss = max(np.finfo(v.dtype).eps if v.dtype.kind in "fc" else 0 for v in (natural[k], w))
                    near = dict(rtol=loss * (1 + 2 * TABLE[name].ulp), atol=0, equal_nan=True)
                    best = precise(name, x, k, natural[k].dtype) if TABLE[name].ulp else None
                    close = np.isclose(g.get().astype("c16"), w.astype("c16"), **near)
                    if best is not None:  # NumPy's own result may be the worse one
                        close |= np.isclose(g.get().astype("c16"), best.astype(o).astype("c16"), **near)
                    assert close[mask].all(), (name, t, o, [v[mask & ~close][:3] for v in (*x, g.get(), w)])
        if not isinstance(reference(name), np.ufunc):
            continue
        for d in TYPES:
            want = outcome(reference(name), *x, dtype=d)
            got = outcome(TABLE[name], *[cp.asarray(a) for a in x], dtype=d)
            if not failed(got, want, name, t, d):
                assert [g.dtype for g in several(got)] == [w.dtype for w in several(want)], (name, t, d)


@pytest.mark.parametrize("name", ROWS)
def test_in_place_and_overlap(name, device):
    rng = np.random.default_rng(3)
    for t in (np.dtype("i4"), np.dtype("f8")):
        x = np.abs(sample(rng, t, 500, False)) % 7
        nin, nout = TABLE[name].nin, TABLE[name].nout
        want = outcome(reference(name), *[x[:-1]] * nin)
        if isinstance(want, type) or several(want)[0].dtype != t:
            continue
        rest = [cp.zeros(499, w.dtype) for w in several(want)[1:]]
        for shift in (1, 0):
            a = cp.asarray(x)
            out = a[shift:499 + shift]
            r = TABLE[name](*[a[:-1]] * nin, out=(out, *rest))
            assert several(r)[0] is out
            check(name, [x[:-1]] * nin, r, want)


def test_two_outputs_in_one_array(device):
    """Results that share memory are written one after the other."""
    for name in [n for n in ROWS if TABLE[n].nout > 1]:
        x = [np.array([7.5, -2.25, 3.0])] * TABLE[name].nin
        a = cp.zeros(3)
        TABLE[name](*[cp.asarray(v) for v in x], out=(a, a), casting="unsafe")
        np.testing.assert_array_equal(a.get(), reference(name)(*x)[1])


def masked_into_itself(xp, name, x, outs, out, where):
    """All bytes after a call whose results go where its mask lies."""
    memory = {k: xp.asarray(v) for k, v in outs.items()}
    part = [memory[k][s] for k, s in out]
    mask = memory[where[0]][where[1]]
    getattr(xp, name)(*[xp.asarray(v) for v in x], out=tuple(part), where=mask, casting="unsafe")
    return {k: v.tolist() for k, v in memory.items()}


@pytest.mark.parametrize("name", ["modf", "divmod", "add", "greater"])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i8"])
def test_where_in_the_memory_of_out(name, dtype, device):
    """The mask counts as it was before the call, whichever result is written over it and however it is delivered."""
    rng = np.random.default_rng(1)
    nin, nout = (1 if name == "modf" else 2), (2 if name in ("modf", "divmod") else 1)
    for n in (5, 40, 3000):
        x = [(rng.integers(0, 2, n) if i == 0 else rng.integers(1, 9, n)).astype(dtype) for i in range(nin)]
        w = rng.random(n + 1) < 0.5
        for shift in (0, 1):
            for at in range(nout):
                outs = {"w": w.copy(), "o": np.zeros(n, "f4")}
                out = [("o", slice(0, n))] * nout
                out[at] = ("w", slice(shift, n + shift))
                mask = "w", slice(0, n)
                want, got = (masked_into_itself(xp, name, x, {k: v.copy() for k, v in outs.items()}, out, mask)
                             for xp in (np, cp))
                assert got == want, (n, shift, at)


def bfloat16_error(got, exact):
    """Distance of bfloat16 values (as float64) from exact ones, in ulps of those."""
    _, e = np.frexp(np.where(exact == 0, 1, exact))
    unit = np.ldexp(1.0, np.maximum(e - 8, -133))
    same = (got == exact) | (np.isnan(got) & np.isnan(exact))
    return np.where(same, 0, np.abs(got - exact) / unit)


def test_bfloat16(device):
    """Computes in float32, rounds once: within half a unit, and what float32 is off, of the result in float64, or in
    float32."""
    rng = np.random.default_rng(5)
    for name in ROWS:
        f = TABLE[name]
        halves = [cp.asarray(np.abs(sample(rng, np.dtype("f4"), 100, False))).astype("bfloat16") for _ in range(f.nin)]
        x = [h.astype("f8").get() for h in halves]
        want = outcome(reference(name), *x)
        got = outcome(f, *halves)
        if ROW[name].get("half"):
            continue
        if failed(got, want, name):
            continue
        narrow = several(reference(name)(*[v.astype("f4") for v in x]))
        for g, w, n in zip(several(got), several(want), narrow):
            if w.dtype.kind != "f":
                np.testing.assert_array_equal(g.get(), w)
                continue
            if str(g.dtype) == "bfloat16":
                e = np.minimum(*[bfloat16_error(g.astype("f8").get(), v.astype("f8")) for v in (w, n)])
                assert (e <= 0.5 + 2.0**-16 * (f.ulp + 1)).all(), name
            else:  # rows with loops of their own
                assert g.dtype in ("f4", "f8"), name
                np.testing.assert_allclose(g.get(), w, rtol=(f.ulp + 1) * np.finfo(str(g.dtype)).eps)


def test_nextafter_of_bfloat16(device):
    bits = np.array([0x3f80, 0xbf80, 0, 0x8000, 0x7f7f, 1, 0x8001], "u2")
    x = cp.asarray((bits.astype("u4") << 16).view("f4")).astype("bfloat16")
    up = cp.nextafter(x, cp.asarray(np.float32(np.inf)).astype("bfloat16")).astype("f4").get().view("u4") >> 16
    np.testing.assert_array_equal(up, [0x3f81, 0xbf7f, 1, 1, 0x7f80, 2, 0x8000])


def test_spacing_of_bfloat16(device):
    bits = np.array([0x3f80, 0xbf80, 0, 1, 0x4049, 0x7f7f, 0x7f80, 0x7fc0], "u2")
    x = (bits.astype("u4") << 16).view("f4").astype("f8")
    away = (bits.astype("u4") + 1 << 16).view("f4").astype("f8")
    got = cp.spacing(cp.asarray(x).astype("bfloat16")).astype("f8").get()
    np.testing.assert_array_equal(got[:5], (away - x)[:5])
    assert got[5] == np.inf and np.isnan(got[6:]).all()  # as ml_dtypes has it


def test_masked_elements_keep_their_digits(device):
    """What where= leaves out is not rounded to the type of the computation, whatever out is."""
    for t in TYPES:
        for name in ("exp", "positive", "add", "logical_not", "equal"):
            x = np.ones(3, t)
            for o in TYPES:
                base = np.array([1.2345678, 100.3, -7.7]).astype(o) + (o.type(4j) if o.kind == "c" else o.type(0))
                for where in (False, np.array([True, False, False])):
                    theirs, mine = base.copy(), cp.asarray(base)
                    want = outcome(reference(name), *[x] * TABLE[name].nin, out=theirs, where=where)
                    got = outcome(TABLE[name], *[cp.asarray(x)] * TABLE[name].nin, out=mine,
                                  where=cp.asarray(where) if isinstance(where, np.ndarray) else where)
                    if not failed(got, want, name, t, o):
                        np.testing.assert_array_equal(got.get()[1:], theirs[1:], err_msg=f"{name} {t} {o}")


def test_order_of_axes(device):
    x = np.arange(24.0).reshape(2, 3, 4)
    for axes in ((0, 1, 2), (2, 1, 0), (1, 0, 2), (2, 0, 1)):
        a = x.transpose(axes)
        want = a + a
        got = cp.asarray(x).transpose(axes) + cp.asarray(x).transpose(axes)
        assert got.strides == want.strides
        np.testing.assert_array_equal(got.get(), want)


def test_order_of_broadcast_axes(device):
    """Axes of one element and broadcast ones have no opinion, and the others are asked past them."""
    rng = np.random.default_rng(4)
    for _ in range(400):
        full = tuple(rng.choice([1, 2, 3], rng.integers(2, 5)))
        pair = []
        for _ in range(2):
            shape = tuple(n if rng.random() < 0.7 else 1 for n in full)[rng.integers(0, 2):]
            axes = rng.permutation(len(shape))
            x = np.ones([shape[i] for i in axes]).transpose(np.argsort(axes))
            if rng.random() < 0.2:
                x = np.broadcast_to(x, np.broadcast_shapes(x.shape, full))
            pair.append(x)
        ours = []
        for x in pair:
            strides = sorted(range(x.ndim), key=lambda i: -x.strides[i])
            base = cp.asarray(np.ascontiguousarray(x[tuple(slice(0, 1) if s == 0 else slice(None) for s in x.strides)]
                                                   .transpose(strides)))
            ours.append(cp.broadcast_to(base.transpose(np.argsort(strides).tolist()), x.shape))
        for f in (lambda xp, x, y: -x, lambda xp, x, y: x + y, lambda xp, x, y: xp.add(y, x)):
            want, got = f(np, *pair), f(cp, *ours)
            if want.size and want.ndim:
                said = [[s for s, n in zip(r.strides, r.shape) if n > 1] for r in (got, want)]
                assert said[0] == said[1], (pair[0].strides, pair[1].strides, got.shape, got.strides, want.strides)
    turned = -cp.asfortranarray(cp.ones((3, 1, 2)))
    assert turned.strides[::2] == (8, 24) and turned.flags.f_contiguous
    wide = cp.broadcast_to(cp.ones((1, 1, 1)), (2, 2, 2)) * cp.ones((2, 2)).T
    assert wide.strides == (32, 8, 16)


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
        np.testing.assert_array_equal(cp.clip(cp.asarray(x), cp.asarray(low), cp.asarray(high)).get(),
                                      np.clip(x, low, high))
        if t.kind in "iu":
            np.testing.assert_array_equal(cp.clip(cp.asarray(x), -5, 300).get(), np.clip(x, -5, 300))


def close_exactly(x, y, equal_nan):
    """numpy.isclose's formula without the roundings of a narrow type."""
    wide = "G" if x.dtype.kind == "c" else "g"
    a, b = x.astype(wide), y.astype(wide)
    near = np.isfinite(b) & (np.abs(a - b) <= 1e-8 + 1e-5 * np.abs(b))
    return near | (a == b) | (np.isnan(a) & np.isnan(b) & equal_nan)


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
            got, want, exact = cp.isclose(a, b,
                                          equal_nan=nan).get(), np.isclose(x, y,
                                                                           equal_nan=nan), close_exactly(x, y, nan)
            certain = want == exact  # elsewhere NumPy's roundings of the bound decide, or its overflow
            assert certain.mean() > 0.98, t
            np.testing.assert_array_equal(got[certain], want[certain], err_msg=f"{t}")
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


@pytest.mark.parametrize("t", ["e", "f", "d", "F", "D"])
def test_powers_that_are_other_operations(device, t):
    """The signs of zeros, and what -inf gives, by the operator, by the function, in place and in an expression."""
    x = np.array([0.0, -0.0, -np.inf, np.inf, 2, -4, np.nan], t)
    if t in "FD":
        x = np.array([complex(a, b) for a in (0.0, -0.0, 1.0, -3.0) for b in (0.0, -0.0, 1.0, -2.0)], t)
    a = cp.array(x)
    for e in (1, 2, 0.5, 1.0, 2.0, -1, 0, 1 + 0j)[:None if t in "FD" else -1]:
        with np.errstate(all="ignore"):
            raised, function, placed = x ** e, np.power(x, e), x.copy()
            placed **= e
        b = a.copy()
        b **= e
        fused = cp.fuse(lambda v, e=e: v ** e)(a)
        for got, want in ((a ** e, raised), (cp.power(a, e), function), (b, placed), (fused, raised)):
            assert got.dtype == want.dtype
            got, want = (v.view(v.real.dtype) for v in (got.get(), want))
            np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6 if t == "F" else 1e-15)
            np.testing.assert_array_equal(np.signbit(got)[want == 0], np.signbit(want)[want == 0], err_msg=f"{e}")


LONG = [(1, 3), (7, 4), (130, 64), (33, 40, 8), (5, 6, 7, 4), (1000, 3), (4099,), (8200,), (2, 3, 1, 5, 2, 12),
        (501, 2), (333, 5), (70, 3, 7)]


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


@pytest.mark.parametrize("last", [2, 3, 5, 6, 7, 9])
def test_rows_that_are_not_made_of_runs(last, device):
    """Neighbours of one thread lie in two rows: both operands broadcast, whole operands beside them, other types,
    masks."""
    rng = np.random.default_rng(last)
    for a, b in ((1, 1), (3, 5), (41, 67), (1, 1030)):
        for t, u in (("f4", "f4"), ("f8", "i2"), ("u1", "u1"), ("c8", "f4"), ("i8", "u4")):
            x = rng.integers(0, 100, (a, 1, last)).astype(t)
            y = rng.integers(0, 100, (1, b, last)).astype(u)
            z = rng.integers(0, 100, (a, b, last)).astype(u)
            mask = rng.random((1, b, 1)) < 0.5
            p, q, r, m = (cp.asarray(v) for v in (x, y, z, mask))
            np.testing.assert_array_equal((p + q).get(), x + y)
            np.testing.assert_array_equal((p + r).get(), x + z)
            np.testing.assert_array_equal((r[:, ::-1] * q[..., ::-1]).get(), z[:, ::-1] * y[..., ::-1])
            want, got = np.zeros((a, b, last), (x + y).dtype), cp.zeros((a, b, last), (x + y).dtype)
            np.add(x, y, out=want, where=mask)
            np.testing.assert_array_equal(cp.add(p, q, out=got, where=m).get(), want)


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


def test_divmod_of_scalars(device):
    """NumPy's scalars on the left ask the array, which must not ask them back."""
    x = np.array([1, 3, -5])
    for left in (np.int64(7), 7, np.float32(7.5), True):
        for got, want in ((divmod(left, cp.asarray(x)), divmod(left, x)), (divmod(cp.asarray(x), left),
                                                                           divmod(x, left)),
                          (np.divmod(cp.asarray(x), left), np.divmod(x, left))):
            for g, w in zip(got, want):
                assert g.dtype == w.dtype
                np.testing.assert_array_equal(g.get(), w)
    out = cp.zeros(3, int), cp.zeros(3, int)
    got = cp.divmod(cp.asarray(x), 2, out=out)
    assert got[0] is out[0] and got[1] is out[1]
    with pytest.raises(TypeError):
        divmod(cp.asarray(x), "a")


def test_out_of_several(device):
    x = cp.asarray([1.5, -2.5])
    whole = cp.zeros(2)
    assert cp.modf(x, out=(None, whole))[1] is whole and whole.tolist() == [1, -2]
    assert cp.modf(x, None, whole)[1] is whole
    with pytest.raises(TypeError):
        cp.modf(x, out=whole)
    with pytest.raises(ValueError):
        cp.modf(x, out=(whole,))
    assert (cp.modf.nout, cp.frexp.types[0], cp.ldexp.types[0]) == (2, "e->ei", "el->e")


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_sinc(dtype, device):
    """1 at 0 only, what is left of the sine of a rounded pi at integers; the same wherever an element stands."""
    rng = np.random.default_rng(2)
    top = np.finfo(dtype).max
    x = np.concatenate([np.arange(-200, 200) / 4, rng.normal(size=2000) * 10, SPECIAL, [top, -top, top / 4]])
    x = x.astype(dtype)
    compare("sinc", [x])
    got = cp.sinc(cp.asarray(x)).get()
    for begin, end in ((1, 18), (3, 4), (7, 100), (199, 202)):
        np.testing.assert_array_equal(cp.sinc(cp.asarray(x[begin:end])).get(), got[begin:end])
    assert (got[x == 0] == 1).all() and (np.abs(got[(x % 1 == 0) & (x != 0) & (np.abs(x) < 99)]) < 1e-3).all()


def test_place_of_special_functions(device):
    import pickle
    from cuprite.scipy import special
    assert not hasattr(cp, "erf") and special.erf.nin == 1
    assert pickle.loads(pickle.dumps(special.erf)) is special.erf


def test_casting_of_python_numbers(device):
    """Under casting="equiv" they count as int64, float64 and complex128."""
    for value in (1, 1.0, 1j):
        for t in TYPES:
            for casting in ("no", "equiv", "safe", "same_kind", "unsafe"):
                x = np.ones(2, t)
                want, got = outcome(np.add, value, x,
                                    casting=casting), outcome(cp.add, value, cp.asarray(x), casting=casting)
                if not failed(got, want, value, t, casting):
                    assert got.dtype == want.dtype
        for casting in ("no", "equiv", "safe", "same_kind", "unsafe"):
            for name in ("sqrt", "floor", "negative", "exp"):
                want, got = (outcome(getattr(xp, name), value, casting=casting) for xp in (np, cp))
                if not failed(got, want, value, name, casting):
                    assert got.dtype == want.dtype, (name, value, casting)


def test_types_asked_for(device):
    """dtype= names the result's type, which complex numbers do not compute in; empty powers are no error."""
    for t in "FD":
        for d in TYPES:
            want, got = outcome(np.abs, np.ones(2, t), dtype=d), outcome(cp.abs, cp.asarray(np.ones(2, t)), dtype=d)
            if not failed(got, want, t, d):
                assert got.dtype == want.dtype
    for a, b in (("u8", "i4"), ("i8", "u8"), ("u8", "u8"), ("i2", "f4")):  # truth values have one type
        for d in TYPES:
            x, y = np.array([5], a), np.array([3], b)
            want, got = outcome(np.less, x, y, dtype=d), outcome(cp.less, cp.asarray(x), cp.asarray(y), dtype=d)
            if not failed(got, want, a, b, d):
                assert got.dtype == want.dtype and got.tolist() == want.tolist()
    assert (cp.zeros(0, int) ** -1).size == 0


#: where results overflow, underflow or leave the range in which one formula is right
EDGES = {"exp": [-745.2, -708.4, -103.98, -104.1, -87.4, 88.73, 89.5, 709.78, 709.7827, 709.79],
         "sinh": [-0.0, 1e-300, 1e-20, 80.0, 89.4, 89.42, 700.0, 709.8, 710.47, 710.48],
         "power": [308.2, 308.26, 308.4],
         "cosh": [-0.0, 1e-20, 80.0, 89.4, 89.42, 700.0, 709.8, 710.47, 710.48],
         "arcsinh": [1e150, 1.01e150, 1.7e308, 1e-310], "arccosh": [1e150, 1.01e150, 1.7e308, 1.0],
         "log1p": [1e37, 1.01e37, 3e38, 1e305, 1.01e305, 1.7e308, -1 + 1e-16]}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", EDGES)
def test_beyond_the_edges(device, name, dtype):
    """Neighbours of a special element are computed by another formula: 128 elements, of which each in turn is one."""
    rng = np.random.default_rng(3)
    finfo = np.finfo(dtype)
    edges = np.array([e * s for e in EDGES[name] for s in (1, -1)] + [np.inf, -np.inf, np.nan])
    near = np.concatenate([edges * (1 + k * finfo.eps) for k in (-2, -1, 0, 1, 2)] +
                          [rng.uniform(e - 1, e + 1, 40) for e in edges if abs(e) < 1000])
    with np.errstate(all="ignore"):
        x = np.tile(near.astype(dtype), 3)
        arrays = [np.full_like(x, 10), x] if name == "power" else [x]
        check(name, arrays, TABLE[name](*map(cp.asarray, arrays)), several(reference(name)(*arrays)))
        rng.shuffle(x)
        arrays = [np.full_like(x, 10), x] if name == "power" else [x]
        check(name, arrays, TABLE[name](*map(cp.asarray, arrays)), several(reference(name)(*arrays)))


@pytest.mark.parametrize("name", ["itairy", "ellipj", "airy", "modf", "divmod"])
def test_an_error_with_several_outputs(name, device):
    """Whatever refuses the call, none of the results was made, and none is freed."""
    f = getattr(cp if name in ("modf", "divmod") else cp.scipy.special, name)
    x = [cp.asarray([0.5, 0.25])] * f.nin
    for _ in range(20):
        for wrong in ({"casting": "no", "dtype": "f4"}, {"casting": "bad"}, {"dtype": "M8[s]"}):
            outs = tuple(cp.zeros(2, "f4") for _ in range(f.nout))
            with pytest.raises((TypeError, ValueError)):
                f(*x, out=outs, **wrong)
        with pytest.raises(ValueError):
            f(*x, out=tuple(cp.zeros(3) for _ in range(f.nout)))
        with pytest.raises(TypeError):
            f(*x, out=tuple(cp.zeros(2, "i4") for _ in range(f.nout)))
