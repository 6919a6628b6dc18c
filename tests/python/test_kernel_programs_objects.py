"""Kernels whose barriers and shuffles are in methods, functors and lambdas, as programs have them. References are
NumPy's; integers are compared exactly. On the CPU they are loops over the threads (kernels.py)."""
import numpy as np
import pytest

import cuprite as cp
from kernels import blocks, kernel, same

FILE = "objects"


def run(name, grid, block, *arguments):
    kernel(FILE, name)(grid, block, arguments)


def draw(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("n", [128, 1000])
def test_scan(n):
    x = draw().integers(-50, 50, n, "i4")
    sums, most = cp.zeros(n, "i4"), cp.zeros(n, "i4")
    run("scan_by_class", (blocks(n, 128),), (128,), cp.asarray(x), sums, most, np.int32(n))
    rows = np.zeros((blocks(n, 128), 128), "i4")
    rows.ravel()[:n] = x
    same(sums, rows.cumsum(1).ravel()[:n].astype("i4"))
    same(most, np.repeat(rows.max(1), 128)[:n])


@pytest.mark.parametrize("n", [16, 50])
def test_product(n):
    a, b = draw().integers(-8, 9, (2, n, n)).astype("f4")
    c = cp.zeros((n, n), "f4")
    run("product_by_tiles", (blocks(n, 16),) * 2, (16, 16), cp.asarray(a), cp.asarray(b), c, np.int32(n))
    same(c, a @ b)  # sums of small integers


@pytest.mark.parametrize("rows, columns", [(1, 1), (7, 300)])
def test_softmax(rows, columns):
    x = draw().normal(size=(rows, columns)).astype("f4")
    y = cp.zeros((rows, columns), "f4")
    run("softmax_by_lambdas", (rows,), (128,), cp.asarray(x), y, np.int32(columns))
    e = np.exp(x.astype("f8") - x.max(1, keepdims=True))
    np.testing.assert_allclose(y.get(), e / e.sum(1, keepdims=True), rtol=1e-5)


def test_moments():
    x = draw().random((5, 100))
    out = cp.zeros((5, 3))
    run("moments_by_lambda", (5,), (128,), cp.asarray(x), out, np.int32(100))
    d = x - x.mean(1, keepdims=True)
    np.testing.assert_allclose(out.get(), np.stack([x.mean(1), (d**2).mean(1), (d**3).mean(1)], 1), rtol=1e-10,
                               atol=1e-15)


def test_sort():
    x = draw().integers(-1000, 1000, (3, 128), "i4")
    up, down = cp.zeros((3, 128), "i4"), cp.zeros((3, 128), "i4")
    run("sort_by_objects", (3,), (128,), cp.asarray(x), up, down)
    same(up, np.sort(x, 1))
    same(down, np.sort(x, 1)[:, ::-1])


def test_compact():
    n = 500
    x = draw().integers(0, 1000, n, "i4")
    out, counts = cp.full(512, -1, "i4"), cp.zeros(16, "i4")
    run("compact_by_votes", (4,), (128,), cp.asarray(x), out, counts, np.int32(n))
    wanted, number = np.full((16, 32), -1, "i4"), np.zeros(16, "i4")
    for w in range(16):
        kept = [v for v in x[32 * w:32 * w + 32] if v % 3 == 0]
        wanted[w, :len(kept)], number[w] = kept, len(kept)
    same(out, wanted.ravel())
    same(counts, number)
