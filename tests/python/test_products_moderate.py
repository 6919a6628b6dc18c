"""Products of moderate size, whose first operand is read as it lies and whose second one is copied strip by strip: each
edge of blocks, strips, depths and chunks, every layout, what lies beside operands and result, NaN, threads.

The bound is that of a sum of k products in any order; the exact sums are of numbers with 12 bits, whose products and
sums long double, and float64 too, hold exactly."""
import cuprite as cp
import numpy as np
import pytest

TYPES = ["float32", "float64", "complex64", "complex128"]
EPS = {"float32": 2.0**-24, "float64": 2.0**-53, "complex64": 2.0**-22, "complex128": 2.0**-51}
# rows and columns around multiples of 4, 6, 10, 12 and of 8 to 64; depths around 128 and multiples of 256
SIZES = [(128, 64, 130), (129, 65, 128), (131, 97, 511), (191, 129, 257), (193, 200, 256), (200, 383, 255),
         (240, 511, 128), (257, 513, 127), (385, 96, 513), (479, 640, 100), (1024, 33, 300), (1023, 257, 140),
         (1025, 40, 300), (3000, 47, 129), (128, 2050, 129)]


def values(rng, shape, dtype):
    x = rng.integers(-2048, 2049, shape).astype("f8")
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.integers(-2048, 2049, shape)
    return x.astype(dtype)


def wanted(a, b):
    """The exact product, and how far another may be from it."""
    wide = "c16" if a.dtype.kind == "c" else "f8"
    exact = a.astype(wide) @ b.astype(wide)
    if a.dtype.itemsize // (1 + (a.dtype.kind == "c")) == 8:
        return exact, 0  # nothing is rounded
    return exact, (2 * a.shape[-1] + 2) * EPS[a.dtype.name] * (np.abs(a).astype("f8") @ np.abs(b).astype("f8"))


def check(got, a, b, want=None):
    """Is `got` the product of a and b, whose `wanted` may be known?"""
    got = cp.asnumpy(got)
    exact, bound = want or wanted(a, b)
    assert got.dtype == a.dtype and got.shape == exact.shape
    assert np.all(np.abs(got - exact) <= bound)


def layouts(x):
    """x by rows, by columns, as a part of something larger (NaN beside it), backwards, every second row or column."""
    def part(order, rows, columns):
        m, n = x.shape
        room = np.full((m * abs(rows) + 3, n * abs(columns) + 5), np.nan, x.dtype, order=order)
        at = (slice(2, 2 + m * abs(rows), abs(rows)), slice(1, 1 + n * abs(columns), abs(columns)))
        room[at] = x[::1 if rows > 0 else -1, ::1 if columns > 0 else -1]
        y = cp.asarray(room)[at]
        return y[::1 if rows > 0 else -1, ::1 if columns > 0 else -1]
    yield cp.asarray(x)
    yield cp.asarray(x.T.copy()).T
    for order, rows, columns in (("C", 1, 1), ("F", 1, 1), ("C", -1, 1), ("C", 2, 1), ("F", 1, -2), ("C", 1, 2)):
        yield part(order, rows, columns)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("m,n,k", SIZES)
def test_sizes(dtype, m, n, k):
    rng = np.random.default_rng(m * n)
    a, b = values(rng, (m, k), dtype), values(rng, (k, n), dtype)
    x, y = cp.asarray(a), cp.asarray(b)
    check(x @ y, a, b)
    check(cp.asarray(a.T.copy()).T @ cp.asarray(b.T.copy()).T, a, b)


@pytest.mark.parametrize("dtype", TYPES)
def test_layouts(dtype):
    rng = np.random.default_rng(7)
    a, b = values(rng, (205, 263), dtype), values(rng, (263, 301), dtype)
    for x in layouts(a):
        check(x @ cp.asarray(b), a, b)
    for y in layouts(b):
        check(cp.asarray(a) @ y, a, b)


@pytest.mark.parametrize("dtype", TYPES)
def test_one_row_again_and_again(dtype):
    """Strides of zero: rows of the first operand, or columns, that are all the same."""
    rng = np.random.default_rng(8)
    row, column, b = (values(rng, s, dtype) for s in ((300,), (140, 1), (300, 170)))
    check(cp.broadcast_to(cp.asarray(row), (140, 300)) @ cp.asarray(b), np.broadcast_to(row, (140, 300)), b)
    check(cp.broadcast_to(cp.asarray(column), (140, 300)) @ cp.asarray(b), np.broadcast_to(column, (140, 300)), b)
    same = np.broadcast_to(values(rng, (300, 1), dtype), (300, 170))
    check(cp.broadcast_to(cp.asarray(row), (140, 300)) @ cp.asarray(same), np.broadcast_to(row, (140, 300)), same)


@pytest.mark.parametrize("dtype", TYPES)
def test_nothing_beside_the_result_is_touched(dtype):
    rng = np.random.default_rng(9)
    a, b = values(rng, (203, 259), dtype), values(rng, (259, 147), dtype)
    room = cp.full((207, 151), 77, dtype)
    cp.matmul(cp.asarray(a), cp.asarray(b), out=room[2:205, 3:150])
    got = cp.asnumpy(room)
    check(cp.asarray(got[2:205, 3:150]), a, b)
    got[2:205, 3:150] = 77
    assert (got == 77).all()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("row,column,at", [(0, 0, 0), (202, 146, 258), (200, 145, 256), (5, 128, 255)])
