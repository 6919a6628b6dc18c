/* einsum: terms are multiplied two at a time, by matrix products where an axis is summed, else by elementwise ones.
 *
 * Invariant: a term's labels are all different, and none has length 1 where the label's length is another. Each label
 * is in the result or in a term that is still to be multiplied: others are summed as soon as no other term has them. */
#include "products/einsum.h"

#include <string.h>

#include "compose/compose.h"
#include "operands/operands.h"
#include "products/products.h"

/* What the steps work on; arrays belong to the composite's scope. */
typedef struct work {
    const cpi_einsum *e;
    cp_type type;
    int n;
    cpi_einsum_term term[CPI_TERMS];
    cp_array *x[CPI_TERMS];
} work;

/* An array of the scope's, made by cpi_seen_as. */
static cp_array *view(cp_array *x, int ndim, const int64_t *shape, const int64_t *strides)
{
    return x ? cpi_seen_as(x, ndim, shape, strides) : NULL;
}

/* Axes with the same label become their diagonal; those of length 1 where the label is longer are dropped: they
 * broadcast. */
static cp_array *diagonals(const cpi_einsum *e, cp_array *x, cpi_einsum_term *t)
{
    int64_t shape[CP_MAXDIM], strides[CP_MAXDIM];
    int n = 0;
    for (int i = 0; i < t->n; i++) {
        int label = t->label[i], at = 0;
        if (x->shape[i] == 1 && e->extent[label] != 1) continue;
        while (at < n && t->label[at] != label) at++;
        if (at == n) t->label[n] = (unsigned char)label, shape[n] = x->shape[i], strides[n++] = 0;
        strides[at] += x->strides[i];
    }
    if (n == t->n) return x;
    t->n = n;
    return view(x, n, shape, strides);
}

static int axis_of(const cpi_einsum_term *t, int label)
{
    for (int i = 0; i < t->n; i++)
        if (t->label[i] == label) return i;
    return -1;
}

/* x with its axes in the order of these labels; a label that it does not have becomes an axis of length 1. */
static cp_array *ordered(cp_array *x, const cpi_einsum_term *t, int n, const unsigned char *labels)
{
    int64_t shape[CP_MAXDIM], strides[CP_MAXDIM];
    for (int i = 0; x && i < n; i++) {
        int at = axis_of(t, labels[i]);
        shape[i] = at < 0 ? 1 : x->shape[at], strides[i] = at < 0 ? 0 : x->strides[at];
    }
    return view(x, n, shape, strides);
}

/* Sums over the labels of x that are not in `needed`. */
static cp_array *summed(const work *w, cp_array *x, cpi_einsum_term *t, cpi_label_set needed)
{
    int axes[CP_MAXDIM], n = 0, left = 0;
    for (int i = 0; x && i < t->n; i++)
        if (needed & CPI_LABEL(t->label[i])) t->label[left++] = t->label[i];
        else axes[n++] = i;
    if (!x || !n) return x;
    t->n = left;
    const cp_axes over = {n, axes};
    if (w->type == CP_BOOL) return cp_any(x, .axis = over);
    return cp_sum(x, .axis = over, .typed = true, .dtype = w->type);
}

/* The labels of the result and of all terms but those of the step. */
static cpi_label_set needed_by_others(const work *w, int i, int j)
{
    cpi_label_set s = cpi_labels_of(&w->e->out);
    for (int k = 0; k < w->n; k++)
        if (k != i && k != j) s |= cpi_labels_of(&w->term[k]);
    return s;
}

/* --- one product --- */

/* The roles of the labels of two terms. */
typedef struct roles {
    unsigned char batch[CP_MAXDIM], sum[CP_MAXDIM], a[CP_MAXDIM], b[CP_MAXDIM];
    int nbatch, nsum, na, nb;
} roles;

static roles roles_of(const cpi_einsum_term *a, const cpi_einsum_term *b, cpi_label_set needed)
{
    roles r = {.nbatch = 0};
    cpi_label_set in_b = cpi_labels_of(b), in_a = cpi_labels_of(a);
    for (int i = 0; i < a->n; i++) {
        unsigned char l = a->label[i];
        if (!(in_b & CPI_LABEL(l))) r.a[r.na++] = l;
        else if (needed & CPI_LABEL(l)) r.batch[r.nbatch++] = l;
        else r.sum[r.nsum++] = l;
    }
    for (int i = 0; i < b->n; i++)
        if (!(in_a & CPI_LABEL(b->label[i]))) r.b[r.nb++] = b->label[i];
    return r;
}

static void append(cpi_einsum_term *t, int n, const unsigned char *labels)
{
    memcpy(t->label + t->n, labels, (size_t)n);
    t->n += n;
}

static int64_t extents(const cpi_einsum *e, int n, const unsigned char *labels)
{
    int64_t size = 1;
    for (int i = 0; i < n; i++) size *= e->extent[labels[i]];
    return size;
}

