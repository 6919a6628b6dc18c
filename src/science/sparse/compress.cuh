/* The kernels of compress_cuda.cu. It includes no header, so that tests can compile it as a user's kernels. */

enum { SHORT = 32, SHARED = 2048, BLOCKS = 264, EACH = 8 };

static __device__ __forceinline__ int32_t add_one(int32_t *p) { return atomicAdd(p, 1); }
static __device__ __forceinline__ int64_t add_one(int64_t *p)
{
    return (int64_t)atomicAdd((unsigned long long *)p, 1ull);
}

template <class I> __global__ void __launch_bounds__(THREADS) count_rows(int64_t n, const I *row, I *ends)
{
    const int64_t k = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (k < n) add_one(ends + row[k] + 1);
}
template <class I> __global__ void __launch_bounds__(THREADS) place_numbers(int64_t n, const I *row, I *next, I *number)
{
    const int64_t k = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (k < n) number[add_one(next + row[k])] = (I)k;
}
/* Sorts the numbers of short rows, and lists the others. */
template <class I>
__global__ void __launch_bounds__(THREADS) sort_short(int64_t rows, const I *ends, I *number, I *listed, I *list)
{
    const int64_t r = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (r >= rows) return;
    const int64_t first = ends[r], n = ends[r + 1] - first;
    if (n > SHORT) {
        list[add_one(listed)] = (I)r;
        return;
    }
    I *x = number + first;
    for (int64_t i = 1; i < n; i++) {
        const I v = x[i];
        int64_t k = i;
        for (; k > 0 && x[k - 1] > v; k--) x[k] = x[k - 1];
        x[k] = v;
    }
}
/* Sorts n <= SHARED numbers with a bitonic network. */
template <class I> static __device__ void sort_in_block(I *x, int64_t n, I *shared)
{
    int size = 64;
    while (size < n) size *= 2;
    for (int i = (int)threadIdx.x; i < size; i += THREADS)
        shared[i] = i < n ? x[i] : (I)(sizeof(I) == 8 ? INT64_MAX : INT32_MAX);
    __syncthreads();
    for (int width = 2; width <= size; width *= 2)
        for (int step = width / 2; step; step /= 2) {
            for (int i = (int)threadIdx.x; i < size / 2; i += THREADS) {
                const int a = i / step * 2 * step + i % step, b = a + step;
                const I u = shared[a], v = shared[b];
                if ((u > v) == !(a & width)) shared[a] = v, shared[b] = u;
            }
            __syncthreads();
        }
    for (int i = (int)threadIdx.x; i < n; i += THREADS) x[i] = shared[i];
    __syncthreads();
}
/* The numbers k of row[k] == r, in order, by a pass over all of them. */
template <class I> static __device__ void collect_in_block(I *x, int64_t n, const I *row, I r)
{
    __shared__ int counts[THREADS / 32];
    int64_t done = 0;
    for (int64_t begin = 0; begin < n; begin += (int64_t)THREADS * EACH) {
        const int64_t mine = begin + (int64_t)threadIdx.x * EACH;
        int found = 0;
        for (int e = 0; e < EACH; e++) found += mine + e < n && row[mine + e] == r;
        int sum = found; /* inclusive, of the warp */
        for (int d = 1; d < 32; d *= 2) {
            const int below = __shfl_up_sync(0xffffffffu, sum, d);
            if ((int)(threadIdx.x % 32) >= d) sum += below;
        }
        if (threadIdx.x % 32 == 31) counts[threadIdx.x / 32] = sum;
        __syncthreads();
        int64_t at = done + sum - found;
        for (int w = 0; w < THREADS / 32; w++) {
            if (w < (int)(threadIdx.x / 32)) at += counts[w];
            done += counts[w];
        }
        for (int e = 0; e < EACH; e++)
            if (mine + e < n && row[mine + e] == r) x[at++] = (I)(mine + e);
        __syncthreads();
    }
}
template <class I>
__global__ void __launch_bounds__(THREADS)
sort_long(int64_t n, const I *row, const I *ends, I *number, const I *listed, const I *list)
{
    __shared__ I shared[SHARED];
    for (int64_t i = blockIdx.x; i < *listed; i += gridDim.x) {
        const int64_t r = list[i], first = ends[r], length = ends[r + 1] - first;
        if (length <= SHARED) sort_in_block(number + first, length, shared);
        else collect_in_block(number + first, n, row, (I)r);
    }
}
template <class V, class I>
__global__ void __launch_bounds__(THREADS)
gather_elements(int64_t n, const I *number, const I *column, const V *data, I *indices, V *out)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
    const I k = number[i];
    indices[i] = column[k];
    out[i] = data[k];
}
