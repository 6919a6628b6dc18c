"""Eigenvalues and singular values: our own methods, Lanczos' (_lanczos.py) and Krylov and Schur's
(src/science/sparse/arnoldi.c), else SciPy's ARPACK and LOBPCG with products of the device.

Eigenvalues and singular values are computed where A is; with a second matrix M, in modes other than 'normal', and of
real matrices near a complex number, the method is the host's, and each product with A is made where A is. Where A -
sigma is factorized, so is it on the host. R. B. Lehoucq, D. C. Sorensen and C. Yang, ARPACK Users' Guide, SIAM 1998."""
from __future__ import annotations

from operator import index

import cuprite as cp
from cuprite import _sparse
from cuprite._element_types import type_of
from cuprite.scipy.sparse._base import issparse
from cuprite.scipy.sparse.linalg._host import from_host, lent, scipy_linalg, to_host
from cuprite.scipy.sparse.linalg._interface import LinearOperator, aslinearoperator
from cuprite.scipy.sparse.linalg._lanczos import Lanczos, arpack_error, power_for
from cuprite.scipy.sparse.linalg._passes import products


def _matrix(A, k, sigma, most):
    """What ARPACK is given for A: products of the device, unless SciPy must see the elements."""
    if sigma is None and k < most and isinstance(k, int) and (issparse(A) or isinstance(A, cp.ndarray) and A.ndim == 2):
        if A.shape[0] == A.shape[1] and type_of(A).char in "fdFD":
            return lent(A)
    return to_host(A)


def _two_axes(A):
    """ValueError for a matrix of other than two axes, where SciPy has an IndexError."""
    if hasattr(A, "shape") and len(A.shape) != 2:
        raise ValueError(f"expected a matrix of two axes, but got shape={A.shape}")


def _floating(A):
    """A sparse matrix of integers as one of float64, as ARPACK computes."""
    return A.astype("float64") if issparse(A) and type_of(A).kind in "biu" else A


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
    _two_axes(A)
    A = _floating(A)
    ours = None
    if M is None and Minv is None and mode == "normal":
        ours = _start(A, k, sigma, which, v0, ncv, maxiter, tol, OPinv, rng)
    if ours:
        return _hermitian(*ours, return_eigenvectors)
    theirs = scipy_linalg("eigsh")
    index(k)  # half a value may end ARPACK's process
    A = _matrix(A, k, sigma, A.shape[0] if hasattr(A, "shape") else 0)
    return _found(theirs, lambda: theirs.eigsh(
        A, k=k, M=to_host(M), sigma=sigma, which=which, v0=to_host(v0), ncv=ncv, maxiter=maxiter, tol=tol,
        return_eigenvectors=return_eigenvectors, Minv=to_host(Minv), OPinv=to_host(OPinv), mode=mode, rng=rng))


def _ours(A, k, sigma, which, ncv, maxiter, tol, general=False) -> bool:
    """Are these arguments that SciPy need not see, to refuse them or to find all eigenvalues? `general`: eigs'."""
    import numpy
    real, whole = (int, float, numpy.integer, numpy.floating), (int, numpy.integer)
    if not (issparse(A) or isinstance(A, LinearOperator) or isinstance(A, cp.ndarray) and A.ndim == 2):
        return False
    char, n = getattr(type_of(A), "char", "?"), A.shape[0]
    if A.shape != (n, n) or char not in "fdFD" or not isinstance(k, whole) or not isinstance(tol, real):
        return False
    complex_ = char in "FD"     # which is eigs' in SciPy
    spare = general or complex_
    if which not in (_GENERAL if general else _HERMITIAN[:5 - complex_]):
        return False
    if not (ncv is None or isinstance(ncv, whole) and min(ncv, n) > k + spare):
        return False
    if not (sigma is None or isinstance(sigma, real) or general and complex_ and isinstance(
            sigma, (complex, numpy.complexfloating))):
        return False
    return 0 < k < n - spare and tol >= 0 and (maxiter is None or isinstance(maxiter, real) and maxiter >= 1)


_HERMITIAN, _GENERAL = ("LM", "SM", "LA", "SA", "BE"), ("LM", "SM", "LR", "SR", "LI", "SI")


def _start(A, k, sigma, which, v0, ncv, maxiter, tol, OPinv=None, rng=None, product=None):
    """(Lanczos' method for these arguments, maxiter, sigma), None where SciPy must see them. `product`: that of a
    vector with A, where it is known."""
    if not _ours(A, k, sigma, which, ncv, maxiter, tol) or OPinv is not None and sigma is None:
        return None
    begin = _begin(A, k, sigma, v0, ncv, OPinv, rng, product)
    if begin is None:
        return None
    product, v0, ncv = begin
    lanczos = Lanczos(product, v0, int(k), which, ncv, float(tol))
    return lanczos, 10 * v0.size if maxiter is None else int(maxiter), sigma


