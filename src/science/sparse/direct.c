/* Sparse matrices: factors and solutions of systems of equations by elimination, in the host's memory whatever the
 * device is: so the bits are the same. Systems that are small or banded, and triangles, have functions of compressed
 * rows. */
#include <string.h>

#include "operands/operands.h"
#include "sparse/handle.h"
#include "sparse/lu.h"

struct cp_sparse_factors {
    cpi_sparse_lu lu;
    int device; /* of the matrix */
};

static bool check_square(const char *name, const cp_sparse *a)
{
    if (cpi_null(name, a)) return false;
    if (a->rows == a->columns) return true;
    return cpi_fail(CP_ERROR_VALUE, "%s: a must be square, not (%lld, %lld)", name, (long long)a->rows,
                    (long long)a->columns), false;
}
static bool check_right(const char *name, int64_t n, const cp_array *b)
{
    if (cpi_null(name, b)) return false;
    if (b->ndim != 1 && b->ndim != 2)
        return cpi_fail(CP_ERROR_VALUE, "%s: b must be 1-D or 2-D, not %d-D", name, b->ndim), false;
    if (b->shape[0] == n) return true;
    return cpi_fail(CP_ERROR_VALUE, "%s: b must have %lld rows, as a has, not %lld", name, (long long)n,
                    (long long)b->shape[0]), false;
}
/* The type in which elements of this one are factored. */
static cp_type type_for(cp_type t)
{
    if (cpi_is_half(t)) return CP_FLOAT32;
    return cp_type_kind(t) == 'f' || cp_type_kind(t) == 'c' ? t : CP_FLOAT64;
}

/* --- factors --- */

