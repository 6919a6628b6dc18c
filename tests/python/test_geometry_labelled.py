"""scipy.ndimage's measurements by functions of each label (any function, medians, histograms) and the places of values,
against SciPy."""
import warnings

import cuprite as cp
import numpy as np
import pytest
import scipy.ndimage as theirs
from cuprite.scipy import ndimage as ours
from oracle import raises

TYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]


def case(seed):
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(1, 8, rng.integers(1, 4)).tolist())
    dtype = TYPES[seed % len(TYPES)]
    x = rng.normal(0, 50, shape) if dtype[0] == "f" else rng.integers(0, 2 if dtype == "bool" else 90, shape)
    labels = rng.integers(-1, 5, shape[-1:] if rng.random() < 0.2 else shape).astype(
        rng.choice(["int8", "int32", "int64", "float64", "uint8"]))
    index = [None, 2, 7, [1, 3, 2], [[4, 9], [0, 1]], [3, 3]][rng.integers(6)]
    return x.astype(dtype), labels, index


def same(got, want):
    if want is None:
        assert got is None
        return
    if isinstance(want, np.ndarray) and want.dtype == object:
        assert isinstance(got, np.ndarray) and got.dtype == object and got.shape == want.shape
        for g, w in zip(got.flat, want.flat):
            same(g, w)
        return
    got = cp.asnumpy(got) if isinstance(got, cp.ndarray) else np.asarray(got)
    want = np.asarray(want)
    assert got.dtype == want.dtype and got.shape == want.shape, (got.dtype, want.dtype, got.shape, want.shape)
    np.testing.assert_allclose(got, want, rtol=1e-6 if want.dtype == "float32" else 1e-14)


def there(value):
    return cp.asarray(value) if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize("part", range(6))
def test_median(part):
    for seed in range(part * 30, part * 30 + 30):
        x, labels, index = case(seed)
        for given in (labels, None) if index is None else (labels,):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                want = theirs.median(x, given, index)
                got = ours.median(cp.asarray(x), there(given), index)
            same(got, want)


def test_median_of_large_integers():
    """Which float64 does not distinguish: they are sorted as they are."""
    x = np.array([2**62 + 1, 2**62, 2**62 + 2, 5, 2**63 - 1], "int64")
    labels = np.array([1, 1, 1, 2, 2])
    same(ours.median(cp.asarray(x), cp.asarray(labels), [1, 2]), theirs.median(x, labels, [1, 2]))
    labels = np.array([2**62, 2**62 + 1, 2**62, 2**62 + 1, 2**62], "uint64")
    wanted = np.array([2**62, 2**62 + 1], "uint64")
    same(ours.median(cp.asarray(x), cp.asarray(labels), cp.asarray(wanted)), theirs.median(x, labels, wanted))


@pytest.mark.parametrize("part", range(4))
def test_histogram(part):
    for seed in range(part * 25, part * 25 + 25):
        x, labels, index = case(seed)
        if np.ndim(index) > 1:
            index = np.ravel(index).tolist()
        if x.dtype == bool:
            x = x.astype("uint8")
        want = theirs.histogram(x, 0, 80, 7, labels, index)
        same(ours.histogram(cp.asarray(x), 0, 80, 7, cp.asarray(labels), index), want)
    same(ours.histogram(cp.asarray(x), 0, 80, 7), theirs.histogram(x, 0, 80, 7))


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("positions", [False, True])
def test_labeled_comprehension(part, positions):
    def ends(x, at=None):
        return x.max() - x.min() if at is None else (x * (at + 1)).sum()

    for seed in range(part * 25, part * 25 + 25):
        x, labels, index = case(seed)
        if np.ndim(index) > 1:
            index = np.ravel(index).tolist()
        x = x.astype("float64")
        if index is None and not (labels > 0).any():
            continue
        want = theirs.labeled_comprehension(x, labels, index, ends, "float64", -1, positions)
        got = ours.labeled_comprehension(cp.asarray(x), cp.asarray(labels), index, ends, "float64", -1, positions)
        if index is None:
            assert float(got) == pytest.approx(float(want), rel=1e-12)
        else:
            same(got, want)


def test_labeled_comprehension_of_objects_and_of_all():
    x, labels = np.arange(6.0), np.array([1, 2, 1, 2, 2, 0])
    got = ours.labeled_comprehension(cp.asarray(x), cp.asarray(labels), [2, 1, 5], lambda v: v, object, None)
    want = theirs.labeled_comprehension(x, labels, [2, 1, 5], lambda v: v, object, None)
    same(got, want)
    got = ours.labeled_comprehension(cp.asarray(x), None, None, lambda v, at: (v, at), float, 0, True)
    assert got[0].tolist() == x.tolist() and got[1].tolist() == list(range(6))


@pytest.mark.parametrize("dtype", TYPES[1:9])
def test_value_indices(dtype):
    rng = np.random.default_rng(5)
    for shape in [(), (0,), (12,), (4, 5), (2, 3, 4)]:
        x = rng.integers(0 if dtype[0] == "u" else -2, 4, shape).astype(dtype)
        for ignore in (None, 2, -1 if dtype[0] == "i" else 0):
            want = theirs.value_indices(x, ignore_value=ignore)
            got = ours.value_indices(cp.asarray(x), ignore_value=ignore)
            assert sorted(got) == sorted(want)
            for value in want:
                assert all(isinstance(v, int) for v in got)
                assert len(got[value]) == len(want[value])
                for g, w in zip(got[value], want[value]):
                    same(g, w)
    small = ours.value_indices(cp.asarray(x), adaptive_index_dtype=True)
    assert all(at.dtype == "uint8" for places in small.values() for at in places)


BAD = [
    "labeled_comprehension(x, None, [1], len, float, 0)", "labeled_comprehension(x, xp.ones(3), [1], len, float, 0)",
    "labeled_comprehension(x, marks, [1.5], len, float, 0)", "labeled_comprehension(x, marks, [900], len, float, 0)",
    "histogram(x, 0, 1, 5, None, [1])", "median(x, xp.ones(3), [1])", "value_indices(x)",
    "labeled_comprehension(x, marks, [1], lambda v: 1 / 0, float, 0)",
]


@pytest.mark.parametrize("expression", BAD)
def test_errors(expression):
    def of(module, xp):
        names = {"x": xp.ones((4, 5)), "marks": xp.ones((4, 5), "int8"), "xp": xp}
        functions = {name: getattr(module, name) for name in dir(module) if not name.startswith("_")}
        try:
            eval(expression, functions | names)
        except Exception as e:
            return type(e)
    want = of(theirs, np)
    assert want is not None
    assert of(ours, cp) is want


def test_refusals_of_ours():
    for call in (lambda: ours.median(np.ones(3)), lambda: ours.histogram([1.0], 0, 1, 2),
                 lambda: ours.value_indices([1, 2]), lambda: ours.labeled_comprehension(1, None, None, len, int, 0)):
        with raises(TypeError):
            call()
