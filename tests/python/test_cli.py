"""The command `cuprite`, driven as a user drives it: what it finds, what it writes, and how it fails."""
import csv
import gzip
import os
import re
import resource
import shutil
import subprocess
import sys

import numpy as np
import pytest
from astropy.io import fits
from astropy.wcs import WCS
from scipy import ndimage

pytestmark = pytest.mark.once

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
BUILD = os.environ.get("CUPRITE_BUILD", os.path.join(ROOT, "build"))
COMMAND = os.path.join(BUILD, "bin", "cuprite")


def cuprite(*arguments, cwd=None, limit=None, memory=None, status=0, **more):
    def before():
        for what, most in (resource.RLIMIT_FSIZE, limit), (resource.RLIMIT_AS, memory):
            if most is not None:
                resource.setrlimit(what, (most, most))

    done = subprocess.run([COMMAND, *map(str, arguments)], cwd=cwd, text=True, capture_output=True, timeout=120,
                          preexec_fn=before if limit or memory else None, **more)
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


# --- the whole of it ---

def test_sources_of_a_sky(sky, tmp_path):
    done = cuprite("sources", sky, "--catalog", tmp_path / "c.csv", "--plot", tmp_path / "p.png", "--device", "cpu")
    data = fits.getdata(sky)
    want, median, std = reference(data)
    got = catalogue(tmp_path / "c.csv")
    check_catalogue(got, want)
    ra, dec = WCS(fits.getheader(sky)).all_pix2world(got["x"], got["y"], 0)
    np.testing.assert_allclose(got["ra"], ra, atol=1e-9, rtol=0)
    np.testing.assert_allclose(got["dec"], dec, atol=1e-9, rtol=0)
    for step in ("read", "transfer", "background", "segmentation", "labelling", "measurement", "write"):
        assert re.search(rf"^{step} +[0-9.]+ ms$", done.stdout, re.M)
    said = re.search(r"median ([^,]+), sigma ([^,]+), (\d+) iterations", done.stdout)
    assert float(said[1]) == pytest.approx(median, rel=1e-4) and float(said[2]) == pytest.approx(std, rel=1e-4)
    assert f"sources:    {len(want['label'])} ({want['small']} groups of fewer than 5 pixels are none)\n" in done.stdout
    lines = done.stdout.split("dec\n")[1].splitlines()
    order = np.argsort(-want["flux"], kind="stable")[:10] + 1  # by total flux, which is in proportion
    assert [int(line.split()[0]) for line in lines] == list(order)
    assert done.stderr == ""


def test_fits_catalogue_is_the_csv_one(sky, tmp_path):
    cuprite("sources", sky, "--catalog", tmp_path / "c.csv")
    cuprite("sources", sky, "--catalog", tmp_path / "c.fits")
    want = catalogue(tmp_path / "c.csv")
    with fits.open(tmp_path / "c.fits") as f:
        f.verify("exception")
        assert f[1].columns.names == list(want)
        assert f[1].columns["flux"].unit == "JY/BEAM" and f[1].columns["ra"].unit == "deg"
        assert f[1].data["peak"].dtype.name == "float32" and f[1].data["label"].dtype.kind == "i"
        for name in want:
            np.testing.assert_array_equal(f[1].data[name].astype(want[name].dtype), want[name].astype(
                f[1].data[name].dtype).astype(want[name].dtype))


def test_threshold_and_clipping(sky, tmp_path):
    cuprite("sources", sky, "-k", 8, "--kappa=2.5", "--catalog", tmp_path / "c.csv")
    check_catalogue(catalogue(tmp_path / "c.csv"), reference(fits.getdata(sky), 8, 2.5)[0])


@pytest.mark.parametrize("dtype", ["u1", "i2", "u2", "i4", "f4", "f8"])
def test_background_that_is_not_zero(tmp_path, dtype):
    rng = np.random.default_rng(5)
    a = rng.normal(100, 5, (90, 130))
    a[20:24, 30:33] += 90
    a[60, 100] += 120
    a = np.rint(a).astype(dtype) if dtype[0] != "f" else a.astype(dtype)
    fits.PrimaryHDU(a).writeto(tmp_path / "x.fits")
    cuprite("sources", tmp_path / "x.fits", "--catalog", tmp_path / "c.csv", "--min-pixels", 1)
    got = catalogue(tmp_path / "c.csv")
    assert 2 <= len(got["label"]) < 10
    check_catalogue(got, reference(a, least=1)[0])
    assert "ra" not in got


