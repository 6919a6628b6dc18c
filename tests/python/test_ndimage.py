"""Labelling and the measurements of regions against SciPy; on the CPU and, where there is one, the GPU."""
import warnings

import cuprite as cp
import numpy as np
import pytest
import scipy.ndimage
from cuprite.scipy import ndimage
from hypothesis import given, settings
from hypothesis import strategies as st

REAL = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]
LABELS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]
SHAPES = st.lists(st.integers(0, 9), min_size=0, max_size=5) | st.lists(st.integers(1, 130), min_size=1, max_size=2)


def symmetric(rng, ndim, density):
    s = rng.random(3**ndim) < density
    return (s | s[::-1]).reshape((3,) * ndim)


@settings(max_examples=300, deadline=None)
@given(SHAPES, st.sampled_from(REAL), st.sampled_from([0.02, 0.3, 0.58, 0.8, 1.0]),
       st.sampled_from([None, 0.1, 0.4, 1.0]), st.integers(0, 2**32 - 1))
def test_label(shape, dtype, density, structure, seed):
    rng = np.random.default_rng(seed)
    x = (rng.random(shape) < density).astype(dtype) * np.array(3 if dtype != "bool" else 1, dtype)
    s = None if structure is None else symmetric(rng, len(shape), structure)
    want, n = scipy.ndimage.label(x, s)
    got, m = ndimage.label(cp.asarray(x), None if s is None else cp.asarray(s))
    assert m == n
    assert got.dtype == np.int32
    np.testing.assert_array_equal(cp.asnumpy(got), want)


@pytest.mark.parametrize("dtype", [t for t in REAL if t != "bool"] + ["float16"])
def test_label_output(dtype):
    rng = np.random.default_rng(5)
    x = (rng.random((20, 31)) < 0.6).astype("int64")
    want = np.empty(x.shape, "float64" if dtype == "float16" else dtype)
    n = scipy.ndimage.label(x, output=want)
    out = cp.empty((31, 40), dtype)
    view = out[:, ::2].T                       # any strides
    assert ndimage.label(cp.asarray(x), output=view) == n
    np.testing.assert_array_equal(cp.asnumpy(view), want)
    labels, m = ndimage.label(cp.asarray(x), None, dtype)
    assert m == n and labels.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(cp.asnumpy(labels), want)


@pytest.mark.parametrize("step", [(1, -1), (2, 3), (-3, 1)])
def test_label_strides(step):
    rng = np.random.default_rng(8)
    x = rng.random((50, 150)) < 0.6
    part = (slice(None, None, step[0]), slice(None, None, step[1]))
    for a, b in ((x[part], cp.asarray(x)[part]), (np.ascontiguousarray(x[part].T), cp.asarray(x)[part].T)):
        want, n = scipy.ndimage.label(a)
        got, m = ndimage.label(b)
        assert m == n
        np.testing.assert_array_equal(cp.asnumpy(got), want)


def test_label_too_many():
    x = cp.asarray(np.arange(600) % 2)
    out = cp.full(600, 7, "int8")
    with pytest.raises(RuntimeError, match="insufficient bit-depth"):
        ndimage.label(x, output=out)
    assert (cp.asnumpy(out) == 7).all()
    assert ndimage.label(x[:254], output=out[:254]) == 127


@pytest.mark.parametrize("args, error", [
    ((np.ones(3, complex),), TypeError),
    ((np.ones((2, 2)), np.ones(3)), RuntimeError),
    ((np.ones((2, 2)), np.ones((3, 2))), ValueError),
    ((np.ones(4), None, np.ones(3)), ValueError),
])
def test_label_errors(args, error):
    with pytest.raises(error):
        scipy.ndimage.label(*args)
    with pytest.raises(error):
        ndimage.label(*[None if a is None else cp.asarray(a) for a in args])


@pytest.mark.parametrize("shape", [(1, 4000), (4000, 1), (257, 259), (3, 50, 70), (2, 3, 4, 5, 6), (100003,)])
@pytest.mark.parametrize("kind", ["comb", "checker", "snake", "full"])
def test_label_hard(shape, kind):
    i = np.indices(shape)
    last, lead = i[-1], i[0]
    x = {"comb": (last % 2 == 0) | (lead == shape[0] - 1), "checker": i.sum(0) % 2 == 0,
         "snake": (lead % 2 == 0) | (last == np.where(lead % 4 == 1, 0, shape[-1] - 1)), "full": last >= 0}[kind]
    for s in (None, np.ones((3,) * len(shape))):
        want, n = scipy.ndimage.label(x, s)
        got, m = ndimage.label(cp.asarray(x), None if s is None else cp.asarray(s))
        assert m == n
        np.testing.assert_array_equal(cp.asnumpy(got), want)


NAMES = ["sum_labels", "mean", "variance", "standard_deviation", "minimum", "maximum", "center_of_mass",
         "minimum_position", "maximum_position"]


