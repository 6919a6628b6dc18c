"""Box and Cox's transformation, and entropy."""
from __future__ import annotations

import numpy

import cuprite
from cuprite import ndarray
from cuprite._beside import beside_its_arrays
from cuprite.scipy.stats._arrays import Slices, floating, on_host


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
        return s.result(cuprite.full(s.x.shape[:-1], numpy.nan), keepdims)
    logs = cuprite.log(s.x)
    powers = logs if lmb == 0 else cuprite.exp(lmb * logs - logs.max(axis=-1, keepdims=True) * lmb)
    mean = s.mean(powers)
    variance = s.mean(abs(powers - mean[..., None]) ** 2)
    if lmb == 0:
        logvar = cuprite.log(variance)
    else:
        logvar = cuprite.log(variance) + 2 * (logs.max(axis=-1) * lmb) - 2 * numpy.log(abs(lmb))
    found = (lmb - 1) * s.mean(logs) * s.n - s.n / 2 * logvar
    return s.result(found, keepdims)


@beside_its_arrays
def boxcox(x, lmbda=None, alpha=None, optimizer=None) -> ndarray | tuple[object, ...]:
    """Box and Cox's transformation: of a given power, or (transformed, power) of the one with the largest likelihood
    (and its interval of confidence where alpha is given), which SciPy looks for on the host.

    Parameters: x: positive numbers; lmbda: the power (None: it is looked for); alpha: 1 - the confidence; optimizer: of
        SciPy's.
    Errors: ValueError for other than one dimension, numbers that are not positive, or all equal.
    """
    x = floating(x)
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
        which; nan_policy: 'propagate' or 'raise'; keepdims: whether the axis stays, of length 1.
    Errors: ValueError for a base that is not above 0, and NaN where that is refused.

    Example:
        >>> cp.scipy.stats.entropy(cp.asarray([1.0, 1.0]), base=2)
        array(1.)
    """
    if base is not None and base <= 0:
        raise ValueError("`base` must be a positive number or `None`.")
    pk = floating(pk)
    if qk is not None:
        pk, qk = cuprite.broadcast_arrays(pk, floating(qk))
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
        found = found / numpy.log(base)
    return s.result(found, keepdims)
