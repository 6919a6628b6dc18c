"""Composites, joining and views by their axes, against NumPy: values, types, shapes, errors."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cuprite as cp
from oracle import outcome

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
          "float64", "complex64", "complex128"]
ODD = [0.0, -0.0, 1.26, -3.5, 2.5, 1e30, np.inf, -np.inf, np.nan]


def sample(rng, shape, dtype, odd=False):
    """Random elements of a type; with `odd` infinities, NaN and signed zeros among them."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    x = rng.normal(scale=50, size=shape)
    if odd:
        x = np.where(rng.random(shape) < 0.3, rng.choice(ODD, shape), x)
    if kind == "c":
        x = x + 1j * sample(rng, shape, "float64", odd)
    with np.errstate(over="ignore"):
        return x.astype(dtype)


def layout(rng, x):
    """x again as a view of larger memory: steps, transposed, backwards; and the same for Cuprite."""
    x = np.asarray(x)
    way = rng.integers(0, 4) if x.ndim else 0
    if way == 1:
        big = np.repeat(x, 2, axis=-1)
        return big[..., ::2], cp.asarray(big)[..., ::2]
    if way == 2:
        turned = np.ascontiguousarray(x.T)
        return turned.T, cp.asarray(turned).T
    if way == 3:
        back = np.ascontiguousarray(x[::-1])
        return back[::-1], cp.asarray(back)[::-1]
    return x, cp.asarray(x)


def same(ours, theirs, ulp=0, of=0):
    """The same outcome: exception, or type, shape and values (within some ulps, of the value or of
    the terms `of` that it is a sum of, where asked)."""
    if isinstance(theirs, type) or isinstance(ours, type):
        assert isinstance(ours, type) and isinstance(theirs, type) and issubclass(ours, theirs), (ours, theirs)
        return
    got, want = cp.asnumpy(ours), np.asarray(theirs)
    assert got.dtype == want.dtype and got.shape == want.shape
    if not ulp or want.dtype.kind not in "fc":
        np.testing.assert_array_equal(got, want)
        return
    parts = [(got, want)] if want.dtype.kind == "f" else [(got.real, want.real), (got.imag, want.imag)]
    for g, w in parts:
        np.testing.assert_array_equal(np.isfinite(g), np.isfinite(w))
        np.testing.assert_array_equal(g[~np.isfinite(w)], w[~np.isfinite(w)])
        bound = ulp * np.spacing(np.maximum(np.maximum(np.abs(w), np.abs(want)), np.abs(want).dtype.type(of)))
        assert (np.abs(g - w)[np.isfinite(w)] <= bound[np.isfinite(w)]).all()


def both(name, *args, ulp=0, of=0, **options):
    """Calls numpy's and our function with arrays given as pairs; other tuples (axes) are what they are."""
    def part(a, which):
        return a[which] if isinstance(a, tuple) and len(a) == 2 and isinstance(a[1], cp.ndarray) else a
    theirs, ours = ([part(a, which) for a in args] for which in (0, 1))
    their_options, our_options = ({k: part(v, which) for k, v in options.items()} for which in (0, 1))
    same(outcome(lambda: getattr(cp, name)(*ours, **our_options)),
         outcome(lambda: getattr(np, name)(*theirs, **their_options)), ulp, of)


seeds = st.integers(0, 2**32 - 1)
shapes = st.lists(st.integers(0, 5), min_size=0, max_size=4)


@settings(max_examples=200, deadline=None)
@given(seeds, shapes, st.sampled_from(DTYPES), st.integers(-3, 3))
def test_round(seed, shape, dtype, decimals):
    rng = np.random.default_rng(seed)
    both("round", layout(rng, sample(rng, shape, dtype, odd=True)), decimals)


def test_round_of_infinite_parts_and_out():
    x = np.array([complex(np.inf, 1.26), complex(1.26, -np.inf), complex(np.nan, 2.55)])
    both("round", (x, cp.asarray(x)), 1)
    for dtype in ("bool", "int8", "float16", "float32", "complex64"):
        for out in ("bool", "int8", "int64", "float32", "float64", "complex128"):
            for decimals in (-1, 0, 1):
                a, o = np.array([1, 0, 1, 12], dtype), np.zeros(4, out)
                theirs = outcome(lambda: np.round(a, decimals, out=o))
                p = cp.asarray(np.zeros(4, out))
                ours = outcome(lambda: cp.round(cp.asarray(a), decimals, out=p))
                same(ours, theirs)
                assert isinstance(ours, type) or ours is p


