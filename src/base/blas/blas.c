/* Finds and opens OpenBLAS (search order: blas.h). Invariant: the table is filled once, under the lock, and never
 * changes. */
#include "blas/blas.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/libraries.h"
#include "cpu/features.h"
#include "cpu/threads.h"

extern char **environ;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* held while searching */
static bool tried;              /* searched in the folders known then */
static const char *tried_folders;
static cpi_blas table;
static const cpi_blas *opened;  /* &table once it is filled */
static char error[600];         /* why a library that was found could not be used */

static bool short_of_memory;    /* the search failed for lack of memory and is repeated the next time */

/* --- memory --- */

/* OpenBLAS aborts the process if it cannot allocate its buffers, of at most so many bytes for each thread. The library
 * and its copy need about as much as two buffers. */
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

/* --- loading --- */

/* OpenBLAS chooses its kernels by the processor; CUPRITE_CPU lowers its choice too. NULL: its own choice. */
static const char *core_type(void)
{
    int level = cpi_cpu_level();
    if (!getenv("CUPRITE_CPU") || getenv("OPENBLAS_CORETYPE")) return NULL;
    return level == CPI_LEVEL_V3 ? "Haswell" : level == CPI_LEVEL_BASE ? "Nehalem" : NULL;
}

/* dlopen with an environment in which OpenBLAS starts no threads and uses that core. It reads the environment only when
 * it is loaded. `environ` is replaced, not modified, because other threads may be reading it. The replacement is never
 * freed, for the same reason. */
static void *load(const char *path, int flags)
{
    static char core[60]; /* called under the lock */
    static char **last;   /* the replacement arrays; the first entry of each points to the one before */
    char **own = environ, **block = NULL, **with;
    const char *type = core_type();
    size_t n = 0, k = 0;
    while (own && own[n]) n++;
    if (!(block = malloc((n + 4) * sizeof *block))) return NULL;
    block[0] = (char *)last;
    last = block;
    with = block + 1;
    with[k++] = (char *)"OPENBLAS_NUM_THREADS=1"; /* before any variable of that name, so it takes precedence */
    if (type) {
        snprintf(core, sizeof core, "OPENBLAS_CORETYPE=%s", type);
        with[k++] = core;
    }
    if (n) memcpy(with + k, own, n * sizeof *with);
    with[k + n] = NULL;
    __atomic_store_n(&environ, with, __ATOMIC_RELEASE);
    void *handle = dlopen(path, flags);
    __atomic_compare_exchange_n(&environ, &with, own, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    return handle;
}

/* Loads the libraries beside a bundled one that it needs (gfortran's): a copy does not find them by itself. */
static bool load_neighbour(void *context, const char *path)
{
    (void)context;
    dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    return false;
}

static void load_neighbours(const char *path)
{
    static const char *const names[] = {"libquadmath*.so*", "libgfortran*.so*"};
    char pattern[600];
    const char *slash = strrchr(path, '/');
    for (int i = 0; slash && i < 2; i++) {
        snprintf(pattern, sizeof pattern, "%.*s/%s", (int)(slash - path), path, names[i]);
        cpi_library_glob(pattern, load_neighbour, NULL);
    }
}

/* Whether a library's segments all lie in its file: the loader does not check, and access beyond a truncated file is
 * SIGBUS. */
static bool is_whole(int file)
{
    ElfW(Ehdr) h;
    ElfW(Phdr) p;
    struct stat s;
    bool whole = fstat(file, &s) == 0 && S_ISREG(s.st_mode) && pread(file, &h, sizeof h, 0) == sizeof h &&
                 !memcmp(h.e_ident, ELFMAG, SELFMAG) && h.e_phentsize == sizeof p;
    for (int i = 0; whole && i < h.e_phnum; i++) {
        whole = pread(file, &p, sizeof p, (off_t)(h.e_phoff + (size_t)i * sizeof p)) == sizeof p;
        if (whole && p.p_type == PT_LOAD)
            whole = p.p_offset <= (size_t)s.st_size && p.p_filesz <= (size_t)s.st_size - p.p_offset;
    }
    return whole;
}

/* Opens the file and checks that it is complete; -1 with the reason in `error`. */
static int open_library(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        snprintf(error, sizeof error, "%.300s: %.200s", path, strerror(errno));
    } else if (!is_whole(file)) {
        snprintf(error, sizeof error, "%.300s is no library, or not all of it", path);
        close(file);
        file = -1;
    }
    return file;
}

