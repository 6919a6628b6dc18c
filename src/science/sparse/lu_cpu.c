/* Factors of a square matrix, in the host's memory, and what solves with them: left-looking elimination with pivots.
 * The order of columns is the caller's.
 *
 * Columns that come one after another and have the same rows below them are a supernode, named by the place of its
 * first one: what meets one of them meets all later ones, so the search visits supernodes, and a column is changed by
 * up to CPI_SPARSE_BLOCK of them at once (Demmel, Eisenstat, Gilbert, Li and Liu, SIAM J. Matrix Anal. Appl. 20
 * (1999)).
 * Where elements are dropped each column is one.
 *
 * Invariants: during factorization the lower factor's indices are rows, afterwards places of pivots. A column of a
 * supernode has its later columns' pivots first, in their order, and then all have the same rows in the same order. A
 * supernode whose end is pruned has the rows that have a place before that end: what is found through the others is
 * found through these (Eisenstat and Liu, SIAM J. Matrix Anal. Appl. 14 (1993)). */
#include "sparse/lu.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "cpu/features.h"
#include "sparse/quotients_cpu.h"
#include "sparse/vectors_cpu.h"

enum { DONE = -1, FAILED = -2 };

/* What one factorization works with. A column meets a place where its element there may not be 0 once all before it has
 * been subtracted: all that it must be changed by, found from the places alone (`meet`). */
typedef struct walk {
    int32_t stamp, top, count;
    int32_t *mark;     /* of a row: the last column that met it, counted from 1 */
    int32_t *stack;
    int32_t *found;    /* supernodes that a column meets, from `top` on: each before those that it changes */
    int32_t *rest;     /* rows without a place that it meets: `count` */
    int32_t *of;       /* of a place: its supernode */
    int32_t *last;     /* of a supernode: its last place */
    int32_t *first;    /* of a supernode: the first place in it that a column meets */
    int32_t *met;      /* of a supernode: that column, counted from 1 */
    int64_t *at;       /* of the stack: the next element */
    int64_t *pruned;   /* of a supernode: where the search ends in its last column; -1: at the column's end */
    double *sizes;
    void *x;           /* the column, 0 elsewhere */
    void (*change)(void *x, const int32_t *rows, int64_t n, const void *const *columns, const void *factors, int terms);
} walk;

/* Notes that a column meets a place; is its supernode a new one? */
static bool reach(walk *w, int32_t place)
{
    const int32_t s = w->of[place];
    if (w->met[s] != w->stamp) {
        w->met[s] = w->stamp, w->first[s] = place;
        return true;
    }
    if (place < w->first[s]) w->first[s] = place;
    return false;
}
/* What a column meets through a supernode that it meets: depth first, so that each supernode is put before those that
 * it changes. Rows without a place end the way. */
