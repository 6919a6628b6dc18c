/* The distributions, one body each for C17 and CUDA C++.
 *
 * Laws of words make an element of one word (those of pairs: two of two). All others get a source: four words of their
 * own, and behind these as many as they ask for, of a Philox stream whose key and counter the four words are; so
 * elements are independent of one another and of how they are shared out. A distribution returns a double; those of
 * whole numbers return whole ones. Parameters have been checked, but NaN may come to distributions of real numbers and
 * gives NaN. */
#ifndef CPR_SAMPLERS_H
#define CPR_SAMPLERS_H

#include "random/distributions.h"
#include "random/numbers.h"

/* The order is that of the kinds: the generated random/distributions.h has those that are rows of distributions.def. */
#define CPR_WORD_KINDS(X) X(UNIT) CPR_WORD_DISTRIBUTIONS(X)
#define CPR_TABLE_KINDS(X) X(TABLE) /* any distribution of whole numbers, by its distribution function (cdf_table.c) */
#define CPR_PAIR_KINDS(X) CPR_PAIR_DISTRIBUTIONS(X)
#define CPR_SOURCE_KINDS(X) CPR_SOURCE_DISTRIBUTIONS(X)
#define CPR_ROW_KINDS(X) X(CHOICE) X(DIRICHLET) X(MULTINOMIAL) X(MULTIVARIATE_HYPERGEOMETRIC)

typedef enum cpi_distribution {
#define X(NAME) CPR_##NAME,
    CPR_WORD_KINDS(X) CPR_TABLE_KINDS(X)
    CPR_PAIRS, CPR_BEFORE_PAIRS = CPR_PAIRS - 1,
    CPR_PAIR_KINDS(X)
    CPR_SOURCES, CPR_BEFORE_SOURCES = CPR_SOURCES - 1,
    CPR_SOURCE_KINDS(X)
    CPR_ROWS, CPR_BEFORE_ROWS = CPR_ROWS - 1,
    CPR_ROW_KINDS(X)
#undef X
    CPR_NDISTRIBUTIONS
} cpi_distribution;

/* --- of one word --- */

CPR_FN double cpr_from_word(int distribution, uint64_t w, double a, double b, double c)
{
    switch (distribution) {
    case CPR_UNIT: return cpr_unit(w);
    case CPR_UNIFORM: return a + b * cpr_unit(w);
    case CPR_EXPONENTIAL: return -cpr_log(cpr_open(w)) * a;
    case CPR_RAYLEIGH: return a * sqrt(-2 * cpr_log(cpr_open(w)));
    case CPR_GUMBEL: return a - b * cpr_log(-cpr_log(cpr_inside(w)));
    case CPR_LAPLACE: {
        const double u = cpr_inside(w);
        return u >= 0.5 ? a - b * cpr_log(2 - 2 * u) : a + b * cpr_log(2 * u);
    }
    case CPR_LOGISTIC: {
        const double u = cpr_inside(w);
        return a + b * cpr_log(u / (1 - u));
    }
    case CPR_WEIBULL: return a == 0 ? 0 : cpr_pow(-cpr_log(cpr_inside(w)), 1 / a);
    case CPR_PARETO: return cpr_expm1(-cpr_log(cpr_inside(w)) / a);
    case CPR_POWER: return cpr_exp(cpr_log(cpr_inside(w)) / a);
    case CPR_STANDARD_CAUCHY: return cpr_cauchy(cpr_inside(w));
    case CPR_TRIANGULAR: { /* left, mode, right */
        const double u = cpr_unit(w), width = c - a, low = b - a, share = low / width;
        return u <= share ? a + sqrt(u * width * low) : c - sqrt((1 - u) * width * (c - b));
    }
    case CPR_GEOMETRIC: { /* the first success of many tries */
        const double k = ceil(cpr_log(cpr_inside(w)) / cpr_log1p(-a));
        return a >= 1 || k < 1 ? 1 : k;
    }
    default: return NAN; /* a row without a body */
    }
}

/* --- of one word and a table of steps --- */

/* The table has a guide, CPR_GUIDES + 1 numbers of 16 bits, and then the steps: how many of them a word has reached is
 * the number. Guide g is that of the first word whose upper bits are g. */
enum { CPR_GUIDES = 1024, CPR_GUIDE_BITS = 10, CPR_GUIDE_WORDS = CPR_GUIDES / 4 + 1, CPR_TABLE_MOST = 2048 };

