"""Cases of NumPy's functions called with Cuprite's arrays, for differential.py: family protocols. What numpy.add(x, y),
numpy.sum(x) or numpy.linalg.norm(x) give by __array_ufunc__ and __array_function__ is what NumPy gives of its own.

A case is one of another family's whose function is NumPy's on both sides."""
import inspect

import numpy as np

import differential_composites
import differential_creation
import differential_products
import differential_reduce
import differential_statistics
import differential_ufunc

#: not those whose arrays are made by the function: there is nothing to ask for it
OTHERS = {name: family for module in (differential_ufunc, differential_reduce, differential_statistics,
                                      differential_composites, differential_products, differential_creation)
          for name, family in module.FAMILIES.items() if name not in ("ranges", "types")}
NAMES = tuple(OTHERS)


def protocols(r):
    """NumPy's functions and ufuncs, called with arrays of either library."""
    while True:
        name = r.pick(NAMES)
        case = OTHERS[name](r)
        if not case.f.startswith((".", "op:")) and dispatched(case.f):
            case.family, case.module = name, np
            return case


def dispatched(path):
    """Whether NumPy's function of this name asks its arguments."""
    f = np
    for part in path.split("."):
        f = getattr(f, part)
    if isinstance(getattr(f, "__self__", f), np.ufunc):
        return True
    return not inspect.isclass(f) and hasattr(f, "_implementation")


FAMILIES = {"protocols": protocols}
