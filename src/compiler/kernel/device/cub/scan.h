/* BlockScan and WarpScan. */
#pragma once
#include <cub/operators.h>

namespace cub {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

/* What a thread brings to a scan: n numbers, and where the results go, which may be the same place. */
template <class T> struct __cu_scanned {
    const T *in;
    T *out;
    T total;
};
/* The scan over the records of `of`; returns the sum of all numbers, without `initial`. The first result of an
 * exclusive scan that has no initial value is left as it is. */
template <bool inclusive, class T, class J, class F>
static inline T __cu_scan(J of, int threads, int n, const T *initial, F &op)
{
    T total = of(0).in[0], before = initial ? *initial : total;
    bool first = true;
    for (int t = 0; t < threads; t++) {
        __cu_scanned<T> &s = of(t);
        for (int i = 0; i < n; i++) {
            const T v = s.in[i];
            if (!first) total = op(total, v);
            const T behind = first ? (initial ? op(before, v) : v) : op(before, v);
            if (inclusive) s.out[i] = behind;
            else if (!first || initial) s.out[i] = before;
            before = behind;
            first = false;
        }
    }
    return total;
}

template <class T, int X, BlockScanAlgorithm how = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int = 0> class BlockScan {
    typedef __cu_block_threads<X, Y, Z> threads;
    threads all;

    template <bool inclusive, class F> T scanned(const T *in, T *out, int n, const T *initial, F &op)
    {
        __cu_scanned<T> own = {in, out, T()};
        all.run(own, [&](auto of) {
            const T total = __cu_scan<inclusive, T>(of, threads::count, n, initial, op);
            for (int t = 0; t < threads::count; t++) of(t).total = total;
        });
        return own.total;
    }
    /* The callback of the first warp's threads gets the sum of all; what it returns to the first one comes before. */
    template <bool inclusive, class F, class P> void prefixed(const T *in, T *out, int n, F &op, P &callback)
    {
        struct record { __cu_scanned<T> scanned; T prefix; } own = {{in, out, T()}, T()};
        all.run(own, [&](auto of) {
            auto part = [&](int t) -> __cu_scanned<T> & { return of(t).scanned; };
            const T total = __cu_scan<inclusive, T>(part, threads::count, n, nullptr, op);
            for (int t = 0; t < threads::count; t++) of(t).scanned.total = total;
        });
        if (all.rank < 32) own.prefix = callback(own.scanned.total);
        all.run(own, [&](auto of) {
            for (int t = 1; t < threads::count; t++) of(t).prefix = own.prefix;
        });
        for (int i = 0; i < n; i++)
            out[i] = !inclusive && all.rank == 0 && i == 0 ? own.prefix : op(own.prefix, out[i]);
    }

public:
    struct TempStorage : threads::TempStorage {};
    BlockScan(int line = __builtin_LINE()) : all(__cu_private<typename threads::Storage>(), line) {}
    BlockScan(TempStorage &s, int line = __builtin_LINE()) : all(s, line) {}

#define __CU_SCANS(name, inclusive)                                                                            \
    template <class F> void name##Scan(T in, T &out, F op) { scanned<inclusive>(&in, &out, 1, nullptr, op); } \
    template <class F> void name##Scan(T in, T &out, F op, T &total)                                           \
    {                                                                                                          \
        total = scanned<inclusive>(&in, &out, 1, nullptr, op);                                                \
    }                                                                                                          \
    template <class F, class P> void name##Scan(T in, T &out, F op, P &prefix)                                 \
    {                                                                                                          \
        prefixed<inclusive>(&in, &out, 1, op, prefix);                                                        \
    }                                                                                                          \
    template <int n, class F> void name##Scan(T(&in)[n], T(&out)[n], F op)                                     \
    {                                                                                                          \
        scanned<inclusive>(in, out, n, nullptr, op);                                                          \
    }                                                                                                          \
    template <int n, class F> void name##Scan(T(&in)[n], T(&out)[n], F op, T &total)                           \
    {                                                                                                          \
        total = scanned<inclusive>(in, out, n, nullptr, op);                                                  \
    }
    __CU_SCANS(Exclusive, false)
    __CU_SCANS(Inclusive, true)
#undef __CU_SCANS
#define __CU_SCANS(name, inclusive)                                                                            \
    template <int n, class F, class P> void name##Scan(T(&in)[n], T(&out)[n], F op, P &prefix)                 \
    {                                                                                                          \
        prefixed<inclusive>(in, out, n, op, prefix);                                                          \
    }                                                                                                          \
    template <int n, class F> void name##Scan(T(&in)[n], T(&out)[n], T initial, F op)                          \
    {                                                                                                          \
        scanned<inclusive>(in, out, n, &initial, op);                                                         \
    }                                                                                                          \
    template <int n, class F> void name##Scan(T(&in)[n], T(&out)[n], T initial, F op, T &total)                \
    {                                                                                                          \
        total = scanned<inclusive>(in, out, n, &initial, op);                                                 \
    }                                                                                                          \
    template <int n> void name##Sum(T(&in)[n], T(&out)[n]) { name##Sums(in, out, n); }                         \
    template <int n> void name##Sum(T(&in)[n], T(&out)[n], T &total) { total = name##Sums(in, out, n); }       \
    void name##Sum(T in, T &out) { name##Sums(&in, &out, 1); }                                                 \
    void name##Sum(T in, T &out, T &total) { total = name##Sums(&in, &out, 1); }
    __CU_SCANS(Exclusive, false)
    __CU_SCANS(Inclusive, true)
#undef __CU_SCANS
    template <class F> void ExclusiveScan(T in, T &out, T initial, F op)
    {
        scanned<false>(&in, &out, 1, &initial, op);
    }
    template <class F> void ExclusiveScan(T in, T &out, T initial, F op, T &total)
    {
        total = scanned<false>(&in, &out, 1, &initial, op);
    }
    template <class P> void ExclusiveSum(T in, T &out, P &prefix) { ExclusiveScan(in, out, cub::Sum(), prefix); }
    template <class P> void InclusiveSum(T in, T &out, P &prefix) { InclusiveScan(in, out, cub::Sum(), prefix); }
    template <int n, class P> void ExclusiveSum(T (&in)[n], T (&out)[n], P &prefix)
    {
        ExclusiveScan(in, out, cub::Sum(), prefix);
    }
    template <int n, class P> void InclusiveSum(T (&in)[n], T (&out)[n], P &prefix)
    {
        InclusiveScan(in, out, cub::Sum(), prefix);
    }

private:
    T ExclusiveSums(const T *in, T *out, int n)
    {
        cub::Sum op;
        const T none{};
        return scanned<false>(in, out, n, &none, op);
    }
    T InclusiveSums(const T *in, T *out, int n)
    {
        cub::Sum op;
        return scanned<true>(in, out, n, nullptr, op);
    }
};

template <class T, int n = 32, int = 0> class WarpScan {
    typedef __cu_warp_threads<n> threads;
    threads all;

    template <bool inclusive, class F> T scanned(const T *in, T *out, const T *initial, F &op)
    {
        __cu_scanned<T> own = {in, out, T()};
        all.run(own, [&](auto of) {
            const T total = __cu_scan<inclusive, T>(of, n, 1, initial, op);
            for (int t = 0; t < n; t++) of(t).total = total;
        });
        return own.total;
    }

public:
    typedef typename threads::TempStorage TempStorage;
    WarpScan(TempStorage &, int line = __builtin_LINE()) : all(line) {}
    template <class F> void InclusiveScan(T in, T &out, F op) { scanned<true>(&in, &out, nullptr, op); }
    template <class F> void InclusiveScan(T in, T &out, T initial, F op) { scanned<true>(&in, &out, &initial, op); }
    template <class F> void InclusiveScan(T in, T &out, F op, T &total)
    {
        total = scanned<true>(&in, &out, nullptr, op);
    }
    template <class F> void InclusiveScan(T in, T &out, T initial, F op, T &total)
    {
        total = scanned<true>(&in, &out, &initial, op);
    }
    template <class F> void ExclusiveScan(T in, T &out, F op) { scanned<false>(&in, &out, nullptr, op); }
    template <class F> void ExclusiveScan(T in, T &out, T initial, F op) { scanned<false>(&in, &out, &initial, op); }
    template <class F> void ExclusiveScan(T in, T &out, F op, T &total)
    {
        total = scanned<false>(&in, &out, nullptr, op);
    }
    template <class F> void ExclusiveScan(T in, T &out, T initial, F op, T &total)
    {
        total = scanned<false>(&in, &out, &initial, op);
    }
    void InclusiveSum(T in, T &out) { InclusiveScan(in, out, cub::Sum()); }
    void InclusiveSum(T in, T &out, T &total) { InclusiveScan(in, out, cub::Sum(), total); }
    void ExclusiveSum(T in, T &out) { ExclusiveScan(in, out, T{}, cub::Sum()); }
    void ExclusiveSum(T in, T &out, T &total) { ExclusiveScan(in, out, T{}, cub::Sum(), total); }
    template <class F> void Scan(T in, T &inclusive, T &exclusive, F op)
    {
        const T v = in;
        scanned<true>(&v, &inclusive, nullptr, op);
        scanned<false>(&v, &exclusive, nullptr, op);
    }
    template <class F> void Scan(T in, T &inclusive, T &exclusive, T initial, F op)
    {
        const T v = in, from = initial;
        scanned<true>(&v, &inclusive, &from, op);
        scanned<false>(&v, &exclusive, &from, op);
    }
    void Sum(T in, T &inclusive, T &exclusive) { Scan(in, inclusive, exclusive, T{}, cub::Sum()); }
    T Broadcast(T in, unsigned lane) { return __cu_from_lane(all.mask, in, all.first + lane, all.line); }
};

} // namespace cub
