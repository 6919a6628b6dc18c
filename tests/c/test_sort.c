/* sort, argsort and unique against a merge sort by NumPy's rules. */
#include "check.h"
#include "small_floats.h"

#include <float.h>

/* --- an independent order: values as pairs of doubles, or integers --- */

typedef struct value {
    int64_t i;
    double re, im;
} value;

static value value_of(cp_type t, const void *p)
{
    value v = {0, 0, 0};
    switch (t) {
#define CASE(NAME, ctype, ...)                                                                                         \
    case CP_##NAME: {                                                                                                  \
        ctype x;                                                                                                       \
        memcpy(&x, p, sizeof x);                                                                                       \
        __VA_ARGS__;                                                                                                   \
        break;                                                                                                         \
    }
        CASE(BOOL, uint8_t, v.i = x)
        CASE(INT8, int8_t, v.i = x)
        CASE(UINT8, uint8_t, v.i = x)
        CASE(INT16, int16_t, v.i = x)
        CASE(UINT16, uint16_t, v.i = x)
        CASE(INT32, int32_t, v.i = x)
        CASE(UINT32, uint32_t, v.i = x)
        CASE(INT64, int64_t, v.i = x)
        CASE(UINT64, uint64_t, v.i = (int64_t)(x ^ (uint64_t)1 << 63))
    CPI_CASE_HALVES: v.re = small_float_value(t, p); break;
        CASE(FLOAT32, float, v.re = x)
        CASE(FLOAT64, double, v.re = x)
        CASE(COMPLEX64, cp_complex64, v.re = x.re, v.im = x.im)
        CASE(COMPLEX128, cp_complex128, v.re = x.re, v.im = x.im)
#undef CASE
    case CP_DEFAULT: break;
    }
    return v;
}

/* NumPy's "less than" of sorting. */
static bool less(value a, value b)
{
    if (a.i != b.i) return a.i < b.i;
    if (a.re < b.re) return !isnan(a.im) || isnan(b.im);
    if (a.re > b.re) return isnan(b.im) && !isnan(a.im);
    if (a.re == b.re || (isnan(a.re) && isnan(b.re))) return a.im < b.im || (isnan(b.im) && !isnan(a.im));
    return isnan(b.re);
}

static bool is_nan(value v) { return isnan(v.re) || isnan(v.im); }

static uint64_t seed = 88172645463325252u;
static uint64_t next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

/* Element i of a pattern: 0 any bits, 1 few values with NaN, infinities and zeros of both signs, 2 constant,
 * 3 ascending, 4 descending with repeats. */
static double pattern_value(int pattern, int64_t i, int64_t n)
{
    static const double few[] = {0, -0.0, NAN, 1, -1, INFINITY, -INFINITY, 2.5, -NAN, 7};
    return pattern == 1   ? few[next() % 10]
           : pattern == 2 ? 3
           : pattern == 3 ? (double)(i * 100 / n)
                          : (double)((n - i) * 50 / n - 20);
}

static void put(cp_type t, void *p, int pattern, int64_t i, int64_t n)
{
    if (pattern == 0) {
        uint64_t bits[2] = {next(), next()};
        if (t == CP_BOOL) bits[0] &= 1;
        memcpy(p, bits, cp_type_size(t));
        return;
    }
    double x = pattern_value(pattern, i, n), y = pattern_value(pattern, n - i, n);
    char kind = cp_type_kind(t);
    if (kind != 'f' && kind != 'c') {
        int64_t v = isnan(x) ? 100 : isinf(x) ? (x > 0 ? 90 : 80) : (int64_t)x;
        if (kind == 'b') v &= 1;
        memcpy(p, &v, cp_type_size(t));
    } else if (cpi_is_half(t)) {
        small_float_put(t, x, p);
    } else if (t == CP_FLOAT32 || t == CP_COMPLEX64) {
        float f[2] = {(float)x, (float)y};
        memcpy(p, f, cp_type_size(t));
    } else {
        double f[2] = {x, y};
        memcpy(p, f, cp_type_size(t));
    }
}

