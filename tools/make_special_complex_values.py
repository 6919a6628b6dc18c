#!/usr/bin/env python3
"""Writes tests/python/special_complex_values.txt: values of the special functions of complex numbers, with 20 digits.

A line is NAME, the order where there is one, the argument's parts as hexadecimal floats, and the parts of the values.
Arguments lie on both sides of the axes and of the branch cuts, near 0, where functions change their method, and far
away. Needs mpmath; run by hand after a function was added: tools/make_special_complex_values.py [NAME...].
"""
import cmath
import math
import pathlib
import random
import sys

import mpmath as mp
from mpmath import mpc, mpf

FILE = pathlib.Path(__file__).resolve().parent.parent / "tests" / "python" / "special_complex_values.txt"
draw = random.Random(2)


def drawn(n, largest, smallest=1e-3, near=()):
    """Half of them of any angle, others near an axis or a diagonal, or of a modulus in `near`."""
    made = []
    for _ in range(n):
        r = draw.uniform(smallest, largest) if draw.random() < 0.5 else \
            math.exp(draw.uniform(math.log(smallest), math.log(largest)))
        if near and draw.random() < 0.4:
            r = draw.choice(near) * draw.choice((1 - 1e-9, 1 + 1e-9, 1.01))
        angle = draw.uniform(-math.pi, math.pi)
        if draw.random() < 0.4:
            angle = draw.randrange(-4, 5) * math.pi / 4 + draw.choice((1e-9, -1e-9, 1e-3, -1e-2))
        made.append(cmath.rect(r, angle))
    return made


def ordered(n, largest, near=()):
    orders = [0, 1, 2, 5, -1, -3, 0.5, -0.5, 1.5, 1 / 3, -2.25, 10.75, 25.5, 49.5, 50.5, 80, -60.25, 120.5]
    return [(draw.choice(orders), z) for z in drawn(n, largest, near=near)]


def w(z):
    return mp.exp(-z * z) * mp.erfc(-1j * z)


def ndtr(z):
    return mp.erfc(-z / mp.sqrt(2)) / 2


def scaled(f, exponent):
    return lambda v, z: f(v, z) * mp.exp(exponent(z))


def zeta(z):
    return 2 * z * mp.sqrt(z) / 3


def airy(z):
    return [mp.airyai(z), mp.airyai(z, derivative=1), mp.airybi(z), mp.airybi(z, derivative=1)]


def airye(z):
    up, down = mp.exp(zeta(z)), mp.exp(-abs(mp.re(zeta(z))))
    return [v * f for v, f in zip(airy(z), (up, up, down, down))]


ERRORS = drawn(50, 9, near=(1, 6.14)) + drawn(8, 26, 9)
FAR = drawn(50, 45, near=(1, 1.25, 4, 40))
RADII = (2, 2.01, 10, 14, 25, 60)
VALUES = {
    "wofz": (w, ERRORS), "erf": (mp.erf, ERRORS), "erfc": (mp.erfc, ERRORS), "erfi": (mp.erfi, ERRORS),
    "erfcx": (lambda z: mp.exp(z * z) * mp.erfc(z), ERRORS),
    "dawsn": (lambda z: mp.sqrt(mp.pi) / 2 * mp.exp(-z * z) * mp.erfi(z), ERRORS),
    "ndtr": (ndtr, ERRORS), "log_ndtr": (lambda z: mp.log(ndtr(z)), ERRORS),
    "exp1": (mp.e1, FAR), "expi": (mp.ei, FAR), "sici": (lambda z: [mp.si(z), mp.ci(z)], FAR),
    "shichi": (lambda z: [mp.shi(z), mp.chi(z)], FAR),
    "fresnel": (lambda z: [mp.fresnels(z), mp.fresnelc(z)], drawn(50, 12, near=(1.4142, 4))),
    "spence": (lambda z: mp.polylog(2, 1 - z), drawn(60, 20, near=(1, 0.5, 2))),
    "gamma": (mp.gamma, drawn(50, 25)), "rgamma": (mp.rgamma, drawn(50, 25)),
    "loggamma": (mp.loggamma, drawn(60, 40, near=(1, 2, 7))), "digamma": (mp.digamma, drawn(50, 30, near=(10,))),
    "jv": (mp.besselj, ordered(60, 60, RADII)), "yv": (mp.bessely, ordered(60, 60, RADII)),
    "iv": (mp.besseli, ordered(60, 60, RADII)), "kv": (mp.besselk, ordered(60, 60, RADII)),
    "hankel1": (mp.hankel1, ordered(60, 60, RADII)), "hankel2": (mp.hankel2, ordered(60, 60, RADII)),
    "jve": (scaled(mp.besselj, lambda z: -abs(mp.im(z))), ordered(30, 300)),
    "yve": (scaled(mp.bessely, lambda z: -abs(mp.im(z))), ordered(30, 300)),
    "ive": (scaled(mp.besseli, lambda z: -abs(mp.re(z))), ordered(30, 300)),
    "kve": (scaled(mp.besselk, lambda z: z), ordered(30, 300)),
    "hankel1e": (scaled(mp.hankel1, lambda z: -1j * z), ordered(30, 300)),
    "hankel2e": (scaled(mp.hankel2, lambda z: 1j * z), ordered(30, 300)),
    "airy": (airy, drawn(50, 30, near=(1, 2.08, 11.2))), "airye": (airye, drawn(30, 100, near=(1, 2.08, 11.2))),
    "lambertw": (lambda k, z: mp.lambertw(z, int(k)),
                 [(draw.choice((0, 0, -1, 1, 2, -3, 10)), z) for z in drawn(60, 20, near=(0.3679, 0.3, 1))]),
}


def line(name, f, x):
    order, z = x if isinstance(x, tuple) else (None, x)
    with mp.workdps(60):
        v = f(mpc(z)) if order is None else f(mpf(order), mpc(z))
    parts = [part for u in (v if isinstance(v, list) else [v]) for part in (mp.re(u), mp.im(u))]
    if not all(1e-290 < abs(p) < 1e300 for p in parts):  # as the differences of its test are numbers
        return None
    words = [name, *([] if order is None else [float(order).hex()]), z.real.hex(), z.imag.hex()]
    return " ".join(words + [mp.nstr(v, 20) for v in parts])


def main(names):
    kept = []
    if names and FILE.exists():
        kept = [text for text in FILE.read_text().splitlines() if text.split()[0] not in names]
    made = [line(name, VALUES[name][0], x) for name in names or VALUES for x in VALUES[name][1]]
    FILE.write_text("\n".join(sorted(kept + [t for t in made if t], key=lambda text: text.split()[0])) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
