"""Compressed rows and compressed columns: csr and csc.

Both are three arrays. `_swap` exchanges rows and columns for csc, whose arrays are those of the transpose's rows, so
each method is written once, in terms of the major axis (along indptr) and the minor one. Invariant: `_triple` gives
arrays that were checked; assigning to `indices` or `indptr` has them checked again."""
from __future__ import annotations

import operator

import cuprite as cp
from cuprite import _sparse as S
from cuprite._element_types import type_of
from cuprite.scipy.sparse._base import _spbase, class_of, is_foreign, issparse, sparray, spmatrix
from cuprite.scipy.sparse._checked import Checked
from cuprite.scipy.sparse._index import IndexedRows
from cuprite.scipy.sparse._data import DataMatrix
from cuprite.scipy.sparse._minmax import Extremes
from cuprite.scipy.sparse._util import (
    check_order, check_shape, index_dtype, getdtype, isscalarlike, isshape, scipys, sum_dtype, upcast,
    validate_axis, without_halves)


_FEW_COLUMNS = 8    # of an array, up to which csc's products go to rows anywhere instead of through csr


def _ranked(triple, minor):
    """A matrix with few of very many columns, as one of those alone, and their numbers; others as they are."""
    data, indices, indptr = triple
    if minor <= max(1 << 24, 8 * indices.size):
        return triple, minor, None
    columns, rank = cp.unique(indices, return_inverse=True)
    return (data, rank.astype(type_of(indices)), indptr), columns.size, columns


def _unranked(triple, columns):
    return triple if columns is None else (triple[0], columns[triple[1]], triple[2])


