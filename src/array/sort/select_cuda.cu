/* median and partition on the GPU.
 *
 * median: rows of up to 64 elements are ranked by a warp each. A long row is selected from by the whole GPU in one
 * launch (select_grid.h), all others by a block each (select_block.h). Only long rows of complex128 are sorted.
 * partition sorts the rows: a sorted row satisfies every kth, and the radix sort makes as few passes over the memory as
 * a selection followed by a stable split would. */
#include "sort/select_grid.h"

#include "scalar/convert.h"
#include "scalar/type_list.h"

/* --- the median from the two middle elements --- */

static __device__ __forceinline__ float middle(bool even, float a, float b)
{
    return even ? (0.0f + a + b) / 2 : 0.0f + a;
}
static __device__ __forceinline__ double middle(bool even, double a, double b)
{
    return even ? (0.0 + a + b) / 2 : 0.0 + a;
}

/* NumPy divides a complex sum by the count as by a complex number: an infinite part leaves NaN in the other. */
template <class F>
static __device__ void store_complex(bool even, F are, F aim, F bre, F bim, void *to)
{
    F re = even ? (F)0 + are + bre : (F)0 + are, im = even ? (F)0 + aim + bim : (F)0 + aim, zero = 0;
    F scale = even ? (F)0.5 : (F)1;
    ((F *)to)[0] = (re + im * zero) * scale;
    ((F *)to)[1] = (im - re * zero) * scale;
}

/* The element of a key, as an unsigned integer of its width. */
[[maybe_unused]] static __device__ __forceinline__ uint8_t unkey(const cpi_keys &k, uint8_t key)
{
    return cpi_unkey8(&k, key);
}
static __device__ __forceinline__ uint16_t unkey(const cpi_keys &k, uint16_t key) { return cpi_unkey16(&k, key); }

static __device__ double as_double(cp_type type, const cpi_keys &k, uint64_t key)
{
    switch (type) {
    case CP_INT8: return (double)(int8_t)cpi_unkey8(&k, (uint8_t)key);
    case CP_INT16: return (double)(int16_t)cpi_unkey16(&k, (uint16_t)key);
    case CP_INT32: return (double)(int32_t)cpi_unkey32(&k, (uint32_t)key);
    case CP_INT64: return (double)(int64_t)cpi_unkey64(&k, key);
    case CP_FLOAT64: return __longlong_as_double((long long)cpi_unkey64(&k, key));
    default: return (double)key; /* bool and unsigned: keys are values */
    }
}

/* Keys of the two middle elements to the result's element. Where `nan`, `first` is the key of the result itself. */
static __device__ void store_median(cp_type type, const cpi_keys &k, bool even, uint64_t first, uint64_t second,
                                    bool nan, void *to)
{
    if (nan && (k.bytes != 8 || !k.complex_parts)) {
        if (type == CP_FLOAT64) *(double *)to = NAN;
        else if (type == CP_FLOAT32) *(float *)to = NAN;
        else if (k.bytes == 2) *(uint16_t *)to = (uint16_t)k.nan;
        else *(uint8_t *)to = (uint8_t)k.nan;
        return;
    }
    if (type == CP_FLOAT64) { /* not behind the switch: choosing one of a few numbers takes no longer than a jump */
        *(double *)to = middle(even, as_double(type, k, first), as_double(type, k, second));
        return;
    }
    switch (type) {
#define MEDIAN_OF_HALVES(A, s)                                                                          \
    case CPS_ENUM_##s: {                                                                                \
        typedef CPS_CTYPE_##s U;                                                                        \
        const float a = cps_##s##_to_f32(unkey(k, (U)first)), b = cps_##s##_to_f32(unkey(k, (U)second)); \
        *(U *)to = cps_f32_to_##s(middle(even, a, b));                                                  \
        return;                                                                                         \
    }
        CPS_HALVES(MEDIAN_OF_HALVES, )
    case CP_FLOAT32:
        *(float *)to = middle(even, __uint_as_float(cpi_unkey32(&k, (uint32_t)first)),
                              __uint_as_float(cpi_unkey32(&k, (uint32_t)second)));
        return;
    case CP_COMPLEX64: {
        uint64_t a = cpi_cunkey64(&k, first), b = cpi_cunkey64(&k, second);
        if (nan) {
            ((uint32_t *)to)[0] = (uint32_t)a;
            ((uint32_t *)to)[1] = (uint32_t)(a >> 32);
        } else {
            store_complex<float>(even, __uint_as_float((uint32_t)a), __uint_as_float((uint32_t)(a >> 32)),
                                 __uint_as_float((uint32_t)b), __uint_as_float((uint32_t)(b >> 32)), to);
        }
        return;
    }
    default: *(double *)to = middle(even, as_double(type, k, first), as_double(type, k, second));
    }
}

