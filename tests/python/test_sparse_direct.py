"""Factorizations of cuprite.scipy.sparse.linalg and what solves with them, against SciPy."""
import itertools
import warnings

import numpy as np
import pytest
import scipy.sparse.linalg as sl

import cuprite as cp
from oracle import raises
from sparse_oracle import cs, sp
from sparse_systems import TYPES, cl, close, forms, system


@pytest.mark.parametrize("dtype", TYPES)
def test_factorizations(dtype):
    r = np.random.default_rng(TYPES.index(dtype))
    tol = 1e-4 if dtype in ("f4", "c8") else 1e-11
    for i in range(4):
        d, b = system(r, int(r.integers(3, 20)), dtype)
        many = r.normal(size=(b.size, 3)).astype(dtype)
        (a, sa), n = forms(d, i), b.size
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            close(cl.spsolve(a, cp.asarray(b)), sl.spsolve(sa, b), tol)
        assert sum(w.category is cs.SparseEfficiencyWarning for w in seen) == (i in (2, 3))
        a, sa = (m.tocsc() if i < 3 else c.csc_array(m) for c, m in ((cs, a), (sp, sa)))
        close(cl.spsolve(a, cp.asarray(many)), sl.spsolve(sa, many), tol)
        for ours, theirs in ((cl.splu(a), sl.splu(sa)), (cl.spilu(a, drop_tol=1e-3), sl.spilu(sa, drop_tol=1e-3)),
                             (cl.splu(a, permc_spec="NATURAL"), sl.splu(sa, permc_spec="NATURAL"))):
            assert isinstance(ours, cl.SuperLU) and ours.shape == (n, n) and ours.nnz == theirs.nnz
            for trans in "NTH":
                close(ours.solve(cp.asarray(b), trans), theirs.solve(b, trans), tol)
                close(ours.solve(cp.asarray(many), trans), theirs.solve(many, trans), tol)
            assert cs.issparse(ours.L) and isinstance(ours.perm_c, cp.ndarray)
            close(ours.L.toarray(), theirs.L.toarray(), tol)
            close(ours.U.toarray(), theirs.U.toarray(), tol)
            close(ours.perm_c, theirs.perm_c, 0)
            close(ours.perm_r, theirs.perm_r, 0)
        close(cl.factorized(a)(cp.asarray(b)), sl.factorized(sa)(b), tol)
        sparse = cs.csc_array(cp.asarray(many))
        x = cl.spsolve(a, sparse)
        assert type(x) is type(a)
        close(x.toarray(), sl.spsolve(sa, sp.csc_array(many)).toarray(), tol)
        close(cl.inv(a).toarray(), sl.inv(sa).toarray(), tol)
        close(cl.matrix_power(a, 5).toarray(), sl.matrix_power(sa, 5).toarray(), tol)
        close(cl.expm(a / 50).toarray(), sl.expm(sa / 50).toarray(), tol)


@pytest.mark.parametrize("dtype", TYPES)
def test_orders_of_columns(dtype, monkeypatch):
    """Minimum degree for symmetric places without pivots, else SuperLU's own choice; the same solutions."""
    from cuprite.scipy.sparse.linalg import _direct
    _ordering = _direct._ordering
    assert _ordering(cs.csr_array(np.eye(60, dtype=dtype))) is None     # too small to look at
    monkeypatch.setattr(_direct, "_MANY", 1)
    r = np.random.default_rng(TYPES.index(dtype))
    tol = 1e-4 if dtype in ("f4", "c8") else 1e-11
    strong = system(r, 60, dtype, True)[0]
    weak = strong - np.diag(strong.diagonal()) * 0.9
    lop, arrow = np.triu(strong), np.eye(500, dtype=dtype) * 1000
    arrow[0], arrow[:, 0] = 1, 1
    arrow[0, 0] = 1000
    for d, order in ((strong, "MMD_AT_PLUS_A"), (weak, None), (lop, None), (arrow, None), (strong * 0, None)):
        for format in ("csc", "csr"):
            a = getattr(cs, format + "_array")(d.astype(dtype))
            assert _ordering(a) == order
            if d.any():
                b = r.normal(size=len(d)).astype(dtype)
                close(cl.spsolve(a, cp.asarray(b)), sl.spsolve(a.get(), b), tol)
            if d.any() and format == "csc":
                lu = cl.splu(a)
                close(lu.perm_c, sl.splu(a.get(), permc_spec=order).perm_c, 0)
                close(lu.solve(cp.asarray(b)), sl.spsolve(a.get(), b), tol)
                for options in ({"permc_spec": "COLAMD"}, {"panel_size": 8}, {"relax": 2}, {"diag_pivot_thresh": 0.5},
                                {"options": {"Equil": True}}):
                    close(cl.splu(a, **options).perm_c, sl.splu(a.get(), **options).perm_c, 0)
    assert _ordering(cs.csr_array(np.eye(3, dtype=int))) is None and _ordering(cs.csr_array((0, 0))) is None
    close(cl.factorized(cs.csc_array(strong))(cp.ones(60, dtype=dtype)), np.linalg.solve(strong, np.ones(60, dtype)),
          tol)


