"""Functions of several steps run on their arrays' device: what they make for themselves lies there too.

A call of C does that by itself (cpy_go_to in python/src/cpy.h)."""
import functools
import types

from cuprite import _device
from cuprite._core import ndarray


def _array_of(arguments):
    """The first array among arguments, in their lists, or that a polynomial has (`_held` is its attribute); None."""
    for x in arguments:
        if isinstance(x, ndarray):
            return x
        if isinstance(x, (list, tuple)):
            held = x
        else:
            name = getattr(type(x), "_held", None)
            held = name and vars(x).get(name)
            if isinstance(held, ndarray):
                return held
            if not isinstance(held, (list, tuple)):
                continue
        if held and isinstance(held[0], ndarray):
            return held[0]
        held = _array_of(held)
        if held is not None:
            return held
    return None


def _method(f):
    if isinstance(f, types.FunctionType):
        return beside_its_arrays(f)
    if isinstance(f, property):
        return property(f.fget and beside_its_arrays(f.fget), f.fset and beside_its_arrays(f.fset), doc=f.__doc__)
    if isinstance(f, (classmethod, staticmethod)) and isinstance(f.__func__, types.FunctionType):
        return type(f)(beside_its_arrays(f.__func__))
    return f


def beside_its_arrays(function):
    """The function, or all methods of a class, with the device current that its first array lies on.

    Parameters: function: a function or a class."""
    if isinstance(function, type):
        for name, f in list(vars(function).items()):
            if _method(f) is not f:
                setattr(function, name, _method(f))
        return function

    @functools.wraps(function)
    def call(*args, **options):
        x = _array_of(args)
        if x is None and options:
            x = _array_of(options.values())
        here = _device.current()
        if x is None or x._device == here:
            return function(*args, **options)
        try:  # an interrupt comes behind the call
            _device.use(x._device)
            return function(*args, **options)
        finally:
            _device.use(here)
    call.runs_beside = True
    return call


def beside_in(module, name):
    """What a module has under a name; a function runs beside its arrays from now on.

    Parameters: module: a module; name: which."""
    value = getattr(module, name)
    if isinstance(value, types.FunctionType) and not hasattr(value, "runs_beside"):
        value = beside_its_arrays(value)
        if name in vars(module):  # where pickle looks for it
            setattr(module, name, value)
    return value


def all_beside(names, module):
    """Makes a module's functions of those names such.

    Parameters: names: which; module: its globals."""
    for name in names:
        if isinstance(module.get(name), types.FunctionType):
            module[name] = beside_its_arrays(module[name])


def computed(x):
    """The array, once its device has computed it: the function's error is raised here, not in a later call.

    Parameters: x: an array."""
    x.device.synchronize()
    return x
