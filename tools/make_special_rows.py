#!/usr/bin/env python3
"""Writes src/array/elementwise/cells_*.h: tables of cells whose coefficients stand beside each other, for the CPU's
vectors (elementwise_cells_simd.c). The scalar functions and the GPU read the same functions by power
(make_special_tables.py, whose methods these are).

The rows of `Rows` are polynomials of the distance from an origin of the cell's own, its beginning; or, of functions
with zeros, a zero nearby, which then stands before the coefficients in two parts, else the middle.

Needs mpmath; run by hand after a change of ROWS.
"""
import sys

import make_special_tables as of
import mpmath as mp
from mpmath import mpf

FOLDER = of.FOLDER.parent.parent / "array" / "elementwise"


def zeros_of(f, guesses):
    return [mp.findroot(f, g) for g in guesses]


def j(order):
    return lambda x: mp.besselj(order, x)


def y(order):
    return lambda x: mp.bessely(order, x)


def moved(c, width, by):
    """The coefficients c of powers of (x - middle) / width, in powers of x - (middle + by)."""
    c = [v / width ** i for i, v in enumerate(c)]
    for i in range(len(c)):
        for k in range(len(c) - 2, i - 1, -1):
            c[k] += c[k + 1] * by
    return c


class Rows:
    """f on cells (from, to). zeros: those of f, in two parts before the coefficients, of which each serves the cells
    that it is in or next to. size(x): what errors are relative to, if not to f."""

    def __init__(self, f, cells, zeros=None, size=None, most=26):
        self.f, self.cells, self.zeros, self.most = f, [tuple(map(mpf, c)) for c in cells], zeros, most
        self.size = size or (lambda x: abs(f(x)))

    def zero_near(self, a, b):
        near = [z for z in self.zeros or [] if a - (b - a) / 2 < z < b + (b - a) / 2]
        return near[0] if near else None

    def rows(self):
        kept, need = [], 0
        for a, b in self.cells:
            z = self.zero_near(a, b)
            g = self.f if z is None else lambda x, z=z: self.f(x) / (x - z)
            c = of.polynomial(g, (a + b) / 2, b - a, self.most)
            at = [a + (b - a) * i / 8 + (b - a) / 1000 for i in range(8)]
            scale = min(abs(g(x)) if z is not None else self.size(x) for x in at)
            n = self.most
            while n > 1 and mp.fsum(map(abs, c[n - 1:])) < scale * mpf(2) ** -55:
                n -= 1
            need = max(need, n + (z is not None))
            kept.append((a, b, z, c))
        need += need % 2  # two columns are read at once
        return [self.row(*cell, need) for cell in kept]

    def row(self, a, b, z, c, need):
        origin = a if self.zeros is None else (a + b) / 2 if z is None else z
        c = moved(of.monomials(c[:need - (z is not None)]), b - a, origin - (a + b) / 2)
        head = [] if self.zeros is None else [origin, origin - mpf(float(origin))]
        return [float(v) for v in head + ([mpf(0)] if z is not None else []) + c]


def even(first, last, per):
    return [(first + mpf(k) / per, first + mpf(k + 1) / per) for k in range((last - first) * per)]


def erf_part(x):
    """erf(x) / x - 1 below 1, then erf(x)."""
    return mp.erf(x) / x - 1 if x < 1 else mp.erf(x)


def inverse_part(t):
    """erfinv(y) / y of t = 1 - y; it goes on above 1."""
    if t == 1:
        return mp.sqrt(mp.pi) / 2
    y = 1 - t
    if abs(y) > mpf("0.99"):  # erfc(x) = t
        x = mp.findroot(lambda x: mp.log(mp.erfc(x) / t), mp.sqrt(-mp.log(t)))
        return x / y
    return mp.erfinv(y) / y


def oscillating(f):
    """What errors of Bessel functions are relative to."""
    return lambda x: mp.sqrt(2 / (mp.pi * x)) if x > 8 else abs(f(x))


SMALL = of.octaves(-4, 1, 8)  # up to 2
ROWS = {
    "gamma": ("The gamma function, its logarithm and digamma.", {
        "lgamma": Rows(lambda x: mp.loggamma(x).real, of.octaves(-4, 7, 8), [mpf(1), mpf(2)]),
        "gamma": Rows(lambda x: mp.gamma(x), even(1, 20, 4)),
        "digamma": Rows(lambda x: mp.digamma(x), of.octaves(0, 7, 8), [of.PSI_ZERO])}),
    "bessel": ("Bessel functions.", {
        **{f"{which.lower()}{order}": (lambda u, f=of.hankel(order, which): f(u * u), 0, "0.125", 4)
           for order in (0, 1) for which in "PQ"},
        "i0e": (lambda x: mp.exp(-x) * mp.besseli(0, x), 0, 8, 16)}),
    "bessel_j": ("Bessel functions of the first kind.", {
        "j0": Rows(j(0), even(0, 24, 4), zeros_of(j(0), (2.4, 5.5, 8.7)), oscillating(j(0))),
        "j1": Rows(j(1), even(0, 24, 4), [mpf(0)] + zeros_of(j(1), (3.8, 7.0)), oscillating(j(1)))}),
    "bessel_y": ("Bessel functions of the second kind.", {
        "y0": Rows(y(0), SMALL + even(2, 24, 4), zeros_of(y(0), (0.89, 3.96, 7.09)), oscillating(y(0))),
        "y1": Rows(y(1), SMALL + even(2, 24, 4), zeros_of(y(1), (2.2, 5.43, 8.6)), oscillating(y(1)))}),
    "normal": ("The error function, its relatives and its inverse.", {
        "erf": Rows(erf_part, even(0, 6, 16), size=lambda x: mpf(1)),
        "erfcx": Rows(lambda x: mp.exp((x - 1) ** 2) * mp.erfc(x - 1), of.octaves(0, 5, 8)),
        "erfinv": Rows(inverse_part, of.octaves(-14, 0, 8) + [(1, mpf(9) / 8)])}),
    "elliptic": ("The complete elliptic integrals, of 1 - m.", {
        "ellipk": Rows(lambda p: mp.ellipk(1 - p), of.octaves(-10, 1, 8)),
        "ellipe": Rows(lambda p: mp.ellipe(1 - p), of.octaves(-10, 1, 8))}),
}


def write(name):
    about, tables = ROWS[name]
    guard = f"CPI_CELLS_{name.upper()}_H"
    body = f"/* {about}\n * Made by tools/make_special_rows.py; not to be edited. */\n"
    body += f"#ifndef {guard}\n#define {guard}\n\n"
    body += '#include "scalar/special.h"\n\n'
    for key, spec in tables.items():
        if isinstance(spec, Rows):
            rows, (first, last) = spec.rows(), (spec.cells[0][0], spec.cells[-1][1])
            cells, n = len(rows), len(rows[0])
        else:
            f, first, last, cells = spec
            rows, n = of.table(f, mpf(first), mpf(last), cells)
        print(name, key, cells, "cells of", n, "numbers", flush=True)
        body += f"/* {first} to {last} */\n" + of.text(f"rows_{key}", rows)
    (FOLDER / f"cells_{name}.h").write_text(body + "\n#endif\n")


if __name__ == "__main__":
    for name in sys.argv[1:] or ROWS:
        write(name)
