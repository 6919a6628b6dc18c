"""Kernels of C++'s forms that are no classes: lambdas, pointers to functions, recursion, prototypes, overloads, macros,
specifiers in any order, own integer types, attributes, variables. Every kernel is k(int *o, const int *x, int n), run
in 3 blocks of 64 threads; wanted are values of Python. Run with CUPRITE_KERNEL_TIER=fibers too."""
import numpy as np
import pytest

import cuprite as cp
from test_kernel_language_classes import BLOCKS, FREE, KERNEL, N, SUMS, THREADS, WARPS, B, G, T, X

REVERSED = X.reshape(BLOCKS, -1)[:, ::-1].ravel()
W = "typedef unsigned long long uint64_t; typedef long long int64_t; typedef unsigned char uint8_t;\n"

CASES = {
    "lambda": ("", "auto f = [](int a) { return a + threadIdx.x + tid(); }; o[place()] = f(x[place()]);", X + 2 * T),
    "lambda that captures values": ("", "int a = tid(); auto f = [a](int b) { return a * b + (int)blockIdx.x; }; a = "
    "0; "
                                        "o[place()] = f(3) + a;", 3 * T + B),
    "lambda that captures references": (
        "", "int a = 0; auto f = [&a](int b) { a += b * tid(); }; f(1), f(2); o[place()] = a;", 3 * T),
    "lambda with defaults": (
        "", "int a = 2, b = 3; auto f = [=](int c) { return a * c + tid(); }; auto g = [&] { b = a + place(); }; "
            "auto h = [=, &b](int c) mutable { a += c; b += a; return threadIdx.x; }; g(); o[place()] = f(5) + h(4) + "
            "b;",
        10 + T + T + 2 + G + 6),
    "lambda with an initialiser": ("", "auto f = [v = tid() * 2, &r = o[place()]](int a) { r = v + a; }; f(7);",
                                   2 * T + 7),
    "lambda in a template": (
        "template <class F> __device__ int twice(F f, int v) { return f(f(v)); }",
        "int k = 3; o[place()] = twice([=](int v) { return v * k + tid(); }, 1);", (3 + T) * 3 + T),
    "generic lambda": ("", "auto f = [](auto a, auto b) { return a * b + threadIdx.x; }; o[place()] = f(2, 3) + "
    "f(2.5f, "
                           "2);", 11 + 2 * T),
    "lambda in a method": (
        "struct S { int a; __device__ int f(int n) { auto g = [this, n](int v) { return v * a + n + tid(); }; return "
        "g(2) + "
        "[=] { return this->a + threadIdx.x; }(); } };", "S s{5}; o[place()] = s.f(1);", 11 + T + 5 + T),
    "lambda in a lambda": ("", "auto f = [](int a) { auto g = [a](int b) { return a + b * tid(); }; return g(2) + "
    "g(3); }; "
                               "o[place()] = f(4);", 8 + 5 * T),
    "lambda that is called at once": ("", "const int v = [&] { if (tid() % 2) return place(); return -1; }(); "
    "o[place()] = "
                                          "v;", np.where(T % 2, G, -1)),
    "lambda at namespace scope": ("__device__ auto f = [](int a) { return a + tid(); };\n",
                                  "o[place()] = f(3);", 3 + T),
    "lambda as a pointer": ("", "int (*f)(int) = [](int a) { return a * 2; }; o[place()] = f(place());", 2 * G),
    "lambda with a barrier": (
        "", "__shared__ int s[64]; auto turn = [&](int v) { s[tid()] = v; __syncthreads(); int r = s[63 - tid()]; "
            "__syncthreads(); return r; }; o[place()] = turn(x[place()]) + turn(1);", REVERSED + 1),
    "lambda with shuffles": (
        "template <class F> __device__ int fold(int v, F f) { for (int d = 16; d; d /= 2) v = f(v, "
        "__shfl_xor_sync(0xffffffffu, v, d)); return v; }",
        "o[place()] = fold(x[place()], [](int a, int b) { return a > b ? a : b; });", np.repeat(WARPS.max(1), 32)),
    "lambda of dynamic shared memory": (
        "", "extern __shared__ int s[]; auto put = [](int i, int v) { s[i] = v; }; auto get = [=](int i) { return "
        "s[i]; "
            "}; put(tid(), x[place()]); __syncthreads(); o[place()] = get(63 - tid());", REVERSED),
    "lambda of static shared memory": (
        "", "__shared__ int s[64], c; auto put = [](int i, int v) { s[i] = v; if (i == 0) c = v; }; put(tid(), "
            "x[place()]); __syncthreads(); o[place()] = [=] { return s[63 - tid()] + c; }();",
        REVERSED + X.reshape(BLOCKS, -1)[:, 0][B]),
    "pointer to a function": (
        "__device__ int f(int a) { return a + threadIdx.x; }\n__device__ int g(int a) { return a * 2; }\n"
        "typedef int (*op)(int);", "op p = place() % 2 ? f : &g; o[place()] = p(10);", np.where(G % 2, 10 + T, 20)),
    "table of functions": (
        "__device__ int f(int a) { return a + tid(); }\n__device__ int g(int a) { return a * place(); }\n"
        "using op = int (*)(int);\n__device__ op table[2] = {f, g};\n__constant__ op fixed[] = {g, f};",
        "o[place()] = table[place() & 1](3) + fixed[place() & 1](5);",
        np.where(G % 2, 3 * G + 5 + T, 3 + T + 5 * G)),
    "function as an argument of a template": (
        "template <int (*F)(int)> __device__ int twice(int a) { return F(F(a)); }\n__device__ int f(int a) { return a "
        "+ "
        "threadIdx.x; }", "o[place()] = twice<f>(3);", 3 + 2 * T),
    "function as an argument": (
        "template <class F> __device__ int call(F f, int a) { return f(a); }\n__device__ int f(int a) { return a + "
        "tid(); "
        "}\n__device__ int fold(int (*f)(int), int a) { return f(a) * 2; }", "o[place()] = call(f, 1) + fold(f, 2);",
        1 + T + 2 * (2 + T)),
    "pointer to a function that waits": (
        "__device__ int sum(int v) { return warp_sum(v); }\n__device__ int none(int v) { return v; }",
        "int (*f)(int) = n > 0 ? sum : none; o[place()] = f(x[place()]);", np.repeat(WARPS.sum(1), 32)),
    "pointer to a method": (
        "struct S { int a; __device__ int f(int b) { return a + b + tid(); } __device__ int g(int b) { return a * b; "
        "} };",
        "S s{4}; int (S::*m)(int) = place() % 2 ? &S::f : &S::g; o[place()] = (s.*m)(5);",
        np.where(G % 2, 9 + T, 20)),
    "recursion": ("__device__ int walk(int n) { return n ? walk(n - 1) + tid() : (int)blockIdx.x; }",
                  "o[place()] = walk(place() % 9);", (G % 9) * T + B),
    "mutual recursion": (
        "__device__ int odd(int n);\n__device__ int even(int n) { return n ? odd(n - 1) : tid(); }\n"
        "__device__ int odd(int n) { return n ? even(n - 1) : -place(); }", "o[place()] = even(x[place()] & 15);",
        np.where(X % 2, -G, T)),
    "prototypes": (
        "__device__ int later(int a, int b = 4);\n__device__ int turn(int *s, int v);\n__device__ int user() { return "
        "later(1) + later(2, 3); }\n__global__ void other(int *o);",
        "__shared__ int s[64]; o[place()] = user() + turn(s, later(x[place()]));",
        5 + 5 + 2 * T + REVERSED + 4 + (63 - T),
        "\n__device__ int later(int a, int b) { return a + b + tid(); }\n__device__ int turn(int *s, int v) { "
        "s[tid()] = "
        "v; __syncthreads(); return s[63 - tid()]; }\n__global__ void other(int *o) { o[tid()] = 1; }"),
    "overloads": (
        "__device__ int f(int a) { return a + threadIdx.x; }\n__device__ int f(float a) { return (int)a * 2; "
        "}\n__device__ "
        "int f(int a, int b) { return a * b + blockIdx.x; }\ntemplate <class T> __device__ int f(T *p) { return *p + "
        "tid(); }", "int v = 3; o[place()] = f(1) + f(2.5f) + f(3, 4) + f(&v);", 1 + T + 4 + 12 + B + 3 + T),
    "overloads of which one waits": (
        "__device__ int all_of(int v) { return warp_sum(v); }\n__device__ int all_of(float v) { return (int)v; }",
        "o[place()] = all_of(x[place()]) + all_of(2.5f);", np.repeat(WARPS.sum(1), 32) + 2),
    "namespaces": (
        "namespace a { __device__ int f() { return threadIdx.x; } namespace b { __device__ int f() { return 2 * "
        "tid(); } } "
        "}\nnamespace c = a::b;\nnamespace { __device__ int hidden() { return place(); } }\ninline namespace v1 { "
        "__device__ int g() { return hidden() + 1; } }\nusing a::b::f;",
        "o[place()] = a::f() + c::f() + f() + ::g() + v1::g();", 5 * T + 2 * G + 2),
    "using a namespace": ("namespace a { __device__ int f() { return tid(); } __device__ int v = 5; }\nusing "
    "namespace a;",
                          "o[place()] = f() + v;", T + 5),
    "macro that calls a function": ("#define HERE tid()\n#define AT(i) o[place() + (i)]\n", "AT(0) = HERE + HERE;",
    2 * T),
    "macro of several statements": (
        "#define SUM(v) do { v = warp_sum(v); \\\n    v += tid(); } while (0)\n", "int v = x[place()]; SUM(v); "
        "o[place()] = "
        "v;", np.repeat(WARPS.sum(1), 32) + T),
    "macro that makes functions": (
        "#define MAKE(name, op) __device__ int name(int a) { return a op tid(); }\nMAKE(plus, +) MAKE(times, *)\n",
        "o[place()] = plus(3) + times(4);", 3 + 5 * T),
    "macro that makes a class": (
        "#define OP(name, e) struct name { __device__ int operator()(int a) const { return e; } };\nOP(A, a + tid()) "
        "OP(B, "
        "a * place())\n", "o[place()] = A()(1) + B()(2);", 1 + T + 2 * G),
    "conditions of the preprocessor": (
        "#if defined(__CUDACC_RTC__) && defined(__CUDACC__) && __CUDA_ARCH__ >= 500 && __CUDACC_VER_MAJOR__ >= 11\n"
        "#define RIGHT 1\n#else\n#define RIGHT 0\n#endif\n#if defined(__NVCC__) || !defined(__CUDACC_VER_MINOR__) || "
        "!defined(__CUDACC_VER_BUILD__) || __cplusplus != 201703L\n#undef RIGHT\n#define RIGHT 0\n#endif",
        "o[place()] = RIGHT + (__CUDACC_VER_MAJOR__ > 10) + (__CUDA_ARCH_LIST__ > 0);", np.full(N, 3)),
    "shared before its type": ("", "float __shared__ s[64]; int static __shared__ c; s[tid()] = x[place()]; if (tid() "
    "== 0) "
                                   "c = 5; __syncthreads(); o[place()] = (int)s[63 - tid()] + c;", REVERSED + 5),
    "volatile before shared": ("", "volatile __shared__ int s[64]; int volatile __shared__ t[64]; s[tid()] = "
    "x[place()]; "
                                   "t[tid()] = 2; __syncthreads(); o[place()] = s[63 - tid()] * t[tid()];",
                                   2 * REVERSED),
    "static shared": ("", "static __shared__ int s[64]; s[tid()] = x[place()]; __syncthreads(); o[place()] = s[63 - "
                          "tid()];", REVERSED),
    "aligned shared": ("struct __align__(8) P { int a, b; };", "__align__(16) __shared__ P s[64]; __shared__ "
                       "__align__(32) int t; s[tid()] = {x[place()], 1}; if (tid() == 0) t = ((size_t)&t % 32 == 0); "
                       "__syncthreads(); o[place()] = s[63 - tid()].a + t;", REVERSED + 1),
    "shared before extern": ("", "__shared__ extern int s[]; s[tid()] = x[place()]; __syncthreads(); o[place()] = "
    "s[63 - "
                                 "tid()];", REVERSED),
    "extern aligned shared": ("", "extern __shared__ __align__(16) unsigned char raw[]; int *s = "
                                  "reinterpret_cast<int *>(raw); s[tid()] = x[place()]; __syncthreads(); o[place()] = "
                                  "s[63 - "
                                  "tid()];", REVERSED),
    "type before extern shared": ("", "unsigned extern __shared__ s[]; s[tid()] = x[place()]; __syncthreads(); "
    "o[place()] = "
                                      "s[63 - tid()];", REVERSED),
    "aligned before extern shared": ("__align__(8) extern __shared__ int all_of_it[];\n__device__ int get(int i) { "
    "return "
                                     "all_of_it[i]; }\nstruct S { __device__ void put(int v) { all_of_it[tid()] = v; "
                                     "} };",
                                     "S().put(x[place()]); __syncthreads(); o[place()] = get(63 - tid());", REVERSED),
    "shared memory of a function in two forms": (
        "__device__ int count(int v) { __shared__ int c; if (tid() == 0) c = 0; __syncthreads(); atomicAdd(&c, v); "
        "__syncthreads(); int r = c; __syncthreads(); return r; }\nstruct S { __device__ int get(int v) { return "
        "count(v); "
        "} };", "int a = count(x[place()]); o[place()] = a + S().get(2);", SUMS + 128),
    "own 64-bit types": (W + "__device__ uint64_t f(uint64_t v) { return v << 33; }\n__device__ uint64_t f(unsigned "
    "v) { "
                         "return v; }", "uint64_t v = f((uint64_t)place()); int64_t w = -(int64_t)tid(); unsigned "
                         "long long *p "
                         "= &v; uint8_t b = place(); o[place()] = (int)(*p >> 32) + (int)w + b;", 2 * G - T + G % 256),
    "own types by using": ("using uint64_t = unsigned long long;\nusing uint = unsigned short;\ntypedef long long "
    "ulong;",
                           "uint64_t v = 1ull << 40; uint u = 65536 + place(); ulong l = -1; unsigned long long *p = "
                           "&v; "
                           "o[place()] = (int)(*p >> 38) + u + (l < 0);", 5 + G),
    "own types that are ours": ("typedef unsigned int uint32_t; typedef int int32_t; typedef unsigned char uchar;",
                                "uint32_t a = place(); int32_t b = -(int)tid(); uchar c = 300; o[place()] = a + b + c;",
                                G - T + 44),
    "own class with the name of a type": ("struct uint { int v; __device__ uint(int a) : v(a + tid()) {} };",
                                          "uint u(3); o[place()] = u.v;", 3 + T),
    "own constants": ("const double M_PI = 3.0; __device__ const int INT_MAX = 7; constexpr float FLT_MAX = "
    "2.5f;\nenum { "
                      "INT_MIN = 4 };", "o[place()] = (int)(M_PI + FLT_MAX * 2) + INT_MAX + INT_MIN;", np.full(N, 19)),
    "launch bounds": ("", "", 2 * G, 'extern "C" __global__ void __launch_bounds__(256, 2) k(int *o, const int *x, '
    'int n) '
                      "{ o[place()] = 2 * place(); }"),
    "launch bounds in front": ("", "", G, 'extern "C" __launch_bounds__(64) __global__ void k(int *__restrict__ o, '
    'const '
                               "int *__restrict__ const x, int n) { o[place()] = place(); }"),
    "other specifiers": (
        "__noinline__ __device__ int a(int v) { return v + tid(); }\nstatic __forceinline__ __device__ int b(int v) { "
        "return "
        "v * tid(); }\n[[nodiscard]] inline __device__ __host__ int c(int v) noexcept { return v - tid(); "
        "}\n__device__ "
        "__inline__ auto d(int v) -> int { return v ^ tid(); }\n__device__ __attribute__((noinline)) int e(int v) { "
        "return "
        "v + (int)blockIdx.x; }", "o[place()] = a(1) + b(2) + c(3) + d(0) + e(5);", 9 + 3 * T + B),
    "static variable": ("__device__ int f() { static int calls = 3; return atomicAdd(&calls, 0) + tid(); }\nstruct S { "
                        "__device__ int get() { return f(); } };", "o[place()] = f() + S().get();", 6 + 2 * T),
    "device variables": ("__device__ int total; __constant__ int fixed[2] = {3, 4}; static __device__ float scale = "
    "2.5f;\n"
                         "__device__ void count() { atomicAdd(&total, 1); }\nstruct S { __device__ void up() { "
                         "count(); } "
                         "};", "S().up(); o[place()] = fixed[place() % 2] + (int)(scale * 2) + (total > 0);",
                         np.where(G % 2, 4, 3) + 6),
    "default arguments of a template": (
        "template <class T = int, int n = 3> __device__ T f(T v = T(tid())) { return v * n; }",
        "o[place()] = f() + f<int>(2) + f<int, 2>();", 3 * T + 6 + 2 * T),
    "trailing return type": ("template <class A, class B> __device__ auto f(A a, B b) -> decltype(a * b) { return a * "
    "b + "
                             "tid(); }", "o[place()] = (int)f(2, 2.5);", 5 + T),
    "conditions of types": ("template <class T> __device__ int f(T v) { if constexpr (sizeof(T) == 8) return tid(); "
    "else "
                            "return place(); }", "o[place()] = f(1) + f(1.0);", G + T),
    "structured bindings": ("struct P { int a, b; };\n__device__ P f() { return {tid(), place()}; }",
                            "auto [a, b] = f(); o[place()] = a * 1000 + b;", 1000 * T + G),
    "goto and labels": ("", "int v = tid(); again: v += 3; if (v < 30) goto again; o[place()] = v;",
                        T + 3 * np.maximum(1, -(-(30 - T) // 3))),
    "large literals": ("", "double a = 100000000000000000000000; unsigned long long b = 18446744073709551615u, c = "
                           "0xFFFFFFFFFFFFFFFF; o[place()] = (a > 9e22 && a < 1.1e23) + (b == c) + "
                           "(9223372036854775807 > 0);",
                       np.full(N, 3)),
    "raw strings and digits apart": ("", 'const char *s = R"(tid() { )"; o[place()] = s[0] + 1\'000;', np.full(N,
    1116)),
    "comma and conditional calls": ("", "int a = (tid(), place()); o[place()] = a % 2 ? tid() : add(o + n - 1, 0) * 0 "
    "+ "
                                        "place();", np.where(G % 2, T, G)),
    "function of a struct by value": (
        "struct P { int a[4]; };\n__device__ P make(int v) { P p; for (int i = 0; i < 4; i++) p.a[i] = v + tid() * i; "
        "return "
        "p; }\n__device__ int sum(P p) { int s = 0; for (int v : p.a) s += v; return s + threadIdx.x; }",
        "o[place()] = sum(make(2));", 8 + 7 * T),
    "typedef of a function": ("typedef int unary(int);\n__device__ unary f;\n__device__ int f(int a) { return a + 1; }",
                              "unary *p = f; o[place()] = p(place());", G + 1),
    "kernel of the block's kind": ("extern \"C\" { __device__ int c_function() { return threadIdx.x; } }\nstruct S { "
                                   "__device__ int get() { return c_function(); } };",
                                   "o[place()] = c_function() + S().get();", 2 * T),
}


def source(case):
    head, body, _, *tail = CASES[case]
    if not body:
        return FREE + head + "\n" + tail[0]
    return FREE + head + "\n" + KERNEL + body + " }" + (tail[0] if tail else "")


@pytest.mark.parametrize("case", CASES)
def test_forms(case):
    o = cp.zeros(N, "i4")
    cp.RawKernel(source(case), "k")((BLOCKS,), (THREADS,), (o, cp.asarray(X.astype("i4")), np.int32(N)),
                                    shared_mem=4 * THREADS)
    np.testing.assert_array_equal(o.get(), CASES[case][2])


# --- names of kernels ---

NAMES = FREE + """
__global__ void plain(int *o) { o[place()] = tid(); }
namespace a { __global__ void inner(int *o, float f) { o[place()] = place() + (int)f; }
    struct P { int v; }; __global__ void of_record(P p, const P *q, int *o) { o[place()] = p.v; } }
template <class T, int n> __global__ void instance(T *o) { o[place()] = T(n) + sizeof(T); }
__global__ void many(int *o) { o[place()] = 1; }
__global__ void many(float *o) { o[place()] = 2; }
template <class F> __global__ void with(int *o, F f) { o[place()] = f(3); }
struct Op { int a; __device__ int operator()(int v) const { return v * a + tid(); } };
extern "C" __global__ void linked(int *o) { o[place()] = 5; }
"""
EXPRESSIONS = ["plain", "a::inner", "instance<int, 4>", "instance<long long, 2 + 1>", "with<Op>",
               "static_cast<void (*)(float *)>(many)", "(void (*)(int *))many"]


@pytest.mark.parametrize("name, more, wanted", [
    ("plain", (), T), ("a::inner", (np.float32(2.5),), G + 2), ("instance<int, 4>", (), np.full(N, 8)),
    ("with<Op>", (np.array((6,), [("a", "i4")]),), 18 + T), ("(void (*)(int *))many", (), np.full(N, 1)),
    ("linked", (), np.full(N, 5))])
def test_name_expressions(name, more, wanted):
    o = cp.zeros(N, "i4")
    cp.RawModule(code=NAMES, name_expressions=EXPRESSIONS).get_function(name)((BLOCKS,), (THREADS,), (o, *more))
    np.testing.assert_array_equal(o.get(), wanted)


def test_overloads_and_wide_instances():
    m = cp.RawModule(code=NAMES, name_expressions=EXPRESSIONS)
    f, q = cp.zeros(N, "f4"), cp.zeros(N, "i8")
    m.get_function(EXPRESSIONS[5])((BLOCKS,), (THREADS,), (f,))
    m.get_function(EXPRESSIONS[3])((BLOCKS,), (THREADS,), (q,))
    assert f.get().tolist() == [2] * N and q.get().tolist() == [11] * N


@pytest.mark.parametrize("name, more, wanted", [
    ("_Z5plainPi", (), T), ("_ZN1a5innerEPif", (np.float32(2.5),), G + 2),
    ("_Z4manyPi", (), np.full(N, 1)), ("_ZN1a9of_recordENS_1PEPKS0_Pi", (), np.full(N, 9))])
def test_mangled_names(name, more, wanted):
    o = cp.zeros(N, "i4")
    args = (np.array((9,), [("v", "i4")]), None, o) if "record" in name else (o, *more)
    cp.RawModule(code=NAMES).get_function(name)((BLOCKS,), (THREADS,), args)
    np.testing.assert_array_equal(o.get(), wanted)


@pytest.mark.parametrize("name", ["plain", "a::inner", "inner", "many", "instance<int, 4>", "_Z5plainPf", "_Z3tidv",
                                  "__cu_kernels"])
def test_names_that_are_not_found(name):
    """A kernel that is not extern "C" has no plain name."""
    with pytest.raises(cp.cuda.driver.CUDADriverError, match="CUDA_ERROR_NOT_FOUND"):
        cp.RawModule(code=NAMES).get_function(name)


def test_macros_of_options():
    o = cp.zeros(N, "i4")
    text = FREE + KERNEL + "o[place()] = HERE + TWICE(3); }"
    k = cp.RawKernel(text, "k", options=("-DHERE=tid()", "-DTWICE(x)=(tid() * (x))", "-DN=5"))
    k((BLOCKS,), (THREADS,), (o, o, np.int32(N)))
    np.testing.assert_array_equal(o.get(), 4 * T)


# --- arguments ---

def test_arguments_beyond_the_last_are_ignored():
    k = cp.RawKernel('extern "C" __global__ void k(int *o, int v) { o[threadIdx.x] = v; }', "k")
    o = cp.zeros(4, "i4")
    k((1,), (4,), (o, np.int32(3), True, o, np.zeros((), [("a", "f8", 4000)])))
    assert o.get().tolist() == [3] * 4
    with pytest.raises(ValueError, match="1 arguments given, the kernel takes 2"):
        k((1,), (4,), (o,))


# --- what does not compile ---

@pytest.mark.once
@pytest.mark.parametrize("case", ["lambda with defaults", "own 64-bit types", "macro that makes a class",
                                  "shared before its type", "prototypes", "other specifiers"])
def test_damaged_texts(case):
    """Texts that end too early, or lack some letters, are refused by the compiler, or are programs."""
    text, draw = source(case), np.random.default_rng(len(case))
    for k in range(8):
        at = int(draw.integers(len(FREE) if k % 2 else 0, len(text)))
        damaged = text[:at] + (text[at + int(draw.integers(1, 9)):] if k < 4 else "")
        try:
            cp.RawModule(code=damaged).compile()
        except cp.cuda.compiler.CompileException as e:
            assert "error" in str(e)

@pytest.mark.parametrize("code, message", [
    ('extern "C" __global__ void k(double *o) { *o = 340282366920938463463374607431768211456; }',
     "integer constant is too large"),
    ('extern "C" __global__ void k(int *o) { *o = undefined_name + threadIdx.x; }', "undefined_name"),
    ('struct S { __device__ int f() { return threadIdx.q; } };\nextern "C" __global__ void k(int *o) { *o = S().f(); }',
     "no member|has no member"),
    ('struct S { __device__ int f( { } };\nextern "C" __global__ void k(int *o) { *o = 1; }', "error")])
def test_errors(code, message):
    with pytest.raises(cp.cuda.compiler.CompileException, match=message):
        cp.RawKernel(code, "k").compile()
