"""What fuse's nodes become: a program of steps, groups of elementwise operations and calls of the library between them.

Elementwise nodes are deferred until something needs them, so operations around a reduction are one group where
possible. Invariant: running a group's nodes one by one, in program order, is always correct (`run`). Kernels and the
library's engine are used where they give the same: outputs have one shape, and written memory does not overlap memory
read with another layout. Once something was written, nothing is computed twice from memory."""
import operator
import re

import cuprite
from cuprite import _core
from cuprite._compiler.fuse.rebind import Object, traced
from cuprite._compiler.fuse.records import Described, Entry
from cuprite._compiler.fuse.trace import Array, Hole, Method, Node, NotFused, Number, filled
from cuprite._compiler.jobs import breathe, queue, report_failure

_ELEMENTWISE = {"op", "part", "where", "cast", "set", "store"}
_CHEAP = {"add", "subtract", "multiply", "negative", "bitwise_and", "bitwise_or", "bitwise_xor", "invert", "less",
          "less_equal", "greater", "greater_equal", "equal", "not_equal", "square", "maximum", "minimum", "positive"}

_CPU = -1
# Bytes times operations, up to which the engine is quicker than a kernel on the CPU: its calls cost 0.2 us, a kernel's
# 0.7; the kernel's elements half of the engine's or less (measured for 2 to 11 operations, float32 to float64)
_QUICK = 80000


def _size(n):
    size = 1
    for d in n.shape:
        size *= d
    return size


