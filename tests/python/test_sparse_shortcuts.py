"""What formats do without becoming compressed rows first, beside SciPy: coordinates and transposes times arrays,
columns by number, sums of blocks, diagonals; and many arrays that lie, which are looked at when they are first used."""
import numpy as np
import pytest

import cuprite as cp
from oracle import raises
from sparse_oracle import TYPES, cs, dense, outcome, same, sp

SIZES = [(2, 2, 1), (7, 5, 20), (40, 60, 0), (300, 500, 2000), (5000, 900, 90_000)]


def triples(r, m, n, count, dtype, order):
    """Values, rows and columns; of one place several times."""
    row, column = r.integers(0, m, count), r.integers(0, n, count)
    if order == "ascending":
        row = np.sort(row)
    value = r.integers(1, 5, count) * (1 if dtype[0] in "u?b" else r.choice([-1, 1], count))
    return value.astype(dtype) * np.dtype(dtype).type(1 + 2j if dtype[0] == "c" else 1), row, column


def both(format, arrays, shape):
    data, *at = arrays
    at = tuple(at[0]) if len(at) == 1 else tuple(at)
    given = (data, at) if format == "coo" else (data, *at)
    ours = (cp.asarray(data), tuple(cp.asarray(x) for x in at)) if format == "coo" else tuple(
        cp.asarray(x) for x in given)
    name = format + "_array"
    return getattr(cs, name)(ours, shape=shape), getattr(sp, name)(given, shape=shape)


@pytest.mark.parametrize("order", ["ascending", "any"])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_coordinates_times_arrays(size, order):
    m, n, count = size
    r = np.random.default_rng(count)
    for dtype in TYPES:
        ours, theirs = both("coo", triples(r, m, n, count, dtype, order), (m, n))
        for k in (None, 1, 3, 4, 9):
            x = r.integers(-3, 4, n if k is None else (n, k)).astype("f8" if k == 3 else dtype if dtype != "bool"
                                                                     else "i4")
            same(ours @ cp.asarray(x), theirs @ x)
        y = r.integers(-3, 4, m).astype("f8")
        same(ours.__rmatmul__(cp.asarray(y)), y @ theirs)
        for axis in (0, 1):
            same(ours.sum(axis=axis), theirs.sum(axis=axis) if dtype != "bool" else theirs.tocsr().sum(axis=axis))
            same(ours._getnnz(axis=axis), theirs._getnnz(axis=axis))
        for k in (0, 2, -3, n, -m):
            same(ours.diagonal(k), theirs.diagonal(k))
        if m * n < 10**6:
            same(ours.toarray(), theirs.toarray())
            same(ours.toarray(order="F"), theirs.toarray(order="F"))
            assert ours.toarray(order="F").flags.f_contiguous


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_columns_times_arrays(size):
    m, n, count = size
    r = np.random.default_rng(count + 1)
    for dtype in TYPES:
        ours, theirs = (x.tocsc() for x in both("coo", triples(r, m, n, count, dtype, "any"), (m, n)))
        for k in (1, 2, 3, 4, 8, 9):
            x = r.integers(-3, 4, (n, k)).astype("f8")
            same(ours @ cp.asarray(x), theirs @ x)


