"""Solvers of square systems by short recurrences: cg, cgs, bicg, bicgstab, qmr, tfqmr.

Methods, tolerances and codes of breakdown are SciPy's, so iterates agree up to rounding. Coefficients stay on the
device, which decides itself whether a method goes on, and is asked now and then. Vectors are updated, and multiplied by
each other, in passes (_passes.py). M. R. Hestenes and E. Stiefel, J. Res. NBS 49 (1952); R. Barrett and others,
Templates for the Solution of Linear Systems, SIAM 1994."""
from __future__ import annotations

import math

import cuprite as cp
from cuprite import _sparse, ndarray
from cuprite._element_types import type_of
from cuprite.scipy.sparse.linalg._interface import IdentityOperator
from cuprite.scipy.sparse.linalg._passes import (BICG_RHO, BICG_TURNED, MEASURE, ONE, QMR_BEGIN, QMR_CHECK, QMR_NORMS,
                                                 QMR_PRODUCT, STAB_MIDDLE, STAB_OMEGA, STAB_RHO, STAB_TURNED, STEP,
                                                 TFQMR_RHO, TFQMR_SQUARE, TFQMR_TURNED, Looks, factor, numbers_of, own,
                                                 plain, plan, products)
from cuprite.scipy.sparse.linalg._system import make_system, norm, residual, tolerance


_SIZE = plan("r", [], ["rr"], 0, MEASURE)


def _size(b):
    """The norm of a vector, with the bits that the pass over a residual of these elements gives: a tolerance of b's own
    norm is not above the first residual's, whatever is rounded."""
    state = cp.asarray([1.0, 0.0, 0.0])
    _sparse.sparse_pass([cp.ascontiguousarray(b)], _SIZE, numbers_of(b, 1), state)
    return float(state[2])


def _begin(name, A, b, x0, M, atol, rtol, maxiter):
    """(A, M, x, b, tolerance, maxiter, r); r is None where b is 0."""
    A, M, x, b = make_system(A, M, x0, b)
    size = _size(b)
    atol = tolerance(name, size, atol, rtol)
    maxiter = 10 * b.size if maxiter is None else maxiter
    return A, M, x, b, atol, maxiter, None if size == 0 else residual(A, x, b, x0)


def _cg_plans(k, same):
    """(p's new direction, x and r with what is multiplied) where rho is the number k of 0 and 1; `same`: whether r z is
    r r."""
    beta, alpha = (factor(over=(k,), under=(n,)) for n in (1 - k, 2))
    return (plan("xprqz", [("p", ("z", ONE), ("p", beta))]),
            plan("xprqz", [("x", ("x", ONE), ("p", alpha)), ("r", ("r", ONE), ("q", alpha | 1))], ["rr"],
                 1 - k if same else 3, MEASURE | STEP))


_CG = {(k, same): _cg_plans(k, same) for k in (0, 1) for same in (False, True)}
_CG_PRODUCT = plan("pq", [], ["pq"], 2)
_CG_RHO = [plan("rz", [], ["rz"], k) for k in (0, 1)]
_CG_FIRST = plan("r", [], ["rr"], 3, MEASURE)


def cg(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None) -> tuple[ndarray, int]:
    """(x, info) with A x = b of a Hermitian positive definite A, by conjugate gradients.

    Parameters: A: a matrix or operator; b: the right side; x0: where to begin, zeros by default; rtol: the residual
        that is enough, relative to b; atol: that, as it is; maxiter: the most iterations, ten times the rows by
        default; M: an approximate inverse of A; callback: a function of each iterate.
    Errors: ValueError for a matrix that is not square, shapes that do not fit, a negative atol.

    Example:
        >>> a = cp.scipy.sparse.csr_array(cp.asarray([[4.0, 1.0], [1.0, 3.0]]))
        >>> x, info = cp.scipy.sparse.linalg.cg(a, cp.asarray([5.0, 4.0]))
        >>> x.round(3), info
        (array([1., 1.]), 0)
    """
    A, M, x, b, atol, maxiter, r = _begin("cg", A, b, x0, M, atol, rtol, maxiter)
    if r is None:
        return b, 0
    looks = Looks(x, callback is not None or not plain(A, M))
    matvec, precondition = products(A, type_of(x))[0], products(M, type_of(x))[0]
    x, r, p = own(x), own(r), None
    numbers, state = numbers_of(x, 4), cp.asarray([1.0, 0.0, 0.0])
    _sparse.sparse_pass([r], _CG_FIRST, numbers, state, limit=atol)
    if maxiter > 0 and float(state[2]) < atol:
        return x, 0
    for i in range(maxiter):
        z, k = precondition(r), i % 2
        same = z is r
        if not same or p is None:
            _sparse.sparse_pass([r, z], _CG_RHO[k], numbers, None)
        turn, both = _CG[k, same]
        if p is None:
            p = own(z)
        else:
            _sparse.sparse_pass([x, p, r, p, z], turn, numbers, state)
        q = matvec(p)
        _sparse.sparse_pass([p, q], _CG_PRODUCT, numbers, None)
        _sparse.sparse_pass([x, p, r, q, z], both, numbers, state, limit=atol)
        if callback:
            callback(x)
        if looks.due(i + 1):
            live, steps, size = state.tolist()
            if not live and steps < maxiter and size < atol:
                return x, 0
            if not live:
                break
    else:
        live, steps, size = state.tolist()
        if not live and steps < maxiter and size < atol:
            return x, 0
    return x, maxiter


