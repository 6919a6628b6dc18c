"""Functions of few numbers that SciPy computes on the host: arguments of ours become NumPy's, results arrays of ours on
the current device. SciPy is imported at the first call."""
import functools

import cuprite
from cuprite import _numpy as numpy
from cuprite import ndarray
from cuprite.scipy._installed import scipy_module

_ABOUT = {  # parameters that several functions have
    "A": "the state matrix", "B": "the input matrix", "C": "the output matrix", "D": "the feedthrough matrix",
    "N": "the filter's order, or how many points", "Q": "the quality: the frequency by its bandwidth",
    "T": "times, evenly spaced", "U": "the input at those times", "Wn": "the critical frequency, or two of them",
    "X0": "the state to begin with", "a": "the denominator's coefficients, or a value", "alpha": "of 'gbt', 0..1",
    "analog": "whether the filter is analog", "antisymmetric": "whether the coefficients are",
    "b": "the numerator's coefficients", "bands": "edges of bands", "btype": "'low', 'high', 'band' or 'bandstop'",
    "bw": "the bandwidth", "circular": "whether the window is turned, else a product",
    "cutoff": "the critical frequencies", "delta": "the samples' spacing", "den": "the denominator's coefficients",
    "deriv": "which derivative", "desired": "the gains at the edges, or in the bands", "dt": "the step of time",
    "fc": "the critical frequency", "freq": "frequencies", "fs": "the sampling rate", "ftype": "which kind",
    "gain": "the gains there", "gpass": "the most loss where it passes, in decibels",
    "gstop": "the least loss where it stops, in decibels",
    "grid_density": "the density of the places that are looked at", "h": "the filter's coefficients",
    "half": "whether the result has half the length", "hsize": "the shape",
    "include_nyquist": "whether the highest frequency is a point", "ind": "which edge", "input": "which input",
    "interp": "whether the input is linear between times, else constant", "k": "the gain, or the polynomial",
    "kind": "'ba' or 'zp'", "length": "how many bits", "maxiter": "the most iterations", "method": "which method",
    "n": "how many points", "n_fft": "the length of transforms", "nbits": "the register's bits",
    "nfreqs": "how many points", "norm": "'phase', 'delay' or 'mag'", "num": "the numerator's coefficients",
    "numtaps": "the length", "order": "the order", "output": "'ba', 'zpk' or 'sos'", "p": "the poles, or roots",
    "pairing": "how zeros and poles are paired", "pass_zero": "whether frequency 0 passes, or the kind of filter",
    "passb": "the edge that is not fixed", "plot": "a function that is called with the result", "poles": "the poles",
    "polyorder": "the polynomial's order", "pos": "the place", "r": "the residues",
    "ripple": "the ripple in decibels", "rp": "the ripple where it passes, in decibels",
    "rs": "the loss where it stops, in decibels", "rtol": "the relative tolerance", "rtype": "'avg', 'min' or 'max'",
    "scale": "whether the gain is 1 where it passes", "sos": "(sections, 6)", "state": "the register to begin with",
    "stopb": "the edges of what stops", "system": "the system, or a tuple of its coefficients", "t": "times",
    "taps": "which bits are combined", "tol": "what counts as equal", "type": "which kind", "u": "the input",
    "use": "'conv' or 'dot'", "w": "frequencies, or how many", "w0": "the frequency", "weight": "of the bands",
    "whole": "whether it goes round the whole circle", "width": "of the step from passing to stopping",
    "window": "a name, a tuple, or weights", "window_length": "the length", "wo": "the frequency",
    "worN": "frequencies, or how many", "wp": "the edges of what passes", "ws": "the edges of what stops",
    "x0": "the state to begin with", "z": "the zeros",
}


def scipy_signal():
    """scipy.signal. Errors: ImportError, in a line."""
    return scipy_module("signal", "cuprite.scipy.signal designs filters by SciPy")


def to_host(x):
    """x with NumPy's arrays in place of ours, and SciPy's systems of ours."""
    if isinstance(x, ndarray):
        return x.get()
    if hasattr(x, "_system"):
        return x._system
    if type(x) in (tuple, list):
        return type(x)(to_host(v) for v in x)
    return x


def to_device(x):
    """x with our arrays in place of NumPy's."""
    if isinstance(x, numpy.ndarray):
        return cuprite.asarray(x)
    if isinstance(x, tuple):
        parts = [to_device(v) for v in x]
        return type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)
    if type(x) is list:
        return [to_device(v) for v in x]
    if type(x).__name__ == "Bunch":
        return type(x)(**{name: to_device(v) for name, v in vars(x).items()})
    return x


# How many parameters SciPy takes without their names, where CuPy takes more
_UNNAMED = {"firls": 3, "firwin": 2, "firwin2": 3, "minimum_phase": 3}


def by_scipy(function):
    """The function that is scipy.signal's of that name; its docstring gets the parameters."""
    name = function.__name__
    code = function.__code__
    names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
    unnamed = _UNNAMED.get(name, len(names))

    @functools.wraps(function)
    def call(*args, **options):
        there = getattr(scipy_signal(), name, None) or getattr(scipy_signal(), _OTHERS.get(name, name))
        if len(args) > unnamed:
            import inspect
            options = inspect.signature(function).bind(*args, **options).arguments
            args = [options.pop(p) for p in names[:unnamed]]
        return to_device(there(*map(to_host, args), **{k: to_host(v) for k, v in options.items()}))
    call.__doc__ = f"{function.__doc__} Computed by SciPy on the host.\n\nParameters: " + "; ".join(
        f"{p}: {_ABOUT[p]}" for p in names) + ".\n"
    return call


_OTHERS = {"sosfreqz": "freqz_sos", "freqz_sos": "sosfreqz"}  # one of both before SciPy 1.15
