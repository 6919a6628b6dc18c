"""Indexing of compressed matrices: an index becomes integers, slices and arrays of integers on the device, which were
checked; rows are taken by number, columns by a mask or by number."""
from __future__ import annotations

import operator
import warnings

import cuprite as cp
from cuprite import _numpy, _sparse as S
from cuprite._element_types import type_of
from cuprite.scipy.sparse._base import _spbase, class_of, is_foreign, issparse, taken
from cuprite.scipy.sparse._util import SparseEfficiencyWarning, isintlike


class MoreAxes(IndexError):
    """An index whose result has more than two axes."""


def _as_mask(x, ndim):
    """x where it is a boolean array, as an array or a matrix; else None."""
    if not hasattr(x, "ndim"):
        try:
            first = next(iter(x), None)
            for _ in range(ndim):
                if isinstance(first, bool):
                    break
                first = next(iter(first), None)
            else:
                return None
        except TypeError:
            return None
        import numpy
        x = numpy.asarray(x)
    return x if type_of(x).kind == "b" else None


def as_numbers(x, length, most=2):
    """An array of indices of at most that many axes, int64 from 0 on the device; IndexError for one outside."""
    if not isinstance(x, cp.ndarray):
        import numpy
        try:
            x = numpy.asarray(x)
        except (ValueError, TypeError) as error:
            raise IndexError("invalid index") from error
    if not 1 <= x.ndim <= most:
        raise MoreAxes(f"Index dimension must be 1 or 2. Got {x.ndim}")
    if x.size == 0:
        return cp.zeros(x.shape, dtype="int64")
    if type_of(x).kind not in "iu":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    low, high = int(x.min()), int(x.max())
    if high >= length:
        raise IndexError(f"index ({high}) out of range")
    if low < -length:
        raise IndexError(f"index ({low}) out of range")
    x = cp.asarray(x, dtype="int64")
    return cp.where(x < 0, x + length, x) if low < 0 else x


def parse(key, shape):
    """What each axis is indexed by (an int, a slice or an array), and the shape of the result."""
    return _resolve(items_of(key, shape), shape)


def items_of(key, shape):
    """The parts of a key, one for each axis: None, slices, integers, masks and arrays; without an ellipsis."""
    ndim = len(shape)
    items, used, dots = [], 0, None
    for item in key if isinstance(key, tuple) else (key,):
        if item is Ellipsis:
            if dots is not None:
                raise IndexError("an index can only have a single ellipsis")
            dots = len(items)
        elif item is None:
            items.append(item)
        elif isinstance(item, slice) or isintlike(item):
            items.append(item if isinstance(item, slice) else operator.index(item))
            used += 1
        elif (mask := _as_mask(item, ndim)) is not None:
            items.append(mask)
            used += mask.ndim
        elif issparse(item) or is_foreign(item):
            raise IndexError("Indexing with sparse matrices is not supported except boolean indexing where matrix and "
                             "index are equal shapes.")
        else:
            items.append(item)
            used += 1
    if used > ndim:
        raise IndexError(f"too many indices for array: the key {key} needs {used} axes, the array has {ndim}")
    rest = [slice(None)] * (ndim - used)
    return items + rest if dots is None else items[:dots] + rest + items[dots:]


def _resolve(items, shape):
    index, result, arrays, fancy = [], [], [], []
    for item in items:
        at = len(index)
        if item is None:
            result.append(1)
        elif isinstance(item, slice):
            index.append(item)
            result.append(len(range(*item.indices(shape[at]))))
        elif isinstance(item, int):
            if not -shape[at] <= item < shape[at]:
                raise IndexError(f"index ({item}) out of range")
            index.append(item % shape[at])
            fancy.append(at)
        elif hasattr(item, "dtype") and type_of(item).kind == "b":
            part = tuple(shape[at:at + item.ndim])
            if tuple(item.shape) != part:
                raise IndexError(f"bool index {at} has shape {part} instead of {item.shape}")
            index.extend(cp.asarray(x, dtype="int64") for x in item.nonzero())
            arrays.extend(range(at, at + item.ndim))
            fancy.extend(range(at, at + item.ndim))
        else:
            index.append(as_numbers(item, shape[at]))
            arrays.append(at)
            fancy.append(at)
    if arrays:
        shapes = [index[i].shape for i in arrays]
        try:
            together = list(shapes[0] if len(shapes) == 1 else _numpy.broadcast_shapes(*shapes))
        except ValueError:
            raise IndexError("shape mismatch: indexing arrays could not be broadcast together with shapes "
                             + " ".join(str(s) for s in shapes)) from None
        at = fancy[0] if len(arrays) == 1 or len(fancy) == fancy[-1] - fancy[0] + 1 else 0
        result[at:at] = together
    return tuple(index), tuple(result)


