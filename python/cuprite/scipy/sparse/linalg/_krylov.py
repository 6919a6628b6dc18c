"""Solvers of square systems by short recurrences: cg, cgs, bicg, bicgstab, qmr, tfqmr.

Methods, tolerances and codes of breakdown are SciPy's, so iterates agree up to rounding. Coefficients stay on the
device: an iteration computes all it may need, reads its norms and what may break down at once, and then chooses. That
is one wait an iteration, and none for a coefficient; cg decides on the device whether it goes on, and is read now and
then. Vectors of all but bicg and qmr are updated, and multiplied by each other, in passes (_passes.py). M. R.
Hestenes and E. Stiefel, J. Res. NBS 49 (1952); R. Barrett and others, Templates for the Solution of Linear Systems,
SIAM 1994."""
from __future__ import annotations

import math

import cuprite as cp
from cuprite import _sparse, ndarray
from cuprite.scipy.sparse.linalg._passes import (MEASURE, ONE, STEP, A as FIRST, Looks, factor, numbers_of, own, plain,
                                                 plan, products)
from cuprite.scipy.sparse.linalg._system import make_system, norm, read, residual, tolerance


def _begin(name, A, b, x0, M, atol, rtol, maxiter):
    """(A, M, x, b, tolerance, maxiter, r); r is None where b is 0."""
    A, M, x, b = make_system(A, M, x0, b)
    size = float(norm(b))
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
    matvec, precondition = products(A, x.dtype)[0], products(M, x.dtype)[0]
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


def bicg(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None) -> tuple[ndarray, int]:
    """(x, info) with A x = b, by biconjugate gradients.

    Parameters: A: a matrix or operator with rmatvec; b: the right side; x0: where to begin; rtol: the residual that is
        enough, relative to b; atol: that, as it is; maxiter: the most iterations; M: an approximate inverse of A;
        callback: a function of each iterate.
    Errors: ValueError for a matrix that is not square, shapes that do not fit, a negative atol."""
    A, M, x, b, atol, maxiter, r = _begin("bicg", A, b, x0, M, atol, rtol, maxiter)
    if r is None:
        return b, 0
    least = cp.finfo(x.dtype).eps ** 2
    matvec, rmatvec = products(A, x.dtype)
    dual = r
    z, dual_z = M.matvec(r), M.rmatvec(dual)
    rho, p, dual_p = cp.vdot(dual, z), z, dual_z
    size, rho_size = read(norm(r), rho)
    for _ in range(maxiter):
        if size < atol:
            return x, 0
        if rho_size < least:
            return x, -10
        q, dual_q = matvec(p), rmatvec(dual_p)
        turned = cp.vdot(dual_p, q)
        alpha = rho / turned
        r, dual = r - alpha * q, dual - alpha.conj() * dual_q
        z, dual_z = M.matvec(r), M.rmatvec(dual)
        before, rho = rho, cp.vdot(dual, z)
        turned, size, rho_size = read(turned, norm(r), rho)
        if turned == 0:
            return x, -11
        x = x + alpha * p
        beta = rho / before
        p, dual_p = z + beta * p, dual_z + beta.conj() * dual_p
        if callback:
            callback(x)
    return x, maxiter


# Numbers of bicgstab: rho and the one before, v's product with the shadow, |s|^2, t s, t t, |r|^2 behind the next rho.
_RHO, _TURNED, _HALF, _TS, _TT = (0, 2), 4, 5, 6, 7


def _bicgstab_plans(k):
    """What follows the products with A, where rho is the number k of 0 and 2, with |r|^2 behind it."""
    rho, following = k, 2 - k
    alpha, omega = factor(over=(rho,), under=(_TURNED,)), factor(over=(_TS,), under=(_TT,))
    beta = factor(over=(following, _TT), under=(_TURNED, _TS))
    back = factor(over=(following,), under=(_TURNED,), minus=True)
    return (plan("rvs", [("s", ("r", ONE), ("v", alpha | 1))], ["ss"], _HALF),
            plan("srt0", [("r", ("s", ONE), ("t", omega | 1))], ["0r", "rr"], following),
            plan("xhgprv", [("x", ("x", ONE), ("h", alpha), ("g", omega)),
                            ("p", ("r", ONE), ("p", beta), ("v", back))]),
            plan("xh", [("x", ("x", ONE), ("h", alpha))]))


