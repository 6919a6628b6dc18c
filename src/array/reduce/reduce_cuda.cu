/* The GPU's slot of the module reduce. */
#include "reduce/reducers_cuda.h"

cp_code cpi_reducer_known_means(cp_stream *stream, const cpi_reduce_args *a); /* known_means_cuda.cu */

cp_code cpi_reduce_cuda_reduce(cp_stream *stream, const cpi_reduce_args *a)
{
    return a->known && a->class_of == CPI_NUMBER ? cpi_reducer_known_means(stream, a) : cpi_launch_reducer(stream, a);
}
