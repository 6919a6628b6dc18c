"""Arguments of functions: what does not fit is refused as NumPy does, `out` comes back itself, keywords mean
what they say."""
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import cuprite as cp
from oracle import as_numpy_does

X = np.array([[3., 1, 2], [6, 5, 4]])


def same_error(ours, theirs):
    """Both raise, and the same type."""
    with pytest.raises(Exception) as expected:
        theirs()
    with pytest.raises(expected.type):
        ours()


# --- values that mean nothing ---
@pytest.mark.parametrize("name", ["sort", "argsort"])
@pytest.mark.parametrize("words", [{"kind": "bogus"}, {"kind": ""}, {"kind": 3}, {"order": "x"},
                                   {"kind": "stable", "stable": True}, {"kind": "quicksort", "stable": False},
                                   {"axis": "x"}, {"axis": 1.5}, {"axis": 7}])
def test_sorting_refuses(name, words):
    same_error(lambda: getattr(cp, name)(cp.asarray(X), **words), lambda: getattr(np, name)(X, **words))
    same_error(lambda: getattr(cp.asarray(X), name)(**words), lambda: getattr(X.copy(), name)(**words))


@pytest.mark.parametrize("words", [{"kind": k} for k in ("quicksort", "heapsort", "mergesort", "stable", "Q", "heap",
                                                         None)]
                         + [{"stable": True}, {"stable": None}, {"order": None}])
def test_sorting_takes(words):
    np.testing.assert_array_equal(cp.sort(cp.asarray(X), **words).get(), np.sort(X, **words))


@pytest.mark.parametrize("call", [
    lambda x, xp: xp.partition(x, 1, kind="bogus"), lambda x, xp: xp.partition(x, 1, order="a"),
    lambda x, xp: xp.partition(x, "a"), lambda x, xp: xp.sum(x, keepdims="no"), lambda x, xp: xp.sum(x, axis="0"),
    lambda x, xp: xp.median(x, axis=2), lambda x, xp: xp.zeros(3, order="x"),
    lambda x, xp: xp.zeros(3, dtype="nothing"), lambda x, xp: xp.zeros("3"), lambda x, xp: xp.zeros(-1),
    lambda x, xp: xp.convolve(x[0], x[0], mode="bogus"), lambda x, xp: x.astype("i4", casting="bogus"),
    lambda x, xp: x.astype("i4", casting="safe"), lambda x, xp: x.astype("f4", order="Z"),
    lambda x, xp: x.reshape(3, 2, order="K"), lambda x, xp: x.reshape(7), lambda x, xp: x.reshape(),
    lambda x, xp: xp.can_cast("f4", "f8", casting="bogus"), lambda x, xp: xp.clip(x, 1, 2, min=3),
    lambda x, xp: xp.clip(x, 3), lambda x, xp: xp.clip(x, a_max=3), lambda x, xp: x.item(1, 2, 3),
    lambda x, xp: x.sort(axis=None, kind="x"), lambda x, xp: x.transpose(0, 0), lambda x, xp: x.swapaxes(0, 2),
    lambda x, xp: xp.expand_dims(x, 5), lambda x, xp: xp.array(x, copy="yes"), lambda x, xp: x.reshape(6, copy="yes"),
    lambda x, xp: xp.broadcast_to(x, (2, 2)), lambda x, xp: xp.concatenate([]), lambda x, xp: xp.concatenate(3),
    lambda x, xp: xp.stack([x, x], axis=4), lambda x, xp: xp.argmax(x, axis=(0, 1)),
    lambda x, xp: xp.var(x, ddof=1, correction=1), lambda x, xp: xp.median(), lambda x, xp: xp.median(x, nothing=1),
    lambda x, xp: xp.median(x, a=x), lambda x, xp: xp.where(x, 1),
])
def test_refused_as_in_numpy(call):
    same_error(lambda: call(cp.asarray(X), cp), lambda: call(X.copy(), np))


@pytest.mark.parametrize("call", [
    lambda x: cp.sort(x, stable="whatever"), lambda x: cp.median(x, overwrite_input="no"),
    lambda x: cp.median(x, keepdims="no"), lambda x: cp.unique(x, return_index="no"),
    lambda x: cp.unique(x, sorted="no"), lambda x: cp.array(x, subok="no"),
    lambda x: cp.broadcast_to(x, (2, 2, 3), subok="no"), lambda x: cp.asarray(x, blocking="no"),
    lambda x: x.get(blocking="no"), lambda x: cp.isclose(x, x, equal_nan="no"), lambda x: cp.sort(x, descending="no"),
])
def test_a_text_is_no_truth_value(call):
    with pytest.raises(TypeError, match="truth value"):
        call(cp.asarray(X))


