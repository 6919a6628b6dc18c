"""RandomState and the functions of cupy.random: one state for the process, on the same generators as Generator."""
import os

from cuprite import _random as _r
from cuprite._core import asarray, ndarray
from cuprite.random._bits import MRG32k3a, Philox4x3210, SeedSequence, XORWOW
from cuprite.random._generator import Generator, _array, _bounds

_METHODS = {None: Philox4x3210, 100: Philox4x3210, 101: XORWOW, 121: MRG32k3a, 161: Philox4x3210}  # cuRAND's numbers


class RandomState:
    """cupy.random.RandomState. Its numbers come from Philox 4x32, whose words cost a GPU less than half of those of
    Generator's Philox 4x64; those of other methods (cuRAND's numbers of generators: 101 XORWOW, 121 MRG32k3a) from
    these. They are neither NumPy's nor cuRAND's numbers.

    Parameters: seed: an integer, a sequence of integers, or None: one of the system's; method: a generator by
        cuRAND's number, or None: Philox 4x32.
    Errors: ValueError for an unknown method."""

    def __init__(self, seed=None, method=None):
        if method not in _METHODS:
            raise ValueError(f"method {method!r} is none of {[m for m in _METHODS if m is not None]}")
        self._make = _METHODS[method]
        self.seed(seed)

    @property
    def _rng(self):
        return self._generator.bit_generator._rng

    def seed(self, seed=None):
        """Begins anew with a seed, or with one of the system's.

        Parameters: seed: an integer, a sequence or an array of integers, or None.
        Errors: TypeError or ValueError for what is no seed."""
        if isinstance(seed, ndarray):
            seed = seed.get()
        self._generator = Generator(self._make(seed if seed is None else SeedSequence(seed)))

    # --- uniform numbers ---
    def rand(self, *size, **kwarg):
        """Uniform in [0, 1), of the shape that the arguments are.

        Parameters: *size: the shape of the result, one number an axis; **kwarg: dtype, float32 or float64.
        Errors: TypeError for a dtype that it does not draw."""
        return self.random_sample(size, _only_dtype(kwarg))

    def random_sample(self, size=None, dtype=float):
        """Uniform in [0, 1).

        Parameters: size: the shape of the result (None: that of the parameters); dtype: float32 or float64.
        Errors: TypeError for a dtype that it does not draw."""
        return _r.rng_random(self._rng, size, dtype)

    def uniform(self, low=0.0, high=1.0, size=None, dtype=float):
        """Uniform in [low, high); of numbers in the other order, in (high, low].

        Parameters: low: the lower bound; high: the upper bound; size: the shape of the result (None: that of the
            parameters); dtype: float32 or float64.
        Errors: OverflowError for bounds whose distance is not finite; TypeError for a dtype that it does not draw."""
        if isinstance(low, (int, float)) and isinstance(high, (int, float)) and high < low:
            return -_r.rng_uniform(self._rng, -low, -high, size, dtype)  # low + (high - low) u: signs round alike
        return _r.rng_uniform(self._rng, low, high, size, dtype)

    def randint(self, low, high=None, size=None, dtype=int):
        """Whole numbers in [low, high), or [0, low).

        Parameters: low: the lower bound; high: the upper bound, which is not drawn (None: `low` is it, and 0 the
            lower one); size: the shape of the result (None: that of the parameters); dtype: an integer type.
        Errors: ValueError where nothing lies between the bounds, or the type cannot hold them; TypeError for no
            integer type."""
        low, high, dtype, endpoint = _bounds(low, high, dtype, False)
        return _r.rng_integers(self._rng, low, high, endpoint, size, dtype)

    def random_integers(self, low, high=None, size=None):
        """Whole numbers in [low, high], or [1, low].

        Parameters: low: the lower bound; high: the upper bound, which is drawn too (None: `low` is it, and 1 the
            lower one); size: the shape of the result (None: that of the parameters).
        Errors: ValueError where nothing lies between the bounds."""
        if high is None:
            low, high = 1, low
        return self.randint(low, high + 1, size)

    def tomaxint(self, size=None):
        """Whole numbers that int64 holds, from 0 on.

        Parameters: size: the shape of the result (None: that of the parameters)."""
        return _r.rng_integers(self._rng, 0, 0x7fffffffffffffff, True, size)

    def bytes(self, length):
        """Random bytes.

        Parameters: length: how many, an integer not below 0.
        Result: a bytes object.
        Errors: ValueError for a negative length."""
        return self._generator.bytes(length)

    # --- normal numbers ---
    def randn(self, *size, **kwarg):
        """Normal numbers of mean 0 and deviation 1, of the shape that the arguments are.

        Parameters: *size: the shape of the result, one number an axis; **kwarg: dtype, float32 or float64.
        Errors: TypeError for a dtype that it does not draw."""
        return self.standard_normal(size, _only_dtype(kwarg))

    def standard_normal(self, size=None, dtype=float):
        """Normal numbers of mean 0 and deviation 1.

        Parameters: size: the shape of the result (None: that of the parameters); dtype: float32 or float64.
        Errors: TypeError for a dtype that it does not draw."""
        return _r.rng_normal(self._rng, 0.0, 1.0, size, dtype)

    def normal(self, loc=0.0, scale=1.0, size=None, dtype=float):
        """Normal numbers.

        Parameters: loc: the mean; scale: the standard deviation; size: the shape of the result (None: that of the
            parameters); dtype: float32 or float64.
        Errors: ValueError for a negative scale; TypeError for a dtype that it does not draw."""
        return _r.rng_normal(self._rng, loc, scale, size, dtype)

    def lognormal(self, mean=0.0, sigma=1.0, size=None, dtype=float):
        """Numbers whose logarithms are normal.

        Parameters: mean: the mean of the logarithms; sigma: their standard deviation; size: the shape of the result
            (None: that of the parameters); dtype: float32 or float64.
        Errors: ValueError for a negative sigma; TypeError for a dtype that it does not draw."""
        return _r.rng_lognormal(self._rng, mean, sigma, size, dtype)

    def multivariate_normal(self, mean, cov, size=None, check_valid="ignore", tol=1e-8, method="cholesky", dtype=float):
        """Normal vectors along a new last axis.

        Parameters: mean: the mean, a vector; cov: the covariance, a matrix; size: the shape of the result (None:
            that of the parameters); check_valid: 'warn', 'raise' or 'ignore': what happens where it is not positive
            semidefinite; tol: how far from that it may be; method: 'svd', 'eigh' or 'cholesky'; dtype: float32 or
            float64.
        Errors: ValueError for an unknown method or check_valid, and where check_valid says so; TypeError for a dtype
            that it does not draw."""
        return self._generator.multivariate_normal(mean, cov, size, check_valid, tol, method=method, dtype=dtype)

    # --- others of real numbers ---
    def standard_exponential(self, size=None, dtype=float):
        """Exponential numbers of mean 1.

        Parameters: size: the shape of the result (None: that of the parameters); dtype: float32 or float64.
        Errors: TypeError for a dtype that it does not draw."""
        return _r.rng_exponential(self._rng, 1.0, size, dtype)

    def exponential(self, scale=1.0, size=None, dtype=float):
        """Exponential numbers of that mean.

        Parameters: scale: the mean; size: the shape of the result (None: that of the parameters); dtype: float32 or
            float64.
        Errors: ValueError for a negative scale; TypeError for a dtype that it does not draw."""
        return _r.rng_exponential(self._rng, scale, size, dtype)

    def standard_gamma(self, shape, size=None, dtype=float):
        """Gamma numbers of scale 1.

        Parameters: shape: the shape parameter of the law; size: the shape of the result (None: that of the
            parameters); dtype: float32 or float64.
        Errors: ValueError for a negative shape; TypeError for a dtype that it does not draw."""
        return _r.rng_gamma(self._rng, shape, 1.0, size, dtype)

    def gamma(self, shape, scale=1.0, size=None, dtype=float):
        """Gamma numbers.

        Parameters: shape: the shape parameter of the law; scale: the scale; size: the shape of the result (None:
            that of the parameters); dtype: float32 or float64.
        Errors: ValueError for a negative shape or scale; TypeError for a dtype that it does not draw."""
        return _r.rng_gamma(self._rng, shape, scale, size, dtype)

    def beta(self, a, b, size=None, dtype=float):
        """Beta numbers.

        Parameters: a: the first exponent, above 0; b: the second one, above 0; size: the shape of the result (None:
            that of the parameters); dtype: float32 or float64.
        Errors: ValueError for parameters that are not positive; TypeError for a dtype that it does not draw."""
        return _r.rng_beta(self._rng, a, b, size, dtype)

    def chisquare(self, df, size=None, dtype=float):
        """Chi-square numbers.

        Parameters: df: the degrees of freedom, above 0; size: the shape of the result (None: that of the
            parameters); dtype: float32 or float64.
        Errors: ValueError for df that is not positive; TypeError for a dtype that it does not draw."""
        return _r.rng_chisquare(self._rng, df, size, dtype)

    def noncentral_chisquare(self, df, nonc, size=None, dtype=float):
        """Noncentral chi-square numbers.

        Parameters: df: the degrees of freedom, above 0; nonc: the noncentrality, not below 0; size: the shape of the
            result (None: that of the parameters); dtype: float32 or float64.
        Errors: ValueError for parameters outside of these; TypeError for a dtype that it does not draw."""
        return _r.rng_noncentral_chisquare(self._rng, df, nonc, size, dtype)

    def f(self, dfnum, dfden, size=None, dtype=float):
        """Numbers of Fisher's F.

        Parameters: dfnum: the degrees of freedom of the numerator, above 0; dfden: those of the denominator, above
            0; size: the shape of the result (None: that of the parameters); dtype: float32 or float64.
        Errors: ValueError for parameters that are not positive; TypeError for a dtype that it does not draw."""
        return _r.rng_f(self._rng, dfnum, dfden, size, dtype)

    def noncentral_f(self, dfnum, dfden, nonc, size=None, dtype=float):
        """Numbers of the noncentral F.

        Parameters: dfnum: the degrees of freedom of the numerator, above 0; dfden: those of the denominator, above
            0; nonc: the noncentrality, not below 0; size: the shape of the result (None: that of the parameters);
            dtype: float32 or float64.
        Errors: ValueError for parameters outside of these; TypeError for a dtype that it does not draw."""
        return _r.rng_noncentral_f(self._rng, dfnum, dfden, nonc, size, dtype)

    def standard_t(self, df, size=None, dtype=float):
        """Numbers of Student's t.

        Parameters: df: the degrees of freedom, above 0; size: the shape of the result (None: that of the
            parameters); dtype: float32 or float64.
        Errors: ValueError for df that is not positive; TypeError for a dtype that it does not draw."""
        return _r.rng_standard_t(self._rng, df, size, dtype)

    def standard_cauchy(self, size=None, dtype=float):
        """Numbers of Cauchy's distribution.

        Parameters: size: the shape of the result (None: that of the parameters); dtype: float32 or float64.
        Errors: TypeError for a dtype that it does not draw."""
        return _r.rng_standard_cauchy(self._rng, size, dtype)

    def laplace(self, loc=0.0, scale=1.0, size=None, dtype=float):
        """Numbers of Laplace's distribution.

        Parameters: loc: the middle; scale: the mean distance from it; size: the shape of the result (None: that of
            the parameters); dtype: float32 or float64.
        Errors: ValueError for a negative scale; TypeError for a dtype that it does not draw."""
        return _r.rng_laplace(self._rng, loc, scale, size, dtype)

    def logistic(self, loc=0.0, scale=1.0, size=None, dtype=float):
        """Logistic numbers.

        Parameters: loc: the middle; scale: the scale; size: the shape of the result (None: that of the parameters);
            dtype: float32 or float64.
        Errors: ValueError for a negative scale; TypeError for a dtype that it does not draw."""
        return _r.rng_logistic(self._rng, loc, scale, size, dtype)

    def gumbel(self, loc=0.0, scale=1.0, size=None, dtype=float):
        """Numbers of Gumbel's distribution.

        Parameters: loc: the mode; scale: the scale; size: the shape of the result (None: that of the parameters);
            dtype: float32 or float64.
        Errors: ValueError for a negative scale; TypeError for a dtype that it does not draw."""
        return _r.rng_gumbel(self._rng, loc, scale, size, dtype)

    def rayleigh(self, scale=1.0, size=None, dtype=float):
        """Numbers of Rayleigh's distribution.

        Parameters: scale: the mode; size: the shape of the result (None: that of the parameters); dtype: float32 or
            float64.
        Errors: ValueError for a negative scale; TypeError for a dtype that it does not draw."""
        return _r.rng_rayleigh(self._rng, scale, size, dtype)

    def weibull(self, a, size=None, dtype=float):
        """Numbers of Weibull's distribution.

        Parameters: a: the shape parameter of the law; size: the shape of the result (None: that of the parameters);
            dtype: float32 or float64.
        Errors: ValueError for a negative a; TypeError for a dtype that it does not draw."""
        return _r.rng_weibull(self._rng, a, size, dtype)

    def pareto(self, a, size=None, dtype=float):
        """Numbers of Pareto's distribution of the second kind.

        Parameters: a: the exponent, above 0; size: the shape of the result (None: that of the parameters); dtype:
            float32 or float64.
        Errors: ValueError for a that is not positive; TypeError for a dtype that it does not draw."""
        return _r.rng_pareto(self._rng, a, size, dtype)

    def power(self, a, size=None, dtype=float):
        """Numbers in [0, 1] whose a-th powers are uniform.

        Parameters: a: the exponent, above 0; size: the shape of the result (None: that of the parameters); dtype:
            float32 or float64.
        Errors: ValueError for a that is not positive; TypeError for a dtype that it does not draw."""
        return _r.rng_power(self._rng, a, size, dtype)

    def triangular(self, left, mode, right, size=None, dtype=float):
        """Numbers of a triangular distribution.

        Parameters: left: the lower bound; mode: where the density is highest; right: the upper bound; size: the
            shape of the result (None: that of the parameters); dtype: float32 or float64.
        Errors: ValueError unless left <= mode <= right and left < right; TypeError for a dtype that it does not
            draw."""
        return _r.rng_triangular(self._rng, left, mode, right, size, dtype)

    def wald(self, mean, scale, size=None, dtype=float):
        """Inverse Gaussian numbers.

        Parameters: mean: the mean, above 0; scale: the scale, above 0; size: the shape of the result (None: that of
            the parameters); dtype: float32 or float64.
        Errors: ValueError for parameters that are not positive; TypeError for a dtype that it does not draw."""
        return _r.rng_wald(self._rng, mean, scale, size, dtype)

    def vonmises(self, mu, kappa, size=None, dtype=float):
        """Angles of von Mises' distribution.

        Parameters: mu: the mean direction; kappa: how concentrated it is (0: uniform); size: the shape of the result
            (None: that of the parameters); dtype: float32 or float64.
        Errors: ValueError for a negative kappa; TypeError for a dtype that it does not draw."""
        return _r.rng_vonmises(self._rng, mu, kappa, size, dtype)

    def dirichlet(self, alpha, size=None, dtype=float):
        """Shares that add up to 1, along a new last axis.

        Parameters: alpha: the parameters of the shares, none below 0; size: the shape of the result (None: that of
            the parameters); dtype: float32 or float64.
        Errors: ValueError for a negative alpha; TypeError for a dtype that it does not draw."""
        return _r.rng_dirichlet(self._rng, alpha, size, dtype)

    # --- whole numbers ---
    def poisson(self, lam=1.0, size=None, dtype=int):
        """Poisson's whole numbers.

        Parameters: lam: the mean; size: the shape of the result (None: that of the parameters); dtype: an integer
            type.
        Errors: ValueError for a lam that is negative or too large; TypeError for a dtype that it does not draw."""
        return _r.rng_poisson(self._rng, lam, size, dtype)

    def binomial(self, n, p, size=None, dtype=int):
        """Successes of n tries.

        Parameters: n: the number of tries; p: the probability of each; size: the shape of the result (None: that of
            the parameters); dtype: an integer type.
        Errors: ValueError for a negative n, or p outside of [0, 1]; TypeError for a dtype that it does not draw."""
        return _r.rng_binomial(self._rng, n, p, size, dtype)

    def negative_binomial(self, n, p, size=None, dtype=int):
        """Failures before the n-th success.

        Parameters: n: the number of successes, above 0; p: the probability of each; size: the shape of the result
            (None: that of the parameters); dtype: an integer type.
        Errors: ValueError for n that is not positive, or p outside of (0, 1]; TypeError for a dtype that it does not
            draw."""
        return _r.rng_negative_binomial(self._rng, n, p, size, dtype)

    def geometric(self, p, size=None, dtype=int):
        """Tries up to the first success.

        Parameters: p: the probability of each try; size: the shape of the result (None: that of the parameters);
            dtype: an integer type.
        Errors: ValueError for p outside of (0, 1]; TypeError for a dtype that it does not draw."""
        return _r.rng_geometric(self._rng, p, size, dtype)

    def hypergeometric(self, ngood, nbad, nsample, size=None, dtype=int):
        """Good ones in a sample without replacement.

        Parameters: ngood: how many good ones there are; nbad: how many others; nsample: the size of the sample;
            size: the shape of the result (None: that of the parameters); dtype: an integer type.
        Errors: ValueError for negative numbers, or a sample larger than all; TypeError for a dtype that it does not
            draw."""
        if (asarray(nsample) < 1).any():
            raise ValueError("nsample < 1")
        return _r.rng_hypergeometric(self._rng, ngood, nbad, nsample, size, dtype)

    def logseries(self, p, size=None, dtype=int):
        """Whole numbers of the logarithmic series.

        Parameters: p: the parameter of the law; size: the shape of the result (None: that of the parameters); dtype:
            an integer type.
        Errors: ValueError for p outside of [0, 1); TypeError for a dtype that it does not draw."""
        return _r.rng_logseries(self._rng, p, size, dtype)

    def zipf(self, a, size=None, dtype=int):
        """Whole numbers of Zipf's distribution.

        Parameters: a: the exponent, above 1; size: the shape of the result (None: that of the parameters); dtype: an
            integer type.
        Errors: ValueError for a that is not above 1; TypeError for a dtype that it does not draw."""
        return _r.rng_zipf(self._rng, a, size, dtype)

    def multinomial(self, n, pvals, size=None):
        """How often each of several things happens in n tries, along a new last axis.

        Parameters: n: the number of tries; pvals: the probabilities, along the last axis; size: the shape of the
            result (None: that of the parameters).
        Errors: ValueError for a negative n, or probabilities that are none."""
        return _r.rng_multinomial(self._rng, n, _array(pvals), size)

    # --- order ---
    def choice(self, a, size=None, replace=True, p=None):
        """Elements of a 1-d array, or of the integers below a, with probabilities p.

        Parameters: a: an array of one axis, or an integer; size: the shape of the result (None: one element);
            replace: True: an element may come again; p: the probabilities of the elements (None: all alike).
        Errors: ValueError for an `a` of more axes or without elements, probabilities that are none or do not add up
            to 1, and more elements than there are without replacement."""
        if isinstance(a, (list, tuple)):
            a = asarray(a)
        if getattr(a, "ndim", 0) > 1:
            raise ValueError("a must be 1-dimensional or an integer")
        return self._generator.choice(a, size, replace, p)

    def permutation(self, a):
        """The slices of an array along its first axis in random order; of an integer, 0 to a - 1.

        Parameters: a: an array or an integer.
        Errors: AxisError for what has no axes and is no integer."""
        return self._generator.permutation(a)

    def shuffle(self, a):
        """Puts the slices of an array along its first axis into random order, in place.

        Parameters: a: the array, which is changed.
        Result: None."""
        self._generator.shuffle(a)


