#!/usr/bin/env python3
"""Checks the form of the code: every internal name is defined once; macros, functions and files keep to their length.

    python tools/check_code.py            prints a line for each violation; exits 1 if there is one
    python tools/check_code.py --long     also lists all functions of more than 60 lines

Names: types, and global functions and variables of src, and what headers define as static. A name that only one source
knows (a static function or a type without a prefix in a .c or .cu file) may occur in others. What user
kernels include (kernel/device) is left out. TWICE are the names that are there twice all the same, and why. LONG_MACROS
are the macros of more than 20 lines that may be there, and why; templates (.inc) take the place of others. Likewise
LONG_FUNCTIONS. Functions of tests are not counted.
"""
import ast
import collections
import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILE, MACRO, FUNCTION = 800, 20, 60  # lines at most
SOURCES = {".c", ".h", ".cu", ".cuh", ".inc"}
FOLDERS = ("src", "include", "mpi", "python", "cli", "tests", "bench", "tools", "examples")
TWICE = {
    "is": "normal.h and structure_words.h read tokens in two structures; no source includes both",
    "match": "the same", "named": "the same",
}
LONG_MACROS = {
    "error.h CP_ERRORS": "a list with a line for each error: there is nothing in it to step through",
}
LIST = "a list of cases, one after the other"
STATE = "one loop over registers or shared memory that its parts would all have to be passed"
LONG_FUNCTIONS = {
    **{f"bench/bench_{name}.py cases": LIST
       for name in "statistics elementwise source_finding random products reduce sort scan".split()},
    "src/science/linalg/wy.cuh wy_apply": STATE, "src/science/linalg/wy.cuh qr_registers": STATE,
    "src/science/linalg/jacobi.cuh eigh_whole": STATE, "src/science/linalg/warp_lu.cuh lu_by_warps": STATE,
    "src/science/linalg/implicit.cuh implicit_follow": STATE, "src/science/linalg/implicit.cuh implicit_panel": STATE,
    "src/array/products/thin_sm90a.cu products": STATE, "src/array/products/products_cuda.cu tiles": STATE,
    "src/array/reduce/reducer.cuh columns": STATE, "src/science/signal/signal_cuda.cu correlate_row": STATE,
}


def files(suffixes, folders=FOLDERS):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                yield path


@functools.cache
def text_of(path):
    return path.read_text()


