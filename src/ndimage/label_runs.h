/* Labelling by runs, included twice: INT is uint32_t where 31 bits number every run and position, else uint64_t.
 *
 * A run is a stretch of set bits of one line (one bit where neighbours along the line do not touch). Runs are
 * numbered in C order. parent[] is a forest of runs whose roots are their trees' smallest runs: the first
 * element of a component is the start of its root, so roots taken in order give the labels. A root's entry is
 * turned into NAME(top) | label once the trees are final. */

#define TOP ((INT)1 << (sizeof(INT) * 8 - 1))

typedef struct NAME(forest) {
    const label_job *job;
    INT *first;   /* lines + 1: number of each line's first run */
    INT *edge;    /* start and end of each run, in its line */
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

static void NAME(bits_task)(void *context, int64_t band, int worker)
{
    NAME(forest) *f = context;
    const label_job *j = f->job;
    (void)worker;
    for (int64_t l = band * j->per_band, end = band_end(j, band); l < end; l++)
        f->first[l + 1] = (INT)j->line_bits(j->x + l * j->width * j->size, line_width(j, l), j->size, j->keep,
                                            j->joined, j->bits + l * j->words);
}

/* The runs of one line, from its bits. */
static void NAME(runs_of)(const NAME(forest) *f, int64_t l)
{
    const label_job *j = f->job;
    const uint64_t *bits = j->bits + l * j->words;
    int64_t width = line_width(j, l), words = (width + 63) / 64;
    INT *edge = f->edge + 2 * (int64_t)f->first[l];
    uint64_t carry = 0;
    for (int64_t i = 0; i < words; i++) {
        uint64_t w = bits[i], e = j->joined ? w ^ (w << 1 | carry) : w;
        carry = w >> 63;
        while (e) {
            INT at = (INT)(i * 64 + __builtin_ctzll(e));
            e &= e - 1;
            *edge++ = at;
            if (!j->joined) *edge++ = at + 1;
        }
    }
    if (j->joined && edge != f->edge + 2 * (int64_t)f->first[l + 1]) *edge = (INT)width;
}

/* Unites line l's runs with those of an earlier line m that they reach: a run from s to e meets one that has an
 * element in s + low .. e + high. */
static void NAME(sweep)(const NAME(forest) *f, int64_t l, int64_t m, int low, int high)
{
    INT q = f->first[m], q_end = f->first[m + 1];
    for (INT c = f->first[l], c_end = f->first[l + 1]; c < c_end && q < q_end; c++) {
        int64_t from = (int64_t)f->edge[2 * (int64_t)c] + low, to = (int64_t)f->edge[2 * (int64_t)c + 1] + high;
        while (q < q_end && (int64_t)f->edge[2 * (int64_t)q + 1] <= from) q++;
        INT k = q;
        for (; k < q_end && (int64_t)f->edge[2 * (int64_t)k] < to; k++) NAME(unite)(f->parent, c, k);
        if (k > q) q = k - 1; /* the last one may go on under the next run */
    }
}

static void NAME(meet)(const NAME(forest) *f, int64_t l, int64_t m, int reach)
{
    bool back = reach & CPI_REACH_BACK, same = reach & CPI_REACH_SAME, ahead = reach & CPI_REACH_AHEAD;
    if (back && ahead && !same) {
        NAME(sweep)(f, l, m, -1, -1);
        NAME(sweep)(f, l, m, 1, 1);
    } else {
        NAME(sweep)(f, l, m, back ? -1 : same ? 0 : 1, ahead ? 1 : same ? 0 : -1);
    }
}

/* Unites line l with its neighbours in lines low..high-1. */
static void NAME(join)(const NAME(forest) *f, const place *at, int64_t l, int64_t low, int64_t high)
{
    const label_job *j = f->job;
    INT c = f->first[l];
    if (c == f->first[l + 1]) return;
    if (j->chopped) {
        if (l - 1 >= low && l - 1 < high && j->joined && c > f->first[l - 1] && f->edge[2 * (int64_t)c] == 0 &&
            f->edge[2 * (int64_t)c - 1] == (INT)j->width)
            NAME(unite)(f->parent, c, c - 1);
        return;
    }
    for (int i = 0; i < j->plan->neighbours; i++) {
        const cpi_neighbour *n = &j->plan->neighbour[i];
        int64_t m = l - n->delta;
        if (m >= low && m < high && !(n->minus & at->low) && !(n->plus & at->high)) NAME(meet)(f, l, m, n->reach);
    }
}

static void NAME(band_task)(void *context, int64_t band, int worker)
{
    NAME(forest) *f = context;
    const label_job *j = f->job;
    (void)worker;
    int64_t begin = band * j->per_band, end = band_end(j, band);
    place at;
    place_start(&at, j->plan, begin);
    for (int64_t l = begin; l < end; l++, place_next(&at, j->plan)) {
        NAME(runs_of)(f, l);
        for (INT i = f->first[l]; i < f->first[l + 1]; i++) f->parent[i] = i;
        NAME(join)(f, &at, l, begin, l);
    }
    for (INT i = f->first[begin]; i < f->first[end]; i++) f->parent[i] = f->parent[f->parent[i]];
}

/* Where a band meets earlier ones; one thread, because trees of all bands grow together here. */
static void NAME(join_bands)(const NAME(forest) *f)
{
    const label_job *j = f->job;
    int64_t far = j->chopped ? 1 : 0;
    for (int i = 0; i < j->plan->neighbours; i++)
        if (j->plan->neighbour[i].delta > far) far = j->plan->neighbour[i].delta;
    for (int64_t band = 1; band < j->bands; band++) {
        int64_t begin = band * j->per_band, end = band_end(j, band);
        if (end - begin > far) end = begin + far;
        place at;
        place_start(&at, j->plan, begin);
        for (int64_t l = begin; l < end; l++, place_next(&at, j->plan)) NAME(join)(f, &at, l, 0, begin);
    }
}

static void NAME(count_task)(void *context, int64_t band, int worker)
{
    NAME(forest) *f = context;
    (void)worker;
    int64_t n = 0;
    INT end = f->first[band_end(f->job, band)];
    for (INT i = f->first[band * f->job->per_band]; i < end; i++) n += f->parent[i] == i;
    f->base[band + 1] = n;
}

static void NAME(number_task)(void *context, int64_t band, int worker)
{
    NAME(forest) *f = context;
    (void)worker;
    INT label = (INT)f->base[band], end = f->first[band_end(f->job, band)];
    for (INT i = f->first[band * f->job->per_band]; i < end; i++)
        if (f->parent[i] == i) f->parent[i] = TOP | ++label;
}

static inline INT NAME(label_of)(const INT *parent, INT i)
{
    INT p = parent[i];
    while (!(p & TOP)) p = parent[p];
    return p & ~TOP;
}

/* One piece of a line, from element `begin` on, n of them, built in `buffer` from left to right with wide stores
 * that the next stretch overwrites. *run is the first run that ends behind `begin`. */
#define WRITE_PIECE(T)                                                                                       \
    static void NAME(piece_##T)(const NAME(forest) *f, int64_t begin, int64_t n, INT *run, INT run_end, T *buffer) \
    {                                                                                                        \
        int64_t at = 0;                                                                                      \
        INT r = *run;                                                                                        \
        for (; r < run_end && (int64_t)f->edge[2 * (int64_t)r] < begin + n; r++) {                           \
            int64_t from = (int64_t)f->edge[2 * (int64_t)r] - begin, to = (int64_t)f->edge[2 * (int64_t)r + 1] - begin; \
            if (from < 0) from = 0;                                                                          \
            if (from > at) fill_##T(buffer + at, from - at, 0);                                              \
            at = to < n ? to : n;                                                                            \
            fill_##T(buffer + from, at - from, (T)label_bits(f->job->type, NAME(label_of)(f->parent, r)));   \
            if (to > n) break;                                                                               \
        }                                                                                                    \
        if (at < n) fill_##T(buffer + at, n - at, 0);                                                        \
        *run = r;                                                                                            \
    }
WRITE_PIECE(uint8_t)
WRITE_PIECE(uint16_t)
WRITE_PIECE(uint32_t)
WRITE_PIECE(uint64_t)
#undef WRITE_PIECE

static void NAME(write_task)(void *context, int64_t band, int worker)
{
    NAME(forest) *f = context;
    const label_job *j = f->job;
    (void)worker;
    uint64_t buffer[PIECE + 8];
    for (int64_t l = band * j->per_band, end = band_end(j, band); l < end; l++) {
        int64_t width = line_width(j, l);
        INT run = f->first[l], run_end = f->first[l + 1];
        char *to = j->out + l * j->width * j->out_size;
        for (int64_t begin = 0; begin < width; begin += PIECE) {
            int64_t n = width - begin < PIECE ? width - begin : PIECE, bytes = n * j->out_size;
            switch (j->out_size) {
            case 1: NAME(piece_uint8_t)(f, begin, n, &run, run_end, (uint8_t *)buffer); break;
            case 2: NAME(piece_uint16_t)(f, begin, n, &run, run_end, (uint16_t *)buffer); break;
            case 4: NAME(piece_uint32_t)(f, begin, n, &run, run_end, (uint32_t *)buffer); break;
            default: NAME(piece_uint64_t)(f, begin, n, &run, run_end, buffer); break;
            }
            if (j->stream)
                j->stream_copy(to + begin * j->out_size, buffer, bytes);
            else
                memcpy(to + begin * j->out_size, buffer, (size_t)bytes);
        }
    }
    if (j->stream) j->stream_fence();
}

/* All of it; the job's bits have memory. */
static cp_code NAME(label_all)(const label_job *j, int64_t *count)
{
    NAME(forest) f = {.job = j};
    f.first = cpi_calloc((size_t)j->lines + 1, sizeof(INT));
    f.base = cpi_calloc((size_t)j->bands + 1, sizeof(int64_t));
    cp_code code = f.first && f.base ? CP_OK : CP_ERROR_MEMORY;
    if (code == CP_OK) {
        cpi_parallel(j->bands, NAME(bits_task), &f);
        for (int64_t l = 0; l < j->lines; l++) f.first[l + 1] += f.first[l];
        size_t runs = (size_t)f.first[j->lines];
        f.edge = cpi_malloc(runs * 2 * sizeof(INT));
        f.parent = f.edge ? cpi_malloc(runs * sizeof(INT)) : NULL;
        if (!f.parent) code = CP_ERROR_MEMORY;
    }
    if (code == CP_OK) {
        cpi_parallel(j->bands, NAME(band_task), &f);
        NAME(join_bands)(&f);
        cpi_parallel(j->bands, NAME(count_task), &f);
        for (int64_t b = 0; b < j->bands; b++) f.base[b + 1] += f.base[b];
        int64_t labels = f.base[j->bands];
        if (labels > j->plan->limit) {
            code = cpi_fail(CP_ERROR_RUNTIME, "label: insufficient bit-depth in requested output type");
        } else {
            cpi_parallel(j->bands, NAME(number_task), &f);
            cpi_parallel(j->bands, NAME(write_task), &f);
            if (count) *count = labels;
        }
    }
    cpi_free_host(f.parent);
    cpi_free_host(f.edge);
    cpi_free_host(f.base);
    cpi_free_host(f.first);
    return code;
}
#undef TOP
