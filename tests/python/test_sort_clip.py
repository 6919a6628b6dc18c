"""Kappa-sigma clipping against the loop of NumPy operations that it replaces; on the CPU and, where there is one, the
GPU."""
import cuprite as cp
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def program(x, kappa=3, center=np.median, most=0):
    """The program, operation by operation: (kept values, passes)."""
    passes = 0
    while True:
        middle, std = center(x), np.std(x)
        kept = x.compress(x > middle - kappa * std)
        kept = kept.compress(kept < middle + kappa * std)
        passes += 1
        if len(kept) == len(x) or passes == most:
            return kept, passes
        x = kept


def sky(n, rng):
    """Noise, a few hundred sources of some pixels each, a dominant one in the middle: like a radio image."""
    image = rng.normal(0.0, 0.0133, (n, n))
    yy, xx = np.mgrid[-16:17, -16:17]
    for _ in range(n // 10):
        y, x = rng.integers(17, n - 17, 2)
        peak = min(0.12 * (1 + rng.pareto(1.3)), 1.5)
        image[y - 16:y + 17, x - 16:x + 17] += peak * np.exp(-(yy**2 + xx**2) / (2 * rng.uniform(1.5, 3.5)**2))
    return image


@pytest.mark.parametrize("n", [256, 2048])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_image(n, dtype, device):
    x = sky(n, np.random.default_rng(20221102)).astype(dtype)
    want, passes = program(x.ravel())
    got = cp.sigma_clip(cp.asarray(x))
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(cp.asnumpy(got), want)
    stats = cp.sigma_clip_stats(cp.asarray(x))
    assert stats.count == len(want) and stats.iterations == passes
    assert stats.center == np.median(want)
    assert abs(stats.std - np.std(want.astype("longdouble"))) <= 4 * np.spacing(want.dtype.type(stats.std))
    np.testing.assert_allclose([stats.lower, stats.upper], [stats.center - 3 * stats.std, stats.center + 3 * stats.std],
                               rtol=1e-6 if dtype == "float32" else 1e-14)


def steps(x, y, kappa, center, max_iterations):
    """Follows the clipping of y pass by pass against exact bounds: only a value within rounding of one may be on
    either side (NumPy's own mean may be an ulp off, and a bound has no more digits than the values)."""
    kept, m = x, 0
    while m < (max_iterations or 10**6):
        m += 1
        exact = kept.astype("longdouble")
        middle = exact.mean() if center == "mean" else np.median(exact)
        far, width = np.abs(exact - middle), kappa * exact.std()
        slack = 2 * np.spacing(np.float64(abs(middle) + width)) + 1e-14 * width
        now = cp.asnumpy(cp.sigma_clip(y, kappa=kappa, center=center, max_iterations=m))
        stays = np.isin(kept, now)
        np.testing.assert_array_equal(kept[stays], now)
        assert stays[far < width - slack].all() and not stays[far > width + slack].any()
        if stays.all():
            break
        kept = now
    return kept


kinds = st.sampled_from(["normal", "outliers", "skewed", "offset", "heavy"])


@example(70001, "offset", 1.5, True, 0, 1133)
@settings(max_examples=150, deadline=None)
@given(st.one_of(st.integers(1, 300), st.sampled_from([5000, 33000, 70001])), kinds, st.sampled_from([3, 2.5, 1.5, 5]),
       st.booleans(), st.sampled_from([0, 1, 2]), st.integers(0, 2**32 - 1))
def test_random(n, kind, kappa, by_mean, most, seed):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n)
    if kind == "outliers":
        x[::50] *= 1e5
    if kind == "skewed":
        x = np.exp(x)
    if kind == "offset":
        x = 1e8 + x
    if kind == "heavy":
        x = rng.standard_cauchy(n)
    want, passes = program(x, kappa, np.mean if by_mean else np.median, most)
    y = cp.asarray(x)
    options = dict(kappa=kappa, center="mean" if by_mean else "median", max_iterations=most)
    got = cp.asnumpy(cp.sigma_clip(y, **options))
    if not np.array_equal(got, want):
        want = steps(x, y, **options)
        np.testing.assert_array_equal(got, want)
    stats = cp.sigma_clip_stats(y, **options)
    assert stats.count == len(want)
    if len(want):
        # against the spread of most values: what is left may be a hundredth of it about a mean that cancels
        spread = np.subtract(*np.percentile(x, [75, 25]))
        np.testing.assert_allclose(stats.std, float(np.std(want.astype("longdouble"))), rtol=1e-12, atol=1e-13 * spread)
    else:
        assert np.isnan(stats.center)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int32", "uint64"])
def test_integers(dtype, device):
    rng = np.random.default_rng(2)
    x = np.clip(rng.normal(100, 4, (300, 400)), 0, 200).astype(dtype)
    x[::9, ::7] = 250
    want, _ = program(x.ravel())
    got = cp.sigma_clip(cp.asarray(x))
    assert got.dtype == x.dtype
    np.testing.assert_array_equal(cp.asnumpy(got), want)


def test_nan_and_layout(device):
    rng = np.random.default_rng(4)
    x = rng.normal(5, 1, (200, 300)).astype("float32")
    x[::11] = 90
    holes = x.copy()
    holes[:, ::13] = np.nan
    y = cp.asarray(holes).T[::-2]
    flat = holes.T[::-2].ravel()
    want, _ = program(flat[~np.isnan(flat)])
    np.testing.assert_array_equal(cp.asnumpy(cp.sigma_clip(y)), want)


def test_half(device):
    x = np.random.default_rng(1).normal(0, 1, 5000).astype("float16")
    x[::40] = 50
    got = cp.sigma_clip(cp.asarray(x))
    assert got.dtype == np.float16
    assert 4700 < got.size <= 4875 and abs(cp.asnumpy(got)).max() < 5


def test_errors(device):
    with pytest.raises(TypeError):
        cp.sigma_clip(cp.zeros(3, "complex64"))
    with pytest.raises(ValueError):
        cp.sigma_clip(cp.zeros(3), kappa=-1)
    assert cp.sigma_clip(cp.zeros(0)).size == 0
    assert cp.sigma_clip(cp.full(9, 2.0)).size == 0