@pytest.mark.parametrize("dtype", TYPES)
def test_triangular(dtype):
    r = np.random.default_rng(TYPES.index(dtype))
    tol = 1e-4 if dtype in ("f4", "c8") else 1e-11
    for format in ("csr", "csc"):
        for lower in (True, False):
            d, b = system(r, 12, dtype)
            d = np.tril(d) if lower else np.triu(d)
            for unit in (False, True):
                for rhs in (b, np.stack([b, b * 2], axis=1)):
                    a, sa = getattr(cs, format + "_array")(d), getattr(sp, format + "_array")(d)
                    x = cl.spsolve_triangular(a, cp.asarray(rhs), lower, unit_diagonal=unit)
                    close(x, sl.spsolve_triangular(sa, rhs, lower, unit_diagonal=unit), tol)
                    close(a.toarray(), d, 0)


def test_singular():
    a, b = cs.csc_array(cp.zeros((3, 3))), cp.ones(3)
    with pytest.warns(cl.MatrixRankWarning, match="exactly singular"):
        x = cl.spsolve(a, b)
    assert bool(cp.isnan(x).all())
    with raises(RuntimeError, match="exactly singular"):
        cl.splu(a)
    with raises(np.linalg.LinAlgError):
        cl.spsolve_triangular(a, b)


@pytest.mark.parametrize("direct", [True, False])
def test_both_ways_to_superlu(direct, monkeypatch):
    """By SciPy's inner functions, where its objects are not needed, and by its outer ones: results and warnings."""
    from cuprite.scipy.sparse.linalg import _direct
    if not direct:
        monkeypatch.setattr(_direct, "_superlu", lambda: None)
    r = np.random.default_rng(5)
    d, b = system(r, 9, "f8")
    for format, own in itertools.product(("csr", "csc"), (False, True)):
        a = getattr(cs, format + ("_matrix" if own else "_array"))(d)
        s = a.get()
        for rhs in (b, b[:, None], np.stack([b, -b], 1), np.asfortranarray(np.stack([b, -b], 1)), b.astype("f4"),
                    b * 1j, (b * 9).astype(int)):
            for order in (None, "NATURAL", "MMD_ATA"):
                close(cl.spsolve(a, cp.asarray(rhs), order), sl.spsolve(s, rhs, order), 1e-11)
        strided = np.zeros(18)
        strided[::2] = b
        close(cl.spsolve(a, cp.asarray(strided)[::2]), sl.spsolve(s, b), 1e-11)
        twice = type(a)((cp.asarray([1.0, 2, 3, 4]), cp.asarray([0, 0, 1, 0]), cp.asarray([0, 2, 4])), shape=(2, 2))
        close(cl.spsolve(twice, cp.ones(2)), sl.spsolve(twice.get(), np.ones(2)), 1e-13)
        assert twice.nnz == 4
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            x = cl.spsolve(a * 0, cp.ones((9, 2)))
        assert [w.category for w in seen] == [cl.MatrixRankWarning] and np.isnan(x.get()).all() and x.shape == (9, 2)
        for wrong in (lambda: cl.spsolve(a, cp.ones(9), "ORDER"), lambda: cl.spsolve(a, cp.ones(8))):
            with raises(ValueError):
                wrong()
        assert np.array_equal(a.toarray().get(), d)


