/* The steps of source finding on one image: read, transfer, background, segmentation, labelling, measurement. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "sources.h"

const char *const step_names[STEPS] = {"read",      "transfer",    "background", "segmentation",
                                       "labelling", "measurement", "write"};

#define LARGE (64 << 20) /* pixels from which on a terminal is told what goes on */

void found_free(found *f)
{
    cp_free(f->image);
    cp_free(f->peak);
    cp_image_header_free(f->header);
    void *const blocks[] = {f->label, f->pixels, f->peak_x, f->peak_y, f->flux, f->x, f->y, f->ra, f->dec, f->peak_value};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
    memset(f, 0, sizeof *f);
}

void sky_names(const found *f, const char **longitude, const char **latitude)
{
    static const char *const names[][3] = {
        {"equatorial", "ra", "dec"}, {"galactic", "glon", "glat"}, {"ecliptic", "elon", "elat"}};
    const char *system = cp_image_sky_system(f->header);
    *longitude = "lon";
    *latitude = "lat";
    for (size_t i = 0; system && i < sizeof names / sizeof *names; i++)
        if (!strcmp(system, names[i][0])) *longitude = names[i][1], *latitude = names[i][2];
}

/* The extents of the image when axes of extent 1 are dropped; an error when it is no plane. */
static int plane(const char *path, const cp_array *x, int64_t extent[2])
{
    char text[256] = "";
    const int64_t *dims = cp_dims(x);
    int n = cp_ndim(x), real = 0, length = 0;
    for (int i = 0; i < n; i++) {
        if (length < (int)sizeof text - 24)
            length += snprintf(text + length, sizeof text - (size_t)length, "%s%lld", i ? " x " : "", (long long)dims[i]);
        real += dims[i] != 1;
    }
    if (cp_size(x) == 0) return fail("sources", "%s: the image is empty (%s)", path, text);
    if (n < 2) return fail("sources", "%s: one axis only (%s), not an image", path, text);
    if (real > 2) return fail("sources", "%s: %d axes longer than 1 (%s), not an image", path, real, text);
    int drop = n - 2; /* of the axes of extent 1 the first ones go */
    for (int i = 0, k = 0; i < n; i++) {
        if (dims[i] == 1 && drop > 0) drop--;
        else extent[k++] = dims[i];
    }
    return 0;
}

static int read_image(const char *path, found *f)
{
    if (cp_device_use(CP_CPU) != CP_OK) return fail_error("sources", path);
    cp_array *x = cp_fits_read(path, .header = &f->header);
    if (!x) return fail_error("sources", path);
    int64_t extent[2];
    int status = plane(path, x, extent);
    if (!status && !(f->image = cp_reshape(x, (cp_shape){2, extent}))) status = fail_error("sources", path);
    cp_free(x);
    return status;
}

/* Why there is no background: says what the pixels are. */
static int no_background(const char *path, cp_array *image)
{
    cp_array *v = cp_device_use(CP_CPU) == CP_OK ? cp_astype(image, CP_FLOAT64) : NULL;
    if (!v) return fail_error("sources", path);
    const double *p = cp_data(v);
    int64_t n = cp_size(v), good = 0, infinite = 0;
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        if (isnan(p[i])) continue;
        good++;
        infinite += isinf(p[i]);
        if (p[i] < low) low = p[i];
        if (p[i] > high) high = p[i];
    }
    cp_free(v);
    if (!good) return fail("sources", "%s: every pixel is NaN", path);
    if (low == high) return fail("sources", "%s: constant image: every pixel is %g", path, low);
    if (infinite) return fail("sources", "%s: no background: %lld pixels are infinite", path, (long long)infinite);
    return fail("sources", "%s: no background: the pixels near the median have no noise", path);
}

static void *fetch(cp_array *x, cp_type type, int *status)
{
    if (*status) return NULL;
    cp_array *y = cp_astype(x, type);
    size_t bytes = y ? (size_t)cp_nbytes(y) : 0;
    void *block = malloc(bytes ? bytes : 1);
    if (!y || !block || cp_to_host(y, block, bytes) != CP_OK) {
        free(block);
        block = NULL;
        *status = 1;
    }
    cp_free(y);
    return block;
}

