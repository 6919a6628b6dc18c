"""Norms of sparse matrices, exact ones and estimates, and the exponential's action on vectors."""
from __future__ import annotations

import math
import warnings

import cuprite as cp
from cuprite import ndarray
from cuprite._element_types import common_type, type_of
from cuprite.scipy.sparse._base import issparse
from cuprite.scipy.sparse.linalg._interface import IdentityOperator, LinearOperator, aslinearoperator


def norm(x, ord=None, axis=None) -> ndarray:
    """The norm of a sparse matrix, or those of its rows or columns.

    Parameters: x: a sparse matrix; ord: None or 'fro', 1, -1, inf, -inf or 2 of a matrix, any number of vectors; axis:
        None for the matrix, or along which axis the vectors lie.
    Errors: TypeError for what is not sparse, an axis that is no integer; ValueError for an ord or an axis that there
        is not; NotImplementedError for ord -2.

    Example:
        >>> cp.scipy.sparse.linalg.norm(cp.scipy.sparse.csr_array(cp.asarray([[3.0, 0.0], [0.0, 4.0]])))
        array(5.)
    """
    if not issparse(x):
        raise TypeError("input is not sparse. use numpy.linalg.norm")
    if axis is None and ord in (None, "fro", "f"):
        return _frobenius(x)
    x = x.tocsr()
    axis = _axes(axis, x.ndim)
    if not all(-x.ndim <= a < x.ndim for a in axis):
        raise ValueError(f"Invalid axis {axis!r} for an array with shape {x.shape!r}")
    if len(axis) == 2:
        return _of_matrix(x, ord, *axis)
    if len(axis) == 1:
        return _of_vectors(x, ord, axis[0])
    raise ValueError("Improper number of dimensions to norm.")


def _frobenius(x) -> ndarray:
    x = x if x.format in ("csr", "csc") else x.tocsr()
    return cp.linalg.norm(x._deduped())


def _axes(axis, ndim):
    if axis is None:
        return tuple(range(ndim))
    if isinstance(axis, tuple):
        return axis
    text = "'axis' must be None, an integer or a tuple of integers"
    try:
        whole = int(axis)
    except TypeError as error:
        raise TypeError(text) from error
    if whole != axis:
        raise TypeError(text)
    return (whole,)


def _of_matrix(x, ord, row, column) -> ndarray:
    if row % x.ndim == column % x.ndim:
        raise ValueError("Duplicate axes given.")
    if ord == 2:
        from cuprite.scipy.sparse.linalg._eigen import svds
        return svds(x, k=1, return_singular_vectors=False)[0]
    if ord == -2:
        raise NotImplementedError
    if ord in (None, "f", "fro"):
        return _frobenius(x)
    if ord in (1, -1, math.inf, -math.inf):
        sums = abs(x).sum(axis=row if ord in (1, -1) else column)
        return sums.max() if ord > 0 else sums.min()
    raise ValueError("Invalid norm order for matrices.")


def _of_vectors(x, ord, axis) -> ndarray:
    if ord in (math.inf, -math.inf):
        found = abs(x).max(axis=axis) if ord > 0 else abs(x).min(axis=axis)
    elif ord == 0:
        found = (x != 0).sum(axis=axis)
    elif ord == 1:
        found = abs(x).sum(axis=axis)
    elif ord in (2, None):
        found = cp.sqrt(abs(x).power(2).sum(axis=axis))
    else:
        try:
            ord + 1
        except TypeError as error:
            raise ValueError("Invalid norm order for vectors.") from error
        found = cp.power(abs(x).power(ord).sum(axis=axis), 1 / ord)
    return (found.toarray() if issparse(found) else found).ravel()


def _signs(x) -> ndarray:
    """Each element by its absolute value, 1 for 0."""
    size = abs(x)
    return cp.where(size == 0, 1, x / cp.where(size == 0, 1, size)).astype(type_of(x), copy=False)


def _parallel(X, Y):
    """Of each column of X whether it is a column of Y or that with other sign, of ones and minus ones; on the host."""
    return (abs(X.T.conj() @ Y) > X.shape[0] - 0.5).any(axis=1).get()


def _resampled(S, before) -> ndarray:
    """S, in which columns that say nothing new have become random signs; on the host they are few."""
    from numpy.random import randint
    for _ in range(10):
        twice = cp.triu(abs(S.T.conj() @ S) > S.shape[0] - 0.5, 1).any(axis=0).get()
        if before is not None:
            twice = twice | _parallel(S, before)
        if not twice.any():
            break
        for j in twice.nonzero()[0].tolist():
            S[:, j] = cp.asarray(randint(0, 2, size=S.shape[0]) * 2.0 - 1.0)
    return S


