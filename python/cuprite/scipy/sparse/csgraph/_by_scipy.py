"""Functions of graphs that SciPy computes on the host: arguments are copied there, results back to the device."""
from __future__ import annotations

import functools

import cuprite as cp
from cuprite.scipy._installed import scipy_module
from cuprite.scipy.sparse._base import issparse

_NAMES = ("bellman_ford", "construct_dist_matrix", "csgraph_from_dense", "csgraph_from_masked",
          "csgraph_masked_from_dense", "csgraph_to_dense", "csgraph_to_masked", "floyd_warshall", "johnson",
          "maximum_bipartite_matching", "maximum_flow", "min_weight_full_bipartite_matching", "minimum_spanning_tree",
          "reconstruct_path", "reverse_cuthill_mckee", "structural_rank", "yen")


def module():
    """scipy.sparse.csgraph.

    Errors: ImportError where SciPy is not installed."""
    return scipy_module("sparse.csgraph", "this function of graphs is SciPy's")


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


def _check_predecessors(p) -> None:
    """What SciPy follows without a look: predecessors beyond the graph, or that go round for ever."""
    import numpy
    p = numpy.asarray(p)
    if p.dtype.kind not in "biuf" or p.ndim > 2 or p.ndim < 1:
        return
    n = p.shape[-1]
    if p.size and not (numpy.isfinite(p) & (p < n)).all():
        raise ValueError(f"predecessors must be less than {n}, or negative where there is none")
    if p.ndim == 2 and p.shape[0] == n > 0:
        if ((p < 0) & (p != -9999)).any():
            raise ValueError("where there is no predecessor, -9999 must be")
        after = numpy.full((n, n + 1), n)
        after[:, :n] = numpy.where(p < 0, n, p)
        numpy.fill_diagonal(after, n)             # paths end where they began
        for _ in range(n.bit_length()):
            after = numpy.take_along_axis(after, after, 1)
        if (after != n).any():
            raise ValueError("predecessors go round in a circle")


def _lent(name):
    at = {"reconstruct_path": 1, "construct_dist_matrix": 1}.get(name)
    theirs = getattr(module(), name)

    @functools.wraps(theirs)
    def function(*args, **kwargs):
        args, kwargs = tuple(map(given, args)), {k: given(v) for k, v in kwargs.items()}
        if at and ("predecessors" in kwargs or len(args) > at):
            _check_predecessors(kwargs["predecessors"] if "predecessors" in kwargs else args[at])
        return back(theirs(*args, **kwargs))
    function.__module__ = __name__
    return function


def __getattr__(name):
    if name == "NegativeCycleError":
        return module().NegativeCycleError
    if name in _NAMES:
        return _lent(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
