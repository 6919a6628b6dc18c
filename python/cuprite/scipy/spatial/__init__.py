"""scipy.spatial on Cuprite's arrays: distances, neighbours, triangulations.

Distances and neighbours are computed on the points' device. Triangulations and hulls are Qhull's, which SciPy has, on
the host; in which simplex a point lies is found on the device."""
from __future__ import annotations

from cuprite._missing import listing as _listing, missing as _missing

_MODULES = ("distance",)
_LATER = {  # names: the modules that have them
    "cKDTree": "_trees", "ConvexHull": "_hulls", "Delaunay": "_hulls", "distance_matrix": "_trees", "KDTree": "_trees",
    "minkowski_distance": "_trees", "minkowski_distance_p": "_trees", "QhullError": "_hulls", "tsearch": "_hulls",
    "Voronoi": "_hulls",
}


def __getattr__(name):
    import importlib
    if name == "distance":
        return importlib.import_module("cuprite.scipy.spatial.distance")
    if name not in _LATER:
        raise _missing(__name__, name)
    value = globals()[name] = getattr(importlib.import_module("cuprite.scipy.spatial." + _LATER[name]), name)
    return value


__dir__ = _listing(__name__, *_LATER, "distance")
