/* From a label to its region on the CPU. Each different label of an index has one slot; results that repeat a
 * label share it. */
#ifndef CPI_NDIMAGE_LOOKUP_H
#define CPI_NDIMAGE_LOOKUP_H

#include "ndimage/key.h"
#include "ndimage/ndimage.h"

typedef struct cpi_lookup {
    cpi_regions_kind kind;
    cp_type type;       /* of the labels */
    int64_t n, slots, key;
    int64_t *keys;      /* slots of them, ascending */
    int64_t *of_result; /* n: slot of each result, or -1 */
    int32_t *direct;    /* slot of key first + i, or -1 */
    int64_t first;      /* keys first .. first + span - 1 are in `direct`, or are slots 0 .. when it is NULL; */
    uint64_t span;      /* span 0: neither, keys are too sparse or were not read */
} cpi_lookup;

cp_code cpi_lookup_make(cpi_lookup *l, const cpi_measure_plan *plan);
void cpi_lookup_free(cpi_lookup *l);
/* Slot of a key where l->span is not 0. */
static inline int64_t cpi_near_slot(const cpi_lookup *l, int64_t key)
{
    uint64_t at = (uint64_t)key - (uint64_t)l->first;
    return at >= l->span ? -1 : l->direct ? l->direct[at] : (int64_t)at;
}
/* Slot of element i of the labels, -1 for none. */
int64_t cpi_slot_of(const cpi_lookup *l, const void *labels, int64_t i);
int64_t cpi_slot_of_result(const cpi_lookup *l, int64_t i);

#endif
