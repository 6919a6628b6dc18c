"""RandomState and the functions of cupy.random: one state for the process, on the same generators as Generator.

Methods and functions that draw one number for each element are made of rows: _distributions, _functions.
"""
import os

from cuprite import _random as _r
from cuprite._core import asarray, ndarray
from cuprite.random._bits import MRG32k3a, Philox4x3210, XORWOW
from cuprite.random._distributions import StateDistributions
from cuprite.random._generator import Generator, _array, _bounds

_METHODS = {None: Philox4x3210, 100: Philox4x3210, 101: XORWOW, 121: MRG32k3a, 161: Philox4x3210}  # cuRAND's numbers


class RandomState(StateDistributions):
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

    def seed(self, seed=None) -> None:
        """Begins anew with a seed, or with one of the system's.

        Parameters: seed: an integer, a sequence or an array of integers, or None.
        Errors: TypeError or ValueError for what is no seed."""
        self._generator = Generator(self._make(seed))

    # --- uniform numbers ---
    def rand(self, *size, **kwarg) -> ndarray:
        """Uniform in [0, 1), of the shape that the arguments are.

        Parameters: *size: the shape of the result, one number an axis; **kwarg: dtype, float32 or float64.
        Errors: TypeError for a dtype that it does not draw.

        Example:
            >>> cp.random.rand(2, 3).shape
            (2, 3)
        """
        return self.random_sample(size, _only_dtype(kwarg))

    def random_sample(self, size=None, dtype=float) -> ndarray:
        """Uniform in [0, 1).

        Parameters: size: the shape of the result (None: that of the parameters); dtype: float32 or float64.
        Errors: TypeError for a dtype that it does not draw.

        Example:
            >>> cp.random.random_sample((2, 3)).shape
            (2, 3)
        """
        return _r.rng_random(self._rng, size, dtype)

    def uniform(self, low=0.0, high=1.0, size=None, dtype=float) -> ndarray:
        """Uniform in [low, high); of numbers in the other order, in (high, low].

        Parameters: low: the lower bound; high: the upper bound; size: the shape of the result (None: that of the
            parameters); dtype: float32 or float64.
        Errors: OverflowError for bounds whose distance is not finite; TypeError for a dtype that it does not draw.

        Example:
            >>> cp.random.uniform(0, 1, size=3).shape
            (3,)
        """
        if isinstance(low, (int, float)) and isinstance(high, (int, float)) and high < low:
            return -_r.rng_uniform(self._rng, -low, -high, size, dtype)  # low + (high - low) u: signs round alike
        return _r.rng_uniform(self._rng, low, high, size, dtype)

    def randint(self, low, high=None, size=None, dtype=int) -> ndarray:
        """Integers in [low, high), or [0, low).

        Parameters: low: the lower bound; high: the upper bound, which is not drawn (None: `low` is it, and 0 the
            lower one); size: the shape of the result (None: that of the parameters); dtype: an integer type.
        Errors: ValueError where nothing lies between the bounds, or the type cannot hold them; TypeError for no
            integer type.

        Example:
            >>> cp.random.randint(0, 10, size=(2, 2)).shape
            (2, 2)
        """
        low, high, dtype, endpoint = _bounds(low, high, dtype, False)
        return _r.rng_integers(self._rng, low, high, endpoint, size, dtype)

    def random_integers(self, low, high=None, size=None) -> ndarray:
        """Integers in [low, high], or [1, low].

        Parameters: low: the lower bound; high: the upper bound, which is drawn too (None: `low` is it, and 1 the
            lower one); size: the shape of the result (None: that of the parameters).
        Errors: ValueError where nothing lies between the bounds."""
        if high is None:
            low, high = 1, low
        return self.randint(low, high + 1, size)

    def tomaxint(self, size=None) -> ndarray:
        """Integers that int64 holds, from 0 on.

        Parameters: size: the shape of the result (None: that of the parameters)."""
        return _r.rng_integers(self._rng, 0, 0x7fffffffffffffff, True, size)

    def bytes(self, length):
        """Random bytes.

        Parameters: length: how many, an integer not below 0.
        Result: a bytes object.
        Errors: ValueError for a negative length."""
        return self._generator.bytes(length)

    # --- normal numbers ---
    def randn(self, *size, **kwarg) -> ndarray:
        """Normal numbers of mean 0 and deviation 1, of the shape that the arguments are.

        Parameters: *size: the shape of the result, one number an axis; **kwarg: dtype, float32 or float64.
        Errors: TypeError for a dtype that it does not draw.

        Example:
            >>> cp.random.randn(4).dtype
            dtype('float64')
        """
        return self.standard_normal(size, _only_dtype(kwarg))

    def multivariate_normal(self, mean, cov, size=None, check_valid="ignore", tol=1e-8,
                            method="cholesky", dtype=float) -> ndarray:
        """Normal vectors along a new last axis.

        Parameters: mean: the mean, a vector; cov: the covariance, a matrix; size: the shape of the result (None:
            that of the parameters); check_valid: 'warn', 'raise' or 'ignore': what happens where it is not positive
            semidefinite; tol: how far from that it may be; method: 'svd', 'eigh' or 'cholesky'; dtype: float32 or
            float64.
        Errors: ValueError for an unknown method or check_valid, and where check_valid says so; TypeError for a dtype
            that it does not draw."""
        return self._generator.multivariate_normal(mean, cov, size, check_valid, tol, method=method, dtype=dtype)

    def dirichlet(self, alpha, size=None, dtype=float) -> ndarray:
        """Shares that add up to 1, along a new last axis.

        Parameters: alpha: the parameters of the shares, none below 0; size: the shape of the result (None: that of
            the parameters); dtype: float32 or float64.
        Errors: ValueError for a negative alpha; TypeError for a dtype that it does not draw."""
        return _r.rng_dirichlet(self._rng, alpha, size, dtype)

    def hypergeometric(self, ngood, nbad, nsample, size=None, dtype=int) -> ndarray:
        """Good ones in a sample without replacement.

        Parameters: ngood: how many good ones there are; nbad: how many others; nsample: the size of the sample, at
            least 1; size: the shape of the result (None: that of the parameters); dtype: an integer type.
        Errors: ValueError for negative numbers, no sample, or one larger than all; TypeError for a dtype that it does
            not draw."""
        if (asarray(nsample) < 1).any():
            raise ValueError("nsample < 1")
        return _r.rng_hypergeometric(self._rng, ngood, nbad, nsample, size, dtype)

    def multinomial(self, n, pvals, size=None) -> ndarray:
        """How often each of several things happens in n tries, along a new last axis.

        Parameters: n: the number of tries; pvals: the probabilities, along the last axis; size: the shape of the
            result (None: that of the parameters).
        Errors: ValueError for a negative n, or probabilities that are none."""
        return _r.rng_multinomial(self._rng, n, _array(pvals), size)

    # --- order ---
    def choice(self, a, size=None, replace=True, p=None) -> ndarray:
        """Elements of a 1-d array, or of the integers below a, with probabilities p.

        Parameters: a: an array of one axis, or an integer; size: the shape of the result (None: one element);
            replace: True: an element may come again; p: the probabilities of the elements (None: all alike).
        Errors: ValueError for an `a` of more axes or without elements, probabilities that are none or do not add up
            to 1, and more elements than there are without replacement.

        Example:
            >>> cp.random.choice(5, size=3).shape
            (3,)
        """
        if isinstance(a, (list, tuple)):
            a = asarray(a)
        if getattr(a, "ndim", 0) > 1:
            raise ValueError("a must be 1-dimensional or an integer")
        return self._generator.choice(a, size, replace, p)

    def permutation(self, a) -> ndarray:
        """The slices of an array along its first axis in random order; of an integer, 0 to a - 1.

        Parameters: a: an array or an integer.
        Errors: AxisError for what has no axes and is no integer.

        Example:
            >>> cp.sort(cp.random.permutation(4))
            array([0, 1, 2, 3])
        """
        return self._generator.permutation(a)

    def shuffle(self, a) -> None:
        """Puts the slices of an array along its first axis into random order, in place.

        Parameters: a: the array, which is changed.
        Result: None.

        Example:
            >>> x = cp.arange(5)
            >>> cp.random.shuffle(x)
            >>> cp.sort(x)
            array([0, 1, 2, 3, 4])
        """
        self._generator.shuffle(a)


