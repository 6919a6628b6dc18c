#!/usr/bin/env python3
"""Writes src/base/scalar/tables_*.h: the polynomials of the special functions (special.h says how they are read).

A table covers FIRST..LAST in cells of equal width. The polynomial of a cell is the interpolation at Chebyshev points
with 60 digits, in the distance from the middle of the cell, which is -1/2 to 1/2. Its degree is the smallest whose
error is below 2^-55 of the function in all cells.

Tables by power (ByPower, OfZeros) have a row for each power, not for each cell: the threads of a warp, whose cells
differ, read a row that is a few cache lines. Their cells are listed, and the polynomials are of the distance itself.
Near zeros the polynomial is that of the function divided by the distance from the zero.

Needs mpmath; run by hand after a change of SPECS.
"""
import pathlib
import sys
import textwrap
from fractions import Fraction

import mpmath as mp
from mpmath import mpf

mp.mp.dps = 60
FOLDER = pathlib.Path(__file__).resolve().parent.parent / "src" / "base" / "scalar"


def polynomial(f, middle, width, n):
    """n coefficients of f(middle + width t), -1/2 <= t <= 1/2; the first neglected ones tell the error."""
    nodes = [mp.cos(mp.pi * (k + mpf(1) / 2) / n) for k in range(n)]
    values = [f(middle + width * t / 2) for t in nodes]
    c = [2 * mp.fsum(v * mp.cos(mp.pi * j * (k + mpf(1) / 2) / n) for k, v in enumerate(values)) / n for j in range(n)]
    c[0] /= 2
    return c


def monomials(c):
    """Of Chebyshev's polynomials in s = 2t, coefficients in t."""
    before, now = [mpf(1)], [mpf(0), mpf(1)]
    total = [mpf(0)] * len(c)
    for j, a in enumerate(c):
        p = before if j == 0 else now
        for i, v in enumerate(p):
            total[i] += a * v
        if j:
            following = [mpf(0)] + [2 * v for v in now]
            for i, v in enumerate(before):
                following[i] -= v
            before, now = now, following
    return [v * mpf(2) ** i for i, v in enumerate(total)]


def shifted(c):
    """Of t - 1/2."""
    c = list(c)
    for i in range(len(c)):
        for k in range(len(c) - 2, i - 1, -1):
            c[k] -= c[k + 1] / 2
    return c


def table(f, first, last, cells, most=26):
    """Rows of coefficients."""
    width = (mpf(last) - mpf(first)) / cells
    rows, need = [], 0
    for k in range(cells):
        a, b = first + width * k, first + width * (k + 1)
        c = polynomial(f, (a + b) / 2, width, most)
        scale = min(abs(f(a + width * i / 8 + width / 1000)) for i in range(8))
        n = most
        while n > 1 and mp.fsum(map(abs, c[n - 1:])) < scale * mpf(2) ** -55:
            n -= 1
        need = max(need, n)
        rows.append(c)
    return [[float(v) for v in monomials(c[:need])] for c in rows], need


class ByPower:
    """A table with one row for each power: of f on the cells (from, to), of the distance from a cell's middle, or from
    its beginning where `rises`: then no term cancels another one."""

    def __init__(self, f, cells, rises=False, most=26):
        self.f, self.cells, self.rises, self.most = f, [tuple(map(mpf, c)) for c in cells], rises, most

    def rows(self):
        kept, need = [], 0
        for a, b in self.cells:
            c = polynomial(self.f, (a + b) / 2, b - a, self.most)
            scale = min(abs(self.f(a + (b - a) * i / 8 + (b - a) / 1000)) for i in range(8))
            n = self.most
            while n > 1 and mp.fsum(map(abs, c[n - 1:])) < scale * mpf(2) ** -55:
                n -= 1
            need = max(need, n)
            kept.append((c, b - a))
        kept = [(shifted(monomials(c[:need])) if self.rises else monomials(c[:need]), width) for c, width in kept]
        cells = [[float(v / width ** i) for i, v in enumerate(c)] for c, width in kept]
        return [list(row) for row in zip(*cells)]


