/* Labelling by runs, included twice: INT is uint32_t where 31 bits number every run and position, else uint64_t;
 * NAME(f) is f with its width.
 *
 * A run is a maximal sequence of set bits of one line (one bit where neighbours along the line do not touch). Runs are
 * numbered in C order and never stored: a run's number is that of its line's first one plus a count of bits.
 * parent[] is a forest of runs whose roots are their trees' smallest runs: the first element of a component is the
 * start of its root, so roots taken in order give the labels. Inside a block of lines every run points at a root of the
 * block; joining blocks only changes the parents of those roots (settle). Finally a root's entry is TOP | label. */

#define TOP ((INT)1 << (sizeof(INT) * 8 - 1))

typedef struct NAME(forest) {
    const label_job *job;
    INT *first;   /* lines + 1: number of each line's first run */
    INT *parent;
    int64_t *base; /* bands + 1: labels given before each band */
} NAME(forest);

static inline INT NAME(root)(INT *parent, INT i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static inline void NAME(unite)(INT *parent, INT a, INT b)
{
    a = NAME(root)(parent, a);
    b = NAME(root)(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

static void NAME(bits_task)(void *context, int64_t block, int worker)
{
    NAME(forest) *f = context;
    const label_job *j = f->job;
    (void)worker;
    for (int64_t l = block * j->per_block, end = block_end(j, block); l < end; l++)
        f->first[l + 1] = (INT)CPI_ISA_NAME(cpi_line_bits)(j->x + l * j->width * j->size, line_width(j, l), j->size,
                                                           j->keep, j->joined, j->bits + l * j->words);
}

/* Hangs run c and run k of an earlier line together. */
static inline void NAME(pair)(INT *parent, INT c, INT k)
{
    INT pc = parent[c], pk = parent[k];
    if (pc == pk) return;
    if (pc == c)
        parent[c] = NAME(root)(parent, pk);
    else
        NAME(unite)(parent, pc, pk);
}

/* Unites the pairs of runs that the bits of `hit` stand for: bit b's run in a word of line l, and the run of bit
 * b + d of the line m. c and k are the numbers of runs that began before these words, `next_heads` is the
 * beginnings in the word behind. */
static inline void NAME(pairs)(INT *parent, uint64_t hit, int d, INT c, uint64_t heads, INT k, uint64_t up_heads,
                               uint64_t next_heads)
{
    while (hit) {
        int b = __builtin_ctzll(hit);
        hit &= hit - 1;
        uint64_t upto = ((uint64_t)2 << b) - 1; /* bits 0..b; b = 63: all */
        INT mine = c + (INT)__builtin_popcountll(heads & upto) - 1, other;
        if (d == 0)
            other = k + (INT)__builtin_popcountll(up_heads & upto) - 1;
        else if (d < 0)
            other = k + (INT)__builtin_popcountll(up_heads & upto >> 1) - 1;
        else
            other = k + (INT)__builtin_popcountll(up_heads & (upto << 1 | 1)) +
                    (b == 63 ? (INT)(next_heads & 1) : 0) - 1;
        NAME(pair)(parent, mine, other);
    }
}

/* Unites line l with line m before it, word by word. Where runs are joined, a pair that meets in several elements
 * is looked at once: at the first one of a segment, and beside it only where nothing meets straight on. */
static void NAME(meet)(const NAME(forest) *f, int64_t l, int64_t m, int reach)
{
    const label_job *j = f->job;
    const uint64_t *bits = j->bits + l * j->words, *up_bits = j->bits + m * j->words;
    bool joined = j->joined, thin = joined && (reach & CPI_REACH_SAME);
    INT c = f->first[l], k = f->first[m];
    uint64_t before = 0, up_before = 0, hit_before = 0, up = up_bits[0];
    for (int64_t i = 0; i < j->words; i++) {
        uint64_t w = bits[i], next = i + 1 < j->words ? up_bits[i + 1] : 0;
        uint64_t left = w << 1 | before, up_left = up << 1 | up_before, up_right = up >> 1 | next << 63;
        uint64_t heads = joined ? w & ~left : w, up_heads = joined ? up & ~up_left : up;
        uint64_t next_heads = joined ? next & ~(up >> 63) : next;
        if (w && (reach & CPI_REACH_SAME)) {
            uint64_t hit = w & up;
            NAME(pairs)(f->parent, joined ? hit & ~(hit << 1 | hit_before) : hit, 0, c, heads, k, up_heads, 0);
            hit_before = hit >> 63;
        } else {
            hit_before = 0;
        }
        if (w && (reach & CPI_REACH_BACK))
            NAME(pairs)(f->parent, thin ? heads & up_left & ~up : w & up_left, -1, c, heads, k, up_heads, 0);
        if (w && (reach & CPI_REACH_AHEAD)) {
            uint64_t right = w >> 1 | (i + 1 < j->words ? bits[i + 1] << 63 : 0);
            NAME(pairs)(f->parent, thin ? w & ~right & up_right & ~up : w & up_right, 1, c, heads, k, up_heads,
                        next_heads);
        }
        c += (INT)__builtin_popcountll(heads);
        k += (INT)__builtin_popcountll(up_heads);
        before = w >> 63;
        up_before = up >> 63;
        up = next;
    }
}

/* Unites line l with its neighbours in lines low..high-1. */
static void NAME(join)(const NAME(forest) *f, const position *at, int64_t l, int64_t low, int64_t high)
{
    const label_job *j = f->job;
    INT c = f->first[l];
    if (c == f->first[l + 1]) return;
    if (j->chopped) {
        const uint64_t *bits = j->bits + l * j->words;
        if (l - 1 >= low && l - 1 < high && j->joined && (bits[0] & 1) && bits[-1] >> 63)
            NAME(pair)(f->parent, c, c - 1);
        return;
    }
    for (int i = 0; i < j->plan->neighbours; i++) {
        const cpi_neighbour *n = &j->plan->neighbour[i];
        int64_t m = l - n->delta;
        if (m >= low && m < high && !(n->minus & at->low) && !(n->plus & at->high) && f->first[m] != f->first[m + 1])
            NAME(meet)(f, l, m, n->reach);
    }
}

static void NAME(block_task)(void *context, int64_t block, int worker)
{
    NAME(forest) *f = context;
    const label_job *j = f->job;
    (void)worker;
    int64_t begin = block * j->per_block, end = block_end(j, block);
    position at;
    position_start(&at, j->plan, begin);
    for (int64_t l = begin; l < end; l++, position_next(&at, j->plan)) {
        for (INT i = f->first[l]; i < f->first[l + 1]; i++) f->parent[i] = i;
        NAME(join)(f, &at, l, begin, l);
    }
    for (INT i = f->first[begin]; i < f->first[end]; i++) f->parent[i] = f->parent[f->parent[i]];
}

/* Where a band meets earlier ones; one thread, because trees of all bands grow together here. */
static void NAME(join_row_blocks)(const NAME(forest) *f)
{
    const label_job *j = f->job;
    int64_t far = j->chopped ? 1 : 0;
    for (int i = 0; i < j->plan->neighbours; i++)
        if (j->plan->neighbour[i].delta > far) far = j->plan->neighbour[i].delta;
    for (int64_t block = 1; block < j->blocks; block++) {
        int64_t begin = block * j->per_block, end = block_end(j, block);
        if (end - begin > far) end = begin + far;
        position at;
        position_start(&at, j->plan, begin);
        for (int64_t l = begin; l < end; l++, position_next(&at, j->plan)) NAME(join)(f, &at, l, 0, begin);
    }
}

static void NAME(count_task)(void *context, int64_t block, int worker)
{
    NAME(forest) *f = context;
    (void)worker;
    int64_t n = 0;
    INT end = f->first[block_end(f->job, block)];
    for (INT i = f->first[block * f->job->per_block]; i < end; i++) n += f->parent[i] == i;
    f->base[block + 1] = n;
}

static void NAME(number_task)(void *context, int64_t block, int worker)
{
    NAME(forest) *f = context;
    (void)worker;
    INT label = (INT)f->base[block], end = f->first[block_end(f->job, block)];
    for (INT i = f->first[block * f->job->per_block]; i < end; i++)
        if (f->parent[i] == i) f->parent[i] = TOP | ++label;
}

/* After that: makes every entry of a band a label or one step from a label. Entries that lead out of the band
 * become labels. Other bands do the same meanwhile: an entry read is the one before or the final one. */
static void NAME(settle)(const NAME(forest) *f, INT begin, INT end)
{
    INT *parent = f->parent;
    for (INT i = begin; i < end; i++) {
        INT p = parent[i];
        if (p & TOP) continue;
        if (p >= begin) {
            INT q = parent[p]; /* settled before: a label, or a step from one */
            if (!(q & TOP)) __atomic_store_n(&parent[i], q, __ATOMIC_RELAXED);
            continue;
        }
        while (!(p & TOP)) p = __atomic_load_n(&parent[p], __ATOMIC_RELAXED);
        __atomic_store_n(&parent[i], p, __ATOMIC_RELAXED);
    }
}

static inline INT NAME(label_of)(const INT *parent, INT i)
{
    INT p = parent[i];
    return parent[p & TOP ? i : p] & ~TOP;
}

#define T uint8_t
#include "ndimage/label_write.inc"
#define T uint16_t
#include "ndimage/label_write.inc"
#define T uint32_t
#include "ndimage/label_write.inc"
#define T uint64_t
#include "ndimage/label_write.inc"

static void NAME(write_task)(void *context, int64_t block, int worker)
{
    NAME(forest) *f = context;
    const label_job *j = f->job;
    (void)worker;
    uint64_t buffer[SEGMENT + 8];
    int64_t begin = block * j->per_block, end = block_end(j, block);
    NAME(settle)(f, f->first[begin], f->first[end]);
    for (int64_t l = begin; l < end; l++)
        switch (j->out_size) {
        case 1: NAME(line_uint8_t)(f, l, buffer); break;
        case 2: NAME(line_uint16_t)(f, l, buffer); break;
        case 4: NAME(line_uint32_t)(f, l, buffer); break;
        default: NAME(line_uint64_t)(f, l, buffer); break;
        }
    if (j->stream) CPI_ISA_NAME(cpi_stream_fence)();
}

/* All of it; the job's bits have memory. */
static cp_code NAME(label_all)(const label_job *j, int64_t *count)
{
    NAME(forest) f = {.job = j};
    f.first = cpi_calloc((size_t)j->lines + 1, sizeof(INT));
    f.base = cpi_calloc((size_t)j->blocks + 1, sizeof(int64_t));
    cp_code code = f.first && f.base ? CP_OK : CP_ERROR_MEMORY;
    if (code == CP_OK) {
        cpi_parallel(j->blocks, NAME(bits_task), &f);
        for (int64_t l = 0; l < j->lines; l++) f.first[l + 1] += f.first[l];
        size_t runs = (size_t)f.first[j->lines];
        f.parent = cpi_work_alloc(j->stream_of, runs * sizeof(INT));
        if (!f.parent) code = CP_ERROR_MEMORY;
    }
    if (code == CP_OK) {
        cpi_parallel(j->blocks, NAME(block_task), &f);
        NAME(join_row_blocks)(&f);
        cpi_parallel(j->blocks, NAME(count_task), &f);
        for (int64_t b = 0; b < j->blocks; b++) f.base[b + 1] += f.base[b];
        int64_t labels = f.base[j->blocks];
        if (labels > j->plan->limit) {
            code = cpi_fail(CP_ERROR_RUNTIME, "label: insufficient bit-depth in requested output type");
        } else {
            cpi_parallel(j->blocks, NAME(number_task), &f);
            cpi_parallel(j->blocks, NAME(write_task), &f);
            if (count) *count = labels;
        }
    }
    cpi_work_free(j->stream_of, f.parent);
    cpi_free_host(f.base);
    cpi_free_host(f.first);
    return code;
}
#undef TOP
