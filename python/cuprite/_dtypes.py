"""The dtypes that NumPy lacks: those of the package that a type's row names where it is installed, else substitutes
with their names and sizes."""
import importlib

from cuprite._foreign import FOREIGN


class _Standin:
    """What a program asks of a dtype."""
    kind, byteorder, isnative, fields, names, subdtype, shape = "f", "=", True, None, None, None, ()
    standin = True

    def __init__(self, name, package, itemsize, letter):
        def refuse(cls, *args):
            raise TypeError(f"{name} scalars need the package {package}")

        doc = f"The element type {name}; NumPy has none, so there are no scalars of it."
        self.name, self.char, self.str = name, letter, f"<V{itemsize}"
        self.itemsize = self.alignment = itemsize
        self.type = type(name, (), {"__new__": refuse, "__doc__": doc})

    def __repr__(self):
        return f"dtype({self.name})"

    def __str__(self):
        return self.name

    def __eq__(self, other):
        return other is self or other is self.type or other == self.name

    def __hash__(self):
        return hash(self.name)

    def __reduce__(self):
        return foreign, (self.name,)


_made = {}


def foreign(name):
    """The dtype of that name, the same object every time."""
    if name not in _made:
        package, itemsize, letter = FOREIGN[name]
        try:
            import numpy
            dtype = numpy.dtype(getattr(importlib.import_module(package), name))
        except (ImportError, AttributeError):  # the package may be older than the type
            dtype = _Standin(name, package, itemsize, letter)
        _made.setdefault(name, dtype)
    return _made[name]
