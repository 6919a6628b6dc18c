"""Cases of cuprite.scipy.sparse, compared with SciPy: family sparse.

A case is an expression of `s` (the sparse module), `xp` and matrices M(format, array or matrix, values, what is odd
about their storage), evaluated by both: formats, classes, types, duplicates, explicit zeros, order and the operation
are drawn. Results are compared as matrices (class, type, shape, elements), arrays or numbers; errors by their kind."""
import collections
import random
import re
import warnings

import numpy as np
import scipy.sparse

import cuprite as cp
from oracle import kind

Wrong = collections.namedtuple("Wrong", "kind what number text")
FORMATS = ("csr", "csr", "csr", "csc", "csc", "coo", "coo", "bsr", "dia", "lil", "dok")
TYPES = "dddfffFD?bhiqBQ"


class Sources:
    """Texts of matrices and of operations on them, drawn by one generator."""

    def __init__(self, r):
        self.r, self.pick = r, r.choice

    def chance(self, p):
        return self.r.random() < p

    def extent(self):
        return self.pick((0, 1, 1, 2, 3, 3, 4, 5, 6)) if self.chance(0.5) else self.r.randint(2, 6)

    def values(self, shape, char, density):
        def one():
            if not self.chance(density):
                return 0
            if char in "FD":
                return complex(self.r.randint(-5, 5), self.r.randint(-3, 3))
            if char in "fd":
                if self.chance(0.03):
                    return self.pick((float("nan"), float("inf"), -0.0))
                return self.r.randint(-20, 20) / 4
            return self.r.randint(0, 9) if char in "?BQ" else self.r.randint(-9, 9)
        return [[one() for _ in range(shape[1])] for _ in range(shape[0])]

    def matrix(self, shape, char=None, format=None):
        char, format = char or self.pick(TYPES), format or self.pick(FORMATS)
        odd = self.pick(("", "", "", "zeros", "unsorted", "twice")) if format in ("csr", "csc", "coo") else ""
        values = self.values(shape, char, self.pick((0.1, 0.3, 0.3, 0.6, 1)))
        return f"M({format!r}, {self.pick((True, True, False))}, {char!r}, {shape}, {values}, {odd!r})"

    def dense(self, shape, char=None):
        char = char or self.pick(TYPES)
        if len(shape) == 1:
            return f"D({char!r}, {shape}, {self.values((1, *shape), char, 0.8)[0]})"
        return f"D({char!r}, {shape}, {self.values(shape, char, 0.8)})"

    def number(self):
        return self.pick(("0", "1", "2", "-3", "0.5", "2.5", "(1+2j)", "True", "xp.float32(2)", "xp.int8(3)"))

    def index(self, n):
        def slice_():
            a = [self.pick(("", str(self.r.randint(-n - 1, n + 1)))) for _ in range(2)]
            return ":".join(a) + self.pick(("", "", "", ":2", ":-1", ":-2"))
        where = [str(self.r.randint(-n, max(n - 1, 0))), slice_(), slice_(), ":"]
        if n:
            where += [str([self.r.randrange(-n, n) for _ in range(self.r.randint(0, 4))]),
                      f"xp.array({[self.chance(0.5) for _ in range(n)]})"]
        return self.pick(where) if not self.chance(0.02) else str(n)


