/* Singular vectors of a bidiagonal matrix, and eigenvectors of a tridiagonal one, by divide and conquer on the pool's
 * threads.
 *
 * LAPACK's routines solve the leaves (lasdq, steqr), deflate (lasd2, laed2) and find roots of secular equations (lasd4,
 * laed4). What lies between them, most of the time, is here: the tree, whose nodes of one level are tasks; within a
 * node, where a level has few, tasks of roots, of elements of z, and of vectors with their products. LAPACK's own
 * drivers do all that in one thread, and read matrices against their order. Tasks follow from the sizes alone.
 *
 * Of n x n work matrices a node with rows first.. has the part that begins at column first, without gaps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/threads.h"
#include "linalg/spectra.h"

enum { LEAF, DEFLATE, ROOT, MERGE, GEMM };
enum {
    LEAST = 25,                  /* rows of the largest leaf */
    ROOTS = 16, ELEMENTS = 32,   /* of a task */
    TASKS = 8, VECTORS = 64      /* about so many, of at least so many vectors */
};

typedef struct node { int64_t first, n, left, sqre; } node;
typedef struct divide {
    const job *j;
    const cpi_lapack_fn *f;
    const cpi_spectra_loops *loops;
    bool singular;
    size_t part, position;       /* bytes of a number, and of one of LAPACK's integers */
    int64_t n, first, size, level; /* of the whole; of the tree at work; the level of nodes */
    char *d, *e, *u, *vt, *u2, *vt2, *below, *sums, *z, *new_z, *poles;
    char *idxq, *lists;          /* n integers, and n of four kinds */
    int32_t *order;
    char *blocks;                /* for each worker: vectors, on the right too, and four lines */
    size_t block_bytes, right_at, lines_at;
    int error;
} divide;
/* A node's merge: k of its n values are new ones. */
typedef struct merge {
    divide *w;
    node at;
    int worker;                  /* whose task the node is; -1: its own tasks are the pool's */
    int64_t k, each, types[4];   /* of a task; columns of each structure */
    double rho[1];
    int32_t *order;
} merge;

static int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t each_of(int64_t k)
{
    const int64_t each = (k / TASKS + 31) / 32 * 32;
    return each > VECTORS ? each : VECTORS;
}
static char *number(const divide *w, char *x, int64_t i) { return x + (size_t)i * w->part; }
static char *diagonal(const divide *w, char *x, int64_t i) { return number(w, x, i * w->n + i); }
static char *slice(const divide *w, char *x, int64_t first) { return number(w, x, first * w->n); }
static double get(const divide *w, const char *x, int64_t i) { return part_of(w->j, x, i); }
static void set(const divide *w, char *x, int64_t i, double v) { set_part(w->j, x, i, v); }
static char *list(const divide *w, int kind, int64_t first)
{
    return w->lists + (size_t)(kind * w->n + first) * w->position;
}
static int64_t integer(const divide *w, const char *l, int64_t i)
{
    return w->position == 8 ? ((const int64_t *)(const void *)l)[i] : ((const int32_t *)(const void *)l)[i];
}
static char *block(const merge *m, int worker)
{
    return m->w->blocks + (size_t)(m->worker < 0 ? worker : m->worker) * m->w->block_bytes;
}
static void failed(divide *w) { __atomic_store_n(&w->error, 1, __ATOMIC_RELAXED); }

/* --- memory --- */

size_t cpi_divide_bytes(const job *j, int64_t n, bool singular)
{
    const size_t square = rounded((size_t)(n * n) * j->part), line = rounded((size_t)(n + 1) * j->part);
    const size_t block = rounded((size_t)(n * each_of(n)) * j->part);
    const size_t own = (size_t)(singular ? 2 : 1) * block + 4 * line;
    return (size_t)(singular ? 4 : 2) * square + 3 * line + rounded((size_t)n * 40) + rounded((size_t)n * 16) +
           (size_t)j->workers * own;
}

