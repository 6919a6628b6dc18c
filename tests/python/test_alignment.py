"""Alignment: operands that begin at any address, in every module, and views that a GPU could not read.

Kernels read several elements as one word where they may. They may not where an operand, or its rows, begin at
the second, third or sixth element of its memory. Results are NumPy's wherever operands and `out` lie. Numbers are
small and whole, so that every order of additions has one result."""
import numpy as np
import pytest

import cuprite as cp
from cuprite import _device
from oracle import as_numpy_does, outcome, raises

pytestmark = pytest.mark.device

TYPES = "?bBhHiIlLefdFD"
N = 1237                                                     # several vectors a thread, and a rest


def values(t, n, seed):
    rng = np.random.default_rng(seed)
    if t in "FD":
        return (rng.integers(-2, 3, n) + 1j * rng.integers(-2, 3, n)).astype(t)
    return rng.integers(0 if t in "?BHIL" else -2, 2 if t == "?" else 3, n).astype(t)


class Operands:
    """Arrays of one type of `xp`, each in memory of its own that begins `by` elements before it."""

    def __init__(self, xp, t, by):
        self.xp, self.t, self.by, self.made = xp, t, by, 0

    def line(self, n=N, t=None):
        self.made += 1
        return self.xp.array(values(t or self.t, n + 2 * self.by, self.made))[self.by:self.by + n]

    def table(self, rows=13, columns=67):
        """Rows that are `by` elements longer than what is seen of them."""
        self.made += 1
        base = values(self.t, rows * (columns + self.by) + self.by, self.made)
        return self.xp.array(base)[self.by:].reshape(rows, columns + self.by)[:, :columns]

    def places(self, n=200):
        self.made += 1
        host = np.random.default_rng(self.made).integers(0, N, n + self.by)
        return self.xp.array(host)[self.by:]


def stored(o, f):
    """What stands around a result that was stored into the middle of memory, and in it."""
    r = o.line(N + 16)
    f(r[3:3 + N])
    return r


