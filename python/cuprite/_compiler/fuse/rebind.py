"""The other half of tracing: the copy of a function that runs on placeholders (trace.py).

In it the module cuprite, its functions, and Python functions that it names are replaced by recording versions. All
other globals and closure variables that it reads are recorded as guards, which each call checks again.
Invariant: the function itself, its module and its cells are never changed."""
import types

import cuprite
from cuprite import _core, _device
from cuprite._compiler.fuse.records import Described
from cuprite._compiler.fuse.trace import FRESH, MAKERS, PLAIN, VIEWS, Array, NotFused, Number, Trace, is_generic

_CPU = -1  # its number


class Raised(Exception):
    """What the function raised on stand-ins (its cause): it may do so for arrays too, or ask what they do not know."""


class Object:
    """Stands for an argument that is no array and no number, as a method's first: its numbers are looked at again in
    every call."""

    def __init__(self, trace, what, position):
        self.__dict__["_own"] = trace, what, position

    def __getattr__(self, name):
        trace, what, position = self._own
        value = getattr(what, name)
        if isinstance(value, types.MethodType) and value.__self__ is what:
            return types.MethodType(rebound(trace, value.__func__), self)
        if type(value) in PLAIN:
            trace.attributes.append((position, name, value))
            return value
        if isinstance(value, types.FunctionType):
            trace.attributes.append((position, name, value))
            return rebound(trace, value)
        if hasattr(value, "clear_cache") and hasattr(value, "func"):
            return _Stand(trace, value)
        raise NotFused()

    def __setattr__(self, name, value):
        raise NotFused()

    def _no(self, *args):
        raise NotFused()

    __bool__ = __len__ = __iter__ = __getitem__ = __call__ = __eq__ = __hash__ = _no


class _Stand:
    """Stands for the module cuprite, or for one of its functions, where stand-ins of arrays are about."""

    def __init__(self, trace, what):
        self._trace, self._what = trace, what

    def __getattr__(self, name):
        return stand(self._trace, getattr(self._what, name))

    def __call__(self, *args, **kwargs):
        trace, what = self._trace, self._what
        name = getattr(what, "__name__", str(what))
        ours = getattr(cuprite, name, None) is what
        if ours and name in MAKERS:
            return trace.made(what, args, kwargs)
        if not _mentioned((args, kwargs)):
            return what(*args, **kwargs)
        if isinstance(what, _core.ufunc):
            return trace.apply(what, args, **kwargs)
        if what is cuprite.where and len(args) == 3 and not kwargs:
            return trace.where(*args)
        if ours and name in VIEWS:
            return trace.view(what, args, kwargs)
        if ours and name in FRESH:
            return trace.fresh(what, args, kwargs)
        if getattr(what, "func", None) is not None and hasattr(what, "clear_cache"):  # a fused function in another
            return rebound(trace, what.func)(*args, **kwargs)
        raise NotFused(f"{name} cannot be fused")


def _mentioned(x):
    if isinstance(x, (tuple, list)):
        return any(_mentioned(y) for y in x)
    if isinstance(x, dict):
        return any(_mentioned(y) for y in x.values())
    return isinstance(x, (Array, Number, Object))


def stand(trace, value):
    """What stands for a global value of a function."""
    if value is cuprite or isinstance(value, (_core.ufunc, _core._Fusion)):
        return _Stand(trace, value)
    if isinstance(value, types.ModuleType) and value.__name__.startswith("cuprite"):
        return _Stand(trace, value)
    if isinstance(value, (types.BuiltinFunctionType, types.FunctionType)) and (
            getattr(cuprite, value.__name__, None) is value):
        return _Stand(trace, value)
    return value


def _lasting(value):
    """Whether a global value is what functions and modules are: not looked at again."""
    return isinstance(value, (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type, _Stand))


def rebound(trace, f):
    """The function with stand-ins among its globals and what it encloses, and so the functions of Python that it
    names. Other values that it finds there are written down: they may be others in a later call. The copies refer to
    one another in circles, so they get nothing of the globals but what they name, and no array."""
    if isinstance(f, types.MethodType):
        return types.MethodType(rebound(trace, f.__func__), f.__self__)
    if not isinstance(f, types.FunctionType):
        raise NotFused()
    made = {}

    def replaced(value):
        s = stand(trace, value)
        if s is value and isinstance(value, types.FunctionType) and value.__module__ == f.__module__:
            return again(value)
        return s

    def again(g):
        if g in made:
            return made[g]
        names = _names(g.__code__) & g.__globals__.keys()
        space = {name: g.__globals__[name] for name in {"__builtins__", "__name__"} & g.__globals__.keys()}
        cells = tuple(types.CellType() for _ in g.__closure__ or ())
        new = made[g] = types.FunctionType(g.__code__, space, g.__name__, g.__defaults__, cells)
        new.__kwdefaults__ = g.__kwdefaults__
        for name in names:
            value = g.__globals__[name]
            there = replaced(value)
            if not _lasting(there):
                known(value)
                trace.names.append((g.__globals__, name, value))
            space[name] = there
        for cell, before in zip(cells, g.__closure__ or ()):
            try:
                value = before.cell_contents
            except ValueError:  # empty
                continue
            there = replaced(value)
            if not _lasting(there):
                known(value)
                trace.cells.append((before, value))
            cell.cell_contents = there
        return new

    def known(value):
        if isinstance(value, _core.ndarray):
            raise NotFused("an array that is no argument cannot be fused")
        if type(value) not in PLAIN:
            raise NotFused()
    return again(f)


def _names(code):
    found = set(code.co_names)
    for c in code.co_consts:
        if isinstance(c, types.CodeType):
            found |= _names(c)
    return found


def traced(func, args):
    """The trace of the function run on stand-ins for such arguments, arrays described, and what it returned."""
    trace, given = Trace(stand), []
    if len({a[3] for a in args if isinstance(a, Described)}) != 1:
        raise NotFused()
    for i, a in enumerate(args):
        if isinstance(a, Described):
            given.append(Array(trace, trace.add("argument", i, (), a[0], a[1], memory=True)))
        elif type(a) is float:
            given.append(Number(trace, trace.add("number", i, (), "float64", ())))
        else:
            given.append(a if type(a) in PLAIN or is_generic(a) else Object(trace, a, i))
    function = rebound(trace, func)
    before = _device.current()
    try:
        _device.use(_CPU)  # samples of types: a program that counts the memory of its GPU meets none of them there
        return trace, function(*given)
    except NotFused:
        raise
    except Exception as e:
        raise Raised(func) from e
    finally:
        _device.use(before)