CPR_FN int64_t cpr_table_search(const uint64_t *cdf, const uint16_t *guide, uint64_t w)
{
    const uint32_t g = (uint32_t)(w >> (64 - CPR_GUIDE_BITS));
    int32_t low = guide[g], high = guide[g + 1];
    while (low < high) {
        const int32_t mid = (low + high) >> 1;
        if (cdf[mid] <= w) low = mid + 1;
        else high = mid;
    }
    return low;
}

/* --- of a source --- */

typedef struct cpr_source {
    uint64_t first[4], word[4];
    uint32_t used, turn;
    bool has_spare;
    double spare; /* the other normal number */
} cpr_source;

CPR_FN void cpr_begin(cpr_source *s, const uint64_t w[4])
{
    for (int i = 0; i < 4; i++) s->first[i] = s->word[i] = w[i];
    s->used = s->turn = 0;
    s->has_spare = false;
    s->spare = 0;
}

CPR_LONG void cpr_refill(cpr_source *s)
{
    const uint64_t c[4] = {s->first[2], s->first[3], ++s->turn, UINT64_C(0x637570726974650a)};
    cpr_philox(s->first[0], s->first[1], c, s->word);
    s->used = 0;
}

CPR_FN uint64_t cpr_next(cpr_source *s)
{
    if (s->used == 4) cpr_refill(s);
    const uint32_t i = s->used++;
    const uint64_t a = i & 1 ? s->word[1] : s->word[0], b = i & 1 ? s->word[3] : s->word[2];
    return i & 2 ? b : a;
}

CPR_FN double cpr_uniform(cpr_source *s) { return cpr_inside(cpr_next(s)); }

CPR_FN double cpr_normal(cpr_source *s)
{
    double a;
    if (s->has_spare) return s->has_spare = false, s->spare;
    const uint64_t v = cpr_next(s), w = cpr_next(s);
    cpr_normals(v, w, &a, &s->spare);
    s->has_spare = true;
    return a;
}

/* A try at a gamma number of shape a >= 1, of a normal and a uniform number (Marsaglia and Tsang 2000): d is a - 1/3, c
 * is 1 / sqrt(9 d). `eager`: without branches. */
CPR_FN bool cpr_gamma_try(double d, double c, double x, double u, bool eager, double *number)
{
    const double t = 1 + c * x, v = t * t * t, q = x * x;
    *number = d * v;
    const bool some = t > 0, surely = u < 1 - 0.0331 * q * q;
    if (!eager && (!some || surely)) return some;
    return some & (surely | (cpr_log(u) < 0.5 * q + d * (1 - v + cpr_log(v))));
}

CPR_LONG double cpr_gamma_large(cpr_source *s, double a)
{
    const double d = a - 1.0 / 3, c = 1 / sqrt(9 * d);
    double number;
    if (!(a < INFINITY)) return a;
    for (;;) {
        const double x = cpr_normal(s);
        if (cpr_gamma_try(d, c, x, cpr_uniform(s), false, &number)) return number;
    }
}

CPR_FN double cpr_gamma(cpr_source *s, double a)
{
    if (a != a || a == 0) return a;
    if (a >= 1) return cpr_gamma_large(s, a);
    const double g = cpr_gamma_large(s, a + 1);
    return g * cpr_exp(cpr_log(cpr_uniform(s)) / a);
}

/* log of the same, where the number itself may be too small */
CPR_FN double cpr_log_gamma_number(cpr_source *s, double a)
{
    if (a == 0) return -INFINITY;
    if (a >= 1) return cpr_log_any(cpr_gamma_large(s, a));
    const double g = cpr_log(cpr_gamma_large(s, a + 1));
    return g + cpr_log(cpr_uniform(s)) / a;
}

CPR_FN double cpr_chisquare(cpr_source *s, double df) { return 2 * cpr_gamma(s, 0.5 * df); }

/* A try at a beta number of parameters up to 1 (Joehnk 1964): u^(1/a) and v^(1/b), of which the first one is a part. */
CPR_FN bool cpr_beta_try(double a, double b, double u, double v, double *x, double *y)
{
    *x = cpr_exp(cpr_log(u) / a);
    *y = cpr_exp(cpr_log(v) / b);
    return *x + *y <= 1;
}

