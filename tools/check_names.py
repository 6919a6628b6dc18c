#!/usr/bin/env python3
"""One set of names: what Python calls as cuprite.NAME, C calls as cp_NAME, and the other way round.

    tools/check_names.py [--check]       exits 1 with a line for each name that only one of the two has

Python's names are those of the function rows, of the tables of operations and reductions, and of the functions written in
Python; C's are those of the public headers, written and generated (BUILD is the build folder, `build` by default). What
must differ stands below with its reason; a name there that need not be there is a breach too.
"""
import ast
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tools" / "generate")]
import headers  # noqa: E402
from functions import read_functions  # noqa: E402
from stubs import operations  # noqa: E402
from table import read, read_embedded  # noqa: E402

OBJECTS = "makes arrays of Python's objects, or such objects of arrays"
TEXT = "text is NumPy's in Python"
LATER = "written in Python: to become a composite in C"
PYTHON_ONLY = {
    **dict.fromkeys("array asarray asanyarray asnumpy get_array_module".split(), OBJECTS),
    **dict.fromkeys("array_str array_repr array2string".split(), TEXT),
    **dict.fromkeys("isscalar result_type shape ndim size iscomplexobj isrealobj".split(), "about Python's objects"),
    **dict.fromkeys("is_available get_default_memory_pool get_default_pinned_memory_pool install_as_cupy".split(),
                    "Python's face of devices and pools"),
}
# Python's name -> C's
OTHER_NAMES = {
    "ascontiguousarray": "contiguous", "real": "real_part", "imag": "imag_part", "copyto": "assign", "promote_types": "promote",
    "mean": "mean_labels", "variance": "variance_labels", "standard_deviation": "std_labels", "minimum": "minimum_labels",
    "maximum": "maximum_labels",
}
C_ONLY = {}


class Tables:
    def __init__(self):
        self.rows = []
        for path in sorted([*(ROOT / "src").rglob("*"), *(ROOT / "python/src").glob("*.c")]):
            if path.suffix == ".def" and not path.read_text().lstrip().startswith("/*"):
                self.rows += read(path.read_text(), str(path.relative_to(ROOT)))
            elif path.suffix in {".c", ".cu"} and "/*:" in path.read_text():
                self.rows += read_embedded(path.read_text(), str(path.relative_to(ROOT)))

    def of(self, kind):
        return [row for row in self.rows if row.kind == kind]


def written_in_python():
    names = []
    for name in ("_shaping.py", "__init__.py"):
        tree = ast.parse((ROOT / "python/cuprite" / name).read_text())
        names += [n.name for n in tree.body if isinstance(n, ast.FunctionDef) and not n.name.startswith("_")]
    return names


print([f.name for f in read_functions(Tables())])
