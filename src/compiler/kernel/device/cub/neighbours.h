/* BlockDiscontinuity, BlockAdjacentDifference, BlockRunLengthDecode: an item and the one beside it. */
#pragma once
#include <cub/operators.h>

namespace cub {

/* Operators that take the number of the item too. */
template <class F, class T>
static inline auto __cu_flag(F &op, const T &a, const T &b, int i, int) -> decltype(op(a, b, i))
{
    return op(a, b, i);
}
template <class F, class T>
static inline auto __cu_flag(F &op, const T &a, const T &b, int, long) -> decltype(op(a, b))
{
    return op(a, b);
}

template <class T, int X, int Y = 1, int Z = 1, int = 0> class BlockDiscontinuity {
    typedef __cu_block_threads<X, Y, Z> threads;
    threads all;
    /* The thread's own items, with the last one of the thread before and the first one of the thread behind. */
    struct record { const T *in; int n; T before, behind; };
    template <int n> record beside(const T (&in)[n])
    {
        record own = {in, n, in[0], in[0]};
        all.run(own, [&](auto of) {
            for (int t = 0; t < threads::count; t++) {
                if (t) of(t).before = of(t - 1).in[n - 1];
                if (t + 1 < threads::count) of(t).behind = of(t + 1).in[0];
            }
        });
        return own;
    }
    template <int n, class B, class F> void heads(const record &r, B (&flags)[n], F &op, const T *before)
    {
        const int first = (int)all.rank * n;
        for (int i = n - 1; i > 0; i--) flags[i] = __cu_flag(op, r.in[i - 1], r.in[i], first + i, 0);
        if (all.rank || before) flags[0] = __cu_flag(op, all.rank ? r.before : *before, r.in[0], first, 0);
        else flags[0] = 1;
    }
    template <int n, class B, class F> void tails(const record &r, B (&flags)[n], F &op, const T *behind)
    {
        const int first = (int)all.rank * n;
        const bool last = all.rank == threads::count - 1;
        for (int i = 0; i + 1 < n; i++) flags[i] = __cu_flag(op, r.in[i], r.in[i + 1], first + i + 1, 0);
        if (!last || behind) flags[n - 1] = __cu_flag(op, r.in[n - 1], last ? *behind : r.behind, first + n, 0);
        else flags[n - 1] = 1;
    }

public:
    struct TempStorage : threads::TempStorage {};
    BlockDiscontinuity(int line = __builtin_LINE()) : all(__cu_private<typename threads::Storage>(), line) {}
    BlockDiscontinuity(TempStorage &s, int line = __builtin_LINE()) : all(s, line) {}
    template <int n, class B, class F> void FlagHeads(B (&flags)[n], T (&in)[n], F op)
    {
        heads(beside(in), flags, op, nullptr);
    }
    template <int n, class B, class F> void FlagHeads(B (&flags)[n], T (&in)[n], F op, T before)
    {
        heads(beside(in), flags, op, &before);
    }
    template <int n, class B, class F> void FlagTails(B (&flags)[n], T (&in)[n], F op)
    {
        tails(beside(in), flags, op, nullptr);
    }
    template <int n, class B, class F> void FlagTails(B (&flags)[n], T (&in)[n], F op, T behind)
    {
        tails(beside(in), flags, op, &behind);
    }
    template <int n, class B, class F> void FlagHeadsAndTails(B (&head)[n], B (&tail)[n], T (&in)[n], F op)
    {
        flag(head, nullptr, tail, nullptr, in, op);
    }
    template <int n, class B, class F> void FlagHeadsAndTails(B (&head)[n], B (&tail)[n], T behind, T (&in)[n], F op)
    {
        flag(head, nullptr, tail, &behind, in, op);
    }
    template <int n, class B, class F> void FlagHeadsAndTails(B (&head)[n], T before, B (&tail)[n], T (&in)[n], F op)
    {
        flag(head, &before, tail, nullptr, in, op);
    }
    template <int n, class B, class F>
    void FlagHeadsAndTails(B (&head)[n], T before, B (&tail)[n], T behind, T (&in)[n], F op)
    {
        flag(head, &before, tail, &behind, in, op);
    }

private:
    template <int n, class B, class F>
    void flag(B (&head)[n], const T *before, B (&tail)[n], const T *behind, T (&in)[n], F &op)
    {
        const record r = beside(in);
        heads(r, head, op, before);
        tails(r, tail, op, behind);
    }
};

template <class T, int X, int Y = 1, int Z = 1, int = 0> class BlockAdjacentDifference {
    typedef __cu_block_threads<X, Y, Z> threads;
    threads all;
    struct record { const T *in; T beside; };
    /* Items from `valid` on, and the first one where nothing is before it, stay as they are. */
    template <int n, class O, class F> void left(T (&in)[n], O (&out)[n], F &op, int valid, const T *before)
    {
        record own = {in, in[0]};
        all.run(own, [&](auto of) {
            for (int t = 1; t < threads::count; t++) of(t).beside = of(t - 1).in[n - 1];
        });
        const int first = (int)all.rank * n;
        for (int i = n - 1; i >= 0; i--) {
            const T v = in[i];
            if (first + i >= valid || (first + i == 0 && !before)) out[i] = v;
            else out[i] = op(v, i ? in[i - 1] : first ? own.beside : *before);
        }
    }
    template <int n, class O, class F> void right(T (&in)[n], O (&out)[n], F &op, int valid, const T *behind)
    {
        record own = {in, in[0]};
        all.run(own, [&](auto of) {
            for (int t = 0; t + 1 < threads::count; t++) of(t).beside = of(t + 1).in[0];
        });
        const int first = (int)all.rank * n, last = threads::count * n - 1;
        for (int i = 0; i < n; i++) {
            const T v = in[i];
            const bool end = first + i == last;
            if (first + i + 1 >= valid && !(end && behind)) out[i] = v;
            else out[i] = op(v, end ? *behind : i + 1 < n ? in[i + 1] : own.beside);
        }
    }
    enum { whole = X * Y * Z };

public:
    struct TempStorage : threads::TempStorage {};
    BlockAdjacentDifference(int line = __builtin_LINE()) : all(__cu_private<typename threads::Storage>(), line) {}
    BlockAdjacentDifference(TempStorage &s, int line = __builtin_LINE()) : all(s, line) {}
    template <int n, class O, class F> void SubtractLeft(T (&in)[n], O (&out)[n], F op)
    {
        left(in, out, op, whole * n, nullptr);
    }
    template <int n, class O, class F> void SubtractLeft(T (&in)[n], O (&out)[n], F op, T before)
    {
        left(in, out, op, whole * n, &before);
    }
    template <int n, class O, class F> void SubtractLeftPartialTile(T (&in)[n], O (&out)[n], F op, int valid)
    {
        left(in, out, op, valid, nullptr);
    }
    template <int n, class O, class F> void SubtractLeftPartialTile(T (&in)[n], O (&out)[n], F op, int valid, T before)
    {
        left(in, out, op, valid, &before);
    }
    template <int n, class O, class F> void SubtractRight(T (&in)[n], O (&out)[n], F op)
    {
        right(in, out, op, whole * n, nullptr);
    }
    template <int n, class O, class F> void SubtractRight(T (&in)[n], O (&out)[n], F op, T behind)
    {
        right(in, out, op, whole * n, &behind);
    }
    template <int n, class O, class F> void SubtractRightPartialTile(T (&in)[n], O (&out)[n], F op, int valid)
    {
        right(in, out, op, valid, nullptr);
    }
};

/* Runs of a value and a length each, decoded in windows of X * most items. */
template <class T, int X, int runs, int most, class O = unsigned, int Y = 1, int Z = 1> class BlockRunLengthDecode {
    typedef __cu_block_threads<X, Y, Z> threads;
    enum { count = X * Y * Z * runs };
    struct Storage_ { typename threads::Storage at; T value[count]; O end[count]; };
    Storage_ &storage;
    threads all;

public:
    struct TempStorage : Storage_ {};
    template <class L, class S>
    BlockRunLengthDecode(TempStorage &s, T (&values)[runs], L (&lengths)[runs], S &total, int line = __builtin_LINE())
        : storage(s), all(s.at, line)
    {
        struct record { T *value; L *length; S total; } own = {values, lengths, S()};
        all.run(own, [&](auto of) {
            O sum = 0;
            for (int t = 0, k = 0; t < threads::count; t++)
                for (int i = 0; i < runs; i++, k++) {
                    storage.value[k] = of(t).value[i];
                    storage.end[k] = sum += (O)of(t).length[i];
                }
            for (int t = 0; t < threads::count; t++) of(t).total = (S)sum;
            __cu_wrote(storage.value, sizeof storage.value, all.line);
            __cu_wrote(storage.end, sizeof storage.end, all.line);
        });
        total = own.total;
    }
    template <class R> void RunLengthDecode(T (&items)[most], R (&place)[most], O from = 0)
    {
        for (int i = 0; i < most; i++) {
            const O at = from + (O)(all.rank * most + i);
            const int k = UpperBound(storage.end, (int)count, at), run = k < count ? k : count - 1;
            items[i] = storage.value[run];
            place[i] = (R)(at - (run ? storage.end[run - 1] : 0));
        }
    }
    void RunLengthDecode(T (&items)[most], O from = 0)
    {
        O place[most];
        RunLengthDecode(items, place, from);
    }
};

} // namespace cub
