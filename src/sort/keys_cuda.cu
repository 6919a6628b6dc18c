/* CUB's radix sort of keys alone: one instantiation per width. */
#include <cub/device/device_radix_sort.cuh>

#include "sort/cuda.h"

template <class K>
static cp_code sort_keys(cp_stream *stream, const char *what, void **keys, void **spare, int64_t n, int begin, int end)
{
    cub::DoubleBuffer<K> buffers((K *)*keys, (K *)*spare);
    size_t bytes = 0;
    cudaStream_t s = cpi_cuda_stream(stream);
    cp_code code = cpi_cuda_check(cub::DeviceRadixSort::SortKeys(NULL, bytes, buffers, n, begin, end, s), what);
    if (code != CP_OK) return code;
    void *work = cpi_host->work_alloc(stream, bytes ? bytes : 1);
    if (!work) return CP_ERROR_MEMORY;
    code = cpi_cuda_check(cub::DeviceRadixSort::SortKeys(work, bytes, buffers, n, begin, end, s), what);
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
