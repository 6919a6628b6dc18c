"""The base of sparse matrices and arrays: what every format has, by conversion to compressed rows where it has no
better way. `spmatrix` and `sparray` say what `*`, `**` and sums along an axis mean."""
from __future__ import annotations

import math
import operator
import types
import warnings

import cuprite as cp
from cuprite._element_types import common_type, type_of
from cuprite.scipy.sparse._operands import Operands, class_of, is_foreign, issparse, taken  # noqa: F401
from cuprite.scipy.sparse._util import check_order, check_shape, getdtype, isintlike, isscalarlike, validate_axis

MAXPRINT = 50
FORMATS = {"csc": "Compressed Sparse Column", "csr": "Compressed Sparse Row", "dok": "Dictionary Of Keys",
           "lil": "List of Lists", "coo": "COOrdinate", "dia": "DIAgonal", "bsr": "Block Sparse Row"}


def _method(name):
    def method(self):
        return getattr(self.tocsr(), name)()
    method.__name__, method.__doc__ = name, f"`cuprite.{name}` of each element."
    return method


class _spbase(Operands):
    """The base of all formats; it is not made by itself."""

    __array_priority__ = 1000.0
    __hash__ = None
    _format = "und"
    _allow_nd = (2,)
    _is_array = True
    maxprint = MAXPRINT  # how many elements are printed

    def __init__(self, arg1=None, *, maxprint=None):
        if type(arg1) is not tuple and isinstance(self, sparray) and cp.isscalar(arg1):
            raise ValueError("scipy sparse array classes do not support instantiation from a scalar")
        self.maxprint = MAXPRINT if maxprint is None else maxprint

    # --- what it is ---

    format = property(lambda self: self._format, doc="The name of the format.")
    shape = property(lambda self: self._shape, doc="The lengths of the axes.")
    ndim = property(lambda self: len(self._shape), doc="The number of axes.")
    nnz = property(lambda self: self._getnnz(), doc="How many elements are stored, zeros among them.")
    size = property(lambda self: self._getnnz(), doc="How many elements are stored.")
    T = property(lambda self: self.transpose(), doc="The transpose.")
    real = property(lambda self: self._real(), doc="The real parts.")
    imag = property(lambda self: self._imag(), doc="The imaginary parts.")
    device = property(lambda self: self.data.device, doc="The device of the arrays.")

    @property
    def mT(self) -> _spbase:
        """The transpose of a matrix."""
        if self.ndim < 2:
            raise ValueError("matrix transpose with ndim < 2 is undefined")
        return self.transpose()

    _type = property(lambda self: self.data._type)

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """The type of the elements."""
        return self.data.dtype

    @property
    def _shape_as_2d(self):
        return (1, self._shape[0]) if len(self._shape) == 1 else self._shape

    def _make(self, format, *args, **kwargs):
        return class_of(format, self._is_array)(*args, **kwargs)

    @classmethod
    def _two_axes(cls, x):
        """A dense result as SciPy's matrices have it: of two axes."""
        return x if issubclass(cls, sparray) or x.ndim != 1 else x.reshape(1, -1)

    def __len__(self) -> int:
        raise TypeError("sparse array length is ambiguous; use getnnz() or shape[0]")

    def __bool__(self):
        if self.shape == (1, 1):
            return self.nnz != 0
        raise ValueError("The truth value of an array with more than one element is ambiguous. Use a.any() or "
                         "a.all().")

    def __iter__(self):
        for r in range(self.shape[0]):
            yield self[r]

    def __repr__(self):
        kind = "array" if self._is_array else "matrix"
        return (f"<{FORMATS[self.format]} sparse {kind} of dtype '{self.dtype}'\n\twith {self.nnz} stored elements"
                f"{self._about()} and shape {self.shape}>")

    def _about(self):
        return ""

    def __str__(self):
        text = repr(self)
        if self.nnz == 0:
            return text
        host = self.tocoo()
        coords, data = [c.get() for c in host._coords], host.data.get()

        def lines(part):
            pairs = zip(zip(*(c[part].tolist() for c in coords)), data[part])
            return "\n".join(f"  {at}\t{value}" for at, value in pairs)
        text += "\n  Coords\tValues\n"
        if self.nnz <= self.maxprint:
            return text + lines(slice(None))
        half = self.maxprint // 2
        return text + lines(slice(half)) + "\n  :\t:\n" + lines(slice(-(self.maxprint - half), None))

    def get(self, stream=None):
        """The matrix as one of SciPy's, in the host's memory.

        Parameters: stream: for CuPy's sake."""
        raise NotImplementedError

    # --- conversions ---

    def asformat(self, format, copy=False) -> _spbase:
        """The matrix in another format.

        Parameters: format: its name, or None for this one; copy: whether arrays must not be shared."""
        if format is None or format == self.format:
            return self.copy() if copy else self
        convert = getattr(self, "to" + str(format), None)
        if convert is None:
            raise ValueError(f"Format {format} is unknown.")
        return convert() if format == "array" else convert(copy=copy)

    def tocsr(self, copy=False) -> _spbase:
        """The matrix as compressed rows.

        Parameters: copy: whether arrays must not be shared."""
        return self.tocoo(copy=copy).tocsr(copy=False)

    def tocsc(self, copy=False) -> _spbase:
        """The matrix as compressed columns.

        Parameters: copy: whether arrays must not be shared."""
        return self.tocsr(copy=copy).tocsc(copy=False)

    def tocoo(self, copy=False) -> _spbase:
        """The matrix as coordinates.

        Parameters: copy: whether arrays must not be shared."""
        return self.tocsr(copy=False).tocoo(copy=copy)

    def todia(self, copy=False) -> _spbase:
        """The matrix as diagonals.

        Parameters: copy: whether arrays must not be shared."""
        return self.tocoo(copy=copy).todia(copy=False)

    def tobsr(self, blocksize=None, copy=False) -> _spbase:
        """The matrix as blocks.

        Parameters: blocksize: rows and columns of a block; copy: whether arrays must not be shared."""
        return self.tocsr(copy=False).tobsr(blocksize=blocksize, copy=copy)

    def tolil(self, copy=False) -> _spbase:
        """The matrix as lists of rows, in the host's memory.

        Parameters: copy: whether arrays must not be shared."""
        if self.ndim != 2:
            return self._make("lil", self)
        return class_of("lil", self._is_array)._of_rows(self.tocsr())

    def todok(self, copy=False) -> _spbase:
        """The matrix as a dictionary, in the host's memory.

        Parameters: copy: whether arrays must not be shared."""
        if self.ndim > 2:
            return self._make("dok", self)
        return class_of("dok", self._is_array)._of_coordinates(self.tocoo(copy=False))

    def toarray(self, order=None, out=None) -> ndarray:
        """The matrix as an array.

        Parameters: order: its layout, C or F; out: an array of that shape and type that is filled instead."""
        return self.tocsr().toarray(order=order, out=out)

    def todense(self, order=None, out=None) -> ndarray:
        """The matrix as an array.

        Parameters: order: its layout, C or F; out: an array of that shape and type that is filled instead."""
        return self.toarray(order=order, out=out)

    def _delivered(self, result, order, out):
        """A dense result in the layout, or the array, that was asked for."""
        check_order(order)
        if out is None:
            return cp.asfortranarray(result) if order in ("F", "f") else result
        if order is not None:
            raise ValueError("order cannot be specified if out is not None")
        if out.shape != self.shape or type_of(out) != type_of(self):
            raise ValueError("out array must be same dtype and shape as sparse array")
        out[...] = result
        return out

    def copy(self) -> _spbase:
        """A copy that shares no array."""
        return type(self)(self, copy=True)

    def astype(self, dtype, casting="unsafe", copy=True) -> _spbase:
        """The matrix with elements of another type.

        Parameters: dtype: the type; casting: which conversions are allowed; copy: whether the result must be new."""
        dtype = getdtype(dtype)
        if type_of(self) != dtype:
            return self.tocsr().astype(dtype, casting=casting, copy=copy).asformat(self.format)
        return self.copy() if copy else self

    def _asfptype(self):
        if type_of(self).kind in "fc":
            return self
        small = type_of(self).kind == "b" or type_of(self).itemsize < 4 and cp.can_cast(type_of(self), "float32")
        return self.astype("float32" if small else "float64", copy=False)

    def reshape(self, *args, **kwargs) -> _spbase:
        """The elements in another shape, as coordinates.

        Parameters: args: the shape; kwargs: order, in which elements are counted, C or F, and copy."""
        shape = check_shape(args, self.shape, range(1, 65) if self._is_array else (2,))
        order, copy = kwargs.pop("order", "C"), kwargs.pop("copy", False)
        if kwargs:
            raise TypeError(f"reshape() got unexpected keywords arguments: {', '.join(kwargs)}")
        if shape == self.shape:
            return self.copy() if copy else self
        return self.tocoo(copy=copy)._reshaped(shape, order)

    def resize(self, *shape) -> None:
        """Changes the shape in place: elements outside of the new one are dropped.

        Parameters: shape: the new lengths."""
        raise NotImplementedError(f"{type(self).__name__}.resize is not implemented")

    def transpose(self, axes=None, copy=False) -> _spbase:
        """The transpose.

        Parameters: axes: None or (1, 0); copy: whether arrays must not be shared."""
        return self.tocsr(copy=copy).transpose(axes=axes, copy=False)

    def _check_axes(self, axes):
        if axes is not None and (not isinstance(axes, (tuple, list)) or tuple(axes) != (1, 0)):
            raise ValueError("Sparse arrays/matrices do not support an 'axes' parameter because swapping dimensions "
                             "is the only logical permutation.")

    # --- elements ---

    def _with_data(self, data, copy=True):
        raise NotImplementedError

    def conj(self, copy=True) -> _spbase:
        """The complex conjugate.

        Parameters: copy: whether the result of a real matrix must be new."""
        return self.conjugate(copy=copy)

    def conjugate(self, copy=True) -> _spbase:
        """The complex conjugate.

        Parameters: copy: whether the result of a real matrix must be new."""
        if type_of(self).kind == "c":
            return self.tocsr().conjugate(copy=copy)
        return self.copy() if copy else self

    def _real(self):
        return self.tocsr()._real()

    def _imag(self):
        return self.tocsr()._imag()

    def count_nonzero(self, axis=None) -> ndarray | int:
        """How many elements are not 0.

        Parameters: axis: None for all, or one axis."""
        return self.tocsr().count_nonzero(axis)

    def _getnnz(self, axis=None):
        return self.tocsr()._getnnz(axis)

    def nonzero(self) -> tuple[ndarray, ...]:
        """The rows and the columns of the elements that are not 0."""
        coo = (self.tocsr() if self.format in ("csc", "dia") else self).tocoo()
        mask = coo.data != 0
        return tuple(c[mask] for c in coo._coords)

    def diagonal(self, k=0) -> ndarray:
        """A diagonal.

        Parameters: k: which; 0 is the main one, above it positive."""
        return self.tocsr().diagonal(k=k)

    def trace(self, offset=0) -> ndarray:
        """The sum of a diagonal.

        Parameters: offset: which; 0 is the main one."""
        return self.diagonal(k=offset).sum()

    def setdiag(self, values, k=0) -> None:
        """Sets the elements of a diagonal.

        Parameters: values: a number, or one for each element from the diagonal's first on; k: which diagonal."""
        m, n = self.shape
        if (k > 0 and k >= n) or (k < 0 and -k >= m):
            raise ValueError("k exceeds array dimensions")
        values = cp.asarray(values)
        if values.ndim > 1:
            raise ValueError("the elements of a diagonal must be 0-d or 1-d")
        self._setdiag(values, k)

    def sum(self, axis=None, dtype=None, out=None) -> ndarray:
        """The sum of the elements.

        Parameters: axis: None for all, or one axis; dtype: the result's type; out: an array for it."""
        return self.tocsr().sum(axis=axis, dtype=dtype, out=out)

    def _delivered_sum(self, result, axis, dtype, out):
        """A line of sums along an axis, in the type, or the array, that was asked for."""
        if not self._is_array:
            result = result.reshape((1, -1) if axis == 0 else (-1, 1))
        if out is None:
            return result.astype(dtype, copy=False)
        if out.shape != result.shape:
            raise ValueError("out dimensions do not match shape")
        out[...] = result
        return out

    def mean(self, axis=None, dtype=None, out=None) -> ndarray:
        """The mean of all elements, zeros that are not stored among them.

        Parameters: axis: None for all, or one axis; dtype: the result's type; out: an array for it."""
        axis = validate_axis(axis, self.ndim)
        between = common_type("float64") if type_of(self).kind in "biu" else type_of(self)
        count = math.prod(self.shape) if axis is None else self.shape[axis]
        source = self.tocsr()._canon() if type_of(self).kind == "b" else self
        scaled = source.astype(between, copy=False)._mul_scalar(1.0 / count)
        result = scaled.sum(axis=axis, dtype=between, out=out)
        return result.astype(dtype, copy=False) if dtype is not None and out is None else result

    def power(self, n, dtype=None) -> _spbase:
        """Each element to a power.

        Parameters: n: a number, not 0; dtype: the type in which it is computed."""
        return self.tocsr().power(n, dtype=dtype)

    def __abs__(self) -> _spbase:
        return abs(self.tocsr())

    def __round__(self, ndigits=0) -> _spbase:
        return round(self.tocsr(), ndigits)

    def __neg__(self) -> _spbase:
        return -self.tocsr()

    def __pos__(self) -> _spbase:
        return self.copy()

    sin = _method("sin")
    tan = _method("tan")
    arcsin = _method("arcsin")
    arctan = _method("arctan")
    sinh = _method("sinh")
    tanh = _method("tanh")
    arcsinh = _method("arcsinh")
    arctanh = _method("arctanh")
    rint = _method("rint")
    sign = _method("sign")
    expm1 = _method("expm1")
    log1p = _method("log1p")
    deg2rad = _method("deg2rad")
    rad2deg = _method("rad2deg")
    floor = _method("floor")
    ceil = _method("ceil")
    trunc = _method("trunc")
    sqrt = _method("sqrt")

    # --- rows and columns ---

    def _getrow(self, i):
        return self.tocsr()._getrow(i)

    def _getcol(self, j):
        return self.tocsr()._getcol(j)


