/* The CPU's slots of the module elementwise: each describes its kernel to the engine. */
#include "elementwise/elementwise.h"

#include <math.h>
#include <string.h>

#include "cpu/bytes.h"
#include "cpu/threads.h"
#include "elementwise/accumulate_cpu.h"
#include "elementwise/loops.h"
#include "move/engine_cpu.h"

const cpi_kernels *cpi_kernels_best(void)
{
    static const cpi_kernels *best;
    const cpi_kernels *set = __atomic_load_n(&best, __ATOMIC_RELAXED);
    if (!set) {
        set = CPI_BEST(cpi_kernels);
        __atomic_store_n(&best, set, __ATOMIC_RELAXED);
    }
    return set;
}

/* --- operations --- */

static void run_kernel(const cpi_job *job, void *const *op, int64_t n, unsigned scalars)
{
    ((cpi_kernel)(uintptr_t)job->function)(op, n, scalars);
}

/* Elements that take about 20 us, which is worth waking a thread: arithmetic is bound by memory bandwidth, functions
 * take nanoseconds an element. */
static int64_t grain_of(int op, cp_type type)
{
    if (!cpi_op_rows[op].function) return 1 << 16;
    return cpi_is_complex(type) ? 1 << 10 : 1 << 13;
}

/* job->function is an int, set to 1 where an exponent is negative; the second input is the mask. An exponent's sign
 * is in its last byte. */
static void negative_kernel(const cpi_job *job, void *const *op, int64_t n, unsigned scalars)
{
    const size_t size = cpi_itemsize(job->in_type[0]);
    const int8_t *b = (const int8_t *)op[1] + size - 1;
    const uint8_t *mask = job->nin > 1 ? op[2] : NULL;
    int negative = 0;
    (void)scalars;
    for (int64_t i = 0; i < n; i++) negative |= mask && !mask[i] ? 0 : b[(size_t)i * size];
    if (negative < 0) __atomic_store_n((int *)(uintptr_t)job->function, 1, __ATOMIC_RELAXED);
}

/* Is an exponent that takes part negative in the loop's type? Checked before anything is written. */
static bool any_negative(const cpi_loop *loop, cp_type type)
{
    int found = 0;
    cpi_loop exponents = *loop;
    if (!cpi_is_signed(type) || loop->op[2].type == CP_BOOL) return false;
    exponents.nop = loop->nop - 1;
    exponents.op[1] = loop->op[2];
    if (loop->nop > 3) exponents.op[2] = loop->op[3];
    cpi_job job = {.loop = &exponents,
                   .nout = 1,
                   .nin = exponents.nop - 1,
                   .in_type = {type, CP_BOOL},
                   .out_type = {type}};
    job.kernel = negative_kernel;
    job.function = &found;
    job.silent = true;
    job.grain = 1 << 16;
    job.scalars_allowed = 1;
    cpi_engine_run(&job);
    return found;
}

cp_code cpi_elementwise_cpu_run(cp_stream *stream, int op, cp_type type, const cpi_loop *loop)
{
    const cpi_kernels *set = cpi_kernels_best();
    const cpi_op_row *row = &cpi_op_rows[op];
    const cpi_kernel f = cpi_kernel_of(set, op, type);
    (void)stream;
    if (!f) return cpi_fail(CP_ERROR_INTERNAL, "%s: no kernel for %s", row->name, cp_type_name(type));
    if (op == CP_OP_power && cpi_is_int(type) && any_negative(loop, type))
        return cpi_fail(CP_ERROR_VALUE, "power: integers to negative integer powers are not allowed");
    cpi_job job;
    job.loop = loop;
    job.silent = false;
    job.nout = row->nout;
    job.nin = row->nin;
    job.mask = loop->nop > row->nout + row->nin ? row->nout + row->nin : 0;
    for (int k = 0; k < row->nin; k++) job.in_type[k] = cpi_in_type(row, k, type);
    for (int k = 0; k < row->nout; k++) job.out_type[k] = cpi_out_type(row, k, type);
    job.kernel = run_kernel;
    job.function = (const void *)(uintptr_t)f;
    job.grain = grain_of(op, type);
    job.scalars_allowed = cpi_scalars_allowed(row);
    cpi_engine_run(&job);
    return CP_OK;
}

/* --- selection --- */

static void choose_kernel(const cpi_job *job, void *const *op, int64_t n, unsigned scalars)
{
    int log = __builtin_ctz((unsigned)cpi_itemsize(job->out_type[0]));
    cpi_kernels_best()->choose[log](op[0], op[1], op[2], op[3], n, scalars >> 1);
}

