"""cuprite.scipy.sparse.linalg against SciPy: solutions, codes, iterates and errors on random systems."""
import sys

import numpy as np
import pytest
import scipy.sparse.linalg as sl

import cuprite as cp
from oracle import raises
from sparse_oracle import cs, outcome, sp
from sparse_systems import TYPES, cl, close, forms, system

SQUARE = "cg cgs bicg bicgstab gmres qmr minres tfqmr lgmres gcrotmk".split()


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
            if name != "cgs" or dtype not in ("f4", "c8"):  # whose residual rises by 10^4 before it falls
                assert info == code, (options, info, code)
            steps = len(many[0]), len(many[1])
            near = 1 if max(steps) <= n else 1 + max(steps) // 5  # beyond n steps rounding, BLAS's too, decides
            assert dtype in ("f4", "c8") or abs(steps[0] - steps[1]) <= near, (options, steps)
            tol = 2e-2 if dtype in ("f4", "c8") else 1e-5
            last = [] if info != code else [(x, y)]
            for p, q in [*zip(many[0][:3], many[1][:3]), *last]:  # rounding grows later on
                close(p, q, tol)


@pytest.mark.parametrize("dtype", TYPES)
def test_breakdown_of_cgs(dtype):
    """The first direction's product is 0: SciPy's code, and x stays as it was."""
    turn = np.array([[0, 1], [-1, 0]], dtype)
    for d, b, x0 in ((turn, [1, 0], None), (turn, [1, 0], [3, 4]), (turn, [0, 0], None),
                     (np.eye(2, dtype=dtype), [1, 2], None), (turn + np.diag([0, 1]).astype(dtype), [1, 0], None)):
        b = np.array(b, dtype)
        given = {} if x0 is None else {"x0": np.array(x0, dtype)}
        x, info = cl.cgs(cs.csr_array(d), cp.asarray(b), rtol=1e-5, **given)
        y, code = sl.cgs(d, b, rtol=1e-5, **given)
        assert info == code
        close(x, y, 1e-6)


SMALL = """[[0, 1], [-1, 0]], [1, 0]|[[0, 1], [-1, 0]], [0, 0]|[[1, 0], [0, 1]], [1, 2]|[[0, 1], [1, 0]], [1, 0]
[[1, 1], [1, 1]], [1, -1]|[[0, 0], [0, 0]], [1, 1]|[[0, 1, 0], [0, 0, 1], [1, 0, 0]], [1, 0, 0]|[[3]], [6]|[[0]], [6]
[[2, 0, 1], [0, 2, 0], [1, 0, -2]], [1, 1, 1]|[[0, 1], [-1, 1]], [1, 0]|[[1, 2], [3, 4]], [nan, 1]
[[1, 2], [3, 4]], [inf, 1]|[[nan, 2], [3, 4]], [1, 1]"""


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ["bicg", "bicgstab", "cgs", "qmr", "tfqmr"])
def test_breakdowns(name, dtype):
    """Numbers that are 0, and NaN: SciPy's codes, iterates and calls, of systems of small integers."""
    turn = 1j if dtype[0] == "c" else 1
    codes, tol = set(), 1e-3 if dtype in ("f4", "c8") else 1e-9
    for text in SMALL.replace("\n", "|").split("|"):
        d, b = (np.array(v, dtype) for v in eval(text, {"nan": np.nan, "inf": np.inf}))
        x0 = np.array([1, 2, 3], dtype)[:b.size] * turn     # beyond as many steps as rows rounding decides
        for x0, maxiter in ((None, b.size), (None, 0), (None, 1), (x0, 1)):
            calls = [], []
            with np.errstate(all="ignore"):
                y, code = getattr(sl, name)(d * turn, b, x0, rtol=1e-5, maxiter=maxiter,
                                            callback=lambda v: calls[0].append(v.copy()))
            ours = cs.csr_array(cp.asarray(d * turn)), cp.asarray(b)
            x, info = getattr(cl, name)(*ours, x0, rtol=1e-5, maxiter=maxiter,
                                        callback=lambda v: calls[1].append(v.get()))
            quiet = getattr(cl, name)(*ours, x0, rtol=1e-5, maxiter=maxiter)
            codes.add(code)
            assert info == quiet[1] == code, (text, maxiter, info, code)
            assert len(calls[0]) == len(calls[1]), (text, maxiter)
            assert x.dtype == y.dtype
            np.testing.assert_allclose(x.get(), y, rtol=tol, atol=tol)
            np.testing.assert_array_equal(x.get(), quiet[0].get())
    assert codes >= {"qmr": {0, 1}, "tfqmr": {0, -1}}.get(name, {0, -11})


