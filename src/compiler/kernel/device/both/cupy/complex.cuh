/* complex<T>, with the members, operators and functions that CUDA programs of CuPy's use; needs no standard header.
 *
 * Products and quotients are those of C without the special cases of Annex G; quotients scale, so that neither
 * overflows where the result does not. */
#ifndef CUPRITE_CUPY_COMPLEX_CUH
#define CUPRITE_CUPY_COMPLEX_CUH

#define CUPRITE_COMPLEX __device__ __forceinline__

template <typename T> struct cuprite_identity { typedef T type; };

template <typename T> class complex {
    T re_, im_;

public:
    typedef T value_type;
    complex() = default;
    /* A constant of constants: an array of them needs no code that runs before the kernel. */
    CUPRITE_COMPLEX constexpr complex(const T &re, const T &im = T()) : re_(re), im_(im) {}
    template <typename U> CUPRITE_COMPLEX constexpr complex(const complex<U> &z) : re_((T)z.real()), im_((T)z.imag()) {}
    CUPRITE_COMPLEX constexpr T real() const { return re_; }
    CUPRITE_COMPLEX constexpr T imag() const { return im_; }
    CUPRITE_COMPLEX void real(T v) { re_ = v; }
    CUPRITE_COMPLEX void imag(T v) { im_ = v; }
    CUPRITE_COMPLEX complex &operator=(const T &v) { return re_ = v, im_ = T(), *this; }
    template <typename U> CUPRITE_COMPLEX complex &operator=(const complex<U> &z)
    {
        return re_ = (T)z.real(), im_ = (T)z.imag(), *this;
    }
    CUPRITE_COMPLEX complex &operator+=(const complex &z) { return *this = *this + z; }
    CUPRITE_COMPLEX complex &operator-=(const complex &z) { return *this = *this - z; }
    CUPRITE_COMPLEX complex &operator*=(const complex &z) { return *this = *this * z; }
    CUPRITE_COMPLEX complex &operator/=(const complex &z) { return *this = *this / z; }
};

/* An operator of a complex number and a number, in both orders, and of two precisions. */
#define CUPRITE_COMPLEX_MIXED(OP)                                                                                  \
    template <typename T>                                                                                          \
    CUPRITE_COMPLEX complex<T> operator OP(const complex<T> &a, const typename cuprite_identity<T>::type &b)       \
    {                                                                                                              \
        return a OP complex<T>(b);                                                                                 \
    }                                                                                                              \
    template <typename T>                                                                                          \
    CUPRITE_COMPLEX complex<T> operator OP(const typename cuprite_identity<T>::type &a, const complex<T> &b)       \
    {                                                                                                              \
        return complex<T>(a) OP b;                                                                                 \
    }                                                                                                              \
    CUPRITE_COMPLEX complex<double> operator OP(const complex<double> &a, const complex<float> &b)                 \
    {                                                                                                              \
        return a OP complex<double>(b);                                                                            \
    }                                                                                                              \
    CUPRITE_COMPLEX complex<double> operator OP(const complex<float> &a, const complex<double> &b)                 \
    {                                                                                                              \
        return complex<double>(a) OP b;                                                                            \
    }

template <typename T> CUPRITE_COMPLEX complex<T> operator+(const complex<T> &a, const complex<T> &b)
{
    return complex<T>(a.real() + b.real(), a.imag() + b.imag());
}
CUPRITE_COMPLEX_MIXED(+)
template <typename T> CUPRITE_COMPLEX complex<T> operator-(const complex<T> &a, const complex<T> &b)
{
    return complex<T>(a.real() - b.real(), a.imag() - b.imag());
}
CUPRITE_COMPLEX_MIXED(-)
/* A sum in both parts: g++ 12 makes fused operations of a difference beside a sum, whatever it is told of them. */
template <typename T> CUPRITE_COMPLEX complex<T> operator*(const complex<T> &a, const complex<T> &b)
{
    return complex<T>(a.real() * b.real() + (-a.imag()) * b.imag(), a.real() * b.imag() + a.imag() * b.real());
}
CUPRITE_COMPLEX_MIXED(*)
template <typename T> CUPRITE_COMPLEX complex<T> operator/(const complex<T> &a, const complex<T> &b)
{
    T c = b.real(), d = b.imag();
    bool wide = (c < 0 ? -c : c) >= (d < 0 ? -d : d);
    if (wide && c == 0 && d == 0) return complex<T>(a.real() / c, a.imag() / c);
    T r = wide ? d / c : c / d, scale = wide ? c + d * r : c * r + d;
    return wide ? complex<T>((a.real() + a.imag() * r) / scale, (a.imag() - a.real() * r) / scale)
                : complex<T>((a.real() * r + a.imag()) / scale, (a.imag() * r - a.real()) / scale);
}
CUPRITE_COMPLEX_MIXED(/)
#undef CUPRITE_COMPLEX_MIXED

