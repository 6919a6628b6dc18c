"""Solvers of square systems by short recurrences: cg, cgs, bicg, bicgstab, qmr, tfqmr.

Methods, tolerances and codes of breakdown are SciPy's, so iterates agree up to rounding. Coefficients stay on the
device: an iteration computes all it may need, reads its norms and what may break down at once, and then chooses. That
is one wait an iteration, and none for a coefficient. M. R. Hestenes and E. Stiefel, J. Res. NBS 49 (1952); R. Barrett
and others, Templates for the Solution of Linear Systems, SIAM 1994."""
from __future__ import annotations

import math

import cuprite as cp
from cuprite import ndarray
from cuprite.scipy.sparse.linalg._system import make_system, norm, read, residual, tolerance


def _begin(name, A, b, x0, M, atol, rtol, maxiter):
    """(A, M, x, b, tolerance, maxiter, r); r is None where b is 0."""
    A, M, x, b = make_system(A, M, x0, b)
    size = float(norm(b))
    atol = tolerance(name, size, atol, rtol)
    maxiter = 10 * b.size if maxiter is None else maxiter
    return A, M, x, b, atol, maxiter, None if size == 0 else residual(A, x, b, x0)


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
    rho = p = None
    for _ in range(maxiter):
        if float(norm(r)) < atol:
            return x, 0
        z = M.matvec(r)
        before, rho = rho, cp.vdot(r, z)
        p = z if p is None else z + (rho / before) * p
        q = A.matvec(p)
        alpha = rho / cp.vdot(p, q)
        x = x + alpha * p
        r = r - alpha * q
        if callback:
            callback(x)
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
    dual = r
    z, dual_z = M.matvec(r), M.rmatvec(dual)
    rho, p, dual_p = cp.vdot(dual, z), z, dual_z
    size, rho_size = read(norm(r), rho)
    for _ in range(maxiter):
        if size < atol:
            return x, 0
        if rho_size < least:
            return x, -10
        q, dual_q = A.matvec(p), A.rmatvec(dual_p)
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
    shadow, p = r, r
    rho = cp.vdot(shadow, r)
    size, rho_size = read(norm(r), rho)
    omega_size = math.inf
    for _ in range(maxiter):
        if size < atol:
            return x, 0
        if rho_size < least:
            return x, -10
        if omega_size < least:
            return x, -11
        p_hat = M.matvec(p)
        v = A.matvec(p_hat)
        turned = cp.vdot(shadow, v)
        alpha = rho / turned
        s = r - alpha * v
        s_hat = M.matvec(s)
        t = A.matvec(s_hat)
        omega = cp.vdot(t, s) / cp.vdot(t, t)
        r = s - omega * t
        before, rho = rho, cp.vdot(shadow, r)
        turned, half, omega_size, size, rho_size = read(turned, norm(s), omega, norm(r), rho)
        if turned == 0:
            return x, -11
        x = x + alpha * p_hat
        if half < atol:
            return x, 0
        x = x + omega * s_hat
        p = r + (rho / before * (alpha / omega)) * (p - omega * v)
        if callback:
            callback(x)
    return x, maxiter


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
    shadow = p = u = r
    rho = cp.vdot(shadow, r)
    size, rho_size = read(norm(r), rho)
    for _ in range(maxiter):
        if size < atol:
            return x, 0
        if rho_size < least:
            return x, -10
        v = A.matvec(M.matvec(p))
        turned = cp.vdot(shadow, v)
        alpha = rho / turned
        q = u - alpha * v
        old, x = x, x + alpha * M.matvec(u + q)
        r = b - A.matvec(x)
        before, rho = rho, cp.vdot(shadow, r)
        turned, size, rho_size = read(turned, norm(r), rho)
        if turned == 0:
            return old, -11
        beta = rho / before
        u = r + beta * q
        p = u + beta * (q + beta * p)
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
        turned = A.matvec(p)
        epsilon = cp.vdot(q, turned)
        beta = epsilon / delta
        v_next = turned - beta * v
        y = M1.matvec(v_next)
        before, rho = rho, norm(y)
        w_next = A.rmatvec(q) - beta.conj() * w
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
    u = w = shadow = r
    turned_u = v = M.matvec(A.matvec(r))
    rho = cp.vdot(shadow, r).real
    tau = float(cp.sqrt(rho))
    if tau == 0:
        return x, 0
    atol = tolerance("tfqmr", tau, atol, rtol)
    d = theta = eta = alpha = 0.0
    for i in range(maxiter):
        even = i % 2 == 0
        if even:
            turned = cp.vdot(shadow, v)
            alpha = rho / turned
            u_next = u - alpha * v
        w = w - alpha * turned_u
        d = u + (theta * theta) / alpha * eta * d
        size, *turned = read(norm(w), *([turned] if even else []))
        if even and turned[0] == 0:
            return x, -1
        theta = size / tau
        c = math.sqrt(1 / (1 + theta * theta))
        tau *= theta * c
        eta = c * c * alpha
        x = x + eta * M.matvec(d)
        if callback is not None:
            callback(x)
        if tau * math.sqrt(i + 1) < atol:
            if show:
                print(f"TFQMR: Linear solve converged due to reach TOL iterations {i + 1}")
            return x, 0
        if even:
            before, u = rho, u_next
            turned_u = M.matvec(A.matvec(u))
        else:
            rho = cp.vdot(shadow, w)
            beta = rho / before
            u = w + beta * u
            v = beta * turned_u + beta * beta * v
            turned_u = M.matvec(A.matvec(u))
            v = v + turned_u
    if show:
        print(f"TFQMR: Linear solve not converged due to reach MAXIT iterations {maxiter}")
    return x, maxiter
