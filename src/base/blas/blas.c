/* Keeps the library for linear algebra that was chosen (blas.h), and counts who uses its threads. Invariant: the table
 * is filled once, under the lock, and stays. */
#include "blas/blas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include "backend/libraries.h"
#include "blas/blas_library.h"
#include "cpu/threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* held while it is looked for */
static bool tried;              /* for the folders that were known then */
static const char *tried_folders;
static cpi_blas table;
static const cpi_blas *opened;  /* &table once it is filled */
static char error[CPI_BLAS_WHY]; /* why a library that was there could not be used */
static bool short_of_memory;    /* it could not be looked for, and is the next time */

/* --- choice --- */

typedef struct choice {
    const char *word, *name;
    bool (*find)(cpi_blas *b, char *why);
    const char *advice;
} choice;
static const choice choices[] = {
    {"openblas", "OpenBLAS", cpi_blas_find_openblas,
     "pip install scipy-openblas64, or install libopenblas0-pthread, or name its file by CUPRITE_OPENBLAS"},
    {"mkl", "MKL", cpi_blas_find_mkl,
     "libmkl_rt.so (.3, .2 or .1) is looked for in CUPRITE_LIBRARY_PATH, in the lib folder around Python's packages, "
     "where the loader looks, and in MKLROOT/lib: pip install mkl, or leave CUPRITE_BLAS out for OpenBLAS"},
};

/* CUPRITE_BLAS's; NULL where it has another word. */
static const choice *chosen(void)
{
    const char *word = getenv("CUPRITE_BLAS");
    if (!word || !*word) return &choices[0];
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (strcmp(word, choices[i].word) == 0) return &choices[i];
    return NULL;
}

/* --- memory --- */

/* OpenBLAS ends the process where it gets no memory for its buffers, of at most so many bytes for each thread; the
 * library and its copy take up about as much as two. MKL's libraries take up more, its buffers less. */
enum { BUFFER = 64 << 20 };

/* Is there address space for so many buffers? Without a limit (RLIMIT_AS) there always is. */
static bool has_space(int buffers)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY) return true;
    const size_t bytes = (size_t)buffers * BUFFER;
    void *there = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (there == MAP_FAILED) return false;
    munmap(there, bytes);
    return true;
}

/* --- the table --- */

void *cpi_blas_symbol(const cpi_blas *b, const char *name)
{
    char full[80];
    const size_t n = strlen(b->prefix), m = strlen(name), all = n + m + sizeof b->suffix;
    if (all > sizeof full) return NULL;
    memcpy(full, b->prefix, n); /* for each call of a small matrix: snprintf takes a good part of its time */
    memcpy(full + n, name, m);
    memcpy(full + n + m, b->suffix, sizeof b->suffix);
    return dlsym(b->handle, full);
}

bool cpi_blas_routines(cpi_blas *b, void *handle, const char *const *prefixes, const char *const *suffixes)
{
    b->handle = handle;
    for (int p = 0; prefixes[p] && !b->dgemm; p++)
        for (int s = 0; suffixes[s] && !b->dgemm; s++) {
            strcpy(b->prefix, prefixes[p]);
            strcpy(b->suffix, suffixes[s]);
            b->dgemm = (cpi_blas_gemm_fn)cpi_blas_symbol(b, "dgemm");
        }
#define ROUTINE(name, type) b->name = (type)cpi_blas_symbol(b, #name)
    ROUTINE(sgemm, cpi_blas_gemm_fn), ROUTINE(cgemm, cpi_blas_gemm_fn), ROUTINE(zgemm, cpi_blas_gemm_fn);
    ROUTINE(sgemv, cpi_blas_gemv_fn), ROUTINE(dgemv, cpi_blas_gemv_fn), ROUTINE(cgemv, cpi_blas_gemv_fn);
    ROUTINE(zgemv, cpi_blas_gemv_fn);
#undef ROUTINE
    return b->sgemm && b->dgemm && b->cgemm && b->zgemm && b->sgemv && b->dgemv && b->cgemv && b->zgemv;
}

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }
static void forks_wait(void) { pthread_atfork(before_fork, after_fork, after_fork); }
static void forks_wait_for_threads(void);

const cpi_blas *cpi_blas_found(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const cpi_blas *b = __atomic_load_n(&opened, __ATOMIC_ACQUIRE);
    if (b) return b;
    pthread_once(&once, forks_wait);
    pthread_mutex_lock(&lock);
    const char *folders = cpi_library_folders();
    short_of_memory = !opened && !(tried && tried_folders == folders) && !has_space(3);
    if (!opened && !short_of_memory && !(tried && tried_folders == folders)) {
        const choice *c = chosen();
        if (c && c->find(&table, error)) {
            snprintf(table.line, sizeof table.line, "%s (%s)", *table.config ? table.config : table.name, table.where);
            forks_wait_for_threads();
            __atomic_store_n(&opened, &table, __ATOMIC_RELEASE);
        }
        tried = true;
        tried_folders = folders;
    }
    b = opened;
    pthread_mutex_unlock(&lock);
    return b;
}

