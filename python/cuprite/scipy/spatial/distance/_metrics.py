"""The metrics: names, what they take, and how points are prepared for them."""
from __future__ import annotations

import cuprite
from cuprite import _spatial, ndarray
from cuprite._beside import computed
from cuprite._element_types import type_of


class MetricInfo:
    """A metric.

    Parameters: canonical_name: its name; aka: all its names; validator: what checks its parameters, or None; types:
        'double', 'bool': of the elements that it distinguishes.
    """

    def __init__(self, canonical_name=None, aka=None, validator=None, types=("double",)):
        self.canonical_name, self.aka, self.validator, self.types = canonical_name, aka, validator, types


_AKA = {
    "braycurtis": "", "canberra": "", "chebyshev": "chebychev cheby cheb ch", "cityblock": "cblock cb c",
    "correlation": "co", "cosine": "cos", "dice": "", "euclidean": "euclid eu e",
    "hamming": "matching hamm ha h", "hellinger": "", "jaccard": "jacc ja j", "jensenshannon": "js",
    "kl_divergence": "kl_div", "mahalanobis": "mahal mah", "minkowski": "mi m pnorm", "rogerstanimoto": "",
    "russellrao": "", "seuclidean": "se s", "sokalsneath": "", "sqeuclidean": "sqe sqeuclid", "yule": "",
}
TRUTHS = {"dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule"}
INFOS = {name: MetricInfo(name, {name, *more.split()}, None, ("bool",) if name in TRUTHS else ("double",))
         for name, more in _AKA.items()}
NAMES = {alias: name for name, info in INFOS.items() for alias in info.aka}
_WITHOUT_WEIGHTS = {"hellinger", "kl_divergence", "jensenshannon", "mahalanobis", "seuclidean"}
_AT_ONCE = 1 << 32  # multiplications of a product: a fraction of a second on a CPU, in which no signal is heard
_SHORTEST = 256     # vectors that are counted so long: a product has no more than 128 MiB then


def array(x) -> ndarray:
    """x as an array of ours."""
    return x if isinstance(x, ndarray) else cuprite.asarray(x)


def points(x, truth=False) -> ndarray:
    """x as float64; of truths 0 and 1. Errors: ValueError for complex numbers, TypeError for what are no numbers."""
    x = array(x)
    if type_of(x).kind == "c":
        raise ValueError("Cannot cast array data from complex to float64")
    if truth and type_of(x).kind != "b":
        x = x != 0
    return x.astype("float64", copy=False)


def weights_of(w, n, size_matters=True) -> ndarray:
    """Weights as float64. Errors: ValueError."""
    if w is None:
        return None
    w = array(w)
    if w.ndim != 1 or (size_matters and w.shape[0] != n):
        raise ValueError(f"Weights must have same size as input vector. {w.shape[0] if w.ndim else 0} vs. {n}")
    w = w.astype("float64", copy=False)
    if bool((w < 0).any()):
        raise ValueError("Input weights should be all non-negative")
    return w


def _variances(given, a, b) -> ndarray:
    if given is None:
        return cuprite.var(a if b is None else cuprite.concatenate([a, b]), axis=0, ddof=1)
    given = array(given)
    if given.ndim != 1:
        raise ValueError("Variance vector V must be one-dimensional.")
    if given.shape[0] != a.shape[1]:
        raise ValueError("Variance vector V must be of the same dimension as the vectors on which the distances are "
                         "computed.")
    return given.astype("float64", copy=False)


def _inverse(given, a, b) -> ndarray:
    if given is not None:
        return array(given).astype("float64", copy=False)
    m, n = a.shape[0] + (0 if b is None else b.shape[0]), a.shape[1]
    if m <= n:
        raise ValueError(f"The number of observations ({m}) is too small; the covariance matrix is singular. For "
                         f"observations with {n} dimensions, at least {n + 1} observations are required.")
    both = a if b is None else cuprite.concatenate([a, b])
    return cuprite.ascontiguousarray(computed(cuprite.linalg.inv(cuprite.cov(both.T).reshape(n, n))).T)


def _by_product(a, b, w, centered) -> ndarray:
    """Cosine and correlation distances through products of matrices, some rows at a time; b None: the pairs of a."""
    sets = [a] if b is None else [a, b]
    if w is not None:
        w = w / w.sum()
    if centered:
        # less their first element: the mean of a point whose elements are equal is exactly 0 then, and not a rounding
        sets = [x - x[:, :1] for x in sets]
        sets = [x - (x.mean(axis=1) if w is None else x @ w)[:, None] for x in sets]
    lengths = [cuprite.sqrt((x * x if w is None else x * x * w).sum(axis=1)) for x in sets]
    left, right = sets[0] if w is None else sets[0] * w, sets[-1]
    n, m = left.shape[0], right.shape[0]
    with left.device:  # whatever the current one is
        out = cuprite.empty((n, m) if b is not None else n * (n - 1) // 2)
    rows, filled = max(1, _AT_ONCE // (max(m, 1) * max(left.shape[1], _SHORTEST))), 0
    for i in range(0, n, rows):
        some = slice(i, min(i + rows, n))
        first = 0 if b is not None else i  # pairs with points before are there already
        product = cuprite.matmul(left[some], right[first:].T, out=None if b is None else out[some])
        product /= lengths[0][some, None]
        product /= lengths[-1][first:]
        cuprite.clip(product, -1.0, 1.0, out=product)
        cuprite.subtract(1.0, product, out=product)
        if b is None:
            pairs = product[cuprite.triu_indices(product.shape[0], 1, product.shape[1])]
            out[filled:filled + pairs.size] = pairs
            filled += pairs.size
    return out


def _scaled(a, how) -> ndarray:
    if how == "jensenshannon":
        return a / a.sum(axis=1)[:, None]
    return a


def of_pairs(name, a, b, w, p, V, VI) -> ndarray:
    """Distances (na, nb) or of the pairs of a, as float64."""
    truth = name in TRUTHS
    a, b = points(a, truth), None if b is None else points(b, truth)
    ndim = a.shape[1]
    if w is not None and name in _WITHOUT_WEIGHTS:
        raise TypeError(f"{name}() got an unexpected keyword argument 'w'")
    w, matrix, power = weights_of(w, ndim), None, 2.0
    if name in ("cosine", "correlation"):
        return _by_product(a, b, w, name == "correlation")
    if name == "minkowski":
        power = 2.0 if p is None else float(p)
        if not power > 0:
            raise ValueError("p must be greater than 0")
        if power in (1.0, 2.0) or power == cuprite.inf:
            name = {1.0: "cityblock", 2.0: "euclidean"}.get(power, "chebyshev")
    if name == "seuclidean":
        name, w = "euclidean", 1 / _variances(V, a, b)
    if name == "mahalanobis":
        matrix = _inverse(VI, a, b)
    a, b = _scaled(a, name), None if b is None else _scaled(b, name)
    given = {"b": b, "weights": w if matrix is None else cuprite.ascontiguousarray(matrix)}
    return _spatial.distances(a, name, power, **{k: v for k, v in given.items() if v is not None})
