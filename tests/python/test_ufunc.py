"""What ufuncs are beside their calls: reduce, accumulate, reduceat, outer, at, signature=, attributes.

Types, shapes and exceptions are compared with NumPy's method; values with NumPy's own binary operation made one element
after the other, since some of NumPy's reductions are wrong (arctan2.reduce of integers, power.reduce by 2, fmax.at with
a value that broadcasts over two axes of an index)."""
import functools
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import cuprite as cp
from oracle import outcome, raises

TYPES = [np.dtype(t) for t in "? b B h H i I q Q e f d F D".split()]
UFUNCS = sorted(n for n in dir(np) if isinstance(getattr(np, n), np.ufunc) and getattr(np, n).__name__ == n
                and isinstance(getattr(cp, n, None), cp.ufunc))
BINARY = [n for n in UFUNCS if getattr(np, n).nin == 2 and getattr(np, n).nout == 1 and n != "ldexp"]
#: rounding depends on the grouping, or on whose function it is
LOOSE = {"add", "subtract", "multiply", "divide", "true_divide", "power", "float_power", "logaddexp", "logaddexp2",
         "remainder", "fmod", "hypot", "arctan2"}
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


def sample(rng, t, shape):
    n = int(np.prod(shape))
    if t.kind == "b":
        return rng.integers(0, 2, shape).astype(t)
    if t.kind in "iu":
        return rng.integers(0 if t.kind == "u" else -3, 6, shape).astype(t)
    x = rng.integers(-8, 9, n) / 4
    if n and rng.random() < 0.3:
        x[rng.integers(0, n)] = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0])
    if t.kind == "c":
        x = x + 1j * rng.integers(-3, 4, n) / 2
    return x.astype(t).reshape(shape)


def is_close(name, got, want, what):
    assert got.dtype == want.dtype and got.shape == want.shape, (what, got.dtype, want.dtype, got.shape, want.shape)
    if got.dtype.kind not in "fc":
        np.testing.assert_array_equal(got, want, err_msg=str(what))
        return
    eps = np.finfo(got.dtype).eps
    loose = name in LOOSE
    wide = "c16" if got.dtype.kind == "c" else "f8"
    close = np.isclose(got.astype(wide), want.astype(wide), rtol=eps * (64 if loose else 0), atol=eps * 8 * loose,
                       equal_nan=True)
    assert close.all(), (what, got, want)


def one_by_one(f, x, types, start=None, where=None):
    """x's elements along its first axis joined by f in `types`' type, all values on the way."""
    values, r = [], start
    for k in range(len(x)):
        if r is None or where is None:
            r = (x[k] if r is None else f(r, x[k])).astype(types)
        else:
            r = f(r, x[k], where=where[k], out=np.array(r), casting="unsafe")
        values.append(r)
    return values, r


@st.composite
def lanes(draw):
    """(name, an array with any strides, the same as ours)"""
    name, t = draw(st.sampled_from(BINARY)), draw(st.sampled_from(TYPES))
    shape = draw(st.lists(st.sampled_from([0, 1, 2, 3, 5, 70]), max_size=4).filter(lambda s: np.prod(s) < 3000))
    if "power" in name:  # whose error grows by a factor with each element
        shape = [min(n, 3) for n in shape]
    rng = np.random.default_rng(draw(st.integers(0, 2**20)))
    order = draw(st.permutations(range(len(shape))))
    steps = [draw(st.sampled_from([1, 1, 2, -1])) for _ in shape]
    base = sample(rng, t, tuple(shape[i] * abs(steps[i]) for i in order))
    at, axes = tuple(slice(None, None, s) for s in steps), np.argsort(order).astype(int).tolist()
    return name, rng, base.transpose(axes)[at], cp.asarray(base).transpose(axes)[at]


AXES = st.one_of(st.sampled_from([0, -1, 1, 2, 5, None, True, 1.0]),
                 st.lists(st.integers(-2, 2), max_size=3).map(tuple))
DTYPES = st.one_of(st.none(), st.none(), st.sampled_from(TYPES))


def moved(x, axis):
    return np.moveaxis(x, axis, 0)


