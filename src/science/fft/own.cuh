/* What a launch of own_plan.cuh does: lines of n complex elements, each transformed by one block.
 *
 * Passes of radices (Stockham: the order comes out right), in which a thread has one butterfly in registers. Between
 * two passes elements go through shared memory, of which one buffer is enough. The first pass reads a `direct` side
 * from memory, the last one writes it there; others are staged: they go through shared memory there too, as halves do,
 * of which an element needs its mirror image. Forward transforms only: an inverse one exchanges real and imaginary
 * parts before and after.
 *
 * The floor of a launch is its bytes, read once and written once, over the bandwidth. What keeps short lines from it is
 * the fetching of instructions, so that each thing is written once a pass, and what is rare is staged.
 *
 * Roots of unity are computed, without tables: those of 1, 2, 4 and 8 times a butterfly's angle, rounded about once,
 * the others as products of two to four of them. */
#ifndef CPI_FFT_OWN_CUH
#define CPI_FFT_OWN_CUH

#include "fft/own_plan.cuh"

#define CPI_FFT_OWN_DEVICE static __device__ __forceinline__

template <class T> struct alignas(2 * sizeof(T)) cpi_fft_number { T re, im; };

CPI_FFT_OWN_DEVICE float cpi_fft_fma(float a, float b, float c) { return fmaf(a, b, c); }
CPI_FFT_OWN_DEVICE double cpi_fft_fma(double a, double b, double c) { return fma(a, b, c); }
template <class T> CPI_FFT_OWN_DEVICE cpi_fft_number<T> cpi_fft_sum(cpi_fft_number<T> a, cpi_fft_number<T> b)
{
    return {a.re + b.re, a.im + b.im};
}
template <class T> CPI_FFT_OWN_DEVICE cpi_fft_number<T> cpi_fft_less(cpi_fft_number<T> a, cpi_fft_number<T> b)
{
    return {a.re - b.re, a.im - b.im};
}
template <class T> CPI_FFT_OWN_DEVICE cpi_fft_number<T> cpi_fft_times(cpi_fft_number<T> a, cpi_fft_number<T> b)
{
    return {cpi_fft_fma(a.re, b.re, -(a.im * b.im)), cpi_fft_fma(a.re, b.im, a.im * b.re)};
}
/* Times -i. */
template <class T> CPI_FFT_OWN_DEVICE cpi_fft_number<T> cpi_fft_right(cpi_fft_number<T> a) { return {a.im, -a.re}; }
template <class T> CPI_FFT_OWN_DEVICE cpi_fft_number<T> cpi_fft_swapped(cpi_fft_number<T> a, bool swap)
{
    return swap ? cpi_fft_number<T>{a.im, a.re} : a;
}

/* --- roots of unity --- */

/* Sine and cosine of a + d, |a| up to 0.8, WIDE up to 1.8; d below an ulp of a: rounded about once. Taylor's series. */
template <bool WIDE> CPI_FFT_OWN_DEVICE void cpi_fft_turn(float a, float d, float *sine, float *cosine)
{
    const float x = a * a;
    float s = 1.0f / 362880, c = -1.0f / 3628800;
    if (WIDE) {
        s = fmaf(fmaf(1.0f / 6227020800, x, -1.0f / 39916800), x, s);
        c = fmaf(fmaf(-1.0f / 87178291200, x, 1.0f / 479001600), x, c);
    }
    s = fmaf(s, x, -1.0f / 5040), c = fmaf(c, x, 1.0f / 40320);
    s = fmaf(s, x, 1.0f / 120), c = fmaf(c, x, -1.0f / 720);
    s = fmaf(s, x, -1.0f / 6), c = fmaf(c, x, 1.0f / 24);
    c = fmaf(c, x, -0.5f);
    *sine = a + fmaf(s, a * x, WIDE ? d * fmaf(c, x, 1) : d), *cosine = 1 + fmaf(c, x, -d * a);
}
template <bool WIDE> CPI_FFT_OWN_DEVICE void cpi_fft_turn(double a, double d, double *sine, double *cosine)
{
    const double x = a * a;
    double s = 1.0 / 355687428096000, c = 1.0 / 20922789888000;
    if (WIDE) {
        s = fma(fma(1.0 / 51090942171709440000.0, x, -1.0 / 121645100408832000.0), x, s);
        c = fma(fma(fma(-1.0 / 1124000727777607680000.0, x, 1.0 / 2432902008176640000.0), x, -1.0 / 6402373705728000.0),
                x, c);
    }
    s = fma(s, x, -1.0 / 1307674368000), c = fma(c, x, -1.0 / 87178291200);
    s = fma(s, x, 1.0 / 6227020800), c = fma(c, x, 1.0 / 479001600);
    s = fma(s, x, -1.0 / 39916800), c = fma(c, x, -1.0 / 3628800);
    s = fma(s, x, 1.0 / 362880), c = fma(c, x, 1.0 / 40320);
    s = fma(s, x, -1.0 / 5040), c = fma(c, x, -1.0 / 720);
    s = fma(s, x, 1.0 / 120), c = fma(c, x, 1.0 / 24);
    s = fma(s, x, -1.0 / 6), c = fma(c, x, -0.5);
    *sine = a + fma(s, a * x, WIDE ? d * fma(c, x, 1) : d), *cosine = 1 + fma(c, x, -d * a);
}