class Uniform:
    """One polynomial, in the distance from the middle of FIRST to LAST, with the least error of any of n numbers."""

    def __init__(self, f, first, last, n):
        self.f, self.first, self.last, self.n = f, mpf(first), mpf(last), n

    def row(self):
        middle, half = (self.first + self.last) / 2, (self.last - self.first) / 2
        c, error = mp.chebyfit(lambda t: self.f(t + middle), [-half, half], self.n, error=True)
        return [float(v) for v in reversed(c)], error / abs(self.f(middle))


def octaves(first, last, per):
    """Cells of equal width in each octave from 2^first to 2^last."""
    return [(mpf(2) ** e * (1 + mpf(j) / per), mpf(2) ** e * (1 + mpf(j + 1) / per))
            for e in range(first, last) for j in range(per)]


def text(name, rows):
    lines = [f"CPS_TABLE cps_{name}[{len(rows)}][{len(rows[0])}] = {{"]
    for row in rows:
        line = "    {"
        for i, v in enumerate(row):
            word = repr(v) + ("," if i + 1 < len(row) else "},")
            if len(line) + len(word) > 117:
                lines.append(line.rstrip())
                line = "     "
            line += word + " "
        lines.append(line.rstrip())
    lines[-1] = lines[-1][:-1] + "};"
    return "\n".join(lines) + "\n"


def row_text(name, row):
    lines = text(name, [row]).replace("[1][", "[").split("\n")
    return "\n".join(lines).replace("    {", "    ").replace("}};", "};")


def write(name, about, tables):
    guard = f"CPS_TABLES_{name.upper()}_H"
    body = f"/* {about} Made by tools/make_special_tables.py; not to be edited. */\n"
    body += f"#ifndef {guard}\n#define {guard}\n\n"
    for key, spec in tables.items():
        if isinstance(spec, (ByPower, OfZeros)):
            rows = spec.rows()
            print(name, key, len(rows[0]), "cells of", len(rows), "coefficients", flush=True)
            body += f"/* {len(rows[0])} cells from {spec.cells[0][0]} to {spec.cells[-1][1]} */\n" + text(key, rows)
            continue
        if isinstance(spec, Uniform):
            row, error = spec.row()
            print(name, key, len(row), "coefficients, error", mp.nstr(error * mpf(2) ** 53, 3), "/ 2^53", flush=True)
            body += f"/* {mp.nstr(spec.first, 5)} to {mp.nstr(spec.last, 5)} */\n" + row_text(key, row)
            continue
        f, first, last, cells, *more = spec
        rows, n = table(f, mpf(first), mpf(last), cells, *more)
        print(name, key, cells, "cells of", n, "coefficients", flush=True)
        body += f"/* {first} to {last} */\n" + text(key, rows)
    (FOLDER / f"tables_{name}.h").write_text(body + "\n#endif\n")


def positive_inverse(f, limit):
    """x -> f(1/x), with its value at 0."""
    return lambda u: f(1 / u) if u > 0 else mpf(limit)


def euler_part(x):
    """E1(x) + log(x), which is entire."""
    if x == 0:
        return -mp.euler
    return -mp.euler - mp.fsum((-x) ** k / (k * mp.factorial(k)) for k in range(1, 80))


def si_over_x(s):
    return mp.fsum((-s) ** k / ((2 * k + 1) * mp.factorial(2 * k + 1)) for k in range(0, 60))


def ci_part(s):
    """(Ci(x) - log(x) - euler) / x^2 of s = x^2."""
    return mp.fsum((-1) ** k * s ** (k - 1) / (2 * k * mp.factorial(2 * k)) for k in range(1, 60))


def shi_over_x(s):
    return mp.fsum(s ** k / ((2 * k + 1) * mp.factorial(2 * k + 1)) for k in range(0, 60))