@pytest.mark.parametrize("format", ["csr", "csc"])
@pytest.mark.parametrize("size", [*SIZES, (3, 6000, 16_000)], ids=str)
def test_columns_by_number(size, format):
    """Ascending, in any order, and several times; of rows longer than what is looked at at once, and unsorted ones."""
    m, n, count = size
    r = np.random.default_rng(count + 2)
    for dtype in ("bool", "i2", "f4", "f8", "c16"):
        ours, theirs = (x.asformat(format) for x in both("coo", triples(r, m, n, count, dtype, "any"), (m, n)))
        lines = n if format == "csr" else m
        several = r.integers(-lines, lines, max(lines // 3, 1))
        for index in (several, np.unique(several % lines), r.permutation(lines), np.zeros(5, int), several[:0]):
            key = (slice(None), index) if format == "csr" else (index, slice(None))
            got = ours[tuple(cp.asarray(x) if isinstance(x, np.ndarray) else x for x in key)]
            same(got, theirs[key], stored=True)
            assert got.has_sorted_indices
        for wrong in (lines, -lines - 1):
            with raises(IndexError):
                ours[(slice(None), cp.asarray([wrong]))[::1 if format == "csr" else -1]]
    unsorted = [np.array([3.0, 1, 2, 5]), np.array([2, 0, 2, 1]), np.array([0, 3, 4])]
    ours, theirs = (getattr(x, format + "_array") for x in (cs, sp))
    shape = (2, 3) if format == "csr" else (3, 2)
    index = [2, 0, 2]
    key = (slice(None), index) if format == "csr" else (index, slice(None))
    got = ours(tuple(cp.asarray(x) for x in unsorted), shape=shape)[key]
    np.testing.assert_array_equal(got.toarray().get(), theirs(tuple(unsorted), shape=shape)[key].toarray())


def blocks_of(r, rows, columns, R, C, dtype):
    m = sp.random_array((rows, columns), density=0.3, rng=r, format="csr")
    data = dense(r, (m.nnz, R, C), dtype, density=0.7)
    return data, m.indices, m.indptr


@pytest.mark.parametrize("block", [(1, 1), (2, 2), (3, 3), (2, 5), (8, 8)], ids=str)
@pytest.mark.parametrize("size", [(1, 1), (6, 4), (60, 90)], ids=str)
def test_blocks(size, block):
    r = np.random.default_rng(5)
    shape = size[0] * block[0], size[1] * block[1]
    for dtype in TYPES:
        one, two = (blocks_of(r, *size, *block, dtype) for _ in range(2))
        (a, x), (b, y) = (both("bsr", p, shape) for p in (one, two))
        same(a + b, x + y, stored=False)
        if dtype != "bool":
            same(a - b, x - y, stored=False)
            gone = a - a.copy()
            assert gone.nnz == 0 and gone.blocksize == block and gone.shape == shape
            same(a + b.astype("f8"), x + y.astype("f8"), stored=False)
        for k in (0, block[0], -block[0], 1, -1, 3 - shape[0], shape[1]):
            same(a.diagonal(k), x.diagonal(k))
        same(a.count_nonzero(), x.count_nonzero())
        assert a.nnz == x.nnz
        if dtype[0] != "c" and dtype != "bool":
            same(a.max(), x.max())
            same(a.min(), x.min())
    nan = np.full((1, *block), np.nan), np.zeros(1, int), np.array([0, 1] + [1] * (size[0] - 1))
    a, x = both("bsr", nan, shape)
    same(a + a, x + x, stored=False)


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "bsr"])
def test_where_extremes_are(format):
    """The first of equal ones in the order of rows; zeros that are not stored count, and NaN as in SciPy."""
    r = np.random.default_rng(6)
    for values in ([1.0, 5, 5, -2], [-1.0, -5, -5], [0.0, -1], [5.0, np.nan, 7], [-3.0, 2, 2, 2]):
        d = np.where(r.random((13, 11)) < 0.5, r.choice(values, (13, 11)), 0)
        ours, theirs = (getattr(m, format + "_array")(x) for m, x in ((cs, cp.asarray(d)), (sp, d)))
        for word in ("argmax", "argmin"):
            wanted = int(getattr(theirs, word)() if np.isnan(values).any() else getattr(np, word)(d))
            assert int(getattr(ours, word)()) == wanted, (word, values)
            same(int(getattr(ours, word)(explicit=True)), int(getattr(theirs, word)(explicit=True)))
    claimed = cs.coo_array((cp.asarray([4.0, 4, 1]), (cp.asarray([2, 0, 1]), cp.asarray([1, 2, 1]))), shape=(3, 3))
    claimed.has_canonical_format = True
    assert int(claimed.argmax()) == 2


def test_extremes_add_what_stands_twice():
    at = [0, 0, 1], [1, 1, 0]
    ours, theirs = both("coo", (np.array([2.0, 3, 4]), *at), (2, 2))
    same(ours.max(), theirs.max())
    assert ours.nnz == theirs.nnz == 2


def test_parts_of_coordinates():
    r = np.random.default_rng(7)
    for canonical in (True, False):
        ours, theirs = both("coo", triples(r, 20, 30, 300, "f8", "any"), (20, 30))
        if canonical:
            ours.sum_duplicates()
            theirs.sum_duplicates()
        for key in ("3", "-1", "3, 7", "-20, -30", "2:9", "2:9, 4", "5, 3:20", ":, 3", "::3", "::2, 1::4", "::-1", ":",
                    ":, :", "5:2", "2:9, ::-2", "20", "3, 30", "...", "..., 2", "True, 1", "2.0"):
            def part(m):
                return eval(f"m[{key}]", {"m": m})  # noqa: B023
            got, wanted = outcome(lambda: part(ours)), outcome(lambda: part(theirs))  # noqa: B023
            if key not in ("True, 1", "2.0"):
                same(got, wanted, stored=False)


