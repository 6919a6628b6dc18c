"""Sparse matrices made of diagonals, of others, and of random numbers; parts of them; files."""
from __future__ import annotations

import math

import cuprite as cp
from cuprite import _sparse as S
from cuprite._element_types import common_type, type_of
from cuprite.scipy.sparse._axes import index_type
from cuprite.scipy.sparse._base import _spbase, class_of, is_foreign, issparse, sparray, taken
from cuprite.scipy.sparse._util import index_dtype, isintlike, isscalarlike, scipys, upcast


def _class(format, *others):
    """The class of a format: an array where one of these is an array."""
    return class_of(format, any(isinstance(a, sparray) for a in others))


def _ours(a):
    """A matrix of SciPy's as one of ours, anything else unchanged."""
    return class_of(a.format, not hasattr(a, "getrow"))(a) if is_foreign(a) else a


# --- diagonals ---

def spdiags(data, diags, m=None, n=None, format=None) -> _spbase:
    """A matrix of diagonals: data[k, j] is the element of column j on the diagonal diags[k].

    Parameters: data: an array with a row for each diagonal; diags: which, 0 is the main one; m: how many rows, or the
        shape; n: how many columns; format: the result's format.
    Errors: ValueError for offsets that are there twice."""
    if m is None and n is None:
        m = n = len(data[0])
    elif n is None:
        m, n = m
    return class_of("dia", False)((data, diags), shape=(m, n)).asformat(format)


def _common_type(diagonals):
    """NumPy's common_type, which SciPy uses where no dtype is given: integers become float64."""
    dtype = common_type(*diagonals)
    return common_type("float64") if dtype.kind in "biu" else dtype


class _Unset:
    """A default that is no type; in signatures it has no address, which would be another one in every process."""

    def __repr__(self):
        return "unset"


_OLD = _Unset()


def diags_array(diagonals, /, *, offsets=0, shape=None, format=None, dtype=_OLD) -> _spbase:
    """A sparse array of diagonals, each given by its own elements.

    Parameters: diagonals: a sequence of arrays, or one for a single offset; an array of one element is repeated;
        offsets: which diagonals, 0 is the main one; shape: the lengths of the axes, by default what the first diagonal
        needs; format: the result's format; dtype: the element type, by default a floating one.
    Errors: ValueError for diagonals that do not fit the offsets or the shape."""
    if isscalarlike(offsets):
        if len(diagonals) and not isscalarlike(diagonals[0]):
            raise ValueError("Different number of diagonals and offsets.")
        diagonals, offsets = [cp.atleast_1d(cp.asarray(diagonals))], [offsets]
    else:
        diagonals = [cp.atleast_1d(cp.asarray(d)) for d in diagonals]
        offsets = offsets.tolist() if hasattr(offsets, "tolist") else list(offsets)
    offsets = [int(k) for k in offsets]
    if len(diagonals) != len(offsets):
        raise ValueError("Different number of diagonals and offsets.")
    if shape is None:
        m = diagonals[0].size + abs(offsets[0])
        shape = (m, m)
    if dtype is _OLD:
        dtype = _common_type(diagonals)
    elif dtype is None:
        dtype = common_type(*diagonals)
    m, n = shape
    columns = max(0, max((min(m + k, n - k) + max(0, k) for k in offsets), default=0))
    data = cp.zeros((len(offsets), columns), dtype=dtype)
    for j, (diagonal, k) in enumerate(zip(diagonals, offsets)):
        first, length = max(0, k), min(m + k, n - k, min(m, n))
        if length < 0:
            raise ValueError(f"Offset {k} (index {j}) out of bounds")
        part = diagonal[..., :length]
        if part.shape[-1] not in (1, length):
            raise ValueError(f"Diagonal length (index {j}: {len(diagonal)} at offset {k}) does not agree with array "
                             f"size ({m}, {n}).")
        data[j, first:first + length] = part
    return class_of("dia", True)((data, cp.array(offsets, dtype="int64")), shape=(m, n)).asformat(format)


def diags(diagonals, offsets=0, shape=None, format=None, dtype=_OLD) -> _spbase:
    """A matrix of diagonals, each given by its own elements.

    Parameters: diagonals: a sequence of arrays, or one for a single offset; an array of one element is repeated;
        offsets: which diagonals, 0 is the main one; shape: the lengths of the axes, by default what the first diagonal
        needs; format: the result's format; dtype: the element type, by default a floating one.
    Errors: ValueError for diagonals that do not fit the offsets or the shape."""
    return class_of("dia", False)(diags_array(diagonals, offsets=offsets, shape=shape, dtype=dtype)).asformat(format)