def chi_part(s):
    return mp.fsum(s ** (k - 1) / (2 * k * mp.factorial(2 * k)) for k in range(1, 60))


def auxiliary(u, which):
    """x f(x) or x^2 g(x) of the sine and cosine integrals, u = 1/x."""
    if u == 0:
        return mpf(1)
    x = 1 / u
    with mp.workdps(80):
        e = mp.e1(mp.mpc(0, x)) * mp.exp(mp.mpc(0, x))  # f + i g up to a turn: E1(ix) e^(ix) = -i f... by definition
        f, g = -e.imag, e.real
    return x * f if which == "f" else x * x * g


def dawson(x):
    return mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)


def dawson_far(u):
    """x D(x) of u = 1/x by the asymptotic series."""
    return mp.fsum(mp.fac2(2 * k - 1) * (u * u / 2) ** k if k else mpf(1) for k in range(60)) / 2


def fresnel(u, which):
    """pi x f and pi^2 x^3 g of u = 1/x: S = 1/2 - f cos - g sin, C = 1/2 + f sin - g cos of pi x^2 / 2."""
    if u == 0:
        return mpf(1)
    x = 1 / u
    with mp.workdps(100):
        s, c, angle = mpf(1) / 2 - mp.fresnels(x), mpf(1) / 2 - mp.fresnelc(x), mp.pi * x * x / 2
        f, g = s * mp.cos(angle) - c * mp.sin(angle), c * mp.cos(angle) + s * mp.sin(angle)
        return mp.pi * x * f if which == "f" else mp.pi ** 2 * x ** 3 * g


def y_part(order):
    """The entire part of Y0, and of x Y1, beside the logarithm."""
    def of(x):
        if order == 0:
            return (mp.bessely(0, x) - 2 / mp.pi * mp.log(x) * mp.besselj(0, x)) if x else \
                2 / mp.pi * (mp.euler - mp.log(2))
        return ((mp.bessely(1, x) - 2 / mp.pi * mp.log(x) * mp.besselj(1, x)) * x) if x else -2 / mp.pi
    return lambda s: of(mp.sqrt(s))


def hankel(order, which):
    """P, or Q x, of s = 1/x^2: J = sqrt(2/(pi x)) (P cos - Q sin)."""
    def of(s):
        if s <= 0:
            return mpf(1) if which == "P" else mpf(4 * order * order - 1) / 8
        x = 1 / mp.sqrt(s)
        with mp.workdps(90):
            angle = x - mp.pi * (2 * order + 1) / 4
            j, y, scale = mp.besselj(order, x), mp.bessely(order, x), mp.sqrt(mp.pi * x / 2)
            c, s = mp.cos(angle), mp.sin(angle)
            if which == "P":
                return scale * (j * c + y * s)
            return scale * (y * c - j * s) * x
    return of


def k_part(order):
    """K0 + log(x) I0, and x (K1 - log(x) I1), of s = x^2."""
    def of(s):
        x = mp.sqrt(s)
        if x == 0:
            return mp.log(2) - mp.euler if order == 0 else mpf(1)
        if order == 0:
            return mp.besselk(0, x) + mp.log(x) * mp.besseli(0, x)
        return (mp.besselk(1, x) - mp.log(x) * mp.besseli(1, x)) * x
    return of


class OfZeros:
    """A table by power of an oscillating function f on cells that have at most one zero: two rows more, at its
    beginning, are the zero nearest to each cell, in two parts, by whose distance the function is divided. Not so in
    cells that end at `plain` or before; their zeros are 0."""

    def __init__(self, f, cells, guess, plain=0, zeros=()):
        self.f, self.cells, self.guess, self.plain = f, [tuple(map(mpf, c)) for c in cells], guess, plain
        self.zeros = [mpf(z) for z in zeros]

    def rows(self):
        zeros = self.zeros + [mp.findroot(self.f, mpf(self.guess) + k * mp.pi) for k in range(9)]
        head, nearest = [], {}
        for a, b in self.cells:
            z = min(zeros, key=lambda z: abs(z - (a + b) / 2)) if b > self.plain else mpf(0)
            nearest[a] = z
            head.append((float(z), float(z - mpf(float(z)))))

        def divided(x):
            return self.f(x) if x < self.plain else self.f(x) / (x - nearest[max(a for a, _ in self.cells if a <= x)])
        return [list(row) for row in zip(*head)] + ByPower(divided, self.cells).rows()


