"""Arguments of Generator's methods: what NumPy's Generator raises of each, or the shape and type of what it gives."""
import warnings

import cuprite as cp
import numpy as np
import pytest

NAN, INF = np.nan, np.inf
CASES = {
    "uniform": [(0, 1), (1, 0), (0, INF), (NAN, 1), (-1e308, 1e308), ("a", 1), (1j, 2), ([0, 1], [1, 2, 3]),
                ([[0], [1]], [1, 2, 3]), (None, 1)],
    "normal": [(0, 1), (0, -1), (0, -0.0), (0, NAN), ([0, 1], 1), ("a", 1), (1j, 1), ([0, 1], [1, 2, 3]), (0, [1, -1]),
               (0, None), (INF, 1)],
    "exponential": [(1,), (-1,), (NAN,), (-0.0,), ([1, 2],), ([],), ("a",), (1j,), (None,), (INF,), (True,)],
    "triangular": [(0, 1, 2), (2, 1, 0), (0, 3, 2), (1, 1, 1), (NAN, 1, 2), ([0, 1], 1, [2, 3])],
    "wald": [(1, 1), (0, 1), (1, 0), (NAN, 1)], "vonmises": [(0, 1), (0, -1), (0, NAN), (0, INF)],
    "gamma": [(1, 1), (0, 1), (-1, 1), (1, -1), (NAN, 1)],
    "beta": [(1, 1), (0, 1), (1, 0), (NAN, 1), ([1, 2], [1, 2, 3])],
    "f": [(1, 1), (0, 1), (1, 0)], "noncentral_f": [(1, 1, 1), (0, 1, 1), (1, 1, -1), (1, 1, 0)],
    "standard_t": [(1,), (0,), (INF,)], "geometric": [(.5,), (0,), (1.5,), (NAN,), (1,)],
    "poisson": [(1,), (0,), (-1,), (NAN,), (1e19,), (INF,), ([1, 2],), ([1, -2],), ("a",), (1j,), (None,),
                (True,), ([],)],
    "binomial": [(10, .5), (-1, .5), (10, 1.5), (10, NAN), (1.5, .5), (0, .5), ([1, 2], .5), ([1, -2], .5), (NAN, .5),
                 (2**63, .5), ("a", .5), ([1.5, 2], .5), (10, [.5, 2]), (10, None), ([], .5)],
    "negative_binomial": [(10, .5), (0, .5), (10, 0), (10, 1.5), (10, NAN), (1e300, .5)],
    "hypergeometric": [(5, 5, 3), (-1, 5, 3), (5, 5, -1), (5, 5, 11), (5, 5, 0), (0, 0, 0), (10**10, 5, 3), (1.5, 2, 2),
                       ([5, 6], 5, 3), ([5, 6], 5, [3, 4, 5]), (NAN, 5, 3)],
    "logseries": [(.5,), (0,), (1,), (-1,), (NAN,)], "zipf": [(2,), (1,), (NAN,)],
    "integers": [(10,), (0,), (-1,), (5, 10), (10, 5), (5, 5), (0, 2**63), (0, 2**64), (-2**63, 2**63), (-2**64, 1),
                 (0.5,), (1.5, 3.7), (NAN,), (None,), (1j,), (True,)],
    "dirichlet": [([1, 2],), ([1, -1],), ([1, 0],), ([NAN, 1],), ([],), (1,), ([[1, 2]],), ([0, 0],)],
    "multinomial": [(10, [.5, .5]), (-1, [.5, .5]), (10, [.5, .6, .2]), (10, [1.5, -.5]), (10, [NAN, .5]), (10, .5),
                    ([10, 20], [.5, .5]), ([10, -20], [.5, .5]), ([1, 2, 3], [[.5, .5], [.1, .9]]), (10, [1.0])],
    "multivariate_hypergeometric": [([5, 5], 3), ([5, -5], 3), ([5, 5], 11), ([5, 5], -1), ([], 0), (5, 3),
                                    ([[5, 5]], 3), ([5, 5], 1.5), ([5, 5], [1, 2])],
    "multivariate_normal": [([0, 0], [[1, 0], [0, 1]]), ([0, 0], [[1]]), ([0, 0], [[1, 0]]), (0, 1),
                            ([0, 0], [[1, 2], [2, 1]]), ([0, 0], [[NAN, 0], [0, 1]]), ([NAN, 0], [[1, 0], [0, 1]]),
                            ([0, 1j], [[1, 0], [0, 1]]), ([0, 0], [[0, 0], [0, 0]]), ([[0, 0]], [[1, 0], [0, 1]])],
    "choice": [(5,), (1.5,), ([1, 2],), ([[1, 2], [3, 4]],), (None,)],
}
SIZES = [None, (), 0, 3, (2, 3), (2, 0), -1, (2, -1), 1.5, [2, 3], np.int64(2), (2, 1.0), np.array([2, 3])]