def _eye(m, n, k, dtype, format, is_array):
    m, n = int(m), int(m if n is None else n)
    dtype = common_type(dtype)
    if m == n and k == 0 and format in ("csr", "csc", "coo"):
        index = index_dtype(maxval=n)
        at, data, cls = cp.arange(n, dtype=index), cp.ones(n, dtype=dtype), class_of(format, is_array)
        if format == "coo":
            return cls._new(data, (at, at.copy()), (n, n), True)
        return cls._new(data, at, cp.arange(n + 1, dtype=index), (n, n), True, True)
    data = cp.ones((1, max(0, min(m + k, n))), dtype=dtype)
    new = diags_array(data, offsets=[k], shape=(m, n), dtype=dtype)
    return class_of("dia", is_array)(new).asformat(format)


def eye(m, n=None, k=0, dtype=float, format=None) -> _spbase:
    """A matrix of ones on a diagonal.

    Parameters: m: how many rows; n: how many columns, by default as many; k: which diagonal; dtype: the element type;
        format: the result's format."""
    return _eye(m, n, k, dtype, format, False)


def eye_array(m, n=None, *, k=0, dtype=float, format=None) -> _spbase:
    """A sparse array of ones on a diagonal.

    Parameters: m: how many rows; n: how many columns, by default as many; k: which diagonal; dtype: the element type;
        format: the result's format."""
    return _eye(m, n, k, dtype, format, True)


def identity(n, dtype="d", format=None) -> _spbase:
    """The identity matrix.

    Parameters: n: how many rows and columns; dtype: the element type; format: the result's format."""
    return eye(n, n, dtype=dtype, format=format)


# --- of other matrices ---

def kron(A, B, format=None) -> _spbase:
    """The Kronecker product of two matrices.

    Parameters: A: a matrix or an array; B: a matrix or an array; format: the result's format."""
    A, B = _ours(A), _ours(B)
    coo = _class("coo", A, B)
    A, B = coo(A), coo(B)
    ndim = max(A.ndim, B.ndim)
    wide = [(1,) * (ndim - x.ndim) + x.shape for x in (A, B)]
    shape = tuple(m * n for m, n in zip(*wide))
    if A.nnz == 0 or B.nnz == 0:
        return coo(shape).asformat(format)
    if format in (None, "bsr") and A.ndim == B.ndim == 2 and 2 * B.nnz >= math.prod(B.shape):
        A = A.tocsr()
        data = A.data[:, None, None] * B.toarray()
        return _class("bsr", A, B)((data, *A._triple()[1:]), shape=shape)
    index = index_type(A._coords, shape)
    first, second = ([cp.zeros(x.data.size, dtype=index)] * (ndim - x.ndim) + [c.astype(index) for c in x._coords]
                     for x in (A, B))
    at = tuple((a[:, None] * n + b).ravel() for a, b, n in zip(first, second, wide[1]))
    return coo._new((A.data[:, None] * B.data).ravel(), at, shape).asformat(format)


def kronsum(A, B, format=None) -> _spbase:
    """The Kronecker sum of two square matrices: kron(I, A) + kron(B, I).

    Parameters: A: a square matrix or array; B: a square matrix or array; format: the result's format.
    Errors: ValueError for a matrix that is not square."""
    A, B = _ours(A), _ours(B)
    coo = _class("coo", A, B)
    A, B = coo(A), coo(B)
    for name, a in (("A", A), ("B", B)):
        if a.ndim != 2:
            raise ValueError(f"kronsum requires 2D inputs. `{name}` is {a.ndim}D.")
    for name, a in (("A", A), ("B", B)):
        if a.shape[0] != a.shape[1]:
            raise ValueError(f"{name} is not square")
    dtype, is_array = upcast(type_of(A), type_of(B)), isinstance(A, sparray)
    left = kron(_eye(B.shape[0], None, 0, dtype, "coo", is_array), A, format="coo")
    right = kron(B, _eye(A.shape[0], None, 0, dtype, "coo", is_array), format="coo")
    return (left + right).asformat(format)


def _grid(blocks):
    """Rows of blocks, None where there is none; ValueError unless all rows have as many."""
    if issparse(blocks) or not hasattr(blocks, "__iter__"):
        raise ValueError("blocks must be 2-D")
    rows = []
    for row in blocks:
        if issparse(row) or is_foreign(row) or not hasattr(row, "__iter__"):
            raise ValueError("blocks must be 2-D")
        rows.append([_ours(b) for b in row])
    if not rows or any(len(r) != len(rows[0]) for r in rows):
        raise ValueError("blocks must be 2-D")
    return rows


