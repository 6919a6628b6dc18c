#!/usr/bin/env python3
"""Writes tests/python/special_values.txt: values of the special functions with 20 digits, which test_special.py
compares with.

A line is NAME, the arguments as hexadecimal floats, and the value (the real and the imaginary part of a complex one).
Arguments lie where functions change their method, at zeros and poles, at both ends of the range, and anywhere between.
Needs mpmath; run by hand after a function was added: tools/make_special_values.py [NAME...].
"""
import math
import pathlib
import random
import sys

import mpmath as mp
from mpmath import mpf

mp.mp.dps = 40
FILE = pathlib.Path(__file__).resolve().parent.parent / "tests" / "python" / "special_values.txt"
draw = random.Random(1)


def between(a, b, n):
    return [draw.uniform(a, b) for _ in range(n)]


def sizes(a, b, n, sign=1):
    """n numbers whose logarithms are uniform."""
    return [sign * math.exp(draw.uniform(math.log(a), math.log(b))) for _ in range(n)]


def around(*points):
    return [v for p in points for v in (math.nextafter(p, -math.inf), float(p), math.nextafter(p, math.inf))]


def pairs(first, second, n):
    return [(draw.choice(first), draw.choice(second)) for _ in range(n)]


TINY = [5e-324, 1e-310, 2.3e-308, 1e-200, 1e-20, 1e-8]
REAL = TINY + sizes(1e-10, 1, 8) + between(0, 10, 12) + between(10, 100, 6)
BOTH = REAL + [-v for v in REAL]


def rising(z, m):
    return mp.gammaprod([z + m], [z])


