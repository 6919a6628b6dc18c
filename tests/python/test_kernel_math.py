"""CUDA's mathematical functions of float and double by name, in user kernels, against NumPy and SciPy. Both devices.

Functions with rounding modes, and those with an analysis of their own (erfinv, cyl_bessel_i0, norm3d), are in
test_kernel_intrinsics.py."""
import numpy as np
import pytest
from scipy import special

import cuprite as cp

# name: (arguments, what it is, ulps that CUDA's documents allow for double and float and a few for the oracle)
ONE = {"sin": (np.sin, 3), "cos": (np.cos, 3), "tan": (np.tan, 5), "asin": (np.arcsin, 5), "acos": (np.arccos, 3),
       "atan": (np.arctan, 3), "sinh": (np.sinh, 4), "cosh": (np.cosh, 3), "tanh": (np.tanh, 3),
       "asinh": (np.arcsinh, 4), "acosh": (np.arccosh, 5), "atanh": (np.arctanh, 4), "exp": (np.exp, 3),
       "exp2": (np.exp2, 3), "exp10": (lambda x: np.power(np.longdouble(10), x), 3), "expm1": (np.expm1, 3),
       "log": (np.log, 2), "log2": (np.log2, 2), "log10": (np.log10, 3), "log1p": (np.log1p, 2), "cbrt": (np.cbrt, 2),
       "sqrt": (np.sqrt, 1), "rsqrt": (lambda x: 1 / np.sqrt(x), 3), "rcbrt": (lambda x: 1 / np.cbrt(x), 3),
       "fabs": (np.fabs, 0), "floor": (np.floor, 0), "ceil": (np.ceil, 0), "trunc": (np.trunc, 0),
       "rint": (np.rint, 0), "nearbyint": (np.rint, 0),
       "round": (lambda x: np.copysign(np.floor(abs(x) + np.longdouble(0.5)), x), 0),
       "logb": (lambda x: np.where(x == 0, -np.inf, np.floor(np.log2(abs(x)))), 0),
       "j0": (special.j0, None), "j1": (special.j1, None), "y0": (special.y0, None), "y1": (special.y1, None),
       "erf": (special.erf, 4), "erfc": (special.erfc, 12), "tgamma": (special.gamma, 12),
       "lgamma": (special.gammaln, None)}
OF_DOUBLE = ("j0", "j1", "y0", "y1", "erf", "erfc", "tgamma", "lgamma")
TWO = {"pow": (np.power, 4), "atan2": (np.arctan2, 3), "fmod": (np.fmod, 0), "hypot": (np.hypot, 3),
       "rhypot": (lambda x, y: 1 / np.hypot(x, y), 3), "copysign": (np.copysign, 0), "fmin": (np.fmin, 0),
       "fmax": (np.fmax, 0), "fdim": (lambda x, y: np.where(x > y, x - y, np.where(x == x, y - y, x)), 0.5),
       "remainder": (lambda x, y: x - np.rint(x / y) * y, 0)}
DOMAIN = {"acosh": (1, 50), "asin": (-1, 1), "acos": (-1, 1), "atanh": (-1, 1), "tgamma": (0.1, 30),
          "lgamma": (0.1, 30),
          "y0": (0.1, 30), "y1": (0.1, 30), "erfc": (-3, 2.5), "exp10": (-30, 30), "exp": (-80, 80),
          "exp2": (-120, 120)}
POSITIVE = ("log", "log2", "log10", "sqrt", "rsqrt", "log1p")


