/* Two of the CPU's slots of the room move. */
#ifndef CPI_AROUND_CPU_H
#define CPI_AROUND_CPU_H

#include "move/move.h"

cp_code cpi_cpu_pad(cp_stream *stream, const cpi_loop *loop, const cpi_padding *padding);
cp_code cpi_cpu_triangle(cp_stream *stream, const cpi_loop *loop, int64_t k, bool upper);

#endif
