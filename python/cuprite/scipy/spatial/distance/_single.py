"""Distances of two points, as 0-d arrays on their device. A point may be a row (1, n) too, as cuVS and so CuPy have it;
SciPy refuses those."""
from __future__ import annotations

import cuprite
from cuprite import _numpy as numpy
from cuprite import ndarray
from cuprite._beside import beside_its_arrays
from cuprite._element_types import type_of
from cuprite.scipy.spatial.distance._metrics import array, of_pairs, weights_of


def _vector(u) -> ndarray:
    u = array(u)
    if u.ndim == 2 and u.shape[0] == 1:
        return u[0]
    if u.ndim != 1:
        raise ValueError("Input vector should be 1-D.")
    return u


def _of_two(name, u, v, w=None, p=None, V=None, VI=None) -> ndarray:
    u, v = _vector(u), _vector(v)
    if u.shape != v.shape:
        if 1 not in (u.size, v.size) or name in ("hamming", "seuclidean"):
            kind = TypeError if name == "seuclidean" else ValueError
            raise kind(f"The 1d arrays must have equal lengths, not {u.size} and {v.size}.")
        u, v = cuprite.broadcast_arrays(u, v)
    if w is not None:
        w = weights_of(w, u.size)
    return of_pairs(name, u[None], v[None], w, p, V, VI)[0, 0]


@beside_its_arrays
def euclidean(u, v, w=None) -> ndarray:
    """The Euclidean distance: the square root of the sum of squared differences.

    Parameters: u: a point; v: another; w: weights of the dimensions.
    Errors: ValueError for shapes that do not fit, and negative weights.
    """
    return _of_two("euclidean", u, v, w)


@beside_its_arrays
def sqeuclidean(u, v, w=None) -> ndarray:
    """The sum of squared differences.

    Parameters: u: a point; v: another; w: weights of the dimensions.
    Errors: ValueError for shapes that do not fit, and negative weights.
    """
    found = _of_two("sqeuclidean", u, v, w)
    types = [getattr(x, "dtype", None) for x in (u, v)]
    return found.astype(types[0]) if types[0] == types[1] == "float32" else found


@beside_its_arrays
def cityblock(u, v, w=None) -> ndarray:
    """The sum of absolute differences.

    Parameters: u: a point; v: another; w: weights of the dimensions.
    Errors: ValueError for shapes that do not fit, and negative weights.
    """
    return _of_two("cityblock", u, v, w)


@beside_its_arrays
def chebyshev(u, v, w=None) -> ndarray:
    """The largest absolute difference.

    Parameters: u: a point; v: another; w: weights of the dimensions.
    Errors: ValueError for shapes that do not fit, and negative weights.
    """
    return _of_two("chebyshev", u, v, w)


@beside_its_arrays
def canberra(u, v, w=None) -> ndarray:
    """The sum of absolute differences, each by the sum of both absolute values.

    Parameters: u: a point; v: another; w: weights of the dimensions.
    Errors: ValueError for shapes that do not fit, and negative weights.
    """
    return _of_two("canberra", u, v, w)


@beside_its_arrays
def braycurtis(u, v, w=None) -> ndarray:
    """The sum of absolute differences by that of absolute sums.

    Parameters: u: a point; v: another; w: weights of the dimensions.
    Errors: ValueError for shapes that do not fit, and negative weights.
    """
    return _of_two("braycurtis", u, v, w)


@beside_its_arrays
def cosine(u, v, w=None) -> ndarray:
    """One less the cosine of the angle between two vectors.

    Parameters: u: a point; v: another; w: weights of the dimensions.
    Errors: ValueError for shapes that do not fit, and negative weights.
    """
    return correlation(u, v, w, centered=False)


@beside_its_arrays
def jaccard(u, v, w=None) -> ndarray:
    """The part of the dimensions that are not 0 in one, where one alone is not 0.

    Parameters: u: a point; v: another; w: weights of the dimensions.
    Errors: ValueError for shapes that do not fit, and negative weights.
    """
    return _of_two("jaccard", u, v, w)


@beside_its_arrays
def dice(u, v, w=None) -> ndarray:
    """Dice's dissimilarity of truth values.

    Parameters: u: a point; v: another; w: weights of the dimensions.
    Errors: ValueError for shapes that do not fit, and negative weights.
    """
    return _of_two("dice", u, v, w)


@beside_its_arrays
def rogerstanimoto(u, v, w=None) -> ndarray:
    """Rogers and Tanimoto's dissimilarity of truth values.

    Parameters: u: a point; v: another; w: weights of the dimensions.
    Errors: ValueError for shapes that do not fit, and negative weights.
    """
    return _of_two("rogerstanimoto", u, v, w)


@beside_its_arrays
def russellrao(u, v, w=None) -> ndarray:
    """Russell and Rao's dissimilarity of truth values.

    Parameters: u: a point; v: another; w: weights of the dimensions.
    Errors: ValueError for shapes that do not fit, and negative weights.
    """
    return _of_two("russellrao", u, v, w)