@settings(max_examples=500, deadline=None, suppress_health_check=list(HealthCheck))
@given(lanes(), AXES, DTYPES, st.booleans(), st.sampled_from(["none", "none", 2, -1, 1.5, True, None]), st.booleans())
def test_reduce(device, drawn, axis, dtype, keepdims, initial, masked):
    name, rng, x, y = drawn
    f, g = getattr(np, name), getattr(cp, name)
    options = dict(axis=axis, dtype=dtype, keepdims=keepdims)
    if initial != "none":
        options["initial"] = initial
    mask = rng.random(x.shape) < 0.6 if masked else None
    ours = dict(options, where=cp.asarray(mask)) if masked else options
    theirs = dict(options, where=mask) if masked else options
    want, got = outcome(f.reduce, x, **theirs), outcome(g.reduce, y, **ours)
    if isinstance(want, type) or isinstance(got, type):
        assert got is want, (name, x.dtype, x.shape, options, masked)
        return
    want = np.asarray(want)
    assert isinstance(got, cp.ndarray) and got.dtype == want.dtype and got.shape == want.shape
    if name in ("add", "multiply", "maximum", "minimum", "logical_and", "logical_or"):
        return  # tests/python/test_reduce.py
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = [a % max(x.ndim, 1) for a in axes]
    kept = [i for i in range(x.ndim) if i not in axes]
    shape = [x.shape[i] for i in kept]

    def lanes_first(a):
        lanes = a.transpose(kept + axes if x.ndim else []).reshape(shape + [-1] if x.size else shape + [0])
        return moved(lanes, -1)

    first, cover = lanes_first(x), None
    if masked:
        cover = lanes_first(mask)
    start = None
    if initial not in ("none", None) or (initial == "none" and f.identity is not None):
        start = np.full(shape, f.identity if initial == "none" else initial).astype(want.dtype)
    _, r = one_by_one(f, first.astype(want.dtype), want.dtype, start, cover)
    if r is not None:
        is_close(name, got.get().reshape(shape), np.asarray(r), (name, x.dtype, x.shape, options))


@pytest.mark.parametrize("name", ["subtract", "divide", "hypot", "gcd", "bitwise_or", "logical_xor", "less", "fmax",
                                  "floor_divide", "logical_and"])
def test_reduce_into(name, device):
    """out of any type: it chooses the loop with the elements, and holds the first value."""
    rng = np.random.default_rng(len(name))
    f, g = getattr(np, name), getattr(cp, name)
    for t in TYPES:
        x = rng.integers(1, 2 if t.kind == "b" else 6, (3, 4)).astype(t)
        for o in TYPES:
            for options in (dict(), dict(axis=1), dict(initial=2), dict(axis=-1, initial=3), dict(keepdims=True)):
                shape = np.zeros((3, 4)).sum(options.get("axis", 0), keepdims="keepdims" in options).shape
                theirs, mine = np.zeros(shape, o), cp.zeros(shape, o)
                want = outcome(f.reduce, x, out=theirs, **options)
                got = outcome(g.reduce, cp.asarray(x), out=mine, **options)
                if isinstance(want, type) or isinstance(got, type):
                    assert got is want, (name, t, o, options)
                    continue
                assert got is mine
                # a GPU takes the elements of a slice in another order: the whole part of a length may be one less there
                cut = device.startswith("cuda") and name == "hypot" and o.kind in "iu"
                near = np.isclose(mine.get().astype("c16"), theirs.astype("c16"), rtol=4e-3 if "e" in t.char + o.char
                                  else 1e-6, atol=1.0 if cut else 1e-8)
                assert near.all(), (name, t, o, options, x, mine, theirs)


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(lanes(), AXES, DTYPES, st.booleans())
def test_accumulate(device, drawn, axis, dtype, into):
    name, rng, x, y = drawn
    f, g = getattr(np, name), getattr(cp, name)
    want, got = outcome(f.accumulate, x, axis, dtype), outcome(g.accumulate, y, axis, dtype)
    if isinstance(want, type) or isinstance(got, type):
        assert got is want, (name, x.dtype, x.shape, axis, dtype)
        return
    if x.dtype == want.dtype and not {0, 1} & set(x.shape):
        assert got.strides == want.strides, (name, x.strides, got.strides, want.strides)
    values, _ = one_by_one(f, moved(x.astype(want.dtype), axis or 0), want.dtype)
    if values:
        is_close(name, moved(got.get(), axis or 0), np.stack(values), (name, x.dtype, x.shape, axis, dtype))
    if into:
        t = TYPES[rng.integers(len(TYPES))]
        theirs, out = np.zeros(x.shape, t), cp.zeros(x.shape, t)
        want, got = outcome(f.accumulate, x, axis, dtype, theirs), outcome(g.accumulate, y, axis, dtype, out)
        failures = [r if isinstance(r, type) else None for r in (got, want)]
        assert failures[0] is failures[1], (name, x.dtype, t)
        if not isinstance(want, type):
            assert got is out