@pytest.mark.device
@pytest.mark.parametrize("name", ["cg", "cgs", "bicg", "qmr", "bicgstab", "tfqmr"])
@pytest.mark.parametrize("dtype", TYPES)
def test_looks_change_nothing(name, dtype, monkeypatch):
    """The same bits, whether the residual is looked at behind each step or now and then."""
    r = np.random.default_rng(TYPES.index(dtype))
    d, b = system(r, 300, dtype, name == "cg")
    weights = cs.csr_array(cp.asarray(np.diag(1 / d.diagonal())))
    a, b = cs.csr_array(cp.asarray(d)), cp.asarray(b)
    for options in ({}, {"M1": weights} if name == "qmr" else {"M": weights}, {"maxiter": 3}, {"x0": b}):
        for rtol in (1e-3, 1e-5):
            seen, looks = [], []
            x, info = getattr(cl, name)(a, b, rtol=rtol, callback=lambda v: seen.append(0), **options)
            with monkeypatch.context() as m:
                module = sys.modules[cl.cg.__module__]
                m.setattr(module, "Looks", lambda x, often: Seldom(looks))
                y, code = getattr(cl, name)(a, b, rtol=rtol, **options)
            assert info == code and (x.get() == y.get()).all()
            assert len(looks) <= 5 + len(seen) // 16


class Seldom:
    """After 1, 2, 4, 8, 16 steps and then each sixteenth, on every device."""

    often = False

    def __init__(self, looks):
        self.looks, self.next = looks, 1

    def due(self, steps):
        if steps < self.next:
            return False
        self.looks.append(steps)
        self.next = steps + min(steps, 16)
        return True


@pytest.mark.parametrize("name", "cg cgs bicg bicgstab minres qmr tfqmr".split())
def test_functions_that_return_their_argument(name):
    """An operator's function may give the vector that it was given: nothing else is overwritten then."""
    d, b = system(np.random.default_rng(8), 30, "f8", True)
    a, b = cs.csr_array(d), cp.asarray(b)
    same = cl.LinearOperator((30, 30), matvec=lambda v: v, rmatvec=lambda v: v, dtype="f8")
    x, info = getattr(cl, name)(a, b, rtol=1e-9, maxiter=7)
    y, code = getattr(cl, name)(a, b, rtol=1e-9, maxiter=7, **dict.fromkeys(["M1", "M2"] if name == "qmr" else ["M"],
                                                                            same))
    assert info == code
    close(x, y.get(), 1e-12)
    for x0 in (None, b * 3):
        x, info = getattr(cl, name)(same, b, x0, rtol=1e-9)
        assert info == 0
        close(x, b.get(), 1e-8)


