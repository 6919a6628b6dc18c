/* cp_label against literal pictures and a flood fill. */
#include "check.h"

/* Fills at random, reproducibly. */
static uint32_t seed = 1;
static uint32_t next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}

/* The reference: components by a flood fill from each element in C order. `structure`: 3^ndim bytes. */
static int64_t flood(int ndim, const int64_t *shape, const uint8_t *x, const uint8_t *structure, int64_t *label)
{
    int64_t size = 1, count = 0, power = 1, stride[CP_MAXDIM];
    for (int a = ndim; a-- > 0; power *= 3) {
        stride[a] = size;
        size *= shape[a];
    }
    int64_t *stack = malloc(sizeof *stack * (size_t)(size + 1));
    memset(label, 0, sizeof *label * (size_t)size);
    for (int64_t i = 0; i < size; i++) {
        if (!x[i] || label[i]) continue;
        int64_t top = 0;
        label[i] = ++count;
        stack[top++] = i;
        while (top) {
            int64_t at = stack[--top];
            for (int64_t s = 0; s < power; s++) {
                if (!structure[s]) continue;
                int64_t to = at, digits = s, rest = at;
                bool inside = true;
                for (int a = ndim; a-- > 0; digits /= 3) {
                    int64_t c = rest % shape[a], d = digits % 3 - 1;
                    rest /= shape[a];
                    inside &= c + d >= 0 && c + d < shape[a];
                    to += d * stride[a];
                }
                if (inside && x[to] && !label[to]) {
                    label[to] = count;
                    stack[top++] = to;
                }
            }
        }
    }
    free(stack);
    return count;
}

static void cross_of(int ndim, uint8_t *structure)
{
    int power = 1, centre = 0;
    for (int a = 0; a < ndim; a++) {
        centre += power;
        power *= 3;
    }
    memset(structure, 0, (size_t)power);
    structure[centre] = 1;
    for (int a = 0, step = 1; a < ndim; a++, step *= 3) structure[centre - step] = structure[centre + step] = 1;
}

/* Labels the bytes on the current device and compares with the flood. structure NULL: the cross. */
static void check_label(int ndim, const int64_t *shape, const uint8_t *x, const uint8_t *structure)
{
    int64_t size = 1, power = 1, threes[CP_MAXDIM], count = -1;
    for (int a = 0; a < ndim; a++) {
        size *= shape[a];
        power *= 3;
        threes[a] = 3;
    }
    uint8_t *s = malloc((size_t)power);
    int64_t *want = malloc(sizeof *want * (size_t)(size + 1));
    int32_t *got = malloc(sizeof *got * (size_t)(size + 1));
    if (structure)
        memcpy(s, structure, (size_t)power);
    else
        cross_of(ndim, s);
    int64_t n = flood(ndim, shape, x, s, want);
    cp_array *a = cp_from_host(x, CP_UINT8, (cp_shape){ndim, shape}, NULL), *t = NULL;
    ok(a);
    if (structure) ok(t = cp_from_host(s, CP_BOOL, (cp_shape){ndim, threes}, NULL));
    cp_array *r = cp_label(a, t, NULL, &count);
    ok(r);
    assert_int_equal(cp_type_of(r), CP_INT32);
    ok(cp_to_host(r, got, sizeof *got * (size_t)size) == CP_OK);
    assert_int_equal(count, n);
    for (int64_t i = 0; i < size; i++)
        if (got[i] != want[i])
            fail_msg("%d-d, first extent %d: element %d: got %d, expected %d", ndim, ndim ? (int)shape[0] : 0, (int)i,
                     (int)got[i], (int)want[i]);
    cp_free(r);
    cp_free(t);
    cp_free(a);
    free(got);
    free(want);
    free(s);
}

static void pictures(void **state)
{
    (void)state;
    const char *picture = "##..#"
                          ".#.##"
                          ".....";
    int64_t shape[2] = {3, 5};
    uint8_t x[15];
    for (int i = 0; i < 15; i++) x[i] = picture[i] == '#';
    for (FOR_DEVICES(d)) {
        int64_t count;
        cp_array *a = cp_from_host(x, CP_UINT8, CP_SHAPE(3, 5), NULL), *r = cp_label(a, NULL, NULL, &count);
        assert_int_equal(count, 2);
        values(r, 1, 1, 0, 0, 2, 0, 1, 0, 2, 2, 0, 0, 0, 0, 0);
        cp_free(r);
        cp_free(a);
        check_label(2, shape, x, NULL);
        check_label(2, shape, x, (uint8_t[]){1, 0, 0, 0, 1, 0, 0, 0, 1});
        check_label(2, shape, x, (uint8_t[]){0, 0, 1, 0, 1, 0, 1, 0, 0});
        check_label(2, shape, x, (uint8_t[]){0, 1, 0, 0, 0, 0, 0, 1, 0});
    }
}

