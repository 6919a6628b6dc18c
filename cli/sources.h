/* cuprite sources, in three files: sources.c (options, several images, what is printed), find.c (the steps from a
 * file to a list of sources) and plot.c (the picture). */
#ifndef CLI_SOURCES_H
#define CLI_SOURCES_H

#include "cuprite.h"

typedef enum stretch { STRETCH_LOG, STRETCH_ASINH } stretch;

enum { STEP_READ, STEP_TRANSFER, STEP_BACKGROUND, STEP_SEGMENTATION, STEP_LABELLING, STEP_MEASUREMENT, STEP_WRITE, STEPS };
extern const char *const step_names[STEPS];

typedef struct find_options {
    double k, kappa;
    int device;
} find_options;

/* Sources in the order of their labels; host memory, `count` values each. */
typedef struct found {
    cp_array *image;          /* (height, width), on the CPU */
    cp_image_header *header;
    cp_clip_result background;
    double threshold;
    int64_t count;
    int64_t *label, *pixels, *peak_x, *peak_y;
    double *flux, *x, *y, *ra, *dec; /* ra and dec NULL where the image has no celestial WCS */
    cp_array *peak;           /* the image's type, on the CPU */
    double *peak_value;       /* the same as numbers to print */
    double seconds[STEPS];
} found;

/* Fills `f`; 0, or 1 with the message printed. found_free in both cases. */
int find_sources(const char *path, const find_options *options, found *f);
void found_free(found *f);
/* Names of the two sky columns. */
void sky_names(const found *f, const char **longitude, const char **latitude);

/* The image in grey with circles around the sources, north as the image has it: the first line of pixels is the
 * lowest. At most 4096 pixels on a side. NULL with the library's error set, or NULL without (out of memory). */
cp_array *plot_sources(const found *f, stretch s);

#endif
