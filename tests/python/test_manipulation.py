"""Rearranging arrays against NumPy: values, types, shapes, which results are views, errors."""
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cuprite as cp
from oracle import as_numpy_does, equal, outcome, raises
from test_compose import DTYPES, layout, sample, same

seeds = st.integers(0, 2**32 - 1)
shapes = st.lists(st.integers(0, 4), min_size=0, max_size=5)
full = st.lists(st.integers(1, 4), min_size=1, max_size=4)


def case(seed, shape, dtype="i4"):
    rng = np.random.default_rng(seed)
    return (rng, *layout(rng, sample(rng, shape, dtype)))


def compare(name, *args, **options):
    """name of the module gets pairs (NumPy's, ours) as each likes them."""
    def part(a, which):
        pair = isinstance(a, tuple) and len(a) == 2 and isinstance(a[1], cp.ndarray)
        return a[which] if pair else a
    theirs = outcome(lambda: getattr(np, name)(*[part(a, 0) for a in args],
                                               **{k: part(v, 0) for k, v in options.items()}))
    ours = outcome(lambda: getattr(cp, name)(*[part(a, 1) for a in args],
                                             **{k: part(v, 1) for k, v in options.items()}))
    if isinstance(theirs, type) or isinstance(ours, type):
        assert ours is theirs, (ours, theirs)
    else:
        equal(ours, theirs)
    return ours, theirs


# --- copies ---

@pytest.mark.parametrize("dtype", ["u1", "u2", "f4", "f8", "c16"])
@pytest.mark.parametrize("into", ["dense", "strided"])
def test_copies_of_rows(dtype, into):
    """Rows of every order and step, short and long, beside one another and in planes with gaps: both sides of the
    copy's choices, each of whose loops carries into the outer axes by itself."""
    for shape in (7,), (40,), (3, 4), (10, 10), (3, 17, 19), (4, 3, 5, 12), (3, 2, 90, 5):
        plain = np.arange(np.prod([2 * n for n in shape])).reshape([2 * n for n in shape]).astype(dtype)
        ours = cp.asarray(plain)
        for steps in itertools.product((1, -1, 2), repeat=len(shape)):
            key = tuple(slice(None, step * n, step) if step > 0 else slice(n - 1, None, -1)
                        for n, step in zip(shape, steps))
            for axes in (range(len(shape)), reversed(range(len(shape)))):
                axes = tuple(axes)
                theirs, view = plain[key].transpose(axes), ours[key].transpose(axes)
                if into == "dense":
                    equal(view.copy(), theirs.copy())
                    continue
                wide = [n + 1 for n in theirs.shape[:-1]] + [2 * theirs.shape[-1]]
                to, target = np.zeros(wide, dtype), cp.zeros(wide, dtype)
                inner = tuple(slice(1, None) for _ in wide[:-1]) + (slice(None, None, 2),)
                to[inner], target[inner] = theirs, view
                equal(target, to)


# --- moving and repeating ---

@settings(max_examples=200, deadline=None)
@given(seeds, shapes, st.sampled_from(DTYPES), st.data())
def test_roll(seed, shape, dtype, data):
    _, p, q = case(seed, shape, dtype)
    axis = data.draw(st.sampled_from([None, *range(-len(shape) - 1, len(shape) + 1), (0, 1), (0, -1), (0, 0)]))
    shift = data.draw(st.sampled_from([0, 1, -1, 7, -10**12, (1, 2), (-3,), (2**40, -1), (1, 2, 3)]))
    ours, theirs = compare("roll", (p, q), shift, axis)
    if isinstance(theirs, np.ndarray) and theirs.size:
        assert ours.strides == theirs.strides or axis is None


