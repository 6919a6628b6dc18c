/* Finds and opens OpenBLAS (blas.h says where), from a copy of its file in memory where others may use the same one. */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/libraries.h"
#include "blas/blas_library.h"
#include "cpu/features.h"

extern char **environ;

static cpi_blas *table; /* of the call that looks for it, under blas.c's lock */
static char *error;

/* --- loading --- */

/* OpenBLAS chooses its kernels by the processor; where CUPRITE_CPU asks for less, so shall it. NULL: its own choice. */
static const char *core_type(void)
{
    int level = cpi_cpu_level();
    if (!getenv("CUPRITE_CPU") || getenv("OPENBLAS_CORETYPE")) return NULL;
    return level == CPI_LEVEL_V3 ? "Haswell" : level == CPI_LEVEL_BASE ? "Nehalem" : NULL;
}

/* dlopen, with an environment in which OpenBLAS starts no threads and takes that core. It reads the environment
 * when it is loaded and at no other time. The array of the process is exchanged, not changed: other threads may be
 * reading it. The one that stands in for it stays for their sake. */
static void *load(const char *path, int flags)
{
    static char core[60]; /* called under the lock */
    static char **last;   /* the arrays that stood in, each with the one before it in its first place */
    char **own = environ, **block = NULL, **with;
    const char *type = core_type();
    size_t n = 0, k = 0;
    while (own && own[n]) n++;
    if (!(block = malloc((n + 4) * sizeof *block))) return NULL;
    block[0] = (char *)last;
    last = block;
    with = block + 1;
    with[k++] = (char *)"OPENBLAS_NUM_THREADS=1"; /* before a variable of that name, so it is the one that counts */
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

/* The libraries beside a bundled one that it needs (gfortran's): a copy of it does not find them by itself. */
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

/* Whether a library's parts all lie in its file: the loader maps them unseen; to touch what is cut off is SIGBUS. */
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

/* The file, opened and whole; -1 with the reason in `error`. */
static int open_library(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        snprintf(error, CPI_BLAS_WHY, "%.300s: %.200s", path, strerror(errno));
    } else if (!is_whole(file)) {
        snprintf(error, CPI_BLAS_WHY, "%.300s is no library, or not all of it", path);
        close(file);
        file = -1;
    }
    return file;
}

/* The library from a copy of its file in memory: a library of its own, with its own state, whoever uses the first. */
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
            dlerror(); /* what others left */
            handle = load(name, flags);
        }
    }
    if (memory >= 0) close(memory);
    return handle;
}

/* One of OpenBLAS's own functions, whose names in wide libraries end differently. */
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
    static const char *const prefixes[] = {"scipy_", "", NULL}, *const suffixes[] = {"_64_", "_", "64_", "_64", NULL};
    const bool whole = cpi_blas_routines(b, handle, prefixes, suffixes);
    const char *(*config)(void) = (const char *(*)(void))own_symbol(b, "openblas_get_config");
    b->name = "OpenBLAS";
    snprintf(b->where, sizeof b->where, "%s", path);
    snprintf(b->config, sizeof b->config, "%s", config ? config() : "");
    b->set_threads = (void (*)(int))own_symbol(b, "openblas_set_num_threads");
    b->wide = strstr(b->suffix, "64") || strstr(b->config, "USE64BITINT");
    if (whole && b->set_threads) return true;
    snprintf(error, CPI_BLAS_WHY, "%.500s is no OpenBLAS", path);
    return false;
}

/* Opens the file and fills the table; `shared`: others may use the same file. */
static bool use(const char *path, bool shared)
{
    int flags = RTLD_NOW | RTLD_LOCAL;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    flags |= RTLD_DEEPBIND; /* it calls itself, not another OpenBLAS that the program is linked with */
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
        snprintf(error, CPI_BLAS_WHY, "%.300s: %.280s", path, why ? why : "no copy of it can be made");
        return false;
    }
    cpi_blas b = {0};
    if (!fill(&b, handle, path)) {
        dlclose(handle);
        return false;
    }
    b.set_threads(1);
    *table = b;
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

/* The system's, by a name that the loader knows: its file, then a copy of it. */
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

bool cpi_blas_find_openblas(cpi_blas *b, char *why)
{
    static const char *const wheels[] = {"scipy_openblas64/lib/libscipy_openblas*.so",
                                         "scipy_openblas32/lib/libscipy_openblas*.so"};
    static const char *const bundled[] = {"numpy.libs/libscipy_openblas*.so*", "scipy.libs/libscipy_openblas*.so*",
                                          "numpy.libs/libopenblas*.so*", "scipy.libs/libopenblas*.so*"};
    const char *named = getenv("CUPRITE_OPENBLAS");
    table = b, error = why;
    if (named && *named) return use(named, true);
    for (int i = 0; i < 2; i++)
        if (cpi_library_each(wheels[i], use_own, NULL)) return true;
    for (int i = 0; i < 4; i++)
        if (cpi_library_each(bundled[i], use_shared, NULL)) return true;
    return use_system();
}
