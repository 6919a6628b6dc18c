"""Programs of statements with Numba as the oracle: loops, conditions, tuples, slices, variables whose type changes. A
batch has ten, each a function of its own; what they return and what they wrote is compared, values and types."""
import warnings

import numpy as np

from differential_batches import VARIABLES, Batches, Expression, differs, rows_of
from differential_numba import KIND, NAN, Tree, dtype_of, function_of, lim, numba_types

#: array parameters, of 7 elements; `b` is written to
ARRAYS = {"a_int16": "int16", "a_float32": "float32", "a_uint8": "uint8", "a_complex64": "complex64", "b": "float64"}
WIDER = "bifc"


class Program(Tree):
    """Draws statements; `kinds` of the local variables are known as far as the source shows."""

    def __init__(self, r):
        super().__init__(r)
        self.kinds, self.lines, self.depth, self.inner = {}, [], 1, 0

    def leaf(self, kind):
        mine = [v for v, k in self.kinds.items() if k == kind]
        x = self.r.random()
        if mine and x < 0.5:
            return self.r.choice(mine)
        if x < 0.6 and kind in "ifc":
            a = self.r.choice([a for a, t in ARRAYS.items() if KIND[t] == kind])
            index = self.r.choice(["0", "-1", "3", f"{self.r.choice(mine)} % 7" if mine and kind == "i" else "2"])
            return f"{a}[{index}]"
        return super().leaf(kind)

    def emit(self, line):
        self.lines.append("    " * self.depth + line)

    def assign(self, name, kind, text):
        """A variable whose kind, where it may have two, is the wider one."""
        self.emit(f"{name} = {text}")
        old = self.kinds.get(name)
        self.kinds[name] = max(kind, old, key=WIDER.index) if old and self.depth > 1 else kind

    def block(self, n):
        self.depth += 1
        for _ in range(n):
            self.statement()
        self.depth -= 1

    def statement(self):
        names = list(self.kinds)
        name, r = self.r.choice(names), self.r.random()
        kind = self.kinds[name]
        if r < 0.3:
            # in a block a variable keeps its kind: its type is that of all that reaches a read
            to = kind if self.depth > 1 or self.r.random() < 0.6 else self.r.choice("biffc")
            self.assign(name, to, self.of(to, 2))
        elif r < 0.5 and kind != "b":
            op = self.r.choice({"i": ["+=", "-=", "*=", "&=", "|=", "^=", "//=", "%="], "f": ["+=", "-=", "*=", "/="],
                                "c": ["+=", "-=", "*="]}[kind])
            self.emit(f"{name} {op} {self.of('i' if kind == 'i' else self.r.choice('bi' + kind), 1)}")
        elif r < 0.6:
            self.emit(f"b[{self.r.choice(['0', '-1', '5'])}] {self.r.choice(['=', '+='])} {self.of('f', 1)}")
        elif r < 0.65:
            other = self.r.choice([n for n in names if self.kinds[n] == kind])
            self.emit(f"{name}, {other} = {other}, {name}" if other != name else "pass")
        elif r < 0.7:
            low, high = self.r.choice([("", "3"), ("2", ""), ("1", "5"), (f"({self.leaf('i')} & 3)", "")])
            if self.r.random() < 0.5:
                self.emit(f"b[{low}:{high}] = {self.of('f', 1)}")
            else:
                self.emit(f"w{len(self.lines)} = a_int16[{low}:{high}]")
                self.assign(name, "i", f"len(w{len(self.lines) - 1})") if self.depth == 1 else None
        elif r < 0.85 and self.depth < 3:
            self.emit(f"if {self.of('b', 1)}:")
            self.block(self.r.choice((1, 2)))
            if self.r.random() < 0.6:
                self.emit("else:")
                self.block(1)
        elif self.depth < 3 and self.inner < 2:
            self.loop()
        else:
            self.emit("pass")

    def loop(self):
        self.inner += 1
        i = f"i{len(self.lines)}"
        head = self.r.choice([
            f"for {i} in range({self.r.choice(['3', '2, 9, 3', '5, 0, -2', '-2, 2'])}):",
            f"for {i} in range({self.leaf('i')} & 3):",
            f"for {i} in {self.r.choice(['a_int16', 'a_uint8[1:4]', 'a_int16[::-2]', 'a_uint8[::2]'])}:",
            f"for {i} in ({self.r.randrange(9)}, {self.r.randrange(9)}, 4):",
            f"for {i}, z{i} in enumerate(a_float32):", f"for {i}, z{i} in zip(a_int16, a_float32[1:]):"])
        self.emit(head)
        self.kinds[i] = "i"
        if "," in head.split(" in ")[0]:
            self.kinds["z" + i] = "f"
        if self.r.random() < 0.3:
            self.emit(f"    if {self.of('b', 1)}:")
            self.emit(f"        {self.r.choice(['break', 'continue'])}")
        self.block(self.r.choice((1, 2)))
        for v in (i, "z" + i):
            self.kinds.pop(v, None)


