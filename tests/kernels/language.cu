// What C++ and CUDA have besides: recursion, templates, structures, macros, votes, symbols, loops of odd forms.

// Functions that call themselves.
__device__ unsigned long long fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__host__ __device__ int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }

extern "C" __global__ void recursion(unsigned long long *fib, int *divisor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        fib[i] = fibonacci(i % 16);
        divisor[i] = gcd(i, 360);
    }
}

// A structure by value that holds pointers and arrays, and a method that reads the thread's place.
struct Parameters {
    int n;
    float scale[3];
    const float *x;
    float *y;
    __device__ int first() const { return blockIdx.x * blockDim.x + threadIdx.x; }
    __device__ int step() const { return blockDim.x * gridDim.x; }
};

extern "C" __global__ void structures(Parameters p)
{
    for (int i = p.first(); i < p.n; i += p.step()) p.y[i] = p.scale[i % 3] * p.x[i];
}

namespace geometry {
template <typename T> struct Vector {
    T x, y;
    __device__ Vector operator+(const Vector &o) const { return {x + o.x, y + o.y}; }
    __device__ T dot(const Vector &o) const { return x * o.x + y * o.y; }
};

template <typename T, int POWER> __device__ T power(T x)
{
    T r = 1;
#pragma unroll
    for (int i = 0; i < POWER; i++) r *= x;
    return r;
}

// An instance by its name, with a number among its arguments.
template <typename T, int POWER> __global__ void polynomial(const T *in, T *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Vector<T> v = {in[i], T(1)}, w = v + v;
    out[i] = power<T, POWER>(in[i]) + w.dot(v);
}
} // namespace geometry

// atomicAdd for double and atomicMax for float as they are made of atomicCAS.
__device__ double atomic_add_by_cas(double *address, double val)
{
    unsigned long long int *address_as_ull = (unsigned long long int *)address;
    unsigned long long int old = *address_as_ull, assumed;
    do {
        assumed = old;
        old = atomicCAS(address_as_ull, assumed, __double_as_longlong(val + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}

__device__ float atomicMaxFloat(float *address, float val)
{
    int *address_as_int = (int *)address, old = *address_as_int, assumed;
    while (val > __int_as_float(old)) {
        assumed = old;
        old = atomicCAS(address_as_int, assumed, __float_as_int(val));
        if (old == assumed) break;
    }
    return __int_as_float(old);
}

extern "C" __global__ void cas_loops(const float *x, double *sum, float *largest, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomic_add_by_cas(sum, x[i]);
        atomicMaxFloat(largest, x[i]);
    }
}

// A lock that one thread of each block takes.
__device__ int mutex = 0;

extern "C" __global__ void locked(const int *in, long long *total, int n)
{
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&sum, in[i]);
    __syncthreads();
    if (threadIdx.x == 0) {
        while (atomicCAS(&mutex, 0, 1) != 0) {
        }
        __threadfence();
        *(volatile long long *)total += sum;
        __threadfence();
        atomicExch(&mutex, 0);
    }
}

// All the atomic operations on integers, in global memory.
extern "C" __global__ void atomics(int *v, unsigned *u, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(&v[0], 10);
    atomicSub(&v[1], 10);
    atomicMax(&v[2], i);
    atomicMin(&v[3], i);
    atomicAnd(&v[4], 2 * i + 7);
    atomicOr(&v[5], 1 << (i % 20));
    atomicXor(&v[6], i);
    atomicInc(&u[0], 16);
    atomicDec(&u[1], 136);
    if (i == n - 1) atomicExch(&v[7], i);
}

// Variables of the device's that the host reads and writes.
__constant__ float coefficients[4] = {1, 2, 3, 4};
__device__ int calls;
__device__ float table[2][3];

extern "C" __global__ void symbols(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) atomicAdd(&calls, 1);
    if (i < n) y[i] = ((coefficients[3] * x[i] + coefficients[2]) * x[i] + coefficients[1]) * x[i] + coefficients[0];
    if (i < 6) table[i / 3][i % 3] += i;
}

