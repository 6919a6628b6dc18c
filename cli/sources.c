/* cuprite sources: options, the names of the outputs, what is printed. */
#include "sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cli.h"

static const char help[] =
    "usage: cuprite sources IMAGE.fits... [options]\n\n"
    "Finds the sources in images of the sky: background by kappa-sigma clipping, pixels brighter than\n"
    "median + k * sigma of it, connected groups of those, and their measurements.\n\n"
    "  -k K             threshold above the background's median, in its sigma (5)\n"
    "  --kappa K        clip the background at K sigma (3)\n"
    "  --device NAME    cpu, cuda, cuda:1, ... (the first GPU, where there is one)\n"
    "  --catalog PATH   write all sources: a FITS table where PATH ends in .fits, else CSV\n"
    "  --plot PATH      write a picture of the image and its sources (PNG)\n"
    "  --stretch NAME   of the picture: log or asinh (log)\n\n"
    "With several images PATH must be a folder, or hold {}, which stands for the image's name without its\n"
    "folder and ending. Positions count from 0 at the centre of the first pixel, x along NAXIS1.\n";

typedef struct options {
    find_options find;
    const char *device, *catalog, *plot;
    stretch stretch;
    char **images;
    int count;
} options;

/* --- names of outputs --- */

/* Length of a file's name without .fits.gz and the like. */
static size_t stem_length(const char *name)
{
    static const char *const endings[] = {".gz", ".fz", ".fits", ".fit", ".fts"};
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t e = strlen(endings[i]);
        if (n > e && !strncasecmp(name + n - e, endings[i], e)) n -= e;
    }
    return n;
}

/* The output for an image, malloc'd: PATTERN with {} replaced, or FOLDER/NAME.ending; NULL: out of memory. */
static char *output_path(const char *pattern, const char *image, const char *ending)
{
    const char *slash = strrchr(image, '/'), *name = slash ? slash + 1 : image;
    int stem = (int)stem_length(name);
    struct stat info;
    char *path = NULL;
    const char *braces = strstr(pattern, "{}");
    size_t n = strlen(pattern);
    bool folder = !braces && n && (pattern[n - 1] == '/' || (stat(pattern, &info) == 0 && S_ISDIR(info.st_mode)));
    int done;
    if (braces) done = asprintf(&path, "%.*s%.*s%s", (int)(braces - pattern), pattern, stem, name, braces + 2);
    else if (folder) done = asprintf(&path, "%s%s%.*s%s", pattern, pattern[n - 1] == '/' ? "" : "/", stem, name, ending);
    else done = asprintf(&path, "%s", pattern);
    return done < 0 ? NULL : path;
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    if (!strcmp(a, b)) return true;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino && S_ISREG(x.st_mode);
}

/* No output may be an input or another output; 0 or the exit status. */
static int check_outputs(const options *o)
{
    int n = 0, status = 0;
    char **out = calloc(2 * (size_t)o->count, sizeof *out);
    if (!out) return fail("sources", "out of memory");
    for (int i = 0; i < o->count; i++) {
        if (o->catalog && (out[n] = output_path(o->catalog, o->images[i], ".csv"))) n++;
        if (o->plot && (out[n] = output_path(o->plot, o->images[i], ".png"))) n++;
    }
    for (int i = 0; i < n && !status; i++) {
        for (int j = 0; j < o->count && !status; j++)
            if (same_file(out[i], o->images[j]))
                status = usage_error("sources", "%s: an output would replace an image", out[i]);
        for (int j = 0; j < i && !status; j++)
            if (same_file(out[i], out[j]))
                status = usage_error("sources", "%s: two outputs have this name%s", out[i],
                                     o->count > 1 ? "; a folder or {} in it tells images apart" : "");
    }
    for (int i = 0; i < n; i++) free(out[i]);
    free(out);
    return status;
}

/* --- what is written --- */

static cp_array *column(const void *values, cp_type type, int64_t n)
{
    return cp_from_host(values, type, CP_SHAPE(n), NULL);
}

