"""cuprite.scipy.sparse.linalg against SciPy: solutions, codes, iterates and errors on random systems."""
import warnings

import numpy as np
import pytest

import cuprite as cp
from oracle import raises
from sparse_oracle import cs, outcome, sp

import scipy.sparse.linalg as sl
cl = cs.linalg
TYPES = ("f4", "f8", "c8", "c16")
SQUARE = "cg cgs bicg bicgstab gmres qmr minres tfqmr lgmres gcrotmk".split()


def system(r, n, dtype, hermitian=False):
    """A well-conditioned matrix and a vector of NumPy's."""
    d = np.where(r.random((n, n)) < 0.15, r.normal(size=(n, n)), 0)
    b = r.normal(size=n)
    if dtype[0] == "c":
        d, b = d + 1j * np.where(d != 0, r.normal(size=(n, n)), 0), b + 1j * r.normal(size=n)
    d = d + d.conj().T if hermitian else d
    return (d + np.diag(2 * abs(d).sum(1) + 0.5 + r.random(n))).astype(dtype), b.astype(dtype)


def forms(d, i):
    """(ours, SciPy's) of a dense matrix, in one of several forms."""
    if i == 0:
        return cs.csr_array(d), sp.csr_array(d)
    if i == 1:
        return cs.csc_matrix(d), sp.csc_matrix(d)
    if i == 2:
        return cs.coo_array(d), sp.coo_array(d)
    if i == 3:
        return cp.asarray(d), d
    return tuple(c.LinearOperator(d.shape, matvec=x.__matmul__, rmatvec=x.conj().T.__matmul__, dtype=d.dtype)
                 for c, x in ((cl, cp.asarray(d)), (sl, d)))


def close(got, want, tol):
    got = got.get() if isinstance(got, cp.ndarray) else np.asarray(got)
    want = np.asarray(want)
    assert got.shape == want.shape and got.dtype == want.dtype, (got.shape, want.shape, got.dtype, want.dtype)
    np.testing.assert_allclose(got, want, rtol=tol, atol=tol * max(abs(want).max(initial=0), 1e-30))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", SQUARE)
def test_solvers(name, dtype):
    """Same solutions, codes, iterates."""
    r = np.random.default_rng((SQUARE.index(name), TYPES.index(dtype)))
    if name == "minres" and dtype[0] == "c":
        pytest.skip("SciPy's minres is of real matrices")
    rtol = 1e-3 if dtype in ("f4", "c8") else 1e-8
    for i in range(5):
        n = int(r.integers(5, 40))
        d, b = system(r, n, dtype, name in ("cg", "minres"))
        ours, theirs = forms(d, i)
        for options in ({}, {"x0": b * 2}, {"maxiter": 3}, {"M": np.diag(1 / d.diagonal())})[i % 2::2]:
            if name == "qmr" and "M" in options:
                options = {"M1": sl.aslinearoperator(options["M"]), "M2": sl.aslinearoperator(np.eye(n, dtype=dtype))}
            many = [[], []]
            calls = [{}, {}]
            for k in (0, 1):
                calls[k] = {"callback": lambda x, k=k: many[k].append(x.get() if isinstance(x, cp.ndarray)
                                                                      else np.copy(x))}
                if name == "gmres":
                    calls[k] = {**calls[k], "callback_type": "x"}
            mine = {k: cl.aslinearoperator(v.A) if hasattr(v, "A") else v for k, v in options.items()}
            x, info = getattr(cl, name)(ours, cp.asarray(b), rtol=rtol, **mine, **calls[0])
            y, code = getattr(sl, name)(theirs, b, rtol=rtol, **options, **calls[1])
            assert info == code, (options, info, code)
            assert dtype in ("f4", "c8") or abs(len(many[0]) - len(many[1])) <= 1, (options, len(many[0]), len(many[1]))
            tol = 2e-2 if dtype in ("f4", "c8") else 1e-5
            for p, q in zip([*many[0][:3], x], [*many[1][:3], y]):  # rounding grows later on
                # SciPy's minres makes float64 of float32
                close(p, q.astype(dtype) if name == "minres" else q, tol)


