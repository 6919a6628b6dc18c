"""python/cuprite/_lazy.py: which names of cuprite are imported from which module on first use.

A private module's `__all__` lists its names in cuprite; _ELSEWHERE has the names from public modules. Names that
__init__.py imports at once are excluded.
"""
import ast
import pathlib

PACKAGE = True
# Names from public modules.
_ELSEWHERE = {
    "ComplexWarning": "exceptions", "ModuleDeprecationWarning": "exceptions", "RankWarning": "exceptions",
    "TooHardError": "exceptions", "VisibleDeprecationWarning": "exceptions", "byte_bounds": "lib.array_utils",
}
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PYTHON = ROOT / "python" / "cuprite"


def assigned(tree, name):
    """The literal that a module assigns to a name, or None."""
    return next((ast.literal_eval(n.value) for n in tree.body
                 if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == name), None)


def names():
    """Name -> module below cuprite."""
    first = ast.parse((PYTHON / "__init__.py").read_text())
    at_once = {n.module for n in first.body if isinstance(n, ast.ImportFrom)}
    found = dict(_ELSEWHERE)
    for path in sorted([*PYTHON.glob("_[a-z]*.py"), *(PYTHON / "_compiler").rglob("*.py")]):
        module = ".".join(path.relative_to(PYTHON).with_suffix("").parts)
        if "cuprite." + module in at_once or path.parent.name in ("numba", "numba_cuda", "ast", "jit"):
            continue
        for name in assigned(ast.parse(path.read_text()), "__all__") or []:
            if name in found:
                raise SystemExit(f"{path}: {name} of __all__ is {found[name]}'s")
            found[name] = module
    return found


def write(tables, out):
    lines = "".join(f'    "{name}": "{module}",\n' for name, module in sorted(names().items()))
    text = '"""Names of cuprite, and the modules below it that they come in with when they are first used."""\n' \
        f"LATER = {{\n{lines}}}\n"
    out.write("python/cuprite/_lazy.py", "the modules' __all__", text)
    out.write("python/cuprite/_lazy.pyi", "the modules' __all__", "LATER: dict[str, str]\n")
