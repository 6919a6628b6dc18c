"""More than 2^31 and 2^32 elements: every kernel counts in 64 bits where it must.

Not part of `make test` (needs up to 120 GB on the device): CUPRITE_DEVICE=cuda:0 pytest tests/big. The answers are
known beforehand: arrays are one value but for a few places near the ends and on both sides of 2^31 and 2^32.
"""
import pytest

import cuprite as cp
from cuprite.scipy import ndimage, signal

SIZES = [2**31 - 1, 2**31, 2**31 + 1, 2**32 + 1]


def places(n):
    return [0, 1, n // 2, 2**31 - 2, n - 2, n - 1] + ([2**31, 2**31 + 1] if n > 2**31 + 1 else []) + \
        ([2**32 - 1, 2**32] if n > 2**32 else [])


def marked(n, dtype="uint8"):
    x = cp.zeros(n, dtype)
    at = sorted(set(p for p in places(n) if p < n))
    for p in at:
        x[p] = 1
    return x, at


@pytest.fixture(autouse=True)
def trim():
    yield
    cp.get_default_memory_pool().free_all_blocks()


@pytest.mark.parametrize("n", SIZES)
def test_reductions(n):
    x, at = marked(n)
    assert int(x.sum()) == len(at) and int(cp.count_nonzero(x)) == len(at)
    assert int(x.max()) == 1 and int(x.min()) == 0
    x[0] = 0
    x[1] = 0
    assert int(x.argmax()) == [p for p in at if p > 1][0]
    x[n - 1] = 2
    assert int(x.argmax()) == n - 1 and bool(x.any()) and not bool(x.all())
    assert float(x.mean()) == pytest.approx(float(x.sum()) / n, rel=1e-12)


@pytest.mark.parametrize("n", SIZES)
def test_elementwise_and_copies(n):
    x, at = marked(n)
    y = x + x
    assert int(y.sum()) == 2 * len(at) and [int(y[p]) for p in at] == [2] * len(at)
    del y
    mask = x > 0
    assert int(mask.sum()) == len(at)
    w = cp.where(mask, cp.uint8(3), x)
    assert int(w.sum()) == 3 * len(at)
    del w, mask
    z = x[::-1].copy()
    assert [int(z[n - 1 - p]) for p in at] == [1] * len(at) and int(z.sum()) == len(at)
    del z
    assert int(x.astype("int16").sum()) == len(at)


@pytest.mark.parametrize("n", SIZES)
def test_loops_in_parts(n):
    """Kernels that divide indices count in 31 bits, so these loops are cut."""
    x, at = marked(n)
    y = x + x.astype("int16")                   # operands of two types
    assert y.dtype == "int16" and int(y.sum()) == 2 * len(at) and [int(y[p]) for p in at] == [2] * len(at)
    del y
    y = x[::-1] + x                             # a stride
    both = [int(p in at) + int(n - 1 - p in at) for p in at]
    assert int(y.sum()) == 2 * len(at) and [int(y[p]) for p in at] == both
    del y
    rows = n // 3
    y = x[:3 * rows].reshape(rows, 3) + cp.asarray([0, 1, 2], dtype="uint8")
    inside = [p for p in at if p < 3 * rows]
    assert int(y.sum()) == 3 * rows + len(inside) and [int(y[p // 3, p % 3])
                                                       for p in inside] == [1 + p % 3 for p in inside]
    del y
    y = cp.zeros(n, "uint8")
    cp.add(x, 1, out=y, where=x > 0)
    assert int(y.sum()) == 2 * len(at) and [int(y[p]) for p in at] == [2] * len(at)


@pytest.mark.parametrize("n", SIZES)
def test_joining(n):
    x, at = marked(n)
    y = cp.concatenate([x, x[:5]])
    assert int(y.sum()) == len(at) + 2 and [int(y[p]) for p in at] == [1] * len(at) and int(y[n]) == int(y[n + 1]) == 1
    del y
    y = cp.stack([x, x], axis=1)
    assert int(y.sum()) == 2 * len(at) and [int(y[p, 1]) for p in at] == [1] * len(at)


@pytest.mark.parametrize("n", SIZES)
def test_selection(n):
    x, at = marked(n)
    assert cp.flatnonzero(x).tolist() == at
    assert len(x[x > 0]) == len(at)
    kept = x.compress(x == 0)
    assert len(kept) == n - len(at) and int(kept.max()) == 0


@pytest.mark.parametrize("n", SIZES)
def test_order(n):
    x, at = marked(n)
    assert float(cp.median(x)) == 0
    s = cp.sort(x)
    assert int(s[n - len(at)]) == 1 and int(s[n - len(at) - 1]) == 0 and int(s.sum()) == len(at)
    del s
    values, counts = cp.unique(x, return_counts=True)
    assert values.tolist() == [0, 1] and counts.tolist() == [n - len(at), len(at)]


@pytest.mark.parametrize("n", [2**31 - 1, 2**31 + 1])
def test_unique_rows(n):
    x = cp.zeros((n, 2), "uint8")
    at = sorted(set(p for p in places(n) if p < n))
    for p in at:
        x[p, 1] = 1
    values, index, counts = cp.unique(x, axis=0, return_index=True, return_counts=True)
    assert values.tolist() == [[0, 0], [0, 1]] and index.tolist() == [2, 0]
    assert counts.tolist() == [n - len(at), len(at)]


@pytest.mark.parametrize("width", [2**30 + 1])
def test_unique_long_rows(width):
    x = cp.zeros((5, width), "uint8")
    for row in range(5):
        x[row, width - 1] = 1 + row % 4
    values, index, inverse = cp.unique(x, axis=0, return_index=True, return_inverse=True)
    assert values.shape == (4, width) and values[:, width - 1].tolist() == [1, 2, 3, 4] and int(values.sum()) == 10
    assert index.tolist() == [0, 1, 2, 3] and inverse.tolist() == [0, 1, 2, 3, 0]


@pytest.mark.parametrize("n", SIZES)
def test_convolution(n):
    x, at = marked(n)
    y = cp.convolve(x, cp.asarray([1, 0, 1], dtype="uint8"))
    assert y.shape == (n + 2,) and int(y.sum()) == 2 * len(at)
    del y
    side = 2**16
    image = x[:side * (n // side)].reshape(-1, side)
    inside = int(image.sum())
    z = signal.convolve2d(image, cp.asarray([[0, 1], [1, 0]], dtype="uint8"))
    assert int(z.sum()) == 2 * inside


@pytest.mark.parametrize("n", SIZES[:3])
def test_labels(n):
    x, at = marked(n)
    labels, count = ndimage.label(x)
    runs = 1 + sum(b != a + 1 for a, b in zip(at, at[1:]))
    assert int(count) == runs
    assert int(labels[n - 1]) == runs and int(labels[0]) == 1
    index = cp.arange(1, runs + 1)
    assert int(ndimage.sum_labels(x, labels, index).sum()) == len(at)
    last = [b for a, b in zip([-2] + at, at) if b != a + 1][-1]  # where the last run begins
    assert [int(p[0]) for p in ndimage.maximum_position(x, labels, index)][-1] == last


@pytest.mark.parametrize("n", SIZES[:3])
def test_clipping(n):
    x = cp.zeros(n, "float16")
    x[n // 2:] = 1
    x[n - 1] = 1000
    stats = cp.sigma_clip_stats(x)
    assert stats.count == n - 1


@pytest.mark.parametrize("n", SIZES)
def test_random(n):
    """The end of a long call is what a generator that has gone on to there draws."""
    for bytes_of_one, draw in ((1, lambda g, n: g.integers(0, 256, n, "u1")), (4, lambda g, n: g.random(n, "f4"))):
        each = 32 // bytes_of_one                        # numbers of a block
        start = (n // each - 2) * each
        x = draw(cp.random.Generator(cp.random.Philox(5)), n)
        tail = draw(cp.random.Generator(cp.random.Philox(5).advance(start // each)), n - start)
        assert (x[start:] == tail).all() and float(x[::1000003].mean()) > 0
        del x


@pytest.mark.parametrize("n", SIZES)
def test_scans(n):
    x, at = marked(n)
    y = cp.cumsum(x, dtype="uint8")
    assert int(y[n - 1]) == len(at) and [int(y[p]) for p in at] == list(range(1, len(at) + 1))
    assert int(y[2**31 - 3]) == sum(p <= 2**31 - 3 for p in at)
    cp.cumsum(x[::-1], out=y)
    assert [int(y[n - 1 - p]) for p in at] == list(range(len(at), 0, -1))
    del y
    m = cp.maximum.accumulate(x[2:])
    assert int(m[at[2] - 3]) == 0 and int(m[at[2] - 2]) == 1 and int(m[n - 3]) == 1
    del m
    d = cp.diff(x)
    assert int(cp.count_nonzero(d)) == sum((p - 1 not in at) + (p + 1 not in at) for p in at) - 2


@pytest.mark.parametrize("n", SIZES)
def test_indices(n):
    x, at = marked(n)
    where = cp.asarray(at)
    assert int(x[where].sum()) == len(at) == int(cp.take(x, where - n, mode="wrap").sum())
    assert (cp.take(x, cp.asarray([n, -n - 1]), mode="clip").get() == 1).all()
    x[where] = cp.arange(len(at), dtype="uint8") + 1
    assert x[where].tolist() == list(range(1, len(at) + 1)) and int(cp.count_nonzero(x)) == len(at)
    cp.put(x, where, 7)
    assert int(x.sum(dtype="int64")) == 7 * len(at)
    cp.add.at(x, where, cp.uint8(1))
    assert x[where].tolist() == [8] * len(at) and int(cp.count_nonzero(x)) == len(at)
    with pytest.raises(IndexError):
        x[cp.asarray([n])].get()
    r = cp.roll(x, 1)
    assert [int(r[(p + 1) % n]) for p in at] == [8] * len(at)
    del r
    assert cp.unravel_index(cp.asarray([n - 1]), (n, 1))[0].tolist() == [n - 1]


@pytest.mark.parametrize("n", SIZES[:3])
def test_places_as_many_as_that(n):
    """The indices too are more than 2^31."""
    x, at = cp.arange(3, dtype="uint8"), cp.zeros(n, "int64")
    at[2**31 - 3], at[n - 1] = 1, 2
    y = x[at]
    assert [int(y[2**31 - 3]), int(y[n - 1]), int(y.sum(dtype="int64"))] == [1, 2, 3]
    del y
    counts = cp.bincount(at)
    assert counts.tolist() == [n - 2, 1, 1]
    del at
    edges = cp.histogram(cp.zeros(n, "uint8"), bins=4, range=(0, 4))[0]
    assert edges.tolist() == [n, 0, 0, 0]


@pytest.mark.parametrize("n", SIZES)
def test_counts_and_searches(n):
    x, at = marked(n)
    counts, _ = cp.histogram(x, bins=2, range=(0, 2))
    assert counts.tolist() == [n - len(at), len(at)]
    if n <= 2**31 + 1:
        assert cp.bincount(x).tolist() == [n - len(at), len(at)]
    s = cp.zeros(n, "uint8")
    s[n - 2:] = 1
    assert int(cp.searchsorted(s, cp.asarray(1, "uint8"))) == n - 2
    assert int(cp.digitize(cp.asarray([1], "uint8"), s)[0]) == n
    assert float(cp.percentile(s, 100)) == 1 and float(cp.percentile(s, 50)) == 0


@pytest.mark.parametrize("rows", [2**16 + 1])
def test_triangle_and_bits(rows):
    """More than 2^32 elements in two dimensions."""
    x = cp.tri(rows, 2**16, dtype="uint8")
    assert int(x[rows - 1].sum()) == 2**16 and int(x[0].sum()) == 1
    assert int(x.sum(dtype="int64")) == 2**16 * (2**16 + 1) // 2 + 2**16
    packed = cp.packbits(x[-3:])
    assert packed.size == 3 * 2**13 and int(packed[-1]) == 255
    del packed
    assert int(cp.tril(x, -1)[rows - 1].sum()) == 2**16
