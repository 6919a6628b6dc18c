"""The Python package's generated files: modules of functions only, and stubs (.pyi) of every module for editors and
type checkers. Functions, methods and operations come from their rows, Python code from its source.

Invariant: a stub has exactly the names that the module has at run time; tests/python/test_stubs.py compares
them.
"""
import ast
import pathlib
import re

import lazy
import source_stubs
from element_types import TABLE, python_names, types_of
from functions import read_functions
from overloads import overloads, tuple_of
from source_stubs import Module, Package, imported

PACKAGE = True  # what it writes is Python's, not the compilers'
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PYTHON = ROOT / "python" / "cuprite"
HEAD = """# mypy: disable-error-code="override,misc,overload-overlap"
from collections.abc import Iterator, Sequence
from typing import Any, Generic, Literal, Protocol, SupportsIndex, TypeAlias, final, overload

from typing_extensions import Self, TypeVar, disjoint_base

import numpy
from numpy.typing import ArrayLike, DTypeLike

"""
RETURNS = {"none": "None", "int": "int", "int64": "int", "bool": "bool", "double": "float", "object": "Any"}
ATTRIBUTES = {"T": "ndarray", "mT": "ndarray", "real": "ndarray", "imag": "ndarray", "base": "ndarray | None",
              "shape": "tuple[int, ...]", "strides": "tuple[int, ...]", "ndim": "int", "size": "int", "nbytes": "int",
              "itemsize": "int", "dtype": "numpy.dtype[Any]", "flags": "Flags", "flat": "Flat", "device": "Device",
              "data": "MemoryPointer", "__array_priority__": "float", "__cuda_array_interface__": "dict[str, Any]"}
# Result types of functions and methods with hand-written bodies; others return Any.
GIVEN = {
    **dict.fromkeys("allclose array_equal real imag".split(), "ndarray"),
    "center_of_mass": "tuple[ndarray, ...] | list[ndarray]", "extrema": "tuple[ndarray, ndarray, Any, Any]",
    **dict.fromkeys("minimum_position maximum_position".split(), "tuple[int, ...] | list[tuple[int, ...]]"),
    "find_objects": "list[tuple[slice, ...] | None]", "measure": "Sources", "__reduce__": "tuple[Any, ...]",
    "__deepcopy__": "ndarray", "__array_finalize__": "None",
    **dict.fromkeys("""angle arange array asanyarray asarray ascontiguousarray asfortranarray astype byteswap clip
        compress conj conjugate empty_like eye flatten fromDlpack from_dlpack full full_like get_window matmul matvec
        ones_like ravel reduced_view reshape tensordot to_device vecdot vecmat view zeros_like
        __array_wrap__""".split(), "ndarray"),
    **dict.fromkeys("asnumpy get __array__".split(), "numpy.ndarray[Any, Any]"),
    **dict.fromkeys("tobytes dumps __bytes__".split(), "bytes"),
    **dict.fromkeys("copyto dump fill scatter_add scatter_max scatter_min set setflags tofile".split(), "None"),
    **dict.fromkeys("""affine_transform geometric_transform map_coordinates median rotate shift spline_filter
        spline_filter1d watershed_ift zoom""".split(), "ndarray"),
    **dict.fromkeys("distance_transform_bf distance_transform_cdt distance_transform_edt".split(),
                    "ndarray | tuple[ndarray, ndarray] | None"),
    "value_indices": "dict[int, tuple[ndarray, ...]]",
    "can_cast": "bool", "promote_types": "numpy.dtype[Any]", "sigma_clip_stats": "ClipStats", "__complex__": "complex",
    "__dlpack_device__": "tuple[int, int]", "__format__": "str",
}
BINARY = "add sub mul matmul truediv floordiv mod pow lshift rshift and or xor divmod".split()
UFUNC = """class _Foreign(Protocol):
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
# what stands where an array does: another library's array on the device, and numbers
_Operand: TypeAlias = "ndarray | complex | numpy.number[Any] | numpy.bool_ | _Foreign"
_Out: TypeAlias = "ndarray | tuple[ndarray | None, ...] | None"
_In = TypeVar("_In", default=Any)
_Results = TypeVar("_Results", default=Any)

# The numbers of operands and of results are parameters of the type: ufunc[Literal[2], Literal[1]] is that of add.
@final
class ufunc(Generic[_In, _Results]):
    name: str
    @property
    def nin(self) -> _In: ...
    @property
    def nout(self) -> _Results: ...
    nargs: int
    types: list[str]
    ntypes: int
    signature: None
    identity: Any
    ulp: float
    __name__: str
    __qualname__: str
    @property
    def __signature__(self) -> Any: ...
{calls}    def reduce(self, array: _Operand, axis: SupportsIndex | Sequence[SupportsIndex] | None = 0,
               dtype: DTypeLike | None = None, out: ndarray | None = None, keepdims: bool = False, initial: Any = None,
               where: ndarray | bool = True) -> ndarray: ...
    def accumulate(self, array: _Operand, axis: SupportsIndex = 0, dtype: DTypeLike | None = None,
                   out: ndarray | None = None) -> ndarray: ...
    def reduceat(self, array: _Operand, indices: ArrayLike, axis: SupportsIndex = 0, dtype: DTypeLike | None = None,
                 out: ndarray | None = None) -> ndarray: ...
    @overload
    def outer(self: ufunc[Literal[2], Literal[1]], a: _Operand, b: _Operand, /, **options: Any) -> ndarray: ...
    @overload
    def outer(self, a: _Operand, b: _Operand, /, **options: Any) -> Any: ...
    def at(self, a: ndarray, indices: Any, b: ArrayLike | None = None, /) -> None: ...
"""
CALL = """    @overload
    def __call__(self: ufunc[Literal[{nin}], Literal[{nout}]], {operands},
                 out_: _Out = None, /, *, out: _Out = None, where: ndarray | bool = True, casting: str = 'same_kind',
                 order: str = 'K', dtype: DTypeLike | None = None, subok: bool = True, signature: Any = None,
                 sig: Any = None) -> {result}: ...
"""