class Group:
    """Nodes that are computed together: `inputs` are there, `fresh` are made, `stores` (memory) are written."""

    def __init__(self, outputs, done):
        self.outputs = outputs
        self.nodes = sorted(_closure(outputs, done), key=lambda n: n.at)
        own = set(self.nodes)
        self.stores = list(dict.fromkeys([n.args[0] for n in self.nodes if n.kind == "store"]))
        self.fresh = [n for n in outputs if n.kind != "store"]
        self.inputs, written = [], set()
        for n in self.nodes:
            for k, x in enumerate(n.args):
                if isinstance(x, Node) and x not in own and x not in written and x not in self.inputs and not (
                        n.kind == "store" and k == 0):
                    self.inputs.append(x)
            if n.kind == "store":
                written.add(n.args[0])
        self.kernel = self.engine = None
        self.more, self.even, self.ordered = [], False, False
        self.below = 0                       # bytes of an operand
        self.asked = set()
        self.slots = [n.at for n in self.inputs]
        self.targets = [n.at for n in self.stores]

    def is_single(self):
        """Whether it is one operation of the library's."""
        return len(self.nodes) == 1 and (self.nodes[0].kind in ("cast", "where") or
                                         self.nodes[0].kind == "op" and self.nodes[0].what.nout == 1)

    def weight(self):
        """How many operations it joins."""
        return sum(n.kind != "part" for n in self.nodes)

    def compile(self, device, name):
        """Makes the kernel, which is compiled when it is prepared, and the engine's program; the reason if neither
        can be."""
        from cuprite._compiler import kernels
        from cuprite._compiler.fuse import kernel_source
        gpu, cpu = kernels._is_gpu(device), device == _CPU
        reason = None
        try:
            ins, outs, text = kernel_source.Kernel(self, gpu).declarations()
            if len(self.inputs) + len(self.fresh) + len(self.stores) > 38:
                raise kernel_source.NoText()
            self.kernel = k = kernels.ElementwiseKernel(ins, outs, text, name,
                                                         return_tuple=len(self.fresh) + len(self.stores) > 1,
                                                         options=("--fmad=false",))
            k._may_wait = True
            k._alike = self.is_alike()
            k._copies = any(n.kind == "cast" and n.args[0] in self.inputs for n in self.nodes)
        except kernel_source.NoText as e:
            reason = str(e)
        try:
            if self.suits_engine():
                self.below = _QUICK // self.weight() if cpu else 0
                text, names, self.more = kernel_source.engine_source(self)
                self.engine = _core._Fused(text, names)
        except (kernel_source.NoText, ValueError):  # ValueError: longer than the engine accepts
            pass
        return reason

    def suits_engine(self):
        """Whether errors are raised before anything is written, and results have the shape of what they replace."""
        self.even = self.grows()
        # what is written keeps its order of axes, which the engine does not know of
        self.ordered = bool(self.fresh) and any(n.kind in ("set", "store") for n in self.nodes)
        return not (self.stores and any(n.kind == "op" and n.what.name == "power" for n in self.nodes)) and \
            not any(n.kind == "set" and not n.what or n.kind == "store" and self.widens(n) for n in self.nodes)

    def widens(self, store):
        """Whether what is stored may be smaller than the memory, which is read behind it."""
        target, value = store.args
        own = set(self.nodes)
        made = {m for m in _closure([value], set()) if m in own} if isinstance(value, Node) else ()
        return not any(target in m.args for m in made) and any(
            m.at > store.at and target in (m.args[1:] if m.kind == "store" else m.args) for m in self.nodes)

    def grows(self):
        """Whether what replaces an own result may be larger than it."""
        parts = self.parts()
        return any(n.kind == "set" and n.args[1] in parts and not parts[n.args[1]] <= parts[n.args[0]]
                   for n in self.nodes)

    def is_alike(self):
        """Whether only operands of one shape make all outputs have the loop's."""
        everything = frozenset([n for n in self.inputs if n.kind != "number"] + self.stores)
        parts = self.parts()
        return any(parts[n] != everything for n in self.fresh) or self.grows()

    def parts(self):
        """Of each node the arrays that it is made of."""
        parts = {n: frozenset() if n.kind == "number" else frozenset([n]) for n in [*self.inputs, *self.stores]}
        for n in self.nodes:
            if n.kind != "store":
                parts[n] = frozenset().union(*[parts[x] for x in n.args if isinstance(x, Node) and x in parts])
            elif isinstance(n.args[1], Node):
                parts[n.args[0]] |= parts[n.args[1]]
        return parts

    def callable(self):
        """What computes it, of inputs and targets: fresh results and targets, as a tuple where there are several."""
        same = tuple([self.slots.index(t) if t in self.slots else -1 for t in self.targets])
        engine = None if self.even or self.ordered or self.kernel is not None and not self.below else self.engine
        return _core._Group(self.kernel, engine, self.below, tuple(self.more), len(self.slots), len(self.fresh), same,
                            self.otherwise)

    def otherwise(self, *given):
        """Where the kernel was not compiled for such operands, or what it was made for does not hold."""
        r = dict(zip([*self.slots, *self.targets], given))
        inputs, targets = given[:len(self.slots)], given[len(self.slots):]
        arrays = [x for x in inputs if isinstance(x, _core.ndarray)]
        found = None
        if apart(self.slots, self.targets, r):
            if self.kernel is not None:
                self.ask([*inputs, *([None] * len(self.fresh) if targets else ()), *targets])
            if self.engine is not None and not (self.even and len({x.shape for x in arrays}) > 1) and not (
                    self.ordered and not all(x._c_contiguous for x in [*arrays, *targets])):
                try:
                    found = self.engine(*inputs, *self.more, **(
                        {"out": (*[None] * len(self.fresh), *targets)} if targets else {}))
                except Exception:  # which the operations say in their own words
                    pass
        if found is None:
            run(self.nodes, r, self.fresh)
            found = (*[r[n.at] for n in self.fresh], *targets)
            found = found if len(found) > 1 else found[0]
        return found

    def ask(self, given):
        """Has the kernel compiled for operands that lie as these do."""
        layout = tuple([_layout(a) if isinstance(a, _core.ndarray) else None for a in given])
        if layout in self.asked or len(self.asked) >= 16:
            return
        self.asked.add(layout)
        given = [Described(a) if isinstance(a, _core.ndarray) else a for a in given]

        queue().put(lambda: self.prepare(given))

    def prepare(self, given):
        """Compiles for operands like these, arrays described."""
        try:
            self.kernel._prepare(*given)
        except ValueError as e:  # shapes that do not broadcast; the call raises
            report_failure(self.kernel.name, e, of_user=True)
        except Exception as e:  # no compiler, say: it runs as it did
            report_failure(self.kernel.name, e)
            self.kernel = None


def _layout(a):
    """What decides on the variant of a kernel: axes that do not move, neighbours, and whether vectors may be loaded."""
    item = a.itemsize
    steps = tuple([0 if not s or n == 1 else 1 if s == item else 2 + s % 16 for s, n in zip(a.strides, a.shape)])
    return steps, a._c_contiguous, a._device, a.data.ptr % 16, a.shape[-1:] and a.shape[-1] % 16, a.size >= 1 << 30


