/* CUB's radix sort of keys, of keys with indices, and of one long row.
 *
 * A row of numbers is sorted from the array straight into the result, without passes that make keys and convert them
 * back: CUB orders integers and floats by itself. Its order of floats differs from ours (keys.h) in that NaNs with the
 * sign bit set come first. Where there are any, they are moved to the end afterwards (two kernels that otherwise read
 * one element and return). Zeros of both signs keep their relative order. */
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cub/device/device_radix_sort.cuh>

#include "cuda/elements.h"
#include "sort/cuda.h"

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
