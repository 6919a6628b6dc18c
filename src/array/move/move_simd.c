/* Everything about moving elements on the CPU: conversion between all types, gathering and scattering of strided
 * elements, transposition, copies past the caches. */
#include <string.h>

#include "cpu/bytes.h"
#include "cpu/intrinsics.h"
#include "move/kernels.h"
#include "scalar/convert.h"

#define EACH _Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++)

/* --- conversion --- */
#ifdef __F16C__
#ifdef __AVX512F__
enum { WIDENED = 16 };
#define WIDEN(to, from) _mm512_storeu_ps(to, _mm512_cvtph_ps(_mm256_loadu_si256((const void *)(from))))
#else
enum { WIDENED = 8 };
#define WIDEN(to, from) _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128((const void *)(from))))
#endif
static void widen_f16(void *out_, const void *in_, int64_t n)
{
    enum { LINE = 32 };
    float *out = out_;
    const uint16_t *in = in_;
    int64_t i = 0;
    for (; i + LINE <= n; i += LINE) { /* chunks are short: what comes next is asked for meanwhile */
        _mm_prefetch((const char *)(in + i) + 1024, _MM_HINT_T0);
        for (int k = 0; k < LINE; k += WIDENED) WIDEN(out + i + k, in + i + k);
    }
    for (; i + WIDENED <= n; i += WIDENED) WIDEN(out + i, in + i);
    for (; i < n; i++) out[i] = _cvtsh_ss(in[i]);
}
static void narrow_f16(void *out_, const void *in_, int64_t n)
{
    uint16_t *out = out_;
    const float *in = in_;
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128((void *)(out + i), _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT));
    for (; i < n; i++) out[i] = _cvtss_sh(in[i], _MM_FROUND_TO_NEAREST_INT);
}
#define convert_f16_f32 widen_f16
#define convert_f32_f16 narrow_f16
#endif

#include "move/converters.h"

/* --- strided elements --- */
typedef struct { uint64_t a, b; } pair;
#define BY_SIZE(DO)               \
    switch (size) {               \
    case 1: DO(uint8_t) break;    \
    case 2: DO(uint16_t) break;   \
    case 4: DO(uint32_t) break;   \
    case 8: DO(uint64_t) break;   \
    default: DO(pair) break;      \
    }

static void gather(void *out_, const void *in_, int64_t stride, int64_t n, int size)
{
    const char *in = in_;
    if (stride == size) {
        cpi_copy_bytes(out_, in_, (size_t)(n * size));
        return;
    }
#define GATHER(E)                                                         \
    {                                                                     \
        E *out = out_;                                                    \
        if (stride == 2 * (int64_t)sizeof(E)) {                           \
            EACH out[i] = ((const E *)in)[2 * i];                         \
        } else if (stride == -(int64_t)sizeof(E)) {                       \
            const E *last = (const E *)in - (n - 1);                      \
            EACH out[i] = last[n - 1 - i];                                \
        } else if (stride == 0) {                                         \
            const E v = *(const E *)in;                                   \
            EACH out[i] = v;                                              \
        } else if (stride == 3 * (int64_t)sizeof(E)) {                    \
            EACH out[i] = ((const E *)in)[3 * i];                         \
        } else {                                                          \
            int64_t i = 0;                                                \
            for (; i + 4 <= n; i += 4, in += 4 * stride) {                \
                const E v = *(const E *)in, w = *(const E *)(in + stride), x = *(const E *)(in + 2 * stride), \
                        y = *(const E *)(in + 3 * stride);                \
                out[i] = v, out[i + 1] = w, out[i + 2] = x, out[i + 3] = y; \
            }                                                             \
            for (; i < n; i++, in += stride) out[i] = *(const E *)in;     \
        }                                                                 \
    }
    BY_SIZE(GATHER)
}

/* Many short rows: a row that repeats is gathered once and doubled. */
static void gather_rows(void *out_, const void *in_, int64_t row_stride, int64_t rows, int64_t stride, int64_t n,
                        int size)
{
    const char *in = in_;
    if (row_stride == 0) {
        int64_t done = n * size, all = rows * done;
        gather(out_, in_, stride, n, size);
        for (; done < all; done *= 2)
            memcpy((char *)out_ + done, out_, (size_t)(done < all - done ? done : all - done));
        return;
    }
#define GATHER_ROWS(E)                                                                              \
    {                                                                                               \
        E *out = out_;                                                                              \
        for (int64_t r = 0; r < rows && !stride; r++, in += row_stride, out += n) {                 \
            const E v = *(const E *)in;                                                             \
            EACH out[i] = v;                                                                        \
        }                                                                                           \
        for (int64_t r = 0; r < rows && stride; r++, in += row_stride)                              \
            for (int64_t i = 0; i < n; i++) *out++ = *(const E *)(in + i * stride);                 \
    }
    BY_SIZE(GATHER_ROWS)
}

