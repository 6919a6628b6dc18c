/* Random numbers on the CPU: words, and the elements made from a chunk of them. Loops over branch-free samplers are
 * vectorized; the bits are those of samplers.h on any instruction set. */
#include <stddef.h>
#include <string.h>

#include "cpu/features.h"
#include "cpu/intrinsics.h"
#include "random/cpu.h"
#include "random/samplers.h"

cpi_random_first CPI_ISA_NAME(cpi_random_first_of)(const cpi_draw *d); /* source_simd.c; NULL: none */

/* --- words --- */

/* A round of a block, by the hardware's 64 x 64-bit multiplication. */
static inline __attribute__((always_inline)) void one_round(uint64_t w[4], uint64_t k0, uint64_t k1)
{
    const unsigned __int128 p = (unsigned __int128)CPR_M0 * w[0], q = (unsigned __int128)CPR_M1 * w[2];
    w[0] = (uint64_t)(q >> 64) ^ w[1] ^ k0;
    w[1] = (uint64_t)q;
    w[2] = (uint64_t)(p >> 64) ^ w[3] ^ k1;
    w[3] = (uint64_t)p;
    __asm__("" : "+r"(w[0]), "+r"(w[2])); /* keeps compilers from packing both into vectors and unpacking them again */
}

/* The first two rounds of the part of the counter that adjacent blocks share: half of their products.
 * Round 0 leaves (a, l1, h0(c[0]) ^ x, l0(c[0])); round 1 makes the first of these (h1 ^ y, l1, l0 ^ z, l). */
typedef struct shared_part { uint64_t x, y, z, l; } shared_part;

static inline __attribute__((always_inline)) shared_part share(const cpi_bit_stream *s, const uint64_t c[4])
{
    const unsigned __int128 q = (unsigned __int128)CPR_M1 * c[2];
    const uint64_t a = (uint64_t)(q >> 64) ^ c[1] ^ s->key[0];
    const unsigned __int128 p = (unsigned __int128)CPR_M0 * a;
    return (shared_part){c[3] ^ s->key[1], (uint64_t)q ^ (s->key[0] + CPR_W0),
                         (uint64_t)(p >> 64) ^ (s->key[1] + CPR_W1), (uint64_t)p};
}

static inline __attribute__((always_inline)) void begin(const shared_part *p, uint64_t counter, uint64_t w[4])
{
    const unsigned __int128 l0 = (unsigned __int128)CPR_M0 * counter;
    const unsigned __int128 l1 = (unsigned __int128)CPR_M1 * ((uint64_t)(l0 >> 64) ^ p->x);
    w[0] = (uint64_t)(l1 >> 64) ^ p->y;
    w[1] = (uint64_t)l1;
    w[2] = (uint64_t)l0 ^ p->z;
    w[3] = p->l;
    __asm__("" : "+r"(w[0]), "+r"(w[2]));
}

#if defined(__AVX512F__) && defined(__AVX512DQ__)
typedef struct lanes { __m512i w[4]; } lanes;

/* x times a constant (its lower and upper half are given): the upper words, and the lower ones at *low */
static inline __attribute__((always_inline)) __m512i multiply(__m512i x, __m512i ml, __m512i mh, __m512i *low)
{
    const __m512i mask = _mm512_set1_epi64(0xffffffff), xh = _mm512_srli_epi64(x, 32);
    const __m512i ll = _mm512_mul_epu32(x, ml), lh = _mm512_mul_epu32(xh, ml);
    const __m512i hl = _mm512_mul_epu32(x, mh), hh = _mm512_mul_epu32(xh, mh);
    const __m512i t = _mm512_add_epi64(hl, _mm512_srli_epi64(ll, 32));
    const __m512i u = _mm512_add_epi64(lh, _mm512_and_si512(t, mask));
    *low = _mm512_mask_shuffle_epi32(ll, 0xaaaa, u, (_MM_PERM_ENUM)0xa0);
    return _mm512_add_epi64(_mm512_add_epi64(hh, _mm512_srli_epi64(t, 32)), _mm512_srli_epi64(u, 32));
}

