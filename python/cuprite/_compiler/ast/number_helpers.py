"""C++ helpers of NumPy's functions of numbers (ufuncs.py): name -> source. Templates over the number type, which take
and give values."""
T = "template <class T> static __device__ inline "
C = "template <class T> static __device__ inline complex<T> "

HELPERS = {
    "np_fmod": T + "T np_fmod(T a, T b) {\n"
                   "    return b == 0 || (b == (T)-1 && (T)-1 < (T)0) ? (T)0 : (T)(a % b);\n}\n",
    "np_fmod_real": T + "T np_fmod_real(T a, T b) { return fmod(a, b); }\n",
    # a shift by as many bits as there are, or more, leaves nothing
    "np_shift_left": T + "T np_shift_left(T a, T n) {\n"
                         "    return n >= 0 && n < (T)(8 * sizeof(T)) ? (T)((unsigned long long)a << n) : (T)0;\n}\n",
    "np_shift_right": T + "T np_shift_right(T a, T n) {\n"
                          "    return n >= 0 && n < (T)(8 * sizeof(T)) ? (T)(a >> n) : a < 0 ? (T)-1 : (T)0;\n}\n",
    # of zero: what the processor's conversion of infinity gives
    "np_reciprocal": T + """T np_reciprocal(T a) {
    if (a == 0) return (T)-1 < (T)0 && sizeof(T) >= 4 ? (T)(1ull << (8 * sizeof(T) - 1)) : (T)0;
    return (T)(1 / a);
}
""",
    "np_lcm": T + "T np_lcm(T a, T b) {\n    T g = py_gcd(a, b), x = py_abs(a), y = py_abs(b);\n"
                  "    return g ? (T)(wrapping((T)(x / g)) * wrapping(y)) : (T)0;\n}\n",
    "np_signbit": T + "bool np_signbit(T a) { return a < 0; }\n",
    "np_bitwise_count": T + "unsigned char np_bitwise_count(T a) {\n"
                            "    unsigned long long size = (unsigned long long)py_abs(a);\n"
                            "    return (unsigned char)__popcll(size & (~0ull >> (64 - 8 * sizeof(T))));\n}\n",
    "np_heaviside": T + "T np_heaviside(T a, T at_zero) {\n"
                        "    return a != a ? a : a == 0 ? at_zero : a < 0 ? (T)0 : (T)1;\n}\n",
    "np_logaddexp": T + """T np_logaddexp(T a, T b) {
    if (a == b) return a + (T)0.693147180559945309417;
    T d = a - b;
    return d > 0 ? a + log1p(exp(-d)) : d <= 0 ? b + log1p(exp(d)) : d;
}
""",
    "np_logaddexp2": T + """T np_logaddexp2(T a, T b) {
    if (a == b) return a + (T)1;
    T d = a - b, e = (T)1.44269504088896340736;
    return d > 0 ? a + e * log1p(exp2(-d)) : d <= 0 ? b + e * log1p(exp2(d)) : d;
}
""",
    "np_spacing": "static __device__ inline float np_spacing(float a) {\n"
                  "    return a - a != 0 ? a - a : nextafterf(a, copysignf(1e30f * 1e30f, a)) - a;\n}\n"
                  "static __device__ inline double np_spacing(double a) {\n"
                  "    return a - a != 0 ? a - a : nextafter(a, copysign(1e300 * 1e300, a)) - a;\n}\n",
    "np_sinc": T + "T np_sinc(T x) {\n    x = x == 0 ? (T)1e-20 : x;\n"
                   "    x = (T)3.14159265358979323846 * x;\n    return sin(x) / x;\n}\n",
    "np_finite": T + """T np_finite(T x, T nan, T above, T below) {
    return x != x ? nan : x - x == 0 ? x : x > 0 ? above : below;
}
""",
    # the modified Bessel function of order 0: its power series, or the asymptotic one where that has converged
    "np_i0": """static __device__ inline double np_i0(double x) {
    x = fabs(x);
    if (x > 40) {
        double s = 1, t = 1;
        for (int k = 1; k < 30; k++) t *= (2 * k - 1) * (2 * k - 1) / (8 * x * k), s += t;
        return exp(x) / sqrt(6.283185307179586 * x) * s;
    }
    double s = 1, t = 1, q = x * x / 4;
    for (int k = 1; k < 200 && t > s * 1e-18; k++) t *= q / ((double)k * k), s += t;
    return x == x ? s : x;
}
""",
    # complex numbers: ordered by the real part, then the imaginary one; a NaN in either part wins or is passed over
    "np_cless": T + "bool np_cless(complex<T> a, complex<T> b) {\n"
                    "    return a.real() < b.real() ? !(a.imag() != a.imag() || b.imag() != b.imag())\n"
                    "                               : a.real() == b.real() && a.imag() < b.imag();\n}\n",
    "np_cless_equal": T + "bool np_cless_equal(complex<T> a, complex<T> b) {\n"
                          "    return a.real() < b.real() ? !(a.imag() != a.imag() || b.imag() != b.imag())\n"
                          "                               : a.real() == b.real() && a.imag() <= b.imag();\n}\n",
    "np_cisnan": T + "bool np_cisnan(complex<T> a) { return a.real() != a.real() || a.imag() != a.imag(); }\n",
    "np_cisfinite": T + "bool np_cisfinite(complex<T> a) {\n"
                        "    return a.real() - a.real() == 0 && a.imag() - a.imag() == 0;\n}\n",
    "np_cisinf": T + """bool np_cisinf(complex<T> a) {
    T x = a.real(), y = a.imag();
    return (x == x && x - x != 0) || (y == y && y - y != 0);
}
""",
    "np_crint": C + "np_crint(complex<T> a) { return complex<T>(rint(a.real()), rint(a.imag())); }\n",
    "np_csign": C + """np_csign(complex<T> a) {
    T r = abs(a);
    return r == 0 ? complex<T>(0, 0) : r != r ? complex<T>(r, r) : complex<T>(a.real() / r, a.imag() / r);
}
""",
    "np_cexp2": C + "np_cexp2(complex<T> a) { return exp(a * (T)0.693147180559945309417); }\n",
    "np_clog2": C + "np_clog2(complex<T> a) { return log(a) * (T)1.44269504088896340736; }\n",
    "np_clog1p": C + "np_clog1p(complex<T> a) {\n"
                     "    return complex<T>(log(hypot(a.real() + 1, a.imag())), atan2(a.imag(), a.real() + 1));\n}\n",
    "np_cexpm1": C + """np_cexpm1(complex<T> a) {
    T s = sin(a.imag() / 2);
    return complex<T>(expm1(a.real()) * cos(a.imag()) - 2 * s * s, exp(a.real()) * sin(a.imag()));
}
""",
}
for _word, _sign in (("max", "b, a"), ("min", "a, b")):
    HELPERS[f"np_{_word}_complex"] = C + f"""np_{_word}_complex(complex<T> a, complex<T> b) {{
    if (np_cisnan(a)) return a;
    if (np_cisnan(b)) return b;
    return np_cless_equal({_sign}) ? a : b;
}}
"""
    HELPERS[f"np_f{_word}_complex"] = C + f"""np_f{_word}_complex(complex<T> a, complex<T> b) {{
    if (np_cisnan(a)) return b;
    if (np_cisnan(b)) return a;
    return np_cless_equal({_sign}) ? a : b;
}}
"""
