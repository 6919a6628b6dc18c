/* Convolution: literal answers, and a naive reference over every type, mode and boundary on every device. */
#include "check.h"
#include "small_floats.h"

typedef struct { double re, im; } value;

/* --- elements of every type from small integers and back, without the library's help --- */

static void encode(cp_type t, value v, void *to)
{
    int64_t i = (int64_t)v.re;
    float f[2] = {(float)v.re, (float)v.im};
    uint8_t b = v.re != 0;
    switch (t) {
    case CP_BOOL: memcpy(to, &b, 1); break;
    CPI_CASE_HALVES: small_float_put(t, v.re, to); break;
    case CP_FLOAT32: memcpy(to, f, 4); break;
    case CP_FLOAT64: memcpy(to, &v.re, 8); break;
    case CP_COMPLEX64: memcpy(to, f, 8); break;
    case CP_COMPLEX128: memcpy(to, &v, 16); break;
    case CP_INT8:
    case CP_UINT8:
    case CP_INT16:
    case CP_UINT16:
    case CP_INT32:
    case CP_UINT32:
    case CP_INT64:
    case CP_UINT64: memcpy(to, &i, cp_type_size(t)); break; /* little endian: the low bytes */
    case CP_DEFAULT: break;
    }
}

static value decode(cp_type t, const void *from)
{
    value v = {0, 0};
    float f[2];
    switch (t) {
#define INT(NAME, T) case NAME: { T i; memcpy(&i, from, sizeof i); v.re = (double)i; break; }
    INT(CP_BOOL, uint8_t) INT(CP_INT8, int8_t) INT(CP_UINT8, uint8_t) INT(CP_INT16, int16_t)
    INT(CP_UINT16, uint16_t) INT(CP_INT32, int32_t) INT(CP_UINT32, uint32_t) INT(CP_INT64, int64_t)
    INT(CP_UINT64, uint64_t)
    CPI_CASE_HALVES: v.re = small_float_value(t, from); break;
    case CP_FLOAT32: memcpy(f, from, 4); v.re = f[0]; break;
    case CP_FLOAT64: memcpy(&v.re, from, 8); break;
    case CP_COMPLEX64: memcpy(f, from, 8); v.re = f[0], v.im = f[1]; break;
    case CP_COMPLEX128: memcpy(&v, from, 16); break;
    case CP_DEFAULT: break;
    }
    return v;
}

static cp_array *encoded(cp_type t, int ndim, const int64_t *shape, const value *v)
{
    int64_t n = 1;
    for (int i = 0; i < ndim; i++) n *= shape[i];
    char *raw = malloc((size_t)(n ? n : 1) * cp_type_size(t));
    for (int64_t i = 0; i < n; i++) encode(t, v[i], raw + (size_t)i * cp_type_size(t));
    cp_array *x = cp_from_host(raw, t, (cp_shape){ndim, shape}, NULL);
    ok(x);
    free(raw);
    return x;
}

/* --- the reference: SciPy's definition, word for word --- */

static value at(const value *x, int64_t h, int64_t w, int64_t i, int64_t j, cp_boundary b, value fill)
{
    int64_t n[2] = {h, w}, p[2] = {i, j};
    for (int k = 0; k < 2; k++) {
        if (p[k] >= 0 && p[k] < n[k]) continue;
        if (b == CP_BOUNDARY_FILL) return fill;
        while (p[k] < 0 || p[k] >= n[k]) {
            if (b == CP_BOUNDARY_WRAP) p[k] += p[k] < 0 ? n[k] : -n[k];
            else p[k] = p[k] < 0 ? -1 - p[k] : 2 * n[k] - 1 - p[k];
        }
    }
    return x[p[0] * w + p[1]];
}

/* x and as much around it as a kernel reaches; *origin is x's first element in it, *pitch the length of its rows. */
static value *surrounded(const value *x, int64_t h, int64_t w, int64_t kh, int64_t kw, cp_boundary b, value fill,
                         const value **origin, int64_t *pitch)
{
    const int64_t rows = h + 2 * (kh - 1), columns = w + 2 * (kw - 1);
    value *all = malloc((size_t)(rows * columns) * sizeof *all);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) all[i * columns + j] = at(x, h, w, i - kh + 1, j - kw + 1, b, fill);
    *origin = all + (kh - 1) * columns + (kw - 1);
    *pitch = columns;
    return all;
}

