/* When a long call asks its program whether to end: see ending.h. */
#include "cpu/ending.h"

#include <stddef.h>
#include <time.h>

#include "cuprite/device.h"

enum { SHORT_NS = 1000000, LONG_NS = 8000000, ASK_NS = 100000000, MOST_STRIDE = 1024 };

static cp_interrupt *wanted;

void cp_interrupt_set(cp_interrupt *function) { __atomic_store_n(&wanted, function, __ATOMIC_RELEASE); }

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The first look only notes the time, so that short calls never ask. */
bool cpi_lookout_look(cpi_lookout *w)
{
    cpi_ending *e = w->of;
    const int64_t now = now_ns(), passed = w->looked ? now - w->looked : 0;
    if (passed < SHORT_NS) w->stride = w->stride < MOST_STRIDE ? 2 * w->stride + !w->stride : w->stride;
    else if (passed > LONG_NS) w->stride /= 8;
    w->left = w->stride, w->looked = now;
    if (__atomic_load_n(&e->ended, __ATOMIC_RELAXED)) return true;
    if (w->worker) return false;
    if (!e->asked) e->asked = now;
    if (now - e->asked < ASK_NS) return false;
    cp_interrupt *ask = __atomic_load_n(&wanted, __ATOMIC_ACQUIRE);
    const bool ends = ask && ask();
    e->asked = now_ns();
    if (ends) __atomic_store_n(&e->ended, 1, __ATOMIC_RELAXED);
    return ends;
}
