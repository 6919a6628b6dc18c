"""numpy.linalg of Cuprite's arrays.

Functions are those of C (cuprite._linalg); this file adds NumPy's keywords, orders and named tuples. Matrices
lie in the last two axes. LinAlgError is NumPy's.
"""
from __future__ import annotations

import operator

from cuprite import _core, _linalg
from cuprite._linalg import det, multi_dot, solve, svdvals, tensorinv, tensorsolve  # noqa: F401
from cuprite._core import matmul, matrix_transpose, ndarray, tensordot, vecdot  # noqa: F401
from cuprite._named import NamedTuple
from cuprite._missing import listing as _listing, missing as _missing
from cuprite._support import shown_fields

__all__ = [
    "LinAlgError", "cholesky", "cond", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv", "lstsq",
    "matmul", "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "multi_dot", "norm", "outer", "pinv",
    "qr", "slogdet", "solve", "svd", "svdvals", "tensordot", "tensorinv", "tensorsolve", "trace", "vecdot",
    "vector_norm",
]


def __getattr__(name):
    if name == "sparse":
        import importlib
        return importlib.import_module("cuprite.linalg.sparse")
    if name == "LinAlgError":
        from numpy.linalg import LinAlgError
        globals()[name] = LinAlgError
        return LinAlgError
    if name == "annotations":  # a module of CuPy's shows this name too
        import __future__
        return __future__.annotations
    raise _missing(__name__, name)


class EigResult(NamedTuple):
    eigenvalues: ndarray
    eigenvectors: ndarray

    def __repr__(self):
        return shown_fields(self)


class EighResult(NamedTuple):
    eigenvalues: ndarray
    eigenvectors: ndarray

    def __repr__(self):
        return shown_fields(self)


class QRResult(NamedTuple):
    Q: ndarray
    R: ndarray

    def __repr__(self):
        return shown_fields(self)


class SlogdetResult(NamedTuple):
    sign: ndarray
    logabsdet: ndarray

    def __repr__(self):
        return shown_fields(self)


class SVDResult(NamedTuple):
    U: ndarray
    S: ndarray
    Vh: ndarray

    def __repr__(self):
        return shown_fields(self)


# --- factors ---
def cholesky(a, /, *, upper=False) -> ndarray:
    """L with a = L L^H, or, `upper`, U with a = U^H U; only that triangle of a is read. LinAlgError where a matrix is
    not positive definite.

    Parameters: a: square matrices along the last two axes; upper: True or False.

    Example:
        >>> cp.linalg.cholesky(cp.asarray([[4.0, 0.0], [0.0, 9.0]]))
        array([[2., 0.],
               [0., 3.]])
    """
    return _linalg.cholesky(a, upper)


_QR_MODES = {"f": "reduced", "full": "reduced", "e": "economic", "economic": "economic"}


def qr(a, mode="reduced"):
    """a = Q R by Householder reflections, mode 'reduced' or 'complete'; 'r': R alone; 'raw': LAPACK's reflections and
    their factors.

    Parameters: a: matrices along the last two axes; mode: one of those words.
    Result: a named tuple (Q, R), or what the mode says.
    Errors: ValueError for another mode, those among them that NumPy gave up.

    Example:
        >>> cp.linalg.qr(cp.ones((3, 2))).R.shape
        (2, 2)
    """
    if mode not in ("reduced", "complete", "r", "raw"):
        if mode in _QR_MODES:
            raise ValueError(f"mode {mode!r} is one that NumPy gave up: say 'reduced' or 'raw'")
        raise ValueError(f"Unrecognized mode '{mode}'")
    if mode == "r":
        return _linalg.qr_r(a)
    both = _linalg.qr(a, mode)
    return both if mode == "raw" else QRResult(*both)