/* A canonical matrix of compressed lines in the host's memory, as columns; `made` has its indices. */
static bool columns_of(const cp_sparse *m, cpi_sparse_lu_matrix *a)
{
    cp_array *indptr = cp_astype(m->part[2], CP_INT64), *indices = cp_astype(m->part[1], CP_INT32);
    if (!indptr || !indices) return false;
    *a = (cpi_sparse_lu_matrix){m->rows, (const int64_t *)cp_data(indptr), (const int32_t *)cp_data(indices),
                         cp_data(m->part[0])};
    return true;
}
/* Has a matrix elements where its transpose has? 1 or 0; -1 on failure. */
static int is_symmetric(const cpi_sparse_lu_matrix *a)
{
    int64_t *next = cpi_malloc((size_t)(a->n + 1) * sizeof *next);
    if (!next) return -1;
    memcpy(next, a->indptr, (size_t)a->n * sizeof *next);
    bool same = true;
    for (int32_t c = 0; same && c < a->n; c++) /* each row's columns come in their order */
        for (int64_t i = a->indptr[c]; same && i < a->indptr[c + 1]; i++) {
            const int32_t r = a->indices[i];
            same = next[r] < a->indptr[r + 1] && a->indices[next[r]++] == c;
        }
    cpi_free_host(next);
    return same;
}
static bool ordered(const cp_sparse *m, const cpi_sparse_lu_matrix *a, cp_sparse_order order, int32_t *column)
{
    if (order == CP_SPARSE_ORDER_NATURAL) {
        for (int32_t i = 0; i < a->n; i++) column[i] = i;
        return true;
    }
    const bool may = order == CP_SPARSE_ORDER_SYMMETRIC ||
                     (order == CP_SPARSE_ORDER_CHOSEN && cpi_sparse_lu_strong(m->part[0]->type, a));
    const int symmetric = may ? is_symmetric(a) : 0;
    if (symmetric < 0) return false;
    if (symmetric || order != CP_SPARSE_ORDER_SYMMETRIC) return cpi_sparse_lu_order(a, symmetric, column) >= 0;
    /* the places of the matrix and its transpose together */
    cp_sparse *ones = cpi_sparse_with_data(m, cp_ones_like(m->part[0], CP_FLOAT32));
    cp_sparse *turned = ones ? cp_sparse_transpose(ones) : NULL, *both = turned ? cp_sparse_add(ones, turned) : NULL;
    cpi_sparse_lu_matrix all;
    const bool good = both && columns_of(both, &all) && cpi_sparse_lu_order(&all, true, column) >= 0;
    cp_sparse_free(both);
    cp_sparse_free(turned);
    cp_sparse_free(ones);
    return good;
}
/* Factors of a matrix of compressed lines as columns. */
static bool factored(const char *name, const cp_sparse *m, const cp_sparse_lu_options *o, cpi_sparse_lu *f)
{
    const cpi_sparse_lu_rules rules = {o->threshold == 0 ? 1 : o->threshold < 0 ? 0 : o->threshold, o->drop, o->fill};
    cpi_sparse_lu_matrix a;
    *f = (cpi_sparse_lu){.type = m->part[0]->type, .n = m->rows};
    if (f->n > INT32_MAX - 1)
        return cpi_fail(CP_ERROR_VALUE, "%s: a must have less than 2^31 - 1 rows", name), false;
    f->column = cpi_malloc((size_t)(f->n + 1) * sizeof *f->column);
    const int matches = f->column && columns_of(m, &a) ? cpi_sparse_lu_matches(&a) : -1;
    if (!matches)
        cpi_fail(CP_ERROR_LINALG, "%s: the matrix is singular: elements are at places that leave a column without a "
                 "pivot", name);
    if (matches > 0 && ordered(m, &a, o->order, f->column) &&
        cpi_sparse_lu_factor(name, f, &a, &rules) == CP_OK)
        return true;
    cpi_sparse_lu_end(f);
    return false;
}
/* A canonical matrix of compressed rows or columns, of these elements, in the host's memory. */
static cp_sparse *hosted(cp_sparse *a, cp_type type)
{
    cp_sparse *m = cpi_sparse_canonical(a), *there = m ? cp_sparse_to_device(m, CP_CPU) : NULL;
    cp_sparse *made = there ? cp_sparse_astype(there, type) : NULL;
    cp_sparse_free(there);
    cp_sparse_free(m);
    return made;
}
cp_sparse_factors *(cp_sparse_lu)(cp_sparse *a, const cp_sparse_lu_options *options)
{
    const char *name = "sparse_lu";
    const cp_sparse_lu_options *o = CPI_GIVEN(cp_sparse_lu_options, options);
    cpi_composite scope;
    if (!check_square(name, a)) return NULL;
    if ((unsigned)o->order > CP_SPARSE_ORDER_SYMMETRIC)
        return cpi_fail(CP_ERROR_VALUE, "%s: there is no order %d", name, (int)o->order), NULL;
    if (!(o->threshold <= 1) || !(o->drop >= 0) || !(o->fill >= 0))
        return cpi_fail(CP_ERROR_VALUE, "%s: threshold must be at most 1, drop and fill not negative", name), NULL;
    if (!cpi_sparse_begin(&scope, name, a)) return NULL;
    cp_sparse_factors *f = cpi_malloc(sizeof *f);
    cp_sparse *columns = f ? cp_sparse_convert(a, CP_SPARSE_CSC) : NULL;
    cp_sparse *m = columns ? hosted(columns, type_for(a->part[0]->type)) : NULL;
    bool good = m && factored(name, m, o, &f->lu);
    cp_sparse_free(m);
    cp_sparse_free(columns);
    if (good && scope.fine && cp_error() != CP_OK) cpi_sparse_lu_end(&f->lu), good = false;
    if (!good) cpi_free_host(f), f = NULL;
    else f->device = cp_device_of(a->part[0]);
    cpi_end(&scope, NULL);
    return f;
}
void cp_sparse_lu_free(cp_sparse_factors *f)
{
    if (!f) return;
    cpi_sparse_lu_end(&f->lu);
    cpi_free_host(f);
}
int64_t cp_sparse_lu_nnz(const cp_sparse_factors *f)
{
    return f ? f->lu.lower.indptr[f->lu.n] + f->lu.upper.indptr[f->lu.n] + f->lu.n : 0;
}

/* --- what factors are made of --- */