def test_gmres_options():
    r = np.random.default_rng(1)
    d, b = system(r, 30, "f8")
    d += r.normal(size=d.shape) * 3
    for options in ({"restart": 5}, {"restart": 7, "maxiter": 2}, {"restart": 100}, {"maxiter": 4},
                    {"restart": 3, "atol": 1e-3}):
        for kind in ("legacy", "pr_norm", "x"):
            seen = [[], []]
            x, info = cl.gmres(cs.csr_array(d), cp.asarray(b), **options, callback_type=kind,
                               callback=lambda v: seen[0].append(v.get() if kind == "x" else v))
            y, code = sl.gmres(sp.csr_array(d), b, **options, callback_type=kind,
                               callback=lambda v: seen[1].append(np.copy(v)))
            assert info == code and len(seen[0]) == len(seen[1])
            close(x, y, 1e-4)
            np.testing.assert_allclose(np.asarray(seen[0]), np.asarray(seen[1]), rtol=1e-3, atol=1e-9)
    with pytest.warns(DeprecationWarning, match="callback_type"):
        cl.gmres(cs.csr_array(d), cp.asarray(b), callback=lambda v: None)
    with raises(ValueError, match="Unknown callback_type"):
        cl.gmres(cs.csr_array(d), cp.asarray(b), callback_type="y")


LEAST = {"lsqr": ({}, {"damp": 0.5}, {"iter_lim": 3}, {"calc_var": True}, {"x0": 1}, {"atol": 1e-12, "btol": 1e-12}),
         "lsmr": ({}, {"damp": 0.5}, {"maxiter": 3}, {"conlim": 2}, {"x0": 1}, {"atol": 1e-12, "btol": 1e-12})}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", LEAST)
def test_least_squares(name, dtype):
    """The solution, and all numbers that are told with it."""
    r = np.random.default_rng((len(name), TYPES.index(dtype)))
    for i, options in enumerate(LEAST[name]):
        m, n = (int(v) for v in r.integers(5, 25, 2))
        d, b = np.zeros((m, n), dtype), system(r, m, dtype)[1]
        d[:] = system(r, max(m, n), dtype)[0][:m, :n]
        if dtype[0] == "c" and "calc_var" in options:
            continue
        theirs, mine = dict(options), dict(options)
        if "x0" in options:
            theirs["x0"] = r.normal(size=n).astype(dtype)
            mine["x0"] = cp.asarray(theirs["x0"])
        ours, scipys = forms(d, i % 5)
        got, want = getattr(cl, name)(ours, cp.asarray(b), **mine), getattr(sl, name)(scipys, b, **theirs)
        assert len(got) == len(want)
        if dtype in ("f8", "c16"):
            assert got[1:3] == tuple(want[1:3]), (options, got[1:3], want[1:3])
        tol = 5e-2 if dtype in ("f4", "c8") else 1e-6
        close(got[0], want[0].astype(got[0].dtype), tol)
        assert got[0].dtype == (np.complex128 if dtype[0] == "c" else np.float64)
        if dtype in ("f8", "c16"):
            for p, q in zip(got[3:], want[3:]):
                p, q = p.get() if isinstance(p, cp.ndarray) else p, q
                np.testing.assert_allclose(p, q, rtol=1e-4, atol=1e-5)


BAD = """cg(A[:3], b)|cg(A, b[:4])|cg(A, b, atol=-1)|cg(A, b, x0=b[:3])|cg(A, b, M=A[:2])|gmres(A[:3], b)|minres(A[:3], b)
lsqr(A, b[:3])|lsmr(A, b[:3])|aslinearoperator("x")|LinearOperator((2,), matvec=abs)|aslinearoperator(A).matvec(b[:2])
aslinearoperator(A).matmat(b)|aslinearoperator(A) + 3|aslinearoperator(A) @ 3|aslinearoperator(A)**-1|aslinearoperator(d3)
aslinearoperator(A) @ aslinearoperator(A[:2])|aslinearoperator(A) + aslinearoperator(A[:2])|lgmres(A, b * float('nan'))
gcrotmk(A, b, truncate='x')|bicg(A, b[:2])|qmr(A, b[:2])|LinearOperator((5, 5), matvec=lambda v: v).rmatvec(b)"""