/* Stable order of n elements with a stride of `stride` bytes. (Half of qsort's time, whose comparisons are calls.) */
typedef struct item {
    value v;
    int64_t at;
} item;
static void merge_sort(item *x, item *room, int64_t n)
{
    const int64_t half = n / 2;
    if (!half) return;
    merge_sort(x, room, half);
    merge_sort(x + half, room, n - half);
    if (!less(x[half].v, x[half - 1].v)) return;
    memcpy(room, x, (size_t)half * sizeof *x);
    for (int64_t i = 0, j = half, k = 0; i < half; k++)
        x[k] = j < n && less(x[j].v, room[i].v) ? x[j++] : room[i++];
}

static item *ordered(cp_type t, const char *data, int64_t n, int64_t stride)
{
    item *items = malloc((size_t)(n + n / 2) * sizeof *items);
    for (int64_t i = 0; i < n; i++) items[i] = (item){value_of(t, data + i * stride), i};
    merge_sort(items, items + n, n);
    return items;
}

static bool same(value a, value b) { return !less(a, b) && !less(b, a); }

static void check_ordered(cp_type t, const item *want, const char *data, const char *sorted, const char *order,
                          int64_t n, int64_t stride)
{
    int64_t item_bytes = (int64_t)cp_type_size(t), order_stride = stride / item_bytes * 8;
    uint64_t bits_in = 0, bits_out = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t at;
        memcpy(&at, order + i * order_stride, 8);
        if (!same(want[i].v, value_of(t, sorted + i * stride)))
            fail_msg("%s, n %d: sorted element %d differs", cp_type_name(t), (int)n, (int)i);
        if (at != want[i].at)
            fail_msg("%s, n %d: order %d: got %d, expected %d", cp_type_name(t), (int)n, (int)i, (int)at,
                     (int)want[i].at);
        uint64_t a = 0, b = 0; /* no value's bits are lost, but for NaN parts of complex numbers */
        if (cp_type_kind(t) != 'c' || !is_nan(want[i].v))
            memcpy(&a, data + i * stride, item_bytes > 8 ? 8 : (size_t)item_bytes);
        bits_in += cp_type_kind(t) == 'c' ? 0 : a;
        if (cp_type_kind(t) != 'c') memcpy(&b, sorted + i * stride, (size_t)item_bytes);
        bits_out += b;
    }
    assert_true(bits_in == bits_out);
}

static void check_lane(cp_type t, const char *data, const char *sorted, const char *order, int64_t n, int64_t stride)
{
    item *want = ordered(t, data, n, stride);
    check_ordered(t, want, data, sorted, order, n, stride);
    free(want);
}

static char *pattern_data(cp_type t, int pattern, int64_t n)
{
    char *data = malloc((size_t)n * cp_type_size(t) + 1);
    for (int64_t i = 0; i < n; i++) put(t, data + i * (int64_t)cp_type_size(t), pattern, i, n);
    return data;
}

static char *host_of(cp_array *x)
{
    char *p = malloc((size_t)cp_nbytes(x) + 1);
    ok(cp_to_host(x, p, (size_t)cp_nbytes(x)) == CP_OK);
    return p;
}

static void one_row(cp_type t, int pattern, int64_t n)
{
    char *data = pattern_data(t, pattern, n);
    item *want = ordered(t, data, n, (int64_t)cp_type_size(t)); /* takes longer than to sort on every device */
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *x = cp_from_host(data, t, CP_SHAPE(n), NULL), *s = cp_sort(x, -1), *o = cp_argsort(x, 0);
            ok(s && o);
            char *sorted = host_of(s), *order = host_of(o);
            check_ordered(t, want, data, sorted, order, n, (int64_t)cp_type_size(t));
            ok(cp_sort_inplace(x, 0) == CP_OK);
            char *place = host_of(x);
            assert_memory_equal(place, sorted, (size_t)cp_nbytes(x));
            free(place);
            free(sorted);
            free(order);
        }
    free(want);
    free(data);
}

static void test_rows(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 2, 3, 7, 16, 17, 33, 65, 100, 129, 256, 1000, 5000, 8192, 20001};
    for (int t = 0; t < CP_NTYPES; t++)
        for (int pattern = 0; pattern < 5; pattern++)
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
                if (check_share()) one_row((cp_type)t, pattern, sizes[k]);
}

static void test_long_rows(void **state)
{
    (void)state;
    for (int t = 0; t < CP_NTYPES; t++)
        for (int pattern = 0; pattern < 5; pattern++)
            if (check_share() && (pattern < 2 || (t + pattern) % 3 == 0)) /* of patterns 2 to 4 a type has one */
                one_row((cp_type)t, pattern, pattern ? 70001 : 300007);
}