/* One round of eight blocks. */
#define ROUND(v, k0, k1)                                                                                       \
    do {                                                                                                       \
        __m512i l0, l1;                                                                                        \
        const __m512i h0 = multiply((v)->w[0], ml0, mh0, &l0), h1 = multiply((v)->w[2], ml1, mh1, &l1);        \
        (v)->w[0] = _mm512_ternarylogic_epi64(h1, (v)->w[1], k0, 0x96);                                        \
        (v)->w[1] = l1;                                                                                        \
        (v)->w[2] = _mm512_ternarylogic_epi64(h0, (v)->w[3], k1, 0x96);                                        \
        (v)->w[3] = l0;                                                                                        \
    } while (0)

/* So many times eight blocks, as vectors of their words 0, 1, 2, 3, and the `single` blocks after them at `out`, which
 * the scalar multiplier computes meanwhile. With fewer, products wait for one another. */
enum { VECTORS = 4, SINGLE = 4 };
static inline __attribute__((always_inline)) void many(const cpi_bit_stream *s, const uint64_t c[4], const int vectors,
                                                       const int single, lanes *v, uint64_t *out)
{
    const __m512i ml0 = _mm512_set1_epi64((int64_t)(CPR_M0 & 0xffffffff)), mh0 = _mm512_set1_epi64(CPR_M0 >> 32);
    const __m512i ml1 = _mm512_set1_epi64((int64_t)(CPR_M1 & 0xffffffff)), mh1 = _mm512_set1_epi64(CPR_M1 >> 32);
    const __m512i w0 = _mm512_set1_epi64((int64_t)CPR_W0), w1 = _mm512_set1_epi64((int64_t)CPR_W1);
    const shared_part p = share(s, c);
    uint64_t one[SINGLE][4], s0 = s->key[0] + 2 * CPR_W0, s1 = s->key[1] + 2 * CPR_W1;
    __m512i k0 = _mm512_set1_epi64((int64_t)s0), k1 = _mm512_set1_epi64((int64_t)s1);
    _Pragma("GCC unroll 8") for (int i = 0; i < vectors; i++) {
        const __m512i first = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
        __m512i l0, l1;
        const __m512i h0 = multiply(_mm512_add_epi64(_mm512_set1_epi64((int64_t)c[0] + 8 * i), first), ml0, mh0, &l0);
        const __m512i h1 = multiply(_mm512_xor_si512(h0, _mm512_set1_epi64((int64_t)p.x)), ml1, mh1, &l1);
        v[i].w[0] = _mm512_xor_si512(h1, _mm512_set1_epi64((int64_t)p.y));
        v[i].w[1] = l1;
        v[i].w[2] = _mm512_xor_si512(l0, _mm512_set1_epi64((int64_t)p.z));
        v[i].w[3] = _mm512_set1_epi64((int64_t)p.l);
    }
    for (int i = 0; i < single; i++) begin(&p, c[0] + 8 * (uint64_t)vectors + (uint64_t)i, one[i]);
    _Pragma("GCC unroll 8") for (int r = 2; r < 10; r++, s0 += CPR_W0, s1 += CPR_W1) {
        _Pragma("GCC unroll 8") for (int i = 0; i < vectors; i++) ROUND(&v[i], k0, k1);
        _Pragma("GCC unroll 8") for (int i = 0; i < single; i++) one_round(one[i], s0, s1);
        k0 = _mm512_add_epi64(k0, w0);
        k1 = _mm512_add_epi64(k1, w1);
    }
    for (int i = 0; i < single; i++)
        for (int k = 0; k < 4; k++) out[4 * i + k] = one[i][k];
}

