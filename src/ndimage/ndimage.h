/* The slots a backend fills for the room ndimage. */
#ifndef CPI_NDIMAGE_H
#define CPI_NDIMAGE_H

#include "backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpi_ndimage_ops {
    int _;
} cpi_ndimage_ops;

extern const cpi_ndimage_ops cpi_ndimage_cpu;

#ifdef __cplusplus
}
#endif
#endif
