/* Points: distances of pairs worked out by hand in every metric, trees beside all pairs, triangulations; arrays that do
 * not fit; memory, of which no argument keeps any. */
#include "check.h"

#define table(a, b, ...) cp_from_host((double[]){__VA_ARGS__}, CP_FLOAT64, CP_SHAPE(a, b), NULL)

static void test_metrics(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *a = table(1, 2, 1, 2), *b = table(1, 2, 4, 6); /* apart by 3 and 4 */
            const double inner = (4 + 12) / sqrt(5 * 52);
            const struct { cp_metric metric; double p, want; } numbers[] = {
                {CP_METRIC_EUCLIDEAN, 2, 5}, {CP_METRIC_SQEUCLIDEAN, 2, 25}, {CP_METRIC_CITYBLOCK, 2, 7},
                {CP_METRIC_CHEBYSHEV, 2, 4}, {CP_METRIC_MINKOWSKI, 3, cbrt(91)}, {CP_METRIC_MINKOWSKI, 1, 7},
                {CP_METRIC_CANBERRA, 2, 3 / 5. + 4 / 8.}, {CP_METRIC_BRAYCURTIS, 2, 7 / 13.},
                {CP_METRIC_HAMMING, 2, 1}, {CP_METRIC_COSINE, 2, 1 - inner}};
            for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
                near_values(cp_distances(a, numbers[i].metric, numbers[i].p, .b = b), 1e-15 * 25, numbers[i].want);
            /* of probabilities */
            cp_array *p = table(2, 2, 0.5, 0.5, 1, 0), *q = table(2, 2, 0.25, 0.75, 0, 1);
            near_values(cp_distances(cp_slice(p, CP_ITEMS(CP_RANGE(0, 1))), CP_METRIC_KL_DIVERGENCE, 2,
                                     .b = cp_slice(q, CP_ITEMS(CP_RANGE(0, 1)))), 1e-15,
                        0.5 * log(2) + 0.5 * log(2 / 3.));
            near_values(cp_distances(cp_slice(p, CP_ITEMS(CP_RANGE(1, 2))), CP_METRIC_JENSENSHANNON, 2,
                                     .b = cp_slice(q, CP_ITEMS(CP_RANGE(1, 2)))), 1e-15, sqrt(log(2)));
            near_values(cp_distances(p, CP_METRIC_HELLINGER, 2, .b = p), 1e-15, 0, sqrt(1 - sqrt(0.5)),
                        sqrt(1 - sqrt(0.5)), 0);
            /* of truth values: one together, one each alone, one neither */
            cp_array *x = table(1, 4, 1, 1, 0, 0), *y = table(1, 4, 1, 0, 1, 0);
            const struct { cp_metric metric; double want; } truths[] = {
                {CP_METRIC_HAMMING, 1 / 2.}, {CP_METRIC_JACCARD, 2 / 3.}, {CP_METRIC_YULE, 1}, {CP_METRIC_DICE, 1 / 2.},
                {CP_METRIC_ROGERSTANIMOTO, 2 / 3.}, {CP_METRIC_RUSSELLRAO, 3 / 4.}, {CP_METRIC_SOKALSNEATH, 4 / 5.}};
            for (size_t i = 0; i < sizeof truths / sizeof *truths; i++)
                near_values(cp_distances(x, truths[i].metric, 2, .b = y), 1e-15, truths[i].want);
            /* weights, and a matrix of them */
            near_values(cp_distances(a, CP_METRIC_CITYBLOCK, 2, .b = b, .weights = doubles(2, 0.5)), 1e-15, 8);
            near_values(cp_distances(a, CP_METRIC_MAHALANOBIS, 2, .b = b, .weights = table(2, 2, 0.25, 0, 0, 1)), 1e-14,
                        sqrt(9 / 4. + 16));
        }
}
/* Pairs of one set, row by row, of more points than a tile has. */
static void test_pairs(void **state)
{
    (void)state;
    enum { N = 150 };
    static double want[N * (N - 1) / 2], all[N * N];
    int n = 0;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            all[i * N + k] = 5 * abs(i - k);
            if (i < k) want[n++] = 5 * (k - i);
        }
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *i = cp_reshape(cp_arange(0, N, 1, CP_FLOAT64), CP_SHAPE(N, 1));
            cp_array *x = cp_multiply(i, doubles(3, 4));
            check_values(cp_distances(x, CP_METRIC_EUCLIDEAN, 2), n, want);
            check_values(cp_distances(x, CP_METRIC_EUCLIDEAN, 2, .b = x), N * N, all);
            check_values(cp_distances(cp_astype(x, CP_INT32), CP_METRIC_EUCLIDEAN, 2), n, want);
            assert_int_equal(cp_size(cp_distances(cp_zeros(CP_SHAPE(0, 2), CP_FLOAT64), CP_METRIC_EUCLIDEAN, 2)), 0);
            assert_int_equal(cp_size(cp_distances(cp_zeros(CP_SHAPE(1, 2), CP_FLOAT64), CP_METRIC_EUCLIDEAN, 2)), 0);
        }
}

