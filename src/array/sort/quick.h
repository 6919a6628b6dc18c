/* Quicksort of unsigned keys, a text that sort_simd.c includes once per width.
 *
 * Needs: KEY (type), BITS, NAME(f), and VECTOR 1 where vectors.h has vectors of that width.
 * Keys move between their place and scratch without being copied back: n keys lie at `p`, belong to `d`, and `f`
 * is as large and free; d is p or f. A split packs one side in place, behind the reads, and the other side into f,
 * which never takes more than the n places there (stores of whole registers included, since of i + lanes <= n
 * keys read not all went to one side, or the other has none). Afterwards each side is in the same situation
 * again. Every turn of the loop makes the rest smaller; when pivots are bad for 2*log2(n) turns, radix passes
 * finish in linear time. */

#if VECTOR
enum { NAME(lanes) = CPI_KEY_VECTOR_BITS / BITS, NAME(leaf_size) = 16 * NAME(lanes) };

/* v[i] <= v[j] in every lane */
#define PAIR(i, j)                                                                                                     \
    do {                                                                                                               \
        q_vector low = NAME(min)(v[i], v[j]);                                                                          \
        v[j] = NAME(max)(v[i], v[j]);                                                                                  \
        v[i] = low;                                                                                                    \
    } while (0)

/* Sorts every lane over k registers by the shortest networks known. */
static inline __attribute__((always_inline)) void NAME(columns)(q_vector *v, int k)
{
    if (k == 2) {
        PAIR(0, 1);
    } else if (k == 4) {
        PAIR(0, 2);
        PAIR(1, 3);
        PAIR(0, 1);
        PAIR(2, 3);
        PAIR(1, 2);
    } else if (k == 8) {
        PAIR(0, 2);
        PAIR(1, 3);
        PAIR(4, 6);
        PAIR(5, 7);
        PAIR(0, 4);
        PAIR(1, 5);
        PAIR(2, 6);
        PAIR(3, 7);
        PAIR(0, 1);
        PAIR(2, 3);
        PAIR(4, 5);
        PAIR(6, 7);
        PAIR(2, 4);
        PAIR(3, 5);
        PAIR(1, 4);
        PAIR(3, 6);
        PAIR(1, 2);
        PAIR(3, 4);
        PAIR(5, 6);
    } else if (k == 16) {
        PAIR(0, 5);
        PAIR(1, 4);
        PAIR(2, 12);
        PAIR(3, 13);
        PAIR(6, 7);
        PAIR(8, 9);
        PAIR(10, 15);
        PAIR(11, 14);
        PAIR(0, 2);
        PAIR(1, 10);
        PAIR(3, 6);
        PAIR(4, 7);
        PAIR(5, 14);
        PAIR(8, 11);
        PAIR(9, 12);
        PAIR(13, 15);
        PAIR(0, 8);
        PAIR(1, 3);
        PAIR(2, 11);
        PAIR(4, 13);
        PAIR(5, 9);
        PAIR(6, 10);
        PAIR(7, 15);
        PAIR(12, 14);
        PAIR(0, 1);
        PAIR(2, 4);
        PAIR(3, 8);
        PAIR(5, 6);
        PAIR(7, 12);
        PAIR(9, 10);
        PAIR(11, 13);
        PAIR(14, 15);
        PAIR(1, 3);
        PAIR(2, 5);
        PAIR(4, 8);
        PAIR(6, 9);
        PAIR(7, 11);
        PAIR(10, 13);
        PAIR(12, 14);
        PAIR(1, 2);
        PAIR(3, 5);
        PAIR(4, 11);
        PAIR(6, 8);
        PAIR(7, 9);
        PAIR(10, 12);
        PAIR(13, 14);
        PAIR(2, 3);
        PAIR(4, 5);
        PAIR(6, 7);
        PAIR(8, 9);
        PAIR(10, 11);
        PAIR(12, 13);
        PAIR(4, 6);
        PAIR(5, 7);
        PAIR(8, 10);
        PAIR(9, 11);
        PAIR(3, 4);
        PAIR(5, 6);
        PAIR(7, 8);
        PAIR(9, 10);
        PAIR(11, 12);
    }
}

/* Place (lane, register) counts lane * k + register. Merges sorted blocks of `width` / 2 lanes: the first stage
 * meets the mirrored place, the others halve the distance, first over lanes, then over registers. */
static inline __attribute__((always_inline)) void NAME(merge_sums)(q_vector *v, int k, int width)
{
    q_vector t[16];
#pragma GCC unroll 16
    for (int i = 0; i < k; i++) t[i] = NAME(swap)(v[k - 1 - i], width - 1);
#pragma GCC unroll 16
    for (int i = 0; i < k; i++) v[i] = NAME(meet)(v[i], t[i], width / 2);
#pragma GCC unroll 4
    for (int d = width / 4; d >= 1; d /= 2)
#pragma GCC unroll 16
        for (int i = 0; i < k; i++) v[i] = NAME(meet)(v[i], NAME(swap)(v[i], d), d);
#pragma GCC unroll 4
    for (int d = k / 2; d >= 1; d /= 2)
#pragma GCC unroll 16
        for (int i = 0; i < k; i++)
            if (!(i & d)) PAIR(i, i + d);
}

