"""scipy.stats on Cuprite's arrays: moments, scores, correlations, tests, bins, densities, distributions.

Everything is computed on the arrays' device, along an axis where SciPy has one; results of all of an array are 0-d
arrays. Exact p-values of Kolmogorov's and Smirnov's tests are SciPy's, on the host."""
from __future__ import annotations

from cuprite._missing import later as _later

_LATER = {  # names: the modules that have them
    "beta": "_distributions", "binned_statistic": "_binned", "binned_statistic_2d": "_binned",
    "binned_statistic_dd": "_binned", "boxcox": "_transforms", "boxcox_llf": "_transforms",
    "cauchy": "_distributions", "chi2": "_distributions", "describe": "_moments", "entropy": "_transforms",
    "expon": "_distributions", "f": "_distributions", "f_oneway": "_tests", "gamma": "_distributions",
    "gaussian_kde": "_density", "gmean": "_moments", "gumbel_r": "_distributions", "gzscore": "_moments",
    "hmean": "_moments", "iqr": "_orders", "jarque_bera": "_tests", "ks_1samp": "_kstests", "ks_2samp": "_kstests",
    "kstest": "_kstests", "kurtosis": "_moments", "laplace": "_distributions", "linregress": "_correlation",
    "logistic": "_distributions", "lognorm": "_distributions", "median_abs_deviation": "_orders", "mode": "_orders",
    "moment": "_moments", "norm": "_distributions", "pareto": "_distributions", "pearsonr": "_correlation",
    "pmean": "_moments", "rankdata": "_orders", "rayleigh": "_distributions",
    "sem": "_moments", "skew": "_moments", "spearmanr": "_correlation", "t": "_distributions", "tmax": "_orders",
    "tmean": "_orders", "tmin": "_orders", "trim1": "_orders", "trim_mean": "_orders", "trimboth": "_orders",
    "tsem": "_orders", "tstd": "_orders", "ttest_1samp": "_tests", "ttest_ind": "_tests",
    "ttest_ind_from_stats": "_tests", "ttest_rel": "_tests",
    "tvar": "_orders", "uniform": "_distributions", "variation": "_moments", "weibull_min": "_distributions",
    "zmap": "_moments", "zscore": "_moments",
}

__getattr__ = _later(__name__, _LATER)
