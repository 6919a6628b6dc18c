"""The names of scipy.signal.windows: what get_window makes of them."""
import numbers

import cuprite
from cuprite._core import ndarray
from cuprite.scipy.signal import windows

_NAMES = {  # a window's names beside its own
    "barthann": "brthan bth", "bartlett": "bart brt", "blackman": "black blk", "blackmanharris": "blackharr bkh",
    "bohman": "bman bmn", "boxcar": "box ones rect rectangular", "chebwin": "cheb", "cosine": "halfcosine", "dpss": "",
    "exponential": "poisson", "flattop": "flat flt", "gaussian": "gauss gss", "general_cosine": "",
    "general_gaussian": "general_gauss ggs", "general_hamming": "", "hamming": "hamm ham", "hann": "han",
    "kaiser": "ksr", "kaiser_bessel_derived": "kbd", "lanczos": "sinc", "nuttall": "nutl nut", "parzen": "parz par",
    "taylor": "taylorwin", "triang": "triangle tri", "tukey": "tuk"}
_NEEDS = ("chebwin", "dpss", "gaussian", "general_cosine", "general_gaussian", "general_hamming", "kaiser",
          "kaiser_bessel_derived")
_MAY = ("exponential", "taylor", "tukey")
_OWN = {other: own for own, others in _NAMES.items() for other in [own, *others.split()]}
_OWN |= {name.replace("_", " "): own for name, own in _OWN.items()}


def _number(window):
    try:
        return float(window)
    except Exception as why:
        raise ValueError(f"Parameter {window=} must be a tuple, a string or a float!") from why


def get_window(window, Nx, fftbins=True) -> ndarray:
    """The window of a name.

    Parameters: window: a name, a tuple of a name and the window's parameters, or a number: beta of Kaiser's; Nx: the
        number of samples; fftbins: True for spectra, False for a symmetric window.
    Errors: ValueError for an unknown window, for parameters that are missing or not taken, where Nx is no positive
        integer or fftbins no bool; ImportError for dpss without SciPy."""
    if not (Nx > 0 and isinstance(Nx, numbers.Integral)):
        raise ValueError(f"Parameter {Nx=} is not a positive integer")
    if not isinstance(fftbins, bool):
        raise ValueError(f"Parameter {fftbins=} is not of type bool!")
    if not isinstance(window, (str, tuple)):
        return windows.kaiser(Nx, _number(window), not fftbins)
    if isinstance(window, tuple) and not isinstance(window[0], str):
        raise ValueError(f"First tuple entry of parameter {window=} is not a str!")
    name, args = (window, ()) if isinstance(window, str) else (window[0], window[1:])
    sym = not fftbins
    for end, meant in (("_symmetric", True), ("_periodic", False)):
        if name.endswith(end):
            name, sym = name[:-len(end)], meant
            break
    own = _OWN.get(name)
    if own is None:
        raise ValueError(f"Invalid window name '{name}' in parameter {window=}!")
    if args and own not in _NEEDS + _MAY:
        raise ValueError(f"'{name}' does not allow parameters, but {window=}!")
    if not args and own in _NEEDS:
        raise ValueError(f"'{name}' must have parameters, but {window=}!")
    if own == "dpss" and len(args) != 1:
        raise ValueError(f"Window {name} must have one parameter but {window=}")
    return getattr(windows, own)(Nx, *args, sym=sym)


def dpss(M, NW, Kmax, sym, norm, return_ratios) -> "ndarray | tuple[ndarray, ndarray]":
    """Slepian's windows, which SciPy computes on the host: eigenvectors of a tridiagonal matrix.

    Parameters: M: the number of samples; NW: half the bandwidth times the length; Kmax: how many windows, (Kmax, M),
        or None: one, (M,); sym: False for a window that is periodic; norm: 2, 'approximate' or 'subsample'; None: 2
        with Kmax, else 'approximate'; return_ratios: whether the windows' concentrations are returned too.
    Errors: ValueError for other lengths, bandwidths and norms; ImportError without SciPy."""
    from cuprite.scipy.signal._by_scipy import scipy_signal, to_device, to_host
    arguments = [to_host(v) for v in (M, NW, Kmax, sym, norm, return_ratios)]
    result = to_device(scipy_signal().windows.dpss(*arguments))
    if return_ratios:
        return result[0], cuprite.asarray(result[1])
    return result
