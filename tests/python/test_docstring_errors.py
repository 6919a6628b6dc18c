"""What docstrings say of errors is what calls do: for each kind of argument of the rows, and for functions written in
Python. An exception is one of exactly that kind; where a device may report it later, the result is read."""
import inspect
import io
import pathlib
import sys

import numpy as np
import pytest

import cuprite as cp
import cuprite.io
import cuprite.numba
import cuprite.polynomial.polynomial as P
import cuprite.scipy.fftpack
import cuprite.scipy.linalg
from cuprite import linalg, random
from cuprite.lib import array_utils, stride_tricks
from cuprite.polynomial import polyutils
from cuprite.scipy.signal import windows
from oracle import raises

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools" / "generate"))
import documentation  # noqa: E402
import functions  # noqa: E402
from table import Tables  # noqa: E402

ERRORS = {e.__name__: e for e in (TypeError, ValueError, IndexError, OverflowError, ZeroDivisionError, KeyError,
                                  NotImplementedError, FileNotFoundError, EOFError, np.exceptions.AxisError,
                                  np.linalg.LinAlgError)}


def x():
    return cp.arange(6.0).reshape(2, 3)


def v():
    return cp.arange(3.0)


# (kind, error): what provokes it
AXES = {"AxisError": lambda f: f(x(), axis=9), "TypeError": lambda f: f(x(), axis=1.5)}
KINDS = {
    "array": {"TypeError": lambda: cp.cumsum(np.ones(3))},
    "operand": {"TypeError": lambda: cp.where(x() > 1, "a", x())},
    "replacement": {"TypeError": lambda: cp.nan_to_num(x(), nan=np.ones(3))},
    "array_or_number": {"TypeError": lambda: cp.dot(x(), np.ones(3))},
    "start": {"TypeError": lambda: cp.sum(x(), initial=[1])},
    "low_bound": {"TypeError": lambda: cp.clip(x(), np.ones(3), None)},
    "high_bound": {"TypeError": lambda: cp.clip(x(), None, np.ones(3))},
    "mask": {"TypeError": lambda: cp.where([True], 1, 2)},
    "where": {"TypeError": lambda: cp.sum(x(), where=[True])},
    "arrays": {"TypeError": lambda: cp.concatenate([cp.ones(1), [1.0]])},
    "arrays_or_numbers": {"TypeError": lambda: cp.choose(cp.array([0]), [x(), "a"])},
    "array_or_list": {"TypeError": lambda: cp.compress(np.ones(2), x()), "ValueError": lambda: cp.compress("a", x())},
    "array_like": {"ValueError": lambda: cp.fft.fft("a")},
    "array_like_to": {"ValueError": lambda: cp.diff(v(), append="a")},
    "number_or_array_like": {"ValueError": lambda: cp.repeat(v(), "a")},
    "assigned": {"ValueError": lambda: cp.put(v(), 0, "a")},
    "indices": {"ValueError": lambda: cp.take(v(), "a"), "TypeError": lambda: cp.take(v(), v())},
    "out": {"TypeError": lambda: cp.sum(x(), out=[1]), "ValueError": lambda: cp.sum(x(), out=cp.zeros(7))},
    "ufunc_out": {"TypeError": lambda: cp.matmul(x(), x().T, out=[1]),
                  "ValueError": lambda: cp.matmul(x(), x().T, out=cp.zeros(7))},
    **{kind: {e: lambda f=f, call=call: call(f) for e, call in AXES.items()} for kind, f in {
        "axis": cp.trapezoid, "axis_or_flat": cp.cumsum, "axis_or_all": cp.argmax, "index_axis": cp.diff,
        "index_axis_or_flat": cp.sort, "last_axis": cp.fft.fft}.items()},
    **{kind: {**{e: lambda f=f, call=call: call(f) for e, call in AXES.items()},
              "ValueError": lambda f=f: f(x(), axis=(0, 0))} for kind, f in {
        "axes": cp.sum, "known_axes": cp.nanvar, "counted_axes": cp.mean, "index_axes": cp.median}.items()},
    "window_length": {"TypeError": lambda: windows.hann("a"), "ValueError": lambda: windows.hann(2.5),
                      "OverflowError": lambda: windows.hann(np.inf)},
    "permutation": {"AxisError": lambda: cp.transpose(x(), (0, 9)), "TypeError": lambda: cp.transpose(x(), (0, 1.5)),
                    "ValueError": lambda: cp.transpose(x(), (0, 0))},
    "plane_axes": {"AxisError": lambda: cp.fft.fft2(x(), axes=(0, 9)),
                   "TypeError": lambda: cp.fft.fft2(x(), axes=(0, 1.5))},
    **{kind: {"TypeError": lambda f=f: f(1.5), "ValueError": lambda f=f: f(-1)} for kind, f in {
        "extent": cp.eye, "shape": cp.zeros,
        "count": lambda n: cp.linspace(0, 1, n), "length": lambda n: cp.fft.fft(v(), n),}.items()},
    "new_shape": {"TypeError": lambda: x().reshape(1.5), "ValueError": lambda: x().reshape(-1, -2)},
    "lengths": {"TypeError": lambda: cp.fft.fftn(x(), s=(2.5, 2)), "ValueError": lambda: cp.fft.fftn(x(), s=(0, 2))},
    "kth": {"TypeError": lambda: cp.partition(v(), 1.5), "ValueError": lambda: cp.partition(v(), 9)},
    **{kind: {"TypeError": call} for kind, call in {
        "ints": lambda: cp.tile(v(), 1.5),
        "per_axis": lambda: cp.scipy.ndimage.affine_transform(x(), [1, 1], output_shape=(1.5, 2)),
        "int": lambda: cp.round(x(), 1.5), "int64": lambda: cp.tril(x(), 1.5), "offset": lambda: cp.trace(x(), 1.5),
        "clamped_int": lambda: cp.rollaxis(x(), 0, 1.5), "clamped_int64": lambda: cp.eye(2, k=1.5),
        "keepdims": lambda: cp.sum(x(), keepdims="a"), "bool": lambda: cp.unique(v(), return_index="a"),
        "flag": lambda: cp.argsort(v(), stable="a"), "stable_flag": lambda: cp.sort(v(), stable="a"),
        "double": lambda: cp.isclose(v(), v(), rtol="a"), "correction": lambda: cp.var(v(), correction="a"),
    }.items()},
    "dtype": {"TypeError": lambda: cp.zeros(3, "foo"), "ValueError": lambda: cp.zeros(3, object)},
    "casting": {"ValueError": lambda: cp.hstack([v()], casting="foo"),
                "TypeError": lambda: cp.hstack([v()], dtype="i4")},
    "order": {"ValueError": lambda: cp.zeros(3, order="Q")},
    "sort_kind": {"ValueError": lambda: cp.argsort(v(), kind="bogus")},
    "stable_kind": {"ValueError": lambda: cp.sort(v(), kind="bogus")},
    "select_kind": {"ValueError": lambda: cp.partition(v(), 1, kind="bogus")},
    "no_fields": {"ValueError": lambda: cp.sort(v(), order="f")},
    "device": {"ValueError": lambda: cp.zeros(3, device="foo")},
}