static cp_code write_catalog(const found *f, const char *path)
{
    const char *unit = cp_image_unit(f->header), *longitude, *latitude;
    sky_names(f, &longitude, &latitude);
    int64_t n = f->count;
    bool sky = cp_image_sky_system(f->header) != NULL;
    static const double none;
    /* without sources there is no memory to point at */
    const void *of[] = {f->label, f->pixels, f->flux, f->x, f->y, f->peak, f->peak_x, f->peak_y, f->ra, f->dec};
    for (int i = 0; i < 10; i++)
        if (!n) of[i] = &none;
    cp_column c[10] = {{"label", NULL, column(of[0], CP_INT64, n)},
                       {"pixels", NULL, column(of[1], CP_INT64, n)},
                       {"flux", unit, column(of[2], CP_FLOAT64, n)},
                       {"x", "pixel", column(of[3], CP_FLOAT64, n)},
                       {"y", "pixel", column(of[4], CP_FLOAT64, n)},
                       {"peak", unit, n ? cp_retain(f->peak) : column(&none, cp_type_of(f->image), 0)},
                       {"peak_x", "pixel", column(of[6], CP_INT64, n)},
                       {"peak_y", "pixel", column(of[7], CP_INT64, n)},
                       {longitude, "deg", sky ? column(of[8], CP_FLOAT64, n) : NULL},
                       {latitude, "deg", sky ? column(of[9], CP_FLOAT64, n) : NULL}};
    cp_code code = cp_catalog_write(path, sky ? 10 : 8, c);
    for (int i = 0; i < 10; i++) cp_free(c[i].values);
    return code;
}

/* Catalogue and picture of one image. */
static int write_outputs(const options *o, const char *image, found *f)
{
    double t = now();
    int status = 0;
    if (cp_device_use(CP_CPU) != CP_OK) return fail_error("sources", image);
    if (o->catalog) {
        char *path = output_path(o->catalog, image, ".csv");
        if (!path) return fail("sources", "%s: out of memory", image);
        if (write_catalog(f, path) != CP_OK) status = fail_error("sources", path);
        free(path);
    }
    if (o->plot && !status) {
        char *path = output_path(o->plot, image, ".png");
        if (!path) return fail("sources", "%s: out of memory", image);
        cp_array *picture = plot_sources(f, o->stretch);
        if (!picture || cp_png_write(path, picture) != CP_OK) status = fail_error("sources", path);
        cp_free(picture);
        free(path);
    }
    f->seconds[STEP_WRITE] = now() - t;
    return status;
}

/* --- what is printed --- */

static const double *sort_key; /* qsort has no context */
static int brighter(const void *a, const void *b)
{
    int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
    if (sort_key[i] != sort_key[j]) return sort_key[i] > sort_key[j] ? -1 : 1;
    return i < j ? -1 : i > j;
}

static void print_brightest(const found *f)
{
    const char *longitude, *latitude;
    int64_t *order = malloc((size_t)f->count * sizeof *order + 1);
    if (!order) return;
    for (int64_t i = 0; i < f->count; i++) order[i] = i;
    sort_key = f->flux;
    qsort(order, (size_t)f->count, sizeof *order, brighter);
    sky_names(f, &longitude, &latitude);
    printf("\n%8s %8s %13s %10s %10s %12s", "label", "pixels", "flux", "x", "y", "peak");
    if (f->ra) printf(" %12s %12s", longitude, latitude);
    printf("\n");
    for (int64_t k = 0; k < f->count && k < 10; k++) {
        int64_t i = order[k];
        printf("%8lld %8lld %13.6g %10.3f %10.3f %12.6g", (long long)f->label[i], (long long)f->pixels[i], f->flux[i],
               f->x[i], f->y[i], f->peak_value[i]);
        if (f->ra) printf(" %12.6f %12.6f", f->ra[i], f->dec[i]);
        printf("\n");
    }
    free(order);
}

