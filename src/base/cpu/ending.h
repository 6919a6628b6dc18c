/* Calls that can be ended before they are done: their program is asked now and then (cp_interrupt_set).
 *
 * A call has one cpi_ending, each of its tasks a cpi_lookout, which counts the turns of the task's loop and looks at
 * the clock about every millisecond. Invariant: only worker 0 asks, which is the calling thread; others see what it
 * heard. What a task of an ended call has written so far is of no use, and the call fails. */
#ifndef CPI_CPU_ENDING_H
#define CPI_CPU_ENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"

typedef struct cpi_ending {
    int64_t asked; /* nanoseconds; 0: never */
    int ended;     /* changed atomically */
} cpi_ending;

typedef struct cpi_lookout {
    cpi_ending *of;
    int worker;
    int64_t left, stride, looked;
} cpi_lookout;

/* Looks at the clock; whether the call is to end. */
bool cpi_lookout_look(cpi_lookout *w);
/* Before a turn of a loop that takes from nanoseconds to milliseconds: whether the task is to return. */
static inline bool cpi_lookout_ends(cpi_lookout *w) { return --w->left < 0 && cpi_lookout_look(w); }
/* CP_OK, or CP_ERROR_INTERRUPTED where the call was ended; whoever called says its name. */
static inline cp_code cpi_ending_code(const cpi_ending *e)
{
    return __atomic_load_n(&e->ended, __ATOMIC_RELAXED) ? CP_ERROR_INTERRUPTED : CP_OK;
}
/* A backend's code, with the words for a call that was ended. */
static inline cp_code cpi_ending_named(const char *name, cp_code code)
{
    return code == CP_ERROR_INTERRUPTED ? cpi_fail(code, "%s: the call was interrupted", name) : code;
}

#endif
