"""Functions of njit on the host: what they compute, and in which types, compared with Python, where its numbers have
Numba's types; and that those that cannot be compiled run as Python."""
import math
import warnings

import numpy as np
import pytest

from cuprite import numba
from cuprite.numba import float64, int32, int64, jit, njit, prange

rng = np.random.default_rng(5)


def is_native(f):
    return all(made is not None for made in f._made.values()) and bool(f._made)


@pytest.fixture(autouse=True)
def silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_numbers_are_pythons():
    @njit
    def f(a, b):
        return a * b + 1
    for a, b, expected in ((2, 3, 7), (2.5, 2, 6.0), (np.int32(2**31 - 1), np.int32(4), 2**33 - 3),
                           (np.float32(1.1), 2.0, float(np.float32(1.1)) * 2 + 1), (1j, 2, 1 + 2j), (True, True, 2),
                           (2**62, 4, 1), (np.uint8(255), 2, 511)):
        got = f(a, b)
        assert got == expected and type(got) is type(expected), (a, b, got)
    assert is_native(f)


def test_sums_are_as_wide_as_numbas():
    @njit(parallel=True, fastmath=True, cache=True, nogil=True)
    def total(x):
        s = 0.0
        for k in prange(x.size):
            s += x[k]
        return s
    x = rng.random(1001).astype("f")
    expected = 0.0
    for v in x:
        expected += float(v)
    assert total(x) == expected and total(x[::-2]) == sum(map(float, x[::-2]), 0.0)
    assert total(np.arange(10)) == 45.0 and is_native(total)


def test_arrays_are_used_where_they_lie():
    @njit
    def fill(a, v):
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                a[i, j] = v + i * 10 + j
    for a in (np.zeros((3, 4)), np.zeros((3, 4), order="F"), np.zeros((6, 8))[::2, ::-2], np.zeros((3, 4), "i2"),
              np.zeros((3, 4), "F"), np.zeros((0, 4))):
        assert fill(a, 5) is None
        assert np.array_equal(a, 5 + np.arange(a.shape[0])[:, None] * 10 + np.arange(4))
    assert is_native(fill)


def test_several_results_and_calls():
    @njit
    def low_high(x):
        low, high = x[0], x[0]
        for v in x:
            low, high = min(low, v), max(high, v)
        return low, (high, len(x))

    @njit
    def span(x, scale=2):
        low, (high, n) = low_high(x)
        return (high - low) * scale / n
    x = rng.random(50)
    assert low_high(x) == (x.min(), (x.max(), 50)) and type(low_high(x)[1][1]) is int
    assert span(x) == (x.max() - x.min()) * 2 / 50 and span(x, scale=3) == (x.max() - x.min()) * 3 / 50
    assert is_native(low_high) and is_native(span)
    with pytest.raises(TypeError):
        span()


def test_signatures_convert():
    @njit("float64(float64, float64)")
    def add(a, b):
        return a + b

    @njit([int32(int32), float64(float64)])
    def double(a):
        return a * 2

    @njit(int64(float64))
    def whole(a):
        return a

    @jit((float64[:], int64))
    def at(x, k):
        return x[k]
    for got, expected in ((add(1, 2), 3.0),
                          (double(np.int32(2)), 4), (double(2), 4.0), (double(np.int32(2**30)), -2**31),
                          (whole(2.7), 2), (whole(-2.7), -2), (at(np.arange(4.0), 2), 2.0)):
        assert got == expected and type(got) is type(expected)
    with pytest.raises(TypeError, match="No matching definition for argument type"):
        add(1j, 2)


def test_division_by_zero():
    @njit
    def ratio(a, b):
        return a / b

    @njit
    def rest(a, b):
        return a // b + a % b

    @njit(error_model="numpy")
    def quiet(a, b):
        return a / b
    assert ratio(7, 2) == 3.5 and rest(-7, 2) == -3 and rest(-7.5, 2.0) == -3.5
    for f in (ratio, rest):
        for a, b in ((1, 0), (1.0, 0.0), (np.float32(1), np.float32(0))):
            with pytest.raises(ZeroDivisionError, match="division by zero"):
                f(a, b)
            assert f(a, 1) == 1
    assert quiet(1.0, 0.0) == math.inf and math.isnan(quiet(0.0, 0.0))
    assert is_native(ratio) and is_native(rest) and is_native(quiet)


def test_what_kernels_lack_runs_as_python(capfd):
    @njit
    def made(n):
        return np.arange(n) * 2

    @njit
    def words(n):
        if n < 0:
            raise ValueError("negative")
        print("n is", n)
        return str(n)

    @njit
    def counted(n):
        assert n > 0
        return n

    @njit
    def small(a, b):
        x = [a, b]
        return x[0] * x[1] * 4
    assert np.array_equal(made(4), [0, 2, 4, 6]) and words(3) == "3" and counted(2) == 2
    assert capfd.readouterr().out == "n is 3\n"
    with pytest.raises(ValueError, match="negative"):
        words(-1)
    with pytest.raises(AssertionError):
        counted(0)
    got = small(np.int8(100), np.int8(100))
    assert got == 40000 and type(got) is int
    assert type(small(np.float32(1), np.float32(2))) is float
    assert not any(map(is_native, (made, words, counted, small)))


