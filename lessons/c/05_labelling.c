/* Lesson 5: labelling and measuring, in C.
 *
 *     cc 05_labelling.c $(pkg-config --cflags --libs cuprite) -o labelling && ./labelling */
#include "workshop.h"

enum { SHOWN = 5 };

static void print_brightest(const cp_sources *found)
{
    cp_array *order = cp_argsort(cp_negative(found->flux), -1);
    cp_array *flux = cp_take(found->flux, order, 0), *centroid = cp_take(found->centroid, order, 0);
    double fluxes[SHOWN], centroids[SHOWN][2];
    if (cp_to_host(cp_slice(flux, CP_ITEMS(CP_RANGE(0, SHOWN))), fluxes, sizeof fluxes) != CP_OK ||
        cp_to_host(cp_slice(centroid, CP_ITEMS(CP_RANGE(0, SHOWN))), centroids, sizeof centroids) != CP_OK)
        return;
    printf("  flux     row  column\n");
    for (int i = 0; i < SHOWN; i++) printf("%7.1f %6.1f %6.1f\n", fluxes[i], centroids[i][0], centroids[i][1]);
}

int main(void)
{
    const int8_t small[4][5] = {{1, 1, 0, 0, 0}, {0, 1, 0, 0, 1}, {0, 0, 1, 0, 1}, {0, 0, 0, 0, 1}};
    for (CP_SCOPE) {
        int64_t count;
        cp_array *x = cp_from_host(small, CP_INT8, CP_SHAPE(4, 5), NULL);
        cp_print(cp_label(x, NULL, NULL, &count)); /* neighbours by an edge */
        printf("%lld\n", (long long)count);
        cp_print(cp_label(x, cp_ones(CP_SHAPE(3, 3), CP_INT8), NULL, &count)); /* by a corner as well */
        printf("%lld\n", (long long)count);

        cp_array *image = workshop_sky();
        cp_clip_result stats;
        if (cp_sigma_clip_stats(image, &stats) != CP_OK) break;
        cp_array *labels = cp_label(cp_greater(image, cp_float(stats.center + 5 * stats.std)), NULL, NULL, &count);
        cp_sources found;
        if (cp_measure(image, labels, count, &found, .background = stats.center) != CP_OK) break;
        printf("%lld sources\n", (long long)count);
        print_brightest(&found);
        workshop_show(labels, "labels.png");
    }
    return workshop_end();
}

/* It prints:
 *
 * [[1 1 0 0 0]
 *  [0 1 0 0 2]
 *  [0 0 3 0 2]
 *  [0 0 0 0 2]]
 * 3
 * [[1 1 0 0 0]
 *  [0 1 0 0 2]
 *  [0 0 1 0 2]
 *  [0 0 0 0 2]]
 * 2
 * 40 sources
 *   flux     row  column
 *  3374.5  212.8  268.0
 *  1962.1   52.7   49.9
 *  1236.5  129.0  130.2
 *  1087.1  195.0  138.0
 *   797.1  229.4  226.7
 */
