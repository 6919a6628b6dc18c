/* Sums and products of vectors in one pass, as a plan of numbers says. */
#include "sparse/vectors.h"

#include "backend/array.h"
#include "operands/operands.h"

static const char *const name = "sparse_pass";

/* The plan as it is read, with what its numbers stand for. */
typedef struct reader {
    int n, at, vectors;
    const int64_t *plan;
    cp_array *const *vector;
    cp_array *numbers;
    const double *scalars;
    bool good;
} reader;

static int64_t next(reader *r, int64_t most)
{
    const int64_t x = r->at < r->n ? r->plan[r->at++] : -1;
    if (x >= 0 && x <= most) return x;
    r->good = false;
    return 0;
}
static void *vector(reader *r) { return r->vectors ? r->vector[next(r, r->vectors - 1)]->data : NULL; }
/* The number of the device that 4 bits of a factor name, NULL for none. */
static const void *number(reader *r, int64_t code, int shift)
{
    const int64_t i = (code >> shift & 15) - 1;
    if (i < 0) return NULL;
    if (r->numbers && i < r->numbers->size) return r->numbers->data + i * cpi_itemsize(r->numbers->type);
    r->good = false;
    return NULL;
}
static cpi_sparse_factor factor(reader *r)
{
    const int64_t code = next(r, CP_FACTOR_SAFE | CP_FACTOR(1, 7, 15, 15, 15, 15));
    const double sign = code & 1 ? -1 : 1;
    cpi_sparse_factor f = {.times = sign * r->scalars[code >> 1 & 7], .safe = code & CP_FACTOR_SAFE};
    if ((code >> 1 & 7) > CP_PASS_SCALARS) r->good = false;
    for (int k = 0; k < 2; k++) f.over[k] = number(r, code, 4 + 8 * k), f.under[k] = number(r, code, 8 + 8 * k);
    if (f.safe && !f.under[0]) r->good = false;
    return f;
}
static void read_sum(reader *r, cpi_sparse_sum *s)
{
    const int64_t to = next(r, r->vectors - 1);
    if (r->good && cpi_check_writable(name, r->vector[to]) != CP_OK) r->good = false;
    s->to = r->vector[to]->data;
    s->terms = (int)next(r, CPI_SPARSE_TERMS);
    if (!s->terms) r->good = false;
    for (int t = 0; t < s->terms; t++) s->x[t] = vector(r), s->by[t] = factor(r);
}
/* Reads a plan into *p. Returns a failure's code. */
static cp_code read_plan(reader *r, cpi_sparse_pass *p, cp_array *state)
{
    const int64_t flags = next(r, CPI_TURNS * 8 - 1), at = next(r, 14);
    p->measure = flags & 1, p->count = flags & 2, p->root = flags & 4, p->turn = (int)(flags >> 3);
    p->sums = (int)next(r, CPI_SPARSE_SUMS);
    for (int s = 0; s < p->sums && r->good; s++) read_sum(r, &p->sum[s]);
    p->dots = (int)next(r, CPI_SPARSE_DOTS);
    for (int d = 0; d < p->dots && r->good; d++) p->left[d] = vector(r), p->right[d] = vector(r);
    if (p->dots && r->good && (!r->numbers || at + p->dots > r->numbers->size)) r->good = false;
    if ((p->measure || p->turn) && (!state || !p->dots)) r->good = false;
    if (p->turn && r->good)
        r->good = state->size >= cpi_turn_state(p->turn) && r->numbers->size >= cpi_turn_numbers(p->turn);
    if (r->at != r->n) r->good = false;
    if (cp_error() != CP_OK) return cp_error();
    if (!r->good) return cpi_fail(CP_ERROR_VALUE, "%s: the plan is none of these vectors and numbers", name);
    if (p->turn) p->all = r->numbers->data;
    if (p->dots) p->numbers = r->numbers->data + at * cpi_itemsize(r->numbers->type);
    return CP_OK;
}
static cp_code check_line(const char *what, cp_array *x, cp_type type, int64_t n)
{
    if (x->type != type || x->ndim != 1 || x->size < n ||
        (x->size > 1 && x->strides[0] != cpi_itemsize(type)))
        return cpi_fail(CP_ERROR_VALUE, "%s: %s must be contiguous, of %s, and have %lld elements", name, what,
                        cp_type_name(type), (long long)n);
    return CP_OK;
}
static cp_code check(int n, cp_array *const *x, cp_array *numbers, cp_array *state)
{
    if (n < 1 || cpi_null(name, x[0])) return cpi_fail(CP_ERROR_VALUE, "%s: at least one vector is needed", name);
    const cp_type type = x[0]->type, number_type = cpi_is_complex(type) ? CP_COMPLEX128 : CP_FLOAT64;
    if (type != CP_FLOAT32 && type != CP_FLOAT64 && !cpi_is_complex(type))
        return cpi_fail(CP_ERROR_TYPE, "%s: vectors must be of a floating type of 32 or 64 bits, not %s", name,
                        cp_type_name(type));
    for (int i = 0; i < n; i++)
        if (cpi_null(name, x[i]) || check_line("vectors", x[i], type, x[0]->size) || x[i]->size != x[0]->size)
            return cp_error() != CP_OK ? cp_error() : cpi_fail(CP_ERROR_VALUE, "%s: vectors differ in length", name);
    if (numbers && (check_line("numbers", numbers, number_type, 1) || cpi_check_writable(name, numbers)))
        return cp_error();
    if (state && (check_line("state", state, CP_FLOAT64, 3) || cpi_check_writable(name, state))) return cp_error();
    return CP_OK;
}
cp_code cp_vectors_pass(int vectors, cp_array *const *vector, int n, const int64_t *plan, cp_array *numbers,
                        cp_array *state, double a, double b, double c, double d, double limit)
{
    if (check(vectors, vector, numbers, state)) return cp_error();
    const double scalars[8] = {1, a, b, c, d};
    cpi_device *device = cpi_common_device(name, vectors, vector);
    reader r = {n, 0, vectors, plan, vector, numbers, scalars, true};
    cpi_sparse_pass p = {.type = vector[0]->type, .n = vector[0]->size, .limit = limit};
    if (!device || read_plan(&r, &p, state)) return cp_error();
    cp_array *const others[3] = {vector[0], numbers, state};
    if (!cpi_common_device(name, 3, others)) return cp_error();
    for (int i = 0; i < vectors; i++) cpi_array_used(vector[i]);
    if (numbers) cpi_array_used(numbers);
    if (state) cpi_array_used(state), p.state = (double *)(void *)state->data;
    return device->backend->sparse->pass(cpi_stream(device), &p);
}
