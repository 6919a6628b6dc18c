"""Positions on the sky, beams and odd cards of FITS headers. astropy says what is right."""
import ctypes

import numpy as np
import pytest
from astropy.io import fits
from astropy.wcs import WCS

from io_library import (D, Beam, image_sky, sky_system, image_beam, unit, object_, header_free, message, read, raw,
                        HEADERS, equatorial, wcs_file)


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
