/* The GPU's scan kernels.
 *
 * A warp takes a segment of a row: K times 32 vectors of V elements. A vector is 16 bytes of the result, so that
 * neighbouring lanes read and write neighbouring vectors. A block's warps take adjacent segments, which form a tile,
 * and advance tile by tile. A long row is cut into chunks of several tiles. `sums` computes the total of each chunk.
 * `rows` scans each chunk, starting from the totals of the chunks before it; every block sums these again, which
 * costs less than a third launch or than one block waiting for another. For columns, adjacent threads take adjacent
 * columns, which are cut into chunks in the same way.
 *
 * Invariants: the order of operations follows from the sizes alone, so the same input gives the same bits. Where the
 * traits are `ordered`, elements are joined in their order, otherwise in any. Memory of other rows is not touched. A
 * tile is read before it is written, so source and result may be the same.
 *
 * The traits W of a scan: In and Out, the elements as stored; A, the accumulator; load, store, nothing() (the identity)
 * and join. They are made of a `mode`, so that several operations and types share a kernel:
 *   1: NaN counts as nothing() (real, complexes)
 *   the bits in which the sign bit of an extended element is (widened); 1: products (whole_of_few_bits)
 *   bits that are flipped before elements are compared, and after it (choice_of_whole)
 *   BITS_AND, BITS_OR or BITS_XOR (bits, truth) */
#ifndef CPI_SCAN_RUNS_CUH
#define CPI_SCAN_RUNS_CUH

