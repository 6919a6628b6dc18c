// Bodies, random numbers, fractals, primes: arithmetic for each thread, with and without tiles.

// All bodies act on each; their places come tile by tile through shared memory.
__device__ float3 body_body(float4 bi, float4 bj, float3 ai)
{
    float3 r;
    r.x = bj.x - bi.x;
    r.y = bj.y - bi.y;
    r.z = bj.z - bi.z;
    float distSqr = r.x * r.x + r.y * r.y + r.z * r.z + 0.01f;
    float invDist = 1.0f / sqrtf(distSqr);
    float s = bj.w * invDist * invDist * invDist;
    ai.x += r.x * s;
    ai.y += r.y * s;
    ai.z += r.z * s;
    return ai;
}

extern "C" __global__ void nbody_shared(const float4 *position, float4 *acceleration, int n)
{
    extern __shared__ float4 shPosition[];
    int gtid = blockIdx.x * blockDim.x + threadIdx.x;
    float4 mine = gtid < n ? position[gtid] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    float3 acc = {0.0f, 0.0f, 0.0f};
    for (int i = 0, tile = 0; i < n; i += blockDim.x, tile++) {
        int idx = tile * blockDim.x + threadIdx.x;
        shPosition[threadIdx.x] = idx < n ? position[idx] : make_float4(0, 0, 0, 0);
        __syncthreads();
        for (int j = 0; j < blockDim.x; j++) acc = body_body(mine, shPosition[j], acc);
        __syncthreads();
    }
    if (gtid < n) acceleration[gtid] = make_float4(acc.x, acc.y, acc.z, 0.0f);
}

extern "C" __global__ void integrate(float4 *position, float4 *velocity, const float4 *acceleration, float dt, int n)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= n) return;
    float4 p = position[i], v = velocity[i], a = acceleration[i];
    v.x += a.x * dt; v.y += a.y * dt; v.z += a.z * dt;
    p.x += v.x * dt; p.y += v.y * dt; p.z += v.z * dt;
    position[i] = p;
    velocity[i] = v;
}

// Pi by throwing darts: a linear congruential generator in each thread, hits counted by the block.
__device__ unsigned lcg(unsigned &state)
{
    state = 1664525u * state + 1013904223u;
    return state;
}

extern "C" __global__ void pi_lcg(unsigned long long *hits, int darts, unsigned seed)
{
    __shared__ unsigned block_hits;
    if (threadIdx.x == 0) block_hits = 0;
    __syncthreads();
    unsigned state = seed + (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u, mine = 0;
    for (int i = 0; i < darts; i++) {
        unsigned long long x = lcg(state) >> 16, y = lcg(state) >> 16;
        mine += x * x + y * y < 65536ull * 65536ull;
    }
    atomicAdd(&block_hits, mine);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(hits, (unsigned long long)block_hits);
}

// The generator as an object: xorshift.
struct XorShift {
    unsigned int s;
    __device__ explicit XorShift(unsigned seed) : s(seed ? seed : 1u) {}
    __device__ unsigned next()
    {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        return s;
    }
    __device__ float uniform() { return (next() >> 8) * (1.0f / 16777216.0f); }
};

extern "C" __global__ void pi_xorshift(int *hits, int darts)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    XorShift random(id * 747796405u + 2891336453u);
    int inside = 0;
    for (int i = 0; i < darts; ++i) {
        float x = random.uniform(), y = random.uniform();
        if (x * x + y * y < 1.0f) inside++;
    }
    hits[id] = inside;
}

// How long a point takes to run away: loops of different lengths side by side.
extern "C" __global__ void mandelbrot(int *iterations, int height, int width, double x0, double y0, double step,
                                      int most)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px < width && py < height) {
        double cr = x0 + px * step, ci = y0 + py * step, zr = 0, zi = 0;
        int n = 0;
        while (n < most && zr * zr + zi * zi <= 4.0) {
            double t = zr * zr - zi * zi + cr;
            zi = 2 * zr * zi + ci;
            zr = t;
            ++n;
        }
        iterations[py * width + px] = n;
    }
}

// Complex numbers as a class with operators.
struct cuComplex {
    float r, i;
    __device__ cuComplex(float a, float b) : r(a), i(b) {}
    __device__ float magnitude2(void) { return r * r + i * i; }
    __device__ cuComplex operator*(const cuComplex &a) { return cuComplex(r * a.r - i * a.i, i * a.r + r * a.i); }
    __device__ cuComplex operator+(const cuComplex &a) { return cuComplex(r + a.r, i + a.i); }
};

__device__ int in_julia_set(int x, int y, int dim)
{
    const float scale = 1.5f;
    float jx = scale * (float)(dim / 2 - x) / (dim / 2);
    float jy = scale * (float)(dim / 2 - y) / (dim / 2);
    cuComplex c(-0.8f, 0.156f);
    cuComplex a(jx, jy);
    for (int i = 0; i < 200; i++) {
        a = a * a + c;
        if (a.magnitude2() > 1000) return 0;
    }
    return 1;
}

extern "C" __global__ void julia(unsigned char *ptr, int dim)
{
    int x = blockIdx.x, y = blockIdx.y; // a block a pixel
    int offset = x + y * gridDim.x;
    ptr[offset] = 255 * in_julia_set(x, y, dim);
}

// Sieve of Eratosthenes: each thread strikes out the multiples of its number.
extern "C" __global__ void sieve(unsigned char *composite, int n, int root)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x + 2;
    if (p > root) return;
    for (int q = 2; q * q <= p; q++)
        if (p % q == 0) return;
    for (int m = p * p; m < n; m += p) composite[m] = 1;
}

// By trial division; the results are counted in a variable of the device's.
__device__ int primes_found;

extern "C" __global__ void count_primes(int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || v < 2) return;
    bool prime = v == 2 || v % 2 == 1;
    for (int d = 3; prime && d * d <= v; d += 2) prime = v % d != 0;
    if (prime) atomicAdd(&primes_found, 1);
}

// How many steps Collatz's sequence takes.
extern "C" __global__ void collatz(const unsigned *start, unsigned *steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned long long v = start[i];
        unsigned count = 0;
        while (v != 1) {
            v = (v & 1) ? 3 * v + 1 : v / 2;
            count++;
        }
        steps[i] = count;
    }
}

// A ripple, of which only the integer part is looked at.
extern "C" __global__ void ripple(unsigned char *image, int dim, int ticks)
{
    int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x >= dim || y >= dim) return;
    int offset = x + y * blockDim.x * gridDim.x;
    float fx = x - dim / 2, fy = y - dim / 2;
    float d = sqrtf(fx * fx + fy * fy);
    image[offset] = (unsigned char)(128.0f + 127.0f * cosf(d / 10.0f - ticks / 7.0f) / (d / 10.0f + 1.0f));
}

// Dots of the block's threads through shared memory: without the barrier the picture would be wrong.
extern "C" __global__ void shared_bitmap(unsigned char *image, int dim)
{
    int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
    __shared__ float shared[16][16];
    const float period = 128.0f;
    shared[threadIdx.x][threadIdx.y] = 255 * (sinf(x * 2.0f * 3.14159265f / period) + 1.0f) *
                                       (sinf(y * 2.0f * 3.14159265f / period) + 1.0f) / 4.0f;
    __syncthreads();
    if (x < dim && y < dim) image[x + y * dim] = (unsigned char)shared[15 - threadIdx.x][15 - threadIdx.y];
}
