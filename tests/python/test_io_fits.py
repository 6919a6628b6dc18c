"""Reading and writing files through the C API, compared with astropy: pixels, types, sky positions, tables."""
import ctypes
import gzip
import os
import random
import shutil

import numpy as np
import pytest
from astropy.io import fits
from astropy.wcs import WCS

BUILD = os.environ.get("CUPRITE_BUILD", os.path.join(os.path.dirname(__file__), "../../build"))
LIBRARY = os.path.join(BUILD, "lib", "libcuprite.so")
TYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "bfloat16",
         "float32", "float64", "complex64", "complex128"]
CODES = ["OK", "VALUE", "TYPE", "INDEX", "AXIS", "OVERFLOW", "MEMORY", "CASTING", "NOT_FOUND", "IO", "FORMAT",
         "DEVICE", "UNSUPPORTED", "INTERNAL"]

lib = ctypes.CDLL(LIBRARY)
P, D, I64 = ctypes.c_void_p, ctypes.POINTER(ctypes.c_double), ctypes.c_int64


class Shape(ctypes.Structure):
    _fields_ = [("n", ctypes.c_int), ("dim", ctypes.POINTER(I64))]


class ReadOptions(ctypes.Structure):
    _fields_ = [("ext", ctypes.c_int), ("header", ctypes.POINTER(P)), ("first", I64), ("count", I64),
                ("_", ctypes.c_int)]


class WriteOptions(ctypes.Structure):
    _fields_ = [("cards", ctypes.c_char_p), ("_", ctypes.c_int)]


class CatalogOptions(ctypes.Structure):
    _fields_ = [("format", ctypes.c_int), ("cards", ctypes.c_char_p), ("_", ctypes.c_int)]


class Beam(ctypes.Structure):
    _fields_ = [(name, ctypes.c_double) for name in ("major", "minor", "angle", "pixels")]


class Column(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("unit", ctypes.c_char_p), ("values", P)]


def declare(name, result, *arguments):
    f = getattr(lib, name)
    f.restype, f.argtypes = result, arguments
    return f


fits_read = declare("cp_fits_read", P, ctypes.c_char_p, ctypes.POINTER(ReadOptions))
fits_write = declare("cp_fits_write", ctypes.c_int, ctypes.c_char_p, P, ctypes.POINTER(WriteOptions))
catalog_write = declare("cp_catalog_write", ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(Column),
                        ctypes.POINTER(CatalogOptions))
png_write = declare("cp_png_write", ctypes.c_int, ctypes.c_char_p, P)
from_host = declare("cp_from_host", P, P, ctypes.c_int, Shape, P)
to_host = declare("cp_to_host", ctypes.c_int, P, P, ctypes.c_size_t)
image_sky = declare("cp_image_sky", ctypes.c_int, P, I64, D, D, D, D)
sky_system = declare("cp_image_sky_system", ctypes.c_char_p, P)
image_beam = declare("cp_image_beam", ctypes.c_bool, P, ctypes.POINTER(Beam))
unit = declare("cp_image_unit", ctypes.c_char_p, P)
object_ = declare("cp_image_object", ctypes.c_char_p, P)
header_free = declare("cp_image_header_free", None, P)
free = declare("cp_free", None, P)
type_of = declare("cp_type_of", ctypes.c_int, P)
ndim = declare("cp_ndim", ctypes.c_int, P)
dims = declare("cp_dims", ctypes.POINTER(I64), P)
error = declare("cp_error", ctypes.c_int)
message = declare("cp_error_message", ctypes.c_char_p)
clear = declare("cp_error_clear", None)


class Failure(Exception):
    def __init__(self):
        super().__init__(message().decode())
        self.code = CODES[error()]
        clear()


def read(path, ext=0, header=False):
    h = P()
    options = ReadOptions(ext, ctypes.pointer(h) if header else None)
    x = fits_read(os.fsencode(path), ctypes.byref(options))
    if not x:
        raise Failure
    shape = tuple(dims(x)[i] for i in range(ndim(x)))
    a = np.empty(shape, TYPES[type_of(x)])
    code = to_host(x, a.ctypes.data, a.nbytes)
    free(x)
    if code:
        raise Failure
    return (a, h) if header else a


def array(a):
    a = np.ascontiguousarray(a)
    shape = Shape(a.ndim, (I64 * max(a.ndim, 1))(*a.shape))
    x = from_host(a.ctypes.data, TYPES.index(a.dtype.name), shape, None)
    if not x:
        raise Failure
    return x


def write(path, a, cards=None):
    x = array(a)
    code = fits_write(os.fsencode(path), x, ctypes.byref(WriteOptions(cards)))
    free(x)
    if code:
        raise Failure


