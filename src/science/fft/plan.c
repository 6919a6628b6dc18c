/* Plans: factored lengths, roots of unity, and the cache of both.
 *
 * Roots are computed one by one in double, with angles reduced to an eighth of the circle in integers, so each is
 * within an ulp; no recurrence adds up errors. The cache holds a bounded number of plans and of bytes; a plan in use is
 * freed by its last user. Plans are built outside the lock. */
#include "fft/plan.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "core/forks.h"
#include "core/memory.h"
#include "cpu/threads.h"
#include "fft/kept.h"

/* --- roots --- */

void cpi_fft_root(int64_t k, int64_t n, double *re, double *im)
{
    /* 8 k = octant * n + rest: the angle is (octant + rest / n) eighths of a turn */
    int64_t octant = 8 * k / n, rest = 8 * k % n; /* n is below 2^57 */
    if (octant & 1) rest = n - rest;
    long double angle = (long double)rest / (long double)n * (0.25L * 3.14159265358979323846264338327950288L);
    double high = (double)angle, low = (double)(angle - high), c, s;
    sincos(high, &s, &c);
    double swapped = c - s * low; /* the digits that high does not hold */
    s += c * low;
    c = swapped;
    if (rest == n) c = s = 0.70710678118654752440084436210485;
    double x, y; /* cos and sin of the whole angle */
    switch ((octant + 1) / 2 % 4) {
    case 0: x = c, y = octant & 1 ? -s : s; break;
    case 1: x = octant & 1 ? s : -s, y = c; break;
    case 2: x = -c, y = octant & 1 ? s : -s; break;
    default: x = octant & 1 ? -s : s, y = -c; break;
    }
    *re = x;
    *im = -y;
}

static void store_complex(void *table, int64_t at, bool single, double re, double im)
{
    if (single) {
        ((float *)table)[2 * at] = (float)re;
        ((float *)table)[2 * at + 1] = (float)im;
    } else {
        ((double *)table)[2 * at] = re;
        ((double *)table)[2 * at + 1] = im;
    }
}

static void put_root(void *table, int64_t at, bool single, int64_t k, int64_t n)
{
    double re, im;
    cpi_fft_root(k % n, n, &re, &im);
    store_complex(table, at, single, re, im);
}

/* --- lengths --- */

static int64_t largest_factor(int64_t n)
{
    int64_t most = 1;
    for (int64_t p = 2; p * p <= n; p += p == 2 ? 1 : 2)
        while (n % p == 0) most = p, n /= p;
    return n > most ? n : most;
}

int64_t cpi_fft_good_length(int64_t n, int most)
{
    static const int primes[] = {13, 11, 7, 5, 3};
    if (n <= 6) return n < 1 ? 1 : n;
    int64_t best = INT64_MAX;
    /* all products of the odd primes that do not exceed the best so far, times a power of two */
    struct { int64_t at; int prime; } stack[64 * 5];
    int top = 0;
    stack[top].at = 1, stack[top++].prime = 0;
    while (top) {
        int64_t at = stack[--top].at;
        int prime = stack[top].prime;
        int64_t whole = at;
        while (whole < n && whole <= INT64_MAX / 2) whole *= 2;
        if (whole >= n && whole < best) best = whole;
        for (int i = prime; i < 5; i++)
            if (primes[i] <= most && at <= (best - 1) / primes[i] && top < 319)
                stack[top].at = at * primes[i], stack[top++].prime = i;
    }
    return best;
}

/* --- nodes of many slices --- */

typedef struct builder {
    const char *function;
    bool single;
    int64_t bytes;
    cp_code code;
} builder;

static void *table_new(builder *b, int64_t pairs)
{
    size_t each = b->single ? 2 * sizeof(float) : 2 * sizeof(double);
    void *p = (uint64_t)pairs > SIZE_MAX / each ? NULL : cpi_malloc((size_t)pairs * each);
    if (!p) b->code = CP_ERROR_MEMORY;
    b->bytes += pairs * (int64_t)each;
    return p;
}

static void node_free(cpi_fft_node *n)
{
    if (!n) return;
    for (int i = 0; i < n->radices; i++) cpi_free_host(n->twiddle[i]), cpi_free_host(n->roots[i]);
    cpi_free_host(n->turn);
    cpi_free_host(n->kernel);
    node_free(n->a);
    node_free(n->b);
    cpi_free_host(n);
}

static cpi_fft_node *node_new(builder *b, int64_t n);

/* The passes of a leaf: eights and fours first, then the odd primes. */
static int radices_of(int64_t n, int *radix)
{
    int k = 0;
    while (n % 8 == 0 && n != 16) radix[k++] = 8, n /= 8;
    while (n % 4 == 0) radix[k++] = 4, n /= 4;
    if (n % 2 == 0) radix[k++] = 2, n /= 2;
    for (int p = 3; p <= FFT_GENERIC; p += 2)
        while (n % p == 0) radix[k++] = p, n /= p;
    return k;
}

