/* Ticks of a picture's axes: where round values of the sky's coordinates, or of pixels, lie along its edges. */
#ifndef CLI_AXES_H
#define CLI_AXES_H

#include "sources.h"

enum { MOST_TICKS = 12 };
typedef struct ticks {
    int count;
    double at[MOST_TICKS]; /* in pixels of the image along the edge */
    char text[MOST_TICKS][32];
    char title[32];
} ticks;

/* Of the lowest edge (`up` false) or the left one, at most `most` of them. */
void find_ticks(const found *f, bool up, int most, ticks *t);

#endif