def _only_dtype(given):
    dtype = given.pop("dtype", float)
    if given:
        raise TypeError(f"got an unexpected keyword argument {next(iter(given))!r}")
    return dtype


# --- the process's state ---
_now = None


def get_random_state() -> "RandomState":
    """The RandomState of the functions below: one for all devices, whose numbers do not depend on them. Its first seed
    is the environment's CUPY_SEED, or one of the system's."""
    global _now
    if _now is None:
        text = os.environ.get("CUPY_SEED")
        state = RandomState(int(text) if text else None)
        if _now is None:
            _now = state
    return _now


def set_random_state(rs) -> None:
    """Replaces the global RandomState.

    Parameters: rs: a RandomState.
    Errors: TypeError for what is none."""
    global _now
    if not isinstance(rs, RandomState):
        raise TypeError(f"Random state must be an instance of RandomState. Actual: {type(rs)}")
    _now = rs


def reset_states() -> None:
    """The next function begins with a new RandomState."""
    global _now
    _now = None


def seed(seed=None) -> None:
    """Begins the process's state anew.

    Parameters: seed: an integer, a sequence or an array of integers, or None: one of the system's.
    Errors: TypeError or ValueError for what is no seed.

    Example:
        >>> cp.random.seed(1)
        >>> first = cp.random.random()
        >>> cp.random.seed(1)
        >>> bool(cp.random.random() == first)
        True
    """
    get_random_state().seed(seed)


