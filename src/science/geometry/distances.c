/* Distances to the nearest zero: Euclidean by the backend's slot; by steps of a structure, and by trying every zero at
 * the edge, on the host. */
#include "geometry/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/ending.h"
#include "cpu/threads.h"

/*: words("distance_metric", "euclidean taxicab chessboard cityblock manhattan", c="cp_distance_metric",
          values="CP_DISTANCE_METRIC_EUCLIDEAN CP_DISTANCE_METRIC_TAXICAB CP_DISTANCE_METRIC_CHESSBOARD "
          "CP_DISTANCE_METRIC_TAXICAB CP_DISTANCE_METRIC_TAXICAB") */

/* (ndim, shape) as a new array of int32. */
static cp_array *indices_like(const cp_array *x)
{
    int64_t shape[CP_MAXDIM] = {x->ndim};
    if (x->ndim == CP_MAXDIM) return cpi_fail(CP_ERROR_VALUE, "distances: too many dimensions for indices"), NULL;
    memcpy(shape + 1, x->shape, (size_t)x->ndim * sizeof *shape);
    return cp_empty((cp_shape){x->ndim + 1, shape}, CP_INT32);
}

/* x as an array of at least one axis, true where there is no zero, dense. */
static cp_array *truth(const char *name, cp_array *x)
{
    if (x->ndim == 0) x = cp_reshape(x, CP_SHAPE(1));
    for (int d = 0; x && d < x->ndim; d++)
        if (x->shape[d] > INT32_MAX)
            return cpi_fail(CP_ERROR_VALUE, "%s: an axis has more than 2^31 - 1 elements", name), NULL;
    return x ? cp_contiguous(cp_astype(x, CP_BOOL)) : NULL;
}

/* Ends the call: distances are its result, indices go to the caller. */
static cp_array *both(const cpi_composite *f, cp_array *distances, cp_array *indices, cp_array **to)
{
    cp_keep(indices);
    distances = cpi_end(f, distances);
    if (!distances) cp_free(indices), indices = NULL;
    if (indices) cpi_into_scope(indices);
    if (to) *to = indices;
    return distances;
}

/*: function("distance_transform_edt", "input: array, sampling: array = None, return_indices: bool = False",
             module="_geometry", unlock="always", returns="array, indices if return_indices",
             raises={"RuntimeError": "sampling that is not one number or one for each axis"},
             doc="""The Euclidean distance of each element to the nearest zero, and where that is, int32 (ndim, ...).
`sampling`: the distance of neighbours, one for all axes or one for each. Of several nearest zeros the one of the least
last index counts, among those that of the least index before it, and so on.""") */
cp_array *(cp_distance_transform_edt)(cp_array *input, const cp_distance_transform_edt_options *options)
{
    const cp_distance_transform_edt_options *o = CPI_GIVEN(cp_distance_transform_edt_options, options);
    const char *name = "distance_transform_edt";
    cpi_composite f;
    if (!cpi_begin(&f, name, input)) return NULL;
    cp_array *x = truth(name, input), *r = NULL, *where = NULL;
    cpi_nearest p = {.ndim = x ? x->ndim : 0, .size = x ? x->size : 0};
    for (int d = 0; d < p.ndim; d++) p.shape[d] = x->shape[d], p.sampling[d] = 1;
    if (!x || (o->sampling && cpi_numbers_of(name, o->sampling, x->ndim, p.sampling))) return cpi_end(&f, NULL);
    r = cp_empty((cp_shape){x->ndim, x->shape}, CP_FLOAT64);
    if (o->indices && !(where = indices_like(x))) return cpi_end(&f, NULL);
    if (r && r->size) {
        p.x = (const uint8_t *)x->data, p.distances = (double *)r->data;
        p.indices = where ? (int32_t *)where->data : NULL;
        if (r->device->backend->geometry->nearest(cpi_stream(r->device), &p)) r = NULL;
    }
    return both(&f, r, where, o->indices);
}

/* --- on the host --- */

/* The elements' truth in the host's memory, to be freed. */
static uint8_t *read_truth(cp_array *x)
{
    uint8_t *bytes = cpi_malloc((size_t)x->size + 1);
    if (bytes && !cp_to_host(x, bytes, (size_t)x->size)) return bytes;
    cpi_free_host(bytes);
    return NULL;
}

