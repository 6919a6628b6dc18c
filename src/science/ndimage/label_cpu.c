/* Labelling on the CPU: lines become bit masks, runs of bits are united and written out.
 *
 * Bands of lines are worked on in parallel. The result is a property of the image alone, so the cut into bands
 * cannot show in it. */
#include "backend/device.h"
#include "cpu/features.h"
#include "ndimage/cpu.h"
#include "ndimage/label_job.h"

#define CHOP 65536            /* a lone long line is cut into lines of so many elements */
#define STREAM_FROM (8 << 20) /* bytes of output that would only push other things out of the cache */

/* All bits of an element but a floating number's sign, repeated over 64 bits. */
static uint64_t bits_that_count(cp_type t)
{
    const uint64_t all = ~(uint64_t)0 >> (64 - 8 * cpi_itemsize(t));
    return UINT64_MAX / all * cpi_magnitude(t);
}

cp_code cpi_ndimage_cpu_label(cp_stream *stream, const cpi_label_plan *plan, const cp_array *x, cp_array *out,
                              int64_t *count)
{
    label_job j = {.plan = plan, .stream_of = stream, .lines = plan->lines, .width = plan->width,
                   .last_width = plan->width, .joined = plan->joined, .x = x->data, .size = (int)cpi_itemsize(x->type),
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
    j.per_block = (65536 + j.width - 1) / j.width;
    if (j.per_block < (j.lines + 63) / 64) j.per_block = (j.lines + 63) / 64;
    j.blocks = (j.lines + j.per_block - 1) / j.per_block;
    j.bits = cpi_work_alloc(stream, (size_t)(j.lines * j.words) * sizeof *j.bits);
    if (!j.bits) return CP_ERROR_MEMORY;
    cp_code code = CPI_BEST(cpi_label_lines)(&j, count);
    cpi_work_free(stream, j.bits);
    return code;
}