static divide begin_divide(const job *j, const cpi_lapack_fn *f, int64_t n, char *u, char *vt, char *work)
{
    divide w = {.j = j, .f = f, .n = n, .part = j->part, .singular = vt, .below = u, .sums = vt};
    const size_t square = rounded((size_t)(n * n) * j->part), line = rounded((size_t)(n + 1) * j->part);
    w.loops = cpi_spectra_loops_of(j);
    w.position = cpi_lapack_fits(INT64_MAX) ? 8 : 4;
    w.u = work, work += square;
    w.u2 = work, work += square;
    if (vt) w.vt = work, w.vt2 = work + square, work += 2 * square;
    w.z = work, w.new_z = work + line, w.poles = work + 2 * line, work += 3 * line;
    w.idxq = work, w.lists = work + (size_t)n * w.position, work += rounded((size_t)n * 40);
    w.order = (int32_t *)(void *)work, work += rounded((size_t)n * 16);
    w.blocks = work;
    w.right_at = rounded((size_t)(n * each_of(n)) * j->part);
    w.lines_at = (vt ? 2 : 1) * w.right_at;
    w.block_bytes = w.lines_at + 4 * line;
    return w;
}

bool cpi_divide_find(const job *j, bool singular, cpi_lapack_fn *f)
{
    static const char *const names[2][CPI_DIVIDE_ROUTINES] = {{"steqr", "laed2", "laed4", "lamrg", "gemm"},
                                                              {"lasdq", "lasd2", "lasd4", "lamrg", "gemm"}};
    for (int i = 0; i < CPI_DIVIDE_ROUTINES; i++)
        if (!(f[i] = cpi_lapack(j->l->function, names[singular][i], j->part == 4 ? CP_FLOAT32 : CP_FLOAT64)))
            return false;
    return true;
}

/* --- the tree --- */

/* Node i of a level. Those of singular values have a row between their halves, and a column more, but the last. */
static node node_of(const divide *w, int64_t level, int64_t i)
{
    node r = {w->first, w->size, w->size / 2, 0};
    for (int64_t l = level - 1; l >= 0; l--) {
        const bool right = i >> l & 1;
        if (right) r.first += r.left + w->singular;
        r.n = right ? r.n - r.left - w->singular : r.left;
        r.left = r.n / 2;
    }
    r.sqre = w->singular && i != ((int64_t)1 << level) - 1;
    return r;
}

static void leaf_task(void *context, int64_t task, int worker)
{
    divide *w = context;
    node at = node_of(w, w->level, task);
    int64_t info = 0, none = 0, m = at.n + at.sqre;
    char *u = diagonal(w, w->u, at.first), *d = number(w, w->d, at.first), *e = number(w, w->e, at.first);
    char *own = w->blocks + (size_t)worker * w->block_bytes;
    const int was = cpi_lapack_alone_begin();
    if (w->singular) {
        char *vt = diagonal(w, w->vt, at.first);
        w->f[LEAF]("U", &at.sqre, &at.n, &m, &at.n, &none, d, e, vt, &w->n, u, &w->n, u, &w->n, own, &info);
    } else {
        w->f[LEAF]("I", &at.n, d, e, u, &w->n, own, &info);
    }
    if (cpi_lapack_slot(&info, 0)) failed(w);
    for (int64_t i = 0; i < at.n; i++)
        if (w->position == 8) ((int64_t *)(void *)w->idxq)[at.first + i] = i + 1;
        else ((int32_t *)(void *)w->idxq)[at.first + i] = (int32_t)(i + 1);
    cpi_lapack_alone_end(was);
}

/* --- a node --- */

static void root_task(void *context, int64_t task, int worker)
{
    const merge *m = context;
    divide *w = m->w;
    const int64_t first = m->at.first, last = at_most((task + 1) * ROOTS, m->k);
    char *d = number(w, w->d, first), *poles = number(w, w->poles, first), *z = number(w, w->z, first);
    char *below = slice(w, w->below, first), *sums = w->singular ? slice(w, w->sums, first) : NULL;
    int64_t info = 0;
    (void)worker;
    for (int64_t i = task * ROOTS; i < last; i++) {
        const int64_t which = i + 1, at = i * m->k;
        char *to = number(w, below, at), *root = number(w, d, i);
        if (w->singular) w->f[ROOT](&m->k, &which, poles, z, to, m->rho, root, number(w, sums, at), &info);
        else w->f[ROOT](&m->k, &which, poles, z, to, m->rho, root, &info);
        if (cpi_lapack_slot(&info, 0)) failed(w);
    }
}