static __device__ void store_median128(const cpi_keys &k, bool even, cpi_u128 first, cpi_u128 second, bool nan,
                                       void *to)
{
    cpi_u128 a = cpi_cunkey128(&k, first), b = cpi_cunkey128(&k, second);
    if (nan) {
        ((uint64_t *)to)[0] = (uint64_t)a;
        ((uint64_t *)to)[1] = (uint64_t)(a >> 64);
        return;
    }
    store_complex<double>(
        even, __longlong_as_double((long long)(uint64_t)a), __longlong_as_double((long long)(uint64_t)(a >> 64)),
        __longlong_as_double((long long)(uint64_t)b), __longlong_as_double((long long)(uint64_t)(b >> 64)), to);
}

static __device__ __forceinline__ void store_any(cp_type type, const cpi_keys &k, bool even, uint64_t first,
                                                 uint64_t second, bool nan, void *to)
{
    store_median(type, k, even, first, second, nan, to);
}
static __device__ __forceinline__ void store_any(cp_type, const cpi_keys &k, bool even, cpi_u128 first, cpi_u128 second,
                                                 bool nan, void *to)
{
    store_median128(k, even, first, second, nan, to);
}

static __device__ __forceinline__ void store_any(cp_type type, const cpi_keys &k, bool even, uint32_t first,
                                                 uint32_t second, bool nan, void *to)
{
    store_median(type, k, even, first, second, nan, to);
}

/* Keys of a row; the largest one that is not a NaN is `limit`. */
template <class K>
struct lane_keys {
    cpi_keys k;
    const void *from;
    int64_t begin;
    __device__ __forceinline__ K operator()(int64_t i) const { return (K)cpi_element_key(k, from, begin + i, false); }
};
template <>
__device__ __forceinline__ cpi_u128 lane_keys<cpi_u128>::operator()(int64_t i) const
{
    const uint64_t *p = (const uint64_t *)from + 2 * (begin + i);
    return cpi_ckey128(&k, (cpi_u128)p[1] << 64 | p[0]);
}

static __host__ __device__ __forceinline__ size_t result_bytes(cp_type type, const cpi_keys &k)
{
    return cpi_is_whole(type) ? 8 : (size_t)k.bytes;
}

/* --- a block per row --- */

template <class K>
__global__ void median_blocks(cp_type type, cpi_keys k, int64_t rows, int64_t n, const void *from, K limit, char *to)
{
    __shared__ cpi_block_space<K> s;
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        lane_keys<K> keys = {k, from, row * n};
        K low = (K) ~(K)0, high = 0, first, second;
        for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
            K key = keys(i);
            low = key < low ? key : low;
            high = key > high ? key : high;
        }
        cpi_block_range<K>(low, high, &s);
        low = s.low;
        high = s.high;
        bool nan = high > limit;
        __syncthreads();
        if (nan) first = second = high;
        else cpi_block_select<K>(keys, n, (n - 1) / 2, low, high, &s, &first, &second);
        if (!threadIdx.x) store_any(type, k, !(n & 1), first, second, nan, to + row * (int64_t)result_bytes(type, k));
    }
}

/* --- a warp per row of at most 64 elements: each lane of the warp ranks two --- */

