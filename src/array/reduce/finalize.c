/* From accumulators to results on the CPU. */
#include "reduce/finalize.h"

#include <string.h>

#define COPY_EACH(T)                                                                      \
    for (int64_t i = 0; i < n; i++) memcpy(out + i * stride, acc + i * sizeof(T), sizeof(T)); \
    break

/* n accumulators as they are. A copy of a size that is known costs no call. */
static void copy_each(const char *acc, int size, int64_t n, char *out, int64_t stride)
{
    switch (size) {
    case 1: COPY_EACH(uint8_t);
    case 2: COPY_EACH(uint16_t);
    case 4: COPY_EACH(uint32_t);
    case 8: COPY_EACH(uint64_t);
    default: COPY_EACH(cp_complex128);
    }
}

static void finalize_own(const cpi_reduce_args *a, const cpi_reduce_choice *c, char *acc, int64_t n, char *out,
                         int64_t stride)
{
    _Alignas(16) char start[16], first[16];
    if (!a->initial && !cpi_is_half(a->result)) {
        copy_each(acc, c->k.size, n, out, stride);
        return;
    }
    if (a->initial && c->type == cpi_reduce_kernel_type(a->result)) {
        memcpy(start, a->value, sizeof start);
    } else if (a->initial) {
        cpi_pair v = cpi_load_number(a->result, a->value);
        cpi_store_number(c->type, start, v.re, v.im);
    }
    for (int64_t i = 0; i < n; i++, acc += c->k.size, out += stride) {
        if (a->initial) { /* it comes first, as in NumPy */
            memcpy(first, start, sizeof first);
            c->k.join(first, acc, 1);
            memcpy(acc, first, (size_t)c->k.size);
        }
        if (cpi_is_half(a->result)) cps_store_half(a->result, out, 0, *(float *)acc);
        else memcpy(out, acc, (size_t)c->k.size);
    }
}

static void finalize_whole(const cpi_reduce_args *a, const cpi_reduce_choice *c, uint64_t *acc, int64_t n, char *out,
                           int64_t stride)
{
    uint64_t start = a->initial ? cpi_load_word(a->result, a->value) : 0;
    const bool as_they_are = !a->exact && cpi_itemsize(a->result) == sizeof *acc;
    for (int64_t i = 0; i < n; i++, out += stride) {
        if (a->initial) c->k.join(&acc[i], &start, 1);
        if (as_they_are) memcpy(out, &acc[i], sizeof *acc);
        else cpi_finalize_whole(a, out, acc[i]);
    }
}

/* Joins n accumulators with the start. */
static void join_start(const cpi_reduce_choice *c, cpi_pair start, char *acc, int64_t n)
{
    enum { MOST = 64 };
    cpi_pair pairs[MOST];
    double reals[MOST];
    int64_t size = c->k.size, m = n < MOST ? n : MOST;
    for (int64_t i = 0; i < m; i++) pairs[i] = start, reals[i] = start.re;
    for (int64_t i = 0; i < n; i += MOST)
        c->k.join(acc + i * size, size == sizeof *pairs ? (void *)pairs : reals, n - i < MOST ? n - i : MOST);
}

#define FINALIZE_EACH(T)                                                                   \
    for (int64_t i = 0; i < n; i++, out += stride)                                         \
        *(T *)out = (T)cpi_finalize_number(a->op, acc[i], a->reduced)

/* A choice for each result would cost more than all else here. */
static void finalize_reals(const cpi_reduce_args *a, const double *acc, int64_t n, char *out, int64_t stride)
{
    if (a->result == CP_FLOAT32) FINALIZE_EACH(float);
    else FINALIZE_EACH(double);
}

static void finalize_numbers(const cpi_reduce_args *a, const cpi_reduce_choice *c, char *acc, int64_t n, char *out,
                             int64_t stride)
{
    int64_t size = c->k.size;
    cpi_pair start = {0, 0};
    if (a->initial) start = cpi_load_number(a->result, a->value);
    bool widens = start.im != 0 && size == sizeof(double); /* real elements with a complex start become pairs */
    if (a->initial && !widens) join_start(c, start, acc, n);
    if (size == sizeof(double) && !widens && (a->result == CP_FLOAT32 || a->result == CP_FLOAT64)) {
        finalize_reals(a, (const double *)acc, n, out, stride);
        return;
    }
    for (int64_t i = 0; i < n; i++, acc += size, out += stride) {
        cpi_pair v = {((const double *)acc)[0], size == sizeof v ? ((const double *)acc)[1] : 0};
        if (widens) c->pairs->join(&v, &start, 1);
        v.re = cpi_finalize_number(a->op, v.re, a->reduced), v.im = cpi_finalize_number(a->op, v.im, a->reduced);
        cpi_store_number(a->result, out, v.re, v.im);
    }
}

static void finalize_counts(const cpi_reduce_args *a, const int64_t *acc, int64_t n, char *out, int64_t stride)
{
    const bool truth = a->result == CP_BOOL, whole = a->result == CP_INT64;
    for (int64_t i = 0; i < n; i++, out += stride) {
        int64_t v = cpi_finalize_count(a->op, acc[i], a->reduced);
        if (a->initial) v = a->op == CP_REDUCE_any ? v | (a->value[0] != 0) : v & (a->value[0] != 0);
        if (truth) *(uint8_t *)out = (uint8_t)v; /* a choice for each result costs more than all else here */
        else if (whole) *(int64_t *)out = v;
        else cpi_store_int(a->result, out, (uint64_t)v);
    }
}

void cpi_reduce_finalize(const cpi_reduce_args *a, const cpi_reduce_choice *c, void *acc, int64_t n, char *out,
                         int64_t stride)
{
    const char *p = acc;
    switch (a->class_of) {
    case CPI_NUMBER:
        if (a->whole) finalize_whole(a, c, acc, n, out, stride);
        else finalize_numbers(a, c, acc, n, out, stride);
        break;
    case CPI_MOMENTS:
        for (int64_t i = 0; i < n; i++, out += stride) {
            cpi_moments m = ((const cpi_moments *)acc)[i];
            cpi_store_number(a->result, out, cpi_finalize_moments(a->op, cpi_deviations(a, m), m.n, a->ddof), 0);
        }
        break;
    case CPI_OWN: finalize_own(a, c, acc, n, out, stride); break;
    case CPI_COUNT: finalize_counts(a, acc, n, out, stride); break;
    case CPI_INDEXED:
        for (int64_t i = 0; i < n; i++, out += stride, p += c->k.size)
            *(int64_t *)out = cpi_finalize_indexed(a->op, *(const int64_t *)p, a->reduced);
    }
}
