/* A table of stars: made, indexed, sorted, measured, binned, written to a file and read again:
 *
 *     cc survey.c $(pkg-config --cflags --libs cuprite) -o survey
 *     CUPRITE_DEVICE=cpu ./survey [FILE.npz]
 *
 * Arrays made in the scope are freed with it. A list within a call needs parentheses, since a macro would split it at
 * its commas: ((cp_array *[]){x, y}). */
#include <cuprite.h>
#include <stdio.h>
#include <stdlib.h>

/* An error is reported once, where it arose: NULL passes through every call. */
static void check(const char *what)
{
    if (cp_error() == CP_OK) return;
    fprintf(stderr, "%s: %s\n", what, cp_error_message());
    exit(1);
}

static void show(const char *label, cp_array *x)
{
    printf("%-10s", label);
    cp_print(x);
    check(label);
}

int main(int argc, char **argv)
{
    const char *file = argc > 1 ? argv[1] : "survey.npz";
    for (CP_SCOPE)
    {
        /* arrays */
        cp_rng *rng = cp_rng_new(7);
        cp_array *x = cp_rng_uniform(rng, cp_float(0), cp_float(10), .shape = CP_SHAPE(1000));
        cp_array *y = cp_rng_normal(rng, cp_float(5), cp_float(2), .shape = CP_SHAPE(1000));
        cp_array *flux = cp_exp(cp_rng_normal(rng, cp_float(0), cp_float(1), .shape = CP_SHAPE(1000)));
        cp_rng_free(rng);
        cp_array *columns[] = {x, y, flux}, *table = cp_stack(3, columns, 1);
        check("table");

        /* indexing: rows with flux > 3, the brightest five */
        cp_array *bright = cp_mask_get(table, cp_greater(flux, cp_float(3)));
        cp_array *order = cp_flip(cp_argsort(cp_slice(bright, CP_ITEMS(CP_FULL, CP_AT(2))), 0), CP_ALL);
        cp_array *top = cp_take(bright, cp_slice(order, CP_ITEMS(CP_RANGE(0, 5))), 0);
        show("top", cp_round(top, .decimals = 2));

        /* statistics */
        show("mean", cp_mean(table, .axis = CP_AXES(0)));
        show("std", cp_std(table, .axis = CP_AXES(0), .ddof = 1));
        show("median", cp_median(table, .axis = CP_AXES(0)));
        show("quartiles", cp_percentile(flux, cp_linspace(cp_float(25), cp_float(75), 3)));
        show("corrcoef", cp_round(cp_corrcoef(table, false), .decimals = 3));

        /* binning: edges of one factor, counts on a grid of positions */
        cp_array *edges = cp_geomspace(cp_float(0.01), cp_float(100), 5, true), *hist = NULL, *used = NULL;
        cp_histogram(flux, 0, &hist, &used, .edges = edges);
        cp_keep(hist), cp_keep(used);
        show("counts", hist);
        cp_array *grid = cp_histogram2d(x, y, cp_linspace(cp_float(0), cp_float(10), 6),
                                        cp_linspace(cp_float(0), cp_float(10), 6));
        show("grid", cp_sum(grid, .axis = CP_AXES(1)));
        cp_array *without = cp_delete(grid, cp_int(0), 0), *with = cp_insert(without, cp_int(-1), cp_int(0), 1);
        show("shape", with);
        show("unique", cp_unique(cp_astype(cp_floor(x), CP_INT32)));
        show("places", cp_searchsorted(edges, cp_slice(flux, CP_ITEMS(CP_RANGE(0, 4)))));

        /* files: an archive of two arrays, and what is read again */
        const char *names[] = {"top", "grid"};
        cp_array *arrays[] = {top, grid};
        if (cp_savez(file, 2, names, arrays, .compressed = true) == CP_OK) {
            cp_array *again = cp_load(file, .name = "top");
            printf("read again: %s\n", cp_array_equal(again, top, false) == 1 ? "the same" : "another");
        }
    }
    check("survey");
    return 0;
}
