/* Locks and forks: a child begins with every guarded lock free, and what it guards whole.
 *
 * fork() copies the memory of all threads but only the thread that calls it. A lock that another thread holds at that
 * moment would stay held in the child for ever, and what it guards half changed. So forks take the guarded locks
 * first, all of them or none at a time, which is right for any order in which threads take them.
 *
 * A module guards the locks that its calls take on the CPU once, before their first use by a second thread: mostly by
 * CPI_FORK_GUARD beside their definition. */
#ifndef CPI_CORE_FORKS_H
#define CPI_CORE_FORKS_H

#include <pthread.h>
#include <stdbool.h>

/* The lock lives as long as the process. */
void cpi_fork_guard(pthread_mutex_t *lock);
/* A spinlock: true while it is taken. */
void cpi_fork_guard_word(bool *taken);

/* Of a static lock, when the library is loaded. */
#define CPI_FORK_GUARD(lock) \
    __attribute__((constructor)) static void lock##_guarded(void) { cpi_fork_guard(&(lock)); }

#endif