def _vstacked(blocks, is_array):
    """csr matrices, one below the other."""
    n = blocks[0]._shape_as_2d[1]
    if any(b._shape_as_2d[1] != n for b in blocks):
        raise ValueError("incompatible dimensions for axis 1")
    triples = [b._triple() for b in blocks]
    total = sum(t[0].size for t in triples)
    index = index_dtype([t[2] for t in triples], maxval=max(total, n))
    data = cp.concatenate([t[0] for t in triples])
    indices = cp.concatenate([t[1].astype(index, copy=False) for t in triples])
    parts, before = [triples[0][2].astype(index, copy=False)], triples[0][0].size
    for t in triples[1:]:
        parts.append(t[2][1:].astype(index, copy=False) + before)
        before += t[0].size
    rows = sum(b._shape_as_2d[0] for b in blocks)
    known = [all(getattr(b, flag) for b in blocks) or None for flag in ("_sorted", "_canonical")]
    return class_of("csr", is_array)._new(data, indices, cp.concatenate(parts), (rows, n), *known)


def _hstacked(blocks, is_array):
    """csr matrices of as many rows each, beside each other: one below the other, then their rows in turns."""
    (m, count), n = (blocks[0]._shape[0], len(blocks)), sum(b._shape[1] for b in blocks)
    shifted, before = [], 0
    for b in blocks:
        data, indices, indptr = b._triple()
        index = index_dtype([indices], maxval=n)
        shifted.append(class_of("csr", is_array)._new(data, indices.astype(index, copy=False) + before, indptr, (m, n),
                                                      b._sorted, b._canonical))
        before += b._shape[1]
    below = _vstacked(shifted, is_array)
    turns = cp.arange(m * count).reshape(count, m).T.ravel()
    data, indices, ends = S.sparse_take(*below._triple(), turns)
    return class_of("csr", is_array)._new(data, indices, cp.ascontiguousarray(ends[::count]), (m, n), below._sorted,
                                          below._canonical)


def _beside(blocks, format):
    """Can these be put beside each other as rows, or as columns, without triples?"""
    return all(issparse(b) and b.format == format and b.ndim == 2 for b in blocks) and len(
        {b._shape[format == "csc"] for b in blocks}) == 1


def _lengths(grid):
    """The rows of each row of blocks and the columns of each column."""
    rows, columns = [0] * len(grid), [0] * len(grid[0])
    for i, row in enumerate(grid):
        for j, b in enumerate(row):
            if b is None:
                continue
            m, n = b._shape_as_2d
            if rows[i] and rows[i] != m:
                raise ValueError(f"blocks[{i},:] has incompatible row dimensions. Got blocks[{i},{j}].shape[0] == {m}, "
                                 f"expected {rows[i]}.")
            if columns[j] and columns[j] != n:
                raise ValueError(f"blocks[:,{j}] has incompatible column dimensions. Got blocks[{i},{j}].shape[1] == "
                                 f"{n}, expected {columns[j]}.")
            rows[i], columns[j] = rows[i] or m, columns[j] or n
    return rows, columns


