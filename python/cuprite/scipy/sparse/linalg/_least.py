"""Solvers of symmetric systems and of least squares that follow Paige and Saunders: minres, lsqr, lsmr.

Vectors stay on the device and are updated, and multiplied by each other, in passes (_passes.py). Those of Lanczos'
method and of the bidiagonalization are not divided by their norms: that is a factor of what they are used for. The
recurrences of rotations are the host's, whose numbers are read twice an iteration (lsqr: once); minres' are the
device's, and are read now and then."""
from __future__ import annotations

import math

import cuprite as cp
from cuprite import _sparse, ndarray
from cuprite._element_types import common_type, type_of
from cuprite.scipy.sparse.linalg._interface import IdentityOperator, aslinearoperator
from cuprite.scipy.sparse.linalg._passes import (ONE, ROOTS, ROTATE, TEST, A as FIRST, B as SECOND, C as THIRD,
                                                 D as FOURTH, Looks, factor, numbers_of, own, plain, plan, products)
from cuprite.scipy.sparse.linalg._system import make_system, norm, residual

_WORDS = ("The exact solution is x = 0, or x = x0, if x0 was given", "Ax - b is small enough, given atol, btol",
          "The least-squares solution is good enough, given atol", "The estimate of cond(Abar) has exceeded conlim",
          "Ax - b is small enough for this machine", "The least-squares solution is good enough for this machine",
          "Cond(Abar) seems to be too large for this machine", "The iteration limit has been reached")


def _turn(a, b) -> tuple[float, float, float]:
    """(c, s, r) of the rotation that makes (a, b) to (r, 0)."""
    if b == 0:
        return math.copysign(1.0, a) if a else 0.0, 0.0, abs(a)
    if a == 0:
        return 0.0, math.copysign(1.0, b), abs(b)
    if abs(b) > abs(a):
        ratio = a / b
        s = math.copysign(1.0, b) / math.sqrt(1 + ratio * ratio)
        return s * ratio, s, b / s
    ratio = b / a
    c = math.copysign(1.0, a) / math.sqrt(1 + ratio * ratio)
    return c, c * ratio, a / c


def _ratio(a, b) -> float:
    return a / b if b else math.inf


def _by(a, b) -> float:
    """a / b as NumPy divides: infinite or NaN where b is 0."""
    return a / b if b else a * math.copysign(math.inf, b)


def _show(wanted, name, i, *numbers):
    if wanted:
        print(name, f"{i:6d}", *(f"{v:10.3e}" for v in numbers))


def _inner(x, y) -> ndarray:
    """SciPy's product of minres, without a conjugate; its real part."""
    product = cp.dot(x, y)
    return product.real if type_of(product).kind == "c" else product