static void print_found(const options *o, const char *image, const found *f)
{
    cp_device_info info = {0};
    cp_device_query(o->find.device, &info);
    const char *unit = cp_image_unit(f->header), *object = cp_image_object(f->header);
    printf("%s: %lld x %lld pixels, %s%s%s%s%s\n", image, (long long)cp_dim(f->image, 1),
           (long long)cp_dim(f->image, 0), cp_type_name(cp_type_of(f->image)), *unit ? ", " : "", unit,
           *object ? ", " : "", object);
    printf("on %s (%s)\n\n", info.name, info.backend);
    double total = 0;
    for (int i = 0; i < STEPS; i++) {
        printf("%-14s %10.3f ms\n", step_names[i], 1e3 * f->seconds[i]);
        total += f->seconds[i];
    }
    printf("%-14s %10.3f ms\n\n", "all", 1e3 * total);
    printf("background: median %.6g, sigma %.6g, %d iterations, %lld pixels kept\n", f->background.center,
           f->background.std, f->background.iterations, (long long)f->background.count);
    printf("threshold:  %.6g (median + %g sigma)\n", f->threshold, o->find.k);
    printf("sources:    %lld\n", (long long)f->count);
    if (f->count) print_brightest(f);
}

/* --- arguments --- */

static int take_option(options *o, const args *a)
{
    if (!a->option) {
        o->images[o->count++] = (char *)a->value;
        return 0;
    }
    if (!strcmp(a->option, "-k")) return args_number(a, 0, 1e9, &o->find.k) ? 0 : 2;
    if (!strcmp(a->option, "--kappa")) return args_number(a, 1e-3, 1e9, &o->find.kappa) ? 0 : 2;
    if (!strcmp(a->option, "--device")) o->device = a->value;
    else if (!strcmp(a->option, "--catalog")) o->catalog = a->value;
    else if (!strcmp(a->option, "--plot")) o->plot = a->value;
    else if (!strcmp(a->value, "log")) o->stretch = STRETCH_LOG;
    else if (!strcmp(a->value, "asinh")) o->stretch = STRETCH_ASINH;
    else return usage_error("sources", "option --stretch: %s is neither log nor asinh", a->value);
    return 0;
}

static int pick_device(options *o)
{
    if (!o->device) {
        if ((o->find.device = cp_device_current()) == CP_NO_DEVICE) return fail_error("sources", "CUPRITE_DEVICE");
        /* opened here, not within the first transfer */
        return cp_device_synchronize(o->find.device) == CP_OK ? 0 : fail_error("sources", "device");
    }
    cp_code code = cp_device_parse(o->device, &o->find.device);
    if (code == CP_OK) code = cp_device_synchronize(o->find.device);
    if (code == CP_OK) return 0;
    char subject[160];
    snprintf(subject, sizeof subject, "device %.140s", o->device);
    fail_error("sources", subject);
    return code == CP_ERROR_VALUE ? 2 : 1;
}

static int run(options *o)
{
    if (!o->count) return usage_error("sources", "no image is given (see `cuprite sources --help`)");
    if ((o->catalog && !*o->catalog) || (o->plot && !*o->plot)) return usage_error("sources", "an output has no name");
    int status = check_outputs(o);
    if (!status) status = pick_device(o);
    if (status) return status;
    if (!cp_io_libraries()) return fail_error("sources", "files"); /* loaded here, not within the first reading */
    for (int i = 0, printed = 0; i < o->count; i++) {
        found f;
        int one = find_sources(o->images[i], &o->find, &f);
        if (!one) one = write_outputs(o, o->images[i], &f);
        if (!one) {
            if (printed++) printf("\n");
            print_found(o, o->images[i], &f);
            flush_output();
        }
        found_free(&f);
        if (one) status = one;
    }
    return status;
}

int cmd_sources(int argc, char **argv)
{
    static const char *const flags[] = {"--help", "-h", NULL};
    static const char *const values[] = {"-k", "--kappa", "--device", "--catalog", "--plot", "--stretch", NULL};
    args a = {.command = "sources", .flags = flags, .values = values, .argc = argc, .at = 1, .argv = argv};
    options o = {.find = {.k = 5, .kappa = 3}, .images = calloc((size_t)argc, sizeof *o.images)};
    if (!o.images) return fail("sources", "out of memory");
    int status = 0, next;
    bool helped = false;
    while (!status && !helped && (next = args_next(&a))) {
        if (next < 0) status = 2;
        else if (a.option && (!strcmp(a.option, "--help") || !strcmp(a.option, "-h"))) helped = true;
        else status = take_option(&o, &a);
    }
    if (helped) fputs(help, stdout);
    else if (!status) status = run(&o);
    free(o.images);
    return status;
}
