"""The command `cuprite`, driven as a user drives it: what it finds, what it writes, and how it fails."""
import csv
import gzip
import os
import re
import resource
import shutil
import signal
import subprocess
import time

import numpy as np
import pytest
from astropy.io import fits
from astropy.wcs import WCS
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
        rows = list(csv.DictReader(f))
    names = rows[0] if rows else []
    return {n: np.array([float(r[n]) for r in rows]) for n in names}


@pytest.fixture(scope="module")
def sky(tmp_path_factory):
    path = tmp_path_factory.mktemp("sky") / "sky.fits"
    cuprite("sky", path, "--size", 512, "--sources", 40, "--seed", 3)
    return path


def reference(data, k=5.0, kappa=3.0):
    """The lesson's steps with NumPy and SciPy."""
    flat = data.ravel()[~np.isnan(data.ravel())]
    while True:
        median, std = np.median(flat), np.std(flat)
        kept = flat[(flat > median - kappa * std) & (flat < median + kappa * std)]
        if kept.size == flat.size:
            break
        flat = kept
    labels, n = ndimage.label(data > median + k * std)
    index = np.arange(1, n + 1)
    wide = data.astype(float)
    centre = np.array(ndimage.center_of_mass(wide, labels, index)).reshape(n, 2)
    # the first of equal peaks; SciPy takes any
    peak = np.array([np.unravel_index(np.argmax(np.where(labels == i, wide, -np.inf)), data.shape) for i in index])
    return dict(label=index, pixels=ndimage.sum(np.ones_like(wide), labels, index), flux=ndimage.sum(wide, labels, index),
                x=centre[:, 1], y=centre[:, 0], peak=ndimage.maximum(wide, labels, index), peak_x=peak[:, 1],
                peak_y=peak[:, 0], type=data.dtype), median, std


def check_catalogue(got, want):
    for name in ("label", "pixels", "peak_x", "peak_y"):
        np.testing.assert_array_equal(got[name], want[name], name)
    np.testing.assert_array_equal(got["peak"].astype(want["type"]), want["peak"].astype(want["type"]))
    for name in ("flux", "x", "y"):
        np.testing.assert_allclose(got[name], want[name], rtol=1e-9, err_msg=name)


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
    assert f"sources:    {len(want['label'])}\n" in done.stdout
    lines = done.stdout.split("dec\n")[1].splitlines()
    order = np.argsort(-want["flux"], kind="stable")[:10] + 1
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
    cuprite("sources", tmp_path / "x.fits", "--catalog", tmp_path / "c.csv")
    got = catalogue(tmp_path / "c.csv")
    assert 2 <= len(got["label"]) < 10
    check_catalogue(got, reference(a)[0])
    assert "ra" not in got


@pytest.mark.parametrize("shape", [(1, 1, 128, 128), (128, 1, 128), (1, 128, 128, 1)])
def test_radio_cube_with_degenerate_axes(sky, tmp_path, shape):
    a = fits.getdata(sky)[192:320, 192:320]
    fits.PrimaryHDU(a.reshape(shape)).writeto(tmp_path / "x.fits")
    cuprite("sources", tmp_path / "x.fits", "--catalog", tmp_path / "c.csv")
    check_catalogue(catalogue(tmp_path / "c.csv"), reference(a)[0])


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
        np.testing.assert_allclose(a[name], b[name], rtol=1e-13)


def test_galactic_positions_are_called_so(sky, tmp_path):
    shutil.copy(sky, tmp_path / "x.fits")
    with fits.open(tmp_path / "x.fits", mode="update") as f:
        f[0].header.update(CTYPE1="GLON-TAN", CTYPE2="GLAT-TAN", CRVAL1=0.1, CRVAL2=0.0)
        del f[0].header["RADESYS"]
    cuprite("sources", tmp_path / "x.fits", "--catalog", tmp_path / "c.csv")
    assert list(catalogue(tmp_path / "c.csv"))[-2:] == ["glon", "glat"]


