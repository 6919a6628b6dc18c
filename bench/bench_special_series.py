"""scipy.special: functions of two to four parameters whose values are series, integrals or solutions of differential
equations, of 2,000 float64 (200 where each takes up to a tenth of a millisecond)."""
import numpy as np

from bench_special import libraries
from common import Case

N = 2000
SLOW = {name: 200 for name in ("hyperu", "chndtrix", "ncfdtri", "nctdtrit")}


def arguments():
    """name: the arguments, in the range that a user has."""
    rng = np.random.default_rng(1)

    def of(low, high):
        return rng.uniform(low, high, N)
    x, wide, order, below = of(0.1, 20), of(-10, 10), of(0, 5), of(0.01, 0.99)
    a, b, c, z = of(0.5, 3), of(0.5, 3), of(3.5, 6), of(-3, 0.99)
    freedom, shift = of(1, 30), of(0.1, 10)
    rows = {name: (x,) for name in ("itj0y0", "it2j0y0", "iti0k0", "it2i0k0", "itstruve0", "it2struve0",
                                    "itmodstruve0")}
    rows |= {name: (order, x) for name in ("struve", "modstruve")}
    rows |= {name: (of(-4, 4), of(-4, 4)) for name in ("pbdv", "pbvv", "pbwa")}
    rows |= {"itairy": (wide,), "besselpoly": (a, order, b), "hyperu": (a, of(1, 5), x), "hyp0f1": (c, wide),
             "hyp1f1": (a, c, wide), "hyp2f1": (a, b, c, z), "wright_bessel": (a, b, x),
             "elliprc": (x, a), "elliprd": (x, a, b), "elliprf": (x, a, b), "elliprg": (x, a, b),
             "elliprj": (x, a, b, c), "chndtr": (x, freedom, shift), "chndtrix": (below, freedom, shift),
             "ncfdtr": (freedom, c, shift, a), "ncfdtri": (freedom, c, shift, below),
             "nctdtr": (freedom, a, of(-2, 6)), "nctdtrit": (freedom, a, below)}
    one, two, half, beyond = np.ones(N), np.full(N, 2.0), of(-0.9, 0.9), of(1.1, 4)
    rows |= {"mathieu_a": (two, x), "mathieu_cem": (two, np.full(N, 5.0), of(0, 360)),
             "mathieu_modcem2": (two, np.full(N, 5.0), a), "pro_ang1": (one, two, one, half),
             "pro_rad1": (one, two, one, beyond), "pro_rad2": (one, two, one, beyond),
             "obl_rad2": (one, two, one, beyond)}  # of one c: SciPy's search does not end for some others
    turned = z + 1j * of(-3, 3)
    complex_rows = {"hyp1f1": (a, c, turned), "hyp2f1": (a, b, c, turned)}
    return rows, complex_rows


def cases(b):
    cp = b.cp
    ours, (xp, theirs) = cp.scipy.special, libraries(b)
    rows, complex_rows = arguments()

    def case(name, values, label):
        values = [v[:SLOW.get(name, N)] for v in values]
        mine = [cp.asarray(v) for v in values]
        others = {}
        if xp is not None and hasattr(theirs, name):
            there = [xp.asarray(v) for v in values]
            others = b.array_peer(lambda: getattr(theirs, name)(*there))
        return Case(label, lambda: getattr(ours, name)(*mine), others, bytes=sum(v.nbytes for v in values) * 1.5,
                    bar=1, against="cupy" if b.gpu else "numpy")
    for name, values in rows.items():
        yield case(name, values, name)
    for name, values in complex_rows.items():
        yield case(name, values, name + " of complex numbers")