def ndtr(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def density(x):
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


def ndtri(p):
    if p > mpf(1) / 2:
        return -ndtri(1 - p)
    if p == mpf(1) / 2:
        return mpf(0)
    r = mp.sqrt(-2 * mp.log(p))
    start = -(r - (mpf("2.515517") + mpf("0.802853") * r + mpf("0.010328") * r * r) /
              (1 + mpf("1.432788") * r + mpf("0.189269") * r * r + mpf("0.001308") * r ** 3))
    x = start
    for _ in range(60):
        n = ndtr(x)
        step = (mp.log(n) - mp.log(p)) * n / density(x)
        x -= step
        if abs(step) < abs(x) * mpf(10) ** -32:
            break
    return x


def degrees(f, x):
    return f(mpf(x) * mp.pi / 180)


def box_cox(x, l):
    return mp.log(x) if l == 0 else mp.expm1(l * mp.log(x)) / l


def zeta(x, q):
    return mp.zeta(x, q)


def positive_sum(ratio, digits):
    """1 + ratio(0) + ratio(0) ratio(1) + ..."""
    total = term = mpf(1)
    k = 0
    while term > total * mpf(10) ** -digits or ratio(k) >= 1:
        term *= ratio(k)
        total += term
        k += 1
    return total


def gamma_sides(a, x):
    """P and Q by the series of positive terms, with so many digits that Q keeps some."""
    with mp.workdps(340):
        p = mp.exp(a * mp.log(x) - x - mp.loggamma(a + 1)) * positive_sum(lambda k: x / (a + 1 + k), 335)
        return p, 1 - p


def beta_sides(a, b, x):
    with mp.workdps(340):
        front = mp.exp(a * mp.log(x) + b * mp.log(1 - x) + mp.loggamma(a + b) - mp.loggamma(a) - mp.loggamma(b)) / a
        p = front * positive_sum(lambda k: (a + b + k) / (a + 1 + k) * x, 335)
        return p, 1 - p


def wright(a, b, x):
    with mp.workdps(60):
        return mp.nsum(lambda k: x ** k / mp.factorial(k) * mp.rgamma(a * k + b), [0, mp.inf]) if x < 50 else \
            mp.fsum(x ** k / mp.factorial(k) * mp.rgamma(a * k + b) for k in range(3000))


def legendre(m, v, x):
    with mp.workdps(60):
        return mp.legenp(v, m, x, type=2)


INCOMPLETE = [(a, a * r) for a in (1e-6, 0.01, 0.3, 1.0, 2.5, 7.0, 19.5, 20.5, 50.0, 150.0, 1e3, 3e4)
              for r in (1e-3, 0.2, 0.72, 0.95, 1.0, 1.02, 1.28, 1.9, 4.0)] + \
    [(0.5, 30.0), (5.0, 200.0), (100.0, 500.0), (1e6, 1.002e6), (1e6, 0.998e6), (2.0, 1e-100), (0.3, 1e-300)]
BETAS = [(a, b, x) for a, b in ((0.3, 0.2), (0.01, 3.0), (1.0, 1.0), (2.5, 0.5), (5.0, 7.0), (15.0, 12.0), (100.0, 0.3),
                                (30.0, 200.0), (1e3, 1.5e3), (1e-3, 50.0), (1e4, 2e4))
         for x in (1e-6, 0.1, 0.3333, 0.402, 0.75, 0.98)]


SOLUTIONS = {}  # arguments of an inverse: a value near the result


def inverse_of(f, density, where):
    """The inverse of f in its last argument, and its arguments: values of f. The result is a step of Newton's method
    from where f was taken, which the rounding of its value moved."""
    def arguments():
        with mp.workdps(60):
            for x in where:
                y = float(f(*map(mpf, x)))
                if 1e-290 < y < 1 - 1e-9:
                    SOLUTIONS[density, (*x[:-1], y)] = x[-1]
        return [key for d, key in SOLUTIONS if d is density]

    def solve(*key):
        x = mpf(SOLUTIONS[density, tuple(float(v) for v in key)])
        for _ in range(2):
            x += (key[-1] - f(*key[:-1], x)) / density(*key[:-1], x)
        return x
    return solve, arguments


def gamma_density(a, x):
    return mp.exp((a - 1) * mp.log(x) - x - mp.loggamma(a))


def gamma_density_above(a, x):
    return -gamma_density(a, x)


def beta_density(a, b, x):
    return mp.exp((a - 1) * mp.log(x) + (b - 1) * mp.log(1 - x) + mp.loggamma(a + b) - mp.loggamma(a) - mp.loggamma(b))


def seen(f, arguments):
    """Those whose value is neither tiny nor without digits beside 1."""
    return [x for x in arguments if mpf(10) ** -290 < f(*map(mpf, x)) < 1 - mpf(10) ** -13]


def noncentral(half, sides):
    """The sum of sides(j) with Poisson's weights of that mean."""
    total, weight = mpf(0), mp.exp(-half)
    for j in range(int(half + 25 * mp.sqrt(half) + 90)):
        total += weight * sides(j)
        weight *= half / (j + 1)
    return total


def noncentral_chi(x, df, nc):
    return noncentral(nc / 2, lambda j: mp.gammainc(df / 2 + j, 0, x / 2, regularized=True))


def noncentral_f(dfn, dfd, nc, f):
    y = dfn * f / (dfd + dfn * f)
    return noncentral(nc / 2, lambda j: mp.betainc(dfn / 2 + j, dfd / 2, 0, y, regularized=True))


def noncentral_t(df, nc, t):
    if t < 0:
        with mp.workdps(150):
            return 1 - noncentral_t(df, -nc, -t)
    half, y, total = nc * nc / 2, t * t / (df + t * t), mpf(0)
    even, odd = mp.exp(-half), nc / mp.sqrt(2) * mp.exp(-half) / mp.gamma(mpf(3) / 2)
    for j in range(int(half + 25 * mp.sqrt(half) + 90)):
        total += even * mp.betainc(j + mpf(1) / 2, df / 2, 0, y, regularized=True)
        total += odd * mp.betainc(j + 1, df / 2, 0, y, regularized=True)
        even, odd = even * half / (j + 1), odd * half / (j + mpf(3) / 2)
    return mp.ncdf(-nc) + total / 2


def smirnov(n, d):
    n = int(n)
    return d * mp.fsum(mp.binomial(n, j) * (d + mpf(j) / n) ** (j - 1) * (1 - d - mpf(j) / n) ** (n - j)
                       for j in range(int(mp.floor(n * (1 - d))) + 1))


def tukey_lambda(x, shape):
    """By its quantile, which is solved for the logarithm of the smaller side."""
    if x == 0:
        return mpf(1) / 2
    if x > 0:
        return 1 - tukey_lambda(-x, shape)
    if shape > 0 and x <= -1 / shape:
        return mpf(0)

    def off(u):
        p = mp.exp(u)
        return ((p ** shape - (1 - p) ** shape) / shape if shape else u - mp.log1p(-p)) - x
    low, high = mpf(-3000), -mp.log(2)
    for _ in range(230):
        middle = (low + high) / 2
        low, high = (middle, high) if off(middle) < 0 else (low, middle)
    return mp.exp(low)


def log_wright(a, b, x):
    return mp.log(mp.nsum(lambda k: x ** k / mp.factorial(k) * mp.rgamma(a * k + b), [0, mp.inf]))


_apart = random.Random(40)
LARGE_PARAMETERS = [(*(_apart.uniform(-40, 40) for _ in range(3)), _apart.choice(
    [_apart.uniform(-0.9, 0.9), _apart.uniform(-6, 0), -10 ** _apart.uniform(0, 3)])) for _ in range(120)]
#: c - a - b is whole but for a little, and z near 1
NEARLY_WHOLE = [(a, b, a + b + m + off, z) for a, b in ((0.3, 1.2), (3.1, -1.7)) for m in (-2, 0, 1, 3)
                for off in (0.0, 1e-15, -1e-9, 0.02) for z in (0.93, 0.9995, 1 - 1e-9)] + \
    [(a, a + m + off, 0.7, z) for a in (0.4, -1.6) for m in (0, 2) for off in (0.0, 3e-15, -1e-7)
     for z in (-40.0, -1e6)]
WIDE = [(df, nc) for df in (0.3, 2.0, 11.0, 150.0) for nc in (1e-3, 0.7, 12.0, 260.0)]

#: one below 0, where logarithms that are subtracted are large
LEFT = [(a, b) for a in (0.75, 0.02, 41.8, 260.5, -3.25, 20000.75) for b in (-7013438.5, -220655514128.75, -31744.25)
        if a + b < -9] + [(20000.75, -19988.25), (317.625, -144.75), (1e9, -20.25), (322.25, -149.875)]
#: whose product is subnormal, or so small that it may be
SUBNORMAL = [(x, shape) for x in (9.515640235923096, 304.4632193392367, -6.25, 27.5)
             for shape in (5e-324, -5e-324, 2.3e-308, 1e-280, -1e-160, 1e-20)]

# name: (function of mpf's, arguments)
VALUES = {
    "expit": (lambda x: 1 / (1 + mp.exp(-x)), BOTH + [-700.5, -744.5, 36.9]),
    "logit": (lambda p: mp.log(p) - mp.log1p(-p), TINY + between(0, 1, 20) + around(0.25, 0.75) +
              [1 - 1e-9, 0.5000001]),
    "log_expit": (lambda x: -mp.log1p(mp.exp(-x)), BOTH),
    "exprel": (lambda x: mp.expm1(x) / x, BOTH + [700.0, -800.0]),
    "exp10": (lambda x: mpf(10) ** x, BOTH + [300.5, -307.25]),
    "entr": (lambda x: -x * mp.log(x), REAL + around(1) + [1e300]),
    "rel_entr": (lambda x, y: x * mp.log(x / y), pairs(REAL, REAL, 40) +
                 [(1.5, 1.5000001), (3.0, 1.5), (1e-300, 1e300)]),
    "kl_div": (lambda x, y: x * mp.log(x / y) - x + y, pairs(REAL, REAL, 40) + [(1.5, 1.5000001), (3.0, 1.9)]),
    "pseudo_huber": (lambda d, r: d * d * (mp.sqrt(1 + (r / d) ** 2) - 1),
                     pairs(sizes(1e-3, 1e3, 9), sizes(1e-5, 1e5, 9), 30)),
    "xlog1py": (lambda x, y: x * mp.log1p(y), pairs(REAL, REAL, 30) + [(2.0, -0.999), (1e300, 1e-310)]),
    "boxcox": (box_cox, pairs(sizes(1e-8, 1e8, 12), [0.0, 1e-25, 1e-5, -1e-5, 0.5, -0.5, 1.0, 2.0, -3.0, 20.0], 50)),
    "boxcox1p": (lambda x, l: box_cox(1 + mpf(x), l),
                 pairs(sizes(1e-8, 1e8, 12) + [-0.5, -1e-5], [0.0, 1e-25, 1e-5, 0.5, -0.5, 1.0, 2.0, -3.0], 50) +
                 [(1e-20, 2.0 ** 32), (3e-17, -1e15)]),
    "inv_boxcox": (lambda y, l: mp.exp(y) if l == 0 else mp.exp(mp.log1p(l * y) / l),
                   pairs(sizes(1e-8, 30, 12), [0.0, 1e-5, 0.5, 1.0, 2.0, 20.0], 40) + SUBNORMAL),
    "inv_boxcox1p": (lambda y, l: mp.expm1(y) if l == 0 else mp.expm1(mp.log1p(l * y) / l),
                     pairs(sizes(1e-8, 30, 12), [0.0, 1e-5, 0.5, 1.0, 2.0, 20.0], 40) + SUBNORMAL),
    "cosm1": (lambda x: mp.cos(x) - 1, BOTH + [6.283185307179586, 1e5, 12.566370614]),
    "sindg": (lambda x: degrees(mp.sin, x), BOTH + [1e10 + 0.5, 359.9999, 180.0001, -45.0, 1e15 + 1]),
    "cosdg": (lambda x: degrees(mp.cos, x), BOTH + [1e10 + 0.5, 359.9999, 90.0001, -45.0, 1e15 + 1]),
    "tandg": (lambda x: degrees(mp.tan, x), BOTH + [1e10 + 0.5, 359.9999, 90.0001, -44.9, 1e15 + 1]),
    "cotdg": (lambda x: degrees(mp.cot, x), [v for v in BOTH if abs(v) > 1e-300] + [1e10 + 0.5, 359.9999, 90.0001]),
    "gamma": (mp.gamma, [v for v in TINY if v > 1e-307] + between(0, 25, 30) + between(25, 171.6, 20) +
              between(-30, 0, 30) + between(-170, -30, 12) + [-183.5, 171.62, -1e-10] +
              around(0.5, 1, 2, 3, 20, 140, 141, -20.5) +
              [-1.0000001, -2.99999, -31.18559878616354, -166.15059975567024]),
    "rgamma": (mp.rgamma, [v for v in TINY if v > 1e-307] + between(0, 25, 20) + between(25, 171.6, 12) +
               between(-30, 0, 20) + between(-170, -30, 12) + [175.5, -169.5, -1e-10, -37.624665972724515] +
               [1e-320, -5e-324, 3e-309]),
    "gammaln": (lambda x: mp.loggamma(x).real, TINY + between(0, 3, 30) + between(3, 20, 15) + sizes(20, 1e300, 15) +
                around(0.0625, 1, 2, 128, 3.25) + [-0.5, -1e-10, -1.3, -19.7, -20.2, -100.3]),
    "digamma": (mp.digamma, [v for v in TINY if v > 1e-307] + between(0, 3, 30) + between(3, 20, 15) +
                sizes(20, 1e300, 12) + around(1, 2, 8, 128) +
                [1.4616321449683622, 1.4616321449683624, 1.46, -0.25, -1.3, -19.75, -100.3, -1e-8] +
                around(-0.5040830082644554, -1.5734984731623904, -16.734356723955734, -19.74308167259022) +
                [-0.51, -0.45, -1.7226, -2.6, -6.7, -12.75, -16.7]),
    "zeta": (zeta, pairs([1.0000001, 1.01, 1.5, 2.0, 3.3, 5.0, 12.0, 30.0, 60.0],
                         [1e-3, 0.1, 0.5, 1.0, 1.7, 5.0, 9.99, 30.0, 1e3, 1e6, 1e9], 50)),
    "zetac": (lambda x: mp.zeta(x) - 1, between(0, 1, 8) + between(1, 10, 10) + between(10, 100, 5) +
              between(-30, 0, 15) + [1.0000001, 0.9999999, 1e-10, -1e-10, -0.009, -0.011, -100.5, -170.5, 200.0] +
              around(-31, -63.5)),
    "riemann_zeta": (mp.zeta, between(0, 1, 8) + between(1, 10, 10) + between(10, 100, 5) + between(-30, 0, 15) +
                     between(-259, -30, 8) + [1.0000001, 0.9999999, 1e-10, -1e-10, -1e-300, -100.5, -170.5, 200.0,
                                              -2.000000001, -1.9999999, -40.0000001] + around(-31, -63.5)),
    "polygamma": (lambda n, x: mp.psi(int(n), x), pairs([0.0, 1.0, 2.0, 3.0, 10.0, 40.0],
                                                        [1e-3, 0.3, 1.0, 1.5, 4.0, 11.0, 100.0, 1e5], 40)),
    "beta": (mp.beta, pairs(sizes(1e-5, 1e3, 12), sizes(1e-5, 1e3, 12), 50) + [(10.0, 10.0), (0.5, 1e5), (9.9, 300.0),
                                                                             (-0.5, 1.25), (-3.5, -1.75),
                                                                             (1e-200, 3.0)] + LEFT),
    "betaln": (lambda a, b: mp.log(abs(mp.beta(a, b))),
               pairs(sizes(1e-5, 1e3, 12), sizes(1e-5, 1e3, 12), 40) + [(1e5, 1e5), (0.5, 1e8), (1e3, 1e14)] +
               LEFT + [(5e-324, 0.02), (1e-310, 2e-310), (1e-320, -28.25)]),
    "poch": (rising, pairs(sizes(1e-3, 1e3, 9), [0.0, 1.0, 2.0, 7.0, 0.5, 3.25, -0.5, 1e-3, 30.0, 55.5], 40) +
             [(-122.02245516, 5e-4), (-5000.25, 0.75), (-60.5, 45.0), (1e-30, -100.0), (1e-320, 0.5), (-1500.5, -0.25),
              (-200.25, 160.0)]),
    "binom": (mp.binomial, [(10.0, 3.0), (60.0, 30.0), (300.0, 150.0), (5.5, 2.0), (5.5, 2.25), (-1.5, 3.0),
                            (0.5, 0.25),
                            (1000.0, 10.5), (12.25, -2.5), (3.5, 100.25), (40.0, 20.0), (1e6, 3.0), (-0.75, -0.25),
                            (5.5, 2.0 ** 31), (10.875686435860384, 19999.75), (-1e-9, 0.25), (-0.5, 1e15), (-3.25, 1e9),
                            (1e5, -9.5), (0.5, 31744.25), (4.75, 1e5), (-300.75, 400.25), (-8.25, 1e20),
                            (-119.75, 100.0), (-30.25, 140.0), (-149.5, 149.0), (-100.125, 60.0), (-13.75, 158.0)]),
    "erfc": (mp.erfc, BOTH + between(0, 26, 20) + around(0, 1, 15, -0.5) + [26.5, 27.2]),
    "erfcx": (lambda x: mp.exp(x * x) * mp.erfc(x), BOTH + between(0, 5, 20) + [-26.0, -5.5, 1e10, 1e300, 30.0]),
    "ndtr": (ndtr, BOTH + between(-37, 0, 20) + around(-21.213203435596427) + [-38.0, 8.2]),
    "log_ndtr": (lambda x: mp.log(ndtr(x)) if x < 5 else mp.log1p(-ndtr(-mpf(x))),
                 BOTH[:-6] + between(-37, 10, 20) + [-1e3, -1e10, 38.0] + around(-1, -42.42640687119285)),
    "ndtri": (ndtri, [v for v in TINY] + between(0, 1, 30) + sizes(1e-300, 1e-2, 15) + around(2**-15, 1 - 2**-15) +
              [1 - 1e-9, 0.5000001, 0.499999]),
    "ndtri_exp": (lambda y: ndtri(mp.exp(y)) if y < -1e-5 else -ndtri(-mp.expm1(y)),
                  [-v for v in sizes(1e-12, 700, 30)] + [-1e4, -1e10, -0.70264, -0.6] + around(-math.log(2))),
    "erfinv": (lambda y: mp.erfinv(y), [v for v in BOTH if abs(v) < 1] + between(-1, 1, 20) + around(0.75, 1 - 2**-14) +
               [1 - 1e-9]),
    "erfcinv": (lambda y: -ndtri(mpf(y) / 2) / mp.sqrt(2), TINY + between(0, 2, 30) + around(0.16, 1.84) +
                [1.0000001, 2 - 1e-9]),
    "j0": (lambda x: mp.besselj(0, x), BOTH + between(0, 30, 40) + sizes(30, 1e6, 10) +
           around(8, 24, 2.404825557695773)),
    "j1": (lambda x: mp.besselj(1, x), BOTH + between(0, 30, 40) + sizes(30, 1e6, 10) +
           around(8, 24, 3.831705970207512)),
    "y0": (lambda x: mp.bessely(0, x), REAL + between(0, 30, 40) + sizes(30, 1e6, 10) +
           around(0.0625, 2, 8, 24, 0.8935769662791675)),
    "y1": (lambda x: mp.bessely(1, x), [v for v in REAL if v > 1e-307] + between(0, 30, 40) + sizes(30, 1e6, 10) +
           around(0.0625, 2, 8, 24, 2.197141326031017)),
    "i0e": (lambda x: mp.exp(-abs(x)) * mp.besseli(0, x), BOTH + between(0, 30, 30) + around(8) + [1e3, 1e6, 1e300]),
    "i1": (lambda x: mp.besseli(1, x), BOTH + between(0, 30, 20) + around(8) + [700.5, 713.0]),
    "i1e": (lambda x: mp.exp(-abs(x)) * mp.besseli(1, x), BOTH + between(0, 30, 30) + around(8) + [1e3, 1e6]),
    "k0": (lambda x: mp.besselk(0, x), REAL + between(0, 30, 30) + around(1) + [700.5]),
    "k0e": (lambda x: mp.exp(x) * mp.besselk(0, x), REAL + between(0, 30, 30) + around(1) + [1e3, 1e6]),
    "k1": (lambda x: mp.besselk(1, x), [v for v in REAL if v > 1e-307] + between(0, 30, 30) + around(1) + [700.5]),
    "k1e": (lambda x: mp.exp(x) * mp.besselk(1, x), [v for v in REAL if v > 1e-307] + between(0, 30, 30) + around(1) +
            [1e3, 1e6]),
    "yn": (lambda n, x: mp.bessely(int(n), x), pairs([0.0, 1.0, 2.0, 5.0, -3.0, 20.0], between(0.1, 30, 20), 40)),
    "exp1": (mp.e1, REAL + between(0, 30, 30) + around(1) + [700.0]),
    "expi": (mp.ei, BOTH + between(0, 30, 30) + around(1, 7, 0.3725074107813666) + [-30.5, 100.5, 700.0]),
    "expn": (lambda n, x: mp.expint(int(n), x), pairs([0.0, 1.0, 2.0, 3.0, 10.0, 100.0, 6e4],
                                                      [1e-10, 0.1, 0.5, 1.0, 1.5, 10.0, 100.0], 40)),
    "dawsn": (lambda x: mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x), BOTH + around(8) + [30.0, -1e5]),
    "erfi": (mp.erfi, BOTH[:-6] + between(-26, 26, 20)),
    "fresnel": (lambda x: mp.mpc(mp.fresnels(x), mp.fresnelc(x)), BOTH + between(0, 4, 20) + [1e3, -1e5]),
    "ellipk": (mp.ellipk, between(-1, 1, 30) + [-v for v in sizes(1, 1e10, 8)] + [1 - 1e-9, 1e-300, -1e-300] +
               around(0.5, 1 - 2**-10, -0.99)),
    "ellipkm1": (lambda p: mp.ellipk(1 - mpf(p)) if p > 1e-40 else mp.log(4 / mp.sqrt(p)),
                 TINY + between(0, 1, 20) + sizes(1, 1e10, 8) + around(0.5)),
    "ellipe": (mp.ellipe, between(-1, 1, 30) + [-v for v in sizes(1, 1e10, 8)] + [1 - 1e-9, 1e-300, 1 - 1e-14] +
               around(0.5, 1 - 2**-10, 1 - 2**-11, -0.99) + [-32.115, -37.65, -175.377, -223.502, -958.685]),
    "ellipkinc": (mp.ellipf, pairs(between(-1.57, 1.57, 10) + [0.5, 3.5, 30.25, -7.75, 1e-10],
                                   between(-3, 1, 10) + [0.999999, -1e5], 50)),
    "ellipeinc": (mp.ellipe, pairs(between(-1.57, 1.57, 10) + [0.5, 3.5, 30.25, -7.75, 1e-10],
                                   between(-3, 1, 10) + [0.999999, -1e5], 50)),
    "gammainc": (lambda a, x: gamma_sides(a, x)[0], lambda: seen(lambda a, x: gamma_sides(a, x)[0], INCOMPLETE)),
    "gammaincc": (lambda a, x: gamma_sides(a, x)[1], lambda: seen(lambda a, x: gamma_sides(a, x)[1], INCOMPLETE)),
    "betainc": (lambda a, b, x: beta_sides(a, b, x)[0], lambda: seen(lambda a, b, x: beta_sides(a, b, x)[0], BETAS)),
    "betaincc": (lambda a, b, x: beta_sides(a, b, x)[1], lambda: seen(lambda a, b, x: beta_sides(a, b, x)[1], BETAS)),
    "gammaincinv": inverse_of(lambda a, x: gamma_sides(a, x)[0], gamma_density, INCOMPLETE[::2]),
    "gammainccinv": inverse_of(lambda a, x: gamma_sides(a, x)[1], gamma_density_above, INCOMPLETE[1::2]),
    "betaincinv": inverse_of(lambda a, b, x: beta_sides(a, b, x)[0], beta_density, BETAS[::2]),
    "sici": (lambda x: mp.mpc(mp.si(x), mp.ci(x)), REAL + between(0, 30, 20) + around(2, 4) + [1e3, 1e8]),
    "shichi": (lambda x: mp.mpc(mp.shi(x), mp.chi(x)), REAL + between(0, 30, 20) + around(2) + [300.0]),
    "wright_bessel": (wright, [(a, b, x) for a in (0.0, 0.25, 1.0, 2.5) for b in (0.0, 0.5, 3.0)
                               for x in (1e-3, 1.0, 8.0, 90.0)] + [(1.0, 1.0, 300.0), (2.0, 0.5, 1e3)]),
    "lpmv": (legendre, [(m, v, x) for m in (0.0, 1.0, 3.0, -2.0) for v in (0.0, 1.0, 4.0, 30.0, 0.5, 2.25, 7.75)
                        for x in (-0.95, -0.3, 0.1, 0.7) if abs(m) <= v or v % 1]),
}