/* A spiral, combs with teeth up, down and sideways, a checkerboard, nothing and everything. */
static void shapes(void **state)
{
    (void)state;
    enum { H = 131, W = 331 };
    uint8_t *x = calloc(H, W);
    int64_t shape[2] = {H, W}, turned[2] = {W, H};
    uint8_t full[9];
    memset(full, 1, 9);
    for (FOR_DEVICES(d)) {
        for (int kind = 0; kind < 8; kind++) {
            memset(x, 0, H * W);
            for (int i = 0; i < H; i++)
                for (int j = 0; j < W; j++)
                    switch (kind) {
                    case 0: break;
                    case 1: x[i * W + j] = 1; break;
                    case 2: x[i * W + j] = (i + j) % 2; break;
                    case 3: x[i * W + j] = j % 2 == 0 || i == H - 1; break; /* joined at the bottom */
                    case 4: x[i * W + j] = j % 2 == 0 || i == 0; break;
                    case 5: x[i * W + j] = i % 2 == 0 || j == W - 1; break;
                    case 6: x[i * W + j] = i % 2 == 0 || j == (i % 4 == 1 ? 0 : W - 1); break; /* a snake */
                    default: {
                        int ring = i < j ? i : j;
                        if (H - 1 - i < ring) ring = H - 1 - i;
                        if (W - 1 - j < ring) ring = W - 1 - j;
                        x[i * W + j] = ring % 2 == 0 && !(j == ring && i == ring + 1);
                        if (ring % 2 == 1 && j == ring && i == ring + 1) x[i * W + j] = 1; /* rings joined: a spiral */
                    }
                    }
            check_label(2, shape, x, NULL);
            check_label(2, shape, x, full);
            check_label(2, turned, x, NULL);
            check_label(2, (int64_t[]){1, H * W}, x, NULL);
            check_label(2, (int64_t[]){H * W, 1}, x, NULL);
            check_label(1, (int64_t[]){H * W}, x, NULL);
            check_label(1, (int64_t[]){H * W}, x, (uint8_t[]){0, 1, 0});
            check_label(3, (int64_t[]){H, 1, W}, x, NULL);
        }
    }
    free(x);
}

static void random_arrays(void **state)
{
    (void)state;
    static const int64_t shapes[][6] = {{1, 7},          {1, 1},           {1, 64},       {1, 65},
                                        {1, 200000},     {2, 1, 1},        {2, 33, 63},   {2, 64, 64},
                                        {2, 257, 300},   {2, 3, 4000},     {2, 4000, 3},  {3, 9, 10, 11},
                                        {3, 33, 2, 65},  {3, 40, 50, 60},  {3, 2, 1, 90}, {4, 5, 6, 7, 8},
                                        {4, 2, 3, 1, 70}, {5, 4, 3, 5, 2, 9}, {5, 2, 2, 2, 2, 2}};
    static const int percent[] = {3, 40, 58, 75, 97};
    seed = 7;
    for (FOR_DEVICES(d)) {
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            int ndim = (int)shapes[k][0], power = 1;
            int64_t size = 1;
            for (int a = 0; a < ndim; a++) {
                size *= shapes[k][1 + a];
                power *= 3;
            }
            uint8_t *x = malloc((size_t)size), structure[243];
            for (size_t p = 0; p < sizeof percent / sizeof *percent; p++) {
                for (int64_t i = 0; i < size; i++) x[i] = next() % 100 < (uint32_t)percent[p];
                check_label(ndim, shapes[k] + 1, x, NULL);
                for (int round = 0; round < 4; round++) { /* all, then any symmetric ones */
                    for (int i = 0; i <= power / 2; i++)
                        structure[i] = structure[power - 1 - i] = round == 0 ? 1 : next() % (round == 1 ? 2 : 4) == 0;
                    check_label(ndim, shapes[k] + 1, x, structure);
                }
            }
            free(x);
        }
    }
}

