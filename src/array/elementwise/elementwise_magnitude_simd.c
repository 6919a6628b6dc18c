/* The magnitude of complex numbers: the root of a sum of squares, without overflow or underflow of a part. float goes
 * through double, where its squares always fit. For double they fit between 2^-480 and 2^511; any other number (except
 * 0) goes through the scalar body. A number's bits do not depend on its neighbours or the instruction set. Within 1.3
 * ulp; NumPy's are within 2. */
#include <math.h>

#include "elementwise/loops.h"
#include "scalar/scalar.h"

enum { SEGMENT = 64 };

/* Whether the squares of the parts, of which y is the imaginary one, and their sum are normal numbers, or 0. */
CPS_MATH int fits(double x, double y)
{
    const double most = x > y ? x : y;
    return ((most > 0x1p-480) & (most < 0x1p511) & (y == y)) | ((x == 0) & (y == 0));
}

void CPI_ISA_NAME(cpi_absolute_c64)(void *const *op, int64_t n, unsigned s)
{
    float *out = op[0];
    const cp_complex64 *a = op[1];
    (void)s;
    for (int64_t i = 0; i < n; i += SEGMENT) {
        const int64_t m = n - i < SEGMENT ? n - i : SEGMENT;
        float r[SEGMENT];
        int wild = 0; /* NaN beside an infinity is possible */
#pragma GCC ivdep
        for (int64_t k = 0; k < m; k++) {
            const double x = a[i + k].re, y = a[i + k].im;
            r[k] = (float)sqrt(x * x + y * y);
            wild |= !(r[k] == r[k]);
        }
        for (int64_t k = 0; wild && k < m; k++)
            if (!(r[k] == r[k])) r[k] = cps_hypotf(a[i + k].re, a[i + k].im);
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
            const double x = fabs(a[i + k].re), y = fabs(a[i + k].im);
            r[k] = sqrt(x * x + y * y);
            wild |= !fits(x, y);
        }
        for (int64_t k = 0; wild && k < m; k++)
            if (!fits(fabs(a[i + k].re), fabs(a[i + k].im))) r[k] = cps_hypot(a[i + k].re, a[i + k].im);
        for (int64_t k = 0; k < m; k++) out[i + k] = r[k];
    }
}