/* Every axis of a 3-d array, given in C order, in Fortran order, and as a reversed, stepped view. */
static void check_axis(cp_array *x, int axis)
{
    cp_type t = cp_type_of(x);
    int64_t size = (int64_t)cp_type_size(t), n = cp_dim(x, axis), step = size;
    cp_array *s = cp_sort(x, axis), *o = cp_argsort(x, axis), *c = cp_copy(x), *z = cp_retain(x);
    ok(s && o && c);
    for (int i = 2; i > axis; i--) step *= cp_dim(x, i);
    char *data = host_of(c), *sorted = host_of(s), *order = host_of(o);
    for (int64_t i = 0; i < cp_size(x); i++)
        if (i * size / step % n == 0) check_lane(t, data + i * size, sorted + i * size, order + i * 8, n, step);
    ok(cp_sort_inplace(z, axis - 3) == CP_OK);
    char *place = host_of(cp_copy(z));
    assert_memory_equal(place, sorted, (size_t)cp_nbytes(s));
    free(place);
    cp_array *gathered = cp_take_along_axis(c, o, axis), *stable = cp_sort(c, axis, .stable = true);
    ok(gathered && stable);
    char *want = host_of(cp_copy(gathered)), *have = host_of(cp_copy(stable));
    assert_memory_equal(have, want, (size_t)cp_nbytes(s));
    free(have);
    ok(cp_sort_inplace(c, axis, .stable = true) == CP_OK);
    have = host_of(cp_copy(c));
    assert_memory_equal(have, want, (size_t)cp_nbytes(s));
    free(have);
    free(want);
    free(data);
    free(sorted);
    free(order);
    cp_free(z);
}

/* x backwards along an axis; CP_FLAT: along all of them. */
static cp_array *reversed(cp_array *x, int axis)
{
    cp_index items[CP_MAXDIM];
    for (int d = 0; d < cp_ndim(x); d++) {
        items[d] = CP_FULL;
        if (axis == CP_FLAT || axis == d) items[d].step = -1;
    }
    return cp_slice(x, cp_ndim(x), items);
}

static void same_bytes(cp_array *a, cp_array *b)
{
    ok(a && b && cp_nbytes(a) == cp_nbytes(b));
    char *p = host_of(cp_copy(a)), *q = host_of(cp_copy(b));
    assert_memory_equal(p, q, (size_t)cp_nbytes(a));
    free(p);
    free(q);
}

/* Descending order is the ascending one backwards; elements that are equal keep their order where it is stable. */
static void check_descending(cp_array *x, int axis)
{
    same_bytes(cp_sort(x, axis, .descending = true), reversed(cp_sort(x, axis), axis == CP_FLAT ? 0 : axis));
    cp_array *o = cp_argsort(x, axis, .descending = true);
    cp_array *stable = cp_sort(x, axis, .stable = true, .descending = true);
    ok(o && cp_type_of(o) == CP_INT64 && stable);
    same_bytes(stable, cp_take_along_axis(x, o, axis));
    const int64_t size = (int64_t)cp_type_size(cp_type_of(x)), n = axis == CP_FLAT ? cp_size(x) : cp_dim(x, axis);
    int64_t step = 1;
    for (int i = cp_ndim(x) - 1; axis != CP_FLAT && i > axis; i--) step *= cp_dim(x, i);
    char *values = host_of(cp_copy(stable)), *indices = host_of(cp_copy(o));
    const int64_t *at = (const int64_t *)indices;
    for (int64_t i = step; i < cp_size(x); i++)
        if (i / step % n && !memcmp(values + i * size, values + (i - step) * size, (size_t)size))
            assert_true(at[i - step] < at[i]);
    free(values);
    free(indices);
    for (int keep = 0; keep < 2; keep++) {
        cp_array *c = cp_copy_order(x, 'K');
        ok(c && cp_sort_inplace(c, axis, .stable = keep, .descending = true) == CP_OK);
        same_bytes(c, keep ? stable : cp_sort(x, axis, .descending = true));
    }
}