@settings(max_examples=200, deadline=None)
@given(seeds, shapes, st.sampled_from(DTYPES), st.data())
def test_repeat(seed, shape, dtype, data):
    rng, p, q = case(seed, shape, dtype)
    axis = data.draw(st.sampled_from([None, *range(-len(shape) - 1, len(shape) + 1)]))
    n = p.size if axis is None or not shape else shape[axis % len(shape)]
    times = data.draw(st.sampled_from([0, 1, 3, -1, [2], "each", "wrong", 2.5, [[1]], []]))
    times = {"each": rng.integers(0, 4, n), "wrong": rng.integers(0, 4, n + 1)}.get(times) if isinstance(times, str) \
        else times
    mine = cp.asarray(times) if isinstance(times, np.ndarray) else times
    theirs = outcome(lambda: np.repeat(p, times, axis))
    ours = outcome(lambda: cp.repeat(q, mine, axis))
    if isinstance(theirs, type):
        assert ours is theirs
    else:
        equal(ours, theirs)
        equal(q.repeat(mine, axis=axis), theirs)


@pytest.mark.parametrize("dtype", ["b", "e", "f", "d", "F", "D", "bfloat16"])
def test_turned_copies(dtype):
    """Both sides dense along different axes, the one they come from forwards or backwards."""
    for shape in ((70, 45), (8, 8), (3, 33, 65), (2, 40, 9, 3)):
        x = cp.asarray(np.random.default_rng(3).integers(-99, 99, shape)).astype(dtype)
        plain = x.astype("D").get()
        for view in (lambda a: np.rot90(a), lambda a: np.rot90(a, 3), lambda a: a.T[::-1], lambda a: a.T[:, ::-1],
                     lambda a: a.swapaxes(0, -1)[::-1, ..., ::-1], lambda a: a[..., 5::-1].swapaxes(-1, -2)):
            assert (view(x).copy().astype("D").get() == view(plain)).all()


