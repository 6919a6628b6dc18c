#!/usr/bin/env python3
"""Checks the house rules that a compiler does not: which room includes which, and how long files are.

A room may include its own headers, what stands before it in ORDER, and what EXTRA allows by name (the same
list is in CONTRIBUTING.md). Exits 1 with one line for each breach.
"""
import pathlib, re, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ORDER = ["core", "backend", "scalar", "cpu", "cuda", "front", "elementwise", "reduce", "index", "shape", "sort",
         "signal", "ndimage", "io", "text", "late"]
# room -> headers (or rooms) that it may include although they stand later
EXTRA = {
    "core": {"scalar/"},
}
LONGEST = 1000


def breaches():
    rank = {room: i for i, room in enumerate(ORDER)}
    for path in sorted((ROOT / "src").rglob("*")):
        if path.suffix not in {".c", ".h", ".cu", ".cuh", ".def"}:
            continue
        room = path.relative_to(ROOT / "src").parts[0]
        name = path.relative_to(ROOT)
        if room not in rank:
            yield f"{name}: {room} is no room; add it to ORDER in tools/check_rooms.py"
            continue
        for line, text in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include\s+"([a-z_0-9]+)/([^"]+)"', text)
            if not found or found[1] not in rank or found[1] == room:
                continue
            header = f"{found[1]}/{found[2]}"
            allowed = EXTRA.get(room, set())
            if rank[found[1]] > rank[room] and header not in allowed and found[1] + "/" not in allowed:
                yield f"{name}:{line}: {room} may not include {header}"
    for pattern in ("src/**/*", "include/**/*", "python/**/*", "cli/*", "tests/**/*", "bench/*", "tools/*"):
        for path in sorted(ROOT.glob(pattern)):
            if path.suffix in {".c", ".h", ".cu", ".cuh", ".def", ".py"} and path.is_file():
                lines = path.read_text().count("\n")
                if lines > LONGEST:
                    yield f"{path.relative_to(ROOT)}: {lines} lines; {LONGEST} are the most"


found = list(breaches())
for text in found:
    print(text)
sys.exit(bool(found))