namespace runs {

typedef long long wide;
enum { THREADS = 512, COLUMNS = 128, BATCH = 8 };

template <class T, int N> struct alignas(sizeof(T) * N) pack { T v[N]; };

/* --- accumulators, exchanged between lanes --- */

struct pair { double re, im; };
struct begun_pair { double re, im; int begun; };

template <class A> __device__ __forceinline__ A from_lane(A a, int lane) { return __shfl_sync(0xffffffffu, a, lane); }
template <class A> __device__ __forceinline__ A from_before(A a, int d) { return __shfl_up_sync(0xffffffffu, a, d); }
template <class A> __device__ __forceinline__ A from_behind(A a, int d) { return __shfl_down_sync(0xffffffffu, a, d); }
__device__ __forceinline__ pair from_lane(pair a, int lane)
{
    return pair{from_lane(a.re, lane), from_lane(a.im, lane)};
}
__device__ __forceinline__ pair from_before(pair a, int d) { return pair{from_before(a.re, d), from_before(a.im, d)}; }
__device__ __forceinline__ pair from_behind(pair a, int d) { return pair{from_behind(a.re, d), from_behind(a.im, d)}; }
__device__ __forceinline__ begun_pair from_lane(begun_pair a, int lane)
{
    return begun_pair{from_lane(a.re, lane), from_lane(a.im, lane), from_lane(a.begun, lane)};
}
__device__ __forceinline__ begun_pair from_before(begun_pair a, int d)
{
    return begun_pair{from_before(a.re, d), from_before(a.im, d), from_before(a.begun, d)};
}
__device__ __forceinline__ begun_pair from_behind(begun_pair a, int d)
{
    return begun_pair{from_behind(a.re, d), from_behind(a.im, d), from_behind(a.begun, d)};
}

/* --- traits --- */

typedef unsigned long long mode_type;

/* A stored bool as a number. */
struct flag {
    unsigned char b;
    __device__ __forceinline__ operator unsigned() const { return b != 0; }
};

/* Sums and products of integers of the width of U, from elements F that are converted to it. They wrap. */
template <class F, class U, bool MULTIPLY> struct whole {
    typedef F In;
    typedef U Out;
    typedef decltype(U() + 0u) A;
    static constexpr bool ordered = false;
    explicit __device__ __forceinline__ whole(mode_type) {}
    __device__ __forceinline__ A load(In x) const { return (A)x; }
    __device__ __forceinline__ Out store(A a) const { return (Out)a; }
    __device__ __forceinline__ A nothing() const { return MULTIPLY ? 1 : 0; }
    __device__ __forceinline__ A join(A a, A b) const { return MULTIPLY ? a * b : a + b; }
};

/* The same from unsigned and from signed elements of the width of F: `mode` is the sign bit of these, else 0. */
template <class F, bool MULTIPLY> struct widened : whole<F, mode_type, MULTIPLY> {
    typedef whole<F, mode_type, MULTIPLY> base;
    unsigned sign;
    explicit __device__ __forceinline__ widened(mode_type mode) : base(mode), sign((unsigned)mode) {}
    __device__ __forceinline__ mode_type load(F x) const { return (mode_type)(long long)(x ^ sign) - sign; }
};

/* Sums and products of integers of 8 and 16 bits, which wrap. */
template <class U> struct whole_of_few_bits {
    typedef U In;
    typedef U Out;
    typedef unsigned A;
    static constexpr bool ordered = false;
    bool multiplies;
    explicit __device__ __forceinline__ whole_of_few_bits(mode_type mode) : multiplies(mode != 0) {}
    __device__ __forceinline__ A load(In x) const { return x; }
    __device__ __forceinline__ Out store(A a) const { return (Out)a; }
    __device__ __forceinline__ A nothing() const { return multiplies; }
    __device__ __forceinline__ A join(A a, A b) const { return multiplies ? a * b : a + b; }
};

/* One expression for all operations: the bits in which the operands differ, and those that both have. */
enum { BITS_AND, BITS_OR, BITS_XOR };
template <class U> struct bits {
    typedef U In;
    typedef U Out;
    typedef decltype(U() + 0u) A;
    static constexpr bool ordered = false;
    A different, both;
    explicit __device__ __forceinline__ bits(mode_type mode)
        : different(mode == BITS_AND ? (A)0 : ~(A)0), both(mode == BITS_XOR ? (A)0 : ~(A)0)
    {
    }
    __device__ __forceinline__ A load(In x) const { return x; }
    __device__ __forceinline__ Out store(A a) const { return (Out)a; }
    __device__ __forceinline__ A nothing() const { return ~different; }
    __device__ __forceinline__ A join(A a, A b) const { return ((a ^ b) & different) | (a & b & both); }
};
struct truth : bits<unsigned char> {
    explicit __device__ __forceinline__ truth(mode_type mode) : bits<unsigned char>(mode) {}
    __device__ __forceinline__ A load(In x) const { return x != 0; }
    __device__ __forceinline__ A nothing() const { return ~different & 1; }
};

template <class F, bool MULTIPLY> struct real {
    typedef F In;
    typedef F Out;
    typedef double A;
    static constexpr bool ordered = false;
    bool known;
    explicit __device__ __forceinline__ real(mode_type mode) : known(mode != 0) {}
    __device__ __forceinline__ A load(In x) const { return known && x != x ? (MULTIPLY ? 1.0 : 0.0) : x; }
    __device__ __forceinline__ Out store(A a) const { return (Out)a; }
    __device__ __forceinline__ A nothing() const { return MULTIPLY ? 1.0 : -0.0; }
    __device__ __forceinline__ A join(A a, A b) const { return MULTIPLY ? a * b : a + b; }
};

template <class C, bool MULTIPLY> struct complexes;
template <class C> struct complexes<C, false> {
    typedef C In;
    typedef C Out;
    typedef pair A;
    static constexpr bool ordered = false;
    bool known;
    explicit __device__ __forceinline__ complexes(mode_type mode) : known(mode != 0) {}
    __device__ __forceinline__ A load(In x) const
    {
        return known && (x.re != x.re || x.im != x.im) ? pair{0, 0} : pair{x.re, x.im};
    }
    __device__ __forceinline__ Out store(A a) const
    {
        Out r;
        r.re = (decltype(r.re))a.re, r.im = (decltype(r.im))a.im;
        return r;
    }
    __device__ __forceinline__ A nothing() const { return pair{-0.0, -0.0}; }
    __device__ __forceinline__ A join(A a, A b) const { return pair{a.re + b.re, a.im + b.im}; }
};
/* The first factor is the first element, not 1 times it: that would be NaN where a part is infinite. */
template <class C> struct complexes<C, true> {
    typedef C In;
    typedef C Out;
    typedef begun_pair A;
    static constexpr bool ordered = false;
    bool known;
    explicit __device__ __forceinline__ complexes(mode_type mode) : known(mode != 0) {}
    __device__ __forceinline__ A load(In x) const
    {
        return known && (x.re != x.re || x.im != x.im) ? begun_pair{1, 0, 1} : begun_pair{x.re, x.im, 1};
    }
    __device__ __forceinline__ Out store(A a) const
    {
        Out r;
        r.re = (decltype(r.re))a.re, r.im = (decltype(r.im))a.im;
        return r;
    }
    __device__ __forceinline__ A nothing() const { return begun_pair{0, 0, 0}; }
    __device__ __forceinline__ A join(A a, A b) const
    {
        if (!a.begun) return b;
        if (!b.begun) return a;
        return begun_pair{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re, 1};
    }
};

/* The larger or the smaller of integers: the larger as an unsigned number, of elements whose bits are flipped as `mode`
 * has them: the sign bit of signed ones, all bits for the smaller. */
template <class U> struct choice_of_whole {
    typedef U In;
    typedef U Out;
    typedef decltype(U() + 0u) A;
    static constexpr bool ordered = false;
    A flip;
    explicit __device__ __forceinline__ choice_of_whole(mode_type mode) : flip((U)mode) {}
    __device__ __forceinline__ A load(In x) const { return x ^ flip; }
    __device__ __forceinline__ Out store(A a) const { return (Out)(a ^ flip); }
    __device__ __forceinline__ A nothing() const { return 0; }
    __device__ __forceinline__ A join(A a, A b) const { return a >= b ? a : b; }
};

/* The same for floating-point numbers, which are not flipped: it would cost registers, and a half's NaN its sign. The
 * first NaN wins; with NUMBERS, NaN wins only if there is nothing else. nothing() is an infinity that loses to
 * everything, or a NaN that yields to any other. */
template <class T, bool NUMBERS, bool LEAST> struct choice_of_real {
    typedef T In;
    typedef T Out;
    typedef T A;
    static constexpr bool ordered = true;
    explicit __device__ __forceinline__ choice_of_real(mode_type) {}
    __device__ __forceinline__ A load(In x) const { return x; }
    __device__ __forceinline__ Out store(A a) const { return a; }
    __device__ __forceinline__ bool is_nothing(float a) const { return __float_as_int(a) == 0x7fffffff; }
    __device__ __forceinline__ bool is_nothing(double a) const
    {
        return __double2hiint(a) == 0x7fffffff && __double2loint(a) == -1;
    }
    __device__ __forceinline__ A nothing() const
    {
        if (!NUMBERS) return (A)__int_as_float(LEAST ? 0x7f800000 : (int)0xff800000);
        if (sizeof(A) == 4) return (A)__int_as_float(0x7fffffff);
        return (A)__hiloint2double(0x7fffffff, -1);
    }
    __device__ __forceinline__ A join(A a, A b) const
    {
        const bool first = LEAST ? a <= b : a >= b;
        if (!NUMBERS) return first || a != a ? a : b;
        return (first || b != b) && !is_nothing(a) ? a : b;
    }
};

/* --- segments --- */

template <class W> struct reach {
    static constexpr int V = 16 / sizeof(typename W::Out); /* In is not larger */
    static constexpr int MODULE = 128 / (V * (int)sizeof(typename W::A));
    static constexpr int MOST = V < 4 ? 4 : 8; /* registers for four resident blocks of 256 threads */
    static constexpr int K = MODULE > MOST ? MOST : MODULE < 2 ? 2 : MODULE;
    static constexpr int SEGMENT = 32 * V * K;
};

/* The lane's elements of the segment of x[0..n) that begins at `at`, which may be negative; nothing() outside the
 * range. aligned: whole vectors are aligned. */
template <class W>
__device__ __forceinline__ void take(typename W::A (&v)[reach<W>::K][reach<W>::V], const typename W::In *x, wide at,
                                     wide n, bool aligned, const W &w)
{
    typedef typename W::In In;
    enum { V = reach<W>::V, K = reach<W>::K };
    const wide own = at + (threadIdx.x & 31) * V;
    if (aligned && at >= 0 && at + reach<W>::SEGMENT <= n) {
        pack<In, V> raw[K];
#pragma unroll
        for (int c = 0; c < K; c++) raw[c] = *(const pack<In, V> *)(x + own + c * 32 * V);
#pragma unroll
        for (int c = 0; c < K; c++)
#pragma unroll
            for (int j = 0; j < V; j++) v[c][j] = w.load(raw[c].v[j]);
        return;
    }
#pragma unroll
    for (int c = 0; c < K; c++)
#pragma unroll
        for (int j = 0; j < V; j++) {
            const wide i = own + c * 32 * V + j;
            v[c][j] = i >= 0 && i < n ? w.load(x[i]) : w.nothing();
        }
}

/* Whole vectors are stored with a hint not to keep them in the cache, which holds what is read again. */
template <class W>
__device__ __forceinline__ void store_vectors(const typename W::A (&v)[reach<W>::V], typename W::Out *y, wide i,
                                              wide n, bool aligned, const W &w)
{
    typedef typename W::Out Out;
    enum { V = reach<W>::V };
    if (aligned && i >= 0 && i + V <= n) {
        union { pack<Out, V> out; uint4 all; } u;
#pragma unroll
        for (int j = 0; j < V; j++) u.out.v[j] = w.store(v[j]);
        __stcs((uint4 *)(y + i), u.all);
        return;
    }
#pragma unroll
    for (int j = 0; j < V; j++)
        if (i + j >= 0 && i + j < n) y[i + j] = w.store(v[j]);
}

template <class W> __device__ __forceinline__ typename W::A scanned_by_warp(typename W::A a, const W &w)
{
    const int lane = threadIdx.x & 31;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const typename W::A b = from_before(a, d);
        if (lane >= d) a = w.join(b, a);
    }
    return a;
}

