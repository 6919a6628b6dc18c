"""cuda::std's expected, inplace_vector, bitset, chrono and memory, annotated pointers and the toolkit's first barriers:
against what Python computes of the same numbers."""
import time

import numpy as np
import pytest

import cuprite as cp


def run(text, *arguments, headers, threads=1, std=17):
    head = "".join(f"#include <{h}>\n" for h in headers.split())
    cp.RawKernel(head + text, "k", options=(f"--std=c++{std}",))((1,), (threads,), arguments)


def test_expected():
    y = cp.zeros((64, 6), "i4")
    run("""namespace s = cuda::std;
        __device__ s::expected<int, char> root(int x)
        {
            for (int i = 0; i * i <= x; i++)
                if (i * i == x) return i;
            return s::unexpected<char>(x < 0 ? 'n' : 'i');
        }
        extern "C" __global__ void k(int *y)
        {
            const int x = (int)threadIdx.x - 8;
            auto r = root(x);
            y += 6 * threadIdx.x;
            y[0] = r.has_value() ? *r : -r.error();
            y[1] = r.value_or(77), y[2] = r ? 'z' : r.error();
            y[3] = r.transform([](int v) { return 10 * v; }).value_or(5);
            y[4] = r.and_then(root).value_or(-1);
            auto t = r.transform_error([](char c) { return 2.5 * c; });
            y[5] = t ? *t : (int)t.error();
            r = s::unexpected<char>('q');
            if (r || r == root(4)) y[0] = 1000;
            r = 3;
            if (!r || r.value() != 3 || r == root(4) || r != root(9)) y[0] = 2000;
        }""", y, headers="cuda/std/expected", threads=64)
    for x, got in zip(range(-8, 56), y.get().tolist()):
        root = {i * i: i for i in range(8)}
        r, why = root.get(x), ord("n" if x < 0 else "i")
        again = -1 if r is None else root.get(r, -1)
        assert got == [-why if r is None else r, 77 if r is None else r, why if r is None else ord("z"),
                       5 if r is None else 10 * r, again, int(2.5 * why) if r is None else r]


def test_inplace_vector():
    y = cp.zeros((16, 8), "i4")
    run("""extern "C" __global__ void k(int *y)
        {
            cuda::std::inplace_vector<int, 8> v = {5, 6};
            const int n = threadIdx.x;
            for (int i = 0; i < n; i++) v.try_push_back(10 * i);
            if (n > 3) v.erase(v.begin() + 1), v.insert(v.begin(), -1);
            if (n > 5) v.pop_back(), v.erase(v.begin() + 2, v.begin() + 4);
            if (n % 3 == 1) v.resize(6, 9);
            y += 8 * n;
            for (int i = 0; i < 8; i++) y[i] = i < (int)v.size() ? v[i] : -99;
        }""", y, headers="cuda/std/inplace_vector", threads=16)
    for n, got in enumerate(y.get().tolist()):
        v = ([5, 6] + [10 * i for i in range(n)])[:8]
        if n > 3:
            del v[1]
            v.insert(0, -1)
        if n > 5:
            del v[-1], v[2:4]
        if n % 3 == 1:
            v = (v + [9] * 6)[:6]
        assert got == v + [-99] * (8 - len(v))


@pytest.mark.parametrize("bits", [7, 64, 100, 192])
def test_bitset(bits):
    rng = np.random.default_rng(bits)
    a, b = (rng.integers(0, 2, bits) for _ in range(2))
    y = cp.zeros((8, bits), "i4")
    counts = cp.zeros(4, "i4")
    run(f"""extern "C" __global__ void k(const int *a, const int *b, int *y, int *counts)
        {{
            const int n = {bits};
            cuda::std::bitset<n> x, z;
            for (int i = 0; i < n; i++) x[i] = a[i], z.set(i, b[i]);
            const cuda::std::bitset<n> all[8] = {{x & z, x | z, x ^ z, ~x, x << 3, x >> 5, x << 70, z.flip()}};
            for (int k = 0; k < 8; k++)
                for (int i = 0; i < n; i++) y[k * n + i] = all[k][i];
            counts[0] = x.count(), counts[1] = x.any() + 2 * x.all() + 4 * x.none();
            counts[2] = x == (~x).flip(), counts[3] = (x ^ x).none() && (x | ~x).all();
        }}""", cp.asarray(a, "i4"), cp.asarray(b, "i4"), y, counts, headers="cuda/std/bitset")

    def shifted(x, k):
        r = np.zeros(bits, int)
        r[max(k, 0):] = x[:max(bits - k, 0)] if k > 0 else 0
        if k < 0:
            r[:bits + k] = x[-k:]
        return r
    wanted = [a & b, a | b, a ^ b, 1 - a, shifted(a, 3), shifted(a, -5), shifted(a, 70), 1 - b]
    np.testing.assert_array_equal(y.get(), wanted)
    assert counts.get().tolist() == [a.sum(), int(a.any()) + 2 * int(a.all()) + 4 * int(not a.any()), 1, 1]