static void z_task(void *context, int64_t task, int worker)
{
    const merge *m = context;
    const divide *w = m->w;
    const int64_t at = m->at.first, first = task * ELEMENTS, last = at_most(first + ELEMENTS, m->k);
    char *poles = number(w, w->poles, at), *z = number(w, w->z, at), *to = number(w, w->new_z, at);
    (void)worker;
    if (w->singular)
        w->loops->singular_z(first, last, m->k, slice(w, w->below, at), slice(w, w->sums, at), poles, z, to);
    else w->loops->hermitian_z(first, last, m->k, slice(w, w->below, at), poles, z, to);
}

/* c (m x n) = a (m x k) b (k x n) + beta c; `b_ld`: of the transpose where a is one. */
static void product(const divide *w, bool turned, int64_t m, int64_t n, int64_t k, const char *a, int64_t a_ld,
                    const char *b, int64_t b_ld, bool add, char *c)
{
    double one[1] = {0}, beta[1] = {0};
    if (m < 1 || n < 1) return;
    set(w, (char *)one, 0, 1), set(w, (char *)beta, 0, add);
    w->f[GEMM](turned ? "T" : "N", "N", &m, &n, &k, one, a, &a_ld, b, &b_ld, beta, c, &w->n);
}

/* Left vectors first.. of a node: columns of u. Those of u2 are of three kinds: zero below, full, zero above. */
static void left_vectors(const merge *m, int64_t first, int64_t count, const char *q)
{
    const divide *w = m->w;
    const int64_t n = m->at.n, nl = m->at.left, k = m->k, *t = m->types;
    char *u = number(w, diagonal(w, w->u, m->at.first), first * w->n), *u2 = slice(w, w->u2, m->at.first);
    product(w, false, nl, count, t[0], number(w, u2, n), n, number(w, (char *)q, 1), k, false, u);
    if (t[2])
        product(w, false, nl, count, t[2], number(w, u2, (1 + t[0] + t[1]) * n), n,
                number(w, (char *)q, 1 + t[0] + t[1]), k, true, u);
    for (int64_t c = 0; c < count; c++) memcpy(number(w, u, c * w->n + nl), q + (size_t)(c * k) * w->part, w->part);
    product(w, false, n - nl - 1, count, t[1] + t[2], number(w, u2, (1 + t[0]) * n + nl + 1), n,
            number(w, (char *)q, 1 + t[0]), k, false, number(w, u, nl + 1));
}

/* Right vectors first.. of a node: rows of vt. Row t[0] of vt2, zero behind the left half, holds row 0 there. */
static void right_vectors(const merge *m, int64_t first, int64_t count, char *q)
{
    const divide *w = m->w;
    const int64_t n = m->at.n + m->at.sqre, left = m->at.left + 1, k = m->k, *t = m->types;
    char *vt = number(w, diagonal(w, w->vt, m->at.first), first), *vt2 = slice(w, w->vt2, m->at.first);
    const int64_t third = 1 + t[0] + t[1];
    product(w, true, count, left, 1 + t[0], q, k, vt2, n, false, vt);
    if (t[2]) product(w, true, count, left, t[2], number(w, q, third), k, number(w, vt2, third), n, true, vt);
    for (int64_t c = 0; c < count && t[0]; c++) memcpy(number(w, q, c * k + t[0]), number(w, q, c * k), w->part);
    product(w, true, count, n - left, 1 + t[1] + t[2], number(w, q, t[0]), k, number(w, vt2, left * n + t[0]), n, false,
            number(w, vt, left * w->n));
}

static void singular_task(void *context, int64_t task, int worker)
{
    const merge *m = context;
    const divide *w = m->w;
    const int64_t at = m->at.first, first = task * m->each, count = at_most(m->each, m->k - first);
    char *own = block(m, worker), *v = own + w->right_at, *work = own + w->lines_at;
    char *below = slice(w, w->below, at), *sums = slice(w, w->sums, at);
    const int was = cpi_lapack_alone_begin();
    w->loops->singular_vectors(m->k, count, number(w, below, first * m->k), number(w, sums, first * m->k),
                               number(w, w->poles, at), number(w, w->new_z, at), m->order, own, v, work);
    left_vectors(m, first, count, own);
    right_vectors(m, first, count, v);
    cpi_lapack_alone_end(was);
}