cp_code cpi_elementwise_cpu_select(cp_stream *stream, const cpi_loop *loop)
{
    cpi_job job;
    (void)stream;
    job.loop = loop;
    job.silent = false;
    job.nout = 1;
    job.nin = 3;
    job.mask = 0;
    job.in_type[0] = CP_BOOL;
    job.in_type[1] = job.in_type[2] = job.out_type[0] = loop->op[0].type;
    job.kernel = choose_kernel;
    job.grain = 1 << 16;
    job.scalars_allowed = 1 | 1 << 2 | 1 << 4 | 1 << 6;
    cpi_engine_run(&job);
    return CP_OK;
}

/* --- closeness --- */

/* The context of the closeness kernels: the tolerance, and where to report "not all". */
typedef struct { cpi_tolerance given; cpi_closer closer; int *no; } closeness;

static cpi_closer closer_of(cp_type type)
{
    const cpi_kernels *set = cpi_kernels_best();
    return set->close[type == CP_FLOAT32      ? 0
                      : type == CP_FLOAT64    ? 1
                      : type == CP_COMPLEX128 ? 2
                      : type == CP_INT64      ? 3
                                              : 4];
}

static void close_kernel(const cpi_job *job, void *const *op, int64_t n, unsigned scalars)
{
    const closeness *c = job->function;
    c->closer(op[0], op[1], op[2], n, scalars, &c->given);
}

static void close_job(cpi_job *job, const cpi_loop *loop, cp_type type, const closeness *c)
{
    job->loop = loop;
    job->silent = false;
    job->nout = 1;
    job->nin = 2;
    job->mask = 0;
    job->in_type[0] = job->in_type[1] = type == CP_UINT64 ? CP_INT64 : type;
    job->out_type[0] = CP_BOOL;
    job->kernel = close_kernel;
    job->function = c;
    job->grain = 1 << 15;
    job->scalars_allowed = 1 | 2 | 4;
}

cp_code cpi_elementwise_cpu_close(cp_stream *stream, cp_type type, const cpi_loop *loop, double rtol, double atol,
                                  bool equal_nan)
{
    closeness c = {{rtol, atol, equal_nan}, closer_of(type), NULL};
    cpi_job job;
    (void)stream;
    close_job(&job, loop, type, &c);
    cpi_engine_run(&job);
    return CP_OK;
}

/* The kernel of allclose: a chunk's results go into a scratch buffer, and a false one ends the loop. */
static void all_kernel(const cpi_job *job, void *const *op, int64_t n, unsigned scalars)
{
    const closeness *c = job->function;
    uint8_t outcome[CPI_CHUNK];
    int64_t size = cpi_itemsize(job->in_type[0]);
    for (int64_t i = 0; i < n; i += CPI_CHUNK) {
        int64_t m = n - i < CPI_CHUNK ? n - i : CPI_CHUNK;
        if (__atomic_load_n(c->no, __ATOMIC_RELAXED)) return;
        const char *a = (const char *)op[1] + (scalars & 1 ? 0 : i * size);
        const char *b = (const char *)op[2] + (scalars & 2 ? 0 : i * size);
        c->closer(outcome, a, b, m, scalars, &c->given);
        if (memchr(outcome, 0, (size_t)m)) __atomic_store_n(c->no, 1, __ATOMIC_RELAXED);
    }
}

cp_code cpi_elementwise_cpu_all_close(cp_stream *stream, cp_type type, const cpi_loop *inputs, double rtol, double atol,
                                      bool equal_nan, bool *result)
{
    int no = 0;
    closeness c = {{rtol, atol, equal_nan}, closer_of(type), &no};
    uint8_t nowhere = 0;
    cpi_loop loop = *inputs;
    cpi_job job;
    (void)stream;
    /* operand 0 is an output that is never written */
    loop.nop = 3;
    loop.op[1] = inputs->op[0];
    loop.op[2] = inputs->op[1];
    loop.op[0].data = (char *)&nowhere;
    loop.op[0].type = CP_BOOL;
    loop.op[0].host = false;
    memset(loop.op[0].strides, 0, sizeof loop.op[0].strides);
    close_job(&job, &loop, type, &c);
    job.kernel = all_kernel;
    job.silent = true;
    cpi_engine_run(&job);
    *result = !no;
    return CP_OK;
}

