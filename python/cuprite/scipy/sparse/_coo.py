"""Coordinates: coo matrices, and arrays of any number of axes."""
from __future__ import annotations

import math
import operator

import cuprite as cp
from cuprite import _sparse as S
from cuprite._element_types import type_of
from cuprite.scipy.sparse._axes import ManyAxes, index_type, ravel, unravel
from cuprite.scipy.sparse._base import _spbase, class_of, is_foreign, issparse, sparray, spmatrix
from cuprite.scipy.sparse._checked import Sharing
from cuprite.scipy.sparse._data import DataMatrix
from cuprite.scipy.sparse._index import MoreAxes, parse
from cuprite.scipy.sparse._index_axes import IndexedAxes
from cuprite.scipy.sparse._minmax import Extremes
from cuprite.scipy.sparse._util import (
    as_axes, check_order, check_shape, index_dtype, getdtype, isshape, scipys, sum_dtype, validate_axis,
    without_halves)


def _ends(major, lines):
    """indptr of checked lines that ascend; None of others."""
    if major._device < 0:
        ends = S.sparse_ends(major, lines)
        return ends if ends.size else None
    if not bool((major[1:] >= major[:-1]).all()):
        return None
    return cp.searchsorted(major, cp.arange(lines + 1, dtype=type_of(major))).astype(type_of(major), copy=False)


