/* Moving elements on the CPU: conversion between all types, gathering and scattering of strided elements,
 * transposition, non-temporal copies. */
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
    for (; i + LINE <= n; i += LINE) { /* chunks are short: the next lines are prefetched */
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
#define INLINE static inline __attribute__((always_inline))

#define E uint8_t
#define X 8
#include "move/strided.inc"
#define E uint16_t
#define X 16
#include "move/strided.inc"
#define E uint32_t
#define X 32
#include "move/strided.inc"
#define E uint64_t
#define X 64
#include "move/strided.inc"
#define E pair
#define X 128
#include "move/strided.inc"

/* The template's function for elements of `size` bytes. */
#define BY_SIZE(f, ...)                     \
    switch (size) {                         \
    case 1: f##_8(__VA_ARGS__); break;      \
    case 2: f##_16(__VA_ARGS__); break;     \
    case 4: f##_32(__VA_ARGS__); break;     \
    case 8: f##_64(__VA_ARGS__); break;     \
    default: f##_128(__VA_ARGS__); break;   \
    }

static void gather_strided(void *out_, const void *in_, int64_t stride, int64_t n, int size)
{
    if (stride == size) {
        cpi_copy_bytes(out_, in_, (size_t)(n * size));
        return;
    }
    BY_SIZE(gather, out_, in_, stride, n)
}

/* Many short rows: a repeated row is gathered once and doubled. */
static void gather_rows(void *out_, const void *in_, int64_t row_stride, int64_t rows, int64_t stride, int64_t n,
                        int size)
{
    if (row_stride == 0) {
        int64_t done = n * size, all = rows * done;
        gather_strided(out_, in_, stride, n, size);
        for (; done < all; done *= 2)
            memcpy((char *)out_ + done, out_, (size_t)(done < all - done ? done : all - done));
        return;
    }
    BY_SIZE(gather_rows, out_, in_, row_stride, rows, stride, n)
}

static void scatter(void *out_, int64_t stride, const void *in_, int64_t n, int size)
{
    if (stride == size) {
        cpi_copy_bytes(out_, in_, (size_t)(n * size));
        return;
    }
    BY_SIZE(scatter, out_, stride, in_, n)
}

static void scatter_masked(void *out_, int64_t stride, const void *in_, const uint8_t *mask, int64_t n, int size)
{
    BY_SIZE(scatter_masked, out_, stride, in_, mask, n)
}

#if defined(__AVX2__)

INLINE __m256i load(const char *from) { return _mm256_loadu_si256((const void *)from); }
INLINE __m256i low_halves(__m256i a, __m256i b) { return _mm256_permute2x128_si256(a, b, 0x20); }
INLINE __m256i high_halves(__m256i a, __m256i b) { return _mm256_permute2x128_si256(a, b, 0x31); }

/* Transposes 4 x 4 elements of 64 bits. */
INLINE void turn64(const char *in, int64_t stride, __m256i *r)
{
    const __m256i a = load(in), b = load(in + stride), c = load(in + 2 * stride), d = load(in + 3 * stride);
    const __m256i ab0 = _mm256_unpacklo_epi64(a, b), ab1 = _mm256_unpackhi_epi64(a, b);
    const __m256i cd0 = _mm256_unpacklo_epi64(c, d), cd1 = _mm256_unpackhi_epi64(c, d);
    r[0] = low_halves(ab0, cd0), r[1] = low_halves(ab1, cd1);
    r[2] = high_halves(ab0, cd0), r[3] = high_halves(ab1, cd1);
}

/* Transposes 8 x 8 elements of 32 bits. */
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

/* A cache line from each of several rows: as many columns, in two halves. past: non-temporal stores. */
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

/* out[r][c] = in[c][r], one cache line wide and high: elements of 32 and 64 bits in registers; false: not done. */
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

/* out[r][c] = in[c][r]: rows of `out` are contiguous, and columns of `in`; in tiles that fit the L1 cache. */
static void transpose(void *out_, int64_t out_stride, const void *in_, int64_t in_stride, int64_t rows,
                      int64_t columns, int size, bool past)
{
    char *out = out_;
    const char *in = in_;
    const int64_t line = 64 / size;
    past = past && !(((uintptr_t)out | (uintptr_t)out_stride) & 63);
    for (int64_t c0 = 0; c0 < columns; c0 += line)
        for (int64_t r0 = 0; r0 < rows; r0 += line) {
            const int64_t r1 = r0 + line < rows ? r0 + line : rows, c1 = c0 + line < columns ? c0 + line : columns;
            const char *block = in + c0 * in_stride + r0 * size;
            char *turned = out + r0 * out_stride + c0 * size;
            const bool whole = r1 - r0 == line && c1 - c0 == line;
            if (whole && transpose_lines(turned, out_stride, block, in_stride, size, past)) continue;
            BY_SIZE(transpose_tile, out, out_stride, in, in_stride, r0, r1, c0, c1)
        }
#if defined(__x86_64__)
    if (past) _mm_sfence();
#endif
}

/* --- non-temporal copies --- */
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
    .gather = gather_strided,
    .gather_rows = gather_rows,
    .scatter = scatter,
    .scatter_masked = scatter_masked,
    .stream = stream,
    .transpose = transpose,
};
