/* Graphs: components, orders and shortest paths of graphs that are worked out by hand, and of grids, whose distances
 * are known; arrays that are no graph; memory. */
#include "check.h"

/* 0 -> 1 -> 2 -> 0 and 2 -> 3; 4 -> 5; 6. */
static const int64_t ENDS[] = {0, 1, 2, 4, 4, 5, 5, 5}, TARGETS[] = {1, 2, 0, 3, 5};
static const double LENGTHS[] = {2, 1, 4, 5, 1};
typedef struct graph {
    cp_array *length, *target, *ends; /* owned by the scope */
} graph;

static graph of(cp_type index)
{
    const graph g = {cp_from_host(LENGTHS, CP_FLOAT64, CP_SHAPE(5), NULL),
                     cp_astype(cp_from_host(TARGETS, CP_INT64, CP_SHAPE(5), NULL), index),
                     cp_astype(cp_from_host(ENDS, CP_INT64, CP_SHAPE(8), NULL), index)};
    return g;
}

static void test_components(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (int wide = 0; wide < 2; wide++)
            for (CP_SCOPE) {
                const graph g = of(wide ? CP_INT64 : CP_INT32);
                cp_array *weak = cp_connected_components(g.target, g.ends, false);
                values(weak, 0, 0, 0, 0, 1, 1, 2);
                assert_int_equal(cp_type_of(weak), CP_INT32);
                /* in the order in which a search in depth completes them: 3 before what leads to it, 5 before 4 */
                values(cp_connected_components(g.target, g.ends, true), 1, 1, 1, 0, 3, 2, 4);
                assert_int_equal(cp_size(cp_connected_components(cp_zeros(CP_SHAPE(0), CP_INT32),
                                                                 cp_zeros(CP_SHAPE(1), CP_INT32), false)), 0);
            }
}
/* A ring is one component of both kinds, and a line of it, without its last edge, as many strong ones as nodes. */
static void test_rings(void **state)
{
    (void)state;
    enum { N = 5000 };
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *ends = cp_arange_int(0, N + 1, 1, CP_INT32);
            cp_array *next = cp_astype(cp_remainder(cp_arange_int(1, N + 1, 1, CP_INT64), cp_int(N)), CP_INT32);
            for (int strong = 0; strong < 2; strong++)
                assert_int_equal(cp_item_int(cp_max(cp_connected_components(next, ends, strong))), 0);
            cp_array *line = cp_slice(next, CP_ITEMS(CP_RANGE(0, N - 1)));
            cp_array *line_ends = cp_minimum(ends, cp_int(N - 1));
            assert_int_equal(cp_item_int(cp_max(cp_connected_components(line, line_ends, false))), 0);
            cp_array *strong = cp_connected_components(line, line_ends, true);
            assert_true(cp_array_equal(strong, cp_flip(cp_arange_int(0, N, 1, CP_INT32), CP_ALL), false) == 1);
        }
}

static void test_orders(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            const graph g = of(CP_INT32);
            cp_array *order, *before;
            ok(cp_graph_order(g.target, g.ends, 1, false, &order, &before) == CP_OK);
            values(order, 1, 2, 0, 3);
            values(before, 2, -9999, 1, 2, -9999, -9999, -9999);
            /* 0 -> 1, 2; 1 -> 3; 2 -> 3: in depth 3 comes before 2 */
            cp_array *target = ints(1, 2, 3, 3), *ends = ints(0, 2, 3, 4, 4);
            ok(cp_graph_order(target, ends, 0, false, &order, &before) == CP_OK);
            values(order, 0, 1, 2, 3);
            values(before, -9999, 0, 0, 1);
            ok(cp_graph_order(target, ends, 0, true, &order, &before) == CP_OK);
            values(order, 0, 1, 3, 2);
            values(before, -9999, 0, 0, 1);
            assert_int_equal(cp_type_of(order), CP_INT32);
        }
}