/* Sources from the device into f; with no sources all stays empty. */
static int collect(const char *path, cp_sources *s, found *f)
{
    int status = 0;
    size_t n = (size_t)f->count;
    f->pixels = fetch(s->pixels, CP_INT64, &status);
    f->flux = fetch(s->flux, CP_FLOAT64, &status);
    double *centroid = fetch(s->centroid, CP_FLOAT64, &status);
    int64_t *position = fetch(s->position, CP_INT64, &status);
    f->peak_value = fetch(s->peak, CP_FLOAT64, &status);
    if (!status && !(f->peak = cp_to_device(s->peak, CP_CPU))) status = 1;
    if (f->peak != s->peak) cp_keep(f->peak); /* a copy: out of the scope; else a second reference */
    f->label = malloc(n * sizeof *f->label);
    f->peak_x = malloc(n * sizeof *f->peak_x);
    f->peak_y = malloc(n * sizeof *f->peak_y);
    f->x = malloc(n * sizeof *f->x);
    f->y = malloc(n * sizeof *f->y);
    if (!f->label || !f->peak_x || !f->peak_y || !f->x || !f->y) status = 1;
    for (size_t i = 0; i < n && !status; i++) {
        f->label[i] = (int64_t)i + 1;
        f->y[i] = centroid[2 * i];
        f->x[i] = centroid[2 * i + 1];
        f->peak_y[i] = position[2 * i];
        f->peak_x[i] = position[2 * i + 1];
    }
    free(centroid);
    free(position);
    if (!status && cp_image_sky_system(f->header)) {
        f->ra = malloc(n * sizeof *f->ra);
        f->dec = malloc(n * sizeof *f->dec);
        if (!f->ra || !f->dec || cp_image_sky(f->header, f->count, f->x, f->y, f->ra, f->dec) != CP_OK) status = 1;
    }
    if (!status) return 0;
    return cp_error() != CP_OK ? fail_error("sources", path) : fail("sources", "%s: out of memory", path);
}

/* Ends a step: waits for the device and takes the time since the last one. */
static bool step_done(found *f, int device, int step, double *since)
{
    if (cp_device_synchronize(device) != CP_OK) return false;
    double t = now();
    f->seconds[step] += t - *since;
    *since = t;
    return true;
}

/* The four steps on the device; every array belongs to the scope. */
static int run_steps(const char *path, const find_options *o, found *f)
{
    double t = now();
    bool large = cp_size(f->image) > LARGE;
    int dev = o->device;
    progress(large, path, "transfer");
    cp_array *x = cp_to_device(f->image, dev);
    if (x == f->image) cp_free(x); /* it is there already, and f holds it */
    if (!x || cp_device_use(dev) != CP_OK || !step_done(f, dev, STEP_TRANSFER, &t)) return fail_error("sources", path);

    progress(large, path, "background");
    if (cp_sigma_clip_stats(x, &f->background, .kappa = o->kappa) != CP_OK) return fail_error("sources", path);
    if (!(f->background.count > 0 && f->background.std > 0 && isfinite(f->background.std)))
        return no_background(path, f->image);
    f->threshold = f->background.center + o->k * f->background.std;
    step_done(f, dev, STEP_BACKGROUND, &t);

    progress(large, path, "segmentation");
    cp_array *segments = cp_greater(x, cp_float(f->threshold));
    if (!segments || !step_done(f, dev, STEP_SEGMENTATION, &t)) return fail_error("sources", path);

    progress(large, path, "labelling");
    cp_array *labels = cp_label(segments, NULL, NULL, &f->count);
    if (!labels || !step_done(f, dev, STEP_LABELLING, &t)) return fail_error("sources", path);
    if (!f->count) return 0;

    progress(large, path, "measurement");
    cp_sources s = {0};
    if (cp_measure(x, labels, f->count, &s) != CP_OK) return fail_error("sources", path);
    int status = collect(path, &s, f);
    if (!status && !step_done(f, dev, STEP_MEASUREMENT, &t)) status = fail_error("sources", path);
    return status;
}

int find_sources(const char *path, const find_options *options, found *f)
{
    memset(f, 0, sizeof *f);
    double t = now();
    int status = read_image(path, f);
    f->seconds[STEP_READ] = now() - t;
    if (status) return status;
    cp_scope *scope = cp_scope_begin();
    if (!scope) return fail_error("sources", path);
    status = run_steps(path, options, f);
    cp_scope_end(scope);
    progress(false, NULL, NULL);
    return status;
}