static void hermitian_task(void *context, int64_t task, int worker)
{
    const merge *m = context;
    const divide *w = m->w;
    const int64_t at = m->at.first, first = task * m->each, count = at_most(m->each, m->k - first);
    const int64_t n = m->at.n, nl = m->at.left, k = m->k, *t = m->types;
    char *q = block(m, worker), *below = number(w, slice(w, w->below, at), first * k);
    char *work = q + w->lines_at;
    char *u = number(w, diagonal(w, w->u, at), first * w->n), *u2 = slice(w, w->u2, at);
    const int was = cpi_lapack_alone_begin();
    if (k > 2) w->loops->hermitian_vectors(k, count, below, number(w, w->new_z, at), m->order, q, work);
    for (int64_t i = 0; i < k * count && k <= 2; i++) /* laed4 made the vectors themselves */
        memcpy(number(w, q, i), number(w, below, i / k * k + m->order[i % k]), w->part);
    product(w, false, nl, count, t[0] + t[1], u2, nl, q, k, false, u);
    product(w, false, n - nl, count, t[1] + t[2], number(w, u2, nl * (t[0] + t[1])), n - nl, number(w, q, t[0]), k,
            false, number(w, u, nl));
    cpi_lapack_alone_end(was);
}

/* --- deflation, and what follows --- */

static void read_order(merge *m)
{
    const divide *w = m->w;
    const char *order = list(w, 2, m->at.first), *types = list(w, 3, m->at.first);
    m->order = w->order + m->at.first;
    for (int64_t i = 0; i < m->k; i++) m->order[i] = (int32_t)(integer(w, order, i) - 1);
    for (int i = 0; i < 4; i++) m->types[i] = integer(w, types, i);
    if (w->singular) m->order[0] = 0;
    m->each = each_of(m->k);
}

static void solve(merge *m)
{
    cpi_parallel((m->k + ROOTS - 1) / ROOTS, root_task, m);
    if (m->k > 2 || m->w->singular) cpi_parallel((m->k + ELEMENTS - 1) / ELEMENTS, z_task, m);
    cpi_parallel((m->k + m->each - 1) / m->each, m->w->singular ? singular_task : hermitian_task, m);
}

/* One new singular value: its vectors are the first ones of lasd2, but for a sign. */
static void only_one(const merge *m)
{
    const divide *w = m->w;
    const int64_t n = m->at.n, wide = n + m->at.sqre;
    const double z = get(w, w->z, m->at.first);
    char *u = diagonal(w, w->u, m->at.first), *vt = diagonal(w, w->vt, m->at.first);
    set(w, w->d, m->at.first, fabs(z));
    for (int64_t i = 0; i < wide; i++)
        memcpy(number(w, vt, i * w->n), number(w, slice(w, w->vt2, m->at.first), i * wide), w->part);
    for (int64_t i = 0; i < n; i++) {
        const double x = get(w, slice(w, w->u2, m->at.first), i);
        set(w, u, i, z > 0 ? x : -x);
    }
}