@pytest.mark.parametrize("dtype", TYPES)
def test_systems_of_few_rows(dtype):
    """Elimination in an array, where SciPy has SuperLU: the same solutions; singular and not finite systems too."""
    r = np.random.default_rng(TYPES.index(dtype))
    single = dtype in ("f4", "c8")
    for i in range(60):
        n = int(r.integers(1, 105))
        order, there = r.permutation(n), r.random((n, n)) < 3 / n
        if i % 4 == 3:  # a band, whose main diagonal is not always the greatest
            shift = int(r.integers(-2, 3))
            order = np.clip(np.arange(n) + shift, 0, n - 1) if n < 3 else np.roll(np.arange(n), i % 3)
            there = abs(np.subtract.outer(np.arange(n), np.arange(n) + shift)) < r.integers(1, 5)
        d = np.where(there, system(r, n, "c16" if dtype[0] == "c" else "f8")[0], 0) + np.eye(n)[order] * 4
        d, b = d.astype(dtype), system(r, n, dtype)[1]
        rhs = (b, b[:, None], np.stack([b, 1j * b if dtype[0] == "c" else -2 * b, b], 1).astype(dtype))[i % 3]
        a = cs.csr_array(d) if i % 2 else cs.csc_array(d)
        a.indices, a.indptr = (x.astype("i8" if i % 5 == 0 else "i4") for x in (a.indices, a.indptr))
        x, y = cl.spsolve(a, cp.asarray(rhs)), sl.spsolve(sp.csc_array(d), rhs)
        assert x.dtype == y.dtype and x.shape == y.shape
        condition = np.linalg.cond(d)
        np.testing.assert_allclose(x.get(), y, rtol=0, atol=condition * abs(y).max() * n * np.finfo(dtype).eps)
        assert np.array_equal(a.toarray().get(), d)
    scales = 10.0 ** (np.arange(12) * (1 if single else 10) - (6 if single else 60))
    d = np.diag(scales).astype(dtype)   # no pivot is small beside its own row
    close(cl.spsolve(cs.csr_array(d), cp.ones(12, dtype)) * cp.asarray(scales).astype(dtype), np.ones(12, dtype),
          1e-6 if single else 1e-14)
    twice = cs.csr_array((cp.asarray([1, 2, 3, 4]).astype(dtype), cp.asarray([0, 0, 1, 0]), cp.asarray([0, 2, 4])),
                         shape=(2, 2))
    close(cl.spsolve(twice, cp.ones(2, dtype)), sl.spsolve(twice.get(), np.ones(2, dtype)), 1e-6)
    for values in ([[1, 2], [2, 4]], [[0, 0], [1, 1]], [[np.nan, 1], [1, 1]], [[np.inf, 1], [1, 2]], [[3, 0], [0, 0]]):
        d = np.array(values, dtype)
        for rhs in ([1, 2], [np.nan, 1], [np.inf, 1]):
            results = []
            for solve, m, v in ((cl.spsolve, cs.csc_array(cp.asarray(d)), cp.asarray(rhs).astype(dtype)),
                                (sl.spsolve, sp.csc_array(d), np.array(rhs, dtype))):
                with warnings.catch_warnings(record=True) as seen:
                    warnings.simplefilter("always")
                    x = solve(m, v)
                results.append((x.get() if solve is cl.spsolve else x,
                                [w.category for w in seen if w.category is cl.MatrixRankWarning]))
            (x, told), (y, theirs) = results
            np.testing.assert_array_equal(x, y)
            assert told == theirs


