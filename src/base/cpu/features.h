/* Which instruction sets this processor has. Kernel files are compiled once for each of them with CPI_ISA set
 * to v2, v3 or v4 (x86-64 levels; `base` elsewhere); CPI_ISA_NAME(f) is then f_v2, f_v3, f_v4. */
#ifndef CPI_CPU_FEATURES_H
#define CPI_CPU_FEATURES_H

#include <stddef.h>

#include "core/paste.h"

enum { CPI_LEVEL_BASE = 0, CPI_LEVEL_V3 = 1, CPI_LEVEL_V4 = 2 };
/* Highest level of this processor, lowered by CUPRITE_CPU=x86-64-v2|v3|v4. */
extern int cpi_cpu_known; /* the level once detected, -1 before */
int cpi_cpu_detect(void);
static inline int cpi_cpu_level(void)
{
    int level = __atomic_load_n(&cpi_cpu_known, __ATOMIC_RELAXED);
    return level < 0 ? cpi_cpu_detect() : level;
}
const char *cpi_cpu_level_name(void); /* "x86-64-v4", "x86-64-v3", "x86-64-v2", "aarch64", ... */
/* Why this build has no kernels for this processor, in `text`; NULL where it has some. */
const char *cpi_cpu_lacks(char *text, size_t bytes);

#ifdef CPI_ISA
#define CPI_ISA_NAME(f) CPI_PASTE(f, CPI_ISA)
#endif
/* The address of f's best variant: CPI_BEST(f) with f_v2, f_v3, f_v4 declared. A build for some instruction sets only
 * (CUPRITE_ISAS) defines CPI_WITHOUT_V2, ...: the lowest built one is taken without a test. */
#if defined(__x86_64__) && !(defined(CPI_WITHOUT_V4) && defined(CPI_WITHOUT_V3))
#if defined(CPI_WITHOUT_V4)
#define CPI_FROM_V4(f, lower) lower
#elif defined(CPI_WITHOUT_V3) && defined(CPI_WITHOUT_V2)
#define CPI_FROM_V4(f, lower) (&f##_v4)
#else
#define CPI_FROM_V4(f, lower) (cpi_cpu_level() >= CPI_LEVEL_V4 ? &f##_v4 : lower)
#endif
#if defined(CPI_WITHOUT_V3)
#define CPI_FROM_V3(f, lower) lower
#elif defined(CPI_WITHOUT_V2)
#define CPI_FROM_V3(f, lower) (&f##_v3)
#else
#define CPI_FROM_V3(f, lower) (cpi_cpu_level() >= CPI_LEVEL_V3 ? &f##_v3 : lower)
#endif
#define CPI_BEST(f) CPI_FROM_V4(f, CPI_FROM_V3(f, &f##_v2))
#else
#define CPI_BEST(f) (&f##_v2)
#endif
/* The variant of the lowest instruction set that was built, which has every function; and the level that it
 * requires. */
#if !defined(CPI_WITHOUT_V2)
#define CPI_LOWEST(f) (&f##_v2)
#define CPI_LOWEST_LEVEL CPI_LEVEL_BASE
#elif !defined(CPI_WITHOUT_V3)
#define CPI_LOWEST(f) (&f##_v3)
#define CPI_LOWEST_LEVEL CPI_LEVEL_V3
#else
#define CPI_LOWEST(f) (&f##_v4)
#define CPI_LOWEST_LEVEL CPI_LEVEL_V4
#endif

#endif
