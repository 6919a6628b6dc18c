"""The extremes of csr, csc and coo matrices, zeros that are not stored among them."""
from __future__ import annotations

import math

import cuprite as cp
from cuprite._element_types import type_of
from cuprite.scipy.sparse._base import _spbase, class_of
from cuprite.scipy.sparse._util import index_dtype, validate_axis


def _per_line(m, ufunc):
    """The lines of a canonical matrix that have elements, and the ufunc's reduction of each."""
    lengths = cp.diff(m._indptr)
    lines = cp.flatnonzero(lengths)
    return lines, ufunc.reduceat(m.data, m._indptr[lines]) if lines.size else m.data[:0], lengths[lines]


class Extremes:
    """min, max and where they are."""

    def _lines_along(self, axis):
        m = (self.tocsc() if axis == 0 else self.tocsr())._canon()
        return m, self.shape[axis], self.shape[1 - axis]

    def _extreme_along(self, axis, ufunc, explicit):
        m, length, count = self._lines_along(axis)
        lines, value, lengths = _per_line(m, ufunc)
        if not explicit and value.size:
            value = cp.where(lengths < length, ufunc(value, cp.zeros((), dtype=type_of(value))), value)
        keep = value != 0
        index = index_dtype(maxval=count)
        lines, value = lines[keep].astype(index), value[keep]
        if self._is_array:
            return class_of("coo", True)((value, (lines,)), shape=(count,), dtype=type_of(self))
        zeros = cp.zeros_like(lines)
        at, shape = ((zeros, lines), (1, count)) if axis == 0 else ((lines, zeros), (count, 1))
        return class_of("coo", False)((value, at), shape=shape, dtype=type_of(self))

    def _min_or_max(self, axis, out, ufunc, explicit):
        if out is not None:
            raise ValueError("Sparse min/max does not support an 'out' parameter.")
        axis = None if axis is None else validate_axis(axis, self.ndim)
        if 0 in (self._shape if axis is None else (self._shape[axis],)):
            raise ValueError("zero-size array to reduction operation")
        if axis is not None:
            return self._extreme_along(axis, ufunc, explicit)
        data = self._deduped()
        if not data.size:
            return cp.zeros((), dtype=type_of(data))
        value = ufunc.reduce(data.ravel())
        if explicit or data.size == math.prod(self._shape):
            return value
        return ufunc(cp.zeros((), dtype=type_of(data)), value)

    def max(self, axis=None, out=None, *, explicit=False) -> _spbase | ndarray:
        """The greatest element.

        Parameters: axis: None for all, or one axis; out: None; explicit: whether only stored elements count."""
        return self._min_or_max(axis, out, cp.maximum, explicit)

    def min(self, axis=None, out=None, *, explicit=False) -> _spbase | ndarray:
        """The smallest element.

        Parameters: axis: None for all, or one axis; out: None; explicit: whether only stored elements count."""
        return self._min_or_max(axis, out, cp.minimum, explicit)

    def nanmax(self, axis=None, out=None, *, explicit=False) -> _spbase | ndarray:
        """The greatest element that is not NaN.

        Parameters: axis: None for all, or one axis; out: None; explicit: whether only stored elements count."""
        return self._min_or_max(axis, out, cp.fmax, explicit)

    def nanmin(self, axis=None, out=None, *, explicit=False) -> _spbase | ndarray:
        """The smallest element that is not NaN.

        Parameters: axis: None for all, or one axis; out: None; explicit: whether only stored elements count."""
        return self._min_or_max(axis, out, cp.fmin, explicit)

    def argmax(self, axis=None, out=None, *, explicit=False) -> ndarray | int:
        """Where the greatest element is, the first of equal ones.

        Parameters: axis: None for all, or one axis; out: None; explicit: whether only stored elements count."""
        return self._arg(axis, out, cp.maximum, cp.greater, "argmax", explicit)

    def argmin(self, axis=None, out=None, *, explicit=False) -> ndarray | int:
        """Where the smallest element is, the first of equal ones.

        Parameters: axis: None for all, or one axis; out: None; explicit: whether only stored elements count."""
        return self._arg(axis, out, cp.minimum, cp.less, "argmin", explicit)

    def _arg(self, axis, out, ufunc, compare, word, explicit):
        if out is not None:
            raise ValueError(f"Sparse {word} does not support an 'out' parameter.")
        axis = validate_axis(axis, self.ndim)
        if axis is not None:
            if self.shape[axis] == 0:
                raise ValueError(f"Cannot apply {word} along a zero-sized dimension.")
            return self._arg_along(axis, ufunc, compare, explicit)
        if 0 in self.shape:
            raise ValueError(f"Cannot apply {word} to an empty matrix.")
        if self.nnz == 0:
            if explicit:
                raise ValueError(f"Cannot apply {word} to zero matrix when explicit=True.")
            return 0
        m = self if self.format in ("csr", "csc", "coo") else self.tocsr()
        found = None if explicit else m._first_of(word, compare)
        if found is not None:
            return found
        m = self.tocoo()
        m.sum_duplicates()
        line = m.reshape((1, math.prod(self.shape)))
        if explicit:
            return int(getattr(cp, word)(m.data))
        return int(class_of("csr", False)(line)._arg_along(1, ufunc, compare, False)[0, 0])

    def _arg_along(self, axis, ufunc, compare, explicit):
        m, length, count = self._lines_along(axis)
        result = cp.zeros(count, dtype="int64")
        lines, value, lengths = _per_line(m, ufunc)
        if lines.size:
            data, begin = m.data, m._indptr[lines].astype("int64")
            which = cp.repeat(cp.arange(lines.size), lengths)
            place = cp.arange(data.size) - begin[which]
            beyond = cp.int64(2**62)
            same = (data == value[which]) | ((data != data) & (value != value)[which])
            first = cp.minimum.reduceat(cp.where(same, place, beyond), begin)
            column = m._indices[begin + first].astype("int64")
            if not explicit:
                gap = cp.minimum.reduceat(cp.where(m._indices != place, place, beyond), begin)
                gap = cp.minimum(gap, lengths)   # the first column without an element
                zero = cp.zeros((), dtype=type_of(data))
                stored = compare(value, zero) | (lengths == length)
                column = cp.where(stored, column, cp.where(value == zero, cp.minimum(column, gap), gap))
            result[lines] = column
        if self._is_array:
            return result
        return result.reshape((1, -1) if axis == 0 else (-1, 1))
