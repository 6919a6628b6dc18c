"""Functions that make index arrays, and objects that are indexed to make arrays: ix_, r_, mgrid, tril_indices and their
like.

Only words and shapes are looked at here; elements are made and moved by the library."""
from __future__ import annotations

import math
import operator

import cuprite as cp
from cuprite._beside import beside_its_arrays
from cuprite import _indexing, _places, _triangles
from cuprite._support import _own_asarray

__all__ = ["c_", "diag_indices", "diag_indices_from", "indices", "isin", "ix_", "mask_indices", "mgrid", "ogrid", "r_",
           "ravel_multi_index", "select", "tri", "tril_indices", "tril_indices_from", "triu_indices",
           "triu_indices_from", "unravel_index"]


def _common_dtype(choicelist, default):
    """The dtype of choices that are floating arrays of one, where the default is a number that does not change it; else
    None."""
    if type(default) is not float and not (type(default) is int and 0 <= default < 128):
        return None
    dtypes = {c.dtype if isinstance(c, cp.ndarray) else None for c in choicelist}
    dtype = dtypes.pop() if len(dtypes) == 1 else None
    return dtype if dtype is not None and dtype.kind in "fc" else None


@beside_its_arrays
def select(condlist, choicelist, default=0):
    """Each element from the first of the choices whose condition is true there, else the default; all broadcast.

    Parameters: condlist: a list of boolean arrays; choicelist: a list of as many arrays or numbers; default: a
        number or an array.
    Errors: ValueError for lists of different lengths.

    Example:
        >>> cp.select([cp.arange(3) < 1, cp.arange(3) > 1], [cp.arange(3), -cp.arange(3)], 7)
        array([ 0,  7, -2])
    """
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    dtype = _common_dtype(choicelist, default)
    if dtype is not None:
        default = cp.full((), default, dtype)   # without promotion in Python, and without a copy from the host
    elif choicelist:
        dtype = cp.result_type(*choicelist, default)
        *choicelist, default = (c if isinstance(c, cp.ndarray) else cp.asarray(c).astype(dtype)
                                for c in [*choicelist, default])   # a number that does not fit wraps
    return _indexing.select(condlist, choicelist, default)


