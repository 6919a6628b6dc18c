/* What the headers of cuda::std, cub and thrust have in common. The C++ library's own headers are the content of
 * cuda::std where they are cheap to compile: type traits, pairs, tuples, arrays, limits, optional. */
#pragma once
#include "cuprite_device.h"
#include <utility>

namespace cuda {
namespace std {
using namespace ::std;
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::intmax_t;
using ::intptr_t;
using ::ptrdiff_t;
using ::size_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;
using ::uintmax_t;
using ::uintptr_t;
#ifdef __CU_CHECK /* macros of these names call: */
using ::__cu_memcpy;
using ::__cu_memset;
#else
using ::memcpy;
using ::memmove;
using ::memset;
#endif
using ::strlen;
enum class byte : unsigned char {};
}
} // namespace cuda

template <class T> T __cu_made();
template <class A, class B> constexpr ::std::pair<A, B> __cu_two(const A &a, const B &b) { return {a, b}; }
/* The type of an iterator's values: where it says so, or of what it points to. */
template <class I, class = void> struct __cu_value_of {
    typedef typename ::std::remove_cv<typename ::std::remove_reference<decltype(*__cu_made<I &>())>::type>::type type;
};
template <class I> struct __cu_value_of<I, ::std::void_t<typename I::value_type>> {
    typedef typename ::std::remove_cv<typename I::value_type>::type type;
};
