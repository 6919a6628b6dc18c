"""Cases of products of matrices, linear algebra and transforms, for differential.py: products, matrices, transforms.

Products are of small numbers, whose sums have one answer but in float16; matrices are of integers with a heavy
diagonal, so no system is badly conditioned. Vectors that a matrix leaves open (of eigenvalues, of singular values) are
compared by type and shape here, and with the matrix in test_linalg.py."""
import math

import numpy as np

from differential import COMPLEX, FLOATS, REAL, TYPES, Array, Buffer, Case, alike, made

PRODUCTS = ["dot", ".dot", "vdot", "inner", "outer", "matmul", "op:matmul", "vecdot", "matvec", "vecmat", "tensordot",
            "kron", "cross", "trace", ".trace", "einsum", "convolve", "correlate", "linalg.matmul", "linalg.outer",
            "linalg.vecdot", "linalg.tensordot", "linalg.cross", "linalg.trace", "linalg.multi_dot"]
SUBSCRIPTS = {"ij,jk": 2, "ij,jk->ik": 2, "ij,ij": 2, "ii": 1, "ii->i": 1, "ij->ji": 1, "ij->": 1, "i,i": 2,
              "i,j->ij": 2, "...ij,...jk": 2, "ij...->j...": 1, "ijk,k->ij": 2, "bij,bjk->bik": 2, "i,ij,j": 3,
              "iij->j": 1}
WRONG_SUBSCRIPTS = {"ij,jk->il": 2, "ij->iij": 1, "i$": 1, "ij": 3, "": 1, "ij,j->": 1, "...->": 1}


def close(case, got, want):
    """ulps of what is summed, whose size is the operands'."""
    if got.dtype.kind not in "fc":
        return False
    size = 1.0
    for a in case.arrays():
        if a.dtype.kind in "biufc" and a.size:
            size *= max(1.0, float(np.max(abs(np.where(np.isfinite(a), a, 0)).astype("f8"))))
            size *= max(1.0, math.sqrt(a.size))
    eps = max(float(np.finfo(t).eps) for t in [got.dtype] + [a.dtype for a in case.arrays() if a.dtype.kind in "fc"])
    return bool(alike(got, want, eps * 32, eps * 32 * size).all())


def _fitting(r, name):
    """Shapes of two operands that a product takes, mostly."""
    n, k, m = (r.pick((1, 2, 3, 4, 7)) for _ in range(3))
    if r.chance(0.05):
        k = 0
    batch = r.pick(((), (), (2,), (1,), (3, 2)))
    other = r.broadcastable(batch)
    if name.endswith(("matmul", "dot")) and "vec" not in name and "vdot" not in name and "multi" not in name:
        pair = r.pick(((batch + (n, k), other + (k, m)), ((k,), (k, m)), ((n, k), (k,)), ((k,), (k,))))
    elif name == "matvec":
        pair = (batch + (n, k), other + (k,))
    elif name == "vecmat":
        pair = (batch + (k,), other + (k, m))
    elif name.endswith("vecdot") or name == "inner":
        pair = (batch + (k,), other + (k,))
    elif name.endswith("cross"):
        pair = (batch + (3,), other + (3,))
    elif name in ("convolve", "correlate"):
        pair = ((r.pick((1, 2, 5, 17)),), (r.pick((1, 2, 5)),))
    else:
        pair = ((n, k), (n, k)) if name == "vdot" else (r.shape(12, most_ndim=2), r.shape(12, most_ndim=2))
    if r.chance(0.04):                                       # wrong, mostly; then nothing else is
        return (pair[0], pair[1] + (2,), False) if r.chance(0.5) else (pair[1], pair[0], False)
    return (*pair, True)


