/* Sums of cosines and sines over uneven times: arguments. */
#include "cpu/ending.h"
#include "operands/operands.h"
#include "signal/signal.h"

cp_array *cp_trigonometric_sums(cp_array *x, cp_array *frequencies, cp_array *w, cp_array *v)
{
    const char *name = "trigonometric_sums";
    cp_array *const all[] = {x, frequencies, w, v};
    cp_array *dense[4] = {NULL, NULL, NULL, NULL}, *result = NULL;
    for (int i = 0; i < 4; i++)
        if (cpi_null(name, all[i])) return NULL;
    cpi_device *device = cpi_common_device(name, 4, all);
    if (!device) return NULL;
    for (int i = 0; i < 4; i++) {
        if (all[i]->ndim != 1 || (i > 1 && all[i]->size != x->size))
            return cpi_fail(CP_ERROR_VALUE, "%s: arrays must be 1-D, times and weights of one length", name), NULL;
        if (cpi_check_real(name, all[i]) != CP_OK) return NULL;
    }
    bool good = true;
    for (int i = 0; i < 4 && good; i++) good = (dense[i] = cpi_dense(name, all[i], CP_FLOAT64, device)) != NULL;
    if (good) result = cpi_array_new(name, device, CP_FLOAT64, 2, (int64_t[]){6, frequencies->size}, 'C');
    if (result && result->size) {
        const cpi_trigonometric t = {.n = x->size, .count = frequencies->size,
                                     .x = (const double *)dense[0]->data, .frequency = (const double *)dense[1]->data,
                                     .w = (const double *)dense[2]->data, .v = (const double *)dense[3]->data,
                                     .to = (double *)result->data};
        const cp_code code = t.n ? device->backend->signal->trigonometric(cpi_stream(device), &t)
                                 : device->backend->zero(cpi_stream(device), t.to, (size_t)cp_nbytes(result));
        if (cpi_ending_named(name, code) != CP_OK) {
            cp_free(result);
            result = NULL;
        }
    }
    for (int i = 0; i < 4; i++) cp_free(dense[i]);
    return result;
}