def minres(A, b, x0=None, *, rtol=1e-5, shift=0.0, maxiter=None, M=None, callback=None, show=False,
           check=False) -> tuple[ndarray, int]:
    """(x, info) with (A - shift) x = b of a symmetric A, by minimal residuals.

    C. C. Paige and M. A. Saunders, SIAM J. Numer. Anal. 12 (1975).

    Parameters: A: a matrix or operator; b: the right side; x0: where to begin; rtol: the residual that is enough,
        relative to the norms of A and x; shift: subtracted from A's diagonal; maxiter: the most iterations, five times
        the rows by default; M: an approximate inverse of A, positive definite; callback: a function of each iterate;
        show: whether the iterations are printed; check: whether A and M are tried for symmetry first.
    Errors: ValueError for a matrix that is not square, shapes that do not fit, a preconditioner that is not positive,
        matrices that are found not symmetric."""
    A, M, x, b = make_system(A, M, x0, b)
    maxiter = 5 * b.size if maxiter is None else maxiter
    eps = type_of(x).eps
    biggest = (2 - eps) * 2.0 ** (127 if type_of(x).real == "float32" else 1023)
    r1 = residual(A, x, b, x0)
    matvec, precondition = products(A, type_of(r1))[0], products(M, type_of(r1))[0]
    y = precondition(r1)
    beta1, b_size = cp.stack([_inner(r1, y), norm(b)]).tolist()
    if beta1 < 0:
        raise ValueError("indefinite preconditioner")
    if beta1 == 0 or b_size == 0:
        return (x if beta1 == 0 else b), 0
    if check:
        _check_symmetry(A, M, r1, y, eps)
    beta1 = math.sqrt(beta1)
    looks = Looks(x, callback is not None or show or not plain(A, M))
    x = x.astype(common_type(type_of(x), "float64"))  # as SciPy's, whose scalars are float64
    w, w1, w2 = (cp.zeros_like(x) for _ in range(3))
    same = isinstance(M, IdentityOperator)
    r1, r2, r = own(r1), own(r1), cp.empty_like(r1)
    y = r2 if same else own(y)
    numbers = cp.asarray([0.0, 0.0, 0.0, 1 / beta1, 0.0, beta1] + [0.0] * 5, dtype=type_of(numbers_of(r1, 1)))
    state = cp.asarray([1.0, 0.0, beta1, 0.0, rtol, eps, maxiter, beta1, beta1, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, biggest]
                       + [0.0] * 5)
    stop, last = 0, 0
    for i in range(maxiter):
        q = matvec(y)
        _sparse.sparse_pass([r, q, y, r1], _LANCZOS_FIRST, numbers, state, -shift)
        _sparse.sparse_pass([r, r2], _LANCZOS_SECOND[same], numbers, state)
        r1, r2, r, v = r2, r, r1, y
        y = r2 if same else precondition(r2)
        if not same:
            _sparse.sparse_pass([r2, y], _LANCZOS_PRODUCT, numbers, state)
        w2, w1, w = w1, w, w2
        _sparse.sparse_pass([x, w, v.astype(type_of(x), copy=False), w2, w1], _MINRES, numbers, state)
        if callback is not None:
            callback(x)
        if looks.due(i + 1) or i + 1 == maxiter:
            live, steps, _, stop, *_, most, least, _, test1, test2, a_size, _ = state.tolist()
            _show(show and steps > last, "minres", i + 1, test1, test2, a_size, _ratio(most, least))
            last = steps
            if stop == _NOT_SYMMETRIC:
                raise ValueError("non-symmetric matrix")
            if not live:
                break
    return x, maxiter if stop == 6 else 0


# Numbers: y r, beta^2, x x, 1 / beta, beta over the last one, beta, factors of the new direction and of x. The device
# computes them (cpi_minres_turn), and whether one goes on.
_UNIT, _NOT_SYMMETRIC = 3, -2
_LANCZOS_FIRST = plan("rqyu", [("r", ("q", factor(over=(_UNIT,))), ("y", factor(1, over=(_UNIT,))),
                                ("u", factor(over=(4,), minus=True)))], ["yr"], 0)
_LANCZOS_SECOND = [plan("ru", [("r", ("r", ONE), ("u", factor(over=(0, _UNIT), under=(5,), minus=True)))], ["rr"], 1,
                        flags) for flags in (0, ROTATE)]
_LANCZOS_PRODUCT = plan("ry", [], ["ry"], 1, ROTATE)
_MINRES = plan("xwvuo", [("w", ("v", factor(over=(6,))), ("u", factor(over=(7,), minus=True)),
                          ("o", factor(over=(8,), minus=True))), ("x", ("x", ONE), ("w", factor(over=(9,))))], ["xx"],
               2, TEST)


def _check_symmetry(A, M, r1, y, eps):
    w = A.matvec(y)
    z = M.matvec(y)
    ww, yw, yy, rz = cp.stack([_inner(w, w), _inner(y, A.matvec(w)), _inner(y, y), _inner(r1, z)]).tolist()
    for name, s, t in (("matrix", ww, yw), ("preconditioner", yy, rz)):
        if abs(s - t) > (s + eps) * eps ** (1 / 3):
            raise ValueError(f"non-symmetric {name}")


def _least_system(A, b, x0):
    """(A, b as a vector, the type of the solution)."""
    A, b = aslinearoperator(A), cp.atleast_1d(cp.asarray(b))
    b = b.squeeze() if b.ndim > 1 else b
    kind = common_type(*(type_of(x) for x in (A, b, x0) if x is not None and type_of(x) is not None), "float64")
    return A, b, kind


