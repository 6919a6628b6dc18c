/* The CPU's two slots, each in a file of its own. */
#ifndef CPI_NDIMAGE_CPU_H
#define CPI_NDIMAGE_CPU_H

#include "ndimage/ndimage.h"


#endif
