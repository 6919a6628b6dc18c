"""Correlations and lines."""
from __future__ import annotations

import cuprite
from cuprite import ndarray
from cuprite._beside import beside_its_arrays
from cuprite._element_types import common_type, type_of
from cuprite._named import NamedTuple
from cuprite.scipy.stats._arrays import Slices, array, as_type, by_slices, floating, on_host, result_type
from cuprite.scipy.stats._orders import rankdata


class SignificanceResult(NamedTuple):
    """A statistic and its p-value."""

    statistic: ndarray
    pvalue: ndarray

    @property
    def correlation(self) -> ndarray:
        """The statistic."""
        return self.statistic


class ConfidenceInterval(NamedTuple):
    """The ends of an interval."""

    low: ndarray
    high: ndarray


class PearsonRResult(SignificanceResult):
    """A correlation and its p-value, as a pair."""

    _sample = None  # how many elements, the alternative

    def confidence_interval(self, confidence_level=0.95) -> ConfidenceInterval:
        """The interval that has the correlation at a confidence, by Fisher's transformation; from -1 to 1 of fewer than
        four elements.

        Parameters: confidence_level: the confidence, from 0 to 1; NaN comes of another number.
        """
        n, alternative = self._sample
        r = floating(self.statistic)
        end = cuprite.ones_like(r)
        if n < 4:
            low, high = -end, end
        else:
            part = 0.5 + confidence_level / 2 if alternative == "two-sided" else confidence_level
            far, middle = cuprite.scipy.special.ndtri(part * end) / (n - 3) ** 0.5, cuprite.arctanh(r)
            low = cuprite.tanh(middle - far) if alternative != "less" else -end
            high = cuprite.tanh(middle + far) if alternative != "greater" else end
        return ConfidenceInterval(low.astype(type_of(self.statistic)), high.astype(type_of(self.statistic)))


def of_t(t, df, alternative) -> ndarray:
    """The p-value of Student's t. Errors: ValueError."""
    stdtr = cuprite.scipy.special.stdtr
    if alternative == "less":
        return stdtr(df, t)
    if alternative == "greater":
        return stdtr(df, -t)
    if alternative == "two-sided":
        return 2 * stdtr(df, -abs(t))
    raise ValueError("`alternative` must be 'less', 'greater', or 'two-sided'.")


@beside_its_arrays
def pearsonr(x, y, *, alternative="two-sided", method=None, axis=0) -> PearsonRResult:
    """Pearson's correlation of two samples, and its p-value.

    Parameters: x: a sample; y: another; alternative: 'two-sided', 'less' or 'greater'; method: None, or one of SciPy's
        for the p-value, PermutationMethod or MonteCarloMethod, which runs on the host; axis: along which (None: all).
    Errors: ValueError for fewer than 2 elements, shapes that do not fit, complex numbers, another alternative and
        another method.

    Example:
        >>> cp.scipy.stats.pearsonr(cp.asarray([1.0, 2, 3]), cp.asarray([1.0, 2, 4]))[0].round(4)
        array(0.982)
    """
    x, y = array(x), array(y)
    if axis is None:
        x, y, axis = x.reshape(x.size), y.reshape(y.size), 0
    if x.ndim == 0 or y.ndim == 0 or x.shape[axis] != y.shape[axis]:
        raise ValueError("`x` and `y` must have the same length along `axis`.")
    if x.shape[axis] < 2:
        raise ValueError("`x` and `y` must have length at least 2.")
    if type_of(x).kind == "c" or type_of(y).kind == "c":
        raise ValueError("This function does not support complex data")
    dtype = result_type(x, y)
    wide = common_type(dtype, "float32")  # special functions of float16 are of float32
    x, y = cuprite.broadcast_arrays(floating(x), floating(y))
    a, b = Slices(x, axis), Slices(y, axis)
    n = a.n
    xm, ym = a.x - a.mean()[..., None], b.x - b.mean()[..., None]
    largest = [abs(v).max(axis=-1, keepdims=True) for v in (xm, ym)]
    lengths = [m * cuprite.sqrt(((v / m) ** 2).sum(axis=-1, keepdims=True)) for v, m in zip((xm, ym), largest)]
    r = (xm / lengths[0] * (ym / lengths[1])).sum(axis=-1)
    constant = (a.x == a.x[..., :1]).all(axis=-1) | (b.x == b.x[..., :1]).all(axis=-1)
    r = cuprite.where(constant, cuprite.nan, cuprite.clip(r, -1.0, 1.0))

    def found(p):
        result = PearsonRResult(as_type(r, dtype), p)
        result._sample = n, alternative
        return result

    if n == 2:
        r = cuprite.round(r)
        return found(as_type(cuprite.where(cuprite.isnan(r), cuprite.nan, 1.0), dtype))
    if method is not None:
        of = on_host("pearsonr", *(v.x.get() for v in (a, b)), alternative=alternative, method=method, axis=-1)
        return found(as_type(cuprite.asarray(of.pvalue), wide))
    half = n / 2 - 1
    betainc = cuprite.scipy.special.betainc
    if alternative == "two-sided":
        p = 2 * betainc(half, half, (1 - abs(r)) / 2)
    elif alternative in ("less", "greater"):
        p = betainc(half, half, (1 + r if alternative == "less" else 1 - r) / 2)
    else:
        raise ValueError("`alternative` must be 'less', 'greater', or 'two-sided'.")
    return found(as_type(p, wide))