def _one(d, m, n):
    a, axis = d.matrix((m, n)), d.pick(("0", "1", "-1", "-2", "None"))
    k, c = d.r.randint(-4, 4), d.number()
    format = d.pick(FORMATS)
    return d.pick((
        f"{a}.T", f"{a}.conj()", f"{a}.to{format}()", f"{a}.asformat({format!r})", f"{a}.sum(axis={axis})",
        f"{a}.mean(axis={axis})", f"{a}.max(axis={axis})", f"{a}.min(axis={axis})", f"{a}.argmax(axis={axis})",
        f"{a}.argmin(axis={axis})", f"{a}.nanmax(axis={axis})", f"{a}.nanmin(axis={axis})", f"{a}.diagonal({k})",
        f"{a}.trace({k})", f"abs({a})", f"-{a}", f"{a}.power(2)", f"{a}.sqrt()", f"{a}.sign()", f"{a}.floor()",
        f"{a}.expm1()", f"{a}.astype({d.pick('fdFDiq')!r})", f"{a}.reshape({(n, m)})", f"{a}.reshape({(m * n, 1)})",
        f"{a}.count_nonzero()", f"{a}.nonzero()", f"s.tril({a}, {k})", f"s.triu({a}, {k})", f"s.find({a})",
        f"{a}.toarray()", f"{a}.toarray(order='F')", f"{a}.copy()", f"{a}.real", f"{a}.imag", f"{a}.maximum({c})",
        f"{a}.minimum({c})", f"{a} > {c}", f"{a} <= {c}", f"{a} == {c}", f"{a} != {c}", f"{a} * {c}", f"{c} * {a}",
        f"{a} / {c}", f"{a} ** 2", f"s.issparse({a})", f"{a}.sum(axis={axis}, dtype='d')", f"{a}.shape, {a}.ndim",
        f"s.kron({a}, {d.matrix((2, 2))})", f"s.vstack([{a}, {d.matrix((2, n))}])",
        f"s.hstack([{a}, {d.matrix((m, 2))}], format={format!r})", f"s.block_diag([{a}, {d.matrix((1, 2))}])",
        f"s.bmat([[{a}, None], [None, {d.matrix((2, 1))}]])", f"C({a}).sum_duplicates()", f"C({a}).eliminate_zeros()",
        f"C({a}).setdiag({c}, {k})", f"C({a}).resize({(d.extent(), d.extent())})",
        f"s.diags_array([{[1, 2, 3][:max(n - 1, 0)]}], offsets=[1], shape={(m, n)})",
        f"s.eye_array({m}, {n}, k={k}, format={format!r})", f"{a}.has_canonical_format, {a}.nnz" if m else f"{a}.nnz"))


def _two(d, m, n):
    a, b = d.matrix((m, n)), d.matrix((m, n) if not d.chance(0.03) else (n, m + 1))
    square, x = d.matrix((n, d.extent())), d.dense((m, n))
    return d.pick((
        f"{a} + {b}", f"{a} - {b}", f"{a}.multiply({b})", f"{a} == {b}", f"{a} != {b}", f"{a} < {b}", f"{a} >= {b}",
        f"{a}.maximum({b})", f"{a}.minimum({b})", f"{a} @ {square}", f"{a} @ {d.dense((n,))}",
        f"{a} @ {d.dense((n, d.extent()))}", f"{d.dense((m,))} @ {a}", f"{d.dense((2, m))} @ {a}", f"{a} + {x}",
        f"{x} - {a}", f"{a}.multiply({x})", f"{a}.multiply({d.dense((n,))})", f"{a}.dot({d.dense((n,))})", f"{a} > {x}",
        f"{a} @ {b}.T", f"{a} / {x}", f"{a} * {d.matrix((n, m))}"))


def _indexed(d, m, n):
    a = d.matrix((m, n), format=d.pick(("csr", "csr", "csc", "coo", "lil", "dok")))
    if d.chance(0.3):
        return f"{a}[{d.index(m)}]"
    if d.chance(0.75):
        return f"{a}[{d.index(m)}, {d.index(n)}]"
    a = d.matrix((m, n), format=d.pick(("csr", "csc", "lil", "dok")))
    where = f"{d.index(m)}, {d.index(n)}" if d.chance(0.8) else d.index(m)
    return f"C({a}).set(({where}), {d.number()})" if ":" not in where else f"C({a}).set(s_[{where}], {d.number()})"


class Changed:
    """A matrix whose methods that change it return it."""

    def __init__(self, matrix):
        self.matrix = matrix

    def set(self, where, value):
        self.matrix[where] = value
        return self.matrix

    def __getattr__(self, name):
        def call(*args):
            getattr(self.matrix, name)(*args)
            return self.matrix
        return call


