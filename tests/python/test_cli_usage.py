"""How the command fails: bad input, outputs that cannot be written, wrong usage."""
import gzip
import os
import re
import shutil
import signal
import subprocess
import time

import numpy as np
import pytest
from astropy.io import fits
from test_cli import COMMAND, cuprite, fails, sky

pytestmark = pytest.mark.once


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
       "table.fits": "table", "zero.fits": "empty", "nan.fits": "every pixel is NaN",
       "constant.fits": "every pixel is 7", "cube.fits": "3 axes longer than 1 (3 x 9 x 9)", "line.fits": "one axis",
       "infinite.fits": "inf", "damaged.fits.gz": "truncated gzip", "folder.fits": "is a directory",
       "pipe.fits": "not a regular file", "whole.fits[0]": "No such file", "a/b/none.fits": "No such file",
       "new\nline.fits": "No such file", "ls |": "No such file"}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(tmp_path, name):
    bad_files(tmp_path)
    done = fails("sources", name, "--catalog", "c.csv", "--plot", "p.png", cwd=tmp_path, folder=tmp_path,
                 says=BAD[name])
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


@pytest.mark.parametrize("option,path,says", [("--catalog", "no/c.csv", "No such file"),
                                              ("--plot", "no/p.png", "No such"), ("--catalog", "no/c.fits", "No such"),
                                              ("--plot", "file/p.png", "ot a dir")])
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
    lines = done.stdout.splitlines()
    assert lines[0].startswith("# IMAGE") and "label,pixels,flux,flux_err," in done.stdout


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

@pytest.mark.parametrize("arguments", [(), ("nothing",), ("sources",), ("sky",), ("sources", "--wrong"),
                                       ("sources", "-k"), ("sources", "x", "-k", "five"), ("sources", "x", "-k", "-1"),
                                       ("sources", "x", "-knan"), ("sources", "x", "--kappa", "0"),
                                       ("sources", "x", "--stretch", "square"), ("sources", "x", "--min-pixels", "0"),
                                       ("sources", "x", "--connectivity", "6"), ("sky", "x", "--catalog", "x"),
                                       ("sky", "x", "y"), ("sky", "x", "--size", "4"), ("sky", "x", "--size", "1e9"),
                                       ("sky", "x", "--seed", "-1"), ("info", "x"), ("info", "--x"),
                                       ("sources", "x", "--help=1")])
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
    for words in (r"^cuprite +\d", r"^cpu +.*\d+ threads\)", r"^threads +\d+$",
                  r"^files +CFITSIO \d.*WCSLIB \d.*libpng \d", r"pool +used .*limit none"):
        assert re.search(words, text, re.M), words
    assert re.search(r"^(GPU +none: .+|cuda:0 +.+)$", text, re.M)
    done = cuprite("info", env={**os.environ, "CUPRITE_NUM_THREADS": "1"})
    assert re.search(r"^threads +1$", done.stdout, re.M)


def test_threads_do_not_matter(sky, tmp_path):
    for n in ("1", "2", "7"):
        cuprite("sources", sky, "--catalog", tmp_path / f"{n}.csv", "--device", "cpu",
                env={**os.environ, "CUPRITE_NUM_THREADS": n})
    assert (tmp_path / "1.csv").read_bytes() == (tmp_path / "2.csv").read_bytes() == (tmp_path / "7.csv").read_bytes()
