"""Distances of all pairs of points, and their two forms."""
from __future__ import annotations

import math
import warnings

import cuprite
from cuprite import _numpy as numpy
from cuprite import _spatial, ndarray
from cuprite._beside import beside_its_arrays
from cuprite._element_types import type_of
from cuprite.scipy.spatial.distance._metrics import INFOS, MetricInfo, NAMES, array, of_pairs, points  # noqa: F401


def _metric_of(metric):
    if callable(metric):
        name = getattr(metric, "__name__", "")
        from cuprite.scipy.spatial.distance import _single
        return name if name in INFOS and getattr(_single, name) is metric else metric
    if not isinstance(metric, str):
        raise TypeError("2nd argument metric must be a string identifier or a function.")
    name = metric.lower().removeprefix("test_")
    if name not in NAMES:
        raise ValueError(f"Unknown Distance Metric: {metric.lower()}")
    return NAMES[name]


def _parameters(name, options):
    """(w, p, V, VI) out of options. Errors: TypeError for others."""
    allowed = {"w": True, "p": name == "minkowski", "V": name == "seuclidean", "VI": name == "mahalanobis"}
    for key in options:
        if not allowed.get(key, False):
            raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
    return tuple(options.get(key) for key in ("w", "p", "V", "VI"))


def _into(out, found) -> ndarray:
    """The result, in `out` where there is one. Errors: ValueError."""
    if out is None:
        return found
    if out.shape != found.shape:
        raise ValueError("Output array has incorrect shape.")
    if not out.flags.c_contiguous:
        raise ValueError("Output array must be C-contiguous.")
    if type_of(out) != "float64":
        raise ValueError("Output array must be double type.")
    out[...] = found
    return out


def _called(a, b, metric, options) -> ndarray:
    """Distances of a function of two points, one call a pair."""
    first, second = (x.get() for x in (a, b if b is not None else a))
    pairs = [(i, j) for i in range(len(first)) for j in range(0 if b is not None else i + 1, len(second))]
    values = [float(metric(cuprite.asarray(first[i]), cuprite.asarray(second[j]), **options)) for i, j in pairs]
    found = cuprite.asarray(numpy.array(values, float))
    return found if b is None else found.reshape(len(first), len(second))


@beside_its_arrays
def cdist(XA, XB, metric="euclidean", *, out=None, **kwargs) -> ndarray:
    """The distance of each point of one set to each of another: (points of XA, points of XB).

    Parameters: XA: points (points, dimensions); XB: others; metric: its name, or a function of two points; out: where
        the result goes; kwargs: p of 'minkowski', V of 'seuclidean', VI of 'mahalanobis', w: weights of dimensions.
    Errors: ValueError for other shapes, an unknown metric, negative weights, p not above 0, too few points for a
        covariance; TypeError for parameters that the metric does not have.

    Example:
        >>> cp.scipy.spatial.distance.cdist(cp.asarray([[0.0, 0.0]]), cp.asarray([[3.0, 4.0], [0.0, 1.0]]))
        array([[5., 1.]])
    """
    XA, XB = array(XA), array(XB)
    if XA.ndim != 2:
        raise ValueError("XA must be a 2-dimensional array.")
    if XB.ndim != 2:
        raise ValueError("XB must be a 2-dimensional array.")
    if XA.shape[1] != XB.shape[1]:
        raise ValueError("XA and XB must have the same number of columns (i.e. feature dimension.)")
    name = _metric_of(metric)
    if callable(name):
        return _into(out, _called(XA, XB, name, kwargs))
    return _into(out, of_pairs(name, XA, XB, *_parameters(name, kwargs)))


@beside_its_arrays
def pdist(X, metric="euclidean", *, out=None, **kwargs) -> ndarray:
    """The distances of all pairs of points i < j, one row behind the other (squareform makes a matrix of it).

    Parameters: X: points (points, dimensions); metric: its name, or a function of two points; out: where the result
        goes; kwargs: p of 'minkowski', V of 'seuclidean', VI of 'mahalanobis', w: weights of dimensions.
    Errors: ValueError for other shapes, an unknown metric, negative weights, p not above 0, too few points for a
        covariance; TypeError for parameters that the metric does not have.

    Example:
        >>> cp.scipy.spatial.distance.pdist(cp.asarray([[0.0], [1.0], [3.0]]))
        array([1., 3., 2.])
    """
    X = array(X)
    if X.ndim != 2:
        raise ValueError(f"A 2-dimensional array must be passed. (Shape was {X.shape}).")
    name = _metric_of(metric)
    if callable(name):
        return _into(out, _called(X, None, name, kwargs))
    return _into(out, of_pairs(name, X, None, *_parameters(name, kwargs)))


