"""Expands the tables into plain C, CUDA C++ and headers: what a person could have written, once a type.

    python tools/generate OUT        writes OUT/include, OUT/src, OUT/python; CMake runs it when it configures

Every module beside this one that has a function `write(tables, out)` makes the files of one room. A file is written
only when its text is another than before, so that nothing is compiled again without need; a file that nobody makes any
more is removed.
"""
import importlib
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))

from table import TableError, Tables  # noqa: E402


class Out:
    """Where generated files go. Every one opens with a line that says where it comes from."""

    def __init__(self, folder):
        self.folder, self.written = pathlib.Path(folder), set()

    def write(self, name, source, text):
        """OUT/name, made from `source` (a table's path, or several)."""
        said = f"Made from {source} by tools/generate; not to be edited."
        comment = f"# {said}\n" if name.endswith((".py", ".pyi")) else f"/* {said} */\n"
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        full = comment + text.rstrip("\n") + "\n"
        if not path.exists() or path.read_text() != full:
            path.write_text(full)
        self.written.add(path)

    def sweep(self):
        for path in sorted(self.folder.rglob("*")):
            if path.is_file() and path not in self.written:
                path.unlink()


def main(folder):
    tables, out = Tables(ROOT), Out(folder)
    for path in sorted(HERE.glob("*.py"), key=lambda path: (path.stem == "contract", path)):
        if path.stem in {"__main__", "table", "kinds"}:
            continue
        module = importlib.import_module(path.stem)
        if hasattr(module, "write"):
            module.write(tables, out)
    out.sweep()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        main(sys.argv[1])
    except TableError as e:
        sys.exit(f"generate: {e}")
