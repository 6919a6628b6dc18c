#!/usr/bin/env python3
"""Lines end before column 121, in every source that people write.

    python tools/check_lines.py       exits 1 with a line for each file that breaks the rule

WIDE has the files that had longer lines when the rule came, with their number: it only falls.
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST = 120
FOLDERS = ["include", "src", "python", "cli", "tests", "tools", "bench", "examples"]
SUFFIXES = {".c", ".h", ".inc", ".cu", ".cuh", ".py", ".def", ".cmake", ".sh"}
FILES = ["CMakeLists.txt", "Makefile"]

WIDE = {
    "include/cuprite/array.h": 5,
    "include/cuprite/reduce.h": 2,
    "src/cuda/runtime_cuda.cu": 1,
    "src/elementwise/elementwise_move_cuda.cu": 3,
    "src/elementwise/flat_cuda.h": 5,
    "src/move/move.h": 1,
    "src/ndimage/label_cuda.cu": 1,
    "src/reduce/extremes_cuda.cu": 1,
    "src/reduce/fold.cuh": 8,
    "src/sort/unique_table_cuda.cu": 1,
    "tools/generate/element_types.py": 4,
    "tools/generate/elementwise_kernels.py": 15,
}


def breaches():
    paths = [p for folder in FOLDERS for p in (ROOT / folder).rglob("*") if p.suffix in SUFFIXES]
    for path in sorted(paths + [ROOT / name for name in FILES]):
        name = str(path.relative_to(ROOT))
        long = [n for n, line in enumerate(path.read_text().split("\n"), 1) if len(line) > MOST]
        allowed = WIDE.get(name, 0)
        if len(long) > allowed:
            yield f"{name}: {len(long)} lines have more than {MOST} columns, {allowed} may: {', '.join(map(str, long))}"
        elif len(long) < allowed:
            yield f"{name}: {len(long)} lines have more than {MOST} columns: say so in WIDE"


if __name__ == "__main__":
    found = list(breaches())
    print("\n".join(found), end="\n" if found else "")
    sys.exit(bool(found))
