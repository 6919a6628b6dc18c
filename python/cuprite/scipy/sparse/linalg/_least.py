"""Solvers of symmetric systems and of least squares that follow Paige and Saunders: minres, lsqr, lsmr.

Vectors stay on the device and are updated, and multiplied by each other, in passes (_passes.py). Those of Lanczos'
method and of the bidiagonalization are not divided by their norms: that is a factor of what they are used for. The
recurrences of rotations are the device's, and are read now and then."""
from __future__ import annotations

import math

import cuprite as cp
from cuprite import _sparse, ndarray
from cuprite._element_types import common_type, type_of
from cuprite.scipy.sparse.linalg._interface import IdentityOperator, aslinearoperator
from cuprite.scipy.sparse.linalg._passes import (LSMR_END, LSMR_ROTATE, LSQR_END, LSQR_ROTATE, ONE, ROOTS, ROTATE, TEST,
                                                 Looks, factor, numbers_of, own, plain, plan, products)
from cuprite.scipy.sparse.linalg._system import make_system, norm, residual

_WORDS = ("The exact solution is x = 0, or x = x0, if x0 was given", "Ax - b is small enough, given atol, btol",
          "The least-squares solution is good enough, given atol", "The estimate of cond(Abar) has exceeded conlim",
          "Ax - b is small enough for this machine", "The least-squares solution is good enough for this machine",
          "Cond(Abar) seems to be too large for this machine", "The iteration limit has been reached")


def _ratio(a, b) -> float:
    return a / b if b else math.inf


def _show(wanted, name, i, *numbers):
    if wanted:
        print(name, f"{i:6d}", *(f"{v:10.3e}" for v in numbers))


def _inner(x, y) -> ndarray:
    """SciPy's product of minres, without a conjugate; its real part."""
    product = cp.dot(x, y)
    return product.real if type_of(product).kind == "c" else product


def minres(A, b, x0=None, *, rtol=1e-5, shift=0.0, maxiter=None, M=None, callback=None, show=False,
           check=False, tol=None) -> tuple[ndarray, int]:
    """(x, info) with (A - shift) x = b of a symmetric A, by minimal residuals.

    C. C. Paige and M. A. Saunders, SIAM J. Numer. Anal. 12 (1975).

    Parameters: A: a matrix or operator; b: the right side; x0: where to begin; rtol: the residual that is enough,
        relative to the norms of A and x; shift: subtracted from A's diagonal; maxiter: the most iterations, five times
        the rows by default; M: an approximate inverse of A, positive definite; callback: a function of each iterate;
        show: whether the iterations are printed; check: whether A and M are tried for symmetry first;
        tol: CuPy's name of rtol.
    Errors: ValueError for a matrix that is not square, shapes that do not fit, a preconditioner that is not positive,
        matrices that are found not symmetric."""
    A, M, x, b = make_system(A, M, x0, b)
    maxiter = 5 * b.size if maxiter is None else maxiter
    rtol = rtol if tol is None else tol
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
_PER_BETA, _NOT_SYMMETRIC = 3, -2
_LANCZOS_FIRST = plan("rqyu", [("r", ("q", factor(over=(_PER_BETA,))), ("y", factor(1, over=(_PER_BETA,))),
                                ("u", factor(over=(4,), minus=True)))], ["yr"], 0)
_LANCZOS_SECOND = [plan("ru", [("r", ("r", ONE), ("u", factor(over=(0, _PER_BETA), under=(5,), minus=True)))], ["rr"],
                        1, flags) for flags in (0, ROTATE)]
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
    """(A, b as a vector, the type of the solution). Errors: ValueError for a b or x0 that A does not fit."""
    A, b = aslinearoperator(A), cp.atleast_1d(cp.asarray(b))
    if b.ndim > 1:
        b = cp.atleast_1d(b.squeeze())
    if b.shape != (A.shape[0],):
        raise ValueError(f"dimension mismatch: b must have {A.shape[0]} elements, as A has rows, not shape {b.shape}")
    x0 = None if x0 is None else cp.atleast_1d(cp.asarray(x0))
    if x0 is not None and x0.shape != (A.shape[1],):
        raise ValueError(f"dimension mismatch: x0 must have {A.shape[1]} elements, as A has columns")
    kind = common_type(*(type_of(x) for x in (A, b, x0) if x is not None and type_of(x) is not None), "float64")
    return A, b, kind


