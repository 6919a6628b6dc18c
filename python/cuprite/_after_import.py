"""What other packages are told about Cuprite's arrays once a program has imported both, in whatever order: Dask finds
the functions for a type in tables that have no entry point. Nothing is imported here before the other package is."""
import sys

# Each module of another package, and the function of ours that is called when it has been imported.
_CALLS = {
    "dask.array.dispatch": "array_functions",
    "dask.array.chunk_types": "chunk_type",
    "dask.array.backends": "backend",
    "dask.sizeof": "sizes",
    "dask.tokenize": "tokens",
    "distributed.protocol.serialize": "host_frames",
    "distributed.protocol.cuda": "device_frames",
}


def _call(name):
    import importlib
    register = importlib.import_module("cuprite.dask._register")
    getattr(register, _CALLS[name])(sys.modules[name])


class _Finder:
    """Finds those modules as the import system does; their loaders make our call when they have executed them."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in _CALLS:
            return None
        from importlib.machinery import PathFinder
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or not hasattr(spec.loader, "__dict__"):
            return spec
        loader = spec.loader

        def execute(module):
            del loader.exec_module
            loader.exec_module(module)
            _call(name)

        loader.exec_module = execute
        return spec


def watch():
    """Calls for what is imported already. What another thread or this one is importing just now is CuPy's case, whose
    name it asked for (cuprite.install_as_cupy), and registers the arrays itself."""
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)
    if "dask" in sys.modules:
        for name in _CALLS:
            module = sys.modules.get(name)
            if module is not None and not getattr(module.__spec__, "_initializing", False):
                _call(name)