ORDERS = [0.0, 1.0, 2.0, 7.0, -1.0, -4.0, 0.5, -0.5, 1.5, -2.25, 1 / 3, 10.75, 25.5, 49.5, 50.25, 80.0, -60.25, 120.5]
RADII = sizes(1e-3, 1, 6) + between(0, 30, 20) + sizes(25, 500, 12) + around(2, 25)
KELVIN = between(0, 20, 25) + sizes(1e-5, 1, 6) + [25.5, 60.25, 400.0]


def voigt(x, sigma, gamma):
    z = (x + mp.mpc(0, 1) * gamma) / (sigma * mp.sqrt(2))
    return (mp.exp(-z * z) * mp.erfc(-mp.mpc(0, 1) * z)).real / (sigma * mp.sqrt(2 * mp.pi))


def airy(x):
    return [mp.airyai(x), mp.airyai(x, derivative=1), mp.airybi(x), mp.airybi(x, derivative=1)]


def airye(x):
    zeta = 2 * abs(x) * mp.sqrt(abs(x)) / 3
    return [v * f for v, f in zip(airy(x), (mp.exp(zeta), mp.exp(zeta), mp.exp(-zeta), mp.exp(-zeta)))]


VALUES |= {
    "jv": (mp.besselj, pairs(ORDERS, RADII, 80)), "yv": (mp.bessely, pairs(ORDERS, RADII, 80)),
    "iv": (mp.besseli, pairs(ORDERS, RADII, 60)), "kv": (mp.besselk, pairs(ORDERS, RADII, 60)),
    "ive": (lambda v, x: mp.besseli(v, x) * mp.exp(-x), pairs(ORDERS, RADII, 40)),
    "kve": (lambda v, x: mp.besselk(v, x) * mp.exp(x), pairs(ORDERS, RADII, 40)),
    "airy": (airy, between(-12, 12, 30) + [v for b in (1e-5, 0.3, 20.0, 60.0) for v in (b, -b)] + around(1, -1) +
             [-1e3, 101.5, -1e6, -3.3e8, -9.9e10]),
    "airye": (airye, between(0, 12, 15) + around(1) + [1e-5, 60.0, 1e4]),
    "ber": (lambda x: mp.ber(0, x), KELVIN), "bei": (lambda x: mp.bei(0, x), KELVIN),
    "ker": (lambda x: mp.ker(0, x), KELVIN), "kei": (lambda x: mp.kei(0, x), KELVIN),
    "berp": (lambda x: (mp.ber(1, x) + mp.bei(1, x)) / mp.sqrt(2), KELVIN),
    "beip": (lambda x: (mp.bei(1, x) - mp.ber(1, x)) / mp.sqrt(2), KELVIN),
    "kerp": (lambda x: (mp.ker(1, x) + mp.kei(1, x)) / mp.sqrt(2), KELVIN),
    "keip": (lambda x: (mp.kei(1, x) - mp.ker(1, x)) / mp.sqrt(2), KELVIN),
    "erf": (mp.erf, BOTH + between(-3, 3, 20) + around(1, 5.9)),
    "voigt_profile": (voigt, [(x, s, g) for x in (0.0, 0.3, -2.5, 8.0, 40.0, 1e4) for s in (0.5, 1.0, 3.0)
                              for g in (1e-5, 0.1, 1.0, 20.0)]),
    "spence": (lambda x: mp.polylog(2, 1 - x).real, TINY + between(0, 3, 30) + sizes(2, 1e300, 8) +
               around(0.5, 1, 2, 0.25)),
}


