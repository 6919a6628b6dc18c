"""What is said of names that are not there: the nearest that is, and the page with the coverage.

The exceptions are Python's own, AttributeError, ImportError and ModuleNotFoundError, so programs that try a name and go
on without it still do. Invariant: asking costs little, since libraries ask with hasattr: a text is made once.
"""
import functools
import sys

_CUDA = "cuprite._compiler.numba_cuda"  # is cuprite.numba.cuda
_CUPYX = ("distributed", "scipy", "signal", "jit", "profiler")  # these are cupyx's where a program calls Cuprite cupy


def _shown(module):
    """The module's name as the program knows it."""
    support = sys.modules.get("cuprite._support")  # an import here would look for its name in cuprite first
    module = module.replace(_CUDA, "cuprite.numba.cuda")
    root, _, rest = module.partition(".")
    if root != "cuprite" or not getattr(support, "as_cupy", False):
        return module
    first = rest.partition(".")[0]
    if not rest:
        return "cupy"
    return rest if first == "numba" else ("cupyx." if first in _CUPYX else "cupy.") + rest


def _modules(package):
    import pkgutil
    return [found.name for found in pkgutil.iter_modules(getattr(sys.modules[package], "__path__", []))]


@functools.lru_cache(1024)
def _said(module, name, of, shown, top):
    """`: Cuprite has no such name ...`, and where it helps the nearest one of `module` or the same one of cuprite.

    Parameters: of: "name" or "module"; shown, top: what the program calls `module` and cuprite."""
    import difflib
    names = [n for n in (dir(sys.modules[module]) if of == "name" else _modules(module)) if not n.startswith("_")]
    low = {n.lower(): n for n in names}
    near = low.get(name.lower()) or next(iter(difflib.get_close_matches(name, names, 1, 0.75)), None)
    if near:
        near = f"{shown}.{near}"
    elif module.startswith("cuprite.scipy") and name in dir(sys.modules["cuprite"]):
        near = f"{top}.{name}"
    hint = f"; the nearest is {near}" if near else ""
    page = "docs/from-numba.md" if module.startswith(("cuprite.numba", _CUDA)) else "docs/coverage.md"
    return f": Cuprite has no such {of}{hint} ({page} says what is there)"


def _imports(frame):
    """Whether the frame is at `from module import name`, which reports nothing of an AttributeError."""
    if frame is None:
        return False
    import opcode
    code, at = frame.f_code.co_code, frame.f_lasti
    return 0 <= at < len(code) and opcode.opname[code[at]] == "IMPORT_FROM"


def missing(module, name, frames=2):
    """The exception of a name that a module lacks, to be raised by its __getattr__.

    Parameters: module: the module's name in sys.modules; name: what was asked for; frames: how far up the stack the
        code is that asked."""
    shown = _shown(module)
    if name.startswith("_"):
        return AttributeError(f"module {shown!r} has no attribute {name!r}")
    said = _said(module, name, "name", shown, _shown("cuprite"))
    if not _imports(sys._getframe(frames)):
        return AttributeError(f"module {shown!r} has no attribute {name!r}{said}")
    return ImportError(f"cannot import name {name!r} from {shown!r}{said}", name=shown,
                       path=getattr(sys.modules[module], "__file__", None))


def getter(module):
    """The __getattr__ of a module that finds nothing. The module gets its __dir__ with it."""
    def __getattr__(name):
        raise missing(module, name, 2)
    vars(sys.modules[module])["__dir__"] = listing(module)
    return __getattr__


def later(module, names):
    """The __getattr__ of a package whose names come in from its modules when they are first used. The package gets its
    __dir__ with it.

    Parameters: module: the package's name; names: {name: the module below it that has it}."""
    def __getattr__(name):
        if name not in names:
            raise missing(module, name, 2)
        import importlib
        value = getattr(importlib.import_module(f"{module}.{names[name]}"), name)
        return vars(sys.modules[module]).setdefault(name, value)
    vars(sys.modules[module])["__dir__"] = listing(module, *names)
    return __getattr__


def listing(module, *more):
    """The __dir__ of a module: what is for its users, so that completion shows no helper and no import.

    Parameters: module: its name; more: names that only its __getattr__ knows."""
    def __dir__():
        names = {*offered(sys.modules[module]), *more}
        return sorted(n for n in names if not n.startswith("_") or n.startswith("__"))
    return __dir__


def offered(module):
    """The names of a module for its users: its __all__, what it defines, and what is imported when it is first used.

    A module without __all__ offers what it takes from others of Cuprite too."""
    has = vars(module)
    listed = has.get("__all__", ())
    home = module.__name__ if listed else "cuprite"
    names = {*listed, *has.get("_LATER", ()), *has.get("_MODULES", ())}
    for name, value in has.items():
        if name.startswith("_"):
            if name.startswith("__") and name not in ("__dir__", "__getattr__"):
                names.add(name)
        elif isinstance(value, type(sys)):
            if value.__name__ == f"{module.__name__}.{name}" or not listed and value.__name__.startswith("cuprite."):
                names.add(name)
        elif _is_at(home, getattr(value, "__module__", None)):
            names.add(name)
    return names


def _is_at(home, module):
    """Whether what a module of this name defines is at `home`; constants of Python's types have no module."""
    return not isinstance(module, str) or module == home or home == "cuprite" and module.startswith("cuprite.")


class _Finder:
    """The last finder: it finds nothing, and says so of our modules. find_spec of importlib.util, which asks whether
    there is a module, gets its None."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        above, _, last = name.rpartition(".")
        ours = _ours(above)
        if ours is None or sys._getframe(1).f_back.f_code.co_name != "_find_and_load_unlocked":
            return None
        said = "" if last.startswith("_") or ours not in sys.modules else \
            _said(ours, last, "module", _shown(ours), _shown("cuprite"))
        raise ModuleNotFoundError(f"No module named {name!r}{said}", name=name)


def _ours(name):
    """Our module behind a package's name; None: it is not ours."""
    root = name.partition(".")[0]
    if root == "cuprite":
        return name
    alias = sys.modules.get("cuprite._alias")
    if root not in getattr(alias, "_roots", ()) or root == "numba" and not alias._numba_is_ours:
        return None
    return alias._real_name(name)


sys.meta_path.append(_Finder)
