/* thrust::placeholders: functions that are written as expressions of _1, _2, ... */
#pragma once
#include <thrust/words.h>

namespace thrust {

template <class F> struct __cu_expression {
    F f;
    template <class... A> constexpr decltype(auto) operator()(A &&...a) const { return f((A &&)a...); }
};
template <class T> struct __cu_is_expression { static constexpr bool value = false; };
template <class F> struct __cu_is_expression<__cu_expression<F>> { static constexpr bool value = true; };
template <int n> struct __cu_argument {
    template <class A, class... B> constexpr decltype(auto) operator()(A &&a, B &&...b) const
    {
        if constexpr (n == 1) return (A &&)a;
        else return __cu_argument<n - 1>()((B &&)b...);
    }
};
/* Of an operand that is no expression: itself. */
template <class T, class... A> constexpr decltype(auto) __cu_operand_of(const T &e, A &&...a)
{
    if constexpr (__cu_is_expression<T>::value) return e((A &&)a...);
    else return (e);
}
template <class F> constexpr __cu_expression<F> __cu_make_expression(F f) { return {f}; }
#define __CU_EXPRESSION_2(op)                                                                                       \
    template <class A, class B,                                                                                     \
              ::std::enable_if_t<__cu_is_expression<A>::value || __cu_is_expression<B>::value, int> = 0>            \
    constexpr auto operator op(const A &a, const B &b)                                                              \
    {                                                                                                               \
        return __cu_make_expression([a, b](const auto &...x) {                                                      \
            return __cu_operand_of(a, x...) op __cu_operand_of(b, x...);                                            \
        });                                                                                                         \
    }
__CU_EXPRESSION_2(+) __CU_EXPRESSION_2(-) __CU_EXPRESSION_2(*) __CU_EXPRESSION_2(/) __CU_EXPRESSION_2(%)
__CU_EXPRESSION_2(==) __CU_EXPRESSION_2(!=) __CU_EXPRESSION_2(<) __CU_EXPRESSION_2(>) __CU_EXPRESSION_2(<=)
__CU_EXPRESSION_2(>=) __CU_EXPRESSION_2(&) __CU_EXPRESSION_2(|) __CU_EXPRESSION_2(^) __CU_EXPRESSION_2(&&)
__CU_EXPRESSION_2(||) __CU_EXPRESSION_2(<<) __CU_EXPRESSION_2(>>)
#undef __CU_EXPRESSION_2
#define __CU_EXPRESSION_1(op)                                                                     \
    template <class A, ::std::enable_if_t<__cu_is_expression<A>::value, int> = 0>                 \
    constexpr auto operator op(const A &a)                                                        \
    {                                                                                             \
        return __cu_make_expression([a](const auto &...x) { return op a(x...); });                \
    }
__CU_EXPRESSION_1(-) __CU_EXPRESSION_1(!) __CU_EXPRESSION_1(~)
#undef __CU_EXPRESSION_1

namespace placeholders {
static constexpr __cu_expression<__cu_argument<1>> _1{};
static constexpr __cu_expression<__cu_argument<2>> _2{};
static constexpr __cu_expression<__cu_argument<3>> _3{};
static constexpr __cu_expression<__cu_argument<4>> _4{};
} // namespace placeholders

} // namespace thrust
