/* NumPy's files in C: written files read back, memory maps, archives, and every allocation failing.
 * (tests/python/test_io_npy.py compares with NumPy's own reading and writing.) */
#include <unistd.h>

#include "check.h"

static char folder[] = "/tmp/cuprite-npy-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static cp_array *numbers(void)
{
    cp_array *x = cp_arange_int(0, 6, 1, CP_INT32), *y = cp_reshape(x, CP_SHAPE(2, 3)), *t = cp_transpose(y, CP_ALL);
    cp_free(x), cp_free(y);
    return t;
}

static void one_array(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = numbers();
        ok(cp_save(in_folder("x.npy"), x) == CP_OK);
        cp_free(x);
        for (int how = CP_MAP_NONE; how <= CP_MAP_COPY; how++) {
            cp_array *y = cp_load(in_folder("x.npy"), .map = (cp_map)how);
            check_values(y, 6, (double[]){0, 3, 1, 4, 2, 5});
            assert_true(cp_is_f_contiguous(y));
            assert_int_equal(cp_device_of(y), d);
            cp_free(y);
        }
    }
    cp_device_use(CP_CPU);
    cp_array *y = cp_load(in_folder("x.npy"), .map = CP_MAP_WRITE);
    ok(cp_set_item(y, 2, (int64_t[]){0, 0}, &(int32_t){77}) == CP_OK);
    cp_free(y);
    y = cp_load(in_folder("x.npy"));
    check_values(y, 6, (double[]){77, 3, 1, 4, 2, 5});
    cp_free(y);
}

static void archives(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *a[] = {numbers(), cp_zeros(CP_SHAPE(3000000), CP_UINT8)};
        ok(cp_savez(in_folder("x.npz"), 2, ((const char *[]){"a", "zeros"}), a, .compressed = d != CP_CPU) == CP_OK);
        cp_free(a[0]), cp_free(a[1]);
        cp_array *x = cp_load(in_folder("x.npz"), .name = "a");
        check_values(x, 6, (double[]){0, 3, 1, 4, 2, 5});
        cp_free(x);
        cp_archive *archive = cp_archive_open(in_folder("x.npz"));
        ok(archive);
        assert_int_equal(cp_archive_count(archive), 2);
        assert_string_equal(cp_archive_name(archive, 1), "zeros.npy");
        cp_array *zeros = cp_archive_load(archive, 1, 0);
        ok(zeros);
        assert_int_equal(cp_size(zeros), 3000000);
        cp_free(zeros);
        assert_null(cp_archive_name(archive, 2));
        failed(CP_ERROR_INDEX);
        assert_null(cp_archive_load(archive, -1, 0));
        failed(CP_ERROR_INDEX);
        cp_archive_close(archive);
        assert_null(cp_load(in_folder("x.npz"), .name = "nothing"));
        failed(CP_ERROR_VALUE);
    }
}

static void mistakes(void **state)
{
    (void)state;
    assert_null(cp_load(in_folder("missing.npy")));
    failed(CP_ERROR_NOT_FOUND);
    assert_null(cp_load(folder));
    failed(CP_ERROR_IO);
    assert_null(cp_load(NULL));
    failed(CP_ERROR_VALUE);
    assert_null(cp_archive_open(in_folder("x.npy")));
    failed(CP_ERROR_FORMAT);
    assert_null(cp_load(in_folder("x.npz")));
    failed(CP_ERROR_FORMAT);
    assert_null(cp_load(in_folder("x.npy"), .map = (cp_map)9));
    failed(CP_ERROR_VALUE);
    FILE *f = fopen(in_folder("empty.npy"), "w");
    fclose(f);
    assert_null(cp_load(in_folder("empty.npy")));
    failed(CP_ERROR_END_OF_FILE);
    cp_array *x = numbers();
    assert_int_equal(cp_save(in_folder("missing/x.npy"), x), CP_ERROR_NOT_FOUND);
    failed(CP_ERROR_NOT_FOUND);
    assert_int_equal(cp_savez(in_folder("y.npz"), 1, (const char *[]){NULL}, &x), CP_ERROR_VALUE);
    failed(CP_ERROR_VALUE);
    assert_int_equal(cp_savez(in_folder("y.npz"), -1, NULL, NULL), CP_ERROR_VALUE);
    failed(CP_ERROR_VALUE);
    assert_int_equal(access(in_folder("y.npz"), F_OK), -1);
    cp_free(x);
    cp_archive_close(NULL);
}

static bool body(void)
{
    cp_array *x = numbers(), *y = NULL, *z = NULL;
    bool done = x && cp_save(in_folder("f.npy"), x) == CP_OK;
    if (done) done = (y = cp_load(in_folder("f.npy"), .map = CP_MAP_READ)) != NULL;
    if (done) done = cp_savez(in_folder("f.npz"), 1, (const char *[]){"x"}, &x, .compressed = true) == CP_OK;
    if (done) done = (z = cp_load(in_folder("f.npz"), .name = "x")) != NULL;
    cp_free(x), cp_free(y), cp_free(z);
    return done;
}

static void memory_fails(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) every_allocation_fails(body);
}

int main(void)
{
    if (!mkdtemp(folder)) return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_array), cmocka_unit_test(archives),
                                       cmocka_unit_test(mistakes), cmocka_unit_test(memory_fails)};
    int failures = check_run(tests);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) ? 1 : failures;
}
