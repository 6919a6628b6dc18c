"""The functions of io in libcuprite.so, called from Python's ctypes, and files for tests of them."""
import ctypes
import os

import numpy as np
from astropy.io import fits

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
    _fields_ = [("ext", ctypes.c_int), ("header", ctypes.POINTER(P)), ("_", ctypes.c_int)]


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
