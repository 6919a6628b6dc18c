/* Trees of points and triangulations: arguments and results. */
#include "compose/compose.h"
#include "core/memory.h"
#include "operands/operands.h"
#include "spatial/spatial.h"
#include "spatial/split.h"
#include "spatial/trees.h"

static cp_array *dense(const char *name, cp_array *x, int ndim, cp_type type)
{
    if (cpi_null(name, x)) return NULL;
    if (x->ndim != ndim)
        return cpi_fail(CP_ERROR_VALUE, "%s: an array of %d dimensions, not of %d, is needed", name, ndim, x->ndim),
               NULL;
    return cpi_check_real(name, x) ? NULL : cpi_dense_in_scope(name, x, type, cpi_device_current());
}

/*: function("tree_keys", "points: array, range: array", module="_spatial", unlock="always",
             about={"points": "(n, dimensions)", "range": "the lowest coordinates, then one over the largest extent"},
             raises={"ValueError": "other shapes"},
             doc="Keys of points along a curve that fills the space: near ones have near keys.") */
cp_array *cp_tree_keys(cp_array *points, cp_array *range)
{
    const char *name = "KDTree";
    cpi_composite f;
    if (!cpi_begin(&f, name, points)) return NULL;
    cp_array *x = dense(name, points, 2, CP_FLOAT64), *r = x ? dense(name, range, 1, CP_FLOAT64) : NULL, *keys = NULL;
    if (r && (r->size != x->shape[1] + 1 || x->shape[1] < 1)) cpi_fail(CP_ERROR_VALUE, "%s: no such range", name);
    else if (r) keys = cp_empty(CP_SHAPE(x->shape[0]), CP_INT64);
    cpi_device *device = cpi_device_current();
    if (keys && keys->size &&
        device->backend->spatial->keys(cpi_stream(device), x->shape[0], x->shape[1], (const double *)x->data,
                                       (const double *)r->data, (int64_t *)keys->data))
        keys = NULL;
    return cpi_end(&f, keys);
}

/*: function("tree_order", "points: array, levels: int", module="_spatial", unlock="always",
             about={"points": "(n, dimensions)", "levels": "how often the points are halved"},
             raises={"ValueError": "other shapes, or more levels than points allow"},
             doc="""The order of a tree's points: halves along the longest side of the box around them, again and
again. Computed on the host.""") */
cp_array *cp_tree_order(cp_array *points, int levels)
{
    const char *name = "KDTree";
    cpi_composite f;
    if (!cpi_begin(&f, name, points)) return NULL;
    cp_array *x = dense(name, points, 2, CP_FLOAT64), *r = NULL;
    if (!x) return cpi_end(&f, NULL);
    const int64_t n = x->shape[0];
    if (levels < 0 || levels > 40 || n >> levels < 1)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "%s: %lld points have no %d levels", name, (long long)n, levels),
                            NULL));
    double *host = cpi_malloc((size_t)cp_nbytes(x) + (size_t)n * sizeof(int64_t));
    int64_t *order = (int64_t *)(host + x->size);
    if (host && cp_to_host(x, host, (size_t)cp_nbytes(x)) == CP_OK) {
        if (cpi_tree_split(host, n, x->shape[1], levels, order) == CP_OK)
            r = cp_from_host(order, CP_INT64, CP_SHAPE(n), NULL);
    }
    cpi_free_host(host);
    return cpi_end(&f, r);
}