def read(x):
    """x, of which a wrong index has been heard."""
    return x.get() is None or x


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(lanes(), st.sampled_from([0, -1, 1, 4]), DTYPES, st.lists(st.integers(-1, 6), max_size=7))
def test_reduceat(device, drawn, axis, dtype, indices):
    name, rng, x, y = drawn
    f, g = getattr(np, name), getattr(cp, name)
    want, got = outcome(f.reduceat, x, indices, axis, dtype), outcome(lambda: read(g.reduceat(y, indices, axis, dtype)))
    if isinstance(want, type) or isinstance(got, type):
        assert got is want, (name, x.dtype, x.shape, axis, dtype, indices)
        return
    first = moved(x.astype(want.dtype), axis)
    for j, (a, b) in enumerate(zip(indices, indices[1:] + [len(first)])):
        _, r = one_by_one(f, first[a:max(b, a + 1)], want.dtype)
        is_close(name, moved(got.get(), axis)[j], np.asarray(r), (name, x.dtype, x.shape, axis, dtype, indices))
    assert got.shape == want.shape and got.dtype == want.dtype
    again = g.reduceat(y, cp.asarray(np.array(indices, "i4")), axis, dtype)
    np.testing.assert_array_equal(again.get(), got.get())


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "i4", "D"])
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum"])
def test_at_of_rows(name, dtype, device):
    """An index of integers of an array of several axes: an element's operations in the order of the indices."""
    rng = np.random.default_rng(3)
    for shape, places in (((7, 5), (40,)), ((3, 4, 2), (2, 9)), ((6, 1), (8,)), ((9, 700), (300,)), ((4, 3), ()),
                          ((4, 3), (0,)), ((4, 0), (3,))):
        x = rng.uniform(0.5, 1.5, shape).astype(dtype)
        index = rng.integers(-shape[0], shape[0], places)
        full = places + shape[1:]
        for of_b in ((), shape[1:], full, full[:-1] + (1,), (1,) * len(full)):
            b = rng.uniform(0.5, 1.5, of_b).astype(dtype)
            for turned in (False, True):
                want = np.asfortranarray(x) if turned else x.copy()
                got = cp.asarray(want)
                getattr(np, name).at(want, index, b)
                getattr(cp, name).at(got, cp.asarray(index), cp.asarray(b))
                np.testing.assert_array_equal(got.get(), want)
    got = cp.asarray(np.arange(6.0).reshape(3, 2))
    for index, b in (([0, 3], 1.0), ([-4], 1.0), ([0, 1], [1.0, 2.0, 3.0]), ([0, 5], [1.0, 2.0, 3.0])):
        want = outcome(np.add.at, np.arange(6.0).reshape(3, 2), np.array(index), b)
        assert outcome(lambda: cp.add.at(got, cp.asarray(np.array(index)), b) or read(got)) is want
    np.testing.assert_array_equal(got.get(), np.arange(6.0).reshape(3, 2))
    want = np.arange(6.0).reshape(3, 2)
    got = cp.asarray(want)
    np.add.at(want, np.array([2, 0, 2]), want.copy())  # addends as they were
    cp.add.at(got, cp.asarray(np.array([2, 0, 2])), got)
    np.testing.assert_array_equal(got.get(), want)


def test_arguments_of_reduceat(device):
    x = np.ones(3)
    for indices in ([], [0], [3], [-1], [1.0], [True], [[0]], 0, np.array([1.0]), np.array([1], "u1"), ["a"], None):
        want = outcome(np.add.reduceat, x, indices)
        got = outcome(lambda: read(cp.add.reduceat(cp.asarray(x), indices)))
        if isinstance(want, type) or isinstance(got, type):
            assert got is want, indices
        else:
            np.testing.assert_array_equal(got.get(), want)


