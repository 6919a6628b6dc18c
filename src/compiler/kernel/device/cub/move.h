/* BlockLoad, BlockStore, BlockExchange, BlockShuffle, and those of a warp. */
#pragma once
#include <cub/operators.h>

namespace cub {

enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};
enum WarpLoadAlgorithm { WARP_LOAD_DIRECT, WARP_LOAD_STRIPED, WARP_LOAD_VECTORIZE, WARP_LOAD_TRANSPOSE };
enum WarpStoreAlgorithm { WARP_STORE_DIRECT, WARP_STORE_STRIPED, WARP_STORE_VECTORIZE, WARP_STORE_TRANSPOSE };

template <class T, int n, int threads, bool striped> struct __cu_loads {
    template <class I> static void load(unsigned t, I from, T (&v)[n])
    {
        if constexpr (striped) LoadDirectStriped<threads>((int)t, from, v);
        else LoadDirectBlocked((int)t, from, v);
    }
    template <class I> static void load(unsigned t, I from, T (&v)[n], int valid)
    {
        if constexpr (striped) LoadDirectStriped<threads>((int)t, from, v, valid);
        else LoadDirectBlocked((int)t, from, v, valid);
    }
    template <class I, class D> static void load(unsigned t, I from, T (&v)[n], int valid, D none)
    {
        if constexpr (striped) LoadDirectStriped<threads>((int)t, from, v, valid, none);
        else LoadDirectBlocked((int)t, from, v, valid, none);
    }
    template <class I> static void store(unsigned t, I to, T (&v)[n], int valid)
    {
        if constexpr (striped) StoreDirectStriped<threads>((int)t, to, v, valid);
        else StoreDirectBlocked((int)t, to, v, valid);
    }
};

/* Those that transpose on a GPU meet there, so programs may load and store in one place. */
template <class T, int X, int n, BlockLoadAlgorithm how = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1, int = 0>
class BlockLoad {
    typedef __cu_block_threads<X, Y, Z> threads;
    typedef __cu_loads<T, n, X * Y * Z, how == BLOCK_LOAD_STRIPED> loads;
    threads all;
    void met() const
    {
        if (how > BLOCK_LOAD_VECTORIZE) all.sync();
    }

public:
    struct TempStorage : threads::TempStorage {};
    BlockLoad(int line = __builtin_LINE()) : all(__cu_private<typename threads::Storage>(), line) {}
    BlockLoad(TempStorage &s, int line = __builtin_LINE()) : all(s, line) {}
    template <class I> void Load(I from, T (&v)[n]) { loads::load(all.rank, from, v), met(); }
    template <class I> void Load(I from, T (&v)[n], int valid) { loads::load(all.rank, from, v, valid), met(); }
    template <class I, class D> void Load(I from, T (&v)[n], int valid, D none)
    {
        loads::load(all.rank, from, v, valid, none);
        met();
    }
};
template <class T, int X, int n, BlockStoreAlgorithm how = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1, int = 0>
class BlockStore {
    typedef __cu_block_threads<X, Y, Z> threads;
    typedef __cu_loads<T, n, X * Y * Z, how == BLOCK_STORE_STRIPED> loads;
    threads all;
    void meet() const
    {
        if (how > BLOCK_STORE_VECTORIZE) all.sync();
    }

public:
    struct TempStorage : threads::TempStorage {};
    BlockStore(int line = __builtin_LINE()) : all(__cu_private<typename threads::Storage>(), line) {}
    BlockStore(TempStorage &s, int line = __builtin_LINE()) : all(s, line) {}
    template <class I> void Store(I to, T (&v)[n]) { meet(), loads::store(all.rank, to, v, 0x7fffffff); }
    template <class I> void Store(I to, T (&v)[n], int valid) { meet(), loads::store(all.rank, to, v, valid); }
};
template <class T, int n, WarpLoadAlgorithm how = WARP_LOAD_DIRECT, int size = 32, int = 0> class WarpLoad {
    typedef __cu_warp_threads<size> threads;
    typedef __cu_loads<T, n, size, how == WARP_LOAD_STRIPED> loads;
    threads all;

public:
    typedef typename threads::TempStorage TempStorage;
    WarpLoad(int line = __builtin_LINE()) : all(line) {}
    WarpLoad(TempStorage &, int line = __builtin_LINE()) : all(line) {}
    template <class I> void Load(I from, T (&v)[n]) { loads::load(all.rank, from, v), all.sync(); }
    template <class I> void Load(I from, T (&v)[n], int valid) { loads::load(all.rank, from, v, valid), all.sync(); }
    template <class I, class D> void Load(I from, T (&v)[n], int valid, D none)
    {
        loads::load(all.rank, from, v, valid, none);
        all.sync();
    }
};
template <class T, int n, WarpStoreAlgorithm how = WARP_STORE_DIRECT, int size = 32, int = 0> class WarpStore {
    typedef __cu_warp_threads<size> threads;
    typedef __cu_loads<T, n, size, how == WARP_STORE_STRIPED> loads;
    threads all;

public:
    typedef typename threads::TempStorage TempStorage;
    WarpStore(int line = __builtin_LINE()) : all(line) {}
    WarpStore(TempStorage &, int line = __builtin_LINE()) : all(line) {}
    template <class I> void Store(I to, T (&v)[n]) { all.sync(), loads::store(all.rank, to, v, 0x7fffffff); }
    template <class I> void Store(I to, T (&v)[n], int valid) { all.sync(), loads::store(all.rank, to, v, valid); }
};

