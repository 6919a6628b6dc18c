"""Pickling of functions that are compiled: by their name where they are found under it, else by value, as Numba's are,
so that other processes can run what a program made in a function or in a notebook.

By value a function is its code, its text (kernels are compiled from it), and what it names of its surroundings.
"""
import importlib
import marshal
import sys
import types


class Pickled:
    """Of a class whose objects have a function and are made by `_made_of(function, *options)` of `_options()`."""

    def __reduce__(self):
        function = self._function
        if _found(self.__module__, self.__qualname__) is self:
            return _named, (self.__module__, self.__qualname__)
        return _empty, (type(self),), (parts_of(function), self._options())

    def __setstate__(self, state):
        parts, options = state
        self.__init__(function_of(parts), *options)


def _empty(kind):
    return kind.__new__(kind)


def _named(module, name):
    return _found(module, name, importlib.import_module)


def _found(module, name, load=sys.modules.get):
    """The object of that name, else None. What __main__ has, is another one in another process."""
    found = None if module == "__main__" else load(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def parts_of(function):
    """What a function is made of again."""
    from cuprite._compiler.ast.source import lines_of
    code = function.__code__
    names = {n: function.__globals__[n] for n in _names(code) if n in function.__globals__}
    try:
        text = lines_of(function)
    except (OSError, TypeError, IndexError):
        text = None
    cells = [_portable(c.cell_contents) for c in function.__closure__ or ()]
    return (marshal.dumps(code), text, function.__module__, function.__qualname__, function.__defaults__,
            {n: _portable(x) for n, x in names.items()}, cells)


def function_of(parts):
    """The function of parts_of."""
    from cuprite._compiler.ast import executed
    code, text, module, name, defaults, names, cells = parts
    code = marshal.loads(code)
    space = {"__builtins__": __builtins__, "__name__": module, **{n: _here(x) for n, x in names.items()}}
    made = types.FunctionType(code, space, code.co_name, defaults, tuple([types.CellType(_here(c)) for c in cells]))
    made.__qualname__ = name
    if text is not None:
        executed.remember(code, *text)
    return made


def _names(code):
    """The names that code, and what stands in it, looks up."""
    found = set(code.co_names)
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            found |= _names(part)
    return found


class _Module:
    """A module, which pickle does not know."""

    def __init__(self, name):
        self.name = name


class _Function:
    """A function that is pickled by value."""

    def __init__(self, parts):
        self.parts = parts


def _portable(x):
    if isinstance(x, types.ModuleType):
        return _Module(x.__name__)
    if isinstance(x, types.FunctionType) and _found(x.__module__, x.__qualname__) is not x:
        return _Function(parts_of(x))
    return x


def _here(x):
    if isinstance(x, _Module):
        return importlib.import_module(x.name)
    return function_of(x.parts) if isinstance(x, _Function) else x