@pytest.mark.parametrize("n", [63, 64, 1000, 20000])
def test_repeat_by_many_numbers(n):
    rng = np.random.default_rng(n)
    times = rng.integers(0, 4, n)
    for dtype in ("b", "f", "D"):
        x = rng.integers(-9, 9, (2, n)).astype(dtype)
        equal(cp.repeat(cp.asarray(x), cp.asarray(times), 1), np.repeat(x, times, 1))
        equal(cp.repeat(cp.asarray(x[0]), cp.asarray(times.astype("i2"))), np.repeat(x[0], times))
        equal(cp.repeat(cp.asarray(x[0]), cp.asarray(times * 0)), np.repeat(x[0], times * 0))
    times[n // 2] = -1
    with raises(ValueError):
        cp.repeat(cp.arange(n), cp.asarray(times))
    with raises(ValueError):
        cp.repeat(cp.arange(n), cp.asarray(times + (1 << 62)))


@pytest.mark.parametrize("dtype", ["b", "h", "f", "d", "D"])
def test_repeat_by_one_number(dtype):
    for n in (1, 5, 1000, 99999):
        x = np.arange(n).astype(dtype)
        for times in (1, 2, 3, 7, np.int64(5)):
            equal(cp.repeat(cp.asarray(x), times), np.repeat(x, times))
            equal(cp.repeat(cp.asarray(x)[::-1], times), np.repeat(x[::-1], times))


@settings(max_examples=100, deadline=None)
@given(seeds, shapes, st.sampled_from(DTYPES), st.sampled_from([0, 3, 24, (2, 3), (0, 4), (5, 1, 2), (-1, 2), ()]))
def test_resize(seed, shape, dtype, new):
    _, p, q = case(seed, shape, dtype)
    compare("resize", (p, q), new)


@settings(max_examples=150, deadline=None)
@given(seeds, shapes, st.integers(-5, 6), st.sampled_from([(0, 1), (1, 0), (-1, 0), (2, 1), (0, 0), (0, 9), (0,)]))
def test_rot90(seed, shape, k, axes):
    _, p, q = case(seed, shape)
    ours, theirs = compare("rot90", (p, q), k, axes)
    if isinstance(theirs, np.ndarray) and theirs.size:
        assert ours.strides == theirs.strides or p.strides != q.strides
        assert cp.may_share_memory(ours, q)


# --- splitting and joining ---

@pytest.mark.parametrize("name", ["split", "array_split", "hsplit", "vsplit", "dsplit"])
@settings(max_examples=60, deadline=None)
@given(seeds, shapes, st.sampled_from([1, 2, 3, 0, -1, [1], [2, 1], [0, 5, 9], [-1], ()]), st.integers(-2, 2))
def test_splits(name, seed, shape, places, axis):
    _, p, q = case(seed, shape)
    options = {"axis": axis} if "array" in name or name == "split" else {}
    try:
        theirs = getattr(np, name)(p, places, **options)
    except (IndexError, ValueError, ZeroDivisionError) as e:  # an axis that is not there: NumPy's tuple index
        with pytest.raises(type(e)):
            getattr(cp, name)(q, places, **options)
        return
    ours = getattr(cp, name)(q, places, **options)
    equal(ours, theirs)
    assert all(o.size == 0 or cp.may_share_memory(o, q) for o in ours)


@settings(max_examples=60, deadline=None)
@given(seeds, shapes, st.integers(-3, 3))
def test_unstack(seed, shape, axis):
    _, p, q = case(seed, shape)
    compare("unstack", (p, q), axis=axis)


def test_block():
    a, b = np.arange(6).reshape(2, 3), np.ones((2, 1))
    c, d = cp.asarray(a), cp.asarray(b)
    for f in (lambda x, y: [x, y], lambda x, y: [[x, y], [x, y]], lambda x, y: [[x], [x]], lambda x, y: x,
              lambda x, y: [1, 2, 3], lambda x, y: [[x, y], [[x]]], lambda x, y: [], lambda x, y: [[]],
              lambda x, y: (x, y), lambda x, y: [[1, 2], [3, 4]], lambda x, y: [x, x[0]], lambda x, y: [[[x]]],
              lambda x, y: [[x, y], [x]]):
        theirs, ours = outcome(lambda: np.block(f(a, b))), outcome(lambda: cp.block(f(c, d)))
        assert ours is theirs if isinstance(theirs, type) else equal(ours, theirs) is None
    assert not cp.may_share_memory(cp.block(c), c)


def test_row_stack():
    equal(cp.row_stack([cp.arange(3), cp.ones(3)]), np.vstack([np.arange(3), np.ones(3)]))


# --- deleting and inserting ---

OBJECTS = [0, -1, 3, 7, [], [0], [1, -1], [0, 0, 2], slice(None), slice(1, None, 2), slice(None, None, -2),
           slice(3, 1), "mask", "array", [9]]


def chosen(rng, obj, n):
    if isinstance(obj, str):
        return rng.random(n) < 0.5 if obj == "mask" else rng.integers(-n, max(n, 1), 3) if n else np.zeros(0, int)
    return obj


@settings(max_examples=250, deadline=None)
@given(seeds, shapes, st.sampled_from(range(len(OBJECTS))), st.data())
def test_delete(seed, shape, which, data):
    rng, p, q = case(seed, shape)
    axis = data.draw(st.sampled_from([None, *range(-len(shape), len(shape) + 1)]))
    n = p.size if axis is None or not -len(shape) <= axis < len(shape) else shape[axis]
    obj = chosen(rng, OBJECTS[which], n)
    mine = cp.asarray(obj) if isinstance(obj, np.ndarray) else obj
    theirs, ours = outcome(lambda: np.delete(p, obj, axis)), outcome(lambda: cp.delete(q, mine, axis))
    assert ours is theirs if isinstance(theirs, type) else equal(ours, theirs) is None


@settings(max_examples=250, deadline=None)
@given(seeds, shapes, st.sampled_from(range(len(OBJECTS))), st.sampled_from(["number", "line", "full", "odd"]),
       st.data())
def test_insert(seed, shape, which, kind, data):
    rng, p, q = case(seed, shape)
    axis = data.draw(st.sampled_from([None, *range(-len(shape), len(shape) + 1)]))
    n = p.size if axis is None or not -len(shape) <= axis < len(shape) else shape[axis]
    if not p.size and kind == "full":
        return                                               # nothing into nothing, for which NumPy has several rules
    obj = chosen(rng, OBJECTS[which], n)
    mine = cp.asarray(obj) if isinstance(obj, np.ndarray) else obj
    values = {"number": 7, "line": rng.integers(0, 9, 3), "full": rng.integers(0, 9, shape),
              "odd": np.array([[1.5], [2.5]])}[kind]
    other = cp.asarray(values) if isinstance(values, np.ndarray) else values
    theirs, ours = outcome(lambda: np.insert(p, obj, values, axis)), outcome(lambda: cp.insert(q, mine, other, axis))
    assert ours is theirs if isinstance(theirs, type) else equal(ours, theirs) is None


@settings(max_examples=150, deadline=None)
@given(seeds, shapes, st.sampled_from(["fb", "f", "b", "BF", "x"]), st.sampled_from([None, 0, -1, (0, 1), 5]))
def test_trim_zeros(seed, shape, trim, axis):
    rng = np.random.default_rng(seed)
    p, q = layout(rng, rng.choice([0, 0, 0, 1.5], shape))
    ours, theirs = compare("trim_zeros", (p, q), trim, axis)
    if isinstance(theirs, np.ndarray) and theirs.size:
        assert cp.may_share_memory(ours, q)


# --- padding ---

MODES = ["constant", "edge", "linear_ramp", "maximum", "mean", "median", "minimum", "reflect", "symmetric", "wrap"]


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=80, deadline=None)
@given(seeds, shapes, st.sampled_from(["i4", "u1", "f8", "f4", "D", "?"]), st.data())
def test_pad(mode, seed, shape, dtype, data):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 9, shape)
    p, q = layout(rng, (x + (1j * x if dtype == "D" else 0)).astype(dtype))
    width = data.draw(st.sampled_from([0, 1, 5, (2, 3), ((0, 11),), "each", "odd", -1, 1.5]))
    if width == "each":
        width = rng.integers(0, 7, (len(shape), 2)).tolist() if shape else 1
    if width == "odd":
        width = ((1, 2), (3, 4), (5, 6), (7, 8), (9, 10), (11, 12))
    options = {}
    if mode == "constant":
        options = data.draw(st.sampled_from([{}, {"constant_values": 3}, {"constant_values": (1, 2)}]))
    if mode == "linear_ramp" and dtype in ("f8", "i4"):
        options = data.draw(st.sampled_from([{}, {"end_values": 3}, {"end_values": ((4, 2),)}]))
    if mode in ("maximum", "mean", "median", "minimum"):
        options = data.draw(st.sampled_from([{}, {"stat_length": 2}, {"stat_length": ((3, 1),)}]))
    if mode in ("reflect", "symmetric") and dtype != "?":
        options = data.draw(st.sampled_from([{}, {"reflect_type": "odd"}, {"reflect_type": "even"}]))
    if dtype == "?" and mode in ("linear_ramp", "mean", "median"):
        return                                               # numbers between false and true
    if dtype == "D" and mode in ("median", "linear_ramp", "maximum", "minimum"):
        return
    theirs = outcome(lambda: np.pad(p, width, mode, **options))
    ours = outcome(lambda: cp.pad(q, width, mode, **options))
    if isinstance(theirs, type):
        assert ours is theirs
    elif mode in ("linear_ramp", "mean") and dtype in ("f4", "f8", "D"):
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours.get(), theirs, rtol=1e-6 if dtype == "f4" else 1e-14, atol=1e-14)
    else:
        equal(ours, theirs)


