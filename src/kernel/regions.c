#include "kernel/translate.h"
bool cpi_cu_regions(cpi_cu_program *p, const cpi_cu_function *f, cpi_string *out)
{
    (void)p;
    (void)f;
    (void)out;
    return false;
}