@beside_its_arrays
def sokalsneath(u, v, w=None) -> ndarray:
    """Sokal and Sneath's dissimilarity of truth values.

    Parameters: u: a point; v: another; w: weights of the dimensions.
    Errors: ValueError for shapes that do not fit, and negative weights.
    """
    u, v = _vector(u), _vector(v)
    some = (u != 0) | (v != 0)
    if not bool((some if w is None else some & (array(w) != 0)).any()):
        raise ValueError("Sokal-Sneath dissimilarity is not defined for vectors that are entirely false.")
    return _of_two("sokalsneath", u, v, w)


@beside_its_arrays
def yule(u, v, w=None) -> ndarray:
    """Yule's dissimilarity of truth values.

    Parameters: u: a point; v: another; w: weights of the dimensions.
    Errors: ValueError for shapes that do not fit, and negative weights.
    """
    return _of_two("yule", u, v, w)


@beside_its_arrays
def hamming(u, v, w=None) -> ndarray:
    """The part of the dimensions that differ.

    Parameters: u: a point; v: another; w: weights of the dimensions.
    Errors: ValueError for shapes that do not fit, and negative weights.
    """
    return _of_two("hamming", u, v, w)


@beside_its_arrays
def hellinger(u, v) -> ndarray:
    """Hellinger's distance of two distributions.

    Parameters: u: a point; v: another.
    Errors: ValueError for shapes that do not fit.
    """
    return _of_two("hellinger", u, v)


@beside_its_arrays
def kl_divergence(u, v) -> ndarray:
    """The Kullback-Leibler divergence of two distributions.

    Parameters: u: a point; v: another.
    Errors: ValueError for shapes that do not fit.
    """
    return _of_two("kl_divergence", u, v)


@beside_its_arrays
def minkowski(u, v, p=2, w=None) -> ndarray:
    """The p-th root of the sum of p-th powers of absolute differences.

    Parameters: u: a point; v: another; p: the power, above 0; w: weights of the dimensions.
    Errors: ValueError for shapes that do not fit, negative weights, and p not above 0.
    """
    if p <= 0:
        raise ValueError("p must be greater than 0")
    return _of_two("minkowski", u, v, w, p)


@beside_its_arrays
def correlation(u, v, w=None, centered=True) -> ndarray:
    """One less the correlation of two vectors.

    Parameters: u: a vector; v: another; w: weights; centered: whether means are subtracted.
    Errors: ValueError for shapes that do not fit, and negative weights; TypeError for complex numbers.
    """
    u, v = _vector(u), _vector(v)
    if type_of(u).kind == "c" or type_of(v).kind == "c":
        raise TypeError("`u` and `v` must be real.")
    return _of_two("correlation" if centered else "cosine", u, v, w)


@beside_its_arrays
def seuclidean(u, v, V) -> ndarray:
    """The Euclidean distance with each dimension divided by its standard deviation.

    Parameters: u: a point; v: another; V: the variances.
    Errors: ValueError for other than 1-d arrays; TypeError for lengths that differ.
    """
    u, v, V = _vector(u), _vector(v), _vector(V)
    if V.shape[0] != u.shape[0] or u.shape[0] != v.shape[0]:
        raise TypeError("V must be a 1-D array of the same dimension as u and v.")
    return _of_two("seuclidean", u, v, V=V)


@beside_its_arrays
def mahalanobis(u, v, VI) -> ndarray:
    """The distance by the inverse of a covariance.

    Parameters: u: a point; v: another; VI: the inverse of the covariance.
    Errors: ValueError for shapes that do not fit.
    """
    return _of_two("mahalanobis", u, v, VI=cuprite.atleast_2d(array(VI)))


@beside_its_arrays
def jensenshannon(p, q, base=None, *, axis=0, keepdims=False) -> ndarray:
    """The Jensen-Shannon distance of distributions along an axis. Two rows (1, n) are two points, as in CuPy; SciPy's
    axis 0 would compare n distributions of one number.

    Parameters: p: a distribution; q: another; base: of the logarithm (None: e); axis: along which; keepdims: whether
        the axis stays, of length 1.
    """
    p, q = array(p), array(q)
    if axis == 0 and not keepdims and p.ndim == q.ndim == 2 and p.shape[0] == q.shape[0] == 1:
        p, q = p[0], q[0]
    p, q = p / p.sum(axis=axis, keepdims=True), q / q.sum(axis=axis, keepdims=True)
    m = (p + q) / 2.0
    rel_entr = cuprite.scipy.special.rel_entr
    js = rel_entr(p, m).sum(axis=axis, keepdims=keepdims) + rel_entr(q, m).sum(axis=axis, keepdims=keepdims)
    if base is not None:
        js = js / numpy.log(base)
    return cuprite.sqrt(js / 2.0)


def check_soft_dependencies() -> None:
    """Does nothing: distances need no other library (CuPy's need cuVS)."""


def distance_matrix(x, y, p=2.0) -> ndarray:
    """Minkowski's distances of all pairs: scipy.spatial.distance_matrix, which CuPy has here too.

    Parameters: x: points (points, dimensions); y: others; p: the power, 1 or above.
    Errors: ValueError for other shapes.
    """
    from cuprite.scipy.spatial import _trees
    return _trees.distance_matrix(x, y, p)
