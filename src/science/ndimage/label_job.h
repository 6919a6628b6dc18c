/* One call of label on the CPU: what label_cpu.c hands to the instruction set's label_simd.c. */
#ifndef CPI_NDIMAGE_LABEL_JOB_H
#define CPI_NDIMAGE_LABEL_JOB_H

#include "ndimage/ndimage.h"

typedef struct label_job {
    const cpi_label_plan *plan;
    cp_stream *stream_of;     /* for workspace */
    int64_t lines, width, last_width; /* the last line of a chopped one is shorter */
    bool joined, chopped, stream;
    int64_t words;            /* of a line's bits */
    int64_t blocks, per_block; /* lines of a band */
    const char *x;
    int size;
    uint64_t keep;
    uint64_t *bits;
    char *out;
    cp_type type;
    int out_size;
} label_job;

/* Labels as the job says; *count is written when it is not NULL. */
cp_code cpi_label_lines_v2(const label_job *j, int64_t *count);
cp_code cpi_label_lines_v3(const label_job *j, int64_t *count);
cp_code cpi_label_lines_v4(const label_job *j, int64_t *count);

#endif
