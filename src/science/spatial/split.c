/* The order of a tree's points: halves along the longest side of a node's box, level by level, on the host. The points
 * are kept in the order of the level, so that a node reads only its own; small nodes are halved to the end at once. */
#include "spatial/split.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "cpu/threads.h"

enum { SIDES = 64, SMALL = 1 << 12, CELLS = 128 };

typedef struct keyed {
    double key;
    int64_t index; /* where the point lies */
} keyed;

/* Points and their indices, in the order of a level. */
typedef struct placed {
    double *points;
    int64_t *order;
} placed;

typedef struct splits {
    int64_t n, ndim;
    placed from, to;
    keyed *keys; /* each node's own part */
    int level, levels;
} splits;

static int64_t first_of(const splits *s, int64_t node, int level)
{
    const int64_t whole = s->n >> level, rest = s->n & (((int64_t)1 << level) - 1);
    return node * whole + (node * rest >> level);
}

/* The dimension, of the first SIDES, along which these points spread most, and their coordinates' range there. */
static int64_t longest(const splits *s, int64_t from, int64_t to, double *begin, double *end)
{
    double low[SIDES], high[SIDES], most = -1;
    const int64_t sides = s->ndim < SIDES ? s->ndim : SIDES;
    const double *x = s->from.points + from * s->ndim;
    int64_t which = 0;
    for (int64_t d = 0; d < sides; d++) low[d] = high[d] = x[d];
    for (int64_t i = from + 1; i < to; i++) {
        x += s->ndim;
        for (int64_t d = 0; d < sides; d++) {
            low[d] = x[d] < low[d] ? x[d] : low[d];
            high[d] = x[d] > high[d] ? x[d] : high[d];
        }
    }
    for (int64_t d = 0; d < sides; d++)
        if (high[d] - low[d] > most) most = high[d] - low[d], which = d;
    *begin = low[which], *end = high[which];
    return which;
}

static inline bool before(keyed a, keyed b)
{
    return (a.key < b.key) | ((a.key == b.key) & (a.index < b.index));
}

/* What is smaller than the one at k comes before it; where that one is then. No branch depends on the keys. */
static int64_t part(keyed *x, int64_t low, int64_t high, int64_t k)
{
    const keyed pivot = x[k];
    int64_t to = low;
    x[k] = x[high];
    for (int64_t i = low; i < high; i++) {
        const keyed v = x[i];
        x[i] = x[to];
        x[to] = v;
        to += before(v, pivot);
    }
    x[high] = x[to];
    x[to] = pivot;
    return to;
}

/* What is smaller comes before position k: Floyd and Rivest's selection (CACM 18, 1975, algorithm 489), which takes its
 * pivot from a sample. */
static void halve(keyed *x, int64_t low, int64_t high, int64_t k)
{
    while (low < high) {
        if (high - low > 600) {
            const double n = (double)(high - low + 1), i = (double)(k - low + 1), z = log(n), s = 0.5 * exp(2 * z / 3);
            const double wide = 0.5 * sqrt(z * s * (n - s) / n) * (i < n / 2 ? -1 : 1);
            const int64_t a = k - (int64_t)(i * s / n - wide), b = k + (int64_t)((n - i) * s / n + wide);
            halve(x, a > low ? a : low, b < high ? b : high, k);
        }
        const int64_t at = part(x, low, high, k);
        if (at == k) return;
        if (k < at) high = at - 1;
        else low = at + 1;
    }
}

static inline void place(const splits *s, int64_t from, int64_t to)
{
    s->to.order[to] = s->from.order[from];
    for (int64_t k = 0; k < s->ndim; k++) s->to.points[to * s->ndim + k] = s->from.points[from * s->ndim + k];
}

/* Counts the keys in cells, which leaves the choice to the points of one cell. */
static void split_cells(const splits *s, int64_t from, int64_t to, int64_t middle, int64_t d, double low, double scale)
{
    int32_t counts[CELLS] = {0};
    const double *x = s->from.points + d;
    for (int64_t i = from; i < to; i++) {
        const int cell = (int)((x[i * s->ndim] - low) * scale);
        counts[cell < CELLS ? cell : CELLS - 1]++;
    }
    int64_t below = 0, chosen = 0, ends[2];
    int cut = 0;
    while (below + counts[cut] <= middle - from) below += counts[cut++];
    const int64_t left = middle - from - below; /* of the cell's */
    ends[1] = from, ends[0] = middle + (counts[cut] - left);
    for (int64_t i = from; i < to; i++) {
        const double key = x[i * s->ndim];
        int cell = (int)((key - low) * scale);
        cell = cell < CELLS ? cell : CELLS - 1;
        if (cell == cut) s->keys[from + chosen++] = (keyed){key, i};
        else place(s, i, ends[cell < cut]++);
    }
    if (left) halve(s->keys + from, 0, chosen - 1, left);
    for (int64_t i = 0; i < chosen; i++) place(s, s->keys[from + i].index, from + below + i);
}

static void split_node(const splits *s, int64_t node, int level)
{
    const int64_t from = first_of(s, node, level), to = first_of(s, node + 1, level);
    const int64_t middle = first_of(s, 2 * node + 1, level + 1);
    double low, high;
    const int64_t d = longest(s, from, to, &low, &high);
    if (to - from > 2 * CELLS && to - from < INT32_MAX && high - low > 1e-290 && high - low < 1e300) {
        split_cells(s, from, to, middle, d, low, CELLS / (high - low));
        return;
    }
    for (int64_t i = from; i < to; i++) s->keys[i] = (keyed){s->from.points[i * s->ndim + d], i};
    halve(s->keys, from, to - 1, middle);
    for (int64_t i = from; i < to; i++) place(s, s->keys[i].index, i);
}

static splits exchanged(splits s)
{
    const placed from = s.from;
    s.from = s.to, s.to = from;
    s.level++;
    return s;
}

static void split_task(void *context, int64_t node, int worker)
{
    (void)worker;
    const splits *s = context;
    split_node(s, node, s->level);
}

static void finish_task(void *context, int64_t top, int worker)
{
    (void)worker;
    const int first = ((splits *)context)->level;
    for (splits s = *(splits *)context; s.level < s.levels; s = exchanged(s)) {
        const int64_t nodes = (int64_t)1 << (s.level - first);
        for (int64_t node = top * nodes; node < (top + 1) * nodes; node++) split_node(&s, node, s.level);
    }
}

cp_code cpi_tree_split(double *points, int64_t n, int64_t ndim, int levels, int64_t *order)
{
    splits s = {.n = n, .ndim = ndim, .from = {points, order}, .levels = levels};
    s.keys = cpi_malloc((size_t)n * (sizeof *s.keys + sizeof *order + (size_t)ndim * sizeof *points));
    if (!s.keys) return CP_ERROR_MEMORY;
    s.to.order = (int64_t *)(s.keys + n), s.to.points = (double *)(s.to.order + n);
    const int64_t *result = levels % 2 ? s.to.order : order;
    for (int64_t i = 0; i < n; i++) order[i] = i;
    for (; s.level < levels && n >> s.level > SMALL; s = exchanged(s))
        cpi_parallel((int64_t)1 << s.level, split_task, &s);
    cpi_parallel((int64_t)1 << s.level, finish_task, &s);
    if (result != order) memcpy(order, result, (size_t)n * sizeof *order);
    cpi_free_host(s.keys);
    return CP_OK;
}
