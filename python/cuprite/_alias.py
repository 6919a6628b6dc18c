"""`cupy` and `cupyx` as names of Cuprite's modules: the same module objects, not copies."""
import importlib
import importlib.abc
import importlib.machinery
import sys

_ROOTS = ("cupy", "cupyx")


def _real_name(name):
    root, dot, rest = name.partition(".")
    return "cuprite" + dot + rest if root in _ROOTS else None


class _Loader(importlib.abc.Loader):
    def __init__(self, real):
        self.real = real

    def create_module(self, spec):
        module = importlib.import_module(self.real)
        self.kept = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = self.kept  # the import system wrote the alias's over it


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        real = _real_name(name)
        if real is None:
            return None
        try:
            importlib.import_module(real)
        except ModuleNotFoundError as e:
            if e.name and (real == e.name or real.startswith(e.name + ".")):
                return None  # "No module named 'cupyx.X'" says what the program asked for
            raise
        return importlib.machinery.ModuleSpec(name, _Loader(real), is_package=True)


def install():
    if any(isinstance(f, _Finder) for f in sys.meta_path):
        return
    for name in [n for n in sys.modules if n.partition(".")[0] in _ROOTS]:
        del sys.modules[name]
    sys.meta_path.insert(0, _Finder())
