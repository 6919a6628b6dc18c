"""What the iterative solvers share: the system that they are given, its tolerance."""
from __future__ import annotations

import cuprite as cp
from cuprite import _element_types, ndarray
from cuprite._element_types import type_of
from cuprite.scipy.sparse.linalg._interface import IdentityOperator, LinearOperator, aslinearoperator

_FLOATS = "fdFD"


def common_type(*chars):
    """The type of a solution: that of the matrix and of the right side, integers and halves as float64."""
    return _element_types.common_type(*(c if c in _FLOATS else "d" for c in chars))


def make_system(A, M, x0, b):
    """(A, M, x, b): operators and vectors of one type, as SciPy takes them. x is not the caller's array."""
    given, A = A, aslinearoperator(A)
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"expected square matrix, but got shape={(A.shape,)}")
    n = A.shape[0]
    b = cp.asarray(b)
    if b.shape not in ((n, 1), (n,)):
        raise ValueError(f"shapes of A {A.shape} and b {b.shape} are incompatible")
    if type_of(b).char not in _FLOATS:
        b = b.astype("d")
    kind = type_of(A) if type_of(A) is not None else type_of(A.matvec(b))
    kind = common_type(kind.char, type_of(b).char)
    b = b.astype(kind, copy=False).ravel()
    if M is not None:
        M = aslinearoperator(M)
        if M.shape != A.shape:
            raise ValueError("matrix and preconditioner have different shapes")
    elif hasattr(given, "psolve") or hasattr(given, "rpsolve"):
        M = LinearOperator(A.shape, matvec=getattr(given, "psolve", _same), rmatvec=getattr(given, "rpsolve", _same),
                           dtype=type_of(A))
    else:
        M = IdentityOperator(A.shape, type_of(A))
    return A, M, _first(x0, b, M, A.shape), b


def _same(x):
    return x


def _first(x0, b, M, shape):
    if x0 is None:
        return cp.zeros(shape[0], dtype=type_of(b))
    if isinstance(x0, str):
        if x0 != "Mb":
            raise ValueError(f"x0 must be an array, None or 'Mb', not {x0!r}")
        return M.matvec(b.copy())
    x = cp.array(x0, dtype=type_of(b))
    if x.shape not in ((shape[0], 1), (shape[0],)):
        raise ValueError(f"shapes of A {shape} and x0 {x.shape} are incompatible")
    return x.ravel()


def tolerance(name, size, atol, rtol) -> float:
    """The norm of a residual that is small enough; ValueError for an atol that is no such number."""
    if atol is None or atol == "legacy" or not atol >= 0:
        raise ValueError(f"'scipy.sparse.linalg.{name}' called with invalid `atol`={atol}; if set, `atol` must be a "
                         "real, non-negative number.")
    return max(float(atol), float(rtol) * float(size))


def norm(x) -> ndarray:
    """The norm of a vector, on the device."""
    return cp.linalg.norm(x)


def residual(A, x, b, x0) -> ndarray:
    """b - A x, without the product where x is 0 because none was given."""
    return b.copy() if x0 is None else b - A.matvec(x)
