"""Exponents: the largest results of exp and power."""
import numpy as np
import pytest

import cuprite as cp
from oracle import as_numpy_does, equal, outcome


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("size", [1, 3, 8, 21])
def test_the_largest_results(size):
    """Up to the largest number nothing is infinite."""
    most = np.finfo("f8").max * (1 - np.array([0, 1e-16, 1e-15, 1e-10, 1e-7, 1e-6, 1.7e-6, 1.8e-6, 1e-5]))
    far = np.array([np.inf, -np.inf, np.nan, 0, 710, -746, 1e308])
    for x in (np.log(np.finfo("f8").max) - np.array([-2e-13, 0, 1e-13, 1e-10, 1e-7, 1e-6, 1.8e-6, 1e-5, 1e-3]), far):
        x = np.resize(x, size)
        np.testing.assert_array_max_ulp(cp.exp(cp.asarray(x)).get(), np.exp(x), 1)
    for x, e in ((most, 1), (-most, 1), (np.sqrt(most), 2), (1 / most, -1), (-np.cbrt(most) * (1 - 1e-15), 3),
                 (far, 3)):
        x = np.resize(x, size)
        for e in (np.full(size, e, "f8"), np.resize([e, 1, np.inf, np.nan], size).astype("f8")):
            want = np.power(x, e)
            np.testing.assert_array_max_ulp(cp.power(cp.asarray(x), cp.asarray(e)).get(), want, 1)
            np.testing.assert_array_max_ulp(cp.float_power(cp.asarray(x), cp.asarray(e)).get(), want, 1)
