/* Labelling of lines, compiled for each instruction set; label_runs.h has the steps. */
#include <string.h>

#include "backend/device.h"
#include "core/memory.h"
#include "cpu/features.h"
#include "cpu/threads.h"
#include "loop/loop.h"
#include "ndimage/bits.h"
#include "ndimage/label_job.h"

#define SEGMENT 2048 /* elements written at once: a buffer of 16 KiB at most, a whole number of words */

/* Where a line lies: bit a of low (high) is set when its index along axis a is the first (last). */
typedef struct position {
    uint64_t low, high;
    int64_t index[CP_MAXDIM];
} position;

static void place_masks(position *at, const cpi_label_plan *plan)
{
    at->low = at->high = 0;
    for (int a = 0; a < plan->axes; a++) {
        at->low |= (uint64_t)(at->index[a] == 0) << a;
        at->high |= (uint64_t)(at->index[a] == plan->lead[a] - 1) << a;
    }
}

static void position_start(position *at, const cpi_label_plan *plan, int64_t line)
{
    cpi_unravel(plan->axes, plan->lead, line, at->index);
    place_masks(at, plan);
}

static void position_next(position *at, const cpi_label_plan *plan)
{
    int a = plan->axes - 1;
    while (a >= 0 && ++at->index[a] == plan->lead[a]) at->index[a--] = 0;
    if (a < 0) return; /* behind the last line */
    for (; a < plan->axes; a++) { /* the axes that moved */
        uint64_t bit = (uint64_t)1 << a;
        at->low = at->index[a] == 0 ? at->low | bit : at->low & ~bit;
        at->high = at->index[a] == plan->lead[a] - 1 ? at->high | bit : at->high & ~bit;
    }
}

static inline int64_t line_width(const label_job *j, int64_t l)
{
    return l == j->lines - 1 ? j->last_width : j->width;
}
static inline int64_t block_end(const label_job *j, int64_t block)
{
    int64_t end = (block + 1) * j->per_block;
    return end < j->lines ? end : j->lines;
}

/* A label as the bits of the output's type. */
static inline uint64_t label_bits(cp_type type, uint64_t label)
{
    if (cpi_is_int(type)) return label;
    uint64_t bits = 0;
    if (type == CP_FLOAT64) {
        double d = (double)label;
        memcpy(&bits, &d, sizeof d);
    } else if (type == CP_FLOAT32) {
        float s = (float)label;
        uint32_t b;
        memcpy(&b, &s, sizeof s);
        bits = b;
    } else if (type == CP_BOOL) {
        bits = 1;
    } else {
        int64_t v = (int64_t)label;
        cpi_convert_value(CP_INT64, &v, type, &bits); /* little endian */
    }
    return bits;
}

/* n >= 1 elements, and up to 31 bytes more. */
#define FILL(T)                                                                   \
    typedef T wide_##T __attribute__((vector_size(32), aligned(sizeof(T)), may_alias)); \
    static inline void fill_##T(T *p, int64_t n, T v)                             \
    {                                                                             \
        const int step = 32 / (int)sizeof(T);                                     \
        wide_##T all = v - (wide_##T){0};                                         \
        T *end = p + n;                                                           \
        do {                                                                      \
            *(wide_##T *)p = all;                                                 \
            p += step;                                                            \
        } while (p < end);                                                        \
    }
FILL(uint8_t)
FILL(uint16_t)
FILL(uint32_t)
FILL(uint64_t)

#define INT uint32_t
#define NAME(x) x##_32
#include "ndimage/label_runs.h"
#undef INT
#undef NAME
#define INT uint64_t
#define NAME(x) x##_64
#include "ndimage/label_runs.h"
#undef INT
#undef NAME

cp_code CPI_ISA_NAME(cpi_label_lines)(const label_job *j, int64_t *count)
{
    return (int64_t)j->lines * j->width < INT32_MAX - j->width ? label_all_32(j, count) : label_all_64(j, count);
}