/* A tree of these arrays; the boxes say how many levels it has. */
static cp_code tree_of(const char *name, cp_array *points, cp_array *order, cp_array *boxes, cp_array *period,
                       cpi_point_tree *t)
{
    cp_array *x = dense(name, points, 2, CP_FLOAT64), *i = x ? dense(name, order, 1, CP_INT64) : NULL;
    cp_array *b = i ? dense(name, boxes, 3, CP_FLOAT64) : NULL;
    cp_array *round = b ? dense(name, period, 1, CP_FLOAT64) : NULL;
    if (!round) return cp_error();
    int levels = 0;
    while (levels < 40 && ((int64_t)2 << levels) - 1 < b->shape[0]) levels++;
    if (x->shape[0] < 1 || i->size != x->shape[0] || b->shape[0] != ((int64_t)2 << levels) - 1 || b->shape[1] != 2 ||
        b->shape[2] != x->shape[1] || x->shape[0] >> levels < 1 || (round->size && round->size != x->shape[1]))
        return cpi_fail(CP_ERROR_VALUE, "%s: these arrays are no tree", name);
    *t = (cpi_point_tree){.n = x->shape[0], .ndim = x->shape[1], .levels = levels, .points = (const double *)x->data,
                          .order = (const int64_t *)i->data, .boxes = (double *)b->data,
                          .period = round->size ? (const double *)round->data : NULL};
    return CP_OK;
}

/*: function("tree_boxes", "points: array, levels: int", module="_spatial", unlock="always",
             about={"points": "(n, dimensions), in their order", "levels": "how often the points are halved"},
             raises={"ValueError": "other shapes, or more levels than points allow"},
             doc="The boxes of a tree's nodes: (nodes, 2, dimensions), the lowest and the highest coordinates.") */
cp_array *cp_tree_boxes(cp_array *points, int levels)
{
    const char *name = "KDTree";
    cpi_composite f;
    if (!cpi_begin(&f, name, points)) return NULL;
    cp_array *x = dense(name, points, 2, CP_FLOAT64), *boxes = NULL;
    if (x && (levels < 0 || levels > 40 || x->shape[0] >> levels < 1))
        cpi_fail(CP_ERROR_VALUE, "%s: %lld points have no %d levels", name, (long long)x->shape[0], levels);
    else if (x)
        boxes = cp_empty(CP_SHAPE(((int64_t)2 << levels) - 1, 2, x->shape[1]), CP_FLOAT64);
    cpi_device *device = cpi_device_current();
    if (boxes && boxes->size) {
        const cpi_point_tree t = {.n = x->shape[0], .ndim = x->shape[1], .levels = levels,
                                  .points = (const double *)x->data, .boxes = (double *)boxes->data};
        if (device->backend->spatial->boxes(cpi_stream(device), &t)) boxes = NULL;
    }
    return cpi_end(&f, boxes);
}

static cp_array *places_of(const char *name, cp_array *at, const cpi_point_tree *t)
{
    cp_array *x = dense(name, at, 2, CP_FLOAT64);
    if (x && x->shape[1] != t->ndim)
        return cpi_fail(CP_ERROR_VALUE, "%s: points of %lld dimensions, where the tree has %lld", name,
                        (long long)x->shape[1], (long long)t->ndim), NULL;
    return x;
}

cp_code cpi_spatial_give(const cpi_composite *f, cp_code code, cp_array *first, cp_array *second, cp_array **a,
                         cp_array **b)
{
    cp_keep(second);
    first = cpi_end(f, !code && second ? first : NULL);
    if (!first) return cp_free(second), cp_error();
    cpi_into_scope(second);
    *a = first, *b = second;
    return CP_OK;
}

