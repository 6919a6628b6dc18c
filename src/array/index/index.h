/* Backend slots of the module index.
 *
 * Selection has two steps. `select` reads the condition once, keeps one bit per element and the number of set bits
 * before each chunk, and returns the count to the host. Then the result is allocated exactly, and the other slots write
 * it from the bits. Conditions are contiguous, in C order. */
#ifndef CPI_INDEX_H
#define CPI_INDEX_H

#include "backend/backend.h"
#include "elementwise/elementwise.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpi_selection {
    int64_t n, count; /* elements of the condition, and how many are not zero */
    void *bits;       /* bit i: element i; in words of the backend's choice */
    int64_t *before;  /* set bits before each chunk */
    void *work;       /* the block both lie in */
} cpi_selection;

/* Rows of `bytes` contiguous bytes, gathered by index: outer times count of them. */
typedef struct cpi_rows {
    int64_t outer, count, bytes;
    const int64_t *index;      /* count device integers */
    char *array;               /* row i of outer o: array + o*outer_step + index[i]*step */
    int64_t outer_step, step;
    char *result;              /* and in result: o*values_outer_step + i*values_step */
    int64_t values_outer_step, values_step;
    int64_t most;              /* rows of `array`; indices beyond them are skipped. 0: no bound */
} cpi_rows;

/* Elements, or runs of `bytes` bytes, named by integers. A position has coordinates along the index's axes (the shape
 * that the integer arrays broadcast to) and along the rest: axes that are taken whole. Offsets are in bytes. Where
 * several positions name one element of `array`, `scatter` leaves the value of the last one in C order of the index's
 * axes, on every device. An index beyond its axis fails, and nothing is written then: on the CPU at once, elsewhere
 * where the stream's work is checked next. */
enum { CPI_GATHER_DIMS = 8 };
/* never -1 */
typedef enum cpi_index_mode { CPI_INDEX_RAISE, CPI_INDEX_WRAP, CPI_INDEX_CLIP, CPI_INDEX_EXACT } cpi_index_mode;
typedef struct cpi_axis_index {
    const int64_t *at;             /* the indices, with this step along the index's axes */
    int64_t step[CPI_GATHER_DIMS];
    int64_t extent, stride;        /* of the axis that they index: stride in bytes of `array` */
    int axis;                      /* its number, for the message */
    cpi_index_mode mode;
} cpi_axis_index;
typedef struct cpi_gather {
    const char *function, *failure; /* the caller; a CP_ERROR_VALUE message (NULL: names the index). Static */
    char *array, *result;
    int64_t bytes;
    int ndim, rest, nindices;       /* ndim >= 1; all lengths are >= 1 */
    int64_t shape[CPI_GATHER_DIMS], array_step[CPI_GATHER_DIMS], values_step[CPI_GATHER_DIMS];
    int64_t rest_shape[CPI_GATHER_DIMS], rest_array_step[CPI_GATHER_DIMS], rest_values_step[CPI_GATHER_DIMS];
    cpi_axis_index axis_index[CP_MAXDIM];
} cpi_gather;
static inline int64_t cpi_gather_count(const cpi_gather *g)
{
    int64_t n = 1;
    for (int d = 0; d < g->ndim; d++) n *= g->shape[d];
    return n;
}
static inline int64_t cpi_gather_rest(const cpi_gather *g)
{
    int64_t n = 1;
    for (int d = 0; d < g->rest; d++) n *= g->rest_shape[d];
    return n;
}

/* Axes of an array whose elements are numbered along the last axis first, or (`columns`) along the first. */
/* Bytes of the elements that are taken, and as many written. */
static inline int64_t cpi_gather_bytes(const cpi_gather *g)
{
    int64_t bytes = 2 * g->bytes;
    for (int d = 0; d < g->ndim; d++) bytes *= g->shape[d];
    for (int d = 0; d < g->rest; d++) bytes *= g->rest_shape[d];
    return bytes;
}

