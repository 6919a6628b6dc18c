// Sorting networks, merging by binary search, radix sort, and moving what is wanted to the front.

// Bitonic: a power of two elements in one block.
extern "C" __global__ void bitonic_shared(int *data, int n)
{
    extern __shared__ int s[];
    unsigned tid = threadIdx.x;
    s[tid] = tid < n ? data[tid] : 0x7fffffff;
    __syncthreads();
    for (unsigned k = 2; k <= blockDim.x; k <<= 1) {
        for (unsigned j = k >> 1; j > 0; j >>= 1) {
            unsigned ixj = tid ^ j;
            if (ixj > tid) {
                if ((tid & k) == 0) {
                    if (s[tid] > s[ixj]) {
                        int t = s[tid];
                        s[tid] = s[ixj];
                        s[ixj] = t;
                    }
                } else {
                    if (s[tid] < s[ixj]) {
                        int t = s[tid];
                        s[tid] = s[ixj];
                        s[ixj] = t;
                    }
                }
            }
            __syncthreads();
        }
    }
    if (tid < n) data[tid] = s[tid];
}

// One step over all of a large array.
extern "C" __global__ void bitonic_step(float *values, int j, int k, int n)
{
    unsigned i = threadIdx.x + blockDim.x * blockIdx.x, other = i ^ j;
    if (i < n && other > i) {
        bool ascending = (i & k) == 0;
        float a = values[i], b = values[other];
        if ((a > b) == ascending) {
            values[i] = b;
            values[other] = a;
        }
    }
}

// Neighbours change places until a round changes nothing: how many rounds there are depends on the data.
template <typename T> __device__ __forceinline__ void swap(T &a, T &b)
{
    T t = a;
    a = b;
    b = t;
}

extern "C" __global__ void odd_even_sort(int *data, int n, int *rounds)
{
    __shared__ int changed;
    int count = 0;
    do {
        __syncthreads();
        if (threadIdx.x == 0) changed = 0;
        __syncthreads();
        for (int phase = 0; phase < 2; phase++) {
            for (int i = 2 * threadIdx.x + phase; i + 1 < n; i += 2 * blockDim.x)
                if (data[i] > data[i + 1]) {
                    swap(data[i], data[i + 1]);
                    changed = 1;
                }
            __syncthreads();
        }
        count++;
    } while (changed);
    if (threadIdx.x == 0) *rounds = count;
}

// The place of an element in a merged array is its own place and its rank in the other one.
__device__ int rank_of(const int *a, int n, int v, bool equal_before)
{
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (a[middle] < v || (equal_before && a[middle] == v)) low = middle + 1;
        else high = middle;
    }
    return low;
}

extern "C" __global__ void merge_by_rank(const int *a, int na, const int *b, int nb, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < na) out[i + rank_of(b, nb, a[i], false)] = a[i];
    if (i < nb) out[i + rank_of(a, na, b[i], true)] = b[i];
}

// Each thread merges its share, whose beginning it finds on the diagonal.
__device__ int merge_path(const int *a, int m, const int *b, int n, int diagonal)
{
    int low = diagonal > n ? diagonal - n : 0, high = diagonal < m ? diagonal : m;
    while (low < high) {
        int i = (low + high) >> 1;
        if (a[i] <= b[diagonal - 1 - i]) low = i + 1;
        else high = i;
    }
    return low;
}

extern "C" __global__ void merge_path_kernel(const int *a, int m, const int *b, int n, int *c, int each)
{
    int first = min((int)(blockIdx.x * blockDim.x + threadIdx.x) * each, m + n), last = min(first + each, m + n);
    int i = merge_path(a, m, b, n, first), j = first - i;
    for (int k = first; k < last; k++) {
        if (i < m && (j >= n || a[i] <= b[j])) c[k] = a[i++];
        else c[k] = b[j++];
    }
}