@pytest.mark.parametrize("f", [
    lambda xp: xp.pad(xp.arange(3), {0: 2}),
    lambda xp: xp.pad(xp.ones((2, 2)), {-1: (1, 2)}),
    lambda xp: xp.pad(xp.arange(3), 1, "none"),
    lambda xp: xp.pad(xp.arange(3), 1, "edge", constant_values=1),
    lambda xp: xp.pad(xp.arange(3), (1, 2, 3)),
    lambda xp: xp.pad(xp.zeros((0, 2)), 1, "edge"),
    lambda xp: xp.pad(xp.zeros((0, 2)), ((0, 0), (1, 1)), "edge"),
    lambda xp: xp.pad(xp.arange(3.0), 1, "minimum", stat_length=0),
    lambda xp: xp.pad(xp.arange(3), 1, "minimum", stat_length=-1),
    lambda xp: xp.pad(xp.asfortranarray(xp.ones((2, 3))), 1).flags.f_contiguous,
])
def test_pad_as_numpy(f):
    as_numpy_does(f)


def test_pad_by_a_function():
    def fill(vector, width, axis, kwargs):
        vector[:width[0]] = kwargs.get("left", 5)
        if width[1]:
            vector[-width[1]:] = axis
    x = np.arange(6).reshape(2, 3)
    equal(cp.pad(cp.asarray(x), ((1, 2), (0, 3)), fill, left=8), np.pad(x, ((1, 2), (0, 3)), fill, left=8))


