/* Sparse matrices: arguments and results of what is done to two of them. */
#include "sparse/csr.h"

typedef struct pair {
    const char *name;
    cpi_device *device;
    cp_array *in[6];
    matrix a, b;
    cpi_sparse_job j;
    made r;
} pair;

static cp_code hold_pair(pair *p, int64_t columns_a, int64_t columns, bool wide)
{
    cp_array *const *in = p->in;
    const cp_type type = in[0]->type;
    if (in[1]->type != in[4]->type) wide = true;
    if (hold(p->name, &p->a, in[0], in[1], in[2], columns_a, p->device, type, wide) != CP_OK) return cp_error();
    if (hold(p->name, &p->b, in[3], in[4], in[5], columns, p->device, type, wide) != CP_OK) {
        drop(&p->a);
        return cp_error();
    }
    p->j.a = p->a.csr;
    p->j.b = p->b.csr;
    return CP_OK;
}
static cp_code open_pair(pair *p, int64_t columns, bool product)
{
    for (int i = 0; i < 6; i++)
        if (cpi_null(p->name, p->in[i])) return cp_error();
    if (p->in[0]->type != p->in[3]->type)
        return cpi_fail(CP_ERROR_TYPE, "%s: the matrices must be of one type", p->name);
    if (!product && p->in[2]->size != p->in[5]->size)
        return cpi_fail(CP_ERROR_VALUE, "%s: inconsistent shapes", p->name);
    p->device = cpi_common_device(p->name, 6, p->in);
    if (!p->device) return cp_error();
    return hold_pair(p, product ? p->in[5]->size - 1 : columns, columns, false);
}
static void close_pair(pair *p)
{
    drop(&p->a);
    drop(&p->b);
}
/* The second pass's operands: those of the first one, with wide indices where there are that many elements. */
static bool widen_pair(pair *p, int64_t total)
{
    if (!too_many(p->a.csr.wide, total)) return true;
    const int64_t columns_a = p->a.csr.columns, columns = p->b.csr.columns;
    close_pair(p);
    return hold_pair(p, columns_a, columns, true) == CP_OK;
}

static cp_code merge(pair *p, int64_t columns, cp_array **data, cp_array **other, cp_array **indices,
                     cp_array **indptr)
{
    if (open_pair(p, columns, false) != CP_OK) return cp_error();
    const cpi_sparse_ops *ops = p->device->backend->sparse;
    cp_stream *stream = cpi_stream(p->device);
    const int64_t rows = p->a.csr.rows;
    bool good = count_begin(p->name, p->device, rows, &p->j, &p->r) &&
                (!rows || ops->merge_count(stream, &p->j) == CP_OK);
    const int64_t total = good ? count_end(p->device, &p->r) : -1;
    good = total >= 0 && widen_pair(p, total) &&
           make_result(p->name, p->device, p->in[0]->type, p->a.csr.wide, total, &p->j, &p->r);
    if (good && other) {
        p->r.other = line(p->name, p->device, p->in[0]->type, total);
        good = p->r.other != NULL;
        if (good) p->j.other = p->r.other->data;
    }
    if (good && total) good = (other ? ops->align_fill : ops->merge_fill)(stream, &p->j) == CP_OK;
    close_pair(p);
    if (!good) return fail(&p->r);
    if (other) *other = p->r.other, p->r.other = NULL;
    return give(&p->r, data, indices, indptr);
}