def _begin(A, k, sigma, v0, ncv, OPinv, rng, product=None):
    """(product, the first vector, how many are kept), None where SciPy must see them."""
    import numpy
    n = A.shape[0]
    if v0 is not None and numpy.shape(v0) not in ((n,), (n, 1)):
        raise ValueError(f"v0 must have {n} elements, not the shape {numpy.shape(v0)}")
    product = product or _product(A, sigma, OPinv)
    if product is None:
        return None
    v0 = numpy.random.default_rng(rng).uniform(-1, 1, n) if v0 is None else v0
    v0 = cp.asarray(v0, dtype=type_of(A)).ravel()
    if not 0 < float(cp.linalg.norm(v0)) < float("inf"):
        return None
    if ncv is None:     # as SciPy; where a restart waits for a device, it comes more seldom
        ncv = max(2 * k + 1, 20 if v0.device.backend == "cpu" else 40)
    return product, v0, min(int(ncv), n)


def _product(A, sigma, OPinv):
    """The product of a vector with A, or with the inverse of A - sigma; None for the inverse of what is not sparse."""
    if sigma is None:
        return products(aslinearoperator(A), type_of(A))[0]
    if OPinv is not None:
        return products(aslinearoperator(OPinv), type_of(A))[0]
    if not issparse(A):
        return None
    from cuprite.scipy.sparse._construct import eye_array
    from cuprite.scipy.sparse.linalg._direct import factorized
    return factorized((A - sigma * eye_array(A.shape[0], dtype=type_of(A))).tocsc().astype(type_of(A)))


def _hermitian(lanczos, maxiter, sigma, vectors):
    """What eigsh returns: in ARPACK's order, which is that of the values where there are vectors and they are real."""
    import numpy
    good = lanczos.run(maxiter)
    w = lanczos.w if sigma is None else sigma + 1 / lanczos.w
    if sigma is not None or lanczos.which == "BE" or vectors and type_of(lanczos.rows).kind == "f":
        order = numpy.argsort(w, kind="stable")
    else:
        order = numpy.arange(w.size)[::1 if vectors else -1]
    if not good:
        _no_convergence(lanczos, w, order)
    w_ = cp.asarray(w[order].astype(type_of(lanczos.rows).char.lower()))
    return (w_, lanczos.vectors(order)) if vectors else w_


def _no_convergence(lanczos, w, order):
    """ArpackNoConvergence, which has what was found."""
    order = order[lanczos.good[order]]
    values = cp.asarray(w[order].astype(type_of(lanczos.rows).char.lower()))
    _unfinished(lanczos.iterations, w.size, values, lanczos.vectors(order))


def _unfinished(iterations, k, w, v):
    """ArpackNoConvergence of k values, which has those that were found; without SciPy a RuntimeError."""
    text = f"No convergence ({iterations} iterations, {w.size}/{k} eigenvectors converged)"
    try:
        theirs = scipy_linalg("eigsh")
    except ImportError:
        raise RuntimeError(text) from None
    raise theirs.ArpackNoConvergence(text, w, v)


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
    _two_axes(A)
    A = _floating(A)
    if M is None and Minv is None and OPpart is None:
        ours = _general(A, k, sigma, which, v0, ncv, maxiter, tol, OPinv, rng, return_eigenvectors)
        if ours is not None:
            return ours
    theirs = scipy_linalg("eigs")
    index(k)
    A = _matrix(A, k, sigma, A.shape[0] - 1 if hasattr(A, "shape") else 0)
    return _found(theirs, lambda: theirs.eigs(
        A, k=k, M=to_host(M), sigma=sigma, which=which, v0=to_host(v0), ncv=ncv, maxiter=maxiter, tol=tol,
        return_eigenvectors=return_eigenvectors, Minv=to_host(Minv), OPinv=to_host(OPinv), OPpart=OPpart, rng=rng))


