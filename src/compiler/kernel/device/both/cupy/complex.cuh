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
template <typename T> CUPRITE_COMPLEX complex<T> operator*(const complex<T> &a, const complex<T> &b)
{
    return complex<T>(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
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
    return complex<T>(log(abs(z)), arg(z));
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
    T t = sqrt((T)0.5 * (abs(z) + (x < zero ? -x : x)));
    T half = (T)0.5 * y / t;
    if (x >= zero) return complex<T>(t, half);
    bool minus = y < zero || (y == zero && (T)1 / y < zero);
    return complex<T>(half < zero ? -half : half, minus ? -t : t);
}
template <typename T> CUPRITE_COMPLEX complex<T> pow(const complex<T> &a, const complex<T> &b)
{
    if (a == T()) return b == T() ? complex<T>((T)1) : complex<T>();
    return exp(b * log(a));
}
/* Of two widths: that of their product. */
CUPRITE_COMPLEX complex<double> pow(const complex<float> &a, const complex<double> &b)
{
    return pow(complex<double>(a), b);
}
CUPRITE_COMPLEX complex<double> pow(const complex<double> &a, const complex<float> &b)
{
    return pow(a, complex<double>(b));
}
template <typename T> CUPRITE_COMPLEX complex<T> pow(const complex<T> &a, const typename cuprite_identity<T>::type &b)
{
    return pow(a, complex<T>(b));
}
template <typename T> CUPRITE_COMPLEX complex<T> pow(const typename cuprite_identity<T>::type &a, const complex<T> &b)
{
    return pow(complex<T>(a), b);
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
    if ((s < T() ? -s : s) > (T)1e4) return complex<T>(s < T() ? -one : one, T());
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
template <typename T> CUPRITE_COMPLEX complex<T> asinh(const complex<T> &z)
{
    bool minus = z.real() < T();
    complex<T> w = minus ? -z : z, r = log(w + sqrt(w * w + (T)1));
    return minus ? -r : r;
}
template <typename T> CUPRITE_COMPLEX complex<T> acosh(const complex<T> &z)
{
    return log(z + sqrt(z + (T)1) * sqrt(z - (T)1));
}
template <typename T> CUPRITE_COMPLEX complex<T> atanh(const complex<T> &z)
{
    return (log((T)1 + z) - log((T)1 - z)) * (T)0.5;
}
template <typename T> CUPRITE_COMPLEX complex<T> asin(const complex<T> &z)
{
    return cuprite_turn_back(asinh(cuprite_turn(z)));
}
template <typename T> CUPRITE_COMPLEX complex<T> acos(const complex<T> &z)
{
    complex<T> s = asin(z);
    return complex<T>((T)1.5707963267948966 - s.real(), -s.imag());
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
