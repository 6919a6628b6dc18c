/* Profiling, inside: the tables of backends whose functions record what they do.
 *
 * A device's table is replaced while profiling is on, as captures on the CPU replace it, so that nothing is asked for
 * while it is off. Every table that a device may get is given to cpi_backend_set. A module's slots are wrapped by
 * generated functions (src/MODULE/slots_profiled.c), the backend's own functions by profile.c. */
#ifndef CPI_BACKEND_PROFILE_H
#define CPI_BACKEND_PROFILE_H

#include "backend/backend.h"

typedef enum cpi_profile_kind {
    CPI_PROFILE_WORK, CPI_PROFILE_ANSWER, /* ANSWER: work whose result the caller waits for */
    CPI_PROFILE_COPY, CPI_PROFILE_TO_HOST, CPI_PROFILE_FROM_HOST, CPI_PROFILE_WAIT
} cpi_profile_kind;

typedef struct cpi_profile_mark {
    const cpi_backend *of;         /* the table without profiling: what is to be called */
    const cpi_device *device;
    const char *operation;
    int64_t bytes;
    double begin;
    struct cpi_profile_pair *pair; /* events on both sides; NULL: the host's clock */
    cp_stream *stream;
    cpi_profile_kind kind;
    bool on;
} cpi_profile_mark;

/* Around the call of a slot: mark.of->MODULE->SLOT(...). `operation` lives as long as the program, or until `end`. */
cpi_profile_mark cpi_profile_begin(cp_stream *stream, cpi_profile_kind kind, const char *operation, int64_t bytes);
cp_code cpi_profile_end(cpi_profile_mark *mark, cp_code code);

/* Makes `plain`, a table without profiling, the device's; or, while profiling is on, the one that records. */
void cpi_backend_set(cpi_device *device, const cpi_backend *plain);
/* The table without profiling. */
const cpi_backend *cpi_backend_plain(const cpi_backend *backend);
/* A module's table that records, with NULL where `of` has NULL; NULL: out of memory. */
#define CPI_PROFILED(module) \
    const struct cpi_##module##_ops *cpi_##module##_profiled(const struct cpi_##module##_ops *of);
CPI_MODULES(CPI_PROFILED)
#undef CPI_PROFILED

void cpi_profile_after_fork(void); /* in the child: off, and empty */

#endif