/* --- exchanges --- */

/* Where item i of thread t, of `threads` with n items each, is in the order of all items. */
struct __cu_blocked { static int place(int t, int i, int, int n) { return t * n + i; } };
struct __cu_striped { static int place(int t, int i, int threads, int) { return i * threads + t; } };
struct __cu_striped_warps {
    static int place(int t, int i, int threads, int n)
    {
        const int warp = t / 32, rest = threads - warp * 32, width = rest < 32 ? rest : 32;
        return warp * 32 * n + i * width + t % 32;
    }
};
template <class G, class T, int n> class __cu_exchanges {
    enum { threads = G::count };
    G all;

    /* What lies at a place in the order From comes to the same place in the order To. */
    template <class From, class To, class U> void moved(const T *in, U *out)
    {
        struct record { const T *in; U *out; } own = {in, out};
        all.run(own, [&](auto of) {
            __cu_buffer<T> items((long)threads * n);
            for (int t = 0; t < threads; t++)
                for (int i = 0; i < n; i++) items[From::place(t, i, threads, n)] = of(t).in[i];
            for (int t = 0; t < threads; t++)
                for (int i = 0; i < n; i++) of(t).out[i] = items[To::place(t, i, threads, n)];
        });
    }
    /* Items go to the places `rank`; those that nothing came to keep what they have. */
    template <class To, class U, class R, class V>
    void scattered(const T *in, U *out, const R *rank, const V *valid, bool guarded)
    {
        struct record { const T *in; U *out; const R *rank; const V *valid; } own = {in, out, rank, valid};
        all.run(own, [&](auto of) {
            __cu_buffer<T> items((long)threads * n);
            __cu_buffer<bool> there((long)threads * n);
            for (int i = 0; i < threads * n; i++) there[i] = false;
            for (int t = 0; t < threads; t++)
                for (int i = 0; i < n; i++) {
                    const record &r = of(t);
                    if ((r.valid && !r.valid[i]) || (guarded && (long)r.rank[i] < 0)) continue;
                    items[r.rank[i]] = r.in[i];
                    there[r.rank[i]] = true;
                }
            for (int t = 0; t < threads; t++)
                for (int i = 0; i < n; i++) {
                    const int place = To::place(t, i, threads, n);
                    if (there[place]) of(t).out[i] = items[place];
                }
        });
    }

public:
    __cu_exchanges(const G &g) : all(g) {}
#define __CU_MOVE(name, From, To)                                                                \
    template <class U> void name(const T(&in)[n], U(&out)[n]) { moved<From, To>(in, out); }      \
    void name(T(&v)[n]) { moved<From, To>(v, v); }
    __CU_MOVE(StripedToBlocked, __cu_striped, __cu_blocked)
    __CU_MOVE(BlockedToStriped, __cu_blocked, __cu_striped)
    __CU_MOVE(WarpStripedToBlocked, __cu_striped_warps, __cu_blocked)
    __CU_MOVE(BlockedToWarpStriped, __cu_blocked, __cu_striped_warps)
#undef __CU_MOVE
#define __CU_SCATTER(name, To, guarded)                                                              \
    template <class U, class R> void name(const T(&in)[n], U(&out)[n], const R(&rank)[n])            \
    {                                                                                                \
        scattered<To>(in, out, rank, (const bool *)nullptr, guarded);                                \
    }                                                                                                \
    template <class R> void name(T(&v)[n], const R(&rank)[n])                                        \
    {                                                                                                \
        scattered<To>(v, v, rank, (const bool *)nullptr, guarded);                                   \
    }
    __CU_SCATTER(ScatterToBlocked, __cu_blocked, false)
    __CU_SCATTER(ScatterToStriped, __cu_striped, false)
    __CU_SCATTER(ScatterToStripedGuarded, __cu_striped, true)
#undef __CU_SCATTER
    template <class U, class R, class V>
    void ScatterToStripedFlagged(const T (&in)[n], U (&out)[n], const R (&rank)[n], const V (&valid)[n])
    {
        scattered<__cu_striped>(in, out, rank, valid, false);
    }
    template <class R, class V> void ScatterToStripedFlagged(T (&v)[n], const R (&rank)[n], const V (&valid)[n])
    {
        scattered<__cu_striped>(v, v, rank, valid, false);
    }
};

