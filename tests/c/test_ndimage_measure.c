/* The measurements of regions against loops over all pixels. */
#include "check.h"

static uint32_t seed = 3;
static uint32_t next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}

/* Two regions and a half, all numbers small enough to check by hand:
 *   labels 1 1 0 2    pixels  1 2 9 4
 *          0 1 0 2           -1 3 9 6                                                                     */
static void by_hand(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = cp_from_host((float[]){1, 2, 9, 4, -1, 3, 9, 6}, CP_FLOAT32, CP_SHAPE(2, 4), NULL);
        cp_array *l = cp_from_host((int32_t[]){1, 1, 0, 2, 0, 1, 0, 2}, CP_INT32, CP_SHAPE(2, 4), NULL);
        cp_array *i = ints(2, 1, 7, 0, 1), *one = cp_int(1), *r;
#define CHECK(call, type, ...)                  \
    r = call;                                   \
    ok(r);                                      \
    assert_int_equal(cp_type_of(r), type);      \
    values(r, __VA_ARGS__);                     \
    cp_free(r)
        CHECK(cp_sum_labels(x, l, i), CP_FLOAT64, 10, 6, 0, 17, 6);
        CHECK(cp_mean_labels(x, l, i), CP_FLOAT64, 5, 2, NAN, 17.0 / 3, 2);
        cp_array *few = ints(7, 2);
        CHECK(cp_variance_labels(x, l, few), CP_FLOAT64, NAN, 1);
        cp_free(few);
        CHECK(cp_minimum_labels(x, l, i), CP_FLOAT32, 4, 1, 0, -1, 1);
        CHECK(cp_maximum_labels(x, l, i), CP_FLOAT32, 6, 3, 0, 9, 3);
        CHECK(cp_minimum_position(x, l, i), CP_INT64, 0, 3, 0, 0, 0, 0, 1, 0, 0, 0);
        CHECK(cp_maximum_position(x, l, i), CP_INT64, 1, 3, 1, 1, 0, 0, 0, 2, 1, 1);
        CHECK(cp_center_of_mass(x, l, i), CP_FLOAT64, 0.6, 3, 0.5, 5.0 / 6, NAN, NAN, 8.0 / 17, 36.0 / 17, 0.5,
              5.0 / 6);
        CHECK(cp_sum_labels(x, l, NULL), CP_FLOAT32, 16);
        CHECK(cp_sum_labels(x, l, one), CP_FLOAT32, 6);
        CHECK(cp_sum_labels(x, NULL, NULL), CP_FLOAT32, 33);
        CHECK(cp_sum_labels(l, l, NULL), CP_INT64, 7);
        CHECK(cp_mean_labels(l, l, NULL), CP_FLOAT64, 1.4);
        CHECK(cp_std_labels(x, l, one), CP_FLOAT64, sqrt(2.0 / 3));
        CHECK(cp_maximum_labels(x, NULL, NULL), CP_FLOAT32, 9);
        CHECK(cp_maximum_position(x, NULL, NULL), CP_INT64, 0, 2);
        CHECK(cp_minimum_position(x, l, NULL), CP_INT64, 0, 0);
        CHECK(cp_center_of_mass(x, l, NULL), CP_FLOAT64, 9.0 / 16, 35.0 / 16);
        CHECK(cp_find_objects(l, 0), CP_INT64, 0, 2, 0, 2, 0, 2, 3, 4);
        CHECK(cp_find_objects(l, 3), CP_INT64, 0, 2, 0, 2, 0, 2, 3, 4, -1, -1, -1, -1);
        cp_sources s;
        ok(cp_measure(x, l, 3, &s) == CP_OK);
        values(s.pixels, 3, 2, 0);
        values(s.flux, 6, 10, 0);
        values(s.centroid, 0.5, 5.0 / 6, 0.6, 3, NAN, NAN);
        values(s.peak, 3, 6, 0);
        values(s.position, 1, 1, 1, 3, 0, 0);
        cp_sources_free(&s);
        cp_free(one);
        cp_free(i);
        cp_free(l);
        cp_free(x);
    }
}

/* The loops' results for one label; n == 0: no pixel. */
typedef struct facts {
    int64_t n, low_at, high_at, box[6];
    double sum, mean, spread, moment[3], low, high;
} facts;

