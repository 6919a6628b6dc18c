/* Indexing by arrays of integers: what is indexed, by what, and where the index's axes go. Fronts fill a cpi_indexing
 * and run it. Invariant: indices are int64 in the device's memory; nothing is known of their values. */
#ifndef CPI_INDEX_INDEXING_H
#define CPI_INDEX_INDEXING_H

#include "cuprite/index.h"
#include "operands/operands.h"
#include "index/index.h"

typedef struct cpi_indexing {
    const char *function, *failure; /* as cpi_gather's */
    cpi_device *device;
    cp_array *x;                    /* own; in memory */
    int nindices, ndim, at;         /* the index's axes, and the place among those of the result where they begin */
    int64_t shape[CP_MAXDIM];       /* of the index: what the arrays broadcast to */
    struct {
        cp_array *index;            /* own */
        int axis, reported;         /* of x; and its number in messages */
        cpi_index_mode mode;
    } axis_index[CP_MAXDIM];
    bool careless;                  /* indices by which nothing moves are not looked at */
    int along;                      /* index axis d walks along axis d + along of x that is not picked; -1: none */
} cpi_indexing;

/* What is closed must have been opened, whatever came of it. x NULL: fails. */
cp_code cpi_indexing_open(cpi_indexing *p, const char *function, cp_array *x, cpi_device *device);
void cpi_indexing_close(cpi_indexing *p);
/* One more index, of integer type, for an axis of x. The index's shape grows by broadcasting; CP_ERROR_INDEX where it
 * cannot. */
cp_code cpi_indexing_add(cpi_indexing *p, cp_array *index, int axis, int reported, cpi_index_mode mode);
/* The index's shape broadcast with another one. */
cp_code cpi_indexing_widen(cpi_indexing *p, int ndim, const int64_t *shape);
cp_code cpi_indexing_shape(const cpi_indexing *p, int *ndim, int64_t *shape);
/* The elements, as a new array, or in `out`, which may be NULL. */
cp_array *cpi_indexing_get(const cpi_indexing *p, cp_array *out, cp_casting casting);
/* x's elements = value, broadcast. x is checked to be writable. */
cp_code cpi_indexing_set(const cpi_indexing *p, cp_array *value);
/* Offsets of the places in elements of x, whose strides say where its axes lie: an array of the index's shape. x may be
 * a record without memory. */
cp_array *cpi_indexing_offsets(const cpi_indexing *p);
/* The same as coordinates along axes by which elements are numbered: one row an axis, in front of the index's shape. */
cp_array *cpi_indexing_unravel(const cpi_indexing *p, const cpi_numbered *axes);
/* x[index], or x.ravel()[index], and assignment to it, where that is plain work: true, and *r or *code says how it
 * went. Else nothing was done. (plain.c) */
bool cpi_plain_get(const char *function, cp_array *x, cp_array *index, bool flat, cpi_index_mode mode, cp_array **r);
bool cpi_plain_set(const char *function, cp_array *x, cp_array *index, cp_array *value, bool flat, cpi_index_mode mode,
                   cp_code *code);
/* A line of n of the values in C order, from the first again when they end; one value alone stays one. There is at
 * least one. (take.c) */
cp_array *cpi_cycled(const char *name, cp_array *v, int64_t n, cpi_device *device);
/* The same of x[mask], a mask of all of x's axes. */
bool cpi_plain_mask_get(cp_array *x, cp_array *mask, cp_array **r);
bool cpi_plain_mask_set(cp_array *x, cp_array *mask, cp_array *value, cp_code *code);
/* 0, 1, 2, ... as a 1-d array of the device. */
cp_array *cpi_counting(const char *function, cpi_device *device, int64_t n);

#endif
