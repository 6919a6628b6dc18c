// Fields and signals: stencils that march through shared tiles, lattices, tridiagonal systems, transforms, filters,
// random numbers, prices. Idioms: constant memory, unrolled loops over template sizes, vector types with operators,
// macros that make kernels.
#include <curand_kernel.h>

#define PI_F 3.14159265358979f

__device__ __forceinline__ float3 operator+(float3 a, float3 b)
{
    return make_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}
__device__ __forceinline__ float3 operator-(float3 a, float3 b)
{
    return make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}
__device__ __forceinline__ float3 operator*(float s, float3 a) { return make_float3(s * a.x, s * a.y, s * a.z); }
__device__ __forceinline__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ __forceinline__ void operator+=(float3 &a, const float3 &b) { a = a + b; }

// --- stencils ---

// A wave through a volume whose sides are multiples of 8, plane by plane: a queue of registers along z, a tile with a
// halo in x and y.
#define RADIUS 2
__constant__ float weights[RADIUS + 1];
extern "C" __global__ void __launch_bounds__(8 * 8)
fdtd_3d(float *__restrict__ out, const float *__restrict__ in, int nx, int ny, int nz)
{
    __shared__ float tile[8 + 2 * RADIUS][8 + 2 * RADIUS];
    const int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    const int stride_y = nx + 2 * RADIUS, stride_z = stride_y * (ny + 2 * RADIUS);
    const int tx = threadIdx.x + RADIUS, ty = threadIdx.y + RADIUS;
    int at = (y + RADIUS) * stride_y + x + RADIUS;
    float behind[RADIUS], front[RADIUS], current;
#pragma unroll
    for (int i = RADIUS - 2; i >= 0; i--) behind[i] = in[at], at += stride_z;
    current = in[at];
    int write = at;
    at += stride_z;
#pragma unroll
    for (int i = 0; i < RADIUS; i++) front[i] = in[at], at += stride_z;
    for (int iz = 0; iz < nz; iz++) {
#pragma unroll
        for (int i = RADIUS - 1; i > 0; i--) behind[i] = behind[i - 1];
        behind[0] = current;
        current = front[0];
#pragma unroll
        for (int i = 0; i < RADIUS - 1; i++) front[i] = front[i + 1];
        front[RADIUS - 1] = in[at];
        at += stride_z, write += stride_z;
        __syncthreads();
        if (threadIdx.y < RADIUS) {
            tile[threadIdx.y][tx] = in[write - RADIUS * stride_y];
            tile[threadIdx.y + 8 + RADIUS][tx] = in[write + 8 * stride_y];
        }
        if (threadIdx.x < RADIUS) {
            tile[ty][threadIdx.x] = in[write - RADIUS];
            tile[ty][threadIdx.x + 8 + RADIUS] = in[write + 8];
        }
        tile[ty][tx] = current;
        __syncthreads();
        float value = weights[0] * current;
#pragma unroll
        for (int i = 1; i <= RADIUS; i++)
            value += weights[i] * (front[i - 1] + behind[i - 1] + tile[ty - i][tx] + tile[ty + i][tx] +
                                   tile[ty][tx - i] + tile[ty][tx + i]);
        out[write] = value;
    }
}

// Fluid on a lattice of nine directions: collide, then pull from the neighbours. Arrays of a structure's members.
struct Lattice {
    float *f[9];
};
__constant__ signed char ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float part[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
extern "C" __global__ void lattice_boltzmann(const Lattice from, Lattice to, int nx, int ny, float omega)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny) return;
    float f[9], rho = 0, ux = 0, uy = 0;
#pragma unroll
    for (int k = 0; k < 9; ++k) {
        const int sx = (x - ex[k] + nx) % nx, sy = (y - ey[k] + ny) % ny;
        f[k] = from.f[k][sy * nx + sx];
        rho += f[k], ux += f[k] * ex[k], uy += f[k] * ey[k];
    }
    ux /= rho, uy /= rho;
    const float square = 1.5f * (ux * ux + uy * uy);
