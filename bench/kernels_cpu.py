"""Forty kernels of the user's on the CPU: against the same work as plain loops in C++, one thread against one, and
against Numba's parallel loops and its simulator of CUDA.

    PYTHONPATH=build/python python bench/kernels_cpu.py [-o FILE] [-k NAME] [-r ROUNDS] [--no-numba] [--note TEXT]

The loops are compiled by the machine's g++ with -O3 -march=native. Both are timed in turns, by the CPU time of the
calling thread, and the least of all rounds counts, so that other programs disturb little. Results are compared first.
Numba's loops (kernels_numba.py) are timed with all threads of both, by the clock; its simulator by one block, times
the blocks. Without -k the results are bench/results/kernels/native-MACHINE.json; tools/results.py writes the page.
Bars: 1.2 for loops, 2 for kernels with barriers.
"""
import argparse
import ctypes
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

import kernels_all
from kernels_tables import CASES

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


def check(name, words, device, host, other=0.0):
    """The results of two functions are the same, but for roundings, and for this share of the elements."""
    for a, b, word in zip(device, host, words.split(", ")):
        if word[0] == "o" and np.isclose(a.get(), b, 2e-3, 1e-3).mean() < 1 - other:
            np.testing.assert_allclose(a.get(), b, rtol=2e-3, atol=1e-3, err_msg=name)


def one(cp, folder, number, name, rounds):
    """Tier, milliseconds of ours and of C++, and the ratio."""
    words, grid, block, cuda, cpp = CASES[name]
    host = arguments(words)
    k = cp.RawKernel(cuda, "k", options=("--std=c++17",))
    device = [cp.asarray(v) if isinstance(v, np.ndarray) else v for v in host]
    f, passed = native(folder, number, cpp), pointers(host)
    k(grid, block, device)
    f(*passed)
    check(name, words, device, host)
    ours, theirs = least([lambda: k(grid, block, device), lambda: f(*passed)], rounds, time.thread_time)
    return k.kernel.tier, ours * 1e3, theirs * 1e3, ours / theirs


def with_numba(asked, rounds):
    """name -> milliseconds of ours and of Numba's loop with all threads, of the simulator; {} without Numba."""
    if not importlib.util.find_spec("numba"):
        print("Numba is not installed: not compared")
        return {}
    environment = {k: v for k, v in os.environ.items() if k != "CUPRITE_NUM_THREADS"}
    command = [sys.executable, pathlib.Path(__file__).parent / "kernels_numba.py", str(rounds), asked]
    out = subprocess.run(command, env={**environment, "NUMBA_ENABLE_CUDASIM": "1"}, stdout=subprocess.PIPE, text=True)
    if out.returncode:
        sys.exit("kernels_numba.py failed")
    return {name: figures for name, *figures in map(json.loads, out.stdout.splitlines())}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("-k", default="", help="only rows whose names contain this; prints, and writes no file")
    parser.add_argument("-r", type=int, default=15, help="rounds")
    parser.add_argument("-o", help="the file of results")
    parser.add_argument("--note", default="", help="what the page is to say of this run")
    parser.add_argument("--no-numba", action="store_true")
    asked = parser.parse_args()
    load = os.getloadavg()[0]
    os.environ["CUPRITE_NUM_THREADS"] = "1"  # read when threads are first used
    import cuprite as cp
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate(name for name in CASES if asked.k in name):
            tier, ours, theirs, ratio = one(cp, pathlib.Path(folder), number, name, asked.r)
            rows.append({"name": name, "tier": tier, "ours_ms": ours, "native_ms": theirs})
            print(f"{name:28} {tier:8} {ours:9.3f} ms   C++ {theirs:9.3f} ms   {ratio:6.2f}", flush=True)
    mean = np.exp(np.mean([np.log(row["ours_ms"] / row["native_ms"]) for row in rows]))
    print(f"{len(rows)} kernels, geometric mean {mean:.2f}")
    numba = {} if asked.no_numba else with_numba(asked.k, asked.r)
    for row in rows:
        if row["name"] in numba:
            ours, loops, simulator = numba[row["name"]]
            row.update(ours_threads_ms=ours, numba_ms=loops, simulator_ms=simulator)
            print(f"{row['name']:28} {ours:9.3f} ms   Numba {loops:9.3f} ms   simulator "
                  + (f"{simulator / 1e3:9.1f} s" if simulator else "-"))
    if not asked.k:
        kernels_all.record("native", asked, load, "cpu", rows)


if __name__ == "__main__":
    main()
