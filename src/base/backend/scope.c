/* Scopes: a stack of lists for each thread. Invariant: an array in a scope has one reference that the scope owns. */
#include "backend/scope.h"

#include <sched.h>

#include "core/forks.h"

struct cp_scope {
    struct cp_scope *outer;
    cp_array *first;
};

int cpi_scopes_open;
CPI_THREAD_WORD cp_scope *cpi_scope_current;
/* Arrays may be freed by a thread other than the one whose scope holds them. The critical section is a few
 * instructions, and a mutex would double its cost: each temporary of a composite function takes this spinlock twice. */
static bool taken;
__attribute__((constructor)) static void guarded(void) { cpi_fork_guard_word(&taken); }

static void lock(void)
{
    while (__atomic_exchange_n(&taken, true, __ATOMIC_ACQUIRE)) sched_yield();
}
static void unlock(void) { __atomic_store_n(&taken, false, __ATOMIC_RELEASE); }

void cpi_scope_enter(cp_array *x)
{
    cp_scope *s = cpi_scope_current;
    lock();
    x->scope = s;
    x->scope_next = s->first;
    if (s->first) s->first->scope_prev = x;
    s->first = x;
    unlock();
}

void cpi_scope_leave(cp_array *x)
{
    if (!__atomic_load_n(&x->scope, __ATOMIC_ACQUIRE)) return;
    lock();
    if (x->scope) {
        if (x->scope_prev) {
            x->scope_prev->scope_next = x->scope_next;
        } else {
            x->scope->first = x->scope_next;
        }
        if (x->scope_next) x->scope_next->scope_prev = x->scope_prev;
        x->scope_prev = x->scope_next = NULL;
        __atomic_store_n(&x->scope, NULL, __ATOMIC_RELEASE);
    }
    unlock();
}

cp_scope *cp_scope_begin(void)
{
    cp_scope *s = cpi_malloc(sizeof *s);
    if (!s) return NULL;
    s->outer = cpi_scope_current;
    s->first = NULL;
    __atomic_add_fetch(&cpi_scopes_open, 1, __ATOMIC_RELAXED);
    return cpi_scope_current = s;
}

static bool is_open(const cp_scope *s)
{
    for (const cp_scope *t = cpi_scope_current; t; t = t->outer)
        if (t == s) return true;
    return false;
}

void cp_scope_end(cp_scope *s)
{
    if (!is_open(s)) return;
    for (cp_scope *top = NULL; top != s;) { /* inner scopes that were not ended go first */
        top = cpi_scope_current;
        for (cp_array *x; (x = top->first);) {
            cpi_scope_leave(x);
            cp_free(x);
        }
        cpi_scope_current = top->outer;
        __atomic_sub_fetch(&cpi_scopes_open, 1, __ATOMIC_RELAXED);
        cpi_free_host(top);
    }
}

cp_array *cp_keep(cp_array *x)
{
    if (x) cpi_scope_leave(x);
    return x;
}

cp_array *cp_scope_return(cp_scope *s, cp_array *x)
{
    bool own = x && s && __atomic_load_n(&x->scope, __ATOMIC_ACQUIRE) == s;
    if (own) cpi_scope_leave(x);
    cp_scope_end(s);
    if (own && cpi_scope_now()) cpi_scope_enter(x);
    return x;
}
