/* The magnitude of complex numbers: a root of a sum of squares, which no part overflows or is lost in. float goes
 * through double, where its squares always fit; of double that is so between 2^-480 and 2^511, and a stretch with any
 * other number in it (but 0) goes through the scalar body. Within 1 ulp, and the same bits in every instruction set. */
#include <math.h>

#include "elementwise/loops.h"
#include "scalar/scalar.h"

enum { SEGMENT = 64 };

void CPI_ISA_NAME(cpi_absolute_c64)(void *const *op, int64_t n, unsigned s)
{
    float *out = op[0];
    const cp_complex64 *a = op[1];
    (void)s;
    for (int64_t i = 0; i < n; i += SEGMENT) {
        const int64_t m = n - i < SEGMENT ? n - i : SEGMENT;
        float r[SEGMENT];
        int wild = 0; /* NaN may stand beside an infinity */
#pragma GCC ivdep
        for (int64_t k = 0; k < m; k++) {
            const double x = a[i + k].re, y = a[i + k].im;
            r[k] = (float)sqrt(x * x + y * y);
            wild |= !(r[k] == r[k]);
        }
        for (int64_t k = 0; wild && k < m; k++) r[k] = cps_hypotf(a[i + k].re, a[i + k].im);
        for (int64_t k = 0; k < m; k++) out[i + k] = r[k];
    }
}

void CPI_ISA_NAME(cpi_absolute_c128)(void *const *op, int64_t n, unsigned s)
{
    double *out = op[0];
    const cp_complex128 *a = op[1];
    (void)s;
    for (int64_t i = 0; i < n; i += SEGMENT) {
        const int64_t m = n - i < SEGMENT ? n - i : SEGMENT;
        double r[SEGMENT];
        int wild = 0;
#pragma GCC ivdep
        for (int64_t k = 0; k < m; k++) {
            const double x = fabs(a[i + k].re), y = fabs(a[i + k].im), most = x > y ? x : y;
            r[k] = sqrt(x * x + y * y);
            wild |= !((most > 0x1p-480) & (most < 0x1p511) & (y == y)) & !((x == 0) & (y == 0));
        }
        for (int64_t k = 0; wild && k < m; k++) r[k] = cps_hypot(a[i + k].re, a[i + k].im);
        for (int64_t k = 0; k < m; k++) out[i + k] = r[k];
    }
}