def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """Whether each element is among those tested: an array of its shape. `kind` is NumPy's choice of a way, "sort" or
    "table": here one way serves both.

    Parameters: element: an array, a NumPy array, a number or nested lists; test_elements: an array, a NumPy array, a
        number or nested lists; assume_unique: True: neither holds a value twice; invert: True: the opposite of each
        answer; kind: None, 'sort' or 'table'.
    Errors: ValueError for another kind, TypeError for one that is no word.

    Example:
        >>> cp.isin(cp.arange(4), cp.asarray([1, 3]))
        array([False,  True, False,  True])
    """
    if kind not in {None, "sort", "table"}:
        raise ValueError(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    if kind == "table" and any(cp.asarray(x).dtype.kind not in "biu" for x in (element, test_elements)):
        raise ValueError("The 'table' method is only supported for boolean or integer arrays. Please select 'sort' or "
                         "None for kind.")
    return _indexing.isin(element, test_elements, assume_unique, invert)


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """Places in the flattened array of coordinates, one array of integers an axis; int64. mode: "raise", "wrap",
    "clip", or one of them for each axis; ValueError for coordinates out of bounds, negative ones too.

    Parameters: multi_index: a tuple of integers or arrays of them; dims: the lengths of the axes of the array; mode:
        one of those words, or a tuple of them; order: 'C' or 'F'.
    Errors: ValueError for coordinates out of bounds, and for words that are none of these.

    Example:
        >>> cp.ravel_multi_index((cp.asarray([1]), cp.asarray([1])), (2, 3))
        array([4])
    """
    places = tuple(multi_index)
    if isinstance(mode, str):
        return _indexing.ravel_multi_index(places, dims, mode, order)
    extents = (dims,) if hasattr(dims, "__index__") else tuple(dims)
    modes = tuple(mode)
    if len(modes) != len(places) or len(extents) != len(places):
        raise ValueError("ravel_multi_index: one mode for each axis is needed")
    within = {"raise": lambda x, n: x, "wrap": lambda x, n: x % n, "clip": lambda x, n: cp.clip(x, 0, n - 1)}
    for m in modes:
        if m not in within:
            raise ValueError(f"clipmode must be one of 'raise', 'wrap' and 'clip', not {m!r}")
    return _indexing.ravel_multi_index(
        tuple(within[m](_own_asarray(x, _own_asarray(x).dtype), n) for m, x, n in zip(modes, places, extents)), dims,
        "raise", order)


def unravel_index(indices, shape, order="C"):
    """Coordinates of flat indices: a tuple of one int64 array an axis. ValueError for indices out of bounds, also
    negative ones.

    Parameters: indices: integers; shape: the lengths of the axes of the array; order: 'C' or 'F'.

    Example:
        >>> cp.unravel_index(4, (2, 3))
        (array(1), array(1))
    """
    if not isinstance(indices, cp.ndarray):
        indices = cp.asarray(indices)
    return _indexing.unravel_index(indices, shape, order)


def indices(dimensions, dtype=int, sparse=False):
    """Coordinates of a grid of these lengths: an array (ndim, ...lengths), or with `sparse` a tuple of one array an
    axis that broadcast to them.

    Parameters: dimensions: the lengths of the axes; dtype: an element type; sparse: True or False.
    Errors: TypeError for bool where a length is beyond 2.

    Example:
        >>> cp.indices((2, 2))[0]
        array([[0, 0],
               [1, 1]])
    """
    extents = tuple(dimensions)
    if cp.dtype(dtype) == bool and any(e > 2 for e in extents):
        raise TypeError("arange() is only supported for booleans when the result has at most length 2.")
    if not sparse:
        return _places.indices(extents, dtype)
    n = len(extents)
    return tuple(cp.arange(e, dtype=dtype).reshape((1,) * k + (e,) + (1,) * (n - k - 1))
                 for k, e in enumerate(extents))


def ix_(*args):
    """Arrays that name the open mesh of these 1-d sequences: x[ix_(rows, columns)] is that part of x. A boolean one
    stands for the indices of its true elements.

    Parameters: *args: 1-d sequences or arrays, of integers or of bool.
    Errors: ValueError for what is not 1-d.

    Example:
        >>> cp.arange(6).reshape(2, 3)[cp.ix_([0, 1], [0, 2])]
        array([[0, 2],
               [3, 5]])
    """
    out = []
    for k, a in enumerate(args):
        if not isinstance(a, cp.ndarray):
            a = cp.asarray(a)
            if a.size == 0:
                a = a.astype("i8")
        if a.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if a.dtype == bool:
            a, = a.nonzero()
        out.append(a.reshape((1,) * k + (a.size,) + (1,) * (len(args) - k - 1)))
    return tuple(out)


# --- triangles and diagonals ---

def _extents(rows, columns):
    n = rows if type(rows) is int else operator.index(rows)
    m = n if columns is None else columns if type(columns) is int else operator.index(columns)
    return n if n > 0 else 0, m if m > 0 else 0


def tri(N, M=None, k=0, dtype=float):
    """Ones on and below the k-th diagonal of an N by M (None: N) array, 0 elsewhere.

    Parameters: N: the number of rows; M: the number of columns; k: which diagonal; dtype: an element type.

    Example:
        >>> cp.tri(2)
        array([[1., 0.],
               [1., 1.]])
    """
    return _indexing.tri(*_extents(N, M), k, float if dtype is None else dtype)


def mask_indices(n, mask_func, k=0):
    """The indices where mask_func(ones((n, n)), k) is not zero, in nonzero's form."""
    return cp.nonzero(mask_func(cp.ones((n, n), int), k) != 0)


def tril_indices(n, k=0, m=None):
    """The indices of the lower triangle of an n by m matrix, up to the k-th diagonal: (rows, columns).

    Parameters: n: the number of rows; k: which diagonal; m: the number of columns (None: n).

    Example:
        >>> cp.tril_indices(2)
        (array([0, 1, 1]), array([0, 0, 1]))
    """
    return _triangles.tril_indices(*_extents(n, m), k)


def triu_indices(n, k=0, m=None):
    """The indices of the upper triangle of an n by m matrix, from the k-th diagonal on: (rows, columns).

    Parameters: n: the number of rows; k: a diagonal, 0: the main one; m: the number of columns, None: n.
    Errors: TypeError for a diagonal that is no integer.

    Example:
        >>> cp.triu_indices(2)
        (array([0, 0, 1]), array([0, 1, 1]))
    """
    return _triangles.triu_indices(*_extents(n, m), k)


def _extents_of(arr):
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return arr.shape


def tril_indices_from(arr, k=0):
    """tril_indices of a 2-d array's shape.

    Parameters: arr: a 2-d array; k: which diagonal.
    Errors: ValueError for an array of other than two axes."""
    n, m = _extents_of(arr)
    return tril_indices(n, k, m)


def triu_indices_from(arr, k=0):
    """triu_indices of a 2-d array's shape.

    Parameters: arr: a 2-d array; k: which diagonal.
    Errors: ValueError for an array of other than two axes."""
    n, m = _extents_of(arr)
    return triu_indices(n, k, m)


def diag_indices(n, ndim=2):
    """The indices of the main diagonal of an array of `ndim` axes of n elements: one array, `ndim` times.

    Parameters: n: the number of elements of an axis; ndim: the number of axes.

    Example:
        >>> cp.diag_indices(2)
        (array([0, 1]), array([0, 1]))
    """
    return (cp.arange(n),) * ndim


def diag_indices_from(arr):
    """diag_indices of an array whose axes are equally long.

    Parameters: arr: an array.
    Errors: ValueError for less than two axes, and axes that are not equally long."""
    if not arr.ndim >= 2:
        raise ValueError("input array must be at least 2-d")
    if any(n != arr.shape[0] for n in arr.shape):
        raise ValueError("All dimensions of input must be of equal length")
    return diag_indices(arr.shape[0], arr.ndim)


# --- objects to be indexed ---

def _points(key):
    """A slice as numpy's grids read it: (start, step, how many). An imaginary step is a number of points."""
    start, step = 0 if key.start is None else key.start, 1 if key.step is None else key.step
    if isinstance(step, complex):
        count = int(abs(step))
        return start, (key.stop - start) / float(count - 1) if count != 1 else key.stop - start, count
    return start, step, math.ceil((key.stop - start) / step)


def _kind_of(keys):
    """The type of a grid: integers, unless a number in it is none."""
    numbers = [0]
    for k in keys:
        numbers += [abs(v) if isinstance(v, complex) else v for v in (k.start, k.stop, k.step) if v is not None]
    return cp.result_type(*numbers)


class _Grid:
    """Indexed by slices: start:stop:step along each axis, with 5j as the step for five points, the last included."""

    def __init__(self, sparse):
        self.sparse = sparse

    def __getitem__(self, key):
        if isinstance(key, slice):
            if key.stop is None and not isinstance(key.step, complex):
                return cp.arange(key.start or 0, None, 1 if key.step is None else key.step)
            start, step, count = _points(key)
            if any(isinstance(v, (float, complex)) or getattr(v, "dtype", None) in ("f4", "f8", "f2")
                   for v in (key.start, key.stop, key.step)):
                return cp.arange(0, count, dtype=float) * step + start
            return cp.arange(start, key.stop, step)
        dtype, n = _kind_of(key), len(key)
        if any(getattr(v, "ndim", 0) for one in key for v in (one.start, one.stop)):
            return self._between_arrays(key, dtype)
        lines = []
        for k, one in enumerate(key):
            start, step, count = _points(one)
            if count < 0 and not self.sparse:
                raise ValueError("negative dimensions are not allowed")
            line = cp.arange(max(count, 0), dtype=dtype)
            if start != 0 or step != 1:
                line = (line * step + start).astype(dtype, copy=False)
            lines.append(line.reshape((1,) * k + (-1 if line.size else 0,) + (1,) * (n - k - 1)))
        if self.sparse:
            return tuple(lines)
        return cp.stack(cp.broadcast_arrays(*lines)) if lines else cp.empty((0,), dtype)

    def _between_arrays(self, key, dtype):
        """Bounds that are arrays: the grid's points along an axis, scaled and shifted by them."""
        points = [_points(one) for one in key]
        counts = [count for _, _, count in points]
        grids = [cp.arange(c, dtype=dtype) for c in counts] if self.sparse else list(cp.indices(counts, dtype))
        grids = [g * step + start for g, (start, step, _) in zip(grids, points)]
        if not self.sparse:
            return cp.stack([cp.broadcast_to(g, tuple(counts)) for g in grids])
        n = len(key)
        return tuple(g[(None,) * k + (slice(None),) + (None,) * (n - k - 1)] for k, g in enumerate(grids))

    def __repr__(self):
        return "cuprite.ogrid" if self.sparse else "cuprite.mgrid"


class _Join:
    """Indexed by arrays, numbers and slices, which are concatenated; a string in front says how: "0,2,1" the axis,
    the least number of axes, and where those of what has fewer begin; "r" and "c" give one row or one column."""

    def __init__(self, name, axis, ndmin, first):
        self.name, self.how = name, (axis, ndmin, first)

    def __len__(self):
        return 0

    def __repr__(self):
        return f"cuprite.{self.name}"

    @beside_its_arrays
    def __getitem__(self, key):
        if isinstance(key, str):
            raise NotImplementedError("r_: matrices of a text are numpy.bmat's")
        keys = key if isinstance(key, tuple) else (key,)
        how, as_matrix, parts, numbers = self.how, "", [], []
        for k, one in enumerate(keys):
            if isinstance(one, str):
                if k:
                    raise ValueError("special directives must be the first entry.")
                how, as_matrix = _directive(one, how)
            elif isinstance(one, slice):
                parts.append(_shaped(_line(one), how, True))
            elif isinstance(one, (int, float, complex)) or getattr(one, "shape", None) == ():
                numbers.append(len(parts))
                parts.append(one)
            else:
                parts.append(_shaped(one if isinstance(one, cp.ndarray) else cp.asarray(one), how, False))
        return _as_matrix(_joined(parts, numbers, how), as_matrix, parts, how)


def _line(key):
    """The points of a slice in r_: the last one is there where their number is given."""
    start, stop, step = 0 if key.start is None else key.start, key.stop, 1 if key.step is None else key.step
    if isinstance(step, complex):
        return cp.linspace(start, stop, num=int(abs(step)))
    return cp.arange(start, stop, step)


def _directive(text, how):
    if text in ("r", "c"):
        return how, text
    try:
        if "," not in text:
            return (int(text), *how[1:]), ""
        parts = text.split(",")
        axis, ndmin = int(parts[0]), int(parts[1])
        return (axis, ndmin, int(parts[2]) if len(parts) == 3 else how[2]), ""
    except (ValueError, TypeError, IndexError) as e:
        raise ValueError(f"unknown special directive {text!r}") from e


def _shaped(x, how, line):
    """x with at least `ndmin` axes, its own beginning at axis `first`."""
    _, ndmin, first = how
    if x.ndim >= ndmin:
        return x
    more, own = ndmin - x.ndim, x.ndim
    x = x.reshape((1,) * more + x.shape)
    if line:
        return x if first == -1 else x.swapaxes(-1, first)
    if first < 0:
        first += more + 1
    order = list(range(ndmin))
    order = order[:first] + order[more:] + order[first:more]
    return x.transpose(order) if own else x


def _joined(parts, numbers, how):
    """Numbers are weak: they take the arrays' type."""
    if not parts:
        raise ValueError("need at least one array to concatenate")
    dtype = cp.result_type(*parts) if numbers else None
    for k in numbers:
        parts[k] = cp.asarray(parts[k], dtype).reshape((1,) * how[1])
    return cp.concatenate(parts, axis=how[0], **({} if dtype is None else {"dtype": dtype, "casting": "unsafe"}))


def _as_matrix(x, text, parts, how):
    """A row or a column: there is no class of matrices here, the array has two axes."""
    if not text:
        return x
    single = all(getattr(p, "ndim", 0) == 1 for p in parts)
    x = cp.atleast_2d(x)
    return x.T if text == "c" and single else x


mgrid, ogrid = _Grid(False), _Grid(True)
r_, c_ = _Join("r_", 0, 1, -1), _Join("c_", -1, 2, 0)
