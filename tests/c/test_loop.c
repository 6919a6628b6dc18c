/* The N-d loop (loop/loop.h) against element tuples that are listed one by one, and boundary modes (loop/boundary.h)
 * against SciPy's manual. */
#include "check.h"

#include "loop/boundary.h"
#include "loop/loop.c" /* it is hidden in the library */

enum { OPERANDS = 3, MOST = 4096 };

static uint64_t state = 88172645463325252u;
static int64_t below(int64_t n)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (int64_t)(state % (uint64_t)n);
}

/* The offsets of all operands at one element. */
typedef struct tuple { int64_t offset[OPERANDS]; } tuple;

static int compare(const void *a, const void *b) { return memcmp(a, b, sizeof(tuple)); }

/* All tuples in C order, found by counting up coordinates; returns their number. */
static int64_t list(int ndim, const int64_t *shape, int64_t strides[OPERANDS][CP_MAXDIM], const int64_t *first,
                    tuple *t)
{
    int64_t at[CP_MAXDIM] = {0}, n = 1;
    for (int d = 0; d < ndim; d++) n *= shape[d];
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < OPERANDS; k++) {
            t[i].offset[k] = first[k];
            for (int d = 0; d < ndim; d++) t[i].offset[k] += at[d] * strides[k][d];
        }
        for (int d = ndim; d-- > 0;) {
            at[d] = (at[d] + 1) % shape[d];
            if (at[d]) break;
        }
    }
    return n;
}

/* A shape of at most MOST elements, many of its lengths 1, and strides of all kinds: of an array in C order, in some
 * other order, backwards, broadcast, or any. */
static int draw(int most, int64_t *shape, int64_t strides[OPERANDS][CP_MAXDIM])
{
    const int ndim = (int)below(most + 1);
    int64_t n = 1;
    for (int d = 0; d < ndim; d++) {
        shape[d] = below(3) && n < MOST / 8 ? 1 + below(5) : 1;
        if (!below(200)) shape[d] = 0;
        n *= shape[d];
    }
    for (int k = 0; k < OPERANDS; k++) {
        int64_t step = 4;
        const int64_t kind = below(4);
        for (int i = 0; i < ndim; i++) {
            const int d = kind == 1 ? i : ndim - 1 - i;
            strides[k][d] = kind == 2 ? (below(41) - 20) * 4 : step;
            if (kind == 3 && !below(3)) strides[k][d] = 0;
            if (kind != 2 && !below(5)) strides[k][d] *= -1;
            step *= shape[d] ? shape[d] : 1;
        }
    }
    return ndim;
}

/* The axes of a draw, as coalesced by `how`, give the same tuples, in the same order where it must be kept. */
static void check_coalesced(int ndim, const int64_t *shape, int64_t strides[OPERANDS][CP_MAXDIM], unsigned how)
{
    static tuple before[MOST], after[MOST];
    int64_t lengths[CP_MAXDIM], steps[OPERANDS][CP_MAXDIM], zero[OPERANDS] = {0}, moved[OPERANDS] = {0};
    if (ndim) memcpy(lengths, shape, (size_t)ndim * sizeof *shape);
    memcpy(steps, strides, sizeof steps);
    cpi_loop_axes a = {ndim, OPERANDS, lengths, (int64_t *const[]){steps[0], steps[1], steps[2]}, moved};
    const int n = cpi_axes_coalesce(&a, how);
    assert_int_equal(n, a.ndim);
    const int64_t many = list(ndim, shape, strides, zero, before);
    assert_int_equal(many, list(n, lengths, steps, moved, after));
    if (how) {
        qsort(before, (size_t)many, sizeof *before, compare);
        qsort(after, (size_t)many, sizeof *after, compare);
    }
    assert_memory_equal(before, after, (size_t)many * sizeof *before);
    for (int d = 0; d < n; d++) assert_true(lengths[d] != 1);
    for (int d = 1; d < n; d++) { /* nothing is left to merge */
        bool joins = true;
        for (int k = 0; k < OPERANDS; k++) joins &= steps[k][d - 1] == steps[k][d] * lengths[d];
        assert_false(joins);
    }
    for (int d = 0; d < n && how & CPI_LOOP_REVERSE; d++) {
        int k = 0;
        while (!(how & CPI_LOOP_BY_OPERAND_0) && k < OPERANDS - 1 && !steps[k][d]) k++;
        if (lengths[d]) assert_true(steps[k][d] >= 0);
    }
    for (int d = 1; d < n && (how & CPI_LOOP_ORDER) && (how & CPI_LOOP_BY_OPERAND_0); d++) {
        const int64_t out = llabs(steps[0][d - 1]), in = llabs(steps[0][d]);
        assert_true(!out || (in && out >= in));
    }
}

