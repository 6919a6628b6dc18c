// Prefix sums: by doubling, by a tree up and down, by shuffles, and over many blocks in three phases.

// Hillis and Steele: n log n additions, two buffers take turns.
extern "C" __global__ void scan_hillis_steele(const int *in, int *out, int n)
{
    extern __shared__ int temp[];
    int thid = threadIdx.x, pout = 0, pin = 1;
    temp[pout * n + thid] = thid > 0 ? in[thid - 1] : 0; // exclusive: shifted by one
    __syncthreads();
    for (int offset = 1; offset < n; offset *= 2) {
        pout = 1 - pout;
        pin = 1 - pout;
        if (thid >= offset)
            temp[pout * n + thid] = temp[pin * n + thid] + temp[pin * n + thid - offset];
        else
            temp[pout * n + thid] = temp[pin * n + thid];
        __syncthreads();
    }
    out[thid] = temp[pout * n + thid];
}

// In one buffer: read, wait, write, wait.
extern "C" __global__ void scan_inclusive_in_place(int *data, int n)
{
    __shared__ int s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = i < n ? data[i] : 0;
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        __syncthreads();
        int before = 0;
        if (threadIdx.x >= stride) before = s[threadIdx.x - stride];
        __syncthreads();
        s[threadIdx.x] += before;
    }
    if (i < n) data[i] = s[threadIdx.x];
}

// Blelloch: sums go up a tree, prefixes come down, 2 n additions. Two elements a thread.
#define LOG_BANKS 5
#define CONFLICT_FREE(n) ((n) + ((n) >> LOG_BANKS))

extern "C" __global__ void scan_blelloch(const int *g_idata, int *g_odata, int *sums, int n)
{
    extern __shared__ int temp[];
    int thid = threadIdx.x, offset = 1, elements = 2 * blockDim.x;
    int base = blockIdx.x * elements;
    int ai = thid, bi = thid + elements / 2;
    temp[CONFLICT_FREE(ai)] = base + ai < n ? g_idata[base + ai] : 0;
    temp[CONFLICT_FREE(bi)] = base + bi < n ? g_idata[base + bi] : 0;
    for (int d = elements >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (thid < d) {
            int a = CONFLICT_FREE(offset * (2 * thid + 1) - 1);
            int b = CONFLICT_FREE(offset * (2 * thid + 2) - 1);
            temp[b] += temp[a];
        }
        offset *= 2;
    }
    if (thid == 0) {
        int last = CONFLICT_FREE(elements - 1);
        if (sums) sums[blockIdx.x] = temp[last];
        temp[last] = 0;
    }
    for (int d = 1; d < elements; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (thid < d) {
            int a = CONFLICT_FREE(offset * (2 * thid + 1) - 1);
            int b = CONFLICT_FREE(offset * (2 * thid + 2) - 1);
            int t = temp[a];
            temp[a] = temp[b];
            temp[b] += t;
        }
    }
    __syncthreads();
    if (base + ai < n) g_odata[base + ai] = temp[CONFLICT_FREE(ai)];
    if (base + bi < n) g_odata[base + bi] = temp[CONFLICT_FREE(bi)];
}

// Third phase: what came before a block is added to all of it.
extern "C" __global__ void add_block_offsets(int *data, const int *offsets, int n, int elements)
{
    int offset = offsets[blockIdx.x];
    for (int i = threadIdx.x; i < elements; i += blockDim.x) {
        int at = blockIdx.x * elements + i;
        if (at < n) data[at] += offset;
    }
}

// Within a warp without shared memory, then over the warps of a block.
__device__ __forceinline__ int warp_inclusive_scan(int v)
{
    const int lane = threadIdx.x & 31;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        int up = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += up;
    }
    return v;
}

extern "C" __global__ void scan_shuffle(const int *in, int *out, int *block_sums, int n)
{
    __shared__ int warp_sums[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int v = warp_inclusive_scan(i < n ? in[i] : 0);
    if (lane == 31) warp_sums[warp] = v;
    __syncthreads();
    if (warp == 0) {
        int s = lane < blockDim.x / 32 ? warp_sums[lane] : 0;
        s = warp_inclusive_scan(s);
        warp_sums[lane] = s;
    }
    __syncthreads();
    if (warp > 0) v += warp_sums[warp - 1];
    if (i < n) out[i] = v;
    if (block_sums && threadIdx.x == blockDim.x - 1) block_sums[blockIdx.x] = v;
}

// Lanes in step, as it was done before shuffles: the pointer is volatile.
extern "C" __global__ void scan_warp_volatile(int *data)
{
    __shared__ int s[128];
    volatile int *ptr = s;
    const unsigned idx = threadIdx.x, lane = idx & 31;
    ptr[idx] = data[blockIdx.x * blockDim.x + idx];
    if (lane >= 1) ptr[idx] = ptr[idx - 1] + ptr[idx];
    if (lane >= 2) ptr[idx] = ptr[idx - 2] + ptr[idx];
    if (lane >= 4) ptr[idx] = ptr[idx - 4] + ptr[idx];
    if (lane >= 8) ptr[idx] = ptr[idx - 8] + ptr[idx];
    if (lane >= 16) ptr[idx] = ptr[idx - 16] + ptr[idx];
    data[blockIdx.x * blockDim.x + idx] = ptr[idx];
}

// Sums that begin anew where a flag stands.
extern "C" __global__ void scan_segmented(const int *in, const int *flags, int *out, int n)
{
    __shared__ int value[256], flag[256];
    int tid = threadIdx.x;
    value[tid] = tid < n ? in[tid] : 0;
    flag[tid] = tid < n ? flags[tid] : 0;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        int v = value[tid], f = flag[tid];
        if (tid >= d && !f) {
            v += value[tid - d];
            f = flag[tid - d];
        }
        __syncthreads();
        value[tid] = v;
        flag[tid] = f;
        __syncthreads();
    }
    if (tid < n) out[tid] = value[tid];
}
