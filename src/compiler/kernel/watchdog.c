/* Ending kernels that do not end: see watchdog.h. */
#include "kernel/watchdog.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kernel/fibers.h"

enum { TICK_MS = 50, SOON_MS = 1, GRACE_MS = 300, IDLE_TICKS = 20 };
enum { LATE = 1, INTERRUPTED };

typedef struct record {
    int taken, thread;          /* thread: the system's number */
    uint64_t launching;         /* 0: nothing */
    uint64_t running, stop;     /* the launch whose part it runs; the one that is to end */
    int reason;
    cpi_address_range code;
    struct record *next;
    uint64_t seen;              /* the watchdog's own: the launch that it saw last, and since when */
    int64_t since;
} record;

static record *records; /* never shortened */
static _Thread_local record *mine;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool started;
static uint32_t asleep;
static double limit; /* seconds; 0: none */
static char error[200];

/* --- records --- */

static void leave_record(void *memory)
{
    record *r = memory;
    __atomic_store_n(&r->launching, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&r->running, 0, __ATOMIC_RELAXED);
    mine = NULL;
    __atomic_store_n(&r->taken, 0, __ATOMIC_RELEASE);
}

static record *find_record(void)
{
    for (record *r = __atomic_load_n(&records, __ATOMIC_ACQUIRE); r; r = r->next) {
        int nobody = 0;
        if (__atomic_compare_exchange_n(&r->taken, &nobody, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return r;
    }
    record *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->taken = 1;
    r->next = __atomic_load_n(&records, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&records, &r->next, r, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) continue;
    return r;
}

/* The calling thread's; NULL without memory: then it cannot be stopped. */
static record *own_record(void)
{
    if (mine) return mine;
    record *r = find_record();
    if (!r) return NULL;
    r->thread = (int)syscall(SYS_gettid);
    if (pthread_setspecific(key, r)) return leave_record(r), NULL;
    return mine = r;
}

/* --- interrupts by the user --- */

static struct sigaction before; /* what SIGINT did before */
static int interrupted;         /* while the main thread launches */

static bool main_launches(void)
{
    for (const record *r = __atomic_load_n(&records, __ATOMIC_ACQUIRE); r; r = r->next)
        if (r->thread == getpid() && __atomic_load_n(&r->launching, __ATOMIC_RELAXED)) return true;
    return false;
}

static void on_interrupt(int s, siginfo_t *info, void *context)
{
    if (main_launches()) __atomic_store_n(&interrupted, 1, __ATOMIC_RELAXED);
    if (before.sa_flags & SA_SIGINFO) before.sa_sigaction(s, info, context);
    else before.sa_handler(s);
}

/* Where a program does something of its own when it is interrupted, as Python does, that is done as before. Where it
 * does nothing, the process ends or goes on as it would. */
static void listen_to_interrupts(void)
{
    struct sigaction there, ours = {.sa_sigaction = on_interrupt};
    if (sigaction(SIGINT, NULL, &there)) return;
    if (there.sa_flags & SA_SIGINFO ? there.sa_sigaction == on_interrupt
                                    : there.sa_handler == SIG_DFL || there.sa_handler == SIG_IGN)
        return;
    before = there;
    ours.sa_mask = there.sa_mask;
    ours.sa_flags = there.sa_flags | SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGINT, &ours, NULL);
}

/* --- the watchdog --- */

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void stop(uint64_t launch, int reason)
{
    for (record *r = __atomic_load_n(&records, __ATOMIC_ACQUIRE); r; r = r->next) {
        if (__atomic_load_n(&r->running, __ATOMIC_ACQUIRE) != launch) continue;
        __atomic_store_n(&r->reason, reason, __ATOMIC_RELAXED);
        __atomic_store_n(&r->stop, launch, __ATOMIC_RELEASE);
        syscall(SYS_tgkill, getpid(), r->thread, CPI_STOP);
    }
}

/* One look at all launches; whether there are any, and whether one is being stopped. */
static bool look(bool *stopping)
{
    static int64_t heard; /* when the interrupt was seen first */
    bool any = false;
    int64_t now = now_ms();
    if (!__atomic_load_n(&interrupted, __ATOMIC_RELAXED)) heard = 0;
    else if (!heard) heard = now;
    *stopping = false;
    for (record *r = __atomic_load_n(&records, __ATOMIC_ACQUIRE); r; r = r->next) {
        uint64_t launch = __atomic_load_n(&r->launching, __ATOMIC_ACQUIRE);
        if (!launch) continue;
        any = true;
        if (launch != r->seen) r->seen = launch, r->since = now;
        bool late = limit > 0 && (double)(now - r->since) >= limit * 1000;
        bool ended = heard && now - heard >= GRACE_MS && r->thread == getpid();
        if (late || ended) stop(launch, late ? LATE : INTERRUPTED), *stopping = true;
    }
    return any;
}

static void *watch(void *unused)
{
    for (int idle = 0;;) {
        bool stopping;
        bool any = look(&stopping);
        if (any) listen_to_interrupts();
        idle = any ? 0 : idle + 1;
        if (idle > IDLE_TICKS) {
            __atomic_store_n(&asleep, 1, __ATOMIC_SEQ_CST);
            if (!look(&stopping))
                syscall(SYS_futex, &asleep, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0);
            __atomic_store_n(&asleep, 0, __ATOMIC_SEQ_CST);
            idle = 0;
        }
        struct timespec t = {0, (stopping ? SOON_MS : TICK_MS) * 1000000l};
        nanosleep(&t, NULL);
    }
    return unused;
}

static void after_fork_child(void)
{
    started = false; /* the watchdog stayed in the parent, and so did all other threads */
    asleep = 0;
    interrupted = 0;
    pthread_mutex_init(&lock, NULL);
    for (record *r = records; r; r = r->next) {
        if (r == mine) r->thread = (int)syscall(SYS_gettid);
        else r->launching = r->running = 0, r->taken = 0;
    }
}

static void init(void)
{
    const char *text = getenv("CUPRITE_KERNEL_TIMEOUT");
    char *end = NULL;
    pthread_key_create(&key, leave_record);
    pthread_atfork(NULL, NULL, after_fork_child);
    if (!text || !*text) return;
    limit = strtod(text, &end);
    if (end == text || *end || !(limit >= 0))
        snprintf(error, sizeof error, "kernel: CUPRITE_KERNEL_TIMEOUT='%.100s' is no number of seconds", text);
}

/* Without a thread for it kernels run unwatched. */
static void start(void)
{
    pthread_mutex_lock(&lock);
    if (!started) {
        pthread_attr_t attributes;
        pthread_t thread;
        sigset_t all, old;
        listen_to_interrupts();
        sigfillset(&all);
        pthread_attr_init(&attributes);
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        pthread_attr_setstacksize(&attributes, 128 << 10);
        pthread_sigmask(SIG_SETMASK, &all, &old);
        pthread_create(&thread, &attributes, watch, NULL);
        pthread_sigmask(SIG_SETMASK, &old, NULL);
        pthread_attr_destroy(&attributes);
        __atomic_store_n(&started, true, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
}

/* --- launches --- */

cp_code cpi_watchdog_begin(uint64_t *launch)
{
    static uint64_t last;
    pthread_once(&once, init);
    *launch = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
    if (*error) return cpi_fail(CP_ERROR_VALUE, "%s", error);
    if (!__atomic_load_n(&started, __ATOMIC_ACQUIRE)) start();
    record *r = own_record();
    if (!r) return CP_OK;
    __atomic_store_n(&r->launching, *launch, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&asleep, __ATOMIC_SEQ_CST)) {
        __atomic_store_n(&asleep, 0, __ATOMIC_SEQ_CST);
        syscall(SYS_futex, &asleep, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0);
    }
    return CP_OK;
}

void cpi_watchdog_end(void)
{
    if (!mine) return;
    __atomic_store_n(&mine->launching, 0, __ATOMIC_RELEASE);
    if (__atomic_load_n(&interrupted, __ATOMIC_RELAXED) && mine->thread == getpid())
        __atomic_store_n(&interrupted, 0, __ATOMIC_RELAXED);
}

void cpi_watchdog_inside(uint64_t launch, cpi_address_range code)
{
    record *r = own_record();
    if (!r) return;
    if (launch) r->code = code;
    __atomic_store_n(&r->running, launch, __ATOMIC_RELEASE);
}

bool cpi_watchdog_stops(uintptr_t instruction, cpi_fault *fault)
{
    const record *r = mine;
    uint64_t launch = r ? __atomic_load_n(&r->running, __ATOMIC_RELAXED) : 0;
    if (!launch || __atomic_load_n(&r->stop, __ATOMIC_ACQUIRE) != launch) return false;
    if (instruction && (instruction < r->code.start || instruction >= r->code.end)) return false; /* asked again */
    if (r->reason == LATE) {
        fault->code = CP_ERROR_DRIVER;
        snprintf(fault->text, sizeof fault->text,
                 "CUDA_ERROR_LAUNCH_TIMEOUT: the launch timed out and was terminated, after %g seconds "
                 "(CUPRITE_KERNEL_TIMEOUT)", limit);
    } else {
        fault->code = CP_ERROR_INTERRUPTED;
        snprintf(fault->text, sizeof fault->text, "the launch was interrupted");
    }
    return true;
}
