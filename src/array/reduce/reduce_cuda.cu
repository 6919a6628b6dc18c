/* The GPU's slot of the room reduce. */
#include "reduce/folds_cuda.h"

cp_code cpi_fold_known_means(cp_stream *stream, const cpi_reduce_args *a); /* known_means_cuda.cu */

extern const cpi_reduce_ops cpi_reduce_cuda;
const cpi_reduce_ops cpi_reduce_cuda = {
    [](cp_stream *stream, const cpi_reduce_args *a) {
        return a->known && a->class_of == CPI_NUMBER ? cpi_fold_known_means(stream, a) : cpi_launch_fold(stream, a);
    },
    true,
};
