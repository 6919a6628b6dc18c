"""The source of functions that a program makes by exec, and of those of `python -c`. Python keeps none, and kernels are
compiled from the source.

Where `numba` is ours, exec is a function that compiles a text, remembers it, and executes it as Python's does. Nothing
else is remembered, and a text is forgotten with the last function that was made by it.
"""
import builtins
import sys
import types
import weakref

_sources = weakref.WeakKeyDictionary()   # code -> (all lines of the text, the line that it begins with)
_parts = weakref.WeakKeyDictionary()     # code -> (its own lines, the number of the first)
_exec = builtins.exec
_FUTURE = 0x1FFE000  # the flags of code that `from __future__ import ...` sets


def _remember(code, lines):
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            _sources[part] = lines
            _remember(part, lines)


def _of_command(code):
    """The lines of the text of `python -c`, if this code is of it."""
    given = sys.orig_argv
    text = given[given.index("-c") + 1] if "-c" in given[:-1] else ""
    try:
        made = [compile(text, "<string>", "exec", 0, True)]
    except SyntaxError:
        return None
    for part in made:
        made += [c for c in part.co_consts if isinstance(c, types.CodeType)]
    return text.splitlines(keepends=True) if code in made else None


def lines_of(function):
    """(lines, number of the first) of a function of exec's or of `python -c`, as inspect.getsourcelines has them; None
    for others."""
    import inspect
    code = function.__code__
    if code in _parts:
        return _parts[code]
    lines = _sources.get(code) or (_of_command(code) if code.co_filename == "<string>" else None)
    if lines is None:
        return None
    first = code.co_firstlineno
    return inspect.getblock(lines[first - 1:]), first


def remember(code, lines, first):
    """The text of code that was made elsewhere."""
    _parts.pop(code, None)  # whose key is equal code that may go before this
    _parts[code] = lines, first


def _compiled(source, flags):
    """What exec executes: the code of a text in which a function is made, else the text."""
    if "def " not in source and "lambda" not in source:
        return source
    code = compile(source, "<string>", "exec", flags & _FUTURE, True)
    _remember(code, source.splitlines(keepends=True))
    return code


def watch():
    """From now on exec remembers the texts of functions."""
    if builtins.exec is _exec:
        from cuprite import _core
        builtins.exec = _core._executed((_exec, _compiled))
