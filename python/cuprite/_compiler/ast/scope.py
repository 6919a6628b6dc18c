"""Where the variables of a function are declared in C++.

Python's variables live in the whole function, those of C++ in a block. A variable is declared in the innermost block
that holds all its uses, when the first statement there that names it surely assigns it; otherwise (it may carry a value
from one iteration of a loop to the next) at the beginning of the function. So a value that is used between two barriers
only stays between them.
"""
import ast


class _Uses(ast.NodeVisitor):
    """For each name: the path (blocks from the outermost in, with the statement in each) of every use."""

    def __init__(self):
        self.uses, self.assigned, self.stores, self.path = {}, set(), {}, []

    def block(self, statements):
        for s in statements:
            self.path.append((id(statements), s))
            self.visit(s)
            self.path.pop()

    def visit_Name(self, node):
        self.uses.setdefault(node.id, []).append(tuple(self.path))
        if not isinstance(node.ctx, ast.Load):
            self.assigned.add(node.id)
            self.stores[node.id] = self.stores.get(node.id, 0) + 1

    def _compound(self, node):
        for field, value in ast.iter_fields(node):
            if field in ("body", "orelse", "finalbody") and isinstance(value, list):
                self.block(value)
            elif isinstance(value, ast.AST):
                self.visit(value)

    visit_For = visit_While = visit_If = visit_With = _compound

    def visit_Lambda(self, node):
        pass

    visit_FunctionDef = visit_ListComp = visit_GeneratorExp = visit_Lambda


def _surely_assigns(statement, name):
    """Whether the statement gives the name a value before it can be read, whatever happens."""
    if isinstance(statement, ast.Assign):
        reads = {n.id for n in ast.walk(statement.value) if isinstance(n, ast.Name)}
        targets = [t for target in statement.targets for t in ast.walk(target)
                   if isinstance(t, ast.Name) and isinstance(t.ctx, ast.Store)]
        return name not in reads and any(t.id == name for t in targets)
    if isinstance(statement, ast.AnnAssign):
        return statement.value is not None and isinstance(statement.target, ast.Name) and statement.target.id == name
    if isinstance(statement, ast.If):  # both branches end in having assigned it
        return all(branch and any(_surely_assigns(s, name) for s in branch[:1])
                   for branch in (statement.body, statement.orelse))
    return False


class Scope:
    """`locals`: the names that the body assigns. `top`: those declared at its beginning. `at(statement)`: those
    declared where that statement stands. `stores`: how often each is assigned. `loop_only(for_statement)`: whether its
    variable is the loop's own."""

    def __init__(self, body, parameters):
        uses = _Uses()
        uses.block(body)
        self.locals, self.stores = uses.assigned, uses.stores
        self.top, self._at, self._own = [], {}, set()
        for name in sorted(uses.assigned):
            if not self._all_in_loops(name, uses.uses[name]) and name not in parameters:
                self._place(name, uses.uses[name])

    def _all_in_loops(self, name, paths):
        """Every use stands in a for statement whose variable this is and which alone assigns it: it is theirs."""
        found = {}  # a loop is looked through once

        def theirs(s):
            if id(s) not in found:
                found[id(s)] = isinstance(s, ast.For) and self._only_target(s, name)
            return found[id(s)]
        loops = [next((s for _, s in reversed(path) if theirs(s)), None) for path in paths]
        if None in loops:
            return False
        self._own.update((id(loop), name) for loop in loops)
        return True

    def _place(self, name, paths):
        common = 0
        while all(len(p) > common for p in paths) and len({p[common][0] for p in paths}) == 1:
            common += 1
        first = min((p[common - 1][1] for p in paths), key=lambda s: (s.lineno, s.col_offset))
        if common == 1 or _surely_assigns(first, name):
            self._at.setdefault(id(first), []).append(name)
        else:
            self.top.append(name)

    @staticmethod
    def _only_target(loop, name):
        """The for statement's own target is the name's only assignment, and `else` does not read it."""
        if not (isinstance(loop.target, ast.Name) and loop.target.id == name):
            return False
        inner = [n for s in loop.body + loop.orelse for n in ast.walk(s) if isinstance(n, ast.Name) and n.id == name]
        stores = [n for n in inner if not isinstance(n.ctx, ast.Load)]
        asks = [n for s in loop.orelse for n in ast.walk(s) if isinstance(n, ast.Name) and n.id == name]
        outside = [n for n in ast.walk(loop.iter) if isinstance(n, ast.Name) and n.id == name]
        return not stores and not asks and not outside

    def at(self, statement):
        return self._at.get(id(statement), ())

    def loop_only(self, loop, name):
        return (id(loop), name) in self._own