class _cs(Checked, IndexedRows, Extremes, DataMatrix):
    """What csr and csc share."""

    def __init__(self, arg1, shape=None, dtype=None, copy=False, *, maxprint=None):
        _spbase.__init__(self, arg1, maxprint=maxprint)
        self._sorted = self._canonical = None
        self._shape = None
        if is_foreign(arg1):
            arg1 = getattr(arg1, "to" + self.format)()
            arg1, shape = (arg1.data, arg1.indices, arg1.indptr), arg1.shape if shape is None else shape
        if issparse(arg1):
            self._take(arg1, copy)
        elif isinstance(arg1, tuple):
            self._from_tuple(arg1, shape, dtype, copy)
        else:
            self._from_dense(arg1, dtype)
        if shape is not None:
            self._shape = check_shape(shape, allow_nd=self._allow_nd)
        if dtype is not None:
            self.data = self.data.astype(getdtype(dtype), copy=False)
        if not self._trusted or shape is not None:
            self._check_new()

    @classmethod
    def _new(cls, data, indices, indptr, shape, ordered=None, canonical=None):
        """A matrix of arrays that are known to be right."""
        self = cls.__new__(cls)
        self.maxprint, self._shape, self._trusted = 50, tuple(shape), True
        self._arrays = data, indices, indptr
        self._sorted, self._canonical = True if canonical else ordered, canonical
        return self

    def _take(self, other, copy):
        if other.format == self.format and copy:
            other = other.copy()
        else:
            other = other.asformat(self.format)
        if other.ndim not in self._allow_nd:
            raise ValueError(f"shape must have length in {self._allow_nd}. Got new_shape={other.shape}")
        (self.data, self._indices, self._indptr), self._shape = other._triple(), other.shape
        self._sorted, self._canonical, self._trusted = other._sorted, other._canonical, True
        other._share(self)

    def _from_tuple(self, arg1, shape, dtype, copy):
        if isshape(arg1, self._allow_nd):
            self._shape = check_shape(arg1, allow_nd=self._allow_nd)
            major, _ = self._swap(self._shape_as_2d)
            index = index_dtype(maxval=max(self._shape))
            self.data = cp.zeros(0, dtype=getdtype(dtype, default=float))
            self._indices, self._indptr = cp.zeros(0, dtype=index), cp.zeros(major + 1, dtype=index)
            self._sorted = self._canonical = self._trusted = True
        elif len(arg1) == 2:
            coo = class_of("coo", self._is_array)(arg1, shape=shape, dtype=dtype)
            self._take(coo.asformat(self.format), False)
        elif len(arg1) == 3:
            data, indices, indptr = (x if isinstance(x, cp.ndarray) else cp.asarray(x) for x in arg1)
            most = None
            if shape is not None:
                shape = check_shape(shape, allow_nd=self._allow_nd)
                most = max(max(shape), int(data.size) if data.ndim == 1 else 0)
            index = index_dtype((indices, indptr), maxval=most,
                                    check_contents=not isinstance(self, sparray))
            if indices.ndim == 1 and indptr.ndim == 1:
                indices, indptr = (cp.array(x, dtype=index, copy=copy) if copy else x.astype(index, copy=False)
                                   for x in (indices, indptr))
            getdtype(type_of(data) if dtype is None else dtype)
            self.data = data.copy() if copy else data
            self._indices, self._indptr, self._trusted = indices, indptr, False
            if not copy and any(isinstance(x, cp.ndarray) for x in arg1[1:]):
                self._show()
            if shape is None:
                if indptr.ndim != 1 or indices.ndim != 1 or indices.size == 0:
                    raise ValueError("unable to infer matrix dimensions")
                self._shape = self._swap((indptr.size - 1, int(indices.max()) + 1))
                self._check_new()
        else:
            raise ValueError(f"unrecognized {type(self).__name__} constructor input: {arg1}")

    def _from_dense(self, arg1, dtype):
        try:
            dense = cp.asarray(arg1)
        except (TypeError, ValueError) as error:
            raise ValueError(f"unrecognized {type(self).__name__} constructor input: {arg1}") from error
        if dense.ndim > 2:
            raise ValueError(f"CSR arrays don't yet support {dense.ndim}D.")
        if self._is_array and dense.ndim != 2 and self.format == "csc":
            raise ValueError(f"CSC arrays don't support {dense.ndim}D input. Use 2D")
        coo = class_of("coo", self._is_array)(dense, dtype=dtype)
        self._take(coo._in_order() if coo.ndim == 2 and self.format == "csr" else coo.asformat(self.format), False)

    def __iter__(self):
        rows = self.tocsr()
        for r in range(self.shape[0]):
            yield rows[r].tocsr() if self.ndim == 2 else rows[r]

    def sort_indices(self) -> None:
        """Sorts the indices of each line, in place."""
        if not self.has_sorted_indices:
            triple, minor, columns = _ranked(self._triple(), self._swap(self._shape_as_2d)[1])
            self._put(_unranked(S.sparse_sort(*triple, minor), columns), True, None)

    def sorted_indices(self) -> _spbase:
        """A copy whose indices are sorted."""
        new = self.copy()
        new.sort_indices()
        return new

    def sum_duplicates(self) -> None:
        """Adds elements that stand at one place, in place."""
        if not self.has_canonical_format:
            self.sort_indices()
            if not self.has_canonical_format:
                self._put(S.sparse_sum_duplicates(*self._triple()), True, True)

    def eliminate_zeros(self) -> None:
        """Drops elements that are 0, in place."""
        data, indices, indptr = self._triple()
        if int(cp.count_nonzero(data)) < data.size:
            self._put(S.sparse_select(data, indices, indptr, data), self._sorted, self._canonical)

    def prune(self) -> None:
        """Drops what is behind the last element."""
        self._check()

    def _canon(self):
        """The matrix itself, or a copy with indices that ascend and no duplicates."""
        self._triple()
        if self.has_canonical_format if self._canonical is None else self._canonical:
            return self
        new = self._share(type(self)._new(*self._triple(), self.shape))
        new.sum_duplicates()
        return new

    # --- conversions ---

    def _like(self, triple, shape=None, ordered=None, canonical=None):
        return type(self)._new(*triple, self.shape if shape is None else shape, ordered, canonical)

    def _with_data(self, data, copy=True):
        _, indices, indptr = self._triple()
        if copy:
            return self._like((data, indices.copy(), indptr.copy()), None, self._sorted, self._canonical)
        return self._share(self._like((data, indices, indptr), None, self._sorted, self._canonical))

    def copy(self) -> _spbase:
        """A copy that shares no array."""
        return self._with_data(self.data.copy(), copy=True)

    def _turned(self, cls):
        """The transpose, of the same arrays: in one tuple, so that whoever counts references finds no others'."""
        triple, arrays = self._triple(), self._arrays
        new = self._share(cls._new(*triple, self.shape[::-1], self._sorted, self._canonical))
        if all(x is y for x, y in zip(triple, arrays)):
            new._arrays = arrays
        return new

    def _other(self, cls_format):
        """The same matrix with the other axis compressed."""
        major, minor = self._swap(self.shape)
        triple = self._triple()
        wide = index_dtype(maxval=max(self.nnz, major, minor))
        if type_of(triple[1]) == "int32" and wide == "int64":
            triple = triple[0], triple[1].astype(wide), triple[2].astype(wide)
        triple = S.sparse_transpose(*triple, minor)
        return class_of(cls_format, self._is_array)._new(*triple, self.shape, True, self._canonical)

    def tocoo(self, copy=True) -> _spbase:
        """The matrix as coordinates.

        Parameters: copy: whether arrays must not be shared."""
        data, indices, indptr = self._triple()
        if copy:
            data, indices = data.copy(), indices.copy()
        if self.ndim == 1:
            coords = (indices,)
        else:
            coords = self._swap((S.sparse_rows(indices, indptr), indices))
        canonical = bool(self._canonical) and self.format == "csr"
        new = class_of("coo", self._is_array)._new(data, coords, self.shape, canonical)
        new._ordered = canonical and self._canonical is True
        return new if copy else self._share(new)

    def toarray(self, order=None, out=None) -> ndarray:
        """The matrix as an array.

        Parameters: order: its layout, C or F; out: an array of that shape and type that is filled instead."""
        major, minor = self._swap(self._shape_as_2d)
        if out is order is None and len(self._shape) == 2:
            return S.sparse_dense(*self._triple(), minor, self._format == "csc", self._canonical is True)
        if out is not None and order is not None:
            raise ValueError("order cannot be specified if out is not None")
        check_order(order)
        by_rows = (self.format == "csr") == (order not in ("F", "f"))
        # what is written lies line by line where the layout asked for has the major axis first
        dense = S.sparse_dense(*self._triple(), minor, not by_rows, self._canonical is True)
        if by_rows == (self.format == "csc"):
            dense = dense.T
        return self._delivered(dense.reshape(self.shape) if self.ndim == 1 else dense, None, out)

    def tobsr(self, blocksize=None, copy=False) -> _spbase:
        """The matrix as blocks.

        Parameters: blocksize: rows and columns of a block; copy: whether arrays must not be shared."""
        if self.ndim != 2:
            raise ValueError("Cannot convert a 1d sparse array to bsr format")
        from cuprite.scipy.sparse._bsr import blocks_of
        return blocks_of(self.tocsr(), blocksize, copy)

    def get(self, stream=None):
        """The matrix as one of SciPy's, in the host's memory.

        Parameters: stream: for CuPy's sake."""
        data, indices, indptr = self._triple()
        new = scipys(type(self).__name__)((data.get(), indices.get(), indptr.get()), shape=self.shape)
        if self._canonical:
            new.has_canonical_format = True
        return new

    def __reduce__(self):
        return type(self), ((self.data, self._indices, self._indptr), self.shape)

    # --- elements ---

    def _deduped(self):
        if self._canonical is not True or not self._sure():
            self.sum_duplicates()
        return self.data

    # --- counts and sums ---

    def _getnnz(self, axis=None):
        if axis is None or self.ndim == 1:
            if axis not in (None, 0, -1):
                raise ValueError("axis out of bounds")
            return int(self.data.size) if self._sure() else int(self._indptr[-1])
        return self._count(axis, None)

    def _count(self, axis, keep):
        """The number of elements along an axis, those of `keep` alone."""
        if not -2 <= axis < 2:
            raise ValueError("axis out of bounds")
        data, indices, indptr = self._triple()
        some = keep is not None and not bool((keep != 0).all())
        if some:
            data, indices, indptr = S.sparse_select(data, indices, indptr, keep)
        if self._swap((axis % 2, 1 - axis % 2))[0] == 1:
            return cp.diff(indptr).astype("int64" if some else type_of(indptr), copy=False)
        return cp.bincount(indices, minlength=self._swap(self.shape)[1])

    def count_nonzero(self, axis=None) -> ndarray | int:
        """How many elements are not 0.

        Parameters: axis: None for all, or one axis."""
        data = self._deduped()
        axis = None if axis is None else validate_axis(axis, self.ndim)
        return int(cp.count_nonzero(data)) if axis is None else self._count(axis, data)

    def sum(self, axis=None, dtype=None, out=None) -> ndarray:
        """The sum of the elements.

        Parameters: axis: None for all, or one axis; dtype: the result's type; out: an array for it."""
        axis = validate_axis(axis, self.ndim)
        within = sum_dtype(type_of(self))
        if axis is None:
            data = self._canon().data if type_of(self).kind == "b" else self.data  # True and True at one place are True
            return data.sum(dtype=dtype or within, out=out)
        _, minor = self._swap(self.shape)
        result = S.sparse_sum(*self._triple(within), minor, self._swap((axis, 1 - axis))[0])
        return self._delivered_sum(result, axis, dtype or within, out)

    def _first_of(self, word, compare):
        """As a coo matrix': of compressed rows, whose elements are in the order of rows."""
        if self.format != "csr" or self.ndim != 2:
            return self.tocoo(copy=False)._first_of(word, compare) if self.ndim == 2 else None
        m = self._canon()
        at = int(getattr(cp, word)(m.data))
        if not compare(m.data[at], 0) or m._canonical is not True:
            return None
        row = int(cp.searchsorted(m._indptr, at, side="right")) - 1
        return row * self.shape[1] + int(m._indices[at])

    def _at(self, major, minor):
        """The elements at these places, int64 within the matrix; 0 where there is none."""
        m = self._canon()
        at = S.sparse_find(m._indices, m._indptr, major, minor, True)
        if m.data.size == 0:
            return cp.zeros(at.size, dtype=type_of(self))
        return cp.where(at >= 0, m.data[cp.maximum(at, 0)], cp.zeros((), dtype=type_of(self)))

    def diagonal(self, k=0) -> ndarray:
        """A diagonal.

        Parameters: k: which; 0 is the main one, above it positive."""
        m, n = self._swap(self.shape)
        k, _ = self._swap((k, -k))
        if k <= -m or k >= n:
            return cp.empty(0, dtype=type_of(self))
        if self.data._device < 0:
            return S.sparse_diagonal(*self._triple(), n, k)
        rows = cp.arange(max(-k, 0), max(-k, 0) + min(m + min(k, 0), n - max(k, 0)))
        return self._at(rows, rows + k if k else rows)

    # --- two matrices ---

    def _pair(self, other, dtype=None):
        """The checked arrays of both, of one type and with indices that ascend, and the number of minor elements."""
        other = other if type(other) is type(self) else type(self)(other)
        dtype = upcast(type_of(self), type_of(other)) if dtype is None else dtype
        a, b = self._canon()._triple(dtype), other._canon()._triple(dtype)
        if type_of(a[1]) != type_of(b[1]) or (type_of(a[1]) == "int32" and a[0].size + b[0].size > 2**31 - 1):
            a, b = ((d, i.astype("int64", copy=False), p.astype("int64", copy=False)) for d, i, p in (a, b))
        return a, b, self._swap(self._shape_as_2d)[1]

    def _merged(self, op, other):
        a, b, n = self._pair(other)
        return self._like(S.sparse_merge(op, *a, *b, n), None, True, True)

    def _aligned(self, other, ufunc, dtype=None):
        """ufunc of the elements of both where either has one, without zeros."""
        a, b, n = self._pair(other, dtype)
        x, y, indices, indptr = S.sparse_align(*a, *b, n)
        data = ufunc(x, y)
        return self._like(S.sparse_select(data, indices, indptr, data), None, True, True)

    def _add_sparse(self, other, sign):
        return self._merged("add" if sign > 0 else "subtract", other)

    def _compare_sparse(self, other, op):
        if op is not operator.ne:
            return self._aligned(other, op)
        _, indices, indptr = self._merged("not_equal", other)._arrays
        return self._like((cp.ones(indices.size, dtype=bool), indices, indptr), None, True, True)

    def _compare_data(self, other, op):
        data = op(self._deduped(), other)
        return self._like(S.sparse_select(data, self._indices, self._indptr, data), None, True, True)

    def _all_true(self):
        return type(self)(cp.ones(self.shape, dtype=bool))

    def _divide_sparse(self, other):
        if other.shape != self.shape:
            raise ValueError(f"inconsistent shapes {self.shape} and {other.shape}")
        if upcast(type_of(self), type_of(other)).kind not in "fc":
            return self._aligned(other, cp.floor_divide)
        result = self._aligned(other, cp.divide)
        dense = cp.full(self.shape, cp.nan, dtype=type_of(self))
        dense[other.nonzero()] = 0
        coo = result.tocoo()
        dense[coo._coords] = coo.data
        return dense

    # --- products ---

    def _matmul_vector(self, x):
        x = without_halves(x)
        triple, (_, minor) = self._triple(), self._swap(self._shape_as_2d)
        multiply = S.sparse_multiply if self.format == "csr" else S.sparse_multiply_transposed
        return multiply(*triple, minor, x)

    def _matmul_many(self, x):
        if self.format == "csc":
            if x.shape[1] <= _FEW_COLUMNS and self.data._device < 0:
                return S.sparse_multiply_transposed(*self._triple(), self._shape_as_2d[0], without_halves(x))
            return self.tocsr()._matmul_many(x)
        return S.sparse_multiply(*self._triple(), self._shape_as_2d[1], without_halves(x))

    def _matmul_sparse(self, other):
        m, other_ndim = self._shape_as_2d[0], other.ndim
        if other_ndim == 1:
            other = other.reshape((1, other.shape[0])).T
        n = other.shape[1]
        other = other if type(other) is type(self) else type(self)(other)
        dtype = upcast(type_of(self), type_of(other))
        first, second = self._swap((self, other))
        right, minor, columns = _ranked(second._triple(dtype), self._swap((m, n))[1])
        triple = _unranked(S.sparse_product(*first._triple(dtype), *right, minor), columns)
        shape = ((m,) if self.ndim == 2 else ()) + ((n,) if other_ndim == 2 else ())
        result = self._like(triple, (m, n), True, True)
        if len(shape) == 2:
            return result
        return result.tocsr().toarray().reshape(()) if not shape else result.tocsr().reshape(shape)

    def _scaled_lines(self, vector, axis):
        """Each row (axis 0) or column times an element of a vector."""
        data, indices, indptr = self._triple()
        at = indices if self._swap((0, 1))[0] != axis else S.sparse_rows(indices, indptr)
        return self._with_data(data * vector[at])

    def _multiply(self, other):
        from cuprite.scipy.sparse._products import multiply
        return multiply(self, other)

    def _setdiag(self, values, k):
        m, n = self.shape
        if 0 in self.shape:
            return
        count = min(m + min(k, 0), n - max(k, 0))
        if values.ndim:
            count = min(count, values.size)
        i = cp.arange(max(-k, 0), max(-k, 0) + count)
        x = cp.broadcast_to(values.ravel()[:count] if values.ndim else values, (count,)).astype(type_of(self))
        if count:
            self._set_many(*self._swap((i, i + k)), x, warn=False)

    def resize(self, *shape) -> None:
        """Changes the shape in place: elements outside of the new one are dropped.

        Parameters: shape: the new lengths."""
        shape = check_shape(shape, allow_nd=self._allow_nd)
        m, n = self._swap(shape if len(shape) > 1 else (1, shape[0]))
        major, minor = self._swap(self._shape_as_2d)
        data, indices, indptr = self._triple()
        if m < major:
            end = int(indptr[m])
            data, indices, indptr = data[:end], indices[:end], indptr[:m + 1]
        elif m > major:
            indptr = cp.concatenate((indptr, cp.broadcast_to(indptr[-1:], (m - major,))))
        if n < minor:
            data, indices, indptr = S.sparse_select(data, indices, indptr, indices < n)
        self._put((data, indices, indptr), self._sorted, self._canonical)
        self._shape = shape


