/* CUB's radix sort of keys with indices: stable, one instantiation per pair of widths. */
#include <cub/device/device_radix_sort.cuh>

#include "sort/cuda.h"

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
    if (wide)
        return sort_pairs<uint64_t, int64_t, int64_t>(stream, what, keys, keys_spare, index, index_spare, n, begin,
                                                      end);
    if (bytes == 8)
        return sort_pairs<uint64_t, uint32_t, uint32_t>(stream, what, keys, keys_spare, index, index_spare, n, begin,
                                                        end);
    return sort_pairs<uint32_t, uint32_t, uint32_t>(stream, what, keys, keys_spare, index, index_spare, n, begin, end);
}
