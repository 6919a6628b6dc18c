"""Numba as the oracle: expressions over all types of numbers, compiled by numba.njit and by our njit and cuda.jit,
whose values and result types must be the same.

An expression is drawn as a tree whose kinds (truth value, whole, real, complex) are known, so that most have a type in
Numba; what Numba refuses is counted as known. Where both would do what is not defined (a float beyond an integer's
range, a shift beyond the width), the drawing keeps the operand within bounds."""
import ast
import cmath
import math
import operator
import os
import re
import warnings

import numpy as np

from differential_batches import NAMES, VARIABLES, Batches, Expression, differs, rows_of

KIND = {name: "c" if name.startswith("c") else "f" if name.startswith("f") else "b" if name == "bool" else "i"
        for name in NAMES}
LITERALS = {"b": ["True", "False"], "i": ["0", "1", "2", "3", "7", "100", "-1", "-5", "65536", "4294967296"],
            "f": ["0.5", "2.0", "-1.5", "0.0", "1e10", "3.25"], "c": ["1j", "(0.5+2j)", "(1+0j)"]}
SAME = {"bi": ["+", "-", "*", "//", "%", "&", "|", "^"], "f": ["+", "-", "*", "/", "//", "%"], "c": ["+", "-", "*"]}
#: NumPy's of one and of two numbers, by the kinds of their arguments; exact ones. Not np.sign of integers: Numba
#: takes unsigned ones for signed, np.sign(np.uint8(200)) is 255; nor np.fmod, where it takes signed ones for unsigned,
#: np.fmod(-7, 3) is 0; nor np.lcm, which it computes in float64 where a number is unsigned
NP1 = {"bi": "negative positive absolute square invert logical_not conj floor ceil trunc isfinite isnan signbit "
             "reciprocal",
       "f": "negative positive absolute fabs rint square reciprocal sign floor ceil trunc isfinite isnan isinf signbit "
            "logical_not spacing sqrt deg2rad",
       "c": "negative conj absolute square isnan isfinite isinf logical_not rint real imag"}
NP2 = {"bi": "add subtract multiply floor_divide remainder maximum minimum fmax fmin bitwise_and bitwise_or "
             "bitwise_xor equal less less_equal greater not_equal logical_and logical_or logical_xor power gcd "
             "true_divide",
       "f": "add subtract multiply true_divide floor_divide remainder fmod maximum minimum fmax fmin equal less "
            "greater less_equal greater_equal copysign nextafter logical_and",
       "c": "add subtract multiply equal not_equal"}
#: by the kinds of their arguments, of functions that go through the C library: only at the root
LIBRARY = {"f": "math.sin math.cos math.tan math.exp math.log math.sqrt math.asin math.atan math.sinh math.tanh "
                "math.asinh math.log1p math.expm1 math.log10 math.erf math.gamma math.lgamma math.log2 np.sin np.exp "
                "np.log np.cbrt np.log2 np.exp2 np.arctan np.tanh np.log1p np.expm1",
           "c": "cmath.sqrt cmath.exp cmath.log cmath.sin cmath.cos cmath.tan cmath.sinh cmath.cosh cmath.asin "
                "cmath.acos cmath.atan cmath.asinh cmath.acosh cmath.atanh cmath.phase np.sqrt np.exp np.log np.sin "
                "abs np.absolute"}
LIBRARY2 = "math.atan2 math.hypot math.pow np.arctan2 np.hypot np.logaddexp np.power np.float_power".split()
CASTS = [n for n in NAMES if n != "bool"]


def lim(x):
    """A number within what the smallest integer holds: beyond, conversions are not defined."""
    return min(max(x, -100.0), 100.0) if x == x else 0.0


