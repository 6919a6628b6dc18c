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
    CUPRITE_COMPLEX complex(const T &re, const T &im = T()) : re_(re), im_(im) {}
    template <typename U> CUPRITE_COMPLEX complex(const complex<U> &z) : re_((T)z.real()), im_((T)z.imag()) {}
    CUPRITE_COMPLEX T real() const { return re_; }
    CUPRITE_COMPLEX T imag() const { return im_; }
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
template <typename T> CUPRITE_COMPLEX complex<T> exp(const complex<T> &z)
{
    T e = exp(z.real());
    return z.imag() == T() ? complex<T>(e, z.imag()) : complex<T>(e * cos(z.imag()), e * sin(z.imag()));
}
template <typename T> CUPRITE_COMPLEX complex<T> log(const complex<T> &z)
{
    T r = abs(z);
    if (r < (T)0.71 || r > (T)1.73) return complex<T>(log(r), arg(z));
    T x = z.real() < T() ? -z.real() : z.real(), y = z.imag() < T() ? -z.imag() : z.imag(); /* near 1 without loss */
    T above = x < y ? y : x, below = x < y ? x : y;
    return complex<T>(log1p((above - (T)1) * (above + (T)1) + below * below) * (T)0.5, arg(z));
}
template <typename T> CUPRITE_COMPLEX complex<T> log10(const complex<T> &z)
{
    const T e = (T)0.43429448190325182765;
    return complex<T>(log10(abs(z)), arg(z) * e);
}
template <typename T> CUPRITE_COMPLEX complex<T> sqrt(const complex<T> &z)
{
    T x = z.real(), y = z.imag(), zero = T();
    if (x == zero && y == zero) return complex<T>(zero, y);
    T large = sizeof(T) == 4 ? (T)1e38 : (T)5e307, scale = (T)1; /* beyond, the magnitude overflows */
    if (x > large || x < -large || y > large || y < -large) x *= (T)0.25, y *= (T)0.25, scale = (T)2;
    T t = sqrt((T)0.5 * (abs(complex<T>(x, y)) + (x < zero ? -x : x)));
    T half = (T)0.5 * y / t * scale;
    t *= scale;
    if (x >= zero) return complex<T>(t, half);
    bool minus = y < zero || (y == zero && (T)1 / y < zero);
    return complex<T>(minus ? -half : half, minus ? -t : t);
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
    return complex<T>(sinh(z.real()) * cos(z.imag()), cosh(z.real()) * sin(z.imag()));
}
template <typename T> CUPRITE_COMPLEX complex<T> cosh(const complex<T> &z)
{
    return complex<T>(cosh(z.real()) * cos(z.imag()), sinh(z.real()) * sin(z.imag()));
}
template <typename T> CUPRITE_COMPLEX complex<T> tanh(const complex<T> &z)
{
    T t = tan(z.imag()), s = sinh(z.real()), one = (T)1, beta = one + t * t, rho = sqrt(one + s * s);
    if ((s < T() ? -s : s) > (sizeof(T) == 4 ? (T)1e4 : (T)1e9)) { /* 1 to the last bit */
        T x = z.real() < T() ? -z.real() : z.real();
        return complex<T>(s < T() ? -one : one, (T)4 * sin(z.imag()) * cos(z.imag()) * exp((T)-2 * x));
    }
    T scale = one + beta * s * s;
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
 * branch points. (W. Kahan, Branch cuts for complex elementary functions.) */
template <typename T> CUPRITE_COMPLEX complex<T> asinh(const complex<T> &z)
{
    const T one = (T)1;
    complex<T> a = sqrt(complex<T>(one + z.imag(), -z.real())), b = sqrt(complex<T>(one - z.imag(), z.real()));
    return complex<T>(asinh(a.real() * b.imag() - b.real() * a.imag()),
                      atan2(z.imag(), a.real() * b.real() - a.imag() * b.imag()));
}
template <typename T> CUPRITE_COMPLEX complex<T> acosh(const complex<T> &z)
{
    const T one = (T)1;
    complex<T> a = sqrt(complex<T>(z.real() - one, z.imag())), b = sqrt(complex<T>(z.real() + one, z.imag()));
    return complex<T>(asinh(a.real() * b.real() + a.imag() * b.imag()), (T)2 * atan2(a.imag(), b.real()));
}
template <typename T> CUPRITE_COMPLEX complex<T> acos(const complex<T> &z)
{
    const T one = (T)1;
    complex<T> a = sqrt(complex<T>(one - z.real(), -z.imag())), b = sqrt(complex<T>(one + z.real(), z.imag()));
    return complex<T>((T)2 * atan2(a.real(), b.real()), asinh(b.real() * a.imag() - b.imag() * a.real()));
}
template <typename T> CUPRITE_COMPLEX complex<T> cuprite_atanh_right(T x, T y)
{
    const T one = (T)1, ay = y < T() ? -y : y, large = sizeof(T) == 4 ? (T)1e18 : (T)1e153;
    if (x > large || ay > large) { /* 1 / z */
        T h = hypot(x * (T)0.5, y * (T)0.5);
        return complex<T>(x * (T)0.25 / h / h, copysign((T)1.57079632679489661923, y));
    }
    if (x == one && y == T()) return complex<T>(one / T(), y);
    if (x == one && ay < (sizeof(T) == 4 ? (T)1e-19 : (T)1e-154)) /* whose square vanishes */
        return complex<T>((T)0.5 * ((T)0.69314718055994530942 - log(ay)), copysign((T)0.78539816339744830962, y));
    return complex<T>(log1p((T)4 * x / ((one - x) * (one - x) + y * y)) * (T)0.25,
                      atan2((T)2 * y, (one - x) * (one + x) - y * y) * (T)0.5);
}
template <typename T> CUPRITE_COMPLEX complex<T> atanh(const complex<T> &z)
{
    if (copysign((T)1, z.real()) > T()) return cuprite_atanh_right(z.real(), z.imag());
    return -cuprite_atanh_right(-z.real(), -z.imag());
}
template <typename T> CUPRITE_COMPLEX complex<T> asin(const complex<T> &z)
{
    return cuprite_turn_back(asinh(cuprite_turn(z)));
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