static facts facts_of(int64_t size, const int64_t *shape, const double *x, const int64_t *label, int64_t which)
{
    facts f = {0};
    for (int64_t i = 0; i < size; i++) {
        if (label[i] != which) continue;
        int64_t c[3] = {i / (shape[1] * shape[2]), i / shape[2] % shape[1], i % shape[2]};
        for (int a = 0; a < 3; a++) {
            if (!f.n || c[a] < f.box[2 * a]) f.box[2 * a] = c[a];
            if (!f.n || c[a] + 1 > f.box[2 * a + 1]) f.box[2 * a + 1] = c[a] + 1;
            f.moment[a] += x[i] * (double)c[a];
        }
        if (!f.n || x[i] < f.low) f.low = x[i], f.low_at = i;
        if (!f.n || x[i] > f.high) f.high = x[i], f.high_at = i;
        f.sum += x[i];
        f.n++;
    }
    f.mean = f.sum / (double)f.n;
    for (int64_t i = 0; i < size; i++)
        if (label[i] == which) f.spread += (x[i] - f.mean) * (x[i] - f.mean);
    return f;
}

static double *fetch(cp_array *a)
{
    ok(a);
    cp_array *wide = cp_astype(a, CP_FLOAT64);
    double *v = malloc((size_t)(cp_size(a) + 1) * sizeof *v);
    ok(wide);
    ok(cp_to_host(wide, v, (size_t)cp_size(a) * sizeof *v) == CP_OK);
    cp_free(wide);
    cp_free(a);
    return v;
}

static void close_to(double got, double want, const char *what, int64_t label)
{
    if (isnan(got) && isnan(want)) return;
    if (!(fabs(got - want) <= 1e-12 * (fabs(want) + 1)))
        fail_msg("%s of label %d: got %.17g, expected %.17g", what, (int)label, got, want);
}

/* Random pixels of every type, labels of every type, dense and sparse, small and scattered. */
static void against_loops(void **state)
{
    (void)state;
    static const int64_t shapes[][3] = {{1, 1, 5}, {3, 1, 70}, {7, 40, 301}, {1, 1, 150000}, {500, 2, 3}};
    for (FOR_DEVICES(d)) {
        for (int round = 0; round < 60; round++) {
            if (!check_share()) continue;
            const int64_t *shape = shapes[round % 5];
            int64_t size = shape[0] * shape[1] * shape[2];
            cp_type type = (cp_type)(round % CP_COMPLEX64), ltype = (cp_type)(CP_INT8 + (round * 7) % 12);
            double *x = malloc((size_t)size * sizeof *x);
            int64_t *l = malloc((size_t)size * sizeof *l);
            int64_t spacing = ltype == CP_INT64 || ltype == CP_UINT64 ? 1000000007 : 1, kinds = 1 + round % 11;
            bool minus = cp_type_kind(type) != 'u' && type != CP_BOOL;
            for (int64_t i = 0; i < size; i++) {
                x[i] = type == CP_BOOL ? next() % 2 : (double)(next() % 100) - (minus ? 50 : 0);
                l[i] = i && next() % 4 ? l[i - 1] : next() % 3 ? 0 : (int64_t)(next() % kinds) * spacing;
            }
            cp_array *xd = cp_from_host(x, CP_FLOAT64, CP_SHAPE(shape[0], shape[1], shape[2]), NULL);
            cp_array *ld = cp_from_host(l, CP_INT64, CP_SHAPE(shape[0], shape[1], shape[2]), NULL);
            cp_array *xa = cp_astype(xd, type), *la = cp_astype(ld, ltype);
            int64_t index[14];
            for (int k = 0; k < 14; k++) index[k] = (int64_t)((k * 5) % 13) * spacing;
            cp_array *ia = cp_from_host(index, CP_INT64, CP_SHAPE(7, 2), NULL);
            double *sum = fetch(cp_sum_labels(xa, la, ia)), *mean = fetch(cp_mean_labels(xa, la, ia));
            double *var = fetch(cp_variance_labels(xa, la, ia)), *low = fetch(cp_minimum_labels(xa, la, ia));
            double *high = fetch(cp_maximum_labels(xa, la, ia)), *centre = fetch(cp_center_of_mass(xa, la, ia));
            double *low_at = fetch(cp_minimum_position(xa, la, ia)), *high_at = fetch(cp_maximum_position(xa, la, ia));
            for (int k = 0; k < 14; k++) {
                facts f = facts_of(size, shape, x, l, index[k]);
                close_to(sum[k], f.sum, "sum", index[k]);
                close_to(mean[k], f.mean, "mean", index[k]);
                close_to(var[k], f.spread / (double)f.n, "variance", index[k]);
                close_to(low[k], f.low, "minimum", index[k]);
                close_to(high[k], f.high, "maximum", index[k]);
                for (int a = 0; a < 3; a++) {
                    int64_t stride = a == 0 ? shape[1] * shape[2] : a == 1 ? shape[2] : 1;
                    if (f.sum != 0) close_to(centre[3 * k + a], f.moment[a] / f.sum, "centre", index[k]);
                    close_to(low_at[3 * k + a], (double)(f.low_at / stride % shape[a]), "minimum's place", index[k]);
                    close_to(high_at[3 * k + a], (double)(f.high_at / stride % shape[a]), "maximum's place", index[k]);
                }
            }
            if (spacing == 1 && cp_type_kind(ltype) != 'f') {
                double *box = fetch(cp_find_objects(la, 12));
                for (int k = 1; k <= 12; k++) {
                    facts f = facts_of(size, shape, x, l, k);
                    for (int b = 0; b < 6; b++)
                        close_to(box[6 * (k - 1) + b], f.n ? (double)f.box[b] : -1, "box", k);
                }
                free(box);
            }
            free(sum), free(mean), free(var), free(low), free(high), free(centre), free(low_at), free(high_at);
            cp_free(ia), cp_free(la), cp_free(xa), cp_free(ld), cp_free(xd);
            free(l), free(x);
        }
    }
}