@pytest.mark.parametrize("name", [n for n in BINARY if n not in ("power", "float_power")])
def test_long_lanes(name, device):
    """Slices that are split into chunks, and the remainder; several slices, strided and not."""
    rng = np.random.default_rng(len(name))
    f, g = getattr(np, name), getattr(cp, name)
    for t in "iefD":
        for shape, axis in (((9001,), 0), ((3, 5000), 1), ((6300, 2), 0), ((2, 4160), -1)):
            x = sample(rng, np.dtype(t), shape)
            x[np.isnan(x) | np.isinf(x)] = 1
            if name == "multiply":
                x = np.where(x == 0, 1, np.sign(x)).astype(t)
            want = outcome(f.accumulate, x, axis)
            got = outcome(g.accumulate, cp.asarray(x), axis)
            if isinstance(want, type) or isinstance(got, type):
                assert got is want
                continue
            if t == "e" and name in LOOSE:
                continue  # rounded at each step, which depends on the grouping
            values, r = one_by_one(f, moved(x.astype(want.dtype), axis), want.dtype)
            values = np.stack(values)
            scale = 1 if values.dtype.kind not in "fc" else np.abs(moved(x, axis)).max() + np.abs(values).max()
            one = g.reduce(cp.asarray(x), axis).get()
            for mine, theirs in ((moved(got.get(), axis), values), (one, np.asarray(r))):
                assert mine.dtype == theirs.dtype
                if name in LOOSE and mine.dtype.kind in "fc":
                    bound = np.finfo(mine.dtype).eps * x.shape[axis] * scale
                    assert (np.abs(mine - theirs) <= bound).all() or name in ("remainder", "fmod", "divide"), (name, t)
                else:
                    np.testing.assert_array_equal(mine, theirs)


def test_one_answer(device):
    """The same bits, however often, and whatever lies around the slice."""
    x = cp.asarray(np.random.default_rng(1).normal(size=20011).astype("f4"))
    first = cp.add.accumulate(x).tobytes()
    assert all(cp.add.accumulate(x).tobytes() == first for _ in range(50))
    pair = cp.stack([x, x[::-1]])
    assert cp.add.accumulate(pair, 1)[0].tobytes() == first
    assert cp.add.accumulate(pair.T, 0)[:, 0].copy().tobytes() == first


def test_overlapping_out(device):
    x = np.arange(6000.0)
    y = cp.asarray(x)
    assert cp.subtract.accumulate(y, out=y) is y
    np.testing.assert_array_equal(y.get(), np.subtract.accumulate(x))
    z = cp.asarray(x)
    assert cp.maximum.accumulate(z[::-1], out=z) is z
    np.testing.assert_array_equal(z.get(), np.maximum.accumulate(x[::-1]))
    w = cp.asarray(x)
    cp.subtract.reduceat(w, [3, 1, 2], out=w[1:4])
    np.testing.assert_array_equal(w[1:4].get(), np.subtract.reduceat(x, [3, 1, 2]))


def test_identities(device):
    for name in UFUNCS:
        f, g = getattr(np, name), getattr(cp, name)
        assert g.identity == f.identity and type(g.identity) is type(f.identity), name
        assert (g.nin, g.nout, g.nargs, g.signature, g.__name__) == (f.nin, f.nout, f.nargs, f.signature, f.__name__)
        ours, theirs = set(g.types), {t for t in f.types if not set(t) & set("gGOmMqQ")}
        assert theirs - ours <= {"fi->f", "di->d", "ei->e"}, (name, theirs - ours)  # exponents of int32 are int64's
        assert g.ntypes == len(g.types) and g.__doc__.startswith(name)
        if name in BINARY:
            for t in TYPES:
                want, got = outcome(f.reduce, np.zeros((0, 2), t)), outcome(g.reduce, cp.zeros((0, 2), t))
                if isinstance(want, type) or isinstance(got, type):
                    assert got is want, (name, t)
                else:
                    np.testing.assert_array_equal(got.get(), want, strict=True)


def test_wrong_kinds(device):
    """Methods that an operation does not have: ValueError, as NumPy's."""
    x, y = np.ones(3), cp.ones(3)
    for name in ("sin", "modf", "divmod", "frexp", "negative"):
        f, g = getattr(np, name), getattr(cp, name)
        for method, args in (("reduce", ()), ("accumulate", ()), ("reduceat", ([0],)), ("outer", (x,)), ("at", ([0],)),
                             ("at", ([0], 1)), ("reduce", (7,)), ("accumulate", (7,)), ("reduceat", ([0], 7)),
                             ("at", ([9],)), ("at", ([9], 1))):
            theirs = outcome(getattr(f, method), x.copy(), *args)
            ours = outcome(getattr(g, method), y.copy(), *[cp.asarray(a) if a is x else a for a in args])
            assert isinstance(theirs, type) == isinstance(ours, type) and (ours is theirs or not isinstance(ours, type))


