"""eigs against NumPy's eigenvalues and SciPy's eigs: spectra that are hard, pairs that k divides, orders, arguments
that SciPy must see, functions of the caller's."""
import threading

import numpy as np
import pytest
import scipy.sparse.linalg as sl

import cuprite as cp
from oracle import raises
from sparse_oracle import cs, outcome, sp

cl = cs.linalg
TYPES = ("f4", "f8", "c8", "c16")
WHICH = ("LM", "SM", "LR", "SR", "LI", "SI")


def single(dtype):
    return dtype in ("f4", "c8")


def drawn(r, n, dtype, density=0.3):
    """A matrix of which not every element is 0, in a type."""
    x = r.normal(size=(n, n)) + (1j * r.normal(size=(n, n)) if dtype[0] == "c" else 0)
    return (np.where(r.random((n, n)) < density, x, 0) + np.diag(r.normal(size=n))).astype(dtype)


def rank(w, which, real):
    """How much eigenvalues are wanted, less for more."""
    up = abs(w.imag) if real else w.imag
    return {"LM": -abs(w), "SM": abs(w), "LR": -w.real, "SR": w.real, "LI": -up, "SI": up}[which]


def check(d, w, v, which, k, tol, at=None):
    """k of d's eigenvalues, each another one, as much wanted as the k most wanted, in this order, and their vectors; of
    a shift `at` those of the inverse."""
    exact = np.linalg.eigvals(d.astype("c16" if d.dtype.kind == "c" else "f8")).astype("c16")
    tol *= max(abs(exact).max(), 1e-300)
    w, v, real = w.get(), v.get(), d.dtype.kind == "f"
    assert v.shape == (len(d), k) and w.shape == (k,) and w.dtype == v.dtype == np.result_type(d.dtype, "c8")
    left = exact.copy()
    for x in w:
        near = abs(left - x).argmin()
        assert abs(left[near] - x) <= tol * 10
        left[near] = np.inf
    there, got = (exact, w) if at is None else (1 / (exact - at), 1 / (w - at))
    scale = 1 if at is None else abs(there).max() ** 2
    np.testing.assert_allclose(rank(got, which, real), np.sort(rank(there, which, real))[:k], atol=tol * 10 * scale)
    np.testing.assert_allclose(d @ v, v * w, atol=tol)
    np.testing.assert_allclose(np.linalg.norm(v, axis=0), 1, rtol=1e-5 if single(str(d.dtype.str[1:])) else 1e-12)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("which", WHICH)
def test_drawn(which, dtype):
    r = np.random.default_rng((WHICH.index(which), TYPES.index(dtype)))
    for n, k, ncv in ((40, 4, 30), (40, 1, 24), (60, 6, 45), (12, 3, 12), (9, 7, None), (33, 5, 24), (5, 2, 5)):
        d = drawn(r, n, dtype)
        if which in ("SM", "SI"):   # inside of the spectrum, where restarts may miss one
            ncv = n
        check(d, *cl.eigs(cs.csr_array(d), k, which=which, ncv=ncv, rng=1, maxiter=3000), which, k,
              2e-5 if single(dtype) else 1e-12)


@pytest.mark.parametrize("dtype", TYPES)
def test_scales(dtype):
    r = np.random.default_rng(8)
    d = drawn(r, 40, dtype)
    for factor in (1e-3 if single(dtype) else 1e-12, 1e12):     # ARPACK's criterion takes less for 0
        check((d * factor).astype(dtype), *cl.eigs(cs.csc_array((d * factor).astype(dtype)), 3, ncv=25, rng=1), "LM", 3,
              5e-5 if single(dtype) else 1e-12)


def of_pairs(values):
    """A real matrix of these pairs and of real numbers, mixed by what is above them."""
    n = sum(2 if v.imag else 1 for v in values)
    d, at = np.triu(np.random.default_rng(4).normal(size=(n, n)) / 8, 2), 0
    for v in values:
        d[at, at] = v.real
        if v.imag:
            d[at + 1, at + 1], d[at, at + 1], d[at + 1, at] = v.real, v.imag, -v.imag
        at += 2 if v.imag else 1
    return d