static void not_numbers(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = doubles(3, NAN, 1, NAN, NAN, 5), *l = ints(1, 1, 1, 2, 2, 3), *i = ints(1, 2, 3), *r;
        CHECK(cp_maximum_labels(x, l, i), CP_FLOAT64, NAN, NAN, 5);
        CHECK(cp_minimum_labels(x, l, i), CP_FLOAT64, 1, NAN, 5);
        CHECK(cp_maximum_position(x, l, i), CP_INT64, 1, 3, 5);
        CHECK(cp_minimum_position(x, l, i), CP_INT64, 2, 3, 5);
        CHECK(cp_minimum_labels(x, l, NULL), CP_FLOAT64, NAN);
        CHECK(cp_minimum_position(x, l, NULL), CP_INT64, 1);
        CHECK(cp_sum_labels(x, l, i), CP_FLOAT64, NAN, NAN, 5);
        cp_free(i);
        cp_free(l);
        l = doubles(1, 1, NAN, -0.0, 0, 2.5);
        i = doubles(0, NAN, 2.5, 1);
        CHECK(cp_minimum_labels(x, l, i), CP_FLOAT64, NAN, 0, 5, 3);
        cp_free(i);
        cp_free(l);
        cp_free(x);
    }
}

static void shapes_and_errors(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = cp_from_host((int64_t[]){INT64_MAX, 5, 6, INT64_MAX - 1, 7, 8}, CP_INT64, CP_SHAPE(2, 3), NULL);
        cp_array *row = ints(4, 5, 4), *i = ints(4), *r;
        CHECK(cp_minimum_labels(x, row, i), CP_INT64, 6); /* labels broadcast */
        CHECK(cp_maximum_position(x, row, i), CP_INT64, 0, 0);
        CHECK(cp_sum_labels(x, row, NULL), CP_INT64, (double)(int64_t)(2 * (uint64_t)INT64_MAX + 25));
        cp_array *empty = cp_zeros(CP_SHAPE(0, 3), CP_FLOAT32), *none = cp_zeros(CP_SHAPE(0), CP_INT64),
                 *nine = cp_int(9);
        CHECK(cp_sum_labels(empty, row, i), CP_FLOAT64, 0);
        CHECK(cp_mean_labels(empty, NULL, NULL), CP_FLOAT64, NAN);
        /* an image without elements has no extremum, whatever is asked */
        assert_null(cp_minimum_labels(empty, row, i));
        failed(CP_ERROR_VALUE);
        cp_array *flat = cp_zeros(CP_SHAPE(2, 0), CP_FLOAT64), *none2 = cp_zeros(CP_SHAPE(2, 0), CP_INT64);
        assert_null(cp_minimum_position(flat, none2, i));
        failed(CP_ERROR_VALUE);
        assert_null(cp_maximum_position(flat, none2, i));
        failed(CP_ERROR_VALUE);
        cp_sources nothing;
        ok(cp_measure(flat, none2, 2, &nothing) == CP_OK);
        values(nothing.position, 0, 0, 0, 0);
        cp_sources_free(&nothing);
        cp_free(none2), cp_free(flat);
        r = cp_center_of_mass(x, row, none);
        ok(r);
        assert_int_equal(cp_ndim(r), 2);
        assert_int_equal(cp_size(r), 0);
        cp_free(r);
        assert_null(cp_maximum_labels(x, row, nine)); /* no pixel, and not one of many */
        failed(CP_ERROR_VALUE);
        assert_null(cp_maximum_labels(empty, NULL, NULL));
        failed(CP_ERROR_VALUE);
        CHECK(cp_sum_labels(x, row, nine), CP_INT64, 0);
        cp_array *bad = ints(1, 2), *c = cp_zeros(CP_SHAPE(3), CP_COMPLEX128);
        assert_null(cp_sum_labels(x, bad, NULL));
        failed(CP_ERROR_VALUE);
        assert_null(cp_sum_labels(c, NULL, NULL));
        failed(CP_ERROR_TYPE);
        assert_null(cp_sum_labels(NULL, NULL, NULL));
        failed(CP_ERROR_VALUE);
        cp_sources s;
        assert_true(cp_measure(x, row, -1, &s) != CP_OK);
        failed(CP_ERROR_VALUE);
        cp_free(c), cp_free(bad), cp_free(nine), cp_free(none), cp_free(empty), cp_free(i), cp_free(row), cp_free(x);
    }
}

