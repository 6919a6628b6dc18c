/* Generators: seeds, positions in a stream, taking words, copies, jumps.
 *
 * Invariant: no word is taken twice; the state is NumPy's (the counter is that of the current block, `place` the number
 * of its words already taken). A mutex guards it; a child process forked while another thread held it starts with a new
 * mutex. */
#include "random/generator.h"

#include <pthread.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "random/sequential.h"

struct cp_rng {
    pthread_mutex_t lock;
    unsigned process; /* the number of forks before the lock was made */
    cp_rng_state s;
};

static unsigned forks;
static pthread_once_t watched = PTHREAD_ONCE_INIT;
static void forked(void) { forks++; }
static void watch(void) { pthread_atfork(NULL, NULL, forked); }

void cpi_rng_lock(cp_rng *g)
{
    if (g->process != forks) { /* only the thread that forked exists: the lock is free */
        pthread_mutex_init(&g->lock, NULL);
        g->process = forks;
    }
    pthread_mutex_lock(&g->lock);
}

void cpi_rng_unlock(cp_rng *g) { pthread_mutex_unlock(&g->lock); }

cp_rng_kind cpi_rng_kind(const cp_rng *g) { return (cp_rng_kind)g->s.kind; }

cp_rng_state cpi_rng_position(const cp_rng *g) { return g->s; }
void cpi_rng_put(cp_rng *g, const cp_rng_state *state) { g->s = *state; }

static bool has_counter(const cp_rng_state *s) { return s->kind <= CP_RNG_PHILOX4X32; }

/* --- seeds: O'Neill's seed_seq as NumPy has it --- */

static uint32_t hash(uint32_t v, uint32_t *constant, uint32_t times)
{
    v ^= *constant;
    *constant *= times;
    v *= *constant;
    return v ^ v >> 16;
}

static uint32_t mix(uint32_t x, uint32_t y)
{
    const uint32_t r = 0xca01f9ddu * x - 0x4973f715u * y;
    return r ^ r >> 16;
}

cp_code cp_seed_state(int n, const uint32_t *entropy, int n_spawn, const uint32_t *spawn_key, int pool_size,
                      int n_state, uint32_t *state)
{
    if (pool_size < 4) return cpi_fail(CP_ERROR_VALUE, "seed_state: the size of the entropy pool should be at least 4");
    if (n < 0 || n_spawn < 0 || n_state < 0) return cpi_fail(CP_ERROR_VALUE, "seed_state: a count is negative");
    if ((n && cpi_null("seed_state", entropy)) || (n_spawn && cpi_null("seed_state", spawn_key)) ||
        (n_state && cpi_null("seed_state", state)))
        return cp_error();
    const int filled = n_spawn && n < pool_size ? pool_size : n, all = filled + n_spawn;
    uint32_t *pool = cpi_calloc((size_t)pool_size, sizeof *pool), constant = 0x43b0d7e5u;
    if (!pool) return cp_error();
#define WORD(i) ((i) < n ? entropy[i] : (i) < filled ? 0 : (i) < all ? spawn_key[(i) - filled] : 0)
    for (int i = 0; i < pool_size; i++) pool[i] = hash(WORD(i), &constant, 0x931e8875u);
    for (int from = 0; from < pool_size; from++)
        for (int to = 0; to < pool_size; to++)
            if (from != to) pool[to] = mix(pool[to], hash(pool[from], &constant, 0x931e8875u));
    for (int from = pool_size; from < all; from++)
        for (int to = 0; to < pool_size; to++) pool[to] = mix(pool[to], hash(WORD(from), &constant, 0x931e8875u));
#undef WORD
    constant = 0x8b51f9ddu;
    for (int i = 0; i < n_state; i++) state[i] = hash(pool[i % pool_size], &constant, 0x58f38dedu);
    cpi_free_host(pool);
    return CP_OK;
}

/* Six words as the first state of a kind without a counter: never a fixed point. */
static void begin_state(cp_rng_state *s, const uint32_t w[6])
{
    memcpy(s->state, w, sizeof s->state);
    if (s->kind == CP_RNG_XORWOW) {
        if (!(w[0] | w[1] | w[2] | w[3] | w[4])) s->state[0] = 1;
        return;
    }
    for (int i = 0; i < 6; i++) s->state[i] %= (uint32_t)(i < 3 ? CPR_MRG1 : CPR_MRG2);
    for (int i = 0; i < 6; i += 3)
        if (!(s->state[i] | s->state[i + 1] | s->state[i + 2])) s->state[i] = 1;
}

