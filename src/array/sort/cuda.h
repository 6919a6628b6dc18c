/* What the CUDA files of this module share: keys on the device, and CUB's sorts behind plain functions, so that each is
 * compiled once per key width, not per element type. */
#ifndef CPI_SORT_CUDA_H
#define CPI_SORT_CUDA_H

#include "cuda/cuda.h"
#include "sort/keys.h"

/* Key of element i, for types of at most 64 bits; with `same`, equal for equal values. */
static __device__ __forceinline__ uint64_t cpi_element_key(const cpi_keys &k, const void *from, int64_t i, bool same)
{
    switch (k.bytes) {
    case 1:
        return cpi_key8(&k, ((const uint8_t *)from)[i]);
    case 2: {
        uint16_t key = cpi_key16(&k, ((const uint16_t *)from)[i]);
        return same ? cpi_same16(&k, key) : key;
    }
    case 4: {
        uint32_t key = cpi_key32(&k, ((const uint32_t *)from)[i]);
        return same ? cpi_same32(&k, key) : key;
    }
    default:
        break;
    }
    if (k.complex_parts) { /* aligned as a float */
        const uint32_t *p = (const uint32_t *)from + 2 * i;
        uint64_t key = cpi_ckey64(&k, p[0] | (uint64_t)p[1] << 32);
        return same ? cpi_csame64(&k, key) : key;
    }
    uint64_t key = cpi_key64(&k, ((const uint64_t *)from)[i]);
    return same ? cpi_same64(&k, key) : key;
}

static __device__ __forceinline__ cpi_u128 cpi_element_key128(const cpi_keys &k, const void *from, int64_t i)
{
    const uint64_t *p = (const uint64_t *)from + 2 * i;
    return cpi_csame128(&k, cpi_ckey128(&k, (cpi_u128)p[1] << 64 | p[0]));
}

/* The element of that key, into to[i]. */
static __device__ __forceinline__ void cpi_put_element(const cpi_keys &k, uint64_t key, void *to, int64_t i)
{
    switch (k.bytes) {
    case 1:
        ((uint8_t *)to)[i] = cpi_unkey8(&k, (uint8_t)key);
        return;
    case 2:
        ((uint16_t *)to)[i] = cpi_unkey16(&k, (uint16_t)key);
        return;
    case 4:
        ((uint32_t *)to)[i] = cpi_unkey32(&k, (uint32_t)key);
        return;
    default:
        break;
    }
    if (k.complex_parts) {
        uint64_t v = cpi_cunkey64(&k, key);
        ((uint32_t *)to)[2 * i] = (uint32_t)v;
        ((uint32_t *)to)[2 * i + 1] = (uint32_t)(v >> 32);
    } else {
        ((uint64_t *)to)[i] = cpi_unkey64(&k, key);
    }
}

/* to[i] = from[j], elements of k.bytes bytes. */
static __device__ __forceinline__ void cpi_copy_element(const cpi_keys &k, const void *from, int64_t j, void *to,
                                                        int64_t i)
{
    switch (k.bytes) {
    case 1:
        ((uint8_t *)to)[i] = ((const uint8_t *)from)[j];
        return;
    case 2:
        ((uint16_t *)to)[i] = ((const uint16_t *)from)[j];
        return;
    case 4:
        ((uint32_t *)to)[i] = ((const uint32_t *)from)[j];
        return;
    default:
        break;
    }
    if (k.bytes == 8 && !k.complex_parts) {
        ((uint64_t *)to)[i] = ((const uint64_t *)from)[j];
    } else if (k.bytes == 8) {
        ((uint32_t *)to)[2 * i] = ((const uint32_t *)from)[2 * j];
        ((uint32_t *)to)[2 * i + 1] = ((const uint32_t *)from)[2 * j + 1];
    } else {
        ((uint64_t *)to)[2 * i] = ((const uint64_t *)from)[2 * j];
        ((uint64_t *)to)[2 * i + 1] = ((const uint64_t *)from)[2 * j + 1];
    }
}

/* Sorts n keys of `bytes` (1, 2, 4, 8) by bits begin..end-1; afterwards *keys is where they are, *spare the other
 * of the two buffers. */
cp_code cpi_cub_sort_keys(cp_stream *stream, const char *what, int bytes, void **keys, void **spare, int64_t n,
                          int begin, int end);
/* Sorts n elements of a type that is not complex, all of one row; from may be to. */
cp_code cpi_cub_sort_row(cp_stream *stream, const char *what, cp_type type, int64_t n, const void *from, void *to);
/* The same as cpi_cub_sort_keys, stably, with indices beside keys of 4 or 8 bytes: uint32_t, or (wide) int64_t. */
cp_code cpi_cub_sort_pairs(cp_stream *stream, const char *what, int bytes, bool wide, void **keys, void **keys_spare,
                           void **index, void **index_spare, int64_t n, int begin, int end);

/* values[i] = the sum of values[0 .. i], n of them, unsigned, of 4 or 8 bytes. */
cp_code cpi_cub_sum(cp_stream *stream, const char *what, int bytes, void *values, int64_t n);
/* values[i] = the sum of those before it. */
cp_code cpi_cub_sum_before(cp_stream *stream, const char *what, int64_t *values, int64_t n);

/* The order of all rows together: positions 0..rows*n-1 sorted by row, then key, stably. Integers may be given
 * with their smallest key and the number of bits of the largest key less that; otherwise low and bits are 0. */
typedef struct cpi_ordering {
    void *memory; /* to be freed with work_free */
    bool wide;    /* indices are int64_t, else uint32_t */
    int bytes;    /* of the sorted keys: 4 or 8; 0 when there are none (128-bit keys, or rows > 1) */
    void *keys, *index;
} cpi_ordering;
cp_code cpi_cuda_order(cp_stream *stream, const char *what, const cpi_keys *keys, int64_t rows, int64_t n,
                       const void *from, uint64_t low, int bits, cpi_ordering *result);

/* Rows of at most CPI_CUDA_BLOCK_ROW elements of at most 64 bits, one block or warp a row. With `order`, `to` gets
 * int64_t indices. */
#define CPI_CUDA_BLOCK_ROW 4096
cp_code cpi_cuda_block_rows(cp_stream *stream, const char *what, const cpi_keys *keys, int64_t rows, int64_t n,
                            const void *from, void *to, bool order);

/* Few rows of up to CPI_CUDA_CHUNKS elements of at most 64 bits, up to CPI_CUDA_CHUNKS_TOTAL in all: many blocks to
 * a row. With `order`, `to` gets int64_t indices. */
#define CPI_CUDA_CHUNKS (32 * 1024)
#define CPI_CUDA_CHUNKS_TOTAL (128 * 1024)
cp_code cpi_cuda_chunks(cp_stream *stream, const char *what, const cpi_keys *keys, int64_t rows, int64_t n,
                        const void *from, void *to, bool order);

#define CPI_SORT_THREADS 256
static inline unsigned cpi_sort_grid(int64_t n) { return cpi_cuda_blocks(n, 4 * CPI_SORT_THREADS, 1 << 16); }
#define CPI_SORT_EACH(i, n)                                                                                            \
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < (n); i += (int64_t)gridDim.x * blockDim.x)
/* CPI_SORT_LAUNCH(kernel, n)(arguments): a kernel of CPI_SORT_EACH, in the stream `stream`. */
#define CPI_SORT_LAUNCH(kernel, n) kernel<<<cpi_sort_grid(n), CPI_SORT_THREADS, 0, cpi_cuda_stream(stream)>>>

#endif
