/* cuprite sky: a synthetic image of the radio sky: noise, point-like sources, a dominant one in the middle, and
 * a celestial WCS. Same options and seed, same bytes.
 *
 * Random numbers are a hash of a counter (splitmix64), one run of counters for each line of the image and one for
 * the sources, so a pixel depends on the seed and its place alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cuprite.h"

static const char help[] =
    "usage: cuprite sky OUT.fits [options]\n\n"
    "Writes a synthetic image of the radio sky (float32, JY/BEAM): Gaussian noise, sources with peaks of a\n"
    "power law, one of 2.5 Jy/beam in the middle, a WCS (RA and Dec, TAN, 4 arc seconds a pixel) centred on the\n"
    "Galactic Center, and a beam of 14.1 arc seconds, the size of the smallest sources. The same\n"
    "options and seed give the same bytes.\n\n"
    "  --size N      pixels on a side, 16 to 131072 (2048)\n"
    "  --noise S     standard deviation of the noise, Jy/beam (0.0133)\n"
    "  --sources N   number of sources beside the dominant one (200)\n"
    "  --seed N      seed of the random numbers (20221102)\n"
    "  --catalog P   write the list of the sources, as they were painted (CSV, or FITS by name)\n";

typedef struct random { uint64_t counter; bool has_spare; double spare; } random_state;

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static random_state stream(uint64_t seed, uint64_t number)
{
    return (random_state){.counter = mix(mix(seed + 0x9e3779b97f4a7c15u) ^ (number + 1) * 0xd1342543de82ef95u)};
}

/* In (0, 1). */
static double uniform(random_state *r)
{
    r->counter += 0x9e3779b97f4a7c15u;
    return ((double)(mix(r->counter) >> 12) + 0.5) * 0x1p-52;
}

/* Two normal numbers a time, by the polar method. */
static double normal(random_state *r)
{
    if (r->has_spare) {
        r->has_spare = false;
        return r->spare;
    }
    double x, y, s;
    do {
        x = 2 * uniform(r) - 1;
        y = 2 * uniform(r) - 1;
        s = x * x + y * y;
    } while (s >= 1 || s == 0);
    s = sqrt(-2 * log(s) / s);
    r->spare = y * s;
    r->has_spare = true;
    return x * s;
}

/* Adds a Gaussian cut off at `reach` pixels, and at the image's edges. */
static void add_source(float *image, int64_t size, int64_t x0, int64_t y0, double peak, double sx, double sy, int reach)
{
    for (int64_t y = y0 - reach; y <= y0 + reach; y++)
        for (int64_t x = x0 - reach; x <= x0 + reach; x++) {
            if (x < 0 || y < 0 || x >= size || y >= size) continue;
            double dx = (double)(x - x0) / sx, dy = (double)(y - y0) / sy;
            image[y * size + x] += (float)(peak * exp(-0.5 * (dx * dx + dy * dy)));
        }
}

/* What was painted, source by source; columns of `count` values. */
enum { X, Y, PEAK, SUM, SIGMA_X, SIGMA_Y, TRUTHS };
typedef struct truth { int64_t count; double *column[TRUTHS]; } truth;

static void note(truth *t, int64_t x, int64_t y, double peak, double sx, double sy)
{
    const double values[TRUTHS] = {(double)x, (double)y, peak, peak * 6.283185307179586 * sx * sy, sx, sy};
    for (int i = 0; i < TRUTHS; i++) t->column[i][t->count] = values[i];
    t->count++;
}

static void paint(float *image, int64_t size, double noise, int64_t sources, uint64_t seed, truth *t)
{
    for (int64_t y = 0; y < size; y++) {
        random_state r = stream(seed, (uint64_t)y + 1);
        for (int64_t x = 0; x < size; x++) image[y * size + x] = (float)(noise * normal(&r));
        if (size > 8192 && y % 256 == 0) progress(true, "sky", "noise");
    }
    random_state r = stream(seed, 0);
    int64_t edge = size > 64 ? 17 : size / 8; /* whole sources, where there is room for them */
    for (int64_t i = 0; i < sources; i++) {
        int64_t x = edge + (int64_t)(uniform(&r) * (double)(size - 2 * edge));
        int64_t y = edge + (int64_t)(uniform(&r) * (double)(size - 2 * edge));
        double peak = 0.12 * pow(uniform(&r), -1 / 1.3); /* Pareto, cut at 1.5 */
        double sx = 1.5 + 2 * uniform(&r), sy = 1.5 + 2 * uniform(&r);
        if (peak > 1.5) peak = 1.5;
        add_source(image, size, x, y, peak, sx, sy, 16);
        note(t, x, y, peak, sx, sy);
    }
    add_source(image, size, size / 2, size / 2, 2.5, 7, 7, 40);
    note(t, size / 2, size / 2, 2.5, 7, 7);
    progress(false, NULL, NULL);
}

