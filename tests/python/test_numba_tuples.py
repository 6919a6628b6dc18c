"""numba.literal_unroll: each item of a tuple has its own types. DeviceNDArray.flags."""
import collections

import numpy as np
import pytest

import cuprite as cp
import cuprite.numba as numba
from cuprite.numba import cuda, literal_unroll, njit
from oracle import raises

MIXED = (1, 2.5, np.float32(0.5))
Pair = collections.namedtuple("Pair", "one many")


@njit
def total(items):
    s = 0.0
    for x in literal_unroll(items):
        s += x
    return s


def test_arrays_of_several_types(device):
    out = cp.zeros(3)
    items = (cp.arange(3), cp.arange(3.0) / 4, cp.array([1 + 0j, 2, 3]).real.astype("f4"))

    @cuda.jit
    def each(out, items):
        k = cuda.grid(1)
        if k < out.size:
            s = 0.0
            for x in literal_unroll(items):
                s += x[k] * 2
            out[k] = s
    each[1, 32](out, items)
    assert (out.get() == sum(x.get().astype("f8") for x in items) * 2).all()


def test_items_of_different_kinds(device):
    """Arrays of one and two dimensions and numbers, in one loop: in each copy x has its own type."""
    @cuda.jit
    def widths(out, items, factor):
        at = 0
        for x in literal_unroll(items):
            y = x.ndim
            out[at] = y * factor
            at += 1
        for x in literal_unroll((1, 2.5)):
            out[at] = x
            at += 1
    out = cp.zeros(5)
    widths[1, 1](out, (cp.zeros((2, 3)), cp.zeros(4, "i4"), cp.zeros((1, 1, 1))), 10)
    assert out.get().tolist() == [20, 10, 30, 1, 2.5]


def test_tuples_that_are_known(device):
    """A global tuple, one with a name, a namedtuple, an empty one, loops in loops, an attribute of the module."""
    @cuda.jit
    def kernel(out, pair):
        t = (1, 0.5)
        for x in literal_unroll(MIXED):
            out[0] += x
        for x in literal_unroll(t):
            for y in numba.literal_unroll(MIXED):
                out[1] += x * y
        for x in literal_unroll(pair):
            out[2] += x
        for x in literal_unroll(()):
            out[3] += 1
        out[4] = total((1, 2.5))
    out = cp.zeros(5)
    kernel[1, 1](out, Pair(3, 0.25))
    assert out.get().tolist() == [4, 6, 3.25, 0, 3.5]


def test_on_the_host():
    assert literal_unroll(MIXED) is MIXED and total((1, 2.5)) == 3.5 and total(()) == 0


def test_as_numba():
    """The same functions by Numba itself, where it is installed."""
    theirs = pytest.importorskip("numba")
    from numba import literal_unroll as unroll  # noqa: F401

    def function(items, factor):
        s = 0.0
        for x in unroll(items):
            s += x * factor
        return s
    right = theirs.njit(function)((1, 2.5, np.float32(0.5)), 3)

    def ours(items, factor):
        s = 0.0
        for x in literal_unroll(items):
            s += x * factor
        return s
    assert njit(ours)((1, 2.5, np.float32(0.5)), 3) == right == 12


@pytest.mark.parametrize("leave", ["break", "continue"])
def test_what_is_refused(device, leave):
    @cuda.jit
    def leaves(out, items):
        for x in literal_unroll(items):
            if x > 1:
                break
            out[0] = x

    @cuda.jit
    def goes_on(out, items):
        for x in literal_unroll(items):
            if x > 1:
                continue
            out[0] = x

    @cuda.jit
    def unknown(out, items):
        for x in literal_unroll(out):
            out[0] = x
    with raises(NotImplementedError, match="can have no break, continue or else"):
        (leaves if leave == "break" else goes_on)[1, 1](cp.zeros(1), (1, 2.5))
    with raises(TypeError, match="takes a tuple whose items are known"):
        unknown[1, 1](cp.zeros(1), (1, 2.5))


def test_flags(device):
    """Numba's: a dictionary of two, which the caller may change."""
    x = cuda.to_device(np.ones((3, 4)))
    assert x.flags == {"C_CONTIGUOUS": True, "F_CONTIGUOUS": False} and type(x.flags) is dict
    assert x.T.flags == {"C_CONTIGUOUS": False, "F_CONTIGUOUS": True}
    assert x[:, ::2].flags == {"C_CONTIGUOUS": False, "F_CONTIGUOUS": False}
    assert x[0].flags == x[:, :0].flags == {"C_CONTIGUOUS": True, "F_CONTIGUOUS": True}
    assert cuda.to_device(np.array(2.0)).flags == {"C_CONTIGUOUS": True, "F_CONTIGUOUS": True}
    assert cuda.as_cuda_array(cp.broadcast_to(cp.ones(1), (3, 4))).flags == \
        {"C_CONTIGUOUS": False, "F_CONTIGUOUS": False}
    x.flags["C_CONTIGUOUS"] = 7
    assert x.flags["C_CONTIGUOUS"] is True
