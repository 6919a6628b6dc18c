/* The CPU's table of the room. */
#include "sort/sort.h"

const cpi_sort_ops cpi_sort_cpu = {
    .sort = cpi_cpu_sort,
    .argsort = cpi_cpu_argsort,
    .unique = cpi_cpu_unique,
    .unique_rows = cpi_cpu_unique_rows,
    .search = cpi_cpu_search,
    .among = cpi_cpu_among,
    .median = cpi_cpu_median,
    .partition = cpi_cpu_partition,
    .argpartition = cpi_cpu_argpartition,
    .clip = cpi_cpu_clip,
    .clip_keep = cpi_cpu_clip_keep,
    .pick = cpi_cpu_pick,
};
