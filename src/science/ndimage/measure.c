/* API layer of the measurements: selects the pixels of regions, sets the results' types and shapes.
 *
 * Invariant: the plan's arrays are C-contiguous and of one shape; results are new, so nothing is changed when a
 * call fails. */
#include "cuprite/ndimage.h"
#include "cuprite/reduce.h"

#include <math.h>
#include <string.h>

#include "operands/operands.h"
#include "ndimage/key.h"
#include "ndimage/ndimage.h"

enum { SUM, MEAN, VARIANCE, DEVIATION, EXTREMUM, CENTRE, POSITION };

/* The operands of one call, converted to the plan's form; drop() frees them. */
typedef struct operands {
    cp_array *x, *labels, *index;
    cpi_device *device;
    int ndim; /* of the results: index's shape */
    int64_t shape[CP_MAXDIM];
} operands;

static void drop(operands *o)
{
    cp_free(o->x);
    cp_free(o->labels);
    cp_free(o->index);
}

/* The region of one host value: labels equal to it. */
static void one_label(cpi_measure_plan *plan, const cp_array *index, cp_type labels)
{
    cpi_domain domain = cpi_domain_of(labels);
    plan->kind = cpi_index_key(index->type, index->data, 0, domain, &plan->key) ? CPI_REGIONS_ONE : CPI_REGIONS_NONE;
    if (domain != CPI_DOMAIN_FLOAT && cpi_is_float(index->type)) {
        double v = cpi_load_double(index->type, index->data, 0);
        if (v != trunc(v)) plan->kind = CPI_REGIONS_NONE; /* a scalar is compared, not truncated */
    }
}

/* Checks and prepares the operands and the plan's first half. False: error written, nothing to drop. */
static bool prepare(const char *function, cp_array *x, cp_array *labels, cp_array *index, operands *o,
                    cpi_measure_plan *plan)
{
    memset(o, 0, sizeof *o);
    memset(plan, 0, sizeof *plan);
    plan->function = function;
    if (cpi_null(function, x) || cpi_check_real(function, x)) return false;
    if (labels && cpi_check_real(function, labels)) return false;
    if (!labels) index = NULL;
    if (index && cpi_check_real(function, index)) return false;
    int ndim;
    int64_t shape[CP_MAXDIM];
    cp_array *all[3] = {x, labels, index};
    o->device = cpi_common_device(function, 3, all);
    if (!o->device || cpi_common_shape(function, 2, all, &ndim, shape)) return false;
    o->x = cpi_dense_shaped(function, x, x->type, o->device, ndim, shape);
    if (o->x && labels) o->labels = cpi_dense_shaped(function, labels, labels->type, o->device, ndim, shape);
    if (o->labels && index && !(index->flags & CPI_HOST_SCALAR))
        o->index = cpi_dense(function, index, index->type, o->device);
    if (!o->x || (labels && !o->labels) || (index && !(index->flags & CPI_HOST_SCALAR) && !o->index)) {
        drop(o);
        return false;
    }
    plan->x = o->x;
    plan->labels = o->labels;
    plan->index = o->index;
    plan->ndim = o->x->ndim;
    plan->shape = o->x->shape;
    plan->size = o->x->size;
    plan->n = 1;
    plan->kind = labels ? CPI_REGIONS_POSITIVE : CPI_REGIONS_ALL;
    if (o->index) {
        plan->kind = CPI_REGIONS_INDEX;
        plan->n = o->index->size;
        o->ndim = o->index->ndim;
        memcpy(o->shape, o->index->shape, sizeof *shape * (size_t)o->ndim);
    } else if (index) {
        one_label(plan, index, labels->type);
    }
    return true;
}

/* A result: index's shape, and `more` axes behind it. */
static cp_array *result(const char *function, const operands *o, cp_type type, int more, const int64_t *lengths)
{
    int64_t shape[CP_MAXDIM + 2];
    if (o->ndim + more > CP_MAXDIM) {
        cpi_fail(CP_ERROR_VALUE, "%s: the result would have more than %d dimensions", function, CP_MAXDIM);
        return NULL;
    }
    memcpy(shape, o->shape, sizeof *shape * (size_t)o->ndim);
    for (int i = 0; i < more; i++) shape[o->ndim + i] = lengths[i];
    return cpi_array_new(function, o->device, type, o->ndim + more, shape, 'C');
}

/* Runs the plan; an image without pixels has empty regions only, and backends need not know it. */
static cp_code measure(cpi_device *device, cpi_measure_plan *plan)
{
    int64_t ones[CP_MAXDIM];
    if (plan->n == 0) return CP_OK;
    if (plan->size == 0) { /* positions are divided by the shape, which may not contain 0 */
        for (int i = 0; i < plan->ndim; i++) ones[i] = 1;
        plan->kind = CPI_REGIONS_NONE;
        plan->shape = ones;
    }
    return device->backend->ndimage->measure(cpi_stream(device), plan);
}

static cp_type sum_type(const cpi_measure_plan *plan)
{
    cp_type t = plan->x->type;
    if (plan->kind == CPI_REGIONS_INDEX) return CP_FLOAT64;
    return cpi_is_float(t) ? t : cpi_is_bool(t) || cpi_is_signed(t) ? CP_INT64 : CP_UINT64;
}

