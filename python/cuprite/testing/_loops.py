"""Decorators that run a test once for each of several types, orders or axes, passed by name."""
import functools
import inspect
import itertools
import os
import unittest

import numpy

_COMPLEX = (numpy.complex64, numpy.complex128)
_FLOATS = (numpy.float64, numpy.float32, numpy.float16)
_SIGNED = (numpy.int8, numpy.int16, numpy.int32, numpy.int64)
_UNSIGNED = (numpy.uint8, numpy.uint16, numpy.uint32, numpy.uint64)


def as_without(test, names):
    """functools.wraps for a function that passes these arguments itself: pytest must look for the others only."""
    def decorate(run):
        run = functools.wraps(test)(run)
        del run.__wrapped__
        given = inspect.signature(test)
        run.__signature__ = given.replace(parameters=[p for n, p in given.parameters.items() if n not in names])
        return run
    return decorate


def _each(names, cases):
    """Decorator: the test once for each dict of arguments in cases(test's own arguments). All of them skipped: so is
    the test."""
    def decorate(test):
        @as_without(test, names)
        def run(*args, **kwargs):
            skipped, count = [], 0
            for words in cases(*args):
                count += 1
                try:
                    test(*args, **{**kwargs, **words})
                except unittest.SkipTest as e:
                    skipped.append(e)
                except Exception:
                    print(", ".join(f"{name} is {getattr(v, '__name__', v)}" for name, v in words.items()))
                    raise
            if skipped and len(skipped) == count:
                raise unittest.SkipTest("; ".join(sorted({str(e) for e in skipped})))
        return run
    return decorate


def _for(name, values):
    values = list(values)
    return _each([name], lambda *args: [{name: v} for v in values])


def for_dtypes(dtypes, name="dtype"):
    """Decorator: the test runs for each of the types.

    Parameters: dtypes: a sequence of types; name: the argument that gets it."""
    return _for(name, [numpy.dtype(d).type for d in dtypes])


def _ints(no_bool):
    return _SIGNED + _UNSIGNED + (() if no_bool else (numpy.bool_,))


def _all(no_float16, no_bool, no_complex):
    floats = _FLOATS[:2] if no_float16 else _FLOATS
    return (() if no_complex else _COMPLEX) + floats + _ints(no_bool)


def for_all_dtypes(name="dtype", no_float16=False, no_bool=False, no_complex=False):
    """for_dtypes of booleans, integers, floats and complex numbers.

    Parameters: name: the argument that gets it; no_float16: True: without float16; no_bool: True: without bool;
        no_complex: True: without complex numbers."""
    return for_dtypes(_all(no_float16, no_bool, no_complex), name)


def for_float_dtypes(name="dtype", no_float16=False):
    """for_dtypes of floats.

    Parameters: name: the argument that gets it; no_float16: True: without float16."""
    return for_dtypes(_FLOATS[:2] if no_float16 else _FLOATS, name)


def for_signed_dtypes(name="dtype"):
    """for_dtypes of signed integers.

    Parameters: name: the argument that gets it."""
    return for_dtypes(_SIGNED, name)


def for_unsigned_dtypes(name="dtype"):
    """for_dtypes of unsigned integers.

    Parameters: name: the argument that gets it."""
    return for_dtypes(_UNSIGNED, name)


def for_int_dtypes(name="dtype", no_bool=False):
    """for_dtypes of integers and booleans.

    Parameters: name: the argument that gets it; no_bool: True: without bool."""
    return for_dtypes(_ints(no_bool), name)


def for_complex_dtypes(name="dtype"):
    """for_dtypes of complex numbers.

    Parameters: name: the argument that gets it."""
    return for_dtypes(_COMPLEX, name)


def for_dtypes_combination(types, names=("dtype",), full=None):
    """Decorator: the test runs for combinations of types, one for each name. full: for all of them (None: where the
    environment says CUPY_TEST_FULL_COMBINATION=1); else each type comes under each name at least once, beside another
    one each time.

    Parameters: types: a sequence of types; names: the arguments that get them; full: True or False, or None: as the
        environment says."""
    types, names = list(types), list(names)
    if full is None:
        full = os.environ.get("CUPY_TEST_FULL_COMBINATION", "0") == "1"
    if full:
        chosen = list(itertools.product(types, repeat=len(names)))
    else:
        n = len(types)
        chosen = [tuple(types[(i + k * shift) % n] for k in range(len(names))) for shift in range(min(n, 3))
                  for i in range(n)]
        chosen = list(dict.fromkeys(chosen))
    return _each(names, lambda *args: [dict(zip(names, c)) for c in chosen])


def for_all_dtypes_combination(names=("dtyes",), no_float16=False, no_bool=False, full=None, no_complex=False):
    """for_dtypes_combination of all types.

    Parameters: names: the arguments that get them; no_float16: True: without float16; no_bool: True: without bool;
        full: True or False, or None: as the environment says; no_complex: True: without complex numbers."""
    return for_dtypes_combination(_all(no_float16, no_bool, no_complex), names, full)


def for_signed_dtypes_combination(names=("dtype",), full=None):
    """for_dtypes_combination of signed integers.

    Parameters: names: the arguments that get them; full: True or False, or None: as the environment says."""
    return for_dtypes_combination(_SIGNED, names, full)


def for_unsigned_dtypes_combination(names=("dtype",), full=None):
    """for_dtypes_combination of unsigned integers.

    Parameters: names: the arguments that get them; full: True or False, or None: as the environment says."""
    return for_dtypes_combination(_UNSIGNED, names, full)


def for_int_dtypes_combination(names=("dtype",), no_bool=False, full=None):
    """for_dtypes_combination of integers and booleans.

    Parameters: names: the arguments that get them; no_bool: True: without bool; full: True or False, or None: as the
        environment says."""
    return for_dtypes_combination(_ints(no_bool), names, full)


def for_orders(orders, name="order"):
    """Decorator: the test runs for each order.

    Parameters: orders: a sequence of letters; name: the argument that gets it."""
    return _for(name, orders)


def for_CF_orders(name="order"):
    """for_orders of "C" and "F", and of None, which means "C".

    Parameters: name: the argument that gets it."""
    return for_orders([None, "C", "F", "c", "f"], name)


def for_contiguous_axes(name="axis"):
    """Decorator of methods: the test runs for each tuple of axes that lie together in memory, of the test's `shape` in
    its `order`.

    Parameters: name: the argument that gets it.
    Errors: ValueError for an order that is neither C nor F."""
    def cases(self, *args):
        ndim, order = len(self.shape), self.order
        if order not in ("c", "C", "f", "F"):
            raise ValueError(f"Please specify the order, C or F, not {order!r}")
        axes = range(ndim)
        return [{name: tuple(axes[ndim - k:] if order in "cC" else axes[:k])} for k in range(1, ndim + 1)]
    return _each([name], cases)
