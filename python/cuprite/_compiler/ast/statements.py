"""Python statements -> lines of C++: the Translator of one function.

A function is translated again until the types of its variables reach a fixed point (two passes are enough unless a
variable widens); only the last pass's source is kept. Variables are C++ variables of one type; an array variable is an
address with lengths and strides, a tuple one variable an item.
"""
import ast
import re

from . import arithmetic, arrays
from .elements import Record, reference
from .expressions import ERRORS, OPERATORS, Expressions, Later, make_tuple_of
from .loops import Loops
from .source import names_of
from .types import OBJECT, VOID, Array, Opaque, Scalar, Tuple
from .unit import c_name
from .values import NOTHING, Value, as_type, describe, items_of, known, make_tuple, nonneg_as, number




STOP = "return @;"  # what a function gives that an exception ends is known when all of it is written


class State:
    """What the passes over a function learn: types of variables, which are never negative, the result's type."""

    def __init__(self):
        self.types, self.nonneg, self.forms, self.result, self.changed = {}, {}, {}, None, False
        self.awaited = None     # a function that is being written, whose result a pass asked for in vain
        self.given = None       # the type of the result that a signature gives
        self.passes = 0
        self.mixed = set()      # variables that are assigned values of several types
        self.bound = set()      # variables that are a shared or local array itself, declared with it

    def learn(self, table, name, value):
        if table.get(name, NOTHING) != value:
            table[name] = value
            self.changed = True