static void merge_singular(divide *w, node at, int worker)
{
    merge m = {.w = w, .at = at, .worker = worker};
    const int64_t first = at.first, right = at.n - at.left - 1, wide = at.n + at.sqre;
    char *d = number(w, w->d, first), *z = number(w, w->z, first), *vt2 = slice(w, w->vt2, first);
    double alpha[1] = {0}, beta[1] = {0}, most = 0, a = get(w, d, at.left), b = get(w, w->e, first + at.left);
    int64_t info = 0;
    set(w, d, at.left, 0);
    most = fmax(fabs(a), fabs(b));
    for (int64_t i = 0; i < at.n; i++) most = fmax(most, fabs(get(w, d, i)));
    for (int64_t i = 0; i < at.n; i++) set(w, d, i, get(w, d, i) / most);
    set(w, (char *)alpha, 0, a / most), set(w, (char *)beta, 0, b / most);
    w->f[DEFLATE](&at.left, &right, &at.sqre, &m.k, d, z, alpha, beta, diagonal(w, w->u, first), &w->n,
                  diagonal(w, w->vt, first), &w->n, number(w, w->poles, first), slice(w, w->u2, first), &at.n, vt2,
                  &wide, list(w, 0, first), list(w, 1, first), list(w, 2, first),
                  w->idxq + (size_t)first * w->position, list(w, 3, first), &info);
    m.k = cpi_lapack_slot(&m.k, 0);
    read_order(&m);
    if (m.k == 1) {
        only_one(&m);
    } else {
        double norm = 0;
        for (int64_t i = 0; i < m.k; i++) norm += get(w, z, i) * get(w, z, i);
        norm = sqrt(norm);
        for (int64_t i = 0; i < m.k; i++) set(w, z, i, get(w, z, i) / norm);
        set(w, (char *)m.rho, 0, norm * norm);
        for (int64_t i = at.left + 1; i < wide && m.types[0]; i++)
            memcpy(number(w, vt2, i * wide + m.types[0]), number(w, vt2, i * wide), w->part);
        solve(&m);
    }
    for (int64_t i = 0; i < at.n; i++) set(w, d, i, get(w, d, i) * most);
    const int64_t rest = at.n - m.k, up = 1, down = -1;
    w->f[MERGE](&m.k, &rest, d, &up, &down, w->idxq + (size_t)first * w->position);
}

static void merge_hermitian(divide *w, node at, int worker)
{
    merge m = {.w = w, .at = at, .worker = worker};
    const int64_t first = at.first;
    char *d = number(w, w->d, first), *z = number(w, w->z, first), *u = diagonal(w, w->u, first);
    char *idxq = w->idxq + (size_t)first * w->position;
    int64_t info = 0;
    memcpy(m.rho, number(w, w->e, first + at.left - 1), w->part);
    for (int64_t i = 0; i < at.n; i++) /* the last row of one half, the first one of the other */
        memcpy(number(w, z, i), number(w, u, i * w->n + at.left - (i < at.left)), w->part);
    w->f[DEFLATE](&m.k, &at.n, &at.left, d, u, &w->n, idxq, m.rho, z, number(w, w->poles, first),
                  number(w, w->new_z, first), slice(w, w->u2, first), list(w, 1, first), list(w, 2, first),
                  list(w, 0, first), list(w, 3, first), &info);
    m.k = cpi_lapack_slot(&m.k, 0);
    if (m.k) {
        memcpy(z, number(w, w->new_z, first), (size_t)m.k * w->part);
        read_order(&m);
        solve(&m);
    }
    const int64_t rest = at.n - m.k, up = 1, down = -1;
    if (m.k) w->f[MERGE](&m.k, &rest, d, &up, &down, idxq);
    for (int64_t i = 0; i < at.n && !m.k; i++)
        if (w->position == 8) ((int64_t *)(void *)idxq)[i] = i + 1;
        else ((int32_t *)(void *)idxq)[i] = (int32_t)(i + 1);
}

static void node_task(void *context, int64_t task, int worker)
{
    divide *w = context;
    const node at = node_of(w, w->level, task);
    if (__atomic_load_n(&w->error, __ATOMIC_RELAXED)) return;
    const int was = cpi_lapack_alone_begin();
    if (w->singular) merge_singular(w, at, worker);
    else merge_hermitian(w, at, worker);
    cpi_lapack_alone_end(was);
}

/* --- a matrix --- */

/* Divides these elements of d and e by the largest one, which it returns; 0: all are. */
static double scale(const divide *w, int64_t first, int64_t size)
{
    double most = 0;
    for (int64_t i = first; i < first + size; i++)
        most = fmax(most, fmax(fabs(get(w, w->d, i)), i + 1 < first + size ? fabs(get(w, w->e, i)) : 0));
    if (most == 0) return 0;
    for (int64_t i = first; i < first + size; i++) {
        set(w, w->d, i, get(w, w->d, i) / most);
        if (i + 1 < first + size) set(w, w->e, i, get(w, w->e, i) / most);
    }
    return most;
}

