"""What the functions share: arrays with the axis last, what NaN means, results."""
from __future__ import annotations

import functools
import math

import cuprite
from cuprite import _numpy as numpy
from cuprite import ndarray
from cuprite._element_types import common_type, type_of
from cuprite.scipy._installed import scipy_module


def array(x) -> ndarray:
    """x as an array of ours."""
    return x if isinstance(x, ndarray) else cuprite.asarray(x)


def floating(x) -> ndarray:
    """The same of a floating type: float32 and complex types stay, others are float64."""
    x = array(x)
    if type_of(x).kind == "c" or type_of(x) == "float32":
        return x
    if type_of(x).kind not in "biuf":
        raise TypeError(f"numbers are needed, not {x.dtype}")
    return x.astype("float64", copy=False)


def result_type(*arrays):
    """SciPy's type of floating results of arrays: float16 where nothing wider is given, float64 for integers."""
    kinds = map(type_of, map(array, arrays))
    return common_type(*["float64" if k.kind in "biu" or k == "bfloat16" else k for k in kinds])


def as_type(x, dtype) -> ndarray:
    """A floating result in the type that SciPy has, whatever it was computed in; real results stay real."""
    if type_of(x).kind not in "fc" or type_of(x) == dtype:
        return x
    if type_of(x).kind == "f" and dtype.kind == "c":
        dtype = common_type(dtype).real
    return x if type_of(x).kind == "c" and dtype.kind == "f" else x.astype(dtype, copy=False)


def on_last(x, axis):
    """(x with the axis, or several as one, last; the shape of results whose axes are kept); a number is a sample."""
    if x.ndim == 0:
        x = x.reshape(1)
    if axis is None:
        return x.reshape(x.size), (1,) * x.ndim
    axes = (axis,) if not isinstance(axis, (tuple, list)) else tuple(axis)
    for a in axes:
        if not -x.ndim <= a < x.ndim:
            raise cuprite.exceptions.AxisError(a, x.ndim)
    axes = tuple(a % x.ndim for a in axes)
    if len(set(axes)) != len(axes):
        raise cuprite.exceptions.AxisError("`axis` must contain only distinct elements")
    kept = tuple(1 if d in axes else n for d, n in enumerate(x.shape))
    rest = [d for d in range(x.ndim) if d not in axes]
    n = math.prod(x.shape[a] for a in axes)
    return x.transpose(rest + sorted(axes)).reshape([x.shape[d] for d in rest] + [n]), kept


def known(x, nan_policy):
    """Which elements count: None for all. Errors: ValueError for NaN under 'raise', and another policy."""
    if nan_policy not in ("propagate", "raise", "omit"):
        raise ValueError("nan_policy must be one of {'propagate', 'raise', 'omit'}")
    if nan_policy == "propagate" or type_of(x).kind not in "fc":
        return None
    missing = cuprite.isnan(x)
    if not bool(missing.any()):
        return None
    if nan_policy == "raise":
        raise ValueError("The input contains nan values")
    return ~missing


def of_one_rank(axis, *samples):
    """Samples with as many dimensions as the one with the most, as SciPy counts axes: new ones of length 1 come first.

    Parameters: axis: along which they are taken (None: all, and nothing is done); samples: arrays, or what becomes
        one."""
    samples = [array(v) for v in samples]
    most = max(v.ndim for v in samples)
    return samples if axis is None else [v.reshape((1,) * (most - v.ndim) + v.shape) for v in samples]