@pytest.mark.parametrize("dtype", ("f4", "f8"))
def test_pairs(dtype):
    """As many as SciPy returns, whose vectors are conjugate; of a pair that k divides one, the upper one."""
    far = [3 + 4j, -4.5, 1 + 4j, 2 + 3j, 3.2, -1 - 2j]
    d = of_pairs(far + [0.1 * i + 0.5j * (i % 2) for i in range(12)]).astype(dtype)
    order = [3 + 4j, 3 - 4j, -4.5, 1 + 4j, 1 - 4j, 2 + 3j, 2 - 3j, 3.2]
    tol = 1e-4 if single(dtype) else 1e-11
    for k in range(1, 9):
        for ncv in (None, k + 6):
            w, v = (x.get() for x in cl.eigs(cs.csr_array(d), k, ncv=ncv, rng=2, maxiter=2000))
            want = sl.eigs(sp.csr_array(d), k, v0=np.ones(len(d)), maxiter=2000)[0]
            assert w.shape == want.shape
            np.testing.assert_allclose(w, order[:k], atol=tol)
            np.testing.assert_allclose(d @ v, v * w, atol=tol)
            for i in np.flatnonzero(w[:-1].imag > 0):
                assert (v[:, i] == v[:, i + 1].conj()).all() and w[i] == w[i + 1].conj()
            assert (v[:, w.imag == 0].imag == 0).all()


def test_order():
    """As SciPy orders them, with vectors, without them, and where a pair is divided."""
    d = of_pairs([6 + 1j, 5, -4.2, 3 + 2j, 2.5, -2.1, 1.7 + 0.3j] + [0.1 * i for i in range(1, 30)])
    for dtype in ("f8", "c16"):
        for k in (1, 2, 3, 5, 6):
            for which, sigma in (("LM", None), ("LR", None), ("SR", None), ("LM", 1.63)):
                for vectors in (True, False):
                    got = cl.eigs(cs.csc_array(d.astype(dtype)), k, sigma=sigma, which=which, rng=1,
                                  return_eigenvectors=vectors)
                    want = sl.eigs(sp.csc_array(d.astype(dtype)), k, sigma=sigma, which=which,
                                   v0=np.ones(len(d)), return_eigenvectors=vectors)
                    got, want = (got[0].get(), want[0]) if vectors else (got.get(), want)
                    if vectors:     # in no order in SciPy, but where a pair is divided
                        there = rank(got if sigma is None else 1 / (got - sigma), which, dtype == "f8")
                        assert (np.diff(there) > -1e-11 * abs(there).max()).all()
                        got, want = np.sort_complex(got), np.sort_complex(want)
                    # of a pair it depends on rounding which one comes first, or is left
                    np.testing.assert_allclose(got.real, want.real, rtol=1e-9, err_msg=f"{dtype} {k} {which} {vectors}")
                    np.testing.assert_allclose(abs(got.imag), abs(want.imag), atol=1e-9)


@pytest.mark.parametrize("dtype", TYPES)
def test_near_a_number(dtype):
    r = np.random.default_rng(9)
    d = drawn(r, 40, dtype)
    x, tol = cp.asarray(d), 1e-3 if single(dtype) else 1e-10
    for sigma in (0, 0.4, np.float64(-1)) + ((0.3 - 0.8j,) if dtype[0] == "c" else ()):
        inverse = cl.LinearOperator((40, 40), lambda v: cp.linalg.solve(x - sigma * cp.eye(40), v), dtype=dtype)
        for a, options in ((cs.csr_array(d), {}), (x, {"OPinv": inverse}), (cs.coo_array(d), {"OPinv": inverse})):
            check(d, *cl.eigs(a, 4, sigma=sigma, rng=3, **options), "LM", 4, tol, sigma)


