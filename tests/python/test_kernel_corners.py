"""Corners of C++ in user kernels: marks of two letters, words over several lines, kernels of one name, own variables
with CUDA's names, shared memory of functions and methods in a kernel's size."""
import numpy as np
import pytest

import cuprite as cp

THREADS = np.arange(32, dtype="i4")


def run(code, name="f", names=None):
    m = cp.RawModule(code=code, options=("--std=c++17",), name_expressions=names)
    f, out = m.get_function(name), cp.zeros(32, "i4")
    f((1,), (32,), (out, np.int32(32)))
    return f, out.get()


DIGRAPHS = """%:define TWICE(x) (2 * (x))
template <class T> __device__ T own(T x) <% return x; %>
struct number <% int n<:2:>; %>;
extern "C" __global__ void f(int *out, int n)
<%
    __shared__ int s<:32:>;
    const char *text = "<%:>%>"; // <% in a comment
    number m = <%<%1, text<:0:> == '<' && text<:4:> == '%'%>%>;
    s<:threadIdx.x:> = TWICE(own<::number>(m).n<:1:> * threadIdx.x);
    __syncthreads();
    out<:threadIdx.x:> = s<:31 - threadIdx.x:>;
%>"""


def test_digraphs():
    f, out = run(DIGRAPHS)
    assert f.kernel.tier in ("regions", "gpu")
    assert out.tolist() == (2 * THREADS[::-1]).tolist()


def test_words_over_several_lines():
    f, out = run("""extern "C" __glo\\
bal__ void f(int *out, int n) { __sha\\
red__ int s[32]; s[threadIdx.x] = threadIdx.x; __sync\\
threads(); out[thread\\
Idx.x] = s[31 - threadIdx.x]; }""")
    assert f.kernel.tier in ("regions", "gpu")
    assert out.tolist() == THREADS[::-1].tolist()


OVERLOADED = """__global__ void f(int *out, int n) { out[threadIdx.x] = threadIdx.x; }
__global__ void f(float *out, int n) { __shared__ int s[32]; s[threadIdx.x] = threadIdx.x; __syncthreads();
    ((int *)out)[threadIdx.x] = s[31 - threadIdx.x]; }
namespace q { __global__ void f(float *out, int n) { ((int *)out)[threadIdx.x] = 7; }
__global__ void g() {} }
__global__ void alone(int *out, int n) { out[threadIdx.x] = n; }"""


@pytest.mark.once
def test_kernels_of_one_name():
    names = ["static_cast<void (*)(int *, int)>(f)", "(void (*)(float *, int))f", "(void(*)(float*,int))&q::f",
             "(void (*)(void))q::g", "(void (*)(int *, int))alone"]
    wanted = [THREADS, THREADS[::-1], THREADS * 0 + 7, None, THREADS * 0 + 32]
    for name, values in zip(names, wanted):
        if values is None:
            cp.RawModule(code=OVERLOADED, options=("--std=c++17",), name_expressions=names).get_function(name)(
                (1,), (1,), ())
        else:
            assert run(OVERLOADED, name, names)[1].tolist() == values.tolist(), name
    assert run(OVERLOADED, "alone", [*names, "alone"])[1].tolist() == [32] * 32
    with pytest.raises(cp.cuda.driver.CUDADriverError, match="there is no kernel f"):
        run(OVERLOADED, "f", names)


@pytest.mark.parametrize("head, value, wanted", [
    ("__device__ int g(dim3 gridDim, int blockDim) { return gridDim.x + blockDim; }", "g(dim3(3), 4) + threadIdx.x",
     7 + THREADS),
    ("struct a { int threadIdx, y; __device__ int get() const { return threadIdx * y; } };",
     "a{3, 2}.get() + threadIdx.x", 6 + THREADS),
    ("struct a { dim3 blockIdx; };", "a{dim3(5)}.blockIdx.x + threadIdx.x + blockIdx.x * 9", 5 + THREADS),
    ("__device__ int g(const int *threadIdx) { return threadIdx[0] + *threadIdx; }", "g(&n) + threadIdx.x",
     64 + THREADS),
    ("__device__ int g(dim3 v) { return v.x; }", "g(threadIdx) + g(blockDim) * g(gridDim)", THREADS + 32),
    ("template <class T> __device__ T g(T blockDim) { T gridDim = blockDim * 2; { int threadIdx = 3; gridDim += "
     "threadIdx; } return gridDim + threadIdx.x; }", "g(4)", 11 + THREADS)])