/* --- trees --- */

enum { POINTS = 137, PLACES = 23, LEVELS = 4, K = 5 };
static double point[POINTS][2], place[PLACES][2];
/* On a lattice of 1/16, so that distances are exact and many of them are equal. */
static void draw(void)
{
    uint64_t seed = 3;
    for (int i = 0; i < 2 * (POINTS + PLACES); i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const int k = i < 2 * POINTS ? i : i - 2 * POINTS;
        (i < 2 * POINTS ? point : place)[k / 2][k % 2] = (double)(seed >> 58) / 16;
    }
}
static double apart(const double *a, const double *b, double period)
{
    double sum = 0;
    for (int d = 0; d < 2; d++) {
        double x = fabs(a[d] - b[d]);
        if (period > 0 && x > period - x) x = period - x;
        sum += x * x;
    }
    return sqrt(sum);
}
static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
typedef struct tree {
    cp_array *points, *order, *boxes, *none; /* owned by the scope */
} tree;
static tree grow(void)
{
    cp_array *x = cp_from_host(point, CP_FLOAT64, CP_SHAPE(POINTS, 2), NULL);
    tree t = {.order = cp_tree_order(x, LEVELS), .none = cp_zeros(CP_SHAPE(0), CP_FLOAT64)};
    if (x && t.order) t.points = cp_take(x, t.order, 0);
    if (t.points) t.boxes = cp_tree_boxes(t.points, LEVELS);
    return t;
}
static void check_nearest(const tree *t, cp_array *at, double period)
{
    cp_array *far, *which, *round = period > 0 ? doubles(period, period) : t->none;
    ok(cp_tree_nearest(t->points, t->order, t->boxes, round, at, K, 2, INFINITY, 0, &far, &which) == CP_OK);
    double all[POINTS], want[PLACES * K];
    static double got[PLACES * K];
    static int64_t index[PLACES * K];
    ok(cp_to_host(far, got, sizeof got) == CP_OK && cp_to_host(which, index, sizeof index) == CP_OK);
    for (int i = 0; i < PLACES; i++) {
        for (int k = 0; k < POINTS; k++) all[k] = apart(point[k], place[i], period);
        for (int k = 0; k < K; k++) /* of equal distances any index is right, but each one once */
            if (apart(point[index[i * K + k]], place[i], period) != got[i * K + k]) fail_msg("place %d: %d", i, k);
        qsort(all, POINTS, sizeof *all, ascending);
        for (int k = 0; k < K; k++) want[i * K + k] = all[k];
    }
    check_values(far, PLACES * K, want);
}
static void check_within(const tree *t, cp_array *at, double radius)
{
    double counts[PLACES], sums[PLACES], weight[POINTS];
    int64_t order[POINTS], starts[PLACES], total = 0;
    ok(cp_to_host(t->order, order, sizeof order) == CP_OK);
    for (int i = 0; i < POINTS; i++) weight[i] = (double)order[i]; /* of the points in the tree's order */
    for (int i = 0; i < PLACES; i++) {
        counts[i] = sums[i] = 0, starts[i] = total;
        for (int k = 0; k < POINTS; k++)
            if (apart(point[k], place[i], 0) <= radius) counts[i]++, sums[i] += k, total++;
    }
    cp_array *n, *w, *which, *far, *r = cp_full(CP_SHAPE(PLACES), CP_FLOAT64, cp_float(radius));
    cp_array *weights = cp_from_host(weight, CP_FLOAT64, CP_SHAPE(POINTS), NULL);
    ok(cp_tree_count(t->points, t->order, t->boxes, t->none, at, r, 2, 0, weights, &n, &w) == CP_OK);
    check_values(n, PLACES, counts);
    check_values(w, PLACES, sums);
    cp_array *start = cp_from_host(starts, CP_INT64, CP_SHAPE(PLACES), NULL);
    ok(cp_tree_within(t->points, t->order, t->boxes, t->none, at, r, 2, 0, start, total, &which, &far) == CP_OK);
    int64_t *found = malloc((size_t)(total + 1) * sizeof *found);
    double *distance = malloc((size_t)(total + 1) * sizeof *distance);
    ok(cp_to_host(which, found, (size_t)total * 8) == CP_OK && cp_to_host(far, distance, (size_t)total * 8) == CP_OK);
    for (int i = 0; i < PLACES; i++) {
        double sum = 0;
        for (int64_t k = starts[i]; k < starts[i] + (int64_t)counts[i]; k++) {
            sum += (double)found[k];
            assert_true(distance[k] == apart(point[found[k]], place[i], 0));
        }
        assert_true(sum == sums[i]);
    }
    free(found), free(distance);
}
static void test_trees(void **state)
{
    (void)state;
    draw();
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            const tree t = grow();
            ok(t.boxes);
            cp_array *every = cp_arange_int(0, POINTS, 1, CP_INT64);
            assert_true(cp_array_equal(cp_sort(t.order, 0), every, false) == 1);
            assert_int_equal(cp_dim(t.boxes, 0), (2 << LEVELS) - 1);
            cp_array *low = cp_slice(t.boxes, CP_ITEMS(CP_AT(0), CP_AT(0)));
            cp_array *high = cp_slice(t.boxes, CP_ITEMS(CP_AT(0), CP_AT(1)));
            assert_true(cp_array_equal(low, cp_min(t.points, .axis = CP_AXES(0)), false) == 1);
            assert_true(cp_array_equal(high, cp_max(t.points, .axis = CP_AXES(0)), false) == 1);
            cp_array *at = cp_from_host(place, CP_FLOAT64, CP_SHAPE(PLACES, 2), NULL);
            check_nearest(&t, at, 0);
            check_nearest(&t, at, 4);
            check_within(&t, at, 0.5);
            check_within(&t, at, 0);
            check_within(&t, at, 9);
            /* more than there are, and none near enough */
            cp_array *far, *which, *one = table(1, 2, 0, 0);
            cp_array *order = cp_tree_order(one, 0), *boxes = cp_tree_boxes(one, 0);
            ok(cp_tree_nearest(one, order, boxes, t.none, table(2, 2, 3, 4, 0, 1), 2, 2, 4, 0, &far, &which) == CP_OK);
            values(far, INFINITY, INFINITY, 1, INFINITY);
            values(which, 1, 1, 0, 1);
            cp_array *x = cp_from_host(point, CP_FLOAT64, CP_SHAPE(POINTS, 2), NULL);
            ok(cp_nearest_points(at, x, &which, &far) == CP_OK);
            ok(cp_tree_nearest(t.points, t.order, t.boxes, t.none, at, 1, 2, INFINITY, 0, &one, &order) == CP_OK);
            assert_true(cp_array_equal(far, cp_reshape(one, CP_SHAPE(PLACES)), false) == 1);
            /* corners of the unit square along the curve: four keys that differ */
            cp_array *keys = cp_tree_keys(table(4, 2, 0, 0, 0, 1, 1, 0, 1, 1), doubles(0, 0, 1));
            assert_true(cp_item_int(cp_min(cp_diff(cp_sort(keys, 0), 1, -1))) > 0);
        }
}

