"""What CuPy's sparse matrices have beyond SciPy's, and what both refuse: shapes that broadcast, layouts, orders of
elements, wide indices, arguments of other types. NumPy and SciPy are the oracle."""
import operator
import warnings

import numpy as np
import pytest

import cuprite as cp
from oracle import raises
from sparse_oracle import FORMATS, cs, dense, on_host, ours_of, same, sp, theirs_of

OPERATORS = (operator.eq, operator.ne, operator.lt, operator.gt, operator.le, operator.ge)
SHAPES = [((6, 5), (1, 5)), ((6, 5), (6, 1)), ((1, 5), (6, 5)), ((6, 1), (6, 5)), ((6, 1), (1, 5)), ((1, 1), (6, 5))]


def refused(error, f):
    with raises(error):
        f()


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cs.SparseEfficiencyWarning)
        yield


@pytest.mark.parametrize("dtype", ["bool", "i4", "f4", "c16"])
@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("format", ["csr", "csc", "coo", "bsr"])
def test_shapes_broadcast(format, shapes, dtype):
    """Comparisons and extremes of sparse matrices are those of the dense ones."""
    r = np.random.default_rng(1)
    a, b = (dense(r, s, dtype, 0.5) for s in shapes)
    x, y = ours_of(format, True, cp.asarray(a)), ours_of("csr", False, cp.asarray(b))
    for op in OPERATORS:
        got = op(x, y)
        assert cs.issparse(got) and got.dtype == bool
        np.testing.assert_array_equal(on_host(got), op(a, b))
    for name in ("maximum", "minimum"):
        got = getattr(x, name)(y)
        assert cs.issparse(got) and got.dtype == a.dtype
        np.testing.assert_array_equal(on_host(got), getattr(np, name)(a, b))


@pytest.mark.parametrize("call", ["a == b", "a != b", "a < b", "a.maximum(b)", "a.minimum(b)", "a.multiply(b)",
                                  "a + b"])
@pytest.mark.parametrize("shape", [(2, 5), (6, 2), (5, 6)])
def test_shapes_that_do_not_broadcast(call, shape):
    a, b = cs.csr_array(cp.ones((6, 5))), cs.csr_array(cp.ones(shape))
    refused(ValueError, lambda: eval(call, {"a": a, "b": b}))


@pytest.mark.parametrize("format", ["csr", "csc"])
def test_one_axis_is_a_row(format):
    """Sums of a matrix of one row and an array of one axis have two axes, other shapes do not broadcast in sums."""
    a = ours_of(format, True, cp.asarray([[1.0, 0, 3.0]]))
    b = cs.csr_array(cp.asarray([1.0, 2.0, 0]))
    for got, want in ((a + b, [[2.0, 2, 3]]), (a - b, [[0.0, -2, 3]]), (b + a, [[2.0, 2, 3]]), (b - a, [[0.0, 2, -3]])):
        assert got.shape == (1, 3)
        np.testing.assert_array_equal(on_host(got), want)
    refused(ValueError, lambda: cs.csr_array(cp.ones((2, 3))) + b)


@pytest.mark.parametrize("is_array", [True, False])
@pytest.mark.parametrize("format", FORMATS)
def test_dense_layouts(format, is_array):
    """C without an order, as CuPy has it; NumPy's errors for what is neither C nor F."""
    d = np.arange(12.0).reshape(3, 4)
    a = ours_of(format, is_array, cp.asarray(d))
    for order, c in ((None, True), ("C", True), ("F", False), ("f", False)):
        got = a.toarray(order=order)
        assert got.flags.c_contiguous == c and got.flags.f_contiguous != c
        np.testing.assert_array_equal(got.get(), d)
    for order in ("#", "K", "A"):
        refused(ValueError, lambda: a.toarray(order=order))  # noqa: B023
    refused(TypeError, lambda: a.toarray(order=5))


@pytest.mark.parametrize("is_array", [True, False])
@pytest.mark.parametrize("format", FORMATS)
def test_arguments_that_are_refused(format, is_array):
    """The exceptions are SciPy's."""
    pair = (ours_of(format, is_array, cp.eye(4)), theirs_of(format, is_array, np.eye(4)))
    for call in ("a.transpose(0)", "a.transpose('a')", "a.dot(None)", "a @ None", "a + None", "a.maximum(None)",
                 "a.dot(x)", "a @ x", "a ** 0.5", "a[1, 2, 3]", "a.reshape(3, 3)", "a.reshape(16)", "a.setdiag(D)",
                 "a.sum(axis=2)", "a.sum(axis='a')"):
        outcomes = []
        for m, module in zip(pair, (cp, np)):
            try:
                got = eval(call, {"a": m, "x": module.asarray(2), "D": module.ones((2, 2))})
                outcomes.append(type(got).__name__)
            except (TypeError, ValueError, IndexError, NotImplementedError) as e:
                outcomes.append(next(t for t in (NotImplementedError, TypeError, ValueError, IndexError)
                                     if isinstance(e, t)))
        if call == "a.setdiag(D)" and format in ("dia", "lil", "dok"):
            outcomes[1] = ValueError             # SciPy takes some of the elements
        assert outcomes[0] == outcomes[1], (call, outcomes)