@pytest.mark.device
def test_minres_options():
    """Shifts, preconditioners, systems without a solution; and the same bits however often the numbers are read."""
    r = np.random.default_rng(7)
    q = np.linalg.qr(r.normal(size=(60, 60)))[0]
    d = q * np.where(np.arange(60) % 3, 1, -1) * np.linspace(1, 9, 60) @ q.T
    d, singular = (d + d.T) / 2, q[:, 1:] * np.linspace(1, 5, 59) @ q[:, 1:].T
    both, b, positive = singular + singular.T, r.normal(size=60), np.diag(r.uniform(0.5, 2, 60))
    for a, options in ((d, {}), (d, {"shift": 1.75}), (d, {"M": positive}), (d, {"M": positive, "shift": -0.5}),
                       (both, {}), (d, {"x0": b}), (np.eye(60) * 3, {}), (np.zeros((60, 60)), {})):
        for rtol, tol in ((1e-3, 1e-2), (1e-9, 1e-6), (0, 1e-9)):
            if a is both and rtol < 1e-3:  # rounding decides then where it stops, SciPy's too
                continue
            given = {k: cs.csr_array(v) if k == "M" else v for k, v in options.items()}
            steps = []
            x, info = cl.minres(cs.csr_array(a), cp.asarray(b), rtol=rtol, maxiter=200, **given)
            each, _ = cl.minres(cs.csr_array(a), cp.asarray(b), rtol=rtol, maxiter=200, **given,
                                callback=lambda x: steps.append(0))
            assert (x == each).all()
            theirs = []
            y, code = sl.minres(a, b, rtol=rtol, maxiter=200, **options, callback=lambda x: theirs.append(0))
            assert info == code and abs(len(steps) - len(theirs)) <= 2
            # a step is worth some rtol, and so is rounding after many: a shift near an eigenvalue takes 49 steps
            close(x, y, tol if len(steps) == len(theirs) < 45 else 10 * tol)
    with raises(ValueError, match="indefinite preconditioner"):
        cl.minres(cs.csr_array(d), cp.asarray(b), M=cs.csr_array(-positive))
    indefinite = np.diag(np.where(np.arange(60) % 7, 1.0, -0.5))
    with raises(ValueError, match="non-symmetric matrix"):
        cl.minres(cs.csr_array(d), cp.asarray(b), M=cs.csr_array(indefinite))


def test_last_steps():
    """A solution in the last or the last but one step that there may be: SciPy's codes."""
    d, b = system(np.random.default_rng(2), 30, "f8", True)
    for name in SQUARE:
        if name in ("gmres", "lgmres", "gcrotmk"):
            continue
        steps = []
        getattr(sl, name)(d, b, rtol=1e-6, callback=lambda x: steps.append(1))
        for maxiter in range(len(steps) - 1, len(steps) + 3):
            got = getattr(cl, name)(cs.csr_array(d), cp.asarray(b), rtol=1e-6, maxiter=maxiter)
            assert got[1] == getattr(sl, name)(d, b, rtol=1e-6, maxiter=maxiter)[1], (name, maxiter)


@pytest.mark.parametrize("name", ("cg", "cgs", "bicg", "bicgstab", "qmr", "tfqmr"))
def test_tolerance_of_the_first_residual(name):
    """The norm of b is not above that of b as a residual, by rounding either: with rtol=1 there is a step."""
    r = np.random.default_rng(5)
    for n in range(2, 62):
        a, b = np.diag(np.full(n, 4.0)) + np.eye(n, k=1) + np.eye(n, k=-1), r.normal(size=n)
        want = getattr(sl, name)(sp.csr_array(a), b, rtol=1.0)
        got = getattr(cl, name)(cs.csr_array(cp.asarray(a)), cp.asarray(b), rtol=1.0)
        assert got[1] == want[1] == 0 and want[0].any()
        np.testing.assert_allclose(got[0].get(), want[0], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ("cg", "cgs", "bicg", "bicgstab", "qmr", "tfqmr", "gmres", "lgmres", "gcrotmk"))
def test_no_tolerance(name):
    """SciPy goes on for as long as it may; here a residual that is not above NaN might end a solver as if it were
    small."""
    with raises(ValueError, match=f"{name}.*nan"):
        getattr(cl, name)(cs.csr_array(cp.eye(3)), cp.ones(3), atol=np.nan)


