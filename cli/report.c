/* Output of cuprite sources: the printed report, and the catalogue with cards that record how it was made. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "sources.h"

/* --- the catalogue --- */

/* The cards, as they grow. */
typedef struct text { char *at; size_t used, space; bool full; } text;

static void add_line(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_line(text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(t->at + t->used, t->space - t->used, format, list);
    va_end(list);
    if (n < 0 || (size_t)n >= t->space - t->used) t->full = true, t->at[t->used] = 0;
    else t->used += (size_t)n;
}

static void add_real(text *t, const char *key, double value, const char *comment)
{
    char number[40];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(number, sizeof number, "%.*G", digits, value);
        if (strtod(number, NULL) == value) break;
    }
    add_line(t, "%-8s= %20s / %s\n", key, number, comment);
}

/* A string of any length, in CONTINUE cards where one is too short; non-text bytes become '?'. */
static void add_string(text *t, const char *key, const char *value)
{
    char part[80];
    add_line(t, "%-8s= ", key);
    for (bool more = true; more;) {
        int n = 0;
        for (; *value && n < 64; value++) {
            part[n++] = *value >= ' ' && *value <= '~' ? *value : '?';
            if (*value == '\'') part[n++] = '\'';
        }
        part[n] = 0;
        more = *value != 0;
        add_line(t, "'%s%s'\n%s", part, more ? "&" : "", more ? "CONTINUE  " : "");
    }
}

/* How the catalogue was made, as cards; malloc'd, NULL: out of memory. */
static char *cards_of(const found *f, const find_options *o, const char *image)
{
    const char *slash = strrchr(image, '/');
    text t = {.space = 4096 + 4 * strlen(image)};
    if (!(t.at = malloc(t.space))) return NULL;
    add_string(&t, "IMAGE", !strcmp(image, "-") ? "standard input" : slash ? slash + 1 : image);
    add_real(&t, "KAPPA", o->kappa, "the background was clipped at this many sigma");
    add_real(&t, "MEDIAN", f->background.center * f->scale, "of the background");
    add_real(&t, "SIGMA", f->background.std * f->scale, "of the background");
    add_real(&t, "NSIGMA", o->k, "threshold above the median in sigma");
    add_real(&t, "THRESH", f->threshold * f->scale, "pixels above this are sources");
    add_line(&t, "MINPIX  = %20lld / least pixels of a source\n", (long long)o->min_pixels);
    if (o->ext) add_line(&t, "EXTNO   = %20d / HDU of the image\n", o->ext == CP_FITS_PRIMARY ? 0 : o->ext);
    for (int i = 0; i < o->planes && i < 9; i++)
        add_line(&t, "PLANE%d  = %20lld / index of the plane\n", i + 1, (long long)o->plane[i]);
    add_line(&t, "CONNECT = %20d / neighbours of a pixel\n", o->corners ? 8 : 4);
    if (f->infinite) add_line(&t, "NINF    = %20lld / infinite pixels passed over\n", (long long)f->infinite);
    if (f->total) add_real(&t, "BEAMPIX", f->beam.pixels, "area of the beam in pixels");
    return t.at;
}

/* The unit without its "per beam", into `to`. */
static const char *integrated_unit(const char *unit, char to[80])
{
    snprintf(to, 80, "%s", unit);
    char *at = strcasestr(to, "/beam");
    if (!at) at = strcasestr(to, "beam-1");
    if (!at) at = strcasestr(to, "beam^-1");
    while (at && at > to && (at[-1] == ' ' || at[-1] == '.' || at[-1] == '*')) at--;
    if (at) *at = 0;
    if (!strcasecmp(to, "JY")) return "Jy";
    return to;
}

enum { MOST_COLUMNS = 20 };

cp_code write_catalog(const found *f, const find_options *o, const char *image, const char *path)
{
    const char *unit = cp_image_unit(f->header), *longitude, *latitude;
    char integrated[80];
    sky_names(f, &longitude, &latitude);
    const struct { const char *name, *unit; cp_type type; const void *values; } all[] = {
        {"label", NULL, CP_INT64, f->label},
        {"pixels", NULL, CP_INT64, f->pixels},
        {"flux", unit, CP_FLOAT64, f->flux},
        {"flux_err", unit, CP_FLOAT64, f->flux_error},
        {"sum", unit, CP_FLOAT64, f->sum},
        {"x", "pixel", CP_FLOAT64, f->x},
        {"y", "pixel", CP_FLOAT64, f->y},
        {"x_err", "pixel", CP_FLOAT64, f->x_error},
        {"y_err", "pixel", CP_FLOAT64, f->y_error},
        {"peak", unit, f->peak_type, f->peak},
        {"peak_x", "pixel", CP_INT64, f->peak_x},
        {"peak_y", "pixel", CP_INT64, f->peak_y},
        {"total_flux", integrated_unit(unit, integrated), CP_FLOAT64, f->total},
        {"total_flux_err", integrated, CP_FLOAT64, f->total_error},
        {longitude, "deg", CP_FLOAT64, f->ra},
        {latitude, "deg", CP_FLOAT64, f->dec},
    };
    cp_column columns[MOST_COLUMNS];
    int n = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].values)
            columns[n++] = (cp_column){all[i].name, all[i].unit,
                                       cp_from_host(all[i].values, all[i].type, CP_SHAPE(f->count), NULL)};
    char *cards = cards_of(f, o, image);
    cp_code code = cards ? cp_catalog_write(path, n, columns, .cards = cards) : CP_ERROR_MEMORY;
    free(cards);
    for (int i = 0; i < n; i++) cp_free(columns[i].values);
    return code;
}