/* A copy of a host's memory as an array of the CPU, 1-d. */
static cp_array *of_memory(const void *from, int64_t n, cp_type type)
{
    const size_t bytes = (size_t)n * cp_type_size(type);
    void *memory = cpi_malloc(bytes);
    if (!memory) return NULL;
    memcpy(memory, from, bytes);
    cp_array *x = cp_from_memory(memory, type, CP_SHAPE(n), NULL, CP_CPU, cpi_free_host, memory);
    if (!x) cpi_free_host(memory);
    return x;
}
/* Columns with a diagonal: its elements come first, or last. */
static cp_sparse *with_diagonal(const cpi_sparse_lu *f, const cpi_sparse_lu_columns *m, const void *diagonal, bool ones)
{
    const int64_t n = f->n, count = m->indptr[n] + n;
    const size_t bytes = cp_type_size(f->type);
    int64_t *indptr = cpi_malloc((size_t)(n + 1) * sizeof *indptr);
    int32_t *indices = cpi_malloc((size_t)count * sizeof *indices);
    char *data = cpi_malloc((size_t)count * bytes), *to = data;
    cpi_sparse_parts p = {0};
    if (indptr && indices && data) {
        for (int64_t j = 0, at = 0; j < n; j++) {
            const int64_t begin = m->indptr[j], k = m->indptr[j + 1] - begin;
            indptr[j] = at;
            memcpy(to, (const char *)diagonal + (ones ? 0 : (size_t)j * bytes), bytes);
            memcpy(to + bytes, (const char *)m->data + (size_t)begin * bytes, (size_t)k * bytes);
            indices[at] = (int32_t)j;
            memcpy(indices + at + 1, m->indices + begin, (size_t)k * sizeof *indices);
            at += k + 1, to += (size_t)(k + 1) * bytes;
        }
        indptr[n] = count;
        p.data = of_memory(data, count, f->type);
        cp_array *index = of_memory(indices, count, CP_INT32), *ends = of_memory(indptr, n + 1, CP_INT64);
        p.first = index && count > INT32_MAX ? cp_astype(index, CP_INT64) : index;
        p.second = ends && count <= INT32_MAX ? cp_astype(ends, CP_INT32) : ends;
    }
    cpi_free_host(data);
    cpi_free_host(indices);
    cpi_free_host(indptr);
    return cpi_sparse_made(CP_SPARSE_CSC, n, n, p, false, false);
}
static cp_sparse *delivered(const cp_sparse_factors *f, cp_sparse *made)
{
    cp_sparse *sorted = made ? cp_sparse_sort_indices(made) : NULL;
    if (sorted) sorted->canonical = true; /* a place is there once */
    cp_sparse *there = sorted ? cp_sparse_to_device(sorted, f->device) : NULL;
    cp_sparse_free(sorted);
    cp_sparse_free(made);
    return there;
}
cp_code cp_sparse_lu_parts(const cp_sparse_factors *f, cp_sparse **l, cp_sparse **u, cp_array **rows,
                           cp_array **columns)
{
    const char *name = "sparse_lu_parts";
    cpi_composite scope;
    if (cpi_null(name, f) || cpi_null(name, l) || cpi_null(name, u) || cpi_null(name, rows) ||
        cpi_null(name, columns) || !cpi_begin_alone(&scope))
        return cp_error();
    const float one[2] = {1, 0};
    const double wide[2] = {1, 0};
    const bool single = f->lu.type == CP_FLOAT32 || f->lu.type == CP_COMPLEX64;
    cp_sparse *lower = with_diagonal(&f->lu, &f->lu.lower, single ? (const void *)one : wide, true);
    cp_sparse *upper = with_diagonal(&f->lu, &f->lu.upper, f->lu.pivots, false);
    lower = delivered(f, lower), upper = delivered(f, upper);
    cp_array *to = of_memory(f->lu.place, f->lu.n, CP_INT32), *order = of_memory(f->lu.column, f->lu.n, CP_INT32);
    to = to ? cp_to_device(to, f->device) : NULL;
    order = order ? cp_astype(cp_argsort(order, 0), CP_INT32) : NULL;
    order = order ? cp_to_device(order, f->device) : NULL;
    const bool good = lower && upper && to && order && !(scope.fine && cp_error() != CP_OK);
    if (good) *l = lower, *u = upper, *rows = cp_keep(to), *columns = cp_keep(order);
    else cp_sparse_free(lower), cp_sparse_free(upper);
    cpi_end(&scope, NULL);
    if (good) cpi_into_scope(to), cpi_into_scope(order);
    return good ? CP_OK : cp_error();
}

/* --- solutions --- */

