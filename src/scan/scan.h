/* The slots a backend fills for the room scan. */
#ifndef CPI_SCAN_H
#define CPI_SCAN_H

#include "backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cpi_scan_op { CPI_SCAN_ADD, CPI_SCAN_MULTIPLY } cpi_scan_op;

/* to[o][i][k] = from[o][0][k] op ... op from[o][i][k], of C-contiguous memory (outer, n, inner) of one type; none of
 * the three is 0. The two are the same memory or do not overlap. The half types are scanned as float32. */
typedef struct cpi_scan {
    cpi_scan_op op;
    cp_type type;
    int64_t outer, n, inner;
    const void *from;
    void *to;
} cpi_scan;

typedef struct cpi_scan_ops {
    /* Integers wrap, booleans are OR and AND. Sums of floating types are gathered in float64; on the CPU their products
     * are made one after the other, rounded to the type each time. The same input gives the same bits. */
    cp_code (*scan)(cp_stream *stream, const cpi_scan *s);
} cpi_scan_ops;

extern const cpi_scan_ops cpi_scan_cpu;
extern const cpi_scan_ops cpi_scan_cuda; /* in the plugin */

#ifdef __cplusplus
}
#endif
#endif