@pytest.mark.parametrize("shape", [(1, 1, 128, 128), (128, 1, 128), (1, 128, 128, 1)])
def test_radio_cube_with_degenerate_axes(sky, tmp_path, shape):
    a = fits.getdata(sky)[192:320, 192:320]
    fits.PrimaryHDU(a.reshape(shape)).writeto(tmp_path / "x.fits")
    cuprite("sources", tmp_path / "x.fits", "--catalog", tmp_path / "c.csv")
    check_catalogue(catalogue(tmp_path / "c.csv"), reference(a)[0])


@pytest.mark.parametrize("shape, planes, at", [((3, 128, 128), "1", (1,)), ((2, 1, 3, 128, 128), "1,2", (1, 0, 2)),
                                              ((3, 128, 1, 128), "0", (0,))])
def test_planes_of_a_cube(sky, tmp_path, shape, planes, at):
    rng = np.random.default_rng(1)
    cube = rng.normal(0, 1, shape).astype("f4")
    a = fits.getdata(sky)[192:320, 192:320]
    cube[at] = a.reshape(cube[at].shape)
    header = fits.getheader(sky) if shape[-2] != 1 else None  # the second axis would not be of the sky
    fits.PrimaryHDU(cube, header).writeto(tmp_path / "x.fits")
    fits.PrimaryHDU(a, header).writeto(tmp_path / "y.fits")
    cuprite("sources", tmp_path / "x.fits", "--plane", planes, "--catalog", tmp_path / "c.csv")
    cuprite("sources", tmp_path / "y.fits", "--catalog", tmp_path / "d.csv")
    got = catalogue(tmp_path / "c.csv")
    check_catalogue(got, reference(a)[0])
    for name, value in catalogue(tmp_path / "d.csv").items():
        np.testing.assert_array_equal(got[name], value, name)
    assert [cards(tmp_path / "c.csv")[f"PLANE{i + 1}"] for i in range(planes.count(",") + 1)] == \
        [int(i) for i in planes.split(",")]


def test_extensions(sky, tmp_path):
    a, b = fits.getdata(sky)[180:308, 170:298], fits.getdata(sky)[192:320, 192:320]
    fits.HDUList([fits.PrimaryHDU(a), fits.ImageHDU(a[::-1]), fits.ImageHDU(b)]).writeto(tmp_path / "x.fits")
    for ext, want in ((2, b), ("primary", a), (1, a[::-1]), (None, a)):
        which = () if ext is None else ("--ext", ext)
        cuprite("sources", tmp_path / "x.fits", *which, "--catalog", tmp_path / "c.csv")
        check_catalogue(catalogue(tmp_path / "c.csv"), reference(want)[0])
    assert cards(tmp_path / "c.csv").get("EXTNO") is None
    fails("sources", "x.fits", "--ext", 3, "--catalog", "c2.csv", cwd=tmp_path, folder=tmp_path,
          says="no extension 3, the last one is 2")


@pytest.mark.parametrize("arguments, status, says", [
    (("--plane", "3"), 1, "plane 3 is out of bounds, the axis has 3 (3 x 128 x 128)"),
    (("--plane", "0,0"), 1, "--plane has 2 numbers, the image (3 x 128 x 128) needs 1"),
    (("--plane", "-1"), 2, "option --plane: -1 is not an index"), (("--plane", ""), 2, "option --plane"),
    (("--plane", "1,"), 2, "option --plane"), (("--plane", "1x"), 2, "option --plane"),
    (("--plane", "99999999999999999999"), 2, "option --plane"), (("--ext", "0"), 2, "option --ext"),
    (("--ext", "x"), 2, "option --ext"), (("--plane", "0", "--plot", "x.jpg"), 2, "only PNG files are written"),
    (("--plane", "0", "--plot", "x.PDF"), 2, "only PNG files are written")])
def test_wrong_planes_and_pictures(tmp_path, arguments, status, says):
    fits.PrimaryHDU(np.random.default_rng(0).normal(size=(3, 128, 128)).astype("f4")).writeto(tmp_path / "x.fits")
    fails("sources", "x.fits", *arguments, "--catalog", "c.csv", status=status, says=says, cwd=tmp_path,
          folder=tmp_path)


def test_sky_positions_of_a_cube(sky, tmp_path):
    header = fits.getheader(sky)
    for n, kind in ((3, "FREQ"), (4, "STOKES")):
        header[f"CTYPE{n}"], header[f"CRVAL{n}"] = kind, 1.0
    data = fits.getdata(sky)
    fits.PrimaryHDU(data.reshape(1, 1, *data.shape), header).writeto(tmp_path / "x.fits")
    cuprite("sources", tmp_path / "x.fits", "--catalog", tmp_path / "a.csv")
    cuprite("sources", sky, "--catalog", tmp_path / "b.csv")
    a, b = catalogue(tmp_path / "a.csv"), catalogue(tmp_path / "b.csv")
    for name in b:
        np.testing.assert_allclose(a[name], b[name], rtol=1e-13, err_msg=name)


