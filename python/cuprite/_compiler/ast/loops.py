"""Python loops -> C++ loops: for over range, over the first axis of an array, over tuples, enumerate, zip and
reversed; while; their else. A bound is computed once, before the loop, as Python does."""
import ast
import builtins
import re
from typing import Any, Callable, NamedTuple

from . import arithmetic, arrays, intrinsics
from .types import INT64, Array
from .values import Value, as_type, describe, items_of, known, make_tuple, nonneg_as


class Row(NamedTuple):
    """What a for statement iterates over: the number of iterations (a number or an expression), and an iteration's
    item."""
    count: Any
    item: Callable


class Loops:
    """A third of a Translator (statements.py and expressions.py have the others)."""

    def s_While(self, node):
        test = self.guarded(node.test)
        done, raises, self.unchecked = self._else_flag(node), self.unchecked, False
        condition = arithmetic.truth(test)
        self.emit(f"while ({f'{condition} && !raised' if raises else arrays.strip(condition)}) {{")
        self._loop_body(node, done)
        self.emit("}")
        if raises:
            self.emit(self.stop_if_raised())
        self._else(node, done)

    def _else_flag(self, node):
        if not node.orelse:
            return None
        flag = self.fresh("broke")
        self.emit(f"bool {flag} = false;")
        return flag

    def _else(self, node, flag):
        if flag:
            self.emit(f"if (!{flag}) {{")
            self.block(node.orelse)
            self.emit("}")

    def _loop_body(self, node, flag, first=()):
        self.loops.append(flag)
        self.depth += 1
        for line in first:
            self.emit(line)
        self.depth -= 1
        self.block(node.body)
        self.loops.pop()

    def s_Break(self, node):
        if self.loops[-1]:
            self.emit(f"{self.loops[-1]} = true;")
        self.emit("break;")

    def s_Continue(self, node):
        self.emit("continue;")

    def s_For(self, node):
        call = node.iter
        if isinstance(call, ast.Call):
            f = self.value(call.func)
            if f.known and intrinsics.is_range(f.const):
                return self._for_range(node, call)
        self._for_items(node, self._row(node.iter))

    def _for_range(self, node, call):
        unroll = None
        for k in call.keywords:
            if k.arg != "unroll":
                raise TypeError(f"range has no argument {k.arg!r}")
            unroll = self.value(k.value)
        start, stop, step = map(self.checked, self._range_values(call))
        if not isinstance(node.target, ast.Name):
            raise NotImplementedError("the variable of a for statement over range is one name")
        self._counted(node, start, stop, step, unroll)

    def _range_values(self, call):
        values = [self.value(a) for a in call.args]
        if not 1 <= len(values) <= 3:
            raise TypeError(f"range takes one to three arguments, not {len(values)}")
        start, stop = (known(0), values[0]) if len(values) == 1 else values[:2]
        step = values[2] if len(values) == 3 else known(1)
        if self.rules.widens:  # Numba cuts a float off
            start, stop, step = (Value(INT64, as_type(v, INT64), pure=v.pure) if not v.known and
                                 self.rules.type_of(v).kind == "f" else v for v in (start, stop, step))
        for v in (start, stop, step):
            if not self.rules.type_of(v).integer or (v.known and isinstance(v.const, float)):
                raise TypeError(f"range counts in integers, not {describe(v)}")
        if step.known and step.const == 0:
            raise ValueError("range() arg 3 must not be zero")
        return start, stop, step

    def _counted(self, node, start, stop, step, unroll):
        name, t = node.target.id, self.rules.ranged([start, stop, step])
        own = self.scope.loop_only(node, name)
        state = self.state
        self.seen.add(name)
        upward = step.known and step.const > 0 or not step.known and self.rules.type_of(step).kind == "u"
        nonneg = t.kind == "u" or bool(nonneg_as(start, t) and upward) or (
            step.known and step.const < 0 and stop.known and stop.const >= -1)
        if own:
            state.types[name], state.nonneg[name] = t, nonneg
            counter = self.c_variable(name)
        else:
            counter = self.fresh("at")
        stop_source = self._steady(stop, t, node, "stop")
        step_source = self._steady(step, t, node, "step")
        done = self._else_flag(node)
        if unroll is not None:
            self._unroll(unroll)
        self.emit(_for_line(t, counter, arrays.strip(as_type(start, t)), stop_source, step, step_source, upward))
        first = []
        if not own:
            at = len(self.lines)
            self.depth += 1
            self.assign(name, Value(t, counter, nonneg=nonneg))
            self.depth -= 1
            first, self.lines[at:] = self.lines[at:], []
            self.lines.extend(first)
        self._loop_body(node, done)
        self.emit("}")
        self._else(node, done)

    def _unroll(self, unroll):
        if not unroll.known or not isinstance(unroll.const, (bool, int)):
            raise TypeError("unroll must be True, False or a number that is known")
        if unroll.const is True:
            self.emit("#pragma unroll")
        elif unroll.const is False:
            self.emit("#pragma unroll 1")
        else:
            self.emit(f"#pragma unroll {unroll.const}")

    def _steady(self, v, t, node, word):
        """The text of a bound that is asked in every turn: Python asks once, so what may change gets a name."""
        text = as_type(v, t)
        if v.known:
            return text
        names = {n.id for s in node.body for n in ast.walk(s)
                 if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)} | {node.target.id}
        words = set(re.findall(r"\w+", text))
        if v.pure and "[" not in text and not re.search(r"\w\(", text) and \
                not words & {self.c_variable(n) for n in names}:
            return text
        c = self.fresh(word)
        self.emit(f"const {t.c} {c} = {arrays.strip(text)};")
        return c

    def _for_items(self, node, row):
        """for x in array (its first axis), tuple, enumerate(...), zip(...)."""
        if row.count == 0:
            for s in node.orelse:
                self.statement(s)
            return
        counter = self.fresh("at")
        count = self._steady_count(row.count)
        done = self._else_flag(node)
        self.emit(f"for (long long {counter} = 0; {counter} < {count}; {counter}++) {{")
        item = row.item(Value(INT64, counter, nonneg=True))
        self.depth += 1
        if isinstance(node.target, ast.Name) and self.scope.loop_only(node, node.target.id):
            self._await(self.declared(node.target.id))
        self.assign_to(node.target, item)
        self._flush()
        self.depth -= 1
        self._loop_body(node, done)
        self.emit("}")
        self._else(node, done)

    def each(self, out, element):
        """Lines that give every element of the array `out` a value: element(item), where item(v) is the element of an
        array v (broadcast to the shape of `out`) at that index, and a number itself."""
        indices = []
        for k in range(out.type.ndim):
            at = self.fresh("at")
            self.emit(f"for (long long {at} = 0; {at} < {self._steady_count(out.n[k])}; {at}++) {{")
            self.depth += 1
            indices.append(Value(INT64, at, nonneg=True))

        def item(v):
            if not isinstance(v.type, Array):
                return v
            if v.type.ndim > out.type.ndim:
                raise ValueError(f"an array of {v.type.ndim} dimensions does not go into one of {out.type.ndim}")
            mine = indices[len(indices) - v.type.ndim:]
            mine = [i if n is m or str(n) == str(m) else known(0) if n == 1 else i if isinstance(n, int) else
                    Value(INT64, f"({n} == 1 ? 0 : {i.code})", nonneg=True)
                    for i, n, m in zip(mine, v.n, out.n[out.type.ndim - v.type.ndim:])]
            return arrays.take(self.unit, v, mine)
        self._store_element(arrays.take(self.unit, out, indices), element(item))
        for _ in indices:
            self.depth -= 1
            self.emit("}")

    def _steady_count(self, count):
        """The text of how many turns there are; one that would be computed in each gets a name."""
        text = str(count)
        if re.fullmatch(r"\w+", text):
            return text
        name = self.fresh("turns")
        self.emit(f"const long long {name} = {arrays.strip(text)};")
        return name

    def _row(self, node):
        """What a for statement goes over."""
        if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
            f = self.value(node.func)
            if f.known and f.const is builtins.enumerate:
                return self._enumerated(node)
            if f.known and f.const is builtins.zip:
                return self._zipped(node)
            if f.known and f.const is builtins.reversed:
                return self._reversed(node)
            if f.known and intrinsics.is_range(f.const):
                return self._counting(node)
        return self._row_of(self.value(node))

    def _row_of(self, v):
        if v.known and items_of(v) is None:
            v = self.array_of(v)
        items = items_of(v)
        if items is None and not (isinstance(v.type, Array) and v.type.ndim):
            raise TypeError(f"{describe(v)} cannot be looped over")
        return Row(v.n[0] if items is None else len(items), lambda k: self.subscript(v, k))

    def _enumerated(self, node):
        starts = node.args[1:] + [k.value for k in node.keywords if k.arg == "start"]
        if not node.args or len(starts) > 1 or len(node.args) + len(node.keywords) > 2:
            raise TypeError("enumerate takes something to loop over and a start")
        row, start = self._row(node.args[0]), self.value(starts[0]) if starts else known(0)
        if not self.rules.type_of(start).integer:
            raise TypeError(f"enumerate starts at an integer, not {describe(start)}")
        return Row(row.count, lambda k: make_tuple([arithmetic.binary(self.unit, "add", k, start), row.item(k)]))

    def _zipped(self, node):
        rows = [self._row(a) for a in node.args]
        if node.keywords or not rows:
            raise TypeError("zip takes what it goes over, and nothing by name")
        numbers = [r.count for r in rows if isinstance(r.count, int)]
        strings = [r.count for r in rows if not isinstance(r.count, int)]
        if not strings:
            count = min(numbers)
        else:
            count = f"{min(numbers)}LL" if numbers else strings.pop(0)
            for text in strings:
                count = self.unit.call("py_min", f"(long long){count}", f"(long long){text}")
        return Row(count, lambda k: make_tuple([r.item(k) for r in rows]))

    def _reversed(self, node):
        if len(node.args) != 1 or node.keywords:
            raise TypeError("reversed takes one argument")
        row = self._row(node.args[0])
        last = known(row.count - 1) if isinstance(row.count, int) else Value(INT64, f"({row.count} - 1)")

        def item(k):
            back = arithmetic.binary(self.unit, "sub", last, k)
            return row.item(Value(back.type, back.code, nonneg=True))
        return Row(row.count, item)

    def _counting(self, node):
        """range inside enumerate, zip and reversed."""
        start, stop, step = self._range_values(node)
        if all(v.known for v in (start, stop, step)):
            count = len(range(start.const, stop.const, step.const))
        elif step.known and step.const == 1 and start.known and start.const == 0 and stop.nonneg:
            count = as_type(stop, INT64)
        else:
            a, b, d = (self._held(as_type(v, INT64), v) for v in (start, stop, step))
            count = f"({d} > 0 ? ({b} > {a} ? ({b} - {a} - 1) / {d} + 1 : 0) : " \
                    f"({a} > {b} ? ({a} - {b} - 1) / -{d} + 1 : 0))"

        def item(k):
            return arithmetic.binary(self.unit, "add", start, arithmetic.binary(self.unit, "mul", k, step))
        return Row(count, item)

    def _held(self, text, v):
        if v.known:
            return text
        name = self.fresh("bound")
        self.emit(f"const long long {name} = {arrays.strip(text)};")
        return name


def _for_line(t, counter, start, stop, step, step_source, upward):
    if step.known and step.const == 1:
        return f"for ({t.c} {counter} = {start}; {counter} < {stop}; {counter}++) {{"
    move = f"{counter} += {step_source}"
    if upward:
        test = f"{counter} < {stop}"
    elif step.known:
        test = f"{counter} > {stop}"
    else:
        test = f"{step_source} > 0 ? {counter} < {stop} : {step_source} < 0 && {counter} > {stop}"
    return f"for ({t.c} {counter} = {start}; {test}; {move}) {{"
