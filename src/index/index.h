/* The slots a backend fills for the room index. */
#ifndef CPI_INDEX_H
#define CPI_INDEX_H

#include "backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpi_index_ops {
    int _;
} cpi_index_ops;

extern const cpi_index_ops cpi_index_cpu;

#ifdef __cplusplus
}
#endif
#endif