_GOES_ON = None


def _begun(state, limit, maxiter, callback, x):
    """The code before the first step, as SciPy's; _GOES_ON where there is none."""
    return maxiter if maxiter <= 0 else _ended(state, limit, maxiter, 0, callback, x)


def _ended(state, limit, maxiter, step, callback, x, half=None):
    """The same behind a step, of which the callback is told if it was made. What the next one would find at its
    beginning counts only where there may be one. Behind a residual that is NaN SciPy's steps make all of x NaN."""
    found = state.tolist()
    live, steps, size, code = found[:4]
    if half and found[half]:
        return 0
    if callback and steps == step > 0:
        callback(x)
    if live:
        return _GOES_ON
    if steps >= maxiter or code or size < limit:
        return maxiter if steps >= maxiter else int(code)
    x.fill(math.nan)
    for _ in range(maxiter - int(steps) if callback else 0):
        callback(x)
    return maxiter


# Numbers of bicg and qmr are those of src/science/sparse/turns.inc.
_BICG_FIRST, _BICG_NUMBERS = plan("r", [], ["rr"], 0, MEASURE), 8
_BICG_RHO, _BICG_TURNED = plan("dz", [], ["dz"], 1, BICG_RHO), plan("pq", [], ["pq"], 2, BICG_TURNED)
_BICG_SUMS = [("x", ("x", ONE), ("p", factor(over=(4,)))), ("r", ("r", ONE), ("q", factor(over=(4,), minus=True))),
              ("d", ("d", ONE), ("u", factor(over=(6,), minus=True)))]
# True: without a preconditioner
_BICG_STEP = {True: plan("xprqdu", _BICG_SUMS, ["rr", "dr"], 0, MEASURE | STEP | BICG_RHO),
              False: plan("xprqdu", _BICG_SUMS, ["rr"], 0, MEASURE | STEP)}
_BICG_TURN = plan("pzdu", [("p", ("z", ONE), ("p", factor(over=(5,)))), ("d", ("u", ONE), ("d", factor(over=(7,))))])


def bicg(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None) -> tuple[ndarray, int]:
    """(x, info) with A x = b, by biconjugate gradients.

    Parameters: A: a matrix or operator with rmatvec; b: the right side; x0: where to begin; rtol: the residual that is
        enough, relative to b; atol: that, as it is; maxiter: the most iterations; M: an approximate inverse of A;
        callback: a function of each iterate.
    Errors: ValueError for a matrix that is not square, shapes that do not fit, a negative atol."""
    A, M, x, b, atol, maxiter, r = _begin("bicg", A, b, x0, M, atol, rtol, maxiter)
    if r is None:
        return b, 0
    looks, alone = Looks(x, callback is not None or not plain(A, M)), isinstance(M, IdentityOperator)
    (matvec, rmatvec), (precondition, adjoint) = products(A, type_of(x)), products(M, type_of(x))
    x, r, dual, numbers = own(x), own(r), own(r), numbers_of(x, _BICG_NUMBERS)
    state = cp.asarray([1.0, 0.0, 0.0, 0.0, type_of(x).eps ** 2])
    _sparse.sparse_pass([r], _BICG_FIRST, numbers, state, limit=atol)
    z, dual_z = precondition(r), adjoint(dual)
    _sparse.sparse_pass([dual, z], _BICG_RHO, numbers, state)
    p, dual_p, info = own(z), own(dual_z), _begun(state, atol, maxiter, callback, x)
    for i in range(1, maxiter + 1):
        if info is not _GOES_ON:
            return x, info
        q, dual_q = matvec(p), rmatvec(dual_p)
        _sparse.sparse_pass([dual_p, q], _BICG_TURNED, numbers, state)
        _sparse.sparse_pass([x, p, r, q, dual, dual_q], _BICG_STEP[alone], numbers, state, limit=atol)
        z, dual_z = precondition(r), adjoint(dual)
        if not alone:
            _sparse.sparse_pass([dual, z], _BICG_RHO, numbers, state)
        if i == maxiter or looks.due(i):
            info = _ended(state, atol, maxiter, i, callback, x)
        _sparse.sparse_pass([p, z, dual_p, dual_z], _BICG_TURN, numbers, state)
    return x, maxiter if info is _GOES_ON else info