static value reference(const value *x, int64_t pitch, const value *k, int64_t kh, int64_t kw, int64_t m, int64_t n,
                       cp_mode mode, bool convolve)
{
    int64_t low[2], size[2] = {kh, kw}, at_result[2] = {m, n};
    for (int i = 0; i < 2; i++) {
        int64_t r = at_result[i], s = size[i];
        if (mode == CP_MODE_FULL) low[i] = convolve ? r : r - s + 1;
        else if (mode == CP_MODE_SAME) low[i] = convolve ? r + (s - 1) / 2 : r - (s - 1) / 2;
        else low[i] = convolve ? r + s - 1 : r;
    }
    const int64_t step = convolve ? -1 : 1;
    value sum = {0, 0};
    for (int64_t i = 0; i < kh; i++)
        for (int64_t j = 0; j < kw; j++) {
            value a = x[(low[0] + step * i) * pitch + low[1] + step * j], c = k[i * kw + j];
            if (!convolve) c.im = -c.im;
            sum.re += a.re * c.re - a.im * c.im;
            sum.im += a.re * c.im + a.im * c.re;
        }
    return sum;
}

static unsigned seed = 1;
static int draw(void)
{
    seed = seed * 1103515245u + 12345u;
    return (int)(seed >> 16 & 0x7fff);
}

/* Small integers that every type holds; unsigned types and bool get no negative ones. */
static void fill_values(cp_type t, int64_t n, value *v)
{
    char kind = cp_type_kind(t);
    for (int64_t i = 0; i < n; i++) {
        v[i].re = kind == 'b' ? draw() % 4 == 0 : kind == 'u' ? draw() % 8 : draw() % 9 - 4;
        v[i].im = kind == 'c' ? draw() % 7 - 3 : 0;
    }
}

static void compare(cp_type t, cp_array *r, const value *want, int64_t n, const char *what)
{
    ok(r);
    assert_int_equal(cp_type_of(r), t);
    assert_int_equal(cp_size(r), n);
    char *raw = malloc((size_t)(n ? n : 1) * 16);
    ok(cp_to_host(r, raw, (size_t)n * cp_type_size(t)) == CP_OK);
    for (int64_t i = 0; i < n; i++) {
        value w = want[i], g;
        if (cpi_is_whole(t) || cpi_is_half(t)) {
            char one[16];
            encode(t, w, one); /* integers wrap, small floats are rounded once */
            w = decode(t, one);
        }
        g = decode(t, raw + (size_t)i * cp_type_size(t));
        if (g.re != w.re || g.im != w.im)
            fail_msg("%s, %s: element %d is %g%+gi, expected %g%+gi", what, cp_type_name(t), (int)i, g.re, g.im, w.re,
                     w.im);
    }
    free(raw);
}

static void check_2d(cp_type t, int64_t h, int64_t w, int64_t kh, int64_t kw, cp_mode mode, cp_boundary b,
                     bool convolve)
{
    if (mode == CP_MODE_VALID && (h < kh || w < kw)) return;
    value *x = malloc((size_t)(h * w) * sizeof *x), *k = malloc((size_t)(kh * kw) * sizeof *k), fill;
    fill_values(t, h * w, x);
    fill_values(t, kh * kw, k);
    fill_values(t, 1, &fill);
    int64_t m = mode == CP_MODE_FULL ? h + kh - 1 : mode == CP_MODE_SAME ? h : h - kh + 1;
    int64_t n = mode == CP_MODE_FULL ? w + kw - 1 : mode == CP_MODE_SAME ? w : w - kw + 1;
    value *want = malloc((size_t)(m * n) * sizeof *want);
    const value *origin;
    int64_t pitch;
    value *all = surrounded(x, h, w, kh, kw, b, fill, &origin, &pitch);
    for (int64_t i = 0; i < m * n; i++) want[i] = reference(origin, pitch, k, kh, kw, i / n, i % n, mode, convolve);
    char one[16], what[120];
    encode(t, fill, one);
    snprintf(what, sizeof what, "%s %dx%d by %dx%d mode %d boundary %d", convolve ? "convolve2d" : "correlate2d",
             (int)h, (int)w, (int)kh, (int)kw, mode, b);
    for (FOR_DEVICES(d)) {
        cp_array *ax = encoded(t, 2, (int64_t[]){h, w}, x), *ak = encoded(t, 2, (int64_t[]){kh, kw}, k);
        cp_array *f = cp_scalar(t, one);
        cp_array *r = (convolve ? cp_convolve2d : cp_correlate2d)(ax, ak, mode, b, f);
        compare(t, r, want, m * n, what);
        assert_int_equal(cp_dim(r, 0), m);
        cp_free(r), cp_free(f), cp_free(ak), cp_free(ax);
    }
    free(all), free(want), free(k), free(x);
}

