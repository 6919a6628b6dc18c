"""Linear algebra and transforms on the CPU: Cuprite with OpenBLAS and with MKL, NumPy and PyTorch, in turns.

Each library is a process of its own, because it is chosen once a process; they take turns, so that a machine that other
work slows down slows down all of them alike. Times are milliseconds: the median of the wall clock over all turns, and
what the process used of processors (cpu; --cpu prints that instead, for a busy machine). A ratio above 1 says that
Cuprite is faster.

    PYTHONPATH=build/python CUPRITE_LIBRARY_PATH=FOLDER_OF_LIBMKL_RT python bench/blas_libraries.py [case ...]
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

WHO = ["openblas", "mkl", "numpy", "torch"]
CASES = {
    "qr 64": ("qr", 64), "qr 512": ("qr", 512), "qr 2048": ("qr", 2048), "svd 512": ("svd", 512),
    "eigh 1024": ("eigh", 1024), "det 512": ("det", 512), "det 1024": ("det", 1024), "solve 512": ("solve", 512),
    "solve 1024": ("solve", 1024), "inv 512": ("inv", 512), "inv 1024": ("inv", 1024),
    "product 256 x 128^2": ("product", (256, 128, 128)), "product 1000 x 32^2": ("product", (1000, 32, 32)),
    "product 512^2": ("product", (512, 512)), "product 4096^2": ("product", (4096, 4096)),
    "product 2048^2": ("product", (2048, 2048)), "product f4 512^2": ("product_f4", (512, 512)),
    "product f4 2048^2": ("product_f4", (2048, 2048)), "product 1024^2, vector": ("vector", (1024, 1024)),
    "rfft2 2048^2": ("rfft2", (2048, 2048)), "fft2 c 1024^2": ("fft2", (1024, 1024)), "rfft 2^20": ("rfft", (1 << 20,)),
    "fft 1000 x 1000": ("fft", (1000, 1000)),
}


def call(who, case):
    """The function of no argument that a case measures; its operands are made here."""
    import numpy
    what, size = CASES[case]
    shape = size if isinstance(size, tuple) else (size, size)
    draw = numpy.random.default_rng(1)
    a = draw.standard_normal(shape).astype("f4" if what.endswith("f4") else "f8")
    if what == "eigh":
        a = a + a.T
    if what in ("fft", "fft2"):
        a = a + 1j * draw.standard_normal(shape)
    if who == "torch":
        import torch
        x, m, ft = torch.from_numpy(a), torch.linalg, torch.fft
    elif who == "numpy":
        x, m, ft = a, numpy.linalg, numpy.fft
    else:
        import cuprite
        x, m, ft = cuprite.asarray(a), cuprite.linalg, cuprite.fft
    if what.startswith("product"):
        return lambda: x @ x
    if what == "vector":
        column = x[:, 0].copy() if who != "torch" else x[:, 0].clone()
        return lambda: x @ column
    if what == "solve":
        return lambda: m.solve(x, x)
    if what == "svd":
        return lambda: m.svd(x, full_matrices=False)
    module = ft if "fft" in what else m
    f = getattr(module, what)
    return lambda: f(x)


def work(who):
    """A library's process: cases in, times out."""
    if who in ("openblas", "mkl"):
        import cuprite
        from cuprite import _device
        name = "Cuprite, " + _device.blas()
        if "is needed and not there" in name:
            raise ImportError(name)
        del cuprite
    elif who == "numpy":
        import numpy
        name = "NumPy " + numpy.__version__
    else:
        import torch
        torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
        name = "PyTorch " + torch.__version__
    print(json.dumps(name), flush=True)
    made = {}
    for line in sys.stdin:
        case, seconds = json.loads(line)
        if case not in made:
            made.clear()
            made[case] = call(who, case)
            made[case](), made[case]()
        f, times, cpu, used, start = made[case], [], [], time.process_time(), time.perf_counter()
        while not times or time.perf_counter() - start < seconds:
            t, c = time.perf_counter(), time.process_time()
            f()
            times.append(time.perf_counter() - t)
            cpu.append(time.process_time() - c)
        used = (time.process_time() - used) / len(times)
        time.sleep(0.12)  # threads of OpenBLAS and OpenMP stay awake so long
        print(json.dumps([t * 1e3 for t in (statistics.median(times), used, min(times), min(cpu))]), flush=True)


def begin(who, threads, quiet=False):
    """The process; None where the library is not installed. Prints what there is."""
    n = str(threads)
    environment = {**os.environ, "CUPRITE_DEVICE": "cpu", "CUPRITE_NUM_THREADS": n, "OMP_NUM_THREADS": n,
                   "OPENBLAS_NUM_THREADS": n, "CUPRITE_BLAS": who if who in ("openblas", "mkl") else "openblas"}
    process = subprocess.Popen([sys.executable, __file__, "--who", who], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env=environment)
    line = process.stdout.readline()
    if not line:
        why = process.stderr.read().strip().splitlines()[-1]
    if not quiet:
        print(f"{who:10} {json.loads(line) if line else 'no: ' + why}")
    if not line:
        return None
    return process


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--who")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.2, help="of one turn")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("cases", nargs="*")
    args = parser.parse_args()
    if args.who:
        work(args.who)
        return
    running = {who: p for who in WHO if (p := begin(who, args.threads))}
    pairs = [(a, b) for a in ("openblas", "mkl") for b in ("torch", "numpy") if a in running and b in running]
    pairs += [("mkl", "openblas")] * ("mkl" in running)
    print(f"\n{'':22}" + "".join(f"{w:>11}" for w in running) + "   " + "".join(f"{a[:4]}/{b[:5]:8}" for a, b in pairs))
    for case in args.cases or CASES:
        times = {who: [] for who in running}
        for _ in range(args.turns):
            for who, process in running.items():
                process.stdin.write(json.dumps([case, args.seconds]) + "\n")
                process.stdin.flush()
                times[who].append(json.loads(process.stdout.readline())[args.cpu])
        best = {who: statistics.median(t) for who, t in times.items()}
        print(f"{case:22}" + "".join(f"{best[w]:11.3f}" for w in running) + "   " +
              "".join(f"{best[b] / best[a]:<13.2f}" for a, b in pairs), flush=True)
    for process in running.values():
        process.stdin.close()
        process.wait()


if __name__ == "__main__":
    main()