def test_own_variables_with_names_of_cuda(head, value, wanted):
    code = f'{head}\nextern "C" __global__ void f(int *out, int n) {{ dim3 t = threadIdx; out[t.x] = {value}; }}'
    assert run(code)[1].tolist() == wanted.tolist()


SHARING = {"function": ("__device__ int get(int i) { SHARED }", "get(threadIdx.x)"),
           "namespace": ("namespace q { __device__ int get(int i) { SHARED } }", "q::get(threadIdx.x)"),
           "called by another": ("__device__ int get(int i) { SHARED } __device__ int more(int i) { return get(i); }",
                                 "more(threadIdx.x)"),
           "method": ("struct a { __device__ int get(int i) { SHARED } };", "a().get(threadIdx.x)")}


@pytest.mark.parametrize("how", SHARING)
def test_shared_memory_of_what_a_kernel_calls(how):
    head, call = SHARING[how]
    shared = "__shared__ int s[64]; s[i] = i + 1; __syncthreads(); return s[31 - i];"
    code = head.replace("SHARED", shared) + f"""
        extern "C" __global__ void f(int *out, int n) {{ __shared__ int s[32]; s[threadIdx.x] = 5; __syncthreads();
            out[threadIdx.x] = {call} + s[31 - threadIdx.x]; }}
        extern "C" __global__ void g(int *out, int n) {{ __shared__ int s[8]; s[threadIdx.x % 8] = n; __syncthreads();
            out[threadIdx.x] = s[3]; }}"""
    f, out = run(code)
    assert out.tolist() == (37 - THREADS).tolist()
    assert f.shared_size_bytes == 128 + 256
    assert run(code, "g")[0].shared_size_bytes == 32


def test_division_of_bytes_by_zero(device):
    """Whatever registers the compiler takes, also on a thread that blocks signals, as late:0's."""
    if device.startswith("cuda"):
        pytest.skip("CUDA leaves open what a division by zero gives")
    f, out = run("""extern "C" __global__ void f(int *out, int n)
    {
        volatile unsigned char a = threadIdx.x + 1, b = n - 32, c = 3;
        out[threadIdx.x] = (unsigned char)(a / b) * 2 + (unsigned char)(b / c) + (a % c);
    }""")
    assert out.tolist() == (510 + (THREADS + 1) % 3).tolist()


FLOATS = {"isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "signbit": np.signbit,
          "isnormal": lambda x: np.isfinite(x) & (abs(x) >= np.finfo(x.dtype).tiny)}