def test_galactic_positions_are_called_so(sky, tmp_path):
    shutil.copy(sky, tmp_path / "x.fits")
    with fits.open(tmp_path / "x.fits", mode="update") as f:
        f[0].header.update(CTYPE1="GLON-TAN", CTYPE2="GLAT-TAN", CRVAL1=0.1, CRVAL2=0.0)
        del f[0].header["RADESYS"]
    cuprite("sources", tmp_path / "x.fits", "--catalog", tmp_path / "c.csv")
    assert list(catalogue(tmp_path / "c.csv"))[-2:] == ["glon", "glat"]


def body(path):
    return [line for line in open(path) if not line.startswith("#")]


@pytest.mark.filterwarnings("ignore")
def test_packed_files(sky, tmp_path):
    cuprite("sources", sky, "--catalog", tmp_path / "plain.csv")
    (tmp_path / "z.fits.gz").write_bytes(gzip.compress(sky.read_bytes(), 1))
    cuprite("sources", tmp_path / "z.fits.gz", "--catalog", tmp_path / "gz.csv")
    assert body(tmp_path / "gz.csv") == body(tmp_path / "plain.csv")
    fits.CompImageHDU(fits.getdata(sky), fits.getheader(sky), compression_type="GZIP_2",
                      quantize_level=0.0).writeto(tmp_path / "c.fits.fz")
    cuprite("sources", tmp_path / "c.fits.fz", "--catalog", tmp_path / "fz.csv")
    assert body(tmp_path / "fz.csv") == body(tmp_path / "plain.csv")


def test_nan_pixels_are_ignored(sky, tmp_path):
    a = fits.getdata(sky).copy()
    a[100:120, :50] = np.nan
    fits.PrimaryHDU(a).writeto(tmp_path / "x.fits")
    cuprite("sources", tmp_path / "x.fits", "--catalog", tmp_path / "c.csv", "--plot", tmp_path / "p.png")
    check_catalogue(catalogue(tmp_path / "c.csv"), reference(a)[0])


def test_no_sources_is_no_failure(sky, tmp_path):
    done = cuprite("sources", sky, "-k", 1e6, "--catalog", tmp_path / "c.csv", "--plot", tmp_path / "p.png")
    assert "sources:    0\n" in done.stdout
    lines = (tmp_path / "c.csv").read_text().splitlines()
    assert [line for line in lines if line[0] != "#"] == [
        "label,pixels,flux,flux_err,sum,x,y,x_err,y_err,peak,peak_x,peak_y,total_flux,total_flux_err,ra,dec"]
    cuprite("sources", sky, "-k", 1e6, "--catalog", tmp_path / "c.fits")
    with fits.open(tmp_path / "c.fits") as f:
        assert len(f[1].data) == 0 and f[1].columns.names[-1] == "dec"