static void many_dimensions(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        int64_t shape[CP_MAXDIM], count;
        for (int a = 0; a < CP_MAXDIM; a++) shape[a] = a % 8 == 3 ? 2 : 1; /* 256 elements */
        uint8_t x[256], dense[256];
        int64_t cube[8] = {2, 2, 2, 2, 2, 2, 2, 2}, want[256];
        uint8_t *s = malloc(6561);
        cross_of(8, s);
        for (int i = 0; i < 256; i++) dense[i] = x[i] = next() % 3 == 0;
        int64_t n = flood(8, cube, dense, s, want);
        free(s);
        cp_array *a = cp_from_host(x, CP_UINT8, (cp_shape){CP_MAXDIM, shape}, NULL),
                 *r = cp_label(a, NULL, NULL, &count);
        ok(r);
        assert_int_equal(count, n);
        int32_t got[256];
        ok(cp_to_host(r, got, sizeof got) == CP_OK);
        for (int i = 0; i < 256; i++) assert_int_equal(got[i], want[i]);
        cp_free(r);
        cp_free(a);
        /* none and no elements */
        for (int v = 0; v < 2; v++) {
            a = cp_from_host(&(double){v * 2.5}, CP_FLOAT64, CP_SHAPE0, NULL);
            r = cp_label(a, NULL, NULL, &count);
            assert_int_equal(count, v);
            values(r, v);
            cp_free(r);
            cp_free(a);
        }
        a = cp_float(3);
        r = cp_label(a, NULL, NULL, &count);
        ok(r);
        assert_int_equal(count, 1);
        cp_free(r);
        cp_free(a);
        a = cp_zeros(CP_SHAPE(3, 0), CP_INT16);
        r = cp_label(a, NULL, NULL, &count);
        ok(r);
        assert_int_equal(count, 0);
        assert_int_equal(cp_size(r), 0);
        cp_free(r);
        cp_free(a);
    }
}

/* Every type in: NaN is not zero, -0 is. Every type out. */
static void types(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *f = doubles(0, NAN, -0.0, 1, 1, 0.0, -3, INFINITY, 0, 0);
        for (int t = 0; t < CP_COMPLEX64; t++) {
            bool floating = cp_type_kind((cp_type)t) == 'f';
            cp_array *plain = doubles(0, 1, 0, 1, 1, 0.0, 3, 7, 0, 0);
            cp_array *x = cp_astype(floating ? f : plain, (cp_type)t);
            ok(x);
            for (int u = 0; u < CP_COMPLEX64; u++) {
                cp_array *out = cp_empty(CP_SHAPE(10), (cp_type)u);
                int64_t count;
                cp_array *r = cp_label(x, NULL, out, &count);
                assert_ptr_equal(cp_data(r), cp_data(out));
                assert_int_equal(count, 3);
                if (u == CP_BOOL)
                    values(out, 0, 1, 0, 1, 1, 0, 1, 1, 0, 0);
                else
                    values(out, 0, 1, 0, 2, 2, 0, 3, 3, 0, 0);
                cp_free(r);
                cp_free(out);
            }
            cp_array *same = cp_label(x, NULL, x, NULL); /* in place */
            if (t == CP_BOOL)
                values(x, 0, 1, 0, 1, 1, 0, 1, 1, 0, 0);
            else
                values(x, 0, 1, 0, 2, 2, 0, 3, 3, 0, 0);
            cp_free(same);
            cp_free(x);
            cp_free(plain);
        }
        cp_free(f);
    }
}

static void strides(void **state)
{
    (void)state;
    uint8_t x[12 * 14], part[6 * 7];
    for (FOR_DEVICES(d)) {
        for (int i = 0; i < 12 * 14; i++) x[i] = next() % 2;
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 7; j++) part[i * 7 + j] = x[(11 - 2 * i) * 14 + 2 * j];
        cp_array *a = cp_from_host(x, CP_UINT8, CP_SHAPE(12, 14), NULL);
        cp_array *v = cp_slice(a, 2, (cp_index[]){{CP_IX_SLICE, 0, 0, -2, 0}, {CP_IX_SLICE, 0, 0, 2, 0}});
        cp_array *p = cp_from_host(part, CP_UINT8, CP_SHAPE(6, 7), NULL);
        cp_array *base = cp_zeros(CP_SHAPE(7, 12), CP_FLOAT64);
        cp_array *turned = cp_transpose(base, CP_ALL);
        cp_array *out = cp_slice(turned, 1, (cp_index[]){{CP_IX_SLICE, 0, 0, 2, 0}});
        ok(out);
        int64_t n, m;
        cp_array *r = cp_label(v, NULL, out, &n), *w = cp_label(p, NULL, NULL, &m);
        ok(r);
        ok(w);
        assert_int_equal(n, m);
        cp_array *rf = cp_astype(r, CP_INT32), *rc = cp_copy(rf);
        int32_t got[42], want[42];
        ok(cp_to_host(rc, got, sizeof got) == CP_OK && cp_to_host(w, want, sizeof want) == CP_OK);
        assert_memory_equal(got, want, sizeof got);
        cp_free(rc);
        cp_free(rf);
        cp_free(w);
        cp_free(r);
        cp_free(out);
        cp_free(turned);
        cp_free(base);
        cp_free(p);
        cp_free(v);
        cp_free(a);
    }
}

