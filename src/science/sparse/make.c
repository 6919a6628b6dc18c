/* Sparse matrices of given shape: ones on a diagonal, random elements at random places. */
#include <math.h>

#include "cuprite/random.h"
#include "cuprite/sort.h"
#include "operands/operands.h"
#include "sparse/handle.h"

cp_sparse *cp_sparse_eye(int64_t rows, int64_t columns, int64_t k, cp_type type, cp_sparse_format format)
{
    const char *name = "sparse_eye";
    cpi_composite scope;
    if (cpi_sparse_check_shape(name, rows, columns, format)) return NULL;
    if (type == CP_DEFAULT) type = CP_FLOAT64;
    if (cpi_sparse_check_type(name, "the elements", type) || !cpi_begin_alone(&scope)) return NULL;
    const bool there = k > -rows && k < columns;
    const int64_t most = there ? (k > 0 || rows < columns - k ? rows + k : columns) : 0;
    cp_array *ones = cp_ones(CP_SHAPE(there ? 1 : 0, most < columns ? most : columns), type);
    return cpi_sparse_end(&scope, ones ? cp_sparse_from_diagonals(rows, columns, ones, there, &k, format) : NULL);
}

/* --- random --- */

enum { PERMUTED = 1 << 22 }; /* elements, up to which all are permuted */

/* `size` different numbers below `count`, in random order. */
static cp_array *places(int64_t count, int64_t size, cp_rng *g)
{
    if (count <= PERMUTED || size >= count - size) return cpi_range(cp_rng_permutation(g, count), 0, 0, size);
    cp_array *found = cp_zeros(CP_SHAPE(0), CP_INT64);
    while (found && found->size < size) {
        const int64_t n = size + size / 8 + 16 - found->size / 2;
        cp_array *drawn = cp_rng_integers(g, cp_int(0), cp_int(count), false, .shape = CP_SHAPE(n));
        cp_array *all = drawn ? cp_concatenate(2, ((cp_array *[]){found, drawn}), 0) : NULL;
        found = all ? cp_unique(all) : NULL;
    }
    cp_array *order = found ? cp_rng_permutation(g, found->size) : NULL;
    return order ? cp_take(found, cpi_range(order, 0, 0, size), 0) : NULL;
}
static cp_array *bound_of(cp_type type, bool most)
{
    const bool sign = cp_type_kind(type) == 'i';
    const int bits = 8 * (int)cp_type_size(type);
    const uint64_t all = UINT64_MAX >> (64 - bits);
    const int64_t low = sign ? -(int64_t)(all / 2) - 1 : 0;
    const uint64_t high = sign ? all / 2 : all;
    return cp_scalar(most ? CP_UINT64 : CP_INT64, most ? (const void *)&high : (const void *)&low);
}
static cp_array *drawn(cp_type type, int64_t size, cp_rng *g)
{
    const cp_shape shape = CP_SHAPE(size);
    if (cpi_is_int(type))
        return cp_rng_integers(g, bound_of(type, false), bound_of(type, true), false, .shape = shape, .typed = true,
                               .dtype = type);
    cp_array *re = cp_rng_uniform(g, cp_float(0), cp_float(1), .shape = shape);
    if (cp_type_kind(type) != 'c') return cp_astype(re, type);
    cp_array *im = cp_rng_uniform(g, cp_float(0), cp_float(1), .shape = shape);
    return cp_astype(cp_add(re, cp_multiply(im, cp_complex(0, 1))), type);
}
cp_sparse *cp_sparse_random(int64_t rows, int64_t columns, double density, cp_type type, cp_sparse_format format,
                            cp_rng *g)
{
    const char *name = "sparse_random";
    cpi_composite scope;
    int64_t count;
    if (cpi_sparse_check_shape(name, rows, columns, format) || cpi_null(name, g)) return NULL;
    if (!(density >= 0 && density <= 1))
        return cpi_fail(CP_ERROR_VALUE, "%s: density must be from 0 to 1, not %g", name, density), NULL;
    if (__builtin_mul_overflow(rows, columns, &count))
        return cpi_fail(CP_ERROR_VALUE, "%s: a matrix must have at most 2^63 - 1 elements", name), NULL;
    if (type == CP_DEFAULT) type = CP_FLOAT64;
    if (cpi_sparse_check_type(name, "the elements", type) || !cpi_begin_alone(&scope)) return NULL;
    const double wanted = nearbyint(density * (double)count);
    const int64_t size = wanted < (double)count ? (int64_t)wanted : count;
    const cp_type index = rows > INT32_MAX || columns > INT32_MAX ? CP_INT64 : CP_INT32;
    cp_array *at = places(count, size, g), *high = cp_int(rows ? rows : 1);
    const cpi_sparse_parts p = {drawn(type, size, g), cp_astype(cp_remainder(at, high), index),
                                cp_astype(cp_floor_divide(at, high), index)};
    cp_sparse *triples = p.data && p.first && p.second
                             ? cpi_sparse_made(CP_SPARSE_COO, rows, columns, p, false, false) : NULL;
    cp_sparse *made = triples ? cp_sparse_convert(triples, format) : NULL;
    cp_sparse_free(triples);
    return cpi_sparse_end(&scope, made);
}
