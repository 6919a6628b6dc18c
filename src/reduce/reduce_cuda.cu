/* The GPU's slot of the room reduce. */
#include "reduce/fold.cuh"

static cp_code reduce(cp_stream *stream, const cpi_reduce_args *a)
{
    switch (a->fold) {
    case CPI_FOLD_SUM: return cpi_fold_sums(stream, a);
    case CPI_FOLD_PROD: return cpi_fold_prods(stream, a);
    case CPI_FOLD_MOMENTS: return cpi_fold_moments(stream, a);
    case CPI_FOLD_LOW:
    case CPI_FOLD_HIGH: return cpi_fold_extremes(stream, a);
    case CPI_FOLD_LOW_PLACE:
    case CPI_FOLD_HIGH_PLACE: return cpi_fold_places(stream, a);
    case CPI_FOLD_COUNT: return cpi_fold_counts(stream, a);
    default: return cpi_fold_rows(stream, a);
    }
}

extern const cpi_reduce_ops cpi_reduce_cuda;
const cpi_reduce_ops cpi_reduce_cuda = {reduce};
