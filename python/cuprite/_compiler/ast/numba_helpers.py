"""C++ helpers of what Numba's functions of numbers do otherwise than NumPy's and Python's: name -> source. Templates
over the number type, which take and give values.

Invariant: a value and its type are what numba.njit gives, for infinities and NaN too; the sign of a NaN, and that of a
zero of a complex function, are not defined.
"""
T = "template <class T> static __device__ inline "
C = "template <class T> static __device__ inline complex<T> "
ONE = "static __device__ inline complex<double> "

HELPERS = {
    "nb_reciprocal": T + """T nb_reciprocal(T a) {
    return a == 0 && (T)-1 > (T)0 && sizeof(T) >= 4 ? (T)-1 : np_reciprocal(a);
}
""",
    # np.remainder, whose zeros are positive; np.sign keeps the sign of zero
    "nb_remainder": T + """T nb_remainder(T a, T b) {
    T r = fmod(a, b);
    return r + (r != 0 && (b < 0) != (r < 0) ? b : (T)0);
}
""",
    "nb_sign": T + "T nb_sign(T a) { return a > 0 ? (T)1 : a < 0 ? (T)-1 : a; }\n",
    # np.floor_divide of floating numbers: the quotient is rounded before its floor is taken
    "nb_floor_divide": T + "T nb_floor_divide(T a, T b) { return floor_of(a / b); }\n",
    # the smallest number divided by -1 is 0
    "nb_floordiv": T + """T nb_floordiv(T a, T b) {
    bool overflows = (T)-1 < (T)0 && b == (T)-1 && a == (T)(1ull << (8 * sizeof(T) - 1));
    return overflows ? (T)0 : py_floordiv(a, b);
}
""",
    # zero with a negative exponent is the smallest number
    "nb_ipow": T + """T nb_ipow(T a, T e) {
    return a == 0 && e < 0 ? (T)(1ull << (8 * sizeof(T) - 1)) : py_ipow(a, e);
}
""",
    # a power by products up to an exponent of 65536
    "nb_powi": T + """T nb_powi(T x, long long e) {
    return e > 65536 || e < -65536 ? (T)pow((double)x, (double)e) : py_powi(x, e);
}
""",
    # to a number of decimal digits: scaled in double, rounded (ties to even) in the number's own type
    "nb_round": T + """T nb_round(T x, long long digits) {
    if (x - x != 0) return x;
    bool down = digits < 0, far = digits > 22;
    double p = py_powi(10.0, down ? -digits : far ? digits - 22 : digits), more = far ? 1e22 : 1.0;
    double y = down ? x / p : x * p * more;
    if (!down && y - y != 0) return x;
    y = rint((double)(T)y);
    return (T)(down ? y * p : y / more / p);
}
""",
    # --- complex functions, whose values at infinities are defined ---
    "nb_isinf": T + "bool nb_isinf(T x) { return x == x && x - x != 0; }\n",
    "nb_magnitude": T + "T nb_magnitude(T x) { return x < 0 ? -x : x; }\n",
    "nb_cexp": C + """nb_cexp(complex<T> z) {
    T x = z.real(), y = z.imag();
    if (nb_isinf(x) && y - y != 0) return x > 0 ? complex<T>(x, y - y) : complex<T>((T)0, (T)0);
    if (x - x != 0) return exp(z);
    T r = exp(x);
    return complex<T>(r * cos(y), r * sin(y));
}
""",
    "nb_csqrt": C + """nb_csqrt(complex<T> z) {
    T y = z.imag();
    return nb_isinf(y) ? complex<T>(nb_magnitude(y), y) : sqrt(z);
}
""",
    "nb_csinh": C + """nb_csinh(complex<T> z) {
    T x = z.real(), y = z.imag();
    if (!nb_isinf(x)) return sinh(z);
    if (y != y) return z;
    T c = cos(y), s = sin(y);
    return complex<T>(c != 0 ? c * x : c, s != 0 ? s * nb_magnitude(x) : s);
}
""",
    "nb_ccosh": C + """nb_ccosh(complex<T> z) {
    T x = z.real(), y = z.imag();
    if (!nb_isinf(x)) return cosh(z);
    bool plain = y != y || y == 0;
    T re = plain ? nb_magnitude(x) : copysign(x, cos(y)), im = plain ? y : copysign(x, sin(y));
    return complex<T>(re, x < 0 ? -im : im);
}
""",
    "nb_ctanh": C + """nb_ctanh(complex<T> z) {
    T x = z.real(), y = z.imag();
    if (nb_isinf(x)) return complex<T>(copysign((T)1, x), nb_isinf(y) ? (T)0 : copysign((T)0, sin((T)2 * y)));
    return y - y != 0 ? complex<T>(y - y, y - y) : tanh(z);
}
""",
    # an angle that is not finite: of no length it is 0, of an infinite one the length is kept
    "nb_rect": C + """nb_rect(T r, T phi) {
    if (phi - phi != 0) {
        if (r == 0) return complex<T>(copysign(r, (T)1), 0);
        if (nb_isinf(r)) return complex<T>(r, phi);
    }
    T re = cos(phi), im = sin(phi);
    bool far = nb_isinf(r);
    return complex<T>(re == 0 && far ? re / r : re * r, im == 0 && far ? im / r : im * r);
}
""",
    # the logarithm of twice the magnitude, which half of a large number is taken for
    "nb_log_twice": T + "T nb_log_twice(complex<T> z) {\n"
                        "    return log(hypot(z.real() * (T)0.5, z.imag() * (T)0.5)) + (T)1.38629436111989061883;\n}\n",
    "nb_large": T + "bool nb_large(complex<T> z) {\n"
                    "    return nb_magnitude(z.real()) > (T)8.5e37 || nb_magnitude(z.imag()) > (T)8.5e37;\n}\n",
    "nb_casinh": C + """nb_casinh(complex<T> z) {
    if (!nb_large(z)) return asinh(z);
    return complex<T>(copysign(nb_log_twice(z), z.real()), atan2(z.imag(), nb_magnitude(z.real())));
}
""",
    "nb_cacosh": C + """nb_cacosh(complex<T> z) {
    return nb_large(z) ? complex<T>(nb_log_twice(z), atan2(z.imag(), z.real())) : acosh(z);
}
""",
    "nb_cacos": C + """nb_cacos(complex<T> z) {
    if (!nb_large(z)) return acos(z);
    return complex<T>(atan2(copysign(z.imag(), (T)1), z.real()), copysign(nb_log_twice(z), -z.imag()));
}
""",
    "nb_catanh": C + """nb_catanh(complex<T> z) {
    T x = z.real(), y = z.imag();
    if (x - x == 0 && y - y == 0) return atanh(z);
    T re = nb_isinf(x) || nb_isinf(y) ? copysign((T)0, x) : x + y;
    return complex<T>(re, y != y ? y : copysign((T)1.57079632679489661923, y));
}
""",
    # of complex64, which give complex128: what Numba computes in float32 stays so
    "nb_cacosh_single": ONE + """nb_cacosh_single(complex<float> z) {
    complex<double> wide(z);
    if (!nb_large(z)) return nb_cacosh(wide);
    return complex<double>(nb_log_twice(wide), (double)atan2(z.imag(), z.real()));
}
""",
    "nb_clog10_single": ONE + """nb_clog10_single(complex<float> z) {
    complex<float> r = log(z);
    return complex<double>(r.real() / 2.302585092994045684, r.imag() / 2.302585092994045684);
}
""",
    "nb_ctanh_single": ONE + """nb_ctanh_single(complex<float> z) {
    float x = z.real(), y = z.imag();
    if (x - x != 0 || y - y != 0) return nb_ctanh(complex<double>(z));
    float tx = tanh(x), ty = tan(y), both = tx * ty;
    double c = 1.0 / cosh(x), d = 1.0 + both * both;
    return complex<double>(tx * (1.0 + ty * ty) / d, ty / d * c * c);
}
""",
    "nb_ccos": C + "nb_ccos(complex<T> z) { return nb_ccosh(cuprite_turn(z)); }\n",
}
for _circle, _hyperbola in (("sin", "sinh"), ("tan", "tanh"), ("asin", "asinh"), ("atan", "atanh")):
    HELPERS[f"nb_c{_circle}"] = C + f"""nb_c{_circle}(complex<T> z) {{
    return cuprite_turn_back(nb_c{_hyperbola}(cuprite_turn(z)));
}}
"""
#: the complex functions that have one
COMPLEX = {name[4:] for name in HELPERS if name.startswith("nb_c") and not name.endswith("_single")}