def test_methods_and_threads():
    class Thing:
        @njit
        def twice(self, x):
            return 2 * x
    assert Thing().twice(4) == 8

    @njit
    def f(x, k):
        s = 0
        for v in x:
            s += v % k
        return s
    import threading
    x, bad = np.arange(1000), []

    def work(k):
        for _ in range(50):
            if k == 0:
                try:
                    f(x, 0)
                    bad.append(k)
                except ZeroDivisionError:
                    pass
            elif f(x, k) != sum(v % k for v in range(1000)):
                bad.append(k)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(5)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not bad and f.py_func(x, 7) == f(x, 7)
    assert numba.get_num_threads() >= 1


def test_types_of_both_where_a_call_decides():
    """Numba knows what literals decide, and no more: the other value has its part in the type."""
    @njit
    def chosen(a, b, t):
        return (a if bool(False) else b, b if np.isfinite(3) else a, a if False else b, t[0] if len(t) < 3 else t[5])
    got = chosen(2.5, 3, (1, 2))
    assert got == (3.0, 3.0, 3, 1) and [type(x) for x in got] == [float, float, int, int]
    assert is_native(chosen)


def test_zero_minus_an_integer_of_zero():
    @njit
    def f(n):
        return 0.0 - n, (0.0 - n) // 2.0
    assert [math.copysign(1, x) for x in f(0)] == [1, 1]
    assert is_native(f)


def test_what_operators_of_literals_decide_is_left_out():
    @njit
    def f(a):
        v = a
        if False & False:
            v = 2.5
        return v, ~(not 3.25) & a
    assert f(9) == (9, 9) and type(f(3)[0]) is int and is_native(f)


MANY = 3
KIND = "wide"


def test_what_cannot_be_reached_has_no_part_in_types():
    """Numba's types: uint64 and int64 meet in float64, where both reach a read."""
    @njit
    def inner(w, nothing, a):
        if nothing is None and a.ndim == 1:
            w = np.uint64(w)
        else:
            w = w / 2
        return w

    @njit
    def count(a):
        a[0] += 1
        return a[0] > 0

    @njit
    def decided(x, a):
        u = int(x)
        if not -1.5:
            u = u / 2
        else:
            u %= np.int32(u)
        v = w = y = z = x
        if MANY < 3 or KIND == "narrow":
            v = 2.5
        while False:
            v = 1j
        w = inner(w, None, a)
        while True:
            y += x
            if y > 100:
                break
            continue
            y = 2.5
        for k in range(9):
            if ~True:
                break
            z = 0.5 & z
        local = 1
        if local > 1:
            z = 2.5
        if count(a) and False or count(a) and 3 < 2:
            z = 2.5
        if a.shape[0] < 9 or True and count(a):
            pass
        if count(a) and False:
            z = 2.5
        return u, v, w, y, z
    calls = np.zeros(3)
    got = decided(np.uint64(9), calls)
    assert got == (0, 9, 9, 108, 9) and {type(x) for x in got} == {int} and is_native(decided)
    assert calls[0] == 3

    @njit
    def met(x, c):
        u = np.uint64(x)
        if c:
            u %= np.int32(u)
        return u
    assert met(np.uint64(9), False) == 9 and type(met(np.uint64(9), False)) is float and is_native(met)


def test_types_of_both_branches_where_a_call_decides():
    """Numba knows of literals, names and comparisons of two, and no more."""
    @njit
    def f(x):
        k = 3
        k += 1
        u = v = w = 1
        if bool(3.25):
            u = 3
        else:
            u = 2.5
        if k - k == 1:
            v = 2.5
        if 3 < 2 or bool(0):
            w = x + 0.5
        return u, v, w
    assert f(5) == (3, 1, 1) and [type(x) for x in f(5)] == [float] * 3 and is_native(f)


def test_names_of_what_cannot_be_reached_stay_local():
    @njit
    def f(x):
        if False:
            MANY = 1
        return MANY + x
    with pytest.raises(NameError):
        f(2)


def test_several_variables_with_types_of_their_own():
    """v1 has one only after v0 has."""
    @njit
    def f(v1, other, c):
        v1, v0 = v1 * 2, np.uint64(3)
        for i in range(3):
            v0 = 7.5
        if c:
            if c:
                v1 = (v1 & other) - 1
        else:
            v0, v1 = v1, v0
        return v0, v1
    @njit
    def g(x, c):
        v = x >> 1
        if c:
            v %= 2.5
            x *= 2.5
        else:
            x = x & (v | 1)
        return v, x
    assert g(9, True) == (1.5, 22.5) and g(9, False) == (4, 1) and is_native(g)
    assert f(np.uint64(9), np.int16(3), True) == (7.5, 1) and f(np.uint64(9), np.int16(3), False) == (18, 7.5)
    assert is_native(f)


def test_a_number_that_fills_a_slice_is_computed_once():
    @njit
    def f(b, c):
        b[2:] = b[3] ** 3
        b[:2] += b[0]
        np.add(c, c[1], c)
    b, c = np.array([1.0, 5, 7, 2, 3, 4]), np.array([1.0, 2, 3])
    f(b, c)
    assert is_native(f) and b.tolist() == [2, 6, 8, 8, 8, 8] and c.tolist() == [3, 4, 5]
