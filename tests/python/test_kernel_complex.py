"""Complex functions in user kernels (<cupy/complex.cuh>, which ElementwiseKernels have unasked): a few units in the
last place of each part, over the whole range, on both sides of branch cuts, and C's values of infinities and NaN. Both
devices. NumPy's clongdouble, of 64 bits or more, is the oracle."""
import cmath
import itertools

import numpy as np
import pytest

import cuprite as cp

FUNCTIONS = {"sqrt": "sqrt", "log": "log", "log10": "log10", "exp": "exp", "sin": "sin", "cos": "cos", "tan": "tan",
             "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asin": "arcsin", "acos": "arccos", "atan": "arctan",
             "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh"}
PARTS = {"c8": "float", "c16": "double"}
ULPS = 8


def kernel(dtype, calls):
    lines = "".join(f"  y[{k} * n + i] = {call};\n" for k, call in enumerate(calls))
    return f"""#include <cupy/complex.cuh>
    extern "C" __global__ void f(const complex<{PARTS[dtype]}> *x, complex<{PARTS[dtype]}> *y, long long n)
    {{
      long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
      if (i >= n) return;
      const complex<{PARTS[dtype]}> z = x[i];
{lines}    }}"""


def computed(x, calls):
    y = cp.empty((len(calls), len(x)), x.dtype)
    cp.RawKernel(kernel({8: "c8", 16: "c16"}[x.dtype.itemsize], calls), "f")(
        (-(-len(x) // 128),), (128,), (cp.asarray(x), y, np.int64(len(x))))
    return y.get()


def points(dtype, n=2000):
    """Of all sizes in either part; near 0, the branch points and the unit circle; on the axes, with both zeros."""
    r = np.random.default_rng(2)
    f = np.finfo(dtype)

    def numbers(low, high):
        return np.ldexp(r.uniform(1, 2, n), r.integers(low, high, n)) * r.choice([-1, 1], n)

    kinds = [(f.minexp + 2, f.maxexp - 1), (-40, 40), (-6, 5)]
    z = [numbers(*a) + 1j * numbers(*b) for a, b in itertools.product(kinds, kinds)]
    z += [c + numbers(-60, -1) + 1j * numbers(-60, -1) for c in (0, 1, -1, 1j, -1j)]
    circle = np.exp(1j * r.uniform(-np.pi, np.pi, n))
    z += [circle, circle * (1 + numbers(-50, -1))]
    axis = numbers(-40, 40)
    z += [np.array([complex(*p) for p in zip(*parts)]) for s in (0.0, -0.0)
          for parts in ((axis, [s] * n), ([s] * n, axis))]
    with np.errstate(all="ignore"):
        z = np.concatenate(z).astype(dtype)
    return z[np.isfinite(z)]


def distance(ours, right, dtype):
    """In units of the last place of what is right; signs of zeros count."""
    f = np.finfo(dtype)
    with np.errstate(all="ignore"):
        exponent = np.maximum(np.frexp(np.abs(right))[1] - 1, f.minexp)
        d = np.abs(ours.astype(np.longdouble) - right) / np.ldexp(np.longdouble(1), (exponent - f.nmant).astype(int))
    beyond = (np.abs(right) >= f.max) & (np.abs(ours) >= f.max) & (np.signbit(ours) == np.signbit(right))
    d = np.where((ours == right) | beyond | (np.isnan(ours) & np.isnan(right)), 0, d)
    d = np.where(np.isnan(d), np.inf, d)
    return np.where((right == 0) & (ours == 0) & (np.signbit(ours) != np.signbit(right)), np.inf, d)


@pytest.mark.parametrize("dtype", PARTS)
def test_accuracy(dtype):
    x = points(dtype)
    with np.errstate(all="ignore"):
        right = [getattr(np, name)(x.astype(np.clongdouble)) for name in FUNCTIONS.values()]
    for name, y, w in zip(FUNCTIONS, computed(x, [f"{name}(z)" for name in FUNCTIONS]), right):
        for part in ("real", "imag"):
            d = distance(getattr(y, part), getattr(w, part), x.real.dtype)
            k = int(d.argmax())
            assert d[k] <= ULPS, (name, part, x[k], y[k], w[k], float(d[k]))


# C99, Annex G.6, where it decides: the value, and how its parts' signs follow from z's
SPECIAL = [complex(a, b) for a in (0.0, -0.0, 1.5, -1.5, np.inf, -np.inf, np.nan)
           for b in (0.0, -0.0, 1.5, -1.5, np.inf, -np.inf, np.nan)]


@pytest.mark.parametrize("dtype", PARTS)
def test_infinities_and_nan(dtype):
    """As NumPy, or Python's cmath, which differ where Annex G leaves a value open. Signs are not compared."""
    x = np.array(SPECIAL, dtype)
    names, wrong = [n for n in FUNCTIONS if n != "log10"], []
    y = computed(x, [f"{n}(z)" for n in names])
    for name, values in zip(names, y):
        for z, ours in zip(SPECIAL, values):
            with np.errstate(all="ignore"):
                right = [getattr(np, FUNCTIONS[name])(np.complex128(z))]
            try:
                right.append(getattr(cmath, name)(z))
            except (ValueError, OverflowError):
                pass
            if not any(all((np.isnan(a) and np.isnan(b)) or abs(a) == abs(b) or np.isclose(a, b, rtol=1e-6)
                           for a, b in ((ours.real, w.real), (ours.imag, w.imag))) for w in right):
                wrong.append((name, z, ours, right))
    assert not wrong


@pytest.mark.parametrize("dtype", PARTS)
def test_symmetry(dtype):
    """f(conj z) = conj f(z), and odd functions are odd, zeros included."""
    x = points(dtype, 300)
    odd = [n for n in FUNCTIONS if n in ("sin", "tan", "sinh", "tanh", "asin", "atan", "asinh", "atanh")]
    calls = [f"{n}(z)" for n in FUNCTIONS] + [f"conj({n}(conj(z)))" for n in FUNCTIONS] + [f"-{n}(-z)" for n in odd]
    y = computed(x, calls)
    n = len(FUNCTIONS)
    pairs = [(name, y[k], y[n + k]) for k, name in enumerate(FUNCTIONS)]
    pairs += [(name, y[list(FUNCTIONS).index(name)], y[2 * n + k]) for k, name in enumerate(odd)]
    for name, ours, other in pairs:
        for part in ("real", "imag"):
            a, b = getattr(ours, part), getattr(other, part)
            assert (np.signbit(a) == np.signbit(b)).all(), (name, part)
            assert distance(a, b.astype(np.longdouble), a.dtype).max() <= 2 * ULPS, (name, part)


MIXED = ["pow(z, 2)", "pow(z, 2.0f)", "pow(z, 2.0)", "pow(2, z)", "pow(2.0f, z)", "pow(2.0, z)",
         "pow(z, complex<float>(2, 0))", "pow(z, complex<double>(2, 0))", "pow(complex<float>(2, 0), z)", "pow(z, z)",
         "pow(z, -1)", "pow(z, 0)", "pow(z, 0.5)", "pow(z, 3u)", "pow(z, 3ll)"]


@pytest.mark.parametrize("dtype", PARTS)
def test_powers_of_every_mixture(dtype):
    x = np.array([1 + 2j, -0.5 + 0.25j, 3 - 1j, -2 + 0j, 0.75j], dtype)
    y = computed(x, [f"complex<{PARTS[dtype]}>({call})" for call in MIXED])
    w = x.astype("c16")
    two = [w ** 2] * 3 + [2 ** w] * 3 + [w ** 2] * 2 + [2 ** w, w ** w, 1 / w, w ** 0, np.sqrt(w), w ** 3, w ** 3]
    eps = np.finfo(dtype).eps
    for call, ours, right in zip(MIXED, y, two):
        assert (abs(ours - right) <= 40 * eps * abs(right)).all(), (call, ours, right)


def test_asinh_of_small_numbers():
    """What textbook formulas lose: log(z + sqrt(z z + 1)) has no digit left of 1e-17."""
    x = np.array([1e-8, 1e-17, 1e-300 + 1e-200j, 1e200, 1e300j])
    y = computed(x, ["asinh(z)"])[0]
    assert (abs(y[:3] - x[:3]) <= 4 * np.spacing(abs(x[:3]))).all()
    assert y[3:].real == pytest.approx([np.log(2) + k * np.log(10) for k in (200, 300)], rel=1e-15)


@pytest.mark.parametrize("dtype", PARTS)
def test_arrays_near_one(dtype):
    """The arrays' own functions: |z| - 1 far below a unit in the last place of 1; expm1, log1p where terms cancel."""
    x = points(dtype, 1000)
    with np.errstate(all="ignore"):
        for name in ("log", "arcsinh", "arccos", "arctanh", "sqrt"):
            y, w = getattr(cp, name)(cp.asarray(x)).get(), getattr(np, name)(x.astype(np.clongdouble))
            for part in ("real", "imag"):
                d = distance(getattr(y, part), getattr(w, part), x.real.dtype)
                assert d.max() <= ULPS, (name, part, x[int(d.argmax())])
    small = np.array([complex(-y * y / 2 + s * 1e-9, y) for y in (0.4, 1e-3, 1e-6, 2e-8) for s in (0, 1, -1)], dtype)
    wide = small.astype(np.clongdouble)
    right = np.log1p((wide.real ** 2 + wide.imag ** 2) + 2 * wide.real) / 2
    scale = np.spacing(np.abs(right).astype(x.real.dtype)) + np.finfo(np.longdouble).eps * np.abs(wide)
    assert (abs(cp.log1p(cp.asarray(small)).get().real - right) <= 8 * scale).all()
    falling = np.array([-30 + 1j, -211.5 - 0.99j, -80 + 3j], dtype)
    assert np.allclose(cp.expm1(cp.asarray(falling)).get().imag,
                       (np.exp(falling.real.astype("f8")) * np.sin(falling.imag.astype("f8"))).astype(x.real.dtype),
                       rtol=1e-6, atol=0)