/* Why there is none. */
static cp_code fail_without(const char *function)
{
    const choice *c = chosen();
    if (!c)
        return cpi_fail(CP_ERROR_VALUE, "%s: CUPRITE_BLAS must be 'openblas' or 'mkl', not '%s'", function,
                        getenv("CUPRITE_BLAS"));
    if (short_of_memory) return cpi_fail(CP_ERROR_MEMORY, "%s: out of host memory for %s", function, c->name);
    return cpi_fail(CP_ERROR_UNSUPPORTED, "%s: %s is needed and not there%s%s%s: %s", function, c->name,
                    *error ? " (" : "", error, *error ? ")" : "", c->advice);
}

const cpi_blas *cpi_blas_open(const char *function)
{
    const cpi_blas *b = cpi_blas_found();
    if (!b) return fail_without(function), NULL;
    if (b->set_threads && !has_space(cpi_workers()))
        return cpi_fail(CP_ERROR_MEMORY, "%s: out of host memory for OpenBLAS's buffers", function), NULL;
    return b;
}

cp_code cpi_blas_refused(const char *function)
{
    return chosen() == &choices[0] || short_of_memory ? CP_OK : fail_without(function);
}

cpi_blas_gemm_fn cpi_blas_gemm(const cpi_blas *b, cp_type type)
{
    return type == CP_FLOAT32     ? b->sgemm
           : type == CP_FLOAT64   ? b->dgemm
           : type == CP_COMPLEX64 ? b->cgemm
                                  : b->zgemm;
}

cpi_blas_gemv_fn cpi_blas_gemv(const cpi_blas *b, cp_type type)
{
    return type == CP_FLOAT32     ? b->sgemv
           : type == CP_FLOAT64   ? b->dgemv
           : type == CP_COMPLEX64 ? b->cgemv
                                  : b->zgemv;
}

/* --- its threads --- */

/* When a process forks, OpenBLAS and Intel's OpenMP end their threads and begin new ones later. A child that is forked
 * while they are at work would wait for them for ever, and so it would for OpenBLAS's lock of its buffers, which each
 * routine takes. So forks wait until nobody is inside of a routine, new users for the fork; but not those that others
 * may wait for, whose tasks they are: while anybody is inside, more may go in. A fork waits for PATIENCE seconds at
 * most. */
enum { PATIENCE = 5 };
static pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int users;              /* between threads_begin and _end */
static int inside;             /* threads between alone_begin and _end; changed atomically */
static int forks;              /* that wait or are made; read atomically */
static _Thread_local int mine;   /* of users */
static _Thread_local int depth;  /* of alone_begin */
static _Thread_local int before; /* MKL's threads of this thread */

static void quiet_before_fork(void)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += PATIENCE;
    pthread_mutex_lock(&threads_lock);
    __atomic_add_fetch(&forks, 1, __ATOMIC_SEQ_CST);
    while (users > mine || __atomic_load_n(&inside, __ATOMIC_SEQ_CST) > (depth > 0))
        if (pthread_cond_timedwait(&changed, &threads_lock, &end)) break;
}
static void parent_goes_on(void)
{
    __atomic_sub_fetch(&forks, 1, __ATOMIC_SEQ_CST);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&threads_lock);
}
static void child_begins(void)
{
    forks = 0;
    inside = depth > 0;
    users = mine;
    pthread_cond_init(&changed, NULL); /* its waiters do not exist in the child */
    pthread_mutex_unlock(&threads_lock);
}

/* Of a thread that is counted as inside already, while there are forks. */
static void let_forks_be(void)
{
    pthread_mutex_lock(&threads_lock);
    while (__atomic_load_n(&forks, __ATOMIC_SEQ_CST) && !users &&
           __atomic_load_n(&inside, __ATOMIC_SEQ_CST) == 1) {
        __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
        pthread_cond_broadcast(&changed);
        pthread_cond_wait(&changed, &threads_lock);
        __atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST);
    }
    pthread_mutex_unlock(&threads_lock);
}

int cpi_blas_alone_begin(const cpi_blas *b)
{
    if (!depth++) {
        __atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&forks, __ATOMIC_SEQ_CST)) let_forks_be();
    }
    return b->set_threads_here ? b->set_threads_here(1) : 0;
}

void cpi_blas_alone_end(const cpi_blas *b, int was)
{
    if (b->set_threads_here) b->set_threads_here(was);
    if (--depth) return;
    __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&forks, __ATOMIC_SEQ_CST)) return;
    pthread_mutex_lock(&threads_lock);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&threads_lock);
}

/* Behind the library's own handler, which it sets when it is loaded: the last one is called first. */
static void forks_wait_for_threads(void) { pthread_atfork(quiet_before_fork, parent_goes_on, child_begins); }

void cpi_blas_threads_begin(const cpi_blas *b)
{
    pthread_mutex_lock(&threads_lock);
    while (forks && !mine) pthread_cond_wait(&changed, &threads_lock);
    mine++;
    users++;
    if (b->set_threads_here && mine == 1) before = b->set_threads_here(cpi_workers());
    else if (b->set_threads && users == 1) b->set_threads(cpi_workers());
    pthread_mutex_unlock(&threads_lock);
}

void cpi_blas_threads_end(const cpi_blas *b)
{
    pthread_mutex_lock(&threads_lock);
    mine--;
    users--;
    if (b->set_threads_here && !mine) b->set_threads_here(before);
    else if (b->set_threads && !users) b->set_threads(1);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&threads_lock);
}