def test_gmres_options():
    r = np.random.default_rng(1)
    d, b = system(r, 30, "f8")
    d += r.normal(size=d.shape) * 3
    for options in ({"restart": 5, "maxiter": 9}, {"restart": 7, "maxiter": 2}, {"restart": 100}, {"maxiter": 4},
                    {"restart": 3, "maxiter": 20, "atol": 1}):
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
    for restart in (0, -2):     # SciPy's names a variable of its own, or is wrong
        with raises(ValueError, match=f"gmres: restart, .* not {restart}"):
            cl.gmres(cs.csr_array(d), cp.asarray(b), restart=restart)
    x, info = cl.gmres(cs.csr_array(d), cp.asarray(b), restart=1, maxiter=2)
    y, code = sl.gmres(sp.csr_array(d), b, restart=1, maxiter=2)
    assert info == code
    close(x, y, 1e-4)


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


BAD = """spsolve(A[:3], b)|spsolve(A, b[:3])|splu(A[:3].tocsc())|splu((A * 0).tocsc())|spilu(A[:3].tocsc())|norm(b)
spsolve_triangular(A[:3], b)|spsolve_triangular(A * 0, b)|spsolve_triangular(A, b[:2])
factorized((A * 0).tocsc())|splu(A.tocsc()).solve(b[:2])|splu(A.tocsc()).solve(b, "x")|matrix_power(A, -1)
matrix_power(A, 1.5)|matrix_power(A[:3], 2)|norm(A, 3)|norm(A, -2)|norm(A, 1, 5)|norm(A, 1, (0, 0))
norm(A, 1, "x")|norm(A, 1, (0, 1, 2))|norm(A, "x", 0)|inv(b)|norm(A, 1, 0.5)|eigsh(A[:3])|eigsh(A, 0)
eigsh(A, 5)|eigsh(A, 2, which="x")|eigsh(A, 2, Minv=A)|eigsh(A, 2, mode="x", sigma=1)|eigs(A[:3])|eigs(A, 0)
eigs(A, 4)|eigs(A, 2, which="LA")|eigsh(A, 2, M=A[:3])|eigsh(A, 2, OPinv=A)|svds(A, 5)|svds(A, 0)
svds(A, 1, which="LA")|svds(A, 1, solver="x")|svds(A[:0], 1)|svds(A, 1, v0=b[:2])|svds(A, 1, tol=-1)
lobpcg(A, b[:3])|svds(A, 1, return_singular_vectors=3)|onenormest(A[:3])|expm_multiply(A[:3], b)
expm_multiply(A, b[:3])|expm_multiply(A, b, 0, 1, 1)|onenormest(A, 0)|onenormest(A, 2, 1)
expm_multiply(A, d3.T)|cg(A[:3], b)|cg(A, b[:4])|cg(A, b, atol=-1)|cg(A, b, x0=b[:3])|cg(A, b, M=A[:2])
gmres(A[:3], b)|minres(A[:3], b)|lsqr(A, b[:3])|lsmr(A, b[:3])|aslinearoperator("x")
LinearOperator((2,), matvec=abs)|aslinearoperator(A).matvec(b[:2])|aslinearoperator(A).matmat(b)
aslinearoperator(A) + 3|aslinearoperator(A) @ 3|aslinearoperator(A)**-1|aslinearoperator(d3)
aslinearoperator(A) @ aslinearoperator(A[:2])|aslinearoperator(A) + aslinearoperator(A[:2])
lgmres(A, b * float('nan'))|gcrotmk(A, b, truncate='x')|bicg(A, b[:2])|qmr(A, b[:2])
LinearOperator((5, 5), matvec=lambda v: v).rmatvec(b)"""


@pytest.mark.parametrize("e", BAD.replace("\n", "|").split("|"))
def test_bad_input(e):
    d, b = system(np.random.default_rng(0), 5, "f8")
    want = outcome(lambda: eval(e, {**vars(sl), "A": sp.csr_array(d), "b": b, "d3": d[None]}))
    assert isinstance(want, type)
    names = {n: getattr(cl, n) for n in cl._LATER}
    got = outcome(lambda: eval(e, {**names, "A": cs.csr_array(d), "b": cp.asarray(b), "d3": cp.asarray(d[None])}))
    assert got is want, (got, want)