/* The total of the warp; valid in lane 0. */
template <class W> __device__ __forceinline__ typename W::A joined_by_warp(typename W::A a, const W &w)
{
#pragma unroll
    for (int d = 1; d < 32; d *= 2) a = w.join(a, from_behind(a, d));
    return a;
}

/* From each warp's `a` in lane 0: the block's total, and in *before the total of the warps before this one. `ends`
 * has an element for each warp. The next call needs another buffer; the call after that may reuse this one. */
template <class W>
__device__ __forceinline__ typename W::A joined_by_block(typename W::A a, typename W::A *ends, typename W::A *before,
                                                           const W &w)
{
    const int lane = threadIdx.x & 31, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    if (!lane) ends[warp] = a;
    __syncthreads();
    const typename W::A scanned = scanned_by_warp<W>(lane < warps ? ends[lane] : w.nothing(), w);
    const typename W::A prior = from_lane(scanned, warp ? warp - 1 : 0);
    *before = warp ? prior : w.nothing();
    return from_lane(scanned, warps - 1);
}

/* Chunk p of row r of n elements. Tiles begin at the result's vector boundary at or before the row's first element. */
template <class W> struct chunk {
    wide first, end; /* positions, possibly negative */
    wide place;      /* offset of the row */
    int shift;
    __device__ __forceinline__ chunk(wide r, wide p, wide n, wide each, wide tile)
    {
        place = r * n;
        shift = (int)(place % reach<W>::V);
        first = p * each * tile - shift;
        end = first + each * tile < n ? first + each * tile : n;
    }
    /* Do x's vectors, shifted as the result's, lie at aligned addresses? */
    __device__ __forceinline__ bool aligned(const void *x, int size) const
    {
        return ((unsigned long long)x - (unsigned long long)(shift * size)) % (unsigned)(size * reach<W>::V) == 0;
    }
};

