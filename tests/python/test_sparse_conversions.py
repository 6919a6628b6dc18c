"""Conversions to and from lists, dictionaries, blocks and diagonals, and elements side by side, against SciPy: arrays,
lists and keys themselves, of rows that are short and long, in any order and twice at one place."""
import numpy as np
import pytest

import cuprite as cp
from oracle import raises
from sparse_oracle import TYPES, cs, sp
from test_sparse_products import both, drawn, rows

pytestmark = pytest.mark.filterwarnings("ignore")
FORMATS = ("csr", "csc", "coo", "bsr", "dia", "lil", "dok")
SHAPES = ((7, 9, 2), (9, 7, 12), (600, 30, 3), (3, 0, 1), (0, 3, 1), (4, 5, 0))


def pairs(dtype, index="i4", ordered=True, shapes=SHAPES):
    r = np.random.default_rng([TYPES.index(dtype), ordered])
    for m, n, mean in shapes:
        arrays = rows(r, m, n, mean, dtype, index, ordered)
        yield both("csr", arrays, (m, n))


def same_arrays(got, want, names=("data", "indices", "indptr")):
    for name in names:
        x, y = getattr(got, name).get(), getattr(want, name)
        assert x.dtype == y.dtype, name
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("dtype", TYPES)
def test_to_lists_and_dictionaries(dtype, ordered, kind):
    for ours, theirs in pairs(dtype, ordered=ordered):
        if dtype == "bool" and not ordered:     # SciPy adds booleans that stand twice
            continue
        ours, theirs = getattr(cs, "csr_" + kind)(ours), getattr(sp, "csr_" + kind)(theirs)
        for format in FORMATS:
            a, b = ours.asformat(format), theirs.asformat(format)
            got, want = a.tolil(), b.tolil()
            assert type(got).__name__ == type(want).__name__ and got.dtype == want.dtype and got.shape == want.shape
            assert got.rows.tolist() == want.rows.tolist() and got.data.tolist() == want.data.tolist()
            assert {type(x) for row in got.data for x in row} == {type(x) for row in want.data for x in row}
            got, want = a.todok(), b.todok()
            assert type(got).__name__ == type(want).__name__ and got.dtype == want.dtype and got.shape == want.shape
            assert dict(got.items()) == dict(want.items())
            if format not in ("csc", "dia"):     # whose order depends on how SciPy comes to rows
                assert list(got.keys()) == [tuple(k) for k in want.keys()]
            assert {type(x) for x in got.values()} == {type(x) for x in want.values()}
            assert got[0, 0] == want[0, 0] if 0 not in want.shape else True
        for name in ("lil_", "dok_"):
            got = getattr(cs, name + kind)(ours)
            assert type(got).__name__ == name + kind
            np.testing.assert_array_equal(got.toarray().get(), theirs.toarray())
            other = getattr(cs, name + ("matrix" if kind == "array" else "array"))(ours)
            np.testing.assert_array_equal(other.toarray().get(), theirs.toarray())
            assert type(other.tocsr()).__name__ != type(got.tocsr()).__name__


@pytest.mark.parametrize("dtype", TYPES)
def test_from_lists_and_dictionaries(dtype):
    for ours, theirs in pairs(dtype):
        for name in ("lil", "dok"):
            a, b = ours.asformat(name), theirs.asformat(name)
            for format in FORMATS:
                got, want = a.asformat(format), b.asformat(format)
                assert type(got).__name__ == type(want).__name__ and got.dtype == want.dtype and got.nnz == want.nnz
                np.testing.assert_array_equal(got.toarray().get(), want.toarray())
                if format in ("csr", "csc"):
                    want.sort_indices()
                    same_arrays(got, want)
            same_arrays(a.tocoo(), b.tocoo(), ("data", "row", "col"))
            assert a.tocoo().has_canonical_format or name == "lil"
            for axis in (None, 0, 1, -1):
                for more in ({}, {"dtype": "f4"}, {"dtype": "c16"}):
                    got, want = a.sum(axis, **more), b.sum(axis, **more)
                    if dtype == "bool" and axis is not None:    # SciPy's type is the host's integer alike
                        want = want.astype(got.dtype)
                    assert got.dtype == np.asarray(want).dtype, (axis, more)
                    np.testing.assert_allclose(got.get(), want, rtol=1e-6)
            out = cp.zeros((), "f8")
            if dtype[0] not in "c":
                assert a.sum(out=out) is out and float(out) == float(b.sum())


