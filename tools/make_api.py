#!/usr/bin/env python3
"""Writes what follows from the public headers and tables: docs/api.md, the reference of the C API, and
include/cuprite/reduce_calls.h, the names of the reductions (macros, which no macro can make).

    tools/make_api.py            writes both
    tools/make_api.py --check    exits 1 when one is not what the headers say

A header's opening comment is the section's text; its declarations follow as they stand, with their comments.
"""
import pathlib, re, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools/generate"))

from table import read  # noqa: E402

HEADERS = ["types", "error", "device", "array", "elementwise", "reduce", "index", "sort", "signal", "ndimage", "io"]
PAGE = ROOT / "docs" / "api.md"
CALLS = ROOT / "include" / "cuprite" / "reduce_calls.h"


def opening(text):
    comment = re.match(r"/\*(.*?)\*/", text, re.S)[1]
    lines = [re.sub(r"^ \* ?", "", line).rstrip() for line in comment.split("\n")]
    return "\n".join(lines).strip()


def declarations(text):
    body = text[text.index("*/") + 2:]
    body = re.sub(r"^#if defined\(__GNUC__\)\n#define CP_API.*?^#endif\n\n?", "", body, flags=re.M | re.S)  # how names are exported
    drop = re.compile(r'^#(ifndef|define) CUPRITE_\w+_H$|^#include|^#ifdef __cplusplus$|^extern "C" \{$|^\}$|^#endif$')
    lines, inside_guard = [], False
    for line in body.strip().split("\n"):
        if line == "}" and not inside_guard:
            if lines and not re.match(r"^(typedef|static|enum|struct)", next((l for l in reversed(lines) if l and not
                                      l.startswith(" ")), "")):
                continue
        if not drop.match(line):
            lines.append(line)
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip().replace("CP_API ", "")
    text = re.sub(r"CP_OPTION\((.*?) (\**), (\w+)\);", r"\1 \2\3; ", text)
    return re.sub(r"CP_OPTION\((.*?), (\w+)\);", r"\1 \2;", text)


def table_rows(name, macro):
    text = (ROOT / "include/cuprite" / name).read_text()
    rows = []
    for match in re.finditer(rf"^\s*{macro}\((.*?)\)\s*$", text, re.M | re.S):
        strings = re.findall(r'"((?:[^"\\]|\\.)*)"', match[1])
        rows.append((match[1].split(",")[0].strip(), strings[-1] if strings else ""))
    return rows


def page():
    out = ["# C API", "", "Made from the headers in `include/cuprite` by `tools/make_api.py`. The Python names are the same",
           "without `cp_`: `cp_median(x)` is `cp.median(x)`; ndimage's functions lie in `cuprite.scipy.ndimage`, those of",
           "signal for two dimensions in `cuprite.scipy.signal`.", ""]
    for name in HEADERS:
        path = ROOT / "include/cuprite" / f"{name}.h"
        text = path.read_text()
        out += [f"## {name}.h", "", opening(text), "", "```c", declarations(text), "```", ""]
        if name == "types":
            rows = read((ROOT / "src/core/types.def").read_text(), "types.def")
            out += ["| type | NumPy's | element |", "|---|---|---|"]
            out += [f"| `CP_{r.args[0].upper()}` | {r.args[0]} | `{r.c}` |" for r in rows] + [""]
        if name in ("elementwise", "reduce"):
            macro = {"elementwise": "CP_ELEMENTWISE", "reduce": "CP_REDUCE"}[name]
            out += ["| name | |", "|---|---|"]
            call = "cp_{}(x, ...)" if name == "reduce" else "{}"
            out += [f"| `{call.format(n)}` | {doc} |" for n, doc in table_rows(f"{name}.def", macro)] + [""]
    return "\n".join(out)


def calls():
    out = ["/* The reductions by name, cp_NAME(x, options), made from reduce.def by tools/make_api.py. reduce.h includes this. */",
           "#ifndef CUPRITE_REDUCE_CALLS_H", "#define CUPRITE_REDUCE_CALLS_H", ""]
    out += [f"#define cp_{n}(...) CP_CALL(cp_{n}, cp_reduce_options, __VA_ARGS__, ._ = 0)" for n, _ in table_rows("reduce.def", "CP_REDUCE")]
    return "\n".join(out + ["", "#endif", ""])


stale = [(path, text) for path, text in ((PAGE, page()), (CALLS, calls())) if not path.exists() or path.read_text() != text]
for path, text in stale:
    if "--check" in sys.argv:
        print(f"{path.relative_to(ROOT)} is not what the headers say: run tools/make_api.py")
    else:
        path.write_text(text)
sys.exit("--check" in sys.argv and bool(stale))
