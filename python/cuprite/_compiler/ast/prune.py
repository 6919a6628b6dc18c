"""Statements that cannot be reached are left out before a function is split into variables and typed, so that no type
depends on them: what Python's compiler does not compile, and the branches that Numba's `dead_branch_prune` removes.

Such a condition is made of literals; or it is a name that stands for one constant, or a comparison of two constants, of
which a parameter that is None, an array's `ndim` and the length of a tuple are some. Names that only left-out
statements assign stay local variables: `pruned` returns them.
"""
import ast
import operator
import types

from .types import OBJECT, Array, Tuple
from .values import number

_COMPARE = {ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
            ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not}
_UNKNOWN = object()


class _Prune:
    """`literal` is the number that Python's compiler makes of an expression, else None; `find` looks up free names."""

    def __init__(self, body, parameters, values, find, literal):
        self.find, self.literal = find, literal
        self.values = dict(zip(parameters, values))
        self.stored = {}        # name -> the expressions that are assigned to it; None: by no plain assignment
        for n in (n for s in body for n in ast.walk(s)):
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
                self.stored.setdefault(n.id, []).append(None)
        for n in (n for s in body for n in ast.walk(s)):
            if isinstance(n, ast.Assign) and len(n.targets) == 1 and isinstance(n.targets[0], ast.Name):
                made = self.stored[n.targets[0].id]
                made[made.index(None)] = n.value

    # constants

    def name(self, node):
        """What a name stands for, where that is one constant."""
        if node.id in self.stored:
            assigned = self.stored[node.id]
            return self.constant(assigned[0]) if len(assigned) == 1 and assigned[0] and node.id not in self.values \
                else _UNKNOWN
        if node.id in self.values:
            v = self.values[node.id]
            return v.const if v.type is OBJECT and (v.const is None or number(v.const)) else _UNKNOWN
        try:
            return _plain(self.find(node.id))
        except NameError:
            return _UNKNOWN

    def constant(self, node):
        """The value of an operand that is one constant, else _UNKNOWN."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return self.name(node)
        if isinstance(node, ast.Attribute):
            array = self.parameter(node.value)
            if isinstance(array, Array):
                return array.ndim if node.attr == "ndim" else _UNKNOWN
            return _plain(getattr(self.module(node.value), node.attr, _UNKNOWN))
        if isinstance(node, ast.Call):
            plain = isinstance(node.func, ast.Name) and node.func.id == "len" and len(node.args) == 1
            items = self.parameter(node.args[0]) if plain and not node.keywords else None
            return len(items.items) if isinstance(items, Tuple) else _UNKNOWN
        folded = self.literal(node)
        return _UNKNOWN if folded is None else folded

    def parameter(self, node):
        """The type of a parameter that is never assigned, else None."""
        mine = isinstance(node, ast.Name) and node.id in self.values and node.id not in self.stored
        return self.values[node.id].type if mine else None

    def module(self, node):
        """The module or class that a free name stands for, else None."""
        if not isinstance(node, ast.Name) or node.id in self.stored or node.id in self.values:
            return None
        try:
            found = self.find(node.id)
        except NameError:
            return None
        return found if isinstance(found, (types.ModuleType, type)) else None

    def decided(self, node):
        """Whether a condition holds, where that is decided; else None."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.decided(node.operand)
            return None if inner is None else not inner
        if isinstance(node, ast.BoolOp):
            return self.joined(node)
        if isinstance(node, ast.Compare):
            return self.compared(node)
        value = _UNKNOWN if isinstance(node, ast.Attribute) else self.constant(node)
        try:
            return None if value is _UNKNOWN else bool(value)
        except (TypeError, ValueError):
            return None

    def joined(self, node):
        ends, parts = isinstance(node.op, ast.Or), [self.decided(v) for v in node.values]
        return ends if ends in parts else None if None in parts else not ends

    def compared(self, node):
        sides = [self.constant(x) for x in (node.left, *node.comparators)]
        sign = _COMPARE.get(type(node.ops[0]))
        if len(sides) != 2 or sign is None or _UNKNOWN in sides:
            return None
        try:
            return bool(sign(*sides))
        except (TypeError, ValueError):
            return None

    # statements

    def calls(self, node):
        """Statements that make the calls in a condition."""
        if not any(isinstance(n, ast.Call) for n in ast.walk(node)):
            return []
        return [ast.copy_location(ast.If(node, [ast.copy_location(ast.Pass(), node)], []), node)]

    def block(self, statements):
        out = []
        for s in statements:
            out += self.statement(s)
            if out and _leaves(out[-1]):
                break
        return out

    def statement(self, s):
        """The statements that take its place."""
        if isinstance(s, ast.If):
            holds = self.decided(s.test)
            if holds is not None:
                return self.calls(s.test) + self.block(s.body if holds else s.orelse)
        elif isinstance(s, ast.While):
            holds = self.decided(s.test)
            if holds is False:
                return self.calls(s.test) + self.block(s.orelse)
            if holds and not self.calls(s.test):
                s.test, s.orelse = ast.copy_location(ast.Constant(True), s.test), []
        for field in ("body", "orelse"):
            inner = getattr(s, field, None)
            if isinstance(inner, list):
                setattr(s, field, self.block(inner) or ([ast.copy_location(ast.Pass(), s)] if field == "body" else []))
        return [s]


def _plain(x):
    """x where it is a constant to a kernel; what a name such as threadIdx stands for is none."""
    return x if x is None or number(x) or isinstance(x, str) else _UNKNOWN


def endless(s):
    """Whether only a break, or what leaves the function, ends this statement."""
    return isinstance(s, ast.While) and isinstance(s.test, ast.Constant) and bool(s.test.value)


def _breaks(statements):
    """Whether a break of the loop around is among the statements."""
    for s in statements:
        if isinstance(s, ast.Break):
            return True
        inner = [] if isinstance(s, (ast.For, ast.While)) else getattr(s, "body", [])
        if _breaks([*inner, *getattr(s, "orelse", [])]):
            return True
    return False


def _leaves(s):
    """Whether the statement behind this one is never reached."""
    if isinstance(s, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
        return True
    if isinstance(s, ast.If):
        return bool(s.orelse) and _leaves(s.body[-1]) and _leaves(s.orelse[-1])
    return endless(s) and not _breaks(s.body)


def _stores(body):
    return {n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def pruned(body, parameters, values, find, literal):
    """(the statements that can be reached, names that only others assign)."""
    before = _stores(body)
    kept = _Prune(body, parameters, values, find, literal).block(body) or [ast.copy_location(ast.Pass(), body[0])]
    return kept, before - _stores(kept) - set(parameters)