static void every_type(void **state)
{
    (void)state;
    static const int64_t sizes[][4] = {{1, 1, 1, 1}, {5, 7, 3, 3}, {9, 6, 4, 2}, {3, 4, 5, 7}, {2, 2, 9, 8},
                                       {17, 70, 6, 5}, {6, 1, 4, 1}, {1, 9, 1, 3}, {4, 40, 1, 6}, {70, 33, 5, 1}};
    for (cp_type t = 0; t < CP_NTYPES; t++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int m = CP_MODE_FULL; m <= CP_MODE_SAME; m++)
                for (int b = CP_BOUNDARY_FILL; b <= CP_BOUNDARY_SYMM; b++)
                    for (int c = 0; c < 2; c++)
                        check_2d(t, sizes[s][0], sizes[s][1], sizes[s][2], sizes[s][3], (cp_mode)m, (cp_boundary)b,
                                 c);
}

/* Several tiles, images read in place and not, kernels in several segments. */
static void large(void **state)
{
    (void)state;
    static const cp_type types[] = {CP_FLOAT64, CP_INT32, CP_COMPLEX128};
    for (int i = 0; i < 3; i++) {
        check_2d(types[i], 71, 1300, 6, 3, CP_MODE_SAME, CP_BOUNDARY_SYMM, true);
        check_2d(types[i], 71, 1280, 6, 3, CP_MODE_FULL, CP_BOUNDARY_FILL, true);
        check_2d(types[i], 40, 50, 35, 133, CP_MODE_FULL, CP_BOUNDARY_WRAP, i & 1);
        check_2d(types[i], 40, 150, 35, 133, CP_MODE_VALID, CP_BOUNDARY_FILL, false);
        check_2d(types[i], 1, 4000, 1, 2100, CP_MODE_SAME, CP_BOUNDARY_FILL, true);
        check_2d(types[i], 3, 700, 1, 300, CP_MODE_FULL, CP_BOUNDARY_SYMM, false);
    }
    for (cp_type t = CP_INT8; t <= CP_COMPLEX128; t++) /* exact in every type: the sums stay small */
        if (!cpi_is_half(t))
            check_2d(t, 2, 2500, 1, 301, CP_MODE_SAME, CP_BOUNDARY_WRAP, true);
    for (cp_type t = CP_BOOL; t <= CP_COMPLEX128; t++)
        if (!cpi_is_half(t)) check_2d(t, 1, 2300, 1, 1100, CP_MODE_FULL, CP_BOUNDARY_FILL, false);
    check_2d(CP_UINT8, 70, 9000, 2, 2, CP_MODE_FULL, CP_BOUNDARY_WRAP, true);
    check_2d(CP_FLOAT32, 130, 2100, 5, 5, CP_MODE_VALID, CP_BOUNDARY_FILL, true);
    check_2d(CP_BOOL, 1, 300000, 1, 3, CP_MODE_FULL, CP_BOUNDARY_FILL, true);
    check_2d(CP_FLOAT16, 66, 1100, 3, 5, CP_MODE_SAME, CP_BOUNDARY_SYMM, true);
}

