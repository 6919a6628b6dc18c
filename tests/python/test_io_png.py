"""PNG files: every colour type and depth, interlaced or not, made here by the format's definition; damaged ones."""
import random
import struct
import zlib

import cuprite as cp
import numpy as np
import pytest
from cuprite import io
from PIL import Image

ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(name, data, crc=None):
    crc = zlib.crc32(name + data) if crc is None else crc
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", crc)


def rows(samples, depth):
    """Bytes of the scan lines of (height, width, channels) samples, each behind the filter's number, 0."""
    if depth == 16:
        flat = samples.astype(">u2").reshape(len(samples), -1).view("u1")
    elif depth == 8:
        flat = samples.astype("u1").reshape(len(samples), -1)
    else:
        bits = (samples.reshape(len(samples), -1, 1) >> np.arange(depth - 1, -1, -1)) & 1
        flat = np.packbits(bits.reshape(len(samples), -1), axis=1)
    return b"".join(b"\0" + bytes(line) for line in flat)


def png(samples, depth, colour, interlaced=False, before=b"", level=6):
    """A file of these samples: colour type 0, 2, 3, 4 or 6."""
    height, width = samples.shape[:2]
    if interlaced:
        parts = [samples[y::down, x::across] for x, y, across, down in ADAM7]
        data = b"".join(rows(p, depth) for p in parts if p.size)
    else:
        data = rows(samples, depth)
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, int(interlaced))
    data = chunk(b"IDAT", zlib.compress(data, level))
    return SIGNATURE + chunk(b"IHDR", head) + before + data + chunk(b"IEND", b"")


def read(tmp_path, data):
    (tmp_path / "x.png").write_bytes(data)
    return cp.asnumpy(io.png_read(tmp_path / "x.png"))


@pytest.mark.parametrize("interlaced", [False, True])
@pytest.mark.parametrize("colour, depth", [(0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (3, 1), (3, 2),
                                           (3, 4), (3, 8), (4, 8), (4, 16), (6, 8), (6, 16)])
@pytest.mark.parametrize("shape", [(1, 1), (7, 5), (33, 18), (3, 100)])
def test_every_kind(tmp_path, colour, depth, interlaced, shape):
    rng = np.random.default_rng(depth)
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
    x = rng.integers(0, 2 ** depth, (*shape, channels))
    palette = rng.integers(0, 256, (2 ** depth, 3))
    clear = rng.integers(0, 256, 2 ** depth)
    colours = chunk(b"PLTE", palette.astype("u1").tobytes())
    got = read(tmp_path, png(x, depth, colour, interlaced, colours if colour == 3 else b""))
    want = palette[x[..., 0]] if colour == 3 else x * (255 // (2 ** depth - 1)) if depth < 8 else x
    assert got.dtype == ("uint16" if depth == 16 else "uint8")
    np.testing.assert_array_equal(got, want[..., 0] if want.shape[2] == 1 else want)
    if colour == 3:  # a palette with alpha
        got = read(tmp_path, png(x, depth, 3, interlaced, colours + chunk(b"tRNS", clear.astype("u1").tobytes())))
        np.testing.assert_array_equal(got, np.concatenate([want, clear[x]], axis=2))
    if colour in (0, 2):  # one colour that is transparent
        one = x[0, 0]
        got = read(tmp_path, png(x, depth, colour, interlaced, chunk(b"tRNS", one.astype(">u2").tobytes())))
        alpha = np.where((x == one).all(axis=2, keepdims=True), 0, 2 ** max(depth, 8) - 1)
        np.testing.assert_array_equal(got, np.concatenate([want, alpha], axis=2))


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_of_another_writer(tmp_path, mode):
    rng = np.random.default_rng(1)
    if mode == "I;16":
        picture = Image.fromarray(rng.integers(0, 65536, (9, 14)).astype("u2"))
    else:
        picture = Image.fromarray(rng.integers(0, 256, (9, 14, 4)).astype("u1"), "RGBA")
        picture = (picture.convert("RGB") if mode == "P" else picture).convert(mode)
    picture.save(tmp_path / "x.png")
    want = np.asarray(picture.convert({"P": "RGB", "1": "L"}.get(mode, mode)))
    np.testing.assert_array_equal(cp.asnumpy(io.png_read(tmp_path / "x.png")), want)


@pytest.mark.parametrize("shape", [(5, 7), (5, 7, 3), (400, 300, 3)])
def test_back_again(tmp_path, shape):
    x = np.random.default_rng(2).integers(0, 256, shape).astype("u1")
    io.png_write(tmp_path / "x.png", cp.asarray(x))
    np.testing.assert_array_equal(cp.asnumpy(io.png_read(str(tmp_path / "x.png"))), x)
    np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / "x.png").convert("RGB" if x.ndim == 3 else "L")), x)