/* Many labels, repeated and unsorted in the index; the same bits on every run and for any number of threads. */
static void many_labels(void **state)
{
    (void)state;
    enum { N = 300000, L = 20000 };
    double *x = malloc(N * sizeof *x), *want = calloc(L, sizeof *want);
    int32_t *l = malloc(N * sizeof *l);
    int64_t *index = malloc(2 * L * sizeof *index);
    for (int i = 0; i < N; i++) {
        x[i] = (double)next() / 1e9;
        l[i] = (int32_t)(next() % L) * 3 - L;
        want[(l[i] + L) / 3] += x[i];
    }
    for (int k = 0; k < 2 * L; k++) index[k] = (int64_t)((k * 7919LL) % L) * 3 - L;
    int before = cp_threads();
    for (FOR_DEVICES(d)) {
        double *first = NULL;
        for (int t = 1; t <= 4; t += 3) {
            cp_threads_set(t);
            cp_array *xa = cp_from_host(x, CP_FLOAT64, CP_SHAPE(N), NULL),
                     *la = cp_from_host(l, CP_INT32, CP_SHAPE(N), NULL);
            cp_array *ia = cp_from_host(index, CP_INT64, CP_SHAPE(2 * L), NULL);
            double *sum = fetch(cp_sum_labels(xa, la, ia)), *few = fetch(cp_mean_labels(xa, NULL, NULL));
            for (int k = 0; k < 2 * L; k++) close_to(sum[k], want[(index[k] + L) / 3], "sum", index[k]);
            sum[0] += few[0];
            if (first) assert_memory_equal(sum, first, 2 * L * sizeof *sum);
            free(few);
            if (!first)
                first = sum;
            else
                free(sum);
            cp_free(ia), cp_free(la), cp_free(xa);
        }
        free(first);
    }
    cp_threads_set(before);
    free(index), free(l), free(want), free(x);
}

/* Flux and centre with the background subtracted, and their errors, against loops; regions in one row block and in
 * many. */
