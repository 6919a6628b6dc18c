/* Kappa-sigma clipping of an image that is read in parts, with cp_sigma_clip_stats's result. */
#ifndef CLI_CLIP_H
#define CLI_CLIP_H

#include "cuprite.h"

/* Distinct values, sorted, and how often each occurs; what was added last is still apart. */
typedef struct distinct {
    double *value;
    int64_t *number;
    int64_t count;
    double *fresh;
    int64_t held;
} distinct;

typedef struct clipping {
    double kappa;
    bool single;                /* the bounds are computed in float32, as for float32 pixels */
    double core[2], window[2], pivot; /* open intervals; a core that no bound reaches, a window that has the medians */
    int64_t core_count, below;  /* of the core; of it up to the window */
    double s1, s2;              /* sums over the core, of values less the pivot and of their squares */
    distinct fringe, inner;     /* what is outside of the core; in the window */
} clipping;

/* Predicts core and window from n values of a sample, which are sorted. A larger `rim` is more careful; at 1 the core
 * is empty, which holds for all data. */
cp_code clipping_predict(clipping *c, double *sample, int64_t n, double rim);
/* Adds n values. */
cp_code clipping_add(clipping *c, const double *values, int64_t n);
/* The iterations over what was added. *held is false where the prediction failed: add all again with another one. */
cp_code clipping_end(clipping *c, cp_clip_result *result, bool *held);
void clipping_free(clipping *c);

#endif