/* Coordinates of linear indices `which`, as an array of int32 (ndim, shape). */
static cp_array *unravelled(const cp_array *x, const int32_t *which)
{
    cp_array *r = indices_like(x);
    int32_t *at = r ? cpi_malloc((size_t)cp_nbytes(r) + 1) : NULL;
    if (!at) return NULL;
    for (int64_t i = 0; i < x->size; i++) {
        int64_t rest = which[i];
        for (int d = x->ndim - 1; d >= 0; rest /= x->shape[d], d--)
            at[d * x->size + i] = (int32_t)(rest % x->shape[d]);
    }
    cp_array *made = cp_from_host(at, CP_INT32, (cp_shape){r->ndim, r->shape}, NULL);
    cpi_free_host(at);
    return made;
}

static cp_code check_linear(const char *name, const cp_array *x)
{
    if (x->size <= INT32_MAX) return CP_OK;
    return cpi_fail(CP_ERROR_VALUE, "%s: more than 2^31 - 1 elements", name);
}

/* The set elements of a structure of 3^ndim, as steps along the axes: those before its centre, in C order. */
static int steps_of(const uint8_t *structure, int ndim, int8_t *steps, bool all)
{
    int64_t size = 1;
    int n = 0;
    for (int d = 0; d < ndim; d++) size *= 3;
    for (int64_t i = 0; i < (all ? size : size / 2); i++) {
        int64_t rest = i;
        if (!structure[i] || i == size / 2) continue;
        for (int d = ndim - 1; d >= 0; d--, rest /= 3) steps[n * ndim + d] = (int8_t)(rest % 3 - 1);
        n++;
    }
    return n;
}

/* A structure of 3 elements along every axis, in the host's memory; NULL with the error. */
static uint8_t *read_structure(const char *name, cp_array *structure, const cp_array *x, cp_code code, int8_t **steps)
{
    if (structure->ndim != x->ndim)
        return cpi_fail(CP_ERROR_RUNTIME, "%s: structure and input must have equal rank", name), NULL;
    for (int d = 0; d < structure->ndim; d++)
        if (structure->shape[d] != 3)
            return cpi_fail(code, "%s: the structure has %lld elements along axis %d, not 3", name,
                            (long long)structure->shape[d], d), NULL;
    cp_array *t = truth(name, structure);
    uint8_t *bytes = t ? read_truth(t) : NULL;
    *steps = bytes ? cpi_malloc((size_t)(structure->size * (x->ndim + 1))) : NULL;
    if (*steps) return bytes;
    cpi_free_host(bytes);
    return NULL;
}

/* The linear offset of a step from the element at `at`; false where it leaves the array. `sign`: 1 or -1. */
static inline bool step_from(const cp_array *x, const int64_t *at, const int8_t *step, int sign, int64_t *offset)
{
    int64_t sum = 0;
    for (int d = 0; d < x->ndim; d++) {
        const int64_t i = at[d] + sign * step[d];
        if (i < 0 || i >= x->shape[d]) return false;
        sum = sum * x->shape[d] + sign * step[d];
    }
    *offset = sum;
    return true;
}

/* One pass over all elements, forwards or backwards: each takes the least of its neighbours' distances and 1. */
static void chamfer_pass(const cp_array *x, int sign, const int8_t *steps, int n, int32_t *distance, int32_t *which)
{
    int64_t at[CP_MAXDIM];
    for (int d = 0; d < x->ndim; d++) at[d] = sign > 0 ? 0 : x->shape[d] - 1;
    for (int64_t k = 0; k < x->size; k++) {
        const int64_t i = sign > 0 ? k : x->size - 1 - k;
        int32_t least = distance[i];
        int64_t from = i, offset;
        for (int s = 0; s < n && distance[i]; s++) {
            if (!step_from(x, at, steps + s * x->ndim, sign, &offset)) continue;
            const int32_t there = distance[i + offset];
            if (there >= 0 && (least < 0 || there + 1 < least)) least = there + 1, from = i + offset;
        }
        distance[i] = least;
        if (which) which[i] = which[from];
        for (int d = x->ndim - 1; d >= 0; d--) {
            at[d] += sign;
            if (at[d] >= 0 && at[d] < x->shape[d]) break;
            at[d] = sign > 0 ? 0 : x->shape[d] - 1;
        }
    }
}

