/* For libraries on top of this one, as libcuprite-mpi.so is: their errors are in the same record. */
#ifndef CUPRITE_EXTEND_H
#define CUPRITE_EXTEND_H

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the calling thread's record, unless an earlier error stands there; returns `code`. */
CP_API cp_code cp_error_set(cp_code code, const char *message);

#ifdef __cplusplus
}
#endif
#endif
