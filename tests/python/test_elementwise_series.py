"""Functions that are computed by series, within the bounds of their rows everywhere: subnormal numbers, neighbours of
zeros and of overflow, ends of intervals, random bits; powers of a base exactly."""
import os
import pathlib

import numpy as np
import pytest

import cuprite as cp

NAMES = ["exp", "expm1", "log", "log2", "log10", "log1p", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh",
         "arctan", "cbrt", "sin", "cos", "tan", "sinc"]
CPUINFO = pathlib.Path("/proc/cpuinfo")
#: processors without multiply-add have the C library's functions, of which cbrt is up to 4 ulps off
LIBRARY = os.environ.get("CUPRITE_CPU") == "x86-64-v2" or (CPUINFO.exists() and " fma" not in CPUINFO.read_text())
WIDER = {"f4": np.dtype("f8"), "f8": np.dtype(np.longdouble)}


def numbers(t, n):
    rng, info = np.random.default_rng(9), np.finfo(t)
    i = {"f4": "i4", "f8": "i8"}[t]
    ends = np.array([0, 1, 2**-0.5, 2**0.5, 0.4375, 0.6875, 1.1875, 2.4375, np.pi / 2, 2.0**14, 2.0**28, 2.0**-26,
                     2.0**-55, 20, 40, 87, 700, 88.7228, 89.4159, 103.97, 709.782712893384, 710.4758600739439, 745.13,
                     1e154, float(info.max), float(info.max) / 8, float(info.tiny), float(info.tiny) / 3, np.inf])
    with np.errstate(over="ignore"):
        ends = ends.astype(t)
    near = [ends]
    with np.errstate(over="ignore"):
        for _ in range(4):
            near += [np.nextafter(near[0], t_of(t, np.inf)), np.nextafter(near[-1], t_of(t, -np.inf))]
    x = np.concatenate(near + [
        rng.integers(np.iinfo(i).min, np.iinfo(i).max, n, dtype=i, endpoint=True).view(t),
        (rng.normal(size=n) * 10.0 ** rng.uniform(-8, 3, n)).astype(t), rng.uniform(-3, 3, n).astype(t),
        (1 + rng.normal(size=n) * 10.0 ** rng.uniform(-12, 0, n)).astype(t), rng.uniform(-760, 760, n).astype(t)])
    return np.concatenate([x, -x])


def t_of(t, v):
    return np.dtype(t).type(v)


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 60, reason="numpy.longdouble is the oracle of float64")
@pytest.mark.parametrize("t", ["f4", "f8"])
@pytest.mark.parametrize("name", NAMES[:-1])
def test_errors(name, t, device):
    x, f = numbers(t, 20000), getattr(cp, name)
    with np.errstate(all="ignore"):
        exact = getattr(np, name)(x.astype(WIDER[t]))
        right = exact.astype(t)
        unit = np.spacing(np.abs(right)).astype(WIDER[t])
    ours = f(cp.asarray(x)).get()
    assert ours.dtype == np.dtype(t)
    finite = np.isfinite(right)
    # next to overflow either side may be taken, within the bound
    edge = np.abs(exact.astype(WIDER[t])) > np.finfo(t).max * (1 - WIDER[t].type(f.ulp) * np.finfo(t).eps)
    np.testing.assert_array_equal(np.isnan(ours), np.isnan(right))
    np.testing.assert_array_equal(ours[~finite & ~edge], right[~finite & ~edge])
    np.testing.assert_array_equal(np.signbit(ours[right == 0]), np.signbit(right[right == 0]))
    both = finite & np.isfinite(ours)
    assert (both | edge | ~finite).all()
    errors = np.abs(ours[both].astype(WIDER[t]) - exact[both]) / unit[both]
    worst = errors.argmax()
    assert errors[worst] <= (4 if LIBRARY and name == "cbrt" else f.ulp), (x[both][worst], errors[worst])


@pytest.mark.parametrize("t", ["f4", "f8"])
def test_logarithms_of_powers(t, device):
    info = np.finfo(t)
    k = np.arange(info.minexp - info.nmant, info.maxexp)
    np.testing.assert_array_equal(cp.log2(cp.asarray(np.ldexp(t_of(t, 1), k))).get(), k)
    k = np.arange(23 if t == "f8" else 11)
    ours = cp.log10(cp.asarray(np.array([10.0**i for i in k], t))).get()
    if device.startswith("cuda"):  # CUDA's function
        np.testing.assert_array_max_ulp(ours, k.astype(t), 1)
    else:
        np.testing.assert_array_equal(ours, k)


@pytest.mark.parametrize("t", ["f4", "f8"])
@pytest.mark.parametrize("name", NAMES)
def test_results_do_not_depend_on_the_position(name, t, device):
    """Alone, in the middle of others, in a segment with numbers that go another way."""
    x = numbers(t, 100)
    whole = getattr(cp, name)(cp.asarray(x)).get()
    for first in (1, 7, 130, 300):
        np.testing.assert_array_equal(getattr(cp, name)(cp.asarray(x[first:first + 37])).get(), whole[first:first + 37])
    usual = np.linspace(0.5, 100, 3000).astype(t)
    keep = np.arange(3000) % 7 != 0
    alone = getattr(cp, name)(cp.asarray(usual)).get()
    for other in (x[:429], 200.0, 5e4, 1e13, 1e15, 1e30, np.nan, np.inf, -1, 1e-40):
        mixed = usual.copy()
        with np.errstate(over="ignore"):
            mixed[::7] = other
        np.testing.assert_array_equal(getattr(cp, name)(cp.asarray(mixed)).get()[keep], alone[keep])
