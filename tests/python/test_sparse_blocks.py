"""Diagonals and blocks against SciPy: products with arrays, and conversions to compressed lines."""
import numpy as np
import pytest

import cuprite as cp
from oracle import raises
from sparse_oracle import TYPES, cs, outcome, same, sp


def values(r, shape, dtype):
    d = r.integers(-3, 4, shape)
    d = d.astype(bool) if dtype == "bool" else abs(d) if dtype[0] == "u" else d
    return d.astype(dtype) * np.dtype(dtype).type(1 + 2j) if dtype[0] == "c" else d.astype(dtype)


def diagonals(r, dtype):
    """(data, offsets) and a shape: rows longer and shorter than the matrix, diagonals outside of it, none at all."""
    m, n = (int(v) for v in r.integers(0, 9, 2)) if r.random() < .8 else (int(r.integers(50, 400)), 1)
    count = int(r.integers(0, 6))
    offsets = r.permutation(np.arange(-m - 2, n + 3))[:count].astype("i4")
    return (values(r, (offsets.size, int(r.integers(0, n + 4))), dtype), offsets), (m, n)


@pytest.mark.parametrize("dtype", TYPES)
def test_diagonals(dtype):
    r = np.random.default_rng(TYPES.index(dtype))
    for i in range(80):
        arrays, shape = diagonals(r, dtype)
        kind = ("dia_array", "dia_matrix")[i % 2]
        theirs = outcome(lambda: getattr(sp, kind)(arrays, shape=shape))
        ours = outcome(lambda: getattr(cs, kind)(tuple(cp.asarray(x) for x in arrays), shape=shape))
        if isinstance(theirs, type) or isinstance(ours, type):
            assert ours is theirs
            continue
        for format in ("csr", "csc"):
            got, want = getattr(ours, "to" + format)(), getattr(theirs, "to" + format)()
            same(got, want)
            assert got.has_canonical_format and got.indices.dtype == want.indices.dtype
            want.sort_indices()
            for name in ("data", "indices", "indptr"):
                np.testing.assert_array_equal(getattr(got, name).get(), getattr(want, name))
        same(ours.tocoo(), theirs.tocoo(), stored=False)
        for other in ("f4", "c16", "i2", dtype, "bool"):
            for more in ((), (1,), (3,), (0,)):
                x = values(r, (shape[1], *more), other)
                same(outcome(lambda: ours @ cp.asarray(x)), outcome(lambda: theirs @ x))
        same(ours @ cp.ones(shape[1], "f2"), theirs @ np.ones(shape[1], "f4"))
        x = values(r, (2, shape[0]), "f8")
        same(cp.asarray(x) @ ours, x @ theirs.toarray())    # SciPy's transpose is wrong where diagonals are outside
        for wrong in ((shape[1] + 1,), (shape[1] + 1, 2), (1, shape[1] + 1, 2)):
            same(outcome(lambda: ours @ cp.ones(wrong)), outcome(lambda: theirs @ np.ones(wrong)))


def test_zeros_of_diagonals():
    """A zero that is stored is multiplied, as in SciPy; what is outside of the matrix is not read."""
    data, x = np.array([[0, 1, np.nan], [np.nan, 2, 0]]), np.array([np.inf, 1, 2])
    for offsets in ([0, 1], [-1, 2]):
        for shape in ((3, 3), (2, 3)):
            ours = cs.dia_array((cp.asarray(data), cp.asarray(offsets)), shape=shape)
            theirs = sp.dia_array((data, offsets), shape=shape)
            with np.errstate(invalid="ignore"):
                np.testing.assert_array_equal((ours @ cp.asarray(x)).get(), theirs @ x)
            np.testing.assert_array_equal(ours.tocsr().toarray().get(), theirs.tocsr().toarray())


def blocks(r, dtype):
    """(data, indices, indptr) and a shape: blocks that stand twice and in any order, rows without any, none at all."""
    m, n, R, C = (int(v) for v in r.integers((0, 0, 1, 1), (7, 7, 4, 5)))
    counts = r.integers(0, 4, m) if n else np.zeros(m, int)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    return (values(r, (int(indptr[-1]), R, C), dtype), r.integers(0, max(n, 1), int(indptr[-1])), indptr), (m * R,
                                                                                                            n * C)