CPR_LONG double cpr_beta_small(cpr_source *s, double a, double b)
{
    for (;;) {
        double x, y;
        const double u = cpr_uniform(s), v = cpr_uniform(s);
        if (!cpr_beta_try(a, b, u, v, &x, &y)) continue;
        if (x + y >= 0x1p-1000) return x / (x + y);
        const double p = cpr_log(u) / a, q = cpr_log(v) / b, most = p > q ? p : q; /* both are too small */
        if (most == -INFINITY) return cpr_log(u) * b > cpr_log(v) * a;
        x = cpr_exp(p - most), y = cpr_exp(q - most);
        return x / (x + y);
    }
}

CPR_LONG double cpr_beta(cpr_source *s, double a, double b)
{
    if (a != a || b != b) return NAN;
    if (a <= 1 && b <= 1) return cpr_beta_small(s, a, b);
    if (a > 0.01 && b > 0.01) {
        const double x = cpr_gamma(s, a), y = cpr_gamma(s, b);
        return x / (x + y);
    }
    const double x = cpr_log_gamma_number(s, a), y = cpr_log_gamma_number(s, b), most = x > y ? x : y;
    const double p = cpr_exp(x - most), q = cpr_exp(y - most);
    return p / (p + q);
}

/* Hoermann's hats (1993): k is a transformed uniform number, most of the time good by that alone. */
typedef struct cpr_hat { double a, b, c, vr, alpha; } cpr_hat;

CPR_FN cpr_hat cpr_poisson_hat(double lam)
{
    const double b = 0.931 + 2.53 * sqrt(lam);
    return (cpr_hat){-0.059 + 0.02483 * b, b, lam + 0.43, 0.9277 - 3.6224 / (b - 2), 1.1239 + 1.1328 / (b - 3.4)};
}

CPR_FN cpr_hat cpr_binomial_hat(double n, double p)
{
    const double spq = sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * spq;
    return (cpr_hat){-0.0873 + 0.0248 * b + 0.01 * p, b, n * p + 0.5, 0.92 - 4.2 / b, (2.83 + 5.1 / b) * spq};
}

CPR_FN bool cpr_hat_try(const cpr_hat *h, double uniform, double v, double *k)
{
    const double u = uniform - 0.5, us = 0.5 - fabs(u);
    *k = floor((2 * h->a / us + h->b) * u + h->c);
    return (us >= 0.07) & (v <= h->vr);
}

/* Below 10 by adding up probabilities, above by Hoermann's transformed rejection (PTRS, 1993). */
CPR_LONG double cpr_poisson(cpr_source *s, double lam)
{
    if (lam == 0) return 0;
    if (lam < 10) {
        double u = cpr_uniform(s), p = cpr_exp(-lam), k = 0;
        while (u > p && k < 200) u -= p, k += 1, p *= lam / k;
        return k;
    }
    const cpr_hat h = cpr_poisson_hat(lam);
    for (;;) {
        double k;
        const double u = cpr_uniform(s), v = cpr_uniform(s), us = 0.5 - fabs(u - 0.5);
        if (cpr_hat_try(&h, u, v, &k)) return k;
        if (k < 0 || (us < 0.013 && v > us)) continue;
        /* k log(lam) - lam - log k!, by Stirling's formula, so that what is large cancels before it is rounded */
        const double n = k + 1, d = (lam - n) / n;
        const double bound = k * cpr_log1p(d) + (n - lam) - 0.5 * cpr_log(n) - 0.918938533204672741780 -
                             cpr_stirling_tail(k);
        if (cpr_log(v * h.alpha / (h.a / (us * us) + h.b)) <= bound) return k;
    }
}

CPR_FN double cpr_noncentral_chisquare(cpr_source *s, double df, double nonc)
{
    if (nonc != nonc || df != df) return NAN;
    if (nonc == 0) return cpr_chisquare(s, df);
    if (df > 1) {
        const double z = cpr_normal(s) + sqrt(nonc);
        s->has_spare = false;
        return cpr_chisquare(s, df - 1) + z * z;
    }
    const double i = cpr_poisson(s, 0.5 * nonc);
    return cpr_chisquare(s, df + 2 * i);
}