# --- bits ---

@settings(max_examples=150, deadline=None)
@given(seeds, shapes, st.sampled_from(DTYPES), st.sampled_from(["big", "little"]), st.data())
def test_packbits(seed, shape, dtype, order, data):
    rng = np.random.default_rng(seed)
    p, q = layout(rng, rng.integers(0, 2, shape).astype(dtype) * 3 if dtype != "bool" else rng.random(shape) < 0.5)
    axis = data.draw(st.sampled_from([None, *range(-len(shape) - 1, len(shape) + 1)]))
    compare("packbits", (p, q), axis, order)


@settings(max_examples=150, deadline=None)
@given(seeds, shapes, st.sampled_from(["big", "little"]), st.sampled_from([None, 0, 3, 8, 19, -1, -5, 100, -999]),
       st.data())
def test_unpackbits(seed, shape, order, count, data):
    _, p, q = case(seed, shape, "uint8")
    axis = data.draw(st.sampled_from([None, *range(-len(shape) - 1, len(shape) + 1)]))
    if not p.size and (count or 0) > 0:
        return                                               # NumPy gives memory as it finds it
    compare("unpackbits", (p, q), axis, count, order)


def test_bits_errors():
    for name, dtype in (("packbits", "f8"), ("unpackbits", "i4"), ("unpackbits", "?")):
        compare(name, (np.zeros(3, dtype), cp.zeros(3, dtype)))
    compare("packbits", (np.zeros(3, "u1"), cp.zeros(3, "u1")), bitorder="middle")


# --- functions of functions ---

@settings(max_examples=100, deadline=None)
@given(seeds, shapes, st.integers(-3, 3), st.integers(0, 3))
def test_apply_along_axis(seed, shape, axis, which):
    _, p, q = case(seed, shape)
    f = [lambda xp: lambda v: v.sum(), lambda xp: lambda v: v * 2, lambda xp: lambda v: xp.outer(v, v[:2]),
         lambda xp: lambda v: 1.5][which]
    theirs = outcome(lambda: np.apply_along_axis(f(np), axis, p))
    ours = outcome(lambda: cp.apply_along_axis(f(cp), axis, q))
    assert ours is theirs if isinstance(theirs, type) else equal(ours, np.asarray(theirs)) is None


def test_apply_over_axes():
    x = np.arange(24).reshape(2, 3, 4)
    for axes in (0, [0, 2], (-1, 0)):
        equal(cp.apply_over_axes(cp.sum, cp.asarray(x), axes), np.apply_over_axes(np.sum, x, axes))
    with pytest.raises(ValueError):
        cp.apply_over_axes(lambda a, axis: a.sum(), cp.asarray(x), [0])


@pytest.mark.parametrize("f", [
    lambda xp: xp.piecewise(xp.asarray([-2.0, 0, 3]), [xp.asarray([True, False, False]),
                                                      xp.asarray([False, False, True])], [-1, 1]),
    lambda xp: xp.piecewise(xp.asarray([-2.0, 0, 3]), [xp.asarray([True, False, False])],
                            [lambda v: -v, lambda v: v * 2]),
    lambda xp: xp.piecewise(xp.asarray([-2, 0, 3]), xp.asarray([True, False, True]), [7, 8]),
    lambda xp: xp.piecewise(xp.asarray([-2, 0, 3]), [xp.asarray([True, False, True])], [1, 2, 3]),
    lambda xp: xp.piecewise(xp.asarray(3.0), xp.asarray(3.0) > 2, [4, 0]),
    lambda xp: xp.piecewise(xp.asarray([[1, 2], [3, 4]]), [xp.asarray([[True, False], [False, True]])], [9]),
    lambda xp: xp.piecewise(xp.asarray([1.0, 2]), [xp.asarray([True, False])], [lambda v, k: v * k, 0], 5),
])
def test_piecewise(f):
    as_numpy_does(f)