def test_diagonals():
    r = np.random.default_rng(8)
    for shape in ((6, 6), (4, 9), (9, 4)):
        for dtype in TYPES:
            offsets = np.array([0, -2, 3, 8, -8])
            data = dense(r, (5, shape[1]), dtype, density=0.8)
            made = [m.dia_array((x, o), shape=shape) for m, x, o in ((cs, cp.asarray(data), cp.asarray(offsets)),
                                                                     (sp, data, offsets))]
            ours, theirs = made
            for axis in (None, 0, 1):
                same(ours.sum(axis=axis), theirs.sum(axis=axis))
            same(ours.sum(dtype="f8"), theirs.sum(dtype="f8"))
            for other in (shape[1:], (1, shape[1]), (shape[0], 1), shape, (1, 1), (3, 1)):
                x = r.integers(1, 4, other).astype("f8")
                got = outcome(lambda: ours.multiply(cp.asarray(x)))  # noqa: B023
                same(got, outcome(lambda: theirs.multiply(x)), stored=False)  # noqa: B023
            for k in (0, -2, 3, 1):
                same(ours.diagonal(k), theirs.diagonal(k))
            for k, values in ((0, 3), (-2, [1, 0]), (1, 4)):
                ours.setdiag(values, k)
                theirs.setdiag(values, k)
                same(ours, theirs, stored=False)


MANY = 20_000
CALLS = """m@v m.T@v m@V m@m m+m m.multiply(m) m.maximum(m) m.sum(0) m.sum(1) m.tocsc() m.tocsr() m.tocoo() m.diagonal()
m.T.tocsr() m.tobsr((2,2)) m.copy() m.get() m.astype('f4') m[3] m[:,3] m[[1,2]] m[:,[1,2]] m[1,2] m[2:5] m[:,2:5]
m.max() m.max(0) m.max(1) m.argmax() m.argmax(1) abs(m) m*2 m.has_sorted_indices m.has_canonical_format m.sort_indices()
m.sum_duplicates() m.eliminate_zeros() m.count_nonzero() m.count_nonzero(0) m.power(2) m.conj() m.nonzero()
m.resize(9,9) m.reshape(N//2,2*N) m.check_format() m.indices.max()+m@v m.prune() m!=m m>1 m.setdiag(1) -m m.sin()
m.mean(0)""".split()


@pytest.mark.parametrize("format", ["csr", "csc"])
@pytest.mark.parametrize("wrong", ["high", "low", "falls", "beyond", "start", "end", "far below"])
def test_many_that_lie(format, wrong):
    """Many elements are looked at before they are first used, and nothing is read beyond them."""
    r = np.random.default_rng(9)
    N = 1000
    indices = r.integers(0, N, MANY).astype("i4")
    indptr = np.linspace(0, MANY, N + 1).astype("i4")
    at = {"high": (indices, 777, N), "low": (indices, 777, -1), "falls": (indptr, 500, 3),
          "beyond": (indptr, 500, 2**30), "start": (indptr, 0, 2), "end": (indptr, N, 2**30),
          "far below": (indptr, 500, -2**30)}[wrong]
    at[0][at[1]] = at[2]
    arrays = tuple(cp.asarray(x) for x in (np.ones(MANY), indices, indptr))
    names = {"v": cp.ones(N), "V": cp.ones((N, 3)), "N": N}
    for call in CALLS:
        def used():
            names["m"] = getattr(cs, format + "_array")(arrays, shape=(N, N))  # noqa: B023
            found = eval(call, names)  # noqa: B023
            return names["m"] @ names["v"], found   # noqa: B023
        got = outcome(used)
        assert isinstance(got, type) and issubclass(got, ValueError), (call, got)
    if wrong in ("start", "end"):   # what SciPy looks at is looked at at once
        with raises(ValueError):
            getattr(cs, format + "_array")(arrays, shape=(N, N))


