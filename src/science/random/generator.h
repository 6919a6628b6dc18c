/* A generator, for the fronts: pieces of its stream are taken under its lock. */
#ifndef CPI_RANDOM_GENERATOR_H
#define CPI_RANDOM_GENERATOR_H

#include "random/random.h"

/* Nobody else takes anything until the unlock; safe in children of a process that forked meanwhile. */
void cpi_rng_lock(cp_rng *g);
void cpi_rng_unlock(cp_rng *g);
/* The next n words, which are then gone. The caller has the lock. */
cpi_bit_stream cpi_rng_take(cp_rng *g, int64_t n);
/* The next n halves of words, into q's `from`, `has_half` and `half`; returns how many words those are. */
int64_t cpi_rng_take_halves(cp_rng *g, int64_t n, cpi_integers *q);
/* Numbers that are needed on the host, one after the other. */
uint64_t cpi_rng_next(cp_rng *g);
uint32_t cpi_rng_next_half(cp_rng *g);
uint64_t cpi_rng_below(cp_rng *g, uint64_t n); /* uniform in [0, n), n > 0 */
cp_rng_kind cpi_rng_kind(const cp_rng *g);
/* Its place, for who has the lock. */
cp_rng_state cpi_rng_position(const cp_rng *g);
void cpi_rng_put(cp_rng *g, const cp_rng_state *state);

/* The words of a kind without a counter: the states at each CPR_CHUNK-th, in host memory; NULL: error written. */
uint32_t *cpi_rng_states(const cpi_bit_stream *from, int64_t n, int64_t *count);

#endif
