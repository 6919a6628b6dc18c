"""Solvers that keep a basis: gmres, lgmres, gcrotmk.

The basis is rows of one array of the device. A new vector is made orthogonal in two passes over them, by the
coefficients of modified Gram-Schmidt, of which SciPy's iterates are (K. Swirydowicz and others, Numer. Linear Algebra
Appl. 28 (2021)). The small least-squares problem is the host's, which reads coefficients a step after the other, or,
where that waits for a device and nobody is told of each step, now and then."""
from __future__ import annotations

import math
import warnings

import cuprite as cp
from cuprite import _sparse, ndarray
from cuprite._element_types import type_of
from cuprite.scipy.sparse.linalg._passes import plain, products
from cuprite.scipy.sparse.linalg._system import make_system, norm, residual, tolerance


class _Basis:
    """Orthonormal rows, of which there may be `most`."""

    def __init__(self, first, most):
        number = "complex128" if type_of(first).kind == "c" else "float64"
        self.rows = cp.empty((most, first.size), dtype=type_of(first))
        self.h = cp.empty((most - 1, most), dtype=number)
        self.gram = cp.empty((most - 1, most - 1), dtype=number)
        self.begin(first)

    def begin(self, first):
        """Starts anew with another vector."""
        self.rows[0] = first
        self.count = 1

    def project(self, w, rows):
        """(coefficients, w without its part along these rows)."""
        if type_of(w).kind == "c":
            h = (rows @ w.conj()).conj()
        else:
            h = rows @ w
        return h, w - h @ rows

    def extend(self, w):
        """Makes w orthogonal and adds it; h[count - 1] are its coefficients with its norm behind them."""
        _sparse.sparse_extend(self.rows, w, self.h, self.gram, self.count - 1, -1)
        self.count += 1

    def add(self, w, eps):
        """The same, which returns these numbers as a list, and whether w was dependent."""
        self.extend(w)
        return _column(self.h[self.count - 2, :self.count].tolist(), eps)


def _column(h, eps):
    """(h, whether the norm behind the coefficients is rounding of theirs): it is 0 then."""
    size = abs(h[-1])
    broken = not size > eps * math.hypot(*map(abs, h))
    h[-1] = 0.0 if broken else size
    return h, broken


class _Triangle:
    """Hessenberg's matrix by columns, made triangular by Givens rotations, with the rotated right side."""

    def __init__(self, beta):
        self.columns, self.s, self.turns = [], [beta], []

    def add(self, h):
        """Adds a column, a list; returns the norm of the residual."""
        column = list(h)
        for i, (c, s, t) in enumerate(self.turns):
            above, below = column[i], column[i + 1]
            column[i], column[i + 1] = c * above + s * below, c * below - t * above
        f, g = column[-2:]
        size = math.hypot(abs(f), abs(g))
        if size == 0:
            c, s, t = 1.0, 0.0, 0.0
        elif f == 0:
            s = g.conjugate() / abs(g)
            c, t, column[-2] = 0.0, s.conjugate(), abs(g)
        else:
            c, s = abs(f) / size, f / abs(f) * g.conjugate() / size
            t, column[-2] = s.conjugate(), f / abs(f) * size
        self.turns.append((c, s, t))
        self.columns.append(column[:-1])
        last = self.s[-1]
        self.s[-1:] = [c * last, -t * last]
        return abs(self.s[-1])

    def matrix(self):
        """The triangle as NumPy's array."""
        import numpy
        r = numpy.zeros((len(self.columns),) * 2, dtype=numpy.result_type(float, *self.columns[-1]))
        for k, column in enumerate(self.columns):
            r[:k + 1, k] = column
        return r

    def solve(self, eps):
        """The coefficients of the solution; 0 where the last column is dependent, but for rounding."""
        y = self.s[:-1]
        for i in range(len(y) - 1, -1, -1):
            column = self.columns[i]
            if i + 1 == len(y) and not abs(column[i]) > 8 * eps * math.hypot(*map(abs, column)):
                y[i] = 0.0
            if y[i] != 0:
                y[i] /= column[i]
                for k in range(i):
                    y[k] -= y[i] * column[k]
        return y


def _callback_kind(callback, kind):
    if callback is not None and kind is None:
        warnings.warn("scipy.sparse.linalg.gmres called without specifying `callback_type`. The default value will be "
                      "changed in a future release. For compatibility, specify a value for `callback_type` "
                      "explicitly, e.g., ``gmres(..., callback_type='pr_norm')``, or to retain the old behavior "
                      "``gmres(..., callback_type='legacy')``", category=DeprecationWarning, stacklevel=3)
    kind = "legacy" if kind is None else kind
    if kind not in ("x", "pr_norm", "legacy"):
        raise ValueError(f"Unknown callback_type: {kind!r}")
    return None if callback is None else kind


