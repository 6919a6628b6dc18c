/* Lesson 4: segmentation, in C.
 *
 *     cc 04_segmentation.c $(pkg-config --cflags --libs cuprite) -o segmentation && ./segmentation */
#include "workshop.h"

#include <math.h>

int main(void)
{
    for (CP_SCOPE) {
        cp_array *image = workshop_sky();
        cp_clip_result stats;
        if (cp_sigma_clip_stats(image, &stats) != CP_OK) break;
        cp_array *bright = cp_greater(image, cp_float(stats.center + 5 * stats.std));
        printf("%lld bright pixels, their mean is %.2f\n", (long long)cp_item_int(cp_sum(bright)),
               cp_item_float(cp_mean(cp_mask_get(image, bright))));
        cp_array *without = cp_where(bright, cp_float(stats.center), image);
        printf("maximum %.1f, without sources %.2f\n", cp_item_float(cp_max(image)), cp_item_float(cp_max(without)));

        cp_rng *g = cp_rng_new(7);
        cp_array *noise = cp_rng_normal(g, cp_float(0), cp_float(1), .shape = CP_SHAPE(1000000));
        cp_rng_free(g);
        for (int k = 1; k <= 5; k++)
            printf("%d sigma: %6lld pixels, expected %9.1f\n", k,
                   (long long)cp_item_int(cp_sum(cp_greater(noise, cp_float(k)))), 1e6 * erfc(k / sqrt(2)) / 2);
        workshop_show(cp_astype(bright, CP_FLOAT64), "bright.png");
    }
    return workshop_end();
}

/* It prints:
 *
 * 1366 bright pixels, their mean is 15.53
 * maximum 99.9, without sources 5.51
 * 1 sigma: 159144 pixels, expected  158655.3
 * 2 sigma:  22803 pixels, expected   22750.1
 * 3 sigma:   1344 pixels, expected    1349.9
 * 4 sigma:     35 pixels, expected      31.7
 * 5 sigma:      0 pixels, expected       0.3
 */
