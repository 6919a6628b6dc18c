"""lil and dok: matrices that are built element by element, in the host's memory.

SciPy's own objects hold them, so SciPy must be installed. Reading, setting and what they are stored as is SciPy's;
whatever computes first makes compressed rows on the device."""
from __future__ import annotations

from itertools import chain

import cuprite as cp
from cuprite._element_types import common_type
from cuprite.scipy.sparse._base import _spbase, class_of, is_foreign, issparse, sparray, spmatrix
from cuprite.scipy.sparse._util import (
    check_shape, index_dtype, getdtype, isscalarlike, isshape, scipys, sum_dtype, validate_axis)

_FEW = 1 << 9   # rows whose lists are read one by one; more of them by way of SciPy's compressed rows


def _on_host(x):
    """x with arrays of Cuprite's as NumPy's and matrices as SciPy's."""
    if isinstance(x, tuple):
        return tuple(_on_host(v) for v in x)
    return x.get() if isinstance(x, cp.ndarray) or issparse(x) else x


def _type_of(m):
    """The type of a matrix' elements as NumPy's."""
    import numpy
    return numpy.dtype(m.dtype.char)


class _host(_spbase):
    """What lil and dok share."""

    def __init__(self, arg1, shape=None, dtype=None, copy=False, *, maxprint=None):
        _spbase.__init__(self, arg1, maxprint=maxprint)
        theirs = scipys(type(self).__name__)
        dtype = None if dtype is None else getdtype(dtype)
        if isinstance(arg1, tuple) and isshape(arg1, self._allow_nd):
            arg1 = check_shape(arg1, allow_nd=self._allow_nd)
        if isinstance(arg1, _host) and not copy and arg1.format == self.format and dtype is None:
            self._matrix = arg1._matrix
        elif issparse(arg1) and shape is dtype is None and arg1.format != self.format and arg1.ndim in self._allow_nd:
            self._matrix = arg1.asformat(self.format)._matrix
            if arg1._is_array != self._is_array:
                self._matrix = theirs(self._matrix)
        else:
            self._matrix = theirs(_on_host(arg1), shape=shape, dtype=dtype, copy=True)
        getdtype(self._matrix.dtype)

    _type = property(lambda self: common_type(self._matrix.dtype))
    dtype = property(lambda self: cp.dtype(self._matrix.dtype), doc="The type of the elements.")
    ndim = property(lambda self: self._matrix.ndim, doc="The number of axes.")
    _shape = property(lambda self: self._matrix.shape)
    device = property(lambda self: cp.Device("cpu") if not hasattr(cp, "cuda") else cp.cuda.Device(),
                      doc="The device on which conversions are made: the current one.")

    @classmethod
    def _theirs(cls, m):
        """SciPy's matrix of the type and shape of m, without elements."""
        return scipys(cls.__name__)(m._shape, dtype=_type_of(m))

    @classmethod
    def _of(cls, matrix):
        """One of SciPy's matrices, which nobody else has."""
        new = cls.__new__(cls)
        _spbase.__init__(new)
        new._matrix = matrix
        return new

    def _like(self, matrix):
        new = type(self).__new__(type(self))
        new.maxprint, new._matrix = self.maxprint, matrix
        return new

    def _divide(self, other):
        if isscalarlike(other):  # not of integers: SciPy's quotients have their type, and so no place
            mine = self._matrix if self.dtype.kind in "fc" else self._matrix.astype("d")
            return self._like(mine / _on_host(other))
        return super()._divide(other)

    def _getnnz(self, axis=None):
        return self._matrix._getnnz(axis)

    def count_nonzero(self, axis=None) -> ndarray | int:
        """How many elements are not 0.

        Parameters: axis: None for all, or one axis."""
        return self._matrix.count_nonzero(axis)

    def get(self, stream=None):
        """The matrix as one of SciPy's.

        Parameters: stream: for CuPy's sake."""
        return self._matrix.copy()

    def __reduce__(self):
        return type(self), (self._matrix,)

    def copy(self) -> _spbase:
        """A copy that shares nothing."""
        return self._like(self._matrix.copy())

    def tolil(self, copy=False) -> _spbase:
        """The matrix as lists of rows.

        Parameters: copy: whether lists must not be shared."""
        return self._same("lil", copy)

    def todok(self, copy=False) -> _spbase:
        """The matrix as a dictionary.

        Parameters: copy: whether it must not be shared."""
        return self._same("dok", copy)

    def _same(self, format, copy):
        if format != self.format:
            return getattr(_spbase, "to" + format)(self)
        return self.copy() if copy else self

    def transpose(self, axes=None, copy=False) -> _spbase:
        """The transpose.

        Parameters: axes: None or (1, 0); copy: whether arrays must not be shared."""
        return self._like(self._matrix.transpose(axes=axes, copy=copy))

    def reshape(self, *args, **kwargs) -> _spbase:
        """The elements in another shape.

        Parameters: args: the shape; kwargs: order, in which elements are counted, C or F, and copy."""
        return self._as_found(self._matrix.reshape(*args, **kwargs))

    def resize(self, *shape) -> None:
        """Changes the shape in place: elements outside of the new one are dropped.

        Parameters: shape: the new lengths."""
        self._matrix.resize(*shape)

    def astype(self, dtype, casting="unsafe", copy=True) -> _spbase:
        """The matrix with elements of another type.

        Parameters: dtype: the type; casting: which conversions are allowed; copy: whether the result must be new."""
        return self._like(self._matrix.astype(getdtype(dtype), casting=casting, copy=copy))

    def _mul_scalar(self, other):
        return self._like(self._matrix._mul_scalar(_on_host(other)))

    def __imul__(self, other) -> _spbase:
        if not isscalarlike(other):
            return NotImplemented
        self._matrix *= _on_host(other)
        return self

    def __itruediv__(self, other) -> _spbase:
        if not isscalarlike(other):
            return NotImplemented
        self._matrix /= _on_host(other)
        return self

    def _setdiag(self, values, k):
        self._matrix.setdiag(values.get(), k)

    def _getrow(self, i):
        return self._as_found(self._matrix._getrow(i))

    def _getcol(self, j):
        return self._as_found(self._matrix._getcol(j))

    def _as_found(self, found):
        """SciPy's matrix as one of ours, of the same format."""
        return self._like(found) if found.format == self.format else class_of(found.format, self._is_array)(found)

    def __getitem__(self, key) -> _spbase | ndarray:
        found = self._matrix[_on_host(key)]
        if not is_foreign(found):
            return cp.asarray(found)
        return self._as_found(found)

    def __setitem__(self, key, x) -> None:
        self._matrix[_on_host(key)] = _on_host(x)