/*: function("distance_transform_cdt", "input: array, structure: array, return_indices: bool = False",
             module="_geometry", unlock="always", returns="array, indices if return_indices",
             raises={"ValueError": "a structure of other than 3 elements along an axis",
                     "RuntimeError": "a structure of another number of axes"},
             doc="""The number of steps of each element to the nearest zero, int32, and where that is, int32
(ndim, ...); -1 where there is none. Steps are the non-zero elements of the structure, 3 along every axis, from its
centre; they are tried in two passes, as SciPy does. Computed on the host: waits.""") */
cp_array *(cp_distance_transform_cdt)(cp_array *input, cp_array *structure,
                                      const cp_distance_transform_cdt_options *options)
{
    const cp_distance_transform_cdt_options *o = CPI_GIVEN(cp_distance_transform_cdt_options, options);
    const char *name = "distance_transform_cdt";
    cpi_composite f;
    int8_t *steps = NULL;
    if (cpi_null(name, structure) || !cpi_begin(&f, name, input)) return NULL;
    cp_array *x = truth(name, input), *r = NULL, *where = NULL;
    if (!x || check_linear(name, x)) return cpi_end(&f, NULL);
    uint8_t *shape = read_structure(name, structure, x, CP_ERROR_VALUE, &steps), *bytes = shape ? read_truth(x) : NULL;
    int32_t *distance = bytes ? cpi_malloc(sizeof *distance * (size_t)(2 * x->size + 1)) : NULL;
    if (distance) {
        int32_t *which = o->indices ? distance + x->size : NULL;
        const int n = steps_of(shape, x->ndim, steps, false);
        for (int64_t i = 0; i < x->size; i++) {
            distance[i] = bytes[i] ? -1 : 0;
            if (which) which[i] = (int32_t)i;
        }
        chamfer_pass(x, 1, steps, n, distance, which);
        chamfer_pass(x, -1, steps, n, distance, which);
        r = cp_from_host(distance, CP_INT32, (cp_shape){x->ndim, x->shape}, NULL);
        if (which && r && !(where = unravelled(x, which))) r = NULL;
    }
    cpi_free_host(distance), cpi_free_host(bytes), cpi_free_host(shape), cpi_free_host(steps);
    return both(&f, r, where, o->indices);
}

/* --- every zero at the edge --- */

typedef struct brute {
    const cp_array *x;
    const uint8_t *set;
    cp_distance_metric metric;
    double sampling[CP_MAXDIM];
    int64_t zeros, each;
    const int32_t *at;     /* of each zero its coordinates */
    const int32_t *index;  /* and its linear index, descending */
    double *distance;      /* of the elements */
    int32_t *which;
    cpi_ending ending;
} brute;

static double distance_between(const brute *b, const int64_t *at, const int32_t *zero)
{
    double sum = 0;
    for (int d = 0; d < b->x->ndim; d++) {
        double t = (double)(at[d] - zero[d]);
        if (b->metric == CP_DISTANCE_METRIC_EUCLIDEAN) t *= b->sampling[d], sum += t * t;
        else if (b->metric == CP_DISTANCE_METRIC_TAXICAB) sum += fabs(t);
        else sum = fabs(t) > sum ? fabs(t) : sum;
    }
    return sum;
}

static void brute_task(void *context, int64_t task, int worker)
{
    brute *b = context;
    cpi_lookout watch = {&b->ending, worker};
    const int64_t end = (task + 1) * b->each < b->x->size ? (task + 1) * b->each : b->x->size;
    for (int64_t i = task * b->each; i < end && !cpi_lookout_ends(&watch); i++) {
        int64_t at[CP_MAXDIM], rest = i, nearest = -1;
        double least = b->metric == CP_DISTANCE_METRIC_EUCLIDEAN ? 0x1.fffffffffffffp1023 : UINT32_MAX;
        for (int d = b->x->ndim - 1; d >= 0; rest /= b->x->shape[d], d--) at[d] = rest % b->x->shape[d];
        for (int64_t k = 0; b->set[i] && k < b->zeros; k++) {
            const double distance = distance_between(b, at, b->at + k * b->x->ndim);
            if (distance < least) least = distance, nearest = k;
        }
        if (!b->set[i]) least = 0;
        b->distance[i] = b->metric == CP_DISTANCE_METRIC_EUCLIDEAN ? sqrt(least) : least;
        if (b->which) b->which[i] = !b->set[i] ? (int32_t)i : nearest < 0 ? 0 : b->index[nearest];
    }
}

