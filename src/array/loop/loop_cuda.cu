/* The N-d loop for the GPU: descriptors, and loops that are too large for one in parts. */
#include "loop/loop.cuh"

void cpi_device_loop_init(cpi_device_loop *to, const cpi_loop *loop, int first, int nops)
{
    const int n = loop->ndim - first;
    to->ndim = n > 0 ? n : 1;
    to->n = 1;
    to->shape[0] = cpi_divisor_of(1);
    for (int k = 0; k < nops; k++) to->strides[k][0] = 0;
    for (int d = 0; d < n; d++) {
        to->shape[d] = cpi_divisor_of(loop->shape[first + d]);
        to->n *= loop->shape[first + d];
        for (int k = 0; k < nops; k++) to->strides[k][d] = loop->op[k].strides[first + d];
    }
}

cpi_loop cpi_loop_slice(const cpi_loop *loop, int d, int64_t from, int64_t n)
{
    cpi_loop part = *loop;
    part.size = loop->size / loop->shape[d] * n;
    part.shape[d] = n;
    for (int k = 0; k < loop->nop; k++)
        if (!loop->op[k].host) part.op[k].data = loop->op[k].data + from * loop->op[k].strides[d];
    return part;
}

void cpi_loop_drop_first(cpi_loop *loop)
{
    loop->ndim--;
    for (int d = 0; d < loop->ndim; d++) {
        loop->shape[d] = loop->shape[d + 1];
        for (int k = 0; k < loop->nop; k++) loop->op[k].strides[d] = loop->op[k].strides[d + 1];
    }
}

cp_code cpi_device_loop_each(const cpi_loop *loop, cp_code (*launch)(void *context, const cpi_loop *part),
                             void *context)
{
    cp_code code = CP_OK;
    if (loop->ndim > CPI_DEVICE_LOOP_DIMS) { /* the outermost are walked here */
        for (int64_t i = 0; i < loop->shape[0] && !code; i++) {
            cpi_loop part = cpi_loop_slice(loop, 0, i, 1);
            cpi_loop_drop_first(&part);
            code = cpi_device_loop_each(&part, launch, context);
        }
        return code;
    }
    if (loop->size < INT32_MAX) return launch(context, loop);
    int d = 0; /* halved along the first dimension that can be, where runs of elements stay whole */
    while (loop->shape[d] < 2) d++;
    int64_t half = loop->shape[d] / 2;
    if (half > 16) half -= half % 16;
    cpi_loop part = cpi_loop_slice(loop, d, 0, half);
    code = cpi_device_loop_each(&part, launch, context);
    if (code) return code;
    part = cpi_loop_slice(loop, d, half, loop->shape[d] - half);
    return cpi_device_loop_each(&part, launch, context);
}
