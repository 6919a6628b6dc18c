"""einsum as Python calls it: subscripts as a text, or lists of numbers beside the operands."""
from cuprite import _core

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_PATHS = {True: 0, "best": 0, "greedy": 1, "optimal": 2, False: 3, None: 3}


def _list_string(subscripts):
    text = ""
    for s in subscripts:
        if s is Ellipsis:
            text += "..."
            continue
        try:
            s = s.__index__()
        except AttributeError:
            raise TypeError("each subscript must be either an integer or an ellipsis") from None
        if not 0 <= s < len(_LETTERS):
            raise ValueError(f"subscript is not within the valid range [0, {len(_LETTERS)})")
        text += _LETTERS[s]
    return text


def _read(operands):
    """The text of the subscripts, and the operands."""
    if not operands:
        raise ValueError("must specify the einstein sum subscripts string and at least one operand, or at least one "
                         "operand and its corresponding subscripts list")
    if isinstance(operands[0], str):
        if len(operands) == 1:
            raise ValueError("must provide at least an operand and a subscripts list to einsum")
        return operands[0], operands[1:]
    if len(operands) < 2:
        raise ValueError("must provide at least an operand and a subscripts list to einsum")
    arrays, lists = operands[:len(operands) // 2 * 2:2], operands[1::2]
    text = ",".join(_list_string(s) for s in lists)
    if len(operands) % 2:
        text += "->" + _list_string(operands[-1])
    return text, arrays


def einsum(operands, out, dtype, order, casting, optimize):
    text, arrays = _read(operands)
    path, way = None, 0
    if isinstance(optimize, (list, tuple)):
        if len(optimize) == 2 and isinstance(optimize[0], str) and isinstance(optimize[1], (int, float)):
            from cuprite import _einsum_path  # a bound of the results' sizes
            path = _einsum_path.einsum_path((text, *arrays), optimize)[0][1:]
        elif not optimize or (isinstance(optimize[0], str) and optimize[0] != "einsum_path"):
            raise TypeError(f"Did not understand the path: {optimize!r}")
        else:
            path = list(optimize)
    elif not isinstance(optimize, (bool, str, type(None))):
        raise TypeError(f"Did not understand the path: {optimize!r}")
    elif optimize not in _PATHS:
        raise KeyError(f"Path name {optimize} not found")
    else:
        way = _PATHS[optimize]
    return _core._einsum(text, list(arrays), out, dtype, casting, order, way, path)