/*: function("tree_nearest", "points: array, order: array, boxes: array, period: array, at: array, k: int64, "
             "p: double, bound: double, eps: double", module="_spatial", returns="(distance, which)", unlock="always",
             about={"points": "the tree's points, in their order", "order": "their indices", "boxes": "of its nodes",
                    "period": "of each dimension, 0 for none; or no elements", "at": "places (places, dimensions)",
                    "k": "how many", "p": "the power of distances, 1 to infinity", "bound": "only nearer points count",
                    "eps": "a point this part too far is near enough"},
             raises={"ValueError": "arrays that are no tree, other dimensions, k below 1"},
             doc="""The k nearest points of each place, (places, k): distances, infinite where there are no more, and
indices, there the number of points.""") */
cp_code cp_tree_nearest(cp_array *points, cp_array *order, cp_array *boxes, cp_array *period, cp_array *at, int64_t k,
                        double p, double bound, double eps, cp_array **distance, cp_array **which)
{
    const char *name = "KDTree.query";
    cpi_composite f;
    if (!cpi_begin(&f, name, points)) return cp_error();
    cpi_tree_query q = {.k = k, .p = p, .bound = bound, .eps = eps};
    cp_array *x = NULL, *d = NULL, *i = NULL;
    cp_code code = tree_of(name, points, order, boxes, period, &q.tree);
    if (!code && k < 1) code = cpi_fail(CP_ERROR_VALUE, "%s: k must be 1 or above, not %lld", name, (long long)k);
    if (!code && (x = places_of(name, at, &q.tree))) d = cp_empty(CP_SHAPE(x->shape[0], k), CP_FLOAT64);
    if (d) i = cp_empty(CP_SHAPE(x->shape[0], k), CP_INT64);
    if (i && i->size) {
        q.count = x->shape[0], q.at = (const double *)x->data;
        q.distances = (double *)d->data, q.which = (int64_t *)i->data;
        cpi_device *device = cpi_device_current();
        code = cpi_ending_named(name, device->backend->spatial->nearest(cpi_stream(device), &q));
    }
    return cpi_spatial_give(&f, code, d, i, distance, which);
}

/* A query of points within a radius; x lives until the call ends. */
static cp_code within(const char *name, cp_array *at, cp_array *radius, cpi_tree_query *q, cp_array **x)
{
    *x = places_of(name, at, &q->tree);
    cp_array *r = *x ? dense(name, radius, 1, CP_FLOAT64) : NULL;
    if (!r) return cp_error();
    if (r->size != (*x)->shape[0])
        return cpi_fail(CP_ERROR_VALUE, "%s: %lld radii of %lld places", name, (long long)r->size,
                        (long long)(*x)->shape[0]);
    q->count = r->size, q->at = (const double *)(*x)->data, q->radius = (const double *)r->data;
    return CP_OK;
}

static cp_code look(const char *name, const cpi_tree_query *q)
{
    cpi_device *device = cpi_device_current();
    return q->count ? cpi_ending_named(name, device->backend->spatial->within(cpi_stream(device), q)) : CP_OK;
}

/*: function("tree_count", "points: array, order: array, boxes: array, period: array, at: array, radius: array, "
             "p: double, eps: double, weights: array", module="_spatial", returns="(counts, sums)", unlock="always",
             about={"points": "the tree's points, in their order", "order": "their indices", "boxes": "of its nodes",
                    "period": "of each dimension, 0 for none; or no elements", "at": "places (places, dimensions)",
                    "radius": "one for each place", "p": "the power of distances, 1 to infinity",
                    "eps": "nodes this part too far are left out", "weights": "of the points in their order, or no "
                    "elements"},
             raises={"ValueError": "arrays that are no tree, other dimensions"},
             doc="How many points lie within the radius of each place, and the sum of their weights.") */
cp_code cp_tree_count(cp_array *points, cp_array *order, cp_array *boxes, cp_array *period, cp_array *at,
                      cp_array *radius, double p, double eps, cp_array *weights, cp_array **counts, cp_array **sums)
{
    const char *name = "KDTree.count_neighbors";
    cpi_composite f;
    if (!cpi_begin(&f, name, points)) return cp_error();
    cpi_tree_query q = {.p = p, .eps = eps};
    cp_array *x = NULL, *c = NULL, *s = NULL, *w = NULL;
    cp_code code = tree_of(name, points, order, boxes, period, &q.tree);
    if (!code && !(w = dense(name, weights, 1, CP_FLOAT64))) code = cp_error();
    if (!code && w->size && w->size != q.tree.n) code = cpi_fail(CP_ERROR_VALUE, "%s: a weight for each point", name);
    if (!code) code = within(name, at, radius, &q, &x);
    if (!code) c = cp_empty(CP_SHAPE(q.count), CP_INT64), s = c ? cp_empty(CP_SHAPE(q.count), CP_FLOAT64) : NULL;
    if (s) {
        q.counts = (int64_t *)c->data, q.sums = (double *)s->data;
        q.weights = w->size ? (const double *)w->data : NULL;
        code = look(name, &q);
    }
    return cpi_spatial_give(&f, code, c, s, counts, sums);
}

