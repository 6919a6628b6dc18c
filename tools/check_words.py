#!/usr/bin/env python3
"""Rejects private vocabulary in the names of files and identifiers: each word has an equivalent that readers of NumPy,
BLAS, CUDA and compilers know.

    python tools/check_words.py       exits 1 with a line for each name

WORDS lists the rejected word, as a part of a name between underscores, its replacement, and whether it is rejected in
every name or in the library's only (cp_, cpi_, cpr_, cpy_ and their capitals). ALLOWED lists the names that use it in
its standard sense: public names of NumPy and CuPy, the lanes of a warp. No string of C has a word of MESSAGES. The
verbs of VERBS do not say what of: at most MOST_FILES files have a function of such a name.
"""
import collections
import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["src", "include", "mpi", "python", "cli", "tools"]
SUFFIXES = {".c", ".h", ".cu", ".cuh", ".inc", ".py", ".def"}
EVERY, INTERNAL = True, False
WORDS = {
    "rooms?": ("module, layer; of memory: capacity, space", EVERY),
    "told|tells?": ("reported, returns, raises", INTERNAL),
    "troubles?": ("error", INTERNAL),
    "picks?|picked|picking": ("gather, indexing, select", INTERNAL),
    "deal(?:32|64)?|deals|dealt": ("bin, partition", EVERY),
    "bands?": ("window, tile, row block", INTERNAL),
    "among": ("isin; find", EVERY),
    "sift": ("compress", EVERY),
    "walks?": ("iterate, visit", INTERNAL),
    "stretch(?:es)?": ("segment", INTERNAL),
    "pieces?": ("chunk", INTERNAL),
    "folds?": ("reducer, reduce", INTERNAL),
    "chains?": ("accumulate; a blocked evaluation", INTERNAL),
    "laws?": ("distribution", EVERY),
    "fronts?": ("operands, axes; the function that checks and dispatches", INTERNAL),
    "places?": ("index, offset, position", INTERNAL),
    "lanes?": ("slices along an axis; vectors; batch", INTERNAL),
    "patient": ("may wait", EVERY),
    "apart": ("does not alias, separate", INTERNAL),
    "texts?": ("string, source", INTERNAL),
    "frames?": ("wrapper (of a binding), scope, call", INTERNAL),
    "by_hand": ("hand_written", EVERY),
}
MESSAGES = {
    "rooms?": "capacity, space; holds at most", "troubles?": "error", "told": "reported, passed",
    "a fold": "a reduction", "more places": "more indices, positions",
}
VERBS = "run put walk finish step tell look do make work handle process go".split()
MOST_FILES = 8
ALLOWED = set("""
    CPI_IN_PLACE cpi_index_cpu_place cpi_index_cuda_place CPI_KERNEL_DEVICE_LANES_H cpi_fold_constants cp_place
    among
""".split())
FILES_ALLOWED = {"src/sort/select_in_place.inc", "src/kernel/device/lanes.h"}
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
IS_INTERNAL = re.compile(r"_*(?:cp|CP|cpi|cpr|cpl|cpf|cpy|CPI|CPR|CPL|CPF|CPY)_")
REFUSED = {word: re.compile(rf"(?:^|_)(?:{word})(?=_|\d*$)", re.I) for word in WORDS}
ANY_REFUSED = re.compile(rf"(?:^|_)(?:{'|'.join(WORDS)})(?=_|\d*$)", re.I)
C_SUFFIXES = SUFFIXES - {".py", ".def"}
IN_STRINGS = {word: re.compile(rf"\b{word}\b") for word in MESSAGES}
C_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
C_STRING = re.compile(r"\"(?:\\.|[^\"\\\n])*\"")
DEFINED = re.compile(rf"^(?!return|else)[A-Za-z_][^;{{}}()=#]*?[ *&>]({'|'.join(VERBS)})\([^;{{}}]*\)\s*\{{", re.M)
C_NOTES = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.S)
PYTHON_NOTES = re.compile(r"\"\"\".*?\"\"\"|#[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)


@functools.cache
def code_of(path):
    """The code of a file: comments and strings are blank."""
    notes = PYTHON_NOTES if path.suffix in (".py", ".def") else C_NOTES
    return notes.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), path.read_text())


def breaches_of(name):
    if not ANY_REFUSED.search(name):
        return
    for word, (instead, every) in WORDS.items():
        if (every or IS_INTERNAL.match(name)) and REFUSED[word].search(name) and name not in ALLOWED:
            yield instead


def breaches():
    for path in sorted(p for folder in FOLDERS for p in (ROOT / folder).rglob("*") if p.suffix in SUFFIXES):
        name = str(path.relative_to(ROOT))
        layered = re.sub(r"^src/(?:base|array|compiler|science)/", "src/", name)
        for part in path.relative_to(ROOT).parts:
            for word, (instead, _) in WORDS.items():
                if REFUSED[word].search(part.split(".")[0].lstrip("_")) and layered not in FILES_ALLOWED:
                    yield f"{name}: the file's name says {part}: {instead}"
        if "tools/check_words" in name:
            continue
        code = code_of(path)
        for found in sorted(set(IDENTIFIER.findall(code))):
            for instead in breaches_of(found):
                number = code[:re.search(rf"\b{found}\b", code).start()].count("\n") + 1
                yield f"{name}:{number}: {found}: {instead}"


def c_sources():
    return sorted(p for folder in ("src", "mpi", "python", "cli") for p in (ROOT / folder).rglob("*")
                  if p.suffix in C_SUFFIXES)


def breaches_of_messages():
    for path in c_sources():
        code = C_COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), path.read_text())
        for string in C_STRING.finditer(code):
            for word, instead in MESSAGES.items():
                if IN_STRINGS[word].search(string[0]):
                    number = code[:string.start()].count("\n") + 1
                    yield f"{path.relative_to(ROOT)}:{number}: {string[0]}: {instead}"


def breaches_of_verbs():
    homes = collections.defaultdict(set)
    for path in c_sources():
        for found in DEFINED.finditer(code_of(path)):
            homes[found[1]].add(path)
    for name, paths in sorted(homes.items()):
        if len(paths) > MOST_FILES:
            yield (f"{name} is a function of {len(paths)} files, as of {min(paths).relative_to(ROOT)}: "
                   "its name says what of")


if __name__ == "__main__":
    found = [*breaches(), *breaches_of_messages(), *breaches_of_verbs()]
    print("\n".join(found), end="\n" if found else "")
    sys.exit(bool(found))
