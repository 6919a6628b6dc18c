/* Lesson 3: kappa-sigma clipping, in C.
 *
 *     cc 03_clipping.c $(pkg-config --cflags --libs cuprite) -o clipping && ./clipping */
#include "workshop.h"

/* Throws away what is farther than kappa sigma from the median, again and again. */
static cp_array *clipped(cp_array *image, double kappa)
{
    cp_scope *s = cp_scope_begin();
    cp_array *left = cp_reshape(image, CP_SHAPE(-1));
    for (;;) {
        cp_array *center = cp_median(left), *sigma = cp_std(left);
        printf("%lld pixels: median %.4f, sigma %.4f\n", (long long)cp_size(left), cp_item_float(center),
               cp_item_float(sigma));
        cp_array *off = cp_absolute(cp_subtract(left, center));
        cp_array *kept = cp_mask_get(left, cp_less(off, cp_multiply(sigma, cp_float(kappa))));
        if (!kept || cp_size(kept) == cp_size(left)) return cp_scope_return(s, kept);
        left = kept;
    }
}

int main(void)
{
    for (CP_SCOPE) {
        cp_array *image = workshop_sky();
        printf("mean %.3f, standard deviation %.3f\n", cp_item_float(cp_mean(image)), cp_item_float(cp_std(image)));
        cp_array *background = clipped(image, 3);
        printf("mean %.3f, standard deviation %.3f\n", cp_item_float(cp_mean(background)),
               cp_item_float(cp_std(background)));

        cp_clip_result stats; /* all rounds in the library */
        if (cp_sigma_clip_stats(image, &stats) != CP_OK) break;
        printf("median %.4f, sigma %.4f, %d rounds\n", stats.center, stats.std, stats.iterations);
        workshop_show(cp_clip(image, cp_float(-2), cp_float(20)), "sky.png");
    }
    return workshop_end();
}

/* It prints:
 *
 * mean 0.782, standard deviation 2.634
 * 86400 pixels: median 0.5426, sigma 2.6337
 * 85410 pixels: median 0.5273, sigma 1.1302
 * 84637 pixels: median 0.5166, sigma 1.0154
 * 84399 pixels: median 0.5151, sigma 1.0026
 * 84364 pixels: median 0.5149, sigma 1.0009
 * 84360 pixels: median 0.5148, sigma 1.0007
 * mean 0.524, standard deviation 1.001
 * median 0.5148, sigma 1.0007, 6 rounds
 */