OPERATORS = """A@v|A*v|A@X|A.matvec(v)|A.matvec(X[:,:1])|A.matmat(X)|A.rmatvec(w)|A.rmatmat(Y)|A.H@w|A.T@w|A.T.H@v
A.H.T@v|(A+A)@v|(2*A)@v|(A*(1+2j))@v|(-A)@v|(A-A)@v|(A/2)@v|(A.H@A)@v|((A.H@A)**3)@v|(A.H@A).H@v
(A+A).T@w|(A*2j).H@w|w@A|Y.T@A|A(v)|A.dot(v)|(A@A.H).shape|((A*2)*3j).dtype|(A@A.T)@Y|A.adjoint()@w
A.transpose()@Y|(3*A).T@w|A.ndim|A.T.dtype"""


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


NORMS = [(None, None), ("fro", None), (1, None), (-1, None), (np.inf, None), (-np.inf, None), (2, None), (1, (1, 0))]
NORMS += [(o, a) for o in (None, 0, 1, 2, 3, np.inf, -np.inf) for a in (0, 1, -1)]


@pytest.mark.parametrize("dtype", ("i4", "f4", "f8", "c8", "c16"))
def test_norms(dtype):
    r = np.random.default_rng(0)
    d = (system(r, 9, dtype if dtype != "i4" else "f8")[0][:, :6] * 3).astype(dtype)
    for ord, axis in NORMS:
        for i in range(3):
            a, sa = forms(d, i)
            if ord == 2 and axis is None and dtype == "i4":
                continue
            got, want = cl.norm(a, ord, axis), sl.norm(sa, ord, axis)
            assert got.shape == np.shape(want)
            np.testing.assert_allclose(got.get(), want, rtol=1e-5)


def test_estimates_of_norms():
    for seed in range(12):
        r = np.random.default_rng(seed)
        n = int(r.integers(3, 40))
        d = system(r, n, "c16" if seed % 3 == 2 else "f8")[0] * r.choice([1, -1], size=(n, n))
        a = cs.csr_array(cp.asarray(d))
        est, v, w = cl.onenormest(a, compute_v=True, compute_w=True)
        exact = abs(d).sum(0).max()
        assert exact / 3 <= float(est) <= exact * (1 + 1e-12)
        close(a @ v.astype(a.dtype), w.astype(a.dtype).get(), 1e-12)
        np.testing.assert_allclose(abs(w.get()).sum(), float(est))
    d = np.diag([1.0, 5, 2, 3, 1, 1])
    assert float(cl.onenormest(cl.aslinearoperator(cp.asarray(d)))) == sl.onenormest(d) == 5


@pytest.mark.parametrize("dtype", TYPES)
def test_exponential(dtype):
    r = np.random.default_rng(TYPES.index(dtype))
    tol = 1e-4 if dtype in ("f4", "c8") else 1e-11
    for i, scale in enumerate((0.1, 1, 30, 0.01, -1)):
        d, b = system(r, 15, dtype)
        d = (d * np.sign(r.normal(size=15)) / np.linalg.norm(d, 1) * scale).astype(dtype)
        a, sa = forms(d, i)
        more = {"traceA": np.trace(d)} if i == 4 else {}
        close(cl.expm_multiply(a, cp.asarray(b), **more), sl.expm_multiply(sa, b, **more), tol)
        many = np.stack([b, b[::-1]], axis=1)
        close(cl.expm_multiply(a, cp.asarray(many), **more), sl.expm_multiply(sa, many, **more), tol)
        if abs(scale) < 2:
            for times in ((0, 1, 5), (0.5, 2, 7, False), (-1, 1, 2)):
                close(cl.expm_multiply(a, cp.asarray(b), *times), sl.expm_multiply(sa, b, *times), tol)


