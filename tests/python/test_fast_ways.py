"""Kernels that take a faster way for some operands: integers divided by one number, magnitudes of complex numbers."""
import warnings

import numpy as np
import pytest

import cuprite as cp


def both(name, x, d):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = cp.asarray(d) if d.ndim else d
        return getattr(cp, name)(cp.asarray(x), ours).get(), getattr(np, name)(x, d)


@pytest.mark.parametrize("name", ["floor_divide", "remainder"])
@pytest.mark.parametrize("t", ["i1", "u1"])
def test_all_bytes_by_all_bytes(name, t, device):
    x = np.arange(np.iinfo(t).min, np.iinfo(t).max + 1).astype(t)
    for d in x:
        np.testing.assert_array_equal(*both(name, x, d), strict=True)


@pytest.mark.parametrize("name", ["floor_divide", "remainder"])
@pytest.mark.parametrize("t", ["i2", "u2", "i4", "u4", "i8", "u8"])
def test_integers_by_one_number(name, t, device):
    """Ends of the type, powers of two and their neighbours, and random ones; lengths beside those of vectors."""
    info, rng = np.iinfo(t), np.random.default_rng(7)
    x = rng.integers(info.min, info.max, 2003, dtype=t, endpoint=True)
    x[:8] = [info.min, info.max, 0, 1, info.min + 1, info.max - 1, 2, 3]
    powers = [1 << k for k in range(info.bits - (info.min < 0))]
    some = [0, 1, 2, 3, 5, 7, 10, 641, info.max, info.min, info.max - 1, *powers, *(p + 1 for p in powers[1:-1]),
            *(p - 1 for p in powers[2:])]
    some += [-d for d in some if info.min < 0 and -d >= info.min]
    some = [d for d in some if info.min <= d <= info.max] + rng.integers(info.min, info.max, 40, dtype=t).tolist()
    for d in np.array(some, t):
        np.testing.assert_array_equal(*both(name, x, d), strict=True)
    for n in (1, 7, 8, 9, 17, 63, 1023, 1025):
        np.testing.assert_array_equal(*both(name, x[:n], np.dtype(t).type(7)), strict=True)
        np.testing.assert_array_equal(*both(name, x[:n], x[::-1][:n] | 1), strict=True)
    np.testing.assert_array_equal(cp.floor_divide(7, cp.asarray(x | 1)).get(), 7 // (x | 1))
    y = cp.asarray(x)
    y //= 7
    np.testing.assert_array_equal(y.get(), x // np.dtype(t).type(7))
    y = cp.asarray(x)[::3]
    y %= 11
    np.testing.assert_array_equal(y.get(), x[::3] % np.dtype(t).type(11))
    np.testing.assert_array_equal(cp.floor_divide.accumulate(cp.asarray(x[:5] | 1)).get(),
                                  np.floor_divide.accumulate(x[:5] | 1))


@pytest.mark.parametrize("t", ["c8", "c16"])
def test_magnitudes(t, device):
    """Of any size, parts of any ratio, infinities beside NaN; within an ulp of the exact value."""
    rng, real = np.random.default_rng(3), np.float32 if t == "c8" else np.float64
    span = 40 if t == "c8" else 300
    z = (rng.normal(size=20000) * 10.0**rng.uniform(-span, span, 20000)
         + 1j * rng.normal(size=20000) * 10.0**rng.uniform(-span, span, 20000))
    z[5000:12000] = rng.normal(size=7000) + 1j * rng.normal(size=7000)
    with np.errstate(all="ignore"):
        z = z.astype(t)
    tiny, big = np.finfo(real).smallest_subnormal, np.finfo(real).max
    z[:12] = [complex(np.inf, np.nan), complex(np.nan, -np.inf), complex(np.nan, 1), 0, complex(-0.0, 0.0), big + 0j,
              complex(big, big), complex(tiny, 0), complex(tiny, tiny), 3 + 4j, complex(0, -5), complex(-np.inf, 2)]
    for part in (z, z[:11], z[100:163], z[::3]):
        got = abs(cp.asarray(part)).get()
        with np.errstate(all="ignore"):
            exact = np.hypot(part.real.astype("g"), part.imag.astype("g"))
            want = exact.astype(real)
        assert got.dtype == real
        np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
        np.testing.assert_array_equal(np.isinf(got), np.isinf(want))
        usual = np.isfinite(want)
        unit = np.spacing(np.clip(want[usual], np.finfo(real).tiny, big / 2))
        error = np.abs(got[usual] - exact[usual]) / unit
        assert error.max() <= (2 if str(device).startswith("cuda") else 1.2)  # CUDA documents 2 of its hypot
    assert abs(cp.array([3 + 4j], t)).get()[0] == 5