/* n p >= 10, p <= 1/2: Hoermann's transformed rejection (BTRS, 1993). */
CPR_LONG double cpr_binomial_large(cpr_source *s, double n, double p)
{
    const cpr_hat h = cpr_binomial_hat(n, p);
    const double r = p / (1 - p);
    const double m = floor((n + 1) * p), top = cpr_stirling_tail(m) + cpr_stirling_tail(n - m);
    for (;;) {
        double k;
        const double u = cpr_uniform(s), v = cpr_uniform(s), us = 0.5 - fabs(u - 0.5);
        if (cpr_hat_try(&h, u, v, &k)) return k;
        if (k < 0 || k > n) continue;
        const double bound = (m + 0.5) * cpr_log((m + 1) / (r * (n - m + 1))) +
                             (n + 1) * cpr_log1p((k - m) / (n - k + 1)) +
                             (k + 0.5) * cpr_log(r * (n - k + 1) / (k + 1)) + top - cpr_stirling_tail(k) -
                             cpr_stirling_tail(n - k);
        if (cpr_log(v * h.alpha / (h.a / (us * us) + h.b)) <= bound) return k;
    }
}

CPR_LONG double cpr_binomial(cpr_source *s, double n, double p)
{
    if (n == 0 || p == 0) return 0;
    const bool swapped = p > 0.5;
    const double q = swapped ? 1 - p : p;
    double k = 0;
    if (q == 0) return n;
    if (n * q >= 10) {
        k = cpr_binomial_large(s, n, q);
    } else { /* probabilities added up */
        double u = cpr_uniform(s), here = cpr_exp(n * cpr_log1p(-q));
        const double r = q / (1 - q);
        while (u > here && k < n && k < 400) u -= here, here *= r * (n - k) / (k + 1), k += 1;
    }
    return swapped ? n - k : k;
}

/* Stadlober's ratio of uniforms (HRUA, 1989): what is one for all numbers; less <= more are those of both kinds, few
 * those of the sample or of what it leaves. */
typedef struct cpr_ratio { double less, more, few, a, h, m, g, end; } cpr_ratio;

CPR_FN cpr_ratio cpr_hypergeometric_ratio(double good, double bad, double sample)
{
    cpr_ratio r;
    const double all = good + bad;
    r.few = sample < all - sample ? sample : all - sample;
    r.less = good < bad ? good : bad, r.more = good < bad ? bad : good;
    const double p = r.less / all, mu = r.few * p;
    const double c = sqrt((all - r.few) * r.few * p * (r.more / all) / (all - 1) + 0.5);
    r.a = mu + 0.5;
    r.h = 1.7155277699214135 * c + 0.8989161620588988; /* 2 sqrt(2 / e), 3 - 2 sqrt(3 / e) */
    r.m = floor((r.few + 1) * ((r.less + 1) / (all + 2)));
    r.g = cpr_lfactorial(r.m) + cpr_lfactorial(r.less - r.m) + cpr_lfactorial(r.few - r.m) +
          cpr_lfactorial(r.more - r.few + r.m);
    const double far = floor(r.a + 16 * c), last = (r.few < r.less ? r.few : r.less) + 1;
    r.end = far < last ? far : last;
    return r;
}

/* The good ones of a sample of which k are of the lesser kind, or of the greater of what is left. */
CPR_FN double cpr_hypergeometric_end(double good, double bad, double sample, double few, double k)
{
    k = good > bad ? few - k : k;
    return few < sample ? good - k : k;
}

/* A few draws one by one, else by ratios. */
CPR_LONG double cpr_hypergeometric(cpr_source *s, double good, double bad, double sample)
{
    const double all = good + bad, few = sample < all - sample ? sample : all - sample;
    double k = 0;
    if (few < 10) {
        double left = all, of = good < bad ? good : bad;
        for (double i = 0; i < few; i += 1, left -= 1)
            if (cpr_uniform(s) * left < of) k += 1, of -= 1;
    } else {
        const cpr_ratio r = cpr_hypergeometric_ratio(good, bad, sample);
        for (;;) {
            const double u = cpr_uniform(s), v = cpr_uniform(s), x = r.a + r.h * (v - 0.5) / u;
            if (x < 0 || x >= r.end) continue;
            k = floor(x);
            const double t = r.g - (cpr_lfactorial(k) + cpr_lfactorial(r.less - k) + cpr_lfactorial(r.few - k) +
                                    cpr_lfactorial(r.more - r.few + k));
            if (u * (4 - u) - 3 <= t) break;
            if (u * (u - t) >= 1) continue;
            if (2 * cpr_log(u) <= t) break;
        }
    }
    return cpr_hypergeometric_end(good, bad, sample, few, k);
}

