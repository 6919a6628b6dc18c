/* Laws of whole numbers by their distribution functions: where parameters are numbers and what is likely is not much,
 * a table of 64-bit words says where each value begins, and an element takes one word and a few comparisons.
 *
 * Probabilities are made from the likeliest value on both ways, each of its neighbour's, and added up from both ends,
 * so that tails keep their digits; what has less than 2^-64 is never drawn. Every operation is an IEEE one in one
 * order: the table is the same wherever it is made. */
#include "random/draw.h"

#include <math.h>

typedef struct ladder {
    int distribution;
    double a, b, c;
    double least, most, mode, variance;
} ladder;

/* p(k + 1) / p(k) */
static double ratio(const ladder *l, double k)
{
    switch (l->distribution) {
    case CPR_POISSON: return l->a / (k + 1);
    case CPR_BINOMIAL: return (l->a - k) / (k + 1) * (l->b / (1 - l->b));
    case CPR_NEGATIVE_BINOMIAL: return (k + l->a) / (k + 1) * (1 - l->b);
    case CPR_HYPERGEOMETRIC: return (l->a - k) * (l->c - k) / ((k + 1) * (l->b - l->c + k + 1));
    default: return k / (k + 1) * l->a; /* CPR_LOGSERIES */
    }
}

/* False where the distribution has no table. */
static bool describe(ladder *l)
{
    const double a = l->a, b = l->b, c = l->c;
    l->least = 0, l->most = INFINITY;
    switch (l->distribution) {
    case CPR_POISSON: l->mode = floor(a), l->variance = a; break;
    case CPR_BINOMIAL:
        if (b == 0 || b == 1) return false;
        l->most = a, l->mode = fmin(floor((a + 1) * b), a), l->variance = a * b * (1 - b);
        break;
    case CPR_NEGATIVE_BINOMIAL:
        l->mode = a > 1 ? floor((a - 1) * ((1 - b) / b)) : 0, l->variance = a * (1 - b) / (b * b);
        break;
    case CPR_HYPERGEOMETRIC: {
        const double all = a + b, share = a / all;
        l->least = fmax(0, c - b), l->most = fmin(a, c);
        l->mode = fmin(fmax(floor((c + 1) * ((a + 1) / (all + 2))), l->least), l->most);
        l->variance = all > 1 ? c * share * (1 - share) * ((all - c) / (all - 1)) : 0;
        break;
    }
    case CPR_LOGSERIES: l->least = l->mode = 1, l->variance = 4 / ((1 - a) * (1 - a)); break;
    default: return false;
    }
    return l->variance < 4000; /* else tails reach too far */
}

/* Relative to the mode's: p[n_down] is the mode's, less likely ones down and up from it; how many, 0: too many. */
static int probabilities(const ladder *l, double *p, int *below)
{
    const double nothing = 0x1p-80;
    double down[CPR_TABLE_MOST], v = 1;
    int n = 0, m = 0;
    for (double k = l->mode; k > l->least && n < CPR_TABLE_MOST; k -= 1) {
        v /= ratio(l, k - 1);
        if (v < nothing) break;
        down[n++] = v;
    }
    for (int i = n - 1; i >= 0; i--) p[m++] = down[i];
    *below = n;
    v = 1;
    for (double k = l->mode; m < CPR_TABLE_MOST; k += 1) {
        p[m++] = v;
        if (k >= l->most) return m;
        v *= ratio(l, k);
        if (v < nothing) return m;
    }
    return 0;
}

/* Steps of the distribution function: the number of words below value i + 1, of those i where it is neither none nor
 * all; `least` goes up by those where it is none. Returns how many. */
static int table_of(const double *p, int n, int below, uint64_t *cdf, int64_t *least)
{
    double behind[CPR_TABLE_MOST], sum = 0; /* that a value is above i */
    int k = 0;
    behind[n - 1] = 0;
    for (int i = n - 1; i > below; i--) behind[i - 1] = behind[i] + p[i];
    for (int i = 0; i < below; i++) sum += p[i];
    const double all = sum + (behind[below] + p[below]);
    sum = 0;
    for (int i = 0; i < below; i++) {
        const uint64_t s = (uint64_t)((sum += p[i]) / all * 0x1p64);
        if (s) cdf[k++] = s;
        else *least += 1;
    }
    for (int i = below; i < n - 1; i++) {
        const uint64_t s = (uint64_t)(behind[i] / all * 0x1p64);
        if (!s) break;
        cdf[k++] = 0 - s;
    }
    return k;
}

cp_array *cpi_cdf_table(cpi_device *device, int distribution, const double value[3], int64_t *least, int64_t *count)
{
    ladder l = {.distribution = distribution, .a = value[0], .b = value[1], .c = value[2]};
    double p[CPR_TABLE_MOST];
    int below = 0;
    const int n = describe(&l) ? probabilities(&l, p, &below) : 0;
    *count = -1;
    if (!n) return NULL;
    uint64_t table[CPR_GUIDE_WORDS + CPR_TABLE_MOST] = {0}, *cdf = table + CPR_GUIDE_WORDS;
    *least = (int64_t)l.mode - below;
    *count = table_of(p, n, below, cdf, least);
    uint16_t *guide = (uint16_t *)table;
    int at = 0;
    for (uint64_t g = 0; g < CPR_GUIDES; g++) {
        while (at < *count && cdf[at] <= g << (64 - CPR_GUIDE_BITS)) at++;
        guide[g] = (uint16_t)at;
    }
    guide[CPR_GUIDES] = (uint16_t)*count;
    const int64_t words = CPR_GUIDE_WORDS + *count;
    cp_array *r = cpi_array_new("random", device, CP_UINT64, 1, &words, 'C');
    if (r && device->backend->from_host(cpi_stream(device), r->data, table, (size_t)words * sizeof *table))
        cp_free(r), r = NULL;
    return r;
}