def products(r):
    """dot, matmul, tensordot, einsum, kron, cross, trace, convolve and their like, also of linalg."""
    name = r.pick(PRODUCTS)
    char = r.pick(TYPES)
    other = char if r.chance(0.6) else r.pick(TYPES)
    o = {}
    if name.endswith("trace"):
        x = r.array(char, r.shape(60, least_ndim=0 if r.chance(0.03) else 2), "small")
        if r.chance(0.5):
            o["offset"] = r.pick((0, 1, -1, 5, -7))
        if r.chance(0.3) and "linalg" not in name:
            o["axis1"], o["axis2"] = r.pick(((0, 1), (1, 0), (-1, 0), (0, 0), (0, 5)))
        if r.chance(0.2):
            o["dtype"] = r.pick((float, "D", "f", "q", None))
        return Case(name, [x], o, close=close, about=name)
    if name == "einsum":
        return _einsum(r, char, other)
    if name == "tensordot" or name == "linalg.tensordot":
        k = r.pick((1, 2, 3))
        axes = r.pick((0, 1, 2, ((1,), (0,)), ([0], [0]), ((0, 1), (1, 0)), (0, 0), 5, ((0, 0), (0, 1))))
        return Case(name, [r.array(char, (2, k), "small"), r.array(
            other, r.pick(((k, 2), (2, k), (k, 2, 3))), "small")], {"axes": axes}, close=close, about=name)
    if name == "linalg.multi_dot":
        n = [r.pick((1, 2, 3, 5)) for _ in range(r.pick((2, 3, 4, 5)))]
        return Case(name, [[r.array(char, s, "small") for s in zip(n, n[1:])]], {}, close=lists, about=name)
    x, y, fits = _fitting(r, name)
    args = [r.array(char, x, "small"), r.array(other, y, "small")]
    if fits and r.chance(0.02) and not name.startswith("."):
        fits = False
        args[1] = r.pick((2, 2.5, None, "a", [1, 2], r.scalar()))
    if fits and name in ("convolve", "correlate") and r.chance(0.6):
        o["mode"] = r.pick(("full", "same", "valid")) if r.chance(0.97) else "bogus"
    if fits and name in ("matmul", "vecdot", "matvec", "vecmat"):
        if r.chance(0.15):
            o["dtype"] = r.pick((float, "D", "f", "q", "nonsense"))
        if r.chance(0.1):
            o["casting"] = r.pick(("no", "safe", "same_kind", "unsafe"))
    return Case(name, args, o, close=close, about=name)


def lists(case, got, want):
    """Of several factors in a list."""
    return close(Case(case.f, case.args[0]), got, want)


def _einsum(r, char, other):
    table = SUBSCRIPTS if r.chance(0.95) else WRONG_SUBSCRIPTS
    text = r.pick(tuple(table))
    extent = {c: r.pick((1, 2, 3)) for c in "ijkb"}
    terms = text.split("->")[0].split(",")
    args = []
    for n in range(table[text]):
        term = terms[n] if n < len(terms) else "ij"
        shape = [extent.get(c, 2) for c in term.replace("...", "")]
        if "..." in term:
            shape.insert(0 if term.startswith("...") else len(shape), 2)
        args.append(r.array(char if n == 0 else other, tuple(shape), "small"))
    o = {}
    if table is SUBSCRIPTS and r.chance(0.2):
        o["optimize"] = r.pick((True, False, "greedy", "optimal"))
    if len(args) > 1 and r.chance(0.1):                      # of one operand NumPy forgets it
        o["dtype"] = r.pick((float, "D"))
        o["casting"] = "unsafe"
    return Case("einsum", [text] + args, o, close=summed, about="einsum")


def summed(case, got, want):
    """Of operands after the subscripts string."""
    return close(Case(case.f, case.args[1:]), got, want)


# --- linear algebra ---

SQUARE = ["det", "slogdet", "inv", "cholesky", "eigvalsh", "eigh", "eigvals", "eig", "cond", "matrix_power", "solve",
          "tensorinv", "tensorsolve"]
ANY = ["norm", "matrix_norm", "vector_norm", "pinv", "matrix_rank", "svd", "svdvals", "qr", "lstsq", "matrix_transpose",
       "diagonal"]
OPEN = {"eigh", "eig", "eigvals", "svd", "qr"}               # what a matrix leaves open, or the order of eigenvalues


