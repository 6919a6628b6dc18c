/* Exponentials of rows and their sums: which arrays are rows. */
#include "operands/operands.h"
#include "reduce/reduce.h"
#include "reduce/exponentials.h"

/* A row is one thread's, or block's. Fewer than MANY that are long would leave others idle: several passes are
 * faster. */
enum { LONG = 16384, MANY = 512 };

cp_array *cpi_exponentials_of_rows(cp_array *x, cp_axes axis, bool logarithm)
{
    if (cp_error() != CP_OK || !x || (x->type != CP_FLOAT32 && x->type != CP_FLOAT64)) return NULL;
    if (!x->ndim || !x->size || (x->flags & CPI_HOST_SCALAR)) return NULL;
    const int last = x->ndim - 1;
    if (axis.n > 1 || (axis.n ? axis.at[0] != last && axis.at[0] != -1 : last || axis.at)) return NULL;
    if (!cp_is_c_contiguous(x)) return NULL;
    const int64_t rows = x->size / x->shape[last];
    if (x->shape[last] > LONG && rows < MANY) return NULL;
    int64_t shape[CP_MAXDIM];
    for (int i = 0; i <= last; i++) shape[i] = logarithm && i == last ? 1 : x->shape[i];
    const char *name = logarithm ? "logsumexp" : "softmax";
    cp_array *result = cpi_array_new(name, x->device, x->type, x->ndim, shape, 'C');
    if (!result) return NULL;
    const cpi_exponentials e = {.type = x->type, .logarithm = logarithm, .rows = rows,
                                .n = x->shape[last], .from = x->data, .to = result->data};
    return x->device->backend->reduce->exponentials(cpi_stream(x->device), &e) == CP_OK ? result : NULL;
}
