"""The differences from NumPy that have a reason: one table, of which each row says the families where it may be met and
what a mismatch must be to be it.

What can be computed in another way is no row: there the families' `close` compares with that (NumPy's result without
out=, converted; in float64; of integers that do not wrap). docs/guide/arrays.md says which of these a user will
meet."""
import numpy as np
from differential import Array, Known, made
from differential_ufunc import COMPARISONS

from cuprite import _device

UFUNCS = "unary binary several methods"
REDUCTIONS = "reductions nan scans"
STATISTICS = "quantiles counts statistics"
CREATION = "ranges filled conversions"
COMPOSITES = "composites types"
MATRICES = "products matrices transforms"
COMPANIONS = "filters orders morphology interpolation measurements recurrences spectral peaks"
ALL = f"{UFUNCS} {REDUCTIONS} {STATISTICS} {CREATION} {COMPOSITES} {MATRICES}"


def told(*beginnings):
    return lambda case, wrong: wrong.startswith(tuple("error: " + b for b in beginnings))


def first(case):
    """NumPy's array of the first operand, or None."""
    return case.args[0].plain if isinstance(case.args[0], Array) else None


def is_empty(case):
    x = first(case)
    return x is not None and not x.size


def is_quantile(case):
    return case.about.endswith(("quantile", "percentile"))


def no_operand(case, wrong):
    """Ours raised a TypeError that names an operand's type, or Python did for an operator."""
    if case.f.startswith("op:") and any(not isinstance(a, (Array, int, float, complex, np.generic)) for a in case.args):
        return wrong.startswith("error: TypeError")
    return wrong.startswith("error: TypeError") and \
        ("Unsupported type" in wrong or case.module is np and "all returned NotImplemented" in wrong)


def is_real_eig(case, wrong):
    """Complex results of real matrices."""
    return case.about in ("eig", "eigvals") and wrong.startswith("type: complex") and "for float" in wrong


def two_mistakes(case, wrong):
    """A number that the type cannot hold beside another mistake."""
    big = [a for a in case.args if type(a) is int and not 0 <= a < 128]
    return told("TypeError for OverflowError", "OverflowError for TypeError", "OverflowError for ValueError")(
        case, wrong) and bool(big and case.options)


def huge(case, wrong):
    return wrong.startswith("error: OverflowError") and \
        any(type(a) is int and not -2**63 <= a < 2**64 for a in case.args)


def from_the_left(case, wrong):
    return wrong.startswith("value") and case.about in ("arctan2", "atan2", "power", "pow", "float_power") and \
        case.f.rpartition(".")[2] in ("reduce", "accumulate", "reduceat")


def types_of_results(case):
    """The types that dtype= and out= ask for."""
    named = (case.options.get("dtype"), getattr(case.options.get("out"), "char", None))
    return [np.dtype(t) for t in named if t is not None and t != "nonsense"]


def split_parts(case, wrong):
    """An infinite part leaves no NaN in the other one."""
    x = first(case)
    return wrong.startswith(("value", "after")) and case.about.endswith(("mean", "median", "var", "std")) and \
        x is not None and (x.dtype.kind == "c" or any(t.kind == "c" for t in types_of_results(case))) and \
        (not np.isfinite(x).all() or "inf" in wrong or "nan" in wrong)


def complex_products(case, wrong):
    return wrong.startswith(("value", "after")) and "prod" in case.about and ("inf" in wrong or "nan" in wrong) and \
        (first(case).dtype.kind == "c" or any(t.kind == "c" for t in types_of_results(case)))


def by_elements(case, wrong):
    on_cpu = _device.current() < 0
    return wrong.startswith("warning") and ("where" in case.options or "nan" in case.about and not on_cpu)


def several_axes_of_q(case, wrong):
    return case.about.startswith("nan") and len(np.shape(made(case.args[1], np, {}))) > 1 and \
        wrong.startswith(("shape", "value", "error: none for ValueError (could not broadcast"))