/* Kemp's LK (1981) */
CPR_FN double cpr_logseries(cpr_source *s, double p)
{
    if (p == 0) return 1;
    const double r = cpr_log1p(-p);
    for (;;) {
        const double v = cpr_uniform(s);
        if (v >= p) return 1;
        const double q = -cpr_expm1(r * cpr_uniform(s));
        if (v <= q * q) {
            const double k = floor(1 + cpr_log_any(v) / cpr_log_any(q));
            if (k >= 1) return k;
        } else {
            return v >= q ? 1 : 2;
        }
    }
}

/* Devroye (1986), X.6.1; what lies beyond int64 is drawn again */
CPR_FN double cpr_zipf(cpr_source *s, double a)
{
    if (a >= 1025) return 1;
    const double e = a - 1, b = cpr_pow(2, e), least = cpr_pow(0x1p63, -e);
    for (;;) {
        const double t = cpr_uniform(s), u = t * least + (1 - t), v = cpr_uniform(s);
        const double x = floor(cpr_pow(u, -1 / e));
        if (!(x >= 1 && x < 0x1p63)) continue;
        /* (1 + 1/x)^e - 1, without loss where x is large */
        const double grown = cpr_expm1(e * cpr_log1p(1 / x));
        if (v * x * grown / (b - 1) <= (grown + 1) / b) return x;
    }
}

/* Michael, Schucany and Haas (1976); the smaller root without a difference */
CPR_FN double cpr_wald_of(double mean, double scale, double z, double u)
{
    const double y = mean * z * z, r = y + sqrt(4 * scale * y + y * y);
    const double small = mean * (4 * scale * y) / (r * r), x = y == 0 ? mean : small;
    return u <= mean / (mean + x) ? x : mean * mean / x;
}

CPR_FN double cpr_wald(cpr_source *s, double mean, double scale)
{
    const double z = cpr_normal(s);
    return cpr_wald_of(mean, scale, z, cpr_uniform(s));
}

/* x in [0, 1]: the angle is halved three times */
CPR_FN double cpr_atan(double x)
{
    for (int i = 0; i < 3; i++) x = x / (1 + sqrt(1 + x * x));
    const double z = x * x;
    double p = 1.0 / 17;
    p = fma(p, z, -1.0 / 15);
    p = fma(p, z, 1.0 / 13);
    p = fma(p, z, -1.0 / 11);
    p = fma(p, z, 1.0 / 9);
    p = fma(p, z, -1.0 / 7);
    p = fma(p, z, 1.0 / 5);
    p = fma(p, z, -1.0 / 3);
    return 8 * fma(p * z, x, x);
}

/* Best and Fisher (1979): what is one for all numbers, a try at |angle|, and its sign, by a word, about mu */
CPR_FN double cpr_vonmises_r(double kappa)
{
    const double tau = 1 + sqrt(1 + 4 * kappa * kappa), rho = (tau - sqrt(2 * tau)) / (2 * kappa);
    return kappa < 1e-5 ? 1 / kappa + kappa : (1 + rho * rho) / (2 * rho);
}

CPR_FN bool cpr_vonmises_try(double kappa, double r, double u, double v, bool eager, double *angle)
{
    double sine, z;
    cpr_turn(0.5 * u, &sine, &z);
    const double f = (1 + r * z) / (r + z), c = kappa * (r - f);
    const bool surely = c * (2 - c) - v >= 0;
    if (!eager && !surely && !(cpr_log(c / v) + 1 - c >= 0)) return false;
    const bool good = !eager || (surely | (cpr_log(c / v) + 1 - c >= 0));
    const double half = sqrt((1 - f) / (1 + f)), share = half > 1 ? 1 / half : half; /* tan of half the angle */
    const double part = 2 * cpr_atan(share), whole = half > 1 ? CPR_PI - part : part;
    *angle = f > -1 ? whole : CPR_PI;
    return good;
}

CPR_FN double cpr_vonmises_end(double mu, double angle, uint64_t w)
{
    const double sum = mu + (w >> 63 ? -angle : angle), turns = floor((sum + CPR_PI) / (2 * CPR_PI));
    return fma(-turns, 2 * CPR_PI, sum);
}

