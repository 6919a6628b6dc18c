/* Scans of rows and of columns for one type and operation. Taken in once for each with
 *   T              an element as stored, A what is gathered, NAME(f) the functions' names
 *   LOAD, STORE    an element as A, and back;  JOIN(a, b) the operation;  NOTHING: its identity
 *   CHAINS         as many pieces of a tile are scanned beside one another, whose first values come from their sums: a
 *                  chain of additions alone would wait for each of them. 1: strictly one after the other
 * (scan_cpu.c undefines them). */

/* All of n elements joined: the value that a tile leaves to the next one. */
static A NAME(total)(const T *x, int64_t n)
{
    const int64_t each = n / CHAINS;
    A a[CHAINS], sum = NOTHING;
    for (int k = 0; k < CHAINS; k++) a[k] = NOTHING;
    for (int64_t i = 0; i < each; i++)
        UNROLL for (int k = 0; k < CHAINS; k++) a[k] = JOIN(a[k], LOAD(x[k * each + i]));
    for (int k = 0; k < CHAINS; k++) sum = JOIN(sum, a[k]);
    for (int64_t i = CHAINS * each; i < n; i++) sum = JOIN(sum, LOAD(x[i]));
    return sum;
}

/* n elements from `before` on. */
static void NAME(tile)(const T *x, T *to, int64_t n, A before)
{
    int64_t each = CHAINS > 1 && n >= 16 * CHAINS ? n / CHAINS : 0;
    A a[CHAINS];
    if (each) {
        A sum[CHAINS];
        for (int k = 0; k < CHAINS; k++) sum[k] = NOTHING;
        for (int64_t i = 0; i < each; i++)
            UNROLL for (int k = 0; k < CHAINS; k++) sum[k] = JOIN(sum[k], LOAD(x[k * each + i]));
        a[0] = before;
        for (int k = 1; k < CHAINS; k++) a[k] = JOIN(a[k - 1], sum[k - 1]);
        for (int64_t i = 0; i < each; i++)
            UNROLL for (int k = 0; k < CHAINS; k++) {
                a[k] = JOIN(a[k], LOAD(x[k * each + i]));
                to[k * each + i] = STORE(a[k]);
            }
        before = a[CHAINS - 1];
    }
    for (int64_t i = CHAINS * each; i < n; i++) {
        before = JOIN(before, LOAD(x[i]));
        to[i] = STORE(before);
    }
}

/* Tile `t` of each row; its sum goes to totals[], or the tile is scanned from what stands there. */
static void NAME(run_tile)(const job *j, int64_t t, bool sums)
{
    const int64_t row = t / j->tiles, first = t % j->tiles * j->tile;
    const int64_t n = j->s->n - first < j->tile ? j->s->n - first : j->tile;
    const T *x = (const T *)j->s->from + row * j->s->n + first;
    A *totals = j->totals;
    if (sums) totals[t] = NAME(total)(x, n);
    else NAME(tile)(x, (T *)j->s->to + row * j->s->n + first, n, totals ? totals[t] : NOTHING);
}

/* From each tile's sum to what stands before it. */
static void NAME(offsets)(const job *j)
{
    A *totals = j->totals;
    for (int64_t row = 0; row < j->s->outer; row++) {
        A sum = NOTHING;
        for (int64_t t = row * j->tiles; t < (row + 1) * j->tiles; t++) {
            const A here = totals[t];
            totals[t] = sum;
            sum = JOIN(sum, here);
        }
    }
}

/* Columns first .. first + count of one of the outer places, side by side. */
static void NAME(columns)(const job *j, int64_t outer, int64_t first, int count)
{
    A a[COLUMNS];
    const T *x = (const T *)j->s->from + outer * j->s->n * j->s->inner + first;
    T *to = (T *)j->s->to + outer * j->s->n * j->s->inner + first;
    for (int k = 0; k < count; k++) a[k] = NOTHING;
    for (int64_t i = 0; i < j->s->n; i++, x += j->s->inner, to += j->s->inner)
        for (int k = 0; k < count; k++) {
            a[k] = JOIN(a[k], LOAD(x[k]));
            to[k] = STORE(a[k]);
        }
}

static const kernels NAME(kernels) = {NAME(run_tile), NAME(offsets), NAME(columns), sizeof(A), CHAINS > 1};

#undef T
#undef A
#undef NAME
#undef LOAD
#undef STORE
#undef JOIN
#undef NOTHING
#undef CHAINS
