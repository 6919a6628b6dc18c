"""python -m cuprite program.py [arguments]: runs a program of CuPy's with Cuprite standing for cupy and cupyx, and for
numba where Numba does not import."""
import os
import runpy
import sys


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print("usage: python -m cuprite program.py [arguments]\n\n"
              "Runs the program with `cupy` and `cupyx` standing for Cuprite, and `numba` for cuprite.numba "
              "where Numba is not installed.")
        return 0 if len(sys.argv) > 1 else 2
    from cuprite._alias import install
    install()
    program = sys.argv[1]
    if not os.path.exists(program):
        print(f"python -m cuprite: can't open file {program!r}: no such file", file=sys.stderr)
        return 2
    sys.argv = sys.argv[1:]
    sys.path[0] = os.path.dirname(os.path.abspath(program))
    runpy.run_path(program, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
