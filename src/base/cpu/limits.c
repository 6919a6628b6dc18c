/* Memory limits, as the kernel reports them: sysinfo, vm.overcommit_memory, control groups (version 2, and 1). */
#include "cpu/limits.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static size_t most;

/* The number at the start of a file; `otherwise` if there is none ("max" is none). */
static size_t number_in(const char *path, size_t otherwise)
{
    char text[64] = "";
    FILE *f = fopen(path, "r");
    if (!f) return otherwise;
    bool read = fgets(text, sizeof text, f) != NULL;
    fclose(f);
    char *end = text;
    unsigned long long n = read ? strtoull(text, &end, 10) : 0;
    return end == text || n > SIZE_MAX ? otherwise : (size_t)n;
}

/* The least limit of a group and its parents: FOLDER/GROUP/FILE, FOLDER/.../FILE, FOLDER/FILE. */
static size_t least_of_groups(const char *folder, char *group, const char *file, size_t least)
{
    char path[1024];
    for (;;) {
        snprintf(path, sizeof path, "%s%s/%s", folder, group, file);
        size_t n = number_in(path, SIZE_MAX);
        if (n < least) least = n;
        char *slash = strrchr(group, '/');
        if (!slash) return least;
        *slash = 0;
    }
}

static size_t groups_limit(size_t least)
{
    char line[512];
    FILE *f = fopen("/proc/self/cgroup", "r");
    while (f && fgets(line, sizeof line, f)) { /* NUMBER:CONTROLLERS:GROUP */
        line[strcspn(line, "\n")] = 0;
        char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group) continue;
        *group++ = 0;
        if (controllers[1] == 0)
            least = least_of_groups("/sys/fs/cgroup", group, "memory.max", least);
        else if (strstr(controllers + 1, "memory"))
            least = least_of_groups("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes", least);
    }
    if (f) fclose(f);
    return least;
}

static void init(void)
{
    enum { ANYTHING = 1 };
    struct sysinfo i;
    most = SIZE_MAX;
    if (number_in("/proc/sys/vm/overcommit_memory", 0) != ANYTHING && sysinfo(&i) == 0)
        most = (size_t)(i.totalram + i.totalswap) * i.mem_unit;
    most = groups_limit(most);
}

size_t cpi_memory_most(void)
{
    pthread_once(&once, init);
    return most;
}
