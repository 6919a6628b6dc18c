"""cp_find_peaks, which has Python's name in a private module, against SciPy's find_peaks."""
import numpy as np
import pytest

import cuprite as cp
from cuprite import _peaks
from oracle import raises

ss = pytest.importorskip("scipy.signal")
r = np.random.default_rng(21)
X, Y = r.standard_normal(2000), abs(r.standard_normal(2000))
SIGNALS = {"normal": X, "turned": X[::-1], "steps": r.permutation(500) // 4, "plateaus": np.repeat(X[:600], 3),
           "single": X.astype("f4"), "bytes": r.permutation(200).astype("u1"), "empty": np.zeros(0), "flat": np.ones(5),
           "holes": np.where(Y > 2, np.nan, X)}
CONDITIONS = [
    {}, {"height": 0.5}, {"height": (None, 1.0)}, {"height": (0.1, 1.0)}, {"height": Y}, {"height": (-Y, Y)},
    {"threshold": 0.3}, {"threshold": (None, 2.0)}, {"threshold": (0.1, 2.0)}, {"distance": 5}, {"distance": 17.3},
    {"prominence": 1}, {"prominence": (0.5, 2), "wlen": 20}, {"width": 2}, {"plateau_size": (1, 2)},
    {"plateau_size": 2}, {"width": (1, 4), "rel_height": 0.8, "height": 0, "distance": 3, "threshold": 0.1},
    {"distance": 4, "prominence": (0.3, None), "width": 1, "height": (None, 3.0), "plateau_size": 1}]
INTERVALS = ("height", "threshold", "prominence", "width", "plateau_size")


def as_array(interval, n):
    """C's form: a number, two, or two for each element."""
    if not isinstance(interval, tuple) and not np.ndim(interval):
        return cp.asarray(float(interval))
    low, high = interval if isinstance(interval, tuple) else (interval, None)
    both = [-np.inf if low is None else low, np.inf if high is None else high]
    return cp.asarray(np.stack(np.broadcast_arrays(*both)) if np.ndim(both[0]) or np.ndim(both[1]) else np.array(both))


def sized(condition, n):
    """Limits of each element, as many as there are."""
    if isinstance(condition, tuple):
        return tuple(sized(c, n) for c in condition)
    return np.resize(condition, n) if np.ndim(condition) else condition


@pytest.mark.parametrize("conditions", CONDITIONS, ids=str)
@pytest.mark.parametrize("name", SIGNALS)
@pytest.mark.filterwarnings("ignore:some peaks have a")
def test_found(name, conditions):
    x = SIGNALS[name]
    conditions = {k: sized(v, len(x)) for k, v in conditions.items()}
    given = {k: as_array(v, len(x)) if k in INTERVALS else v for k, v in conditions.items()}
    got = _peaks.find_peaks(cp.asarray(x), **given)
    assert got.dtype == np.int64
    if "distance" in conditions and name in ("steps", "bytes"):  # of equal peaks SciPy keeps others
        want = cp.scipy.signal.find_peaks(cp.asarray(x), **conditions)[0].get()
    else:
        want, _ = ss.find_peaks(np.ascontiguousarray(x), **conditions)
    np.testing.assert_array_equal(got.get(), want)


def test_distances_beyond_all_elements():
    for distance in (1e10, 1e19, 1e300, np.inf):
        assert _peaks.find_peaks(cp.asarray(X), distance=distance).tolist() == [X[1:-1].argmax() + 1]
        assert cp.scipy.signal.find_peaks(cp.asarray(X), distance=distance)[0].tolist() == [X[1:-1].argmax() + 1]


@pytest.mark.parametrize("kind, given", [
    (ValueError, {"height": cp.ones(3)}), (ValueError, {"height": cp.ones((2, 3))}),
    (ValueError, {"width": cp.ones((2, 2, 2))}), (ValueError, {"distance": 0.5}), (ValueError, {"distance": np.nan}),
    (ValueError, {"distance": -3.0}), (TypeError, {"height": cp.ones(2, complex)}),
    (ValueError, {"prominence": cp.ones(()), "wlen": 1}), (ValueError, {"width": cp.ones(()), "rel_height": -1.0})],
    ids=str)
def test_conditions_that_are_none(kind, given):
    with raises(kind):
        _peaks.find_peaks(cp.asarray(X), **given)


def test_signals_that_are_none():
    with raises(TypeError):
        _peaks.find_peaks(cp.ones(5, complex))
    with raises(ValueError):
        _peaks.find_peaks(cp.ones((5, 2)))
