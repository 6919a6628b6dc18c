"""Eigenvalues and singular values: SciPy's ARPACK and LOBPCG with products of the device.

The method is the host's, each product with A is made where A is. Where A - sigma is factorized, so is it on the host.
R. B. Lehoucq, D. C. Sorensen and C. Yang, ARPACK Users' Guide, SIAM 1998."""
from __future__ import annotations

import cuprite as cp
from cuprite.scipy.sparse._base import issparse
from cuprite.scipy.sparse.linalg._host import from_host, lent, scipy_linalg, to_host


def _matrix(A, k, sigma, most):
    """What ARPACK is given for A: products of the device, unless SciPy must see the elements."""
    if sigma is None and k < most and isinstance(k, int) and (issparse(A) or isinstance(A, cp.ndarray) and A.ndim == 2):
        if A.shape[0] == A.shape[1] and A.dtype.char in "fdFD":
            return lent(A)
    return to_host(A)


def _two_axes(A):
    """ValueError for a matrix of other than two axes, where SciPy has an IndexError."""
    if hasattr(A, "shape") and len(A.shape) != 2:
        raise ValueError(f"expected a matrix of two axes, but got shape={A.shape}")


def _found(theirs, call):
    """What a call gives, on the device; so is what a failed one has found."""
    try:
        return from_host(call())
    except theirs.ArpackNoConvergence as error:
        text = str(error).partition(": ")[2]
        raise type(error)(text, from_host(error.eigenvalues), from_host(error.eigenvectors)) from None


def eigsh(A, k=6, M=None, sigma=None, which="LM", v0=None, ncv=None, maxiter=None, tol=0, return_eigenvectors=True,
          Minv=None, OPinv=None, mode="normal", rng=None):
    """(w, v): k eigenvalues of a Hermitian matrix and their vectors, or w alone.

    Parameters: A: a matrix or operator; k: how many; M: a matrix, for A v = w M v; sigma: eigenvalues near this one;
        which: 'LM', 'SM', 'LA', 'SA' or 'BE'; v0: where to begin; ncv: how many vectors are kept; maxiter: the most
        restarts; tol: the relative accuracy, 0 for the type's; return_eigenvectors: whether v is wanted; Minv: an
        operator, M's inverse; OPinv: an operator, that of A - sigma M; mode: 'normal', 'buckling' or 'cayley', with
        sigma; rng: a generator for v0.
    Errors: ValueError for a matrix that is not square, a k or a which that there is not; TypeError for a k that takes
        all eigenvalues of a sparse matrix; ArpackNoConvergence, which has what was found.

    Example:
        >>> a = cp.scipy.sparse.diags_array(cp.arange(1.0, 21.0)).tocsr()
        >>> cp.scipy.sparse.linalg.eigsh(a, k=3, return_eigenvectors=False)
        array([18., 19., 20.])
    """
    theirs = scipy_linalg("eigsh")
    _two_axes(A)
    A = _matrix(A, k, sigma, A.shape[0] if hasattr(A, "shape") else 0)
    return _found(theirs, lambda: theirs.eigsh(
        A, k=k, M=to_host(M), sigma=sigma, which=which, v0=to_host(v0), ncv=ncv, maxiter=maxiter, tol=tol,
        return_eigenvectors=return_eigenvectors, Minv=to_host(Minv), OPinv=to_host(OPinv), mode=mode, rng=rng))