_BICGSTAB = {k: _bicgstab_plans(k) for k in _RHO}
_BICGSTAB_FIRST = plan("0r", [], ["0r", "rr"], 0)
_BICGSTAB_TURNED = plan("0v", [], ["0v"], _TURNED)
_BICGSTAB_OMEGA = plan("ts", [], ["ts", "tt"], _TS)


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
    least = cp.finfo(x.dtype).eps ** 2
    matvec, precondition = products(A, x.dtype)[0], products(M, x.dtype)[0]
    x, r, p, shadow, s = own(x), own(r), own(r), own(r), cp.empty_like(r)
    numbers = numbers_of(x, 8)
    _sparse.sparse_pass([shadow, r], _BICGSTAB_FIRST, numbers, None)
    found = abs(numbers).tolist()
    size, rho_size, omega_size = math.sqrt(found[1]), found[0], math.inf
    for i in range(maxiter):
        if size < atol:
            return x, 0
        if rho_size < least:
            return x, -10
        if omega_size < least:
            return x, -11
        k = _RHO[i % 2]
        half, whole, turn, only_half = _BICGSTAB[k]
        p_hat = precondition(p)
        v = matvec(p_hat)
        _sparse.sparse_pass([shadow, v], _BICGSTAB_TURNED, numbers, None)
        _sparse.sparse_pass([r, v, s], half, numbers, None)
        s_hat = precondition(s)
        t = matvec(s_hat)
        _sparse.sparse_pass([t, s], _BICGSTAB_OMEGA, numbers, None)
        _sparse.sparse_pass([s, r, t, shadow], whole, numbers, None)
        found = abs(numbers).tolist()
        if found[_TURNED] == 0:
            return x, -11
        if math.sqrt(found[_HALF]) < atol:
            _sparse.sparse_pass([x, p_hat], only_half, numbers, None)
            return x, 0
        _sparse.sparse_pass([x, p_hat, s_hat, p, r, v], turn, numbers, None)
        rho_size, size = found[2 - k], math.sqrt(found[3 - k])
        omega_size = found[_TS] / found[_TT] if found[_TT] else math.nan
        if callback:
            callback(x)
    return x, maxiter


def _cgs_plans(k):
    """q and u + q; x, which stays where there is no step; the residual with its products; u and p."""
    alpha, following = factor(over=(k,), under=(_TURNED,), safe=True), 2 - k
    beta, square = factor(over=(following,), under=(k,)), factor(over=(following, following), under=(k, k))
    return (plan("quvs", [("q", ("u", ONE), ("v", alpha | 1)), ("s", ("u", ONE), ("q", ONE))]),
            plan("xh", [("x", ("x", ONE), ("h", alpha))]),
            plan("rbt0", [("r", ("b", ONE), ("t", factor(minus=True)))], ["0r", "rr"], following),
            plan("urqp", [("u", ("r", ONE), ("q", beta)), ("p", ("u", ONE), ("q", beta), ("p", square))]))


