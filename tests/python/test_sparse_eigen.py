"""eigsh and svds against NumPy's eigenvalues: spectra that are hard, orders, arguments that SciPy must see."""
import numpy as np
import pytest
import scipy.sparse.linalg as sl

import cuprite as cp
from oracle import raises
from sparse_oracle import cs, outcome, sp

cl = cs.linalg
TYPES = ("f4", "f8", "c8", "c16")
WHICH = ("LM", "SM", "LA", "SA", "BE")


def hermitian(r, w, dtype):
    """A matrix of these eigenvalues."""
    n = len(w)
    q = np.linalg.qr(r.normal(size=(n, n)) + (1j * r.normal(size=(n, n)) if dtype[0] == "c" else 0))[0]
    a = (q * np.asarray(w)) @ q.conj().T
    return ((a + a.conj().T) / 2).astype(dtype)


def wanted(w, which, k):
    """The k eigenvalues that `which` asks for, ascending."""
    w = np.sort(w)
    if which == "BE":
        return np.sort(np.concatenate([w[:k // 2], w[len(w) - (k + 1) // 2:]]))
    key = {"LM": -abs(w), "SM": abs(w), "LA": -w, "SA": w}[which]
    return np.sort(w[np.argsort(key, kind="stable")[:k]])


def check(d, w, v, want, tol):
    scale = max(abs(np.linalg.eigvalsh(d)).max(), 1e-300)
    w, v = w.get(), v.get()
    assert v.shape == (len(d), len(want)) and v.dtype == d.dtype and w.dtype == d.real.dtype
    np.testing.assert_allclose(np.sort(w), want, atol=tol * scale, rtol=0)
    np.testing.assert_allclose(d @ v, v * w, atol=tol * scale * 10)
    np.testing.assert_allclose(v.conj().T @ v, np.eye(len(want)), atol=tol * 10)


SPECTRA = {
    "even": lambda n: np.linspace(-1, 2.13, n), "powers": lambda n: 0.8 ** np.arange(n) * (-1) ** np.arange(n),
    "clusters": lambda n: np.repeat([-3.0, 1, 1 + 1e-9, 5], -(-n // 4))[:n] + np.arange(n) * 1e-3,
    "tiny": lambda n: np.linspace(1, 3, n) * 1e-12, "huge": lambda n: np.linspace(1, 3, n) * 1e12,
}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("spectrum", SPECTRA)
def test_spectra(spectrum, dtype):
    r = np.random.default_rng((len(spectrum), TYPES.index(dtype)))
    tol = 2e-5 if dtype in ("f4", "c8") else 1e-11
    for n, k, ncv in ((12, 3, None), (40, 4, None), (40, 1, None), (60, 6, 20), (12, 3, 12), (9, 7, None), (33, 5, 11)):
        w = SPECTRA[spectrum](n)
        d = hermitian(r, w, dtype)
        for which in WHICH if dtype[0] == "f" else WHICH[:4]:
            if which == "SM" and spectrum in ("powers", "tiny", "clusters"):
                continue    # not to be told apart in this accuracy
            if spectrum == "tiny" and dtype in ("f4", "c8"):
                continue    # below what ARPACK's criterion, which this is, tells from 0
            got = cl.eigsh(cs.csr_array(d), k, which=which, ncv=ncv, rng=1, maxiter=2000)
            check(d, *got, wanted(np.linalg.eigvalsh(d.astype("c16")), which, k), tol)


def test_order():
    """As SciPy orders them, with and without vectors."""
    d = np.diag(np.concatenate([np.arange(-10.0, 0), np.arange(1.3, 21)]))
    for dtype in ("f8", "c16"):
        for which in WHICH if dtype == "f8" else WHICH[:4]:
            for vectors in (True, False):
                got = cl.eigsh(cs.csr_array(d.astype(dtype)), 5, which=which, return_eigenvectors=vectors, rng=1)
                want = sl.eigsh(sp.csr_array(d.astype(dtype)), 5, which=which, return_eigenvectors=vectors)
                got, want = (got[0], want[0]) if vectors else (got, want)
                if (dtype, which, vectors) == ("c16", "SM", True):  # in no order in SciPy
                    got, want = cp.sort(got), np.sort(want)
                np.testing.assert_allclose(got.get(), want, rtol=1e-12, err_msg=f"{dtype} {which} {vectors}")
    for which in WHICH:
        for vectors in (True, False):
            got = cl.eigsh(cs.csc_array(d), 5, sigma=1.2, which=which, return_eigenvectors=vectors, rng=1)
            want = sl.eigsh(sp.csc_array(d), 5, sigma=1.2, which=which, return_eigenvectors=vectors)
            got, want = (got[0], want[0]) if vectors else (got, want)
            np.testing.assert_allclose(got.get(), want, rtol=1e-10, err_msg=f"{which} {vectors}")


@pytest.mark.parametrize("dtype", TYPES)
def test_spaces_that_are_kept(dtype):
    """The first vectors span a space that the matrix keeps: others go on."""
    tol = 2e-5 if dtype in ("f4", "c8") else 1e-12
    for d in (np.zeros((30, 30)), np.eye(30) * 2, np.diag(np.repeat([1.0, 2, 3], 10)), np.diag([5.0] + [1.0] * 29)):
        d = d.astype(dtype)
        for which in ("LM", "SA"):
            for v0 in (None, cp.ones(30), cp.eye(30)[0]):
                w, v = cl.eigsh(cs.csr_array(d), 4, which=which, v0=v0, rng=3)
                w, v = w.get(), v.get()
                np.testing.assert_allclose(d @ v, v * w, atol=tol * 10)
                np.testing.assert_allclose(v.conj().T @ v, np.eye(4), atol=tol * 10)
    for seed in range(4):   # also where the basis takes up all vectors that there are
        for d in (np.zeros((12, 12)), np.diag(np.arange(12.0) == 3)):
            w, v = cl.eigsh(cs.csr_array(d.astype(dtype)), 7, which="SM", rng=seed)
            np.testing.assert_allclose(w.get(), 0, atol=tol)
            np.testing.assert_allclose(v.get().conj().T @ v.get(), np.eye(7), atol=tol * 10)
    w = cl.eigsh(cs.csr_array(np.diag(np.repeat([1.0, 2, 3], 10))), 4, v0=cp.ones(30), return_eigenvectors=False)
    np.testing.assert_allclose(w.get(), [3] * 4, rtol=1e-12)


def test_forms():
    """Operators, dense arrays, inverses that are given; numbers that are no Python numbers."""
    r = np.random.default_rng(5)
    d = hermitian(r, np.linspace(0.5, 4, 40), "f8")
    x, exact = cp.asarray(d), np.linalg.eigvalsh(d)
    for a in (x, cs.coo_array(d), cl.aslinearoperator(x), cl.LinearOperator((40, 40), lambda v: x @ v)):
        check(d, *cl.eigsh(a, np.int64(3)), exact[-3:], 1e-12)
    inverse = cl.LinearOperator((40, 40), lambda v: cp.linalg.solve(x - 2 * cp.eye(40), v), dtype="f8")
    near = np.sort(exact[np.argsort(abs(exact - 2))[:3]])
    for a, options in ((x, {"OPinv": inverse}), (cs.csr_array(d), {}), (x, {})):
        check(d, *cl.eigsh(a, 3, sigma=2, **options), near, 1e-10)
    whole = cs.csr_array(np.diag(np.arange(20)))
    np.testing.assert_allclose(cl.eigsh(whole, 2, return_eigenvectors=False).get(), [18, 19])


def test_large():
    """A grid's Laplacian: SciPy's eigenvalues, in about as many products."""
    line = sp.diags_array([-np.ones(39), 2 * np.ones(40), -np.ones(39)], offsets=[-1, 0, 1], dtype="f8")
    m = sp.kronsum(line, line, format="csr")
    counts = [0, 0]

    def product(i, a):
        def run(v):
            counts[i] += 1
            return a @ v
        return run
    ours = cl.LinearOperator(m.shape, product(0, cs.csr_array(m)), dtype="f8")
    theirs = sl.LinearOperator(m.shape, product(1, m), dtype="f8")
    for which, ncv in (("LA", 20), ("SA", 20), ("BE", 30)):
        counts[:] = 0, 0
        w, v = cl.eigsh(ours, 4, which=which, ncv=ncv, v0=cp.arange(1600) % 7 + 1.0)
        want = sl.eigsh(theirs, 4, which=which, ncv=ncv, v0=np.arange(1600) % 7 + 1.0)[0]
        np.testing.assert_allclose(w.get(), want, rtol=1e-10)
        np.testing.assert_allclose(m @ v.get(), v.get() * w.get(), atol=1e-9)
        assert counts[0] < 1.3 * counts[1]
    w, v = cl.eigsh(cs.csr_array(m), 4, sigma=0)
    np.testing.assert_allclose(w.get(), sl.eigsh(m.tocsc(), 4, sigma=0)[0], rtol=1e-10)


BAD = """eigsh(A, 3, v0=b * 0)|eigsh(A, 3, ncv=3)|eigsh(A, 3, ncv=50)|eigsh(A, 3, maxiter=0)
eigsh(A, 3, OPinv=A)|eigsh(A * float('nan'), 3)|eigsh(A, 12)|eigsh(A, 13)|eigsh(A * 1j, 11)|eigsh(A * 1j, 3, which='BE')
eigsh(A, 3, which='LR')|eigsh(A, 3, tol=float('nan'))|svds(A, 3, ncv=12)|svds(A, 3, ncv=3)
svds(A, 3, tol=float('inf'))|svds(A, 3, v0=b.astype(int))|svds(A * float('nan'), 3)|svds(A, 3, maxiter=0)
svds(A, 12)|svds(A, 3, rng='x')|svds(A, 3, maxiter=1.5)|eigsh(A, 3, sigma=1.0, mode='x')"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("e", BAD.replace("\n", "|").split("|"))
def test_bad_input(e):
    d = np.diag(np.arange(1.0, 13))
    want = outcome(lambda: eval(e, {**vars(sl), "A": sp.csr_array(d), "b": np.ones(12)}))
    names = {n: getattr(cl, n) for n in cl._LATER}
    got = outcome(lambda: eval(e, {**names, "A": cs.csr_array(d), "b": cp.ones(12)}))
    if isinstance(want, type):
        assert got is want, (got, want)
    else:
        assert not isinstance(got, type), (got, want)


@pytest.mark.parametrize("solve, kind", [("eigsh", TypeError), ("eigs", TypeError), ("svds", ValueError)])
def test_half_a_value(solve, kind):
    """SciPy's ARPACK may end the process for it."""
    with pytest.raises(kind):
        getattr(cl, solve)(cs.csr_array(np.diag(np.arange(1.0, 13))), 2.5)


def test_short_start():
    """SciPy reads beyond it."""
    with raises(ValueError, match="v0 must have 12 elements"):
        cl.eigsh(cs.csr_array(np.diag(np.arange(1.0, 13))), 3, v0=cp.ones(2))


@pytest.mark.parametrize("dtype", TYPES)
def test_singular_values(dtype):
    r = np.random.default_rng(TYPES.index(dtype))
    tol = 2e-3 if dtype in ("f4", "c8") else 1e-7     # of values that are roots
    for m, n in ((30, 18), (18, 30), (25, 25)):
        x = r.normal(size=(m, n)) + (1j * r.normal(size=(m, n)) if dtype[0] == "c" else 0)
        d = np.where(r.random((m, n)) < 0.5, x, 0).astype(dtype)
        exact = np.sort(np.linalg.svd(d, compute_uv=False))
        ours = (cs.csr_array(d), cs.csc_matrix(d), cp.asarray(d), cl.aslinearoperator(cp.asarray(d)))
        for i, a in enumerate(ours):
            for which, k in (("LM", 4), ("SM", 2)):
                u, s, vh = cl.svds(a, k, which=which, rng=i)
                want = exact[-k:] if which == "LM" else exact[:k]
                np.testing.assert_allclose(s.get(), want, atol=tol * exact[-1])
                np.testing.assert_allclose((d @ vh.get().conj().T), u.get() * s.get(), atol=tol * exact[-1] * 10)
                np.testing.assert_allclose(u.get().conj().T @ u.get(), np.eye(k), atol=tol)
                np.testing.assert_allclose(vh.get() @ vh.get().conj().T, np.eye(k), atol=tol)
                assert u.dtype == vh.dtype == d.dtype and s.dtype == d.real.dtype
                u, s, vh = cl.svds(a, k, which=which, rng=i, return_singular_vectors="vh")
                assert u is None and vh.shape == (k, n)