def _general(A, k, sigma, which, v0, ncv, maxiter, tol, OPinv, rng, vectors):
    """What eigs returns, in SciPy's order: the most wanted first, without vectors last, unless k divides a pair. None
    where SciPy must see the arguments."""
    if not _ours(A, k, sigma, which, ncv, maxiter, tol, True) or tol > 1e150 or OPinv is not None and (
            sigma is None or getattr(type_of(OPinv), "kind", "f") == "c" != type_of(A).kind):
        return None
    begin = _begin(A, k, sigma, v0, ncv, OPinv, rng)
    if begin is None:
        return None
    product, v0, ncv = begin
    limit = 10 * v0.size if maxiter is None else int(maxiter)
    try:
        (w, v), iterations = _sparse.sparse_eigs(product, v0, int(k), which, ncv, limit, float(tol))
    except ValueError as error:
        if str(error) != "sparse_eigs: products must be finite":
            raise
        raise arpack_error(-9999) from None
    w = w if sigma is None else complex(sigma) + 1 / w
    if w.size < k:
        _unfinished(iterations, k, w, v)
    if vectors:
        return w, v
    return w if type_of(A).kind == "f" and w[-1].imag > 0 else w[::-1].copy()


def svds(A, k=6, ncv=None, tol=0, which="LM", v0=None, maxiter=None, return_singular_vectors=True, solver="arpack",
         rng=None, options=None, *, random_state=None):
    """(u, s, vh): k singular values of a matrix, ascending, with their vectors, or s alone.

    Parameters: A: a matrix or operator; k: how many; ncv: how many vectors are kept; tol: the relative accuracy, 0 for
        the type's; which: 'LM', the largest, or 'SM'; v0: where to begin; maxiter: the most restarts;
        return_singular_vectors: True, False, 'u' or 'vh': which are wanted; solver: 'arpack', 'lobpcg' or 'propack';
        rng: a generator for v0; options: without effect, as in SciPy; random_state: rng's earlier name.
    Errors: ValueError for arguments that there are not, an empty matrix; ArpackNoConvergence, which has what was
        found."""
    A = _floating(A)
    if str(solver).lower() == "arpack" and return_singular_vectors in (True, False, "u", "vh"):
        ours = _singular(A, k, ncv, tol, which, v0, maxiter, return_singular_vectors,
                         rng if random_state is None else random_state)
        if ours is not None:
            return ours
    theirs = scipy_linalg("svds")
    drawn = {"rng": rng} if random_state is None else {"random_state": random_state}
    return _found(theirs, lambda: theirs.svds(
        lent(A), k=k, ncv=ncv, tol=tol, which=which, v0=to_host(v0), maxiter=maxiter, solver=solver,
        return_singular_vectors=return_singular_vectors, **drawn))


def _singular(A, k, ncv, tol, which, v0, maxiter, wanted, rng):
    """What svds returns, of the eigenvectors of the lesser of A's products with its adjoint; None where SciPy must see
    the arguments."""
    import numpy
    if not (issparse(A) or isinstance(A, LinearOperator) or isinstance(A, cp.ndarray) and A.ndim == 2):
        return None
    if str(which).upper() not in ("LM", "SM") or getattr(type_of(A), "char", "?") not in "fdFD" or not 0 <= tol < 1e300:
        return None
    if rng is not None and not isinstance(rng, (int, numpy.integer, numpy.random.Generator)):
        return None
    if v0 is not None and getattr(getattr(v0, "dtype", None), "kind", "?") not in "fc" or ncv is not None and \
            not ncv < min(A.shape):
        return None
    if maxiter is not None and int(maxiter) != maxiter:
        return None
    n, transposed = min(A.shape), A.shape[0] < A.shape[1]
    first = aslinearoperator(A.tocsr() if issparse(A) else A)
    first, (there, back) = first.H if transposed else first, products(first, type_of(A))[::-1 if transposed else 1]

    between = 0.0   # what A x is multiplied by, so that squares are numbers of the type

    def product(x):
        nonlocal between
        y = there(x)
        between = between or power_for(y)
        return back(y if between == 1 else y * between)
    square = LinearOperator((n, n), matvec=product, dtype=type_of(A))
    if v0 is None:
        v0 = numpy.random.default_rng(rng).standard_normal(n)
    start = _start(square, k, None, str(which).upper(), v0, ncv, maxiter, float(tol)**2, product=product)
    if not start:
        return None
    vectors = _hermitian(*start, True)[1]
    if not wanted:
        return cp.linalg.svd(first.matmat(vectors), compute_uv=False)[::-1]
    u, s, vh = cp.linalg.svd(first.matmat(vectors), full_matrices=False)
    u, s, vh = u[:, ::-1], s[::-1], vh[::-1] @ vectors.conj().T
    if transposed:
        u, vh = vh.conj().T, u.conj().T
    return None if wanted == "vh" else u, s, None if wanted == "u" else vh


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