def apart(slots, targets, r):
    """Whether what is written shares no memory with anything else."""
    return all(i == t or not isinstance(r[i], _core.ndarray) or not cuprite.may_share_memory(r[i], r[t])
               for t in targets for i in {*slots, *targets})


def run(nodes, r, wanted):
    """Nodes one by one, as the function did them; results go to r, those `wanted` too that are computed in place."""
    skipped = {n.args[1] for n in nodes if n.kind == "store" and n.what and n.args[1] not in wanted}

    def of(x):
        return r[x.at] if isinstance(x, Node) else x
    for n in nodes:
        kind = n.kind
        if kind == "op":
            if n in skipped:
                continue
            r[n.at] = n.what(*[of(x) for x in n.args])
        elif kind == "part":
            r[n.at] = r[n.args[0].at][n.what]
        elif kind == "where":
            r[n.at] = cuprite.where(*[of(x) for x in n.args])
        elif kind == "cast":
            r[n.at] = of(n.args[0]).astype(n.dtype)
        elif kind == "store":
            if n.what:
                f, operands = n.what
                f(*[of(x) for x in operands], out=of(n.args[0]))
            else:
                of(n.args[0])[...] = of(n.args[1])
        elif kind == "set":
            r[n.at] = _set(n, of)
        else:
            raise AssertionError(kind)


def _set(n, of):
    """The replacement of an array that the function wrote to and that is not visible outside."""
    target, value = of(n.args[0]), of(n.args[1])
    fitting = isinstance(value, _core.ndarray) and value.shape == target.shape
    if fitting and n.what and value.strides == target.strides and value._type == n.dtype:
        return value
    fresh = cuprite.empty_like(target)  # in the same order of axes
    if n.what and not fitting:  # refused: in the words of the operation itself
        f, operands = n.what
        return f(*[of(x) for x in operands], out=fresh)
    fresh[...] = value
    return fresh


def _closure(outputs, done):
    found, todo = set(), list(outputs)
    while todo:
        n = todo.pop()
        if n in found:
            continue
        found.add(n)
        todo += [x for x in n.args if isinstance(x, Node) and x not in done and x not in found and x.kind in
                 _ELEMENTWISE]
        if n.kind in ("store", "set") and n.what:
            todo += [x for x in n.what[1] if isinstance(x, Node) and x not in done and x not in found and x.kind in
                     _ELEMENTWISE]
    return found


# --- scheduling ---
class Schedule:
    """Nodes into steps: `steps` are lists of groups, and nodes that are calls."""

    def __init__(self, nodes, results):
        self.steps, self.pending, self.done = [], [], set()
        self.results = set(results)
        self.last = {}                       # node -> where it is used last
        needed = self.needed(nodes)
        self.writes = any(n.kind == "store" for n in needed)
        for n in needed:
            for x in [*n.args, *(n.what[1] if n.kind in ("store", "set") and n.what else ())]:
                if isinstance(x, Node):
                    self.last[x] = n.at
        for n in needed:
            self.take(n)
        self.flush(self.alive(len(nodes)))

    def needed(self, nodes):
        used = {n for n in nodes if n in self.results or n.kind == "store"}
        for n in reversed(nodes):
            if n in used:
                used.update([x for x in n.args if isinstance(x, Node)])
                if n.kind in ("store", "set") and n.what:
                    used.update([x for x in n.what[1] if isinstance(x, Node)])
        return [n for n in nodes if n in used]

    def take(self, n):
        if n.kind in ("argument", "number"):
            self.done.add(n)
        elif n.kind in _ELEMENTWISE:
            if n.kind == "store" and any(p.kind == "store" and p.shape != n.shape for p in self.pending):
                self.flush([x for x in self.alive(n.at - 1) if not (n.what and x is n.args[1])])
            self.pending.append(n)
        else:
            waiting = [x for x in n.args if x not in self.done]
            if any(p.kind == "store" for p in self.pending):
                self.flush(self.alive(n.at - 1))
            elif waiting:
                self.flush(waiting)
            self.steps.append(n)
            self.done.add(n)

    def alive(self, now):
        """Pending nodes that are wanted behind `now`, and stores."""
        return [p for p in self.pending if p.kind == "store" or p in self.results or self.last.get(p, -1) > now]

    def flush(self, outputs):
        if not outputs:
            return
        outputs = set(outputs)
        nodes = _closure(outputs, self.done)
        outputs |= {p for p in self.pending if p.kind == "part" and p.args[0] in nodes}  # all results of one
        nodes |= outputs
        again = set()                       # what may be computed once more where it is needed next
        for n in sorted(nodes, key=lambda n: n.at):
            if n in outputs or n.dtype is None or not self.wanted_outside(n, nodes):
                continue
            if self.writes or not self.is_cheap(n):
                outputs.add(n)
            else:
                again.add(n)
        for n in nodes:                     # small and dear beside large: once, not for each element
            for x in n.args:
                if isinstance(x, Node) and x in nodes and 4 * _size(x) <= _size(n) and not self.is_cheap(x) and \
                        x.kind != "store":
                    outputs.add(x)
        step = Segment(sorted([n for n in outputs if n.dtype], key=lambda n: n.at), nodes, self.done)
        self.steps.append(step)
        self.pending = [p for p in self.pending if p not in nodes or (p in again and p not in outputs)]
        self.done |= outputs

    def wanted_outside(self, n, nodes):
        return n in self.results or any(n in p.args or (p.kind in ("set", "store") and p.what and n in p.what[1])
                                        for p in self.pending if p not in nodes) or \
            self.last[n] > max(m.at for m in nodes)

    def is_cheap(self, n):
        found = _closure([n], self.done)
        return len(found) <= 2 and all(m.kind in ("cast", "where") or m.kind == "op" and m.what.name in _CHEAP
                                       for m in found)