def owens_t(h, a):
    return mp.quad(lambda x: mp.exp(-h * h * (1 + x * x) / 2) / (1 + x * x), mp.linspace(0, a, 6)) / (2 * mp.pi)


def kolmogorov(x):
    if x > 0.5:
        return 2 * mp.fsum((-1) ** (k - 1) * mp.exp(-2 * k * k * x * x) for k in range(1, 40))
    return 1 - mp.sqrt(2 * mp.pi) / x * mp.fsum(mp.exp(-(k * mp.pi / x) ** 2 / 8) for k in range(1, 40, 2))


def triples(*of, n=40):
    return [tuple(draw.choice(v) for v in of) for _ in range(n)]


def student(v, t):
    with mp.workdps(60):
        tail = mp.betainc(v / 2, mpf(1) / 2, 0, v / (v + t * t), regularized=True) / 2
        return tail if t < 0 else 1 - tail


def jacobi_functions(u, m):
    with mp.workdps(40):
        sn, cn, dn = (mp.ellipfun(f, u, m=m) for f in ("sn", "cn", "dn"))
        k = mp.ellipk(m)
        turns = mp.floor(u / (2 * k) + mpf(1) / 2)
        return [sn, cn, dn, mp.asin(sn * (-1) ** int(turns)) + turns * mp.pi]


