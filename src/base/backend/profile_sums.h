/* Records of profiling: names, sums by operation, and what is written of them. */
#ifndef CPI_BACKEND_PROFILE_SUMS_H
#define CPI_BACKEND_PROFILE_SUMS_H

#include "backend/profile.h"
#include "cuprite/profile.h"

/* All strings live as long as the program, and equal ones are one. */
typedef struct cpi_profile_call {
    const char *operation;
    const char *function;    /* the public function that was called, without cp_; NULL: not known */
    const char *place;       /* of the program, of what copies to the host or waits; NULL: not known */
    const cpi_device *device;
    double begin, seconds;   /* of the monotonic clock */
    int64_t bytes;
    int thread;
    cpi_profile_kind kind;
} cpi_profile_call;

/* Fills the strings and the thread: looks at the stack, and asks the program for its place. */
void cpi_profile_name(cpi_profile_call *call, const char *operation);
/* Adds a call to the sums. The caller has a lock for this and what follows. */
void cpi_profile_add(const cpi_profile_call *call);
void cpi_profile_sums_clear(void);
/* A view of the sums and n calls besides, freed with cpi_free_host; or NULL. */
char *cpi_profile_write(cp_profile_view view, int n, const cpi_profile_call *calls);

#endif