def same(got, want):
    """Types and shapes equal, values equal to one rounding (astropy scales in float32, we in float64)."""
    want = np.asarray(want)
    assert got.dtype.name == want.dtype.newbyteorder("=").name
    assert got.shape == want.shape
    if want.dtype.kind == "f":
        np.testing.assert_allclose(got, want, rtol=3 * np.finfo(got.dtype).eps, atol=1e-30)
    else:
        np.testing.assert_array_equal(got, want)


def raw(bits, shape=(7, 11)):
    rng = np.random.default_rng(abs(bits))
    if bits < 0:
        a = rng.normal(0, 100, shape).astype(f"f{-bits // 8}")
        a.flat[3], a.flat[5], a.flat[6] = np.nan, np.inf, -0.0
        return a
    t = np.dtype("u1" if bits == 8 else f"i{bits // 8}")
    a = rng.integers(np.iinfo(t).min, np.iinfo(t).max, shape, t, endpoint=True)
    a.flat[0], a.flat[1], a.flat[2] = np.iinfo(t).min, np.iinfo(t).max, 17
    return a


def with_scaling(path, a, bscale, bzero, blank):
    """A file whose raw pixels are `a`, whatever the cards say of them."""
    fits.PrimaryHDU(a).writeto(path, overwrite=True)
    with fits.open(path, mode="update", do_not_scale_image_data=True) as f:
        for key, value in (("BSCALE", bscale), ("BZERO", bzero), ("BLANK", blank)):
            if value is not None:
                f[0].header[key] = value


@pytest.mark.parametrize("blank", [None, 17])
@pytest.mark.parametrize("scale", [(None, None), (1, 0), (0.01, 0), (2.92273835509, 3713.66692596), (1, 5), (-1, 0.5),
                                   "unsigned"])
@pytest.mark.parametrize("bits", [8, 16, 32, 64, -32, -64])
@pytest.mark.filterwarnings("ignore")
def test_every_bitpix(tmp_path, bits, scale, blank):
    path = tmp_path / "x.fits"
    if scale == "unsigned":
        scale = (1, {8: -128, 16: 2**15, 32: 2**31, 64: 2**63}.get(bits, 32768))
    with_scaling(path, raw(bits), *scale, blank)
    if bits > 0 and scale[1] not in (None, 0, 0.5, 5, 3713.66692596) and blank is not None:
        # astropy passes BLANK over in images of unsigned integers; the standard (4.0, 4.4.2.5) has no such exception
        want = np.array([float(int(v) + scale[1]) for v in raw(bits).flat], "f4" if bits <= 16 else "f8")
        want[raw(bits).flat == blank] = np.nan
        want = want.reshape(raw(bits).shape)
        assert np.isnan(want).any()
    else:
        want = fits.getdata(path)
    same(read(path), want)


@pytest.mark.parametrize("key, value, says", [
    ("BSCALE", "'2.0'", "BSCALE is not a number"), ("BZERO", "T", "BZERO is not a number"),
    ("BSCALE", "nan", "BSCALE is not a number"), ("BZERO", "0x10", "BZERO is not a number"),
    ("BSCALE", "inf", "BSCALE is not a number"), ("BZERO", "1e999", "BZERO is not a number"),
    ("BSCALE", "", "BSCALE is not a number"), ("BLANK", "'17'", "BLANK is not an integer"),
    ("BLANK", "1.5", "BLANK is not an integer"), ("BLANK", "17.0", None), ("BLANK", "1.7E1", None)])
@pytest.mark.parametrize("bits", [16, -32])
def test_scaling_that_is_no_number(tmp_path, key, value, says, bits):
    path = tmp_path / "x.fits"
    fits.HDUList([fits.PrimaryHDU(raw(bits)), fits.ImageHDU(raw(32))]).writeto(path)
    data = path.read_bytes()
    end = data.index(b"END" + b" " * 77)
    cards = f"{key:8}= {value:>20}".ljust(80).encode() + b"END".ljust(80)
    path.write_bytes((data[:end] + cards).ljust(2880) + data[2880:])
    if says is None or (key == "BLANK" and bits < 0):
        want = np.where(raw(bits) == 17, np.nan, raw(bits)).astype("f4") if bits > 0 else raw(bits)
        same(read(path), want)
    else:
        with pytest.raises(Failure, match=says) as e:
            read(path)
        assert e.value.code == "FORMAT"
    same(read(path, 1), raw(32))  # another unit's cards are its own


