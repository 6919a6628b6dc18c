"""A complex number's result has the same bits wherever it stands: in a vector, at an array's end, among other
neighbours, strided, alone, and in a fused function."""
import numpy as np
import pytest
from differential_reference import times
from test_elementwise import ROWS, TABLE

import cuprite as cp

SPECIAL = [0, -0.0, 1, np.inf, -np.inf, np.nan, 1e-300, 1e300, 3e-39, 1e38]


def numbers(dtype, n, seed):
    """Complex numbers among which a few have parts beyond what is computed in the usual way."""
    r = np.random.default_rng(seed)
    z = r.standard_normal(n) + 1j * r.standard_normal(n)
    z.real[::23], z.imag[5::29] = r.choice(SPECIAL, len(z[::23])), r.choice(SPECIAL, len(z[5::29]))
    with np.errstate(all="ignore"):
        return z.astype(dtype)


def same(got, want):
    """Whether all bits agree, but those of a NaN."""
    parts = [(got, want)] if got.dtype.kind != "c" else [(got.real, want.real), (got.imag, want.imag)]
    return got.dtype == want.dtype and all(
        (((a == b) & (np.signbit(a) == np.signbit(b)) if a.dtype.kind == "f" else a == b) | ((a != a) & (b != b))).all()
        for a, b in parts)


def several(made):
    return [x.get() for x in (made if isinstance(made, tuple) else (made,))]


COMPLEX = [n for n in ROWS if any(set(t.split("->")[0]) == {"D"} for t in TABLE[n].types)]


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name", COMPLEX)
def test_complex(name, dtype, device):
    f = TABLE[name]
    given = [numbers(dtype, 67, k) for k in range(f.nin)]
    whole = several(f(*map(cp.asarray, given)))
    ways = {f"{first}:{last}": (slice(first, last), [cp.asarray(x[first:last].copy()) for x in given])
            for first, last in ((0, 1), (0, 66), (1, 67), (7, 8), (3, 22), (46, 47), (9, 10))}
    ways["strided"] = slice(None), [cp.asarray(np.repeat(x, 2))[::2] for x in given]
    ways["reversed"] = slice(None), [cp.asarray(x[::-1].copy())[::-1] for x in given]
    for way, (part, arrays) in ways.items():
        for got, want in zip(several(f(*arrays)), whole):
            assert same(got, want[part]), way
    for k in (0, 1, 23, 30, 66):
        for got, want in zip(several(f(*[cp.asarray(x[k]) for x in given])), whole):
            assert same(got, want[k]), k


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_products_are_rounded_after_each_operation(dtype, device):
    x, y = [numbers(dtype, 67, k) for k in (3, 4)]
    a, b = cp.asarray(x), cp.asarray(y)
    fused = cp.fuse(lambda x, y: (x * y, cp.square(x), cp.absolute(x)))
    for _ in range(2):
        products, squares, magnitudes = [r.get() for r in fused(a, b)]
        with np.errstate(all="ignore"):
            assert same(products, times(x, y)) and same(squares, times(x, x))
        assert same(magnitudes, cp.absolute(a).get())
        fused.wait()
    assert same(cp.multiply(a, b).get(), products) and same((a * a).get(), squares)


ZEROS = np.array([0.0, -0.0, 0.0, -0.0, 1.0, -1.0, np.nan])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin"])
def test_the_first_of_two_zeros(name, dtype, device):
    r = np.random.default_rng(5)
    x, y = [r.choice(ZEROS, 71).astype(dtype) for _ in range(2)]
    want = np.where(x == y, x, getattr(np, name)(x, y))
    f, a, b = getattr(cp, name), cp.asarray(x), cp.asarray(y)
    assert same(f(a, b).get(), want)
    for n in range(1, 18):
        assert same(f(a[-n:].copy(), b[-n:].copy()).get(), want[-n:])
    assert same(f(cp.asarray(np.repeat(x, 2))[::2], b).get(), want)
    assert all(same(f(a[k], b[k]).get(), want[k]) for k in range(len(x)))
    fused = cp.fuse(lambda x, y: (f(x, y), cp.copysign(1, f(x, y))))
    for _ in range(2):
        made = fused(a, b)
        assert same(made[0].get(), want)
        signs = want == want
        assert same(made[1].get()[signs], np.copysign(want.dtype.type(1), want[signs]))
        fused.wait()
