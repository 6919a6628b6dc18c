"""Factorizations of sparse matrices and what solves with them: SciPy's SuperLU, in the host's memory.

Factors are kept there for as many right sides as follow; those and the solutions are arrays of the device. X. S. Li,
ACM Trans. Math. Softw. 31 (2005)."""
from __future__ import annotations

import functools
import numbers
import types
import warnings

import cuprite as cp
from cuprite import _numpy as numpy, _sparse, ndarray
from cuprite._beside import beside_its_arrays
from cuprite._element_types import common_type, type_of
from cuprite.scipy.sparse._base import check_exponent, class_of, is_foreign, issparse
from cuprite.scipy.sparse._util import SparseEfficiencyWarning
from cuprite.scipy.sparse.linalg._host import from_host, scipy_linalg, to_host


_KEPT_AFTER = 16


class SuperLU:
    """The factors of a matrix A: Pr A Pc = L U. splu and spilu make it.

    Parameters: obj: SciPy's object."""

    __class_getitem__ = classmethod(types.GenericAlias)

    def __init__(self, obj):
        self._obj, self._solved, self._triangles = obj, 0, None

    shape = property(lambda self: self._obj.shape, doc="The matrix's rows and columns.")
    nnz = property(lambda self: self._obj.nnz, doc="How many elements the factors have.")
    perm_r = property(lambda self: from_host(self._obj.perm_r), doc="Pr: where each row goes.")
    perm_c = property(lambda self: from_host(self._obj.perm_c), doc="Pc: where each column goes.")
    L = property(lambda self: from_host(self._obj.L), doc="The lower factor, with ones on its diagonal.")
    U = property(lambda self: from_host(self._obj.U), doc="The upper factor.")

    @beside_its_arrays
    def solve(self, rhs, trans="N") -> ndarray:
        """x with A x = rhs.

        Parameters: rhs: a vector, or a matrix of right sides; trans: 'T': of A's transpose, 'H': of its conjugate."""
        ours = self._substitute(rhs) if trans == "N" else None
        return from_host(self._obj.solve(to_host(rhs), trans)) if ours is None else ours

    def _substitute(self, rhs):
        """The same in the factors as compressed rows, which is two to three times as fast. Making those takes as long
        as _KEPT_AFTER solutions, so there must have been so many. None where SciPy's object is to solve."""
        if not isinstance(rhs, cp.ndarray) or rhs._device >= 0 or rhs.ndim not in (1, 2):
            return None
        self._solved += 1
        if self._solved <= _KEPT_AFTER or rhs.shape[0] != self.shape[0]:
            return None
        made = self._triangles
        if made is None:    # put there at once, as other threads may solve
            factors = [from_host(m).tocsr() for m in (self._obj.L, self._obj.U)]
            for m in factors:
                m.sum_duplicates()
            made = self._triangles = [(m.data, m.indices, m.indptr) for m in factors] + [
                cp.argsort(from_host(self._obj.perm_r)), from_host(self._obj.perm_c)]
        lower, upper, rows, columns = made
        if type_of(rhs) != type_of(lower[0]):
            return None
        x = _sparse.sparse_substitute(*lower, False, rhs[rows])
        return _sparse.sparse_substitute(*upper, True, x)[columns]

    def __copy__(self):
        return self  # factors never change

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        raise TypeError("cannot pickle 'SuperLU' object")  # as SciPy's: its factors lie in SuperLU's own memory

    def __repr__(self) -> str:
        m, n = self.shape
        return f"<SuperLU: factors of a {m}x{n} matrix, {self.nnz} elements>"


def _host_matrix(name, A, formats):
    """A as one of SciPy's of a format, with the warning that SciPy gives where it must be converted."""
    import scipy.sparse
    if (issparse(A) or is_foreign(A)) and A.format in formats:
        return to_host(A)
    text = {"spsolve": "spsolve requires A be CSC or CSR matrix format",
            "spsolve_triangular": "CSC or CSR matrix format is required. Converting to CSC matrix."}
    warnings.warn(text.get(name, f"{name} converted its input to CSC format"), SparseEfficiencyWarning, stacklevel=3)
    return scipy.sparse.csc_array(to_host(A))


