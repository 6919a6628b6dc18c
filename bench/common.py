"""Shared by the benchmarks: peers, timing, floors, the table of results.

A benchmark file bench_MODULE.py has a function `cases(b)` that yields Case objects for the device `b.device`
("cpu" or "gpu"): one callable of ours and one for each peer that has the operation, on data prepared beforehand.
Figures are milliseconds a call, back to back (a batch of calls, then one wait), median of the batches; our batches and
the peers' alternate, so that a busy machine slows all of them. `best` is the fastest peer over ours.
"""
import dataclasses
import os
import statistics
import time

# Measured peak rates of the two machines of bench/results, bytes/s and operations/s: copies (read +
# write) for bytes, fused multiply-adds for operations. Floors of another machine are wrong by its ratio to them.
CEILINGS = {
    "gpu": {"bytes": 4.30e12, "f64": 33.5e12, "f32": 50.8e12},
    "cpu": {"bytes": 43e9, "f64": 175e9, "f32": 351e9},
}


@dataclasses.dataclass
class Case:
    name: str
    ours: object                       # callable
    peers: dict = dataclasses.field(default_factory=dict)   # name -> callable, or None if the peer lacks it
    bytes: float = 0                   # least bytes that must move
    operations: float = 0              # least arithmetic operations
    kind: str = "f64"                  # arithmetic that the operations are
    bar: float = 0                     # target: times faster than `against`
    against: str = ""                  # peer of the target


class Bench:
    """The libraries of one device, and its synchronization."""

    def __init__(self, device, threads=2, sizes=None):
        self.only = sizes                  # the requested numbers of elements; None: all
        os.environ["CUPRITE_DEVICE"] = "cuda:0" if device == "gpu" else "cpu"  # read when the first array is made
        import numpy
        import cuprite
        self.device, self.np, self.cp = device, numpy, cuprite
        self.gpu = device == "gpu"
        self.cupy = self.torch = None
        try:
            import torch
            torch.set_num_threads(threads)
            self.torch = torch if not self.gpu or torch.cuda.is_available() else None
        except Exception:
            pass
        if self.gpu:
            try:
                import cupy
                self.cupy = cupy
            except Exception:
                pass
        else:
            os.environ.setdefault("OMP_NUM_THREADS", str(threads))

    def sizes(self, all):
        """The requested sizes out of a module's."""
        return [n for n in all if self.only is None or n in self.only]

    def ours(self, a):
        return self.cp.asarray(a)

    def theirs(self, a):
        """The peer array library's array: CuPy's on the GPU, NumPy's on the CPU."""
        return self.cupy.asarray(a) if self.gpu and self.cupy else a

    def tensor(self, a):
        if self.torch is None:
            return None
        t = self.torch.from_numpy(a)
        return t.cuda() if self.gpu else t

    def array_peer(self, f):
        """Peers dictionary entry for a function of NumPy (CPU) or CuPy (GPU)."""
        name = "cupy" if self.gpu else "numpy"
        return {name: f} if not self.gpu or self.cupy else {}

    def torch_peer(self, f):
        return {"torch": f} if self.torch is not None else {}

    def threads(self):
        """How many threads each library may use, recorded with the figures."""
        from cuprite import _device
        used = {"ours": _device.threads()}
        used["numpy"] = 1  # its loops; products and FFTs have their own threads
        if self.torch is not None:
            used["torch"] = self.torch.get_num_threads()
        return used

    def wait(self, who):
        if not self.gpu:
            return
        if who == "ours":
            self.cp.cuda.Device(0).synchronize()
        elif who == "torch":
            self.torch.cuda.synchronize()
        elif who == "cupy":
            self.cupy.cuda.Device(0).synchronize()


# Seconds in which threads of OpenBLAS and OpenMP stay awake after a call, on the cores that the next one needs: 2^28
# ticks of the clock, 0.103 s at 2.6 GHz.
SPIN = 0.12


def _batch(b, who, f, n):
    b.wait(who)
    start = time.perf_counter()
    for _ in range(n):
        f()
    b.wait(who)
    return (time.perf_counter() - start) / n * 1e3


def _one_thread(f):
    """Whether calls wake no other threads: then none is awake after them."""
    wall, used = time.perf_counter(), time.process_time()
    for _ in range(10):
        f()
    wall, used = time.perf_counter() - wall, time.process_time() - used
    return wall < 0.01 and used < 1.2 * wall + 1e-5


def measure(b, case, batches=7, budget=1.0):
    """{who: milliseconds}; a peer that fails has its error's name instead."""
    runs = {"ours": case.ours, **{k: f for k, f in case.peers.items() if f is not None}}
    times, counts = {}, {}
    for who, f in list(runs.items()):
        try:
            once = _batch(b, who, f, 1)
            once = min(once, _batch(b, who, f, 1))
            counts[who] = max(1, min(1000, int(budget * 1e3 / batches / max(once, 1e-3) / len(runs))))
            times[who] = []
        except Exception as e:
            if who == "ours":
                raise
            times[who] = type(e).__name__
            del runs[who]
    slow = any(_batch_time > 700 for _batch_time in
               (_batch(b, who, f, 1) for who, f in runs.items()))
    spins = not b.gpu and not all([_one_thread(f) for f in runs.values()])
    for _ in range(3 if slow else batches):
        for who, f in runs.items():
            if spins:
                time.sleep(SPIN)
                f()
            times[who].append(_batch(b, who, f, counts[who]))
    return {who: statistics.median(t) if isinstance(t, list) else t for who, t in times.items()}


def floor_ms(b, case):
    c = CEILINGS[b.device]
    return max(case.bytes / c["bytes"], case.operations / c[case.kind]) * 1e3


def row(b, case, times):
    ours = times["ours"]
    peers = {k: v for k, v in times.items() if k != "ours" and not isinstance(v, str)}
    best = min(peers.values()) / ours if peers else None
    r = {"name": case.name, "device": b.device, "ours_ms": ours,
         "peers_ms": {k: v for k, v in times.items() if k != "ours"}, "best_peer_over_ours": best,
         "floor_ms": floor_ms(b, case) or None}
    if case.bar:
        against = peers.get(case.against)
        r["bar"] = case.bar
        r["reached"] = against / ours if against else None
    return r


def show(r):
    def ms(v):
        return "-" if v is None else v if isinstance(v, str) else f"{v:.4g}"
    peers = "  ".join(f"{k} {ms(v)}" for k, v in r["peers_ms"].items())
    text = f"{r['device']} {r['name']:34s} ours {ms(r['ours_ms']):>9s}  floor {ms(r['floor_ms']):>9s}  {peers}"
    if r["best_peer_over_ours"]:
        text += f"  | best peer / ours {r['best_peer_over_ours']:.2f}"
    if r.get("bar"):
        got = f"{r['reached']:.1f}" if r["reached"] else "?"
        text += f"  | bar {r['bar']:g}x: {got}x" + ("" if r["reached"] and r["reached"] >= r["bar"] else "  BELOW")
    return text