class Segment:
    """Groups of elementwise nodes that follow each other."""

    def __init__(self, outputs, nodes, done):
        self.nodes = sorted(nodes, key=lambda n: n.at)
        self.stores = [n for n in self.nodes if n.kind == "store"]
        self.groups = self.grouped(outputs, done)
        if self.stores and len(self.groups) > 1 and self.conflicts():
            self.groups = []
        self.inputs = list(dict.fromkeys([x for n in self.nodes for x in [
            *n.args, *(n.what[1] if n.kind in ("set", "store") and n.what else ())] if
            isinstance(x, Node) and x in done]))
        self.memory = [n.at for n in self.inputs if n.kind != "number"]
        self.targets = list({n.args[0].at for n in self.stores})
        self.fresh = [n for n in outputs if n.kind != "store"]

    def grouped(self, outputs, done):
        """One group for each shape, in an order in which each finds what it needs."""
        found = []                            # lists of outputs
        position = {}
        written = 0                           # the group of the last store: what comes behind it reads what it wrote
        for o in outputs:
            before = _closure([o], done | (set(outputs) - {o})) - {o}
            needs = {x for n in before | {o} for x in n.args if isinstance(x, Node) and x in position}
            first = max([position[x] + (x.shape != o.shape) for x in needs], default=0)
            first = max(first, written)
            at = next((k for k in range(first, len(found)) if found[k][0].shape == o.shape), None)
            if at is None:
                at = len(found)
                found.append([])
            found[at].append(o)
            position[o] = at
            written = at if o.kind == "store" else written
        groups = []
        ready = set(done)
        for outs in found:
            for part in self.divided(outs, ready):
                groups.append(Group(part, ready))
                ready |= set(part)
        return groups

    @staticmethod
    def divided(outputs, done):
        """Outputs of one shape: together where all operands have it, else those that are made of the same."""
        group = Group(outputs, done)
        if group.stores or not group.is_alike() or len({n.shape for n in group.inputs if n.kind != "number"}) == 1:
            return [outputs]
        parts, kinds = group.parts(), {}
        for o in outputs:
            kinds.setdefault(parts[o], []).append(o)
        return list(kinds.values())

    def conflicts(self):
        """Whether a later group reads memory as it was before an earlier one writes."""
        written = -1
        for g in self.groups:
            if any(n.at < written for n in g.nodes):
                return True
            written = max([written, *[n.at for n in g.nodes if n.kind == "store"]])
        return False

    def otherwise(self, *given):
        """Of `memory` and numbers: what is made, where groups cannot be run each for itself."""
        r = dict(zip([n.at for n in self.inputs], given))
        if self.groups and apart(self.memory, self.targets, r):
            for g in self.groups:
                found = g.whole(*[r[i] for i in [*g.slots, *g.targets]])
                found = found if type(found) is tuple else (found,)
                r.update(zip([n.at for n in g.fresh], found))
        else:
            run(self.nodes, r, self.fresh)
        return tuple([r[n.at] for n in self.fresh])

    def is_simple(self):
        """Whether its groups can run separately: a single group checks itself that outputs do not alias inputs."""
        return bool(self.groups) and (not self.stores or len(self.groups) == 1)