static void one_dimension(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        for (cp_type t = 0; t < CP_NTYPES; t++)
            for (int m = CP_MODE_FULL; m <= CP_MODE_SAME; m++)
                for (int64_t n = 1; n < 40; n += 7)
                    for (int64_t k = 1; k < 30; k += 3) {
                        value x[64], v[64], want[128], zero = {0, 0};
                        fill_values(t, n, x);
                        fill_values(t, k, v);
                        int64_t big = n > k ? n : k, small = n > k ? k : n;
                        int64_t size = m == CP_MODE_FULL ? n + k - 1 : m == CP_MODE_SAME ? big : big - small + 1;
                        int64_t skip = m == CP_MODE_FULL ? 0 : m == CP_MODE_SAME ? (small - 1) / 2 : small - 1;
                        const value *origin;
                        int64_t pitch;
                        value *all = surrounded(x, 1, n, 1, k, CP_BOUNDARY_FILL, zero, &origin, &pitch);
                        for (int64_t i = 0; i < size; i++)
                            want[i] = reference(origin, pitch, v, 1, k, 0, i + skip, CP_MODE_FULL, true);
                        free(all);
                        cp_array *a = encoded(t, 1, &n, x), *b = encoded(t, 1, &k, v);
                        cp_array *r = cp_convolve(a, b, (cp_mode)m);
                        compare(t, r, want, size, "convolve");
                        cp_free(r), cp_free(b), cp_free(a);
                    }
    }
}

static void literals(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        for (CP_SCOPE) {
            cp_array *a = doubles(1, 2, 3), *v = doubles(0, 1, 0.5);
            values(cp_convolve(a, v, CP_MODE_FULL), 0, 1, 2.5, 4, 1.5);
            values(cp_convolve(a, v, CP_MODE_SAME), 1, 2.5, 4);
            values(cp_convolve(a, v, CP_MODE_VALID), 2.5);
            values(cp_convolve(ints(2), ints(1, 2, 3), CP_MODE_SAME), 2, 4, 6);
            values(cp_convolve(cp_int(2), ints(1, 2, 3), CP_MODE_FULL), 2, 4, 6);
            cp_array *x = cp_reshape(ints(1, 2, 3, 4), CP_SHAPE(2, 2));
            values(cp_convolve2d(x, x, CP_MODE_FULL, CP_BOUNDARY_FILL, NULL), 1, 4, 4, 6, 20, 16, 9, 24, 16);
            values(cp_correlate2d(x, x, CP_MODE_SAME, CP_BOUNDARY_WRAP, NULL), 30, 28, 22, 20);
            values(cp_convolve2d(x, cp_reshape(ints(1, 1), CP_SHAPE(1, 2)), CP_MODE_FULL, CP_BOUNDARY_FILL, cp_int(7)),
                   8, 3, 9, 10, 7, 11);
        }
    }
}

/* Strided operands, mixed types, 'valid' with the larger array second. */
static void views(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        for (CP_SCOPE) {
            cp_array *x = cp_reshape(cp_arange_int(0, 24, 1, CP_INT32), CP_SHAPE(4, 6));
            cp_array *odd = cp_slice(x, 2, (cp_index[]){CP_STEP(0, 4, 2), CP_STEP(1, 6, 2)}); /* 1 3 5 13 15 17 */
            cp_array *k = cp_reshape(doubles(0.5, 1), CP_SHAPE(2, 1));
            cp_array *r = cp_convolve2d(odd, k, CP_MODE_VALID, CP_BOUNDARY_FILL, NULL);
            ok(r);
            assert_int_equal(cp_type_of(r), CP_FLOAT64);
            values(r, 7.5, 10.5, 13.5);
            values(cp_convolve2d(k, odd, CP_MODE_VALID, CP_BOUNDARY_FILL, NULL), 7.5, 10.5, 13.5);
            values(cp_correlate2d(odd, k, CP_MODE_VALID, CP_BOUNDARY_FILL, NULL), 13.5, 16.5, 19.5);
            values(cp_correlate2d(k, odd, CP_MODE_VALID, CP_BOUNDARY_FILL, NULL), 19.5, 16.5, 13.5);
            cp_array *back = cp_slice(cp_arange_int(0, 4, 1, CP_INT64), 1, (cp_index[]){{CP_IX_SLICE, 0, 0, -1, 0}});
            values(cp_convolve(back, ints(1, 10), CP_MODE_FULL), 3, 32, 21, 10, 0);
            values(cp_convolve(cp_broadcast_to(ints(1), CP_SHAPE(4)), ints(1, 1), CP_MODE_FULL), 1, 2, 2, 2, 1);
        }
    }
}

