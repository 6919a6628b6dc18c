"""Printing of arrays, as NumPy prints the shown elements: by C where it supports all options that are set, else by
NumPy.

Invariant: only the elements at the ends of a summarised array are copied to the host. Those between them in NumPy's
array are never touched, so its pages are never allocated.
"""
from __future__ import annotations

import numpy

from cuprite._core import _array_string, asnumpy, concatenate, ndarray
from cuprite._foreign import FOREIGN

__all__ = ["array2string", "array_repr", "array_str"]

_SMALL = 1 << 16  # bytes that are fetched whole
# What C writes: NumPy's text from 2.4 on, with these options.
_KNOWN = {"floatmode": "maxprec", "nanstr": "nan", "infstr": "inf", "sign": "-", "formatter": None, "legacy": False,
          "override_repr": None}
_LIKE_C = tuple(map(int, numpy.__version__.split(".")[:2])) >= (2, 4)


def _text(x, is_repr):
    """str(x) or repr(x) with NumPy's options, written by C; None where it does not know them."""
    o = numpy.get_printoptions()
    numbers = precision, threshold, edge, width = o["precision"], o["threshold"], o["edgeitems"], o["linewidth"]
    if (_LIKE_C and isinstance(x, ndarray) and x._type not in FOREIGN and all(o.get(k) == v for k, v in _KNOWN.items())
            and all(type(n) is int and 0 <= n < 1 << 31 for n in numbers) and edge and width):
        return _array_string(x, is_repr, precision or -1, threshold or -1, edge, width, o["suppress"])
    return None


def shown(x, threshold=None, edgeitems=None):
    """A NumPy array that is printed as x is; of a type that NumPy lacks with float32's elements."""
    if not isinstance(x, ndarray):
        return numpy.asarray(x)
    options = numpy.get_printoptions()
    threshold = options["threshold"] if threshold is None else threshold
    edge = options["edgeitems"] if edgeitems is None else edgeitems
    if x.nbytes <= _SMALL or not (isinstance(edge, int) and edge > 0 and x.size > threshold):
        return asnumpy(x.astype("f4") if x.dtype.name in FOREIGN else x)
    places = []
    for axis, extent in enumerate(x.shape):
        every = extent <= 2 * edge
        places.append([*range(extent)] if every else [*range(edge), *range(extent - edge, extent)])
    full = x.shape
    for axis, extent in enumerate(full):
        if extent > 2 * edge:
            before = (slice(None),) * axis
            x = concatenate((x[(*before, slice(0, edge))], x[(*before, slice(extent - edge, extent))]), axis)
    ends = asnumpy(x.astype("f4") if x.dtype.name in FOREIGN else x)
    host = numpy.empty(full, ends.dtype)
    host[numpy.ix_(*places)] = ends
    return host


def _named(text, a):
    """Text that names the type it was printed from, with a's own."""
    name = getattr(getattr(a, "dtype", None), "name", None)
    return text.replace("dtype=float32", f"dtype={name}") if name in FOREIGN else text


def array2string(a, *args, **kwargs) -> str:
    """numpy.array2string of the elements. Further arguments are NumPy's.

    Parameters: a: an array.

    Example:
        >>> cp.array2string(cp.arange(3))
        '[0 1 2]'
    """
    return numpy.array2string(shown(a, kwargs.get("threshold"), kwargs.get("edgeitems")), *args, **kwargs)


def array_repr(arr, max_line_width=None, precision=None, suppress_small=None) -> str:
    """numpy.array_repr of the elements.

    Parameters: arr: an array; max_line_width: columns; precision: digits; suppress_small: True: very small numbers
        are shown as 0."""
    if max_line_width is precision is suppress_small is None and (text := _text(arr, True)) is not None:
        return text
    return _named(numpy.array_repr(shown(arr), max_line_width, precision, suppress_small), arr)


def array_str(a, max_line_width=None, precision=None, suppress_small=None) -> str:
    """numpy.array_str of the elements.

    Parameters: a: an array; max_line_width: columns; precision: digits; suppress_small: True: very small numbers are
        shown as 0."""
    if max_line_width is precision is suppress_small is None and (text := _text(a, False)) is not None:
        return text
    return numpy.array_str(shown(a), max_line_width, precision, suppress_small)


chosen = {"repr": None, "str": None}  # what set_string_function was given


def repr_of(x):
    """repr(x)."""
    return array_repr(x) if chosen["repr"] is None else chosen["repr"](x)


def str_of(x):
    """str(x)."""
    return array_str(x) if chosen["str"] is None else chosen["str"](x)


_WIDTH, _LINES = 79, 20  # of what a named tuple takes of a screen


def named_tuple(result):
    """The repr of a named tuple of arrays, which fits a screen: in a line where it fits, else a field a line. Where
    that is too long, arrays of several lines are shown by their shape and type.

    Parameters: result: a named tuple."""
    name, fields = type(result).__name__, result._fields
    texts = [repr(value) for value in result]
    line = f"{name}({', '.join(f'{f}={t}' for f, t in zip(fields, texts))})"
    if len(line) <= _WIDTH and "\n" not in line:
        return line
    if sum(t.count("\n") + 1 for t in texts) > _LINES:
        texts = [f"<array of shape {v.shape}, {v.dtype}>" if "\n" in t and hasattr(v, "dtype") else t
                 for v, t in zip(result, texts)]
    rows = [f"    {f}=" + t.replace("\n", "\n" + " " * (len(f) + 5)) for f, t in zip(fields, texts)]
    return f"{name}(\n" + ",\n".join(rows) + ")"