def _cycle(restart):
    """The steps of a cycle. Errors: ValueError for none."""
    if restart is not None and restart < 1:
        raise ValueError(f"gmres: restart, the steps of a cycle, must be at least 1, not {restart}")
    return 20 if restart is None else restart


def gmres(A, b, x0=None, *, rtol=1e-5, atol=0.0, restart=None, maxiter=None, M=None, callback=None,
          callback_type=None) -> tuple[ndarray, int]:
    """(x, info) with A x = b, by generalized minimal residuals.

    Y. Saad and M. H. Schultz, SIAM J. Sci. Stat. Comput. 7 (1986).

    Parameters: A: a matrix or operator; b: the right side; x0: where to begin; rtol: the residual that is enough,
        relative to b; atol: that, as it is; restart: the steps of a cycle, 20 by default; maxiter: the most cycles; M:
        an approximate inverse of A; callback: a function; callback_type: what it is given: 'x' the iterate of each
        cycle, 'pr_norm' the relative residual of each step, 'legacy' the same, and maxiter counts steps.
    Errors: ValueError for a matrix that is not square, shapes that do not fit, a negative atol, a restart below 1,
        another callback_type."""
    kind, restart = _callback_kind(callback, callback_type), _cycle(restart)
    A, M, x, b = make_system(A, M, x0, b)
    b_size = float(norm(b))
    atol = tolerance("gmres", b_size, atol, rtol)
    if b_size == 0:
        return b, 0
    n, eps = b.size, type_of(x).eps
    maxiter = 10 * n if maxiter is None else maxiter
    restart = min(restart, n)
    loose, steps = 1.0, 0
    enough = float(norm(M.matvec(b))) * min(1.0, atol / b_size)
    r = residual(A, x, b, x0)
    size = float(norm(r))
    if maxiter > 0 and size < atol:
        return x, 0
    looks = _looks(restart, A, M, x, kind)
    basis, (matvec, precondition) = None, (products(m, type_of(x))[0] for m in (A, M))
    for _ in range(maxiter):
        v = precondition(r)
        start = float(beta := norm(v))
        if start == 0:  # a preconditioner that gives 0: no step goes on
            break
        if basis is None:
            basis = _Basis(v / beta, restart + 1)
        else:
            basis.begin(v / beta)
        triangle = _Triangle(start)
        for column in range(restart):
            basis.extend(precondition(matvec(basis.rows[column])))
            if column + 1 not in looks:
                continue
            left, broken, over = _read(basis, triangle, enough, eps, b_size, callback, kind, maxiter - steps)
            if over:
                break
        steps += len(triangle.columns)
        y = cp.asarray(triangle.solve(eps), dtype=type_of(x))
        x = x + y @ basis.rows[:y.size]
        r = b - matvec(x)
        size = float(norm(r))
        if kind == "legacy" and steps == maxiter:
            return x, 0 if size <= atol else maxiter
        if kind == "x":
            callback(x)
        if size <= atol or broken:
            break
        loose = max(eps, 0.25 * loose) if left <= enough else min(1.0, 1.5 * loose)
        enough = left * min(loose, atol / size)
    return x, 0 if size <= atol else maxiter


def _looks(restart, A, M, x, kind):
    """The steps of a cycle after which coefficients are read: all, or few where reading waits and nobody notices that
    some steps are in vain."""
    if not plain(A, M) or kind in ("legacy", "pr_norm") or x.device.backend == "cpu":
        return range(1, restart + 1)
    return {4, 8, *range(16, restart, 16), restart}


def _read(basis, triangle, enough, eps, b_size, callback, kind, most):
    """Reads new columns and rotates those that count: (the residual's norm, whether the last one is dependent, whether
    the cycle is over)."""
    seen = len(triangle.columns)
    for i, h in enumerate(basis.h[seen:basis.count - 1].tolist(), seen):
        h, broken = _column(h[:i + 2], eps)
        left = triangle.add(h)
        if kind in ("legacy", "pr_norm"):
            callback(left / b_size)
        over = kind == "legacy" and i + 1 == most or left <= enough or broken
        if over:
            break
    return left, broken, over


def _combined(vectors, coefficients) -> ndarray:
    """The sum of vectors times numbers of the host."""
    return cp.asarray(coefficients) @ cp.stack(vectors)