class _coo(Sharing, ManyAxes, IndexedAxes, Extremes, DataMatrix):
    """What coo_matrix and coo_array share."""

    _format = "coo"
    _allow_nd = tuple(range(1, 65))
    _places, _trusted = (), True  # of each axis, the indices of the elements, and whether they were checked
    _ordered = False              # are they known to be in the order of rows?

    def __init__(self, arg1, shape=None, dtype=None, copy=False, *, maxprint=None):
        _spbase.__init__(self, arg1, maxprint=maxprint)
        self.has_canonical_format = False
        if is_foreign(arg1):
            arg1 = arg1.tocoo()
            arg1, shape = (arg1.data, arg1.coords), arg1.shape if shape is None else shape
        if isinstance(arg1, tuple):
            self._from_tuple(arg1, shape, dtype, copy)
        elif issparse(arg1):
            other = arg1.copy() if arg1.format == "coo" and copy else arg1.tocoo(copy=copy)
            self._shape = check_shape(other.shape, allow_nd=self._allow_nd)
            if shape is not None:
                self._widen(check_shape(shape, allow_nd=self._allow_nd), other)
            self._coords, self.data = other._coords, other.data.astype(getdtype(dtype, other), copy=False)
            other._share(self)
            self.has_canonical_format = other.has_canonical_format
        else:
            self._from_dense(arg1, shape, dtype)

    def _widen(self, shape, other):
        """A shape for elements that are there, of as many axes: longer ones are as good."""
        if len(shape) != self.ndim or any(n < m and (not other.data.size or int(c.max()) >= n)
                                          for n, m, c in zip(shape, self._shape, other._coords)):
            raise ValueError(f"inconsistent shapes: {shape} != {self._shape}")
        self._shape = shape

    @classmethod
    def _new(cls, data, coords, shape, canonical=False):
        """A matrix of arrays that are known to be right."""
        self = cls.__new__(cls)
        self.maxprint, self._shape, self.data, self._coords = 50, tuple(shape), data, coords
        self.has_canonical_format = canonical
        return self

    def _from_tuple(self, arg1, shape, dtype, copy):
        if isshape(arg1, self._allow_nd):
            self._shape = check_shape(arg1, allow_nd=self._allow_nd)
            index = index_type((), self._shape)
            self._coords = tuple(cp.zeros(0, dtype=index) for _ in self._shape)
            self.data = cp.zeros(0, dtype=getdtype(dtype, default=float))
            self.has_canonical_format = True
            return
        try:
            data, coords = arg1
        except (TypeError, ValueError) as error:
            raise TypeError("invalid input format") from error
        coords = tuple(x if isinstance(x, cp.ndarray) else cp.asarray(x) for x in coords)
        if shape is None:
            if any(x.size == 0 for x in coords):
                raise ValueError("cannot infer dimensions from zero sized index arrays")
            shape = tuple(operator.index(x.max().item()) + 1 for x in coords)
        self._shape = check_shape(shape, allow_nd=self._allow_nd)
        coords = tuple(x.astype("int64") if x.size == 0 and type_of(x).kind == "f" else x for x in coords)
        index = "int64" if self.ndim > 2 else index_dtype(coords, maxval=max(self._shape),
                                                               check_contents=not self._is_array)
        self._coords = tuple(cp.array(x, dtype=index) if copy else x.astype(index, copy=False) for x in coords)
        data = cp.array(data, dtype=dtype) if copy else cp.asarray(data, dtype=dtype)
        getdtype(type_of(data))
        self.data = data
        if not copy and any(isinstance(x, cp.ndarray) for x in arg1[1]):
            self._show()
        self._check()

    def _from_dense(self, arg1, shape, dtype):
        dense = cp.asarray(arg1)
        if dense.ndim == 0 and self._is_array:
            raise TypeError("a sparse array is made of an array with at least one axis")
        if not self._is_array:
            dense = cp.atleast_2d(dense)
            if dense.ndim != 2:
                raise TypeError(f"expected 2D array or matrix, not {dense.ndim}D")
        self._shape = check_shape(dense.shape, allow_nd=self._allow_nd)
        if shape is not None and check_shape(shape, allow_nd=self._allow_nd) != self._shape:
            raise ValueError(f"inconsistent shapes: {shape} != {self._shape}")
        getdtype(type_of(dense) if dtype is None else dtype)
        index = index_type((), self._shape)
        found = dense.nonzero()
        self._coords = tuple(x.astype(index) for x in found)
        self.data = dense[found].astype(type_of(dense) if dtype is None else dtype, copy=False)
        self.has_canonical_format = True

    def _index_arrays(self):
        return self._places, 0

    def _check(self):
        looked, self._ordered = self._shown.times if self._shown else 0, False
        if self.ndim != len(self._places):
            raise ValueError(f"mismatching number of index arrays for shape; got {len(self._places)}, expected "
                             f"{self.ndim}")
        index = index_type(self._places, self._shape)
        self._places = tuple(x.astype(index, copy=False) for x in self._places)
        if any(x.ndim == 1 and self.data.ndim == 1 and x.size != self.data.size for x in self._places):
            raise ValueError("all index and data arrays must have the same length")
        if self.data.ndim != 1 or any(x.ndim != 1 for x in self._places):
            raise ValueError("coordinates and data arrays must be 1-D")
        for i, x in enumerate(self._places):
            if x.size and x._device < 0 and type_of(x).char in "ilq":
                ends = cp.array([0, x.size], dtype=type_of(x), device=x._device)
                if not int(S.sparse_check(x, ends, self._shape[i])) & 12:   # in one pass: none is outside
                    continue
            if x.size and int(x.max()) >= self._shape[i]:
                raise ValueError(f"axis {i} index {int(x.max())} exceeds matrix dimension {self._shape[i]}")
            if x.size and int(x.min()) < 0:
                raise ValueError(f"negative axis {i} index: {int(x.min())}")
        self._trusted, self._looked = True, looked

    @property
    def coords(self) -> tuple[ndarray, ...]:
        """Of each axis, the indices of the elements."""
        self._show()    # whoever sees the arrays may write to them: they are checked again
        return self._places

    @coords.setter
    def coords(self, new) -> None:
        self._places = tuple(cp.asarray(x) for x in new)
        self._show()

    @property
    def _coords(self):
        """The indices, which were checked."""
        if not self._sure() or self.data.ndim != 1 or any(c.size != self.data.size for c in self._places):
            self._check()
        return self._places

    @_coords.setter
    def _coords(self, new):
        self._places, self._trusted, self._ordered, self._shown = tuple(new), True, False, None

    @property
    def _row(self):
        return self._coords[-2] if self.ndim > 1 else cp.zeros_like(self._coords[-1])

    @property
    def _col(self):
        return self._coords[-1]

    @property
    def row(self) -> ndarray:
        """The row of each element."""
        return self.coords[-2] if self.ndim > 1 else cp.zeros_like(self.col)

    @row.setter
    def row(self, new) -> None:
        if self.ndim < 2:
            raise ValueError("cannot set row attribute of a 1-dimensional sparse array")
        self._set_coords(-2, new)

    @property
    def col(self) -> ndarray:
        """The column of each element."""
        return self.coords[-1]

    @col.setter
    def col(self, new) -> None:
        self._set_coords(-1, new)

    def _set_coords(self, axis, new):
        """New indices of an axis: of int64 where they are, as CuPy has it, else of the type that was there."""
        wide = getattr(new, "dtype", None) == "int64"
        coords = list(self._places)
        coords[axis] = cp.asarray(new, dtype="int64" if wide else type_of(self._places[axis]))
        self.coords = coords

    # --- conversions ---

    def _with_data(self, data, copy=True):
        coords = tuple(c.copy() for c in self._coords) if copy else self._coords
        new = type(self)._new(data, coords, self._shape, self.has_canonical_format)
        return new if copy else self._share(new)

    def copy(self) -> _spbase:
        """A copy that shares no array."""
        return self._with_data(self.data.copy(), copy=True)

    def tocoo(self, copy=False) -> _spbase:
        """The matrix as coordinates.

        Parameters: copy: whether arrays must not be shared."""
        return self.copy() if copy else self

    def _compressed(self, format):
        major, minor = self._coords if format == "csr" else self._coords[::-1]
        lines, length = self._shape if format == "csr" else self._shape[::-1]
        index = index_dtype(self._coords, maxval=max(self.data.size, length))
        if format == "csr" and self.has_canonical_format:   # SciPy's dok has the flag without the order
            ends = _ends(major, lines)
            if ends is not None:
                result = self._in_order(ends)
                result._sorted = result._canonical = None
                return result
        major, minor = major.astype(index, copy=False), minor.astype(index, copy=False)
        many = length > max(1 << 24, 8 * self.data.size)  # columns: sum_duplicates ranks them
        if self.has_canonical_format or many:
            triple = S.sparse_compress(self.data, major, minor, lines)
            result = class_of(format, self._is_array)._new(*triple, self._shape)
            if not self.has_canonical_format:
                result.sum_duplicates()
            return result
        triple = S.sparse_canonical(self.data, major, minor, lines, length)
        return class_of(format, self._is_array)._new(*triple, self._shape, True, True)

    def _in_order(self, ends=None):
        """A canonical matrix whose elements are in the order of rows as compressed ones, of the same arrays."""
        major, minor = self._coords
        index = index_dtype(self._coords, maxval=max(self.data.size, self._shape[1]))
        ends = _ends(major, self._shape[0]) if ends is None else ends
        return self._share(class_of("csr", self._is_array)._new(self.data, minor.astype(index, copy=False), ends.astype(
            index, copy=False), self._shape, True, True))

    def tocsr(self, copy=False) -> _spbase:
        """The matrix as compressed rows; elements at one place are added.

        Parameters: copy: whether arrays must not be shared."""
        if self.ndim == 2:
            self._check_sizes()
            return (self.copy() if copy and self.has_canonical_format else self)._compressed("csr")
        if self.ndim > 2:
            raise ValueError(f"Cannot convert. CSR must be 1D or 2D. Got {self.ndim}D")
        index = self._coords[0]
        indptr = cp.array([0, self.data.size], dtype=type_of(index))
        data, index = (self.data.copy(), index.copy()) if copy else (self.data, index)
        result = self._share(class_of("csr", self._is_array)._new(data, index, indptr, self._shape))
        if not self.has_canonical_format:
            result.sum_duplicates()
        return result

    def _check_sizes(self):
        if any(c.size != self.data.size for c in self._coords):
            raise ValueError("all index and data arrays must have the same length")

    def tocsc(self, copy=False) -> _spbase:
        """The matrix as compressed columns; elements at one place are added.

        Parameters: copy: whether arrays must not be shared."""
        if self.ndim != 2:
            raise ValueError(f"Cannot convert. CSC format must be 2D. Got {self.ndim}D")
        self._check_sizes()
        return self._compressed("csc")

    def todia(self, copy=False) -> _spbase:
        """The matrix as diagonals.

        Parameters: copy: whether arrays must not be shared."""
        if self.ndim != 2:
            raise ValueError(f"Cannot convert. DIA format must be 2D. Got {self.ndim}D")
        self.sum_duplicates()
        diagonals, number = cp.unique(self._col.astype("int64") - self._row, return_inverse=True)
        if self.data.size == 0:
            data = cp.zeros((0, 0), dtype=type_of(self))
        else:
            data = cp.zeros((diagonals.size, int(self._col.max()) + 1), dtype=type_of(self))
            data[number, self._col] = self.data
        index = index_dtype(maxval=max(self.shape))
        return class_of("dia", self._is_array)((data, diagonals.astype(index)), shape=self.shape)

    def toarray(self, order=None, out=None) -> ndarray:
        """The matrix as an array.

        Parameters: order: its layout, C or F; out: an array of that shape and type that is filled instead."""
        if self.ndim > 2:
            return self._delivered(self._flat().toarray().reshape(self._shape), order, out)
        if self.ndim == 1:
            check_order(order)
            index = self._coords[0]
            ends = cp.array([0, self.data.size], dtype=type_of(index))
            dense = S.sparse_dense(self.data, index, ends, self._shape[0], False, False).reshape(self._shape)
            return dense if out is None else self._delivered(dense, order, out)
        if self.data._device >= 0 or math.prod(self._shape) >= 2**63 or out is not None and order is not None:
            return self.tocsr().toarray(order=order, out=out)
        check_order(order)
        coords, (m, n) = self._coords, self._shape
        if order in ("F", "f"):
            coords, (m, n) = coords[::-1], (n, m)
        line = coords[0] if m * n < 2**31 else coords[0].astype("int64")
        place = line * n + coords[1]
        ends = cp.array((0, place.size), dtype=type_of(place))
        dense = S.sparse_dense(self.data, place, ends, m * n, False, self.has_canonical_format).reshape(m, n)
        dense = dense.T if order in ("F", "f") else dense
        return dense if out is None else self._delivered(dense, None, out)

    def get(self, stream=None):
        """The matrix as one of SciPy's, in the host's memory.

        Parameters: stream: for CuPy's sake."""
        new = scipys(type(self).__name__)((self.data.get(), tuple(c.get() for c in self._coords)),
                                                        shape=self._shape)
        new.has_canonical_format = self.has_canonical_format
        return new

    def __reduce__(self):
        return type(self), ((self.data, self._coords), self._shape)

    def _reshaped(self, shape, order):
        new = unravel(ravel(self._coords, self._shape, order), shape, order)
        # of more than two axes indices are of int64 whatever they are
        index = index_type(self._coords if self.ndim < 3 else (), shape)
        cls = type(self) if len(shape) in self._allow_nd else class_of("coo", True)
        return cls._new(self.data, tuple(c.astype(index) for c in new), shape,
                        self.has_canonical_format and order == "C")

    def transpose(self, axes=None, copy=False) -> _spbase:
        """The transpose.

        Parameters: axes: None, or the order of the axes; copy: whether arrays must not be shared."""
        if axes is not None and self._is_array:
            if not hasattr(axes, "__len__") or len(axes) != self.ndim:
                raise ValueError("axes don't match matrix dimensions")
            if len({a % self.ndim for a in axes}) != self.ndim:
                raise ValueError("repeated axis in transpose")
        elif axes is not None:
            self._check_axes(axes)
        axes = tuple(range(self.ndim))[::-1] if axes is None else axes
        new = self.copy() if copy else self
        return new._share(type(self)._new(new.data, tuple(new._coords[a] for a in axes),
                                          tuple(self._shape[a] for a in axes)))

    def resize(self, *shape) -> None:
        """Changes the shape in place: elements outside of the new one are dropped. Between one axis and two the
        elements keep their places in the order of rows.

        Parameters: shape: the new lengths.
        Errors: ValueError for more than two axes."""
        shape = check_shape(shape, allow_nd=self._allow_nd)
        if self.ndim > 2:
            raise ValueError("only 1-D or 2-D input accepted")
        if len(shape) > 2:
            raise ValueError("shape argument must be 1-D or 2-D")
        if len(shape) != self.ndim:
            flat = self.reshape((math.prod(self._shape),), copy=True)
            flat.resize((math.prod(shape),))
            new = flat.reshape(shape)
            self.data, self._coords, self._shape = new.data, new._coords, new._shape
            return
        keep = None
        for c, new, old in zip(self._coords, shape, self._shape):
            if new < old:
                keep = c < new if keep is None else keep & (c < new)
        if keep is not None:
            self._coords, self.data = tuple(c[keep] for c in self._coords), self.data[keep]
        self._shape = shape

    # --- elements ---

    def sum_duplicates(self) -> None:
        """Adds elements that stand at one place, in place; they are then in the order of rows."""
        if self.has_canonical_format:
            return
        few = self._flat() if self.ndim > 2 else self
        rows = None
        if self.ndim == 2 and self._shape[0] > max(1 << 24, 8 * self.data.size):    # rows without elements take no room
            rows, rank = cp.unique(self._coords[0], return_inverse=True)
            few = self._new(self.data, (rank.astype(type_of(rows)), self._coords[1]), (rows.size, self._shape[1]))
        csr = few.tocsr()
        if self.ndim > 2:
            self._coords = unravel(csr._indices, self._shape)
        elif self.ndim == 1:
            self._coords = (csr._indices,)
        else:
            row = S.sparse_rows(csr._indices, csr._indptr)
            self._coords = (row if rows is None else rows[row], csr._indices)
        self.data, self.has_canonical_format, self._ordered = csr.data, True, True

    def _first_of(self, word, compare):
        """The number in the order of rows of the least or greatest element, where none that is not stored is before it;
        else None."""
        if self.ndim != 2:
            return None
        self.sum_duplicates()
        (row, column), n = self._coords, self._shape[1]
        at = int(getattr(cp, word)(self.data))
        value = self.data[at]
        if math.prod(self._shape) >= 2**63 or not compare(value, 0):
            return None
        if self._ordered:
            return int(row[at]) * n + int(column[at])
        at = cp.flatnonzero(self.data == value)     # SciPy's dok has the canonical flag without the order
        return int((row[at].astype("int64") * n + column[at]).min())

    def eliminate_zeros(self) -> None:
        """Drops elements that are 0, in place."""
        keep = self.data != 0
        self.data, self._coords = self.data[keep], tuple(c[keep] for c in self._coords)

    def _getnnz(self, axis=None):
        if axis is None or axis == 0 and self.ndim == 1:
            if not self._unshown() or any(c.size != self.data.size for c in self._places):
                self._check_sizes()
            return int(self.data.size)
        if not -self.ndim <= axis < self.ndim:
            raise ValueError("axis out of bounds")
        return self._counted(axis)

    def _counted(self, axis, keep=None):
        if self.ndim != 2:
            return super()._counted(axis, keep)
        other = 1 - axis % 2
        at = self._coords[other]
        return cp.bincount(at if keep is None else at[keep], minlength=self._shape[other])

    def count_nonzero(self, axis=None) -> ndarray | int:
        """How many elements are not 0.

        Parameters: axis: None for all, or one axis."""
        data = self._deduped()
        if axis is None or len(as_axes(axis, self.ndim)) == self.ndim:
            return int(cp.count_nonzero(data))
        return self._counted(axis, data != 0)

    def _deduped(self):
        if not self.has_canonical_format:
            self.sum_duplicates()
        return self.data

    def sum(self, axis=None, dtype=None, out=None) -> ndarray:
        """The sum of the elements.

        Parameters: axis: None for all, or one axis; dtype: the result's type; out: an array for it."""
        if self.ndim > 2:
            return super().sum(axis, dtype, out)
        if validate_axis(axis, self.ndim) is None and type_of(self).kind != "b":
            return self.data.sum(dtype=dtype or sum_dtype(type_of(self)), out=out)
        if self.ndim < 2 or type_of(self).kind == "b":
            return self.tocsr().sum(axis=axis, dtype=dtype, out=out)
        at, within = 1 - validate_axis(axis, 2), sum_dtype(type_of(self))
        data, lines, count = self.data.astype(within, copy=False), self._coords[at], self._shape[at]
        ends = _ends(lines, count)
        if ends is not None:
            result = S.sparse_sum(data, self._coords[1 - at], ends, self._shape[1 - at], 1)
        else:
            result = S.sparse_sum(data, lines, cp.arange(data.size + 1, dtype=type_of(lines)), count, 0)
        return self._delivered_sum(result, 1 - at, dtype or within, out)

    def diagonal(self, k=0) -> ndarray:
        """A diagonal.

        Parameters: k: which; 0 is the main one, above it positive."""
        if self.ndim != 2:
            raise ValueError("diagonal requires two dimensions")
        (m, n), (row, column) = self._shape, self._coords
        if k <= -m or k >= n:
            return cp.empty(0, dtype=type_of(self))
        at = cp.flatnonzero((row + k if k else row) == column)
        place = row[at] + k if k < 0 else row[at]
        ends = cp.arange(at.size + 1, dtype=type_of(place))
        return S.sparse_sum(self.data[at], place, ends, min(m + min(k, 0), n - max(k, 0)), 0)

    def _matmul_vector(self, other):
        return self._times(other) if self.ndim == 2 else super()._matmul_vector(other)

    def _matmul_many(self, other):
        return self._times(other) if self.ndim == 2 else super()._matmul_many(other)

    def _times(self, x):
        """The matrix times an array: as compressed rows where the elements are in their order, and else in that of the
        elements, without sorting them."""
        (row, column), (m, n), x = self._coords, self._shape, without_halves(x)
        ends = _ends(row, m)
        if ends is not None:
            return S.sparse_multiply(self.data, column, ends, n, x)
        if row._device < 0:
            return S.sparse_triples(self.data, row, column, m, x)
        if x.ndim == 1:
            return S.sparse_sum(self.data * x[column], row, cp.arange(row.size + 1, dtype=type_of(row)), m, 0)
        return S.sparse_multiply(*S.sparse_compress(self.data, row, column, m), n, x)

    def _setdiag(self, values, k):
        m, n = self._shape
        count = min(m + min(k, 0), n - max(k, 0), *([values.size] if values.ndim else []))
        if count <= 0:
            return
        # what is on the diagonal goes, the new elements come behind all others
        keep = (self._col.astype("int64") - self._row != k) | (cp.minimum(self._row, self._col) >= count)
        at = cp.arange(count, dtype=type_of(self._row))
        new = values[:count] if values.ndim else cp.full(count, values, dtype=type_of(self))
        self._coords = (cp.concatenate((self._row[keep], at + max(-k, 0))),
                       cp.concatenate((self._col[keep], at + max(k, 0))))
        self.data, self.has_canonical_format = cp.concatenate((self.data[keep], new)), False

    def __getitem__(self, key) -> _spbase | ndarray:
        if self._is_array:
            if self._needs_axes(key):
                return self._get_axes(key)
            found = self._get_slices(key)
            if found is not None:
                return found
            try:
                found = self.tocsr()[key]
            except MoreAxes:
                return self._get_axes(key)
            return found.tocoo() if issparse(found) else coo_array(found) if found.ndim else found
        raise TypeError("'coo_matrix' object is not subscriptable")

    def _get_slices(self, key):
        """What a key of integers and slices takes of two axes; None of another key."""
        parts = key if isinstance(key, tuple) else (key,)
        if self.ndim != 2 or not all(isinstance(x, (int, slice)) and not isinstance(x, bool) for x in parts):
            return None
        index, shape = parse(key, self._shape)
        keep, coords = None, []
        for c, i, n in zip(self._coords, index, self._shape):
            if isinstance(i, int):
                mask = c == i
            else:
                start, stop, step = i.indices(n)
                if step < 1:
                    return None
                coords.append((c, start, step))
                if (start, step) == (0, 1) and stop == n:
                    continue
                mask = (c >= start) & (c < stop)
                if step > 1:
                    mask &= (c - start) % step == 0
            keep = mask if keep is None else keep & mask
        if keep is None:
            return self.copy()
        at = cp.flatnonzero(keep)
        data = self.data[at]
        if not coords:
            return data.sum(dtype=type_of(self))
        parts = ((c[at], start, step) for c, start, step in coords)
        parts = (c - start if start else c for c, start, step in parts) if all(s == 1 for _, _, s in coords) else (
            (c - start) // step for c, start, step in parts)
        return type(self)._new(data, tuple(parts), shape, self.has_canonical_format)

    def __setitem__(self, key, x) -> None:
        if not self._is_array:
            raise TypeError("'coo_matrix' object does not support item assignment")
        if self.ndim > 2:
            return self._set_axes(key, x)
        csr = self.tocsr()
        csr[key] = x
        new = csr.tocoo()
        self.data, self._coords, self.has_canonical_format = new.data, new._coords, False


class coo_array(_coo, sparray):
    """A sparse array of coordinates, of any number of axes.

    Parameters: arg1: an array, a matrix, a shape, or (data, coords); shape: the lengths of the axes; dtype: the element
        type; copy: whether arrays must not be shared; maxprint: how many elements are printed."""


class coo_matrix(spmatrix, _coo):
    """A sparse matrix of coordinates.

    Parameters: arg1: an array, a matrix, a shape, or (data, (row, column)); shape: the lengths of the axes; dtype: the
        element type; copy: whether arrays must not be shared; maxprint: how many elements are printed."""


def isspmatrix_coo(x) -> bool:
    """Is x a coo_matrix?

    Parameters: x: any object."""
    return isinstance(x, coo_matrix)
