/* Singular values by rotations of columns (Hestenes), eigenvalues of Hermitian matrices by rotations from both sides.
 *
 * All pairs of columns meet once a sweep, in rounds in which each column is in one pair (the circle of a tournament),
 * so a round's rotations do not depend on one another. Sweeps end when one found nothing to rotate, or at SWEEPS, so
 * they end for every input. Matrices are scaled by a power of two first, so squares neither overflow nor, where they
 * matter, vanish; what is not finite is trouble before anything is rotated. */
#ifndef CPI_LINALG_JACOBI_CUH
#define CPI_LINALG_JACOBI_CUH

#include "linalg/lu.cuh" /* exponent_of, shifted */
#include "linalg/qr.cuh"

namespace la {

enum { SWEEPS = 40 };

/* The pair `i` of round `k` among n (even) players. */
LA_DEVICE void pair_of(int n, int k, int i, int *p, int *q)
{
    int a = k + i, b = i ? k - i : n - 1;
    if (a >= n - 1) a -= n - 1;
    if (b < 0) b += n - 1;
    *p = a < b ? a : b, *q = a < b ? b : a;
}

/* The rotation that makes [[alpha, gamma], [conj(gamma), beta]] diagonal: columns x, y become c x - s y', s x + c y'
 * with y' = y conj(phase). */
template <class T> struct rotation {
    typedef real_of<T> R;
    R c, s;
    T phase; /* conjugated */
    __device__ rotation() : c(1), s(0), phase(number<T>(1)) {}
    __device__ rotation(R alpha, R beta, T gamma)
    {
        R size = modulus(gamma), zeta = (beta - alpha) / (2 * size), t;
        t = 1 / (magnitude(zeta) + root(fma(zeta, zeta, (R)1)));
        if (zeta < 0) t = -t;
        c = 1 / root(fma(t, t, (R)1));
        s = c * t;
        phase = conj(divide(gamma, size));
    }
    __device__ void apply(T &x, T &y) const
    {
        T z = times(y, phase), old = x;
        x = subtract(times(x, c), times(z, s));
        y = add(times(old, s), times(z, c));
    }
};

/* a / 2^e for the largest entry's e, so that it lies in [1/2, 1); false: some entry is not finite. */
template <class R> LA_DEVICE bool scale_of(const team &t, R most, int *e)
{
    most = largest(t, most);
    *e = most > 0 ? exponent_of(most) : 0;
    return most < (R)INFINITY;
}
template <class T> LA_DEVICE real_of<T> finite_size(T a)
{
    real_of<T> x = magnitude(real(a)), y = magnitude(imag(a)), v = x > y ? x : y;
    return x == x && y == y ? v : (real_of<T>)INFINITY;
}

/* Columns of w (p rows, r columns) are made orthogonal; v, r x r in columns of ldv, takes part (NULL: not wanted). */
template <class T> LA_DEVICE void orthogonalize(const team &t, T *w, int ld, int p, int r, T *v, int ldv, int *moved)
{
    typedef real_of<T> R;
    int width = lanes_of(p), lane = t.rank % width, group = t.rank / width, groups = t.size / width, n = r + r % 2;
    R least = limits<R>::epsilon() * root((R)p);
    for (int sweep = 1; sweep <= SWEEPS && r > 1; sweep++) {
        for (int k = 0; k < n - 1; k++) {
            for (int first = 0; first < n / 2; first += groups) {
                int a = 0, b = 0, i = first + group;
                if (i < n / 2) pair_of(n, k, i, &a, &b);
                bool mine = i < n / 2 && b < r;
                T *x = w + a * ld, *y = w + (mine ? b : a) * ld, gamma = number<T>(0);
                R alpha = 0, beta = 0;
                for (int e = lane; e < p && mine; e += width) {
                    alpha += square(x[e]), beta += square(y[e]);
                    gamma = plus_conjugate(gamma, x[e], y[e]);
                }
                for (int d = width / 2; d; d /= 2) { /* the three at once: none waits for another */
                    R one = across(alpha, d), two = across(beta, d);
                    T three = across(gamma, d);
                    alpha += one, beta += two, gamma = add(gamma, three);
                }
                R size = modulus(gamma);
                if (!mine || !(size > least * (root(alpha) * root(beta)))) continue;
                if (!(alpha > limits<R>::tiny()) || !(beta > limits<R>::tiny())) continue; /* counts as zero */
                rotation<T> g(alpha, beta, gamma);
                for (int e = lane; e < p; e += width) g.apply(x[e], y[e]);
                if (v)
                    for (int e = lane; e < r; e += width) g.apply(v[a * ldv + e], v[b * ldv + e]);
                if (lane == 0) *(volatile int *)moved = sweep;
            }
            t.sync();
        }
        if (*(volatile int *)moved < sweep) break;
    }
}

/* Where vectors go, row-ordered: `tall` (p x columns) and `square` (r x r) of the columns w and v, as they are or
 * transposed, conjugated or not. */
template <class T> struct svd_form {
    T *tall, *square;
    bool tall_transposed, tall_conjugate, square_transposed, square_conjugate;
};

/* Values, falling, and vectors (w was made orthogonal, v is what turned it). copy: ld * r, tau: r numbers. */
template <class T>
LA_DEVICE void svd_finish(const team &t, T *w, int ld, int p, int r, int columns, const T *v, int ldv, T *copy, T *tau,
                          real_of<T> *sizes, int *order, int e, real_of<T> *s, const svd_form<T> &to)
{
    typedef real_of<T> R;
    for (int c = t.rank / 32; c < r; c += t.size / 32) {
        R sum = 0;
        for (int i = t.rank % 32; i < p; i += 32) sum += square(w[(wide)c * ld + i]);
        sum = group_sum(sum, 32);
        if (t.rank % 32 == 0) sizes[c] = sum > limits<R>::tiny() ? root(sum) : (R)0;
    }
    t.sync();
    int rank = 0;
    for (int c = 0; c < r; c++) rank += sizes[c] > 0;
    for (int c = t.rank; c < r; c += t.size) {
        int position = 0;
        for (int i = 0; i < r; i++) position += sizes[i] > sizes[c] || (sizes[i] == sizes[c] && i < c);
        order[position] = c;
        s[position] = shifted(sizes[c], e);
    }
    t.sync();
    if (!to.tall) return;
    for (int c = t.rank / 32; c < r; c += t.size / 32) {
        int from = order[c];
        for (int i = t.rank % 32; i < r; i += 32) {
            T value = v[(wide)from * ldv + i];
            if (to.square_conjugate) value = conj(value);
            to.square[to.square_transposed ? (wide)c * r + i : (wide)i * r + c] = value;
        }
        for (int i = t.rank % 32; i < p && c < rank; i += 32)
            copy[(wide)c * ld + i] = divide(w[(wide)from * ld + i], sizes[from]);
    }
    t.sync();
    auto put = [&](int c, int i, T value) {
        if (to.tall_conjugate) value = conj(value);
        to.tall[to.tall_transposed ? (wide)c * p + i : (wide)i * columns + c] = value;
    };
    for (int i = t.rank / 32; i < p; i += t.size / 32)
        for (int c = t.rank % 32; c < rank; c += 32) put(c, i, copy[(wide)c * ld + i]);
    if (rank == columns) return;
    t.sync(); /* the rest: what is orthogonal to those that are there */
    householder(t, copy, ld, p, rank, tau);
    form(t, copy, ld, p, rank, tau, rank, columns, w, ld);
    for (int i = t.rank / 32; i < p; i += t.size / 32)
        for (int c = rank + t.rank % 32; c < columns; c += 32) put(c, i, w[(wide)(c - rank) * ld + i]);
}

/* The singular values of one matrix and, where `u` is wanted, the vectors. Of a with m < n it is a^H that is worked
 * on: p x r with p >= r either way. `columns`: of the p-sided vectors, r or p. */
template <class T>
__global__ void __launch_bounds__(1024)
svd_whole(wide first, wide batch, int m, int n, int columns, const T *a, T *u, real_of<T> *s, T *vt, wide each,
          unsigned char *outside, unsigned *mailbox, unsigned error)
{
    typedef real_of<T> R;
    team t;
    position at(first, batch, each, outside);
    if (at.matrix < 0) return;
    bool flip = m < n;
    int p = flip ? n : m, r = flip ? m : n, ld = p | 1, ldv = r | 1, e;
    T *w = (T *)at.memory, *v = w + (wide)ld * columns, *copy = v + (u ? (wide)ldv * r : 0);
    T *tau = copy + (u ? (wide)ld * r : 0);
    R *sizes = (R *)(tau + (u ? r : 0));
    int *order = (int *)(sizes + r), *moved = order + r;
    spread lanes(t, n);
    R most = 0;
    a += at.matrix * m * n;
    for (int i = lanes.y; i < m; i += lanes.rows)
        for (int c = lanes.x; c < n; c += lanes.width) {
            T value = a[(wide)i * n + c];
            most = larger(most, finite_size(value));
            if (flip) w[i * ld + c] = conj(value);
            else w[c * ld + i] = value;
        }
    if (t.rank == 0) *moved = 0;
    bool fine = scale_of(t, most, &e);
    if (!fine) {
        if (t.rank == 0) *mailbox = error;
        return;
    }
    for (int c = t.rank / 32; c < r; c += t.size / 32) {
        for (int i = t.rank % 32; i < p; i += 32) w[c * ld + i] = shifted(w[c * ld + i], -e);
        for (int i = t.rank % 32; i < r && u; i += 32) v[c * ldv + i] = number<T>(i == c ? 1 : 0);
    }
    t.sync();
    orthogonalize(t, w, ld, p, r, u ? v : nullptr, ldv, moved);
    svd_form<T> to = {nullptr, nullptr, flip, flip, !flip, !flip};
    if (u) {
        to.tall = flip ? vt + at.matrix * columns * p : u + at.matrix * p * columns;
        to.square = flip ? u + at.matrix * r * r : vt + at.matrix * r * r;
    }
    svd_finish(t, w, ld, p, r, columns, v, ldv, copy, tau, sizes, order, e, s + at.matrix * r, to);
}

/* Eigenvalues, rising, and where u is wanted the vectors of Hermitian matrices of which one triangle is read. */
template <class T>
__global__ void __launch_bounds__(1024)
eigh_whole(wide first, wide batch, int n, int upper, const T *a, T *u, real_of<T> *s, wide each, unsigned char *outside,
           unsigned *mailbox, unsigned error)
{
    typedef real_of<T> R;
    team t;
    position at(first, batch, each, outside);
    if (at.matrix < 0) return;
    int ld = n | 1, e, even = n + n % 2;
    T *w = (T *)at.memory, *v = w + (wide)ld * n;
    rotation<T> *turns = (rotation<T> *)(v + (u ? (wide)ld * n : 0));
    int *order = (int *)(turns + even / 2), *moved = order + n;
    spread lanes(t, n);
    R most = 0;
    a += at.matrix * n * n;
    for (int i = lanes.y; i < n; i += lanes.rows)
        for (int c = lanes.x; c < n; c += lanes.width) {
            if (upper ? c < i : c > i) continue;
            T value = a[(wide)i * n + c];
            if (i == c) value = number<T>(real(value));
            most = larger(most, finite_size(value));
            w[i * ld + c] = value;
            if (i != c) w[c * ld + i] = conj(value);
        }
    if (t.rank == 0) *moved = 0;
    if (!scale_of(t, most, &e)) {
        if (t.rank == 0) *mailbox = error;
        return;
    }
    for (int i = lanes.y; i < n; i += lanes.rows)
        for (int c = lanes.x; c < n; c += lanes.width) {
            w[i * ld + c] = shifted(w[i * ld + c], -e);
            if (u) v[i * ld + c] = number<T>(i == c ? 1 : 0);
        }
    t.sync();
    R least = limits<R>::epsilon() / 8;
    for (int sweep = 1; sweep <= SWEEPS && n > 1; sweep++) {
        for (int k = 0; k < even - 1; k++) {
            int p, q;
            for (int i = t.rank; i < even / 2; i += t.size) {
                pair_of(even, k, i, &p, &q);
                turns[i] = rotation<T>();
                if (q < n && modulus(w[p * ld + q]) > least) {
                    turns[i] = rotation<T>(real(w[p * ld + p]), real(w[q * ld + q]), w[p * ld + q]);
                    *(volatile int *)moved = sweep;
                }
            }
            t.sync();
            for (int i = lanes.y; i < even / 2; i += lanes.rows) {
                pair_of(even, k, i, &p, &q);
                if (q >= n || turns[i].s == 0) continue;
                for (int c = lanes.x; c < n; c += lanes.width) {
                    turns[i].apply(w[c * ld + p], w[c * ld + q]);
                    if (u) turns[i].apply(v[c * ld + p], v[c * ld + q]);
                }
            }
            t.sync();
            for (int i = lanes.y; i < even / 2; i += lanes.rows) {
                pair_of(even, k, i, &p, &q);
                if (q >= n || turns[i].s == 0) continue;
                rotation<T> turn = turns[i];
                turn.phase = conj(turn.phase);
                for (int c = lanes.x; c < n; c += lanes.width) {
                    turn.apply(w[p * ld + c], w[q * ld + c]);
                    if (c == q) w[p * ld + q] = number<T>(0), w[q * ld + q] = number<T>(real(w[q * ld + q]));
                    if (c == p) w[q * ld + p] = number<T>(0), w[p * ld + p] = number<T>(real(w[p * ld + p]));
                }
            }
            t.sync();
        }
        if (*(volatile int *)moved < sweep) break;
    }
    for (int c = t.rank; c < n; c += t.size) {
        R value = real(w[c * ld + c]);
        int position = 0;
        for (int i = 0; i < n; i++) {
            R other = real(w[i * ld + i]);
            position += other < value || (other == value && i < c);
        }
        order[position] = c;
        s[at.matrix * n + position] = shifted(value, e);
    }
    t.sync();
    if (!u) return;
    u += at.matrix * n * n;
    for (int i = lanes.y; i < n; i += lanes.rows)
        for (int c = lanes.x; c < n; c += lanes.width) u[(wide)i * n + c] = v[i * ld + order[c]];
}

} // namespace la
#endif