_CGS = {k: _cgs_plans(k) for k in _RHO}
_CGS_FIRST, _CGS_TURNED = _BICGSTAB_FIRST, _BICGSTAB_TURNED


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
    least = cp.finfo(x.dtype).eps ** 2
    matvec, precondition = products(A, x.dtype)[0], products(M, x.dtype)[0]
    x, r, p, u, shadow, q, both = own(x), own(r), own(r), own(r), own(r), cp.empty_like(r), cp.empty_like(r)
    b, numbers = cp.ascontiguousarray(b), numbers_of(x, 5)
    _sparse.sparse_pass([shadow, r], _CGS_FIRST, numbers, None)
    found = abs(numbers).tolist()
    rho_size, size = found[0], math.sqrt(found[1])
    for i in range(maxiter):
        if size < atol:
            return x, 0
        if rho_size < least:
            return x, -10
        k = _RHO[i % 2]
        half, step, rest, turn = _CGS[k]
        v = matvec(precondition(p))
        _sparse.sparse_pass([shadow, v], _CGS_TURNED, numbers, None)
        _sparse.sparse_pass([q, u, v, both], half, numbers, None)
        _sparse.sparse_pass([x, precondition(both)], step, numbers, None)
        _sparse.sparse_pass([r, b, matvec(x), shadow], rest, numbers, None)
        found = abs(numbers).tolist()
        if found[_TURNED] == 0:
            return x, -11
        rho_size, size = found[2 - k], math.sqrt(found[3 - k])
        _sparse.sparse_pass([u, r, q, p], turn, numbers, None)
        if callback:
            callback(x)
    return x, maxiter


def _halves(A, M1, M2, shape):
    """The two preconditioners of qmr, as operators."""
    from cuprite.scipy.sparse.linalg._interface import IdentityOperator, LinearOperator, aslinearoperator
    if M1 is None and M2 is None and hasattr(A, "psolve"):
        return tuple(LinearOperator(shape, matvec=lambda v, side=side: A.psolve(v, side),
                                    rmatvec=lambda v, side=side: A.rpsolve(v, side)) for side in ("left", "right"))
    return tuple(IdentityOperator(shape) if m is None else aslinearoperator(m) for m in (M1, M2))


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
    matvec, rmatvec = products(A, x.dtype)
    least = cp.finfo(x.dtype).eps
    v_next = w_next = r
    y, z = M1.matvec(r), M2.rmatvec(r)
    rho, xi = norm(y), norm(z)
    gamma, eta, theta = 1.0, -1.0, 0.0
    epsilon = p = q = d = s = None
    size, rho_size, xi_size = read(norm(r), rho, xi)
    for _ in range(maxiter):
        for found, limit, code in ((size, atol, 0), (rho_size, least, -10), (xi_size, least, -15)):
            if found < limit:
                return x, code
        v, y, w, z = v_next / rho, y / rho, w_next / xi, z / xi
        delta = cp.vdot(z, y)
        if p is None:
            p, q = M2.matvec(y), M1.rmatvec(z)
        else:
            p = M2.matvec(y) - (xi * delta / epsilon) * p
            q = M1.rmatvec(z) - (rho * (delta / epsilon).conj()) * q
        turned = matvec(p)
        epsilon = cp.vdot(q, turned)
        beta = epsilon / delta
        v_next = turned - beta * v
        y = M1.matvec(v_next)
        before, rho = rho, norm(y)
        w_next = rmatvec(q) - beta.conj() * w
        z = M2.rmatvec(w_next)
        xi = norm(z)
        old_theta, theta = theta, rho / (gamma * abs(beta))
        old_gamma, gamma = gamma, 1 / cp.sqrt(1 + theta * theta)
        eta = -eta * (before / beta) * (gamma / old_gamma) ** 2
        shrink = (old_theta * gamma) ** 2
        d = eta * p if d is None else shrink * d + eta * p
        s = eta * turned if s is None else shrink * s + eta * turned
        r = r - s
        *sizes, size, rho_size, xi_size = read(delta, epsilon, beta, gamma, norm(r), rho, xi)
        for found, code in zip(sizes, (-13, -14, -11, -12)):
            if found < least:
                return x, code
        x = x + d
        if callback:
            callback(x)
    return x, maxiter


_TFQMR_SIZE = 4     # numbers of tfqmr: rho and its product below alpha, both twice, and |w|^2