@pytest.mark.parametrize("kind", ["float", "double", "__half", "float of a word", "double of a word"])
@pytest.mark.parametrize("name", FLOATS)
def test_kinds_of_floating_numbers(name, kind, device):
    """They are functions: of what converts to a float too, in vectors of whatever the number is made of, as names of
    members, and on the CPU in std."""
    types = {"float": "f4", "double": "f8", "__half": "f2", "float of a word": "u4", "double of a word": "u8"}
    of = {"float of a word": "__uint_as_float(x[i])", "double of a word": "__longlong_as_double((long long)x[i])"}
    words = {"u4": "unsigned", "u8": "unsigned long long"}
    if device.startswith("cuda"):  # where a half could become several kinds of numbers
        of["__half"] = "__half2float(x[i])"
    if name == "isnormal" and (device.startswith("cuda") or kind == "__half"):
        pytest.skip("not among CUDA's device functions")
    spaces = ("",) if device.startswith("cuda") else ("", "std::")
    x = np.array([0.0, -0.0, 1.5, -2.0, np.inf, -np.inf, np.nan, 1e-310, -1e-40, -6e-8] * 10)
    host = x.astype(types[kind].replace("u", "f"))
    for space in spaces:
        text = "#include <cmath>\n" if space else ""
        k = cp.RawKernel(f"""#include <cuda_fp16.h>
            {text}
            struct named {{ bool v; __device__ bool {name}() const {{ return v; }} }};
            extern "C" __global__ void f(const {words.get(types[kind], kind)} *x, bool *y, int n)
            {{
                int i = blockIdx.x * blockDim.x + threadIdx.x;
                if (i < n) y[i] = named{{{space}{name}({of.get(kind, "x[i]")})}}.{name}();
            }}""", "f")
        y = cp.zeros(100, "?")
        k((4,), (32,), (cp.asarray(host.view(types[kind])), y, np.int32(100)))
        assert np.array_equal(y.get(), FLOATS[name](host)), space


CASTS = r"""
#include <cuda_fp16.h>
typedef long long integer(double);
using F = int(float);
enum kind { one = (int)1.5, two = int(2.5) };
struct S { int v; __device__ explicit operator int() const { return v; } };
template <int N> struct A { enum { n = N }; };
__constant__ int table[(int)2] = {(int)1.5, static_cast<int>(2.5)};
__device__ int twice(int);
__device__ int twice(int x) { return (int)(x * 2); }
__device__ int thrice(int(x)) { return 3 * x; }
extern "C" __global__ void f(const double *x, double *out, int *numbers)
{
    const int i = int(threadIdx.x), n = (int)sizeof(int);
    int a[(unsigned int)4] = {(int)i, int(n), int{n}};
    S s{3};
    switch (n) {
    case (int)4: numbers[i] = (int)s + two + (int)one + A<(int)4>::n + table[(size_t)1] + twice((int)2) +
                              thrice(int(3)) + a[1] + (int)((long long)(&a[1]) - (long long)a); break;
    default: numbers[i] = 0;
    }
    const volatile double v = x[i];
    const float z = (float)x[i];
    double *o = out + 8 * i;
    o[0] = (double)(long long)x[i];
    o[1] = double(int(x[i]));
    o[2] = 1.0 * int(x[i]);
    o[3] = (double)(signed char)v;
    o[4] = static_cast<double>(static_cast<int>(x[i] * (double)(int)1.5f));
    o[5] = (float)(int)z;
    o[6] = x[i] > -1 ? (double)(short)x[i] : (double)(int)(x[i] * 2);
    o[7] = (float)(int)__half2float(__float2half(z));
}
"""


def test_real_numbers_that_become_integers_have_no_signed_zero():
    """g++ with -fno-trapping-math takes (double)(long long)x for trunc(x). The casts remain those of the program."""
    x = np.tile([-0.5, 0.5, -0.0, 3.75, -3.75, 100.0, -1.0, -0.99], 4)
    out, numbers = cp.zeros((32, 8)), cp.zeros(32, "i4")
    cp.RawKernel(CASTS, "f", ("--std=c++17",))((1,), (32,), (cp.asarray(x), out, numbers))
    assert numbers.get().tolist() == [3 + 2 + 1 + 4 + 2 + 4 + 9 + 4 + 4] * 32
    wanted = np.repeat(np.trunc(x)[:, None], 8, 1)
    wanted[:, 6] = np.where(x > -1, np.trunc(x), np.trunc(x * 2))
    assert out.get().tobytes() == (wanted + 0.0).tobytes()


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_integers_in_an_elementwise_kernel_have_no_signed_zero(name):
    x = np.linspace(-2, 2, 1001).astype(name)
    k = cp.ElementwiseKernel("T x", "T y", "y = (T)(int)x", "whole")
    k(cp.asarray(x))
    k._wait()
    assert k(cp.asarray(x)).get().tobytes() == (np.trunc(x) + np.zeros(1, name)).tobytes()
