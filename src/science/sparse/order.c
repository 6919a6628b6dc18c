/* An order of columns that leaves few elements in their factors: approximate minimum degree of columns (Davis, Gilbert,
 * Larimore and Ng, ACM Trans. Math. Softw. 30 (2004): COLAMD).
 *
 * The elements of the factors of rows with any pivots are among those of A^T A's factors, whose graph is that of the
 * rows as cliques of columns. The column of the least approximate degree comes next; its rows become one. Of an
 * order for rows and columns alike, each element off the diagonal is a row of two columns.
 *
 * Invariants: each column's list has its rows in the order in which they were made, so columns of the same rows have
 * the same lists. A row's list may have columns that are gone; a column's list, rows that are gone, until it is next
 * read. Everything follows from the places of the elements alone. */
#include "sparse/lu.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"

enum { NONE = -1, SPARE = 16, DENSE = 10 };

typedef struct lists {
    int64_t *begin;  /* of rows and columns: where their lists begin */
    int32_t *length; /* how long they are; 0 of what is gone */
} lists;
typedef struct graph {
    int32_t n;                    /* columns */
    int64_t rows, live, capacity; /* the rows' pool */
    lists row, column;
    int32_t *pool, *other, *of;   /* the rows' columns, a second pool, the columns' rows */
    int32_t *weight;              /* of a row: how many columns it has; of a column at [rows + c]: how many it is */
    int32_t *stamp, *beyond;      /* of a row: the last step that met it, and its columns outside of that step's row */
    int32_t *mark;                /* of a column: the last step whose row has it; -1: it is gone */
    int32_t *score, *head, *next, *before; /* columns by approximate degree */
    int32_t *chain, *last;        /* columns that are ordered with another one: the next one, the last one */
    int32_t *bucket;              /* columns by the sum of their rows' numbers, linked by `next` */
    int32_t least, left;
} graph;

static void put(graph *g, int32_t c, int64_t score)
{
    const int32_t s = (int32_t)(score < g->left ? score : g->left);
    g->score[c] = s;
    g->before[c] = NONE;
    g->next[c] = g->head[s];
    if (g->next[c] >= 0) g->before[g->next[c]] = c;
    g->head[s] = c;
    if (s < g->least) g->least = s;
}
static void drop(graph *g, int32_t c)
{
    if (g->before[c] >= 0) g->next[g->before[c]] = g->next[c];
    else g->head[g->score[c]] = g->next[c];
    if (g->next[c] >= 0) g->before[g->next[c]] = g->before[c];
}

/* Live rows, in their order, at the beginning of the other pool, which takes the first one's place. */
static void compact(graph *g)
{
    int64_t at = 0;
    for (int64_t r = 0; r < g->rows; r++) {
        if (!g->row.length[r]) continue;
        memcpy(g->other + at, g->pool + g->row.begin[r], sizeof(int32_t) * (size_t)g->row.length[r]);
        g->row.begin[r] = at;
        at += g->row.length[r];
    }
    int32_t *pool = g->pool;
    g->pool = g->other, g->other = pool;
    g->live = at;
}
/* The row that a column's rows become, in the place of the first of them; its number. */
static int32_t merge(graph *g, int32_t c, int32_t step)
{
    const int32_t *rows = g->of + g->column.begin[c];
    int64_t most = 0;
    for (int32_t i = 0; i < g->column.length[c]; i++) most += g->row.length[rows[i]];
    if (most > g->left) most = g->left; /* it has no column twice */
    if (g->live + most > g->capacity) compact(g);
    int32_t made = NONE, count = 0, weight = 0, *to = g->pool + g->live;
    g->mark[c] = NONE;
    for (int32_t i = 0; i < g->column.length[c]; i++) {
        const int32_t r = rows[i];
        if (!g->row.length[r]) continue;
        if (made < 0) made = r;
        const int32_t *own = g->pool + g->row.begin[r];
        for (int32_t k = 0; k < g->row.length[r]; k++) {
            if (g->mark[own[k]] < 0 || g->mark[own[k]] == step) continue;
            g->mark[own[k]] = step;
            weight += g->weight[g->rows + own[k]];
            to[count++] = own[k];
        }
        g->row.length[r] = 0;
    }
    if (made < 0 || !count) return NONE;
    g->row.begin[made] = g->live, g->row.length[made] = count, g->weight[made] = weight;
    g->live += count;
    return made;
}
/* How many columns each row that crosses the new one has outside of it. */
static void count_beyond(graph *g, int32_t made, int32_t step)
{
    const int32_t *columns = g->pool + g->row.begin[made];
    g->stamp[made] = step;
    for (int32_t k = 0; k < g->row.length[made]; k++) {
        const int32_t c = columns[k], *rows = g->of + g->column.begin[c];
        drop(g, c);
        for (int32_t i = 0; i < g->column.length[c]; i++) {
            const int32_t r = rows[i];
            if (r == made || !g->row.length[r]) continue;
            if (g->stamp[r] != step) g->stamp[r] = step, g->beyond[r] = g->weight[r];
            g->beyond[r] -= g->weight[g->rows + c];
        }
    }
}
/* A column's list without the rows that are gone or are within the new one, which comes last; the sum of what the
 * others have beyond, and of their numbers. */