def test_elimination():
    """What _sparse.sparse_solve refuses."""
    from cuprite import _sparse
    if cp.zeros(1).device.backend == "cuda":
        pytest.skip("on the CPU alone")
    a = cs.csr_array(cp.asarray([[1.0, 2], [3, 5]]))
    data, indices, indptr = a._triple()
    for transposed in (False, True):
        d = a.toarray().get()
        want = np.linalg.solve(d.T if transposed else d, np.arange(6.0).reshape(2, 3))
        np.testing.assert_allclose(_sparse.sparse_solve(data, indices, indptr, transposed,
                                                        cp.arange(6.0).reshape(2, 3)).get(), want, rtol=1e-13,
                                   atol=1e-14)
    assert _sparse.sparse_solve(data, indices, indptr, False, cp.zeros((2, 0))).shape == (2, 0)
    assert _sparse.sparse_solve(cp.zeros(0), cp.zeros(0, "i4"), cp.zeros(1, "i4"), False, cp.zeros(0)).shape == (0,)
    assert _sparse.sparse_solve(data.astype("i4"), indices, indptr, False, cp.ones(2, "i4")).dtype == "f8"
    for wrong in (cp.ones(3), cp.ones((2, 1, 1)), cp.ones((1, 2))):
        with raises(ValueError, match="as many rows"):
            _sparse.sparse_solve(data, indices, indptr, False, wrong)
    for n, far in ((101, 100), (101, 1), (2**14, 40), (2**14 + 1, 40), (2**14 + 1, 12)):
        band = cs.eye_array(n, format="csr") + cs.eye_array(n, k=far, format="csr")
        for transposed in (False, True):    # a band that is too wide is left to others
            most, below = 192 if n > 2**14 else 2048, far if transposed else 0
            size = n if (below + 1) * (far + 1) <= most else 0
            assert _sparse.sparse_solve(*band._triple(), transposed, cp.ones(n)).size == size
    for values in ([1.0, 2, 2, 4], [1, 2, 1, 2 + 1e-16], [np.nan, 1, 1, 1], [1, 2, 3, np.inf], [1e-300, 1, 1e-300, 1]):
        with raises(np.linalg.LinAlgError, match="singular"):
            _sparse.sparse_solve(cp.asarray(values), indices, indptr, False, cp.ones(2))
    with raises(np.linalg.LinAlgError):
        _sparse.sparse_solve(data, indices, indptr, False, cp.asarray([1, np.nan]))


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("below, above", [(0, 0), (1, 1), (2, 0), (0, 3), (3, 5), (20, 30), (40, 2), (60, 60)])
def test_bands(below, above, dtype):
    """Narrow bands, which are solved as such, and wider ones: with pivots, of a transpose, of several right sides."""
    r = np.random.default_rng(below + above)
    for n in (101, 350):
        unit = 1 + 1j if dtype[0] == "c" else 1
        d = sum(np.diag(r.normal(size=n - abs(k)) * unit, k) for k in range(-below, above + 1))
        d = d.astype(dtype) + np.diag(np.where(np.arange(n) % 7, 4, 0)).astype(dtype)
        if below and above:
            d[np.arange(0, n, 5), np.arange(0, n, 5)] = 0   # a pivot is elsewhere
        for b in (r.normal(size=n), r.normal(size=(n, 3)), r.normal(size=(n, 1))):
            b = b.astype(dtype)
            for format in ("csr", "csc"):
                m = getattr(cs, format + "_array")(cp.asarray(d))
                x = cs.linalg.spsolve(m, cp.asarray(b))
                assert x.dtype == dtype and x.shape == (b.shape if b.shape[1:] != (1,) else b.shape[:1])
                x = x.get().astype("c16")
                left = np.abs(d.astype("c16") @ x - b.reshape(x.shape)).max()
                assert left <= 8 * np.finfo(dtype).eps * np.abs(d).sum(1).max() * np.abs(x).max()
    twice = cs.csr_array((cp.asarray(np.full(240, 2, dtype)), cp.asarray(np.repeat(np.arange(120), 2)),
                          cp.asarray(np.arange(0, 241, 2))), shape=(120, 120))
    np.testing.assert_array_equal(cs.linalg.spsolve(twice, cp.ones(120, dtype=dtype)).get(), np.full(120, 0.25, dtype))


def test_singular_bands():
    n = 300
    d = np.diag(np.full(n, 2.0)) + np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1)
    d[7] = 0
    with pytest.warns(cs.linalg.MatrixRankWarning, match="exactly singular"):
        assert bool(cp.isnan(cs.linalg.spsolve(cs.csr_array(cp.asarray(d)), cp.ones(n))).all())
    d[7, 7] = np.nan
    assert bool(cp.isnan(cs.linalg.spsolve(cs.csc_array(cp.asarray(d)), cp.ones(n))).any())
