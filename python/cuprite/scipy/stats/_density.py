"""Densities of samples by Gaussian kernels."""
from __future__ import annotations

import math

import cuprite
from cuprite import _numpy as numpy
from cuprite import _splines, ndarray
from cuprite._beside import beside_its_arrays, computed
from cuprite._element_types import type_of
from cuprite.scipy._generators import generator
from cuprite.scipy.stats._arrays import floating


def _host(x):
    return x.get() if isinstance(x, ndarray) else x


@beside_its_arrays
class gaussian_kde:
    """The density of a sample: a sum of Gaussians around its points.

    Parameters: dataset: points (dimensions, n), or of one dimension (n); bw_method: 'scott', 'silverman', a factor, or
        a function of the object; weights: of the points.
    Errors: ValueError for fewer than two points, another bw_method, weights that do not fit; LinAlgError for points in
        a plane.

    Example:
        >>> cp.scipy.stats.gaussian_kde(cp.asarray([0.0, 1.0, 2.0]))(cp.asarray([1.0])).round(4)
        array([0.3182])
    """

    _held = "dataset"

    def __init__(self, dataset, bw_method=None, weights=None):
        dataset = floating(dataset)
        if type_of(dataset).kind == "c":
            raise ValueError("gaussian_kde does not support complex data")
        self.dataset = dataset.reshape(1, -1) if dataset.ndim < 2 else dataset
        if self.dataset.size <= 1:
            raise ValueError("`dataset` input should have multiple elements.")
        self.d, self.n = self.dataset.shape
        if weights is None:
            self._weights = cuprite.full(self.n, 1.0 / self.n)
        else:
            w = floating(weights)
            if w.ndim != 1:
                raise ValueError("`weights` input should be one-dimensional.")
            if w.size != self.n:
                raise ValueError("`weights` input should be of length n")
            self._weights = w / w.sum()
        if self.d > self.n:
            raise ValueError("Number of dimensions is greater than number of samples. This results in a singular data "
                             "covariance matrix, which cannot be treated using the algorithms implemented in "
                             "`gaussian_kde`.")
        self._neff = float(1 / (self._weights ** 2).sum())
        self.set_bandwidth(bw_method)

    @property
    def weights(self) -> ndarray:
        """The weights, whose sum is 1."""
        return self._weights

    @property
    def neff(self) -> float:
        """The effective number of points."""
        return self._neff

    def scotts_factor(self) -> float:
        """Scott's factor."""
        return self._neff ** (-1.0 / (self.d + 4))

    def silverman_factor(self) -> float:
        """Silverman's factor."""
        return (self._neff * (self.d + 2.0) / 4.0) ** (-1.0 / (self.d + 4))

    def covariance_factor(self) -> float:
        """The factor of the Gaussians' width: Scott's, until another is set or where a subclass has its own."""
        return self.scotts_factor()

    def set_bandwidth(self, bw_method=None) -> None:
        """Sets the width of the Gaussians.

        Parameters: bw_method: 'scott', 'silverman', a factor, or a function of the object; None: as it was.
        Errors: ValueError for anything else, and for points that are not finite; LinAlgError for those in a plane.
        """
        if bw_method is None:
            pass  # the factor stays what it is: the class's, which a subclass may define, or what was set before
        elif isinstance(bw_method, str) and bw_method == "scott":
            self.covariance_factor = self.scotts_factor
        elif isinstance(bw_method, str) and bw_method == "silverman":
            self.covariance_factor = self.silverman_factor
        elif isinstance(bw_method, (int, float, numpy.there("number"))):
            self.covariance_factor = lambda: bw_method
        elif callable(bw_method):
            self.covariance_factor = lambda: bw_method(self)
        else:
            raise ValueError("`bw_method` should be 'scott', 'silverman', a scalar or a callable.")
        self.factor = self.covariance_factor()
        data = cuprite.cov(self.dataset, rowvar=1, bias=False, aweights=self._weights).reshape(self.d, self.d)
        try:
            self._data_cholesky = computed(cuprite.linalg.cholesky(data))
        except numpy.linalg.LinAlgError as why:
            if not bool(cuprite.isfinite(data).all()):
                raise ValueError("array must not contain infs or NaNs") from None
            raise numpy.linalg.LinAlgError("The data appears to lie in a lower-dimensional subspace of the space in "
                                           "which it is expressed.") from why
        self._data_covariance = data
        self.covariance = data * self.factor ** 2
        self.cho_cov = self._data_cholesky * self.factor
        self.log_det = float(2 * cuprite.log(cuprite.diagonal(self.cho_cov * math.sqrt(2 * math.pi))).sum())

    @property
    def inv_cov(self) -> ndarray:
        """The inverse of the covariance."""
        return cuprite.linalg.inv(self.covariance)

    def _places(self, points) -> ndarray:
        points = floating(points)
        points = points.reshape(1, -1) if points.ndim < 2 else points
        d, m = points.shape
        if d != self.d:
            if d == 1 and m == self.d:
                return points.reshape(self.d, 1)
            raise ValueError(f"points have dimension {d}, dataset has dimension {self.d}")
        return points

    def _scaled(self, points) -> ndarray:
        """Points (m, d) in which the Gaussians are exp(-distance**2)."""
        white = cuprite.linalg.solve(self.cho_cov, points.astype(type_of(self.cho_cov), copy=False))
        return cuprite.ascontiguousarray(white.T) / math.sqrt(2)

    def evaluate(self, points) -> ndarray:
        """The density at places.

        Parameters: points: (dimensions, places), or of one dimension (places).
        Errors: ValueError for another number of dimensions.
        """
        found = _splines.rbf_values(self._scaled(self.dataset), self._scaled(self._places(points)),
                                    self._weights[:, None], "gaussian")[:, 0]
        return found * math.exp(-self.log_det / 2)

    __call__ = evaluate

    def pdf(self, x) -> ndarray:
        """The density at places.

        Parameters: x: (dimensions, places), or of one dimension (places).
        """
        return self.evaluate(x)

    def logpdf(self, x) -> ndarray:
        """The logarithm of the density at places.

        Parameters: x: (dimensions, places), or of one dimension (places).
        """
        a, b = self._scaled(self.dataset), self._scaled(self._places(x))
        logs, step = [], max(1, 2**22 // self.n)
        for i in range(0, b.shape[0], step):
            apart = -((b[i:i + step, None, :] - a) ** 2).sum(axis=-1)
            logs.append(cuprite.scipy.special.logsumexp(apart, axis=1, b=self._weights))
        return cuprite.concatenate(logs) - self.log_det / 2

    def integrate_box_1d(self, low, high) -> float:
        """The integral of a density of one dimension.

        Parameters: low: where it begins; high: where it ends.
        Errors: ValueError for more dimensions.
        """
        if self.d != 1:
            raise ValueError("integrate_box_1d() only handles 1D pdfs")
        ndtr, width = cuprite.scipy.special.ndtr, cuprite.sqrt(self.covariance[0, 0])
        ends = [ndtr((end - self.dataset[0]) / width) for end in (low, high)]
        return float((self._weights * (ends[1] - ends[0])).sum())

    def _overlap(self, points, weights, covariance) -> ndarray:
        """At each of the points (d, m) the sum of Gaussians of a covariance around the sample's, times weights."""
        root = computed(cuprite.linalg.cholesky(covariance))
        a, b = (cuprite.ascontiguousarray(cuprite.linalg.solve(root, x).T) / math.sqrt(2)
                for x in (self.dataset.astype(type_of(root), copy=False), points.astype(type_of(root), copy=False)))
        found = _splines.rbf_values(a, b, self._weights[:, None], "gaussian")[:, 0]
        return (found * weights).sum() / cuprite.prod(cuprite.diagonal(root) * math.sqrt(2 * math.pi))

    def integrate_gaussian(self, mean, cov) -> ndarray:
        """The integral of the density times a Gaussian.

        Parameters: mean: the Gaussian's, (dimensions,); cov: its covariance, (dimensions, dimensions).
        Errors: ValueError for another number of dimensions.
        """
        mean, cov = cuprite.atleast_1d(cuprite.squeeze(floating(mean))), cuprite.atleast_2d(floating(cov))
        if mean.shape != (self.d,):
            raise ValueError(f"mean does not have dimension {self.d}")
        if cov.shape != (self.d, self.d):
            raise ValueError(f"covariance does not have dimension {self.d}")
        return self._overlap(mean[:, None], 1, self.covariance + cov)

    def integrate_kde(self, other) -> ndarray:
        """The integral of the product of two densities.

        Parameters: other: the other gaussian_kde.
        Errors: ValueError for another number of dimensions.
        """
        if other.d != self.d:
            raise ValueError("KDEs are not the same dimensionality")
        return self._overlap(other.dataset, other.weights, self.covariance + other.covariance)

    def integrate_box(self, low_bounds, high_bounds, maxpts=None, *, rng=None) -> float:
        """The integral over a box, which SciPy computes on the host.

        Parameters: low_bounds: the least corner, (dimensions,); high_bounds: the greatest one; maxpts: the most places
            that are looked at; rng: a seed, or a generator of NumPy's.
        Errors: ImportError without SciPy.
        """
        from scipy.stats import multivariate_normal
        points, covariance = self.dataset.T.get(), self.covariance.get()
        low, high = (numpy.asarray(_host(v)) - points for v in (low_bounds, high_bounds))
        inside = multivariate_normal.cdf(high, lower_limit=low, cov=covariance, maxpts=maxpts, rng=rng)
        return float(numpy.dot(numpy.atleast_1d(inside), self._weights.get()))

    def marginal(self, dimensions) -> gaussian_kde:
        """The density of some of the dimensions.

        Parameters: dimensions: which, a number or several.
        Errors: ValueError for what is no integer, not there, or there twice.
        """
        dims = numpy.atleast_1d(_host(dimensions))
        if not numpy.issubdtype(type_of(dims), numpy.integer):
            raise ValueError("Elements of `dimensions` must be integers - the indices of the marginal variables being "
                             "retained.")
        which = numpy.where(dims < 0, dims + self.d, dims)
        if len(numpy.unique(which)) != len(which):
            raise ValueError("All elements of `dimensions` must be unique.")
        if ((which < 0) | (which >= self.d)).any():
            raise ValueError(f"Dimensions {dims[(which < 0) | (which >= self.d)]} are invalid for a distribution in "
                             f"{self.d} dimensions.")
        return gaussian_kde(self.dataset[which.tolist()], bw_method=self.covariance_factor(), weights=self._weights)

    def resample(self, size=None, seed=None) -> ndarray:
        """Random points of the density: (dimensions, size).

        Parameters: size: how many (None: as many as weigh); seed: of the generator, or one.
        """
        size = int(self._neff) if size is None else size
        rng = generator(seed)
        noise = self.cho_cov @ rng.standard_normal((self.d, size))
        edges = cuprite.cumsum(self._weights)
        which = cuprite.clip(cuprite.searchsorted(edges, rng.random(size), side="right"), 0, self.n - 1)
        return self.dataset[:, which] + noise
