/* The slots a backend fills for the module scan. */
#ifndef CPI_SCAN_H
#define CPI_SCAN_H

#include "backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Operations behind MULTIPLY are for types whose elements are ordered, and for integers and bool. Those behind
 * MINIMUM are only used on devices that take elements as stored; MAXIMUM and MINIMUM also on others, for rows. Of
 * equal elements the first wins, and NaN from the first one on. */
typedef enum cpi_scan_op {
    CPI_SCAN_ADD, CPI_SCAN_MULTIPLY,
    CPI_SCAN_MAXIMUM, CPI_SCAN_MINIMUM, CPI_SCAN_FMAX, CPI_SCAN_FMIN, CPI_SCAN_AND, CPI_SCAN_OR, CPI_SCAN_XOR
} cpi_scan_op;

/* to[o][i][k] = from[o][0][k] op ... op from[o][i][k], of C-contiguous memory (outer, n, inner); none of these is 0.
 * The two are the same memory, then of one type, or do not overlap. The half types are scanned as float32. `from` is
 * of type `source`, `to` of `result`. Where inner is 1, these may be any types; else both are `type`, the computing
 * type. A device that takes elements as stored ignores `type`. There `result` may be a half type, and `source` is the
 * same type, or a smaller integer or bool whose sums and products are computed in 64 bits. `known`, on such a device
 * only: NaN counts as the identity in sums and products. */
typedef struct cpi_scan {
    cpi_scan_op op;
    cp_type type;
    bool known;
    int64_t outer, n, inner;
    cp_type source, result;
    const void *from;
    void *to;
} cpi_scan;

/*: slot("scan", bytes="s->outer * s->n * s->inner * (int64_t)(cp_type_size(s->source) + cp_type_size(s->result))") */
typedef struct cpi_scan_ops {
    /* Integers wrap; bool uses OR and AND. Sums of floating types are accumulated in float64. On the CPU, products of
     * floating types are computed in order and rounded to the type each time. The same input gives the same bits. */
    cp_code (*scan)(cp_stream *stream, const cpi_scan *s);
    bool stored; /* takes elements as stored, for every operation */
} cpi_scan_ops;
/*: value("stored", cuda="true") */

/* out = x, of one type, accumulated along the last axis, where the device has the operation and the layouts fit.
 * Returns false where nothing was done. */
bool cpi_scan_slices(const char *name, cpi_scan_op op, cp_array *x, cp_array *out, cp_code *code);


#ifdef __cplusplus
}
#endif
#include "scan/slots.h"

#endif