@pytest.mark.parametrize("dtype", TYPES)
def test_blocks(dtype):
    r = np.random.default_rng(TYPES.index(dtype))
    for i in range(60):
        (data, indices, indptr), shape = blocks(r, dtype)
        index = ("i4", "i8")[i % 3 == 0]
        arrays, kind = (data, indices.astype(index), indptr.astype(index)), ("bsr_array", "bsr_matrix")[i % 2]
        theirs = outcome(lambda: getattr(sp, kind)(arrays, shape=shape))
        ours = outcome(lambda: getattr(cs, kind)(tuple(cp.asarray(x) for x in arrays), shape=shape))
        if isinstance(theirs, type) or isinstance(ours, type):
            assert ours is theirs
            continue
        dense, rows = theirs.toarray(), theirs.tocsr()
        got = ours.tocsr()
        same(got, rows)
        for name in ("data", "indices", "indptr"):
            np.testing.assert_array_equal(getattr(got, name).get(), getattr(rows, name))
        R, C = data.shape[1:]
        for size in ((R, C), (R, 1), (1, C), (1, 1), None):
            if dtype != "bool" and 0 not in shape:  # SciPy adds booleans that stand twice, and divides by 0
                same(outcome(lambda: ours.tocsr().tobsr(size)), outcome(lambda: rows.copy().tobsr(size)))
        for other in ("f4", "c16", "i2", dtype, "bool"):
            for more in ((), (1,), (3,), (0,)):
                x = values(r, (shape[1], *more), other)
                got = outcome(lambda: ours @ cp.asarray(x))
                same(got, outcome(lambda: theirs @ x))
        same(ours @ cp.ones(shape[1], "f2"), dense @ np.ones(shape[1], "f4") if dtype != "bool" else theirs @ np.ones(
            shape[1], "f4"))
        x = values(r, (2, shape[0]), "f8")
        same(cp.asarray(x) @ ours, x @ theirs)
        for wrong in ((shape[1] + 1,), (shape[1] + 1, 2), (1, shape[1] + 1, 2)):
            same(outcome(lambda: ours @ cp.ones(wrong)), outcome(lambda: theirs @ np.ones(wrong)))


def test_bad_blocks():
    """What the function in C refuses; indices that were written to are seen before they are read."""
    from cuprite import _sparse
    from oracle import raises
    data, indices, indptr, x = cp.ones((2, 2, 3)), cp.zeros(2, "i4"), cp.asarray([0, 2], "i4"), cp.ones(6)
    assert _sparse.sparse_blocks(data, indices, indptr, 6, x).tolist() == [6, 6]
    for given in ((data[0], indices, indptr, 6, x), (data, indices[:1], indptr, 6, x), (data, indices, indptr, 7, x),
                  (data, indices, indptr, 6, x[:3]), (data, indices, indptr, 6, cp.ones((6, 1, 1))),
                  (data[:, :0], indices, indptr, 6, x), (data, indices, indptr, -3, x),
                  (data, indices, indptr[:0], 6, x)):
        with raises(ValueError):
            _sparse.sparse_blocks(*given)
    with raises(TypeError):
        _sparse.sparse_blocks(data.astype("f2"), indices, indptr, 6, x.astype("f2"))
    with raises(TypeError):
        _sparse.sparse_blocks(data, indices.astype("i8"), indptr, 6, x)
    a = cs.bsr_array((data, indices, indptr), shape=(2, 6))
    a.indices[1] = 2
    with raises(ValueError, match="indices must be < 2"):
        a @ x


@pytest.mark.parametrize("dtype", TYPES)
def test_rows_to_blocks(dtype):
    """Blocks of all shapes, of rows in any order and with elements that stand twice; indices of blocks ascend."""
    r = np.random.default_rng((9, TYPES.index(dtype)))
    for i in range(40):
        R, C = int(r.integers(1, 8)), int(r.integers(2, 8))
        m, n = R * int(r.integers(0, 6)), C * int(r.integers(0, 60))
        count = int(r.integers(0, 4 * m + 1)) if n else 0
        rows, columns = r.integers(0, max(m, 1), count), r.integers(0, max(n, 1), count)
        index = ("i4", "i8")[i % 2]
        data = values(r, count, dtype)
        ends = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=m))]).astype(index)
        columns = columns[np.argsort(rows, kind="stable")].astype(index)
        theirs = sp.csr_array((data, columns, ends), shape=(m, n))
        ours = cs.csr_array(tuple(cp.asarray(x) for x in (data, columns, ends)), shape=(m, n))
        theirs.sum_duplicates()
        got, want = ours.tobsr((R, C)), theirs.tobsr((R, C))
        want.sort_indices()
        assert got.blocksize == want.blocksize and got.shape == want.shape and got.has_canonical_format
        for name in ("data", "indices", "indptr"):
            x, y = getattr(got, name).get(), getattr(want, name)
            assert x.dtype == y.dtype or name != "data"
            np.testing.assert_array_equal(x, y)
        same(got.tocsr(), want.tocsr(), stored=False)
        assert ours.tobsr().blocksize == theirs.tobsr().blocksize