def panels(picture):
    """Left, right, top, bottom of the image and of the bar in a picture: what is not white, without the frame."""
    page = (picture == 255).all(-1)
    middle = page[:, page.shape[1] // 2]  # a column through the image
    rows = np.flatnonzero(~middle)
    top = rows[0] + 1
    while page[top:, :].any(1)[0] and not (~page[top]).sum() > 10:
        top += 1
    line = ~page[top + 1]
    edges = np.flatnonzero(np.diff(np.concatenate(([0], line.astype(int), [0]))))
    spans = [(a, b) for a, b in zip(edges[::2], edges[1::2]) if b - a > 6]
    left, right = spans[0]
    frame = ~page[:, left]
    bottom = top + np.flatnonzero(np.concatenate((~frame[top:], [True])))[0]
    return left + 1, right - 1, top, bottom - 1, spans[-1]


def orange(picture):
    return (picture == (255, 150, 40)).all(-1)


@pytest.mark.parametrize("stretch", ["log", "asinh"])
def test_plot(sky, tmp_path, stretch):
    from PIL import Image
    cuprite("sources", sky, "--plot", tmp_path / "p.png", "--catalog", tmp_path / "c.csv", "--stretch", stretch)
    whole = np.asarray(Image.open(tmp_path / "p.png").convert("RGB")).astype(int)
    left, right, top, bottom, bar = panels(whole)
    picture = whole[top:bottom, left:right]
    data = fits.getdata(sky)
    assert picture.shape == data.shape + (3,)
    grey = ~orange(picture)
    flipped = data[::-1]
    assert (picture[grey & (flipped < reference(data)[1])] == 0).all()
    order = np.argsort(flipped[grey])
    assert (np.diff(picture[..., 0][grey][order]) >= 0).all()  # brighter is never darker
    assert picture[..., 0][grey].max() < 255  # white is the page's
    for x, y in zip(*[catalogue(tmp_path / "c.csv")[n] for n in "xy"]):
        row, column = int(round(data.shape[0] - 1 - y)), int(round(x))
        assert (~grey)[max(row - 30, 0):row + 31, max(column - 30, 0):column + 31].any()
    shades = whole[top:bottom, (bar[0] + bar[1]) // 2, 0]  # the bar: all shades, brightest on top
    assert (np.diff(shades) <= 0).all() and shades[0] > 250 and shades[-1] == 0
    for part in (whole[bottom + 2:, left:right], whole[top:bottom, :left - 2], whole[top:bottom, bar[1] + 1:]):
        assert (part == 0).all(-1).any()  # ticks and their numbers


def test_no_circle_inside_a_circle(tmp_path):
    """A bright wide source and one that noise or nature put beside it: one circle, and a cross in it."""
    from PIL import Image
    a = np.random.default_rng(0).normal(0, 1, (200, 200))
    y, x = np.mgrid[:200, :200]
    a += 5000 * np.exp(-((x - 100) ** 2 + (y - 100) ** 2) / 2 / 8 ** 2)
    a[(x - 100) ** 2 + (y - 100) ** 2 > 32 ** 2] = 0
    a += np.random.default_rng(1).normal(0, 1, a.shape)
    a[136:139, 99:102] += 100
    fits.PrimaryHDU(a.astype("f4")).writeto(tmp_path / "x.fits")
    cuprite("sources", tmp_path / "x.fits", "--plot", tmp_path / "p.png", "--catalog", tmp_path / "c.csv")
    c = catalogue(tmp_path / "c.csv")
    assert len(c["x"]) == 2
    whole = np.asarray(Image.open(tmp_path / "p.png").convert("RGB")).astype(int)
    left, right, top, bottom, _ = panels(whole)
    marked = orange(whole[top:bottom, left:right])[::-1]
    small = np.argmin(c["pixels"])
    near = marked[int(c["y"][small]) - 8:int(c["y"][small]) + 9, int(c["x"][small]) - 8:int(c["x"][small]) + 9]
    assert 5 <= near.sum() <= 20 and near[8 - 1:8 + 2, 8 - 1:8 + 2].any()  # a cross through its middle, no circle


def test_large_plot_is_reduced(tmp_path):
    from PIL import Image
    a = np.random.default_rng(0).normal(0, 1, (600, 9000)).astype("f4")
    a[20, 4000:4010] = 500
    fits.PrimaryHDU(a).writeto(tmp_path / "x.fits")
    cuprite("sources", tmp_path / "x.fits", "--plot", tmp_path / "p.png")
    whole = np.asarray(Image.open(tmp_path / "p.png").convert("RGB")).astype(int)
    left, right, top, bottom, _ = panels(whole)
    assert (right - left, bottom - top) == (3000, 200)


@pytest.mark.parametrize("size", [(1, 40), (40, 1), (16, 16), (3, 500)])
def test_small_plots(tmp_path, size):
    from PIL import Image
    fits.PrimaryHDU(np.random.default_rng(0).normal(0, 1, (1,) + size).astype("f4")).writeto(tmp_path / "x.fits")
    cuprite("sources", tmp_path / "x.fits", "--plot", tmp_path / "p.png")
    assert min(Image.open(tmp_path / "p.png").size) > max(16, min(size))


# --- what the catalogue says ---

@pytest.mark.parametrize("projection", ["TAN", "CAR"])
@pytest.mark.parametrize("degrees", [1e-300, 1e-18, 3e-18, 1e-17, 3e-17, 1e-16, 3e-16, 1e-15])
def test_pixels_smaller_than_degrees_can_tell_apart(tmp_path, projection, degrees):
    """The sky's coordinates of neighbouring pixels are equal in float64: such axes are counted in pixels."""
    a = np.random.default_rng(1).normal(0, 1, (600, 800)).astype("f4")
    header = fits.Header({"CTYPE1": "RA---" + projection, "CTYPE2": "DEC--" + projection, "CRVAL1": 300.0,
                          "CRVAL2": 60.0, "CDELT1": -degrees, "CDELT2": degrees, "CRPIX1": 5.0, "CRPIX2": 5.0})
    fits.PrimaryHDU(a, header).writeto(tmp_path / "sky.fits")
    fits.PrimaryHDU(a).writeto(tmp_path / "pixels.fits")
    for name in ("sky", "pixels"):
        cuprite("sources", tmp_path / (name + ".fits"), "--plot", tmp_path / (name + ".png"))
    assert (tmp_path / "sky.png").read_bytes() == (tmp_path / "pixels.png").read_bytes()


def test_cards_of_the_catalogue(sky, tmp_path):
    name = "a'b " + "long " * 30 + "é.fits"
    shutil.copy(sky, tmp_path / name)
    cuprite("sources", name, "-k", 6, "--kappa", 2.5, "--min-pixels", 7, "--connectivity", 8, "--catalog", "c.csv",
            cwd=tmp_path)
    cuprite("sources", name, "-k", 6, "--kappa", 2.5, "--min-pixels", 7, "--connectivity", 8, "--catalog", "c.fits",
            cwd=tmp_path)
    want, median, std = reference(fits.getdata(sky), 6, 2.5, 7, True)
    check_catalogue(catalogue(tmp_path / "c.csv"), want)
    for header in (cards(tmp_path / "c.csv"), fits.getheader(tmp_path / "c.fits", 1)):
        assert header["IMAGE"] == name.replace("é", "??")
        assert (header["KAPPA"], header["NSIGMA"], header["MINPIX"], header["CONNECT"]) == (2.5, 6, 7, 8)
        assert header["MEDIAN"] == pytest.approx(median, rel=1e-6) and header["SIGMA"] == pytest.approx(std, rel=1e-4)
        assert header["THRESH"] == pytest.approx(median + 6 * std, rel=1e-4)


def test_flux_by_the_beam(sky, tmp_path):
    """Flux over the beam's area, where the unit is one per beam and the beam is known; else no such column."""
    cuprite("sources", sky, "--catalog", tmp_path / "c.fits")
    with fits.open(tmp_path / "c.fits") as f:
        t, header = f[1].data, f[1].header
        area = 2 * np.pi * 1.5 ** 2
        assert header["BEAMPIX"] == pytest.approx(area, rel=1e-4)
        np.testing.assert_allclose(t["total_flux"], t["flux"] / header["BEAMPIX"], rtol=1e-12)
        np.testing.assert_allclose(t["total_flux_err"],
                                   header["SIGMA"] * np.sqrt(np.maximum(t["pixels"] / header["BEAMPIX"], 1)), rtol=1e-6)
        assert f[1].columns["total_flux"].unit == "Jy"
    for change in (dict(BMAJ=None), dict(BUNIT="K"), dict(BMIN=0.0)):
        shutil.copy(sky, tmp_path / "x.fits")
        with fits.open(tmp_path / "x.fits", mode="update") as f:
            for key, value in change.items():
                if value is None:
                    del f[0].header[key]
                else:
                    f[0].header[key] = value
        cuprite("sources", tmp_path / "x.fits", "--catalog", tmp_path / "d.csv")
        assert "total_flux" not in catalogue(tmp_path / "d.csv")


def test_what_was_painted_is_found(tmp_path):
    """The demo's sky: every source but those that lie in another's pixels, hardly any other, where they were
    painted."""
    cuprite("sky", tmp_path / "s.fits", "--catalog", tmp_path / "painted.csv")
    cuprite("sources", tmp_path / "s.fits", "--catalog", tmp_path / "found.csv")
    p, f = catalogue(tmp_path / "painted.csv"), catalogue(tmp_path / "found.csv")
    assert len(p["x"]) == 201
    distance = np.hypot(p["x"][:, None] - f["x"], p["y"][:, None] - f["y"])
    alone = (np.hypot(p["x"][:, None] - p["x"], p["y"][:, None] - p["y"]) + 1e9 * np.eye(201)).min(1) > 25
    assert alone.sum() > 150 and (distance[alone].min(1) < 1).all()
    assert (distance.min(0) > 3).sum() <= 2 and abs(len(f["x"]) - 201) <= 5
    pairs = [(i, distance[i].argmin()) for i in np.flatnonzero(alone & (p["peak"] < 1.5))]
    threshold = 5 * 0.0133
    for i, j in pairs:  # of a Gaussian 1 - threshold/peak of its flux lies above the threshold
        want = p["sum"][i] * (1 - threshold / p["peak"][i])
        assert abs(f["flux"][j] - want) < 6 * f["flux_err"][j] + 0.1 * want
    assert np.median([distance[i, j] for i, j in pairs]) < 0.12
    said = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "compare_catalogs.py"), tmp_path / "painted.csv",
                           tmp_path / "found.csv"], text=True, capture_output=True, check=True).stdout
    assert re.search(r"painted: +201 sources; found: +(19|20)\d$", said, re.M) and "completeness 9" in said


