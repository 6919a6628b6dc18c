/* The slots a backend fills for the room scan. */
#ifndef CPI_SCAN_H
#define CPI_SCAN_H

#include "backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Maxima and minima only where `any_types` is, of rows (inner == 1) of real types: of equal ones the first, and NaN
 * from the first one on. */
typedef enum cpi_scan_op { CPI_SCAN_ADD, CPI_SCAN_MULTIPLY, CPI_SCAN_MAXIMUM, CPI_SCAN_MINIMUM } cpi_scan_op;

/* to[o][i][k] = from[o][0][k] op ... op from[o][i][k], of C-contiguous memory (outer, n, inner); none of those is 0.
 * `from` is of type `source`, `to` of `result`, which are `type` unless the backend takes any_types and inner is 1. The
 * two are the same memory, of one type then, or do not overlap. The half types are scanned as float32. */
typedef struct cpi_scan {
    cpi_scan_op op;
    cp_type type;            /* that is computed in */
    int64_t outer, n, inner;
    cp_type source, result;
    const void *from;
    void *to;
} cpi_scan;

typedef struct cpi_scan_ops {
    /* Integers wrap, booleans are OR and AND. Sums of floating types are gathered in float64; on the CPU their products
     * are made one after the other, rounded to the type each time. The same input gives the same bits. */
    cp_code (*scan)(cp_stream *stream, const cpi_scan *s);
    bool any_types;
} cpi_scan_ops;

extern const cpi_scan_ops cpi_scan_cpu;
extern const cpi_scan_ops cpi_scan_cuda; /* in the plugin */

#ifdef __cplusplus
}
#endif
#endif
