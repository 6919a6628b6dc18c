"""Coordinates of three axes and more: coo arrays of them, by arrays of one axis or two with the same elements.

Elementwise, the elements stand in one row; along axes, those make the columns of a matrix and the others its rows;
products of stacks of matrices are those of matrices with the stack along their diagonal."""
from __future__ import annotations

import math

import cuprite as cp
from cuprite import _numpy as numpy
from cuprite._element_types import type_of
from cuprite.scipy.sparse._operands import Operands, class_of, issparse, taken
from cuprite.scipy.sparse._util import as_axes, index_dtype, isdense, isscalarlike, sum_dtype


def ravel(coords, shape, order="C"):
    """Places of an array as int64 numbers of its elements; ValueError for an array of too many."""
    if math.prod(shape) >= 2**63:
        raise ValueError("the matrix has too many elements to be reshaped")
    if order not in ("C", "F"):
        raise ValueError("'order' must be 'C' or 'F'")
    pairs = list(zip(coords, shape))
    flat = None
    for c, n in pairs if order == "C" else pairs[::-1]:
        flat = c.astype("int64") if flat is None else flat * n + c
    return flat


def unravel(flat, shape, order="C"):
    """The places of numbered elements, int64 for each axis."""
    coords, last = [], len(shape) - 1
    for i, n in enumerate(shape[::-1] if order == "C" else shape):
        coords.append(flat if i == last else flat % max(n, 1))
        flat = flat if i == last else flat // max(n, 1)
    return tuple(coords[::-1] if order == "C" else coords)


def moved(m, axes):
    """(a matrix whose columns are the elements along these axes, the shape of its rows)."""
    rest = [a for a in range(m.ndim) if a not in axes]
    shapes = [tuple(m._shape[a] for a in part) for part in (rest, axes)]
    coords = [ravel([m._coords[a] for a in part], shape) if part else cp.zeros(m.data.size, dtype="int64")
              for part, shape in zip((rest, axes), shapes)]
    return class_of("coo", True)._new(m.data, coords, tuple(math.prod(s) for s in shapes)), shapes[0]


def repeated(m, shape):
    """A coo array as one of a shape that it broadcasts to."""
    old = (1,) * (len(shape) - m.ndim) + m._shape
    n = m.data.size
    coords = (cp.zeros(n, dtype="int64"),) * (len(shape) - m.ndim) + m._coords
    grown = [i for i, (a, b) in enumerate(zip(old, shape)) if a != b]
    if not grown:
        return m if m._shape == shape else class_of("coo", True)._new(m.data, coords, shape)
    times = math.prod(shape[i] for i in grown)
    copy = dict(zip(grown, unravel(cp.arange(times), [shape[i] for i in grown])))
    coords = tuple(cp.repeat(copy[i], n) if i in copy else cp.tile(c, times) for i, c in enumerate(coords))
    return class_of("coo", True)._new(cp.tile(m.data, times), coords, shape)


def _stack(m, shape):
    """A stack of matrices, broadcast to a shape, as one matrix with them along its diagonal."""
    m = repeated(m, shape)
    rows, columns = shape[-2:]
    which = ravel(m._coords[:-2], shape[:-2]) if len(shape) > 2 else 0
    count = math.prod(shape[:-2])
    at = which * rows + m._coords[-2], which * columns + m._coords[-1]
    return class_of("coo", True)._new(m.data, at, (count * rows, count * columns)).tocsr()


def _turned(x):
    """x with its last two axes exchanged."""
    return x if x.ndim < 2 else x.transpose((*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))


def _batch(a, b):
    try:
        return numpy.broadcast_shapes(a, b)
    except ValueError:
        raise ValueError("Batch dimensions are not broadcastable") from None


