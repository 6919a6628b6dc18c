/* Lesson 1: convolution, in C.
 *
 *     cc 01_convolution.c $(pkg-config --cflags --libs cuprite) -o convolution && ./convolution */
#include "workshop.h"

/* A Gaussian of size x size weights, whose sum is 1. */
static cp_array *gaussian(int size, double sigma)
{
    cp_scope *s = cp_scope_begin();
    cp_array *t = cp_subtract(cp_arange(0, size, 1, CP_FLOAT64), cp_float((size - 1) / 2.0));
    cp_array *bell = workshop_bell(t, cp_float(0), cp_float(sigma));
    cp_array *kernel = cp_outer(bell, bell);
    return cp_scope_return(s, cp_divide(kernel, cp_sum(kernel)));
}

int main(void)
{
    for (CP_SCOPE) {
        /* one white point in the middle becomes a copy of the kernel */
        cp_array *kernel = gaussian(15, 2.5);
        cp_array *points = cp_zeros(CP_SHAPE(31, 31), CP_FLOAT64);
        cp_array *middle = cp_slice(points, CP_ITEMS(CP_AT(15), CP_AT(15)));
        cp_assign(middle, cp_float(1));
        cp_array *blurred = cp_convolve2d(points, kernel, CP_MODE_SAME, CP_BOUNDARY_FILL, NULL);
        cp_array *copy = cp_slice(blurred, CP_ITEMS(CP_RANGE(8, 23), CP_RANGE(8, 23)));
        printf("a copy of the kernel: %d\n", cp_allclose(copy, kernel, 1e-12, 0, false));

        /* what counts beyond the edges */
        static const char *const names[] = {"fill", "wrap", "symm"};
        cp_array *flat = cp_ones(CP_SHAPE(20, 20), CP_FLOAT64);
        for (int b = CP_BOUNDARY_FILL; b <= CP_BOUNDARY_SYMM; b++) {
            cp_array *smooth = cp_convolve2d(flat, kernel, CP_MODE_SAME, (cp_boundary)b, NULL);
            printf("%s %.4f\n", names[b], cp_item_float(cp_slice(smooth, CP_ITEMS(CP_AT(0), CP_AT(0)))));
        }

        cp_array *sky = cp_clip(workshop_sky(), cp_float(-2), cp_float(20));
        cp_array *smooth = cp_convolve2d(sky, kernel, CP_MODE_SAME, CP_BOUNDARY_SYMM, NULL);
        workshop_show(smooth, "smooth_sky.png");
    }
    return workshop_end();
}

/* It prints:
 *
 * a copy of the kernel: 1
 * fill 0.3364
 * wrap 1.0000
 * symm 1.0000
 */