class Program:
    """A traced function: `run` is a function of Python's, made for it, that does the steps over registers."""

    def __init__(self, trace, steps, result, count):
        self.result, self.steps = result, steps
        self.names, self.cells, self.attributes = trace.names, trace.cells, trace.attributes
        self.shapes, self.run = None, None
        self.places = [(n.what, n.at) for n in trace.nodes if n.kind in ("argument", "number")]
        self.groups = [g for s in steps if isinstance(s, Segment) for g in s.groups]
        self.count = count

    def link(self):
        """Makes `run`, when groups are what they will be."""
        known, lines = {}, []
        at = {what: f"t{at}" for what, at in self.places}
        head = ", ".join([at.get(i, f"u{i}") for i in range(self.count)])

        def constant(x):
            if x is None or type(x) in (bool, int):
                return f"({x!r})"
            known[f"k{len(known)}"] = x
            return f"k{len(known) - 1}"

        def said(x):
            if isinstance(x, Hole):
                return f"t{x.index}"
            if type(x) in (tuple, list) and any(True for _ in _holes(x)):
                text = "".join([said(y) + ", " for y in x])
                return f"({text})" if type(x) is tuple else f"[{text}]"
            if type(x) is dict:
                return "{" + ", ".join([f"{k!r}: {said(y)}" for k, y in x.items()]) + "}"
            return constant(x)
        for step, drop in zip(self.steps, self.dropped(self.steps, self.result)):
            if isinstance(step, Segment):
                parts = step.groups if step.is_simple() else [step]
                for g in step.groups:
                    g.whole = g.callable()
                for g in parts:
                    given = [*g.slots, *g.targets] if g is not step else [n.at for n in step.inputs]
                    names = [f"t{n.at}" for n in g.fresh]
                    if g is not step:
                        names += ["_"] * len(g.targets)
                    several = "," if g is step and len(names) == 1 else ""
                    if g is not step and g.is_single():
                        lines.append(f"{names[0]} = {self.single(g.nodes[0], constant)}")
                        continue
                    lines.append(f"{', '.join(names)}{several}{' = ' if names else ''}"
                                 f"{constant(g.whole if g is not step else step.otherwise)}"
                                 f"({', '.join([f't{i}' for i in given])})")
            else:
                lines.append(f"t{step.at} = {self.called(step, said, constant)}")
            if drop:
                lines.append(" = ".join([f"t{i}" for i in drop]) + " = None")
        lines.append(f"return {said(self.result)}")
        exec(f"def run({head}):\n    " + "\n    ".join(lines), known)
        self.run = known["run"]
        return self

    @staticmethod
    def single(n, constant):
        def of(x):
            return f"t{x.at}" if isinstance(x, Node) else constant(x)
        if n.kind == "cast":
            return f"{of(n.args[0])}.astype({n.dtype!r})"
        return f"{constant(n.what if n.kind == 'op' else cuprite.where)}({', '.join([of(x) for x in n.args])})"

    @staticmethod
    def called(node, said, constant):
        args, kwargs = node.more
        holes = [Hole(n.at) for n in node.args]
        args = [said(x) for x in filled(args, holes)]
        words = [f"{k}={said(x)}" for k, x in filled(kwargs, holes).items()]
        name = getattr(node.what, "__name__", "")
        if node.what is operator.getitem:
            return f"{args[0]}[{args[1]}]"
        if type(node.what) is Method:
            return f"{args[0]}.{name}({', '.join(args[1:] + words)})"
        return f"{constant(node.what)}({', '.join(args + words)})"

    def dropped(self, steps, result):
        """For each step the registers that are not live after it."""
        last = {}
        for k, s in enumerate(steps):
            nodes = s.nodes if isinstance(s, Segment) else [s]
            for n in nodes:
                last[n.at] = k
                for x in [*n.args, *(n.what[1] if n.kind in ("store", "set") and n.what else ())]:
                    if isinstance(x, Node):
                        last[x.at] = k
        kept = set(_holes(result))
        return [[i for i, at in last.items() if at == k and i not in kept] for k in range(len(steps))]

    def holds(self, args):
        """Whether values outside of the arguments, and shapes if they matter, are those that were traced."""
        for space, name, value in self.names:
            if space.get(name, self) is not value:
                return False
        for cell, value in self.cells:
            if cell.cell_contents is not value:
                return False
        for position, name, value in self.attributes:
            now = getattr(args[position], name, self)
            if type(now) is not type(value) or now != value:
                return False
        if self.shapes is not None:
            for position, shape in self.shapes:
                if args[position].shape != shape:
                    return False
        return True

    def runs_fused(self):
        """Whether anything runs otherwise than one by one."""
        return any(g.kernel is not None or g.engine is not None for g in self.groups)

    def entry(self, kinds):
        """What calls with such arguments become: one kernel, one run of the engine, or `run`."""
        guards = {"names": tuple(self.names), "cells": tuple(self.cells), "attributes": tuple(self.attributes),
                  "shapes": tuple(self.shapes or ())}
        whole = Entry(kinds, tuple(range(self.count)), engine=self.run, whole=True, **guards)
        g = self.groups[0] if len(self.steps) == len(self.groups) == 1 else None
        holes = [self.result] if isinstance(self.result, Hole) else self.result if type(self.result) is tuple else []
        if g is None or g.stores or [h.index if isinstance(h, Hole) else None for h in holes] != [
                n.at for n in g.fresh] or (len(holes) == 1) != isinstance(self.result, Hole):
            return whole
        places = {at: what for what, at in self.places}
        engine = None if g.even or g.ordered or g.kernel is not None and not g.below else g.engine
        if engine is None and g.kernel is None:
            return whole
        operands = tuple([places[i] for i in g.slots] + [(x,) for x in g.more])
        return Entry(kinds, operands, g.kernel, engine, g.below, **guards)

    def prepare(self, args):
        """Compiles groups that are made of arguments like these alone; others are when they first run."""
        given = {at: args[what] for what, at in self.places}
        for g in self.groups:
            if g.kernel is not None and all(i in given for i in [*g.slots, *g.targets]):
                g.prepare([given[i] for i in g.slots] + (
                    [None] * len(g.fresh) + [given[i] for i in g.targets] if g.stores else []))