/* op(a) x = b in b's memory on the host, a new array of the factors' type, or of its complex one. */
static cp_array *solution(const cpi_sparse_lu *f, cp_array *b, int trans)
{
    const bool pairs = cp_type_kind(b->type) == 'c' && cp_type_kind(f->type) != 'c';
    const cp_type type = !pairs ? f->type : f->type == CP_FLOAT32 ? CP_COMPLEX64 : CP_COMPLEX128;
    cp_array *here = cp_to_device(b, CP_CPU), *y = here ? cp_copy(cp_astype(here, type)) : NULL;
    if (!y) return NULL;
    const int64_t k = (b->ndim == 2 ? b->shape[1] : 1) * (pairs ? 2 : 1);
    return cpi_sparse_lu_solve(f, trans, k, cp_data(y)) == CP_OK ? y : NULL;
}
cp_array *cp_sparse_lu_solve(const cp_sparse_factors *f, cp_array *b, int trans)
{
    const char *name = "sparse_lu_solve";
    cpi_composite scope;
    if (cpi_null(name, f) || !check_right(name, f->lu.n, b)) return NULL;
    if (trans < 0 || trans > 2)
        return cpi_fail(CP_ERROR_VALUE, "%s: trans must be 0, 1 or 2, not %d", name, trans), NULL;
    if (!cpi_begin(&scope, name, b)) return NULL;
    cp_array *x = solution(&f->lu, b, trans);
    return cpi_end(&scope, x ? cp_to_device(x, cp_device_of(b)) : NULL);
}

/* A system that is small or of a narrow band; NULL of others, and where a pivot is not above rounding. */
static cp_array *of_few(const cpi_composite *scope, const cp_sparse *m, cp_array *b)
{
    cp_array *x = cp_csr_solve(m->part[0], m->part[1], m->part[2], m->format == CP_SPARSE_CSC, b);
    if (!x && scope->fine && cp_error() == CP_ERROR_LINALG) cp_error_clear();
    return x && (x->size || !b->size) ? x : NULL;
}
typedef struct solver {
    const char *name;
    const cpi_composite *scope;
    const cp_sparse *m; /* in the host's memory, of the type of right sides */
    cpi_sparse_lu f;    /* where `factored` */
    bool factored;
} solver;
/* The solution of right sides in the host's memory; factors are made of the first ones that need them. */
static cp_array *solve(solver *s, cp_array *right)
{
    cp_array *x = s->factored ? NULL : of_few(s->scope, s->m, right);
    if (x || (s->scope->fine && cp_error() != CP_OK)) return x;
    if (!s->factored) s->factored = factored(s->name, s->m, &(cp_sparse_lu_options){._ = 0}, &s->f);
    /* rows are columns of the transpose */
    return s->factored ? solution(&s->f, right, s->m->format == CP_SPARSE_CSR) : NULL;
}
cp_array *cp_sparse_spsolve(cp_sparse *a, cp_array *b)
{
    const char *name = "sparse_spsolve";
    cpi_composite scope;
    if (!check_square(name, a) || !check_right(name, a->rows, b)) return NULL;
    if (!cpi_common_device(name, 2, (cp_array *const[]){a->part[0], b}) || !cpi_sparse_begin(&scope, name, a))
        return NULL;
    const cp_type type = type_for(cp_promote(a->part[0]->type, b->type));
    cp_sparse *m = hosted(a, type);
    solver s = {.name = name, .scope = &scope, .m = m};
    cp_array *here = m ? cp_to_device(b, CP_CPU) : NULL, *right = here ? cp_astype(here, type) : NULL;
    cp_array *x = right ? solve(&s, right) : NULL;
    if (s.factored) cpi_sparse_lu_end(&s.f);
    cp_sparse_free(m);
    return cpi_end(&scope, x ? cp_to_device(x, cp_device_of(a->part[0])) : NULL);
}