def test_axes_that_are_none():
    for axis in (2, -3, 99, 2**70, -2**70, 1.0, "a", (0, 0), (1, -1), (0, 2), (None,), np.float32(1)):
        for name in ("sum", "max", "mean", "std", "any", "median", "ptp", "count_nonzero", "nansum", "flip", "squeeze",
                     "expand_dims"):
            as_numpy_does(lambda xp: getattr(xp, name)(xp.asarray(X), axis))


# --- out ---
OUT = {
    "sum": ((3,), lambda x, xp, **o: xp.sum(x, 0, **o)), "mean": ((2,), lambda x, xp, **o: x.mean(1, **o)),
    "std": ((2,), lambda x, xp, **o: xp.std(x, 1, **o)), "max": ((3,), lambda x, xp, **o: x.max(0, **o)),
    "median": ((3,), lambda x, xp, **o: xp.median(x, 0, **o)), "ptp": ((3,), lambda x, xp, **o: xp.ptp(x, 0, **o)),
    "round": ((2, 3), lambda x, xp, **o: xp.round(x, 1, **o)),
    "around": ((2, 3), lambda x, xp, **o: xp.around(x, 1, **o)),
    "clip": ((2, 3), lambda x, xp, **o: xp.clip(x, 2, 4, **o)),
    "clip method": ((2, 3), lambda x, xp, **o: x.clip(2, 4, **o)),
    "compress": ((2, 1), lambda x, xp, **o: xp.compress([False, True], x, 1, **o)),
    "compress method": ((1, 3), lambda x, xp, **o: x.compress([False, True], 0, **o)),
    "concatenate": ((4, 3), lambda x, xp, **o: xp.concatenate([x, x], **o)),
    "stack": ((2, 2, 3), lambda x, xp, **o: xp.stack([x, x], **o)),
    "add": ((2, 3), lambda x, xp, **o: xp.add(x, x, **o)), "nansum": ((3,), lambda x, xp, **o: xp.nansum(x, 0, **o)),
}


@pytest.mark.parametrize("shape, call", OUT.values(), ids=OUT.keys())
def test_out_comes_back(shape, call):
    out, expected = cp.zeros(shape), np.zeros(shape)
    call(X, np, out=expected)
    assert call(cp.asarray(X), cp, out=out) is out
    np.testing.assert_allclose(out.get(), expected, rtol=1e-15)
    for wrap in (lambda o: (o,), lambda o: (), lambda o: (o, o), lambda o: (o, None), lambda o: ((o,),), lambda o: [o],
                 lambda o: (3,), lambda o: 3, lambda o: "x"):  # tuples are for ufuncs
        def given(xp):
            out = xp.zeros(shape)
            return call(xp.asarray(X), xp, out=wrap(out)) is out
        as_numpy_does(given)
    with pytest.raises(TypeError):
        call(cp.asarray(X), cp, out=X)


# --- keywords ---
@pytest.mark.parametrize("order", ["C", "F", "A"])
@pytest.mark.parametrize("shape", [(6,), (3, 2), (1, 6), (2, 3)])
@pytest.mark.parametrize("copy", [None, True, False])
@pytest.mark.parametrize("x", [X, X.T, np.asfortranarray(X), X[:, ::2], np.zeros((0, 4)), X[::-1]], ids=range(6))
def test_reshape_copy(x, shape, order, copy):
    if x.size != 6:
        shape = (x.size,) if len(shape) == 1 else (1, x.size)
    ours = cp.asarray(X) if x.base is None else cp.asarray(x)
    ours = {0: cp.asarray(X)}.get(id(x), ours) if x is X else view_like(x)
    try:
        expected = np.reshape(x, shape, order, copy=copy)
    except ValueError:
        with pytest.raises(ValueError, match="Unable to avoid"):
            cp.reshape(ours, shape, order, copy=copy)
        with pytest.raises(ValueError, match="Unable to avoid"):
            ours.reshape(shape, order=order, copy=copy)
        return
    for result in (cp.reshape(ours, shape, order, copy=copy), ours.reshape(*shape, order=order, copy=copy)):
        np.testing.assert_array_equal(result.get(), expected)
        if x.size:
            assert cp.may_share_memory(result, ours) == np.may_share_memory(expected, x)


