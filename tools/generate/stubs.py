"""The Python package's generated files: modules that are functions only, and stubs (.pyi) of every module for editors
and type checkers. Functions and methods come from their rows, operations from theirs, what is written in Python from
its source.

Invariant: a stub names what the module names at run time, no more and no less; tests/python/test_stubs.py compares
them.
"""
import ast
import pathlib
import re

from element_types import types_of
from functions import read_functions

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PYTHON = ROOT / "python" / "cuprite"
HEAD = """from collections.abc import Sequence
from typing import Any, SupportsIndex

from numpy.typing import ArrayLike, DTypeLike

"""
RETURNS = {"none": "None", "int": "int", "int64": "int", "bool": "bool", "double": "float", "object": "Any"}
ATTRIBUTES = {"T": "ndarray", "mT": "ndarray", "real": "ndarray", "imag": "ndarray", "base": "ndarray | None",
              "shape": "tuple[int, ...]", "strides": "tuple[int, ...]", "ndim": "int", "size": "int", "nbytes": "int",
              "itemsize": "int"}
BINARY = "add sub mul matmul truediv floordiv mod pow lshift rshift and or xor divmod".split()
UFUNC = """class ufunc:
    name: str
    nin: int
    nout: int
    nargs: int
    types: list[str]
    ntypes: int
    signature: None
    identity: Any
    ulp: float
    __name__: str
    def __call__(self, *args: Any, out: Any = None, where: Any = True, casting: str = 'same_kind', order: str = 'K',
                 dtype: DTypeLike | None = None, subok: bool = True, signature: Any = None, sig: Any = None) -> Any: ...
    def reduce(self, array: ndarray, axis: Any = 0, dtype: DTypeLike | None = None, out: ndarray | None = None,
               keepdims: bool = False,
               initial: Any = None, where: Any = True) -> ndarray: ...
    def accumulate(self, array: ndarray, axis: Any = 0, dtype: DTypeLike | None = None,
                   out: ndarray | None = None) -> ndarray: ...
    def reduceat(self, array: ndarray, indices: ArrayLike, axis: Any = 0, dtype: DTypeLike | None = None,
                 out: ndarray | None = None) -> ndarray: ...
    def outer(self, a: Any, b: Any, /, **options: Any) -> Any: ...
    def at(self, a: ndarray, indices: Any, b: ArrayLike | None = None, /) -> None: ...
"""


KERNELS = """class _CompileError(RuntimeError): ...
class _CUDADriverError(RuntimeError): ...
class DeviceSynchronized(RuntimeError): ...
class _Kernel:
    @property
    def name(self) -> str: ...
    @property
    def tier(self) -> str: ...
    def __call__(self, grid: Any, block: Any, args: Any, shared_mem: int = 0, *, cooperative: bool = False,
                 stream: Any = None) -> None: ...
    def get(self, name: str, /) -> int: ...
    def set(self, name: str, value: int, /) -> None: ...
class _LazyKernel:
    def __call__(self, grid: Any, block: Any, args: Any, shared_mem: int = 0, *, cooperative: bool = False,
                 stream: Any = None) -> None: ...
class _LoopKernel:
    def __call__(self, *args: Any, **options: Any) -> Any: ...
"""


def annotated(f, first="", skip=0):
    """The arguments of a row with annotations and defaults."""
    parts, seen = [first] if first else [], False
    shown = f.arguments[skip:]
    for i, a in enumerate(shown):
        stub = a.kind.stub + (" | None" if a.optional and "None" not in a.kind.stub and a.kind.stub != "object"
                              else "")
        if a.how == "star":
            parts.append(f"*{a.name}: Any")
            seen = True
            continue
        if a.how == "keyword" and not seen:
            parts.append("*")
            seen = True
        parts.append(f"{a.name}: {stub}" + (f" = {a.text}" if a.has_default else ""))
        if a.how == "only" and (i + 1 == len(shown) or shown[i + 1].how != "only"):
            parts.append("/")
    return ", ".join(parts)