// Several arrays in one piece of dynamic shared memory.
extern "C" __global__ void dynamic_arrays(const float *in, int *order, double *squares, int n)
{
    extern __shared__ __align__(8) unsigned char raw[];
    double *d = reinterpret_cast<double *>(raw);
    float *f = (float *)&d[n];
    short *s = (short *)&f[n];
    int t = threadIdx.x;
    d[t] = (double)in[t] * in[t];
    f[t] = in[n - 1 - t];
    s[t] = (short)t;
    __syncthreads();
    squares[t] = d[n - 1 - t];
    order[t] = s[(t + 1) % n] + (f[t] > 0.5f ? 1000 : 0);
}

// Threads that have nothing to do leave before the barriers that the others come to.
extern "C" __global__ void early_return(const int *in, int *out, int n)
{
    __shared__ int s[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    s[threadIdx.x] = in[i];
    __syncthreads();
    int left = threadIdx.x > 0 ? s[threadIdx.x - 1] : 0;
    __syncthreads();
    s[threadIdx.x] = left + in[i];
    __syncthreads();
    if (in[i] < 0) return;
    out[i] = s[threadIdx.x];
}

// How often the block goes round depends on what it reads; all threads leave by the same break.
extern "C" __global__ void data_dependent_trips(const int *steps, int *out)
{
    __shared__ int s[128];
    int tid = threadIdx.x, rounds = 0;
    s[tid] = tid;
    __syncthreads();
    for (;;) {
        int next = s[(tid + 1) % blockDim.x];
        __syncthreads();
        if (rounds == steps[blockIdx.x]) break;
        s[tid] = next;
        rounds++;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + tid] = s[tid] * 1000 + rounds;
}

// do ... while with a barrier inside, continue in a loop with one.
extern "C" __global__ void odd_loops(int *data, int rounds)
{
    __shared__ int s[96];
    const int tid = threadIdx.x;
    int left = rounds;
    s[tid] = data[tid];
    do {
        __syncthreads();
        int v = s[(tid + 1) % blockDim.x];
        __syncthreads();
        s[tid] = v;
        --left;
    } while (left > 0);
    for (int k = 0; k < rounds; ++k) {
        if (k % 2 == 0) continue;
        __syncthreads();
        if (tid == k) s[tid] += 100;
    }
    __syncthreads();
    data[tid] = s[blockDim.x - 1 - tid];
}

// Macros and conditions of the preprocessor in a kernel.
#define BLOCK_DIM 64
#define GLOBAL_ID (blockIdx.x * blockDim.x + threadIdx.x)
#define CHECK_RANGE(i, n) \
    if ((i) >= (n)) return
#define SYNC() __syncthreads()
#if BLOCK_DIM > 32
#define HALF (BLOCK_DIM / 2)
#else
#define HALF 1
#endif

extern "C" __global__ void macros(const int *in, int *out, int n)
{
    __shared__ int s[BLOCK_DIM];
    const int i = GLOBAL_ID;
    s[threadIdx.x] = i < n ? in[i] : -1;
    SYNC();
#ifdef BACKWARDS
    int v = s[BLOCK_DIM - 1 - threadIdx.x];
#else
    int v = s[(threadIdx.x + HALF) % BLOCK_DIM];
#endif
    CHECK_RANGE(i, n);
    out[i] = v;
}

// Votes of a warp and of a block.
extern "C" __global__ void votes(const int *in, unsigned *ballots, int *any_all, int *counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
    unsigned b = __ballot_sync(0xffffffff, v > 5);
    int any = __any_sync(0xffffffff, v == 7), all = __all_sync(0xffffffff, v >= 0);
    int positive = __syncthreads_count(v > 0);
    int every = __syncthreads_and(v >= 0), some = __syncthreads_or(v == 9);
    int same = 0;
    unsigned who = __match_all_sync(0xffffffff, v >= 0, &same);
    if (threadIdx.x % 32 == 0) {
        ballots[i / 32] = b;
        any_all[i / 32] = any * 2 + all + (same && who == 0xffffffff ? 4 : 0);
    }
    if (threadIdx.x == 0) {
        counts[3 * blockIdx.x] = positive;
        counts[3 * blockIdx.x + 1] = every != 0;
        counts[3 * blockIdx.x + 2] = some != 0;
    }
}

// Shuffles of every kind: broadcast, rotation, within groups of eight, of doubles.
extern "C" __global__ void shuffles(const double *in, double *broadcast, double *rotated, double *grouped,
                                    double *folded)
{
    int lane = threadIdx.x & 31;
    double v = in[threadIdx.x];
    broadcast[threadIdx.x] = __shfl_sync(0xffffffff, v, 5);
    rotated[threadIdx.x] = __shfl_sync(0xffffffff, v, (lane + 1) & 31);
    grouped[threadIdx.x] = __shfl_down_sync(0xffffffff, v, 3, 8);
    for (int m = 1; m < 32; m *= 2) v = fmax(v, __shfl_xor_sync(0xffffffff, v, m));
    folded[threadIdx.x] = v;
}

// Every lane's sum by the instruction that newer devices have.
extern "C" __global__ void warp_reduce(const unsigned *in, unsigned *sums, int *largest)
{
    unsigned v = in[blockIdx.x * blockDim.x + threadIdx.x];
    unsigned s = __reduce_add_sync(0xffffffffu, v);
    int m = __reduce_max_sync(0xffffffffu, (int)v - 100);
    if (threadIdx.x % 32 == 0) {
        sums[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = s;
        largest[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = m;
    }
}

// Text from the device.
extern "C" __global__ void hello(int n)
{
    if (threadIdx.x < n) printf("block %d thread %d: %s %.2f\n", blockIdx.x, threadIdx.x, "hello", 0.25 * threadIdx.x);
}

// Bits and the arithmetic that a GPU has instructions for.
extern "C" __global__ void intrinsics(const unsigned *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned v = in[i];
    int *o = out + 8 * i;
    o[0] = __popc(v);
    o[1] = __clz(v);
    o[2] = __ffs(v);
    o[3] = __brev(v);
    o[4] = __umulhi(v, 0x9e3779b9u);
    o[5] = __byte_perm(v, ~v, 0x3715);
    o[6] = __float2int_rn(v * 0.5f) - __float2int_rz(v * 0.5f);
    o[7] = __funnelshift_l(v, v, 7);
}

// Pairs of results by a structure, a switch, a ternary, a constant array of each thread's.
struct Pair {
    int quotient, rest;
};

static __device__ Pair divide(int a, int b)
{
    Pair p;
    p.quotient = a / b;
    p.rest = a - p.quotient * b;
    return p;
}

extern "C" __global__ void __launch_bounds__(256, 2) control_flow(const int *in, int *out, int n)
{
    const int primes[] = {2, 3, 5, 7, 11};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Pair p = divide(in[i], primes[i % 5]);
        int r;
        switch (p.rest) {
        case 0: r = p.quotient; break;
        case 1:
        case 2: r = -p.quotient; break;
        default: r = p.quotient > 10 ? 10 : p.rest;
        }
        out[i] = r;
    }
}

// A template of a kernel, one for a type of its own, and an instance that is asked for by name.
template <typename T> __global__ void fill(T *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = T(i) / T(2);
}

template <> __global__ void fill<bool>(bool *out, int n)
{
    int i{(int)(blockIdx.x * blockDim.x + threadIdx.x)};
    if (i < n) out[i] = i % 3 == 0;
}

template __global__ void fill<float>(float *out, int n);
