"""Stubs of Python modules, from their source: definitions, assignments and imports, with their names and arguments at
run time. Types are those of results that the source annotates, what Python itself asks of a method, and what
python_types says; others are Any.

Invariant: nothing is executed. A name that begins with an underscore is left out unless another module imports it or
something public is made of it.
"""
import ast
import copy
import pathlib
import re

import lazy
import python_types

HEAD = '# mypy: disable-error-code="override,misc,assignment,attr-defined,type-arg,no-untyped-def,unused-ignore"\n' \
    'from typing import Any\n\n'
NONE = ("__init__", "__setattr__", "__delattr__", "__setitem__", "__delitem__", "__init_subclass__")
KINDS = {**dict.fromkeys(NONE, "None"), **dict.fromkeys(["__eq__", "__ne__", "__bool__", "__contains__"], "bool"),
         **dict.fromkeys(["__hash__", "__int__", "__len__", "__index__"], "int"), "__float__": "float",
         "__new__": "Self", "__iter__": "Iterator[Any]",
         "__complex__": "complex", **dict.fromkeys(["__repr__", "__str__"], "str"), "__bytes__": "bytes"}
DECORATORS = ("property", "staticmethod", "classmethod")
MADE = {}  # the __all__ of generated modules, by the expression that imports it; their generators enter it
OBJECTS = ("intrinsic", "jit.rawkernel")  # decorators whose result is not a function

own = set()  # the names of the module at hand, which hide Python's