/* An infinity affects only the results whose kernel window covers it: kernels are not padded with zeros. */
static void infinities(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        for (int64_t kh = 1; kh < 20; kh += 3)
            for (int64_t kw = 1; kw < 20; kw += 6) {
                double *x = calloc(60 * 80, sizeof *x), k[400], *r = malloc(60 * 80 * sizeof *r);
                for (int i = 0; i < 400; i++) k[i] = 1;
                x[30 * 80 + 40] = INFINITY;
                cp_array *a = cp_from_host(x, CP_FLOAT64, CP_SHAPE(60, 80), NULL);
                cp_array *b = cp_from_host(k, CP_FLOAT64, CP_SHAPE(kh, kw), NULL);
                cp_array *c = cp_convolve2d(a, b, CP_MODE_SAME, CP_BOUNDARY_FILL, NULL);
                ok(c);
                ok(cp_to_host(c, r, 60 * 80 * sizeof *r) == CP_OK);
                int64_t infinite = 0, other = 0;
                for (int i = 0; i < 60 * 80; i++) infinite += isinf(r[i]), other += r[i] != 0 && !isinf(r[i]);
                assert_int_equal(infinite, kh * kw);
                assert_int_equal(other, 0);
                cp_free(c), cp_free(b), cp_free(a);
                free(r), free(x);
            }
    }
}

static void empty(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        for (CP_SCOPE) {
            cp_array *none = cp_zeros(CP_SHAPE(0, 3), CP_FLOAT64), *k = cp_reshape(doubles(1, 2, 3, 4), CP_SHAPE(2, 2));
            values(cp_convolve2d(none, k, CP_MODE_FULL, CP_BOUNDARY_FILL, NULL), 0, 0, 0, 0);
            values(cp_convolve2d(none, k, CP_MODE_FULL, CP_BOUNDARY_FILL, cp_float(1)), 10, 10, 10, 10);
            values(cp_convolve2d(k, none, CP_MODE_SAME, CP_BOUNDARY_WRAP, NULL), 0, 0, 0, 0);
            assert_int_equal(cp_size(cp_convolve2d(none, k, CP_MODE_SAME, CP_BOUNDARY_FILL, NULL)), 0);
            assert_null(cp_convolve2d(none, k, CP_MODE_FULL, CP_BOUNDARY_SYMM, NULL));
            failed(CP_ERROR_VALUE);
            assert_null(cp_convolve2d(none, none, CP_MODE_FULL, CP_BOUNDARY_FILL, NULL));
            failed(CP_ERROR_VALUE);
        }
    }
}

