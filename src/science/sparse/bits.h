/* A set of columns as bits, in three levels: a bit of an upper one says that a word of the lower one is not 0. So a few
 * of many columns are found in ascending order without a sort. Invariant: it is empty before and after each row. */
#ifndef CPI_SPARSE_BITS_H
#define CPI_SPARSE_BITS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct cpi_sparse_bits {
    uint64_t *level[3]; /* a bit a column; a word of those; a word of these */
    int64_t top;        /* words of the last */
} cpi_sparse_bits;

static inline int64_t cpi_sparse_bits_words(int64_t columns)
{
    const int64_t a = (columns + 63) / 64, b = (a + 63) / 64, c = (b + 63) / 64;
    return a + b + c;
}
static inline cpi_sparse_bits cpi_sparse_bits_in(uint64_t *words, int64_t columns)
{
    const int64_t a = (columns + 63) / 64, b = (a + 63) / 64, c = (b + 63) / 64;
    const cpi_sparse_bits bits = {{words, words + a, words + a + b}, c};
    return bits;
}
/* Adds a column; true where it was not there. */
static inline bool cpi_sparse_set(const cpi_sparse_bits *s, int64_t column)
{
    uint64_t *word = s->level[0] + (column >> 6);
    const uint64_t before = *word, bit = (uint64_t)1 << (column & 63);
    *word = before | bit;
    if (!before) {
        s->level[1][column >> 12] |= (uint64_t)1 << (column >> 6 & 63);
        s->level[2][column >> 18] |= (uint64_t)1 << (column >> 12 & 63);
    }
    return !(before & bit);
}
/* The same without a branch. */
static inline void cpi_sparse_put(const cpi_sparse_bits *s, int64_t column)
{
    s->level[0][column >> 6] |= (uint64_t)1 << (column & 63);
    s->level[1][column >> 12] |= (uint64_t)1 << (column >> 6 & 63);
    s->level[2][column >> 18] |= (uint64_t)1 << (column >> 12 & 63);
}
/* Between the two: a statement for each word that is not 0, ascending, `base` its first column. Empties the set. */
#define CPI_SPARSE_DRAIN(s, word, base)                                                       \
    for (int64_t w2_ = 0; w2_ < (s)->top; w2_++)                                              \
        for (; (s)->level[2][w2_]; (s)->level[2][w2_] &= (s)->level[2][w2_] - 1) {            \
            const int64_t w1_ = w2_ * 64 + __builtin_ctzll((s)->level[2][w2_]);               \
            for (; (s)->level[1][w1_]; (s)->level[1][w1_] &= (s)->level[1][w1_] - 1) {        \
                const int64_t w0_ = w1_ * 64 + __builtin_ctzll((s)->level[1][w1_]), base = w0_ * 64; \
                uint64_t word = (s)->level[0][w0_];                                           \
                (s)->level[0][w0_] = 0;                                                       \
                (void)base;
#define CPI_SPARSE_DRAINED \
    }                      \
    }

#endif
