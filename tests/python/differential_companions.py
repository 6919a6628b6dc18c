"""Cases of SciPy's companions for differential.py: filters, orders, morphology, interpolation, measurements of ndimage;
recurrences, smoothing, spectra, peaks of signal. Without SciPy there are none.

Arguments are right: what is refused is in test_filters, test_geometry and test_scipy_signal. Elements are such that
SciPy's own results are defined: no negative number becomes an unsigned one."""
import importlib.util
import math

import numpy as np

from differential import Array, Buffer, Case, alike

TYPES = "?bBhHiIlLfd"
MODES = ("reflect", "mirror", "nearest", "wrap", "constant", "grid-mirror", "grid-wrap", "grid-constant")
N, S = "scipy.ndimage.", "scipy.signal."


def close_by(factor, steps=0):
    """The rule: `factor` units of the largest number; whole numbers may differ by `steps`."""
    def close(case, got, want):
        if want.dtype.kind in "biu":
            far = abs(got.astype("d") - want.astype("d"))
            return bool((far <= steps).all())
        single = want.dtype.char in "fF" or any(getattr(a, "char", "") in "fF" for a in case.args)
        most = float(np.max(abs(np.where(np.isfinite(want), want, 0)), initial=0))
        inputs = [float(np.max(abs(np.where(np.isfinite(a), a, 0)).astype("d"), initial=0)) for a in case.arrays()
                  if a.dtype.kind in "biufc"]
        atol = (1.2e-7 if single else 2.3e-16) * factor * max([most, *inputs])
        return bool(alike(got, want, 0, atol).all())
    return close


def image(r, types=TYPES, least_ndim=1, most_ndim=5, least=0, flavour=None):
    """An array; whole numbers without a sign are positive."""
    char = r.pick(types)
    shape = r.shape(400, least_ndim, most_ndim, empty=0.03 if least == 0 else 0)
    shape = tuple(max(n, least) for n in shape)
    return r.array(char, shape, flavour or ("positive" if char in "BHIL" else "small"))


def own(values, char="d"):
    values = np.asarray(values, char)
    return Array(Buffer(values.ravel()), (("reshape", values.shape),), values.shape, char)