/* The unit square as two triangles, (0,0) (1,0) (0,1) and (1,1) (1,0) (0,1). */
static void test_simplices(void **state)
{
    (void)state;
    const double transforms[2][3][2] = {{{-1, -1}, {1, 0}, {0, 1}}, {{1, 1}, {0, -1}, {0, 1}}};
    const int32_t sides[2][3] = {{1, -1, -1}, {0, -1, -1}}, wrong[2][3] = {{9, -7, 2}, {0, -1, -1}};
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *at = table(4, 2, 0.25, 0.25, 0.75, 0.75, 2, 2, 0.25, 0.25), *which, *part;
            cp_array *t = cp_from_host(transforms, CP_FLOAT64, CP_SHAPE(2, 3, 2), NULL);
            cp_array *n = cp_from_host(sides, CP_INT32, CP_SHAPE(2, 3), NULL), *start = ints(0, 0, 0, 1);
            cp_array *none = cp_zeros(CP_SHAPE(0), CP_FLOAT64), *grid = doubles(0, 0, 2, 2);
            cp_array *corners = cp_from_host((int32_t[]){1, 2, 0, 1, 2, 3, 0, 0, 1, 0, 1, 9}, CP_INT32,
                                             CP_SHAPE(4, 3), NULL);
            cp_array *made = cp_simplex_transforms(table(4, 2, 0, 0, 1, 0, 0, 1, 1, 1), corners);
            near_values(cp_slice(cp_ravel(made), CP_ITEMS(CP_RANGE(0, 12))), 1e-15, 1, 0, 0, 1, 0, 0, 0, -1, -1, 0, 1,
                        1); /* those of (1,0) (0,1) from (0,0) and from (1,1) */
            assert_true(cp_item_int(cp_count_nonzero(cp_isnan(made))) == 12); /* flat, none */
            ok(cp_find_simplices(at, t, n, ints(0, 1, 0, 1), grid, 2, 1e-12, false, false, &which, &part) == CP_OK);
            values(which, 0, 1, -1, 0);
            cp_array *other = NULL;
            assert_true(cp_find_simplices(at, t, n, start, grid, 3, 1e-12, false, false, &other, &other) ==
                        CP_ERROR_VALUE);
            failed_with(CP_ERROR_VALUE, "find_simplex: 4 starts do not serve 4 places and 3 sides of a grid");
            for (int all = 0; all < 2; all++) {
                ok(cp_find_simplices(at, t, n, start, none, 0, 1e-12, all, false, &which, &part) == CP_OK);
                values(which, 0, 1, -1, 0);
                cp_array *two = cp_slice(cp_ravel(part), CP_ITEMS(CP_RANGE(0, 6)));
                near_values(two, 1e-15, 0.5, 0.25, 0.25, 0.5, 0.25, 0.25);
            }
            ok(cp_find_simplices(at, t, n, start, none, 0, 1e-12, false, true, &which, &part) == CP_OK);
            values(which, 0, 1, -3, 0); /* outside behind simplex 1 */
            /* behind a flat one the search goes on: another copy of the first is found, which comes later */
            const double thin[4][3][2] = {{{-1, -1}, {1, 0}, {0, 1}}, {{NAN, NAN}, {NAN, NAN}, {NAN, NAN}},
                                          {{-1, -1}, {1, 0}, {0, 1}}, {{1, 1}, {0, -1}, {0, 1}}};
            const int32_t ways[4][3] = {{-1, -1, -1}, {3, 2, -1}, {1, -1, -1}, {1, -1, -1}};
            ok(cp_find_simplices(at, cp_from_host(thin, CP_FLOAT64, CP_SHAPE(4, 3, 2), NULL),
                                 cp_from_host(ways, CP_INT32, CP_SHAPE(4, 3), NULL), ints(3, 3, 3, 0), none, 0, 1e-12,
                                 false, false, &which, &part) == CP_OK);
            values(which, 2, 3, -1, 0);
            /* a start or a neighbour that is no simplex leads nowhere: nothing is read there */
            n = cp_from_host(wrong, CP_INT32, CP_SHAPE(2, 3), NULL);
            ok(cp_find_simplices(at, t, n, ints(0, 0, -5, 1000), none, 0, 1e-12, false, false, &which, &part) == CP_OK);
            values(which, 0, -1, -1, 0);
        }
}

