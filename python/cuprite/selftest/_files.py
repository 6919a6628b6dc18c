"""Files: NumPy's formats, pictures, texts, and the command `cuprite` with FITS images, in a temporary folder."""
from __future__ import annotations

import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import zlib

import numpy as np

import cuprite as cp
from cuprite.selftest._record import Skipped

_VALUES = [np.arange(24, dtype=np.int16).reshape(2, 3, 4), np.linspace(0, 1, 7), np.array(5.0),
           np.array([[True, False]]), np.arange(4, dtype=np.complex64) * 1j, np.zeros((0, 3), np.float32)]


def _numpy_files(record, folder):
    for number, a in enumerate(_VALUES):
        ours, theirs = folder / f"ours{number}.npy", folder / f"theirs{number}.npy"
        cp.save(ours, cp.asarray(a))
        np.save(theirs, a)
        record.equal(f"save {a.dtype}{a.shape}", lambda: np.load(ours), a)
        record.equal(f"load {a.dtype}{a.shape}", lambda: cp.load(theirs), a)
    for name in ("savez", "savez_compressed"):
        path = folder / f"{name}.npz"
        getattr(cp, name)(path, one=cp.asarray(_VALUES[0]), two=cp.asarray(_VALUES[1]))
        with np.load(path) as archive:
            record.equal(name, lambda: [archive["one"], archive["two"]], _VALUES[:2])
        with cp.load(path) as archive:
            record.equal(f"load what {name} wrote", lambda: [archive["one"], archive["two"]], _VALUES[:2])
    (folder / "cut.npy").write_bytes((folder / "ours0.npy").read_bytes()[:-8])
    record.raises("load of half a file", ValueError, lambda: cp.load(folder / "cut.npy"))
    table = folder / "table.txt"
    cp.savetxt(table, cp.asarray(_VALUES[0][0]), fmt="%d")
    record.equal("savetxt, loadtxt", lambda: cp.loadtxt(table, dtype=np.int16), _VALUES[0][0])


def _grey_png(picture):
    """The bytes of a PNG file, by the format's definition."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = struct.pack(">IIBBBBB", picture.shape[1], picture.shape[0], 8, 0, 0, 0, 0)
    lines = b"".join(b"\0" + row.tobytes() for row in picture)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


def _pictures(record, folder):
    grey = np.arange(48, dtype=np.uint8).reshape(6, 8) * 5
    (folder / "grey.png").write_bytes(_grey_png(grey))
    record.equal("png_read", lambda: cp.io.png_read(folder / "grey.png"), grey)
    colour = np.arange(60, dtype=np.uint8).reshape(4, 5, 3)
    cp.io.png_write(folder / "colour.png", cp.asarray(colour))
    record.equal("png_write, png_read", lambda: cp.io.png_read(folder / "colour.png"), colour)
    (folder / "bad.png").write_bytes(_grey_png(grey)[:-20])
    record.raises("png_read of half a file", ValueError, lambda: cp.io.png_read(folder / "bad.png"))


def _command():
    """The command of this installation: beside the module in a wheel, in the folder bin of a prefix or a build."""
    package = pathlib.Path(cp.__file__).parent
    library = pathlib.Path(cp._core.__file__).parent
    for folder in (package / "bin", library.parent.parent / "bin", *(p / "bin" for p in list(package.parents)[2:4])):
        if os.access(folder / "cuprite", os.X_OK):
            return folder / "cuprite"
    found = shutil.which("cuprite")
    if not found:
        raise Skipped("the command `cuprite` is not installed")
    return found


def _fits(record):
    with tempfile.TemporaryDirectory() as name:
        command, sky = _command(), pathlib.Path(name) / "sky.fits"

        def run(*arguments):
            done = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True, timeout=60,
                                  env={**os.environ, "CUPRITE_DEVICE": "cpu"})
            if done.returncode:
                raise RuntimeError(done.stderr.strip())
            return done.stdout
        record.true("cuprite --version", lambda: cp.__version__ in run("--version"))
        record.true("cuprite sky", lambda: run("sky", sky, "--size", 128, "--sources", 3) is not None)
        data = sky.read_bytes()
        header = {data[i:i + 8].decode().strip(): data[i + 10:i + 80].decode() for i in range(0, 2880, 80)}
        record.true("the FITS file's length", lambda: len(data) % 2880 == 0 and data.startswith(b"SIMPLE  ="))
        record.equal("the FITS header", lambda: [int(header[k].split("/")[0]) for k in ("NAXIS1", "NAXIS2")],
                     [128, 128])
        catalogue = pathlib.Path(name) / "catalogue.csv"
        record.true("cuprite sources", lambda: run("sources", sky, "--catalog", catalogue) is not None)
        rows = [line.split(",") for line in catalogue.read_text().splitlines() if not line.startswith("#")]
        record.true("a catalogue in CSV", lambda: len(rows) > 1 and len(rows[0]) == len(rows[1]))
        table = pathlib.Path(name) / "catalogue.fits"
        record.true("a catalogue in FITS",
                    lambda: (run("sources", sky, "--catalog", table), b"SOURCES" in table.read_bytes())[1])
        record.true("sky positions by WCSLIB", lambda: {"ra", "dec"} <= set(rows[0]))


def _files(record):
    with tempfile.TemporaryDirectory() as name:
        _numpy_files(record, pathlib.Path(name))
        _pictures(record, pathlib.Path(name))


AREAS = {"files": _files, "FITS": _fits}
