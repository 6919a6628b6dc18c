"""`cupy` and `cupyx` as names of Cuprite's modules: the same module objects, not copies. `numba` too, where Numba
itself is not installed, or it or its CUDA compiler fails to import; this is decided when the program imports it.
CUPRITE_NUMBA=1 makes it ours in any case, 0 never."""
import importlib
import importlib.abc
import importlib.machinery
import os
import sys

_ROOTS = ("cupy", "cupyx")
_roots = set()         # of these those that are installed; "numba" goes with them
_numba_is_ours = None  # not known yet
_report = False          # whether a line says that numba is Numba
CUPY = "14.2.0"        # the version that programs see; the names are that version's


def _numba_is_absent():
    """Whether `import numba` fails without us. Where it works, Numba's modules are loaded by this."""
    global _numba_is_ours
    if _numba_is_ours is None and os.environ.get("CUPRITE_NUMBA") in ("0", "1"):
        _numba_is_ours = os.environ["CUPRITE_NUMBA"] == "1"
        if _numba_is_ours:
            _watch()
    if _numba_is_ours is None:
        _numba_is_ours = False  # what the import below asks for is not ours
        try:
            if importlib.import_module("numba").__file__ is None:
                raise ImportError("a folder that happens to be called numba")
            _needs("numba.cuda.cudaimpl")  # loaded by the first kernel, and as easily broken by another NumPy
        except Exception:  # absent, or too old or too new for what it needs: both are said in many ways
            for name in [n for n in sys.modules if n.partition(".")[0] == "numba"]:
                del sys.modules[name]
            _numba_is_ours = True
        if _numba_is_ours:
            _watch()
        if _report and not _numba_is_ours:
            print("cuprite: numba is Numba's own, which is installed; CUPRITE_NUMBA=1 makes it cuprite.numba",
                  file=sys.stderr)
    return _numba_is_ours


def _watch():
    """Kernels are compiled from their source, which exec alone has of the functions that it makes."""
    from cuprite._compiler.ast import executed
    executed.watch()


def _needs(name):
    """Imports a module, if there is one of that name."""
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as e:
        if not e.name or not name.startswith(e.name):
            raise


def _real_name(name):
    root, dot, rest = name.partition(".")
    if root == "numba" and root in _roots:
        return "cuprite." + name if _numba_is_absent() else None
    return "cuprite" + dot + rest if root in _roots else None


class _Loader(importlib.abc.Loader):
    def __init__(self, real):
        self.real = real

    def create_module(self, spec):
        module = importlib.import_module(self.real)
        self.kept = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = self.kept  # the import system wrote the alias's over it


class _Imported(importlib.abc.Loader):
    """A module that was imported while it was looked for. The import system would execute it a second time, by its own
    specification; without one it takes this loader."""

    def __init__(self, module):
        self.module, self.kept = module, module.__spec__
        module.__spec__ = None

    def create_module(self, spec):
        return self.module

    def exec_module(self, module):
        module.__spec__ = self.kept


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        real = _real_name(name)
        if real is None:
            if name == "numba" and _numba_is_ours is False and name in sys.modules:
                return importlib.machinery.ModuleSpec(name, _Imported(sys.modules[name]), is_package=True)
            return None
        try:
            importlib.import_module(real)
        except ModuleNotFoundError as e:
            if e.name and (real == e.name or real.startswith(e.name + ".")):
                return None  # "No module named 'cupyx.X'" says what the program asked for
            raise
        return importlib.machinery.ModuleSpec(name, _Loader(real), is_package=True)


_finder = _Finder()
find_spec = _finder.find_spec


def _add(*roots):
    new = set(roots) - _roots
    if not new:
        return False
    _roots.update(new)
    for name in [n for n in sys.modules if n.partition(".")[0] in new.intersection(_ROOTS)]:
        del sys.modules[name]
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    return True


def install(report=False):
    """cupy and cupyx, and numba where Numba does not import. Programs ask CuPy's module for its name and version, and
    the arrays' class for its module, to know what they have: they are CuPy's from now on."""
    global _report
    _report = _report or report
    if _add(*_ROOTS, "numba"):
        import cuprite
        from cuprite import _device, _support
        cuprite.__name__ = "cupy"
        _device.name_arrays("cupy")
        cuprite.__version__ = CUPY
        _support.as_cupy = True
        if "cuprite.random._bits" in sys.modules:
            sys.modules["cuprite.random._bits"].name_generators()


def install_numba():
    """numba, whether Numba itself is there or not."""
    global _numba_is_ours
    if _numba_is_ours and "numba" in _roots:
        return
    for name in [n for n in sys.modules if n.partition(".")[0] == "numba"]:
        del sys.modules[name]
    _numba_is_ours = True
    _watch()
    _add("numba")
