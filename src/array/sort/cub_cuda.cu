/* What is CUB's, behind plain functions: the merge sort of rows, cumulative sums, clipping's selection, and the radix
 * sort of keys, of keys with indices, and of one long row. Reading CUB's headers takes six times as long as compiling
 * an empty file: those of the device are included here alone, those of a block in rows_cuda.cu.
 *
 * A row of numbers is sorted from the array straight into the result, without passes that make keys and convert them
 * back: CUB orders integers and floats by itself. Its order of floats differs from ours (keys.h) in that NaNs with the
 * sign bit set come first. Where there are any, they are moved to the end afterwards (two kernels that otherwise read
 * one element and return). Zeros of both signs keep their relative order. */
#include <iterator>

#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "cuda/elements.h"
#include "sort/clip.h"
#include "sort/cuda.h"
#include "sort/unique_cuda.h"
#include "sort/unique_rows.cuh"

/* --- rows --- */

cp_code cpi_cub_sort_rows(cp_stream *stream, const cpi_row_table *t, int64_t c, cpi_row_item *items)
{
    size_t bytes = 0;
    cudaStream_t s = cpi_cuda_stream(stream);
    const cpi_row_before before = {*t, c};
    cp_code code =
        cpi_cuda_issued(stream, cub::DeviceMergeSort::StableSortKeys(NULL, bytes, items, t->n, before, s), "unique");
    if (code != CP_OK) return code;
    void *work = cpi_host->work_alloc(stream, bytes ? bytes : 1);
    if (!work) return CP_ERROR_MEMORY;
    code = cpi_cuda_issued(stream, cub::DeviceMergeSort::StableSortKeys(work, bytes, items, t->n, before, s), "unique");
    cpi_host->work_free(stream, work);
    return code;
}

/* --- cumulative sums --- */

/* Marks as a random access iterator over 0 and 1. */
struct mark_iterator {
    typedef std::random_access_iterator_tag iterator_category;
    typedef int64_t value_type, difference_type, reference;
    typedef void pointer;
    cpi_marks marks;
    int64_t at;
    __host__ __device__ int64_t operator*() const { return cpi_mark_at(marks, at); }
    __host__ __device__ int64_t operator[](int64_t i) const { return cpi_mark_at(marks, at + i); }
    __host__ __device__ mark_iterator operator+(int64_t i) const { return {marks, at + i}; }
};

/* from[0 .. n): pointers or iterators. */
template <class From, class T>
static cp_code sum_up(cp_stream *stream, const char *what, From from, T *to, int64_t n)
{
    size_t bytes = 0;
    cudaStream_t s = cpi_cuda_stream(stream);
    cp_code code = cpi_cuda_issued(stream, cub::DeviceScan::InclusiveSum(NULL, bytes, from, to, n, s), what);
    if (code != CP_OK) return code;
    void *work = cpi_host->work_alloc(stream, bytes ? bytes : 1);
    if (!work) return CP_ERROR_MEMORY;
    code = cpi_cuda_issued(stream, cub::DeviceScan::InclusiveSum(work, bytes, from, to, n, s), what);
    cpi_host->work_free(stream, work);
    return code;
}

cp_code cpi_cuda_sum_marks(cp_stream *stream, cpi_marks marks, int64_t *position, int64_t n)
{
    return sum_up(stream, "unique", mark_iterator{marks, 0}, position, n);
}

cp_code cpi_cub_sum(cp_stream *stream, const char *what, int bytes, void *values, int64_t n)
{
    if (bytes == 4) return sum_up(stream, what, (unsigned *)values, (unsigned *)values, n);
    return sum_up(stream, what, (unsigned long long *)values, (unsigned long long *)values, n);
}

