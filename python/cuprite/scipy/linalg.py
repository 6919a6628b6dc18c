"""scipy.linalg of Cuprite's arrays: what CuPy has of it, and schur.

Functions are those of C (cuprite._linalg), with SciPy's arguments. `overwrite_a` and `overwrite_b` are accepted
and have no effect. check_finite=True searches for NaN and infinities first, which waits for the device. It is SciPy's
default and, because of the wait, not ours.
"""
from __future__ import annotations

import warnings

from cuprite import _core, _linalg
from cuprite._beside import beside_its_arrays
from cuprite._element_types import type_of
from cuprite.linalg import _arrays
from cuprite._linalg import (  # noqa: F401
    block_diag, circulant, companion, convolution_matrix, expm, fiedler, fiedler_companion, hankel, helmert, hilbert,
    khatri_rao, leslie, toeplitz)
from cuprite._missing import listing as _listing, missing as _missing

__all__ = [
    "bandwidth", "block_diag", "circulant", "companion", "convolution_matrix", "dft", "expm", "fiedler",
    "fiedler_companion", "hadamard", "hankel", "helmert", "hilbert", "khatri_rao", "kron", "leslie", "lu", "lu_factor",
    "lu_solve", "schur", "solve_triangular", "toeplitz", "tri", "tril", "triu",
]


def __getattr__(name):
    if name == "annotations":  # a module of CuPy's shows this name too
        import __future__
        return __future__.annotations
    raise _missing(__name__, name)


def _looked_at(a, check_finite):
    if check_finite and not bool(_core.isfinite(a).all()):
        raise ValueError("array must not contain infs or NaNs")
    return a


def _by_columns(x):
    """A solution as SciPy and CuPy give it: the columns of a matrix are contiguous."""
    return _core.asarray(x, order="F") if x.ndim == 2 else x


@beside_its_arrays
def lu(a, permute_l=False, overwrite_a=False, check_finite=False, p_indices=False):
    """(P, L, U) with a = P L U; permute_l: (P L, U); p_indices: a[p] = L U reads a's rows by index, P is p's inverse as
    numbers of rows.

    Parameters: a: matrices along the last two axes; permute_l: True or False; overwrite_a: True or False (never
        needed); check_finite: True or False (nothing is checked); p_indices: True or False."""
    packed, rows = _linalg.lu_rows(_looked_at(a, check_finite))
    m, n = packed.shape[-2:]
    k = min(m, n)
    lower = _core.tril(packed[..., :, :k], -1) + _core.eye(m, k, dtype=type_of(packed))
    upper = _core.triu(packed[..., :k, :])
    # row i of L U is row rows[i] of a: one of P's columns, i, has its 1 in row rows[i]
    ones = rows[..., None, :] == _core.arange(m, dtype=type_of(rows))[:, None]
    if permute_l:
        return ones.astype(type_of(packed)) @ lower, upper
    if p_indices:
        return (_core.argmax(ones, -1).astype(type_of(rows)) if ones.size else rows), lower, upper
    kind = {"F": "f", "D": "d"}.get(type_of(packed).char, type_of(packed).char)
    return ones.astype(kind), lower, upper


def lu_factor(a, overwrite_a=False, check_finite=False):
    """(lu, piv): L below the diagonal and U, and with which row each one was exchanged.

    Parameters: a: square matrices along the last two axes; overwrite_a: True or False (never needed); check_finite:
        True or False (nothing is checked).

    Example:
        >>> lu, pivots = cp.scipy.linalg.lu_factor(cp.asarray([[4.0, 0.0], [0.0, 2.0]]))
        >>> cp.scipy.linalg.lu_solve((lu, pivots), cp.asarray([8.0, 2.0]))
        array([2., 1.])
    """
    return _linalg.lu_factor(_looked_at(a, check_finite))


def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=False):
    """x with a x = b by a's factors; trans 1: of a's transpose, 2: of its conjugate transpose.

    Parameters: lu_and_piv: what lu_factor gives; b: the right sides; trans: 0, 1 or 2; overwrite_b: True or False
        (never needed); check_finite: True or False (nothing is checked).
    Errors: ValueError for another trans, and shapes that do not fit."""
    factors, piv = lu_and_piv
    if trans not in (0, 1, 2):
        raise ValueError("unknown trans")
    return _by_columns(_linalg.lu_solve(factors, piv, _looked_at(b, check_finite), trans))


_TRANS = {0: 0, 1: 1, 2: 2, "N": 0, "T": 1, "C": 2}


@beside_its_arrays
def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=False):
    """x with a x = b for a triangular a, of which only one half is read; trans 1 or 'T': of a's transpose, 2 or 'C': of
    its conjugate transpose. LinAlgError where the diagonal has a 0.

    Parameters: a: square matrices along the last two axes; b: the right sides; trans: 0, 1, 2, 'N', 'T' or 'C';
        lower: True: the lower half is read; unit_diagonal: True: the diagonal is taken for 1; overwrite_b: True or
        False (never needed); check_finite: True or False (nothing is checked).
    Errors: ValueError for another trans, and shapes that do not fit.

    Example:
        >>> a = cp.asarray([[2.0, 0.0], [1.0, 1.0]])
        >>> cp.scipy.linalg.solve_triangular(a, cp.asarray([2.0, 3.0]), lower=True)
        array([1., 2.])
    """
    if trans not in _TRANS:
        raise ValueError("trans must be 0, 1, 2, 'N', 'T' or 'C'")
    return _by_columns(_linalg.solve_triangular(_looked_at(a, check_finite), _looked_at(b, check_finite), _TRANS[trans],
                                                bool(lower), bool(unit_diagonal)))