def test_every_kind_has_its_errors():
    used = {a.kind.name for f in functions.read_functions(Tables(ROOT)) for a in f.arguments}
    assert {k: set(e) for k, e in KINDS.items()} == {k: set(e) for k, e in documentation.ERRORS.items() if k in used}


@pytest.mark.parametrize("kind, error", [(k, e) for k, found in KINDS.items() for e in found])
def test_kind(kind, error):
    with raises(ERRORS[error]):
        KINDS[kind][error]()


def test_words():
    for call in (lambda: cp.searchsorted(v(), 1, side="up"), lambda: cp.convolve(v(), v(), "x"),
                 lambda: cp.fft.fft(v(), norm="z"), lambda: cp.quantile(v(), .5, method="zz")):
        with raises(ValueError):
            call()


def test_what_is_no_device():
    for device in (3.5, [], "foo"):
        with raises(ValueError):
            cp.zeros(3, device=device)
        with raises(ValueError):
            v().astype("f4", device=device)


def test_ufuncs():
    with raises(TypeError):
        cp.sin(np.ones(3))
    for call in (lambda: cp.sin.reduce(x()), lambda: cp.sin.accumulate(x()), lambda: cp.sin.outer(x(), x()),
                 lambda: cp.maximum.reduce(cp.zeros(0)), lambda: cp.subtract.reduce(x(), axis=None),
                 lambda: cp.add.at(x(), 0), lambda: cp.sin.at(x(), 0, 1), lambda: cp.add(x(), x(), order="z"),
                 lambda: cp.add(x(), x(), casting="z"), lambda: cp.add(x(), x(), out=cp.zeros(7)),
                 lambda: cp.add(x(), cp.zeros(7))):
        with raises(ValueError):
            call()
    y = x()
    for call in (lambda: cp.add.at(y, 99, 1) or y.get(), lambda: cp.add.reduceat(y, [99]).get()):
        with raises(IndexError):
            call()
    with raises(TypeError):
        cp.bitwise_and(x(), x())
    with pytest.raises(cp.UFuncTypeError):
        cp.add(x(), x(), out=cp.zeros((2, 3), "i4"))


