/* Random numbers: generators, distributions, shuffling.
 *
 * A generator is a sequence of 64-bit words and a position in it. The same seed gives the same numbers on every device,
 * whatever the number of threads. Philox 4x64 (the default), its 32-bit halves, and integers made of them are NumPy's,
 * bit for bit. Every call reserves its words at once, so threads may share a generator, and the numbers of a call are
 * contiguous. Results are new arrays on the current device, or on that of an array parameter. Their shape is `shape`,
 * else the broadcast shape of the parameters. Parameters are arrays or numbers (cp_float(2)). Their bounds are checked:
 * CP_ERROR_VALUE names the parameter; the check of an array waits. A graph that recorded a call repeats its numbers,
 * because the host keeps the position. */
#ifndef CUPRITE_RANDOM_H
#define CUPRITE_RANDOM_H

#include "array.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Philox 4x64-10 (NumPy's Philox); Philox 4x32-10, whose words cost a GPU less than half: a value of its counter makes
 * four outputs of 32 bits, i.e. two words, the first output of each in the lower half; XORWOW (Marsaglia 2003);
 * MRG32k3a (L'Ecuyer 1999). For every kind a number in [0, 1) is the upper 53 bits of a word, in float32 the upper 24
 * of half a word. */
typedef enum cp_rng_kind {
    CP_RNG_PHILOX, CP_RNG_PHILOX4X32, CP_RNG_XORWOW, CP_RNG_MRG32K3A, CP_RNG_NKINDS
} cp_rng_kind;

typedef struct cp_rng cp_rng;
/* A generator's state, for saving. Philox: counter, key and position as in NumPy's state; others: six words in
 * `state`. */
typedef struct cp_rng_state {
    int32_t kind, place;           /* place: number of used words of the block at `counter`, 4: all */
    uint64_t key[2], counter[4];
    uint32_t state[6];
    uint32_t has_half, half;       /* the upper half of a word whose lower one was used */
} cp_rng_state;

/* --- generators --- */
CP_API cp_rng *cp_rng_new(uint64_t seed); /* as NumPy's Generator(Philox(seed)); ended with cp_rng_free */
/* `n` words of entropy, as SeedSequence has them, and a kind. */
CP_API cp_rng *cp_rng_new_kind(cp_rng_kind kind, int n, const uint32_t *entropy);
CP_API cp_rng *cp_rng_copy(cp_rng *g);
CP_API void cp_rng_free(cp_rng *g); /* NULL is fine */
CP_API cp_code cp_rng_get_state(cp_rng *g, cp_rng_state *state);
CP_API cp_code cp_rng_set_state(cp_rng *g, const cp_rng_state *state);
/* Advances by n words (Philox 4x64: by n blocks, as NumPy's); n has 256 bits, the lowest first. */
CP_API cp_code cp_rng_advance(cp_rng *g, const uint64_t n[4]);
/* A copy that is `times` jumps ahead: 2^128 blocks of Philox 4x64 each, 2^64 of the 4x32 one, 2^66 words of XORWOW,
 * 2^126 of MRG32k3a. */
CP_API cp_rng *cp_rng_jumped(cp_rng *g, uint64_t times);
/* numpy.random.SeedSequence: n_state words of 32 bits made of entropy, the position in a tree of seeds, and a pool. */
CP_API cp_code cp_seed_state(int n, const uint32_t *entropy, int n_spawn, const uint32_t *spawn_key, int pool_size,
                             int n_state, uint32_t *state);

/* --- distributions --- */
typedef struct cp_draw_options {
    CP_OPTION(cp_shape, shape);  /* of the result; CP_SHAPE0: that of the parameters */
    CP_OPTION(bool, typed);      /* dtype is meant */
    CP_OPTION(cp_type, dtype);   /* CP_FLOAT64 or CP_FLOAT32; for integers any integer type; CP_INT64 by default */
    CP_OPTION(cp_array *, out);  /* the result goes here; it has that shape and type */
    int _;
} cp_draw_options;
CP_API cp_array *cp_rng_raw(cp_rng *g, const cp_draw_options *options);    /* the words, uint64 */
CP_API cp_array *cp_rng_random(cp_rng *g, const cp_draw_options *options); /* [0, 1) */
/* Integers in [low, high), or [low, high] with `endpoint`, as NumPy makes them; waits where numbers may be rejected.
 * Arrays of bounds are processed one by one on the host. */
CP_API cp_array *cp_rng_integers(cp_rng *g, cp_array *low, cp_array *high, bool endpoint,
                                 const cp_draw_options *options);
/* Univariate distributions are in cuprite/distributions.h. */

/* --- multivariate: their axis comes last, after `shape` (normal vectors: cuprite/matrices.h) --- */
CP_API cp_array *cp_rng_dirichlet(cp_rng *g, cp_array *alpha, const cp_draw_options *options);
CP_API cp_array *cp_rng_multinomial(cp_rng *g, cp_array *n, cp_array *pvals, const cp_draw_options *options);
CP_API cp_array *cp_rng_multivariate_hypergeometric(cp_rng *g, cp_array *colors, int64_t nsample,
                                                    const cp_draw_options *options);

/* --- order --- */
CP_API cp_array *cp_rng_permutation(cp_rng *g, int64_t n);               /* 0 .. n-1, int64 */
CP_API cp_array *cp_rng_permuted(cp_rng *g, cp_array *x, int axis);      /* each 1-d slice by itself; CP_FLAT: all */
CP_API cp_array *cp_rng_shuffled(cp_rng *g, cp_array *x, int axis);      /* whole slices along an axis */
CP_API cp_code cp_rng_shuffle(cp_rng *g, cp_array *x, int axis);         /* the same in place */
/* Indices below n, int64; p: their n probabilities, or NULL. */
CP_API cp_array *cp_rng_choice(cp_rng *g, int64_t n, bool replace, cp_array *p, const cp_draw_options *options);
/* Gathers slices of x along an axis by chosen indices; the index's axes replace that one. Waits, because indices are
 * checked. */
CP_API cp_array *cp_rng_gather(cp_array *x, cp_array *index, int axis);

#define cp_rng_raw(...) CP_CALL(cp_rng_raw, cp_draw_options, __VA_ARGS__, ._ = 0)
#define cp_rng_random(...) CP_CALL(cp_rng_random, cp_draw_options, __VA_ARGS__, ._ = 0)
#define cp_rng_integers(...) CP_CALL4(cp_rng_integers, cp_draw_options, __VA_ARGS__, ._ = 0)
#define cp_rng_dirichlet(...) CP_CALL2(cp_rng_dirichlet, cp_draw_options, __VA_ARGS__, ._ = 0)
#define cp_rng_multinomial(...) CP_CALL3(cp_rng_multinomial, cp_draw_options, __VA_ARGS__, ._ = 0)
#define cp_rng_multivariate_hypergeometric(...) \
    CP_CALL3(cp_rng_multivariate_hypergeometric, cp_draw_options, __VA_ARGS__, ._ = 0)
#define cp_rng_choice(...) CP_CALL4(cp_rng_choice, cp_draw_options, __VA_ARGS__, ._ = 0)

#ifdef __cplusplus
}
#endif

#include "cuprite/distributions.h"

#endif