@pytest.mark.parametrize("e", BAD.replace("\n", "|").split("|"))
def test_bad_input(e):
    d, b = system(np.random.default_rng(0), 5, "f8")
    want = outcome(lambda: eval(e, {**vars(sl), "A": sp.csr_array(d), "b": b, "d3": d[None]}))
    assert isinstance(want, type)
    names = {n: getattr(cl, n) for n in dir(cl) if not n.startswith("_")}
    got = outcome(lambda: eval(e, {**names, "A": cs.csr_array(d), "b": cp.asarray(b), "d3": cp.asarray(d[None])}))
    assert got is want, (got, want)


OPERATORS = """A@v|A*v|A@X|A.matvec(v)|A.matvec(X[:,:1])|A.matmat(X)|A.rmatvec(w)|A.rmatmat(Y)|A.H@w|A.T@w|A.T.H@v|A.H.T@v
(A+A)@v|(2*A)@v|(A*(1+2j))@v|(-A)@v|(A-A)@v|(A/2)@v|(A.H@A)@v|((A.H@A)**3)@v|(A.H@A).H@v|(A+A).T@w|(A*2j).H@w|w@A|Y.T@A
A(v)|A.dot(v)|(A@A.H).shape|((A*2)*3j).dtype|(A@A.T)@Y|A.adjoint()@w|A.transpose()@Y|(3*A).T@w|A.ndim|A.T.dtype"""


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("form", range(5))
def test_operators(form, dtype):
    r = np.random.default_rng(form)
    d = system(r, 7, dtype)[0][:, :5]
    v, w, X, Y = (system(r, 7, dtype)[0][s] for s in (np.s_[0, :5], np.s_[0], np.s_[:5, :3], np.s_[:, :2]))
    ours, theirs = (c.aslinearoperator(x) for c, x in zip((cl, sl), forms(d, form)))
    host = {"v": v, "w": w, "X": X, "Y": Y}
    mine = {k: cp.asarray(x) for k, x in host.items()}
    for e in OPERATORS.replace("\n", "|").split("|"):
        got, want = outcome(lambda: eval(e, {"A": ours, **mine})), outcome(lambda: eval(e, {"A": theirs, **host}))
        if isinstance(want, np.ndarray):
            assert isinstance(got, cp.ndarray), e
            if got.dtype.char in "fF":  # SciPy's factors become float64 where they are conjugated
                want = want.astype(got.dtype)
            close(got, want, 1e-4 if dtype in ("f4", "c8") else 1e-12)
        else:
            assert got == want, (e, got, want)


def test_operators_of_functions_and_classes():
    d = np.arange(12.0).reshape(3, 4)
    x = cp.asarray(d)

    class Mine(cl.LinearOperator):
        def _matvec(self, v):
            return x @ v

        def _adjoint(self):
            return cl.aslinearoperator(x.T)
    for a in (Mine("f8", (3, 4)), cl.LinearOperator((3, 4), x.__matmul__, rmatvec=lambda v: x.T @ v)):
        assert a.dtype == np.float64 and a.shape == (3, 4)
        close(a @ cp.ones(4), d @ np.ones(4), 1e-15)
        close(a.matmat(cp.ones((4, 2))), d @ np.ones((4, 2)), 1e-15)
        close(a.rmatvec(cp.ones(3)), d.T @ np.ones(3), 1e-15)
        close(a.H.matmat(cp.ones((3, 2))), d.T @ np.ones((3, 2)), 1e-15)
    assert repr(cl.aslinearoperator(x)) == repr(sl.aslinearoperator(d))
    with pytest.warns(RuntimeWarning, match="at least one of"):
        type("Empty", (cl.LinearOperator,), {})("f8", (2, 2))
    with raises(NotImplementedError):
        cl.LinearOperator((3, 4), x.__matmul__).rmatvec(cp.ones(3))
