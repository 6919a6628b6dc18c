"""The modules, from the rows of src/modules.def: include/cuprite/modules.h, which cuprite.h includes, and CPI_MODULES,
in src/backend/modules.h.

Invariant: every folder of src is a module (or a layer of modules: module_folders.py) and every module a folder; the
rows are in the order of layers; every public header belongs to a module, except those that others include or that only
tests need (APART).
"""
import pathlib

import module_folders
from table import read

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCE = "src/modules.def"
APART = {"calls", "testing"}
MADE = {"distributions"}  # by a generator of their own


class Module:
    """A row, read: `headers` are the names of public headers, made or written."""

    def __init__(self, row):
        row.need(["name"], ["layer", "doc"], ["slots", "headers", "header_comment", "uses"])
        self.row, self.name, self.doc, self.layer = row, row.args[0], row.doc, row.layer
        if self.layer not in module_folders.LAYERS:
            raise row.error(f"{self.layer} is no layer; there are {', '.join(module_folders.LAYERS)}")
        self.slots, self.header_comment = row.get("slots", False), row.get("header_comment")
        self.uses = row.get("uses", "").split()
        written = (ROOT / f"include/cuprite/{self.name}.h").exists()
        self.headers = row.get("headers", self.name if written or self.header_comment else "").split()

    @property
    def made_header(self):
        return bool(self.header_comment)


def modules():
    """All modules in their order; a contradiction to the folders is an error."""
    found = [Module(row) for row in read((ROOT / SOURCE).read_text(), SOURCE)]
    claimed = {h: module for module in found for h in module.headers}
    for module in found:
        if not module_folders.folder(module.name, ROOT).is_dir():
            inside = module.name if module.layer in module_folders.ONE_MODULE else f"{module.layer}/{module.name}"
            raise module.row.error(f"there is no folder src/{inside}")
        header = module_folders.file(f"{module.name}/{module.name}.h", ROOT)
        if module.slots and not header.exists():
            raise module.row.error(f"{module.name} has slots: {header.relative_to(ROOT)}, which says them, is not "
                                   "there")
        for name in module.headers:
            if module.made_header and (ROOT / f"include/cuprite/{name}.h").exists():
                raise module.row.error(f"include/cuprite/{name}.h stands where one is made of the rows; "
                                       "`header_comment` says so")
            if not module.made_header and name not in MADE and not (ROOT / f"include/cuprite/{name}.h").exists():
                raise module.row.error(f"there is no header include/cuprite/{name}.h")
    ranks = [module_folders.LAYERS.index(module.layer) for module in found]
    for module, rank, before in zip(found[1:], ranks[1:], ranks):
        if rank < before:
            raise module.row.error(f"{module.name} is of the layer {module.layer} and stands after one of a later "
                                   f"layer")
    for folder in module_folders.unlisted(ROOT):
        raise found[-1].row.error(f"the folder {folder.relative_to(ROOT)} is no module: it needs a row here")
    for path in sorted((ROOT / "include/cuprite").glob("*.h")):
        if path.stem not in claimed and path.stem not in APART:
            raise found[-1].row.error(f"include/cuprite/{path.name} is no module's: name it in the `headers` of one")
    return found


def write(tables, out):
    found = modules()
    includes = "".join(f'#include "cuprite/{name}.h"\n' for module in found for name in module.headers)
    out.write("include/cuprite/modules.h", SOURCE, "/* The public headers of all modules. */\n"
              f"#ifndef CUPRITE_MODULES_H\n#define CUPRITE_MODULES_H\n\n{includes}\n#endif\n")
    layers = [layer for layer in module_folders.LAYERS if any(m.slots and m.layer == layer for m in found)]
    lists = "".join(module_list(f"CPI_MODULES_{layer}", [m.name for m in found if m.slots and m.layer == layer])
                    for layer in layers)
    every, built = ("".join(f" {name}_{layer}(MODULE)" for layer in layers) for name in ("CPI_MODULES", "CPI_BUILT"))
    choice = "".join(f"#if CPI_LAYERS >= {module_folders.LAYERS.index(layer)}\n"
                     f"#define CPI_BUILT_{layer} CPI_MODULES_{layer}\n#else\n#define CPI_BUILT_{layer}(MODULE)\n"
                     "#endif\n" for layer in layers)
    out.write("src/backend/modules.h", SOURCE,
              "/* The modules whose slots a backend fills: for each of them struct cpi_MODULE_ops, of"
              " which a backend NAME has one, called\n * cpi_MODULE_NAME. CPI_BUILT_MODULES are those of the layers"
              " in this library: a library of the lower layers alone (CMake's\n * target cuprite-array and others) is"
              " compiled with CPI_LAYERS, the rank of its highest layer. */\n"
              "#ifndef CPI_BACKEND_MODULES_H\n#define CPI_BACKEND_MODULES_H\n\n"
              f"#ifndef CPI_LAYERS\n#define CPI_LAYERS {len(module_folders.LAYERS)}\n#endif\n\n{lists}"
              f"#define CPI_MODULES(MODULE){every}\n\n{choice}#define CPI_BUILT_MODULES(MODULE){built}\n\n#endif\n")


def module_list(macro, names):
    listed = " \\\n    ".join(f"MODULE({name})" for name in names)
    return f"#define {macro}(MODULE) \\\n    {listed}\n\n"