template <typename T> CUPRITE_COMPLEX complex<T> operator+(const complex<T> &z) { return z; }
template <typename T> CUPRITE_COMPLEX complex<T> operator-(const complex<T> &z)
{
    return complex<T>(-z.real(), -z.imag());
}
template <typename T> CUPRITE_COMPLEX bool operator==(const complex<T> &a, const complex<T> &b)
{
    return a.real() == b.real() && a.imag() == b.imag();
}
template <typename T> CUPRITE_COMPLEX bool operator==(const complex<T> &a, const typename cuprite_identity<T>::type &b)
{
    return a.real() == b && a.imag() == T();
}
template <typename T> CUPRITE_COMPLEX bool operator==(const typename cuprite_identity<T>::type &a, const complex<T> &b)
{
    return b == a;
}
template <typename T> CUPRITE_COMPLEX bool operator!=(const complex<T> &a, const complex<T> &b) { return !(a == b); }
template <typename T> CUPRITE_COMPLEX bool operator!=(const complex<T> &a, const typename cuprite_identity<T>::type &b)
{
    return !(a == b);
}
template <typename T> CUPRITE_COMPLEX bool operator!=(const typename cuprite_identity<T>::type &a, const complex<T> &b)
{
    return !(b == a);
}
/* By the real parts, then by the imaginary ones, as NumPy orders them. */
template <typename T> CUPRITE_COMPLEX bool operator<(const complex<T> &a, const complex<T> &b)
{
    return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
}
template <typename T> CUPRITE_COMPLEX bool operator>(const complex<T> &a, const complex<T> &b) { return b < a; }
template <typename T> CUPRITE_COMPLEX bool operator<=(const complex<T> &a, const complex<T> &b)
{
    return a.real() < b.real() || (a.real() == b.real() && a.imag() <= b.imag());
}
template <typename T> CUPRITE_COMPLEX bool operator>=(const complex<T> &a, const complex<T> &b) { return b <= a; }

/* --- functions --- */
template <typename T> CUPRITE_COMPLEX T real(const complex<T> &z) { return z.real(); }
template <typename T> CUPRITE_COMPLEX T imag(const complex<T> &z) { return z.imag(); }
template <typename T> CUPRITE_COMPLEX complex<T> conj(const complex<T> &z) { return complex<T>(z.real(), -z.imag()); }
template <typename T> CUPRITE_COMPLEX T norm(const complex<T> &z)
{
    return z.real() * z.real() + z.imag() * z.imag();
}
CUPRITE_COMPLEX float abs(const complex<float> &z) { return hypotf(z.real(), z.imag()); }
CUPRITE_COMPLEX double abs(const complex<double> &z) { return hypot(z.real(), z.imag()); }
CUPRITE_COMPLEX float arg(const complex<float> &z) { return atan2f(z.imag(), z.real()); }
CUPRITE_COMPLEX double arg(const complex<double> &z) { return atan2(z.imag(), z.real()); }
template <typename T> CUPRITE_COMPLEX bool isnan(const complex<T> &z)
{
    return z.real() != z.real() || z.imag() != z.imag();
}
template <typename T> CUPRITE_COMPLEX bool isfinite(const complex<T> &z)
{
    return z.real() - z.real() == T() && z.imag() - z.imag() == T();
}
template <typename T> CUPRITE_COMPLEX bool isinf(const complex<T> &z)
{
    T re = z.real(), im = z.imag();
    return (re == re && re - re != T()) || (im == im && im - im != T());
}
template <typename T> CUPRITE_COMPLEX complex<T> proj(const complex<T> &z)
{
    if (!isinf(z)) return z;
    T zero = T();
    return complex<T>((T)1 / zero, z.imag() < zero || (T)1 / z.imag() < zero ? -zero : zero);
}
template <typename T> CUPRITE_COMPLEX complex<T> polar(const T &r, const T &angle = T())
{
    return complex<T>(r * cos(angle), r * sin(angle));
}
/* Numbers of a precision: a bound below which e^x, and factors of it, do not overflow; e to that; squares of numbers
 * up to `large` and down to its inverse neither overflow nor vanish. */
