/* Every macro of the public headers, used and run: one text for C17 and C++20. tests/python/test_headers.py compiles it
 * with each compiler, and fails when a macro of a header has no use here. */
#include <cuprite.h>
#include <cuprite/testing.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong;

#define CHECK(expression) \
    do { \
        if (!(expression)) wrong++, fprintf(stderr, "%d: %s (%s)\n", __LINE__, #expression, cp_error_message()); \
    } while (0)

/* The macros that functions with options are made of, on a function of this file. */
typedef struct pick_options {
    CP_OPTION(cp_axes, axis);
    CP_OPTION(double, by);
    int _;
} pick_options;

static double pick(double a, const pick_options *o) { return a + (o ? o->axis.n + o->by : 0); }
static double pick2(double a, double b, const pick_options *o) { return pick(a + b, o); }
static double pick3(double a, double b, double c, const pick_options *o) { return pick(a + b + c, o); }
static double pick4(double a, double b, double c, double d, const pick_options *o) { return pick(a + b + c + d, o); }
static double pick5(double a, double b, double c, double d, double e, const pick_options *o)
{
    return pick(a + b + c + d + e, o);
}
#define pick(...) CP_CALL(pick, pick_options, __VA_ARGS__, ._ = 0)
#define pick2(...) CP_CALL2(pick2, pick_options, __VA_ARGS__, ._ = 0)
#define pick3(...) CP_CALL3(pick3, pick_options, __VA_ARGS__, ._ = 0)
#define pick4(...) CP_CALL4(pick4, pick_options, __VA_ARGS__, ._ = 0)
#define pick5(...) CP_CALL5(pick5, pick_options, __VA_ARGS__, ._ = 0)

static void kernels(void)
{
    int n = 0;
#define X(NAME) n += CP_KERNEL_##NAME < CP_KERNEL_NATTRIBUTES;
    CP_KERNEL_ATTRIBUTES(X)
#undef X
    CHECK(n == CP_KERNEL_NATTRIBUTES);
}

static void calls(void)
{
    CHECK(pick(1) == 1);
    CHECK(pick(1, .axis = CP_AXES(0, 1), .by = 4) == 7);
    CHECK(pick(pick(1, .by = 2), .by = pick(1)) == 4);
    CHECK(pick2(1, 2) == 3);
    CHECK(pick2(1, 2, .by = 3) == 6);
    CHECK(pick3(1, 2, 3) == 6);
    CHECK(pick3(1, 2, 3, .axis = CP_AXES(0)) == 7);
    CP_NAMED(.by = 2);
    CHECK(pick4(1, 2, 3, 4) == 10 && pick4(1, 2, 3, 4, .by = 1) == 11);
    CHECK(pick5(1, 2, 3, 4, 5) == 15 && pick5(1, 2, 3, 4, 5, .by = 1) == 16);
    CHECK((pick)(1, NULL) == 1);
    CHECK(CP_FACTOR(1, 2, 3, 4, 5, 6) == (1 | 2 << 1 | 3 << 4 | 4 << 8 | 5 << 12 | 6 << 16));
    CHECK(CP_COUNT(int, 4, 5, 6) == 3 && CP_LIST(int, 4, 5, 6)[2] == 6);
    CHECK(CP_VALUE(cp_complex64, 1, 2).im == 2);
}

static int64_t extent(cp_shape s, int i) { return i < s.n ? s.dim[i] : -1; }
static int axis_at(cp_axes a, int i) { return i < a.n ? a.at[i] : -100; }

static void values(void)
{
    int n = 3;
    CHECK(extent(CP_SHAPE(2, n, sizeof(int)), 1) == 3 && extent(CP_SHAPE(2, n, sizeof(int)), 2) == sizeof(int));
    CHECK(extent(CP_SHAPE(n), 1) == -1);
    CHECK(extent(CP_SHAPE0, 0) == -1);
    CHECK(axis_at(CP_AXES(n, -1), 1) == -1 && axis_at(CP_AXES(n), 0) == 3);
    CHECK(CP_ALL.at == NULL && CP_ALL.n == 0);
    CHECK(CP_NONE.at != NULL && CP_NONE.n == 0);
    CHECK(CP_VERSION_MAJOR >= 0 && CP_VERSION_MINOR >= 0 && CP_VERSION_PATCH >= 0);
}

static double at(cp_array *x, int64_t i) { return cp_item_float(cp_slice(x, CP_ITEMS(CP_AT(i)))); }

static void items(void)
{
    for (CP_SCOPE) {
        cp_array *x = cp_reshape(cp_arange(0, 12, 1, CP_FLOAT64), CP_SHAPE(3, 4));
        size_t two = 2;
        cp_array *row = cp_slice(x, CP_ITEMS(CP_AT(two)));
        CHECK(cp_ndim(row) == 1 && at(row, 0) == 8 && at(row, -1) == 11);
        cp_array *part = cp_slice(x, CP_ITEMS(CP_FULL, CP_NEW, CP_STEP(3, 0, -2)));
        CHECK(cp_ndim(part) == 3 && cp_dim(part, 0) == 3 && cp_dim(part, 1) == 1 && cp_dim(part, 2) == 2);
        cp_array *column = cp_slice(x, CP_ITEMS(CP_ELLIPSIS, CP_RANGE(1, 2)));
        cp_array *picked = cp_index_get(x, CP_ITEMS(CP_BY(cp_arange_int(1, 3, 1, CP_INT64)), CP_FULL));
        CHECK(cp_dim(picked, 0) == 2 && cp_item_float(cp_sum(picked)) == 60);
        CHECK(cp_dim(column, 0) == 3 && cp_dim(column, 1) == 1);
        CHECK(cp_item_float(cp_sum(column)) == 15);
        cp_index kept[] = {CP_RANGE(0, 1), CP_FULL};
        CHECK(cp_size(cp_slice(x, 2, kept)) == 4);
        cp_array *sorted = cp_sort(cp_negative(x), CP_FLAT);
        CHECK(cp_ndim(sorted) == 1 && at(sorted, 0) == -11);
    }
}

static cp_array *kept_out_of_a_scope(bool early)
{
    for (CP_SCOPE) {
        cp_array *x = cp_ones(CP_SHAPE(2, 2), CP_INT16);
        for (CP_SCOPE) {
            cp_copy(x);
            if (early) return cp_keep(cp_copy(x));
        }
        return cp_keep(x);
    }
    return NULL;
}

static void scopes(void)
{
    cp_free(cp_copy(NULL)), cp_error_clear();
    int64_t live = cp_test_live();
    for (int early = 0; early < 2; early++) {
        cp_array *x = kept_out_of_a_scope(early != 0);
        CHECK(cp_size(x) == 4);
        cp_free(x);
    }
    for (CP_SCOPE) {
        if (cp_zeros(CP_SHAPE(3), CP_BOOL)) break;
    }
    CHECK(cp_test_live() == live);
}

/* The lists that other lists are made from. */
static const char *const type_names[] = {
#define NAME_OF(NAME, text, ctype, kind, bytes) text,
    CP_TYPES(NAME_OF)
};
static const char *const exceptions[] = {
#define EXCEPTION_OF(NAME, text, exception) exception,
    CP_ERRORS(EXCEPTION_OF)
};
static const char *const categories[] = {
#define CATEGORY_OF(NAME, text, category) category,
    CP_WARNINGS(CATEGORY_OF)
};

static void lists(void)
{
    CHECK(sizeof type_names / sizeof *type_names == CP_NTYPES);
    for (int t = 0; t < CP_NTYPES; t++) CHECK(strcmp(type_names[t], cp_type_name((cp_type)t)) == 0);
    CHECK(sizeof exceptions / sizeof *exceptions == CP_NERRORS);
    for (int e = 0; e < CP_NERRORS; e++) CHECK(strcmp(exceptions[e], cp_code_exception((cp_code)e)) == 0);
    CHECK(sizeof categories / sizeof *categories == CP_NWARNINGS);
    for (int w = 0; w < CP_NWARNINGS; w++) CHECK(strcmp(categories[w], cp_warning_category((cp_warning)w)) == 0);
}

static void devices(void)
{
    int64_t ones[CP_MAXDIM];
    for (int i = 0; i < CP_MAXDIM; i++) ones[i] = 1;
    CHECK(cp_device_use(CP_CPU) == CP_OK);
    CHECK(CP_CURRENT != CP_CPU && CP_NO_DEVICE != CP_CPU && CP_NO_DEVICE != CP_CURRENT && CP_NO_DEVICE < 0);
    cp_shape most = {CP_MAXDIM, ones};
    cp_array *x = cp_zeros(most, CP_UINT8);
    CHECK(cp_ndim(x) == CP_MAXDIM && cp_device_of(x) == CP_CPU);
    cp_free(x);
    CHECK(!cp_fits_read("no such file.fits", .ext = CP_FITS_PRIMARY) && cp_error() == CP_ERROR_NOT_FOUND);
    cp_error_clear();
}

int main(void)
{
    kernels();
    calls();
    values();
    items();
    scopes();
    lists();
    devices();
    CHECK(cp_error() == CP_OK);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