def binomial_below(k, n, p):
    with mp.workdps(80):
        return mp.fsum(mp.binomial(n, j) * p ** j * (1 - p) ** (n - j) for j in range(int(k) + 1))


def binomial_above(k, n, p):
    with mp.workdps(80):
        return mp.fsum(mp.binomial(n, j) * p ** j * (1 - p) ** (n - j) for j in range(int(k) + 1, int(n) + 1))


def negative_binomial_below(k, n, p):
    with mp.workdps(80):
        return mp.fsum(mp.binomial(n + j - 1, j) * p ** n * (1 - p) ** j for j in range(int(k) + 1))


def poisson_below(k, m):
    with mp.workdps(80):
        return mp.exp(-m) * mp.fsum(m ** j / mp.factorial(j) for j in range(int(k) + 1))


def f_below(a, b, x):
    with mp.workdps(60):
        return mp.betainc(a / 2, b / 2, 0, a * x / (a * x + b), regularized=True)


def gamma_below(a, b, x):
    with mp.workdps(60):
        return mp.gammainc(b, 0, a * x, regularized=True)


DEGREES = [0.0, 1.0, 2.0, 5.0, 13.0, 40.0]
REALS = [-4.5, -1.25, 0.5, 0.75, 1.0, 2.0, 3.5, 7.25]
INSIDE = between(-1, 1, 12)
COUNTS = [(float(k), float(n), p) for k, n in ((0, 1), (2, 5), (7, 30), (29, 30), (60, 200)) for p in (0.01, 0.3, 0.77)]
SHAPES = sizes(0.3, 40, 8)
VALUES |= {
    "hyp0f1": (mp.hyp0f1, triples([0.5, 1.0, 2.25, 7.0, 15.5, -2.5], between(-40, 40, 12) + [1e-8, 500.0, -900.0]) +
               [(v, x) for v in (0.03, 0.6, 85.0) for x in (-26.2, -97.0, -1.3 * v, -208.4, -470.0, 999.0, 1001.0)]),
    "hyp1f1": (mp.hyp1f1, triples(REALS, REALS, between(-40, 40, 12) + [1e-8, 200.0, -150.0], n=60)),
    "hyp2f1": (mp.hyp2f1, triples(REALS, REALS, REALS, INSIDE + [0.99, 0.9999, -3.5, -200.0, 0.61, -0.61], n=90) +
               LARGE_PARAMETERS + NEARLY_WHOLE +
               [(1.3, 2.2, 4.4, z) for z in (0.61, 0.7, 0.799, 0.801, 0.899, 0.901, -1.6, -3.99, -4.01)] +
               [(*v, z) for v in ((-4.25, 0.3, -7.95), (-2.0, 1.5, -3.0), (-3.0, 1.5, -4.0), (7.9, -8.1, -1.5))
                for z in (0.65, 0.78, 0.885, -0.3, -4.27)]),
    "eval_jacobi": (mp.jacobi, triples(DEGREES + [2.5], [-0.5, 0.25, 2.0], [-0.5, 0.25, 2.0], INSIDE) +
                    [(v, 0.3, b, x) for v in (0.3, 2.7) for b in (0.0, 1.0, -1e-9) for x in (-0.9982, -1 + 1e-10)]),
    "eval_legendre": (mp.legendre, triples(DEGREES + [2.5, 7.75], INSIDE) +
                      [(v, x) for v in (0.3, 2.5, 7.334066979859536) for x in (-0.9982, -0.99999, -1 + 1e-10)]),
    "eval_chebyt": (mp.chebyt, triples(DEGREES + [2.5], INSIDE + [1.5, -1.25])),
    "eval_chebyu": (mp.chebyu, triples(DEGREES + [2.5], INSIDE + [1.5])),
    "eval_gegenbauer": (mp.gegenbauer, triples(DEGREES + [2.5], [0.25, 1.5, 3.0], INSIDE)),
    "eval_genlaguerre": (mp.laguerre, triples(DEGREES + [2.5], [-0.5, 0.25, 3.0], between(0, 15, 10))),
    "eval_laguerre": (lambda n, x: mp.laguerre(n, 0, x), triples(DEGREES, between(0, 15, 10))),
    "eval_hermite": (mp.hermite, triples(DEGREES, between(-4, 4, 10))),
    "eval_hermitenorm": (lambda n, x: mp.hermite(n, x / mp.sqrt(2)) / mp.sqrt(2) ** n,
                         triples(DEGREES, between(-4, 4, 10))),
    "elliprc": (mp.elliprc, triples(sizes(1e-3, 1e3, 9), sizes(1e-3, 1e3, 9) + [-0.5, -30.0])),
    "elliprf": (mp.elliprf, triples(*[sizes(1e-5, 1e5, 9)] * 3)), "elliprg": (mp.elliprg, triples(*[SHAPES] * 3)),
    "elliprd": (mp.elliprd, triples(*[sizes(1e-3, 1e3, 9)] * 3)),
    "elliprj": (mp.elliprj, triples(*[sizes(1e-2, 1e2, 9)] * 4)),
    "agm": (mp.agm, triples(sizes(1e-9, 1e9, 9), sizes(1e-9, 1e9, 9))),
    "kolmogorov": (kolmogorov, between(0.2, 5, 25) + around(1)),
    "kolmogi": (lambda p: mp.findroot(lambda x: mp.log(kolmogorov(x) / p) if p < 0.9 else
                                      mp.log((1 - kolmogorov(x)) / (1 - p)), 0.8 if 0.1 < p < 0.9 else
                                      mp.sqrt(mp.log(2 / p) / 2) if p < 0.9 else
                                      mp.pi / mp.sqrt(8 * mp.log(6 / (1 - p)))),
                between(0.01, 0.99, 20) + [1e-10, 1e-100, 0.99997, 1 - 1e-7, 1 - 1e-13, 1e-291, 1e-320, 5e-324]),
    "owens_t": (owens_t, triples([0.01, 0.5, -1.25, 3.0, 5.5], [0.01, -0.5, 1.0, 1.5, 7.0])),
    "wrightomega": (lambda x: mp.lambertw(mp.exp(x)).real, between(-40, 40, 25) + [1e10, 1e-10, 300.0] +
                    [-45.0, -20.15, -1.1, -0.01]),
    "powm1": (lambda x, y: mp.expm1(y * mp.log(x)), triples(sizes(1e-5, 1e5, 9) + [1.0000001], REALS + [1e-9, 1e-3])),
    "stdtr": (student, triples([0.5, 1.0, 3.0, 12.5, 100.0], [-30.0, -2.5, -0.3, 0.01, 1.75, 8.0])),
    "stdtrit": (lambda v, p: mp.findroot(lambda t: student(v, t) - p, ndtri(p) * (1 + 1 / v)),
                triples([1.0, 3.0, 12.5, 100.0], [0.01, 0.2, 0.45, 0.7, 0.999])),
    "ellipj": (jacobi_functions, triples(between(-6, 6, 12), [0.01, 0.3, 0.7, 0.95, 0.999])),
    "bdtr": (binomial_below, COUNTS), "bdtrc": (binomial_above, COUNTS),
    "nbdtr": (negative_binomial_below, COUNTS),
    "nbdtrc": (lambda k, n, p: 1 - negative_binomial_below(k, n, p), COUNTS),
    "pdtr": (poisson_below, triples(DEGREES, [0.01, 1.0, 7.5, 35.0])),
    "chndtr": (noncentral_chi, [((df + nc) * f, df, nc) for df, nc in WIDE for f in (0.08, 0.6, 0.97, 1.4, 2.5)]),
    "ncfdtr": (noncentral_f, [(df, dfd, nc, (df + nc) / df * f) for df, nc in WIDE[:-1] for dfd in (0.9, 7.0, 40.0)
                              for f in (0.1, 0.9, 3.0)]),
    "nctdtr": (noncentral_t, [(df, nc, nc + t) for df in (0.4, 3.0, 25.0) for nc in (-4.0, -0.5, 0.0, 1.5, 9.0)
                              for t in (-6.0, -1.2, -0.1, 0.3, 2.5, 30.0)]
               + [(df, nc, t) for df in (0.4, 3.0, 25.0) for nc in (0.7, 4.0, 7.5) for t in (-80.0, -9.0, -0.6)]
               + [(df, nc, t) for df in (0.02, 1.0, 8.7, 17.3, 60.0, 240.0) for nc in (1.2, 1.64, 1.66, 2.4, 8.6)
                  for t in (-0.2, -7.0)]),
    "smirnov": (smirnov, [(float(n), d) for n in (1, 2, 5, 17, 60, 400)
                          for d in (1e-9, 0.01, 0.1, 0.35, 0.5, 0.8, 0.99)]),
    "tklmbda": (tukey_lambda, [(x, v) for v in (-1.5, -0.2, 0.0, 1e-9, 0.14, 0.5, 1.0, 2.5, 9.0)
                               for x in (-40.0, -1.9, -0.99, -0.3, -0.1, -1e-5, 0.0, 0.05, 0.3, 1.7, 12.0)]
                + [(x, v) for v in (20.0, 60.5, 300.0) for x in (-1e-4, -1e-12, -1e-19, -1e-30, 1e-9)]),
    "log_wright_bessel": (log_wright, [(a, b, x) for a in (0.3, 1.0, 4.5) for b in (0.2, 1.0, 3.7)
                                       for x in (1e-6, 0.5, 6.0, 60.0, 99.0)]),
    "pdtrc": (lambda k, m: 1 - poisson_below(k, m), triples(DEGREES, [0.1, 1.0, 7.5, 35.0])),
    "fdtr": (f_below, triples(SHAPES, SHAPES, sizes(0.1, 8, 6))),
    "fdtrc": (lambda a, b, x: 1 - f_below(a, b, x), triples(SHAPES, SHAPES, sizes(0.1, 8, 6))),
    "gdtr": (gamma_below, triples(sizes(0.1, 5, 5), SHAPES, sizes(0.3, 9, 6))),
    "gdtrc": (lambda a, b, x: 1 - gamma_below(a, b, x), triples(sizes(0.1, 5, 5), SHAPES, sizes(0.3, 9, 6))),
    "chdtr": (lambda v, x: gamma_below(1, v / 2, x / 2), triples(SHAPES, sizes(0.3, 60, 9))),
    "chdtrc": (lambda v, x: 1 - gamma_below(1, v / 2, x / 2), triples(SHAPES, sizes(0.3, 60, 9))),
}