def _block(blocks, format, dtype, is_array):
    grid = _grid(blocks)
    formats = {b.format if issparse(b) else "" for row in grid for b in row}
    result = format or (formats.pop() if formats in ({"csr"}, {"csc"}) else "coo")
    if len(grid[0]) == 1 and all(issparse(r[0]) and r[0].format == "csr" for r in grid) and result == "csr":
        new = _vstacked([r[0] for r in grid], is_array)
        return new if dtype is None else new.astype(dtype, copy=False)
    if len(grid) == 1 and all(issparse(b) and b.format == "csc" for b in grid[0]) and result == "csc":
        new = _vstacked([b.T for b in grid[0]], is_array).T
        return new if dtype is None else new.astype(dtype, copy=False)
    if len(grid) == 1 and result == "csr" and _beside(grid[0], "csr"):
        new = _hstacked(grid[0], is_array)
        return new if dtype is None else new.astype(dtype, copy=False)
    if len(grid[0]) == 1 and result == "csc" and _beside([r[0] for r in grid], "csc"):
        new = _hstacked([r[0].T for r in grid], is_array).T
        return new if dtype is None else new.astype(dtype, copy=False)
    if result == "csr" and all(_beside(row, "csr") for row in grid):
        _lengths(grid)
        new = _vstacked([_hstacked(row, is_array) for row in grid], is_array)
        return new if dtype is None else new.astype(dtype, copy=False)
    if result == "csc" and all(_beside(column, "csc") for column in zip(*grid)):
        _lengths(grid)
        new = _vstacked([_hstacked([b.T for b in column], is_array) for column in zip(*grid)], is_array).T
        return new if dtype is None else new.astype(dtype, copy=False)
    grid = [[None if b is None else class_of("coo", True)(b) for b in row] for row in grid]
    rows, columns = _lengths(grid)
    shape = sum(rows), sum(columns)
    there = [(sum(rows[:i]), sum(columns[:j]), b) for i, row in enumerate(grid) for j, b in enumerate(row)
             if b is not None]
    if dtype is None:
        dtype = upcast(*(type_of(b) for _, _, b in there)) if there else None
    if not there:
        return class_of("coo", is_array)(shape, dtype=dtype).asformat(result)
    index = index_dtype([b._coords[0] for _, _, b in there], maxval=max(shape))
    data = cp.concatenate([b.data.astype(dtype, copy=False) for _, _, b in there])
    row = cp.concatenate([b._row.astype(index) + i for i, _, b in there])
    column = cp.concatenate([b._col.astype(index) + j for _, j, b in there])
    return class_of("coo", is_array)._new(data, (row, column), shape).asformat(result)


def _any_array(blocks):
    flat = []
    for row in blocks:
        flat.extend(row if isinstance(row, (list, tuple)) else [row])
    return any(isinstance(_ours(b), sparray) for b in flat)


def hstack(blocks, format=None, dtype=None) -> _spbase:
    """Matrices beside each other.

    Parameters: blocks: a sequence of matrices; format: the result's format; dtype: the element type.
    Errors: ValueError for matrices of different numbers of rows, and where there are none."""
    blocks = list(blocks)
    if not blocks:
        raise ValueError("blocks must be 2-D")
    return _block([blocks], format, dtype, _any_array(blocks))


def vstack(blocks, format=None, dtype=None) -> _spbase:
    """Matrices one below the other.

    Parameters: blocks: a sequence of matrices; format: the result's format; dtype: the element type.
    Errors: ValueError for matrices of different numbers of columns, and where there are none."""
    blocks = list(blocks)
    if not blocks:
        raise ValueError("blocks must be 2-D")
    return _block([[b] for b in blocks], format, dtype, _any_array(blocks))


def bmat(blocks, format=None, dtype=None) -> _spbase:
    """A matrix of blocks.

    Parameters: blocks: rows of matrices, None where all elements are 0; format: the result's format; dtype: the element
        type.
    Errors: ValueError for blocks that do not fit beside each other."""
    return _block(blocks, format, dtype, _any_array(blocks))


def block_array(blocks, *, format=None, dtype=None) -> _spbase:
    """A sparse array of blocks.

    Parameters: blocks: rows of matrices, None where all elements are 0; format: the result's format; dtype: the element
        type.
    Errors: ValueError for blocks that do not fit beside each other."""
    return _block(blocks, format, dtype, True)


def block_diag(mats, format=None, dtype=None) -> _spbase:
    """Matrices along the diagonal of another one.

    Parameters: mats: a sequence of matrices and arrays; format: the result's format; dtype: the element type."""
    mats = [_ours(a) for a in mats]
    is_array = any(isinstance(a, sparray) for a in mats)
    row, column, data, r, c = [], [], [], 0, 0
    for a in mats:
        if not issparse(a):
            dense = cp.atleast_2d(cp.asarray(a))
            m, n = dense.shape
            at = cp.arange(m * n)
            part = (at // max(n, 1), at % max(n, 1)) if isinstance(taken(a, None), cp.ndarray) and not isinstance(
                a, (list, int, float, complex)) else None
            a = class_of("coo", True)._new(dense.ravel(), part, (m, n)) if part else class_of("coo", True)(dense)
        a = a.tocoo()
        row.append(a._row + r)
        column.append(a._col + c)
        data.append(a.data)
        r, c = r + a._shape_as_2d[0], c + a._shape_as_2d[1]
    index = index_dtype(maxval=max(r, c))
    at = tuple(cp.concatenate(x).astype(index, copy=False) for x in (row, column))
    return class_of("coo", is_array)((cp.concatenate(data), at), shape=(r, c), dtype=dtype).asformat(format)