@settings(max_examples=150, deadline=None)
@given(seeds, st.lists(st.integers(1, 5), max_size=4), st.sampled_from(DTYPES), st.sampled_from([None, *DTYPES]),
       st.booleans(), st.data())
def test_ptp(seed, shape, dtype, out, keepdims, data):
    rng = np.random.default_rng(seed)
    x, y = layout(rng, sample(rng, shape, dtype, odd=dtype not in ("complex64", "complex128")))
    axis = data.draw(st.sampled_from([None, *range(-len(shape), len(shape))]))
    options = {"axis": axis, "keepdims": keepdims}
    if out:
        o = np.zeros(np.max(np.zeros(shape), axis=axis, keepdims=keepdims).shape, out)
        options["out"] = (o, cp.asarray(o))
    if dtype[0] == "c" or (out or "")[0:1] == "c" or not np.can_cast(dtype, out or dtype):
        return                                             # reductions' own rules of casting, tested there
    both("ptp", (x, y), **options)


def test_ptp_in_the_type_of_out():
    x = np.array([-30000, 30000], "i2")
    assert cp.ptp(cp.asarray(x), out=cp.zeros((), "i8")) == 60000
    both("ptp", (x, cp.asarray(x)))
    both("ptp", (x > 0, cp.asarray(x > 0)))


ENDS = [0, -5, 2.5, 1e-320, 7 + 1j, np.float32(1.5), [0, 1], [1.5, 1.5], [[2], [3]], np.array([-100, 3], "i1"),
        np.array([0.1, 9], "f4"), np.array([0.25, 2], "f2"), np.array([True, False]), np.array([1 + 1j, 2], "F")]


def end(v):
    return (np.asarray(v), cp.asarray(np.asarray(v))) if isinstance(v, (list, np.ndarray)) else v


@pytest.mark.parametrize("dtype", [None, "i8", "i1", "f4", "f2", "F", "?"])
@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize("num", [0, 1, 2, 7, 50])
def test_linspace(dtype, endpoint, num):
    for start in ENDS:
        for stop in ENDS:
            if dtype in ("i8", "i1", "f4", "f2", "?") and np.result_type(np.asarray(start),
                                                                         np.asarray(stop)).kind == "c":
                continue                                   # numpy warns and drops the imaginary part
            for axis in (0, -1, 1):
                both("linspace", end(start), end(stop), num, endpoint=endpoint, dtype=dtype, axis=axis, ulp=1)


def test_linspace_steps_down():
    x = cp.linspace(0, cp.asarray([-100]), 50, dtype="i8")
    np.testing.assert_array_equal(cp.asnumpy(x), np.linspace(0, np.array([-100]), 50, dtype="i8"))
    for a, b in ((0, 1), (np.array([0.0, 1]), np.array([5.0, 1]))):
        y, step = cp.linspace(*(cp.asarray(v) if isinstance(v, np.ndarray) else v for v in (a, b)), 9, retstep=True)
        theirs, want = np.linspace(a, b, 9, retstep=True)
        same(y, theirs, 1)
        np.testing.assert_array_equal(cp.asnumpy(step) if isinstance(step, cp.ndarray) else step, want)
    y, step = cp.linspace([0, 1], np.array([5.0, 1]), 9, retstep=True)
    theirs, want = np.linspace([0, 1], np.array([5.0, 1]), 9, retstep=True)
    same(y, theirs, 1)
    same(step, want)
    assert type(cp.linspace(0, 1, 3, retstep=True)[1]) is float and cp.linspace(0, 1, 3, retstep=False).shape == (3,)
    for num in (-1, 2.5, None):
        both("linspace", 0, 1, num)


@settings(max_examples=250, deadline=None)
@given(seeds, shapes, st.sampled_from(DTYPES), st.integers(-1, 4), st.integers(-4, 3),
       st.sampled_from([None, 0, 2.5, "array"]), st.sampled_from([None, 1, "array"]))