static void scatter(void *out_, int64_t stride, const void *in_, int64_t n, int size)
{
    char *out = out_;
    if (stride == size) {
        cpi_copy_bytes(out_, in_, (size_t)(n * size));
        return;
    }
#define SCATTER(E)                                                                           \
    {                                                                                        \
        const E *in = in_;                                                                   \
        int64_t i = 0;                                                                       \
        for (; i + 4 <= n; i += 4, out += 4 * stride) {                                      \
            const E v = in[i], w = in[i + 1], x = in[i + 2], y = in[i + 3];                  \
            *(E *)out = v, *(E *)(out + stride) = w;                                         \
            *(E *)(out + 2 * stride) = x, *(E *)(out + 3 * stride) = y;                      \
        }                                                                                    \
        for (; i < n; i++, out += stride) *(E *)out = in[i];                                 \
    }
    BY_SIZE(SCATTER)
}

static void scatter_masked(void *out_, int64_t stride, const void *in_, const uint8_t *mask, int64_t n, int size)
{
    char *out = out_;
#define SCATTER_MASKED(E)                                                                    \
    {                                                                                        \
        const E *in = in_;                                                                   \
        if (stride == size) { /* what the mask leaves out is written as it was */            \
            E *to = out_;                                                                    \
            EACH to[i] = mask[i] ? in[i] : to[i];                                            \
            return;                                                                          \
        }                                                                                    \
        for (int64_t i = 0; i < n; i++)                                                      \
            if (mask[i]) *(E *)(out + i * stride) = in[i];                                   \
    }
    BY_SIZE(SCATTER_MASKED)
}

#if defined(__AVX2__)
#define INLINE static inline __attribute__((always_inline))

INLINE __m256i load(const char *from) { return _mm256_loadu_si256((const void *)from); }
INLINE __m256i low_halves(__m256i a, __m256i b) { return _mm256_permute2x128_si256(a, b, 0x20); }
INLINE __m256i high_halves(__m256i a, __m256i b) { return _mm256_permute2x128_si256(a, b, 0x31); }

/* Four rows of four columns of 64 bits. */
INLINE void turn64(const char *in, int64_t stride, __m256i *r)
{
    const __m256i a = load(in), b = load(in + stride), c = load(in + 2 * stride), d = load(in + 3 * stride);
    const __m256i ab0 = _mm256_unpacklo_epi64(a, b), ab1 = _mm256_unpackhi_epi64(a, b);
    const __m256i cd0 = _mm256_unpacklo_epi64(c, d), cd1 = _mm256_unpackhi_epi64(c, d);
    r[0] = low_halves(ab0, cd0), r[1] = low_halves(ab1, cd1);
    r[2] = high_halves(ab0, cd0), r[3] = high_halves(ab1, cd1);
}

/* Eight rows of eight columns of 32 bits. */
INLINE void turn32(const char *in, int64_t stride, __m256i *r)
{
    __m256i a[8], b[8];
    for (int k = 0; k < 8; k += 2) {
        const __m256i x = load(in + k * stride), y = load(in + (k + 1) * stride);
        a[k] = _mm256_unpacklo_epi32(x, y), a[k + 1] = _mm256_unpackhi_epi32(x, y);
    }
    for (int k = 0; k < 8; k += 4)
        for (int h = 0; h < 2; h++) {
            b[k + 2 * h] = _mm256_unpacklo_epi64(a[k + h], a[k + h + 2]);
            b[k + 2 * h + 1] = _mm256_unpackhi_epi64(a[k + h], a[k + h + 2]);
        }
    for (int k = 0; k < 4; k++) r[k] = low_halves(b[k], b[k + 4]), r[k + 4] = high_halves(b[k], b[k + 4]);
}

