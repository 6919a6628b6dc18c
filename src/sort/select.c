/* The front of the median: the slot sees lanes as C-contiguous rows. */
#include <math.h>

#include "front/front.h"
#include "sort/sort.h"

static cp_type median_type(cp_type t) { return cpi_is_bool(t) || cpi_is_int(t) ? CP_FLOAT64 : t; }

static cp_code fill_with_nan(cp_array *result)
{
    cp_array *nan = cpi_is_complex(result->type) ? cp_complex(NAN, NAN) : cp_float(NAN);
    cp_code code = nan ? cp_fill(result, nan) : cp_error();
    cp_free(nan);
    return code;
}

static cp_code medians(cp_array *x, const cpi_lanes *lanes, cp_array *result)
{
    if (!lanes->kept) return CP_OK;
    if (!lanes->reduced) {
        cpi_warn(CP_WARNING_MEAN);
        return fill_with_nan(result);
    }
    cp_array *dense = cpi_lanes_dense("median", x, lanes, result->device, false);
    if (!dense) return cp_error();
    cp_code code = result->device->backend->sort->median(cpi_stream(result->device), dense->type, lanes->kept,
                                                         lanes->reduced, dense->data, result->data);
    cp_free(dense);
    return code;
}

cp_array *(cp_median)(cp_array *x, const cp_median_options *options)
{
    static const cp_median_options plain = {0};
    cpi_lanes lanes;
    if (!options) options = &plain;
    if (cpi_null("median", x) || cpi_lanes_of("median", x, options->axis, options->keepdims, &lanes)) return NULL;
    cp_array *all[2] = {x, options->out};
    cpi_output o = {.function = "median", .device = cpi_common_device("median", 2, all), .type = median_type(x->type),
                    .ndim = lanes.ndim, .shape = lanes.shape, .out = options->out, .dense = true};
    if (!o.device || cpi_output_open(&o, 1, &x)) return NULL;
    return cpi_output_close(&o, medians(x, &lanes, o.array));
}
