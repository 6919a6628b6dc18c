"""Arrays that a kernel takes by value: ndarray.cstruct as CArray, ndarray.mdspan as cuda::std::mdspan."""
import gc
import struct

import numpy as np
import pytest

import cuprite as cp

VIEWS = {
    "contiguous": lambda x: x, "turned": lambda x: x[::-1, ::-1], "columns": lambda x: x[:, 1::2], "T": lambda x: x.T,
    "broadcast": lambda x: cp.broadcast_to(x[:1], x.shape),
}
TYPES = {"f4": "float", "f8": "double", "i1": "signed char", "u2": "unsigned short", "i8": "long long",
         "c8": "thrust::complex<float>"}

CARRAY = r"""
#include <cupy/carray.cuh>
#include <cupy/complex.cuh>
extern "C" __global__ void f(CArray<TYPE, 2> a, CArray<TYPE, 1> row, long long *told, CArray<TYPE, 2> out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, columns = (int)a.shape()[1];
    if (i == 0)
        told[0] = a.size(), told[1] = a.shape()[0], told[2] = a.strides()[0], told[3] = a.strides()[1];
    if (i >= a.size()) return;
    int place[2] = {i / columns, i % columns};
    out[place] = a[place] + a[i] + row[i % columns];
}"""


def kernel(text, dtype):
    return cp.RawKernel(text.replace("TYPE", TYPES[dtype]), "f")


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("view", VIEWS)
def test_carray(view, dtype):
    a = VIEWS[view](cp.arange(24).reshape(4, 6).astype(dtype))
    row, out = cp.arange(a.shape[1]).astype(dtype), cp.zeros(a.shape, dtype)
    told = cp.zeros(4, "i8")
    kernel(CARRAY, dtype)((2,), (16,), (a.cstruct, row.cstruct, told, out.cstruct))
    assert told.tolist() == [a.size, a.shape[0], *a.strides]
    h = a.get()
    np.testing.assert_array_equal(out.get(), (h + h + row.get()).astype(dtype))


def test_carray_of_many_shapes():
    for ndim in (0, 1, 3, 5):
        x = cp.arange(2 ** ndim, dtype="f4").reshape((2,) * ndim)
        k = cp.RawKernel(r"""
#include <cupy/carray.cuh>
extern "C" __global__ void f(CArray<float, %d> x, float *sum)
{
    float s = (float)x.size();
    for (int i = 0; i < x.size(); ++i) s += x[i];
    *sum = s;
}""" % ndim, "f")
        out = cp.zeros((), "f4")
        k((1,), (1,), (x.cstruct, out))
        assert out.item() == x.size + x.get().sum()


def test_a_struct_of_the_users_own():
    k = cp.RawKernel(r"""
struct vector { double *at; long long size, length, stride; };
extern "C" __global__ void f(vector v) {
    for (int i = 0; i < v.length; ++i) *(double *)((char *)v.at + i * v.stride) *= 2; }""", "f")
    x = cp.arange(6.0)
    k((1,), (1,), (x[::2].cstruct,))
    assert x.tolist() == [0, 1, 4, 3, 8, 5]
    a = x[::2]
    assert struct.unpack("4q", bytes(a.cstruct)) == (a.data.ptr, 3, 3, 16)


MDSPAN = r"""
#include <cuda/std/mdspan>
using span = cuda::std::mdspan<TYPE, cuda::std::dextents<INDEX, 2>, cuda::std::LAYOUT>;
extern "C" __global__ void f(span a, long long *told)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, rows = a.extent(0), columns = a.extent(1);
    if (i == 0) told[0] = a.size(), told[1] = rows, told[2] = a.stride(0), told[3] = a.stride(1);
    if (i < rows * columns) a(i / columns, i % columns) += a.extent(0);
}"""
LAYOUTS = {"layout_right": lambda x: x, "layout_left": lambda x: cp.asfortranarray(x),
           "layout_stride": lambda x: x[::2, 1::2]}


