"""The first result of a fresh process: start Python, import, start the device, four steps, catalogue on the host.

CuPy runs twice: with an empty kernel cache, as on a new machine, and with a filled one.
"""
import os
import shutil
import subprocess
import sys
import tempfile

from bench_source_finding import N, sky
from common import Case

OURS = """
import sys
import cuprite as cp
from cuprite.scipy import ndimage
image = cp.asarray(memoryview(open(sys.argv[1], "rb").read()).cast("f", shape=[{n}, {n}]))
stats = cp.sigma_clip_stats(image)
labels, count = ndimage.label(image > 5 * stats.std)
found = ndimage.measure(image, labels, int(count))
print(int(count), found.flux.tolist()[0], found.centroid.tolist()[0], found.peak.tolist()[0])
"""

PEER = """
import sys
import numpy as np
import {array} as xp
import {ndimage} as ndimage
image = xp.asarray(np.fromfile(sys.argv[1], np.float32).reshape({n}, {n}))
data = image.ravel()
while True:
    med = xp.median(data); std = xp.std(data)
    lower = data.compress(data > med - 3 * std)
    both = lower.compress(lower < med + 3 * std)
    if len(both) == len(data): break
    data = both
labels, count = ndimage.label(xp.where(image > 5 * std, 1, 0))
index = xp.arange(1, int(count) + 1)
flux = ndimage.sum_labels(image, labels, index)
centroid = ndimage.center_of_mass(image, labels, index)
peak = ndimage.maximum(image, labels, index)
print(int(count), float(flux[0]), [float(c) for c in centroid[0]], float(peak[0]))
"""


def cases(b):
    folder = tempfile.mkdtemp()
    image = os.path.join(folder, "sky.f32")
    sky().tofile(image)

    def process(code, cold=False, **environment):
        def run():
            cache = tempfile.mkdtemp(dir=folder)
            env = dict(os.environ, **environment)
            if cold:
                env.update(CUPY_CACHE_DIR=cache, CUDA_CACHE_PATH=cache)
            out = subprocess.run([sys.executable, "-c", code.format(n=N, **names), image], env=env,
                                 capture_output=True, text=True, check=True)
            shutil.rmtree(cache, ignore_errors=True)
            return out.stdout
        return run

    if b.gpu:
        names = dict(array="cupy", ndimage="cupyx.scipy.ndimage")
        peers = {"cupy, cold cache": process(PEER, cold=True), "cupy": process(PEER)} if b.cupy else {}
        ours = process(OURS, CUPRITE_DEVICE="cuda:0")
    else:
        names = dict(array="numpy", ndimage="scipy.ndimage")
        peers = {"numpy": process(PEER)}
        ours = process(OURS, CUPRITE_DEVICE="cpu")
    yield Case("first result of a fresh process", ours, peers, bar=1, against="cupy" if b.gpu else "numpy")
    shutil.rmtree(folder)
