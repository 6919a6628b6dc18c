"""First calls: how much longer they take than second ones, each in a separate process with the device initialized.

    PYTHONPATH=build/python python bench/first_calls.py [--companions] [--output FILE.json]

On a GPU compared with CuPy with an empty kernel cache. Prints milliseconds of the first and of the second call.
NVIDIA's libraries are in the file cache: an earlier process loads them all. With --companions: the calls of SciPy's
companions alone, by this library alone, one after another in one process.
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
COMPANIONS = {
    **{f"ndimage.{call.split('(')[0]}": f"ndi.{call}" for call in (
        "gaussian_filter(f, 3)", "uniform_filter(f, 5)", "median_filter(f, 5)", "percentile_filter(f, 30, 5)",
        "maximum_filter(f, 7)", "sobel(f)", "laplace(f)", "gaussian_gradient_magnitude(f, 2)",
        "convolve(f, w)", "grey_opening(f, 5)", "binary_erosion(o)", "binary_dilation(o, iterations=10)",
        "binary_fill_holes(o)", "fourier_gaussian(f, 3)", "rotate(f, 30)", "zoom(f, 1.5)", "shift(f, 1.5, order=1)",
        "affine_transform(f, xp.eye(2), order=1)", "spline_filter(f)", "map_coordinates(f, at)",
        "distance_transform_edt(o)", "distance_transform_cdt(o)", "watershed_ift(o.astype('u1'), i * 0 + 1)",
        "label(o)", "sum_labels(f, o)", "center_of_mass(f)", "value_indices(i)")},
    **{f"signal.{call.split('(')[0]}": f"sig.{call}" for call in (
        "fftconvolve(f, f)", "oaconvolve(x, x[:500])", "correlate(x, x[:64], method='direct')",
        "lfilter([0.1, 0.2], [1, -0.5, 0.2], x)", "sosfilt(sos, x)", "sosfiltfilt(sos, x)",
        "filtfilt([0.5], [1, -0.5], x)", "resample(x, 1000)", "resample_poly(x, 3, 2)",
        "upfirdn(x[:64], x, 3, 2)", "spectrogram(x)", "welch(x)",
        "stft(x)", "coherence(x, x)", "hilbert(x)", "detrend(x)", "medfilt(x, 5)", "medfilt2d(f, 5)", "wiener(f, 5)",
        "savgol_filter(x, 11, 3)", "find_peaks(x, prominence=1)", "czt(x, 500)", "lombscargle(x[:99], x[:99], x[1:9])",
        "convolve2d(f, w)", "sepfir2d(f, x[:5], x[:5])", "cspline1d(x)", "chirp(x, 1, 2, 3)", "firwin(21, 0.3)")},
    **{f"special.{call.split('(')[0]}": f"spc.{call}" for call in (
        *(f"{name}(p)" for name in ("gamma", "gammaln", "digamma", "erf", "erfinv", "ndtr", "ndtri", "j0", "y1", "i0e",
                                    "k1", "expit", "logit", "ellipk", "exp1", "entr", "zetac")),
        "gammainc(p, p)", "betainc(p, p, p)", "zeta(p + 1, p)", "xlogy(p, p)", "logsumexp(p)", "softmax(p)",
        "sph_harm_y(2, 1, p, p)", "lpmv(1, 2, p)", "loggamma(z)", "lambertw(z)")},
}
COMPANIONS_PROGRAM = """
import json, time, numpy as np
import cuprite as xp
from cuprite.scipy import ndimage as ndi, signal as sig, special as spc
rng = np.random.default_rng(1)
n = rng.standard_normal((512, 512))
f, o, i = xp.asarray(n.astype("f4")), xp.asarray(n > -0.3), xp.asarray((n * 9).astype("i4"))
w, at = xp.asarray(rng.random((7, 7), "f4")), xp.asarray(rng.random((2, 512, 512)) * 511)
x, p, z = xp.asarray(n.ravel()), xp.asarray(rng.random(1 << 18) * 0.9 + 0.05), xp.asarray(n.ravel() + 1j)
sos = sig.butter(4, 0.2, output="sos")
calls, gpu, times = {calls!r}, {gpu}, {{}}
def once(code):
    if gpu: xp.cuda.Device(0).synchronize()
    start = time.perf_counter()
    r = eval(code)
    if gpu: xp.cuda.Device(0).synchronize()
    return (time.perf_counter() - start) * 1e3
once("f + f")
for name, code in calls.items():
    try:
        times[name] = once(code), once(code)
    except Exception as e:
        times[name] = [repr(e)]
print(json.dumps(times))
"""
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


def companions(gpu):
    """{name: milliseconds of the first and of the second call} of all in one process."""
    program = COMPANIONS_PROGRAM.format(calls=COMPANIONS, gpu=gpu)
    env = dict(os.environ, CUPRITE_DEVICE="cuda:0" if gpu else "cpu")
    r = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
    return {name: {"cuprite": t} for name, t in json.loads(r.stdout).items()}


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--companions", action="store_true")
    a.add_argument("--output", default="")
    a = a.parse_args()
    import cuprite
    gpu = cuprite.cuda.is_available() and cuprite.cuda.runtime.getDeviceCount() > 0
    rows = companions(gpu) if a.companions else {}
    for name in rows:
        print(name, *[f"{v:.3g}" if isinstance(v, float) else v for v in rows[name]["cuprite"]], sep="   ")
    for library in () if rows else ("cuprite", "cupy" if gpu else "numpy"):
        timed(library, "(f @ f, xp.linalg.svd(a), xp.linalg.eigh(s), xp.fft.rfft2(a))", gpu)
    for name, call in () if rows else CALLS.items():
        rows[name] = {library: timed(library, call, gpu) for library in ("cuprite", "cupy" if gpu else "numpy")}
        print(name, *[f"{library} " + " / ".join(f"{v:.3g}" if isinstance(v, float) else v for v in t)
                      for library, t in rows[name].items()], sep="   ", flush=True)
    if a.output:
        with open(a.output, "w") as f:
            json.dump({"date": datetime.date.today().isoformat(), "gpu": gpu, "first_and_second_ms": rows}, f, indent=1)


if __name__ == "__main__":
    main()
