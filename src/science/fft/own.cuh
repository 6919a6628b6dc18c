/* What a launch of own_plan.cuh does: lines of n complex elements in shared memory.
 *
 * A block loads its lines, transforms them by passes of radices (Stockham: the order comes out right), and stores them.
 * A pass has all of a block's elements in registers between two barriers, so one buffer is enough; each thread has
 * about eight. Forward transforms only: an inverse one exchanges real and imaginary parts before and after.
 *
 * The floor of a launch is its bytes, read once and written once, over the bandwidth. Roots of unity are computed in
 * double, to within an ulp: a table of a quarter of the circle for each block, and those between the two launches of
 * long lines one by one, some 40 operations of double for an element. */
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

/* exp(-2 pi i e / n), e < n < 2^29; by: 1 / (2 n). The nearest multiple of a quarter is taken off exactly. */
template <class T> CPI_FFT_OWN_DEVICE cpi_fft_number<T> cpi_fft_unit_root(uint32_t e, uint32_t n, double by)
{
    const uint32_t quarter = (8 * e + n) / (2 * n);
    const int rest = (int)(4 * e) - (int)(quarter * n);
    double s, c;
    sincospi(rest * by, &s, &c); /* a quarter turn has rest n */
    const double x = quarter & 1 ? -s : c, y = quarter & 1 ? -c : -s;
    return {(T)(quarter & 2 ? -x : x), (T)(quarter & 2 ? -y : y)};
}