template <typename T> struct cuprite_range;
template <> struct cuprite_range<float> {
    static CUPRITE_COMPLEX float most() { return 88; }
    static CUPRITE_COMPLEX float exp_most() { return 1.65163625499400185e38f; }
    static CUPRITE_COMPLEX float large() { return 1.152921504606846976e18f; } /* 2^60 */
    static CUPRITE_COMPLEX float huge() { return 3e37f; }
};
template <> struct cuprite_range<double> {
    static CUPRITE_COMPLEX double most() { return 700; }
    static CUPRITE_COMPLEX double exp_most() { return 1.0142320547350045e304; }
    static CUPRITE_COMPLEX double large() { return 2.58224987808690858965591917200301e120; } /* 2^400 */
    static CUPRITE_COMPLEX double huge() { return 4e307; }
};
template <typename T> CUPRITE_COMPLEX bool cuprite_infinite(T x) { return x == x && x - x != T(); }
template <typename T> CUPRITE_COMPLEX bool cuprite_finite(T x) { return x - x == T(); }
template <typename T> CUPRITE_COMPLEX T cuprite_infinity() { return (T)1 / T(); }
template <typename T> CUPRITE_COMPLEX T cuprite_nan() { return T() / T(); }
template <typename T> CUPRITE_COMPLEX T cuprite_size(T x) { return fabs(x); }

