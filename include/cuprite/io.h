/* Files: FITS images in and out, catalogues, pictures. CFITSIO, WCSLIB and libpng are behind
 * libcuprite-io.so, which is opened when one of these functions is first called. */
#ifndef CUPRITE_IO_H
#define CUPRITE_IO_H

#include "array.h"
#include "ndimage.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cp_image_header cp_image_header; /* cards of an image, its WCS among them */

#ifdef __cplusplus
}
#endif
#endif