def units(first, last):
    return [(k, k + 1) for k in range(first, last)]


def k_far(order):
    """exp(x) K(x) sqrt(x) of u = 1/x."""
    return lambda u: mp.exp(1 / u) * mp.besselk(order, 1 / u) * mp.sqrt(1 / u) if u > 0 else mp.sqrt(mp.pi / 2)


def erfcx_part(u):
    """erfcx(4/u - 4) / u: of x = 4/u - 4, which is 0 to infinity."""
    if u == 0:
        return 1 / (4 * mp.sqrt(mp.pi))
    x = 4 / u - 4
    if u > mpf("0.05"):
        return mp.exp(x * x) * mp.erfc(x) / u
    return mp.fsum((-1) ** k * (mp.fac2(2 * k - 1) if k else 1) / (2 * x * x) ** k for k in range(60)) / \
        (x * u * mp.sqrt(mp.pi))


def erfinv_part(t):
    """erfinv(y) / y of t = 1 - y^2."""
    y = mp.sqrt(1 - t)
    return mp.erfinv(y) / y


def tail(r):
    """-ndtri(exp(-r^2)) / r."""
    log_p = -r * r
    x = r * mp.sqrt(2) * (1 - mp.log(r * 3.5) / (2 * r * r)) if r > 2 else mpf("1.5")
    for _ in range(60):  # Newton's method for log ndtr(-x)
        n = mp.erfc(x / mp.sqrt(2)) / 2
        step = (mp.log(n) - log_p) * n / (mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi))
        x += step
        if abs(step) < mpf(10) ** -50 * x:
            break
    return x / r


def lgamma_part(x):
    """log gamma, from 1/2 to 4 divided by the distance from the nearer of its zeros, 1 and 2."""
    if not 0.5 <= x < 4:
        return mp.loggamma(x).real
    zero = 1 if x < 1.5 else 2
    if x == zero:
        return mp.digamma(zero)
    return mp.loggamma(x).real / (x - zero)


PSI_ZERO = mp.findroot(mp.digamma, 1.46163)
EI_ZERO = mp.findroot(mp.ei, 0.3725)

def integrated(x, m, squared=False, half=0):
    """The sum of t(k) / (2k + m), t(k) = -x^2 t(k - 1) / (4 (k + half)^2); `squared`: of t(k) (h + w) w, where w is
    1 / (2k + m) and h the k-th harmonic number."""
    with mp.workdps(int(70 + x)):
        total, term, harmonic = mpf(0), mpf(1), mpf(0)
        for k in range(int(3 * x) + 60):
            if k:
                term *= -x * x / (4 * (k + half) ** 2)
                harmonic += mpf(1) / k
            if 2 * k + m:
                w = mpf(1) / (2 * k + m)
                total += term * w * (harmonic + w) if squared else term * w
        return total


def of_square(m):
    """The sum that stands beside the logarithm in integrals of Y0, of s = x^2."""
    return lambda s: integrated(mp.sqrt(s), m, True)


def y0_integral(x):
    with mp.workdps(int(70 + x)):
        return 2 / mp.pi * x * ((mp.log(x / 2) + mp.euler) * integrated(x, 1) - integrated(x, 1, True))


def y0_over_integral(x):
    with mp.workdps(int(70 + x)):
        l = mp.log(x / 2) + mp.euler
        return mp.pi / 6 - 2 / mp.pi * (l * l / 2 + l * integrated(x, 0) - integrated(x, 0, True))