def _only_dtype(given):
    dtype = given.pop("dtype", float)
    if given:
        raise TypeError(f"got an unexpected keyword argument {next(iter(given))!r}")
    return dtype


# --- the process's state ---
_now = None


def get_random_state():
    """The RandomState of the functions below: one for all devices, whose numbers do not depend on them. Its first seed
    is the environment's CUPY_SEED, or one of the system's."""
    global _now
    if _now is None:
        text = os.environ.get("CUPY_SEED")
        state = RandomState(int(text) if text else None)
        if _now is None:
            _now = state
    return _now


def set_random_state(rs):
    """Puts another RandomState in its place.

    Parameters: rs: a RandomState.
    Errors: TypeError for what is none."""
    global _now
    if not isinstance(rs, RandomState):
        raise TypeError(f"Random state must be an instance of RandomState. Actual: {type(rs)}")
    _now = rs


def reset_states():
    """The next function begins with a new RandomState."""
    global _now
    _now = None


def seed(seed=None):
    """Begins the process's state anew.

    Parameters: seed: an integer, a sequence or an array of integers, or None: one of the system's.
    Errors: TypeError or ValueError for what is no seed."""
    get_random_state().seed(seed)


def rand(*size, **kwarg):
    """Uniform in [0, 1), of the shape that the arguments are."""
    return get_random_state().rand(*size, **kwarg)