@pytest.mark.parametrize("bits", [16, 32])
def test_blank_of_unsigned_compressed_images(tmp_path, bits):
    """BLANK of a tile-compressed image of unsigned integers: as of the plain one."""
    path = tmp_path / "x.fits"
    fits.CompImageHDU(raw(bits), compression_type="RICE_1").writeto(path)
    bzero = 2**(bits - 1)
    data = path.read_bytes()
    head = data.index(b"XTENSION")
    end = data.index(b"END" + b" " * 77, head)
    cards = [f"BZERO   = {bzero:20}", f"BSCALE  = {1:20}", f"BLANK   = {17:20}", "END"]
    new = data[head:end] + b"".join(c.ljust(80).encode() for c in cards)
    rest = data[end:][(-(end - head)) % 2880:] if (end - head) % 2880 else data[end + 2880:]
    path.write_bytes(data[:head] + new.ljust(-(-len(new) // 2880) * 2880) + rest)
    want = (raw(bits).astype("f8") + bzero).astype("f4" if bits == 16 else "f8")
    want[raw(bits) == 17] = np.nan
    same(read(path, 1), want)


@pytest.mark.parametrize("shape", [(1,), (5,), (2880,), (3, 1), (1, 1, 4, 6), (2, 3, 4, 5, 6), (1440, 1)])
def test_shapes(tmp_path, shape):
    a = np.arange(np.prod(shape), dtype="f4").reshape(shape)
    fits.PrimaryHDU(a).writeto(tmp_path / "x.fits")
    same(read(tmp_path / "x.fits"), a)
    write(tmp_path / "y.fits", a)
    same(fits.getdata(tmp_path / "y.fits"), a)
    assert os.path.getsize(tmp_path / "y.fits") % 2880 == 0


@pytest.mark.parametrize("name", TYPES[1:9] + ["float32", "float64"])
def test_written_files(tmp_path, name):
    a = (raw(-64) if name.startswith("f") else np.arange(-35, 42).reshape(7, 11)).astype(name)
    write(tmp_path / "x.fits", a, b"BUNIT   = 'K       '\nCRVAL1  = 1.5")
    with fits.open(tmp_path / "x.fits") as f:
        f.verify("exception")
        same(f[0].data, a)
        assert f[0].header["BUNIT"] == "K" and f[0].header["CRVAL1"] == 1.5
    same(read(tmp_path / "x.fits"), a)


def test_large_image_in_pieces(tmp_path):
    a = np.random.default_rng(1).integers(-2**15, 2**15, (1037, 1511), "i2")
    fits.PrimaryHDU(a).writeto(tmp_path / "x.fits")
    same(read(tmp_path / "x.fits"), a)
    with_scaling(tmp_path / "y.fits", a, 0.5, 1, 12)
    same(read(tmp_path / "y.fits"), fits.getdata(tmp_path / "y.fits"))


def test_extensions(tmp_path):
    a, b = np.arange(6, dtype="i4").reshape(2, 3), np.arange(8, dtype="f8").reshape(2, 4)
    table = fits.BinTableHDU.from_columns([fits.Column("c", "J", array=[1, 2])])
    path = tmp_path / "x.fits"
    fits.HDUList([fits.PrimaryHDU(), table, fits.ImageHDU(a), fits.ImageHDU(b)]).writeto(path)
    same(read(path), a)
    same(read(path, 2), a)
    same(read(path, 3), b)
    for ext, words in ((-1, "no image"), (1, "table"), (4, "extension 4")):
        with pytest.raises(Failure, match=words) as e:
            read(path, ext)
        assert e.value.code == "FORMAT"


@pytest.mark.parametrize("name", ["x.fits.gz", "x.fits"])
def test_gzip(tmp_path, name):
    a = raw(-32, (300, 500))
    fits.PrimaryHDU(a).writeto(tmp_path / "plain.fits")
    data = open(tmp_path / "plain.fits", "rb").read()
    (tmp_path / name).write_bytes(gzip.compress(data[:40000]) + gzip.compress(data[40000:]) + b"\0" * 100)
    same(read(tmp_path / name), a)
    packed = gzip.compress(data)
    for broken in (packed[:-9], packed[: len(packed) // 2], packed[:12], packed[:5000] + b"\xff" * 50 + packed[5050:]):
        (tmp_path / name).write_bytes(broken)
        with pytest.raises(Failure) as e:
            read(tmp_path / name)
        assert e.value.code == "FORMAT"


def sky_like(dtype, shape=(120, 150)):
    rng = np.random.default_rng(3)
    a = rng.normal(100, 20, shape)
    a[40:50, 60:70] += 1000
    return a.astype(dtype)


COMPRESSED = [(kind, dtype, tile) for kind in ("RICE_1", "GZIP_1", "GZIP_2", "HCOMPRESS_1", "PLIO_1")
              for dtype in ("u1", "i2", "u2", "i4", "u4", "f4", "f8") for tile in (None, (32, 64))
              if not (kind == "PLIO_1" and dtype in ("u2", "u4", "f8", "f4"))
              and not (kind == "HCOMPRESS_1" and dtype == "u4")]


@pytest.mark.parametrize("kind,dtype,tile", COMPRESSED)
@pytest.mark.filterwarnings("ignore")
def test_tile_compressed(tmp_path, kind, dtype, tile):
    path = tmp_path / "x.fits"
    hdu = fits.CompImageHDU(sky_like(dtype), compression_type=kind, tile_shape=tile)
    hdu.header["BUNIT"] = "adu"
    hdu.writeto(path)
    with fits.open(path) as f:
        want = f[1].data.copy()
    got, h = read(path, header=True)
    same(got, want)
    assert unit(h) == b"adu"
    header_free(h)
    (tmp_path / "x.fits.gz").write_bytes(gzip.compress(path.read_bytes()))
    same(read(tmp_path / "x.fits.gz"), want)


@pytest.mark.filterwarnings("ignore")
def test_lossless_float_and_blank_pixels(tmp_path):
    a = sky_like("f4")
    a[3, 4] = a[100, 100] = np.nan
    for quantize in (0.0, 16.0):
        fits.CompImageHDU(a, compression_type="GZIP_2" if quantize == 0 else "RICE_1", quantize_level=quantize,
                          quantize_method=-1).writeto(tmp_path / "x.fits", overwrite=True)
        got = read(tmp_path / "x.fits")
        want = fits.getdata(tmp_path / "x.fits")
        assert np.isnan(got[3, 4]) and np.isnan(got[100, 100])
        same(got, want)


@pytest.mark.filterwarnings("ignore")
def test_compressed_image_that_lies(tmp_path):
    path = tmp_path / "x.fits"
    fits.CompImageHDU(sky_like("i2"), compression_type="RICE_1").writeto(path)
    good = path.read_bytes()
    for key, value in (("ZNAXIS1", 10**12), ("ZNAXIS2", 10**9), ("ZNAXIS1", -5), ("ZTILE1", 10**12), ("ZNAXIS", 40),
                       ("ZBITPIX", 7), ("ZBITPIX", 2**32 + 16), ("ZNAXIS1", 2**62)):
        at = good.index(b"%-8s=" % key.encode())
        path.write_bytes(good[:at] + b"%-8s= %20d" % (key.encode(), value) + good[at + 30:])
        with pytest.raises(Failure) as e:
            read(path)
        assert e.value.code == "FORMAT"
    path.write_bytes(good[:-5000])
    with pytest.raises(Failure, match="truncated"):
        read(path)


# --- sky positions ---

def wcs_file(path, shape=(60, 80), **cards):
    hdu = fits.PrimaryHDU(np.zeros(shape, "f4"))
    for key, value in cards.items():
        hdu.header[key.replace("__", "-")] = value
    hdu.writeto(path)


def equatorial(projection, **more):
    return dict(CTYPE1="RA---" + projection, CTYPE2="DEC--" + projection, CRVAL1=266.4, CRVAL2=-29.0, CRPIX1=30.5,
                CRPIX2=20.0, CDELT1=-0.01, CDELT2=0.01, CUNIT1="deg", CUNIT2="deg", **more)


HEADERS = {
    "tan": equatorial("TAN"),
    "sin": equatorial("SIN"),
    "sin-slant": equatorial("SIN", PV2_1=0.1, PV2_2=-0.2),
    "arc": equatorial("ARC"),
    "zea": equatorial("ZEA"),
    "rotated": equatorial("TAN", CROTA2=33.0),
    "pc": equatorial("TAN", PC1_1=0.8, PC1_2=0.6, PC2_1=-0.6, PC2_2=0.8),
    "pole": dict(equatorial("TAN"), CRVAL2=89.99),
    "wrap": dict(equatorial("TAN"), CRVAL1=0.0),
    "lonpole": equatorial("SIN", LONPOLE=150.0),
    "galactic": dict(equatorial("CAR"), CTYPE1="GLON-CAR", CTYPE2="GLAT-CAR", CRVAL1=0.3, CRVAL2=0.0),
    "swapped": dict(equatorial("TAN"), CTYPE1="DEC--TAN", CTYPE2="RA---TAN", CRVAL1=-29.0, CRVAL2=266.4),
    "cd": dict(CTYPE1="RA---TAN", CTYPE2="DEC--TAN", CRVAL1=10.0, CRVAL2=45.0, CRPIX1=5.0, CRPIX2=6.0, CD1_1=-1e-4,
               CD1_2=2e-5, CD2_1=1e-5, CD2_2=1.1e-4),
    "sip": dict(CTYPE1="RA---TAN-SIP", CTYPE2="DEC--TAN-SIP", CRVAL1=10.0, CRVAL2=45.0, CRPIX1=30.0, CRPIX2=30.0,
                CD1_1=-1e-4, CD1_2=2e-5, CD2_1=1e-5, CD2_2=1.1e-4, A_ORDER=2, B_ORDER=2, A_2_0=1e-5, A_1_1=-2e-5,
                B_0_2=3e-5, B_1_1=1e-5),
    "epoch": equatorial("SIN", EPOCH=1950.0, OBSRA=266.0, DATE__OBS="31/12/98"),
}


@pytest.mark.parametrize("name", HEADERS)
@pytest.mark.filterwarnings("ignore")
def test_sky_positions(tmp_path, name):
    path = tmp_path / "x.fits"
    wcs_file(path, **HEADERS[name])
    x, y = [v.ravel().astype(float) for v in np.meshgrid(np.arange(-1, 80, 3.5), np.arange(0, 60, 2.25))]
    check_sky(path, WCS(fits.getheader(path)), x, y, swapped=name == "swapped")


def check_sky(path, w, x, y, swapped=False):
    _, h = read(path, header=True)
    lon, lat = np.empty_like(x), np.empty_like(y)
    as_c = [v.ctypes.data_as(D) for v in (x, y, lon, lat)]
    assert image_sky(h, len(x), *as_c) == 0, message()
    header_free(h)
    want = w.all_pix2world(x, y, 0)
    if swapped:
        want = want[::-1]
    assert np.nanmax(np.abs((lon - want[0] + 180) % 360 - 180)) < 1e-9
    assert np.nanmax(np.abs(lat - want[1])) < 1e-9
    np.testing.assert_array_equal(np.isnan(lon), np.isnan(want[0]))


@pytest.mark.filterwarnings("ignore")
def test_sky_of_a_cube(tmp_path):
    path = tmp_path / "x.fits"
    wcs_file(path, (1, 1, 60, 80), **equatorial("SIN"), CTYPE3="FREQ", CRVAL3=1.5e8, CDELT3=1e6, CRPIX3=1.0,
             CUNIT3="Hz", CTYPE4="STOKES", CRVAL4=1.0, CDELT4=1.0, CRPIX4=1.0)
    x, y = np.array([0.0, 10.5, 79]), np.array([0.0, 3.25, 59])
    check_sky(path, WCS(fits.getheader(path)).celestial, x, y)


@pytest.mark.filterwarnings("ignore")
def test_headers_without_sky(tmp_path):
    for cards in ({}, dict(CTYPE1="FREQ", CTYPE2="STOKES"), dict(CTYPE1="RA---XYZ", CTYPE2="DEC--XYZ"),
                  dict(CTYPE1="RA---TAN"), dict(CTYPE1="RA---TAN", CTYPE2="DEC--TAN", CDELT1=0.0, CDELT2=0.0),
                  dict(CTYPE1=5, CTYPE2=True), dict(equatorial("TAN"), PC1_1=0.0, PC2_2=0.0, PC1_2=0.0, PC2_1=0.0)):
        path = tmp_path / "x.fits"
        path.unlink(missing_ok=True)
        wcs_file(path, **cards)
        _, h = read(path, header=True)
        assert sky_system(h) is None, cards
        header_free(h)


ODD_CARDS = """ESO-LOG 00:00:00> DATE         = '1992-10-26'  / Mon Oct 26, 1992
ESO-LOG 03:04:09> EXPO EMMI RED NO = 24887     / Exp. num. on EMMI Red CCD
HIERARCH ESO DET NAXIS = 7 / not the image's
HISTORY NAXIS1  = 5
COMMENT = 'BSCALE  = 3'
CTYPE1  = '        '
CTYPE2  = '        '
CDELT1  =
CRVAL1  = 'not a number'
CRPIX1  = 1.0D+01
WCSAXES = 2
CONTINUE  'of nothing'
BUNIT   = 'it''s / odd' / comment
OBJECT  = 'never ends
PV1_99  = 1E999
         = 5
=======
nonsense without a value
lower   = 1""".splitlines()


def test_odd_cards_do_no_harm(tmp_path):
    """337 cards, as in a real image of an observatory, most of them beside the standard."""
    a = raw(16)
    path = tmp_path / "x.fits"
    fits.PrimaryHDU(a).writeto(path)
    data = path.read_bytes()
    cards = [data[i:i + 80] for i in range(0, 2880, 80)]
    cards = [c for c in cards if c.strip() and not c.startswith(b"END ")]
    while len(cards) < 336:
        cards.append(ODD_CARDS[len(cards) % len(ODD_CARDS)].ljust(80).encode())
    cards.insert(200, b"\0\xff\t\n".ljust(80))
    header = b"".join(cards + [b"END".ljust(80)])
    path.write_bytes(header.ljust(-(-len(header) // 2880) * 2880) + data[2880:])
    got, h = read(path, header=True)
    np.testing.assert_array_equal(got, a)
    assert unit(h) == b"it's / odd" and object_(h) == b"never ends"
    assert sky_system(h) is None
    header_free(h)


@pytest.mark.parametrize("extra", [{}, {"CROTA2": 30.0}, {"CD1_1": -2e-4, "CD1_2": 1e-4, "CD2_1": 2e-4, "CD2_2": 3e-4},
                                   {"PC1_1": 0.8, "PC1_2": -0.6, "PC2_1": 0.6, "PC2_2": 0.8}])
@pytest.mark.parametrize("shape", [(8, 9), (1, 1, 8, 9)])
def test_beam(tmp_path, extra, shape):
    """Its area in pixels against astropy's area of a pixel."""
    from astropy.wcs import WCS
    from astropy.wcs.utils import proj_plane_pixel_area
    header = fits.Header(dict(CTYPE1="RA---SIN", CTYPE2="DEC--SIN", CRVAL1=80.0, CRVAL2=-30.0, CRPIX1=4.0, CRPIX2=4.0,
                              CUNIT1="deg", CUNIT2="deg", BMAJ=0.01, BMIN=0.005, BPA=-20.0))
    header.update(extra)
    if "CD1_1" not in extra:
        header.update(CDELT1=-1e-3, CDELT2=1.5e-3)
    if len(shape) == 4:
        header.update(CTYPE3="FREQ", CRVAL3=1e9, CDELT3=1e6, CTYPE4="STOKES", CRVAL4=1.0, CDELT4=1.0)
    fits.PrimaryHDU(np.zeros(shape, "f4"), header).writeto(tmp_path / "x.fits")
    _, h = read(tmp_path / "x.fits", header=True)
    beam = Beam()
    assert image_beam(h, ctypes.byref(beam))
    header_free(h)
    assert (beam.major, beam.minor, beam.angle) == (0.01, 0.005, -20)
    area = proj_plane_pixel_area(WCS(header).celestial)
    assert beam.pixels == pytest.approx(np.pi / 4 / np.log(2) * 0.01 * 0.005 / area, rel=1e-12)


def test_no_beam(tmp_path):
    for cards in (dict(BMAJ=0.01, BMIN=0.01), dict(CTYPE1="RA---SIN", CTYPE2="DEC--SIN", BMAJ=0.01),
                  dict(CTYPE1="RA---SIN", CTYPE2="DEC--SIN", BMAJ=0.01, BMIN=-1.0)):
        fits.PrimaryHDU(np.zeros((8, 9), "f4"), fits.Header(cards)).writeto(tmp_path / "x.fits", overwrite=True)
        _, h = read(tmp_path / "x.fits", header=True)
        assert not image_beam(h, ctypes.byref(Beam()))
        header_free(h)


# --- catalogues and pictures ---

def columns(table):
    arrays = [array(v) for v in table.values()]
    made = (Column * len(table))(*[Column(k.encode(), b"deg", x) for k, x in zip(table, arrays)])
    return made, arrays


def test_tables(tmp_path):
    rng = np.random.default_rng(7)
    table = {n: rng.integers(0, 100, 1000).astype(n) for n in TYPES[1:9]}
    table["bool"] = rng.integers(0, 2, 1000).astype(bool)
    table["int64"][0], table["uint64"][0] = -2**63, 2**64 - 1
    for n in ("float32", "float64"):
        table[n] = (rng.normal(size=1000) * 10.0 ** rng.integers(-30, 30, 1000)).astype(n)
        table[n][:3] = np.nan, np.inf, -np.inf
    made, arrays = columns(table)
    for name in ("t.fits", "t.csv"):
        options = CatalogOptions(0, b"KAPPA   = 3.5 / said\nIMAGE   = 'it''s here'", 0)
        assert catalog_write(os.fsencode(tmp_path / name), len(made), made, ctypes.byref(options)) == 0, message()
    for x in arrays:
        free(x)
    with fits.open(tmp_path / "t.fits") as f:
        f.verify("exception")
        assert len(f) == 2 and type(f[1]) is fits.BinTableHDU
        assert f[1].header["KAPPA"] == 3.5 and f[1].header["IMAGE"] == "it's here"
        for n, want in table.items():
            np.testing.assert_array_equal(f[1].data[n], want)
            assert f[1].columns[n].unit == "deg"
    lines = (tmp_path / "t.csv").read_text().splitlines()
    assert lines[:2] == ["# KAPPA   = 3.5 / said", "# IMAGE   = 'it''s here'"]
    lines = lines[2:]
    assert lines[0] == ",".join(table)
    for i, n in enumerate(table):
        if n == "bool":
            continue
        read_back = np.array([line.split(",")[i] for line in lines[1:]]).astype(n)
        np.testing.assert_array_equal(read_back, table[n])


@pytest.mark.parametrize("shape", [(5, 7), (5, 7, 3), (1, 1), (300, 4000, 3)])
def test_pictures(tmp_path, shape):
    from PIL import Image
    a = np.random.default_rng(0).integers(0, 256, shape, "u1")
    x = array(a)
    assert png_write(os.fsencode(tmp_path / "p.png"), x) == 0, message()
    free(x)
    np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / "p.png").convert("RGB" if a.ndim == 3 else "L")), a)


@pytest.mark.parametrize("colours", [1, 255, 256, 257])
def test_pictures_of_few_colours(tmp_path, colours):
    """At most 256 colours are written as a palette: the same picture in a third of the bytes."""
    from PIL import Image
    rng = np.random.default_rng(colours)
    table = np.repeat(np.arange(256, dtype="u1"), 3).reshape(256, 3)
    table = np.vstack([[[255, 150, 40]], table])[:colours]
    a = np.vstack([table, table[rng.integers(0, colours, 600 - colours)]]).reshape(20, 30, 3).astype("u1")
    x = array(a)
    assert png_write(os.fsencode(tmp_path / "p.png"), x) == 0, message()
    free(x)
    picture = Image.open(tmp_path / "p.png")
    assert picture.mode == ("P" if colours <= 256 else "RGB")
    np.testing.assert_array_equal(np.asarray(picture.convert("RGB")), a)


# --- files as they may come ---

def test_names_are_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    a = raw(16)
    fits.PrimaryHDU(a).writeto("plain.fits")
    for name in ("x[1].fits", "~x.fits", "a b.fits", "(x).fits", "-", "x.fits|", "mem:x", "\u00e4\u6f22.fits",
                 "n" * 200 + ".fits"):
        shutil.copy("plain.fits", name)
        same(read(name), a)
        write("w" + name[1:] + "w", a)
        same(read("w" + name[1:] + "w"), a)
    os.mkfifo("pipe")
    os.mkdir("folder")
    for name, code in (("plain.fits[0]", "NOT_FOUND"), ("plain", "NOT_FOUND"), ("pipe", "IO"), ("folder", "IO"),
                       ("http://127.0.0.1:1/x.fits", "NOT_FOUND"), ("", "NOT_FOUND"), ("n" * 5000, "IO")):
        with pytest.raises(Failure) as e:
            read(name)
        assert e.value.code == code
    assert str(e.value).count("\n") == 0


@pytest.mark.filterwarnings("ignore")
def test_many_threads(tmp_path):
    from concurrent.futures import ThreadPoolExecutor
    wcs_file(tmp_path / "0.fits", **HEADERS["sip"])
    fits.CompImageHDU(sky_like("i2"), compression_type="RICE_1").writeto(tmp_path / "1.fits")
    fits.CompImageHDU(sky_like("f4"), compression_type="GZIP_1").writeto(tmp_path / "2.fits")
    fits.PrimaryHDU(raw(16, (300, 400))).writeto(tmp_path / "3.fits")
    wants = [read(tmp_path / f"{i}.fits") for i in range(4)]

    def work(n):
        for i in range(n, n + 40):
            got, h = read(tmp_path / f"{i % 4}.fits", header=True)
            np.testing.assert_array_equal(got, wants[i % 4])
            x = np.zeros(3)
            code = image_sky(h, 3, *[v.ctypes.data_as(D) for v in (x, x, x.copy(), x.copy())])
            assert (code == 0) == (i % 4 == 0)
            clear()
            header_free(h)
            write(tmp_path / f"out-{n}.fits", got)
            np.testing.assert_array_equal(read(tmp_path / f"out-{n}.fits"), got)
            with pytest.raises(Failure):
                read(tmp_path / "none.fits")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))


def test_old_files_stay_when_writing_fails(tmp_path):
    import resource
    import signal
    a = np.zeros((500, 500), "f8")
    path = tmp_path / "x.fits"
    write(path, a[:2])
    os.chmod(path, 0o640)
    before = path.read_bytes()
    old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100000, limit[1]))
    try:
        with pytest.raises(Failure, match="File too large") as e:
            write(path, a)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, old)
    assert e.value.code == "IO"
    assert os.listdir(tmp_path) == ["x.fits"] and path.read_bytes() == before
    os.symlink("x.fits", tmp_path / "link.fits")
    write(tmp_path / "link.fits", a)
    assert os.path.islink(tmp_path / "link.fits") and os.stat(path).st_mode & 0o777 == 0o640
    same(read(path), a)


