/* What is computed at one place, shared by C17 and CUDA C++: intervals, B-splines, polynomials, radial functions. The
 * order of operations is SciPy's. */
#ifndef CPI_SPLINES_EACH_H
#define CPI_SPLINES_EACH_H

#include <math.h>

#include "splines/splines.h"

#ifdef __CUDACC__
#define CPI_EACH static __host__ __device__ __forceinline__
#else
#define CPI_EACH static inline __attribute__((always_inline))
#endif

/* The largest i in low .. high with x[i] <= at; low where there is none. */
CPI_EACH int64_t cpi_interval_between(const double *x, double at, int64_t low, int64_t high)
{
    while (low < high) {
        const int64_t middle = (low + high + 1) / 2;
        if (x[middle] <= at) low = middle;
        else high = middle - 1;
    }
    return low;
}

/* The same of breakpoints that descend. */
CPI_EACH int64_t cpi_interval_descending(const double *x, double at, int64_t n)
{
    int64_t low = 0, high = n - 1;
    while (low < high) {
        const int64_t middle = (low + high + 1) / 2;
        if (x[middle] >= at) low = middle;
        else high = middle - 1;
    }
    return low;
}

/* --- B-splines --- */

/* The cubic ones at x, t[0] <= x < t[1]. */
CPI_EACH void cpi_cubic_basis(const double *t, double x, double *w)
{
    const double r0 = t[1] - x, l0 = x - t[0], d0 = t[1] - t[0], u = d0 != 0 ? 1 / d0 : 0;
    const double a0 = u * r0, a1 = u * l0;
    const double d1 = t[1] - t[-1], d2 = t[2] - t[0], u1 = d1 != 0 ? a0 / d1 : 0, u2 = d2 != 0 ? a1 / d2 : 0;
    const double r1 = t[2] - x, l1 = x - t[-1];
    const double b0 = u1 * r0, b1 = u1 * l1 + u2 * r1, b2 = u2 * l0;
    const double e1 = t[1] - t[-2], e2 = t[2] - t[-1], e3 = t[3] - t[0];
    const double v1 = e1 != 0 ? b0 / e1 : 0, v2 = e2 != 0 ? b1 / e2 : 0, v3 = e3 != 0 ? b2 / e3 : 0;
    w[0] = v1 * r0;
    w[1] = v1 * (x - t[-2]) + v2 * r1;
    w[2] = v2 * l1 + v3 * (t[3] - x);
    w[3] = v3 * l0;
}

/* h[0..k]: B-splines l-k .. l at x, or their derivatives; h has 2 (k + 1) elements. De Boor's recurrence. */
CPI_EACH void cpi_bspline_basis(const double *t, double x, int k, int64_t l, int nu, double *h)
{
    double *hh = h + k + 1;
    for (int i = 0; i <= k; i++) h[i] = 0;
    if (nu > k) return;
    h[0] = 1;
    for (int j = 1; j <= k; j++) {
        for (int i = 0; i < j; i++) hh[i] = h[i];
        h[0] = 0;
        for (int i = 1; i <= j; i++) {
            const double xb = t[l + i], xa = t[l + i - j];
            if (xb == xa) {
                h[i] = 0;
            } else if (j <= k - nu) {
                const double w = hh[i - 1] / (xb - xa);
                h[i - 1] += w * (xb - x);
                h[i] = w * (x - xa);
            } else {
                const double w = j * hh[i - 1] / (xb - xa);
                h[i - 1] -= w;
                h[i] = w;
            }
        }
    }
}

/* Is there an interval for x? Without extrapolation NaN outside of the base; NaN always. */
CPI_EACH bool cpi_inside(double x, double low, double high, bool extrapolate)
{
    return x == x && (extrapolate || (x >= low && x <= high));
}

/* --- polynomials --- */

/* sum of c[k - 1 - i] s^i, or a derivative; `step`: between coefficients. */
CPI_EACH double cpi_powers(const double *c, int64_t step, int k, double s, int nu)
{
    double r = 0, z = 1;
    for (int i = nu; i < k; i++) {
        double factor = 1;
        for (int j = i; j > i - nu; j--) factor *= j;
        r += c[(k - 1 - i) * step] * z * factor;
        if (i < k - 1) z *= s;
    }
    return r;
}

/* Bernstein's polynomial at the part s of the interval. */
CPI_EACH double cpi_bernstein(const double *c, int64_t step, int k, double s)
{
    const int n = k - 1;
    const double u = 1 - s;
    if (n == 0) return c[0];
    if (n == 1) return c[0] * u + c[step] * s;
    if (n == 2) return c[0] * u * u + c[step] * 2 * u * s + c[2 * step] * s * s;
    if (n == 3)
        return c[0] * u * u * u + c[step] * 3 * u * u * s + c[2 * step] * 3 * u * s * s + c[3 * step] * s * s * s;
    double power = 1, choose = 1, r = c[0] * u;
    for (int i = 1; i < n; i++) {
        power *= s;
        choose *= (double)(n - i + 1) / i;
        r = (r + power * choose * c[i * step]) * u;
    }
    return r + power * s * c[n * step];
}

/* --- several variables --- */

/* One axis of a tensor product, in interval l: the first coefficient's index, and weights of the degree + 1 from there;
 * -1 outside. `h` has 2 (degree + 1) elements. */
