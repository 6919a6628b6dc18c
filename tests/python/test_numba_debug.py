"""cuda.jit(debug=True): indices are checked, and what threads raise is raised by the launch; without it a thread that
raises ends silently."""
import re

import numpy as np
import pytest

from cuprite.numba import cuda


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
