"""Trees of points: nearest neighbours, and points within a radius."""
from __future__ import annotations

import itertools
import math
import operator

import cuprite
from cuprite import _numpy as numpy
from cuprite import _spatial, ndarray
from cuprite._beside import beside_its_arrays
from cuprite._element_types import type_of
from cuprite.scipy.spatial.distance._metrics import array, of_pairs, points

_LEAF = 8  # points of a leaf, to twice as many
_TOGETHER = 4096  # places from which on they are sorted
_SOME = 1 << 16  # pairs that become tuples at once


def _finite(x, what) -> ndarray:
    if not bool(cuprite.isfinite(x).all()):
        raise ValueError(f"{what} must be finite, check for nan or inf values")
    return x


def _power(p):
    if not p >= 1:
        raise ValueError("Only p-norms with 1<=p<=infinity permitted")
    return float(p)


def _check_workers(workers):
    """Threads are the library's: the number is checked, and not needed."""
    if workers is not None and operator.index(workers) < 1 and workers != -1:
        raise ValueError(f"Invalid number of workers {workers}, must be -1 or > 0")


def _rows(starts, which) -> ndarray:
    """For each index of `which` the place that it was found for; the first of place i is at starts[i]."""
    return cuprite.searchsorted(starts, cuprite.arange(which.size), side="right") - 1