def test_order_of_a_dictionary():
    """Elements come in the order in which they were set."""
    d, s = cs.dok_array((5, 6)), sp.dok_array((5, 6))
    for at, x in (((4, 5), 1e16), ((0, 3), 1.0), ((2, 2), -7.0), ((1, 1), 3.0), ((0, 0), 2.0)):
        d[at], s[at] = x, x
    del d[1, 1], s[1, 1]
    same_arrays(d.tocoo(), s.tocoo(), ("data", "row", "col"))
    same_arrays(d.tocsr(), s.tocsr())
    d[4, 5] = 5.0
    assert float(d.sum()) == 5 + 1 - 7 + 2
    assert list(d.tocsr().todok().keys()) == [(0, 0), (0, 3), (2, 2), (4, 5)]


def test_lines_of_dictionaries():
    line, theirs = cs.dok_array((7,), dtype="i2"), sp.dok_array((7,), dtype="i2")
    for k in (5, 0, 2):
        line[k], theirs[k] = k + 1, k + 1
    assert line.tocoo().coords[0].get().tolist() == [5, 0, 2] and int(line.sum()) == 10
    assert line.tocsr().toarray().get().tolist() == theirs.toarray().tolist()
    back = line.tocoo().todok()
    assert dict(back.items()) == dict(theirs.items()) and back.shape == (7,)
    raises(ValueError, lambda: line.tolil())
    raises(ValueError, lambda: cs.coo_array(cp.ones((2, 2, 2))).todok())
    wide = cs.dok_array((3, 2**31 + 5))
    wide[1, 2**31] = 2.0
    coo = wide.tocoo()
    assert coo.col.dtype == "i8" and coo.col.get().tolist() == [2**31] and float(wide.sum()) == 2
    back = coo.todok()
    assert dict(back.items()) == {(1, 2**31): 2.0}
    row = cs.dok_matrix(cp.asarray([[0, 3], [4, 0]])).getrow(1)
    assert row.format == "csr" and row.toarray().get().tolist() == [[4, 0]]


@pytest.mark.parametrize("n", [2, 3000])
def test_lists_of_the_user(n):
    """Whoever writes wrong columns into the lists learns of it before they are followed."""
    for wrong in (5, -1):
        m = cs.lil_array((n, 5))
        for r in range(n):
            m.rows[r], m.data[r] = [0, 2, 1, 3], [1.0, 2.0, 3.0, 4.0]
        assert m.tocsr().toarray().get().tolist() == [[1, 3, 2, 4, 0]] * n
        assert float(m.sum()) == 10 * n
        m.rows[n - 1] = [0, 2, 1, wrong]
        raises(ValueError, lambda: m.tocsr() @ cp.ones(5))
        raises(ValueError, lambda: m.toarray())


# --- elements side by side ---

@pytest.mark.parametrize("index", ["i4", "i8"])
@pytest.mark.parametrize("dtype", TYPES)
def test_side_by_side(dtype, index):
    """Rows of up to 32 elements and longer ones, those of both, of one and of neither."""
    r = np.random.default_rng(TYPES.index(dtype))
    for m, n, mean in ((40, 60, 5), (20, 300, 31), (6, 400, 90), (90, 7, .7), (3, 0, 1), (0, 3, 1)):
        for ordered in (True, False):
            a, b = (rows(r, m, n, mean, dtype, index, ordered) for _ in range(2))
            if dtype[0] == "f":
                for v in (a[0], b[0]):
                    v[r.random(v.size) < .05] = np.nan
                    v[r.random(v.size) < .05] = -np.inf
            (x, p), (y, q) = both("csr", a, (m, n)), both("csr", b, (m, n))
            p, q = (v.astype("i4").toarray() != 0 if dtype == "bool" else v.toarray() for v in (p, q))
            with np.errstate(all="ignore"):
                for got, want in ((x.maximum(y), np.maximum(p, q)), (x.minimum(y), np.minimum(p, q)),
                                  (x < y, p < q), (x > y, p > q), (y.tocsc() < x.tocsc(), q < p)):
                    np.testing.assert_array_equal(got.toarray().get(), want)
                    assert got.nnz == np.count_nonzero(want) and got.has_canonical_format


