/* What multiplies vectors for solvers: a matrix, or a function of the caller's.
 *
 * Invariant: a product is a new array of the solver's type, whatever a function returned, so that a solver may keep it
 * and write to it. */
#include "sparse/linear.h"

#include "backend/scope.h"
#include "operands/operands.h"

cp_type cpi_sparse_solution_type(cp_type a, cp_type b)
{
    const cp_type each[2] = {a, b};
    cp_type type = CP_BOOL;
    for (int i = 0; i < 2; i++) {
        const bool kept = each[i] == CP_FLOAT32 || cpi_is_complex(each[i]);
        type = cp_promote(type, kept ? each[i] : CP_FLOAT64);
    }
    return type;
}
cp_code cpi_linear_check(cpi_linear *l, const char *name, const cp_sparse *a, const cp_sparse_map *map, bool adjoint)
{
    *l = (cpi_linear){.name = name, .map = a ? NULL : map};
    if (a && map) return cpi_fail(CP_ERROR_VALUE, "%s: a and map exclude each other", name);
    if (!a && !map) return cpi_null(name, a) ? cp_error() : CP_OK;
    if (map && !map->multiply) return cpi_fail(CP_ERROR_VALUE, "%s: map needs multiply", name);
    if (map && adjoint && !map->adjoint)
        return cpi_fail(CP_ERROR_VALUE, "%s: map needs adjoint, which multiplies by its adjoint", name);
    if (map && (map->rows < 0 || map->columns < 0))
        return cpi_fail(CP_ERROR_VALUE, "%s: map's rows and columns must not be negative", name);
    if (map && !cp_type_size(map->type))
        return cpi_fail(CP_ERROR_VALUE, "%s: there is no type %d", name, (int)map->type);
    l->rows = a ? a->rows : map->rows, l->columns = a ? a->columns : map->columns;
    const cp_type type = a ? a->part[0]->type : map->type;
    l->type = cpi_sparse_solution_type(type, type);
    return CP_OK;
}
bool cpi_linear_begin(cpi_composite *f, const cpi_linear *l, const cp_sparse *a, const cp_array *x)
{
    if (a) return cpi_sparse_begin(f, l->name, a);
    return x ? cpi_begin(f, l->name, x) : cpi_begin_alone(f);
}
/* A matrix as compressed rows of a type: a reference. */
static cp_sparse *as_rows(cp_sparse *a, cp_type type)
{
    cp_sparse *rows = cp_sparse_convert(a, CP_SPARSE_CSR);
    if (!rows || rows->part[0]->type == type) return rows;
    cp_sparse *made = cp_sparse_astype(rows, type);
    cp_sparse_free(rows);
    return made;
}
cp_sparse *cpi_sparse_adjoint(cp_sparse *a)
{
    cp_sparse *turned = cp_sparse_transpose(a), *rows = turned ? cp_sparse_convert(turned, CP_SPARSE_CSR) : NULL;
    cp_sparse *made = NULL;
    if (rows && cpi_is_complex(rows->part[0]->type)) {
        const cpi_sparse_parts p = {cp_conjugate(rows->part[0]), rows->part[1], rows->part[2]};
        made = cpi_sparse_made(CP_SPARSE_CSR, rows->rows, rows->columns, p, rows->sorted, rows->canonical);
    } else made = cp_sparse_retain(rows);
    cp_sparse_free(rows);
    cp_sparse_free(turned);
    return made;
}
bool cpi_linear_open(cpi_linear *l, cp_sparse *a, bool adjoint)
{
    if (l->map) return true;
    l->a = as_rows(a, l->type);
    l->adjoint = l->a && adjoint ? cpi_sparse_adjoint(l->a) : NULL;
    return l->a && (l->adjoint || !adjoint);
}
void cpi_linear_close(cpi_linear *l)
{
    cp_sparse_free(l->adjoint);
    cp_sparse_free(l->a);
}
void cpi_sparse_given(cp_array **to, cp_array *x)
{
    if (!to || !x) return;
    if (cpi_scope_now()) cpi_scope_enter(x);
    *to = x;
}
cp_code cpi_sparse_give(const cpi_composite *f, int n, cp_array **const *to, cp_array **made)
{
    for (int i = 0; i < n; i++)
        if (made[i]) cp_keep(made[i]);
    bool bad = f->fine && cp_error() != CP_OK;
    for (int i = 0; i < n; i++) bad |= to[i] && !made[i]; /* beside an earlier error too */
    cpi_end(f, NULL);
    for (int i = 0; i < n; i++)
        if (bad || !to[i]) cp_free(made[i]);
        else cpi_sparse_given(to[i], made[i]);
    return bad ? cp_error() : CP_OK;
}

/* It may be x, with another reference or without; an array that was made in the function is this step's scope's; of any
 * other one the function gave a reference. */
cp_array *cpi_sparse_called(const char *name, const char *what, cp_sparse_operator f, void *context, cp_array *x,
                            int64_t rows, cp_type type)
{
    const int before = __atomic_load_n(&x->refs, __ATOMIC_RELAXED);
    cp_array *z = f(context, x), *y = NULL;
    if (!z) {
        if (cp_error() == CP_OK) cpi_fail(CP_ERROR_VALUE, "%s: %s returned NULL", name, what);
        return NULL;
    }
    if (z == x && __atomic_load_n(&x->refs, __ATOMIC_RELAXED) > before) cp_free(z);
    if (z->ndim != x->ndim || z->shape[0] != rows || (x->ndim == 2 && z->shape[1] != x->shape[1])) {
        if (x->ndim == 1)
            cpi_fail(CP_ERROR_VALUE, "%s: %s must return a 1-D array of %lld elements", name, what, (long long)rows);
        else
            cpi_fail(CP_ERROR_VALUE, "%s: %s must return an array of the shape (%lld, %lld)", name, what,
                     (long long)rows, (long long)x->shape[1]);
    } else y = z == x ? x : cp_astype(z, type);
    if (z != x && (!z->scope || z->scope != cpi_scope_now())) cp_free(z);
    return y;
}
static cp_array *mapped(const cpi_linear *l, const char *what, cp_sparse_operator f, cp_array *x, int64_t rows)
{
    cp_array *y = cpi_sparse_called(l->name, what, f, l->map->context, x, rows, l->type);
    return !y ? NULL : y == x ? cp_copy(y) : cp_contiguous(y);
}
cp_array *cpi_linear_times(const cpi_linear *l, cp_array *x)
{
    if (!x) return NULL;
    return l->map ? mapped(l, "multiply", l->map->multiply, x, l->rows) : cp_sparse_dot(l->a, x);
}
cp_array *cpi_linear_adjoint(const cpi_linear *l, cp_array *x)
{
    if (!x) return NULL;
    return l->map ? mapped(l, "adjoint", l->map->adjoint, x, l->columns) : cp_sparse_dot(l->adjoint, x);
}
