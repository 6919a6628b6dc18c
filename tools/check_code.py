#!/usr/bin/env python3
"""Checks the form of the code: every internal name exists once, macros and files keep to their length.

    python tools/check_code.py            prints one line for each breach, and exits 1 where there is one
    python tools/check_code.py --long     lists the functions of more than 60 lines as well; they are no breach

Names: types and global functions of src, and what headers define as static. A name that only one source
knows (a static function or a type without a prefix in a .c or .cu file) may occur in others. What user kernels include
(kernel/device) is left out. TWICE are the names that are there twice all the same, and why. LONG_MACROS are the macros
of more than 20 lines that are still there: the list only gets shorter.
"""
import ast
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILE, MACRO, FUNCTION = 800, 20, 60  # lines at most; of functions: those that are reported
SOURCES = {".c", ".h", ".cu", ".cuh", ".inc"}
FOLDERS = ("src", "include", "python", "cli", "tests", "bench", "tools", "examples")
TWICE = {
    "is": "normal.h and structure_words.h read tokens in two structures; no source includes both",
    "match": "the same", "named": "the same",
}
LONG_MACROS = {
    "clip_simd.c": "KERNELS",
    "cuComplex.h": "__CU_COMPLEX",
    "complex.cuh": "CUPRITE_COMPLEX_OPERATOR",
    "cuprite_array.cuh": "CUPRITE_SMALL_FLOAT",
    "move_simd.c": "GATHER",
    "elementwise_fmod_simd.c": "FAMILY BOTH",
    "elementwise_math_simd.c": "BINARY",
    "error.h": "CP_ERRORS",
    "keys.h": "CPI_KEYS_COMPLEX",
    "label_runs.h": "WRITE_CHUNK",
    "measure_cpu.c": "VISIT",
    "orders_simd.c": "FIND FIND_FLOATS COLUMNS",
    "products_simd.c": "HALF",
    "rounding.h": "__CU_ROUNDED",
    "run_stats_simd.c": "SUM_OF RUN",
    "scan_simd.c": "TILES",
    "search_cpu.c": "SEARCH_CELLS",
    "search_simd.c": "SEARCH",
    "select_keys.c": "POSITION PICK",
    "select_simd.c": "KERNELS WINDOW",
    "small_floats.h": "__CU_SMALL_MODE __CU_SMALL_FLOAT",
    "state.c": "EACH_REFERENCE",
    "statistics_simd.c": "SPAN",
    "sums_simd.c": "SUM_NARROW MOMENTS",
}


def files(suffixes, folders=FOLDERS):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                yield path


def blanked(text):
    """C without comments, texts and continued macros, line by line as it was."""
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
    """The names that the file defines for others too; those in a namespace are the namespace's."""
    text = blanked(path.read_text())
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
    """Macros that are too long; those that LONG_MACROS names are the ones that were there."""
    found = collections.defaultdict(set)
    for path in files(SOURCES):
        for macro in re.finditer(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:[^\n]*\\\n)+[^\n]*", path.read_text(), re.M):
            if macro[0].count("\n") >= MACRO:
                found[path.name].add(macro[1])
    for file in sorted({*found, *LONG_MACROS}):
        known = set(LONG_MACROS.get(file, "").split())
        for name in sorted(found[file] - known):
            yield f"{file}: the macro {name} has more than {MACRO} lines; a template in a header can be stepped through"
        for name in sorted(known - found[file]):
            yield f"{file} has no long macro {name} any more: take it from LONG_MACROS"


def lengths():
    for path in files(SOURCES | {".py", ".def"}):
        lines = path.read_text().count("\n")
        if lines > FILE:
            yield f"{path.relative_to(ROOT)}: {lines} lines; {FILE} are the most"


def python_functions(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def c_functions(path):
    """Functions by their braces; nothing of a macro, which has a limit of its own."""
    text = blanked(path.read_text())
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


def main():
    breaches = [*names(), *macros(), *lengths()]
    for text in breaches:
        print(text)
    if "--long" in sys.argv:
        found = functions()
        for lines, path, line, name in found:
            print(f"{path}:{line}: {name} has {lines} lines")
        print(f"{len(found)} functions have more than {FUNCTION} lines, "
              f"and {sum(len(m.split()) for m in LONG_MACROS.values())} macros more than {MACRO}")
    return bool(breaches)


if __name__ == "__main__":
    sys.exit(main())