/* A line of the cache in each of some rows: as many columns, in two halves. past: beside the caches. */
#define LINES(W, N)                                                                                          \
    INLINE void lines##W(char *out, int64_t out_stride, const char *in, int64_t in_stride, bool past)        \
    {                                                                                                        \
        __m256i a[N], b[N];                                                                                  \
        turn##W(in, in_stride, a), turn##W(in + N * in_stride, in_stride, b);                                \
        for (int k = 0; k < N; k++, out += out_stride) {                                                     \
            if (past) _mm256_stream_si256((void *)out, a[k]), _mm256_stream_si256((void *)(out + 32), b[k]); \
            else _mm256_storeu_si256((void *)out, a[k]), _mm256_storeu_si256((void *)(out + 32), b[k]);      \
        }                                                                                                    \
    }
LINES(32, 8)
LINES(64, 4)
#endif

/* out[r][c] = in[c][r], a line of the cache wide and high: of 32 and 64 bits in registers; false: not. */
static bool transpose_lines(char *out, int64_t out_stride, const char *in, int64_t in_stride, int size, bool past)
{
#if defined(__AVX2__)
    if (size == 4) {
        lines32(out, out_stride, in, in_stride, past);
        lines32(out + 8 * out_stride, out_stride, in + 32, in_stride, past);
        return true;
    }
    if (size == 8) {
        lines64(out, out_stride, in, in_stride, past);
        lines64(out + 4 * out_stride, out_stride, in + 32, in_stride, past);
        return true;
    }
#endif
    (void)out, (void)out_stride, (void)in, (void)in_stride, (void)size, (void)past;
    return false;
}

/* out[r][c] = in[c][r]: rows of `out` are contiguous, columns of `in` are; in tiles that fit the L1 cache. */
static void transpose(void *out_, int64_t out_stride, const void *in_, int64_t in_stride, int64_t rows,
                      int64_t columns, int size, bool past)
{
    char *out = out_;
    const char *in = in_;
    const int64_t line = 64 / size;
    past = past && !(((uintptr_t)out | (uintptr_t)out_stride) & 63);
#define TRANSPOSE(E)                                                                          \
    for (int64_t r = r0; r < r1; r++) {                                                       \
        E *to = (E *)(out + r * out_stride);                                                  \
        const char *from = in + r * (int64_t)sizeof(E);                                       \
        for (int64_t c = c0; c < c1; c++) to[c] = *(const E *)(from + c * in_stride);         \
    }
    for (int64_t c0 = 0; c0 < columns; c0 += line)
        for (int64_t r0 = 0; r0 < rows; r0 += line) {
            const int64_t r1 = r0 + line < rows ? r0 + line : rows, c1 = c0 + line < columns ? c0 + line : columns;
            const char *block = in + c0 * in_stride + r0 * size;
            char *turned = out + r0 * out_stride + c0 * size;
            const bool whole = r1 - r0 == line && c1 - c0 == line;
            if (whole && transpose_lines(turned, out_stride, block, in_stride, size, past)) continue;
            BY_SIZE(TRANSPOSE)
        }
#if defined(__x86_64__)
    if (past) _mm_sfence();
#endif
}

/* --- past the caches --- */
static void stream(void *out_, const void *in_, int64_t bytes)
{
#if defined(__x86_64__)
    char *out = out_;
    const char *in = in_;
    int64_t head = (int64_t)(-(uintptr_t)out & 63);
    if (head > bytes) head = bytes;
    memcpy(out, in, (size_t)head);
    int64_t i = head;
#if defined(__AVX512F__)
    for (; i + 64 <= bytes; i += 64) _mm512_stream_si512((void *)(out + i), _mm512_loadu_si512(in + i));
#elif defined(__AVX2__)
    for (; i + 32 <= bytes; i += 32)
        _mm256_stream_si256((void *)(out + i), _mm256_loadu_si256((const void *)(in + i)));
#else
    for (; i + 16 <= bytes; i += 16) _mm_stream_si128((void *)(out + i), _mm_loadu_si128((const void *)(in + i)));
#endif
    memcpy(out + i, in + i, (size_t)(bytes - i));
#else
    memcpy(out_, in_, (size_t)bytes);
#endif
}

/* --- the set --- */
const cpi_move_kernels CPI_ISA_NAME(cpi_move_kernels) = {
    .convert = converters,
    .gather = gather,
    .gather_rows = gather_rows,
    .scatter = scatter,
    .scatter_masked = scatter_masked,
    .stream = stream,
    .transpose = transpose,
};
