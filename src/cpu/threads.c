/* A pool of threads that share out numbered tasks.
 *
 * One job runs at a time; it is announced by an odd-even generation word that idle workers watch: they spin
 * for some microseconds (the next loop of a program usually comes soon), then sleep on a futex. Tasks are
 * taken from one atomic counter. Invariants: a worker touches a job only between joining and leaving it
 * (`inside`); the job's owner leaves cpi_parallel only when nobody is inside. */
#include "cpu/threads.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/error.h"
#include "cuprite/device.h"

enum { MOST = 256, SPIN_NS = 30000 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t job_lock = PTHREAD_MUTEX_INITIALIZER; /* held by the caller whose job runs */
static int wanted;                                           /* threads, the caller among them */
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
        /* The job may have closed between the look and the step inside: only an open one is touched. */
        if (__atomic_load_n(&job.generation, __ATOMIC_SEQ_CST) == seen && worker <= job.helpers) run_tasks(worker);
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
    started = 0; /* the helpers stayed in the parent */
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

/* What cpi_workers last told this thread: scratch has been sized by it, so the thread's next job keeps to it even
 * when another thread raises the number meanwhile. */
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
    while (started < n && pthread_create(&thread, &attributes, helper, (void *)(intptr_t)(started + 1)) == 0) started++;
    pthread_attr_destroy(&attributes);
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
    int promise = promised, workers = cpi_workers();
    if (promise && promise < workers) workers = promise;
    /* A second caller at the same time works alone rather than waiting for the first one's job. */
    if (tasks <= 1 || workers <= 1 || inside_task || pthread_mutex_trylock(&job_lock)) {
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
    if (__atomic_load_n(&job.sleeping, __ATOMIC_SEQ_CST)) futex(&job.generation, FUTEX_WAKE, (uint32_t)INT_MAX);
    run_tasks(0);
    __atomic_add_fetch(&job.generation, 1, __ATOMIC_SEQ_CST); /* even: closed, nobody comes in any more */
    for (int i = 0; __atomic_load_n(&job.inside, __ATOMIC_ACQUIRE); i++) {
        pause_cpu();
        if (i > 10000) sched_yield();
    }
    pthread_mutex_unlock(&job_lock);
}

int cp_threads(void) { return cpi_workers(); }

cp_code cp_threads_set(int n)
{
    if (cpi_workers_set(n)) return cpi_fail(CP_ERROR_VALUE, "threads_set: %d given, at least 1 is needed", n);
    return CP_OK;
}