def undone(case, wrong):
    """Deviations in float16 of integers whose mean it does not hold: infinite; NumPy takes that mean from them."""
    x = first(case)
    return case.about.endswith(("var", "std")) and wrong.startswith("value") and "inf" in wrong and \
        case.options.get("dtype") == "e" and x.dtype.kind in "iu" and float(abs(x.astype("d")).max()) > 65504


def no_full_rank(case, wrong):
    """pinv of matrices of float32 with a singular value of 0, which is about 1e-8 there: not below rcond, 1e-15."""
    x = first(case)
    return case.about == "pinv" and wrong.startswith("value") and x.dtype.char in "fF" and \
        bool((np.linalg.matrix_rank(x) < min(x.shape[-2:])).any())


def wraps(case, wrong):
    """Differences of signed integers that no integer of the type holds: NumPy's quartiles."""
    x = first(case)
    return case.about.startswith("histogram") and case.options.get("bins") in ("fd", "auto") and \
        wrong.startswith("shape") and x.dtype.kind == "i" and int(x.max()) - int(x.min()) > np.iinfo(x.dtype).max


def trimmed(case, wrong):
    """What polydiv leaves begins with numbers about 0, of which rounding decides how many stay."""
    if case.about != "polydiv" or not wrong.startswith("shape") or first(case).dtype.char not in "fF":
        return False
    divisor = made(case.args[1], np, {})
    with np.errstate(all="ignore"):
        left = np.polydiv(first(case), divisor)[1]
    rest = left[:len(left) - np.size(divisor) + 1] if len(left) >= np.size(divisor) else left
    return bool(abs(rest).max() < 1e-4 * abs(first(case)).max())


def out_of_range(case, wrong):
    """Elements that a real number beyond the type becomes, or NaN, converted at last."""
    outs = case.options.get("out")
    whole = [o for o in (outs if isinstance(outs, tuple) else (outs,)) if getattr(o, "char", "d") in "bBhHiIqQ"]
    return bool(whole) and wrong.startswith(("value", "after")) and case.about == "divmod" and \
        case.options.get("casting") == "unsafe" and np.dtype(case.options.get("dtype")).kind == "f" and \
        not np.all(made(case.args[1], np, {}))


def copied_as_it_goes(case, wrong):
    """NumPy's copyto of a copy is ours."""
    source = case.args[1] if len(case.args) > 1 else None
    if case.about != "copyto" or not isinstance(source, Array) or source.buffer is not case.args[0].buffer:
        return False
    import cuprite as cp
    theirs, mine = {}, {}
    options = {k: v for k, v in case.options.items()}
    for xp, memo in ((np, theirs), (cp, mine)):
        x, y = (a.of(xp, memo) for a in case.args)
        xp.copyto(x, y.copy(), **{k: made(v, xp, memo) for k, v in options.items()})
    again = {}
    x, y = (a.of(cp, again) for a in case.args)
    cp.copyto(x, y, **{k: made(v, cp, again) for k, v in options.items()})
    key = id(source.buffer)
    return again[key].get().tobytes() == mine[key].get().tobytes() == theirs[key].tobytes()


