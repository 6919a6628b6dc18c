/* BlockRadixSort, BlockMergeSort, WarpMergeSort, BlockHistogram. */
#pragma once
#include <cub/operators.h>

namespace cub {

template <unsigned long bytes> struct __cu_digits {};
template <> struct __cu_digits<1> { typedef unsigned char type; };
template <> struct __cu_digits<2> { typedef unsigned short type; };
template <> struct __cu_digits<4> { typedef unsigned type; };
template <> struct __cu_digits<8> { typedef unsigned long long type; };
template <> struct __cu_digits<16> { typedef unsigned __int128 type; };

/* The bits of a key as an unsigned number of the same order. The zeros are equal; NaN is beyond infinity. */
template <class T> static inline typename __cu_digits<sizeof(T)>::type __cu_ordered(const T &v)
{
    typedef typename __cu_digits<sizeof(T)>::type word;
    const word high = (word)1 << (8 * sizeof(T) - 1);
    word w;
    __builtin_memcpy(&w, &v, sizeof w);
    if constexpr (sizeof(T) == 1 || __cu_is_integer<T>::value) return T(-1) < T(0) ? (word)(w ^ high) : w;
    if constexpr (sizeof(T) == 16) return T(-1) < T(0) ? (word)(w ^ high) : w;
    if (w == high) w = 0;
    return w & high ? (word)~w : (word)(w ^ high);
}

/* A key's place while keys are sorted. */
template <class W> struct __cu_sorted { W key; int from; };

template <class G, class K, class V, int n> class __cu_sorts {
protected:
    enum { threads = G::count };
    typedef struct { K *key; V *value; } record;

    /* Keys and values to the places that `order` has found; striped: item i of thread t is number i * threads + t. */
    template <class O, class J> static void place(O &order, J of, bool striped, bool values)
    {
        const long count = (long)threads * n;
        __cu_buffer<K> keys(count);
        __cu_buffer<V> more(values ? count : 0);
        for (long i = 0; i < count; i++) {
            const int from = order[i].from;
            keys[i] = of(from / n).key[from % n];
            if (values) more[i] = of(from / n).value[from % n];
        }
        for (int t = 0; t < threads; t++)
            for (int i = 0; i < n; i++) {
                const long at = striped ? (long)i * threads + t : (long)t * n + i;
                of(t).key[i] = keys[at];
                if (values) of(t).value[i] = more[at];
            }
    }
    static void by_bits(const G &all, K *key, V *value, int begin, int end, bool down, bool striped)
    {
        typedef typename __cu_digits<sizeof(K)>::type word;
        record own = {key, value};
        all.run(own, [&](auto of) {
            const long count = (long)threads * n;
            __cu_buffer<__cu_sorted<word>> order(count), other(count);
            const bool some = end - begin < 8 * (int)sizeof(K);
            const word high = some ? (word)(((word)1 << (end - begin)) - 1) : (word)~(word)0;
            for (long i = 0; i < count; i++) {
                const word w = begin < 8 * (int)sizeof(K)
                                   ? (word)(__cu_ordered(of((int)(i / n)).key[i % n]) >> begin & high) : (word)0;
                order[i] = {down ? (word)~w : w, (int)i};
            }
            __cu_stable_sort(order.at, other.at, count, [](auto &a, auto &b) { return a.key < b.key; });
            place(order, of, striped, value != nullptr);
        });
    }
    template <class F> static void by_order(const G &all, K *key, V *value, F &less)
    {
        record own = {key, value};
        all.run(own, [&](auto of) {
            const long count = (long)threads * n;
            __cu_buffer<__cu_sorted<K>> order(count), other(count);
            for (long i = 0; i < count; i++) order[i] = {of((int)(i / n)).key[i % n], (int)i};
            __cu_stable_sort(order.at, other.at, count, [&](auto &a, auto &b) { return less(a.key, b.key); });
            place(order, of, false, value != nullptr);
        });
    }
};

template <class K, int X, int n, class V = NullType, int = 4, bool = true, int = 0, int = 0, int Y = 1, int Z = 1,
          int = 0>
class BlockRadixSort : __cu_sorts<__cu_block_threads<X, Y, Z>, K, V, n> {
    typedef __cu_block_threads<X, Y, Z> threads;
    threads all;

public:
    struct TempStorage : threads::TempStorage {};
    BlockRadixSort(int line = __builtin_LINE()) : all(__cu_private<typename threads::Storage>(), line) {}
    BlockRadixSort(TempStorage &s, int line = __builtin_LINE()) : all(s, line) {}
#define __CU_SORT(name, down, striped)                                                                     \
    void name(K(&keys)[n], int begin = 0, int end = 8 * sizeof(K))                                         \
    {                                                                                                      \
        this->by_bits(all, keys, nullptr, begin, end, down, striped);                                      \
    }                                                                                                      \
    void name(K(&keys)[n], V(&values)[n], int begin = 0, int end = 8 * sizeof(K))                          \
    {                                                                                                      \
        this->by_bits(all, keys, values, begin, end, down, striped);                                       \
    }
    __CU_SORT(Sort, false, false)
    __CU_SORT(SortDescending, true, false)
    __CU_SORT(SortBlockedToStriped, false, true)
    __CU_SORT(SortDescendingBlockedToStriped, true, true)
#undef __CU_SORT
};

/* Sorts by a comparison, all stable. Items from `valid` on become `last`, which is behind all others. */
template <class G, class K, class V, int n> class __cu_merge_sorts : __cu_sorts<G, K, V, n> {
    G all;
    void fill(K *keys, int valid, const K &last)
    {
        for (int i = 0; i < n; i++)
            if ((int)all.rank * n + i >= valid) keys[i] = last;
    }

public:
    __cu_merge_sorts(const G &g) : all(g) {}
    unsigned get_linear_tid() const { return all.rank; }
#define __CU_SORT(name)                                                                              \
    template <class F> void name(K(&keys)[n], F less) { this->by_order(all, keys, nullptr, less); } \
    template <class F> void name(K(&keys)[n], F less, int valid, K last)                             \
    {                                                                                                \
        fill(keys, valid, last);                                                                     \
        this->by_order(all, keys, nullptr, less);                                                    \
    }                                                                                                \
    template <class F> void name(K(&keys)[n], V(&values)[n], F less)                                 \
    {                                                                                                \
        this->by_order(all, keys, values, less);                                                     \
    }                                                                                                \
    template <class F> void name(K(&keys)[n], V(&values)[n], F less, int valid, K last)              \
    {                                                                                                \
        fill(keys, valid, last);                                                                     \
        this->by_order(all, keys, values, less);                                                     \
    }
    __CU_SORT(Sort)
    __CU_SORT(StableSort)
#undef __CU_SORT
};
template <class K, int X, int n, class V = NullType, int Y = 1, int Z = 1>
struct BlockMergeSort : __cu_merge_sorts<__cu_block_threads<X, Y, Z>, K, V, n> {
    typedef __cu_block_threads<X, Y, Z> threads;
    struct TempStorage : threads::TempStorage {};
    BlockMergeSort(int line = __builtin_LINE())
        : __cu_merge_sorts<threads, K, V, n>(threads(__cu_private<typename threads::Storage>(), line))
    {
    }
    BlockMergeSort(TempStorage &s, int line = __builtin_LINE()) : __cu_merge_sorts<threads, K, V, n>(threads(s, line))
    {
    }
};
template <class K, int n, int size = 32, class V = NullType, int = 0>
struct WarpMergeSort : __cu_merge_sorts<__cu_warp_threads<size>, K, V, n> {
    typedef typename __cu_warp_threads<size>::TempStorage TempStorage;
    WarpMergeSort(TempStorage &, int line = __builtin_LINE())
        : __cu_merge_sorts<__cu_warp_threads<size>, K, V, n>(__cu_warp_threads<size>(line))
    {
    }
    unsigned get_member_mask() const { return __cu_warp_threads<size>(0).mask; }
};
template <class K, class F, int n> static inline void StableOddEvenSort(K (&keys)[n], F less)
{
    K other[n];
    __cu_stable_sort(keys, other, n, less);
}

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };
template <class T, int X, int n, int bins, BlockHistogramAlgorithm = BLOCK_HISTO_SORT, int Y = 1, int Z = 1, int = 0>
class BlockHistogram {
    typedef __cu_block_threads<X, Y, Z> threads;
    threads all;

public:
    struct TempStorage : threads::TempStorage {};
    BlockHistogram(int line = __builtin_LINE()) : all(__cu_private<typename threads::Storage>(), line) {}
    BlockHistogram(TempStorage &s, int line = __builtin_LINE()) : all(s, line) {}
    template <class C> void InitHistogram(C (&histogram)[bins])
    {
        for (int i = (int)all.rank; i < bins; i += threads::count) histogram[i] = 0;
    }
    template <class C> void Composite(T (&items)[n], C (&histogram)[bins])
    {
        T(*own)[n] = &items;
        all.run(own, [&](auto of) {
            for (int t = 0; t < threads::count; t++)
                for (int i = 0; i < n; i++) histogram[(*of(t))[i]]++;
        });
    }
    template <class C> void Histogram(T (&items)[n], C (&histogram)[bins])
    {
        InitHistogram(histogram);
        all.sync();
        Composite(items, histogram);
    }
};

} // namespace cub
