"""FITS files whose compressed tiles do not hold what their tables promise."""
import ctypes

import numpy as np
import pytest
from astropy.io import fits
from test_io_fits import Failure, clear, read


@pytest.mark.filterwarnings("ignore")
def test_line_lists_that_lie(tmp_path):
    """PLIO tiles that say they are longer than they are, begin before their first word, or end inside a value."""
    a = np.zeros((2, 100), "i4")
    a[0, 10:50], a[1, 20:30] = 5000, 7
    fits.CompImageHDU(a, compression_type="PLIO_1").writeto(tmp_path / "good.fits")
    np.testing.assert_array_equal(read(tmp_path / "good.fits"), a)
    whole = (tmp_path / "good.fits").read_bytes()
    with fits.open(tmp_path / "good.fits", disable_image_compression=True) as f:
        tile = np.array(f[1].data["COMPRESSED_DATA"][0], ">i2")
    at = whole.index(tile.tobytes())
    words = len(tile)
    assert words > 7 and tile[2] <= 0
    assert any(word // 4096 == 1 for word in tile[7:])  # 5000 takes two words

    def refused(**changes):
        bad = tile.copy()
        for place, value in changes.items():
            bad[int(place[1:]) - 1] = value
        (tmp_path / "bad.fits").write_bytes(whole[:at] + bad.tobytes() + whole[at + 2 * words:])
        with pytest.raises(Failure, match="compressed image: tile 1 is damaged") as e:
            read(tmp_path / "bad.fits")
        assert e.value.code == "FORMAT"

    refused(w4=words + 1)
    refused(w4=32767, w5=32767)
    refused(w5=1)
    refused(w3=words + 1)
    refused(w2=-30000)
    refused(w2=words + 5)
    refused(w4=0)
    refused(**{f"w{words}": 4096 + 1})  # wants another word


class Mallinfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in
                "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]


@pytest.mark.filterwarnings("ignore")
def test_h_compressed_tiles_that_lie(tmp_path):
    """Unknown codes of bit planes, more planes than there are bits, signs that are missing; and nothing is lost
    over it."""
    rng = np.random.default_rng(4)
    a = rng.normal(0, 30, (9, 14)).astype("i2")
    path = tmp_path / "x.fits"
    fits.CompImageHDU(a, compression_type="HCOMPRESS_1", hcomp_scale=0, tile_shape=a.shape).writeto(path)
    np.testing.assert_array_equal(read(path), a)
    whole = path.read_bytes()
    at = whole.index(b"\xdd\x99")
    length = int(np.frombuffer(whole[at - 8:at - 4], ">i4")[0])  # the only descriptor stands before the heap
    assert 40 < length < 400 and whole[at:].rstrip(b"\0")[:length]

    def refused(data):
        path.write_bytes(data)
        with pytest.raises(Failure, match="compressed image: tile 1 is damaged") as e:
            read(path)
        assert e.value.code == "FORMAT"

    def changed(place, value):
        return whole[:at + place] + bytes([value]) + whole[at + place + 1:]

    for place in (0, 1, 5, 9):                          # the magic number, the lengths
        refused(changed(place, whole[at + place] ^ 1))
    for place in (22, 23, 24):                          # the numbers of bit planes
        for value in (40, 65, 255):
            refused(changed(place, value))
    for code in range(1, 15):                           # how the first plane is packed
        refused(changed(25, code << 4 | whole[at + 25] & 15))
    for shorter in range(1, length - 24):               # ends inside signs and planes
        refused(whole[:at - 8] + np.array(length - shorter, ">i4").tobytes() + whole[at - 4:])

    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = Mallinfo

    def flip(count):
        for place, bit in zip(rng.integers(25, length, count), rng.integers(0, 8, count)):
            path.write_bytes(changed(place, whole[at + place] ^ 1 << bit))
            try:
                read(path)
            except Failure as e:
                assert e.code == "FORMAT"
                clear()

    flip(50)
    before = mallinfo().uordblks
    flip(400)
    assert mallinfo().uordblks - before < 1500  # the decoder loses 60 bytes each time it stumbles itself: 3000 here


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("cards, says", [
    ({"ZNAXIS": "1", "ZNAXIS2": "0"}, "as many tiles"), ({"ZNAXIS2": "29"}, "as many tiles"),
    ({"ZNAXIS2": "31"}, "as many tiles"), ({"ZTILE2": "2"}, "as many tiles"),
    ({"ZCMPTYPE": "'FOO     '"}, "Unknown image compression type"), ({"ZCMPTYPE": "5"}, "compress"),
    ({"ZCMPTYPE": "'RICE_1X '"}, "Unknown image compression type"),
    ({"ZCMPTYPE": "'BZIP2_1 '"}, "ZCMPTYPE is none of")])
def test_tables_that_cfitsio_gives_up_on(tmp_path, cards, says):
    """It drops that error and decodes by what it had no time to read: columns before the first one, for example."""
    a = np.arange(1200, dtype="i4").reshape(30, 40)
    path = tmp_path / "x.fits"
    fits.CompImageHDU(a, compression_type="RICE_1", tile_shape=(1, 40)).writeto(path)
    np.testing.assert_array_equal(read(path), a)
    whole = path.read_bytes()
    for key, value in cards.items():
        at = whole.index(b"%-8s=" % key.encode())
        whole = whole[:at] + f"{key:8}= {value:>20}".encode().ljust(80) + whole[at + 80:]
    path.write_bytes(whole)
    with pytest.raises(Failure, match=says) as e:
        read(path)
    assert e.value.code == "FORMAT"
