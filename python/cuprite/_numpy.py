"""NumPy for the modules few of whose calls need it: each name is looked up there when it is first used.

    from cuprite import _numpy as numpy

Invariant: importing this imports nothing, and neither does a question that no object of NumPy's is needed for: there(),
iterable(), isscalar(), ndim(), broadcast_shapes()."""
import sys
from builtins import max as _longest  # names of NumPy's come to stand here, `max` among them
from numbers import Number as _Number


def __getattr__(name):
    if name.startswith("__"):  # the import system asks for __path__
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import numpy
    value = globals()[name] = getattr(numpy, name)
    return value


def there(name, module="numpy"):
    """NumPy's class of this name, for isinstance; () until a program has imported NumPy: no object is one before."""
    return getattr(sys.modules.get(module), name, ())


def iterable(x):
    """numpy.iterable."""
    try:
        iter(x)
    except TypeError:
        return False
    return True


def isscalar(x):
    """numpy.isscalar."""
    return isinstance(x, (_Number, str, bytes, memoryview, there("generic")))


def ndim(x):
    """numpy.ndim."""
    if isinstance(x, (_Number, str)):
        return 0
    n = getattr(x, "ndim", None)
    return __getattr__("asarray")(x).ndim if n is None else n


def broadcast_shapes(*shapes):
    """numpy.broadcast_shapes, of tuples."""
    most, result = _longest(map(len, shapes), default=0), []
    for lengths in zip(*((1,) * (most - len(s)) + tuple(s) for s in shapes)):
        others = {*lengths} - {1}
        if len(others) > 1:
            raise ValueError(f"shape mismatch: {', '.join(map(str, shapes))} cannot be broadcast to a single shape")
        result.append(others.pop() if others else 1)
    return tuple(result)