# --- at ---

def at_one_by_one(f, x, index, *b):
    """f.at in a loop, over flat indices."""
    flat = np.arange(x.size).reshape(x.shape)[index]
    values = [np.broadcast_to(np.asarray(v), flat.shape).ravel() for v in b]
    line = x.reshape(-1)
    for k, place in enumerate(flat.ravel()):
        line[place] = f(line[place:place + 1], *[v[k:k + 1] for v in values]).astype(x.dtype)[0]
    return line.reshape(x.shape)


@st.composite
def places(draw):
    name, t = draw(st.sampled_from(UFUNCS)), draw(st.sampled_from(TYPES))
    rng = np.random.default_rng(draw(st.integers(0, 2**20)))
    shape = tuple(draw(st.lists(st.integers(0, 5), max_size=3)))
    x = sample(rng, t, shape)
    kind = draw(st.integers(0, 8))
    long = max(shape[:1] + (1,))
    if kind < 4 and shape:
        several = tuple(rng.integers(0, 6, rng.integers(0, 3)))
        index = rng.integers(-long if shape[0] else 0, long + (kind == 3), several)
    elif kind == 4 and shape:
        index = slice(None, None, -1)
    elif kind == 5 and len(shape) > 1:
        index = (rng.integers(0, long, 4), Ellipsis, rng.integers(0, max(shape[-1], 1), 4))
    elif kind == 6:
        index = rng.random(shape) < 0.5
    elif kind == 7:
        index = True
    else:
        index = Ellipsis
    return name, rng, x, index


def on_device(v):
    return cp.asarray(v) if isinstance(v, (np.ndarray, np.generic)) and np.ndim(v) else v


@settings(max_examples=600, deadline=None, suppress_health_check=list(HealthCheck))
@given(places(), st.sampled_from(TYPES), st.integers(0, 9), st.booleans())
def test_at(device, drawn, t, way, turned):
    name, rng, x, index = drawn
    f, g = getattr(np, name), getattr(cp, name)
    args = []
    if (f.nin == 2) != (way == 0):
        shape = np.shape(x[index]) if not isinstance(outcome(lambda: x[index]), type) else (1,)
        b = sample(rng, t, (3,) if way == 1 else shape[1:] if way < 4 else shape)
        if "shift" in name:
            b = np.abs(b.astype("i1")).astype(t)
        args = [b.ravel()[:1].tolist()[0] if way == 5 and b.size else b]
    mine = cp.asarray(x.T).T if turned else cp.asarray(x)
    theirs = x.copy()
    want = outcome(f.at, theirs, index, *args)
    ours = tuple(map(on_device, index)) if isinstance(index, tuple) else on_device(index)
    got = outcome(g.at, mine, ours, *map(on_device, args))
    if want is not None or got is not None:
        assert got is want, (name, x.dtype, x.shape, index, args)
        np.testing.assert_array_equal(mine.get(), x)
        return
    real = f(np.ones(1, x.dtype), *[np.ones(1, np.asarray(a).dtype) for a in args])
    if real.dtype.kind in "fc" and x.dtype.kind in "iu":
        return  # numbers that do not fit become what the processor makes of them
    exact = at_one_by_one(f, x.copy(), index, *args)
    if name in ("power", "float_power") and real.dtype.kind == "c" or name in ("tan", "exp", "sinh", "cosh", "exp2"):
        return  # repeated, their relative error grows with the number
    is_close("add" if np.dtype(real.dtype).kind in "fc" else name, mine.get(), exact, (name, x, index, args))


def test_at_of_many(device):
    """Thousands of repeated indices, for every pair of an operation and a type."""
    rng = np.random.default_rng(5)
    for name, t in (("add", "f4"), ("add", "i1"), ("subtract", "f2"), ("maximum", "D"), ("multiply", "f8"),
                    ("bitwise_xor", "u2"), ("logical_xor", "?"), ("minimum", "f4"), ("nextafter", "f2"),
                    ("copysign", "f8"), ("gcd", "i4"), ("less", "f4"), ("hypot", "f8")):
        f, g = getattr(np, name), getattr(cp, name)
        x, b = sample(rng, np.dtype(t), (50,)), sample(rng, np.dtype(t), (3000,))
        index = rng.integers(-50, 50, 3000)
        mine = cp.asarray(x)
        assert g.at(mine, cp.asarray(index), cp.asarray(b)) is None
        is_close(name, mine.get(), at_one_by_one(f, x.copy(), index, b), (name, t))
    x = cp.zeros(3, "i8")
    cp.add.at(x, cp.zeros(100000, "i8"), 1)
    assert x.tolist() == [100000, 0, 0]


