/* Source finding in tiles of lines. The background is clipped in one pass (clip.c). A second one labels and measures
 * each tile alone; groups of pixels that reach a border between tiles are kept pixel by pixel, united where they touch
 * across it, and measured at the end. Sources come in the order of their first pixels, as from the whole image. */
#include "tiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "clip.h"

typedef struct source {
    int64_t id, pixels, peak_x, peak_y;
    double flux, flux_error, sum, x, y, x_error, y_error, peak_value;
    char peak[8]; /* in the image's type */
} source;

typedef struct pixel {
    int64_t id, x, y;
    double value;
    char raw[8];
} pixel;

typedef struct tiles {
    const char *path, *name;
    const find_options *o;
    found *f;
    int64_t width, height, lines, first; /* `first`: of the plane, in the file's array */
    size_t item;
    bool finite; /* infinite pixels become NaN */
    source *sources;
    pixel *pixels; /* of the groups that reach a border */
    int64_t *parent; /* of group `id`; a root is the smallest of its tree */
    int64_t *above;  /* ids in the line above the tile */
    int64_t source_count, source_space, pixel_count, pixel_space, groups, group_space;
} tiles;

/* Makes space for `more` items; false: no memory. */
static bool grow(void *list, size_t item, int64_t count, int64_t more, int64_t *space)
{
    if (count + more <= *space) return true;
    int64_t wanted = (count + more) * 3 / 2 + 64;
    void *larger = realloc(*(void **)list, (size_t)wanted * item);
    if (!larger) return false;
    *(void **)list = larger;
    *space = wanted;
    return true;
}

static int64_t root_of(tiles *b, int64_t id)
{
    while (b->parent[id] != id) id = b->parent[id] = b->parent[b->parent[id]];
    return id;
}

static void unite(tiles *b, int64_t p, int64_t q)
{
    p = root_of(b, p), q = root_of(b, q);
    if (p < q) b->parent[q] = p;
    else b->parent[p] = q;
}

/* --- reading --- */

static cp_array *read_lines(const tiles *b, int64_t line, int64_t lines)
{
    if (cp_device_use(CP_CPU) != CP_OK) return NULL;
    cp_array *x = cp_fits_read(b->path, .ext = b->o->ext, .first = b->first + line * b->width,
                               .count = lines * b->width);
    cp_array *y = x ? cp_reshape(x, CP_SHAPE(lines, b->width)) : NULL;
    if (y && b->finite) {
        cp_array *infinite = cp_isinf(y);
        b->f->infinite += cp_item_int(cp_count_nonzero(infinite));
        y = cp_where(infinite, cp_float(NAN), y);
    }
    return y;
}

static int64_t lines_at(const tiles *b, int64_t line)
{
    return line + b->lines < b->height ? b->lines : b->height - line;
}

int plan_tiles(const char *path, const char *name, const find_options *o, found *f)
{
    cp_fits_layout a;
    int64_t extent[2], first;
    if (!o->memory) return 0;
    if (cp_fits_describe(path, o->ext, &a) != CP_OK) return fail_error_of("sources", path, name);
    int status = plane_of(name, a.ndim, a.dims, o, extent, NULL, &first);
    if (status) return status;
    int64_t item = cp_type_size(a.type), n = extent[0] * extent[1];
    if (n * (item + 12) <= o->memory) return 0;
    if (!a.plain) return fail("sources", "%s: compressed images are not read in parts; do without --memory", name);
    f->tile_lines = o->memory / 2 / (extent[1] * (item + 16));
    if (f->tile_lines < 1) {
        char least[32];
        bytes_string(extent[1] * (item + 16) * 2, least);
        return fail("sources", "%s: --memory is too little for a line of the image (%s)", name, least);
    }
    f->tiles = (extent[0] + f->tile_lines - 1) / f->tile_lines;
    cp_array *one = cp_device_use(CP_CPU) == CP_OK ? cp_zeros(CP_SHAPE(1, 1), a.type) : NULL;
    f->image = cp_broadcast_to(one, (cp_shape){2, extent});
    cp_free(one);
    return f->image ? 0 : fail_error("sources", name);
}

