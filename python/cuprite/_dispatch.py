"""NumPy's ufuncs and functions on Cuprite's arrays: np.add(x, 1), np.median(x)."""
import functools
import inspect

import numpy

import cuprite
from cuprite._core import ndarray
from cuprite._support import ufuncs_of


def _of_subclass(ufunc, method, inputs, out, options):
    """What a subclass's own __array_ufunc__ finds in its base: the operation itself, where no other class answers."""
    for x in (*inputs, *(out or ())):
        if isinstance(x, ndarray) and type(x).__array_ufunc__ is not ndarray.__array_ufunc__:
            return NotImplemented
    if out is not None:
        options["out"] = out if method == "__call__" else out[0]
    return getattr(ufunc, method)(*inputs, **options)


def array_ufunc(ufunc, method, *inputs, out=None, **options):
    if isinstance(ufunc, cuprite.ufunc):
        return _of_subclass(ufunc, method, inputs, out, options)
    # A NumPy scalar on the left of a comparison comes as a 0-d array.
    inputs = [x[()] if isinstance(x, numpy.ndarray) and x.ndim == 0 else x for x in inputs]
    for x in inputs[:1] + inputs[2:] if method in ("at", "reduceat") else inputs:  # the second one is an index
        if isinstance(x, numpy.ndarray):
            raise TypeError(f"Unsupported type {type(x)}")
        if not isinstance(x, (ndarray, numpy.generic, int, float, complex)):
            return NotImplemented
    if out is not None:
        for x in out:
            if isinstance(x, numpy.ndarray):
                raise TypeError(f"Unsupported type {type(x)}")
        options["out"] = out
    ours = getattr(cuprite, ufunc.__name__, None) or ufuncs_of("scipy.special").get(ufunc.__name__)
    if ours is None or not callable(ours):
        return NotImplemented
    if method == "__call__":
        return ours(*inputs, **options)
    ours = getattr(ours, method, None)
    return NotImplemented if ours is None else ours(*inputs, **options)


@functools.lru_cache(maxsize=None)
def _needed(function):
    """The names of the arguments that NumPy's function has to be given."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return ()
    return tuple(p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD and p.default is p.empty)


def array_function(function, types, args, kwargs):
    if not all(issubclass(t, (ndarray, numpy.ndarray)) for t in types):
        return NotImplemented
    ours = cuprite
    for name in function.__module__.split(".")[1:] + [function.__name__]:
        ours = getattr(ours, name, None)
        if ours is None:
            return NotImplemented
    if ours is function:
        return NotImplemented
    # Required arguments are passed by position: some of CuPy's names are not NumPy's.
    for name in _needed(function)[len(args):] if kwargs else ():
        if name not in kwargs:
            break
        args += kwargs.pop(name),
    return ours(*args, **kwargs)
