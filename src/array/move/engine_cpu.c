/* The CPU's engine (see the header). Invariant: an element's result depends on its inputs only, never on where a
 * chunk or a task begins. */
#include "move/engine_cpu.h"

#include <string.h>

#include "cpu/bytes.h"
#include "cpu/threads.h"

/* Outputs of at least this many bytes are written with non-temporal stores. */
enum { STREAM_BYTES = 6 << 20 };

typedef struct {
    _Alignas(64) char in[CPI_MAXIN][CPI_CHUNK * 16], out[CPI_MAXOUT][CPI_CHUNK * 16], raw[CPI_CHUNK * 16];
    uint8_t mask[CPI_CHUNK];
} buffers;

const cpi_move_kernels *cpi_move_kernels_best(void)
{
    static const cpi_move_kernels *best;
    const cpi_move_kernels *set = __atomic_load_n(&best, __ATOMIC_RELAXED);
    if (!set) {
        set = CPI_BEST(cpi_move_kernels);
        __atomic_store_n(&best, set, __ATOMIC_RELAXED);
    }
    return set;
}

void cpi_copy_kernel(const cpi_job *job, void *const *op, int64_t n, unsigned scalars)
{
    int size = (int)cpi_itemsize(job->out_type[0]);
    if (scalars) {
        job->set->gather(op[0], op[1], 0, n, size);
    } else if (op[0] != op[1]) {
        cpi_copy_bytes(op[0], op[1], (size_t)(n * size));
    }
}

/* Is the fetched input already the result? */
static bool is_copy(const cpi_job *job, unsigned scalars) { return job->kernel == cpi_copy_kernel && !scalars; }

/* n elements at `in` with one stride, as contiguous elements in `to`; `raw` is the intermediate buffer. */
static const void *fetch(const cpi_move_kernels *set, void *buffer, void *raw, const char *in, int64_t stride,
                         cp_type from, cp_type to, int64_t n)
{
    int64_t size = cpi_itemsize(from);
    if (stride != size) {
        void *step = from == to ? buffer : raw;
        set->gather(step, in, stride, n, (int)size);
        in = step;
    }
    if (from == to) return in;
    set->convert[from][to](buffer, in, n);
    return buffer;
}

/* Calls the kernel on n elements; single values that this kernel does not accept are broadcast first. */
static void call(const cpi_job *job, void *const *op, int64_t n, unsigned scalars, buffers *b)
{
    unsigned spread = job->scalars_allowed >> scalars & 1 ? 0 : scalars;
    if (!spread) {
        job->kernel(job, op, n, scalars);
        return;
    }
    for (int64_t i = 0; i < n; i += CPI_CHUNK) {
        int64_t m = n - i < CPI_CHUNK ? n - i : CPI_CHUNK;
        void *at[CPI_MAXOUT + CPI_MAXIN];
        for (int k = 0; k < job->nout; k++) at[k] = (char *)op[k] + i * cpi_itemsize(job->out_type[k]);
        for (int k = 0; k < job->nin; k++) {
            int size = (int)cpi_itemsize(job->in_type[k]);
            void *in = op[job->nout + k];
            at[job->nout + k] = spread >> k & 1 ? (void *)b->in[k] : (char *)in + i * size;
            if (spread >> k & 1 && i == 0) job->set->gather(b->in[k], in, 0, m, size);
        }
        job->kernel(job, at, m, 0);
    }
}

/* Stores n elements of output k, from `from`, to their locations. */
static void store(const cpi_job *job, int k, char *out, int64_t stride, const void *from, int64_t n,
                  const uint8_t *mask, buffers *b)
{
    cp_type type = job->loop->op[k].type;
    int size = (int)cpi_itemsize(type);
    if (type != job->out_type[k]) {
        job->set->convert[job->out_type[k]][type](b->raw, from, n);
        from = b->raw;
    }
    if (mask) {
        job->set->scatter_masked(out, stride, from, mask, n, size);
    } else if (job->stream && stride == size) {
        job->set->stream(out, from, n * size);
    } else {
        job->set->scatter(out, stride, from, n, size);
    }
}

/* May the kernel write output k of a segment in place? */
static bool is_direct(const cpi_job *job, int k, int64_t stride)
{
    return !job->mask && !job->stream && job->out_type[k] == job->loop->op[k].type &&
           stride == cpi_itemsize(job->out_type[k]);
}

