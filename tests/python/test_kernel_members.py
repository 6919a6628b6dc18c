"""Objects in kernels with barriers: which of their members change, and objects of which the members alone are used,
which become variables. NumPy says what is right."""
import os

import numpy as np
import pytest

import cuprite as cp

CHECKED = os.environ.get("CUPRITE_CHECK", "0") != "0"
T = np.arange(64)


def run(head, body, tier="regions", threads=64):
    """y of each thread; s is shared, t the thread's index."""
    text = f"""{head}
    extern "C" __global__ void k(int *y, int n)
    {{
        __shared__ int s[64];
        int t = threadIdx.x;
        {body}
    }}"""
    y = cp.zeros(threads, "i4")
    k = cp.RawKernel(text, "k", options=("--std=c++17",))
    k((1,), (threads,), (y, np.int32(10)))
    if not CHECKED:
        assert k.kernel.tier in (tier, "gpu")
    return y.get()


@pytest.mark.parametrize("order", ["struct A { int *s; }; struct B { int s[4]; int r; };",
                                   "struct B { int s[4]; int r; }; class A { public: int *const s; };",
                                   "struct A { int *s, *r; }; struct B { int s[4], r; };"])
def test_members_of_one_name(order):
    """A pointer in one record, an array in another: elements of the array are the object's."""
    made = "A a = {s, s};" if "*r" in order else "A a = {s};"
    y = run(order, f"""B b = {{{{1, 2, 3, 4}}, 5}};
        {made}
        a.s[t] = t;
        __syncthreads();
        b.s[t % 4] = a.s[63 - t];
        __syncthreads();
        y[t] = b.s[0] + b.s[3] * 100 + b.r;""")
    b = np.tile([1, 2, 3, 4], (64, 1))
    b[T, T % 4] = 63 - T
    np.testing.assert_array_equal(y, b[:, 0] + b[:, 3] * 100 + 5)


def test_members_behind_a_reference():
    """What a reference leads to is not the object's, also where another record has a value of that name."""
    y = run("struct Place { int v[2]; }; struct R { Place &p; int own; }; struct V { Place p; int own; };",
            """__shared__ Place place;
        R r = {place, t};
        V v = {{{t, 1}}, 2};
        if (t == 3) r.p.v[0] = 40;
        v.p.v[1] = t;
        __syncthreads();
        r.own += r.p.v[0];
        v.p.v[0] += v.p.v[1];
        __syncthreads();
        y[t] = r.own + 1000 * v.p.v[0] + v.p.v[1] + v.own;""", "fibers")  # a list may bind references
    np.testing.assert_array_equal(y, T + 40 + 1000 * 2 * T + T + 2)


SUM = """
template <class T, int N> class Sum {
public:
    struct Storage { T s[N]; };
    __device__ Sum(Storage &to) : store(to), t(threadIdx.x) {}
    template <class Op> __device__ T of(T v, Op op)
    {
        store.s[t] = v;
        __syncthreads();
        for (int k = N / 2; k > 0; k >>= 1) {
            if (t < k) store.s[t] = op(store.s[t], store.s[t + k]);
            __syncthreads();
        }
        return store.s[0];
    }
private:
    Storage &store;
    int t;
};
struct Plus { __device__ int operator()(int a, int b) { return a + b; } };
struct Times { int by; __device__ int operator()(int a, int b) { by++; return a + b + (by > 1000); } };
"""


@pytest.mark.parametrize("call", ["Sum<int, 64>(own).of(3 * t, Plus())", "Sum<int, 64>(own).of(3 * t, plus)",
                                  "sum.of(3 * t, Plus())", "sum.of(3 * t, times)"])
def test_a_class_with_storage(call):
    y = run(SUM, f"""__shared__ Sum<int, 64>::Storage own;
        Sum<int, 64> sum(own);
        Plus plus;
        Times times{{2}};
        int v = {call};
        __syncthreads();
        y[t] = v + t + times.by * 0;""")
    np.testing.assert_array_equal(y, (3 * T).sum() + T)


