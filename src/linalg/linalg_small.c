/* Which matrices are small. */
#include "linalg/lapack.h"
cp_code cpi_linalg_small(const char *slot, cp_stream *stream, const cpi_linalg *args)
{
    (void)slot, (void)stream, (void)args;
    return CP_ERROR_UNSUPPORTED;
}