/* nearly uniform and nearly normal at the ends */
CPR_LONG double cpr_vonmises(cpr_source *s, double mu, double kappa)
{
    double angle;
    if (kappa != kappa || mu != mu) return NAN;
    if (kappa < 1e-8) return cpr_vonmises_end(mu, CPR_PI * (2 * cpr_uniform(s) - 1), 0);
    if (kappa > 1e6) return cpr_vonmises_end(mu, cpr_normal(s) / sqrt(kappa), 0);
    const double r = cpr_vonmises_r(kappa);
    for (;;) {
        const double u = cpr_uniform(s), v = cpr_uniform(s);
        if (cpr_vonmises_try(kappa, r, u, v, false, &angle)) return cpr_vonmises_end(mu, angle, cpr_next(s));
    }
}

CPR_FN double cpr_of_source(int distribution, cpr_source *s, double a, double b, double c)
{
    switch (distribution) {
    case CPR_GAMMA: return cpr_gamma(s, a) * b;
    case CPR_BETA: return cpr_beta(s, a, b);
    case CPR_CHISQUARE: return cpr_chisquare(s, a);
    case CPR_NONCENTRAL_CHISQUARE: return cpr_noncentral_chisquare(s, a, b);
    case CPR_F: {
        const double x = cpr_chisquare(s, a) * b;
        return x / (cpr_chisquare(s, b) * a);
    }
    case CPR_NONCENTRAL_F: {
        const double x = cpr_noncentral_chisquare(s, a, c) * b;
        s->has_spare = false;
        return x / (cpr_chisquare(s, b) * a);
    }
    case CPR_STANDARD_T: {
        const double z = cpr_normal(s);
        return sqrt(0.5 * a) * z / sqrt(cpr_gamma(s, 0.5 * a));
    }
    case CPR_WALD: return cpr_wald(s, a, b);
    case CPR_VONMISES: return cpr_vonmises(s, a, b);
    case CPR_POISSON: return cpr_poisson(s, a);
    case CPR_BINOMIAL: return cpr_binomial(s, a, b);
    case CPR_NEGATIVE_BINOMIAL: return cpr_poisson(s, cpr_gamma(s, a) * ((1 - b) / b));
    case CPR_HYPERGEOMETRIC: return cpr_hypergeometric(s, a, b, c);
    case CPR_LOGSERIES: return cpr_logseries(s, a);
    case CPR_ZIPF: return cpr_zipf(s, a);
    default: return NAN; /* a row without a body */
    }
}

CPR_FN int64_t cpr_whole(double v) { return v >= 0x1p63 ? INT64_MAX : (int64_t)v; }

/* --- rows: `width` elements that depend on one another --- */

/* A row of k numbers by a table: see the slots. That of Dirichlet's distribution is alpha; `n` is the row's own
 * parameter. */
CPR_LONG void cpr_row_of_reals(cpr_source *s, const double *table, int64_t k, double *row)
{
    double most = -INFINITY, sum = 0;
    for (int64_t i = 0; i < k; i++) {
        s->has_spare = false;
        row[i] = cpr_log_gamma_number(s, table[i]);
        most = row[i] > most ? row[i] : most;
    }
    for (int64_t i = 0; i < k; i++) sum += row[i] = cpr_exp(row[i] - most);
    for (int64_t i = 0; i < k; i++) row[i] /= sum;
}

CPR_LONG void cpr_row_of_wholes(int distribution, cpr_source *s, const double *table, int64_t k, double n, int64_t *row)
{
    if (distribution == CPR_CHOICE) { /* table: upper ends of shares, the last one 1 */
        const double u = cpr_unit(s->word[0]);
        int64_t low = 0, high = k - 1;
        while (low < high) {
            const int64_t mid = low + (high - low) / 2;
            if (u < table[mid]) high = mid;
            else low = mid + 1;
        }
        *row = low;
        return;
    }
    double rest = distribution == CPR_MULTINOMIAL ? 1 : 0;
    if (distribution != CPR_MULTINOMIAL)
        for (int64_t i = 0; i < k; i++) rest += table[i];
    for (int64_t i = 0; i < k; i++) {
        double here;
        s->has_spare = false;
        if (i == k - 1) here = n;
        else if (n == 0) here = 0;
        else if (distribution == CPR_MULTINOMIAL) {
            const double p = rest > 0 ? table[i] / rest : 0;
            here = cpr_binomial(s, n, p > 1 ? 1 : p);
        } else {
            here = cpr_hypergeometric(s, table[i], rest - table[i], n);
        }
        row[i] = cpr_whole(here);
        n -= here;
        rest -= table[i];
    }
}

#endif
