"""Clusters around means: k-means, and which mean is nearest."""
from __future__ import annotations

import operator
import warnings

import cuprite
from cuprite import _numpy as numpy
from cuprite import _spatial, ndarray
from cuprite._beside import beside_its_arrays, computed
from cuprite._element_types import type_of
from cuprite._missing import getter as _getter, listing as _listing
from cuprite.scipy._generators import generator

__all__ = ["ClusterError", "kmeans", "kmeans2", "vq", "whiten"]
__getattr__ = _getter(__name__)
__dir__ = _listing(__name__)


class ClusterError(Exception):
    """A cluster has no points."""


def _points(x, check_finite=True) -> ndarray:
    x = x if isinstance(x, ndarray) else cuprite.asarray(x)
    if type_of(x).kind == "c":
        raise TypeError("complex observations have no order of distances")
    x = x.astype("float64", copy=False)
    if check_finite and not bool(cuprite.isfinite(x).all()):
        raise ValueError("array must not contain infs or NaNs")
    return x


def _type(*given):
    """The type of results, which are computed in float64: float32 where all is."""
    types = (type_of(x) if isinstance(x, ndarray) else getattr(x, "dtype", None) for x in given)
    return "float32" if all(t == "float32" for t in types) else "float64"


def _table(x) -> ndarray:
    return x[:, None] if x.ndim == 1 else x


@beside_its_arrays
def whiten(obs, check_finite=True) -> ndarray:
    """Observations with each feature divided by its standard deviation.

    Parameters: obs: (observations, features); check_finite: whether NaN and infinities are looked for.
    Errors: ValueError for numbers that are not finite.

    Example:
        >>> cp.scipy.cluster.vq.whiten(cp.asarray([[1.0, 10], [3.0, 30]]))
        array([[1., 1.],
               [3., 3.]])
    """
    kind = _type(obs)
    obs = _points(obs, check_finite)
    std = obs.std(axis=0)
    zero = std == 0
    if bool(zero.any()):
        std = cuprite.where(zero, 1.0, std)
        warnings.warn("Some columns have standard deviation zero. The values of these columns will not change.",
                      RuntimeWarning, stacklevel=3)
    return (obs / std).astype(kind, copy=False)


@beside_its_arrays
def vq(obs, code_book, check_finite=True) -> tuple[ndarray, ndarray]:
    """(codes, distances): for each observation the nearest row of a code book.

    Parameters: obs: (observations, features), or one dimension; code_book: (codes, features); check_finite: whether NaN
        and infinities are looked for.
    Errors: ValueError for other shapes, and numbers that are not finite.
    """
    kind = _type(obs, code_book)
    obs, code_book = _points(obs, check_finite), _points(code_book, check_finite)
    if obs.ndim != code_book.ndim:
        raise ValueError("Observation and code_book should have the same rank")
    if obs.ndim not in (1, 2):
        raise ValueError("ndim different than 1 or 2 are not supported")
    if obs.ndim == 2 and obs.shape[1] != code_book.shape[1]:
        raise ValueError(f"x and y must have the same number of features, not {obs.shape[1]} and {code_book.shape[1]}")
    which, distance = _spatial.nearest_points(_table(obs), _table(code_book))
    return which.astype("int32"), distance.astype(kind, copy=False)


py_vq = vq


def _means(obs, label, k):
    """(means, which clusters have points)."""
    counts = cuprite.bincount(label, minlength=k)
    has = counts > 0
    some = cuprite.where(has, counts, 1)
    sums = [cuprite.bincount(label, weights=obs[:, d], minlength=k) for d in range(obs.shape[1])]
    return cuprite.stack(sums, axis=1) / some[:, None], has


def _lloyd(obs, guess, thresh):
    """(code book without empty clusters, mean distance) after the steps that it takes."""
    code_book, last, change = guess, None, cuprite.inf
    while change > thresh:
        label, distance = _spatial.nearest_points(obs, code_book)
        mean = float(distance.mean())
        means, has = _means(obs, label, code_book.shape[0])
        code_book = means[has] if not bool(has.all()) else means
        change = cuprite.inf if last is None else abs(last - mean)
        last = mean
    return code_book, last