class _lil(_host):
    """Lists of rows."""

    _format = "lil"

    @classmethod
    def _of_rows(cls, csr):
        """A csr matrix as lists: those of all elements are cut at the ends of rows."""
        data, indices, indptr = (x.tolist() for x in csr._canon()._triple())
        theirs = cls._theirs(csr)
        rows, values, first = theirs.rows, theirs.data, 0
        for r, last in enumerate(indptr[1:]):
            if first < last:
                rows[r], values[r] = indices[first:last], data[first:last]
                first = last
        return cls._of(theirs)

    rows = property(lambda self: self._matrix.rows, doc="The columns of each row's elements, as lists.")
    data = property(lambda self: self._matrix.data, doc="Each row's elements, as lists.")

    def __iadd__(self, other) -> _spbase:
        return self._set(self + other)

    def __isub__(self, other) -> _spbase:
        return self._set(self - other)

    def _set(self, other):
        """The matrix itself with another one's elements, converted to its type, as SciPy's."""
        self._matrix[:, :] = _on_host(other)
        return self

    def getrow(self, i) -> _spbase:
        """A row, as a matrix of one.

        Parameters: i: which."""
        return self._as_found(self._matrix.getrow(i))

    def tocsr(self, copy=False) -> _spbase:
        """The matrix as compressed rows on the current device.

        Parameters: copy: for SciPy's sake."""
        m = self._matrix.tocsr()
        new = class_of("csr", self._is_array)._new(*(cp.asarray(x) for x in (m.data, m.indices, m.indptr)), m.shape)
        new._trusted = False    # the lists are the user's
        new._check_new()
        return new

    def sum(self, axis=None, dtype=None, out=None) -> ndarray:
        """The sum of the elements.

        Parameters: axis: None for all, or one axis; dtype: the result's type; out: an array for it."""
        if validate_axis(axis) is not None or self.dtype.kind == "b":
            return super().sum(axis=axis, dtype=dtype, out=out)
        if self._shape[0] > _FEW:
            data = self._matrix.tocsr().data
        else:
            import numpy
            data = numpy.array(list(chain.from_iterable(self._matrix.data)), dtype=self._matrix.dtype)
        return cp.asarray(data).sum(dtype=dtype or sum_dtype(self.dtype), out=out)

    def getrowview(self, i) -> _spbase:
        """A row that shares its lists with the matrix.

        Parameters: i: which."""
        return self._like(self._matrix.getrowview(i))


