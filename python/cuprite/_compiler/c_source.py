"""The operation of an ElementwiseKernel, CUDA C++, in the language of the library's engine (include/cuprite/fuse.h).

Taken are assignments, declarations, blocks and `if` over elements, with C's types and conversions written out as casts:
what a text becomes has the bits of the text compiled without contraction of a * b + c. What C leaves open, or the
compilers of both devices and the engine do differently, is not taken, and neither is what may not compile: division of
integers by anything but a constant, floating-point numbers made integers, shifts by anything but constants, the
extremes of floating-point numbers, complex numbers. (Signed integers that overflow are as little defined as in C, and
of NaN only that it is one.)

Invariant: a value is its C type and a name of the language, or a number of that type; each line of the language has one
operation, whose operands have one type."""
import re
import struct

_INTEGERS = {"int8": 8, "uint8": 8, "int16": 16, "uint16": 16, "int32": 32, "uint32": 32, "int64": 64, "uint64": 64}
_SMALL = {"float16", "bfloat16"}
_REAL = {"float32", "float64"} | _SMALL
_TYPES = {"bool": "bool", "float": "float32", "double": "float64", "int": "int32", "short": "int16", "long": "int64",
          "signed": "int32", "unsigned": "uint32", "size_t": "uint64", "ptrdiff_t": "int64", "float16": "float16",
          "bfloat16": "bfloat16", "short int": "int16", "long int": "int64", "long long": "int64",
          "long long int": "int64", "signed char": "int8", "unsigned char": "uint8", "unsigned short": "uint16",
          "unsigned int": "uint32", "unsigned long": "uint64", "unsigned long long": "uint64", "signed int": "int32",
          **{f"{t}_t": t for t in _INTEGERS}}
_TYPE_WORDS = {word for name in _TYPES for word in name.split()}
_EXACT = {"sqrt", "floor", "ceil", "trunc", "rint", "fabs"}
# those of which a GPU's kernels and the texts that are compiled for it call the same
_CUDA = {"sin": "sin", "cos": "cos", "tan": "tan", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "sinh": "sinh",
         "cosh": "cosh", "tanh": "tanh", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "exp": "exp",
         "exp2": "exp2", "expm1": "expm1", "log": "log", "log10": "log10", "log1p": "log1p",
         "cbrt": "cbrt"}
_LEVELS = [("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", ">", "<=", ">="), ("<<", ">>"), ("+", "-"),
           ("*", "/", "%")]
_LEVEL = {sign: level for level, signs in enumerate(_LEVELS) for sign in signs}
_ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
_KEYWORDS = set("alignas alignof and and_eq asm auto bitand bitor break case catch char char16_t char32_t class compl "
                "const const_cast constexpr continue decltype default delete do dynamic_cast else enum explicit "
                "export extern false for friend goto i if inline mutable n namespace new not not_eq noexcept nullptr "
                "operator or or_eq private protected public register reinterpret_cast return sizeof static "
                "static_assert static_cast struct switch template this thread_local throw true try typedef typeid "
                "typename union using virtual void volatile wchar_t while xor xor_eq".split())
_TOKEN = re.compile(r"\s*(?:(0[xX][0-9a-fA-F]+[uUlL]*(?![\w.])|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[uUlLfF]*(?![\w.]))"
                    r"|([A-Za-z_]\w*)|(<<=|>>=|[-+*/%&|^=!<>]=|&&|\|\||<<|>>|\+\+|--|[-+*/%&|^!~<>=?:;,(){}]))",
                    re.ASCII)
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
_OTHER_LINES = re.compile(r"[\\\0]|\r(?!\n)")  # compilers end lines, and so comments, elsewhere than we do
_MOST_DIGITS = 100


class NotTaken(Exception):
    """The text is the compiler's alone."""


class Value:
    """An expression's: `text` names it in the engine's language, or it is the number `number` of its type."""
    __slots__ = ("type", "text", "number")

    def __init__(self, type, text, number=None):
        self.type, self.text, self.number = type, text, number


class Variable:
    __slots__ = ("type", "value", "fixed")

    def __init__(self, type, value, fixed):
        self.type, self.value, self.fixed = type, value, fixed


def _tokens(text):
    if _OTHER_LINES.search(text):
        raise NotTaken
    text = _COMMENT.sub(" ", text).rstrip(" \t\n\v\f\r")
    found, at = [], 0
    while at < len(text):
        m = _TOKEN.match(text, at)
        if not m:
            raise NotTaken
        found.append((m.lastindex, m[m.lastindex]))
        at = m.end()
    return [*found, (0, "")]