/* The list of what was painted, as a catalogue. */
static cp_code write_truth(const char *path, const truth *t)
{
    static const char *const names[TRUTHS] = {"x", "y", "peak", "sum", "sigma_x", "sigma_y"};
    static const char *const units[TRUTHS] = {"pixel", "pixel", "JY/BEAM", "JY/BEAM", "pixel", "pixel"};
    cp_column columns[TRUTHS];
    for (int i = 0; i < TRUTHS; i++)
        columns[i] = (cp_column){names[i], units[i], cp_from_host(t->column[i], CP_FLOAT64, CP_SHAPE(t->count), NULL)};
    cp_code code = cp_catalog_write(path, TRUTHS, columns);
    for (int i = 0; i < TRUTHS; i++) cp_free(columns[i].values);
    return code;
}

static int write_sky(const char *path, const char *list, int64_t size, double noise, int64_t sources, uint64_t seed)
{
    char cards[1024];
    snprintf(cards, sizeof cards,
             "BUNIT   = 'JY/BEAM '\nOBJECT  = 'synthetic radio sky'\n"
             "CTYPE1  = 'RA---TAN'\nCRVAL1  =             266.4168\nCRPIX1  = %20.1f\nCDELT1  = -1.1111111111111E-03\n"
             "CUNIT1  = 'deg     '\n"
             "CTYPE2  = 'DEC--TAN'\nCRVAL2  =             -29.0078\nCRPIX2  = %20.1f\nCDELT2  =  1.1111111111111E-03\n"
             "CUNIT2  = 'deg     '\nRADESYS = 'ICRS    '\n"
             "BMAJ    =  3.9247000000000E-03\nBMIN    =  3.9247000000000E-03\nBPA     =                  0.0\n",
             (double)(size / 2) + 1, (double)(size / 2) + 1);
    int status = 1;
    truth t = {0};
    bool space = true;
    for (int i = 0; i < TRUTHS; i++) space &= (t.column[i] = malloc(((size_t)sources + 1) * sizeof(double))) != NULL;
    cp_array *sky = cp_device_use(CP_CPU) == CP_OK ? cp_empty(CP_SHAPE(size, size), CP_FLOAT32) : NULL;
    if (sky && space) {
        paint(cp_data(sky), size, noise, sources, seed, &t);
        if (cp_fits_write(output_name(path), sky, .cards = cards) == CP_OK) status = 0;
    }
    if (status) space ? fail_error_of("sky", output_name(path), path) : fail("sky", "%s: out of memory", path);
    if (!status && list && write_truth(output_name(list), &t) != CP_OK)
        status = fail_error_of("sky", output_name(list), list);
    cp_free(sky);
    for (int i = 0; i < TRUTHS; i++) free(t.column[i]);
    return status;
}

int cmd_sky(int argc, char **argv)
{
    static const char *const flags[] = {"--help", "-h", NULL};
    static const char *const values[] = {"--size", "--noise", "--sources", "--seed", "--catalog", NULL};
    args a = {.command = "sky", .flags = flags, .values = values, .argc = argc, .at = 1, .argv = argv};
    const char *path = NULL, *list = NULL;
    int64_t size = 2048, sources = 200, seed = 20221102;
    double noise = 0.0133;
    for (int next; (next = args_next(&a));) {
        if (next < 0) return 2;
        bool good = true;
        if (!a.option && path) return usage_error("sky", "one output is expected: %s", a.value);
        if (!a.option) path = a.value;
        else if (!strcmp(a.option, "--catalog")) list = a.value;
        else if (!strcmp(a.option, "--size")) good = args_integer(&a, 16, 131072, &size);
        else if (!strcmp(a.option, "--sources")) good = args_integer(&a, 0, 100000000, &sources);
        else if (!strcmp(a.option, "--seed")) good = args_integer(&a, 0, INT64_MAX, &seed);
        else if (!strcmp(a.option, "--noise")) good = args_number(&a, 0, 1e30, &noise);
        else return fputs(help, stdout), 0;
        if (!good) return 2;
    }
    if (!path) return usage_error("sky", "no output is given (see `cuprite sky --help`)");
    if (list && (!*list || !strcmp(list, path)))
        return usage_error("sky", "the list of the sources needs a name of its own");
    return write_sky(path, list, size, noise, sources, (uint64_t)seed);
}
