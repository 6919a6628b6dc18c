/* The Poisson equation -u_xx - u_yy = f on the unit square, u = 0 at its edge, by conjugate gradients: differences of
 * second order on a grid make a sparse matrix, and the solution is drawn. f is chosen so that u is known: a product of
 * cubic polynomials, of which these differences are exact. Printed are the residual, and how far the result is from u.
 *
 *     cc poisson.c $(pkg-config --cflags --libs cuprite) -o poisson
 *     ./poisson [RESULT.png [POINTS [DEVICE]]]
 *
 * The grid has POINTS x POINTS inner points, 1024 if nothing is said. The matrix has five diagonals; cg needs products
 * with it and nothing else. */
#include <cuprite.h>
#include <stdio.h>
#include <stdlib.h>

/* n^2 x n^2: 4 on the diagonal, -1 for each neighbour, except where the neighbour is in another row of the grid. */
static cp_sparse *laplacian(int64_t n)
{
    const int64_t all = n * n, offsets[] = {-n, -1, 0, 1, n};
    cp_array *one = cp_full(CP_SHAPE(all), CP_FLOAT64, cp_float(-1));
    cp_array *column = cp_remainder(cp_arange_int(0, all, 1, CP_INT64), cp_int(n));
    /* element c of a diagonal stands in column c of the matrix: left of the first, right of the last is nothing */
    cp_array *left = cp_where(cp_equal(column, cp_int(n - 1)), cp_float(0), one);
    cp_array *right = cp_where(cp_equal(column, cp_int(0)), cp_float(0), one);
    cp_array *diagonals[] = {one, left, cp_multiply(one, cp_float(-4)), right, one};
    return cp_sparse_from_diagonals(all, all, cp_stack(5, diagonals, 0), 5, offsets, CP_SPARSE_CSR);
}

/* u = 108 g(x) g(y) with g(t) = t (1 - t) (1 - 2 t), from -1 to 1; and -u_xx - u_yy, where -g''(t) = 6 - 12 t. */
static cp_array *solution(int64_t n, cp_array **right)
{
    cp_array *t = cp_divide(cp_arange(1, (double)n + 1, 1, CP_FLOAT64), cp_float((double)n + 1));
    cp_array *rest = cp_subtract(cp_float(1), t), *skew = cp_subtract(rest, t);
    cp_array *g = cp_multiply(cp_multiply(t, rest), skew), *bend = cp_multiply(skew, cp_float(6));
    cp_array *down_g = cp_reshape(g, CP_SHAPE(n, 1)), *down_bend = cp_reshape(bend, CP_SHAPE(n, 1));
    cp_array *f = cp_add(cp_multiply(down_g, bend), cp_multiply(down_bend, g));
    *right = cp_multiply(cp_reshape(f, CP_SHAPE(n * n)), cp_float(108));
    return cp_multiply(cp_reshape(cp_multiply(down_g, g), CP_SHAPE(n * n)), cp_float(108));
}

/* -1 to 1 as blue, white and red. */
static cp_array *picture(cp_array *u, int64_t n)
{
    cp_array *red = cp_add(cp_minimum(u, cp_float(0)), cp_float(1));
    cp_array *blue = cp_subtract(cp_float(1), cp_maximum(u, cp_float(0)));
    cp_array *colours[] = {red, cp_multiply(red, blue), blue};
    cp_array *bytes = cp_multiply(cp_clip(cp_stack(3, colours, 1), cp_float(0), cp_float(1)), cp_float(255));
    return cp_astype(cp_reshape(bytes, CP_SHAPE(n, n, 3)), CP_UINT8);
}

int main(int argc, char **argv)
{
    const char *out = argc > 1 ? argv[1] : "poisson.png";
    const long n = argc > 2 ? strtol(argv[2], NULL, 10) : 1024;
    int device;
    if (n < 2 || n > 8192) {
        fprintf(stderr, "POINTS must be 2 to 8192\n");
        return 1;
    }
    if (argc > 3 && (cp_device_parse(argv[3], &device) != CP_OK || cp_device_use(device) != CP_OK)) {
        fprintf(stderr, "%s\n", cp_error_message());
        return 1;
    }
    for (CP_SCOPE) {
        const double h = 1 / (double)(n + 1);
        cp_sparse_report how;
        cp_sparse *a = laplacian(n);
        cp_array *f, *exact = solution(n, &f);
        cp_array *u = cp_sparse_cg(a, cp_multiply(f, cp_float(h * h)), .rtol = 1e-6, .report = &how);
        cp_array *error = cp_max(cp_absolute(cp_subtract(u, exact)));
        if (cp_png_write(out, picture(u, n)) == CP_OK)
            printf("%ld x %ld points, %lld elements; %lld steps to a residual of %.1e; the error is %.1e: %s\n", n, n,
                   (long long)cp_sparse_nnz(a), (long long)how.iterations, how.residual, cp_item_float(error), out);
        cp_sparse_free(a);
    }
    if (cp_error() != CP_OK) fprintf(stderr, "%s\n", cp_error_message());
    return cp_error() != CP_OK;
}
