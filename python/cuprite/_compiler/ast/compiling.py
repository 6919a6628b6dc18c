"""A Python function as a C++ function: its parameters, its translation until the types of its variables reach a fixed
point, and the position of its declarations."""
import ast

from . import arrays
from .elements import Record, reference
from .expressions import literal, make_tuple_of
from .prune import pruned
from .scope import Scope
from .source import Source, names_of
from .statements import STOP, State, Translator
from .types import OBJECT, VOID, Array, Tuple
from .unit import c_name
from .unroll import unrolled
from .values import Value, as_type, number
from .webs import split


def compile_function(unit, function, name, values, kernel=False, result=None, underway=None):
    """(source, type of the result) of one C++ function for these arguments. Arrays among them come as values whose
    expressions are the parameters' own names. result: the type that the function is to give; underway: what calls of it
    from itself ask."""
    source = Source(function)
    if source.variadic:
        raise source.located(NotImplementedError("a kernel cannot have *args or **kwargs"), source.node)
    if len(values) != len(source.parameters):
        raise TypeError(f"{function.__name__}() takes {len(source.parameters)} arguments, not {len(values)}")
    fine = set()
    found = _translated(unit, function, name, values, kernel, source, fine, result, underway)
    while not found[0] <= fine:  # some variable would have a type that is not its own everywhere
        fine |= found[0]
        found = _translated(unit, function, name, values, kernel, Source(function), fine, result, underway)
    return found[1:]


def _translated(unit, function, name, values, kernel, source, fine, given=None, underway=None):
    """(names whose variables must be split further, and what compile_function returns, or the error)."""
    lambda_ = isinstance(source.node, ast.Lambda)
    body = [ast.copy_location(ast.Return(source.node.body), source.node.body)] if lambda_ else source.node.body
    origin, gone = {}, set()
    if unit.rules.widens:
        body, gone = pruned(body, source.parameters, values, names_of(function), literal)
        body = unrolled(body, function, source.parameters, values)
        body, origin = split(body, source.parameters, fine)
    scope, state = Scope(body, source.parameters), State()
    scope.locals.update(gone)
    state.result = state.given = given
    if underway is not None:
        underway.state = state
    for _ in range(40):
        state.changed, state.awaited, state.passes = False, None, state.passes + 1
        t = Translator(unit, function, source, scope, state, ())
        t.kernel, t.name = kernel, name
        try:
            heads, first = _take_parameters(t, values)
            for s in body:
                t.statement(s)
        except TypeError as error:
            mixed = {origin.get(n, n) for n in state.mixed}
            if mixed <= fine:
                raise
            return mixed, error
        if not state.changed or state.passes > 4 and _waits(state):
            break
    else:
        raise source.located(TypeError("the types of the variables do not settle"), source.node)
    result = state.result or VOID
    top = [f"    {c_type}{c} = {{}};" for n in scope.top for c_type, c in t.declared(n)]
    lines = ["    " + line for line in t.arrays] + first + top + t.lines
    raises = name in unit.raisers
    mixed = {origin.get(n, n) for n in state.mixed}
    unit.local_bytes += t.local_bytes
    if kernel:
        lines[:0] = ["    bool raised = false;"] * raises
        return mixed, heads, [line.replace(STOP, "return;") for line in lines]
    if result is not VOID and not _always_returns(body):
        raise source.located(TypeError("the function does not return a value on every way through it"), source.node)
    lines = [line.replace(STOP, "return;" if result is VOID else "return {};") for line in lines]
    declared = ", ".join(["bool &raised"] * raises + [h for h, _ in heads])
    head = f"static __device__ inline {unit.c_type(result)} {name}({declared}) {{"
    return mixed, "\n".join([head] + lines + ["}"]) + "\n", result


def _waits(state):
    """Whether this function can be known only when another one is, that calls it: that one writes it again then."""
    if state.awaited is None or state.awaited.state is state:
        return False
    state.awaited.seen.add(None)
    return True


def _take_parameters(tr, values):
    """Names the parameters: sets tr.parameters; returns [(declaration, path)] and first lines (parameters that the
    function assigns become variables of their own)."""
    heads, first = [], []
    for k, (name, v) in enumerate(zip(tr.source.parameters, values)):
        assigned = name in tr.scope.locals
        c = tr.fresh(c_name(name) + "_given") if assigned else tr.c_variable(name)
        mine = _parameter(tr, c, v, heads, (k,))
        tr.parameters[name] = mine
        if not assigned:
            continue
        if mine.known:
            mine = Value(tr.rules.type_of(mine), as_type(mine, tr.rules.type_of(mine)), nonneg=mine.nonneg) \
                if number(mine.const) else mine
        if mine.type is OBJECT:
            raise TypeError(f"the parameter {name!r} cannot be assigned")
        tr.state.types.setdefault(name, mine.type)
        if isinstance(mine.type, (Array, Tuple)):
            tr.state.forms.setdefault(name, Value(mine.type, n=mine.n, s=mine.s, items=mine.items))
        tr.state.learn(tr.state.nonneg, name, min(mine.nonneg, tr.state.nonneg.get(name, 2)))
        first.append((name, mine))
    tr.seen = set(tr.source.parameters)
    lines, tr.lines = tr.lines, []
    for name, mine in first:
        tr._await(tr.declared(name))
        t = tr.state.types[name]
        if isinstance(t, Array) and t.layout == "A" and mine.s is None:
            mine = Value(t, mine.code, n=mine.n, s=[arrays.stride(mine, k) for k in range(t.ndim)])
        tr._store(tr.variable(name, t, tr.state.forms.get(name)), t, mine)
    tr.pending = set()
    first, tr.lines = tr.lines, lines
    return heads, first


def _parameter(tr, c, v, heads, path):
    """The value of a parameter called c, like v; appends its declarations."""
    if v.type is OBJECT:
        return v
    if isinstance(v.type, Tuple):
        items = [_parameter(tr, f"{c}_{k}", x, heads, path + (k,)) for k, x in enumerate(v.items)]
        return make_tuple_of(items, v.type.fields)
    tr.unit.need_type(v.type.dtype if isinstance(v.type, Array) else v.type)
    if isinstance(v.type, Record):
        heads.append((f"{v.type.c} *{c}", path + ("record",)))
        return reference(v.type, c)
    if not isinstance(v.type, Array):
        heads.append((f"{v.type.c} {c}", path))
        return Value(v.type, c, nonneg=v.nonneg)
    heads.append((f"{v.type.dtype.c} *{c}", path + ("data",)))
    n, s = [], None
    for k, e in enumerate(v.n):
        n.append(e if isinstance(e, int) else f"{c}_n{k}")
        if not isinstance(e, int):
            heads.append((f"long long {c}_n{k}", path + ("n", k)))
    if v.s is not None:
        s = []
        for k, e in enumerate(v.s):
            s.append(e if isinstance(e, int) else f"{c}_s{k}")
            if not isinstance(e, int):
                heads.append((f"long long {c}_s{k}", path + ("s", k)))
    return Value(v.type, c, n=n, s=s)


def _always_returns(body):
    """Whether no way leads past the end of these statements."""
    for s in body:
        if isinstance(s, (ast.Return, ast.Raise)):
            return True
        if isinstance(s, ast.If) and s.orelse and _always_returns(s.body) and _always_returns(s.orelse):
            return True
        if isinstance(s, ast.While) and isinstance(s.test, ast.Constant) and s.test.value and \
                not any(isinstance(n, ast.Break) for n in ast.walk(s)):
            return True
    return False
