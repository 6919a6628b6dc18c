"""Polynomials by their coefficients, the lowest power first: cuprite.polynomial.polynomial, and polyutils."""
from __future__ import annotations


def __getattr__(name):
    if name not in ("polynomial", "polyutils"):
        raise AttributeError(f"module 'cuprite.polynomial' has no attribute {name!r}")
    import importlib
    return importlib.import_module("cuprite.polynomial." + name)
