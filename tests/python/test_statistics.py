"""bincount, digitize, interp, histograms, quantiles against NumPy: values, types, shapes, errors."""
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cuprite as cp
from oracle import as_numpy_does, outcome, raises
from test_compose import DTYPES, layout, sample, same

CASES = int(os.environ.get("CUPRITE_CASES", 25))            # of each method of quantiles
REALS = [d for d in DTYPES if d[0] != "c"]
seeds = st.integers(0, 2**32 - 1)
shapes = st.lists(st.integers(0, 5), min_size=0, max_size=4)
METHODS = ["linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf", "averaged_inverted_cdf",
           "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased"]


# --- counts ---

@settings(max_examples=150, deadline=None)
@given(seeds, st.integers(0, 300), st.sampled_from(["bool", "u1", "i1", "i4", "i8", "u4", "u8", "f8"]),
       st.integers(-1, 40), st.booleans())
def test_bincount(seed, n, dtype, minlength, weighted):
    rng = np.random.default_rng(seed)
    x = rng.integers(-1 if seed % 7 == 0 else 0, 30, n)
    x = x.astype(dtype) if dtype[0] != "u" else abs(x).astype(dtype)
    options = {"minlength": minlength}
    theirs, ours = dict(options), dict(options)
    if weighted:                                             # sums of integers have one answer
        w = rng.integers(-50, 50, n).astype(rng.choice(["f8", "f4", "i4"]))
        theirs["weights"], ours["weights"] = w, cp.asarray(w)
    p, q = layout(rng, x)
    same(outcome(lambda: cp.bincount(q, **ours)), outcome(lambda: np.bincount(p, **theirs)))


@pytest.mark.parametrize("f", [
    lambda xp: xp.bincount(xp.zeros((2, 2), int)),
    lambda xp: xp.bincount(xp.asarray(3)),
    lambda xp: xp.bincount(xp.zeros(2, int), xp.zeros(3)),
    lambda xp: xp.bincount(xp.zeros(2, int), xp.zeros(2, complex)),
    lambda xp: xp.bincount(xp.asarray([1, 2]), [0.5, 0.25]),
    lambda xp: xp.bincount(xp.asarray([], int), minlength=3),
    lambda xp: xp.bincount(xp.asarray([], int), [], minlength=3),
    lambda xp: xp.digitize(xp.asarray([1.0, 2]), [3, 1, 2]).tolist(),
    lambda xp: xp.digitize(xp.asarray([1.0, 2]), [[3, 1, 2]]),
    lambda xp: xp.digitize(xp.asarray([1j, 2]), [1, 2]),
    lambda xp: xp.digitize(xp.asarray([1.0, 2]), []),
    lambda xp: xp.interp(xp.asarray([1.0]), [], []),
    lambda xp: xp.interp(xp.asarray([1.0]), [1, 2], [1]),
    lambda xp: xp.interp(xp.asarray([1.0]), [[1, 2]], [[1, 2]]),
    lambda xp: xp.interp(xp.asarray([1.0]), [1, 2], [1, 2], period=0),
    lambda xp: xp.interp(xp.asarray([1j]), [1, 2], [1, 2]),
])
def test_as_numpy(f):
    as_numpy_does(f)


@pytest.mark.parametrize("bins", [1, 7, 4000, 40_000])
def test_many_counts(bins):
    rng = np.random.default_rng(bins)
    x = rng.integers(0, bins, 300_000)
    np.testing.assert_array_equal(cp.bincount(cp.asarray(x), minlength=bins + 3).get(),
                                  np.bincount(x, minlength=bins + 3))
    w = rng.integers(-9, 9, x.size).astype("f8")
    np.testing.assert_array_equal(cp.bincount(cp.asarray(x), cp.asarray(w)).get(), np.bincount(x, w))


def test_weights_give_one_answer():
    rng = np.random.default_rng(1)
    x, w = cp.asarray(rng.integers(0, 50, 100_000)), cp.asarray(rng.normal(size=100_000))
    first = cp.bincount(x, w).get().tobytes()
    assert all(cp.bincount(x, w).get().tobytes() == first for _ in range(20))


