"""scipy.sparse.linalg on Cuprite's arrays: systems, least squares, eigenvalues and norms of sparse matrices.

Iterative methods run on the device of their arrays. Factorizations are SciPy's SuperLU, and eigenvalues its ARPACK, in
the host's memory, where SciPy is installed; results are arrays of their arguments' device."""
from __future__ import annotations

from cuprite._beside import beside_in as _beside_in
from cuprite._missing import listing as _listing, missing as _missing

_LATER = {  # names: the modules that have them
    "ArpackError": "_host", "ArpackNoConvergence": "_host", "aslinearoperator": "_interface", "bicg": "_krylov",
    "bicgstab": "_krylov", "cg": "_krylov", "cgs": "_krylov", "eigs": "_eigen", "eigsh": "_eigen",
    "expm": "_direct", "expm_multiply": "_norms", "factorized": "_direct", "gcrotmk": "_gmres", "gmres": "_gmres",
    "IdentityOperator": "_interface", "inv": "_direct", "lgmres": "_gmres", "LinearOperator": "_interface",
    "lobpcg": "_eigen", "lsmr": "_least", "lsqr": "_least", "matrix_power": "_direct",
    "MatrixLinearOperator": "_interface", "MatrixRankWarning": "_host", "minres": "_least", "norm": "_norms",
    "onenormest": "_norms", "qmr": "_krylov", "spilu": "_direct", "splu": "_direct", "spsolve": "_direct",
    "spsolve_triangular": "_direct", "SuperLU": "_direct", "svds": "_eigen", "tfqmr": "_krylov",
    "use_solver": "_direct",
}


def __getattr__(name):
    import importlib
    if name not in _LATER:
        raise _missing(__name__, name)
    module = importlib.import_module("cuprite.scipy.sparse.linalg." + _LATER[name])
    value = globals()[name] = _beside_in(module, name)
    return value


__dir__ = _listing(__name__, *_LATER)