/* --- background --- */

/* Some lines, spread over the image, as float64. */
static double *sampled(const tiles *b, int64_t *n)
{
    int64_t lines = (1 << 17) / b->width + 1, step, at = 0;
    if (lines > b->height) lines = b->height;
    step = b->height / lines;
    double *values = malloc((size_t)(lines * b->width) * sizeof *values);
    for (int64_t i = 0; i < lines && values; i++) {
        cp_scope *scope = cp_scope_begin();
        cp_array *x = read_lines(b, i * step, 1), *y = x ? cp_astype(x, CP_FLOAT64) : NULL;
        const double *v = y ? cp_data(y) : NULL;
        for (int64_t k = 0; k < b->width && v; k++)
            if (isfinite(v[k])) values[at++] = v[k];
        cp_scope_end(scope);
        if (cp_error() != CP_OK) {
            free(values);
            return NULL;
        }
    }
    *n = at;
    return values;
}

static cp_code clip_all(tiles *b, clipping *c)
{
    cp_code code = CP_OK;
    for (int64_t line = 0; line < b->height && code == CP_OK; line += b->lines) {
        cp_scope *scope = cp_scope_begin();
        cp_array *x = read_lines(b, line, lines_at(b, line)), *y = x ? cp_astype(x, CP_FLOAT64) : NULL;
        code = y ? clipping_add(c, cp_data(y), cp_size(y)) : cp_error();
        cp_scope_end(scope);
    }
    return code;
}

static cp_code clip_tiles(tiles *b, cp_clip_result *result)
{
    static const double rims[] = {0.075, 0.25, 1};
    clipping c = {.kappa = b->o->kappa, .single = b->f->peak_type == CP_FLOAT32};
    bool held = false;
    cp_code code = CP_OK;
    for (int i = 0; i < 3 && !held && code == CP_OK; i++) {
        int64_t n = 0;
        double *sample = sampled(b, &n);
        if (!sample) code = cp_error() != CP_OK ? cp_error() : CP_ERROR_MEMORY;
        b->f->infinite = 0;
        if (code == CP_OK) code = clipping_predict(&c, sample, n, rims[i]);
        free(sample);
        if (code == CP_OK) code = clip_all(b, &c);
        if (code == CP_OK) code = clipping_end(&c, result, &held);
    }
    clipping_free(&c);
    return code;
}

static int failed(const tiles *b)
{
    if (cp_error() != CP_OK) return fail_error_of("sources", b->path, b->name);
    return fail("sources", "%s: out of memory", b->name);
}

static int background_of(tiles *b)
{
    found *f = b->f;
    for (;;) {
        if (clip_tiles(b, &f->background) != CP_OK) return failed(b);
        if (f->background.count > 0 && f->background.std > 0 && isfinite(f->background.std)) return 0;
        if (b->finite || cp_type_kind(f->peak_type) != 'f') break;
        b->finite = true;
    }
    return fail("sources", "%s: no background: the pixels near the median have no noise, or no pixel is a number",
                b->name);
}

/* --- one tile --- */

/* A tile's measurements on the host. */
typedef struct measured {
    int64_t *pixels, *position;
    double *flux, *flux_error, *sum, *centre, *error, *value;
    char *peak;
} measured;

static void *host(cp_array *x, cp_type type)
{
    cp_array *y = x ? cp_astype(x, type) : NULL;
    size_t bytes = y ? (size_t)cp_nbytes(y) : 0;
    void *block = y ? malloc(bytes + 1) : NULL;
    if (block && cp_to_host(y, block, bytes) == CP_OK) return block;
    free(block);
    return NULL;
}