static void test_descending(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (int t = 0; t < CP_NTYPES; t++)
            for (int layout = 0; layout < 3; layout++)
                for (CP_SCOPE) {
                    if (!check_share()) break;
                    char *data = pattern_data((cp_type)t, layout, 9 * 20 * 10);
                    cp_array *x = cp_from_host(data, (cp_type)t, CP_SHAPE(9, 20, 10), NULL);
                    free(data);
                    if (layout == 1) x = cp_copy_order(x, 'F');
                    if (layout == 2) x = cp_slice(x, 2, (cp_index[]){CP_FULL, {CP_IX_SLICE, 0, 0, -2, 0}});
                    ok(x);
                    for (int axis = 0; axis < 3; axis++) check_descending(x, axis);
                    check_descending(x, CP_FLAT);
                }
}

static void test_axes(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (int t = 0; t < CP_NTYPES; t++)
            for (int axis = 0; axis < 3; axis++)
                for (int layout = 0; layout < 3; layout++)
                    for (CP_SCOPE) {
                        if (!check_share()) break;
                        char *data = pattern_data((cp_type)t, 1, 9 * 20 * 10);
                        cp_array *x = cp_from_host(data, (cp_type)t, CP_SHAPE(9, 20, 10), NULL);
                        free(data);
                        if (layout == 1) x = cp_copy_order(x, 'F');
                        if (layout == 2) x = cp_slice(x, 2, (cp_index[]){CP_FULL, {CP_IX_SLICE, 0, 0, -2, 0}});
                        ok(x);
                        check_axis(x, axis);
                    }
}

static void test_many_rows(void **state)
{
    (void)state;
    static const cp_type types[] = {CP_UINT8, CP_INT16, CP_FLOAT32, CP_FLOAT64, CP_COMPLEX128};
    for (int k = 0; k < 5; k++)
        for (int shape = 0; shape < 4; shape++) {
            if (!check_share()) continue;
            int64_t rows = (int64_t[]){3000, 200, 9, 12}[shape], n = (int64_t[]){17, 300, 70000, 10001}[shape];
            int64_t bytes = n * (int64_t)cp_type_size(types[k]);
            char *data = pattern_data(types[k], shape == 1, rows * n);
            item **want = calloc((size_t)rows, sizeof *want); /* of the rows that are looked at */
            for (int64_t r = 0; r < rows; r += shape == 2 ? 4 : 1)
                want[r] = ordered(types[k], data + r * bytes, n, bytes / n);
            for (FOR_DEVICES(d))
                for (CP_SCOPE) {
                    cp_array *x = cp_from_host(data, types[k], CP_SHAPE(rows, n), NULL);
                    cp_array *s = cp_sort(x, 1), *o = cp_argsort(x, 1);
                    ok(s && o);
                    char *sorted = host_of(s), *order = host_of(o);
                    for (int64_t r = 0; r < rows; r++)
                        if (want[r])
                            check_ordered(types[k], want[r], data + r * bytes, sorted + r * bytes, order + r * n * 8, n,
                                          bytes / n);
                    free(sorted);
                    free(order);
                }
            for (int64_t r = 0; r < rows; r++) free(want[r]);
            free(want);
            free(data);
        }
}

static void check_unique(cp_type t, const char *data, const item *want, int64_t n, bool apart)
{
    for (CP_SCOPE) {
        cp_array *x = cp_from_host(data, t, CP_SHAPE(n), NULL), *index, *inverse, *counts, *only_counts;
        cp_array *u = cp_unique(x, .index = &index, .inverse = &inverse, .counts = &counts, .distinct_nan = apart);
        cp_array *plain = cp_unique(x, .counts = &only_counts, .distinct_nan = apart);
        cp_array *alone = cp_unique(x, .distinct_nan = apart);
        ok(u && plain && alone);
        char *values = host_of(u), *values2 = host_of(plain), *values3 = host_of(alone);
        int64_t *at = (int64_t *)host_of(index), *back = (int64_t *)host_of(inverse), *c = (int64_t *)host_of(counts);
        int64_t *c2 = (int64_t *)host_of(only_counts), found = 0, size = (int64_t)cp_type_size(t);
        for (int64_t i = 0, j; i < n; i = j, found++) {
            for (j = i + 1; j < n; j++)
                if (is_nan(want[i].v) ? apart || !is_nan(want[j].v) : less(want[i].v, want[j].v)) break;
            assert_true(found < cp_size(u));
            assert_true(same(want[i].v, value_of(t, values + found * size)));
            assert_true(is_nan(want[i].v) || same(want[i].v, value_of(t, values2 + found * size)));
            assert_true(is_nan(want[i].v) || same(want[i].v, value_of(t, values3 + found * size)));
            assert_memory_equal(values + found * size, data + want[i].at * size, (size_t)size);
            assert_int_equal(at[found], want[i].at);
            assert_int_equal(c[found], j - i);
            assert_int_equal(c2[found], j - i);
            for (int64_t k = i; k < j; k++) assert_int_equal(back[want[k].at], found);
        }
        assert_int_equal(cp_size(u), found);
        assert_int_equal(cp_size(plain), found);
        assert_int_equal(cp_size(alone), found);
        free(values), free(values2), free(values3), free(at), free(back), free(c), free(c2);
    }
}