#pragma unroll
    for (int k = 0; k < 9; ++k) {
        const float along = 3.0f * (ex[k] * ux + ey[k] * uy);
        to.f[k][y * nx + x] = f[k] + omega * (part[k] * rho * (1 + along + 0.5f * along * along - square) - f[k]);
    }
}

// Speckle reducing anisotropic diffusion (Yu and Acton, 2002): coefficients, then the step.
extern "C" __global__ void srad_coefficients(const float *j, float *c, int rows, int cols, float q0)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    __shared__ float tile[16][16];
    const int at = min(row, rows - 1) * cols + min(col, cols - 1);
    tile[threadIdx.y][threadIdx.x] = j[at];
    __syncthreads();
    if (row >= rows || col >= cols) return;
    const float own = tile[threadIdx.y][threadIdx.x];
    const float n = (threadIdx.y > 0 ? tile[threadIdx.y - 1][threadIdx.x] : j[max(row - 1, 0) * cols + col]) - own;
    const float s =
        (threadIdx.y < 15 ? tile[threadIdx.y + 1][threadIdx.x] : j[min(row + 1, rows - 1) * cols + col]) - own;
    const float w = (threadIdx.x > 0 ? tile[threadIdx.y][threadIdx.x - 1] : j[row * cols + max(col - 1, 0)]) - own;
    const float e =
        (threadIdx.x < 15 ? tile[threadIdx.y][threadIdx.x + 1] : j[row * cols + min(col + 1, cols - 1)]) - own;
    const float g2 = (n * n + s * s + w * w + e * e) / (own * own), l = (n + s + w + e) / own;
    const float num = 0.5f * g2 - 0.0625f * l * l, den = 1 + 0.25f * l, q = num / (den * den);
    const float v = 1.0f / (1.0f + (q - q0) / (q0 * (1 + q0)));
    c[row * cols + col] = v < 0 ? 0 : v > 1 ? 1 : v;
}
extern "C" __global__ void srad_step(const float *j, const float *c, float *out, int rows, int cols, float lambda)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || col >= cols) return;
#define AT(a, r, k) a[min(max(r, 0), rows - 1) * cols + min(max(k, 0), cols - 1)]
    const float own = AT(j, row, col), here = AT(c, row, col);
    const float d = here * (AT(j, row - 1, col) - own) + AT(c, row + 1, col) * (AT(j, row + 1, col) - own) +
                    here * (AT(j, row, col - 1) - own) + AT(c, row, col + 1) * (AT(j, row, col + 1) - own);
#undef AT
    out[row * cols + col] = own + 0.25f * lambda * d;
}

// Tridiagonal systems: parallel cyclic reduction, one system a block, and Thomas' method, one a thread.
extern "C" __global__ void tridiagonal_pcr(const double *a, const double *b, const double *c, const double *d,
                                           double *x)
{
    extern __shared__ double memory[];
    const int n = blockDim.x, i = threadIdx.x, at = blockIdx.x * n + i;
    double *sa = memory, *sb = sa + n, *sc = sb + n, *sd = sc + n;
    sa[i] = i ? a[at] : 0, sb[i] = b[at], sc[i] = i < n - 1 ? c[at] : 0, sd[i] = d[at];
    __syncthreads();
    for (int by = 1; by < n; by *= 2) {
        const int l = i - by, r = i + by;
        const double kl = l >= 0 ? sa[i] / sb[l] : 0, kr = r < n ? sc[i] / sb[r] : 0;
        const double na = l >= 0 ? -sa[l] * kl : 0, nc = r < n ? -sc[r] * kr : 0;
        const double nb = sb[i] - (l >= 0 ? sc[l] * kl : 0) - (r < n ? sa[r] * kr : 0);
        const double nd = sd[i] - (l >= 0 ? sd[l] * kl : 0) - (r < n ? sd[r] * kr : 0);
        __syncthreads();
        sa[i] = na, sb[i] = nb, sc[i] = nc, sd[i] = nd;
        __syncthreads();
    }
    x[at] = sd[i] / sb[i];
}
template <typename Real> __global__ void tridiagonal_thomas(const Real *a, const Real *b, const Real *c, Real *d,
                                                            Real *scratch, int n, int systems)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems) return;
    Real beta = b[s];
    d[s] /= beta;
    for (int i = 1; i < n; i++) {
        const int at = i * systems + s;
        scratch[at] = c[at - systems] / beta;
        beta = b[at] - a[at] * scratch[at];
        d[at] = (d[at] - a[at] * d[at - systems]) / beta;
    }
    for (int i = n - 2; i >= 0; i--) d[i * systems + s] -= scratch[(i + 1) * systems + s] * d[(i + 1) * systems + s];
}