class Tree:
    """Draws the source of an expression; `loose` grows where it is not exact."""

    def __init__(self, r):
        self.r, self.names, self.loose = r, set(), 0

    def leaf(self, kind):
        if self.r.random() < 0.18:
            return self.r.choice(LITERALS[kind])
        name = self.r.choice([n for n in NAMES if KIND[n] == kind])
        variable = self.r.choice("xy") + "_" + name
        self.names.add(variable)
        return variable

    def real(self, depth):
        """An expression that is no complex one."""
        return self.of(self.r.choice("biff"), depth)

    def of(self, kind, depth):
        """An expression of a kind, roughly: Numba says what it is."""
        if depth <= 0:
            return self.leaf(kind)
        return getattr(self, "of_" + kind)(depth)

    def of_b(self, d):
        r = self.r.random()
        if r < 0.4:
            kind = self.r.choice("biif")
            return f"({self.of(kind, d - 1)} {self.r.choice(['<', '<=', '==', '!=', '>', '>='])} {self.real(d - 1)})"
        if r < 0.5:
            return f"({self.of('c', d - 1)} {self.r.choice(['==', '!='])} {self.of('c', d - 1)})"
        if r < 0.65:
            return f"(not {self.real(d - 1)})"
        if r < 0.8:
            return f"({self.of('b', d - 1)} {self.r.choice(['and', 'or', '&', '|', '^'])} {self.of('b', d - 1)})"
        return f"~{self.leaf('b')}" if r < 0.9 else f"bool({self.real(d - 1)})"

    def of_i(self, d):
        r = self.r.random()
        a, b = self.r.choice("biii"), self.r.choice("biii")
        if r < 0.4:
            return f"({self.of(a, d - 1)} {self.r.choice(SAME['bi'])} {self.of(b, d - 1)})"
        if r < 0.5:
            return f"({self.of('i', d - 1)} {self.r.choice(['<<', '>>'])} ({self.of('i', d - 1)} & 7))"
        if r < 0.58:
            return f"({self.of('i', d - 1)} ** {self.r.choice(['2', '3', '1', '0', '(' + self.leaf('i') + ' & 7)'])})"
        if r < 0.68:
            return f"{self.r.choice('-+~')}{self.of(a, d - 1)}"
        if r < 0.76:
            return f"{self.r.choice(['abs', 'int'])}({self.of('i', d - 1)})"
        if r < 0.84:
            return f"np.{self.r.choice([n for n in CASTS if KIND[n] == 'i'])}({self.of('i', d - 1)})"
        if r < 0.92:
            f = self.r.choice("int math.floor math.ceil math.trunc round np.int8 np.int32 np.int64".split())
            return f"{f}(lim({self.of('f', d - 1)}))"
        return self.any(d, "i")

    def of_f(self, d):
        r = self.r.random()
        a, b = self.r.choice("biff"), self.r.choice("fff")
        if self.r.random() < 0.5:
            a, b = b, a
        if r < 0.45:
            return f"({self.of(a, d - 1)} {self.r.choice(SAME['f'])} {self.of(b, d - 1)})"
        if r < 0.52:
            return f"({self.of('i', d - 1)} / {self.of('i', d - 1)})"
        if r < 0.6:
            if self.r.random() < 0.5:
                return f"({self.of('f', d - 1)} ** {self.r.choice(['2', '3'])})"
            x = self.leaf("f")  # Numba raises where a zero has a negative exponent
            return f"(({x} * {x} + np.float32(1)) ** {self.r.choice(['-1', '-2', '-(' + self.leaf('i') + ' & 3)'])})"
        if r < 0.66:
            return f"{self.r.choice('-+')}{self.of('f', d - 1)}"
        if r < 0.74:
            return f"{self.r.choice(['abs', 'float', 'math.fabs', 'math.sqrt'])}({self.of('f', d - 1)})"
        if r < 0.82:
            return f"np.{self.r.choice(['float32', 'float64'])}({self.real(d - 1)})"
        if r < 0.88:
            return f"{self.of('c', d - 1)}.{self.r.choice(['real', 'imag'])}"
        return self.any(d, "f")

    def of_c(self, d):
        r = self.r.random()
        if r < 0.6:
            a, b = self.r.choice([("c", "c"), ("c", "f"), ("f", "c"), ("c", "i"), ("b", "c")])
            return f"({self.of(a, d - 1)} {self.r.choice(SAME['c'])} {self.of(b, d - 1)})"
        if r < 0.7:
            return f"{self.r.choice('-+')}{self.of('c', d - 1)}"
        if r < 0.8:
            return f"complex({self.leaf('f')}, {self.leaf(self.r.choice('if'))})"
        if r < 0.9:
            return f"np.{self.r.choice(['complex64', 'complex128'])}({self.of(self.r.choice('fc'), d - 1)})"
        return f"{self.of('c', d - 1)}.conjugate()" if r < 0.95 else self.any(d, "c")

    def any(self, d, kind):
        """Forms that there are for all kinds."""
        key = "bi" if kind in "bi" else kind
        r = self.r.random()
        if r < 0.35:
            return f"np.{self.r.choice(NP1[key].split())}({self.of(kind, d - 1)})"
        if r < 0.75:
            f, x, y = self.r.choice(NP2[key].split()), self.of(kind, d - 1), self.of(kind, d - 1)
            if f == "power" and kind in "bi":  # Numba computes it in float64: exact below 2**53
                whole = [n for n in CASTS if KIND[n] == "i"]
                t = self.r.choice(whole)
                u = self.r.choice(whole) if self.r.random() < 0.8 else ""
                # within the type of the result: a float beyond it has no defined integer
                base, most = (7, 15) if "64" in t + u else (3, 3)
                x = f"np.{t}({x} & {base})"
                y = f"np.{u}({y} & {most})" if u else self.r.choice(["-1", "-2"])
            return f"np.{f}({x}, {y})"
        if r < 0.85 and kind != "c":
            other = self.of(self.r.choice("bii"), d - 1) if kind in "bi" else self.real(d - 1)  # no 1e10 for np.int8()
            return f"{self.r.choice(['min', 'max'])}({self.of(kind, d - 1)}, {other})"
        other = self.of(self.r.choice("bi" if kind in "bi" else "bif" + kind), d - 1)
        return f"({self.of(kind, d - 1)} if {self.of('b', d - 1)} else {other})"


