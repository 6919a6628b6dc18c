"""Kernels split at their barriers: small cases of what loops, jumps and variables between barriers can be, each
with the tier that serves it, and of lanes that act together. One block; `out` has an element for each thread."""
import numpy as np
import pytest

import cuprite as cp

T = np.arange(64)
PRELUDE = "struct pair { int a, b; int v[2]; int *p; };\n"

# name: tier, what each thread leaves, text behind `__shared__ int s[64]; int t = threadIdx.x, r = 0;`
CASES = {
    "break behind nested loops": ("regions", 12 + 0 * T, """
        for (int k = 0; k < 5; k++) {
            s[t] = k; __syncthreads();
            { for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) { r++; } if (k == 2) break; }
            __syncthreads();
        }"""),
    "continue behind nested loops": ("regions", 5 * (63 - T) + 10 + 4 + 400, """
        for (int k = 0; k < 5; k++) {
            s[t] = t + k; __syncthreads(); r += s[63 - t];
            if (k == 2) { for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) { r++; } continue; }
            __syncthreads(); r += 100;
        }"""),
    "continue out of a switch": ("fibers", np.choose(T % 3, [33, 6, 39]), """
        for (int k = 0; k < 3; k++) {
            s[t] = k; __syncthreads();
            switch (t % 3) { case 0: r += 1; break; case 1: r += 2; continue; default: r += 3; }
            r += 10;
        }"""),
    "break of a switch": ("regions", np.choose(T % 3, [33, 36, 39]), """
        for (int k = 0; k < 3; k++) {
            s[t] = k; __syncthreads();
            switch (t % 3) { case 0: r += 1; break; case 1: for (;;) { r += 2; break; } break; default: r += 3; }
            r += 10;
        }"""),
    "break of each thread's own loop": ("regions", 3 * np.minimum(T, 4), """
        for (int k = 0; k < 3; k++) {
            s[t] = k; __syncthreads();
            for (int q = 0; q < 4; q++) { if (q == t) break; r++; }
            __syncthreads();
        }"""),
    "threads that leave a loop for good": ("regions", np.where(T < 3, -1, T + 3), """
        s[t] = t; __syncthreads();
        for (int i = 0; i < 3; i++) { if (t == i) { out[t] = -1; return; } __syncthreads(); s[t]++; }
        __syncthreads(); r = s[t];"""),
    "members": ("regions", 189 - 2 * T, """
        pair p = {t, 2 * t}; s[t] = p.b; __syncthreads();
        p.a += s[63 - t]; __syncthreads(); s[t] = p.a; r = s[t] + 63 - t;"""),
    "elements of members": ("regions", 63 - T + 5, """
        pair p; p.v[1] = 5; s[t] = t; __syncthreads();
        p.v[1] += s[63 - t]; __syncthreads(); r = p.v[1];"""),
    "a member that points": ("regions", 64 - T, """
        pair p; p.p = s + t; s[t] = t; __syncthreads();
        p.p[0] += 1; __syncthreads(); r = s[63 - t];"""),
    "several in a header": ("regions", 13 + 0 * T, """
        for (int i = 0, j = 6; i < j; i++, j--) { s[t] = i * j; __syncthreads(); r += s[63 - t]; __syncthreads(); }"""),
    "a variable called half": ("regions", 63 - T, """
        for (int half = 32; half; half /= 2) { s[t] = t; __syncthreads(); r = s[63 - t]; __syncthreads(); }"""),
    "a loop variable of another's name": ("regions", 10 + 64 * 5 - 5 * T + T, """
        int i = threadIdx.x;
        for (int i = 0; i < 5; i++) { s[t] = t; __syncthreads(); r += s[63 - t] + 1; __syncthreads(); r += i - 1; }
        r += 5; __syncthreads(); r += i;"""),
    "a block's variable of another's name": ("regions", 2 * (63 - T + 1000) + T, """
        int v = t; s[t] = v; __syncthreads();
        { int v = s[63 - t]; __syncthreads(); s[t] = v + 1000; v = -1; __syncthreads(); }
        r = s[t] * 2 + v;"""),
    "a uniform variable of another's name": ("regions", T + 7 * 64, """
        int k = t;
        { int k = blockDim.x; s[t] = k; __syncthreads(); for (int i = 0; i < 7; i++) { r += k; __syncthreads(); } }
        r += k;"""),
    "arrays with values": ("regions", 6 + 63 - T, """
        int a[3] = {1, 2, 3}; s[t] = t; __syncthreads(); a[t % 3] += s[63 - t]; __syncthreads();
        r = a[0] + a[1] + a[2];"""),
    "all leave a loop without end": ("regions", 3 + T, """
        for (int k = 0;; k++) {
            s[t] = k; __syncthreads();
            if (s[63 - t] == 3) { out[t] = k + t; return; }
            __syncthreads();
        }"""),
    "all leave a loop that is always true": ("regions", 3 + T, """
        while (true) {
            s[t] = r++; __syncthreads();
            if (s[63 - t] == 3) { out[t] = s[t] + t; return; }
            __syncthreads();
        }"""),
    "all leave a loop with a step": ("regions", 3 + T, """
        for (;; r++) {
            s[t] = r; __syncthreads();
            if (s[63 - t] == 3) { out[t] = r + t; return; }
            __syncthreads();
        }"""),
    "a round that some threads skip": ("regions", np.where(T < 3, 63 - T, 63 - T + 2 * (63 - T)), """
        for (int k = 0; k < 3; k++) {
            s[t] = t; __syncthreads();
            if (k > 0 && t < 3) continue;
            int v = s[63 - t]; r += v;
        }"""),
    "a round that some threads skip further in": ("regions", np.where(T % 2, 3 * (63 - T), 6), """
        for (int k = 0; k < 3; k++) {
            s[t] = t; __syncthreads(); int v = 2;
            if (t % 2 == 0) { r += v; continue; } else { v = s[63 - t]; }
            if (v < 0) continue;
            r += v;
        }"""),
    "a loop that some threads leave in the last round": ("regions", np.where(T < 3, 2, 3), """
        for (int k = 0; k < 3; k++) {
            s[t] = t; __syncthreads();
            if (t < 3 && k == 2) break;
            r++;
        }"""),
    "values in braces": ("regions", 63 - T + 3, """
        int a{t}, b{3}; s[t] = a; __syncthreads(); b += s[63 - t]; __syncthreads(); r = b;"""),
    "lambdas": ("regions", 3 * (63 - T), """
        auto g = [&](int x) { return x * 2 + t; }; s[t] = g(t); __syncthreads(); r = s[63 - t];"""),
    "a jump backwards": ("fibers", 2 + 0 * T, """
        int k = 0; again: s[t] = k; __syncthreads(); if (++k < 3) goto again; r = s[63 - t];"""),
    "a value shuffled is made once": ("regions", np.where(T < 63, 1, 15), """
        r = __shfl_sync(~0u, t % 32 == 3 ? atomicAdd(&out[63], 7) / 14 + 1 : 0, 3);
        __syncthreads(); if (t == 63) r = out[63] + 1;"""),
    "shuffles in shuffles": ("regions", (T + 2) % 32 + T // 32 * 32, """
        r = __shfl_sync(~0u, __shfl_sync(~0u, t, (t + 1) % 32), (t + 1) % 32);"""),
    "who is in a branch": ("fibers", np.where(T % 32 < 7, 0x7f, 2), """
        if (t % 32 < 7) r = (int)__activemask();
        else r = 2;"""),
    "lanes in step": ("fibers", np.where(T % 32, 0, T // 32 * 1024 + 496), """
        volatile int *v = s; v[t] = t;
        if (t % 32 < 16) {
            v[t] += v[t + 16]; v[t] += v[t + 8]; v[t] = v[t] + v[t + 4]; v[t] += v[t + 2]; v[t] += v[t + 1];
        }
        r = t % 32 ? 0 : v[t];"""),
    "lanes in step with a volatile array and barriers": ("regions", 63 - T, """
        volatile int local[2]; local[0] = t; s[t] = local[0]; __syncthreads(); r = s[63 - t];"""),
}


@pytest.mark.parametrize("name", CASES)
def test_case(name):
    tier, wanted, text = CASES[name]
    k = cp.RawKernel(f"""{PRELUDE}extern "C" __global__ void f(int *out)
    {{
        __shared__ int s[64]; int t = threadIdx.x, r = 0;{text}
        out[t] = r;
    }}""", "f", ("--std=c++17",))
    out = cp.zeros(64, "i4")
    k((1,), (64,), (out,))
    np.testing.assert_array_equal(out.get(), wanted)
    assert k.kernel.tier in (tier, "gpu")


def test_one_that_does_not_compile_in_loops():
    """A kernel whose loops between barriers do not compile is run in fibers; others of its module stay as they are."""
    k = cp.RawModule(code="""
    extern "C" __global__ void product(int *out, int n)
    {
        __shared__ int s[64]; int t = threadIdx.x, a = 3;
        n * a;
        s[t] = a * t; __syncthreads(); a *= n; __syncthreads(); out[t] = s[63 - t] + a;
    }
    extern "C" __global__ void other(int *out) { __shared__ int s[64];
        s[threadIdx.x] = threadIdx.x; __syncthreads(); out[threadIdx.x] = s[63 - threadIdx.x]; }
    """)
    out, product, other = cp.zeros(64, "i4"), k.get_function("product"), k.get_function("other")
    product((1,), (64,), (out, np.int32(2)))
    np.testing.assert_array_equal(out.get(), 3 * (63 - T) + 6)
    other((1,), (64,), (out,))
    np.testing.assert_array_equal(out.get(), 63 - T)
    assert other.kernel.tier in ("regions", "gpu") and product.kernel.tier in ("fibers", "gpu")