def random_sample(size=None, dtype=float):
    """Uniform in [0, 1)."""
    return get_random_state().random_sample(size, dtype)


def random(size=None, dtype=float):
    """Uniform in [0, 1)."""
    return get_random_state().random_sample(size, dtype)


def ranf(size=None, dtype=float):
    """Uniform in [0, 1)."""
    return get_random_state().random_sample(size, dtype)


def sample(size=None, dtype=float):
    """Uniform in [0, 1)."""
    return get_random_state().random_sample(size, dtype)


def uniform(low=0.0, high=1.0, size=None, dtype=float):
    """Uniform in [low, high)."""
    return get_random_state().uniform(low, high, size, dtype)


def randint(low, high=None, size=None, dtype=int):
    """Whole numbers in [low, high), or [0, low)."""
    return get_random_state().randint(low, high, size, dtype)


def random_integers(low, high=None, size=None):
    """Whole numbers in [low, high], or [1, low]."""
    return get_random_state().random_integers(low, high, size)


def bytes(length):
    """Random bytes."""
    return get_random_state().bytes(length)


def randn(*size, **kwarg):
    """Normal numbers of mean 0 and deviation 1, of the shape that the arguments are."""
    return get_random_state().randn(*size, **kwarg)


def standard_normal(size=None, dtype=float):
    """Normal numbers of mean 0 and deviation 1."""
    return get_random_state().standard_normal(size, dtype)