def view_like(x):
    """Cuprite's array with the strides of x."""
    base = cp.asarray(X)
    for view in (base, base.T, base[:, ::2], base[::-1]):
        if view.shape == x.shape and view.strides == x.strides and np.array_equal(view.get(), x):
            return view
    return cp.asarray(x)


@pytest.mark.parametrize("make", ["array", "asarray", "asanyarray"])
def test_asarray_copy(make):
    f, g, x = getattr(cp, make), getattr(np, make), cp.asarray(X)
    assert f(x, copy=False) is x and f(x, copy=None) is x and f(x, dtype="f8", copy=False) is x
    again = f(x, copy=True)
    assert again is not x and not cp.may_share_memory(again, x)
    np.testing.assert_array_equal(again.get(), X)
    for words in ({"dtype": "f4"}, {"order": "F"}):
        same_error(lambda: f(x, copy=False, **words), lambda: g(X, copy=False, **words))
    for o in ([1, 2], 3, 2.5, (1,)):
        same_error(lambda: f(o, copy=False), lambda: g(o, copy=False))
        np.testing.assert_array_equal(f(o, copy=None).get(), g(o, copy=None))
        np.testing.assert_array_equal(f(o, copy=True).get(), g(o, copy=True))


@pytest.mark.parametrize("name", ["empty_like", "zeros_like", "ones_like", "full_like"])
def test_like_device(name):
    arguments = (7,) if name == "full_like" else ()
    x = cp.asarray(X.astype("f4"))
    y = getattr(cp, name)(x, *arguments, device="cpu")
    expected = getattr(np, name)(X.astype("f4"), *arguments, device="cpu")
    assert y.device == cp.cuda.Device("cpu") and y.dtype == expected.dtype and y.shape == expected.shape
    if name != "empty_like":
        np.testing.assert_array_equal(y.get(), expected)
    with pytest.raises(ValueError):
        getattr(cp, name)(x, *arguments, device="nowhere")


def test_astype_device():
    x = cp.asarray(X)
    for y in (x.astype("i4", device="cpu"), cp.astype(x, "i4", device="cpu")):
        assert y.device == cp.cuda.Device("cpu")
        np.testing.assert_array_equal(y.get(), np.astype(X, "i4", device="cpu"))
    with pytest.raises(ValueError):
        x.astype("i4", device="nowhere")
    with cp.cuda.Device("cpu"):
        z = cp.asarray(X)
    assert z.astype("f8", copy=False, device="cpu") is z


@pytest.mark.parametrize("words", [{"min": 2}, {"max": 4}, {"min": 2, "max": 4}, {"a_min": 2, "a_max": 4},
                                   {"a_min": None, "a_max": 4}, {}])
def test_clip_words(words):
    np.testing.assert_array_equal(cp.clip(cp.asarray(X), **words).get(), np.clip(X, **words))
    if not words.keys() & {"a_min", "a_max"}:
        np.testing.assert_array_equal(cp.asarray(X).clip(**words).get(), X.clip(**words))


@pytest.mark.parametrize("dtype", ["u1", "i1", "i4", "u4", "i8", "u8", "?", "f4"])
def test_clip_to_python_integers(dtype):
    """A bound at or beyond the end of the type on its own side limits nothing; on the other it does not fit."""
    ends = [None, -2**70, -2**63, -129, -128, -1, 0, 3, 255, 256, 2**31, 2**63 - 1, 2**63, 2**64 - 1, 2**70]
    for low in ends:
        for high in ends:
            as_numpy_does(lambda xp: xp.clip(xp.arange(2).astype(dtype), low, high))
            as_numpy_does(lambda xp: xp.arange(2).astype(dtype).clip(low, high))
    as_numpy_does(lambda xp: xp.clip(xp.arange(2).astype(dtype), xp.asarray(-1), None))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "F", "D", "i4"])
@pytest.mark.parametrize("deg", [False, True])
def test_angle(dtype, deg):
    z = np.array([1, -1, 0, 1j, -1 - 1j, 2 - 3j]) if dtype in "FD" else np.array([1, -1, 0, 3, -2, 5])
    if dtype[0] == "f":
        z = np.append(z, [-0.0, np.nan, -np.nan, np.inf, -np.inf, 1e-8, -1e-8])
    z = np.tile(z.astype(dtype), 5)
    ours, expected = cp.angle(cp.asarray(z), deg=deg).get(), np.angle(z, deg=deg)
    assert ours.dtype == expected.dtype
    np.testing.assert_allclose(ours, expected, rtol=4 * np.finfo(expected.dtype).eps)
    np.testing.assert_array_equal(np.signbit(ours[expected == 0]), np.signbit(expected[expected == 0]))
    np.testing.assert_array_equal(cp.angle(cp.asarray(z), deg).get(), ours)