def onenormest(A, t=2, itmax=5, compute_v=False, compute_w=False):
    """A lower bound of a matrix's 1-norm that is nearly always right, from few products.

    N. J. Higham and F. Tisseur, SIAM J. Matrix Anal. Appl. 21 (2000), algorithm 2.4.

    Parameters: A: a matrix or operator with the adjoint's products; t: how many columns are tried at once; itmax: the
        most rounds; compute_v: whether a vector v is returned too, for which |A v| is that norm of |v|; compute_w:
        whether A v is.
    Errors: ValueError for a matrix that is not square, fewer than two rounds or one column."""
    A = aslinearoperator(A)
    if A.shape[0] != A.shape[1]:
        raise ValueError("expected the operator to act like a square matrix")
    n = A.shape[0]
    if t >= n:
        columns = A.matmat(cp.eye(n))
        sums = abs(columns).sum(axis=0)
        best = int(sums.argmax())
        est, w = sums[best], columns[:, best]
    else:
        if itmax < 2:
            raise ValueError("at least two iterations are required")
        if t < 1:
            raise ValueError("at least one column is required")
        est, best, w = _estimate(A, n, t, itmax)
    v = cp.zeros(n)
    v[best] = 1
    more = ((v,) if compute_v else ()) + ((w,) if compute_w else ())
    return (est, *more) if more else est


def _estimate(A, n, t, itmax):
    """(norm, which unit vector, its product)."""
    import numpy
    X = _resampled(cp.ones((n, t)), None) / n if t > 1 else cp.ones((n, 1)) / n
    last, S, tried, chosen, best, w = 0.0, None, numpy.zeros(0, dtype="i8"), None, 0, None
    for k in range(1, itmax + 2):
        Y = A.matmat(X)
        sums = abs(Y).sum(axis=0).get()
        j, est = int(sums.argmax()), float(sums.max())
        if est > last or k == 2:
            best = int(chosen[j]) if k >= 2 else best
            w = Y[:, j]
        if k >= 2 and est <= last:
            est = last
            break
        last, before = est, S
        if k > itmax:
            break
        S = _signs(Y)
        if before is not None and type_of(before).kind != "c" and _parallel(S, before).all():
            break
        if t > 1 and type_of(S).kind != "c":
            S = _resampled(S, before)
        h = abs(A.rmatmat(S)).max(axis=1).get()
        if k >= 2 and h.max() == h[best]:
            break
        order = numpy.argsort(-h, kind="stable")[:t + tried.size]
        if t > 1:
            if numpy.isin(order[:t], tried).all():
                break
            seen = numpy.isin(order, tried)
            order = numpy.concatenate([order[~seen], order[seen]])
        chosen = order[:t]
        X = cp.zeros((n, t))
        X[cp.asarray(chosen), cp.arange(t)] = 1
        tried = numpy.concatenate([tried, chosen[~numpy.isin(chosen, tried)]])
    return cp.asarray(est), best, w


# The largest 1-norm of which so many terms of Taylor's series give 53 bits: A. H. Al-Mohy and N. J. Higham, SIAM J.
# Sci. Comput. 33 (2011), table 3.1.
_THETA = {5: 2.4e-3, 10: 1.4e-1, 15: 6.4e-1, 20: 1.4, 25: 2.4, 30: 3.5, 35: 4.7, 40: 6.0, 45: 7.2, 50: 8.5, 55: 9.9}
_BITS = 2.0**-53


def _norm1(A) -> float:
    if isinstance(A, LinearOperator):
        return float(onenormest(A))
    return float(abs(A).sum(axis=0).max()) if A.shape[0] else 0.0


def _terms(A, size, t, columns) -> tuple[int, int]:
    """(m, s): terms of the series, and in how many steps; by the 1-norm, or by those of powers where that pays."""
    size = abs(t) * size
    if size == 0:
        return 0, 1
    plain = min(((m, math.ceil(size / theta)) for m, theta in _THETA.items()), key=lambda p: p[0] * p[1])
    if size <= 4 * 8 * 11 * _THETA[55] / (55 * columns):
        return plain
    root, best = {}, plain
    operator = aslinearoperator(A)
    for p in range(2, 10):
        root[p] = abs(t) * float(onenormest(operator**p)) ** (1 / p)
    for p in range(2, 9):
        for m, theta in _THETA.items():
            s = max(math.ceil(max(root[p], root[p + 1]) / theta), 1)
            if m >= p * (p - 1) - 1 and m * s < best[0] * best[1]:
                best = m, s
    return best