# --- numbers ---
def _number(type, number):
    """A number that the type holds."""
    if type in _INTEGERS:
        low = 0 if type[0] == "u" else -(1 << _INTEGERS[type] - 1)
        if not low <= number < low + (1 << _INTEGERS[type]) or not -(1 << 63) < number < 1 << 63:
            raise NotTaken
        return Value(type, f"{type}({number})", number)
    if type == "bool":
        return Value(type, "True" if number else "False", bool(number))
    if number != number or abs(number) == float("inf"):
        raise NotTaken
    return Value(type, f"{type}({number!r})", number)


def _literal(word):
    if len(word) > _MOST_DIGITS:
        raise NotTaken
    digits = word.rstrip("uUlLfF") if word[:2] not in ("0x", "0X") else word.rstrip("uUlL")
    suffix = word[len(digits):].lower()
    if digits.isdigit() or digits[:2] in ("0x", "0X"):
        if suffix not in ("", "u", "l", "ll", "ul", "ull", "lu", "llu") or (digits[0] == "0" and digits.isdigit() and
                                                                          len(digits) > 1):
            raise NotTaken  # 017 is octal
        number = int(digits, 0)
        wide, unsigned = "l" in suffix, "u" in suffix
        if digits.isdigit() or unsigned:
            kinds = ["uint32", "uint64"] if unsigned else ["int32", "int64"]
        else:
            kinds = ["int32", "uint32", "int64", "uint64"]
        for kind in kinds:
            if not (wide and _INTEGERS[kind] == 32) and number < 1 << _INTEGERS[kind] - (kind[0] == "i"):
                return _number(kind, number)
        raise NotTaken
    if suffix == "f":
        return _number("float32", _rounded(float(digits), True))
    if suffix:
        raise NotTaken
    return _number("float64", float(digits))


def _rounded(number, literal=False):
    """The nearest float; of a literal not where its double, which was rounded already, lies half way."""
    try:
        nearest = struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        raise NotTaken from None
    if literal and nearest != number:
        if abs(number) < 2.0 ** -126 or struct.unpack("Q", struct.pack("d", number))[0] & 0x1fffffff == 0x10000000:
            raise NotTaken
    return nearest


# --- types ---
def _promoted(type):
    if type in _SMALL:
        return "float32"
    return "int32" if type == "bool" or _INTEGERS.get(type, 32) < 32 else type


def _common(a, b):
    """The type in which C++ computes with the two."""
    a, b = _promoted(a), _promoted(b)
    for real in ("float64", "float32"):
        if real in (a, b):
            return real
    if _INTEGERS[a] != _INTEGERS[b]:
        return a if _INTEGERS[a] > _INTEGERS[b] else b
    return a if a == b else a if a[0] == "u" else b