static cp_array *statistic(const char *function, int what, bool greatest, cp_array *x, cp_array *labels,
                           cp_array *index)
{
    operands o;
    cpi_measure_plan plan;
    if (!prepare(function, x, labels, index, &o, &plan)) return NULL;
    bool single = plan.kind != CPI_REGIONS_INDEX;
    int64_t ndim = plan.ndim;
    cp_array *r = NULL;
    plan.greatest = greatest;
    plan.nan_wins = plan.must = single;
    switch (what) {
    case SUM: plan.sum = r = result(function, &o, sum_type(&plan), 0, NULL); break;
    case MEAN: plan.mean = r = result(function, &o, CP_FLOAT64, 0, NULL); break;
    case VARIANCE: plan.variance = r = result(function, &o, CP_FLOAT64, 0, NULL); break;
    case DEVIATION: plan.deviation = r = result(function, &o, CP_FLOAT64, 0, NULL); break;
    case EXTREMUM: plan.value = r = result(function, &o, plan.x->type, 0, NULL); break;
    case CENTRE: plan.centre = r = result(function, &o, CP_FLOAT64, 1, &ndim); break;
    default: plan.position = r = result(function, &o, CP_INT64, 1, &ndim); break;
    }
    if (what != EXTREMUM && what != POSITION) plan.must = false;
    else if (plan.size == 0) plan.must = true; /* nothing to find: SciPy's error */
    if (r && (r->size || plan.must) && measure(o.device, &plan) != CP_OK) {
        cp_free(r);
        r = NULL;
    }
    drop(&o);
    return r;
}

cp_array *cp_sum_labels(cp_array *x, cp_array *labels, cp_array *index)
{
    return statistic("sum_labels", SUM, false, x, labels, index);
}
cp_array *cp_mean_labels(cp_array *x, cp_array *labels, cp_array *index)
{
    return statistic("mean", MEAN, false, x, labels, index);
}
cp_array *cp_variance_labels(cp_array *x, cp_array *labels, cp_array *index)
{
    return statistic("variance", VARIANCE, false, x, labels, index);
}
cp_array *cp_std_labels(cp_array *x, cp_array *labels, cp_array *index)
{
    return statistic("standard_deviation", DEVIATION, false, x, labels, index);
}
cp_array *cp_minimum_labels(cp_array *x, cp_array *labels, cp_array *index)
{
    return statistic("minimum", EXTREMUM, false, x, labels, index);
}
cp_array *cp_maximum_labels(cp_array *x, cp_array *labels, cp_array *index)
{
    return statistic("maximum", EXTREMUM, true, x, labels, index);
}
cp_array *cp_center_of_mass(cp_array *x, cp_array *labels, cp_array *index)
{
    return statistic("center_of_mass", CENTRE, false, x, labels, index);
}
cp_array *cp_minimum_position(cp_array *x, cp_array *labels, cp_array *index)
{
    return statistic("minimum_position", POSITION, false, x, labels, index);
}
cp_array *cp_maximum_position(cp_array *x, cp_array *labels, cp_array *index)
{
    return statistic("maximum_position", POSITION, true, x, labels, index);
}

/* One extreme of prepared operands, where it is wanted; two new arrays or none. */
static cp_code extreme(const operands *o, cpi_measure_plan *plan, bool greatest, bool value, bool position,
                       cp_array **made)
{
    const int64_t ndim = o->x->ndim;
    const bool must = plan->must;
    made[0] = value ? result(plan->function, o, plan->x->type, 0, NULL) : NULL;
    made[1] = position && (made[0] || !value) ? result(plan->function, o, CP_INT64, 1, &ndim) : NULL;
    plan->greatest = greatest, plan->value = made[0], plan->position = made[1];
    cp_code code = (made[0] || !value) && (made[1] || !position) ? CP_OK : cp_error();
    const bool empty = (!made[0] || !made[0]->size) && (!made[1] || !made[1]->size);
    if (!code && (value || position) && (!empty || must)) code = measure(o->device, plan);
    if (!code) return CP_OK;
    cp_free(made[0]), cp_free(made[1]);
    made[0] = made[1] = NULL;
    return code;
}

cp_code cp_extrema(cp_array *x, cp_array *labels, cp_array *index, cp_array **minimum, cp_array **maximum,
                   cp_array **minimum_position, cp_array **maximum_position)
{
    operands o;
    cpi_measure_plan plan;
    cp_array *made[4] = {NULL}, **to[4] = {minimum, minimum_position, maximum, maximum_position};
    for (int i = 0; i < 4; i++)
        if (to[i]) *to[i] = NULL;
    if (!prepare("extrema", x, labels, index, &o, &plan)) return cp_error();
    plan.nan_wins = plan.must = plan.kind != CPI_REGIONS_INDEX;
    if (!plan.size) plan.must = true; /* nothing to find: SciPy's error */
    cpi_measure_plan second = plan;
    cp_code code = extreme(&o, &plan, false, minimum, minimum_position, made);
    if (!code) code = extreme(&o, &second, true, maximum, maximum_position, made + 2);
    drop(&o);
    for (int i = 0; i < 4; i++) {
        if (!code && to[i]) *to[i] = made[i];
        else cp_free(made[i]);
    }
    return code;
}

