"""SciPy's own routines lent to arrays of Cuprite's: what goes to the host, what comes back.

SciPy is imported when the first of them is called, and only then needed."""
from __future__ import annotations

import cuprite as cp
from cuprite.scipy._installed import scipy_module
from cuprite.scipy.sparse._base import class_of, is_foreign, issparse
from cuprite.scipy.sparse.linalg._interface import LinearOperator, aslinearoperator


def scipy_linalg(name):
    """scipy.sparse.linalg; ImportError that names what needs it.

    Parameters: name: the function that was called."""
    return scipy_module("sparse.linalg", f"cuprite.scipy.sparse.linalg.{name} needs SciPy")


def to_host(x):
    """x with NumPy's arrays, SciPy's matrices and operators."""
    if isinstance(x, LinearOperator) or hasattr(x, "matvec") and not issparse(x) and not is_foreign(x):
        return lent(x)
    return x.get() if isinstance(x, cp.ndarray) or issparse(x) else x


def from_host(x):
    """x with arrays and matrices of the current device."""
    if is_foreign(x):
        return class_of(x.format, type(x).__name__.endswith("array"))(x)
    if isinstance(x, (tuple, list)):
        return type(x)(from_host(v) for v in x)
    return cp.asarray(x) if type(x).__module__ == "numpy" else x


def lent(A):
    """An operator of SciPy's whose products are those of A, on A's device."""
    A = aslinearoperator(A)

    def of(product):
        def run(x):
            return product(cp.asarray(x)).get()
        return run
    theirs = scipy_linalg("LinearOperator").LinearOperator
    return theirs(A.shape, matvec=of(A.matvec), rmatvec=of(A.rmatvec), matmat=of(A.matmat), rmatmat=of(A.rmatmat),
                  dtype=A.dtype)


def __getattr__(name):
    if name in ("MatrixRankWarning", "ArpackError", "ArpackNoConvergence"):  # SciPy's own: programs catch these
        return getattr(scipy_linalg(name), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
