"""fused: a string of elementwise operations computed in one go, as numexpr.evaluate does it.

Parsed expressions are cached, so a call in a loop parses its string once. include/cuprite/fuse.h defines the language.
The CPU runs an expression pass by pass. For other devices the same string is a Python function, which `fuse` runs
operation by operation until its kernel is compiled: the language is Python's, with the same meaning."""
import functools
import sys

from cuprite import _core

__all__ = ["fused"]

_CPU = -1


@functools.lru_cache(256)
def _read(text):
    return _core._Fused(text)


def _cast(name):
    def cast(x):
        if isinstance(x, _core.ndarray) or hasattr(x, "astype"):
            return x.astype(name)
        import numpy
        return numpy.asarray(x, name)[()]
    return cast


def _words():
    """What names followed by parentheses mean, and inf and nan."""
    import cuprite
    from cuprite._core import ufunc
    words = {name.rsplit(".", 1)[-1]: f for name, f in vars(_core).items() if isinstance(f, ufunc)}
    types = {name: _cast(name) for name in ("bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 "
                                            "float64 complex64 complex128").split()}
    return {**words, **types, "where": cuprite.where, "inf": cuprite.inf, "nan": cuprite.nan}


@functools.lru_cache(256)
def _function(text):
    """The text as a function that is fused; None where Python would read it otherwise."""
    import ast
    import textwrap
    from cuprite._compiler.fuse.fusion import fuse
    names = _read(text).names
    try:
        tree = ast.parse("def fused_source():\n" + textwrap.indent(textwrap.dedent(text).strip("\n; \t"), " "))
    except SyntaxError:
        return None
    f = tree.body[0]
    words = _words()
    called = {n.func.id for n in ast.walk(f) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    own = {n.id for n in ast.walk(f) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)} | set(names)
    if len(tree.body) > 1 or called & own or not called <= set(words):
        return None
    if isinstance(f.body[-1], ast.Expr):
        f.body[-1] = ast.Return(f.body[-1].value)
    f.args.args = [ast.arg(name) for name in names]
    exec(compile(ast.fix_missing_locations(tree), "<fused>", "exec"), words)
    return fuse(words["fused_source"])


def _on_another_device(values):
    for x in values:
        if isinstance(x, _core.ndarray):
            return x._device != _CPU
    return False


def fused(text, local_dict=None, global_dict=None, out=None, casting="same_kind", **operands):
    """The value of an expression of elementwise operations, computed without arrays for what lies between.

    fused("a*x + sin(y)") takes the names from the caller's variables, fused("a*x + y", a=2, x=x, y=y) from its
    arguments; local_dict and global_dict are looked into instead of the caller's. Results have the types and the bits
    that the operations give one by one. `out` is an array for the result, or a tuple where the expression returns
    several. `casting` says which conversions to `out` are allowed; `operands` are values for names; `text` is the
    expression.

    Errors: TypeError for operands that the expression does not name; NameError for names without a value; ValueError
        for a string that is no expression."""
    f = _read(text)
    values = []
    for name in f.names:
        if name in operands:
            values.append(operands[name])
            continue
        if local_dict is None:
            frame = sys._getframe(1)
            local_dict, global_dict = frame.f_locals, frame.f_globals if global_dict is None else global_dict
        if name in local_dict:
            values.append(local_dict[name])
        elif global_dict is not None and name in global_dict:
            values.append(global_dict[name])
        else:
            raise NameError(f"fused: the name {name!r} of {text!r} is not defined")
    unknown = [name for name in operands if name not in f.names]
    if unknown:
        raise TypeError(f"fused: {text!r} has no operand {unknown[0]!r}")
    if out is None and _on_another_device(values):
        function = _function(text)
        try:
            if function is not None and all(isinstance(x, _core.ndarray) or type(x) in (int, float) for x in values):
                return function(*values)
        except Exception:
            pass  # reported below, with the column in the source
    return f(*values, out=out, casting=casting)
