/* An image continued beyond its edges: made once, so that the loops over windows need no rule at the edges. */
#include <string.h>

#include "backend/device.h"
#include "core/shape.h"
#include "core/type_traits.h"
#include "cpu/features.h"
#include "cpu/threads.h"
#include "filters/cpu.h"
#include "loop/loop.h"

extern const cpi_filters_simd cpi_filters_simd_v2;
#if defined(__x86_64__)
extern const cpi_filters_simd cpi_filters_simd_v3, cpi_filters_simd_v4;
#endif

const cpi_filters_simd *cpi_filters_best(void) { return CPI_BEST(cpi_filters_simd); }

int64_t cpi_filter_work_bytes(cpi_filter_work work)
{
    static const uint8_t bytes[] = {
#define X(name, type) sizeof(type),
        CPI_FILTER_WORK(X)
#undef X
    };
    return bytes[work];
}

static cpi_filter_work work_of(cp_type type, bool rank)
{
    if (cpi_is_half(type)) return CPI_WORK_i16;
    if (type == CP_FLOAT32) return rank ? CPI_WORK_i32 : CPI_WORK_f32;
    if (type == CP_FLOAT64) return rank ? CPI_WORK_i64 : CPI_WORK_f64;
    const bool sign = cpi_is_signed(type);
    switch (cpi_itemsize(type)) {
    case 1: return sign ? CPI_WORK_i8 : CPI_WORK_u8;
    case 2: return sign ? CPI_WORK_i16 : CPI_WORK_u16;
    case 4: return sign ? CPI_WORK_i32 : CPI_WORK_u32;
    default: return sign ? CPI_WORK_i64 : CPI_WORK_u64;
    }
}

cpi_filter_keys cpi_filter_keys_of(cp_type type, bool minimum, bool rank)
{
    return (cpi_filter_keys){.type = type, .work = work_of(type, rank), .nan_low = minimum && !rank,
                             .keyed = cpi_is_half(type) || (rank && cpi_is_float(type))};
}

typedef struct filling {
    const cpi_filter_edges *p;
    cpi_filter_image *to;
    int64_t rows, each, in_strides[CP_MAXDIM]; /* bytes */
} filling;

static void fill_with(char *to, const void *value, int64_t item, int64_t n)
{
    for (int64_t i = 0; i < n; i++) memcpy(to + i * item, value, (size_t)item);
}

/* One row of the padded image; `from`: the row of the image that it continues, NULL where it is constant. */
static void fill_row(const cpi_filter_edges *p, char *to, const char *from)
{
    const int last = p->ndim - 1;
    const int64_t n = p->shape[last], before = p->before[last], item = p->item, width = n + p->size[last] - 1;
    if (!from) {
        fill_with(to, p->fill, item, width);
        return;
    }
    p->read(p->context, to + before * item, from, n);
    for (int64_t x = 0; x < width; x++) {
        if (x == before) x += n; /* what was read */
        if (x >= width) break;
        const int64_t i = cpi_boundary_index(x - before, n, p->boundary);
        memcpy(to + x * item, i < 0 ? p->fill : to + (before + i) * item, (size_t)item);
    }
}

static void fill_rows(void *context, int64_t task, int worker)
{
    (void)worker;
    const filling *f = context;
    const cpi_filter_edges *p = f->p;
    const int outer = p->ndim - 1;
    const int64_t first = task * f->each, end = first + f->each < f->rows ? first + f->each : f->rows;
    int64_t at[CP_MAXDIM];
    cpi_unravel(outer, f->to->shape, first, at);
    for (int64_t r = first; r < end; r++) {
        const char *from = p->in;
        for (int d = 0; d < outer && from; d++) {
            const int64_t i = cpi_boundary_index(at[d] - p->before[d], p->shape[d], p->boundary);
            from = i < 0 ? NULL : from + i * f->in_strides[d];
        }
        fill_row(p, f->to->data + r * f->to->shape[outer] * f->to->item, from);
        cpi_next(outer, f->to->shape, at);
    }
}

cp_code cpi_pad_image(cp_stream *stream, const cpi_filter_edges *p, cpi_filter_image *to)
{
    filling f = {.p = p, .to = to};
    int64_t step = p->in_item, bytes = to->item = p->item;
    bool fits = true;
    for (int d = p->ndim - 1; d >= 0; d--) {
        fits = fits && !__builtin_add_overflow(p->shape[d], p->size[d] - 1, &to->shape[d]);
        to->strides[d] = bytes / p->item;
        f.in_strides[d] = step;
        step *= p->shape[d];
        fits = fits && !__builtin_mul_overflow(bytes, to->shape[d], &bytes);
    }
    if (!fits || bytes > INT64_MAX / 2) return cpi_fail(CP_ERROR_MEMORY, "filter: the window is too large");
    if (!(to->data = cpi_work_alloc(stream, (size_t)bytes + CPI_FILTER_SLACK))) return cp_error();
    const int64_t width = to->shape[p->ndim - 1];
    f.rows = bytes / p->item / width;
    const int64_t tasks = cpi_split(f.rows, width, 1 << 16, &f.each);
    cpi_parallel(tasks, fill_rows, &f);
    return CP_OK;
}

void cpi_tap_offsets(int ndim, const int64_t *size, const int64_t *strides, int64_t ntaps, const int64_t *taps,
                     int64_t *at)
{
    int64_t position[CP_MAXDIM];
    for (int64_t k = 0; k < ntaps; k++) {
        cpi_unravel(ndim, size, taps[k], position);
        at[k] = cpi_offset(ndim, position, strides);
    }
}
