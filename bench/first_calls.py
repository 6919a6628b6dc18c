"""First calls: how much longer they take than second ones, each in a separate process with the device initialized.

    PYTHONPATH=build/python python bench/first_calls.py [--output FILE.json]

On a GPU compared with CuPy with an empty kernel cache. Prints milliseconds of the first and of the second call.
NVIDIA's libraries are in the file cache: an earlier process loads them all.
"""
import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile

CALLS = {
    "qr 512": "xp.linalg.qr(a)", "svd 512": "xp.linalg.svd(a)", "eigh 512": "xp.linalg.eigh(s)",
    "solve 512": "xp.linalg.solve(a, s)", "cholesky 512": "xp.linalg.cholesky(p)", "det 512 float32":
    "xp.linalg.det(f)", "inv 512": "xp.linalg.inv(a)", "matmul 512 float32": "f @ f", "matmul 512 int32": "i @ i",
    "einsum of three": "xp.einsum('ij,jk,kl->il', a, a, a)", "fft 2^20": "xp.fft.fft(z)", "rfft2 512":
    "xp.fft.rfft2(a)", "rand 10^6": "xp.random.rand(10**6)", "normals 10^6":
    "xp.random.default_rng(1).standard_normal(10**6)", "permutation 10^6": "xp.random.permutation(10**6)",
    "solve 1000 of 8^2": "xp.linalg.solve(b, b)",
    "add": "a + s", "sum": "a.sum()", "sort": "xp.sort(z.real)", "cumsum": "xp.cumsum(a)", "median": "xp.median(a)",
    "percentile": "xp.percentile(a, 30)", "histogram": "xp.histogram(a, 100)",
    "bincount": "xp.bincount(abs(i).ravel())",
    "take": "xp.take(a, i.ravel() % 512)", "a[i] = 0": "a.__setitem__(i.ravel() % 512, 0)",
    "searchsorted": "xp.searchsorted(xp.arange(100.0), a)", "concatenate": "xp.concatenate([a, s])",
    "unique": "xp.unique(i)", "where": "xp.where(a > 0, a, s)", "nonzero": "xp.nonzero(a > 0)",
    "pad": "xp.pad(a, 3, mode='reflect')", "interp": "xp.interp(a, xp.arange(9.0), xp.arange(9.0))",
    "add.at": "xp.add.at(a, i.ravel() % 512, 1)", "cov": "xp.cov(a)", "isin": "xp.isin(i, i[:3])",
}
PROGRAM = """
import sys, time, numpy as np
import {library} as xp
rng = np.random.default_rng(1)
n = rng.standard_normal((512, 512))
a, s, p = xp.asarray(n), xp.asarray(n + n.T), xp.asarray(n @ n.T + 512 * np.eye(512))
f, i = xp.asarray(n.astype("f4")), xp.asarray((n * 9).astype("i4"))
z, b = xp.asarray(n.ravel()[:1 << 18].repeat(4) + 0j), xp.asarray(rng.standard_normal((1000, 8, 8)) + 9 * np.eye(8))
def wait():
    if {gpu}: xp.cuda.Device(0).synchronize()
def once():
    wait()
    start = time.perf_counter()
    r = {call}
    wait()
    return (time.perf_counter() - start) * 1e3
print(once(), once())
"""


def timed(library, call, gpu):
    with tempfile.TemporaryDirectory() as empty:
        env = dict(os.environ, CUPY_CACHE_DIR=empty, CUPRITE_DEVICE="cuda:0" if gpu else "cpu")
        r = subprocess.run([sys.executable, "-c", PROGRAM.format(library=library, call=call, gpu=gpu)], env=env,
                           capture_output=True, text=True)
    return [float(x) for x in r.stdout.split()] if r.returncode == 0 else r.stderr.strip().splitlines()[-1:]


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--output", default="")
    a = a.parse_args()
    import cuprite
    gpu = cuprite.cuda.is_available() and cuprite.cuda.runtime.getDeviceCount() > 0
    rows = {}
    for library in ("cuprite", "cupy" if gpu else "numpy"):
        timed(library, "(f @ f, xp.linalg.svd(a), xp.linalg.eigh(s), xp.fft.rfft2(a))", gpu)
    for name, call in CALLS.items():
        rows[name] = {library: timed(library, call, gpu) for library in ("cuprite", "cupy" if gpu else "numpy")}
        print(name, *[f"{library} " + " / ".join(f"{v:.3g}" if isinstance(v, float) else v for v in t)
                      for library, t in rows[name].items()], sep="   ", flush=True)
    if a.output:
        with open(a.output, "w") as f:
            json.dump({"date": datetime.date.today().isoformat(), "gpu": gpu, "first_and_second_ms": rows}, f, indent=1)


if __name__ == "__main__":
    main()