static void fill_leaf(builder *b, cpi_fft_node *node)
{
    node->way = FFT_PASSES;
    node->radices = radices_of(node->n, node->radix);
    node->scratch = 2 * node->n;
    int64_t rest = node->n;
    for (int i = 0; i < node->radices; i++) {
        int r = node->radix[i];
        int64_t m = rest / r;
        if (!(node->twiddle[i] = table_new(b, m * (r - 1) + 1))) return;
        for (int64_t p = 0; p < m; p++)
            for (int k = 1; k < r; k++) put_root(node->twiddle[i], p * (r - 1) + k - 1, b->single, p * k, rest);
        if (r > 5 && r != 8) {
            if (!(node->roots[i] = table_new(b, r))) return;
            for (int k = 0; k < r; k++) put_root(node->roots[i], k, b->single, k, r);
        }
        rest = m;
    }
}

/* A divisor of n near its square root, so that both parts are no larger than need be. */
static int64_t divisor_near_root(int64_t n)
{
    int64_t best = 1;
    for (int64_t d = 1; d * d <= n; d++)
        if (n % d == 0) best = d;
    return best;
}

static void fill_split(builder *b, cpi_fft_node *node, int64_t n1)
{
    int64_t n = node->n, n2 = n / n1;
    node->way = FFT_SPLIT;
    if (!(node->a = node_new(b, n1)) || !(node->b = node_new(b, n2)) || !(node->turn = table_new(b, n))) return;
    for (int64_t j = 0; j < n2; j++)
        for (int64_t k = 0; k < n1; k++) put_root(node->turn, j * n1 + k, b->single, j * k, n);
    int64_t sa = node->a->scratch, sb = node->b->scratch;
    node->scratch = n + n1 + (sa > sb ? sa : sb);
}

/* exp(-pi i k k / n) for k < n, by all threads. */
typedef struct chirp_job { void *table; int64_t n; bool single; } chirp_job;

enum { CHIRP_TASK = 1 << 14 };

static void chirp_task(void *context, int64_t task, int worker)
{
    const chirp_job *j = context;
    (void)worker;
    int64_t end = (task + 1) * CHIRP_TASK < j->n ? (task + 1) * CHIRP_TASK : j->n;
    for (int64_t k = task * CHIRP_TASK; k < end; k++) {
        uint64_t square = k < (int64_t)1 << 31 ? (uint64_t)k * (uint64_t)k % (2 * (uint64_t)j->n)
                        : (uint64_t)((unsigned __int128)k * (uint64_t)k % (2 * (uint64_t)j->n));
        put_root(j->table, k, j->single, (int64_t)square, 2 * j->n);
    }
}

static void fill_chirp(void *table, int64_t n, bool single)
{
    cpi_parallel((n + CHIRP_TASK - 1) / CHIRP_TASK, chirp_task, &(chirp_job){table, n, single});
}

/* The transform, over m, of the conjugate chirp laid around 0, divided by m. In double, with its own plan. */
static bool fill_kernel(builder *b, void *to, int64_t n, int64_t m)
{
    double *h = cpi_calloc((size_t)m, 2 * sizeof *h), *result = cpi_malloc((size_t)m * 2 * sizeof *h);
    bool good = h && result;
    if (good) fill_chirp(h, n, false);
    for (int64_t k = 0; good && k < n; k++) {
        h[2 * k] = h[2 * k] / (double)m, h[2 * k + 1] = -h[2 * k + 1] / (double)m;
        if (k) h[2 * (m - k)] = h[2 * k], h[2 * (m - k) + 1] = h[2 * k + 1];
    }
    if (good) {
        cpi_fft_call call = {.function = b->function, .kind = CPI_FFT_C2C, .sign = -1, .scale = 1, .rank = 1, .n = {m},
                             .in_step = {16}, .out_step = {16}, .in = h, .out = result};
        good = cpi_fft_on_cpu(&call) == CP_OK;
        if (!good) b->code = cp_error();
    } else b->code = CP_ERROR_MEMORY;
    for (int64_t k = 0; good && k < m; k++) store_complex(to, k, b->single, result[2 * k], result[2 * k + 1]);
    cpi_free_host(result);
    cpi_free_host(h);
    return good;
}

static void fill_bluestein(builder *b, cpi_fft_node *node)
{
    int64_t n = node->n, m = cpi_fft_good_length(2 * n - 1, 5);
    node->way = FFT_BLUESTEIN;
    if (!(node->a = node_new(b, m)) || !(node->turn = table_new(b, n)) || !(node->kernel = table_new(b, m))) return;
    fill_chirp(node->turn, n, b->single);
    if (!fill_kernel(b, node->kernel, n, m)) return;
    node->scratch = 2 * m + node->a->scratch;
}