/* From places to the order of memory: registers are interleaved. */
static inline __attribute__((always_inline)) void NAME(interleave)(q_vector *v, int k)
{
    q_vector t[16];
#pragma GCC unroll 4
    for (int stage = 1; stage < k; stage *= 2) {
#pragma GCC unroll 16
        for (int i = 0; i < k / 2; i++) {
            t[2 * i] = NAME(zip_low)(v[i], v[i + k / 2]);
            t[2 * i + 1] = NAME(zip_high)(v[i], v[i + k / 2]);
        }
#pragma GCC unroll 16
        for (int i = 0; i < k; i++) v[i] = t[i];
    }
}

static inline __attribute__((always_inline)) void NAME(network)(const KEY *a, KEY *to, int n, int k)
{
    q_vector v[16], ones = q_ones();
#pragma GCC unroll 16
    for (int i = 0; i < k; i++) v[i] = NAME(load_part)(ones, n - i * NAME(lanes), a + i * NAME(lanes));
    NAME(columns)(v, k);
#pragma GCC unroll 4
    for (int width = 2; width <= NAME(lanes); width *= 2) NAME(merge_sums)(v, k, width);
    NAME(interleave)(v, k);
#pragma GCC unroll 16
    for (int i = 0; i < k; i++) NAME(store_part)(to + i * NAME(lanes), n - i * NAME(lanes), v[i]);
}

static void NAME(leaf)(const KEY *a, KEY *to, int64_t n)
{
    if (n <= NAME(lanes))
        NAME(network)(a, to, (int)n, 1);
    else if (n <= 2 * NAME(lanes))
        NAME(network)(a, to, (int)n, 2);
    else if (n <= 4 * NAME(lanes))
        NAME(network)(a, to, (int)n, 4);
    else if (n <= 8 * NAME(lanes))
        NAME(network)(a, to, (int)n, 8);
    else
        NAME(network)(a, to, (int)n, 16);
}
#undef PAIR

/* Keys of one side of the pivot stay (packed) in a, those of the other go to `other`; keys equal to the pivot are
 * above it, or below with `equal`. Returns the number below. */
static inline __attribute__((always_inline)) int64_t NAME(split)(KEY *a, int64_t n, KEY pivot, bool equal,
                                                                 bool keep_low, KEY *other)
{
    enum { L = NAME(lanes) };
    q_vector p = NAME(set1)(pivot);
    int64_t kept = 0, i = 0; /* i - kept keys went to other */
#pragma GCC unroll 4
    for (; i + L <= n; i += L) {
        const q_vector v = q_load(a + i);
        const unsigned below = equal ? NAME(le)(v, p) : NAME(lt)(v, p), all = (1u << L) - 1;
        const unsigned keep = keep_low ? below : below ^ all;
        q_store(a + kept, NAME(compress)(keep, v));
        q_store(other + (i - kept), NAME(compress)(keep ^ all, v));
        kept += __builtin_popcount(keep);
    }
    for (; i < n; i++) {
        KEY v = a[i];
        other[i - kept] = v;
        a[kept] = v;
        kept += (equal ? v <= pivot : v < pivot) == keep_low;
    }
    return keep_low ? kept : n - kept;
}
#else
enum { NAME(leaf_size) = 24 };

static void NAME(leaf)(const KEY *a, KEY *to, int64_t n)
{
    if (to != a) memcpy(to, a, (size_t)n * sizeof *a);
    for (int64_t i = 1; i < n; i++) {
        KEY v = to[i];
        int64_t j = i;
        for (; j > 0 && to[j - 1] > v; j--) to[j] = to[j - 1];
        to[j] = v;
    }
}

static inline __attribute__((always_inline)) int64_t NAME(split)(KEY *a, int64_t n, KEY pivot, bool equal,
                                                                 bool keep_low, KEY *other)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        KEY v = a[i];
        other[i - kept] = v;
        a[kept] = v;
        kept += (equal ? v <= pivot : v < pivot) == keep_low;
    }
    return keep_low ? kept : n - kept;
}
#endif

