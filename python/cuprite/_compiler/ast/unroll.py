"""literal_unroll: a for statement over a tuple becomes its body once for each item, so that each has its own types.

It is done in the tree, before names are split into variables (webs.py), so the copies have variables of their own.
Invariant: without break, continue and else, which are refused, the copies one after the other do what the loop does.
"""
import ast
import builtins
import copy

from .intrinsics import Intrinsic
from .types import OBJECT, Tuple


class _LiteralUnroll(Intrinsic):
    """In a kernel a mark for `unrolled`; elsewhere, and on the host, its argument."""

    def __call__(self, container):
        return container


literal_unroll = _LiteralUnroll("literal_unroll", lambda tr, container: container,
                                "literal_unroll(container): a for statement over it is compiled for each item by "
                                "itself.\n\nParameters: container: a tuple.")


class _Unrolls(ast.NodeTransformer):
    def __init__(self, function, parameters, values, body):
        self.names = {**vars(builtins), **function.__globals__}
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            try:
                self.names[name] = cell.cell_contents
            except ValueError:  # assigned later
                pass
        self.values = dict(zip(parameters, values))
        self.stored = {}  # name -> the values that statements give it; None: not by an assignment of its own
        for s in body:
            for n in ast.walk(s):
                if isinstance(n, ast.Assign) and len(n.targets) == 1 and isinstance(n.targets[0], ast.Name):
                    self.stored.setdefault(n.targets[0].id, []).append(n.value)
                elif isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
                    self.stored.setdefault(n.id, [])

    def constant(self, node):
        """What a global name, or an attribute of one, is; None where that is not known."""
        if isinstance(node, ast.Name):
            return None if node.id in self.stored or node.id in self.values else self.names.get(node.id)
        return getattr(self.constant(node.value), node.attr, None) if isinstance(node, ast.Attribute) else None

    def count(self, node):
        """The number of items of a tuple."""
        if isinstance(node, ast.Tuple):
            return len(node.elts)
        if isinstance(node, ast.Name) and len(self.stored.get(node.id, ())) == 1:
            return self.count(self.stored[node.id][0])
        value = None if getattr(node, "id", None) in self.stored else self.values.get(getattr(node, "id", None))
        if value is not None and isinstance(value.type, Tuple):
            return len(value.items)
        found = value.const if value is not None and value.type is OBJECT else self.constant(node)
        if not isinstance(found, tuple):
            raise TypeError("literal_unroll takes a tuple whose items are known: a parameter, a name of one, or (a, b)")
        return len(found)

    def visit_For(self, node):
        call = node.iter
        marked = isinstance(call, ast.Call) and self.constant(call.func) is literal_unroll
        self.generic_visit(node)
        if not marked:
            return node
        if len(call.args) != 1 or call.keywords:
            raise TypeError("literal_unroll takes one argument")
        if node.orelse or _leaves(node.body):
            raise NotImplementedError("a loop over literal_unroll can have no break, continue or else")
        out = []
        for k in range(self.count(call.args[0])):
            container = copy.deepcopy(call.args[0])
            item = container.elts[k] if isinstance(container, ast.Tuple) else \
                ast.Subscript(container, ast.Constant(k), ast.Load())
            out.append(ast.Assign([copy.deepcopy(node.target)], item))
            out += copy.deepcopy(node.body)
        return [ast.fix_missing_locations(ast.copy_location(s, node)) if isinstance(s, ast.Assign) and not
                hasattr(s, "lineno") else s for s in out] or [ast.copy_location(ast.Pass(), node)]


def _leaves(statements):
    """Whether a break or continue of this loop is among the statements."""
    for s in statements:
        if isinstance(s, (ast.Break, ast.Continue)):
            return True
        inner = [] if isinstance(s, (ast.For, ast.While)) else getattr(s, "body", [])
        if _leaves([*(inner if isinstance(inner, list) else []), *getattr(s, "orelse", [])]):
            return True
    return False


def unrolled(body, function, parameters, values):
    """The statements of a function for these arguments, with loops over literal_unroll(...) written out."""
    code = function.__code__
    if "literal_unroll" not in code.co_names + code.co_freevars and \
            not any(value is literal_unroll for value in function.__globals__.values()):
        return body
    change = _Unrolls(function, parameters, values, body)
    out = []
    for s in body:
        found = change.visit(s)
        out += found if isinstance(found, list) else [found]
    return out
