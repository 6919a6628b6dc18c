"""The GPU's kernels of sparse matrices (src/science/sparse/*.cuh) as kernels of a user's, on every device: so they run
where there is no GPU. Compared with NumPy's and SciPy's results, exactly: the elements are small integers."""
import pathlib
import re

import numpy as np
import pytest

import cuprite as cp

sp = pytest.importorskip("scipy.sparse")
FOLDER = pathlib.Path(__file__).parents[2] / "src" / "science" / "sparse"
TYPES = """
typedef long long int64_t; typedef int int32_t; typedef unsigned long long uint64_t; typedef unsigned int uint32_t;
typedef unsigned short uint16_t; typedef unsigned char uint8_t; typedef int cp_type; typedef int cp_sparse_op;
#define INT64_MAX 0x7fffffffffffffffLL
#define INT32_MAX 0x7fffffff
enum { CPI_SPARSE_THREADS = 256, NUMBER = 12 };
"""
ARITHMETIC = """
__device__ inline double cpi_sp_add(double a, double b) { return a + b; }
__device__ inline double cpi_sp_mul(double a, double b) { return a * b; }
__device__ inline bool cpi_sp_is(double a) { return a != 0; }
"""
CALLS = """
static __device__ cpi_csr csr(int64_t rows, const int *indptr, const int *indices, const double *data)
{
    cpi_csr a = {};
    a.rows = rows, a.indptr = indptr, a.indices = indices, a.data = data;
    return a;
}
template <bool FILL, int MOST>
__global__ void by_warps(int64_t rows, const int *ap, const int *ai, const double *av, const int *bp, const int *bi,
                         const double *bv, int64_t *ends, int *indices, double *data, int64_t *found, int *lists)
{
    cpi_sparse_job j = {};
    j.a = csr(rows, ap, ai, av), j.b = csr(0, bp, bi, bv);
    j.ends = ends, j.indices = indices, j.data = data, j.found = found;
    products_of_warps<double, int, MOST>(j, FILL, lists);
}
template <int MOST, int THREADS, bool FILL>
__global__ void by_blocks(int64_t rows, const int *ap, const int *ai, const double *av, const int *bp, const int *bi,
                          const double *bv, int64_t *ends, int *indices, double *data, const int64_t *listed,
                          const int *list)
{
    __shared__ uint64_t keys[BLOCK_BYTES(MOST) / sizeof(uint64_t)];
    cpi_sparse_job j = {};
    j.a = csr(rows, ap, ai, av), j.b = csr(0, bp, bi, bv);
    j.ends = ends, j.indices = indices, j.data = data;
    products_of_blocks<double, int>(j, FILL, MOST, list, listed, keys);
}
__global__ void blocks(int64_t rows, const int *p, const int *x, const double *v, int64_t height, int64_t width,
                       int64_t k, const double *in, double *y)
{
    cpi_sparse_blocks b = {};
    b.a = csr(rows, p, x, v), b.height = height, b.width = width, b.k = k, b.x = in, b.y = y;
    blocks_times_columns_of<double, int>(b);
}
__global__ void diagonals(int64_t rows, int64_t columns, int64_t count, int64_t length, const int *offsets,
                          const double *data, int64_t k, const double *in, double *y)
{
    cpi_sparse_diagonals d = {};
    d.rows = rows, d.columns = columns, d.count = count, d.length = length, d.k = k;
    d.offsets = offsets, d.data = data, d.x = in, d.y = y;
    diagonals_times_columns_of<double, int>(d);
}
__global__ void spans(int64_t lines, int64_t count, const int64_t *numbers, const double *data, int64_t *ends, int *x,
                      double *out)
{
    cpi_sparse_spans s = {};
    s.lines = lines, s.count = count, s.spans = numbers, s.data = data, s.ends = ends, s.indices = x, s.out = out;
    if (x) spans_fill_of<double, int>(s);
    else spans_count_of<double, int>(s);
}
__global__ void untile(int64_t rows, int64_t n, int *p, int *x, const double *v, int64_t height, int64_t width,
                       int *ends, int *indices, double *data)
{
    cpi_sparse_tiles t = {};
    t.a = csr(rows, p, x, v), t.a.nnz = n, t.height = height, t.width = width;
    t.indptr = ends, t.indices = indices, t.data = data;
    untile_of<double, int>(t);
}
template <int LANES>
__global__ void multiply(int64_t rows, const int *p, const int *x, const double *v, int64_t k, const double *in,
                         double *y)
{
    cpi_sparse_multiply m = {};
    m.a = csr(rows, p, x, v), m.k = k, m.x = in, m.y = y;
    if (LANES) rows_times_vector_of<double, int, LANES ? LANES : 4>(m);
    else rows_times_columns_of<double, int>(m);
}
"""
NAMES = ["count_rows<int>", "multiply<0>", "blocks", "diagonals", "spans", "untile", "multiply<4>", "multiply<16>"]
NAMES += ["place_numbers<double, int>", "sum_rows<double, int>", "place_rest<int>", "sum_rest<double, int>"]
NAMES += [f"{name}, {ordered}>" for ordered in ("false", "true")
          for name in ("place_entries<int", "order_short<double, int", "order_long<double, int")]
