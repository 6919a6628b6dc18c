"""Splines through points and least squares splines: knots, boundary conditions, banded systems."""
from __future__ import annotations

import operator

import cuprite
from cuprite import _numpy as numpy
from cuprite import _splines, ndarray
from cuprite._beside import beside_its_arrays
from cuprite.scipy.interpolate import _arrays
from cuprite.scipy.interpolate._arrays import any_of, floating, host
from cuprite.scipy.interpolate._bsplines import BSpline, of_scipy


def _checked(x, check_finite) -> ndarray:
    x = floating(x)
    if check_finite and not _arrays.finite(x):
        raise ValueError("Array must not contain infs or nans.")
    return x


def _repeated(x, n) -> ndarray:
    return cuprite.broadcast_to(x, (n,))


def not_a_knot(x, k) -> ndarray:
    """Knots that leave out those next to the ends."""
    half = (k + 1) // 2 if k % 2 else k // 2
    t = x if k % 2 else (x[1:] + x[:-1]) / 2
    return cuprite.concatenate([_repeated(x[:1], k + 1), t[half:t.size - half], _repeated(x[-1:], k + 1)])


def augmented(x, k) -> ndarray:
    """Knots at all points, the ends k times more."""
    return cuprite.concatenate([_repeated(x[:1], k), x, _repeated(x[-1:], k)])


def _periodic_knots(x, k) -> ndarray:
    """Knots round the circle, on the host, where they are as few as the points."""
    x = host(x).copy()
    n = x.size
    if k % 2 == 0:
        x[1:-1] -= numpy.diff(x)[:-1] / 2
    dx = numpy.diff(x)
    t = numpy.zeros(n + 2 * k)
    t[k:k + n] = x
    for i in range(k):
        t[k - i - 1] = t[k - i] - dx[-(i % (n - 1)) - 1]
        t[n + k + i] = t[n + k + i - 1] + dx[i % (n - 1)]
    return cuprite.asarray(t)


def _conditions(spec, shape):
    """[(derivative, value)] of one end."""
    if spec is None:
        return []
    if isinstance(spec, str):
        if spec not in ("clamped", "natural"):
            raise ValueError(f"Unknown boundary condition : {spec}")
        return [(1 if spec == "clamped" else 2, cuprite.zeros(shape))]
    try:
        return [(order, value) for order, value in spec]
    except TypeError as why:
        raise ValueError("Derivatives, `bc_type`, should be specified as a pair of iterables of pairs of (order, "
                         "value).") from why


def _check_fits(x, y):
    if x.ndim != 1:
        raise ValueError("Expect x to be a 1D strictly increasing sequence.")
    if x.size != y.shape[0]:
        raise ValueError(f"Shapes of x {x.shape} and y {y.shape} are incompatible")
    if any_of(x[1:] == x[:-1]):
        raise ValueError("Expect x to not have duplicates")
    if any_of(x[1:] < x[:-1]):
        raise ValueError("Expect x to be a 1D strictly increasing sequence.")


def _check_knots(x, t, k):
    if t.ndim != 1 or any_of(t[1:] < t[:-1]):
        raise ValueError("Expect t to be a 1-D sorted array_like.")
    if t.size < x.size + k + 1:
        raise ValueError(f"Got {t.size} knots, need at least {x.size + k + 1}.")
    if any_of((x[:1] < t[k]) | (x[-1:] > t[t.size - k - 1])):
        raise ValueError(f"Out of bounds w/ x = {x}.")


def _solve(values, first, n, right, like) -> ndarray:
    """Coefficients (n, ...) of rows of B-splines."""
    c = _splines.banded_solve(values, first, n, _arrays.columns(right, 1))
    return _arrays.restored(c, right, (n,) + like.shape[1:])