template <class K>
__global__ void median_warps(cp_type type, cpi_keys k, int64_t rows, int n, const void *from, K limit, char *to)
{
    int lane = threadIdx.x & 31;
    int64_t warps = (int64_t)gridDim.x * (blockDim.x >> 5);
    for (int64_t row = blockIdx.x * (int64_t)(blockDim.x >> 5) + (threadIdx.x >> 5); row < rows; row += warps) {
        lane_keys<K> keys = {k, from, row * n};
        K a = lane < n ? keys(lane) : (K) ~(K)0, b = lane + 32 < n ? keys(lane + 32) : (K) ~(K)0;
        int ra = 0, rb = 0;
        bool nan = (lane < n && a > limit) || (lane + 32 < n && b > limit);
        for (int j = 0; j < n && j < 32; j++) {
            K v = (K)__shfl_sync(~0u, (unsigned long long)a, j);
            ra += v < a || (v == a && j < lane);
            rb += v <= b;
        }
        for (int j = 32; j < n; j++) {
            K v = (K)__shfl_sync(~0u, (unsigned long long)b, j - 32);
            ra += v < a;
            rb += v < b || (v == b && j - 32 < lane);
        }
        nan = __any_sync(~0u, nan);
        int r1 = nan ? n - 1 : (n - 1) / 2, r2 = nan ? n - 1 : n / 2;
        bool a1 = lane < n && ra == r1, b1 = lane + 32 < n && rb == r1, a2 = lane < n && ra == r2,
             b2 = lane + 32 < n && rb == r2;
        unsigned one = __ballot_sync(~0u, a1 || b1), two = __ballot_sync(~0u, a2 || b2);
        K first = (K)__shfl_sync(~0u, (unsigned long long)(a1 ? a : b), __ffs((int)one) - 1);
        K second = (K)__shfl_sync(~0u, (unsigned long long)(a2 ? a : b), __ffs((int)two) - 1);
        if (!lane)
            store_any(type, k, !(n & 1), (uint64_t)first, (uint64_t)second, nan,
                      to + row * (int64_t)result_bytes(type, k));
    }
}

/* --- the whole GPU, one row --- */

template <class R, class K>
__global__ void __launch_bounds__(CPI_GRID_THREADS, 1)
median_grid(cp_type type, cpi_keys k, const void *from, int64_t n, K limit, cpi_grid_space<K> *g, void *to)
{
    __shared__ cpi_grid_shared<K> s;
    if (!threadIdx.x) {
        s.plan.fresh = true;
        s.plan.klow = 0;
        s.plan.khigh = limit;
    }
    __syncthreads();
    cpi_grid_guess<R, K, false>(k, from, n, limit, &s);
    int number = 0;
    cpi_grid_median<R, K, false>(k, from, n, ~(cpi_ull)0, &number, g, &s);
    if (blockIdx.x || threadIdx.x) return;
    bool nan = s.plan.count < (cpi_ull)n;
    store_median(type, k, !(n & 1), nan ? s.plan.largest : s.plan.first, s.plan.second, nan, to);
}

template <class R, class K>
static cp_code run_grid(cp_stream *stream, cp_type type, cpi_keys k, const void *from, int64_t n, K limit, void *to)
{
    cpi_grid_space<K> *g = (cpi_grid_space<K> *)cpi_host->work_alloc(stream, sizeof *g);
    if (!g) return CP_ERROR_MEMORY;
    void *arguments[] = {&type, &k, &from, &n, &limit, &g, &to};
    cp_code code =
        cpi_cuda_issued(stream, cudaMemsetAsync(g, 0, CPI_GRID_CLEARED(K), cpi_cuda_stream(stream)), "median");
    if (code == CP_OK) code = cpi_grid_launch((const void *)median_grid<R, K>, stream, n, arguments, "median");
    cpi_host->work_free(stream, g);
    return code;
}

static cp_code median_long(cp_stream *stream, cp_type type, const cpi_keys &k, const void *from, int64_t n,
                           uint64_t limit, void *to)
{
    switch (k.bytes) {
    case 1: return run_grid<uint8_t, uint32_t>(stream, type, k, from, n, (uint32_t)limit, to);
    case 2: return run_grid<uint16_t, uint32_t>(stream, type, k, from, n, (uint32_t)limit, to);
    case 4: return run_grid<uint32_t, uint32_t>(stream, type, k, from, n, (uint32_t)limit, to);
    default: return run_grid<uint64_t, uint64_t>(stream, type, k, from, n, limit, to);
    }
}