def normal(loc=0.0, scale=1.0, size=None, dtype=float):
    """Normal numbers."""
    return get_random_state().normal(loc, scale, size, dtype)


def lognormal(mean=0.0, sigma=1.0, size=None, dtype=float):
    """Numbers whose logarithms are normal."""
    return get_random_state().lognormal(mean, sigma, size, dtype)


def multivariate_normal(mean, cov, size=None, check_valid="ignore", tol=1e-8, method="cholesky", dtype=float):
    """Normal vectors along a new last axis."""
    return get_random_state().multivariate_normal(mean, cov, size, check_valid, tol, method, dtype)


def standard_exponential(size=None, dtype=float):
    """Exponential numbers of mean 1."""
    return get_random_state().standard_exponential(size, dtype)


def exponential(scale=1.0, size=None, dtype=float):
    """Exponential numbers of that mean."""
    return get_random_state().exponential(scale, size, dtype)


def standard_gamma(shape, size=None, dtype=float):
    """Gamma numbers of scale 1."""
    return get_random_state().standard_gamma(shape, size, dtype)


def gamma(shape, scale=1.0, size=None, dtype=float):
    """Gamma numbers."""
    return get_random_state().gamma(shape, scale, size, dtype)


def beta(a, b, size=None, dtype=float):
    """Beta numbers."""
    return get_random_state().beta(a, b, size, dtype)