def _periodic(x, y, k, axis):
    """The n - 1 coefficients round the circle: with k of them given the others have a banded system; so it is solved
    for the points and for each of the k, which the rows that were left out determine."""
    t, n = _periodic_knots(x, k), x.size - 1
    values, first = _splines.bspline_basis(t, k, x[:n], 0)
    right = _arrays.columns(y[:n], 1)
    m = right.shape[1]
    if n <= k:
        c = _few_periodic(host(values), host(first), host(right), n)
    else:
        before, last = (k + 1) // 2, n - k // 2
        unit = numpy.zeros((k, k + 1))
        unit[:, :k] = numpy.eye(k)
        unit = cuprite.asarray(unit)
        sides = cuprite.zeros((n + k, m + k))
        sides[k:n, :m] = right[before:last]
        sides[:k, m:] = sides[n:, m:] = cuprite.eye(k)
        ends = cuprite.zeros(k, "int64")
        rows = cuprite.concatenate([unit, values[before:last], cuprite.roll(unit, 1, axis=1)])
        starts = cuprite.concatenate([ends, first[before:last], ends + (n - 1)])
        both = _splines.banded_solve(rows, starts, n + k, sides)
        out = numpy.r_[:before, last:n]
        near = (values[out][:, :, None] * both[first[out][:, None] + cuprite.arange(k + 1)]).sum(axis=1)
        near, wanted = host(near), host(right[out])
        given = numpy.linalg.solve(near[:, m:], wanted - near[:, :m])
        c = both[:, :m] + both[:, m:] @ cuprite.asarray(given)
        c[n:] = c[:k].copy()
    return BSpline.construct_fast(t, _arrays.restored(c, y, (n + k,) + y.shape[1:]), k, "periodic", axis)


def _few_periodic(values, first, right, n) -> ndarray:
    """The same of few points: a dense system."""
    k = values.shape[1] - 1
    a = numpy.zeros((n, n))
    for i in range(n):
        for j in range(k + 1):
            a[i, (first[i] + j) % n] += values[i, j]
    return cuprite.asarray(numpy.linalg.solve(a, right)[numpy.arange(n + k) % n])


def _check_invertible(x, t, k, left, right):
    """LinAlgError where a B-spline has no point of its own (Schoenberg and Whitney)."""
    mine = cuprite.concatenate([_repeated(x[:1], left), x, _repeated(x[-1:], right)])
    n = t.size - k - 1
    inside = (t[:n] < mine) & (mine < t[k + 1:k + 1 + n])
    inside |= (mine == t[:n]) & (t[k] == mine) | (mine == t[k + 1:k + 1 + n]) & (mine == t[n])
    if any_of(~inside):
        raise numpy.linalg.LinAlgError("Collocation matrix is singular.")


@beside_its_arrays
def make_interp_spline(x, y, k=3, t=None, bc_type=None, axis=0, check_finite=True) -> BSpline:
    """The spline through points: a BSpline.

    Parameters: x: where the points are, ascending; y: their values; k: the degree; t: knots (None: chosen); bc_type:
        'clamped', 'natural', 'not-a-knot', 'periodic', or the derivatives at both ends, (left, right), each None or
        pairs (order, value); axis: of y; check_finite: whether NaN and infinities are looked for.
    Errors: ValueError for points that coincide or descend, shapes that do not fit, knots that descend, lie wrong or are
        too few, and other boundary conditions; LinAlgError for knots without points between them; NotImplementedError
        for knots of periodic splines.

    Example:
        >>> cp.scipy.interpolate.make_interp_spline(cp.arange(5), cp.arange(5) ** 3)(cp.asarray([1.5]))
        array([3.375])
    """
    k = operator.index(k)
    ends = (None, None)
    if isinstance(bc_type, str) and bc_type not in ("not-a-knot", "periodic"):
        ends = bc_type, bc_type
    elif bc_type is not None and not isinstance(bc_type, str):
        try:
            ends = tuple(bc_type)
            ends[0], ends[1]
        except (TypeError, IndexError) as why:
            raise ValueError(f"Unknown boundary condition: {bc_type}") from why
    periodic = isinstance(bc_type, str) and bc_type == "periodic"
    x, y = _checked(x, check_finite), _checked(y, check_finite)
    axis = _arrays.axis_of(axis, y.ndim)
    y = cuprite.moveaxis(y, axis, 0)
    if periodic and not bool(cuprite.allclose(y[0], y[-1], atol=1e-15)):
        raise ValueError("First and last points does not match while periodic case expected")
    _check_fits(x, y)
    if k == 0 or (k == 1 and t is None):
        if any(v is not None for v in ((t,) if k == 0 else ()) + ends):
            raise ValueError(f"Too much info for k={k}: t and bc_type can only be None.")
        t = cuprite.concatenate([x, x[-1:]] if k == 0 else [x[:1], x, x[-1:]])
        return BSpline.construct_fast(t, cuprite.ascontiguousarray(y), k, axis=axis)
    if periodic and t is not None:
        raise NotImplementedError("For periodic case t is constructed automatically and can not be passed manually")
    if k < 0:
        raise ValueError("Expect non-negative k.")
    if t is None:
        if not periodic:
            t = not_a_knot(x, k) if ends == (None, None) else augmented(x, k)
    else:
        t = _checked(t, check_finite)
    if periodic:
        return _periodic(x, y, k, axis)
    _check_knots(x, t, k)
    return _with_ends(x, y, t, k, axis, [_conditions(e, y.shape[1:]) for e in ends])