/* x as (batch..., rows, columns), each of the two a list of axes joined. */
static cp_array *stacked(const cpi_einsum *e, cp_array *x, const cpi_einsum_term *t, const roles *r, int nr,
                         const unsigned char *rows, int nc, const unsigned char *cols)
{
    cpi_einsum_term to = {.n = 0};
    int64_t shape[CP_MAXDIM];
    append(&to, r->nbatch, r->batch);
    append(&to, nr, rows);
    append(&to, nc, cols);
    for (int i = 0; i < r->nbatch; i++) shape[i] = e->extent[r->batch[i]];
    shape[r->nbatch] = extents(e, nr, rows);
    shape[r->nbatch + 1] = extents(e, nc, cols);
    cp_array *v = ordered(x, t, to.n, to.label);
    return v ? cp_reshape(v, (cp_shape){r->nbatch + 2, shape}) : NULL;
}

/* Matrix products, a batch over the labels that both have and that stay. */
static cp_array *matrices(const work *w, cp_array *x, const cpi_einsum_term *a, cp_array *y, const cpi_einsum_term *b,
                          const roles *r, cpi_einsum_term *result)
{
    int64_t shape[CP_MAXDIM];
    int ax[CP_MAXDIM], bx[CP_MAXDIM];
    *result = (cpi_einsum_term){.n = 0};
    append(result, r->nbatch, r->batch);
    append(result, r->na, r->a);
    append(result, r->nb, r->b);
    if (!r->nbatch) {
        for (int i = 0; i < r->nsum; i++) ax[i] = axis_of(a, r->sum[i]), bx[i] = axis_of(b, r->sum[i]);
        return cpi_contract("einsum", w->type, x, y, r->nsum, ax, bx, NULL, CP_SAME_KIND);
    }
    cp_array *m = stacked(w->e, x, a, r, r->na, r->a, r->nsum, r->sum);
    cp_array *n = m ? stacked(w->e, y, b, r, r->nsum, r->sum, r->nb, r->b) : NULL;
    if (!n) return NULL;
    for (int i = 0; i < result->n; i++) shape[i] = w->e->extent[result->label[i]];
    int64_t batch[CP_MAXDIM];
    memcpy(batch, shape, (size_t)r->nbatch * sizeof *batch);
    const cpi_product_result how = {.casting = CP_SAME_KIND, .ndim = result->n, .shape = shape};
    return cpi_multiply_matrices("einsum", w->type, false, m, n, r->nbatch, batch, &how);
}

/* a times b with the labels that are still needed; the others are summed. */
static cp_array *multiply(const work *w, int i, int j, cpi_einsum_term *result)
{
    cpi_einsum_term a = w->term[i], b = w->term[j];
    cpi_label_set needed = needed_by_others(w, i, j);
    cp_array *x = summed(w, w->x[i], &a, needed | cpi_labels_of(&b));
    cp_array *y = summed(w, w->x[j], &b, needed | cpi_labels_of(&a));
    roles r = roles_of(&a, &b, needed);
    if (!x || !y) return NULL;
    if (r.nbatch + r.na + r.nb > CP_MAXDIM)
        return cpi_fail(CP_ERROR_VALUE, "einsum: a product of two operands would have more than %d dimensions",
                        CP_MAXDIM), NULL;
    /* the operand whose own labels come first in the result gives the rows */
    int first_a = CP_MAXDIM, first_b = CP_MAXDIM;
    for (int k = w->e->out.n - 1; k >= 0; k--) {
        if (memchr(r.a, w->e->out.label[k], (size_t)r.na)) first_a = k;
        if (memchr(r.b, w->e->out.label[k], (size_t)r.nb)) first_b = k;
    }
    if (first_b < first_a) {
        cpi_einsum_term t = a;
        cp_array *z = x;
        a = b, b = t, x = y, y = z;
        r = roles_of(&a, &b, needed);
    }
    if (r.nsum) return matrices(w, x, &a, y, &b, &r, result);
    *result = (cpi_einsum_term){.n = 0};
    append(result, r.nbatch, r.batch);
    append(result, r.na, r.a);
    append(result, r.nb, r.b);
    cp_array *p = ordered(x, &a, result->n, result->label), *q = ordered(y, &b, result->n, result->label);
    if (!p || !q) return NULL;
    return cp_elementwise(CP_OP_multiply, (cp_array *[]){p, q}, &(cp_ufunc_options){.typed = true, .dtype = w->type,
                                                                                   .casting = CP_UNSAFE});
}

/* Terms i and j leave the list; their product is appended. */
static bool step(work *w, int i, int j)
{
    cpi_einsum_term result;
    cp_array *r = multiply(w, i, j, &result);
    int n = 0;
    if (!r) return false;
    for (int k = 0; k < w->n; k++)
        if (k != i && k != j) w->term[n] = w->term[k], w->x[n++] = w->x[k];
    w->term[n] = result, w->x[n] = r;
    w->n = n + 1;
    return true;
}

