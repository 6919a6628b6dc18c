/* The slots that a backend fills for the module random.
 *
 * A call gets a section of a stream of 64-bit words (cpi_bit_stream) and a description of the output. The words were
 * already taken from the generator, so slots know no generator and no lock. Invariant: what a slot writes depends on
 * the words' positions alone, never on how work is divided; for integers and uniform numbers bit for bit, on every
 * device. */
#ifndef CPI_RANDOM_H
#define CPI_RANDOM_H

#include "backend/backend.h"
#include "cuprite/random.h"
#include "random/philox.h"

#ifdef __cplusplus
extern "C" {
#endif

/* n elements of a distribution (samplers.h), dense. One-word and table distributions take n words, from the `skip`-th
 * of the first block on. All others have their own stream of Philox 4x32, from the first block on: pair distributions
 * take two words for two elements (NORMAL in float32: one), others a block an element, rows a block a row. */
typedef struct cpi_draw {
    cpi_bit_stream from;
    const uint64_t *words;  /* device memory: the words themselves, where the kind has no counter */
    int distribution;
    cp_type type;           /* of out: FLOAT32, FLOAT64 or INT64 */
    int64_t n;              /* elements, or rows; positive */
    int64_t width;          /* of a row */
    double value[3];
    const double *array[3]; /* device memory: a value for each element, where not NULL */
    const double *table;    /* device memory, of rows; that of row i lies table_step numbers behind that of row i - 1 */
    int64_t table_step;
    const uint64_t *cdf;    /* device memory, of CPR_TABLE: see samplers.h */
    int64_t table_n, least; /* entries behind the guide; the value where none is reached */
    void *out;
} cpi_draw;

/* Integers off + x, x uniform in [0, range], from the words' parts of `bits` bits (1, 8, 16, 32: the lower ones of a
 * word first; 64). Parts that would bias the result are rejected (Lemire 2019). `half`, where there is one, is the part
 * of 32 bits before the words'. */
typedef struct cpi_integers {
    cpi_bit_stream from;
    const uint64_t *words;  /* device memory, as above: all that `parts` need */
    int bits;
    bool has_half;
    uint32_t half;
    uint64_t range, off;
    cp_type type;           /* of out: an integer or bool */
    int size;               /* bytes of one */
    int64_t first, n;       /* parts `first` to first + n - 1 of the stream, `want` or more */
    int64_t want;           /* elements */
    void *out;              /* `want` elements */
    int64_t taken;          /* output: how many are written, at most `want` */
    int64_t used;           /* output: how many parts were used, rejected ones included */
} cpi_integers;

/*: slot("words", host={"states": "states_n"}, bytes="8 * n")
 * slot("draw", bytes="d->n * (d->width > 1 ? d->width : 1) * (int64_t)cp_type_size(d->type)")
 * slot("halves", bytes="4 * q->want")
 * slot("integers", waits=True, bytes="q->want * q->size") */
typedef struct cpi_random_ops {
    /* n raw words. For kinds without a counter `states` has six numbers for each CPR_CHUNK words (host memory),
     * states_n in all. */
    cp_code (*words)(cp_stream *stream, const cpi_bit_stream *from, const uint32_t *states, int64_t states_n, int64_t n,
                     uint64_t *out);
    cp_code (*draw)(cp_stream *stream, const cpi_draw *d);
    /* n float32 in [0, 1) from parts of 32 bits; asynchronous. */
    cp_code (*halves)(cp_stream *stream, const cpi_integers *q);
    /* Synchronizes, unless no part can be rejected. */
    cp_code (*integers)(cp_stream *stream, cpi_integers *q);
    /* The stable argsort of n words of a kind with a counter; takes the work memory it needs. For permutes_least to
     * permutes_most words (0: never). */
    cp_code (*permutation)(cp_stream *stream, const cpi_bit_stream *from, int64_t n, int64_t *out);
    int64_t permutes_least, permutes_most;
} cpi_random_ops;
/*: slot("permutation", absent="cpu") */
/*: value("permutes_least", cuda="1 << 14") */
/*: value("permutes_most", cuda="1 << 26") */


/* Parts whose product's lower half is below this are rejected; 0: none are. `range` is less than the maximum of `bits`
 * bits. */
CPR_FN uint64_t cpr_threshold(uint64_t range, int bits)
{
    const uint64_t most = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return range == most ? 0 : (most - range) % (range + 1);
}

/* The number of a part; false where it is rejected. */
CPR_FN bool cpr_bounded(uint64_t part, uint64_t range, int bits, uint64_t threshold, uint64_t *x)
{
    const uint64_t most = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    if (range == most) return *x = part, true;
    if (bits == 64) {
        *x = cpr_high(part, range + 1);
        return part * (range + 1) >= threshold;
    }
    const uint64_t m = part * (range + 1);
    *x = m >> bits;
    return (m & most) >= threshold;
}

#ifdef __cplusplus
}
#endif
#include "random/slots.h"

#endif
