#!/usr/bin/env python3
"""Writes tests/python/special_complex_values.txt: values of the special functions of complex numbers, with 20 digits.

A line is NAME, the arguments as hexadecimal floats, two of a complex number, and the parts of the values.
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
#: where the angle of exp(-z^2) has lost its places, and where it overflows
TURNED = [complex(-128902.98990908962, 128902.99016689563), complex(6353292.21347084, 6353292.213470827),
          complex(-45791.376226598644, 45791.376318181414), complex(-2.5e9, 2.5e9), complex(6e7, 60000000.00000075)]
EDGES = [complex(-15.659743592125366, 30.954078441007155), complex(11.853147813098236, 29.1)]
FAR = drawn(50, 45, near=(1, 1.25, 4, 40))
RADII = (2, 2.01, 10, 14, 25, 60)
VALUES = {
    "wofz": (w, ERRORS + TURNED), "erf": (mp.erf, ERRORS + TURNED), "erfi": (mp.erfi, ERRORS + TURNED),
    "erfc": (mp.erfc, ERRORS + TURNED + EDGES),
    "erfcx": (lambda z: mp.exp(z * z) * mp.erfc(z), ERRORS),
    "dawsn": (lambda z: mp.sqrt(mp.pi) / 2 * mp.exp(-z * z) * mp.erfi(z), ERRORS + TURNED),
    "ndtr": (ndtr, ERRORS + TURNED),
    "log_ndtr": (lambda z: mp.log(ndtr(z)), ERRORS + [4.684281303913824 + 5.20168325312139j,
                                                      4.944797715892729 + 4.94479772578j]),
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


def omega(z):
    with mp.workdps(120 + int(abs(z.real))):
        return mp.lambertw(mp.exp(z), int(mp.ceil((mp.im(z) - mp.pi) / (2 * mp.pi))))


def right(n):
    """Numbers right of the imaginary axis."""
    return [complex(abs(z.real), z.imag) for z in drawn(n, 100)]


def groups(n, *of):
    """Arguments of functions of several: each from its own."""
    return [tuple(draw.choice(v) for v in of) for _ in range(n)]


def above(f):
    """With a real number beyond 1 on the upper side of the cut, where mpmath has the lower."""
    return lambda *x: mp.conj(f(*x)) if x[-1].imag == 0 else f(*x)


PLANE, REALS = drawn(60, 50), [draw.uniform(-9, 9) for _ in range(20)] + [0.5, 1.0, 2.0, -1.5, 3.0, 1e-3]
DEGREES, SHAPES = [0.0, 1.0, 2.0, 5.0, 13.0, 40.0, 2.5, 7.75, -0.25], [-0.5, 0.25, 2.0]
AROUND_1 = drawn(60, 3, near=(0.5, 0.75, 1, 1.25)) + drawn(20, 1e3) + [1 + 1e-3j, 1.001 - 1e-6j, 1.5 + 0j, 30 + 0j]
SMALL = drawn(40, 2, near=(1,))
NEAR_MINUS_1 = [-1 + 1e-8j, -1.002 + 1e-5j, -0.9982 - 3e-4j]  # of degrees that are not whole
WHOLE_DIFFERENCES = [(a, b, a + b + m, z) for a, b, m in ((-4.375, -4.5, -4), (-2.25, -4.625, -3), (0.375, 1.25, 2),
                                                           (1.125, 2.25, 0), (2.375, 1.25, -2))
                     for z in (1.125 - 0.1j, 1.0625 + 0.2j, 0.9 + 0.3j)]
VALUES |= {
    "wrightomega": (omega, [complex(draw.uniform(-8, 8), draw.uniform(-12, 12)) for _ in range(40)] +
                    [complex(draw.uniform(-6, -0.8), s * (math.pi + d)) for s in (1, -1)
                     for d in (-1e-9, 1e-9, 1e-3, -1e-3, 0.3)] + drawn(20, 300)),
    "elliprc": (mp.elliprc, groups(40, PLANE, PLANE)), "elliprf": (mp.elliprf, groups(40, PLANE, PLANE, PLANE)),
    "elliprd": (mp.elliprd, groups(40, PLANE, PLANE, PLANE)), "elliprg": (mp.elliprg, groups(40, PLANE, PLANE, PLANE)),
    "elliprj": (mp.elliprj, groups(40, right(20), right(20), right(20), right(20))),
    "hyp1f1": (mp.hyp1f1, groups(80, REALS, REALS, drawn(60, 120, near=(30, 60)))),
    "hyp2f1": (above(mp.hyp2f1), groups(120, REALS, REALS, REALS, AROUND_1) + WHOLE_DIFFERENCES),
    "eval_jacobi": (mp.jacobi, groups(40, DEGREES, SHAPES, SHAPES, SMALL) +
                    [(v, 0.3, b, z) for v in (0.3, 2.7) for b in (-0.4, 0.0, 0.25, 1.0) for z in NEAR_MINUS_1]),
    "eval_legendre": (mp.legendre, groups(40, DEGREES, SMALL) + [(v, z) for v in (0.3, 7.33) for z in NEAR_MINUS_1]),
    "eval_chebyt": (mp.chebyt, groups(40, DEGREES, SMALL) + [(v, z) for v in (0.3, 7.33) for z in NEAR_MINUS_1]),
    "eval_chebyu": (mp.chebyu, groups(40, DEGREES, SMALL)),
    "eval_gegenbauer": (mp.gegenbauer, groups(40, DEGREES, [0.25, 1.5, 3.0], SMALL)),
    "eval_genlaguerre": (mp.laguerre, groups(40, DEGREES, SHAPES, drawn(30, 9))),
}


#: in the critical strip, near zeros, of large imaginary parts
STRIP = [complex(draw.uniform(0, 1), draw.uniform(-60, 60)) for _ in range(20)] + \
    [complex(0.5, t) for t in (14.134725141734694, -21.022, 30.4248761258595, 999.5, -1000.5, 4321.25, 123456.75)] + \
    [complex(draw.uniform(-3, 4), s * 10 ** draw.uniform(2, 4.5)) for s in (1, -1) for _ in range(10)]
VALUES["riemann_zeta"] = (mp.zeta, STRIP + [1 + z for z in drawn(10, 1, 1e-12)] + drawn(40, 60, near=(1, 8, 30)) +
                          [complex(-2 * k, s) for k in (1, 5, 40) for s in (1e-9, 0.25, -7.999, 8.001)] +
                          [complex(draw.uniform(-250, -20), draw.uniform(-60, 60)) for _ in range(15)] +
                          [complex(draw.uniform(5, 80), draw.uniform(-3e4, 3e4)) for _ in range(10)] +
                          [complex(1, 1e-300), complex(1e-300, 1e-5), complex(-1e-20, 3.0)] +
                          [cmath.rect(10.0**e, a) for e in (-30, -18, -10, -6, -3, -1) for a in (1.7, 2.5, -3.1)] +
                          [complex(-0.5 - d, t) for d in (0, 1e-15) for t in (1e-3, 3.0, -40.0, 1e4)])


def line(name, f, x):
    x = x if isinstance(x, tuple) else (x,)
    with mp.workdps(60):
        v = f(*(mpc(z) if isinstance(z, complex) else mpf(z) for z in x))
    parts = [part for u in (v if isinstance(v, list) else [v]) for part in (mp.re(u), mp.im(u))]
    if not all(1e-290 < abs(p) < 1e300 for p in parts):  # as the differences of its test are numbers
        return None
    words = [name, *(float(p).hex() for z in x for p in ((z.real, z.imag) if isinstance(z, complex) else (z,)))]
    return " ".join(words + [mp.nstr(v, 20) for v in parts])

def main(names):
    kept = []
    if names and FILE.exists():
        kept = [text for text in FILE.read_text().splitlines() if text.split()[0] not in names]
    made = [line(name, VALUES[name][0], x) for name in names or VALUES for x in VALUES[name][1]]
    FILE.write_text("\n".join(sorted(kept + [t for t in made if t], key=lambda text: text.split()[0])) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