typedef struct cpi_numbered {
    int ndim;
    bool columns;
    int64_t shape[CP_MAXDIM];
} cpi_numbered;

/* x[row[i]] = op(x[row[i]], v[i]) for one i after the other, of rows of `width` elements of float32 or float64, which
 * are added, subtracted or multiplied. */
typedef struct cpi_at_rows {
    int op;
    cp_type type;
    char *x;
    int64_t width, n;              /* both >= 1 */
    const int64_t *row, *order;    /* row[i] within x. With an order, equal rows are adjacent: */
    const char *v;                 /* the operand is v[order[i]]; steps in bytes: of rows, of elements */
    int64_t v_step, v_column;
} cpi_at_rows;

/*: slot("wrap", waits=True, captured="kept", bytes="16 * n")
 * slot("select", waits=True, profiled='"select by a mask"', bytes="n * (int64_t)cp_type_size(type)")
 * slot("compact", bytes="s->n / 8 + 2 * s->count * bytes")
 * slot("spread", bytes="s->n / 8 + s->count * (bytes + value_step)")
 * slot("fill", host={"value": "bytes"}, bytes="n * (1 + bytes)")
 * slot("place", bytes="n * (1 + bytes)")
 * slot("take", bytes="rows->outer * rows->count * 2 * rows->bytes")
 * slot("put", bytes="rows->outer * rows->count * 2 * rows->bytes")
 * slot("gather", bytes="cpi_gather_bytes(g)")
 * slot("scatter", bytes="cpi_gather_bytes(g)")
 * slot("repeat", bytes="8 * (n + total)")
 * slot("at_once", bytes="p->n * (8 + 2 * p->x_size)")
 * slot("at_rows", bytes="p->n * p->width * 3 * (int64_t)cp_type_size(p->type)")
 * slot("pack", bytes="rows * (n + (n + 7) / 8)")
 * slot("unpack", bytes="9 * n")
 * slot("coordinates", host={"shape": "ndim"}) */