@functools.cache
def _superlu():
    """SciPy's functions gssv and gstrf, which its spsolve and splu call; None where SciPy has them otherwise.

    For small matrices most of the time is what SciPy does before them: it makes objects and checks arrays, which were
    checked when ours was made."""
    try:
        from scipy.sparse.linalg._dsolve import _superlu
        return _superlu if callable(_superlu.gssv) and callable(_superlu.gstrf) else None
    except (ImportError, AttributeError):
        return None


def _of_full_structure(n, count, data, indices, indptr, canonical=False):
    """Arguments of SuperLU; where elements are at places that leave a row or a column without a pivot whatever they
    are, those of zeros on the diagonal instead: as singular, and SuperLU ends. Of the others it reads memory that is
    not its own, and may end the process."""
    line = numpy.repeat(numpy.arange(n), indptr[1:] - indptr[:-1])
    if canonical and numpy.count_nonzero(line == indices) == n:    # without an element twice: all of the diagonal
        return n, count, data, indices, indptr
    diagonal = numpy.zeros(n, bool)
    diagonal[line[line == indices[:line.size]]] = True
    if not diagonal.all():
        import scipy.sparse.csgraph
        places = scipy.sparse.csr_array((numpy.ones(count), indices, indptr), shape=(n, n))
        if scipy.sparse.csgraph.structural_rank(places) < n:
            return n, n, numpy.zeros(n, type_of(data)), numpy.arange(n, dtype="i"), numpy.arange(n + 1, dtype="i")
    return n, count, data, indices, indptr


def _has_diagonal(A):
    """Has a canonical matrix on the CPU all elements of its diagonal? That is full structure."""
    _, indices, indptr = A._triple()
    if indices._device >= 0:
        return False
    line = cp.arange(A._shape[0])
    return bool(_sparse.sparse_find(indices, indptr, line, line, True).min() >= 0)


def _host_of_full_structure(A):
    """The same of one of SciPy's matrices."""
    if A.format not in ("csc", "csr") or A.ndim != 2 or A.shape[0] != A.shape[1]:
        return A
    given = _of_full_structure(A.shape[0], A.nnz, A.data[:A.nnz], A.indices[:A.nnz], A.indptr)[2:]
    return A if given[2] is A.indptr else type(A)(given, shape=A.shape)


def _as_it_is(A, formats):
    """(rows, elements, data, indices, indptr) of a matrix that SuperLU takes as it is; None of others."""
    if not issparse(A) or A._format not in formats:
        return None
    shape = A._shape
    if len(shape) != 2 or not shape[0] == shape[1] > 0 or not A.has_canonical_format:
        return None
    data, indices, indptr = A._triple()
    whole = type_of(indices).char == type_of(indptr).char == "i"
    if type_of(data).char not in "fdFD" or not whole or _superlu() is None:
        return None
    return shape[0], data.size, data.get(), indices.get(), indptr.get()


_MANY = 1 << 14     # elements, from which on it pays to look at them
_DENSE_LINE = 10    # a line with so many times the root of the rows' number is one that minimum degree is slow with


def _ordering(A):
    """How columns are ordered where the caller does not say: for a matrix of symmetric places that needs no pivoting,
    as discretized elliptic equations give, minimum degree has about half of the elements of COLAMD, SuperLU's choice.

    A line of `A` that is 0 on the diagonal, or less than the rest together, may need a pivot."""
    if not issparse(A) or A.format not in ("csr", "csc") or A.ndim != 2 or A.shape[0] != A.shape[1]:
        return None
    if A.nnz < _MANY or not A.has_canonical_format or type_of(A).char not in "fdFD":
        return None
    data, indices, indptr = A._triple()
    n, size = A.shape[0], abs(data)
    sums = _sparse.sparse_sum(size, indices, indptr, n, 1)
    strong = (2 * abs(A.diagonal()) >= sums).all() & (cp.diff(indptr).max() <= max(_DENSE_LINE * n**0.5, 16))
    if not bool(strong):
        return None
    _, places, ends = _sparse.sparse_transpose(size, indices, indptr, n)
    return "MMD_AT_PLUS_A" if bool((places == indices).all() & (ends == indptr).all()) else None