@pytest.mark.filterwarnings("ignore")
def test_packed_files(sky, tmp_path):
    cuprite("sources", sky, "--catalog", tmp_path / "plain.csv")
    (tmp_path / "z.fits.gz").write_bytes(gzip.compress(sky.read_bytes(), 1))
    cuprite("sources", tmp_path / "z.fits.gz", "--catalog", tmp_path / "gz.csv")
    assert (tmp_path / "gz.csv").read_text() == (tmp_path / "plain.csv").read_text()
    fits.CompImageHDU(fits.getdata(sky), fits.getheader(sky), compression_type="GZIP_2",
                      quantize_level=0.0).writeto(tmp_path / "c.fits.fz")
    cuprite("sources", tmp_path / "c.fits.fz", "--catalog", tmp_path / "fz.csv")
    assert (tmp_path / "fz.csv").read_text() == (tmp_path / "plain.csv").read_text()


def test_nan_pixels_are_ignored(sky, tmp_path):
    a = fits.getdata(sky).copy()
    a[100:120, :50] = np.nan
    fits.PrimaryHDU(a).writeto(tmp_path / "x.fits")
    cuprite("sources", tmp_path / "x.fits", "--catalog", tmp_path / "c.csv", "--plot", tmp_path / "p.png")
    check_catalogue(catalogue(tmp_path / "c.csv"), reference(a)[0])


def test_no_sources_is_no_failure(sky, tmp_path):
    done = cuprite("sources", sky, "-k", 1e6, "--catalog", tmp_path / "c.csv", "--plot", tmp_path / "p.png")
    assert "sources:    0\n" in done.stdout
    assert (tmp_path / "c.csv").read_text() == "label,pixels,flux,x,y,peak,peak_x,peak_y,ra,dec\n"
    cuprite("sources", sky, "-k", 1e6, "--catalog", tmp_path / "c.fits")
    with fits.open(tmp_path / "c.fits") as f:
        assert len(f[1].data) == 0 and f[1].columns.names[-1] == "dec"


@pytest.mark.parametrize("stretch", ["log", "asinh"])
def test_plot(sky, tmp_path, stretch):
    from PIL import Image
    cuprite("sources", sky, "--plot", tmp_path / "p.png", "--catalog", tmp_path / "c.csv", "--stretch", stretch)
    picture = np.asarray(Image.open(tmp_path / "p.png").convert("RGB")).astype(int)
    data = fits.getdata(sky)
    assert picture.shape == data.shape + (3,)
    grey = (picture[..., 0] == picture[..., 1]) & (picture[..., 1] == picture[..., 2])
    flipped = data[::-1]
    assert (picture[grey & (flipped < reference(data)[1])] == 0).all()
    order = np.argsort(flipped[grey])
    assert (np.diff(picture[..., 0][grey][order]) >= 0).all()  # brighter is never darker
    marked = ~grey
    for x, y in zip(*[catalogue(tmp_path / "c.csv")[n] for n in "xy"]):
        row, column = int(round(data.shape[0] - 1 - y)), int(round(x))
        assert marked[max(row - 30, 0):row + 31, max(column - 30, 0):column + 31].any()


def test_large_plot_is_reduced(tmp_path):
    from PIL import Image
    a = np.random.default_rng(0).normal(0, 1, (40, 9000)).astype("f4")
    a[20, 4000:4010] = 500
    fits.PrimaryHDU(a).writeto(tmp_path / "x.fits")
    cuprite("sources", tmp_path / "x.fits", "--plot", tmp_path / "p.png")
    assert Image.open(tmp_path / "p.png").size == (3000, 14)


