"""LinearOperator: a matrix that is only its products, with SciPy's arithmetic of operators.

A product takes arrays of Cuprite's (anything else becomes one) and gives them; nothing here waits for a device."""
from __future__ import annotations

import types
import warnings

import cuprite as cp
from cuprite import ndarray
from cuprite._element_types import common_type, type_of
from cuprite.scipy.sparse._base import class_of, is_foreign, issparse
from cuprite.scipy.sparse._util import isintlike, isscalarlike


def _array(x) -> ndarray:
    return x if isinstance(x, cp.ndarray) else cp.asarray(x)


def _conj(x) -> ndarray:
    return x.conj() if type_of(x).kind == "c" else x


class LinearOperator:
    """A linear map given by its products with vectors.

    Parameters: shape: rows and columns; matvec: a function of a vector; rmatvec: that of the adjoint; matmat: a
        function of a matrix; dtype: the type of the products, tried where it is not given; rmatmat: that of the
        adjoint.
    Errors: ValueError for a shape that is none, vectors and matrices that do not fit."""

    __class_getitem__ = classmethod(types.GenericAlias)

    ndim = 2
    __array_ufunc__ = None
    __array_priority__ = 2000.0

    def __new__(cls, *args, **kwargs):
        if cls is LinearOperator:
            return super().__new__(_CustomLinearOperator)
        new = super().__new__(cls)
        if cls._matvec is LinearOperator._matvec and cls._matmat is LinearOperator._matmat:
            warnings.warn("LinearOperator subclass should implement at least one of _matvec and _matmat.",
                          category=RuntimeWarning, stacklevel=2)
        return new

    def __init__(self, dtype, shape):
        shape = tuple(shape)
        if len(shape) != 2 or not all(isintlike(n) and n >= 0 for n in shape):
            raise ValueError(f"invalid shape {shape!r} (must be 2-d)")
        self.dtype, self.shape = dtype, shape

    _type = None    # the dtype's name, where it is one of ours

    @property
    def dtype(self) -> numpy.dtype[Any] | None:
        """The type of the products."""
        return vars(self).get("_dtype") if self._type is None else cp.dtype(self._type)

    @dtype.setter
    def dtype(self, dtype) -> None:
        self._type = self._dtype = None
        try:
            self._type = None if dtype is None else common_type(dtype)
        except (TypeError, ValueError):
            self._dtype = cp.dtype(dtype)

    def _init_dtype(self):
        if self._type is None and self.dtype is None:
            self.dtype = type_of(_array(self.matvec(cp.zeros(self.shape[1], dtype="i1"))))

    # --- what a subclass gives ---

    def _matmat(self, X):
        return cp.hstack([self.matvec(X[:, j:j + 1]) for j in range(X.shape[1])])

    def _matvec(self, x):
        return self.matmat(x.reshape(-1, 1))

    def _rmatvec(self, x):
        if type(self)._adjoint is not LinearOperator._adjoint:
            return self.H.matvec(x)
        if type(self)._rmatmat is not LinearOperator._rmatmat:
            return self._rmatmat(x.reshape(-1, 1)).reshape(-1)
        raise NotImplementedError

    def _rmatmat(self, X):
        if type(self)._adjoint is not LinearOperator._adjoint:
            return self.H.matmat(X)
        return cp.hstack([self.rmatvec(X[:, j:j + 1]) for j in range(X.shape[1])])

    def _adjoint(self):
        return _Adjoint(self)

    def _transpose(self):
        return _Transposed(self)

    # --- products ---

    def matvec(self, x) -> ndarray:
        """The product with a vector.

        Parameters: x: a vector, or a matrix of one column."""
        return self._vector(self._matvec, x, *self.shape)

    def rmatvec(self, x) -> ndarray:
        """The adjoint's product with a vector.

        Parameters: x: a vector, or a matrix of one column."""
        return self._vector(self._rmatvec, x, *self.shape[::-1])

    def _vector(self, product, x, m, n):
        x = _array(x)
        if x.shape != (n,) and x.shape != (n, 1):
            raise ValueError("dimension mismatch")
        y = _array(product(x))
        return y.reshape((m,) if x.ndim == 1 else (m, 1))

    def matmat(self, X):
        """The product with a matrix.

        Parameters: X: a matrix."""
        return self._matrix(self._matmat, X, self.shape[1])

    def rmatmat(self, X):
        """The adjoint's product with a matrix.

        Parameters: X: a matrix."""
        return self._matrix(self._rmatmat, X, self.shape[0])

    def _matrix(self, product, X, n):
        sparse = issparse(X)
        X = X if sparse else _array(X)
        if X.ndim != 2:
            raise ValueError(f"expected 2-d ndarray or matrix, not {X.ndim}-d")
        if X.shape[0] != n:
            raise ValueError(f"dimension mismatch: {self.shape}, {X.shape}")
        try:
            return product(X)
        except Exception as error:
            if not sparse:
                raise
            raise TypeError("Unable to multiply a LinearOperator with a sparse matrix. Wrap the matrix in "
                            "aslinearoperator first.") from error

    def dot(self, x):
        """The product with a vector, a matrix, a number or an operator.

        Parameters: x: any of these.
        Errors: ValueError for shapes that do not fit."""
        if isinstance(x, LinearOperator):
            return _Product(self, x)
        if isscalarlike(x):
            return _Scaled(self, x)
        x = x if issparse(x) else _array(x)
        if x.ndim == 1 or x.ndim == 2 and x.shape[1] == 1:
            return self.matvec(x)
        if x.ndim == 2:
            return self.matmat(x)
        raise ValueError(f"expected 1-d or 2-d array or matrix, got {x!r}")

    def _rdot(self, x):
        x = x if issparse(x) else _array(x)
        if x.ndim == 1 or x.ndim == 2 and x.shape[0] == 1:
            return self.T.matvec(x.T).T
        if x.ndim == 2:
            return self.T.matmat(x.T).T
        raise ValueError(f"expected 1-d or 2-d array or matrix, got {x!r}")

    def __call__(self, x):
        return self @ x

    def __mul__(self, x):
        return self.dot(x)

    def __rmul__(self, x):
        return _Scaled(self, x) if isscalarlike(x) else self._rdot(x)

    def __matmul__(self, x):
        if isscalarlike(x):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self.dot(x)

    def __rmatmul__(self, x):
        if isscalarlike(x):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self._rdot(x)

    def __truediv__(self, x):
        if not isscalarlike(x):
            raise ValueError("Can only divide a linear operator by a scalar.")
        return _Scaled(self, 1.0 / x)

    def __pow__(self, p):
        return _Power(self, p) if isscalarlike(p) else NotImplemented

    def __add__(self, x):
        return _Sum(self, x) if isinstance(x, LinearOperator) else NotImplemented

    def __neg__(self):
        return _Scaled(self, -1)

    def __sub__(self, x):
        return self.__add__(-x)

    def __repr__(self) -> str:
        m, n = self.shape
        kind = "unspecified dtype" if self.dtype is None else f"dtype={self.dtype}"
        return f"<{m}x{n} {type(self).__name__} with {kind}>"

    def adjoint(self) -> LinearOperator:
        """The adjoint operator."""
        return self._adjoint()

    def transpose(self) -> LinearOperator:
        """The transposed operator."""
        return self._transpose()

    H = property(adjoint, doc="The adjoint operator.")
    T = property(transpose, doc="The transposed operator.")


