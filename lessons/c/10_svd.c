/* Lesson 10: a picture from its singular values, in C.
 *
 *     cc 10_svd.c $(pkg-config --cflags --libs cuprite) -o svd && ./svd */
#include "workshop.h"

enum { SIZE = 192 };

/* Ellipses of different greys, as in a slice of a head. */
static cp_array *head(void)
{
    static const double ellipses[][5] = {{1.0, 0, 0, 0.92, 0.69}, {-0.6, 0, 0, 0.87, 0.66},
                                         {0.3, -0.35, 0, 0.25, 0.21}, {-0.2, 0, 0.22, 0.31, 0.11},
                                         {-0.2, 0, -0.22, 0.41, 0.16}, {0.4, 0.3, 0, 0.06, 0.06}};
    cp_scope *s = cp_scope_begin();
    cp_array *x = cp_linspace(cp_float(-1), cp_float(1), SIZE), *y = cp_expand_dims(x, CP_AXES(1));
    cp_array *picture = cp_zeros(CP_SHAPE(SIZE, SIZE), CP_FLOAT64);
    for (int i = 0; i < 6; i++) {
        const double *e = ellipses[i];
        cp_array *down = cp_divide(cp_subtract(y, cp_float(e[1])), cp_float(e[3]));
        cp_array *along = cp_divide(cp_subtract(x, cp_float(e[2])), cp_float(e[4]));
        cp_array *inside = cp_less(cp_add(cp_square(down), cp_square(along)), cp_float(1));
        picture = cp_add(picture, cp_multiply(inside, cp_float(e[0])));
    }
    return cp_scope_return(s, picture);
}

/* The sum of the first k products of a column and a row. */
static cp_array *rebuilt(cp_array *u, cp_array *s, cp_array *vt, int k)
{
    cp_array *columns = cp_slice(u, CP_ITEMS(CP_FULL, CP_RANGE(0, k)));
    cp_array *weights = cp_slice(s, CP_ITEMS(CP_RANGE(0, k)));
    return cp_matmul(cp_multiply(columns, weights), cp_slice(vt, CP_ITEMS(CP_RANGE(0, k))));
}

int main(void)
{
    static const int kept[] = {1, 5, 20, 50};
    for (CP_SCOPE) {
        cp_array *picture = head(), *u, *s, *vt, *parts[4];
        if (cp_svd(picture, &u, &s, &vt) != CP_OK) break;
        double whole = cp_item_float(cp_norm(picture));
        for (int i = 0; i < 4; i++) {
            parts[i] = rebuilt(u, s, vt, kept[i]);
            double error = cp_item_float(cp_norm(cp_subtract(picture, parts[i])));
            double left_out = cp_item_float(cp_norm(cp_slice(s, CP_ITEMS(CP_RANGE(kept[i], SIZE)))));
            printf("%3d values: error %5.2f %%, as expected %5.2f %%\n", kept[i], 100 * error / whole,
                   100 * left_out / whole);
        }
        workshop_show(cp_hstack(4, parts), "rebuilt.png");
    }
    return workshop_end();
}

/* It prints:
 *
 *   1 values: error 54.17 %, as expected 54.17 %
 *   5 values: error 36.13 %, as expected 36.13 %
 *  20 values: error 13.05 %, as expected 13.05 %
 *  50 values: error  2.47 %, as expected  2.47 %
 */
