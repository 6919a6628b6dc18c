"""Call overhead on small arrays against NumPy: nanoseconds a call, best of several rounds taken in turns.

    PYTHONPATH=build/python python bench/bench_overhead.py [--device cpu]
"""
import argparse
import subprocess
import sys
import timeit

CASES = [
    ("x + x, one element", "x + x", "x = xp.ones(1)"),
    ("x + 1", "x + 1", "x = xp.ones(1)"),
    ("x += x", "x += x", "x = xp.zeros(1)"),
    ("-x", "-x", "x = xp.ones(1)"),
    ("x[1:50]", "x[1:50]", "x = xp.ones(100)"),
    ("x[3]", "x[3]", "x = xp.ones((100, 3))"),
    ("x[1:5, ::2]", "x[1:5, ::2]", "x = xp.ones((100, 3))"),
    ("x[3] = 1", "x[3] = 1.0", "x = xp.ones(100)"),
    ("x.reshape(2, 5)", "x.reshape(2, 5)", "x = xp.ones(10)"),
    ("x.T", "x.T", "x = xp.ones((10, 3))"),
    ("x.sum() of 10", "x.sum()", "x = xp.ones(10)"),
    ("sqrt(x)", "f(x)", "x = xp.ones(1); f = xp.sqrt"),
    ("add(x, x, out=x)", "f(x, x, out=x)", "x = xp.zeros(1); f = xp.add"),
    ("empty(10)", "f(10)", "f = xp.empty"),
    ("zeros((3, 3))", "f((3, 3))", "f = xp.zeros"),
    ("x.shape", "x.shape", "x = xp.ones((10, 3))"),
    ("float(x)", "float(x)", "x = xp.ones(())"),
    ("median of 10", "f(x)", "x = xp.ones(10); f = xp.median"),
]


def best(statement, setup, xp, n):
    return min(timeit.Timer(statement, setup, globals={"xp": xp}).repeat(3, n)) / n * 1e9


def import_milliseconds():
    code = "import time; t = time.perf_counter(); import cuprite; print((time.perf_counter() - t) * 1e3)"
    return min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
               for _ in range(10))


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--device", default="cpu")
    p.add_argument("--rounds", type=int, default=7)
    p.add_argument("-n", type=int, default=20000)
    a = p.parse_args()
    import numpy
    import cuprite
    cuprite.cuda.Device(a.device).use()
    print(f"{'':24s}{'Cuprite ns':>12s}{'NumPy ns':>12s}{'ratio':>8s}")
    for name, statement, setup in CASES:
        ours = theirs = float("inf")
        for _ in range(a.rounds):
            ours = min(ours, best(statement, setup, cuprite, a.n))
            theirs = min(theirs, best(statement, setup, numpy, a.n))
        print(f"{name:24s}{ours:12.0f}{theirs:12.0f}{ours / theirs:8.2f}", flush=True)
    print(f"import cuprite: {import_milliseconds():.1f} ms")


if __name__ == "__main__":
    main()
