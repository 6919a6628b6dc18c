/* The element types: names, sizes, promotion, and which casts a rule allows.
 *
 * Invariant: the order of cp_type is such that the first type upwards to which both operands can be cast
 * safely is NumPy's promotion. bfloat16, which NumPy lacks, holds bool and 8-bit integers exactly and is held
 * exactly by float32; nothing else converts to it safely. */
#include <string.h>

#include "core/array.h"
#include "scalar/convert.h"

static const struct { const char *name; uint8_t size; char kind; } types[CP_NTYPES] = {
#define X(NAME, text, ctype, kind, bytes) {text, bytes, kind},
    CP_TYPES(X)
#undef X
};

/* Bit t of safe[f]: every value of type f is a value of type t (NumPy's "safe"). */
#define B(t) (1u << CP_##t)
#define FROM_F64 (B(FLOAT64) | B(COMPLEX128))
#define FROM_F32 (B(FLOAT32) | B(COMPLEX64) | FROM_F64)
#define FROM_F16 (B(FLOAT16) | FROM_F32)
#define FROM_BF16 (B(BFLOAT16) | FROM_F32)
#define FROM_I64 (B(INT64) | FROM_F64)
#define FROM_I32 (B(INT32) | FROM_I64)
#define FROM_I16 (B(INT16) | FROM_I32 | FROM_F32)
#define FROM_U64 (B(UINT64) | FROM_F64)
#define FROM_U32 (B(UINT32) | FROM_U64 | FROM_I64)
#define FROM_U16 (B(UINT16) | FROM_U32 | FROM_I32 | FROM_F32)
#define FROM_I8 (B(INT8) | FROM_I16 | FROM_F16 | FROM_BF16)
#define FROM_U8 (B(UINT8) | FROM_U16 | FROM_I16 | FROM_F16 | FROM_BF16)
static const uint16_t safe[CP_NTYPES] = {
    [CP_BOOL] = (1u << CP_NTYPES) - 1,
    [CP_INT8] = FROM_I8, [CP_UINT8] = FROM_U8, [CP_INT16] = FROM_I16, [CP_UINT16] = FROM_U16,
    [CP_INT32] = FROM_I32, [CP_UINT32] = FROM_U32, [CP_INT64] = FROM_I64, [CP_UINT64] = FROM_U64,
    [CP_FLOAT16] = FROM_F16, [CP_BFLOAT16] = FROM_BF16, [CP_FLOAT32] = FROM_F32, [CP_FLOAT64] = FROM_F64,
    [CP_COMPLEX64] = B(COMPLEX64) | B(COMPLEX128), [CP_COMPLEX128] = B(COMPLEX128),
};
#undef B

static bool known(cp_type t) { return (unsigned)t < CP_NTYPES; }

const char *cp_type_name(cp_type t) { return known(t) ? types[t].name : NULL; }
size_t cp_type_size(cp_type t) { return known(t) ? types[t].size : 0; }
char cp_type_kind(cp_type t) { return known(t) ? types[t].kind : 0; }

cp_type cp_type_from_name(const char *name)
{
    for (int t = 0; name && t < CP_NTYPES; t++)
        if (!strcmp(name, types[t].name)) return (cp_type)t;
    return CP_DEFAULT;
}

cp_type cp_promote(cp_type a, cp_type b)
{
    if (!known(a) || !known(b)) return CP_DEFAULT;
    if (a == b) return a;
    return (cp_type)__builtin_ctz(safe[a] & safe[b]); /* never empty: complex128 takes all */
}

/* bool, unsigned, signed, floating, complex: "same kind" allows steps upwards. */
static int kind_order(cp_type t)
{
    return cpi_is_bool(t) ? 0 : cpi_is_signed(t) ? 2 : cpi_is_int(t) ? 1 : cpi_is_float(t) ? 3 : 4;
}