static cp_rng *made(const char *name, const cp_rng_state *s)
{
    cp_rng *g = cpi_calloc(1, sizeof *g);
    if (!g) return NULL;
    (void)name;
    pthread_once(&watched, watch);
    pthread_mutex_init(&g->lock, NULL);
    g->process = forks;
    g->s = *s;
    return g;
}

cp_rng *cp_rng_new_kind(cp_rng_kind kind, int n, const uint32_t *entropy)
{
    uint32_t w[6];
    if ((unsigned)kind >= CP_RNG_NKINDS) return cpi_fail(CP_ERROR_VALUE, "rng_new_kind: no such generator"), NULL;
    if (cp_seed_state(n, entropy, 0, NULL, 4, 6, w)) return NULL;
    cp_rng_state s = {.kind = (int32_t)kind, .place = 4};
    s.key[0] = w[0] | (uint64_t)w[1] << 32;
    if (kind == CP_RNG_PHILOX) s.key[1] = w[2] | (uint64_t)w[3] << 32;
    if (kind == CP_RNG_PHILOX4X32)
        s.counter[0] = UINT64_MAX - 1, s.counter[1] = s.counter[2] = s.counter[3] = UINT64_MAX; /* two before 0 */
    if (!has_counter(&s)) {
        s.key[0] = 0, s.place = 0;
        begin_state(&s, w);
    }
    return made("rng_new_kind", &s);
}