CALLS = {
    "add": lambda xp, o: xp.add(o.line(), o.line()),
    "add a number": lambda xp, o: o.line() + 1,
    "add rows": lambda xp, o: o.table() + o.line(67),
    "add columns": lambda xp, o: o.table() + o.table()[:, :1],
    "add into": lambda xp, o: stored(o, lambda r: xp.add(o.line(), o.line(), out=r, casting="unsafe")),
    "add where": lambda xp, o: stored(o, lambda r: xp.add(o.line(), o.line(), out=r, where=o.line(t="?"))),
    "negative": lambda xp, o: xp.negative(o.line()),
    "abs": lambda xp, o: xp.abs(o.table()),
    "less": lambda xp, o: o.line() < o.line(),
    "equal": lambda xp, o: o.table() == o.table(),
    "bits": lambda xp, o: o.line() ^ o.line(),
    "logical_and": lambda xp, o: xp.logical_and(o.line(), o.line()),
    "minimum": lambda xp, o: xp.minimum(o.line(), o.line()),
    "clip": lambda xp, o: xp.clip(o.line(), 0, 1),
    "where": lambda xp, o: xp.where(o.line(t="?"), o.line(), o.line()),
    "isclose": lambda xp, o: xp.isclose(o.line(), o.line()),
    "isnan": lambda xp, o: xp.isnan(o.line()),
    "real": lambda xp, o: xp.real(o.line()) + 1,
    "imag": lambda xp, o: xp.imag(o.table()).copy(),
    "as float32": lambda xp, o: xp.real(o.line()).astype("f4"),
    "as int8": lambda xp, o: xp.real(o.line()).astype("i1"),
    "as complex128": lambda xp, o: o.line().astype("D"),
    "reduce": lambda xp, o: xp.add.reduce(o.table(), axis=1),
    "accumulate": lambda xp, o: xp.add.accumulate(o.line()),
    "reduceat": lambda xp, o: xp.add.reduceat(o.line(), [0, 5, 9, 1000]),
    "copy": lambda xp, o: o.line().copy(),
    "copy rows": lambda xp, o: o.table().copy(),
    "copy columns": lambda xp, o: o.table().T.copy(),
    "copy in F": lambda xp, o: o.table().copy("F"),
    "assign": lambda xp, o: stored(o, lambda r: r.__setitem__(Ellipsis, o.line())),
    "assign one": lambda xp, o: stored(o, lambda r: r.__setitem__(Ellipsis, 1)),
    "assign rows": lambda xp, o: stored(o, lambda r: r[:871].reshape(13, 67).__setitem__(Ellipsis, o.table())),
    "assign where": lambda xp, o: stored(o, lambda r: r.__setitem__(o.line(t="?"), 1)),
    "assign at": lambda xp, o: stored(o, lambda r: r.__setitem__(o.places(1), o.line(1))),
    "concatenate": lambda xp, o: xp.concatenate([o.line(), o.line(7), o.line()]),
    "stack": lambda xp, o: xp.stack([o.table(), o.table()], axis=-1),
    "roll": lambda xp, o: xp.roll(o.line(), 5),
    "flip": lambda xp, o: xp.flip(o.table()).copy(),
    "pad": lambda xp, o: xp.pad(o.table(), 3),
    "tile": lambda xp, o: xp.tile(o.table(), 2),
    "repeat": lambda xp, o: xp.repeat(o.table(), 3, axis=1),
    "triu": lambda xp, o: xp.triu(o.table()),
    "diagonal": lambda xp, o: o.table().diagonal().copy(),
    "diag": lambda xp, o: xp.diag(o.line(67)),
    "take": lambda xp, o: xp.take(o.line(), o.places()),
    "take rows": lambda xp, o: xp.take(o.table(), o.places() % 13, axis=0),
    "index": lambda xp, o: o.table()[:, o.places() % 67],
    "mask": lambda xp, o: o.line()[o.line(t="?")],
    "compress": lambda xp, o: xp.compress(o.line(67, "?"), o.table(), axis=1),
    "nonzero": lambda xp, o: xp.nonzero(o.table()),
    "take_along_axis": lambda xp, o: xp.take_along_axis(o.table(), (o.places(13) % 67)[:, None], 1),
    "choose": lambda xp, o: xp.choose(o.line(t="?").astype("i8"), [o.line(), o.line()]),
    "sort": lambda xp, o: xp.sort(o.line()),
    "sort rows": lambda xp, o: xp.sort(o.table(), axis=1),
    "sort columns": lambda xp, o: xp.sort(o.table(), axis=0),
    "argsort": lambda xp, o: xp.argsort(o.line(), kind="stable"),
    "lexsort": lambda xp, o: xp.lexsort((o.line(), o.line())),
    "partition": lambda xp, o: xp.partition(o.line(), 100)[100],
    "unique": lambda xp, o: xp.unique(o.line()),
    "searchsorted": lambda xp, o: xp.searchsorted(xp.sort(o.line()), o.line()),
    "isin": lambda xp, o: xp.isin(o.line(), o.line(3)),
    "median": lambda xp, o: xp.median(o.line()),
    "sum": lambda xp, o: o.line().sum(),
    "sum of rows": lambda xp, o: o.table().sum(axis=1),
    "sum of columns": lambda xp, o: o.table().sum(axis=0),
    "sum where": lambda xp, o: xp.sum(o.table(), where=o.line(67, "?")),
    "max": lambda xp, o: o.table().max(axis=1),
    "argmax": lambda xp, o: o.line().argmax(),
    "argmin of rows": lambda xp, o: o.table().argmin(axis=1),
    "any": lambda xp, o: o.table().any(axis=0),
    "count_nonzero": lambda xp, o: xp.count_nonzero(o.table(), axis=1),
    "nansum": lambda xp, o: xp.nansum(o.line()),
    "cumsum": lambda xp, o: xp.cumsum(o.line()),
    "cumsum of rows": lambda xp, o: xp.cumsum(o.table(), axis=1),
    "cumsum of columns": lambda xp, o: xp.cumsum(o.table(), axis=0),
    "diff": lambda xp, o: xp.diff(o.table()),
    "bincount": lambda xp, o: xp.bincount(o.line()),
    "histogram": lambda xp, o: xp.histogram(xp.real(o.line()), xp.array([9, 0.5, 1.5])[1:]),
    "digitize": lambda xp, o: xp.digitize(o.line(), xp.array([0, 1, 2])),
    "percentile": lambda xp, o: xp.percentile(o.line(), 50),
    "dot": lambda xp, o: xp.dot(o.line(), o.line()),
    "matmul": lambda xp, o: o.table() @ o.table().T,
    "matvec": lambda xp, o: o.table() @ o.line(67),
    "outer": lambda xp, o: xp.outer(o.line(67), o.line(31)),
    "einsum": lambda xp, o: xp.einsum("ij,ij->j", o.table(), o.table()),
    "convolve": lambda xp, o: xp.convolve(o.line(), o.line(9)),
    "trace": lambda xp, o: xp.trace(o.table()),
    "packbits": lambda xp, o: xp.packbits(o.line()),
    "unpackbits": lambda xp, o: xp.unpackbits(o.line()),
    "byteswap": lambda xp, o: o.line().byteswap(),
    "bytes": lambda xp, o: o.table().tobytes(),
    "view of bytes": lambda xp, o: o.line().view("u1") + xp.uint8(1),
}