def _applied(A, B, t, mu, m, s) -> ndarray:
    """exp(t (A + mu)) B."""
    import numpy
    F, eta = B, numpy.exp(t * mu / s).item()
    for _ in range(s):
        for j in range(m):
            if j % 5 == 0:  # to look costs a wait, so not at each term
                before = abs(B).max()
            B = (t / (s * (j + 1))) * (A @ B)
            F = F + B
            if j % 5 == 4:
                ends = cp.stack([before, abs(B).max(), abs(F).max()]).tolist()
                if ends[0] + ends[1] <= _BITS * ends[2]:
                    break
        F = eta * F
        B = F
    return F


def _trace(A):
    """The trace of an operator, of products with random signs (R. A. Meyer and others, Hutch++, SOSA 2021)."""
    warnings.warn("Trace of LinearOperator not available, it will be estimated. Provide `traceA` to ensure "
                  "performance.", stacklevel=4)
    r, n = cp.random.default_rng(), A.shape[0]
    m = min(n, 5)
    signs = (r.integers(0, 2, (2, n, m)) * 2 - 1).astype("float64")
    Q = cp.linalg.qr(A.matmat(signs[0]))[0]
    rest = signs[1] - Q @ (Q.conj().T @ signs[1])
    return (Q.conj() * A.matmat(Q)).sum() + (rest.conj() * A.matmat(rest)).sum() / m


def expm_multiply(A, B, start=None, stop=None, num=None, endpoint=None, traceA=None) -> ndarray:
    """exp(A) B without exp(A); of several times t, exp(t A) B of each.

    A. H. Al-Mohy and N. J. Higham, SIAM J. Sci. Comput. 33 (2011).

    Parameters: A: a square matrix or operator; B: a vector or a matrix; start: the first time; stop: the last one;
        num: how many times, 50 by default; endpoint: whether the last is among them; traceA: A's trace, estimated for
        an operator where it is not given.
    Errors: ValueError for a matrix that is not square, shapes that do not fit, fewer than two times.

    Example:
        >>> a = cp.scipy.sparse.csr_array(cp.asarray([[0.0, 1.0], [0.0, 0.0]]))
        >>> cp.scipy.sparse.linalg.expm_multiply(a, cp.asarray([0.0, 2.0]))
        array([2., 2.])
    """
    if len(A.shape) != 2 or A.shape[0] != A.shape[1]:
        raise ValueError("expected A to be like a square matrix")
    if not issparse(B):
        B = cp.asarray(B)
    if A.shape[1] != B.shape[0]:
        raise ValueError(f"shapes of matrices A {A.shape} and B {B.shape} are incompatible")
    if len(B.shape) not in (1, 2):
        raise ValueError("expected B to be like a matrix or a vector")
    B = B.toarray() if issparse(B) else B
    A = A if issparse(A) or isinstance(A, LinearOperator) else cp.asarray(A)
    columns = B.shape[1] if B.ndim == 2 else 1
    if traceA is None:
        traceA = _trace(A) if isinstance(A, LinearOperator) else A.trace()
    mu = traceA / A.shape[0]
    mu = mu.tolist() if isinstance(mu, cp.ndarray) else mu
    A = _shifted(A, mu)
    size = _norm1(A)
    B = B.astype(common_type(type_of(A), type_of(B), "float32"), copy=False)
    if all(v is None for v in (start, stop, num, endpoint)):
        return _applied(A, B, 1.0, mu, *_terms(A, size, 1.0, columns))
    return _at_times(A, B, mu, size, columns, start, stop, num, endpoint)


def _shifted(A, mu):
    n = A.shape[0]
    if isinstance(A, LinearOperator):
        return A + (-mu) * IdentityOperator(A.shape, dtype=type_of(A))
    if issparse(A):
        from cuprite.scipy.sparse._construct import eye_array
        return A - mu * eye_array(n, dtype=type_of(A), format="csr") if mu else A
    return A - mu * cp.eye(n, dtype=type_of(A))


def _at_times(A, B, mu, size, columns, start, stop, num, endpoint) -> ndarray:
    """exp(t A) B at times of equal steps, each from the one before."""
    import numpy
    given = {name: v for name, v in (("num", num), ("endpoint", endpoint)) if v is not None}
    times, step = numpy.linspace(start, stop, retstep=True, **given)
    if times.size < 2:
        raise ValueError("at least two time points are required")
    X = cp.empty((times.size, *B.shape), dtype=common_type(type_of(A), type_of(B), "float64"))
    first = float(times[0])
    X[0] = _applied(A, B, first, mu, *_terms(A, size, first, columns)) if first else B
    terms = _terms(A, size, float(step), columns)
    for k in range(1, times.size):
        X[k] = _applied(A, X[k - 1], float(step), mu, *terms)
    return X