def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """a = U diag(S) Vh with S falling; `compute_uv` False: S alone. `hermitian`: only the lower triangle is read.

    Parameters: a: matrices along the last two axes; full_matrices: True: U and Vh are square; compute_uv: False: S
        alone; hermitian: True: a is Hermitian.
    Result: a named tuple (U, S, Vh), or S.

    Example:
        >>> cp.linalg.svd(cp.asarray([[3.0, 0.0], [0.0, 4.0]]), compute_uv=False)
        array([4., 3.])
    """
    if hermitian:
        a = _linalg.hermitian(a)
    return SVDResult(*_linalg.svd(a, bool(full_matrices))) if compute_uv else svdvals(a)


def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True) -> ndarray:
    """x with a x = b by a's factor: a pair of the factor, of which one half is read, and whether that is the lower
    one. A b with one axis less than the factor is a stack of vectors."""
    c, lower = c_and_lower
    _arrays(c, b)
    half = _core.tril if lower else _core.triu  # what is not read may be anything
    for x in (half(c), b) if check_finite else ():
        if not bool(_core.isfinite(x).all()):
            raise ValueError("array must not contain infs or NaNs")
    if b.ndim == c.ndim - 1 and b.ndim > 1:
        return _linalg.cho_solve(c, b[..., None], bool(lower))[..., 0]
    return _linalg.cho_solve(c, b, bool(lower))


def invh(a) -> ndarray:
    """The inverse of each Hermitian positive definite matrix, of which only the lower half is read; LinAlgError where
    one is not positive definite."""
    _arrays(a)
    return _linalg.invh(a)


# --- eigenvalues ---
def _upper(UPLO):
    word = UPLO.upper() if isinstance(UPLO, str) else UPLO
    if word not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return word == "U"


def eigh(a, UPLO="L") -> EighResult:
    """Eigenvalues, rising, and eigenvectors, the columns, of Hermitian matrices of which one triangle is read.

    Parameters: a: square matrices along the last two axes; UPLO: 'L' or 'U', the triangle that is read.
    Result: a named tuple (eigenvalues, eigenvectors).
    Errors: LinAlgError for matrices that are not square; ValueError for another UPLO.

    Example:
        >>> cp.linalg.eigh(cp.asarray([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
        array([1., 2.])
    """
    return EighResult(*_linalg.eigh(a, _upper(UPLO)))


def eigvalsh(a, UPLO="L") -> ndarray:
    """The eigenvalues of Hermitian matrices, rising.

    Parameters: a: square matrices along the last two axes; UPLO: 'L' or 'U', the triangle that is read.
    Errors: LinAlgError for matrices that are not square; ValueError for another UPLO.

    Example:
        >>> cp.linalg.eigvalsh(cp.asarray([[2.0, 0.0], [0.0, 1.0]]))
        array([1., 2.])
    """
    return _linalg.eigvalsh(a, _upper(UPLO))


def eig(a) -> EigResult:
    """Eigenvalues, in no order, and eigenvectors, the columns, of square matrices; always complex, as NumPy's are since
    2.5.

    Parameters: a: square matrices along the last two axes.
    Result: a named tuple (eigenvalues, eigenvectors).
    Errors: LinAlgError for matrices that are not square, or not finite.

    Example:
        >>> cp.linalg.eig(cp.asarray([[2.0, 0.0], [0.0, 3.0]])).eigenvalues
        array([2.+0.j, 3.+0.j])
    """
    return EigResult(*_linalg.eig(a))


def eigvals(a) -> ndarray:
    """The eigenvalues of square matrices; complex as eig's are.

    Parameters: a: square matrices along the last two axes.
    Errors: LinAlgError for matrices that are not square, or not finite."""
    return _linalg.eigvals(a)


# --- systems ---
def inv(a) -> ndarray:
    """The inverse of each matrix. LinAlgError where one is singular.

    Parameters: a: square matrices along the last two axes.

    Example:
        >>> cp.linalg.inv(cp.asarray([[2.0, 0.0], [0.0, 4.0]]))
        array([[0.5 , 0.  ],
               [0.  , 0.25]])
    """
    return _linalg.inv(a)


