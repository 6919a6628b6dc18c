#!/usr/bin/env python3
"""Writes the notebooks of lessons/ from lessons/text/*.md.

    python tools/make_lessons.py [--check]      --check writes nothing, and fails where a notebook would change

A block `python` is a code cell, what stands between two of them a cell of text. A block `text` says what the cell
before it prints: tests compare that, and the notebook leaves it out.
"""
import json
import pathlib
import re
import sys

LESSONS = pathlib.Path(__file__).resolve().parent.parent / "lessons"
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```\n", re.M | re.S)


def lines(text):
    return text.strip("\n").splitlines(keepends=True)


def cells(text):
    """(kind, source) of each cell."""
    end = 0
    for m in BLOCK.finditer(text):
        if text[end:m.start()].strip():
            yield "markdown", text[end:m.start()]
        if m[1] == "python":
            yield "code", m[2]
        end = m.end()
    if text[end:].strip():
        yield "markdown", text[end:]


def notebook(text):
    """The notebook, format 4.5, as JSON. The same text gives the same bytes."""
    found = []
    for number, (kind, source) in enumerate(cells(text), 1):
        cell = {"cell_type": kind, "id": f"cell-{number:02d}", "metadata": {}, "source": lines(source)}
        found.append(cell | ({"execution_count": None, "outputs": []} if kind == "code" else {}))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    book = {"cells": found, "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
            "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, indent=1, ensure_ascii=False) + "\n"


def main(check):
    wanted = {LESSONS / f"{p.stem}.ipynb": notebook(p.read_text()) for p in sorted((LESSONS / "text").glob("*.md"))}
    stale = [p for p, text in wanted.items() if not p.exists() or p.read_text() != text]
    stale += sorted(set(LESSONS.glob("*.ipynb")) - set(wanted))
    for path in stale:
        if check:
            print(f"{path.relative_to(LESSONS.parent)} is not what lessons/text makes: python tools/make_lessons.py")
        elif path in wanted:
            path.write_text(wanted[path])
        else:
            path.unlink()
    return int(check and bool(stale))


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    sys.exit(main(bool(sys.argv[1:])))