GOOD = png(np.random.default_rng(3).integers(0, 256, (20, 30, 3)), 8, 2)
LACED = png(np.random.default_rng(3).integers(0, 4, (20, 30, 1)), 2, 0, True)


@pytest.mark.once
def test_cut_off(tmp_path):
    for data in (GOOD, LACED):
        for n in range(0, len(data), 3):
            with pytest.raises(ValueError, match="x.png"):
                read(tmp_path, data[:n])


@pytest.mark.once
@pytest.mark.parametrize("good", [GOOD, LACED])
def test_damaged_bytes(tmp_path, good):
    """Each byte of a file in turn, and several at once: an error, or (where the sums do not cover it) a picture."""
    dice = random.Random(4)
    for at in range(len(good)):
        bad = bytearray(good)
        for place in {at, *(dice.randrange(len(good)) for _ in range(dice.choice((0, 0, 3))))}:
            bad[place] ^= 1 << dice.randrange(8)
        try:
            read(tmp_path, bytes(bad))
        except ValueError as e:
            assert "x.png" in str(e)


@pytest.mark.once
@pytest.mark.parametrize("good", [GOOD, LACED])
def test_damaged_numbers(tmp_path, good):
    """Numbers of the header, with sums that are right: sizes, depths and kinds that the data are not of."""
    dice = random.Random(5)
    for _ in range(400):
        head = list(struct.unpack(">IIBBBBB", good[16:29]))
        for i in dice.sample(range(7), dice.choice((1, 1, 2))):
            head[i] = dice.choice((0, 1, 2, 3, 4, 6, 8, 16, 31, 255) + ((2**31 - 1, 2**32 - 1, 65536) if i < 2 else ()))
        try:
            read(tmp_path, SIGNATURE + chunk(b"IHDR", struct.pack(">IIBBBBB", *head)) + good[33:])
        except ValueError as e:
            assert "x.png" in str(e)


@pytest.mark.once
def test_refused(tmp_path):
    head = lambda w, h, depth=8, colour=2: chunk(b"IHDR", struct.pack(">IIBBBBB", w, h, depth, colour, 0, 0, 0))
    data, end = chunk(b"IDAT", zlib.compress(bytes(100))), chunk(b"IEND", b"")
    for text, what in (
            (b"", "no PNG"), (b"GIF89a", "no PNG"), (SIGNATURE, "too early"), (SIGNATURE + end, "libpng"),
            (SIGNATURE + head(2**31 - 1, 2**31 - 1) + data + end, "cannot hold"),
            (SIGNATURE + head(2**31 - 1, 2**31 - 1, 16, 6) + data + end, "cannot hold"),
            (SIGNATURE + head(100000, 100000) + data + end, "cannot hold"),
            (SIGNATURE + head(0, 3) + data + end, "libpng"), (SIGNATURE + head(3, 3) + end, "libpng"),
            (SIGNATURE + head(3, 3, 8, 3) + data + end, "libpng"),  # no palette
            (SIGNATURE + head(50, 50) + data + end, "libpng"),  # too few pixels
            (SIGNATURE + chunk(b"IHDR", GOOD[16:29], 0) + GOOD[33:], "libpng"), (GOOD[:-12], "too early")):
        with pytest.raises(ValueError, match=what):
            read(tmp_path, text)
    with pytest.raises(FileNotFoundError):
        io.png_read(tmp_path / "none.png")
    with pytest.raises(OSError):
        io.png_read(tmp_path)
    with pytest.raises(TypeError):
        io.png_read(3)
    for call in (io.png_read, lambda path: io.png_write(path, np.zeros((3, 3), "u1"))):
        with pytest.raises(ValueError, match="null byte"):
            call(f"{tmp_path}/a\0b.png")
    for bad in (np.zeros((3, 3)), np.zeros((3, 3, 4), "u1"), np.zeros((0, 3), "u1")):
        with pytest.raises(ValueError):
            io.png_write(tmp_path / "y.png", bad)