# Objects with a method that waits: the record, how one is made, and what `own` is in the c-th call.
WAITS = ("{ at[threadIdx.x] = v; __syncthreads(); int r = at[63 - threadIdx.x]; __syncthreads(); CHANGE "
         "return r + OWN; }")
PLAIN = "struct O { int *at; int own; METHOD };"
OBJECTS = {
    "list": (PLAIN, "O o{s, t};", lambda c: T),
    "list, copied": (PLAIN, "O o = {s, n};", lambda c: 10),
    "values": ("struct O { int *const at; unsigned own; short n; METHOD "
               "__device__ O(int *p, int k) : at(p), own(k + threadIdx.x), n(70000) {} };", "O o(s, n);",
               lambda c: T + 10),
    "narrowed": ("struct O { int *at; short own; __device__ O(int *p, short k) : at(p), own(k) {} METHOD };",
                 "O o(s, 70001);", lambda c: 70001 - 65536),
    "a parameter named as a member": ("struct O { int *at; int own; METHOD "
                                      "__device__ O(int *at, int own) : at(at), own(own) {} };", "O o(s, t);",
                                      lambda c: T),
    "changed": ("struct O { int *at; int own; __device__ O(int *p, int k) : at(p), own(k) {} CHANGES };", "O o(s, n);",
                lambda c: 10 + c * T),
    "a body": ("struct O { int *at; int own; __device__ O(int *p, int k) : at(p) { own = k + 1; } METHOD };",
               "O o(s, n);", lambda c: 11),
    "two constructors": ("struct O { int *at; int own; __device__ O(int *p) : at(p), own(1) {} METHOD "
                         "__device__ O(int *p, int k) : at(p), own(k) {} };", "O o(s);", lambda c: 1),
    "a base": ("struct Base { int own = 6; }; struct O : Base { int *at; __device__ O(int *p) : at(p) {} METHOD };",
               "O o(s);", lambda c: 6),
    "a value of its own": ("struct O { int *at; int own = 9; __device__ O(int *p) : at(p) {} METHOD };", "O o(s);",
                           lambda c: 9),
    "an array": ("struct O { int *at; int own[2]; __device__ int of(int v) { at[threadIdx.x] = v; __syncthreads(); "
                 "int r = at[63 - threadIdx.x]; __syncthreads(); own[1] += threadIdx.x; return r + own[1]; } };",
                 "O o = {s, {1, 2}};", lambda c: 2 + c * T),
    "its address": (PLAIN + " __device__ void add(O *o) { o->own += 5; }", "O o{s, t}; add(&o);", lambda c: T + 5),
    "a reference to it": (PLAIN + " __device__ void add(O &o) { o.own += 5; }", "O o{s, t}; add(o);", lambda c: T + 5),
    "a copy": (PLAIN, "O first{s, t}; O o = first; first.own = 100;", lambda c: T),
    "hidden arguments": (PLAIN, "O o{s, n}; { int n = 5, *s = y; s[t] = n; }", lambda c: 10),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_objects_with_a_method_that_waits(name):
    record, made, own = OBJECTS[name]
    method = "__device__ int of(int v) " + WAITS.replace("OWN", "own")
    record = record.replace("METHOD", method.replace("CHANGE", ""))
    record = record.replace("CHANGES", method.replace("CHANGE", "own += threadIdx.x;"))
    record = record.replace("CHANGE", "own += threadIdx.x;") if "CHANGE" in record else record
    body = f"{made} int a = o.of(t), b = o.of(2 * t); y[t] = a * 1000 + b;"
    text = f"""{record} extern "C" __global__ void k(int *y, int n)
    {{ __shared__ int s[64]; int t = threadIdx.x; {body} }}"""
    y = cp.zeros(64, "i4")
    cp.RawKernel(text, "k", options=("--std=c++17",))((1,), (64,), (y, np.int32(10)))
    np.testing.assert_array_equal(y.get(), (63 - T + own(1)) * 1000 + 2 * (63 - T) + own(2))
