"""What an editor or a shell offers behind a dot: the names of a module that are for its users, each of which is there;
no private name, and no module or function that the module imports for itself."""
import importlib
import pkgutil
import types

import pytest

import cuprite as cp

pytestmark = pytest.mark.once


def modules(module=cp):
    yield module
    for found in pkgutil.iter_modules(getattr(module, "__path__", [])):
        if not found.name.startswith("_"):
            yield from modules(importlib.import_module(f"{module.__name__}.{found.name}"))


MODULES = {m.__name__: m for m in [*modules(), importlib.import_module("cuprite._compiler.numba_cuda")]}
# what CuPy offers of NumPy
THEIRS = {"cuprite": {"dtypes"}, "cuprite.typing": {"ArrayLike", "DTypeLike"}, "cuprite.distributed.array": {"Mode"}}


def helpers(module):
    """Names that are offered and are not for users."""
    for name in dir(module):
        value = getattr(module, name)
        home = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
        if name.startswith("__") and name.endswith("__"):
            continue
        if name.startswith("_") or isinstance(value, types.ModuleType) and not home.startswith("cuprite"):
            yield name
        elif isinstance(home, str) and home.split(".")[0] in ("typing", "collections", "functools", "operator", "os",
                                                              "contextlib", "weakref", "_thread", "__future__"):
            yield name


def test_there_are_modules():
    assert len(MODULES) > 60
    assert {"cuprite.scipy.fft", "cuprite.cuda.runtime", "cuprite.polynomial.chebyshev"} <= set(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_no_helpers(name):
    module = MODULES[name]
    assert set(helpers(module)) - THEIRS.get(name, set()) == set()
    assert dir(module) == sorted(dir(module)) and len(set(dir(module))) == len(dir(module))


@pytest.mark.parametrize("name", MODULES)
def test_all_is_offered(name):
    module = MODULES[name]
    assert set(getattr(module, "__all__", ())) <= set(dir(module))


def test_what_is_imported_later_is_offered():
    assert {"runtime", "nvtx", "Function", "Device"} <= set(dir(cp.cuda))
    assert {"special", "fft"} <= set(dir(cp.scipy)) and "stride_tricks" in dir(cp.lib)
    assert {"Chebyshev", "polyutils"} <= set(dir(cp.polynomial)) and "SeedSequence" in dir(cp.random)
    assert {"SVDResult", "svd"} <= set(dir(cp.linalg)) and "cuda" in dir(cp.numba)
