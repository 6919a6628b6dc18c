"""What only large arrays go through: positions selected in one row, bins counted by comparing, transposes in registers;
and printing, which C does as long as it knows NumPy's options."""
import cuprite as cp
import numpy as np
import pytest

N = (1 << 17) + 3  # one row of so many is not copied


def same(got, want):
    got, want = got.get(), np.asarray(want)
    return got.dtype == want.dtype and np.array_equal(got, want, equal_nan=want.dtype.kind == "f")


def rows(kind):
    rng = np.random.default_rng(5)
    x = rng.standard_normal(N) * 1e3
    return {"spread": x, "equal": np.full(N, 7.0), "sorted": np.sort(x), "few": x // 100}[kind]


@pytest.mark.parametrize("kind", ["spread", "equal", "sorted", "few"])
@pytest.mark.parametrize("t", ["f4", "f8", "i4", "u4", "i8", "u8"])
def test_places_of_one_long_row(t, kind):
    x = rows(kind)
    x = (np.abs(x) if t[0] == "u" else x).astype(t)
    a = cp.asarray(x)
    for q in (0, 1, 0.5, 0.9, [0.05, 0.25, 0.5, 0.75, 0.95], [0.0, 1.0], [0.999999, 0.5]):
        for method in ("linear", "lower", "nearest", "hazen"):
            assert same(cp.quantile(a, q, method=method), np.quantile(x, q, method=method)), (q, method)
    assert same(cp.median(a), np.median(x)) and same(cp.percentile(a, 33.0), np.percentile(x, 33.0))
    assert same(a, x)  # it stays


@pytest.mark.parametrize("t", ["f4", "f8"])
@pytest.mark.parametrize("step", [1 << 20, 100, 2])
def test_places_of_what_is_no_nan(t, step):
    x = rows("spread").astype(t)
    x[1::step] = np.nan
    a = cp.asarray(x)
    for q in (0, 1, 0.5, [0.05, 0.5, 0.95]):
        assert same(cp.nanquantile(a, q), np.nanquantile(x, q))
        assert same(cp.quantile(a, q), np.quantile(x, q))
    assert same(cp.nanmedian(a), np.nanmedian(x)) and same(cp.median(a), np.median(x))


@pytest.mark.parametrize("t", ["f4", "f8", "i4", "i8", "u1", "i2"])
@pytest.mark.parametrize("place, width", [(0, 1), (1e6, 1), (-1e3, 1e-3), (100, 30), (0, 1e30)])
def test_bins_next_to_their_edges(t, place, width):
    x = np.random.default_rng(3).standard_normal(50000) * width + place
    x = np.abs(x) % 120 if t[0] in "iu" else x
    x = x.astype(t)
    for bins in (1, 3, 10, 24, 25, 256, 5000):
        for limits in (None, (0, 1), (0, 256), (-3.3, 7.1)):
            try:
                want = np.histogram(x, bins, limits)
            except ValueError:
                with pytest.raises(ValueError):
                    cp.histogram(cp.asarray(x), bins, limits)
                continue
            got = cp.histogram(cp.asarray(x), bins, limits)
            assert same(got[0], want[0]) and same(got[1], want[1]), (bins, limits)
    edges = np.sort(np.random.default_rng(4).standard_normal(101) * width + place)
    assert same(cp.histogram(cp.asarray(x), cp.asarray(edges))[0], np.histogram(x, edges)[0])


@pytest.mark.parametrize("t", ["i1", "u1", "i2", "u2", "i4", "u4", "i8"])
def test_counts_of_many(t):
    rng = np.random.default_rng(6)
    for top in (1, 100, 127, 5000, 20000, 10**6):
        top = min(top, np.iinfo(t).max)
        for low in (0, top // 2):
            x = rng.integers(low, top + 1, 70000).astype(t)
            assert same(cp.bincount(cp.asarray(x)), np.bincount(x)), top
            assert same(cp.bincount(cp.asarray(x), minlength=50), np.bincount(x, minlength=50)), top
        if t[0] == "i":
            x[12345] = -1
            with pytest.raises(ValueError):
                cp.bincount(cp.asarray(x))


@pytest.mark.parametrize("t", ["u1", "f2", "f4", "f8", "c16"])
@pytest.mark.parametrize("shape", [(8, 8), (17, 33), (64, 64), (100, 257), (1000, 1003), (2048, 1024), (3, 40, 50)])
def test_transposes(t, shape):
    x = (np.random.default_rng(7).random(shape) * 200).astype(t)
    a = cp.asarray(x)
    assert same(a.T.copy(), x.T.copy()) and same(a[::-1].T.copy(), x[::-1].T.copy())
    assert same(cp.rot90(a).copy(), np.rot90(x).copy()) and same(cp.rot90(a, 3).copy(), np.rot90(x, 3).copy())


@pytest.mark.parametrize("t", ["?", "i1", "u8", "f2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("options", [{}, {"precision": 3}, {"precision": 0}, {"threshold": 0}, {"suppress": True},
                                     {"threshold": 10, "edgeitems": 2}, {"floatmode": "fixed"}, {"sign": "+"},
                                     {"legacy": "1.21"}, {"linewidth": 30}, {"nanstr": "x"},
                                     {"formatter": {"float": lambda v: "q"}}, {"edgeitems": 0, "threshold": 3}])
def test_text_follows_options(t, options):
    rng = np.random.default_rng(8)
    for shape in ((), (5,), (0, 3), (1001,), (3000, 4), (7, 7, 7, 7)):
        x = np.asarray(np.abs(rng.standard_normal(shape)) * 100)
        x = np.asarray(x > 100 if t == "?" else (x + 1j * x).astype(t) if t[0] == "c" else x.clip(0, 100).astype(t))
        with np.printoptions(**options):
            assert repr(cp.asarray(x)) == repr(x) and str(cp.asarray(x)) == str(x)