def spectrum(r, n, dtype, positive=False):
    d = system(r, n, dtype, True)[0]
    return (d + np.diag(np.arange(n) * (1 if positive else r.choice([-2, 2], n)))).astype(dtype)


def vectors(a, w, v, tol):
    """A v = w v, and v are of length 1."""
    v, w = v.get(), w.get()
    np.testing.assert_allclose(a @ v, v * w, atol=tol * abs(a).max() * 10)
    np.testing.assert_allclose(np.linalg.norm(v, axis=0), 1, rtol=1e-4)


@pytest.mark.parametrize("dtype", TYPES)
def test_eigenvalues(dtype):
    r = np.random.default_rng(TYPES.index(dtype))
    tol = 1e-3 if dtype in ("f4", "c8") else 1e-9
    for i, options in enumerate(({}, {"which": "SA"}, {"which": "LA", "k": 2}, {"sigma": 0.5}, {"which": "SM", "k": 1},
                                 {"ncv": 15, "k": 4})):
        d = spectrum(r, 30, dtype)
        v0 = np.linspace(1, 2, 30).astype(dtype)
        a, sa = forms(d, i % 4 if "sigma" in options else i % 5)
        w, v = cl.eigsh(a, v0=cp.asarray(v0), **options)
        want = sl.eigsh(sa, v0=v0, **options)[0]
        close(cp.sort(w), np.sort(want), tol)
        vectors(d, w, v, tol)
        w = cl.eigsh(a, v0=cp.asarray(v0), return_eigenvectors=False, **options)
        close(cp.sort(w), np.sort(want), tol)
    d = system(r, 25, dtype)[0]
    a, sa = forms(d, 0)
    for options in ({}, {"which": "LR", "k": 3}, {"sigma": 3.0, "k": 2}):
        w, v = cl.eigs(a, v0=cp.ones(25, dtype=dtype), **options)
        want = sl.eigs(sa, v0=np.ones(25, dtype=dtype), **options)[0]
        close(cp.asarray(np.sort_complex(w.get())), np.sort_complex(want).astype(w.dtype), tol * 100)
        vectors(d, w, v, tol * 100)


def test_generalized_eigenvalues():
    r = np.random.default_rng(3)
    d, m = spectrum(r, 20, "f8"), np.diag(1 + r.random(20))
    for a, b in ((cs.csr_array(d), cs.csc_array(m)), (cp.asarray(d), cp.asarray(m))):
        w, v = cl.eigsh(a, 3, M=b)
        close(w, sl.eigsh(d, 3, M=m)[0], 1e-9)
        np.testing.assert_allclose(d @ v.get(), m @ v.get() * w.get(), atol=1e-7)
        w = cl.eigsh(a, 3, M=b, sigma=1.0, return_eigenvectors=False)
        close(cp.sort(w), np.sort(sl.eigsh(d, 3, M=m, sigma=1.0, return_eigenvectors=False)), 1e-9)


def test_no_convergence():
    d = np.diag(np.arange(200.0) ** 0.1)
    with pytest.raises(cl.ArpackNoConvergence) as caught:
        cl.eigsh(cs.csr_array(d), 4, which="SM", maxiter=2, v0=cp.ones(200), ncv=20)
    assert isinstance(caught.value.eigenvalues, cp.ndarray) and isinstance(caught.value, cl.ArpackError)
    with pytest.raises(sl.ArpackNoConvergence) as theirs:
        sl.eigsh(sp.csr_array(d), 4, which="SM", maxiter=2, v0=np.ones(200), ncv=20)
    assert str(caught.value) == str(theirs.value)


