/* The kernels of compress_cuda.cu. It includes no header, so that tests can compile it as a user's kernels. */

enum { LANES = 8, SHORT = 64, SHARED = 2048, BLOCKS = 264, EACH = 8 };

/* An element in its row: what it is ordered by, and what else must be known of it. Stable: its number, and its column.
 * Ordered: its column, and its number. */
template <class I> struct alignas(2 * sizeof(I)) entry { I high, low; };

static __device__ __forceinline__ bool before(entry<int32_t> a, entry<int32_t> b) /* neither is negative */
{
    return ((uint64_t)a.high << 32 | (uint32_t)a.low) < ((uint64_t)b.high << 32 | (uint32_t)b.low);
}
static __device__ __forceinline__ bool before(entry<int64_t> a, entry<int64_t> b)
{
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}
static __device__ __forceinline__ int32_t add(int32_t *p, int32_t n) { return atomicAdd(p, n); }
static __device__ __forceinline__ int64_t add(int64_t *p, int64_t n)
{
    return (int64_t)atomicAdd((unsigned long long *)p, (unsigned long long)n);
}
template <class I> static __device__ __forceinline__ I add_one(I *p) { return add(p, 1); }
/* The line of element k: ends[line] <= k < ends[line + 1]. */
template <class I> static __device__ I line_of(const I *ends, int64_t lines, int64_t k)
{
    int64_t low = 0;
    for (int64_t high = lines; low < high;) {
        const int64_t middle = low + (high - low) / 2;
        if (ends[middle + 1] <= k) low = middle + 1;
        else high = middle;
    }
    return (I)low;
}

/* place[k]: where element k goes within its row, in any order; ends[r + 1], 0 before: how many row r has. */
template <class I>
__global__ void __launch_bounds__(THREADS)
count_rows(int64_t n, const I *row, I *ends, I *place, I *listed, unsigned long long *twice)
{
    const int64_t k = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (!k) {
        *listed = 0;
        if (twice) *twice = 0;
    }
    if (k < n) place[k] = add_one(ends + row[k] + 1);
}
/* The entries of each row; column NULL: that of element k is the line of it in `lines` pointers `from`. */
template <class I, bool ORDERED>
__global__ void __launch_bounds__(THREADS)
place_entries(int64_t n, const I *row, const I *column, const I *from, int64_t lines, const I *ends, const I *place,
              entry<I> *to)
{
    const int64_t k = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (k >= n) return;
    const I c = column ? column[k] : line_of(from, lines, k);
    const entry<I> e = {ORDERED ? c : (I)k, ORDERED ? (I)k : c};
    to[ends[row[k]] + place[k]] = e;
}
/* Rows of at most SHORT elements, of which LANES threads share one: each element is compared with all of its row.
 * Longer ones are listed. *twice: elements whose column is that of the one before. */
template <class V, class I, bool ORDERED>
__global__ void __launch_bounds__(THREADS)
order_short(int64_t rows, const I *ends, const entry<I> *from, const V *data, I *indices, V *out, I *listed, I *list,
            unsigned long long *twice)
{
    const int64_t r = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / LANES;
    const int lane = (int)(threadIdx.x % LANES);
    if (r >= rows) return;
    const int64_t first = ends[r], n = ends[r + 1] - first;
    if (n > SHORT) {
        if (!lane) list[add_one(listed)] = (I)r;
        return;
    }
    const entry<I> *x = from + first;
    unsigned long long again = 0;
    for (int i = lane; i < n; i += LANES) {
        const entry<I> e = x[i];
        int rank = 0;
        bool equal = false;
        for (int k = 0; k < n; k++) {
            const entry<I> f = x[k];
            rank += before(f, e);
            if (ORDERED) equal |= f.high == e.high && f.low < e.low;
        }
        indices[first + rank] = ORDERED ? e.high : e.low;
        out[first + rank] = data[ORDERED ? e.low : e.high];
        again += equal;
    }
    if (ORDERED && again) atomicAdd(twice, again);
}
/* Sorts n <= SHARED entries, of which x(i) is one, with a bitonic network. */
template <class I, class F> static __device__ void sort_in_block(F x, int n, entry<I> *shared)
{
    const I most = (I)(sizeof(I) == 8 ? INT64_MAX : INT32_MAX);
    const entry<I> last = {most, most};
    int size = 64;
    while (size < n) size *= 2;
    for (int i = (int)threadIdx.x; i < size; i += THREADS) shared[i] = i < n ? x(i) : last;
    __syncthreads();
    for (int width = 2; width <= size; width *= 2)
        for (int step = width / 2; step; step /= 2) {
            for (int i = (int)threadIdx.x; i < size / 2; i += THREADS) {
                const int a = i / step * 2 * step + i % step, b = a + step;
                const entry<I> u = shared[a], v = shared[b];
                if (before(v, u) == !(a & width)) shared[a] = v, shared[b] = u;
            }
            __syncthreads();
        }
}
/* Calls put(i, k) for the numbers k of row[k] == r, ascending, and i counting them, by a pass over all of them. */
template <class I, class F> static __device__ void collect_in_block(int64_t n, const I *row, I r, F put)
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
            if (mine + e < n && row[mine + e] == r) put(at++, mine + e);
        __syncthreads();
    }
}
/* Listed rows, each by a block: in shared memory, or in the order of the input, which is not by column: *twice then
 * becomes UNORDERED or more. */
static constexpr unsigned long long UNORDERED = 1ull << 62; /* CPI_SPARSE_UNSORTED */
template <class V, class I, bool ORDERED>
__global__ void __launch_bounds__(THREADS)
order_long(int64_t n, const I *row, const I *column, const I *lines_from, int64_t lines, const I *ends,
           const entry<I> *from, const V *data, I *indices, V *out, const I *listed, const I *list,
           unsigned long long *twice)
{
    __shared__ entry<I> shared[SHARED];
    for (int64_t l = blockIdx.x; l < *listed; l += gridDim.x) {
        const int64_t r = list[l], first = ends[r], length = ends[r + 1] - first;
        if (length > SHARED) {
            collect_in_block(n, row, (I)r, [=](int64_t i, int64_t k) {
                indices[first + i] = column ? column[k] : line_of(lines_from, lines, k);
                out[first + i] = data[k];
            });
            if (ORDERED && !threadIdx.x) atomicMax(twice, UNORDERED);
            continue;
        }
        sort_in_block([=](int i) { return from[first + i]; }, (int)length, shared);
        unsigned long long again = 0;
        for (int i = (int)threadIdx.x; i < length; i += THREADS) {
            const entry<I> e = shared[i];
            indices[first + i] = ORDERED ? e.high : e.low;
            out[first + i] = data[ORDERED ? e.low : e.high];
            again += ORDERED && i && shared[i - 1].high == e.high;
        }
        if (ORDERED && again) atomicAdd(twice, again);
        __syncthreads();
    }
}