// Radix sort of a block by one bit at a time: a ballot tells each lane how many before it have a zero.
extern "C" __global__ void radix_sort_block(unsigned *data, int n, int bits)
{
    __shared__ unsigned keys[256];
    __shared__ int zeros[8], base[9];
    int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, warps = blockDim.x >> 5;
    keys[tid] = tid < n ? data[tid] : 0xffffffffu;
    __syncthreads();
    for (int bit = 0; bit < bits; bit++) {
        unsigned key = keys[tid];
        bool zero = !(key >> bit & 1);
        unsigned votes = __ballot_sync(0xffffffffu, zero);
        int before = __popc(votes & ((1u << lane) - 1));
        if (lane == 0) zeros[warp] = __popc(votes);
        __syncthreads();
        if (tid == 0) {
            base[0] = 0;
            for (int w = 0; w < warps; w++) base[w + 1] = base[w] + zeros[w];
        }
        __syncthreads();
        int zeros_before = base[warp] + before, all = base[warps];
        keys[zero ? zeros_before : all + tid - zeros_before] = key;
        __syncthreads();
    }
    if (tid < n) data[tid] = keys[tid];
}

// Digits of four bits, counted per block; the second kernel moves elements where a scan of the counts says.
extern "C" __global__ void radix_count(const unsigned *keys, int n, int shift, int *counts)
{
    __shared__ int local[16];
    if (threadIdx.x < 16) local[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&local[keys[i] >> shift & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = local[threadIdx.x];
}

extern "C" __global__ void radix_scatter(const unsigned *keys, unsigned *out, int n, int shift, const int *starts)
{
    __shared__ unsigned char digits[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int digit = i < n ? keys[i] >> shift & 15 : 255;
    digits[threadIdx.x] = digit;
    __syncthreads();
    if (i >= n) return;
    int before = 0;
    for (int t = 0; t < threadIdx.x; t++) before += digits[t] == digit;
    out[starts[digit * gridDim.x + blockIdx.x] + before] = keys[i];
}

// What is wanted moves to the front, in order: one block, a scan of flags.
extern "C" __global__ void compact_scan(const int *in, int *out, int *count, int n)
{
    __shared__ int flags[512];
    int tid = threadIdx.x;
    int keep = tid < n && in[tid] % 3 == 0;
    flags[tid] = keep;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d <<= 1) {
        int t = tid >= d ? flags[tid - d] : 0;
        __syncthreads();
        flags[tid] += t;
        __syncthreads();
    }
    if (keep) out[flags[tid] - 1] = in[tid];
    if (tid == blockDim.x - 1) *count = flags[tid];
}

// In any order: one atomic addition for the lanes of a warp that have something.
__device__ int warp_aggregated_increment(int *counter)
{
    unsigned active = __activemask();
    int lane = threadIdx.x & 31;
    int leader = __ffs(active) - 1;
    int base;
    if (lane == leader) base = atomicAdd(counter, __popc(active));
    base = __shfl_sync(active, base, leader);
    return base + __popc(active & ((1u << lane) - 1));
}

extern "C" __global__ void compact_aggregated(const int *in, int *out, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0) out[warp_aggregated_increment(count)] = in[i];
}

// The same with the lanes named by a vote.
extern "C" __global__ void compact_ballot(const int *in, int *out, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool wanted = i < n && in[i] > 0;
    unsigned votes = __ballot_sync(0xffffffffu, wanted);
    int lane = threadIdx.x & 31, base = 0;
    if (lane == 0 && votes) base = atomicAdd(count, __popc(votes));
    base = __shfl_sync(0xffffffffu, base, 0);
    if (wanted) out[base + __popc(votes & ((1u << lane) - 1))] = in[i];
}

// Counting sort by rank: for few elements.
extern "C" __global__ void rank_sort(const double *in, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double v = in[i];
    int rank = 0;
    for (int j = 0; j < n; j++) rank += in[j] < v || (in[j] == v && j < i);
    out[rank] = v;
}