# --- strides ---

@settings(max_examples=150, deadline=None)
@given(seeds, full, st.data())
def test_sliding_window_view(seed, shape, data):
    _, p, q = case(seed, shape)
    axis = data.draw(st.sampled_from([None, 0, -1, (0, -1), 7]))
    window = data.draw(st.sampled_from([1, 2, (1,), (2, 1), tuple(max(n - 1, 1) for n in shape), -1, 9]))
    theirs = outcome(lambda: np.lib.stride_tricks.sliding_window_view(p, window, axis))
    ours = outcome(lambda: cp.lib.stride_tricks.sliding_window_view(q, window, axis))
    if isinstance(theirs, type):
        assert ours is theirs
    else:
        equal(ours, theirs)
        assert ours.strides == theirs.strides or p.strides != q.strides
        assert not ours.flags.writeable and cp.may_share_memory(ours, q)


def test_as_strided():
    x, y = np.arange(200.0), cp.arange(200.0)
    view = cp.lib.stride_tricks.as_strided
    equal(view(y, (3, 4), (8, 16)), np.lib.stride_tricks.as_strided(x, (3, 4), (8, 16)))
    equal(view(y[::-1], (5,), (-8,)), x[::-1][:5])
    equal(view(y, (4,), (0,)), np.zeros(4))
    equal(view(y), x)
    equal(view(y, shape=(7,)), x[:7])
    view(y, (2,), (8,))[...] = 5
    assert y[0] == 5 and y[1] == 5
    for shape, strides in (((201,), (8,)), ((2,), (-8,)), ((2,), (1600,)), ((2**62,), (2**61,)), ((3,), (8, 8)),
                           ((-1,), (8,))):
        with pytest.raises(ValueError):
            view(y, shape, strides)


@pytest.mark.parametrize("n", [1, 2, 7, 60, 200, 5000])
def test_as_strided_of_few_elements(n):
    """Few elements lie behind their array's record, others in a block: neither is left, also not from a view's
    start."""
    view = cp.lib.stride_tricks.as_strided
    y = cp.arange(float(n))
    equal(view(y, (n,), (8,)), np.arange(float(n)))
    equal(view(y[n - 1:], (n,), (-8,)), np.arange(float(n))[::-1])
    for x, shape, strides in ((y, (n + 1,), (8,)), (y, (10**6,), (8,)), (y, (2,), (-8,)), (y[n - 1:], (2,), (8,)),
                              (y[n - 1:], (n + 1,), (-8,)), (cp.array(1.0), (2,), (8,))):
        with pytest.raises(ValueError, match="outside the memory"):
            view(x, shape, strides)


def test_broadcast():
    b = cp.broadcast(cp.ones((3, 1)), cp.ones(4), 2)
    assert b.shape == (3, 4) and b.size == 12 and b.nd == 2
    assert b.values[0].shape == (3, 4) and b.values[2] == 2
    with pytest.raises(ValueError):
        cp.broadcast(cp.ones(3), cp.ones(4))


# --- properties ---

def test_require():
    x = cp.ones((2, 3))
    assert cp.require(x) is x and cp.require(x, requirements=["C", "A", "W", "O"]) is x
    y = cp.require(x, "f4", ["F"])
    assert y.dtype == "f4" and y.flags.f_contiguous
    assert cp.require(cp.broadcast_to(x, (2, 2, 3)), requirements="W").flags.writeable
    assert cp.require(x[:1], requirements="O").flags.owndata
    with pytest.raises(ValueError):
        cp.require(x, requirements=["C", "F"])
    with pytest.raises(KeyError):
        cp.require(x, requirements=["Q"])


@pytest.mark.parametrize("f", [
    lambda xp: xp.asarray_chkfinite([1.0, 2]),
    lambda xp: xp.asarray_chkfinite([1.0, float("nan")]),
    lambda xp: xp.asarray_chkfinite([1, 2], dtype="f4"),
    lambda xp: xp.isfortran(xp.ones((2, 3), order="F")),
    lambda xp: xp.isfortran(xp.ones(3)),
    lambda xp: xp.iterable(xp.ones(3)),
    lambda xp: xp.iterable(3),
])
def test_questions(f):
    as_numpy_does(f)


