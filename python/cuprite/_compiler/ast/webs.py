"""A name that is reused for something else becomes a separate variable (a web), as in Numba's compiler: the variables
of two loops that share a name have two types.

Invariant: where the value of an assignment can reach a read, the read's variable takes that value, so the function
means what it meant. Assignments that reach a common read are one variable, whose type is that of all of them; where
that would give an assignment a type that is not its own, each set of assignments that reaches a read is a variable, and
an assignment writes to all that it belongs to.
"""
import ast

from .prune import endless


class _Unknown(Exception):
    """A statement whose flow is not known here."""


class _Flow:
    """Which assignments reach which reads. A state is {name: set of assignments}; None: nothing comes here."""

    def __init__(self, names):
        self.names, self.parent, self.nodes = names, {}, {}
        self.loops = []     # of each loop around: the states at its breaks, and at its continues

    # assignments that belong together

    def root(self, d):
        while self.parent.setdefault(d, d) != d:
            d = self.parent[d]
        return d

    def unite(self, defs):
        defs = list(defs)
        for d in defs[1:]:
            self.parent[self.root(d)] = self.root(defs[0])

    # expressions

    def reads(self, node, state):
        for n in ast.walk(node):
            if isinstance(n, (ast.Lambda, ast.NamedExpr, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
                raise _Unknown
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id in self.names and state.get(n.id):
                self.nodes.setdefault(n, set()).update(state[n.id])

    def writes(self, target, state):
        """The state after an assignment to the target, whose indices are read."""
        state = dict(state)
        for n in ast.walk(target):
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
                state[n.id] = {n}
                self.nodes[n] = {n}
        return state

    # statements

    def block(self, statements, state):
        for s in statements:
            if state is None:
                return None
            method = getattr(self, "s_" + type(s).__name__, None)
            if method is None:
                raise _Unknown
            state = method(s, state)
        return state

    def s_Expr(self, s, state):
        self.reads(s, state)
        return state

    s_Assert = s_Expr

    def s_Pass(self, s, state):
        return state

    def s_Assign(self, s, state):
        self.reads(s, state)
        for target in s.targets:
            state = self.writes(target, state)
        return state

    def s_AnnAssign(self, s, state):
        if s.value is None:
            return state
        self.reads(s.value, state)
        self.reads(s.target, state)
        return self.writes(s.target, state)

    def s_AugAssign(self, s, state):
        self.reads(s, state)
        return state

    def s_Return(self, s, state):
        self.reads(s, state)

    s_Raise = s_Return

    def s_Break(self, s, state):
        self.loops[-1][0].append(state)

    def s_Continue(self, s, state):
        self.loops[-1][1].append(state)

    def s_If(self, s, state):
        self.reads(s.test, state)
        return merged([self.block(s.body, state), self.block(s.orelse, state)])

    def s_While(self, s, state):
        return self._loop(s, state, lambda head: (self.reads(s.test, head), head)[1], endless(s))

    def s_For(self, s, state):
        self.reads(s.iter, state)
        return self._loop(s, state, lambda head: self.writes(s.target, head))

    def _loop(self, s, state, turn, endless_=False):
        head = state
        while True:
            self.loops.append(([], []))
            end = self.block(s.body, turn(head))
            breaks, continues = self.loops.pop()
            again = merged([head, end, *continues])
            if again == head:
                break
            head = again
        return merged([None if endless_ else self.block(s.orelse, head), *breaks])


def merged(states):
    """What may have been assigned where several ways meet."""
    states = [s for s in states if s is not None]
    if not states:
        return None
    out = {}
    for s in states:
        for name, defs in s.items():
            out[name] = out.get(name, set()) | defs
    return out


class _Plain(ast.NodeTransformer):
    """x += 1 as x = x + 1, where x is a name: what is read and what is written may be two variables."""

    def visit_AugAssign(self, node):
        if not isinstance(node.target, ast.Name):
            return node
        old = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        value = ast.copy_location(ast.BinOp(old, node.op, node.value), node)
        return ast.copy_location(ast.Assign([node.target], value), node)


def split(body, parameters, fine=()):
    """(the statements after splitting names that stand for several variables, new name -> old name). Names in `fine`
    are split further: each set of assignments that reaches a read is one variable."""
    body = [_Plain().visit(s) for s in body]
    stored = [n for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    names = {n.id for n in stored}
    flow = _Flow(names)
    try:
        flow.block(body, {p: {p} for p in parameters if p in names})
    except _Unknown:
        return body, {n: n for n in names}
    for n, defs in flow.nodes.items():
        if n.id not in fine:
            flow.unite(defs)
    fresh = _Fresh({n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name)} | set(parameters))
    known = {flow.root(p): p for p in parameters if p in names}
    seen = set(parameters)
    for n in sorted(stored, key=lambda n: (n.lineno, n.col_offset)):
        root = flow.root(n)
        if root not in known:
            known[root] = fresh.name(n.id) if n.id in seen else n.id
            fresh.origin[known[root]] = n.id
            seen.add(n.id)
    joined = {}     # a set of assignments of a name in `fine` -> the variable of the reads that it reaches
    for n, defs in flow.nodes.items():
        if n.id in fine and len(defs) > 1:
            key = frozenset(defs)
            if key not in joined:
                joined[key] = fresh.name(n.id)
    copies = {}     # an assignment -> the variables that take its value too
    for defs, name in joined.items():
        for d in defs:
            copies.setdefault(d, []).append((name, known[flow.root(d)]))
    alone = {next(iter(defs)) for n, defs in flow.nodes.items() if len(defs) == 1 and isinstance(n.ctx, ast.Load)}
    for d in [d for d in copies if len(copies[d]) == 1 and d not in alone and isinstance(d, ast.Name)]:
        known[flow.root(d)] = copies.pop(d)[0][0]   # it is read as a part of that variable only
    for n, defs in flow.nodes.items():
        n.id = joined.get(frozenset(defs)) or known[flow.root(next(iter(defs)))]
    if copies:
        at = body[0]
        body = [_copy(pair, at) for p in parameters for pair in copies.get(p, ())] + _with_copies(body, copies)
    return body, fresh.origin


class _Fresh:
    """New names of variables; `origin`: what they were called."""

    def __init__(self, taken):
        self.taken, self.origin = taken, {}

    def name(self, old):
        k = 1
        while f"{old}_again{k}" in self.taken:
            k += 1
        made = f"{old}_again{k}"
        self.taken.add(made)
        self.origin[made] = old
        return made


def _copy(pair, at):
    to, of = pair
    made = ast.Assign([ast.Name(to, ast.Store())], ast.Name(of, ast.Load()))
    return ast.fix_missing_locations(ast.copy_location(made, at))


def _with_copies(body, copies):
    """The statements, with copies behind the assignments that need them: of a loop's variable first in its body."""
    out = []
    for s in body:
        out.append(s)
        targets = getattr(s, "targets", None) or [getattr(s, "target", None)]
        made = [_copy(pair, s) for t in targets if t for n in ast.walk(t) if n in copies for pair in copies[n]]
        for field in ("body", "orelse"):
            if getattr(s, field, None):
                setattr(s, field, _with_copies(getattr(s, field), copies))
        if isinstance(s, ast.For):
            s.body = made + s.body
        else:
            out.extend(made)
    return out