/* Least significant digit first, 8 bits a pass; digits that all keys share are passed over. */
static void NAME(radix)(KEY *a, int64_t n, KEY *scratch)
{
    KEY *from = a, *to = scratch;
    for (int shift = 0; shift < BITS; shift += 8) {
        int64_t at[256] = {0}, sum = 0;
        for (int64_t i = 0; i < n; i++) at[(unsigned char)(from[i] >> shift)]++;
        if (at[(unsigned char)(from[0] >> shift)] == n) continue;
        for (int d = 0; d < 256; d++) {
            int64_t c = at[d];
            at[d] = sum;
            sum += c;
        }
        for (int64_t i = 0; i < n; i++) to[at[(unsigned char)(from[i] >> shift)]++] = from[i];
        KEY *t = from;
        from = to;
        to = t;
    }
    if (from != a) memcpy(a, from, (size_t)n * sizeof *a);
}

static KEY NAME(pivot)(const KEY *a, int64_t n)
{
    KEY sample[64];
    int count = n < 2048 ? 15 : 63;
    int64_t step = n / count;
    for (int i = 0; i < count; i++) sample[i] = a[i * step + step / 2];
    NAME(leaf)(sample, sample, count);
    return sample[count / 2];
}

static void NAME(quick)(KEY *p, int64_t n, KEY *d, KEY *f, int turns)
{
    bool equal = false;
    KEY pivot = 0;
    while (n > NAME(leaf_size)) {
        if (turns-- <= 0) {
            NAME(radix)(p, n, f);
            if (d != p) memcpy(d, p, (size_t)n * sizeof *d);
            return;
        }
        if (!equal) pivot = NAME(pivot)(p, n);
        bool home = d == p;
        int64_t low = home ? equal ? NAME(split)(p, n, pivot, true, true, f) : NAME(split)(p, n, pivot, false, true, f)
                      : equal ? NAME(split)(p, n, pivot, true, false, f)
                              : NAME(split)(p, n, pivot, false, false, f);
        int64_t high = n - low;
        KEY *rest = home ? f : p; /* the upper side; its place is free */
        /* with `equal` the lower side is all pivots, and where it belongs */
        if (low && !equal) NAME(quick)(d, low, d, (home ? f : p) + high, turns);
        equal = low == 0; /* the pivot is the smallest: next its equals are split off */
        p = rest;
        d = f = d + low;
        n = high;
    }
    NAME(leaf)(p, d, n);
}

static void NAME(sort)(void *keys, int64_t n, void *scratch)
{
    if (n < 2) return;
    if (!VECTOR && BITS <= 64 && n >= (BITS == 32 ? 128 : 256)) {
        NAME(radix)(keys, n, scratch);
        return;
    }
    NAME(quick)(keys, n, keys, scratch, 2 * (64 - __builtin_clzll((unsigned long long)n)));
}

#if VECTOR
static void NAME(bin_groups)(KEY *p, int64_t n, KEY *d, KEY *f, const KEY *splitters, int lo, int hi, int64_t *counts)
{
    if (hi - lo == 1) {
        counts[lo] = n;
        if (d != p) memcpy(d, p, (size_t)n * sizeof *d);
        return;
    }
    int mid = (lo + hi) / 2;
    bool home = d == p;
    int64_t low = home ? NAME(split)(p, n, splitters[mid - 1], false, true, f)
                       : NAME(split)(p, n, splitters[mid - 1], false, false, f);
    KEY *upper = home ? f : p;
    NAME(bin_groups)(d, low, d, upper + (n - low), splitters, lo, mid, counts);
    NAME(bin_groups)(upper, n - low, d + low, d + low, splitters, mid, hi, counts);
}

static void NAME(three_way)(void *keys, int64_t n, const void *splitters, int groups, int64_t *counts, void *scratch)
{
    NAME(bin_groups)(keys, n, keys, scratch, splitters, 0, groups, counts);
}
#else
static void NAME(three_way)(void *keys, int64_t n, const void *splitters, int groups, int64_t *counts, void *scratch)
{
    KEY s[CPI_SORT_GROUPS], *a = keys, *out = scratch;
    uint8_t *group = (uint8_t *)(out + n);
    int64_t at[CPI_SORT_GROUPS], sum = 0;
    for (int g = 0; g < CPI_SORT_GROUPS; g++) s[g] = g < groups - 1 ? ((const KEY *)splitters)[g] : (KEY) ~(KEY)0;
    memset(counts, 0, (size_t)groups * sizeof *counts);
    for (int64_t i = 0; i < n; i++) { /* how many splitters are not above the key */
        KEY key = a[i];
        int g = 0;
#pragma GCC unroll 6
        for (int step = CPI_SORT_GROUPS / 2; step; step /= 2) g += (s[g + step - 1] <= key) * step;
        g = g < groups ? g : groups - 1;
        group[i] = (uint8_t)g;
        counts[g]++;
    }
    for (int g = 0; g < groups; g++) {
        at[g] = sum;
        sum += counts[g];
    }
    for (int64_t i = 0; i < n; i++) out[at[group[i]]++] = a[i];
    memcpy(a, out, (size_t)n * sizeof *a);
}
#endif

#undef KEY
#undef BITS
#undef NAME
#undef VECTOR
