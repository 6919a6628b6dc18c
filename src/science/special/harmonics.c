/* Spherical harmonics with their derivatives, of given and of all degrees and orders: functions of the polar angle
 * times turns. */
#include "special/parts.h"

/* Derivatives by the polar angle and by the azimuth, in the order of the result. */
static const struct { int polar, azimuth; } parts[6] = {{0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2}};
static const int count[3] = {1, 3, 6};

/* The parts, of this shape, from functions of the polar angle with their derivatives, (diff + 1, ...). */
static cp_array *turned(int diff, cp_array *p, cp_array *order, cp_array *phi, cp_shape shape)
{
    cp_array *angle = p && order ? cp_multiply(order, cp_astype(phi, CP_FLOAT64)) : NULL;
    cp_array *turn = angle ? cp_exp(cp_multiply(cp_complex(0, 1), angle)) : NULL;
    cp_array *r = turn ? cp_empty(shape, CP_COMPLEX128) : NULL, *by[3] = {turn, NULL, NULL};
    for (int i = 1; i <= diff && r; i++) by[i] = cp_multiply(cp_multiply(cp_complex(0, 1), order), by[i - 1]);
    for (int i = 0; i < count[diff] && r; i++) {
        cp_array *part = cp_slice(r, 1, &CP_AT(i)), *value = cp_slice(p, 1, &CP_AT(parts[i].polar));
        cp_array *product = value && by[parts[i].azimuth] ? cp_multiply(value, by[parts[i].azimuth]) : NULL;
        if (!part || !product || cp_assign(part, product)) r = NULL;
    }
    return r;
}

/*: function("sph_harm_y_all", "n: int, m: int, theta: array_like, phi: array_like, diff_n: int = 0",
             module="_special", unlock="always", raises={"ValueError": "a diff_n beyond 0 to 2, a negative n or m"},
             doc="""The spherical harmonics of degrees 0 to n and orders 0 to m and -m to -1 at the polar angle theta
and the azimuth phi, in complex128: (parts, n + 1, 2 m + 1, ...). With diff_n 1 or 2 there are 3 or 6 parts: behind the
harmonics their derivatives by theta and by phi, then the second ones by both of theta, by theta and phi, by both of
phi.""") */
cp_array *(cp_sph_harm_y_all)(int n, int m, cp_array *theta, cp_array *phi, const cp_sph_harm_y_all_options *options)
{
    const int diff = CPI_GIVEN(cp_sph_harm_y_all_options, options)->diff_n;
    const char *name = "sph_harm_y_all";
    cpi_composite f;
    int ndim;
    int64_t shape[CP_MAXDIM + 3], at[CP_MAXDIM];
    if (cpi_null(name, theta) || cpi_null(name, phi)) return NULL;
    if (cpi_check_real(name, theta) || cpi_check_real(name, phi)) return NULL;
    if (n < 0 || m < 0) return cpi_fail(CP_ERROR_VALUE, "%s: n and m must be non-negative integers", name), NULL;
    if (diff < 0 || diff > 2) return cpi_fail(CP_ERROR_VALUE, "%s: diff_n is 0, 1 or 2, not %d", name, diff), NULL;
    if (cpi_common_shape(name, 2, (cp_array *[]){theta, phi}, &ndim, shape + 3)) return NULL;
    if (ndim + 3 > CP_MAXDIM) return cpi_fail(CP_ERROR_VALUE, "%s: more than %d dimensions", name, CP_MAXDIM), NULL;
    if (!cpi_begin(&f, name, theta->flags & CPI_HOST_SCALAR ? phi : theta)) return NULL;
    shape[0] = count[diff], shape[1] = (int64_t)n + 1, shape[2] = 2 * (int64_t)m + 1;
    at[0] = shape[2];
    for (int d = 1; d <= ndim; d++) at[d] = 1;
    cp_array *polar = cp_broadcast_to(theta, (cp_shape){ndim, shape + 3});
    cp_array *p = polar ? cp_sph_legendre_p_all(n, m, polar, .diff_n = diff) : NULL;
    cp_array *both[2] = {cp_arange_int(0, (int64_t)m + 1, 1, CP_INT64), cp_arange_int(-(int64_t)m, 0, 1, CP_INT64)};
    cp_array *order = both[0] && both[1] ? cp_concatenate(2, both, 0) : NULL;
    order = order ? cp_astype(cp_reshape(order, (cp_shape){ndim + 1, at}), CP_FLOAT64) : NULL;
    return cpi_end(&f, turned(diff, p, order, phi, (cp_shape){ndim + 3, shape}));
}

/*: function("sph_harm_y_derivatives", "n: array_like, m: array_like, theta: array_like, phi: array_like, diff_n: int",
             module="_special", unlock="always",
             raises={"ValueError": "a diff_n beyond 0 to 2", "TypeError": "degrees and orders that are not whole"},
             doc="""The spherical harmonic of degree n and order m at the polar angle theta and the azimuth phi and its
derivatives, in complex128: (parts, ...). With diff_n 0, 1 or 2 there are 1, 3 or 6 parts, as of sph_harm_y_all: the
harmonic, behind it its derivatives by theta and by phi, then the second ones by both of theta, by theta and phi, by
both of phi. Waits for the largest degree.""") */
cp_array *cp_sph_harm_y_derivatives(cp_array *n, cp_array *m, cp_array *theta, cp_array *phi, int diff)
{
    const char *name = "sph_harm_y_derivatives";
    cpi_composite f;
    int ndim;
    int64_t shape[CP_MAXDIM + 1];
    if (cpi_null(name, n) || cpi_null(name, m) || cpi_null(name, theta) || cpi_null(name, phi)) return NULL;
    if (cpi_check_real(name, theta) || cpi_check_real(name, phi)) return NULL;
    if (diff < 0 || diff > 2) return cpi_fail(CP_ERROR_VALUE, "%s: diff_n is 0, 1 or 2, not %d", name, diff), NULL;
    if (!cpi_is_whole(n->type) || !cpi_is_whole(m->type))
        return cpi_fail(CP_ERROR_TYPE, "%s: n and m must be integers", name), NULL;
    if (cpi_common_shape(name, 4, (cp_array *[]){n, m, theta, phi}, &ndim, shape + 1)) return NULL;
    if (ndim >= CP_MAXDIM) return cpi_fail(CP_ERROR_VALUE, "%s: more than %d dimensions", name, CP_MAXDIM), NULL;
    cp_array *first = theta->flags & CPI_HOST_SCALAR ? phi : theta;
    if (!cpi_begin(&f, name, first->flags & CPI_HOST_SCALAR ? n : first)) return NULL;
    shape[0] = count[diff];
    cp_array *polar = cp_broadcast_to(theta, (cp_shape){ndim, shape + 1});
    cp_array *p = polar ? cp_sph_legendre_p(n, m, polar, .diff_n = diff) : NULL;
    return cpi_end(&f, turned(diff, p, cp_astype(m, CP_FLOAT64), phi, (cp_shape){ndim + 1, shape}));
}