def _of_few(A, b):
    """x of few rows, or of a narrow band, on the CPU, without SuperLU; None of others, and where a pivot is not above
    rounding: SuperLU then says whether it is 0."""
    if not issparse(A) or A._format not in ("csr", "csc") or b._device >= 0:
        return None
    shape, right = A._shape, b.shape
    if len(shape) != 2 or not 0 < shape[0] == shape[1] or right[:1] != shape[:1] or len(right) > 2:
        return None
    data, indices, indptr = A._triple()
    if type_of(data) != type_of(b) or type_of(data).char not in "fdFD" or not right[-1]:
        return None
    try:
        x = _sparse.sparse_solve(data, indices, indptr, A._format == "csc", b)
    except numpy.linalg.LinAlgError:
        return None
    return None if x.size == 0 else x.ravel() if x.shape[1:] == (1,) else x


def spsolve(A, b, permc_spec=None, use_umfpack=True):
    """x with A x = b, by a factorization on the host: SuperLU's, or on the CPU, of at most 100 rows or of a narrow
    band, one in an array.

    Parameters: A: a square matrix; b: a vector, a matrix of right sides, or a sparse one; permc_spec: how columns are
        ordered: 'NATURAL', 'MMD_ATA', 'MMD_AT_PLUS_A' or 'COLAMD', by default the last one, or that before where the
        matrix has elements at symmetric places and needs no pivots; use_umfpack: without effect.
    Errors: ValueError for a matrix that is not square, lengths that do not fit. A singular matrix is a
        MatrixRankWarning, and the solution is NaN.

    Example:
        >>> a = cp.scipy.sparse.csc_array(cp.asarray([[4.0, 1.0], [1.0, 3.0]]))
        >>> cp.scipy.sparse.linalg.spsolve(a, cp.asarray([5.0, 4.0]))
        array([1., 1.])
    """
    if permc_spec is None and isinstance(b, cp.ndarray) and b.shape:
        x = _of_few(A, b)
        if x is not None:
            return x
    given = _as_it_is(A, ("csc", "csr")) if isinstance(b, cp.ndarray) else None
    if permc_spec is None and (not given or given[1] >= _MANY):
        permc_spec = _ordering(A)
    if given:
        shape = b.shape
        if len(shape) in (1, 2) and shape[0] == given[0] and shape[-1] and type_of(b) == type_of(given[2]):
            if not _has_diagonal(A):
                given = _of_full_structure(*given, canonical=True)
            x, info = _superlu().gssv(*given, b.get(), A._format == "csc", options={"ColPerm": permc_spec})
            if info:
                warnings.warn("Matrix is exactly singular", scipy_linalg("spsolve").MatrixRankWarning, stacklevel=3)
                x.fill(numpy.nan)
            return cp.asarray(x if len(shape) == x.ndim and shape[1:] != (1,) else x.ravel())
    theirs = scipy_linalg("spsolve")
    A = _host_of_full_structure(_host_matrix("spsolve", A, ("csc", "csr")))
    return from_host(theirs.spsolve(A, to_host(b), permc_spec=permc_spec, use_umfpack=False))


