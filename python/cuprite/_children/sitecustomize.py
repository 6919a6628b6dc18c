"""Read by Python when it starts, in children of `python -m cuprite`: there `import cupy` means Cuprite too.
CUPRITE_AS_CUPY is the folder that cuprite lies in. Nothing is imported before a program asks for it. The sitecustomize
that would have been read without this folder is read next."""
import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


class _First:
    """Installs the names of cupy when one of them is first asked for, and is gone."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.partition(".")[0] not in ("cupy", "cupyx", "numba"):
            return None
        sys.meta_path.remove(cls)
        if importlib.util.find_spec("cuprite") is None:
            sys.path.append(os.environ["CUPRITE_AS_CUPY"])
        from cuprite import _alias
        _alias.install()
        return _alias.find_spec(name, path, target)


def _next():
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize",
                                                    [p for p in sys.path if os.path.abspath(p or ".") != _HERE])
    if spec is not None and spec.loader is not None:
        module = sys.modules["sitecustomize"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


if os.environ.get("CUPRITE_AS_CUPY"):
    sys.meta_path.insert(0, _First)
    _next()
