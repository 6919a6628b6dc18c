/* The slots a backend fills for the room elementwise. */
#ifndef CPI_ELEMENTWISE_H
#define CPI_ELEMENTWISE_H

#include "backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpi_elementwise_ops {
    int _;
} cpi_elementwise_ops;

extern const cpi_elementwise_ops cpi_elementwise_cpu;

#ifdef __cplusplus
}
#endif
#endif