class sparray:
    """What SciPy's sparse arrays are instances of: `*` multiplies elements."""

    _is_array = True
    __class_getitem__ = classmethod(types.GenericAlias)


class spmatrix:
    """What SciPy's sparse matrices are instances of: `*` is the product of matrices."""

    _is_array = False
    _allow_nd = (2,)
    __class_getitem__ = classmethod(types.GenericAlias)

    def __mul__(self, other) -> _spbase | ndarray:
        return self._matmul(other)

    def __rmul__(self, other) -> _spbase | ndarray:
        return self._rmatmul(other)

    def __pow__(self, power) -> _spbase:
        check_exponent(power)
        m, n = self.shape
        if m != n:
            raise TypeError("sparse matrix is not square")
        power = operator.index(power)
        if power < 0:
            raise ValueError("exponent must be >= 0")
        result, factor = None, self
        while power:
            if power & 1:
                result = factor if result is None else result @ factor
            power >>= 1
            factor = factor @ factor if power else factor
        if result is None:
            from cuprite.scipy.sparse import eye
            return eye(m, dtype=type_of(self))
        return result.copy() if result is self else result

    def set_shape(self, shape) -> None:
        """Changes the shape in place, as reshape.

        Parameters: shape: the new lengths."""
        self.__dict__ = self.reshape(shape, copy=False).asformat(self.format).__dict__

    def get_shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return self._shape

    shape = property(get_shape, set_shape, doc="The lengths of the axes.")

    def asfptype(self) -> _spbase:
        """The matrix with floating elements."""
        return self._asfptype()

    def getmaxprint(self) -> int:
        """How many elements are printed at most."""
        return self.maxprint

    def getformat(self) -> str:
        """The name of the format."""
        return self.format

    def getnnz(self, axis=None) -> ndarray | int:
        """How many elements are stored.

        Parameters: axis: None for all, or one axis."""
        return self._getnnz(axis=axis)

    def getH(self) -> _spbase:
        """The conjugate transpose."""
        return self.conjugate().transpose()

    @property
    def H(self) -> _spbase:
        """The conjugate transpose; SciPy and CuPy want getH, or .T.conj(), instead."""
        warnings.warn("`spmatrix.H` is deprecated; use `.T.conj()` instead", DeprecationWarning, stacklevel=2)
        return self.getH()

    @property
    def A(self) -> ndarray:
        """The matrix as an array; SciPy and CuPy want toarray instead."""
        warnings.warn("`spmatrix.A` is deprecated; use `.toarray()` instead", DeprecationWarning, stacklevel=2)
        return self.toarray()

    def getcol(self, j) -> _spbase:
        """A column, as a matrix of one.

        Parameters: j: which."""
        return self._getcol(j)

    def getrow(self, i) -> _spbase:
        """A row, as a matrix of one.

        Parameters: i: which."""
        return self._getrow(i)


def check_exponent(power):
    """ValueError for the power of a matrix that is no integer."""
    if not hasattr(power, "__index__"):
        raise ValueError("exponent must be an integer")


def isspmatrix(x) -> bool:
    """Is x a sparse matrix, not an array?

    Parameters: x: any object."""
    return isinstance(x, spmatrix)
