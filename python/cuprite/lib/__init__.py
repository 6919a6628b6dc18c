"""cuprite.lib: stride_tricks, array_utils, scimath."""
_MODULES = ("array_utils", "scimath", "stride_tricks")


def __getattr__(name):
    if name not in _MODULES:
        raise AttributeError(f"module 'cuprite.lib' has no attribute {name!r}")
    import importlib
    return importlib.import_module("cuprite.lib." + name)
