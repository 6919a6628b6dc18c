"""Products of two sparse matrices, what differs in two, and diagonals, against SciPy and against sums one by one: rows
of few products and of many, blocks, diagonals, in any order and twice at one place."""
import warnings

import numpy as np
import pytest

import cuprite as cp
from sparse_oracle import TYPES, cs, outcome, same, sp

pytestmark = pytest.mark.filterwarnings("ignore")


def drawn(r, n, dtype):
    """Small integers, some of them 0."""
    if dtype == "bool":
        return r.random(n) < .8
    x = abs(r.integers(-3, 4, n)) if dtype[0] == "u" else r.integers(-3, 4, n)
    return (x * (1 - 2j) if dtype[0] == "c" else x).astype(dtype)


def rows(r, m, n, mean, dtype, index, ordered):
    """Arrays of a csr matrix; unless `ordered` its indices have no order, and some stand twice."""
    counts = r.poisson(mean, m) if n else np.zeros(m, int)
    parts = [np.sort(r.choice(n, min(k, n), replace=False)) if ordered else r.integers(0, n, k) for k in counts]
    indptr = np.concatenate([[0], np.cumsum([p.size for p in parts])]).astype(index)
    indices = np.concatenate(parts + [np.zeros(0, int)]).astype(index)
    return drawn(r, indices.size, dtype), indices, indptr


def both(format, arrays, shape, **options):
    theirs = getattr(sp, format + "_array")(arrays, shape=shape, **options)
    return getattr(cs, format + "_array")(tuple(cp.asarray(x) for x in arrays), shape=shape, **options), theirs


def one_by_one(a, b, shape):
    """A product whose sums begin with the first product, in the order of a's row."""
    out, (av, ai, ap), (bv, bi, bp) = [], a, b
    for row in range(shape[0]):
        sums = {}
        for i in range(ap[row], ap[row + 1]):
            for k in range(bp[ai[i]], bp[ai[i] + 1]):
                z = av[i] * bv[k]
                sums[bi[k]] = sums[bi[k]] + z if bi[k] in sums else z
        out.append(sorted((c, v) for c, v in sums.items() if v != 0))
    return out


def as_rows(m):
    data, indices, indptr = m.data.get(), m.indices.get(), m.indptr.get()
    return [list(zip(indices[s:e].tolist(), data[s:e])) for s, e in zip(indptr, indptr[1:])]


def same_rows(got, want, dtype):
    got = as_rows(got)
    assert [[c for c, _ in row] for row in got] == [[int(c) for c, _ in row] for row in want]
    for x, y in zip(got, want):
        x, y = (np.array([v for _, v in row], dtype) for row in (x, y))
        assert x.tobytes() == y.tobytes(), (x, y)