static inline __attribute__((always_inline)) void put(const lanes *v, uint64_t *out)
{
    const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11),
                  high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    const __m512i t0 = _mm512_unpacklo_epi64(v->w[0], v->w[1]), t1 = _mm512_unpackhi_epi64(v->w[0], v->w[1]);
    const __m512i t2 = _mm512_unpacklo_epi64(v->w[2], v->w[3]), t3 = _mm512_unpackhi_epi64(v->w[2], v->w[3]);
    const __m512i p = _mm512_permutex2var_epi64(t0, low, t2), q = _mm512_permutex2var_epi64(t1, low, t3);
    const __m512i g = _mm512_permutex2var_epi64(t0, high, t2), h = _mm512_permutex2var_epi64(t1, high, t3);
    _mm512_storeu_si512(out, _mm512_shuffle_i64x2(p, q, 0x44));      /* blocks 0 and 1 */
    _mm512_storeu_si512(out + 8, _mm512_shuffle_i64x2(p, q, 0xee));
    _mm512_storeu_si512(out + 16, _mm512_shuffle_i64x2(g, h, 0x44));
    _mm512_storeu_si512(out + 24, _mm512_shuffle_i64x2(g, h, 0xee));
}

/* Fills blocks from `block` on in batches, after the `done` ones; returns how many are done. */
static inline __attribute__((always_inline)) int64_t fill_by(const cpi_bit_stream *s, int64_t block, int64_t done,
                                                             int64_t blocks, const int vectors, const int single,
                                                             uint64_t *out)
{
    const int batch = 8 * vectors + single;
    uint64_t c[4];
    for (; done + batch <= blocks; done += batch) {
        cpr_count(s->counter, (uint64_t)(block + done), c);
        if (c[0] > UINT64_MAX - (uint64_t)batch) break; /* a carry within the batch */
        lanes v[VECTORS];
        uint64_t *to = out + 4 * done, *rest = to + 32 * vectors;
        many(s, c, vectors, single, v, rest);
        _Pragma("GCC unroll 8") for (int i = 0; i < vectors; i++) put(&v[i], to + 32 * i);
    }
    return done;
}

/* Whole blocks of Philox 4x64, many at a time; returns how many. */
static int64_t fill_many(const cpi_bit_stream *s, int64_t block, int64_t blocks, uint64_t *out)
{
    int64_t done = fill_by(s, block, 0, blocks, VECTORS, SINGLE, out);
    done = fill_by(s, block, done, blocks, 2, 0, out);
    return fill_by(s, block, done, blocks, 1, 0, out);
}
#else
/* Whole blocks of Philox 4x64, four at a time, with independent products; returns how many. */
enum { BATCH = 4 };
static int64_t fill_many(const cpi_bit_stream *s, int64_t block, int64_t blocks, uint64_t *out)
{
    uint64_t c[4], w[BATCH][4];
    int64_t done = 0;
    for (; done + BATCH <= blocks; done += BATCH) {
        uint64_t k0 = s->key[0] + 2 * CPR_W0, k1 = s->key[1] + 2 * CPR_W1;
        cpr_count(s->counter, (uint64_t)(block + done), c);
        if (c[0] > UINT64_MAX - BATCH) break; /* a carry within the batch */
        const shared_part p = share(s, c);
        for (int i = 0; i < BATCH; i++) begin(&p, c[0] + (uint64_t)i, w[i]);
        for (int r = 2; r < 10; r++, k0 += CPR_W0, k1 += CPR_W1)
            _Pragma("GCC unroll 8") for (int i = 0; i < BATCH; i++) one_round(w[i], k0, k1);
        memcpy(out + 4 * done, w, sizeof w);
    }
    return done;
}
#endif

/* The same of Philox 4x32, where no carry goes beyond the counter's lowest 32 bits; 64-bit lanes hold 32 bits, the
 * upper ones are undefined. Adjacent lanes hold blocks half a vector from each other, as the unpack instructions
 * interleave them. */