@pytest.mark.parametrize("name", [f + "_" + k for f in FORMATS for k in ("array", "matrix")])
def test_what_matrices_are_made_of(name):
    """Numbers, no axes, too many: SciPy's exceptions, or a matrix of the same shape."""
    for x in (5.0, np.float64(5), np.array(5.0), np.ones((2, 2, 2)), (5,), "abc"):
        outcomes = []
        for module in (cs, sp):
            given = cp.asarray(x) if module is cs and isinstance(x, np.ndarray) else x
            try:
                outcomes.append(getattr(module, name)(given).shape)
            except (TypeError, ValueError) as e:
                outcomes.append(TypeError if isinstance(e, TypeError) else ValueError)
        assert outcomes[0] == outcomes[1], (x, outcomes)


def test_shapes_beside_a_matrix():
    """A longer shape of as many axes is taken; others are refused, as in CuPy."""
    a = cs.coo_array(cp.asarray([[1.0, 0, 2], [0, 9, 0]]))
    np.testing.assert_array_equal(on_host(cs.coo_array(a, shape=(3, 4))), [[1, 0, 2, 0], [0, 9, 0, 0], [0] * 4])
    for shape in ((6,), (2, 2), (1, 3)):
        refused(ValueError, lambda: cs.coo_array(a, shape=shape))  # noqa: B023
    v = cs.coo_array(cp.asarray([0.0, 1, 2]))
    np.testing.assert_array_equal(on_host(cs.coo_array(v, shape=(5,))), [0, 1, 2, 0, 0])
    refused(ValueError, lambda: cs.coo_array(v, shape=(1, 3)))


@pytest.mark.parametrize("k", range(-7, 5))
@pytest.mark.parametrize("many", [None, 1, 3, 20])
def test_diagonals_of_coordinates(k, many):
    """The diagonal's elements come last, in SciPy's order; the type is SciPy's."""
    d = dense(np.random.default_rng(5), (8, 5), "f4", 0.5)
    ours, theirs = cs.coo_matrix(cp.asarray(d)), sp.coo_matrix(d)
    values = np.float64(7) if many is None else np.arange(1.0, many + 1)
    ours.setdiag(cp.asarray(values), k)
    theirs.setdiag(values, k)
    assert ours.dtype == theirs.dtype
    for name in ("data", "row", "col"):
        np.testing.assert_array_equal(getattr(ours, name).get(), getattr(theirs, name))


@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
def test_true_twice(format):
    """True and True at one place are True: sums and means are the dense array's, the matrix stays as it was."""
    at = ([0, 0, 1], [1, 1, 2])
    a = cs.coo_array((cp.asarray([True] * 3), tuple(map(cp.asarray, at))), shape=(2, 3))
    a = a if format == "coo" else ours_of(format, True, (cp.asarray([True] * 3), cp.asarray([1, 1, 2]), cp.asarray(
        [0, 2, 3])), shape=(2, 3)) if format == "csr" else ours_of(format, True, (cp.asarray([True] * 3), cp.asarray(
            [0, 0, 1]), cp.asarray([0, 0, 2, 3])), shape=(2, 3))
    assert a.nnz == 3 and int(a.sum()) == 2 and float(a.mean()) == 2 / 6
    assert a.nnz == 3
    same(a.sum(), a.get().sum())


def test_canonical_by_word():
    """has_canonical_format that is set by hand holds; a dense array adds duplicates nevertheless, as SciPy's."""
    for name in ("csr_matrix", "csc_matrix"):
        a = getattr(cs, name)((cp.asarray([1.0, 1.0]), cp.asarray([0, 0]), cp.asarray([0, 2])))
        a.has_canonical_format = True
        a.sum_duplicates()
        assert a.has_canonical_format and a.nnz == 2
        np.testing.assert_array_equal(a.copy().toarray().get(), [[2.0]])
        a.has_canonical_format = False
        assert not a.has_canonical_format
        a.sum_duplicates()
        assert a.nnz == 1


