/* Lines of elements by integers (single.h), compiled once per instruction set.
 *
 * Indices are looked at CHUNK at a time, in vectors, which says whether all of them are places and whether any counts
 * from the end; what then moves elements does nothing else. Of a chunk in which one is wrong nothing moves. */
#include "index/single.h"

#include <string.h>

#include "cpu/features.h"

enum { CHUNK = CPI_LINE_LOOKED, AHEAD = 128 };
typedef struct pair { uint64_t v[2]; } pair;

#define INLINE static inline __attribute__((always_inline))

/* Bits 0: one is no place; 1: one is negative. */
INLINE unsigned look_at(const int64_t *at, int64_t step, int64_t n, uint64_t extent, bool negative)
{
    const uint64_t low = negative ? -extent : 0, high = extent - 1;
    uint64_t bad = 0, below = 0; /* bit 63 of the differences: below low, or above high */
    if (step == 1) {
        for (int64_t i = 0; i < n; i++) {
            uint64_t v = (uint64_t)at[i];
            bad |= (v - low) | (high - v), below |= v;
        }
    } else {
        for (int64_t i = 0; i < n; i++) {
            uint64_t v = (uint64_t)at[i * step];
            bad |= (v - low) | (high - v), below |= v;
        }
    }
    return (unsigned)(bad >> 63) | (unsigned)(below >> 63) << 1;
}

static bool look(const cpi_line *l, cpi_index_mode mode)
{
    if (mode == CPI_INDEX_CLIP || mode == CPI_INDEX_WRAP) return true;
    return !(look_at(l->at, l->step, l->n, (uint64_t)l->extent, mode == CPI_INDEX_RAISE) & 1);
}

/* What a place is called by, made of an index that is one. */
typedef enum naming { PLAIN, FROM_END, WRAP, CLIP } naming;
INLINE int64_t place(naming how, int64_t v, int64_t extent)
{
    switch (how) {
    case PLAIN: return v;
    case FROM_END: return v + (v >> 63 & extent);
    case WRAP:
        if ((uint64_t)v >= (uint64_t)extent) v %= extent, v += v < 0 ? extent : 0;
        return v;
    case CLIP: return v < 0 ? 0 : v >= extent ? extent - 1 : v;
    }
    return 0;
}

/* The first n elements of a line; `more` elements behind them may be asked for. */
INLINE void move_some(const cpi_line *l, int64_t n, int64_t more, size_t bytes, naming how, bool put, bool far)
{
    const int64_t *at = l->at, step = l->step, extent = l->extent, stride = l->stride, values_step = l->values_step;
    const int64_t visit = l->visit;
    char *array = l->array, *result = l->result;
    int64_t i = 0;
    if (far) {
        const int64_t asked = n < n + more - AHEAD ? n : n + more - AHEAD;
        for (; i < asked; i++, result += values_step, array += visit) {
            int64_t v = place(how, at[i * step], extent), later = at[(i + AHEAD) * step];
            later += later >> 63 & extent;
            /* an address that may be none: it is never read */
            uintptr_t there = (uintptr_t)array + (uintptr_t)(AHEAD * visit) + (uintptr_t)later * (uintptr_t)stride;
            __builtin_prefetch((const void *)there, 0, 2);
            memcpy(put ? array + v * stride : result, put ? result : array + v * stride, bytes);
        }
    }
#pragma GCC unroll 4
    for (; i < n; i++, result += values_step, array += visit) {
        int64_t v = place(how, at[i * step], extent);
        memcpy(put ? array + v * stride : result, put ? result : array + v * stride, bytes);
    }
}

/* Dense lines, as most are, say so to the compiler. */
INLINE void move_dense(const cpi_line *l, int64_t n, int64_t more, size_t bytes, naming how, bool put, bool far)
{
    cpi_line m = *l;
    if (m.step == 1 && !m.visit && m.stride == (int64_t)bytes && m.values_step == (int64_t)bytes)
        m.step = 1, m.visit = 0, m.stride = m.values_step = (int64_t)bytes,
        move_some(&m, n, more, bytes, how, put, far);
    else move_some(&m, n, more, bytes, how, put, far);
}

/* In parts that have been looked at; false where one was wrong. */
INLINE bool move_line(const cpi_line *line, cpi_index_mode mode, bool far, size_t bytes, bool put)
{
    cpi_line l = *line;
    if (mode == CPI_INDEX_WRAP) return move_some(&l, l.n, 0, bytes, WRAP, put, false), true;
    if (mode == CPI_INDEX_CLIP) return move_some(&l, l.n, 0, bytes, CLIP, put, false), true;
    bool good = true;
    for (int64_t left = l.n; left > 0; left -= CHUNK) {
        const int64_t n = left < CHUNK ? left : CHUNK;
        const unsigned seen = look_at(l.at, l.step, n, (uint64_t)l.extent, mode == CPI_INDEX_RAISE);
        if (seen & 1) good = false;
        else if (far) move_dense(&l, n, left - n, bytes, FROM_END, put, true);
        else if (seen) move_some(&l, n, 0, bytes, FROM_END, put, false);
        else move_dense(&l, n, 0, bytes, PLAIN, put, false);
        l.at += n * l.step, l.array += n * l.visit, l.result += n * l.values_step;
    }
    return good;
}

#define MOVE(name, T, put) \
    static bool name(const cpi_line *l, cpi_index_mode mode, bool far) \
    {                                                                 \
        return move_line(l, mode, far, sizeof(T), put);               \
    }
MOVE(get_1, uint8_t, false)
MOVE(get_2, uint16_t, false)
MOVE(get_4, uint32_t, false)
MOVE(get_8, uint64_t, false)
MOVE(get_16, pair, false)
MOVE(put_1, uint8_t, true)
MOVE(put_2, uint16_t, true)
MOVE(put_4, uint32_t, true)
MOVE(put_8, uint64_t, true)
MOVE(put_16, pair, true)

const cpi_single_kernels CPI_ISA_NAME(cpi_single_kernels) = {look, {get_1, get_2, get_4, get_8, get_16},
                                                             {put_1, put_2, put_4, put_8, put_16}};