/* The same of the table. */
template <class T>
CPI_FFT_OWN_DEVICE cpi_fft_number<T> cpi_fft_entry(const cpi_fft_pass &g, const cpi_fft_number<T> *table, uint32_t e)
{
    int quarter = 0;
    if (2 * g.entries <= g.order && 2 * e >= g.order) e -= g.order / 2, quarter = 2;
    if (e >= g.entries) e -= g.entries, quarter++;
    const cpi_fft_number<T> v = table[e];
    const T x = quarter & 1 ? v.im : v.re, y = quarter & 1 ? -v.re : v.im;
    return {quarter & 2 ? -x : x, quarter & 2 ? -y : y};
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

/* put(k, result k), as soon as there is one, so that registers become free. An odd prime: by sums and differences of
 * v[j] and v[R - j]. */
template <int R, class T, class F> CPI_FFT_OWN_DEVICE void cpi_fft_odd(const cpi_fft_number<T> *v, F put)
{
    enum { H = R / 2 };
    cpi_fft_number<T> sum[H], less[H], all = v[0];
#pragma unroll
    for (int j = 1; j <= H; j++) {
        sum[j - 1] = cpi_fft_sum(v[j], v[R - j]), less[j - 1] = cpi_fft_less(v[j], v[R - j]);
        all = cpi_fft_sum(all, sum[j - 1]);
    }
    put(0, all);
#pragma unroll
    for (int k = 1; k <= H; k++) {
        cpi_fft_number<T> a = v[0], b = {0, 0};
#pragma unroll
        for (int j = 1; j <= H; j++) {
            const int at = j * k % R, near = at <= H ? at : R - at;
            const double sine = cpi_fft_sine_of(R, near);
            const T c = (T)cpi_fft_cosine_of(R, near), s = (T)(at <= H ? sine : -sine);
            a = {cpi_fft_fma(c, sum[j - 1].re, a.re), cpi_fft_fma(c, sum[j - 1].im, a.im)};
            b = {cpi_fft_fma(s, less[j - 1].re, b.re), cpi_fft_fma(s, less[j - 1].im, b.im)};
        }
        put(k, cpi_fft_sum(a, cpi_fft_right(b)));
        put(R - k, cpi_fft_less(a, cpi_fft_right(b)));
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

template <int R, class T, class F> CPI_FFT_OWN_DEVICE void cpi_fft_butterfly(cpi_fft_number<T> *v, F put)
{
    if constexpr (R == 2) {
        put(0, cpi_fft_sum(v[0], v[1]));
        put(1, cpi_fft_less(v[0], v[1]));
    } else if constexpr (R == 4) {
        cpi_fft_four(v[0], v[1], v[2], v[3]);
#pragma unroll
        for (int k = 0; k < 4; k++) put(k, v[k]);
    } else if constexpr (R == 8) {
        const T half = (T)0.70710678118654752440;
        cpi_fft_four(v[0], v[2], v[4], v[6]);
        cpi_fft_four(v[1], v[3], v[5], v[7]);
        v[3] = {(v[3].re + v[3].im) * half, (v[3].im - v[3].re) * half};
        v[5] = cpi_fft_right(v[5]);
        v[7] = {(v[7].im - v[7].re) * half, -(v[7].re + v[7].im) * half};
#pragma unroll
        for (int k = 0; k < 4; k++) {
            put(k, cpi_fft_sum(v[2 * k], v[2 * k + 1]));
            put(k + 4, cpi_fft_less(v[2 * k], v[2 * k + 1]));
        }
    } else cpi_fft_odd<R>(v, put);
}

/* --- a pass --- */

/* The position of element i of a line: gaps keep steps of 2, 4 and 8 in different banks. */
template <class T> CPI_FFT_OWN_DEVICE uint32_t cpi_fft_at(const cpi_fft_pass &g, uint32_t line, uint32_t i)
{
    return line * g.pitch + i + (i >> (sizeof(T) == 4 ? 4 : 3));
}

/* Pass k, of radix R, of `lines` lines. */
template <int R, class T>
CPI_FFT_OWN_DEVICE void cpi_fft_radix(const cpi_fft_pass &g, int k, uint32_t lines, cpi_fft_number<T> *x,
                                      const cpi_fft_number<T> *table)
{
    enum { B = (CPI_FFT_OWN_EACH + R - 1) / R };
    const uint32_t each = g.at[k].each.by, all = each * lines;
    cpi_fft_number<T> v[B][R] = {}; /* set in all threads: else all radices' would be alive at once in registers */
#pragma unroll
    for (int b = 0; b < B; b++) {
        const uint32_t i = threadIdx.x + b * blockDim.x;
        if (i >= all) continue;
        const uint32_t line = cpi_quotient(&g.at[k].each, i), j = i - line * each;
#pragma unroll
        for (int t = 0; t < R; t++) v[b][t] = x[cpi_fft_at<T>(g, line, j + t * each)];
    }
    __syncthreads();
#pragma unroll
    for (int b = 0; b < B; b++) {
        const uint32_t i = threadIdx.x + b * blockDim.x;
        if (i >= all) continue;
        const uint32_t line = cpi_quotient(&g.at[k].each, i), j = i - line * each;
        const uint32_t before = g.at[k].before.by, q = cpi_quotient(&g.at[k].before, j), p = j - q * before;
        if (k) {
#pragma unroll
            for (int t = 1; t < R; t++)
                v[b][t] = cpi_fft_times(v[b][t], cpi_fft_entry(g, table, p * t * g.at[k].twist));
        }
        const uint32_t to = q * before * R + p;
        cpi_fft_butterfly<R>(v[b], [&](int t, cpi_fft_number<T> r) { x[cpi_fft_at<T>(g, line, to + t * before)] = r; });
    }
    __syncthreads();
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
                                                      uint32_t j, const cpi_fft_number<T> *table)
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
        cpi_fft_number<T> root = cpi_fft_entry(g, table, j);
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
                                          const cpi_fft_number<T> *x, const cpi_fft_number<T> *table)
{
    const int64_t along = g.out.along;
    const T scale = (T)g.scale;
    cpi_fft_number<T> v = x[cpi_fft_at<T>(g, line, j < g.n ? j : 0)];
    if (g.store == CPI_FFT_STORE_HALF) {
        cpi_fft_number<T> b = x[cpi_fft_at<T>(g, line, j ? g.n - j : 0)];
        b.im = -b.im;
        const cpi_fft_number<T> even = cpi_fft_sum(v, b), less = cpi_fft_right(cpi_fft_less(v, b));
        const cpi_fft_number<T> odd = cpi_fft_times(less, cpi_fft_entry(g, table, j));
        v = {(even.re + odd.re) * (T)0.5, (even.im + odd.im) * (T)0.5};
    }
    if (g.turned) v = cpi_fft_times(v, cpi_fft_unit_root<T>(position * j, g.whole, g.whole_inverse));
    v = cpi_fft_swapped(v, g.inverse);
    v.re *= scale, v.im *= scale;
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
#pragma unroll 4
    for (uint32_t i = threadIdx.x; i < all; i += blockDim.x) {
        const uint32_t q = cpi_quotient(s.lines_first ? &together : &s.count, i);
        const uint32_t line = s.lines_first ? i - q * together.by : q, j = s.lines_first ? q : i - q * s.count.by;
        if (line < lines) visit(line, j);
    }
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

/* Block `block` of a launch; `memory`: g.bytes of shared memory. */
template <class T>
CPI_FFT_OWN_DEVICE void cpi_fft_block(const cpi_fft_pass &g, const char *from, char *to, uint32_t block, void *memory)
{
    const uint32_t first = block * g.together.by, left = g.lines - first;
    const uint32_t lines = left < g.together.by ? left : g.together.by;
    cpi_fft_number<T> *x = (cpi_fft_number<T> *)memory, *table = x + g.together.by * g.pitch;
    int64_t *in = (int64_t *)(table + g.entries), *out = in + g.together.by;
    uint32_t *position = (uint32_t *)(out + g.together.by);
    for (uint32_t i = threadIdx.x; i < lines; i += blockDim.x) {
        const uint32_t at = cpi_quotient(&g.inner, first + i);
        in[i] = cpi_fft_base(g.in, first + i), out[i] = cpi_fft_base(g.out, first + i);
        position[i] = at - cpi_quotient(&g.positions, at) * g.positions.by;
    }
    for (uint32_t e = threadIdx.x; e < g.entries; e += blockDim.x)
        table[e] = cpi_fft_unit_root<T>(e, g.order, g.order_inverse);
    __syncthreads();
    cpi_fft_each(g.in, g.together, lines, [&](uint32_t line, uint32_t j) {
        x[cpi_fft_at<T>(g, line, j)] = cpi_fft_load_one<T>(g, from + in[line], position[line], j, table);
    });
    __syncthreads();
    for (int k = 0; k < g.radices; k++) switch (g.at[k].radix) {
        case 2: cpi_fft_radix<2>(g, k, lines, x, table); break;
        case 3: cpi_fft_radix<3>(g, k, lines, x, table); break;
        case 4: cpi_fft_radix<4>(g, k, lines, x, table); break;
        case 5: cpi_fft_radix<5>(g, k, lines, x, table); break;
        case 7: cpi_fft_radix<7>(g, k, lines, x, table); break;
        case 8: cpi_fft_radix<8>(g, k, lines, x, table); break;
        case 11: cpi_fft_radix<11>(g, k, lines, x, table); break;
        }
    cpi_fft_each(g.out, g.together, lines, [&](uint32_t line, uint32_t j) {
        cpi_fft_store_one<T>(g, to + out[line], line, position[line], j, x, table);
    });
}

#endif