def test_array_equiv():
    for a, b in itertools.product([[1, 2], [[1, 2], [1, 2]], [[1, 2], [1, 3]], [1, 2, 3], 1], repeat=2):
        assert bool(cp.array_equiv(cp.asarray(a), cp.asarray(b))) is np.array_equiv(a, b)


def test_array_utils():
    x = cp.arange(12).reshape(3, 4)
    low, high = cp.lib.array_utils.byte_bounds(x)
    assert high - low == 96
    assert cp.lib.array_utils.byte_bounds(x[::-1, ::2]) == (low, high - 8)
    assert cp.lib.array_utils.normalize_axis_index(-1, 3) == 2
    assert cp.lib.array_utils.normalize_axis_tuple((0, -1), 3) == (0, 2)


def test_old_names():
    x = np.array([[1.0, 2], [3, 0]])
    y = cp.asarray(x)
    for old, new in (("alltrue", "all"), ("sometrue", "any"), ("product", "prod"), ("cumproduct", "cumprod"),
                     ("trapz", "trapezoid")):
        equal(getattr(cp, old)(y, axis=1), getattr(np, new)(x, axis=1))
    assert cp.asfarray([1, 2]).dtype == "f8" and cp.asfarray([1, 2], "f4").dtype == "f4"
    assert cp.asfarray([1], "i4").dtype == "f8"
    assert cp.byte_bounds(y) == cp.lib.array_utils.byte_bounds(y)


def test_ptp_and_scans_of_arrays():
    x = np.arange(6).reshape(2, 3)
    equal(cp.asarray(x).ptp(axis=1), np.ptp(x, axis=1))
    equal(cp.asarray(x).cumsum(axis=0), x.cumsum(axis=0))
    same(cp.asarray(x).cumprod(), x.cumprod())


# --- around arrays ---

LIES = {"as it is": lambda x: x, "turned": lambda x: x.T, "backwards": lambda x: x[::-1, ..., ::-1],
        "stepped": lambda x: x[..., ::2], "moved": lambda x: x.swapaxes(0, -2) if x.ndim > 2 else x}


@pytest.mark.parametrize("lies", LIES)
@pytest.mark.parametrize("dtype", ["?", "i2", "f4", "f8", "D"])
@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (70, 64), (2, 129, 33), (2, 1, 4, 3), (2,) * 14])
def test_triangles_and_padding(shape, dtype, lies):
    """However many axes there are, and however they lie: values and, of triangles, NumPy's order of axes."""
    x = np.random.default_rng(len(shape)).integers(0, 9, shape).astype(dtype)
    p, q = LIES[lies](x), LIES[lies](cp.asarray(x))
    for k in (-2**63, -3, -1, 0, 1, 40, 2**63 - 1):
        for name in ("tril", "triu"):
            ours, theirs = getattr(cp, name)(q, k), getattr(np, name)(p, max(min(k, 10**6), -10**6))
            same(ours, theirs)
            assert ours.strides == theirs.strides
    widths = [(i % 2 * (i < 8), 2 * (i < 3)) for i in range(p.ndim)] if p.ndim > 4 else 4
    for mode in ("constant", "edge", "reflect", "symmetric", "wrap"):
        same(cp.pad(q, widths, mode), np.pad(p, widths, mode))


@pytest.mark.parametrize("dtype", ["?", "u1", "f4", "D"])
@pytest.mark.parametrize("n", [1, 5, 64, 3000])
def test_place_with_enough_values(n, dtype):
    """Values that are as many as the elements: nobody counts the true ones."""
    rng = np.random.default_rng(n)
    x, y, mask = (rng.integers(0, 2 if dtype == "?" else 99, n).astype(dtype) for _ in range(3))
    for step in (1, -1, 2):
        p, q, m = x.copy(), cp.asarray(x), mask[::step].astype(bool)
        np.place(p[::step], m, y)
        cp.place(q[::step], cp.asarray(m), cp.asarray(y))
        same(q, p)
        np.place(p[::step], m, p[::step].copy())
        cp.place(q[::step], cp.asarray(m), q[::step])
        same(q, p)