# --- pixels that are no numbers ---

def test_infinite_pixels_are_passed_over(sky, tmp_path):
    a = fits.getdata(sky).copy()
    nan = a.copy()
    a[10, 20], a[30, 40], a[31, 40] = np.inf, -np.inf, -np.inf
    nan[10, 20] = nan[30, 40] = nan[31, 40] = np.nan
    fits.PrimaryHDU(a).writeto(tmp_path / "x.fits")
    done = cuprite("sources", tmp_path / "x.fits", "--catalog", tmp_path / "c.csv", "--plot", tmp_path / "p.png")
    assert "note:       3 infinite pixels are passed over\n" in done.stdout
    assert cards(tmp_path / "c.csv")["NINF"] == 3
    check_catalogue(catalogue(tmp_path / "c.csv"), reference(nan)[0])


@pytest.mark.parametrize("scale", [2.0 ** 996, 2.0 ** -996])
def test_values_whose_squares_leave_float64(sky, tmp_path, scale):
    a = fits.getdata(sky).astype(float)
    fits.PrimaryHDU(a).writeto(tmp_path / "a.fits")
    fits.PrimaryHDU(a * scale).writeto(tmp_path / "x.fits")
    for name in "ax":
        cuprite("sources", tmp_path / f"{name}.fits", "--catalog", tmp_path / f"{name}.csv", "--plot",
                tmp_path / "p.png")
    want, got = catalogue(tmp_path / "a.csv"), catalogue(tmp_path / "x.csv")
    for name in want:
        by = scale if name in ("flux", "flux_err", "sum", "peak") else 1
        np.testing.assert_allclose(got[name] / by, want[name], rtol=1e-12, err_msg=name)


