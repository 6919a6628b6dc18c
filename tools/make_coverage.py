#!/usr/bin/env python3
"""Writes docs/coverage.md: how many of CuPy's public names are there, by namespace, and which are not.

    tools/make_coverage.py             writes the page
    tools/make_coverage.py --check     exits 1 where the page is not what the package has

tools/cupy_names.txt is the list of CuPy's names: a line `[namespace]`, then its names. A member of a class
(ndarray.sum) counts in the namespace of its class. `cupy.X` and `cupyx.X` are looked up as cuprite.X. The page is of
the built package on the path, as in PYTHONPATH=build/python tools/make_coverage.py.
"""
import collections
import importlib
import pathlib
import pkgutil
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE, NAMES = ROOT / "docs/coverage.md", ROOT / "tools/cupy_names.txt"
HEAD = """# What is there of CuPy

`tools/make_coverage.py` writes this page from the list of CuPy's names, `tools/cupy_names.txt`, and `make check` says
where it is stale. A name counts that exists with CuPy's meaning, or is there to be imported (the last table). Where its
results differ, [from-numpy.md](from-numpy.md) and [from-cupy.md](from-cupy.md) say so.

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


def listed():
    """{namespace: its names}."""
    found, names = {}, []
    for line in NAMES.read_text().splitlines():
        if line.startswith("["):
            names = found.setdefault(line.strip("[]"), [])
        elif not line.startswith("#"):
            names += line.split()
    return found


def page(spaces):
    absent = {space: [n for n in names if not is_there(f"{space}.{n}")] for space, names in spaces.items()}
    total = sum(map(len, spaces.values()))
    have = total - sum(map(len, absent.values()))
    out = [f"{have} of {total} names are there.", "", "| namespace | there | of | missing |", "|---|---|---|---|"]
    for space, every in sorted(spaces.items()):
        names = absent[space]
        said = "all" if names and len(names) == len(every) else " ".join(n for n in names if "." not in n)
        out.append(f"| `{space}` | {len(every) - len(names)} | {len(every)} | {said} |")
    return HEAD + "\n".join(out) + "\n" + placeholders()


def missing(text):
    """The names that a page calls missing; for a whole namespace its own name."""
    rows = re.findall(r"^\| `(\S+)` \| \d+ \| \d+ \| (.*) \|$", text, re.M)
    return {space if names == "all" else f"{space}.{n}" for space, names in rows for n in names.split()}


def difference(old, new):
    """What makes the page `old` stale."""
    arrived, lost = sorted(missing(old) - missing(new)), sorted(missing(new) - missing(old))
    said = [f"calls {', '.join(arrived)} missing"] * bool(arrived) + [f"does not miss {', '.join(lost)}"] * bool(lost)
    return " and ".join(said) or "is not what tools/cupy_names.txt and the package give"


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    old, new = PAGE.read_text() if PAGE.exists() else "", page(listed())
    if old == new:
        return
    if sys.argv[1:]:
        sys.exit(f"docs/coverage.md {difference(old, new)}: run tools/make_coverage.py (PYTHONPATH=build/python)")
    PAGE.write_text(new)


if __name__ == "__main__":
    main()
