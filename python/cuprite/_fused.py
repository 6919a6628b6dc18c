"""fused: a text of elementwise operations computed in one go, as numexpr.evaluate does it.

Texts that were read are kept, so a call in a loop reads its text once; what a text may say stands in
include/cuprite/fuse.h."""
import functools
import sys

from cuprite import _core


@functools.lru_cache(256)
def _read(text):
    return _core._Fused(text)


def fused(text, local_dict=None, global_dict=None, out=None, casting="same_kind", **operands):
    """The value of an expression of elementwise operations, computed without arrays for what lies between.

    fused("a*x + sin(y)") takes the names from the caller's variables, fused("a*x + y", a=2, x=x, y=y) from its
    arguments; local_dict and global_dict are looked into instead of the caller's. Results have the types and the bits
    that the operations give one by one. `out` is an array for the result, or a tuple where the text returns several."""
    f = _read(text)
    values = []
    for name in f.names:
        if name in operands:
            values.append(operands[name])
            continue
        if local_dict is None:
            frame = sys._getframe(1)
            local_dict, global_dict = frame.f_locals, frame.f_globals if global_dict is None else global_dict
        if name in local_dict:
            values.append(local_dict[name])
        elif global_dict is not None and name in global_dict:
            values.append(global_dict[name])
        else:
            raise NameError(f"fused: the name {name!r} of {text!r} is not defined")
    unknown = [name for name in operands if name not in f.names]
    if unknown:
        raise TypeError(f"fused: {text!r} has no operand {unknown[0]!r}")
    return f(*values, out=out, casting=casting)
