"""Fills Dask's tables of functions for a type of array. Each function takes the module of Dask's that it fills, which
has just been imported; the modules that need more of Dask are imported when an array comes."""
import math

import cuprite
from cuprite import ndarray


def _number_of(x, axis=None, dtype=None, keepdims=False, **_):
    """How many elements a reduction takes, as an array of what would be its result."""
    axes = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    axes = {a % x.ndim for a in axes}
    shape = tuple(1 if i in axes else n for i, n in enumerate(x.shape) if keepdims or i not in axes)
    return cuprite.full(shape, math.prod(x.shape[a] for a in axes), dtype or float)


def _number_of_not_nan(x, **options):
    return cuprite.sum(~cuprite.isnan(x), **options)


def _divide(a, b, dtype=None):
    return cuprite.divide(cuprite.asarray(a), cuprite.asarray(b), dtype=dtype)


def _percentile(a, q, method="linear"):
    from dask.array.percentile import _percentile
    return _percentile(a, q, method)


def _joined(matrices, axis=0):
    """Sparse matrices one below another, or beside another."""
    from cuprite.scipy import sparse
    if axis not in (0, 1):
        raise ValueError(f"axis must be 0 or 1 for sparse matrices, not {axis}")
    return (sparse.vstack, sparse.hstack)[axis](matrices)


def _sparse_products(a, b, axes):
    """tensordot of two sparse matrices along one axis of each."""
    (i,), (j,) = axes
    return (a if i % 2 else a.T) @ (b.T if j % 2 else b)


def array_functions(dispatch):
    from cuprite.scipy.sparse._base import _spbase
    dispatch.concatenate_lookup.register(_spbase, _joined)
    dispatch.tensordot_lookup.register(_spbase, _sparse_products)
    for table, function in (("concatenate", cuprite.concatenate), ("take", cuprite.take),
                            ("tensordot", cuprite.tensordot), ("einsum", cuprite.einsum), ("empty", cuprite.empty),
                            ("divide", _divide), ("percentile", _percentile), ("numel", _number_of),
                            ("nannumel", _number_of_not_nan)):
        getattr(dispatch, table + "_lookup").register(ndarray, function)
    dispatch.to_numpy_dispatch.register(ndarray, cuprite.asnumpy)
    dispatch.to_cupy_dispatch.register(ndarray, lambda x, **_: x)


def chunk_type(chunk_types):
    chunk_types.register_chunk_type(ndarray)


def backend(backends):
    from cuprite.dask._backend import Backend
    backends.array_creation_dispatch.register_backend("cuprite", Backend())


def sizes(module):
    module.sizeof.register(ndarray, lambda x: int(x.nbytes))


def tokens(module):
    """Equal arrays have equal names in the graph, whatever device they lie on."""
    module.normalize_token.register(
        ndarray, lambda x: ("cuprite.ndarray", module.normalize_token(cuprite.asnumpy(x))))


def host_frames(serialize):
    from cuprite.dask import _serialize
    serialize.dask_serialize.register(ndarray, _serialize.to_host)
    serialize.dask_deserialize.register(ndarray, _serialize.from_host)
    serialize.dask_serialize.register(_serialize.OnHost, lambda x: (x.header, x.frames))
    serialize.dask_deserialize.register(_serialize.OnHost, _serialize.OnHost)


def device_frames(cuda):
    from cuprite.dask import _serialize
    cuda.cuda_serialize.register(ndarray, _serialize.to_device)
    cuda.cuda_deserialize.register(ndarray, _serialize.from_device)