/* One segment, in which every operand has a single stride. */
static void run_segment(const cpi_job *job, char *const *data, const int64_t *stride, int64_t n, buffers *b)
{
    const cpi_loop *loop = job->loop;
    const int nout = job->nout;
    void *op[CPI_MAXOUT + CPI_MAXIN];
    unsigned scalars = job->values;
    bool direct = true, out_direct = true;
    for (int k = 0; k < job->nin; k++) {
        const cpi_operand *from = &loop->op[nout + k];
        void **in = &op[nout + k];
        *in = data[nout + k];
        if (job->values >> k & 1) {
            *in = (void *)job->value[k];
        } else if (stride[nout + k] == 0) {
            scalars |= 1u << k;
            if (from->type != job->in_type[k]) {
                job->set->convert[from->type][job->in_type[k]](b->in[k], data[nout + k], 1);
                /* stored at the buffer's end: the chunk buffer is overwritten only when the value is broadcast */
                memcpy(b->in[k] + sizeof b->in[k] - 16, b->in[k], 16);
                *in = b->in[k] + sizeof b->in[k] - 16;
            }
        } else if (from->type != job->in_type[k] || stride[nout + k] != cpi_itemsize(from->type)) {
            direct = false;
        }
    }
    for (int k = 0; k < nout; k++) {
        op[k] = data[k];
        out_direct &= is_direct(job, k, stride[k]);
    }
    if (direct && (out_direct || job->silent)) {
        call(job, op, n, scalars, b);
        return;
    }
    const bool copies = is_copy(job, scalars);
    for (int64_t i = 0; i < n; i += job->step) {
        int64_t m = n - i < job->step ? n - i : job->step;
        void *at[CPI_MAXOUT + CPI_MAXIN];
        for (int k = 0; k < nout; k++)
            at[k] = is_direct(job, k, stride[k]) && !job->silent ? data[k] + i * stride[k] : b->out[k];
        for (int k = 0; k < job->nin; k++) {
            int q = nout + k;
            void *buffer = copies ? at[0] : b->in[k];
            at[q] = scalars >> k & 1 ? op[q]
                                     : (void *)fetch(job->set, buffer, b->raw, data[q] + i * stride[q], stride[q],
                                                     loop->op[q].type, job->in_type[k], m);
        }
        const uint8_t *mask = NULL;
        if (job->mask) {
            int q = job->mask;
            mask = fetch(job->set, b->mask, b->raw, data[q] + i * stride[q], stride[q], CP_BOOL, CP_BOOL, m);
        }
        if (copies && at[0] == b->out[0]) at[0] = at[1];
        call(job, at, m, scalars, b);
        for (int k = 0; k < nout && !job->silent; k++) {
            char *to = data[k] + i * stride[k];
            if (at[k] != to) store(job, k, to, stride[k], at[k], m, mask, b);
        }
    }
}

/* The offset of the element with these coordinates from the operand's first one. */
static int64_t offset(const cpi_loop *loop, int op, const int64_t *index)
{
    return cpi_offset(loop->ndim, index, loop->op[op].strides);
}

/* Long rows: one segment for each row. */
static void run_rows(const cpi_job *job, int64_t begin, int64_t end, buffers *b)
{
    const cpi_loop *loop = job->loop;
    int64_t index[CP_MAXDIM], stride[CPI_MAXOPS];
    int last = loop->ndim - 1;
    for (int k = 0; k < loop->nop; k++) stride[k] = loop->ndim ? loop->op[k].strides[last] : 0;
    cpi_unravel(loop->ndim, loop->shape, begin, index);
    while (begin < end) {
        char *data[CPI_MAXOPS];
        int64_t n = loop->ndim ? loop->shape[last] - index[last] : 1;
        if (n > end - begin) n = end - begin;
        for (int k = 0; k < loop->nop; k++) data[k] = loop->op[k].data + offset(loop, k, index);
        run_segment(job, data, stride, n, b);
        begin += n;
        if (begin < end) cpi_next_row(loop->ndim, loop->shape, index);
    }
}

/* Gathers n elements of an operand, from linear index `begin` with coordinates `from`, into a contiguous buffer. */
static void collect(const cpi_job *job, int op, int64_t begin, const int64_t *from, char *buffer, int64_t n)
{
    const cpi_loop *loop = job->loop;
    int64_t index[CP_MAXDIM];
    int last = loop->ndim - 1, size = (int)cpi_itemsize(loop->op[op].type);
    const int64_t *stride = loop->op[op].strides;
    if (job->linear >> op & 1) {
        job->set->gather(buffer, loop->op[op].data + begin * stride[last], stride[last], n, size);
        return;
    }
    memcpy(index, from, (size_t)loop->ndim * sizeof *index);
    while (n > 0) {
        int64_t length = loop->shape[last], m = length - index[last], rows = 1;
        const char *at = loop->op[op].data + offset(loop, op, index);
        if (m == length && last > 0) { /* whole rows, up to the length of the next outer dimension */
            rows = loop->shape[last - 1] - index[last - 1];
            if (rows > n / length) rows = n / length;
        }
        if (rows > 1) {
            job->set->gather_rows(buffer, at, stride[last - 1], rows, stride[last], length, size);
            m = rows * length;
            index[last - 1] += rows - 1;
        } else {
            if (m > n) m = n;
            job->set->gather(buffer, at, stride[last], m, size);
        }
        buffer += m * size;
        n -= m;
        if (n > 0) cpi_next_row(loop->ndim, loop->shape, index);
    }
}

