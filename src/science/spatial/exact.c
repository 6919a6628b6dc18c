/* The signs that double does not decide (exact.h): in twice its precision, then by expansions, sums of doubles that do
 * not overlap, smallest first, of which the last has the sum's sign (Shewchuk 1997). Invariant: an expansion has no
 * component that is 0, unless it is 0 itself. */
#include "spatial/exact.h"

#include <string.h>

typedef struct twice {
    double high, low; /* high is the sum rounded */
} twice;

static inline twice two_sum(double a, double b)
{
    const double s = a + b, v = s - a;
    return (twice){s, (a - (s - v)) + (b - v)};
}

static inline twice fast_two_sum(double a, double b) /* |a| >= |b|, or a is 0 */
{
    const double s = a + b;
    return (twice){s, b - (s - a)};
}

static inline twice two_product(double a, double b)
{
    const double p = a * b;
#ifdef FP_FAST_FMA
    return (twice){p, fma(a, b, -p)};
#else /* Dekker: halves of 26 bits */
    const double wa = 0x1.0000002p27 * a, wb = 0x1.0000002p27 * b;
    const double ah = wa - (wa - a), al = a - ah, bh = wb - (wb - b), bl = b - bh;
    return (twice){p, al * bl - (((p - ah * bh) - al * bh) - ah * bl)};
#endif
}

/* --- twice the precision: errors below 5 units of 2^-106 of a product, below 3 of a sum's terms --- */

static inline twice plus(twice a, twice b)
{
    const twice s = two_sum(a.high, b.high), t = two_sum(a.low, b.low), v = fast_two_sum(s.high, s.low + t.high);
    return fast_two_sum(v.high, t.low + v.low);
}

static inline twice minus(twice a) { return (twice){-a.high, -a.low}; }

