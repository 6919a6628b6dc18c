/* Special functions that a few elementary ones make: of probabilities, entropies and losses, of angles in degrees. */
#ifndef CPS_ELEMENTARY_H
#define CPS_ELEMENTARY_H

#include "scalar/special.h"

CPS_MATH double cps_expit(double x)
{
    const double e = exp(-fabs(x));
    return (x < 0 ? e : 1) / (1 + e);
}
/* The logarithm of (1 - m) / m, where m is the smaller of p and 1 - p, exactly: 2^k of it, and the rest by
 * 2 atanh(s), s = (1 - m - 2^k m) / (1 - m + 2^k m), at most 0.2. Near 1/2 the numerator is the exact distance. */
CPS_MATH double cps_logit_usual(double p)
{
    const double m = p < 0.5 ? p : 1 - p;
    const uint64_t far = (cps_bits_f64(1 - m) - cps_bits_f64(m) + (1ull << 51)) >> 52; /* k */
    const double power = cps_from_bits_f64((far + 1023) << 52);
    const double k = cps_from_bits_f64(far | 0x4330000000000000) - 4503599627370496.0;
    const double s = fma(-m, power + 1, 1) / fma(m, power - 1, 1), q = s * s;
    const double r = CPS_FMA(k, CPS_LN2_HIGH, CPS_FMA(2, s, CPS_FMA(s * q, cps_atanh_part(q), k * CPS_LN2_LOW)));
    return p < 0.5 ? -r : r;
}
CPS_MATH double cps_logit(double p)
{
    return p > 2.3e-308 && p < 1 ? cps_logit_usual(p) : log(p / (1 - p));
}
CPS_MATH double cps_log_expit(double x) { return x < 0 ? x - log1p(exp(x)) : -log1p(exp(-x)); }
CPS_MATH double cps_exprel(double x) { return fabs(x) < 1e-16 ? 1 : x > 717 ? CPS_INF : expm1(x) / x; }

CPS_MATH double cps_entr(double x) { return x > 0 ? -x * log(x) : x == 0 ? 0 : x < 0 ? -CPS_INF : x; }
CPS_MATH double cps_rel_entr(double x, double y)
{
    if (x != x || y != y) return CPS_NAN;
    if (x > 0 && y > 0) {
        const double ratio = x / y;
        if (ratio > 0.5 && ratio < 2) return x * log1p((x - y) / y);
        if (ratio > 2.3e-308 && ratio < CPS_INF) return x * log(ratio);
        return x * (log(x) - log(y));
    }
    return x == 0 && y >= 0 ? 0 : CPS_INF;
}
/* y ((1 + t) log(1 + t) - t) of t = x/y - 1: near t = 0 that is t^2 and a term of half its size. */
CPS_MATH double cps_kl_div(double x, double y)
{
    if (x != x || y != y) return CPS_NAN;
    if (x > 0 && y > 0) {
        const double t = (x - y) / y;
        if (fabs(t) < 0.5) return y * ((1 + t) * cps_log1p_less(t, x / y) + t * t);
        return cps_rel_entr(x, y) - x + y;
    }
    return x == 0 && y >= 0 ? y : CPS_INF;
}
CPS_MATH double cps_huber(double delta, double r)
{
    if (delta < 0) return CPS_INF;
    r = fabs(r);
    return r <= delta ? 0.5 * r * r : delta * (r - 0.5 * delta);
}
CPS_MATH double cps_pseudo_huber(double delta, double r)
{
    if (delta < 0) return CPS_INF;
    if (delta == 0 || r == 0) return 0;
    const double v = fabs(r) / delta;
    return delta * (fabs(r) * (v == CPS_INF ? 1 : v / (1 + hypot(1.0, v))));
}
CPS_MATH double cps_xlog1py(double x, double y) { return x == 0 && y == y ? 0 : x * log1p(y); }
CPS_MATH cp_complex128 cps_xlog1py_c128(cp_complex128 x, cp_complex128 y)
{
    return x.re == 0 && x.im == 0 && y.re == y.re && y.im == y.im ? CPS_C(0, 0)
                                                                   : cps_multiply_c128(x, cps_log1p_c128(y));
}

