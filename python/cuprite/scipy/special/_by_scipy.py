"""Functions of few numbers, and ufuncs, that SciPy computes on the host: arguments of ours become NumPy's, results
arrays of ours on the current device. SciPy is imported at the first call."""
import functools

import cuprite
from cuprite import _numpy as numpy
from cuprite import ndarray
from cuprite.scipy._installed import scipy_module

_ABOUT = {  # parameters that several functions have
    "N": "the number of things", "alpha": "the first exponent, above -1", "beta": "the second exponent, above -1",
    "c": "the ratio of the spheroid's interfocal distance", "complex": "True: the complex zeros",
    "h2": "the ellipsoid's h squared", "k2": "the ellipsoid's k squared, above h2", "m": "the order",
    "monic": "True: the highest coefficient is 1", "mu": "True: the sum of the weights too", "n": "the degree",
    "nt": "how many", "p": "the order", "p1": "the first exponent", "q": "the parameter", "q1": "the second exponent",
    "s": "the place", "signm": "the sign of the first root, 1 or -1", "signn": "that of the second one",
    "v": "the order", "x": "the place, a number", "z": "the place, a number",
}


def scipy_special():
    """scipy.special. Errors: ImportError, in a line."""
    return scipy_module("special", "cuprite.scipy.special computes zeros, quadratures, polynomials and wave functions "
                        "by SciPy")


def to_host(x):
    """x, or NumPy's array of ours."""
    return x.get() if isinstance(x, ndarray) else x


def to_device(x):
    """x with our arrays in place of NumPy's, and of its numbers."""
    if isinstance(x, (numpy.ndarray, numpy.generic)):
        return cuprite.asarray(x)
    return tuple(to_device(v) for v in x) if isinstance(x, (tuple, list)) else x


def documented(function, text):
    """The docstring of a function of SciPy's, with its parameters."""
    code = function.__code__
    names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
    return f"{function.__doc__} {text}\n\nParameters: " + "; ".join(f"{n}: {_ABOUT[n]}" for n in names) + ".\n"


def by_scipy(function):
    """The function that is scipy.special's of that name; its docstring gets the parameters."""
    name = function.__name__

    @functools.wraps(function)
    def call(*args, **options):
        run = getattr(scipy_special(), name)
        return to_device(run(*map(to_host, args), **{k: to_host(v) for k, v in options.items()}))
    call.__doc__ = documented(function, "Computed by SciPy on the host.")
    return call


_ABOUT_WAVES = {
    "c": "the spheroidal parameter", "cv": "the characteristic value", "m": "the order", "n": "the degree, from m on",
    "q": "the parameter", "x": "the place",
}


def _placed(name, given, nout, out):
    """The arrays for results, None where there is none: those of `out`, or positional ones behind the operands."""
    if given and out is not None:
        raise TypeError(f"{name}() got two values for argument 'out'")
    outs = given or (out if isinstance(out, tuple) else (out,) if out is not None else ())
    if len(outs) > nout or (out is not None and len(outs) != nout):
        raise ValueError(f"{name}: {nout} results, {len(outs)} arrays for them")
    for o in outs:
        if o is not None and not isinstance(o, ndarray):
            raise TypeError(f"{name}: return arrays must be of ArrayType")
    return (*outs, *[None] * (nout - len(outs)))


def _run(name, operands, outs, nout, options):
    """The ufunc `name` of scipy.special, or what stands for it, of arrays of NumPy's and numbers. SciPy's loops write
    to wrong places under a mask: results are made without, and one of NumPy's ufuncs puts them where they belong."""
    given = name.endswith("_cv") and name not in ("pro_cv", "obl_cv")  # the characteristic value
    compute = None if given else _SPHEROIDAL.get(name.partition("_")[0])
    results = compute(name, *operands) if compute else getattr(scipy_special(), name)(*operands)
    options, made = {k: to_host(v) for k, v in options.items()}, []
    for v, o in zip(results if isinstance(results, tuple) else (results,), outs):
        place = to_host(o)
        r = numpy.positive(v, out=place, **options) if options or o is not None else v
        if o is not None:
            o[...] = cuprite.asarray(place)
        made.append(to_device(r) if o is None else o)
    return tuple(made) if nout > 1 else made[0]