def matrix_power(a, n) -> ndarray:
    """The n-th power of square matrices; of negative n of their inverses.

    Parameters: a: square matrices along the last two axes; n: an integer.
    Errors: TypeError for an n that is no integer; LinAlgError for matrices that are not square, and singular ones
        where n is negative.

    Example:
        >>> cp.linalg.matrix_power(cp.asarray([[1, 1], [0, 1]]), 3)
        array([[1, 3],
               [0, 1]])
    """
    try:
        n = operator.index(n)
    except TypeError as e:
        raise TypeError("exponent must be an integer") from e
    return _linalg.matrix_power(a, n)


def slogdet(a) -> SlogdetResult:
    """(sign, logabsdet) of the determinants: det = sign * exp(logabsdet).

    Parameters: a: square matrices along the last two axes.
    Result: a named tuple.
    Errors: LinAlgError for matrices that are not square.

    Example:
        >>> cp.linalg.slogdet(cp.asarray([[1.0, 0.0], [0.0, -1.0]]))[0]
        array(-1.)
    """
    return SlogdetResult(*_linalg.slogdet(a))


class _NotGiven:
    def __repr__(self):
        return "<no value>"


_NOT_GIVEN = _NotGiven()


def _arrays(*given):
    for x in given:
        if not isinstance(x, _core.ndarray):
            raise TypeError(f"Unsupported type {type(x)}")


def _precision(a):
    """The larger length of matrices times the distance of 1 to the next number."""
    _arrays(a)
    return max(a.shape[-2:]) * (2.0 ** -23 if a.dtype.char in "fF" else 2.0 ** -52)


def pinv(a, rcond=None, hermitian=False, *, rtol=_NOT_GIVEN) -> ndarray:
    """Moore and Penrose's inverse: singular values of at most rcond times the largest count as 0 (1e-15; rtol is
    another name of it, of which None is the larger length times the distance of 1 to the next number).

    Parameters: a: matrices along the last two axes; rcond: a number, or one a matrix; hermitian: True: the matrices
        are Hermitian, and one triangle is read; rtol: the same, or None.
    Errors: ValueError for both of them.

    Example:
        >>> cp.linalg.pinv(cp.asarray([[2.0, 0.0], [0.0, 4.0]]))
        array([[0.5 , 0.  ],
               [0.  , 0.25]])
    """
    if rtol is not _NOT_GIVEN:
        if rcond is not None:
            raise ValueError("`rtol` and `rcond` can't be both set.")
        rcond = _precision(a) if rtol is None else rtol
    _arrays(a)
    if hermitian and a.size:
        a = _linalg.hermitian(a)
    return _linalg.pinv(a, rcond)


def lstsq(a, b, rcond=None) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """(x, residuals, rank, s) with |b - a x| least: singular values of at most rcond (the larger length times the
    distance of 1 to the next number; -1: that distance) times the largest count as 0.

    Parameters: a: a matrix; b: an array of one or two axes; rcond: a number (None: the rule above).

    Example:
        >>> cp.linalg.lstsq(cp.asarray([[1.0], [1.0]]), cp.asarray([1.0, 3.0]))[0].round(6)
        array([2.])
    """
    return _linalg.lstsq(a, b, rcond)


# --- norms ---
def _order(ord):
    """An order as C has it: a kind and a number."""
    if ord is None:
        return "default", 0.0
    if isinstance(ord, str):
        if ord not in ("fro", "nuc", "f"):
            raise ValueError(f"Invalid norm order '{ord}'")
        return ("nuc" if ord == "nuc" else "fro"), 0.0
    try:
        return "number", float(ord)
    except (TypeError, ValueError):
        raise ValueError(f"Invalid norm order {ord!r}") from None


def _axes(axis):
    """None, or a tuple: one axis that is out of bounds is an error also where x is 0-d."""
    if axis is None or isinstance(axis, tuple):
        return axis
    try:
        return int(axis),
    except Exception as e:
        raise TypeError("'axis' must be None, an integer or a tuple of integers") from e


