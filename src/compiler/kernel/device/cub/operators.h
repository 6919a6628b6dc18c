/* Operators, pairs, loads and stores of <cub/...>, and work that one thread does alone. */
#pragma once
#include <cub/group.h>

namespace cub {

struct NullType {
    template <class T> NullType &operator=(const T &) { return *this; }
    bool operator==(const NullType &) const { return true; }
    bool operator!=(const NullType &) const { return false; }
};
template <int n> struct Int2Type { enum { VALUE = n }; };
template <class T> struct Uninitialized {
    alignas(T) char storage[sizeof(T)];
    T &Alias() { return *(T *)this; }
};
template <class K, class V> struct KeyValuePair {
    typedef K Key;
    typedef V Value;
    K key;
    V value;
    bool operator!=(const KeyValuePair &b) const { return value != b.value || key != b.key; }
    bool operator==(const KeyValuePair &b) const { return value == b.value && key == b.key; }
};

struct Sum { template <class A, class B> auto operator()(A &&a, B &&b) const { return a + b; } };
struct Difference { template <class A, class B> auto operator()(A &&a, B &&b) const { return a - b; } };
struct Division { template <class A, class B> auto operator()(A &&a, B &&b) const { return a / b; } };
struct Equality { template <class A, class B> bool operator()(A &&a, B &&b) const { return a == b; } };
struct Inequality { template <class A, class B> bool operator()(A &&a, B &&b) const { return a != b; } };
struct Max { template <class T> T operator()(const T &a, const T &b) const { return a < b ? b : a; } };
struct Min { template <class T> T operator()(const T &a, const T &b) const { return b < a ? b : a; } };
template <class F> struct InequalityWrapper {
    F op;
    InequalityWrapper(F op) : op(op) {}
    template <class A, class B> bool operator()(A &&a, B &&b) { return !op(a, b); }
};
template <class F> struct SwizzleScanOp {
    F op;
    SwizzleScanOp(F op) : op(op) {}
    template <class T> T operator()(const T &a, const T &b) { return op(b, a); }
};
template <class B> struct CastOp { template <class A> B operator()(A &&a) const { return (B)a; } };
/* Of equal values that of the lower key. */
struct ArgMax {
    template <class T, class O> KeyValuePair<O, T> operator()(const KeyValuePair<O, T> &a,
                                                              const KeyValuePair<O, T> &b) const
    {
        return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
struct ArgMin {
    template <class T, class O> KeyValuePair<O, T> operator()(const KeyValuePair<O, T> &a,
                                                              const KeyValuePair<O, T> &b) const
    {
        return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
template <class F> struct ReduceBySegmentOp {
    F op;
    ReduceBySegmentOp() {}
    ReduceBySegmentOp(F op) : op(op) {}
    template <class P> P operator()(const P &a, const P &b)
    {
        P r;
        r.key = a.key + b.key;
        r.value = b.key ? b.value : op(a.value, b.value);
        return r;
    }
};
template <class F> struct ReduceByKeyOp {
    F op;
    ReduceByKeyOp() {}
    ReduceByKeyOp(F op) : op(op) {}
    template <class P> P operator()(const P &a, const P &b)
    {
        P r = b;
        if (a.key == b.key) r.value = op(a.value, b.value);
        return r;
    }
};

/* --- the place of a thread, lanes, bits --- */

static inline unsigned LaneId() { return __cu_lane(::__ctx); }
static inline int RowMajorTid(int x, int y, int z)
{
    return (int)((z > 1 ? ::__ctx.t.z * x * y : 0) + (y > 1 ? ::__ctx.t.y * x : 0) + ::__ctx.t.x);
}
static inline unsigned WarpId()
{
    return (::__ctx.t.x + ::__ctx.bd.x * (::__ctx.t.y + ::__ctx.bd.y * ::__ctx.t.z)) / 32;
}
static inline unsigned LaneMaskLt() { return (1u << LaneId()) - 1; }
static inline unsigned LaneMaskLe() { return LaneMaskLt() | 1u << LaneId(); }
static inline unsigned LaneMaskGe() { return ~LaneMaskLt(); }
static inline unsigned LaneMaskGt() { return ~LaneMaskLe(); }
template <int n> static inline unsigned WarpMask(unsigned warp)
{
    const unsigned mask = ~0u >> (32 - n);
    return (n & (n - 1)) == 0 && n < 32 ? mask << warp * n : mask;
}
/* What lane `from` brings. */
template <class T> static inline T __cu_from_lane(unsigned mask, const T &v, unsigned from, int line)
{
    T r;
    for (unsigned i = 0; i < sizeof(T); i += 8) {
        unsigned long long word = 0;
        const unsigned n = sizeof(T) - i < 8 ? sizeof(T) - i : 8;
        __builtin_memcpy(&word, (const char *)&v + i, n);
        const unsigned long long *all = __cu_wait(::__ctx.worker->host->exchange(::__ctx.worker, line, mask, word));
        __builtin_memcpy((char *)&r + i, &all[from & 31], n);
    }
    return r;
}
template <int n, class T> static inline T ShuffleIndex(T v, int lane, unsigned mask,
                                                              int line = __builtin_LINE())
{
    return __cu_from_lane(mask, v, __cu_idx_lane(LaneId(), lane, n), line);
}
/* From lanes below `first` or above `last` nothing comes: the own value stays. */
template <int n, class T> static inline T ShuffleUp(T v, int by, int first, unsigned mask,
                                                           int line = __builtin_LINE())
{
    const int lane = (int)LaneId(), from = (lane & (n - 1)) - by;
    return __cu_from_lane(mask, v, from < first ? lane : lane - by, line);
}
template <int n, class T> static inline T ShuffleDown(T v, int by, int last, unsigned mask,
                                                             int line = __builtin_LINE())
{
    const int lane = (int)LaneId(), from = (lane & (n - 1)) + by;
    return __cu_from_lane(mask, v, from > last ? lane : lane + by, line);
}
template <class T> static inline unsigned BFE(T v, unsigned start, unsigned n)
{
    return (unsigned)((unsigned long long)v >> start & ((1ull << n) - 1));
}
static inline unsigned PRMT(unsigned a, unsigned b, unsigned s) { return __byte_perm(a, b, s); }
static inline unsigned SHL_ADD(unsigned x, unsigned shift, unsigned add) { return (x << shift) + add; }
static inline unsigned SHR_ADD(unsigned x, unsigned shift, unsigned add) { return (x >> shift) + add; }

/* --- loads and stores --- */

enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
template <CacheLoadModifier how, class I> static inline auto ThreadLoad(I p)
{
    auto v = *p;
    return v;
}
template <CacheStoreModifier how, class I, class T> static inline void ThreadStore(I p, T v) { *p = v; }

template <class I, class T, int n> static inline void LoadDirectBlocked(int t, I from, T (&v)[n])
{
    for (int i = 0; i < n; i++) v[i] = from[t * n + i];
}
template <class I, class T, int n> static inline void LoadDirectBlocked(int t, I from, T (&v)[n], int valid)
{
    for (int i = 0; i < n; i++)
        if (t * n + i < valid) v[i] = from[t * n + i];
}
template <class I, class T, int n, class D>
static inline void LoadDirectBlocked(int t, I from, T (&v)[n], int valid, D none)
{
    for (int i = 0; i < n; i++) v[i] = none;
    LoadDirectBlocked(t, from, v, valid);
}
template <class T, int n> static inline void LoadDirectBlockedVectorized(int t, T *from, T (&v)[n])
{
    LoadDirectBlocked(t, from, v);
}
template <int threads, class I, class T, int n> static inline void LoadDirectStriped(int t, I from, T (&v)[n])
{
    for (int i = 0; i < n; i++) v[i] = from[t + i * threads];
}
template <int threads, class I, class T, int n>
static inline void LoadDirectStriped(int t, I from, T (&v)[n], int valid)
{
    for (int i = 0; i < n; i++)
        if (t + i * threads < valid) v[i] = from[t + i * threads];
}
template <int threads, class I, class T, int n, class D>
static inline void LoadDirectStriped(int t, I from, T (&v)[n], int valid, D none)
{
    for (int i = 0; i < n; i++) v[i] = none;
    LoadDirectStriped<threads>(t, from, v, valid);
}
static inline int __cu_warp_striped(int t, int n, int i) { return t / 32 * 32 * n + i * 32 + t % 32; }
template <class I, class T, int n> static inline void LoadDirectWarpStriped(int t, I from, T (&v)[n])
{
    for (int i = 0; i < n; i++) v[i] = from[__cu_warp_striped(t, n, i)];
}
template <class I, class T, int n> static inline void LoadDirectWarpStriped(int t, I from, T (&v)[n], int valid)
{
    for (int i = 0; i < n; i++)
        if (__cu_warp_striped(t, n, i) < valid) v[i] = from[__cu_warp_striped(t, n, i)];
}
template <class I, class T, int n, class D>
static inline void LoadDirectWarpStriped(int t, I from, T (&v)[n], int valid, D none)
{
    for (int i = 0; i < n; i++) v[i] = none;
    LoadDirectWarpStriped(t, from, v, valid);
}
template <class I, class T, int n>
static inline void StoreDirectBlocked(int t, I to, T (&v)[n], int valid = 0x7fffffff)
{
    for (int i = 0; i < n; i++)
        if (t * n + i < valid) to[t * n + i] = v[i];
}
template <class T, int n> static inline void StoreDirectBlockedVectorized(int t, T *to, T (&v)[n])
{
    StoreDirectBlocked(t, to, v);
}
template <int threads, class I, class T, int n>
static inline void StoreDirectStriped(int t, I to, T (&v)[n], int valid = 0x7fffffff)
{
    for (int i = 0; i < n; i++)
        if (t + i * threads < valid) to[t + i * threads] = v[i];
}
template <class I, class T, int n>
static inline void StoreDirectWarpStriped(int t, I to, T (&v)[n], int valid = 0x7fffffff)
{
    for (int i = 0; i < n; i++)
        if (__cu_warp_striped(t, n, i) < valid) to[__cu_warp_striped(t, n, i)] = v[i];
}

/* --- by one thread --- */

template <class T, int n, class F> static inline T ThreadReduce(const T (&v)[n], F op)
{
    T r = v[0];
    for (int i = 1; i < n; i++) r = op(r, v[i]);
    return r;
}
template <class T, int n, class F, class P> static inline T ThreadReduce(const T (&v)[n], F op, P prefix)
{
    T r = prefix;
    for (int i = 0; i < n; i++) r = op(r, v[i]);
    return r;
}
namespace internal {
using cub::ThreadReduce;
template <class T, int n, class F> static inline T ThreadScanInclusive(const T (&in)[n], T (&out)[n], F op)
{
    T r = in[0];
    out[0] = r;
    for (int i = 1; i < n; i++) out[i] = r = op(r, in[i]);
    return r;
}
template <class T, int n, class F>
static inline T ThreadScanInclusive(const T (&in)[n], T (&out)[n], F op, T prefix, bool use = true)
{
    T r = in[0];
    out[0] = r = use ? op(prefix, r) : r;
    for (int i = 1; i < n; i++) out[i] = r = op(r, in[i]);
    return r;
}
template <class T, int n, class F>
static inline T ThreadScanExclusive(const T (&in)[n], T (&out)[n], F op, T prefix, bool = true)
{
    T r = prefix;
    for (int i = 0; i < n; i++) {
        T v = in[i];
        out[i] = r;
        r = op(r, v);
    }
    return r;
}
} // namespace internal
using internal::ThreadScanExclusive;
using internal::ThreadScanInclusive;
template <class I, class O, class T> static inline O LowerBound(I in, O n, T v)
{
    O from = 0;
    while (n > 0) {
        const O half = n >> 1;
        if (in[from + half] < v) from = from + half + 1, n = n - half - 1;
        else n = half;
    }
    return from;
}
template <class I, class O, class T> static inline O UpperBound(I in, O n, T v)
{
    O from = 0;
    while (n > 0) {
        const O half = n >> 1;
        if (v < in[from + half]) n = half;
        else from = from + half + 1, n = n - half - 1;
    }
    return from;
}
template <class A, class B, class O, class P>
static inline void MergePathSearch(O diagonal, A a, B b, O na, O nb, P &place)
{
    O low = diagonal > nb ? diagonal - nb : 0, high = diagonal < na ? diagonal : na;
    while (low < high) {
        const O pivot = (low + high) >> 1;
        if (a[pivot] <= b[diagonal - pivot - 1]) low = pivot + 1;
        else high = pivot;
    }
    place.x = low < na ? low : na;
    place.y = diagonal - low;
}

} // namespace cub
