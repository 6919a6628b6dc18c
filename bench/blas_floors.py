"""Linear algebra on the CPU against its floor: operations over the rate of the fastest product, and bytes over that of
a matrix times a vector, both measured here with as many threads; Cuprite, NumPy and PyTorch (where it is installed) in
turns, least times.

    PYTHONPATH=build/python python bench/blas_floors.py [--threads 2] [--cpu] [--placement] [case ...]

--cpu prints the least CPU time instead, which one thread needs on a busy machine too. --placement asks where two
threads run: it prints which processors may be used and which of them share a core, and measures float32 products
wherever the system puts the threads, on two cores, and on one core's two hardware threads.
"""
import argparse
import json
import os
import re

import blas_libraries as libraries

# operations in n^3, and bytes in n^3 that are read by products of a matrix and a vector (float64): of half of the
# reduction, once a column
NEEDS = {"det": (2 / 3, 0), "solve": (8 / 3, 0), "inv": (2, 0), "qr": (8 / 3, 0), "svd": (8, 8 / 3), "eigh": (4, 4 / 3)}
CASES = ["det 512", "det 1024", "solve 512", "solve 1024", "inv 512", "inv 1024", "qr 512", "qr 2048", "svd 512",
         "eigh 1024", "product 512^2", "product 4096^2", "product f4 512^2", "product f4 2048^2"]
PEAKS = {"f8": "product 2048^2", "f4": "product f4 2048^2"}


def measure(running, case, turns, seconds):
    """What a process prints, the least of all turns, for each library: ms."""
    least = {}
    for _ in range(turns):
        for who, process in running.items():
            process.stdin.write(json.dumps([case, seconds]) + "\n")
            process.stdin.flush()
            times = json.loads(process.stdout.readline())
            least[who] = [min(pair) for pair in zip(times, least.get(who, times))]
    return least


def end(running):
    for process in running.values():
        process.stdin.close()
        process.wait()


def floor(case, rates, bandwidth):
    """Milliseconds: operations / (GFLOP/s), bytes / (GB/s)."""
    what, size = libraries.CASES[case]
    n = size if isinstance(size, int) else size[-1]
    if what.startswith("product"):
        return 2 * n**3 / rates["f4" if what.endswith("f4") else "f8"] / 1e6
    operations, moved = NEEDS[what]
    return operations * n**3 / rates["f8"] / 1e6 + moved * n**3 / bandwidth / 1e6


def table(args):
    running = {who: p for who in ("openblas", "mkl", "numpy", "torch") if (p := libraries.begin(who, args.threads))}
    which, rates = 3 if args.cpu else 2, {}
    for name, case in PEAKS.items():
        rates[name] = 2 * 2048**3 / min(t[which] for t in measure(running, case, args.turns, 0.4).values()) / 1e6
    moved = measure({"openblas": running["openblas"]}, "product 1024^2, vector", args.turns, 0.2)["openblas"][which]
    bandwidth = 8 * 1024**2 / moved / 1e6
    print(f"\n{args.threads} thread(s): product {rates['f8']:.1f} GFLOP/s in float64, {rates['f4']:.1f} in float32; "
          f"matrix times vector {bandwidth:.0f} GB/s\n\n{'':20}{'floor':>10}" +
          "".join(f"{w:>11}" for w in running) + "   floor / openblas")
    for case in args.cases or CASES:
        need = floor(case, rates, bandwidth)
        least = {w: t[which] for w, t in measure(running, case, args.turns, args.seconds).items()}
        print(f"{case:20}{need:10.3f}" + "".join(f"{least[w]:11.3f}" for w in running) +
              f"{need / least['openblas']:11.2f}", flush=True)
    end(running)


def cores():
    """Processors that may be used, by physical core."""
    found = {}
    for cpu in sorted(os.sched_getaffinity(0)):
        folder = f"/sys/devices/system/cpu/cpu{cpu}/topology/"
        try:
            core = tuple(open(folder + name).read().strip() for name in ("physical_package_id", "core_id"))
        except OSError:
            core = ("?", str(cpu))
        found.setdefault(core, []).append(cpu)
    return found


def placement(args):
    found, mine = cores(), os.sched_getaffinity(0)
    text = open("/proc/cpuinfo").read()
    print((re.findall(r"model name\s*: (.*)", text) or ["?"])[0], "| processors:", len(mine), "of", os.cpu_count(),
          "| load:", *os.getloadavg())
    print("cores (package, core: processors):", "; ".join(f"{'.'.join(c)}: {p}" for c, p in list(found.items())[:40]))
    if os.path.exists("/sys/fs/cgroup/cpu.max"):
        print("cpu.max:", open("/sys/fs/cgroup/cpu.max").read().strip())
    sets = {"as the system likes": mine}
    if len(found) > 1:
        first = [p[0] for p in found.values()]
        sets["two cores"] = {first[0], first[1]}
        sets["two distant cores"] = {first[0], first[-1]}
    shared = [p for p in found.values() if len(p) > 1]
    if shared:
        sets["one core's two threads"] = set(shared[0][:2])
    for threads in (1, 2):
        for name, cpus in sets.items():
            os.sched_setaffinity(0, cpus)  # which processes that are begun now inherit
            running = {w: p for w in ("openblas", "numpy", "torch") if (p := libraries.begin(w, threads, quiet=True))}
            for case in ("product f4 2048^2", "product 512^2"):
                times = measure(running, case, args.turns, args.seconds)
                print(f"{threads} thread(s), {name:24} {case:18}" + "".join(
                    f"  {w} {t[2]:.2f} (median {t[0]:.2f})" for w, t in times.items()), flush=True)
            end(running)
            os.sched_setaffinity(0, mine)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.2, help="of one turn")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--placement", action="store_true")
    parser.add_argument("cases", nargs="*")
    args = parser.parse_args()
    (placement if args.placement else table)(args)


if __name__ == "__main__":
    main()