static int64_t renew(graph *g, int32_t c, int32_t made, uint64_t *sum)
{
    int32_t *rows = g->of + g->column.begin[c], n = 0;
    int64_t score = 0;
    *sum = 0;
    for (int32_t i = 0; i < g->column.length[c]; i++) {
        const int32_t r = rows[i];
        if (r == made || !g->row.length[r]) continue;
        if (!g->beyond[r]) {
            g->row.length[r] = 0;
            continue;
        }
        score += g->beyond[r];
        *sum += (uint64_t)r;
        rows[n++] = r;
    }
    rows[n++] = made;
    g->column.length[c] = n;
    return score;
}
static void take(graph *g, int32_t c, int32_t *order, int32_t *count)
{
    for (int32_t i = c; i >= 0; i = g->chain[i]) order[(*count)++] = i;
    g->left -= g->weight[g->rows + c];
    g->mark[c] = NONE;
    g->column.length[c] = 0;
}
/* Columns that have the same rows become one. */
static void join(graph *g, int32_t first)
{
    for (int32_t a = first; a >= 0; a = g->next[a])
        for (int32_t b = g->next[a], last = a; b >= 0; b = g->next[b]) {
            const int32_t n = g->column.length[a];
            if (g->column.length[b] != n || memcmp(g->of + g->column.begin[a], g->of + g->column.begin[b],
                                                   sizeof(int32_t) * (size_t)n) != 0) {
                last = b;
                continue;
            }
            g->weight[g->rows + a] += g->weight[g->rows + b];
            g->chain[g->last[a]] = b, g->last[a] = g->last[b];
            g->mark[b] = NONE;
            g->next[last] = g->next[b];
        }
}
/* After a column: degrees of the columns of the new row, of which those that are in no other row come next at once. */
static void update(graph *g, int32_t made, int32_t step, int32_t *order, int32_t *count)
{
    count_beyond(g, made, step);
    int32_t *columns = g->pool + g->row.begin[made], n = 0;
    const int32_t all = g->row.length[made];
    for (int32_t k = 0; k < all; k++) {
        const int32_t c = columns[k];
        uint64_t sum;
        g->score[c] = (int32_t)fmin((double)renew(g, c, made, &sum), (double)g->n);
        if (g->column.length[c] == 1) {
            g->weight[made] -= g->weight[g->rows + c];
            take(g, c, order, count);
            continue;
        }
        columns[n++] = c;
        g->before[c] = (int32_t)(sum % (uint64_t)g->n);
        g->next[c] = g->bucket[g->before[c]];
        g->bucket[g->before[c]] = c;
    }
    for (int32_t k = 0; k < n; k++) {
        int32_t *first = &g->bucket[g->before[columns[k]]];
        if (*first >= 0) join(g, *first);
        *first = NONE;
    }
    int32_t kept = 0;
    for (int32_t k = 0; k < n; k++) {
        const int32_t c = columns[k];
        if (g->mark[c] < 0) continue;
        columns[kept++] = c;
        put(g, c, (int64_t)g->score[c] + g->weight[made] - g->weight[g->rows + c]);
    }
    g->row.length[made] = kept;
}

/* --- setting up --- */

/* Columns with very many elements, and those without any, come last; rows with very many say nothing. */
static int64_t longest(int64_t n) { return (int64_t)fmax(SPARE, DENSE * sqrt((double)n)); }

