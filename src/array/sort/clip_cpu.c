/* Kappa-sigma clipping on the CPU: one pass over the data, then a few percent of it an iteration.
 *
 * A sample is clipped first. It predicts which elements no bound will reach (the core), and where all the medians will
 * lie (the window, inside the core). The pass sums the core, and copies out the fringe (what is outside of the core)
 * and the window. An iteration then counts and sums the fringe within its bounds, adds the core, and finds the median
 * by its rank in the window. Whenever the prediction fails (a bound in the core, a rank outside of the window), the
 * pass is repeated with a new one, and at last with an empty core, where the fringe is everything. So the result is
 * always exact. The loop over the iterations (clip_until_settled) does not depend on this. */
#include <math.h>
#include <string.h>

#include "backend/device.h"
#include "cpu/features.h"
#include "cpu/threads.h"
#include "sort/clip.h"
#include "sort/clip_kernels.h"
#include "sort/select.h"
#include "sort/sort.h"

enum { CHUNKS = 256, SAMPLES = 8192, BINS = 2048, SMALL = 1 << 15, BLOCK = 1 << 15 };

typedef struct clipping {
    cpi_clip *request;
    cp_stream *stream;
    const cpi_clip_kernels *kernels;
    cpi_keys keys;
    size_t bytes;             /* of an element, and of its key */
    double low, high;         /* what is kept, a closed interval */
    int planned;              /* predictions made */
    bool split;               /* the lists below belong to `plan` */
    bool cored;               /* the plan has a core */
    cpi_clip_plan plan;
    cpi_clip_part core;
    char *fringe, *window, *spare; /* lists, allocated as long as needed */
    int64_t nfringe, nband, fringe_capacity, window_capacity, spare_bytes;
    char *apart;              /* what `group` chunks set apart, each with as much space as the chunk */
    int64_t group, first;     /* chunks in a round; the first one of this round */
    char *blocks;             /* two of BLOCK elements for each thread */
    int64_t block;            /* elements of a block */
    uint64_t window_base;     /* the window by bins of keys, in `spare`: bin b from starts[b] on */
    int window_shift;
    int64_t starts[BINS + 1];
    /* a pass */
    const char *from;
    int64_t n, each;
    cpi_clip_part parts[CHUNKS];
} clipping;

/* count, sums and median of what is kept */
typedef struct kept_set { int64_t count; double mean, std, median; } kept_set;

/* --- keys and values --- */

