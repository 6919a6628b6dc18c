"""cuprite.lib: stride_tricks, array_utils, scimath."""
from cuprite._missing import listing as _listing, missing as _missing

_MODULES = ("array_utils", "scimath", "stride_tricks")


def __getattr__(name):
    if name not in _MODULES:
        raise _missing(__name__, name)
    import importlib
    return importlib.import_module("cuprite.lib." + name)


__dir__ = _listing(__name__)
