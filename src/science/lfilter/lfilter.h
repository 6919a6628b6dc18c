/* The slots that a backend fills for the module lfilter. Rows are contiguous: the API layer has moved the axis to the
 * end. */
#ifndef CPI_LFILTER_H
#define CPI_LFILTER_H

#include "backend/backend.h"
#include "cuprite/lfilter.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers of a response at most, so the highest order of rows that are cut; and what no response may exceed. */
enum { CPI_LFILTER_RESPONSE = 256, CPI_LFILTER_CUT = 16, CPI_LFILTER_GROWTH = 100 };
#define CPI_LFILTER_NOTHING 1e-60 /* what has decayed to that counts as 0 */

/* Recurrences along rows, one after the other, each in transposed direct form II: y = z[0] + b[0] x, then
 * z[i] = z[i + 1] + b[i + 1] x - a[i + 1] y with z[order] = 0; y is the next one's x. */
typedef struct cpi_recurrence {
    cp_type type;     /* float32, float64, complex64 or complex128 */
    int64_t filters, order; /* >= 1 */
    int64_t rows, n;  /* positive */
    const char *c;    /* of each filter b, then a, order + 1 elements of `type`, in the host's memory; a[0] is 1 */
    int64_t bytes;    /* of c */
    const void *there; /* the same in device memory; NULL for orders of few states */
    const void *from;
    void *to;         /* `from`, or no overlap */
    void *state;      /* rows x filters x order: z before, and z behind when the call is done */
} cpi_recurrence;

/* Whether a GPU's kernels are given such coefficients with their arguments. */
static inline bool cpi_lfilter_few(cp_type type, int64_t order)
{
    return order <= (type == CP_COMPLEX64 || type == CP_COMPLEX128 ? 4 : 8);
}

/* to[i] = sum over t of h[p + t up] x[(i down - p) / up - t] with p = (i down) mod up, of the taps and elements that
 * exist; i = 0..m-1. */
typedef struct cpi_polyphase {
    cp_type type;         /* float32, float64, complex64 or complex128 */
    int64_t rows, n, m;   /* positive; elements of a row, and of a result's */
    int64_t up, down;     /* positive */
    int64_t taps;         /* positive */
    const void *h;        /* device memory */
    const void *from;
    void *to;             /* no overlap */
} cpi_polyphase;

/*: record("cpi_recurrence", host={"c": "bytes"})
 * slot("recur", bytes="2 * r->rows * r->n * (int64_t)cp_type_size(r->type)")
 * slot("polyphase", bytes="p->rows * (p->n + p->m) * (int64_t)cp_type_size(p->type)") */
typedef struct cpi_lfilter_ops {
    /* Long rows are cut into chunks by the size of the problem: a first pass finds each chunk's last state from a state
     * of zeros, the recurrence's response to a state carries them on, and a second pass computes the elements. A row
     * whose states are not all finite, or whose response grows, is computed in one piece. */
    cp_code (*recur)(cp_stream *stream, const cpi_recurrence *r);
    /* Products are added with t ascending. */
    cp_code (*polyphase)(cp_stream *stream, const cpi_polyphase *p);
} cpi_lfilter_ops;

/* How rows are cut: `chunks` of `each` elements a row, the last one with all that is left; 1: not at all. */
typedef struct cpi_chunks { int64_t chunks, each; } cpi_chunks;

#ifdef __cplusplus
}
#endif
#include "lfilter/slots.h"

#endif