def k0_tail(over):
    """exp(x) sqrt(x) times the integral of K0(t) from x on, or that of K0(t) / t times x too: those of
    exp(-x cosh(u)) / cosh(u) and of E1(x cosh(u)) by the trapezoidal rule."""
    def of(x):
        if x == mp.inf:
            return mp.sqrt(mp.pi / 2)
        step, total, k = mpf(1) / 8 / mp.sqrt(1 + x), mpf(0), 0
        while True:
            y = x * mp.cosh(k * step)
            add = mp.exp(x) * (x * mp.e1(y) if over else mp.exp(-y) * x / y) / (1 if k else 2)
            total += add
            if add < total * mpf(10) ** -55:
                return total * step * mp.sqrt(x)
            k += 1
    return of


def inverted(f):
    """Of u = 1/x, 0 where x is infinite."""
    return lambda u: f(1 / u if u > 0 else mp.inf)


def k0_series(m):
    """The sum beside the logarithm in integrals of K0, of s = x^2; without its first power where that is 0."""
    return lambda s: mp.fsum(mp.mpf(s) ** (k - (m == 0)) / 4 ** k / mp.factorial(k) ** 2 *
                             (mp.harmonic(k) + mpf(1) / (2 * k + m)) / (2 * k + m) for k in range(m == 0, 40))


def struve_over_integral(x):
    with mp.workdps(int(70 + x)):
        return mp.pi / 2 - 2 / mp.pi * x * integrated(x, 1, half=mpf(1) / 2)


def airy_integral(sign, second):
    """The integral of Ai(sign t), or of Bi(sign t), from 0 to x, over x."""
    def of(x):
        x *= sign
        with mp.workdps(int(70 + abs(x) ** mpf(1.5))):
            f = tf = mpf(1)
            g, tg = x / 2, x
            for k in range(1, int(3 * abs(x) ** mpf(1.5)) + 60):
                tf *= x ** 3 / (3 * k * (3 * k - 1))
                tg *= x ** 3 / (3 * k * (3 * k + 1))
                f += tf / (3 * k + 1)
                g += tg / (3 * k + 2)
            f, g = f * mp.airyai(0), -g * mp.airyai(0, derivative=1)
            return mp.sqrt(3) * (f + g) if second else f - g
    return of


def cells(first, last, per):
    return [(mpf(k) / per, mpf(k + 1) / per) for k in range(first * per, int(last * per))]