# Numbers of bicgstab: |r|^2 and the next rho; what the shadow makes of v; |r|^2 at a step's half; t r, t t; rho; alpha,
# omega, beta, -beta omega. They are turns.inc's, as bicg's.
_STAB_FIRST = plan("0r", [], ["rr", "0r"], 0, MEASURE | STAB_RHO)
_STAB_TURNED = plan("0v", [], ["0v"], 2, STAB_TURNED)
_STAB_HALF = plan("rv", [("r", ("r", ONE), ("v", factor(over=(7,), minus=True)))], ["rr"], 3, STAB_MIDDLE)
_STAB_OMEGA = plan("tr", [], ["tr", "tt"], 4, STAB_OMEGA)
_STAB_STEP = plan("xhgrt0", [("x", ("x", ONE), ("h", factor(over=(7,))), ("g", factor(over=(8,)))),
                             ("r", ("r", ONE), ("t", factor(over=(8,), minus=True)))], ["rr", "0r"], 0,
                  MEASURE | STEP | STAB_RHO)
_STAB_ONLY = plan("xh", [("x", ("x", ONE), ("h", factor(over=(7,))))])
_STAB_TURN = plan("prv", [("p", ("r", ONE), ("p", factor(over=(9,))), ("v", factor(over=(10,))))])
_STAB_ENDED = 6     # of the state: a step has ended at its half, of which nobody is told


def bicgstab(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None) -> tuple[ndarray, int]:
    """(x, info) with A x = b, by stabilized biconjugate gradients.

    H. A. van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992).

    Parameters: A: a matrix or operator; b: the right side; x0: where to begin; rtol: the residual that is enough,
        relative to b; atol: that, as it is; maxiter: the most iterations; M: an approximate inverse of A; callback: a
        function of each iterate.
    Errors: ValueError for a matrix that is not square, shapes that do not fit, a negative atol."""
    A, M, x, b, atol, maxiter, r = _begin("bicgstab", A, b, x0, M, atol, rtol, maxiter)
    if r is None:
        return b, 0
    looks = Looks(x, callback is not None or not plain(A, M))
    matvec, precondition = products(A, type_of(x))[0], products(M, type_of(x))[0]
    x, r, p, shadow, numbers = own(x), own(r), own(r), own(r), numbers_of(x, 11)
    state = cp.asarray([1.0, 0.0, 0.0, 0.0, type_of(x).eps ** 2, atol, 0.0])
    _sparse.sparse_pass([shadow, r], _STAB_FIRST, numbers, state, limit=atol)
    info = _begun(state, atol, maxiter, callback, x)
    for i in range(1, maxiter + 1):
        if info is not _GOES_ON:
            return x, info
        h = precondition(p)
        v = matvec(h)
        _sparse.sparse_pass([shadow, v], _STAB_TURNED, numbers, state)
        _sparse.sparse_pass([r, v], _STAB_HALF, numbers, state)
        if looks.often and state[_STAB_ENDED]:
            _sparse.sparse_pass([x, h], _STAB_ONLY, numbers, state)
            return x, 0
        g = precondition(r)
        t = matvec(g)
        _sparse.sparse_pass([t, r], _STAB_OMEGA, numbers, state)
        _sparse.sparse_pass([x, h, g, r, t, shadow], _STAB_STEP, numbers, state, limit=atol)
        if i == maxiter or looks.due(i):
            info = _ended(state, atol, maxiter, i, callback, x, _STAB_ENDED)
        _sparse.sparse_pass([p, r, v], _STAB_TURN, numbers, state)
    return x, maxiter if info is _GOES_ON else info