def _flexible(matvec, v0, m, enough, before=None, after=None, deflated=None, outer=(), outer_first=False):
    """A cycle of flexible GMRES: (H, B, basis, zs, y), H Hessenberg's matrix, B coefficients along `deflated`.

    Parameters: before, after: preconditioners from the left and right; deflated: rows to be orthogonal to; outer:
        pairs (z, matvec(z) or None) that are used as well, at the end or first."""
    import numpy
    m += len(outer)
    eps = type_of(v0).eps
    basis, triangle, zs, along = _Basis(v0, m + 1), _Triangle(1.0), [], []
    hessenberg, last = numpy.zeros((m + 1, m), dtype=type_of(v0)), v0
    for j in range(m):
        at = j if outer_first else j - (m - len(outer))
        w = None
        if 0 <= at < len(outer):
            z, w = outer[at]
        else:
            z = v0 if outer_first and at == len(outer) else last
            z = z if after is None else after(z)
        if w is None:
            w = matvec(z)
            w = w if before is None else before(w)
        if deflated is not None:
            h, w = basis.project(w, deflated)
            along.append(h)
        h, broken = basis.add(w, eps)
        last = basis.rows[basis.count - 1]
        hessenberg[:j + 2, j] = h
        zs.append(z)
        if triangle.add(h) < enough or broken:
            break
    k, r = len(triangle.columns), triangle.matrix()
    if not numpy.isfinite(r[k - 1, k - 1]):
        raise numpy.linalg.LinAlgError
    B = cp.stack(along, axis=1).get() if along else None
    if along:  # what is left of a column of deflated rows is their rounding
        vain = numpy.linalg.norm(hessenberg[:k + 1, :k], axis=0) <= 8 * eps * numpy.linalg.norm(B, axis=0)
        hessenberg[:, :k][:, vain] = r[:, vain] = 0
    y = numpy.linalg.lstsq(r, numpy.asarray(triangle.s[:k]), rcond=8 * eps)[0].astype(type_of(v0))
    return hessenberg[:k + 1, :k], B, basis.rows[:k + 1], zs, y, abs(triangle.s[k])


def _begin(name, A, b, x0, M, rtol, atol):
    A, M, x, b = make_system(A, M, x0, b)
    size = float(norm(b))
    if not math.isfinite(size) and not bool(cp.isfinite(b).all()):
        raise ValueError("RHS must contain only finite numbers")
    return A, M, x, b, size, tolerance(name, size, atol, rtol)


def lgmres(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=1000, M=None, callback=None, inner_m=30, outer_k=3,
           outer_v=None, store_outer_Av=True, prepend_outer_v=False) -> tuple[ndarray, int]:
    """(x, info) with A x = b, by GMRES that keeps its last corrections across restarts.

    A. H. Baker, E. R. Jessup and T. Manteuffel, SIAM J. Matrix Anal. Appl. 26 (2005).

    Parameters: A: a matrix or operator; b: the right side; x0: where to begin; rtol: the residual that is enough,
        relative to b; atol: that, as it is; maxiter: the most cycles; M: an approximate inverse of A; callback: a
        function of each cycle's iterate; inner_m: steps of a cycle; outer_k: how many corrections are kept; outer_v: a
        list of pairs that holds them; store_outer_Av: whether their products are kept too; prepend_outer_v: whether
        they come first.
    Errors: ValueError for a matrix that is not square, shapes that do not fit, numbers that are not finite;
        RuntimeError for a preconditioner that gives 0."""
    import numpy
    A, M, x, b, b_size, atol = _begin("lgmres", A, b, x0, M, rtol, atol)
    if b_size == 0:
        return b, 0
    outer_v = [] if outer_v is None else outer_v
    loose = 1.0
    for cycle in range(maxiter):
        r = A.matvec(x) - b
        if callback is not None:
            callback(x)
        v0 = -M.matvec(r)
        size, v_size = cp.stack([norm(r), norm(v0)]).tolist()
        if size <= atol:
            return x, 0
        if v_size == 0:
            raise RuntimeError(f"Preconditioner returned a zero vector; |v| ~ {size:.1g}, |M v| = 0")
        enough = min(loose, atol / size)
        try:
            H, _, rows, zs, y, left = _flexible(A.matvec, v0 / v_size, inner_m, enough, before=M.matvec,
                                                outer=tuple(outer_v), outer_first=prepend_outer_v)
            y = y * type_of(y).type(v_size)
            if not numpy.isfinite(y).all():
                return x, cycle + 1
        except numpy.linalg.LinAlgError:
            return x, cycle + 1
        loose = min(1.0, 1.5 * loose) if left > enough else max(1e-16, 0.25 * loose)
        dx = _combined(zs, y)
        dx_size = float(norm(dx))
        if dx_size > 0:
            turned = cp.asarray(H @ y) @ rows / dx_size if store_outer_Av else None
            outer_v.append((dx / dx_size, turned))
        del outer_v[:max(len(outer_v) - outer_k, 0)]
        x = x + dx
    return x, maxiter


