/* DLPack in C: export and import of arrays, lifetime of memory, and every allocation failing. */
#include "check.h"

#include "dlpack/dlpack.h"

static int ended;
static void count(struct DLManagedTensorVersioned *m) { (void)m, ended++; }
static void count_old(struct DLManagedTensor *m) { (void)m, ended++; }

static void there_and_back(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *x = cp_arange_int(0, 6, 1, CP_INT32), *y = cp_reshape(x, CP_SHAPE(2, 3));
        cp_array *t = cp_transpose(y, CP_ALL);
        struct DLManagedTensorVersioned *m = cp_to_dlpack(t);
        ok(m);
        int type, number;
        assert_int_equal(cp_dlpack_device(t, &type, &number), CP_OK);
        assert_int_equal(m->tensor.device.type, type);
        assert_int_equal(m->tensor.device.number, number);
        assert_int_equal(m->major, 1);
        assert_int_equal(m->flags, 0);
        assert_int_equal(m->tensor.ndim, 2);
        assert_int_equal(m->tensor.shape[0], 3);
        assert_int_equal(m->tensor.strides[0], 1);
        assert_int_equal(m->tensor.strides[1], 3);
        assert_ptr_equal(m->tensor.data, cp_data(x));
        assert_int_equal(m->tensor.type.bits, 32);
        cp_free(x), cp_free(y), cp_free(t);
        cp_array *back = cp_from_dlpack(m);
        check_values(back, 6, (double[]){0, 3, 1, 4, 2, 5});
        struct DLManagedTensor *old = cp_to_dlpack_old(back);
        ok(old);
        ok(cp_dlpack_hand_over(back, cp_stream_null(cp_device_of(back))) == CP_OK);
        cp_free(back);
        cp_array *again = cp_from_dlpack_old(old);
        check_values(again, 6, (double[]){0, 3, 1, 4, 2, 5});
        ok(cp_set_writable(again, false) == CP_OK);
        assert_null(cp_to_dlpack_old(again));
        failed(CP_ERROR_BUFFER);
        struct DLManagedTensorVersioned *copied = cp_to_dlpack_copied(again);
        assert_int_equal(copied->flags, CPI_DL_READ_ONLY | CPI_DL_COPIED);
        copied->deleter(copied);
        cp_free(again);
    }
    cp_array *number = cp_float(2.5); /* its value is stored in its record, which may be freed */
    struct DLManagedTensorVersioned *m = cp_to_dlpack(number);
    cp_free(number);
    ok(m);
    assert_true(*(double *)m->tensor.data == 2.5);
    m->deleter(m);
    int unused;
    assert_null(cp_to_dlpack(NULL));
    assert_null(cp_from_dlpack(NULL));
    assert_null(cp_from_dlpack_old(NULL));
    cp_error_clear();
    assert_int_equal(cp_dlpack_device(NULL, &unused, &unused), CP_ERROR_VALUE);
    failed(CP_ERROR_VALUE);
    assert_int_equal(cp_dlpack_device_of(77, 0), CP_NO_DEVICE);
    failed(CP_ERROR_BUFFER);
    assert_int_equal(cp_dlpack_device_of(1, 0), CP_CPU);
}

static double memory[6] = {0, 1, 2, 3, 4, 5};
static int64_t shape[2] = {2, 3};

static struct DLManagedTensorVersioned foreign(void)
{
    struct DLManagedTensorVersioned m = {.major = 1, .deleter = count};
    m.tensor = (cpi_dl_tensor){.data = memory, .device = {CPI_DL_CPU, 0}, .ndim = 2, .shape = shape};
    m.tensor.type.code = CPI_DL_FLOAT, m.tensor.type.bits = 64, m.tensor.type.lanes = 1;
    return m;
}

static void foreign_memory(void **state)
{
    (void)state;
    struct DLManagedTensorVersioned m = foreign();
    ended = 0;
    cp_array *x = cp_from_dlpack(&m), *view = cp_slice(x, 1, &CP_AT(1));
    ok(view);
    cp_free(x);
    assert_int_equal(ended, 0);
    check_values(view, 3, (double[]){3, 4, 5});
    cp_free(view);
    assert_int_equal(ended, 1);
    struct DLManagedTensor old = {foreign().tensor, NULL, count_old};
    cp_free(cp_from_dlpack_old(&old));
    assert_int_equal(ended, 2);
    m.tensor.offset = 12, m.tensor.ndim = 1; /* misaligned: a copy, and the tensor is released at once */
    m.tensor.type.code = CPI_DL_INT;
    cp_array *copied = cp_from_dlpack(&m);
    ok(copied);
    assert_int_equal(ended, 3);
    int64_t want[2], got[2];
    memcpy(want, (char *)memory + 12, sizeof want);
    ok(cp_to_host(copied, got, sizeof got) == CP_OK);
    assert_memory_equal(want, got, sizeof want);
    cp_free(copied);
    m = foreign();
    m.tensor.type.lanes = 4;
    assert_null(cp_from_dlpack(&m));
    failed(CP_ERROR_BUFFER);
    m = foreign();
    m.tensor.ndim = -1;
    assert_null(cp_from_dlpack(&m));
    failed(CP_ERROR_VALUE);
    assert_int_equal(ended, 3);
}

static bool body(void)
{
    struct DLManagedTensorVersioned m = foreign(), askew = foreign(), *out;
    cp_array *x = cp_from_dlpack(&m);
    askew.tensor.offset = 4, askew.tensor.ndim = 1;
    cp_array *y = x ? cp_from_dlpack(&askew) : NULL;
    out = y ? cp_to_dlpack(x) : NULL;
    cp_array *z = out ? cp_from_dlpack(out) : NULL;
    if (out && !z) out->deleter(out);
    struct DLManagedTensor *old = z ? cp_to_dlpack_old(z) : NULL;
    if (old) old->deleter(old);
    const bool done = old != NULL;
    cp_free(x), cp_free(y), cp_free(z);
    return done;
}

static void allocations(void **state)
{
    (void)state;
    cp_device_use(CP_CPU);
    every_allocation_fails(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(there_and_back), cmocka_unit_test(foreign_memory),
                                       cmocka_unit_test(allocations)};
    return check_run(tests);
}