/* Triangles of the plane: a square and its middle, twice; a line; a lattice at an angle, of which all squares are ties
 * that only exact numbers show, against Euler's formula and the neighbours' symmetry. */
static void test_delaunay(void **state)
{
    (void)state;
    enum { SIDE = 40 };
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *t, *n, *c;
            ok(cp_delaunay(table(3, 2, 0, 0, 0, 1, 1, 0), 0, &t, &n, &c) == CP_OK);
            values(cp_sort(cp_ravel(t), 0), 0, 1, 2);
            values(cp_ravel(n), -1, -1, -1);
            ok(cp_size(c) == 0 && cp_type_of(t) == CP_INT32);
            ok(cp_delaunay(table(6, 2, 0, 0, 1, 0, 0, 1, 1, 1, 0.5, 0.5, 0.5, 0.5), 0, &t, &n, &c) == CP_OK);
            assert_int_equal(cp_dim(t, 0), 4);
            assert_int_equal(cp_item_int(cp_count_nonzero(cp_equal(t, ints(4)))), 4);
            assert_int_equal(cp_item_int(cp_count_nonzero(cp_less(n, ints(0)))), 4);
            values(cp_slice(cp_ravel(c), CP_ITEMS(CP_STEP(0, 3, 2))), 5, 4);
            /* a point so near to the border that it has no triangle of its own there */
            cp_array *thin = table(5, 2, 0, 0, 1, 0, 1, 1, 0, 1, 0.5, 1e-15);
            ok(cp_delaunay(thin, 0, &t, &n, &c) == CP_OK);
            assert_int_equal(cp_dim(t, 0), 4);
            ok(cp_delaunay(thin, 0x1p-40, &t, &n, &c) == CP_OK);
            assert_int_equal(cp_dim(t, 0), 3);
            ok(cp_delaunay(table(4, 2, 0, 0, 1, 3, 2, 6, 5, 15), 0, &t, &n, &c) == CP_OK);
            assert_true(cp_size(t) == 0 && cp_size(n) == 0 && cp_size(c) == 0);
            static double x[SIDE * SIDE][2];
            for (int i = 0; i < SIDE * SIDE; i++) {
                x[i][0] = 1234567891. * (3 * (i % SIDE) - 4 * (i / SIDE));
                x[i][1] = 1234567891. * (4 * (i % SIDE) + 3 * (i / SIDE));
            }
            ok(cp_delaunay(cp_from_host(x, CP_FLOAT64, CP_SHAPE(SIDE * SIDE, 2), NULL), 0, &t, &n, &c) == CP_OK);
            enum { TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };
            assert_int_equal(cp_dim(t, 0), TRIANGLES);
            static int32_t across[TRIANGLES][3];
            ok(cp_to_host(n, across, sizeof across) == CP_OK);
            int outside = 0;
            for (int i = 0; i < TRIANGLES; i++)
                for (int k = 0; k < 3; k++) {
                    const int32_t j = across[i][k];
                    outside += j < 0;
                    assert_true(j < 0 || (across[j][0] == i) + (across[j][1] == i) + (across[j][2] == i) == 1);
                }
            assert_int_equal(outside, 4 * (SIDE - 1));
        }
}