# --- bins ---

@settings(max_examples=200, deadline=None)
@given(seeds, shapes, st.sampled_from(REALS), st.sampled_from(REALS), st.integers(0, 9), st.booleans(), st.booleans())
def test_digitize(seed, shape, dtype, edges, m, right, down):
    rng = np.random.default_rng(seed)
    e = np.sort(sample(rng, m, edges))
    e = e[::-1] if down else e
    x = sample(rng, shape, dtype, odd=dtype[0] == "f")
    if m and x.size:
        with np.errstate(all="ignore"):
            x = np.where(rng.random(shape) < 0.4, rng.choice(e, shape).astype(dtype), x)
    p, q = layout(rng, x)
    same(outcome(lambda: cp.digitize(q, cp.asarray(e), right=right)), outcome(lambda: np.digitize(p, e, right=right)))


@pytest.mark.parametrize("span", [(10, 10), (10.0, 10), (np.float32(10), np.float32(10)), (10, 11)])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4"])
def test_one_value_as_range(dtype, span):
    """Half a unit is added on both sides; the edges' type is that of the elements and of ends that have one."""
    for n in (0, 3):
        a = np.full(n, 10, dtype)
        for ours, theirs in zip(cp.histogram(cp.asarray(a), 2, range=span), np.histogram(a, 2, range=span)):
            assert ours.dtype == theirs.dtype and cp.asnumpy(ours).tolist() == theirs.tolist()


@settings(max_examples=200, deadline=None)
@given(seeds, st.integers(0, 200), st.sampled_from(REALS), st.sampled_from([1, 3, 10, 64]), st.booleans(),
       st.sampled_from([None, None, "f8", "i4", "D", "f4"]), st.booleans())
def test_histogram(seed, n, dtype, bins, ranged, weights, density):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 20, n).astype(dtype) if seed % 2 else sample(rng, n, dtype)
    options = {"bins": bins, "density": density}
    if ranged:
        options["range"] = sorted(rng.integers(-20, 20, 2).tolist())
    theirs, ours = dict(options), dict(options)
    if weights:
        w = rng.integers(1, 9, n).astype(weights)
        theirs["weights"], ours["weights"] = w, cp.asarray(w)
    p, q = layout(rng, x)
    ours, theirs = outcome(lambda: cp.histogram(q, **ours)), outcome(lambda: np.histogram(p, **theirs))
    if isinstance(theirs, type):
        assert ours is theirs
        return
    same(ours[1], theirs[1], ulp=2, of=np.abs(theirs[1]).max())
    if density or not np.array_equal(ours[1].get(), theirs[1]):
        assert ours[0].dtype == theirs[0].dtype
        np.testing.assert_allclose(ours[0].get(), theirs[0], rtol=1e-5 if dtype in ("float16", "float32") else 1e-12,
                                   atol=0)
    else:
        same(ours[0], theirs[0])


@settings(max_examples=100, deadline=None)
@given(seeds, st.integers(0, 200), st.sampled_from(REALS), st.sampled_from(["i4", "f4", "f8"]), st.booleans())
def test_histogram_between_edges(seed, n, dtype, edges, weighted):
    rng = np.random.default_rng(seed)
    e = rng.integers(-5, 25, rng.integers(0, 8)).astype(edges)
    e = np.sort(e) if seed % 5 else e
    x = np.abs(rng.integers(-5, 25, n)).astype(dtype)
    w = rng.integers(1, 9, n) if weighted else None
    theirs = outcome(lambda: np.histogram(x, e, weights=w))
    ours = outcome(lambda: cp.histogram(cp.asarray(x), cp.asarray(e), weights=w if w is None else cp.asarray(w)))
    if isinstance(theirs, type):
        assert ours is theirs
    elif len(e):
        same(ours[0], theirs[0])
        same(ours[1], theirs[1])