def border(r, o, origin_of=None, axes=None):
    """mode, cval and origin, each sometimes."""
    if r.chance(0.7):
        o["mode"] = r.pick(MODES)
    if r.chance(0.4):
        o["cval"] = r.pick((0.0, 1.0, 2.5, 3))
    if origin_of and r.chance(0.4):
        o["origin"] = r.randrange(-(origin_of // 2), origin_of - origin_of // 2)
    return o


def filters(r):
    """Correlations, means, Gaussian functions and differences of ndimage."""
    name = r.pick(("correlate1d", "convolve1d", "correlate", "convolve", "gaussian_filter1d", "gaussian_filter",
                   "uniform_filter1d", "uniform_filter", "sobel", "prewitt", "laplace", "gaussian_laplace",
                   "gaussian_gradient_magnitude"))
    x = image(r, "BHILfd" if r.chance(0.2) else "bhilfd", least=1)
    floats = x.char in "fd"
    o, args, factor, steps = {}, [x], 64, 0
    n = len(x.shape)
    if name in ("correlate1d", "convolve1d"):
        k = r.randrange(1, 6)
        args.append(own([r.pick((1, 2, 0.5, 3) if not floats else (1, -2, 0.25, 0, 1.1)) for _ in range(k)]))
        o["axis"] = r.randrange(-n, n)
        border(r, o, k)
        if "origin" in o and name == "convolve1d":
            o["origin"] = r.randrange(-((k - 1) // 2), (k - 1) // 2 + 1)
    elif name in ("correlate", "convolve"):
        shape = tuple(r.randrange(1, 4) for _ in range(n))
        args.append(own(np.resize([1, 2, 0.5, 3, 1], shape)))
        border(r, o)
        o.pop("cval", None) if not floats else None
    elif name in ("uniform_filter1d", "uniform_filter"):
        k = r.randrange(1, 6)
        args.append(k)
        if name == "uniform_filter1d":
            o["axis"] = r.randrange(-n, n)
        border(r, o, k)
        steps, factor = 1, 4096
    elif "gaussian" in name:
        args.append(r.pick((0.5, 1.0, 1.7, 0.3)))
        if name == "gaussian_filter1d":
            o["axis"] = r.randrange(-n, n)
        if name in ("gaussian_filter1d", "gaussian_filter") and floats:
            o["order"] = r.pick((0, 0, 1, 2, 3))
        border(r, o)
        steps, factor = 1, 4096
        if not floats and name != "gaussian_filter1d" and name != "gaussian_filter":
            args[0] = image(r, "fd", least=1)
    else:
        args[0] = image(r, "fd", least=1)
        if name in ("sobel", "prewitt"):
            o["axis"] = r.randrange(-len(args[0].shape), len(args[0].shape))
        border(r, o)
    if r.chance(0.2):
        o["output"] = np.float64 if r.chance(0.5) else np.float32
    return Case(N + name, args, o, close=close_by(factor, steps), about=name)


def orders(r):
    """Extremes, ranks, medians, percentiles and grey morphology of ndimage."""
    name = r.pick(("minimum_filter", "maximum_filter", "median_filter", "rank_filter", "percentile_filter",
                   "minimum_filter1d", "maximum_filter1d", "grey_erosion", "grey_dilation", "grey_opening",
                   "grey_closing", "morphological_gradient", "white_tophat", "black_tophat"))
    x = image(r, "bBhHiIlLfd", least=1, most_ndim=4)
    n = len(x.shape)
    size = r.pick((1, 2, 3, 4) if n < 4 else (1, 2, 3))
    o, args = {}, [x]
    if name.endswith("1d"):
        args.append(size)
        o["axis"] = r.randrange(-n, n)
    elif name == "rank_filter":
        args.append(r.randrange(-size ** n, size ** n))
        o["size"] = size
    elif name == "percentile_filter":
        args.append(r.pick((0, 10, 50, 75, 100, -20)))
        o["size"] = size
    else:
        o["size"] = size
    if r.chance(0.2) and "size" in o and name not in ("rank_filter", "percentile_filter"):
        footprint = np.resize([1, 0, 1, 1, 0], (size,) * n)
        if footprint.any():
            o.pop("size")
            o["footprint"] = own(footprint, "?")
    border(r, o, size)
    if "cval" in o:
        o["cval"] = float(int(o["cval"]))
    if "top" in name or "open" in name or "clos" in name or "gradient" in name:
        o.pop("origin", None)
    return Case(N + name, args, o, about=name)


def morphology(r):
    """Binary morphology, distances and labels of ndimage."""
    name = r.pick(("binary_erosion", "binary_dilation", "binary_opening", "binary_closing", "binary_fill_holes",
                   "binary_propagation", "binary_hit_or_miss", "distance_transform_edt", "distance_transform_cdt",
                   "distance_transform_bf", "label"))
    x = image(r, "?bBi", least=1, most_ndim=4)
    o = {}
    if name in ("binary_erosion", "binary_dilation", "binary_opening", "binary_closing"):
        if r.chance(0.5):
            o["iterations"] = r.pick((1, 2, 3, 0) if "ing" not in name else (1, 2))
        if r.chance(0.3) and name in ("binary_erosion", "binary_dilation"):
            o["border_value"] = 1
        if r.chance(0.3) and name in ("binary_erosion", "binary_dilation"):
            o["origin"] = r.pick((-1, 0, 1))
        if r.chance(0.3) and name in ("binary_erosion", "binary_dilation"):
            o["mask"] = r.array("?", x.shape)
    if name == "distance_transform_bf" and math.prod(x.shape) > 20000:
        name = "distance_transform_cdt"  # SciPy's compares all elements with all
    if name == "distance_transform_edt" and r.chance(0.4):
        o["sampling"] = [r.pick((1, 0.5, 2.0)) for _ in x.shape]
    if name == "distance_transform_cdt":
        o["metric"] = r.pick(("chessboard", "taxicab"))
    if name == "distance_transform_bf":
        o["metric"] = r.pick(("chessboard", "taxicab", "euclidean"))
    return Case(N + name, [x], o, close=close_by(16), about=name)


def interpolation(r):
    """Splines: shift, zoom, rotate, affine_transform, map_coordinates, spline_filter."""
    name = r.pick(("shift", "zoom", "rotate", "affine_transform", "map_coordinates", "spline_filter",
                   "spline_filter1d"))
    x = image(r, "fd", least_ndim=2 if name == "rotate" else 1, most_ndim=3, least=6)
    n = len(x.shape)
    o = {"order": r.randrange(6)}
    if name.startswith("spline"):
        o = {"order": r.randrange(2, 6), "mode": r.pick(("mirror", "grid-wrap", "reflect"))}
        if name == "spline_filter1d":
            o["axis"] = r.randrange(-n, n)
        return Case(N + name, [x], o, close=close_by(4096), about=name)
    if r.chance(0.8):
        o["mode"] = r.pick(MODES)
    if r.chance(0.3):
        o["cval"] = r.pick((0.0, 1.5))
    if r.chance(0.2):
        o["prefilter"] = False
    steps = [r.pick((0.3, 1.0, -1.7, 2.25, 0.0)) for _ in range(n)]
    if name == "shift":
        args = [x, steps]
    elif name == "zoom":
        args = [x, r.pick((0.7, 1.3, 2.0, 1.0))]
        if r.chance(0.3):
            o["grid_mode"] = True
    elif name == "rotate":
        args = [x, r.pick((30, 45.5, 90, -120))]
        if r.chance(0.5):
            o["reshape"] = False
    elif name == "affine_transform":
        args = [x, own(np.eye(n) + np.resize([0.1, -0.05, 0.02], (n, n)))]
        o["offset"] = steps
    else:
        args = [x, own(np.resize(np.linspace(-1.3, 6.7, 13), (n, 9)))]
    return Case(N + name, args, o, close=close_by(1 << 14), about=name)


def measurements(r):
    """Statistics of labelled regions."""
    name = r.pick(("sum_labels", "mean", "variance", "standard_deviation", "minimum", "maximum", "median",
                   "minimum_position", "maximum_position", "extrema", "center_of_mass"))
    x = image(r, "bhilfd" if name != "center_of_mass" else "fd", least=1, most_ndim=3)
    labels = r.array("i", x.shape, "positive")
    index = r.pick((own([1, 2, 3], "i"), own([2, 1, 7, 7], "i"), 3))
    return Case(N + name, [x, labels, index], {}, close=close_by(256), about=name)


def recurrences(r):
    """lfilter, sosfilt, filtfilt, upfirdn, resample_poly and convolutions of signal."""
    name = r.pick(("lfilter", "sosfilt", "filtfilt", "sosfiltfilt", "upfirdn", "resample_poly", "fftconvolve",
                   "oaconvolve", "convolve", "correlate", "hilbert", "detrend", "resample", "wiener", "medfilt",
                   "savgol_filter"))
    x = image(r, "bhilfdFD" if name in ("lfilter", "upfirdn", "convolve", "correlate", "detrend") else "fd", least=1,
              most_ndim=3)
    n = len(x.shape)
    axis = r.randrange(-n, n)
    o, length = {"axis": axis}, x.shape[axis]
    b, a = own([0.2, 0.3, 0.1][:r.randrange(1, 4)]), own([1.0, -0.6, 0.2][:r.randrange(2, 4)])
    sos = own([[0.2, 0.3, 0.1, 1, -0.6, 0.2], [0.5, 0.1, 0.3, 1, 0.3, 0.1]])
    if name == "lfilter":
        args = [b, a, x]
    elif name == "sosfilt":
        args = [sos, x]
    elif name == "filtfilt":
        args, o["padlen"] = [b, a, x], r.randrange(0, length)
    elif name == "sosfiltfilt":
        args, o["padlen"] = [sos, x], r.randrange(0, length)
    elif name == "upfirdn":
        args = [own([1, 0.5, 2, 1, -1]), x, r.randrange(1, 4), r.randrange(1, 4)]
    elif name == "resample_poly":
        args = [x, r.randrange(1, 5), r.randrange(1, 5)]
    elif name in ("fftconvolve", "oaconvolve", "convolve", "correlate"):
        args = [x, r.array(x.char, tuple(r.randrange(1, m + 1) for m in x.shape), "small")]
        o = {"mode": r.pick(("full", "same", "valid"))}
    elif name == "resample":
        args = [x, r.randrange(1, 2 * length + 2)]
    elif name == "wiener":
        args, o = [x, r.pick((3, 5))], {"noise": 0.5}
    elif name == "medfilt":
        args, o = [x, r.pick((1, 3, 5))], {}
    elif name == "savgol_filter":
        window = r.randrange(1, 8)
        args = [x, window, r.randrange(0, window)]
        o["mode"] = r.pick(("mirror", "constant", "nearest", "wrap")) if window > length else \
            r.pick(("interp", "mirror", "constant", "nearest", "wrap"))
    else:
        args = [x]
    return Case(S + name, args, o, close=close_by(1 << 13), about=name)


def spectral(r):
    """Spectra of segments, chirp transforms and uneven samples of signal."""
    name = r.pick(("periodogram", "welch", "csd", "spectrogram", "stft", "coherence", "czt", "zoom_fft", "lombscargle",
                   "envelope"))
    x = image(r, "fd" if name in ("lombscargle", "coherence") else "ifdFD", least=8, most_ndim=2)
    n = x.shape[-1]
    o = {}
    if name in ("periodogram", "welch", "csd", "spectrogram", "stft", "coherence"):
        o = {"fs": r.pick((1.0, 2.5)), "window": r.pick(("hann", "boxcar", ("tukey", 0.25)))}
        if name != "coherence":
            o["scaling"] = r.pick(("spectrum", "density")) if name != "stft" else r.pick(("spectrum", "psd"))
        if name != "periodogram":
            o["nperseg"] = r.randrange(2, n + 1)
            o["noverlap"] = r.randrange(0, o["nperseg"])
        if name in ("periodogram", "welch", "csd", "spectrogram"):
            o["detrend"] = r.pick(("constant", "linear", False))
            o["return_onesided"] = x.char not in "FD" and r.chance(0.7)
        if name in ("welch", "csd"):
            o["average"] = r.pick(("mean", "median"))
    if name == "stft":
        o["return_onesided"] = x.char not in "FD"
    args = [x]
    if name in ("csd", "coherence"):
        args.append(r.array(x.char, x.shape, "small", 0))
    if name == "coherence":
        args = [own(np.random.default_rng(k).standard_normal(64)) for k in (n, n + 1)]
        o["nperseg"], o["noverlap"], o["detrend"] = 16, r.randrange(0, 16), False
    if name == "czt":
        o = {"m": r.randrange(1, 2 * n)}
    if name == "zoom_fft":
        args, o = [x, [0.1, r.pick((0.4, 0.9))]], {"m": r.randrange(2, 2 * n), "endpoint": r.chance(0.5)}
    if name == "lombscargle":
        times = np.sort(np.random.default_rng(n).uniform(0, 9, n))
        args = [own(times), own(np.sin(times) + np.resize([0.1, -0.2, 0.3], n)),
                own(np.linspace(0.5, 4, r.randrange(1, 9)))]
        o = {"normalize": r.pick((False, True, "amplitude")), "floating_mean": r.chance(0.5)}
    if name == "envelope":
        o = {"residual": r.pick(("lowpass", "all", None)), "squared": r.chance(0.5)}
        args = [image(r, "fdFD", least=3, most_ndim=2)]
    return Case(S + name, args, o, close=close_by(1 << 14), about=name)


def peaks(r):
    """Peaks and extrema of signal."""
    name = r.pick(("find_peaks", "peak_prominences", "peak_widths", "argrelmax", "argrelmin", "find_peaks_cwt"))
    x = r.array(r.pick("bhildf"), (r.randrange(1, 200),), "small", 0)
    plain = x.plain.astype("d")
    inner = np.flatnonzero((plain[1:-1] > plain[:-2]) & (plain[1:-1] > plain[2:])) + 1
    o = {}
    if name == "find_peaks":
        for key, values in (("height", (1, (0, 5))), ("threshold", (0.5,)), ("prominence", (1, (1, 8))),
                            ("width", (1, (0.5, 3))), ("plateau_size", (1, (1, 2)))):
            if r.chance(0.3):
                o[key] = r.pick(values)
        args = [x]
    elif name in ("peak_prominences", "peak_widths"):
        args = [x, own(inner, "l")]
        if r.chance(0.3):
            o["wlen"] = r.randrange(2, 30)
    elif name == "find_peaks_cwt":
        x = r.array("d", (r.randrange(20, 200),), "plain", 0)
        args = [x, [1, 2, 3, 5]]
    else:
        args, o["order"] = [x], r.randrange(1, 4)
    return Case(S + name, args, o, close=close_by(64), about=name)


FAMILIES = {f.__name__: f for f in (filters, orders, morphology, interpolation, measurements, recurrences, spectral,
                                    peaks)} if importlib.util.find_spec("scipy") else {}