CPI_FFT_OWN_DEVICE float cpi_fft_step(const cpi_fft_circle &c, float) { return c.step; }
CPI_FFT_OWN_DEVICE float cpi_fft_left(const cpi_fft_circle &c, float) { return c.left; }
CPI_FFT_OWN_DEVICE double cpi_fft_step(const cpi_fft_circle &c, double) { return c.wide_step; }
CPI_FFT_OWN_DEVICE double cpi_fft_left(const cpi_fft_circle &c, double) { return c.wide_left; }

/* exp(-2 pi i rest / (4 c.n)), for an angle of at most 0.8 or 1.8. */
template <bool WIDE, class T> CPI_FFT_OWN_DEVICE cpi_fft_number<T> cpi_fft_near(const cpi_fft_circle &c, int rest)
{
    const T step = cpi_fft_step(c, T()), a = (T)rest * step;
    T sine, cosine;
    cpi_fft_turn<WIDE>(a, cpi_fft_fma((T)rest, step, -a) + (T)rest * cpi_fft_left(c, T()), &sine, &cosine);
    return {cosine, -sine};
}

/* exp(-2 pi i e / c.n), e < c.n. The nearest multiple of a quarter is taken off exactly. */
template <class T> CPI_FFT_OWN_DEVICE cpi_fft_number<T> cpi_fft_circle_root(const cpi_fft_circle &c, uint32_t e)
{
    const int quarter = (int)rintf((float)e * c.quarters);
    const cpi_fft_number<T> w = cpi_fft_near<false, T>(c, (int)(4 * e) - quarter * (int)c.n);
    const T x = quarter & 1 ? w.im : w.re, y = quarter & 1 ? -w.re : w.im;
    return {quarter & 2 ? -x : x, quarter & 2 ? -y : y};
}

/* w[t] = the root of e t, 0 < t < R, e / c.n below 1 / R. */
template <int R, class T>
CPI_FFT_OWN_DEVICE void cpi_fft_roots(const cpi_fft_circle &c, uint32_t e, cpi_fft_number<T> *w)
{
#pragma unroll
    for (int t = 1; t < R; t++) {
        const int high = t >= 8 ? 8 : t >= 4 ? 4 : t >= 2 ? 2 : 1;
        if (t != high) w[t] = cpi_fft_times(w[high], w[t - high]);
        else if (8 * t <= R) w[t] = cpi_fft_near<false, T>(c, (int)(4 * e * t));
        else if (7 * t <= 2 * R) w[t] = cpi_fft_near<true, T>(c, (int)(4 * e * t));
        else w[t] = cpi_fft_circle_root<T>(c, e * t);
    }
}

/* --- butterflies: v[k] becomes the sum over j of v[j] exp(-2 pi i j k / R) --- */

