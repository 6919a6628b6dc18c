"""`cuprite sources --memory`: an image in tiles of lines gives the whole image's catalogue, in the memory allowed."""
import re
import subprocess
import sys

import numpy as np
import pytest
from astropy.io import fits

from test_cli import COMMAND, cards, catalogue, cuprite, fails

pytestmark = pytest.mark.once


def an_image(shape=(200, 150), seed=1):
    r = np.random.default_rng(seed)
    x = r.normal(0, 1, shape)
    y = np.arange(shape[0])[:, None] - r.uniform(0, shape[0], 40)
    z = np.arange(shape[1])[:, None] - r.uniform(0, shape[1], 40)
    return x + np.einsum("yk,xk->yx", np.exp(-y**2 / 20), 40 * np.exp(-z**2 / 10))


def the_same(folder, memory, *options, tiles=None):
    """Runs both ways; the catalogues agree but for rounding."""
    cuprite("sources", "x.fits", "--device", "cpu", *options, "--catalog", "whole.csv", cwd=folder)
    done = cuprite("sources", "x.fits", "--device", "cpu", *options, "--catalog", "tiles.csv", "--memory", memory,
                   cwd=folder)
    found = re.search(r"in (\d+) tiles of (\d+) lines, within", done.stdout)
    assert found and (tiles is None or int(found[1]) == tiles), done.stdout
    a, b = catalogue(folder / "whole.csv"), catalogue(folder / "tiles.csv")
    assert list(a) == list(b) and len(a["label"]) > 0
    for name in a:
        error = name.endswith("_err")
        np.testing.assert_allclose(b[name], a[name], rtol=1e-7 if error else 1e-12, atol=1e-5 if error else 0)
    one, two = cards(folder / "whole.csv"), cards(folder / "tiles.csv")
    assert list(one) == list(two)
    assert all(one[k] == two[k] or np.isclose(one[k], two[k], rtol=1e-12, atol=0) for k in one if k)
    return a


@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize("dtype", ["f4", "f8", "u1", "i2", "u2", "i4", "i8"])
def test_types(tmp_path, dtype, connectivity):
    x = an_image()
    x = x.astype(dtype) if dtype[0] == "f" else (x * 4 + 30).clip(0, 255).round().astype(dtype)
    fits.writeto(tmp_path / "x.fits", x)
    the_same(tmp_path, "80K", "-k", 1.5, "--min-pixels", 1, "--connectivity", connectivity)


@pytest.mark.parametrize("memory, tiles", [("8K", 200), ("100K", None), ("330K", 4)])
def test_sizes(tmp_path, memory, tiles):
    fits.writeto(tmp_path / "x.fits", an_image().astype("f4"))
    the_same(tmp_path, memory, "-k", 2, tiles=tiles)


def test_one_source_through_all_bands(tmp_path):
    x = np.random.default_rng(2).normal(0, 1, (120, 90)).astype("f4")
    for i in range(0, 90, 10):
        x[5:115, i] = 100
        x[114 if i % 20 else 5, i:i + 11] = 100
    fits.writeto(tmp_path / "x.fits", x)
    found = the_same(tmp_path, "30K", "--kappa", 2)
    assert len(found["label"]) == 1 and found["pixels"][0] > 1000


def test_planes_extensions_and_undefined_pixels(tmp_path):
    cube = np.zeros((2, 1, 3, 80, 90), "f4")
    cube[1, 0, 2] = an_image((80, 90))
    cube[1, 0, 2, 30:33, 40:60] = np.nan
    cube[1, 0, 2, 50, 7] = np.inf
    hdu = fits.ImageHDU(cube)
    fits.HDUList([fits.PrimaryHDU(), hdu]).writeto(tmp_path / "x.fits")
    the_same(tmp_path, "50K", "--plane", "1,2", "--ext", 1)
    blank = (an_image() * 8 + 100).astype("i2")
    blank[3, 4:90] = -99
    hdu = fits.PrimaryHDU(blank)
    hdu.header["BLANK"] = -99
    hdu.writeto(tmp_path / "x.fits", overwrite=True)
    the_same(tmp_path, "100K")


def test_what_fits_is_taken_whole(tmp_path):
    fits.writeto(tmp_path / "x.fits", an_image().astype("f4"))
    assert "tiles" not in cuprite("sources", "x.fits", "--memory", "1G", cwd=tmp_path).stdout


def test_the_memory_is_kept(tmp_path):
    """64 MB of pixels; the process needs some 40 MB for itself."""
    x = np.random.default_rng(3).normal(0, 1, (4000, 4000)).astype("f4")
    x[1000:1010, 2000:2010] = 50
    fits.writeto(tmp_path / "x.fits", x)
    most = {}
    for memory in ("1G", "20M"):
        program = "import os, sys; p = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]); print(os.wait4(p, 0)[1:])"
        done = subprocess.run([sys.executable, "-SIc", program, COMMAND, "sources", "x.fits", "--device", "cpu",
                               "--memory", memory], cwd=tmp_path, capture_output=True, text=True)
        assert done.stdout.splitlines()[-1].startswith("(0, "), done.stdout
        most[memory] = int(re.search(r"ru_maxrss=(\d+)", done.stdout)[1]) / 1024
    assert most["20M"] < 80 < 100 < most["1G"], most


def test_refusals(tmp_path):
    fits.writeto(tmp_path / "x.fits", an_image().astype("f4"))
    fits.HDUList([fits.PrimaryHDU(), fits.CompImageHDU(an_image().astype("f4"))]).writeto(tmp_path / "c.fits")
    fits.writeto(tmp_path / "constant.fits", np.ones((100, 100), "f4"))
    fits.writeto(tmp_path / "nan.fits", np.full((100, 100), np.nan, "f4"))
    for value in ("", "x", "-5", "0", "4X", "1e30", "5GBB", "nan", "inf", "0x10G", "4 G", "5M\n", "1G;",
                  "18446744073709551616"):
        fails("sources", "x.fits", "--memory", value, cwd=tmp_path, status=2, says="no size such as 4G")
    fails("sources", "x.fits", "--memory", "5K", cwd=tmp_path, says="too little for a line")
    fails("sources", "c.fits", "--memory", "50K", cwd=tmp_path, says="compressed images are not read in parts")
    fails("sources", "constant.fits", "--memory", "50K", cwd=tmp_path, says="no background")
    fails("sources", "nan.fits", "--memory", "50K", cwd=tmp_path, says="no background")
    fails("sources", "none.fits", "--memory", "50K", cwd=tmp_path, says="none.fits")
    fails("sources", "x.fits", "--memory", "50K", "--plot", "x.png", cwd=tmp_path, status=2, says="--plot needs")
