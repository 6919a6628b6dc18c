#!/usr/bin/env python3
"""Writes tests/python/special_sequence_values.txt: values of Legendre functions of the second kind, of parabolic
cylinder functions of whole order and of ellipsoidal harmonics with 20 digits, which test_special_sequences.py compares
with.

A line is NAME, the arguments as hexadecimal floats, two of a complex number, and the values, the parts of complex ones.
Legendre functions are mpmath's; ellipsoidal harmonics have the matrices in powers of s^2 - h^2 that SciPy has, with 60
digits and more, the other two their integrals. Needs mpmath; run by hand:
tools/make_special_sequence_values.py [NAME...].
"""
import functools
import pathlib
import random
import sys

import mpmath as mp
from mpmath import mpc, mpf

FILE = pathlib.Path(__file__).resolve().parent.parent / "tests" / "python" / "special_sequence_values.txt"
draw = random.Random(4)


# --- Legendre functions of the second kind ---

def second(n, m, z):
    """mpmath's, whose roots are others: left of 0 these are functions of -z."""
    n, m = int(n), int(m)
    if mp.re(z) < 0:
        y, slope = second(n, m, -z)
        sign = (-1) ** (n + m + 1)
        return [sign * y, -sign * slope]
    kind = 2 if (mp.re(z) < 1 if mp.im(z) == 0 else abs(z) <= 1) else 3
    y, above = (mp.legenq(k, m, z, type=kind) for k in (n, n + 1))
    if mp.im(z) == 0:
        y, above = mp.re(y), mp.re(above)
    return [y, ((n - m + 1) * above - (n + 1) * z * y) / (z * z - 1)]