# --- standard input and output ---

def test_standard_input_and_output(sky, tmp_path):
    cuprite("sources", sky, "--catalog", tmp_path / "c.csv")
    with open(sky, "rb") as f:
        data = f.read()
    for how in (dict(stdin=open(sky, "rb")), dict(input=data)):
        done = subprocess.run([COMMAND, "sources", "-", "--catalog", "-"], capture_output=True, check=True,
                              cwd=tmp_path, **how)
        lines = done.stdout.decode().splitlines(True)
        assert [line for line in lines if line[0] != "#"] == body(tmp_path / "c.csv")
        assert lines[0].startswith("# IMAGE   = 'standard input'") and b"sources: " in done.stderr
    done = subprocess.run([COMMAND, "sources", "-"], input=b"no image", capture_output=True, cwd=tmp_path)
    assert done.returncode == 1 and done.stderr == b"cuprite: sources: -: not a FITS file\n"
    done = subprocess.run([COMMAND, "sky", "-", "--size", "64"], capture_output=True, check=True, cwd=tmp_path)
    assert done.stdout.startswith(b"SIMPLE  =") and len(done.stdout) % 2880 == 0
    done = subprocess.run([COMMAND, "sources", sky, "--plot", "-"], capture_output=True, check=True, cwd=tmp_path)
    assert done.stdout.startswith(b"\x89PNG")
    assert os.listdir(tmp_path) == ["c.csv"]


def test_names_cannot_command_a_terminal(sky, tmp_path):
    name = "a\x1b[31m\u009b1m\r.fits"
    shutil.copy(sky, tmp_path / name)
    done = subprocess.run([COMMAND, "sources", name], cwd=tmp_path, capture_output=True, check=True)
    assert not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]", done.stdout + done.stderr)
    assert done.stdout.startswith(b"a?[31m??1m?.fits: 512 x 512")


def test_out_of_memory_is_said(tmp_path):
    """The words before the message's first colon are the cause here, and no function's name."""
    fails("sky", "x.fits", "--size", 20000, says="cuprite: sky: x.fits: out of memory on ", folder=tmp_path,
          cwd=tmp_path, memory=1 << 30)


def test_several_images(sky, tmp_path):
    shutil.copy(sky, tmp_path / "a.fits")
    cuprite("sky", tmp_path / "b.fit", "--size", 256, "--seed", 9)
    out = tmp_path / "out"
    out.mkdir()
    done = cuprite("sources", "a.fits", "b.fit", "--catalog", out, "--plot", "out/{}-picture.png", cwd=tmp_path)
    assert sorted(os.listdir(out)) == ["a-picture.png", "a.csv", "b-picture.png", "b.csv"]
    assert done.stdout.index("a.fits: 512 x 512") < done.stdout.index("b.fit: 256 x 256")
    cuprite("sources", "b.fit", "--catalog", "alone.csv", cwd=tmp_path)
    assert (tmp_path / "alone.csv").read_text() == (out / "b.csv").read_text()  # cards and all
    (tmp_path / "bad.fits").write_text("no image")
    done = fails("sources", "bad.fits", "b.fit", "--catalog", "out/x-{}.csv", cwd=tmp_path,
                 says="bad.fits: not a FITS file")
    assert "b.fit: 256 x 256" in done.stdout and (out / "x-b.csv").exists()


