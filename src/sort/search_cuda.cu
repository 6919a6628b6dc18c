/* Binary search on the GPU: a thread a value; elements are compared by their keys (keys.h). */
#include "sort/cuda.h"
#include "sort/sort.h"

static __global__ void search(const cpi_keys k, int64_t n, const void *from, int64_t m, const void *values, bool right,
                              int64_t *to)
{
    CPI_SORT_EACH(i, m) {
        uint64_t v = cpi_element_key(k, values, i, true);
        int64_t low = 0;
        for (int64_t left = n; left > 0;) {
            int64_t half = left / 2;
            uint64_t here = cpi_element_key(k, from, low + half, true);
            bool beyond = right ? here <= v : here < v;
            low = beyond ? low + half + 1 : low;
            left = beyond ? left - half - 1 : half;
        }
        to[i] = low;
    }
}

static __global__ void search128(const cpi_keys k, int64_t n, const void *from, int64_t m, const void *values,
                                 bool right, int64_t *to)
{
    CPI_SORT_EACH(i, m) {
        cpi_u128 v = cpi_element_key128(k, values, i);
        int64_t low = 0;
        for (int64_t left = n; left > 0;) {
            int64_t half = left / 2;
            cpi_u128 here = cpi_element_key128(k, from, low + half);
            bool beyond = right ? here <= v : here < v;
            low = beyond ? low + half + 1 : low;
            left = beyond ? left - half - 1 : half;
        }
        to[i] = low;
    }
}

cp_code cpi_cuda_search(cp_stream *stream, cp_type type, int64_t n, const void *from, int64_t m, const void *values,
                        bool right, int64_t *to)
{
    cpi_keys k = cpi_keys_of(type);
    if (k.bytes > 8) CPI_SORT_LAUNCH(search128, m)(k, n, from, m, values, right, to);
    else CPI_SORT_LAUNCH(search, m)(k, n, from, m, values, right, to);
    return CPI_LAUNCHED(stream, "searchsorted");
}
