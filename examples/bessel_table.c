/* A table of Bessel functions and their relatives, beside digits that were computed with 30 of them.
 *
 *     cc bessel_table.c $(pkg-config --cflags --libs cuprite) -o bessel_table
 *     ./bessel_table [cpu|cuda:0]
 *
 * Special functions are elementwise operations like any other: cp_j0(x), cp_gammaln(x), cp_betainc(a, b, x). */
#include <cuprite.h>
#include <math.h>
#include <stdio.h>

enum { ROWS = 8, COLUMNS = 4 };
static const double AT[ROWS] = {0.25, 0.5, 1, 2, 4, 8, 16, 32};
static const char *const NAME[COLUMNS] = {"J0", "Y1", "exp(-x) I0", "exp(x) K1"};
static const double EXACT[COLUMNS][ROWS] = {
    {0.9844359292958527049, 0.9384698072408129042, 0.7651976865579665514, 0.2238907791412356681,
     -0.3971498098638473723, 0.1716508071375539061, -0.1748990739836291848, 0.1380790097465559238},
    {-2.704105229315282444, -1.471472392670243069, -0.7812128213002887165, -0.1070324315409375469,
     0.3979257105571000053, -0.1580604617312474943, 0.1779751689394168596, -0.1385448315327238093},
    {0.7910171621397193639, 0.6450352704491500681, 0.4657596075936404365, 0.3085083225536710395,
     0.2070019212239866979, 0.1434317818568503107, 0.100544127361252019, 0.07080418931124560886},
    {4.811276588171025333, 2.731009708211785705, 1.636153486263258247, 1.033476847068688573,
     0.6815759451856709833, 0.4631490928704961059, 0.3205359681119734199, 0.2241284086954857005},
};

/* The function of a column. */
static cp_array *column(int i, cp_array *x)
{
    switch (i) {
    case 0: return cp_j0(x);
    case 1: return cp_y1(x);
    case 2: return cp_i0e(x);
    default: return cp_k1e(x);
    }
}

int main(int argc, char **argv)
{
    int device;
    if (argc > 1 && (cp_device_parse(argv[1], &device) != CP_OK || cp_device_use(device) != CP_OK))
        return fprintf(stderr, "%s\n", cp_error_message()), 1;
    double values[COLUMNS][ROWS], worst = 0;
    for (CP_SCOPE) {
        cp_array *x = cp_from_host(AT, CP_FLOAT64, CP_SHAPE(ROWS), NULL);
        for (int i = 0; i < COLUMNS; i++) cp_to_host(column(i, x), values[i], sizeof values[i]);
    }
    if (cp_error() != CP_OK) return fprintf(stderr, "%s\n", cp_error_message()), 1;
    printf("%5s", "x");
    for (int i = 0; i < COLUMNS; i++) printf("  %20s", NAME[i]);
    for (int k = 0; k < ROWS; k++) {
        printf("\n%5g", AT[k]);
        for (int i = 0; i < COLUMNS; i++) {
            const double off = fabs(values[i][k] - EXACT[i][k]) / fabs(EXACT[i][k]);
            worst = off > worst ? off : worst;
            printf("  %20.16f", values[i][k]);
        }
    }
    printf("\nlargest relative difference from 30 digits: %.1e\n", worst);
    return worst < 1e-13 ? 0 : 1;
}