def test_histogram_at_edges_and_beyond():
    x = np.array([0.1, 0.2, 0.3, 0.6, 0.7, 0.8, 0.9, 1.0, np.nan, np.inf, -np.inf, 2.0])
    for bins in (1, 3, 7, 10, 100):
        for dtype in ("f4", "f8"):
            p = x.astype(dtype)
            np.testing.assert_array_equal(cp.histogram(cp.asarray(p), bins, (0, 1))[0].get(),
                                          np.histogram(p, bins, (0, 1))[0])


@pytest.mark.parametrize("f", [
    lambda xp: xp.histogram(xp.asarray([1.0, 2]), 0),
    lambda xp: xp.histogram(xp.asarray([1.0, 2]), -3),
    lambda xp: xp.histogram(xp.asarray([1.0, 2]), 2.5),
    lambda xp: xp.histogram(xp.asarray([1.0, 2]), "none"),
    lambda xp: xp.histogram(xp.asarray([1.0, 2]), [2, 1]),
    lambda xp: xp.histogram(xp.asarray([1.0, 2]), xp.zeros((2, 2))),
    lambda xp: xp.histogram(xp.asarray([1.0, 2]), range=(2, 1)),
    lambda xp: xp.histogram(xp.asarray([1.0, 2]), range=(0, float("inf"))),
    lambda xp: xp.histogram(xp.asarray([1.0, float("nan")])),
    lambda xp: xp.histogram(xp.asarray([1.0, 2]), weights=xp.zeros(3)),
    lambda xp: xp.histogram(xp.asarray([1.0, 2]), "auto", weights=xp.zeros(2)),
    lambda xp: xp.histogram(xp.zeros(0), 3),
    lambda xp: xp.histogram(xp.asarray([3, 3, 3]), 3),
    lambda xp: xp.histogram(xp.asarray([True, False, True]), 2),
    lambda xp: xp.histogramdd(xp.zeros((3, 2)), [1, 2, 3]),
    lambda xp: xp.histogramdd(xp.zeros((3, 2)), 0),
    lambda xp: xp.histogramdd(xp.zeros((3, 2)), 2.5),
    lambda xp: xp.histogramdd(xp.zeros((3, 2)), range=[(0, 1)]),
    lambda xp: xp.histogram2d(xp.zeros(3), xp.zeros(4)),
    lambda xp: xp.histogram_bin_edges(xp.asarray([1.0, 2, 4]), 4),
    lambda xp: xp.histogram_bin_edges(xp.asarray([1.0, 2, 4]), xp.asarray([1, 2, 5])),
    lambda xp: xp.histogram_bin_edges(xp.asarray([1.0, 2, 4]), xp.asarray([3, 2, 5])),
])
def test_histogram_as_numpy(f):
    as_numpy_does(f)


@pytest.mark.parametrize("rule", ["auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt"])
def test_rules(rule):
    rng = np.random.default_rng(4)
    for x in (rng.normal(size=200), rng.integers(0, 50, 300), rng.exponential(size=77).astype("f4"), np.ones(5),
              np.zeros(0)):
        for span in (None, (-1, 1)):
            ours = cp.histogram_bin_edges(cp.asarray(x), rule, span)
            theirs = np.histogram_bin_edges(x, rule, span)
            assert ours.shape == theirs.shape
            np.testing.assert_allclose(ours.get(), theirs, rtol=1e-6 if x.dtype == "f4" else 1e-14, atol=1e-14)


