"""Diagonals: dia matrices and arrays. data[k, j] is the element of column j on the diagonal offsets[k]."""
from __future__ import annotations

import cuprite as cp
from cuprite import _sparse as S
from cuprite._element_types import common_type, type_of
from cuprite.scipy.sparse._base import _spbase, class_of, is_foreign, issparse, sparray, spmatrix
from cuprite.scipy.sparse._data import DataMatrix
from cuprite.scipy.sparse._util import (
    check_shape, getdtype, index_dtype, isscalarlike, isshape, scipys, sum_dtype, upcast, validate_axis,
    without_halves)


class _dia(DataMatrix):
    """What dia_matrix and dia_array share."""

    _format = "dia"

    def __init__(self, arg1, shape=None, dtype=None, copy=False, *, maxprint=None):
        _spbase.__init__(self, arg1, maxprint=maxprint)
        if is_foreign(arg1):
            arg1 = arg1.todia()
            arg1, shape = (arg1.data, arg1.offsets), arg1.shape
        if isinstance(arg1, tuple) and not isshape(arg1):
            try:
                data, offsets = arg1
            except ValueError as error:
                raise ValueError("unrecognized form for dia_array constructor") from error
            if shape is None:
                raise ValueError("expected a shape argument")
            self._shape = check_shape(shape)
            make = cp.array if copy else cp.asarray
            self.data = cp.atleast_2d(make(data, dtype=dtype))
            index = index_dtype(maxval=max(self._shape))
            self.offsets = cp.atleast_1d(make(offsets, dtype=index))
        elif isinstance(arg1, tuple):
            self._shape = check_shape(arg1)
            self.data = cp.zeros((0, 0), dtype=getdtype(dtype, default=float))
            self.offsets = cp.zeros(0, dtype=index_dtype(maxval=max(self._shape)))
        else:
            if not issparse(arg1):
                dense = cp.asarray(arg1)
                if self._is_array and dense.ndim != 2:
                    raise ValueError(f"DIA arrays don't support {dense.ndim}D input. Use 2D")
                arg1 = class_of("coo", self._is_array)(dense, dtype=dtype, shape=shape)
            other = arg1.copy() if arg1.format == "dia" and copy else arg1.todia()
            self.data, self.offsets, self._shape = other.data, other.offsets, check_shape(other.shape)
        getdtype(type_of(self.data) if dtype is None else dtype)
        if dtype is not None:
            self.data = self.data.astype(getdtype(dtype), copy=False)
        self._check()

    @classmethod
    def _new(cls, data, offsets, shape):
        """A matrix of arrays that are known to be right."""
        self = cls.__new__(cls)
        _spbase.__init__(self)
        self.data, self.offsets, self._shape = data, offsets, shape
        return self

    def _check(self):
        if self.offsets.ndim != 1:
            raise ValueError("offsets array must have rank 1")
        if self.data.ndim != 2:
            raise ValueError("data array must have rank 2")
        if self.data.shape[0] != self.offsets.size:
            raise ValueError(f"number of diagonals ({self.data.shape[0]}) does not match the number of offsets "
                             f"({self.offsets.size})")
        if cp.unique(self.offsets).size != self.offsets.size:
            raise ValueError("offset array contains duplicate values")

    def _about(self):
        return f" ({self.data.shape[0]} diagonals)"

    def _mask(self):
        """Which of data are elements."""
        column = cp.arange(self.data.shape[1])
        row = column - self.offsets[:, None]
        return (row >= 0) & (row < self._shape[0]) & (column < self._shape[1])

    def _with_data(self, data, copy=True):
        return type(self)((data, self.offsets.copy() if copy else self.offsets), shape=self._shape)

    def copy(self) -> _spbase:
        """A copy that shares no array."""
        return self._with_data(self.data.copy())

    def _getnnz(self, axis=None):
        if axis is not None:
            raise NotImplementedError("_getnnz over an axis is not implemented for DIA format")
        m, n = self._shape
        length = min(self.data.shape[1], n)
        return sum(max(min(m + k, length) - max(k, 0), 0) for k in self.offsets.tolist())

    def count_nonzero(self, axis=None) -> ndarray | int:
        """How many elements are not 0.

        Parameters: axis: None."""
        if axis is not None:
            raise NotImplementedError("count_nonzero over an axis is not implemented for DIA format")
        return int(cp.count_nonzero(self.data[self._mask()]))

    def get(self, stream=None):
        """The matrix as one of SciPy's, in the host's memory.

        Parameters: stream: for CuPy's sake."""
        return scipys(type(self).__name__)((self.data.get(), self.offsets.get()), shape=self._shape)

    def __reduce__(self):
        return type(self), ((self.data, self.offsets), self._shape)

    # --- conversions ---

    def todia(self, copy=False) -> _spbase:
        """The matrix as diagonals.

        Parameters: copy: whether arrays must not be shared."""
        return self.copy() if copy else self

    def _coordinates(self):
        mask = self._mask() & (self.data != 0)
        which, column = mask.nonzero()
        index = index_dtype((self.offsets,), maxval=max(self._shape))
        row = (column - self.offsets[which]).astype(index)
        return class_of("coo", self._is_array)._new(self.data[mask], (row, column.astype(index)), self._shape)

    def _lines(self, format):
        """The matrix as csr or csc, without what is 0; the indices ascend."""
        parts = S.sparse_diagonal_lines(self.data, self.offsets, *self._shape, format == "csc")
        return class_of(format, self._is_array)._new(*parts, self._shape, True, True)

    def tocoo(self, copy=False) -> _spbase:
        """The matrix as coordinates, without zeros.

        Parameters: copy: whether arrays must not be shared."""
        if self._shape[0] <= max(1 << 24, 8 * self.data.size):
            return self.tocsr().tocoo()
        coo = self._coordinates()   # of few rows among very many
        coo.sum_duplicates()
        return coo

    def tocsr(self, copy=False) -> _spbase:
        """The matrix as compressed rows, without zeros.

        Parameters: copy: whether arrays must not be shared."""
        return self._lines("csr")

    def tocsc(self, copy=False) -> _spbase:
        """The matrix as compressed columns, without zeros.

        Parameters: copy: whether arrays must not be shared."""
        return self._lines("csc")

    def transpose(self, axes=None, copy=False) -> _spbase:
        """The transpose.

        Parameters: axes: None or (1, 0); copy: whether arrays must not be shared."""
        self._check_axes(axes)
        m, n = self._shape
        column = cp.arange(m) - (-self.offsets.astype("int64"))[:, None]
        inside = (column >= 0) & (column < self.data.shape[1])
        if self.data.size == 0:
            data = cp.zeros((self.offsets.size, m), dtype=type_of(self))
        else:
            data = self.data[cp.arange(self.offsets.size)[:, None], cp.where(inside, column, 0)]
            data = cp.where(inside, data, cp.zeros((), dtype=type_of(self)))
        return type(self)((data, -self.offsets), shape=(n, m))

    def resize(self, *shape) -> None:
        """Changes the shape in place: elements outside of the new one are dropped.

        Parameters: shape: the new lengths."""
        shape = check_shape(shape)
        m, n = shape
        self.data = self.data[:, :n]
        if m > self._shape[0] and bool((self.offsets + self._shape[0] < self.data.shape[1]).any()):
            self.data = cp.where(self._mask(), self.data, cp.zeros((), dtype=type_of(self)))
        self._shape = shape

    # --- elements ---

    def _deduped(self):
        return self.data

    def diagonal(self, k=0) -> ndarray:
        """A diagonal.

        Parameters: k: which; 0 is the main one, above it positive."""
        m, n = self._shape
        if k <= -m or k >= n:
            return cp.empty(0, dtype=type_of(self))
        first, last = max(0, k), min(m + k, n)
        offsets = self.offsets.tolist()
        if k not in offsets:
            return cp.zeros(last - first, dtype=type_of(self))
        part = self.data[offsets.index(k), first:last]
        if part.size == last - first:
            return part     # a view, as SciPy's
        result = cp.zeros(last - first, dtype=type_of(self))
        result[:part.size] = part
        return result

    def sum(self, axis=None, dtype=None, out=None) -> ndarray:
        """The sum of the elements.

        Parameters: axis: None for all, or one axis; dtype: the result's type; out: an array for it."""
        axis, within = validate_axis(axis), sum_dtype(type_of(self))
        if axis == 0 or type_of(self).kind == "b":
            return super().sum(axis=axis, dtype=dtype, out=out)
        rows = self._times(cp.ones(self._shape[1], dtype=within))
        if axis is None:
            return rows.sum(dtype=dtype or within, out=out)
        return self._delivered_sum(rows, axis, dtype or within, out)

    def _setdiag(self, values, k):
        m, n = self._shape
        count = min(m + min(k, 0), n - max(k, 0))
        if values.ndim:
            values = values[:count]
            count = min(count, values.size)
        first = max(k, 0)
        offsets, columns = self.offsets.tolist(), max(first + count, self.data.shape[1])
        known = k in offsets
        if known and columns == self.data.shape[1]:
            self.data[offsets.index(k), first:first + count] = values
            return
        data = cp.zeros((len(offsets) + (not known), columns), dtype=type_of(self))
        data[:len(offsets), :self.data.shape[1]] = self.data
        data[offsets.index(k) if known else len(offsets), first:first + count] = values
        if not known:
            self.offsets = cp.concatenate((self.offsets, cp.array([k], dtype=type_of(self.offsets))))
        self.data = data

    # --- two operands ---

    def _add_sparse(self, other, sign):
        if other.format != "dia":
            if sign < 0 or other.format == "dok":
                return self.tocsr()._add_sparse(other, sign)
            return other._add_sparse(self, 1)
        same = self.offsets is other.offsets or self.data.shape == other.data.shape and bool(
            (self.offsets == other.offsets).all())
        if same and self.data.shape == other.data.shape:
            data = self.data + other.data if sign > 0 else self.data - other.data
            return type(self)((data, self.offsets.copy()), shape=self._shape)
        offsets = cp.union1d(self.offsets, other.offsets)
        columns = max(self.data.shape[1], other.data.shape[1])
        data = cp.zeros((offsets.size, columns), dtype=common_type(self, other))
        for matrix, plus in ((self, True), (other, sign > 0)):
            if not matrix.data.size:
                continue
            place = cp.searchsorted(offsets, matrix.offsets)
            part = cp.where(matrix._mask(), matrix.data, cp.zeros((), dtype=type_of(matrix)))
            wide = cp.zeros_like(data)
            wide[place, :part.shape[1]] = part
            data = data + wide if plus else data - wide
        return type(self)((data, offsets), shape=self._shape)

    def multiply(self, other) -> _spbase | ndarray:
        """Elements times elements, or a number.

        Parameters: other: a number, an array or a matrix that broadcasts."""
        if isscalarlike(other):
            return self._mul_scalar(other)
        if issparse(other) and other.format == "dia" and other.shape == self._shape:
            offsets, mine, theirs = cp.intersect1d(self.offsets, other.offsets, return_indices=True)
            length = min(self.data.shape[1], other.data.shape[1])
            data = self.data[mine, :length] * other.data[theirs, :length]
            return type(self)((data, offsets), shape=self._shape)
        plain = isinstance(other, cp.ndarray) and other.size and not {0, 1} & set(self._shape)
        if plain and other.ndim <= 2:
            return self._by_dense(cp.atleast_2d(other))
        result = _spbase.multiply(self, other)
        return result.todia() if plain and issparse(result) and result.shape == self._shape else result

    def _by_dense(self, other):
        """Elements times those of an array, a row or a column."""
        (m, n), (rows, columns) = self._shape, other.shape
        length = min(self.data.shape[1], n)
        data = self.data[:, :length]
        if rows not in (1, m) or columns not in (1, n):
            raise ValueError(f"inconsistent shapes {self._shape} and {other.shape}")
        if rows == 1:
            return self._with_data(data * other[0, :length if columns > 1 else 1])
        column = cp.arange(length)
        row = (column - self.offsets[:, None]) % m
        return self._with_data(data * (other[row, column] if columns > 1 else other[row, 0]))

    def _times(self, x):
        """The matrix times an array: one diagonal after the other, in their order, as SciPy adds them."""
        return S.sparse_diagonals(self.data, self.offsets, *self._shape, without_halves(x))

    def _matmul_vector(self, other):
        return self._times(other)

    def _matmul_many(self, other):
        return self._times(other)

    def _matmul_sparse(self, other):
        if other.format != "dia":
            return self.tocsr()._matmul_sparse(other)
        dtype, shape = upcast(type_of(self), type_of(other)), (self._shape[0], other._shape[1])
        if 0 in (*self._shape, *shape):
            return type(self)(shape, dtype=dtype)
        if self.data._device < 0 and self.data.device == other.data.device:
            parts = S.sparse_diagonal_product(
                self.data.astype(dtype, copy=False), self.offsets, other.data.astype(dtype, copy=False),
                other.offsets, *self._shape, shape[1])
            return self._new(*parts, shape)
        return self._times_diagonals(other, dtype, shape)

    def _times_diagonals(self, other, dtype, shape):
        """The product with diagonals, of all of which each one has its products at once."""
        rows, inner = self._shape
        length = min(other.data.shape[1], shape[1])
        sums = cp.unique(self.offsets.astype("int64")[:, None] + other.offsets)
        sums = sums[(sums > -rows) & (sums < length)]
        data = cp.zeros((sums.size, length), dtype=dtype)
        mine, column = self.data.astype(dtype, copy=False)[:, :inner], cp.arange(length)
        if not sums.size or not mine.size:
            return self._new(data, sums.astype(index_dtype(maxval=max(shape))), shape)
        for k, theirs in zip(other.offsets.tolist(), other.data.astype(dtype, copy=False)[:, :length]):
            row = column - k
            offset = self.offsets.astype("int64") + k
            at = cp.searchsorted(sums, offset)
            known = (at < sums.size) & (sums[cp.minimum(at, sums.size - 1)] == offset)
            here, at = mine[known], at[known]
            inside = (row >= 0) & (row < here.shape[1]) & (column >= offset[known][:, None]) & (
                column < offset[known][:, None] + rows)
            term = here[:, cp.clip(row, 0, here.shape[1] - 1)] * theirs
            data[at] = cp.where(inside, data[at] + term, data[at])
        return self._new(data, sums.astype(index_dtype(maxval=max(shape))), shape)


class dia_array(_dia, sparray):
    """A sparse array of diagonals.

    Parameters: arg1: an array, a matrix, a shape, or (data, offsets); shape: the lengths of the axes; dtype: the
        element type; copy: whether arrays must not be shared; maxprint: how many elements are printed."""


class dia_matrix(spmatrix, _dia):
    """A sparse matrix of diagonals.

    Parameters: arg1: an array, a matrix, a shape, or (data, offsets); shape: the lengths of the axes; dtype: the
        element type; copy: whether arrays must not be shared; maxprint: how many elements are printed."""


def isspmatrix_dia(x) -> bool:
    """Is x a dia_matrix?

    Parameters: x: any object."""
    return isinstance(x, dia_matrix)