def test_outputs_that_would_collide(sky, tmp_path):
    shutil.copy(sky, tmp_path / "a.fits")
    shutil.copy(sky, tmp_path / "b.fits")
    os.link(tmp_path / "a.fits", tmp_path / "same.fits")
    before = (tmp_path / "a.fits").read_bytes()
    for arguments in (("a.fits", "b.fits", "--catalog", "c.csv"), ("a.fits", "--catalog", "c", "--plot", "c"),
                      ("a.fits", "--catalog", "a.fits"), ("a.fits", "--catalog", "same.fits"),
                      ("a.fits", "a.fits", "--plot", "{}.png"), ("a.fits", "--catalog", "")):
        fails("sources", *arguments, cwd=tmp_path, status=2, folder=tmp_path)
    assert (tmp_path / "a.fits").read_bytes() == before


# --- the synthetic sky ---

def test_sky_is_what_it_says(tmp_path):
    cuprite("sky", tmp_path / "x.fits", "--size", 400, "--noise", 0.05, "--sources", 0, "--seed", 5)
    with fits.open(tmp_path / "x.fits") as f:
        f.verify("exception")
        data, header = f[0].data, f[0].header
        assert data.dtype == ">f4" and data.shape == (400, 400)
        assert header["BUNIT"] == "JY/BEAM" and WCS(header).has_celestial
        assert WCS(header).all_pix2world(200, 200, 0) == pytest.approx([266.4168, -29.0078])
        assert np.unravel_index(data.argmax(), data.shape) == pytest.approx((200, 200), abs=3)
        noise = np.delete(data.astype(float), slice(150, 250), 0)
        assert noise.std() == pytest.approx(0.05, rel=0.01) and abs(noise.mean()) < 1e-3
        assert abs((noise ** 4).mean() / 0.05 ** 4 - 3) < 0.1 and abs((noise ** 3).mean() / 0.05 ** 3) < 0.05
        assert abs(np.corrcoef(noise[:, 1:].ravel(), noise[:, :-1].ravel())[0, 1]) < 0.02
        assert abs(np.corrcoef(noise[1:149].ravel(), noise[:148].ravel())[0, 1]) < 0.02


def test_same_seed_same_bytes(tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        cuprite("sky", tmp_path / name, "--size", 100, "--seed", seed)
    a, b, c = [(tmp_path / n).read_bytes() for n in "abc"]
    assert a == b != c


@pytest.mark.parametrize("size", [16, 17, 65, 100])
def test_small_skies(tmp_path, size):
    cuprite("sky", tmp_path / "x.fits", "--size", size, "--sources", 3)
    assert fits.getdata(tmp_path / "x.fits").shape == (size, size)


# --- the example, and an installed library ---

def table_of(text):
    return [line.split() for line in text.split("y\n")[1].splitlines()]


def test_example_agrees_with_the_command(sky, tmp_path):
    example = os.path.join(BUILD, "bin", "example_source_finding")
    done = subprocess.run([example, sky, "cpu"], text=True, capture_output=True, check=True)
    cuprite("sources", sky, "--catalog", tmp_path / "c.csv", "--device", "cpu", "--min-pixels", 1)
    c = catalogue(tmp_path / "c.csv")
    order = np.argsort(-c["flux"], kind="stable")[:10]
    want = [[f"{c['label'][i]:.0f}", f"{c['flux'][i]:.6g}", f"{c['x'][i]:.3f}", f"{c['y'][i]:.3f}"] for i in order]
    assert table_of(done.stdout) == want
    for arguments, status in (([], 2), (["none.fits"], 1), ([sky, "toaster"], 1)):
        done = subprocess.run([example, *arguments], text=True, capture_output=True, cwd=tmp_path)
        assert done.returncode == status and done.stderr.count("\n") == 1


def test_installed_library_builds_the_example(sky, tmp_path):
    assert os.path.exists(os.path.join(BUILD, "CMakeCache.txt")), (
        f"{BUILD} is no build tree that CMake made here, so nothing can be installed from it: build, or name one in "
        "CUPRITE_BUILD")
    done = subprocess.run(["cmake", "--install", BUILD, "--prefix", tmp_path / "prefix"], text=True,
                          capture_output=True)
    assert done.returncode == 0, f"cmake --install {BUILD}: {done.stdout}{done.stderr}"
    pc, = (tmp_path / "prefix").rglob("cuprite.pc")
    text = pc.read_text()
    pc.write_text(re.sub(r"^prefix=.*", f"prefix={tmp_path}/prefix", text, flags=re.M))
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "cuprite"],
                           env={**os.environ, "PKG_CONFIG_PATH": str(pc.parent)}, text=True, capture_output=True,
                           check=True).stdout.split()
    source = os.path.join(ROOT, "examples", "source_finding.c")
    assert len(open(source).read().splitlines()) < 100
    subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers", source, *flags,
                    "-o", tmp_path / "example"], check=True)
    environment = {**os.environ, "LD_LIBRARY_PATH": str(pc.parent.parent), "CUPRITE_DEVICE": ""}
    done = subprocess.run([tmp_path / "example", sky], env=environment, text=True, capture_output=True, check=True)
    assert len(table_of(done.stdout)) == 10
    command, = (tmp_path / "prefix").rglob("bin/cuprite")  # finds its libraries where it is installed
    done = subprocess.run([command, "sources", sky], text=True, capture_output=True,
                          env={**os.environ, "CUPRITE_DEVICE": ""})
    assert done.returncode == 0, done.stderr