static void test_wrong_arguments(void **state)
{
    (void)state;
    cp_array *a = NULL, *b = NULL;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *x = table(2, 2, 0, 0, 1, 1), *y = table(1, 3, 0, 0, 0), *none = cp_zeros(CP_SHAPE(0), CP_FLOAT64);
            assert_null(cp_distances(x, CP_METRIC_EUCLIDEAN, 2, .b = y));
            failed_with(CP_ERROR_VALUE, "cdist: points of 2 and of 3 dimensions");
            assert_null(cp_distances(none, CP_METRIC_EUCLIDEAN, 2));
            failed_with(CP_ERROR_VALUE, "pdist: points must be an array of 2 dimensions, not of 1");
            assert_null(cp_distances(x, (cp_metric)99, 2));
            failed_with(CP_ERROR_VALUE, "pdist: no such metric");
            assert_null(cp_distances(x, CP_METRIC_MAHALANOBIS, 2));
            failed_with(CP_ERROR_VALUE, "pdist: no matrix is given");
            assert_null(cp_distances(x, CP_METRIC_EUCLIDEAN, 2, .weights = doubles(1)));
            failed_with(CP_ERROR_VALUE, "pdist: 1 weights, where 2 are needed");
            assert_null(cp_distances(cp_astype(x, CP_COMPLEX64), CP_METRIC_EUCLIDEAN, 2));
            failed(CP_ERROR_TYPE);
            cp_nearest_points(x, cp_zeros(CP_SHAPE(0, 2), CP_FLOAT64), &a, &b);
            failed_with(CP_ERROR_VALUE, "vq: 0 points of 2 dimensions do not serve points of 2");
            assert_null(cp_tree_order(x, 2));
            failed_with(CP_ERROR_VALUE, "KDTree: 2 points have no 2 levels");
            assert_null(cp_tree_boxes(x, -1));
            failed_with(CP_ERROR_VALUE, "KDTree: 2 points have no -1 levels");
            cp_array *order = ints(0, 1), *boxes = cp_tree_boxes(x, 1);
            cp_tree_nearest(x, order, cp_zeros(CP_SHAPE(2, 2, 2), CP_FLOAT64), none, x, 1, 2, INFINITY, 0, &a, &b);
            failed_with(CP_ERROR_VALUE, "KDTree.query: these arrays are no tree");
            cp_tree_nearest(x, order, boxes, none, y, 1, 2, INFINITY, 0, &a, &b);
            failed_with(CP_ERROR_VALUE, "KDTree.query: points of 3 dimensions, where the tree has 2");
            cp_tree_nearest(x, order, boxes, none, x, 0, 2, INFINITY, 0, &a, &b);
            failed_with(CP_ERROR_VALUE, "KDTree.query: k must be 1 or above, not 0");
            cp_tree_count(x, order, boxes, none, x, doubles(1), 2, 0, none, &a, &b);
            failed_with(CP_ERROR_VALUE, "KDTree.count_neighbors: 1 radii of 2 places");
            cp_find_simplices(x, x, x, x, none, 0, 0, false, false, &a, &b);
            failed(CP_ERROR_VALUE);
            cp_array *c = NULL;
            cp_delaunay(y, 0, &a, &b, &c);
            failed_with(CP_ERROR_VALUE, "Delaunay: points must be (points, 2)");
            cp_delaunay(x, -1, &a, &b, &c);
            failed_with(CP_ERROR_VALUE, "Delaunay: flat must be 0 or above");
            cp_delaunay(table(3, 2, 0, 0, 0, NAN, 1, 0), 0, &a, &b, &c);
            failed_with(CP_ERROR_VALUE, "Delaunay: points must be finite");
            cp_delaunay(table(3, 2, 0, 0, 0, 1e-100, 1e100, 0), 0, &a, &b, &c);
            failed_with(CP_ERROR_VALUE, "Delaunay: the coordinates' magnitudes are out of range");
            cp_delaunay(cp_astype(x, CP_COMPLEX64), 0, &a, &b, &c);
            failed(CP_ERROR_TYPE);
            assert_null(c);
            assert_null(cp_tree_order(NULL, 0));
            failed_with(CP_ERROR_VALUE, "KDTree: an argument is NULL");
            assert_true(!a && !b);
        }
}

