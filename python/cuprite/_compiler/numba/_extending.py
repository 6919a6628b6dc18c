"""numba.extending: what a kernel calls in place of a function of the host, chosen by the types of the arguments.

An overload is asked for an implementation with Numba's types; the implementation becomes a device function. Overloads
of the target of a kernel ('cuda'; 'cpu' on the host) come before those of all ('generic'), later ones before earlier.
"""
import functools

from cuprite._compiler.ast.intrinsics import ADDED, Intrinsic
from cuprite._compiler.numba.errors import TypingError

_functions, _attributes, _methods = {}, [], []
_TARGETS = ("generic", "cpu", "cuda", "gpu")


def overload(func, jit_options=None, strict=True, inline="never", prefer_literal=False, target=None, **kwargs):
    """Decorator: a function of types gives what kernels call where they call `func`, or None.

    Parameters: func: a function of the host; jit_options, strict, inline, prefer_literal: have no effect; target:
        'generic' (as None), 'cpu' or 'cuda': where it is meant; kwargs: target alone.
    Errors: ValueError for another target."""
    target = _target(target, jit_options)

    def decorate(chooser):
        _functions.setdefault(func, []).append((target, chooser))
        return chooser
    return decorate


def _target(target, options):
    target = target or (options or {}).get("target") or "generic"
    if target not in _TARGETS:
        raise ValueError(f"overload: the target is one of {', '.join(_TARGETS)}, not {target!r}")
    return "cuda" if target == "gpu" else target


def overload_attribute(typ, attr, **kwargs):
    """Decorator: a function of a type gives the function of a value that is its attribute.

    Parameters: typ: a type or a class of types; attr: the attribute's name; kwargs: target, as overload has it."""
    return _member(_attributes, typ, attr, kwargs)


def overload_method(typ, attr, **kwargs):
    """Decorator: a function of types gives the function that is a method of the first.

    Parameters: typ: a type or a class of types; attr: the method's name; kwargs: target, as overload has it."""
    return _member(_methods, typ, attr, kwargs)


def _member(table, typ, attr, options):
    target = _target(options.get("target"), options.get("jit_options"))

    def decorate(chooser):
        table.append((typ, attr, target, chooser))
        return chooser
    return decorate


def register_jitable(*args, **kwargs):
    """Decorator: kernels may call this function, which stays what it is on the host.

    Parameters: args: the function, or none; kwargs: have no effect."""
    def decorate(function):
        _functions.setdefault(function, []).append(("generic", lambda *a, **k: function))
        return function
    return decorate(args[0]) if args and callable(args[0]) else decorate


def intrinsic(*args, **kwargs):
    """Decorator of functions that write LLVM's instructions, which no kernel of Cuprite is made of: the function can be
    defined, and a kernel that calls it does not compile.

    Parameters: args: the function, or none; kwargs: have no effect."""
    def refused(function):
        def write(tr, *values, **named):
            raise NotImplementedError(f"{function.__name__} is an intrinsic, which writes LLVM's instructions: kernels "
                                      "are compiled by way of CUDA C++ (docs/from-numba.md)")
        return Intrinsic(function.__name__, write, function.__doc__)
    return refused(args[0]) if args and callable(args[0]) else refused


def is_jitted(function):
    """Whether a function was made by njit, jit or cuda.jit.

    Parameters: function: any object."""
    return bool(getattr(function, "_is_device_function", False))


def _types_of(values):
    from cuprite._compiler.numba import _types
    return [_types.of_value(v) for v in values]


def _ordered(tr, rows):
    """The choosers of rows (target, chooser) for this kernel's target, the best first."""
    mine = "cpu" if tr.rules.notes_zero else "cuda"
    return [c for wanted in (mine, "generic") for t, c in reversed(rows) if t == wanted]


def _chosen(tr, rows, arguments, named):
    for chooser in _ordered(tr, rows):
        made = chooser(*_types_of(arguments), **dict(zip(named, _types_of(named.values()))))
        if made is not None:
            return made
    return None


def call(tr, f, arguments, named):
    """The call of a function with overloads; None where it has none."""
    try:
        rows = _functions.get(f)
    except TypeError:  # what cannot be a key was never one
        return None
    if rows is None:
        return None
    made = _chosen(tr, rows, arguments, named)
    if made is None:
        raise TypingError(f"No implementation of function {f.__name__} found for "
                          f"{', '.join(map(repr, _types_of(arguments)))}")
    return tr.call_function(getattr(made, "_function", made), None, arguments, named)


def attribute(tr, v, name):
    """The value of an attribute, or the writer of a method; None where there is none."""
    from cuprite._compiler.numba import _types
    if not (_attributes or _methods):
        return None, None
    t = _types.of_value(v)

    def rows(table):
        return [(target, c) for typ, attr, target, c in table
                if attr == name and (t == typ if not isinstance(typ, type) else isinstance(t, typ))]
    found = rows(_attributes)
    made = _chosen(tr, found, [v], {}) if found else None
    if made is not None:
        return tr.call_function(getattr(made, "_function", made), None, [v], {}), None
    found = rows(_methods)
    return None, functools.partial(_method, found, v) if found else None


def _method(rows, v, tr, *arguments, **named):
    made = _chosen(tr, rows, [v, *arguments], named)
    if made is None:
        raise TypingError("no implementation of the method is there for these types")
    return tr.call_function(getattr(made, "_function", made), None, [v, *arguments], named)


ADDED.update(call=call, attribute=attribute)
