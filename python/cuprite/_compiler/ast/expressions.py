"""Python expressions -> values. One method for each kind of node, with the node's name."""
import ast

from . import arithmetic, arrays, conditions, elements, intrinsics
from .types import INT64, OBJECT, VOID, Array, Scalar, Tuple
from .values import Value, as_type, describe, items_of, known, make_tuple, number

OPERATORS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv",
             ast.Mod: "mod", ast.Pow: "pow", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitAnd: "and",
             ast.BitOr: "or", ast.BitXor: "xor", ast.MatMult: "matmul"}
COMPARISONS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
ERRORS = (TypeError, NameError, AttributeError, ValueError, NotImplementedError, SyntaxError, IndexError, OverflowError,
          ZeroDivisionError, KeyError)


class Later(NameError):
    """A variable of a loop that stands before its assignment: its type is known in the next pass."""


class Expressions:
    """A third of a Translator (statements.py and loops.py have the others)."""

    def value(self, node):
        """The value of an expression."""
        method = getattr(self, "x_" + type(node).__name__, None)
        try:
            if method is None:
                raise NotImplementedError(f"{_words(node)} cannot stand in a kernel")
            return method(node)
        except Later:
            raise
        except ERRORS as error:
            raise self.source.located(error, node) from None

    def guarded(self, node):
        """The value of an expression that is evaluated under a condition: no statement may be put before it."""
        self.conditional += 1
        try:
            return self.value(node)
        finally:
            self.conditional -= 1

    def put_before(self, line):
        if self.conditional:
            raise NotImplementedError("this call gives several values and stands where it is evaluated only under a "
                                      "condition: give its result a name first")
        self.emit(line)

    def x_Constant(self, node):
        return known(node.value)

    def x_Name(self, node):
        if node.id in self.scope.locals or node.id in self.parameters:
            return self.read(node.id)
        return intrinsics.known_object(self, self.find(node.id))

    def x_Tuple(self, node):
        if any(isinstance(e, ast.Starred) for e in node.elts):
            raise NotImplementedError("a starred expression cannot stand in a kernel: name the elements")
        return make_tuple([self.value(e) for e in node.elts])

    def x_List(self, node):
        v = self.x_Tuple(node)
        if not v.known:
            raise NotImplementedError("a list cannot be made in a kernel: use a tuple, or a local array")
        return v

    def x_BinOp(self, node):
        folded = literal(node)
        if folded is not None:
            return known(folded)
        a, b = self.value(node.left), self.value(node.right)
        return arithmetic.binary(self.unit, OPERATORS[type(node.op)], a, b)

    def x_UnaryOp(self, node):
        folded = literal(node)
        if folded is not None and not isinstance(node.op, ast.Not):
            return known(folded)
        sign = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not"}[type(node.op)]
        return arithmetic.unary(self.unit, sign, self.value(node.operand))

    def x_BoolOp(self, node):
        first = self.value(node.values[0])
        if not first.pure and self.rules.widens and not self.conditional:
            first = self._kept(first)  # what `and` and `or` give is one of the numbers, asked for once
        values = [first] + [self.guarded(v) for v in node.values[1:]]
        fixed = [conditions.decided(self, v) is not None for v in node.values] if self.rules.widens else None
        return arithmetic.logical(self.unit, "&&" if isinstance(node.op, ast.And) else "||", values, fixed)

    def x_Compare(self, node):
        values = [self.value(node.left)] + [self.value(c) for c in node.comparators]
        for v in values[1:-1]:
            if not v.pure:
                raise TypeError("a chained comparison would compute a call twice here: give its result a name first")
        return arithmetic.logical(self.unit, "&&", [self._compared(op, a, b)
                                                   for op, a, b in zip(node.ops, values, values[1:])])

    def _compared(self, op, a, b):
        if isinstance(op, (ast.Is, ast.IsNot)):
            if not (a.known or b.known) and isinstance(a.type, Scalar) and a.type is b.type:
                return arithmetic.compare(self.unit, "==" if isinstance(op, ast.Is) else "!=", a, b)
            if not (a.known or b.known or isinstance(a.type, Scalar) and isinstance(b.type, Scalar)):
                raise TypeError("`is` compares numbers, and anything with None")
            same = a.known and b.known and a.const is b.const
            return known(same == isinstance(op, ast.Is))
        if isinstance(op, (ast.In, ast.NotIn)):
            items = items_of(b)
            if items is None:
                raise TypeError(f"`in` asks a tuple, not {describe(b)}")
            found = arithmetic.logical(self.unit, "||", [arithmetic.compare(self.unit, "==", a, x) for x in items]
                                       or [known(False)])
            return found if isinstance(op, ast.In) else arithmetic.unary(self.unit, "not", found)
        return arithmetic.compare(self.unit, COMPARISONS[type(op)], a, b)

    def x_IfExp(self, node):
        test, holds = self.test(node.test), conditions.decided(self, node.test) if self.rules.widens else None
        if test.known and holds is None and self.rules.widens:
            return self._in_both_types(node, test) or self.value(node.body if test.const else node.orelse)
        if test.known:
            return self.value(node.body if test.const else node.orelse)
        if holds is not None:   # what the condition calls is called, and decides nothing
            a = b = self.guarded(node.body if holds else node.orelse)
            if test.pure:
                return a
        else:
            a, b = self.guarded(node.body), self.guarded(node.orelse)
        return arithmetic.choose(self.unit, arithmetic.truth(test), a, b, test.pure)

    def _in_both_types(self, node, test):
        """Of a constant condition that Numba's compiler does not take for one: the value in the type of both; None
        where there is none."""
        try:
            a, b = self.guarded(node.body), self.guarded(node.orelse)
            return arithmetic.choose(self.unit, arithmetic.truth(test), a, b, True)
        except Exception:  # noqa: BLE001: the one that is not taken is no value here
            return None

    def test(self, node):
        """The value of a condition; known where its text alone decides it, as Python's compiler has it."""
        decided = _decided(node)
        return self.value(node) if decided is None else known(decided)

    def x_NamedExpr(self, node):
        raise NotImplementedError("an assignment expression (:=) cannot stand in a kernel: assign before it")

    def x_JoinedStr(self, node):
        raise NotImplementedError("an f-string cannot stand in a kernel: print takes several values")

    def x_Slice(self, node):
        parts = [known(None) if p is None else self.value(p) for p in (node.lower, node.upper, node.step)]
        if all(p.known for p in parts):
            return known(slice(*(p.const for p in parts)))
        return Value(arrays.SLICE, items=parts, pure=all(p.pure for p in parts))

    def x_Attribute(self, node):
        v = self.value(node.value)
        return intrinsics.attribute(self, v, node.attr)

    def x_Subscript(self, node):
        v = self.value(node.value)
        return self.subscript(v, self.value(node.slice))

    def subscript(self, v, index):
        if v.known:
            made = intrinsics.known_subscript(self, v, index)
            if made is not None:
                return made
            v = self.array_of(v)
        if index.known and isinstance(index.const, str) or isinstance(v.type, elements.Record):
            return self._field(v, index)
        if isinstance(v.type, Array):
            return arrays.take(self.unit, v, arrays.index_items(index))
        of = intrinsics.ITERATORS.get(getattr(v.type, "c", None))
        if of is not None:
            return Value(of, f"{v.code}[{as_type(index, INT64)}]", pure=v.pure and index.pure,
                         lvalue=v.type.c.endswith("*"))
        items = items_of(v)
        if items is None:
            raise TypeError(f"{describe(v)} cannot be indexed")
        if index.known:
            picked = items[index.const]
            return make_tuple(picked) if isinstance(picked, list) else picked
        if not items:
            raise IndexError("an empty tuple cannot be indexed")
        out = items[-1]
        text = as_type(index, INT64)
        if self.rules.wraps and not index.nonneg:
            text = self.unit.call("py_wrap", text, str(len(items)))
        if self.unit.faults is not None and index.pure:
            self.stop_if(f"(unsigned long long){text} >= {len(items)}ull", IndexError("tuple index out of range"))
        for k in range(len(items) - 2, -1, -1):
            out = arithmetic.choose(self.unit, f"({text} == {k})", items[k], out, index.pure)
        return out

    def _field(self, v, index):
        """A field of a record, or of each of an array's."""
        t = v.type.dtype if isinstance(v.type, Array) else v.type
        if not isinstance(t, elements.Record):
            raise TypeError(f"{describe(v)} has no fields")
        made = arrays.field(self.unit, v, index.const) if index.known else None
        if made is None:
            raise KeyError(f"the record has no field {index.const!r}" if index.known else
                           "a field's name must be a constant")
        return made

    def array_of(self, v):
        """A known object as an array of the kernel: NumPy arrays of the surroundings are constants."""
        import numpy
        x = v.const
        if isinstance(x, numpy.ndarray):
            return self.unit.constant_array(x)
        if intrinsics.on_device(x):
            return self.unit.captured_array(x)
        if isinstance(x, (tuple, list)) and x and all(number(e) for e in x):
            if x not in self.unit.keep:
                self.unit.keep.append(x)
            return known(x)
        raise TypeError(f"{describe(v)} cannot be indexed in a kernel")

    def x_Call(self, node):
        f = self.value(node.func)
        if any(k.arg is None for k in node.keywords):
            raise NotImplementedError("a call in a kernel cannot unpack its arguments (**): name them")
        if f.known and intrinsics.is_range(f.const):
            raise NotImplementedError("range stands in a for statement only")
        arguments = [v for a in node.args for v in self._argument(a)]
        named = {k.arg: self.value(k.value) for k in node.keywords}
        return intrinsics.call(self, f, arguments, named)

    def _argument(self, node):
        """The values of an argument: several of *tuple."""
        if not isinstance(node, ast.Starred):
            return [self.value(node)]
        v = self.value(node.value)
        items = items_of(v)
        if items is None:
            raise TypeError(f"only a tuple can be unpacked in a call (*), not {describe(v)}")
        return items

    # -- device functions

    def call_function(self, function, rules, arguments, named, chosen=None):
        """A call of a Python function that becomes a device function. chosen(types) gives the types of the arguments
        and of the result by a signature."""
        constants = bound(function, arguments, named)
        values = [self._as_argument(v) for v in constants]
        given = None
        if chosen is not None:
            wanted, given = chosen([v.type for v in values])
            values = [Value(t, as_type(v, t), pure=v.pure) if isinstance(t, Scalar) else v
                      for t, v in zip(wanted, values)]
        try:
            name, result = self.unit.device_function(function, rules, values, given)
        except Later:
            raise
        except ERRORS:
            # as Numba does: with the constants themselves, where their types were not enough
            if chosen is not None or not any(c is not v for c, v in zip(constants, values)):
                raise
            try:
                name, result = self.unit.device_function(function, rules, constants, given)
            except ERRORS:
                name = None
            if name is None:
                raise
            values = constants
        finally:
            self.unit.translator = self
        text = self.unit.call_text(name, values)
        raises = name in self.unit.raisers
        if raises:
            self.may_raise()
        if raises and self.conditional and not isinstance(result, (elements.Record, Tuple, Array)):
            self.unchecked = True
            return Value(result, text, pure=False)
        if raises and result is VOID:
            self.emit(f"{text};")
            self.emit(self.stop_if_raised())
            return Value(VOID, "", pure=True)
        if not raises and not isinstance(result, (elements.Record, Tuple, Array)):
            return Value(result, text, pure=False)
        made = self.fresh("result")
        const = " const" if isinstance(result, elements.Record) else ""
        self.put_before(f"{self.unit.c_type(result)}{const} {made} = {text};")
        if raises:
            self.emit(self.stop_if_raised())
        return unpacked(result, made)

    def _as_argument(self, v):
        if v.known and number(v.const):
            t = self.unit.rules.type_of(v)
            return Value(t, as_type(v, t), nonneg=v.nonneg)
        if v.known and isinstance(v.const, tuple) and v.const and all(number(x) for x in v.const):
            return make_tuple_of([self._as_argument(known(x)) for x in v.const])
        return v


