/* The kernels of product_cuda.cu. It includes no header, so that tests can compile it as a user's kernels.
 *
 * fill false: j.ends[r + 1] becomes the number of the row's elements, without those that are 0; true: they are written.
 * Both add the same numbers, so that what is counted is what is written. */

/* Rows of at most WARP products are a warp's; those of more are listed by how many: their counters in j.found, and the
 * last one counts rows of more than the blocks take. */
enum { WARP = 64, WARPS = 4, CLASSES = 3, STEP = 8 };

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
template <class I>
static __device__ int sort_products(const cpi_sparse_job &j, int64_t r, uint64_t *key, uint16_t *begin)
{
    const I *ap = (const I *)j.a.indptr, *ai = (const I *)j.a.indices;
    const I *bp = (const I *)j.b.indptr, *bi = (const I *)j.b.indices;
    const int64_t first = ap[r];
    const int n = (int)(ap[r + 1] - first), count = number_products<I>(j, first, n, begin);
    int size = 2;
    while (size < count) size *= 2;
    for (int i = (int)threadIdx.x; i < size; i += (int)blockDim.x) {
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
            for (int i = (int)threadIdx.x; i < size / 2; i += (int)blockDim.x) {
                const int a = i / step * 2 * step + i % step, b = a + step;
                const uint64_t u = key[a], v = key[b];
                if ((u > v) == !(a & width)) key[a] = v, key[b] = u;
            }
            __syncthreads();
        }
    return count;
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

/* A warp's part of shared memory: of the elements of a that have products, where those of b are, less the first
 * product's number; then the products. */
template <class V, class I> struct warp_products {
    int64_t from[WARP];
    V factor[WARP], value[WARP];
    I column[WARP]; /* a multiple of STEP of them */
};
/* How many products row r has; those of at most WARP are in w then. *size: elements of a without any count as one. */
template <class V, class I>
static __device__ int64_t make_products(const cpi_sparse_job &j, int64_t r, int lane, warp_products<V, I> &w,
                                        int64_t *size)
{
    const I *ap = (const I *)j.a.indptr, *ai = (const I *)j.a.indices;
    const I *bp = (const I *)j.b.indptr, *bi = (const I *)j.b.indices;
    const int64_t first = ap[r], n = ap[r + 1] - first;
    uint64_t begins = 0; /* a bit for each element's first product */
    int64_t done = 0, counted = 0;
    int elements = 0;
    for (int64_t base = 0; base < n; base += 32) {
        const int64_t i = base + lane;
        const int64_t from = i < n ? (int64_t)bp[ai[first + i]] : 0;
        const int64_t length = i < n ? (int64_t)bp[ai[first + i] + 1] - from : 0;
        int64_t sum = length; /* inclusive, of the warp */
        for (int d = 1; d < 32; d *= 2) {
            const int64_t below = __shfl_up_sync(0xffffffffu, sum, d);
            if (lane >= d) sum += below;
        }
        const unsigned some = __ballot_sync(0xffffffffu, length > 0);
        const int64_t at = done + sum - length;
        const int e = elements + __popc(some & ((1u << lane) - 1));
        if (length && at < WARP) {
            w.from[e] = from - at;
            w.factor[e] = ((const V *)j.a.data)[first + i];
        }
        const uint64_t bit = length && at < WARP ? (uint64_t)1 << at : 0;
        begins |= (uint64_t)__reduce_or_sync(0xffffffffu, (unsigned)bit) |
                  (uint64_t)__reduce_or_sync(0xffffffffu, (unsigned)(bit >> 32)) << 32;
        elements += __popc(some);
        counted += (n - base < 32 ? n - base : 32) - __popc(some);
        done += __shfl_sync(0xffffffffu, sum, 31);
    }
    *size = done + counted;
    __syncwarp();
    if (done > WARP) return done;
    for (int p = lane; p < (done + STEP - 1) / STEP * STEP; p += 32) {
        if (p >= done) {
            w.column[p] = -1; /* no column */
            continue;
        }
        const int e = __popcll(begins & (~(uint64_t)0 >> (63 - p))) - 1;
        const int64_t k = w.from[e] + p;
        w.column[p] = bi[k];
        w.value[p] = cpi_sp_mul(w.factor[e], ((const V *)j.b.data)[k]);
    }
    __syncwarp();
    return done;
}
/* Product p's sum with those of its column behind it, if it is the first one and the sum is not 0. *below: products of
 * columns below. */
template <class V, class I>
static __device__ __forceinline__ bool sum_of_column(const warp_products<V, I> &w, int p, int n, V *sum,
                                                     uint64_t *below)
{
    if (p >= n) return false;
    const I c = w.column[p];
    uint64_t less = 0, equal = 0;
    for (int k = 0; k < n; k += STEP) {
        unsigned some_less = 0, some_equal = 0;
#pragma unroll
        for (int i = 0; i < STEP; i++) {
            const I other = w.column[k + i];
            some_less |= other < c ? 1u << i : 0;
            some_equal |= other == c ? 1u << i : 0;
        }
        less |= (uint64_t)some_less << k;
        equal |= (uint64_t)some_equal << k;
    }
    *below = less;
    if (equal & (((uint64_t)1 << p) - 1)) return false;
    *sum = w.value[p];
    for (equal &= equal - 1; equal; equal &= equal - 1) *sum = cpi_sp_add(*sum, w.value[__ffsll((long long)equal) - 1]);
    return cpi_sp_is(*sum);
}
template <class V, class I, int MOST>
static __device__ void products_of_warps(const cpi_sparse_job &j, bool fill, I *lists)
{
    __shared__ warp_products<V, I> all[WARPS];
    const int64_t r = ((int64_t)blockIdx.x * (WARPS * 32) + threadIdx.x) / 32;
    const int lane = (int)(threadIdx.x % 32);
    if (r >= j.a.rows || (fill && j.ends[r] == j.ends[r + 1])) return;
    warp_products<V, I> &w = all[threadIdx.x / 32];
    int64_t size;
    const int64_t n = make_products<V, I>(j, r, lane, w, &size);
    if (n > WARP) {
        const int c = size <= 128 ? 0 : size <= 1024 ? 1 : size <= MOST ? 2 : 3;
        if (lane) return;
        const int64_t at = (int64_t)atomicAdd((unsigned long long *)j.found + c, 1ull);
        if (c < CLASSES) lists[c * j.a.rows + at] = (I)r;
        return;
    }
    V sum[2];
    uint64_t below[2] = {0, 0}, kept = 0;
    bool keep[2];
#pragma unroll
    for (int half = 0; half < 2; half++) {
        keep[half] = half * 32 < n && sum_of_column(w, lane + 32 * half, (int)n, &sum[half], &below[half]);
        kept |= (uint64_t)__ballot_sync(0xffffffffu, keep[half]) << (32 * half);
    }
    if (fill) {
#pragma unroll
        for (int half = 0; half < 2; half++) {
            if (!keep[half]) continue;
            const int64_t at = j.ends[r] + __popcll(kept & below[half]);
            ((I *)j.indices)[at] = w.column[lane + 32 * half];
            ((V *)j.data)[at] = sum[half];
        }
    } else if (!lane) {
        j.ends[r + 1] = __popcll(kept);
    }
}
/* The listed rows of a class, of at most `most` products: a block has a row. `key`: BLOCK_BYTES(most) of shared memory.
 * The class and whether it fills are arguments, because each kernel of the eighteen pairs of types takes long to
 * compile. */
#define BLOCK_BYTES(most) ((most) * (sizeof(uint64_t) + sizeof(uint16_t)))
template <class V, class I>
static __device__ void products_of_blocks(const cpi_sparse_job &j, bool fill, int most, const I *list,
                                          const int64_t *listed, uint64_t *key)
{
    __shared__ int counts[32];
    uint16_t *begin = (uint16_t *)(key + most);
    const int threads = (int)blockDim.x;
    const I *ap = (const I *)j.a.indptr;
    const uint64_t mask = (1 << NUMBER) - 1;
    for (int64_t l = blockIdx.x; l < *listed; l += gridDim.x) {
        const int64_t r = list[l], first = ap[r];
        const int n = (int)(ap[r + 1] - first), count = sort_products<I>(j, r, key, begin);
        int64_t out = fill ? j.ends[r] : 0;
        for (int base = 0; base < count; base += threads) {
            const int i = base + (int)threadIdx.x;
            bool keep = i < count && (!i || key[i] >> NUMBER != key[i - 1] >> NUMBER);
            const uint64_t column = keep ? key[i] >> NUMBER : 0;
            V sum;
            if (keep) {
                sum = product_of<V, I>(j, first, n, begin, (int)(key[i] & mask));
                for (int k = i + 1; k < count && key[k] >> NUMBER == column; k++)
                    sum = cpi_sp_add(sum, product_of<V, I>(j, first, n, begin, (int)(key[k] & mask)));
                keep = cpi_sp_is(sum);
            }
            const unsigned set = __ballot_sync(0xffffffffu, keep);
            if (threadIdx.x % 32 == 0) counts[threadIdx.x / 32] = __popc(set);
            __syncthreads();
            int64_t at = out + __popc(set & ((1u << threadIdx.x % 32) - 1));
            for (int w = 0; w < threads / 32; w++) {
                if (w < (int)(threadIdx.x / 32)) at += counts[w];
                out += counts[w];
            }
            if (fill && keep) {
                ((I *)j.indices)[at] = (I)column;
                ((V *)j.data)[at] = sum;
            }
            __syncthreads();
        }
        if (!fill && !threadIdx.x) j.ends[r + 1] = out;
        __syncthreads();
    }
}