@pytest.mark.parametrize("density", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_histograms_of_more_dimensions(density, weighted):
    rng = np.random.default_rng(9)
    x = rng.integers(0, 10, (500, 3)).astype("f8")
    w = rng.integers(1, 5, 500).astype("f8") if weighted else None
    mine = None if w is None else cp.asarray(w)
    for bins in (4, [2, 3, 4], [[0, 3, 5], 3, [1, 2, 9]]):
        for span in (None, [(0, 5), (1, 9), (2, 3)]):
            theirs = np.histogramdd(x, bins, span, density, w)
            ours = cp.histogramdd(cp.asarray(x), bins, span, density, mine)
            np.testing.assert_allclose(ours[0].get(), theirs[0], rtol=1e-14 if density else 0)
            assert all(np.array_equal(a.get(), b) for a, b in zip(ours[1], theirs[1]))
    theirs = np.histogram2d(x[:, 0], x[:, 1], [[0, 2, 5], 4], density=density, weights=w)
    ours = cp.histogram2d(cp.asarray(x[:, 0]), cp.asarray(x[:, 1]), [[0, 2, 5], 4], density=density, weights=mine)
    for a, b in zip(ours, theirs):
        np.testing.assert_allclose(a.get(), b, rtol=1e-14)


@pytest.mark.parametrize("dtype, most", [("i8", 2**53 + 1), ("u8", 2**64 - 1), ("i8", -2**62)])
def test_edges_that_float64_does_not_tell_apart(dtype, most):
    """NumPy compares them as float64, and is wrong: the indices follow from what digitize says."""
    edges, x = np.array([most, most - 1], dtype), np.array([most - 2, most - 1, most], dtype)
    assert cp.digitize(cp.asarray(x), cp.asarray(edges)).tolist() == [2, 1, 0]
    assert cp.digitize(cp.asarray(x), cp.asarray(edges), right=True).tolist() == [2, 2, 1]
    assert cp.digitize(cp.asarray(x), cp.asarray(edges[::-1])).tolist() == [0, 1, 2]
    with raises(ValueError):
        cp.digitize(cp.asarray(x), cp.asarray(np.array([most, most - 1, most], dtype))).get()


# --- between samples ---

@settings(max_examples=200, deadline=None)
@given(seeds, shapes, st.integers(1, 9), st.sampled_from(["f8", "f4", "i4", "D"]), st.sampled_from([None, -3, 2.5, 1j]),
       st.sampled_from([None, 7]), st.sampled_from([None, None, 11.5, -12.25]))
def test_interp(seed, shape, m, dtype, left, right, period):
    rng = np.random.default_rng(seed)
    xp = np.sort(rng.choice(40, m, replace=False) / 4 - 4)
    fp = (rng.normal(size=m) * 9).astype(dtype)
    if seed % 3 == 0 and dtype == "f8":
        fp = np.where(rng.random(m) < 0.3, rng.choice([np.inf, -np.inf, np.nan], m), fp)
    x = np.where(rng.random(shape) < 0.4, rng.choice(xp, shape), rng.uniform(-6, 8, shape))
    x = np.where(rng.random(shape) < 0.1, np.nan, x)
    p, q = layout(rng, x)
    if left == 1j and not x.size and dtype != "D" and period is None:  # an error to NumPy before 2.5 alone
        return raises_of_nothing(q, xp, fp, left, right, period)
    same(outcome(lambda: cp.interp(q, cp.asarray(xp), cp.asarray(fp), left, right, period)),
         outcome(lambda: np.asarray(np.interp(p, xp, fp, left, right, period))))


def raises_of_nothing(q, xp, fp, left, right, period):
    with raises(TypeError):
        cp.interp(q, cp.asarray(xp), cp.asarray(fp), left, right, period)


def test_interp_of_numbers():
    assert cp.interp(0.5, [0, 1], [2, 4]) == 3
    assert cp.interp(7, [0, 1], [2, 4], right=9).item() == 9


# --- quantiles ---

def agree(ours, theirs, spread=0):
    """Types, shapes, NaN and infinities; others but for what rounding one product of the spread may give."""
    if isinstance(theirs, type):
        assert ours is theirs
        return
    got, want = ours.get(), np.asarray(theirs)
    assert got.dtype == want.dtype and got.shape == want.shape
    if want.dtype.kind != "f" or want.dtype == "f8":
        np.testing.assert_array_equal(got, want)
    else:
        np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
        known = np.isfinite(want)
        np.testing.assert_array_equal(np.isfinite(got), known)
        wide = np.finfo(want.dtype).eps * (np.abs(want[known].astype("f8")) + spread)
        assert (np.abs(got[known].astype("f8") - want[known]) <= 2 * wide).all()


@pytest.mark.parametrize("name", ["quantile", "nanquantile", "percentile", "nanpercentile"])
@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=CASES, deadline=None)
@given(seeds, shapes, st.sampled_from(REALS), st.sampled_from(["number", "one", "many", "f4", "table", "whole"]),
       st.booleans(), st.data())