def image_and_labels(rng, shape, dtype, ltype, kinds):
    """Small integers whose extrema are unique: SciPy's sort may take any index of equal ones."""
    size = int(np.prod(shape))
    x = rng.permutation(size).reshape(shape)
    x = x.astype(dtype) if dtype != "bool" else x % 2 == 0
    labels = np.sort(rng.integers(0, kinds, size)).reshape(shape)
    if np.dtype(ltype).kind != "u":
        labels = labels - rng.integers(0, 2)
    return x, np.roll(labels, int(rng.integers(0, 9))).astype(ltype)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(NAMES), st.lists(st.integers(1, 9), min_size=1, max_size=4), st.sampled_from(REAL[3:]),
       st.sampled_from(LABELS), st.integers(1, 12), st.sampled_from(["none", "one", "list", "array", "unlabelled"]),
       st.integers(0, 2**32 - 1))
def test_measure(name, shape, dtype, ltype, kinds, index, seed):
    rng = np.random.default_rng(seed)
    x, labels = image_and_labels(rng, shape, dtype, ltype, kinds)
    i = {"none": None, "one": int(rng.integers(0, kinds)), "list": [3, 0, 3, 40], "unlabelled": None,
         "array": rng.integers(0, 9, (2, 1, 3))}[index]
    if "position" in name or name == "center_of_mass":
        i = i.ravel() if index == "array" else i          # SciPy returns a list of tuples
    theirs, ours = getattr(scipy.ndimage, name), getattr(ndimage, name)
    l = None if index == "unlabelled" else labels
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            want = theirs(x, l, i)
            result = want.dtype if hasattr(want, "dtype") else None
            if dtype == "float32":                         # SciPy works in float32 on a region that is all of the image
                want = theirs(x.astype("float64"), l, i)
        except ValueError:                                 # the extremum of nothing
            with pytest.raises(ValueError):
                ours(cp.asarray(x), cp.asarray(l), i)
            return
    got = ours(cp.asarray(x), None if l is None else cp.asarray(l), cp.asarray(i) if index == "array" else i)
    if isinstance(want, (tuple, list)):
        got = np.array([[float(v) for v in g] if isinstance(g, tuple) or getattr(g, "ndim", 0) else float(g)
                        for g in got])
        want = np.array([[float(v) for v in g] if isinstance(g, tuple) else float(g) for g in want])
    else:
        assert got.dtype == result
        got, want = cp.asnumpy(got), np.asarray(want)
    assert got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=2e-7 if got.dtype == np.float32 else 1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", REAL + ["float16"])
@pytest.mark.parametrize("ltype", LABELS)
def test_types(dtype, ltype):
    rng = np.random.default_rng(3)
    x = rng.integers(0, 2 if dtype == "bool" else 9, (40, 50)).astype(dtype)
    labels = rng.integers(0, 20, (40, 50)).astype(ltype)
    index = np.array([5, 1, 30, 1, 0])
    for name in ("sum_labels", "mean", "minimum", "maximum"):
        want = getattr(scipy.ndimage, name)(x.astype("float64") if dtype == "float16" else x, labels,
                                            index[[0, 1, 3, 4]])
        got = getattr(ndimage, name)(cp.asarray(x), cp.asarray(labels), cp.asarray(index))
        np.testing.assert_array_equal(cp.asnumpy(got)[[0, 1, 3, 4]], want)


def test_labels_far_apart_and_broadcast():
    rng = np.random.default_rng(4)
    values = np.array([-2**62, -5, 0, 17, 2**40, 2**63 - 1])
    row = values[rng.integers(0, 6, 300)]
    x = rng.random((70, 300))
    index = values[[5, 0, 3, 3, 2]]
    want = scipy.ndimage.sum_labels(x, row, index)
    np.testing.assert_allclose(cp.asnumpy(ndimage.sum_labels(cp.asarray(x), cp.asarray(row), cp.asarray(index))), want,
                               rtol=1e-13)


def test_find_objects_and_measure():
    rng = np.random.default_rng(6)
    for shape in ((90, 110), (300,), (12, 13, 14)):
        labels, n = scipy.ndimage.label(rng.random(shape) < 0.3)
        labels[labels == 2] = 0
        x = rng.random(shape).astype("float32")
        assert ndimage.find_objects(cp.asarray(labels)) == scipy.ndimage.find_objects(labels)
        assert ndimage.find_objects(cp.asarray(labels), n + 2) == scipy.ndimage.find_objects(labels, n + 2)
        found = ndimage.measure(cp.asarray(x), cp.asarray(labels), n)
        index = np.arange(1, n + 1)
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(cp.asnumpy(found.pixels), np.bincount(labels.ravel(), minlength=n + 1)[1:])
            np.testing.assert_allclose(cp.asnumpy(found.flux), scipy.ndimage.sum_labels(x, labels, index), rtol=1e-13)
            np.testing.assert_allclose(cp.asnumpy(found.centroid), scipy.ndimage.center_of_mass(x, labels, index),
                                       rtol=1e-12)
        np.testing.assert_array_equal(cp.asnumpy(found.peak), scipy.ndimage.maximum(x, labels, index))
        np.testing.assert_array_equal(cp.asnumpy(found.position), scipy.ndimage.maximum_position(x, labels, index))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "uint8"])
