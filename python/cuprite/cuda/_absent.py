"""Placeholders for functions and classes of libraries that Cuprite has no interface to. Programs can import them; a
call raises an error that says what is missing and what does the same here."""
import sys

from cuprite._missing import listing


def function(library, name, instead=""):
    """A function that raises NotImplementedError."""
    def absent(*args, **kwargs):
        raise NotImplementedError(message(library, name, instead))
    absent.__name__ = absent.__qualname__ = name
    absent.__doc__ = f"Not there: NotImplementedError. {instead}".rstrip()
    return absent


def type_(library, name, instead=""):
    """A class whose objects cannot be made."""
    def __init__(self, *args, **kwargs):
        raise NotImplementedError(message(library, name, instead))
    return type(name, (), {"__init__": __init__, "__doc__": f"Not there: NotImplementedError. {instead}".rstrip()})


def message(library, name, instead=""):
    text = f"{name}: Cuprite has no interface to {library}"
    return f"{text}; {instead}" if instead else text


def names(module, library, instead=""):
    """A module's __getattr__: every name in small letters is a function of the library's. It gets its __dir__ too."""
    def __getattr__(name):
        if name.startswith("_") or name != name.lower() and name == name.upper():
            raise AttributeError(f"module '{module}' has no attribute {name!r}: Cuprite has no interface to {library}")
        return function(library, f"{module.rpartition('.')[2]}.{name}", instead)
    vars(sys.modules[module])["__dir__"] = listing(module)
    return __getattr__