/* --- the report --- */

static const double *sort_key; /* qsort has no context */
static int brighter(const void *a, const void *b)
{
    int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
    if (sort_key[i] != sort_key[j]) return sort_key[i] > sort_key[j] ? -1 : 1;
    return i < j ? -1 : i > j;
}

static void print_brightest(FILE *to, const found *f)
{
    const char *longitude, *latitude;
    int64_t *order = malloc((size_t)f->count * sizeof *order + 1);
    if (!order) return;
    for (int64_t i = 0; i < f->count; i++) order[i] = i;
    const double *flux = f->total ? f->total : f->flux, *error = f->total ? f->total_error : f->flux_error;
    sort_key = flux;
    qsort(order, (size_t)f->count, sizeof *order, brighter);
    sky_names(f, &longitude, &latitude);
    fprintf(to, "\n%8s %8s %13s %11s %10s %10s %12s", "label", "pixels",
            f->total ? "total_flux" : "flux", "+-", "x", "y", "peak");
    if (f->ra) fprintf(to, " %12s %12s", longitude, latitude);
    fprintf(to, "\n");
    for (int64_t k = 0; k < f->count && k < 10; k++) {
        int64_t i = order[k];
        fprintf(to, "%8lld %8lld %13.6g %11.3g %10.3f %10.3f %12.6g", (long long)f->label[i], (long long)f->pixels[i],
                flux[i], error[i], f->x[i], f->y[i], f->peak_value[i]);
        if (f->ra) fprintf(to, " %12.6f %12.6f", f->ra[i], f->dec[i]);
        fprintf(to, "\n");
    }
    free(order);
}

void print_found(FILE *to, const found *f, const find_options *o, const char *image)
{
    cp_device_info info = {0};
    cp_device_query(o->device, &info);
    const char *unit = shown(cp_image_unit(f->header)), *object = shown(cp_image_object(f->header));
    fprintf(to, "%s: %lld x %lld pixels, %s%s%s%s%s\n", shown(image), (long long)cp_dim(f->image, 1),
            (long long)cp_dim(f->image, 0), cp_type_name(cp_type_of(f->image)), *unit ? ", " : "", unit,
            *object ? ", " : "", object);
    fprintf(to, "on %s (%s)\n", info.name, info.backend);
    if (f->tiles) {
        char limit[32];
        fprintf(to, "in %lld tiles of %lld lines, within %s\n", (long long)f->tiles, (long long)f->tile_lines,
                bytes_string(o->memory, limit));
    }
    fprintf(to, "\n");
    double total = 0;
    for (int i = 0; i < STEPS; i++) {
        fprintf(to, "%-14s %10.3f ms\n", step_names[i], 1e3 * f->seconds[i]);
        total += f->seconds[i];
    }
    fprintf(to, "%-14s %10.3f ms\n\n", "all", 1e3 * total);
    fprintf(to, "background: median %.6g, sigma %.6g, %d iterations, %lld pixels kept\n",
            f->background.center * f->scale, f->background.std * f->scale, f->background.iterations,
            (long long)f->background.count);
    fprintf(to, "threshold:  %.6g (median + %g sigma)\n", f->threshold * f->scale, o->k);
    if (f->infinite) fprintf(to, "note:       %lld infinite pixels are passed over\n", (long long)f->infinite);
    if (f->total)
        fprintf(to, "beam:       %.4g\" x %.4g\", %.4g pixels\n", 3600 * f->beam.major, 3600 * f->beam.minor,
                f->beam.pixels);
    fprintf(to, "sources:    %lld", (long long)f->count);
    if (f->small)
        fprintf(to, " (%lld groups of fewer than %lld pixels are none)", (long long)f->small, (long long)o->min_pixels);
    fprintf(to, "\n");
    if (f->count) print_brightest(to, f);
}
