"""Which of several signatures fits arguments best."""
from cuprite._compiler.ast.types import Array, Scalar, Tuple

NEVER = 1 << 20
NARROWS = 20    # the distance of a conversion that loses something


def distance(wanted, given):
    """How far arguments are from a signature: 0 when they are the same."""
    if len(wanted) != len(given):
        return NEVER
    total = 0
    for w, g in zip(wanted, given):
        if isinstance(w, Array) != isinstance(g, Array) or isinstance(w, Tuple) != isinstance(g, Tuple):
            return NEVER
        if isinstance(w, Array):
            if (w.dtype, w.ndim) != (g.dtype, g.ndim):
                return NEVER
            if w.layout != g.layout and w.layout != "A" and not (w.ndim <= 1 and {w.layout, g.layout} == {"C", "F"}):
                return NEVER
            total += w.layout != g.layout
        elif isinstance(w, Tuple):
            total += distance(w.items, g.items)
        elif isinstance(w, Scalar) and isinstance(g, Scalar):
            if g.kind == "c" and w.kind != "c":
                return NEVER
            total += 0 if w is g else 1 + abs(w.rank - g.rank) + NARROWS * (w.rank < g.rank)
        elif w != g:
            return NEVER
    return total
