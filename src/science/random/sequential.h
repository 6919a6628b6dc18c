/* The generators that have no counter: XORWOW and MRG32k3a, a step at a time, and jumps over any number of steps.
 *
 * XORWOW is G. Marsaglia's ("Xorshift RNGs", J. Stat. Software 8, 2003, p. 5): five words under a linear map over the
 * two-element field, added to a counter that goes by 362437. MRG32k3a is P. L'Ecuyer's ("Good parameters and
 * implementations for combined multiple recursive random number generators", Oper. Res. 47, 1999). A 64-bit word is two
 * outputs, the first one below. A jump is a power of the map: bits of the distance select squarings, which are tables
 * built once. Invariant: jump(n) leaves the state that 2 n steps leave. */
#ifndef CPR_SEQUENTIAL_H
#define CPR_SEQUENTIAL_H

#include <string.h>

#include "random/philox.h"

enum { CPR_CHUNK = 4096 }; /* words whose first state is found by a jump */

/* state: x, y, z, w, v and the counter d */
CPR_FN uint32_t cpr_xorwow(uint32_t s[6])
{
    const uint32_t t = s[0] ^ (s[0] >> 2);
    s[0] = s[1], s[1] = s[2], s[2] = s[3], s[3] = s[4];
    s[4] = (s[4] ^ (s[4] << 4)) ^ (t ^ (t << 1));
    s[5] += 362437;
    return s[4] + s[5];
}

#define CPR_MRG1 UINT64_C(4294967087)
#define CPR_MRG2 UINT64_C(4294944443)

/* state: the last three values of either recursion, the oldest first. An output in [0, m1) fills 32 bits by its scale.
 */
CPR_FN uint32_t cpr_mrg(uint32_t s[6])
{
    const uint64_t p1 = (UINT64_C(1403580) * s[1] + UINT64_C(810728) * (CPR_MRG1 - s[0])) % CPR_MRG1;
    const uint64_t p2 = (UINT64_C(527612) * s[5] + UINT64_C(1370589) * (CPR_MRG2 - s[3])) % CPR_MRG2;
    s[0] = s[1], s[1] = s[2], s[2] = (uint32_t)p1;
    s[3] = s[4], s[4] = s[5], s[5] = (uint32_t)p2;
    const uint64_t z = p1 >= p2 ? p1 - p2 : p1 + CPR_MRG1 - p2;
    return (uint32_t)((z << 32) / CPR_MRG1);
}

CPR_FN uint64_t cpr_step(int kind, uint32_t s[6])
{
    const uint32_t low = kind == CPR_XORWOW ? cpr_xorwow(s) : cpr_mrg(s);
    const uint32_t high = kind == CPR_XORWOW ? cpr_xorwow(s) : cpr_mrg(s);
    return low | (uint64_t)high << 32;
}

/* --- jumps, on the host (sequential.c) --- */
#ifdef __cplusplus
extern "C" {
#endif
/* The state after `n` more words, n of 256 bits, lowest first. */
void cpi_sequential_jump(int kind, uint32_t state[6], const uint64_t n[4]);
#ifdef __cplusplus
}
#endif

#endif
