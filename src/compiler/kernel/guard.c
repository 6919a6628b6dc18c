/* Faults of a kernel on the CPU: a signal that arrives while a thread is inside a guarded call ends that call.
 *
 * Handlers are installed before launches and forward other signals to the previous handlers. They run on a stack of
 * their own, since a kernel's may be used up. */
#include "kernel/fibers.h"
#include "kernel/watchdog.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "core/forks.h"

/* The thread sanitizer calls handlers with all signals blocked, so that a jump out of one has to bring the mask back:
 * else the thread's next fault ends the process. It knows of jumps by libc's functions alone; after others it takes the
 * thread to be in the handler for ever, and in functions that it has left. */
#if defined(__SANITIZE_THREAD__)
#include <setjmp.h>
typedef sigjmp_buf place;
#define KEEP_PLACE(p) sigsetjmp(p, 1)
#define GO_TO_PLACE(p) siglongjmp(p, 1)
#else
typedef void *place[5];
#define KEEP_PLACE(p) __builtin_setjmp(p)
#define GO_TO_PLACE(p) __builtin_longjmp(p, 1)
#endif

typedef struct guard {
    place jump;
    struct guard *around;
    cpi_fault *fault;
} guard;

static _Thread_local guard *now;
static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
enum { SIGNALS = sizeof signals / sizeof *signals, STACK = 64 << 10, PAGE = 4 << 10, KERNEL_STACK = 8 << 20 };
static struct sigaction before[SIGNALS], before_stop;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void make_key(void);

void cpi_guard_fail(const char *text)
{
    snprintf(now->fault->text, sizeof now->fault->text, "%s", text);
    GO_TO_PLACE(now->jump);
}

cpi_fault *cpi_guard_fault(void) { return now->fault; }

void cpi_guard_leave(void) { GO_TO_PLACE(now->jump); }

