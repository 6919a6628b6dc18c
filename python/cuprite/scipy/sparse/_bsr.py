"""Blocks: bsr matrices and arrays, whose elements are dense blocks in compressed rows."""
from __future__ import annotations

import cuprite as cp
from cuprite import _sparse as S
from cuprite._element_types import type_of
from cuprite.scipy.sparse._base import _spbase, class_of, is_foreign, issparse, sparray, spmatrix
from cuprite.scipy.sparse._checked import FEW
from cuprite.scipy.sparse._data import DataMatrix
from cuprite.scipy.sparse._minmax import Extremes
from cuprite.scipy.sparse._util import (check_shape, index_dtype, getdtype, isscalarlike, isshape, scipys,
                                         sum_dtype, upcast, without_halves)


def _estimate(csr):
    """The blocks that are dense enough, as SciPy estimates it."""
    _, indices, indptr = csr._triple()
    (m, n), count = csr.shape, csr.nnz

    def part(r, c):
        return 0.0 if m % r or n % c else count / (r * c * S.sparse_block_count(indices, indptr, n, r, c))
    if count == 0:
        return 1, 1
    two, three = part(2, 2), part(3, 3)
    if two > 0.85 and three > 0.85:
        return (6, 6) if part(6, 6) > 0.7 else (3, 3)
    if part(4, 4) > 0.7:
        return 4, 4
    return (3, 3) if three > 0.7 else (2, 2) if two > 0.7 else (1, 1)


def blocks_of(csr, blocksize=None, copy=False):
    """A csr matrix as blocks."""
    data, indices, indptr = csr._triple()
    blocksize = _estimate(csr) if blocksize is None else tuple(blocksize)
    R, C = blocksize
    m, n = csr.shape
    cls = class_of("bsr", csr._is_array)
    if (R, C) == (1, 1):
        return cls((data.reshape(-1, 1, 1), indices, indptr), shape=csr.shape, copy=copy)
    if R < 1 or C < 1 or m % R or n % C:
        raise ValueError(f"invalid blocksize {blocksize}")
    parts = S.sparse_blocks_of(*csr._canon()._triple(), n, R, C)
    return cls._new(*parts, csr.shape)


