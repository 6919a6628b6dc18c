"""SciPy's companions: cuprite.scipy.cluster, fft, fftpack, interpolate, linalg, ndimage, signal, sparse, spatial,
special, stats."""
from cuprite._missing import listing as _listing, missing as _missing

_MODULES = ("cluster", "fft", "fftpack", "interpolate", "linalg", "ndimage", "signal", "sparse", "spatial", "special",
            "stats")


def __getattr__(name):
    if name in _MODULES:
        import importlib
        return importlib.import_module("cuprite.scipy." + name)
    raise _missing(__name__, name)


def get_array_module(*args):
    """`cuprite.scipy` when one of the arguments is an array or a sparse matrix of Cuprite's, else `scipy`."""
    from cuprite import ndarray
    if any(isinstance(a, ndarray) or type(a).__module__.startswith("cuprite.scipy.sparse") for a in args):
        import sys
        return sys.modules[__name__]
    import scipy
    return scipy


__dir__ = _listing(__name__)
