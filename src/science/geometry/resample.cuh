/* Splines in kernels: values at positions, and the filter of their coefficients. This header needs no CUDA header, so
 * that tests compile it for the CPU (tests/python/test_geometry_kernels.py). */
#ifndef CPI_RESAMPLE_CUH
#define CPI_RESAMPLE_CUH

#include "geometry/spline.h"
#include "loop/unravel.cuh"

enum { CPI_RESAMPLE_DIMS = 64 }; /* CP_MAXDIM */

/* cpi_resample (geometry.h), with the sizes that kernels need. */
struct cpi_resample_args {
    int order, in_ndim, out_ndim, kind; /* kind: 0 affine, 1 steps, 2 centres, 3 given */
    cpi_boundary mode;
    double cval, pad;
    int64_t n, in_size, out_size;       /* of all results; of an image, and its results */
    int64_t in_shape[CPI_RESAMPLE_DIMS], out_shape[CPI_RESAMPLE_DIMS];
    bool small;                         /* out_size < 2^31, and up to three axes: by[d] divides by out_shape[d] */
    cpi_divisor by[3];
    double length[3];                   /* in_shape, of up to three axes */
    const double *place;                /* NULL: numbers */
    double numbers[32];
    const void *from;
    void *to;
};

/* Conversions are slow: a quarter of the rate of additions. */
__device__ __forceinline__ double cpi_exact_double(uint32_t i)
{
#ifdef __CUDA_ARCH__
    return __hiloint2double(0x43300000, (int)i) - 4503599627370496.0; /* 2^52 + i */
#else
    return (double)i;
#endif
}
/* floor(x) of 0 <= x < 2^31, and that as an integer: rounding instructions are as slow as conversions. */
__device__ __forceinline__ double cpi_exact_floor(double x, int *whole)
{
#ifdef __CUDA_ARCH__
    const double sum = __dadd_rd(x, 4503599627370496.0); /* 2^52 */
    *whole = __double2loint(sum);
    return sum - 4503599627370496.0;
#else
    const double whole_double = floor(x);
    *whole = (int)whole_double;
    return whole_double;
#endif
}

/* Positions along all axes of the input, ND of them (0: any number up to MOST), of result k of an image. */
template <int ND, int MOST>
__device__ __forceinline__ void cpi_resample_positions(const cpi_resample_args &g, int64_t k, double *at)
{
    const int nd = ND ? ND : g.in_ndim, od = ND ? ND : g.out_ndim;
    if (g.kind == 3) {
#pragma unroll
        for (int d = 0; d < nd; d++) at[d] = g.place[d * g.out_size + k] + g.pad;
        return;
    }
    double index[MOST];
    if (ND && g.small) {
        uint32_t rest = (uint32_t)k;
#pragma unroll
        for (int d = (ND ? ND : 1) - 1; d > 0; d--) index[d] = cpi_exact_double(cpi_index_along(g.by[d], rest));
        index[0] = cpi_exact_double(rest);
    } else {
#pragma unroll
        for (int d = od - 1; d > 0; d--) index[d] = (double)cpi_index_along(g.out_shape[d], k);
        index[0] = (double)k;
    }
    auto number = [&](int64_t i) { return g.place ? g.place[i] : g.numbers[i]; };
#pragma unroll
    for (int d = 0; d < nd; d++) {
        if (g.kind == 0) {
            const int64_t m = (int64_t)d * (od + 1);
            double sum = number(m + od);
#pragma unroll
            for (int j = 0; j < od; j++) sum = sum + index[j] * number(m + j);
            at[d] = sum + g.pad;
        } else {
            const double zoom = number(2 * d), i = index[d] + number(2 * d + 1);
            at[d] = (g.kind == 2 ? (i + 0.5) * zoom - 0.5 : i * zoom) + g.pad;
        }
    }
}

/* The sum over taps of axes d .. of weights times elements; unless all lie INSIDE, an offset of -1 is cval. */
template <class T, int ND, int TAPS, int D, bool INSIDE>
__device__ __forceinline__ double cpi_resample_sum(const T *p, const double (&w)[ND][TAPS],
                                                   const int64_t (&offset)[ND][TAPS], double cval)
{
    double sum = 0;
#pragma unroll
    for (int t = 0; t < TAPS; t++) {
        double v;
        if (!INSIDE && offset[D][t] < 0) v = cval;
        else if constexpr (D + 1 == ND) v = (double)p[offset[D][t]];
        else v = cpi_resample_sum<T, ND, TAPS, D + 1, INSIDE>(p + offset[D][t], w, offset, cval);
        sum += w[D][t] * v;
    }
    return sum;
}

