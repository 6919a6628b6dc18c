"""scipy.spatial.distance on Cuprite's arrays: distances of all pairs of points, and of two, in many metrics."""
from __future__ import annotations

from cuprite._missing import listing as _listing, missing as _missing

_LATER = {  # names: the modules that have them
    "braycurtis": "_single", "canberra": "_single", "cdist": "_pairs", "chebyshev": "_single",
    "check_soft_dependencies": "_single", "cityblock": "_single", "correlation": "_single", "cosine": "_single",
    "dice": "_single", "directed_hausdorff": "_pairs", "distance_matrix": "_single", "euclidean": "_single",
    "hamming": "_single", "hellinger": "_single", "is_valid_dm": "_pairs", "is_valid_y": "_pairs",
    "jaccard": "_single", "jensenshannon": "_single", "kl_divergence": "_single", "mahalanobis": "_single",
    "MetricInfo": "_pairs", "minkowski": "_single", "num_obs_dm": "_pairs", "num_obs_y": "_pairs", "pdist": "_pairs",
    "rogerstanimoto": "_single", "russellrao": "_single", "seuclidean": "_single", "sokalsneath": "_single",
    "sqeuclidean": "_single", "squareform": "_pairs", "yule": "_single",
}
# of CuPy, whose distances are another library's; here they are part of this one
cuvs_available = pylibraft_available = True


def __getattr__(name):
    import importlib
    if name not in _LATER:
        raise _missing(__name__, name)
    value = globals()[name] = getattr(importlib.import_module("cuprite.scipy.spatial.distance." + _LATER[name]), name)
    return value


__dir__ = _listing(__name__, *_LATER, "cuvs_available", "pylibraft_available")