def test_several_images(sky, tmp_path):
    shutil.copy(sky, tmp_path / "a.fits")
    cuprite("sky", tmp_path / "b.fit", "--size", 256, "--seed", 9)
    out = tmp_path / "out"
    out.mkdir()
    done = cuprite("sources", "a.fits", "b.fit", "--catalog", out, "--plot", "out/{}-picture.png", cwd=tmp_path)
    assert sorted(os.listdir(out)) == ["a-picture.png", "a.csv", "b-picture.png", "b.csv"]
    assert done.stdout.index("a.fits: 512 x 512") < done.stdout.index("b.fit: 256 x 256")
    cuprite("sources", "b.fit", "--catalog", "alone.csv", cwd=tmp_path)
    assert (tmp_path / "alone.csv").read_text() == (out / "b.csv").read_text()
    (tmp_path / "bad.fits").write_text("no image")
    done = fails("sources", "bad.fits", "b.fit", "--catalog", "out/x-{}.csv", cwd=tmp_path, says="bad.fits: not a FITS file")
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


# --- bad input ---

def bad_files(folder):
    def image(name, a):
        fits.PrimaryHDU(a).writeto(folder / name)
    noise = np.random.default_rng(0).normal(0, 1, (64, 64)).astype("f4")
    (folder / "text.fits").write_text("these are words\n" * 500)
    (folder / "nothing.fits").write_bytes(b"")
    image("whole.fits", noise)
    (folder / "truncated.fits").write_bytes((folder / "whole.fits").read_bytes()[:9000])
    (folder / "half-header.fits").write_bytes((folder / "whole.fits").read_bytes()[:1000])
    fits.PrimaryHDU().writeto(folder / "empty-hdu.fits")
    fits.BinTableHDU.from_columns([fits.Column("c", "J", array=[1, 2])]).writeto(folder / "table.fits")
    image("zero.fits", np.zeros((5, 0), "f4"))
    image("nan.fits", np.full((9, 9), np.nan, "f4"))
    image("constant.fits", np.full((9, 9), 7, "i2"))
    image("cube.fits", np.zeros((3, 9, 9), "f4"))
    image("line.fits", noise.ravel())
    image("infinite.fits", np.full((9, 9), np.inf, "f4"))
    (folder / "damaged.fits.gz").write_bytes(gzip.compress((folder / "whole.fits").read_bytes())[:-100])
    os.mkdir(folder / "folder.fits")
    os.mkfifo(folder / "pipe.fits")


BAD = {"none.fits": "No such file", "text.fits": "not a FITS file", "nothing.fits": "the file is empty",
       "truncated.fits": "truncated", "half-header.fits": "", "empty-hdu.fits": "no image",
       "table.fits": "table", "zero.fits": "empty", "nan.fits": "every pixel is NaN", "constant.fits": "every pixel is 7",
       "cube.fits": "3 axes longer than 1 (3 x 9 x 9)", "line.fits": "one axis", "infinite.fits": "inf",
       "damaged.fits.gz": "truncated gzip", "folder.fits": "is a directory", "pipe.fits": "not a regular file",
       "whole.fits[0]": "No such file", "a/b/none.fits": "No such file", "new\nline.fits": "No such file",
       "ls |": "No such file"}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(tmp_path, name):
    bad_files(tmp_path)
    done = fails("sources", name, "--catalog", "c.csv", "--plot", "p.png", cwd=tmp_path, folder=tmp_path, says=BAD[name])
    assert done.stderr.startswith(f"cuprite: sources: {name}: ".replace("\n", "?"))
    assert done.stdout == ""


def test_unreadable_file(sky):
    """Root may read everything: then the command runs as somebody else, where that user can reach it."""
    path = "/tmp/cuprite-unreadable-%d.fits" % os.getpid()
    shutil.copy(sky, path)
    os.chmod(path, 0)
    other = dict(user=65534, group=65534) if os.geteuid() == 0 else {}
    try:
        done = subprocess.run([COMMAND, "sources", path], text=True, capture_output=True, **other)
    except PermissionError:
        return
    finally:
        os.unlink(path)
    assert done.returncode == 1 and done.stderr == f"cuprite: sources: {path}: Permission denied\n"