cp_array *cp_find_objects(cp_array *labels, int64_t max_label)
{
    const char *f = "find_objects";
    if (cpi_null(f, labels) || cpi_check_real(f, labels)) return NULL;
    if (cpi_is_float(labels->type)) {
        cpi_fail(CP_ERROR_TYPE, "find_objects: labels must be integers, not %s", cp_type_name(labels->type));
        return NULL;
    }
    operands o = {0};
    cpi_measure_plan plan = {0};
    o.device = cpi_common_device(f, 1, &labels);
    if (!o.device) return NULL;
    if (max_label < 1) {
        if (labels->size == 0) {
            cpi_fail(CP_ERROR_VALUE, "find_objects: no largest label in an array without elements");
            return NULL;
        }
        cp_array *largest = cp_max(labels);
        if (!largest) return NULL;
        uint64_t value[2] = {0};
        cp_code code = cp_to_host(largest, value, sizeof value);
        cp_free(largest);
        if (code != CP_OK) return NULL;
        max_label = cpi_load_int(labels->type, value, 0);
        if (max_label < 0) max_label = 0;
    }
    o.labels = cpi_dense(f, labels, labels->type, o.device);
    if (!o.labels) return NULL;
    o.ndim = 1;
    o.shape[0] = max_label;
    plan = (cpi_measure_plan){.labels = o.labels, .kind = CPI_REGIONS_COUNT, .n = max_label, .ndim = labels->ndim,
                              .shape = labels->shape, .size = labels->size, .function = f};
    plan.box = result(f, &o, CP_INT64, 2, (int64_t[]){labels->ndim, 2});
    if (plan.box && plan.box->size && measure(o.device, &plan) != CP_OK) {
        cp_free(plan.box);
        plan.box = NULL;
    }
    cp_array *box = plan.box;
    drop(&o);
    return box;
}

void cp_sources_free(cp_sources *s)
{
    if (!s) return;
    cp_array *const all[] = {s->pixels, s->sum,      s->flux,       s->centroid,
                             s->peak,   s->position, s->flux_error, s->centroid_error};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) cp_free(all[i]);
    memset(s, 0, sizeof *s);
}

/* Allocates the wanted results of cp_measure and enters them in the plan; false: error written. */
static bool source_results(const operands *o, cpi_measure_plan *plan, cp_sources *s)
{
    const char *f = plan->function;
    int64_t ndim = plan->ndim;
    if (!(plan->count = s->pixels = result(f, o, CP_INT64, 0, NULL))) return false;
    if (!(plan->sum = s->flux = result(f, o, CP_FLOAT64, 0, NULL))) return false;
    if (!(plan->centre = s->centroid = result(f, o, CP_FLOAT64, 1, &ndim))) return false;
    if (!(plan->value = s->peak = result(f, o, plan->x->type, 0, NULL))) return false;
    if (!(plan->position = s->position = result(f, o, CP_INT64, 1, &ndim))) return false;
    if (plan->background == 0) s->sum = cp_retain(s->flux);
    else if (!(plan->raw = s->sum = result(f, o, CP_FLOAT64, 0, NULL))) return false;
    if (plan->noise == 0) return true;
    plan->sum_error = s->flux_error = result(f, o, CP_FLOAT64, 0, NULL);
    if (s->flux_error) plan->centre_error = s->centroid_error = result(f, o, CP_FLOAT64, 1, &ndim);
    return s->centroid_error != NULL;
}

cp_code (cp_measure)(cp_array *x, cp_array *labels, int64_t count, cp_sources *sources,
                     const cp_measure_options *options)
{
    const char *f = "measure";
    options = CPI_GIVEN(cp_measure_options, options);
    if (cpi_null(f, sources)) return cp_error();
    memset(sources, 0, sizeof *sources);
    if (cpi_null(f, labels)) return cp_error();
    if (count < 0) return cpi_fail(CP_ERROR_VALUE, "measure: count is %lld", (long long)count);
    if (!isfinite(options->background))
        return cpi_fail(CP_ERROR_VALUE, "measure: the background is %g", options->background);
    if (!(options->noise >= 0 && options->noise < INFINITY))
        return cpi_fail(CP_ERROR_VALUE, "measure: the noise is %g", options->noise);
    operands o;
    cpi_measure_plan plan;
    if (!prepare(f, x, labels, NULL, &o, &plan)) return cp_error();
    plan.background = options->background;
    plan.noise = options->noise;
    plan.kind = CPI_REGIONS_COUNT;
    plan.n = count;
    plan.greatest = true;
    o.ndim = 1;
    o.shape[0] = count;
    cp_sources s = {0};
    cp_code code = source_results(&o, &plan, &s) ? measure(o.device, &plan) : cp_error();
    drop(&o);
    if (code == CP_OK)
        *sources = s;
    else
        cp_sources_free(&s);
    return code;
}
