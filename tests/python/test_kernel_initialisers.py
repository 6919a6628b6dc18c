"""Values that variables of a device begin with: those that CUDA's compilers take, and those that they refuse, since a
GPU runs no constructors. Each program was given to NVRTC 13.0, whose answer is the test's."""
import re

import numpy as np
import pytest

import cuprite as cp

pytestmark = pytest.mark.once

DYNAMIC = [
    "__device__ int f() { return 3; } __device__ int x = f();",
    "__device__ int f(); __device__ int x = f(); __device__ int f() { return 3; }",
    "struct A { int a; __device__ A() : a(3) {} }; __device__ A x;",
    "__device__ int a = 3; __device__ int b = a;",
    "__device__ float a = 1.0f / 3, b = a;",
    "__device__ int b = threadIdx.x;",
    "namespace n { __constant__ float s = 1, t = 2 * s; }",
    "__device__ float g(float v) { return v; } __constant__ float t[2] = {1, g(2)};",
]
IN_FUNCTIONS = ["static __device__ int d = *y;", "static int d = *y;", "static const int d = y[0] + 1;"]
CONSTANT = [
    ("constexpr int f() { return 3; } __device__ int x = f();", "x", 3),
    ("struct A { int a; constexpr A() : a(3) {} }; __device__ A x;", "x.a", 3),
    ("struct A { int a; A() = default; }; __device__ A x; __constant__ A z;", "x.a + z.a", 0),
    ("struct A { int a = 3; }; __device__ A x;", "x.a", 3),
    ("struct A { int a; __device__ ~A() {} }; __device__ A x;", "x.a", 0),
    ("__device__ int a[] = {1, 2}; __device__ int *p = a + 1;", "*p", 2),
    ("const int n = 5; __device__ int b = n * 2; __constant__ double d = 1.0 / 3;", "b + (int)(3 * d)", 11),
    ("template <class T> __device__ T v = T(3);", "v<int>", 3),
    ("struct S { static const int a = 4; static constexpr int b[2] = {1, 2}; };", "S::a + S::b[threadIdx.x]", 5),
    ("__device__ auto f = [](int a) { return a + 1; };", "f(3)", 4),
    ("__device__ int g(int a) { return a + threadIdx.x; } typedef int (*F)(int); __device__ F t[2] = {g, &g};",
     "t[1](3)", 3),
    ("struct V { __device__ virtual int f() { return 2; } }; __device__ V v;", "v.f()", 2),
    ("int x = 3;", "x", 3),
    ("__managed__ int m = 4; __device__ const int &r = 4;", "m + r", 8),
    ("__device__ float2 m = {1, 2}; __constant__ dim3 d = dim3(3, 4);", "m.x + d.y", 5),
    ("__device__ volatile int lock = 0; __constant__ char text[] = \"hello\"; __device__ const char *names[] = "
     "{\"a\", \"b\"};", "text[1] + names[1][0] + lock", 199),
    ("struct M { float v[4]; __host__ __device__ constexpr M(float a) : v{a, a, a, a} {} };\n"
     "__constant__ M m(3), mm = M(4), a[2] = {M(1), M(2)};", "m.v[1] + mm.v[0] + a[1].v[2]", 9),
    ("namespace n { __constant__ int w[3][2] = {{1, 2}, {3}}; } __device__ int (*z)[2] = n::w + 1;", "(*z)[0]", 3),
    ("__device__ int x(3), y2{4}, z2 = {5};", "x + y2 + z2", 12),
    ("extern __device__ int late; __device__ int of_late() { return late; } __device__ int late = 7;", "of_late()", 7),
    ("extern \"C\" { __device__ int late = 7; __constant__ float two = 2; }", "late + (int)two", 9),
    ("__device__ union { int i; float f; } u = {3}; __device__ struct Q { int i; float f; } q = {3, 4}, *w = &q;",
     "u.i + w->i", 6),
    ("#include <cuda/atomic>\n__device__ cuda::atomic<int> c; __device__ cuda::atomic<int> e{4};", "c + e.load()", 4),
    ("__device__ __attribute__((aligned(16))) int x = 3; __device__ __align__(8) struct { int a, b; } p = {1, 2};",
     "x + p.b", 5),
]
KERNEL = 'extern "C" __global__ void k(int *y) {{ {} }}'


@pytest.mark.parametrize("text", DYNAMIC)
def test_dynamic_ones_are_refused(text):
    with pytest.raises(cp.cuda.compiler.CompileException) as e:
        cp.RawKernel(f"{text}\n" + KERNEL.format("*y = 1;"), "k").compile()
    assert "kernel.cu:1: error: dynamic initialization is not supported for a __device__ variable" in str(e.value)