def draw(r):
    p = Program(r)
    for k, kind in enumerate("iifc"):
        text = p.of(kind, 1)
        p.emit(f"v{k} = {text}")
        p.kinds[f"v{k}"] = kind
    for _ in range(r.choice((3, 5, 8))):
        p.statement()
    p.emit("return v0, v1, v2, v3")
    return Expression("\n".join(p.lines), tuple(sorted(p.names)), 0)


def program(text, lim_):
    made = function_of(["0"], lim_)
    import linecache
    source = f"def f({', '.join([*VARIABLES, *ARRAYS])}):\n{text}\n"
    file = f"<program {abs(hash(source))}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    space = dict(made.__globals__)
    exec(compile(source, file, "exec"), space)
    return space["f"]


def arrays_of(rows, k):
    return [np.resize(np.roll(rows["x_" + t], k), 7).astype(t) for t in ARRAYS.values()]


def of_numba(text, rows, lim_):
    import numba
    f = numba.njit(program(text, lim_), error_model="numpy")
    try:
        f.compile(tuple(numba_types() + [getattr(numba.types, t)[::1] for t in ARRAYS.values()]))
    except Exception as e:  # noqa: BLE001
        return f"Numba refuses: {type(e).__name__}"
    types = [dtype_of(t) for t in f.nopython_signatures[0].return_type]
    return types, called(f, rows)


def called(f, rows):
    found = []
    for k in range(len(rows["x_bool"])):
        arrays = arrays_of(rows, k)
        r = f(*(rows[v][k] for v in VARIABLES), *arrays)
        found.append((r, arrays[-1]))
    return found


def together(texts, lim_):
    """A function that calls all programs, each with an array `b` of its own, and returns what they return."""
    import cuprite.numba
    names = [*VARIABLES, *list(ARRAYS)[:-1]]
    head = ", ".join(names + [f"b{k}" for k in range(len(texts))])
    calls = "".join(f"p{k}({', '.join([*names, f'b{k}'])}), " for k in range(len(texts)))
    source = f"def f({head}):\n    return ({calls})\n"
    import linecache
    file = f"<programs {abs(hash(''.join(texts)))}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    space = {f"p{k}": cuprite.numba.njit(program(text, lim_)) for k, text in enumerate(texts)}
    exec(compile(source, file, "exec"), space)
    return space["f"]


def of_ours(texts, rows, lim_):
    """[(types, what is returned and what `b` has then), or a message], compiled as one function; where that is refused
    it is halved."""
    from cuprite._compiler.numba import _native
    try:
        arrays = arrays_of(rows, 0)
        given = [rows[v][0] for v in VARIABLES] + arrays[:-1] + [arrays[-1]] * len(texts)
        made = _native.Native(together(texts, lim_), tuple(_native.type_of(a) for a in given))
        found = [([t.dtype for t in item.items], []) for item in made.result.items]
        for k in range(len(rows["x_bool"])):
            arrays = arrays_of(rows, k)
            b = [arrays[-1].copy() for _ in texts]
            returned = made((*(rows[v][k] for v in VARIABLES), *arrays[:-1], *b))[0]
            for (_, values), *pair in zip(found, returned, b):
                values.append(tuple(pair))
        return found
    except Exception as e:  # noqa: BLE001
        if len(texts) == 1:
            return [f"{type(e).__name__}: {str(e).splitlines()[-1]}"]
        half = len(texts) // 2
        return of_ours(texts[:half], rows, lim_) + of_ours(texts[half:], rows, lim_)