SPECS = {
    "gamma": ("The gamma function's relatives.", {
        "lgamma_by_power": ByPower(lgamma_part, octaves(-4, 8, 4)),
        "gamma_by_power": ByPower(mp.gamma, [(k, k + 1) for k in range(2, 21)], rises=True),
        "digamma_by_power": ByPower(lambda x: mp.digamma(x) / (x - PSI_ZERO if 1 <= x < 4 else 1), octaves(-4, 8, 4)),
        "zeta_cells": (lambda x: mp.zeta(x) * (x - 1) if x != 1 else mpf(1), -1, 1, 8)}),
    "normal": ("The normal distribution.", {
        "erf_cells": (lambda s: mp.erf(mp.sqrt(s)) / mp.sqrt(s) if s else 2 / mp.sqrt(mp.pi), 0, 1, 4),
        "erfcx_by_power": ByPower(lambda x: mp.exp(x * x) * mp.erfc(x), [(k / 4, (k + 1) / 4) for k in range(16)]),
        "erfcx_far": (erfcx_part, 0, "0.5", 32),
        "erfinv_by_power": ByPower(erfinv_part, octaves(-14, 0, 4)),
        "ndtri_tail": (tail, "1.5", "27.5", 104)}),
    "bessel": ("Bessel functions of the first and second kind.", {
        "j0_by_power": OfZeros(lambda x: mp.besselj(0, x), units(0, 24), "2.40", 1),
        "j1_by_power": OfZeros(lambda x: mp.besselj(1, x), units(0, 24), "3.83", zeros=[0]),
        "y0_near": (y_part(0), 0, "0.25", 1), "y1_near": (y_part(1), 0, "0.25", 1),
        "y0_by_power": OfZeros(lambda x: mp.bessely(0, x), octaves(-3, 3, 4) + units(8, 24), "0.89"),
        "y1_by_power": OfZeros(lambda x: mp.bessely(1, x), octaves(-3, 3, 4) + units(8, 24), "2.20"),
        **{f"{which.lower()}{order}_far": Uniform(hankel(order, which), 0, mpf(1) / 576, 7)
           for order in (0, 1) for which in "PQ"}}),
    "bessel_modified": ("Modified Bessel functions.", {
        "i0e_by_power": ByPower(lambda x: mp.exp(-x) * mp.besseli(0, x),
                                [(a - 8, b - 8) for a, b in octaves(3, 7, 8)]),
        "i1e_near": (lambda x: mp.exp(-x) * mp.besseli(1, x) / x if x else mpf(1) / 2, 0, 8, 16),
        "i0e_far": (positive_inverse(lambda x: mp.exp(-x) * mp.besseli(0, x) * mp.sqrt(x), 1 / mp.sqrt(2 * mp.pi)),
                    0, "0.125", 16),
        "i1e_far": (positive_inverse(lambda x: mp.exp(-x) * mp.besseli(1, x) * mp.sqrt(x), 1 / mp.sqrt(2 * mp.pi)),
                    0, "0.125", 16),
        "k0_near": (k_part(0), 0, 1, 4), "k1_near": (k_part(1), 0, 1, 4),
        "k0e_by_power": ByPower(lambda x: mp.exp(x) * mp.besselk(0, x), octaves(-4, 6, 4)),
        "k1e_by_power": ByPower(lambda x: mp.exp(x) * mp.besselk(1, x), octaves(-4, 6, 4)),
        "k0e_far": Uniform(k_far(0), 0, mpf(1) / 64, 8), "k1e_far": Uniform(k_far(1), 0, mpf(1) / 64, 8)}),
    "integrals": ("Exponential and trigonometric integrals.", {
        "exp1_near": (euler_part, 0, 1, 4),
        "exp1_far": (positive_inverse(lambda x: mp.exp(x) * x * mp.e1(x), 1), 0, 1, 32),
        "expi_near": (lambda x: (mp.ei(x) - mp.log(x / EI_ZERO)) / (x - EI_ZERO), 0, 1, 4),
        "expi_middle": (lambda x: mp.ei(x) - mp.log(x), 1, 7, 12),
        "expi_far": (positive_inverse(lambda x: mp.exp(-x) * x * mp.ei(x), 1), 0, mpf(1) / 6, 32),
        "si_near": (si_over_x, 0, 16, 8), "ci_near": (ci_part, 0, 16, 8),
        "shi_near": (shi_over_x, 0, 4, 2), "chi_near": (chi_part, 0, 4, 2),
        "f_far": (lambda u: auxiliary(u, "f"), 0, "0.25", 16), "g_far": (lambda u: auxiliary(u, "g"), 0, "0.25", 16)}),
    "fresnel": ("Dawson's integral and Fresnel's.", {
        "dawsn_near": (lambda x: dawson(x) / x if x else mpf(1), 0, 8, 32),
        "dawsn_far": (lambda u: dawson(1 / u) / u if u > mpf("0.02") else dawson_far(u), 0, "0.125", 8),
        "fresnel_s": (lambda s: mp.fresnels(mp.sqrt(s)) / mp.sqrt(s) ** 3 if s else mp.pi / 6, 0, 3, 12),
        "fresnel_c": (lambda s: mp.fresnelc(mp.sqrt(s)) / mp.sqrt(s) if s else mpf(1), 0, 3, 12),
        "fresnel_f": (lambda u: fresnel(u, "f"), 0, "0.625", 20),
        "fresnel_g": (lambda u: fresnel(u, "g"), 0, "0.625", 20)}),
    "spence": ("The dilogarithm.", {
        "spence_cells": (lambda x: mp.polylog(2, 1 - x).real / (1 - x) if x != 1 else mpf(1), "0.5", 2, 12)}),
    "integrals_bessel": ("Integrals of Bessel functions.", {
        "ij0_by_power": ByPower(lambda x: integrated(x, 1), cells(0, 37, 1), most=14),
        "ij0_over_by_power": ByPower(lambda x: -integrated(x, 0) / (x * x), cells(0, 37, 1), most=14),
        "iy0_near": (of_square(1), 0, 16, 8),
        "iy0_over_near": (lambda s: of_square(0)(s) / s if s else mpf(3) / -16, 0, 16, 8),
        "iy0_by_power": ByPower(y0_integral, cells(4, 37, 1), most=13),
        "iy0_over_by_power": ByPower(y0_over_integral, cells(4, 37, 1), most=13)}),
    "integrals_modified": ("Integrals of the modified Bessel function K0.", {
        "ik0_near": (k0_series(1), 0, 1, 2), "ik0_over_near": (k0_series(0), 0, 1, 2),
        **{f"ik0_{'over_' if over else ''}tail_by_power": ByPower(k0_tail(over), octaves(0, 6, 4)) for over in (0, 1)},
        **{f"ik0_{'over_' if over else ''}far": Uniform(inverted(k0_tail(over)), 0, mpf(1) / 64, 9 + over)
           for over in (0, 1)}}),
    "integrals_struve": ("Integrals of Struve's function.", {
        "istruve_by_power": ByPower(lambda x: integrated(x, 2, half=mpf(1) / 2) * 2 / mp.pi, cells(0, 37, 1), most=14),
        "istruve_over_by_power": ByPower(struve_over_integral, cells(0, 37, 1), most=14)}),
    "integrals_airy": ("Integrals of Airy functions.", {
        **{f"i{'b' if second else 'a'}i_{'left' if sign < 0 else 'right'}_by_power":
           ByPower(airy_integral(sign, second), cells(0, 9.5 if sign > 0 and not second else 14.5, 2), most=15)
           for second in (0, 1) for sign in (1, -1)}}),
    "elliptic": ("The complete elliptic integrals.", {
        "ellipk_by_power": ByPower(lambda p: mp.ellipk(1 - p), octaves(-14, 0, 4)),
        "ellipe_cells": (lambda m: mp.ellipe(m), 0, "0.5", 16),
        "ellipk_log": (lambda p: mp.ellipk(p) / mp.pi, 0, "0.5", 16),
        "ellipk_rest": (lambda p: mp.ellipk(1 - p) + mp.log(p) * mp.ellipk(p) / mp.pi if p else mp.log(4), 0, "0.5",
                        16)}),
}

