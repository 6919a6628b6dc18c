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
typedef unsigned short uint16_t; typedef int cp_type; typedef int cp_sparse_op;
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
template <int MOST, int THREADS, bool FILL>
__global__ void product(int64_t rows, const int *ap, const int *ai, const double *av, const int *bp, const int *bi,
                        const double *bv, int64_t *ends, int *indices, double *data, int64_t *found)
{
    cpi_sparse_job j = {};
    j.a = csr(rows, ap, ai, av), j.b = csr(0, bp, bi, bv);
    j.ends = ends, j.indices = indices, j.data = data, j.found = found;
    if (FILL) fill_products_of<double, int, MOST, THREADS>(j);
    else count_products_of<int, MOST, THREADS>(j);
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
NAMES = ["count_rows<int>", "place_numbers<int>", "sort_short<int>", "sort_long<int>", "gather_elements<double, int>",
         "parts_times_vector<double, int>", "multiply<0>", "multiply<4>", "multiply<16>"]
NAMES += [f"product<{most}, {threads}, {fill}>" for most, threads in ((128, 32), (1024, 128), (4096, 512))
          for fill in ("false", "true")]


@pytest.fixture(scope="module")
def kernels():
    header = (FOLDER / "sparse.h").read_text()
    structs = "".join(re.search(rf"typedef struct {n} \{{.*?\}} {n};", header, re.S)[0] + "\n"
                      for n in ("cpi_csr", "cpi_sparse_job", "cpi_sparse_multiply"))
    parts = [(FOLDER / f).read_text() for f in ("compress.cuh", "product.cuh", "multiply.cuh")]
    code = TYPES + structs + ARITHMETIC + "enum { THREADS = 256 };\n" + "".join(parts) + CALLS
    module = cp.RawModule(code=code, options=("--std=c++17",), name_expressions=NAMES)
    return {n: module.get_function(n) for n in NAMES}


def blocks(n, threads=256):
    return (max(1, -(-n // threads)),)


@pytest.mark.parametrize("rows, n, heavy", [(5, 100, 0), (100, 1000, 0), (1, 5000, 0), (3, 9000, 0), (300, 20000, .5),
                                            (7, 1, 0), (40, 1300, 0)])
def test_compress(kernels, rows, n, heavy):
    r = np.random.default_rng(n)
    row = np.where(r.random(n) < heavy, rows // 3, r.integers(0, rows, n)).astype("i4")
    column, data = r.integers(0, 50, n).astype("i4"), r.normal(size=n)
    order = np.argsort(row, kind="stable")
    on_device = cp.asarray(row)
    ends = cp.zeros(rows + 1, dtype="i4")
    kernels["count_rows<int>"](blocks(n), (256,), (np.int64(n), on_device, ends))
    ends = cp.cumsum(ends).astype("i4")
    np.testing.assert_array_equal(ends.get(), np.concatenate([[0], np.cumsum(np.bincount(row, minlength=rows))]))
    following, number = ends.copy(), cp.zeros(n, dtype="i4")
    kernels["place_numbers<int>"](blocks(n), (256,), (np.int64(n), on_device, following, number))
    placed, e = number.get(), ends.get()
    for i in range(rows):   # a GPU places them in any order
        placed[e[i]:e[i + 1]] = r.permutation(placed[e[i]:e[i + 1]])
    number, listed, some = cp.asarray(placed), cp.zeros(1, dtype="i4"), cp.zeros(n // 32 + 2, dtype="i4")
    kernels["sort_short<int>"](blocks(rows), (256,), (np.int64(rows), ends, number, listed, some))
    kernels["sort_long<int>"]((3,), (256,), (np.int64(n), on_device, ends, number, listed, some))
    indices, out = cp.zeros(n, dtype="i4"), cp.zeros(n)
    kernels["gather_elements<double, int>"](blocks(n), (256,), (np.int64(n), number, cp.asarray(column),
                                                               cp.asarray(data), indices, out))
    np.testing.assert_array_equal(number.get(), order)
    np.testing.assert_array_equal(indices.get(), column[order])
    np.testing.assert_array_equal(out.get(), data[order])


def matrix(r, rows, columns, mean):
    n = rows * mean
    m = sp.coo_matrix((r.integers(1, 4, n).astype(float) * r.choice([-1, 1], n),
                       (r.integers(0, rows, n), r.integers(0, columns, n))), shape=(rows, columns)).tocsr()
    m.sort_indices()
    return m


def arrays(m):
    return cp.asarray(m.indptr), cp.asarray(m.indices), cp.asarray(m.data)


@pytest.mark.parametrize("rows, inner, columns, mean", [(20, 30, 25, 3), (9, 40, 7, 6), (5, 200, 300, 25),
                                                        (3, 100, 50, 60), (4, 9, 8, 0)])
def test_product(kernels, rows, inner, columns, mean):
    r = np.random.default_rng(rows)
    a, b = matrix(r, rows, inner, mean), matrix(r, inner, columns, mean)
    b.data[: b.nnz // 3] = 0    # zeros are counted
    products = np.array([np.diff(b.indptr)[a.indices[a.indptr[i]:a.indptr[i + 1]]].sum() for i in range(rows)])
    most, threads = next(s for s in ((128, 32), (1024, 128), (4096, 512)) if products.max(initial=0) <= s[0])
    stored = [sp.csr_matrix((np.ones(m.nnz), m.indices, m.indptr), shape=m.shape) for m in (a, b)]
    mask = (stored[0] @ stored[1]).toarray() != 0
    ends = cp.asarray(np.concatenate([[0], products]))
    arguments = [np.int64(rows), *arrays(a), *arrays(b)]
    none, found = cp.zeros(1, dtype="i4"), cp.zeros(1, dtype="i8")
    kernels[f"product<{most}, {threads}, false>"]((3,), (threads,), (*arguments, ends, none, cp.zeros(1), found))
    np.testing.assert_array_equal(ends.get()[1:], mask.sum(1))
    ends = cp.cumsum(ends)
    n = int(ends[-1])
    indices, data = cp.full(n + 1, -7, dtype="i4"), cp.full(n + 1, -7.0)
    kernels[f"product<{most}, {threads}, true>"]((3,), (threads,), (*arguments, ends, indices, data, found))
    where, expected = mask.nonzero(), (a.toarray() @ b.toarray())[mask]
    np.testing.assert_array_equal(indices.get(), [*where[1], -7])
    np.testing.assert_array_equal(data.get(), [*expected, -7.0])
    assert int(found[0]) == (expected == 0).sum()


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


@pytest.mark.parametrize("parts", [1, 4])
@pytest.mark.parametrize("rows, columns, mean", [(60, 41, 5), (300, 500, 3), (9, 900, 200), (5, 5, 0)])
def test_parts(kernels, parts, rows, columns, mean):
    r = np.random.default_rng(parts)
    m, x = matrix(r, rows, columns, mean), r.integers(-5, 5, columns).astype(float)
    y = cp.full(rows, np.nan)
    each = -(-columns // parts)
    kernels["parts_times_vector<double, int>"](blocks(rows), (256,), (np.int64(rows), np.int64(each), np.int64(parts),
                                                                     *arrays(m), cp.asarray(x), y))
    np.testing.assert_array_equal(y.get(), m @ x)