static cpi_fft_node *node_new(builder *b, int64_t n)
{
    if (b->code) return NULL;
    cpi_fft_node *node = cpi_calloc(1, sizeof *node);
    if (!node) return b->code = CP_ERROR_MEMORY, NULL;
    node->n = n;
    int64_t p = largest_factor(n), d;
    if (p > FFT_GENERIC && p == n) fill_bluestein(b, node);
    else if (p > FFT_GENERIC) fill_split(b, node, p);
    else if (n <= FFT_LEAF || (d = divisor_near_root(n)) == 1) fill_leaf(b, node);
    else fill_split(b, node, d);
    if (!b->code) return node;
    node_free(node);
    return NULL;
}

/* --- one long slice --- */

static void long_free(cpi_fft_long *l)
{
    if (!l) return;
    node_free(l->a);
    node_free(l->b);
    cpi_free_host(l->re);
    cpi_free_host(l->im);
    cpi_free_host(l->coarse);
    cpi_free_host(l->fine);
    long_free(l->m);
    cpi_free_host(l->chirp);
    cpi_free_host(l->kernel);
    cpi_free_host(l);
}

/* n1 times n2 with n1 <= n2, both multiples of 16 if that can be without leaving the middle. */
static int64_t cut_long(int64_t n)
{
    int64_t best = 1, rounded = 1;
    for (int64_t d = 1; d * d <= n; d++)
        if (n % d == 0) {
            best = d;
            if (d % 16 == 0 && n / d % 16 == 0) rounded = d;
        }
    return rounded * 4 >= best ? rounded : best;
}

enum { WHOLE_TABLE = 1 << 15 };

static void fill_long_tables(builder *b, cpi_fft_long *l)
{
    if (l->n <= WHOLE_TABLE) {
        size_t each = b->single ? sizeof(float) : sizeof(double), bytes = (size_t)l->n * each;
        l->re = cpi_malloc(bytes);
        l->im = cpi_malloc(bytes);
        b->bytes += (int64_t)(2 * bytes);
        if (!l->re || !l->im) {
            b->code = CP_ERROR_MEMORY;
            return;
        }
        for (int64_t k = 0; k < l->n1; k++)
            for (int64_t j = 0; j < l->n2; j++) {
                double re, im;
                cpi_fft_root(j * k, l->n, &re, &im);
                if (b->single) ((float *)l->re)[k * l->n2 + j] = (float)re, ((float *)l->im)[k * l->n2 + j] = (float)im;
                else ((double *)l->re)[k * l->n2 + j] = re, ((double *)l->im)[k * l->n2 + j] = im;
            }
        return;
    }
    while (((int64_t)1 << (2 * l->shift)) < l->n) l->shift++;
    int64_t fine = (int64_t)1 << l->shift, coarse = (l->n >> l->shift) + 1;
    l->fine = cpi_malloc((size_t)fine * 2 * sizeof(double));
    l->coarse = cpi_malloc((size_t)coarse * 2 * sizeof(double));
    b->bytes += (fine + coarse) * 16;
    if (!l->fine || !l->coarse) {
        b->code = CP_ERROR_MEMORY;
        return;
    }
    for (int64_t e = 0; e < fine; e++) put_root(l->fine, e, false, e, l->n);
    for (int64_t e = 0; e < coarse; e++) put_root(l->coarse, e, false, (e << l->shift) % l->n, l->n);
}

/* Lengths with a larger prime factor are one convolution. */
enum { LARGEST_PART = 2048 };

static cpi_fft_long *long_new(builder *b, int64_t n)
{
    if (b->code) return NULL;
    cpi_fft_long *l = cpi_calloc(1, sizeof *l);
    if (!l) return b->code = CP_ERROR_MEMORY, NULL;
    l->n = n;
    int64_t p = largest_factor(n), d = cut_long(n);
    if (p <= LARGEST_PART && d > 1) {
        l->n1 = d, l->n2 = n / d;
        if ((l->a = node_new(b, l->n1)) && (l->b = node_new(b, l->n2))) fill_long_tables(b, l);
    } else {
        int64_t m = cpi_fft_good_length(2 * n - 1, 5);
        l->m = long_new(b, m);
        l->chirp = table_new(b, n);
        l->kernel = table_new(b, m);
        if (!b->code) fill_chirp(l->chirp, n, b->single);
        if (!b->code) fill_kernel(b, l->kernel, n, m);
    }
    if (!b->code) return l;
    long_free(l);
    return NULL;
}

