"""How long kernels of the user's take to compile on the CPU, and to load when they were compiled before.

    PYTHONPATH=build/python python bench/kernels_compile.py [-k NAME] [-r ROUNDS] [--parts]

Each round is a process of its own with an empty cache (but for the device headers, which are written once), then one
that finds the kernel there. The least of all rounds counts, by the clock. --parts runs the compiler's stages on the
translated text: reading (-fsyntax-only), all up to assembly (-S), and the whole. Bars: 90 ms and 2 ms.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROWS = ["add", "exponential", "stencil 2-d, 16 x 16", "transpose, 32 x 8", "product, 16 x 16", "reduction, sequential",
        "reduction, shuffles", "reduction, tiles", "scan, Hillis and Steele"]
PROGRAM = """
import resource, sys, time
def used():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
sys.path.insert(0, {folder!r})
import cuprite as cp
from kernels_tables import CASES
cp.RawModule(code='extern "C" __global__ void warm(int *y) {{ y[threadIdx.x] = 1; }}').get_function("warm")
k = cp.RawKernel(CASES[{name!r}][3], "k", options=("--std=c++17",))
start, before = time.perf_counter(), used()
k.compile()
print((time.perf_counter() - start) * 1e3, (used() - before) * 1e3)
"""


def milliseconds(name, cache, text=None):
    """Of the compilation in a new process: by the clock, and of processors."""
    environment = {**os.environ, "CUPRITE_CACHE_DIR": str(cache)}
    if text:
        environment["CUPRITE_KERNEL_TEXT"] = str(text)
    program = PROGRAM.format(folder=str(pathlib.Path(__file__).parent), name=name)
    return [float(v) for v in subprocess.run([sys.executable, "-c", program], env=environment, check=True,
                                             stdout=subprocess.PIPE, text=True).stdout.split()]


def stages(text, headers, rounds):
    """The least milliseconds of the compiler's stages."""
    common = [os.environ.get("CUPRITE_CXX", "g++"), "-std=c++17", "-O3", "-march=native", "-fPIC", "-w",
              "-fno-exceptions", "-fno-rtti", "-fno-strict-aliasing", "-fno-math-errno", "-fno-trapping-math",
              "-ffp-contract=fast", "-D__CUDACC__=1", "-D__CUDA_ARCH__=900", f"-I{headers}", str(text)]
    found = []
    for last in (["-fsyntax-only"], ["-S", "-o", "/dev/null"], ["-c", "-o", f"{text}.o"]):
        best = float("inf")
        for _ in range(rounds):
            start = time.perf_counter()
            subprocess.run(common + last, check=True)
            best = min(best, time.perf_counter() - start)
        found.append(best * 1e3)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("-k", default="", help="only rows whose names contain this")
    parser.add_argument("-r", type=int, default=5, help="rounds")
    parser.add_argument("--parts", action="store_true")
    asked = parser.parse_args()
    for name in (name for name in ROWS if asked.k in name):
        first, again = [], []
        with tempfile.TemporaryDirectory() as folder:
            text = pathlib.Path(folder) / "kernel.cpp"
            for k in range(asked.r):
                cache = pathlib.Path(folder) / str(k)
                first.append(milliseconds(name, cache, text))
                again.append(milliseconds(name, cache))
            parts = ""
            if asked.parts:
                headers = next((pathlib.Path(folder) / "0").glob("headers-*"))
                parts = "   read {:.0f}, to assembly {:.0f}, to an object {:.0f}".format(
                    *stages(text, headers, asked.r))
        clock, used, cached = min(v[0] for v in first), min(v[1] for v in first), min(v[0] for v in again)
        print(f"{name:28} first {clock:7.1f} ms, {used:7.1f} of a processor   cached {cached:6.2f} ms{parts}",
              flush=True)


if __name__ == "__main__":
    main()
