"""Eigenvalues of Hermitian operators by Lanczos' method with thick restarts; its vectors stay on the device.

A basis is extended to ncv vectors, each made orthogonal to all before it. The host reads the coefficients of all steps
at once, solves the small problem, and the basis begins again with the best Ritz vectors: the same subspaces as
ARPACK's, whose criterion of convergence this is. K. Wu and H. Simon, SIAM J. Matrix Anal. Appl. 22 (2000); R. B.
Lehoucq, D. C. Sorensen and C. Yang, ARPACK Users' Guide, SIAM 1998."""
from __future__ import annotations

import cuprite as cp
from cuprite import _sparse, ndarray
from cuprite._element_types import type_of


def arpack_error(code) -> Exception:
    """SciPy's exception of a code of ARPACK; without SciPy the class that it is made of.

    Parameters: code: the code."""
    from cuprite.scipy.sparse.linalg._host import scipy_linalg
    try:
        return scipy_linalg("eigsh").ArpackError(code)
    except ImportError:
        return RuntimeError(f"ARPACK error {code}: no basis could be built of numbers that are not finite")


def preference(w, which):
    """The numbers of eigenvalues w, which ascend, the most wanted first."""
    import numpy
    if which == "LM":
        return numpy.argsort(-abs(w), kind="stable")
    if which == "SM":
        return numpy.argsort(abs(w), kind="stable")
    up = numpy.arange(w.size)
    if which == "BE":
        return numpy.stack([up[::-1], up], axis=1).ravel()[:w.size]
    return up[::-1] if which == "LA" else up


def power_for(y) -> float:
    """A power of two that brings numbers whose squares may be none to about 1; 1 for others."""
    import numpy
    most, far = float(abs(y).max()), 2.0**20 if type_of(y).eps > 1e-10 else 2.0**200
    if not 0 < most < float("inf") or 1 / far < most < far:
        return 1.0
    return 2.0 ** (1 - int(numpy.frexp(most)[1]))


_BLOCK = 1 << 18    # columns that a restart replaces at once