BLOCKS = ((128, 32), (1024, 128), (4096, 512))
NAMES += [f"by_blocks<{most}, {threads}, {fill}>" for most, threads in BLOCKS for fill in ("false", "true")]
NAMES += ["by_warps<false, 4096>", "by_warps<true, 4096>"]


@pytest.fixture(scope="module")
def kernels():
    header = (FOLDER / "sparse.h").read_text()
    structs = "".join(re.search(rf"typedef struct {n} \{{.*?\}} {n};", header, re.S)[0] + "\n"
                      for n in ("cpi_csr", "cpi_sparse_job", "cpi_sparse_multiply", "cpi_sparse_blocks",
                                "cpi_sparse_diagonals", "cpi_sparse_spans", "cpi_sparse_tiles"))
    structs += re.search(r"enum \{ CPI_SPAN_FIRST.*?;", header, re.S)[0]
    parts = [(FOLDER / f).read_text() for f in ("compress.cuh", "transposed.cuh", "product.cuh", "multiply.cuh",
                                              "formats.cuh")]
    code = TYPES + structs + ARITHMETIC + "enum { THREADS = 256 };\n" + "".join(parts) + CALLS
    module = cp.RawModule(code=code, options=("--std=c++17",), name_expressions=NAMES)
    return {n: module.get_function(n) for n in NAMES}


@pytest.mark.parametrize("shape", [(7, 5), (5, 7), (300, 300), (1, 1)])
def test_diagonals(kernels, shape):
    """Products and lines of diagonals that leave the matrix, or are longer or shorter than it, with zeros in them."""
    r = np.random.default_rng(shape)
    (m, n), offsets = shape, r.permutation(np.arange(-shape[0] - 1, shape[1] + 2))[:6].astype("i4")
    for length in (n, n + 3, max(n - 2, 1)):
        data = np.where(r.random((offsets.size, length)) < .3, 0, r.normal(size=(offsets.size, length)))
        theirs = sp.dia_array((data, offsets), shape=shape)
        for k in (1, 3):
            x, y = r.normal(size=(n, k)), cp.full((m, k), 9.0)
            sizes = map(np.int64, (m, n, offsets.size, length))
            kernels["diagonals"](blocks(m * k), (256,), (*sizes, cp.asarray(offsets), cp.asarray(data), np.int64(k),
                                                         cp.asarray(x), y))
            np.testing.assert_allclose(y.get(), theirs.toarray() @ x, rtol=1e-13, atol=1e-13)
        for by_columns in (False, True):
            numbers = []
            for i, offset in enumerate(offsets.tolist()):
                first, end = max(offset, 0), min(m + offset, n, length)
                if first < end:
                    numbers.append([first, end, i * length, -offset] if by_columns else
                                   [first - offset, end - offset, i * length + offset, offset])
            numbers.sort(key=lambda span: span[3])
            lines, spans = (n if by_columns else m), cp.asarray(np.array(numbers, "i8").reshape(-1, 4))
            ends, given = cp.zeros(lines + 1, "i8"), cp.asarray(data)
            kernels["spans"](blocks(lines), (256,), (np.int64(lines), np.int64(len(numbers)), spans, given, ends, None,
                                                     None))
            ends = cp.cumsum(ends)
            want = theirs.toarray()
            want = sp.csr_array(want.T if by_columns else want)
            np.testing.assert_array_equal(ends.get(), want.indptr)
            indices, out = cp.full(want.nnz + 1, 77, dtype="i4"), cp.zeros(want.nnz)
            kernels["spans"](blocks(lines), (256,), (np.int64(lines), np.int64(len(numbers)), spans, given, ends,
                                                     indices, out))
            np.testing.assert_array_equal(indices.get()[:-1], want.indices)
            np.testing.assert_array_equal(out.get(), want.data)
            assert indices[-1] == 77


@pytest.mark.parametrize("height, width", [(1, 1), (2, 3), (4, 2), (5, 1)])
def test_blocks_to_rows(kernels, height, width):
    r = np.random.default_rng((height, width))
    for rows, columns in ((1, 3), (7, 4), (40, 50)):
        ends = np.concatenate([[0], np.cumsum(r.integers(0, 5, rows))]).astype("i4")
        n = int(ends[-1])
        index, data = r.integers(0, columns, n).astype("i4"), r.normal(size=(n, height, width))
        want = sp.bsr_array((data, index, ends), shape=(rows * height, columns * width)).tocsr()
        pointers, indices = cp.full(rows * height + 1, 7, dtype="i4"), cp.full(data.size, 7, dtype="i4")
        out = cp.zeros(data.size)
        given = (cp.asarray(v) for v in (ends, index, data))
        kernels["untile"](blocks(rows * height * 32), (256,), (np.int64(rows), np.int64(n), *given, np.int64(height),
                                                               np.int64(width), pointers, indices, out))
        for got, wanted in ((pointers, want.indptr), (indices, want.indices), (out, want.data)):
            np.testing.assert_array_equal(got.get(), wanted)


