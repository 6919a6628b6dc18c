"""Random numbers: generators, distributions, shuffling, with the names of cupy.random and numpy.random.

    rng = cp.random.default_rng(42)
    x, k = rng.standard_normal((1000, 3)), rng.integers(0, 10, 100)

The same seed gives the same numbers on every device and with any number of threads. Numbers of `default_rng` come from
Philox 4x64, and `random` and `integers` are NumPy's `Generator(Philox(seed))` bit for bit (CuPy's default is XORWOW,
which is here as `Generator(XORWOW(seed))`). RandomState and the functions draw from Philox 4x32, which is faster.
"""
from __future__ import annotations

from cuprite.random import _functions
from cuprite.random._bits import BitGenerator, MRG32k3a, Philox, Philox4x3210, XORWOW
from cuprite.random._functions import *  # noqa: F401,F403
from cuprite.random._generator import Generator, default_rng
from cuprite.random._state import (
    RandomState, bytes, choice, dirichlet, get_random_state, hypergeometric, multinomial, multivariate_normal,
    permutation, rand, randint, randn, random, random_integers, random_sample, ranf, reset_states, sample, seed,
    set_random_state, shuffle, uniform)
from cuprite._missing import listing as _listing, missing as _missing

__all__ = [
    "BitGenerator", "Generator", "MRG32k3a", "Philox", "Philox4x3210", "RandomState", "SeedSequence", "XORWOW",
    "bytes", "choice", "default_rng", "dirichlet", "get_random_state", "hypergeometric", "multinomial",
    "multivariate_normal", "permutation", "rand", "randint", "randn", "random", "random_integers", "random_sample",
    "ranf", "reset_states", "sample", "seed", "set_random_state", "shuffle", "uniform", *_functions.__all__,
]


def __getattr__(name):
    if name == "SeedSequence":  # NumPy's
        from numpy.random import SeedSequence
        globals()[name] = SeedSequence
        return SeedSequence
    raise _missing(__name__, name)


__dir__ = _listing(__name__)