template <class T, int X, int n, bool = false, int Y = 1, int Z = 1, int = 0>
struct BlockExchange : __cu_exchanges<__cu_block_threads<X, Y, Z>, T, n> {
    typedef __cu_block_threads<X, Y, Z> threads;
    struct TempStorage : threads::TempStorage {};
    BlockExchange(int line = __builtin_LINE())
        : __cu_exchanges<threads, T, n>(threads(__cu_private<typename threads::Storage>(), line))
    {
    }
    BlockExchange(TempStorage &s, int line = __builtin_LINE()) : __cu_exchanges<threads, T, n>(threads(s, line)) {}
};
enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };
template <class T, int n, int size = 32, WarpExchangeAlgorithm = WARP_EXCHANGE_SMEM>
struct WarpExchange : __cu_exchanges<__cu_warp_threads<size>, T, n> {
    typedef typename __cu_warp_threads<size>::TempStorage TempStorage;
    explicit WarpExchange(TempStorage &, int line = __builtin_LINE())
        : __cu_exchanges<__cu_warp_threads<size>, T, n>(__cu_warp_threads<size>(line))
    {
    }
};

/* --- shuffles --- */

template <class T, int X, int Y = 1, int Z = 1, int = 0> class BlockShuffle {
    typedef __cu_block_threads<X, Y, Z> threads;
    threads all;
    struct record { const T *in; T *out; T *end; };
    template <int n> void up(const T *in, T *out, T *suffix)
    {
        record own = {in, out, suffix};
        all.run(own, [&](auto of) {
            const T last = of(threads::count - 1).in[n - 1];
            for (int t = threads::count - 1; t >= 0; t--) {
                const T before = t ? of(t - 1).in[n - 1] : of(0).out[0];
                for (int i = n - 1; i > 0; i--) of(t).out[i] = of(t).in[i - 1];
                of(t).out[0] = before;
                if (of(t).end) *of(t).end = last;
            }
        });
    }
    template <int n> void down(const T *in, T *out, T *prefix)
    {
        record own = {in, out, prefix};
        all.run(own, [&](auto of) {
            const T first = of(0).in[0];
            for (int t = 0; t < threads::count; t++) {
                const T behind = t + 1 < threads::count ? of(t + 1).in[0] : of(t).out[n - 1];
                for (int i = 0; i + 1 < n; i++) of(t).out[i] = of(t).in[i + 1];
                of(t).out[n - 1] = behind;
                if (of(t).end) *of(t).end = first;
            }
        });
    }

public:
    struct TempStorage : threads::TempStorage {};
    BlockShuffle(int line = __builtin_LINE()) : all(__cu_private<typename threads::Storage>(), line) {}
    BlockShuffle(TempStorage &s, int line = __builtin_LINE()) : all(s, line) {}
    /* Of the thread `by` behind, where there is one. */
    void Offset(T in, T &out, int by = 1)
    {
        all.storage.at[all.rank] = &in;
        all.sync();
        const int from = (int)all.rank + by;
        if (from >= 0 && from < threads::count) out = read(from);
        all.sync();
    }
    void Rotate(T in, T &out, unsigned by = 1)
    {
        all.storage.at[all.rank] = &in;
        all.sync();
        out = read((int)((all.rank + by) % threads::count));
        all.sync();
    }
    template <int n> void Up(T (&in)[n], T (&before)[n]) { up<n>(in, before, nullptr); }
    template <int n> void Up(T (&in)[n], T (&before)[n], T &suffix) { up<n>(in, before, &suffix); }
    template <int n> void Down(T (&in)[n], T (&behind)[n]) { down<n>(in, behind, nullptr); }
    template <int n> void Down(T (&in)[n], T (&behind)[n], T &prefix) { down<n>(in, behind, &prefix); }

private:
    T read(int from) const
    {
        __cu_unchecked unchecked;
        return *(const T *)all.storage.at[from];
    }
};

} // namespace cub