def spsolve_triangular(A, b, lower=True, overwrite_A=False, overwrite_b=False, unit_diagonal=False) -> ndarray:
    """x with A x = b of a triangular A, by substitution on the host.

    Parameters: A: a square matrix; b: a vector, or a matrix of right sides; lower: which triangle; overwrite_A:
        without effect; overwrite_b: without effect; unit_diagonal: whether the diagonal is taken for ones.
    Errors: ValueError for a matrix that is not square, lengths that do not fit; LinAlgError for a zero on the
        diagonal."""
    theirs = scipy_linalg("spsolve_triangular")
    A = _host_matrix("spsolve_triangular", A, ("csc", "csr"))
    return from_host(theirs.spsolve_triangular(A, to_host(b), lower=lower, unit_diagonal=unit_diagonal))


def _check_sizes(A, panel_size, fill_factor, options) -> None:
    """SuperLU takes these as they are, and writes beyond its work space where they are 0, negative or too large."""
    options = options if isinstance(options, dict) else {}
    for panel in (panel_size, options.get("PanelSize")):
        if isinstance(panel, numbers.Real) and not 1 <= panel * max(1, *A.shape) < 2**31:
            raise ValueError(f"panel_size must be at least 1, and less than 2**31 elements in all, not {panel}")
    for fill in (fill_factor, options.get("ILU_FillFactor")):
        if isinstance(fill, numbers.Real) and not fill > 0:
            raise ValueError(f"fill_factor must be positive, not {fill}")


def splu(A, permc_spec=None, diag_pivot_thresh=None, relax=None, panel_size=None, options=None) -> SuperLU:
    """The factors of a matrix, a SuperLU.

    Parameters: A: a square matrix; permc_spec: how columns are ordered: 'NATURAL', 'MMD_ATA', 'MMD_AT_PLUS_A' or
        'COLAMD', by default the last one, or without any other option that before, where spsolve does so;
        diag_pivot_thresh: when the diagonal is a pivot; relax: the size of supernodes; panel_size: that of panels;
        options: more of SuperLU's options, a dict.
    Errors: ValueError for a matrix that is not square, a panel_size below 1; RuntimeError for a singular one.

    Example:
        >>> lu = cp.scipy.sparse.linalg.splu(cp.scipy.sparse.csc_array(cp.asarray([[4.0, 1.0], [1.0, 3.0]])))
        >>> lu.solve(cp.asarray([5.0, 4.0]))
        array([1., 1.])
    """
    theirs = scipy_linalg("splu")
    if permc_spec is None and diag_pivot_thresh is None and relax is None and panel_size is None and options is None:
        permc_spec = _ordering(A)
    given = _as_it_is(A, ("csc",)) if options is None and permc_spec != "NATURAL" else None
    if given:
        import scipy.sparse
        _check_sizes(A, panel_size, None, None)
        if not _has_diagonal(A):
            given = _of_full_structure(*given, canonical=True)
        return SuperLU(_superlu().gstrf(*given, csc_construct_func=scipy.sparse.csc_array, ilu=False, options={
            "DiagPivotThresh": diag_pivot_thresh, "ColPerm": permc_spec, "PanelSize": panel_size, "Relax": relax}))
    host = _host_of_full_structure(_host_matrix("splu", A, ("csc",)))
    _check_sizes(host, panel_size, None, options)
    return SuperLU(theirs.splu(host, permc_spec=permc_spec, relax=relax, options=options,
                               diag_pivot_thresh=diag_pivot_thresh, panel_size=panel_size))


def spilu(A, drop_tol=None, fill_factor=None, drop_rule=None, permc_spec=None, diag_pivot_thresh=None, relax=None,
          panel_size=None, options=None) -> SuperLU:
    """Incomplete factors of a matrix, a SuperLU: a preconditioner.

    Parameters: A: a square matrix; drop_tol: below which size elements are dropped; fill_factor: how many elements
        there may be, relative to A's; drop_rule: SuperLU's names of rules; permc_spec: how columns are ordered;
        diag_pivot_thresh: when the diagonal is a pivot; relax: the size of supernodes; panel_size: that of panels;
        options: more of SuperLU's options, a dict.
    Errors: ValueError for a matrix that is not square, a panel_size below 1, a fill_factor that is not positive;
        RuntimeError for a singular one."""
    theirs = scipy_linalg("spilu")
    host = _host_matrix("spilu", A, ("csc",))
    _check_sizes(host, panel_size, fill_factor, options)
    return SuperLU(theirs.spilu(host, drop_tol=drop_tol, fill_factor=fill_factor, drop_rule=drop_rule,
                                permc_spec=permc_spec, diag_pivot_thresh=diag_pivot_thresh, relax=relax,
                                panel_size=panel_size, options=options))


