"""Methods, functors and lambdas that hold barriers, shuffles or votes: on the CPU they are loops over the threads, as
functions are, and what cannot be resolved without types, such as virtual methods, runs in fibers. Every kernel is
k(int *o, const int *x, int n), run in 3 blocks of 64 threads; wanted are values of NumPy."""
import os

import numpy as np
import pytest

import cuprite as cp

# With these every kernel is in fibers.
FIBERS = os.environ.get("CUPRITE_CHECK", "0") != "0" or os.environ.get("CUPRITE_KERNEL_TIER") == "fibers"
BLOCKS, THREADS = 3, 64
N = BLOCKS * THREADS
G = np.arange(N)
T, B = G % THREADS, G // THREADS
X = (G * 7919 + 13) % 101
SUMS = X.reshape(BLOCKS, -1).sum(1)[B]


def turned(v, by):
    """The values of the threads `by` further on in each block of 64."""
    return np.roll(v.reshape(BLOCKS, -1), -by, axis=1).ravel()


def crossed(v, by):
    """The values of the lanes whose numbers differ in the bits `by`."""
    return v[G ^ by]


TURN = """
struct Turn {
    int *s, by;
    __device__ int next(int v) const
    {
        int t = threadIdx.x;
        __syncthreads();
        s[t] = v;
        __syncthreads();
        return s[(t + by) % 64];
    }
};
"""
CROSS = """
struct Cross {
    int by;
    __device__ int operator()(int v) const { return __shfl_xor_sync(0xffffffffu, v, by); }
};
"""