def _with_ends(x, y, t, k, axis, ends):
    n, nt = x.size, t.size - k - 1
    for end, place in zip(ends, (0, -1)):
        if not all(0 <= order <= k for order, _ in end):
            raise ValueError(f"Bad boundary conditions at {float(x[place])}.")
    if nt - n != len(ends[0]) + len(ends[1]):
        raise ValueError(f"The number of derivatives at boundaries does not match: expected {nt - n}, got "
                         f"{len(ends[0])}+{len(ends[1])}")
    if y.size == 0:
        return BSpline.construct_fast(t, cuprite.zeros((nt,) + y.shape[1:]), k, axis=axis)
    _check_invertible(x, t, k, len(ends[0]), len(ends[1]))
    parts = [(*_splines.bspline_basis(t, k, x, 0), y)]
    for end, place in zip(ends, (slice(0, 1), slice(n - 1, n))):
        rows = [(*_splines.bspline_basis(t, k, x[place], order),
                 cuprite.broadcast_to(floating(value), y.shape[1:])[None]) for order, value in end]
        parts = rows + parts if place.start == 0 else parts + rows
    values, first, right = (cuprite.concatenate(p) if len(p) > 1 else p[0] for p in zip(*parts))
    return BSpline.construct_fast(t, _solve(values, first, nt, right, y), k, axis=axis)


@beside_its_arrays
def make_lsq_spline(x, y, t, k=3, w=None, axis=0, check_finite=True, *, method="qr") -> BSpline:
    """The spline of given knots with the least squares of differences from points: a BSpline.

    Parameters: x: where the points are, not descending; y: their values; t: knots, the first and last k + 1 times; k:
        the degree; w: weights of the points; axis: of y; check_finite: whether NaN and infinities are looked for;
        method: 'qr' or 'norm-eq', both by rotations here.
    Errors: ValueError for shapes that do not fit, points or knots that descend, points outside of the knots, and
        another method.
    """
    x, y, t = (_checked(v, check_finite) for v in (x, y, t))
    w = None if w is None else _checked(w, check_finite)
    k = operator.index(k)
    axis = _arrays.axis_of(axis, y.ndim)
    y = cuprite.moveaxis(y, axis, 0)
    if x.ndim != 1:
        raise ValueError("Expect x to be a 1-D sequence.")
    if x.size < k + 1:
        raise ValueError("Need more x points.")
    if k < 0:
        raise ValueError("Expect non-negative k.")
    if t.ndim != 1 or any_of(t[1:] < t[:-1]):
        raise ValueError("Expect t to be a 1D strictly increasing sequence.")
    if x.size != y.shape[0]:
        raise ValueError(f"Shapes of x {x.shape} and y {y.shape} are incompatible")
    if k > 0 and any_of((x < t[k]) | (x > t[-k])):
        raise ValueError(f"Out of bounds w/ x = {x}.")
    if w is not None and w.size != x.size:
        raise ValueError(f"Shapes of x {x.shape} and w {w.shape} are incompatible")
    if method not in ("qr", "norm-eq"):
        raise ValueError(f"Unknown method ={method!r}.")
    if any_of(x[1:] <= x[:-1] if method == "norm-eq" else x[1:] < x[:-1]):
        raise ValueError("Expect x to be a 1D non-decreasing sequence.")
    n = t.size - k - 1
    if x.size < n:
        raise ValueError(f"{x.size} points are fewer than {n} coefficients")
    values, first = _splines.bspline_basis(t, k, x, 0)
    right = cuprite.ascontiguousarray(y)
    if w is not None:
        values, right = values * w[:, None], right * _arrays.on_first(w, y.ndim)
    return BSpline.construct_fast(t, _solve(values, first, n, right, y), k, axis=axis)


@beside_its_arrays
def make_smoothing_spline(x, y, w=None, lam=None, *, axis=0) -> BSpline:
    """The cubic spline with the least sum of squared differences from points and `lam` times its curvature: a BSpline.
    Computed by SciPy on the host.

    Parameters: x: where the points are, ascending; y: their values; w: weights; lam: of the curvature, 0 or above
        (None: by cross-validation); axis: of y.
    Errors: ValueError for shapes that do not fit, points that coincide, fewer than 5, and a negative lam.
    """
    there = _arrays.scipy_interpolate().make_smoothing_spline
    return of_scipy(there(host(x), host(y), None if w is None else host(w), lam, axis=axis))
