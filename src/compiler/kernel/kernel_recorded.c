/* Launches of user kernels on the CPU while the stream captures (cpu/record.h): the arguments are copied; the capture
 * holds the arrays and the kernel (kernel.c). */
#include "cpu/record.h"
#include "kernel/kernel.h"

typedef struct launch_call {
    cpi_function function;
    cpi_launch launch;
} launch_call;

static cp_code run_launch(cp_stream *stream, void *call)
{
    const launch_call *c = call;
    return cpi_kernel_cpu_launch(stream, &c->function, &c->launch);
}

cp_code cpi_kernel_recorded_launch(cp_stream *stream, const cpi_function *function, const cpi_launch *launch);
cp_code cpi_kernel_recorded_launch(cp_stream *stream, const cpi_function *function, const cpi_launch *launch)
{
    if (!cpi_recording(stream)) return cpi_kernel_cpu_launch(stream, function, launch);
    cpi_record_task *t = cpi_task_new("kernel", run_launch, sizeof(launch_call));
    if (!t) return CP_ERROR_MEMORY;
    launch_call *c = (void *)t->call;
    const size_t n = (size_t)launch->n;
    *c = (launch_call){*function, *launch};
    c->launch.bytes = cpi_task_keep(t, launch->bytes, n * sizeof *launch->bytes);
    c->launch.values = cpi_task_keep(t, launch->values, n * sizeof *launch->values);
    for (size_t i = 0; c->launch.values && i < n; i++)
        c->launch.values[i] = cpi_task_keep(t, launch->values[i], launch->bytes[i]);
    c->launch.spans = cpi_task_keep(t, launch->spans, (size_t)launch->nspans * sizeof *launch->spans);
    return cpi_task_record(stream, t);
}
