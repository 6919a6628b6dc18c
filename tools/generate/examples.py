"""Examples of functions and ufuncs, from examples.txt: a section of their docstrings. Those of functions that are
written in Python stand in their docstrings.

Invariant: an example is a call and what Python shows of its result; tests/python/test_examples.py runs every one.
"""
import functools
import pathlib

TABLE = pathlib.Path(__file__).with_name("examples.txt")


@functools.cache
def read():
    """Full name below cuprite -> the lines of its example."""
    blocks = TABLE.read_text().strip().split("\n\n")
    return {lines[0]: lines[1:] for lines in (b.split("\n") for b in blocks if not b.startswith("#"))}


def section(module, names):
    """The section `Example:` of the function of a module that has these names, or nothing."""
    prefix = module.strip("_") + "." if module else ""
    lines = next((read()[prefix + n] for n in names if prefix + n in read()), None)
    return "" if lines is None else "\n\nExample:\n" + "\n".join("    " + line if line else "" for line in lines)


def write(tables, out):
    """python/examples.c: those of ufuncs, whose docstrings are put together when they are asked for."""
    from functions import quoted  # which imports this
    known = {}
    for row in tables.of("operation"):
        if not row.get("hidden"):
            known[row.args[0]] = section(row.get("module") or "", [row.args[0], *row.get("aliases", [])])
    rows = "".join(f'    if (strcmp(name, "{name}") == 0) return\n        {quoted(text)};\n'
                   for name, text in sorted(known.items()) if text)
    out.write("python/examples.c", "tools/generate/examples.txt",
              '#include "ufunc.h"\n\n#include <string.h>\n\n'
              f'const char *cpy_example_of(const char *name)\n{{\n{rows}    return "";\n}}\n')