# function, error, call
SAID = [
    (cp.apply_along_axis, ValueError, lambda: cp.apply_along_axis(lambda a: a, 0, cp.zeros((3, 0)))),
    (cp.array_split, ValueError, lambda: cp.array_split(x(), 0)),
    (cp.array_split, IndexError, lambda: cp.array_split(x(), 2, axis=9)),
    (cp.average, ZeroDivisionError, lambda: cp.average(x(), weights=cp.zeros((2, 3)))),
    (cp.average, ValueError, lambda: cp.average(x(), axis=0, weights=cp.ones(5))),
    (cp.average, TypeError, lambda: cp.average(x(), weights=cp.ones(5))),
    (cp.block, ValueError, lambda: cp.block([x(), [x()]])), (cp.block, ValueError, lambda: cp.block([])),
    (cp.broadcast, ValueError, lambda: cp.broadcast(x(), cp.ones(7))),
    (cp.delete, IndexError, lambda: cp.delete(x(), 9)),
    (cp.delete, ValueError, lambda: cp.delete(x(), cp.array([True]), axis=0)),
    (cp.dsplit, ValueError, lambda: cp.dsplit(x(), 1)), (cp.hsplit, ValueError, lambda: cp.hsplit(cp.array(1), 1)),
    (cp.vsplit, ValueError, lambda: cp.vsplit(v(), 1)), (cp.unstack, ValueError, lambda: cp.unstack(cp.array(1))),
    (cp.gradient, ValueError, lambda: cp.gradient(cp.ones(1))),
    (cp.gradient, TypeError, lambda: cp.gradient(x(), 1, 2, 3)),
    (cp.insert, IndexError, lambda: cp.insert(x(), 9, 1)), (cp.insert, ValueError, lambda: cp.insert(x(), [[1]], 1)),
    (cp.piecewise, ValueError, lambda: cp.piecewise(x(), [x() > 1], [1, 2, 3])),
    (cp.require, ValueError, lambda: cp.require(x(), requirements="CF")),
    (cp.require, KeyError, lambda: cp.require(x(), requirements=["Q"])),
    (cp.rot90, ValueError, lambda: cp.rot90(x(), axes=(0, 0))),
    (cp.trim_zeros, ValueError, lambda: cp.trim_zeros(x(), "q")),
    (cp.unpackbits, TypeError, lambda: cp.unpackbits(x())),
    (cp.unpackbits, ValueError, lambda: cp.unpackbits(cp.array([1], "u1"), bitorder="q")),
    (cp.pad, ValueError, lambda: cp.pad(x(), 1, mode="qq")), (cp.pad, ValueError, lambda: cp.pad(x(), -1)),
    (cp.pad, ValueError, lambda: cp.pad(x(), 1, mode="edge", constant_values=3)),
    (cp.einsum, ValueError, lambda: cp.einsum("ij,jk", x())),
    (cp.size, np.exceptions.AxisError, lambda: cp.size(x(), 9)),
    (cp.result_type, ValueError, lambda: cp.result_type()),
    (cp.isin, ValueError, lambda: cp.isin(x(), x(), kind="q")), (cp.ix_, ValueError, lambda: cp.ix_(x())),
    (cp.ravel_multi_index, ValueError, lambda: cp.ravel_multi_index((cp.array([9]), cp.array([9])), (2, 2)).get()),
    (cp.select, ValueError, lambda: cp.select([x() > 1], [])),
    (cp.unravel_index, ValueError, lambda: cp.unravel_index(cp.array([99]), (2, 2))[0].get()),
    (cp.diag_indices_from, ValueError, lambda: cp.diag_indices_from(x())),
    (cp.histogram2d, ValueError, lambda: cp.histogram2d(v(), v()[:2])),
    (cp.histogramdd, ValueError, lambda: cp.histogramdd(x(), bins=[1])),
    (cp.histogram_bin_edges, ValueError, lambda: cp.histogram_bin_edges(x(), bins=[2, 1])),
    (cp.frombuffer, ValueError, lambda: cp.frombuffer(b"123")), (cp.load, EOFError, lambda: cp.load(io.BytesIO(b""))),
    (cp.load, ValueError, lambda: cp.load(io.BytesIO(b"garbage!!" * 5))),
    (cp.load, FileNotFoundError, lambda: cp.load("there is no such file")),
    (cp.fromfile, FileNotFoundError, lambda: cp.fromfile("there is no such file")),
    (cp.loadtxt, ValueError, lambda: cp.loadtxt(["1 a"])),
    (cp.genfromtxt, TypeError, lambda: cp.genfromtxt(["1"], float, "#", comments="#")),
    (cp.fromstring, ValueError, lambda: cp.fromstring("abc", sep=" ")),
    (cp.poly, ValueError, lambda: cp.poly(x())), (cp.poly1d, ValueError, lambda: cp.poly1d(x())),
    (cp.polyder, ValueError, lambda: cp.polyder(v(), -1)), (cp.polyint, ValueError, lambda: cp.polyint(v(), -1)),
    (cp.polyfit, ValueError, lambda: cp.polyfit(v(), v(), -1)),
    (cp.polyfit, TypeError, lambda: cp.polyfit(x(), x(), 1)),
    (cp.roots, ValueError, lambda: cp.roots(x())), (cp.vander, ValueError, lambda: cp.vander(x())),
    (P.polydiv, ZeroDivisionError, lambda: P.polydiv(v(), cp.zeros(1))),
    (P.polycompanion, ValueError, lambda: P.polycompanion(cp.ones(1))),
    (P.polypow, ValueError, lambda: P.polypow(v(), -1)), (P.polyvander, ValueError, lambda: P.polyvander(v(), -1)),
    (P.polytrim, ValueError, lambda: P.polytrim(v(), -1)),
    (polyutils.as_series, ValueError, lambda: polyutils.as_series([[]])),
    (linalg.cross, ValueError, lambda: linalg.cross(cp.ones(2), cp.ones(2))),
    *[(getattr(linalg, n), np.linalg.LinAlgError, lambda n=n: getattr(linalg, n)(x()))
      for n in ("eig", "eigh", "eigvals", "eigvalsh", "slogdet")],
    (linalg.eigh, ValueError, lambda: linalg.eigh(cp.eye(2), "Q")),
    (linalg.qr, ValueError, lambda: linalg.qr(x(), "full")),
    (linalg.matrix_power, TypeError, lambda: linalg.matrix_power(cp.eye(2), 1.5)),
    (linalg.matrix_rank, ValueError, lambda: linalg.matrix_rank(x(), tol=1, rtol=1)),
    (linalg.norm, np.exceptions.AxisError, lambda: linalg.norm(x(), axis=9)),
    (linalg.outer, ValueError, lambda: linalg.outer(x(), x())),
    (linalg.pinv, ValueError, lambda: linalg.pinv(x(), rcond=1, rtol=1)),
    (cp.scipy.linalg.bandwidth, np.linalg.LinAlgError, lambda: cp.scipy.linalg.bandwidth(v())),
    (cp.scipy.linalg.dft, ValueError, lambda: cp.scipy.linalg.dft(3, scale="q")),
    (cp.scipy.linalg.hadamard, ValueError, lambda: cp.scipy.linalg.hadamard(3)),
    (cp.scipy.linalg.schur, ValueError, lambda: cp.scipy.linalg.schur(cp.eye(2), output="q")),
    (cp.scipy.fftpack.irfft, TypeError, lambda: cp.scipy.fftpack.irfft(x() + 1j)),
    (cp.scipy.fft.fft, ValueError, lambda: cp.scipy.fft.fft(x(), workers=0)),
    (cp.byte_bounds, TypeError, lambda: cp.byte_bounds([1])),
    (array_utils.normalize_axis_tuple, ValueError, lambda: array_utils.normalize_axis_tuple((0, 0), 2)),
    (stride_tricks.as_strided, ValueError, lambda: stride_tricks.as_strided(v(), (9,), (8,))),
    (stride_tricks.sliding_window_view, ValueError, lambda: stride_tricks.sliding_window_view(x(), 9)),
    (cuprite.io.png_write, ValueError, lambda: cuprite.io.png_write("no.png", cp.ones((2, 2, 7), "u1"))),
    (cuprite.io.png_read, FileNotFoundError, lambda: cuprite.io.png_read("there is no such file")),
    (random.RandomState, ValueError, lambda: random.RandomState(1, method=5)),
    (random.seed, TypeError, lambda: random.seed("a")), (random.randint, ValueError, lambda: random.randint(3, 1)),
    (random.randint, TypeError, lambda: random.randint(3, dtype="f4")),
    (random.choice, ValueError, lambda: random.choice(3, 5, replace=False)),
    (random.uniform, OverflowError, lambda: random.uniform(0, float("inf"))),
    (random.Generator.normal, TypeError, lambda: random.default_rng(1).normal(dtype="i4")),
    (random.Generator.permutation, np.exceptions.AxisError, lambda: random.default_rng(1).permutation(x(), axis=9)),
    (cp.seterr, NotImplementedError, lambda: cp.seterr(divide="raise")),
    (cp.vectorize, NotImplementedError, lambda: cp.vectorize(lambda a: a, excluded={0})),
    (cp.fused, ValueError, lambda: cp.fused("1 +")),
    (cuprite.numba.typeof, ValueError, lambda: cuprite.numba.typeof(object())),
    (cuprite.numba.stencil, NotImplementedError, lambda: cuprite.numba.stencil(lambda a: a)),
    (cp.cuda.MemoryPool.set_limit, ValueError, lambda: cp.cuda.MemoryPool().set_limit(size=1, fraction=.5)),
]
DRAWS = dict(weibull=(-1,), pareto=(0,), power=(0,), lognormal=(0, -1), exponential=(-1,), standard_gamma=(-1,),
             gamma=(-1,), beta=(0, 1), chisquare=(0,), noncentral_chisquare=(1, -1), f=(0, 1), noncentral_f=(1, 1, -1),
             standard_t=(0,), laplace=(0, -1), logistic=(0, -1), gumbel=(0, -1), rayleigh=(-1,), triangular=(1, 0, 2),
             wald=(0, 1), vonmises=(0, -1), dirichlet=([-1, 1],), poisson=(-1,), binomial=(-1, .5), normal=(0, -1),
             negative_binomial=(0, .5), geometric=(0,), hypergeometric=(-1, 1, 1), logseries=(1,), zipf=(1,))


@pytest.mark.parametrize("function, error, call", SAID,
                         ids=[f"{f.__qualname__}-{e.__name__}" for f, e, _ in SAID])
def test_function(function, error, call):
    assert error.__name__ in inspect.getdoc(function)
    with raises(error):
        call()


@pytest.mark.parametrize("law", DRAWS)
def test_laws(law):
    for place in (random.default_rng(1), random.RandomState(1), random):
        assert "ValueError" in inspect.getdoc(getattr(place, law))
        with raises(ValueError):
            getattr(place, law)(*DRAWS[law])
