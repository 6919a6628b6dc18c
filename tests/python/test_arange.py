"""arange: types beside NumPy's scalars, integers beyond int64, the type's own arithmetic, NumPy's errors."""
import numpy as np
import pytest

import cuprite as cp
from oracle import as_numpy_does, outcome

NUMBERS = [3, 3.5, True, 3j, "3", *(t(3) for t in (np.float16, np.float32, np.float64, np.int8, np.int64, np.uint8,
                                                  np.uint64, np.complex64, np.complex128, np.bool_)),
           np.int8(-1), np.float32("nan"), np.float32("inf"), float("-inf"), 0, 0.0, np.float32(0), np.int8(0)]
DTYPES = [None, "?", "i1", "u1", "i4", "i8", "u8", "f2", "f4", "f8", "F", "D"]
LARGE = [2**63 - 7, 2**63 + 5, 2**64 - 7, 2**64, -2**63 - 1, -2**63, 2**70]  # (of 2^63 elements NumPy makes none)


@pytest.mark.parametrize("dtype", DTYPES)
def test_beside_scalars(dtype):
    for v in NUMBERS:
        for given in ((v,), (0, v), (v, 9), (0, 9, v), (v, 9, v), (v, v)):
            as_numpy_does(lambda xp: xp.arange(*given, dtype=dtype))


def test_types_of_small_integers_wrap_as_they_do():
    for t in (np.int8, np.uint8, np.int16):
        low, high = (t(9), t(3)) if t is np.uint8 else (t(-100), t(100))
        for given in ((t(100), t(120), t(7)), (t(0), t(127), t(100)), (low, high), (low, high, t(50)),
                      (t(120), np.int16(130)), (t(100), 130), (t(100), 300)):
            as_numpy_does(lambda xp: xp.arange(*given))
            as_numpy_does(lambda xp: xp.arange(*(xp.asarray(v) for v in given)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_beyond_int64(dtype):
    for b in [*LARGE, 2**64 - 4]:
        for given in ((b, b + 4), (b, b + 9, 2), (b + 4, b, -1), (b, b + 4, 1.0), (0, 4, b), (0, b, 2**62), (b, 0, -b)):
            expected = outcome(np.arange, *given, dtype=dtype)
            if getattr(expected, "dtype", None) == object:  # there is no such array here
                with pytest.raises(OverflowError):
                    cp.arange(*given, dtype=dtype)
            else:
                as_numpy_does(lambda xp: xp.arange(*given, dtype=dtype))
    for given in ((np.uint64(2**63), np.uint64(2**63 + 4)), (np.uint64(2**63 + 4), np.uint64(2**63)),
                  (np.uint64(2**64 - 3), 2**64 - 1)):
        as_numpy_does(lambda xp: xp.arange(*given, dtype=dtype))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "F", "D"])
def test_steps_in_the_type_itself(dtype):
    rng = np.random.default_rng(5)
    for _ in range(200):
        start, step = rng.normal(size=2) * 10.0 ** rng.integers(-3, 4, 2)
        stop = start + step * rng.integers(0, 40)
        as_numpy_does(lambda xp: xp.arange(start, stop, step, dtype=dtype))
    for given in ((2**24 - 3, 2**24 + 9), (2049, 2060), (0, 1e6, 0.1), (1, 40000), (-0.0, 3)):
        as_numpy_does(lambda xp: xp.arange(*given, dtype=dtype))
    as_numpy_does(lambda xp: np.signbit(xp.arange(-0.0, 3, dtype=dtype)[0].item().real))
    for given in ((0, 9 + 9j, 1 + 1j), (0, 3 + 3j), (1j, 9 + 40j, 1 + 3j), (np.complex64(1j), 4 + 9j, 1 + 2j)):
        as_numpy_does(lambda xp: xp.arange(*given, dtype=dtype))


def test_a_second_element_that_there_is_not():
    """Python's number beside NumPy's integers: what overflows is a size, whichever step of the arithmetic it is."""
    for t in (np.uint8, np.uint16, np.uint64, np.int8):
        for given in ((-4, 5, t(3)), (-4, True, t(3)), (-10, 13.5, t(5)), (300, 600, t(100)), (-200, 10, t(100))):
            for dtype in (None, "f4", "i8", "u1"):
                as_numpy_does(lambda xp: xp.arange(*given, dtype=dtype))


@pytest.mark.parametrize("dtype", [None, "f4", "i8"])
def test_none_is_no_start(dtype):
    """But it is a stop that was not given, and a step of 1."""
    for given in ((None, 5), (None, 5, 2), (None, None), (None,), (5, None), (5, None, 2), (1, 5, None), (None, 5.5)):
        as_numpy_does(lambda xp: xp.arange(*given, dtype=dtype))
    as_numpy_does(lambda xp: xp.arange(start=None, stop=5, dtype=dtype))
    as_numpy_does(lambda xp: xp.arange(None, stop=5, dtype=dtype))
    as_numpy_does(lambda xp: xp.arange(stop=5, dtype=dtype))