/* The value at positions, of ND axes and an order that are known. */
template <class T, int ND, int ORDER>
__device__ __forceinline__ double cpi_resample_known(const cpi_resample_args &g, const T *p, double (&at)[ND])
{
    double w[ND][ORDER + 1];
    int64_t offset[ND][ORDER + 1], stride = 1;
    bool inside = true;
#pragma unroll
    for (int d = ND - 1; d >= 0; d--) {
        const int64_t n = g.in_shape[d];
        double first, x;
        int whole = -1; /* unless the position lies in the axis: the element of `first` */
        if (at[d] >= 0 && at[d] <= g.length[d] - 1 && n < (int64_t)1 << 31) {
            x = at[d] - cpi_exact_floor(ORDER & 1 ? at[d] : at[d] + 0.5, &whole);
            whole -= ORDER / 2;
            first = whole;
        } else {
            at[d] = cpi_position_within(at[d], n, g.mode);
            if (cpi_is_outside(at[d], g.mode)) return g.cval;
            first = cpi_spline_first(at[d], ORDER);
            x = at[d] - floor(ORDER & 1 ? at[d] : at[d] + 0.5);
        }
        cpi_spline_weights_at(x, ORDER, w[d]);
        if (whole >= 0 && whole + ORDER < n) { /* all taps are elements */
            const int64_t base = whole * stride;
#pragma unroll
            for (int t = 0; t <= ORDER; t++) offset[d][t] = base + t * stride;
        } else {
            inside = false;
#pragma unroll
            for (int t = 0; t <= ORDER; t++) {
                const int64_t i = cpi_spline_tap(first, t, n, g.mode);
                offset[d][t] = i < 0 ? -1 : i * stride;
            }
        }
        stride *= n;
    }
    return inside ? cpi_resample_sum<T, ND, ORDER + 1, 0, true>(p, w, offset, g.cval)
                  : cpi_resample_sum<T, ND, ORDER + 1, 0, false>(p, w, offset, g.cval);
}

/* The same of up to MOST axes and any order: taps are counted like digits. */
template <class T, int MOST>
__device__ double cpi_resample_any(const cpi_resample_args &g, const T *p, double *at)
{
    double w[MOST][CPI_SPLINE_TAPS], part[MOST];
    double first[MOST];
    int tap[MOST];
    for (int d = 0; d < g.in_ndim; d++) {
        at[d] = cpi_position_within(at[d], g.in_shape[d], g.mode);
        if (cpi_is_outside(at[d], g.mode)) return g.cval;
        first[d] = cpi_spline_first(at[d], g.order);
        cpi_spline_weights(at[d], g.order, w[d]);
        tap[d] = 0, part[d] = 0;
    }
    /* part[d]: the sum over the taps of axis d so far, for the present taps of the axes before it */
    for (;;) {
        int64_t offset = 0;
        int d = 0;
        bool constant = false;
        for (; d < g.in_ndim && !constant; d++) {
            const int64_t i = cpi_spline_tap(first[d], tap[d], g.in_shape[d], g.mode);
            constant = i < 0;
            offset = offset * g.in_shape[d] + i;
        }
        double v = constant ? g.cval : (double)p[offset];
        for (d--; d >= 0; d--) { /* an axis whose last tap was added passes its sum to the one before */
            part[d] += w[d][tap[d]] * v;
            if (++tap[d] <= g.order) break;
            v = part[d];
            tap[d] = 0, part[d] = 0;
        }
        if (d < 0) return v;
    }
}

/* --- the filter --- */

struct cpi_spline_args {
    int order, pole_number;
    cpi_spline_ends ends;
    int64_t outer, n, inner, segments;
    double gain;        /* elements are multiplied by it before the first pole's first recursion */
    const void *from;
    double *to;
};
enum { CPI_SPLINE_SEGMENT = 128 };

/* Where line and segment of a thread begin; neighbouring threads have neighbouring lines. */
__device__ __forceinline__ int64_t cpi_spline_line(const cpi_spline_args &g, int64_t thread, int64_t *segment)
{
    const int64_t lines = g.outer * g.inner, line = thread % lines;
    *segment = thread / lines;
    return line / g.inner * g.n * g.inner + line % g.inner;
}