#if defined(__AVX512F__)
typedef __m512i vector;
enum { LANES = 8, CHAINS = 4 }; /* independent products hide each other's latency */
#define V(f) _mm512_##f
#define V_SET(x) _mm512_set1_epi64(x)
#define V_XOR(a, b, c) _mm512_ternarylogic_epi64(a, b, c, 0x96)
#define V_JOIN(low, high) _mm512_mask_shuffle_epi32(low, 0xaaaa, high, (_MM_PERM_ENUM)0xa0)
#define V_PUT(out, v) _mm512_storeu_si512(out, v)
static inline __attribute__((always_inline)) vector lanes32(void) { return _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7); }
#elif defined(__AVX2__)
typedef __m256i vector;
enum { LANES = 4, CHAINS = 2 };
#define V(f) _mm256_##f
#define V_SET(x) _mm256_set1_epi64x(x)
#define V_XOR(a, b, c) _mm256_xor_si256(_mm256_xor_si256(b, c), a)
#define V_JOIN(low, high) _mm256_blend_epi32(low, _mm256_slli_epi64(high, 32), 0xaa)
#define V_PUT(out, v) _mm256_storeu_si256((__m256i *)(out), v)
static inline __attribute__((always_inline)) vector lanes32(void) { return _mm256_setr_epi64x(0, 2, 1, 3); }
#elif defined(__x86_64__)
typedef __m128i vector;
enum { LANES = 2, CHAINS = 4 };
#define V(f) _mm_##f
#define V_SET(x) _mm_set1_epi64x(x)
#define V_XOR(a, b, c) _mm_xor_si128(_mm_xor_si128(b, c), a)
#define V_JOIN(low, high) _mm_blend_epi16(low, _mm_slli_epi64(high, 32), 0xcc)
#define V_PUT(out, v) _mm_storeu_si128((__m128i *)(out), v)
static inline __attribute__((always_inline)) vector lanes32(void) { return _mm_set_epi64x(1, 0); }
#endif

/* What all blocks of a chunk share, since only the counter's lowest word differs: keys, and the other words after the
 * first two rounds. */
typedef struct shared32 { uint32_t d0, a1, d1, e1, key0[8], key1[8]; } shared32;

static shared32 shared_of(const cpi_bit_stream *s, const uint64_t c[4])
{
    uint32_t k0 = (uint32_t)s->key[0], k1 = (uint32_t)(s->key[0] >> 32);
    const uint64_t q = (uint64_t)CPR_M1_32 * (uint32_t)c[1];
    const uint64_t p = (uint64_t)CPR_M0_32 * ((uint32_t)(q >> 32) ^ (uint32_t)(c[0] >> 32) ^ k0);
    shared32 r = {.d0 = (uint32_t)(c[1] >> 32) ^ k1, .e1 = (uint32_t)p};
    k0 += CPR_W0_32, k1 += CPR_W1_32;
    r.a1 = (uint32_t)q ^ k0;
    r.d1 = (uint32_t)(p >> 32) ^ k1;
    for (int i = 0; i < 8; i++) r.key0[i] = k0 += CPR_W0_32, r.key1[i] = k1 += CPR_W1_32;
    return r;
}

