/* Atomic operations that CuPy adds to CUDA's: sums of signed 64-bit integers and, of floating-point numbers, the
 * greater and the lesser one. On the CPU they are there without this header. */
#ifndef CUPRITE_CUPY_ATOMICS_CUH
#define CUPRITE_CUPY_ATOMICS_CUH

#if defined(__CUDACC__) && !defined(__CUPRITE_CPU__)

static __device__ __forceinline__ long long atomicAdd(long long *p, long long v)
{
    return (long long)atomicAdd((unsigned long long *)p, (unsigned long long)v);
}

/* What NaN meets is NaN, as in NumPy's maximum. */
#define CUPRITE_ATOMIC_EXTREME(name, T, word, to_word, to_float, less)                                        \
    static __device__ __forceinline__ T name(T *p, T v)                                                       \
    {                                                                                                         \
        word *at = (word *)p, old = *at, seen;                                                                \
        do {                                                                                                  \
            seen = old;                                                                                       \
            const T x = to_float(seen);                                                                       \
            if (x != x || !(less || v != v)) break;                                                           \
            old = atomicCAS(at, seen, to_word(v));                                                            \
        } while (seen != old);                                                                                \
        return to_float(old);                                                                                 \
    }
CUPRITE_ATOMIC_EXTREME(atomicMax, float, int, __float_as_int, __int_as_float, x < v)
CUPRITE_ATOMIC_EXTREME(atomicMin, float, int, __float_as_int, __int_as_float, v < x)
CUPRITE_ATOMIC_EXTREME(atomicMax, double, unsigned long long, __double_as_longlong, __longlong_as_double, x < v)
CUPRITE_ATOMIC_EXTREME(atomicMin, double, unsigned long long, __double_as_longlong, __longlong_as_double, v < x)
#undef CUPRITE_ATOMIC_EXTREME

#endif
#endif
