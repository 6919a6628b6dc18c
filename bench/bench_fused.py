"""Fused expressions: strings of three to five operations against the same operations one by one, NumPy and numexpr."""
import numpy as np

from common import Case

TEXTS = {"sin(x)+cos(x)/sqrt(y)": "function", "a*x+y*y-1": "memory", "where(x>y, a*x, y)": "memory"}


def cases(b):
    cp, gpu = b.cp, b.gpu
    try:
        import numexpr
    except ImportError:
        numexpr = None
    rng = np.random.default_rng(1)
    for text, bound in TEXTS.items():
        code = compile(text, text, "eval")
        for dtype in ("f4", "f8"):
            for n in (10**3, 10**5, 10**7):
                x, y = rng.random(n).astype(dtype) + np.dtype(dtype).type(0.1), rng.random(n).astype(dtype)
                y += np.dtype(dtype).type(0.1)
                mine, other = [b.ours(v) for v in (x, y)], [b.theirs(v) for v in (x, y)]
                xp = b.cupy if gpu else np

                def names(lib, values):
                    return {**{f: getattr(lib, f) for f in ("sin", "cos", "sqrt", "where")}, "a": 2.0, "x": values[0],
                            "y": values[1]}
                ours = cp._core._Fused(text, ["a", "x", "y"])
                own, theirs, plain = names(cp, mine), xp and names(xp, other), {"a": 2.0, "x": x, "y": y}
                peers = {"ours unfused": lambda code=code, own=own: eval(code, own)}  # noqa: S307
                if xp is not None:
                    peers.update(b.array_peer(lambda code=code, theirs=theirs: eval(code, theirs)))  # noqa: S307
                if numexpr and not gpu:
                    peers["numexpr"] = lambda text=text, plain=plain: numexpr.evaluate(text, plain)
                yield Case(f"{text} {n:.0e} {x.dtype}", lambda ours=ours, mine=mine: ours(2.0, *mine), peers,
                           bytes=3 * x.nbytes if bound == "memory" else 0, bar=1, against="ours unfused")
