/* Jumps of XORWOW and MRG32k3a: powers of their linear maps.
 *
 * Table k holds the map of 2^k words; a jump applies those of the distance's set bits. Tables are built on the first
 * jump, once a process. */
#include "random/sequential.h"

#include <pthread.h>

enum { BITS = 160, WORDS = 5, POWERS = 192 };

typedef struct bit_map { uint32_t column[BITS][WORDS]; } bit_map; /* the image of each bit of the state */
typedef struct mod_map { uint64_t a[3][3], b[3][3]; } mod_map;

static bit_map *bit_power; /* POWERS of them */
static mod_map mod_power[256];
static pthread_once_t bits_made = PTHREAD_ONCE_INIT, mods_made = PTHREAD_ONCE_INIT;
static bit_map bit_store[POWERS];

static void apply(const bit_map *m, uint32_t x[WORDS])
{
    uint32_t r[WORDS] = {0};
    for (int i = 0; i < BITS; i++) {
        const uint32_t mask = 0u - (x[i / 32] >> (i % 32) & 1);
        for (int k = 0; k < WORDS; k++) r[k] ^= m->column[i][k] & mask;
    }
    memcpy(x, r, sizeof r);
}

static void make_bits(void)
{
    for (int i = 0; i < BITS; i++) {
        uint32_t s[6] = {0};
        s[i / 32] = 1u << (i % 32);
        cpr_step(CPR_XORWOW, s);
        memcpy(bit_store[0].column[i], s, sizeof bit_store[0].column[i]);
    }
    for (int k = 1; k < POWERS; k++) {
        bit_store[k] = bit_store[k - 1];
        for (int i = 0; i < BITS; i++) apply(&bit_store[k - 1], bit_store[k].column[i]);
    }
    bit_power = bit_store;
}

static uint64_t times(uint64_t a, uint64_t b, uint64_t m) { return (uint64_t)((unsigned __int128)a * b % m); }

static void square(uint64_t r[3][3], uint64_t const x[3][3], uint64_t m)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            uint64_t sum = 0;
            for (int k = 0; k < 3; k++) sum = (sum + times(x[i][k], x[k][j], m)) % m;
            r[i][j] = sum;
        }
}

static void make_mods(void)
{
    const mod_map step = {{{0, 1, 0}, {0, 0, 1}, {CPR_MRG1 - 810728, 1403580, 0}},
                          {{0, 1, 0}, {0, 0, 1}, {CPR_MRG2 - 1370589, 0, 527612}}};
    mod_map before = step;
    for (int k = 0; k < 256; k++) { /* power 0 is two steps, a word */
        square(mod_power[k].a, before.a, CPR_MRG1);
        square(mod_power[k].b, before.b, CPR_MRG2);
        before = mod_power[k];
    }
}

static void turn(uint64_t const x[3][3], uint32_t s[3], uint64_t m)
{
    uint64_t r[3];
    for (int i = 0; i < 3; i++) {
        r[i] = 0;
        for (int k = 0; k < 3; k++) r[i] = (r[i] + times(x[i][k], s[k], m)) % m;
    }
    for (int i = 0; i < 3; i++) s[i] = (uint32_t)r[i];
}

/* 2^192 words and more are beyond what XORWOW's tables hold: its linear part has a period of 2^160 - 1, so such bits
 * mean 2^(k-160) as well. */
static void jump_xorwow(uint32_t state[6], const uint64_t n[4])
{
    for (int k = 0; k < 256; k++)
        if (n[k / 64] >> (k % 64) & 1) {
            apply(&bit_power[k < POWERS ? k : k - 160], state);
            if (k < 31) state[5] += 362437u << (k + 1);
        }
}

void cpi_sequential_jump(int kind, uint32_t state[6], const uint64_t n[4])
{
    if (kind == CPR_XORWOW) {
        pthread_once(&bits_made, make_bits);
        jump_xorwow(state, n);
        return;
    }
    pthread_once(&mods_made, make_mods);
    for (int k = 0; k < 256; k++)
        if (n[k / 64] >> (k % 64) & 1) {
            turn(mod_power[k].a, state, CPR_MRG1);
            turn(mod_power[k].b, state + 3, CPR_MRG2);
        }
}