class _Bidiagonal:
    """The bidiagonalization of Golub and Kahan: u and v, and their norms beta and alpha, by which they are not divided.

    Parameters: A, b: the system; x0: where to begin; kind: the type of the solution, x."""

    def __init__(self, A, b, x0, kind):
        u = b if type_of(b).kind in "fc" else b.astype("d")
        first = norm(u)
        self.x = cp.zeros(A.shape[1], dtype=kind)
        if x0 is not None:
            self.x = cp.atleast_1d(cp.asarray(x0)).astype(kind)
            u = u - A.matvec(self.x)
        given = type_of(A.matvec(self.x)) if type_of(A) is None else type_of(A)
        u = u.astype(common_type(type_of(u), given), copy=False)    # as the products
        self.kind, self.u, (self.matvec, rmatvec) = kind, own(u), products(A, type_of(u))
        self.rmatvec = rmatvec
        self.numbers = numbers_of(u, 2)
        _sparse.sparse_pass([self.u], _NORM_U, self.numbers, None)
        q = rmatvec(self.u)
        self.v, self.spare = cp.empty_like(q), cp.empty_like(q)
        _sparse.sparse_pass([self.v, q], _FIRST_V, self.numbers, None)
        self.size, self.beta, self.alpha = abs(cp.stack([first.astype(type_of(self.numbers)), *self.numbers])).tolist()
        if not self.beta:
            self.alpha = 0.0  # A is not asked, which may have NaN

    def next(self):
        """A step. v and alpha stay as they were where beta is 0."""
        q = self.matvec(self.v)
        _sparse.sparse_pass([self.u, q], _NEXT_U, self.numbers, None, _over(1, self.alpha),
                            _over(-self.alpha, self.beta))
        q = self.rmatvec(self.u)
        _sparse.sparse_pass([self.spare, q, self.v], _NEXT_V, self.numbers, None, _over(-1, self.alpha))
        self.beta, alpha = abs(self.numbers).tolist()
        if self.beta > 0:
            self.v, self.spare, self.alpha = self.spare, self.v, alpha

    def typed(self):
        """v in the type of the solution, not divided by alpha."""
        return self.v.astype(self.kind, copy=False)


def _over(a, b) -> float:
    return a / b if b else 0.0


_NORM_U = plan("u", [], ["uu"], 0, ROOTS)
_FIRST_V = plan("vq", [("v", ("q", factor(under=(0,), safe=True)))], ["vv"], 1, ROOTS)
_NEXT_U = plan("uq", [("u", ("q", FIRST), ("u", SECOND))], ["uu"], 0, ROOTS)
_NEXT_V = plan("vqo", [("v", ("q", factor(under=(0,), safe=True)), ("o", factor(1, over=(0,))))], ["vv"], 1, ROOTS)