# Before the kernel, in it (i is the thread's place, t its number in the block), wanted, and the tier.
CASES = {
    "method": (TURN, "Turn a{s, 1}; o[i] = a.next(x[i]);", turned(X, 1)),
    "a type deduced from a later declarator": (
        "template <class T> __device__ T other(T v) { return __shfl_xor_sync(~0u, v, 1); }",
        "int a = x[i] * 3, *p = &s[t], b = a * 2, v = x[i]; *p = 0; v = other(v) + b - b; o[i] = v;", crossed(X, 1)),
    "through a pointer and a reference": (
        TURN + "__device__ int use(Turn &a, int v) { return a.next(v); }\n"
        "__device__ int far(const Turn *a, int v) { return a->next(v); }",
        "Turn a{s, 2}; int v = use(a, x[i]); o[i] = v;", turned(X, 2)),
    "objects of objects": (
        TURN + "struct Two { Turn a; Turn b[2]; __device__ int both(int v) const { return a.next(v) - b[1].next(v); } "
        "};",
        "Two w; w.a = Turn{s, 3}; w.b[1] = Turn{s, 5}; int v = w.both(x[i]); v += w.b[1].next(v); o[i] = v;",
        turned(X, 3) - turned(X, 5) + turned(turned(X, 3) - turned(X, 5), 5)),
    "of each thread another object": (TURN, "Turn a{s, t % 3}; o[i] = a.next(x[i]);", X[B * 64 + (T + T % 3) % 64]),
    "a template's, static, with defaults": (
        """namespace deep { template <typename T, int W = 32> class Warp {
            enum { HALF = W / 2 };
            typedef T value;
            static constexpr unsigned all = 0xffffffffu;
            struct Pair { T a, b; };
            static __device__ int lane() { return threadIdx.x % W; }
        public:
            static __device__ value sum(value v)
            {
                for (int d = HALF; d > 0; d /= 2) {
                    value other = __shfl_xor_sync(all, v, d);
                    Pair p = {v, other};
                    v = p.a + p.b;
                }
                return v + lane();
            }
        }; }""",
        "o[i] = deep::Warp<int>::sum(x[i]);", np.repeat(X.reshape(-1, 32).sum(1), 32) + T % 32),
    "constructors with references": (
        """template <typename T, int N> class Fold {
        public:
            struct Storage { T s[N]; };
            __device__ Fold(Storage &to) : store(to), id(threadIdx.x) {}
            template <class Op> __device__ T of(T v, Op op)
            {
                store.s[id] = v;
                __syncthreads();
                for (int k = N / 2; k > 0; k >>= 1) {
                    if (id < k) store.s[id] = op(store.s[id], store.s[id + k]);
                    __syncthreads();
                }
                T r = store.s[0];
                __syncthreads();
                return r;
            }
        private:
            Storage &store;
            int id;
        };
        struct Plus { __device__ int operator()(int a, int b) const { return a + b; } };
        struct Most { template <class T> __device__ T operator()(T a, T b) const { return a > b ? a : b; } };""",
        "__shared__ typename Fold<int, 64>::Storage store; Fold<int, 64> f(store); int v = f.of(x[i], Plus()); "
        "o[i] = v + Fold<int, 64>(store).of(x[i], Most{});", SUMS + X.reshape(BLOCKS, -1).max(1)[B]),
    "defined outside, several names": (
        """template <typename T> class Sum { T *s; public: __device__ Sum(T *p); __device__ T of(T v); };
        template <typename U> __device__ Sum<U>::Sum(U *p) : s(p) {}
        template <typename U> __device__ U Sum<U>::of(U v)
        {
            s[threadIdx.x] = v;
            __syncthreads();
            U r = 0;
            for (int k = 0; k < 64; k++) r += s[k];
            __syncthreads();
            return r;
        }""",
        "using Q = Sum<int>; Q q(s); int v = q.of(x[i]); o[i] = v + q.of(t);", SUMS + 63 * 32),
    "inherited": (
        TURN + "struct Far : Turn { __device__ int twice(int v) const { return next(this->next(v)) + by; } };",
        "Far f; f.s = s; f.by = 4; o[i] = f.twice(x[i]);", turned(X, 8) + 4),
    "templates and overloads of methods": (
        """struct W {
            template <int D> __device__ int up(int v) const
            {
                for (int d = 1; d <= D; d *= 2) v += __shfl_xor_sync(~0u, v, d);
                return v;
            }
            __device__ int over(int v) const { return __shfl_xor_sync(~0u, v, 4); }
            __device__ int over(int v, int d) const { return __shfl_xor_sync(~0u, v, d); }
        };""",
        "W w; int v = w.up<1>(x[i]) + w.template up<1>(x[i]); o[i] = v + w.over(x[i]) + w.over(x[i], 8);",
        2 * (X + crossed(X, 1)) + crossed(X, 4) + crossed(X, 8)),
    "shared memory of their own": (
        """struct A { int k; __device__ int f(int v) { __shared__ int s[64]; __syncthreads(); s[threadIdx.x] = v;
            __syncthreads(); return s[(threadIdx.x + k) % 64]; } };""",
        "A a{1}, b{2}; int v = a.f(x[i]); o[i] = b.f(v);", turned(X, 3)),
    "a state that lives on": (
        """struct Acc {
            int a, n;
            __device__ Acc() : a(1), n(0) {}
            __device__ void add(int v) { a += v; n++; }
            __device__ void meet(int *s)
            {
                __syncthreads();
                s[threadIdx.x] = a;
                __syncthreads();
                a = s[(threadIdx.x + 1) % 64];
            }
        };""",
        "Acc a; a.add(x[i]); a.meet(s); Acc b = a; b.add(5); b.meet(s); o[i] = 1000 * a.a + b.a + b.n;",
        1000 * turned(X + 1, 1) + turned(X + 1, 2) + 5 + 2),
    "memory that a constructor reads": (
        "struct First { int v; __device__ First(const int *s) : v(s[0]) {} __device__ int get() const { return v; } };",
        "s[t] = x[i]; __syncthreads(); First f(s); __syncthreads(); s[t] = 5; __syncthreads(); o[i] = f.get() + s[1];",
        X[B * 64] + 5),
    "names that mean others around": (
        "static const int N = 64;\n" + TURN + "struct Z { int a; __device__ int next(int v) const { return a + v; } };"
        "\n__device__ int next(int v, int) { return 2 * v; }",
        "Turn a{s, 1}; Z z{2}; int v = a.next(x[i]); __syncthreads(); o[i] = z.next(v) + next(v, N);",
        3 * turned(X, 1) + 2),
    "functor": (CROSS, "Cross c{4}; o[i] = c(x[i]) + 1;", crossed(X, 4) + 1),
    "functor of a template": (
        CROSS + "template <class Op> __device__ int twice(int v, Op op) { v += op(v); __syncthreads(); return op(v); }",
        "o[i] = twice(x[i], Cross{2});", crossed(X + crossed(X, 2), 2)),
    "functor that is a member": (
        CROSS + "template <class Op> struct Red { Op op; __device__ int go(int v) const { return v - op(v); } };",
        "Red<Cross> r{{4}}; int v = r.go(x[i]); o[i] = v + r.op(x[i]);", X),
    "functor with a state": (
        """struct Count { int n; __device__ Count() : n(3) {} __device__ int operator()(int v) { n++; return v * n; } };
        template <class F> __device__ int by(int v, F &f)
        {
            int r = 0;
            for (int i = 0; i < 2; i++) {
                r += f(v);
                r += __shfl_xor_sync(~0u, r, 1);
            }
            return r;
        }
        template <class F> __device__ int of(int v, F f) { int r = f(v); __syncthreads(); return r + f(v); }""",
        "Count c; int v = by(x[i], c); o[i] = 1000 * of(x[i], c) + v + c.n;",
        1000 * (6 + 7) * X + (4 * (X + crossed(X, 1)) + 5 * X) + crossed(4 * (X + crossed(X, 1)) + 5 * X, 1) + 5),
    "lambda": (
        "template <class T, class Op> __device__ T fold(T v, Op op) { for (int d = 16; d; d /= 2) v = op(v, "
        "__shfl_xor_sync(~0u, v, d)); return v; }",
        "int most = fold(x[i], [](int a, int b) { return a > b ? a : b; }); int bias = t; "
        "o[i] = most + fold(x[i] + 1, [&](int a, int b) { return a + b + 0 * bias; });",
        np.repeat(X.reshape(-1, 32).max(1) + X.reshape(-1, 32).sum(1) + 32, 32)),
    "lambdas with barriers": (
        "",
        """int seen = 0;
        auto turn = [&](int v, int by) { __syncthreads(); s[t] = v; __syncthreads(); return s[(t + by) % 64]; };
        auto twice = [&](int v) -> int { int a = turn(v, 1); seen += a; return turn(a, 2); };
        auto some = [](int v) -> bool { return __any_sync(~0u, v == 0); };
        auto plus = [](int a, int b) { return a + b; };
        int v = twice(x[i]);
        if (some(v)) v += 1000;
        for (int k = 0; k < 2; k++) v = plus(v, turn(v, k));
        o[i] = plus(v, seen);""",
        None),
    "lambda of a method": (
        TURN + "struct L : Turn { __device__ int go(int v) { auto f = [&](int u) { return next(u) * by; }; "
        "auto g = [this](int u) { return u + by; }; int a = f(v); return g(f(a)); } };",
        "L l; l.s = s; l.by = 3; o[i] = l.go(x[i]);", 9 * turned(X, 6) + 3),
    "condition of a loop": (
        "struct Vote { __device__ bool any(bool b) const { return __syncthreads_or(b); } };",
        "Vote w; int a = x[i], c = 0; while (w.any(a < 300)) a += 100, c++; if (w.any(c > 2)) c += 10; o[i] = a + c;",
        None),
    "who has left": (
        TURN, "if (t >= 32) { o[i] = -1; return; } s[t] = x[i]; Turn a{s, 0}; o[i] = a.next(x[i]);",
        np.where(T < 32, X, -1)),
    # What needs types, or changes what it would read.
    "copies of what changes": ("", "int a = x[i]; auto f = [=](int v) { return v + a; }; a = 100; s[t] = f(1); "
                               "__syncthreads(); o[i] = s[63 - t] + a;",
                               X.reshape(BLOCKS, -1)[:, ::-1].ravel() + 101),
    "virtual": ("struct Base { int *s; __device__ virtual int f(int v) { return v; } };\n"
                "struct Own : Base { __device__ int f(int v) override { s[threadIdx.x] = v; __syncthreads(); return "
                "s[63 - threadIdx.x]; } };",
                "Own w; w.s = s; Base *p = &w; o[i] = p->f(x[i]);", X.reshape(BLOCKS, -1)[:, ::-1].ravel(), "fibers"),
    "pointer to a method": (TURN, "Turn a{s, 1}; int (Turn::*p)(int) const = &Turn::next; o[i] = (a.*p)(x[i]);",
                            turned(X, 1), "fibers"),
    "operator": ("struct V { int v; __device__ V operator+(const V &w) const { return V{__shfl_xor_sync(~0u, v, 1) + "
                 "w.v}; } };", "V a{x[i]}, b{2}; V c = a + b; o[i] = c.v;", crossed(X, 1) + 2, "fibers"),
    "constructor": ("struct V { int v; __device__ V(int x, int *s) { s[threadIdx.x] = x; __syncthreads(); v = "
                    "s[(threadIdx.x + 1) % 64]; } };", "V a(x[i], s); o[i] = a.v;", turned(X, 1), "fibers"),
}