/* Of 2 pi k / r, where an angle is no multiple of a quarter: r 3, 5, 7, 11; 0 < k <= r / 2. */
__host__ __device__ constexpr double cpi_fft_cosine_of(int r, int k)
{
    constexpr double of[] = {
        -0.5, 0.30901699437494742410, -0.80901699437494742410, 0.62348980185873353053, -0.22252093395631440429,
        -0.90096886790241912624, 0.84125353283118116886, 0.41541501300188642553, -0.14231483827328514044,
        -0.65486073394528506406, -0.95949297361449738989};
    return of[(r == 3 ? 0 : r == 5 ? 1 : r == 7 ? 3 : 6) + k - 1];
}
__host__ __device__ constexpr double cpi_fft_sine_of(int r, int k)
{
    constexpr double of[] = {
        0.86602540378443864676, 0.95105651629515357212, 0.58778525229247312917, 0.78183148246802980871,
        0.97492791218182360702, 0.43388373911755812048, 0.54064081745559758211, 0.90963199535451837141,
        0.98982144188093273238, 0.75574957435425828378, 0.28173255684142969771};
    return of[(r == 3 ? 0 : r == 5 ? 1 : r == 7 ? 3 : 6) + k - 1];
}

/* An odd prime: by sums and differences of v[j] and v[R - j]. */
template <int R, class T> CPI_FFT_OWN_DEVICE void cpi_fft_odd(cpi_fft_number<T> *v)
{
    enum { H = R / 2 };
    cpi_fft_number<T> sum[H], less[H], first = v[0];
#pragma unroll
    for (int j = 1; j <= H; j++) {
        sum[j - 1] = cpi_fft_sum(v[j], v[R - j]), less[j - 1] = cpi_fft_less(v[j], v[R - j]);
        v[0] = cpi_fft_sum(v[0], sum[j - 1]);
    }
#pragma unroll
    for (int k = 1; k <= H; k++) {
        cpi_fft_number<T> a = first, b = {0, 0};
#pragma unroll
        for (int j = 1; j <= H; j++) {
            const int at = j * k % R, near = at <= H ? at : R - at;
            const double sine = cpi_fft_sine_of(R, near);
            const T c = (T)cpi_fft_cosine_of(R, near), s = (T)(at <= H ? sine : -sine);
            a = {cpi_fft_fma(c, sum[j - 1].re, a.re), cpi_fft_fma(c, sum[j - 1].im, a.im)};
            b = {cpi_fft_fma(s, less[j - 1].re, b.re), cpi_fft_fma(s, less[j - 1].im, b.im)};
        }
        v[k] = cpi_fft_sum(a, cpi_fft_right(b));
        v[R - k] = cpi_fft_less(a, cpi_fft_right(b));
    }
}

template <class T>
CPI_FFT_OWN_DEVICE void cpi_fft_four(cpi_fft_number<T> &a, cpi_fft_number<T> &b, cpi_fft_number<T> &c,
                                     cpi_fft_number<T> &d)
{
    const cpi_fft_number<T> even = cpi_fft_sum(a, c), odd = cpi_fft_sum(b, d), even2 = cpi_fft_less(a, c);
    const cpi_fft_number<T> odd2 = cpi_fft_right(cpi_fft_less(b, d));
    a = cpi_fft_sum(even, odd), b = cpi_fft_sum(even2, odd2);
    c = cpi_fft_less(even, odd), d = cpi_fft_less(even2, odd2);
}

template <class T> CPI_FFT_OWN_DEVICE void cpi_fft_eight(cpi_fft_number<T> *v)
{
    const T half = (T)0.70710678118654752440;
    cpi_fft_four(v[0], v[2], v[4], v[6]);
    cpi_fft_four(v[1], v[3], v[5], v[7]);
    v[3] = {(v[3].re + v[3].im) * half, (v[3].im - v[3].re) * half};
    v[5] = cpi_fft_right(v[5]);
    v[7] = {(v[7].im - v[7].re) * half, -(v[7].re + v[7].im) * half};
    cpi_fft_number<T> low[4], high[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        low[k] = cpi_fft_sum(v[2 * k], v[2 * k + 1]);
        high[k] = cpi_fft_less(v[2 * k], v[2 * k + 1]);
    }
#pragma unroll
    for (int k = 0; k < 4; k++) v[k] = low[k], v[k + 4] = high[k];
}

