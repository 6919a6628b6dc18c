"""scipy.special: functions of 4 x 10^6 float64, and sums of exponentials along rows."""
import numpy as np

from common import Case

N = 4_000_000


def libraries(b):
    """(array library, its scipy.special) of the peer."""
    if b.gpu and not b.cupy:
        return None, None
    if b.gpu:
        from cupyx.scipy import special
        return b.cupy, special
    from scipy import special
    return np, special


def arguments():
    """name: the arguments, in the range that a user has."""
    rng = np.random.default_rng(1)
    wide, positive, unit = rng.uniform(-5, 5, N), rng.uniform(0.1, 20, N), rng.uniform(0.001, 0.999, N)
    a, b = rng.uniform(0.5, 10, N), rng.uniform(0.5, 10, N)
    one = {"gamma": positive, "gammaln": positive, "digamma": positive, "erf": wide, "erfinv": 2 * unit - 1,
           "ndtr": wide, "ndtri": unit, "j0": positive, "y1": positive, "i0e": positive, "k1": positive, "expit": wide,
           "logit": unit, "ellipk": unit, "exp1": positive, "entr": positive}
    rows = {name: (x,) for name, x in one.items()}
    rows |= {"gammainc": (a, positive), "betainc": (a, b, unit), "zeta": (a + 1, positive), "xlogy": (positive, unit)}
    sums = rng.normal(0, 1, (2000, 2000))
    return rows, sums


def cases(b):
    cp = b.cp
    ours, (xp, theirs) = cp.scipy.special, libraries(b)
    rows, sums = arguments()

    def case(name, values, size, **options):
        mine = [cp.asarray(v) for v in values]
        others = {}
        if xp is not None:
            there = [xp.asarray(v) for v in values]
            others = b.array_peer(lambda: getattr(theirs, name)(*there, **options))
        return Case(name, lambda: getattr(ours, name)(*mine, **options), others, bytes=8 * size,
                    bar=3 if b.gpu else 4, against="cupy" if b.gpu else "numpy")
    for name, values in rows.items():
        yield case(name, values, (len(values) + 1) * N)
    yield case("logsumexp", (sums,), sums.size, axis=1)
    yield case("softmax", (sums,), 2 * sums.size, axis=1)