typedef struct cpi_index_ops {
    /* Waits. n >= 1. If `work` is set then, `release` must follow, also after a failure: earlier work of the stream may
     * have failed, and that is reported here. */
    cp_code (*select)(cp_stream *stream, const void *condition, cp_type type, int64_t n, cpi_selection *s);
    void (*release)(cp_stream *stream, cpi_selection *s);
    /* out[j] = x[i] for the j-th selected i; elements of 1, 2, 4, 8 or 16 bytes, x's with a stride of `step` bytes. */
    cp_code (*compact)(cp_stream *stream, const cpi_selection *s, const char *x, int64_t step, int64_t bytes,
                       char *out);
    /* x[i] = value[j]; value has a stride of value_step bytes (0: one for all). */
    cp_code (*spread)(cp_stream *stream, const cpi_selection *s, char *x, int64_t step, int64_t bytes,
                      const char *value, int64_t value_step);
    /* x[i] = value where mask[i]; n contiguous elements of 1, 2, 4, 8 or 16 bytes, `value` in host memory. */
    cp_code (*fill)(cp_stream *stream, char *x, const uint8_t *mask, int64_t n, int64_t bytes, const void *value);
    /* x[i] = value[j] for the j-th i whose mask is set, of n >= 1: contiguous values, at least as many as are set. */
    cp_code (*place)(cp_stream *stream, const uint8_t *mask, int64_t n, char *x, int64_t step, int64_t bytes,
                     const char *value);
    /* Coordinates in `shape` (C order) of the selected: out[d*count + j], or out[j*ndim + d] when `points`. */
    cp_code (*coordinates)(cp_stream *stream, const cpi_selection *s, int ndim, const int64_t *shape, bool points,
                           int64_t *out);
    cp_code (*take)(cp_stream *stream, const cpi_rows *rows); /* array to result */
    cp_code (*put)(cp_stream *stream, const cpi_rows *rows);  /* result to array */
    cp_code (*gather)(cp_stream *stream, const cpi_gather *g);  /* array to result */
    cp_code (*scatter)(cp_stream *stream, const cpi_gather *g); /* result to array; they do not overlap */
    /* to[i] = offset of position i in `array`, which is not accessed, nor is `result`. */
    cp_code (*offsets)(cp_stream *stream, const cpi_gather *g, int64_t *to);
    /* to[d * count + i] = coordinate d of the element whose number is the offset of position i, of count, as above. */
    cp_code (*unravel)(cp_stream *stream, const cpi_gather *g, const cpi_numbered *axes, int64_t *to);
    /* to[j] = the first i with j < ends[i], for j < total; ends[0 .. n) never falls, and ends with total >= 1. */
    cp_code (*repeat)(cp_stream *stream, const int64_t *ends, int64_t n, int64_t total, int64_t *to);
    /* For ufuncs. x[position[i]] = op(x[position[i]], v[i]) for each i, where an element's result does not depend on
     * the order of its indices: integer addition, subtraction, multiplication and bitwise operations; minimum and
     * maximum of integers, float32 and float64. All is of p->type, and negative indices count from the end; nothing is
     * written if one is wrong. */
    cp_code (*at_once)(cp_stream *stream, const cpi_indexed *p);
    /* With an order where elementwise->at_in_order is false, else without. */
    cp_code (*at_rows)(cp_stream *stream, const cpi_at_rows *p);
    /* wrapped[i] = place[i] within `size` elements, of n >= 1, negative ones counted from the end. Waits; an index out
     * of bounds is CP_ERROR_INDEX of `op`. While the stream's work is recorded a GPU does neither, and those out of
     * bounds wrap around; on the CPU the graph's launch fails. */
    cp_code (*wrap)(cp_stream *stream, int op, const int64_t *place, int64_t n, int64_t size, int64_t *wrapped);
    /* first[j], last[j]: the segment of starts[j], of m >= 1 of an axis of n elements. It ends at the next start; where
     * that is no further it has one element, and where there is none behind it, it goes to the end. */
    cp_code (*segments)(cp_stream *stream, int op, const int64_t *starts, int64_t m, int64_t n, int64_t *first,
                        int64_t *last);
    /* Rows of n bytes, which are 0 or not, as rows of (n + 7) / 8 bytes of bits; n >= 1. The first is the highest bit
     * of a byte, or the lowest: little. */
    cp_code (*pack)(cp_stream *stream, const uint8_t *x, int64_t rows, int64_t n, bool little, uint8_t *out);
    /* n bytes as 8 * n bytes that are 0 or 1. */
    cp_code (*unpack)(cp_stream *stream, const uint8_t *x, int64_t n, bool little, uint8_t *out);
} cpi_index_ops;

/* columns_cuda.cu: gathers the same indices of a contiguous axis from many rows; false: that is not one. */
bool cpi_cuda_columns(cp_stream *stream, const cpi_gather *g, cp_code *code);
/* binned_scatter_cuda.cu: a scatter of many elements of a large line; false: that is not one. */
bool cpi_cuda_binned_scatter(cp_stream *stream, const cpi_gather *g, cp_code *code);

/* CP_ERROR_INDEX where a mask's shape differs from x's axes from `axis` on, of which there are enough. (index.c) */
cp_code cpi_check_boolean_index(const char *name, const cp_array *x, const cp_array *mask, int axis);
/* x[i] = values[j] for the j-th i of the flattened mask, which has x's shape; there are enough values for any mask, so
 * the count is not waited for. (index.c) */
cp_code cpi_assign_masked(const char *name, cp_array *x, cp_array *mask, cp_array *values);
/* The elements index[], 1-d int64 within the axis (not checked), of an axis of x: a new array. (rows.c) */
cp_array *cpi_take_rows(const char *name, cp_array *x, int axis, cp_array *index);

#ifdef __cplusplus
}
#endif
#include "index/slots.h"

#endif
