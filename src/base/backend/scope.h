/* Hooks by which array.c reports arrays to the scopes and to the leak checker (leaks.c). */
#ifndef CPI_BACKEND_SCOPE_H
#define CPI_BACKEND_SCOPE_H

#include "core/array.h"
#include "core/memory.h"

/* Number of open scopes in all threads. While 0, thread-local state is not read, which would cost a call. */
extern int cpi_scopes_open; /* changed atomically */
/* The innermost open scope of the thread, or NULL. */
extern CPI_THREAD_WORD cp_scope *cpi_scope_current;
static inline cp_scope *cpi_scope_now(void)
{
    return __atomic_load_n(&cpi_scopes_open, __ATOMIC_RELAXED) ? cpi_scope_current : NULL;
}
/* x belongs to that scope from now on. */
void cpi_scope_enter(cp_array *x);
/* A result that was kept out of a scope of the call's own (cp_keep) goes to the caller, or to the caller's scope; NULL
 * is none. */
static inline void cpi_into_scope(cp_array *x)
{
    if (x && cpi_scope_now()) cpi_scope_enter(x);
}
/* Drops the scope's reference; does nothing if no scope holds x. */
void cpi_scope_leave(cp_array *x);

/* True with CUPRITE_DEBUG=leaks: every array is then recorded when it is made and removed when it is freed. */
extern bool cpi_leaks_wanted;
void cpi_leaks_made(const cp_array *x);
void cpi_leaks_ended(const cp_array *x);

#endif