# Numbers of cgs are bicg's. q; what x moves along, and x; the same without a preconditioner, where x moves along u + q;
# the residual with its products; u and p.
_CGS_FIRST = plan("0r", [], ["rr", "0r"], 0, MEASURE | BICG_RHO)
_CGS_TURNED = plan("0v", [], ["0v"], 2, BICG_TURNED)
_CGS_Q = ("q", ("u", ONE), ("v", factor(over=(4,), minus=True)))
_CGS_HALF = plan("quvs", [_CGS_Q, ("s", ("u", ONE), ("q", ONE))])
_CGS_STEP = plan("xh", [("x", ("x", ONE), ("h", factor(over=(4,))))])
_CGS_BOTH = plan("quvx", [_CGS_Q, ("x", ("x", ONE), ("u", factor(over=(4,))), ("q", factor(over=(4,))))])
_CGS_REST = plan("rbt0", [("r", ("b", ONE), ("t", factor(minus=True)))], ["rr", "0r"], 0, MEASURE | STEP | BICG_RHO)
_CGS_TURN = plan("urqp", [("u", ("r", ONE), ("q", factor(over=(5,)))),
                          ("p", ("u", ONE), ("q", factor(over=(5,))), ("p", factor(over=(5, 5))))])


def cgs(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None) -> tuple[ndarray, int]:
    """(x, info) with A x = b, by conjugate gradients squared.

    P. Sonneveld, SIAM J. Sci. Stat. Comput. 10 (1989).

    Parameters: A: a matrix or operator; b: the right side; x0: where to begin; rtol: the residual that is enough,
        relative to b; atol: that, as it is; maxiter: the most iterations; M: an approximate inverse of A; callback: a
        function of each iterate.
    Errors: ValueError for a matrix that is not square, shapes that do not fit, a negative atol."""
    A, M, x, b, atol, maxiter, r = _begin("cgs", A, b, x0, M, atol, rtol, maxiter)
    if r is None:
        return b, 0
    looks, alone = Looks(x, callback is not None or not plain(A, M)), isinstance(M, IdentityOperator)
    matvec, precondition = products(A, type_of(x))[0], products(M, type_of(x))[0]
    x, r, p, u, shadow, q = own(x), own(r), own(r), own(r), own(r), cp.empty_like(r)
    both = None if alone else cp.empty_like(r)
    b, numbers = cp.ascontiguousarray(b), numbers_of(x, _BICG_NUMBERS)
    state = cp.asarray([1.0, 0.0, 0.0, 0.0, type_of(x).eps ** 2])
    _sparse.sparse_pass([shadow, r], _CGS_FIRST, numbers, state, limit=atol)
    info = _begun(state, atol, maxiter, callback, x)
    for i in range(1, maxiter + 1):
        if info is not _GOES_ON:
            return x, info
        v = matvec(precondition(p))
        _sparse.sparse_pass([shadow, v], _CGS_TURNED, numbers, state)
        if alone:
            _sparse.sparse_pass([q, u, v, x], _CGS_BOTH, numbers, state)
        else:
            _sparse.sparse_pass([q, u, v, both], _CGS_HALF, numbers, state)
            _sparse.sparse_pass([x, precondition(both)], _CGS_STEP, numbers, state)
        _sparse.sparse_pass([r, b, matvec(x), shadow], _CGS_REST, numbers, state, limit=atol)
        if i == maxiter or looks.due(i):
            info = _ended(state, atol, maxiter, i, callback, x)
        _sparse.sparse_pass([u, r, q, p], _CGS_TURN, numbers, state)
    return x, maxiter if info is _GOES_ON else info


def _halves(A, M1, M2, shape):
    """The two preconditioners of qmr, as operators."""
    from cuprite.scipy.sparse.linalg._interface import LinearOperator, aslinearoperator
    if M1 is None and M2 is None and hasattr(A, "psolve"):
        return tuple(LinearOperator(shape, matvec=lambda v, side=side: A.psolve(v, side),
                                    rmatvec=lambda v, side=side: A.rpsolve(v, side)) for side in ("left", "right"))
    return tuple(IdentityOperator(shape) if m is None else aslinearoperator(m) for m in (M1, M2))