def host_ufunc(nout):
    """For a function of operands, out and options: scipy.special's ufunc of its name, with `nout` results. Types, out=,
    where= and the other options are its own; docstring and nin come from the signature."""
    def made(function):
        name = function.__name__
        names = function.__code__.co_varnames[:function.__code__.co_posonlyargcount]
        nin = len(names)

        @functools.wraps(function)
        def call(*args, out=None, **options):
            if not nin <= len(args) <= nin + nout:
                raise TypeError(f"{name}() takes from {nin} to {nin + nout} positional arguments but {len(args)} were "
                                "given")
            if any(isinstance(x, numpy.ndarray) for x in (*args[:nin], options.get("where"))):
                raise TypeError(f"{name}: operands are arrays of cuprite or numbers; cuprite.asarray converts NumPy's")
            return _run(name, list(map(to_host, args[:nin])), _placed(name, args[nin:], nout, out), nout, options)
        call.nin, call.nout, call.nargs = nin, nout, nin + nout
        about = "; ".join(f"{n}: {_ABOUT_WAVES[n]}" for n in names)
        by = "as an eigenvalue of a matrix" if name in ("pro_cv", "obl_cv") else "by SciPy, as its ufunc"
        call.__doc__ = (f"{function.__doc__} Computed on the host, {by}: operands broadcast.\n\n"
                        f"Parameters: {about}, arrays or numbers; out: an array for the result, or a tuple of them; "
                        "options: a ufunc's (where, casting, dtype, ...).\nErrors: TypeError for complex numbers.\n")
        return call
    return made


# --- spheroidal functions: SciPy's characteristic values take forever for some parameters, and all of float32 ---

def _characteristic(sign, m, n, c):
    """Those of prolate (sign 1) or oblate (-1) functions: eigenvalues of a symmetric tridiagonal matrix, whose rows are
    Legendre functions of order m and degrees of n's parity; arrays of one shape. NaN where there are none."""
    shape = m.shape
    m, n, c = m.ravel(), n.ravel(), c.ravel()
    fine = (m >= 0) & (n >= m) & (m == numpy.floor(m)) & (n == numpy.floor(n)) & (n - m < 199) & (abs(c) < 1000)
    found = numpy.full(m.shape, cuprite.nan)
    places = numpy.flatnonzero(fine)
    if not places.size:
        return found.reshape(shape)
    rows = int(numpy.max((n - m)[fine]) / 2 + numpy.max(abs(c[fine])) + 24)
    some = max(1, 2 ** 20 // rows ** 2)
    for begin in range(0, places.size, some):
        at = places[begin:begin + some]
        order, square, odd = m[at][:, None], sign * c[at][:, None] ** 2, ((n - m)[at] % 2)[:, None]
        d = order + odd + 2 * numpy.arange(rows)
        with numpy.errstate(invalid="ignore", divide="ignore"):
            middle = (2 * d * (d + 1) - 2 * order ** 2 - 1) / ((2 * d - 1) * (2 * d + 3))
            beside = (numpy.sqrt(((d + 1) ** 2 - order ** 2) * ((d + 2) ** 2 - order ** 2) /
                                 ((2 * d + 1) * (2 * d + 5))) / (2 * d + 3))[:, :-1]
        a = numpy.zeros((len(d), rows, rows))
        k = numpy.arange(rows)
        a[:, k, k] = d * (d + 1) + square * middle
        a[:, k[1:], k[:-1]] = square * beside
        found[at] = numpy.linalg.eigvalsh(a)[numpy.arange(len(d)), ((n - m)[at] // 2).astype(int)]
    return found.reshape(shape)


def _spheroidal(sign, name, m, n, c, *x):
    """The results of pro_* and obl_* without a characteristic value, in the types of SciPy's ufunc."""
    special = scipy_special()
    theirs = getattr(special, name)
    kinds = [type(v) if isinstance(v, (bool, int, float)) else numpy.asarray(v).dtype for v in (m, n, c, *x)]
    kinds = [int if k is bool else k for k in kinds]
    dtype = theirs.resolve_dtypes((*kinds, *[None] * theirs.nout))[-1]
    m, n, c, *x = numpy.broadcast_arrays(*(numpy.asarray(v, "d") for v in (m, n, c, *x)))
    value = _characteristic(sign, m, n, c)
    if not x:
        return (value.astype(dtype)[()],)
    known = ~numpy.isnan(value)
    results = getattr(special, name + "_cv")(numpy.where(known, m, -1), n, c, numpy.where(known, value, 0), *x)
    return tuple(numpy.asarray(r).astype(dtype)[()] for r in results)


_SPHEROIDAL = {"pro": functools.partial(_spheroidal, 1), "obl": functools.partial(_spheroidal, -1)}