def lsqr(A, b, damp=0.0, atol=1e-6, btol=1e-6, conlim=1e8, iter_lim=None, show=False, calc_var=False,
         x0=None) -> tuple[ndarray, int, int, float, float, float, float, float, float, ndarray]:
    """x of least |A x - b|, with what was found about it: (x, istop, itn, r1norm, r2norm, anorm, acond, arnorm, xnorm,
    var), by LSQR.

    C. C. Paige and M. A. Saunders, ACM Trans. Math. Softw. 8 (1982).

    Parameters: A: a matrix or operator with rmatvec; b: the right side; damp: the weight of |x|; atol: the accuracy of
        A; btol: that of b; conlim: the condition at which to stop; iter_lim: the most iterations, twice the columns by
        default; show: whether the iterations are printed; calc_var: whether variances are estimated; x0: where to
        begin.
    Errors: ValueError for shapes that do not fit."""
    A, b, kind = _least_system(A, b, x0)
    n, eps = A.shape[1], 2.0**-52
    iter_lim = 2 * n if iter_lim is None else iter_lim
    var, limit = cp.zeros(n), 1 / conlim if conlim > 0 else 0.0
    steps = _Bidiagonal(A, b, x0, kind)
    x, b_size, beta, alpha = steps.x, steps.size, steps.beta, steps.alpha
    w, numbers, w_size = steps.typed() * _over(1, alpha), numbers_of(x, 1), 1.0
    rho_bar, phi_bar, r_size, ar_size = alpha, beta, beta, alpha * beta
    a_size = cond = dd = res2 = x_size = xx = z = s2 = 0.0
    stop, i, c2, r1_size = 0, 0, -1.0, beta
    if ar_size == 0:
        return x, stop, i, r1_size, r_size, a_size, cond, ar_size, x_size, var
    while i < iter_lim:
        i += 1
        old_alpha = alpha
        steps.next()
        beta, alpha = steps.beta, steps.alpha
        w_size = abs(numbers[0].item()) if i > 1 else w_size
        a_size = math.hypot(a_size, old_alpha, beta, damp) if beta > 0 else a_size
        rho_1, psi = rho_bar, 0.0
        if damp > 0:
            rho_1 = math.hypot(rho_bar, damp)
            psi, phi_bar = _by(damp, rho_1) * phi_bar, _by(rho_bar, rho_1) * phi_bar
        c, s, rho = _turn(rho_1, beta)
        theta, rho_bar = s * alpha, -c * alpha
        phi, phi_bar = c * phi_bar, s * phi_bar
        tau = s * phi
        if calc_var:
            var = var + (w / rho) ** 2
        ratio, ahead, back = _by(w_size, rho), _by(phi, rho), -_by(theta, rho)
        _sparse.sparse_pass([x, w, steps.typed()], _LSQR, numbers, None, ahead, _over(1, alpha), back)
        dd += ratio * ratio
        delta, gamma_bar, rhs = s2 * rho, -c2 * rho, phi - s2 * rho * z
        x_size = math.hypot(math.sqrt(xx), _by(rhs, gamma_bar))
        gamma = math.hypot(gamma_bar, theta)
        c2, s2, z = _by(gamma_bar, gamma), _by(theta, gamma), _by(rhs, gamma)
        xx += z * z
        cond, res2 = a_size * math.sqrt(dd), res2 + psi * psi
        r_size, ar_size = math.sqrt(phi_bar * phi_bar + res2), alpha * abs(tau)
        square = r_size * r_size - damp * damp * xx
        r1_size = math.copysign(math.sqrt(abs(square)), square) if damp > 0 else r_size
        test1, test2 = _ratio(r_size, b_size), ar_size / (a_size * r_size + eps)
        stop = _why(test1, test2, 1 / (cond + eps), _ratio(a_size * x_size, b_size), atol, btol, limit, i >= iter_lim)
        _show(show, "lsqr", i, r1_size, r_size, test1, test2, a_size, cond)
        if stop:
            break
    _say(show, stop)
    return x, stop, i, r1_size, r_size, a_size, cond, ar_size, x_size, var


_LSQR = plan("xwv", [("x", ("x", ONE), ("w", FIRST)), ("w", ("v", SECOND), ("w", THIRD))], ["ww"], 0, ROOTS)
_LSMR = plan("xhbv", [("b", ("h", ONE), ("b", FIRST)), ("x", ("x", ONE), ("b", SECOND)),
                      ("h", ("v", THIRD), ("h", FOURTH))], ["xx"], 0, ROOTS)


def _say(wanted, stop):
    if wanted:
        print(_WORDS[stop])


def _why(test1, test2, test3, size, atol, btol, limit, last) -> int:
    """Why to stop, 0 for not; both methods' rules."""
    ends = ((test1 <= btol + atol * size, 1), (test2 <= atol, 2), (test3 <= limit, 3), (1 + test1 / (1 + size) <= 1, 4),
            (1 + test2 <= 1, 5), (1 + test3 <= 1, 6), (last, 7))
    return next((code for true, code in ends if true), 0)


