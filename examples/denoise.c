/* A picture made clean, smooth and straight: a median takes out single bad pixels, a Gaussian filter what noise is
 * left, and the result is turned and drawn beside the picture.
 *
 *     cc denoise.c $(pkg-config --cflags --libs cuprite) -o denoise
 *     ./denoise [PICTURE.png|- [RESULT.png [DEGREES [DEVICE]]]]
 *
 * Without a picture it makes one of rings, with noise and bad pixels. Every filter reads beyond the edge by a rule:
 * here as in a mirror. */
#include <cuprite.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rings of 0 to 255, noise, and a pixel in a hundred that is 0 or 255. */
static cp_array *rings(int64_t size)
{
    cp_rng *rng = cp_rng_new(7);
    cp_array *line = cp_linspace(cp_float(-1), cp_float(1), size);
    cp_array *square = cp_square(line), *r2 = cp_add(cp_reshape(square, CP_SHAPE(size, 1)), square);
    cp_array *clean = cp_multiply(cp_add(cp_sin(cp_multiply(r2, cp_float(30))), cp_float(1)), cp_float(127.5));
    const cp_shape shape = CP_SHAPE(size, size);
    cp_array *noisy = cp_add(clean, cp_rng_normal(rng, cp_float(0), cp_float(20), .shape = shape));
    cp_array *chance = cp_rng_random(rng, .shape = shape);
    noisy = cp_where(cp_less(chance, cp_float(0.005)), cp_float(0), noisy);
    noisy = cp_where(cp_greater(chance, cp_float(0.995)), cp_float(255), noisy);
    cp_rng_free(rng);
    return noisy;
}

/* Greys of a picture: the mean of its colours. */
static cp_array *greys(cp_array *picture)
{
    if (!picture || cp_ndim(picture) == 2) return picture;
    const int64_t colours = cp_dim(picture, 2) < 3 ? 1 : 3;
    cp_array *kept = cp_slice(picture, CP_ITEMS(CP_FULL, CP_FULL, CP_RANGE(0, colours)));
    return cp_mean(kept, .axis = CP_AXES(2));
}

/* Two pictures of one height beside each other, as bytes. */
static cp_array *beside(cp_array *a, cp_array *b)
{
    cp_array *both[] = {a, b};
    return cp_astype(cp_clip(cp_rint(cp_concatenate(2, both, 1)), cp_float(0), cp_float(255)), CP_UINT8);
}

int main(int argc, char **argv)
{
    const char *in = argc > 1 ? argv[1] : "-", *out = argc > 2 ? argv[2] : "denoised.png";
    const double degrees = argc > 3 ? strtod(argv[3], NULL) : 15;
    int device;
    if (argc > 4 && (cp_device_parse(argv[4], &device) != CP_OK || cp_device_use(device) != CP_OK)) {
        fprintf(stderr, "%s\n", cp_error_message());
        return 1;
    }
    for (CP_SCOPE) {
        cp_array *picture = strcmp(in, "-") ? greys(cp_png_read(in)) : rings(384);
        picture = cp_astype(picture, CP_FLOAT32);
        cp_array *clean = cp_median_filter(picture, .size = CP_SHAPE(3, 3), .mode = CP_FILTER_MODE_MIRROR);
        cp_array *smooth = cp_gaussian_filter(clean, 1, .mode = CP_FILTER_MODE_MIRROR);
        cp_array *turned = cp_rotate(smooth, degrees, 3, .keep_shape = true, .cval = 128);
        cp_array *before = cp_std(cp_subtract(picture, clean)), *after = cp_std(cp_subtract(clean, smooth));
        if (cp_png_write(out, beside(picture, turned)) == CP_OK)
            printf("%lld x %lld pixels; the median changed them by %.1f in the mean of squares, the filter by %.1f; "
                   "turned by %g degrees, in %s\n", (long long)cp_dim(picture, 0), (long long)cp_dim(picture, 1),
                   cp_item_float(before), cp_item_float(after), degrees, out);
    }
    if (cp_error() != CP_OK) fprintf(stderr, "%s\n", cp_error_message());
    return cp_error() != CP_OK;
}