#if defined(__x86_64__)
/* Registers in the order of their numbers in instructions. */
static greg_t *numbered(ucontext_t *u, int number)
{
    static const int place[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                  REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    return &u->uc_mcontext.gregs[place[number & 15]];
}

/* A division that the processor refuses (by zero, or the lowest number by -1) continues with a GPU's result: a quotient
 * of all ones, or the lowest number, and as remainder the dividend, or zero. False where the instruction is not a
 * division. */
static bool pass_division(ucontext_t *u)
{
    greg_t *g = u->uc_mcontext.gregs;
    const unsigned char *start = (const unsigned char *)g[REG_RIP], *p = start;
    bool operand16 = false;
    int rex = 0;
    for (; *p == 0x66 || *p == 0xf2 || *p == 0xf3 || *p == 0x2e || *p == 0x3e; p++) operand16 = operand16 || *p == 0x66;
    if ((*p & 0xf0) == 0x40) rex = *p++;
    if (*p != 0xf6 && *p != 0xf7) return false;
    bool byte = *p++ == 0xf6;
    int modrm = *p++, mod = modrm >> 6, rm = modrm & 7, kind = modrm >> 3 & 7;
    if (kind != 6 && kind != 7) return false;
    int64_t divisor_is_zero = 1;
    if (mod != 3) {
        if (rm == 4) {
            int sib = *p++;
            if (mod == 0 && (sib & 7) == 5) p += 4;
        }
        if (mod == 0 && rm == 5) p += 4;
        if (mod == 1) p += 1;
        if (mod == 2) p += 4;
        divisor_is_zero = -1; /* reported by the dividend below */
    } else {
        bool second = byte && !rex && rm >= 4; /* ah, ch, dh or bh */
        greg_t v = second ? *numbered(u, rm - 4) >> 8 : *numbered(u, rm | (rex & 1) << 3);
        int bits = byte ? 8 : operand16 ? 16 : rex & 8 ? 64 : 32;
        divisor_is_zero = bits == 64 ? v == 0 : (v & ((1ll << bits) - 1)) == 0;
    }
    int bits = byte ? 8 : operand16 ? 16 : rex & 8 ? 64 : 32;
    uint64_t lowest = 1ull << (bits - 1), mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
    uint64_t dividend = byte ? (uint64_t)(int64_t)(int16_t)g[REG_RAX] & mask : (uint64_t)g[REG_RAX] & mask;
    if (divisor_is_zero < 0) divisor_is_zero = !(kind == 7 && dividend == lowest);
    uint64_t quotient = divisor_is_zero ? mask : lowest, rest = divisor_is_zero ? dividend : 0;
    if (byte) {
        g[REG_RAX] = (greg_t)(((uint64_t)g[REG_RAX] & ~0xffffull) | (rest & 255) << 8 | (quotient & 255));
    } else if (operand16) {
        g[REG_RAX] = (greg_t)(((uint64_t)g[REG_RAX] & ~0xffffull) | quotient);
        g[REG_RDX] = (greg_t)(((uint64_t)g[REG_RDX] & ~0xffffull) | rest);
    } else {
        g[REG_RAX] = (greg_t)quotient;
        g[REG_RDX] = (greg_t)rest;
    }
    g[REG_RIP] += p - start;
    return true;
}
#else
static bool pass_division(ucontext_t *u) { return (void)u, false; } /* divisions do not trap */
#endif

static void hand_on(int s, siginfo_t *info, void *context)
{
    for (int i = 0; i < SIGNALS; i++) {
        if (signals[i] != s) continue;
        const struct sigaction *b = &before[i];
        if (b->sa_flags & SA_SIGINFO) {
            b->sa_sigaction(s, info, context);
        } else if (b->sa_handler == SIG_DFL || b->sa_handler == SIG_IGN) {
            sigaction(s, b, NULL); /* the instruction is repeated and ends the process as it would have */
            if (info->si_code <= 0) raise(s);
        } else {
            b->sa_handler(s);
        }
    }
}

/* Registers at the fault; 0 where it is not known which they are. */
static uintptr_t instruction_of(void *context)
{
#if defined(__x86_64__)
    return (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)((ucontext_t *)context)->uc_mcontext.pc;
#else
    return (void)context, 0;
#endif
}

static uintptr_t stack_of(void *context)
{
#if defined(__x86_64__)
    return (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    return (uintptr_t)((ucontext_t *)context)->uc_mcontext.sp;
#else
    return (void)context, 0;
#endif
}

/* The watchdog's request; other signals are passed to the previous handler. */
static void on_stop(int s, siginfo_t *info, void *context)
{
    guard *g = now;
    if (g && info->si_code == SI_TKILL && cpi_watchdog_stops(instruction_of(context), g->fault))
        GO_TO_PLACE(g->jump);
    if (before_stop.sa_flags & SA_SIGINFO) before_stop.sa_sigaction(s, info, context);
    else if (before_stop.sa_handler != SIG_DFL && before_stop.sa_handler != SIG_IGN) before_stop.sa_handler(s);
}

/* --- a stack for kernels --- */

static _Thread_local char *kernel_stack; /* KERNEL_STACK bytes, a page without access before and behind; or NULL */
static pthread_key_t kernel_stack_key;

static void free_kernel_stack(void *memory) { munmap((char *)memory - PAGE, KERNEL_STACK + 2 * PAGE); }

static char *need_kernel_stack(void)
{
    static const size_t bytes = KERNEL_STACK + 2 * PAGE;
    if (kernel_stack) return kernel_stack;
    char *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return NULL;
    if (mprotect(p + PAGE, KERNEL_STACK, PROT_READ | PROT_WRITE) || pthread_setspecific(kernel_stack_key, p + PAGE)) {
        munmap(p, bytes);
        return NULL;
    }
    return kernel_stack = p + PAGE;
}

typedef struct separate { void (*f)(void *); void *argument; } separate;

static void call_separately(void *memory)
{
    const separate *s = memory;
    cpi_context_call(s->f, s->argument, kernel_stack + KERNEL_STACK);
}

bool cpi_guarded_separately(void (*f)(void *), void *argument, cpi_fault *fault)
{
    separate s = {f, argument};
    if (!kernel_stack) pthread_once(&once, make_key);
    return need_kernel_stack() ? cpi_guarded(call_separately, &s, fault) : cpi_guarded(f, argument, fault);
}

/* The page behind the thread's stack of kernels. */
static bool above_stack(const void *address)
{
    uintptr_t away = (uintptr_t)address - (uintptr_t)kernel_stack;
    return kernel_stack && away >= KERNEL_STACK && away < KERNEL_STACK + PAGE;
}

/* Below the stack pointer, or, where a function's frame is large, a little above: a stack overflow. */
static bool near_stack(const siginfo_t *info, void *context)
{
    uintptr_t sp = stack_of(context), at = (uintptr_t)info->si_addr;
    return sp && at + (16 << 10) > sp && at < sp + (4 << 10);
}

static void on_signal(int s, siginfo_t *info, void *context)
{
    guard *g = now;
    if (!g || info->si_code <= 0) {
        hand_on(s, info, context);
        return;
    }
    if (s == SIGFPE && info->si_code == FPE_INTDIV && pass_division(context)) return;
    char *text = g->fault->text;
    size_t bytes = sizeof g->fault->text;
    g->fault->address = s == SIGSEGV || s == SIGBUS ? info->si_addr : NULL;
    if ((s == SIGSEGV || s == SIGBUS) && above_stack(info->si_addr))
        snprintf(text, bytes, "a local array was read or written far beyond its end");
    else if ((s == SIGSEGV || s == SIGBUS) && near_stack(info, context))
        snprintf(text, bytes, "the stack of a thread is used up: a function calls itself without end, or has too many "
                 "local variables");
    else if (s == SIGSEGV || s == SIGBUS)
        snprintf(text, bytes, "an illegal address was read or written: %p", info->si_addr);
    else if (s == SIGFPE)
        snprintf(text, bytes, "an arithmetic operation failed");
    else
        snprintf(text, bytes, "a trap, a failed assertion or an illegal instruction was reached");
    GO_TO_PLACE(g->jump);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CPI_FORK_GUARD(lock)
static pthread_key_t stack_key;
static void free_stack(void *memory)
{
    stack_t none = {.ss_flags = SS_DISABLE};
    sigaltstack(&none, NULL);
    munmap(memory, STACK);
}

static void make_key(void)
{
    pthread_key_create(&stack_key, free_stack);
    pthread_key_create(&kernel_stack_key, free_kernel_stack);
}

static bool is_ours(const struct sigaction *a) { return a->sa_flags & SA_SIGINFO && a->sa_sigaction == on_signal; }

/* Programs may have replaced our signal handlers meanwhile (one signal is asked, which costs less than a tenth of a
 * microsecond): from now on we forward to theirs. */
void cpi_guard_install(void)
{
    struct sigaction there, a = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    if (sigaction(signals[0], NULL, &there) == 0 && is_ours(&there)) return;
    sigemptyset(&a.sa_mask);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < SIGNALS; i++)
        if (sigaction(signals[i], &a, &there) == 0 && !is_ours(&there)) before[i] = there;
    a.sa_sigaction = on_stop;
    a.sa_flags |= SA_RESTART;
    if (sigaction(CPI_STOP, NULL, &there) == 0 && !(there.sa_flags & SA_SIGINFO && there.sa_sigaction == on_stop))
        before_stop = there, sigaction(CPI_STOP, &a, NULL);
    pthread_mutex_unlock(&lock);
}

/* Once per thread. One that has a signal stack already keeps it. */
static void need_stack(void)
{
    static _Thread_local bool done;
    stack_t there;
    if (done) return;
    done = true;
    sigset_t faults; /* a thread that blocks signals would be ended by its own faults, and the process with it */
    sigemptyset(&faults);
    for (int i = 0; i < SIGNALS; i++) sigaddset(&faults, signals[i]);
    sigaddset(&faults, CPI_STOP);
    pthread_sigmask(SIG_UNBLOCK, &faults, NULL);
    if (sigaltstack(NULL, &there) == 0 && !(there.ss_flags & SS_DISABLE)) return;
    void *memory = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    stack_t ours = {.ss_sp = memory, .ss_size = STACK};
    if (sigaltstack(&ours, NULL)) {
        munmap(memory, STACK);
    } else {
        pthread_setspecific(stack_key, memory);
    }
}

/* A function of its own, so that no variable of the caller is in a register when the jump returns. */
static __attribute__((noinline)) bool run(guard *g, void (*f)(void *), void *argument)
{
    if (KEEP_PLACE(g->jump)) return false;
    f(argument);
    return true;
}

bool cpi_guarded(void (*f)(void *), void *argument, cpi_fault *fault)
{
    pthread_once(&once, make_key);
    need_stack();
    guard g = {.around = now, .fault = fault};
    fault->text[0] = 0;
    fault->at[0] = fault->at[1] = NULL;
    fault->code = CP_OK;
    fault->address = NULL;
    now = &g;
    bool done = run(&g, f, argument);
    now = g.around;
    return done;
}
