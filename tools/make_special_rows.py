#!/usr/bin/env python3
"""Writes src/array/elementwise/cells_*.h: tables of cells whose coefficients stand beside each other, for the CPU's
vectors (elementwise_cells_simd.c). The scalar functions and the GPU read the same functions by power
(make_special_tables.py, whose methods these are).

Needs mpmath; run by hand after a change of ROWS.
"""
import sys

import make_special_tables as of
import mpmath as mp
from mpmath import mpf

FOLDER = of.FOLDER.parent.parent / "array" / "elementwise"


def zeros_of(f, guesses):
    return [mp.findroot(f, g) for g in guesses]


def central(s):
    """ndtri(1/2 + q) / q of s = q^2."""
    q = mp.sqrt(s)
    return mp.sqrt(2) * mp.erfinv(2 * q) / q if q else mp.sqrt(2 * mp.pi)


def lgamma_part(x):
    d = (x - 1) * (x - 2)
    if d == 0:
        return mp.euler if x == 1 else 1 - mp.euler
    return mp.loggamma(x).real / d


def j(order):
    return lambda x: mp.besselj(order, x)


def y(order):
    return lambda x: mp.bessely(order, x)


ROWS = {
    "gamma": ("The gamma function, its logarithm and digamma.", {
        "lgamma": (lgamma_part, "0.5", 8, 30), "gamma": (lambda x: mp.gamma(x), 1, 20, 76),
        "digamma": (lambda x: mp.digamma(x) / (x - of.PSI_ZERO) if x != of.PSI_ZERO else mp.psi(1, x), 1, 8, 28)}),
    "bessel": ("Bessel functions.", {
        "j0": (j(0), 0, 8, 16, zeros_of(j(0), (2.4, 5.5))),
        "j1": (lambda x: mp.besselj(1, x) / x if x else mpf(1) / 2, 0, 8, 16, zeros_of(j(1), (3.8, 7.0))),
        "y0_middle": (y(0), "0.5", 2, 12, zeros_of(y(0), (0.89,))), "y1_middle": (y(1), "0.5", 2, 12, []),
        "y0": (y(0), 2, 8, 12, zeros_of(y(0), (3.96, 7.09))), "y1": (y(1), 2, 8, 12, zeros_of(y(1), (2.2, 5.43))),
        **{f"{which.lower()}{order}": (lambda u, f=of.hankel(order, which): f(u * u), 0, "0.125", 4)
           for order in (0, 1) for which in "PQ"},
        "i0e": (lambda x: mp.exp(-x) * mp.besseli(0, x), 0, 8, 16)}),
    "normal": ("The error function's relatives, and the complete elliptic integral.", {
        "erfcx": (lambda x: mp.exp(x * x) * mp.erfc(x), 0, 4, 16), "ndtri": (central, 0, "0.1875", 12),
        "ellipk": (lambda m: mp.ellipk(m), 0, "0.5", 16)}),
}


def write(name):
    about, tables = ROWS[name]
    guard = f"CPI_CELLS_{name.upper()}_H"
    body = f"/* {about}\n * Made by tools/make_special_rows.py; not to be edited. */\n"
    body += f"#ifndef {guard}\n#define {guard}\n\n"
    body += '#include "scalar/special.h"\n\n'
    for key, (f, first, last, cells, *more) in tables.items():
        rows, n = of.table(f, mpf(first), mpf(last), cells, *more)
        print(name, key, cells, "cells of", n, "coefficients", flush=True)
        body += f"/* {first} to {last} */\n" + of.text(f"rows_{key}", rows)
    (FOLDER / f"cells_{name}.h").write_text(body + "\n#endif\n")


if __name__ == "__main__":
    for name in sys.argv[1:] or ROWS:
        write(name)