@pytest.mark.filterwarnings("ignore")
def test_every_allocation_fails(tmp_path, live_blocks):
    """The n-th allocation fails, for every n: a memory error, nothing lost, and the next call works."""
    fail_allocation = declare("cp_test_fail_allocation", None, I64)
    allocations, live = declare("cp_test_allocations", I64), declare("cp_test_live", I64)
    fits.PrimaryHDU(raw(16), fits.Header(equatorial("TAN"))).writeto(tmp_path / "plain.fits")
    with_scaling(tmp_path / "scaled.fits", raw(32), 0.5, 1, 17)
    (tmp_path / "zip.fits").write_bytes(gzip.compress((tmp_path / "plain.fits").read_bytes() + bytes(4 << 20)))
    for kind in ("RICE_1", "GZIP_2", "HCOMPRESS_1"):
        fits.CompImageHDU(sky_like("i2"), compression_type=kind).writeto(tmp_path / f"{kind}.fits")
    for path in sorted(tmp_path.iterdir()):
        want, h = read(path, header=True)
        header_free(h)
        before = live_blocks()
        for n in range(1, 200):
            fail_allocation(n)
            try:
                got, h = read(path, header=True)
            except Failure as e:
                assert e.code == "MEMORY"
                got = None
            hit = allocations() >= n
            fail_allocation(0)
            if got is not None:
                header_free(h)
                np.testing.assert_array_equal(got, want)
            assert live() == before, (path, n)
            if not hit:
                break
        assert not hit and n > 3


