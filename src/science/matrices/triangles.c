/* Places of matrices' triangles. */
#include "compose/compose.h"
#include "shape/triangles.h"

/* Rows and columns of the places that are true; the mask ends. */
static cp_code rows_and_columns(const char *name, cp_array *mask, cp_array **rows, cp_array **columns)
{
    if (cpi_null(name, rows) || cpi_null(name, columns)) return cp_free(mask), CP_ERROR_VALUE;
    cp_array *indices = mask ? cp_nonzero(mask) : NULL;
    *columns = NULL;
    *rows = indices ? cp_slice(indices, 1, &CP_AT(0)) : NULL;
    if (*rows) *columns = cp_slice(indices, 1, &CP_AT(1));
    cp_free(mask);
    cp_free(indices);
    return *columns ? CP_OK : (cp_free(*rows), *rows = NULL, cp_error());
}

/*: function("tril_indices", "n: extent, m: extent, k: clamped_int64 = 0", module="_triangles",
             returns="(rows, columns)", unlock="cpy_larger(n, m) < 128 ? 0 : INT64_MAX",
             doc="The places of the lower triangle of an n by m matrix, up to the k-th diagonal.") */
cp_code (cp_tril_indices)(int64_t n, int64_t m, cp_array **rows, cp_array **columns,
                          const cp_tril_indices_options *options)
{
    const cp_tril_indices_options *o = CPI_GIVEN(cp_tril_indices_options, options);
    return rows_and_columns("tril_indices", cp_tri(n, m, o->k, CP_BOOL), rows, columns);
}

/*: function("triu_indices", "n: extent, m: extent, k: clamped_int64 = 0", module="_triangles",
             returns="(rows, columns)", unlock="cpy_larger(n, m) < 128 ? 0 : INT64_MAX",
             doc="The places of the upper triangle of an n by m matrix, from the k-th diagonal on.") */
cp_code (cp_triu_indices)(int64_t n, int64_t m, cp_array **rows, cp_array **columns,
                          const cp_triu_indices_options *options)
{
    const cp_triu_indices_options *o = CPI_GIVEN(cp_triu_indices_options, options);
    cp_array *one = cp_ones(CP_SHAPE0, CP_BOOL), *all = one ? cp_broadcast_to(one, CP_SHAPE(n, m)) : NULL;
    cp_array *mask = all ? cpi_triangles("triu_indices", all, o->k, true) : NULL;
    cp_free(one), cp_free(all);
    return rows_and_columns("triu_indices", mask, rows, columns);
}
/*: python_module("_triangles", doc="Places of triangles and roots of polynomials in C, behind cuprite's functions.") */
