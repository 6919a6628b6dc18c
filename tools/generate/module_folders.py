"""Where modules are: the layers, the folder of each module, and the module that a file belongs to.

    python tools/generate/module_folders.py        prints the modules' folders as a CMake list, in their order

src/modules.def lists the modules with their layers. A module's folder is src/LAYER/MODULE, or src/MODULE. A layer that
is one module (ONE_MODULE) is that folder itself. Every tool finds a module's files through this one, so that folders
can move without changes elsewhere. Includes are written MODULE/FILE wherever the folder is: the folders that hold
modules (`include_folders`) are on the include path. Generated files lie in GENERATED/src/MODULE.
"""
import functools
import pathlib
import sys

from table import TableError, read

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCE = "src/modules.def"
LAYERS = ("base", "array", "compiler", "science", "io", "late")  # a layer uses itself and those before it
ONE_MODULE = {"io", "late"}


@functools.cache
def layers(root):
    """{module: layer} in the order of the rows."""
    return {row.args[0]: row.get("layer") for row in read((root / SOURCE).read_text(), SOURCE)}


def folder(name, root=None):
    """The folder of a module."""
    root = root or ROOT
    inside = root / "src" / (layers(root)[name] or "") / name
    return inside if inside.is_dir() else root / "src" / name


def file(name, root=None):
    """The path of a source that is called MODULE/FILE, as in an include."""
    module, rest = name.split("/", 1)
    return folder(module, root) / rest


def folders(root=None):
    """{module: folder} in the order of the rows."""
    return {name: folder(name, root) for name in layers(root or ROOT)}


def unlisted(root=None):
    """Folders of src where a module would be, that no row names."""
    source = (root or ROOT) / "src"
    groups = [source / layer for layer in LAYERS if layer not in ONE_MODULE and (source / layer).is_dir()]
    found = [p for group in [source, *groups] for p in sorted(group.iterdir()) if p.is_dir() and p not in groups]
    return [p for p in found if p not in folders(root).values()]


def include_folders(root=None):
    """The folders that hold modules: what a compiler gets with -I."""
    return sorted({path.parent for path in folders(root).values()})


def module_of(path):
    """The module of a file below src, by its path alone; None of others."""
    parts = pathlib.PurePath(path).parts
    if "src" not in parts:
        return None
    inside = parts[len(parts) - parts[::-1].index("src"):]
    grouped = inside and inside[0] in LAYERS and inside[0] not in ONE_MODULE
    return inside[grouped] if len(inside) > grouped + 1 else None


if __name__ == "__main__":
    try:
        print(";".join(map(str, folders().values())), end="")
    except TableError as error:
        sys.exit(str(error))
