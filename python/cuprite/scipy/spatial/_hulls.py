"""Triangulations, hulls and Voronoi's diagrams, on the host. Places are found on the device.

Triangulations of the plane are Cuprite's own, unless options are given; all else is Qhull's, by SciPy."""
from __future__ import annotations

import math

import cuprite
from cuprite import _numpy as numpy
from cuprite import _spatial, ndarray
from cuprite._beside import beside_its_arrays
from cuprite._element_types import type_of
from cuprite.scipy._installed import scipy_module
from cuprite.scipy.spatial.distance._metrics import array, points


def _scipy_spatial():
    return scipy_module("spatial", "cuprite.scipy.spatial takes Qhull from SciPy")


def __getattr__(name):
    if name == "QhullError":
        return _scipy_spatial().QhullError
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _host(x):
    return x.get() if isinstance(x, ndarray) else numpy.asarray(x)


def _check_magnitudes(x, dimensions):
    """QhullError for points so far out that products of theirs overflow: with some of them Qhull, which has so many
    dimensions, reads beyond its memory and ends the process, and it refuses most others itself."""
    most = 1e150 if dimensions < 4 else 1e100
    if type_of(x).kind in "fiu" and x.size:
        size = abs(x.astype("float64"))
        if not numpy.isnan(size).any() and size.max(initial=0, where=numpy.isfinite(size)) > most:
            raise _scipy_spatial().QhullError(f"coordinates must be at most {most:g}, whose products are finite")


class _Qhull:
    """An object of SciPy's whose arrays are brought to the device when they are asked for."""

    _held = "points"
    _kind, _lifts = "", True    # SciPy's name; has Qhull one dimension more than the points?

    def __init__(self, given, *args):
        if isinstance(given, numpy.there("MaskedArray", "numpy.ma")):
            raise ValueError("Input points cannot be a masked array")
        self.points = array(given)
        if self.points.ndim != 2:
            raise ValueError(f"points must be (points, dimensions), not of {self.points.ndim} dimensions")
        host = _host(given)
        _check_magnitudes(host, host.shape[1] + self._lifts)
        self._there = getattr(_scipy_spatial(), self._kind)(host, *args)
        with self.points.device:
            self.points = cuprite.asarray(self._there.points)  # float64, and not what the caller may change
        self._joggled = "QJ" in (args[-1] or "")

    def __getattr__(self, name):
        if name.startswith("_") or name == "points":
            raise AttributeError(name)
        value = getattr(self._there, name)
        if isinstance(value, numpy.there("ndarray")) and type_of(value) != object:
            with self.points.device:  # whatever the current one is: the array is kept
                value = cuprite.asarray(value)
            self.__dict__[name] = value
        return value

    def add_points(self, points, restart=False) -> None:
        """Adds points.

        Parameters: points: the points; restart: whether all is computed again.
        Errors: ValueError for another number of coordinates, and for points of which squares are not finite, with
            which Qhull reads beyond its memory; RuntimeError where points may not be added.
        """
        points = _host(points)
        with numpy.errstate(over="ignore", invalid="ignore"):
            if type_of(points).kind == "f" and not numpy.isfinite(numpy.square(points.astype("float64")).sum()):
                raise ValueError("Points must be finite, and so must their squares")
        if points.ndim == 2:
            _check_magnitudes(points, points.shape[1] + self._lifts)
        self._there.add_points(points, restart)
        with self.points.device:
            self.__dict__ = {"points": cuprite.asarray(self._there.points), "_there": self._there,
                             "_joggled": self._joggled}

    def close(self) -> None:
        """Ends that points may be added."""
        self._there.close()


_FLAT = 2.0**-40  # triangles at the border that have no transform are left out, as Qhull does


def _paraboloid(x, corners):
    """(scale, shift, equations) of the paraboloid z = scale * |x|^2 + shift, which Qhull gives as much height as the
    points have width, and of the planes through its points above triangles, whose normals point down.

    It is that of points of about 1, since squares and their squares would overflow or vanish."""
    unit = 2.0 ** -math.frexp(abs(x).max())[1]
    with numpy.errstate(all="ignore"):
        x = x * unit
        squares = (x * x).sum(axis=1)
        scale = abs(x).max() / (1.1 * squares.max() - squares.min())
        shift = -squares.min() * scale
        lifted = numpy.concatenate([x, (squares * scale + shift)[:, None]], axis=1)[corners]
        normal = numpy.cross(lifted[:, 2] - lifted[:, 0], lifted[:, 1] - lifted[:, 0])
        normal /= numpy.sqrt((normal * normal).sum(axis=1, keepdims=True))
        offset = -(normal * lifted.mean(axis=1)).sum(axis=1, keepdims=True)
    return float(scale * unit), float(shift / unit), numpy.concatenate([normal, offset / unit], axis=1)