static void test_paths(void **state)
{
    (void)state;
    const double inf = INFINITY;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            const graph g = of(CP_INT64);
            cp_array *far, *before, *from = ints(0, 2);
            ok(cp_shortest_paths(g.length, g.target, g.ends, from, inf, false, &far, &before) == CP_OK);
            values(far, 0, 2, 3, 8, inf, inf, inf, 4, 6, 0, 5, inf, inf, inf);
            values(before, -9999, 0, 1, 2, -9999, -9999, -9999, 2, 0, -9999, 2, -9999, -9999, -9999);
            ok(cp_shortest_paths(g.length, g.target, g.ends, from, 5, false, &far, &before) == CP_OK);
            values(far, 0, 2, 3, inf, inf, inf, inf, 4, inf, 0, 5, inf, inf, inf);
            ok(cp_shortest_paths(g.length, g.target, g.ends, ints(2, 4), inf, true, &far, &before) == CP_OK);
            assert_int_equal(cp_dim(far, 0), 1);
            values(far, 4, 6, 0, 5, 0, 1, inf);
            ok(cp_shortest_paths(g.length, g.target, g.ends, cp_zeros(CP_SHAPE(0), CP_INT64), inf, false, &far,
                                 &before) == CP_OK);
            assert_int_equal(cp_size(far), 0);
        }
}
/* On a grid with edges of length 1 both ways the distance is that of the coordinates. */
static void test_grid(void **state)
{
    (void)state;
    enum { N = 17 };
    static int64_t ends[N * N + 1], target[4 * N * N];
    static double want[2 * N * N];
    int64_t n = 0;
    for (int i = 0; i < N * N; i++) {
        const int y = i / N, x = i % N;
        if (y) target[n++] = i - N;
        if (x) target[n++] = i - 1;
        if (x < N - 1) target[n++] = i + 1;
        if (y < N - 1) target[n++] = i + N;
        ends[i + 1] = n;
        want[i] = y + x;
        want[N * N + i] = abs(y - 5) + abs(x - 3);
    }
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *far, *before, *length = cp_ones(CP_SHAPE(n), CP_FLOAT64);
            cp_array *edges = cp_from_host(target, CP_INT64, CP_SHAPE(n), NULL);
            ok(cp_shortest_paths(length, edges, cp_from_host(ends, CP_INT64, CP_SHAPE(N * N + 1), NULL),
                                 ints(0, 5 * N + 3), INFINITY, false, &far, &before) == CP_OK);
            check_values(far, 2 * N * N, want);
        }
}

static void test_wrong_arguments(void **state)
{
    (void)state;
    cp_array *a = NULL, *b = NULL;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            const graph g = of(CP_INT32);
            cp_array *one = ints(0);
            assert_null(cp_connected_components(g.length, g.ends, false));
            failed_with(CP_ERROR_TYPE, "connected_components: indices must be int32 or int64, not float64");
            assert_null(cp_connected_components(g.target, cp_zeros(CP_SHAPE(0), CP_INT32), true));
            failed_with(CP_ERROR_VALUE, "connected_components: indptr must not be empty");
            assert_null(cp_connected_components(cp_reshape(g.target, CP_SHAPE(1, 5)), g.ends, false));
            failed_with(CP_ERROR_VALUE, "connected_components: indices must be a 1-D array, not one of 2");
            assert_null(cp_connected_components(NULL, g.ends, false));
            failed_with(CP_ERROR_VALUE, "connected_components: an argument is NULL");
            for (int start = -1; start < 8; start += 8) {
                assert_int_equal(cp_graph_order(g.target, g.ends, start, true, &a, &b), CP_ERROR_VALUE);
                failed_with(CP_ERROR_VALUE, start < 0 ? "graph_order: node -1 is not one of 7"
                                                      : "graph_order: node 7 is not one of 7");
            }
            cp_shortest_paths(g.length, g.target, g.ends, ints(0, 7), INFINITY, false, &a, &b);
            failed_with(CP_ERROR_VALUE, "shortest_paths: node 7 is not one of 7");
            cp_shortest_paths(doubles(1), g.target, g.ends, one, INFINITY, false, &a, &b);
            failed_with(CP_ERROR_VALUE, "shortest_paths: indices and data must have the same length");
            cp_shortest_paths(cp_negative(g.length), g.target, g.ends, one, INFINITY, false, &a, &b);
            failed_with(CP_ERROR_VALUE, "shortest_paths: lengths must not be negative or NaN, as -2 is");
            cp_shortest_paths(doubles(1, 2, 3, 4, NAN), g.target, g.ends, one, INFINITY, false, &a, &b);
            failed(CP_ERROR_VALUE);
            cp_shortest_paths(g.length, g.target, g.ends, cp_reshape(one, CP_SHAPE(1, 1)), INFINITY, false, &a, &b);
            failed_with(CP_ERROR_VALUE, "shortest_paths: sources must be a 1-D array");
            assert_true(!a && !b);
        }
}