def lsmr(A, b, damp=0.0, atol=1e-6, btol=1e-6, conlim=1e8, maxiter=None, show=False,
         x0=None) -> tuple[ndarray, int, int, float, float, float, float, float]:
    """x of least |A x - b|, with what was found about it: (x, istop, itn, normr, normar, norma, conda, normx), by
    LSMR.

    D. C.-L. Fong and M. Saunders, SIAM J. Sci. Comput. 33 (2011).

    Parameters: A: a matrix or operator with rmatvec; b: the right side; damp: the weight of |x|; atol: the accuracy of
        A; btol: that of b; conlim: the condition at which to stop; maxiter: the most iterations, the lesser length of A
        by default; show: whether the iterations are printed; x0: where to begin.
    Errors: ValueError for shapes that do not fit."""
    A, b, kind = _least_system(A, b, x0)
    maxiter = min(A.shape) if maxiter is None else maxiter
    limit = 1 / conlim if conlim > 0 else 0.0
    steps = _Bidiagonal(A, b, x0, kind)
    x, b_size, beta, alpha, numbers = steps.x, steps.size, steps.beta, steps.alpha, numbers_of(steps.x, 1)
    zeta_bar, alpha_bar, rho, rho_bar, c_bar, s_bar = alpha * beta, alpha, 1.0, 1.0, 1.0, 0.0
    h, h_bar = steps.typed() * _over(1, alpha), cp.zeros_like(x)
    beta_dd, beta_d, rho_d, tau, theta_t, zeta, d = beta, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0
    square, most, least = alpha * alpha, 0.0, 1e100
    a_size, cond, x_size, stop, i, r_size, ar_size = alpha, 1.0, 0.0, 0, 0, beta, alpha * beta
    if b_size == 0:
        x = cp.zeros_like(x)
    if ar_size == 0 or b_size == 0:
        return x, stop, i, r_size, ar_size, a_size, cond, x_size
    while i < maxiter:
        i += 1
        steps.next()
        beta, alpha = steps.beta, steps.alpha
        c_hat, s_hat, alpha_hat = _turn(alpha_bar, damp)
        old_rho, (c, s, rho) = rho, _turn(alpha_hat, beta)
        theta, alpha_bar = s * alpha, c * alpha
        old_rho_bar, old_zeta, theta_bar, rho_temp = rho_bar, zeta, s_bar * rho, c_bar * rho
        c_bar, s_bar, rho_bar = _turn(rho_temp, theta)
        zeta, zeta_bar = c_bar * zeta_bar, -s_bar * zeta_bar
        _sparse.sparse_pass([x, h, h_bar, steps.typed()], _LSMR, numbers, None,
                            -_by(theta_bar * rho, old_rho * old_rho_bar), _by(zeta, rho * rho_bar), _over(1, alpha),
                            -_by(theta, rho))
        acute, check = c_hat * beta_dd, -s_hat * beta_dd
        hat, beta_dd, old_theta_t = c * acute, -s * acute, theta_t
        c_t, s_t, rho_t = _turn(rho_d, theta_bar)
        theta_t, rho_d = s_t * rho_bar, c_t * rho_bar
        beta_d = -s_t * beta_d + c_t * hat
        tau = _by(old_zeta - old_theta_t * tau, rho_t)
        left = beta_d - _by(zeta - theta_t * tau, rho_d)
        d += check * check
        r_size = math.sqrt(d + left * left + beta_dd * beta_dd)
        a_size = math.sqrt(square + beta * beta)
        square += beta * beta + alpha * alpha
        most = max(most, old_rho_bar)
        least = min(least, old_rho_bar) if i > 1 else least
        cond = _by(max(most, rho_temp), min(least, rho_temp))
        ar_size, x_size = abs(zeta_bar), abs(numbers[0].item())
        test2 = _ratio(ar_size, a_size * r_size)
        stop = _why(r_size / b_size, test2, _by(1, cond), a_size * x_size / b_size, atol, btol, limit, i >= maxiter)
        _show(show, "lsmr", i, r_size, ar_size, a_size, cond)
        if stop:
            break
    _say(show, stop)
    return x, stop, i, r_size, ar_size, a_size, cond, x_size
