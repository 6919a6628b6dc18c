#!/usr/bin/env python3
"""Writes docs/python-reference.md from the rows of functions: signatures, summaries and examples. (Parameters, results
and errors are in the docstrings, and on the site: tools/make_site.py.) Needs a build: PYTHONPATH=build/python
tools/make_python.py. (The stubs are generated with the extension: tools/generate/stubs.py.)

    make_python.py [--check]     --check writes nothing and fails where a file is not up to date
"""
import argparse
import importlib
import inspect
import pathlib
import re
import sys
import textwrap

import cuprite as cp
from cuprite import _core
from cuprite._support import ufuncs_of

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools/generate"))

from documentation import example, summary  # noqa: E402



def functions(module):
    return {n: f for n, f in sorted(_core.rows(module).items()) if not n.startswith("_")}


def written(module):
    """What files in Python, which the module's generated one takes in, add to a module of rows."""
    if module.startswith("_"):
        return {}
    m = importlib.import_module("cuprite." + module)
    return {n: f for n, f in ((n, getattr(m, n)) for n in getattr(m, "__all__", dir(m))) if inspect.isfunction(f)}


def ufuncs():
    return {n: f for n, f in sorted(vars(_core).items()) if isinstance(f, cp.ufunc) and f.name == n}


def methods():
    return {n: f for n, f in sorted(vars(cp.ndarray).items())
            if type(f).__name__ == "method_descriptor" and inspect.getdoc(f) and f.__text_signature__}


def attributes():
    return {n: f for n, f in sorted(vars(cp.ndarray).items())
            if type(f).__name__ == "getset_descriptor" and not n.startswith("_") and f.__doc__}


def entry(name, f):
    given = inspect.getdoc(f) or ""
    doc = "\n\n".join(part for part in (summary(given), example(given)) if part)
    shown = str(inspect.signature(f).replace(return_annotation=inspect.Signature.empty))
    shown = re.sub(r"<object object at 0x[0-9a-f]+>", "...", shown)  # a default that says "not given"
    return f"### {name}{shown}\n\n{doc}\n\n"


def item(name, f):
    """A line of the list of ufuncs, and an example where there is one."""
    shown = example(f.__doc__)
    return f"* `{name}`: {f.__doc__.split(chr(10))[2]}\n" + (f"\n{textwrap.indent(shown, '  ')}\n\n" if shown else "")


def page():
    text = "# The Python interface, function by function\n\n"
    text += "Written by tools/make_python.py from the rows of the extension. In examples `cp` is `cuprite`.\n\n"
    text += "## cuprite\n\n" + "".join(entry(n, f) for n, f in functions("").items())
    text += "## cuprite: ufuncs\n\nAll take `(x, ..., /, out=None, *, where=True, casting='same_kind', order='K', "
    text += "dtype=None)`, "
    text += "broadcast, and follow\nNumPy's promotion.\n\n"
    text += "".join(item(n, f) for n, f in ufuncs().items()) + "\n"
    text += "## cuprite.scipy.special: ufuncs\n\n"
    text += "".join(item(n, f) for n, f in sorted(ufuncs_of("scipy.special").items())) + "\n"
    text += "## cuprite.ndarray\n\n" + "".join(f"* `{n}`: {f.__doc__}\n" for n, f in attributes().items()) + "\n"
    text += "".join(entry(n, f) for n, f in methods().items())
    titles = {"_fft": "fft, cuprite.scipy.fft", "scipy.signal": "scipy.signal",
              "scipy.signal.windows": "scipy.signal.windows", "scipy.ndimage": "scipy.ndimage",
              "scipy.sparse": "scipy.sparse", "scipy.sparse.linalg": "scipy.sparse.linalg"}
    for module, title in titles.items():
        all_of = {**functions(module), **written(module)}
        text += f"## cuprite.{title}\n\n" + "".join(entry(n, f) for n, f in sorted(all_of.items()))
    for module in ("linalg", "scipy.linalg", "io"):
        m = importlib.import_module("cuprite." + module)
        text += f"## cuprite.{module}\n\n"
        text += "".join(entry(n, getattr(m, n)) for n in m.__all__ if not isinstance(getattr(m, n), type))
    return text.rstrip() + "\n"


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--check", action="store_true")
    check = p.parse_args().check
    stale = []
    for name, text in (("docs/python-reference.md", page()),):
        path = ROOT / name
        if path.exists() and path.read_text() == text:
            continue
        stale.append(name)
        if not check:
            path.write_text(text)
    print("\n".join(f"{'not up to date' if check else 'wrote'}: {n}" for n in stale) or "up to date")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