@beside_its_arrays
class KDTree:
    """A tree of points, whose neighbours are found on their device.

    Parameters: data: points (points, dimensions), finite; leafsize, compact_nodes, balanced_tree: of SciPy's tree, not
        needed here; copy_data: whether the points are copied; boxsize: the period of space, one or one for each
        dimension, 0 for none.
    Errors: ValueError for other shapes, points that are not finite, or beyond the period; TypeError for complex ones.

    Example:
        >>> tree = cp.scipy.spatial.KDTree(cp.asarray([[0.0, 0.0], [1.0, 1.0], [5.0, 5.0]]))
        >>> tree.query(cp.asarray([[0.9, 0.8]]), k=2)[1]
        array([[1, 0]])
    """

    _held = "data"

    def __init__(self, data, leafsize=10, compact_nodes=True, copy_data=False, balanced_tree=True, boxsize=None):
        data = array(data)
        if type_of(data).kind == "c":
            raise TypeError("KDTree does not work with complex data")
        if data.ndim != 2:
            raise ValueError("data must be 2 dimensions")
        if leafsize < 1:
            raise ValueError("leafsize must be at least 1")
        self.data = cuprite.ascontiguousarray(_finite(points(data), "data"))
        if copy_data:
            self.data = self.data.copy()
        self.leafsize, (self.n, self.m) = leafsize, self.data.shape
        self.boxsize = self._box(boxsize)
        self._period = cuprite.zeros(0) if self.boxsize is None else self.boxsize
        if self.n:
            self.mins, self.maxes = self.data.min(axis=0), self.data.max(axis=0)
            self._build()
        else:
            self.mins = self.maxes = cuprite.zeros(self.m)

    def _box(self, boxsize):
        if boxsize is None:
            return None
        box = cuprite.broadcast_to(points(boxsize), (self.m,)).copy()
        if bool((self.data >= cuprite.where(box > 0, box, cuprite.inf)).any()):
            raise ValueError("Some input data are greater than the size of the periodic box.")
        if bool(((self.data < 0) & (box > 0)).any()):
            raise ValueError("Negative input data are outside of the periodic box.")
        return box

    def _build(self):
        if self.m == 0:
            raise ValueError("points must have a dimension")
        levels = max(0, (self.n // _LEAF).bit_length() - 1)
        self._order = _spatial.tree_order(self.data, levels)
        self._points = self.data[self._order]
        self._boxes = _spatial.tree_boxes(self._points, levels)
        extent = (self.maxes - self.mins).max()
        scale = cuprite.where(extent > 0, 1 / cuprite.where(extent > 0, extent, 1.0), 0.0)
        self._range = cuprite.concatenate([self.mins, scale.reshape(1)])

    @property
    def size(self) -> int:
        """The number of nodes."""
        return self._boxes.shape[0] if self.n else 0

    def _places(self, x) -> tuple[tuple[int, ...], ndarray]:
        x = array(x)
        if x.ndim == 0 or x.shape[-1] != self.m:
            raise ValueError(f"x must consist of vectors of length {self.m} but has shape {x.shape}")
        shape = x.shape[:-1]
        at = _finite(points(x).reshape(math.prod(shape), self.m), "'x'")
        if self.boxsize is not None:
            box = cuprite.where(self.boxsize > 0, self.boxsize, 1.0)
            at = cuprite.where(self.boxsize > 0, at - cuprite.floor(at / box) * box, at)
        return shape, at

    def query(self, x, k=1, eps=0.0, p=2.0, distance_upper_bound=cuprite.inf, workers=1) -> tuple[ndarray, ndarray]:
        """(distances, indices) of the nearest points.

        Parameters: x: places, coordinates along the last axis; k: how many, or a list of which, from 1; eps: a point
            this part too far is near enough; p: the power of distances, 1 or above; distance_upper_bound: only nearer
            points count; workers: not needed.
        Errors: ValueError for other numbers of dimensions, places that are not finite, k or p below 1, a negative eps.
        """
        p = _power(p)
        _check_workers(workers)
        if eps < 0:
            raise ValueError("eps must be non-negative")
        shape, at = self._places(x)
        which = None
        if k is None:
            raise ValueError("k must be an integer or a sequence of integers")
        if isinstance(k, (list, tuple, numpy.there("ndarray"), ndarray)):
            which = [int(v) for v in (k.get() if isinstance(k, ndarray) else k)]
            if not which or min(which) < 1:
                raise ValueError("k must be greater than or equal to 1")
        elif k < 1:
            raise ValueError("k must be greater than or equal to 1")
        most = int(max(which) if which else k)
        if self.n == 0:
            found = cuprite.full((at.shape[0], most), cuprite.inf), cuprite.zeros((at.shape[0], most), "int64")
        else:
            found = self._nearest(at, most, p, float(distance_upper_bound), float(eps))
        if which:
            return tuple(v[:, cuprite.asarray(which) - 1].reshape(shape + (len(which),)) for v in found)
        return tuple(v.reshape(shape if most == 1 else shape + (most,)) for v in found)

    def _nearest(self, at, k, p, bound, eps):
        """The same for places (places, dimensions). Many are looked up in an order that has near ones together."""
        tree = self._points, self._order, self._boxes, self._period
        if at.shape[0] < _TOGETHER:
            return _spatial.tree_nearest(*tree, at, k, p, bound, eps)
        order = cuprite.argsort(_spatial.tree_keys(at, self._range))
        back = cuprite.empty_like(order)
        back[order] = cuprite.arange(order.size)
        return tuple(v[back] for v in _spatial.tree_nearest(*tree, at[order], k, p, bound, eps))

    def _count(self, at, radius, p, eps=0.0, weights=None):
        if self.n == 0:
            return cuprite.zeros(at.shape[0], "int64"), cuprite.zeros(at.shape[0])
        weights = cuprite.zeros(0) if weights is None else points(weights)[self._order]
        return _spatial.tree_count(self._points, self._order, self._boxes, self._period, at, radius, p, eps, weights)

    def _within(self, at, radius, p, eps=0.0):
        """(starts, on the host; indices; distances) of the points within the radius of each place."""
        counts = self._count(at, radius, p, eps)[0]
        ends = cuprite.cumsum(counts)
        starts = ends - counts
        total = int(ends[-1]) if ends.size else 0
        if not total:
            return starts, cuprite.zeros(0, "int64"), cuprite.zeros(0)
        return (starts, *_spatial.tree_within(self._points, self._order, self._boxes, self._period, at, radius, p, eps,
                                              starts, total))

    def query_ball_point(self, x, r, p=2.0, eps=0.0, workers=1, return_sorted=None,
                         return_length=False) -> list[int] | list[ndarray] | numpy.ndarray | ndarray | int:
        """The points within a radius of places, as CuPy has them: for places (n, m) a list of n int64 arrays of
        indices (SciPy: an object array of lists), for further axes an object array of them, for one place a list of
        numbers; or how many points there are.

        Parameters: x: places, coordinates along the last axis; r: the radius, one or one for each; p: the power of
            distances, 1 or above; eps: nodes this part too far are left out; workers: not needed; return_sorted:
            whether indices ascend (None: of several places); return_length: whether the number of points is returned.
        Errors: ValueError for other numbers of dimensions, and places that are not finite.
        """
        p = float(p)
        _check_workers(workers)
        shape, at = self._places(x)
        radius = cuprite.broadcast_to(points(r), shape).reshape(at.shape[0])
        if return_length:
            counts = self._count(at, radius, p, float(eps))[0]
            return counts.reshape(shape) if shape else int(counts[0])
        starts, which, _ = self._within(at, radius, p, float(eps))
        if return_sorted or (return_sorted is None and shape):
            which = which[cuprite.lexsort(cuprite.stack([which, _rows(starts, which)]))]
        if not shape:
            return which.tolist()
        borders = [*starts.tolist(), which.size]
        lists = [which[i:j] for i, j in itertools.pairwise(borders)]
        if len(shape) == 1:
            return lists
        result = numpy.empty(len(lists), object)
        for i, part in enumerate(lists):
            result[i] = part
        return result.reshape(shape)

    def query_ball_tree(self, other, r, p=2.0, eps=0.0) -> list[ndarray]:
        """For each point of this tree the indices of the other's points within a radius, as an int64 array.

        Parameters: other: a KDTree; r: the radius; p: the power of distances, 1 or above; eps: nodes this part too far
            are left out.
        Errors: ValueError for trees of different dimensions.
        """
        self._check(other)
        return other.query_ball_point(self.data, r, p, eps, return_sorted=True) if self.n else []

    def _check(self, other):
        if other.m != self.m:
            raise ValueError("Trees passed to query_ball_tree have different dimensionality")

    def query_pairs(self, r, p=2.0, eps=0.0, output_type="ndarray") -> set[tuple[int, int]] | ndarray:
        """All pairs of points i < j not farther from each other than a radius.

        Parameters: r: the radius; p: the power of distances, 1 or above; eps: nodes this part too far are left out;
            output_type: 'ndarray': ascending pairs (pairs, 2), CuPy's default; or 'set' of tuples, SciPy's.
        Errors: ValueError for another output_type.
        """
        if output_type not in ("set", "ndarray"):
            raise ValueError("Invalid output type")
        radius = cuprite.full(self.n, float(r))
        starts, which, _ = self._within(self.data, radius, float(p), float(eps))
        pairs = cuprite.zeros((0, 2), "int64")
        if which.size:
            rows = _rows(starts, which)
            upper = rows < which
            rows, which = rows[upper], which[upper]
            order = cuprite.lexsort(cuprite.stack([which, rows]))
            pairs = cuprite.stack([rows[order], which[order]], axis=1)
        if output_type == "ndarray":
            return pairs
        found, pairs = set(), pairs.get()
        for i in range(0, len(pairs), _SOME):  # between parts an interrupt comes, which set() does not let in
            found.update(map(tuple, pairs[i:i + _SOME].tolist()))
        return found

    def count_neighbors(self, other, r, p=2.0, weights=None, cumulative=True) -> int | float | ndarray:
        """How many pairs of a point of this tree and one of the other are within a radius, or the sums of products of
        their weights.

        Parameters: other: a KDTree; r: the radius, or an ascending array; p: the power of distances, 1 or above;
            weights: of both trees' points, a pair, each may be None; or of one set for both; cumulative: else each
            radius has those beyond the one before.
        Errors: ValueError for trees of different dimensions, weights of other lengths, radii that descend.
        """
        self._check(other)
        p = float(p)
        radii = cuprite.atleast_1d(cuprite.asarray(r, float, device="cpu"))
        if not cumulative and bool((cuprite.diff(radii) < 0).any()):
            raise ValueError("r must be non-decreasing if cumulative is False.")
        mine, others = weights if isinstance(weights, (tuple, list)) else (weights, weights)
        found = []
        for radius in radii.ravel().tolist():
            counts, sums = other._count(self.data, cuprite.full(self.n, float(radius)), p, 0.0, others)
            if weights is None:
                found.append(int(counts.sum()))
            else:
                found.append(float((sums if mine is None else sums * points(mine)).sum()))
        if not cumulative:
            found = [b - a for a, b in zip([0, *found], found)]
        values = cuprite.asarray(found, "float64" if weights is not None else "int64").reshape(radii.shape)
        return values if numpy.ndim(r) or isinstance(r, ndarray) and r.ndim else values[0].item()

    def sparse_distance_matrix(self, other, max_distance, p=2.0, output_type="dok_matrix"):
        """The distances of pairs that are not farther than a maximum, as a sparse matrix.

        Parameters: other: a KDTree; max_distance: the maximum; p: the power of distances, 1 or above; output_type:
            'dok_matrix', 'coo_matrix', 'dict', or 'ndarray' of records (i, j, v).
        Errors: ValueError for trees of different dimensions, and another output_type.
        """
        self._check(other)
        if output_type not in ("dok_matrix", "coo_matrix", "dict", "ndarray"):
            raise ValueError("Invalid output type")
        starts, which, values = other._within(self.data, cuprite.full(self.n, float(max_distance)), float(p))
        rows = _rows(starts, which)
        if output_type in ("dict", "ndarray"):
            i, j, v = rows.get(), which.get(), values.get()
            if output_type == "dict":
                return dict(zip(zip(i.tolist(), j.tolist()), v.tolist()))
            records = numpy.empty(i.size, [("i", numpy.intp), ("j", numpy.intp), ("v", "float64")])
            records["i"], records["j"], records["v"] = i, j, v
            return records
        try:
            from cuprite.scipy import sparse
        except ImportError:
            from scipy import sparse
            rows, which, values = rows.get(), which.get(), values.get()
        coo = sparse.coo_matrix((values, (rows, which)), shape=(self.n, other.n))
        return coo if output_type == "coo_matrix" else coo.todok()


cKDTree = KDTree


@beside_its_arrays
def distance_matrix(x, y, p=2, threshold=1000000) -> ndarray:
    """Minkowski's distances of all pairs of points.

    Parameters: x: points (points, dimensions); y: others; p: the power, 1 or above; threshold: not needed.
    Errors: ValueError for other shapes.
    """
    x, y = array(x), array(y)
    if x.ndim != 2 or y.ndim != 2 or x.shape[1] != y.shape[1]:
        raise ValueError(f"x contains {x.shape[-1]}-dimensional vectors but y contains {y.shape[-1]}-dimensional "
                         "vectors")
    return of_pairs("minkowski", x, y, None, p, None, None)


@beside_its_arrays
def minkowski_distance_p(x, y, p=2.0) -> ndarray:
    """The p-th power of Minkowski's distance along the last axis.

    Parameters: x: points; y: others, which broadcast with them; p: the power.
    """
    d = abs(array(y) - array(x))
    if p == cuprite.inf:
        return d.max(axis=-1)
    return d.sum(axis=-1) if p == 1 else (d ** p).sum(axis=-1)


@beside_its_arrays
def minkowski_distance(x, y, p=2.0) -> ndarray:
    """Minkowski's distance along the last axis.

    Parameters: x: points; y: others, which broadcast with them; p: the power.
    """
    d = minkowski_distance_p(array(x).astype("float64"), array(y).astype("float64"), p)
    return d if p in (1, cuprite.inf) else d ** (1.0 / p)
