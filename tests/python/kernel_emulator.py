"""What drawn kernels leave by tests/kernels/emulator.h, compared with what the library's leave. The programs of a range
of numbers: python tests/python/kernel_emulator.py FIRST LAST, with PYTHONPATH=build/python."""
import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import cuprite as cp
import drawn_kernels

HEADER = pathlib.Path(__file__).resolve().parents[1] / "kernels/emulator.h"
COMPILER = shutil.which(os.environ.get("CUPRITE_CXX") or "g++") or shutil.which("clang++")
KERNELS, ELEMENTS, BINS = 8, 65536, 256
RUN = """
static const int *X;
static int *Y, *Z, N_, M_;
%s
static void (*const bodies_[])() = {%s};
extern "C" void run_(int k, const unsigned *g, const unsigned *b, const int *x, int *y, int *z, int n, int m)
{
    X = x, Y = y, Z = z, N_ = n, M_ = m;
    emulated::launch(bodies_[k], g, b);
}
"""


def emulated(source, name, folder):
    """The program as a library whose function run_ launches one of its kernels."""
    text = re.sub(r"extern __shared__ int (\w+)\[\];", r"int *const \1 = (int *)emulated::dynamic;", source)
    bodies = "\n".join(f"static void b{k}_() {{ k{k}(X, Y, Z, N_, M_); }}" for k in range(KERNELS))
    made, path = folder / f"{name}.so", folder / f"{name}.cpp"
    path.write_text(f'#include "{HEADER}"\n#define DYNAMIC(T, name) T *const name = (T *)emulated::dynamic\n{text}'
                    + RUN % (bodies, ", ".join(f"b{k}_" for k in range(KERNELS))))
    subprocess.run([COMPILER, "-std=c++17", "-O0", "-w", "-shared", "-fPIC", path, "-o", made], check=True)
    return ctypes.CDLL(str(made)).run_


def pointer(x):
    return x.ctypes.data_as(ctypes.c_void_p)


def differences(number, folder):
    """What the kernels of a program leave elsewhere than by the emulator: [words]; and their tiers."""
    source, launches = drawn_kernels.program(number, KERNELS)
    run = emulated(source, f"program{number}", folder)
    module = cp.RawModule(code="#define DYNAMIC(T, name) extern __shared__ T name[]\n" + source,
                          options=("--std=c++17",))
    x = np.random.default_rng(number).integers(-50, 1000, 4096).astype("i4")
    device, found, tiers = cp.asarray(x), [], []
    for k, grid, block, n, m in launches:
        right = np.zeros(ELEMENTS, "i4"), np.zeros(BINS, "i4")
        run(k, (ctypes.c_uint * 3)(*grid), (ctypes.c_uint * 3)(*block), pointer(x), *map(pointer, right), n, m)
        ours = [cp.zeros(len(a), "i4") for a in right]
        f = module.get_function(f"k{k}")
        f(grid, block, (device, *ours, np.int32(n), np.int32(m)), shared_mem=1024)
        tiers.append(f.kernel.tier)
        for name, a, b in zip("yz", right, [o.get() for o in ours]):
            at = np.flatnonzero(a != b)[:4]
            if len(at):
                found.append(f"program {number}: k{k} ({tiers[-1]}), grid {grid}, block {block}, n={n}, m={m}: {name} "
                             f"at {at} is {b[at]}, not {a[at]}")
    return found, tiers


def main():
    first, last = map(int, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        for number in range(first, last):
            try:
                found, _ = differences(number, pathlib.Path(folder))
            except cp.cuda.compiler.CompileException as e:
                found = [f"program {number}: {e}"]
            for words in found:
                print(words, flush=True)


if __name__ == "__main__":
    main()