REAL = os.path.join(ROOT, "..", "shared", "data", "sep-image.fits")


@pytest.mark.skipif(not os.path.exists(REAL), reason="the real image is not here")
def test_real_image(tmp_path, device):
    """A survey image: int16 with BZERO, 337 cards, a celestial WCS between unusual cards."""
    cuprite("sources", REAL, "--device", device, "--catalog", tmp_path / "c.csv", "--plot", tmp_path / "p.png")
    found = catalogue(tmp_path / "c.csv")
    with fits.open(REAL) as f:
        data = f[0].data.astype(np.float32)
    flat = data.ravel()
    while True:
        med, std = np.median(flat), np.std(flat)
        kept = flat[(flat > med - 3 * std) & (flat < med + 3 * std)]
        if len(kept) == len(flat):
            break
        flat = kept
    labels, count = ndimage.label(data > med + 5 * std)
    index = np.flatnonzero(np.bincount(labels.ravel()) >= 5)[1:]
    assert len(found["label"]) == len(index) > 0
    np.testing.assert_array_equal(found["pixels"], np.bincount(labels.ravel())[index])
    # scaling rounds once here, twice there
    np.testing.assert_allclose(found["sum"], ndimage.sum_labels(data.astype(float), labels, index), rtol=1e-6)
    np.testing.assert_allclose(found["flux"], ndimage.sum_labels(data.astype(float) - float(med), labels, index),
                               rtol=1e-4)
    np.testing.assert_allclose(found["peak"], ndimage.maximum(data, labels, index), rtol=1e-6)
    assert os.path.getsize(tmp_path / "p.png") > 1000


def test_progress_is_for_terminals(tmp_path):
    """For a large image a terminal shows which step runs; a pipe gets nothing."""
    noise = np.random.default_rng(5).integers(90, 110, 8193, "u1")
    image = np.tile(noise, (8193, 1))
    image[100:104, 200:204] = 250  # a source, so that there is something to measure
    fits.PrimaryHDU(image).writeto(tmp_path / "large.fits")
    assert cuprite("sources", "large.fits", cwd=tmp_path, status=None).stderr.count("\r") == 0
    ours, theirs = os.openpty()
    done = subprocess.Popen([COMMAND, "sources", "large.fits", "--catalog", "c.csv", "--plot", "p.png"], cwd=tmp_path,
                            stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    said = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # Linux says so when the other side is closed
            break
        if not piece:
            break
        said += piece
    os.close(ours)
    assert done.wait(timeout=60) == 0, said
    for step in (b"read", b"background", b"segmentation", b"labelling", b"measurement", b"write the catalogue",
                 b"draw the picture"):
        assert step in said, said


@pytest.mark.parametrize("wrong", ["foo", "4711", "cuda:4711", "cpu:0", "late:4711"])
def test_wrong_default_device(sky, tmp_path, wrong):
    fails("sources", sky, "--catalog", tmp_path / "c.csv", status=1, says="CUPRITE_DEVICE", folder=tmp_path,
          env=dict(os.environ, CUPRITE_DEVICE=wrong))
    fails("sources", sky, "--device", wrong, "--catalog", tmp_path / "c.csv", status=None, folder=tmp_path)
