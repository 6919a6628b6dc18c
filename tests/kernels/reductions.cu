// One sum, in the steps in which it is taught: what each thread does, which threads work, and who waits for whom.

// Step 1: neighbours first; every other thread of those left works.
extern "C" __global__ void reduce_interleaved(const int *in, int *out, unsigned n)
{
    extern __shared__ int sdata[];
    unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0 && tid + s < blockDim.x) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sdata[0];
}

// Step 2: the working threads are the first ones.
extern "C" __global__ void reduce_strided(const int *in, int *out, unsigned n)
{
    extern __shared__ int sdata[];
    unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        unsigned index = 2 * s * tid;
        if (index + s < blockDim.x) {
            sdata[index] += sdata[index + s];
        }
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sdata[0];
}

// Step 3: halves, so that neighbours read neighbours.
extern "C" __global__ void reduce_sequential(const int *in, int *out, unsigned n)
{
    extern __shared__ int sdata[];
    unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (!tid) out[blockIdx.x] = sdata[0];
}

// Step 4: the first addition while loading.
extern "C" __global__ void reduce_first_add(const int *in, int *out, unsigned n)
{
    extern __shared__ int sdata[];
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    int mine = (i < n) ? in[i] : 0;
    if (i + blockDim.x < n) mine += in[i + blockDim.x];
    sdata[tid] = mine;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) {
            sdata[tid] = mine = mine + sdata[tid + s];
        }
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = mine;
}

// Step 5: the last warp needs no barrier, as it was written before lanes of a warp had program counters of their own:
// volatile keeps values out of registers, and lanes go in step.
__device__ void warp_reduce_volatile(volatile int *sdata, unsigned tid)
{
    sdata[tid] += sdata[tid + 32];
    sdata[tid] += sdata[tid + 16];
    sdata[tid] += sdata[tid + 8];
    sdata[tid] += sdata[tid + 4];
    sdata[tid] += sdata[tid + 2];
    sdata[tid] += sdata[tid + 1];
}

extern "C" __global__ void reduce_unrolled_volatile(const int *in, int *out, unsigned n)
{
    extern __shared__ int sdata[];
    unsigned tid = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + tid;
    sdata[tid] = (i < n ? in[i] : 0) + (i + blockDim.x < n ? in[i + blockDim.x] : 0);
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 32; s >>= 1) {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid < 32) warp_reduce_volatile(sdata, tid);
    if (tid == 0) out[blockIdx.x] = sdata[0];
}

// As it is right today: a value is read, everybody waits, it is written, everybody waits.
__device__ void warp_reduce_synced(int *sdata, unsigned tid)
{
    int v = sdata[tid];
    v += sdata[tid + 32]; __syncwarp();
    sdata[tid] = v; __syncwarp();
    v += sdata[tid + 16]; __syncwarp();
    sdata[tid] = v; __syncwarp();
    v += sdata[tid + 8]; __syncwarp();
    sdata[tid] = v; __syncwarp();
    v += sdata[tid + 4]; __syncwarp();
    sdata[tid] = v; __syncwarp();
    v += sdata[tid + 2]; __syncwarp();
    sdata[tid] = v; __syncwarp();
    v += sdata[tid + 1]; __syncwarp();
    sdata[tid] = v;
}

extern "C" __global__ void reduce_unrolled_syncwarp(const int *in, int *out, unsigned n)
{
    extern __shared__ int sdata[];
    unsigned tid = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + tid;
    sdata[tid] = (i < n ? in[i] : 0) + (i + blockDim.x < n ? in[i + blockDim.x] : 0);
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 32; s >>= 1) {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid < 32) warp_reduce_synced(sdata, tid);
    if (tid == 0) out[blockIdx.x] = sdata[0];
}

// Step 6: the block's size is a constant of the compiler's, and so is what is left of the loop.
template <unsigned blockSize> __global__ void reduce_template(const int *in, int *out, unsigned n)
{
    __shared__ int sdata[blockSize];
    unsigned tid = threadIdx.x;
    int sum = 0;
    for (unsigned i = blockIdx.x * blockSize + tid; i < n; i += blockSize * gridDim.x) sum += in[i];
    sdata[tid] = sum;
    __syncthreads();
    if (blockSize >= 512) {
        if (tid < 256) sdata[tid] += sdata[tid + 256];
        __syncthreads();
    }
    if (blockSize >= 256) {
        if (tid < 128) sdata[tid] += sdata[tid + 128];
        __syncthreads();
    }
    if (blockSize >= 128) {
        if (tid < 64) sdata[tid] += sdata[tid + 64];
        __syncthreads();
    }
    if (tid < 32) {
        int v = sdata[tid];
        if (blockSize >= 64) v += sdata[tid + 32];
        for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffffu, v, offset);
        if (tid == 0) out[blockIdx.x] = v;
    }
}