LOOPS = "Numba types what stands behind a loop before it knows the types that the loop assigns, and joins both"


def joined_behind_loop(text, theirs, ours, rows, lim_):
    """Whether LOOPS explains these types: Numba has ours where whole numbers have, before the loops, the type that they
    have behind them: those that differ, or all (one that differs may be made of another)."""
    differ = [k for k, (a, b) in enumerate(zip(ours, theirs)) if a != b]
    whole = [k for k, t in enumerate(ours) if t.kind in "iu"]
    return all(ours[k].kind in "iu" for k in differ) and any(
        has_types_of_ours(text, chosen, ours, rows, lim_) for chosen in (differ, whole))


def has_types_of_ours(text, variables, ours, rows, lim_):
    lines = text.splitlines()
    for k in variables:
        at = next(i for i, line in enumerate(lines) if line.startswith(f"    v{k} = "))
        if not any(line.lstrip().startswith("for ") for line in lines[at:]):
            return False
        lines[at] = f"    v{k} = np.{ours[k]}({lines[at].partition(' = ')[2]})"
    found = of_numba("\n".join(lines), rows, lim_)
    return not isinstance(found, str) and found[0] == ours


def asks_for_sign_of_nan(text, rows, k):
    """Whether a program asks for signs where it is given a NaN: that of -x depends on how Numba negates."""
    given = [*(rows[v][k] for v in VARIABLES), *(x for a in arrays_of(rows, k) for x in a)]
    return ("signbit" in text or "copysign" in text) and any(x != x for x in given)


def judge(number, case, theirs, ours, rows, lim_):
    from differential_families import Wrong
    if isinstance(theirs, str):
        return theirs
    if isinstance(ours, str):
        return Wrong(f"refused: {ours[:60]}", f"ours: {ours}", number, case.text)
    if ours[0] != theirs[0]:
        if joined_behind_loop(case.text, theirs[0], ours[0], rows, lim_):
            return LOOPS
        return Wrong("types", f"ours {ours[0]}, Numba's {theirs[0]}", number, case.text)
    double = np.dtype("float64")
    for k, ((a, p), (b, q)) in enumerate(zip(ours[1], theirs[1])):
        pairs = [*zip(a, b, theirs[0]), *zip(p, q, [double] * len(p))]
        wrong = [(x, y) for x, y, t in pairs if differs(x, y, t, 0)]
        if wrong and asks_for_sign_of_nan(case.text, rows, k):
            return NAN
        if wrong:
            given = {v: rows[v][k] for v in case.names}
            return Wrong("values", f"ours {wrong[0][0]!r}, Numba's {wrong[0][1]!r} with {given}", number, case.text)
    return None


def make(name, batch, cases):
    import os
    os.environ.setdefault("NUMBA_OPT", "0")
    import numba

    import cuprite.numba
    rows = rows_of(name, batch)
    theirs_lim, ours_lim = numba.njit(lim), cuprite.numba.njit(lim)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        theirs = [of_numba(c.text, rows, theirs_lim) for _, c in cases]
        usable = [k for k, t in enumerate(theirs) if not isinstance(t, str)]
        ours = dict(zip(usable, of_ours([cases[k][1].text for k in usable], rows, ours_lim) if usable else ()))
        return [judge(n, c, theirs[k], ours.get(k), rows, theirs_lim) for k, (n, c) in enumerate(cases)]


FAMILIES = {"programs": Batches("programs", "programs of statements in njit, compared with numba.njit", draw, make)}
FAMILIES["programs"].size = 10