static void test_unique(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 2, 50, 1000, 100003};
    for (int t = 0; t < CP_NTYPES; t++)
        for (int pattern = 0; pattern < 5; pattern++)
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
                if (!check_share()) continue;
                const bool is_long = sizes[k] > 10000;
                if (is_long && pattern > 1 && (t + pattern) % 3) continue; /* of patterns 2 to 4 a type has one */
                const char kind = cp_type_kind((cp_type)t);
                const int ways = is_long && kind != 'f' && kind != 'c' ? 1 : 2; /* without NaN they are the same */
                char *data = pattern_data((cp_type)t, pattern, sizes[k]);
                item *want = ordered((cp_type)t, data, sizes[k], (int64_t)cp_type_size((cp_type)t));
                for (FOR_DEVICES(d))
                    for (int apart = 0; apart < ways; apart++) check_unique((cp_type)t, data, want, sizes[k], apart);
                free(want);
                free(data);
            }
}

/* --- unique of rows --- */

static struct { cp_type type; const char *data; int64_t width, item; } rows_of; /* for by_row */

static int compare_rows(int64_t a, int64_t b)
{
    for (int64_t i = 0; i < rows_of.width; i++) {
        const char *p = rows_of.data + (a * rows_of.width + i) * rows_of.item;
        const char *q = rows_of.data + (b * rows_of.width + i) * rows_of.item;
        if (!memcmp(p, q, (size_t)rows_of.item)) continue; /* equal in any order */
        value x = value_of(rows_of.type, p), y = value_of(rows_of.type, q);
        if (less(x, y)) return -1;
        if (less(y, x)) return 1;
    }
    return 0;
}

static int by_row(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    int order = compare_rows(x, y);
    return order ? order : x < y ? -1 : 1;
}

static bool row_has_nan(int64_t row)
{
    for (int64_t i = 0; i < rows_of.width; i++)
        if (is_nan(value_of(rows_of.type, rows_of.data + (row * rows_of.width + i) * rows_of.item))) return true;
    return false;
}

/* n rows of a pattern's values that share their first elements, and repeat. */
static char *pattern_rows(cp_type t, int pattern, int64_t n, int64_t width, int64_t shared, int64_t distinct)
{
    char *data = pattern_data(t, pattern, n * width);
    int64_t item = (int64_t)cp_type_size(t);
    for (int64_t r = 1; r < n; r++) {
        if (r >= distinct)
            memcpy(data + r * width * item, data + (int64_t)(next() % (uint64_t)distinct) * width * item,
                   (size_t)(width * item));
        memcpy(data + r * width * item, data, (size_t)(shared * item));
    }
    return data;
}

/* x's rows on the current device; rows_of is set for them, `want` has their order. */
static void check_unique_here(cp_type t, const char *data, const int64_t *want, int64_t n, int64_t width)
{
    int64_t item = rows_of.item, bytes = width * item, found = 0;
    for (CP_SCOPE) {
        cp_array *x = cp_from_host(data, t, CP_SHAPE(n, width), NULL), *index, *inverse, *counts, *only;
        cp_array *u = cp_unique(x, .index = &index, .inverse = &inverse, .counts = &counts, .axis = CP_AXES(0));
        cp_array *columns =
            cp_unique(cp_transpose(x, CP_ALL), .counts = &only, .axis = CP_AXES(-1));
        ok(u && columns);
        assert_int_equal(cp_dim(u, 1), width);
        assert_int_equal(cp_dim(columns, 0), width);
        assert_int_equal(cp_dim(columns, 1), cp_dim(u, 0));
        char *rows = host_of(u), *rows2 = host_of(cp_copy(cp_transpose(columns, CP_ALL)));
        int64_t *at = (int64_t *)host_of(index), *back = (int64_t *)host_of(inverse), *c = (int64_t *)host_of(counts);
        int64_t *c2 = (int64_t *)host_of(only);
        for (int64_t i = 0, j; i < n; i = j, found++) {
            for (j = i + 1; j < n && !compare_rows(want[i], want[j]) && !row_has_nan(want[j]);) j++;
            assert_true(found < cp_dim(u, 0));
            assert_memory_equal(rows + found * bytes, data + want[i] * bytes, (size_t)bytes);
            for (int64_t k = 0; k < width; k++) /* of equal elements (width 1) any may represent all */
                assert_true(same(value_of(t, rows2 + found * bytes + k * item),
                                 value_of(t, data + want[i] * bytes + k * item)));
            assert_int_equal(at[found], want[i]);
            assert_int_equal(c[found], j - i);
            assert_int_equal(c2[found], j - i);
            for (int64_t k = i; k < j; k++) assert_int_equal(back[want[k]], found);
        }
        assert_int_equal(cp_dim(u, 0), found);
        assert_int_equal(cp_size(inverse), n);
        free(rows), free(rows2), free(at), free(back), free(c), free(c2);
    }
}