CPS_MATH cp_complex64 cps_xlog1py_c64(cp_complex64 x, cp_complex64 y)
{
    return cps_narrow(cps_xlog1py_c128(cps_widen(x), cps_widen(y)));
}

/* (exp(lambda log_x) - 1) / lambda: where exp overflows, of the quotient's logarithm; a product that may be subnormal
 * has lost digits. */
CPS_MATH double cps_box_cox(double log_x, double lambda)
{
    const double e = lambda * log_x;
    if (lambda == 0 || fabs(e) < 1e-17) return log_x;
    if (e < 709.78) return expm1(e) / lambda;
    return copysign(1.0, lambda) * exp(e - log(fabs(lambda))) - 1 / lambda;
}
CPS_MATH double cps_boxcox(double x, double lambda) { return cps_box_cox(log(x), lambda); }
CPS_MATH double cps_boxcox1p(double x, double lambda) { return cps_box_cox(log1p(x), lambda); }
/* log(1 + lambda x) / lambda, also where lambda x overflows, or is so small that it may be subnormal */
CPS_MATH double cps_log_box_cox(double x, double lambda)
{
    const double p = lambda * x;
    if (lambda == 0 || fabs(p) < 1e-19) return x;
    return (p == CPS_INF && fabs(x) < CPS_INF ? log(fabs(lambda)) + log(fabs(x)) : log1p(p)) / lambda;
}
CPS_MATH double cps_inv_boxcox(double x, double lambda) { return exp(cps_log_box_cox(x, lambda)); }
CPS_MATH double cps_inv_boxcox1p(double x, double lambda) { return expm1(cps_log_box_cox(x, lambda)); }

CPS_MATH double cps_cosm1(double x)
{
    const double s = sin(0.5 * x);
    return -2 * s * s;
}

/* Degrees reduced to -45..45 around a multiple of 90, exactly; `turns` is that multiple modulo 4. */
CPS_MATH double cps_quarter(double degrees, int *turns)
{
    const double r = fmod(degrees, 360), q = rint(r / 90);
    *turns = (int)q & 3;
    return r - 90 * q;
}
CPS_MATH double cps_sindg(double x)
{
    int turns;
    if (!(fabs(x) < CPS_INF)) return CPS_NAN;
    const double r = cps_quarter(x, &turns) * 0.017453292519943295769;
    const double v = turns & 1 ? cos(r) : sin(r);
    return turns & 2 ? -v : v;
}
CPS_MATH double cps_cosdg(double x)
{
    int turns;
    if (!(fabs(x) < CPS_INF)) return CPS_NAN;
    const double r = cps_quarter(x, &turns) * 0.017453292519943295769;
    const double v = turns & 1 ? sin(r) : cos(r);
    return turns == 1 || turns == 2 ? -v : v;
}
/* Multiples of 45 are exact; at a pole infinity. */
CPS_MATH double cps_tandg(double x)
{
    int turns;
    if (!(fabs(x) < CPS_INF)) return CPS_NAN;
    const double r = cps_quarter(x, &turns), v = fabs(r) == 45 ? copysign(1.0, r) : tan(r * 0.017453292519943295769);
    if (!(turns & 1)) return v;
    return r == 0 ? CPS_INF : -1 / v;
}
CPS_MATH double cps_cotdg(double x)
{
    int turns;
    if (!(fabs(x) < CPS_INF)) return CPS_NAN;
    const double r = cps_quarter(x, &turns), v = fabs(r) == 45 ? copysign(1.0, r) : tan(r * 0.017453292519943295769);
    if (turns & 1) return -v;
    return r == 0 ? CPS_INF : 1 / v; /* beside the pole v may vanish, with its sign */
}
CPS_MATH double cps_radian(double d, double m, double s) { return (d + m / 60 + s / 3600) * 0.017453292519943295769; }

#endif
