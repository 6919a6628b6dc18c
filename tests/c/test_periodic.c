/* Loops whose inputs repeat, seen as rows (elementwise/periodic.h), against the loop's own strides. */
#include "check.h"

#include "elementwise/periodic.h"

enum { SIZE = 4 };

/* An input that has the dimensions whose bits are in `has`, contiguous, the outermost `apart` times as far apart. */
static void lay(cpi_loop *loop, int k, unsigned has, int64_t apart)
{
    int64_t stride = SIZE;
    for (int d = loop->ndim - 1; d >= 0; d--) {
        loop->op[k].strides[d] = has >> d & 1 ? stride * (d ? 1 : apart) : 0;
        if (has >> d & 1) stride *= loop->shape[d];
    }
}

static int64_t offset_of(const cpi_loop *loop, int k, int64_t i)
{
    int64_t sum = 0;
    for (int d = loop->ndim - 1; d >= 0; i /= loop->shape[d], d--) sum += i % loop->shape[d] * loop->op[k].strides[d];
    return sum;
}

/* Every element of the output finds its own in both inputs; returns whether there is a view. */
static bool view(cpi_loop *loop, int vector)
{
    cpi_periodic b;
    if (!cpi_periodic_of(loop, SIZE, vector, &b)) return false;
    assert_int_equal(b.n, loop->size);
    assert_int_equal(b.inner % vector, 0);
    assert_in_range(b.rows * b.inner, b.n, b.n + b.inner - 1);
    for (int k = 0; k < CPI_PERIODIC_INPUTS; k++) {
        const cpi_periodic_input *x = &b.x[k];
        assert_int_equal(b.inner % x->period, 0);
        for (int64_t i = 0; i < b.n; i++) {
            int64_t r = i / b.inner, c = i % b.inner;
            assert_int_equal(r * x->row + c % x->period * SIZE, offset_of(loop, k + 1, i));
        }
        bool full = true;
        for (int64_t i = 1; i < b.n; i++) full &= offset_of(loop, k + 1, i) == offset_of(loop, k + 1, i - 1) + SIZE;
        assert_int_equal(x->full, full);
    }
    return true;
}

static cpi_loop loop_of(int ndim, const int64_t *shape)
{
    cpi_loop loop = {.nop = 3, .ndim = ndim, .size = 1};
    for (int d = 0; d < ndim; d++) loop.size *= loop.shape[d] = shape[d];
    lay(&loop, 0, 7, 1);
    return loop;
}

static void test_all_small_shapes(void **state)
{
    (void)state;
    int seen = 0;
    const int64_t extents[] = {2, 3, 4, 5, 7, 8, 12};
    const int count = sizeof extents / sizeof *extents;
    for (int ndim = 1; ndim <= 3; ndim++)
        for (int s = 0; s < count * count * count; s++)
            for (unsigned has = 0; has < 64; has++)
                for (int apart = 1; apart <= 2; apart++) {
                    int64_t shape[] = {extents[s % count], extents[s / count % count], extents[s / count / count]};
                    cpi_loop loop = loop_of(ndim, shape);
                    lay(&loop, 1, has & 7, apart);
                    lay(&loop, 2, has >> 3, 1);
                    for (int vector = 2; vector <= 4; vector *= 2) seen += view(&loop, vector);
                }
    assert_true(seen > 1000);
}

/* The loops that the kernel is for have a view, of whole rows and of rows that are cut. */
static void test_those_it_is_for(void **state)
{
    (void)state;
    cpi_loop loop = loop_of(2, (int64_t[]){300, 400}); /* row + column */
    lay(&loop, 1, 2, 1);
    lay(&loop, 2, 1, 1);
    assert_true(view(&loop, 4));
    loop = loop_of(3, (int64_t[]){50, 60, 3}); /* (n, 1, 3) and (1, m, 3) */
    lay(&loop, 1, 5, 1);
    lay(&loop, 2, 6, 1);
    assert_true(view(&loop, 4));
    for (int64_t width = 3; width < 30; width += 2) { /* (n, 3) and (3,) */
        loop = loop_of(2, (int64_t[]){7001, width});
        lay(&loop, 1, 3, 1);
        lay(&loop, 2, 2, 1);
        assert_true(view(&loop, 4));
        assert_true(view(&loop, 2));
    }
    loop = loop_of(2, (int64_t[]){3, 5001}); /* rows longer than a cut */
    lay(&loop, 1, 3, 1);
    lay(&loop, 2, 2, 1);
    assert_true(view(&loop, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_small_shapes), cmocka_unit_test(test_those_it_is_for)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