static void test_coalesce(void **unused)
{
    static const unsigned hows[] = {0, CPI_LOOP_REVERSE, CPI_LOOP_ORDER, CPI_LOOP_REVERSE | CPI_LOOP_ORDER,
                                    CPI_LOOP_REVERSE | CPI_LOOP_ORDER | CPI_LOOP_BY_OPERAND_0};
    (void)unused;
    for (int i = 0; i < 20000; i++) {
        int64_t shape[CP_MAXDIM], strides[OPERANDS][CP_MAXDIM] = {0};
        const int ndim = draw(i % 100 ? 6 : CP_MAXDIM, shape, strides);
        for (size_t h = 0; h < sizeof hows / sizeof *hows; h++) check_coalesced(ndim, shape, strides, hows[h]);
    }
}

/* The common fast path: arrays with the same layout coalesce to one axis, whatever their order. */
static void test_one_axis(void **unused)
{
    cpi_loop loop;
    (void)unused;
    for (int backwards = 0; backwards < 8; backwards++) {
        char memory[1];
        int64_t shape[4] = {3, 1, 4, 5}, strides[4] = {8, 8, 24, 96}; /* Fortran's order */
        for (int d = 0, bit = 0; d < 4; d++)
            if (d != 1 && backwards >> bit++ & 1) strides[d] *= -1;
        cp_array x = {.ndim = 4, .shape = shape, .strides = strides, .type = CP_FLOAT64, .data = memory};
        cp_array number = {.ndim = 0, .type = CP_FLOAT64, .data = memory, .flags = CPI_HOST_SCALAR};
        cpi_loop_init(&loop, 4, shape, 3, (const cp_array *const[]){&x, &x, &number});
        assert_int_equal(loop.size, 60);
        assert_true(loop.op[2].host && !loop.op[0].host);
        cpi_loop_coalesce(&loop);
        assert_int_equal(loop.ndim, 1);
        assert_int_equal(loop.size, 60);
        assert_int_equal(loop.op[0].strides[0], 8);
        assert_int_equal(loop.op[2].strides[0], 0);
        int64_t low = 0;
        for (int d = 0; d < 4; d++) low += strides[d] < 0 ? strides[d] * (shape[d] - 1) : 0;
        assert_int_equal(loop.op[0].data - memory, low);
        assert_ptr_equal(loop.op[2].data, memory);
    }
    cp_array scalar = {.ndim = 0};
    cpi_loop_init(&loop, 0, NULL, 1, (const cp_array *const[]){&scalar});
    cpi_loop_coalesce(&loop);
    assert_int_equal(loop.ndim, 0);
    assert_int_equal(loop.size, 1);
}

/* Leading axes that an operand lacks, and those of length 1, get stride 0. */
static void test_broadcast(void **unused)
{
    int64_t shape[3] = {2, 3, 4}, row[2] = {3, 1}, steps[2] = {8, 800};
    cp_array x = {.ndim = 2, .shape = row, .strides = steps, .type = CP_FLOAT64};
    cpi_loop loop;
    (void)unused;
    cpi_loop_init(&loop, 3, shape, 1, (const cp_array *const[]){&x});
    assert_int_equal(loop.size, 24);
    assert_int_equal(loop.op[0].strides[0], 0);
    assert_int_equal(loop.op[0].strides[1], 8);
    assert_int_equal(loop.op[0].strides[2], 0);
}

/* Every way to advance arrives at the same coordinates as counting. */
static void check_iteration(int ndim, const int64_t *shape, int64_t strides[OPERANDS][CP_MAXDIM])
{
    static tuple all[MOST];
    const int64_t *const lists[OPERANDS] = {strides[0], strides[1], strides[2]};
    int64_t zero[OPERANDS] = {0}, offset[OPERANDS], at[CP_MAXDIM] = {0}, by[CP_MAXDIM], next[OPERANDS] = {0};
    const int64_t n = list(ndim, shape, strides, zero, all), row = ndim ? shape[ndim - 1] : 1;
    for (int64_t i = 0; i < n; i++) {
        cpi_unravel(ndim, shape, i, by);
        if (ndim) assert_memory_equal(at, by, (size_t)ndim * sizeof *at);
        for (int k = 0; k < OPERANDS; k++) assert_int_equal(cpi_offset(ndim, by, strides[k]), all[i].offset[k]);
        cpi_offsets(ndim, shape, i, OPERANDS, lists, offset);
        assert_memory_equal(offset, all[i].offset, sizeof offset);
        assert_memory_equal(next, all[i].offset, sizeof next);
        int64_t steps = 1 + below(ndim ? row - by[ndim - 1] : 1); /* to the end of the row at most */
        if (!ndim) steps = 0;
        int64_t from[CP_MAXDIM], plain[CP_MAXDIM];
        if (ndim > 0) memcpy(from, by, (size_t)ndim * sizeof *by), memcpy(plain, by, (size_t)ndim * sizeof *by);
        cpi_advance(ndim, shape, steps, plain);
        cpi_advance_offsets(ndim, shape, steps, from, OPERANDS, lists, offset);
        if (i + steps < n) assert_memory_equal(offset, all[i + steps].offset, sizeof offset);
        if (ndim) assert_memory_equal(from, plain, (size_t)ndim * sizeof *from);
        if (ndim && i + steps == n) assert_int_equal(from[0], shape[0]);
        if (ndim && cpi_next_row(ndim, shape, plain) && i + steps < n && plain[ndim - 1] == 0)
            assert_int_equal(cpi_offset(ndim, plain, strides[0]),
                             all[((i + steps) / row + 1) * row % n].offset[0]);
        if (ndim > 0) memcpy(from, at, (size_t)ndim * sizeof *at);
        assert_int_equal(cpi_next(ndim, shape, from), i + 1 < n);
        assert_int_equal(cpi_next_offsets(ndim, shape, at, OPERANDS, lists, next), i + 1 < n);
        if (ndim) assert_memory_equal(from, at, (size_t)ndim * sizeof *at);
    }
    if (n) assert_memory_equal(next, zero, sizeof next); /* after the last: at the first again */
}