def test_blocks_among_very_many_columns():
    """Without marks of all columns: few elements of a row that is long."""
    row, column, data = np.array([0, 1, 1, 4, 5, 5]), np.array([7, 2**24 - 1, 6, 3, 2, 2**23]), np.arange(1.0, 7)
    theirs = sp.csr_array((data, (row, column)), shape=(6, 2**24))
    got, want = cs.csr_array(theirs).tobsr((2, 2)), theirs.tobsr((2, 2))
    want.sort_indices()
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(got, name).get(), getattr(want, name))
    assert cs.csr_array(theirs).tobsr().blocksize == theirs.tobsr().blocksize


BAD_FORMATS = """sparse_block_rows(x[:4], i, p, 4)|sparse_block_rows(x.reshape(2, 2, 1), i[:1], p, 4)
sparse_block_rows(cp.zeros((2, 0, 2)), i, p, 4)|sparse_block_rows(x.reshape(2, 1, 2), i, p, 3)
sparse_blocks_of(x[:2], i, p, 4, 0, 2)|sparse_blocks_of(x[:2], i, p, 4, 2, -1)|sparse_blocks_of(x[:2], i, p, 4, 3, 2)
sparse_blocks_of(x[:2], i, p, 3, 2, 2)|sparse_blocks_of(x[:3], i, p, 4, 2, 2)|sparse_block_count(i, p, 4, 0, 1)
sparse_block_count(i, p, 4, 3, 1)|sparse_diagonals(x, i, 4, 4, x)|sparse_diagonals(x.reshape(2, 2), i, -1, 4, x)
sparse_diagonals(x.reshape(4, 1), i, 4, 4, x)|sparse_diagonals(x.reshape(2, 2), i, 4, 3, x)
sparse_diagonals(x.reshape(2, 2), i, 4, 4, x.reshape(4, 1, 1))|sparse_diagonal_lines(x, i, 4, 4, False)
sparse_diagonal_lines(x.reshape(2, 2), cp.zeros(2, "i4"), 4, 4, True)|sparse_diagonals(x[None], i[:1], 1 << 62, 4, x)"""


@pytest.mark.parametrize("call", BAD_FORMATS.replace("\n", "|").split("|"))
def test_bad_formats(call):
    from cuprite import _sparse
    x, i, p = cp.arange(4.0), cp.asarray([0, 1], dtype="i4"), cp.asarray([0, 1, 2], dtype="i4")
    with raises(ValueError):
        eval(f"_sparse.{call}", {"cp": cp, "_sparse": _sparse, "x": x, "i": i, "p": p})


def test_offsets_far_outside():
    """Offsets that no sum with a row may overflow."""
    from cuprite import _sparse
    offsets = cp.asarray([2**63 - 1, 0, -2**63, 2**62])
    data, x = cp.ones((4, 3)), cp.arange(3.0)
    assert _sparse.sparse_diagonals(data, offsets, 3, 3, x).tolist() == [0, 1, 2]
    for by_columns in (False, True):
        values, indices, ends = _sparse.sparse_diagonal_lines(data, offsets, 3, 3, by_columns)
        assert values.tolist() == [1, 1, 1] and indices.tolist() == [0, 1, 2] and ends.tolist() == [0, 1, 2, 3]
    with raises(ValueError):
        _sparse.sparse_blocks_of(cp.ones(2), cp.asarray([0, 1]), cp.asarray([0, 2]), 2**62, 3, 2**62)


@pytest.mark.parametrize("format", ["csr", "csc"])
def test_beside_each_other(format):
    """Compressed lines beside each other and one below the other: order, zeros and duplicates stay."""
    r = np.random.default_rng(4)
    for kind in ("array", "matrix"):
        for n, widths in ((5, (3, 1, 4)), (0, (2, 2)), (7, (6,)), (40, (30, 0, 50))):
            pairs = []
            for i, width in enumerate(widths):
                a = sp.random_array((n, width), density=.3, rng=r) if n * width else sp.coo_array((n, width))
                a = getattr(sp, f"{format}_{kind}")(a if i % 2 else a.astype("f4"))
                pairs.append((getattr(cs, f"{format}_{kind}")(a), a))
            for name, turned in (("hstack", False), ("vstack", True)):
                ours, theirs = ([(a.T.asformat(format) if turned else a) for a in side] for side in zip(*pairs))
                for given in (None, "coo", "csr", "csc"):
                    got, want = (getattr(m, name)(side, format=given) for m, side in ((cs, ours), (sp, theirs)))
                    assert got.format == want.format and got.dtype == want.dtype
                    same(got, want)
                    got.check_format() if got.format != "coo" else None
    twice = (np.array([1.0, 2, 3, 0]), np.array([2, 0, 2, 1]), np.array([0, 3, 4]))
    theirs = getattr(sp, f"{format}_array")(twice, shape=(2, 3) if format == "csr" else (3, 2))
    ours = getattr(cs, f"{format}_array")(tuple(cp.asarray(x) for x in twice), shape=theirs.shape)
    for name in ("hstack", "vstack"):
        got, want = getattr(cs, name)([ours, ours]), getattr(sp, name)([theirs, theirs])
        assert got.nnz == want.nnz == 8 and not got.has_sorted_indices
        np.testing.assert_array_equal(got.toarray().get(), want.toarray())
    with raises(ValueError):
        cs.hstack([ours, cs.csr_array((5, 5), dtype="f8").asformat(format)])