def name_of(path, root):
    """cuprite/random/_state.py below root is cuprite.random._state."""
    parts = list(path.relative_to(root).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def origin(node, package):
    """The module that a `from` import names."""
    if not node.level:
        return node.module
    parent = package.split(".")[:len(package.split(".")) - node.level + 1]
    return ".".join([*parent, *([node.module] if node.module else [])])


def statements(body):
    """A module's statements, those under its conditions too."""
    for node in body:
        if isinstance(node, (ast.If, ast.Try, ast.With)):
            yield from statements(node.body)
            yield from statements(getattr(node, "orelse", []))
        else:
            yield node


def complete(text):
    """A stub, with what its types need before it."""
    return HEAD + "".join(line + "\n" for line in python_types.imports(text)) + text


class Package:
    """The sources of the package, and which private names of each other modules take."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.wanted = {}
        for name, module in lazy.names().items():
            self.wanted.setdefault(f"{self.root.name}.{module}", set()).add(name)
        for path in sorted(self.root.rglob("*.py")):
            own = name_of(path, self.root.parent)
            package = own if path.stem == "__init__" else own.rpartition(".")[0]
            for node in statements(ast.parse(path.read_text()).body):
                if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_LATER":
                    for name, module in ast.literal_eval(node.value).items():
                        self.wanted.setdefault(f"{package}.{module}" if module else package, set()).add(name)
                if isinstance(node, ast.ImportFrom):
                    self.wanted.setdefault(origin(node, package), set()).update(a.name for a in node.names)

    def stub(self, path):
        own = name_of(path, self.root.parent)
        if own in python_types.WHOLE:
            return HEAD + python_types.WHOLE[own]
        package = own if path.stem == "__init__" else own.rpartition(".")[0]
        tree = ast.parse(path.read_text())
        parts = {p.stem for p in path.parent.iterdir()} if path.stem == "__init__" else set()
        return complete(Module(tree, package, self.wanted.get(own, set()), parts, own).text())


class Module:
    def __init__(self, tree, package, wanted, parts=(), name=""):
        self.body, self.package, self.parts, self.name = list(statements(tree.body)), package, parts, name
        own.clear()
        own.update(n.name for n in self.body if isinstance(n, (ast.FunctionDef, ast.ClassDef)))
        own.update(a.asname or a.name for n in self.body if isinstance(n, ast.ImportFrom) for a in n.names)
        own.update(t for n in self.body if isinstance(n, (ast.Assign, ast.AnnAssign)) for t, _ in targets(n))
        self.overloads = python_types.OVERLOADS.get(name, {})
        types = [*self.overloads.values(), *python_types.RESULTS.get(name, {})]
        self.wanted = set(wanted) | set(re.findall(r"\w+", " ".join(types)))
        for node in self.body:  # what public classes and aliases are made of
            if isinstance(node, ast.ClassDef):
                self.wanted |= {n.id for b in node.bases for n in ast.walk(b) if isinstance(n, ast.Name)}
            if isinstance(node, ast.Assign) and isinstance(node.value, (ast.Name, ast.Attribute)):
                self.wanted |= {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):  # and what their results are
                self.wanted |= {name for f in ast.walk(node) if isinstance(f, ast.FunctionDef) and f.returns
                                for name in re.findall(r"\w+", annotation(f.returns))}
        self.wanted |= self.used_in_classes()
        self.types = {n.name for n in self.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
        # functions that make properties (those with True as their last argument can be set), and attributes assigned to
        # a class after its body
        self.property_makers = {n.name for n in self.body if isinstance(n, ast.FunctionDef)
                                and any(isinstance(r, ast.Return) and is_call(r.value, "property") for r in n.body)}
        # functions that make functions: the one that they return is what an assignment of a call of them makes
        self.function_makers = {n.name: inner for n in self.body if isinstance(n, ast.FunctionDef)
                                for inner in n.body if isinstance(inner, ast.FunctionDef)
                                and ast.unparse(n.body[-1]) == f"return {inner.name}" and n.name.startswith("_")}
        self.added = {}
        for node in self.body:
            target = node.targets[0] if isinstance(node, ast.Assign) else None
            if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) \
                    and not target.attr.startswith("_"):
                self.added.setdefault(target.value.id, []).append((target.attr, node.value))
        self.lines, self.seen = [], set()

    def used_in_classes(self):
        return {inner.value.id for node in self.body if isinstance(node, ast.ClassDef) for inner in node.body
                if isinstance(inner, ast.Assign) and isinstance(inner.value, ast.Name)}

    def shown(self, name):
        return not name.startswith("_") or name in self.wanted or \
            name.startswith("__") and name not in ("__all__", "__getattr__")

    def text(self):
        for node in self.body:
            self.statement(node)
        all_ = next((n.value for n in self.body if isinstance(n, ast.Assign)
                     and ast.unparse(n.targets[0]) == "__all__" and isinstance(n.value, (ast.List, ast.Tuple))), None)
        if all_ is not None:  # what __getattr__ finds is there too
            others = [ast.unparse(e.value) for e in all_.elts if isinstance(e, ast.Starred)]  # *module.__all__
            all_.elts = [e for e in all_.elts if not isinstance(e, ast.Starred)]
            names = ast.literal_eval(all_)
            self.lines += [f"{n}: Any" for n in names if n not in self.types | self.seen]
            self.lines.append(f"__all__ = {[*names, *[n for other in others for n in MADE[other]]]}")
        before = [python_types.BEFORE[self.name]] if self.name in python_types.BEFORE else []
        return "\n".join(before + self.later() + self.modules() + self.lines) + "\n"

    def later(self):
        """What a package imports when it is first used: names, and the modules that have them ("": it is one)."""
        found = next((ast.literal_eval(n.value) for n in self.body
                      if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "_LATER"), {})
        return imported(self.package, found)

    def modules(self):
        """The submodules that a package's __getattr__ imports: those that it or _MODULES names, and, where one name is
        another module, `if name == "cuda": return importlib.import_module("cuprite._compiler.numba_cuda")`."""
        found, lines = set(), []
        for node in self.body:
            lazy = isinstance(node, ast.FunctionDef) and node.name == "__getattr__"
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_MODULES":
                found |= set(ast.literal_eval(node.value))
            if lazy:
                found |= {n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and n.value in self.parts}
            for test in (n for n in ast.walk(node) if lazy and isinstance(n, ast.If)):
                name = test.test.comparators[0] if isinstance(test.test, ast.Compare) else None
                value = test.body[-1].value if isinstance(test.body[-1], ast.Return) else None
                if isinstance(name, ast.Constant) and is_call(value, "importlib.import_module") and \
                        isinstance(value.args[0], ast.Constant):
                    lines += [f"import {value.args[0].value}", f"{name.value} = {value.args[0].value}"]
        later = {line.split()[-1] for line in self.later()}
        return [f"from {self.package} import {n} as {n}" for n in sorted(found - later)] + lines

    def statement(self, node):
        if isinstance(node, ast.FunctionDef):
            if self.shown(node.name):
                self.seen.add(node.name)
                self.lines += self.function(node, "")
        elif isinstance(node, ast.ClassDef):
            if self.shown(node.name):
                self.lines += self.a_class(node, "")
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            for name, value in targets(node):
                maker = ast.unparse(value.func) if isinstance(value, ast.Call) else None
                if self.shown(name) and name not in self.seen and maker in self.function_makers:
                    self.seen.add(name)
                    made = copy.deepcopy(self.function_makers[maker])
                    made.name = name
                    self.lines += self.function(made, "")
                elif self.shown(name) and name not in self.seen:
                    self.seen.add(name)
                    self.lines += a_named_tuple(name, value) or \
                        [variable(name, value, self.types | self.seen, "", python_types.variable(self.name, name))]
        elif isinstance(node, ast.ImportFrom) and node.module == "__future__":
            pass
        elif isinstance(node, ast.ImportFrom):
            for a in node.names:
                if a.name == "*":
                    self.lines.append(f"from {'.' * node.level}{node.module or ''} import *")
                elif self.shown(a.asname or a.name):
                    shown = a.asname or a.name
                    self.seen.add(shown)
                    self.lines.append(f"from {'.' * node.level}{node.module or ''} import {a.name}"
                                      + (f" as {shown}" if shown == a.name else f"\n{shown} = {a.name}"))
        elif isinstance(node, ast.Expr) and is_call(node.value, "globals().update"):  # the members of an enumeration
            made = ast.unparse(node.value.args[0]).removesuffix(".__members__")
            self.lines += [f"{name}: Any" for c in self.body if isinstance(c, ast.ClassDef) and c.name == made
                           for n in c.body if isinstance(n, ast.Assign) for name, _ in targets(n)]
        elif isinstance(node, ast.Import):
            for a in node.names:
                used = (a.asname or a.name).split(".")[0]
                if used in self.wanted:
                    self.lines.append(f"import {a.name}" + (f" as {a.asname}" if a.asname else ""))

    def known(self, owner, name):
        """The type of an attribute of a class."""
        return python_types.result(self.name, f"{owner.name}.{name}") or "Any"

    def function(self, node, indent, owner=None):
        name = f"{owner}.{node.name}" if owner else node.name
        if name in self.overloads:
            return [indent + line for line in self.overloads[name].split("\n")]
        return function(node, indent, python_types.result(self.name, name))

    def a_class(self, node, indent):
        bases = [ast.unparse(b) for b in node.bases if not isinstance(b, ast.Call)]
        bases += ["Any" for b in node.bases if isinstance(b, ast.Call)]
        bases += [b for name, b in python_types.BASES.get(self.name, {}).items() if name == node.name]
        lines = [f"{indent}class {node.name}{'(' + ', '.join(bases) + ')' if bases else ''}:"]
        inside, seen, is_enum = indent + "    ", set(), any("Enum" in b for b in bases)
        slots = next((n.value for n in node.body if isinstance(n, ast.Assign) and ast.unparse(n.targets[0])
                      == "__slots__"), None)
        aliased = {n.value.id for n in node.body if isinstance(n, ast.Assign) and isinstance(n.value, ast.Name)}
        defined = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
        if slots is not None:
            names = ast.literal_eval(slots)
            lines += [f"{inside}{n}: {self.known(node, n)}" for n in ([names] if isinstance(names, str) else names)
                      if not n.startswith("_")]
        for inner in statements(node.body):
            if isinstance(inner, ast.FunctionDef):
                if not inner.name.startswith("_") or inner.name.startswith("__") or inner.name in aliased:
                    lines += self.function(inner, inside, node.name)
            elif isinstance(inner, ast.ClassDef) and not inner.name.startswith("_"):
                lines += self.a_class(inner, inside)
            elif isinstance(inner, (ast.Assign, ast.AnnAssign)):
                for name, value in targets(inner):
                    if name.startswith("_") and not name.startswith("__") or name in ("__slots__", *seen):
                        continue
                    seen.add(name)
                    if is_call(value, "property"):
                        lines += a_property(name, len(value.args) > 1, inside, self.known(node, name))
                    elif isinstance(value, ast.Call) and ast.unparse(value.func) in self.property_makers:
                        settable = value.args and ast.unparse(value.args[-1]) == "True"
                        lines += a_property(name, settable, inside, self.known(node, name))
                    elif isinstance(inner, ast.AnnAssign) and value is not None or is_enum:
                        lines.append(f"{inside}{name}{'' if is_enum else ': Any'} = "
                                     f"{ast.unparse(value) if value and constant(value) else '...'}")
                    elif isinstance(inner, ast.AnnAssign):
                        lines.append(f"{inside}{name}: {annotation(inner.annotation)}")
                    else:
                        lines.append(variable(name, value, self.types | defined | seen, inside))
        for name, value in self.added.get(node.name, []):
            lines += a_property(name, False, inside, self.known(node, name)) if is_call(value, "property") else \
                [f"{inside}{name}: Any"]
        return lines if len(lines) > 1 else [lines[0] + " ..."]


def imported(package, found):
    """Imports of names from modules of a package ("": the package itself)."""
    return [f"from {package}{'.' + module if module else ''} import {n} as {n}" for n, module in sorted(found.items())]


def is_call(value, function):
    return isinstance(value, ast.Call) and ast.unparse(value.func) == function


def a_property(name, settable, indent, kind="Any"):
    lines = [f"{indent}@property", f"{indent}def {name}(self) -> {kind}: ..."]
    return lines + [f"{indent}@{name}.setter", f"{indent}def {name}(self, value: Any) -> None: ..."] * bool(settable)


def targets(node):
    """(name, value) of an assignment; of several at once the value is None."""
    if isinstance(node, ast.AnnAssign):
        return [(node.target.id, node.value)] if isinstance(node.target, ast.Name) else []
    found = []
    for target in node.targets:
        if isinstance(target, ast.Name):
            found.append((target.id, node.value))
        elif isinstance(target, (ast.Tuple, ast.List)):
            found += [(n.id, None) for n in target.elts if isinstance(n, ast.Name)]
    return found


def a_named_tuple(name, value):
    """The class of `name = collections.namedtuple("Name", "a b")`, or nothing."""
    if not is_call(value, "collections.namedtuple"):
        return []
    fields = ast.literal_eval(value.args[1]).split()
    optional = next((len(k.value.elts) for k in value.keywords if k.arg == "defaults"), 0)
    return ["from typing import NamedTuple", f"class {name}(NamedTuple):",
            *(f"    {field}: {python_types.variable(name, field) or 'Any'}" + " = ..." * (i >= len(fields) - optional)
              for i, field in enumerate(fields))]


def variable(name, value, known, indent, kind=None):
    if name == "__hash__" and isinstance(value, ast.Constant) and value.value is None:
        return f"{indent}__hash__ = None  # type: ignore"
    if isinstance(value, ast.Name) and value.id in known and value.id != name:
        return f"{indent}{name} = {value.id}"
    return f"{indent}{name}: {kind or 'Any'}"


def function(node, indent, kind=None):
    lines = []
    for d in node.decorator_list:
        text = ast.unparse(d)
        if text.split("(")[0] in OBJECTS:
            return [f"{indent}{node.name}: Any"]
        if text == "functools.cached_property":
            return a_property(node.name, True, indent, kind or result_of(node))
        if text in DECORATORS or text.endswith(".setter"):
            lines.append(f"{indent}@{text}")
    result = annotation(node.returns) if node.returns else kind or KINDS.get(node.name) or result_of(node)
    return lines + [f"{indent}def {node.name}({arguments(node)}) -> {result}: ..."]


def inside(node):
    """The nodes of a function, without those of functions in it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            yield child
            yield from inside(child)


def result_of(node):
    """What the body's return statements say of the result; Any where they do not, or say several things."""
    nodes = list(inside(node))
    returned = [n.value for n in nodes if isinstance(n, ast.Return)]
    if any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in nodes):
        return "Any" if any(value is not None for value in returned) or node.decorator_list else "Iterator[Any]"
    if isinstance(node.body[-1], ast.Raise) and not returned:
        return "Any"  # a subclass has it
    if all(is_none(v) for v in returned):
        return "None" if not isinstance(node.body[-1], ast.Raise) else "Any"
    kinds = {kind for v in returned for kind in ("None" if v is None else kind_of(v)).split(" | ")}
    if not ends(node.body):
        kinds.add("None")
    real = kinds - {"None"}
    if "Any" in real or len(real) != 1:
        return "Any"
    return real.pop() + " | None" * ("None" in kinds)