def test_diff(seed, shape, dtype, n, axis, before, behind):
    rng = np.random.default_rng(seed)
    x, y = layout(rng, sample(rng, shape, dtype))
    options = {}
    for name, v in (("prepend", before), ("append", behind)):
        if v == "array":
            v = x[:1] if x.ndim and axis % x.ndim == 0 else x
            v = (v, cp.asarray(v))
        if v is not None:
            options[name] = v
    both("diff", (x, y), n, axis, **options)


@settings(max_examples=100, deadline=None)
@given(seeds, shapes, st.sampled_from(DTYPES), st.sampled_from([None, 5, 2.5, [1, 2], 1j]),
       st.sampled_from([None, -1, [3.5]]))
def test_ediff1d(seed, shape, dtype, to_end, to_begin):
    rng = np.random.default_rng(seed)
    options = {k: (np.asarray(v), cp.asarray(v)) for k, v in (("to_end", to_end), ("to_begin", to_begin))
               if v is not None}
    if any(np.asarray(v[0]).dtype.kind == "i" for v in options.values()) and np.dtype(dtype).kind in "ub":
        # NumPy checks the value of what it was given, not only its type
        return
    both("ediff1d", layout(rng, sample(rng, shape, dtype)), **options)


@settings(max_examples=150, deadline=None)
@given(seeds, st.lists(st.integers(1, 5), min_size=1, max_size=3), st.sampled_from(DTYPES),
       st.sampled_from(["dx", "x", "full"]), st.integers(-4, 3))
def test_trapezoid(seed, shape, dtype, way, axis):
    rng = np.random.default_rng(seed)
    y = layout(rng, sample(rng, shape, dtype))
    options = {"axis": axis}
    if way == "dx":
        options["dx"] = 0.5
    elif -len(shape) <= axis < len(shape):
        x = rng.normal(size=shape[axis] if way == "x" else shape).astype(rng.choice(["float32", "float64"]))
        options["x"] = (x, cp.asarray(x))
    if dtype == "float16" and way == "dx":
        y = y[0] / 64, y[1] / 64
    largest = float(np.abs(y[0].astype("D")).max())
    both("trapezoid", y, ulp=4 if dtype == "float16" and way == "dx" else 64, of=largest, **options)


@settings(max_examples=150, deadline=None)
@given(seeds, shapes, st.sampled_from(DTYPES), st.integers(-6, 6))
def test_triangles_and_trace(seed, shape, dtype, k):
    rng = np.random.default_rng(seed)
    x = layout(rng, sample(rng, shape, dtype))
    both("tril", x, k)
    both("triu", x, k)
    if dtype != "float16":
        largest = np.abs(x[0]).max(initial=0) if np.dtype(dtype).kind in "fc" else 0
        both("trace", x, k, ulp=8, of=largest)  # terms may cancel


@settings(max_examples=100, deadline=None)
@given(seeds, shapes, shapes, st.sampled_from(DTYPES), st.sampled_from(DTYPES), st.lists(st.integers(0, 3), max_size=5))
def test_outer_append_and_tile(seed, shape, other, dtype, second, reps):
    rng = np.random.default_rng(seed)
    x, y = layout(rng, sample(rng, shape, dtype)), layout(rng, sample(rng, other, second))
    if np.dtype(dtype).kind != "c" and np.dtype(second).kind != "c":
        both("outer", x, y)
    both("append", x, y)
    for axis in (-1, 0, 1):
        both("append", x, y, axis)
    both("tile", x, reps)
    both("tile", x, reps[0] if reps else 2)


@settings(max_examples=150, deadline=None)
@given(seeds, shapes, st.sampled_from(DTYPES), st.booleans(),
       st.sampled_from([0.0, 3.5, np.inf, 2, True, 1j, 1e300, np.complex64(1j), np.float64(7.25), np.int64(-3)]),
       st.sampled_from([None, 7.5, 2j]), st.sampled_from([None, -2.0, 1j]))
def test_nan_to_num(seed, shape, dtype, copy, nan, posinf, neginf):
    rng = np.random.default_rng(seed)
    x, y = layout(rng, sample(rng, shape, dtype, odd=True))
    x = x.copy()
    both("nan_to_num", (x, y), copy=copy, nan=nan, posinf=posinf, neginf=neginf)
    same(y, x)                                             # in place only where asked
    both("isposinf", layout(rng, sample(rng, shape, dtype, odd=True)))
    both("isneginf", layout(rng, sample(rng, shape, dtype, odd=True)))


