"""scipy.fft on Cuprite's arrays, with CuPy's plan=.

`overwrite_x` allows a function to overwrite its argument; it is accepted and has no effect. `workers` is checked and
has no effect either: the library uses its own threads (CUPRITE_NUM_THREADS sets their number), and gives the same bits
for any number of them."""
from __future__ import annotations

from operator import index as _index

from cuprite import _fft
from cuprite._element_types import type_of
from cuprite._fft import (  # noqa: F401
    fftfreq, fftshift, fht, fhtoffset, ifftshift, ifht, next_fast_len, rfftfreq)
from cuprite._fft_plans import Plan as _Plan
from cuprite._fft_plans import cook as _cook
from cuprite._fft_plans import current as _current_plan
from cuprite._fft_plans import get_fft_plan, is_single as _is_single  # noqa: F401
from cuprite._fft_plans import look_in_wheels as _look
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)

_look()

__all__ = [
    "fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "rfft", "irfft", "rfft2", "irfft2", "rfftn", "irfftn", "hfft",
    "ihfft", "hfft2", "ihfft2", "hfftn", "ihfftn", "dct", "idct", "dctn", "idctn", "dst", "idst", "dstn", "idstn",
    "fht", "ifht", "fhtoffset", "fftfreq", "rfftfreq", "fftshift", "ifftshift", "next_fast_len", "get_fft_plan"]

# SciPy's protocol of backends: `with scipy.fft.set_backend(cuprite.scipy.fft)`, transforms of SciPy's of Cuprite's
# arrays are these. What is asked of other arrays is another backend's.
__ua_domain__ = "numpy.scipy.fft"


def __ua_function__(method, args, kwargs):
    from cuprite import ndarray
    name = method.__name__
    given = args[0] if args else kwargs.get("x", kwargs.get("a", kwargs.get("A")))
    if name not in __all__ or not isinstance(given, ndarray):
        return NotImplemented
    return globals()[name](*args, **kwargs)


def _check_workers(workers):
    if workers is None:
        return
    import os
    n = _index(workers)
    if n == 0 or n < -(os.cpu_count() or 1):
        raise ValueError(f"workers: a number of threads, or one below 0 that counts from the processors, not {n}")


def _array(x):
    from cuprite import asarray, ndarray
    return x if isinstance(x, ndarray) else asarray(x)


def _ready(x, value_type, axes=None):
    """The array as SciPy takes it: half types give float32, where NumPy goes back to them; and what it refuses."""
    x = _array(x)
    if value_type == "C2R" and type_of(x).name in ("float16", "bfloat16"):
        x = x.astype("float32")
    if value_type != "C2C" and (axes == () or axes is None and x.ndim == 0):
        raise ValueError("at least 1 axis must be transformed")
    return x


def _check_plan(plan, x, s, axes, value_type):
    if plan is None:
        return  # what `with plan:` made current the transform itself heeds
    if _current_plan() is not None:
        raise RuntimeError("Use the cuFFT plan either as a context manager or as an argument.")
    if not isinstance(plan, _Plan):
        raise TypeError(f"plan: what get_fft_plan makes, not {type(plan).__name__}")
    plan.check(x, *_cook(x, s, axes, value_type), value_type, _is_single(x))


def _whole(given, word):
    """Lengths or axes as SciPy takes them: None, an integer or integers."""
    if given is None or hasattr(given, "__index__") and getattr(given, "ndim", 0) == 0:
        return given if given is None else (_index(given),)
    try:
        return tuple([_index(i) for i in given])
    except TypeError:
        raise ValueError(f"{word} must be a scalar or iterable of integers") from None


def _unique(x, axes):
    if axes is None or hasattr(axes, "__index__"):
        return axes
    axes = tuple(axes)
    if len({_index(a) % x.ndim if x.ndim and -x.ndim <= _index(a) < x.ndim else a for a in axes}) != len(axes):
        raise ValueError("all axes must be unique")
    return axes