static void errors(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = cp_ones(CP_SHAPE(4, 5), CP_INT32), *c = cp_zeros(CP_SHAPE(4), CP_COMPLEX64);
        cp_array *flat = cp_ones(CP_SHAPE(3), CP_BOOL), *wide = cp_ones(CP_SHAPE(3, 4), CP_BOOL);
        int64_t skew[9] = {1, 1, 1, 1, 1, 1, 1, 1, 0};
        cp_array *askew = cp_from_host(skew, CP_INT64, CP_SHAPE(3, 3), NULL);
        assert_null(cp_label(NULL, NULL, NULL, NULL));
        failed(CP_ERROR_VALUE);
        assert_null(cp_label(c, NULL, NULL, NULL));
        failed(CP_ERROR_TYPE);
        assert_null(cp_label(x, flat, NULL, NULL));
        failed(CP_ERROR_RUNTIME);
        assert_null(cp_label(x, wide, NULL, NULL));
        failed(CP_ERROR_VALUE);
        assert_null(cp_label(x, askew, NULL, NULL));
        failed(CP_ERROR_VALUE);
        assert_null(cp_label(x, NULL, flat, NULL));
        failed(CP_ERROR_VALUE);
        /* more labels than the type has values: the output stays unchanged */
        uint8_t dots[600];
        for (int i = 0; i < 600; i++) dots[i] = i % 2;
        static const struct { cp_type type; int64_t most; } limit[] = {
            {CP_INT8, 127}, {CP_UINT8, 255}, {CP_BFLOAT16, 256}};
        for (int k = 0; k < 3; k++)
            for (int more = 0; more < 2; more++) {
                cp_array *a = cp_from_host(dots, CP_UINT8, CP_SHAPE(2 * (limit[k].most + more)), NULL);
                cp_array *out = cp_zeros(CP_SHAPE(2 * (limit[k].most + more)), limit[k].type);
                cp_array *r = cp_label(a, NULL, out, NULL);
                if (more) {
                    assert_null(r);
                    failed(CP_ERROR_RUNTIME);
                } else {
                    ok(r);
                }
                cp_array *last = cp_slice(out, 1, (cp_index[]){CP_AT(-1)});
                values(last, more ? 0 : (double)limit[k].most);
                cp_free(last);
                cp_free(r);
                cp_free(out);
                cp_free(a);
            }
        cp_free(askew);
        cp_free(wide);
        cp_free(flat);
        cp_free(c);
        cp_free(x);
    }
}

/* The same bits whatever the number of threads. */
static void threads(void **state)
{
    (void)state;
    enum { N = 700 };
    uint8_t *x = malloc(N * N);
    int32_t *one = malloc(N * N * 4), *more = malloc(N * N * 4);
    seed = 99;
    for (int i = 0; i < N * N; i++) x[i] = next() % 100 < 59;
    ok(cp_device_use(CP_CPU) == CP_OK);
    int before = cp_threads();
    for (int t = 1; t <= 5; t += 2) {
        cp_threads_set(t);
        cp_array *a = cp_from_host(x, CP_UINT8, CP_SHAPE(N, N), NULL), *r = cp_label(a, NULL, NULL, NULL);
        ok(r);
        ok(cp_to_host(r, t == 1 ? one : more, N * N * 4) == CP_OK);
        if (t > 1) assert_memory_equal(one, more, N * N * 4);
        cp_free(r);
        cp_free(a);
    }
    cp_threads_set(before);
    free(more);
    free(one);
    free(x);
}

static bool label_once(void)
{
    static const uint8_t x[20] = {1, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1};
    int64_t count;
    cp_array *a = cp_from_host(x, CP_UINT8, CP_SHAPE(2, 2, 5), NULL);
    cp_array *s = a ? cp_ones(CP_SHAPE(3, 3, 3), CP_BOOL) : NULL;
    cp_array *r = s ? cp_label(a, s, NULL, &count) : NULL;
    bool good = r != NULL;
    cp_free(r);
    cp_free(s);
    cp_free(a);
    return good;
}

static void allocation(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) every_allocation_fails(label_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures), cmocka_unit_test(shapes),  cmocka_unit_test(random_arrays),
        cmocka_unit_test(threads),  cmocka_unit_test(many_dimensions), cmocka_unit_test(types),
        cmocka_unit_test(strides),  cmocka_unit_test(errors),  cmocka_unit_test(allocation),
    };
    return check_run(tests);
}
