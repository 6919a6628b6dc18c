"""The command `cuprite` of a wheel: runs the program that lies in the package, and `cuprite lesson` in this Python."""
import os
import pathlib
import sys


def main():
    if sys.argv[1:2] == ["lesson"]:
        from cuprite import _lessons
        return _lessons.main(sys.argv[2:])
    program = pathlib.Path(__file__).parent / "bin" / "cuprite"
    try:
        os.execv(program, ["cuprite", *sys.argv[1:]])
    except OSError as e:
        sys.exit(f"cuprite: {program}: {e.strerror}")