class Text:
    """`text` of a program whose operands are the kernel's inputs, a0, a1, ...; `apart` where an output may not be one
    of the inputs, because something is read behind its writing."""

    def __init__(self, operation, params, nin, types, gpu):
        self.tokens, self.at, self.gpu = _tokens(operation), 0, gpu
        last = operation.rsplit("\n", 1)[-1]
        if "//" in last and self.tokens[-2:-1] and self.tokens[-2][1] not in (";", "}"):
            raise NotTaken  # what the text ends with would be in the comment
        if any(t not in _INTEGERS and t not in _REAL and t != "bool" for t in types):
            raise NotTaken
        if any(p.name in _KEYWORDS or p.name in _TYPE_WORDS for p in params):
            raise NotTaken  # the compiler says what is wrong
        self.words = {p.ctype: t for p, t in zip(params, types) if p.dtype_name is None}
        self.lines, self.writes = [], 0
        self.variables = {p.name: Variable(t, Value(t, f"a{k}") if k < nin else None, k < nin)
                          for k, (p, t) in enumerate(zip(params, types))}
        self.outputs = [self.variables[p.name] for p in params[nin:]]
        while self.tokens[self.at][0]:
            before, simple = self.writes, self.tokens[self.at][0] == 2
            self.statement()
        if not self.outputs or any(v.value is None for v in self.outputs):
            raise NotTaken
        self.apart = not (len(self.outputs) == self.writes == 1 and simple and before == 0)
        self.text = "\n".join([*self.lines, "return " + ", ".join([v.value.text for v in self.outputs])])

    # --- tokens ---
    def next(self):
        self.at += 1
        return self.tokens[self.at - 1][1]

    def sees(self, sign):
        return self.tokens[self.at] == (3, sign)

    def passes(self, sign):
        if self.sees(sign):
            self.at += 1
            return True
        return False

    def needs(self, sign):
        if not self.passes(sign):
            raise NotTaken

    def word(self):
        kind, text = self.tokens[self.at]
        return text if kind == 2 else ""

    # --- statements ---
    def statement(self):
        if self.passes("{"):
            return self.block()
        if self.passes(";"):
            return None
        word = self.word()
        if word == "if":
            return self.choice()
        if word in self.variables and word not in ("", "const", "auto"):
            self.assignment(self.variables[word])
        else:
            self.declaration()
        if self.tokens[self.at][0]:
            self.needs(";")
        return None

    def block(self):
        before = set(self.variables)
        while not self.passes("}"):
            if not self.tokens[self.at][0]:
                raise NotTaken
            self.statement()
        self.leave(before)

    def leave(self, before):
        self.variables = {name: v for name, v in self.variables.items() if name in before}

    def choice(self):
        """Both ways are gone, and each variable has the value of one."""
        self.at += 1
        self.needs("(")
        condition = self.to(self.expression(), "bool")
        self.needs(")")
        names = list(self.variables)
        before = [self.variables[n].value for n in names]
        self.branch(names)
        there = [self.variables[n].value for n in names]
        for n, value in zip(names, before):
            self.variables[n].value = value
        if self.word() == "else":
            self.at += 1
            self.branch(names)
        for n, a in zip(names, there):
            b = self.variables[n].value
            if a is b:
                continue
            self.variables[n].value = a and b and self.where(condition, a, b, self.variables[n].type)

    def branch(self, names):
        self.statement()
        self.leave(set(names))

    def declaration(self):
        fixed = self.word() == "const"
        self.at += fixed
        type = None
        if self.word() == "auto":
            self.at += 1
        else:
            type = self.type()
            if type is None:
                raise NotTaken
        if self.word() == "const":
            fixed, self.at = True, self.at + 1
        while True:
            name = self.word()
            if not name or name in self.variables or name in _KEYWORDS or name in self.words or name[0] == "_" or \
                    name in _TYPE_WORDS or name in _TYPES:
                raise NotTaken
            self.at += 1
            value = None
            if self.passes("="):
                value = self.expression()
                value = self.to(value, type) if type else value
            elif fixed or not type:
                raise NotTaken
            self.variables[name] = Variable(type or value.type, value, fixed)
            if not self.passes(","):
                return
            if not type:
                raise NotTaken

    def assignment(self, v):
        self.at += 1
        sign = self.next()
        if v.fixed or sign not in _ASSIGNMENTS:
            raise NotTaken
        value = self.expression()
        if sign != "=":
            if v.type in _SMALL and sign[:-1] not in "+-*/":
                raise NotTaken
            value = self.operation(sign[:-1], self.read(v), value)
        v.value = self.to(value, v.type)
        self.writes += any(v is o for o in self.outputs)

    def read(self, v):
        if v.value is None:
            raise NotTaken
        return v.value

    def type(self):
        """The type at hand, passed; None where there is none."""
        word, found = self.word(), []
        if word in self.words and word not in self.variables:
            self.at += 1
            return self.words[word]
        while (self.word() in _TYPE_WORDS or self.word() == "char") and self.word() not in self.variables:
            found.append(self.next())
        if not found:
            return None
        name = " ".join(found)
        if name not in _TYPES:
            raise NotTaken
        return _TYPES[name]

    # --- expressions ---
    def new(self, type, text):
        name = f"v{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return Value(type, name)

    def to(self, v, type):
        """The value as the type: C's conversion."""
        if v.type == type:
            return v
        if type == "bool":
            return _number(type, v.number != 0) if v.number is not None else self.new(type, f"bool({v.text})")
        if type in _INTEGERS:
            if v.type in _REAL:
                raise NotTaken
            if v.number is not None:
                low = 0 if type[0] == "u" else -(1 << _INTEGERS[type] - 1)
                return _number(type, (int(v.number) - low) % (1 << _INTEGERS[type]) + low)
            return self.new(type, f"{type}({v.text})")
        if v.number is not None and type not in _SMALL:
            return _number(type, float(v.number) if type == "float64" else self.rounded(v))
        if type in _SMALL and v.type not in _REAL:
            v = self.to(v, "float64")
        return self.new(type, f"{type}({v.text})")

    @staticmethod
    def rounded(v):
        if type(v.number) is not float and abs(int(v.number)) >= 1 << 53:
            raise NotTaken  # it would be rounded twice
        return _rounded(float(v.number))

    def where(self, condition, a, b, type):
        if condition.number is not None:
            return a if condition.number else b
        return self.new(type, f"where({condition.text}, {a.text}, {b.text})")

    def expression(self):
        condition = self.binary(0)
        if not self.passes("?"):
            return condition
        a = self.expression()
        self.needs(":")
        b = self.expression()
        if a.type != b.type:
            if a.type in _SMALL or b.type in _SMALL:
                raise NotTaken  # there are two ways to convert
            type = _common(a.type, b.type)
            a, b = self.to(a, type), self.to(b, type)
        return self.where(self.to(condition, "bool"), a, b, a.type)

    def binary(self, level):
        a = self.unary()
        while True:
            kind, sign = self.tokens[self.at]
            found = _LEVEL.get(sign, -1) if kind == 3 else -1
            if found < level:
                return a
            self.at += 1
            a = self.operation(sign, a, self.binary(found + 1))

    def operation(self, sign, a, b):
        if sign in ("&&", "||"):
            a, b = self.to(a, "bool"), self.to(b, "bool")
            for v, other in ((a, b), (b, a)):
                if v.number is not None:
                    return v if v.number == (sign == "||") else other
            return self.new("bool", f"{a.text} {sign[0]} {b.text}")
        if sign in ("<<", ">>"):
            return self.shifted(sign, a, b)
        type = _common(a.type, b.type)
        whole = type in _INTEGERS
        if not whole and sign in ("%", "&", "|", "^"):
            raise NotTaken
        a, b = self.to(a, type), self.to(b, type)
        if a.number is not None and b.number is not None:
            return self.folded(sign, type, a.number, b.number)
        if sign in ("==", "!=", "<", ">", "<=", ">="):
            return self.new("bool", f"{a.text} {sign} {b.text}")
        if sign in ("/", "%") and whole:
            return self.divided(sign, type, a, b)
        if whole and (sign in "*&" and 0 in (a.number, b.number) or sign in "-^" and a.text == b.text):
            return _number(type, 0)
        if sign == "-" and a.number == 0 and not whole:
            raise NotTaken  # 0.0 - (double)i is -0.0 to gcc 12 where i is 0
        return self.new(type, f"{a.text} {sign} {b.text}")

    def shifted(self, sign, a, b):
        type = _promoted(a.type)
        if type not in _INTEGERS or b.type in _REAL or b.number is None or not 0 <= b.number < _INTEGERS[type]:
            raise NotTaken
        a, b = self.to(a, type), _number(type, int(b.number))
        if a.number is not None:
            if a.number < 0 and sign == "<<":
                raise NotTaken
            return _number(type, a.number << b.number if sign == "<<" else a.number >> b.number)
        return self.new(type, f"{a.text} {sign} {b.text}")

    def divided(self, sign, type, a, b):
        """C's quotient of integers is cut, and its remainder has the sign of the dividend."""
        if b.number is None or b.number <= 0:
            raise NotTaken
        if type[0] == "u":
            return self.new(type, f"{a.text} {'//' if sign == '/' else '%'} {b.text}")
        rest = self.new(type, f"fmod({a.text}, {b.text})")
        if sign == "%":
            return rest
        return self.new(type, f"({a.text} - {rest.text}) // {b.text}")

    def folded(self, sign, type, a, b):
        """Of two numbers."""
        whole = type in _INTEGERS
        if sign in ("/", "%") and b == 0 or whole and sign in ("/", "%") and (a < 0 or b < 0):
            raise NotTaken
        wraps = whole and type[0] == "u"
        compared = {"==": a == b, "!=": a != b, "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b}
        if sign in compared:
            return _number("bool", compared[sign])
        if sign in ("&", "|", "^"):
            r = a & b if sign == "&" else a | b if sign == "|" else a ^ b
        else:
            r = a + b if sign == "+" else a - b if sign == "-" else a * b if sign == "*" else a % b if sign == "%" \
                else a // b if whole else a / b
        if wraps:
            r %= 1 << _INTEGERS[type]
        if not whole and r and abs(r) < 2.0 ** -126:
            raise NotTaken  # rounded twice
        return _number(type, _rounded(r) if type == "float32" else r)

    def unary(self):
        for sign in ("-", "+", "!", "~"):
            if self.passes(sign):
                return self.signed(sign, self.unary())
        if self.sees("("):
            at = self.at
            self.at += 1
            type = self.type()
            if type is not None:
                self.needs(")")
                return self.to(self.unary(), type)
            self.at = at
        return self.primary()

    def signed(self, sign, v):
        if sign == "!":
            v = self.to(v, "bool")
            return _number("bool", not v.number) if v.number is not None else self.new(
                "bool", f"logical_not({v.text})")
        type = v.type if v.type in _SMALL and sign == "-" else _promoted(v.type)
        v = self.to(v, type)
        if sign == "+":
            return v
        if sign == "~" and type not in _INTEGERS:
            raise NotTaken
        if v.number is not None:
            r = ~v.number if sign == "~" else -v.number
            return _number(type, r % (1 << _INTEGERS[type]) if type[0] == "u" else r)
        return self.new(type, f"{sign}{v.text}")

    def primary(self):
        kind, word = self.tokens[self.at]
        if kind == 1:
            self.at += 1
            return _literal(word)
        if self.passes("("):
            v = self.expression()
            self.needs(")")
            return v
        if kind != 2:
            raise NotTaken
        if word in self.variables:
            self.at += 1
            if self.sees("("):
                raise NotTaken
            return self.read(self.variables[word])
        if word in ("true", "false"):
            self.at += 1
            return _number("bool", word == "true")
        if word == "static_cast":
            self.at += 1
            self.needs("<")
            type = self.type()
            self.needs(">")
        else:
            at = self.at
            type = self.type()
            if type is not None and self.at - at > 1:
                raise NotTaken  # unsigned int(x) is no expression
        if type is not None:
            self.needs("(")
            v = self.expression()
            self.needs(")")
            return self.to(v, type)
        self.at += 1
        self.needs("(")
        args = [self.expression()]
        while self.passes(","):
            args.append(self.expression())
        self.needs(")")
        return self.function(word, args)

    def function(self, name, args):
        if name in ("min", "max") and len(args) == 2:
            type = _common(args[0].type, args[1].type)
            if type not in _INTEGERS or any(_promoted(v.type) != type or v.type == "bool" for v in args):
                raise NotTaken  # not all compilers have one for two types
            a, b = self.to(args[0], type), self.to(args[1], type)
            return self.new(type, f"{name}imum({a.text}, {b.text})")
        single = name[-1] == "f" and name[:-1] in (*_EXACT, *_CUDA, "copysign")
        base = name[:-1] if single else name
        types = [_promoted(v.type) for v in args]
        if base == "abs" and len(args) == 1 and types[0][0] != "u":
            return self.new(types[0], f"absolute({self.to(args[0], types[0]).text})")
        if base in ("isnan", "isinf", "isfinite") and len(args) == 1 and args[0].type in ("float32", "float64"):
            return self.new("bool", f"{base}({args[0].text})")
        if base == "copysign" and len(args) == 2 and (single or types == ["float32"] * 2 or types == ["float64"] * 2):
            type = "float32" if single else types[0]
            return self.new(type, f"copysign({self.to(args[0], type).text}, {self.to(args[1], type).text})")
        known = base if base in _EXACT else _CUDA.get(base) if self.gpu else None
        if not known or len(args) != 1:
            raise NotTaken
        type = "float32" if single or types[0] == "float32" else "float64"
        return self.new(type, f"{known}({self.to(args[0], type).text})")


def engine(kernel, types, gpu):
    """The kernel's operation as (a program of the engine, whether outputs must lie apart from inputs), or None."""
    from cuprite import _core
    try:
        t = Text(kernel.operation, kernel.params, kernel.nin, types, gpu)
        return _core._Fused(t.text, [f"a{k}" for k in range(kernel.nin)]), t.apart
    except (NotTaken, RecursionError):
        return None
    except ValueError:  # it is longer than the engine's texts may be
        return None


def is_taken(kernel, types):
    """Whether the operation is compiled without contraction: where the engine of some device knows it."""
    try:
        Text(kernel.operation, kernel.params, kernel.nin, types, True)
    except (NotTaken, RecursionError):
        return False
    return True
