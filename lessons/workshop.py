"""What the lessons share: a synthetic sky, and pictures.

A picture is an array: (height, width) in greys or (height, width, 3) in colours, uint8 or any numbers, which are scaled
from the smallest (black) to the largest (white). `show` writes it to a PNG file of the current folder. In a notebook
it shows it as well, by matplotlib where that is installed.
"""
import sys

import cuprite as cp
import cuprite.io


def sky(height=240, width=360, sources=40, seed=24):
    """A radio map: noise of standard deviation 1 on a background of 0.5, and round sources."""
    rng = cp.random.default_rng(seed)
    image = rng.normal(0.5, 1, (height, width))
    rows = rng.uniform(0, height, sources)
    columns = rng.uniform(0, width, sources)
    peaks = cp.minimum(15 * (1 + rng.pareto(1.5, sources)), 500)
    widths = rng.uniform(1, 2.5, sources)
    down = cp.exp(-((cp.arange(height)[:, None] - rows) / widths) ** 2 / 2)
    along = cp.exp(-((cp.arange(width) - columns[:, None]) / widths[:, None]) ** 2 / 2)
    return image + (down * peaks) @ along


def greys(x):
    """Numbers as bytes, from the smallest to the largest."""
    x = cp.asarray(x)
    if x.dtype == cp.uint8:
        return x
    x = x.astype(cp.float64)
    low, high = x.min(), x.max()
    return ((x - low) * (255 / cp.maximum(high - low, 1e-300))).round().astype(cp.uint8)


def enlarged(picture, least=240):
    """Each pixel as a square of pixels, so that small pictures can be seen."""
    times = max(1, least // max(picture.shape[:2]))
    return picture.repeat(times, axis=0).repeat(times, axis=1)


def colours(labels):
    """Labels as colours; label 0 is black."""
    table = cp.random.default_rng(3).integers(80, 256, (int(labels.max()) + 1, 3)).astype(cp.uint8)
    table[0] = 0
    return table[labels]


def bars(heights, height=120):
    """A bar for each number."""
    heights = cp.asarray(heights)
    up = cp.arange(height)[::-1, None]
    picture = (up < heights * (height / heights.max())).astype(cp.uint8) * 255
    return picture.repeat(max(1, 360 // heights.size), axis=1)


def beside(*pictures):
    """Pictures of one height, each in greys of its own, side by side with a line between them."""
    parts = []
    for picture in map(greys, pictures):
        parts += [picture, cp.full_like(picture[:, :2], 255)]
    return cp.concatenate(parts[:-1], axis=1)


def show(picture, file):
    """Writes a picture to a PNG file, and shows it in a notebook."""
    picture = enlarged(greys(picture))
    cuprite.io.png_write(file, picture)
    if "IPython" in sys.modules and sys.modules["IPython"].get_ipython():
        in_notebook(picture, file)


def in_notebook(picture, file):
    """Shows it by matplotlib, or without it as the file that was written."""
    try:
        from matplotlib import pyplot
    except ImportError:
        from IPython.display import Image, display
        display(Image(filename=file))
        return
    pyplot.imshow(picture.get(), cmap="gray")
    pyplot.axis("off")
    pyplot.title(file)
    pyplot.show()