static bool body(void)
{
    cp_scope *scope = cp_scope_begin();
    if (!scope) return false;
    cp_array *a[11] = {0}, *x = table(4, 2, 0, 0, 1, 1, 2, 0, 3, 3), *none = cp_zeros(CP_SHAPE(0), CP_FLOAT64);
    cp_array *order = cp_tree_order(x, 1), *boxes = cp_tree_boxes(x, 1), *r = doubles(1, 1, 1, 1);
    cp_array *transform = cp_from_host((double[]){-1, -1, 1, 0, 0, 1}, CP_FLOAT64, CP_SHAPE(1, 3, 2), NULL);
    cp_array *sides = cp_from_host((int32_t[]){-1, -1, -1}, CP_INT32, CP_SHAPE(1, 3), NULL), *start = ints(0, 0, 0, 0);
    const bool made[] = {none && r && transform && sides && start,
                         cp_distances(x, CP_METRIC_EUCLIDEAN, 2) != NULL,
                         cp_distances(x, CP_METRIC_CITYBLOCK, 2, .b = x, .weights = x ? doubles(1, 2) : NULL) != NULL,
                         cp_nearest_points(x, x, &a[0], &a[1]) == CP_OK,
                         cp_tree_nearest(x, order, boxes, none, x, 2, 2, INFINITY, 0, &a[2], &a[3]) == CP_OK,
                         cp_tree_count(x, order, boxes, none, x, r, 2, 0, none, &a[4], &a[5]) == CP_OK,
                         cp_find_simplices(x, transform, sides, start, none, 0, 0, false, false, &a[6],
                                           &a[7]) == CP_OK,
                         cp_delaunay(table(5, 2, 0, 0, 1, 1, 2, 0, 3, 3, 1, 1), 1e-9, &a[8], &a[9], &a[10]) == CP_OK};
    bool all = true;
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) all &= made[i];
    cp_scope_end(scope); /* owns all results of each call */
    return all && cp_error() == CP_OK;
}
static void test_allocations(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) every_allocation_fails(body);
}