def test_wide_indices_stay():
    """Coordinates of int64 that are assigned stay so, and what is made of them too."""
    for empty in (False, True):
        a = cs.coo_matrix((3, 3)) if empty else cs.coo_matrix(cp.eye(3))
        a.row, a.col = a.row.astype(cp.int64), a.col.astype(cp.int64)
        assert a.copy().row.dtype == a.reshape((1, 9)).col.dtype == cp.int64
        for m in (a.tocsr(), a.tocsc(), a.tocsc().tocsr(), a.tocsr().T):
            assert m.indices.dtype == m.indptr.dtype == cp.int64


@pytest.mark.parametrize("format", ["csr", "csc"])
def test_columns_of_very_wide_matrices(format):
    """Some of 2**33 columns are taken without memory for all of them."""
    n = 2**33
    at = cp.asarray([5, 2**31 + 1, n - 1, 2**31 + 1])
    data = cp.asarray([1.0, 2.0, 3.0, 4.0])
    shape = (2, n) if format == "csr" else (n, 2)
    a = ours_of(format, True, (data, at, cp.asarray([0, 3, 4])), shape=shape)
    columns = [2**31 + 1, 7, n - 1, 2**31 + 1, -1]
    got = a[:, columns] if format == "csr" else a[columns, :].T
    np.testing.assert_array_equal(on_host(got), [[2, 0, 3, 2, 3], [4, 0, 0, 4, 0]])
    got = a[:, []] if format == "csr" else a[[], :].T
    assert got.shape == (2, 0)


def test_deprecated_names():
    a = cs.csr_matrix(cp.asarray([[1.0, 2j], [0, 3]]))
    for name, want in (("A", a.toarray()), ("H", a.toarray().conj().T)):
        with pytest.warns(DeprecationWarning, match=name) as found:
            got = getattr(a, name)
        assert found[0].filename == __file__
        np.testing.assert_array_equal(on_host(got), want.get())


def test_generic_aliases():
    for name in ("csr_array", "coo_matrix", "lil_array"):
        assert getattr(cs, name)[np.float64].__args__ == (np.float64,)


@pytest.mark.parametrize("axis", [None, 0, -1, (0,)])
@pytest.mark.parametrize("format", ["csr", "coo"])
def test_counts_of_one_axis(format, axis):
    v = ours_of(format, True, (cp.asarray([1.0, 0, 2]), (cp.asarray([0, 1, 3]),)), shape=(5,))
    assert v.count_nonzero(axis=axis) == 2
    refused(ValueError, lambda: v.count_nonzero(axis=1))


@pytest.mark.parametrize("format", ["lil", "dok"])
def test_in_place_on_the_host(format):
    a = ours_of(format, True, cp.eye(2))
    b = a
    a *= 4
    a /= 2
    assert a is b
    np.testing.assert_array_equal(on_host(a), np.eye(2) * 2)


def test_minres_in_float32_has_float64(kind="f4"):
    """As SciPy's, whose coefficients are of float64."""
    d = np.diag(np.arange(1, 9)).astype(kind)
    b = np.ones(8, kind)
    ours = cs.linalg.minres(cs.csr_array(cp.asarray(d)), cp.asarray(b))[0]
    theirs = sp.linalg.minres(sp.csr_array(d), b)[0]
    assert ours.dtype == theirs.dtype == np.float64
    np.testing.assert_allclose(ours.get(), theirs, rtol=1e-5)


@pytest.mark.parametrize("name", ["eigsh", "eigs", "svds"])
@pytest.mark.parametrize("shape", [(3,), (2, 2, 2)])
def test_eigenvalues_of_other_axes(name, shape):
    refused(ValueError, lambda: getattr(cs.linalg, name)(cp.ones(shape), k=1))


def test_minres_has_cupys_name_of_the_tolerance():
    d, b = np.diag(np.arange(1.0, 40)), np.ones(39)
    a = cs.csr_array(cp.asarray(d))
    loose, close = (cs.linalg.minres(a, cp.asarray(b), tol=t)[0].get() for t in (0.3, 1e-12))
    np.testing.assert_array_equal(loose, cs.linalg.minres(a, cp.asarray(b), rtol=0.3)[0].get())
    np.testing.assert_allclose(close, 1 / np.arange(1.0, 40), rtol=1e-9)
    assert abs(loose - close).max() > 1e-3


@pytest.mark.parametrize("format", ["csr", "coo"])
def test_vectors_are_iterated(format):
    for x in (np.array([1, 0, 2.5]), np.array([0, 3], "i2"), np.zeros(0)):
        ours, theirs = list(ours_of(format, True, cp.asarray(x))), list(theirs_of(format, True, x))
        assert [(v.shape, v.dtype, v.item()) for v in ours] == [(v.shape, v.dtype, v.item()) for v in theirs]
        assert all(isinstance(v, cp.ndarray) for v in ours)