@pytest.mark.parametrize("wrong", ["high", "low", "falls", "beyond", "start", "end"])
def test_many_blocks_that_lie(wrong):
    r = np.random.default_rng(9)
    N = 500
    indices = r.integers(0, N, MANY).astype("i4")
    indptr = np.linspace(0, MANY, N + 1).astype("i4")
    at = {"high": (indices, 777, N), "low": (indices, 777, -1), "falls": (indptr, 250, 3),
          "beyond": (indptr, 250, 2**30), "start": (indptr, 0, 2), "end": (indptr, N, 2**30)}[wrong]
    at[0][at[1]] = at[2]
    arrays = tuple(cp.asarray(x) for x in (np.ones((MANY, 2, 2)), indices, indptr))
    names = {"v": cp.ones(2 * N), "V": cp.ones((2 * N, 3))}
    for call in """m@v m.T@v m@V m@m m+m m-m m.multiply(m) m.maximum(m) m.sum() m.sum(0) m.sum(1) m.tocsc() m.tocsr()
            m.T m.trace() m.tocoo() m.diagonal() m.diagonal(1) m.tobsr((1,1)) m.get() m.max() m.max(0) m.argmax()
            m.mean(1) m.prune()
            m.count_nonzero() abs(m) m.copy()@v m.astype('f4')@v (-m)@v m.sum_duplicates() m.sort_indices() m.todia()
            m.eliminate_zeros() m.setdiag(1) m.resize(4,4) m.has_canonical_format m.reshape(N,4*N) m!=m""".split():
        names["N"] = N

        def used():
            names["m"] = cs.bsr_array(arrays, shape=(2 * N, 2 * N))
            return eval(call, names)  # noqa: B023
        got = outcome(used)
        assert isinstance(got, type) and issubclass(got, ValueError), (call, got)


def test_many_are_right():
    """Few more than what is used is as good as in SciPy; of another type, and without a shape."""
    r = np.random.default_rng(10)
    indptr = np.linspace(0, MANY - 5, 1001).astype(int)
    given = r.integers(1, 5, MANY).astype("f8"), np.sort(r.integers(0, 1000, MANY)).astype("u2"), indptr
    for shape in ((1000, 1000), None):
        ours, theirs = both("csr", given, shape)
        assert ours.nnz == theirs.nnz and ours.shape == theirs.shape
        same(ours @ cp.ones(ours.shape[1]), theirs @ np.ones(theirs.shape[1]))


@pytest.mark.parametrize("each", [1, 7, 121, 4095, 4097, 30_000])
def test_ends_of_rows(each):
    """Rows that go on from one thread's part to the next one's, of any length."""
    for count in (33_333, 150_001):
        for width in ("i4", "i8"):
            row = np.arange(count) // each * 2
            lines = int(row[-1]) + 3
            want = np.searchsorted(row, np.arange(lines + 1))
            for _ in range(5):
                m = cs.coo_array((cp.ones(count), (cp.asarray(row.astype(width)), cp.asarray(row.astype(width)))),
                                 shape=(lines, lines))
                same(m.sum(axis=1), np.diff(want).astype("f8"))
                same(m @ cp.ones(lines), np.diff(want).astype("f8"))


@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
def test_grids_of_blocks(format):
    """Of one format, of which the result is; with elements twice, of several types, and blocks that do not fit."""
    r = np.random.default_rng(11)
    kinds = (5, "f4"), (9, "i2"), (1, "f8")
    blocks = [[both("coo", triples(r, m, n, 40, dtype, "any"), (m, n)) for n, dtype in kinds] for m in (4, 7)]
    for form in (None, "csr", "csc", "coo"):
        for dtype in (None, "c16"):
            ours, theirs = (m.block_array([[x[i].asformat(format) for x in row] for row in blocks], format=form,
                                          dtype=dtype) for i, m in ((0, cs), (1, sp)))
            same(ours, theirs, stored=False)
            ours.check_format() if format != "coo" and form is None else None
    one, two = (cs.eye_array(n, format=format if format != "coo" else "csr") for n in (2, 3))
    for wrong in ([[one, two], [two, one]], [[one, two]] * 2 + [[two, one]], [[two, two], [one, one], [one, two]]):
        with raises(ValueError):
            cs.block_array(wrong)
    a = one.copy()
    a.eliminate_zeros()
    assert a.nnz == 2
    a.data[0] = 0
    a.eliminate_zeros()
    assert a.nnz == 1 and float(a.sum()) == 1
