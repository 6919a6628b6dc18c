"""Averages, covariances, slopes and the reductions that leave NaN out, against NumPy."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cuprite as cp
from oracle import as_numpy_does, outcome
from test_compose import DTYPES, layout, sample

seeds = st.integers(0, 2**32 - 1)
shapes = st.lists(st.integers(0, 4), min_size=0, max_size=4)


def near(ours, theirs, n=64):
    """The same outcome; floating numbers within n ulps of the largest."""
    if isinstance(theirs, type) or isinstance(ours, type):
        assert ours is theirs, (ours, theirs)
        return
    if isinstance(theirs, tuple):
        assert isinstance(ours, tuple) and len(ours) == len(theirs)
        for a, b in zip(ours, theirs):
            near(a, b, n)
        return
    got, want = cp.asnumpy(ours), np.asarray(theirs)
    assert got.dtype == want.dtype and got.shape == want.shape, (got, want)
    if want.dtype.kind not in "fc":
        np.testing.assert_array_equal(got, want)
        return
    finite = np.isfinite(want)
    np.testing.assert_array_equal(np.isfinite(got), finite)
    if finite.any():
        top = np.abs(want[finite].astype("D")).max()
        assert (np.abs(got[finite].astype("D") - want[finite]) <= n * np.finfo(want.dtype).eps * top).all(), (got, want)


def holes(rng, x):
    """NaN here and there."""
    return np.where(rng.random(x.shape) < 0.3, np.nan, x).astype(x.dtype) if x.dtype.kind in "fc" else x


def mild(rng, shape, dtype):
    x = rng.integers(0, 2, shape) if dtype == "bool" else rng.integers(1, 60, shape)
    return np.asarray(x + (1j * rng.integers(1, 9, shape) if np.dtype(dtype).kind == "c" else 0)).astype(dtype)


@settings(max_examples=200, deadline=None)
@given(seeds, shapes, st.sampled_from(DTYPES), st.booleans(), st.sampled_from([None, None, "f8", "f4", "i4"]),
       st.data())
def test_nanmean(seed, shape, dtype, keepdims, to, data):
    rng = np.random.default_rng(seed)
    p, q = layout(rng, holes(rng, mild(rng, shape, dtype)))
    axis = data.draw(st.sampled_from([None, *range(-len(shape), len(shape))] + [(0, 1)] * (len(shape) > 1)))
    options = {"axis": axis, "keepdims": keepdims} | ({} if to is None or dtype[0] == "c" else {"dtype": to})
    near(outcome(lambda: cp.nanmean(q, **options)), outcome(lambda: np.nanmean(p, **options)))


@settings(max_examples=200, deadline=None)
@given(seeds, shapes, st.sampled_from([d for d in DTYPES if d[0] != "c"]), st.booleans(), st.data())
def test_nanmedian(seed, shape, dtype, keepdims, data):
    rng = np.random.default_rng(seed)
    p, q = layout(rng, holes(rng, mild(rng, shape, dtype)))
    axis = data.draw(st.sampled_from([None, *range(-len(shape), len(shape))] + [(0, 1)] * (len(shape) > 2 and
                                                                                      0 not in shape)))
    if dtype == "bool" or 0 in shape and axis is not None and p.ndim > 1:
        return
    near(outcome(lambda: cp.nanmedian(q, axis, keepdims=keepdims)),
         outcome(lambda: np.nanmedian(p, axis, keepdims=keepdims)), 2)


def read(r):
    """r, after a device has reported its errors."""
    r.get()
    return r


@pytest.mark.parametrize("name", ["nanargmin", "nanargmax"])
@settings(max_examples=100, deadline=None)
@given(seeds, shapes, st.sampled_from([d for d in DTYPES if d[0] != "c"]), st.booleans(), st.data())
def test_places(name, seed, shape, dtype, keepdims, data):
    rng = np.random.default_rng(seed)
    p, q = layout(rng, holes(rng, mild(rng, shape, dtype)))
    axis = data.draw(st.sampled_from([None, *range(-len(shape) - 1, len(shape) + 1)]))
    near(outcome(lambda: read(getattr(cp, name)(q, axis, keepdims=keepdims))),
         outcome(lambda: getattr(np, name)(p, axis, keepdims=keepdims)))


@settings(max_examples=200, deadline=None)
@given(seeds, shapes, st.sampled_from(DTYPES), st.sampled_from([None, "i4", "f4", "f8", "D"]), st.booleans(),
       st.booleans(), st.data())
def test_average(seed, shape, dtype, weights, keepdims, returned, data):
    rng = np.random.default_rng(seed)
    p, q = layout(rng, mild(rng, shape, dtype))
    axis = data.draw(st.sampled_from([None, *range(-len(shape), len(shape))] + [(1, 0)] * (len(shape) > 1)))
    options = {"axis": axis, "keepdims": keepdims, "returned": returned}
    theirs, ours = dict(options), dict(options)
    if weights:
        like = data.draw(st.sampled_from(["full", "axis", "odd"]))
        axes = () if axis is None else axis if isinstance(axis, tuple) else (axis,)
        extents = {"full": shape, "axis": [shape[a] for a in axes], "odd": [7]}[like]
        w = rng.integers(0 if seed % 4 == 0 else 1, 4, extents).astype(weights)
        theirs["weights"], ours["weights"] = w, cp.asarray(w)
    elif p.size == 0:
        return                                               # NumPy divides by 0 to say how many there were
    if dtype == "float16" and weights:
        return                                               # NumPy adds products of float16
    near(outcome(lambda: cp.average(q, **ours)), outcome(lambda: np.average(p, **theirs)))


@settings(max_examples=200, deadline=None)
@given(seeds, st.lists(st.integers(0, 5), min_size=0, max_size=3), st.sampled_from(["i4", "f4", "f8", "D", "bool"]),
       st.booleans(), st.booleans(), st.sampled_from([None, 0, 1, 2, 1.5]),
       st.sampled_from(["", "f", "a", "fa", "bad"]),
       st.booleans())
def test_cov(seed, shape, dtype, rowvar, bias, ddof, weights, more):
    rng = np.random.default_rng(seed)
    p, q = layout(rng, mild(rng, shape, dtype))
    if not p.size or ddof == 1.5 or len(shape) > 2:
        weights = "" if weights == "bad" else weights        # which error comes first
    options = {"rowvar": rowvar, "bias": bias, "ddof": ddof}
    n = (shape[-1] if rowvar or len(shape) < 2 else shape[0]) if shape else 1
    extra = {}
    if "f" in weights:
        extra["fweights"] = rng.integers(0, 4, n)
    if "a" in weights and weights != "bad":
        extra["aweights"] = rng.uniform(0, 2, n)
    if weights == "bad":
        extra["fweights"] = [np.full(n, -1), np.full(n, 0.5), np.ones((n, 1), int), np.ones(n + 1, int)][seed % 4]
    y = mild(rng, shape, dtype) if more else None
    mine = {k: cp.asarray(v) for k, v in extra.items()}
    if weights == "bad" and seed % 4 > 1:
        with pytest.raises(RuntimeError):
            np.cov(p, **options, **extra)
        with pytest.raises(RuntimeError):
            cp.cov(q, **options, **mine)
        return
    theirs = outcome(lambda: np.cov(p, y, **options, **extra))
    ours = outcome(lambda: cp.cov(q, None if y is None else cp.asarray(y), **options, **mine))
    near(ours, theirs, 500)


@settings(max_examples=100, deadline=None)
@given(seeds, st.lists(st.integers(2, 6), min_size=1, max_size=2), st.sampled_from(["i4", "f4", "f8", "D"]),
       st.booleans(), st.sampled_from([None, "f4", "f8"]))
def test_corrcoef(seed, shape, dtype, rowvar, to):
    rng = np.random.default_rng(seed)
    p, q = layout(rng, (rng.normal(size=shape) * 9 + 1j * rng.normal(size=shape)).astype(dtype)
                  if dtype == "D" else (rng.normal(size=shape) * 9).astype(dtype))
    if dtype == "D":
        to = None
    near(outcome(lambda: cp.corrcoef(q, rowvar=rowvar, dtype=to)), outcome(lambda: np.corrcoef(p, rowvar=rowvar,
                                                                                              dtype=to)), 500)


@settings(max_examples=200, deadline=None)
@given(seeds, st.lists(st.integers(1, 6), min_size=0, max_size=3), st.sampled_from(DTYPES), st.sampled_from([1, 2, 3]),
       st.sampled_from(["none", "number", "each", "places", "even", "odd"]), st.data())
def test_gradient(seed, shape, dtype, order, kind, data):
    rng = np.random.default_rng(seed)
    p, q = layout(rng, mild(rng, shape, dtype))
    axis = data.draw(st.sampled_from([None, *range(-len(shape), len(shape))] + [(1, 0)] * (len(shape) > 1)))
    axes = tuple(range(len(shape))) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    places = [np.cumsum(rng.uniform(0.5, 2, shape[a])) for a in axes]
    given = {"none": [], "number": [2.5], "each": [1.5] * len(axes), "places": places,
             "even": [np.arange(shape[a]) for a in axes], "odd": [np.arange(9.0)] * len(axes)}[kind]
    mine = [cp.asarray(g) if isinstance(g, np.ndarray) else g for g in given]
    near(outcome(lambda: cp.gradient(q, *mine, axis=axis, edge_order=order)),
         outcome(lambda: _tuple(np.gradient(p, *given, axis=axis, edge_order=order))))


def _tuple(x):
    return tuple(x) if isinstance(x, (list, tuple)) else x


@pytest.mark.parametrize("f", [
    lambda xp: xp.average(xp.asarray([1.0, 2]), weights=[1, -1]),
    lambda xp: xp.average(xp.ones((2, 3)), weights=[1, 2]),
    lambda xp: xp.average(xp.ones((2, 3)), axis=1, weights=[1, 2]),
    lambda xp: xp.average(xp.ones((2, 3)), axis=0, weights=[1, 3]),
    lambda xp: xp.average(xp.ones((2, 3)), axis=2),
    lambda xp: xp.cov(xp.ones((2, 2, 2))),
    lambda xp: xp.cov(xp.ones(3), xp.ones((2, 2, 2))),
    lambda xp: xp.cov(xp.ones((0, 3))),
    lambda xp: xp.cov(xp.asarray([1.0, 2, 6])),
    lambda xp: xp.nanmean(xp.asarray([1.0]), dtype=int),
    lambda xp: xp.nanmean(xp.asarray([1.0]), out=xp.zeros((), int)),
    lambda xp: xp.nanmean(xp.asarray([1, 2]), out=xp.zeros(())),
    lambda xp: xp.nanmean(xp.asarray([[1.0, float("nan")], [3, 4]]), axis=0, where=xp.asarray([[True], [False]])),
    lambda xp: xp.nanargmin(xp.asarray([float("nan")] * 2)).tolist(),
    lambda xp: xp.nanargmax(xp.asarray([])),
    lambda xp: xp.gradient(xp.asarray([1.0, 2]), 1.0, 2.0),
    lambda xp: xp.gradient(xp.asarray([1.0])),
    lambda xp: xp.gradient(xp.asarray([1.0, 2, 4]), xp.ones((3, 1))),
])
def test_as_numpy(f):
    as_numpy_does(f)


def test_warnings_where_known(device):
    for f in (lambda: cp.nanmean(cp.asarray([np.nan])), lambda: cp.cov(cp.asarray([1.0]))):
        if device == "cpu":
            with pytest.warns(RuntimeWarning):
                f()


def test_results_in_out():
    x = np.array([[1.0, np.nan], [3, 5]])
    for name in ("nanmean", "nanmedian"):
        o = cp.zeros(2, "f4")
        assert getattr(cp, name)(cp.asarray(x), axis=0, out=o) is o
        np.testing.assert_array_equal(o.get(), getattr(np, name)(x, axis=0))
    assert sample(np.random.default_rng(0), 2, "f8").shape == (2,)


def test_long_lines_of_averages_slopes_and_areas():
    """Those that go in one go; integers, so that every order of adding has one answer."""
    rng = np.random.default_rng(8)
    for n in (1023, 1024, 1025, 20000):
        x, w = rng.integers(-50, 50, n).astype("f8"), rng.integers(1, 9, n).astype("f8")
        for axis in (None, 0):
            for keep in (False, True):
                same_bits(cp.average(cp.asarray(x), axis, cp.asarray(w), keepdims=keep),
                          np.asarray(np.average(x, axis, w, keepdims=keep)))
        for dtype in ("f4", "f8", "i4", "u1", "c8", "f2"):
            y = (x % 7 if dtype in ("u1", "f2") else x).astype(dtype)
            for dx in (1.0, 2, 0.25, np.inf, 0):
                with np.errstate(all="ignore"):
                    theirs = np.trapezoid(y.astype("g") if dtype == "f2" else y, dx=dx)
                    theirs = theirs.astype("f2") if dtype == "f2" else theirs
                ours = cp.trapezoid(cp.asarray(y), dx=dx)
                np.testing.assert_array_equal(ours.get(), theirs)
            at = np.cumsum(w)
            np.testing.assert_array_equal(cp.trapezoid(cp.asarray(y), cp.asarray(at)).get(), np.trapezoid(y, at))
            same_bits(cp.gradient(cp.asarray(y)), np.gradient(y))
            same_bits(cp.gradient(cp.asarray(y), 3), np.gradient(y, 3))
            same_bits(cp.gradient(cp.asarray(y), cp.asarray(at)), np.gradient(y, at))
            table = y[:1020].reshape(20, 51)
            same_bits(cp.gradient(cp.asarray(table), cp.asarray(at[:20]), axis=0), np.gradient(table, at[:20], axis=0))
    y = np.ones(5000, "f4")
    y[[0, 3000]] = np.inf
    assert cp.trapezoid(cp.asarray(y)).get() == np.inf
    y[4000] = -np.inf
    assert np.isnan(cp.trapezoid(cp.asarray(y)).get())


def same_bits(ours, theirs):
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours.get(), theirs)