cp_code cp_csr_merge(cp_sparse_op op, cp_array *data_a, cp_array *indices_a, cp_array *indptr_a, cp_array *data_b,
                        cp_array *indices_b, cp_array *indptr_b, int64_t columns, cp_array **data, cp_array **indices,
                        cp_array **indptr)
{
    if ((unsigned)op > CP_SPARSE_NOT_EQUAL)
        return cpi_fail(CP_ERROR_VALUE, "sparse_merge: there is no operation %d", (int)op);
    pair p = {.name = "sparse_merge", .in = {data_a, indices_a, indptr_a, data_b, indices_b, indptr_b},
              .j = {.op = op}};
    return merge(&p, columns, data, NULL, indices, indptr);
}
cp_code cp_csr_align(cp_array *data_a, cp_array *indices_a, cp_array *indptr_a, cp_array *data_b,
                        cp_array *indices_b, cp_array *indptr_b, int64_t columns, cp_array **a, cp_array **b,
                        cp_array **indices, cp_array **indptr)
{
    pair p = {.name = "sparse_align", .in = {data_a, indices_a, indptr_a, data_b, indices_b, indptr_b},
              .j = {.op = CP_SPARSE_ALIGN}};
    return merge(&p, columns, a, b, indices, indptr);
}

/* --- products --- */

/* All products as elements of rows, which are then sorted by two transpositions and summed. */
static cp_code product_of_all(pair *p, int64_t columns, cp_array **data, cp_array **indices, cp_array **indptr)
{
    const cpi_sparse_ops *ops = p->device->backend->sparse;
    const bool sized = ops->product_size(cpi_stream(p->device), &p->j) == CP_OK;
    const int64_t total = sized ? count_end(p->device, &p->r) : -1;
    made once = {0}, twice = {0};
    const bool all = total >= 0 && widen_pair(p, total) &&
                     make_result(p->name, p->device, p->in[0]->type, p->a.csr.wide, total, &p->j, &p->r) &&
                     (!total || ops->product_all(cpi_stream(p->device), &p->j) == CP_OK);
    cp_code code = all ? CP_OK : cp_error();
    if (code == CP_OK)
        code = cp_csr_transpose(p->r.data, p->r.indices, p->r.indptr, columns, &once.data, &once.indices,
                                   &once.indptr);
    if (code == CP_OK)
        code = cp_csr_transpose(once.data, once.indices, once.indptr, p->a.csr.rows, &twice.data, &twice.indices,
                                   &twice.indptr);
    if (code == CP_OK)
        code = cp_csr_sum_duplicates(twice.data, twice.indices, twice.indptr, data, indices, indptr);
    drop_made(&once);
    drop_made(&twice);
    return code;
}
/* The sorted elements of each row, counted and then filled; *zeros: may some of them be 0? *fits: are no more products
 * in any row than the device's kernels take? Otherwise nothing is given. */