/* Loads the library from a copy of its file in memory: a separate instance with its own state. */
static void *load_copy(const char *path, int file, int flags)
{
    struct stat s;
    char name[40];
    void *handle = NULL;
    int memory = memfd_create("openblas", MFD_CLOEXEC);
    if (memory >= 0 && fstat(file, &s) == 0) {
        off_t done = 0;
        while (done < s.st_size && sendfile(memory, file, &done, (size_t)(s.st_size - done)) > 0) {}
        if (done == s.st_size) {
            load_neighbours(path);
            snprintf(name, sizeof name, "/proc/self/fd/%d", memory);
            dlerror(); /* clears earlier errors */
            handle = load(name, flags);
        }
    }
    if (memory >= 0) close(memory);
    return handle;
}

/* --- the table --- */

void *cpi_blas_symbol(const cpi_blas *b, const char *name)
{
    char full[80];
    snprintf(full, sizeof full, "%s%s%s", b->prefix, name, b->suffix);
    return dlsym(b->handle, full);
}

/* One of OpenBLAS's own functions, whose names have another suffix in libraries with 64-bit integers. */
static void *own_symbol(const cpi_blas *b, const char *name)
{
    static const char *const endings[] = {"64_", "", "_64"};
    char full[80];
    void *f = NULL;
    for (int i = 0; i < 3 && !f; i++) {
        snprintf(full, sizeof full, "%s%s%s", b->prefix, name, endings[i]);
        f = dlsym(b->handle, full);
    }
    return f;
}

static bool fill(cpi_blas *b, void *handle, const char *path)
{
    static const char *const prefixes[] = {"scipy_", ""}, *const suffixes[] = {"_64_", "_", "64_", "_64"};
    b->handle = handle;
    snprintf(b->where, sizeof b->where, "%s", path);
    for (int i = 0; i < 8 && !b->dgemm; i++) {
        strcpy(b->prefix, prefixes[i / 4]);
        strcpy(b->suffix, suffixes[i % 4]);
        b->dgemm = (cpi_blas_gemm_fn)cpi_blas_symbol(b, "dgemm");
    }
    const char *(*config)(void) = (const char *(*)(void))own_symbol(b, "openblas_get_config");
    b->set_threads = (void (*)(int))own_symbol(b, "openblas_set_num_threads");
    b->config = config ? config() : "";
    b->wide = strstr(b->suffix, "64") || strstr(b->config, "USE64BITINT");
#define ROUTINE(name, type) b->name = (type)cpi_blas_symbol(b, #name)
    ROUTINE(sgemm, cpi_blas_gemm_fn), ROUTINE(cgemm, cpi_blas_gemm_fn), ROUTINE(zgemm, cpi_blas_gemm_fn);
    ROUTINE(sgemv, cpi_blas_gemv_fn), ROUTINE(dgemv, cpi_blas_gemv_fn), ROUTINE(cgemv, cpi_blas_gemv_fn);
    ROUTINE(zgemv, cpi_blas_gemv_fn);
#undef ROUTINE
    if (b->set_threads && b->sgemm && b->dgemm && b->cgemm && b->zgemm && b->sgemv && b->dgemv && b->cgemv && b->zgemv)
        return true;
    snprintf(error, sizeof error, "%.500s is no OpenBLAS", path);
    return false;
}