def _made(xp, s):
    """M and D of one of the libraries."""
    def array(values, char, shape):
        with np.errstate(all="ignore"):
            return np.array(values, "D" if char in "FD" else "d").reshape(shape).astype(char)

    def matrix(format, is_array, char, shape, values, odd):
        x = array(values, char, shape)
        make = getattr(s, f"{format}_{'array' if is_array else 'matrix'}")
        if not odd:
            return make(xp.asarray(x))
        rows, columns = np.nonzero(np.ones(shape) if odd == "zeros" else x)
        if odd == "unsorted":
            order = np.argsort(rows * 7 % 3 + columns * 5 % 4, kind="stable")
            rows, columns = rows[order], columns[order]
        data = x[rows, columns]
        if odd == "twice":
            rows, columns, data = (np.concatenate([v, v[::2]]) for v in (rows, columns, data))
        if format == "coo":
            return make((xp.asarray(data), (xp.asarray(rows), xp.asarray(columns))), shape=shape)
        major, minor = (rows, columns) if format == "csr" else (columns, rows)
        order = np.argsort(major, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(major, minlength=shape[format == "csc"]))])
        return make((xp.asarray(data[order]), xp.asarray(minor[order]), xp.asarray(starts)), shape=shape)
    return {"xp": xp, "s": s, "s_": np.s_, "M": matrix, "C": Changed,
            "D": lambda char, shape, values: xp.asarray(array(values, char, shape))}


NAMES = {}


def computed(text, xp):
    """The result, or the exception."""
    if xp not in NAMES:
        NAMES[xp] = _made(xp, scipy.sparse if xp is np else cp.scipy.sparse)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return eval(text, dict(NAMES[xp]))
        except Exception as e:  # noqa: BLE001
            return e


def _host(x):
    return x.get() if isinstance(x, cp.ndarray) else x


def differs(ours, theirs, exact=1e-12):
    """What is wrong in a word or two, or None.

    Parameters: exact: what float64 may differ by, of 1 and of the value."""
    if isinstance(theirs, Exception) or isinstance(ours, Exception):
        kinds = [kind(e) if isinstance(e, Exception) else None for e in (ours, theirs)]
        if None not in kinds and issubclass(*kinds):
            return None
        return "error: {} for {}".format(*(k.__name__ if k else "result" for k in kinds))
    if isinstance(theirs, tuple):
        if not isinstance(ours, tuple) or len(ours) != len(theirs):
            return "type: not a tuple of as many"
        return next((w for w in (differs(a, b, exact) for a, b in zip(ours, theirs)) if w), None)
    if scipy.sparse.issparse(theirs):
        if type(ours).__name__ != type(theirs).__name__:
            return f"type: {type(ours).__name__} for {type(theirs).__name__}"
        try:
            theirs = theirs.toarray()
        except (OverflowError, ValueError):
            return "SciPy's result has no elements that can be read"
        ours = ours.toarray()
    ours, theirs = np.asarray(_host(ours)), np.asarray(theirs)
    if ours.dtype != theirs.dtype:
        return f"type: {ours.dtype} for {theirs.dtype}"
    if ours.shape != theirs.shape:
        return f"shape: {ours.ndim} axes for {theirs.ndim}"
    exact = 0 if theirs.dtype.kind not in "fc" else 1e-5 if theirs.dtype.char in "fF" else exact
    with np.errstate(all="ignore"):
        fine = (ours == theirs) | (abs(ours.astype("D") - theirs) <= exact * (1 + abs(theirs.astype("D"))))
    return None if (fine | (ours != ours) & (theirs != theirs)).all() else "value"


class Matrices:
    """A family of expressions, as differential_families.py has them."""

    def __init__(self, makers, about):
        self.makers, self.about = makers, about

    def text(self, number):
        r = random.Random(f"matrices:{number}")
        d = Sources(r)
        return d.pick(self.makers)(d, d.extent(), d.extent())

    def names(self, number):
        return set()

    def verdict(self, number, careful=True):
        text = self.text(number)
        ours, theirs = computed(text, cp), computed(text, np)
        wrong = differs(ours, theirs)
        if wrong is None:
            return None
        for reason, holds in KNOWN.items():
            if holds(text, wrong, ours, theirs):
                return reason
        return Wrong(f"{_what(text)}: {wrong}", f"{wrong}: {ours!r} for {theirs!r}", number, text)


def _what(text):
    """The operation without its matrices."""
    bare = text
    while re.search(r"\b[MD]\([^()]*(\([^()]*\)[^()]*)*\)", bare):
        bare = re.sub(r"\b[MD]\([^()]*(\([^()]*\)[^()]*)*\)", lambda m: m[0][0].lower() + m[0][2:5].strip("'"), bare, 1)
    return re.sub(r"-?\d+(\.\d+)?", "0", bare)[:70]


def _is(*words):
    """Whether a message has one of the words."""
    return lambda text, wrong, ours, theirs: any(w in wrong for w in words)