#if defined(__x86_64__)
enum { AT_ONCE = CHAINS * LANES };
static inline __attribute__((always_inline)) void many32(const shared32 *s, uint32_t counter, uint64_t *out)
{
    const vector m0 = V_SET(CPR_M0_32), m1 = V_SET(CPR_M1_32), zero = V_SET(0);
    vector a[CHAINS], b[CHAINS], d[CHAINS], e[CHAINS];
    for (int i = 0; i < CHAINS; i++) {
        const vector p = V(mul_epu32)(V(add_epi64)(V_SET((int64_t)counter + i * LANES), lanes32()), m0);
        b[i] = V(mul_epu32)(V_XOR(V(srli_epi64)(p, 32), V_SET(s->d0), zero), m1);
        a[i] = V_XOR(V(srli_epi64)(b[i], 32), V_SET(s->a1), zero);
        d[i] = V_XOR(p, V_SET(s->d1), zero);
        e[i] = V_SET(s->e1);
    }
#pragma GCC unroll 8
    for (int r = 0; r < 8; r++) {
        const vector x = V_SET(s->key0[r]), y = V_SET(s->key1[r]);
        for (int i = 0; i < CHAINS; i++) {
            const vector p = V(mul_epu32)(a[i], m0), q = V(mul_epu32)(d[i], m1);
            a[i] = V_XOR(V(srli_epi64)(q, 32), b[i], x);
            d[i] = V_XOR(V(srli_epi64)(p, 32), e[i], y);
            b[i] = q;
            e[i] = p;
        }
    }
    for (int i = 0; i < CHAINS; i++) {
        const vector low = V_JOIN(a[i], b[i]), high = V_JOIN(d[i], e[i]);
        V_PUT(out + 2 * LANES * i, V(unpacklo_epi64)(low, high));
        V_PUT(out + 2 * LANES * i + LANES, V(unpackhi_epi64)(low, high));
    }
}
#else
enum { AT_ONCE = 4 };
static inline __attribute__((always_inline)) void many32(const shared32 *s, uint32_t counter, uint64_t *out)
{
    uint32_t a[AT_ONCE], b[AT_ONCE], d[AT_ONCE], e[AT_ONCE];
    for (int i = 0; i < AT_ONCE; i++) {
        const uint64_t p = (uint64_t)CPR_M0_32 * (counter + (uint32_t)i);
        const uint64_t q = (uint64_t)CPR_M1_32 * ((uint32_t)(p >> 32) ^ s->d0);
        a[i] = (uint32_t)(q >> 32) ^ s->a1;
        b[i] = (uint32_t)q;
        d[i] = (uint32_t)p ^ s->d1;
        e[i] = s->e1;
    }
    for (int r = 0; r < 8; r++)
        for (int i = 0; i < AT_ONCE; i++) {
            const uint64_t p = (uint64_t)CPR_M0_32 * a[i], q = (uint64_t)CPR_M1_32 * d[i];
            a[i] = (uint32_t)(q >> 32) ^ b[i] ^ s->key0[r];
            b[i] = (uint32_t)q;
            d[i] = (uint32_t)(p >> 32) ^ e[i] ^ s->key1[r];
            e[i] = (uint32_t)p;
        }
    for (int i = 0; i < AT_ONCE; i++) {
        out[2 * i] = a[i] | (uint64_t)b[i] << 32;
        out[2 * i + 1] = d[i] | (uint64_t)e[i] << 32;
    }
}
#endif

static int64_t fill_many32(const cpi_bit_stream *s, int64_t block, int64_t blocks, uint64_t *out)
{
    uint64_t c[4];
    int64_t done = 0;
    cpr_count(s->counter, 2 * (uint64_t)block, c);
    const shared32 shared = shared_of(s, c);
    for (; 2 * done + AT_ONCE <= 2 * blocks; done += AT_ONCE / 2) {
        const uint64_t counter = (uint64_t)(uint32_t)c[0] + 2 * (uint64_t)done;
        if (counter > UINT32_MAX - AT_ONCE) break;
        many32(&shared, (uint32_t)counter, out + 4 * done);
    }
    return done;
}