/* factor * e^x (cos y, sin y), also where e^x alone would overflow; the factor is a power of two. */
template <typename T> CUPRITE_COMPLEX complex<T> cuprite_exp_polar(T x, T y, T factor)
{
    const T most = cuprite_range<T>::most();
    T re = cos(y) * factor, im = sin(y) * factor;
    for (int k = 0; k < 3 && x > most; k++) {
        x -= most;
        re *= cuprite_range<T>::exp_most();
        im *= cuprite_range<T>::exp_most();
    }
    const T e = exp(x);
    return complex<T>(e * re, e * im);
}
template <typename T> CUPRITE_COMPLEX complex<T> exp(const complex<T> &z)
{
    const T x = z.real(), y = z.imag(), zero = T(), nan = cuprite_nan<T>();
    if (y == zero) return complex<T>(exp(x), y);
    if (cuprite_finite(x)) return cuprite_finite(y) ? cuprite_exp_polar(x, y, (T)1) : complex<T>(nan, nan);
    if (x != x) return complex<T>(x, nan);
    if (!cuprite_finite(y)) return x > zero ? complex<T>(x, nan) : complex<T>(zero, zero);
    const T r = x > zero ? x : zero;
    return complex<T>(copysign(r, cos(y)), copysign(r, sin(y)));
}
/* a + b; `lost` gets what that loses (Knuth). */
template <typename T> CUPRITE_COMPLEX T cuprite_sum(T a, T b, T &lost)
{
    const T s = a + b, part = s - a;
    lost += (a - (s - part)) + (b - part);
    return s;
}
/* log|z| without cancellation near 1: |z|^2 - 1 = (x - 1)(x + 1) + y^2 with the rounding errors kept. */
template <typename T> CUPRITE_COMPLEX T cuprite_log_abs(T x, T y)
{
    x = cuprite_size(x), y = cuprite_size(y);
    if (x < y) {
        const T t = x;
        x = y, y = t;
    }
    const T large = cuprite_range<T>::large(), one = (T)1, log2 = (T)0.69314718055994530942;
    if (cuprite_infinite(x) || cuprite_infinite(y)) return cuprite_infinity<T>();
    if (x != x || y != y) return x + y;
    if (x > large) return log(hypot(x / large, y / large)) + (sizeof(T) == 4 ? 60 : 400) * log2;
    if (x < one / large) {
        if (x == T()) return -cuprite_infinity<T>();
        return log(hypot(x * large, y * large)) - (sizeof(T) == 4 ? 60 : 400) * log2;
    }
    if (!(x >= (T)0.5 && x <= (T)3)) return log(hypot(x, y));
    const T m = x - one, p = x + one, pe = x - (p - one); /* m * pe is exact */
    const T a = m * p, b = y * y;
    T lost = T(), s = a, term[4] = {b, fma(m, p, -a), m * pe, fma(y, y, -b)};
    for (int k = 0; k < 4; k++) s = cuprite_sum(s, term[k], lost);
    return log1p(s + lost) * (T)0.5;
}
template <typename T> CUPRITE_COMPLEX complex<T> log(const complex<T> &z)
{
    return complex<T>(cuprite_log_abs(z.real(), z.imag()), arg(z));
}
template <typename T> CUPRITE_COMPLEX complex<T> log10(const complex<T> &z)
{
    const T e = (T)0.43429448190325182765, r = abs(z);
    const bool far = (r < (T)0.5 && r * cuprite_range<T>::large() > (T)1) || (r > (T)3 && cuprite_finite(r));
    return complex<T>(far ? log10(r) : cuprite_log_abs(z.real(), z.imag()) * e, arg(z) * e);
}
template <typename T> CUPRITE_COMPLEX complex<T> sqrt(const complex<T> &z)
{
    T x = z.real(), y = z.imag(), zero = T(), scale = (T)1;
    if (cuprite_infinite(y)) return complex<T>(cuprite_size(y), y);
    if (x != x) return complex<T>(x, cuprite_nan<T>());
    if (cuprite_infinite(x)) {
        if (x > zero) return complex<T>(x, y != y ? y : copysign(zero, y));
        return complex<T>(y != y ? y : zero, copysign(x, y));
    }
    if (x == zero && y == zero) return complex<T>(zero, y);
    const T huge = cuprite_range<T>::huge(), large = cuprite_range<T>::large(), root = sizeof(T) == 4 ? (T)1073741824 :
        (T)1.606938044258990275541962092341162602522e60; /* of large */
    if (cuprite_size(x) > huge || cuprite_size(y) > huge) x *= (T)0.0625, y *= (T)0.0625, scale = (T)4;
    else if (cuprite_size(x) * large < (T)1 && cuprite_size(y) * large < (T)1)
        x *= large, y *= large, scale = (T)1 / root;
    const T t = sqrt((T)0.5 * (abs(complex<T>(x, y)) + cuprite_size(x)));
    const T half = scale * ((T)0.5 * y / t);
    if (x >= zero) return complex<T>(scale * t, half);
    return complex<T>(cuprite_size(half), copysign(scale * t, y));
}
/* Whole exponents that are small by multiplication, as NumPy has it: exact where the products are. */
template <typename T> CUPRITE_COMPLEX complex<T> cuprite_whole_power(complex<T> a, int n)
{
    complex<T> r((T)1);
    for (unsigned k = n < 0 ? 0u - n : n; k; k /= 2, a = a * a)
        if (k & 1) r = r * a;
    return n < 0 ? complex<T>((T)1) / r : r;
}
template <typename T> CUPRITE_COMPLEX complex<T> pow(const complex<T> &a, const complex<T> &b)
{
    T re = b.real(), zero = T();
    if (b == zero) return complex<T>((T)1);
    if (a == zero) return re > zero && b.imag() == zero ? complex<T>() : complex<T>(zero / zero, zero / zero);
    if (b.imag() == zero && re > (T)-100 && re < (T)100 && (T)(int)re == re) return cuprite_whole_power(a, (int)re);
    return exp(b * log(a));
}
/* Of a complex number and a number of any type, and of two complex types: in double where either is double. */
template <typename T, typename U> struct cuprite_wider { typedef T type; };
template <> struct cuprite_wider<float, double> { typedef double type; };
template <typename T, typename U>
CUPRITE_COMPLEX complex<typename cuprite_wider<T, U>::type> pow(const complex<T> &a, const complex<U> &b)
{
    typedef complex<typename cuprite_wider<T, U>::type> wide;
    return pow(wide(a), wide(b));
}
template <typename T, typename U>
CUPRITE_COMPLEX complex<typename cuprite_wider<T, U>::type> pow(const complex<T> &a, const U &b)
{
    typedef typename cuprite_wider<T, U>::type W;
    return pow(complex<W>(a), complex<W>((W)b));
}
template <typename T, typename U>
CUPRITE_COMPLEX complex<typename cuprite_wider<T, U>::type> pow(const U &a, const complex<T> &b)
{
    typedef typename cuprite_wider<T, U>::type W;
    return pow(complex<W>((W)a), complex<W>(b));
}
template <typename T> CUPRITE_COMPLEX complex<T> sinh(const complex<T> &z)
{
    const T x = z.real(), y = z.imag(), zero = T(), nan = cuprite_nan<T>();
    if (y == zero) return complex<T>(sinh(x), y);
    if (cuprite_finite(x) && cuprite_finite(y)) {
        if (cuprite_size(x) < cuprite_range<T>::most()) return complex<T>(sinh(x) * cos(y), cosh(x) * sin(y));
        const complex<T> w = cuprite_exp_polar(cuprite_size(x), y, (T)0.5);
        return complex<T>(x < zero ? -w.real() : w.real(), w.imag());
    }
    if (x == zero) return complex<T>(x, nan);
    if (!cuprite_infinite(x)) return complex<T>(nan, nan);
    return cuprite_finite(y) ? complex<T>(x * cos(y), cuprite_size(x) * sin(y)) : complex<T>(cuprite_size(x), nan);
}
template <typename T> CUPRITE_COMPLEX complex<T> cosh(const complex<T> &z)
{
    const T x = z.real(), y = z.imag(), zero = T(), one = (T)1, nan = cuprite_nan<T>();
    if (y == zero) return complex<T>(cosh(x), x != x ? y : copysign(zero, x) * copysign(one, y));
    if (cuprite_finite(x) && cuprite_finite(y)) {
        if (cuprite_size(x) < cuprite_range<T>::most()) return complex<T>(cosh(x) * cos(y), sinh(x) * sin(y));
        const complex<T> w = cuprite_exp_polar(cuprite_size(x), y, (T)0.5);
        return complex<T>(w.real(), x < zero ? -w.imag() : w.imag());
    }
    if (x == zero) return complex<T>(nan, copysign(zero, x));
    if (!cuprite_infinite(x)) return complex<T>(nan, nan);
    return cuprite_finite(y) ? complex<T>(cuprite_size(x) * cos(y), x * sin(y)) : complex<T>(cuprite_size(x), nan);
}
template <typename T> CUPRITE_COMPLEX complex<T> tanh(const complex<T> &z)
{
    const T x = z.real(), y = z.imag(), zero = T(), one = (T)1, nan = cuprite_nan<T>();
    if (x != x) return complex<T>(x, y == zero ? y : nan);
    if (cuprite_infinite(x))
        return complex<T>(copysign(one, x), copysign(zero, cuprite_finite(y) ? sin((T)2 * y) : y));
    if (!cuprite_finite(y)) return complex<T>(x == zero ? x : nan, nan);
    if (cuprite_size(x) > (sizeof(T) == 4 ? (T)10 : (T)22)) /* 1 to the last bit */
        return complex<T>(copysign(one, x), (T)4 * sin(y) * cos(y) * exp((T)-2 * cuprite_size(x)));
    const T t = tan(y), s = sinh(x), beta = one + t * t, rho = sqrt(one + s * s), scale = one + beta * s * s;
    return complex<T>(beta * rho * s / scale, t / scale);
}
/* i z, and z / i: what makes the functions of the circle of those of the hyperbola. */
template <typename T> CUPRITE_COMPLEX complex<T> cuprite_turn(const complex<T> &z)
{
    return complex<T>(-z.imag(), z.real());
}
template <typename T> CUPRITE_COMPLEX complex<T> cuprite_turn_back(const complex<T> &z)
{
    return complex<T>(z.imag(), -z.real());
}
template <typename T> CUPRITE_COMPLEX complex<T> sin(const complex<T> &z)
{
    return cuprite_turn_back(sinh(cuprite_turn(z)));
}
template <typename T> CUPRITE_COMPLEX complex<T> cos(const complex<T> &z) { return cosh(cuprite_turn(z)); }
template <typename T> CUPRITE_COMPLEX complex<T> tan(const complex<T> &z)
{
    return cuprite_turn_back(tanh(cuprite_turn(z)));
}
/* The inverse functions, by two square roots each: right on both sides of every branch cut, and without loss near the
 * branch points (W. Kahan, Branch cuts for complex elementary functions, 1987). Infinities and NaN give the values of
 * C's Annex G. Where |z| is large they equal logarithms to the last bit. */
