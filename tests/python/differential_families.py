"""All families of differential cases behind one interface: a case has a number, a source string, and a verdict.

A number of a family is the same case always, whichever of the two kinds of drawing makes it: calls of functions
(differential.py) or source strings of statements (differential_arrange.py)."""
import collections
import re

import differential_companions
import differential_composites
import differential_creation
import differential_matrices
import differential_points
import differential_products
import differential_protocols
import differential_reduce
import differential_special
import differential_statistics
import differential_ufunc
from differential import Known, case_of, compare
from differential_arrange import FAMILIES as TEXTS
from differential_arrange import judge, string_of, two_mistakes
from differential_known import known

#: a mismatch: its kind, by which mismatches are counted; what is wrong; the number and the source of the case
Wrong = collections.namedtuple("Wrong", "kind what number text")
CALLS = {**differential_ufunc.FAMILIES, **differential_reduce.FAMILIES, **differential_statistics.FAMILIES,
         **differential_creation.FAMILIES, **differential_composites.FAMILIES, **differential_products.FAMILIES,
         **differential_protocols.FAMILIES, **differential_companions.FAMILIES}


class Calls:
    """A family of calls of functions."""

    def __init__(self, name):
        self.name, self.draw, self.about = name, CALLS[name], CALLS[name].__doc__
        self.rows = {None: known(name), **{family: known(family) + known(name) for family in CALLS}}

    def text(self, number):
        return case_of(self.draw, number).text()

    def names(self, number):
        """What the case calls, as `names` of Texts gives it."""
        return {case_of(self.draw, number).f}

    def verdict(self, number, careful=True):
        """None, the reason of a known difference, or a Wrong. careful=False: mistakes of the comparison are raised."""
        case = case_of(self.draw, number)
        try:
            wrong = compare(case, self.rows[case.family])
        except Exception as e:  # noqa: BLE001
            if not careful:
                raise
            wrong = f"comparison: {e!r}"
        if isinstance(wrong, Known):
            return wrong.reason
        return wrong and Wrong(f"{case.f}: {_kind(wrong)}", wrong, number, case.text())


def _kind(wrong):
    """A message without what is peculiar to one case."""
    if wrong.startswith("type"):
        return wrong
    return re.sub(r"\(.*|[-\d.]+", "", re.sub(r"value: .*", "value", wrong, flags=re.S), flags=re.S)


class Texts:
    """A family of statements."""

    def __init__(self, name):
        self.name, self.about = name, ", ".join(f.__name__.strip("_") for f in TEXTS[name][0])

    def text(self, number):
        return string_of(self.name, number)[1]

    def names(self, number):
        """The dotted names of the functions that the case calls, members of arrays behind a dot."""
        text = self.text(number)
        members = (m for pair in re.findall(r"[\])]\.(\w+)|\ba\.(\w+)", text) for m in pair if m)
        return {*re.findall(r"xp\.((?:\w+\.)*\w+)", text), *("." + m for m in members)}

    def verdict(self, number, careful=True):
        maker, text = string_of(self.name, number)
        found = judge(text)
        if isinstance(found, str):
            return found
        if found and two_mistakes(found, self.name, number):
            return "which of two mistakes is told"
        return found and Wrong(f"{found.what} in {maker}", f"{found.what}: {found.ours} for {found.theirs}", number,
                               text)


FAMILIES = {**{name: Calls(name) for name in CALLS}, **{name: Texts(name) for name in TEXTS},
            **differential_special.FAMILIES, **differential_matrices.FAMILIES, **differential_points.FAMILIES}