#: Places of the state, as src/science/sparse/least_turns.inc has them: live, steps, the residual, why it ended, ...
_STOP, _DAMPED, _ANORM, _COND, _NORMAL, _XSIZE = 3, *range(11, 16)
#: Places of the numbers: products, beta, alpha and a norm; factors, 1 / alpha, alpha / beta, of x, of w or h, another.
_BETA, _ALPHA, _SIZE, _UNIT, _BACK, _AHEAD, _TURN, _OTHER, _NUMBERS = range(9)


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
        self.x = self.x.astype(common_type(kind, type_of(u)), copy=False)
        self.kind, self.u, (self.matvec, rmatvec) = type_of(self.x), own(u), products(A, type_of(u))
        self.rmatvec, self.plain = rmatvec, plain(A)
        self.numbers = numbers_of(u, _NUMBERS)
        _sparse.sparse_pass([self.u], _NORM_U, self.numbers, None)
        q = rmatvec(self.u)
        self.v, self.spare = cp.empty_like(q), cp.empty_like(q)
        _sparse.sparse_pass([self.v, q], _FIRST_V, self.numbers, None)
        self.size, self.beta, self.alpha = abs(cp.stack([first.astype(type_of(self.numbers)),
                                                         *self.numbers[:2]])).tolist()
        if not self.beta:
            self.alpha = 0.0  # A is not asked, which may have NaN

    def begin(self, damp, atol, btol, conlim, maxiter, often, own_state):
        """Numbers and state before the first step; w, the direction."""
        alpha, beta = self.alpha, self.beta
        self.numbers[_UNIT:_AHEAD] = cp.asarray([_over(1, alpha), _over(alpha, beta)])
        self.state = cp.asarray([1.0, 0.0, beta, 0.0, atol, btol, 1 / conlim if conlim > 0 else 0.0, maxiter, damp,
                                 self.size, alpha, beta, 0.0, 0.0, alpha * beta, 0.0, *own_state])
        self.looks, self.steps = Looks(self.x, often or not self.plain), 0
        return self.typed() * _over(1, alpha)

    def next(self, rotation):
        """A step up to the numbers that follow from the next beta and alpha."""
        q = self.matvec(self.v)
        _sparse.sparse_pass([self.u, q], _NEXT_U, self.numbers, self.state)
        q = self.rmatvec(self.u)
        _sparse.sparse_pass([self.spare, q, self.v], rotation, self.numbers, self.state)
        self.v, self.spare = self.spare, self.v
        self.steps += 1

    def read(self, last):
        """The state where it is time to look at it, or at the last step; else None."""
        return self.state.tolist() if self.looks.due(self.steps) or self.steps >= last else None

    def typed(self):
        """v in the type of the solution, not divided by alpha."""
        return self.v.astype(self.kind, copy=False)


def _over(a, b) -> float:
    return a / b if b else 0.0


_NORM_U = plan("u", [], ["uu"], _BETA, ROOTS)
_FIRST_V = plan("vq", [("v", ("q", factor(under=(_BETA,), safe=True)))], ["vv"], _ALPHA, ROOTS)
_NEXT_U = plan("uq", [("u", ("q", factor(over=(_UNIT,))), ("u", factor(over=(_BACK,), minus=True)))], ["uu"], _BETA,
               ROOTS)
