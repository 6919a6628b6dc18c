#!/usr/bin/env python3
"""Writes docs/images/layers.svg, the diagram of docs/architecture.md, from src/modules.def: layers and modules.

    tools/make_diagram.py            writes it
    tools/make_diagram.py --check    exits 1 when it is not up to date

A layer is a row of boxes, one a module, in the list's order; it uses itself and the rows below it. Invariant: the
picture depends on the list of modules alone.
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools/generate"))
from modules import modules  # noqa: E402

PAGES = ["docs/images/layers.svg"]
WIDTH, MARGIN, LABEL, LINE, GAP = 860, 16, 96, 26, 8
CHARACTER = 7.3  # of the boxes' font, in its widest
INTERFACES = ["C: include/cuprite/*.h", "Python: python/cuprite", "command: cli"]
# from the top down: what stands beside the name
LAYERS = {"late": "for tests: libcuprite-late.so", "io": "libcuprite-io.so", "science": "", "compiler": "", "array": "",
          "base": ""}
COLOURS = {"late": "#f3e8f7", "io": "#e5f3ea", "science": "#fdf0d9", "compiler": "#fde5df", "array": "#e2eefb",
           "base": "#ececec"}


def text(x, y, string, style=""):
    return f'<text x="{x:g}" y="{y:g}"{style}>{string}</text>'


def box(x, y, width, string, fill="#ffffff"):
    return (f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{LINE}" rx="4" fill="{fill}" stroke="#667"/>'
            + text(x + width / 2, y + 17, string, ' text-anchor="middle"'))


def rows_of(names):
    """The boxes of a layer in rows: (name, x, width)."""
    rows, x = [[]], 0
    for name in names:
        width = len(name) * CHARACTER + 20
        if x + width > WIDTH - LABEL - 3 * MARGIN and rows[-1]:
            rows.append([])
            x = 0
        rows[-1].append((name, x, width))
        x += width + GAP
    return rows


def interfaces(y):
    width = (WIDTH - 2 * MARGIN - 2 * GAP) / 3
    out = [box(MARGIN + i * (width + GAP), y, width, name, "#fffbe6") for i, name in enumerate(INTERFACES)]
    # Python's extension and the command call the public headers alone
    return out + [f'<path d="M{WIDTH / 2:g} {y + LINE + 2} v14" stroke="#667" marker-end="url(#arrow)"/>']


def picture():
    out, y = interfaces(MARGIN), MARGIN + LINE + 22
    for layer, beside in LAYERS.items():
        rows = rows_of([m.name for m in modules() if m.layer == layer or m.name == layer])
        height = len(rows) * (LINE + GAP) + GAP
        out.append(f'<rect x="{MARGIN}" y="{y}" width="{WIDTH - 2 * MARGIN}" height="{height}" rx="6" '
                   f'fill="{COLOURS[layer]}"/>')
        out.append(text(MARGIN + 10, y + 25, layer, ' font-weight="bold"'))
        for i, row in enumerate(rows):
            out += [box(MARGIN + LABEL + x, y + GAP + i * (LINE + GAP), width, name) for name, x, width in row]
        if beside:
            out.append(text(WIDTH - MARGIN - 10, y + 25, beside, ' text-anchor="end" fill="#445"'))
        y += height + GAP
    out.append(text(MARGIN, y + 14, "A layer uses itself and the layers below it. The CUDA kernels of all layers are "
                    "libcuprite-cuda.so.", ' fill="#445"'))
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 26}" font-family="monospace" '
            f'font-size="12">\n<title>The layers of Cuprite and their modules</title>\n'
            '<defs><marker id="arrow" markerWidth="8" markerHeight="8" refX="6" refY="3" orient="auto">'
            '<path d="M0 0 L6 3 L0 6 z" fill="#667"/></marker></defs>\n'
            f'<rect width="{WIDTH}" height="{y + 26}" fill="#ffffff"/>\n')
    return head + "\n".join(out) + "\n</svg>\n"


def main():
    for page in (ROOT / p for p in PAGES):
        if page.exists() and page.read_text() == picture():
            continue
        if "--check" in sys.argv:
            sys.exit(f"{page.name}: not what src/modules.def says; tools/make_diagram.py writes it")
        page.write_text(picture())


if __name__ == "__main__":
    main()
