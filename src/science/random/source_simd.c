/* Laws of sources on the CPU: tries at a whole piece of elements as vectors, by their first words, without branches.
 * What a try makes is what cpr_of_source makes of the element, bit for bit, or it is marked as no good; those are few,
 * and are drawn one by one (random_simd.c). */
#include "cpu/features.h"
#include "random/cpu.h"
#include "random/samplers.h"

#define W(i, k) w[4 * (i) + (k)]
#define FIRST(NAME) static void first_##NAME(const cpi_draw *d, const uint64_t *w, int64_t n, double *v, int64_t *good)

/* gamma numbers of a shape by the first three words, or the fourth where it is below 1; unscaled */
static void gammas(double shape, const uint64_t *w, int64_t n, double *v, int64_t *good)
{
    const double a = shape < 1 ? shape + 1 : shape, d = a - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (int64_t i = 0; i < n; i++) {
        double x, y;
        cpr_normals(W(i, 0), W(i, 1), &x, &y);
        good[i] = cpr_gamma_try(d, c, x, cpr_inside(W(i, 2)), true, &v[i]);
    }
    if (shape < 1)
        for (int64_t i = 0; i < n; i++) v[i] = v[i] * cpr_exp(cpr_log(cpr_inside(W(i, 3))) / shape);
}

FIRST(gamma)
{
    const double scale = d->value[1];
    gammas(d->value[0], w, n, v, good);
    for (int64_t i = 0; i < n; i++) v[i] = v[i] * scale;
}

FIRST(chisquare)
{
    gammas(0.5 * d->value[0], w, n, v, good);
    for (int64_t i = 0; i < n; i++) v[i] = 2 * v[i];
}

/* Two gamma numbers, of shapes of 1 or more, of both normal numbers of the first two words and of one word each */
static inline __attribute__((always_inline)) bool both(double a, double b, const uint64_t *w, double *x, double *y)
{
    const double da = a - 1.0 / 3, ca = 1 / sqrt(9 * da), db = b - 1.0 / 3, cb = 1 / sqrt(9 * db);
    double p, q;
    cpr_normals(w[0], w[1], &p, &q);
    const bool one = cpr_gamma_try(da, ca, p, cpr_inside(w[2]), true, x);
    return one & cpr_gamma_try(db, cb, q, cpr_inside(w[3]), true, y);
}

FIRST(beta_large)
{
    const double a = d->value[0], b = d->value[1];
    for (int64_t i = 0; i < n; i++) {
        double x, y;
        good[i] = both(a, b, w + 4 * i, &x, &y);
        v[i] = x / (x + y);
    }
}

FIRST(beta_small)
{
    const double a = d->value[0], b = d->value[1];
    for (int64_t i = 0; i < n; i++) {
        double x, y, p, q;
        const bool one = cpr_beta_try(a, b, cpr_inside(W(i, 0)), cpr_inside(W(i, 1)), &x, &y);
        const bool two = cpr_beta_try(a, b, cpr_inside(W(i, 2)), cpr_inside(W(i, 3)), &p, &q);
        x = one ? x : p;
        y = one ? y : q;
        good[i] = (one | two) & (x + y >= 0x1p-1000);
        v[i] = x / (x + y);
    }
}

FIRST(f)
{
    const double a = d->value[0], b = d->value[1];
    for (int64_t i = 0; i < n; i++) {
        double x, y;
        good[i] = both(0.5 * a, 0.5 * b, w + 4 * i, &x, &y);
        v[i] = 2 * x * b / (2 * y * a);
    }
}

FIRST(t)
{
    const double a = d->value[0], shape = 0.5 * a, s = shape - 1.0 / 3, c = 1 / sqrt(9 * s), r = sqrt(shape);
    for (int64_t i = 0; i < n; i++) {
        double z, x, g;
        cpr_normals(W(i, 0), W(i, 1), &z, &x);
        good[i] = cpr_gamma_try(s, c, x, cpr_inside(W(i, 2)), true, &g);
        v[i] = r * z / sqrt(g);
    }
}

FIRST(t_small) /* the gamma number is that of a shape below 1 */
{
    const double a = d->value[0], shape = 0.5 * a, s = shape + 1 - 1.0 / 3, c = 1 / sqrt(9 * s), r = sqrt(shape);
    for (int64_t i = 0; i < n; i++) {
        double z, x, g;
        cpr_normals(W(i, 0), W(i, 1), &z, &x);
        good[i] = cpr_gamma_try(s, c, x, cpr_inside(W(i, 2)), true, &g);
        v[i] = r * z / sqrt(g * cpr_exp(cpr_log(cpr_inside(W(i, 3))) / shape));
    }
}

FIRST(wald)
{
    const double mean = d->value[0], scale = d->value[1];
    for (int64_t i = 0; i < n; i++) {
        double z, other;
        cpr_normals(W(i, 0), W(i, 1), &z, &other);
        good[i] = true;
        v[i] = cpr_wald_of(mean, scale, z, cpr_inside(W(i, 2)));
    }
}

FIRST(vonmises)
{
    const double mu = d->value[0], kappa = d->value[1], r = cpr_vonmises_r(kappa);
    for (int64_t i = 0; i < n; i++) {
        double angle;
        good[i] = cpr_vonmises_try(kappa, r, cpr_inside(W(i, 0)), cpr_inside(W(i, 1)), true, &angle);
        v[i] = cpr_vonmises_end(mu, angle, W(i, 2));
    }
}