def test_not_finite(dtype, bad, row, column, at):
    """It reaches its row or column and nothing else, also from the last rows and columns, which blocks share."""
    rng = np.random.default_rng(10)
    a, b = (np.abs(values(rng, s, dtype)) .astype(dtype) + 1 for s in ((203, 259), (259, 147)))
    good = cp.asnumpy(cp.asarray(a) @ cp.asarray(b))
    x, y = a.copy(), b.copy()
    x[row, at] = bad
    got = cp.asnumpy(cp.asarray(x) @ cp.asarray(b))
    assert not np.isfinite(got[row]).any()
    np.testing.assert_array_equal(np.delete(got, row, 0), np.delete(good, row, 0))
    y[at, column] = bad
    got = cp.asnumpy(cp.asarray(a) @ cp.asarray(y))
    assert not np.isfinite(got[:, column]).any()
    np.testing.assert_array_equal(np.delete(got, column, 1), np.delete(good, column, 1))


@pytest.mark.parametrize("dtype", TYPES)
def test_large_batches(dtype):
    """Matrices that are many and each large enough, also one of them for all."""
    rng = np.random.default_rng(11)
    a, b = values(rng, (3, 270, 260), dtype), values(rng, (3, 260, 310), dtype)
    check(cp.asarray(a) @ cp.asarray(b), a, b)
    check(cp.asarray(a[0]) @ cp.asarray(b), np.broadcast_to(a[0], a.shape), b)
    check(cp.asarray(a) @ cp.asarray(b[1]), a, np.broadcast_to(b[1], b.shape))


@pytest.mark.parametrize("dtype", TYPES)
def test_the_same_bits_by_any_number_of_threads(dtype, device):
    from cuprite import _device
    if device != "cpu":
        pytest.skip("the CPU's threads")
    rng = np.random.default_rng(12)
    a, b = (cp.asarray(rng.standard_normal(s).astype(dtype)) for s in ((600, 530), (530, 420)))
    before, results = _device.threads(), []
    try:
        for n in (1, 2, 3, 7):
            _device.threads(n)
            results.append(cp.asnumpy(a @ b))
    finally:
        _device.threads(before)
    for other in results[1:]:
        np.testing.assert_array_equal(results[0], other)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("count", [7, 19])
@pytest.mark.parametrize("m,n,k", [(101, 103, 105), (128, 128, 128), (6, 300, 640), (7, 700, 257), (200, 17, 300),
                                   (255, 256, 255)])
def test_many(dtype, count, m, n, k):
    """Each of which is a task; operands by rows, by columns, broadcast, beside NaN."""
    rng = np.random.default_rng(m + n)
    a, b = values(rng, (count, m, k), dtype), values(rng, (count, k, n), dtype)
    columns = cp.asarray(a.swapaxes(1, 2).copy()).mT
    room = np.full((count, k + 2, n + 3), np.nan, dtype)
    room[:, 1:-1, 2:-1] = b
    beside = cp.asarray(room)[:, 1:-1, 2:-1]
    want = wanted(a, b)
    for x, host, known in ((cp.asarray(a), a, want), (columns, a, want),
                           (columns[:, ::-1, :], a[:, ::-1, :], [w if np.ndim(w) == 0 else w[:, ::-1] for w in want])):
        for y in (cp.asarray(b), beside, cp.asarray(b.swapaxes(1, 2).copy()).mT):
            check(x @ y, host, b, known)
    check(cp.asarray(a) @ cp.asarray(b[0]), a, np.broadcast_to(b[0], b.shape))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("m,n,k", [(200, 130, 1024), (1024, 200, 512), (513, 96, 2048)])
def test_rows_and_columns_a_page_apart(device, dtype, m, n, k):
    """Where rows or columns of the first operand displace one another from the CPU's caches it is copied: the same bits
    as of one that is read where it lies, with a gap behind each row or column. cuBLAS may compute the two in another
    order, within the bound of any order."""
    rng = np.random.default_rng(m)
    a, b = rng.standard_normal((m, k)).astype(dtype), values(rng, (k, n), dtype)
    gaps = cp.asarray(np.pad(a, ((0, 8), (0, 8))))[:m, :k], cp.asarray(np.pad(a, ((0, 8), (0, 8))).T.copy()).T[:m, :k]
    for x in (cp.asarray(a), cp.asarray(a.T.copy()).T):
        for y in gaps:
            one, other = cp.asnumpy(x @ cp.asarray(b)), cp.asnumpy(y @ cp.asarray(b))
            if device.startswith("cuda"):
                bound = 2 * k * EPS[one.dtype.name] * (np.abs(a).astype("f8") @ np.abs(b).astype("f8"))
                assert np.all(np.abs(one - other) <= bound)
            else:
                np.testing.assert_array_equal(one, other)