def ends(body):
    """Whether the last statement leaves the function on every way."""
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and ends(last.body) and ends(last.orelse)
    if isinstance(last, ast.With):
        return ends(last.body)
    if isinstance(last, ast.Try):
        return ends(last.orelse or last.body) and all(ends(h.body) for h in last.handlers) or \
            bool(last.finalbody) and ends(last.finalbody)
    return isinstance(last, (ast.Return, ast.Raise)) or \
        isinstance(last, ast.While) and isinstance(last.test, ast.Constant) and bool(last.test.value)


def is_none(value):
    return value is None or isinstance(value, ast.Constant) and value.value is None


CALLS = {"len": "int", "int": "int", "ord": "int", "hash": "int", "id": "int", "round": "Any", "float": "float",
         "str": "str", "repr": "str", "ascii": "str", "bool": "bool", "isinstance": "bool", "callable": "bool",
         "issubclass": "bool", "all": "bool", "any": "bool", "hasattr": "bool", "list": "list[Any]",
         "sorted": "list[Any]", "tuple": "tuple[Any, ...]", "dict": "dict[Any, Any]", "set": "set[Any]",
         "frozenset": "frozenset[Any]", "math.prod": "Any", "ast.unparse": "str"}
METHODS = {"join": "str", "format": "str", "splitlines": "list[str]", "encode": "builtins.bytes", "decode": "str"}