static void measured_free(measured *m)
{
    void *const all[] = {m->pixels, m->position, m->flux,  m->flux_error, m->sum,
                         m->centre, m->error,    m->value, m->peak};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static bool fetch(const tiles *b, cp_sources *s, measured *m)
{
    *m = (measured){host(s->pixels, CP_INT64), host(s->position, CP_INT64), host(s->flux, CP_FLOAT64),
                    host(s->flux_error, CP_FLOAT64), host(s->sum, CP_FLOAT64), host(s->centroid, CP_FLOAT64),
                    host(s->centroid_error, CP_FLOAT64), host(s->peak, CP_FLOAT64), host(s->peak, b->f->peak_type)};
    return m->pixels && m->position && m->flux && m->flux_error && m->sum && m->centre && m->error && m->value &&
           m->peak;
}

/* Keeps the groups that reach no border. */
static bool keep_inner(tiles *b, const measured *m, int64_t line, int64_t groups, const bool *reaches)
{
    if (!grow(&b->sources, sizeof *b->sources, b->source_count, groups, &b->source_space)) return false;
    for (int64_t g = 0; g < groups; g++) {
        if (reaches[g + 1]) continue;
        source *s = &b->sources[b->source_count++];
        *s = (source){.id = b->groups + g, .pixels = m->pixels[g], .peak_y = m->position[2 * g] + line,
                      .peak_x = m->position[2 * g + 1], .flux = m->flux[g], .flux_error = m->flux_error[g],
                      .sum = m->sum[g], .y = m->centre[2 * g] + (double)line, .x = m->centre[2 * g + 1],
                      .y_error = m->error[2 * g], .x_error = m->error[2 * g + 1], .peak_value = m->value[g]};
        memcpy(s->peak, m->peak + (size_t)g * b->item, b->item);
    }
    return true;
}

/* Keeps the pixels of the others. */
static bool keep_pixels(tiles *b, const int64_t *labels, const char *raw, const double *values, int64_t n,
                        int64_t line, const bool *reaches)
{
    for (int64_t i = 0; i < n; i++) {
        if (!labels[i] || !reaches[labels[i]]) continue;
        if (!grow(&b->pixels, sizeof *b->pixels, b->pixel_count, 1, &b->pixel_space)) return false;
        pixel *p = &b->pixels[b->pixel_count++];
        *p = (pixel){.id = b->groups + labels[i] - 1, .y = line, .x = i, .value = values[i]};
        memcpy(p->raw, raw + (size_t)i * b->item, b->item);
    }
    return true;
}

/* Groups of the tile's first line are those above that they touch. */
static void join_above(tiles *b, const int64_t *labels)
{
    int64_t reach = b->o->corners ? 1 : 0;
    for (int64_t i = 0; i < b->width; i++)
        for (int64_t k = i - reach; k <= i + reach && labels[i]; k++)
            if (k >= 0 && k < b->width && b->above[k] >= 0) unite(b, b->above[k], b->groups + labels[i] - 1);
}

/* One line of the labels, or NULL. */
static int64_t *line_of(cp_array *labels, int64_t line)
{
    return host(cp_slice(labels, CP_ITEMS(CP_AT(line))), CP_INT64);
}

/* The lines of a tile that have pixels of groups which reach a border. */
static bool keep_reaching(tiles *b, cp_array *x, cp_array *labels, int64_t line, int64_t lines, const bool *reaches)
{
    bool good = true;
    for (int64_t i = 0; i < lines && good; i++) {
        cp_scope *scope = cp_scope_begin();
        cp_array *row = cp_slice(x, CP_ITEMS(CP_AT(i)));
        int64_t *own = line_of(labels, i);
        double *values = host(row, CP_FLOAT64);
        char *raw = host(row, b->f->peak_type);
        good = own && values && raw && keep_pixels(b, own, raw, values, b->width, line + i, reaches);
        free(own), free(values), free(raw);
        cp_scope_end(scope);
    }
    return good;
}

/* Marks the groups of a line. */
static void mark(bool *reaches, const int64_t *labels, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (labels[i]) reaches[labels[i]] = true;
}

/* Files a tile's groups: the first line's are joined with those above, the last line's are remembered. */
static bool file_groups(tiles *b, cp_array *x, cp_array *labels, const measured *m, int64_t line, int64_t lines,
                        int64_t groups)
{
    bool *reaches = calloc((size_t)groups + 1, 1), good = reaches != NULL, top = line > 0;
    bool bottom = line + lines < b->height;
    int64_t *first = line_of(labels, 0), *last = line_of(labels, lines - 1);
    good = good && first && last && grow(&b->parent, sizeof *b->parent, b->groups, groups, &b->group_space);
    if (good) {
        for (int64_t g = 0; g < groups; g++) b->parent[b->groups + g] = b->groups + g;
        if (top) mark(reaches, first, b->width), join_above(b, first);
        if (bottom) mark(reaches, last, b->width);
        good = keep_inner(b, m, line, groups, reaches) &&
               (!(top || bottom) || keep_reaching(b, x, labels, line, lines, reaches));
        for (int64_t i = 0; i < b->width; i++) b->above[i] = last[i] ? b->groups + last[i] - 1 : -1;
        b->groups += groups;
    }
    free(reaches), free(first), free(last);
    return good;
}

static void lap(found *f, int step, double *since)
{
    double t = now();
    f->seconds[step] += t - *since;
    *since = t;
}

static bool take_tile(tiles *b, int64_t line, double *t)
{
    found *f = b->f;
    int64_t lines = lines_at(b, line), groups = 0;
    cp_array *here = read_lines(b, line, lines);
    lap(f, STEP_READ, t);
    cp_array *x = here ? cp_to_device(here, b->o->device) : NULL;
    if (!x || cp_device_use(b->o->device) != CP_OK) return false;
    lap(f, STEP_TRANSFER, t);
    cp_array *corners = b->o->corners ? cp_full(CP_SHAPE(3, 3), CP_BOOL, cp_int(1)) : NULL;
    cp_array *segments = cp_greater(x, cp_float(f->threshold));
    lap(f, STEP_SEGMENTATION, t);
    cp_array *labels = cp_label(segments, corners, NULL, &groups);
    lap(f, STEP_LABELLING, t);
    cp_sources s = {0};
    measured m = {0};
    bool good = labels && cp_measure(x, labels, groups, &s, .background = f->background.center,
                                     .noise = f->background.std) == CP_OK &&
                fetch(b, &s, &m) && file_groups(b, x, labels, &m, line, lines, groups);
    measured_free(&m);
    lap(f, STEP_MEASUREMENT, t);
    return good;
}

/* --- groups in several tiles --- */

static int in_order(const void *a, const void *c)
{
    const pixel *p = a, *q = c;
    if (p->id != q->id) return p->id < q->id ? -1 : 1;
    if (p->y != q->y) return p->y < q->y ? -1 : 1;
    return (p->x > q->x) - (p->x < q->x);
}

/* The measurements of a group from its n pixels, as cp_measure's. */
static source measure_pixels(const tiles *b, const pixel *p, int64_t n)
{
    double center = b->f->background.center, noise = b->f->background.std, mx = 0, my = 0, dx = 0, dy = 0;
    source s = {.id = p->id, .pixels = n, .peak_value = -INFINITY};
    for (int64_t i = 0; i < n; i++) {
        double flux = p[i].value - center;
        s.sum += p[i].value, s.flux += flux;
        mx += flux * (double)(p[i].x - p->x), my += flux * (double)(p[i].y - p->y);
        if (p[i].value > s.peak_value) {
            s.peak_value = p[i].value, s.peak_x = p[i].x, s.peak_y = p[i].y;
            memcpy(s.peak, p[i].raw, sizeof s.peak);
        }
    }
    mx /= s.flux, my /= s.flux;
    for (int64_t i = 0; i < n; i++) {
        double ex = (double)(p[i].x - p->x) - mx, ey = (double)(p[i].y - p->y) - my;
        dx += ex * ex, dy += ey * ey;
    }
    s.x = mx + (double)p->x, s.y = my + (double)p->y;
    s.flux_error = noise * sqrt((double)n);
    s.x_error = noise * sqrt(dx) / fabs(s.flux), s.y_error = noise * sqrt(dy) / fabs(s.flux);
    return s;
}

static bool measure_reaching(tiles *b)
{
    for (int64_t i = 0; i < b->pixel_count; i++) b->pixels[i].id = root_of(b, b->pixels[i].id);
    qsort(b->pixels, (size_t)b->pixel_count, sizeof *b->pixels, in_order);
    for (int64_t i = 0, end; i < b->pixel_count; i = end) {
        for (end = i + 1; end < b->pixel_count && b->pixels[end].id == b->pixels[i].id;) end++;
        if (!grow(&b->sources, sizeof *b->sources, b->source_count, 1, &b->source_space)) return false;
        b->sources[b->source_count++] = measure_pixels(b, b->pixels + i, end - i);
    }
    return true;
}

static int by_id(const void *a, const void *c)
{
    int64_t p = ((const source *)a)->id, q = ((const source *)c)->id;
    return (p > q) - (p < q);
}

/* The list as f's columns, without small groups. */
static bool columns_of(tiles *b)
{
    found *f = b->f;
    int64_t n = 0;
    qsort(b->sources, (size_t)b->source_count, sizeof *b->sources, by_id);
    for (int64_t i = 0; i < b->source_count; i++)
        if (b->sources[i].pixels >= b->o->min_pixels) b->sources[n++] = b->sources[i];
    f->count = n;
    f->small = b->source_count - n;
    int64_t **const counts[] = {&f->label, &f->pixels, &f->peak_x, &f->peak_y};
    double **const reals[] = {&f->flux, &f->flux_error, &f->sum,     &f->x,
                              &f->y,    &f->x_error,    &f->y_error, &f->peak_value};
    bool good = (f->peak = malloc((size_t)n * b->item + 1)) != NULL;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        good = (*counts[i] = malloc((size_t)n * sizeof(int64_t) + 1)) && good;
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        good = (*reals[i] = malloc((size_t)n * sizeof(double) + 1)) && good;
    for (int64_t i = 0; i < n && good; i++) {
        const source *s = &b->sources[i];
        const int64_t whole[] = {i + 1, s->pixels, s->peak_x, s->peak_y};
        const double real[] = {s->flux, s->flux_error, s->sum, s->x, s->y, s->x_error, s->y_error, s->peak_value};
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) (*counts[k])[i] = whole[k];
        for (size_t k = 0; k < sizeof reals / sizeof *reals; k++) (*reals[k])[i] = real[k];
        memcpy((char *)f->peak + (size_t)i * b->item, s->peak, b->item);
    }
    return good;
}

