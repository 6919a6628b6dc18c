"""The texts that groups of fuse's nodes become: CUDA C++ for a kernel, and the language of the library's engine.

An operation's text is its row's body (ufunc._bodies) with the C types of its loop, and only bodies whose bits are those
of the kernels that exist are taken: on the CPU operators and exact functions, on GPUs CUDA's functions too, which both
are compiled from. (Signs and payloads of NaN are not among them: compilers turn operations round.) What has no such
body raises NoText, and then there is no kernel."""
import re

import cuprite
from cuprite._compiler.loop_source import C_TYPES
from cuprite._compiler.fuse.trace import Node

_KIND = {"bool": 0, "float32": 2, "float64": 2, **dict.fromkeys(
    ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"], 1)}
_UNSIGNED = {"int64": "unsigned long long", "uint64": "unsigned long long"}
# functions whose result is the only right one, on every device
_EXACT = {"sqrt", "floor", "ceil", "trunc", "rint", "fabs", "copysign"}
# those of CUDA's library, which the GPU's kernels call too
_CUDA = _EXACT | {"sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh",
                  "atanh", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "cbrt"}
# functions of the scalar prelude that are one expression (src/base/scalar/real.inc)
_PRELUDE = {"maximum": "(a >= b) | (a != a) ? a : b", "minimum": "(a <= b) | (a != a) ? a : b",
            "negative": "cuprite_negative(a)"}
# conversions that keep a NaN's payload (cuprite_array.cuh)
_PAYLOAD = {("float32", "float64"): "cuprite_double", ("float64", "float32"): "cuprite_float"}


class NoText(Exception):
    """Why a group becomes no kernel; without a text where that is as it should be."""


class Kernel:
    """The text of a kernel over `inputs` (nodes that are there) that makes `fresh` nodes and writes `stores`."""

    def __init__(self, group, gpu):
        self.gpu, self.group = gpu, group
        self.lines, self.values = [], {}        # node -> (variable, type)
        self.content = {}                       # memory -> what was stored there
        self.number = {n: k for k, n in enumerate(group.inputs)}
        for n in group.nodes:
            self.take(n)

    def declarations(self):
        """Parameters in and out, and the body."""
        ins = [f"{n.dtype} a{k}" for k, n in enumerate(self.group.inputs)]
        outs, words = [], []
        for k, n in enumerate([*self.group.fresh, *self.group.stores]):
            outs.append(f"{self.known(n.dtype)} r{k}")
            value = self.content[n] if k >= len(self.group.fresh) else self.values[n]
            words.append(f"r{k} = {value};")
        for t in {n.dtype for n in self.group.inputs}:
            self.known(t)
        return ", ".join(ins), ", ".join(outs), "\n".join(["{", *self.lines, *words, "}"])

    def known(self, dtype):
        if dtype not in _KIND:
            raise NoText()
        return dtype

    def read(self, n):
        if n in self.content:
            return self.content[n]
        return self.values[n] if n in self.values else f"a{self.number[n]}"

    def new(self, dtype, expression):
        name = f"v{len(self.lines)}"
        self.lines.append(f"const {C_TYPES[self.known(dtype)]} {name} = {expression};")
        return name

    def take(self, n):
        if n.kind == "op":
            self.values[n] = self.new(n.dtype, self.applied(n)) if n.what.nout == 1 else self.refuse(n.what)
        elif n.kind == "where":
            condition, *choices = n.args
            types = given_types(choices)
            if _mixed(types):
                raise NoText()
            a, b = [self.converted(x, n.dtype) for x in choices]
            self.values[n] = self.new(n.dtype, f"{self.converted(condition, 'bool')} ? {a} : {b}")
        elif n.kind == "cast":
            self.values[n] = self.new(n.dtype, self.converted(n.args[0], n.dtype))
        elif n.kind == "set":
            self.values[n] = self.new(n.dtype, self.converted(n.args[1], n.dtype))
        elif n.kind == "store":
            self.content[n.args[0]] = self.new(n.dtype, self.converted(n.args[1], n.dtype))
        else:
            raise NoText()

    def refuse(self, f):
        raise NoText(f"{f.name} cannot be fused")

    def converted(self, x, dtype):
        self.known(dtype)
        if not isinstance(x, Node):
            if hasattr(x, "dtype"):
                if dtype != x.dtype.name:
                    raise NoText()
                x = x.item()
            return _constant(x, dtype)
        if x.kind == "number":
            if _KIND[dtype] != 2:
                raise NoText()
            return f"({C_TYPES[dtype]}){self.read(x)}"
        if x.dtype == dtype:
            return self.read(x)
        if _KIND[self.known(x.dtype)] == 2 and _KIND[dtype] == 1:
            raise NoText()  # beyond an integer's range C leaves open what NumPy does not
        if (x.dtype, dtype) in _PAYLOAD:
            return f"{_PAYLOAD[x.dtype, dtype]}({self.read(x)})"
        return f"({self.read(x)} != 0)" if dtype == "bool" else f"({C_TYPES[dtype]}){self.read(x)}"

    def applied(self, n):
        f = n.what
        given = given_types(n.args)
        *loop, out = f._loop(*given)
        if out != n.dtype or len(set(loop)) > 1 or _mixed(given):
            raise NoText()
        return self.body(f, self.known(loop[0]), [self.converted(x, t) for x, t in zip(n.args, loop)])

    def body(self, f, dtype, operands):
        text = f._bodies[_KIND[dtype]]
        if text is None:
            self.refuse(f)
        text = text[0]
        inner = re.fullmatch(r"F\((\w+)\)\(([abc, ]*)\)", text)
        if inner:
            if inner[1] not in _PRELUDE or _KIND[dtype] != 2 or inner[2] not in ("a", "a, b"):
                self.refuse(f)
            text = _PRELUDE[inner[1]]
        text = re.sub(r"\bM\((\w+)\)", lambda m: self.function(f, m[1], dtype), text)
        if re.search(r"\b[A-Z]\(|\bcps_", text):
            self.refuse(f)
        words = dict(zip("abc", operands), T=C_TYPES[dtype], U=_UNSIGNED.get(dtype, "unsigned int"))
        # an operand may be an expression: each is in brackets
        return re.sub(r"\b[abcTU]\b", lambda m: words[m[0]] if m[0] in "TU" else f"({words[m[0]]})", text)

    def function(self, f, name, dtype):
        if name not in (_CUDA if self.gpu else _EXACT):
            raise NoText("" if name in _CUDA else f"{f.name} cannot be fused")
        return name + ("f" if dtype == "float32" else "")


def given_types(operands):
    """Types as which operands take part: numbers of Python's beside arrays are weak."""
    strong = [_strong(x) for x in operands]
    known = [t for t in strong if t]
    if not known or any(t not in _KIND for t in known):
        raise NoText()
    partner = known[0]
    for t in known[1:]:
        partner = cuprite.add._loop(partner, t)[-1]  # promote_types would import NumPy
    found = []
    for x, t in zip(operands, strong):
        if t or type(x) is bool:
            found.append(t or "bool")
            continue
        if type(x) is complex:
            raise NoText()
        kind = 1 if type(x) is int else 2
        found.append(partner if kind <= _KIND[partner] else "float64" if kind == 2 else "int64")
    return found


def _strong(x):
    """The type that an operand has by itself, or None."""
    if isinstance(x, Node):
        return x.dtype if x.kind != "number" else None
    return x.dtype.name if hasattr(x, "dtype") else None


def _mixed(names):
    """Signed beside unsigned integers of 64 bits: NumPy compares and adds them in ways of their own."""
    return "uint64" in names and any(n.startswith("int") for n in names)


def _constant(x, dtype):
    if isinstance(x, bool):
        return f"({C_TYPES[dtype]}){int(x)}"
    if isinstance(x, complex):
        raise NoText()
    if _KIND[dtype] == 1:
        low, high = (0, 2 ** int(dtype[4:])) if dtype[0] == "u" else (-2 ** (int(dtype[3:]) - 1),
                                                                    2 ** (int(dtype[3:]) - 1))
        if not isinstance(x, int) or not low <= x < high or abs(x) >= 2 ** 62:
            raise NoText()
        return f"({C_TYPES[dtype]}){x}ll"
    if _KIND[dtype] == 0:
        raise NoText()
    if isinstance(x, int) and abs(x) >= 2 ** 53:
        raise NoText()
    x = float(x)
    if x != x or x in (float("inf"), -float("inf")):
        text = "(0.0 / 0.0)" if x != x else "(1.0 / 0.0)" if x > 0 else "(-1.0 / 0.0)"
        return f"({C_TYPES[dtype]}){text}"
    return f"({C_TYPES[dtype]}){x.hex()}"


def engine_source(group):
    """The group in the language of the library's engine, its operands' names, and the numbers among them."""
    names, content, lines, more = {}, {}, [], []
    for k, n in enumerate(group.inputs):
        names[n] = f"a{k}"

    def read(x):
        if isinstance(x, Node):
            return content.get(x) or names[x]
        if type(x) in (bool, int) or (type(x) is float and x == x and abs(x) != float("inf")):
            return f"({x!r})" if x < 0 or repr(x)[0] == "-" else repr(x)
        more.append(x)
        return f"c{len(more) - 1}"

    def new(text):
        lines.append(f"v{len(lines)} = {text}")
        return f"v{len(lines) - 1}"
    for n in group.nodes:
        if n.kind == "op":
            call = f"{n.what.name}({', '.join([read(x) for x in n.args])})"
            if n.what.nout > 1:
                parts = [f"p{n.at}_{k}" for k in range(n.what.nout)]
                lines.append(f"{', '.join(parts)} = {call}")
                names[n] = parts
            else:
                names[n] = new(call)
        elif n.kind == "part":
            names[n] = names[n.args[0]][n.what]
        elif n.kind == "where":
            names[n] = new(f"where({', '.join([read(x) for x in n.args])})")
        elif n.kind == "cast":
            names[n] = new(f"{n.dtype}({read(n.args[0])})")
        elif n.kind == "set":
            names[n] = new(f"{n.dtype}({read(n.args[1])})")
        else:
            value = n.args[1]
            if not isinstance(value, Node) or value.kind == "number":
                raise NoText()
            content[n.args[0]] = new(f"{n.dtype}({read(value)})")
    results = [names[n] for n in group.fresh] + [content[n] for n in group.stores]
    names = [f"a{k}" for k in range(len(group.inputs))] + [f"c{k}" for k in range(len(more))]
    return "\n".join([*lines, f"return {', '.join(results)}"]), names, more
