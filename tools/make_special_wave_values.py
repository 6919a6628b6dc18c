#!/usr/bin/env python3
"""Writes tests/python/special_wave_values.txt: values of wave functions and modified Fresnel integrals with 20 digits,
which test_special_waves.py compares with.

A line is NAME, the arguments as hexadecimal floats, and the values. Eigenvalues of the matrices are those of NumPy,
made exact with 80 digits and more; functions are sums of Fourier's and Legendre's series, radial ones of Bessel's,
which mpmath's odefun continues where they do not converge. Needs mpmath; run by hand:
tools/make_special_wave_values.py [NAME...].
"""
import functools
import pathlib
import random
import sys

import mpmath as mp
import numpy as np
from mpmath import mpf

mp.mp.dps = 120
FILE = pathlib.Path(__file__).resolve().parent.parent / "tests" / "python" / "special_wave_values.txt"
draw = random.Random(3)


def eigen(rows, beside, place):
    """The eigenvalue and its normalized vector, of diagonals of mpf. Elements have their own digits: quotients of
    neighbours from both ends, which meet at the largest."""
    count = len(rows)
    matrix = np.diag(np.array([float(v) for v in rows]))
    matrix[range(count - 1), range(1, count)] = matrix[range(1, count), range(count - 1)] = [float(v) for v in beside]
    values, vectors = np.linalg.eigh(matrix)
    value, j = mpf(values[place]), int(np.argmax(abs(vectors[:, place])))
    for _ in range(9):
        down, up = [rows[0] - value], [rows[-1] - value]
        for i in range(j):
            down.append(rows[i + 1] - value - beside[i] ** 2 / down[-1])
        for i in range(count - 1, j, -1):
            up.append(rows[i - 1] - value - beside[i - 1] ** 2 / up[-1])
        v = [mpf(0)] * count
        v[j] = mpf(1)
        for i in range(j - 1, -1, -1):
            v[i] = -beside[i] / down[i] * v[i + 1]
        for i in range(j + 1, count):
            v[i] = -beside[i - 1] / up[count - 1 - i] * v[i - 1]
        square = mp.fsum(a * a for a in v)
        step = (down[j] + up[count - 1 - j] - (rows[j] - value)) / square
        value += step
        if abs(step) < mpf(10) ** -(mp.mp.dps - 20) * (1 + abs(value)):
            break
    else:
        raise ArithmeticError("no eigenvalue")
    assert abs(value - values[place]) < 1e-9 * max(abs(values))
    root = mp.sqrt(square) * (1 if v[0] > 0 else -1)
    return value, [a / root for a in v]


# --- Mathieu's functions ---