/* Opens the file and fills the table; `shared`: other code may use the same file. */
static bool use(const char *path, bool shared)
{
    int flags = RTLD_NOW | RTLD_LOCAL;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    flags |= RTLD_DEEPBIND; /* it binds to itself, not to another OpenBLAS that the program is linked with */
#endif
    int file = open_library(path);
    if (file < 0) return false;
    void *there = shared ? NULL : dlopen(path, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    dlerror();
    void *handle = shared || there ? load_copy(path, file, flags) : load(path, flags);
    close(file);
    if (there) dlclose(there);
    if (!handle) {
        const char *why = dlerror();
        snprintf(error, sizeof error, "%.300s: %.280s", path, why ? why : "no copy of it can be made");
        return false;
    }
    cpi_blas b = {0};
    if (!fill(&b, handle, path)) {
        dlclose(handle);
        return false;
    }
    b.set_threads(1);
    table = b;
    return true;
}

static bool use_own(void *context, const char *path)
{
    (void)context;
    return use(path, false);
}

static bool use_shared(void *context, const char *path)
{
    (void)context;
    return use(path, true);
}

/* The system's library, by a name that the loader knows: finds its file, then loads a copy. */
static bool use_system(void)
{
    static const char *const names[] = {"libopenblas.so.0", "libopenblas64.so.0", "libopenblas.so"};
    for (int i = 0; i < 3; i++) {
        void *handle = load(names[i], RTLD_LAZY | RTLD_LOCAL);
        struct link_map *map = NULL;
        char path[4096] = "";
        if (handle && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0) snprintf(path, sizeof path, "%s", map->l_name);
        bool done = *path && use(path, true);
        if (handle) dlclose(handle);
        if (done) return true;
    }
    return false;
}

static bool find(void)
{
    static const char *const wheels[] = {"scipy_openblas64/lib/libscipy_openblas*.so",
                                         "scipy_openblas32/lib/libscipy_openblas*.so"};
    static const char *const bundled[] = {"numpy.libs/libscipy_openblas*.so*", "scipy.libs/libscipy_openblas*.so*",
                                          "numpy.libs/libopenblas*.so*", "scipy.libs/libopenblas*.so*"};
    const char *named = getenv("CUPRITE_OPENBLAS");
    if (named && *named) return use(named, true);
    for (int i = 0; i < 2; i++)
        if (cpi_library_each(wheels[i], use_own, NULL)) return true;
    for (int i = 0; i < 4; i++)
        if (cpi_library_each(bundled[i], use_shared, NULL)) return true;
    return use_system();
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
        if (find()) {
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

const cpi_blas *cpi_blas_open(const char *function)
{
    const cpi_blas *b = cpi_blas_found();
    if (!b && short_of_memory) return cpi_fail(CP_ERROR_MEMORY, "%s: out of host memory for OpenBLAS", function), NULL;
    if (b && !has_space(cpi_workers()))
        return cpi_fail(CP_ERROR_MEMORY, "%s: out of host memory for OpenBLAS's buffers", function), NULL;
    if (!b)
        cpi_fail(CP_ERROR_UNSUPPORTED, "%s: OpenBLAS is needed and not there%s%s%s: pip install scipy-openblas64, or "
                 "install libopenblas0-pthread, or name its file by CUPRITE_OPENBLAS", function, *error ? " (" : "",
                 error, *error ? ")" : "");
    return b;
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

/* When a process forks, OpenBLAS ends its threads and starts new ones later. A fork while they work would leave a child
 * that waits for them for ever. So forks wait until the threads are unused, and new users wait for the fork. */
static pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int users, forks;       /* calls between begin and end; forks that wait */
static _Thread_local int mine; /* of users */

static void quiet_before_fork(void)
{
    pthread_mutex_lock(&threads_lock);
    forks++;
    while (users > mine) pthread_cond_wait(&changed, &threads_lock);
    forks--;
}
static void parent_goes_on(void)
{
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&threads_lock);
}
static void child_begins(void)
{
    forks = 0;
    pthread_cond_init(&changed, NULL); /* its waiters do not exist in the child */
    pthread_mutex_unlock(&threads_lock);
}
/* Registered after OpenBLAS's own handler, which is set at load time: the last one registered runs first. */
static void forks_wait_for_threads(void) { pthread_atfork(quiet_before_fork, parent_goes_on, child_begins); }

void cpi_blas_threads_begin(const cpi_blas *b)
{
    pthread_mutex_lock(&threads_lock);
    while (forks && !mine) pthread_cond_wait(&changed, &threads_lock);
    mine++;
    if (users++ == 0) b->set_threads(cpi_workers());
    pthread_mutex_unlock(&threads_lock);
}

void cpi_blas_threads_end(const cpi_blas *b)
{
    pthread_mutex_lock(&threads_lock);
    mine--;
    if (--users == 0) b->set_threads(1);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&threads_lock);
}