def factorized(A):
    """A function that solves A x = b, of factors that are made once; columns are ordered as spsolve does.

    Parameters: A: a square matrix.
    Errors: ValueError for a matrix that is not square; RuntimeError for a singular one."""
    scipy_linalg("factorized")
    return splu(A, permc_spec=_ordering(A)).solve


def inv(A):
    """The inverse of a sparse matrix, a sparse one.

    Parameters: A: a square sparse matrix.
    Errors: TypeError for what is not sparse; ValueError for a matrix that is not square."""
    if not issparse(A):
        raise TypeError("Input must be a sparse arrays")
    theirs = scipy_linalg("inv")
    return from_host(theirs.inv(_host_of_full_structure(to_host(A))))


def expm(A):
    """The exponential of a square matrix, on the host.

    Parameters: A: a sparse matrix or an array.
    Errors: ValueError for a matrix that is not square."""
    return from_host(scipy_linalg("expm").expm(to_host(A)))


def matrix_power(A, power):
    """A sparse matrix times itself, so many times.

    Parameters: A: a square matrix; power: how often, 0 for ones on the diagonal.
    Errors: TypeError for a matrix that is not square; ValueError for a power that is no whole number, or negative.

    Example:
        >>> a = cp.scipy.sparse.csr_array(cp.asarray([[1.0, 1.0], [0.0, 1.0]]))
        >>> cp.scipy.sparse.linalg.matrix_power(a, 5).toarray()
        array([[1., 5.],
               [0., 1.]])
    """
    m, n = A.shape
    if m != n:
        raise TypeError("sparse matrix is not square")
    check_exponent(power)
    power = int(power)
    if power < 0:
        raise ValueError("exponent must be >= 0")
    if power == 0:
        from cuprite.scipy.sparse._construct import eye_array
        return eye_array(m, dtype=type_of(A))
    result, square = None, A
    while power:
        if power & 1:
            result = square if result is None else result @ square
        power >>= 1
        square = square @ square if power else square
    return result.copy() if result is A else result


def use_solver(**kwargs) -> None:
    """Nothing: SuperLU is the only solver. SciPy chooses UMFPACK so.

    Parameters: kwargs: useUmfpack and assumeSortedIndices, which have no effect."""


def lschol(A, b) -> ndarray:
    """x with A x = b of a Hermitian positive definite sparse A, as cupyx.linalg.sparse.lschol.

    Parameters: A: a sparse matrix, or an array; b: a vector.
    Errors: TypeError for what is neither; ValueError for lengths that do not fit; LinAlgError for a singular
        matrix."""
    if not issparse(A) and not isinstance(A, cp.ndarray):
        raise TypeError("A must be a sparse matrix or an array")
    b = cp.asarray(b)
    if A.ndim != 2 or A.shape[0] != A.shape[1] or b.ndim != 1 or b.shape[0] != A.shape[0]:
        raise ValueError(f"a square matrix and a vector of its length, not {A.shape} and {b.shape}")
    kind = common_type(type_of(A), type_of(b), "float32")
    host = class_of("csc", True)(A).astype(kind)
    try:
        lu = splu(host, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    except RuntimeError as error:
        from numpy.linalg import LinAlgError
        raise LinAlgError(str(error)) from error
    return lu.solve(b.astype(kind, copy=False))
