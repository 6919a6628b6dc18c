"""The kernels that kernels_cpu.py times: CUDA C++ as programs write it, and the same work as plain loops in C++.

The rows are in the files of bench/kernels:

    //: NAME | arguments | grid | block         begins a row: a kernel k follows
    //=                                         a C++ function k with the same arguments follows
    //= OTHER                                   the C++ is that of a row OTHER of the file

An argument is `f N` (float32, values in [0, 1)), `i N` (int32 below 1000), `d N` (float64), `o N`, `oi N` and `od N`
(results, zeros), or a number, which is an int. CASES[name] = (arguments, grid, block, CUDA, C++), in the files' order.
"""
import pathlib
import re

FOLDER = pathlib.Path(__file__).parent / "kernels"
FILES = ["elementwise", "stencils", "transposes", "reductions", "products", "blocks"]


def rows(file):
    """name -> row of one file."""
    found = {}
    for part in re.split(r"(?m)^//: ", (FOLDER / f"{file}.cu").read_text())[1:]:
        head, _, text = part.partition("\n")
        name, arguments, grid, block = head.split(" | ")
        cuda, other, cpp = re.split(r"(?m)^//=(?: (.*))?\n", text)
        cpp = found[other][4] if other else cpp.replace("void k(", 'extern "C" void k(', 1)
        found[name] = (arguments, tuple(map(int, grid.split())), tuple(map(int, block.split())),
                       cuda.replace("__global__ void k(", 'extern "C" __global__ void k(', 1), cpp)
    return found


CASES = {name: row for file in FILES for name, row in rows(file).items()}