@beside_its_arrays
def spearmanr(a, b=None, axis=0, nan_policy="propagate", alternative="two-sided") -> SignificanceResult:
    """Spearman's correlation of ranks: of two samples, or a matrix of those of more, and p-values.

    Parameters: a: a sample, or samples along the other axis; b: others; axis: along which the samples are; nan_policy:
        'propagate', 'raise' or 'omit', of each pair what is NaN in either; alternative: 'two-sided', 'less' or
        'greater'.
    Errors: ValueError for more than 2 dimensions, one sample alone, and NaN where that is refused.
    """
    a = array(a)
    if axis is not None and axis > 1:
        raise ValueError(f"spearmanr only handles 1-D or 2-D arrays, supplied axis argument {axis}, please use only "
                         "values 0, 1 or None for axis")
    if axis is None:
        a, b, axis = a.reshape(a.size), None if b is None else array(b).reshape(-1), 0
    if a.ndim > 2:
        raise ValueError("spearmanr only handles 1-D or 2-D arrays")
    both = [a] if b is None else [a, array(b)]
    if b is None and a.ndim < 2:
        raise ValueError("`spearmanr` needs at least 2 variables to compare")
    columns = [v[:, None] if v.ndim == 1 else v if axis == 0 else v.T for v in both]
    if len({c.shape[0] for c in columns}) > 1:
        raise ValueError("all the input array dimensions except for the concatenation axis must match exactly")
    x = cuprite.concatenate(columns, axis=1)
    n = x.shape[0]
    if nan_policy != "propagate":
        Slices(x, 0, "raise" if nan_policy == "raise" else nan_policy)
    if nan_policy == "omit" and type_of(x).kind == "f" and bool(cuprite.isnan(x).any()):
        return _spearmanr_of_pairs(x, alternative)
    ranks = rankdata(x, axis=0)
    rs = cuprite.corrcoef(ranks, rowvar=False)
    constant = (x == x[:1]).all(axis=0)
    rs = cuprite.where(constant[:, None] | constant, cuprite.nan, rs)
    t = rs * cuprite.sqrt((n - 2) / ((rs + 1.0) * (1.0 - rs)).clip(0))
    p = of_t(t, float(n - 2), alternative)
    return SignificanceResult(rs[1, 0], p[1, 0]) if rs.shape[0] == 2 else SignificanceResult(rs, p)


def _spearmanr_of_pairs(x, alternative):
    """The same of columns with NaN: of each pair without the rows where one is NaN."""
    m = x.shape[1]
    rs, ps = cuprite.eye(m), cuprite.zeros((m, m))
    for i in range(m):
        for j in range(i):
            keep = ~(cuprite.isnan(x[:, i]) | cuprite.isnan(x[:, j]))
            r, p = spearmanr(x[keep, i], x[keep, j], alternative=alternative)
            rs[i, j] = rs[j, i] = r
            ps[i, j] = ps[j, i] = p
    return SignificanceResult(rs[1, 0], ps[1, 0]) if m == 2 else SignificanceResult(rs, ps)