WHOLE = ("add", "subtract", "multiply", "bitwise_and", "bitwise_or", "bitwise_xor")


@pytest.mark.parametrize("t", "bBhHiIqQfd")
def test_at_in_any_order(t, device):
    """Operations with one result in any order of the indices, with negative indices, into an array with gaps."""
    rng = np.random.default_rng(9)
    for name in ("maximum", "minimum", "fmax", "fmin") + (WHOLE if t not in "fd" else ()):
        x, b = rng.integers(0, 100, 301).astype(t), rng.integers(0, 120, 20_000).astype(t)
        if t in "fd":
            x[::7], b[::11], b[1::50] = np.nan, np.inf, np.nan
        index = rng.integers(-101, 101, 20_000)
        for value in (b, b[:1]):
            want, mine = x.copy(), cp.asarray(x)
            getattr(np, name).at(want[::3], index, value)
            getattr(cp, name).at(mine[::3], cp.asarray(index), cp.asarray(value))
            np.testing.assert_array_equal(mine.get(), want, (name, t))


def test_at_of_zeros(device):
    """Which zero stays is a device's affair, but the same each time."""
    places, zeros = np.zeros(999, "i8"), np.where(np.arange(999) % 2, -0.0, 0.0)
    for f in (cp.maximum, cp.minimum, cp.fmax, cp.fmin):
        signs = set()
        for _ in range(3):
            x = cp.asarray([-0.0, 1.0])
            f.at(x, cp.asarray(places), cp.asarray(zeros))
            signs.add(float(np.copysign(1, x.get()[0])))
            assert x.tolist() == [0, 1]
        assert len(signs) == 1


def test_at_of_a_wrong_index_changes_nothing(device):
    for t in ("i4", "f4"):
        for wrong in (50, -51, 2**40):
            x, places = cp.zeros(50, t), np.arange(5000) % 50
            places[4999] = wrong
            with raises(IndexError):
                cp.maximum.at(x, cp.asarray(places), 1)
                x.get()
            if device != "late:0":  # which does not go on after a failure
                assert not x.get().any()


def test_at_overlaps(device):
    """Index and value may be the array itself: they are what they were before."""
    x = cp.asarray([3, 0, 1, 2])
    cp.add.at(x, x, x)
    assert x.tolist() == [3, 1, 3, 5]
    y = cp.arange(4.0)
    cp.add.at(y, [0, 0, 1], y[1:])
    assert y.tolist() == [3, 4, 2, 3]


def test_at_errors(device):
    x = cp.ones(3)
    with raises(TypeError):
        cp.add.at([1, 2], [0], 1)
    for index in ([5], [-4], cp.asarray([0, 3])):
        for y in (x, cp.ones(3, int)):
            with raises(IndexError):
                cp.add.at(y, index, 1)
                y.get()
    with raises(ValueError):
        cp.add.at(x, [0])
    with raises(ValueError):
        cp.negative.at(x, [0], 1)
    with raises(ValueError, match="Integers to negative integer powers"):
        cp.power.at(cp.ones(3, int), [0, 1], [2, -1])
    with raises(ValueError):
        cp.add.at(cp.broadcast_to(cp.ones(1), (3,)), [0], 1)
    with pytest.warns(np.exceptions.ComplexWarning):
        cp.add.at(x, [0], 1j)
    assert x.tolist() == [1, 1, 1]


# --- signature= ---

SIGNATURES = ["d", "dd->d", "ff->f", "ii->i", "ll->l", "??->?", "dd->?", "DD->D", "ee->e", "d->d", "f->f", "dd->f", "",
              "ddd->d", "e->ei", "l->l", ("d", "d", "d"), (None, None, "f"), ("f", None, None), (None, "d", None),
              ("d",), (None,), ("d", "d"), (np.float32, np.float32, np.float32), 5, ("d", None), (None, "d"),
              ["d", "d", "d"]]


