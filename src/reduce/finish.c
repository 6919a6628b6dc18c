/* From accumulators to results on the CPU. */
#include "reduce/finish.h"

#include <math.h>
#include <string.h>

#include "scalar/convert.h"

/* --- the finishes of the table, by the kind of accumulator --- */

static inline double spread(cpi_moments a, double ddof)
{
    double divisor = a.n - ddof;
    return a.m2 / (divisor > 0 ? divisor : 0.0);
}
#define SPREAD(a, ddof) spread(a, ddof)
#define ROOT(v) sqrt(v)
#define AT(a) (a)

#define ACC_SUM double
#define ACC_PROD double
#define ACC_MOMENTS cpi_moments
#define ACC_LOW double
#define ACC_HIGH double
#define ACC_LOW_PLACE int64_t
#define ACC_HIGH_PLACE int64_t
#define ACC_COUNT int64_t
#define VALUE_SUM double
#define VALUE_PROD double
#define VALUE_MOMENTS double
#define VALUE_LOW double
#define VALUE_HIGH double
#define VALUE_LOW_PLACE int64_t
#define VALUE_HIGH_PLACE int64_t
#define VALUE_COUNT int64_t
#define CP_REDUCE(name, fold, rule, identity, finish, doc)                                                  \
    static inline __attribute__((unused)) VALUE_##fold finish_##name(ACC_##fold a, int64_t n, double ddof) \
    {                                                                                                       \
        (void)n, (void)ddof;                                                                                \
        return (VALUE_##fold)(finish);                                                                      \
    }
#include "cuprite/reduce.def"

static double finish_number(cp_reduction op, double a, int64_t n)
{
    return op == CP_REDUCE_mean ? finish_mean(a, n, 0) : op == CP_REDUCE_sum ? finish_sum(a, n, 0) : finish_prod(a, n, 0);
}
static double finish_moments(cp_reduction op, cpi_moments a, double ddof)
{
    return op == CP_REDUCE_var ? finish_var(a, 0, ddof) : finish_std(a, 0, ddof);
}
static int64_t finish_count(cp_reduction op, int64_t a, int64_t n)
{
    return op == CP_REDUCE_any ? finish_any(a, n, 0) : op == CP_REDUCE_all ? finish_all(a, n, 0)
                                                                           : finish_count_nonzero(a, n, 0);
}

/* --- loads and stores --- */

static void store_int(cp_type t, char *to, uint64_t v)
{
    switch (cpi_itemsize(t)) {
    case 1: *(uint8_t *)to = (uint8_t)v; break;
    case 2: *(uint16_t *)to = (uint16_t)v; break;
    case 4: *(uint32_t *)to = (uint32_t)v; break;
    default: *(uint64_t *)to = v; break;
    }
}

static void store_number(cp_type t, char *to, double re, double im)
{
    switch (t) {
    case CP_FLOAT16: *(uint16_t *)to = cps_f32_to_f16(cps_f64_to_odd(re)); break;
    case CP_BFLOAT16: *(uint16_t *)to = cps_f32_to_bf16(cps_f64_to_odd(re)); break;
    case CP_FLOAT32: *(float *)to = (float)re; break;
    case CP_FLOAT64: *(double *)to = re; break;
    case CP_COMPLEX64: *(cp_complex64 *)to = (cp_complex64){(float)re, (float)im}; break;
    case CP_COMPLEX128: *(cp_complex128 *)to = (cp_complex128){re, im}; break;
    case CP_UINT64: *(uint64_t *)to = cps_f64_to_u64(re); break;
    case CP_BOOL: *(uint8_t *)to = re != 0; break;
    default: store_int(t, to, (uint64_t)cps_f64_to_i64(re)); break;
    }
}

static uint64_t load_int(cp_type t, const void *from)
{
    int64_t item = cpi_itemsize(t);
    uint64_t v = 0;
    memcpy(&v, from, (size_t)item); /* little-endian */
    int unused = 64 - 8 * (int)item;
    return cpi_is_signed(t) ? (uint64_t)((int64_t)(v << unused) >> unused) : v;
}

static void load_number(cp_type t, const void *from, double *re, double *im)
{
    *im = 0;
    switch (t) {
    case CP_FLOAT16: *re = (double)cps_f16_to_f32(*(const uint16_t *)from); break;
    case CP_BFLOAT16: *re = (double)cps_bf16_to_f32(*(const uint16_t *)from); break;
    case CP_FLOAT32: *re = (double)*(const float *)from; break;
    case CP_FLOAT64: *re = *(const double *)from; break;
    case CP_COMPLEX64: *re = (double)((const float *)from)[0], *im = (double)((const float *)from)[1]; break;
    case CP_COMPLEX128: *re = ((const double *)from)[0], *im = ((const double *)from)[1]; break;
    case CP_UINT64: *re = (double)*(const uint64_t *)from; break;
    default: *re = (double)(int64_t)load_int(t, from); break;
    }
}

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
        store_number(type, acc, inf, inf);
    } else {
        int bits = 8 * (int)cpi_itemsize(type);
        uint64_t all = ~(uint64_t)0 >> (64 - bits), half = all >> 1;
        if (cpi_is_signed(type)) store_int(type, acc, low ? half : half + 1);
        else store_int(type, acc, low ? all : 0);
    }
}

static void finish_extremes(const cpi_reduce_args *a, const cpi_reduce_kernel *k, cp_type type, char *acc, int64_t n,
                            char *out, int64_t stride)
{
    _Alignas(16) char start[16];
    if (a->initial) {
        double re, im;
        if (type == cpi_reduce_kernel_type(a->result)) memcpy(start, a->value, sizeof start);
        else load_number(a->result, a->value, &re, &im), store_number(type, start, re, im);
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
    uint64_t start = a->initial ? load_int(a->result, a->value) : kind == CPI_KIND_PROD_INT;
    for (int64_t i = 0; i < n; i++, out += stride)
        store_int(a->result, out, kind == CPI_KIND_PROD_INT ? acc[i] * start : acc[i] + start);
}

static void finish_numbers(const cpi_reduce_args *a, cpi_reduce_kind kind, const cpi_reduce_kernel *k, const char *acc,
                           int64_t n, char *out, int64_t stride)
{
    double sre = kind == CPI_KIND_PROD, sim = 0;
    if (a->initial) load_number(a->result, a->value, &sre, &sim);
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
        store_number(a->result, out, finish_number(a->op, re, a->reduced), finish_number(a->op, im, a->reduced));
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
            store_number(a->result, out, finish_moments(a->op, ((const cpi_moments *)acc)[i], a->ddof), 0);
        break;
    case CPI_KIND_LOW:
    case CPI_KIND_HIGH: finish_extremes(a, k, type, acc, n, out, stride); break;
    case CPI_KIND_COUNT:
        for (int64_t i = 0; i < n; i++, out += stride) {
            int64_t v = finish_count(a->op, ((const int64_t *)acc)[i], a->reduced);
            if (a->initial) v = a->op == CP_REDUCE_any ? v | (a->value[0] != 0) : v & (a->value[0] != 0);
            store_int(a->result, out, (uint64_t)v);
        }
        break;
    default:
        for (int64_t i = 0; i < n; i++, out += stride, p += k->size) {
            int64_t at = *(const int64_t *)p;
            *(int64_t *)out = a->op == CP_REDUCE_argmin ? finish_argmin(at, 0, 0) : finish_argmax(at, 0, 0);
        }
    }
}
