"""What kernels of cuprite.jit may call: functions of the host that make device functions, ufuncs by name, iterators of
strided arrays, groups."""
import numpy as np
import pytest

import cuprite as cp
from cuprite import jit


def adds(c):
    @jit.rawkernel(device=True)
    def f(x):
        return x + c
    return f


@jit.rawkernel()
def made(x, z):
    i = jit.threadIdx.x
    z[i] = adds(10)(x[i]) + adds(20)(x[i]) + x[i] + 3


@jit.rawkernel(device=True)
def bump(x):
    x[0] += 1
    return 1


@jit.rawkernel()
def once(x):
    x[bump(x)] += 5


def test_functions_of_the_host_and_calls_in_an_index():
    x, z = cp.arange(5, dtype="i4"), cp.zeros(5, "i4")
    made[1, 5](x, z)
    assert z.tolist() == [33, 36, 39, 42, 45]
    x = cp.zeros(2)
    once[1, 1](x)
    assert x.tolist() == [1, 5]


UFUNCS = {"lcm": (np.arange(6), 4), "heaviside": (np.array([-1.5, 0, 2, np.nan]), 0.5),
          "logaddexp": (np.array([-1.5, 0, 800, np.nan]), 0.5), "logaddexp2": (np.array([-1.5, 0, 2]), 0.5),
          "nan_to_num": (np.array([np.nan, np.inf, -np.inf, 1.5]),), "i0": (np.array([0, 0.5, -3, 25.0, 60]),),
          "sinc": (np.array([0, 0.5, -1.25]),), "isposinf": (np.array([np.inf, -np.inf, 1]),),
          "isneginf": (np.array([np.inf, -np.inf, 1]),), "bitwise_count": (np.array([-7, 0, 255]),),
          "spacing": (np.array([1.0, -2.5, np.inf, 0]),), "float_power": (np.array([2, -7]), -3),
          "reciprocal": (np.array([2, -7, 1]),), "fmod": (np.array([-7, 2**53 + 1]), 10),
          "invert": (np.array([True, False]),), "sign": (np.array([-2.5, 0.0, np.nan]),)}


@pytest.mark.parametrize("name", UFUNCS)
@pytest.mark.parametrize("mode", ["numpy", "cuda"])
def test_ufuncs_by_name(name, mode):
    function, (x, *more) = getattr(cp, name), UFUNCS[name]

    @jit.rawkernel(mode=mode)
    def kernel(x, z):
        i = jit.threadIdx.x
        z[i] = function(x[i], more[0])

    @jit.rawkernel(mode=mode)
    def alone(x, z):
        i = jit.threadIdx.x
        z[i] = function(x[i])
    with np.errstate(all="ignore"):
        right = getattr(np, name)(x, *more)
    z = cp.zeros(right.shape, right.dtype)
    (kernel if more else alone)[1, len(x)](cp.asarray(x), z)
    assert np.allclose(z.get(), right, rtol=1e-14, atol=0, equal_nan=True)


@jit.rawkernel()
def rows(x, y):
    i = jit.threadIdx.x
    r = x[i]
    y[i] = jit.thrust.count(jit.thrust.device, r.begin(), r.end(), 1)
    jit.thrust.sort(jit.thrust.device, r.begin(), r.end())


def test_iterators_of_strided_arrays():
    x = cp.asarray(np.asfortranarray([[3, 1, 1, 2], [1, 0, 5, 4]], "i4"))
    y = cp.zeros(2, "i4")
    rows[1, 2](x, y)
    assert y.tolist() == [2, 1] and x.tolist() == [[1, 1, 2, 3], [0, 1, 4, 5]]


@jit.rawkernel()
def shared(x, y):
    i = jit.threadIdx.x
    s = jit.shared_memory(np.int32, 32)
    s[i] = x[i]
    jit.syncthreads()
    y[i] = jit.thrust.count(jit.thrust.device, s, s + 32, i) + jit.thrust.make_constant_iterator(np.int32(5))[0]


@jit.rawkernel()
def folded(x, y):
    warp = jit.cub.WarpReduce[cp.complex128]
    t = jit.shared_memory(dtype=warp.TempStorage, size=1)
    r = warp(t[0]).Sum(x[jit.threadIdx.x])
    if jit.threadIdx.x == 0:
        y[0] = r


@jit.rawkernel()
def grid(x):
    g = jit.cg.this_grid()
    x[0], x[1], x[2] = g.num_threads(), g.num_blocks(), g.dim_blocks().x
    x[3], x[4] = g.block_rank(), g.block_index().x


def test_pointers_folds_and_groups():
    y = cp.zeros(32, "i4")
    shared[1, 32](cp.arange(32, dtype="i4"), y)
    assert y.tolist() == [6] * 32
    z = cp.zeros(1, "D")
    folded[1, 32](cp.arange(32) * (1 + 2j), z)
    assert z[0].item() == 496 + 992j
    x = cp.zeros(5, "i8")
    grid[1, 3](x)
    assert x.tolist() == [3, 1, 1, 0, 0]


def test_arrays_of_the_surroundings():
    given = cp.array([4.0, 5.0])

    @jit.rawkernel()
    def k(x):
        x[0] = given[1]
    x = cp.zeros(1)
    k[1, 1](x)
    assert x.tolist() == [5.0]