static void test_iterate(void **unused)
{
    (void)unused;
    for (int i = 0; i < 2000; i++) {
        int64_t shape[CP_MAXDIM], strides[OPERANDS][CP_MAXDIM] = {0};
        const int ndim = draw(i % 50 ? 5 : CP_MAXDIM, shape, strides);
        check_iteration(ndim, shape, strides);
    }
}

static void test_split(void **unused)
{
    (void)unused;
    for (int64_t n = 0; n < 50; n++)
        for (int64_t each = 1; each < 12; each++)
            for (int64_t most = 1; most < 30; most++) {
                int64_t per_task = 0, tasks = cpi_split(n, each, most, &per_task);
                assert_true(per_task >= 1 && (per_task * each <= most || per_task == 1));
                assert_true((per_task + 1) * each > most); /* no smaller than necessary */
                assert_true(tasks * per_task >= n && (tasks - 1) * per_task < n);
                assert_int_equal(tasks == 0, n == 0);
            }
}

/* scipy.ndimage's manual shows each mode as an extension of a b c d. */
static void test_boundary(void **unused)
{
    static const struct { cpi_boundary mode; const char *line; } modes[] = {
        {CPI_BOUNDARY_REFLECT, "abcddcba|abcd|dcbaabcd"},     {CPI_BOUNDARY_GRID_MIRROR, "abcddcba|abcd|dcbaabcd"},
        {CPI_BOUNDARY_MIRROR, "cbabcdcb|abcd|cbabcdcb"},      {CPI_BOUNDARY_NEAREST, "aaaaaaaa|abcd|dddddddd"},
        {CPI_BOUNDARY_CONSTANT, "kkkkkkkk|abcd|kkkkkkkk"},    {CPI_BOUNDARY_GRID_CONSTANT, "kkkkkkkk|abcd|kkkkkkkk"},
        {CPI_BOUNDARY_GRID_WRAP, "abcdabcd|abcd|abcdabcd"},
        {CPI_BOUNDARY_WRAP, "bcdbcdbc|abcd|bcabcabc"}, /* map_coordinates with order=0; not in the manual */
    };
    (void)unused;
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        const char *p = modes[m].line;
        for (int64_t i = -8; i < 12; p++) {
            if (*p == '|') continue;
            const int64_t at = cpi_boundary_index(i++, 4, modes[m].mode);
            assert_int_equal(at < 0 ? 'k' : 'a' + at, *p);
        }
    }
    for (int mode = CPI_BOUNDARY_CONSTANT; mode <= CPI_BOUNDARY_GRID_CONSTANT; mode++) {
        const bool constant = mode == CPI_BOUNDARY_CONSTANT || mode == CPI_BOUNDARY_GRID_CONSTANT;
        for (int64_t i = -5; i < 6; i++) /* one element stands for all */
            assert_int_equal(cpi_boundary_index(i, 1, (cpi_boundary)mode), constant && i ? -1 : 0);
        for (int64_t n = 2; n < 9; n++)
            for (int64_t far = -3; far < 4; far++) { /* far outside */
                const int64_t i = far * (INT64_C(1) << 40) + 7, at = cpi_boundary_index(i, n, (cpi_boundary)mode);
                assert_true(at < n && (at >= 0 || constant));
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coalesce), cmocka_unit_test(test_one_axis), cmocka_unit_test(test_broadcast),
        cmocka_unit_test(test_iterate),  cmocka_unit_test(test_split),    cmocka_unit_test(test_boundary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