def ufunc_class(shapes):
    """ufunc's stub, with an overload for each (number of operands, number of results) that there is."""
    calls = "".join(CALL.format(nin=nin, nout=nout, operands=", ".join(f"x{i + 1}: _Operand" for i in range(nin)),
                                result=tuple_of(nout)) for nin, nout in sorted(shapes))
    return UFUNC.replace("{calls}", calls)


KERNELS = """class _CompileError(RuntimeError): ...
class _CUDADriverError(RuntimeError): ...
class DeviceSynchronized(RuntimeError): ...
@final
class _Kernel:
    @property
    def name(self) -> str: ...
    @property
    def tier(self) -> str: ...
    def __call__(self, grid: Any, block: Any, args: Any, shared_mem: int = 0, *, cooperative: bool = False,
                 stream: Any = None) -> None: ...
    def get(self, name: str, /) -> int: ...
    def set(self, name: str, value: int, /) -> None: ...
@disjoint_base
class _LazyKernel:
    def __call__(self, grid: Any, block: Any, args: Any, shared_mem: int = 0, *, cooperative: bool = False,
                 stream: Any = None) -> None: ...
@disjoint_base
class _LoopKernel:
    def __call__(self, *args: Any, **options: Any) -> Any: ...
@disjoint_base
class _HostBytes:
    def __init__(self, *args: Any, **options: Any) -> None: ...
@disjoint_base
class _Fusion:
    def __call__(self, *args: Any, **options: Any) -> Any: ...
"""


def triples(f):
    """The arguments of a row as overloads.by_flags takes them."""
    made = []
    for a in f.arguments:
        if a.how == "keyword" and not any(n == "*" for n, _, _ in made):
            made.append(("*", "", None))
        made.append((a.name, stub_of(a), a.text if a.has_default else None))
    return made


def stub_of(a):
    """An argument's annotation."""
    none = a.optional and "None" not in a.kind.stub and a.kind.stub != "object"
    return a.kind.stub + (" | None" if none else "")