def test_quantiles(name, method, seed, shape, dtype, kind, keepdims, data):
    rng = np.random.default_rng(seed)
    x = np.asarray(rng.integers(0, 100, shape).astype(dtype))   # differences that wrap are NumPy's fault
    if dtype[0] == "f":
        x = np.where(rng.random(shape) < (0.2 if seed % 2 else 0), np.nan, x + np.asarray(
            rng.random(shape), dtype)).astype(dtype)
    p, q = layout(rng, x)
    at = {"number": 0.3, "one": np.array([0.25]), "many": rng.random(12), "table": np.array([[0.1, 0.5], [0.9, 1]]),
          "f4": np.array([0.1, 0.7, 0.5], "f4"), "whole": np.array([0, 1, 1])}[kind]
    if "percent" in name:
        at = at * 100
    two = [(0, 1)] * (len(shape) > 2 and 0 not in shape)
    axis = data.draw(st.sampled_from([None, *range(-len(shape), len(shape))] + two))
    if kind == "table" and "nan" in name and axis is not None:
        axis = 0                                             # NumPy moves the wrong axes of negative ones and several
    options = {"axis": axis, "keepdims": keepdims, "method": method}
    theirs = outcome(lambda: getattr(np, name)(p, at, **options))
    if dtype == "float16" and kind == "f4":
        return                                               # NumPy rounds the position to float16 and float32 in turns
    mine = at if isinstance(at, float) else cp.asarray(at)
    ours = outcome(lambda: getattr(cp, name)(q, mine, **options))
    if "nan" in name and kind != "number" and not isinstance(ours, type) and np.isnan(np.asarray(x, "f8")).any():
        ours = ours.astype(theirs.dtype)                     # NumPy's is that of its first row, which may be all NaN
    agree(ours, theirs, 100)


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
@settings(max_examples=60, deadline=None)
@given(seeds, st.lists(st.integers(1, 5), min_size=1, max_size=3), st.sampled_from(["f8", "f4", "i4"]),
       st.sampled_from(["full", "axis"]), st.data())
def test_weights(name, seed, shape, dtype, kind, data):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 20, shape).astype(dtype)
    axis = data.draw(st.sampled_from([None, *range(len(shape))]))
    kind = "full" if name == "nanquantile" else kind        # NumPy's takes no others, with an IndexError
    w = rng.integers(-1 if seed % 9 == 0 else 0, 4, shape if kind == "full" or axis is None else shape[axis])
    at = np.array([0, 0.3, 0.5, 1])
    theirs = outcome(lambda: getattr(np, name)(x, at, axis=axis, weights=w, method="inverted_cdf"))
    ours = outcome(lambda: getattr(cp, name)(cp.asarray(x), cp.asarray(at), axis=axis, weights=cp.asarray(w),
                                             method="inverted_cdf"))
    agree(ours, theirs)


