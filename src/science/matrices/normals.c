/* Normal vectors: normal numbers times a factor of their covariance. Invariant: the generator is not advanced before
 * all arguments are checked. */
#include "compose/compose.h"

/*: words("normal_method", "svd eigh cholesky", c="cp_normal_method",
          values="CP_NORMAL_SVD CP_NORMAL_EIGH CP_NORMAL_CHOLESKY") */
/*: words("covariance_check", "warn raise ignore", c="cp_covariance_check",
          values="CP_COVARIANCE_WARN CP_COVARIANCE_RAISE CP_COVARIANCE_IGNORE") */

static const char *const name = "multivariate_normal";

/* The symmetric root, of singular or eigenvectors u: u diag(sqrt(s)) u^T, which does not depend on the choice of
 * vectors. */
static cp_array *symmetric_root(cp_array *u, cp_array *s)
{
    return cp_matmul(cp_multiply(u, cp_sqrt(s)), cp_swapaxes(u, -1, -2));
}

/* A factor, and whether cov is a covariance as `asked` checks: 1, 0, or -1 with an error. */
static cp_array *factor(cp_array *cov, cp_normal_method method, bool asked, double tol, int *valid)
{
    cp_array *u = NULL, *s = NULL, *vt = NULL;
    *valid = 1;
    if (method == CP_NORMAL_CHOLESKY) return cp_cholesky(cov);
    if (method == CP_NORMAL_SVD) {
        if (cp_svd(cov, &u, &s, &vt)) return NULL;
        if (asked)
            *valid = cp_allclose(cp_matmul(cp_multiply(cp_swapaxes(vt, -1, -2), s), vt), cov, tol, tol, false);
        return symmetric_root(u, s);
    }
    if (cp_eigh(cov, &s, &u)) return NULL;
    if (asked) {
        cp_array *any = cp_any(cp_less(s, cp_float(-tol)));
        bool bad;
        *valid = !any || cp_to_host(any, &bad, sizeof bad) ? -1 : !bad;
    }
    return symmetric_root(u, cp_absolute(s));
}

static cp_type type_of(const cp_rng_multivariate_normal_options *o)
{
    return o->typed ? o->dtype : o->out ? cp_type_of(o->out) : CP_FLOAT64;
}

static cp_code check(const cp_array *mean, const cp_array *cov, const cp_rng_multivariate_normal_options *o)
{
    if (cpi_is_complex(cp_type_of(mean)) || cpi_is_complex(cp_type_of(cov)))
        return cpi_fail(CP_ERROR_TYPE, "%s: mean and cov must not be complex", name);
    if (cp_ndim(mean) != 1) return cpi_fail(CP_ERROR_VALUE, "%s: mean must be 1 dimensional", name);
    if (cp_ndim(cov) != 2 || cp_dim(cov, 0) != cp_dim(cov, 1))
        return cpi_fail(CP_ERROR_VALUE, "%s: cov must be 2 dimensional and square", name);
    if (cp_dim(mean, 0) != cp_dim(cov, 0))
        return cpi_fail(CP_ERROR_VALUE, "%s: mean and cov must have same length", name);
    if ((unsigned)o->method > CP_NORMAL_CHOLESKY || (unsigned)o->check_valid > CP_COVARIANCE_IGNORE)
        return cpi_fail(CP_ERROR_VALUE, "%s: method or check_valid is no such word", name);
    const cp_type type = type_of(o);
    if (type != CP_FLOAT64 && type != CP_FLOAT32)
        return cpi_fail(CP_ERROR_TYPE, "%s: Unsupported dtype dtype('%s') for %s", name, cp_type_name(type), name);
    if (o->out && cp_type_of(o->out) != type)
        return cpi_fail(CP_ERROR_TYPE, "%s: out is %s, not %s", name, cp_type_name(cp_type_of(o->out)),
                        cp_type_name(type));
    return CP_OK;
}

/* The shape of the vectors, their own axis last. */
static cp_code whole_shape(const cp_array *mean, const cp_rng_multivariate_normal_options *o, int *n, int64_t *dim)
{
    const bool given = o->shape.dim != NULL;
    *n = given ? o->shape.n : o->out ? cp_ndim(o->out) - 1 : 0;
    if (*n < 0) return cpi_fail(CP_ERROR_VALUE, "%s: out has no axis for the vectors", name);
    if (*n >= CP_MAXDIM) return cpi_fail(CP_ERROR_VALUE, "%s: more than %d dimensions", name, CP_MAXDIM);
    for (int i = 0; i < *n; i++) dim[i] = given ? o->shape.dim[i] : cp_dim(o->out, i);
    dim[(*n)++] = cp_dim(mean, 0);
    bool fits = !o->out || cp_ndim(o->out) == *n;
    for (int i = 0; i < *n && o->out && fits; i++) fits = cp_dim(o->out, i) == dim[i];
    return fits ? CP_OK : cpi_fail(CP_ERROR_VALUE, "%s: size must match out.shape when used together", name);
}

static cp_array *vectors(cp_rng *g, cp_array *mean, cp_array *cov, double tol,
                         const cp_rng_multivariate_normal_options *o)
{
    int64_t dim[CP_MAXDIM + 1];
    int n, valid;
    if (check(mean, cov, o) || whole_shape(mean, o, &n, dim)) return NULL;
    cov = cp_astype(cov, CP_FLOAT64);
    cp_array *root = cov ? factor(cov, o->method, o->check_valid != CP_COVARIANCE_IGNORE, tol, &valid) : NULL;
    if (!root || valid < 0) return NULL;
    if (!valid && o->check_valid == CP_COVARIANCE_RAISE)
        return cpi_fail(CP_ERROR_VALUE, "%s: covariance is not symmetric positive-semidefinite.", name), NULL;
    cp_array *z = cp_rng_normal(g, cp_float(0), cp_float(1), .shape = {n, dim});
    cp_array *x = z ? cp_matmul(z, cp_swapaxes(root, -1, -2)) : NULL;
    if (x && !valid) cpi_warn(CP_WARNING_COVARIANCE);
    if (o->out) return cpi_apply_2(CP_OP_add, x, mean, o->out);
    return cp_astype(cp_add(x, mean), type_of(o));
}

/*: function("rng_multivariate_normal",
             "g: rng, mean: array_like, cov: array_like, tol: double, shape: size = None, "
             "check_valid: covariance_check = 'warn', method: normal_method = 'svd', dtype: dtype = None, "
             "out: out = None",
             module="_random", unlock="always",
             doc="""Normal vectors along a new last axis: normal numbers times a factor of the covariance, its Cholesky
factor ('cholesky') or the symmetric root of its singular ('svd') or eigenvectors ('eigh'). cov is one where what these
make is cov again within tol ('svd'), or no eigenvalue is below -tol ('eigh'); check_valid: what happens where it is
not. CP_ERROR_LINALG where there is no Cholesky factor.""") */
cp_array *(cp_rng_multivariate_normal)(cp_rng *g, cp_array *mean, cp_array *cov, double tol,
                                       const cp_rng_multivariate_normal_options *options)
{
    const cp_rng_multivariate_normal_options *o = CPI_GIVEN(cp_rng_multivariate_normal_options, options);
    cpi_composite f;
    if (cpi_null(name, g) || cpi_null(name, cov) || !cpi_begin(&f, name, mean)) return NULL;
    return cpi_end(&f, vectors(g, mean, cov, tol, o));
}