@pytest.mark.parametrize("name", ["add", "subtract", "divide", "equal", "logical_and", "bitwise_or", "power", "sqrt",
                                  "negative", "isnan", "frexp", "maximum", "absolute"])
def test_signature(name, device):
    f, g = getattr(np, name), getattr(cp, name)
    for s in SIGNATURES:
        for t in "?bilefdD":
            x = np.ones(2, t)
            for others in [(x,), (1,), (1.5,), (np.ones(2, "f4"),)] if f.nin == 2 else [()]:
                if isinstance(s, tuple) and None in s[:2] and s[2:] != ("f",) and others:
                    if name == "logical_and" or not isinstance(others[0], np.ndarray):
                        continue  # what NumPy makes of an input left open there depends on the calls before
                for casting in ("same_kind", "unsafe", "safe"):
                    want = outcome(f, x, *others, signature=s, casting=casting)
                    got = outcome(g, cp.asarray(x), *map(on_device, others), signature=s, casting=casting)
                    if isinstance(want, type) or isinstance(got, type):
                        assert got is want, (name, s, t, others, casting, got, want)
                        continue
                    for a, b in zip(*[v if isinstance(v, tuple) else (v,) for v in (got, want)]):
                        assert a.dtype == b.dtype, (name, s, t, others, casting)
                        np.testing.assert_array_equal(a.get(), b)


def test_signature_and_dtype(device):
    x = cp.ones(2)
    with raises(TypeError):
        cp.add(x, x, dtype="d", signature="dd->d")
    with raises(TypeError):
        cp.add(x, x, signature="dd->d", dtype="d")
    assert cp.add(x, x, sig="ff->f", casting="same_kind").dtype == "f4"
    out = cp.zeros(2, "f8")
    assert cp.add(x, x, signature="ff->f", out=out) is out


# --- further names ---

def test_bitwise_count(device):
    rng = np.random.default_rng(8)
    for t in "bBhHiIqQ":
        info = np.iinfo(t)
        x = np.append(rng.integers(info.min, info.max, 500, dtype=t, endpoint=True), [info.min, info.max, 0]).astype(t)
        np.testing.assert_array_equal(cp.bitwise_count(cp.asarray(x)).get(), np.bitwise_count(x), strict=True)


def test_fix(device):
    for t in TYPES:
        x = np.array([1.7, -1.7, 0.3, -0.3, 5]).astype(t)
        want, got = outcome(np.fix, x), outcome(cp.fix, cp.asarray(x))
        if isinstance(want, type) or isinstance(got, type):
            assert got is want, t
        else:
            np.testing.assert_array_equal(got.get(), want, strict=True)
            np.testing.assert_array_equal(np.signbit(got.get().astype("f8")), np.signbit(want.astype("f8")))
    out = cp.zeros(2)
    assert cp.fix(cp.asarray([1.5, -2.5]), out) is out and out.tolist() == [1, -2]


@pytest.mark.parametrize("name", ["isreal", "iscomplex"])
def test_parts(name, device):
    for t in TYPES:
        x = sample(np.random.default_rng(2), t, (3, 4))
        np.testing.assert_array_equal(getattr(cp, name)(cp.asarray(x)).get(), getattr(np, name)(x), strict=True)
    x = np.array([1 + 0j, 2 + 1j, complex(0, np.nan), complex(np.nan, 0), complex(1, -0.0)])
    np.testing.assert_array_equal(getattr(cp, name)(cp.asarray(x)).get(), getattr(np, name)(x), strict=True)
    assert bool(getattr(cp, name)(3 + 1j)) == getattr(np, name)(3 + 1j)


def test_real_if_close(device):
    for t in "FD":
        eps = np.finfo(t).eps
        for imaginary in (0, eps, 50 * eps, 99 * eps, 101 * eps, 1e-3, np.nan):
            for tol in (100, 1000, 1, 1e-3, 0):
                x = np.array([1 + 0j, complex(2, imaginary)], t)
                y = cp.asarray(x)
                want, got = np.real_if_close(x, tol), cp.real_if_close(y, tol)
                np.testing.assert_array_equal(got.get(), want, strict=True)
                assert got is y or got.base is y
    for t in "?if":
        y = cp.ones(3, t)
        assert cp.real_if_close(y) is y


