"""numpy.lib.scimath (numpy.emath): functions whose results are complex where they must be: sqrt(-1) is 1j. Elements are
checked for that, which waits for the device."""
import cuprite
from cuprite._support import _own_asarray
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)

__all__ = ["arccos", "arcsin", "arctanh", "log", "log10", "log2", "logn", "power", "sqrt"]


def _complex_where(x, asks):
    """x as complex numbers where one of its elements asks for them, single ones of small types."""
    x = _own_asarray(x)
    if x.dtype.kind == "c" or not bool(asks(x).any()):
        return x
    small = x.dtype.itemsize < 4 or x.dtype == "float32"
    return x.astype("complex64" if small else "complex128")


def _negative(x):
    return x < 0


def _beyond_one(x):
    return abs(x) > 1


def _of_one(name, asks, doc):
    """cuprite's function of that name, of complex numbers where an element asks for them."""
    def function(x):
        return getattr(cuprite, name)(_complex_where(x, asks))
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{doc}\n\n    Parameters: x: an array or a number."
    return function


sqrt = _of_one("sqrt", _negative, "The square root; of negative numbers imaginary.")
log = _of_one("log", _negative, "The natural logarithm; complex where a number is negative.")
log10 = _of_one("log10", _negative, "The logarithm to base 10; complex where a number is negative.")
log2 = _of_one("log2", _negative, "The logarithm to base 2; complex where a number is negative.")
arccos = _of_one("arccos", _beyond_one, "The inverse cosine; complex beyond 1.")
arcsin = _of_one("arcsin", _beyond_one, "The inverse sine; complex beyond 1.")
arctanh = _of_one("arctanh", _beyond_one, "The inverse hyperbolic tangent; complex beyond 1.")


def logn(n, x):
    """The logarithm of x to base n; complex where one of them is negative.

    Parameters: n: the base, a number or an array; x: an array or a number."""
    return cuprite.log(_complex_where(x, _negative)) / cuprite.log(_complex_where(n, _negative))


def power(x, p):
    """x to the power p; complex where x is negative, and real where integers have negative powers.

    Parameters: x: an array or a number; p: an array or a number."""
    p = _own_asarray(p)
    if p.dtype.kind in "iu" and bool((p < 0).any()):
        p = p.astype("float64")
    return cuprite.power(_complex_where(x, _negative), p)
