"""Fused functions: how long after its first call a function's kernel is used, while the main thread keeps calling.

    PYTHONPATH=build/python python bench/take_over.py [--device cuda:0] [--rounds 5]

Each round is a process of its own with an empty cache. Prints medians in milliseconds: of the first call, and of the
time from the first call to the kernel, of the process's first fused function and of its second. The bar is 60 ms on a
GPU.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile

PROGRAM = """
import sys, time
import cuprite as cp
gpu = sys.argv[1] != "cpu"
wait = cp.cuda.Device(0).synchronize if gpu else lambda: None
x, y = cp.arange(1 << 20, dtype="f4") / 1e6, cp.ones(1 << 20, "f4")
first = cp.fuse(lambda x, y: cp.where(x > y, cp.sqrt(x * x + y * y), cp.exp(-x) * y + 0.5))
second = cp.fuse(lambda x, y: (x - y) / (abs(x) + abs(y) + 1) + cp.sin(x) * cp.cos(y))
for f in (first, second):
    wait()
    start = time.perf_counter()
    f(x, y)
    wait()
    called = time.perf_counter() - start
    while not f._programs and time.perf_counter() - start < 20:
        f(x, y)
        wait()
    print(called * 1e3, (time.perf_counter() - start) * 1e3)
"""


def once(device):
    with tempfile.TemporaryDirectory() as empty:
        env = {**os.environ, "CUPRITE_CACHE_DIR": empty, "CUPRITE_DEVICE": device}
        env.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package is compiled to byte code
        r = subprocess.run([sys.executable, "-c", PROGRAM, device], capture_output=True, text=True, check=True, env=env)
    return [float(x) for x in r.stdout.split()]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--device", default="cpu")
    p.add_argument("--rounds", type=int, default=5)
    a = p.parse_args()
    once(a.device)
    rows = [statistics.median(r) for r in zip(*[once(a.device) for _ in range(a.rounds)])]
    print(f"{a.device}: first function: call {rows[0]:.1f} ms, kernel after {rows[1]:.1f} ms; "
          f"second: call {rows[2]:.1f} ms, kernel after {rows[3]:.1f} ms")


if __name__ == "__main__":
    main()
