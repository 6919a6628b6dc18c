"""cuda.jit(debug=True): indices are checked, and what threads raise is raised by the launch; without it a thread that
raises ends silently."""
import re

import numpy as np
import pytest

from cuprite.numba import cuda, float64, guvectorize, int64, njit, vectorize


@cuda.jit(device=True)
def read(a, i):
    return a[i]


@cuda.jit(debug=True, opt=False)
def outside(a, m, i, j, o):
    t = cuda.grid(1)
    o[t] = read(a, i) + m[j, i]


@pytest.mark.parametrize("i, j, inside", [(2, 1, True), (-1, -1, True), (3, 0, False), (0, 2, False), (-4, 0, False),
                                          (2**40, 0, False)])
def test_an_index_outside_is_an_error(i, j, inside):
    a, m, o = np.arange(3.0), np.arange(6.0).reshape(2, 3), np.zeros(4)
    if inside:
        outside[1, 4](a, m, i, j, o)
        assert o.tolist() == [a[i] + m[j, i]] * 4
        return
    with pytest.raises(IndexError, match="out of bounds in outside"):
        outside[1, 4](a, m, i, j, o)
    outside[1, 4](a, m, 0, 0, o)
    assert o.tolist() == [0] * 4
    with pytest.raises(IndexError):
        outside[1, 5](a, m, 0, 0, o)


def raising(debug):
    @cuda.jit(debug=debug, opt=not debug)
    def kernel(a, o):
        i = cuda.grid(1)
        assert a[i] > 1, "error information"
        if a[i] == 7:
            raise ValueError("seven", 7)
        o[i] = 1
    return kernel


def test_exceptions_of_threads():
    o = np.zeros(2)
    place = r"^In function 'kernel', file .*test_numba_debug.py, line \d+, tid=\[1, 0, 0\] ctaid=\[0, 0, 0\]: "
    with pytest.raises(AssertionError, match=place + "error information$"):
        raising(True)[1, 2](np.array([2, 1]), o)
    with pytest.raises(ValueError) as e:
        raising(True)[1, 2](np.array([2, 7]), o)
    assert re.match(place + "seven$", e.value.args[0]) and e.value.args[1:] == (7,)
    raising(True)[1, 2](np.array([2, 3]), o)
    assert o.tolist() == [1, 1]
    o[:] = 0
    raising(False)[1, 2](np.array([2, 1]), o)
    raising(False)[1, 2](np.array([7, 1]), o)
    assert o.tolist() == [1, 0]


def test_division_by_zero_ends_the_thread(device):
    """With debug=True; without it gives what IEEE's arithmetic gives."""
    def kernel(x, o):
        o[0] = x[1] / x[0]
        o[1] = x[1]

    def whole(x, o):
        o[0] = 7 // x[0] if x[0] > -1 else 0
        o[1] = x[1] % x[0]
    o = np.zeros(2)
    with pytest.raises(ZeroDivisionError, match=r"tid=\[0, 0, 0\] ctaid=\[0, 0, 0\]: division by zero"):
        cuda.jit(debug=True, opt=False)(kernel)[1, 1](np.array([0.0, 1]), o)
    assert o.tolist() == [0, 0]
    cuda.jit(kernel)[1, 1](np.array([0.0, 1]), o)
    assert o.tolist() == [np.inf, 1]
    with pytest.raises(ZeroDivisionError):
        cuda.jit(debug=True, opt=False)(whole)[1, 1](np.array([0, 1]), o)
    cuda.jit(debug=True, opt=False)(whole)[1, 1](np.array([2, 5]), o)
    assert o.tolist() == [3, 1]


class MyError(Exception):
    pass


@cuda.jit(device=True)
def checked(x):
    if x == 2:
        raise MyError
    return x * 2


def test_exceptions_of_functions_and_of_tuples(device):
    @cuda.jit(debug=True, opt=False)
    def kernel(a, o):
        i = cuda.grid(1)
        o[i] = checked(a[i])

    @cuda.jit(debug=True, opt=False)
    def lengths(a, o, k):
        o[cuda.threadIdx.x] = a.shape[k - cuda.threadIdx.x]
    o = np.zeros(3)
    with pytest.raises(MyError, match="^In function 'checked', .*tid=.2, 0, 0. ctaid=.0, 0, 0.$"):
        kernel[1, 3](np.array([0, 1, 2]), o)
    kernel[1, 3](np.array([0, 1, 3]), o)
    assert o.tolist() == [0, 2, 6]
    lengths[1, 3](np.zeros((4, 5)), o, 1)
    assert o.tolist() == [5, 4, 5]
    with pytest.raises(IndexError, match="tuple index out of range"):
        lengths[1, 3](np.zeros((4, 5)), o, -1)