def test_durations_and_a_clock():
    y = cp.zeros(8, "i8")
    run("""namespace c = cuda::std::chrono;
        extern "C" __global__ void k(long long *y)
        {
            const c::milliseconds m = c::seconds(3) + c::milliseconds(45);
            y[0] = m.count(), y[1] = c::duration_cast<c::seconds>(m).count();
            y[2] = (c::minutes(2) - c::seconds(30)).count(), y[3] = c::hours(1) / c::milliseconds(250);
            y[4] = (m * 2 < c::seconds(7)) + 2 * (c::minutes(1) == c::seconds(60)) + 4 * (m >= c::seconds(4));
            const c::duration<double> s = m;
            y[5] = (long long)(s.count() * 1000 + 0.5);
            const auto start = c::system_clock::now();
            auto end = start;
            while (end - start < c::microseconds(200)) end = c::system_clock::now();
            y[6] = (end - start).count(), y[7] = start.time_since_epoch().count();
        }""", y, headers="cuda/std/chrono")
    got = y.get().tolist()
    assert got[:6] == [3045, 3, 90, 14400, 3, 3045]
    assert 200_000 <= got[6] < 10**10
    assert abs(got[7] - time.time_ns()) < 3600 * 10**9


def test_objects_in_memory():
    x = np.arange(1, 9, dtype="f4")
    y = cp.full(16, -1, "f4")
    run("""struct pair {
            float a, b, *end;
            __device__ pair(float x, float z, float *e) : a(x), b(z), end(e) {}
            __device__ ~pair() { *end += 1; }
        };
        extern "C" __global__ void k(const float *x, float *y)
        {
            namespace s = cuda::std;
            s::uninitialized_copy(x, x + 4, y);
            s::uninitialized_fill_n(y + 4, 3, 7.5f);
            __shared__ __align__(16) char space[3][sizeof(pair)];
            pair *p = (pair *)space[0];
            for (int i = 0; i < 3; i++) s::construct_at(p + i, 2.0f * i, 3.0f, y + 8 + i);
            y[11] = p[0].b + p[1].a + p[2].a;
            s::destroy_at(p);
            s::destroy_at(p + 1), s::destroy_at(p + 2);
            s::size_t left = 64;
            void *q = (char *)y + 1;
            y[12] = s::align(16, 8, q, left) == (char *)y + 16 && left == 49;
            y[13] = s::align(16, 64, q, left) == nullptr && left == 49;
            y[14] = s::addressof(*s::assume_aligned<16>(y)) == y;
        }""", cp.asarray(x), y, headers="cuda/std/memory", std=20)
    assert y.get().tolist() == [1, 2, 3, 4, 7.5, 7.5, 7.5, -1, 0, 0, 0, 9, 1, 1, 1, -1]


def test_annotated_pointers():
    x = cp.arange(64, dtype="i4")
    run("""extern "C" __global__ void k(int *x)
        {
            cuda::annotated_ptr<int, cuda::access_property::streaming> p{x};
            cuda::annotated_ptr<const int, cuda::access_property> q(x, cuda::access_property::persisting());
            const int i = threadIdx.x, v = q[63 - i];
            __syncthreads();
            p[i] += 2 * v;
            __syncthreads();
            if (i == 0) p[1] = (int)(&p[5] - p.get()) + (bool)p;
        }""", x, headers="cuda/annotated_ptr", threads=64)
    wanted = np.arange(64) + 2 * np.arange(64)[::-1]
    wanted[1] = 6
    np.testing.assert_array_equal(x.get(), wanted)


@pytest.mark.parametrize("threads", [32, 96])
def test_the_first_barriers(threads):
    x, y = cp.arange(threads, dtype="i4"), cp.zeros(threads, "i4")
    run("""using nvcuda::experimental::awbarrier;
        extern "C" __global__ void k(const int *x, int *y)
        {
            __shared__ awbarrier b;
            __shared__ int s[96];
            const int t = threadIdx.x, n = blockDim.x;
            if (t == 0) init(&b, n);
            __syncthreads();
            s[t] = x[t];
            awbarrier::arrival_token token = b.arrive();
            y[t] = t;
            b.wait(token);
            y[t] += 100 * s[n - 1 - t];
            b.arrive_and_wait();
            s[t] = y[t];
            token = b.arrive();
            while (!b.timed_wait(token, 1000)) {}
            y[t] = s[(t + 1) % n];
        }""", x, y, headers="cuda_awbarrier.h", threads=threads)
    first = np.arange(threads) + 100 * np.arange(threads)[::-1]
    np.testing.assert_array_equal(y.get(), np.roll(first, -1))
