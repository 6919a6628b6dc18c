/* Numbers and teams: what the kernels of this room are written in.
 *
 * A matrix is worked on by a team: one warp (blockDim.x == 32, blockDim.y teams in a block) or a whole block. Teams of
 * one warp never wait for their neighbours, so a block's surplus ones may leave. Sums run in an order that only the
 * team's size decides. Products and sums that belong together are rounded once (fma is called by its name). These
 * files (*.cuh) need no header at all, so that kernels compiled while a program runs can take them in: CI runs them
 * on the CPU that way. */
#ifndef CPI_LINALG_NUMBERS_CUH
#define CPI_LINALG_NUMBERS_CUH

namespace la {

#define LA_DEVICE static __device__ __forceinline__
typedef long long wide; /* offsets in memory */

template <class R> struct alignas(2 * sizeof(R)) complex { R re, im; };
template <class T> struct traits { typedef T real; enum { pair = 0 }; };
template <class R> struct traits<complex<R>> { typedef R real; enum { pair = 1 }; };
template <class T> using real_of = typename traits<T>::real;

template <class R> struct limits;
template <> struct limits<float> {
    static __device__ float epsilon() { return 1.1920929e-7f; }
    static __device__ float tiny() { return 1.0e-30f; }  /* squares below it are no longer exact to epsilon */
    static __device__ float least() { return 1.17549435e-38f; }
};
template <> struct limits<double> {
    static __device__ double epsilon() { return 2.220446049250313e-16; }
    static __device__ double tiny() { return 1.0e-280; }
    static __device__ double least() { return 2.2250738585072014e-308; }
};

/* --- numbers, real and complex by the same names --- */

LA_DEVICE float real(float a) { return a; }
LA_DEVICE double real(double a) { return a; }
template <class R> LA_DEVICE R real(complex<R> a) { return a.re; }
LA_DEVICE float imag(float) { return 0; }
LA_DEVICE double imag(double) { return 0; }
template <class R> LA_DEVICE R imag(complex<R> a) { return a.im; }
LA_DEVICE float conj(float a) { return a; }
LA_DEVICE double conj(double a) { return a; }
template <class R> LA_DEVICE complex<R> conj(complex<R> a) { return {a.re, -a.im}; }
template <class T> struct made { static __device__ T of(T re, T) { return re; } };
template <class R> struct made<complex<R>> {
    static __device__ complex<R> of(R re, R im) { return {re, im}; }
};
template <class T> LA_DEVICE T number(real_of<T> re) { return made<T>::of(re, 0); }
template <class T> LA_DEVICE T number(real_of<T> re, real_of<T> im) { return made<T>::of(re, im); }

LA_DEVICE float add(float a, float b) { return a + b; }
LA_DEVICE double add(double a, double b) { return a + b; }
template <class R> LA_DEVICE complex<R> add(complex<R> a, complex<R> b) { return {a.re + b.re, a.im + b.im}; }
LA_DEVICE float subtract(float a, float b) { return a - b; }
LA_DEVICE double subtract(double a, double b) { return a - b; }
template <class R> LA_DEVICE complex<R> subtract(complex<R> a, complex<R> b) { return {a.re - b.re, a.im - b.im}; }
LA_DEVICE float times(float a, float b) { return a * b; }
LA_DEVICE double times(double a, double b) { return a * b; }
template <class R> LA_DEVICE complex<R> times(complex<R> a, R b) { return {a.re * b, a.im * b}; }
template <class R> LA_DEVICE complex<R> times(complex<R> a, complex<R> b)
{
    return {fma(a.re, b.re, -(a.im * b.im)), fma(a.re, b.im, a.im * b.re)};
}
LA_DEVICE float negative(float a) { return -a; }
LA_DEVICE double negative(double a) { return -a; }
template <class R> LA_DEVICE complex<R> negative(complex<R> a) { return {-a.re, -a.im}; }

/* c + a b, c - a b, c + conj(a) b */
LA_DEVICE float plus_product(float c, float a, float b) { return fmaf(a, b, c); }
LA_DEVICE double plus_product(double c, double a, double b) { return fma(a, b, c); }
template <class R> LA_DEVICE complex<R> plus_product(complex<R> c, complex<R> a, complex<R> b)
{
    return {fma(-a.im, b.im, fma(a.re, b.re, c.re)), fma(a.im, b.re, fma(a.re, b.im, c.im))};
}
LA_DEVICE float minus_product(float c, float a, float b) { return fmaf(-a, b, c); }
LA_DEVICE double minus_product(double c, double a, double b) { return fma(-a, b, c); }
template <class R> LA_DEVICE complex<R> minus_product(complex<R> c, complex<R> a, complex<R> b)
{
    return {fma(a.im, b.im, fma(-a.re, b.re, c.re)), fma(-a.im, b.re, fma(-a.re, b.im, c.im))};
}
template <class T> LA_DEVICE T plus_conjugate(T c, T a, T b) { return plus_product(c, conj(a), b); }

LA_DEVICE float magnitude(float a) { return fabsf(a); }
LA_DEVICE double magnitude(double a) { return fabs(a); }
LA_DEVICE float square(float a) { return a * a; }
LA_DEVICE double square(double a) { return a * a; }
template <class R> LA_DEVICE R square(complex<R> a) { return fma(a.re, a.re, a.im * a.im); }
/* |re| + |im|, by which pivots are chosen; NaN counts as infinite, so that it is not passed over */
template <class T> LA_DEVICE real_of<T> pivot_size(T a)
{
    real_of<T> v = magnitude(real(a));
    if (traits<T>::pair) v += magnitude(imag(a));
    return v == v ? v : (real_of<T>)INFINITY;
}
template <class T> LA_DEVICE bool is_zero(T a) { return real(a) == 0 && imag(a) == 0; }
LA_DEVICE float larger(float a, float b) { return a > b ? a : b; }
LA_DEVICE double larger(double a, double b) { return a > b ? a : b; }

LA_DEVICE float divide(float a, float b) { return a / b; }
LA_DEVICE double divide(double a, double b) { return a / b; }
template <class R> LA_DEVICE complex<R> divide(complex<R> a, R b) { return {a.re / b, a.im / b}; }
template <class R> LA_DEVICE complex<R> divide(complex<R> a, complex<R> b) /* Smith's: in range where the result is */
{
    if (b.im == 0) return {a.re / b.re, a.im / b.re};
    if (magnitude(b.re) >= magnitude(b.im)) {
        R r = b.im / b.re, d = fma(b.im, r, b.re);
        return {fma(a.im, r, a.re) / d, fma(-a.re, r, a.im) / d};
    }
    R r = b.re / b.im, d = fma(b.re, r, b.im);
    return {fma(a.re, r, a.im) / d, fma(a.im, r, -a.re) / d};
}
LA_DEVICE float root(float a) { return sqrtf(a); }
LA_DEVICE double root(double a) { return sqrt(a); }
/* |a|, neither overflowing nor vanishing on the way */
template <class T> LA_DEVICE real_of<T> modulus(T a)
{
    typedef real_of<T> R;
    R x = magnitude(real(a)), y = magnitude(imag(a)), most = x > y ? x : y, least = x > y ? y : x;
    if (!traits<T>::pair || least == 0) return x + y;
    R q = least / most;
    return most * root(fma(q, q, (R)1));
}

LA_DEVICE float from_lane(float a, int lane) { return __shfl_sync(0xffffffffu, a, lane); }
LA_DEVICE double from_lane(double a, int lane) { return __shfl_sync(0xffffffffu, a, lane); }
template <class R> LA_DEVICE complex<R> from_lane(complex<R> a, int lane)
{
    return {from_lane(a.re, lane), from_lane(a.im, lane)};
}
LA_DEVICE float across(float a, int d) { return __shfl_xor_sync(0xffffffffu, a, d); }
LA_DEVICE double across(double a, int d) { return __shfl_xor_sync(0xffffffffu, a, d); }
template <class R> LA_DEVICE complex<R> across(complex<R> a, int d) { return {across(a.re, d), across(a.im, d)}; }
/* The sum over groups of `width` neighbouring lanes (a power of two), in every lane. All lanes of the warp call. */
template <class T> LA_DEVICE T group_sum(T a, int width)
{
    for (int d = width / 2; d; d /= 2) a = add(a, across(a, d));
    return a;
}

/* --- teams --- */

struct team {
    int rank, size;
    bool warp;
    __device__ team() : rank((int)threadIdx.x), size((int)blockDim.x), warp(blockDim.x == 32) {}
    __device__ void sync() const
    {
        if (warp) __syncwarp();
        else __syncthreads();
    }
};

/* The first index of the largest value. The others' values may be used again after the team's next sync. */
template <class R> LA_DEVICE int first_largest(const team &t, R value, int index)
{
    __shared__ R values[32];
    __shared__ int pivot_rows[32];
    for (int d = 16; d; d /= 2) {
        R v = across(value, d);
        int i = __shfl_xor_sync(0xffffffffu, index, d);
        if (v > value || (v == value && i < index)) value = v, index = i;
    }
    if (t.warp) return index;
    int lane = t.rank % 32, warps = t.size / 32;
    if (lane == 0) values[t.rank / 32] = value, pivot_rows[t.rank / 32] = index;
    __syncthreads();
    value = lane < warps ? values[lane] : (R)-1;
    index = lane < warps ? pivot_rows[lane] : 0x7fffffff;
    for (int d = 16; d; d /= 2) {
        R v = across(value, d);
        int i = __shfl_xor_sync(0xffffffffu, index, d);
        if (v > value || (v == value && i < index)) value = v, index = i;
    }
    return index;
}

/* The largest value, in every thread; whether a value is NaN is the caller's care. Ends and begins with a sync. */
template <class R> LA_DEVICE R largest(const team &t, R value)
{
    __shared__ R values[32];
    for (int d = 16; d; d /= 2) value = larger(value, across(value, d));
    if (t.warp) {
        __syncwarp();
        return value;
    }
    __syncthreads();
    if (t.rank % 32 == 0) values[t.rank / 32] = value;
    __syncthreads();
    value = values[t.rank % 32 < t.size / 32 ? t.rank % 32 : 0];
    for (int d = 16; d; d /= 2) value = larger(value, across(value, d));
    __syncthreads();
    return value;
}

/* Threads as rows of lanes along the columns of a matrix of n columns: `width` lanes in `rows` rows. */
struct spread {
    int x, y, width, rows;
    __device__ spread(const team &t, int n)
    {
        width = 32;
        while (width > 1 && width / 2 >= n) width /= 2;
        x = t.rank % width, y = t.rank / width, rows = t.size / width;
    }
};

extern __shared__ __align__(16) unsigned char la_shared[];
/* The team's matrix number (-1: it has none), and where it may work: in its part of the shared memory, or where that
 * has no room in `outside`. `each`: bytes a team, a multiple of 16. */
struct position {
    wide matrix;
    unsigned char *memory;
    __device__ position(wide first, wide batch, wide each, unsigned char *outside)
    {
        matrix = first + (wide)blockIdx.x * blockDim.y + threadIdx.y;
        if (matrix >= batch) matrix = -1;
        memory =
            outside ? outside + ((wide)blockIdx.x * blockDim.y + threadIdx.y) * each : la_shared + threadIdx.y * each;
    }
};

template <class T> LA_DEVICE void exchange(T &a, T &b)
{
    T c = a;
    a = b, b = c;
}

} // namespace la
#endif
