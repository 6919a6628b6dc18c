/* The kernels of product_cuda.cu. It includes no header, so that tests can compile it as a user's kernels. */

/* The number of the first product of each of a row's elements, and how many there are. */
template <class I> static __device__ int number_products(const cpi_sparse_job &j, int64_t first, int n, uint16_t *begin)
{
    const I *ai = (const I *)j.a.indices, *bp = (const I *)j.b.indptr;
    __shared__ int total;
    if (threadIdx.x < 32) {
        int done = 0;
        for (int base = 0; base < n; base += 32) {
            const int i = base + (int)threadIdx.x;
            const int length = i < n ? (int)(bp[ai[first + i] + 1] - bp[ai[first + i]]) : 0;
            int sum = length;
            for (int d = 1; d < 32; d *= 2) {
                const int below = __shfl_up_sync(0xffffffffu, sum, d);
                if ((int)threadIdx.x >= d) sum += below;
            }
            if (i < n) begin[i] = (uint16_t)(done + sum - length);
            done += __shfl_sync(0xffffffffu, sum, 31);
        }
        if (!threadIdx.x) total = done;
    }
    __syncthreads();
    return total;
}
/* The keys of a row's products, sorted; returns how many there are. Empty elements of a have no product. */
template <class I, int MOST, int THREADS>
static __device__ int sort_products(const cpi_sparse_job &j, int64_t r, uint64_t *key, uint16_t *begin)
{
    const I *ap = (const I *)j.a.indptr, *ai = (const I *)j.a.indices;
    const I *bp = (const I *)j.b.indptr, *bi = (const I *)j.b.indices;
    const int64_t first = ap[r];
    const int n = (int)(ap[r + 1] - first), count = number_products<I>(j, first, n, begin);
    int size = 2;
    while (size < count) size *= 2;
    for (int i = (int)threadIdx.x; i < size; i += THREADS) {
        if (i >= count) {
            key[i] = ~(uint64_t)0;
            continue;
        }
        int low = 0, high = n; /* the last element that begins at or before product i */
        while (high - low > 1) {
            const int middle = (low + high) / 2;
            if (begin[middle] <= i) low = middle;
            else high = middle;
        }
        key[i] = (uint64_t)bi[bp[ai[first + low]] + (i - begin[low])] << NUMBER | (uint64_t)i;
    }
    __syncthreads();
    for (int width = 2; width <= size; width *= 2)
        for (int step = width / 2; step; step /= 2) {
            for (int i = (int)threadIdx.x; i < size / 2; i += THREADS) {
                const int a = i / step * 2 * step + i % step, b = a + step;
                const uint64_t u = key[a], v = key[b];
                if ((u > v) == !(a & width)) key[a] = v, key[b] = u;
            }
            __syncthreads();
        }
    return count;
}
template <class I, int MOST, int THREADS> static __device__ void count_products_of(const cpi_sparse_job &j)
{
    __shared__ uint64_t key[MOST];
    __shared__ uint16_t begin[MOST];
    for (int64_t r = blockIdx.x; r < j.a.rows; r += gridDim.x) {
        const int count = j.ends[r + 1] ? sort_products<I, MOST, THREADS>(j, r, key, begin) : 0;
        int distinct = 0;
        for (int base = 0; base < count; base += THREADS) {
            const int i = base + (int)threadIdx.x;
            distinct += __syncthreads_count(i < count && (!i || key[i] >> NUMBER != key[i - 1] >> NUMBER));
        }
        __syncthreads();
        if (!threadIdx.x) j.ends[r + 1] = distinct;
    }
}
/* The value of product number `number` of a row. */
template <class V, class I>
static __device__ __forceinline__ V product_of(const cpi_sparse_job &j, int64_t first, int n, const uint16_t *begin,
                                               int number)
{
    const I *ai = (const I *)j.a.indices, *bp = (const I *)j.b.indptr;
    int low = 0, high = n;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (begin[middle] <= number) low = middle;
        else high = middle;
    }
    return cpi_sp_mul(((const V *)j.a.data)[first + low],
                      ((const V *)j.b.data)[bp[ai[first + low]] + (number - begin[low])]);
}
template <class V, class I, int MOST, int THREADS> static __device__ void fill_products_of(const cpi_sparse_job &j)
{
    __shared__ uint64_t key[MOST];
    __shared__ uint16_t begin[MOST];
    __shared__ int counts[THREADS / 32];
    const I *ap = (const I *)j.a.indptr;
    unsigned long long zeros = 0;
    for (int64_t r = blockIdx.x; r < j.a.rows; r += gridDim.x) {
        if (j.ends[r] == j.ends[r + 1]) continue;
        const int64_t first = ap[r];
        const int n = (int)(ap[r + 1] - first), count = sort_products<I, MOST, THREADS>(j, r, key, begin);
        int64_t out = j.ends[r];
        for (int base = 0; base < count; base += THREADS) {
            const int i = base + (int)threadIdx.x;
            const bool heads = i < count && (!i || key[i] >> NUMBER != key[i - 1] >> NUMBER);
            const unsigned set = __ballot_sync(0xffffffffu, heads);
            if (threadIdx.x % 32 == 0) counts[threadIdx.x / 32] = __popc(set);
            __syncthreads();
            int64_t at = out + __popc(set & ((1u << threadIdx.x % 32) - 1));
            for (int w = 0; w < THREADS / 32; w++) {
                if (w < (int)(threadIdx.x / 32)) at += counts[w];
                out += counts[w];
            }
            if (heads) {
                const uint64_t column = key[i] >> NUMBER, mask = (1 << NUMBER) - 1;
                V sum = product_of<V, I>(j, first, n, begin, (int)(key[i] & mask));
                for (int k = i + 1; k < count && key[k] >> NUMBER == column; k++)
                    sum = cpi_sp_add(sum, product_of<V, I>(j, first, n, begin, (int)(key[k] & mask)));
                ((I *)j.indices)[at] = (I)column;
                ((V *)j.data)[at] = sum;
                zeros += !cpi_sp_is(sum);
            }
            __syncthreads();
        }
    }
    if (zeros) atomicAdd((unsigned long long *)j.found, zeros);
}