def norm(x, ord=None, axis=None, keepdims=False) -> ndarray:
    """The norm of vectors along one axis, of matrices in two, or of all elements (axis None): ord None, a number, inf,
    -inf, 'fro' or 'nuc'.

    Parameters: x: an array; ord: which norm; axis: an axis, two, or None; keepdims: True: the axes stay, with length
        1.
    Errors: ValueError for an order that there is not; AxisError for an axis out of bounds.

    Example:
        >>> cp.linalg.norm(cp.asarray([3.0, 4.0]))
        array(5.)
    """
    return _linalg.norm(x, *_order(ord), _axes(axis), keepdims)


def matrix_norm(x, /, *, keepdims=False, ord="fro") -> ndarray:
    """The norm of each matrix of the last two axes.

    Parameters: x: matrices along the last two axes; keepdims: True: the axes stay, with length 1; ord: 'fro', 'nuc',
        1, -1, 2, -2, inf or -inf.
    Errors: ValueError for another order."""
    return _linalg.norm(x, *_order(ord), (-2, -1), keepdims)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2) -> ndarray:
    """The norm of vectors along one axis, or of what several axes hold together.

    Parameters: x: an array; axis: an axis, several, or None: all; keepdims: True: the axes stay, with length 1; ord:
        a number, inf or -inf.
    Errors: AxisError for an axis out of bounds."""
    return _linalg.vector_norm(x, *_order(ord), _axes(axis), keepdims)


def cond(x, p=None) -> ndarray:
    """The condition of each matrix, infinite where it is singular; p: None, 1, -1, 2, -2, inf, -inf, 'fro', 'nuc'.

    Parameters: x: matrices along the last two axes, or lists of numbers as in CuPy; p: the order of the norm.
    Errors: LinAlgError for what is no matrix; ValueError for an unknown order."""
    return _linalg.cond(_core.asarray(x) if isinstance(x, (list, tuple)) else x, *_order(p))


def matrix_rank(A, tol=None, hermitian=False, *, rtol=None) -> ndarray:
    """How many singular values of each matrix are larger than tol (or rtol times the largest).

    Parameters: A: matrices, or a vector; tol: a number, or one a matrix; hermitian: True: the matrices are
        Hermitian, and one triangle is read; rtol: the same relative to the largest.
    Errors: ValueError for both tolerances.

    Example:
        >>> cp.linalg.matrix_rank(cp.ones((2, 2)))
        array(1)
    """
    return _linalg.matrix_rank(A, tol, hermitian, rtol=rtol)


# --- other names ---
def cross(x1, x2, /, *, axis=-1) -> ndarray:
    """The cross products of vectors of three elements along an axis.

    Parameters: x1: an array; x2: an array; axis: an axis (negative ones count from the last).
    Errors: ValueError for vectors of another length than 3."""
    _arrays(x1, x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError("Both input arrays must be (arrays of) 3-dimensional vectors, "
                         f"but they are {x1.shape[axis]} and {x2.shape[axis]} dimensional instead.")
    return _core.cross(x1, x2, axis=axis)


def outer(x1, x2, /) -> ndarray:
    """Products of every element of one vector with every one of another.

    Parameters: x1: a vector; x2: a vector.
    Errors: ValueError for other than 1-d arrays."""
    _arrays(x1, x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"Input arrays must be one-dimensional, but they are {x1.ndim=} and {x2.ndim=}.")
    return _core.outer(x1, x2)


def trace(x, /, *, offset=0, dtype=None) -> ndarray:
    """The sum along a diagonal of each matrix.

    Parameters: x: matrices along the last two axes; offset: which diagonal (0 is the main one); dtype: the element
        type of the result (None: what the operands give)."""
    return _core.trace(x, offset, -2, -1, dtype)


def diagonal(x, /, *, offset=0) -> ndarray:
    """A diagonal of each matrix: a view.

    Parameters: x: matrices along the last two axes; offset: which diagonal (0 is the main one)."""
    return _core.diagonal(x, offset, -2, -1)


__dir__ = _listing(__name__)