def blocks(n, threads=256):
    return (max(1, -(-n // threads)),)


@pytest.mark.parametrize("ordered", ["false", "true"])
@pytest.mark.parametrize("rows, n, heavy", [(5, 100, 0), (100, 1000, 0), (1, 5000, 0), (3, 9000, 0), (300, 20000, .5),
                                            (7, 1, 0), (40, 1300, 0), (20, 1300, 0), (4, 4000, 0)])
def test_compress(kernels, rows, n, heavy, ordered):
    """Coordinates to rows: in their order, or by column."""
    r = np.random.default_rng(n)
    row = np.where(r.random(n) < heavy, rows // 3, r.integers(0, rows, n)).astype("i4")
    column, data = r.integers(0, 5000, n).astype("i4"), r.normal(size=n)
    counts = np.bincount(row, minlength=rows)
    on_device, ends, place = cp.asarray(row), cp.zeros(rows + 1, dtype="i4"), cp.zeros(n, dtype="i4")
    listed, some, twice = cp.full(1, 77, dtype="i4"), cp.zeros(n // 64 + 2, dtype="i4"), cp.full(1, 77, dtype="u8")
    kernels["count_rows<int>"](blocks(n), (256,), (np.int64(n), on_device, ends, place, listed, twice))
    assert int(listed[0]) == int(twice[0]) == 0
    ends = cp.cumsum(ends).astype("i4")
    np.testing.assert_array_equal(ends.get(), np.concatenate([[0], np.cumsum(counts)]))
    np.testing.assert_array_equal(np.sort(ends.get()[row] + place.get()), np.arange(n))
    place = np.empty(n, "i4")
    for i in range(rows):   # a GPU places them in any order
        place[row == i] = r.permutation(counts[i])
    entries, column_, data_ = cp.zeros(2 * n, dtype="i4"), cp.asarray(column), cp.asarray(data)
    lines = (column_, cp.zeros(1, dtype="i4"), np.int64(0))
    kernels[f"place_entries<int, {ordered}>"](blocks(n), (256,), (np.int64(n), on_device, *lines, ends,
                                                                  cp.asarray(place), entries))
    indices, out = cp.zeros(n, dtype="i4"), cp.zeros(n)
    kernels[f"order_short<double, int, {ordered}>"](blocks(rows * 8), (256,), (
        np.int64(rows), ends, entries, data_, indices, out, listed, some, twice))
    kernels[f"order_long<double, int, {ordered}>"]((3,), (256,), (
        np.int64(n), on_device, *lines, ends, entries, data_, indices, out, listed, some, twice))
    assert int(listed[0]) == (counts > 64).sum()
    sorts = ordered == "true" and counts.max() <= 2048
    order = np.lexsort((column, row)) if sorts else np.argsort(row, kind="stable")
    if ordered == "true" and not sorts:     # rows that fit in shared memory are sorted nevertheless
        assert int(twice[0]) >= 1 << 62
        order = np.lexsort((np.where(counts[row] > 2048, 0, column), row))
    np.testing.assert_array_equal(indices.get(), column[order])
    np.testing.assert_array_equal(out.get(), data[order])
    if sorts:
        assert int(twice[0]) == n - len(set(zip(row, column)))


def test_transpose(kernels):
    """The same where an element's column is its line of another matrix."""
    m = matrix(np.random.default_rng(3), 70, 50, 9)
    n, ends = m.nnz, cp.asarray(np.concatenate([[0], np.cumsum(np.bincount(m.indices, minlength=50))]).astype("i4"))
    place, seen = np.empty(n, "i4"), np.zeros(50, int)
    for k in reversed(range(n)):
        place[k] = seen[m.indices[k]]
        seen[m.indices[k]] += 1
    entries, lines = cp.zeros(2 * n, dtype="i4"), (cp.asarray(m.indptr), np.int64(70))
    kernels["place_entries<int, false>"](blocks(n), (256,), (np.int64(n), cp.asarray(m.indices), np.intp(0), *lines,
                                                             ends, cp.asarray(place), entries))
    indices, out = cp.zeros(n, dtype="i4"), cp.zeros(n)
    kernels["order_short<double, int, false>"](blocks(50 * 8), (256,), (
        np.int64(50), ends, entries, cp.asarray(m.data), indices, out, cp.zeros(1, dtype="i4"),
        cp.zeros(9, dtype="i4"), np.intp(0)))
    expected = m.T.tocsr()
    np.testing.assert_array_equal(indices.get(), expected.indices)
    np.testing.assert_array_equal(out.get(), expected.data)


def matrix(r, rows, columns, mean):
    n = rows * mean
    m = sp.coo_matrix((r.integers(1, 4, n).astype(float) * r.choice([-1, 1], n),
                       (r.integers(0, rows, n), r.integers(0, columns, n))), shape=(rows, columns)).tocsr()
    m.sort_indices()
    return m


def arrays(m):
    return cp.asarray(m.indptr), cp.asarray(m.indices), cp.asarray(m.data)


def products(kernels, rows, operands, ends, indices, data, fill):
    """Both kernels; the counters of listed rows."""
    found, lists = cp.zeros(4, dtype="i8"), cp.full(3 * rows, -1, dtype="i4")
    arguments = [np.int64(rows), *operands, ends, indices, data]
    kernels[f"by_warps<{fill}, 4096>"](blocks(rows, 4), (128,), (*arguments, found, lists))
    for c, (most, threads) in enumerate(BLOCKS):
        kernels[f"by_blocks<{most}, {threads}, {fill}>"]((3,), (threads,), (*arguments, found[c:],
                                                                           lists[c * rows:]))
    return found.get()


@pytest.mark.parametrize("rows, inner, columns, mean", [(20, 30, 25, 3), (9, 40, 7, 6), (5, 200, 300, 25),
                                                        (3, 100, 50, 60), (4, 9, 8, 0), (50, 90, 4000, 8),
                                                        (40, 900, 30, 1), (3, 3, 64, 40)])
def test_product(kernels, rows, inner, columns, mean):
    """Rows of few products and of many; sums that become 0 are left out."""
    r = np.random.default_rng(rows)
    a, b = matrix(r, rows, inner, mean), matrix(r, inner, columns, mean)
    a = sp.vstack([a[:-1], sp.csr_matrix(np.ones(inner))]).tocsr() if mean == 1 else a  # many without products
    b.data[: b.nnz // 3] = 0
    products_ = np.array([np.diff(b.indptr)[a.indices[a.indptr[i]:a.indptr[i + 1]]].sum() for i in range(rows)])
    expected = a.toarray() @ b.toarray()
    where = expected.nonzero()
    ends, operands = cp.zeros(rows + 1, dtype="i8"), (*arrays(a), *arrays(b))
    none = cp.zeros(1, dtype="i4")
    found = products(kernels, rows, operands, ends, none, cp.zeros(1), "false")
    assert found.sum() == (products_ > 64).sum() and found[3] == 0
    np.testing.assert_array_equal(ends.get()[1:], (expected != 0).sum(1))
    ends = cp.cumsum(ends)
    indices, data = cp.full(int(ends[-1]) + 1, -7, dtype="i4"), cp.full(int(ends[-1]) + 1, -7.0)
    products(kernels, rows, operands, ends, indices, data, "true")
    np.testing.assert_array_equal(indices.get(), [*where[1], -7])
    np.testing.assert_array_equal(data.get(), [*expected[where], -7.0])


def test_product_of_too_many(kernels):
    """A row of more products than a block sorts is counted, and left."""
    a, b = sp.csr_matrix(np.ones((2, 70))), sp.csr_matrix(np.ones((70, 70)))
    found, lists = cp.zeros(4, dtype="i8"), cp.zeros(6, dtype="i4")
    kernels["by_warps<false, 4096>"]((1,), (128,), (np.int64(2), *arrays(a), *arrays(b), cp.zeros(3, dtype="i8"),
                                                    cp.zeros(1, dtype="i4"), cp.zeros(1), found, lists))
    np.testing.assert_array_equal(found.get(), [0, 0, 0, 2])


@pytest.mark.parametrize("lanes", [4, 16])
@pytest.mark.parametrize("rows, columns, mean", [(1, 1, 1), (70, 30, 3), (33, 500, 40), (5, 5, 0)])
def test_multiply(kernels, lanes, rows, columns, mean):
    r = np.random.default_rng(rows)
    m, x = matrix(r, rows, columns, mean), r.integers(-5, 5, columns).astype(float)
    y = cp.full(rows, np.nan)
    kernels[f"multiply<{lanes}>"](blocks(rows * lanes), (256,), (np.int64(rows), *arrays(m), np.int64(1),
                                                                cp.asarray(x), y))
    np.testing.assert_array_equal(y.get(), m @ x)
    x = r.integers(-5, 5, (columns, 3)).astype(float)
    y = cp.full((rows, 3), np.nan)
    kernels["multiply<0>"]((2,), (256,), (np.int64(rows), *arrays(m), np.int64(3), cp.asarray(x), y))
    np.testing.assert_array_equal(y.get(), m @ x)


@pytest.mark.parametrize("size", [(1, 1), (2, 3), (5, 2)])
def test_blocks(kernels, size):
    r = np.random.default_rng(size)
    m = matrix(r, 17, 12, 3)
    b = sp.bsr_matrix((r.integers(-3, 4, (m.nnz, *size)).astype(float), m.indices, m.indptr))
    for k in (1, 3):
        x, y = r.integers(-5, 5, (b.shape[1], k)).astype(float), cp.full((b.shape[0], k), np.nan)
        kernels["blocks"]((2,), (256,), (np.int64(17), *arrays(b), *(np.int64(v) for v in (*size, k)), cp.asarray(x),
                                         y))
        np.testing.assert_array_equal(y.get(), b @ x)


@pytest.mark.parametrize("ones", [False, True])
@pytest.mark.parametrize("parts, space", [(1, 0), (2, 4), (4, 12), (4, 48)])
@pytest.mark.parametrize("rows, columns, mean", [(60, 41, 5), (500, 300, 3), (900, 9, 5), (9000, 3, 1), (5, 5, 0),
                                                 (70000, 2000, 1), (3, 300, 900)])
def test_transpose_times_vector(kernels, parts, space, rows, columns, mean, ones):
    """Sums of a row of the transpose, in parts; of numbers whose sum shows the order."""
    r = np.random.default_rng(parts)
    m = matrix(r, rows, columns, mean)
    n, m.data[:], x = m.nnz, r.normal(size=m.nnz) * 10.0 ** r.integers(-8, 8, m.nnz), r.normal(size=rows)
    each, most = -(-rows // parts), min(n, columns)
    indices, indptr, data = cp.asarray(m.indices), cp.asarray(m.indptr), cp.asarray(m.data)
    count, cursor, numbers = (cp.zeros(shape, dtype="i4") for shape in (columns, columns, (columns, space)))
    found, more, list_ = cp.zeros(3, dtype="i4"), cp.full(n, -1, dtype="i4"), cp.full(most, -1, dtype="i4")
    y, given = cp.full(columns, np.nan), np.intp(0) if ones else cp.asarray(x)
    n_, each_, parts_, space_, most_ = map(np.int64, (n, each, parts, space, most))
    lines, made = (indptr, np.int64(rows)), data if ones else cp.full(n, np.nan)
    kernels["place_numbers<double, int>"](blocks(n), (256,), (n_, indices, *lines, data, given, made, space_, count,
                                                              numbers))
    counts, line = np.bincount(m.indices, minlength=columns), np.repeat(np.arange(rows), np.diff(m.indptr))
    np.testing.assert_array_equal(count.get(), counts)
    products = m.data * (1 if ones else x[line])
    np.testing.assert_array_equal(made.get(), products)
    numbers_ = numbers.get()
    for c in range(columns):    # a GPU places them in any order
        some = min(counts[c], space)
        assert set(numbers_[c, :some]) <= set(np.flatnonzero(m.indices == c)) and len(set(numbers_[c, :some])) == some
        numbers_[c, :some] = numbers_[c, r.permutation(some)]
    kernels["sum_rows<double, int>"](blocks(8 * columns), (256,), (
        np.int64(columns), each_, parts_, *lines, space_, count, cp.asarray(numbers_), made, y, found, cursor, list_,
        most_))
    over, begin = counts[counts > space], cursor.get()
    np.testing.assert_array_equal(found.get(), [over.sum(), (over <= 48).sum(), (over > 48).sum()])
    assert np.isnan(y.get()).sum() == over.size
    kernels["place_rest<int>"]((2,), (256,), (n_, indices, space_, count, cursor, found, more))
    more_ = more.get()
    for c in np.flatnonzero(counts > space):
        mine = slice(begin[c], begin[c] + counts[c])
        assert cursor.get()[c] == mine.stop
        np.testing.assert_array_equal(np.sort(more_[mine]), np.flatnonzero(m.indices == c))
        more_[mine] = r.permutation(more_[mine])
    kernels["sum_rest<double, int>"]((2,), (256,), (
        n_, each_, parts_, indices, *lines, count, cursor, found, cp.asarray(more_), made, y, list_, most_))
    expected = np.zeros((parts, columns))
    np.add.at(expected, (line // each, m.indices), products)
    total = expected[0]
    for part in expected[1:]:
        total = total + part
    np.testing.assert_array_equal(y.get(), total)


VECTORS = """
typedef long long int64_t; typedef int cp_type;
struct cp_complex64 { float re, im; };
struct cp_complex128 { double re, im; };
#define CPI_VECTORS_FN static __device__ inline
"""
VECTOR_CALLS = """
template <class V, int WIDTH>
static __device__ cpi_sparse_basis basis_of(int64_t n, int64_t count, const V *rows, const V *x, const V *last,
                                            double *gram, int64_t gram_step, double *numbers, double *total, V *to)
{
    cpi_sparse_basis b = {};
    b.n = n, b.count = count, b.step = n, b.rows = rows, b.x = x, b.last = last, b.gram = gram;
    b.gram_step = gram_step, b.numbers = numbers, b.total = total, b.to = to;
    return b;
}
template <class V, int WIDTH>
__global__ void dots(int64_t n, int64_t count, const V *rows, const V *x, const V *last, cpi_number *partial)
{
    basis_dots_of<V>(basis_of<V, WIDTH>(n, count, rows, x, last, 0, 0, 0, 0, 0), gridDim.x, partial);
}
template <int WIDTH>
__global__ void finish(int64_t n, int64_t count, const double *last, double *gram, int64_t gram_step, double *numbers,
                       double *total, int64_t products, int64_t chunks, const cpi_number *partial, int root,
                       double *state, double limit)
{
    finish_job j = {};
    j.b = basis_of<double, WIDTH>(n, count, 0, 0, last, gram, gram_step, numbers, total, 0);
    j.products = products, j.chunks = chunks, j.partial = partial, j.numbers = numbers, j.root = root;
    j.measure = j.count = state != 0, j.state = state, j.limit = limit;
    finish_of<WIDTH>(j);
}
template <int WIDTH> __global__ void turn(int turn, double *state, double *numbers)
{
    finish_job j = {};
    j.turn = turn, j.state = state, j.all = numbers;
    finish_of<WIDTH>(j);
}
template <class V, int WIDTH>
__global__ void subtract(int64_t n, int64_t count, const V *rows, const V *x, double *numbers, V *to,
                         cpi_number *partial)
{
    basis_subtract_of<V>(basis_of<V, WIDTH>(n, count, rows, x, 0, 0, 0, numbers, 0, to), partial);
}
template <class V> __global__ void one_pass(int64_t n, V *x, V *y, const double *numbers, double a, double *state,
                                            cpi_number *partial)
{
    cpi_sparse_pass p = {};
    p.n = n, p.sums = 2, p.dots = 2, p.state = state;
    p.sum[0].to = x, p.sum[0].terms = 2, p.sum[0].x[0] = x, p.sum[0].x[1] = y;
    p.sum[0].by[0].times = 1, p.sum[0].by[1].times = a;
    p.sum[0].by[1].over[0] = numbers, p.sum[0].by[1].under[0] = numbers + 2;
    p.sum[1].to = y, p.sum[1].terms = 1, p.sum[1].x[0] = x, p.sum[1].by[0].times = 2;
    p.left[0] = x, p.right[0] = y, p.left[1] = p.right[1] = y;
    pass_of<V>(p, gridDim.x, partial);
}
"""
NUMBERS = {"double": (1, "f8"), "float": (1, "f4"), "cp_complex64": (2, "c8"), "cp_complex128": (2, "c16")}
VECTOR_NAMES = [f"{k}<{v}, {w}>" for v, (w, _) in NUMBERS.items() for k in ("dots", "subtract")]
VECTOR_NAMES += ["finish<1>", "finish<2>", "turn<1>", "turn<2>", *(f"one_pass<{v}>" for v in NUMBERS)]


@pytest.fixture(scope="module")
def vector_kernels():
    header = (FOLDER / "sparse.h").read_text()
    structs = re.search(r"enum \{ CPI_SPARSE_CHUNK.*?;.*?;", header, re.S)[0] + "".join(
        re.search(rf"typedef struct {n} \{{.*?\}} {n};", header, re.S)[0] + "\n"
        for n in ("cpi_sparse_basis", "cpi_sparse_factor", "cpi_sparse_sum", "cpi_sparse_pass"))
    files = ("vectors.inc", "least_turns.inc", "turns.inc", "vectors.cuh")
    code = VECTORS + structs + "".join((FOLDER / f).read_text() for f in files) + VECTOR_CALLS
    module = cp.RawModule(code=code, options=("--std=c++17", "--fmad=false"),
                          name_expressions=VECTOR_NAMES)
    return {n: module.get_function(n) for n in VECTOR_NAMES}


def drawn(r, shape, dtype):
    x = r.normal(size=shape)
    return (x + 1j * r.normal(size=shape) if dtype[0] == "c" else x).astype(dtype)


def same(got, want, real, single):
    """The same bits; of complex numbers nearly, since GCC has instructions for them that round once (fmaddsub)."""
    got, want = got.get(), want.get()
    if real:
        np.testing.assert_array_equal(got, want)
    else:
        tol = 1e-5 if single else 1e-12
        np.testing.assert_allclose(got, want, rtol=tol, atol=tol * abs(want).max(initial=0))


@pytest.mark.parametrize("element", NUMBERS)
@pytest.mark.parametrize("n, count", [(1, 1), (33, 3), (1024, 9), (1025, 33), (3000, 70)])
def test_bases(vector_kernels, element, n, count):
    """The kernels' coefficients and remainders: the library's on the CPU, bit for bit where they are real."""
    from cuprite import _sparse
    width, dtype = NUMBERS[element]
    wide, number = "c16" if width == 2 else "f8", np.int64
    r = np.random.default_rng((n, count))
    basis = np.linalg.qr(drawn(r, (n, count), dtype.replace("4", "8") if dtype == "f4" else dtype))[0].T
    count = len(basis)
    rows = cp.zeros((count + 1, n), dtype=dtype)
    rows[:count] = cp.asarray(basis.astype(dtype))
    gram = cp.asarray(np.tril(drawn(r, (count, count), wide)) * 1e-3)
    h, x = cp.zeros((count, count + 1), dtype=wide), cp.asarray(drawn(r, n, dtype))
    mine, taken, line = rows.copy(), gram.copy(), cp.zeros(count + 1, dtype=wide)
    _sparse.sparse_extend(rows, x, h, gram, count - 1, -1)
    chunks = -(-n // 1024)
    partial = cp.full(2 * 2 * count * chunks, np.nan)
    last, none = (mine[count - 1], cp.zeros(1)) if count > 1 else (None, None)
    grid = (chunks, -(-count // 8))
    vector_kernels[f"dots<{element}, {width}>"](grid, (256,), (number(n), number(count), mine, x, last, partial))
    products = number(2 * count if count > 1 else 1)
    vector_kernels[f"finish<{width}>"]((1,), (1024,), (number(n), number(count), none, taken, number(count), line, None,
                                                      products, number(chunks), partial, np.int32(0), None, 0.0))
    same(line[:count], h[count - 1, :count], width == 1, dtype == "c8")
    same(taken, gram, width == 1, dtype == "c8")
    vector_kernels[f"subtract<{element}, {width}>"]((chunks,), (512,), (number(n), number(count), mine, x, line,
                                                                      mine[count], partial))
    size = cp.zeros(1, dtype=wide)
    vector_kernels[f"finish<{width}>"]((1,), (32,), (number(n), number(0), None, None, number(0), size, None, number(1),
                                                    number(chunks), partial, np.int32(1), None, 0.0))
    if n > count:
        same(size, h[count - 1, count:], width == 1, dtype == "c8")
    left = (mine[count].astype(wide) / size).astype(dtype) if width == 1 else mine[count]
    if float(size[0].real) > 1e-5:
        np.testing.assert_allclose(left.get() / (1 if width == 1 else size.get()), rows.get()[count],
                                   rtol=1e-5 if dtype in ("f4", "c8") else 1e-13, atol=1e-6)


@pytest.mark.parametrize("element", NUMBERS)
@pytest.mark.parametrize("n", [1, 40, 1024, 5000])
@pytest.mark.parametrize("live", [0.0, 1.0])
def test_passes(vector_kernels, element, n, live):
    from cuprite import _sparse
    from cuprite.scipy.sparse.linalg._passes import ONE, factor, plan
    width, dtype = NUMBERS[element]
    wide = "c16" if width == 2 else "f8"
    r = np.random.default_rng(n)
    x, y = (cp.asarray(drawn(r, n, dtype)) for _ in range(2))
    numbers = cp.asarray(drawn(r, 4, wide))
    state = cp.asarray([live, 3.0, 0.0])
    p, q, theirs = x.copy(), y.copy(), state.copy()
    under = 2 if width == 1 else 1    # numbers + 2 doubles
    out = numbers.copy()
    both = plan("xy", [("x", ("x", ONE), ("y", factor(1, over=(0,), under=(under,)))), ("y", ("x", factor(2)))],
                ["xy", "yy"], 2, 3)
    _sparse.sparse_pass([x, y], both, out, state, 1.5, 2.0, limit=0.5)
    chunks = -(-n // 1024)
    partial, found = cp.full(4 * chunks, np.nan), cp.zeros(2, dtype=wide)
    number = np.int64
    vector_kernels[f"one_pass<{element}>"]((chunks,), (256,), (number(n), p, q, numbers, 1.5, theirs, partial))
    vector_kernels[f"finish<{width}>"]((1,), (64,), (number(n), number(0), None, None, number(0), found, None,
                                                    number(2), number(chunks), partial, np.int32(0), theirs, 0.5))
    for got, want in ((p, x), (q, y), (found, out[2:]), (theirs, state)):
        same(got, want, width == 1, dtype == "c8")


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("case", ["goes on", "done", "first", "not symmetric", "dead"])
def test_numbers_of_minres(vector_kernels, width, case):
    """The rotation and the tests behind a pass: the library's on the CPU, bit for bit."""
    from cuprite import _sparse
    from cuprite.scipy.sparse.linalg._passes import ROTATE, TEST, plan
    r = np.random.default_rng(width)
    numbers = cp.asarray(r.uniform(0.5, 2, 11), dtype="c16" if width == 2 else "f8")
    state = r.uniform(0.5, 2, 22)
    state[:7] = case != "dead", case != "first", 0.25, 0, 1e9 if case == "done" else 1e-9, 2.0**-52, 1000
    state = cp.asarray(state)
    x = cp.asarray([1.5])
    mine, known = numbers.copy(), state.copy()
    if width == 2:
        x = x.astype("c16")
    if case == "not symmetric":  # a product that is below 0
        x = cp.concatenate([x, -x])
    pair = [x[:1], x[-1:]]
    square = -2.25 if case == "not symmetric" else 2.25
    before = state.tolist()
    for flag, at, turn in ((ROTATE, 1, 1), (TEST, 2, 2)):
        _sparse.sparse_pass(pair, plan("xy", [], ["xy"], at, flag), numbers, state)
        mine[at] = square
        vector_kernels[f"turn<{width}>"]((1,), (32,), (np.int32(turn), known, mine))
        same(mine, numbers, True, False)
        same(known, state, True, False)
    live, steps, size, stop = state.tolist()[:4]
    if case == "dead":
        assert state.tolist() == before
    elif case == "not symmetric":
        assert (live, stop, steps) == (0, -2, before[1])
    else:
        assert (live, stop) == ((0, 1) if case == "done" else (1, 0)) and steps == before[1] + 1 and 0 < size < 0.25


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("turn", range(4, 17))
def test_numbers_of_turns(vector_kernels, width, turn):
    """What follows a pass, where all is well, where a number is too small, and where the solver is not live: the
    library's on the CPU, bit for bit."""
    from cuprite import _sparse
    from cuprite.scipy.sparse.linalg._passes import plan
    r = np.random.default_rng((width, turn))
    at = {4: 1, 5: 2, 7: 4, 9: 0, 10: 1, 11: 2, 12: 3, 13: 4, 14: 1, 15: 2, 16: 0}.get(turn, 1)   # of the products
    pairs = ["xy", "xx", "yx"] if turn in (6, 8) else ["xy", "xx"] if turn == 13 else ["xy"]
    x, y = (cp.asarray(drawn(r, 7, "c16" if width == 2 else "f8")) for _ in range(2))
    if turn in (6, 8, 12, 15):
        y = x * 1.5
    own = 1 if turn in (5, 11, 14) else 0   # alone of all these stop where a number is 0 itself, below
    never = own or turn in (12, 13, 15, 16)
    stopped = set()
    for case in ("well", "small", "dead"):
        numbers = cp.asarray(drawn(r, 15, "c16" if width == 2 else "f8"))
        state = r.uniform(0.5, 2, 9)
        state[:5] = case != "dead", 3, 0.25, 0, 1e9 if case == "small" else 1e-9
        if turn in (12, 15):
            state[5:] = 1e9 if case == "small" else 1e-9, 0.5, 1e9 if case == "small" else 1e-9, 0
        elif turn > 9:
            state[6:] = 0
        state = cp.asarray(state)
        mine, known, before = numbers.copy(), state.copy(), numbers.copy()
        _sparse.sparse_pass([x, y], plan("xy", [], pairs, at, turn * 8), numbers, state)
        mine[at:at + len(pairs)] = before[at:at + len(pairs)] = numbers[at:at + len(pairs)]
        vector_kernels[f"turn<{width}>"]((1,), (32,), (np.int32(turn), known, mine))
        same(mine, numbers, True, False)
        same(known, state, True, False)
        live, steps, size, code = known.tolist()[:4]
        stops = case == "small" and not never
        assert (live, code != 0) == (case != "dead" and not stops, stops)
        if turn != 15 or case == "dead":
            assert (steps, size) == (3, 0.25)
        else:
            assert steps == 4 and known[8] == (case == "small")
        if turn == 12:
            assert known[6] == (1 if case == "small" else 0.5)
        assert case != "dead" or (mine == before).all()
        stopped.add(code)
    x[:] = 0
    if own:
        state = cp.asarray([1.0, 3, 0.25, 0, 1e-9, 1, 0, 1, 0])
        _sparse.sparse_pass([x, y], plan("xy", [], ["xy"], at, turn * 8), numbers, state)
        stopped.add(state[3].item())
    wanted = {4: -10, 5: -11, 6: -10, 7: -14, 8: -12, 9: -10, 10: -10, 11: -11, 14: -1}
    assert stopped == {0, wanted[turn]} if turn in wanted else stopped == {0}


@pytest.mark.parametrize("width", [1, 2])
def test_ends_of_bicgstab_and_tfqmr(vector_kernels, width):
    """An omega that is too small; a step that ends at its half has none; a solver that was about to end."""
    dtype = "c16" if width == 2 else "f8"
    r = np.random.default_rng(width)
    for turn, own in ((10, (1e-3, 1)), (13, (0, 1)), (14, (0, 0, 0, 1)), (15, (0, 0, 0, 1)), (16, (0, 0, 0, 1))):
        numbers = cp.asarray(drawn(r, 11, dtype))
        if turn == 10:
            numbers[1], numbers[8] = 2, 1e-20
        state = cp.asarray([1.0, 3, 0.25, 0, 1e-9, *own])
        before = numbers.copy()
        vector_kernels[f"turn<{width}>"]((1,), (32,), (np.int32(turn), state, numbers))
        assert state[:4].tolist() == {10: [0, 3, 0.25, -11], 13: [1, 3, 0.25, 0]}.get(turn, [0, 3, 0.25, 0])
        if turn == 13:
            before[8] = 0
        assert (numbers == before).all()


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("first", [17, 19])
@pytest.mark.parametrize("case", ["goes on", "done", "no beta", "damped", "last", "dead"])
def test_numbers_of_least_squares(vector_kernels, width, first, case):
    """A step's rotation and end of lsqr and lsmr: the library's on the CPU, bit for bit; why they stop."""
    from cuprite import _sparse
    from cuprite.scipy.sparse.linalg._passes import ROOTS, plan
    r = np.random.default_rng((width, first))
    numbers = r.uniform(0.5, 2, 8)
    numbers[0] = 0 if case == "no beta" else numbers[0]
    numbers, state = cp.asarray(numbers, dtype="c16" if width == 2 else "f8"), r.uniform(0.5, 2, 35)
    tol = 1e9 if case == "done" else 0
    state[:9] = case != "dead", 3, 0.25, 0, tol, tol, 0, 4 if case == "last" else 100, 0.5 * (case == "damped")
    state = cp.asarray(state)
    x = cp.asarray([1.5]).astype("c16" if width == 2 else "f8")
    mine, known, before = numbers.copy(), state.copy(), state.tolist()
    for turn, at in ((first, 1), (first + 1, 2)):
        _sparse.sparse_pass([x, x], plan("xy", [], ["xy"], at, turn * 8 + ROOTS), numbers, state)
        mine[at] = 1.5
        vector_kernels[f"turn<{width}>"]((1,), (32,), (np.int32(turn), known, mine))
        same(mine, numbers, True, False)
        same(known, state, True, False)
    live, steps, _, stop = state.tolist()[:4]
    if case == "dead":
        assert state.tolist() == before
    else:
        assert np.isfinite(known.get()).all() and np.isfinite(mine.get()).all()
        assert steps == 4 and stop == {"done": 1, "no beta": 2, "last": 7}.get(case, 0) and live == (stop == 0)