def matrix(r, char, batch, n, m):
    """Integers with a heavy diagonal: symmetric where it is square."""
    count = math.prod(batch)
    k = r.randrange(2**31)
    rng = np.random.default_rng(k)
    a = rng.integers(-3, 4, (count, n, m)).astype("f8")
    if n == m:
        a = (a + a.transpose(0, 2, 1)) / 2
        a = np.trunc(a) + 4 * n * np.eye(n)
    if char in "bBhHiIqQ?":
        a = abs(a)
    steps = (("reshape", (*batch, n, m)),)
    if r.chance(0.3):
        a, steps = a.transpose(0, 2, 1), (("reshape", (*batch, m, n)),
                                          ("transpose", (*range(len(batch)), len(batch) + 1, len(batch))))
    return Array(Buffer(a.astype(char).reshape(-1)), steps, (*batch, n, m), char)


def of_matrix(case, got, want):
    """ulps times the size and the (small) condition."""
    if got.dtype.kind not in "fc":
        return False
    eps = float(np.finfo(got.dtype).eps)
    if case.about == "cond":                                 # of a singular matrix: infinite, or about 1 / eps
        got, want = (np.where(v * eps > 0.01, np.inf, v) for v in (got, want))
    most = float(np.max(abs(np.where(np.isfinite(want), want, 0)), initial=0))
    return bool(alike(got, want, eps * 2000, eps * 2000 * max(most, 1e-300 if case.about == "inv" else 1)).all())


def matrices(r):
    """linalg's functions of matrices: det to tensorsolve, norms, ranks, factorizations."""
    name = r.pick(SQUARE + ANY)
    char = r.pick("ffddFDFDqib?e") if r.chance(0.9) else r.pick(TYPES)
    batch = r.pick(((), (), (), (2,), (3, 2), (0,)))
    n = r.pick((1, 2, 3, 4, 5, 0) if r.chance(0.2) else (1, 2, 3, 5))
    m = n if name in SQUARE and not r.chance(0.03) else r.pick((1, 2, 3, 5))
    o, more = {}, []
    if name in ("norm", "vector_norm", "matrix_norm"):
        shape = r.shape(60) if name != "matrix_norm" else (*batch, n, m)
        x = r.array(char, shape, r.pick(("small", "plain")))
        if r.chance(0.6):
            o["ord"] = r.pick((None, 1, 2, np.inf, -np.inf, -1, -2, 0, 3) if name != "matrix_norm" else
                              ("fro", "nuc", 1, 2, np.inf, -1, -2))
            if r.chance(0.03):
                o["ord"] = r.pick(("bogus", "fro", "nuc"))
        if name != "matrix_norm" and r.chance(0.5):
            o["axis"] = r.axis(len(shape))
        if o.get("ord", 0) is None and name == "vector_norm":
            del o["ord"]
        if r.chance(0.3):
            o["keepdims"] = r.chance(0.7)
        return Case(f"linalg.{name}", [x], o, close=close if o.get("ord") not in (-2, 2, "nuc", 3) else of_matrix,
                    about=name)
    x = matrix(r, char, batch, n, m)
    if r.chance(0.02):
        x = r.pick((r.array(char, (3,), "small"), r.array(char, (), "small"), 3, None, [[1, 2], [3, 4]]))
    if name == "matrix_power":
        more = [r.pick((0, 1, 2, 3, 5, -1, -2)) if r.chance(0.97) else r.pick((1.5, "a", None))]
    elif name == "solve":
        more = [r.array(r.pick((char, "d")), r.pick(((n,), (*batch, n, 2), (n, 1), (n + 1,))), "small")]
    elif name == "lstsq":
        batch, x = (), matrix(r, char, (), n + 2, n)
        more = [r.array(r.pick((char, "d")), r.pick(((n + 2,), (n + 2, 2))), "small")]
    elif name == "tensorinv":
        x, o = matrix(r, char, (), 4, 4), {"ind": r.pick((1, 1, 0))}
    elif name == "tensorsolve":
        x = matrix(r, char, (), 4, 4)
        more = [r.array(char, (4,), "small")]
    elif name == "qr" and r.chance(0.7):
        o["mode"] = r.pick(("reduced", "complete", "r", "raw")) if r.chance(0.97) else "bogus"
    elif name == "svd":
        o = {"full_matrices": r.chance(0.5), "compute_uv": r.chance(0.5)}
    elif name == "cond" and r.chance(0.5):
        o = {"p": r.pick((None, 1, 2, np.inf, "fro", -2))}
    elif name in ("eigh", "eigvalsh", "cholesky") and r.chance(0.3):
        o = {"UPLO": r.pick(("L", "U"))} if name != "cholesky" else {"upper": r.chance(0.5)}
    elif name == "diagonal" and r.chance(0.5):
        o = {"offset": r.pick((0, 1, -1, 7))}
    elif name == "pinv" and r.chance(0.2):
        o = {"hermitian": n == m}
    elif name == "matrix_rank" and r.chance(0.2):
        o = {"hermitian": n == m}
    return Case(f"linalg.{name}", [x, *more], o, values=name not in OPEN or name == "svd" and not o["compute_uv"],
                close=of_matrix, about=name)