static int run(tiles *b)
{
    found *f = b->f;
    double t = now();
    int status = background_of(b);
    if (status) return status;
    lap(f, STEP_BACKGROUND, &t);
    f->threshold = f->background.center + b->o->k * f->background.std;
    if (!(b->above = malloc((size_t)b->width * sizeof *b->above))) return failed(b);
    int64_t infinite = f->infinite;
    for (int64_t line = 0; line < b->height; line += b->lines) {
        char what[48];
        snprintf(what, sizeof what, "tile %lld of %lld", (long long)(line / b->lines + 1), (long long)f->tiles);
        progress(true, b->name, what);
        cp_scope *scope = cp_scope_begin();
        bool good = scope && take_tile(b, line, &t);
        cp_scope_end(scope);
        if (!good) return failed(b);
    }
    f->infinite = infinite;
    bool good = measure_reaching(b) && columns_of(b) && derive(f) == 0;
    lap(f, STEP_MEASUREMENT, &t);
    return good ? 0 : failed(b);
}

int find_in_tiles(const char *path, const char *name, const find_options *o, found *f)
{
    cp_fits_layout a;
    int64_t extent[2];
    tiles b = {.path = path, .name = name, .o = o, .f = f, .lines = f->tile_lines};
    if (cp_fits_describe(path, o->ext, &a) != CP_OK) return fail_error_of("sources", path, name);
    int status = plane_of(name, a.ndim, a.dims, o, extent, NULL, &b.first);
    if (status) return status;
    f->peak_type = a.type;
    b.item = (size_t)cp_type_size(a.type);
    b.height = extent[0], b.width = extent[1];
    cp_array *line = cp_fits_read(path, .ext = o->ext, .first = b.first, .count = 1, .header = &f->header);
    cp_free(line);
    status = line ? run(&b) : fail_error_of("sources", path, name);
    progress(false, NULL, NULL);
    free(b.sources), free(b.pixels), free(b.parent), free(b.above);
    return status;
}