class _dok(_host):
    """A dictionary: (row, column) to element. Sums and quotients are dictionaries too; differences are not, as in
    SciPy."""

    _format = "dok"
    _allow_nd = (1, 2)

    @classmethod
    def _of_coordinates(cls, coo):
        """A coo matrix as a dictionary; what stands twice is added in place, as in SciPy."""
        coo.sum_duplicates()
        theirs = cls._theirs(coo)
        if not hasattr(theirs, "_dict"):    # not of this name in every version of SciPy
            return cls._of(coo.get().todok())
        at = [c.tolist() for c in coo._coords]
        theirs._dict = dict(zip(zip(*at) if len(at) > 1 else at[0], coo.data.get()))
        return cls._of(theirs)

    def tocoo(self, copy=False) -> _spbase:
        """The matrix as coordinates on the current device, in the order of the dictionary.

        Parameters: copy: for SciPy's sake."""
        import numpy
        keys, n = self._matrix.keys(), len(self._matrix.keys())
        index = index_dtype(maxval=max(self._shape))
        flat = numpy.fromiter(keys if self.ndim == 1 else chain.from_iterable(keys), numpy.dtype(index),
                              n * self.ndim)
        data = numpy.fromiter(self._matrix.values(), self._matrix.dtype, n)
        coords = tuple(cp.asarray(numpy.ascontiguousarray(flat[k::self.ndim])) for k in range(self.ndim))
        new = class_of("coo", self._is_array)._new(cp.asarray(data), coords, self._shape, True)
        new._check()
        return new

    def tocsr(self, copy=False) -> _spbase:
        """The matrix as compressed rows on the current device.

        Parameters: copy: for SciPy's sake."""
        return self.tocoo().tocsr()

    def tocsc(self, copy=False) -> _spbase:
        """The matrix as compressed columns on the current device.

        Parameters: copy: for SciPy's sake."""
        return self.tocoo().tocsc()

    def sum(self, axis=None, dtype=None, out=None) -> ndarray:
        """The sum of the elements, without an axis in the order of the dictionary.

        Parameters: axis: None for all, or one axis; dtype: the result's type; out: an array for it."""
        values, within = self._matrix.values(), sum_dtype(self.dtype)
        if validate_axis(axis, self.ndim) is not None or not values:
            return super().sum(axis=axis, dtype=dtype, out=out)
        import numpy
        data = cp.asarray(numpy.fromiter(values, self._matrix.dtype, len(values)))
        return data.sum(dtype=dtype or within, out=out)

    def __neg__(self) -> _spbase:
        return self._like(-self._matrix)

    def __add__(self, other) -> _spbase | ndarray:
        if isscalarlike(other):
            return self._like(self._matrix + _on_host(other))
        return super().__add__(other)

    __radd__ = __add__

    def _add_sparse(self, other, sign):
        result = super()._add_sparse(other, sign)
        return result.todok() if sign > 0 else result

    def __len__(self) -> int:
        return len(self._matrix)

    def __contains__(self, key) -> bool:
        return key in self._matrix

    def __iter__(self):
        return iter(self._matrix)

    def __delitem__(self, key) -> None:
        del self._matrix[key]

    def keys(self):
        """The places of the elements."""
        return self._matrix.keys()

    def values(self):
        """The elements."""
        return self._matrix.values()

    def items(self):
        """The places and the elements."""
        return self._matrix.items()

    def get(self, key=None, default=0.0, stream=None):
        """The element at a place, or without one the matrix as one of SciPy's.

        Parameters: key: a place; default: what is given where nothing is stored; stream: for CuPy's sake."""
        return self._matrix.copy() if key is None else self._matrix.get(key, default)

    def setdefault(self, key, default=None):
        """The element at a place, which is set where nothing is stored.

        Parameters: key: a place; default: what it is set to."""
        return self._matrix.setdefault(key, default)

    @classmethod
    def fromkeys(cls, iterable, value=1, /) -> _spbase:
        """A matrix with one element at each of the places, which give its shape.

        Parameters: iterable: the places; value: the element."""
        return cls(scipys(cls.__name__).fromkeys(iterable, value))

    def update(self, val) -> None:
        """Sets elements.

        Parameters: val: a dictionary of places and elements, another such matrix, or pairs.
        Errors: IndexError for places beyond the shape."""
        val = _on_host(val)
        for key, x in val.items() if hasattr(val, "items") else val:
            self._matrix.update({key: self._matrix.dtype.type(x)})

    def pop(self, key, /, *default):
        """The element at a place, which is taken out.

        Parameters: key: a place; default: what is given where nothing is stored.
        Errors: KeyError where nothing is stored and there is no default."""
        found = self._matrix.pop(key, *default) if default or key in self._matrix.keys() else None
        if found is None and not default:
            raise KeyError(key)
        return found

    def popitem(self):
        """Some place with its element, which is taken out."""
        return self._matrix.popitem()

    def clear(self) -> None:
        """Takes all elements out."""
        self._matrix.clear()

    def conjtransp(self) -> _spbase:
        """The conjugate transpose."""
        return self._like(self._matrix.conjtransp())