def by_slices(function, samples, axis, keepdims, results, paired=False) -> list[ndarray]:
    """What a function of samples in one dimension gives for those along an axis, without what is NaN.

    Parameters: function: gives a tuple; samples: arrays; axis: along which (None: all); keepdims: whether it stays, of
        length 1; results: how many the function gives; paired: what is NaN in one sample is left out of all."""
    parts = [on_last(v, axis) for v in of_one_rank(axis, *samples)]
    shape = numpy.broadcast_shapes(*(x.shape[:-1] for x, _ in parts))
    rows = [cuprite.broadcast_to(x, shape + x.shape[-1:]).reshape(math.prod(shape), x.shape[-1]) for x, _ in parts]
    found = []
    for row in zip(*rows):
        keep = [~cuprite.isnan(v) if type_of(v).kind in "fc" else cuprite.ones(v.shape, bool) for v in row]
        if paired:
            keep = [functools.reduce(cuprite.logical_and, keep)] * len(row)
        found.append(function(*(v[k] for v, k in zip(row, keep))))
    kept = numpy.broadcast_shapes(*(k for _, k in parts)) if keepdims else shape
    columns = zip(*found) if found else [()] * results
    return [cuprite.stack([cuprite.asarray(v) for v in c]).reshape(kept) if c else cuprite.zeros(kept) for c in columns]


class Slices:
    """An array whose slices along an axis are looked at: `x` with that axis last, `mask` of what counts or None, `n`
    how many count, `dtype` of results: float16 is computed in float64."""

    def __init__(self, a, axis, nan_policy="propagate"):
        self.dtype = result_type(a)
        self.x, self.kept = on_last(floating(a), axis)
        self.mask = known(self.x, nan_policy)
        self.n = self.x.shape[-1] if self.mask is None else self.mask.sum(axis=-1)

    def mean(self, values=None) -> ndarray:
        """The mean of values like x (None: x)."""
        values = self.x if values is None else values
        if self.mask is None:
            return values.mean(axis=-1) if self.n else cuprite.full(values.shape[:-1], cuprite.nan, type_of(values))
        return cuprite.where(self.mask, values, 0).sum(axis=-1) / self.n

    def central(self, order, mean=None) -> ndarray:
        """The mean of a power of the distances from the mean."""
        mean = self.mean() if mean is None else mean
        if 2 <= order <= 4:
            text = ("(x - m) * (x - m)", "(x - m) * (x - m) * (x - m)", "square((x - m) * (x - m))")[order - 2]
            return self.mean(cuprite.fused(text, x=self.x, m=mean[..., None]))
        return self.mean((self.x - mean[..., None]) ** order)

    def variance(self, ddof=0, least=-math.inf) -> ndarray:
        """The variance: of complex numbers the mean of squares, not of absolute ones. Where no more than ddof elements
        count it is not finite, or negative above `least` degrees of freedom."""
        return self._freed(self.central(2), ddof, least)

    def spread(self, ddof=0, least=-math.inf) -> ndarray:
        """The variance as NumPy has it: of complex numbers the mean of absolute squares."""
        if type_of(self.x).kind != "c":
            return self.variance(ddof, least)
        return self._freed(self.mean(abs(self.x - self.mean()[..., None]) ** 2), ddof, least)

    def positive(self, found, ddof) -> ndarray:
        """Results, NaN where no more than ddof elements count."""
        return nan_where(cuprite.asarray(self.n - ddof <= 0), found)

    def _freed(self, found, ddof, least):
        if not ddof:
            return found
        free = self.n - ddof
        if isinstance(free, ndarray):
            return found * (self.n / cuprite.maximum(free, least))
        free = max(free, least)
        return found * (self.n / free if free else math.inf)

    def result(self, r, keepdims=False) -> ndarray:
        """The results, in SciPy's type, with the axis kept or not."""
        r = as_type(r, self.dtype)
        return r.reshape(self.kept) if keepdims else r


def nan_where(condition, values) -> ndarray:
    """The values, NaN where the condition holds."""
    return cuprite.where(condition, cuprite.nan, values).astype(type_of(values), copy=False)


def on_host(function, *args, **options):
    """SciPy's function of few numbers. Errors: ImportError, in a line."""
    f = scipy_module("stats", f"cuprite.scipy.stats takes {function} from SciPy")
    for part in function.split("."):
        f = getattr(f, part)
    return f(*args, **options)