def kind_of(value):
    """The type of a returned expression where its form says it; comparisons of arrays are arrays, so `is` alone."""
    certain = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
    if isinstance(value, ast.Compare):
        return "bool" if all(isinstance(op, certain) for op in value.ops) else "Any"
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not):
        return "bool"
    if isinstance(value, ast.Constant):
        kind = type(value.value).__name__
        return {"NoneType": "None", "ellipsis": "Any", "bytes": "builtins.bytes"}.get(kind, kind)
    if isinstance(value, ast.JoinedStr):
        return "str"
    if isinstance(value, ast.IfExp):
        return united([value.body, value.orelse])
    if isinstance(value, ast.BoolOp):
        kind = united(value.values)
        return kind if kind == "bool" else "Any"
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        kind = united([value.left, value.right])
        return kind if kind == "str" else "Any"
    if isinstance(value, ast.Tuple):
        return "tuple[Any, ...]" if any(isinstance(e, ast.Starred) for e in value.elts) or not value.elts else \
            f"tuple[{', '.join(map(part_of, value.elts))}]"
    if isinstance(value, (ast.List, ast.ListComp)):
        return "list[Any]"
    if isinstance(value, (ast.Dict, ast.DictComp)):
        return "dict[Any, Any]"
    if isinstance(value, (ast.Set, ast.SetComp)):
        return "set[Any]"
    if isinstance(value, ast.Call):
        name = ast.unparse(value.func)
        if isinstance(value.func, ast.Attribute) and isinstance(value.func.value, (ast.Constant, ast.JoinedStr)):
            return METHODS.get(value.func.attr, "Any") if isinstance(value.func.value, ast.JoinedStr) \
                or isinstance(value.func.value.value, str) else "Any"
        return CALLS.get(name, "Any") if name not in own else "Any"
    return "Self" if isinstance(value, ast.Name) and value.id == "self" else "Any"