_QMR_NUMBERS = 15
_QMR_FIRST = plan("r", [], ["rr"], 0, MEASURE)
_QMR_BEGIN, _QMR_NORMS = (plan("yz", [], ["yy", "zz", "zy"], 1, flag) for flag in (QMR_BEGIN, QMR_NORMS))
_QMR_TURN = plan("pyqz", [("p", ("y", factor(over=(5,))), ("p", factor(over=(7,)))),
                          ("q", ("z", factor(over=(6,))), ("q", factor(over=(8,))))])
_QMR_PRODUCT = plan("qt", [], ["qt"], 4, QMR_PRODUCT)
_QMR_SUMS = [("v", ("t", ONE), ("v", factor(over=(9,)))), ("w", ("u", ONE), ("w", factor(over=(10,))))]
_QMR_NEXT = {True: plan("vtwu", _QMR_SUMS, ["vv", "ww", "wv"], 1, QMR_NORMS), False: plan("vtwu", _QMR_SUMS)}
_QMR_STEP = plan("dptsxr", [("d", ("p", factor(over=(11,))), ("d", factor(over=(12,)))),
                            ("s", ("t", factor(over=(11,))), ("s", factor(over=(12,)))),
                            ("x", ("x", ONE), ("d", ONE)), ("r", ("r", ONE), ("s", factor(minus=True)))],
                 ["rr"], 0, MEASURE | STEP | QMR_CHECK)


def qmr(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M1=None, M2=None, callback=None) -> tuple[ndarray, int]:
    """(x, info) with A x = b, by quasi-minimal residuals.

    R. W. Freund and N. M. Nachtigal, Numer. Math. 60 (1991).

    Parameters: A: a matrix or operator with rmatvec; b: the right side; x0: where to begin; rtol: the residual that is
        enough, relative to b; atol: that, as it is; maxiter: the most iterations; M1: an approximate inverse from the
        left; M2: one from the right; callback: a function of each iterate.
    Errors: ValueError for a matrix that is not square, shapes that do not fit, a negative atol."""
    given = A
    A, _, x, b, atol, maxiter, r = _begin("qmr", A, b, x0, None, atol, rtol, maxiter)
    if r is None:
        return b, 0
    M1, M2 = _halves(given, M1, M2, A.shape)
    alone = isinstance(M1, IdentityOperator) and isinstance(M2, IdentityOperator)
    looks = Looks(x, callback is not None or not plain(A, M1, M2))
    (matvec, rmatvec), (left, left_adjoint), (right, right_adjoint) = (products(m, type_of(x)) for m in (A, M1, M2))
    x, r, v, w, numbers = own(x), own(r), own(r), own(r), numbers_of(x, _QMR_NUMBERS)
    p, q, d, s = (cp.zeros_like(r) for _ in range(4))
    state = cp.asarray([1.0, 0.0, 0.0, 0.0, type_of(x).eps, 0.0, 0.0, 0.0, 0.0])
    _sparse.sparse_pass([r], _QMR_FIRST, numbers, state, limit=atol)
    y, z = left(v), right_adjoint(w)
    _sparse.sparse_pass([y, z], _QMR_BEGIN, numbers, state)
    info = _begun(state, atol, maxiter, callback, x)
    for i in range(1, maxiter + 1):
        if info is not _GOES_ON:
            return x, info
        _sparse.sparse_pass([p, right(y), q, left_adjoint(z)], _QMR_TURN, numbers, state)
        t, u = matvec(p), rmatvec(q)
        _sparse.sparse_pass([q, t], _QMR_PRODUCT, numbers, state)
        _sparse.sparse_pass([v, t, w, u], _QMR_NEXT[alone], numbers, state)
        y, z = left(v), right_adjoint(w)
        if not alone:
            _sparse.sparse_pass([y, z], _QMR_NORMS, numbers, state)
        _sparse.sparse_pass([d, p, t, s, x, r], _QMR_STEP, numbers, state, limit=atol)
        if i == maxiter or looks.due(i):
            info = _ended(state, atol, maxiter, i, callback, x)
    return x, maxiter if info is _GOES_ON else info