template <class T> CPI_FFT_OWN_DEVICE void cpi_fft_sixteen(cpi_fft_number<T> *v)
{
    const T c = (T)0.92387953251128675613, s = (T)0.38268343236508977173, half = (T)0.70710678118654752440;
#pragma unroll
    for (int i = 0; i < 4; i++) cpi_fft_four(v[i], v[i + 4], v[i + 8], v[i + 12]);
    v[5] = cpi_fft_times(v[5], cpi_fft_number<T>{c, -s});
    v[6] = {(v[6].re + v[6].im) * half, (v[6].im - v[6].re) * half};
    v[7] = cpi_fft_times(v[7], cpi_fft_number<T>{s, -c});
    v[9] = {(v[9].re + v[9].im) * half, (v[9].im - v[9].re) * half};
    v[10] = cpi_fft_right(v[10]);
    v[11] = {(v[11].im - v[11].re) * half, -(v[11].re + v[11].im) * half};
    v[13] = cpi_fft_times(v[13], cpi_fft_number<T>{s, -c});
    v[14] = {(v[14].im - v[14].re) * half, -(v[14].re + v[14].im) * half};
    v[15] = cpi_fft_times(v[15], cpi_fft_number<T>{-c, s});
    cpi_fft_number<T> of[16];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        cpi_fft_four(v[4 * k], v[4 * k + 1], v[4 * k + 2], v[4 * k + 3]);
#pragma unroll
        for (int m = 0; m < 4; m++) of[k + 4 * m] = v[4 * k + m];
    }
#pragma unroll
    for (int k = 0; k < 16; k++) v[k] = of[k];
}

template <class T> CPI_FFT_OWN_DEVICE void cpi_fft_nine(cpi_fft_number<T> *v)
{
    cpi_fft_number<T> x[3][3];
#pragma unroll
    for (int i = 0; i < 3; i++) {
        x[i][0] = v[i], x[i][1] = v[i + 3], x[i][2] = v[i + 6];
        cpi_fft_odd<3>(x[i]);
    }
    const cpi_fft_number<T> one = {(T)0.76604444311897803520, (T)-0.64278760968653932632};
    const cpi_fft_number<T> two = {(T)0.17364817766693034885, (T)-0.98480775301220805937};
    const cpi_fft_number<T> four = {(T)-0.93969262078590838405, (T)-0.34202014332566873304};
    x[1][1] = cpi_fft_times(x[1][1], one), x[1][2] = cpi_fft_times(x[1][2], two);
    x[2][1] = cpi_fft_times(x[2][1], two), x[2][2] = cpi_fft_times(x[2][2], four);
#pragma unroll
    for (int k = 0; k < 3; k++) {
        cpi_fft_number<T> y[3] = {x[0][k], x[1][k], x[2][k]};
        cpi_fft_odd<3>(y);
        v[k] = y[0], v[k + 3] = y[1], v[k + 6] = y[2];
    }
}

template <int R, class T> CPI_FFT_OWN_DEVICE void cpi_fft_butterfly(cpi_fft_number<T> *v);

/* A and B without a common divisor: rows and columns without factors between them (Good and Thomas). AA A, BB B: 1
 * modulo B, A. */
template <int A, int B, int AA, int BB, class T> CPI_FFT_OWN_DEVICE void cpi_fft_two_factors(cpi_fft_number<T> *v)
{
    cpi_fft_number<T> x[B][A];
#pragma unroll
    for (int b = 0; b < B; b++) {
#pragma unroll
        for (int a = 0; a < A; a++) x[b][a] = v[(B * a + A * b) % (A * B)];
        cpi_fft_butterfly<A>(x[b]);
    }
#pragma unroll
    for (int a = 0; a < A; a++) {
        cpi_fft_number<T> y[B];
#pragma unroll
        for (int b = 0; b < B; b++) y[b] = x[b][a];
        cpi_fft_butterfly<B>(y);
#pragma unroll
        for (int b = 0; b < B; b++) v[(B * BB * a + A * AA * b) % (A * B)] = y[b];
    }
}

template <int R, class T> CPI_FFT_OWN_DEVICE void cpi_fft_butterfly(cpi_fft_number<T> *v)
{
    if constexpr (R == 2) {
        const cpi_fft_number<T> less = cpi_fft_less(v[0], v[1]);
        v[0] = cpi_fft_sum(v[0], v[1]), v[1] = less;
    } else if constexpr (R == 4) cpi_fft_four(v[0], v[1], v[2], v[3]);
    else if constexpr (R == 6) cpi_fft_two_factors<2, 3, 2, 1>(v);
    else if constexpr (R == 8) cpi_fft_eight(v);
    else if constexpr (R == 9) cpi_fft_nine(v);
    else if constexpr (R == 10) cpi_fft_two_factors<2, 5, 3, 1>(v);
    else if constexpr (R == 12) cpi_fft_two_factors<4, 3, 1, 3>(v);
    else if constexpr (R == 15) cpi_fft_two_factors<3, 5, 2, 2>(v);
    else if constexpr (R == 16) cpi_fft_sixteen(v);
    else cpi_fft_odd<R>(v);
}