cp_rng *cp_rng_new(uint64_t seed)
{
    const uint32_t words[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    return cp_rng_new_kind(CP_RNG_PHILOX, words[1] ? 2 : 1, words);
}

void cp_rng_free(cp_rng *g)
{
    if (!g) return;
    pthread_mutex_destroy(&g->lock);
    cpi_free_host(g);
}

/* --- state --- */

cp_code cp_rng_get_state(cp_rng *g, cp_rng_state *state)
{
    if (cpi_null("rng_get_state", g) || cpi_null("rng_get_state", state)) return cp_error();
    cpi_rng_lock(g);
    *state = g->s;
    cpi_rng_unlock(g);
    return CP_OK;
}

cp_code cp_rng_set_state(cp_rng *g, const cp_rng_state *state)
{
    const char *name = "rng_set_state";
    if (cpi_null(name, g) || cpi_null(name, state)) return cp_error();
    if (state->kind != g->s.kind) return cpi_fail(CP_ERROR_VALUE, "%s: the state is another generator's", name);
    if (state->place < 0 || state->place > 4 || state->has_half > 1)
        return cpi_fail(CP_ERROR_VALUE, "%s: a block has no such position", name);
    cp_rng_state s = *state;
    if (!has_counter(&s)) begin_state(&s, state->state);
    if (memcmp(s.state, state->state, sizeof s.state))
        return cpi_fail(CP_ERROR_VALUE, "%s: the generator has no such state", name);
    cpi_rng_lock(g);
    g->s = s;
    cpi_rng_unlock(g);
    return CP_OK;
}

cp_rng *cp_rng_copy(cp_rng *g)
{
    cp_rng_state s;
    return cp_rng_get_state(g, &s) ? NULL : made("rng_copy", &s);
}

static void add_256(uint64_t to[4], const uint64_t n[4])
{
    unsigned carry = 0;
    for (int i = 0; i < 4; i++) {
        const unsigned __int128 sum = (unsigned __int128)to[i] + n[i] + carry;
        to[i] = (uint64_t)sum;
        carry = (unsigned)(sum >> 64);
    }
}

/* n counter values, or words */
static void go_on(cp_rng_state *s, const uint64_t n[4])
{
    if (has_counter(s)) {
        add_256(s->counter, n);
        if (s->kind == CP_RNG_PHILOX4X32) add_256(s->counter, n); /* two values a block */
        s->place = 4;
    } else {
        cpi_sequential_jump(s->kind, s->state, n);
    }
    s->has_half = s->half = 0;
}

cp_code cp_rng_advance(cp_rng *g, const uint64_t n[4])
{
    if (cpi_null("rng_advance", g) || cpi_null("rng_advance", n)) return cp_error();
    cpi_rng_lock(g);
    go_on(&g->s, n);
    cpi_rng_unlock(g);
    return CP_OK;
}

cp_rng *cp_rng_jumped(cp_rng *g, uint64_t times)
{
    static const int distance[CP_RNG_NKINDS] = {128, 64, 66, 126}; /* powers of two */
    cp_rng_state s;
    if (cp_rng_get_state(g, &s)) return NULL;
    const int words = distance[s.kind] / 64, bits = distance[s.kind] % 64;
    uint64_t n[4] = {0};
    n[words] = times << bits;
    if (bits) n[words + 1] = times >> (64 - bits);
    go_on(&s, n);
    return made("rng_jumped", &s);
}

/* --- taking --- */

static void skip_words(cp_rng_state *s, int64_t n)
{
    if (n <= 64)
        for (int64_t i = 0; i < n; i++) cpr_step(s->kind, s->state);
    else
        cpi_sequential_jump(s->kind, s->state, (const uint64_t[4]){(uint64_t)n});
}

cpi_bit_stream cpi_rng_take(cp_rng *g, int64_t n)
{
    cp_rng_state *s = &g->s;
    cpi_bit_stream w = {.kind = s->kind, .key = {s->key[0], s->key[1]}};
    if (!has_counter(s)) {
        memcpy(w.state, s->state, sizeof w.state);
        skip_words(s, n);
        return w;
    }
    const uint64_t each = s->kind == CP_RNG_PHILOX4X32 ? 2 : 1;
    if (s->place == 4) cpr_count(s->counter, each, w.counter);
    else memcpy(w.counter, s->counter, sizeof w.counter), w.skip = s->place;
    if (n <= 0) return w;
    const uint64_t last = (uint64_t)n - 1 + (uint64_t)w.skip;
    cpr_count(w.counter, last / 4 * each, s->counter);
    s->place = (int32_t)(last % 4) + 1;
    return w;
}

/* Word i of a section of the stream. */
static uint64_t word_of(const cpi_bit_stream *w, int64_t i)
{
    if (w->kind <= CP_RNG_PHILOX4X32) return cpr_word(w, (uint64_t)i);
    cp_rng_state s = {.kind = w->kind};
    memcpy(s.state, w->state, sizeof s.state);
    skip_words(&s, i);
    return cpr_step(s.kind, s.state);
}

int64_t cpi_rng_take_halves(cp_rng *g, int64_t n, cpi_integers *q)
{
    cp_rng_state *s = &g->s;
    q->has_half = n > 0 && s->has_half;
    q->half = s->half;
    const int64_t rest = n - q->has_half, words = (rest + 1) / 2;
    q->from = cpi_rng_take(g, words);
    if (n > 0) s->has_half = rest & 1;
    if (words > 0) s->half = (uint32_t)(word_of(&q->from, words - 1) >> 32);
    return words;
}

uint64_t cpi_rng_next(cp_rng *g)
{
    const cpi_bit_stream w = cpi_rng_take(g, 1);
    return word_of(&w, 0);
}

uint32_t cpi_rng_next_half(cp_rng *g)
{
    cp_rng_state *s = &g->s;
    if (s->has_half) return s->has_half = 0, s->half;
    const uint64_t w = cpi_rng_next(g);
    s->has_half = 1;
    s->half = (uint32_t)(w >> 32);
    return (uint32_t)w;
}

uint64_t cpi_rng_below(cp_rng *g, uint64_t n)
{
    const uint64_t threshold = cpr_threshold(n - 1, 64);
    uint64_t x;
    while (!cpr_bounded(cpi_rng_next(g), n - 1, 64, threshold, &x))
        ;
    return x;
}

uint32_t *cpi_rng_states(const cpi_bit_stream *from, int64_t n, int64_t *count)
{
    const int64_t chunks = (n + CPR_CHUNK - 1) / CPR_CHUNK;
    uint32_t *states = cpi_calloc((size_t)chunks, 6 * sizeof *states), s[6];
    if (!states) return NULL;
    memcpy(s, from->state, sizeof s);
    for (int64_t i = 0; i < chunks; i++) {
        memcpy(states + 6 * i, s, sizeof s);
        if (i + 1 < chunks) cpi_sequential_jump(from->kind, s, (const uint64_t[4]){CPR_CHUNK});
    }
    *count = 6 * chunks;
    return states;
}
