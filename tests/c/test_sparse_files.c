/* SciPy's files of sparse matrices in C: all formats and types written and read back, files that do not fit, every
 * allocation failing. (tests/python/test_sparse_files.py compares with SciPy's own reading and writing.) */
#include <unistd.h>

#include "check.h"

static char folder[] = "/tmp/cuprite-sparse-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const cp_sparse_format FORMATS[] = {CP_SPARSE_CSR, CP_SPARSE_CSC, CP_SPARSE_COO, CP_SPARSE_DIA, CP_SPARSE_BSR};
static const double DENSE[] = {1, 0, 2, 0, 0, 0, 0, 3, 0, 0, 4, 5};

/* A matrix (4, 3) of small numbers. */
static cp_sparse *numbers(cp_sparse_format format, cp_type type)
{
    cp_array *x = cp_from_host(DENSE, CP_FLOAT64, CP_SHAPE(4, 3), NULL), *y = x ? cp_astype(x, type) : NULL;
    cp_sparse *a = y ? cp_sparse_from_dense(y, format) : NULL;
    cp_free(x), cp_free(y);
    return a;
}

/* Are the three arrays of both the same, with their types? */
static void same(cp_sparse *a, cp_sparse *b)
{
    ok(a);
    ok(b);
    cp_array *of_a[3], *of_b[3];
    assert_int_equal(cp_sparse_format_of(a), cp_sparse_format_of(b));
    assert_int_equal(cp_sparse_rows(a), cp_sparse_rows(b));
    assert_int_equal(cp_sparse_columns(a), cp_sparse_columns(b));
    ok(cp_sparse_arrays(a, &of_a[0], &of_a[1], &of_a[2]) == CP_OK);
    ok(cp_sparse_arrays(b, &of_b[0], &of_b[1], &of_b[2]) == CP_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(of_a[i] != NULL, of_b[i] != NULL);
        if (!of_a[i]) continue;
        const int64_t bytes = cp_nbytes(of_a[i]);
        assert_int_equal(cp_type_of(of_a[i]), cp_type_of(of_b[i]));
        assert_int_equal(cp_ndim(of_a[i]), cp_ndim(of_b[i]));
        for (int k = 0; k < cp_ndim(of_a[i]); k++) assert_int_equal(cp_dim(of_a[i], k), cp_dim(of_b[i], k));
        char *in_a = malloc((size_t)bytes + 1), *in_b = malloc((size_t)bytes + 1);
        ok(cp_to_host(of_a[i], in_a, (size_t)bytes) == CP_OK && cp_to_host(of_b[i], in_b, (size_t)bytes) == CP_OK);
        assert_memory_equal(in_a, in_b, bytes);
        free(in_a), free(in_b);
        cp_free(of_a[i]), cp_free(of_b[i]);
    }
}

static void read_back(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (int i = 0; i < 5; i++)
            for (cp_type t = 0; t < CP_NTYPES; t++) {
                cp_sparse *a = numbers(FORMATS[i], t);
                if (!a) {
                    failed(CP_ERROR_TYPE); /* the half types */
                    continue;
                }
                ok(cp_sparse_save(in_folder("a.npz"), a, .compressed = t % 2) == CP_OK);
                cp_sparse *b = cp_sparse_load(in_folder("a.npz"));
                same(a, b);
                assert_int_equal(cp_sparse_device_of(b), d);
                cp_sparse_free(a), cp_sparse_free(b);
            }
}

static void nothing_in_it(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (int i = 0; i < 5; i++)
            for (int rows = 0; rows < 3; rows += 2) {
                cp_array *x = cp_zeros(CP_SHAPE(rows, 4), CP_FLOAT32);
                cp_sparse *a = cp_sparse_from_dense(x, FORMATS[i]);
                ok(a);
                ok(cp_sparse_save(in_folder("a.npz"), a) == CP_OK);
                cp_sparse *b = cp_sparse_load(in_folder("a.npz"));
                same(a, b);
                cp_free(x), cp_sparse_free(a), cp_sparse_free(b);
            }
}

static void to_another_device(void **state)
{
    (void)state;
    cp_sparse *a = numbers(CP_SPARSE_CSR, CP_FLOAT64);
    ok(cp_sparse_save(in_folder("a.npz"), a) == CP_OK);
    for (FOR_DEVICES(d)) {
        cp_sparse *b = cp_sparse_load(in_folder("a.npz"));
        same(a, b);
        assert_int_equal(cp_sparse_device_of(b), d);
        cp_sparse_free(b);
    }
    cp_sparse_free(a);
}

/* A matrix outlives the scope in which it was read, and a scope may be open while it is written. */
static void scopes(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (int i = 0; i < 5; i++) {
            const int64_t live = cp_test_live();
            cp_sparse *a = numbers(FORMATS[i], CP_INT32), *b = NULL;
            for (CP_SCOPE) ok(cp_sparse_save(in_folder("a.npz"), a) == CP_OK);
            for (CP_SCOPE) b = cp_sparse_load(in_folder("a.npz"));
            same(a, b);
            cp_sparse_free(a), cp_sparse_free(b);
            ok(cp_device_synchronize(CP_CURRENT) == CP_OK);
            assert_int_equal(cp_test_live(), live);
        }
}