/*: function("tree_within", "points: array, order: array, boxes: array, period: array, at: array, radius: array, "
             "p: double, eps: double, start: array, total: int64", module="_spatial", returns="(which, distance)",
             unlock="always",
             about={"points": "the tree's points, in their order", "order": "their indices", "boxes": "of its nodes",
                    "period": "of each dimension, 0 for none; or no elements", "at": "places (places, dimensions)",
                    "radius": "one for each place", "p": "the power of distances, 1 to infinity",
                    "eps": "nodes this part too far are left out",
                    "start": "where each place's results begin: sums of what tree_count gives for the same",
                    "total": "how many there are"},
             raises={"ValueError": "arrays that are no tree, other dimensions"},
             doc="""The points within the radius of each place, one place behind the other: indices and distances.
`start` is not checked.""") */
cp_code cp_tree_within(cp_array *points, cp_array *order, cp_array *boxes, cp_array *period, cp_array *at,
                       cp_array *radius, double p, double eps, cp_array *start, int64_t total, cp_array **which,
                       cp_array **distance)
{
    const char *name = "KDTree.query_ball_point";
    cpi_composite f;
    if (!cpi_begin(&f, name, points)) return cp_error();
    cpi_tree_query q = {.p = p, .eps = eps};
    cp_array *x = NULL, *i = NULL, *d = NULL, *s = NULL;
    cp_code code = tree_of(name, points, order, boxes, period, &q.tree);
    if (!code) code = within(name, at, radius, &q, &x);
    if (!code && !(s = dense(name, start, 1, CP_INT64))) code = cp_error();
    if (!code && (s->size < q.count || total < 0)) code = cpi_fail(CP_ERROR_VALUE, "%s: too few starts", name);
    if (!code) i = cp_empty(CP_SHAPE(total), CP_INT64), d = i ? cp_empty(CP_SHAPE(total), CP_FLOAT64) : NULL;
    if (d && total) {
        q.start = (const int64_t *)s->data;
        q.which = (int64_t *)i->data, q.distances = (double *)d->data;
        code = look(name, &q);
    }
    return cpi_spatial_give(&f, code, i, d, which, distance);
}

/*: function("simplex_transforms", "points: array, corners: array", module="_spatial", unlock="always",
             about={"points": "(points, dimensions), at most 16 dimensions",
                    "corners": "of each simplex the indices of its points (simplices, dimensions + 1)"},
             raises={"ValueError": "other shapes"},
             doc="""What leads to barycentric coordinates, (simplices, dimensions + 1, dimensions): the inverse of each
simplex's edges from its last corner, NaN where it is flat, and that corner.""") */
cp_array *cp_simplex_transforms(cp_array *points, cp_array *corners)
{
    const char *name = "Delaunay.transform";
    cpi_composite f;
    if (!cpi_begin(&f, name, points)) return NULL;
    cp_array *x = dense(name, points, 2, CP_FLOAT64), *c = x ? dense(name, corners, 2, CP_INT32) : NULL, *t = NULL;
    if (c && (c->shape[1] != x->shape[1] + 1 || x->shape[1] < 1 || x->shape[1] > CPI_SIMPLEX_DIMENSIONS))
        cpi_fail(CP_ERROR_VALUE, "%s: %lld corners of simplices in %lld dimensions", name, (long long)c->shape[1],
                 (long long)x->shape[1]);
    else if (c)
        t = cp_empty(CP_SHAPE(c->shape[0], c->shape[1], x->shape[1]), CP_FLOAT64);
    cpi_device *device = cpi_device_current();
    if (t && t->size) {
        const cpi_simplex_corners q = {
            .simplices = c->shape[0], .ndim = x->shape[1], .n = x->shape[0], .points = (const double *)x->data,
            .corners = (const int32_t *)c->data, .transform = (double *)t->data};
        if (device->backend->spatial->transforms(cpi_stream(device), &q)) t = NULL;
    }
    return cpi_end(&f, t);
}