@pytest.mark.parametrize("option,path,says", [("--catalog", "no/c.csv", "No such file"), ("--plot", "no/p.png", "No such"),
                                              ("--catalog", "no/c.fits", "No such"), ("--plot", "file/p.png", "ot a dir")])
def test_output_folder_that_is_missing(sky, tmp_path, option, path, says):
    (tmp_path / "file").write_text("")
    fails("sources", sky, option, path, cwd=tmp_path, folder=tmp_path, says=says)
    fails("sky", path, "--size", 32, cwd=tmp_path, folder=tmp_path, says=says)


@pytest.mark.parametrize("option,path", [("--catalog", "c.csv"), ("--catalog", "c.fits"), ("--plot", "p.png")])
def test_no_space_left_for_the_output(sky, tmp_path, option, path):
    fails("sources", sky, option, path, cwd=tmp_path, folder=tmp_path, limit=1000, says=f"{path}: File too large")
    (tmp_path / path).write_text("what was there")
    fails("sources", sky, option, path, cwd=tmp_path, folder=tmp_path, limit=1000)
    assert (tmp_path / path).read_text() == "what was there"
    fails("sky", "s.fits", "--size", 64, cwd=tmp_path, folder=tmp_path, limit=10000, says="File too large")


def test_device_that_is_full(sky, tmp_path):
    fails("sources", sky, "--catalog", "/dev/full", says="No space left")
    fails("sky", "/dev/full", "--size", 64, says="No space left")
    assert not os.path.isfile("/dev/full")
    with open("/dev/full", "w") as full:
        done = subprocess.run([COMMAND, "sources", sky], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "No space left" in done.stderr


def test_catalogue_to_a_pipe(sky):
    done = cuprite("sources", sky, "--catalog", "/dev/stdout")
    assert done.stdout.startswith("label,pixels,flux,x,y,peak,peak_x,peak_y,ra,dec\n1,")


def test_output_appended_to_a_file(sky, tmp_path):
    """A descriptor is what the shell made of it: nothing is replaced, nothing is overwritten."""
    for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
        (tmp_path / "acc").write_text("earlier\n")
        with open(tmp_path / "acc", "a") as acc:
            subprocess.run([COMMAND, "sky", "--size", "64", name], stdout=acc, check=True)
        assert (tmp_path / "acc").read_bytes().startswith(b"earlier\nSIMPLE  =")
    os.symlink("/dev/stdout", tmp_path / "out.fits")
    (tmp_path / "acc").write_text("earlier\n")
    with open(tmp_path / "acc", "a") as acc:
        subprocess.run([COMMAND, "sky", "--size", "64", tmp_path / "out.fits"], stdout=acc, check=True)
    assert (tmp_path / "acc").read_bytes().startswith(b"earlier\nSIMPLE  =") and os.path.islink(tmp_path / "out.fits")


def test_links_as_outputs(tmp_path):
    """A link stays and its end is written, be it there or not; a loop of links is an error."""
    os.mkdir(tmp_path / "far")
    os.symlink("far/end.fits", tmp_path / "near.fits")
    os.symlink("near.fits", tmp_path / "first.fits")
    for round in range(2):  # the end is not there, then it is
        cuprite("sky", "first.fits", "--size", 32, "--seed", round, cwd=tmp_path)
        assert os.path.islink(tmp_path / "first.fits") and os.path.islink(tmp_path / "near.fits")
        assert fits.getdata(tmp_path / "far" / "end.fits").shape == (32, 32)
        assert os.listdir(tmp_path / "far") == ["end.fits"]
    os.symlink("b", tmp_path / "a")
    os.symlink("a", tmp_path / "b")
    fails("sky", "a", "--size", 32, cwd=tmp_path, folder=tmp_path, says="a: Too many levels of symbolic links")
    os.symlink("none/x", tmp_path / "nowhere")
    fails("sky", "nowhere", "--size", 32, cwd=tmp_path, folder=tmp_path, says="nowhere: No such file")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_ending_the_command_leaves_nothing(tmp_path, how):
    for i in range(12):
        done = subprocess.Popen([COMMAND, "sky", "x.fits", "--size", "3000", "--sources", "0"], cwd=tmp_path,
                                stderr=subprocess.PIPE)
        time.sleep(0.05 + 0.03 * i)
        done.send_signal(how)
        done.communicate(timeout=60)
        assert os.listdir(tmp_path) in ([], ["x.fits"])


def test_unknown_devices(sky):
    fails("sources", sky, "--device", "toaster", status=2, says="device toaster")
    fails("sources", sky, "--device", "cuda:99", says="device cuda:99")


# --- usage ---

@pytest.mark.parametrize("arguments", [(), ("nothing",), ("sources",), ("sky",), ("sources", "--wrong"), ("sources", "-k"),
                                       ("sources", "x", "-k", "five"), ("sources", "x", "-k", "-1"), ("sources", "x", "-knan"),
                                       ("sources", "x", "--kappa", "0"), ("sources", "x", "--stretch", "square"),
                                       ("sky", "x", "y"), ("sky", "x", "--size", "4"), ("sky", "x", "--size", "1e9"),
                                       ("sky", "x", "--seed", "-1"), ("info", "x"), ("info", "--x"), ("sources", "x", "--help=1")])
def test_wrong_usage(arguments, tmp_path):
    done = cuprite(*arguments, status=2, cwd=tmp_path)
    assert done.stdout == "" and done.stderr
    assert os.listdir(tmp_path) == []


def test_help_and_version():
    version = cuprite("--version").stdout
    assert re.fullmatch(r"cuprite \d+\.\d+\.\d+\n", version)
    assert all(word in cuprite("--help").stdout for word in ("sources", "sky", "info"))
    for command in ("sources", "sky", "info"):
        assert cuprite(command, "--help").stdout.startswith(f"usage: cuprite {command}")


def test_names_that_look_like_options(sky, tmp_path):
    shutil.copy(sky, tmp_path / "-k.fits")
    cuprite("sources", "--", "-k.fits", cwd=tmp_path)
    cuprite("sources", "./-k.fits", "-k6", cwd=tmp_path)


def test_info():
    text = cuprite("info").stdout
    for words in (r"^cuprite +\d", r"^cpu +.*\d+ threads\)", r"^threads +\d+$", r"^files +CFITSIO \d.*WCSLIB \d.*libpng \d",
                  r"pool +used .*limit none"):
        assert re.search(words, text, re.M), words
    assert re.search(r"^(GPU +none: .+|cuda:0 +.+)$", text, re.M)
    done = cuprite("info", env={**os.environ, "CUPRITE_NUM_THREADS": "1"})
    assert re.search(r"^threads +1$", done.stdout, re.M)


def test_threads_do_not_matter(sky, tmp_path):
    for n in ("1", "2", "7"):
        cuprite("sources", sky, "--catalog", tmp_path / f"{n}.csv", "--device", "cpu",
                env={**os.environ, "CUPRITE_NUM_THREADS": n})
    assert (tmp_path / "1.csv").read_bytes() == (tmp_path / "2.csv").read_bytes() == (tmp_path / "7.csv").read_bytes()


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
    cuprite("sources", sky, "--catalog", tmp_path / "c.csv", "--device", "cpu")
    c = catalogue(tmp_path / "c.csv")
    order = np.argsort(-c["flux"], kind="stable")[:10]
    want = [[f"{c['label'][i]:.0f}", f"{c['flux'][i]:.6g}", f"{c['x'][i]:.3f}", f"{c['y'][i]:.3f}"] for i in order]
    assert table_of(done.stdout) == want
    for arguments, status in (([], 2), (["none.fits"], 1), ([sky, "toaster"], 1)):
        done = subprocess.run([example, *arguments], text=True, capture_output=True, cwd=tmp_path)
        assert done.returncode == status and done.stderr.count("\n") == 1


def test_installed_library_builds_the_example(sky, tmp_path):
    assert os.path.exists(os.path.join(BUILD, "CMakeCache.txt")), \
        f"{BUILD} is no build tree that CMake made here, so nothing can be installed from it: build, or name one in CUPRITE_BUILD"
    done = subprocess.run(["cmake", "--install", BUILD, "--prefix", tmp_path / "prefix"], text=True, capture_output=True)
    assert done.returncode == 0, f"cmake --install {BUILD}: {done.stdout}{done.stderr}"
    pc, = (tmp_path / "prefix").rglob("cuprite.pc")
    text = pc.read_text()
    pc.write_text(re.sub(r"^prefix=.*", f"prefix={tmp_path}/prefix", text, flags=re.M))
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "cuprite"], env={**os.environ, "PKG_CONFIG_PATH": str(pc.parent)},
                           text=True, capture_output=True, check=True).stdout.split()
    source = os.path.join(ROOT, "examples", "source_finding.c")
    assert len(open(source).read().splitlines()) < 100
    subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers", source, *flags,
                    "-o", tmp_path / "example"], check=True)
    environment = {**os.environ, "LD_LIBRARY_PATH": str(pc.parent.parent)}
    done = subprocess.run([tmp_path / "example", sky], env=environment, text=True, capture_output=True, check=True)
    assert len(table_of(done.stdout)) == 10
    command, = (tmp_path / "prefix").rglob("bin/cuprite")  # finds its libraries where it is installed
    done = subprocess.run([command, "sources", sky], text=True, capture_output=True)
    assert done.returncode == 0, done.stderr


