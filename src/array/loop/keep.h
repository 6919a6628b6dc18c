/* Copies of loops for captured work (cpu/record.h). */
#ifndef CPI_LOOP_KEEP_H
#define CPI_LOOP_KEEP_H

#include "cpu/record.h"
#include "loop/loop.h"

/* n loops that live as long as the task. Operands that are host scalars are copied too: their records may be freed
 * after the call. NULL: the task is incomplete. */
cpi_loop *cpi_task_keep_loops(cpi_record_task *t, const cpi_loop *loops, size_t n);

#endif
