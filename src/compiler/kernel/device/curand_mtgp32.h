/* MTGP32 with 11213 bits (Saito and Matsumoto, "Variants of Mersenne Twister suitable for graphic processors", ACM TOMS
 * 39, 2013) as cuRAND has it: a block of at most 256 threads shares a state, from which each of its threads takes a
 * number at the same time. The program brings states and parameters, which the host's cuRAND or the generator's own
 * sources have.
 *
 * Invariant: all threads of a block call together; a number's place is written before anybody reads the next ones. */
#pragma once
#include "cuprite_device.h"

#define MTGPDC_MEXP 11213
#define MTGPDC_N 351
#define MTGP32_STATE_SIZE 1024
#define MTGP32_STATE_MASK 1023
#define CURAND_NUM_MTGP32_PARAMS 200
#define TBL_SIZE 16

struct mtgp32_params_fast {
    int mexp, pos, sh1, sh2;
    unsigned tbl[TBL_SIZE], tmp_tbl[TBL_SIZE], flt_tmp_tbl[TBL_SIZE], mask;
    unsigned char poly_sha1[21];
};
typedef struct mtgp32_params_fast mtgp32_params_fast_t;
struct mtgp32_kernel_params {
    unsigned pos_tbl[CURAND_NUM_MTGP32_PARAMS], param_tbl[CURAND_NUM_MTGP32_PARAMS][TBL_SIZE];
    unsigned temper_tbl[CURAND_NUM_MTGP32_PARAMS][TBL_SIZE], single_temper_tbl[CURAND_NUM_MTGP32_PARAMS][TBL_SIZE];
    unsigned sh1_tbl[CURAND_NUM_MTGP32_PARAMS], sh2_tbl[CURAND_NUM_MTGP32_PARAMS], mask[1];
};
typedef struct mtgp32_kernel_params mtgp32_kernel_params_t;
struct curandStateMtgp32 {
    unsigned s[MTGP32_STATE_SIZE]; /* a ring, of which MTGPDC_N words are the state */
    int offset, pIdx;
    mtgp32_kernel_params_t *k;
};
typedef struct curandStateMtgp32 curandStateMtgp32_t;

static inline unsigned &__cu_mtgp_word(curandStateMtgp32_t *s, unsigned at)
{
    return s->s[(at + (unsigned)s->offset) & MTGP32_STATE_MASK];
}
/* The recursion's next word, of the words t, t + 1 and t + pos; it is word t + N. */
static inline unsigned __cu_mtgp_next(curandStateMtgp32_t *s, unsigned t)
{
    const mtgp32_kernel_params_t *const k = s->k;
    const int which = s->pIdx;
    unsigned x = (__cu_mtgp_word(s, t) & k->mask[0]) ^ __cu_mtgp_word(s, t + 1);
    x ^= x << k->sh1_tbl[which];
    const unsigned y = x ^ __cu_mtgp_word(s, t + k->pos_tbl[which]) >> k->sh2_tbl[which];
    return y ^ k->param_tbl[which][y & 15];
}
/* What a word is tempered by: bits of the word before the one at pos choose a row. */
static inline unsigned __cu_mtgp_row(curandStateMtgp32_t *s, unsigned t)
{
    unsigned helper = __cu_mtgp_word(s, t + s->k->pos_tbl[s->pIdx] - 1);
    helper ^= helper >> 16;
    return (helper ^ helper >> 8) & 15;
}
/* All threads have written theirs: the state moves by n. */
static inline void __cu_mtgp_move(curandStateMtgp32_t *s, bool first, unsigned n)
{
    __syncthreads();
    if (first) s->offset = (s->offset + (int)n) & MTGP32_STATE_MASK;
    __syncthreads();
}
static inline unsigned __cu_mtgp_take(curandStateMtgp32_t *s, unsigned t, unsigned n)
{
    const unsigned word = __cu_mtgp_next(s, t);
    __cu_mtgp_word(s, t + MTGPDC_N) = word;
    const unsigned r = word ^ s->k->temper_tbl[s->pIdx][__cu_mtgp_row(s, t)];
    __cu_mtgp_move(s, t == 0, n);
    return r;
}
/* A number from 1 to 2, by its bits. cuRAND leaves the word at t, not behind the state as `take`, and tempers after
 * that: where the ring begins at 0, lanes read what others of their warp have just written. The waits are what a warp's
 * step is there; between warps cuRAND leaves the order open, and here it is the same. */
static inline float __cu_mtgp_take_single(curandStateMtgp32_t *s, unsigned t, unsigned n)
{
    const unsigned word = __cu_mtgp_next(s, t);
    __syncthreads();
    s->s[t & MTGP32_STATE_MASK] = word;
    __syncthreads();
    const unsigned r = word >> 9 ^ s->k->single_temper_tbl[s->pIdx][__cu_mtgp_row(s, t)];
    __cu_mtgp_move(s, threadIdx.x == 0, n);
    return __uint_as_float(r);
}
static inline unsigned __cu_mtgp_thread()
{
    return blockDim.z * blockDim.y * threadIdx.z + blockDim.x * threadIdx.y + threadIdx.x;
}
static inline unsigned __cu_mtgp_threads() { return blockDim.x * blockDim.y * blockDim.z; }

static inline unsigned curand(curandStateMtgp32_t *s)
{
    return __cu_mtgp_take(s, __cu_mtgp_thread(), __cu_mtgp_threads());
}
static inline unsigned curand_mtgp32_specific(curandStateMtgp32_t *s, unsigned char index, unsigned char n)
{
    return __cu_mtgp_take(s, index, n);
}
static inline float curand_mtgp32_single(curandStateMtgp32_t *s)
{
    return __cu_mtgp_take_single(s, blockDim.z * blockDim.y + threadIdx.x, __cu_mtgp_threads());
}
static inline float curand_mtgp32_single_specific(curandStateMtgp32_t *s, unsigned char index, unsigned char n)
{
    return __cu_mtgp_take_single(s, index, n);
}
/* Of one word each, as of Sobol's. */
static inline double curand_uniform_double(curandStateMtgp32_t *s) { return __cu_uniform_double(curand(s)); }
static inline float curand_normal(curandStateMtgp32_t *s) { return __cu_normal_of(curand(s)); }
static inline double curand_normal_double(curandStateMtgp32_t *s) { return __cu_normal_of_double(curand(s)); }
static inline float curand_log_normal(curandStateMtgp32_t *s, float mean, float stddev)
{
    return expf(mean + stddev * curand_normal(s));
}
static inline double curand_log_normal_double(curandStateMtgp32_t *s, double mean, double stddev)
{
    return exp(mean + stddev * curand_normal_double(s));
}
static inline unsigned curand_poisson(curandStateMtgp32_t *s, double lambda)
{
    return __cu_poisson_of(curand(s), lambda);
}