def result(f):
    if f.results:
        return f"tuple[{', '.join('ndarray' for _ in f.results)}]"
    if f.many:
        return "tuple[ndarray, ...]" if f.returns == "arrays" else "Any"
    if f.more:
        return "Any"
    if f.returns == "rows":
        return "tuple[ndarray, ...]"
    if f.body and f.returns == "array":
        return f.row.get("stub", "Any")
    return RETURNS.get(f.returns, "ndarray")


def definition(name, f, method=False):
    arguments = annotated(f, "self", 1) if method else annotated(f)
    indent = "    " if method else ""
    return f"{indent}def {name}({arguments}) -> {result(f)}: ...\n"


def operations(tables, module=None):
    """Names of a module's ufuncs, from the table of elementwise operations."""
    rows = [r for r in tables.of("operation") if not r.get("hidden") and r.get("module") == module]
    return sorted(name for r in rows for name in [r.args[0], *r.get("aliases", [])])


def properties():
    """ndarray's attributes, from their table in array.c."""
    text = (ROOT / "python/src/array.c").read_text()
    found = re.findall(r'^    \{"([a-zA-Z]\w*)", (\w+), (\w+), "', text, re.M)
    return [(name, setter != "NULL") for name, getter, setter in found]


def ndarray(methods):
    text = "class ndarray:\n" \
           "    def __init__(self, shape: Any, dtype: DTypeLike = float, memptr: Any = None, strides: Any = None, " \
           "order: str = 'C') -> None: ...\n"
    for name, writable in properties():
        kind = ATTRIBUTES.get(name, "Any")
        text += f"    @property\n    def {name}(self) -> {kind}: ...\n"
        if writable:
            text += f"    @{name}.setter\n    def {name}(self, value: Any) -> None: ...\n"
    for op in BINARY:
        kind = "tuple[ndarray, ndarray]" if op == "divmod" else "ndarray"
        text += f"    def __{op}__(self, other: Any) -> {kind}: ...\n"
        text += f"    def __r{op}__(self, other: Any) -> {kind}: ...\n"
        if op != "divmod":
            text += f"    def __i{op}__(self, other: Any) -> ndarray: ...\n"
    for op in "neg pos abs invert".split():
        text += f"    def __{op}__(self) -> ndarray: ...\n"
    for op in "lt le gt ge".split():
        text += f"    def __{op}__(self, other: Any) -> ndarray: ...\n"
    text += "    def __eq__(self, other: Any) -> ndarray: ...  # type: ignore[override]\n"
    text += "    def __ne__(self, other: Any) -> ndarray: ...  # type: ignore[override]\n"
    for operator in ("getitem__(self, key: Any) -> ndarray", "setitem__(self, key: Any, value: Any) -> None",
                     "len__(self) -> int", "iter__(self) -> Any", "contains__(self, value: Any) -> bool",
                     "bool__(self) -> bool", "int__(self) -> int", "float__(self) -> float"):
        text += f"    def __{operator}: ...\n"
    text += "    def __index__(self) -> int: ...\n"
    for name, f in sorted(methods.items()):
        if name not in ("__array__", "__reduce__", "__format__"):
            text += definition(name, f, True)
    return text


# --- stubs of what is written in Python ---
def source_stub(path):
    """Signatures of a module: its public functions, classes and names."""
    tree = ast.parse(path.read_text())
    bases = {ast.unparse(b) for node in tree.body if isinstance(node, ast.ClassDef) for b in node.bases}
    bases |= {b.split(".")[0] for b in bases}
    package = ".".join(path.relative_to(PYTHON.parent).parent.parts)
    return later(tree, package) + "".join(part for node in tree.body for part in stub_of(node, "", bases))


def later(tree, package):
    """What a package imports when it is first used: names, and the modules that have them (""; it is one itself)."""
    found = next((ast.literal_eval(n.value) for n in tree.body
                  if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "_LATER"), {})
    return "".join(f"from {package}{'.' + module if module else ''} import {n} as {n}\n"
                   for n, module in sorted(found.items()))