// --- particles and light ---

extern "C" __global__ void verlet(float3 *p, float3 *v, const float *mass, int n, float dt, float soft)
{
    extern __shared__ float4 others[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float3 own = i < n ? p[i] : make_float3(0, 0, 0);
    float3 a = make_float3(0, 0, 0);
    for (int tile = 0; tile < n; tile += blockDim.x) {
        const int k = tile + threadIdx.x;
        others[threadIdx.x] = k < n ? make_float4(p[k].x, p[k].y, p[k].z, mass[k]) : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < blockDim.x; j++) {
            const float3 d = make_float3(others[j].x, others[j].y, others[j].z) - own;
            const float r = rsqrtf(dot(d, d) + soft * soft);
            a += (others[j].w * r * r * r) * d;
        }
        __syncthreads();
    }
    if (i < n) v[i] += dt * a;
}
extern "C" __global__ void sphere_march(float *depth, int *steps, int w, int h, float3 eye, float4 sphere)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float3 ray = make_float3((2.0f * x - w) / h, (2.0f * y - h) / h, 1.5f);
    ray = rsqrtf(dot(ray, ray)) * ray;
    const float3 centre = make_float3(sphere.x, sphere.y, sphere.z);
    float t = 0;
    int n = 0;
    while (n < 64 && t < 100.0f) {
        const float3 at = eye + t * ray - centre;
        const float d = sqrtf(dot(at, at)) - sphere.w;
        if (d < 1e-4f) break;
        t += d, n++;
    }
    depth[y * w + x] = t < 100.0f && n < 64 ? t : -1.0f, steps[y * w + x] = n;
}

// Two doubles for one number, by fused products.
struct Twofold {
    double hi, lo;
    __device__ Twofold(double h, double l = 0) : hi(h), lo(l) {}
    static __device__ Twofold sum(double a, double b)
    {
        const double s = a + b, t = s - a;
        return Twofold(s, (a - (s - t)) + (b - t));
    }
    friend __device__ Twofold operator+(const Twofold &a, const Twofold &b)
    {
        Twofold s = sum(a.hi, b.hi);
        return sum(s.hi, s.lo + a.lo + b.lo);
    }
    friend __device__ Twofold operator*(const Twofold &a, const Twofold &b)
    {
        const double p = __dmul_rn(a.hi, b.hi);
        return sum(p, __fma_rn(a.hi, b.hi, -p) + (a.hi * b.lo + a.lo * b.hi));
    }
};
extern "C" __global__ void dot_twofold(const double *a, const double *b, double *out, int n)
{
    Twofold s(0);
    for (int i = 0; i < n; i++) s = s + Twofold(a[blockIdx.x * n + i]) * Twofold(b[blockIdx.x * n + i]);
    if (threadIdx.x == 0) out[blockIdx.x] = s.hi;
}

// --- transforms and filters ---

extern "C" __global__ void walsh_shared(float *x, int log2n)
{
    extern __shared__ float s_data[];
    const int n = 1 << log2n;
    float *row = x + blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) s_data[i] = row[i];
    for (int stride = n / 2; stride > 0; stride >>= 1) {
        __syncthreads();
        for (int i = threadIdx.x; i < n / 2; i += blockDim.x) {
            const int lo = i & (stride - 1), a = ((i - lo) << 1) + lo, b = a + stride;
            const float u = s_data[a], v = s_data[b];
            s_data[a] = u + v, s_data[b] = u - v;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) row[i] = s_data[i];
}

