/* The slots a backend fills for the room signal. */
#ifndef CPI_SIGNAL_H
#define CPI_SIGNAL_H

#include "backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpi_signal_ops {
    int _;
} cpi_signal_ops;

extern const cpi_signal_ops cpi_signal_cpu;

#ifdef __cplusplus
}
#endif
#endif