@pytest.mark.parametrize("f", [
    lambda xp: xp.quantile(xp.zeros(3), 1.5),
    lambda xp: xp.quantile(xp.zeros(3), -0.1),
    lambda xp: xp.quantile(xp.zeros(3), float("nan")),
    lambda xp: xp.percentile(xp.zeros(3), 101),
    lambda xp: xp.percentile(xp.zeros(3), [50, 101]),
    lambda xp: xp.quantile(xp.zeros(3, complex), 0.5),
    lambda xp: xp.quantile(xp.zeros(3), 0.5, method="other"),
    lambda xp: xp.quantile(xp.zeros(3), 0.5, axis=1),
    lambda xp: xp.quantile(xp.zeros(0), 0.5),
    lambda xp: xp.percentile(xp.zeros(0), [50]),
    lambda xp: xp.quantile(xp.zeros((0, 3)), 0.5, axis=0),
    lambda xp: xp.quantile(xp.zeros((0, 3)), 0.5, axis=1),
    lambda xp: xp.quantile(xp.zeros(3), 0.5, weights=xp.ones(3)),
    lambda xp: xp.quantile(xp.zeros(3), 0.5, weights=xp.ones(2), method="inverted_cdf"),
    lambda xp: xp.quantile(xp.zeros(3), 0.5, weights=xp.zeros(3), method="inverted_cdf"),
    lambda xp: xp.quantile(xp.zeros((2, 3)), 0.5, axis=1, weights=xp.ones(2), method="inverted_cdf"),
    lambda xp: xp.quantile(xp.asarray([True, False]), 0.5),
    lambda xp: xp.quantile(xp.asarray([True, False]), 0.5, method="lower"),
    lambda xp: xp.quantile(xp.asarray(3.0), 0.5),
    lambda xp: xp.quantile(xp.asarray([1, 2, 3]), 0.5, out=xp.zeros((), "f4")),
    lambda xp: xp.quantile(xp.asarray([1, 2, 3]), 0.5, out=xp.zeros((), "i4")),
    lambda xp: xp.quantile(xp.asarray([1.0, 2, 3]), xp.asarray([0.25, 0.5]), out=xp.zeros(2)),
    lambda xp: xp.quantile(xp.asarray([1.0, float("inf"), 3]), 0.5),
    lambda xp: xp.nanquantile(xp.asarray([float("nan")] * 2), 0.5),
])
def test_quantiles_as_numpy(f):
    as_numpy_does(f)


@pytest.mark.parametrize("name", ["quantile", "percentile", "nanquantile"])
@pytest.mark.parametrize("dtype", ["bool", "i1", "i4", "f2", "f4", "f8"])
@pytest.mark.parametrize("method", METHODS)
def test_no_places_and_whole_ones(name, dtype, method):
    """Nothing is asked of arrays without elements too; of q that are integers the type is part of the result's."""
    for shape in ((0,), (3,), (0, 3), (3, 0), (2, 3)):
        x = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
        for q in (np.zeros(0), np.zeros(0, int), np.zeros((0, 2)), np.array([0, 1], "i1"), np.array([1, 0, 1], "i2"),
                  np.array([0, 1]), np.array([True, False]), np.array(1)):
            for axis in (None, 0):
                agree(outcome(lambda: getattr(cp, name)(cp.asarray(x), cp.asarray(q), axis=axis, method=method)),
                      outcome(lambda: getattr(np, name)(x, q, axis=axis, method=method)), 9)


def test_type_is_not_that_of_a_value():
    """NumPy's single result is an element, of its type, where that is NaN; ours does not ask the device for it."""
    of_numbers = np.quantile(np.float32([1, 2]), np.float64(0.5)).dtype
    for x in ([1, 2], [1, np.nan]):
        assert cp.quantile(cp.asarray(x, "f4"), cp.asarray(0.5)).dtype == of_numbers


def test_differences_do_not_wrap():
    """NumPy: 128.0, beyond both."""
    assert cp.quantile(cp.asarray([-100, 100], "i1"), 0.5) == 0


def test_input_stays():
    x = np.random.default_rng(0).normal(size=1000)
    y = cp.asarray(x)
    cp.percentile(y, 30), cp.nanpercentile(y, 30), cp.quantile(y, cp.linspace(0, 1, 50))
    np.testing.assert_array_equal(y.get(), x)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "u1"])
def test_long_rows(dtype):
    x = sample(np.random.default_rng(2), (3, 200_000), dtype)
    x = x // 2 if x.dtype.kind == "i" else x                # so that differences do not wrap in NumPy
    for at in (0.5, 0.001):
        for axis in (1, None):
            agree(cp.quantile(cp.asarray(x), at, axis=axis), np.quantile(x, at, axis=axis), 500)


@settings(max_examples=50, deadline=None)
@given(seeds, st.lists(st.integers(0, 5), min_size=1, max_size=3))
def test_all_types_of_q(seed, shape):
    rng = np.random.default_rng(seed)
    x = rng.random(shape)
    for at in (0, 1, 0.5, np.float32(0.5), np.float64(0.1), [0.5, 0.25], []):
        agree(outcome(lambda: cp.quantile(cp.asarray(x), at)), outcome(lambda: np.quantile(x, at)), 1)