TYPES = ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "F", "D"]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_descending(data):
    dtype = data.draw(st.sampled_from(TYPES))
    shape = tuple(data.draw(st.lists(st.integers(0, 5), min_size=1, max_size=3)))
    axis = data.draw(st.sampled_from([None, *range(-len(shape), len(shape))]))
    values = st.sampled_from([0, 1, 2, 3] + ([np.nan, np.inf] if dtype in ("f2", "f4", "f8", "F", "D") else []))
    size = int(np.prod(shape))
    x = np.array(data.draw(st.lists(values, min_size=size, max_size=size))).reshape(shape).astype(dtype)
    flat, along = (x.ravel(), 0) if axis is None else (x, axis)
    ascending = np.sort(flat, axis=along)
    order = np.flip(flat.shape[along] - 1 - np.argsort(np.flip(flat, along), axis=along, stable=True), along)
    y = cp.asarray(x)
    np.testing.assert_array_equal(cp.sort(y, axis=axis, descending=True).get(), np.flip(ascending, along))
    np.testing.assert_array_equal(cp.argsort(y, axis=axis, descending=True, stable=True).get(), order)
    np.testing.assert_array_equal(y.get(), x)
    if axis is not None:
        y.sort(axis=axis, descending=True)
        np.testing.assert_array_equal(y.get(), np.flip(ascending, along))


STABLE = [{"kind": "stable"}, {"kind": "mergesort"}, {"kind": "S"}, {"stable": True}]


@pytest.mark.parametrize("words", STABLE)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "F", "D"])
def test_stable_order_of_zeros(dtype, words):
    """A stable sort leaves -0.0 and 0.0 in the order in which they stand, along any axis, copied or in place."""
    rng = np.random.default_rng(7)
    values = np.array([0.0, -0.0, 0.0, -0.0, 1, -1, np.nan])
    x = rng.choice(values, (3, 70, 5)).astype(dtype)
    if dtype in "FD":
        x.imag = rng.choice(values[:5], x.shape)
    for y in (x, np.asfortranarray(x), x[:, ::-2], x.transpose(2, 0, 1), x[:, :0], x[0, :, 0], x[0, 0, 0]):
        for axis in [None, *range(-y.ndim, y.ndim)]:
            ours, theirs = cp.sort(cp.asarray(y), axis=axis, **words), np.sort(y, axis=axis, **words)
            assert ours.dtype == theirs.dtype and ours.get().tobytes() == theirs.tobytes()
            assert ours.flags.f_contiguous == theirs.flags.f_contiguous
            if axis is not None:
                place = cp.array(y)
                assert place.sort(axis, **words) is None
                assert place.get().tobytes() == theirs.tobytes()
    part = cp.array(x)
    part[1, ::2].sort(0, **words)
    x[1, ::2].sort(0, **words)
    assert part.get().tobytes() == x.tobytes()
    with pytest.raises(ValueError):
        cp.broadcast_to(cp.asarray(x[0, 0]), (2, 5)).sort(**words)
    with pytest.raises(np.exceptions.AxisError):
        cp.sort(cp.asarray(x), axis=3, **words)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "F", "D"])
def test_stable_descending(dtype):
    x = np.array([[0.0, -0.0, 1, -0.0, np.nan, 0], [-0.0, 0, 0, -1, -0.0, 1]]).astype(dtype)
    for axis in (None, 0, 1):
        y = x.ravel() if axis is None else x
        order = cp.argsort(cp.asarray(y), axis=axis or 0, descending=True).get()
        theirs = np.take_along_axis(y, order, axis or 0).tobytes()
        assert cp.sort(cp.asarray(x), axis=axis, stable=True, descending=True).get().tobytes() == theirs
        if axis is not None:
            place = cp.array(x)
            place.sort(axis, stable=True, descending=True)
            assert place.get().tobytes() == theirs


def test_stable_bfloat16():
    x = cp.array([0.0, -0.0, 1, -0.0, -2, 0.0], dtype=cp.bfloat16)
    want = [-2, 0.0, -0.0, -0.0, 0.0, 1]
    for got in (cp.sort(x, kind="stable"), cp.sort(x, stable=True, descending=True)[::-1][[0, 4, 3, 2, 1, 5]]):
        assert np.signbit(got.astype("f4").get()).tolist() == np.signbit(want).tolist()