@pytest.mark.parametrize("index", ["int", "long long"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i2"])
def test_mdspan(dtype, layout, index):
    types = dict(TYPES, i2="short")
    text = MDSPAN.replace("TYPE", types[dtype]).replace("INDEX", index).replace("LAYOUT", layout)
    a = LAYOUTS[layout](cp.arange(24).reshape(4, 6).astype(dtype))
    before, told = a.get(), cp.zeros(4, "i8")
    cp.RawKernel(text, "f")((1,), (32,), (a.mdspan(index_type=cp.int32 if index == "int" else cp.int64), told))
    assert told.tolist() == [a.size, a.shape[0], *(s // a.itemsize for s in a.strides)]
    np.testing.assert_array_equal(a.get(), before + a.shape[0])


def test_mdspan_by_ranks():
    k = cp.RawModule(code=r"""
#include <cuda/std/mdspan>
namespace s = cuda::std;
template <typename T, int rank>
__global__ void sum(s::mdspan<const T, s::dextents<long long, rank>, s::layout_stride> x, T *out)
{
    T total = 0;
    long long at[rank + 1] = {};
    for (size_t n = 0; n < x.size(); ++n) {
        size_t rest = n, place = 0;
        for (int r = rank; r-- > 0;) { at[r] = rest % x.extent(r); rest /= x.extent(r); place += at[r] * x.stride(r); }
        total += x.data_handle()[place];
    }
    *out = total + (T)x.rank() * 1000 + (T)x.mapping().required_span_size();
}
__global__ void scalar(s::mdspan<double, s::extents<int>> x) { x() = 5; }
__global__ void list(s::mdspan<int, s::dextents<int, 2>> x)
{
    int place[2] = {1, 2};
    x[place] = (int)x.extent(0) * 10 + (int)(x.static_extent(1) == s::dynamic_extent);
}
""", name_expressions=["sum<double, 1>", "sum<double, 3>", "scalar", "list"])
    for rank, x in ((1, cp.arange(10.0)[::3]), (3, cp.arange(24.0).reshape(2, 3, 4)[:, ::2])):
        out = cp.zeros((), "f8")
        k.get_function(f"sum<double, {rank}>")((1,), (1,), (x.mdspan(index_type="i8"), out))
        reach = 1 + sum((n - 1) * (s // 8) for n, s in zip(x.shape, x.strides))
        assert out.item() == x.sum().item() + rank * 1000 + reach
    one = cp.zeros((), "f8")
    k.get_function("scalar")((1,), (1,), (one.mdspan(index_type="i4"),))
    assert one.item() == 5
    table = cp.zeros((2, 3), "i4")
    k.get_function("list")((1,), (1,), (table.mdspan(index_type="i4"),))
    assert table.tolist() == [[0, 0, 0], [0, 0, 21]]


def test_mdspan_refuses():
    x = cp.arange(6.0).reshape(2, 3)
    for wrong in (lambda: x.mdspan(index_type="f4"), lambda: x.mdspan(index_type="u4"),
                  lambda: x[::-1].mdspan(index_type="i8"), lambda: x[:0].mdspan(index_type="i8"),
                  lambda: cp.broadcast_to(x[:1], (2, 3)).mdspan(index_type="i8"),
                  lambda: x[:, 1:].view("i4")[:, ::3].view("f4").mdspan(index_type="f8")):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError):
        x.mdspan()
    with pytest.raises(TypeError):
        x.mdspan("i8")
    large = cp.lib.stride_tricks.as_strided(cp.zeros(1, "i1"), (2**16, 2**16), (0, 0))
    with pytest.raises(ValueError):
        large.mdspan(index_type="i4", allow_unsafe=True)
    assert large.mdspan(index_type="i8", allow_unsafe=True) is not None
    assert bytes(x[::-1].mdspan(index_type="i8", allow_unsafe=True)) == struct.pack("5q", x[1].data.ptr, 2, 3, -3, 1)
    assert bytes(x.mdspan(index_type="i4")) == struct.pack("q4i", x.data.ptr, 2, 3, 3, 1)


def test_the_struct_keeps_its_array():
    k = cp.RawKernel(r"""
#include <cupy/carray.cuh>
extern "C" __global__ void f(CArray<double, 1> x, double *out) { out[threadIdx.x] = x[threadIdx.x]; }""", "f")
    s, out = cp.full(64, 3.0).cstruct, cp.zeros(64)
    gc.collect()
    others = [cp.full(64, float(i)) for i in range(20)]
    k((1,), (64,), (s, out))
    assert out.tolist() == [3.0] * 64 and len(others) == 20