@settings(max_examples=250, deadline=None)
@given(seeds, st.lists(st.integers(0, 4), max_size=3), st.lists(st.sampled_from(DTYPES), min_size=1, max_size=4),
       st.integers(-4, 3), st.sampled_from([None, *DTYPES]),
       st.sampled_from(["no", "equiv", "safe", "same_kind", "unsafe"]), st.sampled_from([None, "dtype", "out", "both"]),
       st.integers(0, 9))
def test_joining(seed, shape, dtypes, axis, dtype, casting, way, odd):
    rng = np.random.default_rng(seed)
    arrays = []
    for i, d in enumerate(dtypes):
        s = list(shape)
        if odd == 0 and s:
            s[rng.integers(0, len(s))] += 1                # now and then a length that does not fit
        arrays.append(layout(rng, rng.integers(0, 2, s).astype(d)))
    for name in ("concatenate", "stack"):
        for a in {axis, None} if name == "concatenate" else {axis}:
            options = {"casting": casting}
            theirs = outcome(lambda: getattr(np, name)([x for x, _ in arrays], a, casting="unsafe"))
            if way in ("dtype", "both"):
                options["dtype"] = dtype
            if way in ("out", "both") and isinstance(theirs, np.ndarray):
                o = np.zeros(theirs.shape, dtype or "float64")
                options["out"] = (o, cp.asarray(o))
            ours = outcome(lambda: getattr(cp, name)([y for _, y in arrays], a,
                                                     **{k: v[1] if isinstance(v, tuple) else v
                                                                                 for k, v in options.items()}))
            theirs = outcome(lambda: getattr(np, name)([x for x, _ in arrays], a,
                                                       **{k: v[0] if isinstance(v, tuple) else v
                                                                                   for k, v in options.items()}))
            same(ours, theirs)


def test_joining_over_its_own_parts():
    x, y = np.arange(6), cp.arange(6)
    assert cp.concatenate([y[3:], y[:3]], out=y) is y
    np.testing.assert_array_equal(cp.asnumpy(y), np.concatenate([x[3:], x[:3]]))
    assert cp.concatenate([cp.zeros(1, d) for d in ("i1", "u2", "f4")]).dtype == np.float32
    assert cp.concatenate([cp.zeros(1, d) for d in ("i1", "u2", "f2")]).dtype == np.float32


@settings(max_examples=100, deadline=None)
@given(seeds, st.lists(shapes, min_size=1, max_size=3), st.sampled_from(DTYPES))
def test_stacks(seed, many, dtype):
    rng = np.random.default_rng(seed)
    same_shape = rng.integers(0, 3) > 0
    arrays = [layout(rng, sample(rng, many[0] if same_shape else s, dtype)) for s in many]
    for name in ("vstack", "hstack", "dstack", "column_stack"):
        same(outcome(lambda: getattr(cp, name)([y for _, y in arrays])),
             outcome(lambda: getattr(np, name)([x for x, _ in arrays])))


@settings(max_examples=200, deadline=None)
@given(seeds, shapes, st.data())
def test_axes(seed, shape, data):
    rng = np.random.default_rng(seed)
    x = layout(rng, sample(rng, shape, "int32"))
    axis = st.integers(-5, 4)
    both("flip", x, data.draw(st.one_of(st.none(), axis, st.lists(axis, max_size=3).map(tuple))))
    both("flipud", x)
    both("fliplr", x)
    both("rollaxis", x, data.draw(axis), data.draw(axis))
    both("moveaxis", x, data.draw(st.lists(axis, max_size=3)), data.draw(st.lists(axis, max_size=3)))
    both("moveaxis", x, data.draw(axis), data.draw(axis))
    axes = data.draw(st.one_of(st.none(), axis, st.lists(axis, max_size=2).map(tuple)))
    if shape or not isinstance(axes, tuple) or len(axes) != 1:  # NumPy takes axis 0 of a 0-d array, but not in a tuple
        both("squeeze", x, axes)
    both("transpose", x, data.draw(st.one_of(st.none(), st.lists(axis, max_size=4))))


