/* Ticks of a picture's axes. The sky's coordinates are sampled along an edge, and round values are interpolated between
 * the samples, which works for every projection and rotation. An edge shows the coordinate that changes more along
 * it. */
#include "axes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES = 65 };
#define MOST_STEPS 1e12 /* from 0 to a tick: beyond it no text tells two ticks apart, and beyond 2^53 m + 1 is m */

/* --- round values --- */

/* The step of 1, 2 or 5 times a power of ten with at most `most` ticks in `span`. */
static double decimal_step(double span, int most)
{
    double least = span / most, power = pow(10, floor(log10(least)));
    for (int i = 0; i < 3; i++)
        if (power * (double[]){1, 2, 5}[i] >= least) return power * (double[]){1, 2, 5}[i];
    return 10 * power;
}

/* The same for seconds that count 60 to a minute. */
static double sexagesimal_step(double span, int most)
{
    static const double steps[] = {1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600, 7200, 10800,
                                   21600, 36000, 54000, 108000, 162000, 324000};
    if (span / most < 1) return decimal_step(span, most);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (span / most <= steps[i]) return steps[i];
    return 648000;
}

/* --- text --- */

static void decimal_string(double value, double step, char text[32])
{
    int digits = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;
    snprintf(text, 32, "%.*f", digits < 12 ? digits : 12, value + 0.0);
}

/* Seconds as 12h34m56.7s or -12@34'56", without the fields that the step leaves at zero. */
static void sexagesimal_string(double seconds, double step, bool hours, char text[32])
{
    int digits = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;
    if (digits > 4) digits = 4;
    double scale = pow(10, digits);
    int64_t ticks = llround(fabs(seconds) * scale), whole = ticks / (int64_t)scale;
    const char *sign = hours ? "" : seconds < 0 && ticks ? "-" : "+";
    int n = snprintf(text, 32, "%s%02lld%s%02lld%s", sign, (long long)(whole / 3600), hours ? "h" : "@",
                     (long long)(whole / 60 % 60), hours ? "m" : "'");
    if (step >= 60) return;
    if (digits) n += snprintf(text + n, 32 - (size_t)n, "%02lld.%0*lld", (long long)(whole % 60), digits,
                              (long long)(ticks % (int64_t)scale));
    else n += snprintf(text + n, 32 - (size_t)n, "%02lld", (long long)(whole % 60));
    snprintf(text + n, 32 - (size_t)n, "%s", hours ? "s" : "\"");
}

/* --- edges --- */

typedef enum kind { PIXELS, DEGREES, HOURS, ARC } kind;

/* Ticks where the samples, `length` pixels from first to last, pass multiples of the step. */
static void cross(const double *value, double length, kind k, int most, ticks *t)
{
    double low = INFINITY, high = -INFINITY, unit = k == HOURS ? 240 : k == ARC ? 3600 : 1; /* seconds a degree */
    for (int i = 0; i < SAMPLES; i++) low = fmin(low, value[i] * unit), high = fmax(high, value[i] * unit);
    t->count = 0;
    if (!(high > low) || !isfinite(high - low)) return;
    double step = k == HOURS || k == ARC ? sexagesimal_step(high - low, most) : decimal_step(high - low, most);
    if (fmax(fabs(low), fabs(high)) > MOST_STEPS * step) return;
    for (int i = 0; i + 1 < SAMPLES; i++) {
        double a = value[i] * unit, b = value[i + 1] * unit;
        if (a == b) continue;
        double first = ceil(fmin(a, b) / step), last = floor(fmax(a, b) / step);
        for (double m = first; m <= last && t->count < MOST_TICKS; m++) {
            double at = (i + (m * step - a) / (b - a)) * length / (SAMPLES - 1) - 0.5;
            if (t->count && fabs(at - t->at[t->count - 1]) < 1e-6 * length) continue; /* at a sample: found twice */
            double shown = k == HOURS ? fmod(fmod(m * step, 86400) + 86400, 86400) : m * step;
            if (k == HOURS || k == ARC) sexagesimal_string(shown, step, k == HOURS, t->text[t->count]);
            else decimal_string(shown, step, t->text[t->count]);
            t->at[t->count++] = at;
        }
    }
}

/* Longitudes without jumps of 360 degrees. */
static void unwrap(double *longitude)
{
    for (int i = 1; i < SAMPLES; i++) longitude[i] -= 360 * round((longitude[i] - longitude[i - 1]) / 360);
}

static bool sky_ticks(const found *f, bool up, int most, ticks *t)
{
    double width = (double)cp_dim(f->image, 1), height = (double)cp_dim(f->image, 0), length = up ? height : width;
    double x[SAMPLES], y[SAMPLES], lon[SAMPLES], lat[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        double along = length * i / (SAMPLES - 1) - 0.5;
        x[i] = up ? -0.5 : along;
        y[i] = up ? along : -0.5;
    }
    if (!cp_image_sky_system(f->header) || cp_image_sky(f->header, SAMPLES, x, y, lon, lat) != CP_OK) return false;
    for (int i = 0; i < SAMPLES; i++)
        if (!isfinite(lon[i]) || !isfinite(lat[i])) return false;
    unwrap(lon);
    double across = 0, along = 0;
    for (int i = 1; i < SAMPLES; i++) {
        across += fabs(lon[i] - lon[i - 1]) * cos(lat[i] * 0.017453292519943295);
        along += fabs(lat[i] - lat[i - 1]);
    }
    const char *names[2];
    sky_names(f, &names[0], &names[1]);
    bool latitude = along > across, equatorial = !strcmp(names[0], "ra");
    cross(latitude ? lat : lon, length, !equatorial ? DEGREES : latitude ? ARC : HOURS, most, t);
    snprintf(t->title, sizeof t->title, "%s%s", !equatorial ? names[latitude] : latitude ? "Dec" : "RA",
             equatorial ? "" : " (deg)");
    return t->count > 0;
}

void find_ticks(const found *f, bool up, int most, ticks *t)
{
    if (most > MOST_TICKS) most = MOST_TICKS;
    if (most < 1) most = 1;
    if (sky_ticks(f, up, most, t)) return;
    cp_error_clear();
    double value[SAMPLES], length = (double)cp_dim(f->image, up ? 0 : 1);
    for (int i = 0; i < SAMPLES; i++) value[i] = length * i / (SAMPLES - 1) - 0.5;
    cross(value, length, PIXELS, most, t);
    snprintf(t->title, sizeof t->title, "%s (pixel)", up ? "y" : "x");
}
