/* Sorting kernels of the CPU, one object file per instruction set: AVX-512 and AVX2 split with compressed vectors
 * and sort leaves in registers; elsewhere branch-free scalar splits and radix passes. */
#include "sort/kernels.h"

#include <string.h>

#include "cpu/features.h"
#include "sort/vectors.h"

#define KEY uint32_t
#define BITS 32
#define NAME(f) q32_##f
#define VECTOR (CPI_KEY_VECTOR_BITS != 0)
#include "sort/quick.h"

#define KEY uint64_t
#define BITS 64
#define NAME(f) q64_##f
#define VECTOR (CPI_KEY_VECTOR_BITS != 0)
#include "sort/quick.h"

#define KEY cpi_u128
#define BITS 128
#define NAME(f) q128_##f
#define VECTOR 0
#include "sort/quick.h"

/* --- elements and keys --- */

/* Complex elements are aligned as their parts are. */
typedef uint64_t complex64_bits __attribute__((aligned(4)));
typedef cpi_u128 complex128_bits __attribute__((aligned(8)));

#define LOOP(FROM, TO, expression)                                                                                     \
    do {                                                                                                               \
        const FROM *f = from;                                                                                          \
        TO *t = to;                                                                                                    \
        for (int64_t i = 0; i < n; i++) t[i] = (TO)(expression);                                                       \
    } while (0)

static void load(const cpi_keys *keys, const void *from, void *to, int64_t n)
{
    const cpi_keys local = *keys, *k = &local;
    if (k->complex_parts && k->bytes == 8)
        LOOP(complex64_bits, uint64_t, cpi_ckey64(k, f[i]));
    else if (k->complex_parts)
        LOOP(complex128_bits, cpi_u128, cpi_ckey128(k, f[i]));
    else if (k->bytes == 1)
        LOOP(uint8_t, uint32_t, cpi_key8(k, f[i]));
    else if (k->bytes == 2)
        LOOP(uint16_t, uint32_t, cpi_key16(k, f[i]));
    else if (k->bytes == 4)
        LOOP(uint32_t, uint32_t, cpi_key32(k, f[i]));
    else
        LOOP(uint64_t, uint64_t, cpi_key64(k, f[i]));
}

static void store(const cpi_keys *keys, const void *from, void *to, int64_t n)
{
    const cpi_keys local = *keys, *k = &local;
    if (k->complex_parts && k->bytes == 8)
        LOOP(uint64_t, complex64_bits, cpi_cunkey64(k, f[i]));
    else if (k->complex_parts)
        LOOP(cpi_u128, complex128_bits, cpi_cunkey128(k, f[i]));
    else if (k->bytes == 1)
        LOOP(uint32_t, uint8_t, cpi_unkey8(k, (uint8_t)f[i]));
    else if (k->bytes == 2)
        LOOP(uint32_t, uint16_t, cpi_unkey16(k, (uint16_t)f[i]));
    else if (k->bytes == 4)
        LOOP(uint32_t, uint32_t, cpi_unkey32(k, f[i]));
    else
        LOOP(uint64_t, uint64_t, cpi_unkey64(k, f[i]));
}

static void same(const cpi_keys *keys, void *to, int64_t n)
{
    const cpi_keys local = *keys, *k = &local;
    const void *from = to;
    if (k->complex_parts && k->bytes == 8)
        LOOP(uint64_t, uint64_t, cpi_csame64(k, f[i]));
    else if (k->complex_parts)
        LOOP(cpi_u128, cpi_u128, cpi_csame128(k, f[i]));
    else if (!k->zero_add)
        return;
    else if (k->bytes == 1)
        LOOP(uint32_t, uint32_t, cpi_same8(k, (uint8_t)f[i]));
    else if (k->bytes == 2)
        LOOP(uint32_t, uint32_t, cpi_same16(k, (uint16_t)f[i]));
    else if (k->bytes == 4)
        LOOP(uint32_t, uint32_t, cpi_same32(k, f[i]));
    else
        LOOP(uint64_t, uint64_t, cpi_same64(k, f[i]));
}

const cpi_sort_kernels CPI_ISA_NAME(cpi_sort_kernels) = {
    {{4, q32_sort, q32_three_way}, {8, q64_sort, q64_three_way}, {16, q128_sort, q128_three_way}},
    load,
    store,
    same,
};
