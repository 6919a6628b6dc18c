"""Generators that SciPy's functions take: seeds, Cuprite's generators, and NumPy's, whose numbers become arrays."""
from __future__ import annotations

import sys

import cuprite
from cuprite import _numpy as numpy
from cuprite import ndarray


class _OfNumpy:
    """A generator of NumPy's, old or new: the methods of Cuprite's."""

    def __init__(self, generator):
        self._generator = generator

    def __getattr__(self, name):
        draw = getattr(self._generator, name, None)
        if draw is None and name == "integers":
            draw = self._generator.randint
        if draw is None:
            raise AttributeError(name)

        def call(*args, **options):
            args = [v.get() if isinstance(v, ndarray) else v for v in args]
            return cuprite.asarray(draw(*args, **options))
        return call


def generator(seed):
    """The generator that a seed, or a generator, stands for."""
    if isinstance(seed, (numpy.there("Generator", "numpy.random"), numpy.there("RandomState", "numpy.random"))):
        return _OfNumpy(seed)
    if seed is not None and seed is sys.modules.get("numpy.random"):
        return _OfNumpy(numpy.random.mtrand._rand)
    return seed if hasattr(seed, "standard_normal") else cuprite.random.default_rng(seed)
