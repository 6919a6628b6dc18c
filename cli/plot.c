/* The picture of an image and its sources: grey from the background's median to the brightest pixel, in a logarithmic
 * or asinh stretch, with a circle around each source, axes and a colour bar. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "axes.h"
#include "draw.h"

#define MOST 4096    /* pixels of the image on a side */
#define SHADES 65536
#define GREYS 254    /* with white and the colour of the circles they make a palette */

static const colour black = {0, 0, 0}, orange = {255, 150, 40};

/* The picture's layout in its pixels; `factor` pixels of the image make one of the picture. */
typedef struct layout {
    int64_t factor, left, top, width, height; /* the image */
    int64_t gap, bar, bar_width, whole_width, whole_height;
    double letter;
} layout;

static layout layout_of(const found *f)
{
    int64_t height = cp_dim(f->image, 0), width = cp_dim(f->image, 1), longest = height > width ? height : width;
    layout l = {.factor = (longest + MOST - 1) / MOST};
    l.width = (width + l.factor - 1) / l.factor;
    l.height = (height + l.factor - 1) / l.factor;
    l.letter = fmin(fmax((double)(l.width > l.height ? l.width : l.height) / 90, 8), 28);
    l.gap = (int64_t)l.letter;
    l.left = l.gap + (int64_t)text_width(l.letter, "-00@00'00.0\"") + 2 * l.gap;
    l.top = 3 * l.gap;
    l.bar = l.left + l.width + 2 * l.gap;
    l.bar_width = 2 * l.gap;
    l.whole_width = l.bar + l.bar_width + 2 * l.gap + (int64_t)text_width(l.letter, "-0.000e-00") + l.gap;
    l.whole_height = l.top + l.height + 6 * l.gap;
    return l;
}

/* --- the image --- */

static const double steep = 1000; /* how many times steeper a stretch is at the background than a line */

static double stretched(double v, stretch s)
{
    return s == STRETCH_LOG ? log1p(steep * v) / log1p(steep) : asinh(steep * v / 5) / asinh(steep / 5);
}

static double unstretched(double v, stretch s)
{
    return s == STRETCH_LOG ? expm1(v * log1p(steep)) / steep : sinh(v * asinh(steep / 5)) * 5 / steep;
}

static void shades_of(stretch s, uint8_t shade[SHADES])
{
    for (int i = 0; i < SHADES; i++) shade[i] = (uint8_t)((GREYS - 1) * stretched(i / (double)(SHADES - 1), s) + 0.5);
}

/* Lines of the image that make `lines` lines of the picture from line `y` on, as float32: for a large image some
 * megabytes at a time. */
static cp_array *band(const found *f, const layout *l, int64_t y, int64_t lines)
{
    int64_t first = y * l->factor, last = (y + lines) * l->factor, height = cp_dim(f->image, 0);
    cp_array *part = cp_slice(f->image, 1, (cp_index[]){CP_RANGE(first, last < height ? last : height)});
    cp_array *values = part ? cp_astype(part, CP_FLOAT32) : NULL;
    cp_free(part);
    return values;
}

/* A line of the picture: the mean of the image's pixels for each of its pixels, NaN if all are NaN. `sum` and `n` are
 * buffers of its length. */
static void mean_line(const float *image, int64_t lines, int64_t width, int64_t factor, float *sum, int *n,
                      int64_t count)
{
    memset(sum, 0, (size_t)count * sizeof *sum);
    memset(n, 0, (size_t)count * sizeof *n);
    for (int64_t j = 0; j < lines; j++)
        for (int64_t x = 0, i = 0; x < count; x++)
            for (int64_t end = (x + 1) * factor < width ? (x + 1) * factor : width; i < end; i++) {
                float v = image[j * width + i];
                if (v == v) sum[x] += v, n[x]++;
            }
    for (int64_t x = 0; x < count; x++) sum[x] = n[x] ? sum[x] / (float)n[x] : NAN;
}

typedef struct scale { float low, high; const uint8_t *shade; } scale;

static uint8_t grey_of(const scale *s, float v)
{
    float t = (v - s->low) / (s->high - s->low) * (SHADES - 1);
    return s->shade[t > 0 ? t < SHADES - 1 ? (int)t : SHADES - 1 : 0]; /* NaN is black */
}