static void fill_words(const cpi_bit_stream *from, int64_t first, int64_t n, uint64_t *out)
{
    uint64_t w[4];
    int64_t at = first + from->skip, i = 0;
    while (i < n && (at + i) % 4) { /* the rest of a block */
        cpr_block(from, (uint64_t)(at + i) / 4, w);
        for (int64_t k = (at + i) % 4; k < 4 && i < n; k++) out[i++] = w[k];
    }
    int64_t block = (at + i) / 4;
    const int64_t done = (from->kind == CPR_PHILOX ? fill_many : fill_many32)(from, block, (n - i) / 4, out + i);
    i += 4 * done;
    block += done;
    for (; i + 4 <= n; i += 4) cpr_block(from, (uint64_t)block++, out + i);
    if (i < n) {
        cpr_block(from, (uint64_t)block, w);
        for (int64_t k = 0; i < n; k++) out[i++] = w[k];
    }
}

/* --- distributions --- */

static void store(const cpi_draw *d, int64_t at, int64_t n, const double *v)
{
    if (d->type == CP_FLOAT32) {
        float *out = (float *)d->out + at;
        for (int64_t i = 0; i < n; i++) out[i] = (float)v[i];
    } else if (d->type == CP_INT64) {
        int64_t *out = (int64_t *)d->out + at;
        for (int64_t i = 0; i < n; i++) out[i] = cpr_whole(v[i]);
    }
}

#define PARAMETERS                                                                                             \
    const double a = d->array[0] ? d->array[0][at + i] : d->value[0];                                          \
    const double b = d->array[1] ? d->array[1][at + i] : d->value[1];                                          \
    const double c = d->array[2] ? d->array[2][at + i] : d->value[2];

