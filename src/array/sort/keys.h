/* Order-preserving keys: every element type as an unsigned integer of its own size, and back.
 *
 * Invariants. a sorts before b in NumPy's order => key(a) < key(b). key is a bijection (unkey gives the same
 * bits back), but that the payload of a NaN inside a complex number is lost. NaN comes last whatever its sign
 * and payload (positive NaNs first, by payload); -0 comes directly before +0. So a sort of keys alone leaves
 * equal zeros as "all -0, then all +0", which is one of the orders that an unstable sort may give.
 * `same` is the key made for comparisons: -0 and +0 have one key, all NaNs have one key (of complex numbers:
 * one for each of NumPy's three groups R+nan*i (ordered by R), nan+R*i (ordered by R), nan+nan*i, in that order).
 *
 * How: a float's bits read as a sign and a magnitude give ordered integers by flipping the sign bit of
 * positive and all bits of negative ones; subtracting the number of negative NaNs moves these behind the
 * positive ones by wrapping round. Integers use the same formula with other constants, so one loop or kernel
 * for each width serves all types; the constants travel as a run-time argument. */
#ifndef CPI_SORT_KEYS_H
#define CPI_SORT_KEYS_H

#include "core/paste.h"
#include "core/type_traits.h"

#ifdef __CUDACC__
#define CPI_KEYS_FN static __host__ __device__ __forceinline__
#else
#define CPI_KEYS_FN static inline
#endif

__extension__ typedef unsigned __int128 cpi_u128;

/* The constants of a type; for a complex one those of its parts. Used modulo the width. */
typedef struct cpi_keys {
    uint64_t negative, positive; /* what is flipped where the top bit is set, and where it is not */
    uint64_t minus;              /* subtracted then */
    uint64_t last;               /* key of the largest number: keys above it are NaN */
    uint64_t zero, zero_add;     /* key of -0, and 1; integers: 0 and 0 */
    uint64_t nan;                /* bits of a quiet NaN */
    int bytes;                   /* of the key: bytes of an element, of both parts of a complex one */
    bool complex_parts;
} cpi_keys;

CPI_KEYS_FN cpi_keys cpi_keys_float(uint64_t inf, uint64_t top)
{
    cpi_keys k;
    k.negative = ~(uint64_t)0;
    k.positive = top;
    k.minus = top - 1 - inf;
    k.last = 2 * inf + 1;
    k.zero = inf;
    k.zero_add = 1;
    k.nan = inf | ((inf & (~inf + 1)) >> 1);
    k.bytes = 0;
    k.complex_parts = false;
    return k;
}

static inline cpi_keys cpi_keys_of(cp_type t)
{
    cpi_keys k = {0, 0, 0, ~(uint64_t)0, 0, 0, 0, 1, false};
    const cp_type part = cpi_part_type(t);
    const uint64_t top = (uint64_t)1 << (8 * cpi_itemsize(part) - 1);
    if (cpi_is_float(part)) k = cpi_keys_float(cpi_float_formats[part].infinity, top);
    if (cpi_is_signed(t)) k.negative = k.positive = top;
    k.bytes = (int)cpi_itemsize(t);
    k.complex_parts = cpi_is_complex(t);
    return k;
}

/* cpi_key32(k, bits), cpi_unkey32(k, key), cpi_same32(k, key): for types that are not complex. */
#define CPI_KEYS_REAL(W)                                                                                               \
    CPI_KEYS_FN uint##W##_t cpi_key##W(const cpi_keys *k, uint##W##_t u)                                               \
    {                                                                                                                  \
        return (uint##W##_t)((u ^ (uint##W##_t)(u >> (W - 1) ? k->negative : k->positive)) - (uint##W##_t)k->minus);   \
    }                                                                                                                  \
    CPI_KEYS_FN uint##W##_t cpi_unkey##W(const cpi_keys *k, uint##W##_t key)                                           \
    {                                                                                                                  \
        uint##W##_t v = (uint##W##_t)(key + (uint##W##_t)k->minus);                                                    \
        return (uint##W##_t)(v ^ (uint##W##_t)(v >> (W - 1) ? k->positive : k->negative));                             \
    }                                                                                                                  \
    CPI_KEYS_FN bool cpi_key_nan##W(const cpi_keys *k, uint##W##_t key) { return key > (uint##W##_t)k->last; }         \
    CPI_KEYS_FN uint##W##_t cpi_same##W(const cpi_keys *k, uint##W##_t key)                                            \
    {                                                                                                                  \
        key = (uint##W##_t)(key + (key == (uint##W##_t)k->zero ? (uint##W##_t)k->zero_add : 0));                       \
        return key > (uint##W##_t)k->last ? (uint##W##_t) ~(uint##W##_t)0 : key;                                       \
    }
CPI_KEYS_REAL(8)
CPI_KEYS_REAL(16)
CPI_KEYS_REAL(32)
CPI_KEYS_REAL(64)
#undef CPI_KEYS_REAL

/* cpi_ckey64(k, bits), cpi_cunkey64(k, key), cpi_ckey_nan64(k, key), cpi_csame64(k, key): for complex ones. */
#define CPI_BITS 32
#define CPI_PART uint32_t
#define CPI_PAIR_BITS 64
#define CPI_PAIR uint64_t
#include "sort/keys_complex.inc"

#define CPI_BITS 64
#define CPI_PART uint64_t
#define CPI_PAIR_BITS 128
#define CPI_PAIR cpi_u128
#include "sort/keys_complex.inc"

#endif