static cp_code product_of_rows(pair *p, bool *fits, bool *zeros, cp_array **data, cp_array **indices,
                               cp_array **indptr)
{
    const cpi_sparse_ops *ops = p->device->backend->sparse;
    cp_stream *stream = cpi_stream(p->device);
    int64_t found[CPI_SPARSE_FOUND] = {0};
    p->j.n = -1;
    const bool counted = count_begin_found(p->name, p->device, p->a.csr.rows, &p->j, &p->r) &&
                         (!p->a.csr.rows || ops->product_count(stream, &p->j) == CP_OK);
    const int64_t total = counted ? count_end_found(p->device, &p->r, found) : -1;
    *fits = total < 0 || !found[CPI_SPARSE_FOUND - 1];
    if (!*fits) return CP_OK;
    bool good = total >= 0 && widen_pair(p, total) &&
                make_result(p->name, p->device, p->in[0]->type, p->a.csr.wide, total, &p->j, &p->r);
    p->j.n = found[0] + found[1] + found[2];
    if (good && total) good = ops->product_fill(stream, &p->j) == CP_OK;
    if (good && total && !ops->product_exact) {
        good = p->device->backend->to_host(stream, found, p->j.found, sizeof *found) == CP_OK;
        *zeros = found[0] != 0;
    }
    if (!good || cp_error() != CP_OK) return cp_error();
    return give(&p->r, data, indices, indptr);
}
/* The elements of `most` products, which `all` has room for. */
static bool fill_in_one_pass(pair *p, made *all, int64_t most)
{
    const cpi_sparse_ops *ops = p->device->backend->sparse;
    cp_stream *stream = cpi_stream(p->device);
    const cp_type type = p->in[0]->type;
    cpi_sparse_job j = p->j;
    j.n = most;
    if (!make_result(p->name, p->device, type, p->a.csr.wide, most, &j, all) ||
        !count_begin(p->name, p->device, p->a.csr.rows, &p->j, &p->r))
        return false;
    j.found = p->j.ends;
    if (p->a.csr.rows && ops->product_rows(stream, &j) != CP_OK) return false;
    const int64_t total = count_end(p->device, &p->r);
    if (total < 0) return false;
    if (total == most) { /* every product is an element */
        drop_made(&p->r);
        p->r = *all;
        *all = (made){0};
        return true;
    }
    j.a.indices = j.indices, j.a.data = j.data;
    return make_result(p->name, p->device, type, p->a.csr.wide, total, &j, &p->r) &&
           (!total || ops->product_pack(stream, &j) == CP_OK);
}
/* The same in one pass, where all products have room: *fits says so, and otherwise nothing is given. */
static cp_code product_in_one_pass(pair *p, bool *fits, cp_array **data, cp_array **indices, cp_array **indptr)
{
    const cpi_sparse_ops *ops = p->device->backend->sparse;
    *fits = ops->product_rows && p->b.csr.columns < (int64_t)1 << 24 && p->a.csr.rows < INT32_MAX;
    if (!*fits) return CP_OK;
    made all = {0};
    bool good = count_begin(p->name, p->device, p->a.csr.rows, &p->j, &all) &&
                (!p->a.csr.rows || ops->product_size(cpi_stream(p->device), &p->j) == CP_OK);
    const int64_t most = good ? count_end(p->device, &all) : -1;
    if (most > (int64_t)1 << 24 && most > 2 * (p->a.csr.nnz + p->b.csr.nnz)) *fits = false;
    if (too_many(p->a.csr.wide, most)) *fits = false;
    good = most >= 0 && *fits && fill_in_one_pass(p, &all, most);
    drop_made(&all);
    if (!*fits) return CP_OK;
    return good ? give(&p->r, data, indices, indptr) : cp_error();
}
/* Takes the elements that are 0 out of a result. */
static cp_code drop_zeros(cp_array **data, cp_array **indices, cp_array **indptr)
{
    cp_array *d = *data, *i = *indices, *p = *indptr;
    const cp_code code = cp_csr_select(d, i, p, d, data, indices, indptr);
    if (code != CP_OK) *data = *indices = *indptr = NULL;
    cp_free(d);
    cp_free(i);
    cp_free(p);
    return code;
}

cp_code cp_csr_product(cp_array *data_a, cp_array *indices_a, cp_array *indptr_a, cp_array *data_b,
                          cp_array *indices_b, cp_array *indptr_b, int64_t columns, cp_array **data,
                          cp_array **indices, cp_array **indptr)
{
    pair p = {.name = "sparse_product", .in = {data_a, indices_a, indptr_a, data_b, indices_b, indptr_b}};
    if (open_pair(&p, columns, true) != CP_OK) return cp_error();
    cp_array *out[3] = {NULL, NULL, NULL};
    bool fits = true, zeros = false;
    cp_code code = product_in_one_pass(&p, &fits, &out[0], &out[1], &out[2]);
    if (!fits) code = product_of_rows(&p, &fits, &zeros, &out[0], &out[1], &out[2]);
    if (!fits) {
        drop_made(&p.r);
        code = count_begin(p.name, p.device, p.a.csr.rows, &p.j, &p.r)
                   ? product_of_all(&p, columns, &out[0], &out[1], &out[2]) : cp_error();
        zeros = true;
    }
    close_pair(&p);
    drop_made(&p.r);
    if (code == CP_OK && zeros) code = drop_zeros(&out[0], &out[1], &out[2]);
    if (code != CP_OK) return code;
    *data = out[0], *indices = out[1], *indptr = out[2];
    return CP_OK;
}