# --- parts ---

def find(A) -> tuple[ndarray, ndarray, ndarray]:
    """The rows, the columns and the values of the elements that are not 0.

    Parameters: A: a matrix or an array."""
    A = class_of("coo", True)(_ours(A), copy=True)
    A.sum_duplicates()
    keep = A.data != 0
    return A._row[keep], A._col[keep], A.data[keep]


def _triangle(A, inside, format):
    A = _ours(A)
    A = _class("coo", A)(A, copy=False)
    keep = inside(A._row, A._col)
    return type(A)._new(A.data[keep], (A._row[keep], A._col[keep]), A.shape).asformat(format)


def tril(A, k=0, format=None) -> _spbase:
    """The elements on a diagonal and below it.

    Parameters: A: a matrix or an array; k: which diagonal, 0 is the main one; format: the result's format."""
    return _triangle(A, lambda row, column: row + k >= column, format)


def triu(A, k=0, format=None) -> _spbase:
    """The elements on a diagonal and above it.

    Parameters: A: a matrix or an array; k: which diagonal, 0 is the main one; format: the result's format."""
    return _triangle(A, lambda row, column: row + k <= column, format)


def permute_dims(A, axes=None, copy=False) -> _spbase:
    """A sparse array with its axes in another order.

    Parameters: A: a sparse array; axes: the order, by default reversed; copy: whether arrays must not be shared.
    Errors: ValueError for an order that is none, TypeError for axes that are no integers."""
    ndim = A.ndim
    axes = tuple(range(ndim))[::-1] if axes is None else axes
    if not isinstance(axes, (tuple, list)):
        if not hasattr(axes, "__index__"):
            raise TypeError(f"axis must be an integer/tuple of ints, not {type(axes)}")
        axes = (axes,)
    if len(axes) != ndim:
        raise ValueError(f"Incorrect number of axes: {ndim} instead of {A.ndim}")
    if any(not isintlike(a) for a in axes):
        raise TypeError("axis must be an integer.")
    if any(not -ndim <= a < ndim for a in axes):
        raise ValueError("axis out of range for ndim")
    axes = [a % ndim for a in axes]
    if len(set(axes)) != ndim:
        raise ValueError("duplicate value in axis")
    if axes == list(range(ndim)):
        return A.copy() if copy else A
    A = A.tocoo(copy=copy)
    return A._share(type(A)._new(A.data, tuple(A._coords[a] for a in axes), tuple(A.shape[a] for a in axes)))


def expand_dims(A, /, *, axis=0) -> _spbase:
    """A sparse array with one more axis, of length 1, as coordinates.

    Parameters: A: a sparse array; axis: where it is in the result.
    Errors: ValueError for what is no integer, or no axis of the result."""
    if not isintlike(axis):
        raise ValueError(f"Invalid axis {axis}. Must be an integer.")
    at = axis if axis >= 0 else axis + A.ndim + 1
    if not 0 <= at <= A.ndim:
        raise ValueError(f"Invalid axis {axis} for N={A.ndim}. Must be in [-N-1, N].")
    A = A.tocoo(copy=True)
    coords = A._coords[:at] + (cp.zeros_like(A._coords[0]),) + A._coords[at:]
    coords = tuple(c.astype("int64", copy=False) for c in coords) if A.ndim > 1 else coords
    return class_of("coo", True)._new(A.data, coords, A.shape[:at] + (1,) + A.shape[at:], A.has_canonical_format)


def swapaxes(A, axis1, axis2) -> _spbase:
    """A sparse array with two axes exchanged.

    Parameters: A: a sparse array; axis1: an axis; axis2: the other one.
    Errors: ValueError for an axis that is not there."""
    axes = list(range(A.ndim))
    for a in (axis1, axis2):
        if not -A.ndim <= a < A.ndim:
            raise ValueError(f"Invalid axis: {a} is out of bounds for ndim={A.ndim}")
    axes[axis1], axes[axis2] = axes[axis2], axes[axis1]
    return permute_dims(A, axes=tuple(axes), copy=True)


def matrix_transpose(A) -> _spbase:
    """The transpose of a matrix.

    Parameters: A: a sparse matrix or array of two axes.
    Errors: ValueError for a sparse array of one axis."""
    return A.mT


# --- random ---