// Step 7: registers only within a warp; one number a warp goes through shared memory.
__inline__ __device__ float warp_sum(float v)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffff, v, offset);
    return v;
}

__inline__ __device__ float block_sum(float v)
{
    static __shared__ float partial[32];
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    v = warp_sum(v);
    if (lane == 0) partial[warp] = v;
    __syncthreads();
    v = threadIdx.x < (blockDim.x + warpSize - 1) / warpSize ? partial[lane] : 0;
    if (warp == 0) v = warp_sum(v);
    return v;
}

extern "C" __global__ void reduce_shuffle(const float *in, float *out, int n)
{
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += in[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// Everybody adds to one word.
extern "C" __global__ void reduce_atomic(const unsigned *in, unsigned long long *total, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(total, (unsigned long long)in[i]);
}

// One addition a warp.
extern "C" __global__ void reduce_warp_atomic(const int *in, int *total, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = i < n ? in[i] : 0;
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1) v += __shfl_xor_sync(0xffffffff, v, mask);
    if ((threadIdx.x & 31) == 0) atomicAdd(total, v);
}

// The block that is done last adds what the blocks have left.
__device__ unsigned blocks_done = 0;

extern "C" __global__ void reduce_last_block(const double *in, double *partial, double *result, int n)
{
    __shared__ double s[256];
    __shared__ bool last;
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += in[i];
    s[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();
        unsigned ticket = atomicInc(&blocks_done, gridDim.x - 1);
        last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        double all = 0;
        for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) all += ((volatile double *)partial)[i];
        s[threadIdx.x] = all;
        __syncthreads();
        for (int half = blockDim.x / 2; half > 0; half /= 2) {
            if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
            __syncthreads();
        }
        if (threadIdx.x == 0) *result = s[0];
    }
}

// Largest element and where it is; of equal ones the first.
extern "C" __global__ void arg_max(const float *in, float *value, int *place, int n)
{
    __shared__ float best[128];
    __shared__ int at[128];
    int tid = threadIdx.x;
    best[tid] = -3.402823466e+38f;
    at[tid] = -1;
    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x)
        if (in[i] > best[tid]) best[tid] = in[i], at[tid] = i;
    __syncthreads();
    for (int s = blockDim.x >> 1; s; s >>= 1) {
        if (tid < s) {
            float other = best[tid + s];
            int there = at[tid + s];
            bool better = there >= 0 && (at[tid] < 0 || other > best[tid] || (other == best[tid] && there < at[tid]));
            if (better) {
                best[tid] = other;
                at[tid] = there;
            }
        }
        __syncthreads();
    }
    if (tid == 0) {
        value[blockIdx.x] = best[0];
        place[blockIdx.x] = at[0];
    }
}

// Sum of products, finished by an atomic addition of doubles.
extern "C" __global__ void dot(const double *a, const double *b, double *result, int n)
{
    __shared__ double cache[256];
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    int cacheIndex = threadIdx.x;
    double temp = 0;
    while (tid < n) {
        temp += a[tid] * b[tid];
        tid += blockDim.x * gridDim.x;
    }
    cache[cacheIndex] = temp;
    __syncthreads();
    int i = blockDim.x / 2;
    while (i != 0) {
        if (cacheIndex < i) cache[cacheIndex] += cache[cacheIndex + i];
        __syncthreads();
        i /= 2;
    }
    if (cacheIndex == 0) atomicAdd(result, cache[0]);
}

// The largest, by lanes in step: who compares and who stores may differ from lane to lane.
extern "C" __global__ void largest_volatile(const int *in, int *out, unsigned n)
{
    __shared__ volatile int s[128];
    unsigned tid = threadIdx.x, lane = tid & 31;
    s[tid] = -2147483647 - 1;
    for (unsigned i = blockIdx.x * blockDim.x + tid; i < n; i += blockDim.x * gridDim.x)
        if (in[i] > s[tid]) s[tid] = in[i];
    if (lane < 16) {
        if (s[tid] < s[tid + 16]) s[tid] = s[tid + 16];
        if (s[tid] < s[tid + 8]) s[tid] = s[tid + 8];
        if (s[tid] < s[tid + 4]) s[tid] = s[tid + 4];
        if (s[tid] < s[tid + 2]) s[tid] = s[tid + 2];
        if (s[tid] < s[tid + 1]) s[tid] = s[tid + 1];
    }
    __syncthreads();
    if (tid == 0) out[blockIdx.x] = max(max(s[0], s[32]), max(s[64], s[96]));
}