static double value_at(const clipping *c, const char *x, int64_t i)
{
    return c->bytes == 4 ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

static uint64_t key_of(const clipping *c, double v)
{
    if (c->bytes == 4) {
        float f = (float)v;
        uint32_t u;
        memcpy(&u, &f, sizeof u);
        return cpi_same32(&c->keys, cpi_key32(&c->keys, u));
    }
    uint64_t u;
    memcpy(&u, &v, sizeof u);
    return cpi_same64(&c->keys, cpi_key64(&c->keys, u));
}

static double value_of(const clipping *c, uint64_t key)
{
    if (c->bytes == 4) {
        uint32_t u = cpi_unkey32(&c->keys, (uint32_t)key);
        float f;
        memcpy(&f, &u, sizeof f);
        return (double)f;
    }
    uint64_t u = cpi_unkey64(&c->keys, key);
    double v;
    memcpy(&v, &u, sizeof v);
    return v;
}

/* Makes a list with capacity for at least n elements; its contents are lost. */
static bool make_space(clipping *c, char **list, int64_t *capacity, int64_t n)
{
    if (*list && *capacity >= n) return true;
    cpi_work_free(c->stream, *list);
    *list = cpi_work_alloc(c->stream, (size_t)n * c->bytes);
    *capacity = *list ? n : 0;
    return *list != NULL;
}

/* --- the prediction --- */

/* A sample of what is kept, ascending, as doubles in c->apart; returns the number of values. */
static int64_t sorted_sample(clipping *c)
{
    double *s = (double *)c->apart, v;
    int64_t n = c->request->n, stride = n / SAMPLES, m = 0;
    for (int64_t i = 0; i < SAMPLES; i++) {
        v = value_at(c, c->request->from, cpi_sample_at(i, stride));
        if (v >= c->low && v <= c->high) s[m++] = v;
    }
    return m > 1 && cpi_sort_cpu_sort(c->stream, CP_FLOAT64, 1, m, s, s) != CP_OK ? -1 : m;
}

/* First of s[begin..end) that is at least v. */
static int64_t first_from(const double *s, int64_t begin, int64_t end, double v)
{
    while (begin < end) {
        int64_t m = begin + (end - begin) / 2;
        if (s[m] < v) begin = m + 1;
        else end = m;
    }
    return begin;
}

/* Clips the sample s[0..m) and makes a plan from the result; false when it says too little. The margin of ranks is 4.5
 * standard deviations of a sample median's rank. */
static bool plan_from(clipping *c, const double *s, int64_t m)
{
    const cpi_clip *q = c->request;
    int64_t begin = 0, end = m, low_rank = m, high_rank = 0;
    cp_clip_result r = {0};
    double pivot = s[m / 2];
    for (int i = 0; i < 64; i++) {
        int64_t n = end - begin, margin = (int64_t)(2.25 * sqrt((double)n)) + 3, at = begin + n / 2;
        double s1 = 0, s2 = 0, mean, std;
        if (n < 256) return false;
        if (at - margin < low_rank) low_rank = at - margin;
        if (at + margin > high_rank) high_rank = at + margin;
        for (int64_t j = begin; j < end; j++) {
            s1 += s[j] - pivot;
            s2 += (s[j] - pivot) * (s[j] - pivot);
        }
        if (i && i == q->max_iterations) break;
        cpi_clip_moments((double)n, s1, s2, pivot, &mean, &std);
        cpi_clip_bounds(q->rule, q->kappa, q->center == CP_CLIP_MEAN ? mean : s[at], std, &r);
        if (!(r.std > 0) || !(r.std < INFINITY)) return false;
        int64_t b = first_from(s, begin, end, nextafter(r.lower, INFINITY)), e = first_from(s, b, end, r.upper);
        if (b == begin && e == end) break;
        begin = b;
        end = e;
    }
    if (low_rank < 0 || high_rank >= m) return false;
    double rim = 0.075 * (r.upper - r.lower);
    c->plan = (cpi_clip_plan){.core_low = r.lower + rim, .core_high = r.upper - rim, .pivot = pivot,
                              .window_low = s[low_rank], .window_high = s[high_rank]};
    if (c->bytes == 4) { /* limits that are values of the type */
        c->plan.core_low = cpi_clip_to_float(c->plan.core_low);
        c->plan.core_high = cpi_clip_to_float(c->plan.core_high);
    }
    return c->plan.core_low <= c->plan.window_low && c->plan.core_high >= c->plan.window_high &&
           c->plan.core_low >= c->low && c->plan.core_high <= c->high;
}

static cp_code make_plan(clipping *c)
{
    c->cored = false;
    if (c->planned++ < 3 && c->request->n >= SMALL) {
        int64_t m = sorted_sample(c);
        if (m < 0) return cp_error();
        c->cored = m >= 512 && plan_from(c, (const double *)c->apart, m);
    }
    if (!c->cored)
        c->plan = (cpi_clip_plan){.core_low = INFINITY, .core_high = -INFINITY, .window_low = INFINITY,
                                  .window_high = -INFINITY, .pivot = 0};
    c->plan.low = c->low;
    c->plan.high = c->high;
    return CP_OK;
}

/* --- passes --- */

static void add_part(cpi_clip_part *all, const cpi_clip_part *p)
{
    all->count += p->count;
    all->below += p->below;
    all->fringe += p->fringe;
    all->inside += p->inside;
    all->s1 += p->s1;
    all->s2 += p->s2;
}

/* A chunk's fringe is stored at the beginning of the chunk's space in c->apart, its window at the end: an element is in
 * one of them at most. */
static void split_task(void *context, int64_t task, int worker)
{
    clipping *c = context;
    int64_t begin = (c->first + task) * c->each, n = c->n - begin < c->each ? c->n - begin : c->each;
    size_t capacity = (size_t)c->block * c->bytes;
    char *fringe = c->blocks + (size_t)worker * 2 * capacity, *window = fringe + capacity;
    char *to = c->apart + (size_t)(task * c->each) * c->bytes, *end = to + (size_t)n * c->bytes;
    cpi_clip_part all = {0};
    for (int64_t i = 0; i < n; i += c->block) {
        int64_t m = n - i < c->block ? n - i : c->block;
        cpi_clip_part p = c->kernels->split(c->from + (size_t)(begin + i) * c->bytes, m, &c->plan, fringe, window);
        memcpy(to + (size_t)all.fringe * c->bytes, fringe, (size_t)p.fringe * c->bytes);
        add_part(&all, &p);
        memcpy(end - (size_t)all.inside * c->bytes, window, (size_t)p.inside * c->bytes);
    }
    c->parts[c->first + task] = all;
}

static void count_task(void *context, int64_t task, int worker)
{
    (void)worker;
    clipping *c = context;
    int64_t begin = task * c->each, n = c->n - begin < c->each ? c->n - begin : c->each;
    c->parts[task] = c->kernels->count(c->from + (size_t)begin * c->bytes, n, &c->plan);
}

/* Runs a pass over n elements in chunks and adds the chunks' results in order. */
static cpi_clip_part run_pass(clipping *c, cpi_task task, const void *from, int64_t n, int64_t *tasks)
{
    cpi_clip_part all = {0};
    c->from = from;
    c->n = n;
    *tasks = cpi_cut(n, 16384, &c->each);
    cpi_parallel(*tasks, task, c);
    for (int64_t t = 0; t < *tasks; t++) add_part(&all, &c->parts[t]);
    return all;
}

/* Sorts the window into bins of keys, so that a rank is looked for in a few keys. */
static cp_code bin_window(clipping *c)
{
    if (!make_space(c, &c->spare, &c->spare_bytes, c->nband)) return cp_error();
    uint64_t first = key_of(c, c->plan.window_low), width = key_of(c, c->plan.window_high) - first;
    c->window_base = first;
    c->window_shift = 0;
    while (width >> c->window_shift >= BINS) c->window_shift++;
    memset(c->starts, 0, sizeof c->starts);
#define BIN_WINDOW(W)                                                                    \
    do {                                                                                   \
        uint##W##_t *keys = (uint##W##_t *)c->window, *to = (uint##W##_t *)c->spare;       \
        for (int64_t i = 0; i < c->nband; i++) {                                           \
            keys[i] = cpi_same##W(&c->keys, cpi_key##W(&c->keys, keys[i]));                \
            c->starts[((keys[i] - (uint##W##_t)first) >> c->window_shift) + 1]++;          \
        }                                                                                  \
        for (int b = 0; b < BINS; b++) c->starts[b + 1] += c->starts[b];                   \
        for (int64_t i = c->nband; i-- > 0;) {                                             \
            int64_t b = (int64_t)((keys[i] - (uint##W##_t)first) >> c->window_shift);      \
            to[--c->starts[b + 1]] = keys[i];                                              \
        }                                                                                  \
        for (int b = 0; b < BINS; b++) c->starts[b] = c->starts[b + 1];                    \
        c->starts[BINS] = c->nband;                                                        \
    } while (0)
    if (c->bytes == 4) BIN_WINDOW(32);
    else BIN_WINDOW(64);
#undef BIN_WINDOW
    return CP_OK;
}

/* The value of a rank in the window. */
static double window_value(clipping *c, int64_t rank)
{
    int low = 0, high = BINS; /* starts[low] <= rank < starts[high] */
    while (high - low > 1) {
        int m = (low + high) / 2;
        if (c->starts[m] <= rank) low = m;
        else high = m;
    }
    int64_t at = c->starts[low], n = c->starts[high] - at;
    if (c->bytes == 4) {
        cpi_nth_element32((uint32_t *)c->spare + at, n, rank - at);
        return value_of(c, ((uint32_t *)c->spare)[rank]);
    }
    cpi_nth_element64((uint64_t *)c->spare + at, n, rank - at);
    return value_of(c, ((uint64_t *)c->spare)[rank]);
}

/* Adds n elements to a list that has *count of them. */
static bool append(clipping *c, char **list, int64_t *count, int64_t *capacity, const char *from, int64_t n)
{
    if (*count + n > *capacity) {
        char *old = *list;
        int64_t more = 2 * *capacity > *count + n ? 2 * *capacity : *count + n;
        if (more > c->n) more = c->n;
        char *new = cpi_work_alloc(c->stream, (size_t)more * c->bytes);
        if (!new) return false;
        if (*count) memcpy(new, old, (size_t)*count * c->bytes);
        cpi_work_free(c->stream, old);
        *list = new;
        *capacity = more;
    }
    if (n) memcpy(*list + (size_t)*count * c->bytes, from, (size_t)n * c->bytes);
    *count += n;
    return true;
}

/* Runs the pass in a few rounds where there is much to split, so that what is set apart needs a fraction of the data's
 * memory. */
static cp_code split_by_plan(clipping *c)
{
    c->core = (cpi_clip_part){0};
    c->from = c->request->from;
    c->n = c->request->n;
    c->nfringe = c->nband = 0;
    int64_t tasks = cpi_cut(c->n, 16384, &c->each);
    for (c->first = 0; c->first < tasks; c->first += c->group) {
        int64_t many = tasks - c->first < c->group ? tasks - c->first : c->group;
        cpi_parallel(many, split_task, c);
        for (int64_t t = 0; t < many; t++) {
            const cpi_clip_part *p = &c->parts[c->first + t];
            int64_t begin = (c->first + t) * c->each, n = c->n - begin < c->each ? c->n - begin : c->each;
            const char *at = c->apart + (size_t)(t * c->each) * c->bytes;
            add_part(&c->core, p);
            if (!append(c, &c->fringe, &c->nfringe, &c->fringe_capacity, at, p->fringe) ||
                !append(c, &c->window, &c->nband, &c->window_capacity, at + (size_t)(n - p->inside) * c->bytes,
                        p->inside))
                return cp_error();
        }
    }
    c->split = true;
    return c->nband ? bin_window(c) : CP_OK;
}

/* --- the kept set --- */

static void finalize_set(clipping *c, const cpi_clip_part *fringe, kept_set *set)
{
    set->count = c->core.count + fringe->count;
    if (set->count)
        cpi_clip_moments((double)set->count, c->core.s1 + fringe->s1, c->core.s2 + fringe->s2, c->plan.pivot,
                         &set->mean, &set->std);
}

/* With an empty core: the fringe is reduced to what is kept, its median is taken, and becomes the pivot. */
static cp_code measure_all(clipping *c, kept_set *set)
{
    int64_t tasks;
    int64_t n = c->kernels->keep(c->fringe, c->nfringe, c->low, c->high, c->fringe);
    if (!make_space(c, &c->spare, &c->spare_bytes, n)) return cp_error();
    c->nfringe = set->count = n;
    if (!n) return CP_OK;
    memcpy(c->spare, c->fringe, (size_t)n * c->bytes);
    if (c->bytes == 4) {
        uint32_t *keys = (uint32_t *)c->spare;
        for (int64_t i = 0; i < n; i++) keys[i] = cpi_same32(&c->keys, cpi_key32(&c->keys, keys[i]));
        cpi_pair32 p = cpi_select32(keys, n, (n - 1) / 2);
        c->plan.pivot = value_of(c, p.first);
        set->median = n & 1 ? c->plan.pivot : cpi_clip_middle(c->request->rule, c->plan.pivot, value_of(c, p.second));
    } else {
        uint64_t *keys = (uint64_t *)c->spare;
        for (int64_t i = 0; i < n; i++) keys[i] = cpi_same64(&c->keys, cpi_key64(&c->keys, keys[i]));
        cpi_pair64 p = cpi_select64(keys, n, (n - 1) / 2);
        c->plan.pivot = value_of(c, p.first);
        set->median = n & 1 ? c->plan.pivot : cpi_clip_middle(c->request->rule, c->plan.pivot, value_of(c, p.second));
    }
    for (int again = 0; again <= CPI_CLIP_AGAIN; again++) {
        cpi_clip_part part = run_pass(c, count_task, c->fringe, n, &tasks);
        finalize_set(c, &part, set);
        if (!cpi_clip_off_center(set->mean, set->std, c->plan.pivot)) break;
        c->plan.pivot = set->mean;
    }
    return CP_OK;
}

/* With a core; *held is false when the plan does not hold for this set. */
static cp_code measure_split(clipping *c, kept_set *set, bool *held)
{
    int64_t tasks;
    *held = c->low <= c->plan.core_low && c->high >= c->plan.core_high;
    if (!*held) return CP_OK;
    cpi_clip_part part = run_pass(c, count_task, c->fringe, c->nfringe, &tasks);
    finalize_set(c, &part, set);
    *held = !cpi_clip_off_center(set->mean, set->std, c->plan.pivot);
    if (!*held || c->request->center != CP_CLIP_MEDIAN) return CP_OK;
    int64_t first = (set->count - 1) / 2 - c->core.below - part.below, second = first + !(set->count & 1);
    *held = first >= 0 && second < c->nband;
    if (!*held) return CP_OK;
    set->median = window_value(c, first);
    if (second != first) set->median = cpi_clip_middle(c->request->rule, set->median, window_value(c, second));
    return CP_OK;
}

/* Count and moments of the elements in low..high. */
static cp_code measure(clipping *c, kept_set *set)
{
    for (;;) {
        c->plan.low = c->low;
        c->plan.high = c->high;
        if (c->split && !c->cored) return measure_all(c, set);
        if (c->split) {
            bool held;
            cp_code code = measure_split(c, set, &held);
            if (code != CP_OK || held) return code;
        }
        cp_code code = make_plan(c);
        if (code == CP_OK) code = split_by_plan(c);
        if (code != CP_OK) return code;
    }
}

static cp_code clip_until_settled(clipping *c)
{
    cpi_clip *q = c->request;
    int64_t before = -1;
    for (int i = 0;; i++) {
        kept_set set = {0, NAN, NAN, NAN};
        if (c->low <= c->high) {
            cp_code code = measure(c, &set);
            if (code != CP_OK) return code;
        }
        q->result.iterations = i;
        q->low = c->low;
        q->high = c->high;
        if (!set.count) {
            q->result = (cp_clip_result){NAN, NAN, NAN, NAN, 0, i};
            q->low = INFINITY;
            q->high = -INFINITY;
            return CP_OK;
        }
        if (set.count == before) return CP_OK;
        q->result.count = before = set.count;
        cpi_clip_bounds(q->rule, q->kappa, q->center == CP_CLIP_MEAN ? set.mean : set.median, set.std, &q->result);
        if (i && i == q->max_iterations) return CP_OK;
        cpi_clip_narrow(q->type, q->result.lower, q->result.upper, &c->low, &c->high);
    }
}

cp_code cpi_sort_cpu_clip(cp_stream *stream, cpi_clip *request)
{
    clipping *c = cpi_work_alloc(stream, sizeof *c);
    if (!c) return cp_error();
    memset(c, 0, sizeof *c);
    bool single = request->type == CP_FLOAT32;
    c->request = request;
    c->stream = stream;
    c->kernels = single ? CPI_BEST(cpi_clip_float) : CPI_BEST(cpi_clip_double);
    c->keys = cpi_keys_of(request->type);
    c->bytes = single ? 4 : 8;
    c->low = -INFINITY;
    c->high = INFINITY;
    int64_t nchunks = cpi_cut(request->n, 16384, &c->block);
    c->group = c->block > BLOCK ? CHUNKS / 8 : nchunks;
    int64_t apart = c->group * c->block < request->n ? c->group * c->block : request->n;
    if (c->block > BLOCK) c->block = BLOCK;
    if (c->block > request->n) c->block = (request->n + 63) / 64 * 64;
    c->apart = cpi_work_alloc(stream, (size_t)apart * c->bytes);
    c->blocks = c->apart ? cpi_work_alloc(stream, (size_t)cpi_workers() * 2 * (size_t)c->block * c->bytes) : NULL;
    cp_code code = c->blocks ? clip_until_settled(c) : cp_error();
    cpi_work_free(stream, c->apart);
    cpi_work_free(stream, c->blocks);
    cpi_work_free(stream, c->fringe);
    cpi_work_free(stream, c->window);
    cpi_work_free(stream, c->spare);
    cpi_work_free(stream, c);
    return code;
}

/* --- the kept values --- */

typedef struct keeping {
    const cpi_clip *request;
    const cpi_clip_kernels *kernels;
    int itemsize;
    int64_t each;
    const char *values;
    char *to;                    /* NULL: count only */
    int64_t counts[CHUNKS], starts[CHUNKS];
} keeping;

/* Where the values are not those that were compared. */
static int64_t keep_items(const keeping *k, int64_t begin, int64_t n, char *to)
{
    const cpi_clip *q = k->request;
    int64_t kept = 0;
    for (int64_t i = begin; i < begin + n; i++) {
        double v = q->type == CP_FLOAT32 ? (double)((const float *)q->from)[i] : ((const double *)q->from)[i];
        if (!(v >= q->low && v <= q->high)) continue;
        if (to) memcpy(to + kept * k->itemsize, k->values + i * k->itemsize, (size_t)k->itemsize);
        kept++;
    }
    return kept;
}

static void keep_task(void *context, int64_t task, int worker)
{
    (void)worker;
    keeping *k = context;
    const cpi_clip *q = k->request;
    int64_t begin = task * k->each, n = q->n - begin < k->each ? q->n - begin : k->each;
    char *to = k->to ? k->to + k->starts[task] * k->itemsize : NULL;
    if (k->values == q->from)
        k->counts[task] = k->kernels->keep(k->values + begin * k->itemsize, n, q->low, q->high, to);
    else
        k->counts[task] = keep_items(k, begin, n, to);
}

cp_code cpi_sort_cpu_clip_keep(cp_stream *stream, const cpi_clip *request, int itemsize, const void *values, void *to)
{
    (void)stream;
    keeping k = {.request = request, .itemsize = itemsize, .values = values};
    k.kernels = request->type == CP_FLOAT32 ? CPI_BEST(cpi_clip_float) : CPI_BEST(cpi_clip_double);
    int64_t tasks = cpi_cut(request->n, 16384, &k.each);
    cpi_parallel(tasks, keep_task, &k);
    for (int64_t t = 1; t < tasks; t++) k.starts[t] = k.starts[t - 1] + k.counts[t - 1];
    k.to = to;
    cpi_parallel(tasks, keep_task, &k);
    return CP_OK;
}

/* --- a part of more data --- */

typedef struct splitting {
    cpi_clip_split *request;
    cpi_clip_plan plan;
    const cpi_clip_kernels *kernels;
    int64_t each, bytes;
    cpi_clip_part parts[CHUNKS];
} splitting;

/* Each task appends where its own elements would lie. */
static void part_task(void *context, int64_t task, int worker)
{
    (void)worker;
    splitting *s = context;
    const cpi_clip_split *q = s->request;
    const int64_t begin = task * s->each, at = begin * s->bytes;
    s->parts[task] = s->kernels->split((const char *)q->from + at, q->n - begin < s->each ? q->n - begin : s->each,
                                       &s->plan, (char *)q->fringe + at, (char *)q->window + at);
}

cp_code cpi_sort_cpu_clip_split(cp_stream *stream, cpi_clip_split *q)
{
    splitting *s = cpi_work_alloc(stream, sizeof *s);
    if (!s) return cp_error();
    const bool single = q->type == CP_FLOAT32;
    *s = (splitting){.request = q, .bytes = single ? 4 : 8,
                     .kernels = single ? CPI_BEST(cpi_clip_float) : CPI_BEST(cpi_clip_double),
                     .plan = {-INFINITY, INFINITY, q->core_low, q->core_high, q->window_low, q->window_high, q->pivot}};
    const int64_t tasks = cpi_cut(q->n, 16384, &s->each);
    cpi_parallel(tasks, part_task, s);
    cpi_clip_part all = {0};
    for (int64_t t = 0; t < tasks; t++) {
        const cpi_clip_part *p = &s->parts[t];
        char *from = (char *)q->fringe + t * s->each * s->bytes, *inside = (char *)q->window + t * s->each * s->bytes;
        memmove((char *)q->fringe + all.fringe * s->bytes, from, (size_t)(p->fringe * s->bytes));
        memmove((char *)q->window + all.inside * s->bytes, inside, (size_t)(p->inside * s->bytes));
        add_part(&all, p);
    }
    cpi_work_free(stream, s);
    q->count = all.count;
    q->below = all.below;
    q->fringe_count = all.fringe;
    q->window_count = all.inside;
    q->s1 = all.s1;
    q->s2 = all.s2;
    return CP_OK;
}