def arguments_of(node):
    a = node.args
    for arg in [*a.posonlyargs, *a.args, *a.kwonlyargs, *([a.vararg] if a.vararg else []),
                *([a.kwarg] if a.kwarg else [])]:
        if arg.arg not in ("self", "cls"):
            arg.annotation = ast.Name("Any")
    constant = (ast.Constant, ast.UnaryOp)
    a.defaults = [d if isinstance(d, constant) else ast.Constant(...) for d in a.defaults]
    a.kw_defaults = [d if d is None or isinstance(d, constant) else ast.Constant(...) for d in a.kw_defaults]
    return ast.unparse(a)


def stub_of(node, indent, bases=()):
    if isinstance(node, ast.FunctionDef) and (not node.name.startswith("_") or node.name.startswith("__") and indent):
        if node.name in ("__getattr__", "__dir__"):
            return
        for d in node.decorator_list:
            text = ast.unparse(d)
            if text in ("property", "staticmethod", "classmethod") or text.endswith(".setter"):
                yield f"{indent}@{text}\n"
        kind = "None" if node.name in ("__init__", "__exit__") else "bool" if node.name in ("__eq__", "__ne__") else \
            "int" if node.name in ("__hash__", "__int__",
                                   "__len__") else "str" if node.name in ("__repr__", "__str__") else "Any"
        yield f"{indent}def {node.name}({arguments_of(node)}) -> {kind}: ...\n"
    elif isinstance(node, ast.ClassDef) and (not node.name.startswith("_") or node.name in bases):
        bases = [ast.unparse(b) for b in node.bases]
        yield f"{indent}class {node.name}{'(' + ', '.join(bases) + ')' if bases else ''}:\n"
        body = [part for inner in node.body for part in stub_of(inner, indent + "    ")]
        slots = next((n.value for n in node.body if isinstance(n, ast.Assign) and ast.unparse(n.targets[0])
                      == "__slots__"), None)
        names = [] if slots is None else [s for s in ([slots.value] if isinstance(slots, ast.Constant)
                                                      else ast.literal_eval(slots))]
        body = [f"{indent}    {n}: Any\n" for n in names if not n.startswith("_")] + body
        yield from body or [f"{indent}    ...\n"]
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0],
                                                     ast.Name) and not node.targets[0].id.startswith("_"):
        if isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "property":
            yield f"{indent}@property\n{indent}def {node.targets[0].id}(self) -> Any: ...\n"
        elif not isinstance(node.value, ast.Name) or not indent:
            yield f"{indent}{node.targets[0].id}: Any\n"
        else:
            yield f"{indent}{node.targets[0].id} = {node.value.id}\n"
    elif isinstance(node, ast.ImportFrom) and not indent and node.module != "__future__":
        for name in node.names:
            shown = name.asname or name.name
            if name.name != "*" and (not shown.startswith("_") or shown in bases):
                yield f"from {'.' * node.level}{node.module or ''} import {name.name} as {shown}\n"


# --- files ---
def write_core(functions, methods, names, out):
    text = HEAD + "class OutOfMemoryError(MemoryError): ...\nclass UFuncTypeError(TypeError): ...\n"
    text += "class CUDARuntimeError(RuntimeError): ...\n" + KERNELS + "\n" + UFUNC + "\n" + ndarray(methods) + "\n"
    text += "".join(f"{n}: ufunc\n" for n in names) + "\n"
    text += "".join(definition(n, f) for n, f in sorted(functions.items()))
    text += "\ndef rows(name: str, /) -> dict[str, Any]: ...\n"
    out.write("python/cuprite/_core.pyi", "the rows of functions and operations", text)