class lil_array(_lil, sparray):
    """A sparse array of lists, in the host's memory.

    Parameters: arg1: an array, a matrix or a shape; shape: the lengths of the axes; dtype: the element type; copy:
        whether lists must not be shared; maxprint: how many elements are printed."""


class lil_matrix(spmatrix, _lil):
    """A sparse matrix of lists, in the host's memory.

    Parameters: arg1: an array, a matrix or a shape; shape: the lengths of the axes; dtype: the element type; copy:
        whether lists must not be shared; maxprint: how many elements are printed."""


class dok_array(_dok, sparray):
    """A sparse array as a dictionary, in the host's memory.

    Parameters: arg1: an array, a matrix or a shape; shape: the lengths of the axes; dtype: the element type; copy:
        whether it must not be shared; maxprint: how many elements are printed."""


class dok_matrix(spmatrix, _dok):
    """A sparse matrix as a dictionary, in the host's memory.

    Parameters: arg1: an array, a matrix or a shape; shape: the lengths of the axes; dtype: the element type; copy:
        whether it must not be shared; maxprint: how many elements are printed."""


def isspmatrix_lil(x) -> bool:
    """Is x a lil_matrix?

    Parameters: x: any object."""
    return isinstance(x, lil_matrix)


def isspmatrix_dok(x) -> bool:
    """Is x a dok_matrix?

    Parameters: x: any object."""
    return isinstance(x, dok_matrix)
