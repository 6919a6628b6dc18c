/* Plans of the CPU's transforms: how a length is cut, and the roots of unity that its parts need.
 *
 * A node is a transform of a number of lanes at once, one in each place of a vector, with all its work in cache: passes
 * of small radices, a split of n1 times n2, or Bluestein's convolution for prime factors that are too large. A plan is
 * of one lane or of many: where n is large the lane is itself cut into n1 rows of n2, whose columns then lie side by
 * side in vectors. Plans never change once they are made; they are counted, and kept (plan.c). */
#ifndef CPI_FFT_PLAN_H
#define CPI_FFT_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"
#include "fft/fft.h"

enum { FFT_RADICES = 24, FFT_GENERIC = 61, FFT_LEAF = 128, FFT_LOW = 32 };

typedef enum cpi_fft_way { FFT_PASSES, FFT_SPLIT, FFT_BLUESTEIN } cpi_fft_way;

/* Tables hold pairs (re, im) of the plan's type. */
typedef struct cpi_fft_node {
    cpi_fft_way way;
    int64_t n;
    int64_t scratch;             /* complex vectors of work memory */
    int radices, radix[FFT_RADICES];
    void *twiddle[FFT_RADICES];  /* of each pass: for p < m, for k = 1..r-1, exp(-2 pi i p k / (r m)) */
    void *roots[FFT_RADICES];    /* of passes whose radix is none of the fixed ones: exp(-2 pi i k / r), k < r */
    struct cpi_fft_node *a, *b;  /* of n1 and of n2; Bluestein: of length m, and NULL */
    void *turn;                  /* split: for j < n2, for k < n1, exp(-2 pi i j k / n). Else exp(-pi i k k / n) */
    void *kernel;                /* Bluestein: transform of the conjugate chirp, over m */
} cpi_fft_node;

/* One long lane. */
typedef struct cpi_fft_long {
    int64_t n, n1, n2;           /* n1 0: Bluestein */
    cpi_fft_node *a, *b;         /* of n1, and of n2 */
    void *re, *im;               /* [n1][n2]: exp(-2 pi i j k / n), where there are not too many; else NULL and */
    double *coarse, *fine;       /* exp(-2 pi i (e << shift) / n) and exp(-2 pi i e / n), pairs */
    int shift;
    struct cpi_fft_long *m;      /* Bluestein: the convolution's length */
    void *chirp, *kernel;        /* as above */
} cpi_fft_long;

/* A cosine or sine transform of n elements as one of p->kind and p->n, by weights (cosine_tables.c). Of R2C `taken`
 * real numbers are made, each of element in[i] times in_by[i]; else complex ones, of in[2 i] times a pair of in_by and
 * in[2 i + 1] times the next. Result k is element out[k] of what comes out: of C2R times out_by[k], else its real part
 * times out_by[2 k] plus its imaginary part times out_by[2 k + 1]. */
typedef struct cpi_fft_cosine {
    int64_t n, taken;
    int32_t *in, *out;
    void *in_by, *out_by;        /* of the plan's type */
} cpi_fft_cosine;

typedef struct cpi_fft_plan {
    int refs;
    bool single, one;            /* lane: one long lane, else many lanes */
    cpi_fft_kind kind;
    int64_t n, bytes;
    int64_t inner;               /* length of the complex transform: n, or n / 2 of real ones where n is even */
    cpi_fft_node *node;          /* many lanes */
    cpi_fft_long *line;          /* a long lane */
    int code;                    /* of a cosine transform; 0: none */
    cpi_fft_cosine *cosine;      /* its tables; a plan of a lane has nothing else */
    void *half;                  /* real, n even: exp(-2 pi i k / n), k <= n / 4, ... n / 2: inner + 1 of them */
    struct cpi_fft_plan *next;   /* in the cache, the latest first */
} cpi_fft_plan;

/* A plan, to be given back; NULL: error written. */
cpi_fft_plan *cpi_fft_plan_get(const char *function, cpi_fft_kind kind, int64_t n, bool single, bool one,
                               int code);
void cpi_fft_plan_put(cpi_fft_plan *p);
/* exp(-2 pi i k / n), 0 <= k < n, to the accuracy of the type. */
void cpi_fft_root(int64_t k, int64_t n, double *re, double *im);
/* The least length >= n that has no prime factors but 2, 3, 5 (and 7, 11, 13 of complex ones: `most`, the largest). */
int64_t cpi_fft_good_length(int64_t n, int most);

/* What names a cosine transform; the Fourier transform that it is made by, of n elements; its tables. */
int cpi_fft_cosine_code(int type, bool sine, bool orthogonal);
cpi_fft_kind cpi_fft_cosine_kind(int code, int64_t n, int64_t *length);
cpi_fft_cosine *cpi_fft_cosine_new(int code, cpi_fft_kind kind, int64_t length, bool single, int64_t *bytes);
void cpi_fft_cosine_free(cpi_fft_cosine *t);

#endif