@functools.cache
def blanked(text):
    """C source with comments, strings and multi-line macros blanked; lines stay."""
    def blank(found):
        return re.sub(r"[^\n]", " ", found[0])
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|' r"'(?:\\.|[^'\\\n])+'", blank, text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)


TYPE = re.compile(r"^(?:typedef )?(?:struct|union|enum(?: class)?)\s+(?:alignas\([^)]*\)\s+)?(\w+)\s*(?::[^{;()]*)?\{"
                  r"|^\}\s*(?:__attribute__\(\([^;]*\)\)\s*)?(\w+);"
                  r"|^typedef (?!(?:struct|union|enum) (\w+) \3;)[^;{}()]*\b(\w+);"
                  r"|^typedef\b[^;{}]*\(\*(\w+)\)\(|^typedef (?:struct|union|enum) \{[^{}]*\} (\w+);", re.M)
DEFINED = re.compile(r"^(?!typedef |else |return )([A-Za-z_][^;{}()=#]*?[ *&\n](?:__launch_bounds__\([^)]*\)\s*)?)"
                     r"(?!__)(\w*[a-z]\w*)\([^;{}]*\)\s*\{", re.M)
INCLUDED_BY_USERS = re.compile(r"/kernel/device/")


def names_of(path):
    """The names that the file defines globally; those in a namespace are excluded."""
    text = blanked(text_of(path))
    header = path.suffix in {".h", ".cuh"}
    space = re.search(r"^namespace (\w+)", text, re.M)
    for found in TYPE.finditer(text):
        name = found[1] or found[2] or found[4] or found[5] or found[6]
        if name.startswith("cpi_") or header:
            yield f"{space[1]}::{name}" if space and not name.startswith("cpi_") else name
    for found in DEFINED.finditer(text):
        static = re.search(r"\bstatic\b", found[1])
        if header or not static and found[2].startswith(("cpi_", "cp_")):
            yield f"{space[1]}::{found[2]}" if space and not found[2].startswith("cpi_") else found[2]


def names():
    homes = collections.defaultdict(set)
    for path in files({".c", ".h", ".cu", ".cuh"}, ["src"]):
        if not INCLUDED_BY_USERS.search(str(path)):
            for name in names_of(path):
                homes[name].add(str(path.relative_to(ROOT)))
    for name, where in sorted(homes.items()):
        if len(where) > 1 and name not in TWICE:
            yield f"{name} is defined in {' and '.join(sorted(where))}"
    for name in sorted(TWICE):
        if len(homes[name]) < 2:
            yield f"{name} is defined once: take it from TWICE"


def macros():
    """Macros that are too long and are not in LONG_MACROS, and what is there for nothing."""
    found = set()
    for path in files(SOURCES):
        for macro in re.finditer(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:[^\n]*\\\n)+[^\n]*", text_of(path), re.M):
            if macro[0].count("\n") >= MACRO:
                found.add(f"{path.name} {macro[1]}")
    for name in sorted(found - set(LONG_MACROS)):
        yield f"{name}: the macro has more than {MACRO} lines; a template in a .inc file can be stepped through"
    for name in sorted(set(LONG_MACROS) - found):
        yield f"{name} is no long macro any more: take it from LONG_MACROS"


def recursion():
    """Scalar functions run in GPU kernels, whose stack ptxas can size only where no function calls itself."""
    for path in (ROOT / "src/base/scalar").glob("*.h"):
        text = blanked(text_of(path))
        one = r"^CPS_(?:MATH|HEAVY)\b[^(;]*?(\w+)\([^)]*\)\s*\{([^\n]*\}$|.*?^\})"
        for found in re.finditer(one, text, re.S | re.M):
            if re.search(rf"\b{found[1]}\(", found[2]):
                yield f"{path.relative_to(ROOT)}: {found[1]} calls itself"


def lengths():
    for path in files(SOURCES | {".py", ".def"}):
        lines = text_of(path).count("\n")
        if lines > FILE:
            yield f"{path.relative_to(ROOT)}: {lines} lines; {FILE} are the most"


def python_functions(path):
    """Statements are all that is looked at: an expression defines no function."""
    waiting = [ast.parse(text_of(path))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1
        waiting += [child for part in ("body", "orelse", "finalbody", "handlers", "cases")
                    if isinstance(getattr(node, part, None), list) for child in getattr(node, part)]


def c_functions(path):
    """Functions by their braces; macros are skipped, as they have their own limit."""
    text = blanked(text_of(path))
    for _ in range(2):  # templates name functions by macros: KERNEL(f)(...), CPI_ISA_NAME(KEYS(f))(...)
        text = re.sub(r"\b[A-Z][A-Z_]*\((\w+)\)", r"\1", text)
    for found in DEFINED.finditer(text):
        depth, at = 1, found.end()
        while depth and (brace := re.compile(r"[{}]").search(text, at)):
            depth += 1 if brace[0] == "{" else -1
            at = brace.end()
        first = text.count("\n", 0, found.start()) + 1
        yield found[2], first, text.count("\n", 0, at) - first + 2


def functions():
    """(lines, file, line, name) of the long ones, the longest first."""
    found = []
    for path in files(SOURCES | {".py"}, [f for f in FOLDERS if f != "tests"]):
        for name, line, lines in (python_functions if path.suffix == ".py" else c_functions)(path):
            if lines > FUNCTION:
                found.append((lines, str(path.relative_to(ROOT)), line, name))
    return sorted(found, reverse=True)


def long_functions():
    for lines, path, line, name in functions():
        if f"{path} {name}" not in LONG_FUNCTIONS:
            yield f"{path}:{line}: {name} has {lines} lines; {FUNCTION} are the most"


def main():
    breaches = [*names(), *macros(), *recursion(), *lengths(), *long_functions()]
    for text in breaches:
        print(text)
    if "--long" in sys.argv:
        found = functions()
        for lines, path, line, name in found:
            print(f"{path}:{line}: {name} has {lines} lines")
        print(f"{len(found)} functions have more than {FUNCTION} lines, "
              f"and {len(LONG_MACROS)} macros more than {MACRO}")
    return bool(breaches)


if __name__ == "__main__":
    sys.exit(main())