@pytest.mark.parametrize("name", CALLS)
def test_operands_begin_anywhere(name):
    for t in TYPES:
        for by in (1, 2, 5):
            as_numpy_does(lambda xp: CALLS[name](xp, Operands(xp, t, by)))  # noqa: B023


def test_transforms_of_operands_that_begin_anywhere():
    for t in TYPES:
        for by in (1, 2, 5):
            for f in (lambda xp, o: xp.fft.fft(o.line()), lambda xp, o: xp.fft.fft2(o.table()),
                      lambda xp, o: xp.fft.rfft(xp.real(o.table())), lambda xp, o: xp.fft.irfft(o.line()),
                      lambda xp, o: xp.linalg.solve(o.table(9, 9) + 9 * xp.eye(9), o.line(9)),
                      lambda xp, o: xp.linalg.norm(o.table(), axis=1), lambda xp, o: o.table().var(axis=1),
                      lambda xp, o: xp.interp(xp.real(o.line()), xp.arange(3), xp.arange(3)),
                      lambda xp, o: xp.exp(o.line()), lambda xp, o: xp.cov(o.table())):
                want = outcome(f, np, Operands(np, t, by))
                got = outcome(f, cp, Operands(cp, t, by))
                if isinstance(want, type):
                    assert got is want, (t, by)
                    continue
                eps = np.finfo(want.dtype).eps
                np.testing.assert_allclose(got.get(), want, rtol=100 * eps, atol=2000 * eps, err_msg=f"{t} {by}")


def reads_anywhere():
    return _device.current() < 0


VIEWS = {
    "wider": lambda xp: xp.arange(12, dtype="f4")[1:9].view("i8"),
    "wider rows": lambda xp: xp.arange(15, dtype="f4").reshape(3, 5)[:, :4].view("f8"),
    "bytes": lambda xp: xp.arange(16, dtype="u1")[1:9].view("f8"),
    "complex": lambda xp: xp.arange(12, dtype="f4")[1:9].view("F"),
    "strides": lambda xp: xp.lib.stride_tricks.as_strided(xp.arange(3, dtype="i2"), (3,), (1,)),
    "of a new array": lambda xp: xp.ndarray((3,), "f4", strides=(2,)),
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_between_the_multiples_of_a_size(name):
    """A GPU that reads there is lost with all its memory; so there is no such array. The CPU reads anywhere."""
    if not reads_anywhere():
        with raises(ValueError, "must lie at multiples of"):
            VIEWS[name](cp)
        assert (cp.arange(3) + 1).tolist() == [1, 2, 3]
        return
    view = VIEWS[name](cp)
    assert view.flags.aligned == view.flags.behaved == VIEWS[name](np).flags.aligned
    assert view.copy().flags.aligned
    if name != "of a new array":
        as_numpy_does(VIEWS[name])


def test_views_at_multiples():
    """Every one that NumPy calls aligned, but for complex64 between the multiples of its own size."""
    for make in (lambda xp: xp.arange(12.0)[1:9].view("D"), lambda xp: xp.arange(12, dtype="f4")[2:10].view("D"),
                 lambda xp: xp.arange(16, dtype="u1")[8:].view("i8"),
                 lambda xp: xp.arange(16, dtype="u1")[2:4].view("e"),
                 lambda xp: xp.arange(12, dtype="f4").reshape(3, 4)[:, 2:].view("F"),
                 lambda xp: xp.arange(8, dtype="f4")[1:1].view("i8"),
                 lambda xp: xp.lib.stride_tricks.as_strided(xp.arange(3, dtype="i2"), (1,), (1,))):
        as_numpy_does(make)
        assert make(cp).flags.aligned and make(np).flags.aligned
        as_numpy_does(lambda xp: make(xp) + 1)  # noqa: B023