#define WORD_DISTRIBUTION(DISTRIBUTION)                                                                        \
    static void numbers_##DISTRIBUTION(const cpi_draw *d, const uint64_t *w, int64_t at, int64_t n, double *v) \
    {                                                                                                          \
        const double a = d->value[0], b = d->value[1], c = d->value[2];                                        \
        (void)at;                                                                                              \
        for (int64_t i = 0; i < n; i++) v[i] = cpr_from_word(CPR_##DISTRIBUTION, w[i], a, b, c);               \
    }                                                                                                          \
    static void arrays_##DISTRIBUTION(const cpi_draw *d, const uint64_t *w, int64_t at, int64_t n, double *v)  \
    {                                                                                                          \
        for (int64_t i = 0; i < n; i++) {                                                                      \
            PARAMETERS                                                                                         \
            v[i] = cpr_from_word(CPR_##DISTRIBUTION, w[i], a, b, c);                                           \
        }                                                                                                      \
    }
CPR_WORD_KINDS(WORD_DISTRIBUTION)

static void numbers_TABLE(const cpi_draw *d, const uint64_t *w, int64_t at, int64_t n, double *v)
{
    const uint64_t *cdf = d->cdf + CPR_GUIDE_WORDS;
    const uint16_t *guide = (const uint16_t *)d->cdf;
    int64_t *out = (int64_t *)d->out + at;
    (void)v;
    for (int64_t i = 0; i < n; i++) out[i] = d->least + cpr_table_search(cdf, guide, w[i]);
}

/* float32 is computed in float32, two from a word */
static void narrow_pairs(const uint64_t *w, int64_t n, float *v) /* n even */
{
    for (int64_t i = 0; i < n / 2; i++) cpr_normals32(w[i], &v[2 * i], &v[2 * i + 1]);
}

static void narrow_normals(const cpi_draw *d, const uint64_t *w, int64_t at, int64_t n)
{
    float last[2], *v = (float *)d->out + at;
    narrow_pairs(w, n & ~INT64_C(1), v);
    if (n & 1) narrow_pairs(w + n / 2, 2, last), v[n - 1] = last[0];
    const double a = d->value[0], b = d->value[1];
    if (!d->array[0] && !d->array[1] && a == 0 && b == 1) return;
    for (int64_t i = 0; i < n; i++) {
        const double loc = d->array[0] ? d->array[0][at + i] : a, scale = d->array[1] ? d->array[1][at + i] : b;
        v[i] = (float)(loc + scale * (double)v[i]);
    }
}

static void pairs(const uint64_t *w, int64_t n, double *v) /* n even */
{
    for (int64_t i = 0; i < n / 2; i++) cpr_normals(w[2 * i], w[2 * i + 1], &v[2 * i], &v[2 * i + 1]);
}

static void pair_distribution(const cpi_draw *d, const uint64_t *w, int64_t at, int64_t n, double *v)
{
    double last[2];
    pairs(w, n & ~INT64_C(1), v);
    if (n & 1) pairs(w + n - 1, 2, last), v[n - 1] = last[0];
    const bool log = d->distribution == CPR_LOGNORMAL;
    if (!d->array[0] && !d->array[1]) {
        const double a = d->value[0], b = d->value[1];
        if (a != 0 || b != 1)
            for (int64_t i = 0; i < n; i++) v[i] = a + b * v[i];
    } else {
        for (int64_t i = 0; i < n; i++) {
            PARAMETERS
            (void)c;
            v[i] = a + b * v[i];
        }
    }
    if (log)
        for (int64_t i = 0; i < n; i++) v[i] = cpr_exp(v[i]);
}

#define SOURCE_DISTRIBUTION(DISTRIBUTION)                                                                      \
    static void one_##DISTRIBUTION(const cpi_draw *d, const uint64_t *w, int64_t at, int64_t i, double *v)     \
    {                                                                                                          \
        cpr_source s;                                                                                          \
        PARAMETERS                                                                                             \
        (void)b, (void)c;                                                                                      \
        cpr_begin(&s, w + 4 * i);                                                                              \
        v[i] = cpr_of_source(CPR_##DISTRIBUTION, &s, a, b, c);                                                 \
    }                                                                                                          \
    static void source_##DISTRIBUTION(const cpi_draw *d, const uint64_t *w, int64_t at, int64_t n, double *v)  \
    {                                                                                                          \
        const cpi_random_first first = n > 1 ? CPI_ISA_NAME(cpi_random_first_of)(d) : NULL;                    \
        int64_t good[CPI_RANDOM_CHUNK / 4];                                                                    \
        if (first) first(d, w, n, v, good);                                                                    \
        for (int64_t i = 0; i < n; i++)                                                                        \
            if (!first || !good[i]) one_##DISTRIBUTION(d, w, at, i, v);                                        \
    }
CPR_SOURCE_KINDS(SOURCE_DISTRIBUTION)

typedef void (*distribution)(const cpi_draw *d, const uint64_t *w, int64_t at, int64_t n, double *v);
static const distribution of_numbers[] = {
#define X(DISTRIBUTION) [CPR_##DISTRIBUTION] = numbers_##DISTRIBUTION,
    CPR_WORD_KINDS(X) CPR_TABLE_KINDS(X)
#undef X
#define X(DISTRIBUTION) [CPR_##DISTRIBUTION] = pair_distribution,
    CPR_PAIR_KINDS(X)
#undef X
#define X(DISTRIBUTION) [CPR_##DISTRIBUTION] = source_##DISTRIBUTION,
    CPR_SOURCE_KINDS(X)
#undef X
};
static const distribution of_arrays[] = {
#define X(DISTRIBUTION) [CPR_##DISTRIBUTION] = arrays_##DISTRIBUTION,
    CPR_WORD_KINDS(X)
#undef X
};

static void rows(const cpi_draw *d, const uint64_t *w, int64_t at, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        cpr_source s;
        const double whole = d->array[0] ? d->array[0][at + i] : d->value[0];
        cpr_begin(&s, w + 4 * i);
        if (d->type == CP_FLOAT64)
            cpr_row_of_reals(&s, d->table + (at + i) * d->table_step, d->width,
                             (double *)d->out + (at + i) * d->width);
        else
            cpr_row_of_wholes(d->distribution, &s, d->table + (at + i) * d->table_step, d->width, whole,
                              (int64_t *)d->out + (at + i) * (d->distribution == CPR_CHOICE ? 1 : d->width));
    }
}

static void draw(const cpi_draw *d, const uint64_t *w, int64_t at, int64_t n)
{
    double v[CPI_RANDOM_CHUNK];
    if (d->distribution >= CPR_CHOICE) {
        rows(d, w, at, n);
        return;
    }
    if (d->distribution == CPR_NORMAL && d->type == CP_FLOAT32) {
        narrow_normals(d, w, at, n);
        return;
    }
    const bool arrays = d->distribution < CPR_TABLE && (d->array[0] || d->array[1] || d->array[2]);
    double *to = d->type == CP_FLOAT64 ? (double *)d->out + at : v;
    (arrays ? of_arrays : of_numbers)[d->distribution](d, w, at, n, to);
    if (d->distribution != CPR_TABLE) store(d, at, n, to);
}

/* --- uniform parts --- */

static void floats(const uint32_t *part, int64_t n, float *out)
{
    for (int64_t i = 0; i < n; i++) out[i] = cpr_unit32(part[i]);
}

/* All numbers first, vectorized; if some part was rejected, again one by one. */
#define INTEGERS(NAME, P, BITS, T)                                                                             \
    static int64_t NAME(const cpi_integers *q, const P *part, int64_t n, T *out)                               \
    {                                                                                                          \
        const uint64_t range = q->range, threshold = cpr_threshold(range, BITS);                               \
        const T off = (T)q->off;                                                                               \
        uint64_t x;                                                                                            \
        bool good = true;                                                                                      \
        for (int64_t i = 0; i < n; i++) {                                                                      \
            good &= cpr_bounded(part[i], range, BITS, threshold, &x);                                          \
            out[i] = (T)(off + (T)x);                                                                          \
        }                                                                                                      \
        if (good) return n;                                                                                    \
        int64_t k = 0;                                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                                      \
            const bool here = cpr_bounded(part[i], range, BITS, threshold, &x);                                \
            out[k] = (T)(off + (T)x);                                                                          \
            k += here;                                                                                         \
        }                                                                                                      \
        return k;                                                                                              \
    }
#define EACH_TYPE(P, BITS)                                                                                     \
    INTEGERS(part##BITS##_1, P, BITS, uint8_t)                                                                 \
    INTEGERS(part##BITS##_2, P, BITS, uint16_t)                                                                \
    INTEGERS(part##BITS##_4, P, BITS, uint32_t)                                                                \
    INTEGERS(part##BITS##_8, P, BITS, uint64_t)                                                                \
    static int64_t part##BITS(const cpi_integers *q, const void *p, int64_t n, void *out, int size)            \
    {                                                                                                          \
        return size == 1   ? part##BITS##_1(q, p, n, out)                                                      \
               : size == 2 ? part##BITS##_2(q, p, n, out)                                                      \
               : size == 4 ? part##BITS##_4(q, p, n, out)                                                      \
                           : part##BITS##_8(q, p, n, out);                                                     \
    }
EACH_TYPE(uint8_t, 8)
EACH_TYPE(uint16_t, 16)
EACH_TYPE(uint32_t, 32)
EACH_TYPE(uint64_t, 64)

static int64_t integers(const cpi_integers *q, const void *part, int from, int64_t n, void *out)
{
    const int size = (int)cp_type_size(q->type);
    if (q->bits == 64) return part64(q, part, n, out, size);
    if (q->bits == 32) return part32(q, part, n, out, size);
    if (q->bits == 16) return part16(q, part, n, out, size);
    if (q->bits == 8) return part8(q, part, n, out, size);
    const uint32_t *word = part;
    uint8_t *to = out;
    for (int64_t i = 0; i < n; i++) to[i] = (uint8_t)(q->off + (word[(from + i) / 32] >> ((from + i) % 32) & 1));
    return n;
}

const cpi_random_simd CPI_ISA_NAME(cpi_random_simd) = {fill_words, draw, floats, integers};