def draw(r):
    t = Tree(r)
    depth = r.choice((1, 1, 2, 2, 3))
    how = r.random()
    kind = r.choice("biiiffffcc")
    if how < 0.30:
        text = t.any(depth, kind)
    elif how < 0.82:
        text = t.of(kind, depth)
    elif how < 0.92:
        kind = r.choice("ffc")
        f = r.choice(LIBRARY[kind].split())
        # near 1 Numba takes the logarithm of the rounded magnitude, which leaves few digits; ours does not
        near = 1 << 14 if kind == "c" and "log" in f else 64
        text, t.loose = f"{f}({t.of(r.choice('fffi') if kind == 'f' else kind, depth - 1)})", 4 if kind == "f" else near
    elif how < 0.96:
        f = r.choice(LIBRARY2)
        text, t.loose = f"{f}({t.leaf('f')}, {t.leaf('f') if f == 'math.pow' else t.real(0)})", 8
    elif how < 0.98:
        text = f"divmod({t.of(r.choice('if'), 1)}, {t.of(r.choice('if'), 1)})[{r.choice('01')}]"
    else:
        text, t.loose = f"round({t.of('f', 0)}, {r.choice('0123')})", 2
    return Expression(text, tuple(sorted(t.names)), t.loose)


# --- both compilers ---

def function_of(texts, lim_, name="f"):
    """The function of all variables that returns the values of these expressions."""
    names = list(VARIABLES)
    body = [f"    r{k} = {text}" for k, text in enumerate(texts)]
    body.append(f"    return ({', '.join(f'r{k}' for k in range(len(texts)))},)")
    source = f"def {name}({', '.join(names)}):\n" + "\n".join(body) + "\n"
    import linecache
    file = f"<batch {abs(hash(source))}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    space = {"np": np, "math": math, "cmath": cmath, "lim": lim_}
    exec(compile(source, file, "exec"), space)
    return space[name]


def numba_types():
    import numba
    return [getattr(numba.types, "boolean" if n == "bool" else n) for n in VARIABLES.values()]


def dtype_of(t):
    """The dtype of one of Numba's types, of a constant's too; TypeError where there is none."""
    from numba.core.types import unliteral
    t = unliteral(t)
    return np.dtype("bool" if str(t) == "bool" else str(t))


def refused(error, n):
    """The expression that Numba's error is about, by the line that it names; None where it names none of ours."""
    lines = [int(k) for k in re.findall(r'File "[^"]*<batch [^"]*", line (\d+)', str(error))]
    if getattr(error, "loc", None) is not None and "<batch" in error.loc.filename:
        lines.insert(0, error.loc.line)
    return next((k - 2 for k in lines if 2 <= k < n + 2), None)