cp_code cpi_cub_sum_before(cp_stream *stream, const char *what, int64_t *values, int64_t n)
{
    size_t bytes = 0;
    cudaStream_t s = cpi_cuda_stream(stream);
    cp_code code = cpi_cuda_issued(stream, cub::DeviceScan::ExclusiveSum(NULL, bytes, values, values, n, s), what);
    if (code != CP_OK) return code;
    void *work = cpi_host->work_alloc(stream, bytes ? bytes : 1);
    if (!work) return CP_ERROR_MEMORY;
    code = cpi_cuda_issued(stream, cub::DeviceScan::ExclusiveSum(work, bytes, values, values, n, s), what);
    cpi_host->work_free(stream, work);
    return code;
}

/* --- the values that clipping keeps, in their order --- */

template <class F>
struct is_kept {
    F low, high;
    __host__ __device__ __forceinline__ bool operator()(F v) const { return v >= low && v <= high; }
};

template <class F, class T>
static cp_code keep(cp_stream *stream, const cpi_clip *q, const void *values, void *to)
{
    is_kept<F> kept = {(F)q->low, (F)q->high};
    cudaStream_t cs = cpi_cuda_stream(stream);
    size_t bytes = 0;
    int64_t *count = NULL;
    cudaError_t status = cub::DeviceSelect::FlaggedIf(NULL, bytes, (const T *)values, (const F *)q->from, (T *)to,
                                                      count, q->n, kept, cs);
    if (status != cudaSuccess) return cpi_cuda_issued(stream, status, "sigma_clip");
    char *memory = (char *)cpi_host->work_alloc(stream, bytes + 16);
    if (!memory) return CP_ERROR_MEMORY;
    count = (int64_t *)memory;
    status = cub::DeviceSelect::FlaggedIf(memory + 16, bytes, (const T *)values, (const F *)q->from, (T *)to, count,
                                          q->n, kept, cs);
    cpi_host->work_free(stream, memory);
    return cpi_cuda_issued(stream, status, "sigma_clip");
}

cp_code cpi_sort_cuda_clip_keep(cp_stream *stream, const cpi_clip *q, int itemsize, const void *values, void *to)
{
    if (q->type == CP_FLOAT32) /* then the rule depends on the type of the values */
        return cpi_with_type(q->rule, [&](auto e) {
            typedef decltype(e) E;
            if constexpr (cpi_half_element<typename E::T>) return keep<float, typename E::Bits>(stream, q, values, to);
            else return keep<float, float>(stream, q, values, to);
        });
    switch (itemsize) {
    case 1: return keep<double, uint8_t>(stream, q, values, to);
    case 2: return keep<double, uint16_t>(stream, q, values, to);
    case 4: return keep<double, uint32_t>(stream, q, values, to);
    default: return keep<double, uint64_t>(stream, q, values, to);
    }
}

/* --- keys --- */

template <class K>
static cp_code sort_keys(cp_stream *stream, const char *what, void **keys, void **spare, int64_t n, int begin, int end)
{
    cub::DoubleBuffer<K> buffers((K *)*keys, (K *)*spare);
    size_t bytes = 0;
    cudaStream_t s = cpi_cuda_stream(stream);
    cp_code code =
        cpi_cuda_issued(stream, cub::DeviceRadixSort::SortKeys(NULL, bytes, buffers, n, begin, end, s), what);
    if (code != CP_OK) return code;
    void *work = cpi_host->work_alloc(stream, bytes ? bytes : 1);
    if (!work) return CP_ERROR_MEMORY;
    code = cpi_cuda_issued(stream, cub::DeviceRadixSort::SortKeys(work, bytes, buffers, n, begin, end, s), what);
    cpi_host->work_free(stream, work);
    *keys = buffers.Current();
    *spare = buffers.Alternate();
    return code;
}

cp_code cpi_cub_sort_keys(cp_stream *stream, const char *what, int bytes, void **keys, void **spare, int64_t n,
                          int begin, int end)
{
    switch (bytes) {
    case 1:
        return sort_keys<uint8_t>(stream, what, keys, spare, n, begin, end);
    case 2:
        return sort_keys<uint16_t>(stream, what, keys, spare, n, begin, end);
    case 4:
        return sort_keys<uint32_t>(stream, what, keys, spare, n, begin, end);
    default:
        return sort_keys<uint64_t>(stream, what, keys, spare, n, begin, end);
    }
}

