/* Source finding in four steps, on whatever device there is:
 *
 *     cc source_finding.c $(pkg-config --cflags --libs cuprite) -o source_finding
 *     ./source_finding sky.fits [cpu|cuda:0]
 *
 * Every array made inside a scope is freed with it, and a function that is given NULL because an earlier one
 * failed returns NULL too: the steps are written down one after the other and checked where their results are
 * needed. */
#include <cuprite.h>
#include <stdio.h>

enum { SHOWN = 10 };

/* The sources of the image: labels, then measurements. `*count` is their number. */
static cp_code find(cp_array *image, cp_sources *sources, int64_t *count)
{
    /* 1. background: what is left when everything beyond 3 sigma of the median is clipped away */
    cp_clip_result background;
    cp_code code = cp_sigma_clip_stats(image, &background);
    if (code != CP_OK) return code;
    printf("background: median %.6g, sigma %.6g\n", background.center, background.std);

    /* 2. segmentation: pixels that are no noise */
    cp_array *bright = cp_greater(image, cp_float(background.center + 5 * background.std));

    /* 3. labelling: connected bright pixels belong to one source */
    cp_array *labels = cp_label(bright, NULL, NULL, count);
    if (!labels) return cp_error();
    printf("sources: %lld\n", (long long)*count);

    /* 4. measurement: all sources in one pass, above the background */
    return cp_measure(image, labels, *count, sources, .background = background.center);
}

/* The brightest sources, one line each. */
static cp_code show(const cp_sources *sources, int64_t count)
{
    cp_array *order = cp_argsort(cp_negative(sources->flux), -1);
    printf("%8s %14s %10s %10s\n", "label", "flux", "x", "y");
    for (int64_t i = 0; i < count && i < SHOWN; i++) {
        int64_t k = cp_item_int(cp_slice(order, CP_ITEMS(CP_AT(i))));
        double flux = cp_item_float(cp_slice(sources->flux, CP_ITEMS(CP_AT(k))));
        double y = cp_item_float(cp_slice(sources->centroid, CP_ITEMS(CP_AT(k), CP_AT(0))));
        double x = cp_item_float(cp_slice(sources->centroid, CP_ITEMS(CP_AT(k), CP_AT(1))));
        if (cp_error() != CP_OK) return cp_error();
        printf("%8lld %14.6g %10.3f %10.3f\n", (long long)k + 1, flux, x, y);
    }
    return CP_OK;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: source_finding IMAGE.fits [DEVICE]\n");
        return 2;
    }
    int device;
    if (argc > 2 && (cp_device_parse(argv[2], &device) != CP_OK || cp_device_use(device) != CP_OK)) {
        fprintf(stderr, "%s\n", cp_error_message());
        return 1;
    }
    for (CP_SCOPE) {
        cp_sources sources;
        int64_t count = 0;
        cp_array *image = cp_squeeze(cp_fits_read(argv[1]), CP_ALL); /* radio images have axes of length 1 */
        if (image && find(image, &sources, &count) == CP_OK) show(&sources, count);
    }
    if (cp_error() != CP_OK) fprintf(stderr, "%s\n", cp_error_message());
    return cp_error() != CP_OK;
}