def integrated(half, sign, x, m, squared=False):
    """The sum of t(k) / (2k + m), t(k) = t(k - 1) sign x^2 / (4 (k + half)^2); `squared`: of t(k) (h + w) w, where w is
    1 / (2k + m) and h the k-th harmonic number."""
    with mp.workdps(int(60 + 1.4 * x)):
        total, term, harmonic = mpf(0), mpf(1), mpf(0)
        for k in range(int(3 * x) + 100):
            if k:
                term *= sign * x * x / (4 * (k + half) ** 2)
                harmonic += mpf(1) / k
            if 2 * k + m:
                w = mpf(1) / (2 * k + m)
                total += term * w * (harmonic + w) if squared else term * w
        return total


def with_log(sign, x, m, half):
    """half l^2 + l plain - squared, l = log(x / 2) + Euler's constant"""
    l = mp.log(x / 2) + mp.euler
    return half * l * l + l * integrated(0, sign, x, m) - integrated(0, sign, x, m, True)


def far(f, digits=1.4):
    """f with digits for what cancels"""
    def run(x):
        with mp.workdps(int(60 + digits * abs(x) ** (1.5 if digits < 1 else 1))):
            return f(mpf(x))
    return run


def airy_integrals(x):
    def one(y):
        """of Ai and Bi from 0 to y"""
        f = tf = mpf(1)
        tg = y
        g = y / 2
        for k in range(1, int(3 * abs(y) ** 1.5) + 60):
            tf *= y ** 3 / (3 * k * (3 * k - 1))
            tg *= y ** 3 / (3 * k * (3 * k + 1))
            f += tf / (3 * k + 1)
            g += tg / (3 * k + 2)
        f, g = y * f * mp.airyai(0), -y * g * mp.airyai(0, derivative=1)
        return f - g, mp.sqrt(3) * (f + g)
    return [*one(x), *(-v for v in one(-x))]


