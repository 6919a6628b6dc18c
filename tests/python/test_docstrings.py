"""Each public name is documented: what it does, every parameter by its name, the errors that it raises; and what the
docstrings of rows say of errors is what calls do."""
import ast
import enum
import importlib
import importlib.util
import inspect
import pkgutil
import re
import textwrap
import unittest

import numpy as np
import pytest

import cuprite as cp
from oracle import raises

once = pytest.mark.once

# what stands for several arguments; the summary says which
SAYS_NOTHING = {"self", "cls", "args", "kwargs", "kwds", "kw", "options", "arguments"}


def modules(module=cp):
    yield module
    for found in pkgutil.iter_modules(getattr(module, "__path__", [])):
        if not found.name.startswith("_") and (found.name != "dask" or importlib.util.find_spec("dask")):
            yield from modules(importlib.import_module(f"{module.__name__}.{found.name}"))


def home(x):
    return getattr(x, "__module__", None) or ""


def is_ours(x):
    return isinstance(x, cp.ufunc) or home(x).startswith("cuprite") or \
        getattr(getattr(x, "__self__", None), "__name__", "").startswith("cuprite")


# modules that take names of others as their own
PARTS = {"cuprite.cuda.runtime": ["cuprite.cuda._memory_calls", "cuprite.cuda._textures"]}


def names_of(module):
    """What a module offers: its __all__, else what is defined in it; a package offers what it takes from elsewhere."""
    if hasattr(module, "__all__"):
        return module.__all__
    homes = [module.__name__, *PARTS.get(module.__name__, [])]
    return [n for n in dir(module) if not n.startswith("_") and
            (hasattr(module, "__path__") or type(getattr(module, n)).__name__ == "Intrinsic" or
             home(getattr(module, n)) in homes)]


def members(x):
    """A class's own, and those of the bases that are made of rows for it."""
    return {name: value for base in reversed(x.__mro__)
            if base is x or base.__module__ == "cuprite.random._distributions" for name, value in vars(base).items()}


def documented():
    """Full name -> object: functions, classes, their public methods and properties, each once."""
    found, seen = {}, set()
    for module in modules():
        for name in names_of(module):
            x = getattr(module, name)
            if inspect.ismodule(x) or not callable(x) or not is_ours(x) or id(x) in seen:
                continue
            seen.add(id(x))
            full = f"{module.__name__}.{name}"
            found[full] = x
            for member, value in (members(x) if inspect.isclass(x) else {}).items():
                value = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
                if not member.startswith("_") and (
                        inspect.isroutine(value) or inspect.isdatadescriptor(value)) and \
                        not inspect.ismemberdescriptor(value):  # slots: the class's docstring says what they are
                    found[f"{full}.{member}"] = value
    return found


DOCUMENTED = documented()


def parameters(x):
    if inspect.isdatadescriptor(x) and not inspect.isroutine(x):
        return []
    if inspect.isclass(x) and issubclass(x, (BaseException, tuple, enum.Enum, unittest.TestCase)):
        return []  # they are made as Python's
    try:
        shown = inspect.signature(x).parameters
    except (ValueError, TypeError):
        return []
    return [n for n in shown if n not in SAYS_NOTHING and not n.startswith("_")]


def raised(x):
    """The exceptions that a function of Python's raises by name, itself."""
    if inspect.isclass(x):
        if issubclass(x, (enum.Enum, unittest.TestCase)):
            return set()
        return set().union(*(raised(vars(x)[n]) for n in ("__init__", "__new__") if inspect.isfunction(vars(x).get(n))))
    f = inspect.unwrap(x) if inspect.isfunction(x) else None
    if f is None or not inspect.isfunction(f):
        return set()
    tree = ast.parse(textwrap.dedent(inspect.getsource(f)))
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and node.exc is not None:
            called = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            name = ast.unparse(called).split(".")[-1]
            if re.fullmatch(r"[A-Z]\w*(Error|Warning)", name):
                found.add(name)
    return found


def document(x):
    return inspect.getdoc(x) or ""


@once
def test_there_are_names():
    """The traversal finds what it should."""
    assert len(DOCUMENTED) > 1200
    for name in ("cuprite.median", "cuprite.ndarray.sort", "cuprite.random.Generator.normal", "cuprite.add",
                 "cuprite.cuda.runtime.memcpy", "cuprite.linalg.svd", "cuprite.jit.atomic_add", "cuprite.pad"):
        assert name in DOCUMENTED


@once
def test_summaries():
    """Each says something."""
    poor = [n for n, x in DOCUMENTED.items() if len(document(x).strip()) < 8]
    poor.remove("cuprite.ufunc")  # Python shows the descriptor of its objects' docstrings in place of its own
    assert not poor, poor


@once
def test_parameters():
    missing = {}
    for name, x in DOCUMENTED.items():
        text = document(x)
        lost = [p for p in parameters(x) if not re.search(rf"(?<!\w){re.escape(p)}(?!\w)", text)]
        if lost:
            missing[name] = lost
    assert not missing, "\n".join(f"{n}: {', '.join(p)}" for n, p in missing.items())


@once
def test_names_of_kernels():
    """What has a meaning in kernels alone shows how it is called."""
    found = {n: x for n, x in DOCUMENTED.items() if type(x).__name__ == "Intrinsic"}
    assert len(found) > 60
    poor = [n for n, x in found.items() if not re.match(r"\w+\(.*\): ", document(x), re.S)]
    assert not poor, poor


@once
def test_errors():
    missing = {n: sorted(e for e in raised(x) if not re.search(rf"\b{e}\b", document(x)))
               for n, x in DOCUMENTED.items()}
    missing = {n: e for n, e in missing.items() if e}
    assert not missing, "\n".join(f"{n}: {', '.join(e)}" for n, e in missing.items())