def temme(rows, columns):
    """Coefficients of Temme's expansion, by powers of 1/a and of eta. eta^2/2 = mu - log(1 + mu) makes mu a series in
    eta; the first row is that of 1/mu - 1/eta, the next are (the last's derivative - its value at 0) / eta and a
    multiple of 1/mu - 1/eta, so that no row has a pole (DLMF 8.12)."""
    n = columns + 2 * rows + 2
    mu = [mpf(0), mpf(1)]  # mu mu' = eta (1 + mu): coefficient by coefficient
    for k in range(2, n + 2):
        # sum of i+j = k of mu_i (j + 1) mu_(j+1) = mu_(k-1)
        rest = mp.fsum(mu[i] * (k - i + 1) * mu[k - i + 1] for i in range(2, k))
        mu.append((mu[k - 1] - rest) / (k + 1))
    inverse = [mpf(1)]  # of mu / eta
    shifted = mu[1:]
    for k in range(1, n + 1):
        inverse.append(-mp.fsum(shifted[i] * inverse[k - i] for i in range(1, k + 1)))
    first = inverse[1:]  # 1/mu - 1/eta
    stirling = stirling_series(rows)
    made, row = [], first
    for k in range(rows):
        made.append([float(v) for v in row[:columns]])
        derived = [(j + 1) * row[j + 1] for j in range(len(row) - 1)]
        factor = -derived[0]  # cancels the pole of derived / eta against that of factor / mu
        row = [derived[j + 1] + factor * first[j] for j in range(len(derived) - 1)]
        assert abs(factor - (-1) ** (k + 1) * stirling[k + 1]) < mpf(10) ** -40
    return made


