"""Conditions that Python's compiler or Numba's decides before there are types: what is not taken then has no part in
the type of an expression. Any other condition leaves the type to both, even where its value is known here."""
import ast

from .values import number

_LITERAL = (ast.Constant, ast.UnaryOp, ast.BinOp, ast.unaryop, ast.operator)


def decided(tr, node):
    """Whether the condition holds, where that is decided; else None. Calls in it may have to be made all the same."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        part = decided(tr, node.operand)
        return None if part is None else not part
    if isinstance(node, ast.BoolOp):
        ends = isinstance(node.op, ast.Or)
        parts = [decided(tr, v) for v in node.values]
        return ends if ends in parts else None if None in parts else not ends
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        sides = [node.left, *node.comparators]
        pairs = [ast.copy_location(ast.Compare(a, [op], [b]), node) for a, op, b in zip(sides, node.ops, sides[1:])]
        return decided(tr, ast.copy_location(ast.BoolOp(ast.And(), pairs), node))
    if not _constant(tr, node):
        return None
    v = tr.value(node)
    return bool(v.const) if v.known and number(v.const) else None


def _constant(tr, node):
    """Whether it is a literal, a constant of the surroundings, or an operation of two of these."""
    if isinstance(node, ast.Compare):
        none = isinstance(node.ops[0], (ast.Is, ast.IsNot))
        return none or _operand(tr, node.left) and _operand(tr, node.comparators[0])
    if isinstance(node, ast.BinOp) and _operand(tr, node.left) and _operand(tr, node.right):
        return True
    return _literal(node) or isinstance(node, ast.Name) and _surrounding(tr, node)


def _literal(node):
    return all(isinstance(n, _LITERAL) for n in ast.walk(node))


def _surrounding(tr, name):
    return name.id not in tr.scope.locals and name.id not in tr.parameters


def _operand(tr, node):
    """Whether Numba knows the value of an operand: of an array's number of dimensions and of a length too."""
    if isinstance(node, ast.Attribute):
        return node.attr == "ndim"
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "len"
    return _literal(node) or isinstance(node, ast.Name) and _surrounding(tr, node)