/* A file without a `format` that can be read, and calls that cannot work. */
static void mistakes(void **state)
{
    (void)state;
    cp_array *x = cp_arange_int(0, 3, 1, CP_UINT8);
    cp_sparse *a = numbers(CP_SPARSE_CSC, CP_INT16);
    assert_null(cp_sparse_load(in_folder("missing.npz")));
    failed(CP_ERROR_NOT_FOUND);
    assert_null(cp_sparse_load(NULL));
    failed(CP_ERROR_VALUE);
    assert_int_equal(cp_sparse_save(NULL, a), CP_ERROR_VALUE);
    failed(CP_ERROR_VALUE);
    assert_int_equal(cp_sparse_save(in_folder("n.npz"), NULL), CP_ERROR_VALUE);
    failed(CP_ERROR_VALUE);
    assert_int_equal(access(in_folder("n.npz"), F_OK), -1);
    assert_int_equal(cp_sparse_save(in_folder("missing/a.npz"), a), CP_ERROR_NOT_FOUND);
    failed(CP_ERROR_NOT_FOUND);
    ok(cp_savez(in_folder("b.npz"), 1, ((const char *[]){"x"}), &x) == CP_OK);
    assert_null(cp_sparse_load(in_folder("b.npz")));
    assert_non_null(strstr(cp_error_message(), "b.npz: there is no array format in it"));
    failed(CP_ERROR_FORMAT);
    ok(cp_savez(in_folder("b.npz"), 1, ((const char *[]){"format"}), &x) == CP_OK);
    assert_null(cp_sparse_load(in_folder("b.npz")));
    assert_non_null(strstr(cp_error_message(), "b.npz: its format is not one short word"));
    failed(CP_ERROR_FORMAT);
    ok(cp_save(in_folder("b.npy"), x) == CP_OK);
    assert_null(cp_sparse_load(in_folder("b.npy")));
    failed(CP_ERROR_FORMAT);
    cp_free(x), cp_sparse_free(a);
}

/* Any byte changed, and any end cut off: an error of one kind, or what was there. */
static void damaged(void **state)
{
    (void)state;
    static char bytes[1 << 14];
    for (int i = 0; i < 5; i++) {
        cp_sparse *a = numbers(FORMATS[i], CP_FLOAT32);
        ok(cp_sparse_save(in_folder("a.npz"), a) == CP_OK);
        FILE *f = fopen(in_folder("a.npz"), "rb");
        const size_t n = fread(bytes, 1, sizeof bytes, f);
        fclose(f);
        assert_true(n > 500 && n < sizeof bytes);
        int refused = 0;
        for (size_t at = 0; at < 2 * n; at += 3) {
            const size_t cut = at < n ? n : at - n; /* a byte changed, or the end cut off */
            if (at < n) bytes[at] ^= 0x11;
            f = fopen(in_folder("d.npz"), "wb");
            assert_int_equal(fwrite(bytes, 1, cut, f), cut);
            fclose(f);
            if (at < n) bytes[at] ^= 0x11;
            cp_sparse *b = cp_sparse_load(in_folder("d.npz"));
            if (b) {
                assert_true(at < n);
                same(a, b);
                cp_sparse_free(b);
                continue;
            }
            refused++;
            if (cp_error() != CP_ERROR_RUNTIME && cp_error() != CP_ERROR_UNSUPPORTED) { /* encrypted, unknown packing */
                failed(CP_ERROR_FORMAT);
            }
            cp_error_clear();
        }
        assert_true(refused > (int)n / 6);
        cp_sparse_free(a);
    }
}

/* A write that fails leaves the old file. */
static void keeps_the_old_file(void **state)
{
    (void)state;
    cp_sparse *a = numbers(CP_SPARSE_CSR, CP_FLOAT64), *b = numbers(CP_SPARSE_COO, CP_FLOAT32);
    ok(cp_sparse_save(in_folder("k.npz"), a) == CP_OK);
    cp_test_fail_allocation(8);
    const cp_code code = cp_sparse_save(in_folder("k.npz"), b, .compressed = true);
    cp_test_fail_allocation(0);
    assert_int_equal(code, CP_ERROR_MEMORY);
    failed(CP_ERROR_MEMORY);
    cp_sparse *c = cp_sparse_load(in_folder("k.npz"));
    same(a, c);
    cp_sparse_free(a), cp_sparse_free(b), cp_sparse_free(c);
}

static int format_now;
static bool body(void)
{
    cp_sparse *a = numbers(FORMATS[format_now], CP_COMPLEX64), *b = NULL;
    bool done = a && cp_sparse_save(in_folder("f.npz"), a, .compressed = true) == CP_OK;
    if (done) done = (b = cp_sparse_load(in_folder("f.npz"))) != NULL;
    cp_sparse_free(a), cp_sparse_free(b);
    return done;
}

static void memory_fails(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (format_now = 0; format_now < 5; format_now++) every_allocation_fails(body);
}

int main(void)
{
    if (!mkdtemp(folder)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_back), cmocka_unit_test(nothing_in_it), cmocka_unit_test(to_another_device),
        cmocka_unit_test(scopes),
        cmocka_unit_test(mistakes), cmocka_unit_test(damaged), cmocka_unit_test(keeps_the_old_file),
        cmocka_unit_test(memory_fails)};
    int failures = check_run(tests);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) ? 1 : failures;
}
