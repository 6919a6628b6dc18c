/* Distances of points: arguments and results. Trees are in trees.c, SciPy's words in python/cuprite/scipy/spatial. */
#include "spatial/spatial.h"

#include "compose/compose.h"
#include "operands/operands.h"
#include "spatial/trees.h"

/*: python_module("_spatial", doc="Distances and neighbours of points in C, behind cuprite.scipy.spatial.") */
/*: words("metric", "euclidean sqeuclidean cityblock chebyshev minkowski canberra braycurtis hamming jaccard cosine "
          "jensenshannon kl_divergence hellinger mahalanobis yule dice rogerstanimoto russellrao sokalsneath",
          c="cp_metric", values="CP_METRIC_EUCLIDEAN CP_METRIC_SQEUCLIDEAN CP_METRIC_CITYBLOCK CP_METRIC_CHEBYSHEV "
          "CP_METRIC_MINKOWSKI CP_METRIC_CANBERRA CP_METRIC_BRAYCURTIS CP_METRIC_HAMMING CP_METRIC_JACCARD "
          "CP_METRIC_COSINE CP_METRIC_JENSENSHANNON CP_METRIC_KL_DIVERGENCE CP_METRIC_HELLINGER CP_METRIC_MAHALANOBIS "
          "CP_METRIC_YULE CP_METRIC_DICE CP_METRIC_ROGERSTANIMOTO CP_METRIC_RUSSELLRAO CP_METRIC_SOKALSNEATH") */

/* x as dense float64 points (n, dimensions). */
static cp_array *points_of(const char *name, cp_array *x, cpi_device *device)
{
    if (x->ndim != 2)
        return cpi_fail(CP_ERROR_VALUE, "%s: points must be an array of 2 dimensions, not of %d", name, x->ndim), NULL;
    return cpi_check_real(name, x) ? NULL : cpi_dense_in_scope(name, x, CP_FLOAT64, device);
}

static cp_code check_weights(const char *name, const cp_array *w, cp_metric metric, int64_t ndim)
{
    if (!w) return metric == CP_METRIC_MAHALANOBIS ? cpi_fail(CP_ERROR_VALUE, "%s: no matrix is given", name) : CP_OK;
    const int64_t need = metric == CP_METRIC_MAHALANOBIS ? ndim * ndim : ndim;
    return w->size == need ? CP_OK : cpi_fail(CP_ERROR_VALUE, "%s: %lld weights, where %lld are needed", name,
                                              (long long)w->size, (long long)need);
}

/*: function("distances", "a: array, metric: metric, p: double, b: array = None, weights: array = None",
             module="_spatial", unlock="always",
             about={"a": "points (n, dimensions)", "metric": "which distance", "p": "the power of 'minkowski'",
                    "b": "other points; without them the pairs i < j of a", "weights": "of the dimensions; of "
                    "'mahalanobis' the matrix"},
             raises={"ValueError": "other shapes"},
             doc="""Distances of all pairs of points: float64, (points of a, points of b), or of one set the pairs
i < j, row by row. Metrics of truth values take 0 and 1.""") */
cp_array *(cp_distances)(cp_array *a, cp_metric metric, double p, const cp_distances_options *options)
{
    const cp_distances_options *o = CPI_GIVEN(cp_distances_options, options);
    const char *name = o->b ? "cdist" : "pdist";
    cpi_composite f;
    if (!cpi_begin(&f, name, a)) return NULL;
    cpi_device *device = cpi_device_current();
    if ((unsigned)metric > CP_METRIC_SOKALSNEATH) return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "%s: no such metric",
                                                                               name), NULL));
    cp_array *from = points_of(name, a, device), *to = o->b ? points_of(name, o->b, device) : NULL;
    cp_array *w = o->weights && from ? cpi_dense_in_scope(name, o->weights, CP_FLOAT64, device) : NULL, *r = NULL;
    if (!from || (o->b && !to) || (o->weights && !w)) return cpi_end(&f, NULL);
    const int64_t n = from->shape[0], ndim = from->shape[1];
    if (to && to->shape[1] != ndim)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "%s: points of %lld and of %lld dimensions", name,
                                     (long long)ndim, (long long)to->shape[1]), NULL));
    if (check_weights(name, w, metric, ndim)) return cpi_end(&f, NULL);
    r = to ? cp_empty(CP_SHAPE(n, to->shape[0]), CP_FLOAT64) : cp_empty(CP_SHAPE(n * (n - 1) / 2), CP_FLOAT64);
    if (r && r->size) {
        const cpi_distances d = {.metric = metric, .na = n, .nb = to ? to->shape[0] : 0, .ndim = ndim, .p = p,
                                 .a = (const double *)from->data, .b = to ? (const double *)to->data : NULL,
                                 .weights = w ? (const double *)w->data : NULL, .to = (double *)r->data};
        if (cpi_ending_named(name, device->backend->spatial->distances(cpi_stream(device), &d))) r = NULL;
    }
    return cpi_end(&f, r);
}

/*: function("nearest_points", "a: array, b: array", module="_spatial", returns="(which, distance)", unlock="always",
             about={"a": "points (n, dimensions)", "b": "others, one or more"},
             raises={"ValueError": "other shapes, or no points in b"},
             doc="For each point of a the nearest of b, and its Euclidean distance, by looking at all of b.") */
cp_code cp_nearest_points(cp_array *a, cp_array *b, cp_array **which, cp_array **distance)
{
    const char *name = "vq";
    cpi_composite f;
    if (cpi_null(name, b) || !cpi_begin(&f, name, a)) return cp_error();
    cpi_device *device = cpi_common_device(name, 2, (cp_array *const[]){a, b});
    cp_array *from = device ? points_of(name, a, device) : NULL, *to = from ? points_of(name, b, device) : NULL;
    cp_array *index = NULL, *r = NULL;
    cp_code code = to ? CP_OK : cp_error();
    if (!code && (to->shape[0] < 1 || to->shape[1] != from->shape[1]))
        code = cpi_fail(CP_ERROR_VALUE, "%s: %lld points of %lld dimensions do not serve points of %lld", name,
                        (long long)to->shape[0], (long long)to->shape[1], (long long)from->shape[1]);
    if (!code) index = cp_empty(CP_SHAPE(from->shape[0]), CP_INT64);
    if (index) r = cp_empty(CP_SHAPE(from->shape[0]), CP_FLOAT64);
    if (r && r->size) {
        const cpi_nearby s = {.na = from->shape[0], .nb = to->shape[0], .ndim = from->shape[1],
                              .a = (const double *)from->data, .b = (const double *)to->data,
                              .which = (int64_t *)index->data, .distances = (double *)r->data};
        code = cpi_ending_named(name, device->backend->spatial->nearby(cpi_stream(device), &s));
    }
    return cpi_spatial_give(&f, code, index, r, which, distance);
}
