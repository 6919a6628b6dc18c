"""Operators of sparse matrices: what the other operand is, and what is computed by rows, elements or a dense result."""
from __future__ import annotations

import operator
import types
import warnings

import cuprite as cp
from cuprite._beside import beside_its_arrays
from cuprite._element_types import type_of
from cuprite.scipy.sparse._util import SparseEfficiencyWarning, is_host, isdense, isscalarlike

_NEGATED = {operator.eq: operator.ne, operator.ne: operator.eq, operator.lt: operator.ge, operator.ge: operator.lt,
            operator.gt: operator.le, operator.le: operator.gt}
_SIGNS = {operator.eq: "==", operator.ge: ">=", operator.le: "<=", operator.ne: "!=", operator.gt: ">",
          operator.lt: "<"}


def class_of(format, is_array):
    """The class of a format: csr_array or csr_matrix."""
    import importlib
    return getattr(importlib.import_module("cuprite.scipy.sparse"), format + ("_array" if is_array else "_matrix"))


def issparse(x) -> bool:
    """Is x a sparse matrix or array of Cuprite's?

    Parameters: x: any object."""
    return isinstance(x, Operands)


def is_foreign(x):
    """Is x a sparse matrix of SciPy's?"""
    return type(x).__module__.startswith("scipy.sparse") and hasattr(x, "tocoo")


def taken(x, like):
    """x, or a matrix of SciPy's as one of ours, or what is no array as one; None where it cannot be one."""
    if isinstance(x, (cp.ndarray, Operands)) or isscalarlike(x):
        return x
    if is_foreign(x):
        return class_of(x.format, getattr(like, "_is_array", True))(x)
    if is_host(x) or isinstance(x, (list, tuple)):
        return cp.asarray(x)
    return x if hasattr(x, "shape") else None


def repeated_lines(m, rows, columns):
    """A matrix of one row, or one column, as one of so many equal ones."""
    if m._shape_as_2d == (rows, columns):
        return m.reshape((rows, columns)).tocsr()
    coo = m.tocoo(copy=False)
    row, column = coo._coords if coo.ndim == 2 else (cp.zeros_like(coo._coords[0]), coo._coords[0])
    shape, n = m._shape_as_2d, coo.data.size
    data = coo.data
    if shape[0] == 1 != rows:
        data, row, column = cp.tile(data, rows), cp.repeat(cp.arange(rows), n), cp.tile(column, rows)
    n = data.size
    if shape[1] == 1 != columns:
        data, row, column = cp.repeat(data, columns), cp.repeat(row, columns), cp.tile(cp.arange(columns), n)
    return class_of("csr", m._is_array)((data, (row, column)), shape=(rows, columns))


def broadcast(m, other):
    """Two matrices as compressed ones of the shape that both broadcast to; ValueError where there is none."""
    (m_rows, m_columns), (o_rows, o_columns) = m._shape_as_2d, other._shape_as_2d
    if (m_rows != o_rows and 1 not in (m_rows, o_rows)) or (m_columns != o_columns and 1 not in (m_columns, o_columns)):
        raise ValueError(f"inconsistent shapes {m.shape} and {other.shape}")
    rows = m_rows if o_rows == 1 else o_rows
    columns = m_columns if o_columns == 1 else o_columns
    format = m.format if m.ndim == 2 else "csr"
    return tuple(repeated_lines(x.tocsr(), rows, columns).asformat(format) for x in (m, other))


def _runs_beside(name):
    """Does a method of this name run on the device of its matrix? Not what is called at every step."""
    return not name.startswith("_") or name.startswith("__") and name not in (
        "__init_subclass__", "__new__", "__getattr__", "__setattr__", "__len__", "__hash__", "__reduce__")


def _put_beside(cls):
    """Makes the public methods of a format such that run on the device of its arrays, each where it is defined."""
    for base in cls.__mro__[:-1]:
        for name, f in list(vars(base).items()):
            if isinstance(f, types.FunctionType) and not hasattr(f, "runs_beside") and _runs_beside(name):
                setattr(base, name, beside_its_arrays(f))


