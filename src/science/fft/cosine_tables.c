/* Tables of the CPU's cosine and sine transforms: each is a Fourier transform of about its length, with weights before
 * and after it. The tables hold the weights with indices, signs and the orthogonal factors.
 *
 * Type 2 (Makhoul): the even elements, then the odd ones reversed, are a real sequence whose transform is the result up
 * to a rotation; type 3 is its inverse. Type 1 continues by the mirror image. Type 4 of even length is a complex
 * transform of half of it; of odd length a real one, of the elements at 8 t + 1 of the continuation over 8 n quarter
 * steps, which meet each element once. Sine transforms are cosine transforms of alternating signs, backwards. */
#include <math.h>

#include "core/memory.h"
#include "fft/plan.h"

/* A transform of n elements: its variant, and the tables that are filled. */
typedef struct filling {
    cpi_fft_cosine *t;
    int64_t n, length; /* length: of the Fourier transform */
    int type;
    bool sine, orthogonal, single;
} filling;

int cpi_fft_cosine_code(int type, bool sine, bool orthogonal)
{
    return type | (sine ? 8 : 0) | (orthogonal ? 16 : 0);
}

cpi_fft_kind cpi_fft_cosine_kind(int code, int64_t n, int64_t *length)
{
    const int type = code & 7;
    *length = type == 1 ? 2 * (code & 8 ? n + 1 : n - 1) : type == 4 && n % 2 == 0 ? n / 2 : n;
    return type == 3 ? CPI_FFT_C2R : type == 4 && n % 2 == 0 ? CPI_FFT_C2C : CPI_FFT_R2C;
}

static void store_number(const filling *f, void *table, int64_t at, double value)
{
    if (f->single) ((float *)table)[at] = (float)value;
    else ((double *)table)[at] = value;
}

/* Element i of the Fourier transform's real numbers is element `position` times `by`. */
static void take(const filling *f, int64_t i, int64_t position, double by)
{
    f->t->in[i] = (int32_t)position;
    store_number(f, f->t->in_by, i, by);
}

/* Element i of its complex numbers is element `position` times (pr, pi) plus element `other` times (qr, qi). */
static void take_two(const filling *f, int64_t i, int64_t position, double pr, double pi, int64_t other, double qr,
                     double qi)
{
    const double by[] = {pr, pi, qr, qi};
    f->t->in[2 * i] = (int32_t)position, f->t->in[2 * i + 1] = (int32_t)other;
    for (int k = 0; k < 4; k++) store_number(f, f->t->in_by, 4 * i + k, by[k]);
}

/* Result k is re times the real part plus im times the imaginary part of the Fourier transform's element `position`. */
static void give(const filling *f, int64_t k, int64_t position, double re, double im)
{
    f->t->out[k] = (int32_t)position;
    store_number(f, f->t->out_by, 2 * k, re);
    store_number(f, f->t->out_by, 2 * k + 1, im);
}

static void fill_1(const filling *f)
{
    const int64_t n = f->n, length = f->length;
    const double root = f->orthogonal ? sqrt(2) : 1;
    if (f->sine) {
        take(f, 0, 0, 0);
        take(f, n + 1, 0, 0);
        for (int64_t i = 0; i < n; i++) take(f, i + 1, i, 1), take(f, length - 1 - i, i, -1);
        for (int64_t k = 0; k < n; k++) give(f, k, k + 1, 0, -1);
        return;
    }
    for (int64_t i = 0; i < length; i++) {
        const int64_t position = i < n ? i : length - i;
        take(f, i, position, position == 0 || position == n - 1 ? root : 1);
    }
    for (int64_t k = 0; k < n; k++) give(f, k, k, k == 0 || k == n - 1 ? 1 / root : 1, 0);
}

static void fill_2(const filling *f)
{
    const int64_t n = f->n;
    for (int64_t i = 0; i < (n + 1) / 2; i++) take(f, i, 2 * i, 1);
    for (int64_t i = 0; i < n / 2; i++) take(f, n - 1 - i, 2 * i + 1, f->sine ? -1 : 1);
    for (int64_t k = 0; k <= n / 2; k++) {
        double c, s;
        cpi_fft_root(k, 4 * n, &c, &s); /* s: the negative sine */
        const double by = !k && f->orthogonal ? sqrt(2) : 2;
        give(f, f->sine ? n - 1 - k : k, k, by * c, -by * s);
        if (k && 2 * k != n) give(f, f->sine ? k - 1 : n - k, k, -2 * s, -2 * c);
    }
}