/* The zeros beside an element that is set, the last first. */
static cp_code find_zeros(brute *b, int32_t **memory)
{
    const cp_array *x = b->x;
    int64_t at[CP_MAXDIM], offset;
    int8_t step[CP_MAXDIM];
    int32_t *coordinates = cpi_malloc(sizeof *coordinates * (size_t)(x->size * (x->ndim + 1) + 1));
    if (!(*memory = coordinates)) return CP_ERROR_MEMORY;
    int32_t *index = coordinates + x->size * x->ndim;
    for (int64_t i = x->size; i-- > 0;) {
        int64_t rest = i;
        bool edge = false;
        if (b->set[i]) continue;
        for (int d = x->ndim - 1; d >= 0; rest /= x->shape[d], d--) at[d] = rest % x->shape[d], step[d] = -1;
        for (int d = 0; d >= 0 && !edge;) {
            edge = step_from(x, at, step, 1, &offset) && b->set[i + offset];
            for (d = x->ndim - 1; d >= 0 && ++step[d] > 1; d--) step[d] = -1;
        }
        if (!edge) continue;
        for (int d = 0; d < x->ndim; d++) coordinates[b->zeros * x->ndim + d] = (int32_t)at[d];
        index[b->zeros++] = (int32_t)i;
    }
    b->at = coordinates, b->index = index;
    return CP_OK;
}

/*: function("distance_transform_bf", "input: array, metric: distance_metric = 'euclidean', sampling: array = None, "
             "return_indices: bool = False", module="_geometry", unlock="always",
             returns="array, indices if return_indices",
             raises={"RuntimeError": "sampling that is not one number or one for each axis"},
             doc="""Distances to the nearest zero by trying all of them that lie at an edge, float64 or, by the other
metrics, uint32, and where those are. Of several nearest zeros the last one counts. Computed on the host: waits.""") */
cp_array *(cp_distance_transform_bf)(cp_array *input, const cp_distance_transform_bf_options *options)
{
    const cp_distance_transform_bf_options *o = CPI_GIVEN(cp_distance_transform_bf_options, options);
    const char *name = "distance_transform_bf";
    cpi_composite f;
    int32_t *zeros = NULL;
    if ((unsigned)o->metric > CP_DISTANCE_METRIC_CHESSBOARD)
        return cpi_fail(CP_ERROR_RUNTIME, "%s: distance metric not supported", name), NULL;
    if (!cpi_begin(&f, name, input)) return NULL;
    cp_array *x = truth(name, input), *r = NULL, *where = NULL;
    brute b = {.x = x, .metric = o->metric};
    if (!x || check_linear(name, x)) return cpi_end(&f, NULL);
    for (int d = 0; d < x->ndim; d++) b.sampling[d] = 1;
    if (o->sampling && cpi_numbers_of(name, o->sampling, x->ndim, b.sampling)) return cpi_end(&f, NULL);
    uint8_t *set = read_truth(x);
    b.set = set;
    b.distance = set ? cpi_malloc(12 * (size_t)x->size + 8) : NULL;
    if (b.distance && !find_zeros(&b, &zeros)) {
        b.which = o->indices ? (int32_t *)(b.distance + x->size) : NULL;
        b.each = 1 + (1 << 16) / (1 + b.zeros * x->ndim);
        cpi_parallel((x->size + b.each - 1) / b.each, brute_task, &b);
        if (!cpi_ending_named(name, cpi_ending_code(&b.ending)))
            r = cp_from_host(b.distance, CP_FLOAT64, (cp_shape){x->ndim, x->shape}, NULL);
        if (r && o->metric != CP_DISTANCE_METRIC_EUCLIDEAN) r = cp_astype(r, CP_UINT32);
        if (r && b.which && !(where = unravelled(x, b.which))) r = NULL;
    }
    cpi_free_host(zeros), cpi_free_host(b.distance), cpi_free_host(set);
    return both(&f, r, where, o->indices);
}