/* --- loading and storing --- */

template <class T> CPI_FFT_OWN_DEVICE cpi_fft_number<T> cpi_fft_get(const char *p)
{
    if (((uintptr_t)p & (2 * sizeof(T) - 1)) == 0) return *(const cpi_fft_number<T> *)p;
    return {((const T *)p)[0], ((const T *)p)[1]};
}
template <class T> CPI_FFT_OWN_DEVICE void cpi_fft_put(char *p, cpi_fft_number<T> v)
{
    if (((uintptr_t)p & (2 * sizeof(T) - 1)) == 0) *(cpi_fft_number<T> *)p = v;
    else ((T *)p)[0] = v.re, ((T *)p)[1] = v.im;
}

/* Element k of `whole`, of which the first half is at p: its first one, and the middle one of even lengths, is real. */
template <class T>
CPI_FFT_OWN_DEVICE cpi_fft_number<T> cpi_fft_hermite(const cpi_fft_pass &g, const char *p, uint32_t k, uint32_t whole)
{
    const bool mirrored = 2 * k > whole;
    cpi_fft_number<T> v = cpi_fft_get<T>(p + (int64_t)(mirrored ? whole - k : k) * g.in.along);
    if (k == 0 || 2 * k == whole) v.im = 0;
    else if (mirrored != g.conjugate_in) v.im = -v.im;
    return v;
}

template <class T>
CPI_FFT_OWN_DEVICE cpi_fft_number<T> cpi_fft_load_one(const cpi_fft_pass &g, const char *p, uint32_t position,
                                                      uint32_t j)
{
    const int64_t along = g.in.along;
    cpi_fft_number<T> v = {0, 0};
    switch (g.load) {
    case CPI_FFT_LOAD_COMPLEX: v = cpi_fft_get<T>(p + j * along); break;
    case CPI_FFT_LOAD_REAL: v.re = *(const T *)(p + j * along); break;
    case CPI_FFT_LOAD_PAIRS:
        v.re = *(const T *)(p + 2 * j * along), v.im = *(const T *)(p + (2 * j + 1) * along);
        break;
    case CPI_FFT_LOAD_HERMITE: v = cpi_fft_hermite<T>(g, p, position + g.apart * j, g.whole); break;
    case CPI_FFT_LOAD_HALF: {
        const cpi_fft_number<T> a = cpi_fft_hermite<T>(g, p, j, 2 * g.n);
        const cpi_fft_number<T> b = cpi_fft_hermite<T>(g, p, g.n + j, 2 * g.n);
        cpi_fft_number<T> root = cpi_fft_circle_root<T>(g.half, j);
        root.im = -root.im;
        const cpi_fft_number<T> odd = cpi_fft_times(cpi_fft_less(a, b), root);
        v = {a.re + b.re - odd.im, a.im + b.im + odd.re};
        break;
    }
    }
    return cpi_fft_swapped(v, g.inverse);
}

/* Stores result j of a line of the block, whose position in the matrix is `position`. */
template <class T>
CPI_FFT_OWN_DEVICE void cpi_fft_store_one(const cpi_fft_pass &g, char *p, uint32_t line, uint32_t position, uint32_t j,
                                          const cpi_fft_number<T> *x)
{
    const int64_t along = g.out.along;
    cpi_fft_number<T> v = x[line * g.pitch + (j < g.n ? j : 0)];
    if (g.store == CPI_FFT_STORE_HALF) {
        cpi_fft_number<T> b = x[line * g.pitch + (j ? g.n - j : 0)];
        b.im = -b.im;
        const cpi_fft_number<T> even = cpi_fft_sum(v, b), less = cpi_fft_right(cpi_fft_less(v, b));
        const cpi_fft_number<T> odd = cpi_fft_times(less, cpi_fft_circle_root<T>(g.half, j));
        v = {(even.re + odd.re) * (T)0.5, (even.im + odd.im) * (T)0.5};
    }
    if (g.turned) v = cpi_fft_times(v, cpi_fft_circle_root<T>(g.turn, position * j));
    v = cpi_fft_swapped(v, g.inverse);
    v.re *= (T)g.scale, v.im *= (T)g.scale;
    uint32_t k = j;
    switch (g.store) {
    case CPI_FFT_STORE_REAL: *(T *)(p + j * along) = v.re; return;
    case CPI_FFT_STORE_PAIRS: *(T *)(p + 2 * j * along) = v.re, *(T *)(p + (2 * j + 1) * along) = v.im; return;
    case CPI_FFT_STORE_HERMITE:
        k = position + g.apart * j;
        if (2 * k <= g.whole) break;
        if (position == 0 || 2 * position == g.apart) return; /* the line has its mirror image itself */
        k = g.whole - k, v.im = -v.im;
        break;
    case CPI_FFT_STORE_COMPLEX:
    case CPI_FFT_STORE_HALF: break;
    }
    if (g.conjugate_out) v.im = -v.im;
    cpi_fft_put<T>(p + k * along, v);
}

