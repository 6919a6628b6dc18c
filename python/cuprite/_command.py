"""The command `cuprite` of a wheel: runs the program that lies in the package."""
import os
import pathlib
import sys


def main():
    program = pathlib.Path(__file__).parent / "bin" / "cuprite"
    try:
        os.execv(program, ["cuprite", *sys.argv[1:]])
    except OSError as e:
        sys.exit(f"cuprite: {program}: {e.strerror}")