def write_package(functions, names, foreign, out):
    """cuprite/__init__.pyi: what the package takes from the extension by name, then its own."""
    text = HEAD + "import numpy\nfrom cuprite import cuda as cuda, jit as jit, lib as lib, linalg as linalg\n"
    text += "from cuprite import numba as numba, polynomial as polynomial\n"
    text += "from cuprite import profiler as profiler, scipy as scipy\n"
    core = sorted(n for n in [*functions, *names, "ndarray", "ufunc", "OutOfMemoryError", "UFuncTypeError",
                              "CUDARuntimeError", "DeviceSynchronized"]
                  if not n.startswith("_"))
    text += "from cuprite._core import (\n" + "".join(f"    {n} as {n},\n" for n in core) + ")\n"
    source = (PYTHON / "__init__.py").read_text()
    tree = ast.parse(source)
    borrowed = next(ast.literal_eval(n.value) for n in tree.body
                    if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "_NUMPY")
    text += "from cuprite._support import Flat\nflatiter = Flat\n"
    text += "\nfrom numpy.exceptions import AxisError as AxisError\nfrom numpy import (\n"
    text += "".join(f"    {n} as {n},\n"
                    for n in sorted(borrowed)) + ")\n" + "".join(f"{n}: Any\n" for n in foreign) + "\n"
    shaping = PYTHON / "_shaping.py"
    public = next(ast.literal_eval(n.value) for n in ast.parse(shaping.read_text()).body
                  if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "__all__") if shaping.exists() else []
    text += "from cuprite._shaping import (\n" + "".join(f"    {n} as {n},\n" for n in public
                                                         if n not in core) + ")\n\n" if public else ""
    text += later(tree, "cuprite") + "\n"
    text += "__version__: str\npi: float\ne: float\neuler_gamma: float\ninf: float\nnan: float\nnewaxis: None\n"
    text += "".join(part for node in tree.body if isinstance(node, ast.FunctionDef) for part in stub_of(node, ""))
    out.write("python/cuprite/__init__.pyi", "the rows of functions and operations, and __init__.py", text)


def write_module(row, functions, ufuncs, out):
    """A module that is functions and ufuncs of the extension and nothing else."""
    name = row.args[0]
    path = "python/cuprite/" + name.replace(".", "/")
    names = sorted([*functions, *ufuncs])
    text = f'"""{row.doc}"""\n'
    if functions:
        text += f'from cuprite import _core\n\n_functions = _core.rows("{name}")\n'
        text += "".join(f'{n} = _functions["{n}"]\n' for n in sorted(functions))
    if ufuncs:
        text += f'from cuprite._support import ufuncs_of\n\n_ufuncs = ufuncs_of("{name}")\n'
        text += "".join(f'{n} = _ufuncs["{n}"]\n' for n in ufuncs)
    out.write(path + ".py", row.file, text + "\n__all__ = [\n" + "".join(f'    "{n}",\n' for n in names) + "]\n")
    uses = "from cuprite._core import ndarray, ufunc\n\n"
    stub = "".join(f"{n}: ufunc\n" for n in ufuncs) + "".join(definition(n, functions[n]) for n in sorted(functions))
    out.write(path + ".pyi", row.file, HEAD + uses + stub)


def write_sources(out, made):
    """Stubs of the package's modules that are written in Python."""
    for path in sorted(PYTHON.rglob("*.py")):
        name = path.relative_to(PYTHON)
        if name.stem == "__main__" or str(name) == "__init__.py" or str(name.with_suffix("")) in made:
            continue
        out.write(f"python/cuprite/{name.with_suffix('.pyi')}", f"python/cuprite/{name}", HEAD + source_stub(path))


def write(tables, out):
    functions, methods = {}, {}
    for f in read_functions(tables):
        if not f.is_method_only:
            functions.setdefault(f.module, {}).update({n: f for n in [f.name] + f.also})
        if f.method:
            methods.update({n: f for n in [f.method] + (f.also if f.is_method_only else [])})
    names = [n for n in operations(tables) if n not in functions.get("", {})]
    write_core(functions.get("", {}), methods, names, out)
    write_package(functions.get("", {}), names, [t.name for t in types_of(tables) if t.module != "numpy"], out)
    made = {row.args[0].replace(".", "/") for row in tables.of("module")}
    for row in tables.of("module"):
        write_module(row, functions.get(row.args[0], {}), operations(tables, row.args[0]), out)
    write_sources(out, made)
