#!/usr/bin/env python3
"""Writes docs/coverage.md: how many of CuPy's public names are there, by namespace, and which are not.

    tools/make_coverage.py NAMES       NAMES: lines `cupy.linalg.norm<TAB>kind...`, of which only the name is read
    tools/make_coverage.py --check     whether none of the names that the page calls missing is there

`cupy.X` and `cupyx.X` are looked up as cuprite.X. PYTHONPATH names the built package. A name of a class's member
(cupy.ndarray.sum) has the kind `member` and counts in its namespace.
"""
import collections
import importlib
import pathlib
import pkgutil
import re
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs/coverage.md"
HEAD = """# What is there of CuPy

`tools/make_coverage.py` writes this page; `make check` fails where a name below is there after all. A name counts that
exists with CuPy's meaning, or is there to be imported (the last table). Where its results differ,
[from-numpy.md](from-numpy.md) and [from-cupy.md](from-cupy.md) say so.

`cuprite.X` is `cupy.X`, `cuprite.scipy` is `cupyx.scipy`. The names of NumPy that CuPy lacks are in
[python-reference.md](python-reference.md); what there is of Numba is in [from-numba.md](from-numba.md).

A name that is missing has not been written yet. It is an `AttributeError`, an `ImportError` or a `ModuleNotFoundError`,
which names the nearest one that is there.

"""
PLACEHOLDERS = """
## There to be imported

Programs can import these names. A call raises `NotImplementedError`, which says what does the same here.

| namespace | names | instead |
|---|---|---|
"""


def is_there(name):
    path = name.split(".")[1:]
    thing, module = importlib.import_module("cuprite"), "cuprite"
    for part in path:
        module += "." + part
        try:
            thing = getattr(thing, part)
        except AttributeError:
            try:
                thing = importlib.import_module(module)
            except ImportError:
                return False
    return True


def spaces(name="cuprite"):
    yield name
    for found in pkgutil.iter_modules(getattr(importlib.import_module(name), "__path__", [])):
        if not found.name.startswith("_"):
            yield from spaces(f"{name}.{found.name}")


def placeholders():
    """The page's part about names that are there and do nothing, by what they say of themselves."""
    text = PLACEHOLDERS
    for space in spaces():
        module, found = importlib.import_module(space), collections.defaultdict(list)
        for name in dir(module):
            said = getattr(getattr(module, name), "__doc__", None)
            if not name.startswith("_") and isinstance(said, str) and said.startswith("Not there: "):
                found[said.split("\n")[0].removeprefix("Not there: ").removeprefix("NotImplementedError.")].append(name)
        for said, names in sorted(found.items()):
            text += f"| `{space.replace('cuprite', 'cupy', 1)}` | {' '.join(names)} | {said.strip().rstrip('.')} |\n"
    return text


def page(lines):
    listed, absent = collections.Counter(), collections.defaultdict(list)
    for line in lines:
        name, _, kind = line.rstrip("\n").partition("\t")
        if line.startswith("#") or name.endswith(".annotations"):  # of `from __future__ import annotations`
            continue
        depth = -2 if kind.startswith("member") else -1
        space = ".".join(name.split(".")[:depth])
        listed[space] += 1
        if not is_there(name):
            absent[space].append(name.removeprefix(space + "."))
    total = sum(listed.values())
    have = total - sum(map(len, absent.values()))
    out = [f"{have} of {total} names are there.", "", "| namespace | there | of | missing |", "|---|---|---|---|"]
    for space in sorted(listed):
        names = absent[space]
        said = "all" if names and len(names) == listed[space] else " ".join(n for n in names if "." not in n)
        out.append(f"| `{space}` | {listed[space] - len(names)} | {listed[space]} | {said} |")
    return HEAD + "\n".join(out) + "\n" + placeholders()


def arrived(text):
    """The names that the page calls missing and that are there."""
    for space, there, of, names in re.findall(r"^\| `(\S+)` \| (\d+) \| (\d+) \| (.*) \|$", text, re.M):
        if names == "all" and is_there(space):
            module = importlib.import_module("cuprite" + space[space.index("."):] if "." in space else "cuprite")
            found = [n for n in dir(module) if not n.startswith("_")]
            yield from [f"{space}.{found[0]}"] if found else []
        elif names != "all":
            yield from (f"{space}.{n}" for n in names.split() if is_there(f"{space}.{n}"))


def main():
    if sys.argv[1:] == ["--check"]:
        found = list(arrived(PAGE.read_text()))
        if found:
            sys.exit(f"docs/coverage.md calls {', '.join(found)} missing: run tools/make_coverage.py")
        sys.exit(0 if PAGE.read_text().endswith(placeholders()) else "docs/coverage.md: other names are there to be "
                 "imported; tools/make_coverage.py writes it")
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1]) as lines:
        PAGE.write_text(page(lines))


if __name__ == "__main__":
    main()