_NEXT_V = [plan("vqo", [("v", ("q", factor(under=(_BETA,), safe=True)),
                         ("o", factor(over=(_BETA, _UNIT), minus=True)))], ["vv"], _ALPHA, ROOTS | turn)
           for turn in (LSQR_ROTATE, LSMR_ROTATE)]


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
    steps = _Bidiagonal(A, b, x0, kind)
    x, alpha, beta, var = steps.x, steps.alpha, steps.beta, cp.zeros(n)
    if alpha * beta == 0 or iter_lim <= 0:
        return x, 0, 0, beta, beta, 0.0, 0.0, alpha * beta, 0.0, var
    w = steps.begin(damp, atol, btol, conlim, iter_lim, show, [alpha, beta, -1.0] + [0.0] * 5 + [1.0])
    part, state, last = cp.empty_like(w), [], 0
    while not state or state[0] and steps.steps < iter_lim:
        steps.next(_NEXT_V[0])
        if calc_var:
            _sparse.sparse_pass([part, w], _VARIED, steps.numbers, steps.state)
            var = var + part**2
        _sparse.sparse_pass([x, w, steps.typed()], _LSQR, steps.numbers, steps.state)
        state = steps.read(iter_lim) or state
        if show and state[1] > last:
            last = state[1]
            _show(show, "lsqr", steps.steps, state[2], state[_DAMPED], _ratio(state[_DAMPED], steps.size),
                  state[_NORMAL] / (state[_ANORM] * state[_DAMPED] + eps), state[_ANORM], state[_COND])
    stop = int(state[_STOP])
    _say(show, stop)
    return (x, stop, int(state[1]), state[2], state[_DAMPED], state[_ANORM], state[_COND], state[_NORMAL],
            state[_XSIZE], var)


_LSQR = plan("xwv", [("x", ("x", ONE), ("w", factor(over=(_AHEAD,)))),
                     ("w", ("v", factor(over=(_UNIT,))), ("w", factor(over=(_TURN,), minus=True)))], ["ww"], _SIZE,
             ROOTS | LSQR_END)
_VARIED = plan("pw", [("p", ("w", factor(over=(_OTHER,))))])
_LSMR = plan("xhbv", [("b", ("h", ONE), ("b", factor(over=(_OTHER,), minus=True))),
                      ("x", ("x", ONE), ("b", factor(over=(_AHEAD,)))),
                      ("h", ("v", factor(over=(_UNIT,))), ("h", factor(over=(_TURN,), minus=True)))], ["xx"], _SIZE,
             ROOTS | LSMR_END)


def _say(wanted, stop):
    if wanted:
        print(_WORDS[stop])


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
    steps = _Bidiagonal(A, b, x0, kind)
    x, alpha, beta, b_size = steps.x, steps.alpha, steps.beta, steps.size
    if b_size == 0:
        x = cp.zeros_like(x)
    if alpha * beta == 0 or b_size == 0 or maxiter <= 0:
        return x, 0, 0, beta, alpha * beta, alpha, 1.0, 0.0
    h = steps.begin(damp, atol, btol, conlim, maxiter, show,
                    [alpha, alpha * beta, 1.0, 1.0, 1.0, 0.0, beta, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, alpha * alpha, 0.0,
                     1e100])
    h_bar, state, last = cp.zeros_like(x), [], 0
    while not state or state[0] and steps.steps < maxiter:
        steps.next(_NEXT_V[1])
        _sparse.sparse_pass([x, h, h_bar, steps.typed()], _LSMR, steps.numbers, steps.state)
        state = steps.read(maxiter) or state
        if show and state[1] > last:
            last = state[1]
            _show(show, "lsmr", steps.steps, state[_DAMPED], state[_NORMAL], state[_ANORM], state[_COND])
    stop = int(state[_STOP])
    _say(show, stop)
    return x, stop, int(state[1]), state[_DAMPED], state[_NORMAL], state[_ANORM], state[_COND], state[_XSIZE]