/* Some of the solutions, as a matrix, of right sides that are columns. */
static cp_sparse *solve_columns(solver *s, cp_sparse *right, int64_t from, int64_t to)
{
    cp_scope *inner = cp_scope_begin();
    cp_sparse *some = inner ? cp_sparse_slice(right, CP_ITEMS(CP_FULL, CP_RANGE(from, to))) : NULL;
    cp_array *dense = some ? cp_sparse_dense(some) : NULL, *x = dense ? solve(s, dense) : NULL;
    cp_sparse *made = x ? cp_sparse_from_dense(x, CP_SPARSE_CSC) : NULL;
    cp_sparse_free(some);
    cp_scope_end(inner);
    return made;
}
static cp_sparse *solve_all(solver *s, cp_sparse *right)
{
    const int64_t n = right->rows, columns = right->columns, most = (1 << 22) / (n ? n : 1);
    const int64_t width = most ? most : 1, parts = columns ? (columns - 1) / width + 1 : 1;
    cp_sparse **part = parts > INT32_MAX ? NULL : cpi_malloc(sizeof *part * (size_t)parts);
    int made = 0;
    if (parts > INT32_MAX) cpi_fail(CP_ERROR_VALUE, "%s: b has too many columns", s->name);
    while (part && made < parts) {
        const int64_t from = made * width, to = from + width < columns ? from + width : columns;
        if (!(part[made] = solve_columns(s, right, from, to))) break;
        made++;
    }
    cp_sparse *all = part && made == parts ? cp_sparse_hstack(made, part) : NULL;
    while (made > 0) cp_sparse_free(part[--made]);
    cpi_free_host(part);
    return all;
}
cp_sparse *cp_sparse_spsolve_sparse(cp_sparse *a, cp_sparse *b)
{
    const char *name = "sparse_spsolve_sparse";
    cpi_composite scope;
    if (!check_square(name, a) || cpi_null(name, b)) return NULL;
    if (b->rows != a->rows)
        return cpi_fail(CP_ERROR_VALUE, "%s: b must have %lld rows, as a has, not %lld", name, (long long)a->rows,
                        (long long)b->rows), NULL;
    if (!cpi_common_device(name, 2, (cp_array *const[]){a->part[0], b->part[0]}) || !cpi_sparse_begin(&scope, name, a))
        return NULL;
    const cp_type type = type_for(cp_promote(a->part[0]->type, b->part[0]->type));
    cp_sparse *m = hosted(a, type), *columns = m ? cp_sparse_convert(b, CP_SPARSE_CSC) : NULL;
    cp_sparse *right = columns ? hosted(columns, type) : NULL;
    solver s = {.name = name, .scope = &scope, .m = m};
    cp_sparse *x = right ? solve_all(&s, right) : NULL;
    if (x) x->sorted = x->canonical = true; /* as its parts are */
    cp_sparse *kind = x ? cp_sparse_convert(x, a->format == CP_SPARSE_CSC ? CP_SPARSE_CSC : CP_SPARSE_CSR) : NULL;
    cp_sparse *made = kind ? cp_sparse_to_device(kind, cp_device_of(a->part[0])) : NULL;
    if (s.factored) cpi_sparse_lu_end(&s.f);
    cp_sparse *const all[] = {m, columns, right, x, kind};
    for (int i = 0; i < 5; i++) cp_sparse_free(all[i]);
    return cpi_sparse_end(&scope, made);
}
cp_array *cp_sparse_spsolve_triangular(cp_sparse *a, cp_array *b, bool lower, bool unit_diagonal)
{
    const char *name = "sparse_spsolve_triangular";
    cpi_composite scope;
    if (!check_square(name, a) || !check_right(name, a->rows, b)) return NULL;
    if (!cpi_common_device(name, 2, (cp_array *const[]){a->part[0], b}) || !cpi_sparse_begin(&scope, name, a))
        return NULL;
    const cp_type type = type_for(cp_promote(cp_promote(a->part[0]->type, CP_FLOAT32), b->type));
    cp_sparse *m = hosted(a, type), *part = m ? (lower ? cp_sparse_tril : cp_sparse_triu)(m, 0) : NULL;
    cp_sparse *full = part && unit_diagonal && a->rows ? cp_sparse_set_diagonal(part, cp_float(1), 0)
                                                       : cp_sparse_retain(part);
    cp_sparse *rows = full ? cp_sparse_convert(full, CP_SPARSE_CSR) : NULL;
    cp_array *diagonal = rows ? cp_sparse_diagonal(rows, 0) : NULL, *x = NULL;
    cp_array *zero = diagonal ? cp_flatnonzero(cp_logical_not(diagonal)) : NULL;
    if (zero && zero->size)
        cpi_fail(CP_ERROR_LINALG, "%s: the matrix is singular: there is a zero on the diagonal in row %lld", name,
                 (long long)cp_item_int(cp_slice(zero, CP_ITEMS(CP_AT(0)))));
    else if (zero)
        x = cp_csr_substitute(rows->part[0], rows->part[1], rows->part[2], !lower,
                              cp_astype(cp_to_device(b, CP_CPU), type));
    cp_sparse *const all[] = {m, part, full, rows};
    for (int i = 0; i < 4; i++) cp_sparse_free(all[i]);
    return cpi_end(&scope, x ? cp_to_device(x, cp_device_of(a->part[0])) : NULL);
}
