/* cuprite sources on images larger than the memory that it may use: the steps on one tile of lines after another. */
#ifndef CLI_TILES_H
#define CLI_TILES_H

#include "sources.h"

/* Whether the image has to be taken in tiles: sets f->tiles, f->tile_lines, and f->image to one of its type and shape
 * that holds no pixels. 0 or the exit status. */
int plan_tiles(const char *path, const char *name, const find_options *o, found *f);
/* Background, segmentation, labelling and measurement; fills f as find_sources does. */
int find_in_tiles(const char *path, const char *name, const find_options *o, found *f);

#endif
