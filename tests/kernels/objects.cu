// Kernels whose barriers and shuffles are in methods, functors and lambdas.

// --- classes with storage, as libraries of collectives have them ---

template <typename T, int THREADS> class BlockScan {
public:
    struct Storage { T warps[THREADS / 32]; };
    __device__ explicit BlockScan(Storage &storage) : s(storage), lane(threadIdx.x % 32), warp(threadIdx.x / 32) {}

    template <typename Op> __device__ T inclusive(T v, Op op)
    {
        v = in_warp(v, op);
        if (lane == 31) s.warps[warp] = v;
        __syncthreads();
        for (int k = warp - 1; k >= 0; k--) v = op(s.warps[k], v);
        __syncthreads();
        return v;
    }
    template <typename Op> __device__ T total(T v, Op op)
    {
        T all = inclusive(v, op);
        if (threadIdx.x == THREADS - 1) s.warps[0] = all;
        __syncthreads();
        T r = s.warps[0];
        __syncthreads();
        return r;
    }

private:
    template <typename Op> __device__ T in_warp(T v, Op op)
    {
        for (int d = 1; d < 32; d *= 2) {
            T other = __shfl_up_sync(0xffffffffu, v, d);
            if (lane >= d) v = op(other, v);
        }
        return v;
    }
    Storage &s;
    int lane, warp;
};

struct Plus { template <typename T> __device__ T operator()(T a, T b) const { return a + b; } };
struct Most { template <typename T> __device__ T operator()(T a, T b) const { return a < b ? b : a; } };

extern "C" __global__ void scan_by_class(const int *x, int *sums, int *most, int n)
{
    __shared__ BlockScan<int, 128>::Storage storage;
    BlockScan<int, 128> scan(storage);
    int i = blockIdx.x * 128 + threadIdx.x;
    int v = i < n ? x[i] : 0;
    int sum = scan.inclusive(v, Plus());
    int top = scan.total(v, Most());
    if (i < n) sums[i] = sum, most[i] = top;
}

// --- a tile that loads itself ---

template <int N> struct Tile {
    float (*s)[N];
    const float *from;
    int n;
    __device__ void load(int row, int column)
    {
        __syncthreads();
        int y = row + threadIdx.y, x = column + threadIdx.x;
        s[threadIdx.y][threadIdx.x] = y < n && x < n ? from[y * n + x] : 0.0f;
        __syncthreads();
    }
    __device__ float at(int y, int x) const { return s[y][x]; }
};

extern "C" __global__ void product_by_tiles(const float *a, const float *b, float *c, int n)
{
    __shared__ float left[16][16], right[16][16];
    Tile<16> l = {left, a, n}, r = {right, b, n};
    int row = blockIdx.y * 16, column = blockIdx.x * 16;
    float v = 0;
    for (int k = 0; k < n; k += 16) {
        l.load(row, k);
        r.load(k, column);
        for (int m = 0; m < 16; m++) v += l.at(threadIdx.y, m) * r.at(m, threadIdx.x);
    }
    if (row + threadIdx.y < n && column + threadIdx.x < n) c[(row + threadIdx.y) * n + column + threadIdx.x] = v;
}

// --- lambdas ---

template <typename T, typename Op> __device__ T fold(T v, T *s, Op op)
{
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        if (t < k) s[t] = op(s[t], s[t + k]);
        __syncthreads();
    }
    T r = s[0];
    __syncthreads();
    return r;
}

extern "C" __global__ void softmax_by_lambdas(const float *x, float *y, int columns)
{
    __shared__ float s[128];
    const float *row = x + (long long)blockIdx.x * columns;
    float most = __int_as_float(0xff800000), sum = 0; // NVRTC has no INFINITY
    for (int c = threadIdx.x; c < columns; c += blockDim.x) most = fmaxf(most, row[c]);
    most = fold(most, s, [](float a, float b) { return fmaxf(a, b); });
    for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += expf(row[c] - most);
    sum = fold(sum, s, [](float a, float b) { return a + b; });
    float *out = y + (long long)blockIdx.x * columns;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) out[c] = expf(row[c] - most) / sum;
}

extern "C" __global__ void moments_by_lambda(const double *x, double *out, int n)
{
    __shared__ double s[128];
    int t = threadIdx.x;
    auto sum = [&](double v) {
        s[t] = v;
        __syncthreads();
        for (int k = blockDim.x / 2; k > 0; k /= 2) {
            if (t < k) s[t] += s[t + k];
            __syncthreads();
        }
        double r = s[0];
        __syncthreads();
        return r;
    };
    double v = t < n ? x[blockIdx.x * n + t] : 0;
    double mean = sum(v) / n;
    double d = t < n ? v - mean : 0;
    double square = sum(d * d), cube = sum(d * d * d);
    if (t == 0) out[3 * blockIdx.x] = mean, out[3 * blockIdx.x + 1] = square / n, out[3 * blockIdx.x + 2] = cube / n;
}

// --- functors, inheritance ---

struct Less { __device__ bool operator()(int a, int b) const { return a < b; } };
struct More { __device__ bool operator()(int a, int b) const { return a > b; } };

struct Pairs {
    int *s;
    __device__ void swap(int a, int b) { int v = s[a]; s[a] = s[b], s[b] = v; }
};

template <class Before> struct Bitonic : Pairs {
    Before before;
    __device__ void step(int k, int j)
    {
        int t = threadIdx.x, o = t ^ j;
        if (o > t && before(s[o], s[t]) == ((t & k) == 0)) swap(t, o);
        __syncthreads();
    }
    __device__ void sort(int n)
    {
        __syncthreads();
        for (int k = 2; k <= n; k *= 2)
            for (int j = k / 2; j > 0; j /= 2) step(k, j);
    }
};

extern "C" __global__ void sort_by_objects(const int *x, int *up, int *down)
{
    __shared__ int s[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = x[i];
    Bitonic<Less> a;
    a.s = s;
    a.sort(128);
    up[i] = s[t];
    Bitonic<More> b;
    b.s = s;
    b.sort(128);
    down[i] = s[t];
}

struct WarpVote {
    unsigned mask;
    __device__ int count(bool yes) const { return __popc(__ballot_sync(mask, yes)); }
    __device__ int rank(bool yes) const { return __popc(__ballot_sync(mask, yes) & ((1u << threadIdx.x % 32) - 1)); }
};

extern "C" __global__ void compact_by_votes(const int *x, int *out, int *counts, int n)
{
    WarpVote vote{0xffffffffu};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool keep = i < n && x[i] % 3 == 0;
    int place = vote.rank(keep), all = vote.count(keep);
    if (keep) out[i / 32 * 32 + place] = x[i];
    if (threadIdx.x % 32 == 0) counts[i / 32] = all;
}
