/* A Monte Carlo estimate with its error: the volume of the ball of radius 1 in six dimensions, pi^3 / 6.
 *
 *     cc monte_carlo.c $(pkg-config --cflags --libs cuprite) -o monte_carlo
 *     ./monte_carlo [SEED [POINTS]]
 *
 * Points of the cube [-1, 1]^6 are drawn in batches; the share of those in the ball, times 2^6, is an estimate of the
 * volume, and the scatter of the batches gives the error of their mean. */
#include <cuprite.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DIMENSIONS 6
#define BATCHES 50

/* The share of `n` random points that lie in the ball. */
static double share(cp_rng *g, int64_t n)
{
    double found = NAN;
    for (CP_SCOPE) {
        cp_array *x = cp_rng_uniform(g, cp_float(-1), cp_float(1), .shape = CP_SHAPE(n, DIMENSIONS));
        cp_array *inside = cp_less(cp_sum(cp_multiply(x, x), .axis = CP_AXES(1)), cp_float(1));
        found = cp_item_float(cp_mean(inside));
    }
    return found;
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    int64_t points = argc > 2 ? strtoll(argv[2], NULL, 10) : 2000000;
    const double cube = ldexp(1.0, DIMENSIONS), pi = acos(-1.0), truth = pi * pi * pi / 6;
    double sum = 0, squares = 0;
    cp_rng *g = cp_rng_new(seed);
    for (int i = 0; i < BATCHES; i++) {
        double v = cube * share(g, points / BATCHES);
        sum += v;
        squares += v * v;
    }
    cp_rng_free(g);
    if (cp_error()) {
        fprintf(stderr, "%s\n", cp_error_message());
        return 1;
    }
    double mean = sum / BATCHES, error = sqrt((squares / BATCHES - mean * mean) / (BATCHES - 1));
    printf("volume   %.5f +- %.5f\nexactly  %.5f\n", mean, error, truth);
    return 0;
}