REAL = os.path.join(ROOT, "..", "shared", "data", "sep-image.fits")


@pytest.mark.skipif(not os.path.exists(REAL), reason="the real image is not here")
def test_real_image(tmp_path, device):
    """A survey image: int16 with BZERO, 337 cards, a celestial WCS among odd ones."""
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
    index = np.arange(1, count + 1)
    assert len(found["label"]) == count > 0
    np.testing.assert_array_equal(found["pixels"], np.bincount(labels.ravel())[1:])
    np.testing.assert_allclose(found["flux"], ndimage.sum_labels(data.astype(float), labels, index), rtol=1e-6)  # scaling rounds once here, twice there
    np.testing.assert_allclose(found["peak"], ndimage.maximum(data, labels, index), rtol=1e-6)
    assert os.path.getsize(tmp_path / "p.png") > 1000


def test_progress_is_for_terminals(tmp_path):
    """A large image tells a terminal which step runs, and tells a pipe nothing."""
    noise = np.random.default_rng(5).integers(90, 110, 8193, "u1")
    image = np.tile(noise, (8193, 1))
    image[100:104, 200:204] = 250  # a source, so that there is something to measure
    fits.PrimaryHDU(image).writeto(tmp_path / "large.fits")
    assert cuprite("sources", "large.fits", cwd=tmp_path, status=None).stderr.count("\r") == 0
    ours, theirs = os.openpty()
    done = subprocess.Popen([COMMAND, "sources", "large.fits"], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=theirs)
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
    for step in (b"background", b"segmentation", b"labelling", b"measurement"):
        assert step in said, said


@pytest.mark.parametrize("wrong", ["foo", "4711", "cuda:4711", "cpu:0", "late:4711"])
def test_wrong_default_device(sky, tmp_path, wrong):
    fails("sources", sky, "--catalog", tmp_path / "c.csv", status=1, says="CUPRITE_DEVICE", folder=tmp_path,
          env=dict(os.environ, CUPRITE_DEVICE=wrong))
    fails("sources", sky, "--device", wrong, "--catalog", tmp_path / "c.csv", status=None, folder=tmp_path)
