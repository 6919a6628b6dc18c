/* The slots a backend fills for the room scan. */
#ifndef CPI_SCAN_H
#define CPI_SCAN_H

#include "backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Those behind MULTIPLY are of types whose elements have an order, and of integers and booleans; those behind MINIMUM
 * are asked only of devices that take elements as stored, and the two before them of others in rows. Of equal ones the
 * first, and NaN from the first one on. */
typedef enum cpi_scan_op {
    CPI_SCAN_ADD, CPI_SCAN_MULTIPLY,
    CPI_SCAN_MAXIMUM, CPI_SCAN_MINIMUM, CPI_SCAN_FMAX, CPI_SCAN_FMIN, CPI_SCAN_AND, CPI_SCAN_OR, CPI_SCAN_XOR
} cpi_scan_op;

/* to[o][i][k] = from[o][0][k] op ... op from[o][i][k], of C-contiguous memory (outer, n, inner); none of those is 0.
 * The two are the same memory, of one type then, or do not overlap. The half types are scanned as float32. `from` is of
 * type `source`, `to` of `result`. Where inner is 1 they are any; else both are `type`, the one that is computed in.
 * But a device may take elements as stored: then `type` does not matter, `result` may be a half type, and `source` is
 * that or a smaller integer or boolean of sums and products that are made in 64 bits. `known`, of such a device alone:
 * NaN counts as nothing in sums and products. */
typedef struct cpi_scan {
    cpi_scan_op op;
    cp_type type;
    bool known;
    int64_t outer, n, inner;
    cp_type source, result;
    const void *from;
    void *to;
} cpi_scan;

typedef struct cpi_scan_ops {
    /* Integers wrap, booleans are OR and AND. Sums of floating types are gathered in float64; on the CPU their products
     * are made one after the other, rounded to the type each time. The same input gives the same bits. */
    cp_code (*scan)(cp_stream *stream, const cpi_scan *s);
    bool stored; /* takes elements as stored, with every operation */
} cpi_scan_ops;
/*: value("stored", cuda="true") */

/* out = x, of one type, accumulated along the last axis, where the device has that operation and the two lie as it
 * wants them; false: nothing is done. */
bool cpi_scan_slices(const char *name, cpi_scan_op op, cp_array *x, cp_array *out, cp_code *code);


#ifdef __cplusplus
}
#endif
#include "scan/slots.h"

#endif