def _holes(template):
    if isinstance(template, Hole):
        yield template.index
    elif isinstance(template, (tuple, list)):
        for t in template:
            yield from _holes(t)
    elif isinstance(template, dict):
        yield from _holes(list(template.values()))


def _template(x, nodes):
    """The function's result with holes for arrays, whose nodes are gathered."""
    if isinstance(x, (Array, Number)):
        nodes.append(x._node)
        return Hole(x._node.at)
    if type(x) in (tuple, list):
        return type(x)([_template(y, nodes) for y in x])
    if type(x) is dict:
        return {k: _template(y, nodes) for k, y in x.items()}
    if x is None or type(x) in (bool, int, float, complex, str):
        return x
    raise NotFused()


def program(fusion, args):
    """What the function becomes for arguments like these, arrays described; NotFused where it becomes nothing."""
    device = next(a[3] for a in args if isinstance(a, Described))
    trace, result = traced(fusion.func, args)
    nodes = []
    if isinstance(result, Object):
        raise NotFused()
    result = _template(result, nodes)
    steps = Schedule(trace.nodes, nodes).steps
    made = Program(trace, steps, result, len(args))
    if trace.shaped:
        made.shapes = [(i, a[1]) for i, a in enumerate(args) if isinstance(a, Described)]
    if not any(g.weight() > 1 for g in made.groups):
        raise NotFused()  # one operation is one kernel as it is
    name = re.sub(r"\W", "_", fusion.name)
    name = name if name and not name[0].isdigit() and name != "_lambda_" else "fused"
    reasons = []
    for g in made.groups:
        if not g.is_single():
            breathe()
            reasons.append(g.compile(device, name))
    if not made.runs_fused():
        raise NotFused(next((x for x in reasons if x), ""))
    return made.link()