/* sums[r * nchunks + p]: the total of chunk p of row r, of `each` tiles. The last chunk of a row is skipped. A chunk
 * is read from its end, so that what `rows` reads first was read last. */
template <class W> __global__ void __launch_bounds__(THREADS)
sums(const typename W::In *from, wide n, wide nchunks, wide all, wide each, typename W::A *to, mode_type mode)
{
    const W w(mode);
    typedef typename W::A A;
    typedef typename W::In In;
    enum { V = reach<W>::V, K = reach<W>::K };
    __shared__ A ends[2][THREADS / 32];
    const wide tile = (wide)(blockDim.x / 32) * reach<W>::SEGMENT;
    int turn = 0;
    for (wide t = blockIdx.x; t < all; t += gridDim.x) {
        if (t % nchunks == nchunks - 1) continue;
        const chunk<W> own(t / nchunks, t % nchunks, n, each, tile);
        const In *x = from + own.place;
        const bool aligned = own.aligned(x, sizeof(In));
        A sum = w.nothing(), before;
        for (wide at = own.first + (each - 1) * tile; at >= own.first; at -= tile) {
            A v[K][V];
            take<W>(v, x, at + threadIdx.x / 32 * reach<W>::SEGMENT, n, aligned, w);
#pragma unroll
            for (int c = 0; c < K; c++)
#pragma unroll
                for (int j = 1; j < V; j++) v[c][0] = w.join(v[c][0], v[c][j]);
            if (W::ordered) {
                A all_of = w.nothing();
#pragma unroll
                for (int c = 0; c < K; c++) all_of = w.join(all_of, joined_by_warp<W>(v[c][0], w));
                all_of = joined_by_block<W>(all_of, ends[turn], &before, w);
                turn ^= 1;
                sum = w.join(all_of, sum);
            } else {
#pragma unroll
                for (int c = 0; c < K; c++) sum = w.join(sum, v[c][0]);
            }
        }
        if (!W::ordered) {
            sum = joined_by_warp<W>(sum, w);
            sum = joined_by_block<W>(sum, ends[turn], &before, w);
            turn ^= 1;
        }
        if (!threadIdx.x) to[t] = sum;
    }
}

