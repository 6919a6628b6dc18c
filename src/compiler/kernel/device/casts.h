/* What kinds of types there are, and casts to integers. */
#pragma once

template <class T> struct __cu_is_integer { static constexpr bool value = false; };
#define __CU_IS_INTEGER(T) template <> struct __cu_is_integer<T> { static constexpr bool value = true; };
__CU_IS_INTEGER(bool) __CU_IS_INTEGER(char) __CU_IS_INTEGER(signed char) __CU_IS_INTEGER(unsigned char)
__CU_IS_INTEGER(short) __CU_IS_INTEGER(unsigned short) __CU_IS_INTEGER(int) __CU_IS_INTEGER(unsigned)
__CU_IS_INTEGER(long) __CU_IS_INTEGER(unsigned long) __CU_IS_INTEGER(long long) __CU_IS_INTEGER(unsigned long long)
#undef __CU_IS_INTEGER
template <bool, class T = void> struct __cu_if {};
template <class T> struct __cu_if<true, T> { typedef T type; };
#define __CU_INTEGER(T, R) typename __cu_if<__cu_is_integer<T>::value, R>::type

/* Casts to the integer I (casts.c): without the barrier g++ takes (double)(int)x for trunc(x), which keeps the sign of
 * -0.5. It costs nothing; loops are vectorized as before. */
template <class T> struct __cu_is_real { static constexpr bool value = false; };
template <> struct __cu_is_real<float> { static constexpr bool value = true; };
template <> struct __cu_is_real<double> { static constexpr bool value = true; };
template <class I> struct __cu_cast {
    I value;
    template <class T, typename __cu_if<!__is_class(T) || __is_constructible(T, const T &), int>::type = 0>
    constexpr __cu_cast(T x) : value(of(x)) {}
    template <class T, typename __cu_if<__is_class(T) && !__is_constructible(T, const T &), int>::type = 0>
    constexpr __cu_cast(const T &x) : value((I)x) {} /* what cannot be copied: cuda::atomic */
    constexpr operator I() const { return value; }
    template <class T> static constexpr I of(T x)
    {
#if __has_builtin(__builtin_assoc_barrier)
        if constexpr (__cu_is_real<T>::value || __is_class(T))
            if (!__builtin_is_constant_evaluated()) return __builtin_assoc_barrier((I)x);
#endif
        return (I)x;
    }
};