# Numbers of tfqmr: the next rho, what the shadow makes of v, |w|^2; rho; alpha, eta, the factor of d, beta, beta^2.
_TFQMR_FIRST = plan("sw", [], ["sw"], 0)
_TFQMR_TURNED = plan("sv", [], ["sv"], 1, TFQMR_TURNED)
_TFQMR_SUMS = [("w", ("w", ONE), ("t", factor(over=(4,), minus=True))), ("d", ("u", ONE), ("d", factor(over=(6,))))]
_TFQMR_ODD = plan("wtdu", _TFQMR_SUMS, ["ww"], 2, TFQMR_SQUARE)
_TFQMR_EVEN = plan("wtdunv", [*_TFQMR_SUMS, ("n", ("u", ONE), ("v", factor(over=(4,), minus=True)))], ["ww"], 2,
                   TFQMR_SQUARE)
_TFQMR_MOVE = plan("xd", [("x", ("x", ONE), ("d", factor(over=(5,))))])
_TFQMR_RHO = plan("sw", [], ["sw"], 0, TFQMR_RHO)
_TFQMR_TURN = plan("uwvt", [("v", ("t", factor(over=(7,))), ("v", factor(over=(8,)))),      # t may be u
                            ("u", ("w", ONE), ("u", factor(over=(7,))))])
_TFQMR_SUM = plan("vt", [("v", ("v", ONE), ("t", ONE))])


def tfqmr(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None,
          show=False) -> tuple[ndarray, int]:
    """(x, info) with A x = b, by quasi-minimal residuals without the transpose.

    R. W. Freund, SIAM J. Sci. Comput. 14 (1993).

    Parameters: A: a matrix or operator; b: the right side; x0: where to begin; rtol: the residual that is enough,
        relative to the first one; atol: that, as it is; maxiter: the most iterations; M: an approximate inverse of A;
        callback: a function of each iterate; show: whether the end is printed.
    Errors: ValueError for a matrix that is not square, shapes that do not fit, a negative atol."""
    if type_of(b, None) == "l" and type_of(A, None) in list("fdFD"):
        b = b.astype(type_of(A))  # as SciPy
    A, M, x, b = make_system(A, M, x0, b)
    if float(norm(b)) == 0:
        return b.copy(), 0
    maxiter = min(10000, 10 * b.size) if maxiter is None else maxiter
    r = residual(A, x, b, x0)
    matvec, precondition = products(A, type_of(x))[0], products(M, type_of(x))[0]
    looks = Looks(x, callback is not None or not plain(A, M))
    u, w, shadow, d, spare = own(r), own(r), own(r), cp.zeros_like(r), cp.empty_like(r)
    x, turned_u, numbers = own(x), precondition(matvec(u)), numbers_of(r, 9)
    v = own(turned_u)
    _sparse.sparse_pass([shadow, w], _TFQMR_FIRST, numbers, None)
    tau = math.sqrt(abs(numbers[0].item()))
    if tau == 0:
        return x, 0
    atol = tolerance("tfqmr", tau, atol, rtol)
    state = cp.asarray([1.0, 0.0, tau, 0.0, 0.0, tau, 0.0, atol, 0.0])
    live, steps, size, ends = 1, 0, tau, 0
    for i in range(maxiter):
        if i % 2:
            _sparse.sparse_pass([w, turned_u, d, u], _TFQMR_ODD, numbers, state)
        else:
            _sparse.sparse_pass([shadow, v], _TFQMR_TURNED, numbers, state)
            _sparse.sparse_pass([w, turned_u, d, u, spare, v], _TFQMR_EVEN, numbers, state)
        if i + 1 == maxiter or looks.due(i + 1):
            live, steps, size, _, _, _, _, _, ends = state.tolist()
            if not live and not ends:
                return x, -1
        _sparse.sparse_pass([x, precondition(d)], _TFQMR_MOVE, numbers, state)
        if callback is not None:
            callback(x)
        if ends:
            break
        if i % 2:
            _sparse.sparse_pass([shadow, w], _TFQMR_RHO, numbers, state)
            _sparse.sparse_pass([u, w, v, turned_u], _TFQMR_TURN, numbers, state)
            turned_u = precondition(matvec(u))
            _sparse.sparse_pass([v, turned_u], _TFQMR_SUM, numbers, state)
        else:
            u, spare = spare, u
            turned_u = precondition(matvec(u))
    good = ends and not math.isnan(size)
    if ends and not good and callback is not None:      # behind a number that is NaN all of x is, in SciPy's steps too
        for _ in range(maxiter - int(steps)):
            callback(x)
    if show:
        print(f"TFQMR: Linear solve converged due to reach TOL iterations {int(steps)}" if good else
              f"TFQMR: Linear solve not converged due to reach MAXIT iterations {maxiter}")
    return x, 0 if good else maxiter
