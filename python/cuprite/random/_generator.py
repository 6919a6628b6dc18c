"""Generator: numpy.random.Generator's methods on Cuprite's arrays."""
import operator

from cuprite import _random as _r
from cuprite._core import asarray, empty, ndarray
from cuprite.random._bits import BitGenerator, Philox
from cuprite.random._distributions import GeneratorDistributions


def default_rng(seed=None) -> "Generator":
    """A Generator of Philox 4x64 with that seed: an integer, integers, a SeedSequence, or None; a BitGenerator is given
    one, a Generator comes back.

    Parameters: seed: see above.

    Example:
        >>> cp.random.default_rng(3).normal(size=5).shape
        (5,)
    """
    if isinstance(seed, Generator):
        return seed
    if isinstance(seed, BitGenerator):
        return Generator(seed)
    return Generator(Philox(seed))


def _integer_type(dtype):
    import numpy
    t = numpy.dtype(dtype)
    if t.kind not in "iub":
        raise TypeError(f"Unsupported dtype {t!r} for integers")
    return t


def _integer(x):
    """An integer that is beyond int64, as NumPy has it."""
    if type(x) is int and x > 0x7fffffffffffffff:
        import numpy
        return numpy.uint64(x)
    return x


def _bounds(low, high, dtype, endpoint):
    """What NumPy says of numbers that no type holds; else the bounds for the library, and whether the upper one is
    among the numbers."""
    if high is None:
        low, high = 0, low
    import numpy
    t = _integer_type(dtype)
    least, most = (0, 1) if t.kind == "b" else (int(numpy.iinfo(t).min), int(numpy.iinfo(t).max))
    out = []
    for name, x in (("low", low), ("high", high)):
        if isinstance(x, (list, tuple)):
            x = numpy.asarray(x)
        if isinstance(x, numpy.ndarray) and x.dtype == object:
            values = x.ravel().tolist()
            if any(v < least for v in values) or any(v > most + (name == "high" and not endpoint) for v in values):
                raise ValueError(f"{name} is out of bounds for {t.name}")
            if name == "high" and not endpoint:
                x = x - 1  # 2^64 is a bound, but no number
                endpoint_of_high = True
            else:
                endpoint_of_high = endpoint
            x = asarray(x.astype(t))
            if name == "high" and endpoint_of_high != endpoint:
                return out[0], x, t, True
        elif isinstance(x, numpy.ndarray):
            x = asarray(x)
        out.append(x)
    low, high = out
    if isinstance(low, int) and low < least:
        raise ValueError(f"low is out of bounds for {t.name}")
    if isinstance(high, int) and high - (not endpoint) > most:
        raise ValueError(f"high is out of bounds for {t.name}")
    if isinstance(high, int) and isinstance(low, int):
        if low > high - (not endpoint):
            raise ValueError("low > high" if endpoint else "low >= high")
        return _integer(low), _integer(high - (not endpoint)), t, True
    return _integer(low), _integer(high), t, endpoint


