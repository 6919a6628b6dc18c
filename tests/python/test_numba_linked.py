"""Functions of CUDA C++ that kernels of cuda.jit call (declare_device, link=), and pickled kernels. NumPy and Python
are the oracles."""
import pickle
import subprocess
import sys

import numpy as np
import pytest

from cuprite.numba import cuda, float32, float64, guvectorize, int32, int64, njit, types, vectorize

FUNCTIONS = """
#define N 3
#define WHOLE(x) ((int)(x))
#include "linked_more.h"
static __device__ float add(float a, float b) { return a + b; }
extern "C" __device__ int times(float *result, float x, float y) { *result = x * y * N; return 0; }
extern "C" __device__ int total(double *result, const double *x, int n)
{
    double sum = EXTRA;
    for (int i = 0; i < n; i++) sum += x[i];
    *result = sum;
    return n == 3;   /* an exception, for Numba */
}
extern "C" __device__ int fill(void *, int *x, int value) { x[0] = WHOLE(value); return 0; }
"""


class FFI:
    """cffi's, as far as kernels know it."""

    def from_buffer(self, x):
        raise NotImplementedError


ffi = FFI()
times = cuda.declare_device("times", "float32(float32, float32)")
total = cuda.declare_device("total", float64(types.CPointer(float64), int32))
fill = cuda.declare_device("fill", "void(CPointer(int32), int32)")


@pytest.fixture
def source(tmp_path):
    (tmp_path / "linked_more.h").write_text("#pragma once\n#define EXTRA 0.5\n")
    (tmp_path / "linked.cu").write_text(FUNCTIONS)
    return tmp_path / "linked.cu"


def test_functions_of_a_linked_file(source, device):
    @cuda.jit(device=True)
    def partial(x, n):
        return total(ffi.from_buffer(x), n)

    def add(r, x, m, N):  # names that the file has too
        i = cuda.grid(1)
        p = ffi.from_buffer(m)
        fill(p, N + 7)
        r[i] = times(x[i], i) + N
        r[i] += partial(x, i)
    for link in (str(source), [source]):
        r, x, m = np.zeros(6), np.arange(6) + 1.5, np.zeros(2, "i4")
        cuda.jit(add, link=link)[1, 6](r, x, m, 100)
        first = x.astype("f4") * np.arange(6, dtype="f4") * 3 + 100
        expected = first + np.cumsum(x) - x + 0.5
        expected[3] = first[3]  # total() said that it failed: the thread ended
        np.testing.assert_array_equal(r, expected)
        assert m.tolist() == [107, 0]


def test_what_cannot_be_linked(source, device):
    @cuda.jit
    def alone(r):
        r[0] = times(r[0], 2)
    with pytest.raises(Exception, match="times is declared with cuda.declare_device, and no file that is linked"):
        alone[1, 1](np.zeros(1))

    @cuda.jit(link=source)
    def wrong(r):
        r[0] = times(r[0])
    with pytest.raises(Exception, match="times takes 2 arguments, not 1"):
        wrong[1, 1](np.zeros(1))

    @cuda.jit(link=source)
    def address(r):
        fill(r[0], 1)
    with pytest.raises(Exception, match="from_buffer"):
        address[1, 1](np.zeros(1))

    @cuda.jit(link=source)
    def gaps(r):
        fill(ffi.from_buffer(r), 1)
    with pytest.raises(Exception, match="no gaps"):
        gaps[1, 1](cuda.to_device(np.zeros(4, "i4"))[::2])
    with pytest.raises(NotImplementedError, match="f.ptx cannot be linked"):
        cuda.jit(link="f.ptx")(lambda x: None)
    with pytest.raises(FileNotFoundError):
        cuda.jit(link=[source.with_name("other.cu")])(lambda x: None)
    with pytest.raises(TypeError, match="Return type"):
        cuda.declare_device("f", (int32,))


# --- pickles ---
def again(x):
    return pickle.loads(pickle.dumps(x))


def made(step):
    @cuda.jit(device=True)
    def inner(a):
        return a + step

    @njit
    def helper(a):
        return inner(a) * np.int64(2)

    @cuda.jit("void(int64[:])")
    def eager(a):
        a[0] = helper(a[0])

    @cuda.jit
    def lazy(a):
        a[0] = helper(a[0])
    return eager, lazy


def test_kernels_are_pickled_by_value(device):
    for kernel in made(5):
        first = again(kernel)
        second = again(first[5, 8])
        assert (second.griddim, second.blockdim, second.stream, second.sharedmem) == ((5, 1, 1), (8, 1, 1), 0, 0)
        del kernel, first
        a = np.zeros(1, int)
        again(second.dispatcher)[1, 1](a)
        assert a.tolist() == [10] and second.dispatcher.specialized == (second.dispatcher.signatures == [(int64[:],)])


def test_functions_and_ufuncs_are_pickled(device):
    three = 3

    @vectorize([int64(int64), float64(float64)], target="cuda")
    def scaled(x):
        return x * three

    @guvectorize([(float32[:], float32[:])], "(n)->()", target="cuda")
    def last(x, r):
        r[0] = x[-1]

    @njit
    def plus(a, b=2):
        return a + b * three
    x = np.arange(6).reshape(2, 3)
    for _ in range(2):
        scaled, last, plus = again(scaled), again(last), again(plus)
        assert scaled(x).tolist() == (x * 3).tolist() and scaled(x).dtype == int
        assert last(x.astype("f4")).tolist() == [2, 5]
        assert plus(1) == 7 and plus.py_func(1, 3) == 10
    for signature in (int64[:, ::1](float32, types.boolean),
                      types.Tuple((int32, types.void))(types.UniTuple(int64, 2))):
        assert again(signature) == signature


@njit
def by_name(x):
    return x + 1


@pytest.mark.once
def test_what_has_a_name_is_pickled_by_it():
    assert again(by_name) is by_name
    assert again(types.UniTuple(int64, 2)) == types.Tuple((int64, int64))
    assert isinstance(types.Tuple((int64, int64)), types.UniTuple) and len(types.UniTuple(int64, 3)) == 3
    assert not isinstance(types.Tuple((int64, int32)), types.UniTuple)
    assert list(types.Tuple((int64, int32))) == [int64, int32]


@pytest.mark.once
def test_another_process_runs_it(tmp_path):
    """Though it has no file of the function's text."""
    path, text = tmp_path / "gone.py", "from cuprite.numba import cuda\n\ndef make(k):\n    @cuda.jit\n" \
                                       "    def f(a):\n        a[0] += k\n    return f\n"
    path.write_text(text)
    space = {}
    exec(compile(text, str(path), "exec"), space)
    pickled = pickle.dumps(space["make"](4))
    path.unlink()
    run = "import pickle, sys, numpy as np; f = pickle.loads(bytes.fromhex(sys.argv[1])); a = np.ones(1); " \
          "f[1, 1](a); print(a[0])"
    done = subprocess.run([sys.executable, "-c", run, pickled.hex()], capture_output=True, text=True, timeout=120)
    assert done.stdout == "5.0\n", done.stderr