static void above_background(void **state)
{
    (void)state;
    enum { H = 700, W = 301, N = 40 };
    const double background = 20.25, noise = 1.5;
    double *x = malloc(H * W * sizeof *x);
    int32_t *l = malloc(H * W * sizeof *l);
    for (int i = 0; i < H * W; i++) {
        x[i] = 25 + (double)(next() % 1000) / 64;
        l[i] = i && next() % 8 ? l[i - 1] : (int32_t)(next() % N); /* label N does not occur */
    }
    for (FOR_DEVICES(d)) {
        cp_array *xa = cp_from_host(x, CP_FLOAT64, CP_SHAPE(H, W), NULL),
                 *la = cp_from_host(l, CP_INT32, CP_SHAPE(H, W), NULL);
        cp_sources s;
        ok(cp_measure(xa, la, N, &s, .background = background, .noise = noise) == CP_OK);
        double *pixels = fetch(cp_retain(s.pixels)), *sum = fetch(cp_retain(s.sum)), *flux = fetch(cp_retain(s.flux));
        double *centre = fetch(cp_retain(s.centroid)), *flux_error = fetch(cp_retain(s.flux_error));
        double *centre_error = fetch(cp_retain(s.centroid_error));
        for (int k = 1; k <= N; k++) {
            double n = 0, raw = 0, net = 0, moment[2] = {0}, spread[2] = {0};
            for (int i = 0; i < H * W; i++) {
                if (l[i] != k) continue;
                n++, raw += x[i], net += x[i] - background;
                moment[0] += (x[i] - background) * (i / W), moment[1] += (x[i] - background) * (i % W);
            }
            for (int i = 0; i < H * W; i++) {
                double dy = i / W - moment[0] / net, dx = i % W - moment[1] / net;
                if (l[i] == k) spread[0] += dy * dy, spread[1] += dx * dx;
            }
            close_to(pixels[k - 1], n, "pixels", k);
            close_to(sum[k - 1], raw, "sum", k);
            close_to(flux[k - 1], net, "flux", k);
            close_to(flux_error[k - 1], noise * sqrt(n), "error of flux", k);
            for (int a = 0; a < 2; a++) {
                close_to(centre[2 * (k - 1) + a], moment[a] / net, "centre", k);
                close_to(centre_error[2 * (k - 1) + a], noise * sqrt(spread[a]) / net, "error of centre", k);
            }
        }
        free(pixels), free(sum), free(flux), free(centre), free(flux_error), free(centre_error);
        cp_sources_free(&s);
        ok(cp_measure(xa, la, N, &s) == CP_OK);
        assert_null(s.flux_error);
        assert_null(s.centroid_error);
        double *plain = fetch(cp_retain(s.flux)), *same = fetch(cp_retain(s.sum));
        assert_memory_equal(plain, same, N * sizeof *plain);
        free(plain), free(same);
        cp_sources_free(&s);
        const double bad[][2] = {{NAN, 1}, {INFINITY, 0}, {0, -1}, {0, NAN}, {0, INFINITY}};
        for (int i = 0; i < 5; i++) {
            assert_true(cp_measure(xa, la, N, &s, .background = bad[i][0], .noise = bad[i][1]) != CP_OK);
            failed(CP_ERROR_VALUE);
            assert_null(s.flux);
        }
        cp_free(la), cp_free(xa);
    }
    free(l), free(x);
}

static bool measure_once(void)
{
    cp_array *x = doubles(1, 2, 3, 4), *l = ints(1, 1, 0, 2), *i = ints(2, 1, 2), *r = NULL, *b = NULL;
    cp_sources s = {0};
    bool good = x && l && i && (r = cp_variance_labels(x, l, i)) && (b = cp_find_objects(l, 0)) &&
                cp_measure(x, l, 2, &s, .background = 0.5, .noise = 1) == CP_OK;
    cp_sources_free(&s);
    cp_free(b), cp_free(r), cp_free(i), cp_free(l), cp_free(x);
    return good;
}

static void allocation(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) every_allocation_fails(measure_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),           cmocka_unit_test(not_numbers), cmocka_unit_test(against_loops),
        cmocka_unit_test(shapes_and_errors), cmocka_unit_test(many_labels), cmocka_unit_test(allocation),
        cmocka_unit_test(above_background),
    };
    return check_run(tests);
}