/* The inverse: scatters n elements of output k from a contiguous buffer. */
static void distribute(const cpi_job *job, int k, int64_t begin, const int64_t *from, const char *buffer, int64_t n,
                       const uint8_t *mask)
{
    const cpi_loop *loop = job->loop;
    int64_t index[CP_MAXDIM], m = n;
    int last = loop->ndim - 1, size = (int)cpi_itemsize(loop->op[k].type);
    int64_t stride = loop->op[k].strides[last];
    bool linear = job->linear >> k & 1;
    memcpy(index, from, (size_t)loop->ndim * sizeof *index);
    for (; n > 0; n -= m) {
        char *at = loop->op[k].data + (linear ? begin * stride : offset(loop, k, index));
        if (!linear) m = loop->shape[last] - index[last] < n ? loop->shape[last] - index[last] : n;
        if (mask) {
            job->set->scatter_masked(at, stride, buffer, mask, m, size);
            mask += m;
        } else if (job->stream && stride == size) {
            job->set->stream(at, buffer, m * size);
        } else {
            job->set->scatter(at, stride, buffer, m, size);
        }
        buffer += m * size;
        if (n > m) cpi_next_row(loop->ndim, loop->shape, index);
    }
}

/* Input k of a chunk from linear index `begin`, at `index`: contiguous and of the kernel's type. */
static void *collect_input(const cpi_job *job, int k, int64_t begin, const int64_t *index, int64_t n, buffers *b)
{
    const cpi_loop *loop = job->loop;
    int q = job->nout + k;
    cp_type from = loop->op[q].type, to = job->in_type[k];
    if (job->values >> k & 1) return (void *)job->value[k];
    if (from == to && job->linear >> q & 1 && loop->op[q].strides[loop->ndim - 1] == cpi_itemsize(to))
        return loop->op[q].data + begin * cpi_itemsize(to);
    collect(job, q, begin, index, from == to ? b->in[k] : b->raw, n);
    if (from != to) job->set->convert[from][to](b->in[k], b->raw, n);
    return b->in[k];
}

/* Short rows: chunks span several rows, so that each kernel call has a full chunk. */
static void run_chunks(const cpi_job *job, int64_t begin, int64_t end, buffers *b)
{
    const cpi_loop *loop = job->loop;
    int64_t index[CP_MAXDIM];
    for (; begin < end; begin += CPI_CHUNK) {
        int64_t n = end - begin < CPI_CHUNK ? end - begin : CPI_CHUNK;
        void *op[CPI_MAXOUT + CPI_MAXIN];
        cpi_unravel(loop->ndim, loop->shape, begin, index);
        for (int k = 0; k < job->nout; k++) op[k] = b->out[k];
        for (int k = 0; k < job->nin; k++) op[job->nout + k] = collect_input(job, k, begin, index, n, b);
        if (job->mask) collect(job, job->mask, begin, index, (char *)b->mask, n);
        if (is_copy(job, job->values)) op[0] = op[1];
        call(job, op, n, job->values, b);
        for (int k = 0; k < job->nout && !job->silent; k++) {
            char *from = op[k];
            cp_type type = loop->op[k].type;
            if (type != job->out_type[k]) {
                job->set->convert[job->out_type[k]][type](b->raw, from, n);
                from = b->raw;
            }
            distribute(job, k, begin, index, from, n, job->mask ? b->mask : NULL);
        }
    }
}

static void run_range(const cpi_job *job, int64_t begin, int64_t end)
{
    buffers b; /* not initialised: everything is written before it is read */
    if (job->rows) {
        run_rows(job, begin, end, &b);
    } else {
        run_chunks(job, begin, end, &b);
    }
    if (job->stream) cpi_stream_done();
}

typedef struct { const cpi_job *job; int64_t each; } share;

static void run_task(void *context, int64_t task, int worker)
{
    const share *s = context;
    int64_t begin = task * s->each, end = begin + s->each;
    (void)worker;
    run_range(s->job, begin, end < s->job->loop->size ? end : s->job->loop->size);
}

/* Inputs that are one value for the whole loop are converted once. */
static void take_values(cpi_job *job)
{
    const cpi_loop *loop = job->loop;
    job->values = 0;
    for (int k = 0; k < job->nin; k++) {
        const cpi_operand *op = &loop->op[job->nout + k];
        bool one = true;
        for (int d = 0; d < loop->ndim && one; d++) one = op->strides[d] == 0;
        if (!one) continue;
        job->set->convert[op->type][job->in_type[k]](job->value[k], op->data, 1);
        job->values |= 1u << k;
    }
}

