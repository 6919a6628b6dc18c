/* From accumulators to results on the CPU. */
#include "reduce/finish.h"

#include <string.h>

#include "reduce/result.h"

/* --- extremes --- */

void cpi_reduce_identity(cpi_reduce_kind kind, cp_type type, void *acc)
{
    bool low = kind == CPI_KIND_LOW;
    if (kind != CPI_KIND_LOW && kind != CPI_KIND_HIGH) {
        int64_t nowhere = -1;
        memcpy(acc, &nowhere, sizeof nowhere); /* places; others start from what their kernels give */
        return;
    }
    double inf = low ? INFINITY : -INFINITY;
    if (type >= CP_FLOAT16) {
        cpi_store_number(type, acc, inf, inf);
    } else {
        int bits = 8 * (int)cpi_itemsize(type);
        uint64_t all = ~(uint64_t)0 >> (64 - bits), half = all >> 1;
        if (cpi_is_signed(type)) cpi_store_int(type, acc, low ? half : half + 1);
        else cpi_store_int(type, acc, low ? all : 0);
    }
}

static void finish_extremes(const cpi_reduce_args *a, const cpi_reduce_kernel *k, cp_type type, char *acc, int64_t n,
                            char *out, int64_t stride)
{
    _Alignas(16) char start[16];
    if (a->initial) {
        if (type == cpi_reduce_kernel_type(a->result)) memcpy(start, a->value, sizeof start);
        else {
            cpi_pair v = cpi_load_number(a->result, a->value);
            cpi_store_number(type, start, v.re, v.im);
        }
    }
    for (int64_t i = 0; i < n; i++, acc += k->size, out += stride) {
        if (a->initial) k->join(acc, start, 1);
        if (a->result == CP_FLOAT16) *(uint16_t *)out = cps_f32_to_f16(*(float *)acc);
        else if (a->result == CP_BFLOAT16) *(uint16_t *)out = cps_f32_to_bf16(*(float *)acc);
        else memcpy(out, acc, (size_t)k->size);
    }
}

static void finish_ints(const cpi_reduce_args *a, cpi_reduce_kind kind, const uint64_t *acc, int64_t n, char *out,
                        int64_t stride)
{
    uint64_t start = a->initial ? cpi_load_int(a->result, a->value) : kind == CPI_KIND_PROD_INT;
    for (int64_t i = 0; i < n; i++, out += stride)
        cpi_store_int(a->result, out, kind == CPI_KIND_PROD_INT ? acc[i] * start : acc[i] + start);
}

static void finish_numbers(const cpi_reduce_args *a, cpi_reduce_kind kind, const cpi_reduce_kernel *k, const char *acc,
                           int64_t n, char *out, int64_t stride)
{
    cpi_pair start = {kind == CPI_KIND_PROD, 0};
    if (a->initial) start = cpi_load_number(a->result, a->value);
    double sre = start.re, sim = start.im;
    bool join = a->initial || (kind == CPI_KIND_SUM && (a->reduced == 0 || a->where)); /* 0, not -0 */
    for (int64_t i = 0; i < n; i++, acc += k->size, out += stride) {
        double re = ((const double *)acc)[0], im = k->size == 16 ? ((const double *)acc)[1] : 0, t;
        if (join && kind == CPI_KIND_SUM) {
            re += sre, im += sim;
        } else if (join) {
            t = sim == 0 && k->size == 8 ? re * sre : re * sre - im * sim;
            im = k->size == 8 ? re * sim : re * sim + im * sre;
            re = t;
        }
        cpi_store_number(a->result, out, cpi_finish_number(a->op, re, a->reduced), cpi_finish_number(a->op, im, a->reduced));
    }
}

void cpi_reduce_finish(const cpi_reduce_args *a, cpi_reduce_kind kind, const cpi_reduce_kernel *k, cp_type type,
                       void *acc, int64_t n, char *out, int64_t stride)
{
    const char *p = acc;
    switch (kind) {
    case CPI_KIND_SUM_INT:
    case CPI_KIND_PROD_INT: finish_ints(a, kind, acc, n, out, stride); break;
    case CPI_KIND_SUM:
    case CPI_KIND_PROD: finish_numbers(a, kind, k, acc, n, out, stride); break;
    case CPI_KIND_MOMENTS:
        for (int64_t i = 0; i < n; i++, out += stride)
            cpi_store_number(a->result, out, cpi_finish_moments(a->op, ((const cpi_moments *)acc)[i], a->ddof), 0);
        break;
    case CPI_KIND_LOW:
    case CPI_KIND_HIGH: finish_extremes(a, k, type, acc, n, out, stride); break;
    case CPI_KIND_COUNT:
        for (int64_t i = 0; i < n; i++, out += stride) {
            int64_t v = cpi_finish_count(a->op, ((const int64_t *)acc)[i], a->reduced);
            if (a->initial) v = a->op == CP_REDUCE_any ? v | (a->value[0] != 0) : v & (a->value[0] != 0);
            cpi_store_int(a->result, out, (uint64_t)v);
        }
        break;
    default:
        for (int64_t i = 0; i < n; i++, out += stride, p += k->size) {
            int64_t at = *(const int64_t *)p;
            *(int64_t *)out = cpi_finish_place(a->op, at, a->reduced);
        }
    }
}