def chisquare(df, size=None, dtype=float):
    """Chi-square numbers."""
    return get_random_state().chisquare(df, size, dtype)


def noncentral_chisquare(df, nonc, size=None, dtype=float):
    """Noncentral chi-square numbers."""
    return get_random_state().noncentral_chisquare(df, nonc, size, dtype)


def f(dfnum, dfden, size=None, dtype=float):
    """Numbers of Fisher's F."""
    return get_random_state().f(dfnum, dfden, size, dtype)


def noncentral_f(dfnum, dfden, nonc, size=None, dtype=float):
    """Numbers of the noncentral F."""
    return get_random_state().noncentral_f(dfnum, dfden, nonc, size, dtype)


def standard_t(df, size=None, dtype=float):
    """Numbers of Student's t."""
    return get_random_state().standard_t(df, size, dtype)


def standard_cauchy(size=None, dtype=float):
    """Numbers of Cauchy's distribution."""
    return get_random_state().standard_cauchy(size, dtype)


def laplace(loc=0.0, scale=1.0, size=None, dtype=float):
    """Numbers of Laplace's distribution."""
    return get_random_state().laplace(loc, scale, size, dtype)


def logistic(loc=0.0, scale=1.0, size=None, dtype=float):
    """Logistic numbers."""
    return get_random_state().logistic(loc, scale, size, dtype)


