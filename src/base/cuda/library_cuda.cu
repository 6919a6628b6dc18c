/* NVIDIA's libraries, opened on first use.
 *
 * Search order: the folders of CUPRITE_LIBRARY_PATH, the loader's by name, the toolkit's folder and those of PyPI's
 * packages (nvidia/PACKAGE/lib beside the interpreter). Libraries are never closed. */
#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/cuda.h"

namespace {

void *open_in(const char *folders, const char *between, const char *name)
{
    char pattern[4096];
    void *library = nullptr;
    for (const char *f = folders; f && *f && !library;) {
        size_t n = strcspn(f, ":");
        glob_t found;
        int length = snprintf(pattern, sizeof pattern, "%.*s/%s%s", (int)n, f, between, name);
        if (n && length < (int)sizeof pattern && glob(pattern, 0, nullptr, &found) == 0) {
            for (size_t i = 0; i < found.gl_pathc && !library; i++)
                library = dlopen(found.gl_pathv[i], RTLD_NOW | RTLD_LOCAL);
            globfree(&found);
        }
        f += n + (f[n] == ':');
    }
    return library;
}

} // namespace

const char *cpi_cuda_functions(void *library, const char *const *names, void *table)
{
    const char *missing = nullptr;
    for (int i = 0; names[i]; i++) {
        void *f = dlsym(library, names[i]);
        memcpy((char *)table + (size_t)i * sizeof f, &f, sizeof f);
        if (!f && !missing) missing = names[i];
    }
    return missing;
}

void *cpi_cuda_library(const char *const *names)
{
    void *library = nullptr;
    const char *own = getenv("CUPRITE_LIBRARY_PATH"), *home = getenv("CUDA_PATH");
    if (!home) home = getenv("CUDA_HOME");
    for (int i = 0; names[i] && !library; i++) library = open_in(own, "", names[i]);
    for (int i = 0; names[i] && !library; i++) library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    for (int i = 0; names[i] && !library; i++) library = open_in(home, "lib64/", names[i]);
    for (int i = 0; names[i] && !library; i++) library = open_in("/usr/local/cuda", "lib64/", names[i]);
    for (int i = 0; names[i] && !library; i++)
        library = open_in(cpi_host->library_folders(), "nvidia/*/lib/", names[i]);
    return library;
}
