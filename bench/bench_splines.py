"""scipy.interpolate: splines and polynomials through 10^4 points at 10^6 places, a grid of 100^3 at 10^6 places, and
radial functions around 2000 points at 2000 places."""
import numpy as np

from common import Case


def libraries(b):
    """(array library, its scipy.interpolate) of the peer."""
    if b.gpu and not b.cupy:
        return None, None
    if b.gpu:
        from cupyx.scipy import interpolate
        return b.cupy, interpolate
    from scipy import interpolate
    return np, interpolate


def calls(s, x, y, at, grid, values, places, points, numbers, near):
    """(name, call, least bytes, least operations) of a module and its arrays."""
    n, m, spline = at.size, places.shape[0], s.make_interp_spline(x, y)
    yield "make_interp_spline and values", lambda: s.make_interp_spline(x, y)(at), 16 * n, 30 * n
    yield "BSpline, values", lambda: spline(at), 16 * n, 30 * n
    yield "CubicSpline and values", lambda: s.CubicSpline(x, y)(at), 16 * n, 8 * n
    yield "PchipInterpolator and values", lambda: s.PchipInterpolator(x, y)(at), 16 * n, 8 * n
    yield "RegularGridInterpolator, linear", lambda: s.RegularGridInterpolator(grid, values)(places), 32 * m, 30 * m
    yield "RBFInterpolator and values", lambda: s.RBFInterpolator(points, numbers)(near), 0, 2 * 2003**3 / 3
    yield "RBFInterpolator, 50 neighbours", lambda: s.RBFInterpolator(points, numbers, neighbors=50)(near), 0, \
        2 * 2000 * 53**3 / 3


def cases(b):
    ours, (xp, theirs) = b.cp.scipy.interpolate, libraries(b)
    rng = np.random.default_rng(1)
    x = np.sort(rng.uniform(0, 1, 10**4))
    data = x, rng.normal(0, 1, x.size), rng.uniform(x[0], x[-1], 10**6)
    grid = (np.linspace(0, 1, 100),) * 3
    more = rng.normal(0, 1, (100, 100, 100)), rng.uniform(0, 1, (10**6, 3)), rng.normal(0, 1, (2000, 2)), \
        rng.normal(0, 1, 2000), rng.normal(0, 1, (2000, 2))

    def all_of(module, host):
        return calls(module, *map(host, data), tuple(map(host, grid)), *map(host, more))
    mine, others = all_of(ours, b.cp.asarray), all_of(theirs, xp.asarray) if xp is not None else None
    for name, call, bytes_, operations in mine:
        peers = b.array_peer(next(others)[1]) if others else {}
        yield Case(name, call, peers, bytes=bytes_, operations=operations, bar=3 if b.gpu else 4,
                   against="cupy" if b.gpu else "numpy")