@pytest.mark.parametrize("dtype", TYPES)
def test_spaces_that_are_kept(dtype):
    """The first vectors span a space that the matrix keeps: others go on."""
    tol = 2e-5 if single(dtype) else 1e-12
    turn = np.kron(np.eye(15), [[0, 1], [-1, 0]])
    for d, ncv in ((np.zeros((30, 30)), 9), (np.eye(30) * 2, None), (np.diag(np.repeat([1.0, 2, 3], 10)), None),
                   (np.diag([5.0] + [1.0] * 29), 9), (np.eye(30, k=1), 30), (turn, 12),
                   (np.roll(np.eye(30), 1, 0), 30)):
        d = d.astype(dtype)
        for which in ("LM", "SR"):
            for v0 in (None, cp.ones(30), cp.eye(30)[0]):
                w, v = cl.eigs(cs.csr_array(d), 4, which=which, v0=v0, rng=3, ncv=ncv)
                w, v = w.get(), v.get()
                np.testing.assert_allclose(d @ v, v * w, atol=tol * 10)
                np.testing.assert_allclose(np.linalg.norm(v, axis=0), 1, rtol=tol)
    w, v = cl.eigs(cs.csr_array(np.diag(np.repeat([1.0, 2, 3], 10)).astype(dtype)), 4, v0=cp.ones(30))
    np.testing.assert_allclose(w.get(), [3] * 4, rtol=tol)      # of which a single vector gives one
    assert np.linalg.matrix_rank(v.get(), tol=1e-3) == 4


@pytest.mark.parametrize("dtype", TYPES)
def test_squares_out_of_range(dtype):
    """Matrices whose elements have no squares in their type; SciPy finds values of some of them."""
    r = np.random.default_rng(21)
    d = r.normal(size=(30, 30)) + (1j * r.normal(size=(30, 30)) if dtype[0] == "c" else 0)
    s, v0, tol = d + d.conj().T, cp.asarray(r.normal(size=30)), 3e-6 if single(dtype) else 1e-13
    for factor in (1e-34, 1e-25, 1e-15, 1e15, 1e25, 1e34) if single(dtype) else (1e-290, 1e-170, 1e170, 1e290):
        for f, m, exact in ((cl.eigs, d, np.linalg.eigvals(d)), (cl.eigsh, s, np.linalg.eigvalsh(s)),
                            (cl.svds, d[:, :20], np.linalg.svd(d[:, :20], compute_uv=False)),
                            (cl.svds, d[:20], np.linalg.svd(d[:20], compute_uv=False))):
            found = f(cs.csr_array((m * factor).astype(dtype)), 2, v0=v0[:20 if f is cl.svds else 30], ncv=19)
            w = abs(found[f is cl.svds].get().astype("c16")) / factor
            np.testing.assert_allclose(np.sort(w), np.sort(abs(exact))[-2:], rtol=tol)