UNWRAPS = [dict(), dict(axis=0), dict(discont=4), dict(period=2), dict(period=2.5), dict(discont=0.5), dict(period=255),
           dict(period=3, axis=0), dict(axis=7), dict(discont=10, period=4)]


@pytest.mark.parametrize("t", TYPES, ids=str)
def test_unwrap(t, device):
    rng = np.random.default_rng(3)
    for shape in ((40,), (3, 30), (5, 4, 3), (1,), (0,)):
        x = (rng.integers(0, 250, shape) if t.kind in "iub" else rng.normal(size=shape) * 5).astype(t)
        for options in UNWRAPS:
            want, got = outcome(np.unwrap, x, **options), outcome(cp.unwrap, cp.asarray(x), **options)
            if isinstance(want, type) or isinstance(got, type):
                assert got is want, (shape, options, want, got)
                continue
            assert got.dtype == want.dtype and got.shape == want.shape, (shape, options)
            if want.dtype.kind != "f":
                np.testing.assert_array_equal(got.get(), want)
            elif want.size:
                eps = np.finfo(want.dtype).eps
                bound = eps * 8 * max(shape) * (np.abs(want.astype("f8")).max() + 1)
                assert np.abs(got.get().astype("f8") - want.astype("f8")).max() <= bound, (shape, options)


def test_numpys_functions(device):
    """NumPy's methods on our arrays."""
    x = cp.asarray([3.0, 1, 2])
    assert np.subtract.reduce(x).get() == 0 and np.maximum.accumulate(x).tolist() == [3, 3, 3]
    assert np.add.reduceat(x, [0, 2]).tolist() == [4, 2]
    np.add.at(x, [0, 0], 1)
    assert x.tolist() == [5, 1, 2]
    assert np.bitwise_count(cp.asarray([7])).tolist() == [3] and np.fix(x).tolist() == [5, 1, 2]
    assert np.isreal(x).all() and not np.iscomplex(x).any()


@pytest.mark.parametrize("dtype", "? b B h H i I q Q e f d".split())
@pytest.mark.parametrize("name", ["maximum", "minimum", "add", "multiply"])
def test_accumulate_of_many(name, dtype):
    """Choices of long rows: the first of equal ones (zeros of both signs), and the first NaN. Whole sums, products."""
    rng = np.random.default_rng(5)
    for n in (5, 1039, 4097, 40001):
        x = np.sort(rng.integers(-100, 100, n)).astype(dtype)
        x = x[::-1] if name == "minimum" else x
        if x.dtype.kind == "f":
            if name in ("add", "multiply"):
                continue
            x[n // 2:] = np.where(rng.random(n - n // 2) < 0.5, x.dtype.type(0.0), x.dtype.type(-0.0))
            if n > 5000:
                x[-3000:] = np.where(rng.random(3000) < 0.01, x.dtype.type(np.nan), x[-3000:])
        join = getattr(np, name)
        for given in (x, x[::2], np.stack([x, x]).T):
            if name in ("maximum", "minimum"):               # the element at the index that was the last to be further
                so_far = join.accumulate(given, 0)
                before, later = so_far[:-1], given[1:]
                further = later > before if name == "maximum" else later < before
                further = further | ((later != later) & (before == before))
                at = np.arange(1, len(given)).reshape((-1,) + (1,) * (given.ndim - 1))
                at = np.maximum.accumulate(np.concatenate([0 * further[:1], np.where(further, at, 0)]), 0)
                want = np.take_along_axis(given, at, 0)
            else:
                want = join.accumulate(given, 0)
            got = getattr(cp, name).accumulate(cp.asarray(given), 0).get()
            assert got.dtype == want.dtype
            np.testing.assert_array_equal(got, want)
            if x.dtype.kind == "f":
                np.testing.assert_array_equal(np.signbit(got), np.signbit(want))


def test_accumulate_of_any_layout():
    """A long sum has the same bits however its elements lie."""
    x = np.random.default_rng(6).random(50000, "f4")
    first = cp.add.accumulate(cp.asarray(x)).get()
    apart = cp.zeros((50000, 3), "f4")
    apart[:, 1] = cp.asarray(x)
    np.testing.assert_array_equal(cp.add.accumulate(apart[:, 1]).get(), first)
    out = cp.zeros((50000, 2), "f4")
    cp.add.accumulate(cp.asarray(x), out=out[:, 0])
    np.testing.assert_array_equal(out[:, 0].get(), first)