@functools.lru_cache
def fourier(odd, m, q):
    """The characteristic value, the coefficients, the first one's multiple of the angle; of q > 0."""
    p = 1 if m % 2 else 2 if odd else 0
    count = int(40 + m / 2 + 1.2 * float(q) ** 0.5)
    rows = [mpf(2 * i + p) ** 2 for i in range(count)]
    if p == 1:
        rows[0] += -q if odd else q
    beside = [q] * (count - 1)
    if p == 0:
        beside[0] = q * mp.sqrt(2)
    value, c = eigen(rows, beside, (m - p) // 2)
    if p == 0:
        c[0] /= mp.sqrt(2)
    return value, c, p


def characteristic(odd):
    return lambda m, q: fourier(odd ^ (q < 0 and int(m) % 2), int(m), abs(q))[0] if q else m * m


def angular(odd):
    def of(m, q, x):
        """DLMF 28.2.34 to 28.2.37 for q < 0."""
        m, sign, slope, kind = int(m), 1, 1, odd
        if q < 0:
            x, sign, slope = 90 - x, (-1) ** (m // 2), -1
            if m % 2:
                kind = not odd
            elif odd:
                sign = -sign
        _, c, p = fourier(kind, m, abs(q))
        t = x * mp.pi / 180
        f, g = (mp.sin, mp.cos) if kind else (mp.cos, mp.sin)
        y = mp.fsum(a * f((2 * i + p) * t) for i, a in enumerate(c))
        d = mp.fsum((1 if kind else -1) * (2 * i + p) * a * g((2 * i + p) * t) for i, a in enumerate(c))
        return [sign * y, sign * slope * d]
    return of


def modified(odd, second):
    def of(m, q, x):
        """DLMF 28.24.2 to 28.24.5 with s = 0, and its derivative."""
        m = int(m)
        _, c, p = fourier(odd, m, q)
        u, w = mp.sqrt(q) * mp.exp(-x), mp.sqrt(q) * mp.exp(x)
        far, sign = (mp.bessely if second else mp.besselj), -1 if odd else 1
        n = [k for k in range(len(c)) if abs(c[k]) > mpf(10) ** -90]
        size = n[-1] + 3 + p
        j = [mp.besselj(k, u) for k in range(size + 1)]
        z = [far(k, w) for k in range(size + 1)]

        def slope(r, k, x):
            return -x * r[1] if k == 0 else x * (r[k - 1] - r[k + 1]) / 2
        y = d = mpf(0)
        for k in range(n[-1] + 1):
            a = (-1) ** k * c[k]
            y += a * (j[k] * z[k + p] + sign * j[k + p] * z[k])
            d += a * (j[k] * slope(z, k + p, w) - slope(j, k, u) * z[k + p] +
                      sign * (j[k + p] * slope(z, k, w) - slope(j, k + p, u) * z[k]))
        scale = (-1) ** ((m - (2 if p == 2 else 0)) // 2) / (c[0] * (2 if p == 0 else 1))
        return [scale * y, scale * d]
    return of


# --- spheroidal functions ---

@functools.lru_cache
def legendre(oblate, m, n, c):
    """The characteristic value, the coefficients d of P of the degrees m + p + 2 i, and p."""
    q, p = (-1 if oblate else 1) * c * c, (n - m) % 2
    count = int(140 + (n - m) / 2 + float(abs(c)))
    degrees = [mpf(m + p + 2 * i) for i in range(count)]
    rows = [d * (d + 1) + q * (2 * d * (d + 1) - 2 * m * m - 1) / ((2 * d - 1) * (2 * d + 3)) for d in degrees]
    beside = [q / (2 * d + 3) * mp.sqrt((d - m + 1) * (d - m + 2) * (d + m + 1) * (d + m + 2) /
                                        ((2 * d + 1) * (2 * d + 5))) for d in degrees[:-1]]
    value, v = eigen(rows, beside, (n - m) // 2)
    return value, [a * mp.sqrt((2 * d + 1) / 2 * mp.factorial(d - m) / mp.factorial(d + m))
                   for a, d in zip(v, degrees)], p


def legendre_sum(m, d, p, x):
    """The sum of d P and its derivative, without the sign (-1)^m."""
    root = 1 - x * x
    last, here = mpf(0), mp.fac2(2 * m - 1) * root ** (mpf(m) / 2)
    y = slope = mpf(0)
    for k in range(m, m + p + 2 * len(d) - 1):
        if (k - m) % 2 == p:
            a = d[(k - m) // 2]
            y += a * here
            slope += a * ((k + m) * last - k * x * here) / root
        last, here = here, ((2 * k + 1) * x * here - (k + m) * last) / (k - m + 1)
    return y, slope


def spheroidal(oblate, kind):
    def scaled(m, n, c):
        value, d, p = legendre(oblate, m, n, c)
        y, slope = legendre_sum(m, d, p, mpf(0))
        last, here = mpf(0), mp.fac2(2 * m - 1)  # of the Legendre function of degree n
        for k in range(m, n):
            last, here = here, -(k + m) * last / (k - m + 1)
        want = (n + m) * last if p else here
        return value, [a * want / (slope if p else y) for a in d], p

    def angle(m, n, c, x):
        m, n = int(m), int(n)
        _, d, p = scaled(m, n, c)
        return list(legendre_sum(m, d, p, x))

    def series(m, n, c, x):
        _, d, p = legendre(oblate, m, n, c)
        s, z = (1 if oblate else -1), c * x
        weights = [a * mp.factorial(2 * m + p + 2 * i) / mp.factorial(p + 2 * i) * (-1) ** ((p + 2 * i + m - n) // 2)
                   for i, a in enumerate(d)]
        f = mp.bessely if kind == "rad2" else mp.besselj
        root = mp.sqrt(mp.pi / (2 * z))
        b = [root * f(k + mpf(1) / 2, z) for k in range(m + p, m + p + 2 * len(d) + 1)]
        y = mp.fsum(a * b[2 * i] for i, a in enumerate(weights))
        slope = mp.fsum(a * ((m + p + 2 * i) / z * b[2 * i] - b[2 * i + 1]) * c for i, a in enumerate(weights))
        total = mp.fsum(a * (-1) ** ((p + 2 * i + m - n) // 2) for i, a in enumerate(weights))
        front = ((x * x + s) / (x * x)) ** (mpf(m) / 2) / total
        return [front * y, front * (slope - s * m / (x * (x * x + s)) * y)]

    def radius(m, n, c, x):
        m, n = int(m), int(n)
        value, _, _ = legendre(oblate, m, n, c)
        s, begin = (1 if oblate else -1), mpf(5) / 2
        if x >= begin:
            return series(m, n, c, x)
        y, slope = series(m, n, c, begin)

        def equation(t, v):  # of t = begin - x
            x = begin - t
            a = x * x + s
            return [-v[1], -(-2 * x * v[1] + (value - c * c * x * x - s * m * m / a) * v[0]) / a]
        with mp.workdps(35):
            found = list(mp.odefun(equation, 0, [+y, +slope])(begin - x))
        if x == 0 and kind == "rad1":  # it is odd or even
            found[(n - m + 1) % 2] = mpf(0)
        return found

    return {"cv": lambda m, n, c: legendre(oblate, int(m), int(n), c)[0], "ang1": angle}.get(kind, radius)


def orders():
    return draw.choice([0, 1, 2, 3, 4, 5, 7, 10, 15, 24])


def mathieu_cases(count, least, x=None):
    return [(float(max(orders(), least)), draw.choice([0.01, 0.3, 1.0, 2.5, 7.0, 20.0, 60.0, 150.0, 400.0]),
             *(x() if x else ())) for _ in range(count)]


def spheroid_cases(count, x=None):
    made = []
    for _ in range(count):
        m = draw.choice([0, 0, 1, 2, 3, 5, 8])
        made.append((float(m), float(m + draw.choice([0, 1, 2, 3, 4, 6, 9, 15])),
                     draw.choice([0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 35.0]), *(x() if x else ())))
    return made


def degrees():
    return (draw.choice([0.0, 30.0, 90.0, draw.uniform(-400, 400), draw.uniform(0, 90)]),)


def outside():
    return (draw.choice([0.0, draw.uniform(0, 1), draw.uniform(0, 3.5)]),)


def inside():
    return (draw.choice([0.0, draw.uniform(-1, 1), draw.uniform(0.8, 1), 1 - 1e-6]),)


def beyond_1():
    return (draw.choice([1.05, 1.0 + draw.uniform(0.02, 1), draw.uniform(1, 4), draw.uniform(4, 30)]),)


def from_0():
    return (draw.choice([0.0, draw.uniform(0, 1), draw.uniform(0, 3), draw.uniform(3, 30)]),)


def turned(cases):
    """Of negative q too."""
    return [(m, q * draw.choice((1, -1)), *x) for m, q, *x in cases]


VALUES = {}
for _odd, _name in enumerate("ab"):
    VALUES["mathieu_" + _name] = (characteristic(_odd),
                                  functools.partial(lambda odd: turned(mathieu_cases(70, odd)), _odd))
for _odd, _name in enumerate("cs"):
    VALUES[f"mathieu_{_name}em"] = (angular(_odd),
                                    functools.partial(lambda odd: turned(mathieu_cases(80, odd, degrees)), _odd))
    for _kind in (1, 2):
        VALUES[f"mathieu_mod{_name}em{_kind}"] = (modified(_odd, _kind == 2),
                                                  functools.partial(lambda odd: mathieu_cases(60, odd, outside), _odd))
for _oblate, _name in enumerate(("pro", "obl")):
    VALUES[_name + "_cv"] = spheroidal(_oblate, "cv"), functools.partial(spheroid_cases, 60)
    VALUES[_name + "_ang1"] = spheroidal(_oblate, "ang1"), functools.partial(spheroid_cases, 70, inside)
    for _kind in (1, 2):
        VALUES[f"{_name}_rad{_kind}"] = (spheroidal(_oblate, f"rad{_kind}"),
                                         functools.partial(spheroid_cases, 45, from_0 if _oblate else beyond_1))


# --- modified Fresnel integrals ---

def fresnel(sign):
    def of(x):
        """The parts of both results (DLMF 7.3.2, 7.2.1)."""
        turn = mp.expjpi(mpf(sign) / 4)
        f = mp.sqrt(mp.pi) / 2 * turn * mp.erfc(mp.conj(turn) * x)
        k = mp.conj(turn) * mp.expj(-sign * x * x) * f / mp.sqrt(mp.pi)
        return [f.real, f.imag, k.real, k.imag]
    return of


def along():
    return [(draw.choice((1, -1)) * v,) for v in [0.0, 1e-300, 1e-9, 1e7, 3e5, 1000.5] +
            [draw.uniform(0, b) for b in (1, 1, 1, 3, 3, 3, 6, 6, 9, 30, 100) for _ in range(4)]]


for _sign, _name in ((1, "p"), (-1, "m")):
    VALUES["modfresnel" + _name] = fresnel(_sign), along


def line(name, f, x):
    v = f(*map(mpf, x))
    values = v if isinstance(v, list) else [v]
    return " ".join([name, *(float(a).hex() for a in x), *(mp.nstr(u, 20) for u in values)])


def main(names):
    kept = []
    if names and FILE.exists():
        kept = [text for text in FILE.read_text().splitlines() if text.split()[0] not in names]
    made = []
    for name in names or VALUES:
        draw.seed(name)
        f, cases = VALUES[name]
        made += [line(name, f, x) for x in cases()]
    FILE.write_text("\n".join(sorted(kept + made, key=lambda text: text.split()[0])) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
