/* Finds and opens Intel's MKL by libmkl_rt.so (blas.h says where it is looked for).
 *
 * That library is a dispatcher: it opens the others (interface, threads, kernels) when the first routine is called, and
 * ends the process where one of them is not there. So what lies beside it is looked at first. Routines are those whose
 * names end with _64, with integers of 64 bits: they are there whatever interface somebody else has chosen for the
 * process.
 *
 * Its threads are Intel's OpenMP's, which outlive a fork, unless the process has another OpenMP of LLVM's kind, beside
 * which Intel's ends the process, or MKL_THREADING_LAYER says otherwise: then they are as it says, or MKL has none. */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/libraries.h"
#include "blas/blas_library.h"

enum { SEQUENTIAL = 1, INTEL = 0, CBWR_AUTO = 2 }; /* MKL's own numbers */

typedef struct search {
    cpi_blas *b;
    char *why;
} search;

/* Whether FOLDER/NAMEversion is a file; `version` is libmkl_rt's: ".so.3". */
static bool is_beside(const char *folder, const char *name, const char *version)
{
    char path[4300];
    snprintf(path, sizeof path, "%.4095s/%.60s%.40s", folder, name, version);
    return access(path, R_OK) == 0;
}

/* Are the parts there without which MKL ends the process? A reason where not. */
static bool is_complete(const char *folder, const char *version, char *why)
{
    static const char *const parts[] = {"libmkl_core", "libmkl_intel_lp64", "libmkl_sequential", "libmkl_def"};
    for (int i = 0; i < 4; i++)
        if (!is_beside(folder, parts[i], version)) {
            snprintf(why, CPI_BLAS_WHY, "%.500s has libmkl_rt%.40s and no %s%.40s", folder, version, parts[i], version);
            return false;
        }
    return true;
}

/* Other people's OpenMP of LLVM's kind; Intel's own, of which the loader takes the copy that is there. */
static int see_library(struct dl_phdr_info *info, size_t bytes, void *context)
{
    (void)bytes;
    const char *name = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    bool *other = context;
    if (name && strncmp(name, "/libomp", 7) == 0) *other = true;
    return 0;
}

/* Which threads MKL shall have. */
static void choose_threads(void *handle, const char *folder, const char *version)
{
    int (*set)(int) = (int (*)(int))dlsym(handle, "MKL_Set_Threading_Layer");
    bool other = false;
    const char *said = getenv("MKL_THREADING_LAYER");
    if (!set || (said && *said)) return;
    char path[4300];
    dl_iterate_phdr(see_library, &other);
    snprintf(path, sizeof path, "%.4095s/libiomp5.so", folder);
    bool has = !other && is_beside(folder, "libmkl_intel_thread", version);
    if (has) { /* the one that is loaded, the one beside MKL, the system's */
        void *openmp = dlopen("libiomp5.so", RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
        if (!openmp) openmp = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
        if (!openmp) openmp = dlopen("libiomp5.so", RTLD_LAZY | RTLD_LOCAL);
        has = openmp;
    }
    dlerror();
    set(has ? INTEL : SEQUENTIAL);
}

static bool fill(const search *s, void *handle, const char *path)
{
    static const char *const prefixes[] = {"", NULL}, *const suffixes[] = {"_64_", "_64", NULL};
    int (*reproducible)(int) = (int (*)(int))dlsym(handle, "MKL_CBWR_Set");
    void (*version)(char *, int) = (void (*)(char *, int))dlsym(handle, "MKL_Get_Version_String");
    int (*most)(void) = (int (*)(void))dlsym(handle, "MKL_Get_Max_Threads");
    cpi_blas *b = s->b;
    const bool whole = cpi_blas_routines(b, handle, prefixes, suffixes);
    b->name = "MKL";
    b->wide = true;
    b->spectra = true;
    b->moderate = true; /* on an Intel processor PyTorch's took 0.76 of our kernels' time for many products of 128^2 */
    snprintf(b->where, sizeof b->where, "%s", path);
    b->set_threads_here = (int (*)(int))dlsym(handle, "MKL_Set_Num_Threads_Local");
    if (!whole || !b->set_threads_here || !version || !most) {
        snprintf(s->why, CPI_BLAS_WHY, "%.500s is no MKL of 2022 or later", path);
        *b = (cpi_blas){0};
        return false;
    }
    /* the same bits in every run, wherever operands lie; without effect where MKL is in use already */
    if (reproducible && !getenv("MKL_CBWR")) reproducible(CBWR_AUTO);
    most(); /* OpenMP begins here, so that its handlers of forks stand before ours */
    version(b->config, (int)sizeof b->config - 1);
    for (size_t n = strlen(b->config); n && b->config[n - 1] == ' '; n--) b->config[n - 1] = 0;
    return true;
}

/* By a path, or by a name that the loader knows. */
static bool use(void *context, const char *path)
{
    const search *s = context;
    struct link_map *map = NULL;
    char folder[4096];
    void *handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!handle) {
        const char *error = dlerror();
        if (strchr(path, '/')) snprintf(s->why, CPI_BLAS_WHY, "%.600s", error ? error : path);
        return false;
    }
    char *real = dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 ? realpath(map->l_name, NULL) : NULL;
    bool done = false;
    if (real) {
        const char *name = strrchr(map->l_name, '/'), *version = name ? strstr(name, ".so") : NULL;
        snprintf(folder, sizeof folder, "%.4095s", real);
        char *end = strrchr(folder, '/');
        if (end) *end = 0;
        if (!version) version = ".so";
        if (is_complete(folder, version, s->why)) {
            choose_threads(handle, folder, version);
            done = fill(s, handle, real);
        }
        free(real);
    }
    if (!done) dlclose(handle);
    return done;
}

bool cpi_blas_find_mkl(cpi_blas *b, char *why)
{
    static const char *const names[] = {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so.1", "libmkl_rt.so"};
    /* in CUPRITE_LIBRARY_PATH; the others in lib, of lib/pythonX.Y/site-packages and lib/pythonX.Y, known folders */
    static const char *const patterns[] = {"libmkl_rt.so*", "../../libmkl_rt.so*", "../libmkl_rt.so*"};
    static const char *const below[] = {"lib", "lib/intel64"};
    search s = {b, why};
    const char *root = getenv("MKLROOT");
    char path[4300];
    for (int i = 0; i < 4; i++) { /* somebody else's, which is in use already: two would not agree */
        void *there = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
        const bool done = there && use(&s, names[i]);
        if (there) dlclose(there);
        if (done) return true;
    }
    for (int i = 0; i < 3; i++)
        if (cpi_library_each(patterns[i], use, &s)) return true;
    for (int i = 0; i < 4; i++)
        if (use(&s, names[i])) return true;
    for (int i = 0; root && *root && i < 2; i++) {
        snprintf(path, sizeof path, "%.4000s/%s/libmkl_rt.so*", root, below[i]);
        if (cpi_library_glob(path, use, &s)) return true;
    }
    return false;
}