def rand(*size, **kwarg) -> ndarray:
    """Uniform in [0, 1), of the shape that the arguments are."""
    return get_random_state().rand(*size, **kwarg)


def random_sample(size=None, dtype=float) -> ndarray:
    """Uniform in [0, 1)."""
    return get_random_state().random_sample(size, dtype)


def random(size=None, dtype=float) -> ndarray:
    """Uniform in [0, 1)."""
    return get_random_state().random_sample(size, dtype)


def ranf(size=None, dtype=float) -> ndarray:
    """Uniform in [0, 1)."""
    return get_random_state().random_sample(size, dtype)


def sample(size=None, dtype=float) -> ndarray:
    """Uniform in [0, 1)."""
    return get_random_state().random_sample(size, dtype)


def uniform(low=0.0, high=1.0, size=None, dtype=float) -> ndarray:
    """Uniform in [low, high)."""
    return get_random_state().uniform(low, high, size, dtype)


def randint(low, high=None, size=None, dtype=int) -> ndarray:
    """Integers in [low, high), or [0, low)."""
    return get_random_state().randint(low, high, size, dtype)


def random_integers(low, high=None, size=None) -> ndarray:
    """Integers in [low, high], or [1, low]."""
    return get_random_state().random_integers(low, high, size)


def bytes(length):
    """Random bytes."""
    return get_random_state().bytes(length)


def randn(*size, **kwarg) -> ndarray:
    """Normal numbers of mean 0 and deviation 1, of the shape that the arguments are."""
    return get_random_state().randn(*size, **kwarg)


def multivariate_normal(mean, cov, size=None, check_valid="ignore", tol=1e-8,
                        method="cholesky", dtype=float) -> ndarray:
    """Normal vectors along a new last axis."""
    return get_random_state().multivariate_normal(mean, cov, size, check_valid, tol, method, dtype)


def dirichlet(alpha, size=None, dtype=float) -> ndarray:
    """Shares that add up to 1, along a new last axis."""
    return get_random_state().dirichlet(alpha, size, dtype)


def hypergeometric(ngood, nbad, nsample, size=None, dtype=int) -> ndarray:
    """Good ones in a sample without replacement."""
    return get_random_state().hypergeometric(ngood, nbad, nsample, size, dtype)


def multinomial(n, pvals, size=None) -> ndarray:
    """How often each of several things happens in n tries, along a new last axis."""
    return get_random_state().multinomial(n, pvals, size)


def choice(a, size=None, replace=True, p=None) -> ndarray:
    """Elements of a 1-d array, or of the integers below a, with probabilities p."""
    return get_random_state().choice(a, size, replace, p)


def permutation(a) -> ndarray:
    """The slices of an array along its first axis in random order; of an integer, 0 to a - 1."""
    return get_random_state().permutation(a)


def shuffle(a) -> None:
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
