"""Sources in an image of the sky that is larger than the memory of one process: smoothing, background by kappa-sigma
clipping, segmentation, labels that are joined across the chunks, measurements.

    python sky_sources.py --size 4000 --check           # synthetic; the catalogue is compared with the whole image's
    python sky_sources.py image.fits --lines 500 --workers 2 --memory "1 GB" --catalog found.csv
    python sky_sources.py --size 40000 --memory "4 GB"  # 6.4 GB of pixels

Without --workers the chunks are taken by this process, on the current device. With it a process takes them for each
worker, with at most --memory each, and what does not fit goes to disk.
"""
import argparse
import functools
import resource
import time

import cuprite as cp
import dask
import dask.array as da
import numpy as np
from cuprite.dask import LocalCluster, map_overlap, measure, sigma_clip_stats
from cuprite.scipy import ndimage, signal

REACH = 7  # pixels of the smoothing kernel on each side


@functools.cache
def kernel():
    y, x = np.mgrid[-REACH:REACH + 1, -REACH:REACH + 1]
    g = np.exp(-(x * x + y * y) / 8.0)
    return cp.asarray((g / g.sum()).astype(np.float32))


def smooth(block):
    return signal.convolve2d(block, kernel(), mode="same")


# --- images ---

def painted_sources(size, seed):
    """y, x, peak and width of one source in each 300 x 300 pixels."""
    r = np.random.default_rng(seed)
    n = max(3, size * size // 90000)
    return np.stack([r.uniform(0, size, n), r.uniform(0, size, n), 0.5 * r.pareto(1.5, n) + 0.2, r.uniform(1.5, 4, n)])


def paint(width, sources, seed, begin, end):
    """Lines of the image: noise, which follows from where they are, and the part of each source that lies there."""
    rng = cp.random.default_rng([seed, begin])
    image = rng.standard_normal((end - begin, width), dtype=np.float32) * np.float32(0.1)
    for y, x, peak, wide in sources.T:
        r = int(6 * wide) + 1
        a, b = max(begin, int(y) - r), min(end, int(y) + r)
        c, d = max(0, int(x) - r), min(width, int(x) + r)
        if a < b and c < d:
            rows = cp.exp(-(cp.arange(a, b) - y) ** 2 / (2 * wide**2))
            columns = cp.exp(-(cp.arange(c, d) - x) ** 2 / (2 * wide**2))
            image[a - begin:b - begin, c:d] += (peak * rows[:, None] * columns).astype(np.float32)
    return image


def in_bands(read, shape, lines):
    """An array in chunks of whole lines, `read(begin, end)` of each: such chunks have two neighbours, not eight."""
    counts = tuple(min(lines, shape[0] - y) for y in range(0, shape[0], lines))

    def band(block_id):
        return read(block_id[0] * lines, block_id[0] * lines + counts[block_id[0]])
    return da.map_blocks(band, chunks=(counts, (shape[1],)), meta=cp.empty((0, 0), np.float32))


def lines_of(path, begin, end):
    from astropy.io import fits
    with fits.open(path, memmap=True) as file:
        data = next(h for h in file if h.data is not None).data.squeeze()
        return cp.asarray(np.ascontiguousarray(data[begin:end]).astype(np.float32))


def the_image(o):
    if o.image:
        from astropy.io import fits
        with fits.open(o.image, memmap=True) as file:
            shape = next(h for h in file if h.data is not None).data.squeeze().shape
        read = functools.partial(lines_of, o.image)
    else:
        shape = o.size, o.size
        read = functools.partial(paint, o.size, painted_sources(o.size, o.seed), o.seed)
    return in_bands(read, shape, o.lines or -(-shape[0] // 64))


# --- the job ---

def above(threshold, block):
    return block > threshold


def find(image, k, least, keep):
    """The catalogue of an image in chunks. `keep`: the smoothed image is kept, in memory or on disk, not made twice."""
    smoothed = map_overlap(smooth, image, (REACH, 0))
    if keep:
        smoothed = smoothed.persist()
    background = sigma_clip_stats(smoothed)
    bright = functools.partial(above, background.center + k * background.std)
    found = measure(smoothed, bright, background=background.center, noise=background.std)
    return background, {name: getattr(found, name)[found.pixels >= least] for name in found._fields}


def find_in_whole(images, k, least):
    """The same of one array, which is taken out of the list, as there is not memory for it and its smoothed image."""
    smoothed = smooth(images.pop())
    background = cp.sigma_clip_stats(smoothed)
    labels, count = ndimage.label(smoothed > background.center + k * background.std)
    found = ndimage.measure(smoothed, labels, count, background.center, background.std)
    pixels = found.pixels.get()
    return background, {name: getattr(found, name).get()[pixels >= least] for name in found._fields}


def write(path, found):
    with open(path, "w") as file:
        print("label,pixels,flux,flux_err,x,y,peak", file=file)
        for i in range(len(found["pixels"])):
            y, x = found["centroid"][i]
            print(i + 1, found["pixels"][i], found["flux"][i], found["flux_error"][i], x, y, found["peak"][i], sep=",",
                  file=file)


def in_one(image):
    """The array, made here: no worker has memory for it."""
    whole, y = cp.empty(image.shape, image.dtype), 0
    for band in image.to_delayed().ravel():
        lines = band.compute(scheduler="synchronous")
        whole[y:y + len(lines)] = lines
        y += len(lines)
    return whole


def compare(image, a, o):
    """Asserts that the whole image gives the same catalogue; its seconds."""
    seconds = []
    whole = in_one(image)
    for more in (True, False) if o.size < 20000 or whole.device.name != "cpu" else (False,):
        images = [whole]
        if not more:
            whole = None
        t = time.perf_counter()
        background, b = find_in_whole(images, o.k, o.least)
        seconds.append(time.perf_counter() - t)
    assert len(a["pixels"]) == len(b["pixels"]), (len(a["pixels"]), len(b["pixels"]))
    np.testing.assert_array_equal(a["pixels"], b["pixels"])
    np.testing.assert_array_equal(a["position"], b["position"])
    for name in ("flux", "sum", "centroid", "peak", "flux_error"):
        np.testing.assert_allclose(a[name], b[name], rtol=1e-6)
    return min(seconds)


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
    parser.add_argument("image", nargs="?", help="a FITS file; without it an image is painted")
    parser.add_argument("--size", type=number, default=2000, help="of the painted image, pixels (2000)")
    parser.add_argument("--lines", type=from_0, default=0, help="of a chunk (a 64th of the image)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-k", type=float, default=5, help="threshold above the background, in its sigma (5)")
    parser.add_argument("--least", type=number, default=5, help="pixels of a source (5)")
    parser.add_argument("--workers", type=from_0, default=0, help="processes (0: this one)")
    parser.add_argument("--memory", default="auto", help="of a worker, such as '1 GB'; starts one worker at least")
    parser.add_argument("--repeat", type=number, default=1,
                        help="times that an image that workers keep is searched (1)")
    parser.add_argument("--catalog", help="writes the catalogue, as CSV")
    parser.add_argument("--check", action="store_true", help="compares with the whole image's catalogue")
    o = parser.parse_args()
    image = the_image(o)
    if o.workers or o.memory != "auto":
        from distributed import Client, wait
        with LocalCluster(o.workers or 1, memory_limit=o.memory) as cluster, Client(cluster) as client:
            if o.repeat > 1:
                image = image.persist()
                wait(image)
            found, seconds = run(image, o)
            most = client.run(lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6)
            print("most memory of a worker:", ", ".join(f"{m:.2f} GB" for m in most.values()))
    else:
        with dask.config.set(scheduler="synchronous"):
            if o.check:
                image = image.persist()  # painting it is not part of the comparison
            found, seconds = run(image, o)
    if o.check:
        whole = compare(image, found, o)
        print(f"the whole image gives the same catalogue, in {whole:.3f} s: {seconds / whole:.2f} times that")
    if o.catalog:
        write(o.catalog, found)


def run(image, o):
    seconds = []
    for _ in range(o.repeat):
        t = time.perf_counter()
        background, found = find(image, o.k, o.least, keep=True)
        seconds.append(time.perf_counter() - t)
    print(f"{image.shape[0]} x {image.shape[1]} pixels in {image.npartitions} chunks: {len(found['pixels'])} sources")
    print(f"background: median {background.center:.6g}, sigma {background.std:.6g}, {background.count} pixels kept")
    print(", ".join(f"{s:.3f} s" for s in seconds))
    return found, min(seconds)


if __name__ == "__main__":
    main()