static void check_unique_rows(cp_type t, int pattern, int64_t n, int64_t width, int64_t shared, int64_t distinct)
{
    int64_t item = (int64_t)cp_type_size(t);
    char *data = pattern_rows(t, pattern, n, width, shared, distinct);
    int64_t *want = malloc((size_t)n * sizeof *want);
    for (int64_t i = 0; i < n; i++) want[i] = i;
    rows_of.type = t, rows_of.data = data, rows_of.width = width, rows_of.item = item;
    qsort(want, (size_t)n, sizeof *want, by_row);
    for (FOR_DEVICES(d)) check_unique_here(t, data, want, n, width);
    free(want);
    free(data);
}

static void test_unique_rows(void **state)
{
    (void)state;
    for (int t = 0; t < CP_NTYPES; t++)
        for (int pattern = 0; pattern < 3; pattern++) {
            if (!check_share()) continue;
            check_unique_rows((cp_type)t, pattern, 1, 5, 0, 1);
            check_unique_rows((cp_type)t, pattern, 7, 2, 1, 4);
            check_unique_rows((cp_type)t, pattern, 600, 1, 0, 200);
            check_unique_rows((cp_type)t, pattern, 600, 2, 0, 300);
            check_unique_rows((cp_type)t, pattern, 500, 11, 3, 500);
            check_unique_rows((cp_type)t, pattern, 200, 70, 61, 50);
            if (t % 3 != pattern) continue; /* long ones of each type once */
            check_unique_rows((cp_type)t, pattern, 40000, 19, 9, 3);
            check_unique_rows((cp_type)t, pattern, 33000, 3, 0, 30000);
        }
}

static void test_unique_axis(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *x = cp_reshape(doubles(3, 1, 2, 0, 3, 1, 2, -0.0, 1, 1, 1, 1), CP_SHAPE(3, 2, 2)), *index,
                     *inverse, *counts;
            cp_array *u = cp_unique(x, .index = &index, .inverse = &inverse, .counts = &counts, .axis = CP_AXES(0));
            values(u, 1, 1, 1, 1, 3, 1, 2, 0);
            assert_int_equal(cp_ndim(u), 3);
            values(index, 2, 0);
            values(inverse, 1, 1, 0);
            values(counts, 1, 2);
            values(cp_unique(x, .axis = CP_AXES(1)), 2, 0, 3, 1, 2, 0, 3, 1, 1, 1, 1, 1);
            values(cp_unique(x, .axis = CP_AXES(-1)), 1, 3, 0, 2, 1, 3, 0, 2, 1, 1, 1, 1);
            values(cp_unique(x, .axis = CP_ALL), 0, 1, 2, 3);
            values(cp_unique(cp_ravel(x), .axis = CP_AXES(0)), 0, 1, 2, 3);
            cp_array *none = cp_unique(cp_empty(CP_SHAPE(3, 0), CP_INT16),
                                       .index = &index, .inverse = &inverse, .counts = &counts, .axis = CP_AXES(0));
            ok(none);
            assert_int_equal(cp_dim(none, 0), 1);
            values(index, 0);
            values(inverse, 0, 0, 0);
            values(counts, 3);
            index = x;
            assert_null(cp_unique(x, .index = &index, .axis = CP_AXES(3)));
            failed(CP_ERROR_AXIS);
            assert_null(index);
            assert_null(cp_unique(x, .axis = CP_AXES(-4)));
            failed(CP_ERROR_AXIS);
            assert_null(cp_unique(cp_ravel(x), .axis = CP_AXES(1)));
            failed(CP_ERROR_AXIS);
            assert_null(cp_unique(cp_float(1), .axis = CP_AXES(0)));
            failed(CP_ERROR_AXIS);
            assert_null(cp_unique(x, .axis = CP_AXES(0, 1)));
            failed(CP_ERROR_TYPE);
        }
}

