/* Drawing on a picture: lines, circles, text. Line 0 of a canvas is the highest. */
#ifndef CLI_DRAW_H
#define CLI_DRAW_H

#include <stdbool.h>
#include <stdint.h>

typedef struct canvas { uint8_t *rgb; int64_t width, height, stride; } canvas; /* stride: pixels from line to line */
typedef struct colour { uint8_t red, green, blue; } colour;

void draw_fill(canvas *c, int64_t x, int64_t y, int64_t width, int64_t height, colour k);
/* All shapes are clipped to the canvas. `thick`: the pen's width in pixels, 1 or more. */
void draw_line(canvas *c, double x0, double y0, double x1, double y1, int thick, colour k);
void draw_circle(canvas *c, double x, double y, double radius, int thick, colour k);

/* Text whose capital letters are `size` pixels high, its baseline at y; x is its left end, its middle or its right
 * end by `align` (-1, 0, 1). '@' is drawn as a degree sign; characters that the font lacks are skipped. */
void draw_text(canvas *c, double x, double y, double size, int align, const char *text, colour k);
double text_width(double size, const char *text);

#endif