class Generator(GeneratorDistributions):
    """Draws numbers of distributions from a bit generator's words; methods are numpy.random.Generator's. Parameters may
    be arrays, which broadcast; results are arrays on the current device.

    Parameters: bit_generator: Philox(seed), or another BitGenerator.
    Errors: TypeError for what is none."""

    def __init__(self, bit_generator):
        if not isinstance(bit_generator, BitGenerator):
            raise TypeError("Bit generator must be instantiated: Generator(Philox(seed))"
                            if isinstance(bit_generator, type) else f"{type(bit_generator)} is no BitGenerator")
        self.bit_generator = bit_generator

    @property
    def _rng(self):
        return self.bit_generator._rng

    def __repr__(self):
        return f"Generator({type(self.bit_generator).__name__})"

    def __reduce__(self):
        return Generator, (self.bit_generator,)

    def spawn(self, n_children) -> "list[Generator]":
        """Generators whose seeds are made of this one's.

        Parameters: n_children: how many.
        Result: a list."""
        return [type(self)(b) for b in self.bit_generator.spawn(n_children)]

    # --- uniform numbers: NumPy's bits ---
    def random(self, size=None, dtype=float, out=None) -> ndarray:
        """Uniform in [0, 1).

        Parameters: size: the shape of the result (None: that of the parameters); dtype: float32 or float64; out: an
            array that takes the numbers and is returned (None: a new one).
        Errors: TypeError for a dtype that it does not draw."""
        return _r.rng_random(self._rng, size, dtype, out)

    def integers(self, low, high=None, size=None, dtype=int, endpoint=False) -> ndarray:
        """Integers in [low, high), or [low, high] with endpoint; in [0, low) of one bound.

        Parameters: low: the lower bound; high: the upper bound (None: `low` is it, and 0 the lower one); size: the
            shape of the result (None: that of the parameters); dtype: an integer type; endpoint: True: the upper
            bound is drawn too.
        Errors: ValueError where nothing lies between the bounds, or the type cannot hold them; TypeError for no
            integer type."""
        if _is_empty(size):
            return empty(size, _integer_type(dtype))  # as NumPy: bounds of no numbers are not looked at
        low, high, dtype, endpoint = _bounds(low, high, dtype, endpoint)
        return _r.rng_integers(self._rng, low, high, bool(endpoint), size, dtype)

    def bytes(self, length):
        """Random bytes.

        Parameters: length: how many, an integer not below 0.
        Result: a bytes object.
        Errors: ValueError for a negative length."""
        n = operator.index(length)
        if n < 0:
            raise ValueError("length is negative")
        words = _r.rng_integers(self._rng, 0, 0xffffffff, True, -(-n // 4), "u4")
        return words.get().astype("<u4").tobytes()[:n]

    # --- distributions: all others of one number an element are GeneratorDistributions' ---
    def standard_exponential(self, size=None, dtype=float, method="zig", out=None) -> ndarray:
        """Exponential numbers of mean 1. Both methods, 'zig' and 'inv', are the inverse here.

        Parameters: size: the shape of the result (None: that of the parameters); dtype: float32 or float64; method:
            'zig' or 'inv'; out: an array that takes the numbers and is returned (None: a new one).
        Errors: ValueError for another method; TypeError for a dtype that it does not draw."""
        if method not in ("zig", "inv"):
            raise ValueError(f"method must be 'zig' or 'inv', not {method!r}")
        return _r.rng_exponential(self._rng, 1.0, size, dtype, out)

    # --- of several numbers ---
    def dirichlet(self, alpha, size=None, dtype=float) -> ndarray:
        """Shares that add up to 1, along a new last axis.

        Parameters: alpha: the parameters of the shares, none below 0; size: the shape of the result (None: that of
            the parameters); dtype: float32 or float64.
        Errors: ValueError for a negative alpha; TypeError for an alpha without axes and for a dtype
            that it does not draw."""
        alpha = _array(alpha)
        if not alpha.ndim:
            raise TypeError("alpha has no length")
        return _r.rng_dirichlet(self._rng, alpha, size, dtype)

    def multinomial(self, n, pvals, size=None, dtype=int) -> ndarray:
        """How often each of several things happens in n tries, along a new last axis.

        Parameters: n: the number of tries; pvals: the probabilities, along the last axis; size: the shape of the
            result (None: that of the parameters); dtype: an integer type.
        Errors: ValueError for a negative n, or probabilities that are none; TypeError for a dtype that it does not
            draw."""
        return _r.rng_multinomial(self._rng, n, pvals, size, dtype)

    def multivariate_hypergeometric(self, colors, nsample, size=None, method="marginals") -> ndarray:
        """How many of each colour are in a sample. Both methods, 'marginals' and 'count', are the first one here.

        Parameters: colors: how many there are of each colour, a sequence of integers; nsample: the size of the
            sample; size: the shape of the result (None: that of the parameters); method: 'marginals' or 'count'.
        Result: an array of int64, the colours along a new last axis.
        Errors: ValueError for another method, negative numbers, or a sample larger than all."""
        if method not in ("marginals", "count"):
            raise ValueError('method must be "count" or "marginals".')
        try:
            nsample = operator.index(nsample)
        except TypeError:
            raise ValueError("nsample must be an integer") from None
        return _r.rng_multivariate_hypergeometric(self._rng, colors, nsample, size)

    def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8,
                            *, method="svd", dtype=float) -> ndarray:
        """Normal vectors along a new last axis: normal numbers times a factor of the covariance, its Cholesky factor
        or, of its singular or eigenvectors, the symmetric root, which is one whatever vectors a library finds.

        Parameters: mean: the mean, a vector; cov: the covariance, a matrix; size: the shape of the result (None:
            that of the parameters); check_valid: 'warn', 'raise' or 'ignore': what happens where it is not positive
            semidefinite; tol: how far from that it may be; method: 'svd', 'eigh' or 'cholesky'; dtype: float32 or
            float64.
        Errors: ValueError for an unknown method or check_valid, and where check_valid says so; TypeError for a dtype
            that it does not draw."""
        if method not in ("svd", "eigh", "cholesky"):
            raise ValueError("method must be one of {'eigh', 'svd', 'cholesky'}")
        if check_valid not in ("warn", "raise", "ignore"):
            raise ValueError("check_valid must equal 'warn', 'raise', or 'ignore'")
        return _r.rng_multivariate_normal(self._rng, _array(mean), _array(cov), tol, size, check_valid, method, dtype)

    # --- order ---
    def permutation(self, x, axis=0) -> ndarray:
        """The slices of x along an axis in random order; of an integer, 0 to x - 1.

        Parameters: x: an array, a sequence or an integer; axis: the axis whose slices are moved.
        Result: a new array.
        Errors: TypeError for a NumPy array without axes; AxisError for an axis out of bounds."""
        if isinstance(x, (list, tuple)) or getattr(x, "ndim", 0):
            return _r.rng_shuffled(self._rng, _array(x), axis)
        try:
            if hasattr(x, "shape") and type(x).__name__ == "ndarray":
                raise TypeError  # of no axis, as in NumPy
            n = operator.index(x)
        except TypeError:
            from numpy.exceptions import AxisError
            raise AxisError(axis, 0) from None
        return _r.rng_permutation(self._rng, max(n, 0))

    def permuted(self, x, *, axis=None, out=None) -> ndarray:
        """x with each slice along an axis shuffled independently; axis None: all elements.

        Parameters: x: an array or a sequence; axis: the axis (None: all elements); out: an array that takes the
            result (None: a new one).
        Errors: TypeError for an x without axes and an `out` that is no array; ValueError for an `out` of another
            shape; AxisError for an axis out of bounds."""
        if not isinstance(x, (list, tuple)) and not getattr(x, "ndim", 0):
            raise TypeError("len() of unsized object")
        r = _r.rng_permuted(self._rng, _array(x), axis)
        if out is None:
            return r
        if not isinstance(out, ndarray):
            raise TypeError("out must be an array")
        if out.shape != r.shape:
            raise ValueError("out must have the same shape as x")
        out[...] = r
        return out

    def shuffle(self, x, axis=0) -> None:
        """Puts the slices of x along an axis into random order, in place; a list too.

        Parameters: x: an array, or a list or another mutable sequence; axis: the axis whose slices are moved.
        Result: None.
        Errors: TypeError for what is neither or has no axes; NotImplementedError for another axis of a list than the
            first; AxisError for an axis out of bounds."""
        if isinstance(x, list):
            if axis != 0:
                raise NotImplementedError("Axis argument is only supported on ndarray objects")
            x[:] = [x[i] for i in self.permutation(len(x)).tolist()]
            return
        if not isinstance(x, ndarray):
            raise TypeError(f"x must be an array, not {type(x)}")
        if not x.ndim:
            raise TypeError("len() of unsized object")
        _r.rng_shuffle(self._rng, x, axis)

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True) -> ndarray:
        """Elements of `a` (its slices along an axis), or of the integers below it, with probabilities p. Without
        replacement they always come in random order, whether or not it is asked for.

        Parameters: a: an array, a sequence or an integer; size: the shape of the result (None: one); replace: True:
            an element may come again; p: the probabilities (None: all alike); axis: the axis of `a` whose slices are
            drawn; shuffle: True or False (has no effect).
        Errors: TypeError for a shuffle that is no truth value and p without axes; ValueError for an empty `a`, an
            `a` that is neither, probabilities that are none or do not add up to 1, and more elements than there are
            without replacement."""
        if not isinstance(shuffle, (bool, int)):
            raise TypeError("shuffle must be a bool")
        array = None
        if hasattr(a, "shape") and getattr(a, "ndim", 0) or isinstance(a, (list, tuple)):
            array = _array(a)
            n = array.shape[axis]
        else:
            try:
                n = operator.index(a)
            except TypeError:
                raise ValueError(f"a must be a sequence or an integer, not {type(a)}") from None
        if p is not None:
            p = _array(p)
            if not p.ndim:
                raise TypeError("p has no length")
        if array is not None and n == 0 and not _is_empty(size):
            raise ValueError("a cannot be empty unless no samples are taken")
        at = _r.rng_choice(self._rng, n, bool(replace), p, size)
        return at if array is None else _r.rng_gather(array, at.to_device(array.device), axis)


def _is_empty(size):
    return size is not None and (0 in size if hasattr(size, "__iter__") else size == 0)


def _array(x):
    return x if isinstance(x, ndarray) else asarray(x)


__all__ = ["Generator", "default_rng"]
