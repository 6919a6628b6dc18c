/* The files of cuprite sources: sources.c (options, several images, names of outputs), find.c (the steps from a file
 * to a list of sources), tiles.c and clip.c (the same in parts of the image), report.c (what is printed and the
 * catalogue), plot.c and axes.c (the picture). */
#ifndef CLI_SOURCES_H
#define CLI_SOURCES_H

#include <stdio.h>

#include "cuprite.h"

typedef enum stretch { STRETCH_LOG, STRETCH_ASINH } stretch;

enum { STEP_READ, STEP_TRANSFER, STEP_BACKGROUND, STEP_SEGMENTATION, STEP_LABELLING, STEP_MEASUREMENT, STEP_WRITE,
       STEPS };
extern const char *const step_names[STEPS];

typedef struct find_options {
    double k, kappa;
    int device;
    int64_t min_pixels;
    int64_t memory; /* bytes that may be used, 0: no limit */
    bool corners; /* pixels that touch by a corner are connected too */
    int ext;      /* as cp_fits_read's */
    int planes;   /* number of indices in `plane`: for axes before the last two longer than 1 */
    int64_t plane[64];
} find_options;

/* Sources in the order of their first pixels; host memory, `count` values each. NULL members are unknown. */
typedef struct found {
    cp_array *image;          /* (height, width), on the CPU; divided by `scale` */
    int64_t tiles, tile_lines; /* how many, of how many lines; 0: the image is in memory, as a whole */
    double scale;             /* 1; a power of two for values whose squares leave float64 */
    cp_image_header *header;
    cp_clip_result background; /* of `image`, like the threshold */
    double threshold;
    int64_t infinite;         /* ignored pixels, NaN in `image` */
    int64_t count, small;     /* sources; groups of fewer pixels than a source has */
    int64_t *label, *pixels, *peak_x, *peak_y;
    double *flux, *flux_error, *sum, *x, *y, *x_error, *y_error;
    double *total, *total_error; /* flux by the beam's area; where the unit is one per beam and the beam is known */
    cp_beam beam;
    double *ra, *dec;         /* where the image has a celestial WCS */
    void *peak;               /* in peak_type, the image's */
    cp_type peak_type;
    double *peak_value;       /* the same as numbers to print */
    double seconds[STEPS];
} found;

/* Fills `f` from the image `name`; 0, or 1 with the message printed. found_free in both cases. */
int find_sources(const char *name, const find_options *options, found *f);
void found_free(found *f);
/* The two axes' lengths of an image of these dimensions, the indices on all its axes (where `at` is not NULL), and
 * where the plane begins in the flattened array. Axes of length 1 are dropped, the first ones first; --plane chooses on
 * longer ones. 0, or the exit status with the message printed. */
int plane_of(const char *path, int n, const int64_t *dims, const find_options *o, int64_t extent[2], cp_index *at,
             int64_t *first);
/* Columns that follow from the others: total flux, positions in the sky. 0 or 1. */
int derive(found *f);
/* Names of the two sky columns. */
void sky_names(const found *f, const char **longitude, const char **latitude);

/* Prints the report. */
void print_found(FILE *to, const found *f, const find_options *o, const char *image);
/* Writes all sources, with the parameters in the header. */
cp_code write_catalog(const found *f, const find_options *o, const char *image, const char *path);

/* The image in grey with circles around the sources, axes and a bar of the values; the first line of pixels is the
 * lowest. The image has at most 4096 pixels on a side. NULL with the library's error set, or NULL without (out of
 * memory). */
cp_array *plot_sources(const found *f, stretch s);

#endif
