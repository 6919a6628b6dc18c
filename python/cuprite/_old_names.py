"""Names that NumPy 2 removed and CuPy's programs still use: each is, or calls, the function of today's name."""
from numpy import complex64 as singlecomplex  # noqa: F401
from numpy import complex128 as cfloat  # noqa: F401
from numpy import complex128 as complex_  # noqa: F401
from numpy import float64 as float_  # noqa: F401

import cuprite
from cuprite._core import ndarray

__all__ = [
    "Inf", "Infinity", "NAN", "NINF", "NZERO", "NaN", "PINF", "PZERO", "alltrue", "asfarray", "cfloat", "complex_",
    "cumproduct", "disable_experimental_feature_warning", "disp", "float_", "get_array_wrap", "infty", "product",
    "safe_eval", "set_string_function", "singlecomplex", "sometrue", "trapz", "who",
]

Inf = Infinity = infty = PINF = float("inf")
NINF = -Inf
NAN = NaN = float("nan")
PZERO, NZERO = 0.0, -0.0
disable_experimental_feature_warning = False  # nothing here warns of that


def alltrue(a, axis=None, out=None, keepdims=False) -> ndarray:
    """The old name of all.

    Parameters: a: an array; axis: an axis, several, or None: all; out: an array that takes the result (None: a new
        one); keepdims: True: the axes stay, with length 1."""
    return cuprite.all(a, axis=axis, out=out, keepdims=keepdims)


def sometrue(a, axis=None, out=None, keepdims=False) -> ndarray:
    """The old name of any.

    Parameters: a: an array; axis: an axis, several, or None: all; out: an array that takes the result (None: a new
        one); keepdims: True: the axes stay, with length 1."""
    return cuprite.any(a, axis=axis, out=out, keepdims=keepdims)


def product(a, axis=None, dtype=None, out=None, keepdims=False) -> ndarray:
    """The old name of prod.

    Parameters: a: an array; axis: an axis, several, or None: all; dtype: the element type of the result (None: what
        the operands give); out: an array that takes the result (None: a new one); keepdims: True: the axes stay,
        with length 1."""
    return cuprite.prod(a, axis=axis, dtype=dtype, out=out, keepdims=keepdims)


def cumproduct(a, axis=None, dtype=None, out=None) -> ndarray:
    """The old name of cumprod.

    Parameters: a: an array; axis: an axis (None: flattened); dtype: the element type of the result (None: what the
        operands give); out: an array that takes the result (None: a new one)."""
    return cuprite.cumprod(a, axis=axis, dtype=dtype, out=out)


def trapz(y, x=None, dx=1.0, axis=-1) -> ndarray:
    """The old name of trapezoid.

    Parameters: y: an array; x: coordinates of the samples, or None; dx: their distance; axis: an axis (negative ones
        count from the last)."""
    return cuprite.trapezoid(y, x, dx, axis)


def asfarray(a, dtype="float64") -> ndarray:
    """asarray of a floating type, float64 where the dtype is none."""
    dtype = cuprite.dtype(dtype)
    return cuprite.asarray(a, dtype=dtype if dtype.kind in "fc" else "float64")


def disp(mesg, device=None, linefeed=True) -> None:
    """Writes str() of an object to a file object, standard output by default.

    Parameters: mesg: any object; device: a file object; linefeed: True: with a line feed."""
    import sys
    device = sys.stdout if device is None else device
    device.write(str(mesg) + "\n" * bool(linefeed))
    device.flush()


def safe_eval(source):
    """The value of a string of literals, as ast.literal_eval.

    Parameters: source: a string.
    Errors: ValueError or SyntaxError for anything else."""
    import ast
    return ast.literal_eval(source)


def get_array_wrap(*args):
    """The __array_wrap__ of the object with the highest priority, the first of those; None where none has one."""
    found = [x for x in args if hasattr(x, "__array_wrap__")]
    return max(found, key=lambda x: getattr(x, "__array_priority__", 0)).__array_wrap__ if found else None


def set_string_function(f, repr=True) -> None:
    """From now on f(array) is what repr(), or with repr=False str(), gives for an array; None: NumPy's text again.

    Parameters: f: a function of an array, or None; repr: True or False.
    Errors: TypeError for what is neither."""
    from cuprite import _printing
    if f is not None and not callable(f):
        raise TypeError("Argument must be callable or None.")
    _printing.chosen["repr" if repr else "str"] = f


def who(vardict=None) -> None:
    """Prints name, shape, bytes and type of the arrays in a dict, by default among the caller's global names.

    Parameters: vardict: a dict of names, or None."""
    import sys
    if vardict is None:
        vardict = sys._getframe(1).f_globals
    rows, seen, total = [], {}, 0
    for name, x in vardict.items():
        if not isinstance(x, ndarray):
            continue
        known = seen.setdefault(x.data.ptr, name) if x.size else name
        rows.append((name, " x ".join(map(str, x.shape)), str(x.nbytes) + f" ({known})" * (known != name),
                     x.dtype.name))
        total += x.nbytes if known == name else 0
    titles = ("Name", "Shape", "Bytes", "Type")
    widths = [max(len(row[i]) for row in [titles, *rows]) + 4 for i in range(4)]
    for row in [titles, *rows] if rows else []:
        print("".join(word.ljust(width) for word, width in zip(row, widths)).rstrip())
        if row is titles:
            print("=" * (sum(widths) - 4))
    print(f"Upper bound on total bytes: {total}")