def _recycled(CU, matvec, r):
    """The pairs (c, u) of an earlier solve with orthonormal c = A u, those without c first computed."""
    import numpy
    CU.sort(key=lambda cu: cu[0] is not None)
    us = [u for _, u in CU]
    C = cp.stack([matvec(u) if c is None else c for c, u in CU], axis=1)
    from scipy.linalg import qr
    Q, R, P = qr(C.get(), mode="economic", pivoting=True)
    new = []
    for j in range(Q.shape[1]):
        if abs(R[j, j]) < 1e-12 * abs(R[0, 0]):
            break
        new.append(us[P[j]])
        weights = -R[:j, j]
        u = us[P[j]] + (_combined(new[:j], weights.astype(numpy.dtype(type_of(r)))) if j else 0)
        new[j] = u / float(R[j, j].real) if type_of(R).kind != "c" else u / complex(R[j, j])
    CU[:] = [(cp.asarray(numpy.ascontiguousarray(Q[:, j])), u) for j, u in enumerate(new)][::-1]


def gcrotmk(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=1000, M=None, callback=None, m=20, k=None, CU=None,
            discard_C=False, truncate="oldest") -> tuple[ndarray, int]:
    """(x, info) with A x = b, by GCROT(m, k).

    J. E. Hicken and D. W. Zingg, SIAM J. Sci. Comput. 32 (2010).

    Parameters: A: a matrix or operator; b: the right side; x0: where to begin; rtol: the residual that is enough,
        relative to b; atol: that, as it is; maxiter: the most cycles; M: an approximate inverse of A; callback: a
        function of each cycle's iterate; m: steps of a cycle; k: how many vectors are kept across cycles, m by
        default; CU: a list of pairs that holds them; discard_C: whether their products are dropped at the end;
        truncate: which are dropped, 'oldest' or 'smallest'.
    Errors: ValueError for a matrix that is not square, shapes that do not fit, numbers that are not finite, another
        truncate."""
    import numpy
    if truncate not in ("oldest", "smallest"):
        raise ValueError(f"Invalid value for 'truncate': {truncate!r}")
    A, M, x, b, b_size, atol = _begin("gcrotmk", A, b, x0, M, rtol, atol)
    CU, k = [] if CU is None else CU, m if k is None else k
    r = residual(A, x, b, x0)
    if b_size == 0:
        return b, 0
    if discard_C:
        CU[:] = [(None, u) for _, u in CU]
    if CU:
        _recycled(CU, A.matvec, r)
    for c, u in CU:
        part = cp.vdot(c, r)
        x, r = x + part * u, r - part * c
    info = maxiter
    for cycle in range(maxiter):
        if callback is not None:
            callback(x)
        size = float(norm(r))
        if size <= atol and (cycle > 0 or CU):
            r = b - A.matvec(x)  # rounding may have parted the two
            size = float(norm(r))
        if size <= atol:
            info = 0
            break
        rows = cp.stack([c for c, _ in CU]) if CU else None
        try:
            H, B, basis, zs, y, _ = _flexible(A.matvec, r / size, m + max(k - len(CU), 0), atol / size,
                                              after=M.matvec, deflated=rows)
        except numpy.linalg.LinAlgError:
            info = cycle + 1
            break
        cx, ux = _correction(CU, H, B, basis, zs, y * type_of(y).type(size), size)
        if cx is None:
            continue
        part = cp.vdot(cx, r)
        r, x = r - part * cx, x + part * ux
        _truncate(CU, k, truncate, H, B)
        CU.append((cx, ux))
    CU.append((None, x.copy()))
    if discard_C:
        CU[:] = [(None, u) for _, u in CU]
    return x, info


def _correction(CU, H, B, basis, zs, y, size):
    """(c, u) with c = A u of length 1, of a cycle's solution; (None, None) where that takes nothing but rounding off a
    residual of this size."""
    ux, cx = _combined(zs, y), cp.asarray(H @ y) @ basis
    if CU:
        ux = ux - _combined([u for _, u in CU], B @ y)
    length = float(norm(cx))
    if not length > type_of(ux).eps * size or not math.isfinite(1 / length):
        return None, None
    return cx / length, ux / length


def _truncate(CU, k, how, H, B):
    """Leaves at most k - 1 pairs."""
    import numpy
    if how == "oldest":
        del CU[:max(len(CU) - k + 1, 0)]
    elif len(CU) >= k and CU:
        R = numpy.linalg.qr(H, mode="r")
        W = numpy.linalg.svd(numpy.linalg.solve(R.T, B.T).T)[0]
        cs, us, new = [c for c, _ in CU], [u for _, u in CU], []
        for w in W[:, :k - 1].T:
            c, u = _combined(cs, numpy.ascontiguousarray(w)), _combined(us, numpy.ascontiguousarray(w))
            for other_c, other_u in new:
                part = cp.vdot(other_c, c)
                c, u = c - part * other_c, u - part * other_u
            size = norm(c)
            new.append((c / size, u / size))
        CU[:] = new