@pytest.mark.parametrize("dtype", TYPES)
def test_singular_values(dtype):
    r = np.random.default_rng(TYPES.index(dtype))
    tol = 2e-3 if dtype in ("f4", "c8") else 1e-7
    for i, options in enumerate(({}, {"k": 2}, {"which": "SM", "k": 1}, {"solver": "propack", "k": 3},
                                 {"solver": "lobpcg", "k": 2, "maxiter": 50})):
        shape = ((20, 12), (9, 15))[i % 2]
        d = system(r, 20, dtype)[0][:shape[0], :shape[1]]
        a, sa = forms(d, i)
        u, s, vh = cl.svds(a, **options, rng=1)
        want = np.linalg.svd(d, compute_uv=False)
        want = np.sort(want)[-s.size:] if options.get("which") != "SM" else np.sort(want)[:s.size]
        close(cp.sort(s), want.astype(s.dtype), tol)
        np.testing.assert_allclose(d @ vh.get().conj().T, u.get() * s.get(), atol=tol * 20)
        close(cp.sort(cl.svds(a, **options, return_singular_vectors=False, rng=1)), want.astype(s.dtype), tol)
        assert cl.svds(a, **options, return_singular_vectors="u", rng=1)[2] is None


def test_lobpcg():
    r = np.random.default_rng(0)
    d = spectrum(r, 60, "f8", True)
    X = r.normal(size=(60, 3))
    for i in range(5):
        a, _ = forms(d, i)
        for largest in (True, False):
            w, v = cl.lobpcg(a, cp.asarray(X), largest=largest, maxiter=100, tol=1e-8)
            want = np.linalg.eigvalsh(d)
            close(cp.sort(w), want[-3:] if largest else want[:3], 1e-6)
            vectors(d, w, v, 1e-6)
    b = np.diag(1 + r.random(60))
    w, v = cl.lobpcg(cs.csr_array(d), cp.asarray(X), B=cs.csr_array(b), M=cs.csr_array(np.diag(1 / d.diagonal())),
                     largest=False, maxiter=100, tol=1e-8)
    np.testing.assert_allclose(d @ v.get(), b @ v.get() * w.get(), atol=1e-5)
    w, v, history = cl.lobpcg(lambda x: cp.asarray(d) @ x, cp.asarray(X), maxiter=4, retLambdaHistory=True)
    assert isinstance(history[0], cp.ndarray)


def test_lschol():
    import cuprite.linalg.sparse
    for dtype in TYPES:
        d, b = system(np.random.default_rng(4), 20, dtype, True)
        x = cuprite.linalg.sparse.lschol(cs.csr_matrix(d), cp.asarray(b))
        close(x, np.linalg.solve(d, b), 1e-4 if dtype in ("f4", "c8") else 1e-11)
        close(cuprite.linalg.sparse.lschol(cp.asarray(d), cp.asarray(b)), np.linalg.solve(d, b),
              1e-4 if dtype in ("f4", "c8") else 1e-11)
    with raises(TypeError):
        cp.linalg.sparse.lschol(d, cp.asarray(b))
    with raises(ValueError):
        cp.linalg.sparse.lschol(cs.csr_matrix(d), cp.asarray(b[:3]))
    with raises(np.linalg.LinAlgError):
        cp.linalg.sparse.lschol(cs.csr_matrix(d * 0), cp.asarray(b))