def of_numba(texts, rows, lim_):
    """[(dtype, values), or why Numba refuses] of expressions, compiled as one function: what costs is compiling. What
    it refuses is left out by the line of its error; where that says nothing, the batch is halved."""
    import numba
    try:
        f = numba.njit(function_of(texts, lim_), error_model="numpy")
        f.compile(tuple(numba_types()))
        types = [dtype_of(t) for t in f.nopython_signatures[0].return_type]
        values = [f(*(rows[v][k] for v in VARIABLES)) for k in range(len(rows["x_bool"]))]
        return [(t, [v[k] for v in values]) for k, t in enumerate(types)]
    except Exception as e:  # noqa: BLE001
        if len(texts) == 1:
            typing = isinstance(e, (numba.core.errors.TypingError, TypeError))
            return ["Numba has no type for it" if typing else f"Numba: {type(e).__name__}"]
        k, half = refused(e, len(texts)), len(texts) // 2
        if k is None:
            return of_numba(texts[:half], rows, lim_) + of_numba(texts[half:], rows, lim_)
        found = of_numba([texts[k]], rows, lim_)   # alone it is refused as well, or the line was another's
        rest = texts[:k] + texts[k + 1:]
        rest = of_numba(rest, rows, lim_) if isinstance(found[0], str) else \
            of_numba(rest[:half], rows, lim_) + of_numba(rest[half:], rows, lim_)
        return rest[:k] + found + rest[k:]


def of_ours(texts, rows, lim_):
    """The same of our njit; a message where it is refused."""
    from cuprite._compiler.numba import _native, _types
    types = tuple(_types.to_kernel_type(_types.typeof(rows[v][0])) for v in VARIABLES)
    try:
        made = _native.Native(function_of(texts, lim_), types)
        values = [made([rows[v][k] for v in VARIABLES])[0] for k in range(len(rows["x_bool"]))]
        return [(t.dtype, [v[k] for v in values]) for k, t in enumerate(made.result.items)]
    except Exception as e:  # noqa: BLE001
        if len(texts) == 1:
            return [f"{type(e).__name__}: {str(e).splitlines()[-1]}"]
        half = len(texts) // 2
        return of_ours(texts[:half], rows, lim_) + of_ours(texts[half:], rows, lim_)


def of_cuda(texts, types, rows, lim_):
    """The values that a kernel of our cuda.jit gives them, where the types are known; None where it cannot be made."""
    from cuprite.numba import cuda
    n, chars = len(rows["x_bool"]), sorted({t.char for t in types})
    inner = cuda.jit(device=True)(function_of(texts, lim_))
    arrays, outs = list(VARIABLES), [f"o_{c}" for c in ("Q" if c == "?" else c for c in chars)]
    lines = [f"def kernel({', '.join(arrays + [f'o{k}' for k in range(len(chars))])}):", "    i = cuda.grid(1)",
             f"    r = inner({', '.join(f'{a}[i]' for a in arrays)})"]
    lines += [f"    o{chars.index(t.char)}[{k}, i] = r[{k}]" for k, t in enumerate(types)]
    source = "\n".join(lines) + "\n"
    import linecache
    file = f"<kernel {abs(hash(source))}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    space = {"cuda": cuda, "inner": inner}
    exec(compile(source, file, "exec"), space)
    given = [np.zeros((len(texts), n), c) for c in chars]
    from cuprite._compiler.numba_cuda._dispatcher import Dispatcher
    Dispatcher(space["kernel"], None, False, ("--fmad=false",))[1, n](*(rows[a] for a in arrays), *given)
    del outs
    return [list(given[chars.index(t.char)][k]) for k, t in enumerate(types)]


def called(names, *places):
    """Of a call of one of these functions: the arguments at these places."""
    def parts(node):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in names.split() and len(node.args) > max(places):
            return [node.args[k] for k in places]
        return None
    return parts


def operands(sign):
    """Of this operator of two: the operands."""
    return lambda node: [node.left, node.right] if isinstance(node, ast.BinOp) and isinstance(node.op, sign) else None


def overflows(exact):
    """Whether the result of two integers, computed as int64, is beyond it."""
    def holds(x, y):
        if not {x.dtype.kind, y.dtype.kind} <= set("biu") or x.dtype.kind == y.dtype.kind == "u":
            return False
        return not -2**63 <= exact(*((int(v) + 2**63) % 2**64 - 2**63 for v in (x, y))) < 2**63
    return holds


def power_overflows(x, y):
    if not {x.dtype.kind, y.dtype.kind} <= set("biu") or not 0 <= y < 1 << 16:
        return False
    t = np.iinfo(np.result_type(x, y, np.int8 if "b" in (x.dtype.kind, y.dtype.kind) else x))
    return not t.min <= int(x) ** int(y) <= t.max


def near_the_end(z):
    return z.dtype.kind == "c" and np.isfinite(z) and \
        max(abs(z.real), abs(z.imag)) >= np.finfo(z.dtype).max / 2.4142137


