"""Polynomials by their coefficients, the lowest degree first: modules of the power series (polynomial) and of five
orthogonal bases, a class for each, and polyutils. They are imported when they are first asked for."""
from __future__ import annotations
from cuprite._missing import listing as _listing, missing as _missing

__all__ = ["Chebyshev", "Hermite", "HermiteE", "Laguerre", "Legendre", "Polynomial", "chebyshev", "hermite",
           "hermite_e", "laguerre", "legendre", "polynomial", "polyutils"]

_CLASSES = {"Chebyshev": "chebyshev", "Hermite": "hermite", "HermiteE": "hermite_e", "Laguerre": "laguerre",
            "Legendre": "legendre", "Polynomial": "polynomial"}


def __getattr__(name):
    if name not in __all__:
        raise _missing(__name__, name)
    import importlib
    module = importlib.import_module("cuprite.polynomial." + _CLASSES.get(name, name))
    return getattr(module, name) if name in _CLASSES else module


__dir__ = _listing(__name__)