# --- many elements: tables, bins of blocks, grids ---

@pytest.mark.parametrize("dtype", ["bool", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_bincount_of_many(dtype):
    rng = np.random.default_rng(1)
    most = min(np.iinfo(dtype).max if dtype != "bool" else 1, 20000)
    for n in (16384, 16385, 32768, 40000, 1 << 20):
        for top in {min(m, most) for m in (0, 1, 100, 1023, 1024, 4095, 4096, 16383, 16384, 20000)}:
            x = rng.integers(0, top + 1, n).astype(dtype)
            x[-1] = top
            for minlength in (0, 5000):
                same(cp.bincount(cp.asarray(x), minlength=minlength), np.bincount(x.astype("i8"), minlength=minlength))


def test_bincount_of_many_that_are_wrong():
    for n in (100, 16384, 100000, 1 << 20):
        for at in (0, n // 2, n - 1):
            x = np.arange(n) % 50
            x[at] = -1
            as_numpy_does(lambda xp: xp.bincount(xp.asarray(x)))
            as_numpy_does(lambda xp: xp.bincount(xp.asarray(x), xp.ones(n)))
    x = np.zeros(100000, "i8")
    x[777] = 3_000_000                                       # far beyond what the first tables have
    same(cp.bincount(cp.asarray(x)), np.bincount(x))


def histograms_are_numpys(x, *args):
    theirs, ours = outcome(lambda: np.histogram(x, *args)), outcome(lambda: cp.histogram(cp.asarray(x), *args))
    if isinstance(theirs, type):                             # too many bins for the type
        assert ours is theirs
        return
    same(ours[0], theirs[0])
    same(ours[1], theirs[1])


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4", "u1", "i8"])
def test_histogram_of_many_at_edges(dtype):
    """Elements that are edges, and the neighbours of edges."""
    rng = np.random.default_rng(2)
    for bins in (1, 7, 10, 100, 1023, 1025, 3000):
        x = rng.integers(0, 101, 20000).astype(dtype)
        histograms_are_numpys(x, bins)
        histograms_are_numpys(x, bins, (10, 90))
        if x.dtype.kind == "f":
            edges = np.histogram_bin_edges(np.array([-3, 11], "f8"), bins).astype(dtype)
            less, more = edges.dtype.type(-9), edges.dtype.type(99)
            near = np.concatenate([edges, np.nextafter(edges, less), np.nextafter(edges, more)])
            x = rng.choice(near[(near >= -3) & (near <= 11)], 20000).astype(dtype)
            x[:2] = -3, 11
            histograms_are_numpys(x, bins)
            x[5:50:3], x[6], x[7] = np.nan, np.inf, -np.inf
            histograms_are_numpys(x, bins, (-3, 11))
            histograms_are_numpys(x, bins, (-1, 12.5))


def test_histogram_where_one_step_is_all_there_is():
    """Bins as narrow as the numbers' own distances; and ranges far from 0."""
    for first in (1.0, 1e15, 1e300, 5e-324, -1e8):
        steps = [first]
        for _ in range(64):
            steps.append(np.nextafter(steps[-1], np.inf))
        x = np.random.default_rng(3).choice(steps, 5000)
        x[:2] = steps[0], steps[-1]
        for bins in (4, 32, 64):
            as_numpy_does(lambda xp: xp.histogram(xp.asarray(x), bins)[0])


EDGES = [np.sort(np.random.default_rng(4).random(n)) for n in (1, 2, 3, 5, 16, 17, 101, 2000)] + [
    np.array([0.0, 0.0, 0.25, 0.25, 0.25, 1.0, 1.0]), np.array([-np.inf, 0, 0.5, np.inf]), np.array([0, 1e-300, 1e300]),
    np.array([-np.inf] * 3 + [0.5] * 20 + [np.inf] * 3), np.concatenate([np.linspace(0, 1e-9, 300), [1e9]]),
    np.repeat(np.linspace(0, 1, 40), 3), np.array([-1e308, -1, 0, 1, 1e308]), np.full(50, 0.5)]


@pytest.mark.parametrize("edges", EDGES)
def test_places_among_edges_of_many(edges):
    rng = np.random.default_rng(5)
    x = np.concatenate([rng.random(6000), rng.choice(edges, 3000), np.nextafter(rng.choice(edges, 1000), -np.inf),
                        [np.nan, np.inf, -np.inf, 0.0, -0.0] * 20, rng.standard_normal(3000) * 1e9])
    rng.shuffle(x)
    for right in (False, True):
        same(cp.digitize(cp.asarray(x), cp.asarray(edges), right), np.digitize(x, edges, right))
        same(cp.digitize(cp.asarray(x), cp.asarray(edges[::-1]), right), np.digitize(x, edges[::-1], right))
    for side in ("left", "right"):
        for more in (0, 3):                                  # of NaN, which lie behind the numbers
            a = np.concatenate([edges, [np.nan] * more])
            same(cp.searchsorted(cp.asarray(a), cp.asarray(x), side), np.searchsorted(a, x, side))
            with np.errstate(over="ignore"):
                b, y = a.astype("f4"), x.astype("f4")
            same(cp.searchsorted(cp.asarray(b), cp.asarray(y), side), np.searchsorted(b, y, side))
    if len(edges) > 1:
        same(cp.histogram(cp.asarray(x), cp.asarray(edges))[0], np.histogram(x[x == x], edges)[0])
    values = rng.random(len(edges))
    if np.isfinite(edges).all() and len(np.unique(edges)) == len(edges):
        with np.errstate(all="ignore"):
            same(cp.interp(cp.asarray(x), cp.asarray(edges), cp.asarray(values)), np.interp(x, edges, values))
            z = values + 1j * values[::-1]
            same(cp.interp(cp.asarray(x), cp.asarray(edges), cp.asarray(z)), np.interp(x, edges, z))


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u4", "i8", "u8", "f2"])
def test_searches_of_many_whole_numbers(dtype):
    """64 bits too, which float64 does not distinguish."""
    rng = np.random.default_rng(6)
    if dtype == "f2":
        pool = np.arange(2**16, dtype="u2").view("f2")
        pool = np.sort(pool[pool == pool])
    else:
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        pool = np.unique(np.concatenate([rng.integers(low, high, 3000, dtype, endpoint=True),
                                         np.array([low, low + 1, high - 1, high], dtype),
                                         (2**53 + np.arange(50)).astype(dtype)]))
    for m in (3, 12, 40, 500):
        a, v = np.sort(rng.choice(pool, m)), rng.choice(pool, 20000)
        for side in ("left", "right"):
            same(cp.searchsorted(cp.asarray(a), cp.asarray(v), side), np.searchsorted(a, v, side))


def test_interp_among_samples_that_do_not_ascend():
    """What NumPy gives is nothing, but it is given."""
    rng = np.random.default_rng(7)
    for n in (5, 100, 70000):
        got = cp.interp(cp.asarray(rng.random(50000)), cp.asarray(rng.random(n)), cp.ones(n))
        assert got.shape == (50000,)
        nan = rng.random(n)
        nan[n // 2] = np.nan
        assert cp.interp(cp.asarray(rng.random(50000)), cp.asarray(nan), cp.ones(n)).shape == (50000,)


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i8", "u8", "f2", "f4", "f8"])
@pytest.mark.parametrize("bins", [1, 2, 10, 255, 2047, 2048, 2049])
def test_edges_between_least_and_greatest(dtype, bins):
    """Few edges are made by the kernel that counts, more by linspace: NumPy's bits either way."""
    x = (np.random.default_rng(bins).standard_normal(501) * 50).astype(dtype)
    for some, span in ((x, None), (x[:1], None), (x, (-30, 70)), (x, (-0.1, 0.7)), (x[:0], None),
                       (x, (np.float32(-1), np.float32(3)))):
        def call(xp):
            counts, edges = xp.histogram(xp.asarray(some), bins, span)
            return counts.tolist(), edges.dtype, edges.tolist()
        assert outcome(call, cp) == outcome(call, np)
