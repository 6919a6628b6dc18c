"""Kernels of classes: methods, constructors, operators, inheritance, virtual methods, templates and functors that read
a thread's indices, use atomics, shuffles, barriers and shared memory, or call functions that do. Every kernel is
k(int *o, const int *x, int n), run in 3 blocks of 64 threads; wanted are values of Python. Run with
CUPRITE_KERNEL_TIER=fibers too."""
import numpy as np
import pytest

import cuprite as cp

BLOCKS, THREADS = 3, 64
N = BLOCKS * THREADS
G = np.arange(N)                  # a thread's place in the grid
T, B = G % THREADS, G // THREADS  # in its block; its block
X = (G * 7919 + 13) % 101         # x[i]
SUMS = X.reshape(BLOCKS, THREADS).sum(1)[B]
WARPS = X.reshape(-1, 32)

FREE = """
__device__ int tid() { return threadIdx.x; }
__device__ int place() { return blockIdx.x * blockDim.x + tid(); }
__device__ int add(int *p, int v) { return atomicAdd(p, v); }
__device__ int warp_sum(int v) {
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    return __shfl_sync(0xffffffffu, v, 0);
}
"""
KERNEL = 'extern "C" __global__ void k(int *o, const int *x, int n) { '

CASES = {
    "method": ("struct S { int a; __device__ int get() const { return tid() * a; } };",
               "S s{3}; o[place()] = s.get();", T * 3),
    "method that reads an index itself": (
        "struct S { int a; __device__ int get() const { return threadIdx.x + a * blockIdx.x; } };",
        "S s{100}; o[place()] = s.get();", T + 100 * B),
    "static method with atomics": (
        "struct S { static __device__ void put(int *p, int v) { add(p, v); } };", "S::put(o + threadIdx.x, n);",
        np.where(G < THREADS, BLOCKS * N, 0)),
    "constructor": ("struct S { int a, b; __device__ S(int v) : a(tid() + v), b{place()} { b += a; } };",
                    "S s(5); o[place()] = s.b;", T + 5 + G),
    "destructor": (
        "struct S { int *p, a; __device__ S(int *q) : p(q), a(place()) {} __device__ ~S() { add(p + a, a + tid()); } "
        "};",
        "{ S s(o); } o[place()] += 1;", G + T + 1),
    "default member": ("struct S { int a = tid(), b = threadIdx.x * 2; };", "S s; o[place()] = s.a + s.b;", 3 * T),
    "default argument": ("__device__ int f(int v, int a = tid(), int b = blockIdx.x) { return v + a + b; }",
                         "o[place()] = f(1) + f(1, 2) + f(1, 2, 3);", 1 + T + B + 3 + B + 6),
    "default argument of a method": ("struct S { __device__ int f(int a = tid()) { return a * 2; } };",
                                     "o[place()] = S().f() + S().f(4);", 2 * T + 8),
    "functor": ("struct Op { int b; __device__ int operator()(int a) const { return a * b + tid(); } };\n"
                "template <class F> __device__ int apply(F f, int a) { return f(a); }",
                "o[place()] = apply(Op{3}, x[place()]);", 3 * X + T),
    "functor with a shuffle": ("struct Sum { __device__ int operator()(int a) const { return warp_sum(a); } };\n"
                               "template <class F> __device__ int apply(const F &f, int a) { return f(a); }",
                               "o[place()] = apply(Sum(), x[place()]);", np.repeat(WARPS.sum(1), 32)),
    "method with a barrier": (
        "struct Turn { int *s; __device__ int operator()(int v) { s[tid()] = v; __syncthreads(); int r = "
        "s[blockDim.x - 1 - threadIdx.x]; __syncthreads(); return r; } };",
        "__shared__ int s[64]; Turn t{s}; o[place()] = t(x[place()]) + 1000 * t(place());",
        X.reshape(BLOCKS, -1)[:, ::-1].ravel() + 1000 * G.reshape(BLOCKS, -1)[:, ::-1].ravel()),
    "method with shared memory": (
        "struct Sum { __device__ int of(int v) { __shared__ int s; if (tid() == 0) s = 0; __syncthreads(); "
        "atomicAdd(&s, v); __syncthreads(); int r = s; __syncthreads(); return r; } };",
        "Sum s; o[place()] = s.of(x[place()]) - s.of(1);", SUMS - THREADS),
    "methods outside of the class": (
        "struct S { int a; __device__ S(int); __device__ int get(int) const; static __device__ int twice(int v); "
        "__device__ operator int() const; __device__ int operator[](int i) const; };\n"
        "__device__ S::S(int v) : a{v + tid()} {}\n__device__ int S::get(int b) const { return a * b + threadIdx.x; }\n"
        "__device__ int S::twice(int v) { return 2 * v + tid(); }\n__device__ S::operator int() const { return a; }\n"
        "__device__ int S::operator[](int i) const { return i + place(); }",
        "S s(2); o[place()] = s.get(3) + S::twice(4) + s + s[7];", (T + 2) * 3 + T + 8 + T + T + 2 + 7 + G),
    "methods outside of a class template": (
        "template <class T, int n> struct S { T a[n]; __device__ S(T); __device__ T sum() const; };\n"
        "template <class T, int n> __device__ S<T, n>::S(T v) { for (int i = 0; i < n; i++) a[i] = v * i + tid(); }\n"
        "template <class T, int n> __device__ T S<T, n>::sum() const { T r = 0; for (T v : a) r += v; return r + "
        "blockIdx.x; }",
        "o[place()] = S<int, 4>(3).sum();", 18 + 4 * T + B),
    "class in a namespace": (
        "namespace a { namespace b { struct S { __device__ int get(); }; __device__ int own() { return threadIdx.x * "
        "5; "
        "} } }\n__device__ int a::b::S::get() { return own() + place(); }",
        "a::b::S s; o[place()] = s.get() + a::b::own();", 10 * T + G),
    "function of a namespace, defined outside": (
        "namespace a { __device__ int f(int v); struct S { __device__ int get() { return f(2); } }; }\n"
        "__device__ int a::f(int v) { return v * threadIdx.x; }", "o[place()] = a::f(3) + a::S().get();", 5 * T),
    "inheritance": (
        "struct Base { int a; __device__ Base() : a(tid()) {} __device__ int f() { return a + blockIdx.x; } };\n"
        "struct Derived : Base { int b; __device__ Derived(int v) : Base(), b(v + place()) {} "
        "__device__ int f() { return Base::f() + b; } };",
        "Derived d(7); o[place()] = d.f() + d.a;", T + B + 7 + G + T),
    "several bases": (
        "struct A { __device__ int a() { return tid(); } };\nstruct B { int v; __device__ int b() { return v * "
        "place(); } "
        "};\nstruct C : public A, private B { __device__ C(int v) : B{v} {} using B::b; };",
        "C c(3); o[place()] = c.a() + c.b();", T + 3 * G),
    "virtual methods": (
        "struct A { __device__ virtual int f(int v) { return v; } __device__ virtual ~A() {} };\n"
        "struct B : A { __device__ int f(int v) override { return v + tid(); } };\n"
        "struct C final : B { int s; __device__ C(int v) : s(v) {} __device__ int f(int v) override { return B::f(v) "
        "* s "
        "+ blockIdx.x; } };",
        "A a; B b; C c(3); A *all[3] = {&a, &b, &c}; o[place()] = all[place() % 3]->f(10);",
        np.choose(G % 3, [np.full(N, 10), 10 + T, (10 + T) * 3 + B])),
    "abstract base": (
        "struct Shape { __device__ virtual int area() const = 0; };\nstruct Square : Shape { int a; __device__ "
        "Square(int "
        "v) : a(v + tid()) {} __device__ int area() const override { return a * a; } };\nstruct Line : Shape { "
        "__device__ "
        "int area() const override { return -place(); } };\n__device__ int measure(const Shape &s) { return s.area(); "
        "}",
        "Square s(1); Line l; o[place()] = measure(s) + measure(l);", (T + 1) ** 2 - G),
    "virtual method with a shuffle": (
        "struct A { __device__ virtual int f(int v) { return v; } };\n"
        "struct B : A { __device__ int f(int v) override { return warp_sum(v); } };",
        "B b; A *a = &b; o[place()] = a->f(x[place()]);", np.repeat(WARPS.sum(1), 32)),
    "objects from the heap": (
        "struct Node { int v; Node *next; __device__ Node(Node *n) : v(n ? n->v + 1 : tid()), next(n) {} };",
        "Node *head = nullptr; for (int i = 0; i < 4; i++) head = new Node(head);\n"
        "int sum = 0; while (head) { sum += head->v; Node *n = head->next; delete head; head = n; } o[place()] = sum;",
        4 * T + 6),
    "curiously recurring template": (
        "template <class D> struct Base { __device__ int run() { return static_cast<D *>(this)->f() + tid(); } };\n"
        "struct D : Base<D> { int v; __device__ D(int a) : v(a) {} __device__ int f() { return v * threadIdx.x; } };",
        "D d(4); o[place()] = d.run();", 5 * T),
    "policies": (
        "struct Rows { static __device__ int at() { return place(); } };\nstruct Columns { static __device__ int at() "
        "{ "
        "return threadIdx.x * gridDim.x + blockIdx.x; } };\ntemplate <class P> struct Reader { const int *x; "
        "__device__ "
        "int get() const { return x[P::at()]; } };",
        "o[place()] = Reader<Rows>{x}.get() * 1000 + Reader<Columns>{x}.get();", 1000 * X + X[T * BLOCKS + B]),
    "template of templates": (
        "template <class T> struct Box { T v; __device__ T get() const { return v + tid(); } };\n"
        "template <template <class> class C, class T> struct Two { C<T> a, b; __device__ T sum() { return a.get() + "
        "b.get(); } };", "Two<Box, int> t{{1}, {2}}; o[place()] = t.sum();", 3 + 2 * T),
    "variadic template": (
        "__device__ int sum() { return tid(); }\ntemplate <class A, class... R> __device__ int sum(A a, R... r) { "
        "return "
        "a + sum(r...); }\nstruct S { template <class... A> __device__ int operator()(A... a) { return sum(a...) + "
        "sizeof...(A); } };", "o[place()] = sum(1, 2, 3) + S()(4, 5);", 6 + T + 9 + T + 2),
    "fold expression": (
        "template <class... A> struct S { static __device__ int of(A... a) { return (a + ... + tid()); } };",
        "o[place()] = S<int, int>::of(3, 4);", 7 + T),
    "specialized class": (
        "template <class T> struct Scale { static __device__ int by() { return 1; } };\ntemplate <> struct "
        "Scale<float> { "
        "static __device__ int by() { return tid(); } };\ntemplate <class T> struct Scale<T *> { static __device__ int "
        "by() { return place(); } };", "o[place()] = Scale<int>::by() + Scale<float>::by() + Scale<float *>::by();",
        1 + T + G),
    "specialized function": (
        "template <class T> __device__ int f(T v) { return v; }\ntemplate <> __device__ int f<float>(float v) { return "
        "(int)v + tid(); }\nstruct S { __device__ int get() { return f(2.0f) + f(5); } };",
        "o[place()] = f(1) + f(3.0f) + S().get();", 1 + 3 + T + 2 + T + 5),
    "template method": (
        "struct S { int a; template <class T> __device__ T get(T v) const { return v * a + tid(); } "
        "template <int n> __device__ int fixed() const { return n * threadIdx.x; } };",
        "S s{2}; o[place()] = s.get(3) + s.template fixed<4>() + s.fixed<5>();", 6 + T + 9 * T),
    "operators": (
        "struct V { int x, y; __device__ V operator+(const V &b) const { return {x + b.x + tid(), y + b.y}; } "
        "__device__ V &operator*=(int s) { x *= s, y *= s + place(); return *this; } };\n"
        "__device__ V operator-(V a, V b) { return {a.x - b.x, a.y - b.y + (int)threadIdx.x}; }\n"
        "__device__ bool operator<(const V &a, const V &b) { return a.x + tid() < b.x + 20; }",
        "V a{1, 2}, b{3, 4}; V c = a + b; c *= 2; c = c - a; o[place()] = c.x * 1000 + c.y + (a < b ? 100000 : 0);",
        (2 * (4 + T) - 1) * 1000 + 6 * (2 + G) - 2 + T + np.where(1 + T < 23, 100000, 0)),
    "conversion and comparison": (
        "struct Id { __device__ operator int() const { return place(); } __device__ explicit operator bool() const { "
        "return tid() % 2; } };", "Id i; int v = i; o[place()] = v + (i ? 1000 : 0);", G + 1000 * (T % 2)),
    "iterator": (
        "struct Range { int from, to; struct It { int at; __device__ int operator*() const { return at * tid(); } "
        "__device__ It &operator++() { at++; return *this; } __device__ bool operator!=(It b) const { return at != "
        "b.at; "
        "} }; __device__ It begin() const { return {from}; } __device__ It end() const { return {to}; } };",
        "int sum = 0; for (int v : Range{1, 5}) sum += v; o[place()] = sum;", 10 * T),
    "nested classes": (
        "struct A { struct B { struct C { __device__ int f() { return tid(); } } c; __device__ int f() { return c.f() "
        "* 2; "
        "} } b; enum { K = 5 }; union U { int i; float f; __device__ int get() { return i + threadIdx.x; } }; };",
        "A a; A::U u; u.i = A::K; o[place()] = a.b.f() + u.get();", 3 * T + 5),
    "friend": (
        "class S { int v; public: __device__ S(int a) : v(a) {} friend __device__ int peek(const S &s); friend "
        "__device__ "
        "int operator+(const S &s, int b) { return s.v + b + threadIdx.x; } };\n"
        "__device__ int peek(const S &s) { return s.v * tid(); }", "S s(6); o[place()] = peek(s) + (s + 1);",
        7 * T + 7),
    "local class": ("", "struct L { int a; __device__ int operator()(int b) const { return a * b + threadIdx.x + "
    "tid(); "
                        "} }; L l{2}; o[place()] = l(x[place()]);", 2 * X + 2 * T),
    "local class that waits": (
        "", "__shared__ int s[64]; struct L { int *s; __device__ int turn(int v) { s[threadIdx.x] = v; "
        "__syncthreads(); "
            "return s[63 - threadIdx.x]; } }; L l{s}; o[place()] = l.turn(place());",
        G.reshape(BLOCKS, -1)[:, ::-1].ravel()),
    "local class of a function": (
        "__device__ int f(int v) { struct L { int a; __device__ int get() { return a + tid(); } }; return L{v}.get() + "
        "threadIdx.x; }", "o[place()] = f(3);", 3 + 2 * T),
    "local class beside fast code": (
        "", "struct P { int a, b; }; P p{place(), tid()}; o[place()] = p.a + p.b + x[p.a];", G + T + X),
    "method named as a function": (
        "struct S { __device__ int tid() const { return 1000; } __device__ int twice() const { return tid() + "
        "::tid(); } };",
        "S s; o[place()] = s.tid() + s.twice() + tid();", 2000 + 2 * T),
    "static method named as a function": (
        "struct S { static __device__ int tid(int v) { return v; } };", "o[place()] = S::tid(5) + tid();", 5 + T),
    "variables named as functions": (
        "__device__ int sum(int a) { return a + threadIdx.x; }\nstruct S { __device__ int operator()(int v) { return "
        "v * "
        "2; } };\n__device__ int local(int add) { int tid = add; S place; return tid + place(3); }",
        "S tid; int sum = tid(4); auto add = [](int v) { return v + 1; }; o[blockIdx.x * 64 + threadIdx.x] = sum + "
        "add(1) "
        "+ local(10);", np.full(N, 26)),
    "parameters named as functions": (
        "template <class F> __device__ int call(F tid) { return tid(2); }\nstruct S { __device__ int operator()(int v) "
        "const { return v * threadIdx.x; } };", "o[place()] = call(S());", 2 * T),
    "reference members": (
        "struct Counter { int &v; __device__ Counter(int &a) : v(a) {} __device__ void up(int by) { atomicAdd(&v, by * "
        "(tid() + 1)); } };", "Counter c(o[blockIdx.x]); c.up(2);", np.where(G < BLOCKS, THREADS * (THREADS + 1), 0)),
    "constexpr": (
        "struct Size { int n; constexpr __device__ Size(int a) : n(a * 2) {} constexpr __device__ int get() const { "
        "return "
        "n + 1; } };\n__constant__ Size fixed(8);\n__device__ constexpr int table[3] = {4, 5, 6};\nconstexpr "
        "__device__ "
        "int square(int a) { return a * a; }",
        "constexpr Size s(3); int a[s.get()]; for (int i = 0; i < s.get(); i++) a[i] = tid(); o[place()] = a[6] + "
        "fixed.get() + table[place() % 3] + square(4);", T + 17 + 4 + G % 3 + 16),
    "variable with a constructor": (
        "struct S { int a, b; constexpr __device__ S(int v) : a(v), b(v + 1) {} __device__ int get() const { return a "
        "* "
        "tid() + b; } };\n__device__ S s(3);\n__device__ S both[2] = {S(1), {2}};",
        "o[place()] = s.get() + both[place() % 2].get();", 3 * T + 4 + (1 + G % 2) * T + 2 + G % 2),
    "several classes and kernels": (
        "struct A { __device__ int f() { return tid(); } };\nextern \"C\" __global__ void other(int *o) { "
        "o[threadIdx.x] = "
        "7; }\nstruct B : A { __device__ int g() { return f() * 2; } };\nextern \"C\" __global__ void another(int *o) "
        "{ "
        "o[threadIdx.x] = A().f(); }", "o[place()] = B().g();", 2 * T),
    "scan by a class": (
        "template <int n> class Scan { int (&s)[n]; public: __device__ Scan(int (&m)[n]) : s(m) {} __device__ int "
        "inclusive(int v) { const int t = tid(); s[t] = v; __syncthreads(); for (int d = 1; d < n; d *= 2) { int a = "
        "t >= "
        "d ? s[t - d] : 0; __syncthreads(); s[t] += a; __syncthreads(); } return s[t]; } };",
        "__shared__ int s[64]; o[place()] = Scan<64>(s).inclusive(x[place()]);",
        X.reshape(BLOCKS, -1).cumsum(1).ravel()),
    "lock": (
        "class Lock { int *m; public: __device__ Lock(int *a) : m(a) {} __device__ void take() { while (atomicCAS(m, "
        "0, 1)) "
        "{} __threadfence(); } __device__ void leave() { __threadfence(); atomicExch(m, 0); } };",
        "if (tid() == 0) { Lock l(o); l.take(); o[1] += blockIdx.x + 1; l.leave(); }",
        np.where(G == 1, BLOCKS * (BLOCKS + 1) // 2, 0)),
    "array of functors": (
        "struct Op { int k; __device__ int operator()(int a) const { return k == 0 ? a + tid() : k == 1 ? a * place() "
        ": "
        "warp_sum(a); } };", "Op ops[3] = {{0}, {1}, {2}}; int v = 1; for (const Op &f : ops) v = f(v); o[place()] = "
        "v;",
        np.repeat(((1 + T) * G).reshape(-1, 32).sum(1), 32)),
    "methods under a barrier": (
        "struct V { int a; __device__ int get() const { return a * threadIdx.x; } };",
        "__shared__ int s[64]; V v{3}; int mine = v.get(); s[tid()] = mine; __syncthreads(); int other = s[63 - "
        "tid()]; "
        "__syncthreads(); o[place()] = mine * 1000 + other + v.get();", 3 * T * 1000 + 3 * (63 - T) + 3 * T),
    "condition by a method around a barrier": (
        "struct V { int a; __device__ bool most() const { return tid() < a; } };",
        "__shared__ int s[64]; V v{40}; s[tid()] = place(); __syncthreads(); for (int d = 32; d; d /= 2) { V w{d}; if "
        "(w.most()) s[tid()] += s[tid() + d]; __syncthreads(); } o[place()] = s[0] + (v.most() ? 1 : 0);",
        G.reshape(BLOCKS, -1).sum(1)[B] + (T < 40)),
    "dynamic shared memory of a method": (
        "struct M { __device__ int *get() { extern __shared__ int s[]; return s; } __device__ int swap(int v) { extern "
        "__shared__ int s[]; auto put = [](int at, int v) { s[at] = v; }; put(tid(), v); __syncthreads(); return "
        "get()[63 "
        "- tid()]; } };", "M m; o[place()] = m.swap(x[place()]);", X.reshape(BLOCKS, -1)[:, ::-1].ravel()),
    "mutual recursion of methods": (
        "struct S { __device__ int even(int n) { return n == 0 ? tid() : odd(n - 1); } __device__ int odd(int n) { "
        "return n "
        "== 0 ? -tid() : even(n - 1); } };", "o[place()] = S().even(place() % 7);", np.where(G % 7 % 2, -T, T)),
    "bit fields and packed members": (
        "struct F { unsigned a : 5, b : 11; int c : 16; __device__ F(int v) : a(tid() & 31), b(place()), c(-v) {} };",
        "F f(9); o[place()] = f.a + f.b * 100 + f.c;", (T & 31) + 100 * G - 9),
    "initializer of an aggregate": (
        "struct P { int x, y; };\nstruct Q { P p; int z[2]; };\n__device__ Q make() { return {{tid(), place()}, {1, "
        "2}}; }",
        "Q q = make(); P p = {q.p.y, tid()}; o[place()] = q.p.x + q.z[1] + p.x + p.y;", 2 * T + 2 + G),
}

def source(case):
    head, body, _ = CASES[case]
    return FREE + head + "\n" + KERNEL + body + " }"


@pytest.mark.parametrize("case", CASES)
def test_classes(case):
    o = cp.zeros(N, "i4")
    cp.RawKernel(source(case), "k")((BLOCKS,), (THREADS,), (o, cp.asarray(X.astype("i4")), np.int32(N)),
                                    shared_mem=4 * THREADS)
    np.testing.assert_array_equal(o.get(), CASES[case][2])


def test_kernels_without_such_code_stay_fast(device):
    """In a text with classes that read the context, kernels that reach none of them keep their loops."""
    head = ("struct S { __device__ int get() { return tid() + warp_sum(1); } "
            "__device__ int half() { return tid() / 2; } };\n")
    text = FREE + head + KERNEL + "o[place()] = S().get(); }" + """
    extern "C" __global__ void fast(int *o) { int i = place(); o[i] = i * 2; }
    extern "C" __global__ void waits(int *o) { __shared__ int s[64]; s[tid()] = place(); __syncthreads();
        o[place()] = s[63 - tid()]; }
    extern "C" __global__ void half(int *o) { S s; o[place()] = s.half(); }"""
    m = cp.RawModule(code=text)
    tiers = [m.get_function(name).kernel.tier for name in ("k", "fast", "waits", "half")]
    if device.startswith("cuda"):
        assert tiers == ["gpu"] * 4
    else:  # all are fibers with CUPRITE_KERNEL_TIER
        assert tiers in (["regions", "loop", "regions", "loop"], ["fibers"] * 4)
    o = cp.zeros(N, "i4")
    m.get_function("fast")((BLOCKS,), (THREADS,), (o,))
    np.testing.assert_array_equal(o.get(), 2 * G)
    m.get_function("waits")((BLOCKS,), (THREADS,), (o,))
    np.testing.assert_array_equal(o.get(), G.reshape(BLOCKS, -1)[:, ::-1].ravel())
    m.get_function("k")((BLOCKS,), (THREADS,), (o, cp.asarray(X), np.int32(N)))
    np.testing.assert_array_equal(o.get(), T + 32)
    m.get_function("half")((BLOCKS,), (THREADS,), (o,))
    np.testing.assert_array_equal(o.get(), T // 2)