static void fill_3(const filling *f)
{
    const int64_t n = f->n, last = n - 1;
    for (int64_t k = 0; k <= n / 2; k++) {
        double c, s;
        cpi_fft_root(k, 4 * n, &c, &s);
        const int64_t position = f->sine ? last - k : k, other = f->sine ? k - 1 : n - k;
        if (k) take_two(f, k, position, c, -s, other, -s, -c);
        else take_two(f, 0, position, f->orthogonal ? sqrt(2) : 1, 0, position, 0, 0);
    }
    for (int64_t k = 0; k < n; k++) { /* of real numbers: one weight each */
        f->t->out[k] = (int32_t)(k % 2 ? n - 1 - k / 2 : k / 2);
        store_number(f, f->t->out_by, k, f->sine && k % 2 ? -1 : 1);
    }
}

static void fill_4(const filling *f)
{
    const int64_t n = f->n;
    double c, s;
    for (int64_t j = 0; n % 2 == 0 && j < n / 2; j++) {
        const int64_t a = 2 * j, b = n - 1 - 2 * j;
        cpi_fft_root(4 * j + 1, 8 * n, &c, &s);
        take_two(f, j, f->sine ? b : a, c, s, f->sine ? a : b, -s, c);
        cpi_fft_root(j, 2 * n, &c, &s);
        give(f, a, j, 2 * c, -2 * s);
        give(f, b, j, f->sine ? 2 * s : -2 * s, f->sine ? 2 * c : -2 * c);
    }
    for (int64_t t = 0; n % 2 && t < n; t++) {
        int64_t m = 8 * t + 1, k = 2 * t + 1, position = k % n;
        double by = 1;
        if (m > 4 * n) m = 8 * n - m;
        if (m > 2 * n) m = 4 * n - m, by = -1;
        take(f, t, f->sine ? n - 1 - m / 2 : m / 2, by);
        cpi_fft_root(k, 8 * n, &c, &s);
        if (2 * position > n) position = n - position, s = -s; /* the conjugate's real part */
        by = f->sine && t % 2 ? -2 : 2;
        give(f, t, position, by * c, -by * s);
    }
}

void cpi_fft_cosine_free(cpi_fft_cosine *t)
{
    if (!t) return;
    cpi_free_host(t->in);
    cpi_free_host(t->in_by);
    cpi_free_host(t->out);
    cpi_free_host(t->out_by);
    cpi_free_host(t);
}

cpi_fft_cosine *cpi_fft_cosine_new(int code, cpi_fft_kind kind, int64_t length, bool single, int64_t *bytes)
{
    filling f = {.length = length, .type = code & 7, .sine = code & 8, .orthogonal = code & 16, .single = single};
    f.n = f.type == 1 ? length / 2 + (f.sine ? -1 : 1) : kind == CPI_FFT_C2C ? 2 * length : length;
    const size_t item = single ? sizeof(float) : sizeof(double);
    const size_t taken = (size_t)(kind == CPI_FFT_C2R ? length / 2 + 1 : length), n = (size_t)f.n;
    const size_t pair = kind == CPI_FFT_R2C ? 1 : 2, out = kind == CPI_FFT_C2R ? 1 : 2;
    cpi_fft_cosine *t = f.t = cpi_calloc(1, sizeof *t);
    if (!t) return NULL;
    t->n = f.n;
    t->taken = (int64_t)taken;
    t->in = cpi_malloc(taken * pair * sizeof *t->in);
    t->in_by = t->in ? cpi_malloc(taken * pair * pair * item) : NULL;
    t->out = t->in_by ? cpi_malloc(n * sizeof *t->out) : NULL;
    t->out_by = t->out ? cpi_malloc(n * out * item) : NULL;
    if (!t->out_by) return cpi_fft_cosine_free(t), NULL;
    *bytes += (int64_t)(taken * pair * (4 + pair * item) + n * (4 + out * item));
    if (f.type == 1) fill_1(&f);
    else if (f.type == 2) fill_2(&f);
    else if (f.type == 3) fill_3(&f);
    else fill_4(&f);
    return t;
}