def in_new_process(code, library):
    import subprocess
    import sys
    return subprocess.run([sys.executable, "-c", code, library], text=True, capture_output=True, check=True).stdout


def test_the_core_alone(tmp_path):
    """Nothing of CFITSIO is loaded before it is needed; without libcuprite-io.so there is one clear error."""
    code = """
import ctypes, sys
lib = ctypes.CDLL(sys.argv[1])
print("cfitsio" in open("/proc/self/maps").read())
lib.cp_io_libraries.restype = lib.cp_error_message.restype = ctypes.c_char_p
print(lib.cp_io_libraries(), lib.cp_error(), lib.cp_error_message())
print("cfitsio" in open("/proc/self/maps").read())
"""
    said = in_new_process(code, LIBRARY).splitlines()
    assert said[0] == "False" and said[1].startswith("b'CFITSIO") and said[2] == "True"
    alone = shutil.copy(os.path.realpath(LIBRARY), tmp_path / "libcuprite.so")
    said = in_new_process(code, str(alone)).splitlines()
    assert said[0] == said[2] == "False"
    assert said[1].startswith(f"None {CODES.index('UNSUPPORTED')} b'io_libraries: libcuprite-io.so: ")


@pytest.mark.parametrize("seed", range(int(os.environ.get("CUPRITE_FUZZ", "1"))))
@pytest.mark.filterwarnings("ignore")
def test_damaged_files(tmp_path, seed):
    """Random bytes of headers and tiles are changed: an image or an error comes back, and memory stays bounded."""
    path = tmp_path / "x.fits"
    originals = []
    fits.PrimaryHDU(raw(16), fits.Header(equatorial("TAN"))).writeto(path)
    originals.append((path.read_bytes(), False))
    wcs_file(tmp_path / "s.fits", **HEADERS["sip"])
    originals.append(((tmp_path / "s.fits").read_bytes(), False))
    for kind, dtype in (("RICE_1", "i2"), ("GZIP_1", "i4"), ("GZIP_2", "f4"), ("HCOMPRESS_1", "i2"), ("PLIO_1", "u1"),
                        ("RICE_1", "f4")):
        fits.CompImageHDU(sky_like(dtype, (40, 50)), compression_type=kind).writeto(path, overwrite=True)
        originals.append((path.read_bytes(), True))
    rng = random.Random(seed)
    for _ in range(400):
        data, compressed = rng.choice(originals)
        data = bytearray(data)
        header = (len(data) if rng.random() < 0.3 else 2880 * 3) if compressed else 2880
        for _ in range(rng.choice((1, 2, 5, 20))):
            at = rng.randrange(min(header, len(data)))
            data[at] = rng.choice((rng.randrange(256), ord("0") + rng.randrange(10), 32,
                                   data[at] ^ 1 << rng.randrange(8)))
        if rng.random() < 0.2:
            del data[rng.randrange(len(data)):]
        path.write_bytes(data)
        try:
            _, h = read(path, header=True)
        except Failure as e:
            assert e.code in ("FORMAT", "IO", "VALUE", "MEMORY")
            continue
        x = np.zeros(3)
        image_sky(h, 3, *[v.ctypes.data_as(D) for v in (x, x, x.copy(), x.copy())])
        header_free(h)
        clear()