static bool allot(graph *g, int64_t elements)
{
    const size_t rows = (size_t)g->rows, n = (size_t)g->n;
    g->capacity = elements + elements / 2 + g->n + 1;
    g->row.begin = cpi_malloc((rows + n + 1) * sizeof *g->row.begin);
    g->column.begin = g->row.begin ? g->row.begin + rows : NULL;
    int32_t **const of[] = {&g->row.length, &g->column.length, &g->weight, &g->stamp, &g->beyond, &g->mark, &g->score,
                            &g->next, &g->before, &g->chain, &g->last, &g->bucket, &g->head};
    const size_t size[] = {rows, n, rows + n, rows, rows, n, n, n, n, n, n, n, n + 1};
    size_t all = 0;
    for (int i = 0; i < 13; i++) all += size[i];
    int32_t *work = cpi_malloc((all + (size_t)elements + 2 * (size_t)g->capacity) * sizeof *work);
    if (!work || !g->row.begin) {
        cpi_free_host(work);
        return false;
    }
    g->row.length = work;
    for (int i = 0; i < 13; i++) *of[i] = work, work += size[i];
    g->of = work, g->pool = work + elements, g->other = g->pool + g->capacity;
    return true;
}
/* The rows of a matrix of columns, or of its elements below the diagonal, of which each is a row. */
static int64_t count_rows(const cpi_sparse_lu_matrix *a, bool symmetric)
{
    int64_t count = 0;
    if (!symmetric) return a->n;
    for (int32_t c = 0; c < a->n; c++)
        for (int64_t i = a->indptr[c]; i < a->indptr[c + 1]; i++) count += a->indices[i] > c;
    return count;
}
/* Calls of the columns' elements: in which row each is. */
#define EACH_ELEMENT(body)                                                                     \
    do {                                                                                       \
        int64_t pair = 0;                                                                      \
        for (int32_t c = 0; c < a->n; c++)                                                     \
            for (int64_t i = a->indptr[c]; i < a->indptr[c + 1]; i++) {                        \
                const int32_t r = a->indices[i];                                               \
                if (!symmetric) { const int64_t row = r; const int32_t column = c; body }      \
                else if (r > c) {                                                              \
                    const int64_t row = pair++;                                                \
                    { const int32_t column = c; body }                                         \
                    { const int32_t column = r; body }                                         \
                }                                                                              \
            }                                                                                  \
    } while (0)

static void fill(graph *g, const cpi_sparse_lu_matrix *a, bool symmetric)
{
    const int64_t most = longest(g->n);
    int32_t *columns = g->row.length, *rows = g->column.length; /* how many of each */
    memset(columns, 0, sizeof *columns * (size_t)g->rows);
    memset(rows, 0, sizeof *rows * (size_t)g->n);
    EACH_ELEMENT(columns[row]++; rows[column]++;);
    for (int32_t c = 0; c < g->n; c++) g->mark[c] = rows[c] && rows[c] <= most ? 0 : NONE;
    int64_t at = 0;
    for (int64_t r = 0; r < g->rows; r++) {
        g->row.begin[r] = at;
        if (columns[r] > most) columns[r] = 0;
        g->stamp[r] = columns[r] ? 0 : NONE;
        at += columns[r], columns[r] = 0;
    }
    g->live = at, at = 0;
    for (int32_t c = 0; c < g->n; c++) g->column.begin[c] = at, at += rows[c], rows[c] = 0;
    EACH_ELEMENT(if (g->mark[column] >= 0 && g->stamp[row] >= 0) {
        g->pool[g->row.begin[row] + columns[row]++] = column;
        g->of[g->column.begin[column] + rows[column]++] = (int32_t)row;
    });
    for (int64_t r = 0; r < g->rows; r++) g->weight[r] = columns[r], g->stamp[r] = NONE;
}
int64_t cpi_sparse_lu_order(const cpi_sparse_lu_matrix *a, bool symmetric, int32_t *order)
{
    graph g = {.n = (int32_t)a->n, .rows = count_rows(a, symmetric), .least = 0, .left = (int32_t)a->n};
    if (g.rows > INT32_MAX) { /* such factors fit no memory in any order */
        for (int32_t i = 0; i < g.n; i++) order[i] = i;
        return g.n;
    }
    if (!allot(&g, symmetric ? 2 * g.rows : a->indptr[a->n])) {
        cpi_free_host(g.row.begin);
        return NONE;
    }
    fill(&g, a, symmetric);
    for (int32_t i = 0; i < g.n; i++) g.bucket[i] = g.chain[i] = NONE, g.last[i] = i, g.weight[g.rows + i] = 1;
    for (int32_t i = 0; i <= g.n; i++) g.head[i] = NONE;
    int32_t count = 0, behind = 0;
    for (int32_t c = g.n - 1; c >= 0; c--) {
        if (!g.column.length[c]) g.mark[c] = NONE;
        if (g.mark[c] < 0) order[g.n - ++behind] = c; /* columns that come last */
    }
    g.left = g.n - behind;
    for (int32_t c = g.n - 1; c >= 0; c--) {
        int64_t score = 0;
        for (int32_t i = 0; i < g.column.length[c] && g.mark[c] >= 0; i++)
            score += g.row.length[g.of[g.column.begin[c] + i]] - 1;
        if (g.mark[c] >= 0) put(&g, c, score);
    }
    for (int32_t step = 1; count < g.n - behind; step++) {
        while (g.head[g.least] < 0) g.least++;
        const int32_t c = g.head[g.least];
        drop(&g, c);
        const int32_t made = merge(&g, c, step);
        take(&g, c, order, &count);
        if (made >= 0) update(&g, made, step, order, &count);
    }
    cpi_free_host(g.row.length);
    cpi_free_host(g.row.begin);
    return count + behind;
}