# of rows, inner ones and columns; elements of a row of either: few products, a mixture, many among few columns and
# among many, none at all
SIZES = [(40, 30, 50, 3, 4), (30, 60, 200, 11, 11), (9, 80, 90, 30, 40), (7, 50, 30000, 20, 20), (70, 40, 1, 2, .5),
         (0, 5, 6, 1, 1), (6, 0, 5, 1, 1), (5, 6, 0, 1, 1), (300, 20, 25, 0.2, 0.2)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", TYPES)
def test_products_of_rows(dtype, size):
    m, k, n, mean_a, mean_b = size
    for i, (index, ordered) in enumerate((("i4", True), ("i4", False), ("i8", True), ("i8", False))):
        r = np.random.default_rng([TYPES.index(dtype), i, m])
        a, b = rows(r, m, k, mean_a, dtype, index, ordered), rows(r, k, n, mean_b, dtype, index, ordered)
        (x, p), (y, q) = both("csr", a, (m, k)), both("csr", b, (k, n))
        got = x @ y
        assert got.has_canonical_format and got.dtype == (p @ q).dtype
        with np.errstate(all="ignore"):
            same_rows(got, one_by_one(a, b, (m, n)), dtype)
        if dtype != "bool" or ordered:  # SciPy adds booleans that stand twice
            same(got, p @ q, stored=False)
            same(y.T.tocsc() @ x.T, q.T @ p.T, stored=False)


@pytest.mark.parametrize("mean", [4, 14, 40])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_rounding_of_products(dtype, mean):
    """Bit for bit, where the order of sums shows; -0 where all products are -0, as part of a complex number; NaN."""
    r = np.random.default_rng(mean)
    for ordered in (True, False):
        a, b = (rows(r, 30, 30, mean, dtype, "i4", ordered) for _ in range(2))
        for x in (a[0], b[0]):
            x[:] = r.standard_normal(x.size)
            if dtype[0] == "c":
                x[:] += 1j * r.standard_normal(x.size)
                x.imag[r.random(x.size) < .3] = -0.0
                x.real[r.random(x.size) < .3] = -0.0
            x[r.random(x.size) < .02] = np.nan
        got = both("csr", a, (30, 30))[0] @ both("csr", b, (30, 30))[0]
        with np.errstate(all="ignore"):
            want = one_by_one(a, b, (30, 30))
            assert [[c for c, _ in row] for row in as_rows(got)] == [[int(c) for c, _ in row] for row in want]
            x, y = (np.array([v for row in m for _, v in row], dtype) for m in (as_rows(got), want))
        part = "f4" if dtype in ("f4", "c8") else "f8"
        x, y = x.view(part), y.view(part)
        np.testing.assert_array_equal(x, y)
        if dtype[0] == "f":
            np.testing.assert_array_equal(np.signbit(x[x == x]), np.signbit(y[y == y]))


def test_product_without_elements():
    """What cancels is no element, in rows of few products and of many."""
    for n in (3, 200):
        a = cs.csr_array(cp.asarray(np.concatenate([np.ones((5, n)), -np.ones((5, n))], axis=1)))
        b = cs.csr_array(cp.asarray(np.ones((2 * n, 7))))
        assert (a @ b).nnz == 0 and (a @ b).indptr.get().tolist() == [0] * 6
        half = np.ones((2 * n, 7))
        half[n:, ::2] = 2
        got = a @ cs.csr_array(cp.asarray(half))
        assert got.indices.get().tolist() == [0, 2, 4, 6] * 5 and set(got.data.get().tolist()) == {-float(n)}


def test_product_of_very_many_columns():
    from cuprite import _sparse as S
    n = 2**24 + 1
    r = np.random.default_rng(3)
    a = rows(r, 20, 10, 3, "f8", "i4", True)
    b = rows(r, 10, 90, 4, "f8", "i4", True)
    b[1][:] = b[1] * 186000 + 5
    got = S.sparse_product(*(cp.asarray(x) for x in a + b), n)
    same_rows(cs.csr_array(tuple(got), shape=(20, n)), one_by_one(a, b, (20, n)), "f8")


# --- what differs ---

@pytest.mark.parametrize("index", ["i4", "i8"])
@pytest.mark.parametrize("dtype", TYPES)
def test_what_differs(dtype, index):
    r = np.random.default_rng(TYPES.index(dtype))
    for m, n, mean in ((30, 40, 4), (8, 300, 60), (5, 0, 1), (0, 5, 1), (60, 5, .3)):
        for ordered in (True, False):
            a, b = rows(r, m, n, mean, dtype, index, ordered), rows(r, m, n, mean, dtype, index, ordered)
            if dtype[0] in "fc":
                for v in (a[0], b[0]):
                    for x in (np.inf, -np.inf, np.nan, -0.0):
                        v[r.random(v.size) < .1] = x
            if ordered and a[0].size:   # some elements of both are equal
                b = r.permutation(a[0]), a[1], a[2]
            (x, p), (y, q) = both("csr", a, (m, n)), both("csr", b, (m, n))
            for ours, theirs in (((x, y), (p, q)), ((x.tocsc(), y.tocsc()), (p, q)), ((x, x.copy()), (p, p.copy())),
                                 ((x, cs.csr_array((m, n))), (p, sp.csr_array((m, n))))):
                got = ours[0] != ours[1]
                want = theirs[0].toarray() != theirs[1].toarray()
                if dtype == "bool" and not ordered:     # True and True at one place are True, but SciPy's sum of them
                    want = np.not_equal(*(t.astype("i4").toarray() != 0 for t in theirs))
                assert got.dtype == bool and got.has_canonical_format and bool(got.data.all())
                np.testing.assert_array_equal(got.toarray().get(), want)
                assert got.nnz == want.sum()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                np.testing.assert_array_equal((x == y).toarray().get(), ~(x != y).toarray().get())


# --- diagonals ---

@pytest.mark.parametrize("dtype", TYPES)
def test_products_of_diagonals(dtype):
    """SciPy's offsets, data and bits; where no sum of offsets is within the matrix SciPy fails."""
    r = np.random.default_rng(TYPES.index(dtype))
    for i in range(60):
        m, k, n = (int(v) for v in r.integers(1, 12, 3)) if i % 4 else (int(v) for v in r.integers(900, 1400, 3))
        parts = []
        for rows_, columns in ((m, k), (k, n)):
            offsets = r.permutation(np.arange(1 - rows_, columns))[:int(r.integers(1, 6))]
            data = drawn(r, (offsets.size, int(r.integers(1, columns + 3))), dtype)
            if dtype in ("f4", "f8"):
                data[:] = r.standard_normal(data.shape)
                data[r.random(data.shape) < .05] = np.inf
            parts.append(both("dia", (data, offsets.astype(("i4", "i8")[i % 2])), (rows_, columns)))
        (x, p), (y, q) = parts
        want, got = outcome(lambda: p @ q), x @ y
        if want in (RuntimeError, ValueError):
            assert not got.data.size and not np.matmul(*((m.toarray() != 0).astype("f4") for m in (p, q))).any()
            continue
        assert type(got).__name__ == type(want).__name__ and got.shape == want.shape and got.dtype == want.dtype
        assert got.offsets.dtype == want.offsets.dtype
        np.testing.assert_array_equal(got.offsets.get(), want.offsets)
        np.testing.assert_array_equal(got.data.get(), want.data)
        np.testing.assert_array_equal((cs.dia_matrix(x) * cs.dia_matrix(y)).data.get(), want.data)


@pytest.mark.parametrize("dtype", TYPES)
def test_diagonals_times_arrays(dtype):
    """Rows that all diagonals cross and those that some do, columns by four and the rest, in SciPy's order."""
    r = np.random.default_rng(TYPES.index(dtype))
    for m, n in ((40, 50), (50, 40), (7, 9), (1200, 1300), (3, 1)):
        for count in (1, 5, 16, 17):
            for index in ("i4", "i8"):
                offsets = r.permutation(np.arange(-min(m, 12), min(n, 12)))[:count].astype(index)
                data = drawn(r, (offsets.size, n - int(r.integers(0, 2))), dtype)
                if dtype in ("f4", "f8"):
                    data[:] = r.standard_normal(data.shape)
                    data[r.random(data.shape) < .03] = -0.0
                ours, theirs = both("dia", (data, offsets), (m, n))
                for k in (2, 4, 7, 8, 13):
                    x = drawn(r, (n, k), dtype)
                    got, want = ours @ cp.asarray(x), theirs @ x
                    assert got.dtype == want.dtype
                    np.testing.assert_array_equal(got.get(), want)


def test_products_of_other_diagonals():
    """Diagonals outside of the matrix, or none; two types; a product with a matrix of another format."""
    r = np.random.default_rng(0)
    for oa, ob in (([7, -9, 0], [2, -3, 8, -8]), ([0], [8]), ([], [1]), ([1], []), ([4], [1]), ([100], [-100]),
                   ([2**31 - 1, -2**31, 1], [2**31 - 1, -1])):
        for la, lb in ((4, 6), (0, 3), (2, 0), (9, 9)):
            a, b = r.integers(1, 5, (len(oa), la)).astype("f4"), r.integers(1, 5, (len(ob), lb))
            x = cs.dia_array((cp.asarray(a), cp.asarray(np.array(oa, "i4"))), shape=(5, 4))
            y = cs.dia_array((cp.asarray(b), cp.asarray(np.array(ob, "i4"))), shape=(4, 6))
            got = x @ y
            assert got.format == "dia" and got.shape == (5, 6) and got.dtype == np.result_type("f4", "i8")
            np.testing.assert_array_equal(got.toarray().get(), x.toarray().get() @ y.toarray().get())
            np.testing.assert_array_equal((x @ y.tocsr()).toarray().get(), x.toarray().get() @ y.toarray().get())
            assert (x @ y.tocsr()).format == "csr"
    for shape in ((0, 4), (4, 0)):
        got = cs.dia_array((3, 4)) @ cs.dia_array((4, 0)) if shape[0] else cs.dia_array((0, 4)) @ cs.dia_array((4, 3))
        assert got.format == "dia" and got.nnz == 0 and 0 in got.shape
    same(outcome(lambda: cs.dia_array((3, 4)) @ cs.dia_array((3, 4))),
         outcome(lambda: sp.dia_array((3, 4)) @ sp.dia_array((3, 4))))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("index", ["i4", "i8"])
def test_diagonal_of_rows(dtype, index):
    r = np.random.default_rng(TYPES.index(dtype))
    for m, n, mean in ((6, 9, 2), (9, 6, 3), (300, 280, 4), (4, 0, 1), (0, 4, 1), (40, 3, 6)):
        for ordered in (True, False):
            arrays = rows(r, m, n, mean, dtype, index, ordered)
            ours, theirs = both("csr", arrays, (m, n))
            if dtype == "bool":
                theirs = theirs.astype("i4")
            for k in (*range(-m - 1, n + 2), 10**6, -10**6) if m < 50 else (-290, -1, 0, 3, 279):
                want = theirs.toarray().astype(dtype)
                want = np.diagonal(want, k) if -m < k < n else np.empty(0, dtype)
                for x in (ours, ours.tocsc()):
                    got = x.diagonal(k)
                    assert got.dtype == want.dtype
                    np.testing.assert_array_equal(got.get(), want)
            if 0 not in (m, n):
                same(ours.trace(), np.trace(theirs.toarray().astype(dtype)))


def test_diagonal_of_very_many():
    n = 2**26
    at = np.array([5, 2**25, 2**25 + 3])
    indptr = np.searchsorted(at, np.arange(n // 2**6 + 1)).astype("i4")
    m = cs.csr_array((cp.ones(3), cp.asarray(at.astype("i4")), cp.asarray(np.minimum(indptr, 3))),
                     shape=(indptr.size - 1, n))
    for k in (0, 2**25 - 5, 2**25 + 1):
        dense = m[:, k:k + indptr.size - 1].toarray() if m.shape[0] < 2000 else None
        got = m.diagonal(k)
        assert got.size == indptr.size - 1 and dense is None
        want = np.zeros(got.size)
        for r in range(5, 7):
            for e in range(int(indptr[r]), int(indptr[r + 1])):
                if at[e] == r + k:
                    want[r] += 1
        np.testing.assert_array_equal(got.get()[:8], want[:8])


# --- blocks ---

def blocks(r, m, n, mean, size, dtype, index, ordered):
    _, indices, indptr = rows(r, m, n, mean, "i4", index, ordered)
    return drawn(r, (indices.size, *size), dtype), indices, indptr


def sizes():
    for size in ((2, 2, 2), (3, 3, 3), (4, 4, 4), (1, 1, 1), (2, 3, 4), (5, 1, 2), (1, 6, 1)):
        yield (5, 6, 7, 2, size)
    yield (3, 40, 50, 15, (2, 2, 2))    # of many pairs
    yield (3, 40, 50, 15, (1, 3, 2))
    yield (0, 3, 3, 1, (2, 2, 2))
    yield (3, 0, 3, 1, (2, 2, 2))
    yield (3, 3, 0, 1, (2, 2, 2))


@pytest.mark.parametrize("dtype", TYPES)
def test_products_of_blocks(dtype):
    r = np.random.default_rng(TYPES.index(dtype))
    for m, k, n, mean, (R, K, C) in sizes():
        for i, index in enumerate(("i4", "i8") * 4):
            a = blocks(r, m, k, mean, (R, K), dtype, index, i & 2)
            b = blocks(r, k, n, mean, (K, C), dtype, index, i & 4)
            if dtype in ("f4", "f8"):
                for v in (a[0], b[0]):
                    v[...] = r.standard_normal(v.shape) * (v != 0)
            (x, p), (y, q) = both("bsr", a, (m * R, k * K)), both("bsr", b, (k * K, n * C))
            got = x @ y
            assert got.format == "bsr" and got.blocksize == (R, C) and got.shape == (m * R, n * C)
            if dtype == "bool" and not (i & 2 and i & 4):   # SciPy adds booleans that stand twice
                p, q = p.astype("i4"), q.astype("i4")
                want = ((p.toarray() != 0).astype("i4") @ (q.toarray() != 0)) != 0
                np.testing.assert_array_equal(got.toarray().get(), want)
                continue
            with np.errstate(all="ignore"):
                want = p @ q
            assert got.dtype == want.dtype and got.has_canonical_format
            if i & 4 or dtype[0] not in "f":
                np.testing.assert_array_equal(got.toarray().get(), want.toarray())  # to the bit: SciPy's order
            else:
                np.testing.assert_allclose(got.toarray().get(), want.toarray(), rtol=1e-5, atol=1e-5)
            data = got.data.get()
            assert data.shape[0] == 0 or (data != 0).any(axis=(1, 2)).all()     # blocks of zeros are left out


def test_products_of_blocks_and_others():
    """Blocks that do not fit, indices of two types, types of elements, room behind the last block."""
    r = np.random.default_rng(1)
    a, b = blocks(r, 4, 6, 2, (2, 3), "f4", "i4", True), blocks(r, 9, 4, 2, (2, 2), "i8", "i4", True)
    (x, p), (y, q) = both("bsr", a, (8, 18)), both("bsr", b, (18, 8))
    same(x @ y, p @ q, stored=False)
    b = blocks(r, 6, 5, 2, (3, 2), "c8", "i8", True)
    (y, q) = both("bsr", b, (18, 10))
    same(x @ y, p @ q, stored=False)
    same(x @ y.tocsr(), p @ q.tocsr(), stored=False)
    y.indices = y.indices.astype("i4")
    same(x @ y, p @ q, stored=False)
    longer = cp.concatenate((x.data, cp.ones((2, 2, 3), "f4"))), cp.concatenate((x.indices, cp.zeros(2, "i4")))
    z = cs.bsr_array((*longer, x.indptr), shape=(8, 18))
    same(z @ y, p @ q, stored=False)
    same(y.T @ z.T, (p @ q).T, stored=False)


def test_canonical_blocks_by_word():
    """Whoever says that no block stands twice is believed, as by SciPy, and may take it back."""
    arrays = np.arange(12.0).reshape(3, 2, 2), np.array([1, 0, 0]), np.array([0, 3])
    for value in (True, False):
        ours, theirs = both("bsr", arrays, (2, 4))
        assert not ours.has_canonical_format and not theirs.has_canonical_format
        ours.has_canonical_format = theirs.has_canonical_format = value
        assert ours.has_canonical_format is theirs.has_canonical_format is value
        assert ours.has_sorted_indices == theirs.has_sorted_indices == value
        ours.sum_duplicates(), theirs.sum_duplicates()
        assert ours.data.shape == theirs.data.shape == ((3, 2, 2) if value else (2, 2, 2))
        np.testing.assert_array_equal(ours.toarray().get(), theirs.toarray())
    ours, theirs = both("bsr", arrays, (2, 4))
    ours.has_sorted_indices = theirs.has_sorted_indices = True
    ours.sort_indices(), theirs.sort_indices()
    np.testing.assert_array_equal(ours.indices.get(), theirs.indices)
    ours.has_sorted_indices = theirs.has_sorted_indices = False
    ours.sort_indices(), theirs.sort_indices()
    np.testing.assert_array_equal(ours.indices.get(), theirs.indices)
    assert ours.has_sorted_indices and theirs.has_sorted_indices