static void errors(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        for (CP_SCOPE) {
            cp_array *a = doubles(1, 2, 3), *none = cp_zeros(CP_SHAPE(0), CP_FLOAT64);
            cp_array *x = cp_zeros(CP_SHAPE(2, 3), CP_UINT8), *y = cp_zeros(CP_SHAPE(3, 2), CP_UINT8);
            assert_null(cp_convolve(a, none, CP_MODE_FULL));
            assert_string_equal(cp_error_message(), "convolve: v cannot be empty");
            failed(CP_ERROR_VALUE);
            assert_null(cp_convolve(none, a, CP_MODE_FULL));
            assert_string_equal(cp_error_message(), "convolve: a cannot be empty");
            failed(CP_ERROR_VALUE);
            assert_null(cp_convolve(x, a, CP_MODE_FULL));
            failed(CP_ERROR_VALUE);
            assert_null(cp_convolve(a, a, (cp_mode)9));
            failed(CP_ERROR_VALUE);
            assert_null(cp_convolve(NULL, a, CP_MODE_FULL));
            assert_true(cp_error() != CP_OK);
            cp_error_clear();
            assert_null(cp_convolve2d(a, x, CP_MODE_FULL, CP_BOUNDARY_FILL, NULL));
            assert_string_equal(cp_error_message(), "convolve2d inputs must both be 2-D arrays");
            failed(CP_ERROR_VALUE);
            assert_null(cp_correlate2d(x, y, CP_MODE_VALID, CP_BOUNDARY_FILL, NULL));
            failed(CP_ERROR_VALUE);
            assert_null(cp_convolve2d(x, y, CP_MODE_FULL, CP_BOUNDARY_FILL, a));
            failed(CP_ERROR_VALUE);
            static const double bad[] = {-1, 256, 1e30, NAN};
            for (int i = 0; i < 4; i++) {
                assert_null(cp_convolve2d(x, y, CP_MODE_FULL, CP_BOUNDARY_FILL, cp_float(bad[i])));
                failed(CP_ERROR_VALUE);
            }
            assert_null(cp_convolve2d(x, y, CP_MODE_FULL, CP_BOUNDARY_FILL, cp_int(-1)));
            failed(CP_ERROR_VALUE);
            assert_null(cp_convolve2d(x, y, CP_MODE_FULL, CP_BOUNDARY_FILL, cp_complex(1, 0)));
            failed(CP_ERROR_VALUE);
            ok(cp_convolve2d(x, y, CP_MODE_FULL, CP_BOUNDARY_FILL, cp_float(255.5)));
            ok(cp_convolve2d(x, y, CP_MODE_FULL, CP_BOUNDARY_FILL, cp_scalar(CP_UINT64, &(uint64_t){255})));
        }
    }
}

/* The same bits whatever the number of threads. */
static void threads(void **state)
{
    (void)state;
    enum { H = 150, W = 700 };
    static double x[H * W], first[H * W], again[H * W];
    for (int i = 0; i < H * W; i++) x[i] = draw() / 7.0;
    int before = cp_threads();
    ok(cp_device_use(CP_CPU) == CP_OK);
    cp_array *a = cp_from_host(x, CP_FLOAT64, CP_SHAPE(H, W), NULL),
             *k = cp_from_host(x, CP_FLOAT64, CP_SHAPE(11, 40), NULL);
    for (int n = 1; n <= 5; n += 2) {
        ok(cp_threads_set(n) == CP_OK);
        cp_array *r = cp_convolve2d(a, k, CP_MODE_SAME, CP_BOUNDARY_WRAP, NULL);
        ok(r);
        ok(cp_to_host(r, n == 1 ? first : again, sizeof first) == CP_OK);
        if (n > 1) assert_memory_equal(first, again, sizeof first);
        cp_free(r);
    }
    ok(cp_threads_set(before) == CP_OK);
    cp_free(k), cp_free(a);
}

static bool one_call(void)
{
    cp_array *x = cp_from_host((int32_t[]){1, 2, 3, 4}, CP_INT32, CP_SHAPE(2, 2), NULL);
    cp_array *k = x ? cp_from_host((double[]){1, 2}, CP_FLOAT64, CP_SHAPE(2, 1), NULL) : NULL;
    cp_array *r = k ? cp_convolve2d(x, k, CP_MODE_FULL, CP_BOUNDARY_SYMM, NULL) : NULL;
    cp_array *c = r ? cp_correlate2d(k, x, CP_MODE_FULL, CP_BOUNDARY_FILL, NULL) : NULL;
    bool done = c != NULL;
    cp_free(c), cp_free(r), cp_free(k), cp_free(x);
    return done;
}

static void allocations(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) every_allocation_fails(one_call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(literals), cmocka_unit_test(every_type), cmocka_unit_test(one_dimension),
        cmocka_unit_test(large), cmocka_unit_test(views), cmocka_unit_test(infinities),
        cmocka_unit_test(empty), cmocka_unit_test(errors), cmocka_unit_test(threads), cmocka_unit_test(allocations),
    };
    return check_run(tests);
}
