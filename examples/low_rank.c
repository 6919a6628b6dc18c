/* An image rebuilt from its first singular values, on whatever device there is:
 *
 *     cc low_rank.c $(pkg-config --cflags --libs cuprite) -o low_rank
 *     ./low_rank image.png low_rank.png [VALUES [cpu|cuda:0]]
 *
 * A matrix is the sum of products of a column and a row, the larger ones first: s[i] * u[:, i] * vt[i, :]. The picture
 * shows the image, the sum of its first VALUES products (10 by default), and the difference, side by side. The program
 * prints how much of the image each number of products contains. A colour picture is a batch of three matrices. The
 * image may be a FITS file too; "-" instead of a file generates an image: rings around two centres, of which a few
 * products contain much. */
#include <cuprite.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEIGHT = 300, WIDTH = 400 };

/* Distances from (y, x), as rings. */
static cp_array *rings(double y, double x, double width)
{
    cp_array *down = cp_expand_dims(cp_arange(0, HEIGHT, 1, CP_FLOAT64), CP_AXES(1));
    cp_array *along = cp_arange(0, WIDTH, 1, CP_FLOAT64);
    cp_array *r = cp_hypot(cp_subtract(down, cp_float(y)), cp_subtract(along, cp_float(x)));
    return cp_cos(cp_divide(r, cp_float(width)));
}

/* A picture's greys, or its colours as three matrices; alpha is dropped. Anything else is an image in FITS. */
static cp_array *image_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    if (strcmp(path, "-") == 0) return cp_add(rings(90, 130, 14), rings(200, 290, 9));
    if (!dot || strcmp(dot, ".png")) return cp_squeeze(cp_fits_read(path), CP_ALL);
    cp_array *picture = cp_png_read(path);
    if (!picture) return NULL;
    if (cp_ndim(picture) == 3) picture = cp_moveaxis(picture, CP_AXES(2), CP_AXES(0));
    if (picture && cp_ndim(picture) == 3)
        picture = cp_slice(picture, CP_ITEMS(cp_dim(picture, 0) > 2 ? CP_RANGE(0, 3) : CP_AT(0)));
    return picture ? cp_astype(picture, CP_FLOAT64) : NULL;
}

/* The first n products added up. */
static cp_array *rebuilt(cp_array *u, cp_array *s, cp_array *vt, int64_t n)
{
    cp_array *columns = cp_slice(u, CP_ITEMS(CP_ELLIPSIS, CP_RANGE(0, n)));
    cp_array *rows = cp_slice(vt, CP_ITEMS(CP_ELLIPSIS, CP_RANGE(0, n), CP_FULL));
    cp_array *values = cp_slice(s, CP_ITEMS(CP_ELLIPSIS, CP_NEW, CP_RANGE(0, n)));
    return columns && rows && values ? cp_matmul(cp_multiply(columns, values), rows) : NULL;
}

/* x from `low` (black) to `high` (white), as bytes. */
static cp_array *grey(cp_array *x, cp_array *low, cp_array *high)
{
    cp_array *y = cp_divide(cp_subtract(x, low), cp_subtract(high, low));
    y = cp_clip(cp_multiply(y, cp_float(255)), cp_float(0), cp_float(255));
    if (y && cp_ndim(y) == 3) y = cp_moveaxis(y, CP_AXES(0), CP_AXES(2));
    return y ? cp_astype(y, CP_UINT8) : NULL;
}

/* Prints the share of the sum of squares in the first 1, 2, 4, 8, ... values. */
static cp_code tell(cp_array *s)
{
    double whole = cp_item_float(cp_sum(cp_square(s))), part;
    for (int64_t n = 1; n < cp_dim(s, cp_ndim(s) - 1) && cp_error() == CP_OK; n *= 2) {
        part = cp_item_float(cp_sum(cp_square(cp_slice(s, CP_ITEMS(CP_ELLIPSIS, CP_RANGE(0, n))))));
        printf("%6lld values: %8.4f %%\n", (long long)n, whole > 0 ? 100 * part / whole : 100);
    }
    return cp_error();
}

static cp_code run(const char *from, const char *to, int64_t n)
{
    cp_array *image = image_of(from), *u, *s, *vt, *parts[3];
    if (!image || cp_svd(image, &u, &s, &vt) != CP_OK || tell(s) != CP_OK) return cp_error();
    cp_array *again = rebuilt(u, s, vt, n), *gap = cp_subtract(image, again);
    cp_array *low = cp_min(image), *high = cp_max(image), *half = cp_divide(cp_subtract(high, low), cp_float(2));
    parts[0] = grey(image, low, high);
    parts[1] = grey(again, low, high);
    parts[2] = grey(gap, cp_negative(half), half);
    cp_array *picture = parts[0] && parts[1] && parts[2] ? cp_hstack(3, parts) : NULL;
    if (!picture) return cp_error();
    printf("%lld of %lld values, %s\n", (long long)n, (long long)cp_dim(s, cp_ndim(s) - 1), to);
    return cp_png_write(to, picture);
}

int main(int argc, char **argv)
{
    int device;
    int64_t n = argc > 3 ? atoll(argv[3]) : 10;
    if (argc < 3 || n < 1) {
        fprintf(stderr, "usage: low_rank IMAGE.png|IMAGE.fits|- PICTURE.png [VALUES [DEVICE]]\n");
        return 2;
    }
    if (argc > 4 && (cp_device_parse(argv[4], &device) != CP_OK || cp_device_use(device) != CP_OK)) {
        fprintf(stderr, "%s\n", cp_error_message());
        return 1;
    }
    for (CP_SCOPE) run(argv[1], argv[2], n);
    if (cp_error() != CP_OK) fprintf(stderr, "%s\n", cp_error_message());
    return cp_error() != CP_OK;
}