CPI_EACH int64_t cpi_tensor_weights(const cpi_tensor *p, int d, double x, int64_t l, double *h)
{
    const double *t = p->knots[d];
    const int64_t n = p->lengths[d];
    if (p->kind == CPI_TENSOR_BSPLINES) {
        const int k = p->degree[d];
        if (!cpi_inside(x, t[k], t[n], p->extrapolate)) return -1;
        cpi_bspline_basis(t, x, k, l, p->nu[d], h);
        return l - k;
    }
    if (p->kind == CPI_TENSOR_POWERS) {
        if (!cpi_inside(x, t[0], t[n], p->extrapolate)) return -1;
        const int k = p->degree[d] + 1, nu = p->nu[d];
        double z = 1;
        for (int i = 0; i < k; i++) { /* the weight of the power i */
            double factor = 1;
            for (int j = i; j > i - nu; j--) factor *= j;
            h[k - 1 - i] = i < nu ? 0 : z * factor;
            if (i >= nu) z *= x - t[l];
        }
        return l;
    }
    if (!cpi_inside(x, t[0], t[n - 1], p->extrapolate)) return -1;
    const double width = n > 1 ? t[l + 1] - t[l] : 0, part = width != 0 ? (x - t[l]) / width : 0;
    if (p->kind == CPI_TENSOR_NEAREST) return part <= 0.5 ? l : l + 1;
    h[0] = 1 - part;
    h[1] = part;
    return l;
}

CPI_EACH int64_t cpi_tensor_axis(const cpi_tensor *p, int d, double x, double *h)
{
    if (x != x) return -1;
    const int64_t n = p->lengths[d], low = p->kind == CPI_TENSOR_BSPLINES ? p->degree[d] : 0;
    const int64_t high = n - (p->kind == CPI_TENSOR_LINEAR || p->kind == CPI_TENSOR_NEAREST ? 2 : 1);
    return cpi_tensor_weights(p, d, x, cpi_interval_between(p->knots[d], x, low, high), h);
}

/* The value of the tensor product at a place, of column j. `first`, `h`: what the axes gave. */
CPI_EACH double cpi_tensor_sum(const cpi_tensor *p, const int64_t *first, const double *h, int64_t j)
{
    const int nd = p->ndim;
    int at[CPI_TENSOR_DIMS];
    double r = 0;
    for (int d = 0; d < nd; d++) at[d] = 0;
    for (;;) {
        double weight = 1;
        int64_t index = 0, offset = 0, base = 0;
        for (int d = 0; d < nd; d++) {
            const int count = p->kind == CPI_TENSOR_NEAREST ? 0 : p->degree[d] + 1;
            if (count) weight *= h[offset + at[d]];
            offset += 2 * count;
            if (p->kind == CPI_TENSOR_POWERS) {
                index = index * count + at[d];
                base = base * p->lengths[d] + first[d];
            } else if (p->lengths[d] > 1) {
                index = index * p->lengths[d] + first[d] + at[d];
            }
        }
        if (p->kind == CPI_TENSOR_POWERS) {
            for (int d = 0; d < nd; d++) index *= p->lengths[d];
            index += base;
        }
        r += weight * p->c[index * p->m + j];
        int d = nd - 1;
        for (; d >= 0; d--) {
            if (p->kind != CPI_TENSOR_NEAREST && at[d] < p->degree[d]) {
                at[d]++;
                break;
            }
            at[d] = 0;
        }
        if (d < 0) return r;
    }
}

/* --- radial functions --- */

CPI_EACH double cpi_radial(cp_rbf_kernel kernel, double square)
{
    switch ((int)kernel) {
        case CP_RBF_KERNEL_THIN_PLATE_SPLINE: return square == 0 ? 0 : 0.5 * square * log(square);
        case CP_RBF_KERNEL_LINEAR: return -sqrt(square);
        case CP_RBF_KERNEL_CUBIC: return square * sqrt(square);
        case CP_RBF_KERNEL_QUINTIC: return -(square * square * sqrt(square));
        case CP_RBF_KERNEL_MULTIQUADRIC: return -sqrt(square + 1);
        case CP_RBF_KERNEL_INVERSE_MULTIQUADRIC: return 1 / sqrt(square + 1);
        case CP_RBF_KERNEL_INVERSE_QUADRATIC: return 1 / (square + 1);
        default: return exp(-square);
    }
}

CPI_EACH double cpi_square_distance(const double *a, const double *b, int64_t n)
{
    double r = 0;
    for (int64_t i = 0; i < n; i++) r += (a[i] - b[i]) * (a[i] - b[i]);
    return r;
}

/* The frame of coordinate d of a system's points: its middle, and half its extent or 1. */
CPI_EACH void cpi_rbf_shift(const cpi_rbf_near *p, int64_t system, int64_t d, double *shift, double *scale)
{
    const int64_t *which = p->which + system * p->n;
    double low = p->y[which[0] * p->ndim + d], high = low;
    bool nan = false;
    for (int64_t k = 0; k < p->n; k++) {
        const double v = p->y[which[k] * p->ndim + d];
        nan |= v != v;
        low = v < low ? v : low;
        high = v > high ? v : high;
    }
    *shift = nan ? NAN : (low + high) / 2;
    *scale = nan ? NAN : high == low ? 1 : (high - low) / 2;
}
/* Monomial `term` of a point in a frame. */
CPI_EACH double cpi_rbf_monomial(const cpi_rbf_near *p, int64_t term, const double *at, const double *shift,
                                 const double *scale)
{
    double product = 1;
    for (int64_t d = 0; d < p->ndim; d++)
        for (int64_t k = 0; k < p->powers[term * p->ndim + d]; k++) product *= (at[d] - shift[d]) / scale[d];
    return product;
}

#endif
