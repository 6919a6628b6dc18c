/* Runs of elements on the CPU: copied between any two strides, or filled with one value, by the element's size alone.
 * For code that moves lines and pieces of them, as padding and filters do; the engine (engine_cpu.h) converts too.
 *
 * Elements need not be aligned. Source and destination share no memory. */
#ifndef CPI_MOVE_RUNS_H
#define CPI_MOVE_RUNS_H

#include <stdint.h>
#include <string.h>

#include "core/type_traits.h"

/* n elements of `size` bytes (1, 2, 4, 8 or 16), all `value`, one behind another. n <= 0: nothing. */
static inline void cpi_fill_run(char *to, const void *value, int64_t n, int64_t size)
{
#define RUN(T) do { T v; memcpy(&v, value, sizeof v);                                       \
                    for (int64_t i = 0; i < n; i++) memcpy(to + i * (int64_t)sizeof v, &v, sizeof v); } while (0); break
    switch (size) { /* a store each, of vectors: doubling the filled part took up to twice as long for short rows */
    case 1: RUN(uint8_t);
    case 2: RUN(uint16_t);
    case 4: RUN(uint32_t);
    case 8: RUN(uint64_t);
    default: RUN(cp_complex128);
    }
#undef RUN
}

/* n elements of `size` bytes (1, 2, 4, 8 or 16) that lie `step` and `to_step` bytes apart; steps may be negative, and
 * `step` 0. */
static inline void cpi_copy_run(char *to, int64_t to_step, const char *from, int64_t step, int64_t n, int64_t size)
{
    if (step == size && to_step == size) {
        memcpy(to, from, (size_t)(n * size));
        return;
    }
    if (!step && to_step == size) {
        cpi_fill_run(to, from, n, size);
        return;
    }
#define RUN(T) for (int64_t i = 0; i < n; i++) memcpy(to + i * to_step, from + i * step, sizeof(T)); break
    switch (size) {
    case 1: RUN(uint8_t);
    case 2: RUN(uint16_t);
    case 4: RUN(uint32_t);
    case 8: RUN(uint64_t);
    default: RUN(cp_complex128);
    }
#undef RUN
}

#endif