class _bsr(Extremes, DataMatrix):
    """What bsr_matrix and bsr_array share."""

    _format = "bsr"
    _claimed = 0    # by the user's word, or as sum_duplicates left it: 1: indices ascend, 2: and no block stands twice

    @classmethod
    def _new(cls, data, indices, indptr, shape):
        """A matrix of arrays that are known to be right."""
        self = cls.__new__(cls)
        _spbase.__init__(self)
        self.data, self.indices, self.indptr, self._shape = data, indices, indptr, shape
        return self

    def __init__(self, arg1, shape=None, dtype=None, copy=False, blocksize=None, *, maxprint=None):
        _spbase.__init__(self, arg1, maxprint=maxprint)
        self._shape = None
        if is_foreign(arg1):
            arg1 = arg1.tobsr(blocksize=blocksize)
            arg1, shape = (arg1.data, arg1.indices, arg1.indptr), arg1.shape if shape is None else shape
        if blocksize is not None and not isshape(blocksize):
            raise ValueError(f"invalid blocksize={blocksize}")
        if isinstance(arg1, tuple) and isshape(arg1):
            self._empty(check_shape(arg1), (1, 1) if blocksize is None else tuple(blocksize), dtype)
        elif isinstance(arg1, tuple) and len(arg1) == 3:
            self._from_arrays(arg1, shape, dtype, copy, blocksize)
        else:
            if isinstance(arg1, tuple) and len(arg1) != 2:
                raise ValueError("unrecognized bsr_array constructor usage")
            if not issparse(arg1):
                if not isinstance(arg1, tuple):
                    arg1 = cp.asarray(arg1)
                    if self._is_array and arg1.ndim != 2:
                        raise ValueError(f"BSR arrays don't support {arg1.ndim}D input. Use 2D")
                arg1 = class_of("coo", self._is_array)(arg1, dtype=dtype, shape=shape)
            other = arg1.copy() if arg1.format == "bsr" and copy else arg1.tobsr(blocksize=blocksize)
            self.data, self.indices, self.indptr, self._shape = other.data, other.indices, other.indptr, other.shape
        if shape is not None:
            self._shape = check_shape(shape)
        elif self._shape is None:
            if not self.indices.size:
                raise ValueError("unable to infer matrix dimensions")
            R, C = self.blocksize
            self._shape = (self.indptr.size - 1) * R, (int(self.indices.max()) + 1) * C
        if dtype is not None:
            self.data = self.data.astype(getdtype(dtype), copy=False)
        self._check_new()

    def _check_new(self):
        """The check of a matrix that was just made. Of many blocks on the CPU what SciPy looks at, too: whatever uses
        indices and pointers checks them."""
        indices, indptr = self.indices, self.indptr
        if indices.size > FEW and indices.size == self.data.shape[0] and type_of(indices) == type_of(indptr) and \
                type_of(indptr).char in "ilq" and indices.ndim == indptr.ndim == 1 and \
                indptr.size == self._shape[0] // self.blocksize[0] + 1 and indptr._device < 0 and \
                indptr[0].item() == 0 and indptr[-1].item() == indices.size:
            return
        self.check_format()

    def _empty(self, shape, blocksize, dtype):
        (m, n), (R, C) = shape, blocksize
        self._shape, self.data = shape, cp.zeros((0,) + blocksize, dtype=getdtype(dtype, default=float))
        if m % R or n % C:
            raise ValueError("shape must be multiple of blocksize")
        index = index_dtype(maxval=max(m // R, n // C, R, C))
        self.indices, self.indptr = cp.zeros(0, dtype=index), cp.zeros(m // R + 1, dtype=index)

    def _from_arrays(self, arrays, shape, dtype, copy, blocksize):
        data, indices, indptr = (cp.asarray(x) for x in arrays)
        index = index_dtype((indices, indptr), maxval=max(shape or (1,)), check_contents=not self._is_array)
        make = cp.array if copy else cp.asarray
        self.indices, self.indptr = make(indices, dtype=index), make(indptr, dtype=index)
        self.data = make(data, dtype=dtype)
        getdtype(type_of(self.data))
        if self.data.ndim != 3:
            raise ValueError(f"BSR data must be 3-dimensional, got shape={self.data.shape}")
        if blocksize is not None and tuple(blocksize) != self.data.shape[1:]:
            raise ValueError(f"mismatching blocksize={blocksize} vs {self.data.shape[1:]}")

    @property
    def blocksize(self) -> tuple[int, ...]:
        """The rows and columns of a block."""
        return self.data.shape[1:]

    def check_format(self, full_check=True) -> None:
        """Checks the arrays: ValueError where they make no matrix.

        Parameters: full_check: for SciPy's sake; all is always checked."""
        (m, n), (R, C) = self._shape, self.blocksize
        if self.indices.ndim != 1 or self.indptr.ndim != 1:
            raise ValueError("indices, and indptr should be 1-D")
        if self.indptr.size != m // R + 1:
            raise ValueError(f"index pointer size ({self.indptr.size}) should be ({m // R + 1})")
        if self.indices.size != self.data.shape[0]:
            raise ValueError("indices and data should have the same size")
        if self._found() is None:
            self._blocks()

    def _blocks(self):
        """The places of the blocks, as a csr matrix of their numbers, which checks them. What is behind the last block
        is dropped."""
        (m, n), (R, C) = self._shape, self.blocksize
        blocks = class_of("csr", False)((cp.arange(self.data.shape[0]), self.indices, self.indptr),
                                        shape=(m // R, n // C))
        blocks._triple()
        if blocks.nnz < self.data.shape[0]:
            self.data, self.indices = self.data[:blocks.nnz], self.indices[:blocks.nnz]
        return blocks

    def _found(self):
        """The bits of cuprite/csr.h, by one pass over indices and indptr, where they make a matrix; else None. Whoever
        has seen them may have written to them."""
        indices, indptr, (R, C) = self.indices, self.indptr, self.blocksize
        own = type_of(indices)
        if own == type_of(indptr) and own.char in "ilq" and indices.ndim == indptr.ndim == 1 and (
                indptr.size == self._shape[0] // R + 1) and indices.size == self.data.shape[0]:
            found = int(S.sparse_check(indices, indptr, self._shape[1] // C))
            if found // 256 == indices.size and not found & 15:
                return found
        return None

    def _places(self):
        """indices and indptr, checked."""
        return (self.indices, self.indptr) if self._found() is not None else self._blocks()._triple()[1:]

    def _about(self):
        return f" (blocksize={'x'.join(str(x) for x in self.blocksize)})"

    def _getnnz(self, axis=None):
        if axis is not None:
            raise NotImplementedError("_getnnz over an axis is not implemented for BSR format")
        if self.indptr.ndim != 1 or not self.indptr.size or int(self.indptr[-1]) != self.data.shape[0]:
            self._places()
        return int(self.data.size)

    def diagonal(self, k=0) -> ndarray:
        """A diagonal.

        Parameters: k: which; 0 is the main one, above it positive."""
        (m, n), (R, C) = self._shape, self.blocksize
        if k <= -m or k >= n:
            return cp.empty(0, dtype=type_of(self))
        if self.data._device < 0:
            places = self._places()     # which drop what is behind the last block
            return S.sparse_diagonal(self.data, *places, n, k)
        found = self._found()
        if found is None or found & 48 or self.data.size == 0:
            return self.tocsr().diagonal(k=k)
        row = cp.arange(max(-k, 0), max(-k, 0) + min(m + min(k, 0), n - max(k, 0)))
        if R == C and k % R == 0:   # of whole blocks
            line = row[::R] // R
            at = S.sparse_find(self.indices, self.indptr, line, line + k // R, True)
            place = (cp.maximum(at, 0) * (R * C))[:, None] + cp.arange(0, R * C, C + 1)
            value = self.data.reshape(-1)[place]
            return cp.where(at[:, None] >= 0, value, cp.zeros((), dtype=type_of(self))).reshape(-1)
        column = row + k
        at = S.sparse_find(self.indices, self.indptr, row // R, column // C, True)
        value = self.data.reshape(-1)[cp.maximum(at, 0) * (R * C) + row % R * C + column % C]
        return cp.where(at >= 0, value, cp.zeros((), dtype=type_of(self)))

    def count_nonzero(self, axis=None) -> ndarray | int:
        """How many elements are not 0.

        Parameters: axis: None."""
        if axis is not None:
            raise NotImplementedError("count_nonzero over axis is not implemented for BSR format.")
        return int(cp.count_nonzero(self._deduped()))

    def _with_data(self, data, copy=True):
        indices, indptr = (self.indices.copy(), self.indptr.copy()) if copy else (self.indices, self.indptr)
        return self._new(data, indices, indptr, self._shape)

    def sum(self, axis=None, dtype=None, out=None) -> ndarray:
        """The sum of the elements.

        Parameters: axis: None for all, or one axis; dtype: the result's type; out: an array for it."""
        if axis is None and type_of(self).kind != "b" and self._found() is not None:
            return self.data.sum(dtype=dtype or sum_dtype(type_of(self)), out=out)
        if axis in (1, -1) and type_of(self).kind != "b":
            places, within = self._places(), sum_dtype(type_of(self))   # which drop what is behind the last block
            ones = cp.ones(self._shape[1], dtype=within)
            rows = S.sparse_blocks(self.data.astype(within, copy=False), *places, self._shape[1], ones)
            return self._delivered_sum(rows, 1, dtype or within, out)
        return super().sum(axis=axis, dtype=dtype, out=out)

    def copy(self) -> _spbase:
        """A copy that shares no array."""
        return self._with_data(self.data.copy())

    def get(self, stream=None):
        """The matrix as one of SciPy's, in the host's memory.

        Parameters: stream: for CuPy's sake."""
        self._blocks()
        return scipys(type(self).__name__)((self.data.get(), self.indices.get(), self.indptr.get()),
                                                         shape=self._shape)

    def __reduce__(self):
        return type(self), ((self.data, self.indices, self.indptr), self._shape)

    # --- conversions ---

    def tobsr(self, blocksize=None, copy=False) -> _spbase:
        """The matrix as blocks.

        Parameters: blocksize: rows and columns of a block; copy: whether arrays must not be shared."""
        if blocksize not in (None, self.blocksize):
            return self.tocsr().tobsr(blocksize=blocksize)
        return self.copy() if copy else self

    def tocoo(self, copy=True) -> _spbase:
        """The matrix as coordinates.

        Parameters: copy: whether arrays must not be shared."""
        R, C = self.blocksize
        _, indices, indptr = self._blocks()._triple()
        index = index_dtype((indices,), maxval=max(max(self._shape), self.data.size))
        first = S.sparse_rows(indices, indptr).astype(index)[:, None, None] * R
        row = cp.broadcast_to(first + cp.arange(R, dtype=index)[:, None], self.data.shape)
        column = cp.broadcast_to(indices.astype(index)[:, None, None] * C + cp.arange(C, dtype=index),
                                 self.data.shape)
        data = self.data.reshape(-1)
        return class_of("coo", self._is_array)._new(data.copy() if copy else data, (row.reshape(-1),
                                                                                     column.reshape(-1)), self._shape)

    def tocsr(self, copy=False) -> _spbase:
        """The matrix as compressed rows.

        Parameters: copy: whether arrays must not be shared."""
        places = self._places()
        parts = S.sparse_block_rows(self.data, *places, self._shape[1])
        return class_of("csr", self._is_array)._new(*parts, self._shape)

    def transpose(self, axes=None, copy=False) -> _spbase:
        """The transpose.

        Parameters: axes: None or (1, 0); copy: whether arrays must not be shared."""
        self._check_axes(axes)
        places, columns = self._places(), self._shape[1] // self.blocksize[1]
        number, indices, indptr = S.sparse_transpose(cp.arange(self.data.shape[0]), *places, columns)
        return self._new(self.data.transpose(0, 2, 1)[number], indices, indptr, self._shape[::-1])

    @property
    def has_sorted_indices(self) -> bool:
        """Whether the indices of each row of blocks ascend."""
        return self._claimed > 0 or self._blocks().has_sorted_indices

    @has_sorted_indices.setter
    def has_sorted_indices(self, value) -> None:
        self._claimed = max(self._claimed, 1) if value else 0

    @property
    def has_canonical_format(self) -> bool:
        """Whether the indices of each row of blocks ascend and none is there twice."""
        if self._claimed > 1:
            return True
        found = self._found()
        return self._blocks().has_canonical_format if found is None else not found & 48

    @has_canonical_format.setter
    def has_canonical_format(self, value) -> None:
        self._claimed = 2 if value else min(self._claimed, 1)

    def sort_indices(self) -> None:
        """Sorts the indices of each row of blocks, in place."""
        if self._claimed:
            return
        blocks = self._blocks().sorted_indices()
        self.data, self.indices, self.indptr = self.data[blocks.data], blocks.indices, blocks.indptr

    def sorted_indices(self) -> _spbase:
        """A copy whose indices are sorted."""
        new = self.copy()
        new.sort_indices()
        return new

    def sum_duplicates(self) -> None:
        """Adds blocks that stand at one place, in place."""
        if not self.has_canonical_format:
            other = self.tocsr().tobsr(blocksize=self.blocksize)
            self.data, self.indices, self.indptr = other.data, other.indices, other.indptr
        self._claimed = 2

    def eliminate_zeros(self) -> None:
        """Drops blocks of zeros, in place."""
        blocks = self._blocks()
        keep = (self.data != 0).any(axis=(1, 2))
        number, self.indices, self.indptr = S.sparse_select(*blocks._triple(), keep)
        self.data = self.data[number]

    def prune(self) -> None:
        """Drops what is behind the last block."""
        self._blocks()

    # --- elements ---

    def _deduped(self):
        self.sum_duplicates()
        return self.data

    def __getitem__(self, key) -> _spbase | ndarray:
        raise NotImplementedError

    def __setitem__(self, key, value) -> None:
        raise NotImplementedError

    def _setdiag(self, values, k):
        blocksize, csr = self.blocksize, self.tocsr()
        csr._setdiag(values, k)
        other = csr.tobsr(blocksize=blocksize)
        self.data, self.indices, self.indptr = other.data, other.indices, other.indptr

    def resize(self, *shape) -> None:
        """Changes the shape in place, to whole blocks.

        Parameters: shape: the new lengths."""
        shape = check_shape(shape)
        R, C = self.blocksize
        if shape[0] % R or shape[1] % C:
            raise ValueError(f"shape must be divisible into {self.blocksize} blocks. Got {shape}")
        blocks = self._blocks()
        blocks.resize(shape[0] // R, shape[1] // C)
        self.data, self.indices, self.indptr, self._shape = self.data[blocks.data], blocks.indices, blocks.indptr, shape

    def _add_sparse(self, other, sign):
        if other.format == "bsr" and other.blocksize == self.blocksize and self.data._device < 0 and \
                self.data.device == other.data.device:
            found = self._found(), other._found()
            if None not in found and not (found[0] | found[1]) & 48 and type_of(self.indices) == type_of(other.indices):
                return self._add_blocks(other, sign)
        return self.tocsr()._add_sparse(other, sign).tobsr(blocksize=self.blocksize)

    def _add_blocks(self, other, sign):
        """The sum, or the difference, with checked blocks of the same shape whose indices ascend."""
        dtype = upcast(type_of(self), type_of(other))
        *parts, empty = S.sparse_block_merge(
            "add" if sign > 0 else "subtract", self.data.astype(dtype, copy=False), self.indices, self.indptr,
            other.data.astype(dtype, copy=False), other.indices, other.indptr, self._shape[1] // self.blocksize[1])
        result = self._new(*parts, self._shape)
        if int(empty):
            result.eliminate_zeros()
        return result

    def multiply(self, other) -> _spbase | ndarray:
        """Elements times elements, or a number.

        Parameters: other: a number, an array or a matrix that broadcasts."""
        result = _spbase.multiply(self, other)
        return result.tobsr(blocksize=self.blocksize) if issparse(result) and issparse(
            other) and other.shape == self._shape else result

    def _times_blocks(self, other):
        """The product with checked blocks that fit these, none there twice; blocks of zeros are left out."""
        dtype = upcast(type_of(self), type_of(other))
        *parts, empty = S.sparse_block_product(
            self.data.astype(dtype, copy=False), self.indices, self.indptr, other.data.astype(dtype, copy=False),
            other.indices, other.indptr, other._shape[1])
        result = self._new(*parts, (self._shape[0], other._shape[1]))
        if int(empty):
            result.eliminate_zeros()
        return result

    def _matmul_vector(self, other):
        places = self._places()
        return S.sparse_blocks(self.data, *places, self._shape[1], without_halves(other))

    def _matmul_many(self, other):
        return self._matmul_vector(other)

    def _matmul_sparse(self, other):
        R, C = self.blocksize[0], other.blocksize[1] if other.format == "bsr" else 1
        if other.format == "bsr" and other.blocksize[0] == self.blocksize[1] and self.data._device < 0 and \
                self.data.device == other.data.device:
            found = self._found(), other._found()   # where none is behind the last block
            if None not in found and not found[1] & 48 and type_of(self.indices) == type_of(other.indices):
                return self._times_blocks(other)
        return self.tocsr()._matmul_sparse(other).tobsr(blocksize=(R, C))


class bsr_array(_bsr, sparray):
    """A sparse array of dense blocks.

    Parameters: arg1: an array, a matrix, a shape, (data, (row, column)) or (data, indices, indptr); shape: the lengths
        of the axes; dtype: the element type; copy: whether arrays must not be shared; blocksize: rows and columns of a
        block; maxprint: how many elements are printed."""


class bsr_matrix(spmatrix, _bsr):
    """A sparse matrix of dense blocks.

    Parameters: arg1: an array, a matrix, a shape, (data, (row, column)) or (data, indices, indptr); shape: the lengths
        of the axes; dtype: the element type; copy: whether arrays must not be shared; blocksize: rows and columns of a
        block; maxprint: how many elements are printed."""


def isspmatrix_bsr(x) -> bool:
    """Is x a bsr_matrix?

    Parameters: x: any object."""
    return isinstance(x, bsr_matrix)