TABLE = [
    # --- CuPy's ---
    Known("lists, strings and objects are no operands (no implicit conversion)", ALL, no_operand),
    Known("reductions and scans take arrays, no numbers", REDUCTIONS, lambda case, wrong:
          wrong.startswith("error: TypeError") and not isinstance(case.args[0], Array)),
    Known("a dtype without elements here (object, strings) is a ValueError", ALL, lambda case, wrong:
          wrong.startswith("error: ValueError") and "Unsupported dtype" in wrong),
    Known("fill takes one value", "conversions", lambda case, wrong: case.about == ".fill" and "sequence" in wrong),
    # --- what Cuprite has otherwise ---
    Known("numbers beyond 64 bits are no objects", UFUNCS, huge),
    Known("numbers beyond 64 bits are no objects", CREATION, lambda case, wrong: wrong.startswith("error: ") and (
          "out of bounds for uint64" in wrong or "too large" in wrong or
          case.about == "arange" and "Maximum allowed" in wrong)),
    Known("means of complex numbers divide each part by itself", REDUCTIONS, split_parts),
    Known("what only elements tell is not warned of: under a mask, and on a GPU", REDUCTIONS, by_elements),
    Known("comparisons of whole numbers need no conversion, whatever casting= says", UFUNCS, lambda case, wrong:
          case.about in COMPARISONS and case.options.get("casting") in ("no", "equiv") and wrong.startswith("error")),
    Known("a negative exponent is told whether or not a mask leaves an element for it", UFUNCS, lambda case, wrong:
          "where" in case.options and "negative integer powers" in wrong),
    Known("an axis that is none is an AxisError, which is an IndexError and a ValueError",
          f"{REDUCTIONS} {STATISTICS} {COMPOSITES} {MATRICES}",
          told("AxisError for IndexError", "AxisError for ValueError")),
    Known("an out whose shape does not fit is a ValueError; NumPy's steps stumble over it", REDUCTIONS,
          lambda case, wrong: "has shape" in wrong and wrong.startswith("error: ValueError for")),
    Known("quantiles of nothing are IndexErrors by every method", "quantiles", lambda case, wrong:
          wrong.startswith("error: IndexError for ValueError") and is_empty(case)),
    Known("weights of nothing are not looked at, nor where q is nothing", "quantiles counts", lambda case, wrong:
          ("eights" in wrong or "complex" in wrong) and wrong.startswith("error: ") and (is_empty(case) or (
              is_quantile(case) and not np.size(made(case.args[1], np, {}))))),
    Known("histograms of complex numbers are refused", "counts", lambda case, wrong:
          case.about.startswith("histogram") and wrong.startswith("error: TypeError") and "real numbers" in wrong),
    Known("what is overwritten may be in any order, and may be read-only", "reductions nan quantiles",
          lambda case, wrong: bool(case.options.get("overwrite_input")) and (
              wrong.startswith("after") or "read-only" in wrong)),
    Known("a complex number of NumPy's does not fill whole numbers without a sign", "conversions", lambda case, wrong:
          case.about == ".fill" and isinstance(case.args[1], np.complexfloating) and wrong.startswith("error")),
    Known("the order of axes of one element or none, which a result of another shape shall have", "filled",
          lambda case, wrong: wrong.startswith("strides") and "shape" in case.options and (
              is_empty(case) or 1 in case.args[0].shape)),
    Known("eigenvalues are complex, as from NumPy 2.5 on", "matrices", is_real_eig),
    Known("None is float64, as wherever a type is wanted", "types", lambda case, wrong: None in case.args and
          wrong.startswith("error: none for TypeError")),
    Known("a number of Python's meets the array's type before the other bound's", "composites", lambda case, wrong:
          case.about == "clip" and wrong.startswith("error: none for OverflowError") and first(case).dtype.kind == "b"),
    Known("numbers are no operands of @", "products", lambda case, wrong: case.f == "op:matmul" and
          wrong.startswith("error: TypeError for ValueError (unsupported operand")),
    Known("a length that is no whole number is a TypeError", "transforms", lambda case, wrong:
          case.about.endswith("freq") and wrong.startswith("error: TypeError for ValueError")),
    Known("a number of Python's has the type that dtype= names, in ldexp as in other functions", UFUNCS,
          lambda case, wrong: case.about == "ldexp" and "dtype" in case.options and
          wrong.startswith("error: none for TypeError (No loop matching") and type(case.args[0]) is float),
    Known("deviations beyond float16 are infinite", "reductions nan", undone),
    Known("bins by quartiles of whole numbers whose differences wrap in NumPy", "counts", wraps),
    Known("covariances beyond float32: infinite or NaN", "statistics", lambda case, wrong: case.about == "cov" and
          wrong.startswith("value") and case.options.get("dtype") == "F" and
          float(abs(first(case)).max()) ** 2 > np.finfo("f4").max / 4),
    # --- nobody's ---
    Known("what a zero divides, as a whole number", "several", out_of_range),
    Known("pinv of float32 without full rank: by the rounding of a singular value that is 0", "matrices", no_full_rank),
    Known("what polydiv leaves: rounding decides how many numbers about 0 it begins with", "composites", trimmed),
    Known("products of float16 beyond it are carried on: a zero then gives 0, not NaN", "scans", lambda case, wrong:
          "prod" in case.about and wrong.startswith("value") and "nan" in wrong.partition(" for ")[2] and
          "nan" not in wrong.partition(" for ")[0] and
          "e" in (case.options.get("dtype"), first(case).dtype.char)),
    Known("which of two mistakes is told: diff of no dimensions", "scans", lambda case, wrong: case.about == "diff" and
          first(case).ndim == 0 and wrong.startswith("error: TypeError for ValueError ('float' object cannot")),
    Known("which of two mistakes is told: an axis that is none, and an out that is read-only", "scans",
          lambda case, wrong: case.about.startswith("cum") and case.options.get("axis") == "a" and
          wrong.startswith("error: TypeError for ValueError ('str' object cannot")),
    Known("which of two mistakes is told: a bound that does not fit, and an out of another type", "protocols",
          lambda case, wrong: case.about == "clip" and told("TypeError for OverflowError")(case, wrong) and
          "Cannot cast output" in wrong),
    Known("which of two mistakes is told: a type that is none, and ends or an axis that do not fit", "ranges",
          lambda case, wrong: case.about == "logspace" and told("TypeError for AxisError", "TypeError for ValueError")(
              case, wrong) and ("Cannot interpret '3' as a data type" in wrong or "not understood" in wrong)),
    Known("which of two mistakes is told: a bound that the type cannot hold, and an out or a shape", "composites",
          lambda case, wrong: case.about == "clip" and told("TypeError for OverflowError (clip: Cannot cast output",
                                                            "ValueError for OverflowError (clip: operands could not")(
              case, wrong)),
    Known("which of two mistakes is told: the order of a norm, and an axis", "matrices", lambda case, wrong:
          case.about == "vector_norm" and case.options.get("ord") == "bogus" and
          told("ValueError for AxisError (Invalid norm", "ValueError for TypeError (Invalid norm")(case, wrong)),
    Known("which of two mistakes is told: a norm or a length that is none, and axes that are not there", "transforms",
          lambda case, wrong: told("ValueError for IndexError (norm must be")(case, wrong) and first(case).ndim < 2 or
          told("TypeError for AxisError ('float' object cannot")(case, wrong) and first(case).ndim == 0),
    Known("NumPy's own function, to which nothing of Cuprite's is given", "composites", lambda case, wrong:
          case.module is np and case.about == "angle" and case.args[0] is None),
    Known("which of two mistakes is told", UFUNCS, two_mistakes),
    Known("deviations of numbers that are all one: 0 or about 0, of which bins are made", "counts", lambda case, wrong:
          wrong.startswith(("error: none for MemoryError", "error: none for ValueError (Too many bins")) and
          case.options.get("bins") in ("auto", "fd", "doane", "scott") and np.ptp(first(case)) == 0),
    Known("weights of nothing add up to 0 or are of the wrong type", "statistics", lambda case, wrong:
          wrong.startswith("error: ZeroDivisionError for ") and "Weights sum to zero" in wrong and is_empty(case)),
    Known("which of two mistakes is told: initial=, where= and out=", REDUCTIONS, lambda case, wrong:
          len({"initial", "out", "where"} & case.options.keys()) > 1 and
          told("TypeError for ValueError", "OverflowError for ValueError")(case, wrong)),
    Known("which of several complex NaN an extreme is, whose real part an out gets", REDUCTIONS, lambda case, wrong:
          case.about in ("max", "min", "amax", "amin", "nanmax", "nanmin") and wrong.startswith(("value", "after")) and
          first(case).dtype.kind == "c" and np.count_nonzero(np.isnan(first(case))) > 1),
    Known("which of two mistakes is told: nothing but NaN, and an out that is none", "nan", lambda case, wrong:
          "return arrays must be of ArrayType" in wrong and case.about.startswith("nanarg")
          and bool(np.isnan(first(case)).all(case.options.get("axis")).any())),
    Known("which of two mistakes is told: an out of a wrong shape and type", REDUCTIONS, lambda case, wrong:
          wrong.startswith("error: TypeError for ValueError") and "Cannot cast output" in wrong),
    Known("which of two mistakes is told: gradient of too few elements", "scans", lambda case, wrong:
          case.about == "gradient" and (told("IndexError for ValueError", "ValueError for IndexError")(case, wrong) or
                                        "boolean subtract" in wrong and wrong.startswith("error: TypeError for "))),
    Known("which of two mistakes is told: complex weights, or a minlength below 0", "counts", lambda case, wrong:
          case.about == "bincount" and wrong.startswith("error: TypeError for ValueError (bincount: Cannot cast")),
    Known("which of two mistakes is told: bins that are none, and a range of one number", "counts", lambda case, wrong:
          case.about.startswith("histogram") and wrong.startswith("error: ValueError for TypeError (not enough values")
          and not isinstance(case.options.get("bins"), int)),
    Known("which of two mistakes is told: truth values, or another method's weights", "quantiles", lambda case, wrong:
          "boolean subtract" in wrong and ("weights" in case.options or "overwrite_input" in case.options)),
    Known("which of two mistakes is told: numbers too large for a length, or for the type", "ranges",
          lambda case, wrong: case.about == "arange" and "out of bounds for" in wrong and
          any(isinstance(a, float) and abs(a) > 1e18 for a in case.args)),
    Known("a text for a count, of which geomspace makes a float; ends that are zero, or what is no dtype", "ranges",
          lambda case, wrong: case.about == "geomspace" and wrong.startswith("error: TypeError for ValueError (") and
          any(said in wrong for said in ("'str' object", "not understood", "Cannot interpret"))),
    Known("which of two mistakes is told: an index, and what is read-only or a number", "methods", lambda case, wrong:
          case.f.endswith(".at") and (told("IndexError for ValueError")(case, wrong) or not first(case).flags.writeable
                                      and "not supported for the input types" in wrong)),
    Known("complex powers beyond the range, made one by one", "methods", lambda case, wrong:
          case.f in ("power.at", "float_power.at") and wrong.startswith("after") and "j" in wrong and
          ("inf" in wrong or "nan" in wrong)),
    Known("products of complex numbers beyond the range: infinite or NaN by the order of steps", "methods",
          lambda case, wrong: case.f.startswith("multiply.") and wrong.startswith("value") and
          first(case).dtype.kind == "c" and ("inf" in wrong or "nan" in wrong)),
    Known("an out that is no array is a TypeError; NumPy's steps stumble over it", "reductions nan",
          lambda case, wrong: told("TypeError for AttributeError", "TypeError for ValueError")(case, wrong) and
          "return arrays must be of ArrayType" in wrong),
    Known("numbers made of a part of complex powers have as many digits as those", "methods", lambda case, wrong:
          case.f in ("power.at", "float_power.at") and wrong.startswith("after") and
          first(case).dtype.char in "bBhHiIqQe" and
          np.asarray(made(case.args[-1], np, {})).dtype.char == "F"),
    Known("interp at no points between none: a ValueError until NumPy 2.4", "statistics", lambda case, wrong:
          case.about == "interp" and is_empty(case) and wrong.startswith("error: ValueError for none (interp: array")),
    Known("which of two mistakes is told: an exponent that is none, and matrices that are not square", "matrices",
          lambda case, wrong: case.about == "matrix_power" and "exponent must be" in wrong and
          wrong.startswith("error: TypeError for LinAlgError")),
    Known("which of two mistakes is told: what is read-only", "conversions", lambda case, wrong:
          case.about in (".fill", "copyto") and not first(case).flags.writeable and wrong.startswith("error")),
    Known("deviations with a dtype of whole numbers: the numbers are converted, or the mean is too", "reductions nan",
          lambda case, wrong: case.about.endswith(("var", "std", "mean")) and wrong.startswith(("value", "after")) and
          case.options.get("dtype") is not None and np.dtype(case.options["dtype"]).kind in "biu"),
    Known("weights of all that is known are 0: NumPy refuses where nothing is NaN", "quantiles", lambda case, wrong:
          "all zero" in wrong and wrong.startswith("error: none") and case.about.startswith("nan")),
    Known("products of complex numbers beyond the range: infinite or NaN by the order of steps", REDUCTIONS,
          complex_products),
    Known("deviations of numbers that are all one: 0 or about 0", "statistics", lambda case, wrong:
          case.about == "corrcoef" and "nan" in wrong and wrong.startswith("value") and
          len(set(first(case).ravel().tolist())) < first(case).size),
    Known("covariances with a divisor of 0: infinite by the rounding of zeros", "statistics", lambda case, wrong:
          case.about == "cov" and wrong.startswith("value") and "inf" in wrong and "ddof" in case.options),
    Known("q of whole numbers: which type NumPy's result has, and whether it fits out", "quantiles", lambda case, wrong:
          "out" in case.options and "TypeError" in wrong),
    Known("a word as a value", "filled", lambda case, wrong: case.about.startswith("full") and case.args[1] == "a"),
    # --- faults of NumPy 2.4 ---
    Known("hfft and irfft of nothing give what memory had", "transforms", lambda case, wrong: is_empty(case) and
          wrong.startswith("value") and bool({"n", "s"} & case.options.keys())),
    Known("pinv of nothing has the type of its elements, of any type", "matrices", lambda case, wrong:
          case.about == "pinv" and is_empty(case) and (
              wrong.startswith("type: float64 for ") or "float16 is unsupported" in wrong)),
    Known("shifts of no dimensions", "transforms", lambda case, wrong: case.about.endswith("shift") and
          first(case).ndim == 0 and wrong.startswith("error: none for ValueError (not enough values")),
    Known("vector_norm stumbles over an axis of 1.5 with keepdims", "matrices", lambda case, wrong:
          case.about == "vector_norm" and "'float' object is not iterable" in wrong),
    Known("at writes into what is read-only", "methods", lambda case, wrong:
          wrong.startswith("error: ValueError for") and "destination is read-only" in wrong and case.f.endswith(".at")),
    Known("what dtype=bool chooses of a comparison's loops depends on the questions asked before", "binary",
          lambda case, wrong: case.about.endswith("equal") and case.options.get("dtype") in (bool, "?") and
          wrong.startswith("error: none for TypeError (Cannot cast ufunc ")),
    Known("power.reduce, arctan2.reduce and their like (test_ufunc.py joins the elements one by one)", "methods",
          from_the_left),
    Known("imaginary parts that stay below a mask are warned of, and those of an out of scans",
          f"{UFUNCS} {REDUCTIONS}",
          lambda case, wrong: "ComplexWarning" in wrong.partition(" for ")[2] and "ComplexWarning" not in
          wrong.partition(" for ")[0] and wrong.startswith("warning") and (
              "where" in case.options or any(t.kind == "c" for t in types_of_results(case)))),
    Known("nanmedian in a complex out", "nan", lambda case, wrong: case.about == "nanmedian" and
          wrong.startswith("warning") and any(t.kind == "c" for t in types_of_results(case))),
    Known("quantiles and medians of nothing end in a reshape, or in a subtraction of truth values",
          "reductions nan quantiles", lambda case, wrong: is_empty(case) and (
              "cannot reshape" in wrong or "boolean subtract" in wrong)),
    Known("a median that is NaN is refused by an out of another kind; whether one with an infinite part is",
          "reductions", lambda case, wrong: case.about == "median" and
          wrong.startswith("error: TypeError for none (median: Cannot cast") and bool(np.isinf(first(case)).any())),
    Known("medians of nothing or in an out of whole numbers: NumPy adds up there, or refuses", "reductions nan",
          lambda case, wrong: "median" in case.about and wrong.startswith("error: none") and
          bool(types_of_results(case)) and (any(t.kind in "biu" for t in types_of_results(case)) or is_empty(case))),
    Known("weighted quantiles of one element or none are IndexErrors", "quantiles", lambda case, wrong:
          "weights" in case.options and "IndexError" in wrong),
    Known("nanquantile with q of several axes moves one of them in front", "quantiles", several_axes_of_q),
    Known("quantiles of what has a NaN are of the elements' type, others of q's too", "quantiles", lambda case, wrong:
          wrong.startswith("type") and first(case).dtype.char in "ef" and bool(np.isnan(first(case)).any())),
    Known("quantiles at places of whole numbers beside infinities: the line between the ends is NaN", "quantiles",
          lambda case, wrong: wrong.startswith("value") and "nan" in wrong and bool(np.isinf(first(case)).any()) and
          case.options.get("method") in ("averaged_inverted_cdf", "interpolated_inverted_cdf", "weibull")),
    Known("histogram cannot add up bool weights of uneven bins", "counts", lambda case, wrong:
          "Cannot cast ufunc 'add'" in wrong and case.about == "histogram"),
    Known("cov cannot look through weights that are read-only", "statistics", lambda case, wrong:
          case.about == "cov" and wrong.startswith("error: none for ValueError (output array is read-only")),
    Known("average divides by the number of results, of which there are none", "statistics", lambda case, wrong:
          wrong.startswith("error: none for ZeroDivisionError") and case.about == "average"),
    Known("splines that continue a line as reflect does start a few digits off in SciPy", "interpolation", lambda case,
          wrong: wrong.startswith("value") and case.options.get("mode") in ("reflect", "grid-mirror")),
    Known("positions are Python's integers, and of several labels an array, as in CuPy", "measurements", lambda case,
          wrong: wrong.startswith("structure") and case.about.endswith(("position", "extrema", "mass"))),
    Known("NumPy warns of means of nothing", "measurements", lambda case, wrong: wrong.startswith("warning")),
    Known("SciPy fits polynomials of float32 at the ends in float32, which of a high order loses digits", "recurrences",
          lambda case, wrong: wrong.startswith("value") and case.about == "savgol_filter" and case.args[2] > 3
          and first(case).dtype.char in "fe"),
    Known("SciPy's footprints over arrays with strides of 0 find other elements", "filters orders recurrences", lambda
          case, wrong: wrong.startswith("value") and any(what == "broadcast_to" for what, _ in case.args[0].steps) and
          (case.about in ("correlate", "convolve") or "footprint" in case.options or "rank" in case.about or
           "percentile" in case.about or "med" in case.about)),
    Known("SciPy's ranks of one dimension do not look at a footprint's holes", "orders", lambda case, wrong:
          wrong.startswith("value") and "footprint" in case.options and first(case).ndim == 1 and
          case.about == "median_filter"),
    Known("SciPy's ranks of lines of one to three elements are what lies in memory beside them", "orders", lambda case,
          wrong: wrong.startswith("value") and first(case).ndim == 1 and first(case).size < 4),
    Known("SciPy's wiener of float32 is float64", "recurrences", lambda case, wrong: case.about == "wiener" and
          wrong.startswith("type: float32")),
    Known("copyto of overlapping rows of unequal steps reads what it wrote", "conversions", copied_as_it_goes),
]

#: what NumPy of some versions does otherwise: (from this version on, before that one, what)
VERSIONS = [
    ((2, 5), None, Known("vectors of two elements have a cross product, as before NumPy 2.5", "products", lambda case,
     wrong: case.about == "cross" and wrong.startswith("error: none for ValueError") and "3-dimensional" in wrong)),
    ((2, 5), None, Known("which of two mistakes is told: vectors of two elements, and of truth values", "products",
     lambda case, wrong: case.about == "cross" and wrong.startswith("error: TypeError for ValueError (subtract: numpy "
                                                                    "boolean subtract"))),
]
VERSION = tuple(int(n) for n in np.__version__.split(".")[:2])


def now(first, end):
    """Whether NumPy's version is one of those."""
    return first <= VERSION and (end is None or VERSION < end)


def known(family):
    return [k for k in TABLE + [k for first, end, k in VERSIONS if now(first, end)] if family in k.families]
