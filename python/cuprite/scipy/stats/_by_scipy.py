"""What distributions have beyond their functions: moments of any order, entropy, expectations, fits. SciPy computes
them, on the host; they are few numbers of few parameters. Needs SciPy installed."""
from __future__ import annotations

from collections.abc import Callable, Sequence

import cuprite
from cuprite import ndarray
from cuprite._beside import beside_its_arrays
from cuprite.scipy._installed import scipy_module


def scipy_stats(name):
    """SciPy's distribution. Errors: ImportError, in a line."""
    why = "moments, entropies and fits of cuprite.scipy.stats' distributions are SciPy's"
    return getattr(scipy_module("stats", why), name)


def _host(x):
    """Arguments with NumPy's arrays in place of ours."""
    if isinstance(x, ndarray):
        return x.get()
    if isinstance(x, dict):
        return {k: _host(v) for k, v in x.items()}
    return type(x)(map(_host, x)) if type(x) in (list, tuple) else x


@beside_its_arrays
class BySciPy:
    """The methods of a distribution that SciPy computes."""

    name: str
    logpdf: Callable[..., ndarray]

    def stats(self, *args, moments="mv", **kwds) -> ndarray | tuple[ndarray, ...]:
        """Mean ('m'), variance ('v'), skewness ('s') and excess kurtosis ('k'), in this order; alone where one is
        asked for.

        Parameters: args: the shape's parameters, loc and scale; moments: letters of what is asked for; kwds: the
            parameters by their names."""
        found = scipy_stats(self.name).stats(*_host(args), moments=moments, **_host(kwds))
        return tuple(map(cuprite.asarray, found)) if isinstance(found, tuple) else cuprite.asarray(found)

    def moment(self, order, *args, **kwds) -> ndarray:
        """The moment about 0.

        Parameters: order: a positive integer; args: the shape's parameters, loc and scale; kwds: the same by their
            names.
        Errors: ValueError for an order that is not a positive integer."""
        return cuprite.asarray(scipy_stats(self.name).moment(order, *_host(args), **_host(kwds)))

    def entropy(self, *args, **kwds) -> ndarray:
        """The differential entropy, in nats.

        Parameters: args: the shape's parameters, loc and scale; kwds: the same by their names."""
        return cuprite.asarray(scipy_stats(self.name).entropy(*_host(args), **_host(kwds)))

    def expect(self, func: Callable[[float], float] | None = None, args: Sequence[float] = (), loc: float = 0,
               scale: float = 1, lb: float | None = None, ub: float | None = None, conditional: bool = False,
               **kwds) -> float:
        """The expected value of a function of the number, by quadrature.

        Parameters: func: of a Python number, by default the identity; args: the shape's parameters; loc, scale:
            numbers; lb, ub: the ends of the integral, by default the support's; conditional: whether the result is
            divided by the probability between them; kwds: options of scipy.integrate.quad."""
        return float(scipy_stats(self.name).expect(func, tuple(_host(args)), _host(loc), _host(scale), lb, ub,
                                                   conditional, **kwds))

    def fit(self, data, *args, **kwds) -> tuple[float, ...]:
        """The parameters of largest likelihood: those of the shape, loc and scale.

        Parameters: data: a sample; args: where the search for the shape's parameters begins; kwds: loc and scale, where
            that for them begins; floc, fscale, f0, ...: parameters that are given; method: 'MLE', or 'MM' of moments;
            optimizer: as SciPy's.
        Errors: ValueError for data that is not finite, and for parameters that are all given; FitError for data outside
            of the support."""
        return tuple(map(float, scipy_stats(self.name).fit(_host(data), *_host(args), **_host(kwds))))

    def fit_loc_scale(self, data, *args) -> tuple[float, float]:
        """(loc, scale) with the sample's mean and variance.

        Parameters: data: a sample; args: the shape's parameters."""
        loc, scale = scipy_stats(self.name).fit_loc_scale(_host(data), *_host(args))
        return float(loc), float(scale)

    def nnlf(self, theta: Sequence[float], x) -> ndarray:
        """The negative logarithm of a sample's likelihood.

        Parameters: theta: the shape's parameters, loc and scale; x: the sample."""
        *shapes, loc, scale = theta
        found = -self.logpdf(cuprite.asarray(x), *shapes, loc, scale).sum(axis=0)
        return cuprite.where(cuprite.isnan(found), cuprite.inf, found)