/* From the example: 0 -> 1 -> 2 -> 0 is 2 + 1 + 4 long. */
static void test_cycles(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (int wide = 0; wide < 2; wide++)
            for (CP_SCOPE) {
                const graph g = of(wide ? CP_INT64 : CP_INT32);
                cp_array *none = cp_negative_cycle(g.length, g.target, g.ends);
                assert_int_equal(cp_type_of(none), CP_INT64);
                assert_int_equal(cp_item_int(none), -1);
                assert_int_equal(cp_item_int(cp_negative_cycle(doubles(-3, 1, 2, -5, -1), g.target, g.ends)), -1);
                cp_array *node = cp_negative_cycle(doubles(-3, 1, 1.5, 5, -1), g.target, g.ends);
                assert_in_range(cp_item_int(node), 0, 2);
                assert_int_equal(cp_item_int(cp_negative_cycle(doubles(NAN, -1, -9, 5, -1), g.target, g.ends)), -1);
                cp_array *empty = cp_zeros(CP_SHAPE(0), CP_INT32), *zero = cp_zeros(CP_SHAPE(1), CP_INT32);
                assert_int_equal(cp_item_int(cp_negative_cycle(cp_zeros(CP_SHAPE(0), CP_FLOAT64), empty, zero)), -1);
                cp_array *own = cp_from_host((const int64_t[]){0, 1}, CP_INT64, CP_SHAPE(2), NULL); /* 0 -> 0 */
                assert_int_equal(cp_item_int(cp_negative_cycle(doubles(-1e-300), ints(0), own)), 0);
                assert_null(cp_negative_cycle(doubles(1), g.target, g.ends));
                failed_with(CP_ERROR_VALUE, "negative_cycle: indices and data must have the same length");
                assert_null(cp_negative_cycle(g.length, g.length, g.ends));
                failed_with(CP_ERROR_TYPE, "negative_cycle: indices must be int32 or int64, not float64");
                assert_null(cp_negative_cycle(NULL, g.target, g.ends));
                failed_with(CP_ERROR_VALUE, "negative_cycle: an argument is NULL");
            }
}

static bool body(void)
{
    cp_scope *scope = cp_scope_begin();
    if (!scope) return false;
    const graph g = of(CP_INT32);
    cp_array *a[6] = {0}, *from = ints(0, 2);
    bool all = g.length && g.target && g.ends && from && cp_connected_components(g.target, g.ends, false) &&
               cp_connected_components(g.target, g.ends, true) && cp_negative_cycle(g.length, g.target, g.ends) &&
               cp_graph_order(g.target, g.ends, 0, false, &a[0], &a[1]) == CP_OK &&
               cp_graph_order(g.target, g.ends, 0, true, &a[2], &a[3]) == CP_OK &&
               cp_shortest_paths(g.length, g.target, g.ends, from, INFINITY, false, &a[4], &a[5]) == CP_OK;
    cp_scope_end(scope);
    return all;
}
static void test_allocations(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) every_allocation_fails(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_components), cmocka_unit_test(test_rings),
                                       cmocka_unit_test(test_orders),     cmocka_unit_test(test_paths),
                                       cmocka_unit_test(test_grid),       cmocka_unit_test(test_wrong_arguments),
                                       cmocka_unit_test(test_cycles),
                                       cmocka_unit_test(test_allocations)};
    return check_run(tests);
}