def schur(a, output="real", lwork=None, overwrite_a=False, sort=None, check_finite=True):
    """(T, Z) with a = Z T Z^H, T upper triangular; of real matrices and output 'real' with 2 x 2 blocks for pairs of
    complex eigenvalues. sort 'lhp', 'rhp', 'iuc', 'ouc': eigenvalues with negative, with other real parts, inside or
    outside the unit circle come first, and (T, Z, their number) is returned. Or a function of an eigenvalue (of T's 2 x
    2 blocks: of its real and its imaginary part), which waits for the device: those come first for which it is true.

    Parameters: a: square matrices along the last two axes; output: 'real' or 'complex'; lwork: as of SciPy, without
        effect; overwrite_a: True or False (never needed); sort: a word, a function, or None; check_finite: True or
        False (nothing is checked).
    Errors: ValueError for another output or sort; LinAlgError where the eigenvalues in front do not fit the sort
        after it."""
    if output not in ("real", "complex", "r", "c"):
        raise ValueError("argument must be 'real', or 'complex'")
    if sort is not None and not callable(sort) and sort not in ("lhp", "rhp", "iuc", "ouc"):
        raise ValueError("'sort' must either be 'None', or a callable, or one of ('lhp','rhp','iuc','ouc')")
    _arrays(a)
    if output[0] == "c" and type_of(a).kind != "c":
        a = a.astype("F" if type_of(a).char == "f" else "D")
    if sort is None:
        return _linalg.schur(a)
    if not callable(sort):
        return _linalg.schur_sorted(a, sort)
    chosen = _chosen(_linalg.schur(a)[0], sort)
    t, z, count = _linalg.schur_chosen(a, _core.asarray(chosen).reshape(a.shape[:-1]))
    again = _core.asarray(_chosen(t, sort)).reshape(a.shape[:-1])
    if bool(((_core.arange(a.shape[-1]) < count[..., None]) & ~again).any()):
        from numpy.linalg import LinAlgError
        raise LinAlgError("Leading eigenvalues do not satisfy sort condition.")
    return t, z, count


def _chosen(t, sort):
    """Of each eigenvalue of Schur's forms whether `sort` is true of it, or of the other one of its pair; a list."""
    n, chosen = t.shape[-1], []
    if not t.size:
        return _core.empty(t.shape[:-1], "?")
    rows = t.reshape(-1, n, n)
    diagonals = _core.diagonal(rows, 0, 1, 2).tolist()
    if type_of(t).kind == "c":
        return [[bool(sort(w)) for w in d] for d in diagonals]
    above, below = _core.diagonal(rows, 1, 1, 2).tolist(), _core.diagonal(rows, -1, 1, 2).tolist()
    for d, b, c in zip(diagonals, above, below):
        found, i = [], 0
        while i < n:
            pair = i + 1 < n and c[i] != 0
            y = abs(b[i]) ** 0.5 * abs(c[i]) ** 0.5 if pair else 0.0
            found += [bool(sort(d[i], y)) or bool(sort(d[i + 1], -y))] * 2 if pair else [bool(sort(d[i], y))]
            i += 2 if pair else 1
        chosen.append(found)
    return chosen


def bandwidth(a) -> tuple[int, int]:
    """(lower, upper): how far below and above the diagonal a matrix has elements that are not 0. Waits for the
    device.

    Parameters: a: a matrix, NumPy's too.
    Errors: LinAlgError for other than two axes."""
    if type(a).__module__ == "numpy" and hasattr(a, "dtype"):
        a = _core.asarray(a)
    _arrays(a)
    if a.ndim != 2:
        from numpy.linalg import LinAlgError
        raise LinAlgError("Input array must be at least 2D" if a.ndim < 2 else "Input array must be 2D")
    if a.size == 0:
        return 0, 0
    rows, columns = _core.nonzero(a)
    if rows.size == 0:
        return 0, 0
    return max(int((rows - columns).max()), 0), max(int((columns - rows).max()), 0)


def hadamard(n, dtype=int):
    """Sylvester's matrix of 1 and -1; n is a power of 2.

    Parameters: n: a power of 2; dtype: an element type.
    Errors: ValueError for another n."""
    return _linalg.hadamard(n, dtype)


def dft(n, scale=None):
    """The matrix of the discrete Fourier transform; scale 'sqrtn' or 'n': divided by that.

    Parameters: n: the number of rows; scale: None, 'sqrtn' or 'n'.
    Errors: ValueError for another scale."""
    if scale not in (None, "sqrtn", "n"):
        raise ValueError(f"scale must be None, 'sqrtn', or 'n'; {scale!r} is not valid.")
    return _linalg.dft(n, scale or "one")


def kron(a, b):
    """Kronecker's product of two matrices, as numpy.kron.

    Parameters: a: an array; b: an array."""
    return _core.kron(a, b)


def tri(N, M=None, k=0, dtype=None):
    """Ones on and below the k-th diagonal.

    Parameters: N: the number of rows; M: the number of columns (None: N); k: which diagonal; dtype: an element type.
    """
    return _core.tril(_core.ones((N, N if M is None else M), dtype="i8" if dtype is None else dtype), k)


def tril(m, k=0):
    """The lower triangle, up to the k-th diagonal.

    Parameters: m: matrices along the last two axes; k: which diagonal."""
    return _core.tril(m, k)


def triu(m, k=0):
    """The upper triangle, from the k-th diagonal on.

    Parameters: m: matrices along the last two axes; k: which diagonal."""
    return _core.triu(m, k)


__dir__ = _listing(__name__)
