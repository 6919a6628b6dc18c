/* The order of a tree's points: halves along the longest side of a node's box, level by level, on the host. */
#include "spatial/split.h"

#include "core/memory.h"
#include "cpu/threads.h"

enum { SIDES = 64 };

typedef struct keyed {
    double key;
    int64_t index;
} keyed;

typedef struct splits {
    const double *points;
    int64_t n, ndim, *order;
    keyed *keys; /* each node's own part */
    int level;
} splits;

static int64_t first_of(const splits *s, int64_t node, int level)
{
    const int64_t whole = s->n >> level, rest = s->n & (((int64_t)1 << level) - 1);
    return node * whole + (node * rest >> level);
}

/* The dimension, of the first SIDES, along which these points spread most. */
static int64_t longest(const splits *s, int64_t from, int64_t to)
{
    double low[SIDES], high[SIDES], most = -1;
    const int64_t sides = s->ndim < SIDES ? s->ndim : SIDES;
    int64_t which = 0;
    for (int64_t d = 0; d < sides; d++) low[d] = high[d] = s->points[s->order[from] * s->ndim + d];
    for (int64_t i = from + 1; i < to; i++) {
        const double *x = s->points + s->order[i] * s->ndim;
        for (int64_t d = 0; d < sides; d++) {
            low[d] = x[d] < low[d] ? x[d] : low[d];
            high[d] = x[d] > high[d] ? x[d] : high[d];
        }
    }
    for (int64_t d = 0; d < sides; d++)
        if (high[d] - low[d] > most) most = high[d] - low[d], which = d;
    return which;
}

static inline bool before(keyed a, keyed b) { return a.key < b.key || (a.key == b.key && a.index < b.index); }

/* Hoare's selection: what is smaller comes before position k. */
static void halve(keyed *x, int64_t low, int64_t high, int64_t k)
{
    while (low < high) {
        keyed a = x[low], b = x[low + (high - low) / 2], c = x[high], swap;
        if (before(b, a)) swap = a, a = b, b = swap;
        if (before(c, b)) b = before(c, a) ? a : c;
        int64_t i = low, j = high;
        while (i <= j) {
            while (before(x[i], b)) i++;
            while (before(b, x[j])) j--;
            if (i > j) break;
            swap = x[i], x[i] = x[j], x[j] = swap;
            i++, j--;
        }
        if (k <= j) high = j;
        else if (k >= i) low = i;
        else return;
    }
}

static void split_task(void *context, int64_t node, int worker)
{
    (void)worker;
    const splits *s = context;
    const int64_t from = first_of(s, node, s->level), to = first_of(s, node + 1, s->level);
    const int64_t middle = first_of(s, 2 * node + 1, s->level + 1), d = longest(s, from, to);
    for (int64_t i = from; i < to; i++)
        s->keys[i] = (keyed){s->points[s->order[i] * s->ndim + d], s->order[i]};
    halve(s->keys, from, to - 1, middle);
    for (int64_t i = from; i < to; i++) s->order[i] = s->keys[i].index;
}

cp_code cpi_tree_split(const double *points, int64_t n, int64_t ndim, int levels, int64_t *order)
{
    keyed *keys = cpi_malloc((size_t)n * sizeof *keys);
    if (!keys) return CP_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) order[i] = i;
    for (int level = 0; level < levels; level++) {
        splits s = {points, n, ndim, order, keys, level};
        cpi_parallel((int64_t)1 << level, split_task, &s);
    }
    cpi_free_host(keys);
    return CP_OK;
}