class Lanczos:
    """k eigenvalues of an operator: w, those that were asked for, ascending; bounds of their errors.

    Parameters: product: the operator's, of a vector; v0: where to begin, not 0; k: how many; which: as eigsh has it;
        ncv: how many vectors are kept, more than k; tol: the accuracy relative to the eigenvalues."""

    def __init__(self, product, v0, k, which, ncv, tol):
        import numpy
        self.product, self.k, self.which, self.m = product, k, which, ncv
        self.eps = type_of(v0).eps
        self.tol = max(tol, 0) or self.eps
        number = "complex128" if type_of(v0).kind == "c" else "float64"
        self.rows = cp.empty((ncv + 1, v0.size), dtype=type_of(v0))
        self.h = cp.empty((ncv, ncv + 1), dtype=number)
        self.t = numpy.zeros((ncv, ncv))
        self.rows[0] = v0 / cp.linalg.norm(v0)
        self.kept, self.iterations = 0, 0
        self.scale = 1.0    # of products, where others are too large or small
        self.solved = False

    def run(self, maxiter) -> bool:
        """Restarts until all converge, at most so often. False where they do not.

        Parameters: maxiter: how often; as ARPACK does, the first time does not count."""
        import numpy
        while True:
            beta = self._extend(self.kept)
            if not self.iterations and self._rescale():
                beta = self._extend(0)
            if not numpy.isfinite(self.t).all():
                raise arpack_error(-9999)
            self.iterations += 1
            theta, s = numpy.linalg.eigh(self.t)
            order = preference(theta, self.which)
            bounds = abs(beta * s[-1])
            # products round more than that, so a smaller bound says nothing
            rounding = self.eps * abs(theta).max()
            good = bounds <= numpy.maximum(self.tol * numpy.maximum(self.eps ** (2 / 3), abs(theta)), rounding)
            wanted = order[:self.k]
            self.w, self.s, self.good = theta[wanted] / self.scale, s[:, wanted], good[wanted]
            if self.good.all() or self.iterations > maxiter:
                return bool(self.good.all())
            self._restart(theta, s, beta, order, int(self.good.sum()))

    def _rescale(self) -> bool:
        """Whether products of the first basis are too large or too small for their squares: the scale is then a power
        of two that brings them to about 1, as some more of them say."""
        import numpy
        most, single, x, growth = abs(self.t).max(), self.eps > 1e-10, self.rows[0], 0.0
        if most == 0 or most >= (2.0**-33 if single else 2.0**-450) and numpy.isfinite(self.t).all():
            return False
        for _ in range(4):
            y = self.product(x)
            before, after = float(abs(x).max()), float(abs(y).max())
            if not 0 < after < float("inf"):
                break
            growth, x = max(growth, after / before), y / after
        if growth:
            far = 120 if single else 1000
            self.scale = 2.0 ** -min(max(int(numpy.frexp(growth)[1]) - 1, -far), far)
            self.t[:] = 0
        return growth > 0

    def vectors(self, which) -> ndarray:
        """The vectors of some of the eigenvalues, as columns.

        Parameters: which: numbers of eigenvalues."""
        (real, s), n = self._real(self.s[:, which]), self.rows.shape[1]
        return (s @ real[:self.m]).view(type_of(self.rows)).reshape(-1, n).T

    def _real(self, s):
        """(the basis as real numbers, the transpose of coefficients), in one type: the coefficients are real."""
        real = type_of(self.rows).char.lower()
        return self.rows.view(real), cp.asarray(s.T.astype(real, order="C"))

    def _restart(self, theta, s, beta, order, converged):
        keep = self._keep(converged)
        chosen = order[:keep]
        real, coefficients = self._real(s[:, chosen])
        for at in range(0, real.shape[1], _BLOCK):
            block = real[:, at:at + _BLOCK]
            block[:keep] = coefficients @ block[:self.m]
        self.rows[keep] = self.rows[self.m]
        self.t[:] = 0
        self.t[range(keep), range(keep)] = theta[chosen]
        self.t[keep, :keep] = self.t[:keep, keep] = beta * s[-1, chosen]
        self.kept = keep

    def _keep(self, converged):
        """How many Ritz vectors a restart keeps: those that are wanted and a part of the others."""
        return min(self.k + max(converged // 2, (self.m - self.k) * 3 // 10), self.m - 1)

    def _extend(self, first):
        """The steps `first` to the last one, and what is left behind it: its norm."""
        for j in range(first, self.m):
            y = self.product(self.rows[j])
            _sparse.sparse_extend(self.rows, y if self.scale == 1 else y * self.scale, self.h, None, j,
                                  0 if j == first else j - 1)
        h, t = self.h[first:].get(), self.t
        beta = 0.0
        for j in range(first, self.m):
            t[j, j] = h[j - first, j].real
            beta = h[j - first, j + 1].real
            if beta <= 8 * self.eps * abs(t[:j + 1, :j + 1]).max():
                return self._renew(j)
            if j + 1 < self.m:
                t[j, j + 1] = t[j + 1, j] = beta
        return beta

    def _renew(self, j):
        """Behind row j nothing is left: the rows span a space that the operator keeps. Another vector goes on."""
        import numpy
        if j + 1 == self.m:
            return 0.0
        for trial in range(9):
            other = numpy.random.default_rng((j, trial, 0x1a2c05)).standard_normal(self.rows.shape[1])
            _sparse.sparse_extend(self.rows, cp.asarray(other, dtype=type_of(self.rows)), self.h, None, j, 0)
            if abs(self.h[j, j + 1].item()) > 1e-3 * numpy.linalg.norm(other):
                break   # hardly anything is left of a vector that by chance was nearly one of the rows'
        self.t[j, j + 1] = self.t[j + 1, j] = 0
        return self._extend(j + 1)