template <int N> __global__ void fft_stockham(const float2 *in, float2 *out)
{
    __shared__ float2 work[2][N];
    int from = 0;
    const int t = threadIdx.x;
    work[0][t] = in[blockIdx.x * N + t], work[0][t + N / 2] = in[blockIdx.x * N + t + N / 2];
    for (int half = 1; half < N; half *= 2) {
        __syncthreads();
        const int k = t & (half - 1);
        const float2 a = work[from][t], b = work[from][t + N / 2];
        float s, c;
        sincospif(-(float)k / (float)half, &s, &c);
        const float2 w = make_float2(c * b.x - s * b.y, c * b.y + s * b.x);
        const int at = ((t - k) << 1) + k;
        work[1 - from][at] = make_float2(a.x + w.x, a.y + w.y);
        work[1 - from][at + half] = make_float2(a.x - w.x, a.y - w.y);
        from = 1 - from;
    }
    __syncthreads();
    out[blockIdx.x * N + t] = work[from][t], out[blockIdx.x * N + t + N / 2] = work[from][t + N / 2];
}

// Kernels that a macro makes: along rows and along columns.
#define TAPS 7
__constant__ float taps[TAPS];
#define DEFINE_SEPARABLE(along, dx, dy)                                                               \
    extern "C" __global__ void separable_##along(const float *x, float *y, int h, int w)              \
    {                                                                                                 \
        const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y; \
        if (c >= w || r >= h) return;                                                                 \
        float sum = 0;                                                                                \
        _Pragma("unroll") for (int k = -TAPS / 2; k <= TAPS / 2; k++) {                               \
            const int cc = c + k * dx, rr = r + k * dy;                                               \
            if (cc >= 0 && cc < w && rr >= 0 && rr < h) sum += x[rr * w + cc] * taps[k + TAPS / 2];   \
        }                                                                                             \
        y[r * w + c] = sum;                                                                           \
    }
DEFINE_SEPARABLE(rows, 1, 0)
DEFINE_SEPARABLE(columns, 0, 1)

extern "C" __global__ void exponential_both_ways(const float *x, float *y, int rows, int columns, float a)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const float *in = x + r * columns;
    float *out = y + r * columns, before = in[0];
    for (int i = 0; i < columns; i++) out[i] = before = a * in[i] + (1 - a) * before;
    before = out[columns - 1];
    for (int i = columns - 1; i >= 0; i--) out[i] = before = a * out[i] + (1 - a) * before;
}

// Overlaps of boxes as bits of 64 at a time; who is kept is decided afterwards.
__device__ inline float overlap(const float4 a, const float4 b)
{
    const float w = fmaxf(fminf(a.z, b.z) - fmaxf(a.x, b.x), 0.f), h = fmaxf(fminf(a.w, b.w) - fmaxf(a.y, b.y), 0.f);
    const float both = w * h;
    return both / ((a.z - a.x) * (a.w - a.y) + (b.z - b.x) * (b.w - b.y) - both);
}
extern "C" __global__ void nms_masks(int n, float threshold, const float4 *boxes, unsigned long long *masks)
{
    const int row = blockIdx.y, col = blockIdx.x;
    if (row > col) return;
    const int rows = min(n - row * 64, 64), cols = min(n - col * 64, 64);
    __shared__ float4 block_boxes[64];
    if (threadIdx.x < cols) block_boxes[threadIdx.x] = boxes[64 * col + threadIdx.x];
    __syncthreads();
    if (threadIdx.x < rows) {
        const int i = 64 * row + threadIdx.x;
        unsigned long long bits = 0;
        for (int k = row == col ? threadIdx.x + 1 : 0; k < cols; k++)
            if (overlap(boxes[i], block_boxes[k]) > threshold) bits |= 1ULL << k;
        masks[i * ((n + 63) / 64) + col] = bits;
    }
}