/* Scans the chunks from the totals before them, the last chunk first. Where a row is one chunk, `before` is not
 * read. */
template <class W> __global__ void __launch_bounds__(THREADS)
rows(const typename W::In *from, typename W::Out *to, wide n, wide nchunks, wide all, wide each,
     const typename W::A *before, mode_type mode)
{
    const W w(mode);
    typedef typename W::A A;
    enum { V = reach<W>::V, K = reach<W>::K };
    __shared__ A ends[2][THREADS / 32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    const wide tile = (wide)(blockDim.x / 32) * reach<W>::SEGMENT;
    int turn = 0;
    for (wide back = blockIdx.x; back < all; back += gridDim.x) {
        const wide t = all - 1 - back, p = t % nchunks;
        const chunk<W> own(t / nchunks, p, n, each, tile);
        const typename W::In *x = from + own.place;
        typename W::Out *y = to + own.place;
        const bool in = own.aligned(x, sizeof(typename W::In)), out = own.aligned(y, sizeof(typename W::Out));
        A carry = w.nothing(), base;
        if (p) { /* neighbours stay in one thread, which keeps the order */
            const wide share = (p + blockDim.x - 1) / blockDim.x, last = (threadIdx.x + 1) * share;
            for (wide i = threadIdx.x * share; i < last && i < p; i++) carry = w.join(carry, before[t - p + i]);
            carry = joined_by_warp<W>(carry, w);
            carry = joined_by_block<W>(carry, ends[turn], &base, w);
            turn ^= 1;
        }
        for (wide first = own.first; first < own.end; first += tile) {
            const wide at = first + warp * reach<W>::SEGMENT;
            A v[K][V], start[K], run = w.nothing();
            take<W>(v, x, at, n, in, w);
#pragma unroll
            for (int c = 0; c < K; c++)
#pragma unroll
                for (int j = 1; j < V; j++) v[c][j] = w.join(v[c][j - 1], v[c][j]);
#pragma unroll
            for (int c = 0; c < K; c++) {
                const A a = scanned_by_warp<W>(v[c][V - 1], w), prior = from_before(a, 1), whole_of = from_lane(a, 31);
                start[c] = lane ? w.join(run, prior) : run;
                run = w.join(run, whole_of);
            }
            const A whole_of = joined_by_block<W>(run, ends[turn], &base, w);
            turn ^= 1;
            base = w.join(carry, base);
            carry = w.join(carry, whole_of);
#pragma unroll
            for (int c = 0; c < K; c++) {
                const A s = w.join(base, start[c]);
#pragma unroll
                for (int j = 0; j < V; j++) v[c][j] = w.join(s, v[c][j]);
                store_vectors<W>(v[c], y, at + (c * 32 + lane) * V, n, out, w);
            }
        }
    }
}

/* --- columns: column l has the elements column_first(l) + i * inner --- */

__device__ __forceinline__ wide column_first(wide l, wide n, wide inner) { return l / inner * n * inner + l % inner; }

/* to[p * lanes + l]: the total of chunk p of column l, of `each` elements, read from its end. The grid: columns, and
 * all chunks but the last. */
template <class W> __global__ void __launch_bounds__(COLUMNS)
column_sums(const typename W::In *from, wide lanes, wide n, wide inner, wide each, typename W::A *to, mode_type mode)
{
    const W w(mode);
    const wide l = (wide)blockIdx.x * COLUMNS + threadIdx.x, p = blockIdx.y;
    if (l >= lanes) return;
    const typename W::In *x = from + column_first(l, n, inner) + p * each * inner;
    typename W::A sum = w.nothing();
    wide i = each;
    for (; i >= BATCH; i -= BATCH) {
        typename W::In raw[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++) raw[k] = x[(i - BATCH + k) * inner];
        typename W::A batch = w.load(raw[0]);
#pragma unroll
        for (int k = 1; k < BATCH; k++) batch = w.join(batch, w.load(raw[k]));
        sum = w.join(batch, sum);
    }
    while (i-- > 0) sum = w.join(w.load(x[i * inner]), sum);
    to[p * lanes + l] = sum;
}

template <class W> __global__ void __launch_bounds__(COLUMNS)
columns(const typename W::In *from, typename W::Out *to, wide lanes, wide n, wide inner, wide each,
        const typename W::A *before, mode_type mode)
{
    const W w(mode);
    const wide p = gridDim.y - 1 - blockIdx.y, left = n - p * each, count = left < each ? left : each;
    for (wide l = (wide)blockIdx.x * COLUMNS + threadIdx.x; l < lanes; l += (wide)gridDim.x * COLUMNS) {
        const wide place = column_first(l, n, inner) + p * each * inner;
        const typename W::In *x = from + place;
        typename W::Out *y = to + place;
        typename W::A a = w.nothing();
#pragma unroll 4
        for (wide k = 0; k < p; k++) a = w.join(a, before[k * lanes + l]);
        wide i = 0;
        /* stores stand between the loads of two batches: unrolled, the loop is no faster and thrice as long */
#pragma unroll 1
        for (; i + BATCH <= count; i += BATCH) {
            typename W::In raw[BATCH];
#pragma unroll
            for (int k = 0; k < BATCH; k++) raw[k] = x[(i + k) * inner];
#pragma unroll
            for (int k = 0; k < BATCH; k++) {
                a = w.join(a, w.load(raw[k]));
                y[(i + k) * inner] = w.store(a);
            }
        }
#pragma unroll 1
        for (; i < count; i++) {
            a = w.join(a, w.load(x[i * inner]));
            y[i * inner] = w.store(a);
        }
    }
}

} // namespace runs

#endif
