/* The guarded locks: see forks.h.
 *
 * Invariant: between the handlers before and after a fork the forking thread holds all guarded locks, or none of them
 * where another thread kept one for longer than PATIENCE; the child makes them anew then. */
#include "core/forks.h"

#include <sched.h>
#include <time.h>

enum { LOCKS = 128, PATIENCE = 5 };

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct guarded { pthread_mutex_t *lock; bool *word; } guarded[LOCKS];
static int count;
static bool held; /* by the thread that forks */

static bool try_one(const struct guarded *g)
{
    return g->lock ? !pthread_mutex_trylock(g->lock) : !__atomic_exchange_n(g->word, true, __ATOMIC_ACQUIRE);
}

static void release(int n)
{
    while (n-- > 0) {
        if (guarded[n].lock) pthread_mutex_unlock(guarded[n].lock);
        else __atomic_store_n(guarded[n].word, false, __ATOMIC_RELEASE);
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A thread that waits for one of these locks while it has another would wait for the fork, and the fork for it: so the
 * fork keeps none while one is missing. */
static void before_fork(void)
{
    pthread_mutex_lock(&table_lock);
    const double end = now() + PATIENCE;
    for (held = false; !held;) {
        int n = 0;
        while (n < count && try_one(&guarded[n])) n++;
        held = n == count;
        if (held) break;
        release(n);
        if (now() > end) break;
        sched_yield();
    }
}

static void after_fork_parent(void)
{
    if (held) release(count);
    pthread_mutex_unlock(&table_lock);
}

static void after_fork_child(void)
{
    for (int i = 0; i < count && !held; i++) {
        if (guarded[i].lock) pthread_mutex_init(guarded[i].lock, NULL);
        else __atomic_store_n(guarded[i].word, false, __ATOMIC_RELEASE);
    }
    after_fork_parent();
}

static void add(struct guarded g)
{
    pthread_mutex_lock(&table_lock);
    /* The first handlers that are set run last before a fork: those that wait for threads' work need these locks. */
    if (!count) pthread_atfork(before_fork, after_fork_parent, after_fork_child);
    if (count < LOCKS) guarded[count++] = g;
    pthread_mutex_unlock(&table_lock);
}

void cpi_fork_guard(pthread_mutex_t *lock) { add((struct guarded){.lock = lock}); }
void cpi_fork_guard_word(bool *taken) { add((struct guarded){.word = taken}); }