static void test_shapes_and_errors(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *x = cp_reshape(doubles(3, 1, 2, 6, 5, 4), CP_SHAPE(2, 3)),
                     *zero = cp_full(CP_SHAPE0, CP_FLOAT64, cp_float(5));
            values(cp_sort(x, CP_FLAT), 1, 2, 3, 4, 5, 6);
            values(cp_argsort(x, CP_FLAT), 1, 2, 0, 5, 4, 3);
            values(cp_sort(x, 0), 3, 1, 2, 6, 5, 4);
            values(cp_sort(cp_transpose(x, CP_ALL), 0), 1, 4, 2, 5, 3, 6);
            values(cp_sort(zero, CP_FLAT), 5);
            values(cp_argsort(zero, -1), 0);
            assert_int_equal(cp_ndim(cp_sort(zero, CP_FLAT)), 1);
            assert_null(cp_sort(zero, -1));
            failed(CP_ERROR_AXIS);
            assert_null(cp_sort(x, 2));
            failed(CP_ERROR_AXIS);
            assert_null(cp_sort(x, 2, .stable = true));
            failed(CP_ERROR_AXIS);
            assert_null(cp_sort(zero, -1, .stable = true));
            failed(CP_ERROR_AXIS);
            values(cp_sort(zero, CP_FLAT, .stable = true), 5);
            values(cp_sort(cp_transpose(x, CP_ALL), CP_FLAT, .stable = true), 1, 2, 3, 4, 5, 6);
            assert_int_equal(cp_sort_inplace(x, 7, .stable = true), CP_ERROR_AXIS);
            failed(CP_ERROR_AXIS);
            assert_null(cp_argsort(x, -3));
            failed(CP_ERROR_AXIS);
            assert_int_equal(cp_sort_inplace(x, 7), CP_ERROR_AXIS);
            failed(CP_ERROR_AXIS);
            assert_null(cp_sort(x, 2, .descending = true));
            failed(CP_ERROR_AXIS);
            assert_null(cp_argsort(x, 2, .descending = true));
            failed(CP_ERROR_AXIS);
            assert_null(cp_sort(zero, 0, .descending = true));
            failed(CP_ERROR_AXIS);
            assert_int_equal(cp_sort_inplace(x, -3, .descending = true), CP_ERROR_AXIS);
            failed(CP_ERROR_AXIS);
            values(cp_sort(zero, CP_FLAT, .descending = true), 5);
            values(cp_argsort(zero, 0, .descending = true), 0);
            values(cp_sort(x, 1, .descending = true), 3, 2, 1, 6, 5, 4);
            values(cp_argsort(x, CP_FLAT, .descending = true), 3, 4, 5, 0, 2, 1);
            cp_array *wide = cp_broadcast_to(doubles(2, 1), CP_SHAPE(3, 2));
            assert_true(cp_sort_inplace(wide, 1) != CP_OK);
            failed(CP_ERROR_VALUE);
            assert_true(cp_sort_inplace(wide, 1, .descending = true) != CP_OK);
            failed(CP_ERROR_VALUE);
            values(cp_sort(wide, 1, .descending = true), 2, 1, 2, 1, 2, 1);
            values(cp_sort(wide, 1), 1, 2, 1, 2, 1, 2);
            cp_array *t = cp_transpose(x, CP_ALL);
            ok(cp_sort_inplace(t, CP_FLAT) == CP_OK); /* in t's order */
            values(t, 1, 2, 3, 4, 5, 6);
            ok(cp_sort_inplace(t, CP_FLAT, .descending = true) == CP_OK);
            values(t, 6, 5, 4, 3, 2, 1);
            cp_array *inverse = NULL, *u = cp_unique(zero, .inverse = &inverse);
            values(u, 5);
            assert_int_equal(cp_ndim(inverse), 0);
            assert_null(cp_sort(NULL, 0));
            assert_null(cp_unique(NULL));
            cp_error_clear();
        }
}