/* Rows first..first + size, which no element beside them connects with others. */
static void one_tree(divide *w, int64_t first, int64_t size)
{
    int64_t levels = 0;
    w->first = first, w->size = size;
    const double most = scale(w, first, size);
    while (size >> levels > LEAST) levels++;
    for (w->level = levels - 1; w->level >= 0 && !w->singular; w->level--) /* the halves, without what joins them */
        for (int64_t i = 0; i < (int64_t)1 << w->level; i++) {
            const node at = node_of(w, w->level, i);
            const int64_t row = at.first + at.left;
            const double e = fabs(get(w, w->e, row - 1));
            set(w, w->d, row - 1, get(w, w->d, row - 1) - e), set(w, w->d, row, get(w, w->d, row) - e);
        }
    w->level = levels;
    cpi_parallel((int64_t)1 << levels, leaf_task, w);
    while (--w->level >= 0) {
        const int64_t nodes = (int64_t)1 << w->level;
        if (nodes >= w->j->workers) cpi_parallel(nodes, node_task, w);
        else
            for (int64_t i = 0; i < nodes; i++) node_task(w, i, -1);
    }
    for (int64_t i = first; i < first + size; i++) set(w, w->d, i, get(w, w->d, i) * most);
}

/* All trees. An element of e that is nothing beside its neighbours ends one. */
static void all_trees(divide *w)
{
    const double eps = w->part == 4 ? 0x1p-24 : 0x1p-53;
    int64_t first = 0;
    for (int64_t i = 0; i < w->n; i++) {
        const double e = i + 1 < w->n ? fabs(get(w, w->e, i)) : 0;
        bool ends = i + 1 == w->n;
        if (w->singular) {
            double d = get(w, w->d, i);
            if (fabs(d) < 0.9 * eps) set(w, w->d, i, copysign(0.9 * eps, d));
            ends = ends || e < 0.9 * eps;
        } else {
            ends = ends || e <= eps * sqrt(fabs(get(w, w->d, i))) * sqrt(fabs(get(w, w->d, i + 1)));
        }
        if (!ends) continue;
        one_tree(w, first, i + 1 - first);
        first = i + 1;
    }
}

typedef struct value { double x; int64_t i; } value;
static int ascending(const void *a, const void *b)
{
    const value *x = a, *y = b;
    return x->x < y->x ? -1 : x->x > y->x ? 1 : (x->i > y->i) - (x->i < y->i);
}

typedef struct sorted { const divide *w; const int32_t *order; char *u, *vt; } sorted;
/* Some columns of u, and of vt, in which rows have another order. */
static void copy_task(void *context, int64_t task, int worker)
{
    const sorted *s = context;
    const divide *w = s->w;
    const int64_t last = at_most((task + 1) * ROOTS, w->n);
    (void)worker;
    for (int64_t c = task * ROOTS; c < last; c++) {
        memcpy(slice(w, s->u, c), slice(w, w->u, s->order[c]), (size_t)w->n * w->part);
        for (int64_t i = 0; i < w->n && w->singular; i++)
            memcpy(number(w, s->vt, c * w->n + i), number(w, w->vt, c * w->n + s->order[i]), w->part);
    }
}

bool cpi_divide(const job *j, const cpi_lapack_fn *f, int64_t n, char *d, char *e, char *u, char *vt, char *work)
{
    divide w = begin_divide(j, f, n, u, vt, work);
    w.d = d, w.e = e;
    const double by = scale(&w, 0, n);
    memset(w.u, 0, (size_t)(n * n) * w.part);
    if (vt) memset(w.vt, 0, (size_t)(n * n) * w.part);
    for (int64_t i = 0; i < n; i++) {
        set(&w, w.u, i * n + i, 1);
        if (vt) set(&w, w.vt, i * n + i, 1);
    }
    if (by != 0) all_trees(&w);
    if (w.error) return false;
    value *values = (value *)(void *)w.u2;
    for (int64_t i = 0; i < n; i++) values[i] = (value){vt ? -get(&w, d, i) : get(&w, d, i), i};
    qsort(values, (size_t)n, sizeof *values, ascending);
    for (int64_t i = 0; i < n; i++) {
        w.order[i] = (int32_t)values[i].i;
        set(&w, d, i, by * (vt ? -values[i].x : values[i].x));
    }
    sorted s = {&w, w.order, u, vt};
    cpi_parallel((n + ROOTS - 1) / ROOTS, copy_task, &s);
    return true;
}
