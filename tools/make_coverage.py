#!/usr/bin/env python3
"""Writes docs/coverage.md: how many of CuPy's public names are there, by namespace, which are different and how, and
which are not there and why.

    tools/make_coverage.py             writes the page
    tools/make_coverage.py --check     exits 1 where the page is not what the package has

tools/cupy_names.txt is the list of CuPy's names: a line `[namespace]`, then its names. A member of a class
(ndarray.sum) counts in the namespace of its class. `cupy.X` and `cupyx.X` are looked up as cuprite.X. Reasons and
differences are tables of tools/coverage_notes.py; how a name is different is a line of a page, which is quoted. The
page is of the built package on the path, as in PYTHONPATH=build/python tools/make_coverage.py.
"""
import collections
import fnmatch
import importlib
import pathlib
import pkgutil
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from coverage_notes import ABSENT, DIFFERENT  # noqa: E402

PAGE, NAMES = ROOT / "docs/coverage.md", ROOT / "tools/cupy_names.txt"
HEAD = """# What is there of CuPy

`cuprite.X` is `cupy.X`, and `cuprite.scipy` is `cupyx.scipy`. This page lists CuPy's names: how many are there, which
give [other results](#different), and which are [not there, and why](#not-there). A name counts as there that has CuPy's
meaning, or that can be [imported](#there-to-be-imported). The names of NumPy that CuPy lacks are in the
[reference](python-reference.md), and what there is of Numba is in [From Numba](from-numba.md).

"""
AFTER = """
`tools/make_coverage.py` writes this page from lists of names and reasons (`tools/cupy_names.txt`,
`tools/coverage_notes.py`) and from the package.

## Different

The name is there, and in some cases the result is another one than CuPy's.

| names | how | more |
|---|---|---|
"""
MISSING = """
## Not there

A program that asks for such a name gets an `AttributeError`, an `ImportError` or a `ModuleNotFoundError` that names the
nearest one. What is planned will be written; until then SciPy computes it from `x.get()`.

| namespace | names | why |
|---|---|---|
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
        if not found.name.startswith("_") and found.name != "dask":  # which CuPy has not
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


def chosen(patterns, names):
    return [n for n in names if any(fnmatch.fnmatchcase(n, p) for p in patterns.split())]


def reasons(spaces, absent, notes):
    """Rows of the table of missing names; an error where a name has no reason or several, or a reason no name."""
    rows, left = [], {(space, n) for space, names in absent.items() for n in names if "." not in n}
    for place, patterns, why in notes:
        found = [(space, n) for space in sorted(absent) if fnmatch.fnmatchcase(space, place)
                 for n in chosen(patterns, absent[space]) if (space, n) in left]
        if not found:
            raise SystemExit(f"tools/coverage_notes.py: nothing is missing of {place}: {patterns}")
        left -= set(found)
        for space in dict.fromkeys(space for space, _ in found):
            names = [n for at, n in found if at == space]
            every = [n for n in spaces[space] if "." not in n]
            rows.append((space, "all" if len(names) == len(every) else " ".join(names), why))
    if left:
        raise SystemExit(f"tools/coverage_notes.py: no reason for {', '.join(sorted('.'.join(n) for n in left))}")
    return "".join(f"| `{space}` | {names} | {why} |\n" for space, names, why in sorted(rows, key=lambda r: r[0]))


def quoted(page, begins):
    """The sentence of a page that begins so, and the anchor of its section."""
    text = (ROOT / "docs" / page).read_text()
    if text.count(begins) != 1:
        raise SystemExit(f"tools/coverage_notes.py: docs/{page} has {text.count(begins)} lines that begin {begins!r}")
    before, _, after = text.partition(begins)
    heading = re.findall(r"^#+ (.*)$", before, re.M)[-1]
    paragraph = re.split(r"\n\s*\n|\n\* ", begins + after)[0]
    if begins.endswith(".**"):  # a heading in bold: the sentence after it
        paragraph = paragraph[len(begins):]
    sentence = re.split(r"(?<=[.;])\s", " ".join(paragraph.split()))[0]
    slug = re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())
    return sentence.replace("**", "").rstrip(".;:").replace("|", "\\|"), f"{page}#{slug}"


def differences(spaces, notes):
    """Rows of the table of differences, one a line of a page; an error where a row has no name."""
    rows = {}
    for space, patterns, page, begins in notes:
        every = sorted(spaces.get(space, []), key=lambda n: ("." in n, n))  # functions before members
        names = [n for n in chosen(patterns, every) if is_there(f"{space}.{n}")]
        if any(not chosen(p, names) for p in patterns.split()):
            raise SystemExit(f"tools/coverage_notes.py: {space} lacks some of {patterns}")
        shown = patterns.split() if "*" in patterns else names
        rows.setdefault((page, begins), []).append(
            " ".join(f"`{space}.{n}`" if i == 0 else f"`{n}`" for i, n in enumerate(shown)))
    text = ""
    for (page, begins), names in rows.items():
        sentence, where = quoted(page, begins)
        title = {"from-cupy.md": "From CuPy", "from-numpy.md": "From NumPy"}[page]
        text += f"| {', '.join(names)} | {sentence} | [{title}]({where}) |\n"
    return text


def page(spaces, absences=ABSENT, different=DIFFERENT):
    absent = {space: [n for n in names if not is_there(f"{space}.{n}")] for space, names in spaces.items()}
    total = sum(map(len, spaces.values()))
    have = total - sum(map(len, absent.values()))
    out = [f"{have} of {total} names are there.", "", "| namespace | there | of | missing |", "|---|---|---|---|"]
    for space, every in sorted(spaces.items()):
        out.append(f"| `{space}` | {len(every) - len(absent[space])} | {len(every)} | {len(absent[space]) or ''} |")
    missing_rows = reasons(spaces, {space: names for space, names in absent.items() if names}, absences)
    return "".join([HEAD, "\n".join(out), "\n", AFTER, differences(spaces, different), MISSING, missing_rows,
                    placeholders(), special()])


SPECIAL = """
## SciPy's special functions

`cuprite.scipy.special` has {have} of the {all} functions of SciPy 1.17 (`tools/scipy_special_names.txt`), real numbers
and, where SciPy has them, complex ones. {lacking}
"""
ONLY_REAL = """These take real numbers alone, where SciPy has a complex function too:
{names}."""
NOT_THERE = """Not there; SciPy computes them from `x.get()`:
{names}."""


def special():
    """Which of SciPy's special functions are there."""
    from cuprite._support import ufuncs_of
    from cuprite.scipy import special as ours
    text = (ROOT / "tools/scipy_special_names.txt").read_text().partition("\n")[2]
    names, complex_too = (part.split() for part in text.split("complex:"))
    absent = [n for n in names if not hasattr(ours, n)]
    rows = ufuncs_of("scipy.special")
    real = [n for n in complex_too if n in rows and not any("D" in t for t in rows[n].types)]
    lists = ((ONLY_REAL, real), (NOT_THERE, absent))
    lacking = "\n\n".join(text.format(names=wrapped(those)) for text, those in lists if those)
    return SPECIAL.format(have=len(names) - len(absent), all=len(names), lacking=lacking)


def wrapped(names):
    return textwrap.fill(", ".join(f"`{n}`" for n in names), 118, break_on_hyphens=False)


def missing(text):
    """The names that a page calls missing; for a whole namespace its own name."""
    rows = re.findall(r"^\| `(cupy\S*)` \| ([^|`]*) \| .* \|$", text.partition("## There to")[0], re.M)
    rows = [row for row in rows if not row[1].strip().isdigit()]
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