def gumbel(loc=0.0, scale=1.0, size=None, dtype=float):
    """Numbers of Gumbel's distribution."""
    return get_random_state().gumbel(loc, scale, size, dtype)


def rayleigh(scale=1.0, size=None, dtype=float):
    """Numbers of Rayleigh's distribution."""
    return get_random_state().rayleigh(scale, size, dtype)


def weibull(a, size=None, dtype=float):
    """Numbers of Weibull's distribution."""
    return get_random_state().weibull(a, size, dtype)


def pareto(a, size=None, dtype=float):
    """Numbers of Pareto's distribution of the second kind."""
    return get_random_state().pareto(a, size, dtype)


def power(a, size=None, dtype=float):
    """Numbers in [0, 1] whose a-th powers are uniform."""
    return get_random_state().power(a, size, dtype)


def triangular(left, mode, right, size=None, dtype=float):
    """Numbers of a triangular distribution."""
    return get_random_state().triangular(left, mode, right, size, dtype)


def wald(mean, scale, size=None, dtype=float):
    """Inverse Gaussian numbers."""
    return get_random_state().wald(mean, scale, size, dtype)


def vonmises(mu, kappa, size=None, dtype=float):
    """Angles of von Mises' distribution."""
    return get_random_state().vonmises(mu, kappa, size, dtype)