static void search(const cpi_sparse_lu *f, walk *w, int32_t from)
{
    int32_t depth = 0;
    w->stack[0] = from;
    w->at[0] = f->lower.indptr[w->last[from]];
    while (depth >= 0) {
        const int32_t s = w->stack[depth];
        const int64_t end = w->pruned[s] >= 0 ? w->pruned[s] : f->lower.indptr[w->last[s] + 1];
        int64_t i = w->at[depth];
        int32_t next = -1;
        for (; i < end && next < 0; i++) {
            const int32_t r = f->lower.indices[i], place = f->place[r];
            if (w->mark[r] == w->stamp) continue;
            w->mark[r] = w->stamp;
            if (place < 0) w->rest[w->count++] = r;
            else if (reach(w, place)) next = w->of[place];
        }
        w->at[depth] = i;
        if (next < 0) {
            w->found[--w->top] = w->stack[depth--];
            continue;
        }
        w->stack[++depth] = next;
        w->at[depth] = f->lower.indptr[w->last[next]];
    }
}
/* The supernodes and rows that column c meets; how many elements of the upper factor it has. */
static int64_t meet(const cpi_sparse_lu *f, const cpi_sparse_lu_matrix *a, walk *w, int32_t c, int32_t stamp)
{
    int64_t above = 0;
    w->stamp = stamp, w->top = (int32_t)f->n, w->count = 0;
    for (int64_t i = a->indptr[c]; i < a->indptr[c + 1]; i++) {
        const int32_t r = a->indices[i], place = f->place[r];
        if (w->mark[r] == stamp) continue;
        w->mark[r] = stamp;
        if (place < 0) w->rest[w->count++] = r;
        else if (reach(w, place)) search(f, w, w->of[place]);
    }
    for (int32_t t = w->top; t < f->n; t++) above += w->last[w->found[t]] - w->first[w->found[t]] + 1;
    return above;
}
/* Is there space for so many elements? */
static bool grown(cpi_sparse_lu_columns *m, int64_t wanted, size_t bytes)
{
    if (wanted <= m->capacity) return true;
    const int64_t to = wanted + wanted / 2 + 16;
    int32_t *indices = cpi_realloc(m->indices, (size_t)to * sizeof *indices);
    if (!indices) return false;
    m->indices = indices;
    void *data = cpi_realloc(m->data, (size_t)to * bytes);
    if (!data) return false;
    m->data = data;
    m->capacity = to;
    return true;
}
static int ascend(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double size_of_f32(float x) { return fabsf(x); }
static inline double size_of_f64(double x) { return fabs(x); }
static inline double size_of_c64(cp_complex64 x) { return fabs((double)x.re) + fabs((double)x.im); }
static inline double size_of_c128(cp_complex128 x) { return fabs(x.re) + fabs(x.im); }
static inline float conj_of_f32(float x) { return x; }
static inline double conj_of_f64(double x) { return x; }
static inline cp_complex64 conj_of_c64(cp_complex64 x) { return (cp_complex64){x.re, -x.im}; }
static inline cp_complex128 conj_of_c128(cp_complex128 x) { return (cp_complex128){x.re, -x.im}; }

#define V float
#define VS f32
#define SUFFIX lu_f32
#include "sparse/lu.inc"
#undef VS
#undef V
#define V double
#define VS f64
#define SUFFIX lu_f64
#include "sparse/lu.inc"
#undef VS
#undef V
#define V cp_complex64
#define VS c64
#define SUFFIX lu_c64
#include "sparse/lu.inc"
#undef VS
#undef V
#define V cp_complex128
#define VS c128
#define SUFFIX lu_c128
#include "sparse/lu.inc"
#undef VS
#undef V

bool cpi_sparse_lu_strong(cp_type type, const cpi_sparse_lu_matrix *a)
{
    switch ((int)type) {
    case CP_FLOAT32: return strong_lu_f32(a);
    case CP_FLOAT64: return strong_lu_f64(a);
    case CP_COMPLEX64: return strong_lu_c64(a);
    default: return strong_lu_c128(a);
    }
}

static bool started(cpi_sparse_lu *f, walk *w, int64_t elements, size_t bytes)
{
    const size_t n = (size_t)f->n;
    f->row = cpi_malloc((n + 1) * sizeof *f->row);
    f->place = cpi_malloc((n + 1) * sizeof *f->place);
    f->pivots = cpi_malloc((n + 1) * bytes);
    f->lower.indptr = cpi_malloc((n + 1) * sizeof *f->lower.indptr);
    f->upper.indptr = cpi_malloc((n + 1) * sizeof *f->upper.indptr);
    w->at = cpi_malloc((2 * n + 1) * sizeof *w->at);
    w->mark = cpi_calloc(8 * n + 1, sizeof *w->mark);
    w->sizes = cpi_malloc((n + 1) * sizeof *w->sizes);
    w->x = cpi_calloc(n + 1, bytes);
    if (!f->row || !f->place || !f->pivots || !f->lower.indptr || !f->upper.indptr || !w->at || !w->mark ||
        !w->sizes || !w->x || !grown(&f->lower, elements, bytes) || !grown(&f->upper, elements, bytes))
        return false;
    w->pruned = w->at + n;
    w->stack = w->mark + n, w->found = w->stack + n, w->rest = w->found + n;
    w->of = w->rest + n, w->last = w->of + n, w->first = w->last + n, w->met = w->first + n;
    for (size_t i = 0; i < n; i++) w->pruned[i] = -1, f->place[i] = -1;
    return true;
}
cp_code cpi_sparse_lu_factor(const char *name, cpi_sparse_lu *f, const cpi_sparse_lu_matrix *a,
                             const cpi_sparse_lu_rules *rules)
{
    walk w = {.change = CPI_BEST(cpi_vector_table)(f->type)->change};
    int64_t found = FAILED;
    if (started(f, &w, a->indptr[a->n], cp_type_size(f->type))) {
        switch ((int)f->type) {
        case CP_FLOAT32: found = factor_lu_f32(f, a, rules, &w); break;
        case CP_FLOAT64: found = factor_lu_f64(f, a, rules, &w); break;
        case CP_COMPLEX64: found = factor_lu_c64(f, a, rules, &w); break;
        default: found = factor_lu_c128(f, a, rules, &w);
        }
    }
    if (found == DONE)
        for (int64_t i = 0; i < f->lower.indptr[f->n]; i++) f->lower.indices[i] = f->place[f->lower.indices[i]];
    else if (found >= 0)
        cpi_fail(CP_ERROR_LINALG, "%s: the matrix is singular: there is no pivot for column %lld", name,
                 (long long)f->column[found]);
    cpi_free_host(w.x);
    cpi_free_host(w.sizes);
    cpi_free_host(w.mark);
    cpi_free_host(w.at);
    return found == DONE ? CP_OK : cp_error();
}
cp_code cpi_sparse_lu_solve(const cpi_sparse_lu *f, int trans, int64_t k, void *x)
{
    if (!f->n || !k) return CP_OK;
    void *y = cpi_malloc((size_t)f->n * (size_t)k * cp_type_size(f->type));
    if (!y) return cp_error();
    switch ((int)f->type) {
    case CP_FLOAT32: solve_lu_f32(f, trans, k, x, y); break;
    case CP_FLOAT64: solve_lu_f64(f, trans, k, x, y); break;
    case CP_COMPLEX64: solve_lu_c64(f, trans, k, x, y); break;
    default: solve_lu_c128(f, trans, k, x, y);
    }
    cpi_free_host(y);
    return CP_OK;
}
void cpi_sparse_lu_end(cpi_sparse_lu *f)
{
    void *const all[] = {f->lower.indptr, f->lower.indices, f->lower.data, f->upper.indptr, f->upper.indices,
                         f->upper.data, f->pivots, f->row, f->column, f->place};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) cpi_free_host(all[i]);
}
