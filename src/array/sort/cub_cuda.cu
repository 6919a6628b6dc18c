/* What is CUB's and no radix sort, behind plain functions: the merge sort of rows, cumulative sums, clipping's
 * selection. Reading CUB's headers takes six times as long as compiling an empty file: those of the device are included
 * here and in radix_cuda.cu alone, those of a block in rows_cuda.cu. */
#include <iterator>

#include <cub/device/device_merge_sort.cuh>
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
