/* What the CUDA files of this room share: blocks of words where they are needed, and how 32 bytes of each thread go to
 * memory.
 *
 * A block of Philox 4x64 is ten rounds of two products of 64 bits, each four of 32 bits with the sums between: about
 * 200 instructions, of which the 72 products alone take as long as writing its 32 bytes (a multiprocessor of an H200
 * makes 32 a cycle). So all that the blocks of a call share is done on the host: the keys of all rounds, and, as only
 * the counter's lowest word differs, what the other words are after the first two rounds. Of Philox 4x32 the same makes
 * 90 instructions and 36 products of two blocks of 16 bytes. A generator's words may be of either kind: which one, a
 * kernel asks once. */
#ifndef CPI_RANDOM_BLOCKS_H
#define CPI_RANDOM_BLOCKS_H

#include "cuda/cuda.h"
#include "random/samplers.h"
#include "random/random.h"

namespace cpr {

enum { THREADS = 256, TWICE = 2 }; /* of a block; blocks of words of a thread, for more to do at once */

__device__ __forceinline__ int64_t thread_index() { return (int64_t)blockIdx.x * blockDim.x + threadIdx.x; }

/* A launch has at most 2^31 - 1 blocks; more work goes in several. */
template <class F> void launches(int64_t n, int64_t per_block, F launch)
{
    const int64_t most = INT64_C(0x40000000) * per_block;
    for (int64_t at = 0; at < n; at += most) {
        const int64_t m = n - at < most ? n - at : most;
        launch(at, (unsigned)cpi_ceil_div(m, per_block));
    }
}

/* The words of a call. `fast`: of Philox, without a carry in the counter beyond its lowest word. */
struct source {
    cpi_bit_stream from;
    const uint64_t *words; /* where they lie in memory, and how many */
    int64_t words_n;
    bool fast;
    uint64_t least, d1, a2, d2, e2, key0[8], key1[8]; /* of Philox 4x32 the lower halves */
};

/* Of at most `blocks` blocks behind the first one. */
inline source source_of(const cpi_bit_stream *from, const uint64_t *words, int64_t words_n, int64_t blocks)
{
    source s = {};
    const uint64_t *c = from->counter, n = (uint64_t)blocks;
    s.from = *from;
    s.words = words;
    s.words_n = words_n;
    s.least = c[0];
    if (from->kind == CPR_PHILOX) {
        uint64_t k0 = from->key[0], k1 = from->key[1];
        const uint64_t a1 = cpr_high(CPR_M1, c[2]) ^ c[1] ^ k0;
        s.fast = !words && c[0] <= UINT64_MAX - n;
        s.d1 = c[3] ^ k1;
        k0 += CPR_W0, k1 += CPR_W1;
        s.a2 = CPR_M1 * c[2] ^ k0;
        s.d2 = cpr_high(CPR_M0, a1) ^ k1;
        s.e2 = CPR_M0 * a1;
        for (int i = 0; i < 8; i++) s.key0[i] = k0 += CPR_W0, s.key1[i] = k1 += CPR_W1;
    } else if (from->kind == CPR_PHILOX32) {
        uint32_t k0 = (uint32_t)from->key[0], k1 = (uint32_t)(from->key[0] >> 32);
        const uint64_t q = (uint64_t)CPR_M1_32 * (uint32_t)c[1];
        const uint64_t p = (uint64_t)CPR_M0_32 * ((uint32_t)(q >> 32) ^ (uint32_t)(c[0] >> 32) ^ k0);
        s.fast = !words && n < UINT64_C(1) << 31 && (uint32_t)c[0] <= UINT32_MAX - 2 * n;
        s.d1 = (uint32_t)(c[1] >> 32) ^ k1;
        k0 += CPR_W0_32, k1 += CPR_W1_32;
        s.a2 = (uint32_t)q ^ k0;
        s.d2 = (uint32_t)(p >> 32) ^ k1;
        s.e2 = (uint32_t)p;
        for (int i = 0; i < 8; i++) s.key0[i] = k0 += CPR_W0_32, s.key1[i] = k1 += CPR_W1_32;
    }
    return s;
}

/* cpr_block, once in the code of a kernel; values, which stay in registers. */
struct four { uint64_t a, b, c, d; };
static __device__ __noinline__ four block_called(int kind, uint64_t k0, uint64_t k1, four counter, uint64_t block)
{
    const cpi_bit_stream from = {kind, 0, {k0, k1}, {counter.a, counter.b, counter.c, counter.d}, {}};
    uint64_t w[4];
    cpr_block(&from, block, w);
    return {w[0], w[1], w[2], w[3]};
}

__device__ __forceinline__ void fast_block(const source &s, int64_t block, uint64_t w[4])
{
    const uint64_t c = s.least + (uint64_t)block, d1 = cpr_high(CPR_M0, c) ^ s.d1;
    uint64_t a = cpr_high(CPR_M1, d1) ^ s.a2, b = CPR_M1 * d1, d = s.d2 ^ CPR_M0 * c, e = s.e2;
#pragma unroll
    for (int r = 0; r < 8; r++) {
        const uint64_t h0 = cpr_high(CPR_M0, a), h1 = cpr_high(CPR_M1, d);
        const uint64_t l0 = CPR_M0 * a, l1 = CPR_M1 * d;
        a = h1 ^ b ^ s.key0[r];
        b = l1;
        d = h0 ^ e ^ s.key1[r];
        e = l0;
    }
    w[0] = a, w[1] = b, w[2] = d, w[3] = e;
}

/* 32 bits times 32; of an ordinary product the compiler adds the halves that are 0 */
__device__ __forceinline__ uint64_t wide(uint32_t a, uint32_t b)
{
    uint64_t p;
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(p) : "r"(a), "r"(b));
    return p;
}