/* How many cells a grid of so many sides has, -1 where they are too many to be. */
static int64_t cells_of(int64_t sides, int64_t ndim)
{
    int64_t cells = 1;
    for (int64_t d = 0; d < ndim; d++)
        if (sides < 1 || __builtin_mul_overflow(cells, sides, &cells)) return -1;
    return cells;
}

/*: function("find_simplices", "at: array, transform: array, neighbours: array, start: array, grid: array, "
             "sides: int64, eps: double, all: bool, last: bool", module="_spatial", returns="(which, parts)",
             unlock="always",
             about={"at": "places (places, dimensions)", "transform": "Qhull's (simplices, dimensions + 1, dimensions)",
                    "neighbours": "of each simplex, -1 outside", "start": "where each place's search begins, or with "
                    "a grid the searches from each of its cells", "grid": "the lowest coordinates, then cells per unit "
                    "along each dimension; or no elements", "sides": "cells along each dimension, 0: no grid",
                    "eps": "by how much coordinates may be below 0", "all": "whether all simplices are looked at",
                    "last": "whether a place outside gets -2 less the simplex that its search was in last"},
             raises={"ValueError": "other shapes"},
             doc="""In which simplex of a triangulation each place lies, -1 for none, as int32, and its barycentric
coordinates there.""") */
cp_code cp_find_simplices(cp_array *at, cp_array *transform, cp_array *neighbours, cp_array *start, cp_array *grid,
                          int64_t sides, double eps, bool all, bool last, cp_array **which, cp_array **parts)
{
    const char *name = "find_simplex";
    cpi_composite f;
    if (!cpi_begin(&f, name, at)) return cp_error();
    cp_array *x = dense(name, at, 2, CP_FLOAT64), *t = x ? dense(name, transform, 3, CP_FLOAT64) : NULL;
    cp_array *n = t ? dense(name, neighbours, 2, CP_INT32) : NULL, *s = n ? dense(name, start, 1, CP_INT64) : NULL;
    cp_array *g = s ? dense(name, grid, 1, CP_FLOAT64) : NULL, *i = NULL, *c = NULL;
    cp_code code = g ? CP_OK : cp_error();
    if (!code && (t->shape[0] < 1 || t->shape[1] != x->shape[1] + 1 || t->shape[2] != x->shape[1] ||
                  n->shape[0] != t->shape[0] || n->shape[1] != t->shape[1]))
        code = cpi_fail(CP_ERROR_VALUE, "%s: these arrays are no triangulation of such places", name);
    const int64_t ndim = code ? 0 : x->shape[1];
    if (!code && (s->size != (sides ? cells_of(sides, ndim) : x->shape[0]) || (sides && g->size != 2 * ndim)))
        code = cpi_fail(CP_ERROR_VALUE, "%s: %lld starts do not serve %lld places and %lld sides of a grid", name,
                        (long long)s->size, (long long)x->shape[0], (long long)sides);
    if (!code) i = cp_empty(CP_SHAPE(x->shape[0]), CP_INT32);
    if (i) c = cp_empty(CP_SHAPE(x->shape[0], t->shape[1]), CP_FLOAT64);
    if (c && i->size) {
        const cpi_simplex_search q = {
            .count = i->size, .simplices = t->shape[0], .ndim = ndim, .at = (const double *)x->data,
            .transform = (const double *)t->data, .neighbours = (const int32_t *)n->data, .eps = eps, .all = all,
            .last = last, .start = (const int64_t *)s->data, .grid = (const double *)g->data, .sides = sides,
            .which = (int32_t *)i->data, .parts = (double *)c->data};
        cpi_device *device = cpi_device_current();
        code = cpi_ending_named(name, device->backend->spatial->simplices(cpi_stream(device), &q));
    }
    return cpi_spatial_give(&f, code, i, c, which, parts);
}
