"""Random numbers: generators, distributions, shuffling, with the names of cupy.random and numpy.random.

    rng = cp.random.default_rng(42)
    x, k = rng.standard_normal((1000, 3)), rng.integers(0, 10, 100)

The same seed gives the same numbers on every device and with any number of threads. Numbers of `default_rng` come from
Philox 4x64, and `random` and `integers` are NumPy's `Generator(Philox(seed))` bit for bit (CuPy's default is XORWOW,
which is here as `Generator(XORWOW(seed))`). RandomState and the functions draw from Philox 4x32, which is faster.
"""
from __future__ import annotations

from cuprite.random._bits import BitGenerator, MRG32k3a, Philox, Philox4x3210, SeedSequence, XORWOW
from cuprite.random._generator import Generator, default_rng
from cuprite.random._state import (
    RandomState, beta, binomial, bytes, chisquare, choice, dirichlet, exponential, f, gamma, geometric,
    get_random_state, gumbel, hypergeometric, laplace, logistic, lognormal, logseries, multinomial,
    multivariate_normal, negative_binomial, noncentral_chisquare, noncentral_f, normal, pareto, permutation, poisson,
    power, rand, randint, randn, random, random_integers, random_sample, ranf, rayleigh, reset_states, sample, seed,
    set_random_state, shuffle, standard_cauchy, standard_exponential, standard_gamma, standard_normal, standard_t,
    triangular, uniform, vonmises, wald, weibull, zipf)

__all__ = [
    "BitGenerator", "Generator", "MRG32k3a", "Philox", "Philox4x3210", "RandomState", "SeedSequence", "XORWOW", "beta",
    "binomial", "bytes", "chisquare", "choice", "default_rng", "dirichlet", "exponential", "f", "gamma", "geometric",
    "get_random_state", "gumbel", "hypergeometric", "laplace", "logistic", "lognormal", "logseries", "multinomial",
    "multivariate_normal", "negative_binomial", "noncentral_chisquare", "noncentral_f", "normal", "pareto",
    "permutation", "poisson", "power", "rand", "randint", "randn", "random", "random_integers", "random_sample", "ranf",
    "rayleigh", "reset_states", "sample", "seed", "set_random_state", "shuffle", "standard_cauchy",
    "standard_exponential", "standard_gamma", "standard_normal", "standard_t", "triangular", "uniform", "vonmises",
    "wald", "weibull", "zipf",
]
