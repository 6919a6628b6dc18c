"""Kernels that depend on C++'s rules for names and storage: variables of shared memory at namespace scope and in
methods, names that hide them, lambdas without a context parameter, calls of instances, memory from the heap.
Run with CUPRITE_KERNEL_TIER=fibers too."""
import numpy as np
import pytest

import cuprite as cp


def run(text, *out, threads=32, shared=0, args=(), blocks=1, name="k"):
    cp.RawKernel(text, name, options=("--std=c++17",))((blocks,), (threads,), (*out, *args), shared_mem=shared)
    return [o.get() for o in out] if len(out) > 1 else out[0].get()


I = np.arange(32)


def test_a_parameter_hides_shared_memory():
    text = r"""
    extern __shared__ int data[];
    __device__ int pair(const int *data) { return data[0] + 10 * data[1]; }
    extern "C" __global__ void k(int *o) {
        data[threadIdx.x] = threadIdx.x;
        __syncthreads();
        o[threadIdx.x] = pair(data + threadIdx.x / 2);
    }"""
    np.testing.assert_array_equal(run(text, cp.zeros(32, "i4"), shared=128), I // 2 + 10 * (I // 2 + 1))


def test_members_and_locals_hide_shared_memory():
    text = r"""
    extern __shared__ int s[];
    struct record { int s, v; };
    extern "C" __global__ void k(int *o) {
        record a, *b = &a;
        a.s = threadIdx.x;
        s[threadIdx.x] = b->s * 2;
        __syncthreads();
        { int s = 5; o[threadIdx.x] = s; }
        { const int *s = &a.s; o[threadIdx.x] += *s * 1000; }
        o[threadIdx.x] += s[31 - threadIdx.x];
    }"""
    np.testing.assert_array_equal(run(text, cp.zeros(32, "i4"), shared=128), 5 + 1000 * I + 2 * (31 - I))


def test_static_shared_memory_of_the_namespace():
    text = r"""
    __shared__ int bins[16], other; __shared__ unsigned long long total;
    __device__ void tally(const int *x, int n) {
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            atomicAdd(&bins[x[i] & 15], 1);
            atomicAdd(&total, (unsigned long long)x[i]);
        }
    }
    extern "C" __global__ void k(int *o, unsigned long long *t, const int *x, int n) {
        if (threadIdx.x < 16) bins[threadIdx.x] = 0;
        if (threadIdx.x == 0) total = 0;
        __syncthreads();
        tally(x + blockIdx.x * n, n);
        __syncthreads();
        if (threadIdx.x < 16) o[blockIdx.x * 16 + threadIdx.x] = bins[threadIdx.x];
        if (threadIdx.x == 0) t[blockIdx.x] = total;
    }"""
    x = np.random.default_rng(0).integers(0, 999, (20, 500)).astype("i4")
    bins, total = run(text, cp.zeros((20, 16), "i4"), cp.zeros(20, "u8"), blocks=20, threads=64,
                      args=(cp.asarray(x), np.int32(500)))
    np.testing.assert_array_equal(bins, [np.bincount(r & 15, minlength=16) for r in x])
    np.testing.assert_array_equal(total, x.sum(1))


@pytest.mark.parametrize("dtype, name", [("f4", "float"), ("f8", "double"), ("i2", "short")])
def test_shared_memory_of_a_conversion(dtype, name):
    text = r"""
    template <typename T> struct memory {
        __device__ operator T *() { extern __shared__ int bytes[]; return (T *)bytes; }
    };
    template <typename T> __global__ void turn(const T *x, T *o, unsigned n) {
        T *s = memory<T>();
        s[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        o[threadIdx.x] = s[n - threadIdx.x - 1];
    }"""
    x, o = np.arange(65).astype(dtype), cp.zeros(65, dtype)
    k = cp.RawModule(code=text, name_expressions=[f"turn<{name}>"]).get_function(f"turn<{name}>")
    k((1,), (65,), (cp.asarray(x), o, np.uint32(65)), shared_mem=65 * 8)
    np.testing.assert_array_equal(o.get(), x[::-1])


def test_shared_memory_of_methods():
    text = r"""
    template <class T, int N> struct scan {
        struct storage { T a[2][N]; };
        storage &st; int tid;
        __device__ scan(storage &s) : st(s), tid(threadIdx.x) {}
        __device__ T inclusive(T v) {
            int p = 0;
            st.a[0][tid] = v;
            __syncthreads();
            for (int o = 1; o < N; o *= 2, p = 1 - p) {
                st.a[1 - p][tid] = st.a[p][tid] + (tid >= o ? st.a[p][tid - o] : T(0));
                __syncthreads();
            }
            return st.a[p][tid];
        }
        static __device__ T broadcast(T v, int who) {
            __shared__ T one;
            if (threadIdx.x == who) one = v;
            __syncthreads();
            return one;
        }
    };
    extern "C" __global__ void k(int *o) {
        __shared__ scan<int, 32>::storage st;
        int v = scan<int, 32>(st).inclusive(threadIdx.x + blockIdx.x);
        o[blockIdx.x * 32 + threadIdx.x] = v + 1000 * scan<int, 32>::broadcast(v, 31);
    }"""
    c = (I + np.arange(3)[:, None]).cumsum(1)
    np.testing.assert_array_equal(run(text, cp.zeros((3, 32), "i4"), blocks=3), c + 1000 * c[:, -1:])


def test_instances_are_called():
    text = r"""
    template <int n> __device__ int lane() { return threadIdx.x % n; }
    struct place { __device__ operator int() const { return threadIdx.x; } };
    extern "C" __global__ void k(int *o) {
        __shared__ int s[32];
        int t = lane<8>(), u = place();
        s[threadIdx.x] = t;
        __syncthreads();
        o[threadIdx.x] = s[31 - threadIdx.x] + 100 * t + 1000 * u;
        if (lane<4>() == 1) o[threadIdx.x] += 50;
        __syncthreads();
    }"""
    np.testing.assert_array_equal(run(text, cp.zeros(32, "i4")), (31 - I) % 8 + 100 * (I % 8) + 1000 * I +
                                  50 * (I % 4 == 1))


def test_lambdas():
    text = r"""
    extern "C" __global__ void k(int *o) {
        __shared__ int s[32];
        auto id = [] { return blockIdx.x * blockDim.x + threadIdx.x; };
        auto get = [=](int j) { return s[j]; };
        auto put = [](int j, int v) { s[j] = v; };
        put(threadIdx.x, id() * 3);
        __syncthreads();
        o[id()] = get(31 - threadIdx.x);
        int a = 5;
        auto f = [a](int v) { return v * a + threadIdx.x; };
        auto g = [&a](int v) { a += v; return blockDim.x; };
        o[id()] += f(2) + g(1) + a;
        auto sum = [](int v) {
            for (int m = 16; m; m /= 2) v += __shfl_xor_sync(0xffffffffu, v, m);
            return v;
        };
        o[id()] += 1000 * sum(threadIdx.x);
    }"""
    np.testing.assert_array_equal(run(text, cp.zeros(32, "i4")), 3 * (31 - I) + 10 + I + 32 + 6 + 496000)


def test_new_and_delete():
    text = r"""
    struct node { int v; node *next; __device__ node(int v, node *n) : v(v), next(n) {} __device__ ~node() {} };
    extern "C" __global__ void k(int *o) {
        node *head = nullptr;
        for (int i = 0; i <= threadIdx.x; i++) head = new node(i, head);
        int sum = 0;
        while (head) { node *n = head->next; sum += head->v; delete head; head = n; }
        double *d = new double[3];
        d[2] = sum;
        alignas(node) char room[sizeof(node)];
        node *here = new (room) node(7, nullptr);
        o[threadIdx.x] = (int)d[2] * 10 + here->v;
        here->~node();
        delete[] d;
    }"""
    np.testing.assert_array_equal(run(text, cp.zeros(32, "i4")), I * (I + 1) // 2 * 10 + 7)


def test_inverses_of_erf():
    special = pytest.importorskip("scipy.special")
    text = r"""
    extern "C" __global__ void k(double *o, const double *x) {
        int i = threadIdx.x;
        o[3 * i] = erfinv(2 * x[i] - 1), o[3 * i + 1] = erfcinv(x[i]), o[3 * i + 2] = normcdfinv(x[i]);
    }"""
    x = np.concatenate([np.random.default_rng(0).random(24), [1e-300, 1e-20, 1e-5, 0.25, 0.5, 0.75, 1, 0]])
    got = run(text, cp.zeros((32, 3)), args=(cp.asarray(x),))
    np.testing.assert_allclose(got, np.stack([special.erfinv(2 * x - 1), special.erfcinv(x), special.ndtri(x)], 1),
                               rtol=1e-14, atol=1e-15)


def test_names_of_whole_numbers():
    text = r"""
    #include <cstdint>
    extern "C" __global__ void k(std::uint64_t *o) {
        std::int32_t least = INT32_MIN;
        o[0] = std::uint64_t(least >> 31), o[1] = sizeof(std::uintptr_t), o[2] = UINT64_MAX, o[3] = INT8_MIN + 129;
    }"""
    np.testing.assert_array_equal(run(text, cp.zeros(4, "u8"), threads=1), np.array([2**64 - 1, 8, 2**64 - 1, 1], "u8"))


def test_complex_numbers_lie_in_thrust():
    text = r"""
    #include <cupy/complex.cuh>
    extern "C" __global__ void k(thrust::complex<double> *o) {
        int i = threadIdx.x;
        thrust::complex<double> z = thrust::polar(1.0 + i, 0.5);
        o[i] = thrust::conj(z) * complex<double>(thrust::abs(z), thrust::norm(z)) + thrust::exp(z);
    }"""
    z = (1 + I) * np.exp(0.5j)
    np.testing.assert_allclose(run(text, cp.zeros(32, "c16")), z.conj() * (abs(z) + 1j * abs(z)**2) + np.exp(z), 1e-13)


def test_shared_memory_in_blocks_within_a_block_behind_others():
    """Variables of blocks that follow one another lie apart, and so do those of the blocks inside them."""
    text = r"""
    extern "C" __global__ void k(int *o, int n) {
        int t = threadIdx.x;
        __shared__ int first[32];
        first[t] = t;
        do {
            __shared__ int kept[32];
            kept[t] = n;
            __syncthreads();
            first[t] += kept[31 - t];
        } while (n < 0);
        if (n > 2) {
            __shared__ int second[32];
            second[t] = 100 * t;
            __syncthreads();
            for (int i = 0; i < 2; i++) {
                __shared__ long long third[2][33];
                third[i][t] = second[31 - t] + i;
                __syncthreads();
                { __shared__ short fourth[32]; fourth[t] = 7; __syncthreads(); first[t] += fourth[0]; }
                first[t] += (int)third[i][31 - t];
                __syncthreads();
            }
        }
        __shared__ int last[32];
        last[t] = first[31 - t];
        __syncthreads();
        o[t] = last[31 - t];
    }"""
    y = run(text, cp.zeros(32, "i4"), args=(np.int32(3),))
    np.testing.assert_array_equal(y, I + 3 + 2 * (100 * I + 7) + 1)