@pytest.mark.parametrize("text", IN_FUNCTIONS)
def test_dynamic_ones_of_functions_are_refused(text):
    with pytest.raises(cp.cuda.compiler.CompileException, match="dynamic initialization is not supported"):
        cp.RawKernel(KERNEL.format(text + " *y = d;"), "k").compile()


def test_constant_ones():
    """All in one source, each in a namespace of its own."""
    heads, bodies = "", ""
    for k, (text, value, _) in enumerate(CONSTANT):
        lines = text.split("\n")
        heads = "".join(line + "\n" for line in lines if line[0] == "#") + heads
        inner = "\n".join(line for line in lines if line[0] != "#")
        inner = re.sub(r"\blate\b", f"late{k}", inner)
        heads += f"{inner}\n" if "extern" in inner else f"namespace c{k} {{ {inner} }}\n"
        using = "" if "extern" in inner else f"using namespace c{k}; "
        value = re.sub(r"\blate\b", f"late{k}", value)
        bodies += f"{{ {using}y[{k}] = {value}; }}\n"
    y = cp.zeros(len(CONSTANT), "i4")
    cp.RawKernel(heads + KERNEL.format(bodies), "k")((1,), (1,), (y,))
    np.testing.assert_array_equal(y.get(), [w for *_, w in CONSTANT])


def test_statics_of_functions():
    text = KERNEL.format("static int c = 3; static __device__ int d = 4; static __constant__ int e[2] = {1, 2};"
                         "static const char *s = \"ab\"; *y = c++ + d + e[1] + s[1];")
    y, k = cp.zeros(1, "i4"), cp.RawKernel(text, "k")
    for more in range(3):
        k((1,), (1,), (y,))
        assert y.get()[0] == 9 + 98 + more


@pytest.mark.parametrize("text", ["__shared__ int c = 3;", "__shared__ int a[2], c = {3};", "__shared__ float c{3};"])
def test_shared_variables_begin_with_nothing(text):
    with pytest.raises(cp.cuda.compiler.CompileException, match="initializer not allowed for __shared__ variable"):
        cp.RawKernel(KERNEL.format(text + " *y = c;"), "k").compile()


@pytest.mark.parametrize("text, what", [
    ('#include <cub/cub.cuh>\n'
     'extern "C" __global__ void k(int *x) { size_t n; cub::DeviceReduce::Sum(x, n, x, x, 3); }',
     "line 2: an algorithm of CUB's for a whole device"),
    ('#include <cub/device/device_scan.cuh>\nextern "C" __global__ void k(int *x) { x[0] = 1; }',
     "algorithms for a whole device are launched by the host"),
])
def test_algorithms_for_a_whole_device(text, what):
    with pytest.raises((NotImplementedError, cp.cuda.compiler.CompileException)) as e:
        cp.RawKernel(text, "k").compile()
    assert what in str(e.value) and "docs/guide/kernels.md" in str(e.value)


OVERLOADS = """
namespace n {
struct P { int a, b; };
enum E { A, B = 4 };
__global__ void f(P p, int *x, E e = B) { x[0] = p.a + e; }
__global__ void f(int p, int *x, const char *s = "a,b", P q = {1, 2}) { x[0] = p; }
namespace {
__global__ void h(float p, int *x, int (*g)(int, int) = nullptr) { x[0] = (int)p; }
__global__ void h(P p, int *x, int n = (3 > 2 ? 1 : 0)) { x[0] = p.b + n; }
}
}
typedef void (*K)(int, int *, const char *, n::P);
"""


def test_overloads_with_default_arguments():
    names = ["(K)n::f", "static_cast<K>(&n::f)", "(void (*)(n::P, int *, n::E))n::f",
             "(void (*)(float, int *, int (*)(int, int)))n::h", "(void(*)(n::P,int*,int))&n::h"]
    m = cp.RawModule(code=OVERLOADS, name_expressions=names, options=("--std=c++17",))
    x, p = cp.zeros(1, "i4"), np.array([(5, 6)], "i4").view("V8")[0, 0]
    for name in names[:2] + ["_ZN1n1fEiPiPKcNS_1PE"]:
        x[0] = 0
        m.get_function(name)((1,), (1,), (np.int32(3), x, np.uint64(0), p))
        assert x.get()[0] == 3
    for name in (names[2], "_ZN1n1fENS_1PEPiNS_1EE"):
        m.get_function(name)((1,), (1,), (p, x, np.int32(7)))
        assert x.get()[0] == 12
    m.get_function(names[3])((1,), (1,), (np.float32(9), x, np.uint64(0)))
    assert x.get()[0] == 9
    m.get_function(names[4])((1,), (1,), (p, x, np.int32(2)))
    assert x.get()[0] == 8