def annotated(f, first="", skip=0):
    """The arguments of a row with annotations and defaults."""
    parts, seen = [first] if first else [], False
    shown = f.arguments[skip:]
    for i, a in enumerate(shown):
        stub = stub_of(a)
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
        return f.row.get("stub") or GIVEN.get(f.name, GIVEN.get(f.method, "Any"))
    return RETURNS.get(f.returns, "ndarray")


def definition(name, f, method=False):
    several = None if method else overloads(name, triples(f))
    if several:
        return several
    arguments = annotated(f, "self", 1) if method else annotated(f)
    indent = "    " if method else ""
    return f"{indent}def {name}({arguments}) -> {result(f)}: ...\n"


def operations(tables, module=None):
    """Names of a module's ufuncs, from the table of elementwise operations -> (number of operands, of results)."""
    rows = [r for r in tables.of("operation") if not r.get("hidden") and r.get("module") == module]
    return dict(sorted((name, numbers_of(r.args[1])) for r in rows for name in [r.args[0], *r.get("aliases", [])]))


def numbers_of(signature):
    """"T,T->T" is (2, 1)."""
    return tuple(side.count(",") + 1 for side in signature.split("->"))


def ufunc_lines(ufuncs):
    return "".join(f"{n}: ufunc[Literal[{nin}], Literal[{nout}]]\n" for n, (nin, nout) in ufuncs.items())


def properties():
    """ndarray's attributes, from their table in array.c."""
    text = (ROOT / "python/src/array.c").read_text()
    found = re.findall(r'^    \{"([a-zA-Z]\w*|__\w+__)", (get\w+), (\w+), ', text, re.M)
    return [(name, setter != "NULL") for name, getter, setter in found]


def ndarray(methods, raw):
    text = "@disjoint_base\nclass ndarray:\n" \
           "    def __new__(cls, shape: Any, dtype: DTypeLike = ..., memptr: Any = None, strides: Any = None, " \
           "order: str = 'C') -> Self: ...\n"
    for name, writable in properties():
        kind = ATTRIBUTES.get(name, "Any")
        text += f"    @property\n    def {name}(self) -> {kind}: ...\n"
        if writable:
            text += f"    @{name}.setter\n    def {name}(self, value: Any) -> None: ...\n"
    for op in BINARY:
        kind = "tuple[ndarray, ndarray]" if op == "divmod" else "ndarray"
        mod = ", mod: Any = None" if op == "pow" else ""
        text += f"    def __{op}__(self, value: Any{mod}, /) -> {kind}: ...\n"
        text += f"    def __r{op}__(self, value: Any{mod}, /) -> {kind}: ...\n"
        if op != "divmod":
            text += f"    def __i{op}__(self, value: Any, /) -> ndarray: ...\n"
    for op in "neg pos abs invert".split():
        text += f"    def __{op}__(self) -> ndarray: ...\n"
    for op in "lt le gt ge eq ne".split():
        text += f"    def __{op}__(self, value: Any, /) -> ndarray: ...\n"
    for operator in ("getitem__(self, key: Any, /) -> ndarray", "setitem__(self, key: Any, value: Any, /) -> None",
                     "delitem__(self, key: Any, /) -> None",
                     "len__(self) -> int", "iter__(self) -> Iterator[ndarray]", "contains__(self, key: Any, /) -> bool",
                     "bool__(self) -> bool", "int__(self) -> int", "float__(self) -> float", "index__(self) -> int"):
        text += f"    def __{operator}: ...\n"
    for name, f in sorted(methods.items()):
        text += definition(name, f, True)
    for row in raw:
        if "METH_CLASS" in row.get("flags", ""):
            text += f"    @classmethod\n    def {row.args[0]}(cls, *args: Any) -> Any: ...\n"
        else:
            text += f"    def {row.args[0]}(self, *args: Any, **options: Any) -> Any: ...\n"
    return text


