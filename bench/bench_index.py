"""Indexing, manipulation and small arrays: integer and mask indexing, concatenation, repetition, transposition, bits.

Each line of CASES is measured at every size n of its own. Floors are bytes that must move once; a random access to an
array larger than the caches moves a line of LINE bytes (a write moves it twice). Small sizes have no meaningful floor:
call overhead dominates.
"""
import types

import numpy as np

from common import Case

LINE = 64
ALL = (1, 100, 10**4, 10**7)
BIG = (10**4, 10**7)


def data(rng, n):
    """The statements' names: x and y float32, i random indices, ten to the power m elements cut into rows."""
    d = types.SimpleNamespace(n=n)
    d.x, d.y = rng.standard_normal(n, dtype="f4"), rng.standard_normal(n, dtype="f4")
    d.v = d.y.copy()
    d.i = rng.integers(0, n, n)
    d.s = np.sort(d.i)
    d.m = rng.random(n) < 0.5
    d.few = rng.random(n) < 0.01
    d.c = rng.integers(0, 3, n)
    d.z = rng.standard_normal(n, dtype="f4")
    side = max(1, int(n**0.5))
    d.a = rng.standard_normal((side, side), dtype="f4")
    d.b = rng.standard_normal((side, side), dtype="f4")
    d.rows = rng.integers(0, side, side)
    d.wide = rng.integers(0, side, (side, side))
    d.half = rng.standard_normal((max(1, side // 2), side), dtype="f4")
    d.bits = (rng.random(n) < 0.5).astype("u1")
    d.bools = d.bits.astype(bool)
    d.bytes = rng.integers(0, 256, n).astype("u1")
    d.order = np.sort(d.x)
    d.some = rng.integers(0, n, max(1, n // 100))
    d.ints = rng.integers(0, 10 * n, n)
    return d


def fetched(n, size=4):
    """Bytes moved by n random reads of n elements: elements where the cache holds them, else lines."""
    return n * (LINE if n * size > 2**25 else size)


# name, sizes, statement (xp: the library), PyTorch's (T) or None where it has none, bytes that must move
CASES = [
    ("x.take(i)", ALL, "x.take(i)", "x.take(i)", lambda n: 12 * n + fetched(n)),
    ("x[i]", ALL, "x[i]", "x[i]", lambda n: 12 * n + fetched(n)),
    ("x[sorted i]", BIG, "x[s]", "x[s]", lambda n: 16 * n),
    ("x[i] = y", ALL, "v[i] = y", "v[i] = y", lambda n: 12 * n + 2 * fetched(n)),
    ("x[i] = 1", ALL, "v[i] = 1", "v[i] = 1", lambda n: 8 * n + 2 * fetched(n)),
    ("put(x, i, y)", ALL, "xp.put(v, i, y)", "v.put_(i, y)", lambda n: 12 * n + 2 * fetched(n)),
    ("a[rows]", ALL, "a[rows]", "a[rows]", lambda n: 8 * n),
    ("a[:, rows]", ALL, "a[:, rows]", "a[:, rows]", lambda n: 8 * n),
    ("a[rows] = b", ALL, "a[rows] = b", "a[rows] = b", lambda n: 8 * n),
    ("take(a, rows, 1)", BIG, "xp.take(a, rows, axis=1)", "T.index_select(a, 1, rows)", lambda n: 8 * n),
    ("x[mask]", ALL, "x[m]", "x[m]", lambda n: 7 * n),
    ("x[few]", BIG, "x[few]", "x[few]", lambda n: n),
    ("x[mask] = 1", ALL, "v[m] = 1", "v[m] = 1", lambda n: 9 * n),
    ("x[mask] = y[mask]", ALL, "v[m] = y[m]", "v[m] = y[m]", lambda n: 16 * n),
    ("nonzero(mask)", ALL, "xp.nonzero(m)", "T.nonzero(m)", lambda n: 5 * n),
    ("choose(c, three)", ALL, "xp.choose(c, [x, y, z])", None, lambda n: 24 * n),
    ("where(m, x, y)", ALL, "xp.where(m, x, y)", "T.where(m, x, y)", lambda n: 13 * n),
    ("where(m, x, 1)", ALL, "xp.where(m, x, 1)", "T.where(m, x, 1)", lambda n: 9 * n),
    ("place(x, m, y)", ALL, "xp.place(v, m, y)", "v.masked_scatter_(m, y)", lambda n: 9 * n),
    ("putmask(x, m, y)", ALL, "xp.putmask(v, m, y)", None, lambda n: 13 * n),
    ("copyto(x, y, where=m)", ALL, "xp.copyto(v, y, where=m)", None, lambda n: 13 * n),
    ("extract(m, x)", BIG, "xp.extract(m, x)", "T.masked_select(x, m)", lambda n: 7 * n),
    ("compress(m, x)", BIG, "xp.compress(m, x)", None, lambda n: 7 * n),
    ("select([m, few], [x, y], 0)", ALL, "xp.select([m, few], [x, y], 0)", None, lambda n: 14 * n),
    ("take_along_axis(a, wide, 1)", ALL, "xp.take_along_axis(a, wide, 1)", "T.take_along_dim(a, wide, 1)",
     lambda n: 16 * n),
    ("take_along_axis(a, wide, 0)", BIG, "xp.take_along_axis(a, wide, 0)", "T.take_along_dim(a, wide, 0)",
     lambda n: 16 * n),
    ("put_along_axis(a, wide, b, 1)", ALL, "xp.put_along_axis(a, wide, b, 1)", "a.scatter_(1, wide, b)",
     lambda n: 20 * n),
    ("searchsorted(order, x)", ALL, "xp.searchsorted(order, x)", "T.searchsorted(order, x)",
     lambda n: 12 * n + fetched(n)),
    ("searchsorted(order, sorted)", BIG, "xp.searchsorted(order, order)", "T.searchsorted(order, order)",
     lambda n: 16 * n),
    ("isin(i, some)", ALL, "xp.isin(i, some)", "T.isin(i, some)", lambda n: 9 * n),
    ("unique(ints)", ALL, "xp.unique(ints)", "T.unique(ints)", lambda n: 16 * n),
    ("flatnonzero(bits)", BIG, "xp.flatnonzero(bits)", None, lambda n: 5 * n),
    ("concatenate 2", ALL, "xp.concatenate((x, y))", "T.cat((x, y))", lambda n: 16 * n),
    ("concatenate 2, axis 1", ALL, "xp.concatenate((a, b), axis=1)", "T.cat((a, b), dim=1)", lambda n: 16 * n),
    ("stack 2", ALL, "xp.stack((x, y))", "T.stack((x, y))", lambda n: 16 * n),
    ("stack 2, axis 1", ALL, "xp.stack((x, y), axis=1)", "T.stack((x, y), dim=1)", lambda n: 16 * n),
    ("vstack", ALL, "xp.vstack((a, half))", "T.vstack((a, half))", lambda n: 12 * n),
    ("hstack", ALL, "xp.hstack((a, b))", "T.hstack((a, b))", lambda n: 16 * n),
    ("tile(x, 2)", ALL, "xp.tile(x, 2)", "T.tile(x, (2,))", lambda n: 12 * n),
    ("tile(a, (2, 2))", ALL, "xp.tile(a, (2, 2))", "T.tile(a, (2, 2))", lambda n: 20 * n),
    ("repeat(x, 3)", ALL, "xp.repeat(x, 3)", "T.repeat_interleave(x, 3)", lambda n: 16 * n),
    ("repeat(a, 2, axis 0)", ALL, "xp.repeat(a, 2, axis=0)", "T.repeat_interleave(a, 2, dim=0)", lambda n: 12 * n),
    ("repeat(x, c)", ALL, "xp.repeat(x, c)", "T.repeat_interleave(x, c)", lambda n: 16 * n),
    ("roll(x, 3)", ALL, "xp.roll(x, 3)", "T.roll(x, 3)", lambda n: 8 * n),
    ("roll(a, 3, axis 1)", ALL, "xp.roll(a, 3, axis=1)", "T.roll(a, 3, 1)", lambda n: 8 * n),
    ("roll(a, (3, 5), (0, 1))", BIG, "xp.roll(a, (3, 5), (0, 1))", "T.roll(a, (3, 5), (0, 1))", lambda n: 8 * n),
    ("pad(a, 3)", ALL, "xp.pad(a, 3)", "T.nn.functional.pad(a, (3, 3, 3, 3))", lambda n: 8 * n),
    ("pad(a, 3, edge)", BIG, "xp.pad(a, 3, 'edge')",
     "T.nn.functional.pad(a[None], (3, 3, 3, 3), 'replicate')", lambda n: 8 * n),
    ("pad(a, 3, reflect)", (10**4, 10**7), "xp.pad(a, 3, 'reflect')",
     "T.nn.functional.pad(a[None], (3, 3, 3, 3), 'reflect')", lambda n: 8 * n),
    ("rot90(a).copy()", ALL, "xp.rot90(a).copy()", "T.rot90(a)", lambda n: 8 * n),
    ("flip(x).copy()", ALL, "xp.flip(x).copy()", "T.flip(x, (0,))", lambda n: 8 * n),
    ("flip(a, 1).copy()", BIG, "xp.flip(a, 1).copy()", "T.flip(a, (1,))", lambda n: 8 * n),
    ("a.T.copy()", ALL, "a.T.copy()", "a.T.clone(memory_format=T.contiguous_format)", lambda n: 8 * n),
    ("x[::2].copy()", BIG, "x[::2].copy()", "x[::2].clone()", lambda n: 6 * n),
    ("packbits(bits)", ALL, "xp.packbits(bits)", None, lambda n: 9 * n / 8),
    ("packbits(bools)", BIG, "xp.packbits(bools)", None, lambda n: 9 * n / 8),
    ("unpackbits(bytes)", ALL, "xp.unpackbits(bytes)", None, lambda n: 9 * n),
    ("diag(a)", ALL, "xp.diag(a)", "T.diag(a)", lambda n: 0),
    ("diagonal(a).copy()", ALL, "a.diagonal().copy()", "a.diagonal().clone()", lambda n: 0),
    ("tril(a)", ALL, "xp.tril(a)", "T.tril(a)", lambda n: 6 * n),
    ("triu(a)", BIG, "xp.triu(a)", "T.triu(a)", lambda n: 6 * n),
    ("insert(x, 0, 1)", ALL, "xp.insert(x, 0, 1)", None, lambda n: 8 * n),
    ("delete(x, 0)", ALL, "xp.delete(x, 0)", None, lambda n: 8 * n),
    ("append(x, y)", ALL, "xp.append(x, y)", None, lambda n: 16 * n),
    ("x.copy()", ALL, "x.copy()", "x.clone()", lambda n: 8 * n),
    ("x[:] = y", ALL, "v[:] = y", "v[:] = y", lambda n: 8 * n),
    ("x[:] = 1", ALL, "v[:] = 1", "v[:] = 1", lambda n: 4 * n),
    ("x.fill(1)", ALL, "v.fill(1)", "v.fill_(1)", lambda n: 4 * n),
    ("fill_diagonal(a, 1)", ALL, "xp.fill_diagonal(a, 1)", "a.fill_diagonal_(1)", lambda n: 0),
    ("argwhere(few)", BIG, "xp.argwhere(few)", "T.argwhere(few)", lambda n: n),
    ("ravel_multi_index", BIG, "xp.ravel_multi_index((wide, wide), a.shape)", None, lambda n: 24 * n),
    ("unravel_index(i, a.shape)", BIG, "xp.unravel_index(wide, a.shape)", "T.unravel_index(wide, a.shape)",
     lambda n: 24 * n),
]

# name, statement, setup (xp, np), PyTorch's two: calls that only have overhead
SMALL = [
    ("x[3]", "x[3]", "x = xp.arange(100.)", "x[3]", "x = T.arange(100., **new)"),
    ("x[-1]", "x[-1]", "x = xp.arange(100.)", "x[-1]", "x = T.arange(100., **new)"),
    ("x[1, 2]", "x[1, 2]", "x = xp.ones((10, 10))", "x[1, 2]", "x = T.ones((10, 10), **new)"),
    ("x[1]", "x[1]", "x = xp.ones((10, 10))", "x[1]", "x = T.ones((10, 10), **new)"),
    ("x[:, 1]", "x[:, 1]", "x = xp.ones((10, 10))", "x[:, 1]", "x = T.ones((10, 10), **new)"),
    ("x[..., None]", "x[..., None]", "x = xp.ones(10)", "x[..., None]", "x = T.ones(10, **new)"),
    ("x[1:3]", "x[1:3]", "x = xp.ones(10)", "x[1:3]", "x = T.ones(10, **new)"),
    ("x[::-1]", "x[::-1]", "x = xp.ones(10)", "x.flip(0)", "x = T.ones(10, **new)"),
    ("x[3] = 1", "x[3] = 1", "x = xp.ones(10)", "x[3] = 1", "x = T.ones(10, **new)"),
    ("x[3] = 1.5", "x[3] = 1.5", "x = xp.ones(10)", "x[3] = 1.5", "x = T.ones(10, **new)"),
    ("x[1, 2] = 1.5", "x[1, 2] = 1.5", "x = xp.ones((10, 10))", "x[1, 2] = 1.5", "x = T.ones((10, 10), **new)"),
    ("x[1:3] = 1", "x[1:3] = 1", "x = xp.ones(10)", "x[1:3] = 1", "x = T.ones(10, **new)"),
    ("x[1:3] = y", "x[1:3] = y", "x = xp.ones(10); y = xp.ones(2)", "x[1:3] = y",
     "x = T.ones(10, **new); y = T.ones(2, **new)"),
    ("x[:] = y", "x[:] = y", "x = xp.ones(10); y = xp.ones(10)", "x[:] = y",
     "x = T.ones(10, **new); y = T.ones(10, **new)"),
    ("x[[1, 2]]", "x[[1, 2]]", "x = xp.ones(10)", "x[[1, 2]]", "x = T.ones(10, **new)"),
    ("x.T", "x.T", "x = xp.ones((10, 3))", "x.T", "x = T.ones((10, 3), **new)"),
    ("x.reshape(-1)", "x.reshape(-1)", "x = xp.ones((10, 3))", "x.reshape(-1)", "x = T.ones((10, 3), **new)"),
    ("x.ravel()", "x.ravel()", "x = xp.ones((10, 3))", "x.ravel()", "x = T.ones((10, 3), **new)"),
    ("for e in x", "for e in x: pass", "x = xp.ones(10)", "for e in x: pass", "x = T.ones(10, **new)"),
    ("len(x)", "len(x)", "x = xp.ones(10)", "len(x)", "x = T.ones(10, **new)"),
    ("x.item()", "x.item()", "x = xp.ones(())", "x.item()", "x = T.ones((), **new)"),
    ("float(x[3])", "float(x[3])", "x = xp.ones(10)", "float(x[3])", "x = T.ones(10, **new)"),
    ("x.tolist()", "x.tolist()", "x = xp.ones(10)", "x.tolist()", "x = T.ones(10, **new)"),
    ("asarray(list of 3)", "xp.asarray([1., 2., 3.])", "pass", "T.tensor([1., 2., 3.], **new)", "pass"),
    ("expand_dims(x, 0)", "xp.expand_dims(x, 0)", "x = xp.ones(10)", "T.unsqueeze(x, 0)", "x = T.ones(10, **new)"),
    ("squeeze(x)", "xp.squeeze(x)", "x = xp.ones((1, 10))", "T.squeeze(x)", "x = T.ones((1, 10), **new)"),
    ("broadcast_to(x, (3, 10))", "xp.broadcast_to(x, (3, 10))", "x = xp.ones(10)", "T.broadcast_to(x, (3, 10))",
     "x = T.ones(10, **new)"),
    ("swapaxes(x, 0, 1)", "xp.swapaxes(x, 0, 1)", "x = xp.ones((3, 10))", "T.swapaxes(x, 0, 1)",
     "x = T.ones((3, 10), **new)"),
    ("moveaxis(x, 0, 1)", "xp.moveaxis(x, 0, 1)", "x = xp.ones((3, 10))", "T.moveaxis(x, 0, 1)",
     "x = T.ones((3, 10), **new)"),
    ("flip(x)", "xp.flip(x)", "x = xp.ones(10)", "T.flip(x, (0,))", "x = T.ones(10, **new)"),
    ("split(x, 2)", "xp.split(x, 2)", "x = xp.ones(10)", "T.tensor_split(x, 2)", "x = T.ones(10, **new)"),
    ("ix_(x, x)", "xp.ix_(x, x)", "x = xp.arange(3)", None, None),
    ("from_dlpack(x)", "xp.from_dlpack(x)",
     "import numpy; x = numpy.ones(10) if xp.__name__ != 'cupy' else xp.ones(10)", "T.from_dlpack(x)",
     "import numpy; x = numpy.ones(10)"),
    ("repr(x) of 10", "repr(x)", "x = xp.ones(10)", "repr(x)", "x = T.ones(10, **new)"),
    ("repr(x) of 1e7", "repr(x)", "x = xp.ones(10**7)", "repr(x)", "x = T.ones(10**7, **new)"),
    ("save of 100", "xp.save(io.BytesIO(), x)", "import io; x = xp.ones(100)", "T.save(x, io.BytesIO())",
     "import io; x = T.ones(100, **new)"),
]


def call_of(statement, names, setup=""):
    """A function of no arguments whose body is the statement; `names` are its globals."""
    exec(setup, names)
    exec(f"def call():\n    {statement}", names)
    return names["call"]


def cases(b):
    xp = b.cupy if b.gpu else b.np
    rng = np.random.default_rng(7)
    new = {"dtype": b.torch.float64, "device": "cuda" if b.gpu else "cpu"} if b.torch is not None else {}
    for name, statement, setup, torch_statement, torch_setup in SMALL:
        peers = {}
        if xp is not None:
            peers |= b.array_peer(call_of(statement, {"xp": xp}, setup))
        if b.torch is not None and torch_statement:
            peers |= b.torch_peer(call_of(torch_statement, {"T": b.torch, "new": new}, torch_setup))
        yield Case(f"small {name}", call_of(statement, {"xp": b.cp}, setup), peers)
    for n in b.sizes(ALL):
        made = vars(data(rng, n))
        made.pop("n")
        ours = {k: b.ours(v.copy()) for k, v in made.items()}
        theirs = {k: b.theirs(v.copy()) for k, v in made.items()} if xp is not None else {}
        tensors = {k: b.tensor(v.copy()) for k, v in made.items()} if b.torch is not None else {}
        for name, sizes, statement, torch_statement, bytes in CASES:
            if n not in sizes:
                continue
            peers = {}
            if xp is not None:
                peers |= b.array_peer(call_of(statement, {"xp": xp, **theirs}))
            if b.torch is not None and torch_statement:
                peers |= b.torch_peer(call_of(torch_statement, {"T": b.torch, **tensors}))
            bar = 3 if n == 10**7 and name == "x.take(i)" and not b.gpu else 0
            yield Case(f"{name} {n:g}", call_of(statement, {"xp": b.cp, **ours}), peers,
                       bytes=bytes(n) if n >= 10**7 else 0, bar=bar, against="numpy" if bar else "")
