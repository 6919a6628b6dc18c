"""The language of the rows `reducer` and `reduction`: which words a fold may say where, and what they are in C.

A fold's identity, map and combine are words, calls, conditions `c ? a : b`, `!`, `&&` and `||`. Operators on values are
not among them: one text serves every type, and complex numbers are structs, integers numbers modulo 2^64. Invariant:
what is accepted has the type it must have for every element, so that it compiles and means the same in all of them;
what is not is refused with the row's file and line.

Types: a value (an element, or the number that it becomes), a count, moments, a place, the position i.
"""
import re

ACCUMULATOR = {"number": "value", "own": "value", "count": "count", "moments": "moments", "indexed": "indexed"}
ALL = tuple(ACCUMULATOR)
TWO = ("same", "same")
# word -> arguments, result, the accumulators beside which it has a meaning ("same": what the accumulator is)
FUNCTIONS = {
    "add": (TWO, "same", ("number", "own", "count")), "multiply": (TWO, "same", ("number", "own", "count")),
    "lower": (TWO, "same", ("own",)), "higher": (TWO, "same", ("own",)),
    "lower_known": (TWO, "same", ("own",)), "higher_known": (TWO, "same", ("own",)),
    "known": (("value", "value"), "value", ("number", "own")),
    "absolute": (("value",), "value", ALL), "nonzero": (("value",), "count", ALL), "isnan": (("value",), "count", ALL),
    "moment": (("value",), "moments", ("moments",)), "join": (("moments", "moments"), "moments", ("moments",)),
    "indexed": (("value", "position"), "indexed", ("indexed",)),
    "lower_indexed": (("indexed", "indexed"), "indexed", ("indexed",)), "higher_indexed": (("indexed", "indexed"),
                                                                                           "indexed", ("indexed",)),
}
CONSTANTS = {"zero": ("same", ("number", "own", "count")), "one": ("same", ("number", "own", "count")),
             "minus_zero": ("same", ("number", "own")), "least": ("same", ("own",)), "greatest": ("same", ("own",)),
             "unknown": ("same", ("own",)), "empty": ("moments", ("moments",)), "nowhere": ("indexed", ("indexed",))}
NAN_ONLY = {"known", "lower_known", "higher_known", "unknown"}  # integers have nothing of it
# what joining with leaves an accumulator as it is
IDENTITIES = {"add": ("zero", "minus_zero"), "multiply": ("one",), "lower": ("greatest",), "higher": ("least",),
              "lower_known": ("unknown",), "higher_known": ("unknown",), "join": ("empty",),
              "lower_indexed": ("nowhere",), "higher_indexed": ("nowhere",)}
VARIABLES = {"identity": {}, "map": {"x": "value", "i": "position"}, "combine": {"a": "same", "b": "same"}}


class Reader:
    """One text of a fold, read from the left."""

    def __init__(self, row, column):
        self.row, self.column, self.text = row, column, row.columns[column]
        self.same = ACCUMULATOR[row.accumulator]
        self.tokens = re.findall(r"\w+|&&|\|\||\S", self.text)

    def wrong(self, text):
        return self.row.error(f"reducer {self.row.args[0]}: {self.column}={self.text!r}: {text}")

    def next(self, *expected):
        token = self.tokens.pop(0) if self.tokens else "the end"
        if expected and token not in expected:
            raise self.wrong(f"expected {expected[0]}, not {token}")
        return token

    def check(self):
        got = self.condition()
        if self.tokens:
            raise self.wrong(f"{self.tokens[0]} is no word; values have no operators, for they are of every type, so "
                             f"it is said "
                             f"by a call: {', '.join(sorted(FUNCTIONS))}")
        if got != self.same:
            raise self.wrong(f"this is a {got}, and the accumulator {self.row.accumulator} is a {self.same}")

    def condition(self):
        got = self.one()
        while self.tokens[:1] in (["&&"], ["||"]):
            self.next()
            if {got, self.one()} != {"count"}:
                raise self.wrong("&& and || join conditions, isnan(x) or nonzero(x)")
        if self.tokens[:1] != ["?"]:
            return got
        self.next()
        yes = self.condition()
        self.next(":")
        no = self.condition()
        if got != "count" or yes != no:
            raise self.wrong(f"? takes a condition, isnan(x) or nonzero(x), and two alike, not a {yes} and a {no}")
        return yes

    def one(self):
        token = self.next()
        if token == "!":
            got = self.one()
            if got != "count":
                raise self.wrong(f"! takes a condition, isnan(x) or nonzero(x), not a {got}")
            return got
        if token == "(":
            got = self.condition()
            self.next(")")
            return got
        variables = VARIABLES[self.column]
        if token in variables:
            return self.meant(variables[token])
        table = FUNCTIONS if token in FUNCTIONS else CONSTANTS
        if token not in table:
            known = [*variables, *(w for t in (CONSTANTS, FUNCTIONS) for w in t if self.row.accumulator in t[w][-1])]
            raise self.wrong(f"{token} is no word here; there are {', '.join(known)}")
        if self.row.accumulator not in table[token][-1]:
            raise self.wrong(f"{token} has no meaning beside the accumulator {self.row.accumulator}")
        if token in NAN_ONLY and not self.row.get("integers"):
            raise self.wrong(f"{token}: integers have no NaN; the column `integers` names the reducer that takes them")
        if table is CONSTANTS:
            return self.meant(CONSTANTS[token][0])
        self.arguments(token)
        return self.meant(FUNCTIONS[token][1])

    def arguments(self, word):
        for i, wanted in enumerate(FUNCTIONS[word][0]):
            self.next("," if i else "(")
            got = self.condition()
            if got != self.meant(wanted):
                raise self.wrong(f"{word} takes a {self.meant(wanted)}, not a {got}")
        self.next(")")

    def meant(self, what):
        return self.same if what == "same" else what


def check_reducer(row):
    for column in VARIABLES:
        Reader(row, column).check()
    word = re.fullmatch(r"(\w+)\(a, b\)", row.combine)
    if word and row.identity not in IDENTITIES.get(word[1], (row.identity,)):
        raise row.error(f"reducer {row.args[0]}: identity={row.identity!r}: {row.combine} leaves an accumulator as it "
                        f"is "
                        f"beside {' or '.join(IDENTITIES[word[1]])}")


# --- finishes ---
FINALIZE = {"number": {"a", "n", "root", "NAN"}, "moments": {"a", "n", "ddof", "root", "spread", "NAN"},
            "count": {"a", "n"}, "indexed": {"a", "n"}, "own": {"a"}}


def check_finalize(row, accumulator):
    """A finish is C's arithmetic on a and n; what a class has no use of is refused."""
    for word in re.findall(r"[A-Za-z_]\w*", row.finalize):
        if word not in FINALIZE[accumulator]:
            raise row.error(f"{row.args[0]}: finalize={row.finalize!r}: {word} is no word for the accumulator "
                            f"{accumulator}; "
                            f"there are {', '.join(sorted(FINALIZE[accumulator]))}")
        if accumulator == "number" and word == "root" and row.result != "real":
            raise row.error(f"{row.args[0]}: finalize={row.finalize!r}: real and imaginary parts are finished alike, "
                            f"which "
                            f"no root "
                            f"of complex numbers is: it needs result=\"real\"")


def finalize_in_c(row, accumulator):
    text = re.sub(r"\b(spread|root)\(", r"cpi_\1(", row.finalize)
    return re.sub(r"\bn\b", "(double)n", text) if accumulator == "number" else text
