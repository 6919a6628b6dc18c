"""Elements times elements where shapes broadcast, as SciPy multiplies: `multiply` of compressed matrices."""
from __future__ import annotations

import cuprite as cp
from cuprite import _numpy
from cuprite.scipy.sparse._base import _spbase, issparse, taken
from cuprite.scipy.sparse._operands import broadcast, repeated_lines


def broadcast_shape(a, b):
    """The shape that both broadcast to."""
    return _numpy.broadcast_shapes(a, b)


def _by_sparse(m, other):
    if m.shape == other.shape:
        return m._merged("multiply", other)
    if other.shape in ((1, 1), (1,)):
        result = m._mul_scalar(other.toarray().reshape(()))
        return result.reshape((1, m.shape[0])) if m.ndim == 1 and other.ndim == 2 else result
    if m.shape in ((1,), (1, 1)):
        return other.tocsr()._mul_scalar(m.data.sum())
    m, other = broadcast(m, other)
    return m._merged("multiply", other)


def _by_dense(m, other):
    if other.ndim > 2:
        return cp.multiply(m.toarray(), other)
    if other.size == 1:
        return m._mul_scalar(other.reshape(())).reshape(broadcast_shape(m.shape, other.shape))
    if m.shape in ((1,), (1, 1)):
        return cp.multiply(m.data.sum(), other).reshape(broadcast_shape(m.shape, other.shape))
    coo, rows, columns = m.tocoo(), *m._shape_as_2d
    if m.shape == other.shape:
        return coo._with_data(coo.data * other[coo._coords], copy=False)
    if m.ndim == 1:
        coo = coo.reshape((1, columns))
    wide = cp.atleast_2d(other)
    fits = wide.shape[0] in (1, rows) and wide.shape[1] in (1, columns)
    if fits and (rows, columns) == _numpy.broadcast_shapes((rows, columns), wide.shape):
        at = (coo._row if wide.shape[0] > 1 else cp.zeros_like(coo._row),
              coo._col if wide.shape[1] > 1 else cp.zeros_like(coo._col))
        result = coo._with_data(coo.data * wide[at], copy=False)
        return result.reshape(m.shape) if m.ndim == 1 and other.ndim == 1 else result
    if rows == 1 and wide.shape[1] in (1, columns) or columns == 1 and wide.shape[0] in (1, rows):
        shape = (max(rows, wide.shape[0]), max(columns, wide.shape[1]))
        repeated = repeated_lines(m, *shape).tocoo()
        return repeated._with_data(repeated.data * cp.broadcast_to(wide, shape)[repeated._coords], copy=False)
    raise ValueError(f"inconsistent shapes {m.shape} and {other.shape}")


def multiply(m, other) -> _spbase | ndarray:
    """A compressed matrix times another operand that is no number, elementwise."""
    other = taken(other, m)
    if issparse(other):
        return _by_sparse(m, other)
    return _by_dense(m, other) if isinstance(other, cp.ndarray) else NotImplemented