def test_sums_of_like_diagonals():
    r = np.random.default_rng(5)
    for shape, length in (((4, 6), 6), ((6, 4), 7), ((3, 3), 2)):
        offsets = np.array([1, -2, 0])
        x, y = r.normal(size=(2, 3, length))
        mine = [cs.dia_array((cp.asarray(v), cp.asarray(offsets)), shape=shape) for v in (x, y)]
        theirs = [sp.dia_array((v, offsets), shape=shape) for v in (x, y)]
        same(mine[0] + mine[1], theirs[0] + theirs[1], stored=False)
        same(mine[0] - mine[1], theirs[0] - theirs[1], stored=False)
        same(mine[0] + mine[0], theirs[0] + theirs[0], stored=False)
        more = cs.dia_array((cp.asarray(x), cp.asarray(offsets + 1)), shape=shape)
        np.testing.assert_allclose((mine[0] + more).toarray().get(), (mine[0].toarray() + more.toarray()).get())


def test_what_is_wrong_with_rows():
    """The bits of a check, of small matrices that are right and wrong in many ways."""
    from cuprite import _sparse
    r = np.random.default_rng(6)
    seen = set()
    for t in range(1500):
        m, n, columns = int(r.integers(1, 8)), int(r.integers(0, 12)), int(r.integers(1, 30))
        ends = np.sort(r.integers(0, n + 1, m + 1)) if t % 7 else r.integers(-1, n + 2, m + 1)
        if t % 7:
            ends[0], ends[-1] = 0, n
        x = r.integers(0, columns, n)
        for first, last in zip(ends[:-1], ends[1:]):
            if t % 2 and 0 <= first <= last <= n:
                x[first:last] = np.sort(x[first:last])
        if t % 11 == 0 and n:
            x[r.integers(n)] = r.integers(-2, columns + 2)
        want = int(ends[0] != 0)
        for first, last in zip(ends[:-1], ends[1:]):
            if not 0 <= first <= last <= n:
                want |= 2
                continue
            row = np.concatenate([[-1], x[first:last]])
            want |= 4 * bool((row[1:] < 0).any()) | 8 * bool((row >= columns).any())
            want |= 16 * bool((row[1:] < row[:-1]).any()) | 32 * bool((row[1:] == row[:-1]).any())
        dtype = ("i4", "i8")[t % 3 == 0]
        got = int(_sparse.sparse_check(cp.asarray(x.astype(dtype)), cp.asarray(ends.astype(dtype)), columns))
        order = 48 if want & 12 else 0  # where an index is out of range, its order says nothing
        assert got | order == want + 256 * max(int(ends[-1]), 0) | order
        seen |= {bit for bit in (1, 2, 4, 8, 16, 32) if want & bit}
    assert seen == {1, 2, 4, 8, 16, 32}


ROOM = ("tocsr() tocsc() tocoo() toarray() T.toarray() sum() sum(axis=0) sum(axis=1) copy().toarray() nnz max() "
        "diagonal() count_nonzero() prune() has_canonical_format has_sorted_indices @x @y").split(" ")


@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize("call", ROOM)
def test_room_behind_the_last_block(call, later):
    """Arrays may be longer than the matrix needs, from the beginning or because somebody has written to them: then some
    of SciPy's functions still count what is behind."""
    def result(scipys, numpys, later):
        data, indices = numpys.asarray(np.arange(1.0, 31).reshape(5, 2, 3)), numpys.asarray(np.array([0, 1, 1, 0, 1]))
        ends = [0, 2, 2, 5] if later else [0, 2, 2, 3]
        b = scipys.bsr_array((data, indices, numpys.asarray(np.array(ends))), shape=(6, 6))
        if later:
            b.indptr[3] = 3
        if call[0] == "@":
            return b @ numpys.ones(6 if call == "@x" else (6, 2))
        found = eval("b." + call)
        return b.data if call == "prune()" else found.toarray() if hasattr(found, "toarray") else found
    got, want = result(cs, cp, later), result(sp, np, False)
    assert (cp.asarray(got).get() == want).all() and np.shape(got) == np.shape(want)
