/* What ptx_half.c writes: numbers of 16 bits, one or two, and the bits that registers hold. */
#pragma once
#include "cuda_fp16.h"
#include "cuda_bf16.h"

template <class F> static inline F __cu_half_of(__cu_unsigned<F> bits)
{
    F r;
    __builtin_memcpy((void *)&r, &bits, sizeof r);
    return r;
}
template <class F> static inline __cu_unsigned<F> __cu_half_bits(F v)
{
    __cu_unsigned<F> r;
    __builtin_memcpy(&r, &v, sizeof r);
    return r;
}
/* From float as asked; from what is wider or an integer to the nearest. */
static inline __half __cu_half_rounded(float v, __cu_mode mode, __half *)
{
    return mode == __CU_RZ ? __float2half_rz(v) : mode == __CU_RD ? __float2half_rd(v)
         : mode == __CU_RU ? __float2half_ru(v) : __float2half_rn(v);
}
static inline __nv_bfloat16 __cu_half_rounded(float v, __cu_mode mode, __nv_bfloat16 *)
{
    return mode == __CU_RZ ? __float2bfloat16_rz(v) : mode == __CU_RD ? __float2bfloat16_rd(v)
         : mode == __CU_RU ? __float2bfloat16_ru(v) : __float2bfloat16_rn(v);
}
template <class F, class T>
static inline unsigned short __cu_half_made(T v, __cu_mode mode, bool sat, bool relu, char how)
{
    F r;
    if constexpr (sizeof(T) == 2 && !__cu_is_integer<T>::value) r = F((float)v);
    else if constexpr (sizeof(T) == 4 && __cu_is_real<T>::value) r = __cu_half_rounded(v, mode, (F *)nullptr);
    else r = F(v);
    float f = (float)r;
    if (how != ' ') f = how == 'n' ? rintf(f) : how == 'm' ? floorf(f) : how == 'p' ? ceilf(f) : truncf(f), r = F(f);
    if (sat) r = F(f > 0 ? f < 1 ? f : 1.0f : 0.0f);
    if (relu && f < 0) r = F(0.0f);
    return __cu_half_bits(r);
}
template <class V> static inline unsigned __cu_half_pair(float low, float high, __cu_mode mode, bool relu)
{
    typedef decltype(V::x) F;
    return __cu_half_made<F>(low, mode, false, relu, ' ') |
           (unsigned)__cu_half_made<F>(high, mode, false, relu, ' ') << 16;
}
