/* cuprite info: what this installation can do on this machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cuprite.h"

static const char help[] =
    "usage: cuprite info\n\n"
    "Prints the version, the devices with their memory and pools, why there is no GPU where there is none,\n"
    "the libraries for linear algebra and behind files, the instruction set and the number of threads.\n";

static void print_device(int device)
{
    cp_device_info info;
    cp_pool_stats pool;
    char a[32], b[32], c[32], d[32];
    char name[32];
    snprintf(name, sizeof name, device == CP_CPU ? "cpu" : "cuda:%d", device);
    if (cp_device_query(device, &info) != CP_OK) {
        printf("%-12s %s\n", name, cp_error_message());
        cp_error_clear();
        return;
    }
    printf("%-12s %s (%s, %d %s), memory %s, free %s\n", name, info.name, info.variant, info.units,
           device == CP_CPU ? "threads" : "multiprocessors", bytes_string(info.memory_total, a),
           bytes_string(info.memory_free, b));
    if (cp_pool_query(device, &pool) != CP_OK) {
        cp_error_clear();
        return;
    }
    printf("  pool       used %s, held %s, peak %s, limit %s\n", bytes_string(pool.used, a), bytes_string(pool.held, b),
           bytes_string(pool.peak, c), pool.limit ? bytes_string(pool.limit, d) : "none");
}

int cmd_info(int argc, char **argv)
{
    static const char *const flags[] = {"--help", "-h", NULL}, *const values[] = {NULL};
    args a = {.command = "info", .flags = flags, .values = values, .argc = argc, .at = 1, .argv = argv};
    for (int next; (next = args_next(&a));) {
        if (next < 0) return 2;
        if (!a.option) return usage_error("info", "no argument is expected: %s", a.value);
        fputs(help, stdout);
        return 0;
    }
    printf("cuprite      %d.%d.%d\n", CP_VERSION_MAJOR, CP_VERSION_MINOR, CP_VERSION_PATCH);
    int gpus = cp_device_count();
    for (int i = 0; i < gpus; i++) print_device(i);
    if (!gpus) printf("%-12s none: %s\n", "GPU", cp_device_error());
    print_device(CP_CPU);
    printf("threads      %d\n", cp_threads());
    const char *blas = cp_blas_library();
    printf("blas         %s\n", blas ? blas : cp_error_message());
    cp_error_clear();
    const char *libraries = cp_io_libraries();
    printf("files        %s\n", libraries ? libraries : cp_error_message());
    cp_error_clear();
    printf("caches       none on disk\n");
    return 0;
}
