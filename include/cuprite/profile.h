/* Profiling: which operations a program makes, how long each takes, and where it waits.
 *
 * While profiling is on, each piece of work that is given to a device is recorded: the public function that was called,
 * the operation, the bytes that it reads and writes at least, and its time. On a GPU that is the time on the device, by
 * events on both sides. What copies to the host or waits is recorded too, with the time that the thread is held up.
 *
 * Work while a GPU's stream captures has the host's time alone. A forked child is not profiled. While profiling is
 * off nothing costs time. CUPRITE_PROFILE=1 profiles a program from its start and writes the table to stderr when it
 * ends; CUPRITE_PROFILE=FILE.json writes the trace there. */
#ifndef CUPRITE_PROFILE_H
#define CUPRITE_PROFILE_H

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Begins, or goes on after a stop. CP_ERROR_MEMORY. */
CP_API cp_code cp_profile_start(void);
CP_API void cp_profile_stop(void);
/* Forgets what was recorded. */
CP_API void cp_profile_clear(void);

typedef enum cp_profile_view {
    CP_PROFILE_TABLE,  /* a line for each operation and device: calls, seconds, bytes; the longest first */
    CP_PROFILE_REPORT, /* a line for each place in the program that copied to the host or waited */
    CP_PROFILE_TRACE   /* the calls as Chrome's trace events (JSON), microseconds; of very many the latest */
} cp_profile_view;
/* What was recorded, as a string, freed with cp_string_free; NULL on failure. Waits for work whose time is not known
 * yet. */
CP_API char *cp_profile_string(cp_profile_view view);

/* A function that says where the program is, "program.py:12", in at most `bytes` characters. It is called in the thread
 * that copies or waits, and must not call the library. NULL: none. */
typedef void (*cp_profile_location_fn)(char *text, size_t bytes);
CP_API void cp_profile_location(cp_profile_location_fn location);

#ifdef __cplusplus
}
#endif
#endif
