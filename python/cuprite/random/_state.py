"""RandomState and the functions of cupy.random: one state for the process, on the same generators as Generator."""
import os

from cuprite import _random as _r
from cuprite._core import ndarray
from cuprite.random._bits import MRG32k3a, Philox4x3210, SeedSequence, XORWOW
from cuprite.random._generator import Generator, _array, _bounds

_METHODS = {None: Philox4x3210, 100: Philox4x3210, 101: XORWOW, 121: MRG32k3a, 161: Philox4x3210}  # cuRAND's numbers


class RandomState:
    """cupy.random.RandomState. Its numbers come from Philox 4x32, whose words cost a GPU less than half of those of
    Generator's Philox 4x64; those of other methods (cuRAND's numbers of generators: 101 XORWOW, 121 MRG32k3a) from
    these. They are neither NumPy's nor cuRAND's numbers."""

    def __init__(self, seed=None, method=None):
        if method not in _METHODS:
            raise ValueError(f"method {method!r} is none of {[m for m in _METHODS if m is not None]}")
        self._make = _METHODS[method]
        self.seed(seed)

    @property
    def _rng(self):
        return self._generator.bit_generator._rng

    def seed(self, seed=None):
        """Begins anew with a seed, or with one of the system's."""
        if isinstance(seed, ndarray):
            seed = seed.get()
        self._generator = Generator(self._make(seed if seed is None else SeedSequence(seed)))

    # --- uniform numbers ---
    def rand(self, *size, **kwarg):
        """Uniform in [0, 1), of the shape that the arguments are."""
        return self.random_sample(size, _only_dtype(kwarg))

    def random_sample(self, size=None, dtype=float):
        """Uniform in [0, 1)."""
        return _r.rng_random(self._rng, size, dtype)

    def uniform(self, low=0.0, high=1.0, size=None, dtype=float):
        """Uniform in [low, high); of numbers in the other order, in (high, low]."""
        if isinstance(low, (int, float)) and isinstance(high, (int, float)) and high < low:
            return -_r.rng_uniform(self._rng, -low, -high, size, dtype)  # low + (high - low) u: signs round alike
        return _r.rng_uniform(self._rng, low, high, size, dtype)

    def randint(self, low, high=None, size=None, dtype=int):
        """Whole numbers in [low, high), or [0, low)."""
        low, high, dtype, endpoint = _bounds(low, high, dtype, False)
        return _r.rng_integers(self._rng, low, high, endpoint, size, dtype)

    def random_integers(self, low, high=None, size=None):
        """Whole numbers in [low, high], or [1, low]."""
        if high is None:
            low, high = 1, low
        return self.randint(low, high + 1, size)

    def tomaxint(self, size=None):
        """Whole numbers that int64 holds, from 0 on."""
        return _r.rng_integers(self._rng, 0, 0x7fffffffffffffff, True, size)

    def bytes(self, length):
        """Random bytes."""
        return self._generator.bytes(length)

    # --- normal numbers ---
    def randn(self, *size, **kwarg):
        """Normal numbers of mean 0 and deviation 1, of the shape that the arguments are."""
        return self.standard_normal(size, _only_dtype(kwarg))

    def standard_normal(self, size=None, dtype=float):
        """Normal numbers of mean 0 and deviation 1."""
        return _r.rng_normal(self._rng, 0.0, 1.0, size, dtype)

    def normal(self, loc=0.0, scale=1.0, size=None, dtype=float):
        """Normal numbers."""
        return _r.rng_normal(self._rng, loc, scale, size, dtype)

    def lognormal(self, mean=0.0, sigma=1.0, size=None, dtype=float):
        """Numbers whose logarithms are normal."""
        return _r.rng_lognormal(self._rng, mean, sigma, size, dtype)

    def multivariate_normal(self, mean, cov, size=None, check_valid="ignore", tol=1e-8, method="cholesky", dtype=float):
        """Normal vectors along a new last axis."""
        return self._generator.multivariate_normal(mean, cov, size, check_valid, tol, method=method, dtype=dtype)

    # --- others of real numbers ---
    def standard_exponential(self, size=None, dtype=float):
        """Exponential numbers of mean 1."""
        return _r.rng_exponential(self._rng, 1.0, size, dtype)

    def exponential(self, scale=1.0, size=None, dtype=float):
        """Exponential numbers of that mean."""
        return _r.rng_exponential(self._rng, scale, size, dtype)

    def standard_gamma(self, shape, size=None, dtype=float):
        """Gamma numbers of scale 1."""
        return _r.rng_gamma(self._rng, shape, 1.0, size, dtype)

    def gamma(self, shape, scale=1.0, size=None, dtype=float):
        """Gamma numbers."""
        return _r.rng_gamma(self._rng, shape, scale, size, dtype)

    def beta(self, a, b, size=None, dtype=float):
        """Beta numbers."""
        return _r.rng_beta(self._rng, a, b, size, dtype)

    def chisquare(self, df, size=None, dtype=float):
        """Chi-square numbers."""
        return _r.rng_chisquare(self._rng, df, size, dtype)

    def noncentral_chisquare(self, df, nonc, size=None, dtype=float):
        """Noncentral chi-square numbers."""
        return _r.rng_noncentral_chisquare(self._rng, df, nonc, size, dtype)

    def f(self, dfnum, dfden, size=None, dtype=float):
        """Numbers of Fisher's F."""
        return _r.rng_f(self._rng, dfnum, dfden, size, dtype)

    def noncentral_f(self, dfnum, dfden, nonc, size=None, dtype=float):
        """Numbers of the noncentral F."""
        return _r.rng_noncentral_f(self._rng, dfnum, dfden, nonc, size, dtype)

    def standard_t(self, df, size=None, dtype=float):
        """Numbers of Student's t."""
        return _r.rng_standard_t(self._rng, df, size, dtype)

    def standard_cauchy(self, size=None, dtype=float):
        """Numbers of Cauchy's distribution."""
        return _r.rng_standard_cauchy(self._rng, size, dtype)

    def laplace(self, loc=0.0, scale=1.0, size=None, dtype=float):
        """Numbers of Laplace's distribution."""
        return _r.rng_laplace(self._rng, loc, scale, size, dtype)

    def logistic(self, loc=0.0, scale=1.0, size=None, dtype=float):
        """Logistic numbers."""
        return _r.rng_logistic(self._rng, loc, scale, size, dtype)

    def gumbel(self, loc=0.0, scale=1.0, size=None, dtype=float):
        """Numbers of Gumbel's distribution."""
        return _r.rng_gumbel(self._rng, loc, scale, size, dtype)

    def rayleigh(self, scale=1.0, size=None, dtype=float):
        """Numbers of Rayleigh's distribution."""
        return _r.rng_rayleigh(self._rng, scale, size, dtype)

    def weibull(self, a, size=None, dtype=float):
        """Numbers of Weibull's distribution."""
        return _r.rng_weibull(self._rng, a, size, dtype)

    def pareto(self, a, size=None, dtype=float):
        """Numbers of Pareto's distribution of the second kind."""
        return _r.rng_pareto(self._rng, a, size, dtype)

    def power(self, a, size=None, dtype=float):
        """Numbers in [0, 1] whose a-th powers are uniform."""
        return _r.rng_power(self._rng, a, size, dtype)

    def triangular(self, left, mode, right, size=None, dtype=float):
        """Numbers of a triangular distribution."""
        return _r.rng_triangular(self._rng, left, mode, right, size, dtype)

    def wald(self, mean, scale, size=None, dtype=float):
        """Inverse Gaussian numbers."""
        return _r.rng_wald(self._rng, mean, scale, size, dtype)

    def vonmises(self, mu, kappa, size=None, dtype=float):
        """Angles of von Mises' distribution."""
        return _r.rng_vonmises(self._rng, mu, kappa, size, dtype)

    def dirichlet(self, alpha, size=None, dtype=float):
        """Shares that add up to 1, along a new last axis."""
        return _r.rng_dirichlet(self._rng, alpha, size, dtype)

    # --- whole numbers ---
    def poisson(self, lam=1.0, size=None, dtype=int):
        """Poisson's whole numbers."""
        return _r.rng_poisson(self._rng, lam, size, dtype)

    def binomial(self, n, p, size=None, dtype=int):
        """Successes of n tries."""
        return _r.rng_binomial(self._rng, n, p, size, dtype)

    def negative_binomial(self, n, p, size=None, dtype=int):
        """Failures before the n-th success."""
        return _r.rng_negative_binomial(self._rng, n, p, size, dtype)

    def geometric(self, p, size=None, dtype=int):
        """Tries up to the first success."""
        return _r.rng_geometric(self._rng, p, size, dtype)

    def hypergeometric(self, ngood, nbad, nsample, size=None, dtype=int):
        """Good ones in a sample without replacement."""
        return _r.rng_hypergeometric(self._rng, ngood, nbad, nsample, size, dtype)

    def logseries(self, p, size=None, dtype=int):
        """Whole numbers of the logarithmic series."""
        return _r.rng_logseries(self._rng, p, size, dtype)

    def zipf(self, a, size=None, dtype=int):
        """Whole numbers of Zipf's distribution."""
        return _r.rng_zipf(self._rng, a, size, dtype)

    def multinomial(self, n, pvals, size=None):
        """How often each of several things happens in n tries, along a new last axis."""
        return _r.rng_multinomial(self._rng, n, _array(pvals), size)

    # --- order ---
    def choice(self, a, size=None, replace=True, p=None):
        """Elements of a 1-d array, or of the integers below a, with probabilities p."""
        if getattr(a, "ndim", 0) > 1:
            raise ValueError("a must be 1-dimensional or an integer")
        return self._generator.choice(a, size, replace, p)

    def permutation(self, a):
        """The slices of an array along its first axis in random order; of an integer, 0 to a - 1."""
        return self._generator.permutation(a)

    def shuffle(self, a):
        """Puts the slices of an array along its first axis into random order, in place."""
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
    """Puts another RandomState in its place."""
    global _now
    if not isinstance(rs, RandomState):
        raise TypeError(f"Random state must be an instance of RandomState. Actual: {type(rs)}")
    _now = rs


def reset_states():
    """The next function begins with a new RandomState."""
    global _now
    _now = None


def seed(seed=None):
    """Begins the process's state anew."""
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
