/* The steps of source finding on one image: read, transfer, background, segmentation, labelling, measurement. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tiles.h"
#include "cli.h"
#include "sources.h"

const char *const step_names[STEPS] = {"read",      "transfer",    "background", "segmentation",
                                       "labelling", "measurement", "write"};

#define LARGE (64 << 20) /* pixels from which on memory is saved and progress is shown */

void found_free(found *f)
{
    cp_free(f->image);
    cp_image_header_free(f->header);
    void *const blocks[] = {f->label,   f->pixels,  f->peak_x, f->peak_y,      f->flux, f->flux_error,
                            f->sum,     f->x,       f->y,
                            f->x_error, f->y_error,
                            f->total,   f->total_error, f->ra, f->dec, f->peak, f->peak_value};
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

int plane_of(const char *path, int n, const int64_t *dims, const find_options *o, int64_t extent[2], cp_index *at,
             int64_t *first)
{
    char text[256] = "";
    int longer = 0, length = 0;
    bool empty = false;
    for (int i = 0; i < n; i++) {
        if (length < (int)sizeof text - 24)
            length += snprintf(text + length, sizeof text - (size_t)length, "%s%lld", i ? " x " : "",
                               (long long)dims[i]);
        longer += dims[i] != 1;
        empty |= dims[i] == 0;
    }
    if (empty) return fail("sources", "%s: the image is empty (%s)", path, text);
    if (n < 2) return fail("sources", "%s: one axis only (%s), not an image", path, text);
    int choose = longer > 2 ? longer - 2 : 0, drop = n - 2 - choose;
    if (choose && !o->planes)
        return fail("sources", "%s: %d axes longer than 1 (%s), not an image; --plane %s takes one of its planes", path,
                    longer, text, choose == 1 ? "0" : "0,0");
    if (choose != o->planes)
        return fail("sources", "%s: --plane has %d number%s, the image (%s) needs %d", path, o->planes,
                    o->planes == 1 ? "" : "s", text, choose);
    *first = 0;
    for (int i = 0, k = 0, chosen = 0; i < n; i++) {
        int64_t index = 0;
        bool full = false;
        if (dims[i] == 1 && drop > 0) drop--;
        else if (chosen < choose) {
            if (o->plane[chosen] >= dims[i])
                return fail("sources", "%s: plane %lld is out of bounds, the axis has %lld (%s)", path,
                            (long long)o->plane[chosen], (long long)dims[i], text);
            index = o->plane[chosen++];
        } else {
            full = true;
            extent[k++] = dims[i];
        }
        if (at) at[i] = full ? CP_FULL : CP_AT(index);
        *first = *first * dims[i] + index;
    }
    return 0;
}

static int read_image(const char *path, const char *name, const find_options *o, found *f)
{
    struct stat info;
    progress(stat(path, &info) == 0 && info.st_size > LARGE, name, "read");
    if (cp_device_use(CP_CPU) != CP_OK) return fail_error_of("sources", path, name);
    cp_array *x = cp_fits_read(path, .ext = o->ext, .header = &f->header);
    if (!x) return fail_error_of("sources", path, name);
    int64_t extent[2];
    cp_index at[64]; /* most axes of a FITS image here */
    int64_t first;
    int status = plane_of(name, cp_ndim(x), cp_dims(x), o, extent, at, &first);
    cp_array *view = status ? NULL : cp_slice(x, cp_ndim(x), at);
    if (!status && o->planes) { /* frees the rest of the cube */
        cp_array *copy = cp_copy(view);
        cp_free(view);
        view = copy;
    }
    if (!status && !(f->image = cp_reshape(view, (cp_shape){2, extent}))) status = fail_error_of("sources", path, name);
    cp_free(view);
    cp_free(x);
    return status;
}

/* --- infinite and huge values --- */

/* Infinite pixels become NaN, and values whose squares leave float64 are divided by a power of two: f->image is
 * replaced if there are any (*mended). */
static cp_code mend(found *f, bool *mended)
{
    *mended = false;
    if (cp_type_kind(cp_type_of(f->image)) != 'f') return CP_OK;
    cp_scope *scope = cp_device_use(CP_CPU) == CP_OK ? cp_scope_begin() : NULL;
    if (!scope) return cp_error();
    cp_array *infinite = cp_isinf(f->image), *image = f->image;
    f->infinite = cp_item_int(cp_count_nonzero(infinite));
    if (f->infinite) image = cp_where(infinite, cp_float(NAN), image);
    double largest = cp_item_float(cp_astype(cp_nanmax(cp_absolute(image)), CP_FLOAT64));
    int power = 0;
    if (largest > 0 && isfinite(largest) && (largest > 1e100 || largest < 1e-100)) {
        frexp(largest, &power);
        int half = power / 2; /* the full power may overflow */
        image = cp_multiply(cp_multiply(image, cp_float(ldexp(1, -half))), cp_float(ldexp(1, half - power)));
    }
    if (cp_error() == CP_OK && image != f->image) {
        f->scale = ldexp(1, power);
        cp_free(f->image);
        f->image = cp_keep(image);
        *mended = true;
    }
    cp_scope_end(scope);
    return cp_error();
}

/* Prints why there is no background: describes the pixels. */
static int no_background(const char *path, const found *f)
{
    cp_array *v = cp_device_use(CP_CPU) == CP_OK ? cp_astype(f->image, CP_FLOAT64) : NULL;
    if (!v) return fail_error("sources", path);
    const double *p = cp_data(v);
    int64_t n = cp_size(v), good = 0;
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        if (isnan(p[i])) continue;
        good++;
        if (p[i] < low) low = p[i];
        if (p[i] > high) high = p[i];
    }
    cp_free(v);
    if (!good) return fail("sources", "%s: every pixel is %s", path, f->infinite ? "NaN or infinite" : "NaN");
    if (low == high) return fail("sources", "%s: constant image: every pixel is %g", path, low * f->scale);
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

/* --- copies from the device --- */

/* Keeps the values of the groups that are large enough. */
static void drop_small(void *block, size_t item, const int64_t *pixels, int64_t groups, int64_t least)
{
    char *to = block;
    for (int64_t i = 0; i < groups; i++)
        if (pixels[i] >= least) memmove(to, (char *)block + (size_t)i * item, item), to += item;
}

/* An array's values in malloc'd memory, without those of small groups; NULL and *status on failure. */
static void *taken(cp_array *x, cp_type type, const int64_t *pixels, int64_t groups, int64_t least, int *status)
{
    void *block = *status ? NULL : fetch(x, type, status);
    if (block && groups) drop_small(block, (size_t)(cp_size(x) / groups * cp_type_size(type)), pixels, groups, least);
    return block;
}

/* One of the columns of pairs (y, x). */
static double *column_of(const double *pairs, int64_t n, int which)
{
    double *column = pairs ? malloc((size_t)n * sizeof *column + 1) : NULL;
    for (int64_t i = 0; i < n && column; i++) column[i] = pairs[2 * i + which];
    return column;
}
static int64_t *position_of(const int64_t *pairs, int64_t n, int which)
{
    int64_t *column = pairs ? malloc((size_t)n * sizeof *column + 1) : NULL;
    for (int64_t i = 0; i < n && column; i++) column[i] = pairs[2 * i + which];
    return column;
}

static void multiply(double *values, int64_t n, double by)
{
    for (int64_t i = 0; i < n && by != 1; i++) values[i] *= by;
}

/* Is the unit one per beam ("Jy/beam", "JY BEAM-1")? */
static bool per_beam(const char *unit)
{
    return strcasestr(unit, "/beam") || strcasestr(unit, "beam-1") || strcasestr(unit, "beam^-1");
}

/* Flux by the beam's area. The noise is independent for each beam, not for each pixel, if beams are larger than
 * pixels. */
static int integrate(found *f)
{
    if (!per_beam(cp_image_unit(f->header)) || !cp_image_beam(f->header, &f->beam)) return 0;
    size_t bytes = (size_t)f->count * sizeof(double) + 1;
    f->total = malloc(bytes);
    f->total_error = malloc(bytes);
    if (!f->total || !f->total_error) return 1;
    double noise = f->background.std * f->scale, area = f->beam.pixels;
    for (int64_t i = 0; i < f->count; i++) {
        f->total[i] = f->flux[i] / area;
        f->total_error[i] = noise * sqrt(fmax((double)f->pixels[i] / area, 1));
    }
    return 0;
}

static int sky_positions(found *f)
{
    if (!cp_image_sky_system(f->header)) return 0;
    size_t bytes = (size_t)f->count * sizeof(double) + 1;
    f->ra = malloc(bytes);
    f->dec = malloc(bytes);
    return !f->ra || !f->dec || cp_image_sky(f->header, f->count, f->x, f->y, f->ra, f->dec) != CP_OK;
}

int derive(found *f) { return integrate(f) || sky_positions(f); }

/* Copies sources from the device to f. */
static int collect(const char *path, cp_sources *s, int64_t groups, int64_t least, found *f)
{
    int status = 0;
    int64_t *pixels = fetch(s->pixels, CP_INT64, &status), n = 0;
    for (int64_t i = 0; i < groups && pixels; i++) n += pixels[i] >= least;
    f->count = n;
    f->small = groups - n;
#define TAKE(array, type) taken(array, type, pixels, groups, least, &status)
    f->flux = TAKE(s->flux, CP_FLOAT64);
    f->flux_error = TAKE(s->flux_error, CP_FLOAT64);
    f->sum = TAKE(s->sum, CP_FLOAT64);
    f->peak = TAKE(s->peak, f->peak_type);
    f->peak_value = TAKE(s->peak, CP_FLOAT64);
    double *centre = TAKE(s->centroid, CP_FLOAT64), *error = TAKE(s->centroid_error, CP_FLOAT64);
    int64_t *place = TAKE(s->position, CP_INT64);
#undef TAKE
    f->y = column_of(centre, n, 0), f->x = column_of(centre, n, 1);
    f->y_error = column_of(error, n, 0), f->x_error = column_of(error, n, 1);
    f->peak_y = position_of(place, n, 0), f->peak_x = position_of(place, n, 1);
    free(centre), free(error), free(place);
    f->label = malloc((size_t)n * sizeof *f->label + 1);
    if (!f->x || !f->y || !f->x_error || !f->y_error || !f->peak_x || !f->peak_y || !f->label) status = 1;
    for (int64_t i = 0; i < n && !status; i++) f->label[i] = i + 1;
    if (pixels) drop_small(pixels, sizeof *pixels, pixels, groups, least);
    f->pixels = pixels;
    if (!status) {
        multiply(f->flux, n, f->scale), multiply(f->flux_error, n, f->scale), multiply(f->sum, n, f->scale);
        multiply(f->peak_value, n, f->scale);
        if (f->scale != 1) multiply(f->peak, n, f->scale); /* float64: no other type holds such values */
        status = derive(f);
    }
    if (!status) return 0;
    return cp_error() != CP_OK ? fail_error("sources", path) : fail("sources", "%s: out of memory", path);
}

/* --- the steps --- */

/* Ends a step: waits for the device and takes the time since the last one. */
static bool step_done(found *f, int device, int step, double *since)
{
    if (cp_device_synchronize(device) != CP_OK) return false;
    double t = now();
    f->seconds[step] += t - *since;
    *since = t;
    return true;
}

static bool usable(const cp_clip_result *background)
{
    return background->count > 0 && background->std > 0 && isfinite(background->std);
}

/* Median and sigma of the image, which is copied to the device as *x; 0 or the exit status. */
static int find_background(const char *path, const find_options *o, found *f, cp_array **x, double *t)
{
    for (bool mended = true; mended;) {
        progress(cp_size(f->image) > LARGE, path, "transfer");
        *x = cp_to_device(f->image, o->device);
        if (!*x || cp_device_use(o->device) != CP_OK || !step_done(f, o->device, STEP_TRANSFER, t))
            return fail_error("sources", path);
        progress(cp_size(f->image) > LARGE, path, "background");
        if (cp_sigma_clip_stats(*x, &f->background, .kappa = o->kappa) != CP_OK) return fail_error("sources", path);
        step_done(f, o->device, STEP_BACKGROUND, t);
        if (usable(&f->background)) {
            /* the blocks that clipping freed do not fit the next requests */
            if (cp_size(f->image) > LARGE && cp_pool_trim(o->device) != CP_OK) return fail_error("sources", path);
            return 0;
        }
        if (f->infinite || f->scale != 1) break; /* once is enough */
        if (mend(f, &mended) != CP_OK) return fail_error("sources", path);
    }
    return no_background(path, f);
}

/* Labels of connected pixels above the threshold. For a large image the labels have 16 bits if they are few enough. The
 * segmented image has 16 bits too, so that it can be labelled in place, if the image's pixels have no more. */
static cp_array *find_labels(const char *path, const find_options *o, found *f, cp_array *x, int64_t *groups, double *t)
{
    bool large = cp_size(f->image) > LARGE, in_place = large && cp_type_size(cp_type_of(f->image)) < 4;
    cp_shape shape = CP_SHAPE(cp_dim(x, 0), cp_dim(x, 1));
    cp_array *corners = o->corners ? cp_full(CP_SHAPE(3, 3), CP_BOOL, cp_int(1)) : NULL;
    cp_array *operands[] = {x, cp_float(f->threshold)}, *segments, *labels;
    progress(large, path, "segmentation");
    cp_ufunc_options into = {.out = in_place ? cp_empty(shape, CP_UINT16) : NULL, .casting = CP_UNSAFE};
    segments = cp_elementwise(CP_OP_greater, operands, &into);
    if (!segments || !step_done(f, o->device, STEP_SEGMENTATION, t)) return NULL;
    progress(large, path, "labelling");
    labels = cp_label(segments, corners, in_place ? segments : large ? cp_empty(shape, CP_UINT16) : NULL, groups);
    if (!labels && large && cp_error() == CP_ERROR_RUNTIME) { /* more labels than the type holds */
        cp_error_clear();
        labels = cp_label(segments, corners, NULL, groups);
    }
    return labels && step_done(f, o->device, STEP_LABELLING, t) ? labels : NULL;
}

/* The four steps on the device; every array belongs to the scope. */
static int run_steps(const char *path, const find_options *o, found *f)
{
    double t = now();
    cp_array *x;
    int64_t groups = 0;
    int status = find_background(path, o, f, &x, &t);
    if (status) return status;
    f->threshold = f->background.center + o->k * f->background.std;
    cp_array *labels = find_labels(path, o, f, x, &groups, &t);
    if (!labels) return fail_error("sources", path);
    progress(cp_size(f->image) > LARGE, path, "measurement");
    cp_sources s = {0};
    if (cp_measure(x, labels, groups, &s, .background = f->background.center, .noise = f->background.std) != CP_OK)
        return fail_error("sources", path);
    status = collect(path, &s, groups, o->min_pixels, f);
    if (!status && !step_done(f, o->device, STEP_MEASUREMENT, &t)) status = fail_error("sources", path);
    return status;
}

int find_sources(const char *name, const find_options *options, found *f)
{
    memset(f, 0, sizeof *f);
    f->scale = 1;
    double t = now();
    const char *path = input_path("sources", name);
    int status = path ? plan_tiles(path, name, options, f) : 1;
    if (status) return status;
    if (f->tiles) return find_in_tiles(path, name, options, f);
    status = read_image(path, name, options, f);
    f->seconds[STEP_READ] = now() - t;
    progress(false, NULL, NULL);
    if (status) return status;
    f->peak_type = cp_type_of(f->image);
    cp_scope *scope = cp_scope_begin();
    if (!scope) return fail_error("sources", name);
    status = run_steps(name, options, f);
    cp_scope_end(scope);
    progress(false, NULL, NULL);
    return status;
}
