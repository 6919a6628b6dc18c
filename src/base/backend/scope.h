/* What array.c tells the scopes and the account of living arrays (leaks.c). */
#ifndef CPI_BACKEND_SCOPE_H
#define CPI_BACKEND_SCOPE_H

#include "core/array.h"
#include "core/memory.h"

/* Open scopes of all threads: while there is none, nobody looks for the thread's own, which costs a call. */
extern int cpi_scopes_open; /* changed atomically */
/* The innermost open scope of the thread, or NULL. */
extern CPI_THREAD_WORD cp_scope *cpi_scope_current;
static inline cp_scope *cpi_scope_now(void)
{
    return __atomic_load_n(&cpi_scopes_open, __ATOMIC_RELAXED) ? cpi_scope_current : NULL;
}
/* x belongs to that scope from now on. */
void cpi_scope_enter(cp_array *x);
/* The scope's reference ends; nothing where no scope holds x. */
void cpi_scope_leave(cp_array *x);

/* True where CUPRITE_DEBUG=leaks: every array is then put down when it is made and crossed out when it ends. */
extern bool cpi_leaks_wanted;
void cpi_leaks_made(const cp_array *x);
void cpi_leaks_ended(const cp_array *x);

#endif
