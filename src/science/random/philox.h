/* Counter-based streams of 64-bit words with random access, for C17 and CUDA C++.
 *
 * Philox 4x64-10 and 4x32-10 are the bijections of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as
 * 1, 2, 3" (SC 2011). A block is four words: one value of the 256-bit counter of 4x64, two neighbouring values of the
 * 128-bit counter of 4x32. Invariant: word i of a stream depends on key, counter and i alone. */
#ifndef CPR_PHILOX_H
#define CPR_PHILOX_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define CPR_FN static __host__ __device__ __forceinline__
#define CPR_LONG static __host__ __device__ __noinline__ /* compiled once a file */
#else
#define CPR_FN static inline __attribute__((always_inline, unused))
#define CPR_LONG static __attribute__((noinline, unused))
#endif

enum { CPR_PHILOX = 0, CPR_PHILOX32 = 1, CPR_XORWOW = 2, CPR_MRG = 3 }; /* as cp_rng_kind */

/* Where words come from: word 0 is the `skip`-th of the block at `counter`, or the next one of `state`. */
typedef struct cpi_bit_stream {
    int32_t kind, skip;  /* skip: 0..3, of kinds with a counter */
    uint64_t key[2], counter[4];
    uint32_t state[6];   /* of kinds without: see sequential.h */
} cpi_bit_stream;

#define CPR_M0 UINT64_C(0xD2E7470EE14C6C93)
#define CPR_M1 UINT64_C(0xCA5A826395121157)
#define CPR_W0 UINT64_C(0x9E3779B97F4A7C15)
#define CPR_W1 UINT64_C(0xBB67AE8584CAA73B)

#define CPR_M0_32 0xD2511F53u
#define CPR_M1_32 0xCD9E8D57u
#define CPR_W0_32 0x9E3779B9u
#define CPR_W1_32 0xBB67AE85u

CPR_FN uint64_t cpr_high(uint64_t a, uint64_t b)
{
#ifdef __CUDA_ARCH__
    return __umul64hi(a, b);
#else
    return (uint64_t)(((unsigned __int128)a * b) >> 64);
#endif
}

CPR_FN void cpr_philox(uint64_t k0, uint64_t k1, const uint64_t c[4], uint64_t w[4])
{
    uint64_t a = c[0], b = c[1], d = c[2], e = c[3];
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int r = 0; r < 10; r++) {
        const uint64_t h0 = cpr_high(CPR_M0, a), h1 = cpr_high(CPR_M1, d);
        const uint64_t l0 = CPR_M0 * a, l1 = CPR_M1 * d;
        a = h1 ^ b ^ k0;
        b = l1;
        d = h0 ^ e ^ k1;
        e = l0;
        k0 += CPR_W0;
        k1 += CPR_W1;
    }
    w[0] = a, w[1] = b, w[2] = d, w[3] = e;
}

CPR_FN void cpr_philox32(uint64_t key, uint64_t low, uint64_t high, uint64_t w[2])
{
    uint32_t a = (uint32_t)low, b = (uint32_t)(low >> 32), d = (uint32_t)high, e = (uint32_t)(high >> 32);
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int r = 0; r < 10; r++) {
        const uint64_t p = (uint64_t)CPR_M0_32 * a, q = (uint64_t)CPR_M1_32 * d;
        a = (uint32_t)(q >> 32) ^ b ^ k0;
        b = (uint32_t)q;
        d = (uint32_t)(p >> 32) ^ e ^ k1;
        e = (uint32_t)p;
        k0 += CPR_W0_32;
        k1 += CPR_W1_32;
    }
    w[0] = a | (uint64_t)b << 32;
    w[1] = d | (uint64_t)e << 32;
}

/* counter += n, of 256 bits */
CPR_FN void cpr_count(const uint64_t from[4], uint64_t n, uint64_t to[4])
{
    uint64_t carry = n;
    for (int i = 0; i < 4; i++) {
        to[i] = from[i] + carry;
        carry = to[i] < carry;
    }
}

/* Block k of a kind with a counter; the caller applies `skip`. */
CPR_FN void cpr_block(const cpi_bit_stream *s, uint64_t k, uint64_t w[4])
{
    uint64_t c[4];
    if (s->kind == CPR_PHILOX) {
        cpr_count(s->counter, k, c);
        cpr_philox(s->key[0], s->key[1], c, w);
    } else {
        for (int i = 0; i < 2; i++) {
            cpr_count(s->counter, 2 * k + (uint64_t)i, c);
            cpr_philox32(s->key[0], c[0], c[1], w + 2 * i);
        }
    }
}

/* One word at any position; for callers that need few. */
CPR_FN uint64_t cpr_word(const cpi_bit_stream *s, uint64_t i)
{
    uint64_t w[4];
    i += (uint64_t)s->skip;
    cpr_block(s, i >> 2, w);
    return w[i & 3];
}

/* --- numbers of words: NumPy's --- */
/* [0, 1): 53 bits. Where no instruction converts vectors of 64 bits, the upper 21 bits are placed in the mantissa of
 * 2^31 and the others in that of 1/2; a difference and a sum extract them. All of it is exact, so the bits are the
 * same. */
CPR_FN double cpr_unit(uint64_t w)
{
#if defined(__CUDA_ARCH__) || defined(__AVX512DQ__) || !defined(__x86_64__)
    return (double)(int64_t)(w >> 11) * 0x1p-53;
#else
    const uint64_t high = w >> 43 | UINT64_C(0x41e0000000000000);
    const uint64_t low = (w >> 11 & UINT32_MAX) | UINT64_C(0x3fe0000000000000);
    double h, l;
    memcpy(&h, &high, sizeof h);
    memcpy(&l, &low, sizeof l);
    return h - (0x1p31 + 0.5) + l;
#endif
}
CPR_FN float cpr_unit32(uint32_t w) { return (float)(int32_t)(w >> 8) * 0x1p-24f; }

#endif