static inline twice times(twice a, twice b)
{
    const twice p = two_product(a.high, b.high);
    return fast_two_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

typedef struct edges {
    twice ax, ay, bx, by, cx, cy; /* from d, without an error */
} edges;

static double circle_twice(const edges *e)
{
    const twice bc = plus(times(e->bx, e->cy), minus(times(e->cx, e->by)));
    const twice ca = plus(times(e->cx, e->ay), minus(times(e->ax, e->cy)));
    const twice ab = plus(times(e->ax, e->by), minus(times(e->bx, e->ay)));
    const twice aa = plus(times(e->ax, e->ax), times(e->ay, e->ay));
    const twice bb = plus(times(e->bx, e->bx), times(e->by, e->by));
    const twice cc = plus(times(e->cx, e->cx), times(e->cy, e->cy));
    return plus(plus(times(aa, bc), times(bb, ca)), times(cc, ab)).high;
}

/* --- expansions --- */

enum { SHORT = 2, PRODUCT = 2 * SHORT * SHORT, MINOR = 2 * PRODUCT, TERM = 2 * MINOR * MINOR, ALL = 3 * TERM };

static int expansion(twice a, double *h)
{
    int n = 0;
    if (a.low != 0) h[n++] = a.low;
    if (a.high != 0 || !n) h[n++] = a.high;
    return n;
}

/* h = e + f: both merged by their magnitudes, and added up. h is neither of them. */
static int sum(int m, const double *e, int n, const double *f, double *h)
{
    int i = 0, j = 0, k = 0;
    double q = fabs(e[0]) < fabs(f[0]) ? e[i++] : f[j++];
    while (i < m || j < n) {
        const double next = j == n || (i < m && fabs(e[i]) < fabs(f[j])) ? e[i++] : f[j++];
        const twice s = two_sum(q, next);
        q = s.high;
        if (s.low != 0) h[k++] = s.low;
    }
    if (q != 0 || !k) h[k++] = q;
    return k;
}

/* h = e * b */
static int scaled(int m, const double *e, double b, double *h)
{
    twice p = two_product(e[0], b);
    double q = p.high;
    int k = 0;
    if (p.low != 0) h[k++] = p.low;
    for (int i = 1; i < m; i++) {
        p = two_product(e[i], b);
        const twice s = two_sum(q, p.low), t = fast_two_sum(p.high, s.high);
        q = t.high;
        if (s.low != 0) h[k++] = s.low;
        if (t.low != 0) h[k++] = t.low;
    }
    if (q != 0 || !k) h[k++] = q;
    return k;
}

/* h = e * f, which have at most MINOR components. */
static int product(int m, const double *e, int n, const double *f, double *h)
{
    double part[2 * MINOR], before[TERM];
    int k = scaled(m, e, f[0], h);
    for (int i = 1; i < n; i++) {
        const int p = scaled(m, e, f[i], part);
        memcpy(before, h, (size_t)k * sizeof *h);
        k = sum(k, before, p, part, h);
    }
    return k;
}

/* h = a * b + sign * c * d */
static int minor(twice a, twice b, double sign, twice c, twice d, double *h)
{
    double e[4][SHORT], p[2][PRODUCT];
    const twice minus_c = {sign * c.high, sign * c.low};
    const int na = expansion(a, e[0]), nb = expansion(b, e[1]), nc = expansion(minus_c, e[2]), nd = expansion(d, e[3]);
    const int m = product(na, e[0], nb, e[1], p[0]), n = product(nc, e[2], nd, e[3], p[1]);
    return sum(m, p[0], n, p[1], h);
}

/* h = (x^2 + y^2) * (a * b - c * d) */
static int term(twice x, twice y, twice a, twice b, twice c, twice d, double *h)
{
    double lift[MINOR], cross[MINOR];
    const int m = minor(x, x, 1, y, y, lift), n = minor(a, b, -1, c, d, cross);
    return product(m, lift, n, cross, h);
}

double cpi_orient_exact(cpi_xy a, cpi_xy b, cpi_xy c)
{
    double det[MINOR];
    const int n = minor(two_sum(a.x, -c.x), two_sum(b.y, -c.y), -1, two_sum(a.y, -c.y), two_sum(b.x, -c.x), det);
    return det[n - 1];
}

static bool crossed(cpi_xy a, cpi_xy b, cpi_xy c, cpi_xy d) /* a and b are corners of a rectangle along the axes */
{
    return (a.x == c.x && a.y == d.y && b.x == d.x && b.y == c.y) ||
           (a.x == d.x && a.y == c.y && b.x == c.x && b.y == d.y);
}

double cpi_circle_exact(cpi_xy a, cpi_xy b, cpi_xy c, cpi_xy d, double permanent)
{
    if (crossed(a, b, c, d) || crossed(a, c, b, d) || crossed(a, d, b, c)) return 0; /* what most ties are */
    const edges e = {two_sum(a.x, -d.x), two_sum(a.y, -d.y), two_sum(b.x, -d.x),
                     two_sum(b.y, -d.y), two_sum(c.x, -d.x), two_sum(c.y, -d.y)};
    /* each term passes three products and four sums: below 30 units, and `permanent` is right to 2^-48 */
    const double det = circle_twice(&e);
    if (fabs(det) > 0x1p-98 * permanent) return det;
    double one[TERM], two[TERM], both[2 * TERM], all[ALL];
    int m = term(e.ax, e.ay, e.bx, e.cy, e.cx, e.by, one), n = term(e.bx, e.by, e.cx, e.ay, e.ax, e.cy, two);
    const int k = sum(m, one, n, two, both);
    n = term(e.cx, e.cy, e.ax, e.by, e.bx, e.ay, one);
    m = sum(k, both, n, one, all);
    return all[m - 1];
}

/* --- scaling --- */

enum { HIGHEST = 250, LOWEST = -240, DIGITS = 52, SMALLEST = 1075, WIDEST = 1000 };

bool cpi_plane_fits(const double *points, int64_t n, cpi_xy *to, cpi_plane *plane, bool *finite)
{
    uint64_t most = 0;
    int least = 2000;
    for (int64_t i = 0; i < 2 * n; i++) {
        uint64_t bits;
        memcpy(&bits, points + i, sizeof bits);
        bits &= UINT64_MAX >> 1;
        most = bits > most ? bits : most;
        if (!bits) continue;
        const int exponent = (int)(bits >> DIGITS);
        const uint64_t whole = exponent ? bits | (uint64_t)1 << DIGITS : bits;
        const int lowest = (exponent ? exponent : 1) + __builtin_ctzll(whole) - SMALLEST;
        least = lowest < least ? lowest : least;
    }
    *finite = most >> DIGITS < 2047;
    double largest;
    memcpy(&largest, &most, sizeof largest);
    int up = 0;
    frexp(largest, &up);
    if (!*finite || up > WIDEST || (most && up < -WIDEST)) return false;
    const int shift = most ? HIGHEST - up : 0, unit = most ? least + shift : HIGHEST, half = shift / 2;
    if (unit < LOWEST) return false;
    const double first = ldexp(1, half), second = ldexp(1, shift - half); /* 2^shift alone may be no double */
    for (int64_t i = 0; i < n; i++) /* -0 becomes 0 */
        to[i] = (cpi_xy){points[2 * i] * first * second + 0, points[2 * i + 1] * first * second + 0};
    plane->whole = ldexp(1, 4 * unit + DIGITS < 1023 ? 4 * unit + DIGITS : 1023);
    return true;
}
