"""Expands the tables into plain C, CUDA C++ and headers, as they would be written by hand for each type.

    python tools/generate OUT                    writes everything: OUT/include, OUT/src, OUT/python
    python tools/generate OUT --list             only writes OUT/sources.txt, the names of the C, CUDA C++ and headers
    python tools/generate OUT --sources          those files, and OUT/sources.stamp, which is always new; OUT/sources.d
                                                 names for the build tool what was read
    python tools/generate OUT --package FOLDER   the generated part of the Python package, OUT/python/cuprite, and
                                                 FOLDER/cuprite: links to it and to python/cuprite; OUT/package.d

CMake runs --list when it configures, and the build runs the others when one of their inputs changed. Every module
beside this one with a function `write(tables, out)` generates the files of one module of src, or with PACKAGE = True a
part of the Python package. Invariant: a file is written only when its content changes, so that nothing is recompiled
without need; a file that is no longer generated is removed.
"""
import importlib
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))

from table import TableError, Tables  # noqa: E402

PACKAGE = "python/cuprite"


class Out:
    """The output folder. Every generated file begins with a line that names its source."""

    def __init__(self, folder, dry=False):
        self.folder, self.dry, self.written = pathlib.Path(folder), dry, set()

    def write(self, name, source, text):
        """OUT/name, made from `source` (a table's path, or several)."""
        said = f"Made from {source} by tools/generate; not to be edited."
        comment = f"# {said}\n" if name.endswith((".py", ".pyi")) else f"/* {said} */\n"
        self.written.add(name)
        if not self.dry:
            self.put(name, comment + text.rstrip("\n") + "\n")

    def put(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)

    def sweep(self, package):
        """Removes files that an earlier run made and this one did not, of the package or of all else."""
        for part in ("include", "src", "python"):
            for path in sorted((self.folder / part).rglob("*")):
                name = str(path.relative_to(self.folder))
                if path.is_file() and name not in self.written and name.startswith(PACKAGE + "/") == package:
                    path.unlink()


class Read:
    """The inputs that were read: files, and folders that were listed (a new file there may be a new input)."""

    def __init__(self, out):
        self.out, self.found = os.path.abspath(out) + os.sep, set(map(str, HERE.glob("*.py")))
        sys.addaudithook(self.hear)

    def hear(self, event, args):
        if event in ("open", "os.scandir", "os.listdir") and isinstance(args[0], (str, os.PathLike)):
            path = os.path.abspath(args[0])
            if path.startswith(str(ROOT) + os.sep) and not path.startswith(self.out) and "__pycache__" not in path:
                self.found.add(path)

    def depfile(self, target, path):
        names = [os.path.abspath(target) + ":", *sorted(self.found)]
        pathlib.Path(path).write_text(" \\\n ".join(n.replace(" ", "\\ ") for n in names) + "\n")


def generate(out, package, tables):
    for path in sorted(HERE.glob("*.py"), key=lambda path: (path.stem == "contract", path)):
        if path.stem in {"__main__", "table", "kinds"}:
            continue
        module = importlib.import_module(path.stem)
        if hasattr(module, "write") and getattr(module, "PACKAGE", False) == package:
            module.write(tables, out)
    if not out.dry:
        out.sweep(package)


def link(out, folder):
    """FOLDER/cuprite as a package: every file a link, so that edits need no build."""
    wanted = {}
    for root in (ROOT / "python", out.folder / "python"):
        for path in sorted((root / "cuprite").rglob("*")):
            if path.suffix in (".py", ".pyi") or path.name == "py.typed":
                wanted[folder / path.relative_to(root)] = path
    for path in (folder / "cuprite").rglob("*"):
        if path.is_symlink() and path not in wanted:
            path.unlink()
    for path, target in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_symlink() or os.readlink(path) != str(target):
            path.unlink(missing_ok=True)
            path.symlink_to(target)


def main(folder, job=None, links=None):
    out, read = Out(os.path.abspath(folder), dry=job == "--list"), Read(folder)
    tables = Tables(ROOT)
    if job in (None, "--list", "--sources"):
        generate(out, False, tables)
        out.put("sources.txt", "".join(f"{name}\n" for name in sorted(out.written)))
    if job == "--sources":
        (out.folder / "sources.stamp").touch()
        read.depfile(out.folder / "sources.stamp", out.folder / "sources.d")
    if job in (None, "--package"):
        generate(out, True, tables)
    if job == "--package":
        link(out, pathlib.Path(os.path.abspath(links)))
        (out.folder / "package.stamp").touch()
        read.depfile(out.folder / "package.stamp", out.folder / "package.d")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3, 4) or sys.argv[2:3] not in ([], ["--list"], ["--sources"], ["--package"]) or \
            (len(sys.argv) == 4) != (sys.argv[2:3] == ["--package"]):
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except TableError as e:
        sys.exit(f"generate: {e}")
