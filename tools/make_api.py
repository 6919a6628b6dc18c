#!/usr/bin/env python3
"""Writes the pages generated from the public headers and tables: docs/api.md, the reference of the C API, and the list
of modules in docs/architecture.md.

    tools/make_api.py            writes them
    tools/make_api.py --check    exits 1 when they are not up to date, or a module has no README that is linked

A header's file comment is the section's text; its declarations follow unchanged, with their comments. Headers generated
from rows are generated here again, so no build is needed.
"""
import pathlib, re, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools/generate"))

import distributions  # noqa: E402
import functions  # noqa: E402
import module_folders  # noqa: E402
from modules import modules  # noqa: E402
from table import Tables, read  # noqa: E402

PAGE = ROOT / "docs" / "api.md"
ARCHITECTURE = ROOT / "docs" / "architecture.md"


def opening(text):
    comment = re.match(r"/\*(.*?)\*/", text, re.S)[1]
    lines = [re.sub(r"^ \* ?", "", line).rstrip() for line in comment.split("\n")]
    return "\n".join(lines).strip()


def declarations(text):
    body = text[text.index("*/") + 2:]
    # how names are exported
    body = re.sub(r"^#if defined\(__GNUC__\)\n#define CP_API.*?^#endif\n\n?", "", body, flags=re.M | re.S)
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
    return re.sub(r" +$", "", re.sub(r"CP_OPTION\((.*?), (\w+)\);", r"\1 \2;", text), flags=re.M)


def made_header(module, tables, every):
    rows = [f for f in every if f.group == module.name]
    return functions.header(module, tables.of("words"), rows)


def list_of_modules():
    """docs/architecture.md with the list of modules, in their order."""
    listed = "".join(f"* `{module.name}`: {module.doc}\n" for module in modules())
    return re.sub(r"(<!-- modules: .*? -->\n).*?(<!-- end -->)", lambda m: m[1] + listed + m[2],
                  ARCHITECTURE.read_text(), flags=re.S)


def unlinked(text):
    """The modules' READMEs that a page does not link to; a module without one."""
    for module in modules():
        name = (module_folders.folder(module.name, ROOT) / "README.md").relative_to(ROOT)
        if not (ROOT / name).exists():
            yield f"{name} is missing: a module has one"
        elif f"](../{name})" not in text:
            yield f"docs/architecture.md, \"Where to read on\", does not link to {name}"


# private modules of rows, and the public ones that are written over them
BEHIND = {"_lfilter": "scipy.signal", "_peaks": "scipy.signal", "_regions": "scipy.ndimage", "_signal": "scipy.signal",
          "_sparse": "scipy.sparse", "_special": "scipy.special", "_spectra": "scipy.signal",
          "_wavelets": "scipy.signal"}


def in_python(module, every):
    """Where the functions of a header are that are not in cuprite itself, as a sentence."""
    names, said = {}, []
    rows = [f for f in every if f.group == module.name and not f.is_method_only and f.row.get("c") != ""
            and (not f.body or f.module in BEHIND)]
    for f in rows:
        names.setdefault(BEHIND.get(f.module, f.module), []).append(f.row.get("c", f"cp_{f.name}"))
    for space, found in names.items():
        if space.startswith("scipy."):
            subject = "The functions are" if len(names) == 1 else f"{', '.join(f'`{n}`' for n in found)} are"
            said.append(f"{subject} in `cuprite.{space}`.")
    return " ".join(said)


def cell(text):
    """Text in a cell of a table: a bar would end the cell."""
    return text.replace("|", "\\|")


def operation(row):
    """The C call of a row of elementwise.def."""
    nin = row.args[1].partition("->")[0].count(",") + 1
    return f"cp_{row.args[0]}({', '.join([*'abcd'[:nin]] + ['&' + r for r in row.get('results', [])])})"


def page():
    out = ["# C API", "", "Made from the public headers by `tools/make_api.py`. The Python names are the same",
           "without `cp_`: `cp_median(x)` is `cp.median(x)`. Functions of linear algebra and Fourier transforms lie in",
           "`cuprite.linalg` and `cuprite.fft`; `cp_rng_` begins the methods of `cuprite.random`'s generators. Headers",
           "of functions that lie in `cuprite.scipy` say so.", ""]
    tables = Tables(ROOT)
    every = functions.read_functions(tables)
    for module, name in ((module, name) for module in modules() for name in module.headers):
        text = made_header(module, tables, every) if module.made_header else distributions.header(tables) \
            if name == "distributions" else (ROOT / "include/cuprite" / f"{name}.h").read_text()
        said = in_python(module, every)
        out += [f"## {name}.h", "", opening(text), "", *([said, ""] if said else []), "```c", declarations(text), "```",
                ""]
        if name == "types":
            rows = read(module_folders.file("core/types.def").read_text(), "types.def")
            out += ["| type | NumPy's | element |", "|---|---|---|"]
            out += [f"| `CP_{r.args[0].upper()}` | {r.args[0]} | `{r.c}` |" for r in rows] + [""]
        if name == "elementwise":
            rows = [r for name in ("elementwise.def", "special.def", "special_hyper.def", "special_waves.def")
                    for r in read(module_folders.file(f"elementwise/{name}").read_text(), name)
                    if r.kind == "operation" and not r.get("hidden")]
            out += ["| function | |", "|---|---|"]
            out += [f"| `{operation(r)}` | {cell(r.doc)} |" for r in rows] + [""]
        if name == "reduce":
            rows = [row for row in read(module_folders.file("reduce/reduce.def").read_text(), "reduce.def")
                    if row.kind == "reduction"]
            out += ["| name | |", "|---|---|"]
            out += [f"| `cp_{row.args[0]}(x, ...)` | {cell(row.doc)} |" for row in rows] + [""]
    return "\n".join(out)


def main():
    pages = ((PAGE, page()), (ARCHITECTURE, list_of_modules()))
    missing = list(unlinked(pages[1][1]))
    print("".join(line + "\n" for line in missing), end="")
    stale = [(path, text) for path, text in pages if not path.exists() or path.read_text() != text]
    for path, text in stale:
        if "--check" in sys.argv:
            print(f"{path.relative_to(ROOT)} is not what headers and tables say: run tools/make_api.py")
        else:
            path.write_text(text)
    sys.exit("--check" in sys.argv and bool(missing or stale))


if __name__ == "__main__":
    main()