static void test_empty(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (CP_SCOPE) {
            cp_array *x = cp_empty(CP_SHAPE(3, 0, 2), CP_FLOAT32), *index, *inverse, *counts;
            for (int axis = 0; axis < 3; axis++) {
                ok(cp_sort(x, axis) && cp_sort_inplace(x, axis) == CP_OK);
                ok(cp_sort(x, axis, .descending = true) && cp_argsort(x, axis, .descending = true));
                ok(cp_sort_inplace(x, axis, .stable = true, .descending = true) == CP_OK);
                cp_array *o = cp_argsort(x, axis);
                ok(o);
                assert_int_equal(cp_type_of(o), CP_INT64);
                assert_int_equal(cp_ndim(o), 3);
            }
            assert_int_equal(cp_size(cp_sort(x, CP_FLAT)), 0);
            cp_array *u = cp_unique(x, .index = &index, .inverse = &inverse, .counts = &counts);
            ok(u && index && inverse && counts);
            assert_int_equal(cp_size(u) + cp_size(index) + cp_size(inverse) + cp_size(counts), 0);
            assert_int_equal(cp_ndim(inverse), 3);
        }
}

static cp_array *given;
static bool sort_all(void)
{
    cp_array *s = cp_sort(given, 0), *o = s ? cp_argsort(given, 0) : NULL, *f = o ? cp_sort(given, CP_FLAT) : NULL;
    bool done = f && cp_sort_inplace(f, 0) == CP_OK;
    cp_free(s);
    cp_free(o);
    cp_free(f);
    return done;
}
static bool sort_all_descending(void)
{
    cp_array *s = cp_sort(given, 0, .descending = true), *o = s ? cp_argsort(given, 0, .descending = true) : NULL,
             *f = o ? cp_sort(given, CP_FLAT, .stable = true, .descending = true) : NULL;
    bool done = f && cp_sort_inplace(f, 0, .descending = true) == CP_OK;
    cp_free(s);
    cp_free(o);
    cp_free(f);
    return done;
}

static bool unique_along(cp_axes axis)
{
    cp_array *a = NULL, *b = NULL, *c = NULL,
             *u = cp_unique(given, .index = &a, .inverse = &b, .counts = &c, .axis = axis);
    bool done = u;
    assert_true(done || (!a && !b && !c));
    cp_free(u);
    cp_free(a);
    cp_free(b);
    cp_free(c);
    return done;
}

static bool unique_all(void) { return unique_along(CP_ALL); }
static bool unique_rows(void) { return unique_along(CP_AXES(0)); }
static bool unique_columns(void) { return unique_along(CP_AXES(1)); }

static void test_allocation_failure(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (int k = 0; k < 3; k++) {
            int64_t n = k == 1 ? 100000 : 500;
            cp_type t = k == 2 ? CP_UINT8 : k == 1 ? CP_FLOAT64 : CP_INT32;
            char *data = pattern_data(t, 0, 2 * n);
            given = cp_from_host(data, t, CP_SHAPE(n, 2), NULL);
            free(data);
            every_allocation_fails(sort_all);
            every_allocation_fails(sort_all_descending);
            every_allocation_fails(unique_all);
            every_allocation_fails(unique_rows);
            every_allocation_fails(unique_columns);
            cp_free(given);
        }
    for (FOR_DEVICES(d)) { /* long runs within long rows, and empty rows */
        char *data = pattern_rows(CP_INT16, 0, 40000, 23, 5, 2);
        given = cp_from_host(data, CP_INT16, CP_SHAPE(40000, 23), NULL);
        free(data);
        every_allocation_fails(unique_rows);
        cp_free(given);
        given = cp_empty(CP_SHAPE(3, 0), CP_INT16);
        every_allocation_fails(unique_rows);
        every_allocation_fails(unique_columns);
        cp_free(given);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),   cmocka_unit_test(test_long_rows),
        cmocka_unit_test(test_axes),   cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_unique), cmocka_unit_test(test_unique_rows),
        cmocka_unit_test(test_unique_axis), cmocka_unit_test(test_shapes_and_errors),
        cmocka_unit_test(test_descending),
        cmocka_unit_test(test_empty),  cmocka_unit_test(test_allocation_failure),
    };
    return check_run(tests);
}
