/* The CPU's inner loops for one element type; a template that signal_simd.c includes once for each.
 *
 * Parameters: T, the element; NAME(f); MAC(acc, a, k), one vector step; PARTS, 1 or, for complex numbers
 * (T is then the type of a part), 2. Undefines them. All sizes here are in T. Every result adds its products
 * with ky, then kx ascending, whichever path computes it, so that its bits do not depend on where a tile ends.
 *
 * Complex numbers are read as interleaved reals: one accumulator sums a * re(k), the other a * im(k), both in real
 * arithmetic; at the end the second one, its parts exchanged, is added to the first. */

typedef T NAME(vec) __attribute__((vector_size(VECTOR_BYTES)));
typedef T NAME(loose) __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(T)), may_alias));
#define LANES ((int64_t)(VECTOR_BYTES / sizeof(T)))
#define V_TALL (TALL_REGISTERS / 4 / PARTS) /* vectors of a row in a block of 4 rows */
#define V_FLAT (8 / PARTS)                  /* in a block of 1 row */

/* Adds one row of the image, times one row of the kernel for each of the result's rows lo..hi. `k` is the
 * kernel row that belongs to result row 0; row r's lies r rows above it. */
INLINE void NAME(sweep)(NAME(vec) *acc, const T *row, const T *k, int64_t ks, int64_t kw, int v_count,
                       int64_t v_step, int lo, int hi)
{
    for (int64_t x = 0; x < kw; x++, row += PARTS, k += PARTS) {
        NAME(vec) a[8];
        UNROLL for (int v = 0; v < v_count; v++) a[v] = *(const NAME(loose) *)(row + v * v_step);
        UNROLL for (int r = lo; r <= hi; r++) UNROLL for (int p = 0; p < PARTS; p++) {
            NAME(vec) c = CPI_SPLAT(NAME(vec), k[p - r * ks]);
            NAME(vec) *s = acc + (r * PARTS + p) * v_count;
            UNROLL for (int v = 0; v < v_count; v++) s[v] = MAC(s[v], a[v], c);
        }
    }
}

#if PARTS == 2
/* a + i*b for interleaved a and b. */
INLINE NAME(vec) NAME(merge)(NAME(vec) a, NAME(vec) b)
{
    NAME(vec) swapped = b, sign = b;
    for (int i = 0; i < LANES; i++) swapped[i] = b[i ^ 1], sign[i] = i & 1 ? 1 : -1;
    return a + sign * swapped;
}
#endif

/* One block of r_count rows by v_count vectors at a stride of v_step. */
INLINE void NAME(cell)(const cpi_signal_tile *t, const T *src, T *dst, int r_count, int v_count, int64_t v_step)
{
    const T *k = t->kernel;
    int64_t ss = t->source_stride, ks = t->kernel_stride, kw = t->kw;
    NAME(vec) acc[16];
    UNROLL for (int i = 0; i < r_count * PARTS * v_count; i++) acc[i] = (NAME(vec)){0};
    if (PARTS == 1 && t->accumulate)
        UNROLL for (int r = 0; r < r_count; r++) UNROLL for (int v = 0; v < v_count; v++)
            acc[r * v_count + v] = *(const NAME(loose) *)(dst + r * t->result_stride + v * v_step);
    if (r_count == 1) {
        for (int64_t y = 0; y < t->kh; y++) NAME(sweep)(acc, src + y * ss, k + y * ks, ks, kw, v_count, v_step, 0, 0);
    } else { /* image row y serves result rows max(0, y - kh + 1) .. min(3, y); kh is at least 4 */
        const T *s = src;
        NAME(sweep)(acc, s, k, ks, kw, v_count, v_step, 0, 0), s += ss, k += ks;
        NAME(sweep)(acc, s, k, ks, kw, v_count, v_step, 0, 1), s += ss, k += ks;
        NAME(sweep)(acc, s, k, ks, kw, v_count, v_step, 0, 2), s += ss, k += ks;
        for (int64_t y = 3; y < t->kh; y++, s += ss, k += ks) NAME(sweep)(acc, s, k, ks, kw, v_count, v_step, 0, 3);
        NAME(sweep)(acc, s, k, ks, kw, v_count, v_step, 1, 3), s += ss, k += ks;
        NAME(sweep)(acc, s, k, ks, kw, v_count, v_step, 2, 3), s += ss, k += ks;
        NAME(sweep)(acc, s, k, ks, kw, v_count, v_step, 3, 3);
    }
    UNROLL for (int r = 0; r < r_count; r++) UNROLL for (int v = 0; v < v_count; v++) {
        NAME(loose) *d = (NAME(loose) *)(dst + r * t->result_stride + v * v_step);
#if PARTS == 2
        NAME(vec) sum = NAME(merge)(acc[2 * r * v_count + v], acc[(2 * r + 1) * v_count + v]);
        if (t->accumulate) sum += *d;
        *d = sum;
#else
        *d = acc[r * v_count + v];
#endif
    }
}

