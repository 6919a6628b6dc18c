"""Many images, rebuilt from their first singular values, chunk by chunk.

    python reconstruct.py --images 200 --size 128 -k 20 --check
    python reconstruct.py --images 10000 --size 256 -k 100 --workers 2 --memory "2 GB"
"""
import argparse
import functools
import time

import cuprite as cp
import dask
import dask.array as da
import numpy as np
from cuprite.dask import LocalCluster


def pictures(first, count, size, seed):
    """Rings of random widths with some noise."""
    r = np.random.default_rng([seed, first])
    y, x = cp.ogrid[:size, :size]
    at, wide = cp.asarray(r.uniform(0, size, (2, count, 1, 1))), cp.asarray(r.uniform(4, size, (count, 1, 1)))
    rings = cp.sin(cp.hypot(y - at[0], x - at[1]) * 20 / wide)
    return rings + 0.05 * cp.random.default_rng([seed, first]).standard_normal((count, size, size))


def rebuild(images, k):
    u, s, vt = cp.linalg.svd(images, full_matrices=False)
    return (u[:, :, :k] * s[:, None, :k]) @ vt[:, :k]


def number(text, least=1):
    """An argument that is a number of something, of which there have to be so many."""
    try:
        n = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number") from None
    if n < least:
        raise argparse.ArgumentTypeError(f"{n} is less than {least}")
    return n


def main():
    from_0 = functools.partial(number, least=0)
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--images", type=number, default=200)
    parser.add_argument("--size", type=functools.partial(number, least=4), default=128)
    parser.add_argument("--chunk", type=from_0, default=0, help="images in a chunk (a 64th of all)")
    parser.add_argument("-k", type=number, default=20, help="singular values that are kept")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=from_0, default=0, help="processes (0: this one)")
    parser.add_argument("--memory", default="auto", help="of a worker, such as '1 GB'; starts one worker at least")
    parser.add_argument("--check", action="store_true", help="compares with all images as one array")
    o = parser.parse_args()
    chunk = o.chunk or -(-o.images // 64)
    counts = [min(chunk, o.images - i) for i in range(0, o.images, chunk)]
    images = da.concatenate([da.from_delayed(dask.delayed(pictures)(i * chunk, n, o.size, o.seed), (n, o.size, o.size),
                                             meta=cp.empty((0, 0, 0))) for i, n in enumerate(counts)])
    if o.workers or o.memory != "auto":
        from distributed import Client
        with LocalCluster(o.workers or 1, memory_limit=o.memory) as cluster, Client(cluster):
            run(images, o)
    else:
        with dask.config.set(scheduler="synchronous"):
            run(images, o)


def run(images, o):
    images = images.persist()
    t = time.perf_counter()
    rebuilt = images.map_blocks(rebuild, o.k, meta=images._meta).persist()
    error = float(abs(rebuilt - images).mean())
    seconds = time.perf_counter() - t
    print(f"{o.images} images in {images.npartitions} chunks: mean error {error:.6g}, {seconds:.3f} s")
    if o.check:
        whole = images.compute()
        t = time.perf_counter()
        want = rebuild(whole, o.k)
        float(abs(want - whole).mean())
        alone = time.perf_counter() - t
        assert cp.allclose(rebuilt.compute(), want, rtol=1e-9, atol=1e-9)
        print(f"all at once give the same, in {alone:.3f} s: {seconds / alone:.2f} times that")


if __name__ == "__main__":
    main()