class _csr(_cs):
    """Compressed rows."""

    _format = "csr"
    _allow_nd = (1, 2)

    @staticmethod
    def _swap(x):
        return x

    def tocsr(self, copy=False) -> _spbase:
        """The matrix as compressed rows.

        Parameters: copy: whether arrays must not be shared."""
        return self.copy() if copy else self

    def tocsc(self, copy=False) -> _spbase:
        """The matrix as compressed columns.

        Parameters: copy: whether arrays must not be shared."""
        if self.ndim != 2:
            raise ValueError("Cannot convert a 1d sparse array to csc format")
        return self._other("csc")

    def transpose(self, axes=None, copy=False) -> _spbase:
        """The transpose, of compressed columns, with the same arrays.

        Parameters: axes: None or (1, 0); copy: whether arrays must not be shared."""
        self._check_axes(axes)
        if self.ndim == 1:
            return self.copy() if copy else self
        m = self.copy() if copy else self
        return m._turned(class_of("csc", self._is_array))


class _csc(_cs):
    """Compressed columns."""

    _format = "csc"

    @staticmethod
    def _swap(x):
        return x[1], x[0]

    def tocsr(self, copy=False) -> _spbase:
        """The matrix as compressed rows.

        Parameters: copy: whether arrays must not be shared."""
        return self._other("csr")

    def tocsc(self, copy=False) -> _spbase:
        """The matrix as compressed columns.

        Parameters: copy: whether arrays must not be shared."""
        return self.copy() if copy else self

    def transpose(self, axes=None, copy=False) -> _spbase:
        """The transpose, of compressed rows, with the same arrays.

        Parameters: axes: None or (1, 0); copy: whether arrays must not be shared."""
        self._check_axes(axes)
        m = self.copy() if copy else self
        return m._turned(class_of("csr", self._is_array))


    def _getrow(self, i):
        return _cs._getrow(self, i).tocsr()


