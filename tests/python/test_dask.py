"""Dask on Cuprite's arrays: its tables of functions for a type, the backend `cuprite`, clipping, labels and
measurements of arrays in chunks. NumPy, SciPy and the whole array are the oracles."""
import subprocess
import sys

import numpy as np
import pytest
from scipy import ndimage as scipy_ndimage

import cuprite as cp
from oracle import raises

dask = pytest.importorskip("dask", reason="dask is not installed")
import dask.array as da  # noqa: E402

from cuprite.dask import _chunks, _label, label, map_overlap, measure, sigma_clip_stats  # noqa: E402

H = np.random.default_rng(1).standard_normal((40, 30))


@pytest.fixture(autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def chunked(h, chunks):
    return da.from_array(cp.asarray(h), chunks=chunks)


# --- tables ---

OPERATIONS = {
    "mean": lambda x: x.mean(), "mean of columns": lambda x: x.mean(axis=0), "std": lambda x: x.std(axis=1),
    "var": lambda x: da.var(x, keepdims=True), "nanmean": lambda x: da.nanmean(da.where(x > 0, x, np.nan), axis=1),
    "nanstd": lambda x: da.nanstd(da.where(x > 0, x, np.nan), axis=0), "argmax": lambda x: x.argmax(axis=0),
    "percentile": lambda x: da.percentile(x[:, 0], [10, 50, 90]), "median": lambda x: da.median(x, axis=1),
    "tensordot": lambda x: da.tensordot(x, x.T, 1), "einsum": lambda x: da.einsum("ij,ij->i", x, x),
    "take": lambda x: x[[3, 1, 2]], "unique": lambda x: da.unique(x.round(1)), "cumsum": lambda x: x.cumsum(axis=0),
    "mask": lambda x: x[x > 0], "histogram": lambda x: da.histogram(x, bins=10, range=(-3, 3))[0],
    "topk": lambda x: da.topk(x, 3, axis=0), "concatenate": lambda x: da.concatenate([x, x], axis=1),
    "tall svd": lambda x: da.linalg.svd(x.rechunk((16, 30)))[1], "cov": lambda x: da.cov(x), "qr": lambda x: abs(
        da.linalg.qr(x.rechunk((16, 30)))[1]), "overlap": lambda x: x.map_overlap(lambda b: b * 2, 1, "nearest"),
    "pad": lambda x: da.pad(x, 2, mode="reflect"), "bincount": lambda x: da.bincount(abs(x).astype(int).ravel()),
    "fft": lambda x: abs(da.fft.fft(x.rechunk((16, 30)))), "gradient": lambda x: da.gradient(x)[0],
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations(name):
    with np.errstate(all="ignore"):
        got, want = (OPERATIONS[name](x).compute() for x in (chunked(H, (16, 11)), da.from_array(H, chunks=(16, 11))))
    assert type(got) is cp.ndarray and got.dtype == want.dtype
    np.testing.assert_allclose(cp.asnumpy(got), want, rtol=1e-10, atol=1e-12)


def test_an_array_meets_chunks():
    row, x = cp.arange(30.0), chunked(H, (16, 11))
    for y in (row + x, x + row):
        assert isinstance(y, da.Array)
        np.testing.assert_array_equal(y.compute().get(), H + np.arange(30.0))


@pytest.mark.parametrize("make", [
    lambda: da.ones((4, 4), chunks=2), lambda: da.zeros(5, chunks=2), lambda: da.empty((3, 2), chunks=1),
    lambda: da.full((2, 2), 3.5, chunks=1), lambda: da.arange(10, chunks=3), lambda: da.random.random(3, chunks=2),
    lambda: da.random.default_rng(1).standard_normal((4, 4), chunks=2),
    lambda: da.random.RandomState(1).normal(size=(4, 4), chunks=2), lambda: da.from_array(H, chunks=10).to_backend(),
    lambda: da.random.default_rng(1).permutation(da.arange(10, chunks=3)), lambda: da.ones(3, name="three"),
    lambda: da.ones_like(chunked(H, 10)), lambda: da.zeros_like(chunked(H, 10), name="zeros"),
    lambda: da.full_like(chunked(H, 10), 2), lambda: da.empty_like(chunked(H, 10)),
    lambda: da.linalg.svd_compressed(chunked(H, 10), 2, seed=3)[1]])
def test_the_backend_makes_our_arrays(make):
    with dask.config.set({"array.backend": "cuprite"}):
        x = make()
        assert type(x._meta) is cp.ndarray and type(x.compute()) is cp.ndarray


def test_the_backend_converts():
    x = da.from_array(H, chunks=10).to_backend("cuprite")
    np.testing.assert_array_equal(x.compute().get(), H)
    assert type(x._meta) is cp.ndarray and x.to_backend("cuprite") is x
    assert type(x.to_backend("numpy").compute()) is np.ndarray


def test_names_of_equal_arrays_are_equal():
    name = dask.base.tokenize
    assert name(cp.arange(3)) == name(cp.arange(3)) != name(np.arange(3)) and name(cp.arange(3)) != name(cp.arange(4))
    assert dask.sizeof.sizeof(cp.zeros(1000)) == 8000


@pytest.mark.once
@pytest.mark.parametrize("first, second", [("cuprite", "dask.array"), ("dask.array", "cuprite")])
def test_registered_in_either_order_and_nothing_is_imported_before(first, second):
    program = f"""
import sys
import {first}
assert "{second}" not in sys.modules
import {second}, cuprite, dask.array as da
assert "cuprite.dask._label" not in sys.modules
assert type(da.from_array(cuprite.arange(6.0), chunks=2).mean().compute()) is cuprite.ndarray
print(da.ones(3).to_backend("cuprite"))
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0 and "cuprite.ndarray" in run.stdout, run.stderr


# --- chunks with what lies around them ---

def _neighbours(x):
    """Another value where a neighbour within 2 of any axis is another one; 100 where there is none."""
    p = cp.pad(x, 2, constant_values=100)
    sums = sum(cp.roll(p, i, a) * w for w, (a, i) in enumerate(((a, i) for a in range(p.ndim) for i in (-2, 2)), 3))
    return (p * 2 + sums + cp.roll(p, (1,) * p.ndim, range(p.ndim)))[(slice(2, -2),) * p.ndim]


@pytest.mark.parametrize("shape, chunks, depth", [
    ((40, 30), 7, 2), ((40, 30), (7, 30), (2, 0)), ((40, 30), (40, 7), {1: 2}), ((40, 30), 50, 2),
    ((40, 30), (1, 2), 2), ((50,), 9, 2), ((9, 10, 8), (3, 5, 4), 2), ((9, 10, 8), (3, 10, 4), (2, 3, 2)),
    ((3, 3), 1, 5)])
def test_map_overlap_is_the_function_of_the_whole(shape, chunks, depth):
    h = np.random.default_rng(5).standard_normal(shape)
    got = map_overlap(_neighbours, chunked(h, chunks), depth)
    assert got.shape == shape and type(got._meta) is cp.ndarray
    want = _neighbours(cp.asarray(h)).get()
    np.testing.assert_array_equal(got.compute().get(), want)
    with dask.config.set(scheduler="threads"):
        np.testing.assert_array_equal(got.persist().max(axis=0).compute().get(), want.max(axis=0))


def test_map_overlap_with_other_types_and_refusals():
    x = chunked(H, 10)
    assert map_overlap(lambda b: b > 0, x, 1, dtype=bool).sum().compute() == (H > 0).sum()
    assert map_overlap(lambda b: b > 0, x, 1, dtype=bool).dtype == bool
    for depth in (-1, (1,), {2: 1}, (1, 2, 3)):
        with raises(ValueError):
            map_overlap(_neighbours, x, depth)
    for depth in (1.5, "x", None):
        with raises(TypeError):
            map_overlap(_neighbours, x, depth)
    with raises(TypeError):
        map_overlap(_neighbours, H, 1)
    with raises(ValueError):
        map_overlap(_neighbours, x[x[:, 0] > 0], 1)
    with raises(ValueError):
        map_overlap(lambda b: b[1:], x, 1).compute()
    with raises(TypeError):
        map_overlap(x, _neighbours, 1)
    with raises(TypeError):
        map_overlap(lambda b: 3, x, 1).compute()


@pytest.mark.parametrize("chunks", [3, 8])
@pytest.mark.parametrize("h", [np.arange(8.0), np.array(list("abcdefgh")), np.arange(8).astype("M8[s]"),
                               np.ma.masked_array(np.arange(8), np.arange(8) == 3)], ids=lambda h: str(h.dtype))
def test_map_overlap_leaves_the_kind_of_chunks(h, chunks):
    got = map_overlap(lambda b: b[::1], da.from_array(h, chunks, asarray=False), 2).compute()
    assert type(got) is type(h) and got.dtype == h.dtype and (got == h).all()
    assert str(got) == str(h)


# --- clipping ---

def an_image(dtype):
    r = np.random.default_rng(2)
    x = r.standard_normal((120, 130)) * 3 + 100
    x[r.random(x.shape) < 0.02] += 100
    return x.astype(dtype)


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "i2", "u1", "i8"])
@pytest.mark.parametrize("how", [{}, {"kappa": 2}, {"center": "mean"}, {"max_iterations": 2}])
def test_clipping_is_that_of_the_whole(dtype, how):
    h = an_image(dtype)
    if h.dtype.kind == "f":
        h[5, 7:50] = np.nan
    got, want = sigma_clip_stats(chunked(h, (50, 70)), **how), cp.sigma_clip_stats(cp.asarray(h), **how)
    assert type(got) is type(want) and got[4:] == want[4:]
    np.testing.assert_allclose(got[:4], want[:4], rtol=1e-13)


@pytest.mark.parametrize("h", [np.ones((10, 10)), np.zeros((0, 3)), np.full(5, np.nan), np.arange(100.0),
                               np.array([1, 2, np.inf]), np.r_[np.zeros(500), np.ones(499)]])
def test_clipping_what_a_sample_does_not_predict(h):
    np.testing.assert_allclose(sigma_clip_stats(chunked(h, 3 if h.size < 50 else 40)),
                               cp.sigma_clip_stats(cp.asarray(h)), rtol=1e-13)


def test_clipping_where_the_sample_misleads():
    """Every sampled element is of another kind than the others."""
    h = np.random.default_rng(3).standard_normal(1 << 19)
    h[::4] = 1000 + h[::4] / 1000
    got, want = sigma_clip_stats(chunked(h, 1 << 18)), cp.sigma_clip_stats(cp.asarray(h))
    assert got.count == want.count and np.allclose(got[:4], want[:4], rtol=1e-12)


@pytest.mark.parametrize("kind", ["normal", "cauchy", "lognormal", "few large", "infinite", "overflow", "poisson"])
def test_clipping_with_windows_for_the_bounds(kind):
    r = np.random.default_rng(6)
    n = 1 << 19
    h = {"normal": lambda: r.normal(1e4, 1, n), "cauchy": lambda: r.standard_cauchy(n).astype("f4"),
         "lognormal": lambda: r.lognormal(0, 1, n), "poisson": lambda: r.poisson(30, n).astype("u2"),
         "few large": lambda: r.standard_normal(n) + np.where(r.random(n) < 0.01, 10 * r.pareto(1.2, n), 0),
         "infinite": lambda: np.where(np.arange(n) % 200000 == 7, -np.inf, r.standard_normal(n)),
         "overflow": lambda: r.standard_normal(n) * 1e200}[kind]()
    for how in {}, {"center": "mean", "kappa": 2.5}:
        got, want = sigma_clip_stats(chunked(h, 100000), **how), cp.sigma_clip_stats(cp.asarray(h), **how)
        assert got[4:] == want[4:]
        np.testing.assert_allclose(got[:4], want[:4], rtol=1e-11)


def test_clipping_refuses():
    with raises(TypeError):
        sigma_clip_stats(chunked(H + 0j, 10))
    with raises(ValueError):
        sigma_clip_stats(chunked(H, 10), center="mode")
    with raises(ValueError):
        sigma_clip_stats(chunked(H, 10), kappa=-1)
    for x in (H, cp.asarray(H), None, [1.0]):
        with raises(TypeError):
            sigma_clip_stats(x)
    x = chunked(H, 10)
    with raises(ValueError):
        sigma_clip_stats(x[x > 0])


# --- labels ---

SHAPES = [((40, 50), (7, 9)), ((40, 50), (40, 50)), ((30,), 4), ((9, 10, 7), (3, 4, 5)), ((6, 5), (1, 1)),
          ((5, 7), (2, 7)), ((0, 4), (1, 2)), ((12, 14), ((4, 0, 5, 0, 0, 3), (0, 6, 8, 0))), ((20,), ((7, 0, 13),)),
          ((), ())]
STRUCTURES = {"faces": lambda n: None, "corners": lambda n: np.ones((3,) * n),
              "a diagonal": lambda n: np.ptp(np.indices((3,) * n), axis=0) == 0 if n else np.ones(())}


@pytest.mark.parametrize("shape, chunks", SHAPES)
@pytest.mark.parametrize("structure", STRUCTURES)
def test_labels_are_those_of_the_whole(shape, chunks, structure):
    r, structure = np.random.default_rng(4), STRUCTURES[structure](len(shape))
    for share in (0.25, 0.6):
        h = r.random(shape) < share
        want, n = scipy_ndimage.label(h, structure)
        got, m = dask.compute(*label(chunked(h, chunks), structure))
        assert m == n and got.dtype == np.int32 and type(got) is cp.ndarray
        np.testing.assert_array_equal(got.get(), want)
        both = label(chunked(h, chunks), structure)
        assert int(both[1].compute()) == n and int((both[0] + 1).compute().max()) == n + 1 if h.size else not n
        x = r.random(shape) + 0.5
        a = measure(chunked(x, chunks), chunked(h, chunks), structure, 0.1, 0.5)
        b = cp.scipy.ndimage.measure(cp.asarray(x), cp.asarray(want), n, 0.1, 0.5)
        for k in b._fields:
            of_whole = getattr(b, k).get()
            assert getattr(a, k).dtype == of_whole.dtype
            np.testing.assert_allclose(getattr(a, k), of_whole, rtol=1e-9, atol=1e-6 if k == "centroid_error" else 1e-9)


def test_a_spiral_through_all_chunks_is_one():
    h = np.zeros((41, 41), bool)
    for i in range(0, 20, 2):
        h[i, max(0, i - 2):41 - i] = h[i:41 - i, 40 - i] = h[40 - i, i:41 - i] = h[i + 2:41 - i, i] = True
    want, n = scipy_ndimage.label(h)
    got, m = dask.compute(*label(chunked(h, (3, 4))))
    assert n == m == 1 and np.array_equal(got.get(), want)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_measured_as_in_the_whole(value):
    h = np.random.default_rng(8).random((30, 20)) + 0.5
    h[[3, 9, 10, 11, 29], [4, 9, 10, 11, 19]] = value
    segments = np.random.default_rng(9).random(h.shape) < 0.5
    want, n = scipy_ndimage.label(segments)
    a = measure(chunked(h, 7), chunked(segments, 7), None, cp.asarray(0.25), da.from_array(0.5))
    b = cp.scipy.ndimage.measure(cp.asarray(h), cp.asarray(want), n, 0.25, 0.5)
    for k in b._fields:
        np.testing.assert_allclose(getattr(a, k), getattr(b, k).get(), rtol=1e-9, atol=1e-6)


def test_labels_refuse():
    x = chunked(H, 10)
    with raises(TypeError):
        label(x + 0j)
    with raises(TypeError):
        measure(x, x + 0j)
    for number in (np.nan, np.inf):
        with raises(ValueError):
            measure(x, x > 0, background=number)
    with raises(TypeError):
        label(H)
    for structure in (np.ones(3), [[1, 0, 0], [0, 1, 0], [0, 0, 0]]):
        with raises(RuntimeError):
            label(x > 0, structure)
    with raises(ValueError):
        measure(x, chunked(H > 0, 11))
    with raises(ValueError):
        label(x[x > 0])
    with raises(TypeError):
        measure(x, lambda block: block + 0j)
    with pytest.raises(ValueError, match=r"shape \(\d+, 1\) of a chunk"):
        measure(x, lambda block: block[:, :1])


@pytest.mark.parametrize("persisted", [False, True])
def test_segments_are_a_function_of_a_chunk(persisted):
    x = chunked(H, (10, 7))
    x = x.persist(scheduler="synchronous") if persisted else x
    a = measure(x, lambda block: block > 0.5, noise=1)
    b = cp.scipy.ndimage.measure(cp.asarray(H), *map(cp.asarray, scipy_ndimage.label(H > 0.5)), noise=1)
    assert a.pixels.size > 3
    for k in b._fields:
        np.testing.assert_allclose(getattr(a, k), getattr(b, k).get(), rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("depth", [(2, 0), (0, 1), (1, 1)])
def test_overlap_of_chunks_at_hand(depth):
    f = lambda block: sum(cp.roll(block, s, a) for a in (0, 1) for s in (-depth[a], depth[a]))  # noqa: E731
    want = map_overlap(f, chunked(H, (10, 7)), depth).compute(scheduler="synchronous")
    got = map_overlap(f, chunked(H, (10, 7)).persist(scheduler="synchronous"), depth)
    assert not any("rims" in str(k) for k in got.__dask_graph__())
    np.testing.assert_array_equal(got.compute(scheduler="synchronous").get(), want.get())


@pytest.mark.parametrize("most", [1, 900, 2000, 1 << 24])
def test_bands_that_are_joined_on_a_gpu(most, monkeypatch):
    """The same measurements and statistics, by fewer calls, however many bands are taken together."""
    monkeypatch.setattr(_chunks, "_TOGETHER", most)
    monkeypatch.setattr(_label, "_most_labelled", lambda: most)
    with cp.cuda.Device("late:0"):
        h = np.repeat(H, 3, axis=0)  # components cross the bands
        x = chunked(h, (10, h.shape[1])).persist(scheduler="synchronous")
        calls = []
        a = measure(x, lambda block: calls.append(block.shape) or block > 0.5, noise=1)
        b = cp.scipy.ndimage.measure(cp.asarray(h), *map(cp.asarray, scipy_ndimage.label(h > 0.5)), noise=1)
        lines = max(10, most // h.shape[1] // 10 * 10)
        assert calls[1:] == [(min(lines, len(h) - y), h.shape[1]) for y in range(0, len(h), lines)]  # [0]: of a type
        for k in b._fields:
            np.testing.assert_allclose(getattr(a, k), getattr(b, k).get(), rtol=1e-9, atol=1e-6)
        got, want = sigma_clip_stats(x), cp.sigma_clip_stats(cp.asarray(h))
        np.testing.assert_allclose(got, want, rtol=1e-12)
        alone = measure(x, x > 0.5, noise=1)
        for k in b._fields:
            np.testing.assert_allclose(getattr(alone, k), getattr(a, k), rtol=1e-9, atol=1e-6)