@beside_its_arrays
def kmeans(obs, k_or_guess, iter=20, thresh=1e-5, check_finite=True, *, rng=None, seed=None) -> tuple[ndarray, float]:
    """(code book, mean distance) of k-means, the best of several tries.

    Parameters: obs: (observations, features), or one dimension; k_or_guess: how many clusters, or their first means;
        iter: how many tries; thresh: a change of the mean distance that ends one; check_finite: whether NaN and
        infinities are looked for; rng: a generator or its seed; seed: the same.
    Errors: ValueError for no tries, no clusters, other shapes, and numbers that are not finite.
    """
    kind = _type(obs)
    obs = _points(obs, check_finite)
    flat, table = obs.ndim == 1, _table(obs)
    if iter < 1:
        raise ValueError(f"iter must be at least 1, got {iter}")
    guess = k_or_guess if isinstance(k_or_guess, ndarray) else cuprite.asarray(k_or_guess)
    if guess.size != 1:
        if guess.size < 1:
            raise ValueError(f"Asked for 0 clusters. Initial book was {guess}")
        book, distance = _lloyd(table, _table(_points(guess, check_finite)), thresh)
    else:
        k = int(guess.reshape(-1)[0])
        if k != guess.reshape(-1)[0]:
            raise ValueError("If k_or_guess is a scalar, it must be an integer.")
        if k < 1:
            raise ValueError(f"Asked for {k} clusters.")
        rng, book, distance = generator(seed if rng is None else rng), None, cuprite.inf
        for _ in range(iter):
            which = rng.choice(table.shape[0], k, replace=False)
            found = _lloyd(table, table[which], thresh)
            if found[1] < distance:
                book, distance = found
    return (book[:, 0] if flat else book).astype(kind, copy=False), distance


def _first_means(table, k, minit, rng) -> ndarray:
    n = table.shape[0]
    if minit == "points":
        return table[rng.choice(n, k, replace=False)]
    if minit == "random":
        mean, d = table.mean(axis=0), table.shape[1]
        if d == 1:
            return mean + rng.standard_normal((k, 1)) * table.std(axis=0, ddof=1)
        if d > n:
            _, s, vh = cuprite.linalg.svd(table - mean, full_matrices=False)
            return rng.standard_normal((k, s.size)) @ (s[:, None] * vh / numpy.sqrt(n - 1.0)) + mean
        cov = cuprite.atleast_2d(cuprite.cov(table, rowvar=False))
        return rng.standard_normal((k, d)) @ computed(cuprite.linalg.cholesky(cov)).T + mean
    means = cuprite.empty((k, table.shape[1]))        # all memory at once: too many end here, not after hours
    means[:1] = table[rng.integers(0, n, 1)]
    for j in range(1, k):
        square = _spatial.nearest_points(table, means[:j])[1] ** 2
        edges = cuprite.cumsum(square / square.sum())
        i = cuprite.clip(cuprite.searchsorted(edges, rng.random(1)), 0, n - 1)
        means[j:j + 1] = table[i]
    return means


@beside_its_arrays
def kmeans2(data, k, iter=10, thresh=1e-5, minit="random", missing="warn", check_finite=True, *,
            rng=None, seed=None) -> tuple[ndarray, ndarray]:
    """(means, labels) of k-means after a number of steps.

    Parameters: data: (observations, features), or one dimension; k: how many clusters, or with minit='matrix' their
        first means; iter: how many steps; thresh: not used, as in SciPy; minit: 'random', 'points', '++' or 'matrix';
        missing: what a cluster without points is: 'warn' or 'raise'; check_finite: whether NaN and infinities are
        looked for; rng: a generator or its seed; seed: the same.
    Errors: ValueError for no steps, no clusters, other shapes and words, numbers that are not finite; ClusterError for
        a cluster without points, where that was asked for.
    """
    if int(iter) < 1:
        raise ValueError(f"Invalid iter ({iter}), must be a positive integer.")
    if missing not in ("warn", "raise"):
        raise ValueError(f"Unknown missing method {missing!r}")
    kind = _type(data)
    data = _points(data, check_finite)
    if data.ndim not in (1, 2):
        raise ValueError("Input of rank > 2 is not supported.")
    flat, table = data.ndim == 1, _table(data)
    if data.size < 1:
        raise ValueError("Empty input is not supported.")
    if minit == "matrix" or not isinstance(k, (int, numpy.there("integer"))) and getattr(k, "ndim", 1) > 0:
        means = _points(k, check_finite)
        if means.ndim != data.ndim:
            raise ValueError("k array doesn't match data rank")
        means = _table(means)
        if len(means) < 1 or means.shape[1] != table.shape[1]:
            raise ValueError("k array doesn't match data dimension")
    else:
        if int(k) < 1:
            raise ValueError(f"Cannot ask kmeans2 for {k} clusters (k was {k})")
        if minit not in ("random", "points", "++"):
            raise ValueError(f"Unknown init method {minit!r}")
        means = _first_means(table, int(k), minit, generator(seed if rng is None else rng))
    for _ in range(operator.index(iter)):
        label, _ = _spatial.nearest_points(table, means)
        new, has = _means(table, label, means.shape[0])
        if not bool(has.all()):
            if missing == "raise":
                raise ClusterError("One of the clusters is empty. Re-run kmeans with a different initialization.")
            warnings.warn("One of the clusters is empty. Re-run kmeans with a different initialization.", stacklevel=3)
            new = cuprite.where(has[:, None], new, means)
        means = new
    return (means[:, 0] if flat else means).astype(kind, copy=False), label.astype("int32")