def bessel_polynomial(a, l, v):
    with mp.workdps(int(60 + 2.2 * a)):
        term = a ** v * mp.rgamma(v + 1)
        total = term / (l + v + 1)
        for k in range(1, int(4 * a) + 100):
            term *= -a * a / (k * (k + v))
            total += term / (l + v + 1 + 2 * k)
        return total


def slope_of(f, v, x):
    return mp.diff(lambda t: mp.re(f(v, t)), x)


NEAR = sizes(1e-6, 1, 6) + between(0, 37, 24) + around(1)
STRUVE_ORDERS = [0.0, 1.0, -1.0, 2.0, 0.5, -0.5, -1.5, 7.25, 30.25, -12.75, 120.5, -4.0]
CYLINDER_ORDERS = [0.0, 1.0, -1.0, 0.5, -0.5, 2.25, -3.75, 7.0, 12.5, -20.25, 33.3]
VALUES |= {
    "struve": (mp.struveh, triples(STRUVE_ORDERS, RADII + [12.5, 36.0, 150.0], n=80)),
    "modstruve": (mp.struvel, triples(STRUVE_ORDERS, RADII[:-6] + [12.5, 36.0, 150.0, 650.0], n=80)),
    "itstruve0": (lambda x: 2 / mp.pi * x * x * integrated(mpf(1) / 2, -1, x, 2), NEAR + around(36.75) + [80.0, 140.5]),
    "it2struve0": (far(lambda x: mp.pi / 2 - 2 / mp.pi * x * integrated(mpf(1) / 2, -1, x, 1)),
                   NEAR + around(36.75) + [80.0, 140.5]),
    "itmodstruve0": (lambda x: 2 / mp.pi * x * x * integrated(mpf(1) / 2, 1, x, 2),
                     NEAR + around(40.75) + [90.0, 400.0]),
    "itj0y0": (far(lambda x: [x * integrated(0, -1, x, 1), 2 / mp.pi * x * with_log(-1, x, 1, 0)]),
               NEAR + around(36.75) + [80.0, 140.5]),
    "it2j0y0": (far(lambda x: [-integrated(0, -1, x, 0), mp.pi / 6 - 2 / mp.pi * with_log(-1, x, 0, mpf(1) / 2)]),
                NEAR + around(36.75) + [80.0, 140.5]),
    "iti0k0": (far(lambda x: [x * integrated(0, 1, x, 1), -x * with_log(1, x, 1, 0)]),
               NEAR + around(36.75) + around(64) + [48.5, 300.0]),
    "it2i0k0": (far(lambda x: [integrated(0, 1, x, 0), mp.pi ** 2 / 24 + with_log(1, x, 0, mpf(1) / 2)]),
                NEAR + around(45.75) + around(64) + [300.0, 12.0, 58.5, 194.404]),
    "itairy": (far(airy_integrals, 0.6), between(-25, 25, 30) +
               [v for b in (1e-6, 0.1, 9.3, 14.6, 60.0) for v in (b, -b)]),
    "besselpoly": (bessel_polynomial, triples(between(0, 30, 10) + [18.3, 18.5, 60.0, 1e-3],
                                              [0.0, 1.0, -0.5, 2.25, -3.25], [0.0, 1.0, 2.0, 0.5, 7.75, 30.25],
                                              n=60)),
    "hyperu": (mp.hyperu, triples(REALS + [1e-5, -12.0, 33.5, -0.999], REALS + [1e-5, -3.0, 0.999, -11.5],
                                  between(0, 10, 8) + sizes(1e-4, 1, 4) + [8.0, 25.0, 100.0], n=90) +
               [(a, b, x) for a in (-0.3, -2.6, -4.9978889452987865, -8.673751895760981)
                for b in (-5.0, 0.0, 1.0, 2.0, 7.0) for x in (1e-3, 0.5, 3.0, 6.978)]),
    "pbdv": (lambda v, x: [mp.pcfd(v, x), x / 2 * mp.pcfd(v, x) - mp.pcfd(v + 1, x)],
             triples(CYLINDER_ORDERS, between(-15, 15, 14) + [1e-3, -1e-3, 0.7, 25.0], n=60)),
    "pbvv": (lambda v, x: [mp.pcfv(-v - mpf(1) / 2, x), slope_of(mp.pcfv, -v - mpf(1) / 2, x)],
             triples(CYLINDER_ORDERS, between(-12, 12, 14) + [1e-3, -1e-3, 0.7, 20.0], n=50)),
    "pbwa": (lambda a, x: [mp.re(mp.pcfw(a, x)), slope_of(mp.pcfw, a, x)],
             triples(between(-5, 5, 6) + [0.25, -0.75, 9.5, -14.0],
                     between(-5, 5, 10) + [12.5, -16.0, 25.0, 0.01, -0.01], n=50)),
}


def line(name, f, x):
    x = x if isinstance(x, tuple) else (x,)
    with mp.workdps(60):
        v = f(*map(mpf, x))
    words = [name, *(float(a).hex() for a in x)]
    if isinstance(v, mp.mpc):
        words += [mp.nstr(v.real, 20), mp.nstr(v.imag, 20)]
    elif isinstance(v, list):
        words += [mp.nstr(u, 20) for u in v]
    else:
        words.append(mp.nstr(v, 20))
    return " ".join(words)


def main(names):
    kept = []
    if names and FILE.exists():
        kept = [text for text in FILE.read_text().splitlines() if text.split()[0] not in names]
    made = []
    for name in names or VALUES:
        f, arguments = VALUES[name]
        made += [line(name, f, x) for x in (arguments() if callable(arguments) else arguments)]
    made = [text for text in made if not {"+inf", "-inf", "nan"} & set(text.split())]
    FILE.write_text("\n".join(sorted(kept + made, key=lambda text: text.split()[0])) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