def test_axes_by_name():
    for shape, args in (((3, 4), (0, -1)), ((3, 4), (0, -3)), ((3, 4), (1, -2)), ((3, 4), (0, 2)), ((3, 4), (0, 3)),
                        ((3, 4, 5), (1, -1))):
        x = np.zeros(shape)
        both("rollaxis", (x, cp.asarray(x)), *args)
    for axes in ((), (0,), (1,)):
        x = np.zeros(3)
        both("transpose", (x, cp.asarray(x)), axes)
        same(outcome(lambda: cp.asarray(x).transpose(axes)), outcome(lambda: x.transpose(axes)))
    x = np.zeros((2, 3))
    both("flip", (x, cp.asarray(x)), (0, 0))
    for axis in (0, -1, 1, (), (0, -1)):
        both("squeeze", (np.array(1), cp.array(1)), axis)


@settings(max_examples=200, deadline=None)
@given(seeds, st.lists(st.integers(0, 4), max_size=3), st.sampled_from(DTYPES), st.sampled_from(DTYPES),
       st.sampled_from(["no", "equiv", "safe", "same_kind", "unsafe"]), st.sampled_from([None, "bool", "int64", "row"]))
def test_copyto(seed, shape, dtype, source, casting, mask):
    rng = np.random.default_rng(seed)
    d, s = sample(rng, shape, dtype), rng.integers(0, 2, shape).astype(source)
    dst, src = layout(rng, d), layout(rng, s[:1] if s.ndim and rng.integers(0, 2) else s)
    options = {"casting": casting}
    if mask:
        m = rng.integers(0, 2, shape[1:] if mask == "row" else shape).astype("int64" if mask == "int64" else bool)
        options["where"] = layout(rng, m)
    theirs = outcome(lambda: np.copyto(dst[0], src[0],
                                       **{k: v[0] if isinstance(v, tuple) else v for k, v in options.items()}))
    ours = outcome(lambda: cp.copyto(dst[1], src[1],
                                     **{k: v[1] if isinstance(v, tuple) else v for k, v in options.items()}))
    assert ours == theirs
    same(dst[1], dst[0])


@pytest.mark.parametrize("length", [(0,), (3, 0), (0, 2), (0, 5), (3,), (3, 2), (2,), (4,)])
def test_masks_of_length_0(length):
    x, m = np.arange(6.0).reshape(3, 2), np.zeros(length, bool)
    same(outcome(lambda: cp.asarray(x)[cp.asarray(m)]), outcome(lambda: x[m]))
    y = cp.asarray(x)

    def put(a, k):
        a[k] = 5
    assert outcome(lambda: put(y, cp.asarray(m))) == outcome(lambda: put(x.copy(), m))
    np.testing.assert_array_equal(cp.asnumpy(y), x)


@settings(max_examples=50, deadline=None)
@given(seeds, st.integers(0, 40), st.integers(0, 40))
def test_extract(seed, n, m):
    rng = np.random.default_rng(seed)
    x, c = layout(rng, sample(rng, n, "float32")), layout(rng, rng.integers(0, 2, n))
    both("extract", c, x)