# --- blocks and diagonals ---

@pytest.mark.parametrize("size", [(2, 2), (3, 3), (4, 4), (6, 6), (2, 5), (5, 1), (1, 3)])
@pytest.mark.parametrize("index", ["i4", "i8"])
@pytest.mark.parametrize("dtype", TYPES)
def test_rows_to_blocks(dtype, index, size):
    """Rows of few blocks and of many, in any order."""
    r = np.random.default_rng(TYPES.index(dtype))
    for m, n, mean in ((6, 8, 3), (8, 90, 30), (3, 400, 150), (4, 1, 1)):
        for ordered in (True, False):
            m_, n_ = m * size[0], n * size[1]
            ours, theirs = both("csr", rows(r, m_, n_, mean, dtype, index, ordered), (m_, n_))
            if dtype == "bool" and not ordered:
                continue
            theirs.sum_duplicates()
            got, want = ours.tobsr(size), theirs.tobsr(size)
            want.sort_indices()
            np.testing.assert_array_equal(got.indices.get(), want.indices)
            np.testing.assert_array_equal(got.indptr.get(), want.indptr)
            np.testing.assert_array_equal(got.data.get(), want.data)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 7, 8, 33, 60])
@pytest.mark.parametrize("dtype", TYPES)
def test_diagonals_to_lines(dtype, count):
    """Lines that all diagonals cross, with zeros and without, and lines that some do."""
    r = np.random.default_rng([TYPES.index(dtype), count])
    for m, n in ((90, 100), (100, 90), (2500, 2600), (70, 70)):
        for index in ("i4", "i8"):
            offsets = r.permutation(np.arange(-30, 31))[:count].astype(index)
            for zeros in (True, False):
                data = drawn(r, (count, n - int(r.integers(0, 20))), dtype)
                if not zeros:
                    data[data == 0] = 1
                ours, theirs = both("dia", (data, offsets), (m, n))
                for format in ("csr", "csc"):
                    got, want = ours.asformat(format), theirs.asformat(format)
                    want.sort_indices()
                    want.eliminate_zeros()
                    for name in ("data", "indices", "indptr"):
                        np.testing.assert_array_equal(getattr(got, name).get(), getattr(want, name))


@pytest.mark.parametrize("dtype", TYPES)
def test_to_arrays(dtype):
    for index in ("i4", "i8"):
        for ordered in (True, False):
            for ours, theirs in pairs(dtype, index, ordered):
                want = theirs.astype("i4").toarray().astype(bool) if dtype == "bool" else theirs.toarray()
                for format in ("csr", "csc", "coo"):
                    m = ours.asformat(format)
                    for order in (None, "C", "F"):
                        got = m.toarray(order=order)
                        np.testing.assert_array_equal(got.get(), want)
                        assert got.flags.f_contiguous if order == "F" else got.flags.c_contiguous
                    out = cp.ones(want.shape, dtype)
                    assert m.toarray(out=out) is out
                    np.testing.assert_array_equal(out.get(), want)
                    raises(ValueError, lambda: m.toarray(order="C", out=out))


@pytest.mark.parametrize("dtype", ["i4", "f8", "c16"])
def test_extremes_of_blocks(dtype):
    r = np.random.default_rng(0)
    for ordered in (True, False):
        for shape in ((4, 5), (1, 1), (4, 0), (0, 3)):
            _, indices, indptr = rows(r, *shape, 2, "i4", "i4", ordered)
            data = -abs(drawn(r, (indices.size, 2, 3), "i4")).astype(dtype)
            ours, theirs = both("bsr", (data, indices, indptr), (shape[0] * 2, shape[1] * 3))
            for name in ("max", "min", "nanmax", "nanmin"):
                for more in ({}, {"explicit": True}):
                    if 0 in shape:
                        raises(ValueError, lambda: getattr(ours, name)(**more))
                        continue
                    got, want = getattr(ours, name)(**more), getattr(theirs, name)(**more)
                    assert got.dtype == dtype and got.item() == want, (name, more)
