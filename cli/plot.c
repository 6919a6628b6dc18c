/* The picture of an image and its sources: grey from the background's median to the brightest pixel, in a
 * logarithmic or asinh stretch, with a circle around each source. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sources.h"

#define MOST 4096    /* pixels on a side */
#define SHADES 65536

/* A picture while it is drawn; line 0 is the highest. */
typedef struct canvas { uint8_t *rgb; int64_t width, height; } canvas;

static double stretched(double v, stretch s)
{
    const double a = 1000; /* how many times steeper it is at the background than a line */
    return s == STRETCH_LOG ? log1p(a * v) / log1p(a) : asinh(a * v / 5) / asinh(a / 5);
}

static void shades_of(stretch s, uint8_t shade[SHADES])
{
    /* 255 greys and the colour of the circles make a palette */
    for (int i = 0; i < SHADES; i++) shade[i] = (uint8_t)(254 * stretched(i / (double)(SHADES - 1), s) + 0.5);
}

/* Mean of the pixels that fall on one of the picture; NaN when all are. */
static float block_mean(const float *image, int64_t height, int64_t width, int64_t y, int64_t x, int64_t f)
{
    double sum = 0;
    int64_t n = 0;
    for (int64_t j = y * f; j < (y + 1) * f && j < height; j++)
        for (int64_t i = x * f; i < (x + 1) * f && i < width; i++)
            if (!isnan(image[j * width + i])) sum += image[j * width + i], n++;
    return n ? (float)(sum / (double)n) : NAN;
}

static void draw_image(canvas *c, const float *image, int64_t height, int64_t width, int64_t f, float low, float high,
                       const uint8_t *shade)
{
    const float factor = high > low ? (SHADES - 1) / (high - low) : 0;
    for (int64_t y = 0; y < c->height; y++) {
        uint8_t *to = c->rgb + (c->height - 1 - y) * c->width * 3;
        for (int64_t x = 0; x < c->width; x++) {
            float v = f == 1 ? image[y * width + x] : block_mean(image, height, width, y, x, f);
            float s = (v - low) * factor;
            uint8_t g = shade[s > 0 ? s < SHADES - 1 ? (int)s : SHADES - 1 : 0]; /* NaN is black */
            to[3 * x] = to[3 * x + 1] = to[3 * x + 2] = g;
        }
    }
}

static void dot(canvas *c, int64_t x, int64_t y)
{
    static const uint8_t colour[3] = {255, 150, 40};
    if (x < 0 || y < 0 || x >= c->width || y >= c->height) return;
    memcpy(c->rgb + ((c->height - 1 - y) * c->width + x) * 3, colour, 3);
}

/* A circle line around (x0, y0), in the picture's pixels. */
static void circle(canvas *c, double x0, double y0, double radius)
{
    int n = (int)(8 * radius) + 8;
    for (int i = 0; i < n; i++) {
        double angle = 6.283185307179586 * i / n;
        dot(c, llround(x0 + radius * cos(angle)), llround(y0 + radius * sin(angle)));
    }
}

/* The brightest finite pixel. */
static float brightest(const float *image, int64_t n, float low)
{
    float high = low;
    for (int64_t i = 0; i < n; i++)
        if (image[i] > high && image[i] < INFINITY) high = image[i];
    return high;
}

cp_array *plot_sources(const found *f, stretch s)
{
    int64_t height = cp_dim(f->image, 0), width = cp_dim(f->image, 1);
    int64_t longest = height > width ? height : width, factor = (longest + MOST - 1) / MOST;
    canvas c = {NULL, (width + factor - 1) / factor, (height + factor - 1) / factor};
    static uint8_t shade[SHADES];
    cp_array *values = NULL, *picture = NULL;
    if (cp_device_use(CP_CPU) != CP_OK || !(values = cp_astype(f->image, CP_FLOAT32)) ||
        !(picture = cp_empty(CP_SHAPE(c.height, c.width, 3), CP_UINT8))) {
        cp_free(values);
        return NULL;
    }
    c.rgb = cp_data(picture);
    shades_of(s, shade);
    const float *image = cp_data(values);
    float low = (float)f->background.center;
    draw_image(&c, image, height, width, factor, low, brightest(image, cp_size(values), low), shade);
    for (int64_t i = 0; i < f->count; i++)
        circle(&c, f->x[i] / (double)factor, f->y[i] / (double)factor,
               (1.5 * sqrt((double)f->pixels[i] / 3.14159) + 3) / (double)factor + 2);
    cp_free(values);
    return picture;
}