@beside_its_arrays
def squareform(X, force="no", checks=True) -> ndarray:
    """A matrix of distances from those of pairs, or the other way.

    Parameters: X: one of both; force: 'tovector', 'tomatrix', or which it is; checks: whether a matrix is looked at to
        be symmetric, with zeros on its diagonal.
    Errors: ValueError for lengths that are no number of pairs, and matrices that are no distances.
    """
    X = array(X)
    force = force.lower()
    if force == "tomatrix" and X.ndim != 1:
        raise ValueError("Forcing 'tomatrix' but input X is not a distance vector.")
    if force == "tovector" and X.ndim != 2:
        raise ValueError("Forcing 'tovector' but input X is not a distance matrix.")
    if X.ndim == 1:
        if X.size == 0:
            return cuprite.zeros((1, 1), type_of(X))
        n = math.ceil(math.sqrt(X.size * 2))
        if n * (n - 1) != X.size * 2:
            raise ValueError("Incompatible vector size. It must be a binomial coefficient n choose 2 for some integer "
                             "n >= 2.")
        m = cuprite.zeros((n, n), type_of(X))
        m[cuprite.triu_indices(n, 1)] = X
        return m + m.T if type_of(X).kind != "b" else m | m.T
    if X.ndim == 2:
        if X.shape[0] != X.shape[1]:
            raise ValueError("The matrix argument must be square.")
        if checks:
            is_valid_dm(X, throw=True, name="X")
        if X.shape[0] <= 1:
            return cuprite.zeros(0, type_of(X))
        return X[cuprite.triu_indices(X.shape[0], 1)]
    raise ValueError(f"The first argument must be one or two dimensional array. A {X.ndim}-dimensional array is not "
                     "permitted")


def _judged(what, throw, warning):
    """False, after the warning or the error."""
    if throw:
        raise ValueError(what)
    if warning:
        warnings.warn(what, stacklevel=3)
    return False


@beside_its_arrays
def is_valid_dm(D, tol=0.0, throw=False, name="D", warning=False) -> bool:
    """Is this a matrix of distances: two dimensions, symmetric, zeros on its diagonal?

    Parameters: D: the matrix; tol: how far it may be from that; throw: whether it is an error else; name: in the
        message; warning: whether it is a warning else.
    Errors: ValueError where it is not, and that was asked for.
    """
    D = array(D)
    if D.ndim != 2:
        return _judged(f"Distance matrix '{name}' must have shape=2 (i.e. be two-dimensional).", throw, warning)
    if D.shape[0] != D.shape[1] or not bool((abs(D - D.T) <= tol).all() if tol else (D == D.T).all()):
        return _judged(f"Distance matrix '{name}' must be symmetric.", throw, warning)
    if not bool((abs(cuprite.diagonal(D)) <= tol).all()):
        return _judged(f"Distance matrix '{name}' diagonal must be zero.", throw, warning)
    return True


@beside_its_arrays
def is_valid_y(y, warning=False, throw=False, name=None) -> bool:
    """Are these distances of pairs: one dimension, as long as a number of pairs?

    Parameters: y: the distances; warning: whether it is a warning else; throw: whether it is an error else; name: in
        the message.
    Errors: ValueError where they are not, and that was asked for.
    """
    y = array(y)
    n = math.ceil(math.sqrt(y.size * 2))
    if y.ndim != 1:
        return _judged(f"Condensed distance matrix '{name}' must have shape=1 (i.e. be one-dimensional).", throw,
                       warning)
    if n * (n - 1) != y.size * 2:
        return _judged(f"Length n of condensed distance matrix '{name}' must be a binomial coefficient.", throw,
                       warning)
    return True


def num_obs_dm(d) -> int:
    """How many points a matrix of distances has.

    Parameters: d: the matrix.
    Errors: ValueError where it is none.
    """
    is_valid_dm(d, tol=cuprite.inf, throw=True, name="d")
    return d.shape[0]


def num_obs_y(Y) -> int:
    """How many points distances of pairs have.

    Parameters: Y: the distances.
    Errors: ValueError where they are none.
    """
    is_valid_y(Y, throw=True, name="Y")
    if Y.shape[0] == 0:
        raise ValueError("The number of observations cannot be determined on an empty distance matrix.")
    return math.ceil(math.sqrt(Y.shape[0] * 2))


@beside_its_arrays
def directed_hausdorff(u, v, rng=0, *, seed=0) -> tuple[float, int, int]:
    """(distance, index in u, index in v): the farthest point of u from v, and its nearest one there.

    Parameters: u: points; v: others; rng: is not needed: nothing is drawn; seed: rng's earlier name.
    Errors: ValueError for other numbers of dimensions, and no points.
    """
    u, v = points(u), points(v)
    if u.ndim != 2 or v.ndim != 2 or u.shape[1] != v.shape[1]:
        raise ValueError("u and v need to have the same number of columns")
    if u.shape[0] == 0 or v.shape[0] == 0:
        raise ValueError("u and v must have points")
    which, distance = _spatial.nearest_points(u, v)
    i = int(distance.argmax())
    return float(distance[i]), i, int(which[i])
