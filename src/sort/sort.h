/* The slots a backend fills for the room sort. */
#ifndef CPI_SORT_H
#define CPI_SORT_H

#include "backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpi_sort_ops {
    int _;
} cpi_sort_ops;

extern const cpi_sort_ops cpi_sort_cpu;

#ifdef __cplusplus
}
#endif
#endif
