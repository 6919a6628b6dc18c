#!/usr/bin/env python3
"""Lines have at most 120 columns, in every hand-written source.

    python tools/check_lines.py       exits 1 with a line for each file that breaks the rule
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST = 120
FOLDERS = ["include", "src", "mpi", "python", "cli", "tests", "tools", "bench", "examples", "lessons"]
SUFFIXES = {".c", ".h", ".inc", ".cu", ".cuh", ".py", ".def", ".cmake", ".sh"}
FILES = ["CMakeLists.txt", "Makefile"]


def breaches():
    paths = [p for folder in FOLDERS for p in (ROOT / folder).rglob("*") if p.suffix in SUFFIXES]
    for path in sorted(paths + [ROOT / name for name in FILES]):
        name = str(path.relative_to(ROOT))
        long = [n for n, line in enumerate(path.read_text().split("\n"), 1) if len(line) > MOST]
        if long:
            yield f"{name}: lines of more than {MOST} columns: {', '.join(map(str, long))}"


if __name__ == "__main__":
    found = list(breaches())
    print("\n".join(found), end="\n" if found else "")
    sys.exit(bool(found))
