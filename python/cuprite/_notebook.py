"""Notebooks: running one as a program, and what `%load_ext cuprite` adds to IPython.

A notebook's code cells run in order, in one namespace. Where a cell has lines for IPython (%magic, !command), IPython
runs all of them; without it they are an error that says so. Cells have names in tracebacks, with their lines."""
import json
import linecache
import sys
import types

__all__ = ["load_ipython_extension"]


class NotebookError(Exception):
    """A file that is no notebook, or one that needs IPython; the message is for the user."""


def cells(path):
    """The sources of the code cells of a notebook of format 4 or 3."""
    try:
        with open(path, encoding="utf-8") as file:
            book = json.load(file)
        parts = book["cells"] if "cells" in book else [c for sheet in book["worksheets"] for c in sheet["cells"]]
        found = [c.get("source", c.get("input", "")) for c in parts if c["cell_type"] == "code"]
        return ["".join(s) if isinstance(s, list) else str(s) for s in found]
    except (ValueError, KeyError, TypeError, AttributeError) as e:
        raise NotebookError(f"{path} is no notebook: {type(e).__name__}: {e}") from None


def _for_ipython(text):
    """The first line of a cell that is none of Python's, or None."""
    try:
        compile(text, "cell", "exec")
    except SyntaxError:
        for line in text.splitlines():
            if line.lstrip()[:1] in ("%", "!"):
                return line.strip()
    return None


def _shell():
    try:
        from IPython.core.interactiveshell import InteractiveShell
    except ImportError:
        return None
    return InteractiveShell.instance()


def run(path):
    """Runs a notebook's code cells as a program."""
    sources = cells(path)
    magic = next((line for text in sources if (line := _for_ipython(text))), None)
    if magic is None:
        module = sys.modules["__main__"] = types.ModuleType("__main__")
        module.__file__ = path
        for number, text in enumerate(sources, 1):
            name = f"{path}, cell {number}"
            linecache.cache[name] = (len(text), None, text.splitlines(True), name)
            exec(compile(text, name, "exec"), module.__dict__)
        return
    shell = _shell()
    if shell is None:
        raise NotebookError(f"{path}: {magic!r} is for IPython, which is not installed: pip install ipython")
    for text in sources:
        shell.run_cell(text).raise_error()


def load_ipython_extension(ipython) -> None:
    """`%load_ext cuprite` in IPython: %cuprite_device NAME makes a device current ("cpu", "cuda:1"), %%cuprite_profile
    runs a cell and prints a line for each operation (--report: for each line that copied to the host or waited), and
    %gpu_timeit times a statement.

    Parameters: ipython: the running IPython."""
    from IPython.core.magic import register_cell_magic, register_line_magic

    import cuprite
    from cuprite import profiler

    def cuprite_device(line):
        if line.strip():
            cuprite.cuda.Device(line.strip()).use()
        print(cuprite.cuda.Device())

    def cuprite_profile(line, cell):
        with profiler.record() as r:
            ipython.run_cell(cell)
        print(r.report() if line.strip() == "--report" else r.table(), end="")
    register_line_magic(cuprite_device)
    register_cell_magic(cuprite_profile)
    profiler.load_ipython_extension(ipython)