/* Chunk length for which the buffers together stay in the L1 cache; narrow types have longer chunks. The mask's
 * buffer holds CPI_CHUNK of them. */
static int64_t chunk_elements(const cpi_job *job)
{
    int64_t widest = 1;
    for (int k = 0; k < job->nin + job->nout; k++) {
        int64_t kernels = cpi_itemsize(k < job->nout ? job->out_type[k] : job->in_type[k - job->nout]);
        int64_t own = cpi_itemsize(job->loop->op[k].type);
        widest = kernels > widest ? kernels : widest;
        widest = own > widest ? own : widest;
    }
    /* sizes are powers of two */
    return job->mask ? CPI_CHUNK : CPI_CHUNK * 4 >> __builtin_ctzll((unsigned long long)widest);
}

/* Can the kernel use rows in place? */
static bool rows_lie_ready(const cpi_job *job)
{
    const cpi_loop *loop = job->loop;
    const int last = loop->ndim - 1;
    bool ready = !job->mask;
    for (int k = 0; k < job->nout + job->nin && ready; k++) {
        const cpi_operand *op = &loop->op[k];
        const cp_type type = k < job->nout ? job->out_type[k] : job->in_type[k - job->nout];
        const int64_t step = op->strides[last];
        ready = op->type == type && (step == cpi_itemsize(type) || (!step && k >= job->nout));
    }
    return ready;
}

/* One segment for each row, or chunks of many rows that are gathered first? */
static bool by_rows(const cpi_job *job)
{
    enum { LONG = 128, READY = 64 };
    const cpi_loop *loop = job->loop;
    const int64_t n = loop->ndim ? loop->shape[loop->ndim - 1] : 1;
    return loop->ndim <= 1 || n >= LONG || (n >= READY && rows_lie_ready(job));
}

/* A few elements that lie as the kernel takes them, as those of small arrays mostly do, are one call of it. All that
 * cpi_engine_run finds out for others would take longer than the call. False: nothing was done. */
static __attribute__((noinline)) bool run_small(const cpi_job *job)
{
    const cpi_loop *loop = job->loop;
    const int64_t n = loop->size;
    void *op[CPI_MAXOUT + CPI_MAXIN];
    _Alignas(16) unsigned char value[CPI_MAXIN][16];
    unsigned scalars = 0;
    if (loop->ndim > 1 || n > CPI_CHUNK || job->mask || job->silent) return false;
    for (int k = 0; k < job->nout + job->nin; k++) {
        const cpi_operand *from = &loop->op[k];
        const cp_type type = k < job->nout ? job->out_type[k] : job->in_type[k - job->nout];
        const int64_t stride = loop->ndim ? from->strides[0] : 0;
        const bool one = k >= job->nout && !stride;
        if ((from->type != type && !one) || (n > 1 && !one && stride != cpi_itemsize(type))) return false;
        op[k] = from->data;
        if (!one) continue;
        scalars |= 1u << (k - job->nout);
        if (from->type == type) continue;
        op[k] = value[k - job->nout];
        job->set->convert[from->type][type](op[k], from->data, 1);
    }
    if (!(job->scalars_allowed >> scalars & 1)) {
        if (n > 1) return false;
        scalars = 0;
    }
    job->kernel(job, op, n, scalars);
    return true;
}

void cpi_engine_run(cpi_job *job)
{
    const cpi_loop *loop = job->loop;
    if (!loop->size) return;
    job->set = cpi_move_kernels_best();
    if (job->kernel != cpi_copy_kernel && run_small(job)) return; /* copies that lie so do not come here */
    take_values(job);
    job->rows = by_rows(job);
    job->step = loop->size <= CPI_CHUNK ? CPI_CHUNK : chunk_elements(job);
    job->linear = 0;
    for (int k = 0; k < loop->nop && !job->rows; k++)
        if (cpi_is_one_axis(loop->ndim, loop->shape, loop->op[k].strides)) job->linear |= 1u << k;
    int64_t bytes = loop->size * cpi_itemsize(loop->op[0].type);
    job->stream = bytes >= STREAM_BYTES && !job->mask && !job->silent;
    for (int k = 0; k < job->nin && job->stream; k++) /* in place: the lines are in the cache already */
        job->stream = loop->op[job->nout + k].data != loop->op[0].data;
    int64_t each, tasks = cpi_cut_evenly(loop->size, job->grain, &each);
    if (tasks <= 1) {
        run_range(job, 0, loop->size);
        return;
    }
    cpi_parallel(tasks, run_task, &(share){job, each});
}
