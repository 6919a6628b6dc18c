/* cuprite sources on images that are larger than the memory it may use: the steps on one band of lines after another. */
#ifndef CLI_BANDS_H
#define CLI_BANDS_H

#include "sources.h"

/* Whether the image has to be taken in bands: sets f->bands, f->band_lines, and f->image to one of its type and shape
 * that holds no pixels. 0 or the exit status. */
int plan_bands(const char *path, const char *name, const find_options *o, found *f);
/* Background, segmentation, labelling and measurement; fills f as find_sources does. */
int find_in_bands(const char *path, const char *name, const find_options *o, found *f);

#endif