def stirling_series(n):
    """Coefficients of gamma(a) = sqrt(2 pi) a^(a-1/2) exp(-a) (1 + 1/(12 a) + ...)."""
    log_terms = [mpf(0)] * (n + 2)
    for k in range(1, n // 2 + 2):
        if 2 * k - 1 < n + 2:
            log_terms[2 * k - 1] = mp.bernoulli(2 * k) / (2 * k * (2 * k - 1))
    made = [mpf(1)]
    for k in range(1, n + 2):
        made.append(mp.fsum(j * log_terms[j] * made[k - j] for j in range(1, k + 1)) / k)
    return made


def write_temme():
    rows = temme(12, 26)
    (FOLDER / "tables_temme.h").write_text(
        "/* Temme's expansion of the incomplete gamma function. Made by tools/make_special_tables.py; not to be "
        "edited. */\n"
        "#ifndef CPS_TABLES_TEMME_H\n#define CPS_TABLES_TEMME_H\n\n" + text("temme", rows) + "\n#endif\n")


def debye(n):
    """The coefficients of p^k, p^(k+2), .. p^(3k) of Debye's polynomials U_k, k below n, one after the other:
    U_(k+1) = p^2 (1 - p^2) U_k' / 2 + the integral of (1 - 5 t^2) U_k / 8 from 0 to p (DLMF 10.41.9)."""
    u, made = {0: Fraction(1)}, []
    for k in range(n):
        made += [float(u.get(k + 2 * j, 0)) for j in range(k + 1)]
        following = {}
        for e, c in u.items():
            for power, factor in ((e + 1, Fraction(e, 2) + Fraction(1, 8 * (e + 1))),
                                  (e + 3, -Fraction(e, 2) - Fraction(5, 8 * (e + 3)))):
                following[power] = following.get(power, 0) + c * factor
        u = following
    return made


def flat(name, values):
    lines = textwrap.wrap(", ".join(map(repr, values)), 112)
    return f"CPS_TABLE cps_{name}[{len(values)}] = {{\n    " + "\n    ".join(lines) + "};\n"


def write_cylinder():
    c = [float(v) for v in mp.taylor(lambda x: mp.rgamma(1 + x), 0, 30)]
    (FOLDER / "tables_cylinder.h").write_text(
        "/* Debye's polynomials, and Temme's parts of 1/gamma. Made by tools/make_special_tables.py; not to be edited. "
        "*/\n#ifndef CPS_TABLES_CYLINDER_H\n#define CPS_TABLES_CYLINDER_H\n\n"
        "/* U_k(p), k from 0 on: the coefficients of p^k, p^(k+2), ... p^(3k) */\n" + flat("debye", debye(17)) +
        "/* (1/gamma(1 - x) - 1/gamma(1 + x)) / (2 x) and (1/gamma(1 - x) + 1/gamma(1 + x)) / 2, in x^2 */\n" +
        flat("temme_1", [-v for v in c[1:26:2]]) + flat("temme_2", c[0:26:2]) + "\n#endif\n")


OTHERS = {"temme": write_temme, "cylinder": write_cylinder}
if __name__ == "__main__":
    for name in sys.argv[1:] or [*SPECS, *OTHERS]:
        if name in OTHERS:
            OTHERS[name]()
        else:
            write(name, *SPECS[name])