@beside_its_arrays
class _Plane(_Qhull):
    """A triangulation of Cuprite's, with what SciPy's has."""

    def _triangulate(self, given) -> bool:
        """Whether these are points of the plane whose triangulation is Cuprite's: false where Qhull is to be asked, for
        its error too."""
        if isinstance(given, numpy.there("MaskedArray", "numpy.ma")):
            return False
        x = array(given)
        if x.ndim != 2 or x.shape[1] != 2 or type_of(x).kind == "c":
            return False
        x = cuprite.array(x, "float64", order="C")
        try:
            corners, neighbours, equal = _spatial.delaunay(x, _FLAT)
        except ValueError:  # not finite, or of magnitudes that products of four do not bear
            return False
        if not corners.shape[0]:  # on a line but for rounding
            return False
        self.points, self.simplices, self.neighbors, self.coplanar = x, corners, neighbours, equal
        self.ndim, self.npoints, self.nsimplex, self.furthest_site = 2, x.shape[0], corners.shape[0], False
        self._joggled = False
        return True

    def __getattr__(self, name):
        if name == "_there" and "simplices" in self.__dict__:
            self._there = self._as_scipys()
            return self._there
        if name in ("min_bound", "max_bound"):
            x = self.points
            return self.__dict__.setdefault(name, x.min(axis=0) if name == "min_bound" else x.max(axis=0))
        return super().__getattr__(name)

    def _as_scipys(self):
        """SciPy's object with this triangulation, which computes what is asked for more seldom."""
        there = _scipy_spatial().Delaunay([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
        x, corners = self.points.get(), self.simplices.get()
        scale, shift, planes = _paraboloid(x, corners)
        vars(there).update(
            _points=x, simplices=corners, neighbors=self.neighbors.get(), coplanar=self.coplanar.get(),
            equations=planes, paraboloid_scale=scale, paraboloid_shift=shift, npoints=len(x), nsimplex=len(corners),
            good=numpy.ones(len(corners), "int32"), min_bound=x.min(axis=0), max_bound=x.max(axis=0))
        return there


@beside_its_arrays
class Delaunay(_Plane):
    """The Delaunay triangulation of points, computed on the host; its arrays lie on the points' device.

    In the plane, and without options, the signs that decide are exact; points on a circle may be cut otherwise than by
    SciPy, but the same points always alike. All else is Qhull's.

    Parameters: points: (points, dimensions); furthest_site: whether it is of the farthest site; incremental: whether
        points may be added; qhull_options: Qhull's words.
    Errors: QhullError for points that lie in a plane, or whose products overflow; ValueError for points that are not
        finite.

    Example:
        >>> mesh = cp.scipy.spatial.Delaunay(cp.asarray([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
        >>> mesh.find_simplex(cp.asarray([[0.2, 0.2], [2.0, 2.0]]))
        array([ 0, -1], dtype=int32)
    """

    _kind = "Delaunay"

    def __init__(self, points, furthest_site=False, incremental=False, qhull_options=None):
        if furthest_site or incremental or qhull_options is not None or not self._triangulate(points):
            super().__init__(points, furthest_site, incremental, qhull_options)

    def find_simplex(self, xi, bruteforce=False, tol=None) -> ndarray:
        """In which simplex places lie, -1 for none.

        Parameters: xi: places, coordinates along the last axis; bruteforce: whether all simplices are looked at; tol:
            how far outside counts as inside.
        Errors: ValueError for another number of coordinates.
        """
        xi = array(xi)
        if xi.ndim == 0 or xi.shape[-1] != self.points.shape[1]:
            raise ValueError("wrong dimensionality in xi")
        which, _ = self._located(points(xi).reshape(math.prod(xi.shape[:-1]), xi.shape[-1]), bruteforce, tol)
        return which.reshape(xi.shape[:-1])

    @property
    def transform(self) -> ndarray:
        """What leads to barycentric coordinates, (simplices, dimensions + 1, dimensions): c = t[:-1] @ (x - t[-1]), and
        one minus their sum. NaN of simplices that are flat."""
        if "_transform" not in self.__dict__:
            few = self.ndim <= 16
            self._transform = _spatial.simplex_transforms(points(self.points), self.simplices) if few else \
                cuprite.asarray(self._there.transform)
        return self._transform

    def _located(self, at, everything=False, tol=None):
        """(simplex, barycentric coordinates) of places (places, dimensions)."""
        eps = 100 * 2.0**-52 if tol is None else float(tol)
        start, grid, sides = self._cells() if not everything and at.shape[0] > 64 and self.nsimplex > 64 else \
            (cuprite.zeros(at.shape[0], "int64"), cuprite.zeros(0), 0)
        which, parts = _spatial.find_simplices(at, self.transform, self.neighbors, start, grid, sides, eps,
                                               bool(everything), False)
        if self._joggled and not everything:  # such simplices overlap, and a walk may leave through one of them
            left = cuprite.flatnonzero(which < 0)
            if left.size:
                which[left], parts[left] = self._located(at[left], True, tol)
        return which, parts

    def _cells(self):
        """(start, grid, sides): a grid over the points of about a cell a simplex, and a simplex near the middle of each
        of its cells, where searches begin. Of a cell outside it is the one at the border that a search from within came
        to: else the searches from there would be as long as the mesh is wide, and so would be those of a GPU's warps.
        """
        if "_starts" not in self.__dict__:
            ndim = self.points.shape[1]
            most = max(1, int(min(self.nsimplex, 2**20) ** (1 / ndim)))
            low, high = self.min_bound, self.max_bound
            width = cuprite.where(high > low, high - low, 1.0)
            found = None
            for sides in (max(1, math.isqrt(most)), most):  # the fine grid's searches begin in a coarse one
                middle = cuprite.stack(cuprite.meshgrid(*[low[d] + width[d] * (cuprite.arange(sides) + 0.5) / sides
                                                          for d in range(ndim)], indexing="ij"), -1).reshape(-1, ndim)
                start, grid, cells = found or (cuprite.zeros(len(middle), "int64"), cuprite.zeros(0), 0)
                which, _ = _spatial.find_simplices(middle, self.transform, self.neighbors, start, grid,
                                                   cells, 1e-9, False, True)
                start = cuprite.where(which < 0, cuprite.maximum(-2 - which, 0), which).astype("int64")
                found = start, cuprite.concatenate([low, sides / width]), sides
            self._starts = found
        return self._starts

    def plane_distance(self, xi) -> ndarray:
        """Distances of places to the hyperplanes of all simplices, by SciPy on the host.

        Parameters: xi: places, coordinates along the last axis.
        """
        return cuprite.asarray(self._there.plane_distance(_host(xi)))

    def lift_points(self, x) -> ndarray:
        """Places on the paraboloid, by SciPy on the host.

        Parameters: x: places, coordinates along the last axis.
        """
        return cuprite.asarray(self._there.lift_points(_host(x)))

    @property
    def vertex_neighbor_vertices(self) -> tuple[ndarray, ndarray]:
        """(starts, indices): the neighbours of vertex k are indices[starts[k]:starts[k + 1]]."""
        return tuple(map(cuprite.asarray, self._there.vertex_neighbor_vertices))


@beside_its_arrays
class ConvexHull(_Qhull):
    """The convex hull of points: Qhull's, on the host; its arrays lie on the points' device.

    Parameters: points: (points, dimensions); incremental: whether points may be added; qhull_options: Qhull's words.
    Errors: QhullError for points that lie in a plane, or whose products overflow; ValueError for points that are not
        finite.
    """

    _kind, _lifts = "ConvexHull", False

    def __init__(self, points, incremental=False, qhull_options=None):
        super().__init__(points, incremental, qhull_options)


@beside_its_arrays
class Voronoi(_Qhull):
    """Voronoi's diagram of points: Qhull's, on the host; its arrays lie on the points' device.

    Parameters: points: (points, dimensions); furthest_site: whether it is of the farthest site; incremental: whether
        points may be added; qhull_options: Qhull's words.
    Errors: QhullError for points that lie in a plane, or whose products overflow; ValueError for points that are not
        finite.
    """

    _kind = "Voronoi"

    def __init__(self, points, furthest_site=False, incremental=False, qhull_options=None):
        super().__init__(points, furthest_site, incremental, qhull_options)


@beside_its_arrays
def tsearch(tri, xi) -> ndarray:
    """In which simplex of a triangulation places lie: its find_simplex.

    Parameters: tri: a Delaunay; xi: places.
    """
    return tri.find_simplex(xi)
