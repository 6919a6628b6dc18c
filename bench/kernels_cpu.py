"""Forty kernels of the user's on the CPU against the same work as plain loops in C++, one thread against one.

    PYTHONPATH=build/python python bench/kernels_cpu.py [-k NAME] [-r ROUNDS] [--numba]

The loops are compiled by the machine's g++ with -O3 -march=native. Both are timed in turns, by the CPU time of the
calling thread, and the least of all rounds counts, so that other programs disturb little. Results are compared first.
--numba times Numba's parallel loop of the rows that are elementwise, with all threads of both, by the clock. Bars: 1.2
for loops, 2 for kernels with barriers.
"""
import argparse
import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

from kernels_tables import CASES

NUMBA = {"add": "x[i] + y[i]", "triad": "x[i] + np.float32(3) * y[i]", "root": "np.sqrt(x[i] * x[i] + y[i] * y[i])",
         "exponential": "np.exp(-x[i]) * y[i]",
         "choice": "x[i] * y[i] if x[i] > np.float32(0.5) else y[i] - x[i]"}


def arguments(text):
    """NumPy's arrays and numbers for a row's arguments."""
    rng, found = np.random.default_rng(1), []
    for word in text.split(", "):
        kind, _, n = word.rpartition(" ")
        n = int(n)
        found.append({"f": lambda: rng.random(n, "f4"), "d": lambda: rng.random(n), "o": lambda: np.zeros(n, "f4"),
                      "od": lambda: np.zeros(n), "oi": lambda: np.zeros(n, "i4"),
                      "i": lambda: rng.integers(0, 1000, n).astype("i4"), "": lambda: np.int32(n)}[kind]())
    return found


def native(folder, number, text):
    """The C++ function k of the text."""
    source, result = folder / f"{number}.cpp", folder / f"{number}.so"
    source.write_text(f"#include <cmath>\nusing namespace std;\n{text}\n")
    subprocess.run([os.environ.get("CXX", "g++"), "-O3", "-march=native", "-ffp-contract=fast", "-fno-math-errno",
                    "-fno-trapping-math", "-shared", "-fPIC", source, "-o", result], check=True)
    return ctypes.CDLL(str(result)).k


def pointers(values):
    return [v.ctypes.data_as(ctypes.c_void_p) if isinstance(v, np.ndarray) else ctypes.c_int(int(v)) for v in values]


def least(calls, rounds, clock):
    """The least time of each call, made in turns."""
    best = [float("inf")] * len(calls)
    for _ in range(rounds):
        for k, call in enumerate(calls):
            start = clock()
            call()
            best[k] = min(best[k], clock() - start)
    return best


def one(cp, folder, number, name, rounds):
    """Tier, milliseconds of ours and of C++, and the ratio."""
    words, grid, block, cuda, cpp = CASES[name]
    host = arguments(words)
    k = cp.RawKernel(cuda, "k", options=("--std=c++17",))
    device = [cp.asarray(v) if isinstance(v, np.ndarray) else v for v in host]
    f, passed = native(folder, number, cpp), pointers(host)
    k(grid, block, device)
    f(*passed)
    for a, b, word in zip(device, host, words.split(", ")):
        if word[0] == "o":
            np.testing.assert_allclose(a.get(), b, rtol=2e-3, atol=1e-3, err_msg=name)
    ours, theirs = least([lambda: k(grid, block, device), lambda: f(*passed)], rounds, time.thread_time)
    return k.kernel.tier, ours * 1e3, theirs * 1e3, ours / theirs


def with_numba(cp, name, rounds):
    """Seconds of ours and of Numba's parallel loop, with all threads, by the clock."""
    import numba
    space = {"np": np, "numba": numba}
    exec(f"@numba.njit(parallel=True, fastmath=False)\ndef f(x, y, z, n):\n    for i in numba.prange(n):\n"
         f"        z[i] = {NUMBA[name]}\n", space)
    words, grid, block, cuda, _ = CASES[name]
    host = arguments(words)
    device = [cp.asarray(v) if isinstance(v, np.ndarray) else v for v in host]
    k = cp.RawKernel(cuda, "k", options=("--std=c++17",))
    k(grid, block, device)
    space["f"](*host)
    return least([lambda: k(grid, block, device), lambda: space["f"](*host)], rounds, time.perf_counter)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("-k", default="", help="only rows whose names contain this")
    parser.add_argument("-r", type=int, default=15, help="rounds")
    parser.add_argument("--numba", action="store_true")
    asked = parser.parse_args()
    if not asked.numba:
        os.environ["CUPRITE_NUM_THREADS"] = "1"  # read when threads are first used
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    import cuprite as cp
    names = [name for name in CASES if asked.k in name]
    if asked.numba:
        for name in (name for name in names if name in NUMBA):
            ours, theirs = with_numba(cp, name, asked.r)
            print(f"{name:28} {ours * 1e3:9.3f} ms   numba {theirs * 1e3:9.3f} ms   {ours / theirs:6.2f}")
        return
    ratios = {}
    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate(names):
            tier, ours, theirs, ratio = one(cp, pathlib.Path(folder), number, name, asked.r)
            ratios[name] = ratio
            print(f"{name:28} {tier:8} {ours:9.3f} ms   C++ {theirs:9.3f} ms   {ratio:6.2f}", flush=True)
    print(f"{len(ratios)} kernels, geometric mean {np.exp(np.mean(np.log(list(ratios.values())))):.2f}")


if __name__ == "__main__":
    main()
