/* Atomic operations. Shared memory belongs to the one thread that runs the block, so an operation there is an
 * ordinary one; elsewhere blocks run at the same time. */
#pragma once

/* The word as an integer of its size, on which any update can be made. */
template <unsigned long n> struct __cu_word {};
template <> struct __cu_word<2> { typedef unsigned short type; };
template <> struct __cu_word<4> { typedef unsigned type; };
template <> struct __cu_word<8> { typedef unsigned long long type; };

enum { __CU_ARENA = 286720 }; /* static and, behind it, dynamic shared memory of a block (fibers.c) */
static inline bool __cu_mine(const char *arena, const void *p)
{
    return arena && (unsigned long)((const char *)p - arena) < __CU_ARENA;
}

/* The old value; new(old) takes its place. */
template <class T, class F> static inline T __cu_update(const char *arena, T *p, F make)
{
    typedef typename __cu_word<sizeof(T)>::type word;
    T old, now;
    if (__cu_mine(arena, p)) {
        old = *p;
        *p = make(old);
        return old;
    }
    word seen = __atomic_load_n((word *)p, __ATOMIC_RELAXED), wanted;
    do {
        __builtin_memcpy(&old, &seen, sizeof old);
        now = make(old);
        __builtin_memcpy(&wanted, &now, sizeof now);
    } while (!__atomic_compare_exchange_n((word *)p, &seen, wanted, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    return old;
}
/* What the processor has an instruction for. */
#define __CU_DIRECT(name, instruction, change)                                         \
    template <class T> static inline T name(const char *arena, T *p, T v)              \
    {                                                                                  \
        if (!__cu_mine(arena, p)) return instruction(p, v, __ATOMIC_SEQ_CST);          \
        T old = *p;                                                                    \
        *p = change;                                                                   \
        return old;                                                                    \
    }
__CU_DIRECT(__cu_add_integer, __atomic_fetch_add, (T)(old + v))
__CU_DIRECT(__cu_and, __atomic_fetch_and, (T)(old & v))
__CU_DIRECT(__cu_or, __atomic_fetch_or, (T)(old | v))
__CU_DIRECT(__cu_xor, __atomic_fetch_xor, (T)(old ^ v))
#undef __CU_DIRECT

template <class T> struct __cu_same { typedef T type; };
#define __CU_T(T) typename __cu_same<T>::type
template <class T, bool integer = __cu_is_integer<T>::value> struct __cu_adder {
    static inline T add(const char *a, T *p, T v) { return __cu_update(a, p, [=](T old) { return (T)(old + v); }); }
};
template <class T> struct __cu_adder<T, true> {
    static inline T add(const char *a, T *p, T v) { return __cu_add_integer(a, p, v); }
};
template <class T> static inline T __cu_atomicAdd(const char *a, T *p, __CU_T(T) v)
{
    return __cu_adder<T>::add(a, p, v);
}
template <class T> static inline T __cu_atomicSub(const char *a, T *p, __CU_T(T) v)
{
    return __cu_adder<T>::add(a, p, (T)(T(0) - v));
}
template <class T> static inline T __cu_atomicExch(const char *a, T *p, __CU_T(T) v)
{
    return __cu_update(a, p, [=](T) { return v; });
}
template <class T> static inline T __cu_atomicMin(const char *a, T *p, __CU_T(T) v)
{
    return __cu_update(a, p, [=](T old) { return v < old ? v : old; });
}
template <class T> static inline T __cu_atomicMax(const char *a, T *p, __CU_T(T) v)
{
    return __cu_update(a, p, [=](T old) { return old < v ? v : old; });
}
template <class T> static inline T __cu_atomicInc(const char *a, T *p, __CU_T(T) v)
{
    return __cu_update(a, p, [=](T old) { return old >= v ? (T)0 : (T)(old + 1); });
}
template <class T> static inline T __cu_atomicDec(const char *a, T *p, __CU_T(T) v)
{
    return __cu_update(a, p, [=](T old) { return old == 0 || old > v ? v : (T)(old - 1); });
}
template <class T> static inline T __cu_atomicCAS(const char *a, T *p, __CU_T(T) compare, __CU_T(T) v)
{
    typedef typename __cu_word<sizeof(T)>::type word;
    word expected, wanted, was;
    __builtin_memcpy(&expected, &compare, sizeof expected);
    __builtin_memcpy(&wanted, &v, sizeof wanted);
    T old;
    if (__cu_mine(a, p)) {
        old = *p;
        __builtin_memcpy(&was, &old, sizeof was);
        if (was == expected) *p = v;
        return old;
    }
    __atomic_compare_exchange_n((word *)p, &expected, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    __builtin_memcpy(&old, &expected, sizeof old);
    return old;
}
template <class T> static inline T __cu_atomicAnd(const char *a, T *p, __CU_T(T) v) { return __cu_and(a, p, v); }
template <class T> static inline T __cu_atomicOr(const char *a, T *p, __CU_T(T) v) { return __cu_or(a, p, v); }
template <class T> static inline T __cu_atomicXor(const char *a, T *p, __CU_T(T) v) { return __cu_xor(a, p, v); }

#ifndef __CU_OWN_ATOMICS /* a program that has functions of these names */
#define atomicAdd(...) __cu_atomicAdd(__ctx.arena, __VA_ARGS__)
#define atomicSub(...) __cu_atomicSub(__ctx.arena, __VA_ARGS__)
#define atomicExch(...) __cu_atomicExch(__ctx.arena, __VA_ARGS__)
#define atomicMin(...) __cu_atomicMin(__ctx.arena, __VA_ARGS__)
#define atomicMax(...) __cu_atomicMax(__ctx.arena, __VA_ARGS__)
#define atomicInc(...) __cu_atomicInc(__ctx.arena, __VA_ARGS__)
#define atomicDec(...) __cu_atomicDec(__ctx.arena, __VA_ARGS__)
#define atomicCAS(...) __cu_atomicCAS(__ctx.arena, __VA_ARGS__)
#define atomicAnd(...) __cu_atomicAnd(__ctx.arena, __VA_ARGS__)
#define atomicOr(...) __cu_atomicOr(__ctx.arena, __VA_ARGS__)
#define atomicXor(...) __cu_atomicXor(__ctx.arena, __VA_ARGS__)
#define atomicAdd_block atomicAdd
#define atomicAdd_system atomicAdd
#define atomicSub_block atomicSub
#define atomicSub_system atomicSub
#define atomicExch_block atomicExch
#define atomicExch_system atomicExch
#define atomicMin_block atomicMin
#define atomicMin_system atomicMin
#define atomicMax_block atomicMax
#define atomicMax_system atomicMax
#define atomicInc_block atomicInc
#define atomicInc_system atomicInc
#define atomicDec_block atomicDec
#define atomicDec_system atomicDec
#define atomicCAS_block atomicCAS
#define atomicCAS_system atomicCAS
#define atomicAnd_block atomicAnd
#define atomicAnd_system atomicAnd
#define atomicOr_block atomicOr
#define atomicOr_system atomicOr
#define atomicXor_block atomicXor
#define atomicXor_system atomicXor
#endif
#ifdef __CU_OWN_ATOMICS
template <class T> static inline T atomicAdd(T *p, __CU_T(T) v) { return __cu_atomicAdd(nullptr, p, v); }
template <class T> static inline T atomicSub(T *p, __CU_T(T) v) { return __cu_atomicSub(nullptr, p, v); }
template <class T> static inline T atomicExch(T *p, __CU_T(T) v) { return __cu_atomicExch(nullptr, p, v); }
template <class T> static inline T atomicMin(T *p, __CU_T(T) v) { return __cu_atomicMin(nullptr, p, v); }
template <class T> static inline T atomicMax(T *p, __CU_T(T) v) { return __cu_atomicMax(nullptr, p, v); }
template <class T> static inline T atomicInc(T *p, __CU_T(T) v) { return __cu_atomicInc(nullptr, p, v); }
template <class T> static inline T atomicDec(T *p, __CU_T(T) v) { return __cu_atomicDec(nullptr, p, v); }
template <class T> static inline T atomicCAS(T *p, __CU_T(T) c, __CU_T(T) v)
{
    return __cu_atomicCAS(nullptr, p, c, v);
}
template <class T> static inline T atomicAnd(T *p, __CU_T(T) v) { return __cu_and(nullptr, p, v); }
template <class T> static inline T atomicOr(T *p, __CU_T(T) v) { return __cu_or(nullptr, p, v); }
template <class T> static inline T atomicXor(T *p, __CU_T(T) v) { return __cu_xor(nullptr, p, v); }
#endif