def outcome(lines, arrays, dtype, results):
    """Runs `lines`, in which x, y are elements of the arrays, i and n the index, and r the results' array."""
    t = {"f4": "float", "f8": "double"}[dtype]
    heads = ", ".join(f"const {t} *a{k}" for k in range(len(arrays)))
    names = "".join(f" const {t} {v} = a{k}[i];" for k, v in zip(range(len(arrays)), "xyz"))
    text = f"""#include <math.h>
    extern "C" __global__ void f({heads}, double *r, int n)
    {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
     {names}
      {lines}
    }}"""
    n = len(arrays[0])
    r = cp.zeros((results, n))
    cp.RawKernel(text, "f")((-(-n // 128),), (128,), (*map(cp.asarray, arrays), r, np.int32(n)))
    return r.get()


def arguments(name, dtype, n=400):
    r = np.random.default_rng(3)
    x = r.uniform(*DOMAIN.get(name, (-12, 12)), n)
    if name in POSITIVE:
        x = abs(x) + 1e-3
    return x.astype(dtype)


def bessel_error(name, x, dtype, device):
    """CUDA documents an absolute error for Bessel functions of 8 and more; on the CPU they have none."""
    documented = {"f8": 5e-12, "f4": 2.2e-6}[dtype] * (name[0] in "jy" and device != "cpu")
    return np.where(abs(x) >= 8, documented, 0)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_of_one(dtype, device):
    suffix = "f" if dtype == "f4" else ""
    x = np.stack([arguments(name, dtype) for name in ONE])
    wide = x.astype(np.longdouble)
    lines = "switch (i / 400) {" + "".join(
        f" case {k}: r[i] = {name}{suffix}(x), r[n + i] = {name}(x); break;" for k, name in enumerate(ONE)) + " }"
    got = outcome(lines, [x.ravel()], dtype, 2).reshape(2, len(ONE), -1)
    with np.errstate(all="ignore"):
        for k, (name, (f, ulps)) in enumerate(ONE.items()):
            right = np.asarray(f(x[k].astype("f8") if name in OF_DOUBLE else wide[k]), np.longdouble)
            unit = np.spacing(abs(right).astype(dtype)).astype(np.longdouble)
            if ulps is None:  # absolute beside zeros
                unit, ulps = np.maximum(unit, np.spacing(np.array(1, dtype))), 12
            for ours in got[:, k]:
                assert np.array_equal(np.isnan(ours), np.isnan(right)), name
                bad = abs(ours - right) > (ulps + 0.01 if ulps else 0) * unit + bessel_error(name, x[k], dtype, device)
                assert not bad.any(), (name, x[k][bad][:3], ours[bad][:3], right[bad][:3])


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_of_two(dtype):
    suffix = "f" if dtype == "f4" else ""
    r = np.random.default_rng(4)
    x, y = r.uniform(-9, 9, (2, 500)).astype(dtype)
    x[:20], y[:10] = r.integers(-4, 4, 20), r.integers(-4, 4, 10)
    lines = "".join(f"r[{2 * k} * n + i] = {n}{suffix}(x, y); r[{2 * k + 1} * n + i] = {n}(x, y);\n"
                    for k, n in enumerate(TWO))
    got = outcome(lines, [x, y], dtype, 2 * len(TWO)).reshape(len(TWO), 2, -1)
    for k, (name, (f, ulps)) in enumerate(TWO.items()):
        with np.errstate(all="ignore"):
            right = f(x.astype(np.longdouble), y.astype(np.longdouble))
            unit = np.spacing(abs(right).astype(dtype)).astype(np.longdouble)
            for ours in got[k]:
                assert np.array_equal(np.isnan(ours), np.isnan(right)), name
                bad = (abs(ours - right) > (ulps + 0.01 if ulps else 0) * unit) & (ours != right)
                assert not bad.any(), (name, x[bad][:3], y[bad][:3], ours[bad][:3], right[bad][:3])


PARTS = """int e = 0, q = 0; TYPE w = 0, s = 0, c = 0;
  r[i] = frexpS(x, &e), r[n + i] = e;
  r[2 * n + i] = modfS(x, &w), r[3 * n + i] = w;
  r[4 * n + i] = ldexpS(x, 5), r[5 * n + i] = scalbnS(x, -3), r[6 * n + i] = scalblnS(x, 7l);
  r[7 * n + i] = ilogbS(x), r[8 * n + i] = logbS(x);
  r[9 * n + i] = remquoS(x, y, &q), r[10 * n + i] = q & 7;
  r[11 * n + i] = lrintS(x), r[12 * n + i] = llrintS(x), r[13 * n + i] = lroundS(x), r[14 * n + i] = llroundS(x);
  r[15 * n + i] = nextafterS(x, y), r[16 * n + i] = fmaS(x, y, x);
  sincosS(x, &s, &c);
  r[17 * n + i] = s, r[18 * n + i] = c;
  sincospiS(x, &s, &c);
  r[19 * n + i] = s, r[20 * n + i] = c;
  r[21 * n + i] = jnS(3, x), r[22 * n + i] = ynS(2, x < 0 ? -x : x);
  r[23 * n + i] = isnan(x) + 2 * isinf(x) + 4 * isfinite(x) + 8 * (signbit(x) != 0);
  r[24 * n + i] = abs(x), r[25 * n + i] = max(x, y), r[26 * n + i] = min(x, y), r[27 * n + i] = isnan(nanS(""));"""


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_parts_and_neighbours(dtype, device):
    r = np.random.default_rng(5)
    x, y = r.uniform(-20, 20, (2, 300)).astype(dtype)
    x[:40] = r.integers(-12, 12, 40) / 2
    x[x == 0] = 1.5
    got = outcome(PARTS.replace("S(", "f(" if dtype == "f4" else "(").replace(
        "TYPE", {"f4": "float", "f8": "double"}[dtype]), [x, y], dtype, 28)
    m, e = np.frexp(x)
    part, whole = np.modf(x)
    wx, wy = x.astype(np.longdouble), y.astype(np.longdouble)
    q = np.rint(wx / wy)
    away = np.copysign(np.floor(abs(wx) + np.longdouble(0.5)), x)
    exact = [m, e, part, whole, np.ldexp(x, 5), np.ldexp(x, -3), np.ldexp(x, 7), e - 1, e - 1, wx - q * wy, None,
             np.rint(x), np.rint(x), away, away, np.nextafter(x, y)]
    for k, w in enumerate(exact):
        if w is not None:
            assert (got[k] == w).all(), k
    quotient = got[10].astype(int)  # the lowest bits of a number with the sign of x / y
    assert (quotient == (q.astype(int) & 7)).all() or (quotient == (abs(q).astype(int) & 7)).all()
    eps = np.finfo(dtype).eps
    assert (abs(got[16] - (wx * wy + wx)) <= eps * abs(wx * wy + wx)).all()
    for k, w in ((17, np.sin(wx)), (18, np.cos(wx)), (19, np.sin(np.pi * np.fmod(wx, 2))),
                 (20, np.cos(np.pi * np.fmod(wx, 2)))):
        assert (abs(got[k] - w) <= 4 * eps).all(), k
    scale = 64 * eps
    w = special.jv(3, x.astype("f8"))
    assert (abs(got[21] - w) <= scale * (1 + abs(w)) + bessel_error("jn", x, dtype, device)).all()
    far = bessel_error("yn", x, dtype, device)
    w = special.yn(2, abs(x).astype("f8"))
    assert (abs(got[22] - w) <= scale * (1 + abs(w)) + far).all()
    assert (got[23] == 4 + 8 * np.signbit(x)).all() and (got[24] == abs(x)).all() and got[27].all()
    assert (got[25] == np.maximum(x, y)).all() and (got[26] == np.minimum(x, y)).all()


FAST = {"__sinf(x)": (np.sin, 2.0 ** -21), "__cosf(x)": (np.cos, 2.0 ** -21), "__tanf(x)": (np.tan, "quotient"),
        "__expf(x)": (np.exp, None), "__exp10f(x)": (lambda x: 10 ** x, None), "__logf(x + 3.5f)": (
            lambda x: np.log(x + 3.5), 2.0 ** -21), "__log2f(x + 3.5f)": (lambda x: np.log2(x + 3.5), 2.0 ** -21),
        "__log10f(x + 3.5f)": (lambda x: np.log10(x + 3.5), 2.0 ** -21),
        "__powf(x + 3.5f, 1.5f)": (lambda x: (x + 3.5) ** 1.5, None), "__fdividef(x, 1.5f)": (lambda x: x / 1.5, None),
        "fdividef(x, 3.f)": (lambda x: x / 3, None), "__saturatef(x)": (lambda x: np.clip(x, 0, 1), 0),
        "__frsqrt_rn(x + 3.5f)": (lambda x: 1 / np.sqrt(x + 3.5), None)}


def test_fast_functions():
    """Errors are those of CUDA's documents: absolute for sines and logarithms, else relative, of parts in 2^21; the
    tangent is the quotient of its sine and cosine."""
    x = np.random.default_rng(6).uniform(-3, 3, 500).astype("f4")
    got = outcome("".join(f"r[{k} * n + i] = {e};\n" for k, e in enumerate(FAST)), [x], "f4", len(FAST))
    for ours, (e, (f, bound)) in zip(got, FAST.items()):
        right = f(x.astype("f8"))
        bound = (2.0 ** -20 * abs(right) if bound is None else 2.0 ** -20.5 * (1 + right ** 2) if bound == "quotient"
                 else bound * np.maximum(1, abs(right)))
        assert (abs(ours - right) <= bound).all(), e


def test_integers():
    """abs, min and max of every type of integer, and those with names of their own."""
    text = """extern "C" __global__ void f(long long *r)
    {
      int k = 0;
      r[k++] = abs(-3), r[k++] = labs(-4l), r[k++] = llabs(-5ll), r[k++] = abs(-6l), r[k++] = abs(-7ll);
      r[k++] = min(3, -2), r[k++] = max(3u, 2u), r[k++] = umin(4u, 7u), r[k++] = umax(4u, 7u);
      r[k++] = llmin(-4ll, 9ll), r[k++] = llmax(-4ll, 9ll), r[k++] = ullmin(4ull, 1ull << 63);
      r[k++] = ullmax(4ull, 1ull << 62), r[k++] = min(-1, 5u), r[k++] = max(2l, 3l), r[k++] = min(4ll, 3ll);
    }"""
    r = cp.zeros(16, "i8")
    cp.RawKernel(text, "f")((1,), (1,), (r,))
    assert r.get().tolist() == [3, 4, 5, 6, 7, -2, 3, 4, 7, -4, 9, 4, 1 << 62, 5, 3, 3]
