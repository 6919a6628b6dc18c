"""Copies, padding and coordinates where rows are long against NumPy: the GPU has kernels of their own for these."""
import numpy as np
import pytest
import scipy.ndimage

import cuprite as cp
from cuprite.scipy import ndimage

LENGTHS = [255, 512, 1025, 2500]


def numbers(shape, dtype):
    return np.random.default_rng(3).integers(0, 100, shape).astype(dtype)


def same(got, want):
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_array_equal(cp.asnumpy(got), want)


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64", "complex128"])
def test_copies_of_views(dtype, n):
    x = numbers((4, 3, 2, n + 3), dtype)
    a = cp.asarray(x)
    views = [np.s_[:, ::2, 1:, :n], np.s_[::-2, :, ::-1, 3:], np.s_[1:3, :, 1, 1:n + 1], np.s_[:, :1, :, 2:n],
             np.s_[::2, 1:, :, ::-1], np.s_[:, ::3, :, ::2], np.s_[..., :0]]
    for view in views:
        same(a[view].copy(), x[view].copy())
    same(cp.tile(a[0, :, :, :n], (2, 1, 2)), np.tile(x[0, :, :, :n], (2, 1, 2)))
    wide = cp.broadcast_to(a[:, None, 1], (4, 3, 2, n + 3))
    same(wide.copy(), np.broadcast_to(x[:, None, 1], (4, 3, 2, n + 3)).copy())


@pytest.mark.parametrize("n", LENGTHS)
def test_writes_to_views(n):
    x, y = numbers((4, 3, 2, n + 2), "float32"), numbers((2, 3, 2, n), "float32")
    m = numbers(y.shape, "int8") % 2 == 0
    a, b = cp.asarray(x), cp.asarray(y)
    for v, u, where, to in ((x, y, m, np), (a, b, cp.asarray(m), cp)):
        v[::2, :, :, 1:n + 1] = u
        v[1::2, :, ::-1, :n] = 7
        to.copyto(v[1::2, ::-1, :, 2:], u, where=where)
    same(a, x)


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric", "wrap"])
@pytest.mark.parametrize("n", LENGTHS)
def test_padding(mode, n):
    for dtype in ("uint8", "float32"):
        for shape, width in (((n,), 5), ((7, n), 3), ((n - 100, 2), ((4, 9), (700, 800))), ((3, 2, n), ((1, 2),) * 3)):
            x = numbers(shape, dtype)
            same(cp.pad(cp.asarray(x), width, mode), np.pad(x, width, mode))
    x = numbers((5, n), "int32")
    a = cp.asarray(x)
    same(cp.pad(a[::-1, ::-2], 4, mode), np.pad(x[::-1, ::-2], 4, mode))
    same(cp.pad(a.T, 4, mode), np.pad(x.T, 4, mode))


@pytest.mark.parametrize("shape", [(1, 4097), (4097, 1), (700, 901), (3, 5, 1400), (2, 3, 4, 500)])
@pytest.mark.parametrize("part", [0.001, 0.5, 1])
def test_coordinates(shape, part):
    x = np.random.default_rng(4).random(shape) < part
    same(cp.argwhere(cp.asarray(x)), np.argwhere(x))
    for got, want in zip(cp.nonzero(cp.asarray(x)), np.nonzero(x)):
        same(got, want)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8", "uint64"])
def test_regions_of_a_sparse_image(dtype):
    """Most warps find no pixel, and every thread has several."""
    rng = np.random.default_rng(5)
    labels = np.zeros((1200, 1300), dtype)
    for k in range(1, 101):
        i, j = rng.integers(0, 1180), rng.integers(0, 1280)
        labels[i:i + rng.integers(1, 20), j:j + rng.integers(1, 20)] = k
    x, index = rng.random(labels.shape).astype("float32"), np.arange(1, 101)
    a, b, c = cp.asarray(x), cp.asarray(labels), cp.asarray(index)
    assert ndimage.find_objects(b) == scipy.ndimage.find_objects(labels.astype("int64"))
    np.testing.assert_allclose(cp.asnumpy(ndimage.sum_labels(a, b, c)), scipy.ndimage.sum_labels(x, labels, index),
                               rtol=1e-12)
    np.testing.assert_array_equal(cp.asnumpy(ndimage.maximum(a, b, c)), scipy.ndimage.maximum(x, labels, index))


def test_select_of_one_dtype_promotes_nothing(monkeypatch):
    """The dtype of floating choices is known: nothing is promoted in Python."""
    x, m = np.array([1.5, 2.5], "float32"), np.array([True, False])
    monkeypatch.setattr(cp, "result_type", None)
    for dtype in ("float16", "float32", "float64", "complex64"):
        for default in (0, 127, 0.1, float("inf")):
            same(cp.select([cp.asarray(m)], [cp.asarray(x.astype(dtype))], default),
                 np.select([m], [x.astype(dtype)], default))