static bool draw_image(canvas *c, const found *f, const layout *l, const scale *s)
{
    int64_t width = cp_dim(f->image, 1), height = cp_dim(f->image, 0), step = 1 + (1 << 20) / (width * l->factor);
    float *sum = malloc((size_t)l->width * sizeof *sum);
    int *n = malloc((size_t)l->width * sizeof *n);
    bool good = sum && n;
    for (int64_t y = 0; y < l->height && good; y += step) {
        int64_t lines = l->height - y < step ? l->height - y : step;
        cp_array *values = band(f, l, y, lines);
        if (!(good = values != NULL)) break;
        for (int64_t k = y; k < y + lines; k++) {
            const float *image = (const float *)cp_data(values) + (k - y) * l->factor * width;
            int64_t rest = height - k * l->factor;
            if (l->factor > 1)
                mean_line(image, rest < l->factor ? rest : l->factor, width, l->factor, sum, n, l->width);
            uint8_t *to = c->rgb + ((l->top + l->height - 1 - k) * c->width + l->left) * 3;
            for (int64_t x = 0; x < l->width; x++) memset(to + 3 * x, grey_of(s, l->factor > 1 ? sum[x] : image[x]), 3);
        }
        cp_free(values);
    }
    free(sum);
    free(n);
    return good;
}

/* The brightest finite pixel. */
static bool brightest(const found *f, float low, float *high)
{
    int64_t width = cp_dim(f->image, 1), height = cp_dim(f->image, 0), step = 1 + (1 << 20) / width;
    layout whole = {.factor = 1};
    *high = low;
    for (int64_t y = 0; y < height; y += step) {
        int64_t lines = height - y < step ? height - y : step;
        cp_array *values = band(f, &whole, y, lines);
        if (!values) return false;
        const float *v = cp_data(values);
        for (int64_t i = 0; i < lines * width; i++)
            if (v[i] > *high && v[i] < INFINITY) *high = v[i];
        cp_free(values);
    }
    if (*high == low) *high = low + 1;
    return true;
}

/* --- the sources --- */

typedef struct mark { double x, y, radius; } mark; /* in pixels of the picture, from the image's lower left corner */

static int larger(const void *a, const void *b)
{
    double x = ((const mark *)a)->radius, y = ((const mark *)b)->radius;
    return x > y ? -1 : x < y;
}

/* Whether the mark lies in circles already drawn: its centre and eight points of its circle are covered. */
static bool inside(const layout *l, const uint8_t *covered, const mark *m)
{
    for (int i = 0; i <= 8; i++) {
        double r = i == 8 ? 0 : m->radius, angle = 0.7853981633974483 * i;
        int64_t x = llround(m->x + r * cos(angle)), y = llround(m->y + r * sin(angle));
        if (x < 0 || y < 0 || x >= l->width || y >= l->height) continue;
        if (!covered[y * l->width + x]) return false;
    }
    return true;
}

static void cover(const layout *l, uint8_t *covered, const mark *m)
{
    for (int64_t y = (int64_t)fmax(m->y - m->radius, 0); y <= m->y + m->radius && y < l->height; y++) {
        double half = sqrt(fmax(m->radius * m->radius - ((double)y - m->y) * ((double)y - m->y), 0));
        int64_t from = llround(fmax(m->x - half, 0)), to = llround(m->x + half);
        if (to >= l->width) to = l->width - 1;
        if (to >= from) memset(covered + y * l->width + from, 1, (size_t)(to - from + 1));
    }
}

/* A circle around each source; a cross on one that lies within another's circle. */
static bool draw_sources(canvas *c, const found *f, const layout *l)
{
    mark *marks = malloc((size_t)f->count * sizeof *marks + 1);
    uint8_t *covered = calloc((size_t)(l->width * l->height), 1);
    bool good = marks && covered;
    double scale = 1 / (double)l->factor;
    int thick = 1 + (int)(l->letter / 24);
    for (int64_t i = 0; i < f->count && good; i++)
        marks[i] = (mark){(f->x[i] + 0.5) * scale - 0.5, (f->y[i] + 0.5) * scale - 0.5,
                          (1.5 * sqrt((double)f->pixels[i] / 3.14159) + 3) * scale + 2};
    if (good) qsort(marks, (size_t)f->count, sizeof *marks, larger);
    canvas image = {c->rgb + (l->top * c->stride + l->left) * 3, l->width, l->height, c->stride};
    for (int64_t i = 0; i < f->count && good; i++) {
        double y = (double)(l->height - 1) - marks[i].y, x = marks[i].x;
        if (inside(l, covered, &marks[i])) {
            draw_line(&image, x - 3 * thick, y, x + 3 * thick, y, thick, orange);
            draw_line(&image, x, y - 3 * thick, x, y + 3 * thick, thick, orange);
        } else draw_circle(&image, x, y, marks[i].radius, thick, orange);
        cover(l, covered, &marks[i]);
    }
    free(marks);
    free(covered);
    return good;
}