/* The first element of the recursion forwards. */
template <class T>
__device__ double cpi_spline_begin(const cpi_spline_args &g, const T *a, double z)
{
    const int64_t n = g.n, terms = n - 1 < CPI_SPLINE_HORIZON ? n - 1 : CPI_SPLINE_HORIZON;
    const double end = cpi_spline_power(z, g.ends == CPI_SPLINE_MIRROR ? n - 1 : n), first = (double)a[0] * g.gain;
    double sum = g.ends == CPI_SPLINE_WRAP ? first : first + end * ((double)a[(n - 1) * g.inner] * g.gain), power = z;
    for (int64_t i = 1; i <= terms; i++, power *= z) {
        if (g.ends == CPI_SPLINE_WRAP)
            sum += power * ((double)a[(n - i) * g.inner] * g.gain);
        else if (g.ends == CPI_SPLINE_REFLECT || i < n - 1)
            sum += power * ((double)a[i * g.inner] * g.gain + end * ((double)a[(n - 1 - i) * g.inner] * g.gain));
    }
    if (g.ends == CPI_SPLINE_MIRROR) return sum / (1 - end * end);
    return g.ends == CPI_SPLINE_WRAP ? sum / (1 - end) : first + sum * (z / (1 - end * end));
}

/* The last element of the recursion backwards. */
__device__ __forceinline__ double cpi_spline_turn(const cpi_spline_args &g, const double *b, double z)
{
    const int64_t n = g.n, terms = n - 1 < CPI_SPLINE_HORIZON ? n - 1 : CPI_SPLINE_HORIZON;
    const double last = b[(n - 1) * g.inner];
    if (g.ends == CPI_SPLINE_MIRROR) return (z * b[(n - 2) * g.inner] + last) * z / (z * z - 1);
    if (g.ends == CPI_SPLINE_REFLECT) return last * (z / (z - 1));
    double sum = last, power = z;
    for (int64_t i = 0; i < terms; i++, power *= z) sum += power * b[i * g.inner];
    return sum * (z / (cpi_spline_power(z, n) - 1));
}

/* A segment of the recursion forwards: it begins CPI_SPLINE_HORIZON elements before, where what came earlier has no
 * weight. `from` is not `to`. */
template <class T> __device__ void cpi_spline_forwards(const cpi_spline_args &g, int64_t thread)
{
    int64_t segment;
    double pole[2];
    const int64_t base = cpi_spline_line(g, thread, &segment), first = segment * CPI_SPLINE_SEGMENT;
    const int64_t end = first + CPI_SPLINE_SEGMENT < g.n ? first + CPI_SPLINE_SEGMENT : g.n;
    const T *a = (const T *)g.from + base;
    double *b = g.to + base;
    cpi_spline_poles(g.order, pole);
    const double z = pole[g.pole_number];
    int64_t i = first - CPI_SPLINE_HORIZON;
    double c = i > 0 ? (double)a[i * g.inner] * g.gain : cpi_spline_begin(g, a, z);
    if (i < 0) i = 0;
    if (i >= first) b[i * g.inner] = c;
    for (i++; i < end; i++) {
        c = (double)a[i * g.inner] * g.gain + z * c;
        if (i >= first) b[i * g.inner] = c;
    }
}

/* The same backwards. */
__device__ __forceinline__ void cpi_spline_backwards(const cpi_spline_args &g, int64_t thread)
{
    int64_t segment;
    double pole[2];
    const int64_t base = cpi_spline_line(g, thread, &segment), first = segment * CPI_SPLINE_SEGMENT;
    const int64_t end = first + CPI_SPLINE_SEGMENT < g.n ? first + CPI_SPLINE_SEGMENT : g.n;
    const double *a = (const double *)g.from + base;
    double *b = g.to + base;
    cpi_spline_poles(g.order, pole);
    const double z = pole[g.pole_number];
    int64_t i = end - 1 + CPI_SPLINE_HORIZON;
    double c = i < g.n - 1 ? -z * a[i * g.inner] : cpi_spline_turn(g, a, z);
    if (i > g.n - 1) i = g.n - 1;
    if (i < end) b[i * g.inner] = c;
    for (i--; i >= first; i--) {
        c = z * (c - a[i * g.inner]);
        if (i < end) b[i * g.inner] = c;
    }
}

#endif
