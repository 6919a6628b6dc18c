"""Overloads for the stubs: functions whose result depends on flags among their arguments.

Invariant: what a checker takes for an overload's result is what the function returns for these flags; a flag that is
no literal gives Any.
"""
import itertools


def parameters(arguments):
    """(name, annotation, default or None) as source; "*" alone stays."""
    return ", ".join(name if not kind else f"{name}: {kind}" + (f"={default}" if default is not None else "")
                     for name, kind, default in arguments)


def by_flags(name, arguments, flags, result):
    """`result(set of the flags that are true)` for each combination of `flags`, whose default is False. The arguments
    are (name, annotation, default or None), with ("*", "", None) before those that go by name only."""
    made = []
    for values in itertools.product((False, True), repeat=len(flags)):
        given = dict(zip(flags, values))
        kinds = [(n, f"Literal[{given[n]}]" if n in given else kind, default) for n, kind, default in arguments]
        true = [i for i, (n, _, _) in enumerate(kinds) if given.get(n)]
        gives = result({n for n in flags if given[n]})
        for by_place in range(len(true) + 1):  # so many of the true flags are given by their place
            made.append(f"@overload\ndef {name}({parameters(one(kinds, true, by_place))}) -> {gives}: ...")
    loose = [(n, "bool" if n in flags else kind, default) for n, kind, default in arguments]
    made.append(f"@overload\ndef {name}({parameters(loose)}) -> Any: ...")
    return "\n".join(made) + "\n"


def one(kinds, true, by_place):
    """The arguments where the first `by_place` of the true flags are given by place and the others by name."""
    made, star = [], any(n == "*" for n, _, _ in kinds)
    last = true[by_place - 1] if by_place else -1
    stop = true[by_place] if by_place < len(true) else None
    for i, (n, kind, default) in enumerate(kinds):
        if i == stop and not any(n == "*" for n, _, _ in made):
            made.append(("*", "", None))
        if n == "*" and any(n == "*" for n, _, _ in made):
            continue
        made.append((n, kind, None if i <= last or i in true else default))
    return made if star or stop is not None else [a for a in made if a[0] != "*"]


def tuple_of(n):
    return "ndarray" if n == 1 else f"tuple[{', '.join(['ndarray'] * n)}]"


# Functions of rows, by name: (flags, result of the set of those that are true).
FLAGS = {
    "unique": (["return_index", "return_inverse", "return_counts"], lambda true: tuple_of(1 + len(true))),
    "intersect1d": (["return_indices"], lambda true: tuple_of(3 if true else 1)),
    "linspace": (["retstep"], lambda true: "tuple[ndarray, float]" if true else "ndarray"),
}
# Others, as text.
TEXTS = {
    "where": """@overload
def where(condition: ndarray | bool, x: None = None, y: None = None) -> tuple[ndarray, ...]: ...
@overload
def where(condition: ndarray | bool, x: _Operand, y: _Operand) -> ndarray: ...
""",
    # an array goes before what has a dtype, as arrays have
    "label": """@overload
def label(input: ndarray, structure: ArrayLike | None, output: ndarray) -> int: ...
@overload
def label(input: ndarray, structure: ArrayLike | None = None, *, output: ndarray) -> int: ...
@overload
def label(input: ndarray, structure: ArrayLike | None = None, output: DTypeLike | None = None) \
-> tuple[ndarray, int]: ...
""",
    **{name: f"""@overload
def {name}(array: _Operand, /) -> ndarray: ...
@overload
def {name}(*arys: Any) -> Any: ...
""" for name in ("atleast_1d", "atleast_2d", "atleast_3d")},
}


def overloads(name, arguments):
    """The overloads of a function of a row, or None."""
    if name in FLAGS:
        return by_flags(name, arguments, *FLAGS[name])
    return TEXTS.get(name)