def dirichlet(alpha, size=None, dtype=float):
    """Shares that add up to 1, along a new last axis."""
    return get_random_state().dirichlet(alpha, size, dtype)


def poisson(lam=1.0, size=None, dtype=int):
    """Poisson's whole numbers."""
    return get_random_state().poisson(lam, size, dtype)


def binomial(n, p, size=None, dtype=int):
    """Successes of n tries."""
    return get_random_state().binomial(n, p, size, dtype)


def negative_binomial(n, p, size=None, dtype=int):
    """Failures before the n-th success."""
    return get_random_state().negative_binomial(n, p, size, dtype)


def geometric(p, size=None, dtype=int):
    """Tries up to the first success."""
    return get_random_state().geometric(p, size, dtype)


def hypergeometric(ngood, nbad, nsample, size=None, dtype=int):
    """Good ones in a sample without replacement."""
    return get_random_state().hypergeometric(ngood, nbad, nsample, size, dtype)


def logseries(p, size=None, dtype=int):
    """Whole numbers of the logarithmic series."""
    return get_random_state().logseries(p, size, dtype)


def zipf(a, size=None, dtype=int):
    """Whole numbers of Zipf's distribution."""
    return get_random_state().zipf(a, size, dtype)


def multinomial(n, pvals, size=None):
    """How often each of several things happens in n tries, along a new last axis."""
    return get_random_state().multinomial(n, pvals, size)


def choice(a, size=None, replace=True, p=None):
    """Elements of a 1-d array, or of the integers below a, with probabilities p."""
    return get_random_state().choice(a, size, replace, p)


def permutation(a):
    """The slices of an array along its first axis in random order; of an integer, 0 to a - 1."""
    return get_random_state().permutation(a)


def shuffle(a):
    """Puts the slices of an array along its first axis into random order, in place."""
    return get_random_state().shuffle(a)


def _document():
    """The functions say what the methods say that they call."""
    scope = globals()
    for name in vars(RandomState):
        if not name.startswith("_") and name in scope and name != "seed":
            scope[name].__doc__ = getattr(RandomState, name).__doc__
    for name in ("random", "ranf", "sample"):
        scope[name].__doc__ = RandomState.random_sample.__doc__


_document()
