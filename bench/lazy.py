"""The figures of docs/lazy.md: lazily evaluated elementwise operations, against the same function evaluated eagerly and
under `fuse`, on the current device.

    PYTHONPATH=build/python python bench/lazy.py [elements ...]

Late is the lazy array that `cuprite.lazy()` would have made: operations on it are recorded as an expression string and
its operands, and `look` evaluates it by cuprite.fused, which caches the parsed expression and, on a GPU, the kernel.
The target is 1.2 times the fused time for sin(x) + cos(y) / sqrt(z) of 5 x 10^7 float32."""
import statistics
import sys
import time

import cuprite as cp

ROUNDS, SECONDS = 7, 0.15


class Late:
    """An expression: arrays are named on evaluation, in the order of their appearance."""
    __slots__ = ("parts",)

    def __init__(self, parts):
        self.parts = parts

    def look(self):
        names, text = {}, []
        for part in self.parts:
            if type(part) is str:
                text.append(part)
            else:
                text.append(names.setdefault(id(part), (f"a{len(names)}", part))[0])
        return cp.fused("".join(text), **{name: x for name, x in names.values()})


def _parts(x):
    return x.parts if type(x) is Late else (x,) if isinstance(x, cp.ndarray) else (repr(x),)


def _operator(sign):
    return lambda a, b: Late(("(", *_parts(a), sign, *_parts(b), ")"))


for _name, _sign in [("add", "+"), ("sub", "-"), ("mul", "*"), ("truediv", "/"), ("pow", "**")]:
    setattr(Late, f"__{_name}__", _operator(_sign))
    setattr(Late, f"__r{_name}__", lambda a, b, f=_operator(_sign): f(b, a))


class Module:
    """The library's stand-in for a program with lazy operations."""

    def __getattr__(self, name):
        def f(*args):
            parts = [name, "("]
            for k, x in enumerate(args):
                parts += [","] * (k > 0) + list(_parts(x))
            return Late((*parts, ")"))
        setattr(self, name, f)
        return f


LATE = Module()


def waves(xp, x, y, z):
    return xp.sin(x) + xp.cos(y) / xp.sqrt(z)


def steps(xp, x, y, z):
    return (x - y) ** 2 + xp.maximum(x, y)


def ways(f, arrays):
    fused = cp.fuse(lambda x, y, z: f(cp, x, y, z))

    def put_off():
        return f(LATE, *[Late((x,)) for x in arrays]).look()
    return {"as written": lambda: f(cp, *arrays), "fused": lambda: fused(*arrays), "put off": put_off}


def milliseconds(calls, synchronize):
    """The best of alternating rounds."""
    best, times = {}, {}
    for name, call in calls.items():
        start = time.perf_counter()
        call(), synchronize()
        times[name] = max(1, int(SECONDS / ROUNDS / (time.perf_counter() - start)))
    for _ in range(ROUNDS):
        for name, call in calls.items():
            start = time.perf_counter()
            for _ in range(times[name]):
                call()
            synchronize()
            best.setdefault(name, []).append((time.perf_counter() - start) / times[name] * 1e3)
    return {name: (min(t), statistics.median(t)) for name, t in best.items()}


def main():
    from cuprite._compiler.fuse import fusion as _fuse
    device = cp.cuda.Device()
    sizes = [int(float(a)) for a in sys.argv[1:]] or [50_000_000, 10_000_000, 100_000, 1_000, 10]
    print(f"{device}, float32, milliseconds: best (median)")
    for f in (waves, steps):
        for n in sizes:
            calls = ways(f, [(cp.arange(n, dtype="f4") % 97 + k) / 50 for k in (1, 2, 3)])
            results = []
            for _ in range(3):  # until the compiled kernels are used
                results = [call() for call in calls.values()]
                _fuse.wait()
            assert all((r == results[0]).all() for r in results), "a way has another answer"
            took = milliseconds(calls, device.synchronize)
            words = "  ".join(f"{name} {a:.4f} ({b:.4f})" for name, (a, b) in took.items())
            print(f"{f.__name__:6} {n:>9}  {words}  put off / fused {took['put off'][0] / took['fused'][0]:.2f}")


if __name__ == "__main__":
    main()