/* --- plans, and those that are kept --- */

static void plan_free(cpi_fft_plan *p)
{
    node_free(p->node);
    long_free(p->line);
    cpi_fft_cosine_free(p->cosine);
    cpi_free_host(p->half);
    cpi_free_host(p);
}

static cpi_fft_plan *plan_new(const char *function, cpi_fft_kind kind, int64_t n, bool single, bool one, int code)
{
    builder b = {.function = function, .single = single, .bytes = sizeof(cpi_fft_plan)};
    cpi_fft_plan *p = cpi_calloc(1, sizeof *p);
    if (!p) return NULL;
    bool halved = kind != CPI_FFT_C2C && n % 2 == 0;
    p->refs = 1;
    p->kind = kind, p->n = n, p->single = single, p->one = one;
    p->inner = halved ? n / 2 : n;
    p->code = code;
    if (code && !(p->cosine = cpi_fft_cosine_new(code, kind, n, single, &b.bytes))) b.code = CP_ERROR_MEMORY;
    if (code && one) halved = false;
    else if (one) p->line = long_new(&b, p->inner);
    else p->node = node_new(&b, p->inner);
    if (!b.code && halved && (p->half = table_new(&b, p->inner + 1)))
        for (int64_t k = 0; k <= p->inner; k++) put_root(p->half, k, single, k, n);
    p->bytes = b.bytes;
    if (!b.code) return p;
    plan_free(p);
    return NULL;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CPI_FORK_GUARD(lock)
static cpi_fft_plan *kept; /* the latest first */
static cpi_fft_cache state = {.most_plans = 64, .most_bytes = 256 << 20};


/* Unlinks the plans beyond the limits, under the lock; returns them as a list. */
static cpi_fft_plan *beyond_limits(void)
{
    int64_t plans = 0, bytes = 0;
    cpi_fft_plan **at = &kept;
    while (*at && plans < state.most_plans && (state.most_bytes < 0 || bytes + (*at)->bytes <= state.most_bytes)) {
        plans++;
        bytes += (*at)->bytes;
        at = &(*at)->next;
    }
    cpi_fft_plan *rest = *at;
    *at = NULL;
    state.plans = plans, state.bytes = bytes;
    return rest;
}

static void put_all(cpi_fft_plan *p)
{
    while (p) {
        cpi_fft_plan *next = p->next;
        cpi_fft_plan_put(p);
        p = next;
    }
}

/* The plan, moved to the front, with a reference for the caller; NULL: none. Under the lock. */
static cpi_fft_plan *find(cpi_fft_kind kind, int64_t n, bool single, bool one, int code)
{
    for (cpi_fft_plan **at = &kept; *at; at = &(*at)->next) {
        cpi_fft_plan *p = *at;
        if (p->n != n || p->kind != kind || p->single != single || p->one != one || p->code != code)
            continue;
        *at = p->next;
        p->next = kept;
        kept = p;
        __atomic_add_fetch(&p->refs, 1, __ATOMIC_RELAXED);
        return p;
    }
    return NULL;
}

cpi_fft_plan *cpi_fft_plan_get(const char *function, cpi_fft_kind kind, int64_t n, bool single, bool one,
                               int code)
{
    pthread_mutex_lock(&lock);
    cpi_fft_plan *p = find(kind, n, single, one, code);
    if (p) state.hits++;
    else state.misses++;
    pthread_mutex_unlock(&lock);
    if (p || !(p = plan_new(function, kind, n, single, one, code))) return p;
    pthread_mutex_lock(&lock);
    cpi_fft_plan *gone = NULL, *other = find(kind, n, single, one, code);  /* another thread may have made it */
    if (!other) {
        p->refs++;
        p->next = kept;
        kept = p;
        gone = beyond_limits();
    }
    pthread_mutex_unlock(&lock);
    put_all(gone);
    if (!other) return p;
    cpi_fft_plan_put(p);
    return other;
}

void cpi_fft_plan_put(cpi_fft_plan *p)
{
    if (p && !__atomic_sub_fetch(&p->refs, 1, __ATOMIC_ACQ_REL)) plan_free(p);
}

void cpi_fft_cache_of_cpu(int64_t most_plans, int64_t most_bytes, bool clear, cpi_fft_cache *now)
{
    pthread_mutex_lock(&lock);
    int64_t plans = most_plans >= 0 ? most_plans : state.most_plans;
    if (most_bytes >= -1) state.most_bytes = most_bytes;
    if (clear) state.most_plans = 0, state.hits = state.misses = 0;
    else state.most_plans = plans;
    cpi_fft_plan *gone = beyond_limits();
    state.most_plans = plans;
    *now = state;
    pthread_mutex_unlock(&lock);
    put_all(gone);
}
