"""Numba's decorators for functions of the host. Kernels can call what they decorate; the host runs it compiled, where
it can be (_native.py), else as Python."""
import builtins
import functools

from cuprite._compiler.ast.intrinsics import Range
from cuprite._compiler.ast.rules import Numba
from cuprite._compiler.ast.types import VOID, Array, Scalar, Tuple
from cuprite._compiler.numba._pickled import Pickled
from cuprite._compiler.numba._matching import NEVER, distance

RULES = Numba()
_PYTHON = {"b": bool, "i": int, "u": int, "f": float, "c": complex}


class HostFunction(Pickled):
    """A function of the host that kernels can call too."""
    _is_device_function, _rules = True, RULES

    def __init__(self, function, signatures=(), native=True, zero=True):
        self._function = self.py_func = function
        self._native, self._zero, self._made = native, zero, {}
        functools.update_wrapper(self, function)
        self._given = list(signatures)

    def _options(self):
        return self._given, self._native, self._zero

    @functools.cached_property
    def _signatures(self):
        """[(argument types, type of the result or None)], of those that it was given."""
        from cuprite._compiler.numba import _types
        return [(tuple(map(_types.to_kernel_type, s.args)),
                 None if s.return_type is None else _types.to_kernel_type(s.return_type)) for s in self._given]

    signatures = property(lambda self: [s.args for s in self._given] or list(self._made),
                          doc="The types that it was given, or was called with.")

    def __call__(self, *args, **kwargs):
        from cuprite._compiler.numba import _native
        if kwargs or len(args) != self._function.__code__.co_argcount:
            import inspect
            bound = inspect.signature(self._function).bind(*args, **kwargs)
            bound.apply_defaults()
            if bound.kwargs or len(bound.args) != self._function.__code__.co_argcount:
                return _plain(self._function(*bound.args, **bound.kwargs))
            args = bound.args
        try:
            types = tuple([_native.type_of(a) for a in args])
        except (_native.Declined, TypeError, ValueError):
            types = None
        result = None
        if self._given and types is not None:
            types, args, result = self._chosen(types, args)
        made = self._compiled(types) if types is not None and self._native else None
        if made is None:
            import numpy
            with numpy.errstate(all="ignore"):
                value = _plain(self._function(*map(_weak, args)))
        else:
            value, by_zero = made(args)
            if by_zero and self._zero:
                raise ZeroDivisionError("division by zero")
        return value if result is None else _as(value, result)

    def _chosen(self, types, args):
        """(types, arguments, type of the result) of the signature that fits best."""
        wanted, result = min(self._signatures, key=lambda s: distance(s[0], types))
        if distance(wanted, types) >= NEVER:
            raise TypeError(f"No matching definition for argument type(s) {', '.join(map(repr, types))}")
        types = tuple([t if isinstance(t, Array) else w for w, t in zip(wanted, types)])
        return types, tuple([_as(a, w) for a, w in zip(args, wanted)]), result

    def _compiled(self, types):
        if types not in self._made:
            from cuprite._compiler.numba import _native
            self._made[types] = _native.compiled(self._function, types) if _native.usable() else None
        return self._made[types]

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self):
        return f"<numba function {self.__name__}>"


def _as(x, t):
    """A number as one of the type t, Python's number."""
    if t is VOID:
        return None
    if isinstance(t, Tuple):
        return tuple([_as(a, b) for a, b in zip(x, t.items)])
    if not isinstance(t, Scalar):
        return x
    import numpy
    if t.kind in "iu" and not isinstance(x, (complex, numpy.complexfloating)):
        x = int(x) % (1 << 8 * t.size)
        return x - (1 << 8 * t.size) if t.kind == "i" and x >> (8 * t.size - 1) else x
    return t.dtype.type(x).item()


def _plain(x):
    """Results are Python's numbers."""
    import numpy
    if isinstance(x, numpy.generic) and x.dtype.kind in _PYTHON:
        return x.item()
    return tuple(map(_plain, x)) if type(x) is tuple else x


def _weak(x):
    """NumPy's integers and truth values as Python's, which compute in 64 bits or more."""
    import numpy
    return x.item() if isinstance(x, (numpy.integer, numpy.bool_)) else x


def jit(signature_or_function=None, forceobj=False, error_model="python", **options):
    """A function that kernels can call; the host runs it compiled, where it can be, else as Python.

    Parameters: signature_or_function: the function, or a signature; forceobj: True: it always runs as Python;
        error_model: 'python' or 'numpy': what division by zero does."""
    if callable(signature_or_function) and hasattr(signature_or_function, "__code__"):
        return HostFunction(signature_or_function, (), not forceobj, error_model == "python")
    from cuprite._compiler.numba import _types
    given = signature_or_function
    if given is None:
        signatures = []
    elif isinstance(given, list) and not _types.is_signature(given):
        signatures = [_types.signature(s) for s in given]
    else:
        signatures = [_types.signature(given)]

    def decorate(function):
        return HostFunction(getattr(function, "_function", function), signatures, not forceobj,
                            error_model == "python")
    return decorate


def njit(signature_or_function=None, **options):
    """jit, which has no other mode here.

    Parameters: signature_or_function: the function, or a signature."""
    return jit(signature_or_function, **options)


def stencil(*args, **kwargs):
    """Stencils are not there: a kernel of cuda.jit does the same.

    Errors: NotImplementedError always."""
    raise NotImplementedError("numba.stencil is not there: write a kernel, or use scipy.ndimage.correlate")


class _Prange(Range):
    """range, as kernels and the host see it."""

    def __call__(self, *args):
        return builtins.range(*args)


prange = _Prange("prange", doc="prange(start, stop, step): range, as kernels and the host see it.")


def threading_layer() -> str:
    """Whose threads do parallel work: the library's own, which is what this word stands for in Numba."""
    return "workqueue"


def get_num_threads() -> int:
    """How many threads the CPU device uses."""
    from cuprite import _device
    return _device.threads()


def set_num_threads(n) -> None:
    """Sets how many threads the CPU device uses.

    Parameters: n: how many.
    Errors: ValueError for a number below 1."""
    from cuprite import _device
    _device.threads(n)