/* Visits the elements of the block's lines: visit(line, element). Neighbouring threads have neighbours in memory. */
template <class F>
CPI_FFT_OWN_DEVICE void cpi_fft_each(const cpi_fft_side &s, const cpi_divisor &together, uint32_t lines, F visit)
{
    const uint32_t all = s.count.by * together.by;
#pragma unroll 2
    for (uint32_t i = threadIdx.x; i < all; i += blockDim.x) {
        const uint32_t q = cpi_quotient(s.lines_first ? &together : &s.count, i);
        const uint32_t line = s.lines_first ? i - q * together.by : q, j = s.lines_first ? q : i - q * s.count.by;
        if (line < lines) visit(line, j);
    }
}

/* Where the line is in its matrix. */
CPI_FFT_OWN_DEVICE uint32_t cpi_fft_position(const cpi_fft_pass &g, uint32_t line)
{
    const uint32_t at = cpi_quotient(&g.inner, line);
    return at - cpi_quotient(&g.positions, at) * g.positions.by;
}

CPI_FFT_OWN_DEVICE int64_t cpi_fft_base(const cpi_fft_side &s, uint32_t line)
{
    int64_t at = 0;
    for (int d = 0; d < s.ndim; d++) {
        const uint32_t q = d + 1 < s.ndim ? cpi_quotient(&s.shape[d], line) : 0;
        at += (int64_t)(line - q * s.shape[d].by) * s.step[d];
        line = q;
    }
    return at;
}

/* --- a pass --- */

/* Stores results at, at + before, ... of a line of the launch. */
template <int R, class T>
CPI_FFT_OWN_DEVICE void cpi_fft_store_direct(const cpi_fft_pass &g, char *to, uint32_t line, uint32_t at,
                                             uint32_t before, cpi_fft_number<T> *v)
{
    if (g.turned) {
        const uint32_t position = cpi_fft_position(g, line);
        cpi_fft_number<T> w[R];
        cpi_fft_roots<R>(g.turn, position * before, w);
        w[0] = cpi_fft_circle_root<T>(g.turn, position * at);
        v[0] = cpi_fft_times(v[0], w[0]);
#pragma unroll
        for (int t = 1; t < R; t++) v[t] = cpi_fft_times(v[t], cpi_fft_times(w[t], w[0]));
    }
    char *const out = to + cpi_fft_base(g.out, line) + at * g.out.next;
    const int64_t step = before * g.out.next;
    const T scale = (T)g.scale;
#pragma unroll
    for (int t = 0; t < R; t++) {
        const cpi_fft_number<T> r = cpi_fft_swapped(v[t], g.inverse);
        *(cpi_fft_number<T> *)(out + t * step) = {r.re * scale, r.im * scale};
    }
}

/* Pass k, of radix R, of `lines` lines from line `first` on: a butterfly a thread. Neighbouring threads have neighbours
 * in memory. source, target: it reads from memory, or writes there. */