/* The two words of a value of the counter, the `value`-th behind the first one */
__device__ __forceinline__ void fast_pair32(const source &s, uint32_t value, uint64_t w[2])
{
    const uint64_t p = wide(CPR_M0_32, (uint32_t)s.least + value);
    uint64_t q = wide(CPR_M1_32, (uint32_t)(p >> 32) ^ (uint32_t)s.d1);
    uint32_t a = (uint32_t)(q >> 32) ^ (uint32_t)s.a2, b = (uint32_t)q;
    uint32_t d = (uint32_t)s.d2 ^ (uint32_t)p, e = (uint32_t)s.e2;
#pragma unroll
    for (int r = 0; r < 8; r++) {
        const uint64_t x = wide(CPR_M0_32, a);
        q = wide(CPR_M1_32, d);
        a = (uint32_t)(q >> 32) ^ b ^ (uint32_t)s.key0[r];
        b = (uint32_t)q;
        d = (uint32_t)(x >> 32) ^ e ^ (uint32_t)s.key1[r];
        e = (uint32_t)x;
    }
    w[0] = a | (uint64_t)b << 32;
    w[1] = d | (uint64_t)e << 32;
}

__device__ __forceinline__ void fast_block32(const source &s, int64_t block, uint64_t w[4])
{
    fast_pair32(s, 2 * (uint32_t)block, w);
    fast_pair32(s, 2 * (uint32_t)block + 1, w + 2);
}

/* EACH blocks of four words, THREADS apart; of a block before the first one anything. KIND is that which is fast; what
 * comes of a generator may be EITHER. */
enum { EITHER = -1 };
template <int KIND, int EACH = 1>
__device__ __forceinline__ void block_of(const source &s, int64_t block, uint64_t w[4 * EACH])
{
    if (KIND != CPR_PHILOX32 && s.fast && s.from.kind == CPR_PHILOX) {
#pragma unroll
        for (int e = 0; e < EACH; e++) fast_block(s, block + e * THREADS, w + 4 * e);
        return;
    }
    if (KIND != CPR_PHILOX && s.fast && s.from.kind == CPR_PHILOX32) {
#pragma unroll
        for (int e = 0; e < EACH; e++) fast_block32(s, block + e * THREADS, w + 4 * e);
        return;
    }
#pragma unroll
    for (int e = 0; e < EACH; e++, block += THREADS, w += 4) {
        if (s.words) {
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const int64_t at = 4 * block + i;
                w[i] = at >= 0 && at < s.words_n ? s.words[at] : 0;
            }
        } else {
            const uint64_t *c = s.from.counter;
            const four b = block_called(s.from.kind, s.from.key[0], s.from.key[1], {c[0], c[1], c[2], c[3]},
                                        (uint64_t)block);
            w[0] = b.a, w[1] = b.b, w[2] = b.c, w[3] = b.d;
        }
    }
}

/* 32 bytes of each lane, one lane's behind the other's, where `to` is a multiple of 16: neighbours exchange halves, so
 * that a store of the warp fills whole sectors of memory. All lanes are here. */
__device__ __forceinline__ void store_warp(void *to, const uint64_t v[4])
{
    const bool odd = threadIdx.x & 1;
    ulonglong2 got, *at = (ulonglong2 *)to;
    got.x = __shfl_xor_sync(0xffffffffu, odd ? v[0] : v[2], 1);
    got.y = __shfl_xor_sync(0xffffffffu, odd ? v[1] : v[3], 1);
    at[odd ? -1 : 0] = odd ? got : make_ulonglong2(v[0], v[1]); /* the even lane's 32 bytes */
    at[odd ? 1 : 2] = odd ? make_ulonglong2(v[2], v[3]) : got;
}

/* Do the elements of all lanes of the warp, `each` to a lane and those of this one from `at` on, lie in least..n? Then
 * no lane has returned. */
__device__ __forceinline__ bool whole_warp(int64_t at, int each, int64_t least, int64_t n)
{
    const int64_t begin = at - (int64_t)(threadIdx.x % 32) * each;
    return begin >= least && begin + 32 * each <= n;
}

/* EACH elements of a lane from `at` on; those in least..n are wanted. TOGETHER: the warp fills sectors, which pays
 * where nothing else takes its time. */
template <class T, int EACH, bool TOGETHER>
__device__ __forceinline__ void store(T *out, int64_t at, int64_t least, int64_t n, const T v[EACH])
{
    static_assert(EACH * sizeof(T) == 32 || EACH * sizeof(T) == 16, "a lane stores 16 or 32 bytes");
    if (whole_warp(at, EACH, least, n) && (uintptr_t)(out + at) % 16 == 0) {
        uint64_t bits[EACH * sizeof(T) / 8];
        memcpy(bits, v, sizeof bits);
        ulonglong2 *to = (ulonglong2 *)(out + at);
        if constexpr (sizeof bits == 32 && TOGETHER) {
            store_warp(to, bits);
        } else {
            to[0] = make_ulonglong2(bits[0], bits[1]);
            if constexpr (sizeof bits == 32) to[1] = make_ulonglong2(bits[2], bits[3]);
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < EACH; i++)
        if (at + i >= least && at + i < n) out[at + i] = v[i];
}

} // namespace cpr

#endif