def _places(count, size, rng):
    """`size` different numbers below `count`, of a generator of Cuprite's or NumPy's."""
    if count <= 1 << 22 or 2 * size >= count:
        return cp.asarray(rng.permutation(int(count)))[:size].astype("int64")
    integers = rng.integers if hasattr(rng, "integers") else rng.randint
    found = cp.zeros(0, dtype="int64")
    while found.size < size:
        drawn = cp.asarray(integers(0, count, size=size + size // 8 + 16 - found.size // 2))
        found = cp.unique(cp.concatenate((found, drawn.astype("int64"))))
    return found[cp.asarray(rng.permutation(int(found.size)))[:size]]


def _generator(seed):
    if hasattr(seed, "permutation") and hasattr(seed, "uniform"):
        return seed
    if isinstance(seed, cp.random.Generator):
        return seed
    return cp.random.default_rng(seed)


def _random(shape, density, dtype, rng, sampler):
    if density < 0 or density > 1:
        raise ValueError("density expected to be 0 <= density <= 1")
    count, rng = math.prod(shape), _generator(rng)
    size = int(round(density * count))
    if count >= 2**63:
        raise ValueError("a random matrix has at most 2**63 - 1 elements")
    at, places = _places(count, size, rng), []
    for length in shape:
        places.append((at % max(length, 1)).astype(index_dtype(maxval=max(shape))))
        at = at // max(length, 1)
    dtype = common_type("float64" if dtype is None else dtype)
    if sampler is not None:
        data = cp.asarray(sampler(size))
    elif dtype.kind in "iu":
        draw = rng.integers if hasattr(rng, "integers") else rng.randint
        data = draw(cp.iinfo(dtype).min, cp.iinfo(dtype).max, size=size, dtype=dtype)
    elif dtype.kind == "c":
        data = cp.asarray(rng.uniform(size=size)) + cp.asarray(rng.uniform(size=size)) * 1j
    else:
        data = rng.uniform(size=size)
    return cp.asarray(data).astype(dtype, copy=False), tuple(places)


def random(m, n, density=0.01, format="coo", dtype=None, random_state=None, data_rvs=None, *, rng=None) -> _spbase:
    """A matrix of random elements at random places.

    Parameters: m: how many rows; n: how many columns; density: the part of the elements that is stored, 0 to 1; format:
        the result's format; dtype: the element type; random_state: a generator or a seed; data_rvs: what draws so many
        elements; rng: the same as random_state.
    Errors: ValueError for a density below 0 or above 1."""
    m, n = int(m), int(m if n is None else n)
    data, at = _random((m, n), density, dtype, random_state if rng is None else rng, data_rvs)
    return class_of("coo", False)((data, at), shape=(m, n)).asformat(format)


def rand(m, n, density=0.01, format="coo", dtype=None, random_state=None, *, rng=None) -> _spbase:
    """A matrix of random elements, uniform from 0 to 1, at random places.

    Parameters: m: how many rows; n: how many columns; density: the part of the elements that is stored, 0 to 1; format:
        the result's format; dtype: the element type; random_state: a generator or a seed; rng: the same.
    Errors: ValueError for a density below 0 or above 1."""
    return random(m, n, density, format, dtype, random_state, rng=rng)


def random_array(shape, *, density=0.01, format="coo", dtype=None, rng=None, random_state=None,
                 data_sampler=None) -> _spbase:
    """A sparse array of random elements at random places.

    Parameters: shape: the lengths of the axes; density: the part of the elements that is stored, 0 to 1; format: the
        result's format; dtype: the element type; rng: a generator or a seed; random_state: the same; data_sampler: what
        draws `size` elements.
    Errors: ValueError for a density below 0 or above 1."""
    draw = None if data_sampler is None else lambda size: data_sampler(size=size)
    data, at = _random(tuple(shape), density, dtype, random_state if rng is None else rng, draw)
    return class_of("coo", True)((data, at), shape=shape).asformat(format)


# --- files ---

def save_npz(file, matrix, compressed=True) -> None:
    """Writes a matrix to a file of NumPy's, as SciPy does.

    Parameters: file: a name or an open file; matrix: a sparse matrix; compressed: whether the file is.
    Errors: NotImplementedError for lil and dok."""
    if matrix.format not in ("csr", "csc", "bsr", "dia", "coo"):
        raise NotImplementedError(f"Save is not implemented for sparse matrix of format {matrix.format}.")
    scipys("save_npz")(file, matrix.get(), compressed)


def load_npz(file) -> _spbase:
    """Reads a matrix from a file of save_npz, of SciPy or ours.

    Parameters: file: a name or an open file.
    Errors: ValueError for a file without a sparse matrix."""
    return _ours(scipys("load_npz")(file))