@pytest.mark.parametrize("dtype", TYPES)
def test_equal_values(dtype):
    """Vectors of equal values of a projection are no multiples of each other."""
    r = np.random.default_rng(12)
    for n, k, which in ((80, 20, "LM"), (30, 28, "LM"), (60, 30, "SM")):
        q = np.linalg.qr(r.normal(size=(n, n)) + (1j * r.normal(size=(n, n)) if dtype[0] == "c" else 0))[0][:, :n // 3]
        d = (q @ q.conj().T).astype(dtype)
        w, v = cl.eigs(cs.csr_array(d), k, which=which, ncv=n, v0=cp.asarray(r.normal(size=n)))
        np.testing.assert_allclose(d @ v.get(), v.get() * w.get(), atol=1e-5 if single(dtype) else 1e-13)
        assert np.linalg.svd(v.get(), compute_uv=False)[-1] > 1e-2


def test_forms():
    """Operators, dense arrays, integers; numbers that are no Python numbers."""
    d = drawn(np.random.default_rng(5), 40, "f8")
    x = cp.asarray(d)
    for a in (x, cs.coo_array(d), cs.dia_array(d), cl.aslinearoperator(x),
              cl.LinearOperator((40, 40), lambda v: x @ v)):
        check(d, *cl.eigs(a, np.int64(3), ncv=np.int32(25)), "LM", 3, 1e-12)
    whole = cs.csr_array(np.diag(np.arange(20)) + np.eye(20, k=1, dtype=int))
    for options in ({}, {"sigma": 25}):
        w = cl.eigs(whole, 2, return_eigenvectors=False, **options)
        np.testing.assert_allclose(np.sort(w.get().real), [18, 19], rtol=1e-10)
        assert w.dtype == "c16"


def convection(n, speed):
    """A difference operator of a grid that is not symmetric."""
    line = sp.diags_array([-(1 + speed) * np.ones(n - 1), 2 * np.ones(n), -(1 - speed) * np.ones(n - 1)],
                          offsets=[-1, 0, 1], dtype="f8")
    return sp.kronsum(line, line, format="csr")


def counted(m, counts):
    """Operators of ours and of SciPy's, whose products are counted."""
    def product(i, a):
        def run(v):
            counts[i] += 1
            return a @ v
        return run
    return (cl.LinearOperator(m.shape, product(0, cs.csr_array(m)), dtype="f8"),
            sl.LinearOperator(m.shape, product(1, m), dtype="f8"))


@pytest.mark.parametrize("seed", range(3))
def test_many_values(seed):
    """Of values that lie close to each other many would be lost again if they were not locked."""
    r, counts, n = np.random.default_rng(seed), [0, 0], 1000
    m = sp.random_array((n, n), density=8 / n, rng=r, data_sampler=r.normal, format="csr") + sp.diags_array(
        r.uniform(0, 30, n))
    ours, theirs = counted(m.tocsr(), counts)
    v0 = r.uniform(-1, 1, n)
    w, v = cl.eigs(ours, 20, v0=cp.asarray(v0))
    want = sl.eigs(theirs, 20, v0=v0)[0]
    np.testing.assert_allclose(np.sort(abs(w.get())), np.sort(abs(want)), rtol=1e-9)
    np.testing.assert_allclose(m @ v.get(), v.get() * w.get(), atol=1e-11)
    assert counts[0] < 1.4 * counts[1]


def test_large():
    """SciPy's eigenvalues, in about as many products."""
    m, counts = convection(40, 0.2), [0, 0]
    ours, theirs = counted(m, counts)
    for which, ncv in (("LM", 20), ("SR", 20), ("LR", 30)):
        counts[:] = 0, 0
        w, v = cl.eigs(ours, 4, which=which, ncv=ncv, v0=cp.arange(1600) % 7 + 1.0)
        want = sl.eigs(theirs, 4, which=which, ncv=ncv, v0=np.arange(1600) % 7 + 1.0)[0]
        np.testing.assert_allclose(np.sort(w.get().real), np.sort(want.real), rtol=1e-8)
        np.testing.assert_allclose(m @ v.get(), v.get() * w.get(), atol=1e-9)
        assert counts[0] < 1.3 * counts[1]
    w, v = cl.eigs(cs.csr_array(m), 4, sigma=0)
    np.testing.assert_allclose(np.sort(w.get().real), np.sort(sl.eigs(m.tocsc(), 4, sigma=0)[0].real), rtol=1e-9)


def test_no_convergence():
    d = np.diag(np.arange(200.0) ** 0.1) + np.eye(200, k=1) / 50
    for vectors in (True, False):
        with pytest.raises(cl.ArpackNoConvergence) as caught:
            cl.eigs(cs.csr_array(d), 4, which="SM", maxiter=2, v0=cp.ones(200), ncv=20, return_eigenvectors=vectors)
        with pytest.raises(sl.ArpackNoConvergence) as theirs:
            sl.eigs(sp.csr_array(d), 4, which="SM", maxiter=2, v0=np.ones(200), ncv=20, return_eigenvectors=vectors)
        assert isinstance(caught.value.eigenvalues, cp.ndarray) and str(caught.value) == str(theirs.value)
        assert caught.value.eigenvectors.shape == (200, caught.value.eigenvalues.size)


BAD = """eigs(A, 3, v0=b * 0)|eigs(A, 3, ncv=4)|eigs(A, 3, ncv=50)|eigs(A, 3, maxiter=0)|eigs(A, 3, maxiter=-1)
eigs(A, 3, OPinv=A)|eigs(A * float('nan'), 3)|eigs(A, 11)|eigs(A, 12)|eigs(A * 1j, 11)|eigs(A * 1j, 3, which='LA')
eigs(A, 3, which='BE')|eigs(A, 3, which=None)|eigs(A, 3, tol=float('nan'))|eigs(A, -1)|eigs(A, 3, OPpart='r')
eigs(A, 3, sigma=1.5, OPpart='r')|eigs(A, 3, sigma=1.5, OPpart='x')|eigs(A, 3, sigma=1.5, OPpart='i')
eigs(A, 3, sigma=1.5 + 1j)|eigs(A, 3, sigma=1.5 + 1j, OPpart='i')|eigs(A * 1j, 3, sigma=1.5, OPpart='r')
eigs(A, 3, Minv=A)|eigs(A, 3, M=A)|eigs(A, 3, sigma=1.5, Minv=A)|eigs(A, 3, sigma=1.0)|eigs(A[:, :4], 2)|eigs(A, 10)
eigs(A, 3, sigma='x')|eigs(A, 3, rng='x')|eigs(A, 3, ncv=3)|eigs(A[:2, :2], 1)|eigs(A.astype(bool), 2)"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("e", BAD.replace("\n", "|").split("|"))
def test_bad_input(e):
    d = np.diag(np.arange(1.0, 13))
    want = outcome(lambda: eval(e, {**vars(sl), "A": sp.csr_array(d), "b": np.ones(12)}))
    got = outcome(lambda: eval(e, {"eigs": cl.eigs, "A": cs.csr_array(d), "b": cp.ones(12)}))
    if isinstance(want, type):
        assert got is want, (got, want)
    else:
        assert not isinstance(got, type), (got, want)


def test_short_start():
    """SciPy reads beyond it."""
    with raises(ValueError, match="v0 must have 12 elements"):
        cl.eigs(cs.csr_array(np.diag(np.arange(1.0, 13))), 3, v0=cp.ones(2))


class Stop(Exception):
    pass


def test_functions_that_fail():
    """A function's exception ends the call; what it keeps stays; it may call eigs itself."""
    m, seen = cs.csr_array(np.diag(np.arange(1.0, 31))), []

    def run(v):
        seen.append(v)
        if len(seen) == 5:
            raise Stop
        return m @ v
    with raises(Stop):
        cl.eigs(cl.LinearOperator((30, 30), run, dtype="f8"), 3)
    norms = [float(cp.linalg.norm(v)) for v in seen]
    np.testing.assert_allclose(norms, 1, rtol=1e-12)
    for wrong, kind in ((lambda v: (m @ v) * 1j, TypeError), (lambda v: v[:4], ValueError), (lambda v: "x", Exception)):
        with pytest.raises(kind):
            cl.eigs(cl.LinearOperator((30, 30), wrong, dtype="f8"), 3)

    def nested(v):
        return cl.eigs(m, 1, return_eigenvectors=False)[0].real * v
    w = cl.eigs(cl.LinearOperator((30, 30), nested, dtype="f8"), 2, return_eigenvectors=False)
    np.testing.assert_allclose(w.get(), 30, rtol=1e-10)


def test_threads():
    """Calls in several threads, whose functions take turns."""
    d = [drawn(np.random.default_rng(i), 40, "f8") for i in range(4)]
    got = [None] * 4

    def run(i):
        x = cp.asarray(d[i])
        got[i] = cl.eigs(cl.LinearOperator((40, 40), lambda v: x @ v, dtype="f8"), 3, ncv=25)
    threads = [threading.Thread(target=run, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for i in range(4):
        check(d[i], *got[i], "LM", 3, 1e-12)