def _shapes(text, wrong, ours, theirs):
    """A comparison of matrices of two shapes."""
    return re.search(r"\) (==|!=|<|>=|<=|>) M|imum\(M", text) and (
        isinstance(ours, ValueError) or isinstance(theirs, (bool, ValueError)))


def _twice(text, wrong, ours, theirs):
    """Elements of bool that are there twice."""
    return wrong == "value" and re.search(r"'\?', \(\d+, \d+\), .*'twice'", text)


def _kinds(text, wrong, ours, theirs):
    """A product or comparison of an array and a matrix, or of two formats."""
    return scipy.sparse.issparse(theirs) and wrong.startswith("type: ") and re.search(
        r"\) [*+] M|\) / D|multiply", text)


def _rows_and_slice(text, wrong, ours, theirs):
    """Rows by numbers and columns by a slice that has a step."""
    return re.search(r"\[(\[|xp\.array).*\], .*:.*\]$", text) and (
        isinstance(theirs, (ValueError, np.ndarray)) and not isinstance(ours, Exception))


def _one_row(text, wrong, ours, theirs):
    return wrong == "shape: 1 axes for 0" and "'coo'" in text


def _not_stored(text, wrong, ours, theirs):
    return wrong == "value" and text.startswith("M('dia'") and ") / D(" in text


def _halves(text, wrong, ours, theirs):
    return re.search(r"'(dia|lil|dok)', \w+, '[?bB]'.*\.(sqrt|expm1|floor)\(\)$", text) and isinstance(ours, ValueError)


def _first_type(text, wrong, ours, theirs):
    """A sum of diagonals, which SciPy adds in place, or their product, where SciPy's memory is wrong."""
    return re.search(r"^M\('dia'.*\) ([-+*@] M\('dia'|\*\* )", text) and (
        isinstance(theirs, (TypeError, RuntimeError)) or "type" in wrong or wrong == "value" and _dense_is(text, ours))


def _dense_is(text, ours):
    """Whether a sum of two matrices is the one of the arrays that they are made of."""
    if not re.search(r"^M\([^()]*(\([^()]*\)[^()]*)*\) [-+] M\([^()]*(\([^()]*\)[^()]*)*\)$", text):
        return False

    def dense(form, array, dtype, shape, values, how):
        return np.array(values, dtype).reshape(shape)
    want = eval(text, {"M": dense})
    got = np.asarray(_host(ours.toarray()))
    return got.dtype == want.dtype and (got == want).all()


def _no_elements(text, wrong, ours, theirs):
    return wrong.startswith("type: ") and 0 in theirs.shape and "'dia'" in text


def _lists(text, wrong, ours, theirs):
    return re.search(r"^M\('(lil|dok)', \w+, '[?bBhiqQ]'.*\) / ", text) and not isinstance(ours, Exception)


def _no_matrix(text, wrong, ours, theirs):
    return "too large to be a matrix" in str(theirs)


def _more(text, wrong, ours, theirs):
    return isinstance(theirs, AttributeError)


def _no_diagonals(text, wrong, ours, theirs):
    return text.startswith("M('dia'") and "cannot reshape array of size 0" in str(theirs)


#: differences, with their reasons
KNOWN = {
    "SciPy's list of lists has numbers that its type cannot hold": _is("can be read"),
    "every format has every method, with csr's errors": _more,
    "shapes broadcast in comparisons; where they do not, all are a ValueError": _shapes,
    "an element of bool that is there twice is True, not 2": _twice,
    "the result is of the first operand's class": _kinds,
    "SciPy's slices of chosen rows fail, or are dense, where the slice has a step": _rows_and_slice,
    "one row times a vector has one element and one axis": _one_row,
    "zeros that a diagonal stores are divided as those that it does not": _not_stored,
    "there are no sparse matrices of float16": _halves,
    "the type of no diagonals": _no_elements,
    "SciPy's sums of matrices of float32 fail now and then": _no_matrix,
    "SciPy adds diagonals in place, in the first one's type": _first_type,
    "SciPy's lists of integers keep their type when they are divided": _lists,
    "SciPy cannot make a power of diagonals that do not meet": _no_diagonals,
}
FAMILIES = {"sparse": Matrices((_one, _one, _two, _two, _indexed), "sparse matrices: operations, products, indices")}