#if PARTS == 1
#define LINE_STEP (4 * V_TALL * LANES)
/* A long kernel of one row, for LINE_STEP results. As a plane of LANES taps a row it reads every image vector
 * once for four result vectors: image and result are then planes too, with a row stride of LANES. The taps that fill no
 * row come last, as they would anyway. Returns false, with nothing done, if the kernel is short. */
static __attribute__((noinline)) bool NAME(line)(const cpi_signal_tile *t, const T *src, T *dst)
{
    cpi_signal_tile plane = *t, rest = *t;
    plane.kh = t->kw / LANES;
    if (t->kh != 1 || plane.kh < 4) return false;
    plane.kw = plane.kernel_stride = plane.source_stride = plane.result_stride = LANES;
    NAME(cell)(&plane, src, dst, 4, V_TALL, 4 * LANES);
    int64_t done = plane.kh * LANES;
    rest.kernel = (const T *)t->kernel + done;
    rest.kw = t->kw - done;
    rest.accumulate = true;
    for (int64_t x = 0; x < LINE_STEP && rest.kw; x += V_FLAT * LANES)
        NAME(cell)(&rest, src + done + x, dst + x, 1, V_FLAT, LANES);
    return true;
}
#endif

/* All blocks of a tile, down each strip of columns in turn: a strip of the image stays in the L1 cache. */
static void NAME(tile)(const cpi_signal_tile *t)
{
    int64_t tall = t->kh >= 4 ? t->rows / 4 * 4 : 0, x = 0;
    const T *src = t->source;
    T *dst = t->result;
    int64_t ss = t->source_stride, ds = t->result_stride;
#if PARTS == 1
    for (; x + LINE_STEP <= t->cols; x += LINE_STEP) {
        int64_t y = 0;
        while (y < t->rows && NAME(line)(t, src + y * ss + x, dst + y * ds + x)) y++;
        if (y < t->rows) break; /* a short kernel, at the first row */
    }
#undef LINE_STEP
#endif
    for (; x + V_FLAT * LANES <= t->cols; x += V_FLAT * LANES) {
        for (int64_t y = 0; y < tall; y += 4)
            for (int64_t i = x; i < x + V_FLAT * LANES; i += V_TALL * LANES)
                NAME(cell)(t, src + y * ss + i, dst + y * ds + i, 4, V_TALL, LANES);
        for (int64_t y = tall; y < t->rows; y++) NAME(cell)(t, src + y * ss + x, dst + y * ds + x, 1, V_FLAT, LANES);
    }
    for (; x < t->cols; x += LANES) {
        for (int64_t y = 0; y < tall; y += 4) NAME(cell)(t, src + y * ss + x, dst + y * ds + x, 4, 1, LANES);
        for (int64_t y = tall; y < t->rows; y++) NAME(cell)(t, src + y * ss + x, dst + y * ds + x, 1, 1, LANES);
    }
}

#undef LANES
#undef V_TALL
#undef V_FLAT
#undef T
#undef NAME
#undef MAC
#undef PARTS