/* --- the order --- */

/* A path given by the caller: each step multiplies the operands at its positions, one after the other. */
static bool given_path(work *w, int steps, const cp_axes *path)
{
    for (int s = 0; s < steps; s++) {
        bool named[CPI_TERMS] = {false};
        int last = -1, count = 0, n = w->n;
        if (path[s].n < 0 || (path[s].n && !path[s].at))
            return cpi_fail(CP_ERROR_VALUE, "einsum: step %d of the path names %d operands%s", s, path[s].n,
                            path[s].at ? "" : ", at no address"), false;
        for (int i = 0; i < path[s].n; i++) {
            int at = path[s].at[i] < 0 ? path[s].at[i] + n : path[s].at[i];
            if (at < 0 || at >= n || named[at]) {
                cpi_fail(CP_ERROR_VALUE, "einsum: step %d of the path names operand %d of %d", s, path[s].at[i], n);
                return false;
            }
            named[at] = true;
        }
        for (int k = n - 1; k >= 0; k--) {
            if (!named[k]) continue;
            if (count++ == 0) last = k;
            else if (!step(w, k, last)) return false;
            else last = w->n - 1;
        }
    }
    return true;
}

static bool run_path(work *w, const cp_einsum_options *o)
{
    cpi_contraction steps[CPI_TERMS];
    cpi_label_set labels[CPI_TERMS];
    if (o->path && !given_path(w, o->steps, o->path)) return false;
    int n = w->n;
    if (o->path || o->optimize == CP_PATH_GIVEN_ORDER || n < 3) {
        while (w->n > 1) /* the product goes to the end, so it is last the second time */
            if (!step(w, w->n == n ? 0 : w->n - 1, w->n == n ? 1 : 0)) return false;
        return true;
    }
    for (int i = 0; i < n; i++) labels[i] = cpi_labels_of(&w->term[i]);
    cpi_einsum_path(n, labels, cpi_labels_of(&w->e->out), w->e->extent, o->optimize != CP_PATH_GREEDY, steps);
    for (int i = 0; i < n - 1; i++)
        if (!step(w, steps[i].i, steps[i].j)) return false;
    return true;
}

/* The last term in the result's order and type. */
static cp_array *result_term(work *w, const cp_einsum_options *o)
{
    cp_array *x = summed(w, w->x[0], &w->term[0], cpi_labels_of(&w->e->out));
    cp_array *r = x ? ordered(x, &w->term[0], w->e->out.n, w->e->out.label) : NULL;
    if (r && r->type != w->type) r = cp_astype(r, w->type);
    bool right = o->order == 'C' ? r && cp_is_c_contiguous(r) : o->order == 'F' ? r && cp_is_f_contiguous(r) : true;
    if (r && !o->out && !right) r = cp_copy_order(r, o->order);
    return r;
}

cp_array *(cp_einsum)(const char *subscripts, int n, cp_array *const *operands, const cp_einsum_options *options)
{
    const cp_einsum_options *o = CPI_GIVEN(cp_einsum_options, options);
    cpi_einsum e;
    cpi_composite f;
    work w = {.e = &e, .n = n};
    if (cpi_null("einsum", subscripts) || cpi_null("einsum", operands)) return NULL;
    for (int i = 0; i < n; i++)
        if (cpi_null("einsum", operands[i])) return NULL;
    if (o->typed && cpi_check_type("einsum", o->dtype)) return NULL;
    if (cpi_einsum_parse(&e, subscripts, n, operands)) return NULL;
    w.type = o->typed ? o->dtype : cpi_promote_arrays(n, operands, false);
    for (int i = 0; i < n; i++)
        if (cpi_check_cast("einsum", i, operands[i]->type, w.type, o->cast ? o->casting : CP_SAFE)) return NULL;
    cpi_device *device = cpi_common_device("einsum", n, operands);
    int first = 0;
    while (first < n - 1 && operands[first]->flags & CPI_HOST_SCALAR) first++;
    if (!device || !cpi_begin(&f, "einsum", operands[first])) return NULL;
    bool good = true;
    for (int i = 0; i < n && good; i++) {
        cp_array *x = operands[i]->flags & CPI_HOST_SCALAR ? cpi_in_memory("einsum", operands[i], device) : operands[i];
        w.term[i] = e.in[i];
        good = x && (w.x[i] = diagonals(&e, x, &w.term[i]));
    }
    cp_array *r = good && run_path(&w, o) ? result_term(&w, o) : NULL;
    if (r && o->out) {
        cp_array *to = cpi_again(o->out);
        cpi_output check = {.function = "einsum", .type = r->type, .ndim = r->ndim, .shape = r->shape, .out = o->out,
                            .casting = o->cast ? o->casting : CP_SAFE, .device = device};
        bool done = to && !cpi_check_out(&check) && !cp_assign(o->out, r);
        r = done ? to : NULL;
    }
    return cpi_end(&f, r);
}
