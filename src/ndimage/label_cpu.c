/* Labelling on the CPU: lines become bit masks, masks become runs, runs are united and written out.
 *
 * Bands of lines are worked on in parallel. The result is a property of the image alone, so the cut into bands
 * cannot show in it. label_runs.h has the steps. */
#include <string.h>

#include "core/memory.h"
#include "cpu/features.h"
#include "cpu/threads.h"
#include "ndimage/bits.h"
#include "ndimage/cpu.h"

#define PIECE 2048        /* elements written at once: a buffer of 16 KiB at most */
#define CHOP 65536        /* a lone long line is cut into lines of so many elements */
#define STREAM_FROM (8 << 20) /* bytes of output that would only push other things out of the cache */

typedef struct label_job {
    const cpi_label_plan *plan;
    int64_t lines, width, last_width; /* the last line of a chopped one is shorter */
    bool joined, chopped, stream;
    int64_t words;            /* of a line's bits */
    int64_t bands, per_band;  /* lines of a band */
    const char *x;
    int size;
    uint64_t keep;
    uint64_t *bits;
    char *out;
    cp_type type;
    int out_size;
    int64_t (*line_bits)(const void *line, int64_t n, int size, uint64_t keep, bool joined, uint64_t *bits);
    void (*stream_copy)(void *to, const void *from, int64_t bytes);
    void (*stream_fence)(void);
} label_job;

/* Where a line lies: bit a of low (high) is set when its index along axis a is the first (last). */
typedef struct place {
    uint64_t low, high;
    int64_t index[CP_MAXDIM];
} place;

static void place_masks(place *at, const cpi_label_plan *plan)
{
    at->low = at->high = 0;
    for (int a = 0; a < plan->axes; a++) {
        at->low |= (uint64_t)(at->index[a] == 0) << a;
        at->high |= (uint64_t)(at->index[a] == plan->lead[a] - 1) << a;
    }
}

static void place_start(place *at, const cpi_label_plan *plan, int64_t line)
{
    for (int a = plan->axes; a-- > 0;) {
        at->index[a] = line % plan->lead[a];
        line /= plan->lead[a];
    }
    place_masks(at, plan);
}

static void place_next(place *at, const cpi_label_plan *plan)
{
    int a = plan->axes - 1;
    while (a >= 0 && ++at->index[a] == plan->lead[a]) at->index[a--] = 0;
    place_masks(at, plan);
}

static inline int64_t line_width(const label_job *j, int64_t l)
{
    return l == j->lines - 1 ? j->last_width : j->width;
}
static inline int64_t band_end(const label_job *j, int64_t band)
{
    int64_t end = (band + 1) * j->per_band;
    return end < j->lines ? end : j->lines;
}

/* A label as the bits of the output's type. */
static inline uint64_t label_bits(cp_type type, uint64_t label)
{
    if (type >= CP_INT8 && type <= CP_UINT64) return label;
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
        uint16_t b;
        int64_t v = (int64_t)label;
        cpi_convert_value(CP_INT64, &v, type, &b);
        bits = b;
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

/* All bits of an element but a floating number's sign, repeated over 64 bits. */
static uint64_t bits_that_count(cp_type t)
{
    switch (t) {
    case CP_FLOAT16:
    case CP_BFLOAT16: return 0x7fff7fff7fff7fff;
    case CP_FLOAT32: return 0x7fffffff7fffffff;
    case CP_FLOAT64: return 0x7fffffffffffffff;
    default: return UINT64_MAX;
    }
}

cp_code cpi_label_cpu(cp_stream *stream, const cpi_label_plan *plan, const cp_array *x, cp_array *out, int64_t *count)
{
    (void)stream;
    label_job j = {.plan = plan, .lines = plan->lines, .width = plan->width, .last_width = plan->width,
                   .joined = plan->joined, .x = x->data, .size = (int)cpi_itemsize(x->type),
                   .keep = bits_that_count(x->type), .out = out->data, .type = out->type,
                   .out_size = (int)cpi_itemsize(out->type)};
    if (plan->axes == 0 && plan->width > 2 * CHOP) {
        j.chopped = true;
        j.width = CHOP;
        j.lines = (plan->width + CHOP - 1) / CHOP;
        j.last_width = plan->width - (j.lines - 1) * CHOP;
    }
    j.stream = x->size * j.out_size >= STREAM_FROM;
    j.words = (j.width + 63) / 64;
    j.per_band = (65536 + j.width - 1) / j.width;
    if (j.per_band < (j.lines + 63) / 64) j.per_band = (j.lines + 63) / 64;
    j.bands = (j.lines + j.per_band - 1) / j.per_band;
    j.line_bits = CPI_BEST(cpi_line_bits);
    j.stream_copy = CPI_BEST(cpi_stream_copy);
    j.stream_fence = CPI_BEST(cpi_stream_fence);
    j.bits = cpi_malloc((size_t)(j.lines * j.words) * sizeof *j.bits);
    if (!j.bits) return CP_ERROR_MEMORY;
    cp_code code = x->size < INT32_MAX ? label_all_32(&j, count) : label_all_64(&j, count);
    cpi_free_host(j.bits);
    return code;
}