class LinregressResult(NamedTuple):
    """A line through points; the standard error of the intercept is `intercept_stderr`."""

    slope: ndarray
    intercept: ndarray
    rvalue: ndarray
    pvalue: ndarray
    stderr: ndarray


class _Line(LinregressResult):
    intercept_stderr = None


@beside_its_arrays
def linregress(x, y, alternative="two-sided", *, axis=0, nan_policy="propagate", keepdims=False) -> LinregressResult:
    """The line with the least squares of distances in y.

    Parameters: x: where the points are; y: their values; alternative: of the slope: 'two-sided', 'less' or 'greater';
        axis: along which the points are (None: all); nan_policy: 'propagate', 'raise' or 'omit'; keepdims: whether the
        axis stays, of length 1.
    Errors: ValueError for lengths that differ, points that all have the same x, and NaN where that is refused."""
    x, y = array(x), array(y)
    whole = (1,) * max(x.ndim, y.ndim) if axis is None else None
    if axis is None:
        x, y, axis = x.reshape(x.size), y.reshape(y.size), 0
    if x.ndim and y.ndim and x.shape[axis] != y.shape[axis] and 1 not in (x.shape[axis], y.shape[axis]):
        raise ValueError("all the input array dimensions except for the concatenation axis must match exactly")
    x, y = (v.astype(common_type(type_of(v), "float64"), copy=False) for v in map(floating, (x, y)))
    x, y = (Slices(v, axis, nan_policy) for v in cuprite.broadcast_arrays(x, y))
    x.kept = whole or x.kept
    if x.mask is not None or y.mask is not None:
        return _lines_of_what_is_there(x.x, y.x, alternative, x.kept if keepdims else x.x.shape[:-1])
    n, shape = x.n, x.x.shape[:-1]
    if n < 2:
        nothing = x.result(cuprite.full(shape, cuprite.nan), keepdims)
        found = _Line(*[nothing] * 5)
        found.intercept_stderr = nothing
        return found
    if bool((x.x == x.x[..., :1]).all(axis=-1).any()):
        raise ValueError("Cannot calculate a linear regression if all x values are identical")
    parts = [x.result(v, keepdims) for v in _line(x, y, n, alternative)]
    found = _Line(*parts[:5])
    found.intercept_stderr = parts[5]
    return found


def _lines_of_what_is_there(x, y, alternative, shape):
    """The lines through points along the last axis, without those with NaN."""
    def line(*points):
        found = linregress(*points, alternative)
        return (*found, found.intercept_stderr)
    parts = [v.reshape(shape) for v in by_slices(line, [x, y], -1, False, 6, paired=True)]
    found = _Line(*parts[:5])
    found.intercept_stderr = parts[5]
    return found


def _line(x, y, n, alternative):
    """slope, intercept, r, p and the standard errors of both, of n points along the last axis."""
    xm, ym = x.mean(), y.mean()
    dx, dy = x.x - xm[..., None], y.x - ym[..., None]
    sxx, sxy, syy = (cuprite.mean(v, axis=-1) for v in (dx * dx, dx * dy, dy * dy))
    flat = (sxx == 0) | (syy == 0)
    none = cuprite.where(sxy == 0, cuprite.nan, 0.0)
    r = cuprite.where(flat, none, cuprite.clip(sxy / cuprite.sqrt(cuprite.where(flat, 1.0, sxx * syy)), -1.0, 1.0))
    slope = sxy / sxx
    intercept = ym - slope * xm
    df = n - 2
    if n == 2:
        zero = cuprite.zeros(x.x.shape[:-1])
        return slope, intercept, r, cuprite.where(y.x[..., 0] == y.x[..., 1], 1.0, 0.0), zero, zero
    t = r * cuprite.sqrt(df / ((1.0 - r + 1e-20) * (1.0 + r + 1e-20)))
    stderr = cuprite.sqrt((1 - r ** 2) * syy / sxx / df)
    return slope, intercept, r, of_t(t, float(df), alternative), stderr, stderr * cuprite.sqrt(sxx + xm ** 2)
