"""cuda.jit(debug=True): indices are looked at, and what threads raise is raised by the launch; without it a thread that
raises ends and tells nothing."""
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
    @cuda.jit(debug=debug)
    def kernel(a, o):
        i = cuda.grid(1)
        assert a[i] > 1, "error information"
        if a[i] == 7:
            raise ValueError("seven", 7)
        o[i] = 1
    return kernel


def test_exceptions_of_threads():
    o = np.zeros(2)
    with pytest.raises(AssertionError, match="^error information$"):
        raising(True)[1, 2](np.array([2, 1]), o)
    with pytest.raises(ValueError) as e:
        raising(True)[1, 2](np.array([2, 7]), o)
    assert e.value.args == ("seven", 7)
    raising(True)[1, 2](np.array([2, 3]), o)
    assert o.tolist() == [1, 1]
    o[:] = 0
    raising(False)[1, 2](np.array([2, 1]), o)
    raising(False)[1, 2](np.array([7, 1]), o)
    assert o.tolist() == [1, 0]
