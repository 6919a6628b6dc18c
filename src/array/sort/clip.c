/* The front of kappa-sigma clipping. A slot clips float32 or float64 values; other types are converted: half
 * types to float32, bool and integers to float64, which is where NumPy compares them with float64 bounds too. */
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
