/* The slots a backend fills for the room reduce. */
#ifndef CPI_REDUCE_H
#define CPI_REDUCE_H

#include "backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpi_reduce_ops {
    int _;
} cpi_reduce_ops;

extern const cpi_reduce_ops cpi_reduce_cpu;

#ifdef __cplusplus
}
#endif
#endif