/* --- axes and labels --- */

static void draw_frame(canvas *c, int64_t x, int64_t y, int64_t width, int64_t height)
{
    draw_fill(c, x - 1, y - 1, width + 2, 1, black);
    draw_fill(c, x - 1, y + height, width + 2, 1, black);
    draw_fill(c, x - 1, y, 1, height, black);
    draw_fill(c, x + width, y, 1, height, black);
}

static void draw_axes(canvas *c, const found *f, const layout *l)
{
    ticks t;
    int64_t bottom = l->top + l->height, tick = l->gap / 2;
    double widest = 1.2 * text_width(l->letter, "00h00m00.0s");
    find_ticks(f, false, (int)fmin((double)l->width / widest, 6), &t);
    for (int i = 0; i < t.count; i++) {
        double x = (double)l->left + (t.at[i] + 0.5) / (double)l->factor - 0.5;
        draw_fill(c, llround(x), bottom + 1, 1, tick, black);
        draw_text(c, x, (double)bottom + 2.2 * l->letter, l->letter, 0, t.text[i], black);
    }
    draw_text(c, (double)l->left + (double)l->width / 2, (double)bottom + 4.4 * l->letter, l->letter, 0, t.title,
              black);
    find_ticks(f, true, (int)fmin((double)l->height / (4 * l->letter), 6), &t);
    for (int i = 0; i < t.count; i++) {
        double y = (double)bottom - (t.at[i] + 0.5) / (double)l->factor - 0.5;
        draw_fill(c, l->left - 1 - tick, llround(y), tick, 1, black);
        draw_text(c, (double)(l->left - l->gap), y + l->letter / 2, l->letter, 1, t.text[i], black);
    }
    draw_text(c, (double)(l->left - l->gap), (double)l->top - l->letter, l->letter, 1, t.title, black);
}

static void draw_bar(canvas *c, const found *f, const layout *l, const scale *s, stretch how)
{
    for (int64_t y = 0; y < l->height; y++) {
        uint8_t g = (uint8_t)((GREYS - 1) * (double)y / (double)(l->height > 1 ? l->height - 1 : 1) + 0.5);
        draw_fill(c, l->bar, l->top + l->height - 1 - y, l->bar_width, 1, (colour){g, g, g});
    }
    draw_frame(c, l->bar, l->top, l->bar_width, l->height);
    int steps = (int)fmin((double)l->height / (3 * l->letter), 8);
    for (int i = 0; i <= steps; i++) {
        double part = steps ? i / (double)steps : 1, value = s->low + unstretched(part, how) * (s->high - s->low);
        double y = (double)(l->top + l->height) - 0.5 - part * (double)(l->height - 1);
        char text[32];
        snprintf(text, sizeof text, "%.3g", value * f->scale);
        draw_fill(c, l->bar + l->bar_width + 1, llround(y), l->gap / 2, 1, black);
        draw_text(c, (double)(l->bar + l->bar_width + l->gap), y + l->letter / 2, l->letter, -1, text, black);
    }
    draw_text(c, (double)l->bar, (double)l->top - 1.3 * l->letter, l->letter, -1, cp_image_unit(f->header), black);
}

cp_array *plot_sources(const found *f, stretch s)
{
    layout l = layout_of(f);
    static uint8_t shade[SHADES];
    scale values = {.low = (float)f->background.center, .shade = shade};
    shades_of(s, shade);
    if (cp_device_use(CP_CPU) != CP_OK || !brightest(f, values.low, &values.high)) return NULL;
    cp_array *picture = cp_empty(CP_SHAPE(l.whole_height, l.whole_width, 3), CP_UINT8);
    if (!picture) return NULL;
    canvas c = {cp_data(picture), l.whole_width, l.whole_height, l.whole_width};
    memset(c.rgb, 255, (size_t)cp_size(picture));
    draw_frame(&c, l.left, l.top, l.width, l.height);
    bool good = draw_image(&c, f, &l, &values) && draw_sources(&c, f, &l);
    draw_axes(&c, f, &l);
    draw_bar(&c, f, &l, &values, s);
    if (good) return picture;
    cp_free(picture);
    return NULL;
}
