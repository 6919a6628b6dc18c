"""Functions of graphs that SciPy computes on the host: arguments are copied there, results back to the device."""
from __future__ import annotations

import functools

import cuprite as cp
from cuprite.scipy.sparse._base import issparse

_NAMES = ("bellman_ford", "construct_dist_matrix", "csgraph_from_dense", "csgraph_from_masked",
          "csgraph_masked_from_dense", "csgraph_to_dense", "csgraph_to_masked", "floyd_warshall", "johnson",
          "maximum_bipartite_matching", "maximum_flow", "min_weight_full_bipartite_matching", "minimum_spanning_tree",
          "reconstruct_path", "reverse_cuthill_mckee", "structural_rank", "yen")


def module():
    """scipy.sparse.csgraph.

    Errors: ImportError where SciPy is not installed."""
    try:
        import scipy.sparse.csgraph
    except ImportError as e:
        raise ImportError("this function of graphs is SciPy's, which is not installed: pip install scipy") from e
    return scipy.sparse.csgraph


def given(x):
    """An argument as SciPy takes it.

    Parameters: x: anything."""
    return x.get() if isinstance(x, cp.ndarray) or issparse(x) else x


def back(x):
    """What SciPy returned, on the current device: arrays, matrices and tuples of them; masked arrays remain NumPy's.

    Parameters: x: anything."""
    import numpy
    import scipy.sparse
    if isinstance(x, numpy.ma.MaskedArray):
        return x
    if isinstance(x, numpy.ndarray):
        return cp.asarray(x)
    if scipy.sparse.issparse(x):
        from cuprite.scipy import sparse
        return getattr(sparse, type(x).__name__)(x)
    if type(x) is tuple:
        return tuple(map(back, x))
    if hasattr(x, "flow") and hasattr(x, "flow_value"):
        return MaximumFlowResult(x.flow_value, back(x.flow))
    return x


class MaximumFlowResult:
    """What maximum_flow returns.

    flow_value: the flow from source to sink, an integer.
    flow: the flow along each edge, a csr matrix."""

    def __init__(self, flow_value, flow):
        self.flow_value, self.flow = flow_value, flow

    def __repr__(self):
        return f"MaximumFlowResult with value of {self.flow_value}"


def _lent(name):
    theirs = getattr(module(), name)

    @functools.wraps(theirs)
    def function(*args, **kwargs):
        return back(theirs(*map(given, args), **{k: given(v) for k, v in kwargs.items()}))
    function.__module__ = __name__
    return function


def __getattr__(name):
    if name == "NegativeCycleError":
        return module().NegativeCycleError
    if name in _NAMES:
        return _lent(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