def part_of(value):
    kind = kind_of(value)
    return "Any" if kind in ("None", "Self") or "|" in kind else kind


def united(values):
    kinds = {kind for v in values for kind in kind_of(v).split(" | ")}
    real = kinds - {"None"}
    return "Any" if "Any" in real or len(real) != 1 else real.pop() + " | None" * ("None" in kinds)


def annotation(node):
    """The source of an annotation, also of one that is a string."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ast.unparse(node)


def arguments(node):
    """The arguments with their defaults, where these are constants."""
    a = node.args
    words = python_types.said(ast.get_docstring(node))
    plain = [*a.posonlyargs, *a.args]
    defaults = dict(zip([arg.arg for arg in [*plain[len(plain) - len(a.defaults):], *a.kwonlyargs]],
                        [*a.defaults, *a.kw_defaults]))
    for arg in [*plain, *a.kwonlyargs]:
        kind = python_types.parameter(arg.arg, defaults.get(arg.arg), words)
        arg.annotation = None if arg.arg in ("self", "cls") else ast.Name(kind)
    for arg in [a.vararg, a.kwarg]:
        if arg:
            arg.annotation = ast.Name("Any")
    a.defaults = [d if constant(d) else ast.Constant(...) for d in a.defaults]
    a.kw_defaults = [d if d is None or constant(d) else ast.Constant(...) for d in a.kw_defaults]
    return ast.unparse(a)


def constant(node):
    return isinstance(node, ast.Constant) or isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)