class _CustomLinearOperator(LinearOperator):
    """An operator of functions."""

    def __init__(self, shape, matvec, rmatvec=None, matmat=None, dtype=None, rmatmat=None):
        super().__init__(dtype, shape)
        self.args, self._functions = (), (matvec, rmatvec, matmat, rmatmat)
        self._init_dtype()

    def _matvec(self, x):
        return self._functions[0](x)

    def _rmatvec(self, x):
        if self._functions[1] is None:
            raise NotImplementedError("rmatvec is not defined")
        return self._functions[1](x)

    def _matmat(self, X):
        f = self._functions[2]
        return super()._matmat(X) if f is None else f(X)

    def _rmatmat(self, X):
        f = self._functions[3]
        return super()._rmatmat(X) if f is None else f(X)

    def _adjoint(self):
        matvec, rmatvec, matmat, rmatmat = self._functions
        return _CustomLinearOperator(self.shape[::-1], rmatvec, matvec, rmatmat, self.dtype, matmat)


class _Adjoint(LinearOperator):
    def __init__(self, A):
        super().__init__(type_of(A), A.shape[::-1])
        self.A, self.args = A, (A,)

    def _matvec(self, x):
        return self.A._rmatvec(x)

    def _rmatvec(self, x):
        return self.A._matvec(x)

    def _matmat(self, x):
        return self.A._rmatmat(x)

    def _rmatmat(self, x):
        return self.A._matmat(x)


class _Transposed(_Adjoint):
    def _matvec(self, x):
        return _conj(_array(self.A._rmatvec(_conj(x))))

    def _rmatvec(self, x):
        return _conj(_array(self.A._matvec(_conj(x))))

    def _matmat(self, x):
        return _conj(_array(self.A._rmatmat(_conj(x))))

    def _rmatmat(self, x):
        return _conj(_array(self.A._matmat(_conj(x))))


def _common(*operators):
    return cp.result_type(*(a.dtype for a in operators if a.dtype is not None))


class _Sum(LinearOperator):
    def __init__(self, A, B):
        if A.shape != B.shape:
            raise ValueError(f"cannot add {A} and {B}: shape mismatch")
        self.args = (A, B)
        super().__init__(_common(A, B), A.shape)

    def _matvec(self, x):
        return self.args[0].matvec(x) + self.args[1].matvec(x)

    def _rmatvec(self, x):
        return self.args[0].rmatvec(x) + self.args[1].rmatvec(x)

    def _matmat(self, x):
        return self.args[0].matmat(x) + self.args[1].matmat(x)

    def _rmatmat(self, x):
        return self.args[0].rmatmat(x) + self.args[1].rmatmat(x)

    def _adjoint(self):
        return self.args[0].H + self.args[1].H