def outcome(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            r = call()
            r = r.get() if isinstance(r, cp.ndarray) else r   # where a device reports its failures
        except Exception as e:
            known = (OverflowError, np.linalg.LinAlgError, np.exceptions.AxisError, TypeError, ValueError)
            return next((k for k in known if isinstance(e, k)), type(e))
    if r is None or isinstance(r, bytes):
        return r if r is None else len(r)
    r = np.asarray(r)
    return r.shape, r.dtype


def both(name, *arguments, **more):
    """The method on NumPy's Generator and on ours; NumPy's arrays are ours there."""
    def ours(x):
        return cp.asarray(x) if isinstance(x, np.ndarray) and x.dtype != object else x
    want = outcome(lambda: getattr(np.random.Generator(np.random.Philox(1)), name)(*arguments, **more))
    mine = {k: v if k == "size" else ours(v) for k, v in more.items()}
    got = outcome(lambda: getattr(cp.random.default_rng(1), name)(*map(ours, arguments), **mine))
    assert got == want, (name, arguments, more)


@pytest.mark.parametrize("name", CASES)
def test_parameters_and_sizes(name):
    for i, parameters in enumerate(CASES[name]):
        for size in SIZES if i == 0 else (None, 3, (2, 3), 0):
            both(name, *parameters, size=size)


@pytest.mark.parametrize("name", ["random", "standard_normal", "standard_exponential", "integers"])
def test_types(name):
    for dtype in ("f4", "f8", "f2", "i4", "i8", "u1", "?", "c8", "foo", float, int, bool, np.float32):
        both(name, *([1] if name == "integers" else []), size=3, dtype=dtype)


def test_orders_and_choices():
    for x in (10, 0, -1, 1.5, [1, 2, 3], [[1, 2], [3, 4]], np.array(5), None, np.int64(5), [], np.float64(3)):
        both("permutation", x)
    for x in ([1, 2, 3], 5, [[1, 2], [3, 4]], []):
        both("permuted", x)
    for x in ([1, 2, 3], np.array(5), 5, (1, 2)):
        both("shuffle", x)
    for more in ({"p": [.2] * 5}, {"p": [.2] * 4}, {"p": [.3] * 5}, {"p": [[.2] * 5]}, {"p": [NAN] + [.25] * 4},
                 {"p": .5}, {"p": [-.2, .4, .4, .2, .2]}, {"size": 6, "replace": False},
                 {"size": (2, 2), "replace": False},
                 {"size": 3, "replace": False, "p": [.5, .5, 0, 0, 0]}, {"size": 0, "replace": False}):
        both("choice", 5, **more)
    for axis in (0, 1, 2, -1, 1.5):
        both("permutation", [[1, 2], [3, 4]], axis=axis)
        both("choice", [[1, 2], [3, 4]], 3, axis=axis)


def test_a_list_is_shuffled():
    x = list(range(100))
    cp.random.default_rng(1).shuffle(x)
    assert sorted(x) == list(range(100)) and x != sorted(x)


@pytest.mark.parametrize("method", ["svd", "eigh", "cholesky", "foo"])
def test_normal_vectors(method):
    for cov in ([[1, 0], [0, 1]], [[1, 2], [2, 1]], [[0, 0], [0, 0]], [[1, 1], [1, 1]], [[-1, 0], [0, -1]]):
        for check in ("warn", "raise", "ignore") if cov != [[1, 1], [1, 1]] else ("warn",):
            both("multivariate_normal", [0, 0], cov, 3, check_valid=check, method=method)
        if method != "foo":
            both("multivariate_normal", [0, 0], cov, 3, tol=-1, method=method)