def eigs(A, k=6, M=None, sigma=None, which="LM", v0=None, ncv=None, maxiter=None, tol=0, return_eigenvectors=True,
         Minv=None, OPinv=None, OPpart=None, rng=None):
    """(w, v): k eigenvalues of a square matrix and their vectors, or w alone.

    Parameters: A: a matrix or operator; k: how many; M: a matrix, for A v = w M v; sigma: eigenvalues near this one;
        which: 'LM', 'SM', 'LR', 'SR', 'LI' or 'SI'; v0: where to begin; ncv: how many vectors are kept; maxiter: the
        most restarts; tol: the relative accuracy, 0 for the type's; return_eigenvectors: whether v is wanted; Minv: an
        operator, M's inverse; OPinv: an operator, that of A - sigma M; OPpart: 'r' or 'i', which part of it is used;
        rng: a generator for v0.
    Errors: ValueError for a matrix that is not square, a k or a which that there is not; TypeError for a k that takes
        nearly all eigenvalues of a sparse matrix; ArpackNoConvergence, which has what was found."""
    theirs = scipy_linalg("eigs")
    _two_axes(A)
    A = _matrix(A, k, sigma, A.shape[0] - 1 if hasattr(A, "shape") else 0)
    return _found(theirs, lambda: theirs.eigs(
        A, k=k, M=to_host(M), sigma=sigma, which=which, v0=to_host(v0), ncv=ncv, maxiter=maxiter, tol=tol,
        return_eigenvectors=return_eigenvectors, Minv=to_host(Minv), OPinv=to_host(OPinv), OPpart=OPpart, rng=rng))


def svds(A, k=6, ncv=None, tol=0, which="LM", v0=None, maxiter=None, return_singular_vectors=True, solver="arpack",
         rng=None, options=None):
    """(u, s, vh): k singular values of a matrix, ascending, with their vectors, or s alone.

    Parameters: A: a matrix or operator; k: how many; ncv: how many vectors are kept; tol: the relative accuracy, 0 for
        the type's; which: 'LM', the largest, or 'SM'; v0: where to begin; maxiter: the most restarts;
        return_singular_vectors: True, False, 'u' or 'vh': which are wanted; solver: 'arpack', 'lobpcg' or 'propack';
        rng: a generator for v0; options: without effect, as in SciPy.
    Errors: ValueError for arguments that there are not, an empty matrix; ArpackNoConvergence, which has what was
        found."""
    theirs = scipy_linalg("svds")
    if issparse(A) and A.dtype.kind not in "fc":
        A = A.astype(cp.float64)
    return _found(theirs, lambda: theirs.svds(
        lent(A), k=k, ncv=ncv, tol=tol, which=which, v0=to_host(v0), maxiter=maxiter, solver=solver, rng=rng,
        return_singular_vectors=return_singular_vectors))


def lobpcg(A, X, B=None, M=None, Y=None, tol=None, maxiter=None, largest=True, verbosityLevel=0,
           retLambdaHistory=False, retResidualNormsHistory=False, restartControl=20):
    """(w, v): some eigenvalues of a Hermitian matrix and their vectors, by locally optimal block conjugate gradients.

    A. V. Knyazev, SIAM J. Sci. Comput. 23 (2001).

    Parameters: A: a matrix, operator or function; X: where to begin, a column for each eigenvalue; B: a matrix, for A
        v = w B v; M: an approximate inverse of A; Y: columns to be orthogonal to; tol: the residual that is enough;
        maxiter: the most iterations; largest: whether the largest eigenvalues are wanted; verbosityLevel: what is
        printed; retLambdaHistory: whether eigenvalues of all iterations are returned too; retResidualNormsHistory:
        whether residuals are; restartControl: how far residuals may grow before a restart.
    Errors: ValueError for shapes that do not fit."""
    theirs = scipy_linalg("lobpcg")

    def block(f):
        if f is None or not callable(f) and not issparse(f) and not isinstance(f, cp.ndarray):
            return to_host(f)
        if callable(f) and not hasattr(f, "shape"):
            return lambda x: f(cp.asarray(x)).get()
        return lent(f)
    return from_host(theirs.lobpcg(
        block(A), to_host(X), B=block(B), M=block(M), Y=to_host(Y), tol=tol, maxiter=maxiter, largest=largest,
        verbosityLevel=verbosityLevel, retLambdaHistory=retLambdaHistory, restartControl=restartControl,
        retResidualNormsHistory=retResidualNormsHistory))