class _Product(LinearOperator):
    def __init__(self, A, B):
        if A.shape[1] != B.shape[0]:
            raise ValueError(f"cannot multiply {A} and {B}: shape mismatch")
        super().__init__(_common(A, B), (A.shape[0], B.shape[1]))
        self.args = (A, B)

    def _matvec(self, x):
        return self.args[0].matvec(self.args[1].matvec(x))

    def _rmatvec(self, x):
        return self.args[1].rmatvec(self.args[0].rmatvec(x))

    def _matmat(self, x):
        return self.args[0].matmat(self.args[1].matmat(x))

    def _rmatmat(self, x):
        return self.args[1].rmatmat(self.args[0].rmatmat(x))

    def _adjoint(self):
        return self.args[1].H @ self.args[0].H


class _Scaled(LinearOperator):
    def __init__(self, A, alpha):
        if isinstance(A, _Scaled):
            A, alpha = A.args[0], alpha * A.args[1]
        number = alpha.dtype if hasattr(alpha, "dtype") else cp.dtype(type(alpha))
        super().__init__(number if A.dtype is None else cp.result_type(A.dtype, number), A.shape)
        self.args = (A, alpha)

    def _conjugate(self):
        return self.args[1].conjugate()

    def _matvec(self, x):
        return self.args[1] * self.args[0].matvec(x)

    def _rmatvec(self, x):
        return self._conjugate() * self.args[0].rmatvec(x)

    def _matmat(self, x):
        return self.args[1] * self.args[0].matmat(x)

    def _rmatmat(self, x):
        return self._conjugate() * self.args[0].rmatmat(x)

    def _adjoint(self):
        return self.args[0].H * self._conjugate()


class _Power(LinearOperator):
    def __init__(self, A, p):
        if A.shape[0] != A.shape[1]:
            raise ValueError(f"square LinearOperator expected, got {A!r}")
        if not isintlike(p) or p < 0:
            raise ValueError("non-negative integer expected as p")
        super().__init__(type_of(A), A.shape)
        self.args = (A, int(p))

    def _repeat(self, f, x):
        x = x.copy()
        for _ in range(self.args[1]):
            x = f(x)
        return x

    def _matvec(self, x):
        return self._repeat(self.args[0].matvec, x)

    def _rmatvec(self, x):
        return self._repeat(self.args[0].rmatvec, x)

    def _matmat(self, x):
        return self._repeat(self.args[0].matmat, x)

    def _rmatmat(self, x):
        return self._repeat(self.args[0].rmatmat, x)

    def _adjoint(self):
        return self.args[0].H ** self.args[1]


class MatrixLinearOperator(LinearOperator):
    """The operator of a matrix.

    Parameters: A: a sparse matrix or an array of two axes."""

    def __init__(self, A):
        super().__init__(type_of(A), A.shape)
        self.A, self.args, self._adjoint_matrix = A, (A,), None

    def _matvec(self, x):
        return self.A.dot(x)

    def _matmat(self, X):
        return self.A.dot(X) if not issparse(X) or issparse(self.A) else self.A @ X

    def _adjoint(self):
        if self._adjoint_matrix is None:
            adjoint = MatrixLinearOperator(_conj(self.A.T))
            adjoint._adjoint_matrix = self
            self._adjoint_matrix = adjoint
        return self._adjoint_matrix


class IdentityOperator(LinearOperator):
    """The operator that changes nothing.

    Parameters: shape: rows and columns; dtype: the type that it is said to have."""

    def __init__(self, shape, dtype=None):
        super().__init__(dtype, shape)

    def _matvec(self, x):
        return x

    _rmatvec = _matmat = _rmatmat = _matvec

    def _adjoint(self):
        return self


def aslinearoperator(A) -> LinearOperator:
    """A as a LinearOperator.

    Parameters: A: an operator, a sparse matrix, an array, or what has `shape` and `matvec`.
    Errors: TypeError for anything else, ValueError for an array of more than two axes.

    Example:
        >>> A = cp.scipy.sparse.linalg.aslinearoperator(cp.asarray([[1.0, 2.0], [3.0, 4.0]]))
        >>> A.matvec(cp.asarray([1.0, 1.0]))
        array([3., 7.])
    """
    if isinstance(A, LinearOperator):
        return A
    if is_foreign(A):
        A = class_of(A.format, "_array" in type(A).__name__)(A)
    if issparse(A):
        return MatrixLinearOperator(A)
    if isinstance(A, cp.ndarray) or type(A).__module__ == "numpy":
        A = cp.asarray(A)
        if A.ndim > 2:
            raise ValueError("array must have ndim <= 2")
        return MatrixLinearOperator(cp.atleast_2d(A))
    if hasattr(A, "shape") and hasattr(A, "matvec"):
        return LinearOperator(A.shape, A.matvec, rmatvec=getattr(A, "rmatvec", None),
                              rmatmat=getattr(A, "rmatmat", None), dtype=getattr(A, "dtype", None))
    raise TypeError("type not understood")