template <int R, class T>
CPI_FFT_OWN_DEVICE void cpi_fft_radix(const cpi_fft_pass &g, int k, const char *from, char *to, uint32_t first,
                                      uint32_t lines, cpi_fft_number<T> *x, bool source, bool target)
{
    const bool across = source ? g.in.lines_first : target && g.out.lines_first;
    const uint32_t each = g.at[k].each.by, before = g.at[k].before.by;
    const uint32_t quotient = cpi_quotient(across ? &g.together : &g.at[k].each, threadIdx.x);
    const uint32_t rest = threadIdx.x - quotient * (across ? g.together.by : each);
    const uint32_t line = across ? rest : quotient, j = across ? quotient : rest;
    const uint32_t q = cpi_quotient(&g.at[k].before, j), p = j - q * before;
    const bool there = line < lines && j < each;
    cpi_fft_number<T> v[R] = {}; /* set in all threads: else all radices' would be alive at once in registers */
    if (there && source) {
        const char *at = from + cpi_fft_base(g.in, first + line) + j * g.in.next;
        const int64_t step = each * g.in.next;
#pragma unroll
        for (int t = 0; t < R; t++) v[t] = cpi_fft_swapped(*(const cpi_fft_number<T> *)(at + t * step), g.inverse);
    } else if (there) {
        const uint32_t at = line * g.pitch + q * g.at[k].row + p, step = g.at[k].step;
#pragma unroll
        for (int t = 0; t < R; t++) v[t] = x[at + t * step];
    }
    if (!source && !target) __syncthreads();
    if (there) {
        if (k) {
            cpi_fft_number<T> w[R];
            cpi_fft_roots<R>(g.at[k].circle, p, w);
#pragma unroll
            for (int t = 1; t < R; t++) v[t] = cpi_fft_times(v[t], w[t]);
        }
        cpi_fft_butterfly<R>(v);
        if (target) cpi_fft_store_direct<R>(g, to, first + line, q * before * R + p, before, v);
        else {
            const uint32_t at = line * g.pitch + q * g.at[k].to_row + p;
#pragma unroll
            for (int t = 0; t < R; t++) x[at + t * before] = v[t];
        }
    }
    if (!target) __syncthreads();
}

/* Block `block` of a launch; `memory`: g.bytes of shared memory. */
template <class T>
CPI_FFT_OWN_DEVICE void cpi_fft_block(const cpi_fft_pass &g, const char *from, char *to, uint32_t block, void *memory)
{
    const uint32_t first = block * g.together.by, left = g.lines - first;
    const uint32_t lines = left < g.together.by ? left : g.together.by;
    const bool read = g.in.direct && (uintptr_t)from % (2 * sizeof(T)) == 0;
    const bool write = g.out.direct && (uintptr_t)to % (2 * sizeof(T)) == 0;
    cpi_fft_number<T> *x = (cpi_fft_number<T> *)memory;
    int64_t *in = (int64_t *)(x + g.together.by * g.pitch), *out = in + g.together.by;
    uint32_t *position = (uint32_t *)(out + g.together.by);
    if (!read || !write) {
        for (uint32_t i = threadIdx.x; i < lines; i += blockDim.x) {
            in[i] = cpi_fft_base(g.in, first + i), out[i] = cpi_fft_base(g.out, first + i);
            position[i] = cpi_fft_position(g, first + i);
        }
        __syncthreads();
    }
    if (!read) {
        cpi_fft_each(g.in, g.together, lines, [&](uint32_t line, uint32_t j) {
            x[line * g.pitch + j] = cpi_fft_load_one<T>(g, from + in[line], position[line], j);
        });
        __syncthreads();
    }
    for (int k = 0; k < g.radices; k++) {
        const bool source = read && k == 0, target = write && k == g.radices - 1;
        switch (g.at[k].radix) {
#define CPI_FFT_OWN_CASE(R)                                                                                            \
    case R: cpi_fft_radix<R>(g, k, from, to, first, lines, x, source, target); break;
            CPI_FFT_OWN_CASE(2) CPI_FFT_OWN_CASE(3) CPI_FFT_OWN_CASE(4) CPI_FFT_OWN_CASE(5) CPI_FFT_OWN_CASE(6)
            CPI_FFT_OWN_CASE(7) CPI_FFT_OWN_CASE(8) CPI_FFT_OWN_CASE(9) CPI_FFT_OWN_CASE(10) CPI_FFT_OWN_CASE(11)
            CPI_FFT_OWN_CASE(12) CPI_FFT_OWN_CASE(15) CPI_FFT_OWN_CASE(16)
#undef CPI_FFT_OWN_CASE
        }
    }
    if (!write)
        cpi_fft_each(g.out, g.together, lines, [&](uint32_t line, uint32_t j) {
            cpi_fft_store_one<T>(g, to + out[line], line, position[line], j, x);
        });
}

#endif