/* --- one row --- */

/* Where the sorted row begins with NaNs (bits above `limit`), copies it aside; *count: how many they are. */
template <class U>
static __global__ void set_aside(int64_t n, const U *row, U limit, U *aside, int64_t *count)
{
    bool some = row[0] > limit;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        int64_t low = 0, high = some ? n : 0; /* the NaNs end between them */
        while (low < high) {
            int64_t middle = low + (high - low) / 2;
            if (row[middle] > limit) low = middle + 1;
            else high = middle;
        }
        *count = low;
    }
    if (some) CPI_SORT_EACH(i, n) aside[i] = row[i];
}

template <class U> static __global__ void move_to_end(int64_t n, const U *aside, const int64_t *count, U *row)
{
    int64_t first = *count;
    if (first) CPI_SORT_EACH(i, n) row[i] = aside[i < n - first ? i + first : i - (n - first)];
}

template <class U>
static cp_code nans_last(cp_stream *stream, const char *what, const cpi_keys *k, int64_t n, void *row, void *aside,
                         int64_t *count)
{
    unsigned blocks = cpi_cuda_blocks(n, 4 * CPI_SORT_THREADS, 4 * cpi_cuda_units(stream));
    cudaStream_t s = cpi_cuda_stream(stream);
    U limit = (U)(k->positive | k->zero); /* -infinity: the sign above the bits of infinity */
    set_aside<U><<<blocks, CPI_SORT_THREADS, 0, s>>>(n, (const U *)row, limit, (U *)aside, count);
    cp_code code = CPI_LAUNCHED(stream, what);
    if (code != CP_OK) return code;
    move_to_end<U><<<blocks, CPI_SORT_THREADS, 0, s>>>(n, (const U *)aside, count, (U *)row);
    return CPI_LAUNCHED(stream, what);
}

/* The type as which CUB orders the elements of E, a cpi_element. It reads floats as a sign and a magnitude and by their
 * width alone, so one type of its own serves all half types of a width. */
template <class E> struct ordered {
    typedef std::conditional_t<sizeof(typename E::Bits) == 1, __nv_fp8_e5m2, __half> half;
    typedef std::conditional_t<cpi_half_element<typename E::T>, half, typename E::T> type;
};

/* T as CUB orders it, U its bits. In place, the workspace's first part is the other buffer. */
template <class T, class U>
static cp_code sort_row(cp_stream *stream, const char *what, const cpi_keys *k, int64_t n, const void *from, void *to)
{
    cudaStream_t s = cpi_cuda_stream(stream);
    const bool in_place = from == to;
    const size_t row = cpi_round_up((size_t)n * sizeof(T), 512);
    size_t bytes = 0, spare = in_place ? row : 0;
    cub::DoubleBuffer<T> buffers((T *)to, (T *)NULL);
    cudaError_t status = in_place ? cub::DeviceRadixSort::SortKeys(NULL, bytes, buffers, n, 0, 8 * (int)sizeof(T), s)
                                  : cub::DeviceRadixSort::SortKeys(NULL, bytes, (const T *)from, (T *)to, n, 0,
                                                                   8 * (int)sizeof(T), s);
    if (status != cudaSuccess) return cpi_cuda_issued(stream, status, what);
    size_t capacity = spare + bytes > row ? spare + bytes : row; /* the row fits in what the sort has left */
    capacity = cpi_round_up(capacity, 512);
    char *work = (char *)cpi_host->work_alloc(stream, capacity + sizeof(int64_t));
    if (!work) return CP_ERROR_MEMORY;
    if (in_place) {
        buffers = cub::DoubleBuffer<T>((T *)to, (T *)work);
        status = cub::DeviceRadixSort::SortKeys(work + spare, bytes, buffers, n, 0, 8 * (int)sizeof(T), s);
        if (status == cudaSuccess && buffers.Current() != (T *)to)
            status = cudaMemcpyAsync(to, buffers.Current(), (size_t)n * sizeof(T), cudaMemcpyDeviceToDevice, s);
    } else {
        status = cub::DeviceRadixSort::SortKeys(work, bytes, (const T *)from, (T *)to, n, 0, 8 * (int)sizeof(T), s);
    }
    cp_code code = cpi_cuda_issued(stream, status, what);
    if (code == CP_OK && k->zero_add) code = nans_last<U>(stream, what, k, n, to, work, (int64_t *)(work + capacity));
    cpi_host->work_free(stream, work);
    return code;
}

