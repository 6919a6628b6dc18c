"""scipy.cluster on Cuprite's arrays: clusters around means (`vq`)."""
from cuprite._missing import listing as _listing, missing as _missing

_MODULES = ("vq",)


def __getattr__(name):
    if name in _MODULES:
        import importlib
        return importlib.import_module("cuprite.scipy.cluster." + name)
    raise _missing(__name__, name)


__dir__ = _listing(__name__)
