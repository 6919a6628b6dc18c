"""Call overhead: operations on arrays so small that only the way to them counts.

Through run.py like every room (`run.py --module overhead`), or alone, in nanoseconds against NumPy on the CPU:

    PYTHONPATH=build/python python bench/bench_overhead.py
"""
import argparse
import subprocess
import sys
import timeit

from common import Case

# name, statement, what is made beforehand (xp: the library), the same two for PyTorch where it has the operation
# (T: torch; new: float64 on the device)
CASES = [
    ("x + x, one element", "x + x", "x = xp.ones(1)", "x + x", "x = T.ones(1, **new)"),
    ("x + 1", "x + 1", "x = xp.ones(1)", "x + 1", "x = T.ones(1, **new)"),
    ("x += x", "x += x", "x = xp.zeros(1)", "x += x", "x = T.zeros(1, **new)"),
    ("-x", "-x", "x = xp.ones(1)", "-x", "x = T.ones(1, **new)"),
    ("x[1:50]", "x[1:50]", "x = xp.ones(100)", "x[1:50]", "x = T.ones(100, **new)"),
    ("x[3]", "x[3]", "x = xp.ones((100, 3))", "x[3]", "x = T.ones((100, 3), **new)"),
    ("x[1:5, ::2]", "x[1:5, ::2]", "x = xp.ones((100, 3))", "x[1:5, ::2]", "x = T.ones((100, 3), **new)"),
    ("x[3] = 1", "x[3] = 1.0", "x = xp.ones(100)", "x[3] = 1.0", "x = T.ones(100, **new)"),
    ("x.reshape(2, 5)", "x.reshape(2, 5)", "x = xp.ones(10)", "x.reshape(2, 5)", "x = T.ones(10, **new)"),
    ("x.T", "x.T", "x = xp.ones((10, 3))", "x.T", "x = T.ones((10, 3), **new)"),
    ("x.sum() of 10", "x.sum()", "x = xp.ones(10)", "x.sum()", "x = T.ones(10, **new)"),
    ("sqrt(x)", "f(x)", "x = xp.ones(1); f = xp.sqrt", "f(x)", "x = T.ones(1, **new); f = T.sqrt"),
    ("add(x, x, out=x)", "f(x, x, out=x)", "x = xp.zeros(1); f = xp.add", "f(x, x, out=x)",
     "x = T.zeros(1, **new); f = T.add"),
    ("where(c, x, x) of 10", "f(c, x, x)", "x = xp.ones(10); c = x > 0; f = xp.where", "f(c, x, x)",
     "x = T.ones(10, **new); c = x > 0; f = T.where"),
    ("empty(10)", "f(10)", "f = xp.empty", "f(10, **new)", "f = T.empty"),
    ("zeros((3, 3))", "f((3, 3))", "f = xp.zeros", "f((3, 3), **new)", "f = T.zeros"),
    ("x.shape", "x.shape", "x = xp.ones((10, 3))", "x.shape", "x = T.ones((10, 3), **new)"),
    ("float(x)", "float(x)", "x = xp.ones(())", "float(x)", "x = T.ones((), **new)"),
    ("median of 10", "f(x)", "x = xp.ones(10); f = xp.median", "f(x)", "x = T.ones(10, **new); f = T.median"),
]


def call_of(statement, setup, names):
    """A function of no arguments whose body is the statement; `names` are its globals."""
    exec(setup, names)
    exec(f"def call():\n    global x\n    {statement}", names)
    return names["call"]


def cases(b):
    xp = b.cupy if b.gpu else b.np
    for name, statement, setup, torch_statement, torch_setup in CASES:
        peers = {}
        if xp is not None:
            peers.update(b.array_peer(call_of(statement, setup, {"xp": xp})))
        if b.torch is not None:
            new = {"dtype": b.torch.float64, "device": "cuda" if b.gpu else "cpu"}
            peers.update(b.torch_peer(call_of(torch_statement, torch_setup, {"T": b.torch, "new": new})))
        yield Case(name, call_of(statement, setup, {"xp": b.cp}), peers)


def best(statement, setup, xp, n):
    return min(timeit.Timer(statement, setup, globals={"xp": xp}).repeat(3, n)) / n * 1e9


def import_milliseconds():
    code = "import time; t = time.perf_counter(); import cuprite; print((time.perf_counter() - t) * 1e3)"
    return min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
               for _ in range(10))


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--rounds", type=int, default=7)
    p.add_argument("-n", type=int, default=20000)
    a = p.parse_args()
    import numpy
    import cuprite
    cuprite.cuda.Device("cpu").use()
    print(f"{'':24s}{'Cuprite ns':>12s}{'NumPy ns':>12s}{'ratio':>8s}")
    for name, statement, setup, *_ in CASES:
        ours = theirs = float("inf")
        for _ in range(a.rounds):
            ours = min(ours, best(statement, setup, cuprite, a.n))
            theirs = min(theirs, best(statement, setup, numpy, a.n))
        print(f"{name:24s}{ours:12.0f}{theirs:12.0f}{ours / theirs:8.2f}", flush=True)
    print(f"import cuprite: {import_milliseconds():.1f} ms")


if __name__ == "__main__":
    main()
