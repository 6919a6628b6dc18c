/* Results that a function hands out through pointers: inside a scope they are the scope's, as what it returns is, and
 * outside of one the caller's. Counted by blocks that are left: all calls of a table, on each device. */
#include "check.h"

#include "cuprite/fuse.h"
#include "cuprite/ndimage.h"
#include "cuprite/peaks.h"
#include "cuprite/sort.h"
#include "cuprite/sparse_linalg.h"

enum { MOST = 4 };
typedef struct given { cp_array *x, *y, *whole, *square; cp_sparse *matrix; } given;
static bool parts(const given *g, cp_array **to)
{
    cp_sparse *l = NULL, *u = NULL;
    cp_sparse_factors *f = cp_sparse_lu(g->matrix);
    const bool good = f && !cp_sparse_lu_parts(f, &l, &u, to, to + 1);
    cp_sparse_free(l);
    cp_sparse_free(u);
    cp_sparse_lu_free(f);
    return good;
}
/* A call with `to` for its results, what it returns among them. */
static bool hand_deconvolve(const given *g, cp_array **to) { return !cp_deconvolve(g->x, g->y, to, to + 1); }
static bool hand_vectorstrength(const given *g, cp_array **to) { return !cp_vectorstrength(g->x, g->y, to, to + 1); }
static bool hand_extrema(const given *g, cp_array **to)
{
    return !cp_extrema(g->x, NULL, NULL, to, to + 1, to + 2, to + 3);
}
static bool hand_value_indices(const given *g, cp_array **to)
{
    return !cp_value_indices(g->whole, to, to + 1, to + 2);
}
static bool hand_histogram(const given *g, cp_array **to) { return !cp_histogram(g->x, 3, to, to + 1); }
static bool hand_histogram_edges(const given *g, cp_array **to)
{
    return !cp_histogram(g->x, 0, to, to + 1, .edges = g->y);
}
static bool hand_average(const given *g, cp_array **to) { return !cp_average(g->x, to, to + 1); }
static bool hand_average_weighed(const given *g, cp_array **to)
{
    return !cp_average(g->x, to, to + 1, .weights = g->x);
}
static bool hand_unique(const given *g, cp_array **to)
{
    return (to[3] = cp_unique(g->x, .index = to, .inverse = to + 1, .counts = to + 2)) != NULL;
}
static bool hand_linspace(const given *g, cp_array **to)
{
    return (to[1] = cp_linspace(g->x, g->x, 3, .step = to)) != NULL;
}
static bool hand_linspace_numbers(const given *g, cp_array **to)
{
    (void)g;
    cp_array *start = cp_float(1), *stop = cp_float(2);
    to[1] = cp_linspace(start, stop, 3, .step = to);
    cp_free(start), cp_free(stop);
    return to[1] != NULL;
}
static bool hand_intersect1d(const given *g, cp_array **to)
{
    return (to[2] = cp_intersect1d(g->x, g->y, .comm1 = to, .comm2 = to + 1)) != NULL;
}
static bool hand_lstsq(const given *g, cp_array **to)
{
    return !cp_lstsq(g->square, g->y, NULL, to, to + 1, to + 2, to + 3);
}
static bool hand_polydiv(const given *g, cp_array **to) { return !cp_polydiv(g->x, g->y, to, to + 1); }
static bool hand_modf(const given *g, cp_array **to) { return !cp_modf(g->x, to, to + 1); }
static bool hand_qr(const given *g, cp_array **to) { return !cp_qr(g->square, to, to + 1); }
static bool hand_svd(const given *g, cp_array **to) { return !cp_svd(g->square, to, to + 1, to + 2); }
static bool hand_local_maxima(const given *g, cp_array **to) { return !cp_local_maxima(g->x, to, to + 1); }
static bool hand_sparse_find(const given *g, cp_array **to) { return !cp_sparse_find(g->matrix, to, to + 1, to + 2); }
static bool hand_sparse_lu_parts(const given *g, cp_array **to) { return parts(g, to); }
static bool hand_sparse_eigsh(const given *g, cp_array **to) { return !cp_sparse_eigsh(g->matrix, to, to + 1, .k = 2); }
static bool hand_sparse_eigs(const given *g, cp_array **to) { return !cp_sparse_eigs(g->matrix, to, to + 1, .k = 1); }
static bool hand_sparse_svds(const given *g, cp_array **to)
{
    return !cp_sparse_svds(g->matrix, to, to + 1, to + 2, .k = 2);
}
static bool hand_sparse_lobpcg(const given *g, cp_array **to)
{
    return !cp_sparse_lobpcg(g->matrix, g->square, to, to + 1);
}
static bool hand_sparse_lsqr(const given *g, cp_array **to)
{
    return (to[1] = cp_sparse_lsqr(g->matrix, g->y, .variances = to)) != NULL;
}
static bool hand_sparse_onenormest(const given *g, cp_array **to)
{
    return (to[2] = cp_sparse_onenormest(g->matrix, .v = to, .w = to + 1)) != NULL;
}
typedef struct call { const char *name; int n; bool (*hand)(const given *g, cp_array **to); } call;
#define CALL(name, n) {#name, n, hand_##name}
static const call CALLS[] = {
    CALL(deconvolve, 2), CALL(vectorstrength, 2), CALL(extrema, 4), CALL(value_indices, 3), CALL(histogram, 2),
    CALL(histogram_edges, 2), CALL(average, 2), CALL(average_weighed, 2), CALL(unique, 4), CALL(linspace, 2),
    CALL(linspace_numbers, 2), CALL(intersect1d, 3), CALL(lstsq, 4), CALL(polydiv, 2), CALL(modf, 2),
    CALL(qr, 2), CALL(svd, 3), CALL(local_maxima, 2), CALL(sparse_find, 3), CALL(sparse_lu_parts, 2),
    CALL(sparse_eigsh, 2), CALL(sparse_eigs, 2), CALL(sparse_svds, 3), CALL(sparse_lobpcg, 2),
    CALL(sparse_lsqr, 2), CALL(sparse_onenormest, 3),
};

