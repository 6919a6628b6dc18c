"""The command `cuprite` of a wheel: runs the program that lies in the package, or in the build folder of an editable
installation, and `cuprite lesson` in this Python. The program finds the libraries of other packages where Python does.
"""
import os
import pathlib
import sys


def _program():
    package = pathlib.Path(__file__).absolute().parent
    inside, built = package / "bin" / "cuprite", package.parent.parent / "bin" / "cuprite"
    return inside if inside.exists() or not built.exists() else built


def _library_path():
    """CUPRITE_LIBRARY_PATH with the folders of OpenBLAS and of NVIDIA's libraries that pip installed."""
    found = [os.environ["CUPRITE_LIBRARY_PATH"]] if os.environ.get("CUPRITE_LIBRARY_PATH") else []
    for folder in map(pathlib.Path, sys.path):
        if (folder / "scipy_openblas64").is_dir():
            found.append(folder)
        found += sorted(folder.glob("nvidia/*/lib"))
    return os.pathsep.join(map(str, found))


def main():
    if sys.argv[1:2] == ["lesson"]:
        from cuprite import _lessons
        return _lessons.main(sys.argv[2:])
    program = _program()
    try:
        os.execve(program, ["cuprite", *sys.argv[1:]], {**os.environ, "CUPRITE_LIBRARY_PATH": _library_path()})
    except OSError as e:
        sys.exit(f"cuprite: {program}: {e.strerror}")
