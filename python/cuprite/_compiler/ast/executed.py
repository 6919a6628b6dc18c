"""The source of functions that a program makes by exec. Python keeps none, and kernels are compiled from the source.

Where `numba` is ours, exec is a function that compiles a text, remembers it, and executes it as Python's does. Nothing
else is remembered, and a text is forgotten with the last function that was made by it.
"""
import builtins
import sys
import types
import weakref

_sources = weakref.WeakKeyDictionary()   # code -> (all lines of the text, the line that it begins with)
_exec = builtins.exec
_FUTURE = 0x1FFE000  # the flags of code that `from __future__ import ...` sets


def _remember(code, lines):
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            _sources[part] = lines
            _remember(part, lines)


def lines_of(function):
    """(lines, number of the first) of a function that exec made, as inspect.getsourcelines; None for others."""
    import inspect
    lines = _sources.get(function.__code__)
    if lines is None:
        return None
    first = function.__code__.co_firstlineno
    return inspect.getblock(lines[first - 1:]), first


def _executed(source, globals=None, locals=None, /, **named):
    """exec(source, globals=None, locals=None, /, *, closure=None): as Python's."""
    caller = sys._getframe(1)
    if globals is None:
        globals = caller.f_globals
        locals = caller.f_locals if locals is None else locals
    if isinstance(source, str) and ("def " in source or "lambda" in source):
        lines = source.splitlines(keepends=True)
        source = compile(source, "<string>", "exec", caller.f_code.co_flags & _FUTURE, True)
        _remember(source, lines)
    return _exec(source, globals, locals, **named)


def watch():
    """From now on exec remembers the texts of functions."""
    if builtins.exec is _exec:
        builtins.exec = _executed
