/* The order in which an einsum multiplies its terms, two at a time. */
#include <string.h>

#include "products/einsum.h"

/* The product of the lengths of a set's labels. */
static double size_of(cpi_label_set s, const int64_t *extent)
{
    double n = 1;
    for (int i = 0; i < CPI_LABELS && s; i++, s >>= 1)
        if (s & 1) n *= (double)extent[i];
    return n;
}

typedef struct search {
    const int64_t *extent;
    cpi_label_set wanted;
    double least;
    int total;
    cpi_contraction *best, now[CPI_TERMS];
} search;

/* The labels that the product of terms i and j keeps. */
static cpi_label_set kept(int n, const cpi_label_set *terms, int i, int j, cpi_label_set wanted)
{
    for (int k = 0; k < n; k++)
        if (k != i && k != j) wanted |= terms[k];
    return (terms[i] | terms[j]) & wanted;
}

/* The list without i and j, and with their product behind. */
static void take(int n, const cpi_label_set *terms, int i, int j, cpi_label_set product, cpi_label_set *rest)
{
    int m = 0;
    for (int k = 0; k < n; k++)
        if (k != i && k != j) rest[m++] = terms[k];
    rest[m] = product;
}

static void try_all(search *s, int n, const cpi_label_set *terms, double cost)
{
    cpi_label_set rest[8];
    if (cost >= s->least) return;
    if (n == 1) {
        s->least = cost;
        memcpy(s->best, s->now, (size_t)(s->total - 1) * sizeof *s->best);
        return;
    }
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            s->now[s->total - n] = (cpi_contraction){i, j};
            take(n, terms, i, j, kept(n, terms, i, j, s->wanted), rest);
            try_all(s, n - 1, rest, cost + size_of(terms[i] | terms[j], s->extent));
        }
}

static void greedy(int n, cpi_label_set *terms, cpi_label_set wanted, const int64_t *extent, cpi_contraction *steps)
{
    for (int left = n; left > 1; left--) {
        double best_gain = 0, best_cost = 0;
        cpi_contraction best = {-1, -1};
        for (int i = 0; i < left; i++)
            for (int j = i + 1; j < left; j++) {
                cpi_label_set product = kept(left, terms, i, j, wanted);
                double cost = size_of(terms[i] | terms[j], extent);
                double gain = size_of(terms[i], extent) + size_of(terms[j], extent) - size_of(product, extent);
                bool better = gain > best_gain || (gain == best_gain && cost < best_cost);
                if (best.i < 0 || better) best = (cpi_contraction){i, j}, best_gain = gain, best_cost = cost;
            }
        cpi_label_set rest[CPI_TERMS];
        take(left, terms, best.i, best.j, kept(left, terms, best.i, best.j, wanted), rest);
        memcpy(terms, rest, (size_t)(left - 1) * sizeof *terms);
        *steps++ = best;
    }
}

void cpi_einsum_path(int n, const cpi_label_set *terms, cpi_label_set wanted, const int64_t *extent, bool best,
                     cpi_contraction *steps)
{
    cpi_label_set copy[CPI_TERMS];
    search s = {.extent = extent, .wanted = wanted, .least = 1e300, .total = n, .best = steps};
    memcpy(copy, terms, (size_t)n * sizeof *terms);
    greedy(n, copy, wanted, extent, steps); /* the default where nothing is better */
    if (best && n <= 7) try_all(&s, n, terms, 0);
}