@pytest.mark.once
def test_without_scipy():
    """What is SciPy's says so in one line; the rest does without."""
    import subprocess
    import sys
    code = """
import sys
sys.modules["scipy"] = None
import cuprite as cp
from cuprite.scipy import sparse
from cuprite.scipy.sparse import linalg
a, b = sparse.csc_array(cp.eye(3) * 2), cp.ones(3)
assert cp.allclose(linalg.spsolve(a, b), 0.5)
for name in "cg cgs bicg bicgstab gmres qmr minres tfqmr lgmres gcrotmk lsqr lsmr".split():
    assert cp.allclose(getattr(linalg, name)(a, b)[0], 0.5), name
assert cp.allclose(linalg.eigsh(a, 1)[0], 2) and cp.allclose(linalg.svds(a, 1)[1], 2)
assert cp.allclose(linalg.eigs(a, 1)[0], 2)
linalg.norm(a), linalg.onenormest(a), linalg.expm_multiply(a, b), linalg.matrix_power(a, 3)
a, b = cp.eye(110) * 2, cp.ones(110)     # too many rows for elimination in an array, and too wide a band
a[0, -1] = a[-1, 0] = 1
a = sparse.csc_array(a)
for f in ("spsolve(a, b)", "splu(a)", "eigs(a, 1, M=a)", "spsolve_triangular(a, b)"):
    try:
        eval("linalg." + f)
    except ImportError as e:
        assert str(e) == f"cuprite.scipy.sparse.linalg.{f.partition('(')[0]} needs SciPy, which is not installed " \\
            "(pip install scipy)", e
    else:
        raise AssertionError(f)
for f, name in (("sparse.lil_array((2, 2))", "lil_array"), ("a.todok()", "dok_array"), ("a.get()", "csc_array"),
                ("a.tocoo().get()", "coo_array"), ("a.todia().get()", "dia_array"), ("a.tobsr().get()", "bsr_array"),
                ("sparse.save_npz('no', a)", "save_npz"), ("sparse.load_npz('no')", "load_npz"),
                ("sparse.dok_matrix.fromkeys([(0, 0)])", "dok_matrix")):
    try:
        eval(f)
    except ImportError as e:
        assert str(e) == f"cuprite.scipy.sparse needs SciPy's {name}, which is not installed (pip install scipy)", e
    else:
        raise AssertionError(f)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr


#: method, A, b, options: numbers that vanish or leave the range on the way
VANISHING = [
    ("lsqr", [[2, 2, 2]], [2], {"atol": 0, "btol": 0, "conlim": 0, "iter_lim": 5}),
    ("lsmr", [[2, 2, 2]], [2], {"atol": 0, "btol": 0, "conlim": 0, "maxiter": 5}),
    ("lsqr", [[1e-200, 0], [0, 1e-200]], [1e200, 1], {"iter_lim": 9}),
    ("lsmr", [[-2, 2], [2, -2]], [-1e300, 0], {"maxiter": 3}),
    ("lsqr", [[1e-150, 1e-150]], [1e150], {"iter_lim": 9}),
    ("lsqr", [[1, 0], [0, 1]], [1, 1], {"iter_lim": 9, "damp": 1e-200}),
    ("lsqr", [[np.nan, 0], [0, 1]], [0, 0], {}),
    ("lsmr", [[np.nan, 0], [0, 1]], [0, 0], {}),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name, a, b, options", VANISHING)
def test_numbers_that_vanish_are_no_errors(device, name, a, b, options):
    a, b = np.array(a, "d"), np.array(b, "d")
    wanted = getattr(sl, name)(sp.csr_matrix(a), b, **options)
    got = getattr(cl, name)(cs.csr_matrix(cp.asarray(a)), cp.asarray(b), **options)
    np.testing.assert_allclose(got[0].get(), wanted[0], rtol=1e-12)
    assert got[2] == wanted[2]


@pytest.mark.parametrize("scale", [1.0, 1e300])
def test_tfqmr_ends_where_nothing_is_left(device, scale):
    """SciPy's gives NaN."""
    b = cp.asarray([2.0, -1.0, 2.0])
    x, info = cl.tfqmr(cs.identity(3, format="csr") * scale, b, rtol=0.0, maxiter=20)
    assert info == 0
    np.testing.assert_allclose(x.get(), b.get() / scale, rtol=1e-15)


@pytest.mark.parametrize("t", "fF")
def test_tfqmr_of_whole_numbers_has_the_matrix_type(device, t):
    a, b = np.diag([2.0, 4.0]).astype(t), np.array([2, 1])
    x, info = cl.tfqmr(cs.csr_matrix(cp.asarray(a)), cp.asarray(b))
    wanted, _ = sl.tfqmr(sp.csr_matrix(a), b)
    assert info == 0 and x.dtype == wanted.dtype == t
    np.testing.assert_allclose(x.get(), [1, 0.25], rtol=1e-6)