bool cp_can_cast(cp_type from, cp_type to, cp_casting rule)
{
    if (!known(from) || !known(to)) return false;
    switch (rule) {
    case CP_UNSAFE: return true;
    case CP_NO_CAST:
    case CP_EQUIV: return from == to;
    case CP_SAFE: return safe[from] >> to & 1;
    default: return (safe[from] >> to & 1) || kind_order(from) <= kind_order(to);
    }
}

/* One value, widened: integers keep all 64 bits beside the floating-point form. */
typedef struct { double re, im; float narrow; uint64_t bits; bool integer, negative; } wide;

static wide widen(cp_type from, const void *value)
{
    wide w = {0};
    switch (from) {
#define INTEGER(NAME, ctype)                                                              \
    case CP_##NAME: {                                                                     \
        ctype v;                                                                          \
        memcpy(&v, value, sizeof v);                                                      \
        w.re = (double)v, w.narrow = (float)v, w.bits = (uint64_t)v, w.integer = true;    \
        break;                                                                            \
    }
    INTEGER(INT8, int8_t) INTEGER(UINT8, uint8_t) INTEGER(INT16, int16_t) INTEGER(UINT16, uint16_t)
    INTEGER(INT32, int32_t) INTEGER(UINT32, uint32_t) INTEGER(INT64, int64_t) INTEGER(UINT64, uint64_t)
#undef INTEGER
    case CP_BOOL: w.bits = *(const uint8_t *)value != 0, w.re = w.narrow = (float)w.bits, w.integer = true; break;
    case CP_FLOAT16:
    case CP_BFLOAT16: {
        uint16_t h;
        memcpy(&h, value, sizeof h);
        w.re = w.narrow = from == CP_FLOAT16 ? cps_f16_to_f32(h) : cps_bf16_to_f32(h);
        break;
    }
    case CP_FLOAT32:
    case CP_COMPLEX64: {
        float f[2] = {0};
        memcpy(f, value, types[from].size);
        w.re = f[0], w.im = f[1], w.narrow = f[0];
        break;
    }
    default: {
        double d[2] = {0};
        memcpy(d, value, types[from].size);
        w.re = d[0], w.im = d[1], w.narrow = cps_f64_to_odd(d[0]);
    }
    }
    return w;
}

void cpi_convert_value(cp_type from, const void *value, cp_type to, void *result)
{
    wide w = widen(from, value);
    switch (to) {
#define STORE(NAME, ctype, expression)              \
    case CP_##NAME: {                               \
        ctype v = (ctype)(expression);              \
        memcpy(result, &v, sizeof v);               \
        break;                                      \
    }
#define INTEGER(NAME, ctype, cast) STORE(NAME, ctype, w.integer ? (ctype)w.bits : (ctype)cast(w.re))
    STORE(BOOL, uint8_t, w.re != 0 || w.im != 0)
    INTEGER(INT8, int8_t, cps_f64_to_i32) INTEGER(UINT8, uint8_t, cps_f64_to_i32)
    INTEGER(INT16, int16_t, cps_f64_to_i32) INTEGER(UINT16, uint16_t, cps_f64_to_i32)
    INTEGER(INT32, int32_t, cps_f64_to_i32) INTEGER(UINT32, uint32_t, cps_f64_to_i64)
    INTEGER(INT64, int64_t, cps_f64_to_i64) INTEGER(UINT64, uint64_t, cps_f64_to_u64)
    STORE(FLOAT16, uint16_t, cps_f32_to_f16(w.narrow))
    STORE(BFLOAT16, uint16_t, cps_f32_to_bf16(w.narrow))
    STORE(FLOAT32, float, w.integer ? w.narrow : (float)w.re)
    STORE(FLOAT64, double, w.re)
#undef INTEGER
#undef STORE
    case CP_COMPLEX64: {
        float f[2] = {w.integer ? w.narrow : (float)w.re, (float)w.im};
        memcpy(result, f, sizeof f);
        break;
    }
    default: {
        double d[2] = {w.re, w.im};
        memcpy(result, d, sizeof d);
    }
    }
}