class csr_array(_csr, sparray):
    """A sparse array of compressed rows.

    Parameters: arg1: an array, a matrix, a shape, (data, (row, column)) or (data, indices, indptr); shape: the lengths
        of the axes; dtype: the element type; copy: whether arrays must not be shared; maxprint: how many elements are
        printed."""


class csc_array(_csc, sparray):
    """A sparse array of compressed columns.

    Parameters: arg1: an array, a matrix, a shape, (data, (row, column)) or (data, indices, indptr); shape: the lengths
        of the axes; dtype: the element type; copy: whether arrays must not be shared; maxprint: how many elements are
        printed."""


class csr_matrix(spmatrix, _csr):
    """A sparse matrix of compressed rows.

    Parameters: arg1: an array, a matrix, a shape, (data, (row, column)) or (data, indices, indptr); shape: the lengths
        of the axes; dtype: the element type; copy: whether arrays must not be shared; maxprint: how many elements are
        printed."""


class csc_matrix(spmatrix, _csc):
    """A sparse matrix of compressed columns.

    Parameters: arg1: an array, a matrix, a shape, (data, (row, column)) or (data, indices, indptr); shape: the lengths
        of the axes; dtype: the element type; copy: whether arrays must not be shared; maxprint: how many elements are
        printed."""


def isspmatrix_csr(x) -> bool:
    """Is x a csr_matrix?

    Parameters: x: any object."""
    return isinstance(x, csr_matrix)


def isspmatrix_csc(x) -> bool:
    """Is x a csc_matrix?

    Parameters: x: any object."""
    return isinstance(x, csc_matrix)


