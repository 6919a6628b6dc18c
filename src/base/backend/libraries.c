/* Search paths of third-party libraries that are opened on first use: OpenBLAS here, cuBLAS and others in the CUDA
 * plugin.
 *
 * The folders are those of CUPRITE_LIBRARY_PATH and those that the host program sets (Python passes its package
 * folders). Invariant: a list that was returned once is never freed, so a thread may read it while another sets a new
 * one. */
#include "backend/libraries.h"

#include <dlfcn.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "cuprite/device.h"

static const char *folders = "";

cp_code cp_library_folders_set(const char *list)
{
    const char *now = __atomic_load_n(&folders, __ATOMIC_ACQUIRE);
    if (!list) list = "";
    if (strcmp(now, list) == 0) return CP_OK;
    char *copy = strdup(list); /* never freed: see above */
    if (!copy) return cpi_fail(CP_ERROR_MEMORY, "library_folders_set: out of host memory");
    __atomic_store_n(&folders, copy, __ATOMIC_RELEASE);
    return CP_OK;
}

const char *cpi_library_folders(void) { return __atomic_load_n(&folders, __ATOMIC_ACQUIRE); }

bool cpi_library_glob(const char *pattern, bool (*visit)(void *context, const char *path), void *context)
{
    glob_t found;
    bool done = false;
    if (glob(pattern, 0, NULL, &found) != 0) return false;
    for (size_t i = 0; i < found.gl_pathc && !done; i++) done = visit(context, found.gl_pathv[i]);
    globfree(&found);
    return done;
}

/* Visits the folders of one list until a visitor returns true. */
static bool each_of(const char *list, const char *pattern, bool (*visit)(void *context, const char *path),
                    void *context)
{
    char path[4096];
    while (*list) {
        size_t n = strcspn(list, ":");
        int length = snprintf(path, sizeof path, "%.*s/%s", (int)n, list, pattern);
        if (n && length < (int)sizeof path && cpi_library_glob(path, visit, context)) return true;
        list += n + (list[n] == ':');
    }
    return false;
}

bool cpi_library_each(const char *pattern, bool (*visit)(void *context, const char *path), void *context)
{
    const char *own = getenv("CUPRITE_LIBRARY_PATH");
    return (own && each_of(own, pattern, visit, context)) || each_of(cpi_library_folders(), pattern, visit, context);
}

bool cpi_library_fits(void *library, const char *path, const char *symbol, uint64_t abi, char *why, size_t bytes)
{
    const uint64_t *its = dlsym(library, symbol);
    char found[32] = "none";
    if (its && *its == abi) return true;
    if (its) snprintf(found, sizeof found, "%016" PRIx64, *its);
    snprintf(why, bytes, "%.256s is of another build than libcuprite.so: its ABI is %s, this library's is %016" PRIx64,
             path, found, abi);
    return false;
}