# --- files ---
def write_core(functions, methods, raw, names, out):
    text = HEAD + "from cuprite._support import ClipStats, Flags, Flat\nfrom cuprite.cuda.device import Device\n" \
        "from cuprite.cuda.memory import MemoryPointer\n\n"
    text += "class OutOfMemoryError(MemoryError): ...\nclass UFuncTypeError(TypeError): ...\n"
    text += "class CUDARuntimeError(RuntimeError):\n    @property\n    def status(self) -> int: ...\n"
    text += KERNELS + "\n" + ufunc_class(set(names.values())) + "\n" + ndarray(methods, raw) + "\n"
    text += ufunc_lines(names) + "\n"
    text += "".join(definition(n, f) for n, f in sorted(functions.items()))
    text += "\ndef rows(name: str, /) -> dict[str, Any]: ...\n"
    out.write("python/cuprite/_core.pyi", "the rows of functions and operations", text)


def write_package(functions, names, foreign, out):
    """cuprite/__init__.pyi: what the package takes from the extension by name, then its own."""
    tree = ast.parse((PYTHON / "__init__.py").read_text())
    named = {ast.unparse(n.targets[0]): n.value for n in tree.body if isinstance(n, ast.Assign)}
    modules, borrowed = ast.literal_eval(named["_MODULES"]), ast.literal_eval(named["_NUMPY"])
    text = HEAD + "import builtins\nimport types\nimport cuprite.cuda.memory\nimport cuprite.cuda.pinned_memory\n"
    text += "".join(f"from cuprite import {m} as {m}\n" for m in sorted(modules))
    core = sorted(n for n in [*functions, *names, "ndarray", "ufunc", "OutOfMemoryError", "UFuncTypeError",
                              "CUDARuntimeError", "DeviceSynchronized"]
                  if not n.startswith("_"))
    text += "from cuprite._core import (\n" + "".join(f"    {n} as {n},\n" for n in core) + ")\n"
    text += "from cuprite._support import Flat\nflatiter = Flat\n"
    text += "from cuprite.lib import scimath\nemath = scimath\nfrom cuprite.scipy import special as special\n"
    text += "\nfrom numpy.exceptions import AxisError as AxisError\nfrom numpy import (\n"
    text += "".join(f"    {n} as {n},\n"
                    for n in sorted(borrowed)) + ")\n" + "".join(f"{n}: Any\n" for n in foreign) + "\n"
    shaping = PYTHON / "_shaping.py"
    public = next(ast.literal_eval(n.value) for n in ast.parse(shaping.read_text()).body
                  if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "__all__") if shaping.exists() else []
    text += "from cuprite._shaping import (\n" + "".join(f"    {n} as {n},\n" for n in public
                                                         if n not in core) + ")\n\n" if public else ""
    own = Module(tree, "cuprite", (), (), "cuprite")
    text += "\n".join(imported("cuprite", lazy.names())) + "\n\n"
    text += "__version__: str\n__array_api_version__: str\npi: float\ne: float\neuler_gamma: float\n"
    text += "inf: float\nnan: float\nnewaxis: None\n"
    text += "".join(line + "\n" for node in tree.body if isinstance(node, ast.FunctionDef) and own.shown(node.name)
                    for line in own.function(node, "")).replace("-> bool", "-> builtins.bool")
    text += "__all__: list[str]\n"
    out.write("python/cuprite/__init__.pyi", "the rows of functions and operations, and __init__.py", text)