def degrees(most):
    n = draw.choice([0, 1, 2, 3, 5, 8, 13, 20, 37, 60, most])
    return [float(n), float(draw.choice([0, 0, 0, 1, 1, 2, 3, n, n + 1, n + 2, n // 2, 2 * n + 3]) if n < 40 else
                            draw.choice([0, 1, 2, 5, n // 3]))]


def places():
    """On the cut, near its ends and 0, beyond it, far away; of either sign."""
    near = 10.0 ** draw.uniform(-15, -1)
    x = draw.choice([draw.uniform(0, 1), 1 - near, 1 + near, near, draw.uniform(1, 2), 10 ** draw.uniform(0, 3), 1e10,
                     1e25, 1.0001, 0.9999, 0.5])
    return x * draw.choice([1, -1])


def plane():
    """In the unit circle, about it, near 1 and i, near the cut, far away."""
    size = draw.choice([draw.uniform(0, 1), draw.uniform(0.9, 1.1), 10 ** draw.uniform(0, 2), 1e9])
    z = mp.expj(draw.uniform(-3.14159, 3.14159)) * size
    near = mp.expj(draw.uniform(-3.14159, 3.14159)) * 10 ** draw.uniform(-9, -1)
    z = draw.choice([z, z, 1 + near, 1j + near, mpc(draw.uniform(-1, 1), 10 ** draw.uniform(-12, -1))])
    return complex(z) * draw.choice([1, -1])


# --- parabolic cylinder functions ---

def cylinder(n, z):
    d, above = mp.pcfd(n, z), mp.pcfd(n + 1, z)
    return [d, z / 2 * d - above]


# --- ellipsoidal harmonics ---

@functools.lru_cache
def lame(h2, k2, n, p):
    """The exponents of s and of the roots, and the coefficients in powers of 1 - s^2 / h^2."""
    r, odd, beta = n // 2, n % 2, k2 - h2
    gamma = h2 - beta
    kinds = (["K"] * (r + 1) + ["L"] * (n - r) + ["M"] * (n - r) + ["N"] * r)
    kind = kinds[p - 1]
    place, size = p - 1 - kinds.index(kind), kinds.count(kind)
    g, f, d = [], [], []
    for j in range(size):
        i = j + 1
        g.append(-(2 * j + 2) * (2 * j + (1 if kind in "KM" else 3)) * beta)
        if kind == "K":
            f.append(-h2 * (2 * (r - i) + 2) * (2 * (r + i) + (1 if odd else -1)))
            d.append(((2 * r + 1) * (2 * r + 2) - 4 * j * j) * h2 + (2 * j + 1) ** 2 * beta if odd else
                     2 * r * (2 * r + 1) * h2 - 4 * j * j * gamma)
        elif kind == "L":
            f.append(-h2 * (2 * (r - i) + 2 * odd) * (2 * (r + i) + 1))
            d.append((2 * r + 1) * (2 * r + 2) * h2 - (2 * j + 1) ** 2 * gamma if odd else
                     (2 * r * (2 * r + 1) - (2 * j + 1) ** 2) * h2 + (2 * j + 2) ** 2 * beta)
        elif kind == "M":
            f.append(-h2 * (2 * (r - i) + 2 * odd) * (2 * (r + i) + 1))
            d.append(((2 * r + 1) * (2 * r + 2) - (2 * j + 1) ** 2) * h2 + 4 * j * j * beta if odd else
                     2 * r * (2 * r + 1) * h2 - (2 * j + 1) ** 2 * gamma)
        else:
            f.append(-h2 * 2 * (r - i) * (2 * (r + i) + (3 if odd else 1)))
            d.append((2 * r + 1) * (2 * r + 2) * h2 - (2 * j + 2) ** 2 * gamma if odd else
                     (2 * r * (2 * r + 1) - (2 * j + 2) ** 2) * h2 + (2 * j + 1) ** 2 * beta)
    scale, matrix = [mpf(1)], mp.matrix(size, size)
    for j in range(size):
        matrix[j, j] = d[j]
        if j + 1 < size:
            scale.append(mp.sqrt(g[j] / f[j]) * scale[j])
            matrix[j, j + 1] = matrix[j + 1, j] = g[j] * scale[j] / scale[j + 1]
    values, vectors = mp.eigsy(matrix)
    at = sorted(range(size), key=lambda i: values[i])[place]
    c = [vectors[j, at] / scale[j] for j in range(size)]
    c = [v / (c[-1] / (-h2) ** (size - 1)) for v in c]
    a = n - 2 * (size - 1) - (kind in "LN") - (kind in "MN")
    return a, kind in "LN", kind in "MN", c


def harmonic(h2, k2, n, p, s):
    a, b, c, v = lame(h2, k2, int(n), int(p))
    r = s ** a * mp.polyval(v[::-1], 1 - s * s / h2)
    return r * (mp.sqrt(abs(s * s - h2)) if b else 1) * (mp.sqrt(abs(s * s - k2)) if c else 1)


def second_harmonic(h2, k2, n, p, s):
    """The integral over t of x^2 = s^2 + t^2, by the trapezoidal rule in the logarithm of t."""
    def f(v):
        x = mp.sqrt(s * s + mp.exp(2 * v))
        return mp.exp(2 * v) / x / (harmonic(h2, k2, n, p, x) ** 2 * mp.sqrt((x * x - h2) * (x * x - k2)))
    start, step = mp.log(mp.sqrt(s * s - k2)), mpf(1) / 20
    sums = [mp.fsum(f(start + i * step) for i in range(first, 1200, 2)) * step for first in (-1200, -1201)]
    assert abs(sums[0] - sums[1]) < 1e-19 * sums[0]  # with either half of the points
    return (2 * n + 1) * harmonic(h2, k2, n, p, s) * mp.fsum(sums)


def constant(h2, k2, n, p):
    def inner(t, power):
        x = mp.sqrt(h2) * mp.sin(t)
        return harmonic(h2, k2, n, p, x) ** 2 * x ** power / mp.sqrt(k2 - x * x)

    def outer(t, power):
        x = mp.sqrt(k2 - (k2 - h2) * mp.sin(t) ** 2)
        return harmonic(h2, k2, n, p, x) ** 2 * x ** (power - 1)
    parts = [mp.pi / 2 * i / 6 for i in range(7)]
    a, b, c, d = (mp.quad(lambda t: f(t, k), parts) for f in (inner, outer) for k in (0, 2))
    return 8 * (a * d - b * c)


def ellipsoids(count, degrees, far=None):
    for _ in range(count):
        k2 = draw.choice([1.0, 8.0, draw.uniform(0.1, 20), 10 ** draw.uniform(-3, 4)])
        h2 = k2 * draw.choice([0.5, draw.random(), draw.random(), 0.01, 0.99])
        n = draw.choice(degrees)
        x = (h2, k2, float(n), float(draw.randint(1, 2 * n + 1)))
        if far is not None:
            k, h = k2 ** 0.5, h2 ** 0.5
            x += (draw.choice([draw.uniform(0, h), draw.uniform(h, k), draw.uniform(k, 2 * k), draw.uniform(1, 30) * k])
                  * draw.choice([1, 1, -1]) if not far else
                  k * draw.choice([1.001, 1.1, draw.uniform(1, 2), draw.uniform(1, 30)]),)
        yield x


VALUES = {
    "assoc_legendre_q": (second, [(*degrees(100), x()) for x in (places, plane) for _ in range(150)]),
    "pbdn": (cylinder, [(float(draw.choice([0, 1, 2, 3, 7, 20, 55, 100])),
                         complex(mp.expj(draw.uniform(-3.15, 3.15)) * s))
                        for s in (0.01, 0.3, 1.0, 2.5, 6.0, 11.0, 25.0) for _ in range(12)]),
    "lame_harmonic": (harmonic, list(ellipsoids(250, [0, 1, 2, 3, 4, 5, 7, 10, 17, 30, 50], False))),
    "ellip_harm_2": (second_harmonic, list(ellipsoids(50, [0, 1, 2, 3, 5, 8, 15, 30], True))),
    "ellip_normal": (constant, list(ellipsoids(30, [0, 1, 2, 3, 5, 8, 15, 30]))),
}


def line(name, f, x):
    with mp.workdps(90 if "l" in name else 60):
        v = f(*(mpc(z) if isinstance(z, complex) else mpf(z) for z in x))
        v = v if isinstance(v, list) else [v]
        if isinstance(x[-1], complex):
            v = [part for z in v for part in (mp.re(z), mp.im(z))]
        if not all(abs(p) < 1e300 for p in v) or max(map(abs, v)) < 1e-280:
            return None
        words = [name, *(float(p).hex() for z in x for p in ((z.real, z.imag) if isinstance(z, complex) else (z,)))]
        return " ".join(words + [mp.nstr(p, 20) for p in v])


def main(names):
    kept = []
    if names and FILE.exists():
        kept = [text for text in FILE.read_text().splitlines() if text.split()[0] not in names]
    made = [line(name, VALUES[name][0], x) for name in names or VALUES for x in VALUES[name][1]]
    FILE.write_text("\n".join(sorted(kept + [t for t in made if t], key=lambda text: text.split()[0])) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