def _one(name, value_type):
    run = getattr(_fft, name)

    def transform(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
        _check_workers(workers)
        x = _ready(x, value_type, axis)
        if plan is not None:
            _check_plan(plan, x, None if n is None else (n,), (axis,), value_type)
        return run(x, n, axis, norm)
    return _named(transform, name)


def _several(name, value_type, default):
    run = getattr(_fft, name)

    def transform(x, s=None, axes=default, norm=None, overwrite_x=False, workers=None, *, plan=None):
        _check_workers(workers)
        x, s = _array(x), _whole(s, "shape")
        axes = _unique(x, _whole(axes, "axes"))
        x = _ready(x, value_type, axes)
        _check_plan(plan, x, s, axes, value_type)
        return run(x, s, axes, norm)
    return _named(transform, name)


def _cosine(name):
    run = getattr(_fft, name)

    def transform(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
        _check_workers(workers)
        return run(x, type, n, axis, norm, orthogonalize)
    return _named(transform, name)


def _cosines(name):
    run = getattr(_fft, name)

    def transform(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None):
        _check_workers(workers)
        return run(x, type, _whole(s, "shape"), _whole(axes, "axes"), norm, orthogonalize)
    return _named(transform, name)


_ARGUMENTS = {
    "x": "an array, a NumPy array, or nested lists of numbers", "type": "1, 2, 3 or 4",
    "n": "the length, at least 1 (None: the array's own)", "s": "lengths, one an axis (None: the array's own)",
    "axis": "an axis", "axes": "the axes, a tuple, each named once (None: all)",
    "norm": "'backward', 'ortho' or 'forward'", "overwrite_x": "True or False (never needed)",
    "workers": "a number of threads (checked, without effect)", "plan": "of get_fft_plan, which must fit, or None",
    "orthogonalize": "True, False or None"}

_EXAMPLES = {
    "fft": """cp.scipy.fft.fft(cp.asarray([1.0, 2.0, 3.0, 2.0]))
array([ 8.+0.j, -2.+0.j,  0.+0.j, -2.+0.j])""",
    "dct": """cp.scipy.fft.dct(cp.asarray([1.0, 2.0]))
array([ 6.        , -1.41421356])""",
    "idct": """cp.scipy.fft.idct(cp.scipy.fft.dct(cp.asarray([1.0, 2.0])))
array([1., 2.])""",
    "dctn": """cp.scipy.fft.dctn(cp.ones((2, 2)), norm="ortho")
array([[2., 0.],
       [0., 0.]])"""}


def _named(f, name):
    f.__name__ = f.__qualname__ = name
    about = getattr(_fft, name).__doc__.split("\n\nParameters:")[0]
    code = f.__code__
    arguments = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
    f.__doc__ = about + "\n\nParameters:\n" + "".join(f"    {a}: {_ARGUMENTS[a]}.\n" for a in arguments) + \
        "\nResult: a new array.\n\nErrors: ValueError for lengths below 1, an unknown norm, an axis named twice, a " \
        "workers of 0 and a plan that\n    does not fit; AxisError for an axis out of bounds; TypeError for what is " \
        "no integer, plan or array."
    if name in _EXAMPLES:
        f.__doc__ += "\n\nExample:\n    >>> " + _EXAMPLES[name].replace("\n", "\n    ")
    return f


fft, ifft = _one("fft", "C2C"), _one("ifft", "C2C")
rfft, irfft, hfft, ihfft = _one("rfft", "R2C"), _one("irfft", "C2R"), _one("hfft", "C2R"), _one("ihfft", "R2C")
fft2, ifft2 = _several("fft2", "C2C", (-2, -1)), _several("ifft2", "C2C", (-2, -1))
rfft2, irfft2 = _several("rfft2", "R2C", (-2, -1)), _several("irfft2", "C2R", (-2, -1))
hfft2, ihfft2 = _several("hfft2", "C2R", (-2, -1)), _several("ihfft2", "R2C", (-2, -1))
fftn, ifftn = _several("fftn", "C2C", None), _several("ifftn", "C2C", None)
rfftn, irfftn = _several("rfftn", "R2C", None), _several("irfftn", "C2R", None)
hfftn, ihfftn = _several("hfftn", "C2R", None), _several("ihfftn", "R2C", None)
dct, idct, dst, idst = (_cosine(name) for name in ("dct", "idct", "dst", "idst"))
dctn, idctn, dstn, idstn = (_cosines(name) for name in ("dctn", "idctn", "dstn", "idstn"))
