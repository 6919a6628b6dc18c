/* A pool of threads that share numbered tasks.
 *
 * One job runs at a time; it is announced by an odd-even generation word that idle workers watch: they spin
 * for some microseconds (the next loop of a program usually comes soon), then sleep on a futex. Tasks are
 * taken from one atomic counter. Invariants: a worker touches a job only between joining and leaving it
 * (`inside`); the job's owner leaves cpi_parallel only when no worker is inside.
 *
 * If threads of other libraries occupy the other processors (NumPy's OpenBLAS spins for a tenth of a second after a
 * call), the system wakes a helper on the caller's processor, which the two then share. So small numbers of helpers are
 * kept off it by affinity. A helper that is then preempted in the middle of a task, for which the caller would wait
 * some milliseconds, is moved to the caller's processor. */
#include "cpu/threads.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/error.h"
#include "cuprite/device.h"

enum {
    MOST = 256, SPIN_NS = 30000,
    APART = 7, /* most helpers kept off the caller's processor; with more of them, one that shares it costs little */
    PATIENCE_NS = 50000 /* between two checks of helpers that the caller waits for */
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t job_lock = PTHREAD_MUTEX_INITIALIZER; /* held by the caller whose job runs */
static int wanted;                                           /* threads, including the caller */
static int started;                                          /* helpers running */
static _Thread_local bool inside_task;

static struct {
    uint32_t generation; /* odd while a job is open; helpers sleep on it */
    int sleeping;
    int helpers;         /* helpers that may join this job */
    int inside;
    int64_t tasks, next;
    cpi_task fn;
    void *context;
} job;

/* A helper's affinity: set by others (`own`), and set by this pool, without processor `off` - 1. */
typedef struct slot {
    pthread_t thread;
    int off;
    bool busy, fetched; /* has a task; was moved to the caller's processor */
    int64_t ran;        /* CPU time in nanoseconds at the caller's last check */
    cpu_set_t own, given;
} slot;
static slot slots[APART];

static long futex(uint32_t *word, int op, uint32_t value)
{
    return syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static inline void pause_cpu(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void run_tasks(int worker)
{
    int64_t tasks = job.tasks, i;
    cpi_task fn = job.fn;
    void *context = job.context;
    inside_task = true;
    while ((i = __atomic_fetch_add(&job.next, 1, __ATOMIC_RELAXED)) < tasks) fn(context, i, worker);
    inside_task = false;
}

/* Waits until the generation differs from `seen`; returns the new one. */
static uint32_t wait_generation(uint32_t seen)
{
    int64_t end = 0;
    for (int i = 0;; i++) {
        uint32_t g = __atomic_load_n(&job.generation, __ATOMIC_ACQUIRE);
        if (g != seen) return g;
        pause_cpu();
        if (i % 64) continue;
        int64_t t = now_ns();
        if (!end) end = t + SPIN_NS;
        if (t < end) continue;
        __atomic_add_fetch(&job.sleeping, 1, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&job.generation, __ATOMIC_SEQ_CST) == seen) futex(&job.generation, FUTEX_WAIT, seen);
        __atomic_sub_fetch(&job.sleeping, 1, __ATOMIC_SEQ_CST);
    }
}

static void *helper(void *argument)
{
    int worker = (int)(intptr_t)argument;
    uint32_t seen = 0;
    for (;;) {
        seen = wait_generation(seen);
        if (!(seen & 1)) continue;
        __atomic_add_fetch(&job.inside, 1, __ATOMIC_SEQ_CST);
        /* The job may have closed between the check and joining: only an open one is touched. */
        if (__atomic_load_n(&job.generation, __ATOMIC_SEQ_CST) == seen && worker <= job.helpers) {
            slot *p = worker <= APART ? &slots[worker - 1] : NULL;
            if (p) __atomic_store_n(&p->busy, true, __ATOMIC_RELAXED);
            run_tasks(worker);
            if (p) __atomic_store_n(&p->busy, false, __ATOMIC_RELAXED);
        }
        __atomic_sub_fetch(&job.inside, 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

static int allowed_processors(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (int)sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > MOST ? MOST : n;
}

static void after_fork_child(void)
{
    started = 0; /* the helpers do not exist in the child */
    memset(slots, 0, sizeof slots);
    pthread_mutex_init(&job_lock, NULL);
    job.sleeping = job.inside = 0;
    job.generation = 0;
    inside_task = false;
}

static void init(void)
{
    const char *names[] = {"CUPRITE_NUM_THREADS", "OMP_NUM_THREADS"};
    for (int i = 0; i < 2 && wanted < 1; i++) {
        const char *text = getenv(names[i]);
        if (text) wanted = atoi(text);
    }
    if (wanted < 1) wanted = allowed_processors();
    if (wanted > MOST) wanted = MOST;
    pthread_atfork(NULL, NULL, after_fork_child);
}

/* What cpi_workers last returned to this thread. Scratch was sized by it, so the thread's next job keeps to it even if
 * another thread raises the number meanwhile. */
static _Thread_local int promised;

int cpi_workers(void)
{
    pthread_once(&once, init);
    return promised = __atomic_load_n(&wanted, __ATOMIC_RELAXED);
}

int cpi_workers_set(int n)
{
    if (n < 1) return -1;
    pthread_once(&once, init);
    __atomic_store_n(&wanted, n > MOST ? MOST : n, __ATOMIC_RELAXED);
    return 0;
}

/* Starts helpers up to n; fewer when the system has no more threads. Called with job_lock held. */
static void start_helpers(int n)
{
    if (started >= n) return;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    while (started < n && pthread_create(&thread, &attributes, helper, (void *)(intptr_t)(started + 1)) == 0) {
        if (started < APART) slots[started].thread = thread;
        started++;
    }
    pthread_attr_destroy(&attributes);
}

static void let_run(slot *p)
{
    pthread_setaffinity_np(p->thread, sizeof p->given, &p->given);
}

/* Sets the affinity of the first helpers to all processors but the caller's. A helper that is bound there by others is
 * left alone, and affinity set by others meanwhile takes precedence. Called with job_lock held, before sleepers are
 * woken. */
static void keep_separate(int helpers)
{
    int cpu = sched_getcpu();
    for (int i = 0; i < helpers && cpu >= 0; i++) {
        slot *p = &slots[i];
        cpu_set_t now, without;
        if (p->off == cpu + 1 || pthread_getaffinity_np(p->thread, sizeof now, &now)) continue;
        if (!p->off || !CPU_EQUAL(&now, &p->given)) p->own = now;
        without = p->own;
        CPU_CLR(cpu, &without);
        if (!CPU_COUNT(&without)) without = p->own;
        p->off = cpu + 1;
        p->given = without;
        if (!CPU_EQUAL(&now, &without)) let_run(p);
    }
}

/* Moves helpers that have a task but do not run, as two checks show, to the caller's processor; whether it moved
 * any. */
static bool fetch(int helpers, bool first)
{
    bool any = false;
    int cpu = sched_getcpu();
    for (int i = 0; i < helpers; i++) {
        slot *p = &slots[i];
        clockid_t clock;
        struct timespec t;
        if (!p->off || !__atomic_load_n(&p->busy, __ATOMIC_RELAXED) || pthread_getcpuclockid(p->thread, &clock) ||
            clock_gettime(clock, &t))
            continue;
        int64_t ran = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
        if (!first && ran == p->ran && p->off == cpu + 1 && CPU_ISSET(cpu, &p->own)) {
            cpu_set_t here;
            CPU_ZERO(&here);
            CPU_SET(cpu, &here);
            pthread_setaffinity_np(p->thread, sizeof here, &here);
            any = p->fetched = true;
        }
        p->ran = ran;
    }
    return any;
}

/* Waits until no worker is inside the closed job. */
static void wait_for_helpers(void)
{
    const int helpers = started <= APART ? started : 0;
    int64_t next = 0;
    bool first = true, fetched = false;
    for (int i = 1; __atomic_load_n(&job.inside, __ATOMIC_ACQUIRE); i++) {
        pause_cpu();
        if (fetched || i > 10000) sched_yield();
        if (i % 64 || !helpers || fetched) continue;
        int64_t t = now_ns();
        if (!next) next = t + PATIENCE_NS / 2;
        if (t < next) continue;
        fetched = fetch(helpers, first);
        first = false, next = t + PATIENCE_NS;
    }
    for (int i = 0; fetched && i < helpers; i++) {
        if (slots[i].fetched) let_run(&slots[i]);
        slots[i].fetched = false;
    }
}

static void run_alone(int64_t tasks, cpi_task fn, void *context)
{
    bool was = inside_task;
    inside_task = true;
    for (int64_t i = 0; i < tasks; i++) fn(context, i, 0);
    inside_task = was;
}

void cpi_parallel(int64_t tasks, cpi_task fn, void *context)
{
    if (tasks <= 1) {
        run_alone(tasks, fn, context);
        return;
    }
    int promise = promised, workers = cpi_workers();
    if (promise && promise < workers) workers = promise;
    /* A second caller at the same time works alone rather than waiting for the first one's job. */
    if (workers <= 1 || inside_task || pthread_mutex_trylock(&job_lock)) {
        run_alone(tasks, fn, context);
        return;
    }
    int helpers = (int)(tasks - 1 < workers - 1 ? tasks - 1 : workers - 1);
    start_helpers(workers - 1);
    job.tasks = tasks;
    job.fn = fn;
    job.context = context;
    job.helpers = helpers;
    __atomic_store_n(&job.next, 0, __ATOMIC_RELAXED);
    __atomic_add_fetch(&job.generation, 1, __ATOMIC_SEQ_CST); /* odd: open */
    if (__atomic_load_n(&job.sleeping, __ATOMIC_SEQ_CST)) {
        if (started <= APART) keep_separate(started);
        futex(&job.generation, FUTEX_WAKE, (uint32_t)INT_MAX);
    }
    run_tasks(0);
    __atomic_add_fetch(&job.generation, 1, __ATOMIC_SEQ_CST); /* even: closed, no worker can join */
    wait_for_helpers();
    pthread_mutex_unlock(&job_lock);
}

int cp_threads(void) { return cpi_workers(); }

cp_code cp_threads_set(int n)
{
    if (cpi_workers_set(n)) return cpi_fail(CP_ERROR_VALUE, "threads_set: %d given, at least 1 is needed", n);
    return CP_OK;
}