def _tfqmr_plans(k):
    """The product below alpha; the first step, one of an even number and an odd one; x; what follows two steps. rho is
    the number k of 0 and 2. eta over alpha is a number of the host where alpha is the one before, as in odd steps."""
    before = 2 - k
    alpha, ratio = factor(over=(k,), under=(k + 1,)), factor(1, over=(before, k + 1), under=(before + 1, k))
    beta, square = factor(over=(before,), under=(k,)), factor(over=(before, before), under=(k, k))
    w, following = ("w", ("w", ONE), ("t", alpha | 1)), ("n", ("u", ONE), ("v", alpha | 1))

    def step(*sums):
        return plan("wtdunv", [w, *sums], ["ww"], _TFQMR_SIZE)
    return (plan("sv", [], ["sv"], k + 1), step(("d", ("u", ONE)), following),
            step(("d", ("u", ONE), ("d", ratio)), following), step(("d", ("u", ONE), ("d", FIRST))),
            plan("xd", [("x", ("x", ONE), ("d", factor(1, over=(k,), under=(k + 1,))))]),
            plan("uwvt", [("v", ("t", beta), ("v", square)), ("u", ("w", ONE), ("u", beta))]))  # t may be u


_TFQMR = {k: _tfqmr_plans(k) for k in _RHO}
_TFQMR_RHO = {k: plan("sw", [], ["sw"], k) for k in _RHO}
_TFQMR_SUM = plan("vt", [("v", ("v", ONE), ("t", ONE))])


def tfqmr(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None,
          show=False) -> tuple[ndarray, int]:
    """(x, info) with A x = b, by quasi-minimal residuals without the transpose.

    R. W. Freund, SIAM J. Sci. Comput. 14 (1993).

    Parameters: A: a matrix or operator; b: the right side; x0: where to begin; rtol: the residual that is enough,
        relative to the first one; atol: that, as it is; maxiter: the most iterations; M: an approximate inverse of A;
        callback: a function of each iterate; show: whether the end is printed.
    Errors: ValueError for a matrix that is not square, shapes that do not fit, a negative atol."""
    A, M, x, b = make_system(A, M, x0, b)
    if float(norm(b)) == 0:
        return b.copy(), 0
    maxiter = min(10000, 10 * b.size) if maxiter is None else maxiter
    r = residual(A, x, b, x0)
    matvec, precondition = products(A, x.dtype)[0], products(M, x.dtype)[0]
    u, w, shadow, d, spare = own(r), own(r), own(r), cp.zeros_like(r), cp.empty_like(r)
    x, turned_u, numbers = own(x), precondition(matvec(u)), numbers_of(r, 5)
    v = own(turned_u)
    _sparse.sparse_pass([shadow, w], _TFQMR_RHO[0], numbers, None)
    tau = math.sqrt(abs(numbers[0].item()))
    if tau == 0:
        return x, 0
    atol = tolerance("tfqmr", tau, atol, rtol)
    theta = c = 0.0
    for i in range(maxiter):
        even, k = i % 2 == 0, _RHO[i // 2 % 2]
        product, first, whole, half, update, turn = _TFQMR[k]
        if even:
            _sparse.sparse_pass([shadow, v], product, numbers, None)
        step = half if not even else whole if i else first
        _sparse.sparse_pass([w, turned_u, d, u, spare, v], step, numbers, None, (theta * c) ** 2)
        found = abs(numbers).tolist()
        if found[k + 1] == 0:
            return x, -1
        theta = math.sqrt(found[_TFQMR_SIZE]) / tau
        c = math.sqrt(1 / (1 + theta * theta))
        tau *= theta * c
        _sparse.sparse_pass([x, precondition(d)], update, numbers, None, c * c)
        if callback is not None:
            callback(x)
        if tau * math.sqrt(i + 1) < atol:
            if show:
                print(f"TFQMR: Linear solve converged due to reach TOL iterations {i + 1}")
            return x, 0
        if even:
            u, spare = spare, u
            turned_u = precondition(matvec(u))
        else:
            _sparse.sparse_pass([shadow, w], _TFQMR_RHO[2 - k], numbers, None)
            _sparse.sparse_pass([u, w, v, turned_u], turn, numbers, None)
            turned_u = precondition(matvec(u))
            _sparse.sparse_pass([v, turned_u], _TFQMR_SUM, numbers, None)
    if show:
        print(f"TFQMR: Linear solve not converged due to reach MAXIT iterations {maxiter}")
    return x, maxiter