def _decided(node):
    """Whether a condition holds, where its literals decide that and nothing in it is called; else None."""
    if isinstance(node, ast.Constant):
        return bool(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = _decided(node.operand)
        return None if inner is None else not inner
    if isinstance(node, ast.BoolOp) and not any(isinstance(n, ast.Call) for n in ast.walk(node)):
        ends = isinstance(node.op, ast.Or)
        parts = [_decided(v) for v in node.values]
        return ends if ends in parts else None if None in parts else not ends
    folded = literal(node)
    return None if folded is None else bool(folded)


def literal(node):
    """The number that Python's compiler makes of an expression of literals, else None."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, (int, float, complex)) else None
    if isinstance(node, ast.UnaryOp):
        parts = [literal(node.operand)]
    elif isinstance(node, ast.BinOp):
        parts = [literal(node.left), literal(node.right)]
    else:
        return None
    if None in parts:
        return None
    try:
        made = arithmetic.of_python(OPERATORS[type(node.op)] if len(parts) == 2 else type(node.op).__name__, *parts)
    except (ArithmeticError, TypeError, ValueError):
        return None
    return None if isinstance(made, int) and made.bit_length() > 128 else made


def make_tuple_of(items, fields=()):
    return Value(Tuple(tuple(v.type for v in items), tuple(fields)), items=items)


def unpacked(t, text):
    """The value of a tuple or an array in a struct that has a name."""
    if isinstance(t, Tuple):
        return make_tuple_of([unpacked(x, f"{text}.v{k}") for k, x in enumerate(t.items)], t.fields)
    if isinstance(t, Array):
        return Value(t, f"{text}.data", n=[f"{text}.n{k}" for k in range(t.ndim)],
                     s=[f"{text}.s{k}" for k in range(t.ndim)] if t.layout in "AB" else None)
    if isinstance(t, elements.Record):
        return elements.reference(t, text)
    return Value(t, text)


def bound(function, arguments, named):
    """The arguments in the order of the parameters, with defaults."""
    import inspect
    try:
        b = inspect.signature(function).bind(*arguments, **named)
    except TypeError as e:
        raise TypeError(f"{function.__name__}: {e}") from None
    out = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise NotImplementedError(f"{function.__name__}: a kernel cannot have the parameter *{name}")
        out.append(b.arguments[name] if name in b.arguments else known(parameter.default))
    return out


def flattened(v):
    """The expressions that pass a value to a function: for an array its address, and those lengths and strides that
    are not constants."""
    if v.type is OBJECT:
        return []
    if isinstance(v.type, Array):
        out = [v.code] + [n for n in v.n if not isinstance(n, int)]
        return out + [s for s in v.s or () if not isinstance(s, int)]
    if isinstance(v.type, Tuple):
        return [text for x in v.items for text in flattened(x)]
    return [f"&{v.code}" if isinstance(v.type, elements.Record) else v.code]


def _words(node):
    names = {"Lambda": "a lambda", "ListComp": "a list comprehension", "DictComp": "a dict comprehension",
             "SetComp": "a set comprehension", "GeneratorExp": "a generator", "Await": "await", "Yield": "yield",
             "YieldFrom": "yield from", "Dict": "a dict", "Set": "a set", "Starred": "a starred expression"}
    return names.get(type(node).__name__, f"the expression {type(node).__name__}")

