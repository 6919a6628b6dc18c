"""Systems of equations for the tests of cuprite.scipy.sparse.linalg, in several forms, and a comparison of results."""
import numpy as np
import scipy.sparse.linalg as sl

import cuprite as cp
from sparse_oracle import cs, sp

cl = cs.linalg
TYPES = ("f4", "f8", "c8", "c16")


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
