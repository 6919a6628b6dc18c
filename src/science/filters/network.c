/* Sorting networks for ranks: Batcher's merges of lists, of which only the steps are kept that the wanted rank depends
 * on.
 *
 * A step orders two strips in place. After all steps the strips are in order along `order`. Knuth (5.3.4) has the merge
 * of lists of any lengths: odd and even elements are merged apart, then neighbours are ordered. */
#include <stdlib.h>

#include "core/memory.h"
#include "filters/cpu.h"

typedef struct building {
    cpi_network_step *steps;
    int64_t n, capacity;
    bool failed;
} building;

static void order_two(building *b, uint16_t low, uint16_t high)
{
    if (b->failed) return;
    if (b->n == b->capacity) {
        const int64_t more = b->capacity ? 2 * b->capacity : 256;
        cpi_network_step *steps = cpi_malloc((size_t)more * sizeof *steps);
        if (!steps) {
            b->failed = true;
            return;
        }
        for (int64_t i = 0; i < b->n; i++) steps[i] = b->steps[i];
        cpi_free_host(b->steps);
        b->steps = steps, b->capacity = more;
    }
    b->steps[b->n++] = (cpi_network_step){low, high, CPI_KEEPS_LOW | CPI_KEEPS_HIGH};
}

/* Merges the lists x and y of strips, each in order, to `to`. `space` holds 2 * (m + n) numbers. */
static void merge(building *b, const uint16_t *x, int64_t m, const uint16_t *y, int64_t n, uint16_t *to,
                  uint16_t *space)
{
    if (!m || !n) {
        for (int64_t i = 0; i < m + n; i++) to[i] = m ? x[i] : y[i];
        return;
    }
    if (m == 1 && n == 1) {
        order_two(b, x[0], y[0]);
        to[0] = x[0], to[1] = y[0];
        return;
    }
    uint16_t *odd[2] = {space, space + (m + 1) / 2}, *even[2], *merged[2], *more;
    const int64_t nodd[2] = {(m + 1) / 2, (n + 1) / 2}, neven[2] = {m / 2, n / 2};
    even[0] = odd[1] + nodd[1], even[1] = even[0] + neven[0];
    merged[0] = even[1] + neven[1], merged[1] = merged[0] + nodd[0] + nodd[1];
    more = merged[1] + neven[0] + neven[1];
    for (int64_t i = 0; i < m; i++) (i & 1 ? even : odd)[0][i / 2] = x[i];
    for (int64_t i = 0; i < n; i++) (i & 1 ? even : odd)[1][i / 2] = y[i];
    merge(b, odd[0], nodd[0], odd[1], nodd[1], merged[0], more);
    merge(b, even[0], neven[0], even[1], neven[1], merged[1], more);
    const int64_t nv = nodd[0] + nodd[1], nw = neven[0] + neven[1];
    int64_t at = 0;
    to[at++] = merged[0][0];
    for (int64_t i = 0; i < nw || i + 1 < nv; i++) {
        const bool w = i < nw, v = i + 1 < nv;
        if (w && v) order_two(b, merged[1][i], merged[0][i + 1]);
        if (w) to[at++] = merged[1][i];
        if (v) to[at++] = merged[0][i + 1];
    }
}

/* Merges lists first to end - 1, of `each` strips, to `to`. */
static void merge_all(building *b, int64_t first, int64_t end, int64_t each, uint16_t *to, uint16_t *space)
{
    if (end - first == 1) {
        for (int64_t i = 0; i < each; i++) to[i] = (uint16_t)(first * each + i);
        return;
    }
    const int64_t middle = (first + end) / 2, m = (middle - first) * each, n = (end - middle) * each;
    uint16_t *x = space, *y = space + m;
    merge_all(b, first, middle, each, x, space + m + n);
    merge_all(b, middle, end, each, y, space + m + n);
    merge(b, x, m, y, n, to, space + m + n);
}

/* Keeps what strip `wanted` depends on. */
static cp_code prune(building *b, int64_t n, int64_t wanted)
{
    bool *needed = cpi_malloc((size_t)n);
    if (!needed) return CP_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) needed[i] = i == wanted;
    int64_t left = b->n;
    for (int64_t i = b->n - 1; i >= 0; i--) {
        cpi_network_step s = b->steps[i];
        s.keeps = (needed[s.low] ? CPI_KEEPS_LOW : 0) | (needed[s.high] ? CPI_KEEPS_HIGH : 0);
        if (!s.keeps) continue;
        needed[s.low] = needed[s.high] = true;
        b->steps[--left] = s;
    }
    b->n -= left;
    for (int64_t i = 0; i < b->n; i++) b->steps[i] = b->steps[left + i];
    cpi_free_host(needed);
    return CP_OK;
}

static cp_code build(building *b, int64_t lists, int64_t each, uint16_t *order)
{
    const int64_t n = lists * each;
    uint16_t *space = cpi_malloc((size_t)(16 * n + 64) * sizeof *space);
    if (!space) return CP_ERROR_MEMORY;
    merge_all(b, 0, lists, each, order, space);
    cpi_free_host(space);
    return b->failed ? CP_ERROR_MEMORY : CP_OK;
}

cpi_network_step *cpi_network_sort(int64_t n, int64_t *nsteps, uint16_t *order)
{
    building b = {0};
    if (n == 1) order_two(&b, 0, 0), b.n = 0; /* no steps, but memory: NULL is a failure */
    if (build(&b, n, 1, order)) {
        cpi_free_host(b.steps);
        return NULL;
    }
    *nsteps = b.n;
    return b.steps;
}

cpi_network_step *cpi_network_make(int64_t lists, int64_t each, int64_t rank, int64_t *nsteps, int64_t *result)
{
    building b = {0};
    const int64_t n = lists * each;
    uint16_t *order = cpi_malloc((size_t)n * sizeof *order);
    if (!order) return NULL;
    order_two(&b, 0, 0), b.n = 0;
    cp_code code = b.failed ? CP_ERROR_MEMORY : build(&b, lists, each, order);
    *result = order[rank];
    cpi_free_host(order);
    if (!code) code = prune(&b, n, *result);
    if (code) {
        cpi_free_host(b.steps);
        return NULL;
    }
    *nsteps = b.n;
    return b.steps;
}