template <typename T> CUPRITE_COMPLEX bool cuprite_far(T x, T y)
{
    const T large = sizeof(T) == 4 ? (T)1e15 : (T)1e150;
    return cuprite_size(x) > large || cuprite_size(y) > large;
}
template <typename T> CUPRITE_COMPLEX complex<T> asin(const complex<T> &z)
{
    const T x = z.real(), y = z.imag(), zero = T(), one = (T)1, nan = cuprite_nan<T>(), inf = cuprite_infinity<T>();
    if (isnan(z)) {
        if (isinf(z)) return complex<T>(nan, cuprite_infinite(y) ? y : copysign(inf, y));
        return complex<T>(x == zero ? x : nan, nan);
    }
    if (cuprite_far(x, y)) {
        const T im = cuprite_log_abs(x, y) + (T)0.69314718055994530942;
        return complex<T>(atan2(x, cuprite_size(y)), copysign(im, y));
    }
    const complex<T> a = sqrt(complex<T>(one - x, -y)), b = sqrt(complex<T>(one + x, y));
    return complex<T>(atan2(x, a.real() * b.real() - a.imag() * b.imag()),
                      asinh(a.real() * b.imag() - a.imag() * b.real()));
}
template <typename T> CUPRITE_COMPLEX complex<T> acos(const complex<T> &z)
{
    const T x = z.real(), y = z.imag(), zero = T(), one = (T)1, nan = cuprite_nan<T>(), inf = cuprite_infinity<T>();
    if (isnan(z)) {
        if (isinf(z)) return complex<T>(nan, cuprite_infinite(y) ? -y : -inf);
        return complex<T>(x == zero ? (T)1.57079632679489661923 : nan, nan);
    }
    if (cuprite_far(x, y)) {
        const T im = cuprite_log_abs(x, y) + (T)0.69314718055994530942;
        return complex<T>(atan2(cuprite_size(y), x), -copysign(im, y));
    }
    const complex<T> a = sqrt(complex<T>(one - x, -y)), b = sqrt(complex<T>(one + x, y));
    return complex<T>((T)2 * atan2(a.real(), b.real()), asinh(b.real() * a.imag() - b.imag() * a.real()));
}
template <typename T> CUPRITE_COMPLEX complex<T> asinh(const complex<T> &z)
{
    return cuprite_turn_back(asin(cuprite_turn(z)));
}
/* acos times i or -i, so that the real part is not negative. */
template <typename T> CUPRITE_COMPLEX complex<T> acosh(const complex<T> &z)
{
    const complex<T> w = acos(z);
    const T re = w.real(), im = w.imag();
    if (re != re) return complex<T>(im != im ? im : cuprite_size(im), re);
    if (im != im) return complex<T>(im, z.real() == T() && z.imag() != z.imag() ? re : im);
    return complex<T>(cuprite_size(im), copysign(re, z.imag()));
}
template <typename T> CUPRITE_COMPLEX complex<T> atanh(const complex<T> &z)
{
    const T x = cuprite_size(z.real()), y = z.imag(), ay = cuprite_size(y), zero = T(), one = (T)1;
    const T side = copysign(one, z.real()), quarter = copysign((T)1.57079632679489661923, y), nan = cuprite_nan<T>();
    if (isnan(z)) {
        if (cuprite_infinite(y)) return complex<T>(side * zero, quarter);
        return complex<T>(cuprite_infinite(x) ? side * zero : x == zero ? z.real() : nan, nan);
    }
    if (cuprite_far(x, y)) { /* the real part of 1 / z */
        if (isinf(z)) return complex<T>(side * zero, quarter);
        return complex<T>(side * (x > ay ? one / (x + ay / x * ay) : x / ay / (x / ay * x + ay)), quarter);
    }
    if (x == one && ay < (sizeof(T) == 4 ? (T)1e-18 : (T)1e-150)) { /* whose square vanishes */
        if (y == zero) return complex<T>(side * cuprite_infinity<T>(), y);
        return complex<T>(side * (T)0.5 * ((T)0.69314718055994530942 - log(ay)), quarter * (T)0.5);
    }
    const T d = one - x, re = log1p((T)4 * x / (d * d + y * y)) * (T)0.25;
    return complex<T>(side * re, atan2((T)2 * y, d * (one + x) - y * y) * (T)0.5);
}
template <typename T> CUPRITE_COMPLEX complex<T> atan(const complex<T> &z)
{
    return cuprite_turn_back(atanh(cuprite_turn(z)));
}

/* CuPy's lie in thrust. */
namespace thrust {
using ::complex;
using ::real;
using ::imag;
using ::abs;
using ::arg;
using ::norm;
using ::conj;
using ::polar;
using ::proj;
using ::exp;
using ::log;
using ::log10;
using ::pow;
using ::sqrt;
using ::sin;
using ::cos;
using ::tan;
using ::sinh;
using ::cosh;
using ::tanh;
using ::asin;
using ::acos;
using ::atan;
using ::asinh;
using ::acosh;
using ::atanh;
} // namespace thrust

#endif
