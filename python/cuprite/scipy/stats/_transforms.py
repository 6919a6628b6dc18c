"""Box and Cox's transformation, and entropy."""
from __future__ import annotations

import math

import cuprite
from cuprite import _numpy as numpy
from cuprite import ndarray
from cuprite._beside import beside_its_arrays
from cuprite._element_types import common_type, type_of
from cuprite.scipy.stats._arrays import Slices, as_type, by_slices, floating, known, on_host, result_type


@beside_its_arrays
def boxcox_llf(lmb, data, *, axis=0, keepdims=False, nan_policy="propagate") -> ndarray:
    """The logarithm of Box and Cox's likelihood.

    Parameters: lmb: the power; data: positive numbers; axis: along which (None: all); keepdims: whether the axis stays,
        of length 1; nan_policy: 'propagate', 'raise' or 'omit'.

    Example:
        >>> cp.scipy.stats.boxcox_llf(0.5, cp.asarray([1.0, 2.0, 4.0])).round(4)
        array(-0.4462)
    """
    s = Slices(data, axis, nan_policy)
    if s.x.shape[-1] == 0:
        return s.result(cuprite.full(s.x.shape[:-1], cuprite.nan, s.dtype), keepdims)
    logs = cuprite.log(s.x)
    if type_of(s.x).kind == "c" and lmb != 0:
        found = (lmb - 1) * logs.sum(axis=-1) - s.n / 2 * (_log_variance(lmb * logs) - 2 * math.log(abs(lmb)))
        return s.result(found, keepdims)
    powers = logs if lmb == 0 else cuprite.exp(lmb * logs - logs.max(axis=-1, keepdims=True) * lmb)
    mean = s.mean(powers)
    variance = s.mean(abs(powers - mean[..., None]) ** 2)
    if lmb == 0:
        logvar = cuprite.log(variance)
    else:
        logvar = cuprite.log(variance) + 2 * (logs.max(axis=-1) * lmb) - 2 * numpy.log(abs(lmb))
    found = (lmb - 1) * s.mean(logs) * s.n - s.n / 2 * logvar
    return s.result(found, keepdims)


def _log_variance(logs) -> ndarray:
    """The logarithm of the variance of complex numbers with these logarithms along the last axis, on SciPy's branch."""
    sums = cuprite.scipy.special.logsumexp
    n = math.log(logs.shape[-1])
    mean = cuprite.broadcast_to(sums(logs, axis=-1, keepdims=True) - n, logs.shape)
    one = cuprite.ones_like(logs)
    apart, _ = sums(cuprite.stack((logs, mean)), axis=0, b=cuprite.stack((one, -one)), return_sign=True)
    return sums(2 * apart, axis=-1) - n


@beside_its_arrays
def boxcox(x, lmbda=None, alpha=None, optimizer=None) -> ndarray | tuple[object, ...]:
    """Box and Cox's transformation: of a given power, or (transformed, power) of the one with the largest likelihood
    (and its interval of confidence where alpha is given), which SciPy looks for on the host.

    Parameters: x: positive numbers; lmbda: the power (None: it is looked for); alpha: 1 - the confidence; optimizer: of
        SciPy's.
    Errors: ValueError for other than one dimension, numbers that are not positive, or all equal.
    """
    x = as_type(floating(x), common_type(result_type(x), "float32"))  # float32 of float16, as special.boxcox
    if lmbda is not None:
        return cuprite.scipy.special.boxcox(x, lmbda)
    if x.ndim != 1:
        raise ValueError("Data must be 1-dimensional.")
    if x.size == 0:
        return x
    if bool((x == x[0]).all()):
        raise ValueError("Data must not be constant.")
    if bool((x <= 0).any()):
        raise ValueError("Data must be positive.")
    found = on_host("boxcox", x.get(), None, alpha, optimizer)
    return (cuprite.scipy.special.boxcox(x, found[1]), *found[1:])


@beside_its_arrays
def entropy(pk, qk=None, base=None, axis=0, *, nan_policy="propagate", keepdims=False) -> ndarray:
    """The entropy of a distribution, or with another one the Kullback-Leibler divergence.

    Parameters: pk: the distribution, which is normalized; qk: the other; base: of the logarithm (None: e); axis: along
        which (None: all); nan_policy: 'propagate', 'raise' or 'omit', which leaves out what is NaN in either; keepdims:
        whether the axis stays, of length 1.
    Errors: ValueError for a base that is not above 0, and NaN where that is refused.

    Example:
        >>> cp.scipy.stats.entropy(cp.asarray([1.0, 1.0]), base=2)
        array(1.)
    """
    if base is not None and base <= 0:
        raise ValueError("`base` must be a positive number or `None`.")
    dtype = result_type(pk) if qk is None else result_type(pk, qk)
    dtype = common_type(dtype, "float32")  # special functions of float16 are of float32
    pk = floating(pk)
    if qk is not None:
        pk, qk = cuprite.broadcast_arrays(pk, floating(qk))
        if known(pk, nan_policy) is not None or known(qk, nan_policy) is not None:
            return by_slices(lambda p, q: (entropy(p, q, base),), [pk, qk], axis, keepdims, 1, paired=True)[0]
    s = Slices(pk, axis, nan_policy)
    p = s.x if s.mask is None else cuprite.where(s.mask, s.x, 0)
    p = p / p.sum(axis=-1, keepdims=True)
    if qk is None:
        terms = cuprite.scipy.special.entr(p)
    else:
        q = Slices(qk, axis, nan_policy).x
        terms = cuprite.scipy.special.rel_entr(p, q / q.sum(axis=-1, keepdims=True))
    found = terms.sum(axis=-1)
    if base is not None:
        found = found / math.log(base)
    s.dtype = dtype
    return s.result(found, keepdims)