# --- at the limits ---
CALLS = [
    # trapezoid: `axis` is one of y, of x and of their product, each by its own number of axes; dx is an operand
    lambda xp: xp.trapezoid(xp.arange(4.0), x=xp.arange(12.0).reshape(3, 4)),
    lambda xp: xp.trapezoid(xp.asarray([1.0, 2, 4]), x=xp.asarray([[0.0, 1, 3], [0, 2, 10]])),
    lambda xp: xp.trapezoid(xp.ones((2, 3, 4)), x=xp.arange(12.0).reshape(3, 4), axis=-2),
    lambda xp: xp.trapezoid(xp.ones((2, 3, 4)), x=xp.arange(12.0).reshape(3, 4), axis=2),
    lambda xp: xp.trapezoid(xp.asarray([1, 2, 4], dtype="f4"), dx=2),
    lambda xp: xp.trapezoid(xp.asarray([1, 2, 4], dtype="f4"), dx=2j),
    lambda xp: xp.trapezoid(xp.asarray([1, 2, 4], dtype="f4"), dx=np.float64(0.5)),
    lambda xp: xp.trapezoid(xp.asarray([1, 2, 4], dtype="i1"), dx=300),
    lambda xp: xp.trapezoid(xp.asarray([1, 2, 4]), dx=xp.asarray([[1, 2], [3, 4]])),
    lambda xp: xp.trapezoid(xp.asarray([1, 2, 4]), dx=None),
    # triangles, with k at the ends of int64
    *[lambda xp, f=f, k=k: getattr(xp, f)(xp.ones((3, 4)), k=k) for f in ("tril", "triu")
      for k in (2**63 - 1, 2**63 - 2, 2**64, -5, -3, -2, 3, 4, 5)],
    lambda xp: xp.triu(xp.ones(3), k=2**63 - 1),
    lambda xp: xp.tril(xp.ones((0, 3)), k=2**63 - 1),
    # tile: an axis of one element, or put once, needs none of its own
    lambda xp: xp.tile(xp.ones((1,) * 33), (1,) * 32 + (3,)),
    lambda xp: xp.tile(xp.ones((1,) * 62 + (2, 3)), (2, 1, 3)),
    lambda xp: xp.tile(xp.arange(6).reshape(2, 3), (2, 1, 3, 2)),
    lambda xp: xp.tile(xp.ones((0, 3)), (2, 2)),
    lambda xp: xp.tile(xp.ones(0), 2**62),
    lambda xp: xp.tile(xp.ones(0), -1),
    lambda xp: xp.tile(xp.ones(2), -1),
    # out of the input's size
    *[lambda xp, a=a, shape=shape, n=n: xp.round(xp.asarray(a), n, out=xp.zeros(shape, dtype="D"))
      for a in ([1.5, 2], [1, 2], [1j, 2]) for shape in ((2, 2), 2, (1, 2), 4, ()) for n in (0, 1, -1)],
    lambda xp: xp.round(xp.ones(2), 2**31),
    lambda xp: xp.round(xp.ones(2), -2**40),
    # only sequences are split; a stack has one axis more
    *[lambda xp, f=f: getattr(xp, f)(a for a in [xp.ones(2)]) for f in ("concatenate", "stack", "vstack", "hstack",
                                                                        "dstack", "column_stack")],
    lambda xp: xp.stack([xp.ones((1,) * 64)] * 2),
    lambda xp: xp.nan_to_num(xp.ones(2), nan=None),
    lambda xp: xp.nan_to_num(xp.asarray([np.nan, 1]), nan=2),
    # linspace: the type is the ends', not that of their sum; the first sample of an infinite range is none
    lambda xp: xp.linspace(xp.asarray([5], dtype="u1"), -1, 3),
    lambda xp: xp.linspace(xp.asarray([5], dtype="i1"), 300, 3),
    lambda xp: xp.linspace(xp.asarray([5], dtype="f2"), 300, 3),
    lambda xp: xp.linspace(xp.asarray([5], dtype="f4"), 2**70, 3),
    lambda xp: xp.linspace(2**63, np.float32(1), 3),
    *[lambda xp, a=a, b=b, n=n, e=e: xp.linspace(a, b, n, endpoint=e)
      for a, b in ((-np.inf, 1), (1, np.inf), (1, np.nan), (-1e308, 1.7e308)) for n in (0, 1, 2, 3)
      for e in (True, False)],
    # leading axes of one element are dropped
    lambda xp: copied(xp, 3, [[4, 5, 6]], [False, True, True]),
    lambda xp: copied(xp, 3, [[[4]]], [False, True, True]),
    lambda xp: copied(xp, (), [[[4]]], True),
    lambda xp: copied(xp, (1, 3), [[[4, 5, 6]]], [False, True, True]),
    lambda xp: copied(xp, 3, [[4, 5, 6], [1, 2, 3]], [False, True, True]),
]


def copied(xp, shape, src, where):
    x = xp.zeros(shape)
    xp.copyto(x, xp.asarray(src), where=xp.asarray(where))
    return x


@pytest.mark.parametrize("i", range(len(CALLS)))
def test_at_the_limits(i):
    same(outcome(lambda: CALLS[i](cp)), outcome(lambda: CALLS[i](np)))


def test_nothing_to_do_gives_the_array_itself():
    x = cp.ones(3)
    assert cp.nan_to_num(x, copy=False) is x and cp.diff(x, n=0) is x
    assert cp.nan_to_num(x) is not x and cp.diff(x, n=1) is not x