class Translator(Loops, Expressions):
    def __init__(self, unit, function, source, scope, state, values):
        self.unit, self.rules, self.source, self.scope, self.state = unit, unit.rules, source, scope, state
        self.find = names_of(function)
        self.lines, self.depth, self.conditional, self.loops = [], 1, 0, []
        self.arrays, self.wanted = [], None     # declarations of shared and local arrays; the name for the next
        self.unchecked = False                  # whether the statement calls, under a condition, what may raise
        self.parameters = dict(zip(source.parameters, values))
        self.seen = set(source.parameters)
        self.names, self.local_bytes = {}, 0
        unit.translator = self
        self.used = {c_name(n) for n in scope.locals | set(source.parameters)}

    # -- text

    def emit(self, line):
        self.lines.append("    " * self.depth + line)

    def block(self, statements):
        self.depth += 1
        for s in statements:
            self.statement(s)
        self.depth -= 1

    def array_name(self, name):
        """A name for a new shared or local array: its variable's, when it has one."""
        wanted, self.wanted = self.wanted, None
        if wanted is None:
            return self.fresh(name)
        self.state.bound.add(wanted)
        return self.c_variable(wanted)

    def fresh(self, name):
        k, made = 0, name
        while made in self.used:
            k += 1
            made = f"{name}{k}"
        self.used.add(made)
        return made

    # -- variables

    def c_variable(self, name):
        if name not in self.names:
            c = c_name(name)
            # x_n0 and the like are the array's: a variable x beside one of that name is called otherwise
            while any(re.fullmatch(rf"{c}_[ns]?\d\w*", u) for u in self.used):
                c += "_"
            self.names[name] = c
        return self.names[name]

    def read(self, name):
        if name in self.parameters and name not in self.scope.locals:
            return self.parameters[name]
        if name not in self.state.types or (name not in self.seen and not self.loops):
            message = f"the variable {name!r} is used before it is assigned"
            raise Later(message) if self.loops and self.state.passes < 3 else NameError(message)
        form = self.state.forms.get(name)
        if form is not None and (form.known or name in self.state.bound):
            return form
        return self.variable(name, self.state.types[name], form)

    def variable(self, name, t, form=None):
        """The value of a variable of the type t."""
        c = self.c_variable(name)
        return self._named(c, t, form, self.state.nonneg.get(name, False))

    def _named(self, c, t, form, nonneg):
        if isinstance(t, Array):
            n = [e if isinstance(e, int) else f"{c}_n{k}" for k, e in enumerate(form.n)]
            s = form.s and [e if isinstance(e, int) else f"{c}_s{k}" for k, e in enumerate(form.s)]
            return Value(t, c, n=n, s=s)
        if isinstance(t, Tuple):
            return make_tuple_of([self._named(f"{c}_{k}", x, form.items[k], form.items[k].nonneg)
                                  for k, x in enumerate(t.items)])
        if isinstance(t, Record):
            return reference(t, c)
        return Value(t, c, nonneg=nonneg)

    def assign(self, name, v):
        """name = v, in types and in text."""
        state = self.state
        self.seen.add(name)
        if self.scope.stores[name] == 1 and v.known and name not in self.parameters:
            state.learn(state.types, name, OBJECT)
            state.forms[name] = v
            return
        if v.known and not number(v.const):
            items = items_of(v)
            if items is None or not items:
                if not self.scope.stores[name] == 1:
                    raise TypeError(f"the variable {name!r} cannot be assigned {describe(v)}: its value changes")
            else:
                v = make_tuple_of(items)
        v = self._typed_items(v)
        if name in state.bound:
            state.learn(state.types, name, v.type)
            state.forms[name] = v
            return
        old = state.types.get(name)
        t = self._type_of(v)
        if t is VOID:
            raise TypeError(f"{name!r} is assigned the result of a call that returns nothing")
        if old is not None:
            met = self._met(name, old, t, v)
            if (met != t or met != old) and isinstance(t, Scalar) and self.scope.stores[name] > 1:
                self.state.mixed.add(name)
            t = met
        state.learn(state.types, name, t)
        self._learn_form(name, t, v)
        if isinstance(t, Tuple) and self._mentions(v, {name}):
            v = make_tuple_of([self._kept(x) for x in v.items])
        nonneg = min(nonneg_as(v, t) if isinstance(t, Scalar) else v.nonneg, state.nonneg.get(name, 2))
        state.learn(state.nonneg, name, nonneg)
        self._store(self.variable(name, t, state.forms.get(name)), t, v, name)

    def _typed_items(self, v):
        if not isinstance(v.type, Tuple):
            return v
        return make_tuple_of([self._typed_items(make_tuple_of(items_of(x)) if x.known and items_of(x) else x)
                              if not (x.known and number(x.const)) else
                              Value(self.rules.type_of(x), as_type(x, self.rules.type_of(x)), nonneg=x.nonneg)
                              for x in v.items])

    def _type_of(self, v):
        return self.rules.type_of(v) if v.known else v.type

    def _met(self, name, old, t, v):
        if isinstance(old, Scalar) and isinstance(t, Scalar):
            return self.rules.assigned(name, old, v)
        if isinstance(old, Tuple) and isinstance(t, Tuple) and len(old.items) == len(t.items):
            return Tuple(tuple(self._met(name, a, b, x) for a, b, x in zip(old.items, t.items, v.items)))
        if old == t:
            return t
        if isinstance(old, Array) and isinstance(t, Array) and old[:2] == t[:2] and "B" not in (old.layout, t.layout):
            return old._replace(layout="A")
        raise TypeError(f"the variable {name!r} is {old!r} and cannot become {t!r}: a variable has one type")

    def _learn_form(self, name, t, v):
        """Which lengths and strides of an array variable are numbers, or the forms of a tuple's items."""
        if isinstance(t, Array):
            s = [arrays.stride(v, k) for k in range(t.ndim)] if t.layout in "AB" else None
            form = Value(t, n=list(v.n), s=s)
            old = self.state.forms.get(name)
            if old is not None and isinstance(old.type, Array):
                form.n = [a if a == b and isinstance(a, int) else "?" for a, b in zip(old.n, form.n)]
                if s and old.s:
                    form.s = [a if a == b and isinstance(a, int) else "?" for a, b in zip(old.s, s)]
                elif s:
                    form.s = ["?"] * len(s)
            if old is None or _numbers(old) != _numbers(form):
                self.state.changed = True
            self.state.forms[name] = form
        elif isinstance(t, Tuple):
            self.state.forms[name] = Value(t, items=v.items)

    def _store(self, target, t, v, name=None):
        """Lines that give the C++ variable(s) of `target` the value v."""
        if isinstance(t, Tuple):
            # all items are computed before the first is written: x, y = y, x
            for (a, b) in zip(target.items, v.items):
                self._store(a, a.type, b)
        elif isinstance(t, Array):
            s = v.s
            if target.s is not None and s is None:
                s = [arrays.stride(v, k) for k in range(t.ndim)]
            pairs = [(target.code, v.code)] + list(zip(target.n, v.n)) + list(zip(target.s or (), s or ()))
            for a, b in pairs:
                if not isinstance(a, int):
                    self._set(a, str(b), f"{t.dtype.c} *" if a == target.code else "long long ")
        elif isinstance(t, Record):
            self._set(target.code[2:-1], f"&{v.code}", f"{t.c} *")
        elif isinstance(t, Opaque):
            self._set(target.code, v.code, t.c + " ")
        else:
            self._set(target.code, arrays.strip(as_type(v, t)), t.c + " ")

    def _set(self, name, text, c_type):
        if name == text:
            return
        if name in self.pending:
            self.pending.discard(name)
            self.emit(f"{c_type}{name} = {text};")
        else:
            self.emit(f"{name} = {text};")

    def declared(self, name):
        """(C++ type, C++ name) of every C++ variable behind a variable."""
        t = self.state.types.get(name)
        if t is None or t is OBJECT or name in self.state.bound:
            return []
        out = []

        def visit(v):
            if isinstance(v.type, Tuple):
                for x in v.items:
                    visit(x)
            elif isinstance(v.type, Array):
                out.append((f"{v.type.dtype.c} *", v.code))
                out.extend(("long long ", n) for n in v.n if not isinstance(n, int))
                out.extend(("long long ", s) for s in v.s or () if not isinstance(s, int))
            elif isinstance(v.type, Record):
                out.append((f"{self.unit.c_type(v.type)}", v.code[2:-1]))
            elif v.type is not OBJECT:
                self.unit.need_type(v.type)
                out.append((v.type.c + " ", v.code))
        visit(self.variable(name, t, self.state.forms.get(name)))
        return out

    # -- statements

    pending = frozenset()

    def statement(self, node):
        method = getattr(self, "s_" + type(node).__name__, None)
        try:
            if method is None:
                raise NotImplementedError(f"{_words(node)} cannot stand in a kernel")
            self._declare(node)
            method(node)
            if self.unchecked and not isinstance(node, ast.Return):
                self.emit(self.stop_if_raised())
            self.unchecked = False
        except Later as later:
            self.state.changed = True
            self.state.awaited = later.args[1] if len(later.args) > 1 else None
        except ERRORS as error:
            raise self.source.located(error, node) from None

    def _declare(self, node):
        """Declarations that stand here: in the assignment itself, or before the statement."""
        names = [d for name in self.scope.at(node) for d in self.declared(name)]
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            self._await(names)
        else:
            self.pending = set()
            for t, c in names:
                self.emit(f"{t}{c} = {{}};")  # on some way nothing may be assigned: Numba's variables begin as zeros

    def _await(self, names):
        """These (type, name) are declared where they are assigned first."""
        self.pending, self.pending_types = {c for _, c in names}, {c: t for t, c in names}

    def _flush(self):
        """Declares what no assignment did."""
        for c in sorted(self.pending):
            self.emit(f"{self.pending_types[c]}{c} = {{}};")
        self.pending = set()

    def s_Pass(self, node):
        pass

    def s_Expr(self, node):
        if isinstance(node.value, ast.Constant):
            return  # a docstring
        v = self.value(node.value)
        if v.code and not v.pure:
            self.emit(f"{v.code};")

    def s_Assign(self, node):
        target = node.targets[0]
        once = len(node.targets) == 1 and isinstance(target, ast.Name) and self.scope.stores[target.id] == 1
        self.wanted = target.id if once and target.id not in self.parameters else None
        v, self.wanted = self.checked(self.value(node.value)), None
        if len(node.targets) > 1 and not v.known and not v.pure:
            v = self._once(v)
        for target in node.targets:
            self.assign_to(target, v)
        self._flush()

    def _once(self, v):
        """The value under a name of its own: it is evaluated once, whoever reads it."""
        if not isinstance(v.type, Scalar):
            raise NotImplementedError("what a call gives is assigned to one target, where it is no number: assign the "
                                      "others from that name")
        name = self.fresh("value")
        self.emit(f"const {v.type.c} {name} = {arrays.strip(v.code)};")
        return Value(v.type, name, pure=True)

    def s_AnnAssign(self, node):
        if node.value is not None:
            self.assign_to(node.target, self.checked(self.value(node.value)))
        self._flush()

    def assign_to(self, target, v):
        if isinstance(target, ast.Name):
            self.assign(target.id, v)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, v)
        elif isinstance(target, ast.Subscript):
            self._store_element(self.value(target), v)
        elif isinstance(target, ast.Attribute):
            place = self.value(target)
            if not (place.lvalue or isinstance(place.type, Array)):
                raise NotImplementedError(f"the attribute {target.attr!r} cannot be assigned in a kernel: use "
                                          "a name")
            self._store_element(place, v)
        else:
            raise NotImplementedError(f"{_words(target)} cannot be assigned in a kernel")

    def _unpack(self, target, v):
        items = items_of(v)
        if v.known and items is None and not number(v.const):
            v = self.array_of(v)
            items = items_of(v)
        if items is None and isinstance(v.type, Array) and v.type.ndim:
            if isinstance(v.n[0], int) and v.n[0] != len(target.elts):
                raise ValueError(f"{v.n[0]} values cannot be assigned to {len(target.elts)} names")
            items = [self.subscript(v, known(k)) for k in range(len(target.elts))]
        if items is None:
            raise TypeError(f"{describe(v)} cannot be unpacked")
        if len(items) != len(target.elts):
            raise ValueError(f"{len(items)} values cannot be assigned to {len(target.elts)} names")
        names = {n.id for t in target.elts for n in ast.walk(t) if isinstance(n, ast.Name)}
        if len(items) > 1 and any(self._mentions(x, names) for x in items):
            items = [self._kept(x) for x in items]
        for t, x in zip(target.elts, items):
            self.assign_to(t, x)

    def _mentions(self, v, names):
        if v.known:
            return False
        if v.items is not None:
            return any(self._mentions(x, names) for x in v.items)
        if not v.pure or v.lvalue:
            return True
        words = set(re.findall(r"(?<![\w.])[A-Za-z_]\w*", v.code))
        return any(w == c or w.startswith(c + "_") for c in map(self.c_variable, names) for w in words)

    def _kept(self, v):
        """The value in a variable of its own, so that later assignments do not change it."""
        if v.known or not isinstance(v.type, Scalar):
            return v
        c = self.fresh("kept")
        self.unit.need_type(v.type)
        self.emit(f"{v.type.c} {c} = {v.code};")
        return Value(v.type, c, nonneg=v.nonneg)

    def _store_element(self, place, v):
        v = self.checked(v)
        if isinstance(place.type, Array):
            return self._store_array(place, v)
        if not place.lvalue:
            raise TypeError(f"{describe(place)} cannot be assigned")
        if isinstance(place.type, Scalar):
            self.rules.stored(place.type, v)
        self.unit.need_type(place.type)
        if isinstance(place.lvalue, str):  # on any byte
            return self.emit(f"{self.unit.call('packed_store', place.lvalue, as_type(v, place.type))};")
        self.emit(f"{arrays.strip(place.code)} = {arrays.strip(as_type(v, place.type))};")

    def _store_array(self, place, v):
        """A part of an array that is assigned at once: a number, or an array that meets its shape."""
        items = items_of(v)
        if items is not None:
            if place.type.ndim != 1:
                raise TypeError("a tuple is assigned to a part of an array that has one dimension")
            for k, x in enumerate(items):
                self._store_element(arrays.take(self.unit, place, [known(k)]), x)
            return
        if not v.known and not v.pure:
            v = self._once(v)
        v = self._kept(v)  # once: it may read what is written
        self.each(place, lambda item: item(v))

    def s_AugAssign(self, node):
        target, op = node.target, OPERATORS[type(node.op)]
        if isinstance(target, ast.Name):
            old = self.value(ast.copy_location(ast.Name(target.id, ast.Load()), target))
            self.assign(target.id, arithmetic.binary(self.unit, op, old, self.value(node.value)))
            return
        place = self._steady_place(target)
        if isinstance(place.type, Array):
            more = self.value(node.value)
            more = self._kept(more)
            return self.each(place, lambda item: arithmetic.binary(self.unit, op, item(place), item(more)))
        v = arithmetic.binary(self.unit, op, place, self.value(node.value))
        self._store_element(place, v)

    def _steady_place(self, target):
        """The target of an augmented assignment: an index that calls a function is computed once."""
        place = self.value(target)
        if place.pure or not isinstance(target, ast.Subscript):
            return place
        array = self.value(target.value)
        kept = [i if i.pure else self._kept(i) for i in arrays.index_items(self.value(target.slice))]
        return self.subscript(array, kept[0] if len(kept) == 1 else make_tuple(kept))

    def s_If(self, node):
        test = self.checked(self.test(node.test))
        self.unchecked = False
        if test.known:  # decided while the kernel is compiled: there is no code of the other branch
            taken, other = (node.body, node.orelse) if test.const else (node.orelse, node.body)
            if self.rules.widens and other:
                self._type_only(other)
            for s in taken:
                self.statement(s)
            return
        self.emit(f"if ({arrays.strip(arithmetic.truth(test))}) {{")
        before = set(self.seen)
        self.block(node.body)
        after, self.seen = self.seen, before | set()
        if node.orelse:
            self.emit("} else {")
            self.block(node.orelse)
        self.seen |= after
        self.emit("}")

    def _type_only(self, statements):
        """What these statements do to the types of variables and of the result: Numba does not know that they are never
        reached (prune.py has left out those of which it does). What has no types there is passed over."""
        kept = len(self.lines), len(self.arrays), len(self.loops), self.depth, self.conditional, set(self.seen)
        try:
            self.block(statements)
        except ERRORS:
            pass
        del self.lines[kept[0]:], self.arrays[kept[1]:], self.loops[kept[2]:]
        self.depth, self.conditional, self.seen = kept[3:]

    def s_Return(self, node):
        v = None if node.value is None else self.value(node.value)
        if v is None or (v.known and v.const is None):
            t = VOID
        else:
            v = self._typed_items(make_tuple_of(items_of(v)) if v.known and isinstance(v.const, tuple) else v)
            t = self._type_of(v)
        self._returned(t, v)
        result = self.state.result
        if t is VOID:
            self.emit("return;")
        elif isinstance(result, (Tuple, Array)):
            self.emit(f"return {self._packed(result, v)};")
        elif isinstance(result, Record):
            self.emit(f"return &{v.code};")
        else:
            self.unit.c_type(result)
            self.emit(f"return {arrays.strip(v.code if isinstance(result, Opaque) else as_type(v, result))};")

    def _packed(self, t, v):
        if isinstance(t, Record):
            return f"&{v.code}"
        if not isinstance(t, (Array, Tuple)):
            return as_type(v, t)
        if isinstance(t, Array):
            s = [arrays.stride(v, k) for k in range(t.ndim)] if t.layout in "AB" else []
            return f"{self.unit.array_type(t)}{{{', '.join(map(str, [v.code, *v.n, *s]))}}}"
        parts = [self._packed(x, y) for x, y in zip(t.items, v.items)]
        return f"{self.unit.tuple_type(t)}{{{', '.join(parts)}}}"

    def _returned(self, t, v):
        old = self.state.result
        if self.kernel:
            if t is not VOID:
                raise TypeError("a kernel returns nothing: write results into an array")
        elif self.state.given is not None and t is not VOID:
            t = old     # a signature's; the value is converted to it
        elif old is not None:
            if (old is VOID) != (t is VOID):
                raise TypeError("the function returns a value in one place and none in another")
            if old is not VOID:
                t = self._joined(old, t)
        if old != t:
            self.state.result = t
            self.state.changed = self.state.changed or old is not None

    def _joined(self, old, t):
        if isinstance(old, Tuple) and isinstance(t, Tuple) and len(old.items) == len(t.items):
            return Tuple(tuple(self._joined(a, b) for a, b in zip(old.items, t.items)))
        if isinstance(old, Scalar) and isinstance(t, Scalar):
            return old if old is t else self.rules.joined(Value(old, "a"), Value(t, "b"))
        if isinstance(old, Array) and isinstance(t, Array) and old[:2] == t[:2] and "B" not in (old.layout, t.layout):
            return old if old == t else old._replace(layout="A")
        if old == t:
            return t
        raise TypeError(f"the function returns {old!r} in one place and {t!r} in another")

    def s_Assert(self, node):
        test = self.checked(self.value(node.test))
        if test.known and test.const:
            return
        condition = arithmetic.truth(test)
        if self.unit.faults is not None:
            message = self.value(node.msg) if node.msg is not None else None
            args = (message.const,) if message is not None and message.known else ()
            self.emit(f"if (!{condition}) {{ {self.fault(AssertionError(*args), node)}; {self.stop()} }}")
        elif self.rules.widens and not self.rules.notes_zero:
            self.emit(f"if (!{condition}) {{ {self.stop()} }}")  # without debug=True Numba reports nothing
        else:
            self.emit(f"assert({condition});")

    def s_Raise(self, node):
        if not self.rules.widens or self.rules.notes_zero:
            raise NotImplementedError("a kernel cannot raise an exception: write to an array that the program looks at")
        if self.unit.faults is not None:
            self.emit(f"{self.fault(self._raised(node), node)};")
        self.emit(self.stop())  # the thread ends; without debug=True Numba reports nothing either

    def stop(self):
        """The text that ends the thread; a device function tells its caller, which ends too."""
        if self.kernel:
            return STOP
        self.may_raise()
        return f"raised = true; {STOP}"

    def may_raise(self):
        """This function has, or gives to functions that it calls, a variable that says whether one raised."""
        if self.name not in self.unit.raisers:
            self.unit.raisers.add(self.name)
            self.state.changed = True

    def stop_if_raised(self):
        return f"if (raised) {STOP}"

    def checked(self, v):
        """The value, computed here where something in it may raise, so that nothing is done with it then."""
        if self.unchecked:
            v = self._kept(v)
            self.emit(self.stop_if_raised())
        return v

    def fault(self, error, node=None):
        """The source that records an exception, with the place of a statement."""
        where = (self.source.name, self.source.file, self.source.line(node)) if node is not None else None
        return self.unit.fault(error, where)

    def stop_if(self, condition, error):
        """With checks: the thread ends here where the condition holds."""
        if not self.conditional:
            self.emit(f"if ({condition}) {{ {self.fault(error)}; {self.stop()} }}")

    def _raised(self, node):
        """The exception that a raise statement names."""
        call = node.exc if isinstance(node.exc, ast.Call) else None
        kind = self.value(call.func if call else node.exc) if node.exc is not None else None
        args = [self.value(a) for a in call.args] if call else []
        if kind is None or not (kind.known and isinstance(kind.const, type) and issubclass(kind.const, BaseException)):
            raise NotImplementedError("a kernel raises an exception's class, with constants as its arguments")
        return kind.const(*(a.const if a.known else "a value of the kernel" for a in args))

    def s_Global(self, node):
        raise NotImplementedError("a kernel cannot assign global variables: give it an array")

    s_Nonlocal = s_Global


def _numbers(form):
    return ([n if isinstance(n, int) else None for n in form.n],
            form.s and [s if isinstance(s, int) else None for s in form.s])


def _words(node):
    names = {"With": "with", "Try": "try", "TryStar": "try", "FunctionDef": "a function in a function",
             "ClassDef": "a class", "Import": "import", "ImportFrom": "import", "Delete": "del", "Match": "match",
             "AsyncFor": "async for", "AsyncWith": "async with", "Starred": "a starred name"}
    return names.get(type(node).__name__, f"the statement {type(node).__name__}")
