"""Files of the command: standard input and output, bad input, outputs that cannot be written."""
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

from command import COMMAND, body, cuprite, fails, sky  # noqa: F401

pytestmark = pytest.mark.once


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
