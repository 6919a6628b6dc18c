/* Which of a few thousand spectra are alike: products of matrices on whatever device there is.
 *
 *     cc similar_stars.c $(pkg-config --cflags --libs cuprite) -o similar_stars
 *     ./similar_stars [cpu|cuda:0]
 *
 * Spectra are made of three lines each, of strengths by a formula; every spectrum of length 1 times every other is one
 * matrix product, and the nearest neighbour of each is the largest of its row. */
#include <cuprite.h>
#include <stdio.h>

enum { STARS = 2000, COLOURS = 500, SHOWN = 5 };

/* Strengths (stars, lines) times the lines' shapes (lines, colours). */
static cp_array *spectra(void)
{
    cp_array *star = cp_reshape(cp_arange_int(0, STARS, 1, CP_FLOAT64), CP_SHAPE(-1, 1));
    cp_array *line = cp_arange_int(1, 4, 1, CP_FLOAT64);
    cp_array *strength = cp_add(cp_cos(cp_multiply(star, line)), cp_float(1.5));
    cp_array *colour = cp_arange_int(0, COLOURS, 1, CP_FLOAT64);
    cp_array *distance = cp_subtract(colour, cp_reshape(cp_multiply(line, cp_float(120)), CP_SHAPE(-1, 1)));
    cp_array *shape = cp_exp(cp_negative(cp_divide(cp_square(distance), cp_float(200))));
    return cp_matmul(strength, shape);
}

static cp_code run(void)
{
    cp_array *s = spectra();
    cp_array *length = cp_sqrt(cp_vecdot(s, s)); /* of each spectrum */
    cp_array *unit = cp_divide(s, cp_expand_dims(length, CP_AXES(1)));
    cp_array *alike = cp_matmul(unit, cp_transpose(unit, CP_ALL)); /* cosines of all angles */
    cp_array *others = cp_subtract(alike, cp_multiply(cp_eye(STARS, STARS, 0, CP_FLOAT64), cp_float(2)));
    cp_array *nearest = cp_argmax(others, .axis = CP_AXES(1)), *cosine = cp_max(others, .axis = CP_AXES(1));
    int64_t which[STARS];
    double how[STARS];
    if (cp_to_host(nearest, which, sizeof which) || cp_to_host(cosine, how, sizeof how)) return cp_error();
    printf("%6s %8s %12s\n", "star", "nearest", "cosine");
    for (int i = 0; i < SHOWN; i++) printf("%6d %8lld %12.9f\n", i, (long long)which[i], how[i]);
    cp_array *twice[] = {alike, alike}, *total = cp_einsum("ij,ij->", 2, twice);
    printf("sum of all squared cosines: %.6f\n", cp_item_float(total));
    return cp_error();
}

int main(int argc, char **argv)
{
    int device;
    if (argc > 1 && (cp_device_parse(argv[1], &device) || cp_device_use(device))) {
        fprintf(stderr, "%s\n", cp_error_message());
        return 2;
    }
    for (CP_SCOPE) run();
    if (cp_error() == CP_OK) return 0;
    fprintf(stderr, "%s\n", cp_error_message());
    return 1;
}
