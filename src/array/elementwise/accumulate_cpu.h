/* What the CPU's chains share: a loop of one operation for one lane, or for places. */
#ifndef CPI_ACCUMULATE_CPU_H
#define CPI_ACCUMULATE_CPU_H

#include "elementwise/elementwise.h"

/* r = op(r, x[i]) for n elements; out gets r each time, `to` bytes apart, where it is not NULL. */
typedef void (*cpi_link)(void *r, const char *x, int64_t step, int64_t n, char *out, int64_t to);
/* x[position[i]] = op(x[position[i]], v[i]); negative places count from `size`. */
typedef void (*cpi_link_at)(void *x, int64_t size, const int64_t *position, int64_t n, const char *v, int64_t step);

/* Loops of the rows' bodies, by computing type and operation; NULL where there is none. */
typedef struct cpi_links { cpi_link slice; cpi_link_at at; } cpi_links;


#endif