def written(name):
    """{file: names} of what is written in Python for a module made of rows: the files _NAME.py with an __all__ in the
    folder of its name."""
    found = {}
    for path in sorted((PYTHON / name.replace(".", "/")).glob("_*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                found[path.stem] = ast.literal_eval(node.value)
    return found


def write_module(row, functions, ufuncs, out, modules):
    """A module that is functions and ufuncs of the extension; a package where others lie below it, or where functions
    written in Python join it or take the place of rows: they are imported when they are first used."""
    name = row.args[0]
    below = sorted(m.rpartition(".")[2] for m in modules if m.rpartition(".")[0] == name)
    joined = written(name)
    more = {n for of in joined.values() for n in of}
    path = "python/cuprite/" + name.replace(".", "/") + "/__init__" * bool(below or joined)
    names = sorted([*functions, *ufuncs])
    text = f'"""{row.doc}"""\n'
    if functions:
        text += f'from cuprite import _core\n\n_functions = _core.rows("{name}")\n'
        text += "".join(f'{n} = _functions["{n}"]\n' for n in sorted(functions) if n not in more)
    if ufuncs:
        text += f'from cuprite._support import ufuncs_of\n\n_ufuncs = ufuncs_of("{name}")\n'
        text += "".join(f'{n} = _ufuncs["{n}"]\n' for n in ufuncs if n not in more)
    text += "".join(f"\nfrom cuprite.{name} import {m}\n" for m in below)
    if joined:
        text += "\nfrom cuprite._missing import later as _later\n\n_LATER = {\n" + "".join(
            f'    "{n}": "{m}",\n' for n, m in sorted((n, m) for m, of in joined.items() for n in of)) + "}\n"
        text += "__getattr__ = _later(__name__, _LATER)\n"
    else:
        text += "\nfrom cuprite._missing import getter as _getter\n\n__getattr__ = _getter(__name__)\n"
    names = sorted({*names, *below, *more})
    out.write(path + ".py", row.file, text + "\n__all__ = [\n" + "".join(f'    "{n}",\n' for n in names) + "]\n")
    uses = "from cuprite._core import _Operand, ndarray, ufunc\n" + \
        ("from cuprite._support import Sources\n" if "measure" in functions else "") + "\n"
    stub = "".join(f"from cuprite.{name} import {m} as {m}\n\n" for m in below)
    stub += "".join(f"from cuprite.{name}.{m} import {n} as {n}\n" for m, of in joined.items() for n in sorted(of))
    stub += ufunc_lines({n: o for n, o in ufuncs.items() if n not in more})
    stub += "".join(definition(n, functions[n]) for n in sorted(functions) if n not in more)
    out.write(path + ".pyi", row.file, HEAD + uses + stub + f"__all__ = {names}\n")


def write_absent(row, out):
    """A module of cuprite.cuda that replaces a library's."""
    name, library, instead = row.args
    text = f'"""cupy.cuda.{name}: no interface to {library} is there; its functions raise NotImplementedError."""\n' \
        "from cuprite.cuda._absent import names\n\navailable = False\n" \
        f'__getattr__ = names(__name__, "{library}"' + (f', "{instead}"' if instead else "") + ")\n"
    path = f"python/cuprite/cuda/{name}"
    out.write(path + ".py", row.file, text)
    out.write(path + ".pyi", row.file, source_stubs.complete(Module(ast.parse(text), "cuprite.cuda", ()).text()))


def write_sources(out, made):
    """Stubs of the package's modules that are written in Python."""
    package = Package(PYTHON)
    for path in sorted(PYTHON.rglob("*.py")):
        name = path.relative_to(PYTHON)
        if name.stem == "__main__" or str(name) == "__init__.py" or str(name.with_suffix("")) in made:
            continue
        out.write(f"python/cuprite/{name.with_suffix('.pyi')}", f"python/cuprite/{name}", package.stub(path))


def write(tables, out):
    functions, methods = {}, {}
    for f in read_functions(tables):
        if not f.is_method_only:
            functions.setdefault(f.module, {}).update({n: f for n in [f.name] + f.also})
        if f.method:
            methods.update({n: f for n in [f.method] + (f.also if f.is_method_only else [])})
    names = {n: of for n, of in operations(tables).items() if n not in functions.get("", {})}
    out.write("python/cuprite/_foreign.py", TABLE, python_names(types_of(tables)))
    write_core(functions.get("", {}), methods, tables.of("varargs"), names, out)
    write_package(functions.get("", {}), names, [t.name for t in types_of(tables) if t.module != "numpy"], out)
    modules = [row.args[0] for row in tables.of("python_module")]
    made = {name.replace(".", "/") for name in modules}
    for row in tables.of("python_module"):
        write_module(row, functions.get(row.args[0], {}), operations(tables, row.args[0]), out, modules)
    for row in tables.of("absent"):
        write_absent(row, out)
    write_sources(out, made)
