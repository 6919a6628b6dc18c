"""Differential cases that are compiled: a batch of expressions becomes one function, as compiling costs more than all
else. A case is one expression, by its number; its batch is made when its first case is asked for, and the verdicts of
the others are kept.

Values are compared bit by bit, but that a NaN is a NaN; what goes through a function of the C library or a complex one
may differ by `Expression.loose`, relative to the number's size."""
import collections
import random

import numpy as np

from differential import pool

#: a case: the source, the names of its variables, the tolerance (0: the same bits)
Expression = collections.namedtuple("Expression", "text names loose")
NAMES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64 complex64 complex128".split()
#: a variable for each type, twice
VARIABLES = {f"{letter}_{name}": name for name in NAMES for letter in "xy"}
ROWS = 24


def number_of(family, number):
    """The choices of a case."""
    return random.Random(f"{family} {number}")


def rows_of(family, batch):
    """The values of all variables, ROWS times: {variable: array}."""
    r = random.Random(f"rows of {family} {batch}")
    made = {}
    for variable, name in VARIABLES.items():
        char = np.dtype(name).char
        flavours = ("wide", "small", "wide") if np.dtype(name).kind in "biu" else ("special", "small", "plain", "plain")
        made[variable] = np.array([pool(char, r.choice(flavours))[r.randrange(4096)] for _ in range(ROWS)], name)
    return made


def differs(ours, theirs, t, loose):
    """Whether two numbers of the type t are different ones."""
    a, b = np.array(ours, t), np.array(theirs, t)
    if t.kind not in "fc":
        return a != b
    parts = [(a, b)] if t.kind == "f" else [(a.real, b.real), (a.imag, b.imag)]
    size = float(abs(b)) if t.kind == "c" and np.isfinite(b) else None
    eps = np.finfo(t).eps
    for x, y in parts:
        x, y = x[()], y[()]
        if np.isnan(x) or np.isnan(y):
            if np.isnan(x) != np.isnan(y):
                return True
        elif not loose:
            if x != y or np.signbit(x) != np.signbit(y):
                return True
        elif np.isinf(x) or np.isinf(y):
            if x != y and not min(abs(x), abs(y)) > np.finfo(t).max * 0.999:
                return True
        elif abs(float(x) - float(y)) > loose * eps * max(size or 0, abs(float(y)), np.finfo(t).smallest_normal):
            return True
    return False


class Batches:
    """A family of such cases. `size`: how many expressions a batch has; `make(numbers)` gives their verdicts."""
    size, patience = 100, 20

    def __init__(self, name, about, draw, make):
        self.name, self.about, self.draw, self.make = name, about, draw, make
        self.kept = (None, ())

    def case(self, number):
        return self.draw(number_of(self.name, number))

    def text(self, number):
        return self.case(number).text

    def names(self, number):
        return set()

    def verdict(self, number, careful=True):
        batch = number // self.size
        if self.kept[0] != batch:
            numbers = range(batch * self.size, (batch + 1) * self.size)
            self.kept = batch, self.make(self.name, batch, [(n, self.case(n)) for n in numbers])
        return self.kept[1][number - batch * self.size]