def lambdas():
    a = turned(X, 1)
    v = turned(a, 2)
    v = v + 1000 * np.repeat((v.reshape(-1, 32) == 0).any(1), 32)
    for k in range(2):
        v = v + turned(v, k)
    return v + a


def loop():
    a = X.reshape(BLOCKS, -1)
    c = -(-(300 - a.min(1, keepdims=True)) // 100)
    return (a + 101 * c + 10 * (c > 2)).ravel()


CASES["lambdas with barriers"] = (*CASES["lambdas with barriers"][:2], lambdas())
CASES["condition of a loop"] = (*CASES["condition of a loop"][:2], loop())


@pytest.mark.parametrize("name", CASES)
def test_what_waits(name):
    head, body, wanted, *tier = CASES[name]
    text = f"""{head}
    extern "C" __global__ void k(int *o, const int *x, int n)
    {{
        __shared__ int s[64];
        int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
        {body}
    }}"""
    o = cp.full(N, -7, "i4")
    k = cp.RawKernel(text, "k", options=("--std=c++17",))
    k((BLOCKS,), (THREADS,), (o, cp.asarray(X.astype("i4")), np.int32(N)))
    np.testing.assert_array_equal(o.get(), wanted)
    if not FIBERS:
        assert k.kernel.tier in ("gpu", *(tier or ["regions"]))