@pytest.mark.parametrize("shape", [(70, 90), (8, 9, 10), (200,)])
def test_measure_above_a_background(shape, dtype):
    rng = np.random.default_rng(8)
    labels, n = scipy.ndimage.label(rng.random(shape) < 0.3)
    x = (rng.random(shape) * 100 + 20).astype(dtype)
    found = ndimage.measure(cp.asarray(x), cp.asarray(labels), n, background=7.25, noise=1.5)
    index, net = np.arange(1, n + 1), x.astype(float) - 7.25
    pixels = np.bincount(labels.ravel(), minlength=n + 1)[1:]
    flux = scipy.ndimage.sum_labels(net, labels, index)
    centre = np.array(scipy.ndimage.center_of_mass(net, labels, index))
    spread = np.array([((np.argwhere(labels == i) - c) ** 2).sum(0) for i, c in zip(index, centre)])
    np.testing.assert_allclose(cp.asnumpy(found.flux), flux, rtol=1e-13)
    total = scipy.ndimage.sum_labels(x.astype(float), labels, index)
    np.testing.assert_allclose(cp.asnumpy(found.sum), total, rtol=1e-13)
    np.testing.assert_allclose(cp.asnumpy(found.centroid), centre, rtol=1e-12)
    np.testing.assert_allclose(cp.asnumpy(found.flux_error), 1.5 * np.sqrt(pixels), rtol=1e-13)
    np.testing.assert_allclose(cp.asnumpy(found.centroid_error), 1.5 * np.sqrt(spread) / flux[:, None], rtol=1e-9,
                               atol=2e-7)  # sums of squares cancel
    np.testing.assert_array_equal(cp.asnumpy(found.peak), scipy.ndimage.maximum(x, labels, index))
    assert found.peak.dtype == dtype
    plain = ndimage.measure(cp.asarray(x), cp.asarray(labels), n)
    assert plain.flux_error is None and plain.centroid_error is None
    assert (plain.flux == plain.sum).all()


def test_a_centroid_that_is_nan_has_no_error():
    x, labels = cp.asarray([[1, np.nan, 2], [3, 4, np.inf], [5, 6, 7]]), cp.asarray([[1, 1, 0], [0, 0, 2], [3, 3, 3]])
    found = ndimage.measure(x, labels, 3, noise=1.0)
    centre, error = cp.asnumpy(found.centroid), cp.asnumpy(found.centroid_error)
    np.testing.assert_array_equal(np.isnan(centre), [[True] * 2, [True] * 2, [False] * 2])
    np.testing.assert_array_equal(np.isnan(error), np.isnan(centre))


def test_same_bits():
    rng = np.random.default_rng(9)
    x, labels = cp.asarray(rng.normal(size=(512, 700))), cp.asarray(rng.integers(0, 50, (512, 700)))
    index = cp.arange(50)
    first = [cp.asnumpy(getattr(ndimage, n)(x, labels, index)) for n in ("sum_labels", "variance")]
    for _ in range(5):
        again = [cp.asnumpy(getattr(ndimage, n)(x, labels, index)) for n in ("sum_labels", "variance")]
        assert all((a == b).all() for a, b in zip(first, again))


@pytest.mark.parametrize("shape", [(2, 0), (0,), (0, 3), (3, 0, 2)])
@pytest.mark.parametrize("name", NAMES + ["extrema"])
def test_images_without_elements(name, shape):
    x, labels = np.zeros(shape), np.zeros(shape, int)
    theirs, ours = getattr(scipy.ndimage, name), getattr(ndimage, name)
    extremum = name not in ("sum_labels", "mean", "variance", "standard_deviation", "center_of_mass")
    for l, index in ((None, None), (labels, None), (labels, 1), (labels, np.array([1, 2]))):
        args = (None if l is None else cp.asarray(l), cp.asarray(index) if isinstance(index, np.ndarray) else index)
        if not extremum and isinstance(index, np.ndarray):
            continue                                       # SciPy's ValueError there comes from a minimum of the labels
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                want = theirs(x, l, index)
            except ValueError:
                with pytest.raises(ValueError):
                    ours(cp.asarray(x), *args)
                continue
        got = ours(cp.asarray(x), *args)
        got = [float(v) for v in got] if isinstance(got, tuple) else cp.asnumpy(got)
        np.testing.assert_array_equal(got, want)