static void results_are_the_scopes(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        given g = {doubles(3, 1, 4, 1, 5, 9, 2, 6), doubles(1, 2, 4), ints(3, 1, 3, 2), cp_eye(3, 3, 0, CP_FLOAT64)};
        g.matrix = cp_sparse_from_dense(g.square, CP_SPARSE_CSR);
        ok(g.matrix);
        for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++) {
            for (int round = 0; round < 3; round++) { /* fill caches; in a scope; freed in it */
                cp_array *to[MOST] = {NULL};
                const int64_t live = cp_test_live();
                cp_scope *scope = round ? cp_scope_begin() : NULL;
                if (!CALLS[i].hand(&g, to)) fail_msg("%s: %s", CALLS[i].name, cp_error_message());
                for (int k = 0; k < CALLS[i].n; k++) {
                    if (!to[k]) fail_msg("%s: no result %d", CALLS[i].name, k);
                    if (round != 1) cp_free(to[k]);
                }
                cp_scope_end(scope);
                ok(cp_device_synchronize(CP_CURRENT) == CP_OK);
                if (round && cp_test_live() != live)
                    fail_msg("%s, round %d: %d blocks are left", CALLS[i].name, round, (int)(cp_test_live() - live));
            }
        }
        cp_array *whole = cp_sparse_dense(g.matrix); /* which nothing has taken the arrays of */
        values(whole, 1, 0, 0, 0, 1, 0, 0, 0, 1);
        cp_free(whole);
        cp_sparse_free(g.matrix);
        cp_array *const made[] = {g.x, g.y, g.whole, g.square};
        for (int i = 0; i < 4; i++) cp_free(made[i]);
    }
}
/* Beside an error that was not cleared a call may fail, or give all of its results; the first error stays. */
static void none_is_missing_beside_an_error(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *x = doubles(3, 1, 4, 1, 5, 9, 2, 6), *eye = cp_eye(3, 3, 0, CP_FLOAT64);
            given g = {x, doubles(1, 2, 4), ints(3, 1, 3, 2), eye, cp_sparse_from_dense(eye, CP_SPARSE_CSR)};
            ok(g.matrix);
            for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++) {
                cp_array *to[MOST] = {NULL};
                assert_null(cp_zeros(CP_SHAPE(-1), CP_FLOAT64));
                if (CALLS[i].hand(&g, to))
                    for (int k = 0; k < CALLS[i].n; k++)
                        if (!to[k]) fail_msg("%s: no error, and no result %d", CALLS[i].name, k);
                failed(CP_ERROR_VALUE);
            }
            cp_sparse_free(g.matrix);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(results_are_the_scopes),
                                       cmocka_unit_test(none_is_missing_beside_an_error)};
    return check_run(tests);
}