/* --- complex128 --- */

__global__ void median_sorted(cpi_keys k, int64_t n, const void *sorted, cpi_u128 limit, void *to)
{
    lane_keys<cpi_u128> keys = {k, sorted, 0};
    cpi_u128 last = keys(n - 1), first = keys((n - 1) / 2), second = keys(n / 2);
    store_median128(k, !(n & 1), last > limit ? last : first, second, last > limit, to);
}

static cp_code median_by_sort(cp_stream *stream, const cpi_keys &k, const void *from, int64_t n, cpi_u128 limit,
                              void *to)
{
    void *sorted = cpi_host->work_alloc(stream, (size_t)n * 16);
    if (!sorted) return CP_ERROR_MEMORY;
    cp_code code = cpi_sort_cuda_sort(stream, CP_COMPLEX128, 1, n, from, sorted);
    if (code == CP_OK) {
        median_sorted<<<1, 1, 0, cpi_cuda_stream(stream)>>>(k, n, sorted, limit, to);
        code = CPI_LAUNCHED(stream, "median");
    }
    cpi_host->work_free(stream, sorted);
    return code;
}

/* --- the slots --- */

static cp_code median_short(cp_stream *stream, cp_type type, const cpi_keys &k, int64_t rows, int64_t n,
                            const void *from, uint64_t limit, char *to)
{
    cudaStream_t cs = cpi_cuda_stream(stream);
    unsigned threads = n <= 512 ? 128 : n <= 4096 ? 256 : 512;
    unsigned blocks = cpi_cuda_blocks(rows, 1, 1 << 20), of_warps = cpi_cuda_blocks(rows, 8, 1 << 20);
    if (k.bytes == 16)
        median_blocks<cpi_u128>
            <<<blocks, threads, 0, cs>>>(type, k, rows, n, from, (cpi_u128)k.last << 64 | ~(uint64_t)0, to);
    else if (n <= 64 && k.bytes == 8)
        median_warps<uint64_t><<<of_warps, 256, 0, cs>>>(type, k, rows, (int)n, from, limit, to);
    else if (n <= 64)
        median_warps<uint32_t><<<of_warps, 256, 0, cs>>>(type, k, rows, (int)n, from, (uint32_t)limit, to);
    else if (k.bytes == 8)
        median_blocks<uint64_t><<<blocks, threads, 0, cs>>>(type, k, rows, n, from, limit, to);
    else
        median_blocks<uint32_t><<<blocks, threads, 0, cs>>>(type, k, rows, n, from, (uint32_t)limit, to);
    return CPI_LAUNCHED(stream, "median");
}

cp_code cpi_sort_cuda_median(cp_stream *stream, cp_type type, int64_t rows, int64_t n, const void *from, void *to)
{
    cpi_keys k = cpi_keys_of(type);
    uint64_t limit = k.complex_parts ? k.last << 32 | 0xFFFFFFFFu : k.last;
    /* One row takes the whole GPU some 20 microseconds; a block reads some 50 elements a nanosecond less. */
    bool alone = n >= 32768 && (rows <= 4 || (n >= 1 << 20 && rows < cpi_cuda_units(stream) / 4));
    if (!alone) return median_short(stream, type, k, rows, n, from, limit, (char *)to);
    for (int64_t row = 0; row < rows; row++) {
        const char *x = (const char *)from + row * n * k.bytes;
        char *y = (char *)to + row * (int64_t)result_bytes(type, k);
        cp_code code = k.bytes == 16 ? median_by_sort(stream, k, x, n, (cpi_u128)k.last << 64 | ~(uint64_t)0, y)
                                     : median_long(stream, type, k, x, n, limit, y);
        if (code != CP_OK) return code;
    }
    return CP_OK;
}

cp_code cpi_sort_cuda_partition(cp_stream *stream, cp_type type, int64_t rows, int64_t n, void *data, int nkth,
                                const int64_t *kth)
{
    (void)nkth;
    (void)kth;
    return cpi_sort_cuda_sort(stream, type, rows, n, data, data);
}