/* A program that wants its call to end, at the second time that it is asked. */
static int asked;
static bool wants_to_end(void)
{
    for (CP_SCOPE) check_values(cp_distances(table(1, 1, 1), CP_METRIC_CITYBLOCK, 2, .b = table(1, 1, 3)), 1,
                                (double[]){2});
    return ++asked == 2;
}
static void test_interrupts(void **state)
{
    (void)state;
    cp_interrupt_set(wants_to_end);
    for (CP_SCOPE) { /* minutes */
        cp_array *x = cp_ones(CP_SHAPE(400, 60000), CP_FLOAT64);
        assert_null(cp_distances(x, CP_METRIC_JENSENSHANNON, 2, .b = x));
        failed_with(CP_ERROR_INTERRUPTED, "cdist: the call was interrupted");
        assert_int_equal(asked, 2);
        x = cp_ones(CP_SHAPE(100, 60), CP_FLOAT64); /* the next call is not ended by what ended this one */
        assert_int_equal(cp_size(cp_distances(x, CP_METRIC_JENSENSHANNON, 2)), 4950);
    }
    cp_interrupt_set(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_metrics), cmocka_unit_test(test_pairs),
                                       cmocka_unit_test(test_trees), cmocka_unit_test(test_simplices),
                                       cmocka_unit_test(test_delaunay),
                                       cmocka_unit_test(test_wrong_arguments), cmocka_unit_test(test_allocations),
                                       cmocka_unit_test(test_interrupts)};
    return check_run(tests);
}