extern "C" __global__ void disparity(const unsigned *left, const unsigned *right, unsigned char *out, int w, int h,
                                     int most)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w) return;
    unsigned least = 0xffffffffu, at = 0;
    for (int d = 0; d <= most; d++) {
        unsigned cost = 0;
        for (int k = -2; k <= 2; k++) {
            const int a = min(max(x + k, 0), w - 1), b = min(max(x + k - d, 0), w - 1);
            cost = __vsadu4(left[y * w + a], right[y * w + b]) + cost;
        }
        if (cost < least) least = cost, at = d;
    }
    out[y * w + x] = (unsigned char)at;
}

extern "C" __global__ void blend(const uchar4 *below, const uchar4 *above, uchar4 *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uchar4 a = above[i], b = below[i];
#define MIX(f) static_cast<unsigned char>((a.f * a.w + b.f * (255 - a.w) + 127) / 255)
    out[i] = make_uchar4(MIX(x), MIX(y), MIX(z), 255);
#undef MIX
}

// --- random numbers and prices ---

// Matsumoto and Nishimura's generator, a state a block.
extern "C" __global__ void mersenne(unsigned *states, unsigned *out, int rounds)
{
    __shared__ unsigned mt[624];
    for (int i = threadIdx.x; i < 624; i += blockDim.x) mt[i] = states[blockIdx.x * 624 + i];
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        for (int first = 0; first < 624; first += 208) { // word i needs i + 397, which is new behind 227
            const int i = first + threadIdx.x;
            unsigned v = 0;
            if (threadIdx.x < 208) {
                const unsigned y = (mt[i] & 0x80000000u) | (mt[(i + 1) % 624] & 0x7fffffffu);
                v = mt[(i + 397) % 624] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0u);
            }
            __syncthreads();
            if (threadIdx.x < 208) mt[i] = v;
            __syncthreads();
        }
        for (int i = threadIdx.x; i < 624; i += blockDim.x) {
            unsigned y = mt[i];
            y ^= y >> 11, y ^= y << 7 & 0x9d2c5680u, y ^= y << 15 & 0xefc60000u, y ^= y >> 18;
            out[((size_t)blockIdx.x * rounds + r) * 624 + i] = y;
        }
        __syncthreads();
    }
    for (int i = threadIdx.x; i < 624; i += blockDim.x) states[blockIdx.x * 624 + i] = mt[i];
}

extern "C" __global__ void halton(float *out, int n, int first)
{
    const int bases[3] = {2, 3, 5};
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 3 * n; i += gridDim.x * blockDim.x) {
        const int base = bases[i % 3];
        double f = 1, r = 0;
        for (int k = first + i / 3; k; k /= base) f /= base, r += f * (k % base);
        out[i] = (float)r;
    }
}

extern "C" __global__ void random_walks(unsigned long long seed, int *ends, int steps)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    curandStatePhilox4_32_10_t state;
    curand_init(seed, i, 0, &state);
    int at = 0;
    for (int s = 0; s < steps; s += 4) {
        const uint4 r = curand4(&state);
        at += (r.x >> 31 ? 1 : -1) + (r.y >> 31 ? 1 : -1) + (r.z >> 31 ? 1 : -1) + (r.w >> 31 ? 1 : -1);
    }
    ends[i] = at;
}

// An American put on a tree of prices, one a block.
extern "C" __global__ void binomial_options(const float *spot, const float *strike, float *price, int steps, float up,
                                            float chance, float discount)
{
    extern __shared__ float value[];
    const float s = spot[blockIdx.x], k = strike[blockIdx.x];
    for (int i = threadIdx.x; i <= steps; i += blockDim.x)
        value[i] = fmaxf(k - s * powf(up, (float)(2 * i - steps)), 0);
    for (int level = steps - 1; level >= 0; level--) {
        __syncthreads();
        for (int first = 0; first <= level; first += blockDim.x) {
            const int i = first + threadIdx.x;
            float v = 0;
            if (i <= level)
                v = fmaxf(discount * (chance * value[i + 1] + (1 - chance) * value[i]),
                          k - s * powf(up, (float)(2 * i - level)));
            __syncthreads();
            if (i <= level) value[i] = v;
            __syncthreads();
        }
    }
    if (threadIdx.x == 0) price[blockIdx.x] = value[0];
}