NAN = "the sign of a NaN is not defined: that of x % 0 depends on Numba's optimizer"
OVERFLOW = "overflow of a signed sum, difference or product is not defined in Numba: its optimizer relies on none"
#: (reason, the parts of a node of the tree, whether it holds for their values): what Numba leaves undefined, or has
#: wrong. A case is known only where the text has such a node, whose parts have such values in the row that differs
UNDEFINED = [
    (NAN, called("np.signbit", 0), lambda x: x.dtype.kind == "f" and np.isnan(x)),
    (NAN, called("np.copysign math.copysign", 1), lambda x: x.dtype.kind == "f" and np.isnan(x)),
    (OVERFLOW, operands(ast.Add), overflows(operator.add)), (OVERFLOW, operands(ast.Sub), overflows(operator.sub)),
    (OVERFLOW, operands(ast.Mult), overflows(operator.mul)),
    ("Numba computes np.power of integers in float64, whose conversion beyond the result's type is not defined",
     called("np.power", 0, 1), power_overflows),
    ("Numba takes an unsigned number's sign as if it were signed: np.sign(np.uint8(255)) is 255; the generator draws "
     "none, but a branch that is left out can leave one", called("np.sign", 0), lambda x: x.dtype.kind == "u"),
    ("Numba's formulas for sines and the like of complex numbers give NaN in both parts where C's Annex G, NumPy and "
     "Cuprite have a zero or an infinity in one",
     called("np.sin np.cos np.tan np.sinh np.cosh np.tanh cmath.sin cmath.cos cmath.tan cmath.sinh cmath.cosh "
            "cmath.tanh", 0),
     lambda z: z.dtype.kind == "c" and not np.isfinite(z)),
    ("Numba's square root of a complex number near the end of the range has half the imaginary part",
     called("cmath.sqrt np.sqrt", 0), near_the_end),
]


def undefined(case, rows, k, lim_):
    """Why the value of a case in row k is not defined, or wrong in Numba; else None. Parts have Numba's values."""
    for node in ast.walk(ast.parse(case.text)):
        for reason, parts, holds in UNDEFINED:
            found = of_numba([ast.unparse(p) for p in parts(node)], rows, lim_) if parts(node) else []
            if found and not any(isinstance(f, str) for f in found) and \
                    holds(*(np.array(values[k], t)[()] for t, values in found)):
                return reason
    return None


def judge(number, case, theirs, ours, kernel, rows, lim_):
    from differential_families import Wrong
    if isinstance(theirs, str):
        return theirs
    if isinstance(ours, str):
        return Wrong(f"refused: {ours[:50]}", f"ours: {ours}, Numba's {theirs[0]}", number, case.text)
    if ours[0] != theirs[0]:
        return Wrong(f"type {ours[0]} for {theirs[0]}", f"ours {ours[0]}, Numba's {theirs[0]}", number, case.text)
    for what, values in (("value", ours[1]), ("kernel's value", kernel)):
        for k, (a, b) in enumerate(zip(values or (), theirs[1])):
            if differs(a, b, theirs[0], case.loose):
                known = undefined(case, rows, k, lim_)
                if known:
                    return known
                given = {v: rows[v][k] for v in case.names}
                return Wrong(f"{what} of {theirs[0]}", f"ours {a!r}, Numba's {b!r} with {given}", number, case.text)
    return None


def make(name, batch, cases):
    """The verdicts of a batch."""
    os.environ.setdefault("NUMBA_OPT", "0")  # before it is imported: compiling is what costs
    import numba

    import cuprite.numba
    rows = rows_of(name, batch)
    theirs_lim, ours_lim = numba.njit(lim), cuprite.numba.njit(lim)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        texts = [c.text for _, c in cases]
        theirs = of_numba(texts, rows, theirs_lim)
        usable = [k for k, t in enumerate(theirs) if not isinstance(t, str)]
        ours = dict(zip(usable, of_ours([texts[k] for k in usable], rows, ours_lim)))
        both = [k for k in usable if not isinstance(ours[k], str)]
        kernel = dict(zip(both, of_cuda([texts[k] for k in both], [ours[k][0] for k in both], rows, ours_lim))) \
            if batch % 4 == 0 and both else {}
    return [judge(n, c, theirs[k], ours.get(k), kernel.get(k), rows, theirs_lim)
            for k, (n, c) in enumerate(cases)]


FAMILIES = {"numba": Batches("numba", "expressions in njit and cuda.jit, compared with numba.njit", draw, make)}