# --- transforms ---

ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
MANY = ["fft2", "ifft2", "fftn", "ifftn", "rfft2", "irfft2", "rfftn", "irfftn"]


def transformed(case, got, want):
    """ulps of the largest element times the logarithm of the length."""
    if got.dtype.kind not in "fc":
        return False
    x = case.arrays()[0]
    most = float(np.max(abs(np.where(np.isfinite(x), x, 0)).astype("f8"), initial=0)) * max(x.size, 64)
    eps = max(float(np.finfo(t).eps) for t in (got.dtype, x.dtype) if t.kind in "fc")   # NumPy's 1 / n is float16 too
    return bool(alike(got, want, eps * 8, eps * 16 * most).all())


def transforms(r):
    """fft's transforms and their inverses along one axis and several, freqs and shifts."""
    name = r.pick(ONE + MANY + ["fftfreq", "rfftfreq", "fftshift", "ifftshift"])
    o = {}
    if name.endswith("freq"):
        args = [r.pick((1, 2, 5, 8, 33)) if r.chance(0.95) else r.pick((0, 2.5, "a", None))]
        if r.chance(0.5):
            o["d"] = r.pick((1, 0.5, 2.0, 3))
        return Case("fft." + name, args, o, close=close, about=name)
    x = r.array(r.pick(TYPES if r.chance(0.5) else "fdFD"), r.shape(200, least_ndim=0 if r.chance(0.02) else 1),
                r.pick(("small", "plain")))
    n = len(x.shape)
    if name.endswith("shift"):
        if r.chance(0.6):
            o["axes"] = r.axis(n)
        return Case("fft." + name, [x], o, about=name)
    if name in ONE:
        if r.chance(0.03):                                   # wrong, and nothing else is
            return Case("fft." + name, [x], {"n": r.pick((0, -1, 2.5))}, about=name)
        if r.chance(0.4):
            o["n"] = r.pick((1, 2, 3, 8, 17, 30))
        if r.chance(0.5) and n:
            o["axis"] = r.axis(n, tuples=False, wrong=0)
            if o["axis"] is None:
                o["axis"] = n + 3
                return Case("fft." + name, [x], o, about=name)
    else:
        if r.chance(0.3):
            axes = r.axis(n)
            if isinstance(axes, tuple):
                o["axes"] = axes
        if name.endswith("2") and n < 2 and "axes" not in o and r.chance(0.95):
            name = name[:-1] + "n"
        if r.chance(0.2) and "axes" in o:
            o["s"] = tuple(r.pick((1, 2, 5, 8)) for _ in o["axes"])
    if o.get("axes") != () and r.chance(0.3):
        o["norm"] = r.pick((None, "ortho", "forward", "backward")) if r.chance(0.97) else r.pick(("bogus", 3))
    return Case("fft." + name, [x], o, close=transformed, about=name)


FAMILIES = {"products": products, "matrices": matrices, "transforms": transforms}