class ManyAxes:
    """What coo arrays of more than two axes do in another way; of fewer, the next class does it."""

    def _flat(self):
        return self if self.ndim == 1 else self.reshape(math.prod(self._shape))

    def _from_flat(self, found):
        """A result of one row in the array's shape."""
        return found.tocoo().reshape(self._shape) if issparse(found) else found.reshape(self._shape)

    def _many(self, other=None):
        return self._is_array and (self.ndim > 2 or getattr(other, "ndim", 0) > 2)

    def _like_shaped(self, other):
        """Another sparse array of this shape, in one row."""
        if other.shape != self._shape:
            raise ValueError(f"inconsistent shapes {self._shape} and {other.shape}")
        return other.tocoo()._flat()

    @property
    def mT(self) -> Operands:
        """The array with its last two axes exchanged."""
        if self.ndim < 2:
            raise ValueError("matrix transpose with ndim < 2 is undefined")
        return _turned(self)

    # --- elementwise ---

    def _add_sparse(self, other, sign):
        if not self._many():
            return super()._add_sparse(other, sign)
        return self._from_flat(self._flat().tocsr()._add_sparse(self._like_shaped(other), sign))

    def multiply(self, other) -> Operands | ndarray:
        """Elements times elements, or a number.

        Parameters: other: a number, an array or a matrix that broadcasts; of more than two axes, of this shape."""
        other = taken(other, self)
        if not self._many(other) or isscalarlike(other):
            return super().multiply(other)
        if other is None:
            return NotImplemented
        if other.shape != self._shape:
            raise ValueError("inconsistent shapes: multiply of more than two axes does not broadcast")
        if issparse(other):
            return self._from_flat(self._flat().multiply(other.tocoo()._flat()))
        return self._with_data(self.data * other[self._coords])

    def _divide(self, other):
        if not self._many(other) or not issparse(other):
            return super()._divide(other)
        return self._from_flat(self._flat()._divide(self._like_shaped(other)))

    def _extreme(self, other, ufunc, word):
        other = taken(other, self)
        if not self._many(other) or not issparse(other) and not isscalarlike(other):
            return super()._extreme(other, ufunc, word)
        return self._from_flat(self._flat()._extreme(self._like_shaped(other) if issparse(other) else other, ufunc,
                                                     word))

    def _compare(self, other, op):
        other = taken(other, self)
        if not self._many(other) or not issparse(other) and not isscalarlike(other):
            return super()._compare(other, op)
        return self._from_flat(self._flat()._compare(self._like_shaped(other) if issparse(other) else other, op))

    # --- along axes ---

    def sum(self, axis=None, dtype=None, out=None) -> ndarray:
        """The sum of the elements.

        Parameters: axis: None for all, an axis or several; dtype: the result's type; out: an array for it."""
        axes = as_axes(axis, self.ndim)
        if not self._many() or len(axes) == self.ndim:
            return self._flat().tocsr().sum(dtype=dtype, out=out) if self._many() else super().sum(axis, dtype, out)
        lines, shape = moved(self, axes)
        found = lines.sum(axis=1, dtype=dtype or sum_dtype(type_of(self))).reshape(shape)
        if out is None:
            return found
        if out.shape != shape:
            raise ValueError("out dimensions do not match shape")
        out[...] = found
        return out

    def mean(self, axis=None, dtype=None, out=None) -> ndarray:
        """The mean of all elements, zeros that are not stored among them.

        Parameters: axis: None for all, an axis or several; dtype: the result's type; out: an array for it."""
        axes = as_axes(axis, self.ndim)
        if not self._many():
            return super().mean(axis, dtype, out)
        lines, shape = moved(self, axes)
        found = lines.mean(axis=1, dtype=dtype).reshape(shape)
        if out is None:
            return found
        if out.shape != shape:
            raise ValueError("out dimensions do not match shape")
        out[...] = found
        return out

    def _min_or_max(self, axis, out, ufunc, explicit):
        axes = as_axes(axis, self.ndim)
        if not self._many() or out is not None:
            return super()._min_or_max(axis, out, ufunc, explicit)
        if len(axes) == self.ndim:
            return self._flat()._min_or_max(None, None, ufunc, explicit)
        lines, shape = moved(self, axes)
        return lines._min_or_max(1, None, ufunc, explicit).reshape(shape)

    def _arg(self, axis, out, ufunc, compare, word, explicit):
        axes = as_axes(axis, self.ndim)
        if not self._many() or out is not None:
            return super()._arg(axis, out, ufunc, compare, word, explicit)
        if len(axes) == self.ndim:
            return self._flat().reshape((1, math.prod(self._shape)))._arg(None, None, ufunc, compare, word, explicit)
        lines, shape = moved(self, axes)
        return lines._arg(1, None, ufunc, compare, word, explicit).reshape(shape)

    def _counted(self, axis, keep=None):
        """How many elements stand along axes, those of a mask alone."""
        lines, shape = moved(self, as_axes(axis, self.ndim))
        rows = lines._coords[0] if keep is None else lines._coords[0][keep]
        return cp.bincount(rows, minlength=math.prod(shape)).reshape(shape)

    # --- products ---

    def _matmul(self, other):
        other = taken(other, self)
        if not self._many(other) or isscalarlike(other):
            return super()._matmul(other)
        if other is None or not issparse(other) and not isdense(other):
            return NotImplemented
        n, k = self._shape[-1], other.shape[-2:][0]
        if n != k:
            raise ValueError(f"matmul: dimension mismatch with signature (n,..,k={n}),(k={k},..,m)->(n,..,m)")
        a = self.reshape(self._shape_as_2d) if self.ndim == 1 else self
        b = other.reshape((k, 1)) if other.ndim == 1 else other
        batch = _batch(a.shape[:-2], b.shape[:-2])
        found = a._stacks(b.tocoo() if issparse(b) else b, batch)
        rows = () if self.ndim == 1 else found.shape[-2:-1]
        return found.reshape(batch + rows + (() if other.ndim == 1 else found.shape[-1:]))

    def _stacks(self, other, batch):
        (m, k), n, count = self._shape[-2:], other.shape[-1], math.prod(batch)
        left = _stack(self, batch + (m, k))
        if not issparse(other):
            right = cp.broadcast_to(other, batch + (k, n)).reshape(count * k, n)
            return (left @ right).reshape(batch + (m, n))
        found = (left @ _stack(other, batch + (k, n))).tocoo()
        row, column = (c.astype("int64") for c in found._coords)
        at = unravel(row // max(m, 1), batch) + (row % max(m, 1), column % max(n, 1))
        return class_of("coo", True)._new(found.data, at, batch + (m, n))

    def _rmatmul(self, other):
        other = taken(other, self)
        if not self._many(other) or isscalarlike(other) or other is None:
            return super()._rmatmul(other)
        found = _turned(self)._matmul(_turned(other))
        return found if found is NotImplemented or 1 in (self.ndim, other.ndim) else _turned(found)

    def dot(self, other) -> Operands | ndarray:
        """The product of matrices, or with a vector; of more axes, of this array's last and the other's last but one.

        Parameters: other: a matrix, an array or a number."""
        other = taken(other, self)
        if not self._many(other) or isscalarlike(other):
            return super().dot(other)
        if other is None:
            raise TypeError("dot: the argument is no array")
        last = max(0, other.ndim - 2)
        if self._shape[-1] != other.shape[last]:
            raise ValueError(f"shapes {self._shape} and {other.shape} are not aligned for n-D dot")
        return self.tensordot(other, ([self.ndim - 1], [last]))

    def tensordot(self, other, axes=2) -> Operands | ndarray:
        """The sum of products along axes.

        Parameters: other: an array or a sparse one; axes: how many of this array's last and the other's first axes, or
            both lists of axes.
        Errors: ValueError for axes that do not fit, TypeError for what is no array."""
        other = taken(other, self)
        if other is None or not (issparse(other) or isdense(other)):
            raise TypeError("tensordot: the argument is no array")
        mine, theirs = _both_axes(self.ndim, other.ndim, axes)
        if any(self._shape[a] != other.shape[b] for a, b in zip(mine, theirs)):
            raise ValueError("sizes of the corresponding axes must match")
        left, first = moved(self, mine)
        if issparse(other):
            right, second = moved(other.tocoo(), theirs)
            found = (left.tocsr() @ right.transpose().tocsr()).tocoo()
            if not first + second:
                return found.sum()
            at = unravel(found._coords[0], first) if first else ()
            at += unravel(found._coords[1], second) if second else ()
            return class_of("coo", True)._new(found.data, at, first + second)
        rest = [a for a in range(other.ndim) if a not in theirs]
        second = tuple(other.shape[a] for a in rest)
        right = other.transpose(theirs + rest).reshape(left.shape[1], math.prod(second))
        return (left.tocsr() @ right).reshape(first + second)


def _both_axes(ndim, other_ndim, axes):
    """The axes of both arrays along which tensordot adds."""
    if hasattr(axes, "__index__"):
        n = int(axes)
        if not 0 <= n <= min(ndim, other_ndim):
            raise ValueError("axes integer is out of bounds for input arrays")
        return list(range(ndim - n, ndim)), list(range(n))
    if len(axes) != 2:
        raise ValueError("axes must be a tuple/list of length 2")
    pair = [[int(a)] if hasattr(a, "__index__") else [int(i) for i in a] for a in axes]
    if len(pair[0]) != len(pair[1]):
        raise ValueError("axes lists/tuples must be of the same length")
    for part, n in zip(pair, (ndim, other_ndim)):
        if any(not -n <= a < n for a in part):
            raise ValueError("axes indices are out of bounds for input arrays")
    found = [[a % n for a in part] for part, n in zip(pair, (ndim, other_ndim))]
    if any(len(set(part)) != len(part) for part in found):
        raise ValueError("axes must be distinct")
    return found


def index_type(coords, shape):
    """The type of coordinates: of more than two axes int64, as SciPy has it."""
    return "int64" if len(shape) > 2 else index_dtype(coords, maxval=max(shape))