def _whole(s, length):
    """Does a slice take all of an axis in its order?"""
    return s.indices(length) == (0, length, 1)


def _wanted(triple, columns):
    """The elements of some of very many columns, as a matrix of those alone; their number, and the columns in it."""
    wanted, columns = cp.unique(columns, return_inverse=True)
    data, indices, indptr = triple
    place = cp.searchsorted(wanted, indices)
    keep = cp.append(wanted, -1)[place] == indices
    triple = S.sparse_select(data, place.astype(type_of(indices)), indptr, keep)
    return triple, max(wanted.size, 1), columns


class IndexedRows:
    """Elements and parts of a compressed matrix, read and set."""

    # --- parts ---

    def _take_major(self, rows):
        """Lines by number: an int64 array that was checked."""
        triple = S.sparse_take(*self._triple(), rows)
        return self._part(triple, rows.size, None)

    def _part(self, triple, major, minor, ordered=True):
        m, n = self._swap(self._shape_as_2d)
        shape = self._swap((m if major is None else major, n if minor is None else minor))
        return self._like(triple, shape, self._sorted if ordered else None, self._canonical if ordered else None)

    def _slice_major(self, s):
        length = self._swap(self._shape_as_2d)[0]
        start, stop, step = s.indices(length)
        count = len(range(start, stop, step))
        if _whole(s, length):
            return self
        if step != 1 or count == 0:
            return self._take_major(cp.arange(start, start + count * step, step, dtype="int64")[:count])
        data, indices, indptr = self._triple()
        first, last = indptr[cp.array([start, stop])].tolist()
        return self._part((data[first:last].copy(), indices[first:last].copy(), indptr[start:stop + 1] - first),
                          count, None)

    def _slice_minor(self, s):
        length = self._swap(self._shape_as_2d)[1]
        start, stop, step = s.indices(length)
        count = len(range(start, stop, step))
        if _whole(s, length):
            return self
        if step < 0:
            return self._take_minor(cp.arange(start, start + count * step, step, dtype="int64")[:count])
        data, indices, indptr = self._triple()
        keep = (indices >= start) & (indices < stop)
        if step > 1:
            keep &= (indices - start) % step == 0
        data, indices, indptr = S.sparse_select(data, indices, indptr, keep)
        indices = indices - start
        return self._part((data, indices // step if step > 1 else indices, indptr), None, count)

    def _take_minor(self, columns):
        """Minor lines by number: of the transpose, the major ones."""
        major, minor = self._swap(self._shape_as_2d)
        triple = self._triple()
        if minor > max(1 << 24, 8 * triple[0].size):
            triple, minor, columns = _wanted(triple, columns)
        if triple[0]._device < 0:
            ascend = self.has_sorted_indices if self._sorted is None else bool(self._sorted)
            result = self._part(S.sparse_take_columns(*triple, minor, columns, ascend), None, columns.size)
            result._sorted, result._canonical = True, self._canonical
            return result
        turned = S.sparse_take(*S.sparse_transpose(*triple, minor), columns)
        result = self._part(S.sparse_transpose(*turned, major), None, columns.size)
        result._sorted, result._canonical = True, self._canonical
        return result

    def _along(self, index, major):
        if isinstance(index, int):
            index = slice(index, index + 1)
        if isinstance(index, slice):
            return self._slice_major(index) if major else self._slice_minor(index)
        return self._take_major(index.ravel()) if major else self._take_minor(index.ravel())

    def _getrow(self, i):
        return self._line(i, 0)

    def _getcol(self, j):
        return self._line(j, 1)

    def _line(self, i, axis):
        if self.ndim == 1:
            raise ValueError("getcol not provided for 1d arrays. Use indexing A[j]")
        n, i = self.shape[axis], int(i)
        if not -n <= i < n:
            raise IndexError(f"index ({i}) out of range")
        result = self._along(i % n, self._swap((0, 1))[axis] == 0)
        return result.copy() if result is self else result

    # --- reading ---

    def _rows_of_array(self, key):
        """The rows of a key that is one array, by one look at it; None for another key, and where one is negative."""
        if not isinstance(key, cp.ndarray) or key.ndim != 1 or type_of(key).kind not in "iu" or not key.size or \
                self.ndim != 2 or self.format != "csr":
            return None
        try:
            return self._take_major(key)
        except IndexError:
            return None

    def __getitem__(self, key) -> _spbase | ndarray:
        rows = self._rows_of_array(key)
        if rows is not None:
            return rows
        index, shape = parse(taken(key, self) if is_foreign(key) else key, self.shape)
        if len(shape) > 2:
            raise MoreAxes(f"Indexing that leads to >2D is not supported by {self.format} format. Try converting to "
                           "COO format")
        result = self._item(index) if len(index) == 1 else self._items(*index)
        if not self._is_array:
            if shape == () or len(shape) == 1 and result.ndim:
                return result
            shape = (1,) + shape if len(shape) == 1 else shape
        elif isinstance(result, cp.ndarray) and len(index) == 1 and shape != ():
            return type(self)(result.reshape(shape))
        return result if result.shape == shape else result.reshape(shape)

    def _item(self, index):
        """Of a matrix of one axis."""
        i = index[0]
        if isinstance(i, int):
            return self._at(cp.zeros(1, dtype="int64"), cp.array([i]))[0]
        if isinstance(i, slice):
            if i == slice(None):
                return self.copy()
            part = self._slice_minor(i)
            part = part.copy() if part is self else part
            part._shape = (part._shape_as_2d[1],)
            return part
        return self._at(cp.zeros(i.size, dtype="int64"), i.ravel()).reshape(i.shape)

    def _items(self, row, column):
        if isinstance(row, int) and isinstance(column, int):
            major, minor = self._swap((row, column))
            return self._at(cp.array([major]), cp.array([minor]))[0]
        both = not isinstance(row, (int, slice)) and not isinstance(column, (int, slice))
        if both and not (row.ndim == 2 and row.shape[1] == 1 and (column.ndim == 1 or column.shape[0] == 1)):
            return self._places(*cp.broadcast_arrays(row, column))
        first, second = self._swap((row, column))
        result = self._along(first, True)._along(second, False)
        return result.copy() if result is self else result

    def _places(self, row, column):
        """Elements at pairs of indices."""
        if row.size == 0:
            return type(self)(cp.atleast_2d(row).shape, dtype=type_of(self))
        value = self._at(*self._swap((row.ravel(), column.ravel())))
        if row.ndim == 1:
            return self._two_axes(value)
        return type(self)(value.reshape(row.shape))

    # --- writing ---

    def __setitem__(self, key, x) -> None:
        index, _ = parse(taken(key, self) if is_foreign(key) else key, self.shape)
        x = taken(x, self)
        if len(index) == 1:
            return self._set_item(index[0], x)
        row, column = index
        if isinstance(row, int) and isinstance(column, int):
            x = x.toarray() if issparse(x) else cp.asarray(x, dtype=type_of(self))
            if x.size != 1:
                raise ValueError("Trying to assign a sequence to an item")
            return self._set_many(*self._swap((cp.array([row]), cp.array([column]))), x.ravel())
        row, column = self._grid(row, column)
        i, j = cp.broadcast_arrays(row, column)
        if issparse(x):
            return self._set_sparse(i, j, x)
        x = cp.asarray(x, dtype=type_of(self))
        if tuple(n for n in x.shape if n != 1) != tuple(n for n in i.shape if n != 1):
            x = cp.broadcast_to(x, i.shape)
        if x.size:
            self._set_many(*self._swap((i.ravel(), j.ravel())), x.reshape(i.shape).ravel())

    def _grid(self, row, column):
        """The indices of both axes as arrays that broadcast to the places."""
        if isinstance(row, slice):
            row = cp.arange(*row.indices(self.shape[0]), dtype="int64")[:, None]
        elif isinstance(row, int):
            row = cp.array([row])
        if isinstance(column, slice):
            column = cp.arange(*column.indices(self.shape[1]), dtype="int64")[None, :]
            row = row[:, None] if row.ndim == 1 else row
        elif isinstance(column, int):
            column = cp.array([column])
        return row, column

    def _set_item(self, i, x):
        x = x.toarray() if issparse(x) else cp.asarray(x, dtype=type_of(self))
        if isinstance(i, int):
            if x.size != 1:
                raise ValueError("Trying to assign a sequence to an item")
            i = cp.array([i])
        elif isinstance(i, slice):
            i = cp.arange(*i.indices(self.shape[0]), dtype="int64")
        x = x.reshape(i.shape) if x.size == i.size else cp.broadcast_to(x, i.shape)
        if x.size:
            self._set_many(cp.zeros(i.size, dtype="int64"), i.ravel(), x.ravel())

    def _set_sparse(self, i, j, x):
        if 0 in x.shape:
            return
        if i.ndim == 1:
            i, j = i[None], j[None]
        x = x.tocoo(copy=False)
        x = x.reshape(x._shape_as_2d, copy=True)
        wide = x.shape[0] == 1 != i.shape[0], x.shape[1] == 1 != i.shape[1]
        if not all(w or a == b for w, a, b in zip(wide, x.shape, i.shape)):
            raise ValueError("shape mismatch in assignment")
        x.sum_duplicates()
        self._zero_many(*self._swap((i.ravel(), j.ravel())))
        r, c, data = x._row.astype("int64"), x._col.astype("int64"), x.data.astype(type_of(self), copy=False)
        if not data.size:
            return
        n = data.size
        if wide[0]:
            r, c, data = cp.repeat(cp.arange(i.shape[0]), n), cp.tile(c, i.shape[0]), cp.tile(data, i.shape[0])
        n = data.size
        if wide[1]:
            r, c, data = cp.repeat(r, i.shape[1]), cp.tile(cp.arange(i.shape[1]), n), cp.repeat(data, i.shape[1])
        self._set_many(*self._swap((i[r, c], j[r, c])), data)

    def _find(self, major, minor):
        if not self.has_canonical_format:
            self.sum_duplicates()
        return S.sparse_find(self._indices, self._indptr, major, minor, True)

    def _zero_many(self, major, minor):
        at = self._find(major, minor)
        self.data[at[at >= 0]] = 0

    def _set_many(self, major, minor, x, warn=True):
        """Sets elements; of several at one place the last one."""
        x = x.astype(type_of(self), copy=False)
        at = self._find(major, minor)
        there = at >= 0
        if bool(there.all()):
            self.data[at] = x
            return
        if warn:
            warnings.warn(f"Changing the sparsity structure of a {type(self).__name__} is expensive. lil and dok are "
                          "more efficient.", SparseEfficiencyWarning, stacklevel=4)
        if bool(there.any()):
            self.data[at[there]] = x[there]
        new = ~there
        self._insert(major[new], minor[new], x[new])

    def _insert(self, major, minor, x):
        lines, length = self._swap(self._shape_as_2d)
        if lines * length < 2**63:
            key = major * length + minor
            _, last = cp.unique(key[::-1], return_index=True)
        else:
            _, last = cp.unique(cp.stack((major, minor), axis=1)[::-1], axis=0, return_index=True)
        keep = major.size - 1 - last
        data, indices, indptr = self._triple()
        index = "int64" if indices.size + keep.size > 2**31 - 1 else type_of(indices)
        rows = cp.concatenate((S.sparse_rows(indices, indptr), major[keep].astype(type_of(indices)))).astype(index)
        columns = cp.concatenate((indices, minor[keep].astype(type_of(indices)))).astype(index)
        self._put(S.sparse_compress(cp.concatenate((data, x[keep])), rows, columns, lines), None, None)
        self.sort_indices()
        self._canonical = True
