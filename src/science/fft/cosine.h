/* Batched cosine and sine transforms by tables (fft_simd.c includes this for each type). The Fourier transform's input
 * is made of weighted elements, the results of its weighted output. */

/* The vectors of the Fourier transform: real numbers, beside one another or (odd length) as complex ones, or pairs. */
INLINE void NAME(weigh_in)(const cpi_fft_plan *p, const V *a, V *x)
{
    const cpi_fft_cosine *t = p->cosine;
    const T *by = t->in_by;
    const int32_t *in = t->in;
    if (p->kind == CPI_FFT_R2C && p->inner != p->n) {
        for (int64_t i = 0; i < t->taken; i++) x[i] = a[in[i]] * by[i];
    } else if (p->kind == CPI_FFT_R2C) {
        for (int64_t i = 0; i < t->taken; i++) x[2 * i] = a[in[i]] * by[i], x[2 * i + 1] = (V){0};
    } else {
        for (int64_t i = 0; i < t->taken; i++) {
            const V b = a[in[2 * i]], c = a[in[2 * i + 1]];
            x[2 * i] = b * by[4 * i] + c * by[4 * i + 2];
            x[2 * i + 1] = b * by[4 * i + 1] + c * by[4 * i + 3];
        }
    }
}

static void NAME(cosine)(const cpi_fft_group *g)
{
    const cpi_fft_plan *p = g->plan;
    const cpi_fft_cosine *t = p->cosine;
    const int64_t most = p->n + 2;
    V *a = (V *)g->scratch, *x = a + t->n + 2, *y = x + 2 * most, *scratch = y + 2 * most, *z = x;
    const T *by = t->out_by;
    NAME(read_real)(g, a, t->n, 1);
    NAME(weigh_in)(p, a, x);
    if (p->kind == CPI_FFT_C2R) {
        const bool halved = p->inner != p->n;
        NAME(backward)(p, x, y, scratch);
        for (int64_t k = 0; k < t->n; k++) {
            const int64_t at = t->out[k];
            a[k ^ 1] = (halved ? x[at ^ 1] : x[2 * at + 1]) * by[k];
        }
    } else {
        if (p->kind == CPI_FFT_R2C) z = NAME(forward)(p, x, y, scratch, 1);
        else {
            source from = {.v = x, .step = 1};
            target to = {.v = x, .step = 1};
            NAME(run)(p->node, &from, &to, scratch);
        }
        for (int64_t k = 0; k < t->n; k++) {
            const V *pair = z + 2 * t->out[k];
            a[k ^ 1] = pair[0] * by[2 * k] + pair[1] * by[2 * k + 1];
        }
    }
    NAME(write_real)(g, a, t->n, true);
}

static int64_t NAME(cosine_bytes)(const cpi_fft_plan *p)
{
    return (p->cosine->n + 2 + 2 * (2 * (p->n + 2) + p->node->scratch)) * (int64_t)sizeof(V);
}

/* One slice, between memory and the contiguous buffers of the Fourier transform. */
static void NAME(cosine_before)(const cpi_fft_plan *p, const char *in, int64_t step, void *to, int64_t first,
                                int64_t end)
{
    const cpi_fft_cosine *t = p->cosine;
    const T *by = t->in_by;
    T *x = to;
#define AT(i) (*(const S *)(in + (i) * step))
    if (p->kind == CPI_FFT_R2C) {
        for (int64_t i = first; i < end; i++) x[i] = AT(t->in[i]) * by[i];
        return;
    }
    for (int64_t i = first; i < end; i++) {
        const T b = AT(t->in[2 * i]), c = AT(t->in[2 * i + 1]);
        x[2 * i] = b * by[4 * i] + c * by[4 * i + 2];
        x[2 * i + 1] = b * by[4 * i + 1] + c * by[4 * i + 3];
    }
#undef AT
}

static void NAME(cosine_after)(const cpi_fft_plan *p, const void *from, char *out, int64_t step, int64_t first,
                               int64_t end)
{
    const cpi_fft_cosine *t = p->cosine;
    const T *by = t->out_by, *x = from;
    for (int64_t k = first; k < end; k++) {
        const int64_t at = t->out[k];
        *(S *)(out + k * step) = p->kind == CPI_FFT_C2R ? x[at] * by[k]
                                                        : x[2 * at] * by[2 * k] + x[2 * at + 1] * by[2 * k + 1];
    }
}
