"""Functions of C for scipy.ndimage's filters: scipy.LowLevelCallable, and capsules without a name as SciPy took them
before. SciPy's objects are known by their class, which is loaded where there is one; SciPy is not imported here."""
import sys

from cuprite import _callbacks

_INTEGERS = ("intptr_t", "npy_intp", "long", "long long")  # of 64 bits
WINDOW = "int (double *, {0}, double *, void *)"
LINE = "int (double *, {0}, double *, {0}, void *)"
PLACE = "int ({0} *, double *, int, int, void *)"


def capsule_of(function, form):
    """The capsule of a function of C whose signature has the form; None for one of Python's.

    Errors: ValueError for another signature and for what cannot be called."""
    if type(function).__name__ == "PyCapsule":
        if _callbacks.capsule_signature(function) is None:
            return function
    known = sys.modules.get("scipy._lib._ccallback")
    if known and isinstance(function, known.LowLevelCallable):
        capsule = tuple.__getitem__(function, 0)
        signature, expected = _callbacks.capsule_signature(capsule), [form.format(i) for i in _INTEGERS]
        if signature not in expected:
            raise ValueError(f'Invalid scipy.LowLevelCallable signature "{signature or "NULL"}". '
                             f"Expected one of: {expected}")
        return capsule
    if not callable(function):
        raise ValueError("invalid callable given")
    return None
