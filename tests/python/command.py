"""The command as tests run it, and what its catalogue must be."""
import csv
import os
import re
import resource
import subprocess

import numpy as np
import pytest
from astropy.io import fits
from scipy import ndimage

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
BUILD = os.environ.get("CUPRITE_BUILD", os.path.join(ROOT, "build"))
COMMAND = os.path.join(BUILD, "bin", "cuprite")


def cuprite(*arguments, cwd=None, limit=None, status=0, **more):
    def before():
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = subprocess.run([COMMAND, *map(str, arguments)], cwd=cwd, text=True, capture_output=True, timeout=120,
                          preexec_fn=before if limit is not None else None, **more)
    assert status is None or done.returncode == status, done.stderr
    return done


def fails(*arguments, status=1, says="", folder=None, **more):
    """One line on stderr, the status, and nothing new in the folder."""
    before = sorted(os.listdir(folder)) if folder else None
    done = cuprite(*arguments, status=status, **more)
    assert re.fullmatch(r"cuprite: [^\n]+\n", done.stderr), done.stderr
    assert says in done.stderr
    if folder:
        assert sorted(os.listdir(folder)) == before
    return done


def catalogue(path):
    with open(path) as f:
        rows = list(csv.DictReader(line for line in f if not line.startswith("#")))
    names = rows[0] if rows else []
    return {n: np.array([float(r[n]) for r in rows]) for n in names}


def cards(path):
    """What the comments of a CSV catalogue say."""
    with open(path) as f:
        return fits.Header.fromstring("".join(line[2:].rstrip("\n").ljust(80) for line in f if line.startswith("# ")))


@pytest.fixture(scope="module")
def sky(tmp_path_factory):
    path = tmp_path_factory.mktemp("sky") / "sky.fits"
    cuprite("sky", path, "--size", 512, "--sources", 40, "--seed", 3)
    return path


def reference(data, k=5.0, kappa=3.0, least=5, corners=False):
    """The steps with NumPy and SciPy: the lesson's, measured above the background."""
    flat = data.ravel()[~np.isnan(data.ravel())]
    while True:
        median, std = np.median(flat), np.std(flat)
        kept = flat[(flat > median - kappa * std) & (flat < median + kappa * std)]
        if kept.size == flat.size:
            break
        flat = kept
    labels, n = ndimage.label(data > median + k * std, np.ones((3, 3)) if corners else None)
    sizes = np.bincount(labels.ravel(), minlength=n + 1)[1:]
    index = np.arange(1, n + 1)[sizes >= least]
    wide = data.astype(float)
    net = wide - float(median)
    centre = np.array(ndimage.center_of_mass(net, labels, index)).reshape(len(index), 2)
    # the first of equal peaks; SciPy takes any
    peak = np.array([np.unravel_index(np.argmax(np.where(labels == i, wide, -np.inf)), data.shape)
                     for i in index]).reshape(-1, 2)
    flux = ndimage.sum(net, labels, index)
    spread = np.array([((np.argwhere(labels == i) - c) ** 2).sum(0) for i, c in zip(index, centre)]).reshape(-1, 2)
    error = float(std) * np.sqrt(spread) / flux[:, None]
    return dict(label=np.arange(1, len(index) + 1), pixels=sizes[index - 1], flux=flux,
                flux_err=float(std) * np.sqrt(sizes[index - 1]), sum=ndimage.sum(wide, labels, index),
                x=centre[:, 1], y=centre[:, 0], x_err=error[:, 1], y_err=error[:, 0],
                peak=ndimage.maximum(wide, labels, index), peak_x=peak[:, 1],
                peak_y=peak[:, 0], type=data.dtype, small=n - len(index)), median, std


def check_catalogue(got, want, rtol=1e-6):
    for name in ("label", "pixels", "peak_x", "peak_y"):
        np.testing.assert_array_equal(got[name], want[name], name)
    np.testing.assert_array_equal(got["peak"].astype(want["type"]), want["peak"].astype(want["type"]))
    # the background is a mean of float32 values there and of doubles here: sigma differs by its rounding
    for name in ("flux", "sum", "x", "y"):
        np.testing.assert_allclose(got[name], want[name], rtol=1e-9, err_msg=name)
    for name in ("flux_err", "x_err", "y_err"):
        np.testing.assert_allclose(got[name], want[name], rtol=2e-4, err_msg=name)


def body(path):
    return [line for line in open(path) if not line.startswith("#")]