cp_code cpi_cub_sort_row(cp_stream *stream, const char *what, cp_type type, int64_t n, const void *from, void *to)
{
    cpi_keys k = cpi_keys_of(type);
    return cpi_with_type(type, [&](auto e) {
        typedef decltype(e) E;
        if constexpr (E::kind == 'c') return cpi_host->fail(CP_ERROR_INTERNAL, "%s: type %d has no key", what, type);
        else return sort_row<typename ordered<E>::type, typename E::Bits>(stream, what, &k, n, from, to);
    });
}

/* --- keys with indices: stable, one instantiation a pair of widths --- */

/* Pairs of 4 bytes up to which CUB's kernels for 64-bit counts are faster: a thread sorts 17 pairs, not 23, which takes
 * less time as long as all blocks run at once. */
enum { FEW_PAIRS = 1 << 17 };

template <class K, class I, class N>
static cp_code sort_pairs(cp_stream *stream, const char *what, void **keys, void **keys_spare, void **index,
                          void **index_spare, int64_t n, int begin, int end)
{
    cub::DoubleBuffer<K> k((K *)*keys, (K *)*keys_spare);
    cub::DoubleBuffer<I> v((I *)*index, (I *)*index_spare);
    size_t bytes = 0;
    cudaStream_t s = cpi_cuda_stream(stream);
    cp_code code =
        cpi_cuda_issued(stream, cub::DeviceRadixSort::SortPairs(NULL, bytes, k, v, (N)n, begin, end, s), what);
    if (code != CP_OK) return code;
    void *work = cpi_host->work_alloc(stream, bytes ? bytes : 1);
    if (!work) return CP_ERROR_MEMORY;
    code = cpi_cuda_issued(stream, cub::DeviceRadixSort::SortPairs(work, bytes, k, v, (N)n, begin, end, s), what);
    cpi_host->work_free(stream, work);
    *keys = k.Current();
    *keys_spare = k.Alternate();
    *index = v.Current();
    *index_spare = v.Alternate();
    return code;
}

cp_code cpi_cub_sort_pairs(cp_stream *stream, const char *what, int bytes, bool wide, void **keys, void **keys_spare,
                           void **index, void **index_spare, int64_t n, int begin, int end)
{
    if (wide && bytes == 4)
        return sort_pairs<uint32_t, uint64_t, int64_t>(stream, what, keys, keys_spare, index, index_spare, n, begin,
                                                       end);
    if (wide)
        return sort_pairs<uint64_t, int64_t, int64_t>(stream, what, keys, keys_spare, index, index_spare, n, begin,
                                                      end);
    if (bytes == 8)
        return sort_pairs<uint64_t, uint32_t, uint32_t>(stream, what, keys, keys_spare, index, index_spare, n, begin,
                                                        end);
    if (n <= FEW_PAIRS)
        return sort_pairs<uint32_t, uint32_t, int64_t>(stream, what, keys, keys_spare, index, index_spare, n, begin,
                                                       end);
    return sort_pairs<uint32_t, uint32_t, uint32_t>(stream, what, keys, keys_spare, index, index_spare, n, begin, end);
}
