/* BlockReduce and WarpReduce: in the order of CUB's shuffles, so that sums of floating-point numbers are the same. */
#pragma once
#include <cub/operators.h>

namespace cub {

enum BlockReduceAlgorithm {
    BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS,
    BLOCK_REDUCE_WARP_REDUCTIONS_NONDETERMINISTIC
};

/* Lanes 0 to n - 1 of v, left in v[0]. */
template <class T, class F> static inline void __cu_fold_lanes(T *v, int n, F &op)
{
    for (int by = 1; by < n; by *= 2)
        for (int i = 0; i + by < n; i += 2 * by) v[i] = op(v[i], v[i + by]);
}

template <class T, int X, BlockReduceAlgorithm how = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int = 0>
class BlockReduce {
    typedef __cu_block_threads<X, Y, Z> threads;
    threads all;

    template <class F> T folded(const T &v, F &op, int valid)
    {
        T own = v;
        all.run(own, [&](auto of) {
            T lane[32];
            for (int from = 0; from < valid; from += 32) {
                const int n = valid - from < 32 ? valid - from : 32;
                for (int i = 0; i < n; i++) lane[i] = of(from + i);
                __cu_fold_lanes(lane, n, op);
                own = from ? op(own, lane[0]) : lane[0];
            }
        });
        return own;
    }

public:
    struct TempStorage : threads::TempStorage {};
    BlockReduce(int line = __builtin_LINE()) : all(__cu_private<typename threads::Storage>(), line) {}
    BlockReduce(TempStorage &s, int line = __builtin_LINE()) : all(s, line) {}
    template <class F> T Reduce(T v, F op) { return folded(v, op, threads::count); }
    template <class F> T Reduce(T v, F op, int valid) { return folded(v, op, valid); }
    template <int n, class F> T Reduce(T (&v)[n], F op)
    {
        return folded(ThreadReduce(v, op), op, threads::count);
    }
    T Sum(T v) { return Reduce(v, cub::Sum()); }
    T Sum(T v, int valid) { return Reduce(v, cub::Sum(), valid); }
    template <int n> T Sum(T (&v)[n]) { return Reduce(v, cub::Sum()); }
};

template <class T, int n = 32, int = 0> class WarpReduce {
    typedef __cu_warp_threads<n> threads;
    threads all;

    template <class F> T folded(const T &v, F &op, int valid)
    {
        T own = v;
        all.run(own, [&](auto of) {
            T lane[n];
            for (int i = 0; i < valid; i++) lane[i] = of(i);
            if (valid > 0) __cu_fold_lanes(lane, valid, op);
            own = lane[0];
        });
        return own;
    }
    struct flagged { T value; bool flag; };
    /* Heads: a segment begins where a flag is; tails: it ends there. The sum is left with the segment's first lane. */
    template <bool heads, class F> T segments(const T &v, bool flag, F &op)
    {
        flagged own = {v, flag};
        all.run(own, [&](auto of) {
            T lane[n];
            for (int from = 0, to; from < n; from = to) {
                to = from + 1;
                while (to < n && !(heads ? of(to).flag : of(to - 1).flag)) to++;
                for (int i = from; i < to; i++) lane[i - from] = of(i).value;
                __cu_fold_lanes(lane, to - from, op);
                of(from).value = lane[0];
            }
        });
        return own.value;
    }

public:
    typedef typename threads::TempStorage TempStorage;
    WarpReduce(TempStorage &, int line = __builtin_LINE()) : all(line) {}
    template <class F> T Reduce(T v, F op) { return folded(v, op, n); }
    template <class F> T Reduce(T v, F op, int valid) { return folded(v, op, valid); }
    template <int k, class F> T Reduce(const T (&v)[k], F op) { return folded(ThreadReduce(v, op), op, n); }
    T Sum(T v) { return Reduce(v, cub::Sum()); }
    T Sum(T v, int valid) { return Reduce(v, cub::Sum(), valid); }
    template <int k> T Sum(const T (&v)[k]) { return Reduce(v, cub::Sum()); }
    T Max(T v) { return Reduce(v, cub::Max()); }
    T Max(T v, int valid) { return Reduce(v, cub::Max(), valid); }
    T Min(T v) { return Reduce(v, cub::Min()); }
    T Min(T v, int valid) { return Reduce(v, cub::Min(), valid); }
    template <class B, class F> T HeadSegmentedReduce(T v, B head, F op) { return segments<true>(v, (bool)head, op); }
    template <class B, class F> T TailSegmentedReduce(T v, B tail, F op) { return segments<false>(v, (bool)tail, op); }
    template <class B> T HeadSegmentedSum(T v, B head) { return HeadSegmentedReduce(v, head, cub::Sum()); }
    template <class B> T TailSegmentedSum(T v, B tail) { return TailSegmentedReduce(v, tail, cub::Sum()); }
};

} // namespace cub
