/* Macros behind the call syntax of the other headers: literals and calls with options, in C17 and C++20.
 *
 * A function with options is cp_NAME(x, ..., const cp_NAME_options *options), NULL for none. A macro of its name takes
 * the options as designated initialisers instead: cp_sum(x), cp_sum(x, .axis = CP_AXES(0), .keepdims = true), in the
 * order of the struct where C++ must accept it. Parentheses call the function itself: (cp_sum)(x, &options). Objects
 * that the macros make live until the end of the full expression in C++, and of the block in C. */
#ifndef CUPRITE_CALLS_H
#define CUPRITE_CALLS_H

/* A member of an options struct. The last one is `int _`, which the macros set, so that a call may name no option. */
#ifdef __cplusplus
#define CP_OPTION(type, name) type name{} /* g++ does not ask for the members that a call leaves out */
#else
#define CP_OPTION(type, name) type name
#endif

/* CP_CALL(cp_sum, cp_reduce_options, x, .axis = ..., ._ = 0) calls cp_sum(x, &options); CP_CALL2 to CP_CALL5 are for
 * functions of two to five arguments before the options. CP_NAMED does not compile where an option has no name, so that
 * cp_sum(x, 0) is not taken for the axis 0. CP_VALUE(cp_index, ...) is a struct of those members,
 * CP_LIST(int, 1, 2) a pointer to elements, CP_COUNT(int, 1, 2) their number. */
#ifdef __cplusplus
extern "C++" {
template <typename T, unsigned long n> struct cp_list_of { T item[n + 1]; };
template <typename T, typename... V> constexpr cp_list_of<T, sizeof...(V)> cp_list(V... value)
{
    return {{static_cast<T>(value)..., T()}};
}
template <typename T> const T *cp_address_of(const T &value) { return &value; }
template <bool named> inline void cp_named()
{
    static_assert(named, "options have names: cp_sum(x, .keepdims = true)");
}
}
#define CP_NAMED(...) cp_named<#__VA_ARGS__[0] == '.'>()
#define CP_CALL(f, O, a, ...) (CP_NAMED(__VA_ARGS__), (f)((a), cp_address_of<O>({__VA_ARGS__})))
#define CP_CALL2(f, O, a, b, ...) (CP_NAMED(__VA_ARGS__), (f)((a), (b), cp_address_of<O>({__VA_ARGS__})))
#define CP_CALL3(f, O, a, b, c, ...) (CP_NAMED(__VA_ARGS__), (f)((a), (b), (c), cp_address_of<O>({__VA_ARGS__})))
#define CP_CALL4(f, O, a, b, c, d, ...) \
    (CP_NAMED(__VA_ARGS__), (f)((a), (b), (c), (d), cp_address_of<O>({__VA_ARGS__})))
#define CP_CALL5(f, O, a, b, c, d, e, ...) \
    (CP_NAMED(__VA_ARGS__), (f)((a), (b), (c), (d), (e), cp_address_of<O>({__VA_ARGS__})))
#define CP_VALUE(T, ...) (T{__VA_ARGS__})
#define CP_LIST(T, ...) (cp_list<T>(__VA_ARGS__).item)
#define CP_COUNT(T, ...) (static_cast<int>(sizeof(cp_list<T>(__VA_ARGS__)) / sizeof(T)) - 1)
#else
#if defined(__GNUC__)
__attribute__((error("options have names: cp_sum(x, .axis = CP_AXES(0))"))) extern void cp_option_without_a_name(void);
#define CP_NAMED(...) (__builtin_strncmp(#__VA_ARGS__, ".", 1) ? cp_option_without_a_name() : (void)0)
#else
#define CP_NAMED(...) ((void)0)
#endif
#define CP_CALL(f, O, a, ...) (CP_NAMED(__VA_ARGS__), (f)((a), &(O){__VA_ARGS__}))
#define CP_CALL2(f, O, a, b, ...) (CP_NAMED(__VA_ARGS__), (f)((a), (b), &(O){__VA_ARGS__}))
#define CP_CALL3(f, O, a, b, c, ...) (CP_NAMED(__VA_ARGS__), (f)((a), (b), (c), &(O){__VA_ARGS__}))
#define CP_CALL4(f, O, a, b, c, d, ...) (CP_NAMED(__VA_ARGS__), (f)((a), (b), (c), (d), &(O){__VA_ARGS__}))
#define CP_CALL5(f, O, a, b, c, d, e, ...) (CP_NAMED(__VA_ARGS__), (f)((a), (b), (c), (d), (e), &(O){__VA_ARGS__}))
#define CP_VALUE(T, ...) ((T){__VA_ARGS__})
#define CP_LIST(T, ...) ((const T[]){__VA_ARGS__})
#define CP_COUNT(T, ...) ((int)(sizeof((const T[]){__VA_ARGS__}) / sizeof(T)))
#endif

#endif
