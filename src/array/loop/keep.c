/* Copies of loops for captured work. */
#include "loop/keep.h"

cpi_loop *cpi_task_keep_loops(cpi_record_task *t, const cpi_loop *loops, size_t n)
{
    cpi_loop *kept = cpi_task_keep(t, loops, n * sizeof *loops);
    for (size_t k = 0; kept && k < n; k++)
        for (int i = 0; i < loops[k].nop; i++) {
            const cpi_operand *op = &loops[k].op[i];
            if (op->host) kept[k].op[i].data = cpi_task_keep(t, op->data, (size_t)cpi_itemsize(op->type));
        }
    return kept;
}