class Operands:
    """Arithmetic, comparisons and products of all formats."""

    _held = "data"

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        if cls.__module__.startswith("cuprite."):
            _put_beside(cls)

    def _mul_scalar(self, other):
        return self.tocsr()._mul_scalar(other)

    def _add(self, other, sign):
        """self + other, or self - other where sign is -1."""
        word = "adding a nonzero scalar to a" if sign > 0 else "subtracting a nonzero scalar from a"
        other = taken(other, self)
        if other is None:
            return NotImplemented
        if isscalarlike(other):
            if other == 0:
                return self.copy()
            raise NotImplementedError(f"{word} sparse array is not supported")
        if issparse(other):
            if other.shape != self.shape:
                return self._add_line(other, sign)
            return self._add_sparse(other, sign)
        if isdense(other):
            other = cp.broadcast_to(other, self.shape)
            dense = self.toarray()
            return dense + other if sign > 0 else dense - other
        return NotImplemented

    def _add_sparse(self, other, sign):
        return self.tocsr()._add_sparse(other, sign)

    def _add_line(self, other, sign):
        """Sums with a matrix of another shape: an array of one axis counts as a row, as in CuPy."""
        if self._is_array and 1 in (self.ndim, other.ndim) and self._shape_as_2d == other._shape_as_2d:
            return self.reshape(self._shape_as_2d)._add_sparse(other.reshape(other._shape_as_2d), sign)
        raise ValueError("inconsistent shapes")

    def __add__(self, other) -> Operands | ndarray:
        return self._add(other, 1)

    def __radd__(self, other) -> Operands | ndarray:
        return self._add(other, 1)

    def __sub__(self, other) -> Operands | ndarray:
        return self._add(other, -1)

    def __rsub__(self, other) -> Operands | ndarray:
        other = taken(other, self)
        if other is None:
            return NotImplemented
        if isscalarlike(other):
            if other == 0:
                return -self.copy()
            raise NotImplementedError("subtracting a sparse array from a nonzero scalar is not supported")
        return cp.broadcast_to(other, self.shape) - self.toarray() if isdense(other) else NotImplemented

    def multiply(self, other) -> Operands | ndarray:
        """Elements times elements, or a number.

        Parameters: other: a number, an array or a matrix that broadcasts."""
        if isscalarlike(other):
            return self._mul_scalar(other)
        return (self if self.format == "csc" else self.tocsr())._multiply(other)

    def __mul__(self, other) -> Operands | ndarray:
        return self.multiply(other)

    def __rmul__(self, other) -> Operands | ndarray:
        return self.multiply(other)

    def _divide(self, other):
        other = taken(other, self)
        if other is None:
            return NotImplemented
        if isscalarlike(other):
            if cp.can_cast(type_of(self), "float64"):
                return self.astype("float64", copy=False)._mul_scalar(1 / other)
            return self._mul_scalar(1 / other)
        if isdense(other):
            return self.multiply(cp.divide(1, other))
        if issparse(other):
            mine = self.tocsr()
            if cp.can_cast(type_of(self), "float64"):
                mine = mine.astype("float64", copy=False)
            return mine._divide_sparse(other)
        return NotImplemented

    def __truediv__(self, other) -> Operands | ndarray:
        return self._divide(other)

    def __rtruediv__(self, other) -> Operands | ndarray:
        return NotImplemented

    def maximum(self, other) -> Operands | ndarray:
        """The greater elements of two.

        Parameters: other: a number, an array or a matrix."""
        return self._extreme(other, cp.maximum, "a positive")

    def minimum(self, other) -> Operands | ndarray:
        """The smaller elements of two.

        Parameters: other: a number, an array or a matrix."""
        return self._extreme(other, cp.minimum, "a negative")

    def _extreme(self, other, ufunc, word):
        other = taken(other, self)
        if isscalarlike(other):
            if not bool(ufunc(cp.asarray(0), other)):
                return self._for_comparison()._compare_data(other, ufunc)
            warnings.warn(f"Taking {ufunc.__name__} with {word} number results in a dense matrix.",
                          SparseEfficiencyWarning, stacklevel=3)
            return type(self)(ufunc(self.toarray(), other))
        if isdense(other):
            return ufunc(self.toarray(), other)
        if not issparse(other):
            raise NotImplementedError("maximum or minimum with an unrecognized array type is not supported")
        mine, other = self._beside(other)
        return mine._aligned(other, ufunc)

    def _for_comparison(self):
        return self if self.format in ("csr", "csc") else self.tocsr()

    def _beside(self, other):
        """Both matrices, rows and columns repeated where shapes broadcast, as CuPy compares them."""
        mine = self._for_comparison()
        if self.shape == other.shape:
            return mine, other
        return broadcast(mine, other)

    def _compare(self, other, op):
        other = taken(other, self)
        if other is None:
            return NotImplemented
        if isscalarlike(other):
            return self._compare_scalar(other, op)
        if issparse(other):
            mine, other = self._beside(other)
            if not op(0, 0):
                return mine._compare_sparse(other, op)
            self._warn_comparison("two sparse matrices", op)
            return mine._all_true() - mine._compare_sparse(other, _NEGATED[op])
        if isdense(other):
            return op(self.toarray(), other)
        return NotImplemented

    @staticmethod
    def _warn_comparison(what, op):
        warnings.warn(f"Comparing {what} using {_SIGNS[op]} is inefficient. Try using {_SIGNS[_NEGATED[op]]} instead.",
                      SparseEfficiencyWarning, stacklevel=5)

    def _compare_scalar(self, other, op):
        other = other.item() if hasattr(other, "item") else other
        mine = self._for_comparison()
        if not op(0, other):
            return type(self)(self.shape, dtype=bool) if other != other else mine._compare_data(other, op)
        self._warn_comparison(f"a sparse matrix with {other}", op)
        if other != other:
            return type(self)(cp.ones(self.shape, dtype=bool))
        return mine._all_true() - mine._compare_data(other, _NEGATED[op])

    def __eq__(self, other):
        return self._compare(other, operator.eq)

    def __ne__(self, other):
        return self._compare(other, operator.ne)

    def __lt__(self, other) -> Operands | ndarray | bool:
        return self._compare(other, operator.lt)

    def __gt__(self, other) -> Operands | ndarray | bool:
        return self._compare(other, operator.gt)

    def __le__(self, other) -> Operands | ndarray | bool:
        return self._compare(other, operator.le)

    def __ge__(self, other) -> Operands | ndarray | bool:
        return self._compare(other, operator.ge)

    # --- products ---

    def dot(self, other) -> Operands | ndarray:
        """The product of matrices, or with a vector.

        Parameters: other: a matrix, an array or a number."""
        if isscalarlike(other) and (self.format == "coo" or cp.isscalar(other)):
            return self._mul_scalar(other)
        return self @ other

    def _matmul_vector(self, other):
        return self.tocsr()._matmul_vector(other)

    def _matmul_many(self, other):
        return self.tocsr()._matmul_many(other)

    def _matmul_sparse(self, other):
        return self.tocsr()._matmul_sparse(other)

    def _matmul(self, other):
        m, n = self._shape_as_2d
        other = taken(other, self)
        if other is None:
            return NotImplemented
        if isscalarlike(other):
            return self._mul_scalar(other)
        text = f"matmul: dimension mismatch with signature (n,k={n}),"
        if issparse(other):
            if n != other.shape[0]:
                raise ValueError(f"{text}(k={other.shape[0]},m)->(n,m)")
            return self._matmul_sparse(other)
        if not isinstance(other, cp.ndarray):
            return NotImplemented
        if other.ndim == 1 or other.ndim == 2 and other.shape[1] == 1:
            if other.shape[0] != n:
                raise ValueError(f"{text}(k={other.shape[0]},1?)->(n,1?)")
            result = self._matmul_vector(other.ravel())
            if other.ndim == 2:
                return result.reshape(1) if self.ndim == 1 else result.reshape(m, 1)
            return result.reshape(()) if self.ndim == 1 else result
        if other.ndim != 2:
            raise ValueError("could not interpret dimensions")
        if other.shape[0] != n:
            raise ValueError(f"{text}(k={other.shape[0]},m)->(n,m)")
        result = self._matmul_many(other)
        return result.reshape(-1) if self.ndim == 1 else result

    def _rmatmul(self, other):
        if isscalarlike(other):
            return self._mul_scalar(other)
        other = taken(other, self)
        if other is None or not hasattr(other, "transpose"):
            return NotImplemented
        result = self.transpose()._matmul(other.transpose())
        return result if result is NotImplemented else result.transpose()

    def __matmul__(self, other) -> Operands | ndarray:
        if isscalarlike(other):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self._matmul(other)

    def __rmatmul__(self, other) -> Operands | ndarray:
        if isscalarlike(other):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self._rmatmul(other)

    def __pow__(self, *args) -> Operands:
        return self.power(*args)
