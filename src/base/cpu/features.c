/* Instruction set of this processor. Invariant: the result never changes within a process. */
#include "cpu/features.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int detect(void)
{
    int level = CPI_LEVEL_BASE;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2"))
        level = CPI_LEVEL_V3;
    if (level == CPI_LEVEL_V3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        level = CPI_LEVEL_V4;
    const char *wish = getenv("CUPRITE_CPU");
    if (wish && strcmp(wish, "x86-64-v3") == 0 && level > CPI_LEVEL_V3) level = CPI_LEVEL_V3;
    if (wish && strcmp(wish, "x86-64-v2") == 0) level = CPI_LEVEL_BASE;
#endif
    return level;
}

int cpi_cpu_known = -1; /* racing threads write the same value */

int cpi_cpu_detect(void)
{
    int level = detect();
    __atomic_store_n(&cpi_cpu_known, level, __ATOMIC_RELAXED);
    return level;
}

static const char *const names[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};

const char *cpi_cpu_level_name(void)
{
#if defined(__x86_64__)
    return names[cpi_cpu_level()];
#elif defined(__aarch64__)
    return "aarch64";
#else
    return "portable";
#endif
}

const char *cpi_cpu_lacks(char *text, size_t bytes)
{
    const int level = cpi_cpu_level();
    if (level >= CPI_LOWEST_LEVEL) return NULL;
    const char *wish = getenv("CUPRITE_CPU");
    snprintf(text, bytes, "this library was built for %s and newer only; %s %s", names[CPI_LOWEST_LEVEL],
             wish && strcmp(wish, names[level]) == 0 ? "CUPRITE_CPU is" : "this processor has", names[level]);
    return text;
}