# --- without debug=True: the thread ends, wherever it raises ---
@njit
def positive(x):
    if x < 0:
        raise ValueError("negative", x)
    return x * 2


@njit
def pair(x):
    assert x != 3, "three"
    return x, positive(x - 1)


@njit
def noted(x, o, k):
    o[k] += 1
    positive(x)
    o[k] += 2


@njit
def factorial(n, k):
    if n == 0:
        if k == 4:
            raise RuntimeError
        return 1
    return n * factorial(n - 1, k)


@njit
def even(n):
    if n == 0:
        return True
    return odd(n - 1)


@njit
def odd(n):
    if n == 7:
        raise OverflowError
    if n == 0:
        return False
    return even(n - 1)


@njit
def only_raises():
    raise NotImplementedError


@njit
def thread(i, x, o):
    v = x[i]
    o[0, i] = positive(v + 5) + positive(v + 6)
    noted(v + 4, o, (1, i))
    o[2, i] = 1 if v == -3 else positive(v + 2)  # nothing is stored by a thread that raises
    if v > 5 or positive(v + 1) > 0 or v == -1:
        o[3, i] = 1
    n = 0
    while n < v and positive(2 - n) >= 0:
        n += 1
    o[4, i] = n
    for k in range(0, 5 if v < 0 else positive(v - 1), 2):
        o[5, i] += k
    a, b = pair(v + 1)
    o[6, i] = a + b
    o[7, i] += factorial(v + 1, v + 1)
    o[8, i] = even(v + 4)
    if v == 2:
        only_raises()
    o[9, i] = 1


@njit
def by_itself(i, x, o):
    """A branch that nothing but an exception ends, and a function whose result is not asked for."""
    while True:
        o[0, i] += 1
        positive(x[i] + 2 - o[0, i])
        if o[0, i] == 4:
            break
    o[1, i] = 1


@pytest.mark.parametrize("body", [thread, by_itself])
def test_a_function_that_raises_ends_the_thread(body, device):
    @cuda.jit
    def kernel(x, o):
        body(cuda.grid(1), x, o)

    x = np.array([-6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7])
    got, expected = np.zeros((10, x.size), int), np.zeros((10, x.size), int)
    kernel[2, 7](x, got)
    for i in range(x.size):
        try:
            body.py_func(i, x, expected)
        except (ValueError, AssertionError, RuntimeError, OverflowError, NotImplementedError):
            pass
    np.testing.assert_array_equal(got, expected)


def test_the_others_go_on_behind_a_barrier(device):
    """A thread that ended is not waited for."""
    @cuda.jit
    def kernel(x, o):
        i = cuda.threadIdx.x
        shared = cuda.shared.array(64, int64)
        shared[i] = positive(x[i])
        cuda.syncthreads()
        o[i] = shared[i ^ 1] + i
    x = np.arange(64)
    x[[5, 40]] = -1
    o = np.full(64, -1)
    kernel[1, 64](x, o)
    expected = (np.arange(64) ^ 1) * 2 + np.arange(64)
    expected[[5, 40]] = -1
    keep = ~np.isin(np.arange(64), [4, 41])  # they read what those that ended did not write
    np.testing.assert_array_equal(o[keep], expected[keep])


def test_vectorized_functions_that_raise(device):
    @vectorize([float64(float64)], target="cuda")
    def root(x):
        if x < 0:
            raise ValueError("negative")
        return x ** 0.5

    @guvectorize([(int64[:], int64[:])], "(n)->()", target="cuda")
    def total(x, r):
        for v in x:
            r[0] = r[0] + positive(v)
    good = np.array([0.0, 1, 4])
    np.testing.assert_array_equal(root(np.append(good, -1))[:3], [0, 1, 2])
    x, out = np.array([[1, 2, 3], [1, -2, 3], [4, 5, 6]]), np.zeros(3, int)
    total(x, out=out)
    assert out.tolist() == [12, 2, 30]