/* Of transformed rejection that part which needs no logarithm */
FIRST(poisson)
{
    const cpr_hat h = cpr_poisson_hat(d->value[0]);
    for (int64_t i = 0; i < n; i++) good[i] = cpr_hat_try(&h, cpr_inside(W(i, 0)), cpr_inside(W(i, 1)), &v[i]);
}

FIRST(binomial)
{
    const double m = d->value[0], p = d->value[1];
    const bool swapped = p > 0.5;
    const cpr_hat h = cpr_binomial_hat(m, swapped ? 1 - p : p);
    for (int64_t i = 0; i < n; i++) {
        double k;
        good[i] = cpr_hat_try(&h, cpr_inside(W(i, 0)), cpr_inside(W(i, 1)), &k);
        v[i] = swapped ? m - k : k;
    }
}

/* Of what is refused more often both tries that four words are */
FIRST(zipf)
{
    const double e = d->value[0] - 1, b = cpr_pow(2, e), least = cpr_pow(0x1p63, -e), power = -1 / e;
    for (int64_t i = 0; i < n; i++) v[i] = 0, good[i] = 0;
    for (int k = 0; k < 4; k += 2)
        for (int64_t i = 0; i < n; i++) {
            const double t = cpr_inside(W(i, k)), u = t * least + (1 - t), y = cpr_inside(W(i, k + 1));
            const double x = floor(cpr_exp(power * cpr_log(u))), grown = cpr_expm1_eager(e * cpr_log1p_eager(1 / x));
            const bool fits = (x >= 1) & (x < 0x1p63), here = y * x * grown / (b - 1) <= (grown + 1) / b;
            v[i] = good[i] ? v[i] : x;
            good[i] |= fits & here;
        }
}

/* Of numbers from 16 on: what else there is would need a table's entry in each lane. */
static inline __attribute__((always_inline)) double lfactorial(double k)
{
    return cpr_lfactorial_by(k, cpr_stirling_series(k));
}

/* Both tries, where no factorial is one of the table's: r.m lies far from these, or else the distribution has steps. */
FIRST(hypergeometric)
{
    const double many = d->value[0], bad = d->value[1], sample = d->value[2];
    const cpr_ratio r = cpr_hypergeometric_ratio(many, bad, sample);
    const double least = (r.less < r.few ? r.less : r.few) - 15, high = least < r.end ? least : r.end; /* few <= more */
    for (int64_t i = 0; i < n; i++) v[i] = r.m, good[i] = 0;
    for (int j = 0; j < 4; j += 2)
        for (int64_t i = 0; i < n; i++) {
            const double u = cpr_inside(W(i, j)), x = r.a + r.h * (cpr_inside(W(i, j + 1)) - 0.5) / u;
            const bool fits = (x >= 16) & (x < high);
            const double k = fits ? floor(x) : r.m;
            const double t = r.g - (lfactorial(k) + lfactorial(r.less - k) + lfactorial(r.few - k) +
                                    lfactorial(r.more - r.few + k));
            const bool surely = u * (4 - u) - 3 <= t, perhaps = u * (u - t) < 1, yes = 2 * cpr_log(u) <= t;
            v[i] = good[i] ? v[i] : k;
            good[i] |= fits & (surely | (perhaps & yes));
        }
    for (int64_t i = 0; i < n; i++) v[i] = cpr_hypergeometric_end(many, bad, sample, r.few, v[i]);
}

/* Are those of the likeliest number? */
static bool has_large_factorials(double good, double bad, double sample)
{
    if (sample < 10 || good + bad - sample < 10) return false;
    const cpr_ratio r = cpr_hypergeometric_ratio(good, bad, sample);
    return r.m >= 16 && r.less - r.m >= 16 && r.few - r.m >= 16;
}

cpi_random_first CPI_ISA_NAME(cpi_random_first_of)(const cpi_draw *d);
cpi_random_first CPI_ISA_NAME(cpi_random_first_of)(const cpi_draw *d)
{
    const double a = d->value[0], b = d->value[1], c = d->value[2];
    if (d->array[0] || d->array[1] || d->array[2]) return NULL;
    switch (d->distribution) {
    case CPR_GAMMA: return a > 0 && a < INFINITY ? first_gamma : NULL;
    case CPR_CHISQUARE: return a > 0 && a < INFINITY ? first_chisquare : NULL;
    case CPR_BETA:
        if (a <= 1 && b <= 1) return first_beta_small;
        return a >= 1 && b >= 1 && a < INFINITY && b < INFINITY ? first_beta_large : NULL;
    case CPR_F: return a >= 2 && b >= 2 && a < INFINITY && b < INFINITY ? first_f : NULL;
    case CPR_STANDARD_T: return !(a < INFINITY) ? NULL : a >= 2 ? first_t : first_t_small;
    case CPR_WALD: return first_wald;
    case CPR_VONMISES: return b >= 1e-8 && b <= 1e6 ? first_vonmises : NULL;
    case CPR_POISSON: return a >= 10 ? first_poisson : NULL;
    case CPR_BINOMIAL: return a > 0 && a * (b > 0.5 ? 1 - b : b) >= 10 ? first_binomial : NULL;
    case CPR_HYPERGEOMETRIC: return has_large_factorials(a, b, c) ? first_hypergeometric : NULL;
    case CPR_ZIPF: return a < 1025 ? first_zipf : NULL;
    default: return NULL;
    }
}
