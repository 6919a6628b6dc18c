/* The slots a backend fills for the room random.
 *
 * A call gets a piece of a stream of 64-bit words (cpi_bit_stream) and what is to become of it. The piece was taken
 * from the generator before, so slots know no generator and no lock. Invariant: what a slot writes depends on the
 * words' positions alone, never on how work is shared out; for integers and uniform numbers bit for bit, on every
 * device. */
#ifndef CPI_RANDOM_H
#define CPI_RANDOM_H

#include "backend/backend.h"
#include "cuprite/random.h"
#include "random/philox.h"

#ifdef __cplusplus
extern "C" {
#endif

/* n elements of a distribution (samplers.h), dense. Laws of words and of tables take n words, from the `skip`-th
 * of the first block on. All others have words of Philox 4x32 of their own, from the first block on: pair distributions
 * two words for two elements (NORMAL in float32: one), others a block an element, rows a block a row. */
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
    int64_t table_n, least; /* steps behind the guide; the number where none is reached */
    void *out;
} cpi_draw;

/* Whole numbers off + x, x uniform in [0, range], of the words' parts of `bits` bits (1, 8, 16, 32: the lower ones of a
 * word first; 64). A part that would make some results likelier is passed over (Lemire 2019). `half`, where there is
 * one, is the part of 32 bits before the words'. */
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
    void *out;              /* as many */
    int64_t taken;          /* set: how many are written, at most `want` */
    int64_t used;           /* set: how many parts those were made of, with those that were passed over */
} cpi_integers;

/*: slot("words", host={"states": "states_n"})
 * slot("integers", waits=True) */
typedef struct cpi_random_ops {
    /* n words as they are. Of kinds without a counter `states` has six numbers for each CPR_CHUNK words (host memory),
     * states_n in all. */
    cp_code (*words)(cp_stream *stream, const cpi_bit_stream *from, const uint32_t *states, int64_t states_n, int64_t n,
                     uint64_t *out);
    cp_code (*draw)(cp_stream *stream, const cpi_draw *d);
    /* n float32 in [0, 1) of parts of 32 bits; waits for nothing. */
    cp_code (*halves)(cp_stream *stream, const cpi_integers *q);
    /* Waits, but not where every part is good. */
    cp_code (*integers)(cp_stream *stream, cpi_integers *q);
    /* The stable order of n words of a kind with a counter, in so much work memory as it needs; of permutes_least to
     * permutes_most words (0: of none). */
    cp_code (*permutation)(cp_stream *stream, const cpi_bit_stream *from, int64_t n, int64_t *out);
    int64_t permutes_least, permutes_most;
} cpi_random_ops;
/*: slot("permutation", absent="cpu") */
/*: value("permutes_least", cuda="1 << 14") */
/*: value("permutes_most", cuda="1 << 26") */


/* Parts below this in their product's lower half are passed over; 0: none are. `range` is not all that `bits` hold. */
CPR_FN uint64_t cpr_threshold(uint64_t range, int bits)
{
    const uint64_t most = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return range == most ? 0 : (most - range) % (range + 1);
}

/* The number of a part; false where it is passed over. */
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
