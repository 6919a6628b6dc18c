/* Finds LAPACK. */
#include "linalg/lapack.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;
cpi_lapack_fn cpi_lapack(const char *function, const char *name, cp_type type)
{
    char symbol[40];
    if (!library) library = dlopen(getenv("CUPRITE_OPENBLAS"), RTLD_NOW | RTLD_LOCAL);
    char letter = type == CP_FLOAT32 ? 's' : type == CP_FLOAT64 ? 'd' : type == CP_COMPLEX64 ? 'c' : 'z';
    snprintf(symbol, sizeof symbol, "scipy_%c%s_64_", letter, name);
    void *f = library ? dlsym(library, symbol) : NULL;
    cpi_lapack_fn r = NULL;
    if (f) memcpy(&r, &f, sizeof r);
    else cpi_fail(CP_ERROR_UNSUPPORTED, "%s: no LAPACK (%s)", function, symbol);
    return r;
}
int64_t cpi_lapack_place(const int64_t *list, int64_t i) { return list[i]; }
void cpi_lapack_alone(bool alone) { (void)alone; }
