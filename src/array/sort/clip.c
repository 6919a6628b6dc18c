/* The API layer of kappa-sigma clipping. A slot clips float32 or float64 values. Other types are converted: half types
 * to float32, bool and integers to float64, in which NumPy compares them with float64 bounds too. */
#include <math.h>

#include "operands/operands.h"
#include "sort/sort.h"

/* Fills the request but for `from`; false and an error when the arguments are wrong. */
static bool describe(const cp_array *x, const cp_sigma_clip_options *options, cpi_clip *request)
{
    options = CPI_GIVEN(cp_sigma_clip_options, options);
    if (cpi_is_complex(x->type)) {
        cpi_fail(CP_ERROR_TYPE, "sigma_clip: complex values have no order to clip by (type %s)", cp_type_name(x->type));
        return false;
    }
    double kappa = options->kappa == 0 ? 3 : options->kappa;
    if (!(kappa > 0)) {
        cpi_fail(CP_ERROR_VALUE, "sigma_clip: kappa must be positive, not %g", kappa);
        return false;
    }
    if (options->center != CP_CLIP_MEDIAN && options->center != CP_CLIP_MEAN) {
        cpi_fail(CP_ERROR_VALUE, "sigma_clip: there is no center %d", (int)options->center);
        return false;
    }
    if (options->max_iterations < 0) {
        cpi_fail(CP_ERROR_VALUE, "sigma_clip: max_iterations must not be negative, not %d", options->max_iterations);
        return false;
    }
    *request = (cpi_clip){.rule = cpi_is_float(x->type) ? x->type : CP_FLOAT64,
                          .n = x->size,
                          .kappa = kappa,
                          .center = options->center,
                          .max_iterations = options->max_iterations,
                          .result = {NAN, NAN, NAN, NAN, 0, 0},
                          .low = INFINITY,
                          .high = -INFINITY};
    request->type = request->rule == CP_FLOAT64 ? CP_FLOAT64 : CP_FLOAT32;
    return true;
}

/* Clips; returns the contiguous values and (in *work) what was compared. NULL on failure. */
static cp_array *clip(cp_array *x, const cp_sigma_clip_options *options, cpi_clip *request, cp_array **work)
{
    *work = NULL;
    cpi_device *device = cpi_common_device("sigma_clip", 1, &x);
    if (!device || !describe(x, options, request)) return NULL;
    cp_array *values = cpi_dense("sigma_clip", x, x->type, device);
    if (!values || !values->size) return values;
    *work = cpi_dense("sigma_clip", values, request->type, device);
    if (*work) {
        request->from = (*work)->data;
        if (device->backend->sort->clip(cpi_stream(device), request) == CP_OK) return values;
    }
    cp_free(*work);
    *work = NULL;
    cp_free(values);
    return NULL;
}

cp_code (cp_sigma_clip_stats)(cp_array *x, cp_clip_result *result, const cp_sigma_clip_options *options)
{
    cpi_clip request;
    cp_array *work;
    if (cpi_null("sigma_clip", x) || cpi_null("sigma_clip", result)) return cp_error();
    cp_array *values = clip(x, options, &request, &work);
    if (!values) return cp_error();
    cp_free(work);
    cp_free(values);
    *result = request.result;
    return CP_OK;
}

/* The smallest value of the type above v, the largest below it. */
static double above(cp_type type, double v)
{
    return type == CP_FLOAT32 ? (double)nextafterf((float)v, INFINITY) : nextafter(v, INFINITY);
}
static double below(cp_type type, double v) { return -above(type, -v); }

/* The first n elements in memory of their own: what was allocated has capacity for all. */
static cp_array *first_of(cp_array *list, int64_t n)
{
    cp_array *view = cp_slice(list, CP_ITEMS(CP_RANGE(0, n))), *copy = cp_copy(view);
    cp_free(view);
    return copy;
}

/* Splits dense values into two lists. */
static cp_code split_values(cp_array *values, cp_clip_part *part, cp_array *fringe, cp_array *window)
{
    const cp_type type = values->type;
    cpi_clip_split request = {.type = type, .n = values->size, .from = values->data, .pivot = part->pivot,
                              .core_low = above(type, part->core_low), .core_high = below(type, part->core_high),
                              .window_low = above(type, part->window_low),
                              .window_high = below(type, part->window_high),
                              .fringe = fringe->data, .window = window->data};
    cpi_device *device = values->device;
    if (values->size && device->backend->sort->clip_split(cpi_stream(device), &request) != CP_OK) return cp_error();
    cp_array *outside = first_of(fringe, request.fringe_count), *inside = first_of(window, request.window_count);
    if (!outside || !inside) {
        cp_free(outside);
        cp_free(inside);
        return cp_error();
    }
    part->count = request.count;
    part->below = request.below;
    part->s1 = request.s1;
    part->s2 = request.s2;
    part->fringe = outside;
    part->window = inside;
    return CP_OK;
}

cp_code cp_sigma_clip_split(cp_array *x, cp_clip_part *part)
{
    if (cpi_null("sigma_clip_split", x) || cpi_null("sigma_clip_split", part)) return cp_error();
    cpi_clip request;
    cpi_device *device = cpi_common_device("sigma_clip_split", 1, &x);
    if (!device || !describe(x, NULL, &request)) return cp_error();
    cp_array *values = cpi_dense("sigma_clip_split", x, request.type, device);
    if (!values) return cp_error();
    cp_array *fringe = cpi_array_new("sigma_clip_split", device, request.type, 1, &values->size, 'C');
    cp_array *window = fringe ? cpi_array_new("sigma_clip_split", device, request.type, 1, &values->size, 'C') : NULL;
    const cp_code code = window ? split_values(values, part, fringe, window) : cp_error();
    cp_free(window);
    cp_free(fringe);
    cp_free(values);
    return code;
}

cp_array *(cp_sigma_clip)(cp_array *x, cp_clip_result *result, const cp_sigma_clip_options *options)
{
    cpi_clip request;
    cp_array *work;
    if (cpi_null("sigma_clip", x)) return NULL;
    cp_array *values = clip(x, options, &request, &work);
    if (!values) return NULL;
    cp_array *kept = cpi_array_new("sigma_clip", values->device, x->type, 1, &request.result.count, 'C');
    if (kept && kept->size) {
        cpi_device *device = values->device;
        if (device->backend->sort->clip_keep(cpi_stream(device), &request, (int)cpi_itemsize(x->type), values->data,
                                             kept->data) != CP_OK) {
            cp_free(kept);
            kept = NULL;
        }
    }
    cp_free(work);
    cp_free(values);
    if (kept && result) *result = request.result;
    return kept;
}
